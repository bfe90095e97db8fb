//! `gatepost check`: checks any file against the rules that apply to it; runs and moves nothing.
//!
//! A request, its folder, a manifest, a result or a bundle is read as such. Every other file counts as tool output and
//! meets the content rules. *Security*: files and their names may be hostile. Shown text is escaped, and no line of a
//! file or bundle with a secret is shown.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File as Input};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use chrono::Utc;
use clap::ArgGroup;
use gatepost_content::{Place, RuleSet};
use gatepost_contract::config::Config;
use gatepost_contract::manifest::{CustomTypes, Manifest};
use gatepost_contract::request::{Form, REQUEST_BYTES_MAX};
use gatepost_exec::context::Context;
use gatepost_exec::toolbox;
use gatepost_gate::check as gate;
use gatepost_gate::facts::Facts;
use gatepost_gate::policy::{Policy, SitePolicy};
use gatepost_mailbox::regular_file;

use super::bar;
use super::context as source;
use super::verify::judgeable;
use crate::cli::prelude::*;

mod request;
mod rules;
mod sarif;
mod tally;

/// `gatepost check`
pub(super) const DECLARATION: Declaration = Declaration::safe("check", either::<Checked, rules::Rules<'static>>)
    .writes(&[Write::temporary("gatepost-request-")])
    .anywhere()
    .prints_data(&["--sarif"])
    .answers_each("results", "path")
    .fails(&[
        ErrorCode::InitRequired,
        ErrorCode::ConfigInvalid,
        ErrorCode::FileNotFound,
        ErrorCode::DocumentRejected,
        ErrorCode::PartialFailure,
    ]);

#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("looked_at").args(["files", "rules"]).required(true),
    after_help = "Examples:\n  gatepost check TR-20260209-160501Z-count.md   a request\n  gatepost check TR-20260209-160501Z-count/     its folder\n  gatepost check core/inbound/TS-…/             a bundle\n  \
    gatepost check --as prose notes.txt           text that a result would show as its own\n  gatepost check --sarif *.log > findings.sarif"
)]
pub(super) struct Arguments {
    /// Requests (TR-….md, TR-….json, TR-… folders), manifests (*.clad.toml), bundles (TS-… folders), results (TS-….md), or any other file.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check other files as text at this place of a result.
    #[arg(long = "as", value_enum, default_value = "artifact", value_name = "PLACE")]
    place: As,
    /// Print a SARIF 2.1.0 log instead.
    #[arg(long)]
    sarif: bool,
    /// List the content rules, with the site's own, and exit; a rule of the site that fails its examples is an error.
    #[arg(long, conflicts_with = "sarif")]
    rules: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum As {
    Prose,
    Rendered,
    Results,
    Artifact,
}

#[derive(Serialize, JsonSchema)]
struct Checked {
    /// Messages quote the files, such as their keys.
    _trusted: bool,
    #[serde(flatten)]
    each: Each<File>,
}

/// One file with its findings.
#[derive(Serialize, JsonSchema)]
pub(super) struct File {
    path: PathBuf,
    kind: &'static str,
    ok: bool,
    reasons: Vec<Reason>,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

impl File {
    fn new(path: &Path, kind: &'static str, reasons: Vec<Reason>) -> Self {
        let ok = !reasons.iter().any(|reason| reason.severity == Severity::Reject);
        Self { path: path.to_owned(), kind, ok, reasons, error: None }
    }

    fn unread(path: &Path, failure: Failure) -> Self {
        Self { ok: false, error: Some(failure), ..Self::new(path, "unread", Vec::new()) }
    }

    fn summary(&self) -> String {
        if let Some(Failure { message, .. }) = &self.error {
            return format!("NOT CHECKED  {}: {message}\n", shown(self.path.as_os_str()));
        }
        let flags = self.reasons.iter().filter(|reason| reason.severity == Severity::Flag).count();
        let word = if self.ok { "ok     " } else { "REFUSED" };
        let counts = match (self.reasons.len() - flags, flags) {
            (0, 0) => String::new(),
            (0, flags) => format!(", {}", counted(flags, "flag")),
            (refusing, 0) => format!(", {}", counted(refusing, "reason")),
            (refusing, flags) => format!(", {}, {}", counted(refusing, "reason"), counted(flags, "flag")),
        };
        format!("{word}  {} ({}{counts})\n", shown(self.path.as_os_str()), self.kind)
    }

