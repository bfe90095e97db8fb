//! The head of an HTTP request to a proxy: a tunnel (`CONNECT host:port`) or a plain request for an absolute URI.
//!
//! ```text
//! CONNECT api.example.org:443 HTTP/1.1          a tunnel
//! GET http://example.org/path?query HTTP/1.1    passed on as GET /path?query, one request a connection
//! ```
//!
//! Pure. The forwarded head is written anew: the Host is the URI's, fields for this connection alone are left out, and the body has the
//! length that it states, so no second request can follow.
//!
//! Security: reads hostile bytes; linear; bytes that readers could divide differently (bare line feeds, folded lines, two lengths, a
//! transfer coding) are refused. *Standards*: RFC 9110 §7.6, §9.3.6; RFC 9112 §3.2.2, §6.3.

use super::relay::Outbound;
use gatepost_documents::destination::Destination;

/// The end of a head.
const END: &[u8] = b"\r\n\r\n";

/// The port of `http://` without one.
const HTTP_PORT: u16 = 80;

/// Headers that concern one connection, besides those that `Connection` names.
const OF_ONE_CONNECTION: [&str; 9] = [
    "connection",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];

/// A parsed request.
#[derive(Debug)]
pub(super) struct ProxyRequest {
    pub(super) destination: Destination,
    /// The bytes to forward; none for a tunnel.
    pub(super) forward: Option<Outbound>,
}

/// A rejected request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is malformed, or uses an unsupported feature; a sentence.
    Malformed(&'static str),
    /// Its target is not a valid destination.
    NoDestination(String),
}

/// The end of the head at the beginning of `received`, if it is complete. Bytes before `searched` were searched already.
pub(super) fn head_end(received: &[u8], searched: usize) -> Option<usize> {
    let from = searched.saturating_sub(END.len() - 1);
    let found = memchr::memmem::find(received.get(from..)?, END)?;
    Some(from + found + END.len())
}

/// Reads a whole head.
pub(super) fn parse(head: &[u8]) -> Result<ProxyRequest, Fault> {
    let malformed = |what| Err(Fault::Malformed(what));
    let Some(text) =
        head.strip_suffix(END).and_then(|head| std::str::from_utf8(head).ok()).filter(|text| text.is_ascii())
    else {
        return malformed("The head of the request is not ASCII.");
    };
    let mut lines = text.split("\r\n");
    let request_line: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version @ ("HTTP/1.1" | "HTTP/1.0")] = request_line[..] else {
        return malformed("The request does not begin with a request line of HTTP/1.1.");
    };
    if !is_token(method) || target.is_empty() || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return malformed("The request does not begin with a request line of HTTP/1.1.");
    }
    let Some(headers) = lines.map(header).collect::<Option<Vec<_>>>() else {
        return malformed("The request has a line that is not a header.");
    };
    if method == "CONNECT" {
        let destination = Destination::parse_asked(target).ok_or_else(|| Fault::NoDestination(target.to_owned()))?;
        return Ok(ProxyRequest { destination, forward: None });
    }
    let Some((authority, path)) = split_uri(target) else {
        return malformed("The request names no http:// URI; use CONNECT for anything else.");
    };
    let destination = Destination::parse_with_default(authority, HTTP_PORT)
        .ok_or_else(|| Fault::NoDestination(authority.to_owned()))?;
    let named = |name: &'static str| headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
    if !named("host").all(|host| Destination::parse_with_default(host.value, HTTP_PORT).as_ref() == Some(&destination))
    {
        return malformed("The request names one host in its URI and another in its Host header.");
    }
    if named("transfer-encoding").next().is_some() {
        return malformed("The request has a Transfer-Encoding; state a Content-Length.");
    }
    let further = match named("content-length").map(|header| header.value).collect::<Vec<_>>()[..] {
        [] => 0,
        [length] if length.bytes().all(|byte| byte.is_ascii_digit()) && length.len() < 19 => {
            length.parse().unwrap_or(0)
        }
        _ => return malformed("The request has no single valid Content-Length."),
    };
    let first = rewritten([method, &path, version], &destination, &headers);
    Ok(ProxyRequest { destination, forward: Some(Outbound { first, further }) })
}

