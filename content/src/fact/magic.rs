//! Programs, archives and documents with macros, by their first bytes.
//!
//! Absent: proof that a program is whole or runs; a head is enough. *Security*: bytes at fixed offsets; searches are linear.
//! *Standards*: System V ABI, chapter 4 (ELF); Microsoft PE format; Apple `mach-o/loader.h` and `fat.h`; WebAssembly core
//! specification, 5.5.16; JVMS 4.1; Dalvik executable format; [MS-SHLLINK] 2.1; [MS-CFB] 2.2; APPNOTE.TXT 4.3.7 (ZIP).

use std::borrow::Cow;

use memchr::memmem;

use super::{Fact, FactKind};
use crate::view::View;

/// The fewest decoded bytes that are a program: a line of a dump shows no more than its first sixteen or 32.
const PROGRAM_BYTES_MIN: usize = 33;
/// The bytes of a head that a fact is about.
const HEAD_BYTES: usize = 64;
/// The bytes behind a sign of macros in which nothing more is looked for.
const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const VBA_PROJECT: &[u8] = b"_\0V\0B\0A\0_\0P\0R\0O\0J\0";

/// First bytes, the name of the format, and its kind.
const FORMATS: &[(&[u8], &str, FactKind)] = &[
    (b"\x7fELF", "elf", FactKind::Program),
    (b"MZ", "pe", FactKind::Program),
    (b"\xfe\xed\xfa\xce", "mach-o", FactKind::Program),
    (b"\xfe\xed\xfa\xcf", "mach-o", FactKind::Program),
    (b"\xce\xfa\xed\xfe", "mach-o", FactKind::Program),
    (b"\xcf\xfa\xed\xfe", "mach-o", FactKind::Program),
    (b"\xca\xfe\xba\xbe", "java class or mach-o", FactKind::Program),
    (b"\0asm\x01\0\0\0", "wasm", FactKind::Program),
    (b"dex\n0", "dex", FactKind::Program),
    (b"BC\xc0\xde", "llvm bitcode", FactKind::Program),
    (b"\x1bLua", "lua bytecode", FactKind::Program),
    (b"\x1bLJ", "lua bytecode", FactKind::Program),
    (b"FasdUAS ", "applescript", FactKind::Program),
    (b"L\0\0\0\x01\x14\x02\0\0\0\0\0\xc0\0\0\0\0\0\0F", "shortcut", FactKind::Program),
    (b"PK\x03\x04", "zip", FactKind::Archive),
    (b"\x1f\x8b\x08", "gzip", FactKind::Archive),
    (b"!<arch>\n", "ar", FactKind::Archive),
    (b"\xed\xab\xee\xdb", "rpm", FactKind::Archive),
    (b"xar!\0\x1c", "xar", FactKind::Archive),
    (b"Cr24", "browser extension", FactKind::Archive),
    (b"\xfd7zXZ\0", "xz", FactKind::Sealed),
    (b"BZh", "bzip2", FactKind::Sealed),
    (b"\x28\xb5\x2f\xfd", "zstd", FactKind::Sealed),
    (b"7z\xbc\xaf\x27\x1c", "7z", FactKind::Sealed),
    (b"Rar!\x1a\x07", "rar", FactKind::Sealed),
    (b"MSCF\0\0\0\0", "cab", FactKind::Sealed),
    (b"LZIP", "lzip", FactKind::Sealed),
    (b"\x04\x22\x4d\x18", "lz4", FactKind::Sealed),
    (b"\x1f\x9d", "compress", FactKind::Sealed),
    (b"\x89LZO\0\r\n\x1a\n", "lzo", FactKind::Sealed),
    (b"hsqs", "squashfs", FactKind::Sealed),
];

/// The first bytes of [`FORMATS`].
static BEGINS: [bool; 256] = {
    let mut begins = [false; 256];
    let mut at = 0;
    while at < FORMATS.len() {
        begins[FORMATS[at].0[0] as usize] = true;
        at += 1;
    }
    begins
};

