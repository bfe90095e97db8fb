//! The catalog: `core/catalog.json`, written by TOOL-EXEC, and the tools that a client sees.
//!
//! Only the members that a client needs are read. *Security*: the file is TOOL-EXEC's claim, read within a limit. It
//! grants no right: TOOL-EXEC checks each request by the manifest itself.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, PoisonError};

use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::own_tools;
use crate::pages;
use crate::principal::Principal;

/// The most bytes of a catalog.
const CATALOG_BYTES_MAX: u64 = 64 << 20;

/// The catalog of a site.
#[derive(Debug, Default, Deserialize)]
pub struct Catalog {
    /// The limits of requests.
    pub request: Form,
    /// The tools.
    pub tools: Vec<Tool>,
    /// The lanes without a tool.
    #[serde(default)]
    pub lanes: Vec<Lane>,
}

/// A lane without a tool.
#[derive(Debug, Deserialize)]
pub struct Lane {
    /// The value of `backend` in a request.
    pub backend: String,
    /// The destinations, `host:port`, of its pages.
    #[serde(default)]
    pub destinations: Vec<String>,
}

/// The limits of requests.
#[derive(Debug, Default, Deserialize)]
pub struct Form {
    /// The most input files.
    pub inputs_max: u32,
    /// The most bytes of input files together.
    pub inputs_bytes_max: u64,
}

/// A tool.
#[derive(Debug, Deserialize)]
pub struct Tool {
    /// Its name in a request.
    pub name: String,
    /// What it does.
    pub description: String,
    /// `low` to `critical`.
    pub risk_tier: String,
    /// How many people must approve each request.
    pub approvals: u32,
    /// Whether a second run changes nothing.
    pub idempotent: bool,
    /// The network that it may use.
    pub network: Network,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// The JSON Schema of its input.
    #[serde(default)]
    pub input_schema: Option<Value>,
    /// The JSON Schema of its results.
    #[serde(default)]
    pub results_schema: Option<Value>,
}

/// The network that a tool may use.
#[derive(Debug, Deserialize)]
pub struct Network {
    /// The kind of network.
    pub kind: NetworkKind,
    /// The destinations.
    pub destinations: Vec<String>,
}

/// The kind of network of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkKind {
    /// No network.
    None,
    /// The tool's own destinations, all of which a request lists.
    Own,
    /// The destinations that a request lists.
    Listed,
    /// Also the target hosts in its arguments.
    Targets,
}

/// An argument.
#[derive(Debug, Deserialize)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// One of the sixteen types.
    pub r#type: String,
    /// Whether a call must give it.
    pub required: bool,
    /// Its default; a sensitive one is omitted.
    #[serde(default)]
    pub default: Option<String>,
    /// The values of an enumeration.
    #[serde(default)]
    pub allowed: Vec<String>,
    /// The minimum of a number.
    #[serde(default)]
    pub min: Option<String>,
    /// The maximum of a number.
    #[serde(default)]
    pub max: Option<String>,
    /// Whether a number outside its bounds is moved to the nearest.
    pub clamp: bool,
    /// The pattern that must occur in a string.
    #[serde(default)]
    pub pattern: Option<String>,
}

impl Catalog {
    /// The tool of a name, if this principal may use it.
    pub fn tool(&self, principal: &Principal, name: &str) -> Option<&Tool> {
        let tool = self.tools.iter().find(|tool| tool.name == name)?;
        (principal.may_ask_for(name) && !own_tools::is_own(name)).then_some(tool)
    }

    /// The destinations of the page lane, if the site and this principal's rights include it. A tool of the same name has priority.
    pub fn pages(&self, principal: &Principal) -> Option<&[String]> {
        let has_tool = self.tools.iter().any(|tool| tool.name == pages::TOOL);
        let lane = self.lanes.iter().find(|lane| lane.backend == pages::TOOL)?;
        (principal.may_ask_for(pages::TOOL) && !has_tool).then_some(lane.destinations.as_slice())
    }

