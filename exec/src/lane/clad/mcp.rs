//! The backend `mcp`: a tool of one of the site's MCP servers, called by a worker of our own inside the sandbox.
//!
//! ```text
//! the call, on stdin ▶ gatepost-worker-mcp ▶ (the server) ▶ stdout: the result, as raw output ▶ its content ▶ parser ▶ results
//! ```
//!
//! *Security*: the worker's exit status reports the end of the call; TOOL-EXEC trusts nothing else from it. *Standards*: ToolClad, "MCP
//! Proxy Backend"; Model Context Protocol, "Tools".

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use gatepost_contract::config::{Config, Server, Way};
use gatepost_contract::manifest::{Backend, Manifest, Mcp, Parser, Secret};
use gatepost_contract::nearest::nearest;
use gatepost_contract::parser::Builtin;
use gatepost_documents::evidence::{Failure, FailureCode, FailureKind};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_sandbox::PROXY_PORT;
use gatepost_workers::mcp::{self, MESSAGE_BYTES_MAX, Status};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::{Execution, Plan};
use crate::bundle::Staging;
use crate::context::Context;
use crate::lane::auxiliary;
use crate::lane::confidential::Confidential;
use crate::lane::ending::failure;
use crate::lane::output::{self, OUTPUT_BYTES_MAX};
use crate::lane::retry::with_retries;
use crate::lane::run_outcome::{Invocation, RunOutcome, Upstream};
use crate::lane::workplace::Workplace;
use crate::step_error::StepError;

/// A call with the secrets of its server.
pub(super) struct ServerCall {
    server: Server,
    /// Variables or headers, with secrets.
    texts: BTreeMap<String, Zeroizing<String>>,
    arguments: Map<String, Value>,
    /// The call, as it may be shown: the method, the server and its tool.
    pub(super) shown: Vec<String>,
    /// The secrets.
    pub(super) secrets: Vec<Secret>,
}

impl std::fmt::Debug for ServerCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerCall").field("shown", &self.shown).finish_non_exhaustive()
    }
}

/// Why the server that a manifest names is not configured, if so.
pub fn server_fault(config: &Config, manifest: &Manifest) -> Option<Reason> {
    let Backend::Mcp(Mcp { server, .. }) = manifest.backend() else { return None };
    let servers = &config.mcp.servers;
    if servers.contains_key(server) || manifest.is_callback() {
        return None;
    }
    let message = format!(
        "The tool {} names the MCP server {}, which gatepost.toml does not have.",
        manifest.name(),
        quoted(server)
    );
    let hint = match nearest(server, servers.keys().map(String::as_str)) {
        Some(known) => format!("Did you mean `{known}`?"),
        None => format!("Ask the operator to write [mcp.servers.{server}] into gatepost.toml."),
    };
    Some(Reason::new(Code::BackendUnavailable, message, hint))
}

/// The secrets of a call: those of the manifest, or of its server.
pub fn secrets_of(config: &Config, manifest: &Manifest) -> BTreeSet<String> {
    let server = match manifest.backend() {
        Backend::Mcp(mcp) => config.mcp.servers.get(&mcp.server),
        _ => None,
    };
    server.map_or_else(|| manifest.secrets().clone(), Server::secrets)
}

/// The call of a plan.
pub(super) fn call(context: &Context, plan: &Plan, mcp: &Mcp) -> Result<ServerCall, StepError> {
    let Some(server) = context.config.mcp.servers.get(&mcp.server) else {
        return Err(server_fault(&context.config, &plan.tool.manifest).into_iter().collect::<Vec<_>>().into());
    };
    let values = context.secrets.values(&server.secrets())?;
    let call = mcp.call(&plan.arguments);
    let texts = server.texts().iter().map(|(name, text)| (name.clone(), text.fill(&values))).collect();
    let own = values.into_iter().map(|(name, value)| Secret { name, value });
    Ok(ServerCall {
        server: server.clone(),
        texts,
        arguments: call.arguments,
        shown: vec!["tools/call".to_owned(), mcp.server.clone(), mcp.tool.clone()],
        secrets: call.secrets.into_iter().chain(own).collect(),
    })
}

