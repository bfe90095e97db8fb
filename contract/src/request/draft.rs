//! A new request, written as its markdown document: what `gatepost submit` and the MCP server drop into the inbox.
//!
//! Does not validate: [`super::read`] judges this document like every other. A value cannot break out: it is in double
//! quotes, with all characters escaped that could end them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::id::RequestId;
use gatepost_documents::text;

use super::{DeclaredApproval, Input, InteractionCall, Network, Pages, Priority};
use crate::argument_value::ArgumentValue;

/// The content of a clad request, version 2.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Its name; the document's file is named after it.
    pub id: RequestId,
    /// When it is written.
    pub created: DateTime<Utc>,
    /// The requester.
    pub requested_by: String,
    /// Why: one line.
    pub purpose: String,
    /// The manifest's name.
    pub tool: String,
    /// Arguments by name; numbers are finite.
    pub args: BTreeMap<String, ArgumentValue>,
    /// The network that it asks for.
    pub network: Network,
    /// The request is refused after this time.
    pub expires: Option<DateTime<Utc>>,
    /// Its priority among waiting requests.
    pub priority: Priority,
    /// The approval that it declares for itself.
    pub declared_approval: Option<DeclaredApproval>,
    /// Its input files.
    pub inputs: Vec<Input>,
    /// Links repeats of the same request.
    pub idempotency_key: Option<String>,
    /// The interactions of a session or browser, in order.
    pub interactions: Vec<InteractionCall>,
    /// The open session to continue.
    pub session_id: Option<String>,
    /// Whether the session stays open after it.
    pub keep_open: Option<bool>,
}

impl Draft {
    /// A call without arguments, inputs or network; the options of a request keep their defaults.
    pub fn call(id: RequestId, created: DateTime<Utc>, requested_by: &str, purpose: &str, tool: &str) -> Self {
        Self {
            id,
            created,
            requested_by: requested_by.to_owned(),
            purpose: purpose.to_owned(),
            tool: tool.to_owned(),
            args: BTreeMap::new(),
            network: Network::None,
            expires: None,
            priority: Priority::Normal,
            declared_approval: None,
            inputs: Vec::new(),
            idempotency_key: None,
            interactions: Vec::new(),
            session_id: None,
            keep_open: None,
        }
    }

    /// The document: front matter in the order of the published keys, and no body.
    pub fn to_markdown(&self) -> String {
        let mut document = head(&self.id, self.created, &self.requested_by, &self.purpose, "clad");
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(document, "{key}: {}", quote(value));
        };
        line("tool", &self.tool);
        if let Some(expires) = self.expires {
            line("expires_utc", &utc(expires));
        }
        line("priority", self.priority.as_str());
        if let Some(key) = &self.idempotency_key {
            line("idempotency_key", key);
        }
        if let Some(session) = &self.session_id {
            line("session_id", session);
        }
        if let Some(approval) = &self.declared_approval {
            line("approved_by", &approval.by);
            line("approved_utc", &utc(approval.utc));
        }
        if let Some(keep_open) = self.keep_open {
            let _ = writeln!(document, "keep_open: {keep_open}");
        }
        if let Network::Allowlist(destinations) = &self.network {
            let list = if destinations.is_empty() { " []" } else { "" };
            let _ = writeln!(document, "network: \"allowlist\"\nnetwork_allowlist:{list}");
            document.extend(destinations.iter().map(|destination| format!("  - \"{destination}\"\n")));
        }
        if !self.inputs.is_empty() {
            document.push_str("inputs:\n");
        }
        for input in &self.inputs {
            let _ = writeln!(document, "  - name: {}\n    sha256: \"{}\"", quote(&input.name), input.sha256);
        }
        write_args(&mut document, "", &self.args);
        if !self.interactions.is_empty() {
            document.push_str("interactions:\n");
        }
        for InteractionCall { command, args } in &self.interactions {
            let _ = writeln!(document, "  - command: {}", quote(command));
            write_args(&mut document, "    ", args);
        }
        document.push_str("---\n");
        document
    }
}

/// The content of a request for pages.
#[derive(Debug, Clone, PartialEq)]
pub struct PagesDraft {
    /// Its name; the document's file is named after it.
    pub id: RequestId,
    /// When it is written.
    pub created: DateTime<Utc>,
    /// The requester.
    pub requested_by: String,
    /// Why: one line.
    pub purpose: String,
    /// The pages.
    pub pages: Pages,
    /// Links repeats of the same request.
    pub idempotency_key: Option<String>,
}

impl PagesDraft {
    /// The document: front matter in the order of the published keys, and no body.
    pub fn to_markdown(&self) -> String {
        let mut document = head(&self.id, self.created, &self.requested_by, &self.purpose, "fetch");
        document.push_str("urls:\n");
        document.extend(self.pages.urls.iter().map(|url| format!("  - {}\n", quote(url))));
        if let Some(kilobytes) = self.pages.size_limit_kb {
            let _ = writeln!(document, "size_limit_kb: {kilobytes}");
        }
        if let Some(key) = &self.idempotency_key {
            let _ = writeln!(document, "idempotency_key: {}", quote(key));
        }
        document.push_str("---\n");
        document
    }
}

/// The keys that every request begins with.
fn head(id: &RequestId, created: DateTime<Utc>, requested_by: &str, purpose: &str, backend: &str) -> String {
    let mut document = String::from("---\nrequest_type: tool_request\nschema_version: 2\n");
    for (key, value) in [
        ("request_id", id.as_str()),
        ("created_utc", &utc(created)),
        ("requested_by", requested_by),
        ("purpose", purpose),
        ("backend", backend),
    ] {
        let _ = writeln!(document, "{key}: {}", quote(value));
    }
    document
}

fn utc(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

fn write_args(document: &mut String, indent: &str, args: &BTreeMap<String, ArgumentValue>) {
    let _ = writeln!(document, "{indent}args:{}", if args.is_empty() { " {}" } else { "" });
    for (name, value) in args {
        let _ = write!(document, "{indent}  {}: ", quote(name));
        let _ = match value {
            ArgumentValue::Text(text) => writeln!(document, "{}", quote(text)),
            // The point makes it a number with a fraction again.
            ArgumentValue::Float(number) if number.fract() == 0.0 => writeln!(document, "{number:.1}"),
            other => writeln!(document, "{other}"),
        };
    }
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for (character, code) in text::characters(text) {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            other if code.is_some() => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(other));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
