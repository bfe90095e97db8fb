//! One web address in a text, read as a browser or a Markdown renderer would, and taken apart.
//!
//! It judges nothing. Characters that nobody sees and line breaks inside a delimited address are dropped, as renderers drop
//! them; gaps to fill in (`{summary of the talk}`) belong to the address although they hold spaces.
//! *Security*: hostile bytes; an address is read for a bounded length. *Standards*: RFC 3986, section 3; WHATWG URL, section 4.4.

use std::ops::Range;

use super::notation;

/// The longest address that is read, bytes; what goes on behind it is judged by its beginning.
const URL_BYTES_MAX: usize = 2048;

/// The longest gap to fill in, bytes.
const GAP_BYTES_MAX: usize = 96;

/// An address, without what nobody sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    /// Where it stands in the text, scheme included.
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
    /// Whether invisible characters were left out; a line break may be the work of whatever wrapped the text.
    pub(super) was_broken: bool,
}

/// The length of the invisible character that `bytes` begin with, 0 where they begin with another.
pub(super) fn invisible(bytes: &[u8]) -> usize {
    match bytes {
        [0xE2, 0x80, 0x8B..=0x8F, ..] | [0xE2, 0x81, 0xA0..=0xA4, ..] | [0xEF, 0xBB, 0xBF, ..] => 3,
        [0xC2, 0xAD, ..] => 2,
        _ => 0,
    }
}

impl Url {
    /// The address whose two slashes stand at `slashes`, if there is one.
    pub(super) fn at(bytes: &[u8], slashes: usize) -> Option<Self> {
        let (start, scheme) = scheme_before(bytes, slashes)?;
        // Browsers skip more slashes than two.
        let more = bytes.get(slashes + 2..)?.iter().take(2).take_while(|byte| **byte == b'/').count();
        let more = if matches!(scheme.as_str(), "http" | "https") { more } else { 0 };
        Self::behind(bytes, (start, scheme), more, slashes + more + 2)
    }

    /// The address whose host stands right behind `http:` or `https:`, which ends at `colon`: browsers do without slashes.
    pub(super) fn without_slashes(bytes: &[u8], colon: usize) -> Option<Self> {
        let (start, scheme) = scheme_before(bytes, colon)?;
        let tail = bytes.get(colon..)?;
        let is_host = tail.first()?.is_ascii_alphanumeric() && dotted(tail) && scheme.starts_with("http");
        Self::behind(bytes, (start, scheme), 0, colon).filter(|_| is_host)
    }

    /// The address of a scheme that begins at `start`, whose host begins at `host`, `more` slashes than two before it.
    fn behind(bytes: &[u8], (start, scheme): (usize, String), more: usize, host: usize) -> Option<Self> {
        let opener = bytes.get(..start)?.last().copied();
        let tail = bytes.get(host..)?;
        let (mut text, mut length, mut was_broken) = read(tail, closing(opener));
        was_broken |= host - start > scheme.len() + more + 3;
        if closing(opener).is_none() {
            while matches!(text.last(), Some(b'.' | b',' | b';' | b':' | b'!' | b'?' | b'*' | b'_')) {
                text.pop();
                length = length.saturating_sub(1);
            }
        }
        let first = text.first()?;
        if !(first.is_ascii_alphanumeric()
            || matches!(first, b'%' | b'[' | b'{' | b'<' | b'$' | b'_')
            || !first.is_ascii())
        {
            return None;
        }
        let range = start..host + length;
        Some(Self::split(&text, range, scheme, was_broken))
    }

