//! `[http]`: one HTTP request, read and checked in full, and filled in.
//!
//! Sends nothing. A value is encoded for its place: percent-encoded in the URL, and in the body as its type demands.
//!
//! Standards: ToolClad, HTTP backend; RFC 9110 (methods, field names), RFC 3986.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::argument::Argument;
use super::filling::{Filling, Secret};
use super::http_body::HttpBody;
use super::placeholder::{Names, Part, Parts};
use crate::toml_source::{Located, Section};
use gatepost_documents::destination::Destination;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use zeroize::Zeroizing;

/// A parsed `[http]`.
#[derive(Debug, Clone)]
pub struct Http {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Where it is sent.
    pub destination: Destination,
    url: Parts,
    headers: Vec<(String, Parts)>,
    body: Option<HttpBody>,
    /// The secrets that are named anywhere in it.
    pub(super) secrets: BTreeSet<String>,
    /// Response statuses that mean success; 200 to 299 when the manifest lists none.
    pub success_status: Vec<u16>,
    /// Response statuses that mean a known error.
    pub error_status: Vec<u16>,
}

/// A request, filled in.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpCall {
    /// The method.
    pub method: &'static str,
    /// The URL. May hold secrets.
    pub url: Zeroizing<String>,
    /// Header fields. May hold secrets.
    pub headers: Vec<(String, Zeroizing<String>)>,
    /// The body, if any. May hold secrets.
    pub body: Option<Zeroizing<String>>,
    /// The method and the URL, without secrets.
    pub shown: Vec<String>,
    /// The values that must never be shown.
    pub secrets: Vec<Secret>,
}

impl std::fmt::Debug for HttpCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpCall").field("shown", &self.shown).finish_non_exhaustive()
    }
}

/// Whether a header determines the target or the length of a request: the client writes it.
pub fn is_own_header(name: &str) -> bool {
    OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name))
}

const OWN_HEADERS: [&str; 8] =
    ["host", "content-length", "transfer-encoding", "connection", "expect", "te", "upgrade", "proxy-authorization"];

const METHODS: [(&str, &str); 5] =
    [("GET", "GET"), ("POST", "POST"), ("PUT", "PUT"), ("PATCH", "PATCH"), ("DELETE", "DELETE")];

/// Reads `[http]`.
pub(super) fn read(section: Section<'_>, arguments: &[Argument]) -> Option<Http> {
    let names = Names::new(arguments);
    if !section.has("method") {
        section.missing("method");
    }
    let method = section.one_of("method", &METHODS);
    let (url, destination) = section.required_text("url").map(|url| read_url(&section, &names, url)).unzip();
    let mut headers = read_headers(&section, &names);
    let body = section.text("body_template");
    let body = body.map(|body| HttpBody::read(&section, &names, content_type(&headers), body));
    if content_type(&headers).is_none() && body.as_ref().is_some_and(HttpBody::is_json) {
        headers.push(("Content-Type".to_owned(), vec![Part::Literal("application/json".to_owned())]));
    }
    let success_status = statuses(&section, "success_status");
    let error_status = statuses(&section, "error_status");
    for status in error_status.iter().filter(|status| success_status.contains(status)) {
        let message = format!("[http] lists the status {status} both as success and as error.");
        section.fault(section.place("error_status"), message, "Keep it in one list.");
    }
    let used = names.used.borrow();
    for argument in arguments.iter().filter(|argument| !used.contains(&argument.name)) {
        super::command::report_unused_argument(&section, argument);
    }
    section.close();
    let secrets = names.secrets();
    Some(Http {
        method: method?,
        destination: destination.flatten()?,
        url: url?,
        headers,
        body,
        secrets,
        success_status,
        error_status,
    })
}

/// A URL, and where it leads if that is valid.
fn read_url(section: &Section<'_>, names: &Names<'_>, text: Located<&str>) -> (Parts, Option<Destination>) {
    let parts = names.parts(section, "url", text.at, text.value);
    let rest = ["https://", "http://"].iter().find_map(|scheme| text.value.strip_prefix(scheme)).unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let hint = "Begin with https:// and a literal host; placeholders may appear in the path and the query.";
    if authority.is_empty() || authority.contains(['{', '}', '@', '\\']) {
        let message = format!("{} has no fixed http or https host.", section.path("url"));
        section.fault(text.at, message, hint);
        return (parts, None);
    }
    if text.value.contains(|c: char| c.is_control() || c == ' ' || c == '\\') {
        section.fault(text.at, format!("{} is not a URL.", section.path("url")), hint);
    }
    if text.value.contains('#') {
        let message = format!("{} has a fragment, which is never sent.", section.path("url"));
        section.fault(text.at, message, "Remove it, or write a literal `#` as %23.");
    }
    check_path(section, names, text.at, &parts);
    let destination = Destination::of_url(text.value);
    if destination.is_none() {
        let message =
            format!("{} has the host {}, which programs read differently.", section.path("url"), quoted(authority));
        section.fault(text.at, message, "Write a host name in ASCII or an address, an IPv6 address in brackets.");
    }
    (parts, destination)
}

