//! `gate.toml`: an operator's demands on results.
//!
//! Only the gate reads it, so that nothing that TOOL-EXEC does, and nothing that `gatepost.toml` says, can lower what the
//! gate demands. Every key has a default, and [`TEMPLATE`] states each with it. An unknown key is an error, because a
//! misspelt demand must not silently be none; and while the file is wrong, the gate judges nothing.
//!
//! *Standards*: TOML 1.1.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::confinement::Demand;
use crate::submission::Kind;
use gatepost_content::RuleSet;
use gatepost_documents::clock::APPROVAL_AGE_HOURS;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{ApprovalMode, Signatures, is_fingerprint};
use gatepost_documents::pins;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::{GATE_CONFIG_FILE, Site};

mod entry;
mod file;
mod rules;

pub(crate) use file::PolicyFile;
pub use gatepost_content::weighing::{Content, Decision, Weighing};
pub use gatepost_mailbox::quarantine::Retention;

/// The commented file that a new site begins with: every key at its default.
pub const TEMPLATE: &str = include_str!("policy/gate.toml");

const HINT: &str = "Run `gatepost init --print-config=gate.toml` to see every key with its meaning and default.";

/// What a site's gate requires.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Which approvals are valid.
    pub approval: Approval,
    /// Whether requests need signatures.
    pub inbox: Inbox,
    /// Which sandbox a tool needs.
    pub sandbox: Sandbox,
    /// Which tools may have run.
    pub tools: Tools,
    /// Which other results are accepted.
    pub accept: Accept,
    /// How findings in content count.
    pub content: Content,
    /// How the gate confines itself, and what it accepts.
    pub gate: Gate,
    /// Which key signs accepted results.
    pub attestation: Attestation,
    /// How long quarantined items stay.
    pub quarantine: Retention,
}

/// `[gate]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Gate {
    /// Whether a gate that cannot confine itself still judges.
    pub confinement: Demand,
    /// Whether the gate accepts bare documents of `ThreeGate`'s form, after the checks that they allow.
    pub accept_foreign: bool,
}

/// `[attestation]`, read when the gate starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Attestation {
    /// The file of an Ed25519 key, relative to the site. The gate creates the default file if it is missing.
    pub key: PathBuf,
    /// The fingerprint, `SHA256:…`, of a key in an ssh-agent that signs instead; empty for none.
    #[serde(deserialize_with = "fingerprint_or_none")]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^(SHA256:[A-Za-z0-9+/]{43})?$")))]
    pub agent: String,
}

impl Default for Attestation {
    fn default() -> Self {
        Self { key: PathBuf::from("var/gate/attestation.key"), agent: String::new() }
    }
}

fn fingerprint_or_none<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let error = || serde::de::Error::custom("expected the fingerprint of a key, `SHA256:…`, as `ssh-add -l` shows it");
    if text.is_empty() || is_fingerprint(&text) { Ok(text) } else { Err(error()) }
}

/// `[approval]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Approval {
    /// The weakest form of a valid approval.
    pub mode: ApprovalMode,
    /// The maximum age of a request with signed approvals, in hours: a signature covers the request's time and has none of its own.
    pub max_age_hours: u32,
}

impl Default for Approval {
    fn default() -> Self {
        Self { mode: ApprovalMode::Signature, max_age_hours: APPROVAL_AGE_HOURS }
    }
}

/// `[inbox]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Inbox {
    /// Whether the requester must sign each request that runs.
    pub signatures: Signatures,
}

/// `[tools]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Tools {
    /// Whether a tool must be pinned.
    pub pins: pins::Demand,
}

/// `[accept]`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Accept {
    /// Whether the gate accepts results of learn mode.
    pub learn_mode: bool,
}

/// `[sandbox]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Sandbox {
    /// The weakest level at which the tool of an accepted result may have run.
    pub minimum: SandboxLevel,
    /// SHA-256 digests of the launcher programs that count as `full`; all others count as `none`.
    pub launchers: Vec<Digest>,
}

/// The demands of a site's gate, and the files that state them.
#[derive(Debug, Clone)]
pub struct SitePolicy {
    /// What it demands.
    pub policy: Policy,
    /// SHA-256 of the file's bytes. A missing file equals an empty one, and has its digest.
    pub sha256: Digest,
    /// The rules on content: the program's, and those in the site's `rules/`.
    pub rules: RuleSet,
}

impl SitePolicy {
    /// Reads the site's `gate.toml`, without which every key has its default, and its rules.
    pub fn read(site: &Site) -> Result<Self, Reason> {
        let (rules, (policy, sha256)) = (rules::read(site)?, Policy::read_file(site)?);
        Ok(Self { policy, sha256, rules })
    }

    /// What the entry `name` of a folder is taken for on this site.
    pub fn kind_of(&self, folder: &Path, name: &OsStr) -> Kind {
        Kind::decide(folder, name, self.policy.gate.accept_foreign)
    }
}

impl Policy {
    /// Reads the site's `gate.toml`; without one, every key has its default.
    pub fn read(site: &Site) -> Result<Self, Reason> {
        Self::read_file(site).map(|(policy, _)| policy)
    }

