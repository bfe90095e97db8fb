//! The lane `clad`: a typed call of a manifest with the `command` backend.
//!
//! ```text
//! plan:    find the manifest, bind the arguments, make the command       nothing is touched
//! execute: work/{in,out,tmp} ▶ run ▶ redact ▶ parse ▶ check the schema   the evidence is complete but for the artifacts
//! ```
//!
//! *Security*: runs the tool, and reads all that it printed; parsing is bounded in size and depth.
//! *Standards*: ToolClad, "Output & Evidence".

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gatepost_gate::evidence::{Evidence, Failure, Limits, Status, StopReason};
use gatepost_gate::fault::Fault;
use gatepost_gate::reason::{Code, Reason};
use serde_json::Value;

use crate::argument_value::ArgumentValue;
use crate::artifact::OutFolder;
use crate::bundle::Staging;
use crate::environment;
use crate::lane::workplace::Workplace;
use crate::manifest::{Arguments, Backend, Call, Parser, Places, Surroundings};
use crate::parser::Builtin;
use crate::pipeline::Context;
use crate::policy;
use crate::process::{self, Cause, Ended, Exit, Job, ProcessError};
use crate::redaction::{RedactionError, Redactor, Secret, VALUE_BYTES_MAX, VALUE_BYTES_MIN};
use crate::request::{CladCall, Request};
use crate::shell;
use crate::toolbox::Tool;

/// Output up to this many bytes is parsed, and results up to this many are kept.
const OUTPUT_BYTES_MAX: u64 = 16 << 20;
const RESULTS_BYTES_MAX: usize = 1 << 20;

/// A call that may be executed.
#[derive(Debug)]
pub struct Plan {
    /// The tool with its manifest.
    pub tool: Arc<Tool>,
    /// The arguments, checked.
    pub arguments: Arguments,
    /// The limits that will be in force.
    pub limits: Limits,
}

/// Checks a call against its manifest; the outer error is the world's.
pub fn plan(
    context: &Context,
    request: &Request,
    call: &CladCall,
    inputs: &dyn Surroundings,
) -> Result<Result<Plan, Vec<Reason>>, Fault> {
    let tool = match context.toolbox.find(&call.tool)? {
        Ok(tool) => tool,
        Err(reasons) => return Ok(Err(reasons)),
    };
    let manifest = &tool.manifest;
    let mut reasons = Vec::new();
    if let Some(name) = unavailable(manifest.backend()) {
        let message =
            format!("The tool {} drives the backend {name}, which this version does not run.", manifest.name());
        reasons.push(Reason::new(Code::BackendUnavailable, message, "Use a tool with a [command]."));
    }
    if request.session_id.is_some() {
        let message = "The request continues a session, and this version has none.";
        reasons.push(Reason::new(Code::BackendUnavailable, message, "Leave session_id out."));
    }
    reasons.extend(policy::network(request, manifest).err());
    let scope = context.scope()?;
    let bound = scope.map_err(|reason| vec![reason]).and_then(|scope| manifest.bind(&call.args, &scope, inputs));
    let arguments = match bound {
        Ok(arguments) if reasons.is_empty() => arguments,
        Ok(_) => return Ok(Err(reasons)),
        Err(more) => {
            reasons.extend(more);
            return Ok(Err(reasons));
        }
    };
    let limits = policy::limits(&context.config.limits, manifest, &request.limits);
    Ok(Ok(Plan { tool, arguments, limits }))
}

fn unavailable(backend: &Backend) -> Option<&'static str> {
    match backend {
        Backend::Command(_) => None,
        Backend::Http(_) => Some("http"),
        Backend::Mcp(_) => Some("mcp"),
        Backend::Session(_) => Some("session"),
        Backend::Browser(_) => Some("browser"),
        Backend::Callback => Some("callback"),
    }
}

impl Plan {
    /// The command of this call, with its secrets.
    pub fn call(&self, scan_id: &str) -> Result<Call, Vec<Reason>> {
        let places = Places { scan_id, output_dir: "out", evidence_dir: "out", output_file: self.output_file() };
        let secret = |name: &str| std::env::var(format!("TOOLCLAD_SECRET_{}", name.to_uppercase())).ok();
        self.tool.manifest.command(&self.arguments, &places, &secret)
    }

    /// Says in the evidence what will run, and with what.
    pub fn describe(&self, call: &Call, evidence: &mut Evidence) {
        self.tool.manifest.version().clone_into(&mut evidence.tool_version);
        evidence.manifest_sha256 = Some(self.tool.sha256);
        evidence.limits = self.limits.clone();
        evidence.argv.clone_from(&call.shown);
        evidence.command = shell::quoted_line(&call.shown);
        let shown = |(name, value): (&str, &ArgumentValue)| {
            let hidden = self.arguments.is_sensitive(name);
            (name.to_owned(), if hidden { format!("[sensitive:{name}]") } else { value.to_string() }.into())
        };
        evidence.arguments = self.arguments.iter().map(shown).collect();
    }

