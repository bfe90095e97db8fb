//! `[args.NAME]`: the declaration of one argument.

use super::argument_type::{ArgumentType, ArgumentValue, Kind};
use super::constraint;
use super::custom_type::CustomTypes;
use crate::nearest::nearest;
use crate::toml_source::{Located, Node, Section, integer, number};
use gatepost_documents::text::quoted;
use toml::de::DeValue;

/// A declared argument.
#[derive(Debug, Clone)]
pub struct Argument {
    /// `[a-z][a-z0-9_]*`, at most 64 characters.
    pub name: String,
    /// Its type.
    pub kind: ArgumentType,
    /// Whether a request must give it.
    pub required: bool,
    /// The default when a request does not give it; absent when it is then not given at all.
    pub default: Option<ArgumentValue>,
    /// For people and models.
    pub description: String,
    /// Whether a value may begin with `-` where a program would read it as an option.
    pub allow_leading_dash: bool,
    /// Whether the value is kept out of everything that is shown.
    pub sensitive: bool,
    pub(super) position: u32,
    pub(super) at: usize,
}

/// A plain name: `[a-z][a-z0-9_]*`, at most 64 characters.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Reads a table of arguments, sorted by `position`, then by their order in the file.
pub(super) fn read_all(arguments: &Section<'_>, types: &CustomTypes) -> Vec<Argument> {
    let mut declared: Vec<Argument> =
        arguments.entries().into_iter().filter_map(|(name, node)| read(arguments, name, node, types)).collect();
    declared.sort_by_key(|argument| argument.position);
    declared
}

fn read<'s>(
    arguments: &Section<'s>,
    name: Located<&'s str>,
    node: &'s Node<'s>,
    types: &CustomTypes,
) -> Option<Argument> {
    if !is_name(name.value) {
        let message = format!("[{}] has the name {}, which is not a plain word.", arguments.name, quoted(name.value));
        arguments.fault(name.at, message, "Use a to z, 0 to 9 and underscore, beginning with a letter.");
        return None;
    }
    let section = arguments.subsection(name.value, node)?;
    let kind = read_type(&section, types);
    let is_typed = kind.is_some();
    let mut argument = Argument {
        name: name.value.to_owned(),
        // The fault is recorded; a stand-in keeps the uses of the argument from looking like faults too.
        kind: kind.unwrap_or_else(ArgumentType::text),
        required: section.boolean("required").unwrap_or(false),
        default: None,
        description: section.text("description").map(|text| text.value.to_owned()).unwrap_or_default(),
        allow_leading_dash: section.boolean("allow_leading_dash").unwrap_or(false),
        sensitive: section.boolean("sensitive").unwrap_or(false),
        position: section.integer("position", &(0..=10_000)).and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX),
        at: name.at,
    };
    if let Some(default) = section.node("default") {
        if argument.required {
            let message = format!("{} has no effect: the argument is required.", section.path("default"));
            section.fault(default.span().start, message, "Remove `default`, or set `required = false`.");
        }
        if is_typed {
            argument.set_default(&section, "default", default);
        }
    }
    if section.boolean("feeds_decision").is_some() {
        let message = format!("{} has no effect.", section.path("feeds_decision"));
        section.warn(section.place("feeds_decision"), message, "Remove it: policies see every argument.");
    }
    section.close();
    Some(argument)
}

fn read_type(section: &Section<'_>, types: &CustomTypes) -> Option<ArgumentType> {
    let name = section.required_text("type")?;
    if let Some(kind) = Kind::parse(name.value) {
        return constraint::read(section, kind);
    }
    if let Some(kind) = types.get(name.value) {
        for key in constraint::KEYS.into_iter().filter(|key| section.has(key)) {
            let message = format!("{} is set by the custom type.", section.path(key));
            section.fault(section.place(key), message, "Change the type in toolclad.toml, or use its base type here.");
        }
        return Some(kind.clone());
    }
    // Which keys the type would have is unknown too.
    for key in constraint::KEYS {
        section.has(key);
    }
    let known = Kind::ALL.iter().map(|(name, _)| *name).chain(types.names());
    let hint = match nearest(name.value, known) {
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None => "Use a built-in type, or declare it in toolclad.toml.".into(),
    };
    section.fault(
        name.at,
        format!("{} is {}, an unknown argument type.", section.path("type"), quoted(name.value)),
        hint,
    );
    None
}

impl Argument {
    /// Whether a request may leave it without a value.
    pub(super) fn may_be_absent(&self) -> bool {
        !self.required && self.default.is_none()
    }

    /// Copies a default, unless it means "not given": `0` for a port, `""` for a text.
    pub(super) fn set_default(&mut self, section: &Section<'_>, key: &str, node: &Node<'_>) {
        let Some(value) = value(node.get_ref()) else {
            section.mistyped::<()>(key, node, "a text, a number or true or false", node.get_ref());
            return;
        };
        let is_absent = match self.kind.kind() {
            Kind::Port => matches!(value.to_string().as_str(), "0" | ""),
            Kind::Integer | Kind::Number | Kind::Boolean => false,
            _ => value == ArgumentValue::Text(String::new()),
        };
        if is_absent {
            return;
        }
        match self.kind.accept(&value) {
            Ok(value) => self.default = Some(value),
            Err(fault) => {
                let message = format!("{} is {}, which {fault}.", section.path(key), quoted(&value.to_string()));
                section.fault(node.span().start, message, "A default must be a value of the argument's own type.");
            }
        }
    }
}

/// A TOML scalar as a value.
pub(super) fn value(value: &DeValue<'_>) -> Option<ArgumentValue> {
    match value {
        DeValue::String(text) => Some(ArgumentValue::Text(text.as_ref().to_owned())),
        DeValue::Integer(_) => integer(value).map(ArgumentValue::Integer),
        DeValue::Float(_) => number(value).map(ArgumentValue::Float),
        DeValue::Boolean(value) => Some(ArgumentValue::Boolean(*value)),
        _ => None,
    }
}