    /// The tools that this principal may use, and the server's own, for `tools/list`.
    pub fn shown(&self, principal: &Principal) -> Vec<Value> {
        let tools = self.tools.iter().filter(|tool| self.tool(principal, &tool.name).is_some());
        let pages = self.pages(principal).map(pages::shown);
        tools.map(Tool::shown).chain(pages).chain(own_tools::shown()).collect()
    }
}

impl Tool {
    fn shown(&self) -> Value {
        let is_read_only = self.risk_tier == "low" && self.network.kind == NetworkKind::None;
        let approvals = match self.approvals {
            0 => String::new(),
            1 => " A person must approve each call.".to_owned(),
            count => format!(" {count} people must approve each call."),
        };
        json!({
            "name": self.name,
            "description": format!("{}{approvals}", self.description),
            "inputSchema": self.input_schema(),
            "outputSchema": output_schema(self.results_schema.as_ref()),
            "annotations": {
                "readOnlyHint": is_read_only,
                "destructiveHint": matches!(self.risk_tier.as_str(), "high" | "critical"),
                "idempotentHint": self.idempotent,
                "openWorldHint": self.network.kind != NetworkKind::None,
            },
        })
    }

    /// The manifest's schema, and the optional members of any call.
    fn input_schema(&self) -> Value {
        let object = json!({"type": "object", "properties": {}});
        let mut schema = self.input_schema.clone().filter(Value::is_object).unwrap_or(object);
        if !schema["properties"].is_object() {
            schema["properties"] = json!({});
        }
        let properties = &mut schema["properties"];
        properties["_inputs"] = json!({
            "type": "array",
            "description": "Input files that the tool finds in in/; name one in an argument that takes a path.",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "content_base64": {"type": "string"}},
                "required": ["name", "content_base64"],
                "additionalProperties": false,
            },
        });
        properties[PURPOSE] = purpose();
        properties[IDEMPOTENCY_KEY] = idempotency_key();
        if matches!(self.network.kind, NetworkKind::Listed | NetworkKind::Targets) {
            properties["_network"] = json!({
                "type": "array",
                "items": {"type": "string"},
                "description": format!("host:port to reach, within: {}", self.network.destinations.join(", ")),
            });
        }
        schema
    }
}

/// The member of a call with its purpose.
pub(crate) const PURPOSE: &str = "_purpose";

/// The member of a call with its idempotency key.
pub(crate) const IDEMPOTENCY_KEY: &str = "_idempotency_key";

/// The schema of [`PURPOSE`].
pub(crate) fn purpose() -> Value {
    json!({"type": "string", "description": "Why, in one line. People and logs read it."})
}

/// The schema of [`IDEMPOTENCY_KEY`].
pub(crate) fn idempotency_key() -> Value {
    json!({
        "type": "string",
        "description": "A key of your own: the same call with the same key is answered by the first one.",
    })
}

/// The envelope of a result. A schema with references into itself is valid only as a whole document, so it is left out.
pub(crate) fn output_schema(of_results: Option<&Value>) -> Value {
    let of_results = of_results.filter(|schema| !schema.to_string().contains("\"$ref\""));
    let results = of_results.map_or(json!({}), |schema| json!({"anyOf": [schema, {"type": "null"}]}));
    json!({
        "type": "object",
        "properties": {
            "request_id": {"type": "string"},
            "result_id": {"type": ["string", "null"]},
            "status": {"type": "string", "description": "success, or how far the request is"},
            "verdict": {"type": ["string", "null"], "description": "what the gate decided"},
            "results": results,
            "artifacts": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"}, "uri": {"type": "string"}, "size_bytes": {"type": "integer"},
                },
                "required": ["path", "uri"],
            }},
            "error": {"type": ["string", "null"]},
        },
        "required": ["request_id", "result_id", "status", "verdict", "results", "artifacts", "error"],
    })
}

/// The metadata that identifies an unchanged file.
type FileVersion = (u64, u64, i64, i64, u64);