/// The name and kind of the format that bytes begin.
pub(crate) fn format_of(bytes: &[u8]) -> Option<(&'static str, FactKind)> {
    let begins = BEGINS.get(usize::from(*bytes.first()?));
    if begins.is_none_or(|begins| !begins) {
        return None;
    }
    let (_, name, kind) = FORMATS.iter().find(|(head, name, _)| bytes.starts_with(head) && fits(name, bytes))?;
    Some((name, *kind))
}

/// Whether the bytes after a short head are the required ones.
fn fits(name: &str, bytes: &[u8]) -> bool {
    let half = |at: usize| bytes.get(at..at + 2).and_then(|pair| Some(u16::from_be_bytes(*pair.first_chunk()?)));
    match name {
        // Class and byte order.
        "elf" => bytes.get(4..6).is_none_or(|sign| sign.iter().all(|byte| matches!(byte, 1 | 2))),
        "pe" => is_portable(bytes),
        // The version of a class is 45 or more, and an image holds no more than a few processors.
        "java class or mach-o" => {
            half(6).is_none_or(|version| (1..20).contains(&version) || (45..100).contains(&version))
        }
        "bzip2" => bytes.get(3).is_some_and(u8::is_ascii_digit) && bytes.get(4..8) == Some(b"1AY&"),
        "compress" => bytes.get(2).is_some_and(|flags| matches!(flags & 0x9f, 0x89..=0x90)),
        _ => true,
    }
}

/// Whether the header of DOS leads to that of PE, or is the one that linkers write.
fn is_portable(bytes: &[u8]) -> bool {
    let offset = bytes.get(60..64).and_then(<[u8]>::first_chunk).map(|offset| u32::from_le_bytes(*offset));
    let header =
        offset.and_then(|offset| usize::try_from(offset).ok()).and_then(|at| bytes.get(at..at.checked_add(4)?));
    header == Some(b"PE\0\0")
        || bytes.starts_with(b"MZ\x90\0\x03\0\0\0")
        || bytes.starts_with(b"MZ\x90\0\x03\0") && bytes.len() < 64
}

/// Adds the format of a view's first bytes, and the macros in it.
pub(super) fn find<'a>(view: &'a View<'_>, facts: &mut Vec<Fact<'a>>) {
    let mut add = |kind, name: &'static str, start: usize| {
        let range = start..view.bytes.len().min(start + HEAD_BYTES);
        facts.push(Fact { kind, range, text: Cow::Borrowed(name.as_bytes()), weight: 0 });
    };
    if view.at_start
        && let Some((name, kind)) = format_of(view.bytes)
        && (kind != FactKind::Program || view.depth == 0 || view.bytes.len() >= PROGRAM_BYTES_MIN)
    {
        add(kind, name, 0);
    }
    let is_compound = view.at_start && view.bytes.starts_with(OLE);
    if let Some(at) = memmem::find(view.bytes, VBA_PROJECT).filter(|_| is_compound) {
        add(FactKind::Macro, "compound document", at);
    }
    for at in memmem::find_iter(view.bytes, b"vbaProject.bin").take(1) {
        let before = view.bytes.get(at.saturating_sub(HEAD_BYTES)..at).unwrap_or_default();
        if memmem::find(before, b"PK").is_some() {
            add(FactKind::Macro, "office document", at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_recognised_by_more_than_two_bytes() {
        let mut portable = vec![0; 128];
        portable[..2].copy_from_slice(b"MZ");
        portable[60] = 64;
        portable[64..68].copy_from_slice(b"PE\0\0");
        assert_eq!(format_of(&portable), Some(("pe", FactKind::Program)));
        assert_eq!(
            format_of(b"MZ is a pair of letters, and nothing else of it is a program that would run at all"),
            None
        );
        assert_eq!(format_of(b"\x7fELF\x02\x01\x01\0"), Some(("elf", FactKind::Program)));
        assert_eq!(format_of(b"\xca\xfe\xba\xbe\0\0\0\x41"), Some(("java class or mach-o", FactKind::Program)));
        assert_eq!(format_of(b"BZh is no stream"), None);
    }
}
