//! `robots.txt`: which paths of a host a crawler may ask for.
//!
//! Pure and linear but for the matching of patterns, whose length is bounded. *Standards*: RFC 9309.

use gatepost_documents::sources::Outcome;
use url::Url;

/// The product token of gatepost.
const TOKEN: &str = "gatepost";

/// The longest pattern, and how many rules of one group: a file with more cannot be read.
const PATTERN_BYTES_MAX: usize = 256;
const RULES_MAX: usize = 2_000;

/// The rules of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Robots {
    /// No robots.txt: everything is permitted.
    Absent,
    /// robots.txt is unreadable: everything is forbidden, with this outcome and reason.
    Unavailable(Outcome, String),
    /// Patterns, and whether they permit.
    Rules(Vec<(String, bool)>),
}

impl Robots {
    /// Reads a file: the groups that name gatepost, or else those for everybody. None where they have too many or too long rules.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (mut own, mut all, mut has_own) = (Vec::new(), Vec::new(), false);
        // Whether the group that is being read is ours, and for everybody; and whether its rules began.
        let (mut is_own, mut is_all, mut has_rules) = (false, false, true);
        for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    if has_rules {
                        (is_own, is_all, has_rules) = (false, false, false);
                    }
                    is_all |= value == "*";
                    is_own |= token(value).eq_ignore_ascii_case(TOKEN);
                    has_own |= is_own;
                }
                "allow" | "disallow" => {
                    has_rules = true;
                    for (list, applies) in [(&mut own, is_own), (&mut all, is_all)] {
                        if applies && !value.is_empty() && list.len() <= RULES_MAX {
                            list.push((normal(value), key == "allow"));
                        }
                    }
                }
                _ => {}
            }
        }
        let rules: Vec<(String, bool)> = if has_own { own } else { all };
        let fits = rules.len() <= RULES_MAX && rules.iter().all(|(pattern, _)| pattern.len() <= PATTERN_BYTES_MAX);
        fits.then_some(Self::Rules(rules))
    }

    /// Whether a URL may be requested: the longest matching pattern decides; of two equal ones, the permitting one.
    pub(super) fn permits(&self, url: &Url) -> bool {
        let Self::Rules(rules) = self else { return *self == Self::Absent };
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        if path == "/robots.txt" {
            return true;
        }
        let path = normal(&path);
        let matching = rules.iter().filter(|(pattern, _)| matches(pattern.as_bytes(), path.as_bytes()));
        matching.max_by_key(|(pattern, allows)| (pattern.len(), *allows)).is_none_or(|(_, allows)| *allows)
    }
}

/// The product token that a value begins with.
fn token(value: &str) -> &str {
    let end = value.find(|letter: char| !(letter.is_ascii_alphabetic() || matches!(letter, '_' | '-')));
    value.get(..end.unwrap_or(value.len())).unwrap_or_default()
}

/// A path or pattern in one spelling (RFC 9309, section 2.2.2): other characters than ASCII as `%XX`, every `%xx` in upper case, and
/// unreserved characters decoded.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let coded = tail.get(..2).filter(|digits| byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let coded = coded.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        rest = if coded.is_some() { &tail[2..] } else { tail };
        match coded.unwrap_or(byte) {
            plain if coded.is_some() && (plain.is_ascii_alphanumeric() || b"-._~".contains(&plain)) => {
                out.push(plain.into());
            }
            other if coded.is_some() || !other.is_ascii() => out.push_str(&format!("%{other:02X}")),
            plain => out.push(plain.into()),
        }
    }
    out
}

/// Whether a pattern with `*` and a final `$` matches the beginning of a path.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, is_whole) = pattern.strip_suffix(b"$").map_or((pattern, false), |rest| (rest, true));
    let (mut at, mut in_path, mut star) = (0, 0, None);
    loop {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_path));
                at += 1;
                continue;
            }
            None if !is_whole || in_path == path.len() => return true,
            Some(byte) if path.get(in_path) == Some(byte) => {
                (at, in_path) = (at + 1, in_path + 1);
                continue;
            }
            _ => {}
        }
        // One more character for the last star, if there is one.
        match star {
            Some((star_at, taken)) if taken < path.len() => {
                star = Some((star_at, taken + 1));
                (at, in_path) = (star_at + 1, taken + 1);
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_rule_of_the_group_decides() {
        let file = "# a comment\nUser-agent: other\nDisallow: /\n\nUser-Agent: *\nDisallow: /private\nAllow: /private/open$\n\
                    Disallow: /*.cgi\nDisallow: /caf\u{e9}\nDisallow:\nDisallow: /%6Fpen\n";
        let robots = Robots::read(file.as_bytes()).unwrap();
        for (path, permitted) in [
            ("/", true),
            ("/privately", false),
            ("/private/open", true),
            ("/private/open/x", false),
            ("/a/b.cgi?x=1", false),
            ("/a?b.cgi", false),
            ("/caf%c3%a9", false),
            ("/priv%61te", false),
            ("/a/b%2Ecgi", false),
            ("/a%2Fb.cg", true),
            ("/open", false),
            ("/robots.txt", true),
        ] {
            let url = Url::parse(&format!("https://a.org{path}")).unwrap();
            assert_eq!(robots.permits(&url), permitted, "{path}");
        }
    }

    #[test]
    fn a_group_of_our_own_replaces_that_for_everybody() {
        let page = Url::parse("https://a.org/page").unwrap();
        for (file, permitted) in [
            ("User-agent: *\nDisallow: /\nUser-agent: GatePost/2\nAllow: /page", true),
            ("User-agent: gatepost\nUser-agent: b\nDisallow: /p\nUser-agent: *\nAllow: /", false),
            ("User-agent: *\nDisallow: /\nUser-agent: gatepost\n", true),
            ("User-agent: gatepostal\nDisallow: /\n", true),
            ("Disallow: /\n", true),
            ("\u{feff}User-agent: *\rDisallow: /\r", false),
            ("<html>no rules</html>", true),
            ("", true),
        ] {
            assert_eq!(Robots::read(file.as_bytes()).unwrap().permits(&page), permitted, "{file:?}");
        }
        for rules in ["Disallow: /x\n".repeat(RULES_MAX + 1), format!("Allow: /{}\n", "x".repeat(PATTERN_BYTES_MAX))] {
            assert_eq!(Robots::read(format!("User-agent: *\n{rules}").as_bytes()), None);
        }
        assert!(Robots::Absent.permits(&page) && !Robots::Unavailable(Outcome::NoAnswer, String::new()).permits(&page));
    }

    #[test]
    fn a_pattern_of_many_stars_takes_no_longer_than_its_length_allows() {
        let pattern = "*a".repeat(PATTERN_BYTES_MAX / 2);
        assert!(!matches(pattern.as_bytes(), "/".repeat(2_048).as_bytes()));
        assert!(matches(b"/a*c$", b"/abcabc") && !matches(b"/a*c$", b"/abcab"));
    }
}
