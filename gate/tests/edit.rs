//! The edits that a vector makes to a bundle, what cannot be a file in git among them.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use gatepost_documents::digest::Digest;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde::Deserialize;

use crate::bundle_folder::BundleFolder;

/// One edit. Paths are in the bundle; `DOCUMENT` means the document's own.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Edit {
    /// Writes a file of this text.
    Write { path: String, text: String },
    /// Appends a text, or bytes in hexadecimal.
    Append {
        path: String,
        #[serde(default)]
        text: String,
        #[serde(default)]
        hex: String,
    },
    /// Puts a text before all others.
    Prepend { path: String, text: String },
    /// Replaces a text that must be there, everywhere in the file.
    Replace { path: String, find: String, with: String },
    /// Puts a text, given in parts, behind one that must be there.
    Insert { path: String, after: String, parts: Vec<String> },
    /// Puts one letter many times in the place of a text that must be there.
    Grow { path: String, find: String, letters: usize },
    /// Replaces a text in the document and in the evidence.
    ReplaceBoth { find: String, with: String },
    /// Removes a file or folder.
    Remove { path: String },
    /// Gives a file or folder another name.
    Rename { path: String, to: String },
    /// Gives the bundle's folder another name, and the document with it.
    RenameBundle { to: String },
    /// Sets a mode, in octal.
    Chmod { path: String, mode: String },
    /// Makes a symbolic link.
    Symlink { path: String, to: PathBuf },
    /// Makes a second name for a file, outside the bundle.
    Hardlink { path: String },
    /// Makes a FIFO.
    Fifo { path: String },
    /// Makes an empty folder.
    Folder { path: String },
    /// Makes this many files in `artifacts/out/`.
    Files { count: usize },
    /// Makes a file of this size without content.
    Sparse { path: String, bytes: u64 },
    /// Puts a file in the place of the whole bundle.
    NoFolder,
    /// Puts other content into a file below `artifacts/out/`, and its size into the document. What must not stand literally in
    /// a repository is given in parts, bytes in hexadecimal.
    Artifact {
        path: String,
        #[serde(default)]
        parts: Vec<String>,
        #[serde(default)]
        hex: String,
    },
    /// The same, of the parts as a gzip stream.
    Compressed { path: String, parts: Vec<String>, times: usize },
    /// The same, of the parts in UTF-16 with a byte order mark.
    Utf16 { path: String, parts: Vec<String> },
}