    /// One reason in the style of a compiler.
    /// `explained`: include the hint, which is printed once for all reasons that share it.
    fn describe(&self, reason: &Reason, explained: bool) -> String {
        let word = if reason.severity == Severity::Flag { "flag" } else { "refused" };
        let name = reason.rule.as_deref().map_or(String::new(), |rule| format!(" ({rule})"));
        let file = reason.file.as_deref().unwrap_or_default();
        let place = match (reason.line, reason.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            _ => file.to_owned(),
        };
        let mut text = format!("\n  {word}: {}{name}\n", reason.code);
        if !place.is_empty() {
            text += &format!("   --> {place}\n");
        }
        for line in self.lines_around(reason).unwrap_or_default().lines() {
            text += &format!("   {line}\n");
        }
        text += &format!("   {}\n", reason.message);
        if let Some(places) = reason.other_places(str::to_owned) {
            text += &format!("   also in {places}\n");
        }
        if explained {
            text += &format!("   next: {}\n", reason.hint);
        }
        if let Some(because) = &reason.lowered_because {
            text += &format!("   lowered by gate.toml: {because}\n");
        }
        text
    }

    /// The source around a reason; none for a secret, because text beside one often contains more of it.
    fn lines_around(&self, reason: &Reason) -> Option<String> {
        let (line, column) = (reason.line?, reason.column?);
        if self.reasons.iter().any(|other| other.code == Code::Secret) {
            return None;
        }
        let path = if self.path.is_dir() { self.path.join(reason.file.as_deref()?) } else { self.path.clone() };
        source::around(BufReader::new(Input::open(path).ok()?), line, column)
    }
}

/// A name that is safe on a terminal: letters of every language stay, unprintable characters are escaped.
fn shown(name: &OsStr) -> String {
    name.to_string_lossy().chars().flat_map(char::escape_debug).collect()
}

impl View for Checked {
    fn text(&self) -> String {
        let describe = |file: &File| {
            let mut hints = BTreeSet::new();
            let reasons: String =
                file.reasons.iter().map(|reason| file.describe(reason, hints.insert(&reason.hint))).collect();
            let end = if reasons.is_empty() { "" } else { "\n" };
            format!("{}{reasons}{end}", file.summary())
        };
        self.each.results.iter().map(describe).collect()
    }
}

pub(super) fn run(at: Option<&Path>, arguments: &Arguments) -> Result<Outcome, Failure> {
    let site = Site::around(at)?;
    if arguments.rules {
        return Ok(rules::list(&site.rules));
    }
    let check = |path: &PathBuf| {
        let checked = match path.try_exists() {
            Ok(false) => Err(Failure::file_not_found(path)),
            _ => site.check(path, arguments.place.place()),
        };
        checked.unwrap_or_else(|failure| File::unread(path, failure))
    };
    let results: Vec<File> = bar::over("Checking", &arguments.files).map(check).collect();
    let failure = tally::failure(&results);
    if arguments.sarif {
        return Ok(Outcome::document(&sarif::log(&results, &site.rules), failure));
    }
    let checked = Checked { _trusted: false, each: Each::of(results, |file| file.ok) };
    Ok(Outcome::ended(&checked, failure))
}

impl As {
    fn place(self) -> Place {
        match self {
            Self::Prose => Place::Prose,
            Self::Rendered => Place::Rendered,
            Self::Results => Place::Results,
            Self::Artifact => Place::Artifact,
        }
    }
}

/// The settings of the surrounding site, if any: the clock skew, and the weights of content rules.
struct Site {
    clock_skew: chrono::Duration,
    policy: Policy,
    rules: RuleSet,
    /// Absent without a site.
    context: Option<Context>,
}

impl Site {
    fn around(at: Option<&Path>) -> Result<Self, Failure> {
        let open = match super::site::open(at) {
            Ok(open) => open,
            Err(failure) if at.is_none() && failure.code == ErrorCode::InitRequired => {
                let clock_skew = Config::default().inbox.clock_skew();
                return Ok(Self {
                    clock_skew,
                    policy: Policy::default(),
                    rules: RuleSet::built_in().clone(),
                    context: None,
                });
            }
            Err(failure) => return Err(failure),
        };
        let SitePolicy { policy, rules, .. } = SitePolicy::read(&open.site).map_err(|reason| {
            let file = reason.file.clone().unwrap_or_default();
            Failure::refused(ErrorCode::ConfigInvalid, &file, vec![reason])
        })?;
        Ok(Self {
            clock_skew: open.config.inbox.clock_skew(),
            policy,
            rules,
            context: Some(Context::new(open.site, open.config)?),
        })
    }

