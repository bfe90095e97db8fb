//! What a sentence stands in by the command before it: an argument of a typesetting command that prints nothing, a group of a word
//! processor, a string of a page description.
//!
//! Commands that print their argument are few and known; all others keep it, or may. *Security*: hostile bytes; reads the bounded
//! piece that it is given, once.

use memchr::{memchr, memrchr};

/// Commands of TeX and of RTF that show what follows them; a part of the name is enough for those that end in a star.
const SHOWING: [&str; 62] = [
    "ansi*",
    "deff*",
    "uc*",
    "view*",
    "text*",
    "emph",
    "section*",
    "sub*",
    "chapter*",
    "part",
    "paragraph*",
    "title*",
    "author*",
    "date",
    "caption*",
    "footnote*",
    "item",
    "href",
    "url",
    "bf*",
    "it*",
    "sc",
    "sf*",
    "tt*",
    "rm*",
    "bold*",
    "italic*",
    "underline",
    "uline",
    "mbox",
    "hbox",
    "vbox",
    "fbox",
    "framebox",
    "parbox",
    "enquote",
    "quote*",
    "frame*",
    "block",
    "large*",
    "huge*",
    "small",
    "normal*",
    "center*",
    "marginpar",
    "footnotetext",
    "thanks",
    "abstract",
    "math*",
    "par*",
    "pard",
    "plain",
    "rtf*",
    "b",
    "i",
    "ul*",
    "f*",
    "fs*",
    "cf*",
    "lang*",
    "newcommand",
    "def",
];

/// How many brackets around a sentence are looked at.
const DEPTH_MAX: usize = 3;

/// How long a name is at most, bytes.
const NAME_BYTES_MAX: usize = 24;

/// Whether one of the last brackets that `head` leaves open is that of a command whose argument is not printed.
pub(super) fn keeps(head: &[u8]) -> bool {
    let mut outer = head;
    for _ in 0..DEPTH_MAX {
        let Some(open) = open_brace(outer) else { return false };
        let (before, within) = (outer.get(..open).unwrap_or_default(), outer.get(open + 1..).unwrap_or_default());
        if (outer.len() == head.len() && is_group(within)) || command(before).is_some_and(|name| !shows(name)) {
            return true;
        }
        outer = before;
    }
    false
}

/// Whether `head` ends within a string that is the value of a name: `/Contents (`.
pub(super) fn is_value(head: &[u8]) -> bool {
    let Some(open) = memrchr(b'(', head).filter(|open| memchr(b')', head.get(*open..).unwrap_or_default()).is_none())
    else {
        return false;
    };
    let before = head.get(..open).unwrap_or_default().trim_ascii_end();
    let name = before.iter().rev().take(NAME_BYTES_MAX).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let slash = before.len().checked_sub(name + 1).and_then(|at| before.get(at));
    name >= 2 && slash == Some(&b'/')
}

/// Where the last brace stands that is not closed.
fn open_brace(head: &[u8]) -> Option<usize> {
    let mut closed = 0_usize;
    head.iter().rposition(|byte| match byte {
        b'}' => {
            closed += 1;
            false
        }
        b'{' if closed > 0 => {
            closed -= 1;
            false
        }
        b'{' => true,
        _ => false,
    })
}

/// Whether what stands behind an opening brace is nothing but commands, one of which shows nothing: `{\deleted\revauthdel1 …`.
fn is_group(within: &[u8]) -> bool {
    let within = within.trim_ascii();
    let Some(commands) = within.strip_prefix(b"\\") else { return false };
    let mut names = commands.split(|byte| *byte == b'\\');
    let is_name = |name: &[u8]| !name.contains(&b' ');
    names.clone().all(is_name) && names.any(|name| !shows(name.strip_prefix(b"*").unwrap_or(name)))
}

/// The name of the command whose argument begins behind `before`, whatever arguments stand between.
fn command(before: &[u8]) -> Option<&[u8]> {
    let mut rest = before;
    while let Some((last, others)) = rest.split_last() {
        let opening = match last {
            b'}' => b'{',
            b']' => b'[',
            b'>' => b'<',
            _ => break,
        };
        rest = others.get(..memrchr(opening, others)?)?;
    }
    let length =
        rest.iter().rev().take(NAME_BYTES_MAX).take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'*').count();
    let start = rest.len() - length;
    (length >= 2 && start.checked_sub(1).and_then(|at| rest.get(at)) == Some(&b'\\'))
        .then(|| rest.get(start..))
        .flatten()
}

/// Whether a command shows what follows it.
fn shows(name: &[u8]) -> bool {
    SHOWING.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start.as_bytes()),
        None => name == known.as_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_commands_that_print_nothing_keep_their_words() {
        for head in [
            "a \\note{",
            "\\pdftooltip{$x$}{",
            "\\only<0>{",
            "\\BeginAccSupp{method=escape,ActualText={",
            "{\\deleted\\revauthdel1 ",
            "{\\info{\\doccomm ",
            "\\gdef\\unused{\\leaf[a]{",
        ] {
            assert!(keeps(head.as_bytes()), "{head}");
        }
    }

    #[test]
    fn what_is_printed_and_what_is_closed_is_seen() {
        for head in [
            "\\section{",
            "\\textbf{",
            "\\footnote{see ",
            "{\\b ",
            "{\\rtf1\\ansi\\fs24 ",
            "\\note{closed} and ",
            "if (a) { ",
            "fn a() {",
            "",
        ] {
            assert!(!keeps(head.as_bytes()), "{head}");
        }
    }

    #[test]
    fn strings_of_a_page_description_belong_to_their_names() {
        assert!(is_value(b"<< /Type /Annot /Contents ("));
        for head in ["72 720 Td (", "call(a, ", "/Title (closed) and ", "/ ("] {
            assert!(!is_value(head.as_bytes()), "{head}");
        }
    }
}
