//! From the raw output of a tool to results that satisfy the output schema of its manifest.
//!
//! A parser that is a script runs as the tool does, in folders of its own. Its time counts, and the end of its stderr follows the
//! tool's.
//!
//! *Security*: reads all that the tool printed; bounded in size and depth. *Standards*: ToolClad, "Output & Evidence".

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use gatepost_contract::manifest::{Manifest, Parser};
use gatepost_contract::parser::Builtin;
use gatepost_documents::evidence::{Failure, FailureCode, Limits};
use gatepost_mailbox::fault::{Fault, OnPath as _};
use serde_json::{Value, json};

use super::Execution;
use super::command::TOOLS;
use crate::environment;
use crate::lane::auxiliary::{self, Output, Report};
use crate::lane::ending::failure;
use crate::lane::output::{self, OUTPUT_BYTES_MAX};
use crate::lane::retry::with_retries;
use crate::lane::run_outcome::RunOutcome;
use crate::lane::workplace::Workplace;

/// The most bytes of text in results; a longer text is cut.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// The results, or why there are none.
type Parsed = Result<Value, Failure>;

/// The most bytes of a parser's stderr that are kept.
const STDERR_BYTES_MAX: u64 = 16 << 10;

/// The candidate results of an empty output, in this order.
const EMPTY: [fn() -> Value; 3] = [|| Value::Null, || json!({}), || json!([])];

/// The parsed results of the raw output. Adds omissions to the anomalies of `outcome`.
pub(super) fn read(execution: &Execution<'_>, raw: &Path, outcome: &mut RunOutcome) -> Result<Parsed, Fault> {
    let manifest = &execution.plan.tool.manifest;
    let anomalies = &mut outcome.anomalies;
    let (output, builtin) = match manifest.parser() {
        Parser::Script(script) => {
            let report = run_parser(execution, script.as_str(), raw)?;
            if let Some(ending) = &mut outcome.ending {
                ending.duration_ms += u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX);
            }
            match report.output {
                Err(message) => return Ok(Err(no_output(manifest.name(), message, report.is_timeout))),
                output => (output, Builtin::Json),
            }
        }
        Parser::Builtin(Builtin::Text) => (read_text(raw, anomalies)?, Builtin::Text),
        Parser::Builtin(builtin) => (auxiliary::read_bounded(raw, OUTPUT_BYTES_MAX)?, *builtin),
    };
    if output.as_ref().is_ok_and(|raw| matches!(manifest.parser(), Parser::Builtin(_)) && builtin.is_empty(raw)) {
        return Ok(empty(manifest, anomalies));
    }
    let schema = manifest.output().map_or(&Value::Null, |output| &output.schema);
    Ok(output::parsed(output, builtin, schema, manifest.name()))
}

/// The results of an empty output: the first of null, `{}` and `[]` that the output schema accepts.
fn empty(manifest: &Manifest, anomalies: &mut Vec<String>) -> Parsed {
    let accepted = EMPTY.iter().map(|value| value()).find(|value| manifest.check_results(value).is_ok());
    let Some(results) = accepted else {
        let message = "The output is empty, and the output schema accepts neither null nor {} nor [].".to_owned();
        return Err(output::broken(FailureCode::OutputParseFailed, manifest.name(), message));
    };
    anomalies.push(format!("The output is empty; the results are {results}."));
    Ok(results)
}

/// The results, if they satisfy the output schema and are not too large.
pub(super) fn checked(manifest: &Manifest, results: Value) -> Parsed {
    manifest.check_results(&results).map_err(|violations| {
        let first = violations.first().map(ToString::to_string).unwrap_or_default();
        let places = match violations.len() {
            1 => "1 place".to_owned(),
            count => format!("{count} places"),
        };
        let message = format!("The results break the schema in {places}: {first}");
        let hint = "Correct the tool or [output.schema]; the raw output is kept as an artifact.".to_owned();
        Failure { hint, ..output::broken(FailureCode::OutputSchemaViolation, manifest.name(), message) }
    })?;
    output::reported(results, manifest.name())
}

/// The text, or its beginning up to the last whole character.
fn read_text(raw: &Path, anomalies: &mut Vec<String>) -> Result<Output, Fault> {
    let (mut bytes, is_whole) = auxiliary::read_beginning(raw, TEXT_BYTES_MAX)?;
    if !is_whole {
        let last = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
        bytes.truncate(bytes.len() - last);
        let sentence =
            format!("The output is longer than {TEXT_BYTES_MAX} bytes; the results hold its first {}.", bytes.len());
        anomalies.push(sentence);
    }
    Ok(Ok(bytes))
}

/// The failure of a script parser without output.
fn no_output(name: &str, message: String, is_timeout: bool) -> Failure {
    let code = if is_timeout { FailureCode::Timeout } else { FailureCode::OutputParseFailed };
    let hint = "See the end of the section Stderr for what the parser wrote; the raw output is kept as an artifact.";
    failure(code, "parse", name, message, hint)
}

/// Runs a script parser like the tool itself, in folders of its own and without its secrets.
fn run_parser(execution: &Execution<'_>, script: &str, raw: &Path) -> Result<Report, Fault> {
    let Execution { context, plan, place, scan_id, .. } = *execution;
    let folder = place.work.join("parser");
    let mut workplace = with_retries(|| Workplace::make(&folder, context.sandbox_level))?;
    let tools = workplace.show(context.toolbox.folder(), Path::new(TOOLS));
    let raw = workplace.show(raw, Path::new("/raw_output"));
    let limits = Limits { stdout_bytes: OUTPUT_BYTES_MAX, ..plan.limits.clone() };
    let environment = environment::for_tool(workplace.inside(), plan.tool.manifest.name(), scan_id, Vec::new());
    let argv = [tools.join(script).into(), raw.into()];
    let report = auxiliary::execute((context, place.cancel), &workplace, "The parser", &argv, &environment, &limits)?;
    let stderr = folder.join("stderr");
    with_retries(|| keep_stderr(&stderr, &place.staging.stderr(), plan.limits.stdout_bytes).on("keep", &stderr))?;
    Ok(report)
}

/// Appends the end of a parser's stderr to the tool's stderr, within the limit of that stream.
fn keep_stderr(parser: &Path, tool: &Path, bytes_max: u64) -> io::Result<()> {
    let mut parser = match File::options().read(true).custom_flags(libc::O_NOFOLLOW).open(parser) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let mut tool = File::options().append(true).open(tool)?;
    let room = bytes_max.saturating_sub(tool.metadata()?.len()).min(STDERR_BYTES_MAX);
    let left_out = parser.metadata()?.len().saturating_sub(room);
    parser.seek(SeekFrom::Start(left_out))?;
    io::copy(&mut parser.take(room), &mut tool).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_parsers_stderr_is_kept_behind_the_tools_within_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let [parser, tool] = ["parser", "tool"].map(|name| folder.path().join(name));
        let kept = |bytes_max| {
            std::fs::write(&tool, "tool\n").unwrap();
            keep_stderr(&parser, &tool, bytes_max).unwrap();
            std::fs::read_to_string(&tool).unwrap()
        };
        assert_eq!(kept(100), "tool\n");
        std::fs::write(&parser, "Traceback\nIndexError\n").unwrap();
        assert_eq!(kept(100), "tool\nTraceback\nIndexError\n");
        assert_eq!(kept(16), "tool\nIndexError\n");
        assert_eq!(kept(3), "tool\n");
    }
}
