//! Replaces secret values in a stored stream, or in a text, by `[redacted:NAME]`.
//!
//! It runs only when a manifest names secrets. One pass, in memory that does not grow with the file, in time linear in
//! its size whatever it holds. The longest form at the leftmost place wins. Of a value with several lines each line is looked
//! for as well, but for those that are shorter than a value may be: programs print them one by one.
//!
//! Security: reads hostile bytes. It guards against a tool that echoes a secret, not against one that hides it: any
//! other encoding, a value that is broken where no form is, or one cut off by the byte limit passes. The bytes that are replaced
//! may still lie in free blocks of the disk, and the values in the memory of the search.

mod caseless;
mod form;

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, MatchKind};
use gatepost_documents::digest::{Digest, Hasher};

pub use caseless::CaselessSearch;

/// Fewest bytes of a value. A shorter one stands in any output by chance: to replace it would spoil the output, and
/// show the value by what is missing.
pub const VALUE_BYTES_MIN: usize = 4;

/// Most bytes of a value: bounds the memory of the search.
pub const VALUE_BYTES_MAX: usize = 4 * 1024;

const CHUNK_BYTES: usize = 128 * 1024;

/// A secret to look for.
#[derive(Clone, Copy)]
pub struct Secret<'a> {
    /// What stands in its place.
    pub name: &'a str,
    /// Its value.
    pub value: &'a [u8],
}

/// Why a stream could not be redacted. Its file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RedactionError {
    /// The value has too few or too many bytes to be looked for.
    #[error(
        "failed to look for the secret {name:?}: it has {bytes} bytes, expected {VALUE_BYTES_MIN} to {VALUE_BYTES_MAX}"
    )]
    ValueLength {
        /// The secret's name.
        name: String,
        /// Its length.
        bytes: usize,
    },
    /// All values together are too large.
    #[error("failed to look for the secrets: {0}")]
    TooMany(#[from] BuildError),
    /// The file could not be read or replaced.
    #[error("failed to redact {path:?}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// What a redacted stream is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redacted {
    /// How many places were replaced.
    pub count: u64,
    /// The digest of the bytes as they are now.
    pub digest: Digest,
    /// How many they are.
    pub bytes: u64,
}

/// The forms of a value, and of each of its lines that is long enough to be looked for.
fn forms(value: &[u8]) -> Vec<Vec<u8>> {
    let lines = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut parts: Vec<&[u8]> = lines.filter(|line| line.len() >= VALUE_BYTES_MIN).chain([value]).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.into_iter().flat_map(form::forms).collect()
}

/// Looks for a set of secrets.
pub struct Redactor {
    automaton: AhoCorasick,
    /// By pattern.
    names: Vec<String>,
}

/// What stands in the place of a secret.
pub fn label(name: &str) -> String {
    format!("[redacted:{name}]")
}

