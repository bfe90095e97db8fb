//! Which elements attributes and the page's own style sheets hide.
//!
//! Declarations are brought into one form and compared with those that take words out of sight. Of a selector the last class, id or
//! name counts, so that more may be hidden here than in a browser. *Security*: hostile bytes, bounded. *Standards*: CSS Syntax 3,
//! CSS 2.2, Selectors 4.

use std::collections::{BTreeMap, BTreeSet};

use html5gum::{HtmlString, Spanned};

/// The attributes of a tag.
type Attributes = BTreeMap<HtmlString, Spanned<HtmlString, ()>>;

/// The most hiding selectors of a page that are kept.
const SELECTORS_MAX: usize = 10_000;

fn get<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a [u8]> {
    attributes.get(name.as_bytes()).map(|value| value.value.as_slice())
}

/// Whether its own attributes hide an element.
pub(super) fn is_hidden(name: &[u8], attributes: &Attributes) -> bool {
    let is = |attribute, value: &[u8]| {
        get(attributes, attribute).is_some_and(|own| own.trim_ascii().eq_ignore_ascii_case(value))
    };
    let color = get(attributes, "color").is_some_and(|color| is_pale(&color.to_ascii_lowercase()));
    get(attributes, "hidden").is_some()
        || is("aria-hidden", b"true")
        || get(attributes, "popover").is_some()
        || (name == b"dialog" && get(attributes, "open").is_none())
        || (name == b"font" && color)
        || get(attributes, "style").is_some_and(hides)
}

/// Whether declarations hide what they apply to.
fn hides(declarations: &[u8]) -> bool {
    let plain = plain(declarations);
    let values: BTreeMap<&[u8], &[u8]> = plain.split(|byte| *byte == b';').filter_map(pair).collect();
    let value = |name: &str| values.get(name.as_bytes()).copied().unwrap_or_default();
    let is_small = |name: &str| number(value(name)).is_some_and(|number| number.abs() <= 1.0);
    let is_away = |name: &str| number(value(name)).is_some_and(|number| number <= -99.0);
    let is_clipped = value("overflow").starts_with(b"hidden") || value("overflow").starts_with(b"clip");
    let ground = [value("background-color"), value("background")].into_iter().find(|ground| !ground.is_empty());
    let color = value("color");
    value("display") == b"none"
        || matches!(value("visibility"), b"hidden" | b"collapse")
        || value("content-visibility") == b"hidden"
        || number(value("opacity")).is_some_and(|number| number < 0.1)
        || is_small("font-size") && !value("font-size").ends_with(b"em")
        || number(value("font-size")) == Some(0.0)
        || ["text-indent", "left", "right", "top", "bottom", "margin-left", "margin-top"].into_iter().any(is_away)
        || is_clipped && (["width", "height", "max-width", "max-height"].into_iter().any(is_small))
        || value("clip").starts_with(b"rect(0")
        || value("clip").starts_with(b"rect(1px")
        || value("clip-path").starts_with(b"inset(50%")
        || value("clip-path").starts_with(b"inset(100%")
        || value("clip-path").starts_with(b"circle(0")
        || is_moved_away(value("transform"))
        || value("font").starts_with(b"0")
        || value("filter").starts_with(b"opacity(0")
        || number(value("zoom")).is_some_and(|number| number < 0.1)
        || color == b"transparent"
        || !color.is_empty() && ground == Some(color)
        || ground.is_none() && is_pale(color)
}

/// Whether a transformation shrinks to nothing or moves off the page.
fn is_moved_away(transform: &[u8]) -> bool {
    let Some(at) = transform.iter().position(|byte| *byte == b'(') else { return false };
    let (name, arguments) = transform.split_at(at);
    let mut numbers = arguments.split(|byte| b"(,)".contains(byte)).filter_map(number);
    match name {
        b"scale" | b"scalex" | b"scaley" | b"scale3d" => numbers.any(|number| number.abs() < 0.1),
        b"translate" | b"translatex" | b"translatey" | b"translate3d" => numbers.any(|number| number <= -99.0),
        _ => false,
    }
}

/// Whether a colour is that of paper, on which nobody reads it, or none at all.
fn is_pale(color: &[u8]) -> bool {
    let color = color.trim_ascii();
    matches!(color, b"white" | b"snow" | b"ivory" | b"transparent")
        || color.strip_prefix(b"#").is_some_and(|digits| {
            let is_high = |digit: &u8| matches!(digit, b'f' | b'F');
            match digits.len() {
                3 | 4 => digits.iter().take(3).all(is_high),
                6 | 8 => digits.iter().take(6).step_by(2).all(is_high),
                _ => false,
            }
        })
        || color.starts_with(b"rgb(255,255,255")
        || color.starts_with(b"rgba(255,255,255")
        || color.ends_with(b",0)")
}

fn pair(declaration: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = declaration.iter().position(|byte| *byte == b':')?;
    Some((declaration.get(..at)?, declaration.get(at + 1..)?))
}

