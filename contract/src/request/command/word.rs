//! Splits a command line into words as a POSIX shell would, and refuses everything else that a shell would do.
//!
//! Nothing is expanded or run here; the words go to the tool unchanged. Quotes make an operator, a substitution or a pattern plain
//! text. Standards: POSIX.1-2024, Shell Command Language, sections 2.2 and 2.3.

/// One word, and the column of its first character, from 1.
#[derive(Debug, PartialEq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) column: u32,
}

/// Something that only a shell could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum ShellFeature {
    #[error("joins several commands with `;` or `&`")]
    Chaining,
    #[error("pipes one command into another with `|`")]
    Pipe,
    #[error("redirects with `<` or `>`")]
    Redirection,
    #[error("groups commands with a parenthesis outside quotes")]
    Group,
    #[error("substitutes with `$` or a backtick, which double quotes do not prevent")]
    Substitution,
    #[error("contains a pattern (`*`, `?`, `[` or `~`) outside quotes, which is not expanded")]
    Pattern,
    #[error("ends in a comment")]
    Comment,
    #[error("contains a special space character outside quotes, which does not separate words")]
    Space,
    #[error("has an unterminated quote or backslash")]
    Unclosed,
}

/// The words of a line, or each kind of shell feature that it uses with the column of the first.
pub(super) fn split(line: &str) -> Result<Vec<Word>, Vec<(ShellFeature, u32)>> {
    let mut splitter = Splitter::default();
    let mut characters = line.chars().zip(1_u32..).peekable();
    while let Some((character, column)) = characters.next() {
        let next = characters.peek().map(|(next, _)| *next);
        splitter.take(character, next, column);
    }
    splitter.finish()
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Mode {
    #[default]
    Bare,
    Single,
    Double,
}

#[derive(Default)]
struct Splitter {
    words: Vec<Word>,
    word: Option<Word>,
    mode: Mode,
    escaped: bool,
    opened: u32,
    features: Vec<(ShellFeature, u32)>,
}

impl Splitter {
    fn take(&mut self, character: char, next: Option<char>, column: u32) {
        if self.escaped {
            if self.mode == Mode::Double && !matches!(character, '"' | '\\' | '$' | '`') {
                self.push('\\', column);
            }
            self.escaped = false;
            return self.push(character, column);
        }
        match (self.mode, character) {
            (Mode::Single, '\'') | (Mode::Double, '"') => self.mode = Mode::Bare,
            (Mode::Single, _) => self.push(character, column),
            (_, '\\') => {
                self.escaped = true;
                self.open(Mode::Bare, column);
            }
            (_, '`') => self.feature(ShellFeature::Substitution, column),
            (_, '$') if next.is_some_and(|next| next.is_ascii_alphanumeric() || "_({?!#@*$-".contains(next)) => {
                self.feature(ShellFeature::Substitution, column);
            }
            // The shells' `$'…'` and `$"…"`.
            (Mode::Bare, '$') if matches!(next, Some('\'' | '"')) => self.feature(ShellFeature::Substitution, column),
            (Mode::Double, _) => self.push(character, column),
            (Mode::Bare, '\'') => self.open(Mode::Single, column),
            (Mode::Bare, '"') => self.open(Mode::Double, column),
            (Mode::Bare, ' ' | '\t') => self.words.extend(self.word.take()),
            (Mode::Bare, _) => self.unquoted(character, column),
        }
    }

    fn unquoted(&mut self, character: char, column: u32) {
        let feature = match character {
            ';' | '&' => ShellFeature::Chaining,
            '|' => ShellFeature::Pipe,
            '<' | '>' => ShellFeature::Redirection,
            '(' | ')' => ShellFeature::Group,
            '*' | '?' | '[' => ShellFeature::Pattern,
            '~' if self.word.is_none() => ShellFeature::Pattern,
            '#' if self.word.is_none() => ShellFeature::Comment,
            _ if character.is_whitespace() => ShellFeature::Space,
            _ => return self.push(character, column),
        };
        self.feature(feature, column);
    }

    /// Begins a quotation or an escape, which makes a word even if it stays empty.
    fn open(&mut self, mode: Mode, column: u32) {
        if mode != Mode::Bare {
            self.mode = mode;
        }
        self.opened = column;
        self.word.get_or_insert(Word { text: String::new(), column });
    }

    fn push(&mut self, character: char, column: u32) {
        self.word.get_or_insert(Word { text: String::new(), column }).text.push(character);
    }

    fn feature(&mut self, feature: ShellFeature, column: u32) {
        if !self.features.iter().any(|(seen, _)| *seen == feature) {
            self.features.push((feature, column));
        }
    }

    fn finish(mut self) -> Result<Vec<Word>, Vec<(ShellFeature, u32)>> {
        if self.escaped || self.mode != Mode::Bare {
            self.feature(ShellFeature::Unclosed, self.opened);
        }
        self.words.extend(self.word);
        if self.features.is_empty() { Ok(self.words) } else { Err(self.features) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        split(line).unwrap().into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn quotes_and_backslashes_make_words_as_in_a_shell() {
        for (line, expected) in [
            ("python -c \"print(1)\"", vec!["python", "-c", "print(1)"]),
            ("a 'b c'\"d e\"f", vec!["a", "b cd ef"]),
            ("a '' \"\"", vec!["a", "", ""]),
            (r#"a \* "\"\\\$x\n" '\n'"#, vec!["a", "*", r#""\$x\n"#, r"\n"]),
            ("  a\t b  ", vec!["a", "b"]),
            ("awk '{print $1}' 'x;y|z'", vec!["awk", "{print $1}", "x;y|z"]),
            ("grep 'a$' \"b$\" c#d --x=~", vec!["grep", "a$", "b$", "c#d", "--x=~"]),
            ("größe 漢字", vec!["größe", "漢字"]),
            ("", vec![]),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn each_shell_feature_is_named_once_with_its_column() {
        use ShellFeature::{Chaining, Comment, Group, Pattern, Pipe, Redirection, Space, Substitution, Unclosed};
        for (line, expected) in [
            ("echo safe && rm -rf x", vec![(Chaining, 11)]),
            ("a; b | c > d", vec![(Chaining, 2), (Pipe, 6), (Redirection, 10)]),
            ("cat << EOF", vec![(Redirection, 5)]),
            ("echo $(id) `id`", vec![(Substitution, 6), (Group, 7)]),
            ("echo \"$(id)\"", vec![(Substitution, 7)]),
            ("echo ${HOME} $HOME", vec![(Substitution, 6)]),
            ("printf $'a'", vec![(Substitution, 8)]),
            ("ls *.txt ~", vec![(Pattern, 4)]),
            ("ls ~/x", vec![(Pattern, 4)]),
            ("ls # all", vec![(Comment, 4)]),
            ("ls /in\u{a0}/etc", vec![(Space, 7)]),
            ("echo 'a", vec![(Unclosed, 6)]),
            ("echo \\", vec![(Unclosed, 6)]),
            ("(a)", vec![(Group, 1)]),
        ] {
            assert_eq!(split(line), Err(expected), "{line}");
        }
    }
}
