//! The places where Unicode's rules expect a joiner, a variation selector or a tag: there it has a visible effect.
//!
//! Everywhere else such a character is invisible, and forbidden. *Security*: hostile text; each check reads the
//! characters beside it, and the marks between them and the next letter. *Standards*: UTS 51 (ED-9a to ED-16, the
//! recommended tag sequences), UAX 29 GB11, RFC 5892 appendix A.1 and A.2, the Unicode Standard 12.2, 13.5 and 23.2.

use super::property::{is_pictograph, is_transparent, is_virama, joins_back, joins_onwards};

const NON_JOINER: u32 = 0x200C;
const JOINER: u32 = 0x200D;
const BLACK_FLAG: char = '\u{1f3f4}';
/// The flags of England, Scotland and Wales: the tags between the black flag and the final tag.
const REGIONS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
const REGION_TAGS: usize = 5;
const FINAL_TAG: char = '\u{e007f}';

/// Whether a character that is forbidden by itself is expected between these two texts.
pub(super) fn expects(before: &str, character: char, after: &str) -> bool {
    let (last, next) = (last_of(before), next_of(after));
    match character as u32 {
        JOINER => joins_emoji(before, next) || shapes_letter(before, after),
        NON_JOINER => is_virama(last) || joins_onwards(base_of(before)) && joins_back(base_after(after)),
        0xFE0F if next == 0x20E3 => matches!(last, 0x23 | 0x2A | 0x30..=0x39) || is_pictograph(last),
        0xFE0E | 0xFE0F => is_pictograph(last),
        0xFE00 => is_ideograph(last) || matches!(last, 0x2200..=0x22FF | 0x2A00..=0x2AFF),
        0xFE01 | 0xFE02 | 0xE0100..=0xE011F => is_ideograph(last),
        0x180B..=0x180D | 0x180F => is_mongolian(last),
        0x180E => is_mongolian(last) && matches!(next, 0x1820 | 0x1821),
        0xE0020..=0xE007F => flies_flag(before, character, after),
        _ => false,
    }
}

fn last_of(text: &str) -> u32 {
    text.chars().next_back().map_or(0, u32::from)
}

fn next_of(text: &str) -> u32 {
    text.chars().next().map_or(0, u32::from)
}

/// The letter before, across its marks.
fn base_of(text: &str) -> u32 {
    text.chars().rev().map(u32::from).find(|scalar| !is_transparent(*scalar)).unwrap_or(0)
}

/// The letter after, across marks.
fn base_after(text: &str) -> u32 {
    text.chars().map(u32::from).find(|scalar| !is_transparent(*scalar)).unwrap_or(0)
}

/// A pictograph, with its selector or skin tone, and another pictograph.
fn joins_emoji(before: &str, next: u32) -> bool {
    let element = before.strip_suffix(['\u{fe0f}', '\u{1f3fb}', '\u{1f3fc}', '\u{1f3fd}', '\u{1f3fe}', '\u{1f3ff}']);
    is_pictograph(last_of(element.unwrap_or(before))) && is_pictograph(next)
}

/// After a virama, between an Indic letter and a virama (ya-phalaa), or at the end of a cursive word that it keeps open.
fn shapes_letter(before: &str, after: &str) -> bool {
    let is_indic = |scalar| matches!(scalar, 0x0900..=0x0DFF | 0x1000..=0x109F | 0x1780..=0x17FF);
    is_virama(last_of(before))
        || is_indic(last_of(before)) && is_virama(next_of(after))
        || joins_onwards(base_of(before)) && !after.starts_with(|next: char| next.is_alphabetic() || is_mark(next))
}

fn is_mark(character: char) -> bool {
    is_transparent(u32::from(character))
}

const fn is_ideograph(scalar: u32) -> bool {
    matches!(scalar, 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFD)
}

const fn is_mongolian(scalar: u32) -> bool {
    matches!(scalar, 0x1820..=0x18AA)
}

/// A tag of one of the flags that Unicode recommends, all of it.
fn flies_flag(before: &str, character: char, after: &str) -> bool {
    let is_tag = |character: &char| matches!(character, '\u{e0020}'..='\u{e007f}');
    let earlier = before.chars().rev().take(REGION_TAGS + 1).take_while(is_tag).count();
    let Some((start, _)) = before.char_indices().rev().take(earlier + 1).last() else { return false };
    let mut sequence = before[start..].chars();
    if earlier > REGION_TAGS || sequence.next() != Some(BLACK_FLAG) {
        return false;
    }
    let mut tags = sequence.chain([character]).chain(after.chars());
    let region: String = tags.by_ref().take(REGION_TAGS).filter_map(untagged).collect();
    REGIONS.contains(&region.as_str()) && tags.next() == Some(FINAL_TAG)
}

