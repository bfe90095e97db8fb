//! A log of every invocation, for whoever sets `GATEPOST_INVOCATION_LOG` to the file: a line of JSON each, appended before the outcome is
//! told. Not the record of requests and verdicts, which the logs of the site are.
//!
//! *Security*: of the arguments it has flags by name, and ids; no other value, since any may be a secret. It is never followed through a
//! link, and where it cannot be opened nothing is done. *Standards*: CLI Agent Spec, REQ-F-026 and REQ-F-034.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use chrono::{SecondsFormat, Utc};
use clap::{Arg, Command};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_mailbox::fault::{Fault, OnPath};
use serde::Serialize;

use super::envelope::{Invocation, trace};

/// What names the file.
const VARIABLE: &str = "GATEPOST_INVOCATION_LOG";

/// The open log of one invocation.
#[derive(Debug)]
pub struct InvocationLog {
    path: PathBuf,
    file: File,
    flags: Vec<String>,
    ids: Vec<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<String>,
    uid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<&'a Path>,
    command: &'a str,
    flags: &'a [String],
    ids: &'a [String],
    exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    duration_ms: i64,
}

impl InvocationLog {
    /// That of an invocation with these arguments; none where nobody asked for one. Whoever confines itself could not open it later.
    pub fn open(root: &Command, arguments: &[OsString]) -> Result<Option<Self>, Fault> {
        let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from) else {
            return Ok(None);
        };
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600);
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
        let file = options.open(&path).on("open", &path)?;
        if !file.metadata().on("look at", &path)?.is_file() {
            Err(io::Error::other("it is not a regular file")).on("append to", &path)?;
        }
        let words = || arguments.iter().skip(1).filter_map(|argument| argument.to_str());
        let is_id = |word: &&str| RequestId::parse(word).is_ok() || ResultId::parse(word).is_ok();
        // What follows a -- is no flag, and what no command has for a flag may be anything.
        let flags = words().take_while(|word| *word != "--").filter_map(flag).filter(|flag| is_known(root, flag));
        let (flags, ids) = (flags.collect(), words().filter(is_id).map(str::to_owned).collect());
        Ok(Some(Self { path: std::path::absolute(&path).unwrap_or(path), file, flags, ids }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends the line of an invocation that ends so.
    pub fn append(&self, invocation: &Invocation<'_>, exit_code: u8, error: Option<&'static str>) -> Result<(), Fault> {
        let line = Line {
            time: Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
            request_id: invocation.id,
            trace_id: trace(),
            uid: rustix::process::getuid().as_raw(),
            site: invocation.site,
            command: invocation.declaration.map_or("", |declaration| declaration.path),
            flags: &self.flags,
            ids: &self.ids,
            exit_code,
            error,
            duration_ms: invocation.duration_ms(),
        };
        let line = serde_json::to_string(&line).map_err(io::Error::from).on("write", &self.path)?;
        // At once, so that lines of others stay apart.
        (&self.file).write_all(format!("{line}\n").as_bytes()).on("append to", &self.path)
    }
}

/// Whether a command has the flag.
fn is_known(command: &Command, flag: &str) -> bool {
    let is = |argument: &Arg| match flag.strip_prefix("--") {
        Some(long) => argument.get_long_and_visible_aliases().is_some_and(|longs| longs.contains(&long)),
        None => argument.get_short().is_some_and(|short| flag.ends_with(short)),
    };
    command.get_arguments().any(is) || command.get_subcommands().any(|below| is_known(below, flag))
}

/// The name of a flag, without its value.
fn flag(word: &str) -> Option<String> {
    let name = word.split('=').next()?;
    let is_name = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    match name.strip_prefix("--") {
        Some(rest) => is_name(rest).then(|| name.to_owned()),
        // A value may follow the letter at once.
        None => name.strip_prefix('-')?.get(..1).filter(|letter| is_name(letter)).map(|letter| format!("-{letter}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_told_by_its_name_and_a_value_not_at_all() {
        for (word, name) in [
            ("--limit", Some("--limit")),
            ("--arg=key=secret", Some("--arg")),
            ("-osecret", Some("-o")),
            ("-", None),
            ("--", None),
            ("-----BEGIN PRIVATE KEY-----", None),
            ("secret", None),
        ] {
            assert_eq!(flag(word).as_deref(), name, "{word}");
        }
    }
}