    /// Where the tool writes its output when its command names `{_output_file}`, relative to its work folder.
    fn output_file(&self) -> &'static str {
        match self.tool.manifest.parser() {
            Parser::Builtin(Builtin::Json) => "out/output.json",
            Parser::Builtin(Builtin::Xml) => "out/output.xml",
            Parser::Builtin(Builtin::Csv) => "out/output.csv",
            Parser::Builtin(Builtin::Jsonl) => "out/output.jsonl",
            Parser::Builtin(Builtin::Text) | Parser::Script(_) => "out/output.txt",
        }
    }
}

/// Where one run takes place.
#[derive(Debug)]
pub struct Place<'a> {
    /// The tool's own folder; `in/`, if the request has inputs, stands in it already.
    pub work: &'a Path,
    /// Where its streams go.
    pub staging: &'a Staging,
}

/// Runs a call and completes its evidence; returns the tool's own output file, below `artifacts/`, if it wrote one.
pub fn execute(
    context: &Context,
    plan: &Plan,
    call: &Call,
    place: &Place<'_>,
    evidence: &mut Evidence,
) -> Result<Option<&'static str>, Fault> {
    let mut workplace = Workplace::make(place.work, context.toolbox.folder(), context.sandbox_level)?;
    for path in plan.tool.manifest.sandbox().read_only_paths.iter().map(Path::new) {
        workplace.show(path, path);
    }
    let mut out = OutFolder::made(place.work.join("out"))?;
    let argv = argv(&workplace, call);
    let environment =
        environment::for_tool(workplace.inside(), &plan.tool.manifest, &evidence.scan_id, &call.environment);
    let (stdout, stderr) = (place.staging.stdout(), place.staging.stderr());
    let job = Job {
        argv: &argv,
        environment: &environment,
        work_dir: place.work,
        confinement: workplace.confinement(),
        limits: &plan.limits,
        grace: Duration::from_millis(context.config.exec.grace_ms),
        stdout: &stdout,
        stderr: &stderr,
        cancel: Some(&context.cancel),
    };
    evidence.error = None;
    match process::run(&job) {
        Ok(ended) => {
            record(evidence, &ended, &plan.tool);
            out = ended.output.map_or(out, OutFolder::Own);
        }
        Err(ProcessError::Store { path, source }) => {
            return Err(Fault { operation: "store a stream in", path, source });
        }
        Err(error) => {
            fail(evidence, not_started(&plan.tool, &error));
            return Ok(None);
        }
    }
    // From here on only what was taken over is looked at, and all of it was made harmless first.
    let allowance = policy::allowance(&context.config.limits);
    place.staging.collect(&out, allowance, &mut evidence.anomalies)?;
    redact(evidence, call, &place.staging.files()?)?;
    let own_output = Some(plan.output_file()).filter(|_| call.uses_output_file);
    let carried = own_output.and_then(|file| Some((file, place.staging.file(file)?)));
    let (output_file, raw) = carried.map_or((None, stdout), |(file, path)| (Some(file), path));
    if evidence.error.is_none() {
        match results(context, plan, &raw, place, &environment) {
            Ok(results) => {
                evidence.status = Status::Success;
                evidence.results = results;
            }
            Err(failure) => fail(evidence, *failure),
        }
    }
    Ok(output_file)
}

/// A script's path is relative to tools/, everything else is as the manifest says.
fn argv(workplace: &Workplace, call: &Call) -> Vec<OsString> {
    let mut argv: Vec<OsString> = call.argv.iter().map(OsString::from).collect();
    if let (Some(script), Some(first)) = (&call.script, argv.first_mut()) {
        *first = workplace.tools().join(script.as_str()).into();
    }
    argv
}

fn record(evidence: &mut Evidence, ended: &Ended, tool: &Tool) {
    evidence.duration_ms = u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX);
    evidence.usage = ended.usage.clone();
    evidence.limits = ended.limits.clone();
    evidence.sandbox = ended.enforced.clone();
    evidence.anomalies.extend(ended.anomalies.iter().cloned());
    evidence.exit_code = match (ended.exit, ended.cause) {
        (Exit::Code(code), Cause::Own) => code,
        _ => -1,
    };
    evidence.stop_reason = match ended.cause {
        Cause::Own => StopReason::Completed,
        Cause::TimeLimit => StopReason::Timeout,
        Cause::StdoutLimit | Cause::StderrLimit => StopReason::MaxBudgetReached,
        Cause::Cancelled => StopReason::Cancelled,
    };
    if let Some(failure) = ended_badly(ended, tool) {
        fail(evidence, failure);
        if ended.cause == Cause::TimeLimit {
            evidence.status = Status::Timeout;
        }
    }
}

