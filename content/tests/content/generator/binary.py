"""Heads of executable formats, followed by random bytes: enough to be recognised, nothing that runs.

Standards: System V ABI (ELF), Microsoft PE/COFF, Mach-O, WebAssembly core 1.0, JVMS §4 (class files), Dalvik dex format.
"""

import struct


def elf(rng, size=400, machine=62, kind=2):
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, 0x401000, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, size, size, 0x1000)
    return head + load + rng.randbytes(size)


def elf32(rng, size=300):
    head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0x10054, 52, 0, 0x5000200, 52, 32, 1, 40, 0, 0)
    return head + rng.randbytes(size)


def pe(rng, size=400, machine=0x8664):
    stub = b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00\xb8" + bytes(43) + struct.pack("<I", 0x80)
    text = b"\x0e\x1f\xba\x0e\x00\xb4\x09\xcd\x21\xb8\x01\x4c\xcd\x21This program cannot be run in DOS mode.\r\r\n$"
    head = (stub + text).ljust(0x80, b"\0") + b"PE\0\0" + struct.pack("<HHIIIHH", machine, 3, 0x65A1B2C3, 0, 0, 0xF0, 0x22)
    return head + rng.randbytes(size)


def mach_o(rng, size=300, arm=True):
    kind = (0x0100000C, 0) if arm else (0x01000007, 3)
    return struct.pack("<IIIIIIII", 0xFEEDFACF, *kind, 2, 16, 1400, 0x00200085, 0) + rng.randbytes(size)


def wasm(rng, size=200):
    return b"\0asm\x01\0\0\0\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f\x03\x02\x01\0\x07\x07\x01\x03run\0\0" + rng.randbytes(size)


def java_class(rng, size=250):
    return struct.pack(">IHHH", 0xCAFEBABE, 0, 61, 29) + b"\x0a\0\x02\0\x03\x07\0\x04\x0c\0\x05\0\x06\x01\0\x10java/lang/Object" + rng.randbytes(size)


def dex(rng, size=250):
    return b"dex\n035\0" + rng.randbytes(24) + struct.pack("<III", size + 112, 112, 0x12345678) + rng.randbytes(size)


def ole(rng, size=400):
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHH", 0x3E, 3, 0xFFFE, 9)
    macros = "_VBA_PROJECT".encode("utf-16-le") + b"\0\0Attribut\0e VB_Nam\0e = \"Thi\0sDocumen\0t\"\r\n"
    return head + bytes(40) + macros + rng.randbytes(size)
