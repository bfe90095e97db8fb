//! Metadata of an invocation: its command, times, site and configuration.
//!
//! *Standards*: CLI Agent Spec, REQ-F-022 to REQ-F-028 and REQ-F-039; `TOOL_TRACE_ID` is named there.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_mailbox::site::{CONFIG_FILE, GATE_CONFIG_FILE};
use serde_json::{Value, json};

use crate::cli::prelude::*;
use crate::cli::presentation::SCHEMA_VERSION;

/// The variable with the trace id of a chain of calls.
const TRACE_VARIABLE: &str = "TOOL_TRACE_ID";
/// The longest trace id that is repeated.
const TRACE_BYTES_MAX: usize = 128;
/// The most bytes of a configuration file.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;

/// One invocation.
#[derive(Debug)]
pub(crate) struct Invocation<'a> {
    /// Its unique id.
    pub id: &'a str,
    /// The command; none if the arguments name no command.
    pub declaration: Option<&'static Declaration>,
    /// The first word of the arguments that is not a flag.
    pub first_word: &'a str,
    /// When it began.
    pub started: DateTime<Utc>,
    /// When it ended.
    pub completed: DateTime<Utc>,
    /// Its timeout.
    pub timeout: Option<Duration>,
    /// The site, if one was found.
    pub site: Option<&'a Path>,
    /// Its configuration.
    pub configuration: &'a Configuration,
    /// Whether it was a dry run.
    pub is_dry_run: bool,
}

impl Invocation<'_> {
    /// Its duration.
    pub(crate) fn duration_ms(&self) -> i64 {
        (self.completed - self.started).num_milliseconds().max(0)
    }

    /// `meta` of the document. `stable` omits values that differ between calls.
    pub(crate) fn meta(&self, exit: u8, stable: bool) -> Value {
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Millis, true);
        let sources: Vec<_> = self.configuration.sources.iter().map(|path| path.to_string_lossy()).collect();
        let duration = if stable { 0 } else { self.duration_ms() };
        let mut meta = json!({
            "schema_version": SCHEMA_VERSION,
            "command": self.declaration.map_or("", |declaration| declaration.path),
            "argv1": self.first_word,
            "exit_code": exit,
            "ok": exit == 0,
            "duration_ms": duration,
            "timeout_ms": self.timeout.map_or(0, |timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
            "tool_version": env!("CARGO_PKG_VERSION"),
            "config_sources": sources,
            "effective_config_hash": self.configuration.digest,
            "headless": is_headless(),
            "dry_run": self.is_dry_run,
            "truncated": false,
        });
        if !stable {
            meta["request_id"] = self.id.into();
            meta["timestamp"] = time(self.started).into();
            meta["completed_at"] = time(self.completed).into();
        }
        if let Ok(here) = std::env::current_dir() {
            meta["cwd"] = here.to_string_lossy().into();
        }
        if let Some(site) = self.site {
            meta["project_root"] = site.to_string_lossy().into();
        }
        if let Some(trace) = trace() {
            meta["trace_id"] = trace.into();
        }
        meta
    }
}

/// The configuration at the start of a command; a confined process cannot read it later.
#[derive(Debug)]
pub(crate) struct Configuration {
    sources: Vec<PathBuf>,
    digest: Digest,
}

impl Configuration {
    /// The configuration of a site, or without one.
    pub(crate) fn read(site: Option<&Path>) -> Self {
        let files = site.into_iter().flat_map(|site| [CONFIG_FILE, GATE_CONFIG_FILE].map(|file| site.join(file)));
        let sources: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
        Self { digest: config_digest(&sources), sources }
    }
}

/// The digest of the files and of our variables.
fn config_digest(files: &[PathBuf]) -> Digest {
    let mut bytes = Vec::new();
    for file in files {
        let text = File::open(file).and_then(|file| {
            let mut text = Vec::new();
            file.take(CONFIG_BYTES_MAX).read_to_end(&mut text).map(|_| text)
        });
        bytes.extend(text.unwrap_or_default());
        bytes.push(0);
    }
    let mut variables: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    variables.retain(|(name, _)| name.starts_with("GATEPOST_"));
    variables.sort();
    for (name, value) in variables {
        bytes.extend(format!("{name}={value}\0").into_bytes());
    }
    Digest::of(&bytes)
}

/// Whether there is no display for windows.
fn is_headless() -> bool {
    let is_unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().all(is_unset)
}

/// A unique id.
pub(crate) fn invocation_id() -> String {
    let mut random = [0; 12];
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    random.iter().fold("inv_".to_owned(), |id, byte| format!("{id}{byte:02x}"))
}

/// The trace id, if it can be repeated.
fn trace() -> Option<String> {
    let is_plain = |trace: &String| {
        (1..=TRACE_BYTES_MAX).contains(&trace.len()) && trace.bytes().all(|byte| byte.is_ascii_graphic())
    };
    std::env::var(TRACE_VARIABLE).ok().filter(is_plain)
}
