"""Disguises of the held-out half alone, and those that it shares; the other modules of the half take both from here."""

from ..disguise import CYRILLIC, between, bidi_reversed, homoglyphs, reversed_text, tag_characters, zero_width_bits

GREEK = dict(zip("ovuiABEZHIKMNOPTYX", "ονυιΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"))
LEET_HEAVY = str.maketrans({"a": "@", "e": "3", "i": "!", "o": "0", "s": "$", "t": "7", "l": "1", "b": "8", "g": "9"})
MORSE = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(),
    )
)


def mathematical(text, capital=0x1D400, small=0x1D41A):
    """Bold letters of the mathematical block, or another style by its two bases."""
    shown = []
    for character in text:
        if "A" <= character <= "Z":
            shown.append(chr(capital + ord(character) - ord("A")))
        elif "a" <= character <= "z":
            shown.append(chr(small + ord(character) - ord("a")))
        else:
            shown.append(character)
    return "".join(shown)


def circled(text):
    return mathematical(text, 0x24B6, 0x24D0)


def small_capitals(text):
    return text.lower().translate(str.maketrans("abcdefghijklmnoprstuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ"))


def combining(text, mark="\u0335"):
    return "".join(c + mark if c.isalpha() else c for c in text)


def reversed_words(text):
    return " ".join(word[::-1] for word in text.split(" "))


def caesar(text, shift):
    def turned(character):
        for base in ("a", "A"):
            if character.isascii() and character.isalpha() and character.islower() == (base == "a"):
                return chr((ord(character) - ord(base) + shift) % 26 + ord(base))
        return character

    return "".join(map(turned, text))


def morse(text):
    words = ["".join(c for c in word.lower() if c in MORSE) for word in text.split()]
    return " / ".join(" ".join(MORSE[c] for c in word) for word in words if word)


def acrostic(text):
    """One line a word, as a list whose bullets are noise."""
    return "\n".join(f"{number:>3} | {word}" for number, word in enumerate(text.split(), 1))