impl ServerCall {
    /// The server for the worker. Shows the server's paths in the workplace.
    fn server<'a>(&'a self, execution: &Execution<'_>, workplace: &mut Workplace) -> mcp::Server<'a> {
        let texts = self.texts.iter().map(|(name, text)| (name.as_str().into(), text.as_str().into())).collect();
        for path in self.server.read_only_paths() {
            workplace.show(path, path);
        }
        match &self.server.way {
            Way::Stdio { argv, .. } => mcp::Server::Stdio { argv: argv.into(), environment: texts },
            Way::Http { url, .. } => mcp::Server::Http {
                url: url.into(),
                headers: texts,
                ca_file: execution.show_ca_file(workplace),
                proxy: execution.plan.network.as_ref().map(|_| format!("http://127.0.0.1:{PROXY_PORT}")),
            },
        }
    }
}

/// Runs it.
pub(super) fn run(execution: &Execution<'_>, call: &ServerCall, invocation: Invocation) -> Result<RunOutcome, Fault> {
    let Backend::Mcp(mcp) = execution.plan.tool.manifest.backend() else {
        unreachable!("the call is that of an [mcp]")
    };
    let mut workplace = execution.workplace()?;
    let input = mcp::Call {
        server: call.server(execution, &mut workplace),
        tool: mcp.tool.as_str().into(),
        arguments: Cow::Borrowed(&call.arguments),
        schema_sha256: mcp.schema_sha256,
    };
    let (mut outcome, result) = execution.run_worker(workplace, (mcp::WORKER, &input.to_json()), invocation, read)?;
    refine(&mut outcome);
    match result {
        Some(Ok(result)) if outcome.results.is_ok() => keep(execution, result, &mut outcome.anomalies)?,
        Some(Err(message)) if outcome.results.is_ok() => {
            let name = execution.plan.tool.manifest.name();
            outcome.results = Err(output::broken(FailureCode::OutputParseFailed, name, message));
        }
        _ => {}
    }
    Ok(outcome)
}

/// Replaces the worker's exit status with its meaning.
fn refine(outcome: &mut RunOutcome) {
    let Some(ending) = &mut outcome.ending else { return };
    let Upstream::Mcp { server, tool, .. } = &outcome.invocation.upstream else { return };
    match Status::from_exit_code(ending.exit_code) {
        None | Some(Status::Finished) => {}
        Some(Status::Unfit) => {
            ending.exit_code = 0;
            outcome.results = Ok(Value::Null);
            let sentence = "does not fit the output schema that the server itself lists; the section Stderr says where";
            outcome.anomalies.push(format!("The result of the tool {tool} of the MCP server {server} {sentence}."));
        }
        Some(status) => outcome.results = Err(failure_of(status, server, tool)),
    }
}

fn failure_of(status: Status, server: &str, tool: &str) -> Failure {
    const STDERR: &str = "See the section Stderr for what went wrong.";
    let (code, message, hint) = match status {
        Status::ToolError => (
            FailureCode::McpToolError,
            format!("The tool {tool} of the MCP server {server} reports an error."),
            "See the section Stdout for what it says.",
        ),
        Status::NoServer => (
            FailureCode::McpFailed,
            format!("The MCP server {server} did not start, or broke the protocol; no tool was called."),
            STDERR,
        ),
        Status::NoTool => (
            FailureCode::McpFailed,
            format!("The MCP server {server} lists no tool {tool}; none was called."),
            "Ask the operator to correct `tool` in the [mcp] of the manifest; the section Stderr lists the server's tools.",
        ),
        Status::Unsuitable => (
            FailureCode::McpFailed,
            format!(
                "The arguments do not satisfy the schema that the MCP server {server} lists for {tool}; it was not called."
            ),
            "Ask the operator to correct the manifest's arguments or its field_map; the section Stderr says what is wrong.",
        ),
        Status::Changed => (
            FailureCode::ToolChanged,
            format!(
                "The MCP server {server} lists {tool} with another schema than the manifest pins; it was not called."
            ),
            "Ask the operator to look at artifacts/out/input_schema.json, and to pin its digest in the manifest if it is right.",
        ),
        Status::Unanswered => (
            FailureCode::McpFailed,
            format!("The MCP server {server} gave no usable answer to the call of {tool}; it may have had effects."),
            STDERR,
        ),
        Status::Finished | Status::Unfit | Status::Fault => {
            (FailureCode::ToolFailed, "The worker that calls MCP servers failed.".to_owned(), STDERR)
        }
    };
    Failure { kind: FailureKind::Mcp, ..failure(code, "call", tool, message, hint) }
}

