//! Values that are given to a telling name, in whatever syntax: settings, source, markup, command lines, prose.
//!
//! ```text
//! DB_PASSWORD=…   "apiKey": "…"   --token …   <add key="Secret" value="…"/>   define('TOKEN', '…')   the password is …
//! ────name───▶ bridge ▶ value
//! ```
//!
//! Does not parse any of these languages: a bridge is what may stand between a name and its value, and the value has to look
//! like a secret by itself. *Security*: name, bridge and value are bounded, and names do not overlap: linear.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::super::rule::Strength;
use super::joint;
use super::name::{self, Kind};
use super::pattern::Found;
use super::value;

/// Bytes of a name on each side of its keyword, of a bridge, and of a value.
const NAME_BYTES: usize = 64;
const BRIDGE_BYTES: usize = 256;
const VALUE_BYTES: usize = 512;

/// How a value has to stand behind a bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Quoted or bare.
    Any,
    /// The same behind a type or another word, if the name is not the use of a variable.
    Typed,
    /// Between quotes.
    Quoted,
    /// Before the end of an element.
    Element,
    /// As the argument of an option.
    Option,
}

/// What may stand between a name and its value, the usual ones first.
const BRIDGES: &[(Form, &str)] = &[
    (
        Form::Any,
        r#"[\\"'`\])}*]{0,6}[ \t]{0,24}(?:[?:+!|=]{0,3}[=:]>?|->)[*`]{0,3}[ \t]{0,24}(?:[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,32})?"#,
    ),
    (
        Form::Any,
        r#"["'\\]{0,3}[ \t]{0,4},?\s{0,40}["'\\]{0,3}(?i:value|val|content|default)["'\\]{0,3}\s{0,4}[:=]\s{0,8}"#,
    ),
    (Form::Any, r#""[ \t]{0,4}\{[^{}]{0,160}?\bdefault\s{0,8}=\s{0,8}"#),
    (Form::Typed, r#"[\\"'`\]]{0,4}[ \t]{0,4}:?[ \t]{0,4}[A-Za-z&*][\w<>&*()\[\]'.|? ]{0,30}?[ \t]{0,4}:?=[ \t]{0,8}"#),
    (Form::Any, r#"["'`*]{0,3}[ \t]{1,3}(?:is|was|are|ist|war|lautet|est|es|fue)[ \t:]{1,3}"#),
    (Form::Any, r"[ \t*`]{0,4}\|[ \t*`]{0,4}"),
    (Form::Quoted, r#"["'`\\]{1,3}[ \t]{0,4},\s{0,8}"#),
    (Form::Quoted, r"\([ \t]{0,4}"),
    (Form::Quoted, r"[ \t]{1,4}"),
    (Form::Element, r#"["']?[ \t]{0,2}>\s{0,20}"#),
    (Form::Option, r#"["']?[ \t,]{1,4}"#),
];

/// An opening quote, with what may be wrapped around it: `[]byte("`, `String::from('`, `b"`.
const OPENING: &str =
    r#"([A-Za-z_\[\]][\w.:<>\[\]]{0,40}\([ \t]{0,4}|[bBrRuUL@]{1,2})?(\\{0,3}(?:"{3}|'{3}|["'`])|&quot;|&#34;|%22)"#;

/// Wrappers that fetch a value from somewhere else.
const LOOKUPS: &[&str] = &[
    "env",
    "get",
    "prompt",
    "read",
    "input",
    "fetch",
    "load",
    "lookup",
    "find",
    "param",
    "config",
    "vault",
    "field",
    "column",
    "label",
    "translate",
    "print",
    "format",
    "require",
    "include",
    "file",
    "path",
    "open",
    "ref",
    "var",
    "log",
    "select",
    "decrypt",
];

static BRIDGE: LazyLock<Vec<(Form, Regex)>> =
    LazyLock::new(|| BRIDGES.iter().map(|(form, pattern)| (*form, compiled(pattern))).collect());
static OPEN: LazyLock<Regex> = LazyLock::new(|| compiled(OPENING));

fn compiled(pattern: &str) -> Regex {
    RegexBuilder::new(&format!(r"\A(?:{pattern})"))
        .unicode(false)
        .build()
        .expect("a pattern of ours, used by every test")
}

/// Every value that is given to a name around one of `keywords`, the places of telling words in their order.
pub(super) fn find(bytes: &[u8], keywords: impl Iterator<Item = Range<usize>>, rule: usize, found: &mut Vec<Found>) {
    let mut done = 0;
    for keyword in keywords {
        if keyword.start < done {
            continue;
        }
        let name = name_around(bytes, &keyword);
        done = name.end;
        if !may_be_given(bytes, &name) {
            continue;
        }
        let Some(kind) = bytes.get(name.clone()).and_then(name::kind) else { continue };
        // A token that is a UUID may be one, and may as well be a number of something.
        let is_single = name.len() == keyword.len();
        let is_option = bytes.get(name.start) == Some(&b'-') || is_set(bytes, name.start);
        let bridged = bytes.get(name.end..name.end.saturating_add(BRIDGE_BYTES).min(bytes.len())).unwrap_or_default();
        let may_stand = |form: Form| match form {
            Form::Option => is_option,
            Form::Typed => !is_use(bytes, name.start),
            _ => true,
        };
        let values = BRIDGE.iter().filter(|(form, _)| may_stand(*form)).filter_map(|(form, bridge)| {
            let at = name.end + bridge.find(bridged)?.end();
            let (range, text) = value_at(bytes, at, *form)?;
            let strength = weigh(kind, &text)?;
            let is_noise = value::is_noise(&text);
            let (is_verdict, is_stand_in) = (is_verdict(bytes, &name, &range), is_stand_in(bytes, &name, &range));
            let is_vain = is_verdict && value::is_jointed(&text) || is_stand_in || is_member(bytes, &name, &range);
            let is_vague = is_single && value::is_uuid(&text)
                || is_verb(bytes, &name, range.start)
                || is_verdict && !is_noise
                || is_stand_in;
            (!is_vain || is_noise).then_some((range, if is_vague { Strength::Mentioned } else { strength }))
        });
        if let Some((range, strength)) = values.take(1).next() {
            done = done.max(range.end);
            found.push(Found { rule, range, strength, is_joined: false });
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || byte >= 0x80
}

/// The name that a keyword is a part of; `api key` is one as well.
fn name_around(bytes: &[u8], keyword: &Range<usize>) -> Range<usize> {
    let before = bytes.get(keyword.start.saturating_sub(NAME_BYTES)..keyword.start).unwrap_or_default();
    let behind = bytes.get(keyword.end..keyword.end.saturating_add(NAME_BYTES).min(bytes.len())).unwrap_or_default();
    let mut start = keyword.start - before.iter().rev().take_while(|byte| is_name_byte(**byte)).count();
    let end = keyword.end + behind.iter().take_while(|byte| is_name_byte(**byte)).count();
    if start == keyword.start && before.last() == Some(&b' ') {
        let word = before.iter().rev().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count();
        start -= if (2..=12).contains(&word) { word + 1 } else { 0 };
    }
    start..end
}

/// Whether a bridge could begin behind a name: spares what is costlier in prose, where it hardly ever could.
fn may_be_given(bytes: &[u8], name: &Range<usize>) -> bool {
    let rest = bytes.get(name.end..name.end.saturating_add(48).min(bytes.len())).unwrap_or_default();
    let is_sign =
        |byte: &u8| !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace() && *byte < 0x80 && *byte != b';';
    let behind = rest.trim_ascii_start();
    match (rest.first(), behind.first()) {
        (Some(first), Some(sign)) if first == sign || is_sign(sign) => is_sign(sign),
        (Some(_), Some(_)) => {
            let word = behind.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let is_verb = matches!(
                behind.get(..word),
                Some(b"is" | b"was" | b"are" | b"ist" | b"war" | b"lautet" | b"est" | b"es" | b"fue")
            );
            let line = behind.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let is_member =
                |word: &[u8]| behind.get(..word.len()).is_some_and(|there| there.eq_ignore_ascii_case(word));
            let is_option = bytes.get(name.start) == Some(&b'-') || is_set(bytes, name.start);
            is_verb
                || is_option
                || line.contains(&b'=')
                || [b"val".as_slice(), b"content", b"default"].into_iter().any(is_member)
        }
        _ => false,
    }
}

/// Whether the value of a variable is asked for: `$DB_PASSWORD base="…"` gives nothing to the password.
fn is_use(bytes: &[u8], name: usize) -> bool {
    let before = bytes.get(name.saturating_sub(2)..name).unwrap_or_default();
    before.ends_with(b"$") || before == b"${"
}

/// Whether it is put in the place of a variable that is set (`${DB_PASSWORD:+given}`) or said when it is not
/// (`${DB_PASSWORD:?missing}`).
fn is_stand_in(bytes: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let is_expanded = name.start.checked_sub(2).and_then(|at| bytes.get(at..name.start)) == Some(b"${");
    is_expanded && bytes.get(name.end..value.start) == Some(b":") && matches!(bytes.get(value.start), Some(b'+' | b'?'))
}

/// Whether it is a member of a type or a module that has a telling name: `TokenStream::Empty =>`.
fn is_member(bytes: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let behind = bytes.get(value.end..value.end.saturating_add(8).min(bytes.len())).unwrap_or_default();
    let spaces = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let behind = behind.get(spaces..).unwrap_or_default();
    let goes_on = [b"(".as_slice(), b"{", b"::", b"=>", b",", b"\n"].iter().any(|sign| behind.starts_with(sign));
    bytes.get(name.end..value.start) == Some(b"::")
        && value::is_identifier(bytes.get(value.clone()).unwrap_or_default())
        && (behind.is_empty() || goes_on)
}

/// Whether `pass` is the verb of a manual, which asks for an argument in code: it is a password as seldom as not, and worth a
/// mention.
fn is_verb(bytes: &[u8], name: &Range<usize>, value: usize) -> bool {
    let between = bytes.get(name.end..value).unwrap_or_default();
    bytes.get(name.clone()).is_some_and(|name| name.eq_ignore_ascii_case(b"pass")) && between.trim_ascii() == b"`"
}

/// Whether it is what a suite of tests says of one that passed, by its path or among others: `PASS: elf/x86-64-relocs`.
/// Below the name of a user it is a password.
fn is_verdict(bytes: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    let begins = name.start.checked_sub(1).and_then(|at| bytes.get(at)).is_none_or(|before| *before == b'\n');
    if !begins || bytes.get(name.start..value.start) != Some(b"PASS: ") {
        return false;
    }
    let before = bytes.get(name.start.saturating_sub(BRIDGE_BYTES)..name.start).unwrap_or_default();
    let behind = bytes.get(value.end..value.end.saturating_add(BRIDGE_BYTES).min(bytes.len())).unwrap_or_default();
    let is_of_user = |line: &[u8]| {
        let line = line.trim_ascii_start().to_ascii_lowercase();
        line.starts_with(b"user") || line.starts_with(b"login")
    };
    let beside = [before.rsplit(|byte| *byte == b'\n').nth(1), behind.split(|byte| *byte == b'\n').nth(1)];
    let says = |line: &[u8]| line.starts_with(b"PASS:") || line.starts_with(b"FAIL:");
    let is_path = bytes.get(value.clone()).is_some_and(|value| value.contains(&b'/'));
    (is_path || beside.into_iter().flatten().any(says)) && !before.split(|byte| *byte == b'\n').any(is_of_user)
}

/// Whether the name is the first argument of a command that sets it to the second.
fn is_set(bytes: &[u8], name: usize) -> bool {
    let before = bytes.get(name.saturating_sub(5)..name).unwrap_or_default().to_ascii_lowercase();
    [b" set ".as_slice(), b"\nset ", b"setx ", b"\nenv ", b"set \"", b"set '"].iter().any(|word| before.ends_with(word))
}

/// The value at a place: where it stands, and its text, put together if it was written in pieces.
fn value_at(bytes: &[u8], at: usize, form: Form) -> Option<(Range<usize>, Vec<u8>)> {
    let text = bytes.get(at..at.saturating_add(VALUE_BYTES).min(bytes.len()))?;
    if let Some(opening) = OPEN.captures(text) {
        let (quote, wrapper) = (opening.get(2)?, opening.get(1));
        if wrapper.is_some_and(|wrapper| is_lookup(wrapper.as_bytes())) {
            return None;
        }
        let inside = text.get(quote.end()..)?;
        let length =
            inside.windows(quote.len()).position(|window| window == quote.as_bytes() || window.contains(&b'\n'))?;
        let start = at + quote.end();
        let (range, value) = joint::continued(bytes, start..start + length);
        return Some((range, value)).filter(|_| inside.get(length) != Some(&b'\n'));
    }
    let length =
        text.iter().position(|byte| byte.is_ascii_whitespace() || b"\"'`<>;,&|\\".contains(byte)).unwrap_or(text.len());
    let is_closed = text.get(length..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"</"));
    if form == Form::Quoted || form == Form::Element && !is_closed {
        return None;
    }
    let mut value = text.get(..length)?;
    while let [rest @ .., b'.' | b')' | b']' | b'}' | b':' | b'*'] = value {
        value = rest;
    }
    (!is_call(value)).then(|| (at..at + value.len(), value.to_vec()))
}

fn is_lookup(wrapper: &[u8]) -> bool {
    let wrapper = String::from_utf8_lossy(wrapper).to_ascii_lowercase();
    LOOKUPS.iter().any(|word| wrapper.contains(word))
}

/// Whether a bare value is a call, an index, a composite or a macro: `get(`, `tokens[0]`, `{`, `Token![`.
fn is_call(value: &[u8]) -> bool {
    let Some(at) = value.iter().position(|byte| b"([{".contains(byte)) else { return false };
    let (called, inside) = value.split_at(at);
    let is_macro = |name: &[u8]| name == b"Token" || name.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    called.iter().all(|byte| is_name_byte(*byte))
        || called.strip_suffix(b"!").is_some_and(is_macro) && is_argument(inside.get(1..).unwrap_or_default())
}

/// Whether it is what a macro is given first: nothing, a sign, a zero with its type, an identifier.
fn is_argument(inside: &[u8]) -> bool {
    let is_type = |rest: &[u8]| rest.iter().all(|byte| matches!(byte, b'i' | b'u' | b'1'..=b'8')) && rest.len() <= 3;
    inside.iter().all(u8::is_ascii_punctuation)
        || inside.strip_prefix(b"0").is_some_and(is_type)
        || value::is_identifier(inside) && !inside.iter().any(u8::is_ascii_digit) && !value::is_noise(inside)
}

fn weigh(kind: Kind, text: &[u8]) -> Option<Strength> {
    if super::example_key::is_documented(text) {
        return None;
    }
    match kind {
        Kind::Password => value::password(text),
        Kind::Token => value::token(text),
        Kind::Key => {
            value::token(text).filter(|_| text.len() >= 20 && value::is_mixed(text)).map(|_| Strength::Mentioned)
        }
    }
}