fn ended_badly(ended: &Ended, tool: &Tool) -> Option<Failure> {
    let name = tool.manifest.name();
    let stopped = |code: &str, message: String, hint: &str| Some(failure(code, "wait", name, message, hint));
    match (ended.cause, ended.exit) {
        (Cause::Own, Exit::Code(0)) => None,
        (Cause::Own, Exit::Code(code)) => {
            let message = format!("The tool ended with exit code {code}.");
            stopped("TOOL_FAILED", message, "Read the section Stderr: it holds the tool's own words.")
        }
        (Cause::Own, Exit::Signal(signal)) => {
            let message = format!("The tool was killed by signal {signal}.");
            stopped("TOOL_KILLED", message, "It may have crashed or reached a limit of memory or processor time.")
        }
        (Cause::TimeLimit, _) => {
            let message = format!("The tool was stopped at its time limit of {} ms.", ended.limits.time_ms);
            stopped("TIMEOUT", message, "Ask for less work, or have the manifest's timeout_seconds raised.")
        }
        (Cause::StdoutLimit | Cause::StderrLimit, _) => {
            let stream = if ended.cause == Cause::StdoutLimit { "stdout" } else { "stderr" };
            let message =
                format!("The tool printed more than {} bytes on {stream} and was stopped.", ended.limits.stdout_bytes);
            stopped("OUTPUT_LIMIT", message, "Ask for less output, or have the manifest's stdout_bytes raised.")
        }
        (Cause::Cancelled, _) => {
            stopped("CANCELLED", "The run was cancelled.".to_owned(), "Drop the request again under a new id.")
        }
    }
}

fn not_started(tool: &Tool, error: &ProcessError) -> Failure {
    let message = format!("The tool did not start: {error}.");
    failure(
        "SPAWN_FAILED",
        "spawn",
        tool.manifest.name(),
        message,
        "Ask the operator to install it or to mend its manifest.",
    )
}

fn failure(code: &str, operation: &str, target: &str, message: String, hint: &str) -> Failure {
    Failure {
        code: code.to_owned(),
        kind: if operation == "parse" { "parse" } else { "runtime" }.to_owned(),
        operation: operation.to_owned(),
        target: target.to_owned(),
        retryable: false,
        message,
        hint: hint.to_owned(),
        reasons: Vec::new(),
    }
}

fn fail(evidence: &mut Evidence, failure: Failure) {
    evidence.status = Status::Error;
    evidence.error = Some(failure);
}

/// Replaces the values of secrets wherever the tool left them, in its streams and in its files.
fn redact(evidence: &mut Evidence, call: &Call, files: &[PathBuf]) -> Result<(), Fault> {
    let findable =
        |secret: &&crate::manifest::Secret| (VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&secret.value.len());
    for secret in call.secrets.iter().filter(|secret| !findable(secret)) {
        let sentence = "is too short or too long to be looked for in what the tool left";
        evidence.anomalies.push(format!("The value of {} {sentence}.", secret.name));
    }
    let secrets: Vec<Secret<'_>> = call
        .secrets
        .iter()
        .filter(findable)
        .map(|secret| Secret { name: &secret.name, value: secret.value.as_bytes() })
        .collect();
    if secrets.is_empty() {
        return Ok(());
    }
    let redact = || -> Result<u64, RedactionError> {
        let redactor = Redactor::new(&secrets)?;
        files.iter().map(|file| Ok(redactor.redact(file)?.count)).sum()
    };
    let count = redact().map_err(|error| Fault {
        operation: "redact",
        path: files.first().cloned().unwrap_or_default(),
        source: std::io::Error::other(error),
    })?;
    if count > 0 {
        evidence.anomalies.push(format!("Secrets stood {count} times in what the tool left; they were replaced."));
    }
    Ok(())
}

/// The parsed results, which satisfy the output schema.
fn results(
    context: &Context,
    plan: &Plan,
    raw: &Path,
    place: &Place<'_>,
    environment: &[(OsString, OsString)],
) -> Result<Value, Box<Failure>> {
    let manifest = &plan.tool.manifest;
    let broken = |code, message| {
        Box::new(failure(code, "parse", manifest.name(), message, "The raw output is kept as an artifact."))
    };
    let (bytes, builtin) = match manifest.parser() {
        Parser::Script(script) => (run_parser(context, plan, script.as_str(), raw, place, environment), Builtin::Json),
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
    place: &Place<'_>,
    environment: &[(OsString, OsString)],
) -> Result<Vec<u8>, String> {
    let folder = place.work.join("parser");
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
