//! Comments that a renderer leaves out: of HTML and XML, and what other markups use for the same.
//!
//! A comment that orders or claims something is addressed to whoever reads the source; one that tells maintainers and contributors
//! something is mentioned, for pages, templates and build files are full of them. *Security*: hostile bytes; each comment is read once. *Standards*: HTML, section 13.1.6; CommonMark
//! 0.31, section 4.7.

use std::ops::Range;

use memchr::memmem;

use super::rule;
use super::talk::{Talk, demands, names_machine, talk, talk_throughout, urges};
use super::veil::unveiled;
use crate::rule::Hit;
use crate::rule::Strength::{Addressed, Mentioned};

/// How far the comments of other markups are read, bytes.
const COMMENT_BYTES_MAX: usize = 320;

/// What opens a comment in other markups, what closes it, and whether it is refused when it orders or claims something: what is also the
/// comment of a programming language is flagged only.
pub(super) const OTHERS: [(&str, &str, bool); 120] = [
    ("{color:#fff", "{color", true),
    ("{color:white", "{color", true),
    ("{excerpt:hidden=true}", "{excerpt}", true),
    ("<noinclude>", "</noinclude", false),
    ("\n__end__\n", "\n\n\n", false),
    ("\n__data__\n", "\n\n\n", false),
    ("\n=pod\n", "\n=cut", false),
    ("#=", "=#", false),
    ("{{/*", "*/}}", true),
    ("{{- /*", "*/", true),
    ("{% if false", "{% endif", true),
    ("{% if 0", "{% endif", true),
    ("{{#if false", "{{/if", true),
    ("<#--", "-->", true),
    ("<%doc>", "</%doc>", true),
    ("<!---", "--->", true),
    ("\\ignore{", "}", true),
    ("\\comment{", "}", true),
    ("\\if0", "\\fi", true),
    ("\\todo[disable]{", "}", true),
    ("\\pdfcomment{", "}", true),
    ("\n@comment", "\n", true),
    ("\n@c ", "\n", true),
    ("\n@ignore", "@end ignore", true),
    ("\n.ig", "\n..", true),
    ("\n'\\\"", "\n", true),
    ("\n-# ", "\n", false),
    ("\n//- ", "\n", true),
    ("[comment]", "[/comment]", true),
    ("[hidden]", "[/hidden]", true),
    ("[size=0]", "[/size]", true),
    ("[size=1]", "[/size]", true),
    ("[color=white]", "[/color]", true),
    ("[color=#fff", "[/color]", true),
    ("::: comment", ":::", true),
    ("\n/' ", "'/", true),
    ("/*", "*/", false),
    ("(*", "*)", false),
    ("--[[", "]]", false),
    ("<?", "?>", true),
    ("\n=for comment", "\n=cut", true),
    ("\n=begin comment", "\n=end", true),
    ("\n-- ", "\n", false),
    ("\n::", "\n", false),
    ("\nrem ", "\n", false),
    ("\nx-note: ", "\n", true),
    ("group=\"hidden", "\"", true),
    ("{{!", "}}", true),
    ("{#", "#}", true),
    ("<%--", "--%>", true),
    ("<%#", "%>", true),
    ("{/*", "*/}", true),
    ("{% comment", "{% endcomment", true),
    ("{%- comment", "endcomment", true),
    ("{%comment", "endcomment", true),
    ("@*", "*@", true),
    ("%%", "%%", true),
    ("\\begin{comment}", "\\end{comment}", true),
    ("\\iffalse", "\\fi", true),
    ("#+begin_comment", "#+end_comment", true),
    ("\n# comment:", "\n", false),
    ("\n#+comment:", "\n", true),
    ("\n////", "\n////", true),
    ("\n.. ", "\n\n", true),
    ("\n.\\\"", "\n", true),
    ("\n%", "\n", false),
    ("(%", "%)", false),
    ("::: {.content-hidden", ":::", true),
    ("[hide]", "[/hide]", true),
    ("<remark", "</remark", true),
    ("<includeonly", "</includeonly", true),
    ("<ref group=\"hid", "</ref", true),
    ("ifdef::never", "endif::", true),
    ("ifdef::hidden", "endif::", true),
    ("\\ifhidden", "\\fi", true),
    ("\n=for ", "\n\n", false),
    ("\n=begin ", "\n=end", false),
    ("\n#if 0", "\n#endif", false),
    ("<#", "#>", false),
    ("{\\*\\annotation", "}", true),
    ("{\\*\\generator", "}", true),
    ("{\\*\\atnid", "}", true),
    ("\n.de ", "\n..", false),
    ("\n.. |", "\n", false),
    ("\n: '", "'", false),
    ("=n(\"", "\")", true),
    ("+n(\"", "\")", true),
    ("\\pdfcomment[", "}", true),
    ("<rph", "</rph", false),
    ("{{--", "--}}", true),
    ("{*", "*}", false),
    ("#|", "|#", false),
    ("\n%{", "\n%}", false),
    ("#[", "]#", false),
    ("\n=begin\n", "\n=end", false),
    ("(comment ", ")", false),
    ("#*", "*#", false),
    ("\n:comment:", "\n", true),
    ("[note=hidden", "[/note", true),
    ("\n###. ", "\n", true),
    ("{- ", " -}", false),
    ("{>>", "<<}", true),
    ("{{{#!", "}}}", false),
    ("<![ignore[", "]]>", true),
    ("<![if", "<![endif", true),
    ("</ ", ">", true),
    ("<% ", "%>", false),
    ("<draft-comment", "</draft-comment", true),
    ("\\index{", "}", true),
    ("\\end{document}", "\n\n", true),
    (">! ", "\n", false),
    ("[spoiler]", "[/spoiler]", false),
    ("{#if false}", "{/if", true),
    (".if 0", "\\}", true),
    ("<p:sld show=\"0\"", "</p:sld", true),
    ("</html>", "\n\n", true),
    ("\n..\n", "\n\n", true),
    ("<w:deltext", "</w:deltext", true),
    ("[color=transparent", "[/color", true),
    ("opacity=0]", "};", true),
];

