//! The head of a response as it is kept.
//!
//! ```text
//! HTTP/1.1 200 OK
//! content-type: application/json
//! set-cookie: [redacted]
//! ```
//!
//! The reason phrase is the standard's, not the server's. *Security*: what a server hands out to be shown again later is no business of whoever
//! reads the result, and is left out; secrets that it repeats are replaced by whoever takes the file over.

use std::borrow::Cow;

use ureq::Body;
use ureq::http::{HeaderMap, HeaderName, Response, header};

/// The status line has no more bytes than this.
pub const STATUS_LINE_BYTES_MAX: u64 = 64;

/// A header whose name holds one of these carries what admits its bearer.
const CREDENTIALS: [&str; 6] = ["cookie", "authorization", "token", "secret", "api-key", "apikey"];

/// The text of a head.
pub(super) fn text(response: &Response<Body>) -> String {
    let status = response.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let mut text = format!("{:?} {} {reason}\n", response.version(), status.as_u16());
    for (name, value) in response.headers() {
        let is_credential = CREDENTIALS.iter().any(|word| name.as_str().contains(word));
        let value = if is_credential { "[redacted]".into() } else { String::from_utf8_lossy(value.as_bytes()) };
        text.push_str(&format!("{name}: {value}\n"));
    }
    text
}

/// The coding of a body that is not what it is, as the headers say; each of them may list several.
pub(super) fn coding(headers: &HeaderMap) -> Option<String> {
    let listed = |name: HeaderName, plain: &'static str| {
        let codings = headers.get_all(name).into_iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
        let mut codings = codings.map(|coding| String::from_utf8_lossy(coding.trim_ascii()));
        codings.find(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(plain)).map(Cow::into_owned)
    };
    listed(header::CONTENT_ENCODING, "identity").or_else(|| listed(header::TRANSFER_ENCODING, "chunked"))
}

/// Whether a response says where it ends, so that one that was cut off is told from a whole one (RFC 9112, section 8).
pub(super) fn is_framed(response: &Response<Body>) -> bool {
    let headers = response.headers();
    let has_no_body = matches!(response.status().as_u16(), 100..=199 | 204 | 304);
    has_no_body || headers.contains_key(header::CONTENT_LENGTH) || headers.contains_key(header::TRANSFER_ENCODING)
}

/// The status in a head that `text` made; its first bytes are enough.
pub fn status(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\n').next()?).ok()?;
    let status = line.strip_prefix("HTTP/1.")?.split(' ').nth(1)?;
    status.parse().ok().filter(|status| (100..=599).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_admits_its_bearer_is_left_out() {
        let response = Response::builder()
            .status(299)
            .header("Set-Cookie", "id=1")
            .header("X-Auth-Token", "abcd")
            .header("X-Other", &b"caf\xe9"[..])
            .body(Body::builder().data(""))
            .unwrap();
        let text = text(&response);
        assert_eq!(text, "HTTP/1.1 299 \nset-cookie: [redacted]\nx-auth-token: [redacted]\nx-other: caf\u{fffd}\n");
        assert_eq!(status(text.as_bytes()), Some(299));
    }

    #[test]
    fn a_body_is_plain_and_says_where_it_ends() {
        let response = |headers: &[(&str, &str)]| {
            let builder =
                headers.iter().fold(Response::builder(), |builder, (name, value)| builder.header(*name, *value));
            builder.body(Body::builder().data("")).unwrap()
        };
        for (headers, coded, framed) in [
            (&[("content-length", "2")][..], None, true),
            (&[("content-encoding", "identity"), ("transfer-encoding", "chunked")], None, true),
            (&[("content-encoding", "identity"), ("content-encoding", "gzip")], Some("gzip"), false),
            (&[("content-encoding", "identity, br")], Some("br"), false),
            (&[("transfer-encoding", "gzip, chunked")], Some("gzip"), true),
            (&[], None, false),
        ] {
            let response = response(headers);
            assert_eq!((coding(response.headers()).as_deref(), is_framed(&response)), (coded, framed), "{headers:?}");
        }
    }

    #[test]
    fn a_head_of_another_kind_has_no_status() {
        for head in ["", "HTTP/1.1", "HTTP/1.1 99 x\n", "HTTP/1.1 600 x\n", "HTTP/2 200 OK\n", "\nHTTP/1.1 200 OK\n"] {
            assert_eq!(status(head.as_bytes()), None, "{head:?}");
        }
    }
}
