//! Patterns of text: an anchor that is cheap to find, and an expression that is tried in its neighbourhood only.
//!
//! ```text
//! …⏎ line with an anchor ⏎ so many lines more ⏎…      at most REACH_BEFORE before the anchor and REACH_BEHIND behind it
//! ```
//!
//! An expression is tried on the text as it stands, and if that fails on the text with its splits undone ([`Folded`]).
//!
//! *Security*: hostile text. Neighbourhoods overlap by a constant factor only and give one hit each, so that the work is
//! linear however many anchors there are; the expressions are those of a finite automaton.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

use super::super::legible::is_among_text;
use super::super::rule::{Hit, Strength};
use super::super::words::Words;
use super::context;
use super::fold::{Backslash, Folded, is_disguised_at, is_foldable, is_split_at};
use super::install;
use super::kind::Kind;

/// The bytes before an anchor, and behind it, that belong to its neighbourhood.
const REACH_BEFORE: usize = 1024;
const REACH_BEHIND: usize = 3072;

/// The most matches of a neighbourhood that are looked at a second time, and of those that are looked at for a program behind
/// them.
const CANDIDATES_MAX: usize = 64;
const FETCHES_MAX: usize = 3;

/// The most hits of one pattern in a view: more would tell nobody more.
const HITS_MAX: usize = 64;

/// The most bytes that one compiled expression may take.
const EXPRESSION_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How a match is weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// By the sentence that it stands in.
    ByContext,
    /// The same, and by whether a package manager installs it ([`install`]).
    ByInstall,
    /// The thing itself, wherever it stands.
    Itself,
    /// Harmless as often as not.
    Faint,
}

/// One expression of a rule.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) kind: Kind,
    pub(super) weight: Weight,
    /// Lower-case words, of which every match contains one.
    pub(super) anchors: &'static [&'static str],
    /// The lines behind the anchor's own that belong to its neighbourhood.
    pub(super) lines: usize,
    /// An expression over bytes; letters stand for both cases, and `.` for all but a line end.
    pub(super) expression: &'static str,
    /// A second look at a neighbourhood and the match in it, which may widen the match or take it back.
    pub(super) verify: Option<Verify>,
}

type Verify = fn(&[u8], Range<usize>) -> Option<Range<usize>>;

impl Pattern {
    fn find(&self, expression: &Regex, text: &[u8]) -> Option<Range<usize>> {
        let Some(verify) = self.verify else { return expression.find(text).map(|found| found.range()) };
        let most = if self.weight == Weight::ByInstall { FETCHES_MAX } else { CANDIDATES_MAX };
        // Whoever writes so many decoys means the next one.
        let seen = |(at, found): (usize, regex::bytes::Match<'_>)| {
            if at < most { verify(text, found.range()) } else { Some(found.range()) }
        };
        let mut found = expression.find_iter(text).take(most + 1).enumerate().filter_map(seen);
        if self.weight != Weight::ByInstall {
            return found.next();
        }
        // An installation must not stand before the thing itself.
        found.min_by_key(|found| install::strength(text.get(found.clone()).unwrap_or_default()))
    }
}

/// Every pattern, with its anchors and what was compiled so far.
struct Book {
    patterns: Vec<&'static Pattern>,
    compiled: Vec<OnceLock<Option<Regex>>>,
    words: Vec<&'static str>,
    /// For each word the patterns that it anchors.
    anchored: Vec<Vec<usize>>,
}

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let patterns: Vec<_> = super::PATTERNS.iter().flat_map(|table| table.iter()).collect();
    let mut by_word = BTreeMap::<&str, Vec<usize>>::new();
    for (index, pattern) in patterns.iter().enumerate() {
        for anchor in pattern.anchors {
            by_word.entry(anchor).or_default().push(index);
        }
    }
    let (words, anchored): (Vec<_>, Vec<_>) = by_word.into_iter().unzip();
    Book { compiled: patterns.iter().map(|_| OnceLock::new()).collect(), patterns, words, anchored }
});

/// The anchors again, for text that was folded.
static ANCHORS: LazyLock<Words> = LazyLock::new(|| Words::new(BOOK.words.iter()));

