"""Encodings of the held-out half alone, and those that it shares; the other modules of the half take both from here."""

import base64
import binascii
import zlib

from ..encoding import base64_text, base64_url, base64_utf16, base64_wrapped, gzip_base64, gzipped, hex_text, octets, percent


def base32_text(content):
    return base64.b32encode(octets(content)).decode()


def hex_upper(content):
    return octets(content).hex().upper()


def hex_spaced(content):
    return octets(content).hex(" ")


def hex_escapes(content):
    return "".join(f"\\x{byte:02x}" for byte in octets(content))


def octal_escapes(content):
    return "".join(f"\\{byte:03o}" for byte in octets(content))


def unicode_escapes(text):
    return "".join(f"\\u{ord(character):04x}" for character in text)


def percent_lower(content):
    return "".join(f"%{byte:02x}" for byte in octets(content))


def html_decimal(text):
    return "".join(f"&#{ord(character)};" for character in text)


def html_hexadecimal(text):
    return "".join(f"&#x{ord(character):x};" for character in text)


def quoted_printable_whole(content):
    """Every byte as =XX with soft line breaks."""
    tokens = [f"={byte:02X}" for byte in octets(content)]
    return "=\n".join("".join(tokens[at : at + 24]) for at in range(0, len(tokens), 24))


def deflated(content):
    return zlib.compress(octets(content), 9)


def gzip_hex(content):
    return hex_text(gzipped(content))


def zlib_base64(content):
    return base64_text(deflated(content))


def decimal_codes(content):
    return ", ".join(str(byte) for byte in octets(content))


def uuencoded(content, name="data.bin"):
    data = octets(content)
    rows = [binascii.b2a_uu(data[at : at + 45]).decode() for at in range(0, len(data), 45)]
    return f"begin 644 {name}\n" + "".join(rows) + "`\nend\n"
