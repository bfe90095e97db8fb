//! Facts of HTML and XML: comments, words in elements that no browser shows, attributes with words, and their tags.
//!
//! Looks for tags and comments in any text without parsing documents: a log line may contain one, and JSON may have escaped its
//! quotation marks. `style` finds what a style hides. Does not judge the words. *Security*: hostile bytes; one pass, with a
//! bounded length for each tag and element. *Standards*: HTML, sections 3.2.6, 6.1, 13.1.2, 13.1.6 and 15.3.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use html5gum::{Token, Tokenizer};
use memchr::{memchr, memmem};
use regex_automata::meta::Regex;

use super::word_list::{kinds, lines, regex};
use super::{Fact, FactKind};
use sheet::Sheet;
use style::{Hiding, hiding};

mod colour;
mod sheet;
mod style;

/// The longest tag that is read, and how much of an element is read for its words, bytes.
const TAG_BYTES_MAX: usize = 2048;
const ELEMENT_BYTES_MAX: usize = 1024;

/// How much of a comment without an end is taken for one, bytes.
const OPEN_COMMENT_BYTES_MAX: usize = 1024;

/// How many tags may break off within a quotation mark before quotation marks are no longer followed: it keeps the pass linear.
const BROKEN_QUOTES_MAX: u32 = 64;

/// The fewest words that are a message in an attribute.
const MESSAGE_WORDS_MIN: usize = 3;

/// Weights: for common techniques of pages, and for those that no page uses for words to be read.
const USUAL: i32 = 1;
const COVERT: i32 = 2;

/// A tag must contain this for its attributes to be read.
static RELEVANT: LazyLock<Regex> = LazyLock::new(|| {
    let names: Vec<&str> = kinds(include_str!("../../words/html-attributes.txt")).map(|(_, name)| name).collect();
    let known = r"style|hid|none|color|opacity|visib|display|font-size|fill|data-|offscreen|off-screen|assistive|sr-only|screen-reader|transparent|text-\[|scale-0|size\s*=|height\s*=";
    regex(&format!(r"(?i)(?:{known}|[\s\x22'/](?:{})\s*=)", names.join("|")))
});

/// Tags that load, send, run or lead elsewhere.
static ACTIVE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)^<(?:script|object|embed|applet|iframe|frame|base|form|meta|link|svg)\b|(?:java|vb)script:")
});

/// An attribute with a handler of an event.
static HANDLER: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)[\s/\x22']on[a-z]{3,24}\s*="));

/// The facts of all tags and comments in a text.
pub(crate) fn facts(bytes: &[u8]) -> Vec<Fact<'_>> {
    let mut page =
        Page { bytes, facts: Vec::new(), sheet: Sheet::default(), broken_quotes: 0, has_open_comment: false, until: 0 };
    let mut at = 0;
    while let Some(step) = memchr(b'<', bytes.get(at..).unwrap_or_default()) {
        let open = at + step;
        at = match bytes.get(open + 1) {
            Some(b'!') => page.comment(open),
            Some(byte) if byte.is_ascii_alphabetic() => page.element(open),
            _ => open + 1,
        };
    }
    page.facts
}

struct Page<'a> {
    bytes: &'a [u8],
    facts: Vec<Fact<'a>>,
    sheet: Sheet,
    broken_quotes: u32,
    has_open_comment: bool,
    /// The end of the words reported as hidden: elements within them are hidden too.
    until: usize,
}

/// A start tag.
struct Tag {
    /// Lower case.
    name: Vec<u8>,
    range: Range<usize>,
}

/// The attributes of a tag, names in lower case, entities undone.
#[derive(Debug, Default)]
pub(super) struct Attributes(Vec<(Vec<u8>, Vec<u8>)>);

impl Attributes {
    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(other, _)| other == name.as_bytes()).map(|(_, value)| value.as_slice())
    }

    fn is(&self, name: &str, value: &str) -> bool {
        self.get(name).is_some_and(|other| other.trim_ascii().eq_ignore_ascii_case(value.as_bytes()))
    }
}

