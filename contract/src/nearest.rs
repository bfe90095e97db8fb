//! Finds the probably intended word, for hints about keys, tools and arguments.

/// No word of ours is longer.
const CHARACTERS_MAX: usize = 60;

/// The candidate that `word` was probably meant to be: at most a third of its characters differ, and two swapped
/// neighbours count as one difference.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word: String = word.chars().take(CHARACTERS_MAX).collect();
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The maximum number of different characters between an id and the intended one.
const ID_DISTANCE_MAX: usize = 3;

/// The probably intended id: the only one that begins or ends with the given text, or else the one that differs in
/// three characters at most. Ids of one day have most of their characters in common.
pub fn nearest_id<'c>(typed: &str, ids: impl IntoIterator<Item = &'c str> + Clone) -> Option<&'c str> {
    let slug = typed.splitn(4, '-').last().unwrap_or(typed);
    let is_part = |id: &&str| id.starts_with(typed) || (slug.len() > 1 && id.ends_with(&format!("-{slug}")));
    let mut parts = ids.clone().into_iter().filter(is_part);
    if let (Some(only), None) = (parts.next(), parts.next()) {
        return Some(only);
    }
    let is_near_in_length = |id: &&str| id.len().abs_diff(typed.len()) <= ID_DISTANCE_MAX;
    let near = ids.into_iter().filter(is_near_in_length).map(|id| (strsim::levenshtein(typed, id), id));
    near.filter(|(distance, _)| *distance <= ID_DISTANCE_MAX).min().map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word_and_nonsense_finds_none() {
        let keys = ["timeout_seconds", "risk_tier", "name"];
        assert_eq!(nearest("timeout_second", keys), Some("timeout_seconds"));
        assert_eq!(nearest("risktier", keys), Some("risk_tier"));
        assert_eq!(nearest("nmae", keys), Some("name"), "two neighbours changed places");
        assert_eq!(nearest("nxxe", keys), None, "two of four characters differ");
        assert_eq!(nearest("nam", keys), Some("name"));
        assert_eq!(nearest("zebra", keys), None);
    }

    #[test]
    fn an_id_is_found_by_its_beginning_its_slug_or_a_slip_and_not_by_its_day() {
        let ids = ["TR-20260209-160501Z-count-1a2b", "TR-20260209-160502Z-sort-3c4d", "TR-20260209-160503Z-sort-5e6f"];
        for (typed, meant) in [
            ("TR-20260209-160501Z-count", Some(ids[0])),
            ("TR-20260209-160599Z-sort-3c4d", Some(ids[1])),
            ("TR-20260209-160503Z-sort-5e7f", Some(ids[2])),
            ("TR-20260209-160501Z-other", None),
            ("TR-20260209-1605", None),
        ] {
            assert_eq!(nearest_id(typed, ids), meant, "{typed}");
        }
    }
}
