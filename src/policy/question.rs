//! What policies are asked: who wants what run, with every fact that a policy may look at.
//!
//! ```cedar
//! principal   Gatepost::Requester::"core_draft"
//! action      Gatepost::Action::"execute_tool"       or what [tool.cedar] says
//! resource    Gatepost::Tool::"sort_lines"           or what [tool.cedar] says; Gatepost::Interpreter on the other lanes
//! context     the facts below
//! ```
//!
//! *Security*: names and values are a requester's. They are data in the context, never text of a policy.

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::escape::ascii_json;
use gatepost_documents::evidence::EnforcedLevel;
use serde_json::{Map, Value, json};

use super::schema::{Form, MONTY, Names, REQUESTER};
use crate::manifest::{Arguments, Manifest, RiskTier};
use crate::monty;
use crate::network::Destination;

/// What is to be run.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A call of a manifest.
    Call {
        /// The manifest.
        manifest: &'a Manifest,
        /// Its arguments, checked.
        arguments: &'a Arguments,
    },
    /// A command line.
    Command {
        /// The program that runs it.
        interpreter: &'a str,
    },
    /// A program in the Python subset.
    Program,
}

/// One question. What stands in it was checked before, so that a policy can rely on it.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Who asks.
    pub requester: &'a str,
    /// Whether a signature says so, and not the request alone.
    pub requester_proved: bool,
    /// What is to be run.
    pub subject: Subject<'a>,
    /// The destinations that it asks for.
    pub network: &'a [Destination],
    /// What will hold it.
    pub sandbox: EnforcedLevel,
    /// When it would start.
    pub time: DateTime<Utc>,
    /// Who approved it so far.
    pub approvals: &'a [String],
}

impl Subject<'_> {
    /// The lane, as requests name it.
    pub fn lane(&self) -> &'static str {
        match self {
            Self::Call { .. } => "clad",
            Self::Command { .. } => "ERA",
            Self::Program => "monty",
        }
    }

    /// The tool, or what interprets the command or the program.
    pub fn tool(&self) -> &str {
        match self {
            Self::Call { manifest, .. } => manifest.name(),
            Self::Command { interpreter } => interpreter,
            Self::Program => MONTY,
        }
    }

    /// Its version; empty where it is not known before it runs.
    fn version(&self) -> &str {
        match self {
            Self::Call { manifest, .. } => manifest.version(),
            Self::Command { .. } => "",
            Self::Program => monty::VERSION,
        }
    }

    /// The manifest's. A command line can be anything, and counts as high; a program in the subset reaches nothing, and counts as
    /// medium.
    fn risk_tier(&self) -> RiskTier {
        match self {
            Self::Call { manifest, .. } => manifest.risk_tier(),
            Self::Command { .. } => RiskTier::High,
            Self::Program => RiskTier::Medium,
        }
    }

    /// What Cedar calls it.
    pub(super) fn names(&self) -> Names<'_> {
        match self {
            Self::Call { manifest, .. } => Names::of(manifest.cedar()),
            Self::Command { .. } | Self::Program => Names::INTERPRETER,
        }
    }

    /// Its arguments as policies see them, below the tool's name; `shown` leaves the sensitive ones out.
    fn arguments(&self, shown: bool) -> Value {
        let Self::Call { manifest, arguments } = self else { return json!({}) };
        let value = |(name, value): (&str, _)| {
            let hidden = shown && arguments.is_sensitive(name);
            let form = manifest.argument(name).map_or(Form::Text, |argument| Form::of(argument.kind.kind()));
            (name.to_owned(), if hidden { json!(format!("[sensitive:{name}]")) } else { form.of_value(value) })
        };
        let values: Map<String, Value> = arguments.iter().map(value).collect();
        json!({ manifest.name(): values })
    }
}

impl Question<'_> {
    /// Every fact by its name in the context, as JSON; extension values as the texts that Cedar reads.
    pub(super) fn facts(&self) -> Value {
        self.told(false)
    }

    /// The same for people, without sensitive values.
    pub fn shown(&self) -> Value {
        self.told(true)
    }

    /// Principal, action and resource, as a policy names them.
    pub fn entities(&self) -> [String; 3] {
        let names = self.subject.names();
        [
            format!("{REQUESTER}::{}", ascii_json(&self.requester)),
            format!("{}::{}", names.action_type(), ascii_json(&names.action)),
            format!("{}::{}", names.resource_type(), ascii_json(&self.subject.tool())),
        ]
    }

    fn told(&self, shown: bool) -> Value {
        let network: Vec<String> = self.network.iter().map(ToString::to_string).collect();
        json!({
            "requester": self.requester,
            "lane": self.subject.lane(),
            "tool": self.subject.tool(),
            "version": self.subject.version(),
            "risk_tier": self.subject.risk_tier().as_str(),
            "arguments": self.subject.arguments(shown),
            "network": network,
            "sandbox": self.sandbox.as_str(),
            "approvals": approvals(self.approvals),
            "requester_proved": self.requester_proved,
            "time": self.time.to_rfc3339_opts(SecondsFormat::Millis, true),
        })
    }
}

/// The fact `approvals`: whoever approved twice counts once.
pub(super) fn approvals(names: &[String]) -> Value {
    let distinct: BTreeSet<&String> = names.iter().collect();
    json!({ "names": distinct, "count": distinct.len() })
}
