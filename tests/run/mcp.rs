//! Tools of MCP servers, called through the mailbox: good servers, hostile ones, and one that is no program but an address.

mod answers;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use gatepost_documents::digest::Digest;
use serde_json::{Value, json};

use crate::site::{Bundle, Request, Site, until, worker};

/// The user's own examples, as ToolClad publishes them.
const ISSUE: &str = r#"
[tool]
name = "github_create_issue"
version = "1.0.0"
description = "Create a GitHub issue in an allowed repository"
timeout_seconds = 30
risk_tier = "medium"

[tool.cedar]
resource = "Dev::GitHubRepo"
action = "create_issue"

[mcp]
server = "github-mcp"
tool = "create_issue"

[mcp.field_map]
repo = "repository"
labels = "label_names"

[args.repo]
type = "string"
required = true
pattern = "^[a-zA-Z0-9_-]+/[a-zA-Z0-9_.-]+$"
description = "Repository in owner/repo format"

[args.title]
type = "string"
required = true
sanitize = ["injection"]
description = "Issue title"

[args.body]
type = "string"
required = false
description = "Issue body (markdown)"

[args.labels]
type = "string"
required = false
pattern = "^[a-zA-Z0-9_, -]+$"
description = "Comma-separated label names"

[output]
format = "json"
parser = "builtin:json"
envelope = true

[output.schema]
type = "object"

[output.schema.properties.number]
type = "integer"
description = "Created issue number"

[output.schema.properties.url]
type = "string"
description = "URL of the created issue"

[output.schema.properties.state]
type = "string"
description = "Issue state (open)"
"#;

const QUERY: &str = r#"
[tool]
name = "db_read_query"
version = "1.0.0"
description = "Execute a read-only SQL query"
timeout_seconds = 30
risk_tier = "medium"

[tool.cedar]
resource = "Data::Database"
action = "read_query"

[mcp]
server = "postgres-mcp"
tool = "query"

[args.sql]
type = "string"
required = true
pattern = "^SELECT\\s"
sanitize = ["injection"]
description = "SQL SELECT query (read-only)"

[args.database]
type = "enum"
required = true
allowed = ["analytics", "reporting", "staging"]
description = "Target database"

[mcp.field_map]
sql = "query"
database = "db_name"

[output]
format = "json"
parser = "builtin:json"
envelope = true

[output.schema]
type = "object"

[output.schema.properties.rows]
type = "array"
description = "Query result rows"

[output.schema.properties.row_count]
type = "integer"
"#;

/// The stand-in.
const SERVER: &str = include_str!("mcp/server.py");

/// A server on stdio that behaves in that manner, as `gatepost.toml` has it.
fn program(name: &str, manner: &str, more: &str) -> String {
    format!("[mcp.servers.{name}]\ncommand = \"python3\"\nargs = [\"-c\", '''{SERVER}''', \"{manner}\"]\n{more}\n")
}

/// A site where declared approvals are believed, with these servers and their tools.
fn site(servers: &str) -> Site {
    let config = "[inbox]\nsettle_ms = 50\nscan_interval_ms = 50\n[gate]\nscan_interval_ms = 50\n[approval]\nmode = \"declared\"\n";
    let site = Site::with_config(&format!("{config}{servers}"));
    site.manifest("github_create_issue", ISSUE);
    site.manifest("db_read_query", QUERY);
    let seen = ISSUE.split("[args.repo]").next().unwrap().split("[mcp.field_map]").next().unwrap();
    let seen = seen.replace("github_create_issue", "seen").replace("\"create_issue\"\n\n[mcp", "\"seen\"\n\n[mcp");
    let seen = seen.replace("tool = \"create_issue\"", "tool = \"seen\"").replace("medium", "low");
    site.manifest(
        "seen",
        &format!("{seen}\n[output]\nformat = \"json\"\nparser = \"builtin:json\"\n[output.schema]\n"),
    );
    site
}

fn approved(request: Request) -> Request {
    let now = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    request.line("approved_by: alice").line(&format!("approved_utc: \"{now}\""))
}

