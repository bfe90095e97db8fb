//! The word that was probably meant: for hints about keys, tools and arguments.

/// No word of ours is longer.
const CHARACTERS_MAX: usize = 60;

/// The candidate that `word` was probably meant to be: at most a third of its characters differ.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word: String = word.chars().take(CHARACTERS_MAX).collect();
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::levenshtein(&word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word_and_nonsense_finds_none() {
        let keys = ["timeout_seconds", "risk_tier", "name"];
        assert_eq!(nearest("timeout_second", keys), Some("timeout_seconds"));
        assert_eq!(nearest("risktier", keys), Some("risk_tier"));
        assert_eq!(nearest("nmae", keys), None, "two of four characters differ");
        assert_eq!(nearest("nam", keys), Some("name"));
        assert_eq!(nearest("zebra", keys), None);
    }
}
