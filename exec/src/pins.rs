//! The pins of a site's tools: read, compared, written.
//!
//! ```text
//! keys/pins.toml ──read──▶ Pins ──state(tool, its files)──▶ pinned | changed | unpinned
//! ```
//!
//! The file is the operator's; only `gatepost tools pin` writes it. While TOOL-EXEC cannot read it, or others may write to it, no tool
//! is called.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gatepost_documents::digest::Digest;
use gatepost_documents::pins::{Demand, Pin, Pins, ToolFile};
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath, is_passing};
use gatepost_mailbox::keys;
use gatepost_mailbox::site::Site;

use crate::file_version::FileVersion;
use crate::step_error::StepError;
use crate::toolbox::Tool;

/// The name of the file in messages.
const FILE: &str = "keys/pins.toml";

const HEAD: &str = "# Digests of tools, written by `gatepost tools pin`. If a tool differs from its entry, TOOL-EXEC refuses it and the gate rejects its result.\n\n";

/// The file of the pins, read again after a change.
#[derive(Debug)]
pub struct PinFile {
    path: PathBuf,
    cache: Mutex<Option<(FileVersion, Arc<Pins>)>>,
}

/// The comparison of a tool with its pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It matches its pin.
    Pinned,
    /// It differs from its pin: the differences, a clause each.
    Changed(Vec<String>),
    /// It has no pin.
    Unpinned,
}

impl State {
    /// The name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Changed(_) => "changed",
            Self::Unpinned => "unpinned",
        }
    }

    /// The differences, if it changed.
    pub fn into_differences(self) -> Vec<String> {
        if let Self::Changed(differences) = self { differences } else { Vec::new() }
    }

    /// Why such a tool may not be called, if so.
    pub fn refusal(&self, tool: &str, demand: Demand) -> Option<Reason> {
        match self {
            Self::Changed(differences) => {
                let message = format!("The tool {tool} differs from {FILE}: {}.", differences.join("; "));
                let hint = format!(
                    "Ask the operator to review the change, and to run `gatepost tools pin {tool}` if it is right."
                );
                Some(Reason::new(Code::ToolChanged, message, hint))
            }
            Self::Unpinned if demand == Demand::Required => {
                let message = format!("{FILE} has no entry for the tool {tool}.");
                let hint = format!("Ask the operator to run `gatepost tools pin {tool}`.");
                Some(Reason::new(Code::ToolUnpinned, message, hint))
            }
            Self::Pinned | Self::Unpinned => None,
        }
    }
}

impl PinFile {
    /// That of a site.
    pub fn of(site: &Site) -> Self {
        Self { path: site.pins_file(), cache: Mutex::default() }
    }

    /// The pins; none without the file. An invalid file is a refusal with its place; one that others may
    /// write to is a fault, as with the lists of keys.
    pub fn read(&self) -> Result<Arc<Pins>, StepError> {
        let refused = |message, hint| Reason::new(Code::ValueInvalid, message, hint).in_file(FILE);
        let file_version = match FileVersion::of(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::default()),
            file_version => file_version.on("look at", &self.path)?,
        };
        keys::check_rights(&self.path)?;
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, pins)) = &*cache
            && *known == file_version
        {
            return Ok(pins.clone());
        }
        let text = match fs::read_to_string(&self.path) {
            Err(error) if !is_passing(&error) => {
                let hint = "Make it a UTF-8 file that the user of `gatepost exec` may read.";
                return Err(refused(format!("{FILE} cannot be read: {error}."), hint).into());
            }
            text => text.on("read", &self.path)?,
        };
        let pins: Pins = toml::from_str(&text).map_err(|error| {
            let hint = "Correct it, or restore a copy. `gatepost tools pin` would pin every tool as it is now: review each first.";
            let reason = refused(format!("{FILE} is wrong: {}.", error.message()), hint);
            error.span().map_or(reason.clone(), |span| reason.at_byte(&text, span.start))
        })?;
        let pins = Arc::new(pins);
        *cache = Some((file_version, pins.clone()));
        Ok(pins)
    }

    /// Replaces the pins.
    pub fn write(&self, pins: &Pins) -> Result<(), Fault> {
        let text = toml::to_string_pretty(pins).map_err(io::Error::other).on("write", &self.path)?;
        durable::replace(&self.path, format!("{HEAD}{text}").as_bytes())
    }
}

