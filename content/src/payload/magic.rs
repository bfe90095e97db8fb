//! Programs and packages by their first bytes, and within other files where the evidence is strong.
//!
//! Absent: proof that a program is whole or runs; a head is enough.
//!
//! *Security*: hostile bytes, read at fixed offsets; searches are linear. *Standards*: System V ABI, chapter 4 (ELF); Microsoft
//! PE format; Apple `mach-o/loader.h` and `fat.h`; `WebAssembly` core specification, 5.5.16; JVMS 4.1; Dalvik executable format;
//! [MS-SHLLINK] 2.1; [MS-CFB] 2.2; [MS-MSI]; APPNOTE.TXT 4.3.7 (ZIP); `deb(5)`; RPM file format.

use std::ops::Range;

use memchr::memmem;

use super::super::rule::{Hit, Strength};
use super::kind::Kind;
use super::object;

/// Pieces of magic that are looked for in every view, lower-case.
pub(super) const WORDS: &[&str] =
    &["\u{7f}elf", "pe\0\0", "\0asm", "dex\n0", "vbaproject.bin", "_\0v\0b\0a\0_\0p\0r\0o\0j\0", "__halt_compiler"];

/// The bytes of a head that a hit names.
const HEAD_BYTES: usize = 64;

/// The farthest that the PE header stands behind its MZ in an embedded program.
const STUB_BYTES_MAX: usize = 1024;

/// Heads that are enough by themselves.
const HEADS: &[(&[u8], Kind)] = &[
    (b"\x1bLua", Kind::Bytecode),
    (b"\x1bLJ", Kind::Bytecode),
    (b"BC\xC0\xDE", Kind::Bytecode),
    (b"\xDE\xC0\x17\x0B", Kind::Bytecode),
    (b"\xC6\x1F\xBC\x03\xC1\x03\x19\x1F", Kind::Bytecode),
    (b"FasdUAS ", Kind::Bytecode),
    (b"YARB", Kind::Bytecode),
    (b"RITE0", Kind::Bytecode),
    (b"\xCA\xFE\xD0\x0D", Kind::Bytecode),
    (b"\xCA\xFE\xDA\xDA", Kind::Bytecode),
    (b"Joy!peff", Kind::Bytecode),
    (b"Caml1999", Kind::Bytecode),
    (b"PBC\0", Kind::Bytecode),
    (b"L\0\0\0\x01\x14\x02\0\0\0\0\0\xC0\0\0\0\0\0\0F", Kind::Shortcut),
    (b"!<arch>\n", Kind::Package),
    (b"!<thin>\n", Kind::Package),
    (b"\xED\xAB\xEE\xDB", Kind::Package),
    (b"xar!\0\x1c", Kind::Package),
    (b"Cr24", Kind::Package),
    (b"\x27\x05\x19\x56", Kind::Package),
    (b"ANDROID!", Kind::Package),
    (b"JM\x01\0PK\x03\x04", Kind::Package),
    (b"ITSF\x03\0\0\0", Kind::ActiveDocument),
    (b"\xE4\x52\x5C\x7B\x8C\xD8\xA7\x4D\xAE\xB1\x53\x78\xD0\x29\x96\xD3", Kind::ActiveDocument),
];

/// What the first bytes of a source are.
pub(super) fn at_start(bytes: &[u8]) -> Option<Hit> {
    let by_table = || HEADS.iter().find(|(head, _)| bytes.starts_with(head)).map(|(_, kind)| *kind);
    let program = elf(bytes).or_else(|| mz(bytes)).or_else(|| mach_o(bytes)).or_else(|| machine_code(bytes));
    if let Some(kind) = program.or_else(by_table).or_else(|| object::at_start(bytes)) {
        return Some(hit(kind, 0..bytes.len().min(HEAD_BYTES), Strength::Addressed));
    }
    let (kind, strength) = compound(bytes).or_else(|| archive(bytes))?;
    Some(hit(kind, 0..bytes.len().min(HEAD_BYTES), strength))
}