/// The comment of HTML or XML that begins at `open`, and the byte behind it.
pub(super) fn markup(bytes: &[u8], open: usize) -> (Option<Hit>, usize) {
    let from = open.saturating_add(4);
    let Some(rest) = bytes.get(from..).filter(|_| bytes.get(open..).is_some_and(|rest| rest.starts_with(b"<!--")))
    else {
        return (bogus(bytes, open), from);
    };
    let end = memmem::find(rest, b"-->").map_or(bytes.len(), |at| from + at);
    let text = bytes.get(from..end).unwrap_or_default();
    let (says, veils) = (talk_throughout(text), unveiled(text));
    let strength = match says.max(veils) {
        Talk::Silent => None,
        Talk::Sentence | Talk::Directive if veils >= Talk::Sentence || urges(text) => Some(Addressed),
        _ => Some(Mentioned),
    };
    (strength.map(|strength| Hit { rule: rule::COMMENT, range: open..end, strength }), end)
}

/// `<!words>`, which parsers turn into a comment.
fn bogus(bytes: &[u8], open: usize) -> Option<Hit> {
    let rest = bytes.get(open + 2..)?;
    let text = rest.get(..rest.len().min(512))?;
    let text = text.get(..text.iter().position(|byte| *byte == b'>')?)?;
    if text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"entity")) {
        let value = text.splitn(3, |byte| matches!(byte, b'"' | b'\'')).nth(1)?;
        let calls = names_machine(value) && talk(value) == Talk::Directive;
        return calls.then(|| Hit { rule: rule::COMMENT, range: open..open + 3 + text.len(), strength: Addressed });
    }
    let known = ["doctype", "element", "attlist", "entity", "notation", "[", "-"];
    let low = text.to_ascii_lowercase();
    let is_whole = |rest: &[u8]| rest.first().is_none_or(|byte| !matches!(byte, b'-')) || low.starts_with(b"-");
    let is_text = !known.iter().any(|word| low.strip_prefix(word.as_bytes()).is_some_and(is_whole))
        && !text.contains(&b'\n')
        && !text.contains(&b'=');
    (is_text && talk(text) >= Talk::Sentence).then(|| Hit {
        rule: rule::COMMENT,
        range: open..open + 3 + text.len(),
        strength: Addressed,
    })
}

