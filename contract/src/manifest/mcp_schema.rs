//! A manifest as the Model Context Protocol shows a tool: `name`, `description`, `inputSchema`, `outputSchema`.
//!
//! `outputSchema` is that of the whole envelope, made from the envelope's own type, so it fits every envelope.
//!
//! Standards: MCP 2025-06-18, Tools; JSON Schema 2020-12.

use gatepost_documents::evidence::Evidence;
use serde_json::{Map, Value, json};

use super::Manifest;
use super::argument::Argument;
use super::argument_type::{ArgumentType, Bounds, Kind, Rule};
use super::mcp;

impl Manifest {
    /// The MCP form; without `outputSchema` for a callback without `[output]`.
    pub fn mcp_schema(&self) -> Value {
        let mut schema = json!({
            "name": self.name(),
            "description": self.description(),
            "inputSchema": self.input_schema(),
        });
        if let Some(output) = self.output() {
            schema["outputSchema"] = output_schema(&output.schema, !self.commands().is_empty());
        }
        schema
    }

    /// The input of a request: the arguments, and the interactions of a session or browser.
    pub fn input_schema(&self) -> Value {
        let mut schema = input_schema(self.arguments());
        if let Some(bounds) = self.backend().bounds() {
            let commands: Vec<Value> =
                self.commands().iter().map(|(name, command)| interaction(name, command)).collect();
            let most = bounds.interactions_max;
            schema["properties"]["interactions"] =
                json!({"type": "array", "items": {"anyOf": commands}, "minItems": 1, "maxItems": most});
            schema["required"] = ["interactions".into()].into_iter().chain(required(self.arguments())).collect();
        }
        schema
    }
}

/// One thing that may be done in a session.
fn interaction(name: &str, command: &Manifest) -> Value {
    let arguments = required(command.arguments()).next().map(|_| "args");
    let required: Vec<&str> = ["command"].into_iter().chain(arguments).collect();
    json!({
        "type": "object",
        "description": command.description(),
        "properties": {"command": {"const": name}, "args": input_schema(command.arguments())},
        "required": required,
        "additionalProperties": false,
    })
}

fn required(arguments: &[Argument]) -> impl Iterator<Item = Value> {
    arguments.iter().filter(|argument| argument.required).map(|argument| argument.name.as_str().into())
}

fn input_schema(arguments: &[Argument]) -> Value {
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.clone(), property(argument))).collect();
    let required: Vec<Value> = required(arguments).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn property(argument: &Argument) -> Value {
    let mut property = constraints(&argument.kind);
    if !argument.description.is_empty() {
        property.insert("description".into(), argument.description.as_str().into());
    }
    if let Some(default) = argument.default.as_ref().filter(|_| !argument.sensitive) {
        property.insert("default".into(), mcp::json(default));
    }
    property.into_iter().collect::<Map<_, _>>().into()
}

fn constraints(kind: &ArgumentType) -> Map<String, Value> {
    let mut schema = Map::new();
    let json_type = match &kind.rule {
        Rule::Integer(bounds) => {
            bounds_of(&mut schema, bounds);
            "integer"
        }
        Rule::Number(bounds) => {
            bounds_of(&mut schema, bounds);
            "number"
        }
        Rule::Boolean => "boolean",
        Rule::Enum(allowed) => {
            schema.insert("enum".into(), json!(allowed));
            "string"
        }
        _ => "string",
    };
    schema.insert("type".into(), json_type.into());
    if let Some(pattern) = &kind.pattern {
        schema.insert("pattern".into(), pattern.as_str().into());
    }
    if kind.kind.is_text() {
        schema.insert("maxLength".into(), kind.length_max.into());
    }
    if matches!(kind.kind, Kind::Url) {
        schema.insert("format".into(), "uri".into());
    }
    schema
}