fn issue(slug: &str) -> Request {
    let call = Request::call(slug, "github_create_issue").arg("repo", "ThirdKeyAI/toolclad");
    approved(call.arg("title", "It does not start").arg("labels", "bug, urgent"))
}

fn answered(site: &Site, request: &Request) -> Bundle {
    site.rename_in(request);
    site.up();
    site.result(&request.id)
}

/// What becomes of the issue where the server behaves in that manner.
fn meeting(manner: &str) -> (Bundle, Site) {
    let site = site(&program("github-mcp", manner, ""));
    let bundle = answered(&site, &issue("issue"));
    assert!(bundle.0.starts_with(site.path("core/inbound")), "{manner}: {:?}", site.reasons(&bundle.name()));
    (bundle, site)
}

#[test]
fn the_issue_of_the_published_example_is_created() {
    let (bundle, _site) = meeting("plain");
    let evidence = bundle.evidence();
    assert_eq!(evidence["status"], "success", "{evidence:#}");
    let results = json!({"number": 7, "url": "https://example.org/ThirdKeyAI/toolclad/issues/7", "state": "open"});
    assert_eq!(evidence["results"], results);
    assert_eq!(evidence["worker"], worker("gatepost-worker-mcp"));
    assert_eq!((&evidence["mcp_server"], &evidence["mcp_tool"]), (&json!("github-mcp"), &json!("create_issue")));
    let arguments =
        json!({"label_names": "bug, urgent", "repository": "ThirdKeyAI/toolclad", "title": "It does not start"});
    assert_eq!(evidence["mcp_args"], arguments);
    let raw: Value = serde_json::from_str(&bundle.read("artifacts/stdout.txt")).unwrap();
    assert_eq!(raw["structuredContent"], results);
    assert_eq!(evidence["output_file"], "artifacts/stdout.txt");
    assert_eq!(evidence["anomalies"], json!([]));
    assert_eq!(evidence["network"]["used"], "none");
    assert_eq!(evidence["command"], "tools/call github-mcp create_issue");
}

#[test]
fn the_query_of_the_published_example_is_answered_from_text() {
    let site = site(&program("postgres-mcp", "plain", ""));
    let request = Request::call("query", "db_read_query").arg("sql", "SELECT 1").arg("database", "staging");
    let evidence = answered(&site, &approved(request)).evidence();
    assert_eq!(evidence["results"], json!({"rows": [{"n": 1, "in": "staging"}], "row_count": 1}), "{evidence:#}");
    assert_eq!(evidence["mcp_args"], json!({"db_name": "staging", "query": "SELECT 1"}));
}

#[test]
fn a_server_that_fails_says_so_and_nothing_else_happens() {
    for (manner, status, code, said) in [
        ("failing", "error", "MCP_TOOL_ERROR", "the repository is locked"),
        ("protocol_error", "error", "MCP_FAILED", "no more today"),
        ("exits", "error", "MCP_FAILED", "it ended with exit status 3"),
        ("nan", "error", "MCP_FAILED", "it sent a message that is not JSON"),
        ("null_id", "error", "MCP_FAILED", "an error without naming a request: Parse error"),
        ("empty", "error", "MCP_FAILED", "has no tool create_issue"),
        ("endless_pages", "error", "MCP_FAILED", "more than 100 pages"),
        ("demanding", "error", "MCP_FAILED", "the arguments do not satisfy the server's schema"),
        ("broken_schema", "error", "MCP_FAILED", "not a usable JSON Schema"),
        ("no_schema", "error", "MCP_FAILED", "the schema that the server lists"),
        ("endless_line", "error", "MCP_FAILED", "more than 16 MiB"),
        ("wrong_id", "error", "MCP_FAILED", "it answered a request that was never made"),
        ("batch", "error", "MCP_FAILED", "a batch of messages"),
        ("key_twice", "error", "MCP_FAILED", "a key occurs twice"),
        ("no_result", "error", "MCP_FAILED", "neither a result nor an error"),
        ("endless_notifications", "error", "MCP_FAILED", ""),
        ("shapeless", "error", "OUTPUT_PARSE_FAILED", "not JSON at all"),
        ("noisy", "success", "", "a warning of the server"),
        ("twice", "success", "", ""),
        ("image", "success", "", ""),
    ] {
        let (bundle, _site) = meeting(manner);
        let evidence = bundle.evidence();
        assert_eq!(
            (evidence["status"].as_str(), bundle.code().as_str()),
            (Some(status), code),
            "{manner}: {evidence:#}"
        );
        let streams = bundle.read("artifacts/stdout.txt") + &bundle.read("artifacts/stderr.txt");
        assert!(streams.contains(said), "{manner}: {streams}");
        assert_eq!(evidence["results"].is_null(), status == "error", "{manner}");
    }
}

