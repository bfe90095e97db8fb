//! Runs the program of a lane in its workplace and takes over what it left.
//!
//! ```text
//! run ▶ record how it ended ▶ collect /out ▶ redact
//! ```
//!
//! It knows no lane, and does not say what the output means. *Security*: runs hostile programs; what is looked at afterwards
//! was taken over first, and secrets were replaced in all of it, or left out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gatepost_documents::evidence::{Evidence, Limits};
use gatepost_mailbox::fault::Fault;

use crate::artifact::OutFolder;
use crate::bundle::Staging;
use crate::environment;
use crate::lane::ending;
use crate::lane::workplace::Workplace;
use crate::manifest::Secret;
use crate::network::Record;
use crate::pipeline::Context;
use crate::policy;
use crate::process::{self, Job, ProcessError};
use crate::redaction::{self, CaselessSearch, RedactionError, Redactor, VALUE_BYTES_MAX, VALUE_BYTES_MIN};

/// Where one run takes place.
#[derive(Debug)]
pub struct Place<'a> {
    /// The tool's own folder; `in/`, if the request has inputs, stands in it already.
    pub work: &'a Path,
    /// Where its streams and files go.
    pub staging: &'a Staging,
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

/// Runs a program to its end, and says whether it was started. The evidence says how it ended; it has no error if the
/// program ended well.
pub fn run(
    context: &Context,
    workplace: &Workplace,
    program: &Program<'_>,
    staging: &Staging,
    evidence: &mut Evidence,
) -> Result<bool, Fault> {
    let mut out = OutFolder::made(workplace.folder().join("out"))?;
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
    };
    evidence.error = None;
    match process::run(&job) {
        Ok(mut ended) => {
            if let Some(record) = &mut ended.network {
                withhold(record, program.secrets);
            }
            ending::record(evidence, &ended, program.name);
            out = ended.output.map_or(out, OutFolder::Own);
        }
        Err(ProcessError::Store { path, source }) => {
            return Err(Fault { operation: "store a stream in", path, source });
        }
        Err(error) => {
            ending::fail(evidence, ending::not_started(program.name, &error));
            return Ok(false);
        }
    }
    staging.collect(&out, policy::allowance(&context.config.limits), &mut evidence.anomalies)?;
    redact(evidence, program.secrets, &staging.files()?)?;
    Ok(true)
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
fn redact(evidence: &mut Evidence, secrets: &[Secret], files: &[PathBuf]) -> Result<(), Fault> {
    for secret in secrets.iter().filter(|secret| !is_findable(secret)) {
        let sentence = "is too short or too long to be looked for in what the tool left";
        evidence.anomalies.push(format!("The value of {} {sentence}.", secret.name));
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
        evidence.anomalies.push(format!("Secrets stood {count} times in what the tool left; they were replaced."));
    }
    Ok(())
}
