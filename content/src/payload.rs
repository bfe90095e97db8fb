//! Executable payloads: programs, scripts, commands that fetch and run, macros, active markup.
//!
//! ```text
//! beginning of a source ──▶ magic, interpreter line, packed formats that nobody can look into
//! anchors (shared pass) ──▶ patterns in their neighbourhood, as they stand and with split words folded
//! ```
//!
//! Absent: decoding. A decoded layer is a view of its own and comes here by itself.
//!
//! *Security*: hostile bytes, in time linear in their number; nothing is run, opened or evaluated. *Standards*: the gate's
//! contract, stage 7, `executable_payload`; the formats that each file names.

use super::keyword::Detector;
use super::rule::{Hit, Rule};
use super::view::View;

mod active;
mod argument;
mod command;
mod context;
mod data_block;
mod fold;
mod harm;
mod inline;
mod install;
mod kind;
mod magic;
mod network;
mod object;
mod opaque;
mod pattern;
mod script;
mod shellcode;
mod then_run;
mod tool;
mod windows;

#[cfg(test)]
mod tests;

/// Every pattern of text.
const PATTERNS: &[&[pattern::Pattern]] = &[
    command::PATTERNS,
    inline::PATTERNS,
    network::PATTERNS,
    harm::PATTERNS,
    windows::PATTERNS,
    active::PATTERNS,
    tool::PATTERNS,
];

pub(crate) fn rules() -> &'static [Rule] {
    kind::RULES
}

pub(crate) use kind::is_command_line;
pub(crate) use opaque::RULE as OPAQUE;

/// The words of [`magic`], [`script`], [`opaque`] and [`shellcode`] come first, then the anchors of the patterns.
pub(crate) fn keywords() -> Vec<&'static str> {
    let of_files = magic::WORDS.iter().chain(script::WORDS).chain(opaque::WORDS).chain(shellcode::WORDS);
    of_files.chain(pattern::anchors()).copied().collect()
}

pub(crate) fn find(view: &View<'_>, hits: &mut Vec<Hit>) {
    let mut found = Vec::new();
    if view.at_start {
        found.extend(magic::at_start(view.bytes));
        found.extend(script::at_start(view.bytes));
        found.extend(opaque::at_start(view));
    }
    let mut search = pattern::Search::new(view.bytes, &mut found);
    let mut others = Vec::new();
    let scripts = magic::WORDS.len();
    let packed = scripts + script::WORDS.len();
    let codes = packed + opaque::WORDS.len();
    let anchors = codes + shellcode::WORDS.len();
    for mark in view.marks(Detector::Payload) {
        match mark.keyword {
            at if at >= anchors => search.try_anchor(at - anchors, mark.start, mark.end),
            at if at >= codes => {
                let word = shellcode::WORDS.get(at - codes);
                others.extend(word.and_then(|word| shellcode::within(view.bytes, mark.start..mark.end, word)));
            }
            at if at >= packed => {
                others.extend(opaque::WORDS.get(at - packed).and_then(|word| opaque::within(view, mark.start, word)));
            }
            at if at >= scripts => others.extend(script::within(view.bytes, mark.start)),
            at => others.extend(magic::WORDS.get(at).and_then(|word| magic::within(view.bytes, mark.start, word))),
        }
    }
    search.try_splits();
    magic::mach_o_within(view.bytes, &mut others);
    shellcode::sequences(view.bytes, &mut others);
    opaque::foreign(view, &mut others);
    found.append(&mut others);
    found.sort_by_key(|hit| (hit.range.start, hit.rule.name, hit.strength, hit.range.end));
    found.dedup_by(|next, kept| next.rule == kept.rule && next.range.start == kept.range.start);
    hits.append(&mut found);
}
