"""Executable formats of the held-out half alone, and those that it shares; the other modules of the half take both from here."""

import struct

from ..binary import dex, elf, java_class, mach_o, ole, pe, wasm


def mach_o_fat(rng, size=300):
    return struct.pack(">IIIIIII", 0xCAFEBABE, 2, 0x01000007, 3, 0x4000, 0x8000, 14) + rng.randbytes(size)


def shortcut(rng, size=200):
    return bytes.fromhex("4c0000000114020000000000c000000000000046") + rng.randbytes(size)
