//! The sixteen types of an argument, and the values that each accepts.
//!
//! A value is accepted unchanged or refused, never trimmed or repaired: only a bound with `clamp` changes a number, and
//! a duration becomes seconds. Does not touch files and does not know the scope: `bind` checks those.
//!
//! Security: values are a requester's. Every text type refuses control characters, invisible characters, and the characters that a
//! shell would act on, unless a `string` says `sanitize = []` or the type is `literal_text`.
//! Standards: ToolClad, type system; RFC 3986 (through the WHATWG URL reader), RFC 1123, RFC 4632.

use regex::Regex;

use super::duration::duration;
use super::url_host::url_host;
pub use crate::argument_value::ArgumentValue;
use crate::scope::{Cidr, Target};
use gatepost_documents::decimal;
use gatepost_documents::reason::Code;
use gatepost_documents::text::{self, quoted};

/// Characters that a shell would act on; newline and carriage return are control characters.
const METACHARACTERS: &str = ";|&$`(){}[]<>!";
/// The largest integer up to which a double counts exactly.
const EXACT_INTEGER_MAX: u64 = 1 << 53;

/// The name of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Kind {
    String,
    Integer,
    Number,
    Port,
    Boolean,
    Enum,
    ScopeTarget,
    Url,
    Path,
    CredentialFile,
    IpAddress,
    Cidr,
    Duration,
    MsfOptions,
    RegexMatch,
    LiteralText,
}

impl Kind {
    /// Every type and its name in a manifest.
    pub const ALL: [(&'static str, Self); 16] = [
        ("string", Self::String),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("port", Self::Port),
        ("boolean", Self::Boolean),
        ("enum", Self::Enum),
        ("scope_target", Self::ScopeTarget),
        ("url", Self::Url),
        ("path", Self::Path),
        ("credential_file", Self::CredentialFile),
        ("ip_address", Self::IpAddress),
        ("cidr", Self::Cidr),
        ("duration", Self::Duration),
        ("msf_options", Self::MsfOptions),
        ("regex_match", Self::RegexMatch),
        ("literal_text", Self::LiteralText),
    ];

    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// The name in a manifest.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Whether its values are texts of the requester's own.
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Integer | Self::Number | Self::Port | Self::Boolean | Self::Enum | Self::Duration)
    }
}

/// Bounds of a number, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds<T> {
    pub(super) min: Option<T>,
    pub(super) max: Option<T>,
    /// Whether a number outside is moved to the nearest bound instead of refused.
    pub(super) clamp: bool,
}

impl<T: PartialOrd + Copy + std::fmt::Display> Bounds<T> {
    fn check(&self, number: T) -> Result<T, String> {
        match (self.min, self.max) {
            (Some(min), _) if number < min => self.clamp.then_some(min).ok_or(format!("is below the minimum {min}")),
            (_, Some(max)) if number > max => self.clamp.then_some(max).ok_or(format!("is above the maximum {max}")),
            _ => Ok(number),
        }
    }
}

/// The constraints of a type.
#[derive(Debug, Clone)]
pub(super) enum Rule {
    Text,
    Integer(Bounds<i64>),
    Number(Bounds<f64>),
    Boolean,
    Enum(Vec<String>),
    ScopeTarget,
    Url { schemes: Vec<String>, scope_check: bool },
    Path,
    IpAddress { scope_check: bool },
    Cidr { scope_check: bool },
    Duration,
    MsfOptions,
}

/// A type with its constraints: it cannot be inconsistent.
#[derive(Debug, Clone)]
pub struct ArgumentType {
    pub(super) kind: Kind,
    pub(super) rule: Rule,
    /// Searched in a text, not anchored.
    pub(super) pattern: Option<Regex>,
    /// Characters of a text, at most.
    pub(super) length_max: usize,
    /// Whether metacharacters are allowed: `sanitize = []`.
    pub(super) unsanitized: bool,
}

