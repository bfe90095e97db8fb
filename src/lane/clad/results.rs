//! From the raw output of a tool to results that satisfy the output schema of its manifest.
//!
//! A parser that is a script runs as the tool itself does, in folders of its own.
//!
//! *Security*: reads all that the tool printed; bounded in size and depth. *Standards*: ToolClad, "Output & Evidence".

use std::path::Path;

use gatepost_documents::evidence::{Failure, FailureCode, Limits};
use serde_json::Value;

use super::Plan;
use super::command::TOOLS;
use crate::context::Context;
use crate::environment;
use crate::lane::auxiliary;
use crate::lane::output::{self, OUTPUT_BYTES_MAX};
use crate::lane::workplace::Workplace;
use crate::manifest::{Manifest, Parser};
use crate::parser::Builtin;

/// Text up to this many bytes becomes results; of more, the beginning.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// The parsed results. What was left out of them is added to `anomalies`.
pub(super) fn read(
    context: &Context,
    plan: &Plan,
    (raw, work): (&Path, &Path),
    scan_id: &str,
    anomalies: &mut Vec<String>,
) -> Result<Value, Failure> {
    let manifest = &plan.tool.manifest;
    let (output, builtin) = match manifest.parser() {
        Parser::Script(script) => (run_parser(context, plan, script.as_str(), raw, work, scan_id), Builtin::Json),
        Parser::Builtin(Builtin::Text) => (read_text(raw, anomalies), Builtin::Text),
        Parser::Builtin(builtin) => (auxiliary::read_bounded(raw, OUTPUT_BYTES_MAX), *builtin),
    };
    let schema = manifest.output().map_or(&Value::Null, |output| &output.schema);
    output::parsed(output, builtin, schema, manifest.name())
}

/// The results, if they satisfy the output schema and are not too large.
pub(super) fn checked(manifest: &Manifest, results: Value) -> Result<Value, Failure> {
    manifest.check_results(&results).map_err(|violations| {
        let first = violations.first().map(ToString::to_string).unwrap_or_default();
        let message =
            format!("The parsed output violates the manifest's output schema in {} places. {first}", violations.len());
        output::broken(FailureCode::OutputSchemaViolation, manifest.name(), message)
    })?;
    output::reported(results, manifest.name())
}

/// The text, or its beginning up to the last whole character.
fn read_text(raw: &Path, anomalies: &mut Vec<String>) -> Result<Vec<u8>, String> {
    let (mut bytes, is_whole) = auxiliary::read_beginning(raw, TEXT_BYTES_MAX)?;
    if !is_whole {
        let last = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
        bytes.truncate(bytes.len() - last);
        let sentence =
            format!("The output is longer than {TEXT_BYTES_MAX} bytes; the results hold its first {}.", bytes.len());
        anomalies.push(sentence);
    }
    Ok(bytes)
}

/// Runs a script parser like the tool itself, in folders of its own and without its secrets; returns what it printed.
fn run_parser(
    context: &Context,
    plan: &Plan,
    script: &str,
    raw: &Path,
    work: &Path,
    scan_id: &str,
) -> Result<Vec<u8>, String> {
    let folder = work.join("parser");
    let mut workplace = Workplace::make(&folder, context.sandbox_level)
        .map_err(|fault| format!("The parser did not start: {fault}."))?;
    let tools = workplace.show(context.toolbox.folder(), Path::new(TOOLS));
    let raw = workplace.show(raw, Path::new("/raw_output"));
    let limits = Limits { stdout_bytes: OUTPUT_BYTES_MAX, ..plan.limits.clone() };
    let environment = environment::for_tool(workplace.inside(), plan.tool.manifest.name(), scan_id, Vec::new());
    let argv = [tools.join(script).into(), raw.into()];
    auxiliary::stdout_of(context, &workplace, "The parser", &argv, &environment, &limits)
}
