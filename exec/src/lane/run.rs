//! Runs the program of a lane in its workplace and takes over what it left.
//!
//! ```text
//! run ▶ how it ended ▶ collect /out ▶ (hear a worker of our own) ▶ redact
//! ```
//!
//! It knows no lane and does not interpret the output. *Security*: runs hostile programs; everything that it looks at afterwards was
//! taken over first, with secrets replaced or left out.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use gatepost_documents::evidence::Limits;
use gatepost_mailbox::fault::Fault;
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

/// Where one run takes place.
#[derive(Debug)]
pub struct Place<'a> {
    /// The tool's own folder; it already has `in/`, if the request has inputs.
    pub work: &'a Path,
    /// Where its streams and files go.
    pub staging: &'a Staging,
    /// Whether its program may have had effects.
    pub started: &'a Cell<bool>,
    /// How it ended, which is known before anything is made of what it left.
    pub ended: &'a RefCell<Option<Ending>>,
}

/// A program with all that it is given.
#[derive(Debug)]
pub struct Program<'a> {
    /// What failures call it.
    pub name: &'a str,
    /// Its argument vector, as [`Job::argv`].
    pub argv: &'a [OsString],
    /// Its whole environment but for what a network adds.
    pub environment: &'a Environment,
    /// What it finds on stdin, as [`Job::input`].
    pub input: Option<&'a [u8]>,
    /// Who talks to it on a terminal, as [`Job::console`].
    pub console: Option<&'a dyn Console>,
    /// The exit codes that are no failure.
    pub success_exit_codes: &'a [i32],
    /// Its limits.
    pub limits: &'a Limits,
    /// What must not be found in what it leaves.
    pub secrets: &'a Confidential,
}

/// Runs a program to its end. What is returned has no results yet: null if the program ended well, else why it did not.
pub fn run(
    context: &Context,
    workplace: &Workplace,
    program: &Program<'_>,
    invocation: Invocation,
    place: &Place<'_>,
) -> Result<RunOutcome, Fault> {
    run_worker(context, workplace, program, invocation, place, |_| Ok(())).map(|(outcome, _)| outcome)
}

/// The same of a worker of our own. `hear` reads what it tells before secrets are replaced there: among these are values of the
/// requester, which must not change what a worker says. `None` if it did not start.
pub fn run_worker<T>(
    context: &Context,
    workplace: &Workplace,
    program: &Program<'_>,
    invocation: Invocation,
    place: &Place<'_>,
    hear: impl FnOnce(&Staging) -> Result<T, Fault>,
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
        cancel: Some(&context.cancel),
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
    let failure = ending::ended_badly(&ended, program);
    let ending = ending::ending(&ended);
    let mut anomalies = ending::anomalies(&ended, failure.as_ref());
    let out = ended.output.map_or(out, OutFolder::Own);
    place.ended.replace(Some(ending.clone()));
    let take_over = || {
        staging.collect(&out, policy::allowance(&context.config.limits), &mut anomalies)?;
        let heard = hear(staging)?;
        program.secrets.replace_in_files(staging, &invocation.upstream, &mut anomalies)?;
        Ok(heard)
    };
    // Nothing that may hold a secret stays behind a fault.
    let heard = take_over().inspect_err(|_| drop(staging.withhold()))?;
    let results = failure.map_or(Ok(Value::Null), Err);
    Ok((RunOutcome { anomalies, ..RunOutcome::new(invocation, Some(ending), results) }, Some(heard)))
}