fn check_path(section: &Section<'_>, names: &Names<'_>, at: usize, url: &Parts) {
    for name in in_path(url) {
        if names.argument(name).is_some_and(Argument::may_be_absent) {
            let message = format!("{} has {name} in its path, which may be absent.", section.path("url"));
            section.fault(at, message, format!("Set `required = true` in [args.{name}], or give it a `default`."));
        }
    }
}

/// The arguments in the path of a URL, which without one of them would address something else.
fn in_path(url: &Parts) -> impl Iterator<Item = &str> {
    let path = url.iter().take_while(|part| !matches!(part, Part::Literal(text) if text.contains('?')));
    path.filter_map(|part| if let Part::Argument(name) = part { Some(name.as_str()) } else { None })
}

fn read_headers(section: &Section<'_>, names: &Names<'_>) -> Vec<(String, Parts)> {
    let Some(table) = section.section("headers") else { return Vec::new() };
    let mut headers: Vec<(String, Parts)> = Vec::new();
    for (name, node) in table.entries() {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.value.is_empty() || !name.value.bytes().all(is_token) {
            let message = format!("[http.headers] has the name {}, which is not a field name.", quoted(name.value));
            table.fault(name.at, message, "Use letters, digits and hyphens.");
        }
        if is_own_header(name.value) {
            let message = format!("[http.headers] has {}, which gatepost writes itself.", quoted(name.value));
            table.fault(name.at, message, "Remove it.");
        }
        if headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name.value)) {
            table.fault(name.at, format!("[http.headers] has {} twice.", quoted(name.value)), "Keep one.");
        }
        match node.get_ref().as_str() {
            Some(value) if value.contains(char::is_control) => {
                table.fault(
                    node.span().start,
                    "[http.headers] has a control character.".into(),
                    "Write it on one line.",
                );
            }
            Some(value) => {
                let parts = names.parts(&table, name.value, node.span().start, value);
                check_header(&table, names, node.span().start, &parts);
                headers.push((name.value.to_owned(), parts));
            }
            None => {
                table.mistyped::<()>(name.value, node, "a text", node.get_ref());
            }
        }
    }
    headers
}

/// A header cannot carry a line end, and there is no way to escape one.
fn check_header(table: &Section<'_>, names: &Names<'_>, at: usize, parts: &Parts) {
    for part in parts {
        let Part::Argument(name) = part else { continue };
        if names.argument(name).is_some_and(|argument| argument.kind.unsanitized) {
            let message = format!("[http.headers] uses {name}, whose `sanitize = []` allows line ends.");
            table.fault(at, message, "Remove `sanitize = []`.");
        }
    }
}

/// The `Content-Type`; empty where it is not written out.
fn content_type(headers: &[(String, Parts)]) -> Option<&str> {
    let (_, parts) = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"))?;
    Some(if let [Part::Literal(value)] = parts.as_slice() { value } else { "" })
}

fn statuses(section: &Section<'_>, key: &'static str) -> Vec<u16> {
    let Some(node) = section.node(key) else { return Vec::new() };
    let Some(items) = node.get_ref().as_array() else {
        section.mistyped::<()>(key, node, "an array of status codes", node.get_ref());
        return Vec::new();
    };
    let mut statuses = Vec::new();
    for item in items {
        let status = crate::toml_source::integer(item.get_ref()).and_then(|status| u16::try_from(status).ok());
        match status.filter(|status| (100..=599).contains(status)) {
            Some(status) => statuses.push(status),
            None => section.fault(
                item.span().start,
                format!("{} contains something that is not an HTTP status.", section.path(key)),
                "Write 100 to 599.",
            ),
        }
    }
    statuses
}

impl Http {
    /// Whether a response status means success.
    pub fn is_success(&self, status: u16) -> bool {
        if self.success_status.is_empty() {
            (200..300).contains(&status)
        } else {
            self.success_status.contains(&status)
        }
    }

