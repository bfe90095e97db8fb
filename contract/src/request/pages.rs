//! The lane `fetch` in a request: its URLs, and the network that follows from them.
//!
//! ```text
//! backend: fetch
//! urls: ["https://docs.example.org/page"]
//! ```
//!
//! A URL is spelled so that every reader finds the same host in it. Pure. *Standards*: RFC 3986; `schemas/request.schema.md`.

use std::collections::BTreeSet;

use gatepost_documents::destination::Destination;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sources::{URL_BYTES_MAX, URLS_MAX};
use url::Url;

use super::field::{self, Faults, Fields};
use super::{Network, Pages, value};

/// The keys of other lanes that a fetch request may not have: its network follows from its URLs, and it has no files.
const OTHERS: [&str; 7] =
    ["language", "network", "network_allowlist", "inputs", "outputs_expected", "session_id", "keep_open"];

/// Reads the lane.
pub(super) fn read(fields: &Fields<'_>, faults: &mut Faults) -> Option<Pages> {
    for name in OTHERS.into_iter().filter(|name| fields.has(name)) {
        let message = format!("A fetch request has no key {name}.");
        fields.refuse(name, Reason::new(Code::KeyUnknown, message, "Remove it."), faults);
    }
    if !fields.has("urls") {
        fields.missing("urls", "a fetch request", faults);
        return None;
    }
    let urls = fields.list("urls", faults, |node| url(field::text(node)?));
    let distinct: BTreeSet<&String> = urls.iter().collect();
    if urls.len() > URLS_MAX || distinct.len() != urls.len() || !fields.has_members("urls") {
        let message = format!("The list urls must have 1 to {URLS_MAX} different URLs.");
        let reason = Reason::new(Code::ValueInvalid, message, "Spread more over several requests.");
        fields.refuse("urls", reason, faults);
    }
    Some(Pages { urls, size_limit_kb: fields.read("size_limit_kb", faults, value::count) })
}

/// A URL of a page, exactly as written: `https` or `http`, printable ASCII, no user, no fragment, and a full host in
/// its one spelling.
pub fn url(text: &str) -> Option<String> {
    let is_plain = text.len() <= URL_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let written = Destination::of_url(text).filter(|_| is_plain && !text.contains('#'))?;
    // Characters that are sent as `%XX` count as that.
    let read = Url::parse(text).ok().filter(|read| read.as_str().len() <= URL_BYTES_MAX)?;
    (Destination::of_url(read.as_str()) == Some(written)).then(|| text.to_owned())
}

/// The destinations of the URLs, each once.
pub(super) fn network(pages: &Pages) -> Network {
    let destinations: BTreeSet<Destination> = pages.urls.iter().filter_map(|url| Destination::of_url(url)).collect();
    Network::to(destinations.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_one_host_to_every_reader() {
        for text in [
            "https://a.org/",
            "https://a.org",
            "http://a.org:8080/x?y=%20&z",
            "https://192.0.2.7/",
            "https://[2001:db8::1]/x",
            "https://A.org/x",
        ] {
            assert_eq!(url(text).as_deref(), Some(text));
        }
        for text in [
            "",
            "a.org/x",
            "ftp://a.org/",
            "file:///etc/passwd",
            "HTTPS://a.org/",
            "https://user@a.org/",
            "https://a.org@b.org/",
            "https://a.org\\@b.org/",
            "https://a.org/#top",
            "https://a.org/a b",
            "https://b\u{fc}cher.example/",
            "https://127.1/",
            "https://0x7f000001/",
            "https://a.org:0/",
            "https://a.org:99999/",
            "https:///a.org/",
            "https://a.org/\u{200b}",
        ] {
            assert_eq!(url(text), None, "{text}");
        }
        assert_eq!(url(&format!("https://a.org/{}", "x".repeat(URL_BYTES_MAX))), None);
        assert_eq!(url(&format!("https://a.org/{}", "<".repeat(URL_BYTES_MAX / 2))), None);
    }
}
