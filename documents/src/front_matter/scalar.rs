//! Scalars: quoted ones are decoded and checked again, plain ones are typed or refused.
//!
//! Standards: YAML 1.2.2, sections 7.3 and 10.3; YAML 1.1, "Language-Independent Types" for what is refused.

use super::cursor::{Cursor, Fault};
use super::several_lines::Below;
use super::{ScalarKind, Value};
use crate::decimal;
use crate::reason::Code;
use crate::text::{self, quoted};

const QUOTE_IT: &str = "Put the value in double quotes.";

/// A scalar in single or double quotes, at its first quote; stops after the last, which may be on a line below.
pub(super) fn read_quoted<'a>(cursor: &mut Cursor<'a>, below: Below<'_, 'a>) -> Result<String, Fault> {
    let start = *cursor;
    let quote = cursor.take();
    let mut content = String::new();
    // The position of each character of the content.
    let mut places = Vec::new();
    loop {
        let here = *cursor;
        let is_escaped = quote == Some('"') && cursor.rest == "\\";
        if (cursor.rest.is_empty() || is_escaped)
            && let Some(fold) = below.fold(cursor, is_escaped)?
        {
            places.extend(std::iter::repeat_n(here, fold.len()));
            content.push_str(&fold);
            continue;
        }
        let character = match cursor.take() {
            None => {
                let message = "A quoted value does not end.";
                let hint = "Close the quote on the same line; write \\n for a new line.";
                return Err(start.fault(Code::YamlInvalid, message, hint));
            }
            Some('\'') if quote == Some('\'') => {
                if !cursor.eat('\'') {
                    return checked(content, &places);
                }
                '\''
            }
            Some('"') if quote == Some('"') => return checked(content, &places),
            Some('\\') if quote == Some('"') => decode_escape(cursor, here)?,
            Some(other) => other,
        };
        content.push(character);
        places.push(here);
    }
}

/// A decoded value, or the first of its characters that is not allowed at its place.
fn checked(content: String, places: &[Cursor<'_>]) -> Result<String, Fault> {
    let fault = text::characters(&content).zip(places).find_map(|((it, code), here)| Some((it, code?, here)));
    match fault {
        None => Ok(content),
        Some((character, code, here)) => {
            let scalar = u32::from(character);
            let message = format!("The value holds the character U+{scalar:04X}, {}.", text::description(code));
            Err(here.fault(code, message, text::hint(code)))
        }
    }
}

/// Whether a quoted scalar ends on the line on which it begins.
pub(super) fn closes_on_its_line(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    let quote = characters.next();
    while let Some(character) = characters.next() {
        // A backslash, or a quote in single quotes, may precede a quote that ends nothing.
        let is_escape = quote == Some('"') && character == '\\'
            || quote == Some('\'') && character == '\'' && characters.peek() == Some(&'\'');
        if is_escape {
            characters.next();
        } else if Some(character) == quote {
            return true;
        }
    }
    false
}

fn decode_escape(cursor: &mut Cursor<'_>, start: Cursor<'_>) -> Result<char, Fault> {
    let digits = match cursor.take() {
        Some('x') => 2,
        Some('u') => 4,
        Some('U') => 8,
        Some(letter) => return simple_escape(letter).ok_or_else(|| unknown_escape(start)),
        None => return Err(unknown_escape(start)),
    };
    let mut scalar = 0_u32;
    for _ in 0..digits {
        let digit = cursor.take().and_then(|character| character.to_digit(16)).ok_or_else(|| unknown_escape(start))?;
        scalar = scalar << 4 | digit;
    }
    char::from_u32(scalar).ok_or_else(|| {
        let message = "An escape names no character.";
        start.fault(Code::YamlInvalid, message, "Write the character itself, or \\U with its eight hexadecimal digits.")
    })
}

const fn simple_escape(letter: char) -> Option<char> {
    Some(match letter {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        ' ' | '"' | '/' | '\\' => letter,
        _ => return None,
    })
}

fn unknown_escape(at: Cursor<'_>) -> Fault {
    let message = "A backslash in double quotes begins no escape that YAML knows.";
    at.fault(Code::YamlInvalid, message, "Write \\\\ for a backslash, or use single quotes.")
}

/// A plain scalar's type; `at` is its first character and `text` all of it, not empty, without spaces around it.
pub(super) fn read_plain(text: &str, at: Cursor<'_>) -> Result<Value, Fault> {
    refuse_indicator(text, at)?;
    if let Some((_, code)) = text::fault(text) {
        return Err(at.fault(code, format!("A value holds {}.", text::description(code)), text::hint(code)));
    }
    if text.contains('\t') {
        return Err(at.fault(Code::YamlInvalid, "A tab stands outside of quotes.", "Use spaces, or quote the value."));
    }
    if text.contains(": ") || text.ends_with(':') {
        let message = format!("The value {} holds a colon that YAML takes for that of a key.", quoted(text));
        return Err(at.fault(Code::YamlInvalid, message, QUOTE_IT));
    }
    let kind = kind(text).ok_or_else(|| {
        let message = format!("YAML readers differ on what the value {} is.", quoted(text));
        at.fault(
            Code::YamlInvalid,
            message,
            "Put the value in double quotes if it is text; write numbers as 42 or 0.5.",
        )
    })?;
    Ok(Value::Scalar { text: text.to_owned(), kind })
}

/// Refuses a scalar that begins with a YAML indicator.
pub(super) fn refuse_indicator(text: &str, at: Cursor<'_>) -> Result<(), Fault> {
    let forbidden = |what: &str, hint: &str| Err(at.fault(Code::YamlForbiddenFeature, what, hint));
    let followed_by_digit = text.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    match text.chars().next() {
        Some('&') => forbidden("An anchor is refused.", "Write the value out wherever it is needed."),
        Some('*') => forbidden("An alias is refused.", "Write the value out; quote it if the asterisk is meant."),
        Some('!') => forbidden("A tag is refused.", "Remove it; quote the value if the exclamation mark is meant."),
        Some('|' | '>') => {
            forbidden("A block scalar is refused.", "Write the text in double quotes on one line, with \\n.")
        }
        Some('-') if followed_by_digit => Ok(()),
        Some('-' | '?' | ':' | ',' | '[' | ']' | '{' | '}' | '#' | '\'' | '"' | '%' | '@' | '`') => {
            let message = format!("The value {} begins with a character that means something to YAML.", quoted(text));
            Err(at.fault(Code::YamlInvalid, message, QUOTE_IT))
        }
        _ => Ok(()),
    }
}

/// The type of a plain scalar for every YAML reader; `None` when they differ.
pub(super) fn kind(text: &str) -> Option<ScalarKind> {
    match text {
        "true" => Some(ScalarKind::Boolean(true)),
        "false" => Some(ScalarKind::Boolean(false)),
        _ if is_reserved_word(text) => None,
        _ if is_decimal(text) && text.contains('.') => decimal::exact(text).map(ScalarKind::Float),
        _ if is_decimal(text) => text.parse().ok().map(ScalarKind::Integer),
        _ if is_number_somewhere(text) || is_date(text) => None,
        _ => Some(ScalarKind::Text),
    }
}

fn is_reserved_word(text: &str) -> bool {
    const WORDS: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "~"];
    matches!(text, "=" | "<<") || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// `0`, `-12`, `12.50`: the spellings that all readers type in the same way.
fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let unsigned = whole.strip_prefix('-').unwrap_or(whole);
    digits(unsigned) && digits(fraction) && (unsigned == "0" || !unsigned.starts_with('0')) && text != "-0"
}