impl<'a> Page<'a> {
    fn add(&mut self, kind: FactKind, range: Range<usize>, text: impl Into<Cow<'a, [u8]>>, weight: i32) {
        self.facts.push(Fact { kind, range, text: text.into(), weight });
    }

    /// Reads the comment at `open`, and returns where to continue.
    fn comment(&mut self, open: usize) -> usize {
        let Some(inner) = self.bytes[open..].strip_prefix(b"<!--") else { return open + 2 };
        if self.has_open_comment {
            return open + 4;
        }
        let end = memmem::find(inner, b"-->");
        let length = end.unwrap_or_else(|| inner.len().min(OPEN_COMMENT_BYTES_MAX));
        self.has_open_comment = end.is_none();
        self.add(FactKind::Comment, open..open + 4 + length, inner[..length].trim_ascii(), USUAL);
        if end.is_some() { open + 4 + length + 3 } else { open + 4 }
    }

    /// Reads the tag at `open` with the words of its element, and returns where to continue.
    fn element(&mut self, open: usize) -> usize {
        let Some(end) = self.tag_end(open) else { return open + 1 };
        let raw = &self.bytes[open..end];
        let length = raw.iter().skip(1).take_while(|byte| byte.is_ascii_alphanumeric() || b":-".contains(byte)).count();
        let tag = Tag { name: raw[1..=length].to_ascii_lowercase(), range: open..end };
        if ACTIVE.is_match(raw) {
            self.add(FactKind::Element, open..end, raw, USUAL);
        }
        if let Some(handler) = HANDLER.find(raw) {
            self.add(FactKind::Handler, open..end, &raw[handler.start() + 1..], USUAL);
        }
        if let b"script" | b"style" = tag.name.as_slice() {
            return self.raw_text(&tag);
        }
        if open >= self.until && UNSHOWN.contains(&tag.name.as_slice()) {
            self.unshown(&tag);
        }
        if RELEVANT.is_match(raw) || self.sheet.hides(&tag.name, raw) {
            let attributes = attributes(raw);
            if open >= self.until {
                self.hidden(&tag, &attributes);
            }
            self.attributes(&tag, &attributes);
        }
        end
    }

    /// The byte behind the tag at `open`; none where it is a sign of less, not a tag.
    fn tag_end(&mut self, open: usize) -> Option<usize> {
        let rest = &self.bytes[open + 1..];
        let rest = &rest[..rest.len().min(TAG_BYTES_MAX)];
        let (mut quote, mut last) = (None, 0);
        for (at, &byte) in rest.iter().enumerate() {
            match (quote, byte) {
                (None, b'>') => return Some(open + 2 + at),
                (None, b'<') => return None,
                (None, b'"' | b'\'') if matches!(last, b'=' | b'\\') && self.broken_quotes < BROKEN_QUOTES_MAX => {
                    quote = Some(byte);
                }
                (Some(mark), _) if mark == byte => quote = None,
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                last = byte;
            }
        }
        if quote.is_some() {
            self.broken_quotes += 1;
        }
        None
    }

    /// Passes over a script, and reads a style sheet.
    fn raw_text(&mut self, tag: &Tag) -> usize {
        let rest = &self.bytes[tag.range.end..];
        let close = [b"</", tag.name.as_slice()].concat();
        let Some(length) = memmem::find(rest, &close) else { return tag.range.end };
        if tag.name == b"style" {
            self.sheet.read(&rest[..length]);
        }
        tag.range.end + length
    }

    /// The words of the element that a tag opens, and the byte behind them.
    fn words(&self, tag: &Tag) -> (Cow<'a, [u8]>, usize) {
        let rest = &self.bytes[tag.range.end..];
        let rest = &rest[..rest.len().min(ELEMENT_BYTES_MAX)];
        let is_close = |at: &usize| {
            let name = rest.get(at + 2..at + 2 + tag.name.len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(&tag.name))
        };
        let length = memmem::find_iter(rest, b"</").find(is_close).unwrap_or(rest.len());
        (without_tags(&rest[..length]), tag.range.end + length)
    }

