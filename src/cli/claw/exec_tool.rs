//! `gatepost exec-tool`: one call of a tool through the mailbox, from its payload to the gate's verdict.

use std::path::PathBuf;

use gatepost_exec::toolbox::Toolbox;

use super::execution::{Call, Execution, execute};
use super::{payload, tools};
use crate::cli::prelude::*;
use crate::cli::tools::find;

const PURPOSE: &str = "Called with gatepost exec-tool";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  gatepost exec-tool fail_with status=0\n  gatepost exec-tool line_count '{\"file\": \"report.txt\"}' --input report.txt"
)]
pub(crate) struct Arguments {
    /// The tool.
    #[arg(value_name = "TOOL", value_parser = identifier::tool)]
    name: String,
    /// Its arguments: a JSON object, or name=value words in one text.
    #[arg(default_value = "", hide_default_value = true)]
    payload: String,
    /// An input file, which the tool finds in in/; may be repeated.
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Check the call, and run nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Executed<'a> {
    /// The results come from the tool.
    _trusted: bool,
    name: &'a str,
    payload: &'a str,
    handled: bool,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_hint: Option<String>,
    #[serde(flatten)]
    execution: Execution,
}

impl View for Executed<'_> {
    fn text(&self) -> String {
        let places = self.execution.path.iter().map(|path| format!("Files:  {}\n", path.display()));
        format!("{}: {}\n", self.name, self.message) + &places.collect::<String>()
    }
}

pub(super) fn run(open: Open, arguments: &Arguments, bounds: &Bounds) -> Outcome {
    let Arguments { name, payload, dry_run, .. } = arguments;
    let mut source_hint = None;
    let called = find(&Toolbox::at(&open.site), name).and_then(|tool| {
        source_hint = Some(tools::source(&tool.path));
        payload::arguments(payload)
    });
    let (execution, failure) = match called {
        Ok(args) => {
            let (inputs, timeout) = (arguments.inputs.clone(), bounds.timeout);
            execute(open, Call { tool: name, args, inputs, purpose: PURPOSE, is_dry_run: *dry_run, timeout })
        }
        Err(failure) => (Execution::default(), Some(failure)),
    };
    let (message, handled) = (execution.message(), failure.is_none() && !dry_run);
    Outcome::ended(&Executed { _trusted: false, name, payload, handled, message, source_hint, execution }, failure)
}
