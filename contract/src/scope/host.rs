//! Host names in the one form that every program takes for the same host: lower case, as in the DNS.
//!
//! A name in letters of its own (`münchen.example`) is compared as `xn--mnchen-3ya.example`. It is refused where programs could
//! spell it differently there, or a person could take it for another: letters that the mapping changes or that IDNA 2003 and 2008
//! disagree on, and labels in several scripts. Punycode itself is refused. *Standards*: RFC 1123 §2.1, UTS 46, UTS 39 §5.1.

use unicode_security::MixedScript;

/// Letters that IDNA 2003 and 2008 spell differently, in lower case.
const DEVIATIONS: [char; 4] = ['ß', 'ς', '\u{200c}', '\u{200d}'];

/// Checks a host name and returns it as in the DNS, in lower case; the error is the end of a sentence.
pub(super) fn host_name(text: &str) -> Result<String, &'static str> {
    if text.is_empty() {
        return Err("is empty");
    }
    if text.chars().any(char::is_whitespace) {
        return Err("contains whitespace");
    }
    if let Some(fault) = forbidden_mark(text) {
        return Err(fault);
    }
    let folded = text.to_lowercase();
    if folded.split('.').any(|label| label.starts_with("xn--")) {
        return Err("contains a punycode label, which may look like another name; write it in its own letters");
    }
    let name = if text.is_ascii() { folded } else { in_dns(&folded)? };
    if name.len() > 253 {
        return Err("is longer than 253 characters");
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    if is_number && !last.is_empty() {
        return Err("ends in a number but is not a valid IPv4 address");
    }
    name.split('.').try_for_each(label)?;
    Ok(name)
}

/// The spelling in the DNS of a name in lower case with letters beyond ASCII.
fn in_dns(folded: &str) -> Result<String, &'static str> {
    if folded.contains(DEVIATIONS) {
        return Err("contains non-ASCII characters that programs spell differently in the DNS");
    }
    let ascii =
        idna::domain_to_ascii_strict(folded).map_err(|_| "contains non-ASCII characters that no host name has")?;
    if folded.is_ascii() || idna::domain_to_unicode(&ascii).0 != folded {
        return Err("contains non-ASCII characters that stand for others");
    }
    if folded.split('.').any(|label| !label.is_single_script()) {
        return Err("contains non-ASCII characters of several scripts in one label");
    }
    Ok(ascii)
}

fn forbidden_mark(text: &str) -> Option<&'static str> {
    [
        ("..", "contains a path traversal `..`"),
        ("/", "contains '/' but is not a valid network"),
        ("\\", "contains a backslash"),
        ("*", "contains a wildcard"),
        (":", "contains ':' but is not a valid IPv6 address"),
    ]
    .into_iter()
    .find_map(|(mark, fault)| text.contains(mark).then_some(fault))
}

fn label(label: &str) -> Result<(), &'static str> {
    if label.is_empty() || label.len() > 63 {
        return Err("has a label that is empty or longer than 63 characters");
    }
    if label.starts_with('-') || label.ends_with('-') {
        return Err("has a label that begins or ends with a hyphen");
    }
    if !label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err("contains a character that is not allowed in host names");
    }
    Ok(())
}

/// A host name, or with `*.` every name below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostPattern {
    name: String,
    below: bool,
}

impl HostPattern {
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let (name, below) = text.strip_prefix("*.").map_or((text, false), |name| (name, true));
        Ok(Self { name: host_name(name)?, below })
    }

    pub(super) fn matches(&self, host: &str) -> bool {
        if !self.below {
            return host == self.name;
        }
        host.strip_suffix(self.name.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_its_own_letters_is_the_name_in_the_dns() {
        for (text, name) in [
            ("WWW.Example.ORG", "www.example.org"),
            ("MÜNCHEN.example", "xn--mnchen-3ya.example"),
            ("münchen.example", "xn--mnchen-3ya.example"),
            ("москва.example", "xn--80adxhks.example"),
            ("例え.example", "xn--r8jz45g.example"),
            ("bücher-2.example", "xn--bcher-2-n2a.example"),
        ] {
            assert_eq!(host_name(text).as_deref(), Ok(name), "{text}");
        }
    }

    #[test]
    fn a_name_that_could_be_taken_for_another_is_refused() {
        for (text, fault) in [
            ("ex\u{430}mple.com", "several scripts"),
            ("www.p\u{443}pal.example", "several scripts"),
            ("fa\u{df}.example", "spell differently"),
            ("STRA\u{1e9e}E.example", "spell differently"),
            ("a\u{200d}b.example", "spell differently"),
            ("\u{ff45}xample.com", "stand for others"),
            ("\u{2488}example.com", "non-ASCII"),
            ("127\u{3002}0\u{3002}0\u{3002}1", "stand for others"),
            ("\u{212a}elvin.example", "stand for others"),
            ("mu\u{308}nchen.example", "stand for others"),
            ("xn--mnchen-3ya.example", "punycode"),
            ("XN--mnchen-3ya.example", "punycode"),
            ("\u{661}.example", "non-ASCII"),
        ] {
            let found = host_name(text).unwrap_err();
            assert!(found.contains(fault), "{text}: {found}");
        }
    }
}
