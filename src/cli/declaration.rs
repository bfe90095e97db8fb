//! What a command says of itself: whether it changes anything, how it can fail, and what its data looks like.
//!
//! Each command's declaration stands beside its code. What is declared is held against what is done: a failure that is not in the
//! list does not leave the program with its own status. *Standards*: CLI Agent Spec, REQ-C-001, REQ-C-002, REQ-C-011, REQ-C-015,
//! REQ-C-019 and REQ-C-029.

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

/// That the data is a list, at least where it has the member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct List {
    /// The member that holds the records.
    pub member: &'static str,
    /// The member of each record that no two have in common.
    pub name: &'static str,
    /// Whether it is shown by the page. What a caller named one by one is shown whole.
    pub is_paged: bool,
}

/// One command.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each says something of its own, and any may go with any")]
pub(super) struct Declaration {
    /// Its words, with a dot between.
    pub path: &'static str,
    /// The file that declares it.
    pub source: &'static str,
    /// What it does to the world.
    pub danger: Danger,
    /// The codes that it can fail with, beside those that every command can.
    failures: &'static [ErrorCode],
    /// Those that it has in common with others that do the same.
    shared_failures: &'static [ErrorCode],
    /// Whether it carries out another command that only looks, and can fail as that.
    carries_out_others: bool,
    /// Whether it needs a site.
    in_site: bool,
    /// Whether an argument of it is the id of a request or result, or `-` for one on standard input.
    takes_ids: bool,
    /// Whether an argument of it may be `-`, for what is on standard input.
    takes_stdin: bool,
    /// Whether its data is a list.
    pub list: Option<List>,
    /// The member of its data that names what it is about.
    pub name: Option<&'static str>,
    /// Whether it goes on until it is stopped, so that it deals with signals and time by itself.
    pub watches: bool,
    /// Whether it confines itself, for which it must have one thread: signals and deadlines then end it without an outcome.
    pub confines: bool,
    /// How many seconds it waits for others unless it is told otherwise; it then keeps its deadline itself, and says what it saw.
    pub waits: Option<u64>,
    /// The places that it writes to.
    pub writes: &'static [Write],
    /// The folders of the site that it lists.
    pub looks_into: &'static [&'static str],
    /// The programs that it may start.
    pub starts: &'static [Subprocess],
    /// With which of its flags stdout is a file for another program; an empty list is always.
    data_on_stdout: Option<&'static [&'static str]>,
    /// How sure a caller may be of its form.
    pub stability: Stability,
    /// The first version that has it.
    pub introduced_in: &'static str,
    data: fn() -> Value,
}

/// The first version of all.
const FIRST: &str = "0.1.0";

/// The codes that every command can fail with.
const EVERY: [ErrorCode; 4] =
    [ErrorCode::ArgError, ErrorCode::IoError, ErrorCode::Internal, ErrorCode::WarningsAsErrors];
