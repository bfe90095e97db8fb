//! The parts of a manifest that a result must agree with: the tool's name and version, the schema of its results, the
//! required isolation and limits, its arguments, and the number of approvals.
//!
//! Does not validate a manifest: its digest shows whether it is one of the site's. Security: unless the site knows it,
//! a manifest is hostile; patterns run in linear time, and a schema with references is not compiled. Standards: TOML
//! 1.1; ToolClad, `[output.schema]` and gatepost's `[sandbox]`; JSON Schema 2020-12.

mod argument;
mod limits;
mod session;
mod upstream;
mod visits;

use std::collections::BTreeMap;

use jsonschema::PatternOptions;
use serde_json::Value;

use crate::request::{Interaction, Lane, Request};
use gatepost_documents::evidence::{Evidence, Status};
use gatepost_documents::implied_schema::{Source, implied_schema};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_documents::text::quoted;
use gatepost_documents::visits::Visits;

pub(crate) use argument::Argument;
pub(crate) use limits::DeclaredLimits;
use session::Kind;
pub(crate) use session::{Command, Session};
pub(crate) use upstream::{Http, Mcp};

/// The version of a manifest that states none.
const VERSION_UNSTATED: &str = "0.0.0";
/// The most faults of results that are listed.
const FAULTS_MAX: usize = 32;

/// The parsed parts.
pub(crate) struct Manifest {
    pub(crate) name: String,
    pub(crate) version: String,
    /// `[sandbox] minimum`, if the manifest demands one.
    pub(crate) sandbox_minimum: Option<SandboxLevel>,
    /// Its network.
    pub(crate) network: Network,
    /// `[sandbox] refused_network`: whether a run to which the network refused anything fails.
    pub(crate) refusal_is_error: bool,
    /// `[http]`, for a tool that sends one request.
    pub(crate) http: Option<Http>,
    /// How many people must approve each request.
    pub(crate) approvers: u32,
    /// `[limits]` and `timeout_seconds`
    pub(crate) limits: DeclaredLimits,
    /// Whether the caller carries out its calls.
    pub(crate) is_callback: bool,
    /// `[mcp]`
    pub(crate) mcp: Option<Mcp>,
    /// `[session]` or `[browser]`
    pub(crate) session: Option<Session>,
    /// The hosts that its browser may visit; `None` without a browser.
    pub(crate) visits: Option<Visits>,
    /// `[args]`, by name.
    pub(crate) arguments: BTreeMap<String, Argument>,
    /// `[command] success_exit_codes`
    success_exit_codes: Vec<i64>,
    schema: Value,
}

/// The destinations that a manifest allows: by `[sandbox] network`, or by a backend with destinations of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    None,
    /// The destinations that the request lists.
    Listed,
    /// The same, and those that the call targets.
    Routed,
}

impl Manifest {
    /// Parses a manifest; `None` if it is no TOML document with these keys.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let table: toml::Table = toml::from_str(std::str::from_utf8(bytes).ok()?).ok()?;
        let tool = table.get("tool")?;
        let of = |key| tool.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        let is_callback = tool.get("dispatch").and_then(toml::Value::as_str) == Some("callback");
        let kind = Kind::of(&table);
        let session = match kind.and_then(|kind| table.get(kind.as_str()).zip(Some(kind))) {
            Some((session, kind)) => Some(session::read(session, kind)?),
            None => None,
        };
        let schema = schema(table.get("output"), kind)?;
        let sandbox = |key| table.get("sandbox").and_then(|sandbox| sandbox.get(key));
        // An unknown demand must not be ignored.
        let sandbox_minimum = match sandbox("minimum") {
            Some(minimum) => Some(SandboxLevel::parse(minimum.as_str()?)?),
            None => None,
        };
        let (http, mcp): (Option<Http>, Option<Mcp>) = (section(&table, "http").ok()?, section(&table, "mcp").ok()?);
        let visits = table.get("browser").map(visits::read);
        let network = match sandbox("network") {
            _ if visits.is_some() => Network::Listed,
            Some(toml::Value::String(word)) if word == "routed" => Network::Routed,
            Some(toml::Value::String(word)) if word == "proxy" => Network::Listed,
            Some(toml::Value::Boolean(true)) => Network::Listed,
            _ if http.is_some() || mcp.is_some() => Network::Listed,
            _ => Network::None,
        };
        let is_routed = network == Network::Routed;
        let refusal_is_error = sandbox("refused_network").map_or(is_routed, |word| word.as_str() != Some("anomaly"));
        Some(Self {
            name: of("name")?,
            version: tool.get("version").map_or(Some(VERSION_UNSTATED), toml::Value::as_str)?.to_owned(),
            sandbox_minimum,
            network,
            refusal_is_error,
            http,
            approvers: approvers(tool),
            is_callback,
            mcp,
            session,
            visits,
            limits: DeclaredLimits::read(&table),
            arguments: argument::read_all(&table),
            success_exit_codes: success_exit_codes(&table),
            schema,
        })
    }

    /// Whether evidence of a success has an exit code, and an HTTP status, that means success in this manifest.
    pub(crate) fn takes_for_success(&self, evidence: &Evidence) -> bool {
        let is_success = |status| self.http.as_ref().is_none_or(|http| http.is_success(status));
        // The status of a session is that of its last line.
        evidence.status != Status::Success
            || self.session.as_ref().is_some_and(|session| session.startup.is_some())
            || self.success_exit_codes.contains(&evidence.exit_code.into())
                && evidence.http_status.is_none_or(is_success)
    }

    /// How many people must have approved a request; of a session, for everything that it lists, even if it did not run.
    pub(crate) fn approvers_of(&self, request: Option<&Request>) -> u32 {
        let asked: &[Interaction] = match request.and_then(|request| request.lane.as_ref()) {
            Some(Lane::Clad { interactions, .. }) => interactions,
            _ => &[],
        };
        let commands = self.session.as_ref().map(|session| &session.commands);
        let asked = asked.iter().filter_map(|one| commands?.get(&one.command));
        asked.map(|command| command.approvers).fold(self.approvers, u32::max)
    }

    /// Every way in which results violate the output schema, as sentences.
    pub(crate) fn violations<'a>(&self, results: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
        if refers(&self.schema) {
            return vec!["The output schema contains a reference; the gate follows none.".to_owned()];
        }
        let options = jsonschema::draft202012::options().with_pattern_options(PatternOptions::regex());
        match options.build(&self.schema) {
            Err(error) => vec![format!("The output schema is not a JSON Schema: {}.", quoted(&error.to_string()))],
            Ok(validator) => results
                .into_iter()
                .flat_map(|results| validator.iter_errors(results))
                .take(FAULTS_MAX)
                .map(|error| {
                    let place = error.instance_path().to_string();
                    format!(
                        "The results violate the output schema at {}: {}.",
                        quoted(&place),
                        quoted(&error.to_string())
                    )
                })
                .collect(),
        }
    }
}

