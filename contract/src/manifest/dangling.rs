//! A flag whose value is an argument that may be absent (`--tool {tool}`): without the argument the flag would take the next word as
//! its value, or none.

use super::argument::Argument;
use super::placeholder::{Names, Part, Parts};
use crate::toml_source::Section;
use gatepost_documents::text::quoted;

/// Warns of every such flag.
pub(super) fn check(section: &Section<'_>, names: &Names<'_>, words: &[Parts]) {
    for pair in words.windows(2) {
        let [flag, value] = pair else { continue };
        let ([Part::Literal(flag)], [Part::Argument(name)]) = (flag.as_slice(), value.as_slice()) else { continue };
        let may_be_absent = names.argument(name).is_some_and(Argument::may_be_absent);
        if may_be_absent && is_flag(flag) {
            let message = format!("[command] has the flag {}, which dangles when {name} is not given.", quoted(flag));
            let hint = format!("Put both into [command.conditionals.{name}_flag] with when = \"{name} != ''\".");
            section.warn(section.at, message, hint);
        }
    }
}

fn is_flag(word: &str) -> bool {
    word.starts_with('-') && !matches!(word, "-" | "--") && !word.contains('=')
}
