//! Whether style declarations hide the words that they apply to.
//!
//! The hiding declarations are data (`words/css-hiding.txt`); this file normalises declarations and compares colours. *Security*:
//! hostile bytes, of which a bounded beginning is read. *Standards*: CSS Syntax 3, section 4.3.7; CSS 2.2, sections 8 to 11.

use std::sync::LazyLock;

use memchr::{memchr, memmem};
use regex_automata::meta::Regex;

use super::colour::{Colour, colour};
use crate::fact::word_list::{of_kind, regex};

/// How much of a style is read, bytes.
const STYLE_BYTES_MAX: usize = 1024;

/// How words are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hiding {
    /// As pages hide what they show when it is time.
    PutOff,
    /// Never used for words to be read: small, pale, turned away.
    Covert,
}

static HIDING: LazyLock<[(Hiding, Regex); 2]> = LazyLock::new(|| {
    let list = |kind| regex(&of_kind(include_str!("../../../words/css-hiding.txt"), kind).join("|"));
    [(Hiding::Covert, list("covert")), (Hiding::PutOff, list("put_off"))]
});

/// How declarations (`color:#fff;opacity:0`) hide words, if they do.
pub(super) fn hiding(declarations: &[u8]) -> Option<Hiding> {
    if declarations.is_empty() {
        return None;
    }
    let plain = plain(declarations.get(..STYLE_BYTES_MAX).unwrap_or(declarations));
    let found = HIDING.iter().find(|(_, pattern)| pattern.is_match(&plain)).map(|(how, _)| *how);
    found.max(is_pale(&plain).then_some(Hiding::Covert))
}

/// Declarations in one form: lower case, no blanks, comments and escapes, a semicolon before and behind each.
fn plain(declarations: &[u8]) -> Vec<u8> {
    let mut out = vec![b';'];
    let mut rest = declarations;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'/' if tail.first() == Some(&b'*') => {
                rest = memmem::find(tail, b"*/").map_or(&[][..], |end| &tail[end + 2..]);
            }
            b'\\' => {
                let digits = tail.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
                let code = std::str::from_utf8(&tail[..digits]).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
                out.extend(code.map(|code| code.to_ascii_lowercase()));
                rest = &tail[digits..];
                rest = rest.strip_prefix(b" ").filter(|_| digits > 0).unwrap_or(rest);
            }
            // Blanks part the numbers of a colour.
            b' ' if out.last().is_some_and(u8::is_ascii_digit) && tail.first().is_some_and(u8::is_ascii_digit) => {
                out.push(b',');
            }
            _ if byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'') => {}
            _ => out.push(byte.to_ascii_lowercase()),
        }
    }
    out.push(b';');
    while let Some(at) = memmem::find(&out, b"!important") {
        out.drain(at..at + 10);
    }
    out
}

/// Whether words have nearly the colour of the ground that is named beside it, or of paper where none is.
fn is_pale(plain: &[u8]) -> bool {
    let value = |names: &[&[u8]]| {
        let declarations = plain.split(|byte| *byte == b';');
        let values = declarations.filter_map(|one| memchr(b':', one).map(|at| (&one[..at], &one[at + 1..])));
        values.rev().find(|(name, _)| names.contains(name)).map(|(_, value)| value)
    };
    let Some(front) = value(&[b"color", b"-webkit-text-fill-color"]) else { return false };
    let ground = value(&[b"background-color", b"background"]);
    if ground == Some(front) && front != b"inherit" {
        return true;
    }
    let ground = ground.map_or(Some(Colour::PAPER), colour);
    colour(front).zip(ground).is_some_and(|(front, ground)| front.is_near(ground))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hiding_styles_are_distinguished_from_others() {
        for style in [
            "font-size: 0",
            "font-size:1px",
            "color:white",
            "color: rgb(255 255 255); background: #fff",
            "color:rgba(0,0,0,0)",
            "color:red;background:red",
            "transform:scale(0)",
            "opacity:.01;color:transparent",
        ] {
            assert_eq!(hiding(style.as_bytes()), Some(Hiding::Covert), "{style}");
        }
        for style in [
            "display : none !important",
            "opacity:0",
            "left:-9999px",
            "text-indent:-99em",
            "height:1px;overflow:hidden",
            "disp/**/lay:none",
        ] {
            assert_eq!(hiding(style.as_bytes()), Some(Hiding::PutOff), "{style}");
        }
        for style in [
            "font-size:12px",
            "opacity:0.8",
            "opacity:1",
            "color:#333",
            "left:-4px",
            "font-size:0.9em",
            "color:white;background:url(x)",
            "margin:0",
            "display:block",
            "color:#fff;background:#2a2a2a",
        ] {
            assert_eq!(hiding(style.as_bytes()), None, "{style}");
        }
    }
}
