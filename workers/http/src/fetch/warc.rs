//! The responses as received, one record each: WARC 1.1.
//!
//! The ids of records are digests of their contents, so that the same responses at the same times make the same file. Heads are those
//! that [`crate::head`] shows: without credentials, and without a transfer coding, which was undone. The body of a page that was
//! not taken is left out, and the record says `WARC-Truncated`. *Standards*: ISO 28500:2017.

use std::fs::File;
use std::io::{self, Write};

use chrono::{SecondsFormat, Utc};
use gatepost_documents::digest::Digest;
use ureq::Body;
use ureq::http::Response;
use url::Url;

use crate::head;

/// The file while it is written.
pub(super) struct Warc {
    file: File,
    records: u64,
}

/// The present time, in whole seconds.
#[allow(clippy::disallowed_methods, reason = "when a server answered is what a record says")]
pub(super) fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true)
}

impl Warc {
    pub(super) fn new(file: File) -> Self {
        Self { file, records: 0 }
    }

    /// Adds a response; `body` is none if the page was rejected.
    pub(super) fn response(&mut self, url: &Url, response: &Response<Body>, body: Option<&[u8]>) -> io::Result<()> {
        let record = record(self.records, url.as_str(), &now(), &head::text(response), body);
        self.records += 1;
        self.file.write_all(&record)
    }
}

fn record(number: u64, url: &str, utc: &str, head: &str, body: Option<&[u8]>) -> Vec<u8> {
    let lines = head.lines().filter(|line| !line.starts_with("transfer-encoding:"));
    let mut block: Vec<u8> = lines.flat_map(|line| [line.as_bytes(), b"\r\n"].concat()).collect();
    block.extend_from_slice(b"\r\n");
    block.extend_from_slice(body.unwrap_or_default());
    let digest = Digest::of(&block);
    let id = Digest::of(format!("{number} {url} {utc} {digest}").as_bytes()).to_string();
    let mut record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{}-{}-8{}-a{}-{}>\r\nWARC-Date: {utc}\r\nWARC-Target-URI: {url}\r\n\
         WARC-Block-Digest: sha256:{digest}\r\n",
        &id[..8],
        &id[8..12],
        &id[12..15],
        &id[15..18],
        &id[18..30]
    );
    record.push_str(&match body {
        Some(body) => format!("WARC-Payload-Digest: sha256:{}\r\n", Digest::of(body)),
        None => "WARC-Truncated: unspecified\r\n".to_owned(),
    });
    record.push_str(&format!(
        "Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n",
        block.len()
    ));
    [record.as_bytes(), &block, b"\r\n\r\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_made_of_what_it_holds_alone() {
        let one = |body| {
            record(
                0,
                "https://a.org/",
                "2026-02-09T16:05:01Z",
                "HTTP/1.1 200 OK\ntransfer-encoding: chunked\nx: y\n",
                body,
            )
        };
        let text = String::from_utf8(one(Some(b"body"))).unwrap();
        assert_eq!(text.as_bytes(), one(Some(b"body")), "the same again");
        assert!(text.ends_with("Content-Length: 29\r\n\r\nHTTP/1.1 200 OK\r\nx: y\r\n\r\nbody\r\n\r\n"), "{text}");
        assert!(text.contains(&format!("WARC-Payload-Digest: sha256:{}\r\n", Digest::of(b"body"))));
        assert!(String::from_utf8(one(None)).unwrap().contains("WARC-Truncated: unspecified\r\n"));
        let id = text.lines().find_map(|line| line.strip_prefix("WARC-Record-ID: <urn:uuid:")).unwrap();
        assert_eq!(id.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 13]);
    }
}