/// The catalog of a site, read again when the file changes.
#[derive(Debug, Default)]
pub struct Reader(Mutex<Option<(FileVersion, Arc<Catalog>)>>);

impl Reader {
    /// The current catalog; empty if TOOL-EXEC has not written one yet.
    pub fn read(&self, site: &Site) -> Result<Arc<Catalog>, Fault> {
        let path = site.catalog_data();
        let found = match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::default()),
            found => file_version(&found.on("look at", &path)?),
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((version, catalog)) = kept.as_ref()
            && *version == found
        {
            return Ok(Arc::clone(catalog));
        }
        let bytes = regular_file::read(&path, CATALOG_BYTES_MAX).on("read", &path)?;
        let catalog: Catalog = serde_json::from_slice(&bytes).map_err(io::Error::from).on("read", &path)?;
        let catalog = Arc::new(catalog);
        *kept = Some((found, Arc::clone(&catalog)));
        Ok(catalog)
    }
}

fn file_version(found: &Metadata) -> FileVersion {
    (found.dev(), found.ino(), found.mtime(), found.mtime_nsec(), found.len())
}

#[cfg(test)]
pub(crate) use tests::catalog as sample;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principal::Name;

    pub(crate) fn catalog() -> Catalog {
        let argument =
            json!({"name": "n", "type": "integer", "required": true, "clamp": false, "min": "1", "max": "9"});
        let tool = |name: &str| {
            json!({
                "name": name, "version": "1", "description": "Counts.", "risk_tier": "low", "approvals": 0,
                "timeout_seconds": 1, "idempotent": true, "network": {"kind": "none", "destinations": []},
                "arguments": [argument], "unknown": "is ignored",
                "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            })
        };
        serde_json::from_value(json!({
            "catalog_version": 1, "request": {"inputs_max": 2, "inputs_bytes_max": 8},
            "tools": [tool("count"), tool("other"), tool("gatepost_list")],
        }))
        .unwrap()
    }

    #[test]
    fn a_principal_sees_the_tools_that_it_may_ask_for_and_the_servers_own_win_over_a_namesake() {
        let name = Name::parse("alice").unwrap();
        let all = Principal { name: name.clone(), tools: None };
        let some = Principal { name, tools: Some(vec!["other".to_owned(), "gatepost_list".to_owned()]) };
        let names = |principal: &Principal| {
            let shown = catalog().shown(principal);
            let names: Vec<String> = shown.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
            names
        };
        let own = ["gatepost_result", "gatepost_list", "gatepost_cancel", "gatepost_read"];
        assert_eq!(names(&all), [&["count", "other"], own.as_slice()].concat());
        assert_eq!(names(&some), [&["other"], own.as_slice()].concat());
        assert!(catalog().tool(&some, "count").is_none() && catalog().tool(&all, "gatepost_list").is_none());
    }

    #[test]
    fn a_tool_says_what_it_takes_and_what_it_does_to_the_world() {
        let shown = catalog().tools[0].shown();
        let properties = &shown["inputSchema"]["properties"];
        assert!(properties["n"].is_object() && properties["_inputs"].is_object() && properties["_network"].is_null());
        assert_eq!(shown["inputSchema"]["required"], json!(["n"]));
        assert_eq!(shown["annotations"]["readOnlyHint"], true);
        assert_eq!(shown["annotations"]["openWorldHint"], false);
    }

    #[test]
    fn a_schema_that_is_none_still_makes_a_tool() {
        let mut catalog = catalog();
        for lie in [None, Some(json!("x")), Some(json!({"type": "object", "properties": 3}))] {
            catalog.tools[0].input_schema = lie;
            assert!(catalog.tools[0].shown()["inputSchema"]["properties"]["_purpose"].is_object());
        }
        catalog.tools[0].results_schema = Some(json!({"$ref": "#/$defs/x", "$defs": {"x": {}}}));
        assert_eq!(catalog.tools[0].shown()["outputSchema"]["properties"]["results"], json!({}));
    }
}
