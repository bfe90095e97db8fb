//! Prints the single outcome of an invocation in the requested form.
//!
//! Nothing else writes to stdout, except a batch, which prints its lines first. *Security*: strangers' words reach a
//! terminal only through a command's own text, and programs as JSON or escaped cells.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

use super::cat;
use super::claw;
use super::declaration::List;
use super::envelope::{self, Configuration, Invocation};
use super::pagination::Window;
use super::presentation::{Arguments, Format, Presentation};
use super::records;
use crate::cli::prelude::*;

/// A stream that takes nothing for this long counts as unread.
const STUCK_AFTER: Duration = Duration::from_millis(500);

/// The facts of an invocation before its outcome.
#[derive(Debug)]
pub(super) struct Printer {
    /// The id of the invocation.
    pub id: String,
    /// The form of its output.
    pub arguments: Arguments,
    /// The command, if the arguments name one.
    pub declaration: Option<&'static Declaration>,
    /// Whether stdout is a file for another program, which must not contain a failure.
    pub is_data_on_stdout: bool,
    /// The first word of the arguments that is not a flag.
    pub first_word: String,
    /// When it began.
    pub started: DateTime<Utc>,
    /// Its timeout.
    pub timeout: Option<Duration>,
    /// Whether it is a dry run.
    pub is_dry_run: bool,
    /// The site.
    pub site: Option<PathBuf>,
    /// Its configuration.
    pub configuration: Configuration,
    /// A lock that ensures that one outcome is printed.
    pub printing: Mutex<()>,
}

impl Printer {
    /// Prints the outcome, and returns the exit status of the process.
    pub(super) fn print(&self, outcome: Outcome) -> u8 {
        // Never released: a second caller waits until the process ends.
        std::mem::forget(self.printing.lock().unwrap_or_else(PoisonError::into_inner));
        let outcome = self.strict(self.declared(self.paged(outcome)));
        let presentation = self.arguments.presentation();
        let status = self.status(&outcome);
        if let Some(file) = &outcome.file {
            return shown(cat::print(file), status);
        }
        let is_failure_alone = outcome.error.is_some() && !outcome.is_document;
        if self.is_data_on_stdout && is_failure_alone && !self.arguments.asks_for_json() {
            return self.write("", &format!("{}{}", outcome.messages(), outcome.text()), status);
        }
        let (text, messages) = match presentation {
            _ if outcome.is_document => (outcome.text().to_owned(), String::new()),
            Presentation::Claw => (format!("{}\n", claw::view(&self.envelope(&outcome))), String::new()),
            Presentation::Spec(Format::Json) => {
                // A demo prints for people, also through a pipe.
                let is_demo = self.declaration.is_some_and(|declaration| declaration.path == "demo");
                let watched = is_demo && outcome.data["cases"].is_array();
                (
                    format!("{}\n", self.envelope(&outcome)),
                    if watched { outcome.text().to_owned() } else { String::new() },
                )
            }
            Presentation::Spec(Format::Jsonl) => {
                (records::json_lines(&self.envelope(&outcome), self.list()), String::new())
            }
            Presentation::Spec(Format::Tsv) => {
                (records::columns(&self.selected(&outcome), self.list()), self.messages(&outcome))
            }
            Presentation::Spec(Format::Id) => {
                let name = self.declaration.and_then(|declaration| declaration.name);
                (records::ids(&outcome.data, self.list(), name), self.messages(&outcome))
            }
            Presentation::Spec(Format::Plain | Format::Table) => (outcome.text().to_owned(), self.messages(&outcome)),
        };
        self.write(&text, &messages, status)
    }

    /// Reports that the command still runs: to programs that read lines on stdout, else on stderr.
    pub(super) fn beat(&self, elapsed: Duration) {
        // The outcome has priority, and an unread stream must not delay a signal.
        let Ok(_printing) = self.printing.try_lock() else { return };
        if !takes_more(&io::stdout(), Duration::ZERO) || !takes_more(&io::stderr(), Duration::ZERO) {
            return;
        }
        let command = self.declaration.map(|declaration| declaration.path.replace('.', " ")).unwrap_or_default();
        match self.arguments.presentation() {
            Presentation::Claw => {}
            Presentation::Spec(Format::Jsonl) => {
                let beat = json!({"_heartbeat": true, "elapsed_ms": elapsed.as_millis()});
                let _ = write(&mut io::stdout(), &format!("{beat}\n"));
            }
            Presentation::Spec(_) => {
                let _ = write(&mut io::stderr(), &format!("{command}: still running after {} s\n", elapsed.as_secs()));
            }
        }
    }

    /// Prints an outcome that replaces another, which another thread may be printing. If nobody reads stdout, it
    /// reports the end on stderr.
    pub(super) fn print_instead(&self, outcome: Outcome) -> u8 {
        if self.printing.try_lock().is_err() {
            // Usually the process ends within this time, and there is nothing to print.
            thread::sleep(STUCK_AFTER);
        } else if takes_more(&io::stdout(), STUCK_AFTER) {
            return self.print(outcome);
        }
        if takes_more(&io::stderr(), Duration::ZERO) {
            let words = outcome.error.as_ref().map(Failure::to_text).unwrap_or_default();
            let _ = write(&mut io::stderr(), &words);
        }
        self.status(&outcome)
    }

