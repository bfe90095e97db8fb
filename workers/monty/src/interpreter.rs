//! The Python subset of the lane `monty`: a program, its inputs and its limits in; printed text and one value out.
//!
//! The interpreter is the crate `monty`. A program computes and prints, and nothing else: a request to the machine (a file, the
//! environment, the clock) is refused with a `PermissionError`, and there is nothing else that it could call. The inputs are bound to
//! the variable [`INPUTS`]; the value of the last expression is the result, see [`crate::value`].
//!
//! *Security*: runs hostile programs in this process. Time, memory and recursion are limited here as far as the interpreter checks
//! them; a parser, a regular expression or a fault of the interpreter can still kill the process. Only the worker calls it, in a
//! process of its own inside the sandbox.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use gatepost_workers::monty::Limits;
use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, NameLookupResult, PrintWriter, PrintWriterCallback,
    ResourceLimits, ResourceTracker,
};
use serde_json::Value;

use crate::value;

/// The variable that holds the inputs.
pub(crate) const INPUTS: &str = "inputs";

/// The program's name in a traceback.
const FILE: &str = "program.py";

/// Why there is no value. The text is what Python would print: the traceback and the exception.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The program is not valid, or it raised an exception that it did not catch.
    #[error("{0}")]
    Exception(String),
    /// It reached the time limit.
    #[error("{0}")]
    Time(String),
    /// It reached the memory limit.
    #[error("{0}")]
    Memory(String),
    /// It reached the recursion limit.
    #[error("{0}")]
    Recursion(String),
    /// JSON cannot represent its value.
    #[error("{0}")]
    Value(value::Unsuitable),
    /// Its output could not be written.
    #[error("failed to write what the program printed: {0}")]
    Print(io::Error),
}

/// Runs a program to its end and returns the value of its last expression.
pub(crate) fn run(code: &str, inputs: &Value, limits: Limits, stdout: &mut dyn Write) -> Result<Value, Failure> {
    let mut printer = Printer { stdout, fault: None };
    let start = Instant::now();
    let result = interpret(code, inputs, limits, &mut printer);
    let is_late = start.elapsed() >= Duration::from_millis(limits.time_ms);
    match printer.fault {
        Some(fault) => Err(Failure::Print(fault)),
        None => result
            .map_err(|exception| failure(&exception, is_late))
            .and_then(|object| value::to_json(&object).map_err(Failure::Value)),
    }
}

fn interpret(
    code: &str,
    inputs: &Value,
    limits: Limits,
    printer: &mut Printer<'_>,
) -> Result<monty_types::MontyObject, MontyException> {
    let resources = ResourceLimits::default()
        .max_duration(Duration::from_millis(limits.time_ms))
        .max_memory(usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX))
        .max_recursion_depth(usize::try_from(limits.recursion).unwrap_or(usize::MAX));
    let mut questions_left = resources.max_suspensions;
    let program = MontyRun::new(code.to_owned(), FILE, vec![INPUTS.to_owned()], CompileOptions::default())?;
    let inputs = vec![value::from_json(inputs)];
    let mut progress = program.start(inputs, ResourceTracker::new(resources), PrintWriter::Callback(printer))?;
    loop {
        let is_last = questions_left == 0;
        questions_left = questions_left.saturating_sub(1);
        progress = match progress {
            RunProgress::Complete(object) => return Ok(object),
            RunProgress::OsCall(call) => {
                let refusal = refusal(call.function_call.name());
                let print = PrintWriter::Callback(printer);
                if is_last { call.abort(refusal, print)? } else { call.resume(refusal, print)? }
            }
            RunProgress::NameLookup(lookup) => {
                lookup.resume(NameLookupResult::Undefined, PrintWriter::Callback(printer))?
            }
            RunProgress::FunctionCall(call) => {
                let name = call.function_name.clone();
                call.resume(ExtFunctionResult::NotFound(name), PrintWriter::Callback(printer))?
            }
            RunProgress::ResolveFutures(futures) => {
                let message = "the program waits for something that will never happen";
                let error = MontyException::new(ExcType::RuntimeError, Some(message.to_owned()));
                futures.abort(error, PrintWriter::Callback(printer))?
            }
        };
    }
}

/// The exception instead of an answer of the machine.
fn refusal(call: &str) -> MontyException {
    let message = format!(
        "{call} is refused: a monty program has no files, no environment, no clock, no network and no processes"
    );
    MontyException::new(ExcType::PermissionError, Some(message))
}

/// The interpreter reports a limit as an exception with a fixed text. A program can raise the same text, but not before its
/// time is up and be late, and not without a `raise`, whose line in the traceback is the only one that marks no expression.
fn failure(exception: &MontyException, is_late: bool) -> Failure {
    let is_raised = exception.traceback().last().is_some_and(|frame| frame.hide_caret);
    let limit = |text: &str| !is_raised && exception.message().is_some_and(|message| message.starts_with(text));
    let kind = match exception.exc_type() {
        ExcType::TimeoutError if is_late && limit("time limit exceeded") => Failure::Time,
        ExcType::MemoryError if limit("memory limit exceeded") => Failure::Memory,
        ExcType::RecursionError if limit("maximum recursion depth exceeded") => Failure::Recursion,
        _ => Failure::Exception,
    };
    kind(exception.to_string())
}

/// Writes the program's output; keeps the first I/O error, which the program cannot see.
struct Printer<'w> {
    stdout: &'w mut dyn Write,
    fault: Option<io::Error>,
}

