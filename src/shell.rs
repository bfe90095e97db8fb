//! An argument vector as one line that a POSIX shell would split into the same arguments: for people to read and to try.
//!
//! Nothing here is ever given to a shell by gatepost. *Standards*: POSIX.1-2024, Shell Command Language, Quoting.

/// The arguments, each quoted where it needs to be, with a space between them.
pub fn quoted_line(argv: &[String]) -> String {
    let words: Vec<String> = argv.iter().map(|word| quoted_word(word)).collect();
    words.join(" ")
}

fn quoted_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+=./:,@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_arguments_back() {
        let argv = ["printf", "%s\\0", "", "two words", "it's", "$HOME `id` ; é\n", "-a=b"].map(str::to_owned);
        let output = std::process::Command::new("sh").arg("-c").arg(quoted_line(&argv)).output().unwrap();
        let printed: Vec<&str> = std::str::from_utf8(&output.stdout).unwrap().split_terminator('\0').collect();
        assert_eq!(printed, &argv[2..]);
    }
}