fn untagged(tag: char) -> Option<char> {
    char::from_u32(u32::from(tag).checked_sub(0xE0000)?).filter(char::is_ascii)
}

#[cfg(test)]
mod tests {
    use crate::text::{characters, check};

    fn refused(text: &str) -> Vec<u32> {
        characters(text).filter(|(_, code)| code.is_some()).map(|(character, _)| u32::from(character)).collect()
    }

    #[test]
    fn a_joiner_a_selector_or_a_tag_passes_where_it_changes_what_is_seen() {
        for text in [
            "I \u{2764}\u{fe0f} logs",
            "\u{2764}\u{fe0e}",
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} plan",
            "\u{1f9d1}\u{1f3fd}\u{200d}\u{1f91d}\u{200d}\u{1f9d1}\u{1f3ff}",
            "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308} \u{1f3c3}\u{200d}\u{2640}\u{fe0f}\u{200d}\u{27a1}\u{fe0f}",
            "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}",
            "\u{1f1e9}\u{1f1ea} \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}!",
            "می\u{200c}خواهم مُ\u{200c}تَ",
            "ه\u{200d}. ه\u{200d}",
            "क्\u{200d}ष क्\u{200c}ष",
            "র\u{200d}্যাব ශ්\u{200d}රී",
            "\u{845b}\u{e0100} \u{6f22}\u{fe00} \u{2229}\u{fe00}",
            "\u{1820}\u{180b} \u{1828}\u{180e}\u{1820}",
        ] {
            assert_eq!(refused(text), [0; 0], "{text}");
            assert_eq!(check(text.as_bytes(), "x").unwrap(), text);
        }
    }

    #[test]
    fn the_same_character_is_refused_where_nobody_sees_it() {
        for text in [
            "a\u{200d}b",
            "a\u{200c}b",
            "\u{200d}",
            "\u{200c}خ",
            "می\u{200c} ",
            "ر\u{200c}خ",
            "ب\u{200d}ب",
            "क\u{200d}ष",
            "क्\u{200d}\u{200d}ष",
            "\u{1f468}\u{200d}",
            "\u{200d}\u{1f469}",
            "\u{1f468}\u{200d}a",
            "\u{1f468}\u{200d}\u{200d}\u{1f469}",
            "a\u{fe0f}",
            "1\u{fe0f}",
            "1\u{fe0e}\u{20e3}",
            "\u{2764}\u{fe0f}\u{fe0f}",
            "\u{2764}\u{fe00}",
            "\u{845b}\u{fe0f}",
            "\u{845b}\u{e0100}\u{e0101}",
            "\u{845b}\u{e01ef}",
            "a\u{180b}",
            "\u{e0067}",
            "\u{1f3f4}\u{e007f}",
            "x\u{200b}y",
        ] {
            assert!(!refused(text).is_empty(), "{}", text.escape_unicode());
            assert!(check(text.as_bytes(), "x").is_err());
        }
    }

    #[test]
    fn tags_spell_a_recommended_flag_or_nothing() {
        let tags =
            |text: &str| text.chars().map(|it| char::from_u32(0xe0000 + u32::from(it)).unwrap()).collect::<String>();
        for (text, is_whole) in [
            ("gbeng", true),
            ("gbsct", true),
            ("gbwls", true),
            ("usca", false),
            ("gben", false),
            ("gbengx", false),
            ("gbenggbeng", false),
        ] {
            let flag = format!("\u{1f3f4}{}\u{e007f}", tags(text));
            assert_eq!(refused(&flag).is_empty(), is_whole, "{text}");
            assert_eq!(refused(&flag[4..]).len(), text.len() + 1, "{text}");
            assert!(!refused(&format!("{flag}\u{e007f}")).is_empty(), "{text}");
        }
    }

    #[test]
    fn many_joiners_cost_linear_time() {
        let long = "ب\u{64b}".repeat(20_000) + &"\u{200c}\u{200d}".repeat(20_000);
        assert_eq!(refused(&long).len(), 40_000);
    }
}
