//! The Cedar schema that validates policies: gatepost's own names, and the names of the installed manifests.
//!
//! It lists every tool by its name, and every argument with its type: a policy that names a missing tool or argument does not validate.
//! `[tool.cedar] resource = "PenTest::ScanTarget"` with `action = "execute_tool"` stands for `PenTest::ScanTarget::"<tool>"` and
//! `PenTest::Action::"execute_tool"`; a name without a namespace is in gatepost's own. *Standards*: Cedar 4, JSON schema format.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use cedar_policy::{RestrictedExpression, Schema, SchemaError};
use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::manifest::{Argument, Cedar, Kind, Manifest};
use gatepost_contract::scope::Cidr;
use gatepost_sandbox::network::plain;
use serde_json::{Map, Value, json};

use super::question::expression;

/// The interpreter of the lane monty, as a resource.
pub(super) const MONTY: &str = "monty";

/// The name of the fetcher in evidence and as a resource.
pub const FETCH: &str = "fetch";

/// The type of every principal.
pub(super) const REQUESTER: &str = "Gatepost::Requester";

/// The Cedar names of a tool's resource and action.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Names<'a> {
    /// The namespace of both.
    pub(super) namespace: &'a str,
    /// The resource's type within it.
    pub(super) resource: &'a str,
    /// The action's id.
    pub(super) action: &'a str,
}

impl<'a> Names<'a> {
    /// The names without a manifest.
    pub(super) const INTERPRETER: Names<'static> =
        Names { namespace: Cedar::NAMESPACE, resource: "Interpreter", action: "execute_tool" };

    /// The names of a manifest, or the defaults.
    pub(super) fn of(cedar: Option<&'a Cedar>) -> Self {
        let Some(Cedar { resource, action }) = cedar else {
            return Names { namespace: Cedar::NAMESPACE, resource: "Tool", action: "execute_tool" };
        };
        let (namespace, resource) = resource.rsplit_once("::").unwrap_or((Cedar::NAMESPACE, resource));
        Names { namespace, resource, action }
    }

    /// `PenTest::ScanTarget`
    pub(super) fn resource_type(&self) -> String {
        format!("{}::{}", self.namespace, self.resource)
    }

    /// `PenTest::Action`
    pub(super) fn action_type(&self) -> String {
        format!("{}::Action", self.namespace)
    }
}

/// The Cedar type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Long,
    Bool,
    /// `ip("10.0.0.0/8")`
    Address,
    /// `duration("90000ms")`
    Duration,
}

impl Form {
    /// The other types are compared as the text that the tool gets, because Cedar has no fractions.
    pub(super) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Integer | Kind::Port => Self::Long,
            Kind::Boolean => Self::Bool,
            Kind::IpAddress | Kind::Cidr => Self::Address,
            Kind::Duration => Self::Duration,
            _ => Self::Text,
        }
    }

    fn to_schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "String" }),
            Self::Long => json!({ "type": "Long" }),
            Self::Bool => json!({ "type": "Boolean" }),
            Self::Address => json!({ "type": "Extension", "name": "ipaddr" }),
            Self::Duration => json!({ "type": "Extension", "name": "duration" }),
        }
    }

    /// The Cedar type of a manifest's argument.
    pub(super) fn in_manifest(manifest: &Manifest, name: &str) -> Self {
        manifest.argument(name).map_or(Self::Text, |argument| Self::of(argument.kind.kind()))
    }

    /// An accepted value in Cedar; `None` if Cedar cannot represent it.
    pub(super) fn expression(self, value: &ArgumentValue) -> Option<RestrictedExpression> {
        let value = self.of_value(value);
        match self {
            Self::Address => value.as_str().map(RestrictedExpression::new_ip),
            Self::Duration => value.as_str().map(RestrictedExpression::new_duration),
            Self::Text | Self::Long | Self::Bool => expression(&value),
        }
    }

    /// An accepted value in JSON; an extension value as its Cedar text.
    pub(super) fn of_value(self, value: &ArgumentValue) -> Value {
        match self {
            Self::Text => value.to_string().into(),
            Self::Long | Self::Bool => value.to_json(),
            Self::Address => address(&value.to_string()).into(),
            Self::Duration => milliseconds(&value.to_string()).into(),
        }
    }
}

