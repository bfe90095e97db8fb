//! The lane `monty`: a program in the Python subset, in a worker of our own inside the sandbox.
//!
//! ```text
//! in/program.py in/inputs.json ▶ gatepost-worker-monty ▶ stdout, stderr, out/output.json ▶ results
//! ```
//!
//! The value of the program is its results. *Security*: the worker's exit status reports the program's end; TOOL-EXEC trusts nothing
//! else from it, and the limits around the worker always apply. *Standards*: ThreeGate, the monty backend.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use gatepost_contract::config;
use gatepost_contract::parser::Builtin;
use gatepost_contract::request::{MontyProgram, Request};
use gatepost_documents::evidence::{Failure, FailureCode, Limits, StopReason};
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_workers::monty as worker;
use gatepost_workers::monty::VERSION;
use serde_json::{Map, Value};

use crate::authorize::Authorized;
use crate::context::Context;
use crate::environment;
use crate::lane::auxiliary;
use crate::lane::confidential::Confidential;
use crate::lane::ending::failure;
use crate::lane::output::{self, OUTPUT_BYTES_MAX};
use crate::lane::run::{self, Place, Program};
use crate::lane::run_outcome::{Invocation, RunOutcome};
use crate::lane::worker_program;
use crate::lane::workplace::Workplace;
use crate::lane::{Planned, session_fault};
use crate::policy::{self, Subject};
use crate::step_error::StepError;

/// The name of the tool in evidence.
const NAME: &str = "monty";

/// The worker's own memory: code, stack, and freed memory that the allocator keeps.
const WORKER_MEMORY_BYTES: u64 = 16 << 20;

/// The least memory that suffices for a program.
const MEMORY_BYTES_MIN: u64 = 32 << 20;

/// A program that may be executed.
#[derive(Debug)]
pub struct Plan {
    code: String,
    inputs: Value,
    limits: Limits,
    /// The interpreter's limits.
    interpreter: worker::Limits,
}

/// Plans a program.
pub fn plan(context: &Context, request: &Request, asked: &MontyProgram) -> Result<Plan, StepError> {
    if let Some(reason) = session_fault(request) {
        return Err(reason.into());
    }
    let limits = limits(&context.config, request);
    if let Some(bytes) = limits.memory_bytes.filter(|bytes| *bytes < MEMORY_BYTES_MIN) {
        let message = format!("{} MiB of memory is too little for the interpreter itself.", bytes >> 20);
        let hint = format!("Set memory_limit_mb to at least {}.", MEMORY_BYTES_MIN >> 20);
        return Err(Reason::new(Code::ValueInvalid, message, hint).into());
    }
    if let Some(reason) = worker_program::missing(worker::WORKER) {
        return Err(reason.into());
    }
    let interpreter = interpreter(&limits, context.config.monty.recursion);
    let inputs = asked.inputs.clone().unwrap_or(Value::Object(Map::new()));
    Ok(Plan { code: asked.code.clone(), inputs, limits, interpreter })
}

/// The site's limits, tightened by `[monty]`, tightened by the request.
fn limits(config: &config::Config, request: &Request) -> Limits {
    let site = config::Limits {
        time_seconds: config.limits.time_seconds.min(config.monty.time_seconds),
        memory_mb: config.limits.memory_mb.min(config.monty.memory_mb),
        ..config.limits.clone()
    };
    policy::limits(&site, None, &request.limits)
}

/// The interpreter's limits are a little below the outer ones, because it can report the place in the program.
fn interpreter(limits: &Limits, recursion: u32) -> worker::Limits {
    let memory_bytes = limits.memory_bytes.unwrap_or(limits.address_space_bytes);
    worker::Limits {
        time_ms: limits.time_ms - limits.time_ms / 20,
        memory_bytes: (memory_bytes - memory_bytes / 8).saturating_sub(WORKER_MEMORY_BYTES),
        recursion,
    }
}

impl Plan {
    /// The worker's argument vector, with `program` as its program.
    fn argv(&self, program: &str) -> Vec<String> {
        std::iter::once(program.to_owned()).chain(self.interpreter.arguments()).collect()
    }

    fn write_inputs(&self, work: &Path) -> Result<(), Fault> {
        let inputs = self.inputs.to_string();
        for (name, text) in [(worker::PROGRAM, &self.code), (worker::INPUTS, &inputs)] {
            let path = work.join(name);
            File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())).on("write", &path)?;
        }
        Ok(())
    }
}

