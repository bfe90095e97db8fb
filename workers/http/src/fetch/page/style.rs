//! Which elements attributes and the page's own style sheets hide.
//!
//! Declarations are normalised and compared with those that hide text. Of a selector the classes and ids of its
//! last part count, or else its name, so that more may be hidden here than in a browser. *Security*: hostile bytes, bounded. *Standards*: CSS Syntax 3,
//! CSS 2.2, Selectors 4.

use std::collections::{BTreeMap, BTreeSet};

use html5gum::{HtmlString, Spanned};

/// The attributes of a tag.
type Attributes = BTreeMap<HtmlString, Spanned<HtmlString, ()>>;

/// The most hiding selectors of a page that are kept.
const SELECTORS_MAX: usize = 10_000;

/// The greatest depth of rules; in a deeper sheet everything counts as hidden.
const DEPTH_MAX: usize = 64;

/// The longest number that is read.
const NUMBER_BYTES_MAX: usize = 32;

fn get<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a [u8]> {
    attributes.get(name.as_bytes()).map(|value| value.value.as_slice())
}

/// Whether an element's own attributes hide it.
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

/// Whether declarations hide their elements. One hiding declaration is sufficient, even if others override it.
fn hides(declarations: &[u8]) -> bool {
    let plain = plain(declarations);
    let values: Vec<(&[u8], &[u8])> = plain.split(|byte| *byte == b';').filter_map(pair).collect();
    let any = |names: &[&str], is: &dyn Fn(&[u8]) -> bool| {
        values.iter().any(|(name, value)| names.iter().any(|own| own.as_bytes() == *name) && is(value))
    };
    let is_small = |value: &[u8]| number(value).is_some_and(|number| number.abs() <= 1.0);
    let grounds: BTreeSet<&[u8]> = values
        .iter()
        .filter(|(name, _)| matches!(*name, b"background-color" | b"background"))
        .map(|(_, value)| *value)
        .collect();
    any(&["display"], &|value| value == b"none" || value.starts_with(b"var("))
        || any(&["visibility"], &|value| matches!(value, b"hidden" | b"collapse") || value.starts_with(b"var("))
        || any(&["content-visibility"], &|value| value == b"hidden")
        || any(&["opacity", "zoom", "scale"], &|value| number(value).is_some_and(|number| number < 0.1))
        || any(&["font-size"], &is_tiny)
        || any(&["font"], &|value| value.starts_with(b"0") || value.starts_with(b"normal0"))
        || any(&["text-indent", "left", "right", "top", "bottom", "inset"], &is_away)
        || any(&["margin", "margin-left", "margin-top", "translate"], &is_away)
        || any(&["overflow", "overflow-x", "overflow-y"], &|value| {
            value.starts_with(b"hidden") || value.starts_with(b"clip")
        }) && any(&["width", "height", "max-width", "max-height"], &is_small)
        || any(&["clip"], &|value| value.starts_with(b"rect(0") || value.starts_with(b"rect(1px"))
        || any(&["clip-path"], &|value| {
            [&b"inset(50%"[..], b"inset(100%", b"circle(0", b"polygon(0"].iter().any(|clip| value.starts_with(clip))
        })
        || any(&["transform"], &is_moved_away)
        || any(&["filter"], &|value| value.starts_with(b"opacity(0"))
        || any(&["color", "-webkit-text-fill-color"], &|color| {
            color == b"transparent" || grounds.contains(&color) || grounds.is_empty() && is_pale(color)
        })
}

/// Whether a font size is unreadable: at most a pixel or a tenth of the surrounding size.
fn is_tiny(value: &[u8]) -> bool {
    let is_relative = value.ends_with(b"em") || value.ends_with(b"%");
    let most = if value.ends_with(b"%") {
        10.0
    } else if is_relative {
        0.1
    } else {
        1.0
    };
    number(value).is_some_and(|number| number.abs() <= most)
}

