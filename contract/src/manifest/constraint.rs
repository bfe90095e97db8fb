//! The keys that narrow a type: `pattern`, `allowed`, `sanitize`, bounds, `schemes`, `scope_check`, `max_length`.
//!
//! `[args.NAME]` and `[types.NAME]` of `toolclad.toml` have the same keys. A key that a type would ignore is a fault: an unchecked
//! bound fails open.

use regex::{Regex, RegexBuilder};

use super::argument_type::{ArgumentType, Bounds, Kind, Rule};
use crate::toml_source::{Section, integer};
use gatepost_documents::text::quoted;

/// Every key of this file.
pub(super) const KEYS: [&str; 11] = [
    "pattern",
    "allowed",
    "sanitize",
    "min",
    "max",
    "min_float",
    "max_float",
    "clamp",
    "schemes",
    "scope_check",
    "max_length",
];
/// The default maximum length of a text, characters.
pub(super) const LENGTH_DEFAULT: u32 = 4096;
/// Characters of a text at most: the kernel takes 128 KiB for one argument, and a character is up to four bytes.
pub(super) const LENGTH_MAX: u32 = 30_000;
/// Bytes of a compiled pattern, at most.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Reads the constraints of a type.
pub(super) fn read(section: &Section<'_>, kind: Kind) -> Option<ArgumentType> {
    for key in KEYS {
        if section.has(key) && !applies(kind, key) {
            let message = format!("{} has no meaning for the type {}.", section.path(key), kind.as_str());
            section.fault(section.place(key), message, "Remove it: it would never be checked.");
        }
    }
    let length_max = section.count("max_length", LENGTH_MAX).unwrap_or(LENGTH_DEFAULT);
    let pattern = pattern(section, "pattern");
    if kind == Kind::RegexMatch && !section.has("pattern") {
        section.missing("pattern");
    }
    let unsanitized = unsanitized(section, kind);
    Some(ArgumentType { kind, rule: rule(section, kind)?, pattern, length_max: length_max as usize, unsanitized })
}

/// Whether a type has a constraint.
pub(super) fn applies(kind: Kind, key: &str) -> bool {
    match key {
        "sanitize" => kind.is_text() && kind != Kind::LiteralText,
        "pattern" | "max_length" => kind.is_text(),
        "allowed" => kind == Kind::Enum,
        "min" | "max" | "clamp" => matches!(kind, Kind::Integer | Kind::Number | Kind::Port),
        "min_float" | "max_float" => kind == Kind::Number,
        "schemes" => kind == Kind::Url,
        "scope_check" => matches!(kind, Kind::Url | Kind::IpAddress | Kind::Cidr),
        _ => false,
    }
}

fn rule(section: &Section<'_>, kind: Kind) -> Option<Rule> {
    let scope_check = section.boolean("scope_check").unwrap_or(false);
    Some(match kind {
        Kind::String | Kind::RegexMatch | Kind::LiteralText => Rule::Text,
        Kind::Integer => Rule::Integer(integer_bounds(section, i64::MIN, i64::MAX)),
        Kind::Port => Rule::Integer(integer_bounds(section, 1, 65535)),
        Kind::Number => Rule::Number(number_bounds(section)),
        Kind::Boolean => Rule::Boolean,
        Kind::Enum => Rule::Enum(allowed(section)?),
        Kind::ScopeTarget => Rule::ScopeTarget,
        Kind::Url => Rule::Url { schemes: schemes(section), scope_check },
        Kind::Path | Kind::CredentialFile => Rule::Path,
        Kind::IpAddress => Rule::IpAddress { scope_check },
        Kind::Cidr => Rule::Cidr { scope_check },
        Kind::Duration => Rule::Duration,
        Kind::MsfOptions => Rule::MsfOptions,
    })
}

/// A pattern that compiles, and not into much.
pub(super) fn pattern(section: &Section<'_>, key: &'static str) -> Option<Regex> {
    let text = section.text(key)?;
    RegexBuilder::new(text.value)
        .size_limit(PATTERN_BYTES_MAX)
        .build()
        .inspect_err(|error| {
            let cause = error.to_string();
            let cause = cause.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let message = format!("{} does not compile: {}.", section.path(key), quoted(&cause));
            section.fault(text.at, message, "Correct the pattern; look-around and back-references are not supported.");
        })
        .ok()
}