/// What a piece of magic within a source belongs to.
pub(super) fn within(bytes: &[u8], at: usize, word: &str) -> Option<Hit> {
    let rest = bytes.get(at..)?;
    let kind = match word {
        "\u{7f}elf" => elf(rest).filter(|_| is_plausible_elf(rest)),
        "pe\0\0" => return portable(bytes, at),
        "\0asm" => rest.starts_with(b"\0asm\x01\0\0\0").then_some(Kind::Wasm),
        "dex\n0" => machine_code(rest),
        "__halt_compiler" => rest.starts_with(b"__HALT_COMPILER()").then_some(Kind::ServerPage),
        "vbaproject.bin" => {
            let before = bytes.get(at.saturating_sub(HEAD_BYTES)..at)?;
            memmem::find(before, b"PK").map(|_| Kind::MacroDocument)
        }
        _ => Some(Kind::MacroDocument),
    }?;
    Some(hit(kind, at..bytes.len().min(at + HEAD_BYTES), Strength::Addressed))
}

/// Programs for macOS within a source: their magic is no text, so that the shared pass does not find it.
pub(super) fn mach_o_within(bytes: &[u8], hits: &mut Vec<Hit>) {
    for magic in [b"\xCF\xFA\xED\xFE", b"\xCE\xFA\xED\xFE"] {
        let places = memmem::find_iter(bytes, magic).filter(|at| bytes.get(*at..).and_then(mach_o).is_some());
        hits.extend(
            places.take(HEAD_BYTES).map(|at| hit(Kind::MachO, at..bytes.len().min(at + 32), Strength::Addressed)),
        );
    }
}

fn hit(kind: Kind, range: Range<usize>, strength: Strength) -> Hit {
    Hit { rule: kind.rule(), range, strength }
}

fn elf(bytes: &[u8]) -> Option<Kind> {
    match bytes.get(..7)? {
        [0x7F, b'E', b'L', b'F', 1 | 2, 1 | 2, 0 | 1] => Some(Kind::Elf),
        _ => None,
    }
}

/// Type and version of the header, in its own byte order.
fn is_plausible_elf(bytes: &[u8]) -> bool {
    let is_little = bytes.get(5) == Some(&1);
    let short = |at| if is_little { little_16(bytes, at) } else { little_16(bytes, at).map(u16::swap_bytes) };
    let kind = short(16);
    kind.is_some_and(|kind| (1..=4).contains(&kind) || kind >= 0xFE00)
        && short(18).is_some_and(|machine| machine != 0 && machine < 0x0200 || machine == 0x9026)
}

/// A header of DOS: the bytes of the last page are fewer than a page has, which no text fulfils.
fn mz(bytes: &[u8]) -> Option<Kind> {
    if !(bytes.starts_with(b"MZ") || bytes.starts_with(b"ZM")) {
        return None;
    }
    let behind = usize::try_from(little_32(bytes, 0x3C).unwrap_or(0)).unwrap_or(usize::MAX);
    let is_new = behind
        .checked_add(2)
        .and_then(|end| bytes.get(behind..end))
        .is_some_and(|magic| [b"PE", b"NE", b"LE", b"LX"].iter().any(|known| *known == magic));
    let has_stub = memmem::find(bytes.get(..512.min(bytes.len()))?, b"This program").is_some();
    let is_dos = little_16(bytes, 2)? < 0x200
        && little_16(bytes, 4)? < 0x2000
        && bytes.iter().take(HEAD_BYTES).any(|byte| *byte == 0);
    (is_new || has_stub || is_dos).then_some(Kind::Pe)
}

