//! The body of a result, as a CommonMark parser reads it that the gate does not use.

use comrak::nodes::{ListType, NodeLink, NodeList, NodeValue};
use comrak::{Arena, Options, parse_document};

/// Whose document the body is of, and so what may stand in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Of a sealed bundle: lists begin their items with a hyphen, and links lead into the bundle.
    Sealed,
    /// Of a bare document, in its author's own words: any list, and no links.
    Bare,
}

impl Body {
    fn allows_list(self, list: &NodeList) -> bool {
        self == Self::Bare || (list.list_type == ListType::Bullet && list.bullet_char == b'-')
    }

    fn allows_link(self, link: &NodeLink) -> bool {
        let is_name = |name: &str| {
            let name = name.replace("%25", "");
            !name.is_empty()
                && !name.starts_with('.')
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+=@,".contains(&byte))
        };
        self == Self::Sealed && link.title.is_empty() && link.url.split('/').all(is_name)
    }
}

/// The titles of all headings.
///
/// # Panics
/// On what no accepted body of this kind may hold.
#[must_use]
pub fn titles(body: &str, kind: Body) -> Vec<String> {
    let arena = Arena::new();
    let mut titles = Vec::new();
    for node in parse_document(&arena, body, &Options::default()).descendants() {
        match &node.data.borrow().value {
            NodeValue::Heading(heading) => {
                assert!(heading.level == 2 && !heading.setext && !heading.closed, "{heading:?}");
                titles.push(node.collect_text());
            }
            NodeValue::CodeBlock(code) => assert!(code.fenced && code.closed && code.fence_char == b'`', "{code:?}"),
            NodeValue::List(list) | NodeValue::Item(list) => assert!(kind.allows_list(list), "{list:?}"),
            NodeValue::Link(link) => assert!(kind.allows_link(link), "{link:?}"),
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
