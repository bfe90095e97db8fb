//! `[http] body_template`: writes values into the body of a request.
//!
//! The `Content-Type` decides the escaping: JSON, XML or a form. A body of any other type cannot be escaped, so it takes only arguments
//! whose values cannot end their context.
//!
//! *Security*: a value is a requester's, and stays one value. *Standards*: RFC 8259 section 7, XML 1.0 sections 2.2 and 4.1, RFC 6839
//! (suffixes of
//! media types), WHATWG URL (forms).

use gatepost_documents::text::quoted;
use serde_json::Value;
use zeroize::Zeroizing;

use super::argument::Argument;
use super::argument_type::Kind;
use super::filling::Filling;
use super::http::percent_encode;
use super::placeholder::{Names, Part, Parts};
use super::template::scan_body;
use crate::parser::Builtin;
use crate::toml_source::{Located, Section};

/// Replaces a text in a trial body; no template contains it.
const SAMPLE: char = '\u{E000}';
/// The same where XML is tried: a character reference, which counts only where a value does.
const XML_SAMPLE: &str = "&#xE000;";

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    Xml,
    UrlEncoded,
    /// As it is.
    Plain,
}

/// A body with its placeholders.
#[derive(Debug, Clone)]
pub(super) struct HttpBody {
    form: Form,
    parts: Parts,
}

impl HttpBody {
    /// Reads the template. `content_type` is that of the headers, empty where it is not written out.
    pub(super) fn read(
        section: &Section<'_>,
        names: &Names<'_>,
        content_type: Option<&str>,
        text: Located<&str>,
    ) -> Self {
        let parts = names.resolve(section, "body_template", text.at, &scan_body(text.value));
        let form = match content_type {
            Some(content_type) => form_of(content_type),
            None if text.value.trim_start().starts_with(['{', '[']) => Form::Json,
            None => {
                let message = format!("{} has no Content-Type.", section.path("body_template"));
                section.fault(text.at, message, "Write it into [http.headers], such as Content-Type = \"text/plain\".");
                Form::UrlEncoded
            }
        };
        if let Some(charset) = content_type.and_then(foreign_charset) {
            let message = format!("[http.headers] has the charset {}, but a body is sent in UTF-8.", quoted(charset));
            section.fault(text.at, message, "Write charset=utf-8, or no charset.");
        }
        match form {
            Form::Json => check_json(section, names, text.at, &parts),
            Form::Xml => check_xml(section, text.at, &parts),
            Form::UrlEncoded => check_form(section, text.at, &parts),
            Form::Plain => check_plain(section, names, text.at, &parts),
        }
        Self { form, parts }
    }

    /// Whether it is JSON.
    pub(super) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// The body with its values.
    pub(super) fn fill(&self, filling: &mut Filling<'_>) -> Zeroizing<String> {
        let encode: &dyn Fn(&str) -> String = match self.form {
            Form::Json => &json_text,
            Form::Xml => &xml_text,
            Form::UrlEncoded => &percent_encode,
            Form::Plain => &str::to_owned,
        };
        filling.text(&self.parts, encode).real
    }
}

fn form_of(content_type: &str) -> Form {
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let subtype = media_type.split_once('/').map_or("", |(_, subtype)| subtype);
    match subtype.rsplit('+').next().unwrap_or_default() {
        "json" => Form::Json,
        "xml" => Form::Xml,
        _ if media_type == "application/x-www-form-urlencoded" => Form::UrlEncoded,
        _ => Form::Plain,
    }
}

/// The charset of a `Content-Type` that is not UTF-8.
fn foreign_charset(content_type: &str) -> Option<&str> {
    let parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let charsets = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charsets.map(|(_, charset)| charset.trim().trim_matches('"')).find(|charset| !charset.eq_ignore_ascii_case("utf-8"))
}

fn check_json(section: &Section<'_>, names: &Names<'_>, at: usize, parts: &Parts) {
    if let Some((clause, hint)) = json_fault(names, parts) {
        section.fault(at, format!("{} {clause}.", section.path("body_template")), hint);
    }
}

