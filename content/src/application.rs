//! Applies the rules to one view: finds the matches, their places and their severities.
//!
//! ```text
//! extents of text ──▶ automaton ──▶ windows around keywords, merged ──▶ patterns ──▶ conditions ──▶ hits
//! facts ──────────────────────────────────────────────────────────────▶ patterns ──▶ conditions ──▶ hits
//! ```
//!
//! *Security*: the bytes that patterns are applied to are counted, up to the budget of the bundle; whatever exceeds the
//! budget is reported as not scanned.

use std::ops::Range;

use gatepost_documents::reason::Severity;
use regex_automata::{Anchored, Input, PatternID};

use crate::condition::{Captured, judged};
use crate::extent::extents;
use crate::fact::{Fact, facts};
use crate::place::Place;
use crate::rule::{Keywords, Rule, Sight, Trigger};
use crate::rule_set::RuleSet;
use crate::view::View;

/// Windows of one rule are merged up to so many bytes.
const WINDOW_BYTES_MAX: usize = 32 * 1024;
/// The cost of a match beyond its bytes.
const MATCH_WORK: u64 = 64;
/// What a byte costs that is looked through for groups, and one that is read as a sentence, where one that a pattern is put before
/// costs 1: measured, and rounded down.
const CAPTURE_WORK: usize = 24;
const SENTENCE_WORK: usize = 16;

/// One match of a rule in a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The rule's number in its set.
    pub(crate) rule: usize,
    /// The bytes of the view that it is about; for a secret exactly the secret.
    pub(crate) range: Range<usize>,
    pub(crate) severity: Severity,
}

/// Bytes that a rule's pattern is put before.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Window {
    rule: usize,
    start: usize,
    end: usize,
}

/// One look at a view.
struct Look<'a> {
    rules: &'a RuleSet,
    place: Place,
    /// Bytes that patterns may still be put before.
    budget: u64,
    hits: Vec<Hit>,
}

/// The matches in a view.
pub(crate) struct Found {
    /// In the order of their places.
    pub(crate) hits: Vec<Hit>,
    /// The bytes that patterns were put before.
    pub(crate) work: u64,
    /// Whether something was not looked at, because the budget was spent.
    pub(crate) is_cut: bool,
}

/// The hits that begin in `body`, which is a part of the view; at most `budget` bytes are put before patterns.
pub(crate) fn found(rules: &RuleSet, view: &View<'_>, body: &Range<usize>, budget: u64) -> Found {
    let mut look = Look { rules, place: view.place, budget, hits: Vec::new() };
    let plain = view.plain();
    look.text(view.bytes, view.extents(), |_| true);
    if let Some(plain) = plain {
        let known = std::mem::take(&mut look.hits);
        let text = plain.text().as_bytes();
        look.text(text, &extents(text), |sight| sight != Sight::Raw);
        for hit in &mut look.hits {
            hit.range = plain.source(&hit.range);
        }
        look.hits.extend(known);
    }
    for fact in facts(view) {
        look.fact(view.bytes, &fact);
    }
    let mut hits = look.hits;
    hits.retain(|hit| body.contains(&hit.range.start));
    hits.sort_by_key(|hit| (hit.range.start, hit.rule, hit.range.end));
    hits.dedup();
    Found { hits, work: budget - look.budget, is_cut: look.budget == 0 }
}