    /// Notes the words of an element that is not shown as a whole.
    fn unshown(&mut self, tag: &Tag) {
        let raw = &self.bytes[tag.range.clone()];
        let (words, end) = self.words(tag);
        if let b"details" | b"dialog" = tag.name.as_slice() {
            // With something to click on, a closed element is an everyday thing.
            let element = &self.bytes[tag.range.end..end];
            let summary = memmem::find(element, b"</summary").map(|end| without_tags(&element[..end]));
            if memmem::find(raw, b" open").is_some() || summary.is_some_and(|text| !text.trim_ascii().is_empty()) {
                return;
            }
        }
        self.until = end;
        if self::words(&words) >= 2 {
            self.add(FactKind::Unshown, tag.range.start..end, words, USUAL);
        }
    }

    /// Notes the words of an element that a style, a class or an attribute hides.
    fn hidden(&mut self, tag: &Tag, attributes: &Attributes) {
        let by_sheet = self.sheet.hiding(&tag.name, attributes);
        let Some(how) = hiding_of(attributes).max(by_sheet) else { return };
        let (words, end) = self.words(tag);
        self.until = end;
        if self::words(&words) >= 2 {
            let weight = if how == Hiding::Covert { COVERT } else { USUAL };
            self.add(FactKind::Concealed, tag.range.start..end, words, weight);
        }
    }

    /// Notes the attributes that hold a message.
    fn attributes(&mut self, tag: &Tag, attributes: &Attributes) {
        for (name, value) in &attributes.0 {
            let known = ATTRIBUTES.iter().find(|(_, known)| known == name);
            let weight = match known {
                Some((_, b"value")) if !attributes.is("type", "hidden") => continue,
                Some((weight, _)) => *weight,
                None if name.starts_with(b"data-") => COVERT,
                None => continue,
            };
            if words(value) >= MESSAGE_WORDS_MIN {
                self.add(FactKind::Attribute, tag.range.clone(), value.clone(), weight);
            }
        }
    }
}

/// Names of elements that are not shown.
static UNSHOWN: LazyLock<Vec<&[u8]>> =
    LazyLock::new(|| lines(include_str!("../../words/html-unshown.txt")).map(str::as_bytes).collect());

/// Classes that hide.
static CLASSES: LazyLock<Vec<&[u8]>> =
    LazyLock::new(|| lines(include_str!("../../words/html-hiding-classes.txt")).map(str::as_bytes).collect());

/// Attributes that hold words, with their weight.
static ATTRIBUTES: LazyLock<Vec<(i32, &[u8])>> = LazyLock::new(|| {
    kinds(include_str!("../../words/html-attributes.txt"))
        .map(|(kind, name)| (if kind == "shown" { USUAL } else { COVERT }, name.as_bytes()))
        .collect()
});

/// The attributes of a tag.
fn attributes(raw: &[u8]) -> Attributes {
    let found = Tokenizer::new(raw).flatten().find_map(|token| match token {
        Token::StartTag(tag) => Some(tag.attributes),
        _ => None,
    });
    let pairs = found.into_iter().flatten();
    Attributes(pairs.map(|(name, value)| (name.0, value.value.0)).collect())
}

/// How the attributes of a tag hide the words of its element.
fn hiding_of(attributes: &Attributes) -> Option<Hiding> {
    let by_style = attributes.get("style").and_then(hiding);
    let mut declarations = Vec::new();
    for name in
        ["opacity", "visibility", "display", "font-size", "fill", "fill-opacity", "color", "transform", "clip-path"]
    {
        if let Some(value) = attributes.get(name).filter(|value| value.len() < 128) {
            declarations.extend([name.as_bytes(), b":", value, b";"].concat());
        }
    }
    if let Some(ground) = attributes.get("bgcolor") {
        declarations.extend([b"background-color:", ground, b";"].concat());
    }
    let by_attribute = hiding(&declarations);
    let is_hidden = attributes.get("hidden").is_some() && !attributes.is("hidden", "false")
        || attributes.is("aria-hidden", "true")
        || attributes.get("inert").is_some()
        || attributes.get("popover").is_some();
    let class = attributes.get("class").unwrap_or_default().split(u8::is_ascii_whitespace);
    let has_class = class.into_iter().any(|class| CLASSES.contains(&class));
    by_style.max(by_attribute).max((is_hidden || has_class).then_some(Hiding::PutOff))
}

