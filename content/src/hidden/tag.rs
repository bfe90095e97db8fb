//! One tag of HTML or XML around a keyword, its attributes, and the words of its element.
//!
//! *Security*: hostile bytes; looks a bounded way back and ahead. *Standards*: HTML, section 13.1.2.

use std::ops::Range;

use memchr::memmem;

/// How far back a tag may begin and how far ahead it may end, bytes.
const TAG_BYTES_MAX: usize = 768;

/// How many tags before one are looked at for those around it.
const PARENTS_LOOKED_MAX: usize = 8;

/// How much of an element is read for its words, bytes.
const ELEMENT_BYTES_MAX: usize = 1024;

/// A tag, without its brackets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    /// Where its opening bracket stands.
    pub(super) start: usize,
    /// The byte behind its closing bracket.
    pub(super) end: usize,
    pub(super) text: &'a [u8],
}

impl<'a> Tag<'a> {
    /// The tag that the byte `at` lies in.
    pub(super) fn around(bytes: &'a [u8], at: usize) -> Option<Self> {
        let from = at.saturating_sub(TAG_BYTES_MAX);
        let before = bytes.get(from..=at.min(bytes.len().checked_sub(1)?))?;
        let open = before
            .iter()
            .rposition(|byte| matches!(byte, b'<' | b'>'))
            .filter(|open| before.get(*open) == Some(&b'<'))?;
        let start = from + open;
        let rest = bytes.get(start + 1..)?;
        let rest = rest.get(..rest.len().min(TAG_BYTES_MAX))?;
        let mut quote = None;
        let close = rest.iter().position(|byte| match (quote, byte) {
            (None, b'"' | b'\'') => {
                quote = Some(*byte);
                false
            }
            (Some(open), byte) if open == *byte => {
                quote = None;
                false
            }
            (None, b'>') => true,
            _ => false,
        });
        // An odd quote does not make the rest of a document an attribute.
        let close = close.or_else(|| rest.iter().position(|byte| *byte == b'>'))?;
        rest.first().filter(|byte| byte.is_ascii_alphabetic())?;
        Some(Self { start, end: start + 1 + close + 1, text: rest.get(..close)? })
    }

    /// Its name, lower case.
    pub(super) fn name(&self) -> Vec<u8> {
        let length =
            self.text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-')).count();
        self.text.get(..length).unwrap_or_default().to_ascii_lowercase()
    }

    /// The value of an attribute; empty where it has none.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        let low = self.text.to_ascii_lowercase();
        let is_edge = |byte: Option<&u8>| {
            byte.is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'"' | b'\'' | b'\\'))
        };
        let at = memmem::find_iter(&low, name.as_bytes()).find(|at| {
            let before = at.checked_sub(1).and_then(|at| low.get(at));
            let after = low.get(at + name.len());
            before.is_some() && is_edge(before) && (is_edge(after) || after == Some(&b'='))
        })?;
        let rest = self.text.get(at + name.len()..)?.trim_ascii_start();
        let Some(value) = rest.strip_prefix(b"=") else { return Some(b"") };
        let value = value.trim_ascii_start();
        let value = value.strip_prefix(b"\\").unwrap_or(value);
        match value.first() {
            Some(quote @ (b'"' | b'\'')) => value.get(1..)?.split(|byte| byte == quote).next(),
            // An expression of a program, as some write pages.
            Some(b'{') => value.split(|byte| *byte == b'}').next(),
            _ => value.split(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'/')).next(),
        }
    }

    /// The tags before it that are still open where it begins, the nearest first; at most `most`, a bounded way back.
    pub(super) fn parents(&self, bytes: &'a [u8], most: usize) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let from = self.start.saturating_sub(TAG_BYTES_MAX);
        let before = bytes.get(from..self.start).unwrap_or_default();
        for at in memchr::memrchr_iter(b'<', before).take(PARENTS_LOOKED_MAX) {
            let Some(tag) = Self::around(bytes, from + at + 1).filter(|tag| tag.end <= self.start) else { continue };
            let close = [b"</", tag.name().as_slice()].concat();
            let between = bytes.get(tag.end..self.start).unwrap_or_default().to_ascii_lowercase();
            if memmem::find(&between, &close).is_none() {
                found.push(tag);
            }
            if found.len() >= most {
                break;
            }
        }
        found
    }

    /// The words of its element, tags left out, and where they stand.
    pub(super) fn words(&self, bytes: &[u8]) -> (Vec<u8>, Range<usize>) {
        let rest = bytes.get(self.end..).unwrap_or_default();
        let rest = rest.get(..rest.len().min(ELEMENT_BYTES_MAX)).unwrap_or_default();
        let low = rest.to_ascii_lowercase();
        let close = [b"</", self.name().as_slice()].concat();
        let end = memmem::find(&low, &close).unwrap_or(rest.len());
        (without_tags(rest.get(..end).unwrap_or_default()), self.end..self.end + end)
    }
}

/// A text with a space for each tag.
pub(super) fn without_tags(text: &[u8]) -> Vec<u8> {
    let mut inside = false;
    let kept = text.iter().filter_map(|byte| match byte {
        b'<' => {
            inside = true;
            Some(b' ')
        }
        b'>' if inside => {
            inside = false;
            None
        }
        _ if inside => None,
        byte => Some(*byte),
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_its_attributes_and_its_words_are_read() {
        let text = b"a <p id=x title=\"a > b\" hidden>some <b>bold</b> words</p> rest";
        let tag = Tag::around(text, 6).unwrap();
        assert_eq!(tag.name(), b"p");
        assert_eq!(tag.attribute("title"), Some(&b"a > b"[..]));
        assert_eq!(tag.attribute("hidden"), Some(&b""[..]));
        assert_eq!(tag.attribute("id"), Some(&b"x"[..]));
        assert_eq!(tag.attribute("class"), None);
        assert_eq!(tag.words(text).0, b"some  bold  words");
        assert!(Tag::around(text, 1).is_none());
    }

    #[test]
    fn the_tags_around_one_are_those_that_are_not_closed() {
        let text = b"<table bgcolor=a><td><p>one</p><b id=x>two</b>";
        let tag = Tag::around(text, 33).unwrap();
        let names: Vec<Vec<u8>> = tag.parents(text, 4).iter().map(Tag::name).collect();
        assert_eq!(names, [b"td".to_vec(), b"table".to_vec()]);
        let text = b"<p style={{display: \"none\"}}>two</p>";
        assert_eq!(Tag::around(text, 4).unwrap().attribute("style"), Some(&b"{{display: \"none\""[..]));
    }
}
