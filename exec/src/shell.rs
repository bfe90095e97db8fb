//! Words and command lines in the syntax of a POSIX shell, for people to read and paste.
//!
//! gatepost itself passes none of it to a shell. *Security*: the name of an item of the quarantine may be hostile; text that
//! a person pastes into a shell must stay one word. *Standards*: POSIX.1-2024, Shell Command Language, Quoting.

use shlex::Quoter;

/// The arguments, each quoted if necessary, with a space between them.
pub fn line<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    // Quoting fails only for NUL, which is allowed here, because the text may be evidence of it.
    Quoter::new().allow_nul(true).join(words).unwrap_or_default()
}

/// One argument, quoted if necessary.
pub fn word(text: &str) -> String {
    line([text])
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_the_same_arguments_back() {
        let words =
            ["%s\\0", "", "two words", "it's", "$HOME `id` ; é\n", "-a=b", "e\\x1b[31m", "*", "~", "''", "#", "!x"];
        let printed = Command::new("sh").arg("-c").arg(format!("printf {}", line(words))).output().unwrap().stdout;
        let printed: Vec<&str> = std::str::from_utf8(&printed).unwrap().split_terminator('\0').collect();
        assert_eq!(printed, words[1..]);
        assert_eq!(word("TS-20260209-160531Z-x.2"), "TS-20260209-160531Z-x.2");
    }
}
