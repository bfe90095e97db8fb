//! From the raw output of a tool to results that satisfy the output schema of its manifest.
//!
//! A parser that is a script runs as the tool itself does, in folders of its own.
//!
//! *Security*: reads all that the tool printed; bounded in size and depth. *Standards*: ToolClad, "Output & Evidence".

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use gatepost_gate::evidence::{Failure, Limits};
use serde_json::Value;

use super::Plan;
use crate::lane::ending::failure;
use crate::lane::workplace::Workplace;
use crate::manifest::Parser;
use crate::parser::Builtin;
use crate::pipeline::Context;
use crate::process::{self, Cause, Exit, Job};

/// Output up to this many bytes is parsed, and results up to this many are kept.
const OUTPUT_BYTES_MAX: u64 = 16 << 20;
const RESULTS_BYTES_MAX: usize = 1 << 20;

/// The parsed results, which satisfy the output schema.
pub(super) fn read(
    context: &Context,
    plan: &Plan,
    raw: &Path,
    work: &Path,
    environment: &[(OsString, OsString)],
) -> Result<Value, Box<Failure>> {
    let manifest = &plan.tool.manifest;
    let broken = |code, message| {
        Box::new(failure(code, "parse", manifest.name(), message, "The raw output is kept as an artifact."))
    };
    let (bytes, builtin) = match manifest.parser() {
        Parser::Script(script) => (run_parser(context, plan, script.as_str(), raw, work, environment), Builtin::Json),
        Parser::Builtin(builtin) => (read_bounded(raw), *builtin),
    };
    let schema = manifest.output().map_or(&Value::Null, |output| &output.schema);
    let bytes = bytes.map_err(|message| broken("OUTPUT_PARSE_FAILED", message))?;
    let results = builtin
        .parse(&bytes, schema)
        .map_err(|error| broken("OUTPUT_PARSE_FAILED", format!("The output has no results: {error}.")))?;
    manifest.check_results(&results).map_err(|violations| {
        let first = violations.first().map(ToString::to_string).unwrap_or_default();
        let message =
            format!("The parsed output breaks the manifest's output schema in {} places. {first}", violations.len());
        broken("OUTPUT_SCHEMA_VIOLATION", message)
    })?;
    let size = serde_json::to_vec(&results).map_or(usize::MAX, |bytes| bytes.len());
    if size > RESULTS_BYTES_MAX {
        let message =
            format!("The parsed results have {size} bytes as JSON; at most {RESULTS_BYTES_MAX} are reported.");
        return Err(broken("OUTPUT_LIMIT", message));
    }
    Ok(results)
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut options = File::options();
    let file = options
        .read(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
        .map_err(|error| format!("The output cannot be read: {error}."))?;
    file.take(OUTPUT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("The output cannot be read: {error}."))?;
    if bytes.len() as u64 > OUTPUT_BYTES_MAX {
        return Err(format!("The output has more than {OUTPUT_BYTES_MAX} bytes, too many to be parsed."));
    }
    Ok(bytes)
}

/// Runs a script parser like the tool itself, in folders of its own; returns what it printed.
fn run_parser(
    context: &Context,
    plan: &Plan,
    script: &str,
    raw: &Path,
    work: &Path,
    environment: &[(OsString, OsString)],
) -> Result<Vec<u8>, String> {
    let folder = work.join("parser");
    let mut workplace = Workplace::make(&folder, context.toolbox.folder(), context.sandbox_level)
        .map_err(|fault| format!("The parser did not start: {fault}."))?;
    let raw = workplace.show(raw, Path::new("/raw_output"));
    let (printed, complaints) = (folder.join("stdout"), folder.join("stderr"));
    let limits = Limits { stdout_bytes: OUTPUT_BYTES_MAX, ..plan.limits.clone() };
    let job = Job {
        argv: &[workplace.tools().join(script).into(), raw.into()],
        environment,
        work_dir: &folder,
        confinement: workplace.confinement(),
        limits: &limits,
        grace: Duration::from_millis(context.config.exec.grace_ms),
        stdout: &printed,
        stderr: &complaints,
        cancel: Some(&context.cancel),
    };
    let ended = process::run(&job).map_err(|error| format!("The parser did not start: {error}."))?;
    match (ended.cause, ended.exit) {
        (Cause::Own, Exit::Code(0)) => read_bounded(&printed),
        (Cause::Own, Exit::Code(code)) => Err(format!("The parser ended with exit code {code}.")),
        (Cause::Own, Exit::Signal(signal)) => Err(format!("The parser was killed by signal {signal}.")),
        (cause, _) => Err(format!("The parser was stopped: {cause:?}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_not_read_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        std::fs::write(&file, "secret").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_bounded(&file).unwrap(), b"secret");
        assert!(read_bounded(&link).is_err());
    }
}
