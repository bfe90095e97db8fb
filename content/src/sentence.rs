//! Sentences, and how much they weigh as orders and as claims.

use gatepost_documents::reason::Severity;

use crate::fact::Fact;
use crate::view::View;

/// Adds the sentences of a view that order or claim something.
pub(crate) fn find<'a>(_view: &'a View<'_>, _facts: &mut Vec<Fact<'a>>) {}

/// Whether a text, read as sentences, orders or claims something: faintly, or so that it refuses.
pub(crate) fn speaks(_text: &[u8]) -> Option<Severity> {
    None
}
