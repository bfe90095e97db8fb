//! Splits a line into words like a POSIX shell, without any other shell function.
//!
//! Expansions, operators and redirections are plain text here: TOOL-EXEC refuses them, and a line with one never ran. Standards:
//! POSIX.1-2024, Shell Command Language, section 2.2; `schemas/result.schema.md`, Agreement with the request.

/// The words of a line; `None` if a quote or a backslash has no end.
pub(crate) fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    // A word that has begun, even if it is empty so far.
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => single_quoted(&mut characters, word.get_or_insert_default())?,
            '"' => double_quoted(&mut characters, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(characters.next()?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

fn single_quoted(characters: &mut impl Iterator<Item = char>, word: &mut String) -> Option<()> {
    loop {
        match characters.next()? {
            '\'' => return Some(()),
            other => word.push(other),
        }
    }
}

/// A backslash stays if the next character needs no escape.
fn double_quoted(characters: &mut impl Iterator<Item = char>, word: &mut String) -> Option<()> {
    loop {
        match characters.next()? {
            '"' => return Some(()),
            '\\' => {
                let escaped = characters.next()?;
                if !matches!(escaped, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(escaped);
            }
            other => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_make_words_as_in_a_shell() {
        for (line, expected) in [
            ("python -c \"print(1)\"", vec!["python", "-c", "print(1)"]),
            ("a 'b c'\"d e\"f", vec!["a", "b cd ef"]),
            ("a '' \"\"", vec!["a", "", ""]),
            (r#"a \* "\"\\\$x\n" '\n'"#, vec!["a", "*", r#""\$x\n"#, r"\n"]),
            ("  a\t b  ", vec!["a", "b"]),
            ("'it'\\''s' größe", vec!["it's", "größe"]),
            ("", vec![]),
        ] {
            assert_eq!(split(line).unwrap(), expected, "{line}");
        }
        for unclosed in ["a 'b", "a \"b", "a \\", "a \"b\\"] {
            assert_eq!(split(unclosed), None, "{unclosed}");
        }
    }
}