impl ArgumentType {
    /// A `string` without constraints.
    pub(super) fn text() -> Self {
        Self { kind: Kind::String, rule: Rule::Text, pattern: None, length_max: 4096, unsanitized: false }
    }

    /// Whether its values may contain shell metacharacters.
    pub(super) fn takes_metacharacters(&self) -> bool {
        self.unsanitized || self.kind == Kind::LiteralText
    }

    /// Whether its values are texts of no certain form.
    pub(super) fn is_any_text(&self) -> bool {
        matches!(self.rule, Rule::Text) && self.pattern.is_none()
    }

    /// The name of the type.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The values of an enumeration; empty for every other type.
    pub fn allowed(&self) -> &[String] {
        if let Rule::Enum(allowed) = &self.rule { allowed } else { &[] }
    }

    /// The least and the greatest number, each as it is printed, and whether others are moved to the nearest of them.
    pub fn bounds(&self) -> (Option<String>, Option<String>, bool) {
        fn of<T: ToString>(bounds: &Bounds<T>) -> (Option<String>, Option<String>, bool) {
            (bounds.min.as_ref().map(T::to_string), bounds.max.as_ref().map(T::to_string), bounds.clamp)
        }
        match &self.rule {
            Rule::Integer(bounds) => of(bounds),
            Rule::Number(bounds) => of(bounds),
            _ => (None, None, false),
        }
    }

    /// The pattern that is searched in a text.
    pub fn pattern(&self) -> Option<&str> {
        self.pattern.as_ref().map(Regex::as_str)
    }

    /// Accepts a value in its canonical form, or returns the error as the end of a sentence ("is above the maximum 5").
    pub fn accept(&self, value: &ArgumentValue) -> Result<ArgumentValue, String> {
        match &self.rule {
            Rule::Integer(bounds) => integer(value).and_then(|number| bounds.check(number)).map(ArgumentValue::Integer),
            Rule::Number(bounds) => number(value).and_then(|number| bounds.check(number)).map(canonical_float),
            Rule::Boolean => boolean(value).map(ArgumentValue::Boolean),
            Rule::Duration => duration(value),
            Rule::Enum(allowed) => {
                let text = text(value)?;
                let is_allowed = allowed.iter().any(|allowed| allowed == text);
                is_allowed.then(|| value.clone()).ok_or_else(|| format!("is not in allowed: {}", allowed.join(", ")))
            }
            _ => self.accept_text(text(value)?).map(|()| value.clone()),
        }
    }

    fn accept_text(&self, text: &str) -> Result<(), String> {
        if text.chars().nth(self.length_max).is_some() {
            return Err(format!("is longer than {} characters", self.length_max));
        }
        self.check_characters(text)?;
        match &self.rule {
            Rule::ScopeTarget => Target::parse(text).map(drop)?,
            Rule::Url { schemes, .. } => url_host(text, schemes).map(drop)?,
            Rule::Path => relative_path(text)?,
            Rule::IpAddress { .. } => text.parse::<std::net::IpAddr>().map(drop).map_err(|_| "is not an IP address")?,
            Rule::Cidr { .. } => Cidr::parse(text).map(drop).ok_or("is not a network such as 10.0.0.0/8")?,
            Rule::MsfOptions => msf_options(text)?,
            _ => {}
        }
        match &self.pattern {
            Some(pattern) if !pattern.is_match(text) => Err(format!("does not match {}", quoted(pattern.as_str()))),
            _ => Ok(()),
        }
    }

