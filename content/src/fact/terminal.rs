//! Facts of terminal.

use super::Fact;
use crate::view::View;

/// Adds what a view holds.
pub(super) fn find<'a>(_view: &'a View<'_>, _facts: &mut Vec<Fact<'a>>) {}
