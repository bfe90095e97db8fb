//! The arguments of every command that select the form and size of the output.
//!
//! The outcome does not depend on them. *Standards*: CLI Agent Spec, REQ-F-003, REQ-O-001 to REQ-O-008 and REQ-O-042,
//! for `--output`; the claw contract for `--output-format`.

use std::ffi::OsString;
use std::io::IsTerminal;

use clap::ValueEnum;

use super::pagination::Window;

/// The environment variable for the format; `--output` overrides it.
pub(super) const OUTPUT_VARIABLE: &str = "GATEPOST_OUTPUT";

/// The form of an outcome on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presentation {
    /// The members `ok data error warnings meta`, or text, by the CLI Agent Spec.
    Spec(Format),
    /// The members of the data beside those of the claw contract.
    Claw,
}

/// A form that `--output` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One line of JSON: ok, data, error, warnings, meta.
    Json,
    /// Lists as a line of JSON for each record, then one for the rest.
    Jsonl,
    /// Lists as columns between tabs, after a line of their names.
    Tsv,
    /// Text without decoration.
    Plain,
    /// Text for a terminal.
    #[value(alias = "text")]
    Table,
    /// Names alone, one a line.
    Id,
}

/// A form that `--output-format` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputFormat {
    /// One JSON object of the claw contract.
    Json,
    /// Text for a terminal.
    Text,
}

/// The version of the output format. *Standards*: CLI Agent Spec, REQ-F-022 and REQ-O-014.
pub(super) const SCHEMA_VERSION: &str = "1.0";

/// What every command takes.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Output of every command")]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag that a caller may give")]
pub(super) struct Arguments {
    /// How to show the outcome: json, jsonl, tsv, plain, table or id. Default: table on a terminal, else json.
    #[arg(long, short = 'o', global = true, value_enum, env = OUTPUT_VARIABLE, value_name = "FORMAT", hide_possible_values = true)]
    output: Option<Format>,
    /// Show the outcome in the form of the claw contract: json or text.
    #[arg(long, global = true, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    output_format: Option<OutputFormat>,
    /// Show only these members of each record, or of the data; unknown names are ignored.
    #[arg(long, global = true, value_name = "NAMES", value_delimiter = ',')]
    fields: Vec<String>,
    /// Of a list, show at most this many records; 0 shows all.
    #[arg(long, global = true, value_name = "N", default_value_t = Window::LIMIT)]
    limit: usize,
    /// Of a list, show the page after this cursor.
    #[arg(long, global = true, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Leave out values that differ from call to call, so that the same data gives the same bytes.
    #[arg(long, global = true)]
    stable_output: bool,
    /// Show at most this many bytes of JSON; 0 shows all.
    #[arg(long, global = true, value_name = "BYTES", default_value_t = Arguments::OUTPUT_BYTES, env = "GATEPOST_OUTPUT_BYTES_MAX", hide_env = true)]
    max_output: usize,
    /// Print the arguments, output and failures of the command, and do nothing.
    #[arg(long, global = true, visible_alias = "print-schema")]
    schema: bool,
    /// Print the JSON Schema of its data, and do nothing.
    #[arg(long, global = true)]
    output_schema: bool,
    /// The version of the outcome's form that the caller understands; there is one.
    #[arg(long, global = true, value_name = "VERSION", value_parser = [SCHEMA_VERSION], hide_possible_values = true)]
    schema_version: Option<String>,
    /// Fail with status 1 if there are warnings, although the command succeeded.
    #[arg(long, global = true)]
    warnings_as_errors: bool,
    /// Write nothing to stderr.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Have a watcher log what it does, as --log-level debug does.
    #[arg(long, short, global = true)]
    verbose: bool,
}

impl Arguments {
    /// REQ-F-052.
    const OUTPUT_BYTES: usize = 1024 * 1024;

    /// The selected form. The command line overrides the environment.
    pub(super) fn presentation(&self) -> Presentation {
        match self.output_format {
            Some(OutputFormat::Json) => Presentation::Claw,
            Some(OutputFormat::Text) => Presentation::Spec(Format::Table),
            None => Presentation::Spec(self.output.unwrap_or_else(default_format)),
        }
    }

    /// Whether JSON is requested explicitly, not by default.
    pub(super) fn asks_for_json(&self) -> bool {
        self.output_format == Some(OutputFormat::Json) || matches!(self.output, Some(Format::Json | Format::Jsonl))
    }

    /// A best guess for arguments that do not parse, else from the environment.
    pub(super) fn guess(arguments: &[OsString]) -> Self {
        let texts: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
        let value = |flag: &str| {
            let inline = texts.iter().find_map(|text| text.strip_prefix(flag)?.strip_prefix('='));
            inline.or_else(|| texts.windows(2).find(|pair| pair[0] == flag).map(|pair| pair[1]))
        };
        let environment = std::env::var(OUTPUT_VARIABLE).ok();
        let output = value("--output").or_else(|| value("-o")).or(environment.as_deref());
        Self {
            output: output.and_then(|text| Format::from_str(text, true).ok()),
            output_format: value("--output-format").and_then(|text| OutputFormat::from_str(text, true).ok()),
            quiet: texts.contains(&"--quiet") || texts.contains(&"-q"),
            ..Self::default()
        }
    }

    /// Whether both contracts' flags are given, which request different documents. The environment then counts for nothing.
    pub(super) fn contradict(arguments: &[OsString]) -> bool {
        let given = |flag: &str| {
            let is = |text: &str| text.strip_prefix(flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
            arguments.iter().filter_map(|argument| argument.to_str()).any(is)
        };
        given("--output-format") && (given("--output") || given("-o"))
    }

    /// The requested part of a list.
    pub(super) fn window(&self) -> Window {
        Window { limit: if self.limit == 0 { usize::MAX } else { self.limit }, after: self.cursor.clone() }
    }

    /// The requested members; none means all.
    pub(super) fn fields(&self) -> &[String] {
        &self.fields
    }

    /// The most bytes of JSON.
    pub(super) fn bytes_max(&self) -> usize {
        if self.max_output == 0 { usize::MAX } else { self.max_output }
    }

    /// Whether values that differ between calls are omitted.
    pub(super) fn is_stable(&self) -> bool {
        self.stable_output
    }

    /// Whether a success with warnings is a failure.
    pub(super) fn is_strict(&self) -> bool {
        self.warnings_as_errors
    }

    /// Whether the output is verbose.
    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Whether stderr stays empty.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }
}

fn default_format() -> Format {
    let for_people = std::io::stdout().is_terminal() && std::env::var_os("CI").is_none_or(|value| value.is_empty());
    if for_people { Format::Table } else { Format::Json }
}