    fn check_characters(&self, text: &str) -> Result<(), String> {
        let is_whitespace = |character| self.unsanitized && matches!(character, '\n' | '\r' | '\t');
        let is_unseen = |character: char, code: Option<Code>| character.is_control() || code.is_some();
        let found = text::characters(text).find(|(it, code)| is_unseen(*it, *code) && !is_whitespace(*it));
        if let Some((found, _)) = found {
            let group = if found.is_whitespace() {
                "whitespace or a control character"
            } else {
                "a hidden or control character"
            };
            return Err(format!("contains {group}, {}", quoted(&found.to_string())));
        }
        if self.takes_metacharacters() {
            return Ok(());
        }
        let own = match self.kind {
            Kind::Url => "&[]",
            Kind::MsfOptions => ";",
            _ => "",
        };
        let found = text.chars().find(|character| METACHARACTERS.contains(*character) && !own.contains(*character));
        found.map_or(Ok(()), |found| Err(format!("contains the shell metacharacter '{found}'")))
    }

    /// Whether accepted values must lie in scope.
    pub fn is_target(&self) -> bool {
        match self.rule {
            Rule::ScopeTarget => true,
            Rule::IpAddress { scope_check } | Rule::Cidr { scope_check } | Rule::Url { scope_check, .. } => scope_check,
            _ => false,
        }
    }

    /// The part of an accepted value that must be in scope.
    pub fn target(&self, value: &ArgumentValue) -> Option<Target> {
        let ArgumentValue::Text(text) = value else { return None };
        match &self.rule {
            Rule::ScopeTarget | Rule::IpAddress { scope_check: true } | Rule::Cidr { scope_check: true } => {
                Target::parse(text).ok()
            }
            Rule::Url { schemes, scope_check: true } => url_host(text, schemes).ok(),
            _ => None,
        }
    }
}

fn text(value: &ArgumentValue) -> Result<&str, String> {
    match value {
        ArgumentValue::Text(text) => Ok(text),
        other => Err(format!("is {other} without quotes, but a text is expected")),
    }
}

fn integer(value: &ArgumentValue) -> Result<i64, String> {
    match value {
        ArgumentValue::Integer(number) => Some(*number),
        ArgumentValue::Text(text) => text.parse().ok().filter(|number: &i64| number.to_string() == *text),
        _ => None,
    }
    .ok_or_else(|| "is not an integer in plain digits".into())
}

fn number(value: &ArgumentValue) -> Result<f64, String> {
    let number = match value {
        ArgumentValue::Integer(number) => exact_float(*number),
        ArgumentValue::Float(number) => Some(*number),
        ArgumentValue::Text(text) if decimal::is_number(text) => {
            return decimal::exact(text).ok_or_else(|| "has more digits than a number can keep".into());
        }
        _ => None,
    };
    number.filter(|number| number.is_finite()).ok_or_else(|| "is not a finite number in plain digits".into())
}

/// The double of an integer that it can count exactly.
#[allow(clippy::cast_precision_loss, reason = "only exact integers get here")]
pub(super) fn exact_float(number: i64) -> Option<f64> {
    (number.unsigned_abs() <= EXACT_INTEGER_MAX).then_some(number as f64)
}

/// A number that is whole prints as an integer; zero has no sign.
fn canonical_float(number: f64) -> ArgumentValue {
    ArgumentValue::Float(if number == 0.0 { 0.0 } else { number })
}

fn boolean(value: &ArgumentValue) -> Result<bool, String> {
    match value {
        ArgumentValue::Boolean(value) => Ok(*value),
        ArgumentValue::Text(text) if text == "true" => Ok(true),
        ArgumentValue::Text(text) if text == "false" => Ok(false),
        _ => Err("is neither true nor false".into()),
    }
}

/// A path below the request's inputs, by its text alone.
fn relative_path(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let fault = if text.is_empty() {
        "is empty"
    } else if text.starts_with('/') || text.contains('\\') || bytes.get(1) == Some(&b':') {
        "is not relative: no leading slash, backslash or drive"
    } else if text.split('/').any(|component| component == "..") {
        "contains a traversal `..`"
    } else if text.starts_with('~') {
        "begins with ~, which stands for a home directory"
    } else {
        return Ok(());
    };
    Err(fault.into())
}