    fn split(text: &[u8], range: Range<usize>, scheme: String, was_broken: bool) -> Self {
        let find =
            |text: &[u8], wanted: &[u8]| text.iter().position(|byte| wanted.contains(byte)).unwrap_or(text.len());
        // A command that is put in stands in brackets, and so do gaps of templates.
        let mut depth = 0_usize;
        let ends_host = |byte: &u8| {
            match byte {
                b'(' | b'{' => depth += 1,
                b')' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && b"/?#".contains(byte)
        };
        let (authority, rest) = text.split_at(text.iter().position(ends_host).unwrap_or(text.len()));
        let (path, rest) = rest.split_at(find(rest, b"?#"));
        let (query, fragment) = rest.split_at(find(rest, b"#"));
        let (user, host) = match authority.iter().rposition(|byte| *byte == b'@') {
            Some(at) => (authority.get(..at).map(<[u8]>::to_vec), authority.get(at + 1..).unwrap_or_default()),
            None => (None, authority),
        };
        let behind = |part: &[u8]| part.get(1..).map(<[u8]>::to_vec);
        Self {
            range,
            scheme,
            user,
            host: host.to_vec(),
            path: path.to_vec(),
            query: behind(query),
            fragment: behind(fragment),
            was_broken,
        }
    }

    /// The host's name in lower case, percent escapes undone, without the port.
    pub(super) fn host_name(&self) -> String {
        let plain = super::carried::percent_decoded(&self.host);
        let name = String::from_utf8_lossy(&plain).to_lowercase();
        let without_port = name.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        without_port.map_or(name.as_str(), |(host, _)| host).trim_end_matches('.').to_owned()
    }

    /// The parameters of the query and of a fragment that looks like one: key and value, as written.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let query = self.query.as_deref().unwrap_or_default();
        // A browser is told by `:~:` which words to show, and tells nobody.
        let is_query = |fragment: &&[u8]| fragment.contains(&b'=') && !fragment.starts_with(b":~:");
        let fragment = self.fragment.as_deref().filter(is_query).unwrap_or_default();
        let pairs = [query, fragment].into_iter().flat_map(|part| part.split(|byte| *byte == b'&'));
        pairs.filter(|pair| !pair.is_empty()).map(|pair| match pair.iter().position(|byte| *byte == b'=') {
            Some(at) => (pair.get(..at).unwrap_or_default(), pair.get(at + 1..).unwrap_or_default()),
            None => (&b""[..], pair),
        })
    }
}

/// Whether a name stands where readers take it for the host, and the host behind it: `https://bank.example#@h.example/`.
pub(super) fn is_feigned(bytes: &[u8], url: &Url) -> bool {
    let behind = bytes.get(url.range.end..).unwrap_or_default();
    let escaped = behind.strip_prefix(b"\\\\").or_else(|| behind.strip_prefix(b"\\"));
    let parts = [url.query.as_deref(), url.fragment.as_deref(), escaped].into_iter().flatten();
    parts.filter_map(|part| part.strip_prefix(b"@")).any(|host| {
        let name = host.split(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))).next();
        let name = name.unwrap_or_default();
        let next = host.get(name.len());
        url.path.is_empty() && name.contains(&b'.') && matches!(next, Some(b'/' | b'?' | b'#' | b':'))
    })
}

/// Where an address begins, and its scheme: before the slashes, or at them when it takes its page's.
fn scheme_before(bytes: &[u8], slashes: usize) -> Option<(usize, String)> {
    let mut before = bytes.get(..slashes)?;
    while before.len() >= 3 && invisible(before.get(before.len() - 3..)?) == 3 {
        before = before.get(..before.len() - 3)?;
    }
    match before.last() {
        Some(b':') => {
            let name = before.get(..before.len() - 1)?;
            let from = name.len().saturating_sub(16);
            let recent = name.get(from..)?;
            let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
            let start = recent.iter().rposition(|byte| !is_scheme(byte)).map_or(0, |at| at + 1);
            let scheme = recent.get(start..)?;
            let scheme = std::str::from_utf8(scheme).ok()?.to_ascii_lowercase();
            if let Some((start, scheme)) = parted(name, from + start, &scheme) {
                return Some((start, scheme));
            }
            (!scheme.is_empty()).then_some((from + start, scheme))
        }
        None | Some(b'(' | b'"' | b'\'' | b'=' | b'[' | b'<' | b'\n' | b' ' | b'\t' | b'>') => {
            let next = bytes.get(slashes + 2)?;
            let is_quoted = matches!(before.last(), Some(b'"' | b'\'' | b'('));
            let is_gap = is_quoted && matches!(next, b'{' | b'<' | b'$');
            let is_host = next.is_ascii_alphanumeric() || matches!(next, b'%') || !next.is_ascii() || is_gap;
            is_host.then(|| (slashes, String::new())).filter(|_| dotted(bytes.get(slashes + 2..).unwrap_or_default()))
        }
        Some(_) => None,
    }
}