impl Redactor {
    /// Prepares the search for all forms of these secrets.
    pub fn new(secrets: &[Secret<'_>]) -> Result<Self, RedactionError> {
        let (mut patterns, mut names) = (Vec::new(), Vec::new());
        for Secret { name, value } in secrets {
            if !(VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&value.len()) {
                return Err(RedactionError::ValueLength { name: (*name).to_owned(), bytes: value.len() });
            }
            let forms = forms(value);
            names.extend(forms.iter().map(|_| (*name).to_owned()));
            patterns.extend(forms);
        }
        // The kind whose building is linear in the patterns; a DFA's is not, by a factor of the alphabet.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(patterns)?;
        Ok(Self { automaton, names })
    }

    /// The text without secrets, and how many places were replaced, if there were any; `label` is given a secret's name.
    pub fn replaced(&self, text: &str, label: impl Fn(&str) -> String) -> Option<(String, u64)> {
        let (mut replaced, mut written, mut count) = (Vec::new(), 0, 0);
        for found in self.automaton.find_iter(text) {
            replaced.extend_from_slice(&text.as_bytes()[written..found.start()]);
            replaced.extend(label(&self.names[found.pattern()]).into_bytes());
            (written, count) = (found.end(), count + 1);
        }
        replaced.extend_from_slice(&text.as_bytes()[written..]);
        (count > 0).then(|| (String::from_utf8_lossy(&replaced).into_owned(), count))
    }

    /// Replaces them in the file at `path`, by a new file in its place if there was anything to replace.
    #[allow(clippy::disallowed_methods, reason = "before the artifact is sealed, which flushes it")]
    pub fn redact(&self, path: &Path) -> Result<Redacted, RedactionError> {
        let mut staging = path.as_os_str().to_owned();
        staging.push(".redacting");
        let staging = PathBuf::from(staging);
        let replace = || -> io::Result<Redacted> {
            let source = File::open(path)?;
            let permissions = source.metadata()?.permissions();
            let target = File::options().write(true).create_new(true).open(&staging)?;
            let redacted = target.set_permissions(permissions).and_then(|()| self.stream(source, target, CHUNK_BYTES));
            match redacted {
                Ok(redacted) if redacted.count > 0 => fs::rename(&staging, path).map(|()| redacted),
                unused => fs::remove_file(&staging).and(unused),
            }
        };
        replace().map_err(|source| RedactionError::File { path: path.to_owned(), source })
    }

    fn stream(&self, mut source: impl Read, target: impl Write, chunk_bytes: usize) -> io::Result<Redacted> {
        let mut output = Output { target: BufWriter::new(target), hasher: Hasher::default(), bytes: 0 };
        let overlap = self.automaton.max_pattern_len().saturating_sub(1);
        let (mut window, mut count) = (Vec::new(), 0);
        loop {
            let wanted = chunk_bytes.max(overlap + 1);
            let end = source.by_ref().take(wanted as u64).read_to_end(&mut window)? < wanted;
            // What begins before this place lies in the window to its last byte.
            let decided = if end { window.len() } else { window.len().saturating_sub(overlap) };
            let mut written = 0;
            for found in self.automaton.find_iter(&window).take_while(|found| found.start() < decided) {
                output.write(&window[written..found.start()])?;
                output.write(label(&self.names[found.pattern()]).as_bytes())?;
                written = found.end();
                count += 1;
            }
            let kept = written.max(decided);
            output.write(&window[written..kept])?;
            window.drain(..kept);
            if end {
                output.target.flush()?;
                return Ok(Redacted { count, digest: output.hasher.finish(), bytes: output.bytes });
            }
        }
    }
}

/// Hashes what it writes.
struct Output<W: Write> {
    target: BufWriter<W>,
    hasher: Hasher,
    bytes: u64,
}

impl<W: Write> Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.target.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn redacted(secrets: &[(&str, &str)], text: &str, chunk_bytes: usize) -> String {
        let secrets: Vec<_> = secrets.iter().map(|(name, value)| Secret { name, value: value.as_bytes() }).collect();
        let mut out = Vec::new();
        let summary = Redactor::new(&secrets).unwrap().stream(text.as_bytes(), &mut out, chunk_bytes).unwrap();
        assert_eq!((summary.digest, summary.bytes), (Digest::of(&out), out.len() as u64));
        assert_eq!(summary.count, out.windows(10).filter(|window| window == b"[redacted:").count() as u64);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_form_of_a_secret_is_replaced_and_the_longest_wins() {
        let secrets = [("KEY", "hunter2 & co"), ("LONG", "hunter2 & company"), ("OTHER", "zzzz")];
        for (text, expected) in [
            ("a hunter2 & co b", "a [redacted:KEY] b"),
            ("hunter2 & company", "[redacted:LONG]"),
            ("hunter2 & hunter2 & co", "hunter2 & [redacted:KEY]"),
            ("q=hunter2%20%26%20co&x", "q=[redacted:KEY]&x"),
            ("q=hunter2+%26+co&x", "q=[redacted:KEY]&x"),
            ("68756E7465723220262063 6f", "68756E7465723220262063 6f"),
            ("68756E74657232202620636F", "[redacted:KEY]"),
            ("Basic aHVudGVyMiAmIGNv", "Basic [redacted:KEY]"),
            ("zzzzzzzz", "[redacted:OTHER][redacted:OTHER]"),
            ("", ""),
        ] {
            assert_eq!(redacted(&secrets, text, CHUNK_BYTES), expected);
        }
    }

    #[test]
    fn a_value_of_hostile_length_is_refused() {
        for (length, accepted) in [(0, false), (3, false), (4, true), (4096, true), (4097, false)] {
            let secrets = [Secret { name: "KEY", value: &vec![b'x'; length] }];
            assert_eq!(Redactor::new(&secrets).is_ok(), accepted, "{length}");
        }
    }

    #[test]
    fn a_file_is_replaced_whole_and_left_alone_without_a_match() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stdout.txt");
        let redactor = Redactor::new(&[Secret { name: "KEY", value: b"hunter2" }]).unwrap();
        fs::write(&path, "it is hunter2\n").unwrap();
        let expected = "it is [redacted:KEY]\n";
        for count in [1, 0] {
            let redacted = redactor.redact(&path).unwrap();
            assert_eq!((redacted.count, redacted.digest), (count, Digest::of(expected.as_bytes())));
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    proptest! {
        #[test]
        fn the_places_where_a_file_is_cut_into_chunks_do_not_show(
            text in "(abcd|abcdab|ab|c|%61|YWJjZA|d){0,60}",
            chunk_bytes in 1usize..40,
        ) {
            let secrets = [("A", "abcd"), ("B", "abcdab"), ("C", "cccc")];
            prop_assert_eq!(redacted(&secrets, &text, chunk_bytes), redacted(&secrets, &text, CHUNK_BYTES));
        }
    }
}
