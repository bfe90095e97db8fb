"""Encodings that a machine undoes: text or bytes in, text or bytes out. Nothing here is hostile by itself."""

import base64
import struct
import textwrap
import zlib


def octets(content):
    return content.encode() if isinstance(content, str) else content


def base64_text(content):
    return base64.b64encode(octets(content)).decode()


def base64_wrapped(content, width=76):
    return "\n".join(textwrap.wrap(base64_text(content), width))


def base64_url(content):
    return base64.urlsafe_b64encode(octets(content)).decode().rstrip("=")


def base64_utf16(content):
    return base64.b64encode(content.encode("utf-16-le")).decode()


def hex_text(content):
    return octets(content).hex()


def percent(content):
    """Every byte, so that not even letters stand for themselves."""
    return "".join(f"%{byte:02X}" for byte in octets(content))


def gzipped(content):
    """A gzip member (RFC 1952) whose header is ours: Python's own differs from version to version."""
    data, deflate = octets(content), zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = deflate.compress(data) + deflate.flush()
    return bytes.fromhex("1f8b08000000000002ff") + body + struct.pack("<II", zlib.crc32(data), len(data))


def gzip_base64(content):
    return base64_text(gzipped(content))


def xxd(content):
    """A dump in the form of `xxd`."""
    data, rows = octets(content), []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        pairs = " ".join(row[pair : pair + 2].hex() for pair in range(0, len(row), 2))
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        rows.append(f"{at:08x}: {pairs:<39}  {shown}")
    return "\n".join(rows) + "\n"
