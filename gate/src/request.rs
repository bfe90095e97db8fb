//! The parts of a request that its result must agree with: the id, the purpose, the declared approval, the network, the
//! expected outputs, its lane and its limits.
//!
//! Does not judge a request: TOOL-EXEC did, and a refused request may be malformed in any way. Security: hostile bytes,
//! in either form. Standards: ThreeGate tool-request schema, `outputs_expected`.

mod command;
mod lane;
mod limits;
mod word;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;

use gatepost_documents::artifact_name;
use gatepost_documents::destination::Destination;
use gatepost_documents::evidence::Approval;
use gatepost_documents::front_matter::{self, ScalarKind};
use gatepost_documents::json;
use gatepost_documents::text;

pub(crate) use lane::{Interaction, Lane};
pub(crate) use limits::RequestedLimits;
pub(crate) use word::split;

/// The parsed parts.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Request {
    /// `request_id`
    pub(crate) id: String,
    /// `purpose`; empty when there is none.
    pub(crate) purpose: String,
    /// The requested lane; `None` if it is unreadable.
    pub(crate) lane: Option<Lane>,
    /// The limits that it sets itself.
    pub(crate) limits: RequestedLimits,
    /// `network_allowlist`, or the destinations of the URLs of a request for pages; `None` when `network` is not `allowlist`.
    pub(crate) allowlist: Option<BTreeSet<Destination>>,
    /// `requested_by`
    pub(crate) requested_by: String,
    /// `session_id`
    pub(crate) session_id: Option<String>,
    /// Whether it opens a session that stays open.
    pub(crate) opens_session: bool,
    /// Its creation time, according to itself.
    pub(crate) created: Option<DateTime<Utc>>,
    /// `approved_by` and `approved_utc`, if both are there.
    approval: Option<(String, DateTime<Utc>)>,
    /// `outputs_expected`: path as a bundle spells it below `artifacts/`, and description.
    pub(crate) outputs: BTreeMap<String, String>,
}

impl Request {
    /// Reads the request in the file of this name; `None` if it is no readable request.
    pub(crate) fn read(bytes: &[u8], file: &str) -> Option<Self> {
        if file == "request.json" {
            return Self::from_fields(&json::read(bytes).ok()?, "");
        }
        let document = front_matter::read(text::check(bytes, file).ok()?, file, front_matter::Kind::Request).ok()?;
        Self::from_fields(&as_json(&front_matter::Value::Map(document.entries)), document.body)
    }

    /// The description of the artifact at a path below `artifacts/`, if the request has one.
    pub(crate) fn description(&self, path: &str) -> Option<&str> {
        self.outputs.get(path).map(String::as_str)
    }

    /// Whether the request itself declares this approval.
    pub(crate) fn declares(&self, approval: &Approval) -> bool {
        self.approval.as_ref().is_some_and(|(by, utc)| {
            *by == approval.approved_by && utc.to_rfc3339_opts(SecondsFormat::Secs, true) == approval.approved_utc
        })
    }

    fn from_fields(fields: &Value, body: &str) -> Option<Self> {
        let text = |key: &str| fields.get(key).and_then(Value::as_str);
        let list = |key: &str| fields.get(key).and_then(Value::as_array).into_iter().flatten();
        let lane = Lane::read(fields, body);
        let allowlist = match &lane {
            Some(Lane::Fetch(urls)) => Some(urls.iter().filter_map(|url| Destination::of_url(url)).collect()),
            _ => allowlist(text("network"), list("network_allowlist").filter_map(Value::as_str)),
        };
        Some(Self {
            id: text("request_id")?.to_owned(),
            purpose: text("purpose").unwrap_or_default().to_owned(),
            lane,
            limits: RequestedLimits::read(fields),
            allowlist,
            requested_by: text("requested_by").unwrap_or_default().to_owned(),
            session_id: text("session_id").map(str::to_owned),
            opens_session: fields.get("keep_open") == Some(&Value::Bool(true)) && text("session_id").is_none(),
            created: text("created_utc").and_then(utc),
            approval: text("approved_by").map(str::to_owned).zip(text("approved_utc").and_then(utc)),
            outputs: list("outputs_expected").filter_map(output).collect(),
        })
    }
}