/// Why a body is not JSON for all values, or lets a value be a key, as a clause about it; and a hint.
fn json_fault(names: &Names<'_>, parts: &Parts) -> Option<(String, String)> {
    let usual = |part: &Part| json_samples(names, part).swap_remove(0);
    let Some(document) = json(parts, |_, part| usual(part)) else {
        let hint = "Write valid JSON with texts such as \"{name}\" between quotation marks.";
        return Some(("does not result in JSON".to_owned(), hint.to_owned()));
    };
    let as_text = |at| json(parts, |index, part| if index == at { SAMPLE.to_string() } else { usual(part) });
    if has_key(&document) || (0..parts.len()).filter_map(as_text).any(|document| has_key(&document)) {
        let hint = "Write the keys literally; placeholders may appear in values only.";
        return Some(("has a placeholder in a key, where a value could add a member".to_owned(), hint.to_owned()));
    }
    let is_called = |part: &Part, name: &str| matches!(part, Part::Argument(other) if other == name);
    let is_json = |name: &str, sample: &str| {
        json(parts, |_, part| if is_called(part, name) { sample.to_owned() } else { usual(part) }).is_some()
    };
    for part in parts {
        let Part::Argument(name) = part else { continue };
        if let Some(sample) = json_samples(names, part).iter().find(|sample| !is_json(name, sample)) {
            let hint = format!("Let {{{name}}} be a value of its own, or part of a text between quotation marks.");
            return Some((format!("does not result in JSON when {name} is {sample}"), hint));
        }
        if names.argument(name).is_some_and(Argument::may_be_absent) && !is_json(name, "") {
            let hint = format!("Set `required = true` in [args.{name}], or give it a `default`.");
            return Some((format!("does not result in JSON when {name} is not given"), hint));
        }
    }
    let is_absent =
        |part: &Part| matches!(part, Part::Argument(name) if names.argument(name).is_some_and(Argument::may_be_absent));
    if json(parts, |_, part| if is_absent(part) { String::new() } else { usual(part) }).is_none() {
        let hint = "Set `required = true` in one of them, or give it a `default`.";
        return Some(("does not result in JSON when no optional argument is given".to_owned(), hint.to_owned()));
    }
    None
}

/// The document with `value` of a part and its position in the place of each placeholder, if it is JSON.
fn json(parts: &Parts, value: impl Fn(usize, &Part) -> String) -> Option<Value> {
    let text = |(at, part): (usize, &Part)| if let Part::Literal(text) = part { text.clone() } else { value(at, part) };
    serde_json::from_str(&parts.iter().enumerate().map(text).collect::<String>()).ok()
}

/// Values of every type that the part may have, at least one: only a text can be between quotation marks.
fn json_samples(names: &Names<'_>, part: &Part) -> Vec<String> {
    let argument = if let Part::Argument(name) = part { names.argument(name) } else { None };
    let fixed: &[&str] = match argument.map(|argument| argument.kind.kind()) {
        Some(Kind::Integer) => &["1", "-1"],
        Some(Kind::Number) => &["1.5", "-1.5"],
        Some(Kind::Duration) => &["1", "0.25"],
        Some(Kind::Port) => &["1"],
        Some(Kind::Boolean) => &["true"],
        _ => &[],
    };
    let allowed = argument.map_or(&[][..], |argument| argument.kind.allowed()).iter().map(|value| json_text(value));
    let mut samples: Vec<String> = fixed.iter().map(|value| (*value).to_owned()).chain(allowed).collect();
    if samples.is_empty() {
        samples.push(SAMPLE.to_string());
    }
    samples
}

/// Whether the sample of a text is in a key.
fn has_key(document: &Value) -> bool {
    match document {
        Value::Array(items) => items.iter().any(has_key),
        Value::Object(members) => members.iter().any(|(key, value)| key.contains(SAMPLE) || has_key(value)),
        _ => false,
    }
}

/// With samples in all places, no name of a pair may contain one.
fn check_form(section: &Section<'_>, at: usize, parts: &Parts) {
    let sample = |part: &Part| if let Part::Literal(text) = part { text.clone() } else { SAMPLE.to_string() };
    let body: String = parts.iter().map(sample).collect();
    if url::form_urlencoded::parse(body.as_bytes()).any(|(name, _)| name.contains(SAMPLE)) {
        let message = format!(
            "{} has a placeholder in the name of a pair, where a value could add one.",
            section.path("body_template")
        );
        section.fault(at, message, "Write the names literally: name={value}&other={other}.");
    }
}