/// A number to some reader: octal, hexadecimal, underscores, exponent, sexagesimal, infinite, or not a number at all.
fn is_number_somewhere(text: &str) -> bool {
    let bare = text.replace('_', "").to_ascii_lowercase();
    let unsigned = bare.strip_prefix(['+', '-']).unwrap_or(&bare);
    let sexagesimal = |text: &str| {
        let (parts, last) = text.rsplit_once(':')?;
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        Some(parts.split(':').all(digits) && digits(last.split_once('.').map_or(last, |(whole, _)| whole)))
    };
    ["0x", "0o", "0b"].iter().any(|prefix| unsigned.starts_with(prefix))
        || unsigned.strip_prefix('.').unwrap_or(unsigned).parse::<f64>().is_ok()
        || unsigned.parse::<f64>().is_ok()
        || sexagesimal(unsigned).unwrap_or(false)
}

/// `2026-02-09`, alone or followed by a time.
fn is_date(text: &str) -> bool {
    let mut fields = text.splitn(3, '-');
    let mut digits = |most: usize| {
        let field = fields.next().unwrap_or_default();
        let count = field.bytes().take_while(u8::is_ascii_digit).count();
        (1..=most).contains(&count).then(|| &field[count..])
    };
    digits(4) == Some("")
        && digits(2) == Some("")
        && digits(2).is_some_and(|rest| rest.is_empty() || rest.starts_with(['T', 't', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_scalar_that_readers_type_differently_is_refused() {
        for text in [
            "yes",
            "No",
            "ON",
            "off",
            "y",
            "N",
            "~",
            "null",
            "Null",
            "True",
            "FALSE",
            "010",
            "0o7",
            "0x1F",
            "0b1",
            "1_000",
            "1:30",
            "190:20:30.15",
            ".inf",
            "-.INF",
            ".nan",
            "+1",
            "1e5",
            "1.5e+3",
            "1.",
            ".5",
            "-.5",
            "-0",
            "=",
            "<<",
            "2026-02-09",
            "2026-02-09T16:10:30Z",
            "2026-2-9 16:10:30",
            "99999999999999999999",
            "00",
            "inf",
            "NaN",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    #[test]
    fn a_plain_scalar_with_one_type_for_all_readers_is_typed() {
        for (text, expected) in [
            ("0", ScalarKind::Integer(0)),
            ("-12", ScalarKind::Integer(-12)),
            ("9223372036854775807", ScalarKind::Integer(i64::MAX)),
            ("0.50", ScalarKind::Float(0.5)),
            ("-1.25", ScalarKind::Float(-1.25)),
            ("true", ScalarKind::Boolean(true)),
            ("10.0.0.1", ScalarKind::Text),
            ("10.0.0.1:443", ScalarKind::Text),
            ("host:443", ScalarKind::Text),
            ("1.2.3", ScalarKind::Text),
            ("3 files", ScalarKind::Text),
            ("2026-02-09-report", ScalarKind::Text),
            ("TR-20260209-160501Z-a", ScalarKind::Text),
        ] {
            assert_eq!(kind(text), Some(expected), "{text}");
        }
    }
}
