//! What may be asked for: `core/catalog.json`, as TOOL-EXEC writes it, and the tools that a client is shown.
//!
//! Only what a client needs is read. *Security*: the file is TOOL-EXEC's word; it is read within a limit, and what it claims gives nobody a
//! right: TOOL-EXEC checks each request by the manifest itself.

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

/// No catalog that is read is larger.
const CATALOG_BYTES_MAX: u64 = 64 << 20;

/// What may be asked of a site.
#[derive(Debug, Default, Deserialize)]
pub struct Catalog {
    /// How requests are dropped.
    pub request: Form,
    /// The tools.
    pub tools: Vec<Tool>,
    /// What else may be asked for.
    #[serde(default)]
    pub lanes: Vec<Lane>,
}

/// What may be asked for without a tool.
#[derive(Debug, Deserialize)]
pub struct Lane {
    /// The value of `backend` in a request.
    pub backend: String,
    /// The destinations, `host:port`, that pages may be got from.
    #[serde(default)]
    pub destinations: Vec<String>,
}

/// How requests are dropped.
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
    /// What a request calls it by.
    pub name: String,
    /// What it does.
    pub description: String,
    /// `low` to `critical`.
    pub risk_tier: String,
    /// How many people must approve each request.
    pub approvals: u32,
    /// Whether a second run changes nothing.
    pub idempotent: bool,
    /// What it may reach.
    pub network: Network,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// The JSON Schema of what it takes.
    #[serde(default)]
    pub input_schema: Option<Value>,
    /// The JSON Schema of its results.
    #[serde(default)]
    pub results_schema: Option<Value>,
}

/// What a tool may reach.
#[derive(Debug, Deserialize)]
pub struct Network {
    /// Where to.
    pub kind: NetworkKind,
    /// The destinations.
    pub destinations: Vec<String>,
}

/// Where a tool may reach to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkKind {
    /// Nowhere.
    None,
    /// To destinations of its own, all of which a request lists.
    Own,
    /// To those that a request lists.
    Listed,
    /// To the hosts at which its arguments aim as well.
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
    /// Its default; one that is sensitive is not told.
    #[serde(default)]
    pub default: Option<String>,
    /// The values of an enumeration.
    #[serde(default)]
    pub allowed: Vec<String>,
    /// The least number.
    #[serde(default)]
    pub min: Option<String>,
    /// The greatest number.
    #[serde(default)]
    pub max: Option<String>,
    /// Whether a number outside its bounds is moved to the nearest.
    pub clamp: bool,
    /// What is searched in a text.
    #[serde(default)]
    pub pattern: Option<String>,
}

impl Catalog {
    /// The tool of a name, if this principal may ask for it.
    pub fn tool(&self, principal: &Principal, name: &str) -> Option<&Tool> {
        let tool = self.tools.iter().find(|tool| tool.name == name)?;
        (principal.may_ask_for(name) && !own_tools::is_own(name)).then_some(tool)
    }

    /// Where pages may be got from, if the site and this principal's rights have the lane. A tool of its name stands before it.
    pub fn pages(&self, principal: &Principal) -> Option<&[String]> {
        let has_tool = self.tools.iter().any(|tool| tool.name == pages::TOOL);
        let lane = self.lanes.iter().find(|lane| lane.backend == pages::TOOL)?;
        (principal.may_ask_for(pages::TOOL) && !has_tool).then_some(lane.destinations.as_slice())
    }

    /// The tools that this principal may ask for, and the server's own, as `tools/list` shows them.
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

    /// The manifest's schema, and what any call may bring besides.
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

/// The member of a call that says why.
pub(crate) const PURPOSE: &str = "_purpose";

/// The member of a call that makes it the same as another.
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

/// The envelope of a result. A schema that refers to parts of itself holds only as a whole document, and is left out.
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

/// What says that a file is the one that was read.
type Stamp = (u64, u64, i64, i64, u64);

/// The catalog of a site, read again when the file is another.
#[derive(Debug, Default)]
pub struct Reader(Mutex<Option<(Stamp, Arc<Catalog>)>>);

impl Reader {
    /// The catalog now; an empty one if TOOL-EXEC has written none yet.
    pub fn read(&self, site: &Site) -> Result<Arc<Catalog>, Fault> {
        let path = site.catalog_data();
        let found = match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::default()),
            found => stamp(&found.on("look at", &path)?),
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((stamp, catalog)) = kept.as_ref()
            && *stamp == found
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

fn stamp(found: &Metadata) -> Stamp {
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