/// The scheme of which `end` is the end, where a tab or line break, which browsers skip, stands within it before `start`.
fn parted(name: &[u8], start: usize, end: &str) -> Option<(usize, String)> {
    let is_skipped = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r');
    let before = name.get(..start)?;
    let head = before.get(..before.iter().rposition(|byte| !is_skipped(byte))? + 1)?;
    ["https", "http"].iter().filter(|_| head.len() < before.len()).find_map(|scheme| {
        let missing = scheme.strip_suffix(end).filter(|missing| !missing.is_empty())?;
        let from = head.len().checked_sub(missing.len())?;
        let is_word = from > 0 && head.get(from - 1).is_some_and(u8::is_ascii_alphanumeric);
        (!is_word && head.get(from..)?.eq_ignore_ascii_case(missing.as_bytes())).then(|| (from, (*scheme).to_owned()))
    })
}

/// Whether a host with a dot, and then a slash or port, follows: a comment's first word seldom has them.
fn dotted(tail: &[u8]) -> bool {
    let tail = tail.get(..tail.len().min(256)).unwrap_or_default();
    let end =
        tail.iter().position(|byte| matches!(byte, b'/' | b':' | b'?' | b'#' | b' ' | b'\n' | b'(' | b')' | b'"'));
    let (host, next) = tail.split_at(end.unwrap_or(tail.len()));
    let is_number = host.len() >= 8 && host.iter().all(u8::is_ascii_digit);
    (host.contains(&b'.') || is_number) && matches!(next.first(), Some(b'/' | b':' | b'?' | b'#'))
}

const fn closing(opener: Option<u8>) -> Option<u8> {
    match opener {
        Some(b'(') => Some(b')'),
        Some(b'<') => Some(b'>'),
        Some(b'"') => Some(b'"'),
        Some(b'\'') => Some(b'\''),
        Some(b'{') => Some(b'}'),
        _ => None,
    }
}

/// The address behind the slashes, how many bytes it takes, and whether something was left out of it.
fn read(tail: &[u8], close: Option<u8>) -> (Vec<u8>, usize, bool) {
    let (mut text, mut at, mut was_broken, mut depth) = (Vec::new(), 0, false, 0_usize);
    while let Some(rest) = tail.get(at..).filter(|rest| !rest.is_empty() && text.len() < URL_BYTES_MAX) {
        let Some(&byte) = rest.first() else { break };
        let unseen = invisible(rest);
        if unseen > 0 {
            was_broken = true;
            at += unseen;
            continue;
        }
        if Some(byte) == close && depth == 0 {
            break;
        }
        let taken = match byte {
            b'[' if matches!(text.last(), None | Some(b'@')) && literal(rest).is_some() => literal(rest).unwrap_or(1),
            b'`' if matches!(text.last(), Some(b'=' | b'/' | b'?')) => quoted_command(rest).unwrap_or(0),
            // The parameter of a list: `a[]=`.
            b'[' if rest.starts_with(b"[]=") => 2,
            b'{' | b'[' | b'<' => gap(rest).unwrap_or(usize::from(byte == b'{')),
            b'$' | b'\\' => substituted(rest).unwrap_or(usize::from(byte == b'$')),
            b'%' => notation::called_by_sign(rest).unwrap_or(1),
            b'|' => notation::barred(rest).unwrap_or(0),
            b'(' if matches!(text.last(), Some(b'=' | b'/' | b'?')) && notation::bracketed(rest).is_some() => {
                notation::bracketed(rest).unwrap_or(1)
            }
            0xC2.. => notation::wide(rest).unwrap_or(1),
            b'\n' | b'\r' if close.is_some_and(|close| goes_on(rest, close)) => {
                at += 1;
                continue;
            }
            b'(' => {
                depth += 1;
                1
            }
            b')' => {
                let inside = depth > 0;
                depth = depth.saturating_sub(1);
                usize::from(inside)
            }
            b'\'' => usize::from(close.is_some()),
            0..=b' ' | b'"' | b'>' | b'`' | b']' | b'^' | 0x7F => 0,
            _ => 1,
        };
        if taken == 0 {
            break;
        }
        text.extend_from_slice(rest.get(..taken).unwrap_or_default());
        at += taken;
    }
    (text, at, was_broken)
}

