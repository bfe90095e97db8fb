//! Two ways in which a value could become more than a value, found by the check of the manifest.
//!
//! An argument at the start of an element could be read as an option (`-oPWNED` as a file name), unless a `--` precedes it. An
//! interpreter that runs text (`sh -c`) would run every value in that text.

use std::collections::BTreeSet;

use super::command::Argv;
use super::placeholder::{Part, Parts};
use crate::toml_source::Section;

/// Interpreters, and the letters of their options that take program text.
const INTERPRETERS: [(&str, &str); 20] = [
    ("sh", "c"),
    ("bash", "c"),
    ("dash", "c"),
    ("ash", "c"),
    ("zsh", "c"),
    ("ksh", "c"),
    ("fish", "c"),
    ("busybox", "c"),
    ("su", "c"),
    ("python", "c"),
    ("python3", "c"),
    ("pypy3", "c"),
    ("perl", "eE"),
    ("ruby", "e"),
    ("node", "ep"),
    ("nodejs", "ep"),
    ("php", "r"),
    ("lua", "e"),
    ("osascript", "e"),
    ("Rscript", "e"),
];

/// Programs whose first non-option argument is program text.
const TEXT_FIRST: [&str; 4] = ["awk", "gawk", "mawk", "eval"];

/// Arguments whose value can be at the beginning of an element with no `--` before it.
pub(super) fn exposed(argv: &Argv) -> BTreeSet<String> {
    let mut exposed = BTreeSet::new();
    walk(argv, &argv.words, false, &mut exposed);
    exposed
}

fn walk(argv: &Argv, words: &[Parts], mut guarded: bool, exposed: &mut BTreeSet<String>) {
    for word in words {
        if matches!(word.as_slice(), [Part::Literal(text)] if text == "--") {
            guarded = true;
        }
        for part in word.iter().filter(|_| !guarded) {
            match part {
                Part::Literal(text) if text.is_empty() => {}
                Part::Literal(_) | Part::OutputFile | Part::ScanId | Part::EvidenceDir | Part::Secret(_) => break,
                Part::Argument(name) => drop(exposed.insert(name.clone())),
                Part::Mapping(name) => {
                    let choices = argv.mappings.get(name).into_iter().flat_map(|mapping| mapping.values());
                    choices.for_each(|words| walk(argv, words, guarded, exposed));
                }
                Part::Conditional(index) => {
                    argv.conditionals.get(*index).iter().for_each(|one| walk(argv, &one.words, guarded, exposed));
                }
                Part::Conditionals => argv.conditionals.iter().for_each(|one| walk(argv, &one.words, guarded, exposed)),
            }
        }
    }
}

/// Refuses placeholders in a command whose interpreter runs text.
pub(super) fn check_interpreter(section: &Section<'_>, words: &[Parts]) {
    let has_placeholder = words.iter().flatten().any(|part| !matches!(part, Part::Literal(_)));
    if has_placeholder
        && words.iter().enumerate().any(|(at, word)| runs_text(word, words.get(at + 1..).unwrap_or_default()))
    {
        let message = "The command makes an interpreter run text that contains a placeholder.".to_owned();
        section.fault(
            section.at,
            message,
            "Put the program into an `executor` script: it gets the values in its environment.",
        );
    }
}

fn runs_text(word: &Parts, rest: &[Parts]) -> bool {
    let Some(Part::Literal(word)) = word.first() else { return false };
    let program = word.rsplit('/').next().unwrap_or_default();
    let mut options = rest.iter().map(|word| match word.first() {
        Some(Part::Literal(text)) => text.as_str(),
        _ => "",
    });
    if TEXT_FIRST.contains(&program) {
        let first =
            rest.iter().find(|word| !matches!(word.first(), Some(Part::Literal(text)) if text.starts_with('-')));
        return first.is_some_and(|word| word.iter().any(|part| !matches!(part, Part::Literal(_))));
    }
    let unversioned = program.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    let interpreter = INTERPRETERS.iter().find(|(name, _)| *name == program || *name == unversioned);
    let Some((_, letters)) = interpreter else { return false };
    let is_option = |word: &&str| word.starts_with('-') || *word == "pipefail" || word.is_empty();
    options.by_ref().take_while(is_option).any(|option| {
        let long = matches!(option.split('=').next(), Some("--eval" | "--print" | "--command" | "--run"));
        long || !option.starts_with("--")
            && option.starts_with('-')
            && option.contains(|letter| letters.contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<Parts> {
        let part =
            |word: &&str| if *word == "{x}" { Part::Argument("x".into()) } else { Part::Literal((*word).to_owned()) };
        words.iter().map(|word| vec![part(word)]).collect()
    }

    #[test]
    fn an_interpreter_that_runs_text_is_found_behind_options_and_wrappers() {
        for (command, expected) in [
            (&["sh", "-c", "{x}"] as &[&str], true),
            (&["/bin/bash", "-o", "pipefail", "-ec", "{x}"], true),
            (&["env", "sh", "-c", "{x}"], true),
            (&["timeout", "5", "python3.11", "-c", "{x}"], true),
            (&["perl", "-ne", "{x}"], true),
            (&["node", "--eval=1", "{x}"], true),
            (&["awk", "-F", "{x}"], true),
            (&["awk", "{print}", "{x}"], false),
            (&["python3", "script.py", "-c", "{x}"], false),
            (&["wc", "-c", "{x}"], false),
        ] {
            let words = words(command);
            let found = (0..words.len()).any(|at| runs_text(&words[at], &words[at + 1..]));
            assert_eq!(found, expected, "{command:?}");
        }
    }
}