/// The pin for the present tool.
pub fn pin(tool: &Tool, files: &[ToolFile]) -> Pin {
    Pin { manifest_sha256: tool.sha256, programs: files.to_vec() }
}

/// Compares a tool with these files with its pin.
pub fn state(pins: &Pins, tool: &Tool, files: &[ToolFile]) -> State {
    match pins.tool.get(tool.manifest.name()) {
        None => State::Unpinned,
        Some(pinned) => match differences(pinned, &pin(tool, files)) {
            differences if differences.is_empty() => State::Pinned,
            differences => State::Changed(differences),
        },
    }
}

fn differences(pinned: &Pin, found: &Pin) -> Vec<String> {
    let short = |digest: Digest| digest.to_string()[..12].to_owned();
    let changed = |what: &str, from, to| format!("{what}, digest {}…, expected {}…", short(to), short(from));
    let mut differences = Vec::new();
    if pinned.manifest_sha256 != found.manifest_sha256 {
        differences.push(changed("manifest", pinned.manifest_sha256, found.manifest_sha256));
    }
    let is_same = |one: &ToolFile, other: &ToolFile| one.role == other.role && one.path == other.path;
    for file in &pinned.programs {
        let named = format!("{} {}", file.role, file.path);
        match found.programs.iter().find(|other| is_same(file, other)) {
            Some(other) if other.sha256 != file.sha256 => differences.push(changed(&named, file.sha256, other.sha256)),
            Some(_) => {}
            None => differences.push(format!("{named}, missing")),
        }
    }
    let new = found.programs.iter().filter(|file| !pinned.programs.iter().any(|other| is_same(file, other)));
    differences.extend(new.map(|file| format!("{} {}, not listed", file.role, file.path)));
    differences
}

#[cfg(test)]
mod tests {
    use gatepost_documents::pins::Role;

    use super::*;

    #[test]
    fn every_file_that_is_other_gone_or_new_is_told() {
        let file = |role, path: &str, text: &str| ToolFile {
            role,
            path: path.to_owned(),
            sha256: Digest::of(text.as_bytes()),
        };
        let pin = |manifest: &str, programs: &[ToolFile]| Pin {
            manifest_sha256: Digest::of(manifest.as_bytes()),
            programs: programs.to_vec(),
        };
        let binary = file(Role::Binary, "/usr/bin/wc", "1");
        let pinned = pin("m", std::slice::from_ref(&binary));
        assert_eq!(differences(&pinned, &pinned), [""; 0]);
        let moved = pin("n", &[file(Role::Binary, "/bin/wc", "1"), file(Role::Parser, "tools/p", "2")]);
        let found = differences(&pinned, &moved);
        assert_eq!(
            found[1..],
            ["binary /usr/bin/wc, missing", "binary /bin/wc, not listed", "parser tools/p, not listed"]
        );
        assert!(found[0].starts_with("manifest, digest 1b16b1df538b…, expected 62c66a7a5dd7…"), "{found:?}");
        let written = differences(&pinned, &pin("m", &[file(Role::Binary, "/usr/bin/wc", "2")]));
        assert_eq!(written, ["binary /usr/bin/wc, digest d4735e3a265e…, expected 6b86b273ff34…"]);
    }

    #[test]
    fn pins_that_others_may_write_to_are_not_used() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        fs::create_dir(site.keys()).unwrap();
        let file = PinFile::of(&site);
        file.write(&Pins::default()).unwrap();
        for (path, mode, is_used) in [
            (site.keys(), 0o755, true),
            (site.pins_file(), 0o666, false),
            (site.pins_file(), 0o664, false),
            (site.pins_file(), 0o644, true),
            (site.keys(), 0o777, false),
        ] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(file.read().is_ok(), is_used, "{} {mode:o}", path.display());
        }
    }

    #[test]
    fn only_what_changed_or_lacks_a_demanded_pin_is_refused() {
        let code = |state: State, demand| state.refusal("t", demand).map(|reason| reason.code);
        for (demand, unpinned) in [(Demand::Accepted, None), (Demand::Required, Some(Code::ToolUnpinned))] {
            assert_eq!(code(State::Pinned, demand), None);
            assert_eq!(code(State::Unpinned, demand), unpinned);
            assert_eq!(code(State::Changed(vec!["manifest".to_owned()]), demand), Some(Code::ToolChanged));
        }
    }
}