/// The length of an address of IPv6 with its brackets, and its zone.
fn literal(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().take(64).position(|byte| *byte == b']')?;
    let inner = rest.get(1..end)?;
    let (number, zone) = inner.split_at(inner.iter().position(|byte| *byte == b'%').unwrap_or(inner.len()));
    let is_number =
        number.contains(&b':') && number.iter().all(|byte| byte.is_ascii_hexdigit() || b":.".contains(byte));
    let is_zone = zone.iter().all(|byte| byte.is_ascii_alphanumeric() || b"%-_.".contains(byte));
    (is_number && is_zone).then_some(end + 1)
}

/// The length of a command in backticks whose output belongs here.
fn quoted_command(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().take(GAP_BYTES_MAX).skip(1).position(|byte| matches!(byte, b'`' | b'\n'))? + 1;
    let inner = rest.get(..end)?;
    (rest.get(end) == Some(&b'`') && super::placeholder::reads_machine(inner)).then_some(end + 1)
}

/// The length of a value that a page of a server puts in: `<%= x %>`, `<?= $x ?>`.
fn served(rest: &[u8]) -> Option<usize> {
    let close = match rest {
        [b'<', b'%', ..] => b'%',
        [b'<', b'?', ..] => b'?',
        _ => return None,
    };
    let within = rest.get(..rest.len().min(GAP_BYTES_MAX))?;
    let line = within.split(|byte| *byte == b'\n').next()?;
    let end = line.windows(2).position(|two| two == [close, b'>'])?;
    (end > 2).then_some(end + 2)
}

/// The length of a gap with its brackets: words in braces, brackets or angles, on one line.
fn gap(rest: &[u8]) -> Option<usize> {
    if let Some(length) = served(rest) {
        return Some(length);
    }
    let close = match rest.first()? {
        b'{' => b'}',
        b'[' => b']',
        _ => b'>',
    };
    let within = rest.get(..rest.len().min(GAP_BYTES_MAX))?;
    let end = within.iter().position(|byte| *byte == close || *byte == b'\n')?;
    let inner = within.get(1..end)?;
    let plain = |byte: &u8| {
        (b"/!*;?=@#]\"".contains(byte) && close == b'}')
            || byte.is_ascii_alphanumeric()
            || b" _-.,:'{$+|[<>()\\".contains(byte)
            || !byte.is_ascii()
    };
    let is_gap = within.get(end) == Some(&close) && !inner.is_empty() && inner.iter().all(plain);
    is_gap.then_some(end + 1)
}

/// The length of a command or a file that is to be put in: `$(whoami)`, `\input{notes}`.
fn substituted(rest: &[u8]) -> Option<usize> {
    let close = match rest {
        [b'$' | b'\\', b'(', ..] => b')',
        // An escape of Markdown before a bracket.
        [b'\\', b'{' | b'<' | b'[', ..] => return gap(rest.get(1..)?).map(|length| length + 1),
        _ => return notation::called_by_sign(rest),
    };
    let end = rest.iter().take(GAP_BYTES_MAX).position(|byte| *byte == close || *byte == b'\n')?;
    (rest.get(end) == Some(&close)).then_some(end + 1)
}

