//! Words that are taken apart by marks: letter by letter, by quotation marks that join strings, by tags and comments, by signs
//! that a shell passes over, by brackets. They come out whole.
//!
//! Does not judge whether a mark had a meaning where it stood: the text with it is looked at, too.
//!
//! Security: reads hostile bytes; what is looked at ahead is bounded.

use super::View;
use super::found::Found;
use super::letters::line_at;
use super::plausible::is_text;

mod notice;
mod spelled;

/// The longest tag, comment or gap between two strings.
const GAP_BYTES_MAX: usize = 160;
/// How much text is put together at once.
const TEXT_BYTES_MAX: usize = 4096;

/// The end of a line as strings of programs spell it, which takes nothing apart: half of it would be a sign to a terminal.
const LINE_END: &[u8] = b"\\r\\n";

/// Finds and joins.
pub(super) fn find(view: &View<'_>, found: &mut Found) {
    let (bytes, survey) = (view.bytes, view.survey());
    let mut done = 0;
    while let Some(at) = notice::next(survey, done, bytes.len()) {
        let mut range = line_at(bytes, at, done);
        while let Some(next) = notice::next(survey, range.end, range.end + GAP_BYTES_MAX) {
            range.end = line_at(bytes, next, range.end).end;
            if range.len() > TEXT_BYTES_MAX {
                break;
            }
        }
        // What was taken apart goes on, a string on the next line or letters below each other.
        let last = bytes.len().min(range.end + GAP_BYTES_MAX);
        range.end = line_at(bytes, last - 1, range.end.min(last - 1)).end.max(range.end);
        done = range.end;
        let text = bytes.get(range.clone()).unwrap_or_default();
        if is_text(text)
            && let Some(joined) = join(text)
        {
            found.add(range, joined, "joined");
        }
    }
}

/// The text without the marks that take its words apart, if there are any.
fn join(text: &[u8]) -> Option<Vec<u8>> {
    let mut joined: Vec<u8> = Vec::with_capacity(text.len());
    let mut at = 0;
    let mut is_changed = false;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let before = joined.last().copied().unwrap_or(b' ');
        if !before.is_ascii_alphanumeric()
            && let Some((length, letters)) = spelled::read(rest)
        {
            joined.extend(letters);
            at += length;
            is_changed = true;
        } else if rest.starts_with(LINE_END) {
            joined.extend_from_slice(LINE_END);
            at += LINE_END.len();
        } else if let Some((length, kept)) = mark(before, rest) {
            joined.extend_from_slice(kept);
            at += length;
            is_changed = true;
        } else {
            joined.extend(rest.first());
            at += 1;
        }
    }
    is_changed.then_some(joined)
}

/// The mark at the beginning, which follows `before`: its length, and what stays of it.
fn mark(before: u8, rest: &[u8]) -> Option<(usize, &[u8])> {
    let (&first, after) = rest.split_first()?;
    let is_in_word = before.is_ascii_alphanumeric();
    let is_letter = |at: usize| rest.get(at).is_some_and(u8::is_ascii_alphabetic);
    let length = match first {
        b'"' | b'\'' => return quotation(before, rest).map(|length| (length, &[][..])),
        b'$' if after.starts_with(b"{IFS}") => return Some((6, b" ")),
        b'$' if after.starts_with(b"IFS") && !is_letter(4) => return Some((4, b" ")),
        b'(' | b'[' | b'{' => return bracketed(is_in_word, rest),
        b'h' | b'H' if !is_in_word && after.get(..3).is_some_and(|it| it.eq_ignore_ascii_case(b"xxp")) => {
            return Some((4, b"http"));
        }
        _ if !is_in_word => return None,
        b'$' if matches!(after.first(), Some(b'@' | b'*' | b'!')) => 2,
        b'<' => tag(rest)?,
        b'/' if after.starts_with(b"*") => until(rest, b"*/")?,
        b'\\' | b'^' | b'`' | b'|' | b'+' => 1,
        b'*' | b'~' | b'_' => {
            let length = rest.iter().take(4).take_while(|byte| **byte == first).count();
            if first == b'_' && length < 2 {
                return None;
            }
            length
        }
        _ => return None,
    };
    let goes_on = is_letter(length) || matches!(first, b'<' | b'*') && rest.get(length) == Some(&b'<');
    goes_on.then_some((length, &[]))
}

