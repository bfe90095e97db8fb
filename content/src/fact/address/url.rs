//! One address in a text, parsed like a browser or a Markdown renderer would, and split.
//!
//! Judges nothing. Drops invisible characters and line breaks inside an address, like renderers do. Gaps (`{summary of
//! the talk}`) belong to the address although they contain spaces. *Security*: hostile bytes; the length read is
//! bounded. *Standards*: RFC 3986, section 3; WHATWG URL, section 4.4.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::{Part, Piece, around};

/// The longest address that is read, its longest scheme and gap, bytes.
const URL_BYTES_MAX: usize = 2048;
const SCHEME_BYTES_MAX: usize = 20;
const GAP_BYTES_MAX: usize = 96;

/// The shortest run of letters and digits that may be something encoded, bytes.
const RUN_BYTES_MIN: usize = 11;

/// How many parts of an address are looked at.
const PIECES_MAX: usize = 64;

/// An address, without invisible characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    /// Its place in the text, scheme included.
    pub(super) range: Range<usize>,
    /// Lower case; empty where the address takes that of its page.
    pub(super) scheme: String,
    pub(super) user: Option<Vec<u8>>,
    /// Host and port as written.
    pub(super) host: Vec<u8>,
    /// From the slash on.
    pub(super) path: Vec<u8>,
    pub(super) query: Option<Vec<u8>>,
    pub(super) fragment: Option<Vec<u8>>,
    /// Whether invisible characters were left out.
    pub(super) was_broken: bool,
}

/// The bytes around the beginning of an address that anything is judged by.
pub(super) fn window(bytes: &[u8], at: usize) -> Range<usize> {
    around(bytes, at, 256, URL_BYTES_MAX / 2)
}

/// The length of the invisible character that a text begins with.
fn invisible(text: &[u8]) -> Option<usize> {
    match text {
        [0xE2, 0x80, 0x8B..=0x8F, ..] | [0xE2, 0x81, 0xA0..=0xA4, ..] | [0xEF, 0xBB, 0xBF, ..] => Some(3),
        [0xC2, 0xAD, ..] => Some(2),
        _ => None,
    }
}

impl Url {
    /// The address whose two slashes are at `slashes`, if there is one.
    pub(super) fn at(bytes: &[u8], slashes: usize) -> Option<Self> {
        let first = bytes.get(slashes + 2)?;
        if !(first.is_ascii_alphanumeric()
            || matches!(first, b'%' | b'[' | b'{' | b'$' | b'<' | b'_')
            || !first.is_ascii())
        {
            return None;
        }
        let (start, scheme, is_parted) = scheme_before(bytes, slashes)?;
        let (mut text, mut length, was_broken) = read(&bytes[slashes + 2..]);
        while matches!(text.last(), Some(b'.' | b',' | b';' | b':' | b'!' | b'?' | b'*' | b'_' | b'|')) {
            text.pop();
            length -= 1;
        }
        let url = Self::split(&text, start..slashes + 2 + length, scheme, was_broken || is_parted);
        // Without a scheme it is one only if its host has a name.
        let is_host = !url.scheme.is_empty() || url.host.contains(&b'.');
        is_host.then_some(url)
    }