/// The anchors of all patterns.
pub(super) fn anchors() -> &'static [&'static str] {
    &BOOK.words
}

/// The search of one view.
pub(super) struct Search<'a> {
    text: &'a [u8],
    /// For each pattern how far the text was looked at.
    covered: Vec<usize>,
    /// For each pattern how many hits at full strength it had.
    pushed: Vec<usize>,
    /// The neighbourhood that was folded last, by its range.
    folded: Option<(Range<usize>, Vec<Folded>)>,
    hits: &'a mut Vec<Hit>,
}

impl<'a> Search<'a> {
    pub(super) fn new(text: &'a [u8], hits: &'a mut Vec<Hit>) -> Self {
        Self { text, covered: vec![0; BOOK.patterns.len()], pushed: vec![0; BOOK.patterns.len()], folded: None, hits }
    }

    /// Tries the patterns that the anchor with this index belongs to.
    pub(super) fn try_anchor(&mut self, anchor: usize, start: usize, end: usize) {
        let is_product = self.text.get(end) == Some(&b'/');
        for index in BOOK.anchored.get(anchor).into_iter().flatten() {
            let (Some(pattern), Some(covered)) = (BOOK.patterns.get(*index), self.covered.get_mut(*index)) else {
                continue;
            };
            if start < *covered || (is_product && pattern.kind.is_command()) {
                continue;
            }
            let (region, behind) = neighbourhood(self.text, start, pattern.lines);
            *covered = behind;
            self.try_pattern(*index, pattern, region);
        }
    }

    /// Undoes splits and disguises where no anchor can be seen for them.
    pub(super) fn try_splits(&mut self) {
        let text = self.text;
        let quotes = memchr::memchr3_iter(b'\\', b'\'', b'"', text).chain(memchr::memchr3_iter(b'^', b'`', b'$', text));
        self.try_places(quotes.filter(|at| is_split_at(text, *at)).collect());
        if text.is_ascii() {
            return;
        }
        let letters = memchr::memchr3_iter(0xE2, 0xEF, 0xF0, text).chain(memchr::memchr3_iter(0xC2, 0xCD, 0xF3, text));
        let alphabets = memchr::memchr3_iter(0xCE, 0xCF, 0xD0, text).chain(memchr::memchr_iter(0xD1, text));
        self.try_places(letters.chain(alphabets).filter(|at| is_disguised_at(text, *at)).collect());
    }

    fn try_places(&mut self, mut places: Vec<usize>) {
        places.sort_unstable();
        let mut behind = 0;
        for at in places {
            if at >= behind && is_among_text(self.text, &(at..at + 1)) {
                let (region, end) = neighbourhood(self.text, at, 0);
                behind = end;
                self.try_folded(&region);
            }
        }
    }

    fn try_folded(&mut self, region: &Range<usize>) {
        self.fold(region);
        let Some((_, folds)) = &self.folded else { return };
        let mut tried = vec![];
        for fold in folds {
            ANCHORS.each(&fold.bytes, |place| {
                tried.extend(BOOK.anchored.get(place.word).into_iter().flatten().copied());
            });
        }
        tried.sort_unstable();
        tried.dedup();
        for index in tried {
            let Some(pattern) = BOOK.patterns.get(index) else { continue };
            if self.covered.get(index).is_none_or(|covered| region.end > *covered) {
                self.try_pattern(index, pattern, region.clone());
            }
        }
    }

    fn try_pattern(&mut self, index: usize, pattern: &'static Pattern, region: Range<usize>) {
        let Some(expression) = compiled(index, pattern) else { return };
        if self.pushed.get(index).is_some_and(|pushed| *pushed >= HITS_MAX) {
            return;
        }
        let text = self.text.get(region.clone()).unwrap_or_default();
        if let Some(found) = pattern.find(expression, text) {
            self.push(index, pattern, region.start + found.start..region.start + found.end);
            return;
        }
        self.fold(&region);
        let Some((_, folds)) = &self.folded else { return };
        let found = folds.iter().find_map(|fold| {
            let found = pattern.find(expression, &fold.bytes)?;
            Some(region.start + fold.origin(found.start)..region.start + fold.origin(found.end))
        });
        if let Some(range) = found {
            self.push(index, pattern, range);
        }
    }

