//! The question to the policies: requester, action and tool, with every fact that a policy may use.
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

use cedar_policy::RestrictedExpression;
use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_contract::manifest::{Arguments, Manifest, RiskTier};
use gatepost_documents::escape::ascii_json;
use gatepost_documents::evidence::EnforcedLevel;
use gatepost_sandbox::network::{Destination, Host, plain};
use serde_json::{Map, Value, json};

use super::schema::{FETCH, Form, MONTY, Names, REQUESTER};

/// The subject of the question.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A call of a manifest.
    Call {
        /// The manifest.
        manifest: &'a Manifest,
        /// Its checked arguments.
        arguments: &'a Arguments,
        /// The target hosts, to which it gets a route.
        targets: &'a [Host],
    },
    /// A command line.
    Command {
        /// The interpreter.
        interpreter: &'a str,
    },
    /// A program in the Python subset.
    Program,
    /// Pages of the web, from the requested destinations.
    Pages,
}

/// One question. Its content is already checked, so a policy can rely on it.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The requester.
    pub requester: &'a str,
    /// Whether a signature proves the requester.
    pub requester_proved: bool,
    /// The subject of the question.
    pub subject: Subject<'a>,
    /// The requested destinations.
    pub network: &'a [Destination],
    /// The confinement.
    pub sandbox: EnforcedLevel,
    /// The start time.
    pub time: DateTime<Utc>,
    /// The approvers so far.
    pub approvals: &'a [String],
}

impl Subject<'_> {
    /// The lane's name in requests.
    pub fn lane(&self) -> &'static str {
        match self {
            Self::Call { .. } => "clad",
            Self::Command { .. } => "ERA",
            Self::Program => "monty",
            Self::Pages => "fetch",
        }
    }

    /// The tool, or the interpreter of the command or the program.
    pub fn tool(&self) -> &str {
        match self {
            Self::Call { manifest, .. } => manifest.name(),
            Self::Command { interpreter } => interpreter,
            Self::Program => MONTY,
            Self::Pages => FETCH,
        }
    }

    /// The hosts that it may reach on every port.
    pub fn targets(&self) -> &[Host] {
        match self {
            Self::Call { targets, .. } => targets,
            Self::Command { .. } | Self::Program | Self::Pages => &[],
        }
    }

    /// Its version; empty if it is unknown before the run.
    fn version(&self) -> &str {
        match self {
            Self::Call { manifest, .. } => manifest.version(),
            Self::Command { .. } | Self::Pages => "",
            Self::Program => gatepost_workers::monty::VERSION,
        }
    }

    /// The manifest's. A command line can be anything, and counts as high; a program in the subset reaches nothing, and counts as
    /// medium; pages are read from listed hosts alone, and count as low.
    fn risk_tier(&self) -> RiskTier {
        match self {
            Self::Call { manifest, .. } => manifest.risk_tier(),
            Self::Command { .. } => RiskTier::High,
            Self::Program => RiskTier::Medium,
            Self::Pages => RiskTier::Low,
        }
    }

    /// Its name in Cedar.
    pub(super) fn names(&self) -> Names<'_> {
        match self {
            Self::Call { manifest, .. } => Names::of(manifest.cedar()),
            Self::Command { .. } | Self::Program | Self::Pages => Names::INTERPRETER,
        }
    }

    /// Its arguments for people, below the tool's name, without the sensitive ones.
    fn arguments(&self) -> Value {
        let Self::Call { manifest, arguments, .. } = self else { return json!({}) };
        let value = |(name, value): (&str, _)| {
            let hidden = arguments.is_sensitive(name).then(|| json!(format!("[sensitive:{name}]")));
            (name.to_owned(), hidden.unwrap_or_else(|| Form::in_manifest(manifest, name).of_value(value)))
        };
        let values: Map<String, Value> = arguments.iter().map(value).collect();
        json!({ manifest.name(): values })
    }

    /// The same for policies.
    fn expressions(&self) -> Option<RestrictedExpression> {
        let Self::Call { manifest, arguments, .. } = self else { return expression(&json!({})) };
        let value =
            |(name, value): (&str, _)| Some((name.to_owned(), Form::in_manifest(manifest, name).expression(value)?));
        let values = RestrictedExpression::new_record(arguments.iter().map(value).collect::<Option<Vec<_>>>()?).ok()?;
        RestrictedExpression::new_record([(manifest.name().to_owned(), values)]).ok()
    }
}

impl Question<'_> {
    /// Every fact by its name in the context, except `approvals`. `None` if Cedar cannot represent one.
    pub(super) fn facts(&self) -> Option<Vec<(String, RestrictedExpression)>> {
        let Value::Object(facts) = self.plain() else { return None };
        let expression = |(name, value): (String, Value)| {
            let expression = match name.as_str() {
                "time" => RestrictedExpression::new_datetime(value.as_str()?),
                "arguments" => self.subject.expressions()?,
                _ => expression(&value)?,
            };
            Some((name, expression))
        };
        facts.into_iter().filter(|(name, _)| name != APPROVALS).map(expression).collect()
    }

    /// Every fact by its name in the context, for people: without sensitive values.
    pub fn shown(&self) -> Value {
        let mut facts = self.plain();
        facts["arguments"] = self.subject.arguments();
        facts
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

    /// Every fact, the arguments left empty.
    fn plain(&self) -> Value {
        let plain = |host: &Host| match host {
            Host::Address(address) => Host::Address(plain(*address)),
            Host::Name(_) => host.clone(),
        };
        let listed = self.network.iter().flat_map(|listed| {
            [listed.clone(), Destination { host: plain(&listed.host), port: listed.port }].map(|one| one.to_string())
        });
        let targets = self.subject.targets().iter();
        let targets = targets.flat_map(|target| [target.clone(), plain(target)].map(|one| one.to_string()));
        // An address that embeds an IPv4 address counts as both, so a policy on either one applies.
        let network: BTreeSet<String> = listed.chain(targets).collect();
        json!({
            "requester": self.requester,
            "lane": self.subject.lane(),
            "tool": self.subject.tool(),
            "version": self.subject.version(),
            "risk_tier": self.subject.risk_tier().as_str(),
            "arguments": {},
            "network": network,
            "sandbox": self.sandbox.as_str(),
            APPROVALS: approvals(self.approvals),
            "requester_proved": self.requester_proved,
            "time": self.time.to_rfc3339_opts(SecondsFormat::Millis, true),
        })
    }
}

/// The name of the fact that is varied.
pub(super) const APPROVALS: &str = "approvals";

/// The fact `approvals`: a person who approved twice counts once.
pub(super) fn approvals(names: &[String]) -> Value {
    let distinct: BTreeSet<&String> = names.iter().collect();
    json!({ "names": distinct, "count": distinct.len() })
}

/// A JSON value in Cedar; `None` if Cedar cannot represent it.
pub(super) fn expression(value: &Value) -> Option<RestrictedExpression> {
    match value {
        Value::String(text) => Some(RestrictedExpression::new_string(text.clone())),
        Value::Bool(value) => Some(RestrictedExpression::new_bool(*value)),
        Value::Number(number) => number.as_i64().map(RestrictedExpression::new_long),
        Value::Array(items) => {
            Some(RestrictedExpression::new_set(items.iter().map(expression).collect::<Option<Vec<_>>>()?))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| Some((name.clone(), expression(value)?));
            RestrictedExpression::new_record(members.iter().map(member).collect::<Option<Vec<_>>>()?).ok()
        }
        Value::Null => None,
    }
}