    /// The messages on stderr beside the text. A watcher's log already reports the stop.
    fn messages(&self, outcome: &Outcome) -> String {
        let is_logged = self.declaration.is_some_and(|declaration| declaration.watches)
            && outcome.error.as_ref().is_some_and(|failure| failure.code == ErrorCode::Cancelled);
        if is_logged { String::new() } else { outcome.messages() }
    }

    /// The exit status of the process.
    fn status(&self, outcome: &Outcome) -> u8 {
        match self.arguments.presentation() {
            Presentation::Claw => claw::exit_status(outcome.exit(), &outcome.data),
            Presentation::Spec(_) => outcome.exit(),
        }
    }

    /// Prints text that is not an outcome: help.
    pub(super) fn print_text(&self, text: &str, messages: &str) -> u8 {
        self.write(text, messages, exit::SUCCESS)
    }

    fn write(&self, text: &str, messages: &str, status: u8) -> u8 {
        let written = write(&mut io::stdout(), text);
        if !self.arguments.is_quiet() {
            let _ = write(&mut io::stderr(), messages);
        }
        shown(written, status)
    }

    fn list(&self) -> Option<List> {
        self.declaration.and_then(|declaration| declaration.list)
    }

    fn invocation(&self, outcome: &Outcome) -> Invocation<'_> {
        Invocation {
            id: &self.id,
            declaration: self.declaration,
            first_word: &self.first_word,
            started: self.started,
            completed: Utc::now(),
            timeout: self.timeout,
            site: self.site.as_deref(),
            configuration: &self.configuration,
            is_dry_run: self.is_dry_run || outcome.is_preview,
        }
    }

    fn envelope(&self, outcome: &Outcome) -> Value {
        let mut envelope = envelope::spec(outcome, &self.invocation(outcome), &self.arguments);
        records::select(&mut envelope["data"], self.list(), self.arguments.fields());
        envelope
    }

    fn selected(&self, outcome: &Outcome) -> Value {
        let mut data = outcome.data.clone();
        records::select(&mut data, self.list(), self.arguments.fields());
        data
    }

    /// The requested page of a list, unless the command selected it itself.
    fn paged(&self, mut outcome: Outcome) -> Outcome {
        let Some(list) = self.list().filter(|list| list.is_paged && outcome.pagination.is_none()) else {
            return outcome;
        };
        let Some(records) = outcome.data.get_mut(list.member).and_then(Value::as_array_mut) else { return outcome };
        let named = std::mem::take(records).into_iter().map(|record| {
            let name = record[list.name].as_str().unwrap_or_default().to_owned();
            (name, record)
        });
        let window = if self.is_for_people() { Window::ALL } else { self.arguments.window() };
        match window.of(named.collect(), |(name, _)| name) {
            Ok((page, pagination)) => {
                outcome.data[list.member] = page.into_iter().map(|(_, record)| record).collect();
                outcome.on_page(pagination)
            }
            Err(failure) => failure.into(),
        }
    }

    /// Whether people read it: they get the text of the whole list.
    fn is_for_people(&self) -> bool {
        matches!(self.arguments.presentation(), Presentation::Spec(Format::Plain | Format::Table))
    }

    /// Turns a success with warnings into a failure, if the caller requests that.
    fn strict(&self, mut outcome: Outcome) -> Outcome {
        if !self.arguments.is_strict() || outcome.error.is_some() || outcome.is_document {
            return outcome;
        }
        // Printing may add warnings.
        let envelope = self.envelope(&outcome);
        let warned: Vec<&str> =
            envelope["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !self.is_for_people() && !warned.is_empty() || !outcome.warnings.is_empty() {
            let message = format!("The command succeeded with warnings: {}", warned.join(" "));
            let hint = "Fix what they name, or leave out --warnings-as-errors.";
            let failure = Failure::new(ErrorCode::WarningsAsErrors, FailureKind::Runtime, message, hint);
            outcome.error = Some(failure.during("warn", ""));
        }
        outcome
    }

    /// An undeclared failure is printed, but with a general exit status.
    fn declared(&self, mut outcome: Outcome) -> Outcome {
        let is_undeclared = |failure: &&mut Failure| {
            self.declaration.is_some_and(|declaration| declaration.codes().all(|code| code != failure.code))
        };
        if let Some(failure) = outcome.error.as_mut().filter(is_undeclared) {
            debug_assert!(
                false,
                "{:?} does not declare {failure:?}",
                self.declaration.map(|declaration| declaration.path)
            );
            failure.exit = exit::GENERAL;
        }
        outcome
    }
}

/// Whether a stream takes output within this time.
fn takes_more(stream: &impl AsFd, within: Duration) -> bool {
    let Ok(within) = Timespec::try_from(within) else { return true };
    poll(&mut [PollFd::new(stream, PollFlags::OUT)], Some(&within)) != Ok(0)
}

fn write(to: &mut dyn Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes()).and_then(|()| to.flush())
}

/// The exit status after printing; a closed pipe is not an error.
fn shown(written: io::Result<()>, status: u8) -> u8 {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = write(&mut io::stderr(), &format!("error: gatepost failed to write to stdout: {error}.\n"));
            exit::GENERAL
        }
        _ => status,
    }
}
