//! The commands as data: all of them for `gatepost manifest`, and one for `COMMAND --schema`.
//!
//! All data comes from the parser's definitions and the declarations; nothing is listed twice. *Standards*: CLI Agent
//! Spec, REQ-O-041 and its `ManifestResponse`, REQ-C-001, REQ-C-015, REQ-C-029 and REQ-O-013.

mod parameter;
mod relation;

use std::collections::BTreeMap;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command};
use serde_json::{Value, json};

use super::claw::unknown_command;
use super::declarations;
use super::doctor;
use super::envelope;
use super::errors::Explained;
use super::outcome::to_value;
use super::presentation::SCHEMA_VERSION;
use super::stdin;
use crate::cli::prelude::*;
use parameter::Parameter;
use relation::{name, relations};

/// The names of the formats that every command has.
const FORMATS: [&str; 6] = ["json", "jsonl", "tsv", "plain", "table", "id"];

/// `gatepost manifest`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("manifest", data::<Tree>).anywhere().fails(&[ErrorCode::CommandNotFound]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Print everything about each command: flags, exit statuses, examples and the schema of its data.
    #[arg(long)]
    full: bool,
    /// Print this command alone, as COMMAND --schema does; separate its words with dots or spaces.
    #[arg(value_name = "COMMAND", num_args = 0.., conflicts_with = "full")]
    command: Vec<String>,
    /// Print the JSON Schema of the document that every command prints.
    #[arg(long, conflicts_with_all = ["full", "command"])]
    envelope_schema: bool,
}

/// All commands.
#[derive(Serialize, JsonSchema)]
struct Tree {
    schema_version: &'static str,
    framework_version: &'static str,
    /// Changes whenever anything else here changes.
    etag: String,
    commands: BTreeMap<String, Info>,
}

/// A command in a line, or all of it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Info {
    Line(Line),
    Full(Entry),
}

/// What a caller needs to choose a command.
#[derive(Serialize, JsonSchema)]
struct Line {
    description: String,
    danger_level: &'static str,
    /// Those beyond the ones of every command.
    arguments: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subcommands: Vec<String>,
}

impl Info {
    const fn summary(&self) -> (&'static str, &String) {
        match self {
            Self::Line(Line { danger_level, description, .. })
            | Self::Full(Entry { danger_level, description, .. }) => (*danger_level, description),
        }
    }
}

/// One command, or a word that others follow.
#[derive(Serialize, JsonSchema)]
struct Entry {
    description: String,
    danger_level: &'static str,
    flags: BTreeMap<String, Flag>,
    exit_codes: BTreeMap<String, Exit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    output_formats: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Example>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subcommands: Vec<String>,
}

/// An argument; one without dashes has the name of its place.
#[derive(Serialize, JsonSchema)]
struct Flag {
    r#type: &'static str,
    required: bool,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    enum_values: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    short: Option<String>,
}

/// What an exit status means.
#[derive(Serialize, JsonSchema)]
struct Exit {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    description: &'static str,
    retryable: bool,
    side_effects: &'static str,
}

/// An invocation that shows what a command is for.
#[derive(Serialize, JsonSchema)]
struct Example {
    description: String,
    command: String,
}

impl View for Tree {
    fn text(&self) -> String {
        let width = self.commands.keys().map(String::len).max().unwrap_or_default();
        let line = |(path, command): (&String, &Info)| {
            let (danger_level, description) = command.summary();
            format!("{:<width$}  {danger_level:<11}  {description}\n", path.replace('.', " "))
        };
        self.commands.iter().map(line).collect()
    }
}

/// All commands of `root`, or the requested part.
pub(super) fn run(root: &Command, arguments: &Arguments) -> Result<Outcome, Failure> {
    if arguments.envelope_schema {
        return Ok(Outcome::document(&envelope::schema(), None));
    }
    if !arguments.command.is_empty() {
        let words = arguments.command.join(".");
        let declaration = declarations::find(&words).ok_or_else(|| unknown_command(&words))?;
        return Ok(schema(root, declaration));
    }
    let mut root = root.clone();
    root.build();
    let mut entries = BTreeMap::new();
    collect(&root, "", &mut entries);
    let etag = Digest::of(to_value(&entries).to_string().as_bytes()).to_string();
    let info = |entry: Entry| if arguments.full { Info::Full(entry) } else { Info::Line(entry.line(&root)) };
    let commands = entries.into_iter().map(|(path, entry)| (path, info(entry))).collect();
    let framework_version = env!("CARGO_PKG_VERSION");
    Ok(Outcome::done(&Tree { schema_version: SCHEMA_VERSION, framework_version, etag, commands }))
}

