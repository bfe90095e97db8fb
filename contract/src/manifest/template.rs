//! Texts with placeholders: `--rate={rate}`, and their split into words.
//!
//! A text is split into words and scanned for placeholders once, by the check of the manifest; a value that is put in later is never
//! scanned. Does not know which names exist.

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// A literal.
    Literal(&'t str),
    /// `{name}`.
    Placeholder(&'t str),
}

/// Why a text is no template; fits after "the text".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TemplateError {
    #[error("has a '{{' without its '}}'")]
    Unclosed,
    #[error("has a '}}' without its '{{'")]
    Unopened,
    #[error("has a quotation mark {0} that is not closed")]
    UnclosedQuote(char),
    #[error("has the shell operator {0} outside quotes, but no shell reads it")]
    Operator(char),
}

/// Splits a text into literals and placeholders. `{{` and `}}` stand for the braces themselves.
pub(super) fn scan(text: &str) -> Result<Vec<Piece<'_>>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, tail) = rest.split_at(at);
        if !before.is_empty() {
            pieces.push(Piece::Literal(before));
        }
        if tail.starts_with("{{") || tail.starts_with("}}") {
            pieces.push(Piece::Literal(&tail[..1]));
            rest = &tail[2..];
        } else if tail.starts_with('}') {
            return Err(TemplateError::Unopened);
        } else {
            let (name, after) = tail[1..].split_once('}').ok_or(TemplateError::Unclosed)?;
            if name.contains('{') {
                return Err(TemplateError::Unclosed);
            }
            pieces.push(Piece::Placeholder(name));
            rest = after;
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    Ok(pieces)
}

/// The same for the body of an HTTP request, in which braces are mostly JSON's own: only `{name}` with the form of a name is a placeholder.
pub(super) fn scan_body(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut literal_from = 0;
    for (at, _) in text.match_indices('{') {
        let tail = &text[at + 1..];
        let is_part = |character: char| character.is_ascii_alphanumeric() || "_:".contains(character);
        let name = &tail[..tail.find(|character| !is_part(character)).unwrap_or(tail.len())];
        if name.is_empty() || !tail[name.len()..].starts_with('}') {
            continue;
        }
        if literal_from < at {
            pieces.push(Piece::Literal(&text[literal_from..at]));
        }
        pieces.push(Piece::Placeholder(name));
        literal_from = at + name.len() + 2;
    }
    if literal_from < text.len() {
        pieces.push(Piece::Literal(&text[literal_from..]));
    }
    pieces
}

/// Splits a command line into words the way a POSIX shell quotes them: `'…'` is literal, outside quotes a backslash takes the next
/// character as it is, and in `"…"` it does so before `"`, `\`, `$` and a backtick, and else stands for itself. An operator outside quotes is an error, for it would not operate.
pub(super) fn split(text: &str) -> Result<Vec<String>, TemplateError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => quote(&mut characters, character, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().extend(characters.next()),
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '|' | '&' | ';' | '<' | '>' | '`' | '$' => return Err(TemplateError::Operator(character)),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quote(characters: &mut std::str::Chars<'_>, mark: char, word: &mut String) -> Result<(), TemplateError> {
    while let Some(character) = characters.next() {
        match character {
            _ if character == mark => return Ok(()),
            '\\' if mark == '"' => {
                let next = characters.next();
                word.extend(next.filter(|next| !matches!(next, '"' | '\\' | '$' | '`')).map(|_| '\\'));
                word.extend(next);
            }
            _ => word.push(character),
        }
    }
    Err(TemplateError::UnclosedQuote(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_doubled_braces_are_found() {
        use Piece::{Literal, Placeholder};
        for (text, expected) in [
            ("a{b}c", Ok(vec![Literal("a"), Placeholder("b"), Literal("c")])),
            ("{{a}}", Ok(vec![Literal("{"), Literal("a"), Literal("}")])),
            ("{{{a}}}", Ok(vec![Literal("{"), Placeholder("a"), Literal("}")])),
            ("{_secret:k}", Ok(vec![Placeholder("_secret:k")])),
            ("{}", Ok(vec![Placeholder("")])),
            ("", Ok(vec![])),
            ("{a", Err(TemplateError::Unclosed)),
            ("{a{b}", Err(TemplateError::Unclosed)),
            ("a}", Err(TemplateError::Unopened)),
        ] {
            assert_eq!(scan(text), expected, "{text}");
        }
    }

    #[test]
    fn the_braces_of_a_json_body_are_its_own() {
        let pieces = scan_body(r#"{"a": {"b": "{c}"}, "d": {e}, "f": {}}"#);
        let names: Vec<_> = pieces.iter().filter(|piece| matches!(piece, Piece::Placeholder(_))).collect();
        assert_eq!(names, [&Piece::Placeholder("c"), &Piece::Placeholder("e")]);
        let text: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => (*text).to_owned(),
                Piece::Placeholder(name) => format!("{{{name}}}"),
            })
            .collect();
        assert_eq!(text, r#"{"a": {"b": "{c}"}, "d": {e}, "f": {}}"#);
    }

    #[test]
    fn words_are_split_as_a_shell_quotes_them() {
        for (text, expected) in [
            ("a  b\tc", vec!["a", "b", "c"]),
            (r#"-x "a b" 'c "d'"#, vec!["-x", "a b", "c \"d"]),
            (r#"a"b"'c' \ d"#, vec!["abc", " d"]),
            (r#""" ''"#, vec!["", ""]),
            ("'a;b|c'", vec!["a;b|c"]),
            ("", vec![]),
        ] {
            assert_eq!(split(text).unwrap(), expected, "{text}");
        }
        for text in ["a 'b", "a \"b", "a | b", "a && b", "a; b", "a > b", "$(a)", "`a`"] {
            assert!(split(text).is_err(), "{text}");
        }
    }
}