/// A section, if there is one, with the keys that are read.
fn section<T: serde::de::DeserializeOwned>(table: &toml::Table, name: &str) -> Result<Option<T>, toml::de::Error> {
    table.get(name).cloned().map(toml::Value::try_into).transpose()
}

/// The output schema; if a manifest states none, the one that its interactions or its parser imply.
fn schema(output: Option<&toml::Value>, kind: Option<Kind>) -> Option<Value> {
    if let Some(stated) = output.and_then(|output| output.get("schema")) {
        return serde_json::to_value(stated).ok();
    }
    let of = |key| output.and_then(|output| output.get(key)).and_then(toml::Value::as_str);
    let is_text = || {
        of("parser")
            .map_or_else(|| of("format").is_none_or(|format| format == "text"), |parser| parser == "builtin:text")
    };
    Some(implied_schema(match kind {
        Some(Kind::Session) => Source::Session,
        Some(Kind::Browser) => Source::Browser,
        None if is_text() => Source::Text,
        None => Source::Parser,
    }))
}

/// Only 0 if none are listed.
fn success_exit_codes(manifest: &toml::Table) -> Vec<i64> {
    let listed = manifest.get("command").and_then(|command| command.get("success_exit_codes"));
    let listed = listed.and_then(toml::Value::as_array);
    listed.map_or_else(|| vec![0], |codes| codes.iter().filter_map(toml::Value::as_integer).collect())
}

/// A person must approve a call with a risk above low, or whose manifest asks for it. An unknown word counts as asking,
/// and an invalid number as more than there are people.
fn approvers(tool: &toml::Value) -> u32 {
    let is_harmless = tool.get("risk_tier").is_none_or(|tier| matches!(tier.as_str(), Some("info" | "low")));
    let asks = tool.get("human_approval").is_some_and(|asks| asks.as_bool() != Some(false));
    let stated = tool.get("approvers").map(|count| count.as_integer().and_then(|count| count.try_into().ok()));
    stated.map_or(0, |count| count.unwrap_or(u32::MAX)).max((asks || !is_harmless).into())
}