impl Entry {
    /// The one-line form, for a command of `root`.
    fn line(self, root: &Command) -> Line {
        let is_own = |name: &String| root.get_arguments().all(|argument| self::name(argument) != *name);
        Line {
            description: self.description,
            danger_level: self.danger_level,
            arguments: self.flags.into_keys().filter(is_own).collect(),
            subcommands: self.subcommands,
        }
    }
}

fn collect(command: &Command, path: &str, commands: &mut BTreeMap<String, Entry>) {
    for child in command.get_subcommands().filter(|child| child.get_name() != "help") {
        let path = if path.is_empty() { child.get_name().to_owned() } else { format!("{path}.{}", child.get_name()) };
        collect(child, &path, commands);
        commands.insert(path.clone(), entry(child, declarations::find(&path)));
    }
}

fn entry(command: &Command, declaration: Option<&Declaration>) -> Entry {
    let flags = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let names = command.get_subcommands().map(Command::get_name).filter(|name| *name != "help");
    Entry {
        description: about(command),
        danger_level: danger(declaration),
        flags: flags.map(|argument| (name(argument), flag(argument))).collect(),
        exit_codes: exit_codes(declaration),
        output_schema: declaration.map(Declaration::data_schema),
        output_formats: FORMATS.to_vec(),
        examples: examples(command),
        subcommands: names.map(str::to_owned).collect(),
    }
}

/// The command with these words, separated by dots.
pub(super) fn find<'a>(root: &'a Command, path: &str) -> Option<&'a Command> {
    path.split('.').try_fold(root, |command, word| command.find_subcommand(word))
}

/// Whether a command has a dry run.
pub(super) fn has_dry_run(command: &Command) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some("dry-run"))
}

/// `COMMAND --schema`: everything about one command.
pub(super) fn schema(root: &Command, declaration: &Declaration) -> Outcome {
    let mut root = root.clone();
    root.build();
    let command = find(&root, declaration.path).unwrap_or(&root);
    let entry = entry(command, Some(declaration));
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let parameters: BTreeMap<String, Parameter> =
        shown.map(|argument| (name(argument), Parameter::of(argument))).collect();
    let errors: Vec<Explained> = declaration.codes().map(Explained::of).collect();
    Outcome::document_of(json!({
        "name": declaration.path,
        "description": entry.description,
        "danger_level": entry.danger_level,
        "stability": declaration.stability,
        "introduced_in": declaration.introduced_in,
        "parameters": parameters,
        "argument_relations": relations(command),
        "filesystem_side_effects": declaration.writes,
        "subprocesses": declaration.starts,
        "output_schema": entry.output_schema,
        "output_formats": entry.output_formats,
        "exit_codes": entry.exit_codes,
        "errors": errors,
        "examples": entry.examples,
        "requirements": requirements(declaration),
        "required_scopes": [],
        "capabilities": {
            "requires_auth": false,
            "auth_methods": [],
            "credentials_expire": false,
            "stdin_input": { "only_for": "-", "max_bytes": stdin::BYTES_MAX, "when_a_terminal": ErrorCode::StdinRequired },
            "requires_editor": false,
            "requires_interactive": false,
            "gui_operations": [],
            "config_write_scope": "none",
            // Network access of a run is TOOL-EXEC's; pages and MCP are served on loopback.
            "has_network_io": declaration.starts.contains(&Subprocess::NETWORK)
                || ["mcp", "serve"].contains(&declaration.path),
            "proxy_variables": "ignored",
            "streaming": declaration.watches,
            "option_placement": option_placement(command),
            // In that case a signal ends it without an outcome.
            "cancellable": declaration.watches || !declaration.confines,
        },
    }))
}

/// Where flags may occur: flags after an argument that may begin with a dash belong to that argument.
fn option_placement(command: &Command) -> &'static str {
    let takes_dashes = command.get_positionals().any(Arg::is_allow_hyphen_values_set);
    if takes_dashes { "before_arguments" } else { "anywhere" }
}

