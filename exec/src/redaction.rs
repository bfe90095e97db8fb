//! Replaces secret values in a stored stream, or in a text, by `[redacted:NAME]`.
//!
//! It runs only if a manifest names secrets. One pass, in memory that does not grow with the file, in time linear in its size for any
//! content. The longest form at the leftmost place wins. Of a value with several lines it also searches for each line, except lines
//! shorter than a value may be, because programs print lines one by one.
//!
//! Security: reads hostile bytes. It guards against a tool that echoes a secret, not against one that hides it: any other encoding, an
//! encoding within another, a raw value that is broken, or one cut off by the byte limit passes. The replaced bytes may remain in free
//! blocks of the disk, and the values in the memory of the search.

mod base;
mod caseless;
mod fold;
mod form;
mod reference;
mod search;

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use aho_corasick::BuildError;
use gatepost_documents::digest::{Digest, Hasher};

pub use caseless::CaselessSearch;
use form::Forms;
use search::{Cursor, Place, Search};

/// Fewest bytes of a value. A shorter one is in any output by chance: replacing it would spoil the output, and
/// the gaps would reveal the value.
pub const VALUE_BYTES_MIN: usize = 4;

/// Most bytes of a value: bounds the memory of the search.
pub const VALUE_BYTES_MAX: usize = 4 * 1024;

/// The window: a few times the longest match, which is searched twice.
const CHUNK_BYTES: usize = 512 * 1024;

/// A secret to search for.
#[derive(Clone, Copy)]
pub struct Secret<'a> {
    /// The name in its replacement.
    pub name: &'a str,
    /// Its value.
    pub value: &'a [u8],
}

/// Why a stream could not be redacted. Its file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RedactionError {
    /// The value is too short or too long to search for.
    #[error(
        "failed to search for the secret {name:?}: it has {bytes} bytes, expected {VALUE_BYTES_MIN} to {VALUE_BYTES_MAX}"
    )]
    ValueLength {
        /// The secret's name.
        name: String,
        /// Its length.
        bytes: usize,
    },
    /// All values together are too large.
    #[error("failed to search for the secrets: {0}")]
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

/// The result of a redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redacted {
    /// The number of replaced places.
    pub count: u64,
    /// The digest of the new bytes.
    pub digest: Digest,
    /// The number of the new bytes.
    pub bytes: u64,
}

/// The forms of a value, and of each of its lines that is long enough.
fn forms(value: &[u8]) -> impl Iterator<Item = Forms> {
    let lines = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut parts: Vec<&[u8]> = lines.filter(|line| line.len() >= VALUE_BYTES_MIN).chain([value]).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.into_iter().map(Forms::of)
}

/// A search for a set of secrets.
pub struct Redactor(Search);

/// The replacement of a secret.
pub fn label(name: &str) -> String {
    format!("[redacted:{name}]")
}

