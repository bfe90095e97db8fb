//! Runs the program of a lane in its workplace and takes over what it left.
//!
//! ```text
//! run ▶ how it ended ▶ collect /out ▶ redact
//! ```
//!
//! It knows no lane, and does not say what the output means. *Security*: runs hostile programs; what is looked at afterwards
//! was taken over first, and secrets were replaced in all of it, or left out.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gatepost_documents::evidence::Limits;
use gatepost_mailbox::fault::Fault;
use serde_json::Value;

use crate::artifact::OutFolder;
use crate::bundle::Staging;
use crate::context::Context;
use crate::environment;
use crate::lane::ending;
use crate::lane::ran::{Invocation, Ran};
use crate::lane::workplace::Workplace;
use crate::manifest::Secret;
use crate::network::Record;
use crate::policy;
use crate::process::{self, Job};
use crate::redaction::{self, CaselessSearch, RedactionError, Redactor, VALUE_BYTES_MAX, VALUE_BYTES_MIN};

/// Where one run takes place.
#[derive(Debug)]
pub struct Place<'a> {
    /// The tool's own folder; `in/`, if the request has inputs, stands in it already.
    pub work: &'a Path,
    /// Where its streams and files go.
    pub staging: &'a Staging,
    /// Whether its program may have had effects.
    pub started: &'a Cell<bool>,
}

/// A program with all that it is given.
#[derive(Debug)]
pub struct Program<'a> {
    /// What failures call it.
    pub name: &'a str,
    /// Its argument vector, as [`Job::argv`].
    pub argv: &'a [OsString],
    /// Its whole environment but for what a network adds.
    pub environment: &'a [(OsString, OsString)],
    /// Its limits.
    pub limits: &'a Limits,
    /// What must not be found in what it leaves.
    pub secrets: &'a [Secret],
}

/// Runs a program to its end. What is returned has no results yet: null if the program ended well, else why it did not.
pub fn run(
    context: &Context,
    workplace: &Workplace,
    program: &Program<'_>,
    invocation: Invocation,
    place: &Place<'_>,
) -> Result<Ran, Fault> {
    let staging = place.staging;
    let out = OutFolder::made(workplace.folder().join("out"))?;
    let (stdout, stderr) = (staging.stdout(), staging.stderr());
    let mut environment = program.environment.to_vec();
    if workplace.has_network() {
        environment.extend(environment::proxy());
    }
    let job = Job {
        argv: program.argv,
        environment: &environment,
        work_dir: workplace.folder(),
        confinement: workplace.confinement(),
        limits: program.limits,
        grace: Duration::from_millis(context.config.exec.grace_ms),
        stdout: &stdout,
        stderr: &stderr,
        cancel: Some(&context.cancel),
        started: place.started,
    };
    let mut ended = match process::run(&job).map(Ok).or_else(|error| error.into_fault(&job).map(Err)) {
        Ok(ended) => ended?,
        Err(error) => {
            let results = Err(ending::not_started(program.name, &error));
            return Ok(Ran { invocation, ending: None, results, output_file: None, anomalies: Vec::new() });
        }
    };
    if let Some(record) = &mut ended.network {
        withhold(record, program.secrets);
    }
    let failure = ending::ended_badly(&ended, program.name);
    let ending = ending::ending(&ended);
    let mut anomalies = ending::anomalies(&ended, failure.as_ref());
    let out = ended.output.map_or(out, OutFolder::Own);
    staging.collect(&out, policy::allowance(&context.config.limits), &mut anomalies)?;
    redact(&mut anomalies, program.secrets, &staging.files()?)?;
    let results = failure.map_or(Ok(Value::Null), Err);
    Ok(Ran { invocation, ending: Some(ending), results, output_file: None, anomalies })
}

/// Leaves out of what the program asked of the network whatever holds a secret.
fn withhold(record: &mut Record, secrets: &[Secret]) {
    let search = CaselessSearch::new(&findable(secrets));
    // What cannot be searched is not named.
    record.withhold(|text| search.as_ref().map_or(true, |search| search.finds(text)));
}

fn is_findable(secret: &Secret) -> bool {
    (VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&secret.value.len())
}

fn findable(secrets: &[Secret]) -> Vec<redaction::Secret<'_>> {
    let findable = secrets.iter().filter(|secret| is_findable(secret));
    findable.map(|secret| redaction::Secret { name: &secret.name, value: secret.value.as_bytes() }).collect()
}

/// Replaces the values of secrets wherever the program left them, in its streams and in its files.
fn redact(anomalies: &mut Vec<String>, secrets: &[Secret], files: &[PathBuf]) -> Result<(), Fault> {
    for secret in secrets.iter().filter(|secret| !is_findable(secret)) {
        let sentence = "is too short or too long to be redacted in what the tool left";
        anomalies.push(format!("The value of {} {sentence}.", secret.name));
    }
    let values = findable(secrets);
    if values.is_empty() {
        return Ok(());
    }
    let redact = || -> Result<u64, RedactionError> {
        let redactor = Redactor::new(&values)?;
        files.iter().map(|file| Ok(redactor.redact(file)?.count)).sum()
    };
    let count = redact().map_err(|error| Fault {
        operation: "redact",
        path: files.first().cloned().unwrap_or_default(),
        source: std::io::Error::other(error),
    })?;
    if count > 0 {
        anomalies.push(format!("Secrets were found {count} times in what the tool left; they were replaced."));
    }
    Ok(())
}