/// Quotation marks around nothing, and those between two strings that are joined.
fn quotation(before: u8, rest: &[u8]) -> Option<usize> {
    let (&quote, after) = rest.split_first()?;
    let is_token =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b',' | b'(' | b'[' | b'{' | b'=');
    if !is_token(before) {
        return None;
    }
    if let [second, third, ..] = *after
        && second == quote
        && third.is_ascii_alphanumeric()
        && before.is_ascii_alphanumeric()
    {
        return Some(2);
    }
    let within = after.get(..after.len().min(GAP_BYTES_MAX)).unwrap_or_default();
    let gap = within.iter().position(|byte| matches!(byte, b'"' | b'\''))?;
    let between = within.get(..gap)?;
    let signs = between.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let joins = !between.is_empty()
        && signs <= 3
        && between.iter().all(|byte| {
            byte.is_ascii_whitespace() || matches!(byte, b'+' | b'.' | b'&' | b'~' | b'|' | b'\\' | b'<' | b'>' | b'%')
        });
    let is_followed = after.get(gap + 1).is_some_and(|next| is_token(*next) || *next == b' ');
    (joins && is_followed).then_some(gap + 2)
}

/// A few letters or a sign in brackets beside a letter, or brackets around nothing.
fn bracketed(is_in_word: bool, rest: &[u8]) -> Option<(usize, &[u8])> {
    let close = match rest.first()? {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    };
    let end = rest.iter().take(6).position(|byte| *byte == close)?;
    let within = rest.get(1..end)?;
    let next = rest.get(end + 1).copied().unwrap_or(b' ');
    if is_in_word && rest.starts_with(b"[](") {
        let length = until(rest, b")")?;
        return rest.get(length).is_some_and(u8::is_ascii_alphabetic).then_some((length, &[]));
    }
    let is_beside = is_in_word || next.is_ascii_alphabetic();
    match within {
        [] if is_in_word && next.is_ascii_alphabetic() => Some((end + 1, within)),
        [b'.' | b':' | b'/' | b'@'] | [b':', b'/', b'/'] if is_in_word => Some((end + 1, within)),
        b"dot" | b"DOT" if is_in_word => Some((end + 1, b".")),
        b"at" | b"AT" if is_in_word => Some((end + 1, b"@")),
        [_, ..] if within.len() <= 3 && is_beside && within.iter().all(u8::is_ascii_alphabetic) => {
            Some((end + 1, within))
        }
        _ => None,
    }
}

/// The length of a tag or a comment of HTML.
fn tag(rest: &[u8]) -> Option<usize> {
    match rest.get(1)? {
        b'!' if rest.starts_with(b"<!--") => until(rest, b"-->"),
        b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!' | b'?' => until(rest, b">"),
        _ => None,
    }
}

/// The length up to the end of what comes first.
fn until(rest: &[u8], end: &[u8]) -> Option<usize> {
    let within = rest.get(1..rest.len().min(GAP_BYTES_MAX))?;
    memchr::memmem::find(within, end).map(|at| 1 + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    #[test]
    fn words_that_were_taken_apart_come_out_whole() {
        for (text, clear) in [
            (r#"cu""rl and w''get"#, "curl and wget"),
            (r"c\url w^get wh`oami", "curl wget whoami"),
            (r"ig\nore\r\nall\r\nof i\t", r"ignore\r\nall\r\nof it"),
            ("wget${IFS}-O$IFS-", "wget -O -"),
            ("ig<b>no</b>re al<!-- x -->l", "ignore all"),
            ("ig/**/nore", "ignore"),
            ("ig**no**re ig__no__re", "ignore ignore"),
            ("ign[]()ore ign{}ore", "ignore ignore"),
            ("(i)gnore [a]ll", "ignore all"),
            (r#"x = "ign" + "ore" . "it""#, "\"ignoreit\""),
            ("x = 'ign' \\\n   'ore'", "'ignore'"),
            ("i*g*n*o*r*e a*l*l of", "ignore all of"),
            ("i|g|n|o|r|e", "ignore"),
            ("i.g.n.o.r.e", "ignore"),
            ("i🔥g🔥n🔥o🔥r🔥e", "ignore"),
            ("x\n\ni\ng\nn\no\nr\ne\n\na\nl\nl\n", "ignore all"),
            ("| i | g | n | o | r | e |", "ignore"),
            ("{'i','g','n','o','r','e',' ','a','l','l'}", "ignore all"),
            (r#"["i", "g", "n", "o", "r", "e", " ", "a", "l", "l"]"#, "ignore all"),
            ("   i   g   n   o   r   e       a   l   l", "ignore all"),
            ("t o k e n - 1 2   o f", "token-12 of"),
            ("hxxps://evil[.]example[dot]net/x", "http"),
            ("http://evil[.]example[dot]net/x", "evil.example.net/x"),
        ] {
            let joined = super::join(text.as_bytes()).map(|joined| String::from_utf8_lossy(&joined).into_owned());
            assert!(shows(text.as_bytes(), "joined", clear.as_bytes()), "{text} -> {joined:?}");
        }
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in
            ["It's \"so\", isn't it? (see a.b/c)", "{\"key\": \"value\", \"list\": [\"a\", \"b\"]}", "x = a + b - c"]
        {
            assert!(!shows(text.as_bytes(), "joined", b""), "{text}");
        }
    }
}