/// `set KEY VALUE` or `KEY VALUE`, separated by `;`.
fn msf_options(text: &str) -> Result<(), String> {
    let mut pairs = text.split(';').map(str::trim).filter(|pair| !pair.is_empty()).peekable();
    pairs.peek().ok_or("contains no KEY VALUE pair")?;
    for pair in pairs {
        let pair = pair.strip_prefix("set ").map_or(pair, str::trim_start);
        let (key, value) = pair.split_once(' ').ok_or_else(|| format!("has an invalid pair {}", quoted(pair)))?;
        let is_key = key.starts_with(|first: char| first.is_ascii_uppercase())
            && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        if !is_key || value.trim().is_empty() {
            return Err(format!("has an invalid key or no value in {}", quoted(pair)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{accepts, one_argument};
    use super::*;

    fn text(text: &str) -> ArgumentValue {
        ArgumentValue::Text(text.into())
    }

    #[test]
    fn each_type_takes_its_values_and_prints_them_in_one_form() {
        for (declaration, value, expected) in [
            ("type='string'", text("hello world, 50% - ok?"), "hello world, 50% - ok?"),
            ("type='string'\nsanitize=[]", text("a; b\n\t$(c)"), "a; b\n\t$(c)"),
            ("type='literal_text'", text("a; $(b) <c> 'd' ü"), "a; $(b) <c> 'd' ü"),
            ("type='integer'", text("-5"), "-5"),
            ("type='integer'\nmin=1\nmax=64\nclamp=true", ArgumentValue::Integer(100), "64"),
            ("type='number'", text("1e3"), "1000"),
            ("type='number'", text("-0.0"), "0"),
            ("type='number'\nmin_float=0.0\nmax_float=1.0\nclamp=true", text("5"), "1"),
            ("type='number'\nmin=1\nmax=10", ArgumentValue::Float(5.5), "5.5"),
            ("type='port'", ArgumentValue::Integer(65535), "65535"),
            ("type='boolean'", ArgumentValue::Boolean(true), "true"),
            ("type='boolean'", text("false"), "false"),
            ("type='enum'\nallowed=['-a', 'b c']", text("-a"), "-a"),
            ("type='url'", text("https://example.com:8443/a?b=1&c=[2]#d"), "https://example.com:8443/a?b=1&c=[2]#d"),
            ("type='url'", text("http://[::1]:80/"), "http://[::1]:80/"),
            ("type='url'\nschemes=['redis']", text("redis://10.0.0.1:6379/0"), "redis://10.0.0.1:6379/0"),
            ("type='path'", text("a/b-c.txt"), "a/b-c.txt"),
            ("type='path'", text("a/..b/c..d"), "a/..b/c..d"),
            ("type='ip_address'", text("fe80::1"), "fe80::1"),
            ("type='cidr'", text("2001:db8::/32"), "2001:db8::/32"),
            ("type='duration'", text("30"), "30"),
            ("type='duration'", text("1h30m15s"), "5415"),
            ("type='duration'", text("250ms"), "0.25"),
            ("type='duration'", ArgumentValue::Integer(0), "0"),
            ("type='msf_options'", text("RHOSTS 10.0.0.1; set RPORT 445;;"), "RHOSTS 10.0.0.1; set RPORT 445;;"),
            ("type='regex_match'\npattern='^[a-z]+$'", text("abc"), "abc"),
        ] {
            let accepted = one_argument(declaration).kind.accept(&value);
            assert_eq!(accepted.map(|value| value.to_string()).as_deref(), Ok(expected), "{declaration} {value:?}");
        }
    }

    /// Texts that are no URL, or one that programs read differently.
    const NO_URLS: &[&str] = &[
        "",
        "example.com",
        "http:example.com",
        "http:///example.com",
        "//example.com",
        "ftp://a.com",
        "javascript:alert",
        "http://u@a.com/",
        "http://u:p@a.com/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://010.0.0.1/",
        "http://a.com\\@b.com/",
        "http://a b.com/",
        "http://ex\u{430}mple.com/",
        "http://xn--80ak6aa92e.com/",
        "http://a.com:99999/",
        "http://%61.com/",
        "http://",
        "http://@/",
        "https://a.com/ ",
        "http://[::1",
        "http://127.1/",
        "http://*.a.com/",
        "file:///etc/passwd",
        "http://a.com/$(id)",
    ];

    #[test]
    fn each_type_refuses_what_is_not_its_value() {
        for (declaration, values) in [
            (
                "type='string'",
                &["a;b", "a|b", "a&b", "$a", "`a`", "(", ")", "{", "}", "[", "]", "<", ">", "!", "a\nb", "a\rb", "a\tb"]
                    as &[&str],
            ),
            (
                "type='string'\nsanitize=[]",
                &["a\0b", "\u{1b}[0m", "\u{202e}", "\u{200b}", "\u{e0041}", "\u{85}", "\u{2028}", "\u{feff}"],
            ),
            ("type='literal_text'", &["a\nb", "a\tb", "\u{1b}[0m", "\u{202e}", "\u{200b}", "a\0b"]),
            ("type='string'\nmax_length=3", &["abcd", "éééé"]),
            (
                "type='integer'",
                &["", "abc", " 5", "5 ", "+5", "007", "-0", "5.0", "0x5", "1_000", "\u{665}", "9223372036854775808"],
            ),
            ("type='integer'\nmin=1\nmax=64", &["0", "65"]),
            (
                "type='number'",
                &["", "NaN", "inf", "1e999", ".5", "5.", "00.5", "1e", "+1", "\u{661}", "0.12345678901234567890"],
            ),
            ("type='port'", &["0", "70000", "-1", "http", "080"]),
            ("type='boolean'", &["True", "FALSE", "yes", "1", ""]),
            ("type='enum'\nallowed=['a','b']", &["c", "A", "", "a "]),
            ("type='url'", NO_URLS),
            (
                "type='path'",
                &["", "/etc/passwd", "..", "a/../b", "../a", "a/..", "C:\\x", "C:x", "a\\b", "~/x", "a/$(id)"],
            ),
            ("type='ip_address'", &["", "1.2.3", "01.2.3.4", "1.2.3.4/32", "fe80::1%eth0", "999.1.1.1"]),
            (
                "type='cidr'",
                &["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8/8", "999.0.0.0/8", "10.0.0.0/08"],
            ),
            (
                "type='duration'",
                &["", "abc", "5x", "m5", "5m1h", "1h1h", "-5", "1.5s", "5 m", "1h30", "99999999999999999999h", "s"],
            ),
            (
                "type='msf_options'",
                &["RHOSTS", "rhosts 10.0.0.1", "set RHOSTS", "RHOSTS a|b", ";;", "", "RHOSTS a\nRUN b", "9X a"],
            ),
            ("type='regex_match'\npattern='.*'", &["a;b"]),
            ("type='regex_match'\npattern='^[a-z]+$'", &["A", "a\n"]),
        ] {
            for value in values {
                assert!(!accepts(declaration, &text(value)), "{declaration} takes {value:?}");
            }
        }
    }

    #[test]
    fn a_value_of_another_type_is_refused_and_not_converted() {
        for (declaration, value) in [
            ("type='string'", ArgumentValue::Integer(5)),
            ("type='string'", ArgumentValue::Boolean(true)),
            ("type='integer'", ArgumentValue::Float(3.0)),
            ("type='integer'", ArgumentValue::Boolean(true)),
            ("type='boolean'", ArgumentValue::Integer(1)),
            ("type='number'", ArgumentValue::Float(f64::NAN)),
            ("type='number'", ArgumentValue::Integer(i64::MAX)),
            ("type='duration'", ArgumentValue::Integer(-1)),
            ("type='duration'", ArgumentValue::Float(1.5)),
        ] {
            assert!(!accepts(declaration, &value), "{declaration} takes {value:?}");
        }
    }
}