    fn check(&self, path: &Path, place: Place) -> Result<File, Failure> {
        let name = shown(path.file_name().unwrap_or_default());
        let found = fs::metadata(path).on("find", path)?;
        if found.is_dir() {
            return if name.starts_with("TR-") {
                self.request_folder(path)
            } else {
                self.as_result(path, &name, place)
            };
        }
        if !found.is_file() {
            let message = format!("{name} is a device, a pipe or a socket, which may never end.");
            return Err(Failure::usage(message, "Write its bytes into a file and check that."));
        }
        if name.ends_with(".clad.toml") {
            let text = String::from_utf8_lossy(&bounded(path)?).into_owned();
            let manifest = Manifest::parse(&text, &name, &custom_types(path)?);
            let reasons = manifest.map_or_else(|faults| faults, |manifest| manifest.warnings().to_vec());
            return Ok(File::new(path, "manifest", reasons));
        }
        let form =
            if name.ends_with(".md") { Some(Form::Markdown) } else { name.ends_with(".json").then_some(Form::Json) };
        if let Some(form) = form
            && let Some(bytes) = request_bytes(path, &name, form)?
        {
            return match request::own_folder(path) {
                Some(folder) => Ok(File { path: path.to_owned(), ..self.request_folder(&folder)? }),
                None => self.request_file(path, &bytes, form),
            };
        }
        self.as_result(path, &name, place)
    }

    /// Reads any other file as the gate reads it.
    fn as_result(&self, path: &Path, name: &str, place: Place) -> Result<File, Failure> {
        let facts = Facts { rules: self.rules.clone(), ..Facts::without_site(Utc::now()) };
        let checked = gate::check(judgeable(path)?, name, place, &self.policy, &facts)?;
        Ok(File::new(&checked.path, checked.kind, checked.reasons))
    }
}

/// Reads at most one byte more than a request may have.
fn bounded(path: &Path) -> Result<Vec<u8>, Fault> {
    regular_file::beginning(path, REQUEST_BYTES_MAX as u64 + 1).on("read", path)
}

/// The bytes of a file that is named like a request, or whose type is a request's.
fn request_bytes(path: &Path, name: &str, form: Form) -> Result<Option<Vec<u8>>, Failure> {
    let is_named_so = name.starts_with("TR-");
    if !is_named_so && fs::metadata(path).on("find", path)?.len() > REQUEST_BYTES_MAX as u64 {
        return Ok(None);
    }
    let bytes = bounded(path)?;
    let is_one = is_named_so || is_request(&bytes, form);
    Ok(is_one.then_some(bytes))
}

/// Whether the front matter, or the object, has the type of a request; a text that only contains the word does not.
fn is_request(bytes: &[u8], form: Form) -> bool {
    const KEY: &str = "request_type";
    const TYPE: &str = "tool_request";
    match form {
        Form::Json => {
            let value: Result<serde_json::Value, _> = serde_json::from_slice(bytes);
            value.is_ok_and(|value| value.get(KEY).is_some_and(|kind| kind == TYPE))
        }
        Form::Markdown => {
            let text = String::from_utf8_lossy(bytes);
            let mut lines = text.lines();
            let is_type = |line: &str| line.strip_prefix(KEY).is_some_and(|rest| rest.contains(TYPE));
            lines.next() == Some("---") && lines.take_while(|line| *line != "---").any(is_type)
        }
    }
}

/// The custom types in and beside the folder of a manifest, if there are any.
fn custom_types(manifest: &Path) -> Result<CustomTypes, Failure> {
    let refused = |reasons| Failure::refused(ErrorCode::DocumentRejected, "toolclad.toml", reasons);
    let path = std::path::absolute(manifest).on("find", manifest)?;
    toolbox::custom_types(path.parent().unwrap_or(&path))?.map_err(refused)
}
