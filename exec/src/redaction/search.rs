//! Finds secrets in a window of a stream: the plain forms, also with characters written as references, and the encoded forms in the
//! window without line breaks and other separators.

use std::cmp::Reverse;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, Input, MatchKind};

use super::fold::{self, SEPARATORS_MAX, folded};
use super::form::Forms;
use super::reference::{self, REFERENCE_BYTES_MAX};

/// A place of a secret.
pub(super) struct Place<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its place in the window.
    pub range: Range<usize>,
}

/// Where each search continues in the next window: the last match may reach into it.
#[derive(Default)]
pub(super) struct Cursor {
    exact: usize,
    referenced: usize,
    folded: usize,
}

/// A search for the forms of secrets.
pub(super) struct Search {
    exact: Patterns,
    folded: Patterns,
}

struct Patterns {
    automaton: AhoCorasick,
    /// By pattern.
    names: Vec<String>,
}

impl Patterns {
    fn new<'a>(forms: impl Iterator<Item = (&'a str, Vec<u8>)>) -> Result<Self, BuildError> {
        let (names, forms): (Vec<_>, Vec<_>) = forms.map(|(name, form)| (name.to_owned(), form)).unzip();
        // This kind is built in time linear in the patterns; a DFA needs the alphabet size as a factor.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(forms)?;
        Ok(Self { automaton, names })
    }
}

impl Search {
    /// Prepares it for forms, each with the name of its secret.
    pub(super) fn new(forms: Vec<(&str, Forms)>) -> Result<Self, BuildError> {
        let (mut exact, mut folded) = (Vec::new(), Vec::new());
        for (name, forms) in forms {
            exact.extend(forms.exact.into_iter().map(|form| (name, form)));
            folded.extend(forms.folded.into_iter().map(|form| (name, form)));
        }
        Ok(Self { exact: Patterns::new(exact.into_iter())?, folded: Patterns::new(folded.into_iter())? })
    }

    /// The longest match, bytes.
    pub(super) fn bytes_max(&self) -> usize {
        let folded = self.folded.automaton.max_pattern_len() * (1 + SEPARATORS_MAX);
        let referenced = self.exact.automaton.max_pattern_len() * REFERENCE_BYTES_MAX;
        referenced.max(folded)
    }

    /// The matches that begin before `decided`, the start of the next window: the leftmost first, of these the longest.
    /// Two may overlap.
    pub(super) fn places(&self, window: &[u8], cursor: &mut Cursor, decided: usize) -> Vec<Place<'_>> {
        let mut places = self.as_they_are(window, cursor.exact, decided);
        cursor.exact = next(&places, decided);
        let referenced = self.referenced(window, cursor.referenced, decided);
        cursor.referenced = next(&referenced, decided);
        places.extend(referenced);
        let parted = self.parted(window, cursor.folded, decided);
        cursor.folded = next(&parted, decided);
        places.extend(parted);
        places.sort_by_key(|place| (place.range.start, Reverse(place.range.end)));
        places
    }

    fn as_they_are(&self, window: &[u8], from: usize, decided: usize) -> Vec<Place<'_>> {
        let Patterns { automaton, names } = &self.exact;
        let found = automaton.find_iter(Input::new(window).range(from..));
        let found = found.map(|found| Place { name: &names[found.pattern()], range: found.range() });
        found.take_while(|place| place.range.start < decided).collect()
    }

    fn referenced(&self, window: &[u8], from: usize, decided: usize) -> Vec<Place<'_>> {
        let Patterns { automaton, names } = &self.exact;
        let Some(text) = reference::read(window, from) else { return Vec::new() };
        let mut found = automaton.find_iter(&text).peekable();
        if found.peek().is_none() {
            return Vec::new();
        }
        let origins = reference::Origins::of(window, from);
        let found = found.map(|found| Place {
            name: &names[found.pattern()],
            range: origins.place(found.start()).start..origins.place(found.end() - 1).end,
        });
        found.take_while(|place| place.range.start < decided).collect()
    }

    fn parted(&self, window: &[u8], from: usize, decided: usize) -> Vec<Place<'_>> {
        let Patterns { automaton, names } = &self.folded;
        if names.is_empty() {
            return Vec::new();
        }
        let text = folded(window, from);
        let mut found = automaton.find_iter(&text).peekable();
        if found.peek().is_none() {
            return Vec::new();
        }
        let origins = fold::Origins::of(window, from);
        let found = found.map(|found| Place {
            name: &names[found.pattern()],
            range: origins.place(found.start())..origins.place(found.end() - 1) + 1,
        });
        found.take_while(|place| place.range.start < decided).collect()
    }
}

/// Where a search with these matches continues, counted from `decided` on.
fn next(places: &[Place<'_>], decided: usize) -> usize {
    places.last().map_or(0, |place| place.range.end.saturating_sub(decided))
}
