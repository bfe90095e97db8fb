//! `gatepost-worker-monty`: interprets a program of the lane `monty`. TOOL-EXEC starts it inside the sandbox.
//!
//! The contract with TOOL-EXEC is [`gatepost_workers::monty`]: printed text and value never mix, and neither can pretend to be the
//! outcome. *Security*: runs the hostile program; the sandbox and its limits always hold, and the allocator may end the process at any
//! moment.

mod interpreter;
mod value;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use gatepost_workers::monty::{INPUTS, Limits, PROGRAM, Status, VALUE, WORKER};
use gatepost_workers::report_error;
use serde_json::Value;

use interpreter::Failure;

/// Counts allocations, and ends the process at the limit.
#[global_allocator]
static ALLOCATOR: monty_alloc::LimitedAllocator = monty_alloc::LimitedAllocator;

/// The stack for the parser and other recursion of the interpreter; untouched pages cost nothing.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let status = match Limits::from_arguments(&arguments) {
        Some(limits) => interpret(limits),
        None => fault(&"TOOL-EXEC starts this program; people do not run it"),
    };
    ExitCode::from(status.code())
}

fn interpret(limits: Limits) -> Status {
    let bytes = usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX);
    match monty_alloc::set_limit(Some(bytes), false) {
        Ok(()) => on_a_large_stack(move || run(limits)),
        Err(error) => fault(&error),
    }
}

fn on_a_large_stack(work: impl FnOnce() -> Status + Send + 'static) -> Status {
    let thread = std::thread::Builder::new().name("program".to_owned()).stack_size(STACK_BYTES).spawn(work);
    // The panic has already written its message to stderr.
    thread.map_or_else(|error| fault(&error), |thread| thread.join().unwrap_or(Status::Fault))
}

fn run(limits: Limits) -> Status {
    let (code, inputs) = match read_input() {
        Ok(given) => given,
        Err(error) => return fault(&error),
    };
    let failure = match interpreter::run(&code, &inputs, limits, &mut io::stdout().lock()) {
        Ok(value) => return write(&value).map_or_else(|error| fault(&error), |()| Status::Finished),
        Err(failure) => failure,
    };
    report_error(&failure);
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
    report_error(&format!("{WORKER} failed: {error}"));
    Status::Fault
}

#[cfg(test)]
mod tests {
    use gatepost_workers::monty::VERSION;

    use super::*;

    #[test]
    fn the_protocol_names_what_the_interpreter_is_and_how_its_allocator_ends_it() {
        assert_eq!(VERSION, monty_types::MONTY_VERSION);
        assert_eq!(i32::from(Status::MemoryLimit.code()), monty_types::OOM_EXIT_CODE);
    }
}
