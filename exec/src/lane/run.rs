//! Runs the program of a lane in its workplace and collects its files.
//!
//! ```text
//! run ▶ its end ▶ collect /out ▶ (read a worker's output) ▶ redact
//! ```
//!
//! It knows no lane and does not interpret the output. *Security*: runs hostile programs. It reads only collected files, after
//! secrets were replaced or left out.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use gatepost_documents::evidence::Limits;
use gatepost_mailbox::fault::Fault;
use gatepost_sandbox::cancel::Cancel;
use gatepost_sandbox::network::Record;
use gatepost_sandbox::process::{self, Console, Job};
use serde_json::Value;

use crate::artifact::OutFolder;
use crate::bundle::Staging;
use crate::context::Context;
use crate::environment::{self, Environment};
use crate::lane::confidential::Confidential;
use crate::lane::ending;
use crate::lane::run_outcome::{Ending, Invocation, RunOutcome};
use crate::lane::workplace::Workplace;
use crate::policy;

/// The folders of one run.
#[derive(Debug)]
pub struct Place<'a> {
    /// The tool's own folder; it already has `in/`, if the request has inputs.
    pub work: &'a Path,
    /// The staging folder of its streams and files.
    pub staging: &'a Staging,
    /// Whether its program may have had effects.
    pub started: &'a Cell<bool>,
    /// Its end, which is known before its files are processed.
    pub ended: &'a RefCell<Option<Ending>>,
    /// Stops it.
    pub cancel: &'a Cancel,
}

/// A program with its inputs.
#[derive(Debug)]
pub struct Program<'a> {
    /// Its name in failures.
    pub name: &'a str,
    /// Its argument vector, as [`Job::argv`].
    pub argv: &'a [OsString],
    /// Its whole environment except for the network's variables.
    pub environment: &'a Environment,
    /// Its stdin, as [`Job::input`].
    pub input: Option<&'a [u8]>,
    /// The console of its terminal, as [`Job::console`].
    pub console: Option<&'a dyn Console>,
    /// The exit codes of success.
    pub success_exit_codes: &'a [i32],
    /// Its limits.
    pub limits: &'a Limits,
    /// The secrets to redact in its output.
    pub secrets: &'a Confidential,
}

/// Runs a program to its end. The results are null if the program succeeded, else the failure.
pub fn run(
    context: &Context,
    workplace: &Workplace,
    program: &Program<'_>,
    invocation: Invocation,
    place: &Place<'_>,
) -> Result<RunOutcome, Fault> {
    run_worker(context, workplace, program, invocation, place, |_| Ok(())).map(|(outcome, _)| outcome)
}

/// The same for a worker. `read` reads its output before redaction, because secrets may equal values of the
/// requester, which must not change a worker's report. `None` if it did not start.
pub fn run_worker<T>(
    context: &Context,
    workplace: &Workplace,
    program: &Program<'_>,
    invocation: Invocation,
    place: &Place<'_>,
    read: impl FnOnce(&Staging) -> Result<T, Fault>,
) -> Result<(RunOutcome, Option<T>), Fault> {
    let staging = place.staging;
    let out = OutFolder::made(workplace.folder().join("out"))?;
    let (stdout, stderr) = (staging.stdout(), staging.stderr());
    let mut environment = program.environment.clone();
    if workplace.has_proxy() {
        environment.extend(environment::proxy());
    }
    let job = Job {
        argv: program.argv,
        environment: &environment,
        input: program.input,
        console: program.console,
        work_dir: workplace.folder(),
        confinement: workplace.confinement(),
        limits: program.limits,
        grace: Duration::from_millis(context.config.exec.grace_ms),
        stdout: &stdout,
        stderr: &stderr,
        cancel: Some(place.cancel),
        started: place.started,
    };
    let mut ended = match process::run(&job).map(Ok).or_else(|error| error.into_fault(&job).map(Err)) {
        Ok(ended) => ended?,
        Err(error) => {
            let results = Err(ending::not_started(program.name, &error));
            return Ok((RunOutcome::new(invocation, None, results), None));
        }
    };
    if let Some(record) = &mut ended.network {
        program.secrets.withhold(record);
    }
    let was_short = ended.network.as_ref().is_some_and(Record::was_short);
    let failure = ending::ended_badly(&ended, program);
    let ending = ending::ending(&ended);
    let mut anomalies = ending::anomalies(&ended, failure.as_ref());
    let out = ended.output.map_or(out, OutFolder::Own);
    place.ended.replace(Some(ending.clone()));
    let take_over = || {
        staging.collect(&out, policy::allowance(&context.config.limits), &mut anomalies)?;
        let output = read(staging)?;
        program.secrets.replace_in_files(staging, &invocation.upstream, &mut anomalies)?;
        Ok(output)
    };
    // After a fault, remove all files that may contain a secret.
    let output = take_over().inspect_err(|_| drop(staging.withhold()))?;
    let results = failure.map_or(Ok(Value::Null), Err);
    Ok((RunOutcome { anomalies, was_short, ..RunOutcome::new(invocation, Some(ending), results) }, Some(output)))
}