/// With a character reference in every place the body must be XML in which each of them was read.
fn check_xml(section: &Section<'_>, at: usize, parts: &Parts) {
    let sample = |part: &Part| if let Part::Literal(text) = part { text.clone() } else { XML_SAMPLE.to_owned() };
    let body: String = parts.iter().map(sample).collect();
    let values = parts.iter().filter(|part| !matches!(part, Part::Literal(_))).count();
    if Builtin::Xml.parse(body.as_bytes(), &Value::Null).map_or(true, |document| samples(&document) != values) {
        let message = format!(
            "{} does not result in XML with placeholders only in texts and attributes.",
            section.path("body_template")
        );
        let hint =
            "Write one XML element, with placeholders in its text or between the quotation marks of an attribute.";
        section.fault(at, message, hint);
    }
}

fn samples(document: &Value) -> usize {
    match document {
        Value::String(text) => text.matches(SAMPLE).count(),
        Value::Array(items) => items.iter().map(samples).sum(),
        Value::Object(members) => members.values().map(samples).sum(),
        _ => 0,
    }
}

fn check_plain(section: &Section<'_>, names: &Names<'_>, at: usize, parts: &Parts) {
    for part in parts {
        let Part::Argument(name) = part else { continue };
        let kind = names.argument(name).map_or(Kind::String, |argument| argument.kind.kind());
        if !is_narrow(kind) {
            let message = format!(
                "{} has {name}, a {}, where nothing is escaped: the Content-Type is neither JSON nor XML nor a form.",
                section.path("body_template"),
                quoted(kind.as_str())
            );
            let hint = "Send JSON, XML or a form, or use a type that takes no punctuation, such as enum, integer or ip_address.";
            section.fault(at, message, hint);
        }
    }
}

/// Whether its values are numbers, names, addresses, or values that the manifest lists: none can end its context.
fn is_narrow(kind: Kind) -> bool {
    use Kind::{Boolean, Cidr, Duration, Enum, Integer, IpAddress, Number, Port, ScopeTarget};
    matches!(kind, Boolean | Cidr | Duration | Enum | Integer | IpAddress | Number | Port | ScopeTarget)
}