impl Look<'_> {
    /// The rules with keywords that read a text with such eyes.
    fn text(&mut self, bytes: &[u8], extents: &[Range<usize>], reads: impl Fn(Sight) -> bool) {
        for window in self.windows(bytes, extents, reads) {
            let Some(rule) = self.rules.rule(window.rule) else { continue };
            let Trigger::Keywords(keywords) = &rule.trigger else { continue };
            let anchored = if keywords.before == 0 { Anchored::Yes } else { Anchored::No };
            self.window(window.rule, rule, bytes, window.start..window.end, anchored);
        }
    }

    /// The windows around the keywords in the extents of text, merged where they touch.
    fn windows(&self, bytes: &[u8], extents: &[Range<usize>], reads: impl Fn(Sight) -> bool) -> Vec<Window> {
        let mut windows = Vec::new();
        for extent in extents {
            let text = bytes.get(extent.clone()).unwrap_or_default();
            self.rules.each_keyword(text, |rule, keywords, start, end| {
                if reads(keywords.view) && occurs(text, keywords, start, end) {
                    let from = extent.start + start.saturating_sub(keywords.before);
                    let to = extent.end.min(extent.start + start + keywords.reach);
                    windows.push(Window { rule, start: from, end: to });
                }
            });
        }
        windows.sort_unstable();
        let rules = self.rules;
        let is_anchored = |rule| match rules.rule(rule).map(|rule| &rule.trigger) {
            Some(Trigger::Keywords(keywords)) => keywords.before == 0,
            _ => false,
        };
        windows.dedup_by(|next, last| {
            let touches = next.rule == last.rule && next.start <= last.end;
            let merges = touches && next.end - last.start <= WINDOW_BYTES_MAX && !is_anchored(next.rule);
            if merges {
                last.end = last.end.max(next.end);
            }
            merges
        });
        windows
    }

    /// Every match of a rule within a window.
    fn window(&mut self, number: usize, rule: &Rule, bytes: &[u8], window: Range<usize>, anchored: Anchored) {
        if !rule.is_for(self.place) {
            return;
        }
        let Some(regex) = rule.pattern.as_ref().and_then(|pattern| pattern.regex()) else { return };
        let mut at = window.start;
        while at < window.end && self.budget > 0 {
            let Some(matched) = regex.search(&Input::new(bytes).range(at..window.end).anchored(anchored)) else {
                self.spend(window.end - at);
                return;
            };
            self.spend(matched.end() - at);
            let (value, captured) = captured(rule, bytes, &matched.range());
            self.spend(matched.len() * CAPTURE_WORK + reading(rule, value.len()));
            at = matched.end().max(matched.start() + 1);
            if let Some(severity) = judged(rule, &captured, (bytes, &value)) {
                self.hits.push(Hit { rule: number, range: value, severity });
            } else if value.start > matched.start() {
                // What was taken for a value may be the name of the next one.
                at = value.start;
            }
            if anchored == Anchored::Yes {
                return;
            }
        }
    }

    /// The rules on a fact.
    fn fact(&mut self, bytes: &[u8], fact: &Fact<'_>) {
        for number in self.rules.on_fact(fact.kind) {
            let Some(rule) = self.rules.rule(*number) else { continue };
            let Trigger::Fact { weights, .. } = &rule.trigger else { continue };
            if !weights.contains(&fact.weight) || !rule.is_for(self.place) || self.budget == 0 {
                continue;
            }
            self.spend(fact.text.len() + reading(rule, fact.text.len()));
            let value = match &rule.pattern {
                None => Some((0..fact.text.len(), Captured { value: &fact.text, ..Captured::default() })),
                Some(pattern) => {
                    let regex = pattern.regex();
                    let matched = regex.and_then(|regex| regex.search(&Input::new(&*fact.text)));
                    matched.map(|matched| captured(rule, &fact.text, &matched.range()))
                }
            };
            let Some((_, captured)) = value else { continue };
            if let Some(severity) = judged(rule, &captured, (bytes, &fact.range)) {
                self.hits.push(Hit { rule: *number, range: fact.range.clone(), severity });
            }
        }
    }

    fn spend(&mut self, bytes: usize) {
        self.budget = self.budget.saturating_sub(bytes as u64 + MATCH_WORK);
    }
}

/// The cost of reading a value of so many bytes as sentences, if its rule requires that.
fn reading(rule: &Rule, bytes: usize) -> usize {
    let reads = rule.conditions.speaks.is_some() || rule.conditions.refuse_if_speaks;
    if reads { bytes * SENTENCE_WORK } else { 0 }
}

/// Whether a keyword occurs there in the form that its rule requires.
fn occurs(text: &[u8], keywords: &Keywords, start: usize, end: usize) -> bool {
    let there = text.get(start..end).unwrap_or_default();
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    let is_inside = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_spelt = || keywords.words.iter().any(|word| word.as_bytes() == there);
    !(keywords.whole_word && is_inside) && (!keywords.exact_case || is_spelt())
}

/// The subject of a match, the group `value` or else all of it, and its name, the group `name`.
fn captured<'a>(rule: &Rule, bytes: &'a [u8], matched: &Range<usize>) -> (Range<usize>, Captured<'a>) {
    let groups = || {
        let regex = rule.pattern.as_ref()?.regex()?;
        let index = |name| regex.group_info().to_index(PatternID::ZERO, name);
        let (value, name) = (index("value")?, index("name"));
        let mut captures = regex.create_captures();
        regex.search_captures(&Input::new(bytes).range(matched.clone()).anchored(Anchored::Yes), &mut captures);
        let group = |index| captures.get_group(index).map(|span| span.start..span.end);
        Some((group(value)?, name.and_then(group)))
    };
    // The end of the line before is where a match may begin, and not what it is about.
    let blank =
        bytes.get(matched.clone()).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (value, name) = groups().unwrap_or_else(|| (matched.start + blank..matched.end, None));
    let text = |range: Range<usize>| bytes.get(range).unwrap_or_default();
    let between = name.clone().map(|name| name.end..value.start).unwrap_or_default();
    let captured =
        Captured { name: text(name.unwrap_or_default()), between: text(between), value: text(value.clone()) };
    (value, captured)
}