impl Printer<'_> {
    fn write(&mut self, text: &str) -> Result<(), MontyException> {
        self.stdout.write_all(text.as_bytes()).map_err(|error| {
            self.fault = Some(error);
            MontyException::new(ExcType::OSError, Some("stdout is closed".to_owned()))
        })
    }
}

impl PrintWriterCallback for Printer<'_> {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.write(&output)
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.write(end.encode_utf8(&mut [0; 4]))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIMITS: Limits = Limits { time_ms: 60_000, memory_bytes: 1 << 30, recursion: 200 };

    fn eval(code: &str) -> (Result<Value, Failure>, String) {
        let mut printed = Vec::new();
        let result = run(code, &json!({"n": [1, 2.5, "ü", null, true]}), LIMITS, &mut printed);
        (result, String::from_utf8(printed).unwrap())
    }

    fn message(code: &str) -> String {
        eval(code).0.unwrap_err().to_string()
    }

    #[test]
    fn the_last_expression_is_the_value_and_what_is_printed_is_apart() {
        let (value, printed) = eval("print('sum', 3)\n{'sum': sum(inputs['n'][:2]), 'rest': (inputs['n'][2:], -0.5)}");
        assert_eq!(value.unwrap(), json!({"sum": 3.5, "rest": [["ü", null, true], -0.5]}));
        assert_eq!(printed, "sum 3\n");
        assert_eq!(eval("x = 1").0.unwrap(), Value::Null);
    }

    #[test]
    fn an_exception_has_pythons_own_traceback() {
        let text = message("def f(x):\n    return 1 / x\n\nf(0)\n");
        assert!(
            text.starts_with("Traceback (most recent call last):\n  File \"program.py\", line 4, in <module>"),
            "{text}"
        );
        assert!(text.ends_with("ZeroDivisionError: division by zero"), "{text}");
        assert!(message("1 +\n").contains("SyntaxError"));
    }

    #[test]
    fn nothing_of_the_machine_answers() {
        for (code, expected) in [
            ("import socket\nsocket.socket()", "ModuleNotFoundError: No module named 'socket'"),
            ("import subprocess", "ModuleNotFoundError"),
            ("open('/etc/passwd').read()", "PermissionError: open is refused"),
            ("from pathlib import Path\nPath('/etc/passwd').read_text()", "PermissionError: Path.read_text is refused"),
            ("import os\nos.environ['HOME']", "PermissionError: os.environ is refused"),
            ("import os\nos.getenv('HOME')", "PermissionError: os.getenv is refused"),
            ("import os\nos.system('id')", "AttributeError"),
            ("import datetime\ndatetime.datetime.now()", "PermissionError: datetime.now is refused"),
            ("__import__('os')", "NameError"),
            ("eval('1')", "NameError"),
            ("exec('1')", "NameError"),
            ("compile('1', '', 'eval')", "NameError"),
            ("().__class__.__base__.__subclasses__()", "AttributeError"),
            ("fetch('https://example.org/')", "NameError: name 'fetch' is not defined"),
        ] {
            let text = message(code);
            assert!(text.contains(expected), "{code}: {text}");
        }
        let caught = "try:\n    open('/etc/passwd')\nexcept OSError as error:\n    message = 'caught'\nmessage";
        assert_eq!(eval(caught).0.unwrap(), json!("caught"));
        assert!(
            message("while True:\n    try:\n        open('/x')\n    except OSError:\n        pass")
                .contains("PermissionError")
        );
    }

    #[test]
    fn each_limit_is_told_apart() {
        assert!(matches!(eval("def f():\n    return f()\nf()").0, Err(Failure::Recursion(_))));
        let limits = Limits { time_ms: 50, ..LIMITS };
        let endless = run("while True:\n    pass", &Value::Null, limits, &mut Vec::new());
        assert!(matches!(endless, Err(Failure::Time(_))), "{endless:?}");
        let huge = eval("'x' * 10 ** 12").0;
        assert!(matches!(huge, Err(Failure::Memory(_))), "{huge:?}");
    }

    #[test]
    fn what_a_program_raises_itself_is_no_limit() {
        for raised in [
            "TimeoutError('time limit exceeded: 61s > 60s')",
            "MemoryError('memory limit exceeded: 2 bytes > 1 bytes')",
            "RecursionError('maximum recursion depth exceeded')",
        ] {
            for code in [
                format!("raise {raised}"),
                format!("raise {raised} from ValueError('x')"),
                format!("try:\n    raise {raised}\nexcept Exception as error:\n    raise"),
                format!("try:\n    raise {raised}\nfinally:\n    print(1)"),
                format!("def f():\n    raise {raised}\n[f() for _ in range(2)]"),
                format!("class C:\n    def __repr__(self):\n        raise {raised}\nrepr(C())"),
                format!("import asyncio\nasync def f():\n    raise {raised}\nawait f()"),
                format!("import asyncio\nasync def f():\n    raise {raised}\nasyncio.run(asyncio.gather(f(), f()))"),
                format!("def f(x):\n    raise {raised}\nsorted([2, 1], key=f)"),
            ] {
                let failure = eval(&code).0.unwrap_err();
                let names_limit = failure.to_string().contains(" exceeded");
                assert!(matches!(failure, Failure::Exception(_)) && names_limit, "{code}: {failure:?}");
            }
        }
    }

    #[test]
    fn a_closed_stdout_ends_the_program() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let result = run("while True:\n    print(1)", &Value::Null, LIMITS, &mut Closed);
        assert!(matches!(result, Err(Failure::Print(_))), "{result:?}");
    }
}