/// One header.
struct Header<'a> {
    name: &'a str,
    value: &'a str,
}

fn header(line: &str) -> Option<Header<'_>> {
    let (name, value) = line.split_once(':')?;
    let plain = value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte));
    (is_token(name) && plain).then(|| Header { name, value: value.trim_matches([' ', '\t']) })
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The authority of an absolute http URI, and the rest in origin form.
fn split_uri(target: &str) -> Option<(&str, String)> {
    let (scheme, rest) = target.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") || rest.contains('#') {
        return None;
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some((authority, format!("{slash}{path}")))
}

fn rewritten([method, path, version]: [&str; 3], destination: &Destination, headers: &[Header<'_>]) -> Vec<u8> {
    let host = destination.to_string();
    let host = host.strip_suffix(":80").unwrap_or(&host);
    let mut head = format!("{method} {path} {version}\r\nHost: {host}\r\n");
    let connection = headers.iter().filter(|header| header.name.eq_ignore_ascii_case("connection"));
    let dropped: Vec<String> = connection
        .flat_map(|header| header.value.split(','))
        .map(|option| option.trim().to_ascii_lowercase())
        .filter(|option| option != "content-length")
        .collect();
    for Header { name, value } in headers {
        let lower = name.to_ascii_lowercase();
        if !OF_ONE_CONNECTION.contains(&lower.as_str()) && !dropped.contains(&lower) {
            head.extend([name, ": ", value, "\r\n"]);
        }
    }
    head.push_str("Connection: close\r\n\r\n");
    head.into_bytes()
}

/// The answer that opens a tunnel.
pub(super) const CONNECTED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// An answer of the proxy: a status such as `403 Forbidden` and a sentence of printable ASCII.
pub(super) fn answer(status: &str, sentence: &str) -> Vec<u8> {
    let length = sentence.len() + 1;
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=us-ascii\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{sentence}\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Result<(String, Option<(String, u64)>), Fault> {
        let request = parse(text.as_bytes())?;
        let forward = request.forward.map(|forward| (String::from_utf8(forward.first).unwrap(), forward.further));
        Ok((request.destination.to_string(), forward))
    }

    #[test]
    fn a_tunnel_is_asked_for_by_host_and_port() {
        for (target, destination) in
            [("api.Example.org.:443", "api.example.org:443"), ("[::1]:80", "[::1]:80"), ("10.0.0.1:1", "10.0.0.1:1")]
        {
            let head = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nProxy-Connection: Keep-Alive\r\n\r\n");
            assert_eq!(parsed(&head), Ok((destination.to_owned(), None)));
            assert_eq!(parsed(&format!("CONNECT {target} HTTP/1.0\r\n\r\n")), Ok((destination.to_owned(), None)));
        }
        for target in ["127.1:80", "a.org", "a.org:0", "http://a.org/", "/", "a@b.org:80", "a.org%0d:80"] {
            let fault = parsed(&format!("CONNECT {target} HTTP/1.1\r\n\r\n")).unwrap_err();
            assert_eq!(fault, Fault::NoDestination(target.to_owned()));
        }
    }

    #[test]
    fn a_plain_request_is_written_anew_for_its_one_server() {
        let head = "POST http://A.org?q=1 HTTP/1.1\r\nhost:  a.ORG \r\nAccept: */*\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\n\
                    Proxy-Authorization: Basic eA==\r\nUpgrade: h2c\r\nTE: trailers\r\ncontent-length: 12\r\n\r\n";
        let forward =
            "POST /?q=1 HTTP/1.1\r\nHost: a.org\r\nAccept: */*\r\ncontent-length: 12\r\nConnection: close\r\n\r\n";
        assert_eq!(parsed(head), Ok(("a.org:80".to_owned(), Some((forward.to_owned(), 12)))));
        let head = "GET HTTP://[::1]:8080/a/b HTTP/1.0\r\n\r\n";
        let forward = "GET /a/b HTTP/1.0\r\nHost: [::1]:8080\r\nConnection: close\r\n\r\n";
        assert_eq!(parsed(head), Ok(("[::1]:8080".to_owned(), Some((forward.to_owned(), 0)))));
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        let get = |headers: &str| format!("GET http://a.org/ HTTP/1.1\r\n{headers}\r\n");
        for head in [
            get("Host: b.org\r\n"),
            get("Host: a.org\r\nHost: b.org\r\n"),
            get("Host: a.org:81\r\n"),
            get("Host:\r\n"),
            get("Transfer-Encoding: chunked\r\n"),
            get("Content-Length: 1\r\nContent-Length: 1\r\n"),
            get("Content-Length: +1\r\n"),
            get("Content-Length: 1, 1\r\n"),
            get("Content-Length: 99999999999999999999\r\n"),
            get("A: b\nContent-Length: 1\r\n"),
            get("A: b\r\n folded\r\n"),
            get("A : b\r\n"),
            get(": b\r\n"),
            get("A: \0\r\n"),
            get("A: \x7f\r\n"),
            get("A: \u{e9}\r\n"),
            get("no header\r\n"),
            "GET / HTTP/1.1\r\nHost: a.org\r\n\r\n".to_owned(),
            "GET https://a.org/ HTTP/1.1\r\n\r\n".to_owned(),
            "GET ftp://a.org/ HTTP/1.1\r\n\r\n".to_owned(),
            "GET http://a.org/#x HTTP/1.1\r\n\r\n".to_owned(),
            "GET http://a.org/ HTTP/2\r\n\r\n".to_owned(),
            "GET  http://a.org/ HTTP/1.1\r\n\r\n".to_owned(),
            "GET http://a.org/ x HTTP/1.1\r\n\r\n".to_owned(),
            "GE\u{1}T http://a.org/ HTTP/1.1\r\n\r\n".to_owned(),
            "\r\n\r\n".to_owned(),
        ] {
            assert!(matches!(parsed(&head), Err(Fault::Malformed(_))), "{head:?}");
        }
        for authority in ["u:p@a.org", "a.org:", "127.1", "0", "", "a.org:80:80", "[::1", "::1"] {
            let fault = parsed(&format!("GET http://{authority}/ HTTP/1.1\r\n\r\n")).unwrap_err();
            assert_eq!(fault, Fault::NoDestination(authority.to_owned()));
        }
    }

    #[test]
    fn the_end_of_a_head_is_found_wherever_it_was_cut() {
        let bytes = b"GET http://a.org/ HTTP/1.1\r\n\r\nbody\r\n\r\n";
        let end = bytes.len() - 8;
        for cut in 0..=bytes.len() {
            assert_eq!(head_end(&bytes[..cut], 0).is_some(), cut >= end, "{cut}");
            assert_eq!(head_end(bytes, cut.min(end - 1)), Some(end));
        }
        assert!((0..end).all(|cut| parse(&bytes[..cut]).is_err()));
    }

    proptest! {
        #[test]
        fn no_head_makes_it_panic_and_what_is_passed_on_is_one_plain_request(
            method in "[A-Z ]{0,8}", uri in "(http://)?[ -~]{0,30}", headers in "([A-Za-z-]{0,12}:[ -~\\r\\n]{0,20}\\r\\n){0,4}"
        ) {
            if let Ok(ProxyRequest { forward: Some(forward), .. }) = parse(format!("{method} {uri} HTTP/1.1\r\n{headers}\r\n").as_bytes()) {
                let text = String::from_utf8(forward.first).unwrap();
                prop_assert_eq!(text.find("\r\n\r\n"), Some(text.len() - 4));
                prop_assert_eq!(text.replace("\r\n", "").find(['\r', '\n']), None);
                prop_assert_eq!(text.to_ascii_lowercase().matches("\r\nhost:").count(), 1);
            }
        }

        #[test]
        fn hostile_bytes_are_no_head(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&[bytes.as_slice(), END].concat());
        }
    }
}
