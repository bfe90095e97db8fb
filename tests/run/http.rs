//! Tools with the backend `http`, through mailbox and gate, against servers of the tests' own over TLS.

mod body;
mod denied;
mod identity;
mod requester;
pub(super) mod server;

use std::io;
use std::thread;

use serde_json::{Value, json};

use crate::site::{Bundle, Request, Site, text, until, worker};
use server::{Server, response};

/// The manifest of ToolClad's documentation; only the host is another.
const SLACK: &str = r#"
[tool]
name = "slack_post_message"
version = "1.0.0"
description = "Post a message to a Slack channel"
timeout_seconds = 30
risk_tier = "medium"

[tool.cedar]
resource = "Comms::SlackChannel"
action = "post_message"

[args.channel]
type = "string"
required = true
pattern = "^[A-Z0-9]+$"
description = "Slack channel ID"

[args.message]
type = "string"
required = true
sanitize = ["injection"]
description = "Message text to post"

[http]
method = "POST"
url = "https://slack.com/api/chat.postMessage"
headers = { "Authorization" = "Bearer {_secret:slack_token}", "Content-Type" = "application/json" }
body_template = '{"channel": "{channel}", "text": "{message}"}'
success_status = [200]
error_status = [400, 401, 403, 404, 429]

[output]
format = "json"
parser = "builtin:json"
envelope = true

[output.schema]
type = "object"

[output.schema.properties.ok]
type = "boolean"
description = "Whether the API call succeeded"

[output.schema.properties.ts]
type = "string"
description = "Message timestamp (Slack message ID)"
"#;

/// Likewise.
const IP_LOOKUP: &str = r#"
[tool]
name = "ip_lookup"
version = "1.0.0"
description = "Look up geolocation data for an IP address"
timeout_seconds = 10
risk_tier = "low"

[args.ip]
type = "ip_address"
required = true
description = "IP address to look up"

[http]
method = "GET"
url = "https://ipapi.co/{ip}/json/"
success_status = [200]
error_status = [429]

[output]
format = "json"
parser = "builtin:json"
envelope = true

[output.schema]
type = "object"

[output.schema.properties.city]
type = "string"

[output.schema.properties.region]
type = "string"

[output.schema.properties.country_name]
type = "string"

[output.schema.properties.org]
type = "string"
description = "ISP or organization"
"#;

const TOKEN: &str = "xoxb-0123-s3cr3t+/=";

/// A site whose tools may reach the server and trust it, with one tool of these lines after `[tool]` and `[http] method`.
fn site(server: &Server) -> Site {
    let (destination, ca_file) = (server.destination(), server.ca_file());
    Site::with_config(&format!(
        "[inbox]\nsettle_ms = 50\n[approval]\nmode = \"declared\"\n[network]\ndestinations = [\"{destination}\"]\n[http]\nca_file = \"{}\"\n",
        ca_file.display()
    ))
    .with_variable("TOOLCLAD_SECRET_SLACK_TOKEN", TOKEN)
}

/// A tool that gets the path `/x`; `tool` and `http` are further lines of these sections.
fn get(site: &Site, server: &Server, tool: &str, http: &str, parser: &str) {
    let manifest = format!(
        "[tool]\nname = \"get\"\nversion = \"1\"\ndescription = \"Gets\"\n{tool}\n[http]\nmethod = \"GET\"\n\
         url = \"https://{}/x\"\n{http}\n[output]\nformat = \"{parser}\"\nparser = \"builtin:{parser}\"\n[output.schema]\ntype = \"object\"\n",
        server.destination()
    );
    site.manifest("get", &manifest);
}

/// The id of a request that `gatepost submit` made.
fn submitted(site: &Site, tool: &str, args: &[&str]) -> String {
    let args = args.iter().flat_map(|arg| ["--arg", arg]);
    let words: Vec<&str> = ["submit", "--tool", tool, "--approved-by", "alice"].into_iter().chain(args).collect();
    text(&site.gatepost(&words).succeeds()["data"]["request_id"])
}

fn answered(site: &Site, tool: &str, args: &[&str]) -> Bundle {
    let id = submitted(site, tool, args);
    site.up();
    site.result(&id)
}

/// Says nothing more, and hangs on.
fn silence() -> io::Result<()> {
    loop {
        thread::park();
    }
}