/// Whether a schema contains a reference. TOML nesting is bounded, so this ends.
fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let reference = |key: &str| matches!(key, "$ref" | "$dynamicRef" | "$recursiveRef");
            map.iter().any(|(key, value)| (reference(key) && value.is_string()) || refers(value))
        }
        Value::Array(list) => list.iter().any(refers),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifest(schema: &str) -> Manifest {
        let text = format!("[tool]\nname = \"a\"\nversion = \"1\"\n[output.schema]\n{schema}\n");
        Manifest::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn results_are_checked_against_the_schema() {
        let manifest = manifest("type = \"object\"\nrequired = [\"n\"]\nproperties.n.type = \"integer\"");
        assert!(manifest.violations([&serde_json::json!({"n": 1})]).is_empty());
        for results in [serde_json::json!({"n": "1"}), serde_json::json!({}), serde_json::json!([])] {
            assert_eq!(manifest.violations([&results]).len(), 1, "{results}");
        }
    }

    #[test]
    fn what_a_manifest_leaves_out_is_what_its_parser_implies() {
        let read = |rest: &str| Manifest::read(format!("[tool]\nname = 'a'\n{rest}").as_bytes());
        assert_eq!(read("").unwrap().version, "0.0.0");
        assert!(read("version = 1").is_none());
        let (text, list) = (serde_json::json!({"raw_output": ""}), serde_json::json!([1]));
        for (output, takes_text, takes_list) in [
            ("", true, false),
            ("[output]\nformat = 'text'", true, false),
            ("[output]\nformat = 'json'", true, true),
            ("[output]\nformat = 'json'\nparser = 'builtin:text'", true, false),
            ("[output]\nparser = 'scripts/p.py'", true, true),
        ] {
            let manifest = read(output).unwrap();
            let takes = |results: &Value| manifest.violations([results]).is_empty();
            assert_eq!((takes(&text), takes(&list)), (takes_text, takes_list), "{output}");
            assert!(!takes(&Value::Null) && !takes(&serde_json::json!("x")), "{output}");
        }
        assert_eq!(read("").unwrap().success_exit_codes, [0]);
        assert_eq!(read("[command]\nsuccess_exit_codes = [0, 1]").unwrap().success_exit_codes, [0, 1]);
    }

    #[test]
    fn a_demand_on_the_sandbox_is_understood_or_the_manifest_is_not() {
        let read = |sandbox: &str| {
            let text = format!("[tool]\nname = \"a\"\nversion = \"1\"\n[output.schema]\n[sandbox]\n{sandbox}\n");
            Manifest::read(text.as_bytes()).map(|manifest| (manifest.sandbox_minimum, manifest.network))
        };
        assert_eq!(read(""), Some((None, Network::None)));
        assert_eq!(
            read("minimum = \"landlock\"\nnetwork = true"),
            Some((Some(SandboxLevel::Landlock), Network::Listed))
        );
        assert_eq!(read("[http]\nmethod = \"GET\"\nurl = \"https://a.org/\""), Some((None, Network::Listed)));
        assert_eq!(read("[http]"), None);
        for (word, expected) in
            [("none", Network::None), ("proxy", Network::Listed), ("routed", Network::Routed), ("ask", Network::None)]
        {
            assert_eq!(read(&format!("network = '{word}'")), Some((None, expected)), "{word}");
        }
        for unknown in ["minimum = \"Full\"", "minimum = 3"] {
            assert_eq!(read(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn risk_from_medium_on_and_a_demand_need_an_approval() {
        for (keys, expected) in [
            ("", 0),
            ("risk_tier = 'info'", 0),
            ("risk_tier = 'low'\nhuman_approval = false", 0),
            ("risk_tier = 'medium'", 1),
            ("risk_tier = 'critical'", 1),
            ("risk_tier = 3", 1),
            ("human_approval = true", 1),
            ("human_approval = 'no'", 1),
            ("risk_tier = 'high'\napprovers = 2", 2),
            ("approvers = 3", 3),
            ("approvers = 'two'", u32::MAX),
        ] {
            let text = format!("[tool]\nname = 'a'\nversion = '1'\n{keys}\n[output.schema]\n");
            assert_eq!(Manifest::read(text.as_bytes()).unwrap().approvers, expected, "{keys}");
        }
    }

    #[test]
    fn what_a_request_lists_needs_its_approvals_whether_it_was_reached_or_not() {
        let text = "[tool]\nname = 'a'\n[session]\nstartup_command = 'x'\n[session.commands.read]\n\
                    [session.commands.write]\nrisk_tier = 'high'\n[session.commands.drop]\nhuman_approval = true";
        let manifest = Manifest::read(text.as_bytes()).unwrap();
        for (listed, expected) in [("", 0), ("read", 0), ("read write", 1), ("drop", 1)] {
            let one = |command: &str| json!({"command": command});
            let interactions: Vec<Value> = listed.split_whitespace().map(one).collect();
            let request = json!({"request_id": "TR-x", "backend": "clad", "tool": "a", "interactions": interactions});
            let request = Request::read(request.to_string().as_bytes(), "request.json").unwrap();
            assert_eq!(manifest.approvers_of(Some(&request)), expected, "{listed}");
        }
    }

    #[test]
    fn a_schema_cannot_hold_the_gate_up() {
        for schema in
            ["\"$ref\" = \"#\"", "allOf = [{ \"$dynamicRef\" = \"#\" }]", "\"$ref\" = \"http://example.com/\""]
        {
            assert!(manifest(schema).violations([&Value::Null])[0].contains("reference"), "{schema}");
        }
        let slow = manifest("pattern = \"^(a+)+$\"");
        assert_eq!(slow.violations([&Value::String("a".repeat(50_000) + "b")]).len(), 1);
        assert!(manifest("type = 1").violations([&Value::Null])[0].contains("not a JSON Schema"));
        let deep = "[output.schema]\nallOf = ".to_owned() + &"[".repeat(100_000);
        assert!(Manifest::read(deep.as_bytes()).is_none());
    }
}