/// Cedar's spelling. IPv4 has one spelling, also if an IPv6 address embeds it.
fn address(text: &str) -> String {
    match (text.parse::<IpAddr>(), Cidr::parse(text)) {
        (Ok(address), _) => plain(address).to_string(),
        (_, Some(network)) => network.plain().to_string(),
        _ => text.to_owned(),
    }
}

/// Seconds with up to three decimals, the form of the type `duration`.
fn milliseconds(seconds: &str) -> String {
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let digits = format!("{whole}{fraction:0<3}");
    let trimmed = digits.trim_start_matches('0');
    format!("{}ms", if trimmed.is_empty() { "0" } else { trimmed })
}

/// One action: its principals and resources.
type Actions = BTreeMap<String, BTreeSet<String>>;

/// The schema of a site with these tools and these interpreters of command lines.
pub(super) fn schema(tools: &[&Manifest], interpreters: &[&str]) -> Result<Schema, Box<SchemaError>> {
    let tools: Vec<&Manifest> = tools.iter().flat_map(|tool| tool.with_commands()).collect();
    let mut resources: BTreeMap<Names<'_>, BTreeSet<&str>> = BTreeMap::new();
    resources.insert(Names::INTERPRETER, interpreters.iter().copied().chain([MONTY, FETCH]).collect());
    for tool in &tools {
        resources.entry(Names::of(tool.cedar())).or_default().insert(tool.name());
    }
    let mut namespaces: BTreeMap<&str, (BTreeMap<&str, BTreeSet<&str>>, Actions)> = BTreeMap::new();
    for (names, ids) in &resources {
        let (types, actions) = namespaces.entry(names.namespace).or_default();
        types.entry(names.resource).or_default().extend(ids);
        actions.entry(names.action.to_owned()).or_default().insert(names.resource_type());
    }
    let mut document = Map::new();
    for (namespace, (types, actions)) in namespaces {
        let types: Map<String, Value> =
            types.into_iter().map(|(name, ids)| (name.to_owned(), json!({ "enum": ids }))).collect();
        let actions: Map<String, Value> = actions.into_iter().map(|(id, types)| (id, action(&types))).collect();
        document.insert(namespace.to_owned(), json!({ "entityTypes": types, "actions": actions }));
    }
    let own = &mut document[Cedar::NAMESPACE];
    own["entityTypes"]["Requester"] = json!({});
    own["commonTypes"] = json!({ "Facts": facts(&tools) });
    Ok(Schema::from_json_value(Value::Object(document))?)
}

/// The names of the types of principals, actions and resources.
pub(super) fn types(tools: &[&Manifest]) -> BTreeSet<String> {
    let names = tools.iter().map(|tool| Names::of(tool.cedar())).chain([Names::INTERPRETER]);
    names.flat_map(|names| [names.resource_type(), names.action_type()]).chain([REQUESTER.to_owned()]).collect()
}

fn action(resource_types: &BTreeSet<String>) -> Value {
    let context = json!({ "type": "Gatepost::Facts" });
    json!({ "appliesTo": { "principalTypes": [REQUESTER], "resourceTypes": resource_types, "context": context } })
}

/// The type of the context.
fn facts(tools: &[&Manifest]) -> Value {
    let (text, texts) = (json!({ "type": "String" }), json!({ "type": "Set", "element": { "type": "String" } }));
    let approvals = json!({ "names": texts, "count": { "type": "Long" } });
    let arguments: Map<String, Value> = tools.iter().map(|tool| (tool.name().to_owned(), call(tool))).collect();
    json!({
        "type": "Record",
        "attributes": {
            "requester": text, "lane": text, "tool": text, "version": text, "risk_tier": text, "sandbox": text,
            "arguments": { "type": "Record", "attributes": arguments },
            "network": texts,
            "approvals": { "type": "Record", "attributes": approvals },
            "requester_proved": { "type": "Boolean" },
            "time": { "type": "Extension", "name": "datetime" },
        }
    })
}

/// The arguments of one tool, present only in calls of it.
fn call(tool: &Manifest) -> Value {
    let argument = |argument: &Argument| {
        let mut schema = Form::of(argument.kind.kind()).to_schema();
        schema["required"] = (argument.required || argument.default.is_some()).into();
        (argument.name.clone(), schema)
    };
    let attributes: Map<String, Value> = tool.arguments().iter().map(argument).collect();
    json!({ "type": "Record", "attributes": attributes, "required": false })
}