/// What comes of a `GET` that a server answers so.
fn answer_of(server: &Server, tool: &str, http: &str, parser: &str) -> (Site, Bundle) {
    let site = site(server);
    get(&site, server, tool, http, parser);
    let bundle = answered(&site, "get", &[]);
    (site, bundle)
}

#[test]
fn a_message_is_posted_once_with_its_secret_which_nobody_reads() {
    let server = Server::new(|request, to| {
        let body = format!(r#"{{"ok": true, "ts": "1700000000.1", "echo": {}}}"#, json!(request));
        to.write_all(response("200 OK", &format!("Set-Cookie: id=1\r\nX-Echo: {TOKEN}\r\n"), &body).as_bytes())
    });
    let site = site(&server);
    site.manifest("slack_post_message", &SLACK.replace("slack.com", &server.destination()));
    let bundle = answered(&site, "slack_post_message", &["channel=C01234", "message=hello \"world\""]);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    let [request] = <[String; 1]>::try_from(server.requests()).unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /api/chat.postMessage HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nauthorization: Bearer {TOKEN}")), "{head}");
    assert!(head.contains("\r\ncontent-type: application/json") && head.contains("\r\naccept-encoding: identity"));
    let sent: Value = serde_json::from_str(body).unwrap();
    assert_eq!(sent, json!({"channel": "C01234", "text": "hello \"world\""}));
    let evidence = bundle.evidence();
    assert_eq!((&evidence["http_status"], &evidence["http_method"]), (&json!(200), &json!("POST")));
    assert_eq!(evidence["worker"], worker("gatepost-worker-http"));
    assert_eq!((&evidence["results"]["ok"], &evidence["results"]["ts"]), (&json!(true), &json!("1700000000.1")));
    let url = format!("https://{}/api/chat.postMessage", server.destination());
    assert_eq!(evidence["argv"], json!(["POST", url]));
    assert_eq!(evidence["network"]["destinations"], json!([server.destination()]));
    assert_eq!(evidence["output_file"], "artifacts/stdout.txt");
    assert!(bundle.document().contains("\n- HTTP: `POST`, status 200\n"), "{}", bundle.document());
    let head = bundle.read("artifacts/out/response-head.txt");
    assert!(head.starts_with("HTTP/1.1 200 OK\n") && head.contains("set-cookie: [redacted]\n"), "{head}");
    for file in ["evidence.json", "artifacts/stdout.txt", "artifacts/out/response-head.txt"] {
        assert!(!bundle.read(file).contains(TOKEN), "{file}");
    }
    assert!(!bundle.document().contains(TOKEN));
}

#[test]
fn an_address_is_looked_up() {
    let server = Server::new(|_, to| {
        let body =
            r#"{"city": "Mountain View", "region": "California", "country_name": "United States", "org": "GOOGLE"}"#;
        to.write_all(response("200 OK", "Content-Type: application/json\r\n", body).as_bytes())
    });
    let site = site(&server);
    site.manifest("ip_lookup", &IP_LOOKUP.replace("ipapi.co", &server.destination()));
    let bundle = answered(&site, "ip_lookup", &["ip=8.8.8.8"]);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    assert!(server.requests()[0].starts_with("GET /8.8.8.8/json/ HTTP/1.1\r\n"), "{:?}", server.requests());
    assert_eq!(bundle.evidence()["results"]["city"], "Mountain View");
    assert_eq!(bundle.evidence()["sandbox"]["level"], "full");
    let ran = site.gatepost(&["tools", "run", "ip_lookup", "--arg", "ip=8.8.8.8"]).succeeds();
    assert_eq!(ran["data"]["evidence"]["http_status"], 200, "{ran}");
}

#[test]
fn the_example_of_the_guide_runs() {
    let guide = include_str!("../../docs/tool-author.md");
    let blocks = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let [manifest] =
        <[&str; 1]>::try_from(blocks.filter(|block| block.contains("[http]")).collect::<Vec<_>>()).unwrap();
    let server = Server::new(|request, to| {
        let is_asked = request.starts_with("POST /api/queues/web/tickets HTTP/1.1\r\n")
            && request.ends_with(r#"{"title": "It \"broke\""}"#);
        let status = if is_asked { "201 Created" } else { "400 Bad Request" };
        to.write_all(response(status, "", r#"{"id": 7}"#).as_bytes())
    });
    let site = site(&server).with_variable("TOOLCLAD_SECRET_TICKETS_TOKEN", TOKEN);
    site.manifest("open_ticket", &manifest.replace("tickets.example.org", &server.destination()));
    let bundle = answered(&site, "open_ticket", &["title=It \"broke\"", "queue=web"]);
    assert_eq!(
        (bundle.code().as_str(), &bundle.evidence()["results"]),
        ("", &json!({"id": 7})),
        "{}",
        bundle.document()
    );
    assert!(server.requests()[0].contains(&format!("authorization: Bearer {TOKEN}\r\n")));
}

#[test]
fn a_status_decides_whether_the_call_succeeded_and_its_body_is_there_to_learn_from() {
    for (status, code, retryable) in [
        ("429 Too Many Requests", "HTTP_ERROR_STATUS", true),
        ("404 Not Found", "HTTP_ERROR_STATUS", false),
        ("500 Internal Server Error", "HTTP_UNEXPECTED_STATUS", true),
        ("201 Created", "HTTP_UNEXPECTED_STATUS", false),
    ] {
        let body = "{\"error\": \"slow down\"}";
        let server = Server::new(move |_, to| to.write_all(response(status, "", body).as_bytes()));
        let (_site, bundle) = answer_of(&server, "", "success_status = [200]\nerror_status = [404, 429]", "json");
        let evidence = bundle.evidence();
        assert_eq!(bundle.code(), code, "{status}");
        assert_eq!(evidence["error"]["retryable"], retryable, "{status}");
        assert_eq!(evidence["http_status"].to_string(), status[..3], "{status}");
        assert_eq!((&evidence["status"], &evidence["results"]), (&json!("error"), &Value::Null));
        assert!(bundle.document().contains("slow down") && bundle.read("artifacts/stdout.txt") == body);
        assert_eq!((&evidence["http_body"], &evidence["exit_code"]), (&json!(body), &json!(-1)));
    }
}

#[test]
fn a_get_is_redirected_within_its_origin_and_nothing_else_is() {
    let server = Server::new(|request, to| {
        let path = request.split(' ').nth(1).unwrap();
        let (status, location) = match path {
            "/x" => ("302 Found", "/y#part"),
            "/y" => ("307 Temporary Redirect", "z?q=1"),
            _ => return to.write_all(response("200 OK", "", path).as_bytes()),
        };
        to.write_all(response(status, &format!("Location: {location}\r\n"), "").as_bytes())
    });
    let (_site, bundle) = answer_of(&server, "", "", "text");
    assert_eq!(bundle.read("artifacts/stdout.txt"), "/z?q=1", "{}", bundle.document());
    assert_eq!(bundle.evidence()["http_status"], 200);
    let (_site, listed) = answer_of(&server, "", "success_status = [302]", "text");
    assert_eq!((listed.code().as_str(), &listed.evidence()["http_status"]), ("", &json!(302)));
    let posted = server.requests().len();
    let (_site, bundle) =
        answer_of(&server, "", "headers = { Content-Type = \"text/plain\" }\nbody_template = \"x\"", "text");
    assert_eq!((bundle.code().as_str(), server.requests().len()), ("", posted + 3));

    for (location, origin) in [
        ("http://bob:hunter2@169.254.169.254/latest/?token=hunter3", "http://169.254.169.254"),
        ("https://evil.example.org/", "https://evil.example.org"),
        ("http://127.0.0.1:1/", "http://127.0.0.1:1"),
    ] {
        let headers = format!("Location: {location}\r\n");
        let server = Server::new(move |_, to| to.write_all(response("302 Found", &headers, "").as_bytes()));
        let (_site, bundle) = answer_of(&server, "", "", "text");
        assert_eq!(bundle.code(), "HTTP_FAILED", "{location}");
        let stderr = bundle.read("artifacts/stderr.txt");
        assert!(stderr.contains(origin) && !stderr.contains("hunter"), "{}", bundle.document());
        let network = &bundle.evidence()["network"];
        assert_eq!((&network["destinations"], &network["refused"]), (&json!([server.destination()]), &json!([])));
    }
    let server = Server::saying("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(answer_of(&server, "", "", "text").1.code(), "HTTP_FAILED");
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn certificates_that_cannot_be_used_are_found_by_the_doctor() {
    let server = Server::saying("");
    let site = site(&server);
    let found = || {
        let report: Value = serde_json::from_slice(&site.gatepost(&["doctor"]).0.stdout).unwrap();
        let findings = report["data"]["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|finding| finding["check"] == "site.certificates").unwrap()
    };
    let sound = found();
    assert_eq!(sound["status"], "ok", "{sound}");
    assert!(text(&sound["found"]).starts_with("1 certificate in /"), "{sound}");
    std::fs::write(server.ca_file(), "no certificate").unwrap();
    let empty = found();
    std::fs::remove_file(server.ca_file()).unwrap();
    let missing = found();
    assert!(text(&missing["why"]).contains("No such file"), "{missing}");
    for finding in [empty, missing] {
        assert_eq!(finding["status"], "failure", "{finding}");
        assert!(text(&finding["fix"]).contains("correct [http] ca_file in gatepost.toml"), "{finding}");
    }
}

#[test]
fn a_secret_that_a_server_makes_the_name_of_a_header_is_not_shown() {
    let secret = "S3cret-VALUE-0123";
    let headers = format!("X-{secret}: 1\r\n");
    let server = Server::new(move |_, to| to.write_all(response("200 OK", &headers, "").as_bytes()));
    let site = site(&server).with_variable("TOOLCLAD_SECRET_SLACK_TOKEN", secret);
    get(&site, &server, "", "headers = { Authorization = \"Bearer {_secret:slack_token}\" }", "text");
    let head = answered(&site, "get", &[]).read("artifacts/out/response-head.txt");
    assert!(head.contains("\nx-[redacted:slack_token]: 1\n"), "{head}");
}

#[test]
fn the_head_of_a_response_is_no_output_that_was_not_expected() {
    let server = Server::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let site = site(&server);
    get(&site, &server, "", "", "text");
    let network = format!("network: allowlist\nnetwork_allowlist: [\"{}\"]", server.destination());
    let request = Request::call("head", "get").line(&network);
    let request = request.line("outputs_expected: [{path: /out/a.txt, description: None}]");
    site.rename_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    let made = walkdir::WalkDir::new(site.path("outbox")).into_iter().map(Result::unwrap);
    let evidence = made.map(walkdir::DirEntry::into_path).find(|path| path.ends_with("evidence.json")).unwrap();
    let evidence: Value = serde_json::from_slice(&std::fs::read(evidence).unwrap()).unwrap();
    assert_eq!(evidence["http_status"], 200, "{evidence:#}");
    assert_eq!(evidence["anomalies"], json!(["The expected output \"/out/a.txt\" is missing."]));
}

#[test]
fn a_post_is_never_redirected() {
    let server = Server::saying("HTTP/1.1 307 Temporary Redirect\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n");
    let site = site(&server);
    site.manifest("slack_post_message", &SLACK.replace("slack.com", &server.destination()));
    let bundle = answered(&site, "slack_post_message", &["channel=C1", "message=once"]);
    assert_eq!((bundle.code().as_str(), server.requests().len()), ("HTTP_UNEXPECTED_STATUS", 1));
}

#[test]
fn what_a_hostile_server_sends_ends_in_a_failure_that_says_so() {
    let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x0b\x08\x00";
    for (response, code, said) in [
        (gzip, "HTTP_FAILED", "content coding"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "HTTP_FAILED",
            "failed to read the whole body: the server's answer is not valid HTTP/1.1",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
            "HTTP_FAILED",
            "failed to read the whole body: the server closed the connection before its answer was complete",
        ),
        ("HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n", "HTTP_FAILED", "with the invalid HTTP status 999"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP_FAILED",
            "failed to get a response",
        ),
        ("not HTTP at all\r\n\r\n", "HTTP_FAILED", "failed to get a response"),
        ("", "HTTP_FAILED", "failed to get a response"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>no</html>", "OUTPUT_PARSE_FAILED", ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "OUTPUT_SCHEMA_VIOLATION", ""),
    ] {
        let server = Server::saying(response);
        let (_site, bundle) = answer_of(&server, "", "", "json");
        assert_eq!(bundle.code(), code, "{response:?}: {}", bundle.document());
        assert!(bundle.read("artifacts/stderr.txt").contains(said), "{response:?}: {}", bundle.document());
        assert_eq!(server.requests().len(), 1, "{response:?}");
    }
}

#[test]
fn what_a_server_sends_for_ever_is_bounded() {
    let endless_body = Server::new(|_, to| {
        to.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")?;
        loop {
            to.write_all(&[b'x'; 16 * 1024])?;
        }
    });
    let (_site, bundle) = answer_of(&endless_body, "[limits]\nstdout_bytes = 100000\n", "", "text");
    assert_eq!(bundle.code(), "OUTPUT_LIMIT", "{}", bundle.document());
    assert_eq!(bundle.evidence()["usage"]["stdout_bytes"], 100_000);
    let endless_headers = Server::new(|_, to| {
        to.write_all(b"HTTP/1.1 200 OK\r\n")?;
        loop {
            to.write_all(b"X-Header: and another one, and another one, and another one\r\n")?;
        }
    });
    let (_site, bundle) = answer_of(&endless_headers, "", "", "text");
    assert_eq!(bundle.code(), "HTTP_FAILED", "{}", bundle.document());
    assert!(bundle.read("artifacts/stderr.txt").contains("the server's answer has "), "{}", bundle.document());
    let late = Server::new(|_, _| silence());
    let (_site, bundle) = answer_of(&late, "timeout_seconds = 1", "", "text");
    assert_eq!((bundle.code().as_str(), &bundle.evidence()["status"]), ("TIMEOUT", &json!("timeout")));
    assert_eq!(bundle.evidence()["http_method"], "GET");
    assert!(bundle.document().contains("\n- HTTP: `GET`, no answer\n"), "{}", bundle.document());
}

#[test]
fn a_request_lists_the_destination_of_its_tool_and_nothing_else() {
    let server = Server::saying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let own = server.destination();
    let site = site(&server);
    get(&site, &server, "", "", "text");
    let port = server.port;
    let more = format!("network: allowlist\nnetwork_allowlist: [\"{own}\", \"other.example.org:{port}\"]");
    for (slug, lines, count) in [("none", "network: none", 1), ("more", more.as_str(), 2)] {
        let request = Request::call(slug, "get").line(lines);
        site.rename_in(&request);
        site.up();
        let bundle = site.result(&request.id);
        assert_eq!(bundle.reasons(), vec!["network_unavailable"; count], "{slug}");
        let hint = format!("Write network: allowlist and network_allowlist: [\\\"{own}\\\"].");
        assert!(bundle.read("evidence.json").contains(&hint), "{}", bundle.read("evidence.json"));
    }
    assert_eq!(server.requests(), [""; 0]);
    let request =
        Request::call("own", "get").line("network: allowlist").line(&format!("network_allowlist: [\"{own}\"]"));
    site.rename_in(&request);
    site.up();
    assert_eq!(site.result(&request.id).code(), "");
}

#[test]
fn a_secret_of_several_lines_is_refused_before_anything_is_sent() {
    let server = Server::saying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    let site = site(&server).with_variable("TOOLCLAD_SECRET_SLACK_TOKEN", "one\r\nX-Other: two");
    site.manifest("slack_post_message", &SLACK.replace("slack.com", &server.destination()));
    let bundle = answered(&site, "slack_post_message", &["channel=C1", "message=x"]);
    assert_eq!(bundle.reasons(), ["secret_unusable"], "{}", bundle.document());
    assert_eq!(server.requests(), [""; 0]);
}

#[test]
fn a_call_that_is_cut_short_has_one_effect_at_most() {
    let server = Server::new(|_, to| {
        to.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{")?;
        to.flush()?;
        silence()
    });
    let site = site(&server);
    site.manifest("slack_post_message", &SLACK.replace("slack.com", &server.destination()));
    let id = submitted(&site, "slack_post_message", &["channel=C1", "message=x"]);
    let bundle = site.interrupted(&id, "stdout");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(bundle.evidence()["http_method"], "POST");
    assert!(bundle.evidence().get("http_status").is_none(), "nobody knows it");
    until("the end of the worker", || site.names("var/exec/running").is_empty());
}

#[test]
fn a_body_that_was_cut_off_or_coded_is_no_success() {
    let coded =
        "HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}";
    for answer in ["HTTP/1.1 200 OK\r\n\r\n{}", coded] {
        assert_eq!(answer_of(&Server::saying(answer), "", "", "text").1.code(), "HTTP_FAILED", "{answer}");
    }
}