#[test]
fn a_server_that_never_answers_is_stopped_at_the_time_limit() {
    for manner in ["silent", "mute"] {
        let site = site(&program("github-mcp", manner, ""));
        let request = issue("issue").line("time_limit_sec: 2");
        let evidence = answered(&site, &request).evidence();
        assert_eq!((&evidence["status"], &evidence["exit_code"]), (&json!("timeout"), &json!(-1)), "{manner}");
    }
}

#[test]
fn an_answer_is_kept_although_its_server_does_not_end_within_the_time_limit() {
    let site = site(&program("github-mcp", "lingering", ""));
    let bundle = answered(&site, &issue("issue").line("time_limit_sec: 2"));
    assert_eq!(bundle.evidence()["status"], "timeout");
    assert!(bundle.read("artifacts/stdout.txt").contains("ThirdKeyAI/toolclad/issues/7"));
}

#[test]
fn a_tool_is_not_called_where_its_schema_cannot_be_kept() {
    let (bundle, _site) = meeting("planting");
    assert_eq!(bundle.code(), "TOOL_FAILED");
    assert!(bundle.read("artifacts/stderr.txt").contains("the tool was not called"));
    assert_eq!(bundle.read("artifacts/stdout.txt"), "");
}

#[test]
fn what_a_server_asks_of_us_is_refused() {
    let (bundle, _site) = meeting("asking");
    assert_eq!(bundle.evidence()["results"], json!({"codes": ["-32601", "-32601", "-32601", "answered"]}));
}

fn site_with(manner: &str, manifest: &str) -> Site {
    let site = site(&program("github-mcp", manner, ""));
    site.manifest("github_create_issue", manifest);
    site
}

#[test]
fn a_tool_whose_schema_was_pinned_is_not_called_with_another_one() {
    let (bundle, site) = meeting("plain");
    let listed = bundle.read("artifacts/out/input_schema.json");
    let pinned = format!("tool = \"create_issue\"\nschema_sha256 = \"{}\"", Digest::of(listed.as_bytes()));
    let manifest = ISSUE.replace("tool = \"create_issue\"", &pinned);
    drop(site);
    let same = site_with("plain", &manifest);
    assert_eq!(answered(&same, &issue("same")).evidence()["status"], "success");

    let changed = site_with("changed", &manifest);
    let bundle = answered(&changed, &issue("other"));
    assert_eq!(bundle.code(), "TOOL_CHANGED");
    assert!(bundle.read("artifacts/out/input_schema.json").contains("token"));
    assert_eq!(bundle.read("artifacts/stdout.txt"), "");
}

#[test]
fn a_servers_secret_reaches_it_alone_and_is_nowhere_written() {
    let secret = "known-to-the-server-alone";
    let site = site(&program("github-mcp", "plain", "env = { TOKEN = \"{_secret:token}\" }"));
    let site = site.with_variable("TOOLCLAD_SECRET_TOKEN", secret);
    let bundle = answered(&site, &Request::call("seen", "seen"));
    let results = &bundle.evidence()["results"];
    assert_eq!(results["token"], "[redacted:token]", "{results}");
    assert_eq!(results["site"], false);
    for entry in
        walkdir::WalkDir::new(&site.root).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file())
    {
        let bytes = fs::read(entry.path()).unwrap();
        assert!(memchr::memmem::find(&bytes, secret.as_bytes()).is_none(), "{}", entry.path().display());
    }
}