    /// Makes the request; or names the value that would change the shape of the path, or cannot be in a header.
    pub(super) fn call(&self, filling: &mut Filling<'_>) -> Result<HttpCall, Reason> {
        let url = filling.text(&self.url, &percent_encode);
        let mut headers = Vec::new();
        for (name, parts) in &self.headers {
            let value = filling.text(parts, &str::to_owned);
            if value.real.contains(char::is_control) {
                return Err(unsendable(name, parts));
            }
            headers.push((name.clone(), value.real));
        }
        let body = self.body.as_ref().map(|body| body.fill(filling));
        if walks(&url.real) {
            let message = "An argument makes a path segment of the URL `.` or `..`.";
            return Err(Reason::new(Code::ArgumentInvalid, message, "Use a value other than `.` and `..`."));
        }
        let is_empty = |name: &&str| filling.arguments.text(name).is_none_or(|value| value.is_empty());
        if let Some(name) = in_path(&self.url).find(is_empty) {
            let message = format!("The argument {name} is empty, but the path of the URL needs it.");
            return Err(Reason::new(Code::ArgumentInvalid, message, "Use a value that is not empty."));
        }
        let shown = vec![self.method.to_owned(), url.shown];
        Ok(HttpCall {
            method: self.method,
            url: url.real,
            headers,
            body,
            shown,
            secrets: std::mem::take(&mut filling.secrets),
        })
    }
}

/// A line end in a header would begin another one.
fn unsendable(header: &str, parts: &Parts) -> Reason {
    let secret = parts.iter().find_map(|part| if let Part::Secret(name) = part { Some(name) } else { None });
    let (code, what) = match secret {
        Some(name) => (Code::SecretUnusable, format!("The secret {name}")),
        None => (Code::ArgumentInvalid, "An argument".to_owned()),
    };
    let message =
        format!("{what} has a line end or another control character, which the header {header} cannot carry.");
    Reason::new(code, message, "Use a value of one line.")
}