/// The used parts of a result of `tools/call`.
#[derive(Default)]
struct ToolResult {
    /// The texts in its content.
    texts: Vec<String>,
    /// How many items of content it has.
    items: usize,
    structured_content: Option<Value>,
}

impl ToolResult {
    /// Ignores hints (annotations, icons, `_meta`, unknown kinds of content), and reads null as absent.
    fn of(value: Value) -> Result<Self, &'static str> {
        let Value::Object(mut members) = value else { return Err("it is not an object") };
        let content = match members.remove("content") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(content)) => content,
            Some(_) => return Err("its content is not a list"),
        };
        let items = content.len();
        let text = |mut item: Value| match item.get_mut("text").map(Value::take) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let structured_content = members.remove("structuredContent").filter(|value| !value.is_null());
        Ok(Self { texts: content.into_iter().filter_map(text).collect(), items, structured_content })
    }
}

/// The result in the worker's output, or a sentence that explains its absence.
fn read(staging: &Staging) -> Result<Result<ToolResult, String>, Fault> {
    let bytes = match auxiliary::read_bounded(&staging.stdout(), OUTPUT_BYTES_MAX.max(2 * MESSAGE_BYTES_MAX as u64))? {
        Ok(bytes) => bytes,
        Err(message) => return Ok(Err(message)),
    };
    let result = match Builtin::Json.parse(&bytes, &Value::Null) {
        Ok(result) => ToolResult::of(result).map_err(str::to_owned),
        Err(error) => Err(error.to_string()),
    };
    Ok(result.map_err(|error| format!("The output is not a result of an MCP tool: {error}.")))
}

/// Keeps the content of a result, without secrets, for the parser of the manifest.
fn keep(execution: &Execution<'_>, result: ToolResult, anomalies: &mut Vec<String>) -> Result<(), Fault> {
    anomalies.extend(left_out(&result));
    let text = extract(result, execution.plan.tool.manifest.parser(), execution.secrets, anomalies);
    let path = content_path(execution.place.work);
    with_retries(|| {
        // A file of an earlier attempt.
        let _ = fs::remove_file(&path);
        File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())).on("write", &path)
    })
}

/// The input of the manifest's parser: the content of the call's result, if it has one.
pub(super) fn content_path(work: &Path) -> PathBuf {
    work.join("content")
}

/// The content without secrets: the structured one is JSON, and every other parser reads the text.
fn extract(result: ToolResult, parser: &Parser, secrets: &Confidential, anomalies: &mut Vec<String>) -> String {
    match result.structured_content {
        Some(value) if matches!(parser, Parser::Builtin(Builtin::Json)) => {
            secrets.replace_in_results(value, anomalies).to_string()
        }
        _ => {
            let mut text = result.texts.join("\n");
            secrets.replace_in_text(&mut text, anomalies);
            text
        }
    }
}

/// Content that no parser reads.
fn left_out(result: &ToolResult) -> Option<String> {
    let count = result.items - result.texts.len();
    (count > 0).then(|| {
        format!("{count} of the result's {} items of content are not text; only the raw output has them.", result.items)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> ToolResult {
        ToolResult::of(serde_json::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn json_is_read_from_structured_content_and_everything_else_from_text() {
        let both = r#"{"content": [{"type": "text", "text": "a"}, {"type": "image", "data": "", "mimeType": "x"}, {"type": "text", "text": "b"}], "structuredContent": {"n": 1}}"#;
        let text = r#"{"content": [{"type": "text", "text": "{\"n\": 2}"}]}"#;
        let json = Parser::Builtin(Builtin::Json);
        let extract = |message: &str, parser: &Parser| {
            super::extract(result(message), parser, &Confidential::default(), &mut Vec::new())
        };
        assert_eq!(extract(both, &json), r#"{"n":1}"#);
        assert_eq!(extract(both, &Parser::Builtin(Builtin::Text)), "a\nb");
        assert_eq!(extract(text, &json), r#"{"n": 2}"#);
        assert_eq!(left_out(&result(text)), None);
        assert!(left_out(&result(both)).unwrap().starts_with("1 of the result's 3 items"));
    }
}
