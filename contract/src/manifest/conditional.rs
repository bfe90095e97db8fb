//! `[command.conditionals.NAME]`: words that the command gets if a condition holds.
//!
//! ```toml
//! [command.conditionals.port_flag]
//! when = "port != 0"
//! template = "-p {port}"
//! ```

use super::argument::is_name;
use super::argument_type::{ArgumentValue, Kind};
use super::command::template_words;
use super::condition::{Comparison, Condition, Operand};
use super::placeholder::{Names, Part, Parts};
use crate::nearest::nearest;
use crate::toml_source::{Located, Section};
use gatepost_documents::text::quoted;

/// Words that are added when a condition holds.
#[derive(Debug, Clone)]
pub(super) struct Conditional {
    pub(super) when: Condition,
    pub(super) words: Vec<Parts>,
}

/// The names that the conditionals define, and the conditionals themselves.
pub(super) type Conditionals = (Vec<(String, Part, usize)>, Vec<Conditional>);

/// Reads the conditionals.
pub(super) fn read(section: &Section<'_>, names: &Names<'_>) -> Conditionals {
    let (mut definitions, mut conditionals) = Conditionals::default();
    let Some(table) = section.section("conditionals") else { return (definitions, conditionals) };
    let plain = Names { constants: names.constants.clone(), has_places: true, ..Names::new(names.arguments) };
    for (name, node) in table.entries() {
        if !is_name(name.value) {
            let message =
                format!("[command.conditionals] has the name {}, which is not a plain word.", quoted(name.value));
            table.fault(name.at, message, "Use a to z, 0 to 9 and underscore.");
            continue;
        }
        let Some(one) = table.subsection(name.value, node) else { continue };
        let when = one.required_text("when").and_then(|when| read_when(&one, names, when));
        let words = one.required_text("template").map(|text| template_words(&one, &plain, "template", text));
        one.close();
        definitions.push((format!("_{}", name.value), Part::Conditional(conditionals.len()), name.at));
        let (Some(when), Some(words)) = (when, words) else { continue };
        conditionals.push(Conditional { when, words });
    }
    if table.entries().is_empty() {
        table.fault(table.at, "[command.conditionals] is empty.".into(), "Remove it.");
    }
    definitions.push(("_conditional_flags".into(), Part::Conditionals, table.at));
    plain.used.borrow().iter().for_each(|name| names.mark(name));
    (definitions, conditionals)
}

fn read_when(section: &Section<'_>, names: &Names<'_>, text: Located<&str>) -> Option<Condition> {
    let condition = Condition::parse(text.value)
        .inspect_err(|error| {
            let message = format!("{} {error}.", section.path("when"));
            section.fault(text.at, message, "Write comparisons such as port != 0 and user == 'admin'.");
        })
        .ok()?;
    for comparison in condition.comparisons() {
        for name in comparison.names() {
            names.mark(name);
            if names.argument(name).is_none() && !names.constants.contains_key(name) {
                let known = names.arguments.iter().map(|argument| argument.name.as_str());
                let hint = nearest(name, known.chain(names.constants.keys().map(String::as_str)));
                let hint = hint.map_or("Quote it if it is a text.".into(), |name| format!("Did you mean `{name}`?"));
                section.fault(
                    text.at,
                    format!("{} names {}, an unknown variable.", section.path("when"), quoted(name)),
                    hint,
                );
            }
        }
        check_literal(section, names, text.at, comparison);
    }
    Some(condition)
}

/// A comparison of an enumeration with a text that it cannot be is a typo.
fn check_literal(section: &Section<'_>, names: &Names<'_>, at: usize, comparison: &Comparison) {
    let ((Operand::Name(name), Operand::Text(text)) | (Operand::Text(text), Operand::Name(name))) =
        (&comparison.left, &comparison.right)
    else {
        return;
    };
    let Some(argument) = names.argument(name) else { return };
    let value = ArgumentValue::Text(text.clone());
    let is_closed = matches!(argument.kind.kind(), Kind::Enum | Kind::Boolean);
    if is_closed && !text.is_empty() && argument.kind.accept(&value).is_err() {
        let message =
            format!("{} compares {name} with {}, which it can never equal.", section.path("when"), quoted(text));
        section.fault(at, message, "Compare with a value that the argument can have.");
    }
}