/// A clamped number is accepted outside its bounds too.
fn bounds_of<T: Copy + Into<Value>>(schema: &mut Map<String, Value>, bounds: &Bounds<T>) {
    let bound = |bound: Option<T>| bound.filter(|_| !bounds.clamp).map(Into::into);
    schema.extend(bound(bounds.min).map(|min| ("minimum".to_owned(), min)));
    schema.extend(bound(bounds.max).map(|max| ("maximum".to_owned(), max)));
}

/// Those of a session are the results of its interactions.
fn output_schema(results: &Value, is_session: bool) -> Value {
    let mut envelope = schemars::schema_for!(Evidence).to_value();
    let results = json!({"anyOf": [results, {"type": "null"}]});
    if is_session {
        envelope["properties"]["results"] = json!({"type": "null"});
        envelope["$defs"]["Interaction"]["properties"]["results"] = results;
    } else {
        envelope["properties"]["results"] = results;
    }
    envelope
}

#[cfg(test)]
mod tests {
    use super::super::CustomTypes;
    use super::super::fixture::manifest;
    use super::*;

    /// An envelope as a run writes it.
    fn envelope(status: &str, results: Value) -> Value {
        let zeros = "0".repeat(64);
        let hash = format!("sha256:{zeros}");
        let mut envelope = json!({
            "status": status, "scan_id": "1700000000-0123456789abcdef", "tool": "t", "command": "x", "duration_ms": 1,
            "timestamp": "2026-01-01T00:00:00Z", "exit_code": 0, "stderr": "", "output_file": "artifacts/stdout.txt",
            "output_hash": hash, "results": null, "stderr_hash": hash,
            "request_id": "TR-20260101-000000Z-x", "request_sha256": zeros, "requested_by": "x", "dropped": {"uid": 0, "utc": "2026-01-01T00:00:00Z"}, "tool_version": "1", "backend": "clad",
            "executor": "gatepost 0.1.0", "argv": ["x"], "arguments": {}, "purpose": "", "approvals": [],
            "sandbox": {"level": "none", "layers": [], "kernel": "6"},
            "limits": {"time_ms": 1, "cpu_seconds": 1, "address_space_bytes": 1, "files": 1, "processes": 1, "file_bytes": 1, "stdout_bytes": 1},
            "usage": {"cpu_ms": 0, "memory_bytes_peak": 0, "stdout_bytes": 0, "stderr_bytes": 0},
            "network": {"used": "none", "destinations": [], "refused": []}, "completeness": "renamed", "stop_reason": "completed", "anomalies": [],
        });
        envelope["results"] = results;
        if status != "success" {
            envelope["error"] = json!({"code": "TOOL_FAILED", "kind": "runtime", "operation": "wait", "target": "x",
                "retryable": false, "message": "It failed.", "hint": "Look."});
        }
        serde_json::from_value::<Evidence>(envelope.clone()).unwrap();
        envelope
    }

    #[test]
    fn the_output_schema_takes_every_envelope_and_no_wrong_results() {
        let schema = "tool={name='t', version='1', description='d', binary='x'}\ncommand.exec=['x']\n\
                      output.schema={type='object', required=['ip'], properties={ip={type='string'}}}";
        let manifest = Manifest::parse(schema, "t", &CustomTypes::default()).unwrap();
        let validator = jsonschema::validator_for(&manifest.mcp_schema()["outputSchema"]).unwrap();
        assert!(validator.is_valid(&envelope("success", json!({"ip": "10.0.0.1"}))));
        assert!(validator.is_valid(&envelope("error", Value::Null)));
        assert!(validator.is_valid(&envelope("timeout", Value::Null)));
        assert!(!validator.is_valid(&envelope("success", json!({"ip": 1}))));
        assert!(!validator.is_valid(&envelope("success", json!({}))));
        assert!(!validator.is_valid(&json!({"ip": "10.0.0.1"})));
    }

