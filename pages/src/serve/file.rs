//! A file of a request, sent so that browsers treat it only as text or a download.
//!
//! *Security*: the bytes are hostile, also in an accepted result. Only files that the page of the request lists are
//! sent. They are opened below its folder without following links.

use std::fs::File;
use std::path::Path;

use axum::body::Body;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use gatepost_documents::phrase::relative_address;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::life::Detail;
use gatepost_mailbox::regular_file;
use tokio::io::AsyncReadExt as _;
use tokio_util::io::ReaderStream;

/// The suffixes of text files; all others are downloads.
const TEXT: [&str; 7] = [".md", ".json", ".txt", ".toml", ".csv", ".sig", "SHA256SUMS"];

/// An open file with its size and content type.
pub(super) struct Sent {
    file: File,
    bytes: u64,
    headers: [(HeaderName, String); 3],
}

impl Sent {
    /// Opens a file of a request by its path; none if the request has no such file.
    pub(super) fn open(detail: &Detail, path: &str) -> Result<Option<Self>, Fault> {
        let Some(path) = detail.files.iter().find(|file| file.as_path() == Path::new(path)) else { return Ok(None) };
        let file = regular_file::open_beneath(&detail.folder, path).on("open", path)?;
        let bytes = file.metadata().on("look at", path)?.len();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_text = TEXT.iter().any(|ending| name.ends_with(ending));
        let (kind, shown) =
            if is_text { ("text/plain; charset=utf-8", "inline") } else { ("application/octet-stream", "attachment") };
        let disposition =
            format!("{shown}; filename*=UTF-8''{}", relative_address(name.as_bytes()).replace(['@', ',', '='], "_"));
        let headers = [
            (CONTENT_TYPE, kind.to_owned()),
            (CONTENT_DISPOSITION, disposition),
            (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'; frame-ancestors 'none'".to_owned()),
        ];
        Ok(Some(Self { file, bytes, headers }))
    }

    /// The response, whose body is read as it is sent.
    pub(super) fn into_response(self) -> Response {
        let stream = ReaderStream::new(tokio::fs::File::from_std(self.file).take(self.bytes));
        let mut response = Body::from_stream(stream).into_response();
        response.headers_mut().insert(CONTENT_LENGTH, self.bytes.into());
        for (name, value) in self.headers {
            // Each value is printable ASCII.
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}