/// A PE header within a source: with its MZ before it, or with an optional header behind it.
fn portable(bytes: &[u8], at: usize) -> Option<Hit> {
    const MACHINES: &[u16] = &[
        0x014C, 0x0162, 0x0166, 0x0168, 0x0169, 0x0184, 0x01A2, 0x01A3, 0x01A6, 0x01A8, 0x01C0, 0x01C2, 0x01C4, 0x01D3,
        0x01F0, 0x01F1, 0x0200, 0x0266, 0x0284, 0x0366, 0x0466, 0x0EBC, 0x5032, 0x5064, 0x5128, 0x6232, 0x6264, 0x8664,
        0x9041, 0xAA64, 0xA641, 0xC0EE,
    ];
    let header = bytes.get(at..)?;
    let is_head = header.starts_with(b"PE\0\0")
        && MACHINES.contains(&little_16(header, 4)?)
        && (1..=96).contains(&little_16(header, 6)?);
    if !is_head {
        return None;
    }
    let before = at.saturating_sub(STUB_BYTES_MAX);
    let lead = bytes.get(before..at)?;
    let points_here = |place: &usize| {
        let offset = little_32(bytes, before + place + 0x3C).and_then(|offset| usize::try_from(offset).ok());
        offset == Some(at - before - place)
    };
    let stub = memmem::rfind_iter(lead, b"MZ").take(4).find(points_here);
    let has_optional = little_16(header, 24).is_some_and(|magic| matches!(magic, 0x010B | 0x020B | 0x0107));
    let start = stub.map_or(at, |place| before + place);
    (stub.is_some() || has_optional)
        .then(|| hit(Kind::Pe, start..bytes.len().min(at + HEAD_BYTES), Strength::Addressed))
}

/// Thin and fat binaries. A fat one shares its magic with Java: the next word counts a handful of machines, or is a version from 45 on.
fn mach_o(bytes: &[u8]) -> Option<Kind> {
    let word = |at| little_32(bytes, at);
    let is_kind = |kind: u32| (1..=12).contains(&kind);
    match word(0)? {
        0xFEED_FACE | 0xFEED_FACF => is_kind(word(12)?).then_some(Kind::MachO),
        0xCEFA_EDFE | 0xCFFA_EDFE => is_kind(word(12)?.swap_bytes()).then_some(Kind::MachO),
        0xBEBA_FECA | 0xBFBA_FECA => match word(4)?.swap_bytes() {
            1..=42 => Some(Kind::MachO),
            version if (45..=200).contains(&(version & 0xFFFF)) => Some(Kind::Bytecode),
            _ => None,
        },
        0xCAFE_BABE | 0xCAFE_BABF => (1..=42).contains(&word(4)?).then_some(Kind::MachO),
        _ => None,
    }
}

fn machine_code(bytes: &[u8]) -> Option<Kind> {
    match bytes {
        [0, b'a', b's', b'm', version, 0, 0 | 1, 0, ..] if *version > 0 => Some(Kind::Wasm),
        [b'd', b'e', b'x' | b'y', b'\n', b'0', b'0'..=b'9', b'0'..=b'9', 0, ..]
        | [b'c' | b'v', b'd', b'e', b'x', b'0', b'0'..=b'9', b'0'..=b'9', 0, ..]
        | [b'o' | b'a', b'a' | b'r', b't', b'\n', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', 0, ..]
        | [b'F', b'O', b'R', b'1', _, _, _, _, b'B', b'E', b'A', b'M', ..]
        | [b';', b'E', b'L', b'C', 1..=0x1F, 0, 0, 0, ..] => Some(Kind::Bytecode),
        // Flash: a version, and a length below 64 MiB.
        [b'F' | b'C' | b'Z', b'W', b'S', 1..=50, _, _, _, 0..=3, ..] => Some(Kind::ActiveDocument),
        // Python since 3.0: a number between 3000 and 4000, a line end, flags; before 3.0 between 60000 and 63000.
        [_, 0x0B..=0x0F | 0xEA..=0xF6, 0x0D, 0x0A, rest @ ..] => is_python(rest).then_some(Kind::Bytecode),
        _ => None,
    }
}

/// Flags or a time, and a code object where one has to stand.
fn is_python(rest: &[u8]) -> bool {
    let is_code = |at: usize| rest.get(at).is_some_and(|byte| matches!(byte, 0xE3 | 0x63));
    is_code(4) || is_code(8) || is_code(12)
}

/// A compound file: macros or an installer if it says so, and else a document that may have some.
fn compound(bytes: &[u8]) -> Option<(Kind, Strength)> {
    const MACROS: &[&[u8]] = &[
        b"_\0V\0B\0A\0",
        b"V\0B\0A\0\0\0",
        b"M\0a\0c\0r\0o\0s\0",
        b"Attribut\0e VB_",
        b"\x01\0O\0l\0e\x001\x000\0N\0a\0t",
        b"E\0q\0u\0a\0t\0i\0o\0n\0 \0N",
    ];
    const INSTALLER: &[u8] = b"\x84\x10\x0C\0\0\0\0\0\xC0\0\0\0\0\0\0\x46";
    if !bytes.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        return None;
    }
    if memmem::find(bytes, INSTALLER).is_some() {
        return Some((Kind::Package, Strength::Addressed));
    }
    let has_macros = MACROS.iter().any(|name| memmem::find(bytes, name).is_some());
    Some((Kind::MacroDocument, if has_macros { Strength::Addressed } else { Strength::Mentioned }))
}