    #[test]
    fn the_input_schema_says_what_a_request_may_give() {
        let body = "[args.target]\ntype='scope_target'\nrequired=true\nposition=2\n[args.kind]\ntype='enum'\nrequired=true\nposition=1\nallowed=['ping','syn']\n\
                    [args.confidence]\ntype='number'\nmin_float=0.0\nmax_float=1.0\n[args.threads]\ntype='integer'\nmin=1\nmax=8\nclamp=true\ndefault=4\n\
                    [args.port]\ntype='port'\n[args.name]\ntype='string'\npattern='^a'\nmax_length=9\ndescription='A name'\n[command]\nexecutor='x.sh'";
        let schema = manifest(body).unwrap().mcp_schema();
        assert_eq!(schema["name"], "t");
        let input = &schema["inputSchema"];
        assert_eq!(input["required"], json!(["kind", "target"]));
        assert_eq!(input["additionalProperties"], false);
        for (name, expected) in [
            ("target", json!({"type": "string", "maxLength": 4096})),
            ("kind", json!({"enum": ["ping", "syn"], "type": "string"})),
            ("confidence", json!({"minimum": 0.0, "maximum": 1.0, "type": "number"})),
            ("threads", json!({"type": "integer", "default": 4})),
            ("port", json!({"minimum": 1, "maximum": 65535, "type": "integer"})),
            ("name", json!({"type": "string", "pattern": "^a", "maxLength": 9, "description": "A name"})),
        ] {
            assert_eq!(input["properties"][name], expected, "{name}");
        }
        jsonschema::meta::validate(input).unwrap();
    }

    #[test]
    fn a_session_takes_interactions_of_its_commands_and_gives_results_of_each() {
        let text = "tool={name='t', version='1', description='d'}\n[session]\nstartup_command='x'\nmax_interactions=2\n[session.commands.quit]\ntemplate='quit'\n\
             [session.commands.print]\ntemplate='print {n}'\nargs.n={type='integer', required=true}";
        let manifest = Manifest::parse(text, "t", &CustomTypes::default()).unwrap();
        let schema = manifest.mcp_schema();
        let input = jsonschema::validator_for(&schema["inputSchema"]).unwrap();
        let [quit, print] = [json!({"command": "quit"}), json!({"command": "print", "args": {"n": 1}})];
        assert!(input.is_valid(&json!({"interactions": [print, quit]})));
        for wrong in [
            json!({}),
            json!({"interactions": []}),
            json!({"interactions": [quit, quit, quit]}),
            json!({"interactions": [{"command": "print"}]}),
            json!({"interactions": [{"command": "print", "args": {"n": "x"}}]}),
            json!({"interactions": [{"command": "go"}]}),
        ] {
            assert!(!input.is_valid(&wrong), "{wrong}");
        }
        let output = jsonschema::validator_for(&schema["outputSchema"]).unwrap();
        let results = |count: Value| {
            let mut envelope = envelope("success", Value::Null);
            envelope["interactions"] = json!([{
                "scan_id": "1700000000-0123456789abcdef", "policy": {"decision": "permitted", "policies": [], "sha256": "0".repeat(64)},
                "command": "quit", "arguments": {}, "input": "quit", "status": "success", "timestamp": "2026-01-01T00:00:00Z",
                "duration_ms": 1, "output_offset": 0, "output_bytes": 0, "output_hash": format!("sha256:{}", "0".repeat(64)),
                "results": {"prompt": "", "output": "", "session_state": "ready", "interaction_count": count},
            }]);
            envelope
        };
        assert!(output.is_valid(&results(json!(1))) && !output.is_valid(&results(json!("1"))));
    }

    #[test]
    fn a_callback_without_output_has_no_output_schema() {
        let text = "tool={name='t', version='1', description='d', dispatch='callback'}\nargs.note.type='string'";
        let manifest = Manifest::parse(text, "t", &CustomTypes::default()).unwrap();
        assert!(manifest.mcp_schema().get("outputSchema").is_none());
    }
}
