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

use ureq::Body;
use ureq::http::Response;

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
    fn a_head_of_another_kind_has_no_status() {
        for head in ["", "HTTP/1.1", "HTTP/1.1 99 x\n", "HTTP/1.1 600 x\n", "HTTP/2 200 OK\n", "\nHTTP/1.1 200 OK\n"] {
            assert_eq!(status(head.as_bytes()), None, "{head:?}");
        }
    }
}