/// The inside of a JSON string.
fn json_text(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

/// The text of an element or an attribute. Of control characters no argument has others than these.
fn xml_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Places;
    use super::super::fixture::{Inputs, faults, manifest, values};
    use super::*;
    use crate::scope::Scope;

    const ARGUMENTS: &str = "[args.a]\ntype='string'\nsanitize=[]\n[args.n]\ntype='integer'\n[args.e]\ntype='enum'\nallowed=['x', 'y']\n[args.ip]\ntype='ip_address'\n\
        [args.p]\ntype='port'\n[args.b]\ntype='boolean'\n[args.d]\ntype='duration'\ndefault=1\n[args.t]\ntype='enum'\nallowed=['true', 'null']\ndefault='null'\n";

    fn http(content_type: &str, body: &str) -> String {
        let headers = if content_type.is_empty() { "" } else { "headers={'Content-Type'='" };
        let end = if content_type.is_empty() { "" } else { "'}\n" };
        format!(
            "{ARGUMENTS}[http]\nmethod='POST'\nurl='https://a.org/'\n{headers}{content_type}{end}body_template='''{body}'''"
        )
    }

    fn body(content_type: &str, body: &str, given: &[(&str, &str)]) -> String {
        let manifest = manifest(&http(content_type, body)).unwrap();
        let arguments = manifest.bind(&values(given), &Scope::default(), &Inputs).unwrap();
        let places = Places { scan_id: "1", output_file: "", output_dir: "", evidence_dir: "" };
        manifest.http_call(&arguments, &places, &[].into()).unwrap().body.unwrap().to_string()
    }

    const HOSTILE: &str = "a\"b'&</x><y z='1'>]]>\\\n=;";

    #[test]
    fn a_value_stays_one_value_whatever_the_body_is() {
        for (content_type, template) in [
            ("application/json", r#"{"k": "{a}"}"#),
            ("application/problem+json; charset=utf-8", r#"{"k": "{a}"}"#),
            ("", r#"{"k": "{a}"}"#),
        ] {
            let sent: Value = serde_json::from_str(&body(content_type, template, &[("a", HOSTILE)])).unwrap();
            assert_eq!(sent["k"], HOSTILE, "{content_type}");
        }
        for content_type in ["application/xml", "text/xml; charset=utf-8", "application/soap+xml"] {
            let sent = body(content_type, r#"<k at="{a}"><v>{a}</v></k>"#, &[("a", HOSTILE)]);
            let sent = Builtin::Xml.parse(sent.as_bytes(), &Value::Null).unwrap();
            assert_eq!((&sent["k"]["@at"], &sent["k"]["v"]["#text"]), (&HOSTILE.into(), &HOSTILE.into()), "{sent}");
        }
        let sent = body("application/x-www-form-urlencoded", "k={a}&l=1", &[("a", HOSTILE)]);
        let sent: Vec<_> = url::form_urlencoded::parse(sent.as_bytes()).collect();
        assert_eq!(sent, [("k".into(), HOSTILE.into()), ("l".into(), "1".into())]);
        let given = [("n", "5"), ("e", "x"), ("ip", "10.0.0.1")];
        assert_eq!(body("text/plain", "{n} {e} {ip}", &given), "5 x 10.0.0.1");
    }

    #[test]
    fn a_body_in_which_a_value_could_become_more_is_found_at_check() {
        for (content_type, template, fault) in [
            ("", "k={a}", "has no Content-Type"),
            ("", "plain", "has no Content-Type"),
            ("text/plain", "k={a}", "has a, a \"string\", where nothing is escaped"),
            ("text/plain; x=json", "k={a}", "where nothing is escaped"),
            ("{e}", "k={a}", "where nothing is escaped"),
            ("multipart/form-data; boundary=x", "--x\r\n\r\n{a}", "where nothing is escaped"),
            ("text/xml", "<k><{a}/></k>", "does not result in XML"),
            ("text/xml", "<k {a}='1'/>", "does not result in XML"),
            ("text/xml", "<k a={a}/>", "does not result in XML"),
            ("text/xml", "<k><!-- {a} --></k>", "does not result in XML"),
            ("text/xml", "<k><![CDATA[{a}]]></k>", "does not result in XML"),
            ("text/xml", "<k>{a}", "does not result in XML"),
            ("application/json", "{\"k\": {a}}", "does not result in JSON."),
            ("application/json; charset=utf-16", "{}", "has the charset \"utf-16\", but a body is sent in UTF-8"),
            ("text/xml; CHARSET=\"latin1\"", "<k/>", "has the charset \"latin1\""),
            ("application/x-www-form-urlencoded", "{a}=1&role=user", "placeholder in the name of a pair"),
            ("application/x-www-form-urlencoded", "k={a}&x{a}", "placeholder in the name of a pair"),
            ("", r#"{"role": "user", "{a}": "{a}"}"#, "has a placeholder in a key"),
            ("", r#"{"k": [{"x{n}": "{n}"}]}"#, "has a placeholder in a key"),
            ("", r#"{"{_secret:s}": 1}"#, "has a placeholder in a key"),
            ("", r#"{"k": -{n}}"#, "does not result in JSON when n is -1. Let {n} be a value of its own"),
            ("", r#"{"k": 1{n}}"#, "does not result in JSON when n is -1"),
            ("", r#"{"k": -{b}}"#, "does not result in JSON."),
            ("", r#"{"k": {e}}"#, "does not result in JSON."),
            ("", r#"{"k": {n}{p}}"#, "does not result in JSON when no optional argument is given"),
            ("", r#"{"k": "\{a}"}"#, "does not result in JSON."),
            (
                "application/json",
                "{\"k\": {n}}",
                "does not result in JSON when n is not given. Set `required = true` in [args.n]",
            ),
        ] {
            let found = faults(&http(content_type, template));
            assert!(found.contains(fault), "{content_type} {template}: {found}");
        }
        assert_eq!(faults(&http("application/json", r#"{"k": "{n}"}"#)), "");
        assert_eq!(faults(&http("", r#"{"k": [{d}, {t}, "{e}{b}"]}"#)), "");
        assert_eq!(faults(&http("text/xml; charset=\"UTF-8\"", "<k/>")), "");
        assert_eq!(faults(&http("application/x-www-form-urlencoded", "k={a}={a}&l=&m")), "");
        assert_eq!(faults(&http("", r#"{"k": {n}}"#).replace("type='integer'", "type='integer'\ndefault=0")), "");
    }
}