fn unsanitized(section: &Section<'_>, kind: Kind) -> bool {
    let Some(sanitize) = section.texts("sanitize") else { return false };
    for word in sanitize.iter().filter(|word| word.value != "injection") {
        let message = format!("{} names {}, which is not a sanitizer.", section.path("sanitize"), quoted(word.value));
        section.fault(word.at, message, "Write [\"injection\"], or [] to allow shell metacharacters in a string.");
    }
    if sanitize.is_empty() && kind.is_text() && kind != Kind::String {
        let message = format!("{} cannot be empty for the type {}.", section.path("sanitize"), kind.as_str());
        section.fault(section.place("sanitize"), message, "Only a `string` may allow shell metacharacters.");
    }
    sanitize.is_empty() && kind == Kind::String
}

fn allowed(section: &Section<'_>) -> Option<Vec<String>> {
    if !section.has("allowed") {
        section.missing("allowed");
    }
    let allowed = section.texts("allowed")?;
    if allowed.is_empty() {
        let message = format!("{} is empty, so no value would be valid.", section.path("allowed"));
        section.fault(section.place("allowed"), message, "List the values.");
    }
    for value in allowed.iter().filter(|value| value.value.is_empty() || value.value.contains(char::is_control)) {
        let message = format!("{} contains {}.", section.path("allowed"), quoted(value.value));
        section.fault(value.at, message, "Values must not be empty or contain control characters.");
    }
    Some(allowed.iter().map(|value| value.value.to_owned()).collect())
}

fn schemes(section: &Section<'_>) -> Vec<String> {
    let Some(schemes) = section.texts("schemes") else { return vec!["http".into(), "https".into()] };
    let is_scheme = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte))
    };
    for scheme in schemes.iter().filter(|scheme| !is_scheme(scheme.value)) {
        let message =
            format!("{} contains {}, which is not a URL scheme.", section.path("schemes"), quoted(scheme.value));
        section.fault(scheme.at, message, "Write schemes in lower case without the colon, such as \"https\".");
    }
    if schemes.is_empty() {
        let message = format!("{} is empty, so no URL would be valid.", section.path("schemes"));
        section.fault(section.place("schemes"), message, "List the schemes, or remove the key.");
    }
    schemes.iter().map(|scheme| scheme.value.to_owned()).collect()
}

fn integer_bounds(section: &Section<'_>, lowest: i64, highest: i64) -> Bounds<i64> {
    let is_bounded = highest < i64::MAX;
    let bound = |key| section.integer(key, &(lowest..=highest));
    let min = bound("min").or(is_bounded.then_some(lowest));
    let max = bound("max").or(is_bounded.then_some(highest));
    finish(section, min, max)
}

fn number_bounds(section: &Section<'_>) -> Bounds<f64> {
    let bound = |key, float_key| {
        if section.has(key) && section.has(float_key) {
            let message = format!("{} and {float_key} say the same thing twice.", section.path(key));
            section.fault(section.place(float_key), message, format!("Keep `{float_key}` alone."));
        }
        let whole = section.node(key).is_none_or(|node| {
            integer(node.get_ref()).is_none_or(|number| super::argument_type::exact_float(number).is_some())
        });
        if !whole {
            let message = format!("{} is too large to be represented exactly.", section.path(key));
            section.fault(section.place(key), message, "Use a bound up to 2^53.");
        }
        section.number(key).or_else(|| section.number(float_key))
    };
    finish(section, bound("min", "min_float"), bound("max", "max_float"))
}

fn finish<T: PartialOrd + Copy + std::fmt::Display>(
    section: &Section<'_>,
    min: Option<T>,
    max: Option<T>,
) -> Bounds<T> {
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        let message = format!("[{}] has a minimum {low} above its maximum {high}.", section.name);
        section.fault(section.at, message, "Swap them: no value would be valid.");
    }
    let clamp = section.boolean("clamp").unwrap_or(false);
    if clamp && min.is_none() && max.is_none() {
        let message = format!("{} has no bound to clamp values to.", section.path("clamp"));
        section.fault(section.place("clamp"), message, "Add `min` or `max`.");
    }
    Bounds { min, max, clamp }
}