/// Everything but RFC 3986's unreserved characters.
pub(super) fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Whether a path has a segment `.` or `..`, in any spelling: URL readers walk it instead of sending it.
fn walks(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    path.split('/').any(|segment| segment == "." || segment == "..")
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Inputs, faults, manifest, values};
    use super::super::{Backend, Places};
    use super::*;
    use crate::scope::Scope;

    const PLACES: Places<'_> = Places { scan_id: "1", output_file: "", output_dir: "", evidence_dir: "" };
    const POST: &str = "[args.message]\ntype='string'\nsanitize=[]\n[args.count]\ntype='integer'\nrequired=true\n[args.id]\ntype='string'\nsanitize=[]\nrequired=true\n\
        [http]\nmethod='POST'\nurl='https://api.example.com/v1/{id}?key={_secret:key}'\nheaders={Authorization='Bearer {_secret:token}'}\n\
        body_template='{\"text\": \"{message}\", \"n\": {count}, \"o\": {\"p\": {}}}'\nsuccess_status=[200,201]\nerror_status=[404]";

    fn call(body: &str, given: &[(&str, &str)]) -> Result<HttpCall, Vec<Reason>> {
        let manifest = manifest(body).unwrap();
        let arguments = manifest.bind(&values(given), &Scope::default(), &Inputs).unwrap();
        let value = |name: &String| (name.clone(), format!("s3cret&{name}").into());
        manifest.http_call(&arguments, &PLACES, &manifest.secrets().iter().map(value).collect())
    }

    #[test]
    fn values_are_encoded_for_their_place() {
        let call = call(POST, &[("message", "a\"b\\\n{id}"), ("count", "5"), ("id", "a/b?c=d#é&")]).unwrap();
        assert_eq!(call.method, "POST");
        assert_eq!(*call.url, *"https://api.example.com/v1/a%2Fb%3Fc%3Dd%23%C3%A9%26?key=s3cret%26key");
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned().into());
        let json = header("Content-Type", "application/json");
        assert_eq!(call.headers, [header("Authorization", "Bearer s3cret&token"), json]);
        let body: serde_json::Value = serde_json::from_str(&call.body.unwrap()).unwrap();
        assert_eq!(body, serde_json::json!({"text": "a\"b\\\n{id}", "n": 5, "o": {"p": {}}}));
        assert_eq!(call.shown, ["POST", "https://api.example.com/v1/a%2Fb%3Fc%3Dd%23%C3%A9%26?key=[secret:key]"]);
    }

    #[test]
    fn a_path_addresses_nothing_else_without_a_value() {
        let url = |url: &str| format!("[args.a]\ntype='string'\n[http]\nmethod='DELETE'\nurl='https://a.org{url}'");
        for path in ["/items/{a}", "/items{a}/x", "/{a}?q={a}"] {
            let found = faults(&url(path));
            assert!(found.contains("has a in its path, which may be absent. Set `required = true`"), "{path}: {found}");
        }
        assert_eq!(faults(&url("/items/?q={a}")), "");
        let reasons = call(&url("/items/{a}").replace("'string'", "'string'\ndefault='x'"), &[("a", "")]).unwrap_err();
        assert!(reasons[0].message.contains("The argument a is empty"), "{reasons:?}");
        assert_eq!(faults(&url("/items/{a}").replace("'string'", "'string'\nrequired=true")), "");
    }

    #[test]
    fn a_value_cannot_walk_the_path() {
        for value in ["..", "."] {
            let reasons = call(POST, &[("id", value), ("count", "1")]).unwrap_err();
            assert_eq!(reasons[0].code.as_str(), "argument_invalid", "{value}");
        }
        assert!(walks("https://a/.%2E/b") && walks("https://a/%2e") && !walks("https://a/..b/...?x=/../"));
    }

    #[test]
    fn a_secret_cannot_begin_another_header() {
        let manifest = manifest(POST).unwrap();
        let given = values(&[("id", "x"), ("count", "1")]);
        let arguments = manifest.bind(&given, &Scope::default(), &Inputs).unwrap();
        let values = [("key", "k&"), ("token", "one\r\nX-Other: two")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned().into())).into();
        let reasons = manifest.http_call(&arguments, &PLACES, &values).unwrap_err();
        assert_eq!(reasons[0].code, Code::SecretUnusable);
        assert!(reasons[0].message.contains("The secret token") && !reasons[0].message.contains("two"));
    }

    #[test]
    fn statuses_mean_what_the_manifest_says() {
        let listed = manifest(POST).unwrap();
        let Backend::Http(listed) = listed.backend() else { panic!() };
        assert!(listed.is_success(201) && !listed.is_success(204) && listed.error_status == [404]);
        let silent = manifest("[http]\nmethod='GET'\nurl='https://a.org/'").unwrap();
        let Backend::Http(silent) = silent.backend() else { panic!() };
        assert!(silent.is_success(204) && !silent.is_success(301));
    }

    #[test]
    fn what_cannot_be_sent_is_found_at_check() {
        let arguments = "[args.a]\ntype='string'\n[args.free]\ntype='string'\nsanitize=[]\n[http]\n";
        for (http, fault) in [
            ("url='https://a.org/'", "method is missing"),
            ("method='TRACE'\nurl='https://a.org/'", "must be one of: GET"),
            ("method='GET'", "url is missing"),
            ("method='GET'\nurl='ftp://a.org/'", "no fixed http or https host"),
            ("method='GET'\nurl='https://{a}/'", "no fixed http or https host"),
            ("method='GET'\nurl='https://a.org@{a}/'", "no fixed http or https host"),
            ("method='GET'\nurl='{a}'", "no fixed http or https host"),
            ("method='GET'\nurl='https://127.1/'", "which programs read differently"),
            ("method='GET'\nurl='https://a.org:0/'", "which programs read differently"),
            ("method='GET'\nurl='https://a.org/{b}'", "not defined"),
            ("method='GET'\nurl='https://a.org/{_output_file}'", "not defined"),
            ("method='GET'\nurl='https://a.org/ x'", "is not a URL"),
            ("method='GET'\nurl='https://a.org/x\\{a}/y'", "is not a URL"),
            ("method='GET'\nurl='https://a.org/x#{a}'", "has a fragment"),
            ("method='GET'\nurl='https://a.org/'\nheaders={'A B'='x'}", "not a field name"),
            ("method='GET'\nurl='https://a.org/'\nheaders={A='x', a='y'}", "twice"),
            ("method='GET'\nurl='https://a.org/'\nheaders={A=\"x\\r\\nB: y\"}", "control character"),
            ("method='GET'\nurl='https://a.org/'\nheaders={Host='x'}", "gatepost writes itself"),
            ("method='GET'\nurl='https://a.org/'\nheaders={A='{free}'}", "allows line ends"),
            ("method='POST'\nurl='https://a.org/'\nbody_template='{\"a\": {a}}'", "does not result in JSON"),
            ("method='POST'\nurl='https://a.org/'\nbody_template='{\"a\": \"{b}\"}'", "not defined"),
            ("method='GET'\nurl='https://a.org/'\nsuccess_status=[99]", "not an HTTP status"),
            ("method='GET'\nurl='https://a.org/'\nsuccess_status=[200]\nerror_status=[200]", "as success and as error"),
            ("method='GET'\nurl='https://a.org/'\nurll='x'", "Did you mean `url`?"),
        ] {
            let found = faults(&format!("{arguments}{http}"));
            assert!(found.contains(fault), "{http}: {found}");
        }
    }
}
