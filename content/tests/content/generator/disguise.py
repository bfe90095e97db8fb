"""Disguises that a reader sees through: what is shown stays legible, the code points or their order change."""

import codecs

CYRILLIC = dict(zip("aceopxyijsABCEHKMOPTXS", "асеорхуіјѕАВСЕНКМОРТХЅ"))
LEET_LIGHT = str.maketrans("aeio", "4310")


def between(text, inserted, every=1):
    """The text with `inserted` after every n-th character."""
    shown = []
    for number, character in enumerate(text, 1):
        shown.append(character)
        if number % every == 0 and number < len(text):
            shown.append(inserted)
    return "".join(shown)


def full_width(text):
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def homoglyphs(text, table):
    return "".join(table.get(character, character) for character in text)


def tag_characters(text):
    """Every printable ASCII character as its invisible tag."""
    return "".join(chr(0xE0000 + ord(character)) for character in text if " " <= character <= "~")


def variation_selectors(text):
    """Every byte as one variation selector: 0 to 15 from U+FE00 on, the rest from U+E0100 on."""
    return "".join(chr(0xFE00 + b) if b < 16 else chr(0xE0100 + b - 16) for b in text.encode())


def zero_width_bits(text, zero="\u200b", one="\u200c"):
    """Every byte as eight zero-width characters."""
    return "".join(one if byte >> bit & 1 else zero for byte in text.encode() for bit in range(7, -1, -1))


def reversed_text(text):
    return text[::-1]


def rot13(text):
    return codecs.encode(text, "rot13")


def alternating_case(text):
    return "".join(c.upper() if at % 2 else c.lower() for at, c in enumerate(text))


def bidi_reversed(text):
    """Shown in reading order, stored from the last character to the first."""
    return "\u202e" + text[::-1] + "\u202c"