/// The requirements of a command: the checks of `doctor` that have to pass, and the programs that it may start.
fn requirements(declaration: &Declaration) -> Value {
    let programs: Vec<&str> = declaration.starts.iter().map(|started| started.binary).collect();
    let runs_tools = declaration.starts.contains(&Subprocess::TOOL);
    let confines = declaration.confines || declaration.starts.contains(&Subprocess::GATE);
    json!({
        "platform": "linux",
        "checks": doctor::required_checks(runs_tools, confines),
        "programs": programs,
        "check_command": "gatepost doctor",
    })
}

/// `COMMAND --output-schema`: JSON Schema of its data.
pub(super) fn output_schema(declaration: &Declaration) -> Outcome {
    Outcome::document_of(declaration.data_schema())
}

fn danger(declaration: Option<&Declaration>) -> &'static str {
    match declaration.map(|declaration| declaration.danger) {
        Some(Danger::Mutating) => "mutating",
        Some(Danger::Destructive) => "destructive",
        Some(Danger::Safe) | None => "safe",
    }
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn flag(argument: &Arg) -> Flag {
    let values: Vec<String> =
        argument.get_possible_values().iter().map(PossibleValue::get_name).map(str::to_owned).collect();
    let takes_value = argument.get_action().takes_values();
    let default = argument.get_default_values().first().and_then(|value| value.to_str()).map(str::to_owned);
    Flag {
        r#type: kind(argument, takes_value && !values.is_empty()),
        required: argument.is_required_set(),
        description: argument.get_help().map(ToString::to_string).unwrap_or_default(),
        default: default.filter(|_| takes_value),
        enum_values: if takes_value { values } else { Vec::new() },
        short: argument.get_short().map(String::from),
    }
}

fn kind(argument: &Arg, is_enum: bool) -> &'static str {
    match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Help | ArgAction::Version => "boolean",
        ArgAction::Append | ArgAction::Count => "array",
        _ if argument.get_num_args().is_some_and(|count| count.max_values() > 1) => "array",
        _ if is_enum => "enum",
        _ if parameter::range(argument).is_some() => "integer",
        _ => "string",
    }
}

/// The example lines of a command's help, each with the description after the gap.
fn examples(command: &Command) -> Vec<Example> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    // A long command continues in the next line.
    let help = help.replace("\\\n      ", "");
    let lines = help.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with("gatepost "));
    let example = |line: &str| match line.split_once("  ") {
        Some((command, text)) => Example { description: text.trim().to_owned(), command: command.to_owned() },
        None => Example { description: about(command), command: line.trim().to_owned() },
    };
    lines.map(example).collect()
}

fn exit_codes(declaration: Option<&Declaration>) -> BTreeMap<String, Exit> {
    let Some(declaration) = declaration else { return BTreeMap::new() };
    let changes = declaration.danger != Danger::Safe;
    declaration
        .statuses()
        .into_iter()
        .map(|status| (status.to_string(), meaning(declaration, status, changes)))
        .collect()
}

fn meaning(declaration: &Declaration, status: u8, changes: bool) -> Exit {
    let side_effects = match status {
        _ if !changes => "none",
        exit::SUCCESS => "complete",
        exit::GENERAL | exit::PARTIAL | exit::TIMEOUT | exit::REJECTED.. => "partial",
        _ => "none",
    };
    let retryable = status == exit::UNAVAILABLE || (status == exit::TIMEOUT && !changes);
    let name =
        declaration.codes().find(|code| code.exit() == status && status >= exit::REJECTED).map(ErrorCode::as_str);
    Exit { name, description: exit::meaning(status), retryable, side_effects }
}

impl Outcome {
    /// A success whose data is a document, printed unchanged for people.
    fn document_of(document: Value) -> Self {
        Self::done(&Document(document))
    }
}

/// Any object.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct Document(Value);

impl View for Document {
    fn text(&self) -> String {
        format!("{:#}\n", self.0)
    }
}

/// Members of data whose names the surrounding documents use themselves.
#[cfg(test)]
const RESERVED: [&str; 9] =
    ["timestamp", "command", "exit_code", "output_format", "error", "ok", "data", "warnings", "meta"];

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    #[test]
    fn no_command_has_members_that_the_documents_around_them_have() {
        for declaration in declarations::all() {
            let schema = declaration.data_schema();
            let members: Map<String, Value> = schema["properties"].as_object().cloned().unwrap_or_default();
            let taken: Vec<&String> = members.keys().filter(|name| RESERVED.contains(&name.as_str())).collect();
            assert!(taken.is_empty(), "{}: {taken:?}", declaration.path);
        }
    }
}
