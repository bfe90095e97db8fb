//! What programs call themselves: the first line that each prints when it is asked for its version.
//!
//! It is asked where it will run, held as it will be, once in the life of this process.
//!
//! *Security*: only printable ASCII of it is kept, and little of that.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gatepost_documents::evidence::Limits;

use super::Plan;
use crate::environment;
use crate::lane::aside;
use crate::pipeline::Context;

const LINE_CHARS_MAX: usize = 128;
const ANSWER_BYTES_MAX: u64 = 4 * 1024;
const ANSWER_TIME_MS_MAX: u64 = 30_000;

/// The answers so far, by program.
#[derive(Debug, Default)]
pub struct Versions(Mutex<HashMap<String, String>>);

impl Versions {
    /// The version of a program, which is asked if it has not answered yet; empty if it does not.
    fn of(&self, program: &str, ask: impl FnOnce() -> Result<Vec<u8>, String>) -> String {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = known().get(program) {
            return version.clone();
        }
        // Nobody waits for another one's question: two answers are the same.
        let Ok(answer) = ask() else { return String::new() };
        let version = first_line(&answer);
        known().insert(program.to_owned(), version.clone());
        version
    }
}

/// The version of a plan's own program.
pub(super) fn of_program(plan: &Plan, context: &Context, folder: &Path, scan_id: &str) -> String {
    let name = plan.interpreter.as_str();
    let question = if name == "go" { "version" } else { "--version" };
    context.versions.of(name, || {
        let workplace = plan.workplace(context, folder).map_err(|fault| fault.to_string())?;
        let argv = plan.argv(&workplace, &[name.to_owned(), question.to_owned()]);
        let environment = environment::for_tool(workplace.inside(), name, scan_id, &[]);
        aside::printed(context, &workplace, "The question for the version", &argv, &environment, &limits(plan))
    })
}

/// The version of the launcher; empty where there is none.
pub(super) fn of_launcher(plan: &Plan, context: &Context, folder: &Path, scan_id: &str) -> String {
    let (Some(path), Some(identity)) = (plan.launcher.program(), &plan.identity) else { return String::new() };
    // By its digest, because one that was replaced is another program.
    context.versions.of(&identity.sha256.to_string(), || {
        let workplace = plan.workplace(context, folder).map_err(|fault| fault.to_string())?;
        let environment = environment::for_tool(workplace.inside(), plan.interpreter.as_str(), scan_id, &[]);
        let argv = [path.into(), "--version".into()];
        aside::printed(context, &workplace, "The question for the version", &argv, &environment, &limits(plan))
    })
}

fn limits(plan: &Plan) -> Limits {
    let own = plan.limits_around();
    Limits { time_ms: own.time_ms.min(ANSWER_TIME_MS_MAX), stdout_bytes: ANSWER_BYTES_MAX, ..own }
}

fn first_line(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().filter(|character| matches!(character, ' '..='~')).take(LINE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_first_line_as_plain_text() {
        for (answer, version) in [
            (&b"Python 3.11.2\n"[..], "Python 3.11.2"),
            (b"\n  v22.1.0 \nmore\n", "v22.1.0"),
            (b"\x1b[1mgo\xff\xe2\x80\xae`1`\r\n", "[1mgo`1`"),
            (b"", ""),
        ] {
            assert_eq!(first_line(answer), version);
        }
        assert_eq!(first_line("x".repeat(500).as_bytes()).len(), LINE_CHARS_MAX);
    }

    #[test]
    fn a_program_is_asked_until_it_answers_and_then_no_more() {
        let versions = Versions::default();
        assert_eq!(versions.of("python3", || Err("The question was stopped.".to_owned())), "");
        assert_eq!(versions.of("python3", || Ok(b"Python 3\n".to_vec())), "Python 3");
        assert_eq!(versions.of("python3", || unreachable!("it was asked again")), "Python 3");
    }
}
