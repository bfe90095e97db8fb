//! `[command.mappings.ARG]`: the words that stand for each value of an argument.
//!
//! ```toml
//! [command.mappings.kind]
//! ping = "-sn -PE"
//! ```

use std::collections::BTreeMap;

use super::argument::Argument;
use super::argument_type::ArgumentValue;
use super::command::{define, template_words};
use super::placeholder::{Names, Part, Parts};
use crate::nearest::nearest;
use crate::toml_source::{Located, Section};
use gatepost_documents::text::quoted;

/// Argument → value → words.
pub(super) type Mappings = BTreeMap<String, BTreeMap<String, Vec<Parts>>>;

/// Reads the mappings, and gives their placeholders their names.
pub(super) fn read(section: &Section<'_>, names: &mut Names<'_>) -> Mappings {
    let mut mappings = BTreeMap::new();
    let Some(table) = section.section("mappings") else { return mappings };
    let entries = table.entries();
    let plain = Names { constants: names.constants.clone(), has_places: true, ..Names::new(names.arguments) };
    for (name, node) in &entries {
        let Some(argument) = names.argument(name.value) else {
            let known = names.arguments.iter().map(|argument| argument.name.as_str());
            let hint = nearest(name.value, known)
                .map_or("Declare it in [args].".into(), |name| format!("Did you mean `{name}`?"));
            table.fault(
                name.at,
                format!("[command.mappings] names {}, which is not an argument.", quoted(name.value)),
                hint,
            );
            continue;
        };
        if let Some(choices) = table.subsection(name.value, node) {
            mappings.insert(argument.name.clone(), read_choices(&choices, &plain, argument));
        }
        let part = Part::Mapping(argument.name.clone());
        define(section, names, &format!("_{}", argument.name), part.clone(), name.at);
        define(section, names, &format!("_{}_flags", argument.name), part.clone(), name.at);
        if entries.len() == 1 && argument.name != "scan" {
            define(section, names, "_scan_flags", part, name.at);
        }
    }
    plain.used.borrow().iter().for_each(|name| names.mark(name));
    mappings
}

fn read_choices(choices: &Section<'_>, names: &Names<'_>, argument: &Argument) -> BTreeMap<String, Vec<Parts>> {
    let mut mapping = BTreeMap::new();
    for (value, node) in choices.entries() {
        let typed = ArgumentValue::Text(value.value.to_owned());
        if !argument.kind.accept(&typed).is_ok_and(|accepted| accepted.to_string() == value.value) {
            let message = format!("{} is not a value of {}.", choices.path(&quoted(value.value)), argument.name);
            choices.fault(value.at, message, "Map only values that the argument can have.");
        }
        match node.get_ref().as_str() {
            Some(text) => {
                let text = Located { value: text, at: node.span().start };
                mapping.insert(value.value.to_owned(), template_words(choices, names, &quoted(value.value), text));
            }
            None => {
                choices.mistyped::<()>(value.value, node, "a text", node.get_ref());
            }
        }
    }
    mapping
}
