//! The target of a redirect. Pure. *Standards*: RFC 9110 §15.4 and §10.2.2, RFC 6454 (origins).

use url::Url;

/// The target of a redirect from `from`, if it has the same origin: scheme, host and port.
pub(super) fn target(from: &Url, location: &str) -> Option<Url> {
    let mut target = from.join(location).ok()?;
    target.set_fragment(None);
    let is_plain = target.username().is_empty() && target.password().is_none();
    (is_plain && target.origin() == from.origin()).then_some(target)
}

/// The origin of a redirect's target. Show only this: the rest may contain credentials.
pub(super) fn origin(from: &Url, location: &str) -> String {
    from.join(location).map_or_else(|_| "an invalid URL".to_owned(), |target| target.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_origin_is_followed() {
        let from = Url::parse("https://a.org:8443/x/y?q=1").unwrap();
        for (location, expected) in [
            ("z", Some("https://a.org:8443/x/z")),
            ("/z?p=2#part", Some("https://a.org:8443/z?p=2")),
            ("https://A.ORG:8443/", Some("https://a.org:8443/")),
            ("https://a.org/", None),
            ("http://a.org:8443/", None),
            ("//169.254.169.254/latest", None),
            ("https://a.org.evil.org:8443/", None),
            ("https://user@a.org:8443/", None),
            ("https://a.org:8443@evil.org/", None),
            ("file:///etc/passwd", None),
            ("https://[", None),
        ] {
            assert_eq!(target(&from, location).as_ref().map(Url::as_str), expected, "{location}");
        }
    }
}
