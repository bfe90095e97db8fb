//! The published schema of a manifest, as JSON Schema over its TOML.
//!
//! It knows every key, its type, its range and its words. Only the reader knows the rules between keys (placeholders, mappings, bounds
//! against each other, patterns that compile): a manifest that satisfies this schema may still be refused, one that breaks it always
//! is. `tests/contract/schemas/manifest.rs` compares the two.
//!
//! Standards: JSON Schema 2020-12; TOML 1.0.

use serde_json::{Value, json};

use gatepost_documents::sandbox_level::SandboxLevel;

use super::argument_type::Kind;
use super::browser::COMMANDS;
use super::constraint;
use super::tool::RISK_TIERS;
use crate::parser::Builtin;

const DAY_SECONDS: u32 = 86_400;

/// The schema of `*.clad.toml`.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "*.clad.toml",
        "description": "The contract of a tool: its arguments, how it runs, and its results.",
        "type": "object",
        "required": ["tool"],
        "properties": {
            "tool": { "$ref": "#/$defs/tool" },
            "args": { "$ref": "#/$defs/args" },
            "command": command(),
            "http": http(),
            "mcp": mcp(),
            "session": session(),
            "browser": browser(),
            "output": output(),
            "limits": limits(),
            "sandbox": sandbox(),
        },
        "additionalProperties": false,
        "allOf": relations(),
        "$defs": { "tool": tool(), "args": arguments(), "argument": argument(), "commands": commands() },
    })
}

/// The requirements of one section on the others.
fn relations() -> Value {
    const BACKENDS: [&str; 5] = ["command", "http", "mcp", "session", "browser"];
    let absent = |names: &[&str]| json!({ "not": { "anyOf": names.iter().map(|name| json!({ "required": [name] })).collect::<Vec<_>>() } });
    let tool = |key: &str, value: &str| json!({ "properties": { "tool": { "required": [key], "properties": { key: { "const": value } } } } });
    let one = BACKENDS.map(|name| json!({ "required": [name] }));
    let pair = |(index, name): (usize, &'static str)| {
        BACKENDS[..index].iter().map(move |other| json!({ "required": [other, name] }))
    };
    let two: Vec<Value> = BACKENDS.into_iter().enumerate().flat_map(pair).collect();
    json!([
        {
            "if": tool("dispatch", "callback"),
            "then": { "not": { "anyOf": two } },
            "else": { "oneOf": one },
        },
        { "if": tool("mode", "oneshot"), "then": absent(&["session", "browser"]) },
        { "if": tool("mode", "session"), "then": absent(&["command", "http", "mcp", "browser"]) },
        { "if": tool("mode", "browser"), "then": absent(&["command", "http", "mcp", "session"]) },
        {
            "if": { "required": ["command"], "properties": { "command": { "not": { "required": ["executor"] } } } },
            "then": { "properties": { "tool": { "required": ["binary"] } } },
        },
    ])
}

