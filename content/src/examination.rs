//! One view before every detector.

use std::ops::Range;

use super::legible::is_among_text;
use super::rule::Hit;
use super::view::View;
use super::{hidden, link, payload, prose, secret};
use gatepost_documents::reason::Code;

/// The hits that begin in `body`, which is a part of the view, in the order of their places.
pub(super) fn hits(view: &View<'_>, body: &Range<usize>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for find in [secret::find, payload::find, prose::find, link::find, hidden::find] {
        find(view, &mut hits);
    }
    hits.retain(|hit| body.contains(&hit.range.start) && is_read(view, hit));
    hits.sort_by_key(|hit| hit.range.start);
    hits
}

/// Whether a hit stands where it means something: text where somebody could read it, programs and archives anywhere.
fn is_read(view: &View<'_>, hit: &Hit) -> bool {
    let is_text = match hit.rule.code {
        Code::BudgetExceeded => false,
        Code::ExecutablePayload => payload::is_command_line(hit.rule),
        _ => true,
    };
    !is_text || is_among_text(view.bytes, &hit.range)
}