/// The number at the beginning of a value.
fn number(value: &[u8]) -> Option<f64> {
    let end = value.iter().position(|byte| !(byte.is_ascii_digit() || b"+-.".contains(byte))).unwrap_or(value.len());
    std::str::from_utf8(value.get(..end)?).ok()?.parse().ok()
}

/// Declarations in one form: lower case, without comments, escapes, blanks, quotation marks and `!important`.
fn plain(declarations: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(declarations.len());
    let mut rest = declarations;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'/' if tail.first() == Some(&b'*') => {
                let end = tail.windows(2).skip(1).position(|two| two == b"*/");
                rest = end.and_then(|end| tail.get(end + 3..)).unwrap_or_default();
            }
            b'\\' => {
                let digits = tail.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
                let code = std::str::from_utf8(&tail[..digits]).ok().and_then(|hex| u32::from_str_radix(hex, 16).ok());
                let letter = code.and_then(char::from_u32).filter(char::is_ascii);
                out.extend(letter.map(|letter| letter.to_ascii_lowercase() as u8));
                rest = &tail[digits..];
                rest = rest.strip_prefix(b" ").filter(|_| digits > 0).unwrap_or(rest);
            }
            _ if byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'') => {}
            _ => out.push(byte.to_ascii_lowercase()),
        }
    }
    let text = String::from_utf8_lossy(&out).replace("!important", "");
    text.into_bytes()
}

/// What the style sheets of a page hide: names of elements, `.class` and `#id`.
#[derive(Debug, Default)]
pub(super) struct Sheet(BTreeSet<Vec<u8>>);

impl Sheet {
    /// Reads the text of a style element.
    pub(super) fn read(&mut self, text: &[u8]) {
        for block in text.split(|byte| *byte == b'}') {
            let Some(open) = block.iter().rposition(|byte| *byte == b'{') else { continue };
            if !hides(block.get(open + 1..).unwrap_or_default()) {
                continue;
            }
            let head = block.get(..open).unwrap_or_default();
            let start = head.iter().rposition(|byte| b"{;/".contains(byte)).map_or(0, |at| at + 1);
            for selector in head.get(start..).unwrap_or_default().split(|byte| *byte == b',') {
                if let Some(name) = last(selector).filter(|_| self.0.len() < SELECTORS_MAX) {
                    self.0.insert(name.to_vec());
                }
            }
        }
    }

    /// Whether it hides an element.
    pub(super) fn hides(&self, name: &[u8], attributes: &Attributes) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let words = |attribute| get(attributes, attribute).unwrap_or_default().split(u8::is_ascii_whitespace);
        let has = |mark: &[u8], word: &[u8]| self.0.contains(&[mark, word].concat());
        self.0.contains(name) || words("class").any(|word| has(b".", word)) || words("id").any(|word| has(b"#", word))
    }
}

/// The last class, id or name of a selector. A part of an element or a state of it that is hidden is not the element.
fn last(selector: &[u8]) -> Option<&[u8]> {
    let selector = selector.trim_ascii();
    let compound = selector.rsplit(|byte| byte.is_ascii_whitespace() || b">+~".contains(byte)).next()?;
    let start = compound.iter().rposition(|byte| matches!(byte, b'.' | b'#')).unwrap_or(0);
    let name = compound.get(start..)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let rest = name.strip_prefix(b".").or_else(|| name.strip_prefix(b"#")).unwrap_or(name);
    (!rest.is_empty() && rest.iter().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide_are_told_from_those_that_do_not() {
        for style in [
            "display:none",
            "visibility: hidden",
            "opacity:.05",
            "font-size:0",
            "font-size: 1px",
            "color:#FFF",
            "color: rgb(255, 255, 255)",
            "color:red;background:red",
            "left:-9999px",
            "height:1px;overflow:hidden",
            "clip: rect(0 0 0 0)",
            "disp/* */lay:none",
            "text-indent:-999em",
            "color:rgba(0,0,0,0)",
            "transform: translateX(-9999px)",
            "transform:scale( 0 )",
            "font:0/0 serif",
            "filter: opacity(0)",
            "zoom:0",
        ] {
            assert!(hides(style.as_bytes()), "{style}");
        }
        for style in [
            "display:block",
            "opacity:1",
            "opacity:0.8",
            "font-size:1em",
            "font-size:.9em",
            "color:#333",
            "left:-4px",
            "color:white;background:#222",
            "margin:0",
            "height:0",
            "",
            "display",
            "font-size:12px",
            "transform:translate(-50%, 4px)",
            "transform:scale(1.1)",
            "font:12px serif",
        ] {
            assert!(!hides(style.as_bytes()), "{style}");
        }
    }

    #[test]
    fn a_sheet_hides_by_name_class_and_id() {
        let mut sheet = Sheet::default();
        sheet.read(
            b"@media print { nav { display:none } } a:hover{display:none} .x>i.gone, #off { font-size:0 } b{color:red}",
        );
        assert_eq!(sheet.0, BTreeSet::from([b"nav".to_vec(), b".gone".to_vec(), b"#off".to_vec()]));
    }
}