fn tool() -> Value {
    let risk_tiers = RISK_TIERS.map(|(name, _)| name);
    table(
        "Name, version and risk of the tool.",
        &["name", "description"],
        &json!({
            "name": { "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "description": "The file is named after it: NAME.clad.toml." },
            "version": text("Its version, stated in every result; 0.0.0 if absent."),
            "description": text("For people and models."),
            "binary": { "type": "string", "description": "The program that a command must begin with: a plain name, or an absolute path." },
            "mode": { "enum": ["oneshot", "session", "browser"], "description": "How the tool is run; the backend implies it." },
            "dispatch": { "enum": ["exec", "callback"], "default": "exec", "description": "Who executes a call; gatepost checks a callback and returns it to the caller." },
            "timeout_seconds": count("Wall-clock time of a run.", DAY_SECONDS, 60),
            "risk_tier": { "enum": risk_tiers, "default": "low", "description": "From medium on a person must approve each request." },
            "human_approval": flag("Whether a person must approve each request at any risk.", false),
            "approvers": { "type": "integer", "minimum": 1, "maximum": 16, "description": "How many different people must approve each request." },
            "idempotent": flag("Whether an interrupted run may be repeated.", false),
            "cedar": table("The tool's names in policies: a Cedar type, and the id of an action in its namespace.", &["resource", "action"], &json!({
                "resource": text("The resource, such as Comms::SlackChannel."),
                "action": text("The action, such as post_message."),
            })),
            "evidence": table("Settings of other implementations; evidence is always captured and hashed here.", &[], &json!({
                "output_dir": { "type": "string" },
                "capture": { "type": "boolean" },
                "hash": { "enum": ["sha256"] },
                "screenshots": { "type": "boolean" },
            })),
            "scope": table("The part of the scope that this tool may target; without targets and domains, everything that is not excluded.", &[], &json!({
                "targets": texts("Addresses and networks, such as 10.0.1.0/24."),
                "domains": texts("Host names; *.example.com stands for every name below example.com."),
                "exclude": texts("Addresses, networks or host names to exclude; an exclusion always wins."),
            })),
            "schemapin": { "type": "object", "description": "Accepted, without effect." },
        }),
    )
}

fn arguments() -> Value {
    json!({
        "type": "object",
        "description": "One table for each argument that a request may give.",
        "propertyNames": { "pattern": "^[a-z][a-z0-9_]{0,63}$" },
        "additionalProperties": { "$ref": "#/$defs/argument" },
    })
}

fn argument() -> Value {
    let types = Kind::ALL.map(|(name, _)| name);
    let custom = json!({ "type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$", "description": "A type that toolclad.toml declares." });
    let scalar = json!(["string", "number", "boolean"]);
    let mut schema = table(
        "One argument.",
        &["type"],
        &json!({
            "type": { "anyOf": [{ "enum": types }, custom], "description": "The type of its value." },
            "position": { "type": "integer", "minimum": 0, "maximum": 10_000, "description": "Its position where people see the arguments." },
            "required": flag("Whether a request must give it.", false),
            "default": { "type": scalar, "description": "The value when a request gives none; it must be of the type." },
            "description": { "type": "string", "description": "For people and models." },
            "allow_leading_dash": flag("Whether a value may begin with - where a program would read it as an option.", false),
            "sensitive": flag("Whether the value is kept out of everything that is shown.", false),
            "feeds_decision": { "type": "boolean", "description": "Accepted, without effect: policies see every argument." },
            "pattern": { "type": "string", "description": "Searched in a text, so anchor it. No look-around, no back-references." },
            "max_length": { "type": "integer", "minimum": 1, "maximum": constraint::LENGTH_MAX, "default": constraint::LENGTH_DEFAULT, "description": "Characters of a text." },
            "sanitize": { "type": "array", "items": { "const": "injection" }, "description": "[] allows shell metacharacters in a string." },
            "allowed": { "type": "array", "minItems": 1, "items": { "type": "string", "minLength": 1 }, "description": "The values of an enum." },
            "min": { "type": "number", "description": "The smallest number." },
            "max": { "type": "number", "description": "The largest number." },
            "min_float": { "type": "number", "description": "The smallest number, of the type number alone." },
            "max_float": { "type": "number", "description": "The largest number, of the type number alone." },
            "clamp": flag("Whether a number outside its bounds is clamped to the nearest bound instead of refused.", false),
            "schemes": { "type": "array", "minItems": 1, "items": { "type": "string", "pattern": "^[a-z][a-z0-9+.-]*$" }, "default": ["http", "https"], "description": "The schemes that a URL may have." },
            "scope_check": flag("Whether the host or network must be in the site's scope.", false),
        }),
    );
    schema["allOf"] = Kind::ALL.map(|(name, kind)| narrowed(name, kind)).into_iter().collect();
    schema
}

/// Which constraints a type has, and which it demands.
fn narrowed(name: &str, kind: Kind) -> Value {
    let foreign = constraint::KEYS.into_iter().filter(|key| !constraint::applies(kind, key));
    let foreign: Vec<Value> = foreign.map(|key| json!({ "required": [key] })).collect();
    let demanded: &[&str] = match kind {
        Kind::Enum => &["allowed"],
        Kind::RegexMatch => &["pattern"],
        _ => &[],
    };
    json!({
        "if": { "properties": { "type": { "const": name } }, "required": ["type"] },
        "then": { "not": { "anyOf": foreign }, "required": demanded },
    })
}

fn command() -> Value {
    let words = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let conditional = table(
        "Words that are added if a condition is true.",
        &["when", "template"],
        &json!({
            "when": text("Comparisons of arguments with values: port != 0 and user == 'admin'."),
            "template": text("The words, split as a shell would; {arg} stands for a value."),
        }),
    );
    let mut schema = table(
        "A program or script in the sandbox.",
        &[],
        &json!({
            "exec": { "type": "array", "items": { "type": "string" }, "description": "The argument vector; each element is one argument with any value." },
            "template": { "type": "string", "description": "The command as one text, split before values are inserted; without effect beside exec." },
            "executor": { "anyOf": [
                script("A script below tools/, which gets every argument as TOOLCLAD_ARG_<NAME>."),
                { "type": "string", "pattern": "^(/[A-Za-z0-9_][A-Za-z0-9._-]*)+$", "maxLength": 255, "description": "A script elsewhere, below one of [sandbox] read_only_paths." },
            ] },
            "success_exit_codes": { "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 0, "maximum": 255 }, "default": [0], "description": "The exit codes that mean success: [0, 1] for grep, which ends with 1 if nothing matches." },
            "defaults": { "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] }, "description": "Defaults of arguments, and of placeholders without an argument: {_x} becomes the value of _x." },
            "env": { "type": "object", "propertyNames": { "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" }, "additionalProperties": { "type": "string" }, "description": "Variables of the tool, for secrets: text and {_secret:name}." },
            "mappings": { "type": "object", "additionalProperties": words, "description": "Argument, value, and the words that stand for it as {_ARG}." },
            "conditionals": { "type": "object", "minProperties": 1, "propertyNames": { "pattern": "^[a-z][a-z0-9_]{0,63}$" }, "additionalProperties": conditional, "description": "Each defines {_NAME}; all together are {_conditional_flags}." },
        }),
    );
    let program = json!({ "anyOf": [{ "required": ["exec"] }, { "required": ["template"] }] });
    schema["oneOf"] = json!([program, { "required": ["executor"] }]);
    schema
}

fn http() -> Value {
    let statuses = |meaning: &str| json!({ "type": "array", "items": { "type": "integer", "minimum": 100, "maximum": 599 }, "description": meaning });
    table(
        "One HTTP request.",
        &["method", "url"],
        &json!({
            "method": { "enum": ["GET", "POST", "PUT", "PATCH", "DELETE"], "description": "The method." },
            "url": { "type": "string", "pattern": "^https?://", "description": "The URL with a literal host; {arg} may appear in the path and the query." },
            "headers": { "type": "object", "propertyNames": { "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" }, "additionalProperties": { "type": "string" }, "description": "Header fields." },
            "body_template": { "type": "string", "description": "The body; values are escaped for its content type." },
            "success_status": statuses("Statuses that mean success; 200 to 299 when it lists none."),
            "error_status": statuses("Statuses that mean a known error."),
        }),
    )
}

fn mcp() -> Value {
    let name = "^[A-Za-z0-9_.-]{1,128}$";
    table(
        "A tool of an upstream MCP server. The server is one of the site's: [mcp.servers.NAME] of gatepost.toml.",
        &["server", "tool"],
        &json!({
            "server": { "type": "string", "pattern": name, "description": "The server's name." },
            "tool": { "type": "string", "pattern": name, "description": "The tool's name there." },
            "field_map": { "type": "object", "additionalProperties": { "type": "string", "minLength": 1, "maxLength": 128 }, "description": "The manifest's argument, and the server's parameter for it." },
            "schema_sha256": { "type": "string", "pattern": "^[0-9a-f]{64}$", "description": "The digest that artifacts/out/input_schema.json must have: the tool is not called if its server lists other arguments." },
        }),
    )
}

fn session() -> Value {
    let mut schema = table(
        "An interactive program that gets the interactions of a request as input.",
        &["startup_command"],
        &json!({
            "startup_command": text("The program and its arguments, split as a shell would; no placeholders."),
            "ready_pattern": { "type": "string", "description": "Matches its prompt, the end of its output when it waits for input." },
            "error_pattern": { "type": "string", "description": "Matches an answer that reports a failure." },
            "interaction": table("How input and output are treated.", &[], &json!({
                "input_sanitize": { "type": "array", "items": { "const": "injection" }, "description": "[] allows shell metacharacters." },
                "output_max_bytes": count("Output of one interaction.", 16 << 20, 1 << 20),
                "output_wait_ms": count("How long output may pause before it counts as complete.", 600_000, 2_000),
            })),
        }),
    );
    extend(&mut schema, bounds(30, 300, 1_800, 100));
    schema
}

fn browser() -> Value {
    let extract_mode = json!({ "enum": ["accessibility_tree", "html", "text"], "default": "accessibility_tree" });
    let mut schema = table(
        "A browser that executes the commands of a request.",
        &[],
        &json!({
            "engine": { "enum": ["cdp", "cdp-direct", "playwright"], "default": "cdp", "description": "cdp-direct is cdp." },
            "headless": flag("Whether it runs without a window.", true),
            "connect": { "enum": ["launch", "live"], "default": "launch" },
            "extract_mode": extract_mode,
            "defaults": table("Defaults for commands.", &[], &json!({ "extract_mode": extract_mode })),
            "scope": table("Where it may go.", &[], &json!({
                "allowed_domains": texts("Hosts that may be visited."),
                "blocked_domains": texts("Hosts that may not be visited; they win."),
                "allow_external": flag("Whether hosts that no list names may be visited.", false),
            })),
            "state": table("The report after each interaction.", &[], &json!({ "fields": texts("Names of fields, which are always reported; a warning lists unknown ones.") })),
        }),
    );
    extend(&mut schema, bounds(10, 120, 600, 200));
    schema["properties"]["commands"] = json!({
        "$ref": "#/$defs/commands",
        "propertyNames": { "enum": COMMANDS.map(|(name, ..)| name) },
        "description": "The manifest may narrow the types of their arguments, and cannot add arguments.",
    });
    schema
}

/// The common keys of sessions and browsers.
fn bounds(startup_seconds: u32, idle_seconds: u32, session_seconds: u32, interactions: u32) -> Value {
    json!({
        "startup_timeout_seconds": count("Until it is ready.", DAY_SECONDS, startup_seconds),
        "idle_timeout_seconds": count("Without an interaction.", DAY_SECONDS, idle_seconds),
        "session_timeout_seconds": count("Altogether.", DAY_SECONDS, session_seconds),
        "max_interactions": count("Interactions.", 1_000_000, interactions),
        "commands": { "$ref": "#/$defs/commands" },
    })
}

fn commands() -> Value {
    let command = table(
        "One command.",
        &[],
        &json!({
            "pattern": { "type": "string", "description": "A pattern to find in its text." },
            "template": { "type": "string", "description": "The line to send to a session, with its arguments as placeholders; without it, the value of its one argument, command." },
            "description": { "type": "string", "description": "For people and models." },
            "risk_tier": { "enum": RISK_TIERS.map(|(name, _)| name), "default": "low" },
            "human_approval": flag("Whether a person must approve it.", false),
            "extract_target": { "const": false, "description": "Not supported: give the command an argument of the type scope_target." },
            "args": { "$ref": "#/$defs/args" },
        }),
    );
    json!({ "type": "object", "propertyNames": { "pattern": "^[a-z][a-z0-9_]{0,63}$" }, "additionalProperties": command })
}

fn output() -> Value {
    let formats = Builtin::FORMATS.map(|(name, _)| name);
    let builtins = Builtin::FORMATS.map(|(name, _)| format!("builtin:{name}"));
    table(
        "How raw output becomes results, and the schema that they must satisfy.",
        &[],
        &json!({
            "format": { "enum": formats, "default": "text", "description": "The form of the raw output; it implies the parser if none is named." },
            "parser": { "anyOf": [{ "enum": builtins }, script("A script below tools/: raw output file as its argument, JSON on stdout.")] },
            "envelope": flag("No effect: results always travel in their envelope.", true),
            "schema": { "type": "object", "description": "JSON Schema 2020-12 of the results; no references. Without one: an object with the text raw_output for builtin:text, else any object or array." },
        }),
    )
}

fn limits() -> Value {
    let most =
        |meaning: &str, max: u32| json!({ "type": "integer", "minimum": 1, "maximum": max, "description": meaning });
    table(
        "Limits of this tool; the lower of this limit and the site's applies.",
        &[],
        &json!({
            "cpu": most("Processor time of one process, seconds.", DAY_SECONDS),
            "memory_mb": most("Resident memory of all its processes together, MiB.", 1 << 20),
            "stdout_bytes": most("Output kept of stdout and of stderr each, bytes.", 1 << 30),
            "files": most("Open files of one process.", 1 << 20),
        }),
    )
}

fn sandbox() -> Value {
    table(
        "Permissions in the sandbox.",
        &[],
        &json!({
            "minimum": { "enum": SandboxLevel::ALL.map(SandboxLevel::as_str), "description": "The weakest level at which the tool may run; a higher minimum of the site applies." },
            "network": { "enum": [false, true, "none", "proxy", "routed"], "default": false, "description": "Whether the tool may be given a network, to the destinations that its request lists and the site allows: through a proxy (also `true`), or routed, for tools that speak TCP, UDP or ICMP themselves; these also reach the hosts that their arguments target." },
            "refused_network": { "enum": ["error", "anomaly"], "description": "What happens if the network refuses a destination of the tool: the run fails (the default for a routed one), or the result reports it." },
            "read_only_paths": { "type": "array", "items": { "type": "string", "pattern": "^/" }, "description": "Absolute paths that the tool may read; no effect while the file system is visible." },
        }),
    )
}

/// A table with these keys and no others.
fn table(meaning: &str, required: &[&str], properties: &Value) -> Value {
    json!({
        "type": "object",
        "description": meaning,
        "required": required,
        "properties": properties,
        "additionalProperties": false,
    })
}

fn extend(table: &mut Value, more: Value) {
    if let (Some(properties), Value::Object(more)) = (table["properties"].as_object_mut(), more) {
        properties.extend(more);
    }
}

/// A text that is not empty.
fn text(meaning: &str) -> Value {
    json!({ "type": "string", "pattern": "\\S", "description": meaning })
}

fn texts(meaning: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": meaning })
}

fn flag(meaning: &str, default: bool) -> Value {
    json!({ "type": "boolean", "default": default, "description": meaning })
}

fn count(meaning: &str, max: u32, default: u32) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": max, "default": default, "description": meaning })
}

fn script(meaning: &str) -> Value {
    json!({
        "type": "string",
        "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$",
        "maxLength": 255,
        "description": meaning,
    })
}