    fn split(text: &[u8], range: Range<usize>, scheme: String, was_broken: bool) -> Self {
        let ends = |text: &[u8], signs: &[u8]| {
            // A command substitution is in brackets, and so are gaps of templates.
            let mut depth = 0_usize;
            let end = text.iter().position(|byte| {
                match byte {
                    b'(' | b'{' => depth += 1,
                    b')' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && signs.contains(byte)
            });
            end.unwrap_or(text.len())
        };
        let (authority, rest) = text.split_at(ends(text, b"/?#"));
        let (path, rest) = rest.split_at(ends(rest, b"?#"));
        let (query, rest) = rest.split_at(ends(rest, b"#"));
        let (user, host) = match memrchr(b'@', authority) {
            Some(at) => (Some(authority[..at].to_vec()), &authority[at + 1..]),
            None => (None, authority),
        };
        Self {
            range,
            scheme,
            user,
            host: host.to_vec(),
            path: path.to_vec(),
            query: query.strip_prefix(b"?").map(<[u8]>::to_vec),
            fragment: rest.strip_prefix(b"#").map(<[u8]>::to_vec),
            was_broken,
        }
    }

    /// The name of its host, lower case, without a port.
    pub(super) fn host_name(&self) -> String {
        let name = if self.host.starts_with(b"[") {
            &self.host
        } else {
            self.host.split(|byte| *byte == b':').next().unwrap_or_default()
        };
        String::from_utf8_lossy(name).to_lowercase()
    }

    /// Whether anything in it may carry something, or hide where it leads: most addresses have nothing to look at.
    pub(super) fn may_carry_data(&self) -> bool {
        let is_sign = |byte: &u8| b"%@{}<>[]$`|(_=\\".contains(byte) || !byte.is_ascii();
        let has_run = |text: &[u8]| {
            text.split(|byte| !byte.is_ascii_alphanumeric())
                .any(|run| run.len() >= RUN_BYTES_MIN && run.iter().any(|byte| !byte.is_ascii_lowercase()))
        };
        let number = self.host.first().is_some_and(u8::is_ascii_digit);
        self.was_broken
            || self.user.is_some()
            || self.query.is_some()
            || number
            || self.fragment.as_deref().is_some_and(has_run)
            || self.host.iter().any(is_sign)
            || self.path.iter().any(is_sign)
            || has_run(&self.host)
            || has_run(&self.path)
            || self.path.windows(4).any(|four| four[0] == b'/' && four[1..].iter().all(u8::is_ascii_uppercase))
    }

    /// Its parts.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        let piece = |part, key: &[u8], value: &[u8]| Piece { key: key.to_vec(), value: value.to_vec(), part };
        let mut pieces = Vec::new();
        pieces.extend(self.user.as_deref().map(|user| piece(Part::User, b"", user)));
        let labels = self.host.split(|byte| *byte == b'.').filter(|label| label.len() >= RUN_BYTES_MIN);
        pieces.extend(labels.map(|label| piece(Part::Host, b"", label)));
        let segments = self.path.split(|byte| *byte == b'/').filter(|segment| segment.len() > 2);
        pieces.extend(segments.map(|segment| piece(Part::Segment, b"", segment)));
        for pair in self.query.as_deref().unwrap_or_default().split(|byte| matches!(byte, b'&' | b';')) {
            let (key, value) = memchr(b'=', pair).map_or((&b""[..], pair), |at| (&pair[..at], &pair[at + 1..]));
            pieces.push(piece(Part::Parameter, key, value));
        }
        pieces.extend(self.fragment.as_deref().map(|fragment| piece(Part::Fragment, b"", fragment)));
        pieces.truncate(PIECES_MAX);
        pieces
    }
}

/// Where the scheme before two slashes begins, the scheme, and whether something invisible parts them; of an address that takes the
/// scheme of its page it is empty.
fn scheme_before(bytes: &[u8], slashes: usize) -> Option<(usize, String, bool)> {
    let mut end = slashes;
    while let Some(length) =
        [3, 2].into_iter().find(|length| end >= *length && invisible(&bytes[end - length..end]) == Some(*length))
    {
        end -= length;
    }
    let head = &bytes[end.saturating_sub(SCHEME_BYTES_MAX + 1)..end];
    let Some(name) = head.strip_suffix(b":") else {
        let opens =
            bytes[..slashes].last().is_none_or(|byte| byte.is_ascii_whitespace() || b"(\"'=<>\\".contains(byte));
        return opens.then(|| (slashes, String::new(), false));
    };
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    let length = name.iter().rev().take_while(|byte| is_scheme(byte)).count();
    let scheme = name[name.len() - length..].to_ascii_lowercase();
    let scheme =
        String::from_utf8(scheme).ok().filter(|scheme| scheme.starts_with(|it: char| it.is_ascii_alphabetic()))?;
    // The fingerprint of a key may begin with two slashes, too.
    (!["file", "sha256"].contains(&&*scheme)).then_some((end - 1 - length, scheme, end < slashes))
}