    /// The same, with the digest of the file; no rules are put together for it.
    fn read_file(site: &Site) -> Result<(Self, Digest), Reason> {
        let bytes = match regular_file::read(&site.gate_config_file(), DOCUMENT_MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| {
                let hint = "Make it a regular file of at most 1 MiB that the gate's user may read.";
                Reason::new(Code::ValueInvalid, format!("Cannot read the file: {error}."), hint)
                    .in_file(GATE_CONFIG_FILE)
            })?,
        };
        let sha256 = Digest::of(&bytes);
        let text = String::from_utf8(bytes).map_err(|error| {
            let message = format!("The file is not valid UTF-8 at byte {}.", error.utf8_error().valid_up_to() + 1);
            Reason::new(Code::NotUtf8, message, "Save it as UTF-8.").in_file(GATE_CONFIG_FILE)
        })?;
        Ok((Self::parse(&text)?, sha256))
    }

    /// Reads the text of a `gate.toml`.
    pub fn parse(text: &str) -> Result<Self, Reason> {
        toml::from_str(text).map_err(|error| {
            let refused = |message| Reason::new(Code::ValueInvalid, message, HINT).in_file(GATE_CONFIG_FILE);
            if let Some((byte, message)) = entry::fault(text) {
                return refused(message).at_byte(text, byte);
            }
            let reason = refused(format!("{}.", error.message()));
            match error.span() {
                Some(span) => reason.at_byte(text, span.start),
                None => reason,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_template_states_every_key_with_its_default() {
        let template: toml::Table = toml::from_str(TEMPLATE).unwrap();
        assert_eq!(template, toml::Table::try_from(Policy::default()).unwrap());
    }

    #[test]
    fn the_example_of_the_template_can_be_used_unchanged() {
        let lines = TEMPLATE.lines().filter_map(|line| line.strip_prefix("#   "));
        let example: Vec<&str> = lines.collect();
        let content: Content = toml::from_str(&example.join("\n")).unwrap();
        assert_eq!((content.severity.len(), content.tool.len()), (1, 1), "{example:?}");
    }

    #[test]
    fn a_demand_that_cannot_be_understood_is_an_error_with_its_place() {
        for (text, place, part) in [
            ("[sandbox]\n minimun = 'none'\n", (2, 2), "minimun"),
            ("[sandbox]\nminimum = 'some'\n", (2, 11), "some"),
            ("[sandbox]\nlaunchers = ['AB']\n", (2, 13), "digest"),
            ("[gate]\nconfinement = 'off'\n", (2, 15), "off"),
            ("[sandbox\n", (1, 9), ""),
            ("[contents]\n", (1, 2), "contents"),
            ("[sandbox]\nminimum = 'none'\nminimum = 'full'\n", (3, 1), "duplicate"),
            ("[content]\nseverity = 1\n", (2, 12), "sequence"),
            ("[attestation]\nagent = 'SHA256:x'\n", (2, 9), "fingerprint"),
        ] {
            let reason = Policy::parse(text).unwrap_err();
            assert_eq!((reason.line, reason.column), (Some(place.0), Some(place.1)), "{reason}");
            assert!(reason.message.contains(part), "{reason}");
        }
    }

    #[test]
    fn a_wrong_entry_is_named_with_its_place_and_what_is_allowed() {
        let good = "  { code = 'secret', severity = 'reject' },";
        for (entry, column, part) in [
            ("{ code = 'secrets', severity = 'flag' }", 12, "use one of secret, executable_payload"),
            ("{ code = 'symlink', severity = 'reject' }", 12, "not a content code"),
            ("{ code = 'budget_exceeded', severity = 'flag', because = 'x' }", 12, "cannot be changed"),
            ("{ rule = 'hidden/nothing', severity = 'reject' }", 12, "gatepost check --rules"),
            ("{ code = 'secret', severity = 'low' }", 33, "reject or flag"),
            ("{ code = 'secret', place = 'stdout', severity = 'flag' }", 30, "rendered, results or artifact"),
            ("{ code = 'secret', place = 'prose', severity = 'flag', because = 'x' }", 30, "prose cannot"),
            ("{ code = 'secret', sevrity = 'flag' }", 22, "there is no key \"sevrity\"; use one of code, rule"),
            ("{ code = 'secret', severity = 'flag', because = 1 }", 51, "text in quotes"),
            ("{ code = 'secret', severity = 'flag', because = ' ' }", 51, "because"),
            ("{ code = 'secret', severity = 'flag' }", 3, "needs `because"),
            ("{ code = 'secret' }", 3, "`severity` is missing"),
            ("{ severity = 'reject' }", 3, "neither"),
        ] {
            let text = format!("[content]\nseverity = [\n{good}\n  {entry},\n]\n");
            let reason = Policy::parse(&text).unwrap_err();
            assert_eq!((reason.line, reason.column), (Some(4), Some(column)), "{reason}");
            assert!(reason.message.starts_with("Entry 2 of ") && reason.message.contains(part), "{reason}");
        }
    }

    #[test]
    fn only_a_missing_file_means_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        let file = site.gate_config_file();
        let (policy, sha256) = (Policy::default(), Digest::of(b""));
        let read = SitePolicy::read(&site).unwrap();
        assert_eq!((read.policy, read.sha256), (policy, sha256));
        let text = "[sandbox]\nminimum = 'landlock'\n";
        fs::write(&file, text).unwrap();
        let stated = SitePolicy::read(&site).unwrap();
        assert_eq!(
            (stated.policy.sandbox.minimum, stated.sha256),
            (SandboxLevel::Landlock, Digest::of(text.as_bytes()))
        );
        fs::write(&file, b"[sandbox]\nminimum = 'none' # \xff\n").unwrap();
        assert_eq!(Policy::read(&site).unwrap_err().code, Code::NotUtf8);
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("nowhere", &file).unwrap();
        assert!(Policy::read(&site).is_err());
    }
}
