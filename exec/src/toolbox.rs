//! The manifests of a site: `tools/*.clad.toml`, with the custom types of `toolclad.toml`, in tools/ or beside it.
//!
//! A manifest is found by its `[tool] name`, not by the name of its file. TOOL-EXEC looks at the files for each request and reads
//! changed ones again, so an operator's edit counts from the next request on. A manifest that does not pass its check is kept with its
//! reasons: requests for it get them, and other tools are unaffected. *Security*: the folder is the operator's own.

mod files;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::{Fault, OnPath, is_passing};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;

pub use files::Files;

use gatepost_contract::manifest::{CustomTypes, Manifest};

use crate::file_version::{Digests, FileVersion};
use crate::step_error::StepError;

const ENDING: &str = ".clad.toml";
const CUSTOM_TYPES_FILE: &str = "toolclad.toml";
/// The most bytes of a manifest.
const MANIFEST_BYTES_MAX: u64 = 256 * 1024;

/// A manifest with its bytes.
#[derive(Debug)]
pub struct Tool {
    /// The contract.
    pub manifest: Manifest,
    /// Its text.
    pub source: String,
    /// The digest of its text.
    pub sha256: Digest,
    /// Its file.
    pub path: PathBuf,
}

/// A parsed file of tools/: a tool, or its faults.
pub type Reading = Result<Arc<Tool>, Arc<Vec<Reason>>>;

/// A file of tools/ with its parsed content.
pub type Read = (PathBuf, Reading);

/// The valid tools of a listing by name, each with its entry. If several have one name, none of them may be called.
pub fn by_name(all: &[Read]) -> BTreeMap<&str, Vec<(&Read, &Tool)>> {
    let mut by_name = BTreeMap::<_, Vec<_>>::new();
    for entry in all {
        if let Ok(tool) = &entry.1 {
            by_name.entry(tool.manifest.name()).or_default().push((entry, &**tool));
        }
    }
    by_name
}

/// The manifests of a site, read on demand.
#[derive(Debug)]
pub struct Toolbox {
    folder: PathBuf,
    cache: Mutex<HashMap<PathBuf, (FileVersions, Reading)>>,
    digests: Digests,
}

/// The versions of a manifest and of the custom types, if there are any.
type FileVersions = [Option<FileVersion>; 3];

impl Toolbox {
    /// The manifests of a site.
    pub fn at(site: &Site) -> Self {
        Self { folder: site.tools(), cache: Mutex::default(), digests: Digests::default() }
    }

    /// The present files of a tool beside its manifest.
    pub fn files(&self, manifest: &Manifest) -> Result<Files, Fault> {
        files::files(&self.digests, &self.folder, manifest)
    }

    /// The digest of a program; reads the file again only if it changed.
    pub fn digest_of(&self, program: &Path) -> Result<Digest, Fault> {
        self.digests.of(program).map(|(digest, _)| digest).on("read", program)
    }

    /// The folder of the manifests and their scripts.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Every manifest file, sorted by path, with its parsed content.
    pub fn all(&self) -> Result<Vec<Read>, Fault> {
        let mut paths = Vec::new();
        for entry in self.folder.read_dir().on("list", &self.folder)? {
            let path = entry.on("list", &self.folder)?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING)) {
                paths.push(path);
            }
        }
        paths.sort();
        let [in_tools, beside] = types_files(&self.folder).map(|(path, _)| FileVersion::of(&path).ok());
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.retain(|path, _| paths.contains(path));
        let mut types = None;
        let mut all = Vec::with_capacity(paths.len());
        for path in paths {
            let file_version = [Some(FileVersion::of(&path).on("look at", &path)?), in_tools, beside];
            if let Some((known, reading)) = cache.get(&path)
                && *known == file_version
            {
                all.push((path, reading.clone()));
                continue;
            }
            let types = match &mut types {
                Some(types) => types,
                none => none.insert(custom_types(&self.folder)?),
            };
            let reading = read(&path, types)?;
            cache.insert(path.clone(), (file_version, reading.clone()));
            all.push((path, reading));
        }
        Ok(all)
    }

    /// The tool of a name.
    pub fn find(&self, name: &str) -> Result<Arc<Tool>, StepError> {
        let all = self.all()?;
        let mut found =
            all.iter().filter_map(|(_, reading)| reading.as_ref().ok()).filter(|tool| tool.manifest.name() == name);
        if let Some(tool) = found.next() {
            let Some(other) = found.next() else { return Ok(tool.clone()) };
            let [one, other] = [&tool.path, &other.path].map(|path| path.display());
            let message = format!("Two manifests are named {name}: {one} and {other}.");
            return Err(Reason::new(Code::ManifestInvalid, message, "Ask the operator to rename one of them.").into());
        }
        // An unreadable manifest has only its file's name.
        let own_file = format!("{name}{ENDING}");
        for (path, reading) in &all {
            if let Err(reasons) = reading
                && path.file_name().is_some_and(|file| file == own_file.as_str())
            {
                let message = format!("The manifest of {name} is not valid; its first error: {}", reasons[0]);
                let hint = format!("Ask the operator to run `gatepost tools check {name}`.");
                return Err(Reason::new(Code::ManifestInvalid, message, hint).into());
            }
        }
        let names: Vec<&str> =
            all.iter().filter_map(|(_, reading)| Some(reading.as_ref().ok()?.manifest.name())).collect();
        Err(unknown(name, &names).into())
    }
}