#[test]
fn a_value_of_the_requester_changes_nothing_of_what_the_worker_says() {
    let manifest = ISSUE.replace("[args.body]\n", "[args.body]\nsensitive = true\n");
    let site = site_with("plain", &manifest);
    for value in ["structuredContent", "content", "text", "input_schema"] {
        let request = approved(
            Request::call(&value.replace('_', "-").to_lowercase(), "github_create_issue")
                .arg("repo", "ThirdKeyAI/toolclad")
                .arg("title", "It does not start")
                .arg("body", value),
        );
        let bundle = answered(&site, &request);
        assert_eq!(bundle.code(), "", "{value}: {}", bundle.document());
        assert_eq!(bundle.evidence()["results"]["number"], 7, "{value}");
        assert!(bundle.read("artifacts/out/input_schema.json").contains("repository"), "{value}");
        assert!(!bundle.read("artifacts/stdout.txt").contains(value), "{value}");
    }
}

#[test]
fn a_server_that_the_site_has_not_is_found_by_the_check_and_refused() {
    let site = site(&program("github-mpc", "plain", ""));
    let bundle = answered(&site, &issue("issue"));
    assert_eq!(bundle.reasons(), ["backend_unavailable"]);
    assert!(bundle.document().contains("github-mcp"), "{}", bundle.document());
    let checked = site.gatepost(&["tools", "check", "github_create_issue"]).ends(79);
    let reason = &checked["data"]["tools"][0]["errors"][0];
    assert_eq!(reason["hint"], "Did you mean `github-mpc`?", "{checked:#}");
}