/// Those of a command in a site.
const IN_SITE: [ErrorCode; 1] = [ErrorCode::InitRequired];
/// Those of a command that takes ids.
const WITH_IDS: [ErrorCode; 1] = [ErrorCode::InvalidAgentInput];
/// Those of a command that reads standard input.
const WITH_STDIN: [ErrorCode; 3] = [ErrorCode::EmptyStdin, ErrorCode::StdinTooLarge, ErrorCode::StdinRequired];
/// That of a command which waits for others.
const LATE: [ErrorCode; 1] = [ErrorCode::Timeout];
/// Those of a command that a signal or its deadline ends with an outcome: of all but those that deal with both themselves.
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

    /// A command that only looks.
    #[track_caller]
    pub(super) const fn safe(path: &'static str, data: fn() -> Value) -> Self {
        Self::new(path, Danger::Safe, data)
    }

    /// A command that makes or changes something.
    #[track_caller]
    pub(super) const fn mutating(path: &'static str, data: fn() -> Value) -> Self {
        Self::new(path, Danger::Mutating, data)
    }

    /// A command that removes something for good.
    #[track_caller]
    pub(super) const fn destructive(path: &'static str, data: fn() -> Value) -> Self {
        Self::new(path, Danger::Destructive, data)
    }

    /// It can fail with these codes.
    pub(super) const fn fails(self, failures: &'static [ErrorCode]) -> Self {
        Self { failures, ..self }
    }

    /// It can fail with these codes too, as others that do the same.
    pub(super) const fn fails_like(self, shared_failures: &'static [ErrorCode]) -> Self {
        Self { shared_failures, ..self }
    }

    /// Arguments of it are ids, or `-` for one on standard input.
    pub(super) const fn takes_ids(self) -> Self {
        Self { takes_ids: true, takes_stdin: true, ..self }
    }

    /// An argument of it may be `-`, for what is on standard input.
    pub(super) const fn takes_stdin(self) -> Self {
        Self { takes_stdin: true, ..self }
    }

    /// It carries out another command that only looks, and can fail as that.
    pub(super) const fn carries_out_others(self) -> Self {
        Self { carries_out_others: true, ..self }
    }

    /// It needs no site.
    pub(super) const fn anywhere(self) -> Self {
        Self { in_site: false, ..self }
    }

    /// Its data is a list, in this member, of records that this member of theirs names.
    pub(super) const fn lists(self, member: &'static str, name: &'static str) -> Self {
        Self { list: Some(List { member, name, is_paged: true }), ..self }
    }

    /// Its data has a record for each of several things that a caller named, in this member, named by this member of theirs.
    pub(super) const fn answers_each(self, member: &'static str, name: &'static str) -> Self {
        Self { list: Some(List { member, name, is_paged: false }), ..self }
    }

    /// This member of its data names what it is about.
    pub(super) const fn about(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// It goes on until it is stopped.
    pub(super) const fn watches(self) -> Self {
        Self { watches: true, ..self }
    }

    /// It confines itself.
    pub(super) const fn confines(self) -> Self {
        Self { confines: true, ..self }
    }

    /// It waits for others so many seconds unless it is told otherwise; 0 is without end.
    pub(super) const fn waits(self, seconds: u64) -> Self {
        Self { waits: Some(seconds), ..self }
    }

    /// It writes to these places.
    pub(super) const fn writes(self, writes: &'static [Write]) -> Self {
        Self { writes, ..self }
    }

    /// It lists these folders of the site, and fails where the caller may not.
    pub(super) const fn needs_to_list(self, looks_into: &'static [&'static str]) -> Self {
        Self { looks_into, ..self }
    }

    /// It may start these programs.
    pub(super) const fn starts(self, starts: &'static [Subprocess]) -> Self {
        Self { starts, ..self }
    }

    /// Its stdout is a file for another program, always or with one of these flags, unless JSON is asked for by name.
    pub(super) const fn prints_data(self, flags: &'static [&'static str]) -> Self {
        Self { data_on_stdout: Some(flags), ..self }
    }

    /// Whether stdout is such a file with these arguments.
    pub(super) fn is_data_on_stdout(&self, arguments: &[OsString]) -> bool {
        self.data_on_stdout
            .is_some_and(|flags| flags.is_empty() || arguments.iter().any(|word| flags.iter().any(|flag| word == flag)))
    }

    /// What it answers may differ from version to version.
    pub(super) const fn provisional(self) -> Self {
        Self { stability: Stability::Provisional, ..self }
    }

    /// The codes that it can fail with, in the order of the table.
    pub(super) fn codes(&self) -> impl Iterator<Item = ErrorCode> {
        ErrorCode::ALL.iter().copied().filter(|code| self.fails_with(*code))
    }

    fn fails_with(&self, code: ErrorCode) -> bool {
        let is_ended = !self.confines && !self.watches;
        let as_another = self.carries_out_others && declarations::all().any(|other| other.is_carried_out_with(code));
        (is_ended && ENDED.contains(&code)) || as_another || self.fails_itself_with(code)
    }

    /// The same without what ends it from outside.
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

    /// Whether a command that carries out others can fail with the code because this one does.
    fn is_carried_out_with(&self, code: ErrorCode) -> bool {
        self.danger == Danger::Safe && !self.watches && !self.carries_out_others && self.fails_itself_with(code)
    }

    /// The exit statuses that it can end with.
    pub(super) fn statuses(&self) -> BTreeSet<u8> {
        let of_codes = self.codes().map(ErrorCode::exit);
        of_codes.chain([exit::SUCCESS, exit::TERMINATED]).collect()
    }

    /// JSON Schema 2020-12 of its data.
    pub(super) fn data_schema(&self) -> Value {
        (self.data)()
    }
}

/// The same of a command that says one of two things.
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
    // What is printed is described, not what could be read.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
