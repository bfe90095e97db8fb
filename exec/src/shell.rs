//! Words and command lines as a POSIX shell reads them back: for people to read and to try.
//!
//! gatepost itself never gives any of it to a shell. *Security*: a stranger may choose the name of an item of the quarantine; text that
//! a person pastes into a shell must stay one word. *Standards*: POSIX.1-2024, Shell Command Language, Quoting.

use shlex::Quoter;

/// The arguments, each quoted where it needs to be, with a space between them.
pub fn line<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    // Quoting fails for NUL alone, and that is allowed: what stands here may be evidence of it.
    Quoter::new().allow_nul(true).join(words).unwrap_or_default()
}

/// One argument, quoted if it needs to be.
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