impl Planned for Plan {
    fn subjects(&self) -> Vec<Subject<'_>> {
        vec![Subject::Program]
    }

    fn worker(&self) -> Option<&'static str> {
        Some(worker::WORKER)
    }

    fn invocation(&self) -> Invocation {
        let argv = self.argv(worker::WORKER);
        Invocation {
            tool_version: VERSION.to_owned(),
            ..Invocation::without_manifest(NAME.to_owned(), argv, self.limits.clone())
        }
    }

    fn execute(&self, authorized: Authorized, context: &Context, place: &Place<'_>) -> Result<RunOutcome, Fault> {
        let mut workplace = Workplace::make(place.work, context.sandbox_level)?;
        self.write_inputs(place.work)?;
        let (program, worker) = worker_program::identify(context, worker::WORKER)?;
        let shown = worker_program::show(&program, &mut workplace);
        let argv = self.argv(&shown.to_string_lossy());
        // The file may have been replaced since the run was announced.
        let invocation = Invocation { argv, worker: Some(worker), ..self.invocation() };
        let arguments = self.interpreter.arguments().map(OsString::from);
        let scan_id = authorized.scan_id().to_string();
        let program = Program {
            name: NAME,
            argv: &std::iter::once(shown.into()).chain(arguments).collect::<Vec<_>>(),
            environment: &environment::for_tool(workplace.inside(), NAME, &scan_id, Vec::new()),
            input: None,
            console: None,
            success_exit_codes: &[0],
            limits: &self.limits,
            secrets: &Confidential::default(),
        };
        let mut outcome = run::run(context, &workplace, &program, invocation, place)?;
        self.refine(&mut outcome);
        if outcome.results.is_ok() {
            outcome.results = value(place)?;
            outcome.output_file = Some(worker::VALUE);
        }
        Ok(outcome)
    }
}

impl Plan {
    /// Replaces the worker's exit status with its meaning.
    fn refine(&self, outcome: &mut RunOutcome) {
        let Some(ending) = &mut outcome.ending else { return };
        let Some(status) = worker::Status::from_exit_code(ending.exit_code) else { return };
        let Some(failure) = self.failure(status) else { return };
        outcome.results = Err(failure);
        match status {
            worker::Status::TimeLimit => {
                ending.stop_reason = StopReason::Timeout;
                ending.exit_code = -1;
            }
            worker::Status::MemoryLimit | worker::Status::RecursionLimit => {
                ending.stop_reason = StopReason::MaxBudgetReached;
            }
            _ => {}
        }
    }

    fn failure(&self, status: worker::Status) -> Option<Failure> {
        let worker::Limits { time_ms, memory_bytes, recursion } = self.interpreter;
        let ended = |code: FailureCode, message: String, hint: &str| Some(failure(code, "wait", NAME, message, hint));
        match status {
            worker::Status::Finished => None,
            worker::Status::Exception => ended(
                FailureCode::ToolFailed,
                "The program is not valid, or it raised an exception that it did not catch.".to_owned(),
                "See the section Stderr for the traceback.",
            ),
            worker::Status::TimeLimit => ended(
                FailureCode::Timeout,
                format!("The program ran for more than {time_ms} ms and was stopped."),
                "Ask for less work, or for a higher [monty] time_seconds; the section Stderr may show the place.",
            ),
            worker::Status::MemoryLimit => ended(
                FailureCode::MemoryLimit,
                format!("The program asked for more than {memory_bytes} bytes of memory and was stopped."),
                "Keep less in memory at a time, or ask for a higher [monty] memory_mb; the section Stderr may show the place.",
            ),
            worker::Status::RecursionLimit => ended(
                FailureCode::RecursionLimit,
                format!("The program exceeded the recursion limit of {recursion} calls."),
                "Use a loop instead; the section Stderr shows the place.",
            ),
            worker::Status::Unsuitable => ended(
                FailureCode::OutputSchemaViolation,
                "The value of the program's last expression cannot be represented in JSON.".to_owned(),
                "The section Stderr says which part; end the program with numbers, strings, lists and dicts.",
            ),
            worker::Status::Fault => ended(
                FailureCode::ToolFailed,
                "The interpreter failed, or its output could not be written.".to_owned(),
                "See the section Stderr, and report a bug if the program is valid.",
            ),
        }
    }
}

/// The worker's output value.
fn value(place: &Place<'_>) -> Result<Result<Value, Failure>, Fault> {
    let output = match place.staging.file(worker::VALUE) {
        Some(file) => auxiliary::read_bounded(&file, OUTPUT_BYTES_MAX)?,
        None => Err("The worker succeeded but left no value.".to_owned()),
    };
    let value = output::parsed(output, Builtin::Json, &Value::Null, NAME);
    Ok(value.and_then(|value| output::reported(value, NAME)))
}