/// The custom types that a manifest in a folder may use: those of that folder and those beside it. A name in both files
/// is a fault.
pub fn custom_types(folder: &Path) -> Result<Result<CustomTypes, Vec<Reason>>, Fault> {
    let [inside, beside] = types_files(folder).map(|(path, name)| read_types(&path, name));
    Ok(match (inside?, beside?) {
        (Ok(types), Ok(more)) => types.with(more),
        (Err(reasons), _) | (_, Err(reasons)) => Err(reasons),
    })
}

/// The files of custom types for a folder of manifests, with their names relative to the site.
fn types_files(folder: &Path) -> [(PathBuf, &'static str); 2] {
    let beside = folder.parent().unwrap_or(folder).join(CUSTOM_TYPES_FILE);
    [(folder.join(CUSTOM_TYPES_FILE), "tools/toolclad.toml"), (beside, CUSTOM_TYPES_FILE)]
}

fn read_types(path: &Path, name: &str) -> Result<Result<CustomTypes, Vec<Reason>>, Fault> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(CustomTypes::parse(&text, name)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Ok(CustomTypes::default())),
        Err(error) if is_passing(&error) => Err(error).on("read", path),
        Err(error) => {
            let message = format!("{name} cannot be read: {error}.");
            Ok(Err(vec![Reason::new(Code::ManifestInvalid, message, "Make it a readable UTF-8 file.")]))
        }
    }
}

fn read(path: &Path, types: &Result<CustomTypes, Vec<Reason>>) -> Result<Reading, Fault> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let refused = |message: String, hint: &str| {
        Ok(Err(Arc::new(vec![Reason::new(Code::ManifestInvalid, message, hint).in_file(&*file)])))
    };
    let types = match types {
        Ok(types) => types,
        Err(reasons) => return Ok(Err(Arc::new(reasons.clone()))),
    };
    let bytes = regular_file::beginning(path, MANIFEST_BYTES_MAX + 1).on("read", path)?;
    if bytes.len() as u64 > MANIFEST_BYTES_MAX {
        return refused(format!("The manifest has more than {MANIFEST_BYTES_MAX} bytes."), "Make it smaller.");
    }
    let Ok(source) = String::from_utf8(bytes) else {
        return refused("The manifest is not valid UTF-8.".to_owned(), "Save it as UTF-8.");
    };
    Ok(match Manifest::parse(&source, &file, types) {
        Ok(manifest) => {
            let sha256 = Digest::of(source.as_bytes());
            Ok(Arc::new(Tool { manifest, source, sha256, path: path.to_owned() }))
        }
        Err(reasons) => Err(Arc::new(reasons)),
    })
}

/// The reason for an unknown tool, with the most similar names.
pub fn unknown(name: &str, names: &[&str]) -> Reason {
    let hint = match gatepost_contract::nearest::nearest(name, names.iter().copied()) {
        Some(near) => format!("Did you mean {near}? `gatepost tools list` shows every tool."),
        None => "`gatepost tools list` shows every tool.".to_owned(),
    };
    Reason::new(
        Code::ToolUnknown,
        format!("No manifest in tools/ is named {}.", gatepost_documents::text::quoted(name)),
        hint,
    )
}
