//! The declaration of a command: its effects, its failures, and the schema of its data.
//!
//! Each declaration is beside its command's code, and is enforced: a failure outside the list does not leave the
//! program with its own status. *Standards*: CLI Agent Spec, REQ-C-001, REQ-C-002, REQ-C-011, REQ-C-015, REQ-C-019 and
//! REQ-C-029.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::panic::Location;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

use super::declarations;
use super::error_code::ErrorCode;
use super::exit;
use super::side_effect::{Subprocess, Write};

/// What a command changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Danger {
    /// It reads only.
    Safe,
    /// It makes or changes something.
    Mutating,
    /// It removes something permanently.
    Destructive,
}

/// How stable the form of a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stability {
    /// Versions add arguments, members and codes; only a new major version removes one or changes its meaning.
    Stable,
    /// The form is stable; rankings and guesses may differ between versions.
    Provisional,
}

/// The data is a list, at least if it has the member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct List {
    /// The member that holds the records.
    pub member: &'static str,
    /// The unique key of each record.
    pub name: &'static str,
    /// Whether it is paged. Records that a caller named one by one are shown in full.
    pub is_paged: bool,
}

/// One command.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub(super) struct Declaration {
    /// Its words, separated by dots.
    pub path: &'static str,
    /// The file that declares it.
    pub source: &'static str,
    /// Its effect.
    pub danger: Danger,
    /// Its failure codes, beside those of every command.
    failures: &'static [ErrorCode],
    /// The failure codes that it shares with similar commands.
    shared_failures: &'static [ErrorCode],
    /// Whether it runs another read-only command, whose failures it passes on.
    carries_out_others: bool,
    /// Whether it needs a site.
    in_site: bool,
    /// Whether it takes the id of a request or result, or `-` for one on standard input.
    takes_ids: bool,
    /// Whether an argument may be `-` for standard input.
    takes_stdin: bool,
    /// Whether its data is a list.
    pub list: Option<List>,
    /// The member of its data that identifies its subject.
    pub name: Option<&'static str>,
    /// Whether it runs until it is stopped, and handles signals and timeouts itself.
    pub watches: bool,
    /// Whether it confines itself, which requires a single thread. Signals and deadlines then end it without an outcome.
    pub confines: bool,
    /// Its default timeout in seconds while it waits for others. It keeps the deadline itself, and reports its progress.
    pub waits: Option<u64>,
    /// The places that it writes to.
    pub writes: &'static [Write],
    /// The folders of the site that it lists.
    pub looks_into: &'static [&'static str],
    /// The programs that it may start.
    pub starts: &'static [Subprocess],
    /// The flags with which stdout is a file for another program; an empty list means always.
    data_on_stdout: Option<&'static [&'static str]>,
    /// The stability of its form.
    pub stability: Stability,
    /// The first version that has it.
    pub introduced_in: &'static str,
    data: fn() -> Value,
}

/// The first version of gatepost.
const FIRST: &str = "0.1.0";

/// The codes that every command can fail with.
const EVERY: [ErrorCode; 4] =
    [ErrorCode::ArgError, ErrorCode::IoError, ErrorCode::Internal, ErrorCode::WarningsAsErrors];
/// The codes of a command in a site.
const IN_SITE: [ErrorCode; 1] = [ErrorCode::InitRequired];
/// The codes of a command that takes ids.
const WITH_IDS: [ErrorCode; 1] = [ErrorCode::InvalidAgentInput];
/// The codes of a command that reads standard input.
const WITH_STDIN: [ErrorCode; 3] = [ErrorCode::EmptyStdin, ErrorCode::StdinTooLarge, ErrorCode::StdinRequired];
/// The code of a command that waits for others.
const LATE: [ErrorCode; 1] = [ErrorCode::Timeout];
/// The codes of commands that a signal or deadline ends with an outcome: all but those that handle both themselves.
const ENDED: [ErrorCode; 2] = [ErrorCode::Cancelled, ErrorCode::Timeout];

impl Declaration {
    #[track_caller]
    const fn new(path: &'static str, danger: Danger, data: fn() -> Value) -> Self {
        Self {
            path,
            source: Location::caller().file(),
            danger,
            failures: &[],
            shared_failures: &[],
            carries_out_others: false,
            in_site: true,
            takes_ids: false,
            takes_stdin: false,
            list: None,
            name: None,
            watches: false,
            confines: false,
            waits: None,
            writes: &[],
            looks_into: &[],
            starts: &[],
            data_on_stdout: None,
            stability: Stability::Stable,
            introduced_in: FIRST,
            data,
        }
    }

    /// A read-only command.
    #[track_caller]
    pub(super) const fn safe(path: &'static str, data: fn() -> Value) -> Self {
        Self::new(path, Danger::Safe, data)
    }

    /// A command that creates or changes something.
    #[track_caller]
    pub(super) const fn mutating(path: &'static str, data: fn() -> Value) -> Self {
        Self::new(path, Danger::Mutating, data)
    }

    /// A command that removes something permanently.
    #[track_caller]
    pub(super) const fn destructive(path: &'static str, data: fn() -> Value) -> Self {
        Self::new(path, Danger::Destructive, data)
    }

    /// Declares its failure codes.
    pub(super) const fn fails(self, failures: &'static [ErrorCode]) -> Self {
        Self { failures, ..self }
    }