/// Whether a position is off the page: a hundred pixels, or twenty times the font size.
fn is_away(value: &[u8]) -> bool {
    let most = if value.ends_with(b"em") { -20.0 } else { -99.0 };
    let starts = value.iter().enumerate().filter(|(_, byte)| **byte == b'-').map(|(at, _)| at);
    let from = |at: usize| value.get(at..value.len().min(at + NUMBER_BYTES_MAX));
    starts.filter_map(|at| number(from(at)?)).any(|number| number <= most)
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

/// Whether a colour is invisible on a white page: near white, or transparent.
fn is_pale(color: &[u8]) -> bool {
    let color = color.trim_ascii();
    matches!(color, b"white" | b"snow" | b"ivory" | b"transparent")
        || color.strip_prefix(b"#").is_some_and(|digits| {
            let is_clear = match digits {
                [_, _, _, alpha] | [_, _, _, _, _, _, alpha, _] => *alpha == b'0',
                _ => false,
            };
            let is_high = |digit: &u8| matches!(digit, b'f' | b'F');
            is_clear
                || match digits.len() {
                    3 | 4 => digits.iter().take(3).all(is_high),
                    6 | 8 => digits.iter().take(6).step_by(2).all(is_high),
                    _ => false,
                }
        })
        || color.starts_with(b"rgb(255,255,255")
        || color.starts_with(b"rgba(255,255,255")
        || color.starts_with(b"rgb(255255255")
        || color.starts_with(b"hsl") && color.ends_with(b"100%)")
        || color.ends_with(b",0)")
}

fn pair(declaration: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = declaration.iter().position(|byte| *byte == b':')?;
    Some((declaration.get(..at)?, declaration.get(at + 1..)?))
}

/// The number at the beginning of a value.
fn number(value: &[u8]) -> Option<f64> {
    let is_part = |(at, byte): (usize, &u8)| match byte {
        b'+' | b'-' => at == 0 || value.get(at - 1) == Some(&b'e'),
        b'e' => value.get(at + 1).is_some_and(|next| next.is_ascii_digit() || matches!(next, b'+' | b'-')),
        byte => byte.is_ascii_digit() || *byte == b'.',
    };
    let end = value.iter().enumerate().position(|part| !is_part(part)).unwrap_or(value.len());
    std::str::from_utf8(value.get(..end)?).ok()?.parse().ok()
}

/// Normalised declarations: lower case, without comments, escapes, blanks, quotation marks and `!important`.
fn plain(declarations: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(declarations.len());
    let mut rest = declarations;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'/' if tail.first() == Some(&b'*') => rest = after_comment(tail),
            b'\\' => {
                let (letter, tail) = unescaped(tail);
                out.extend(letter.map(|letter| letter.to_ascii_lowercase()));
                rest = tail;
            }
            _ if byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'') => {}
            _ => out.push(byte.to_ascii_lowercase()),
        }
    }
    let text = String::from_utf8_lossy(&out).replace("!important", "");
    text.into_bytes()
}

/// The hiding selectors of a page's style sheets: names of elements, `.class` and `#id`.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    marks: BTreeSet<Vec<u8>>,
    /// Whether there are more than are kept. Then everything counts as hidden.
    is_full: bool,
}

impl Sheet {
    /// Hides every element of a name.
    pub(super) fn hide(&mut self, mark: &[u8]) {
        self.is_full |= self.marks.len() == SELECTORS_MAX;
        if !self.is_full {
            self.marks.insert(mark.to_vec());
        }
    }

    /// Reads the text of a style element. A nested rule also hides the elements of the outer one.
    pub(super) fn read(&mut self, text: &[u8]) {
        let text = without_words(text);
        // The selectors of the open rules, empty once they are hidden; where the present statement begins, and where the present
        // declarations begin.
        let (mut heads, mut start, mut block): (Vec<&[u8]>, usize, usize) = (Vec::new(), 0, 0);
        for (at, byte) in text.iter().enumerate() {
            match byte {
                b'{' => {
                    self.hide_if(&mut heads, text.get(block..start).unwrap_or_default());
                    self.is_full |= heads.len() == DEPTH_MAX;
                    if self.is_full {
                        return;
                    }
                    heads.push(text.get(start..at).unwrap_or_default());
                    (start, block) = (at + 1, at + 1);
                }
                b'}' => {
                    self.hide_if(&mut heads, text.get(block..at).unwrap_or_default());
                    heads.pop();
                    (start, block) = (at + 1, at + 1);
                }
                b';' => start = at + 1,
                _ => {}
            }
        }
        self.hide_if(&mut heads, text.get(block..).unwrap_or_default());
    }

    /// Adds the selectors of these rules, if their declarations hide.
    fn hide_if(&mut self, heads: &mut [&[u8]], declarations: &[u8]) {
        if !hides(declarations) {
            return;
        }
        for head in heads {
            let head = std::mem::take(head);
            let selectors = Some(head).filter(|head| !head.trim_ascii_start().starts_with(b"@"));
            for selector in selectors.into_iter().flat_map(|head| head.split(|byte| *byte == b',')) {
                for mark in marks(selector) {
                    self.hide(&mark);
                }
            }
        }
    }

    /// Whether it hides an element.
    pub(super) fn hides(&self, name: &[u8], attributes: &Attributes) -> bool {
        if self.is_full || self.marks.is_empty() {
            return self.is_full;
        }
        let words = |attribute| get(attributes, attribute).unwrap_or_default().split(u8::is_ascii_whitespace);
        let has = |mark: &[u8], word: &[u8]| self.marks.contains(&[mark, word].concat());
        self.marks.contains(name)
            || words("class").any(|word| has(b".", word))
            || words("id").any(|word| has(b"#", word))
    }
}