impl Redactor {
    /// Prepares the search for all forms of these secrets.
    pub fn new(secrets: &[Secret<'_>]) -> Result<Self, RedactionError> {
        let mut named = Vec::new();
        for Secret { name, value } in secrets {
            if !(VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&value.len()) {
                return Err(RedactionError::ValueLength { name: (*name).to_owned(), bytes: value.len() });
            }
            named.extend(forms(value).map(|forms| (*name, forms)));
        }
        Ok(Self(Search::new(named)?))
    }

    /// The text without secrets and the number of replaced places, if there are any; `label` gets a secret's name.
    pub fn replaced(&self, text: &str, label: impl Fn(&str) -> String) -> Option<(String, u64)> {
        let text = text.as_bytes();
        let places = self.0.places(text, &mut Cursor::default(), text.len());
        let (mut replaced, mut written) = (Vec::new(), 0);
        let count = write(text, &places, text.len(), &mut written, label, |bytes| {
            replaced.extend_from_slice(bytes);
            Ok(())
        });
        let count = count.ok().filter(|count| *count > 0)?;
        Some((String::from_utf8_lossy(&replaced).into_owned(), count))
    }

    /// Replaces them in the file at `path`, by a new file if there is any match. The first `lines_kept`
    /// lines, which are short, stay unchanged.
    #[allow(clippy::disallowed_methods, reason = "before the artifact is sealed, which flushes it")]
    pub fn redact(&self, path: &Path, lines_kept: usize) -> Result<Redacted, RedactionError> {
        let mut staging = path.as_os_str().to_owned();
        staging.push(".redacting");
        let staging = PathBuf::from(staging);
        let replace = || -> io::Result<Redacted> {
            let mut source = BufReader::new(File::open(path)?);
            let permissions = source.get_ref().metadata()?.permissions();
            let target = File::options().write(true).create_new(true).open(&staging)?;
            let redacted = target.set_permissions(permissions).and_then(|()| {
                let mut kept = Vec::new();
                (0..lines_kept).try_for_each(|_| source.read_until(b'\n', &mut kept).map(drop))?;
                self.stream(&kept, source, target, CHUNK_BYTES)
            });
            match redacted {
                Ok(redacted) if redacted.count > 0 => fs::rename(&staging, path).map(|()| redacted),
                unused => fs::remove_file(&staging).and(unused),
            }
        };
        replace().map_err(|source| RedactionError::File { path: path.to_owned(), source })
    }

    /// Writes `kept`, and then the source without secrets.
    fn stream(
        &self,
        kept: &[u8],
        mut source: impl Read,
        target: impl Write,
        chunk_bytes: usize,
    ) -> io::Result<Redacted> {
        let mut output = Output { target: BufWriter::new(target), hasher: Hasher::default(), bytes: 0 };
        output.write(kept)?;
        let overlap = self.0.bytes_max().saturating_sub(1);
        let (mut window, mut cursor, mut written, mut count) = (Vec::new(), Cursor::default(), 0, 0);
        loop {
            let wanted = chunk_bytes.max(overlap + 1);
            let end = source.by_ref().take(wanted as u64).read_to_end(&mut window)? < wanted;
            // A match that begins before this place is entirely in the window.
            let decided = if end { window.len() } else { uncut(&window, window.len().saturating_sub(overlap)) };
            let places = self.0.places(&window, &mut cursor, decided);
            count += write(&window, &places, decided, &mut written, label, |bytes| output.write(bytes))?;
            window.drain(..decided);
            written -= decided;
            if end {
                output.target.flush()?;
                return Ok(Redacted { count, digest: output.hasher.finish(), bytes: output.bytes });
            }
        }
    }
}

/// The last place up to `end` that splits no escape and no reference.
fn uncut(window: &[u8], end: usize) -> usize {
    let end = end - usize::from(window[..end].ends_with(b"\\"));
    reference::outside(window, end)
}

/// Writes the unwritten part of a window, up to `decided`, with a label for each match; returns their number. The part
/// of a match beyond an overlapping one gets its own label.
fn write(
    window: &[u8],
    places: &[Place<'_>],
    decided: usize,
    written: &mut usize,
    label: impl Fn(&str) -> String,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<u64> {
    let mut count = 0;
    for Place { name, range } in places {
        if range.end > *written {
            write(&window[*written..range.start.max(*written)])?;
            write(label(name).as_bytes())?;
            (*written, count) = (range.end, count + 1);
        }
    }
    if decided > *written {
        write(&window[*written..decided])?;
        *written = decided;
    }
    Ok(count)
}

/// Hashes the bytes that it writes.
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
        let summary = Redactor::new(&secrets).unwrap().stream(&[], text.as_bytes(), &mut out, chunk_bytes).unwrap();
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

    /// What `base64`, Python's `base64.encodebytes` with the line ends of mail, `xxd -p` and `od -tx1` write of two secrets.
    #[test]
    fn an_encoded_secret_is_replaced_however_its_characters_are_parted() {
        let pem =
            "-----BEGIN KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\n-----END KEY-----";
        let secrets = [("PEM", pem), ("TOKEN", "ghp_0123456789abcdefghij")];
        for (text, expected) in [
            (
                "LS0tLS1CRUdJTiBLRVktLS0tLQpiM0JsYm5OemFDMXJaWGt0ZGpFQUFBQUFCRzV2Ym1VQUFBQUVi\r\n\
                 bTl1WlFBQUFBQUFBQUFCQUFBQU13QUFBQXR6Ci0tLS0tRU5EIEtFWS0tLS0tCg==\r\n",
                "[redacted:PEM]Cg==\r\n",
            ),
            ("dXNlcjpnaHBfMDEyMzQ1Njc4OWFi\nY2RlZmdoaWo=\n", "dXNlcjp[redacted:TOKEN]\n"),
            (r#""dXNlcjpnaHBfMDEyMzQ1Njc4OWFi\nY2RlZmdoaWo=\n""#, r#""dXNlcjp[redacted:TOKEN]\n""#),
            ("6768705f3031323334353637383961\n62636465666768696a\n", "[redacted:TOKEN]\n"),
            ("67:68:70:5F:30:31:32:33:34:35:36:37:\n    38:39:61:62:63:64:65:66:67:68:69:6A", "[redacted:TOKEN]"),
            (" 67 68 70 5f 30 31 32 33 34 35 36 37\n 38 39 61 62 63 64 65 66 67 68 69 6a", " [redacted:TOKEN]"),
            (
                "0x67, 0x68, 0x70, 0x5f, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37,\n  0x38, 0x39, 0x61, 0x62, 0x63, 0x64, \
                 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a\n",
                "0x[redacted:TOKEN]\n",
            ),
            (
                "b'\\x67\\x68\\x70\\x5f\\x30\\x31\\x32\\x33\\x34\\x35\\x36\\x37\\x38\\x39\\x61\\x62\\x63\\x64\\x65\\x66\\x67\\x68\\x69\\x6a'",
                "b'[redacted:TOKEN]'",
            ),
            ("GHP_0123456789ABCDEFGHIJ", "[redacted:TOKEN]"),
            ("M5UHAXZQGEZDGNBV\nGY3TQOLBMJRWIZLGM5UGS2Q=", "[redacted:TOKEN]"),
            ("ghp_0123456789\nabcdefghij", "ghp_0123456789\nabcdefghij"),
        ] {
            assert_eq!(redacted(&secrets, text, CHUNK_BYTES), expected);
            assert_eq!(redacted(&secrets, text, 1), expected);
        }
    }

    /// As Go, Handlebars, Mustache, PHP and OWASP's encoders write it, and as some write everything.
    #[test]
    fn a_secret_is_replaced_whichever_of_its_characters_are_references() {
        let value = "S3cr/t+Va\"lue='9q";
        let secrets = [("KEY", value), ("NAME", "\u{e9}t\u{e9}!")];
        let all = |written: &dyn Fn(u32) -> String| value.chars().map(|character| written(character.into())).collect();
        let [decimal, hexadecimal, padded]: [String; 3] = [
            all(&|code| format!("&#{code};")),
            all(&|code| format!("&#x{code:X};")),
            all(&|code| format!("&#{code:07};")),
        ];
        for text in [
            "S3cr/t&#43;Va&#34;lue=&#39;9q",
            "S3cr/t+Va&quot;lue&#x3D;&#x27;9q",
            "S3cr&#x2F;t+Va&quot;lue&#x3D;&#39;9q",
            "S3cr/t+Va&quot;lue=&#039;9q",
            "S3cr&sol;t&plus;Va&quot;lue&equals;&apos;9q",
            "S3cr&#47;t&#x2b;Va&#34lue='9q",
            r"S3cr/t&#43;Va\&#34;lue='9q",
            &decimal,
            &hexadecimal,
            &padded,
        ] {
            let text = format!("<p>{text}</p> &amp; &#233;t&#xE9;!");
            for chunk_bytes in [1, CHUNK_BYTES] {
                let expected = "<p>[redacted:KEY]</p> &amp; [redacted:NAME]";
                assert_eq!(redacted(&secrets, &text, chunk_bytes), expected, "{text}");
            }
        }
    }

    #[test]
    fn a_secret_is_replaced_where_it_lost_its_case_unless_it_is_short() {
        let secrets = [("KEY", "S3cr3t-Value"), ("SHORT", "PASS")];
        assert_eq!(redacted(&secrets, "x-s3cr3t-value: 1, pass", CHUNK_BYTES), "x-[redacted:KEY]: 1, pass");
    }

    #[test]
    fn no_byte_of_a_secret_stays_where_two_overlap() {
        let secrets = [("HEX", "3132333435363738"), ("VALUE", "12345678")];
        assert_eq!(redacted(&secrets, "313233343536373 8", 1), "[redacted:VALUE]");
        let secrets = [("HEX", "hex 3132333"), ("VALUE", "12345678")];
        assert_eq!(redacted(&secrets, "hex 3132333435363738.", 1), "[redacted:HEX][redacted:VALUE].");
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
            let redacted = redactor.redact(&path, 0).unwrap();
            assert_eq!((redacted.count, redacted.digest), (count, Digest::of(expected.as_bytes())));
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    proptest! {
        #[test]
        fn the_places_where_a_file_is_cut_into_chunks_do_not_show(
            text in r"(abcd|abcdab|ab|c|%61|YWJjZA|d|MTIz|NDU2Nz|g5|31|32 |\n|:|\\|n| {30}|4\n5 6| cd NDU|&#97;|&#x6|2;|0x31|,|0x3|&|&#9|8|;|&lt;|b){0,60}",
            chunk_bytes in 1usize..40,
        ) {
            let secrets = [("A", "abcd"), ("B", "abcdab"), ("C", "cccc"), ("D", "12345678"), ("E", "d MTIzNDU2")];
            prop_assert_eq!(redacted(&secrets, &text, chunk_bytes), redacted(&secrets, &text, CHUNK_BYTES));
        }
    }
}
