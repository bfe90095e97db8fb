//! The score of a tool or a command for a prompt: the share of matching words.
//!
//! ```text
//! "count the lines, file=report.txt"   ▶ count file line      without words that say nothing, without values, without a plural's s
//! line_count(file): Counts the lines … ▶ name 3, argument 2, description 1 for each word, the most that it is worth
//! (3 + 2 + 3) / (3 * 3)                ▶ 0.89
//! ```
//!
//! Pure and deterministic. It has no synonyms and no grammar: it ranks candidates for an agent and decides nothing.

use std::collections::BTreeSet;

/// Stop words of a prompt.
const EMPTY_WORDS: [&str; 32] = [
    "a", "all", "an", "and", "are", "be", "by", "can", "do", "for", "from", "how", "i", "in", "is", "it", "its", "me",
    "my", "of", "on", "or", "please", "that", "the", "this", "to", "what", "which", "will", "with", "you",
];

/// The weight of a word that occurs in a name, in the name of an argument, or in a description.
const NAME: usize = 3;
const ARGUMENT: usize = 2;
const DESCRIPTION: usize = 1;

/// The searchable words of a tool or command.
#[derive(Debug)]
pub(super) struct Subject {
    name: BTreeSet<String>,
    arguments: BTreeSet<String>,
    description: BTreeSet<String>,
}

impl Subject {
    /// A tool or command with the names of its arguments and its description.
    pub(super) fn new<'a>(name: &str, arguments: impl IntoIterator<Item = &'a str>, description: &str) -> Self {
        Self {
            name: words(name).collect(),
            arguments: arguments.into_iter().flat_map(words).collect(),
            description: words(description).collect(),
        }
    }

    fn worth(&self, word: &str) -> usize {
        let within = |words: &BTreeSet<String>, worth| if words.contains(word) { worth } else { 0 };
        within(&self.name, NAME).max(within(&self.arguments, ARGUMENT)).max(within(&self.description, DESCRIPTION))
    }

    /// The score of a prompt, from 0 to 100: the weight of its words, in hundredths of the highest possible weight.
    pub(super) fn hundredths(&self, prompt: &Prompt) -> u8 {
        let most = NAME * prompt.0.len();
        let worth: usize = prompt.0.iter().map(|word| self.worth(word)).sum();
        // Rounded half up, in integers, so that all machines agree.
        let hundredths = (200 * worth + most).checked_div(2 * most).unwrap_or(0);
        u8::try_from(hundredths).unwrap_or(100)
    }
}

/// The words of a prompt without stop words.
#[derive(Debug)]
pub(super) struct Prompt(BTreeSet<String>);

impl Prompt {
    /// Of `name=value`, only the name counts.
    pub(super) fn new(text: &str) -> Self {
        let names = text.split_whitespace().map(|word| word.split_once('=').map_or(word, |(name, _)| name));
        Self(names.flat_map(words).collect())
    }
}

/// The words of a text in lower case, without stop words.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| singular(word.to_lowercase())).filter(|word| !EMPTY_WORDS.contains(&word.as_str()))
}

/// Treats `lines` and `line` as one word.
fn singular(mut word: String) -> String {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(prompt: &str) -> u8 {
        let subject = Subject::new("line_count", ["file"], "Counts the lines of one input file");
        subject.hundredths(&Prompt::new(prompt))
    }

    #[test]
    fn the_name_counts_most_and_the_description_least() {
        for (prompt, hundredths) in [
            ("line_count", 100),
            ("line_count file=input.txt", 89),
            ("Count the LINES, please: file=report.txt", 89),
            ("file", 67),
            ("one input", 33),
            ("count cats", 50),
            ("hello world", 0),
            ("", 0),
            ("the of and", 0),
        ] {
            assert_eq!(score(prompt), hundredths, "{prompt}");
        }
    }

    #[test]
    fn a_word_that_is_said_twice_counts_once() {
        assert_eq!(score("count count count dogs"), score("count dogs"));
    }
}
