//! Facts: what code derives from a view and rules are about, where a pattern over bytes cannot say it.
//!
//! Judges nothing: a fact means something only through the rule that names its kind. *Security*: every reader of a view is
//! linear in its bytes, and runs only where the bytes stand that its facts need.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;

use crate::sentence;
use crate::view::View;

mod address;
mod character;
mod html;
mod magic;
mod terminal;

pub(crate) use magic::format_of;

/// What a fact is about; `rules/*.toml` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FactKind {
    /// The text of a comment of HTML or XML.
    Comment,
    /// The name and value of an attribute that is read and not shown.
    Attribute,
    /// The text of an element that is not shown.
    Concealed,
    /// An element of HTML that runs or loads something: its tag.
    Element,
    /// An event handler of HTML: its name and value.
    Handler,
    /// The address of something that is fetched or followed.
    Address,
    /// A sequence to a terminal that conceals or rewrites: its bytes.
    Terminal,
    /// A run of characters that are not seen: what they say.
    Invisible,
    /// A native program at the beginning of a file or layer: the name of its format.
    Program,
    /// An archive or compressed stream at the beginning of a file or layer that is opened: the name of its format.
    Archive,
    /// One that is not opened: the name of its format.
    Sealed,
    /// An office document with macros: the name of its format.
    Macro,
    /// A sentence that orders its reader to do something.
    Instruction,
    /// A sentence that claims that rules, approvals, roles or limits have changed.
    PolicyClaim,
    /// What could not be looked through within the budget. The engine alone raises it.
    Exceeded,
}

/// One fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact<'a> {
    pub(crate) kind: FactKind,
    /// The bytes of the view that it is about.
    pub(crate) range: Range<usize>,
    /// What a rule's pattern is matched against.
    pub(crate) text: Cow<'a, [u8]>,
    /// How much it weighs; of sentences alone it is not 0.
    pub(crate) weight: i32,
}

/// Every fact of a view.
pub(crate) fn facts<'a>(view: &'a View<'_>) -> Vec<Fact<'a>> {
    let mut facts = Vec::new();
    for find in [html::find, address::find, terminal::find, character::find, magic::find, sentence::find] {
        find(view, &mut facts);
    }
    facts
}