/// Converts front matter to the JSON form of a request.
fn as_json(value: &front_matter::Value) -> Value {
    match value {
        front_matter::Value::Null => Value::Null,
        front_matter::Value::Scalar { text, kind } => match kind {
            ScalarKind::Text => text.as_str().into(),
            ScalarKind::Integer(number) => (*number).into(),
            ScalarKind::Float(number) => (*number).into(),
            ScalarKind::Boolean(boolean) => (*boolean).into(),
        },
        front_matter::Value::List(nodes) => nodes.iter().map(|node| as_json(&node.value)).collect(),
        front_matter::Value::Map(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), as_json(&entry.node.value))).collect()
        }
    }
}

fn utc(text: &str) -> Option<DateTime<Utc>> {
    Some(DateTime::parse_from_rfc3339(text).ok()?.to_utc())
}

/// An entry that is no destination allows nothing.
fn allowlist<'a>(network: Option<&str>, listed: impl IntoIterator<Item = &'a str>) -> Option<BTreeSet<Destination>> {
    (network == Some("allowlist")).then(|| listed.into_iter().filter_map(Destination::parse).collect())
}

fn output(value: &Value) -> Option<(String, String)> {
    Some((carried(value.get("path")?.as_str()?), value.get("description")?.as_str()?.to_owned()))
}

/// The path of an expected output below `artifacts/`. `/out/a`, `out/a` and `a` are one file.
fn carried(path: &str) -> String {
    let path = path.strip_prefix("/out/").or(path.strip_prefix("out/")).unwrap_or(path);
    let components: Vec<_> = path.split('/').map(artifact_name::encoded).collect();
    format!("out/{}", components.join("/"))
}

#[cfg(test)]
mod tests {
    use gatepost_documents::evidence::ApprovalMode;

    use super::*;

    #[test]
    fn both_forms_are_equivalent() {
        let markdown = b"---\nrequest_id: \"TR-x\"\npurpose: \"Count\"\napproved_by: \"alice\"\napproved_utc: \"2026-02-09T16:07:00Z\"\nnetwork: allowlist\nnetwork_allowlist: [\"Example.org:443\", \"*\"]\noutputs_expected:\n  - path: \"a b.csv\"\n    description: \"The table\"\n---\n";
        let json = br#"{"request_id":"TR-x","purpose":"Count","approved_by":"alice","approved_utc":"2026-02-09T16:07:00+00:00","network":"allowlist","network_allowlist":["*","example.org:443"],"outputs_expected":[{"path":"/out/a b.csv","description":"The table"}]}"#;
        let read = Request::read(markdown, "request.md").unwrap();
        assert_eq!(read.id, "TR-x");
        assert_eq!(read.purpose, "Count");
        let approval = |by: &str, utc: &str| Approval {
            mode: ApprovalMode::Declared,
            approved_by: by.to_owned(),
            approved_utc: utc.to_owned(),
            proof: None,
        };
        assert!(read.declares(&approval("alice", "2026-02-09T16:07:00Z")));
        assert!(!read.declares(&approval("bob", "2026-02-09T16:07:00Z")));
        assert!(!read.declares(&approval("alice", "2026-02-09T16:08:00Z")));
        assert!(!Request::default().declares(&approval("", "")));
        assert_eq!(read.allowlist, Some(Destination::parse("example.org:443").into_iter().collect()));
        assert_eq!(read.description("out/a%20b.csv"), Some("The table"));
        assert_eq!(Request::read(json, "request.json"), Some(read));
        assert_eq!(Request::read(b"no request", "request.md"), None);
        let unused = br#"{"request_id":"TR-x","network":"none","network_allowlist":["example.org:443"]}"#;
        assert_eq!(Request::read(unused, "request.json").unwrap().allowlist, None);
    }
}
