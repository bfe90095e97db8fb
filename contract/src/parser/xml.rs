//! `builtin:xml`: an XML document as JSON: `{"root": {"@attribute": "…", "#text": "…", "child": […]}}`.
//!
//! Every element is an object, a repeated one below its parent an array of them; text is under `#text`, trimmed.
//! Comments and processing instructions are dropped. The output schema decides on lists and types.
//!
//! Security: a document type with declarations is refused, so the only entities are the five of XML and character references, and
//! nothing expands. Nothing is fetched. Elements are kept on a list of our own, never on the call stack.
//! Standards: XML 1.0, fifth edition, well-formedness.

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use serde_json::{Map, Value};

use super::encoding::decode;
use super::shape::{TEXT, shaped};
use super::{DEPTH_MAX, ParseError, VALUES_MAX, malformed};

/// Attributes of one element, at most.
const ATTRIBUTES_MAX: usize = 256;

pub(super) fn parse(raw: &[u8], schema: &Value) -> Result<Value, ParseError> {
    read(&decode(raw)?).map(|value| shaped(value, schema))
}

fn read(text: &str) -> Result<Value, ParseError> {
    let mut reader = Reader::from_str(text);
    let mut document = Document { root: None, open: Vec::new(), values: 0 };
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        let fault = |fault| match fault {
            Fault::TooComplex => ParseError::TooComplex,
            Fault::Malformed(fault) => malformed("XML", fault, text.as_bytes(), at),
        };
        let event = reader.read_event().map_err(|_| fault(Fault::Malformed("its markup is broken")))?;
        if matches!(event, Event::Eof) {
            return document.finish().map_err(fault);
        }
        document.take(&event).map_err(fault)?;
    }
}

enum Fault {
    TooComplex,
    Malformed(&'static str),
}

use Fault::Malformed;

/// An element that is not closed yet.
struct Element {
    name: String,
    members: Map<String, Value>,
    text: String,
}

struct Document {
    root: Option<(String, Value)>,
    open: Vec<Element>,
    values: usize,
}

impl Document {
    fn take(&mut self, event: &Event<'_>) -> Result<(), Fault> {
        match event {
            Event::Start(start) => self.start(start),
            Event::Empty(start) => {
                self.start(start)?;
                self.end();
                Ok(())
            }
            Event::End(_) => {
                self.end();
                Ok(())
            }
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) if !self.open.is_empty() => self.text(&text.xml10_content()),
            Event::CData(_) => Err(Malformed("text is outside the root element")),
            Event::GeneralRef(reference) => self.text(&resolve(reference)?),
            Event::DocType(doctype) if doctype.contains('[') => Err(Malformed("its document type has declarations")),
            Event::Decl(_) | Event::DocType(_) | Event::Comment(_) | Event::PI(_) | Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), Fault> {
        if self.open.is_empty() && self.root.is_some() {
            return Err(Malformed("it has a second root element"));
        }
        let name = checked_name(start.name().as_ref())?;
        let mut members = Map::new();
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.map_err(|_| Malformed("an attribute is broken"))?;
            let key = format!("@{}", checked_name(attribute.key.as_ref())?);
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|_| Malformed("an attribute has an unknown entity"))?;
            if members.insert(key, checked_text(&value)?.into()).is_some() {
                return Err(Malformed("an attribute occurs twice in one element"));
            }
            if members.len() > ATTRIBUTES_MAX {
                return Err(Fault::TooComplex);
            }
        }
        self.values += members.len() + 1;
        self.open.push(Element { name, members, text: String::new() });
        if self.open.len() > DEPTH_MAX || self.values > VALUES_MAX { Err(Fault::TooComplex) } else { Ok(()) }
    }

    fn text(&mut self, text: &str) -> Result<(), Fault> {
        let text = checked_text(text)?;
        match self.open.last_mut() {
            Some(element) => element.text.push_str(text),
            None if text.trim_ascii().is_empty() => {}
            None => return Err(Malformed("text is outside the root element")),
        }
        Ok(())
    }

    /// Closes the innermost element; the reader has checked that the names agree.
    fn end(&mut self) {
        let Some(Element { name, mut members, text }) = self.open.pop() else { return };
        if !text.trim().is_empty() {
            members.insert(TEXT.into(), text.trim().into());
        }
        let element = Value::Object(members);
        let Some(parent) = self.open.last_mut() else {
            self.root = Some((name, element));
            return;
        };
        match parent.members.get_mut(&name) {
            Some(Value::Array(siblings)) => siblings.push(element),
            Some(only) => *only = Value::Array(vec![only.take(), element]),
            None => drop(parent.members.insert(name, element)),
        }
    }

    fn finish(self) -> Result<Value, Fault> {
        if !self.open.is_empty() {
            return Err(Malformed("an element is not closed"));
        }
        let (name, root) = self.root.ok_or(Malformed("it has no root element"))?;
        Ok(Value::Object(Map::from_iter([(name, root)])))
    }
}