    /// Declares failure codes that it shares with similar commands.
    pub(super) const fn fails_like(self, shared_failures: &'static [ErrorCode]) -> Self {
        Self { shared_failures, ..self }
    }

    /// It takes ids, or `-` for one on standard input.
    pub(super) const fn takes_ids(self) -> Self {
        Self { takes_ids: true, takes_stdin: true, ..self }
    }

    /// An argument may be `-` for standard input.
    pub(super) const fn takes_stdin(self) -> Self {
        Self { takes_stdin: true, ..self }
    }

    /// It runs another read-only command and passes on its failures.
    pub(super) const fn carries_out_others(self) -> Self {
        Self { carries_out_others: true, ..self }
    }

    /// It needs no site.
    pub(super) const fn anywhere(self) -> Self {
        Self { in_site: false, ..self }
    }

    /// Its data is a list in this member; the other member is the key of each record.
    pub(super) const fn lists(self, member: &'static str, name: &'static str) -> Self {
        Self { list: Some(List { member, name, is_paged: true }), ..self }
    }

    /// Its data has a record in this member for each named thing; the other member is the key of each record.
    pub(super) const fn answers_each(self, member: &'static str, name: &'static str) -> Self {
        Self { list: Some(List { member, name, is_paged: false }), ..self }
    }

    /// This member of its data identifies its subject.
    pub(super) const fn about(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// It runs until it is stopped.
    pub(super) const fn watches(self) -> Self {
        Self { watches: true, ..self }
    }

    /// It confines itself.
    pub(super) const fn confines(self) -> Self {
        Self { confines: true, ..self }
    }

    /// It waits for others, by default for this many seconds; 0 means without a timeout.
    pub(super) const fn waits(self, seconds: u64) -> Self {
        Self { waits: Some(seconds), ..self }
    }

    /// It writes to these places.
    pub(super) const fn writes(self, writes: &'static [Write]) -> Self {
        Self { writes, ..self }
    }

    /// It lists these folders of the site, and fails without that right.
    pub(super) const fn needs_to_list(self, looks_into: &'static [&'static str]) -> Self {
        Self { looks_into, ..self }
    }

    /// It may start these programs.
    pub(super) const fn starts(self, starts: &'static [Subprocess]) -> Self {
        Self { starts, ..self }
    }

    /// Its stdout is a file for another program, always or with one of these flags, unless JSON is requested explicitly.
    pub(super) const fn prints_data(self, flags: &'static [&'static str]) -> Self {
        Self { data_on_stdout: Some(flags), ..self }
    }

    /// Whether stdout is such a file with these arguments.
    pub(super) fn is_data_on_stdout(&self, arguments: &[OsString]) -> bool {
        self.data_on_stdout
            .is_some_and(|flags| flags.is_empty() || arguments.iter().any(|word| flags.iter().any(|flag| word == flag)))
    }

    /// Its answers may differ between versions.
    pub(super) const fn provisional(self) -> Self {
        Self { stability: Stability::Provisional, ..self }
    }

    /// Its failure codes, in the order of the table.
    pub(super) fn codes(&self) -> impl Iterator<Item = ErrorCode> {
        ErrorCode::ALL.iter().copied().filter(|code| self.fails_with(*code))
    }

    fn fails_with(&self, code: ErrorCode) -> bool {
        let is_ended = !self.confines && !self.watches;
        let as_another = self.carries_out_others && declarations::all().any(|other| other.is_carried_out_with(code));
        (is_ended && ENDED.contains(&code)) || as_another || self.fails_itself_with(code)
    }

    /// Whether the code is its own failure, not an external end.
    fn fails_itself_with(&self, code: ErrorCode) -> bool {
        let follows: [(bool, &[ErrorCode]); 7] = [
            (true, &EVERY),
            (true, self.failures),
            (true, self.shared_failures),
            (self.in_site, &IN_SITE),
            (self.takes_ids, &WITH_IDS),
            (self.takes_stdin, &WITH_STDIN),
            (self.waits.is_some(), &LATE),
        ];
        follows.iter().any(|(holds, codes)| *holds && codes.contains(&code))
    }

    /// Whether a command that runs others can fail with the code because this one does.
    fn is_carried_out_with(&self, code: ErrorCode) -> bool {
        self.danger == Danger::Safe && !self.watches && !self.carries_out_others && self.fails_itself_with(code)
    }

    /// Its possible exit statuses.
    pub(super) fn statuses(&self) -> BTreeSet<u8> {
        let of_codes = self.codes().map(ErrorCode::exit);
        of_codes.chain([exit::SUCCESS, exit::TERMINATED]).collect()
    }

    /// JSON Schema 2020-12 of its data.
    pub(super) fn data_schema(&self) -> Value {
        (self.data)()
    }
}

/// The schema of a command with two alternative forms of data.
pub(super) fn either<A: JsonSchema, B: JsonSchema>() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let one_of = [generator.subschema_for::<A>(), generator.subschema_for::<B>()];
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "anyOf": one_of,
        "$defs": generator.take_definitions(true),
    })
}

/// JSON Schema 2020-12 of a command's data.
pub(super) fn data<T: JsonSchema>() -> Value {
    // The schema describes output, not accepted input.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
