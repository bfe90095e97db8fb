//! The body of a result, as a CommonMark parser reads it that the gate does not use.

use comrak::nodes::{NodeList, NodeValue};
use comrak::{Arena, Options, parse_document};

/// The titles of all headings.
///
/// # Panics
/// On what no accepted body may hold, and on a list that `is_allowed` does not allow.
#[must_use]
pub fn titles(body: &str, is_allowed: impl Fn(&NodeList) -> bool) -> Vec<String> {
    let arena = Arena::new();
    let mut titles = Vec::new();
    for node in parse_document(&arena, body, &Options::default()).descendants() {
        match &node.data.borrow().value {
            NodeValue::Heading(heading) => {
                assert!(heading.level == 2 && !heading.setext && !heading.closed, "{heading:?}");
                titles.push(node.collect_text());
            }
            NodeValue::CodeBlock(code) => assert!(code.fenced && code.closed && code.fence_char == b'`', "{code:?}"),
            NodeValue::List(list) | NodeValue::Item(list) => assert!(is_allowed(list), "{list:?}"),
            NodeValue::Document
            | NodeValue::Paragraph
            | NodeValue::Text(_)
            | NodeValue::Code(_)
            | NodeValue::SoftBreak
            | NodeValue::LineBreak
            | NodeValue::Emph
            | NodeValue::Strong => {}
            forbidden => panic!("{forbidden:?} in an accepted body"),
        }
    }
    titles
}