/// A ZIP by the names in it.
fn archive(bytes: &[u8]) -> Option<(Kind, Strength)> {
    if bytes.starts_with(b"MSCF\0\0\0\0") {
        return Some((Kind::Archive, Strength::Mentioned));
    }
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    let mut names = memmem::find_iter(bytes, b"PK").filter_map(|at| entry_name(bytes.get(at..)?));
    names.find_map(kind_of_entry).map(|kind| (kind, Strength::Addressed))
}

/// The name in a local or a central header.
fn entry_name(header: &[u8]) -> Option<&[u8]> {
    let (length_at, name_at) = match header.get(2..4)? {
        b"\x03\x04" => (26, 30),
        b"\x01\x02" => (28, 46),
        _ => return None,
    };
    let length = usize::from(little_16(header, length_at)?);
    header.get(name_at..name_at + length)
}

fn kind_of_entry(name: &[u8]) -> Option<Kind> {
    const MACROS: &[&str] = &[
        "vbaproject.bin",
        "macrosheets/",
        "activex/activex",
        "embeddings/oleobject",
        "basic/standard/",
        "vbadata.xml",
        "scripts/python/",
        "basic/script-lc.xml",
    ];
    const CODE: &[&str] = &[
        ".exe",
        ".dll",
        ".so",
        ".dylib",
        ".class",
        ".dex",
        ".lnk",
        ".hta",
        ".scr",
        ".com",
        ".vbs",
        ".vbe",
        ".jse",
        ".wsf",
        ".msi",
        ".jar",
        ".xll",
        ".wll",
        ".pyc",
        ".pyd",
        ".wasm",
        ".bat",
        ".cmd",
        ".ps1",
        ".cpl",
        ".sys",
        ".apk",
        "appxmanifest.xml",
        ".o",
        ".a",
        ".ko",
        ".elf",
    ];
    let name = name.to_ascii_lowercase();
    let has = |part: &str| memmem::find(&name, part.as_bytes()).is_some();
    if MACROS.iter().any(|part| has(part)) {
        return Some(Kind::MacroDocument);
    }
    CODE.iter().any(|ending| name.ends_with(ending.as_bytes())).then_some(Kind::Archive)
}