/// Reads an address from its host on: its text, how many bytes it takes, and whether invisible characters were left out.
fn read(rest: &[u8]) -> (Vec<u8>, usize, bool) {
    let rest = &rest[..rest.len().min(URL_BYTES_MAX)];
    let (mut text, mut at, mut was_broken) = (Vec::new(), 0, false);
    let (mut round, mut square) = (0_usize, 0_usize);
    while let Some(&byte) = rest.get(at) {
        let tail = &rest[at..];
        let mut length = 1;
        match byte {
            b'{' | b'<' | b'[' | b'`' | b'$' if gap(tail).is_some() => {
                length = gap(tail).unwrap_or(1);
                text.extend_from_slice(&tail[..length]);
            }
            b'\n' | b'\r' if continues(&text, tail) => {
                length = tail.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            }
            b'&' if tail.starts_with(b"&amp;") => {
                length = 5;
                text.push(b'&');
            }
            b'&' if entity(tail).is_some() => {
                let (sign, taken) = entity(tail).unwrap_or((b'&', 1));
                length = taken;
                text.push(sign);
            }
            _ if invisible(tail).is_some() => {
                length = invisible(tail).unwrap_or(1);
                was_broken = true;
            }
            b'(' => round += 1,
            b'[' => square += 1,
            b')' if round == 0 => break,
            b']' if square == 0 => break,
            b')' => round -= 1,
            b']' => square -= 1,
            b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'^' | b'}' => break,
            _ if byte <= b' ' || byte == 0x7F => break,
            _ => {}
        }
        if length == 1 && !matches!(byte, b'\n' | b'\r') {
            text.push(byte);
        }
        at += length;
    }
    (text, at, was_broken)
}

/// Whether an address continues after a line break: it does after a question mark or an ampersand.
fn continues(text: &[u8], tail: &[u8]) -> bool {
    let next = tail.trim_ascii_start();
    (matches!(text.last(), Some(b'?' | b'&')) || text.last() == Some(&b'=') && text.contains(&b'?'))
        && next.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'{')
}

/// The length of a gap with its brackets: words, or a command, on one line.
fn gap(tail: &[u8]) -> Option<usize> {
    let within = &tail[..tail.len().min(GAP_BYTES_MAX)];
    let (open, close) = match within {
        [b'$', b'(', ..] => (2, b')'),
        [b'$', b'{', ..] => (2, b'}'),
        [b'$', ..] => return None,
        [b'{', ..] => (1, b'}'),
        [b'[', ..] => (1, b']'),
        [b'`', ..] => (1, b'`'),
        _ => (1, b'>'),
    };
    let end = within.iter().skip(open).position(|byte| *byte == close || *byte == b'\n')? + open;
    let inner = &within[open..end];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b" _-.,:'$+|{%?=()".contains(byte) || !byte.is_ascii();
    let is_plain = || {
        inner.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b" {%?=".contains(byte) || !byte.is_ascii())
            && inner.iter().all(is_word)
    };
    let is_command = matches!(within, [b'$' | b'`', ..]);
    let doubled = usize::from(within[0] == b'{' && inner.first() == Some(&b'{') && within.get(end + 1) == Some(&b'}'));
    (within[end] == close && !inner.is_empty() && (is_command || is_plain())).then_some(end + 1 + doubled)
}

/// The ASCII character of an entity at the beginning of a text, and the length of the entity.
fn entity(tail: &[u8]) -> Option<(u8, usize)> {
    const NAMED: [(&[u8], u8); 3] = [(b"&colon;", b':'), (b"&sol;", b'/'), (b"&period;", b'.')];
    if let Some((name, sign)) = NAMED.iter().find(|(name, _)| tail.starts_with(name)) {
        return Some((*sign, name.len()));
    }
    let number = tail.strip_prefix(b"&#")?;
    let end = memchr(b';', &number[..number.len().min(8)])?;
    let digits = std::str::from_utf8(&number[..end]).ok()?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    code.filter(u8::is_ascii_graphic).map(|code| (code, end + 3))
}

/// A text with its entities and the backslashes before slashes and quotation marks undone.
pub(super) fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        let (sign, length) = match byte {
            b'&' => entity(rest).unwrap_or((byte, 1)),
            b'\\' if matches!(tail.first(), Some(b'/' | b'"')) => (tail[0], 2),
            _ => (byte, 1),
        };
        out.push(sign);
        rest = &rest[length..];
    }
    out
}