/// The classes and ids of the last part of a selector, or else its name. Ignores selectors of pseudo-elements and states: they
/// do not hide the element.
fn marks(selector: &[u8]) -> Vec<Vec<u8>> {
    let selector = selector.trim_ascii();
    let is_joint = |byte: &u8| byte.is_ascii_whitespace() || b">+~".contains(byte);
    let Some(compound) = selector.rsplit(is_joint).next() else { return Vec::new() };
    let is_state = STATES.iter().any(|state| compound.windows(state.len()).any(|part| part == *state));
    if is_state {
        return Vec::new();
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte) || !byte.is_ascii();
    let starts = compound.iter().enumerate().filter(|(_, byte)| matches!(byte, b'.' | b'#')).map(|(at, _)| at);
    let named = |at: usize| {
        let length = compound.get(at + 1..)?.iter().take_while(|byte| is_name(byte)).count();
        compound.get(at..=at + length).filter(|mark| mark.len() > 1)
    };
    let mut marks: Vec<&[u8]> = starts.filter_map(named).collect();
    if marks.is_empty() {
        let length = compound.iter().take_while(|byte| is_name(byte)).count();
        marks.extend(compound.get(..length).filter(|name| !name.is_empty()));
        return marks.into_iter().map(<[u8]>::to_ascii_lowercase).collect();
    }
    marks.into_iter().map(<[u8]>::to_vec).collect()
}

/// Pseudo-classes and pseudo-elements.
const STATES: [&[u8]; 12] = [
    b":hover",
    b":focus",
    b":active",
    b":visited",
    b":target",
    b":checked",
    b":before",
    b":after",
    b"::",
    b":first-l",
    b":disabled",
    b":empty",
];

/// A style sheet without comments, the insides of quotation marks, and escapes, which are undone.
fn without_words(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match byte {
            b'/' if tail.first() == Some(&b'*') => after_comment(tail),
            b'"' | b'\'' => {
                let end = tail.iter().position(|other| *other == byte || *other == b'\n').unwrap_or(tail.len());
                tail.get(end + 1..).unwrap_or_default()
            }
            b'\\' => {
                let (letter, tail) = unescaped(tail);
                out.extend(letter);
                tail
            }
            _ => {
                out.push(byte);
                tail
            }
        };
    }
    out
}

/// The rest of a style sheet behind a comment, which begins with the slash before `text`.
fn after_comment(text: &[u8]) -> &[u8] {
    let end = text.windows(2).skip(1).position(|two| two == b"*/");
    end.and_then(|end| text.get(end + 3..)).unwrap_or_default()
}

/// The ASCII character that an escape means, hexadecimal or literal, and the rest; `text` begins behind the backslash.
fn unescaped(text: &[u8]) -> (Option<u8>, &[u8]) {
    let digits = text.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits == 0 {
        return text.split_first().map_or((None, text), |(first, tail)| (Some(*first), tail));
    }
    let (hex, tail) = text.split_at(digits);
    let code = std::str::from_utf8(hex).ok().and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let letter = code.and_then(|code| u8::try_from(code).ok()).filter(u8::is_ascii);
    (letter, tail.strip_prefix(b" ").unwrap_or(tail))
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
            "display:none;display:bogus",
            "display:none!important;display:block",
            "opacity:1e-9",
            "font-size:.01em",
            "font:normal 0 serif",
            "color:#0000",
            "color:rgb(255 255 255)",
            "color:hsl(0,0%,100%)",
            "-webkit-text-fill-color:transparent",
            "scale:0",
            "translate:-9999px",
            "margin:0 0 0 -9999px",
            "inset:-9999px",
            "left:-50em",
            "height:0;overflow-y:hidden",
            "clip-path:polygon(0 0)",
            "display:var(--x);--x:none",
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
        assert_eq!(sheet.marks, BTreeSet::from([b"nav".to_vec(), b".gone".to_vec(), b"#off".to_vec()]));
    }

    #[test]
    fn a_sheet_that_is_written_to_mislead_hides_all_the_same() {
        for text in [
            ".x/* c */{display:none}",
            ".x{/* } */display:none}",
            ".x{content:\"}\";display:none}",
            ".x{&{display:none}}",
            ".x{@media all{display:none}}",
            "p:is(.x){display:none}",
            ".x:not(.y){display:none}",
            ".\\78 {display:none}",
            "@media screen { .x { display:none } }",
            ".x { display:none",
            ".x{display:none;a{}}",
            ".x{display:none;@media print{color:red}}",
        ] {
            let mut sheet = Sheet::default();
            sheet.read(text.as_bytes());
            assert!(sheet.marks.contains(&b".x"[..]), "{text}: {sheet:?}");
        }
        let mut sheet = Sheet::default();
        let many: Vec<String> = (0..=SELECTORS_MAX).map(|number| format!(".a{number}{{display:none}}")).collect();
        sheet.read(many.concat().as_bytes());
        assert!(sheet.is_full);
    }
}
