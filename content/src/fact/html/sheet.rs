//! The selectors in a page's own style sheets that hide their elements.
//!
//! Only the last class, id or name of a selector counts. *Security*: hostile bytes; reads a bounded beginning of them
//! and keeps a bounded number of selectors. *Standards*: Selectors 4, sections 5 and 6.

use memchr::memmem;

use super::Attributes;
use super::style::{Hiding, hiding};

/// How much of a sheet is read, bytes, and how many selectors are kept.
const SHEET_BYTES_MAX: usize = 8192;
const SELECTORS_MAX: usize = 32;

/// The hiding selectors of a page so far.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// `.class`, `#id` or the name of an element.
    selectors: Vec<(Vec<u8>, Hiding)>,
}

impl Sheet {
    /// Reads the text of a style element.
    pub(super) fn read(&mut self, text: &[u8]) {
        for block in text.get(..SHEET_BYTES_MAX).unwrap_or(text).split(|byte| *byte == b'}') {
            let Some(open) = block.iter().rposition(|byte| *byte == b'{') else { continue };
            let Some(how) = hiding(&block[open + 1..]) else { continue };
            let start = block[..open].iter().rposition(|byte| b"{/;".contains(byte)).map_or(0, |at| at + 1);
            for selector in block[start..open].split(|byte| *byte == b',') {
                // A part of an element or a state of it that is hidden is not the element.
                if self.selectors.len() < SELECTORS_MAX && !selector.contains(&b':') {
                    self.selectors.extend(last(selector).map(|name| (name.to_vec(), how)));
                }
            }
        }
    }

    /// Whether a tag may be one that is hidden: it has the name of a selector in it.
    pub(super) fn hides(&self, name: &[u8], raw: &[u8]) -> bool {
        self.selectors.iter().any(|(selector, _)| match selector.split_first() {
            Some((b'.' | b'#', word)) => memmem::find(raw, word).is_some(),
            _ => selector == name,
        })
    }

    /// How an element is hidden, if it is.
    pub(super) fn hiding(&self, name: &[u8], attributes: &Attributes) -> Option<Hiding> {
        let has = |attribute: &str, word: &[u8]| {
            attributes.get(attribute).unwrap_or_default().split(u8::is_ascii_whitespace).any(|other| other == word)
        };
        let found = self.selectors.iter().filter(|(selector, _)| match selector.split_first() {
            Some((b'.', word)) => has("class", word),
            Some((b'#', word)) => has("id", word),
            _ => selector == name,
        });
        found.map(|(_, how)| *how).max()
    }
}

/// The last class, id or name of a selector.
fn last(selector: &[u8]) -> Option<&[u8]> {
    let selector = selector.trim_ascii();
    let compound = selector.rsplit(|byte| byte.is_ascii_whitespace() || b">+~".contains(byte)).next()?;
    let start = compound.iter().rposition(|byte| matches!(byte, b'.' | b'#')).unwrap_or(0);
    let name = &compound[start..];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    (name.len() > 1 && name[1..].iter().all(is_name)).then_some(name)
}
