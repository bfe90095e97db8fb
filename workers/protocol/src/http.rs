//! `gatepost-worker-http`: sends one HTTP request through the proxy of the run.
//!
//! ```text
//! stdin: Assignment   ▶   out/response-head.txt   stdout: the body   stderr: why there is none
//! ```

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// The program.
pub const WORKER: &str = "gatepost-worker-http";

/// Exit status: there is no complete response, or it is refused.
pub const NO_RESPONSE: u8 = 1;

/// The longest status line of a response head, bytes.
pub const STATUS_LINE_BYTES_MAX: u64 = 64;

/// The greatest status that HTTP has (RFC 9110 section 15).
pub const STATUS_MAX: u16 = 599;

/// A request, and which answers are final. May hold secrets.
#[derive(Serialize, Deserialize)]
pub struct Assignment<'a> {
    /// The method.
    pub method: Cow<'a, str>,
    /// The URL: `https` or `http`.
    pub url: Cow<'a, str>,
    /// Header fields.
    pub headers: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The body.
    pub body: Option<Cow<'a, str>>,
    /// Statuses that are final even if they are redirects.
    pub answers: Cow<'a, [u16]>,
    /// A PEM file of certificates that replace the machine's roots.
    pub ca_file: Option<PathBuf>,
    /// The proxy's URL; without one the server is reached directly.
    pub proxy: Option<String>,
}

impl Assignment<'_> {
    /// As JSON, in one allocation that is wiped.
    pub fn to_json(&self) -> Zeroizing<Vec<u8>> {
        super::wiped_json(self)
    }
}

/// The status in a response head as the worker writes it; its first [`STATUS_LINE_BYTES_MAX`] bytes are enough.
pub fn status(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\n').next()?).ok()?;
    let status = line.strip_prefix("HTTP/1.")?.split(' ').nth(1)?;
    status.parse().ok().filter(|status| (100..=STATUS_MAX).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_survives_json_and_its_buffer_never_moves() {
        let body = "\u{1}\"é".repeat(1_000);
        let assignment = Assignment {
            method: "POST".into(),
            url: "https://a.org/".into(),
            headers: vec![("Authorization".into(), "Bearer x".into())],
            body: Some(body.as_str().into()),
            answers: vec![200, 404].into(),
            ca_file: Some("/ca.pem".into()),
            proxy: None,
        };
        let json = assignment.to_json();
        assert_eq!(json.capacity(), json.len(), "a buffer that grew leaves a copy behind");
        let read: Assignment<'_> = serde_json::from_slice(&json).unwrap();
        assert_eq!((read.body.as_deref(), &*read.answers), (Some(body.as_str()), &[200, 404][..]));
    }

    #[test]
    fn only_a_response_head_has_a_status() {
        assert_eq!(status(b"HTTP/1.1 299 \nx: y\n"), Some(299));
        for head in ["", "HTTP/1.1", "HTTP/1.1 99 x\n", "HTTP/1.1 600 x\n", "HTTP/2 200 OK\n", "\nHTTP/1.1 200 OK\n"] {
            assert_eq!(status(head.as_bytes()), None, "{head:?}");
        }
    }
}