fn little_16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn little_32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::super::place::Place;
    use super::super::super::view::View;
    use super::{Strength, at_start};

    fn name(bytes: &[u8]) -> Option<&'static str> {
        at_start(bytes)
            .filter(|hit| hit.strength == Strength::Addressed)
            .and_then(|hit| hit.rule.name.strip_prefix("payload/"))
    }

    /// A header of DOS whose PE header for the machine stands right behind it.
    fn portable(machine: u16) -> Vec<u8> {
        let mut bytes = b"MZ\x90\0\x03\0\0\0".to_vec();
        bytes.resize(0x3C, 0);
        bytes.extend(0x40_u32.to_le_bytes());
        bytes.extend(b"PE\0\0");
        bytes.extend(machine.to_le_bytes());
        bytes.extend([1, 0]);
        bytes.resize(0x80, 0);
        bytes
    }

    fn zip_entry(name: &str) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.resize(26, 0);
        bytes.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(name.as_bytes());
        bytes
    }

    #[test]
    fn programs_are_known_by_their_heads_whatever_the_machine() {
        for (bytes, kind) in [
            (&b"\x7fELF\x02\x01\x01\0"[..], "elf"),
            (b"\x7fELF\x01\x02\x01\0", "elf"),
            (b"\xCF\xFA\xED\xFE\x07\0\0\x01\x03\0\0\0\x02\0\0\0", "mach-o"),
            (b"\xFE\xED\xFA\xCE\0\0\0\x12\0\0\0\0\0\0\0\x06", "mach-o"),
            (b"\xCA\xFE\xBA\xBE\0\0\0\x02\x01\0\0\x07", "mach-o"),
            (b"\xCA\xFE\xBA\xBE\0\0\0\x3D\0\x1D\x0A\0", "bytecode"),
            (b"\0asm\x01\0\0\0", "wasm"),
            (b"\0asm\x0D\0\x01\0", "wasm"),
            (b"dex\n039\0", "bytecode"),
            (b"\x1bLua\x54\0", "bytecode"),
            (b"\xCB\x0D\x0D\x0A\0\0\0\0\x01\x02\x03\x04\x05\0\0\0\xE3\0", "bytecode"),
            (b"!<arch>\ndebian-binary   ", "package"),
            (b"\xED\xAB\xEE\xDB\x03\0", "package"),
            (b"L\0\0\0\x01\x14\x02\0\0\0\0\0\xC0\0\0\0\0\0\0F", "shortcut"),
            (b"CWS\x0F\x10\x20\0\0x\x9C", "active-document"),
        ] {
            assert_eq!(name(bytes), Some(kind), "{bytes:x?}");
        }
        for machine in [0x014C, 0x8664, 0xAA64, 0x01C4] {
            assert_eq!(name(&portable(machine)), Some("pe"), "{machine:x}");
        }
    }

    #[test]
    fn archives_and_documents_are_known_by_what_is_in_them() {
        for (entry, kind) in [
            ("word/vbaProject.bin", Some("macro-document")),
            ("xl/macrosheets/sheet1.xml", Some("macro-document")),
            ("a/B.class", Some("archive-of-code")),
            ("setup.exe", Some("archive-of-code")),
            ("word/document.xml", None),
            ("src/main.rs", None),
        ] {
            assert_eq!(name(&zip_entry(entry)), kind, "{entry}");
        }
        let mut compound = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
        compound.resize(512, 0);
        assert_eq!(at_start(&compound).map(|hit| hit.strength), Some(Strength::Mentioned));
        compound.extend(b"_\0V\0B\0A\0_\0P\0R\0O\0J\0");
        assert_eq!(name(&compound), Some("macro-document"));
    }

    #[test]
    fn text_and_pictures_that_begin_alike_are_not_programs() {
        for bytes in [
            &b"MZ is the mark of a DOS program, and then some"[..],
            b"ELF",
            b"\x7fELFISH",
            b"FWS: a table",
            b"PK and more",
            b"\xFF\xD8\xFF\xE0JFIF",
            b"\x89PNG\r\n\x1a\n",
            b"",
        ] {
            assert_eq!(at_start(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn a_program_behind_a_picture_is_found() {
        let programs = [
            portable(0x8664),
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3E\0\x01\0\0\0".to_vec(),
            b"\xCF\xFA\xED\xFE\x07\0\0\x01\x03\0\0\0\x02\0\0\0".to_vec(),
        ];
        for (program, kind) in programs.iter().zip(["payload/pe", "payload/elf", "payload/mach-o"]) {
            let mut bytes = b"\x89PNG\r\n\x1a\n pixels ".to_vec();
            bytes.extend(program);
            let mut hits = Vec::new();
            super::super::find(&View::whole(&bytes, Place::Artifact), &mut hits);
            assert!(
                hits.iter().any(|hit| hit.rule.name == kind && hit.strength == Strength::Addressed),
                "{kind} {hits:?}"
            );
        }
    }
}
