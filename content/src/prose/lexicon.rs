//! The words that the rules on prose know, in one set: a sentence is read in one pass over its letters.
//!
//! Does not judge. A sentence is brought into a plain form first: lower case, one space for whatever is no letter or digit, and
//! every character of a script without spaces a word of its own; the entries go through the same function.
//!
//! *Security*: linear in the sentence; the set is built once from words of ours.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::phrases::Phrases;
use super::sense::Senses;
use crate::normal::Normal;
use crate::words::Words;

mod claims;
mod demands;
mod governing;
mod languages;
mod orders;

struct Lexicon {
    phrases: Phrases,
    /// Words that may end in any way.
    stems: Words,
    stem_senses: Vec<Senses>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut words = BTreeMap::<String, Senses>::new();
    for (senses, list) in listed() {
        for word in list.split('|').flat_map(forms) {
            let word = word.as_ref();
            let folded = Normal::of(word.as_bytes());
            for word in [word, folded.text()] {
                let mut plain = String::from(" ");
                for character in word.trim_end_matches('*').chars() {
                    push_plain(&mut plain, character);
                }
                let plain = plain.trim();
                let end = if word.ends_with('*') { "" } else { " " };
                *words.entry(format!("{plain}{end}")).or_default() |= senses;
            }
        }
    }
    let (phrases, stems): (Vec<_>, Vec<_>) = words.iter().partition(|(word, _)| word.contains(' '));
    Lexicon {
        phrases: Phrases::new(phrases.iter().map(|(word, senses)| (word.as_str(), **senses))),
        stems: Words::new(stems.iter().map(|(word, _)| word)),
        stem_senses: stems.iter().map(|(_, senses)| **senses).collect(),
    }
});

/// Adds letters and digits of ASCII to a plain form.
pub(super) fn push_letters(plain: &mut String, letters: &str) {
    let start = plain.len();
    plain.push_str(letters);
    plain.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
}

/// Adds a space to a plain form, unless it ends with one.
pub(super) fn push_space(plain: &mut String) {
    if plain.as_bytes().last() != Some(&b' ') {
        plain.push(' ');
    }
}

/// Adds a character of text to a plain form.
pub(super) fn push_plain(plain: &mut String, character: char) {
    if is_ideographic(character) {
        push_space(plain);
        plain.extend([character, ' ']);
    } else if is_letter(character) {
        plain.extend(character.to_lowercase());
    } else {
        push_space(plain);
    }
}

/// Letters, digits and the marks that Indic and Arabic words are written with.
pub(super) fn is_letter(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(character, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{64b}'..='\u{65f}')
}

/// Scripts that put no spaces between words.
#[inline]
pub(super) fn is_ideographic(character: char) -> bool {
    character >= '\u{e00}'
        && matches!(character, '\u{2e80}'..='\u{2fff}' | '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}' | '\u{f900}'..='\u{faff}')
        && !matches!(character, '\u{3008}'..='\u{3020}' | '\u{30fb}')
}

/// What a word of a plain form, which ends with a space, can mean, or a phrase that begins with it; `next` is the next word.
pub(super) fn senses_of(plain: &str, word: &Range<usize>, next: Option<&Range<usize>>) -> Senses {
    let lexicon = &*LEXICON;
    let mut senses = lexicon.phrases.senses(plain.as_bytes(), word, next);
    lexicon.stems.each_at(plain.as_bytes(), std::iter::once(word.start), |place| {
        senses |= lexicon.stem_senses.get(place.word).copied().unwrap_or_default();
    });
    senses
}

/// An entry as it stands; of a verb that ends with `~` its past and its third person.
fn forms(entry: &str) -> Vec<Cow<'_, str>> {
    let Some(verb) = entry.strip_suffix('~') else { return vec![Cow::Borrowed(entry)] };
    let letters: Vec<char> = verb.chars().rev().collect();
    let is_vowel = |letter: &char| "aeiou".contains(*letter);
    let (past, third) = match letters.as_slice() {
        ['e', ..] => (format!("{verb}d"), format!("{verb}s")),
        ['y', before, ..] if !is_vowel(before) => {
            let stem = verb.trim_end_matches('y');
            (format!("{stem}ied"), format!("{stem}ies"))
        }
        [last, vowel, before, ..]
            if letters.len() <= 4 && is_vowel(vowel) && !is_vowel(before) && !"aeiouwxy".contains(*last) =>
        {
            (format!("{verb}{last}ed"), format!("{verb}s"))
        }
        ['s' | 'x' | 'h', ..] => (format!("{verb}ed"), format!("{verb}es")),
        _ => (format!("{verb}ed"), format!("{verb}s")),
    };
    vec![Cow::Owned(past), Cow::Owned(third)]
}

/// Every group of words.
fn listed() -> impl Iterator<Item = (Senses, &'static str)> {
    [orders::ORDERS, demands::DEMANDS, claims::CLAIMS, governing::GOVERNED]
        .into_iter()
        .flatten()
        .copied()
        .chain(languages::all())
}
