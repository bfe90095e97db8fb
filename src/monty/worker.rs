//! The process in which a program of the lane `monty` runs: gatepost itself, started again inside the sandbox.
//!
//! ```text
//! gatepost monty-worker --time-ms=60000 --memory-bytes=536870912 --recursion=1000
//!   in/program.py  in/inputs.json   ▶   stdout: what it printed   stderr: the traceback   out/output.json: its value
//! ```
//!
//! The command is no part of the command line for people, and is not listed there. What it says is its exit status
//! ([`Status`]): printed text and value never mix, and neither can pretend to be the outcome.
//!
//! *Security*: runs the hostile program; whatever this process does, the sandbox and its limits hold. That it may end at any
//! moment, by the allocator's hand too, is part of the contract.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use serde_json::Value;

use super::{Failure, Limits};
use crate::worker::say;

/// The first argument, which asks for the worker.
const COMMAND: &str = "monty-worker";

/// The program's text, relative to the folder in which the worker starts.
pub const PROGRAM: &str = "in/program.py";
/// The inputs, one JSON object.
pub const INPUTS: &str = "in/inputs.json";
/// The value, as JSON.
pub const VALUE: &str = "out/output.json";

/// The parser and whatever else recurses in the interpreter finds this much; pages that are not touched cost nothing.
const STACK_BYTES: usize = 256 << 20;

/// What an exit status of the worker means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The value is written.
    Finished,
    /// The program is not valid or raised an exception, as with Python.
    Exception,
    /// It reached the interpreter's time limit.
    TimeLimit,
    /// It reached the recursion limit.
    RecursionLimit,
    /// Its value is none that JSON could hold.
    Unsuitable,
    /// It reached the memory limit; the allocator ends the process with this status, too.
    MemoryLimit,
    /// The worker or the interpreter failed.
    Fault,
}

impl Status {
    const ALL: [Self; 7] = [
        Self::Finished,
        Self::Exception,
        Self::TimeLimit,
        Self::RecursionLimit,
        Self::Unsuitable,
        Self::MemoryLimit,
        Self::Fault,
    ];

    /// As the exit status.
    pub const fn code(self) -> u8 {
        match self {
            Self::Finished => 0,
            Self::Exception => 1,
            Self::TimeLimit => 3,
            Self::RecursionLimit => 4,
            Self::Unsuitable => 5,
            // `monty_types::OOM_EXIT_CODE`; a test compares them.
            Self::MemoryLimit => 65,
            Self::Fault => 70,
        }
    }

    /// What an exit status says; `None` when the worker has no such status.
    pub fn from_exit_code(exit_code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|status| i32::from(status.code()) == exit_code)
    }
}

/// What the worker is told on its command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCommand(pub Limits);

impl WorkerCommand {
    /// The arguments after the program's name.
    pub fn arguments(self) -> [String; 4] {
        let Limits { time_ms, memory_bytes, recursion } = self.0;
        [
            COMMAND.to_owned(),
            format!("--time-ms={time_ms}"),
            format!("--memory-bytes={memory_bytes}"),
            format!("--recursion={recursion}"),
        ]
    }

    /// The command in a process's arguments, the name first; `None` when they are not for the worker.
    pub fn read(arguments: &[OsString]) -> Option<Self> {
        let [_, command, limits @ ..] = arguments else { return None };
        let [time, memory, recursion] = limits else { return None };
        let value = |argument: &OsString, name: &str| Some(argument.to_str()?.strip_prefix(name)?.to_owned());
        (command == COMMAND).then_some(())?;
        Some(Self(Limits {
            time_ms: value(time, "--time-ms=")?.parse().ok()?,
            memory_bytes: value(memory, "--memory-bytes=")?.parse().ok()?,
            recursion: value(recursion, "--recursion=")?.parse().ok()?,
        }))
    }

    /// Runs the program that lies there.
    pub fn carry_out(self) -> ExitCode {
        let limits = self.0;
        let bytes = usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX);
        let status = match monty_alloc::set_limit(Some(bytes), false) {
            Ok(()) => on_a_large_stack(move || run(limits)),
            Err(error) => fault(&error),
        };
        ExitCode::from(status.code())
    }
}

fn on_a_large_stack(work: impl FnOnce() -> Status + Send + 'static) -> Status {
    let thread = std::thread::Builder::new().name("program".to_owned()).stack_size(STACK_BYTES).spawn(work);
    // A panic has written its own words to stderr.
    thread.map_or_else(|error| fault(&error), |thread| thread.join().unwrap_or(Status::Fault))
}

fn run(limits: Limits) -> Status {
    let (code, inputs) = match read_input() {
        Ok(given) => given,
        Err(error) => return fault(&error),
    };
    let failure = match super::run(&code, &inputs, limits, &mut io::stdout().lock()) {
        Ok(value) => return write(&value).map_or_else(|error| fault(&error), |()| Status::Finished),
        Err(failure) => failure,
    };
    say(&failure);
    match failure {
        Failure::Exception(_) => Status::Exception,
        Failure::Time(_) => Status::TimeLimit,
        Failure::Memory(_) => Status::MemoryLimit,
        Failure::Recursion(_) => Status::RecursionLimit,
        Failure::Value(_) => Status::Unsuitable,
        Failure::Print(_) => Status::Fault,
    }
}

fn read_input() -> io::Result<(String, Value)> {
    let code = fs::read_to_string(PROGRAM)?;
    Ok((code, serde_json::from_slice(&fs::read(INPUTS)?)?))
}

fn write(value: &Value) -> io::Result<()> {
    let mut file = BufWriter::new(File::create_new(VALUE)?);
    serde_json::to_writer(&mut file, value)?;
    file.write_all(b"\n")?;
    file.flush()
}

fn fault(error: &dyn Display) -> Status {
    say(&format!("{COMMAND} failed: {error}"));
    Status::Fault
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_as_it_was_written_and_nothing_else_is_one() {
        let command = WorkerCommand(Limits { time_ms: 1, memory_bytes: u64::MAX, recursion: 1_000 });
        let arguments: Vec<OsString> =
            std::iter::once("gatepost".into()).chain(command.arguments().map(OsString::from)).collect();
        assert_eq!(WorkerCommand::read(&arguments), Some(command));
        assert_eq!(WorkerCommand::read(&arguments[..4]), None);
        for (index, other) in [(1, "status"), (2, "--time-ms=-1"), (3, "--memory=1"), (4, "--recursion=")] {
            let mut wrong = arguments.clone();
            wrong[index] = other.into();
            assert_eq!(WorkerCommand::read(&wrong), None, "{other}");
        }
    }

    #[test]
    fn an_exit_status_means_one_thing() {
        for status in Status::ALL {
            assert_eq!(Status::from_exit_code(status.code().into()), Some(status));
        }
        assert_eq!(i32::from(Status::MemoryLimit.code()), monty_types::OOM_EXIT_CODE);
        assert_eq!(Status::from_exit_code(-1), None);
    }
}
