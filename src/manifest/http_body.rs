//! `[http] body_template`: how values are written into the body of a request.
//!
//! The `Content-Type` says what is escaped: JSON, XML or a form. In a body of any other type nothing can be escaped, so it takes only
//! arguments whose values cannot end what they stand in.
//!
//! *Security*: a value is a requester's, and stays one value. *Standards*: RFC 8259 section 7, XML 1.0 sections 2.2 and 4.1, RFC 6839 (suffixes of
//! media types), WHATWG URL (forms).

use gatepost_documents::text::quoted;
use serde_json::Value;
use zeroize::Zeroizing;

use super::argument_type::Kind;
use super::filling::Filling;
use super::http::percent_encode;
use super::placeholder::{Names, Part, Parts};
use super::template::scan_body;
use crate::parser::Builtin;
use crate::toml_source::{Located, Section};

/// Stands for a value where XML is tried: a character reference, which counts only where a value does.
const XML_SAMPLE: &str = "&#xE000;";
const XML_SAMPLE_READ: char = '\u{E000}';

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
        match form {
            Form::Json => check_json(section, names, text.at, &parts),
            Form::Xml => check_xml(section, text.at, &parts),
            Form::UrlEncoded => {}
            Form::Plain => check_plain(section, names, text.at, &parts),
        }
        Self { form, parts }
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

/// With a harmless value in every place the body must be JSON: so a text stands between quotes, and a number may stand bare; but not one
/// that may be absent.
fn check_json(section: &Section<'_>, names: &Names<'_>, at: usize, parts: &Parts) {
    let sample = |part: &Part, absent: Option<&str>| match part {
        Part::Literal(text) => text.clone(),
        Part::Argument(name) if Some(name.as_str()) == absent => String::new(),
        Part::Argument(name) => match names.argument(name).map(|argument| argument.kind.kind()) {
            Some(Kind::Integer | Kind::Number | Kind::Port | Kind::Boolean) => "1".to_owned(),
            _ => "x".to_owned(),
        },
        _ => "x".to_owned(),
    };
    let is_json = |absent| {
        let body: String = parts.iter().map(|part| sample(part, absent)).collect();
        serde_json::from_str::<Value>(&body).is_ok()
    };
    if !is_json(None) {
        let message = format!("{} does not result in JSON.", section.path("body_template"));
        section.fault(at, message, "Write valid JSON with texts such as \"{name}\" between quotation marks.");
        return;
    }
    let optional = names.arguments.iter().filter(|argument| !argument.required && argument.default.is_none());
    for name in optional.map(|argument| argument.name.as_str()).filter(|name| !is_json(Some(name))) {
        let message = format!("{} does not result in JSON when {name} is not given.", section.path("body_template"));
        section.fault(at, message, format!("Set `required = true` in [args.{name}], or give it a `default`."));
    }
}

/// With a character reference in every place the body must be XML in which each of them was read.
fn check_xml(section: &Section<'_>, at: usize, parts: &Parts) {
    let sample = |part: &Part| if let Part::Literal(text) = part { text.clone() } else { XML_SAMPLE.to_owned() };
    let body: String = parts.iter().map(sample).collect();
    let values = parts.iter().filter(|part| !matches!(part, Part::Literal(_))).count();
    if Builtin::Xml.parse(body.as_bytes(), &Value::Null).map_or(true, |document| samples(&document) != values) {
        let message = format!(
            "{} does not result in XML with its values in texts and attributes.",
            section.path("body_template")
        );
        let hint =
            "Write one XML element, with placeholders in its text or between the quotation marks of an attribute.";
        section.fault(at, message, hint);
    }
}

fn samples(document: &Value) -> usize {
    match document {
        Value::String(text) => text.matches(XML_SAMPLE_READ).count(),
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

/// Whether its values are numbers, names, addresses, or what the manifest lists: none can end what it stands in.
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

    const ARGUMENTS: &str = "[args.a]\ntype='string'\nsanitize=[]\n[args.n]\ntype='integer'\n[args.e]\ntype='enum'\nallowed=['x', 'y']\n[args.ip]\ntype='ip_address'\n";

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
        assert_eq!(faults(&http("", r#"{"k": {n}}"#).replace("type='integer'", "type='integer'\ndefault=0")), "");
    }
}