    fn fold(&mut self, region: &Range<usize>) {
        if self.folded.as_ref().is_some_and(|(known, _)| known == region) {
            return;
        }
        let text = self.text.get(region.clone()).unwrap_or_default();
        let mut folds = Vec::new();
        if is_foldable(text) {
            folds.push(Folded::of(text, Backslash::Quotes));
            if text.windows(2).any(|pair| matches!(pair, [b'\\', b'n' | b'r' | b't'])) {
                folds.push(Folded::of(text, Backslash::Escapes));
            }
        }
        if !text.is_ascii() && (0..text.len()).any(|at| is_disguised_at(text, at)) {
            folds.push(Folded::of_reading(text));
        }
        self.folded = Some((region.clone(), folds));
    }

    fn push(&mut self, index: usize, pattern: &'static Pattern, range: Range<usize>) {
        let strength = match pattern.weight {
            Weight::Itself => Strength::Addressed,
            Weight::Faint => Strength::Mentioned,
            Weight::ByContext => context::strength(self.text, &range),
            Weight::ByInstall => {
                let matched = self.text.get(range.clone()).unwrap_or_default();
                context::strength(self.text, &range).max(install::strength(matched))
            }
        };
        self.hits.push(Hit { rule: pattern.kind.rule(), range, strength });
        if let Some(pushed) = self.pushed.get_mut(index) {
            *pushed += usize::from(strength == Strength::Addressed);
        }
    }
}

fn compiled(index: usize, pattern: &Pattern) -> Option<&'static Regex> {
    let build = || {
        let mut builder = RegexBuilder::new(pattern.expression);
        builder.unicode(false).case_insensitive(true).multi_line(true).size_limit(EXPRESSION_BYTES_MAX).build().ok()
    };
    BOOK.compiled.get(index)?.get_or_init(build).as_ref()
}

/// The lines around an anchor, and the place from which on another anchor has a neighbourhood of its own.
fn neighbourhood(text: &[u8], anchor: usize, lines: usize) -> (Range<usize>, usize) {
    let from = anchor.saturating_sub(REACH_BEFORE);
    let to = text.len().min(anchor.saturating_add(REACH_BEHIND));
    let start = line_start(text, from, anchor);
    let own_end = line_end(text, anchor, to);
    let mut end = own_end;
    for _ in 0..lines {
        if end < to {
            end = line_end(text, end + 1, to);
        }
    }
    let behind = if own_end < to { own_end } else { anchor.saturating_add(REACH_BEHIND - REACH_BEFORE) };
    (start..end, behind.max(anchor + 1))
}

/// The beginning of the line that holds `at`, lines that it continues included.
fn line_start(text: &[u8], from: usize, at: usize) -> usize {
    let mut start = at;
    while let Some(found) = memchr::memrchr(b'\n', text.get(from..start).unwrap_or_default()) {
        if !is_continued(text.get(from..from + found).unwrap_or_default()) {
            return from + found + 1;
        }
        start = from + found;
    }
    from
}

/// The end of the line that holds `at`, lines that continue it included.
fn line_end(text: &[u8], at: usize, to: usize) -> usize {
    let mut end = at;
    while let Some(found) = memchr::memchr(b'\n', text.get(end..to).unwrap_or_default()) {
        if !is_continued(text.get(at.min(end + found)..end + found).unwrap_or_default()) {
            return end + found;
        }
        end += found + 1;
    }
    to
}

/// Whether a shell would read on behind this line's end.
fn is_continued(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    matches!(line.last(), Some(b'\\' | b'^' | b'`'))
}

#[cfg(test)]
mod tests {
    use super::{BOOK, compiled};

    #[test]
    fn every_expression_compiles_and_every_anchor_is_lower_case() {
        for (index, pattern) in BOOK.patterns.iter().enumerate() {
            assert!(compiled(index, pattern).is_some(), "{:?} {}", pattern.kind, pattern.expression);
            assert!(
                pattern.anchors.iter().all(|anchor| **anchor == anchor.to_ascii_lowercase()),
                "{:?}",
                pattern.anchors
            );
        }
    }
}
