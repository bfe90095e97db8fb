//! Bundles to judge: the committed ones, in a folder of their own with the modes that git does not keep, or in memory.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use gatepost_content::RuleSet;
use gatepost_documents::digest::Digest;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::Severity;
use gatepost_documents::verdict::Verdict;
use gatepost_gate::bundle::{Bundle, Entry, Role};
use gatepost_gate::excerpt::{Excerpt, Renderer};
use gatepost_gate::facts::{Facts, SiteFacts};
use gatepost_gate::intake::{take_in, take_in_bundle};
use gatepost_gate::judge::judge;
use gatepost_gate::limits::Limits;
use gatepost_gate::submission::{Kind, Submission};
use tempfile::TempDir;

/// Where the vectors lie.
pub(crate) fn vectors() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The tests of the program lie with those of the whole.
    let own = package.join("gate/tests/vectors");
    if own.is_dir() { own } else { package.join("tests/vectors") }
}

/// A private copy of a committed bundle or bare document, which a test may edit.
pub(crate) struct BundleFolder {
    pub(crate) outbox: TempDir,
    /// The bundle's name, or the document's without its ending.
    pub(crate) name: String,
    kind: Kind,
}

impl BundleFolder {
    pub(crate) fn of(base: &str) -> Self {
        let base = vectors().join("base").join(base);
        let name = fs::read_dir(&base).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
        let outbox = TempDir::new().unwrap();
        copy(&base.join(&name), &outbox.path().join(&name));
        Self { outbox, name, kind: Kind::Bundle }
    }

    /// The only file of a folder, as a bare document.
    pub(crate) fn document(folder: &Path) -> Self {
        let name = fs::read_dir(folder).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
        let outbox = TempDir::new().unwrap();
        copy(&folder.join(&name), &outbox.path().join(&name));
        Self { outbox, name: name.strip_suffix(".md").unwrap().to_owned(), kind: Kind::BareDocument }
    }

    /// The folder that holds the document.
    pub(crate) fn path(&self) -> PathBuf {
        match self.kind {
            Kind::BareDocument => self.outbox.path().to_owned(),
            Kind::Bundle => self.outbox.path().join(&self.name),
        }
    }

    pub(crate) fn take_in(&self, limits: &Limits) -> Submission {
        let name = match self.kind {
            Kind::BareDocument => format!("{}.md", self.name),
            Kind::Bundle => self.name.clone(),
        };
        take_in(self.kind, self.outbox.path(), name.as_ref(), None, limits, RuleSet::built_in()).unwrap()
    }

    pub(crate) fn take_in_bundle(&self) -> Bundle {
        take_in_bundle(self.outbox.path(), self.name.as_ref(), None, &Limits::default(), RuleSet::built_in()).unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    let mode = if from.is_dir() { 0o755 } else { 0o644 };
    if from.is_dir() {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::write(to, fs::read(from).unwrap()).unwrap();
    }
    fs::set_permissions(to, Permissions::from_mode(mode)).unwrap();
}

/// A bundle in memory, kept as intake would make it while its files are edited.
#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) bytes: BTreeMap<String, Vec<u8>>,
    bundle: Bundle,
}

impl Files {
    pub(crate) fn of(base: &str) -> Self {
        let folder = BundleFolder::of(base);
        let bundle = folder.take_in_bundle();
        let read = |path: &str| (path.to_owned(), fs::read(folder.path().join(path)).unwrap());
        Self { bytes: bundle.files().map(|(path, ..)| read(path)).collect(), bundle }
    }

    pub(crate) fn name(&self) -> &str {
        &self.bundle.name
    }

    pub(crate) fn document(&self) -> String {
        format!("{}.md", self.name())
    }

    /// Gives the bundle another name; its files keep theirs.
    pub(crate) fn rename(&mut self, name: &str) {
        name.clone_into(&mut self.bundle.name);
        self.bundle.id = ResultId::parse(name).ok();
        self.bundle.bytes.clear();
        for (path, bytes) in std::mem::take(&mut self.bytes) {
            self.put(&path, bytes);
        }
    }

    /// Writes one file.
    pub(crate) fn put(&mut self, path: &str, bytes: Vec<u8>) {
        let bundle = &mut self.bundle;
        for (end, _) in path.match_indices('/') {
            bundle.entries.insert(path[..end].to_owned(), Entry::Folder);
        }
        let entry = Entry::File { bytes: bytes.len() as u64, digest: Digest::of(&bytes) };
        bundle.entries.insert(path.to_owned(), entry);
        match Role::at(path, &bundle.name) {
            Some(Role::Stdout) => {
                bundle.stdout = excerpt(&bytes);
                bundle.stdout_head = bytes[..bytes.len().min(16 * 1024)].to_vec();
            }
            Some(Role::Stderr) => {
                bundle.stderr = excerpt(&bytes);
                bundle.stderr_head = bytes[..bytes.len().min(64 * 1024)].to_vec();
            }
            Some(role) if role.is_read() => {
                if role == Role::Request {
                    bundle.request_path = Some(path.to_owned());
                }
                bundle.bytes.insert(role, bytes.clone());
            }
            _ => {}
        }
        self.bytes.insert(path.to_owned(), bytes);
    }

    /// Removes one file.
    pub(crate) fn remove(&mut self, path: &str) -> Vec<u8> {
        self.bundle.entries.remove(path);
        match Role::at(path, &self.bundle.name) {
            Some(Role::Stdout) => self.bundle.stdout = Excerpt::default(),
            Some(Role::Stderr) => self.bundle.stderr = Excerpt::default(),
            Some(role) => drop(self.bundle.bytes.remove(&role)),
            None => {}
        }
        self.bundle.request_path = self.bundle.request_path.take().filter(|request| request != path);
        self.bytes.remove(path).unwrap()
    }

    pub(crate) fn judge(&self) -> Verdict {
        judged(&Submission::Bundle(self.bundle.clone()), None)
    }

    /// Writes `SHA256SUMS` anew.
    pub(crate) fn seal(&mut self) {
        let line = |(path, _, digest): (&str, u64, Digest)| format!("{digest}  {path}\n");
        let sums: String = self.bundle.files().filter(|(path, ..)| *path != "SHA256SUMS").map(line).collect();
        self.put("SHA256SUMS", sums.into_bytes());
    }
}

fn excerpt(bytes: &[u8]) -> Excerpt {
    let mut renderer = Renderer::default();
    renderer.feed(bytes);
    renderer.finish()
}

/// The verdict at a fixed time.
pub(crate) fn judged(submission: &Submission, site: Option<SiteFacts>) -> Verdict {
    judge(submission, &Facts { site, ..Facts::without_site(now()) })
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// The codes that refuse in a verdict, each once, in their order.
pub(crate) fn codes(verdict: &Verdict) -> Vec<&'static str> {
    let refusing = verdict.reasons.iter().filter(|reason| reason.severity == Severity::Reject);
    let mut codes: Vec<_> = refusing.map(|reason| reason.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.into_iter().map(gatepost_documents::reason::Code::as_str).collect()
}