/// A comment of another markup that begins with the mark at `place`.
pub(super) fn other(bytes: &[u8], place: Range<usize>, kind: (&str, &str, bool)) -> Option<Hit> {
    let (opening, closing, refuses) = kind;
    let rest = bytes.get(place.end..)?;
    let rest = rest.get(..rest.len().min(COMMENT_BYTES_MAX))?;
    let text = match memmem::find(&rest.to_ascii_lowercase(), closing.as_bytes()) {
        Some(end) => rest.get(..end)?,
        // What ends with its line or paragraph may end with the text; anything else would not be a comment.
        None if closing.starts_with('\n') => rest,
        None => return None,
    };
    let is_directive_of_rst = opening == "\n.. "
        && (memmem::find(text.split(|byte| *byte == b'\n').next()?, b"::").is_some()
            || text.starts_with(b"_")
            || text.starts_with(b"["));
    // Program code, and a declaration of what the file is.
    let known = ["php", "xml", "xpacket", "mso", "import", "import:", "=", "\"", "'", ">"];
    // Who asks something of a machine in a program's own comment asks it all the same.
    let program = text.strip_prefix(b"php").map_or(&b""[..], <[u8]>::trim_ascii_start);
    let note =
        program.split(|byte| *byte == b'\n').next().filter(|line| line.starts_with(b"//") || line.starts_with(b"#"));
    let calls_in_program = note.is_some_and(|note| names_machine(note) && demands(note));
    let is_known = |start: &&str| text.to_ascii_lowercase().starts_with(start.as_bytes());
    if opening == "<?" && !calls_in_program && known.iter().any(is_known) {
        return None;
    }
    let least = if refuses { Talk::Sentence } else { Talk::Directive };
    let veils = unveiled(text);
    if is_directive_of_rst || talk(text).max(veils) < least {
        return None;
    }
    let is_meant = veils >= Talk::Sentence || urges(text);
    // Licences and notes, which ask nobody for anything, are what the comments of programs and of the sources of manuals are for.
    let is_everyday =
        !refuses || closing == "\n" && ["\n.", "\n'", "\n@"].iter().any(|begin| opening.starts_with(begin));
    if is_everyday && !is_meant && !names_machine(text) {
        return None;
    }
    let strength = if is_meant && (refuses || names_machine(text)) { Addressed } else { Mentioned };
    Some(Hit { rule: rule::UNRENDERED, range: place.start..place.end + text.len(), strength })
}

/// The comments that begin a text: their marks begin lines.
pub(super) fn first(bytes: &[u8], hits: &mut Vec<Hit>) {
    let opens = |(opening, ..): &&(&str, &str, bool)| {
        let mark = opening.strip_prefix('\n').and_then(|mark| Some((bytes.get(..mark.len())?, mark)));
        mark.is_some_and(|(start, mark)| start.eq_ignore_ascii_case(mark.as_bytes()))
    };
    hits.extend(OTHERS.iter().filter(opens).filter_map(|kind| other(bytes, 0..kind.0.len() - 1, *kind)));
}

/// A link definition of Markdown that defines nothing, `[//]: # (words)`, at its `]:`.
pub(super) fn definition(bytes: &[u8], place: Range<usize>) -> Option<Hit> {
    let from = place.start.saturating_sub(512);
    let before = bytes.get(from..place.start)?;
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let head = before.get(line..)?.trim_ascii_start();
    let label = head.strip_prefix(b"[")?;
    let tail = bytes.get(place.end..)?;
    let tail = tail.get(..tail.len().min(COMMENT_BYTES_MAX))?.trim_ascii_start();
    let Some(target) = ["<>", "<#>", "#", "/ ", ". ", "-"].iter().find(|target| tail.starts_with(target.as_bytes()))
    else {
        return named(bytes, label, tail, from + line..place.end);
    };
    let rest = tail.get(target.len()..)?;
    let title = rest.trim_ascii_start();
    let close = match title.first() {
        Some(b'(') => b')',
        Some(quote @ (b'"' | b'\'')) => *quote,
        // `[words]: #` alone: the label is the message.
        _ if matches!(rest.first(), None | Some(b'\n' | b'\r' | b' ')) => b'\n',
        _ => return None,
    };
    let title = if close == b'\n' { label } else { title.get(1..)?.split(|byte| *byte == close).next()? };
    let strength = match talk(title).max(talk(label)) {
        Talk::Silent => return None,
        Talk::Mark if !demands(title) => return None,
        Talk::Sentence | Talk::Directive if urges(title) || urges(label) => Addressed,
        _ => Mentioned,
    };
    Some(Hit {
        rule: rule::UNRENDERED,
        range: from + line..place.end.saturating_add(title.len()).min(bytes.len()),
        strength,
    })
}