impl Edit {
    pub(crate) fn apply(&self, folder: &mut BundleFolder) {
        let document = format!("{}.md", folder.name);
        let at = |path: &String| folder.path().join(path.replace("DOCUMENT", &document));
        match self {
            Self::Write { path, text } => write(&at(path), text.as_bytes()),
            Self::Append { path, text, hex } => {
                let mut file = File::options().append(true).open(at(path)).unwrap();
                file.write_all(text.as_bytes()).unwrap();
                file.write_all(&bytes(hex)).unwrap();
            }
            Self::Prepend { path, text } => {
                write(&at(path), &[text.as_bytes(), &fs::read(at(path)).unwrap()].concat());
            }
            Self::Replace { path, find, with } => replace(&at(path), find, with),
            Self::Insert { path, after, parts } => replace(&at(path), after, &[after, &*parts.concat()].concat()),
            Self::Grow { path, find, letters } => replace(&at(path), find, &"x".repeat(*letters)),
            Self::ReplaceBoth { find, with } => {
                replace(&at(&document), find, with);
                replace(&at(&"evidence.json".to_owned()), find, with);
            }
            Self::Remove { path } if at(path).is_dir() => fs::remove_dir_all(at(path)).unwrap(),
            Self::Remove { path } => fs::remove_file(at(path)).unwrap(),
            Self::Rename { path, to } => fs::rename(at(path), at(to)).unwrap(),
            Self::RenameBundle { to } => {
                fs::rename(at(&document), at(&format!("{to}.md"))).unwrap();
                if folder.path() != folder.outbox.path() {
                    fs::rename(folder.path(), folder.outbox.path().join(to)).unwrap();
                }
                folder.name.clone_from(to);
            }
            Self::Chmod { path, mode } => {
                let mode = u32::from_str_radix(mode, 8).unwrap();
                fs::set_permissions(at(path), Permissions::from_mode(mode)).unwrap();
            }
            Self::Symlink { path, to } => symlink(to, at(path)).unwrap(),
            Self::Hardlink { path } => fs::hard_link(at(path), folder.outbox.path().join("second name")).unwrap(),
            Self::Fifo { path } => mknodat(CWD, at(path), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap(),
            Self::Folder { path } => make_folder(&at(path)),
            Self::Files { count } => {
                let file = |number| at(&format!("artifacts/out/{number:04}"));
                (0..*count).for_each(|number| write(&file(number), b""));
            }
            Self::Sparse { path, bytes } => {
                write(&at(path), b"");
                File::options().write(true).open(at(path)).unwrap().set_len(*bytes).unwrap();
            }
            Self::NoFolder => {
                fs::remove_dir_all(folder.path()).unwrap();
                write(&folder.path(), b"");
            }
            Self::Artifact { path, parts, hex } => {
                artifact(folder, path, &[parts.concat().into_bytes(), bytes(hex)].concat());
            }
            Self::Compressed { path, parts, times } => {
                artifact(folder, path, &gzip(parts.concat().repeat(*times).as_bytes()));
            }
            Self::Utf16 { path, parts } => {
                let units = std::iter::once(0xFEFF).chain(parts.concat().encode_utf16().collect::<Vec<_>>());
                artifact(folder, path, &units.flat_map(u16::to_le_bytes).collect::<Vec<_>>());
            }
        }
    }
}

fn write(path: &Path, bytes: &[u8]) {
    let parent = path.parent().unwrap();
    if !parent.exists() {
        make_folder(parent);
    }
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
}

fn make_folder(path: &Path) {
    let parent = path.parent().unwrap();
    if !parent.exists() {
        make_folder(parent);
    }
    fs::create_dir(path).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// Writes a file below `artifacts/` and states its size where the document lists it.
fn artifact(folder: &BundleFolder, path: &str, bytes: &[u8]) {
    write(&folder.path().join("artifacts").join(path), bytes);
    let document = folder.path().join(format!("{}.md", folder.name));
    let begins = format!("- [`/{path}`]");
    let size = if bytes.len() == 1 { "1 byte".to_owned() } else { format!("{} bytes", bytes.len()) };
    let line = |line: &str| match line.strip_prefix(&begins).and_then(|rest| rest.rsplit_once('(')) {
        Some((rest, _)) => format!("{begins}{rest}({size})"),
        None => line.to_owned(),
    };
    let text = fs::read_to_string(&document).unwrap();
    assert!(text.contains(&begins), "the document does not list {path}");
    fs::write(&document, text.split('\n').map(line).collect::<Vec<_>>().join("\n")).unwrap();
}

/// A gzip file (RFC 1952) of one member.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    // A reader of the content alone ignores the checksum.
    [&header[..], &miniz_oxide::deflate::compress_to_vec(bytes, 6), &[0; 8]].concat()
}

fn replace(path: &Path, find: &str, with: &str) {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains(find), "{} does not hold {find:?}", path.display());
    fs::write(path, text.replace(find, with)).unwrap();
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    hex.as_bytes().chunks(2).map(digits).collect()
}

/// The digests of a bundle's files, to find them again after edits.
pub(crate) fn digests(folder: &BundleFolder) -> BTreeMap<String, Digest> {
    let bundle = folder.take_in_bundle();
    bundle.files().map(|(path, _, digest)| (path.to_owned(), digest)).collect()
}

/// Makes digests right again after edits: those of changed files wherever the evidence and the document state them,
/// then that of the evidence, then the list of all.
pub(crate) fn reseal(folder: &BundleFolder, before: &BTreeMap<String, Digest>) {
    let document = format!("{}.md", folder.name);
    restate(folder, before, &["evidence.json", &document], |path| path != "evidence.json" && path != document);
    restate(folder, before, &[&document], |path| path == "evidence.json");
    let line = |(path, digest): (String, Digest)| (path != "SHA256SUMS").then(|| format!("{digest}  {path}\n"));
    let sums: String = digests(folder).into_iter().filter_map(line).collect();
    write(&folder.path().join("SHA256SUMS"), sums.as_bytes());
}

fn restate(
    folder: &BundleFolder,
    before: &BTreeMap<String, Digest>,
    files: &[&str],
    is_restated: impl Fn(&str) -> bool,
) {
    let after = digests(folder);
    for file in files {
        let path = folder.path().join(file);
        // A file that is no text states no digest that could be made right.
        let Ok(mut text) = fs::read_to_string(&path) else { continue };
        for (changed, digest) in after.iter().filter(|(path, _)| is_restated(path)) {
            if let Some(stale) = before.get(changed).filter(|stale| *stale != digest) {
                text = text.replace(&stale.to_string(), &digest.to_string());
            }
        }
        fs::write(&path, text).unwrap();
    }
}
