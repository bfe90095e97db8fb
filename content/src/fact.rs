//! Facts: code derives them from a view where a pattern over bytes is not enough; rules refer to them.
//!
//! Judges nothing: the rule that names a fact's kind gives it a meaning. *Security*: every reader of a view is linear
//! in its bytes, and runs only if the view contains bytes that its facts need.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;

use crate::sentence;
use crate::view::View;

mod address;
mod character;
mod html;
mod magic;
mod statement;
mod terminal;
pub(crate) mod word_list;

pub(crate) use character::is_unseen;
pub(crate) use magic::format_of;

/// The kind of a fact; `rules/*.toml` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FactKind {
    /// The text of a comment of HTML or XML.
    Comment,
    /// The value of an attribute with words; it weighs 2 if it is not displayed, else 1.
    Attribute,
    /// The words of an element that a style, a class or an attribute hides; 2 if no page needs to hide words so, else 1.
    Concealed,
    /// The words of an element that no browser shows, or only where something is missing.
    Unshown,
    /// An element of HTML that runs or loads something: its tag.
    Element,
    /// An event handler of HTML: its name and value.
    Handler,
    /// The content of an address, and how the text uses it: `fetched encoded key=text` (`fact/address.rs`).
    AddressData,
    /// A gap in an address that its reader is to fill in, in the same form; it weighs the more, the less an honest address has it.
    AddressGap,
    /// Words that a terminal does not show.
    TerminalConcealed,
    /// Words that a terminal erases or writes over.
    TerminalErased,
    /// Words in a control string: a title (1), or what no screen shows (2).
    TerminalString,
    /// A link of a terminal whose words are the address of another host.
    TerminalLink,
    /// Invisible characters: the text that they encode (100), or the text between them (their number).
    Invisible,
    /// Text that controls of direction show in another order than it has: as it is shown; 2 if nothing else explains it, else 1.
    Reordered,
    /// A word of letters of two scripts, as it looks.
    MixedScript,
    /// A statement of a result in look-alike letters or digits: as it looks.
    LookAlike,
    /// Words in letters that are made for formulas and ornaments, in plain ones.
    Stylised,
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
    /// Bytes that could not be scanned within the budget. Only the engine raises it.
    Exceeded,
}

/// One fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact<'a> {
    pub(crate) kind: FactKind,
    /// The bytes of the view that it is about.
    pub(crate) range: Range<usize>,
    /// The text that a rule's pattern is matched against.
    pub(crate) text: Cow<'a, [u8]>,
    /// How much it weighs, among facts of its kind.
    pub(crate) weight: i32,
}

/// Every fact of a view.
pub(crate) fn facts<'a>(view: &'a View<'_>) -> Vec<Fact<'a>> {
    let mut facts = Vec::new();
    for extent in view.extents() {
        let text = view.bytes.get(extent.clone()).unwrap_or_default();
        for read in [html::facts, address::facts, terminal::facts, character::facts] {
            let shifted = |range: Range<usize>| extent.start + range.start..extent.start + range.end;
            facts.extend(read(text).into_iter().map(|fact| Fact { range: shifted(fact.range.clone()), ..fact }));
        }
    }
    if let Some(plain) = view.plain() {
        for read in [html::facts, address::facts] {
            let disguised = read(plain.text().as_bytes()).into_iter().filter(|fact| plain.is_disguised(&fact.range));
            facts.extend(disguised.map(|fact| Fact { range: plain.source(&fact.range), ..fact }));
        }
        for range in statement::statements(plain.text()).filter(|range| plain.is_disguised(range)) {
            let text = plain.text().as_bytes().get(range.clone()).unwrap_or_default().into();
            facts.push(Fact { kind: FactKind::LookAlike, range: plain.source(&range), text, weight: 1 });
        }
    }
    magic::find(view, &mut facts);
    sentence::find(view, &mut facts);
    facts
}