/// A definition or footnote whose title, or whose text if its name or itself calls a machine, is a message; `head` is where its
/// name stands.
fn named(bytes: &[u8], label: &[u8], tail: &[u8], head: Range<usize>) -> Option<Hit> {
    let line = tail.split(|byte| *byte == b'\n').next()?;
    let is_note = label.starts_with(b"^");
    let open = line.windows(2).position(|two| matches!(two, [b' ', b'"' | b'\'' | b'(']));
    let title = match open {
        _ if is_note => line,
        Some(open) => line.get(open + 2..)?.split(|byte| matches!(byte, b'"' | b')')).next()?,
        None => return None,
    };
    let calls = names_machine(label) || names_machine(title);
    let strength = match talk(title) {
        Talk::Directive if calls && demands(title) => Addressed,
        Talk::Sentence | Talk::Directive if calls => Mentioned,
        Talk::Directive if !is_note && demands(title) => Mentioned,
        _ if !is_note && names_machine(label) && demands(title) => Addressed,
        _ => return None,
    };
    Some(Hit { rule: rule::UNRENDERED, range: head.start..(head.end + line.len()).min(bytes.len()), strength })
}

/// The words that stand for an image, or in place of the address of a link without a name, if they ask for something.
fn stands_for(bytes: &[u8], place: &Range<usize>, line: &[u8]) -> Option<Hit> {
    let before = bytes.get(place.start.saturating_sub(COMMENT_BYTES_MAX)..place.start)?;
    let open =
        before.iter().rposition(|byte| matches!(byte, b'[' | b'\n')).filter(|open| before.get(*open) == Some(&b'['))?;
    let label = before.get(open + 1..)?;
    let start = place.start - label.len() - 1;
    if label.is_empty() {
        let words = line.split(|byte| *byte == b')').next()?;
        let is_title = memmem::find(words, b" \"").is_some() || words.starts_with(b"<");
        // No address has a space in it.
        let is_said = words.contains(&b' ') && !is_title && talk(words) >= Talk::Sentence && urges(words);
        let range = start..place.end + words.len();
        return is_said.then_some(Hit { rule: rule::ATTRIBUTE, range, strength: Addressed });
    }
    // Behind an image that is a link stands the end of another label.
    if memmem::find(label, b"](").is_some() {
        return None;
    }
    let is_image = open.checked_sub(1).and_then(|at| before.get(at)) == Some(&b'!');
    if !is_image || talk(label) != Talk::Directive {
        return None;
    }
    let strength = match (names_machine(label), demands(label)) {
        (true, true) => Addressed,
        (true, false) | (false, true) => Mentioned,
        (false, false) => return None,
    };
    Some(Hit { rule: rule::ATTRIBUTE, range: start..place.end, strength })
}

/// A link or image of Markdown whose title holds a message, at its `](`.
pub(super) fn title(bytes: &[u8], place: Range<usize>) -> Option<Hit> {
    let rest = bytes.get(place.end..)?;
    let line = rest.get(..rest.len().min(768))?.split(|byte| *byte == b'\n').next()?;
    if let Some(hit) = stands_for(bytes, &place, line) {
        return Some(hit);
    }
    let open = line.windows(2).position(|two| matches!(two, [b' ', b'"' | b'\'' | b'(']))?;
    let target = line.get(..open)?;
    if target.contains(&b')') {
        return None;
    }
    let quote = match line.get(open + 1)? {
        b'(' => b')',
        other => *other,
    };
    let title = line.get(open + 2..)?.split(|byte| *byte == quote).next()?;
    let is_empty =
        bytes.get(place.start.saturating_sub(1)..place.start) == Some(b"[") || matches!(target, b"#" | b"" | b"<>");
    let strength = match talk(title) {
        Talk::Directive => Addressed,
        Talk::Prose | Talk::Sentence if is_empty => Addressed,
        _ => return None,
    };
    Some(Hit { rule: rule::ATTRIBUTE, range: place.start..place.end + open + 2 + title.len(), strength })
}