fn resolve(reference: &BytesRef<'_>) -> Result<String, Fault> {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => Ok(character.to_string()),
        Ok(None) => resolve_xml_entity(&reference.xml10_content())
            .map(str::to_owned)
            .ok_or(Malformed("it has an unknown entity")),
        Err(_) => Err(Malformed("it has a broken character reference")),
    }
}

/// A name that cannot be taken for `@attribute` or `#text`.
fn checked_name(name: &str) -> Result<String, Fault> {
    let is_start = |first: char| first.is_ascii_alphabetic() || first == '_' || first == ':' || !first.is_ascii();
    let is_part =
        |character: char| character.is_ascii_alphanumeric() || "_:.-".contains(character) || !character.is_ascii();
    let is_name = name.starts_with(is_start) && name.chars().all(is_part);
    is_name.then(|| name.to_owned()).ok_or(Malformed("a name is not a valid XML name"))
}

/// A text of XML characters.
fn checked_text(text: &str) -> Result<&str, Fault> {
    let is_character = |character: char| !matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    text.chars().all(is_character).then_some(text).ok_or(Malformed("it has a character that XML does not allow"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn elements_attributes_and_text_have_their_places() {
        for (text, expected) in [
            (
                "<?xml version=\"1.0\"?><root><item name=\"a\">text</item><item name=\"b\">more</item></root>",
                json!({"root": {"item": [{"@name": "a", "#text": "text"}, {"@name": "b", "#text": "more"}]}}),
            ),
            ("<!DOCTYPE nmaprun>\n<!-- c --><a><b/><c/><b/><b/></a>\n", json!({"a": {"b": [{}, {}, {}], "c": {}}})),
            ("<a> x &lt;&#65;&amp;<![CDATA[<&]]> </a>", json!({"a": {"#text": "x <A&<&"}})),
            ("<a b='&quot;1&#10;2'/>", json!({"a": {"@b": "\"1\n2"}})),
            ("<é:x/>", json!({"é:x": {}})),
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn malformed_documents_are_refused() {
        for text in [
            " ",
            "text",
            "<a>",
            "</a>",
            "<a></b>",
            "<a/><b/>",
            "<a/>x",
            "x<a/>",
            "<a b=1/>",
            "<a b='1' b='2'/>",
            "<a b/>",
            "<a>&b;</a>",
            "<a b='&b;'/>",
            "<a>&#0;</a>",
            "<a>&#x1;</a>",
            "<a>\u{1}</a>",
            "<a",
            "<a>&amp</a>",
            "<@a/>",
            "<a><![CDATA[x</a>",
            "<a><!-- </a>",
            "<![CDATA[x]]>",
            "<a>&#xD800;</a>",
            "<1/>",
        ] {
            assert!(matches!(read(text), Err(ParseError::Malformed { .. })), "{text:?}: {:?}", read(text));
        }
    }

    #[test]
    fn entity_bombs_do_not_go_off() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'xxxxxxxx'><!ENTITY y '&x;&x;&x;'>]><a>&y;</a>";
        let outside = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>";
        for text in [bomb, outside] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_wide_and_overdressed_documents_are_refused() {
        assert_eq!(read(&"<a>".repeat(1_000_000)), Err(ParseError::TooComplex));
        assert_eq!(read(&format!("<a>{}</a>", "<b/>".repeat(VALUES_MAX))), Err(ParseError::TooComplex));
        let attributes = (0..300).map(|index| format!("a{index}=''")).collect::<Vec<_>>().join(" ");
        assert_eq!(read(&format!("<a {attributes}/>")), Err(ParseError::TooComplex));
        assert!(read(&format!("{}{}", "<a>".repeat(DEPTH_MAX), "</a>".repeat(DEPTH_MAX))).is_ok());
    }
}
