//! The word that was probably meant: for hints about keys, tools and arguments.

/// No word of ours is longer.
const CHARACTERS_MAX: usize = 60;

/// The candidate that `word` was probably meant to be: at most a third of its characters differ.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word: Vec<char> = word.chars().take(CHARACTERS_MAX).collect();
    let limit = (word.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, in one row.
fn distance(word: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (above, character) in candidate.chars().enumerate() {
        let mut diagonal = above;
        let mut left = above + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(word) {
            let cost = diagonal + usize::from(character != *other);
            diagonal = *cell;
            left = cost.min(*cell + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = above + 1;
        }
    }
    row.last().copied().unwrap_or_default()
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
