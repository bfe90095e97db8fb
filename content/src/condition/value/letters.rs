//! How much a text resembles words: its letter pairs are those of writing and of names.
//!
//! No dictionary: a table of letter pairs (`words/letter-pairs.txt`), counted over English prose and source code. Other
//! European languages and romanised ones share most of them. Does not know the meaning of a word. *Security*: linear.

use std::sync::LazyLock;

use crate::fact::word_list::lines;

/// A digit for each pair of letters, row by row.
static PAIRS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    lines(include_str!("../../../words/letter-pairs.txt"))
        .flat_map(str::bytes)
        .map(|digit| usize::from(digit.saturating_sub(b'0')))
        .collect()
});

/// A shorter run of letters is inconclusive.
const RUN_MIN: usize = 4;
/// Of random letters, one run in twenty reaches this mean, in tenths; of words, nineteen.
const MEAN_MIN: usize = 44;

/// How many of the bytes are in runs of letters that could be words; a capital after a small letter begins another run.
pub(super) fn word_bytes(text: &[u8]) -> usize {
    let mut total = 0;
    let mut run = 0;
    for at in 0..=text.len() {
        let here = text.get(at).copied().filter(u8::is_ascii_alphabetic);
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let is_hump = here.is_some_and(|byte| byte.is_ascii_uppercase()) && before.is_some_and(u8::is_ascii_lowercase);
        if here.is_none() || is_hump {
            let letters = text.get(run..at).unwrap_or_default();
            if is_word(letters) {
                total += letters.len();
            }
            run = if is_hump { at } else { at + 1 };
        }
    }
    total
}

fn is_word(letters: &[u8]) -> bool {
    let pairs = letters.len().saturating_sub(1);
    let sum: usize = letters.windows(2).map(commonness).sum();
    letters.len() >= RUN_MIN && sum * 10 >= pairs * MEAN_MIN
}

fn commonness(pair: &[u8]) -> usize {
    let index = |byte: &u8| usize::from(byte.to_ascii_lowercase().saturating_sub(b'a'));
    let [first, second] = pair else { return 0 };
    PAIRS.get(index(first) * 26 + index(second)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_noise_is_not() {
        assert_eq!(PAIRS.len(), 26 * 26);
        for words in ["password", "serviceAccountName", "kubernetes", "benutzername"] {
            assert_eq!(word_bytes(words.as_bytes()), words.len(), "{words}");
        }
        assert_eq!(word_bytes(b"xq7Zk2vRw9"), 0);
        assert_eq!(word_bytes(b"hgqxvzkj"), 0);
    }
}
