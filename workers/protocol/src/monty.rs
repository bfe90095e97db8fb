//! `gatepost-worker-monty`: interprets one program in the Python subset.
//!
//! ```text
//! gatepost-worker-monty --time-ms=60000 --memory-bytes=536870912 --recursion=1000
//!   in/program.py  in/inputs.json   ▶   stdout: what it printed   stderr: the traceback   out/output.json: its value
//! ```

use std::ffi::OsString;

/// The program.
pub const WORKER: &str = "gatepost-worker-monty";

/// The interpreter's version; a test of the worker compares it.
pub const VERSION: &str = "0.0.23";

/// The program's text, relative to the folder in which the worker starts.
pub const PROGRAM: &str = "in/program.py";
/// The inputs, one JSON object.
pub const INPUTS: &str = "in/inputs.json";
/// The value, as JSON.
pub const VALUE: &str = "out/output.json";

/// The limits that the interpreter itself enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time spent in the program, milliseconds.
    pub time_ms: u64,
    /// Memory allocated beyond the process's own, bytes.
    pub memory_bytes: u64,
    /// Nested calls.
    pub recursion: u32,
}

impl Limits {
    /// The worker's arguments after its name.
    pub fn arguments(self) -> [String; 3] {
        let Self { time_ms, memory_bytes, recursion } = self;
        [format!("--time-ms={time_ms}"), format!("--memory-bytes={memory_bytes}"), format!("--recursion={recursion}")]
    }

    /// The limits in a worker's arguments, its name first; `None` for any others.
    pub fn from_arguments(arguments: &[OsString]) -> Option<Self> {
        let [_, time, memory, recursion] = arguments else { return None };
        let value = |argument: &OsString, name: &str| Some(argument.to_str()?.strip_prefix(name)?.to_owned());
        Some(Self {
            time_ms: value(time, "--time-ms=")?.parse().ok()?,
            memory_bytes: value(memory, "--memory-bytes=")?.parse().ok()?,
            recursion: value(recursion, "--recursion=")?.parse().ok()?,
        })
    }
}

/// The meaning of the worker's exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The value is written.
    Finished,
    /// The program is not valid, or it raised an exception that it did not catch.
    Exception,
    /// It reached the interpreter's time limit.
    TimeLimit,
    /// It reached the recursion limit.
    RecursionLimit,
    /// JSON cannot represent its value.
    Unsuitable,
    /// It reached the memory limit; the allocator also ends the process with this status.
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
            // `monty_types::OOM_EXIT_CODE`; a test of the worker compares them.
            Self::MemoryLimit => 65,
            Self::Fault => super::FAULT,
        }
    }

    /// The status with an exit code; `None` if the worker has no such status.
    pub fn from_exit_code(exit_code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|status| i32::from(status.code()) == exit_code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_read_as_they_were_written_and_no_others_are_limits() {
        let limits = Limits { time_ms: 1, memory_bytes: u64::MAX, recursion: 1_000 };
        let arguments: Vec<OsString> =
            std::iter::once(WORKER.into()).chain(limits.arguments().map(OsString::from)).collect();
        assert_eq!(Limits::from_arguments(&arguments), Some(limits));
        assert_eq!(Limits::from_arguments(&arguments[..3]), None);
        for (index, other) in [(1, "--time-ms=-1"), (2, "--memory=1"), (3, "--recursion=")] {
            let mut wrong = arguments.clone();
            wrong[index] = other.into();
            assert_eq!(Limits::from_arguments(&wrong), None, "{other}");
        }
    }

    #[test]
    fn each_exit_status_has_one_meaning() {
        for status in Status::ALL {
            assert_eq!(Status::from_exit_code(status.code().into()), Some(status));
        }
        assert_eq!(Status::from_exit_code(-1), None);
    }
}