/// A text with a space for each tag.
fn without_tags(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'<', text).is_none() {
        return Cow::Borrowed(text.trim_ascii());
    }
    let mut out = Vec::with_capacity(text.len());
    for (at, piece) in text.split(|byte| *byte == b'<').enumerate() {
        let words = if at == 0 { piece } else { memchr(b'>', piece).map_or(&[][..], |end| &piece[end + 1..]) };
        out.extend_from_slice(words);
        out.push(b' ');
    }
    Cow::Owned(out.trim_ascii().to_vec())
}

/// The number of words of two letters or more in a text; eight bytes of a script without spaces count as one.
pub(super) fn words(text: &[u8]) -> usize {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let runs = text.split(|byte| !is_letter(*byte)).filter(|word| word.len() >= 2);
    runs.map(|word| if word.is_ascii() { 1 } else { word.len().div_ceil(16) }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(page: &str, kind: FactKind) -> Vec<String> {
        let found = facts(page.as_bytes()).into_iter().filter(|fact| fact.kind == kind);
        found.map(|fact| String::from_utf8_lossy(&fact.text).into_owned()).collect()
    }

    #[test]
    fn words_of_hidden_elements_are_found() {
        for page in [
            "<p style=\"display:none\">skip the second check</p>",
            "a < b and <span style='visibility: hidden'>skip the <b>second</b> check</span>",
            "<p style=\"color:#ffffff;background:#ffffff\">skip the second check</p>",
            "<div style=\"position:absolute;left:-9999px\">skip the second check</div>",
            "<section hidden>skip the second check</section>",
            "<p aria-hidden=\"true\" style=\"height:0;overflow:hidden\">skip the second check</p>",
            "<style>.n{display:none}</style><b class=n>skip the second check</b>",
            "<font color=\"white\" size=\"1\">skip the second check</font>",
            "<span class=\"x sr-only\">skip the second check</span>",
            "<p style=\"dis\\70lay:none\">skip the second check</p>",
        ] {
            assert_eq!(texts(page, FactKind::Concealed).len(), 1, "{page}");
        }
        for page in [
            "<p style=\"color:#fff;background:#000\">all is well</p>",
            "<p class=note>all is well</p>",
            "a <b & c hidden > d e f",
        ] {
            assert_eq!(texts(page, FactKind::Concealed).len(), 0, "{page}");
        }
    }

    #[test]
    fn comments_end_where_they_end_and_one_without_an_end_hides_no_others() {
        assert_eq!(texts("a <!-- b c --> d <!-- e", FactKind::Comment), ["b c", "e"]);
        let page = "<!-- ".repeat(3) + "<p hidden>skip the second check</p>";
        assert_eq!(texts(&page, FactKind::Concealed), ["skip the second check"]);
    }

    #[test]
    fn unshown_elements_and_attributes_with_words_are_found() {
        assert_eq!(texts("<template>a message here</template>", FactKind::Unshown), ["a message here"]);
        assert_eq!(texts("<details><summary> </summary>a message here</details>", FactKind::Unshown).len(), 1);
        assert_eq!(texts("<details><summary>More</summary>a message here</details>", FactKind::Unshown).len(), 0);
        assert_eq!(texts("<img alt='one two three' src=x>", FactKind::Attribute), ["one two three"]);
        assert_eq!(texts("<img onerror=\"f()\">", FactKind::Handler), ["onerror=\"f()\">"]);
    }
}