/// Whether a line break stands inside an address: what closes it comes before any space outside of a gap.
fn goes_on(rest: &[u8], close: u8) -> bool {
    let ahead = rest.get(..rest.len().min(URL_BYTES_MAX / 2)).unwrap_or_default().trim_ascii_start();
    let mut depth = 0_usize;
    let end = ahead.iter().position(|byte| {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *byte == b'\n' || (depth == 0 && (*byte == close || matches!(byte, b' ' | b'\t')))
    });
    end.is_some_and(|end| end > 0 && ahead.get(end) == Some(&close))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_in(text: &str) -> Option<Url> {
        Url::at(text.as_bytes(), text.find("//").unwrap())
    }

    #[test]
    fn an_address_is_taken_apart() {
        let url = read_in("see (HTTPS://ada@h.example:8080/a/b?c=1&d=2#e) now").unwrap();
        assert_eq!((url.scheme.as_str(), url.host_name().as_str()), ("https", "h.example"));
        assert_eq!((url.user.as_deref(), url.path.as_slice()), (Some(&b"ada"[..]), &b"/a/b"[..]));
        assert_eq!(url.parameters().count(), 2);
        assert_eq!(url.fragment.as_deref(), Some(&b"e"[..]));
    }

    #[test]
    fn what_nobody_sees_and_line_breaks_are_left_out() {
        let url = read_in("[a](https:\u{200b}//h\u{200b}ost.example/x?\nd=1)").unwrap();
        assert_eq!((url.host_name().as_str(), url.query.as_deref()), ("host.example", Some(&b"d=1"[..])));
        assert!(url.was_broken);
    }

    #[test]
    fn a_name_before_the_host_feigns_one() {
        for (text, feigned) in [
            ("https://bank.example?@h.example/x", true),
            ("https://bank.example#@h.example/?c=1", true),
            (r"https://bank.example\@h.example/x", true),
            ("https://bank.example/?@ada", false),
            ("https://bank.example/x#@h.example/", false),
            (r"https://bank.example\n", false),
        ] {
            assert_eq!(is_feigned(text.as_bytes(), &read_in(text).unwrap()), feigned, "{text}");
        }
    }

    #[test]
    fn a_gap_belongs_to_the_address() {
        let url = read_in("![p](https://h.example/log?s={summary of the talk}&id=1)").unwrap();
        assert_eq!(url.query.as_deref(), Some(&b"s={summary of the talk}&id=1"[..]));
        assert_eq!(read_in("https://h.example/<your name>/x rest").unwrap().path, b"/<your name>/x");
    }

    #[test]
    fn slashes_too_many_or_none_and_a_scheme_in_parts_are_read_as_browsers_do() {
        for text in ["https:////h.example/a?b=1", "ht\ttps://h.example/a?b=1", "htt\n\tp://h.example/a?b=1"] {
            let url = read_in(text).unwrap();
            assert_eq!((url.host_name().as_str(), url.path.as_slice()), ("h.example", &b"/a"[..]), "{text}");
            assert!(url.scheme.starts_with("http"), "{text}");
        }
        let url = |text: &str| Url::without_slashes(text.as_bytes(), text.find(':').unwrap() + 1);
        assert_eq!(url("see https:h.example:81?b=1").unwrap().query.as_deref(), Some(&b"b=1"[..]));
        for text in ["the http: scheme", "http:get", "https:a.b", "xhttp:h.example/a", "http://h.example/"] {
            assert_eq!(url(text), None, "{text}");
        }
        assert_eq!(read_in("night\ttps://h.example/").unwrap().scheme, "tps");
    }

    #[test]
    fn an_address_in_brackets_and_gaps_of_servers_and_templates_belong_to_it() {
        for (text, host, query) in [
            ("http://[fe80::1%25eth0]/u?a=b", "[fe80::1%eth0]", Some("a=b")),
            ("https://h.example/u?a=<%= user.name %>&c", "h.example", Some("a=<%= user.name %>&c")),
            ("https://h.example/u?a=<?=$name?> d", "h.example", Some("a=<?=$name?>")),
            ("https://h.example/u?a={list[-1].x!r} d", "h.example", Some("a={list[-1].x!r}")),
            ("https://h.example/u?a=`whoami` d", "h.example", Some("a=`whoami`")),
            ("`https://h.example/u?a=` and `b`", "h.example", Some("a=")),
        ] {
            let url = read_in(text).unwrap();
            assert_eq!((url.host_name().as_str(), url.query.as_deref()), (host, query.map(str::as_bytes)), "{text}");
        }
        assert_eq!(read_in("http://h.example{/path*}{?a}").unwrap().host, b"h.example{/path*}{?a}");
    }

    #[test]
    fn comments_in_source_are_no_addresses() {
        for text in ["// returns the host", "x = 1; //todo.later", "a // b", "//", "://"] {
            assert_eq!(read_in(text), None, "{text}");
        }
        assert!(read_in("![c](//cdn.example/x.png)").is_some());
    }
}
