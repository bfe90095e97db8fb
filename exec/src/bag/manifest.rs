//! A bag's manifest: a digest and a path a line. Pure.
//!
//! ```text
//! 3f0a…  data/results/TS-…/artifacts/out/na%25C3%25AFve.txt
//! ```
//!
//! *Security*: hostile input. Each path has one spelling: a path that is not a plain name of a bundle
//! (`documents/src/artifact_name.rs`) is refused, so no path has two encodings or leads out of the bag. *Standards*: RFC 8493, sections
//! 2.1.3 and 2.2.1; a percent sign is written `%25`, and plain names need no other escape.

use std::collections::BTreeMap;

use gatepost_documents::artifact_name;
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

use super::REASONS_MAX;

/// The digest of each file, by its path from the bag on.
pub type Manifest = BTreeMap<String, Digest>;

const HINT: &str =
    "Make the bag again with `gatepost export`, or with another program that follows RFC 8493, and use plain names.";

/// The text of a manifest.
pub fn format(files: &Manifest) -> String {
    let line = |(path, digest): (&String, &Digest)| format!("{digest}  {}\n", path.replace('%', "%25"));
    files.iter().map(line).collect::<Vec<_>>().concat()
}

/// Reads one; `file` is its name.
pub fn parse(bytes: &[u8], file: &str) -> Result<Manifest, Vec<Reason>> {
    let invalid = |message: &str| Reason::new(Code::ValueInvalid, message, HINT).in_file(file);
    let text = std::str::from_utf8(bytes).map_err(|_| vec![invalid("It is not UTF-8 text.")])?;
    let (mut files, mut reasons) = (Manifest::new(), Vec::new());
    for (number, line) in (1..).zip(lines(text)) {
        let read = entry(line).and_then(|(path, digest)| match files.insert(path.clone(), digest) {
            None => Ok(()),
            Some(_) => Err((Code::ValueInvalid, format!("It names {} twice.", quoted(&path)))),
        });
        let reason = |(code, message)| Reason { line: Some(number), ..Reason::new(code, message, HINT).in_file(file) };
        reasons.extend(read.map_err(reason).err());
        if reasons.len() >= REASONS_MAX {
            break;
        }
    }
    if reasons.is_empty() { Ok(files) } else { Err(reasons) }
}

/// The lines of a tag file: they end with LF, CR or both, the last one perhaps with none.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let is_empty = text.is_empty();
    let lines = text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'));
    lines.filter(move |_| !is_empty)
}

fn entry(line: &str) -> Result<(String, Digest), (Code, String)> {
    let form = || (Code::ValueInvalid, "The line is not a SHA-256 digest, a space and a path.".to_owned());
    let (digest, path) = line.split_once([' ', '\t']).ok_or_else(form)?;
    let path = path.trim_start_matches([' ', '\t']);
    let digest = Digest::parse(&digest.to_ascii_lowercase()).map_err(|_| form())?;
    let decoded = path.replace("%25", "\0");
    if decoded.contains('%') {
        let message = format!("{} contains a percent sign that is not written %25.", quoted(path));
        return Err((Code::NameInvalid, message));
    }
    let decoded = decoded.replace('\0', "%");
    if path.contains('\0') {
        return Err((Code::NameHostile, format!("The path {} contains a hostile character.", quoted(path))));
    }
    path_fault(&decoded).map_or(Ok((decoded, digest)), |(code, fault)| {
        Err((code, format!("The path {} cannot be used: {fault}.", quoted(path))))
    })
}

/// The fault of a path in a bag, if any.
pub fn path_fault(path: &str) -> Option<(Code, &'static str)> {
    path.split('/').find_map(|component| artifact_name::fault(component.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str) -> String {
        format!("{}  {path}\n", Digest::of(b""))
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let digest = Digest::of(b"x");
        let files = Manifest::from(["data/a", "data/na%C3%AFve", "bagit.txt"].map(|path| (path.to_owned(), digest)));
        let text = format(&files);
        assert!(text.contains("  data/na%25C3%25AFve\n"), "{text}");
        assert_eq!(parse(text.as_bytes(), "manifest-sha256.txt"), Ok(files));
        assert_eq!(parse(b"", "manifest-sha256.txt"), Ok(Manifest::new()));
        // The package `bagit` of Python writes one space.
        assert_eq!(parse(text.replace("  ", " ").as_bytes(), "manifest-sha256.txt"), parse(text.as_bytes(), "m"));
    }

    #[test]
    fn digits_and_line_ends_are_those_of_any_program() {
        let files = parse((line("data/a") + &line("data/b")).as_bytes(), "m").unwrap();
        let (a, b) = (line("data/a"), line("data/b"));
        for text in [
            format!("{a}{b}").trim_end().to_owned(),
            format!("{a}{b}").replace('\n', "\r\n"),
            format!("{a}{b}").replace('\n', "\r"),
            format!("{a}{b}").replace(&a[..64], &a[..64].to_uppercase()),
        ] {
            assert_eq!(parse(text.as_bytes(), "m").as_ref(), Ok(&files), "{text:?}");
        }
    }

    #[test]
    fn a_path_that_leads_elsewhere_or_has_two_spellings_is_refused_with_its_line() {
        for (path, code) in [
            ("data/../x", Code::PathEscapes),
            ("../x", Code::PathEscapes),
            ("/etc/passwd", Code::PathEscapes),
            ("data//x", Code::PathEscapes),
            ("data/./x", Code::PathEscapes),
            ("data/x/", Code::PathEscapes),
            ("~/x", Code::NameHostile),
            ("data/na\u{ef}ve", Code::NameHostile),
            ("data/nai\u{308}ve", Code::NameHostile),
            ("data/a\\b", Code::NameHostile),
            ("data/a\0b", Code::NameHostile),
            ("data/a b", Code::NameHostile),
            ("*data/x", Code::NameHostile),
            ("data/%41", Code::NameInvalid),
            ("data/%2e%2e/x", Code::NameInvalid),
            ("data/a%0Ab", Code::NameInvalid),
            ("data/%2541", Code::NameInvalid),
            ("", Code::PathEscapes),
        ] {
            let reasons = parse((line("data/good") + &line(path)).as_bytes(), "m").unwrap_err();
            assert_eq!((reasons[0].code, reasons[0].line), (code, Some(2)), "{path:?}: {}", reasons[0].message);
        }
    }

    #[test]
    fn a_manifest_that_names_a_file_twice_has_an_empty_line_or_is_of_another_algorithm_is_refused() {
        let short = "d41d8cd98f00b204e9800998ecf8427e  data/x\n".to_owned();
        for text in [line("data/x").repeat(2), short, line("data/x") + "\n" + &line("data/y")] {
            assert_eq!(parse(text.as_bytes(), "m").unwrap_err()[0].code, Code::ValueInvalid, "{text}");
        }
        assert_eq!(parse(b"\xff", "m").unwrap_err().len(), 1);
        assert_eq!(parse("x\n".repeat(1_000).as_bytes(), "m").unwrap_err().len(), REASONS_MAX);
    }
}