/// The fenced TOML of a guide that holds this line.
fn example(guide: &str, line: &str) -> String {
    let page = fs::read_to_string(format!("{}/docs/{guide}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let blocks = page.split("\n```toml\n").skip(1).map(|rest| rest.split("\n```\n").next().unwrap());
    blocks.filter(|block| block.lines().any(|own| own == line)).collect::<Vec<_>>().concat()
}

#[test]
fn the_examples_of_the_guides_work_as_they_stand() {
    let site = site(&program("github-mcp", "plain", ""));
    site.manifest("create_issue", &example("tool-author.md", "[mcp]"));
    site.gatepost(&["tools", "check", "create_issue"]).succeeds();
    let request = Request::call("guide", "create_issue").arg("repo", "example/a").arg("title", "b");
    assert_eq!(answered(&site, &request).evidence()["results"]["number"], 7);

    // Of the guide's server no machine of a test has the program.
    let servers = example("mcp-and-browser.md", "[mcp.servers.github-mcp]");
    site.configure(&servers.replace("\"node\"", "\"python3\"").replace("/srv/mcp/github", "/usr"));
    site.gatepost(&["tools", "check", "create_issue", "db_read_query"]).succeeds();
}

/// A server at an address of this machine, which ends with the test.
struct AtAddress {
    process: Child,
    port: u16,
}

impl AtAddress {
    fn start(folder: &Path, manner: &str, effects: &Path) -> Self {
        let file = folder.join(format!("port-{manner}"));
        let mut command = Command::new("python3");
        command.args(["-c", SERVER, manner]).arg(&file).env("EFFECTS", effects).stderr(Stdio::null());
        let process = command.spawn().unwrap();
        let read = || fs::read_to_string(&file).ok().filter(|text| text.ends_with('\n'));
        until("the server", || read().is_some());
        Self { process, port: read().unwrap().trim().parse().unwrap() }
    }
}

impl Drop for AtAddress {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn at_address(port: u16) -> Site {
    let server = format!(
        "[network]\ndestinations = [\"127.0.0.1:{port}\"]\n[mcp.servers.github-mcp]\nurl = \"http://127.0.0.1:{port}/mcp\"\n\
         headers = {{ Authorization = \"Bearer {{_secret:token}}\" }}\n"
    );
    site(&server).with_variable("TOOLCLAD_SECRET_TOKEN", "t0p-s3cret-token")
}

fn with_network(request: Request, port: u16) -> Request {
    request.line("network: allowlist").line(&format!("network_allowlist: [\"127.0.0.1:{port}\"]"))
}

#[test]
fn a_server_at_an_address_is_reached_through_the_proxy_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (manner, code, effects) in [
        ("plain", "", 1),
        ("events", "", 1),
        ("html", "MCP_FAILED", 0),
        ("forgetful", "MCP_FAILED", 0),
        ("redirecting", "MCP_FAILED", 0),
        ("endless", "MCP_FAILED", 1),
        ("wrong_id", "MCP_FAILED", 1),
        ("batch", "MCP_FAILED", 1),
        ("key_twice", "MCP_FAILED", 1),
        ("events_wrong_id", "MCP_FAILED", 1),
        ("events_batch", "MCP_FAILED", 1),
        ("events_key_twice", "MCP_FAILED", 1),
        ("events_open_nan", "MCP_FAILED", 1),
        ("events_open_other_type", "MCP_FAILED", 1),
        ("accepting", "MCP_FAILED", 1),
        ("notifying", "MCP_FAILED", 1),
        ("capitals", "", 1),
        ("refusing", "MCP_FAILED", 1),
    ] {
        let counted = folder.path().join(manner);
        let server = AtAddress::start(folder.path(), manner, &counted);
        let site = at_address(server.port);
        let bundle = answered(&site, &with_network(issue("issue"), server.port));
        let evidence = bundle.evidence();
        assert!(bundle.0.starts_with(site.path("core/inbound")), "{manner}: {:?}", site.reasons(&bundle.name()));
        assert_eq!(bundle.code(), code, "{manner}: {evidence:#} {}", bundle.read("artifacts/stderr.txt"));
        let destination = format!("127.0.0.1:{}", server.port);
        assert_eq!(evidence["network"]["destinations"], json!([destination]), "{manner}");
        assert_eq!(evidence["network"]["refused"], json!([]), "{manner}");
        let effects_seen = fs::read_to_string(&counted).unwrap_or_default().lines().count();
        assert_eq!(effects_seen, effects, "{manner}");
        let said = match manner {
            "events_open_nan" => "it sent a message that is not JSON",
            "events_open_other_type" => "an event of another type",
            "accepting" | "notifying" => "it accepted the request but did not answer it",
            "refusing" => "it answered with the HTTP status 400: no more today",
            _ => continue,
        };
        assert!(bundle.read("artifacts/stderr.txt").contains(said), "{manner}: {}", bundle.document());
    }
}

#[test]
fn no_argument_is_sent_as_a_header_because_a_server_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let headers = folder.path().join("headers");
    let server = AtAddress::start(folder.path(), "header", &headers);
    let site = at_address(server.port);
    let bundle = answered(&site, &with_network(issue("issue"), server.port));
    assert!(bundle.read("artifacts/out/input_schema.json").contains("x-mcp-header"));
    assert_eq!(bundle.code(), "", "{}", bundle.read("artifacts/stderr.txt"));
    let headers = fs::read_to_string(&headers).unwrap().to_ascii_lowercase();
    assert!(headers.contains("mcp-method: tools/call"), "the protocol that has such headers was spoken: {headers}");
    assert!(!headers.contains("it does not start") && !headers.contains("mcp-param"), "{headers}");
}

#[test]
fn a_request_must_list_the_address_of_the_server_and_no_other() {
    let site = at_address(1);
    for (slug, request) in [("none", issue("none")), ("other", with_network(issue("other"), 2))] {
        let bundle = answered(&site, &request);
        assert!(bundle.reasons().contains(&"network_unavailable".to_owned()), "{slug}");
        assert!(bundle.evidence().to_string().contains("network_allowlist: [\\\"127.0.0.1:1\\\"]"), "{slug}");
    }
}

#[test]
fn a_call_that_is_interrupted_is_answered_and_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let effects = folder.path().join("effects");
    let server = AtAddress::start(folder.path(), "hanging", &effects);
    let site = at_address(server.port);
    let request = with_network(issue("issue"), server.port);
    site.rename_in(&request);
    let watcher = site.watch("exec");
    let count = || fs::read_to_string(&effects).unwrap_or_default().lines().count();
    until("the call", || count() > 0);
    watcher.signal(rustix::process::Signal::KILL);
    watcher.ended();
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!((bundle.code().as_str(), count()), ("INTERRUPTED", 1));
    assert_eq!(bundle.evidence()["mcp_tool"], "create_issue");
}
