//! The stored head of a response.
//!
//! ```text
//! HTTP/1.1 200 OK
//! content-type: application/json
//! set-cookie: [redacted]
//! location: https://example.org/session?[redacted]
//! ```
//!
//! The reason phrase is the standard's, not the server's. *Security*: credentials that a server hands out for later use are left out,
//! because a reader of the result must not get them: of a URL that is its user and everything after the path. A path can also grant
//! access, but is shown, because an address without it is useless. TOOL-EXEC replaces secrets that a server repeats.

use std::borrow::Cow;

use ureq::Body;
use ureq::http::{HeaderMap, HeaderName, Response, header};

/// A header whose name contains one of these carries a credential, or may carry one.
const CREDENTIALS: [&str; 12] = [
    "cookie",
    "auth",
    "token",
    "secret",
    "api-key",
    "apikey",
    "password",
    "passwd",
    "session",
    "credential",
    "signature",
    "jwt",
];

/// Headers whose values are URLs, which may be relative (RFC 9110, RFC 8288; HTML has `Refresh`).
const URLS: [HeaderName; 4] = [header::LOCATION, header::CONTENT_LOCATION, header::LINK, header::REFRESH];

/// The text of a head.
pub fn text(response: &Response<Body>) -> String {
    let status = response.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let mut text = format!("{:?} {} {reason}\n", response.version(), status.as_u16());
    for (name, value) in response.headers() {
        text.push_str(&format!("{name}: {}\n", shown(name, &String::from_utf8_lossy(value.as_bytes()))));
    }
    text
}

/// The shown part of a header's value.
fn shown(name: &HeaderName, value: &str) -> String {
    if CREDENTIALS.iter().any(|word| name.as_str().contains(word)) {
        return "[redacted]".to_owned();
    }
    // JSON may escape a slash this way.
    let value = value.replace("\\/", "/");
    match name {
        _ if !URLS.contains(name) && !value.starts_with('/') && !value.contains("//") => value,
        // The only header with several URLs, each before a `>`.
        &header::LINK => value.split_inclusive('>').map(without_credentials).collect(),
        _ => without_credentials(&value),
    }
}

/// A text with a URL, up to the end of the path.
fn without_credentials(text: &str) -> String {
    let end = text.find(['?', '#']).map_or(text.len(), |at| at + 1);
    let (kept, left_out) = text.split_at(end);
    let mut pieces = kept.split("//");
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let authority = piece.find('/').unwrap_or(piece.len());
        let user = piece[..authority].rfind('@').map_or(0, |at| at + 1);
        shown.push_str(&format!("//{}", &piece[user..]));
    }
    if left_out.is_empty() || left_out == ">" {
        return shown + left_out;
    }
    shown + if left_out.ends_with('>') { "[redacted]>" } else { "[redacted]" }
}

/// The content coding in the headers, if it is not `identity`; each header may list several.
pub fn coding(headers: &HeaderMap) -> Option<String> {
    let listed = |name: HeaderName, plain: &'static str| {
        let codings = headers.get_all(name).into_iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
        let mut codings = codings.map(|coding| String::from_utf8_lossy(coding.trim_ascii()));
        codings.find(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(plain)).map(Cow::into_owned)
    };
    listed(header::CONTENT_ENCODING, "identity").or_else(|| listed(header::TRANSFER_ENCODING, "chunked"))
}

/// Whether a response has a length or a framing, so that truncation can be detected (RFC 9112, section 8).
pub fn is_framed(response: &Response<Body>) -> bool {
    let headers = response.headers();
    let has_no_body = matches!(response.status().as_u16(), 100..=199 | 204 | 304);
    has_no_body || headers.contains_key(header::CONTENT_LENGTH) || headers.contains_key(header::TRANSFER_ENCODING)
}

#[cfg(test)]
mod tests {
    use gatepost_workers::http::status;

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
    fn a_name_tells_what_admits_its_bearer() {
        for name in
            ["x-password", "mcp-session-id", "x-jwt", "x-credential", "x-signature", "x-auth", "proxy-authorization"]
        {
            assert_eq!(shown(&name.parse().unwrap(), "hunter2"), "[redacted]", "{name}");
        }
        assert_eq!(shown(&header::CONTENT_TYPE, "text/html"), "text/html");
    }

    #[test]
    fn of_a_url_neither_its_user_nor_what_follows_its_path_is_shown() {
        for (name, value, expected) in [
            ("location", "https://bob:hunter2@a.org/x?token=hunter3#hunter4", "https://a.org/x?[redacted]"),
            ("location", "//bob:hunter2@a.org", "//a.org"),
            ("location", "/login#access_token=hunter2?x", "/login#[redacted]"),
            ("location", "/plain/@path", "/plain/@path"),
            ("location", "/x?a=>hunter2", "/x?[redacted]"),
            ("location", "/x?", "/x?"),
            ("content-location", "?sig=hunter2", "?[redacted]"),
            ("refresh", "5; url='/x?token=hunter2'", "5; url='/x?[redacted]"),
            (
                "link",
                "<https://a.org/x?page=hunter2>; rel=\"next\", <y?z=hunter3>; rel=\"last\"",
                "<https://a.org/x?[redacted]>; rel=\"next\", <y?[redacted]>; rel=\"last\"",
            ),
            ("link", "</style.css>; rel=preload", "</style.css>; rel=preload"),
            ("x-next", "https://u@a.org/?cursor=hunter2", "https://a.org/?[redacted]"),
            ("x-redirect", "/login?access_token=hunter2", "/login?[redacted]"),
            ("x-next", "//bob:hunter2@a.org/?c=hunter3", "//a.org/?[redacted]"),
            (
                "report-to",
                r#"{"endpoints":[{"url":"https:\/\/u:hunter2@a.org\/r?k=hunter3"}]}"#,
                r#"{"endpoints":[{"url":"https://a.org/r?[redacted]"#,
            ),
            ("x-mobile", "?1", "?1"),
            ("date", "Mon, 23 Nov 2026 17:00:00 GMT", "Mon, 23 Nov 2026 17:00:00 GMT"),
        ] {
            assert_eq!(shown(&name.parse().unwrap(), value), expected, "{name}: {value}");
        }
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
}
