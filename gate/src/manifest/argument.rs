//! `[args]` of a manifest, as far as evidence repeats it.

use std::collections::BTreeMap;

use toml::Value;

/// The types whose values reach a tool unchanged; a clamped number does not.
const VERBATIM: [&str; 14] = [
    "string",
    "integer",
    "port",
    "boolean",
    "enum",
    "scope_target",
    "url",
    "path",
    "credential_file",
    "ip_address",
    "cidr",
    "msf_options",
    "regex_match",
    "literal_text",
];

/// One declared argument.
#[derive(Debug)]
pub(crate) struct Argument {
    /// Whether its value is shown as `[sensitive:NAME]`.
    pub(crate) is_sensitive: bool,
    /// Whether a tool with a route gets one to the host or network in its value.
    pub(crate) is_target: bool,
    /// Whether a tool gets its value unchanged; other types have one canonical form.
    pub(crate) is_verbatim: bool,
    /// Its default, as it is printed.
    pub(crate) default: Option<String>,
}

/// Every argument, with the default from it or from the command.
pub(super) fn read_all(manifest: &toml::Table) -> BTreeMap<String, Argument> {
    let defaults = manifest.get("command").and_then(|command| command.get("defaults"));
    let read = |(name, own): (&String, &Value)| {
        let is = |key| own.get(key).and_then(Value::as_bool) == Some(true);
        let kind = own.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_verbatim = VERBATIM.contains(&kind);
        let is_target = match kind {
            "scope_target" => true,
            "url" | "ip_address" | "cidr" => is("scope_check"),
            // A site's own type may extend any of these.
            _ => !is_verbatim && !matches!(kind, "number" | "duration"),
        };
        let default = own.get("default").or(defaults.and_then(|defaults| defaults.get(name)));
        let argument = Argument {
            is_sensitive: is("sensitive"),
            is_target,
            is_verbatim: is_verbatim && !is("clamp"),
            default: default.and_then(printed),
        };
        (name.clone(), argument)
    };
    manifest.get("args").and_then(Value::as_table).into_iter().flatten().map(read).collect()
}

fn printed(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(boolean) => Some(boolean.to_string()),
        _ => None,
    }
}
