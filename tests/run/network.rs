//! Tools with a network, through the whole pipeline: what they reach, what they do not, and what the result says. The only
//! server is the test's own, on loopback.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::Value;

use crate::site::{Bundle, Request, Site, is_root, text};

const NETWORK: &str = "timeout_seconds = 60\n[limits]\nfiles = 2000\n[sandbox]\nnetwork = true\n";

/// A server that answers every request with the path that it was asked for; returns its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut buffer = [0; 4096];
            let read = stream.read(&mut buffer).unwrap_or(0);
            let head = String::from_utf8_lossy(&buffer[..read]).into_owned();
            let body = format!("reached {}\n", head.split(' ').nth(1).unwrap_or("nothing"));
            let length = body.len();
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

fn site(destinations: &[String]) -> Site {
    Site::with_config(&format!(
        "[inbox]\nsettle_ms = 50\n[limits]\nfiles = 2000\n[network]\ndestinations = {destinations:?}\n"
    ))
}

fn asking(slug: &str, destinations: &[String]) -> Request {
    let request = Request::call(slug, "fetch");
    request.line("network: allowlist").line(&format!("network_allowlist: {destinations:?}"))
}

/// The answer to a request for a tool that runs a script.
fn answered(site: &Site, script: &str, request: &Request) -> Bundle {
    site.tool("fetch", NETWORK, script);
    site.rename_in(request);
    site.up();
    site.result(&request.id)
}

fn lines(bundle: &Bundle) -> Vec<String> {
    bundle.read("artifacts/stdout.txt").lines().map(str::to_owned).collect()
}

#[test]
fn a_listed_destination_is_reached_by_ordinary_programs_and_the_result_says_so() {
    let port = server();
    let listed = [format!("127.0.0.1:{port}")];
    let site = site(&listed);
    let script = format!(
        "#!/bin/sh\nset -e\nurl=http://127.0.0.1:{port}\ncurl -sS $url/plain\ncurl -sS --proxytunnel $url/tunnel\n\
         env -u http_proxy curl -sS $url/socks\n\
         python3 -c \"import urllib.request as r; print(r.urlopen('$url/python').read().decode(), end='')\"\n"
    );
    let bundle = answered(&site, &script, &asking("reach", &listed));
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    assert_eq!(lines(&bundle), ["reached /plain", "reached /tunnel", "reached /socks", "reached /python"]);
    let network = &bundle.evidence()["network"];
    assert_eq!(network["used"], "allowlist");
    assert_eq!((&network["destinations"], &network["refused"]), (&Value::from(&listed[..]), &Value::Array(vec![])));
    assert!(bundle.document().contains("network_used: \"allowlist\""));
    assert!(bundle.document().contains("Unexpected behavior: None observed"), "{}", bundle.document());
    assert_eq!(bundle.evidence()["sandbox"]["level"], "full");
}

#[test]
fn an_unprivileged_user_gets_the_same() {
    if !is_root() {
        return;
    }
    let listed = [format!("127.0.0.1:{}", server())];
    let site = site(&listed);
    site.tool("fetch", NETWORK, &format!("#!/bin/sh\nexec curl -sS http://{}/nobody\n", listed[0]));
    let request = asking("nobody", &listed);
    site.rename_in(&request);
    let site = site.of_nobody();
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!(lines(&bundle), ["reached /nobody"], "{}", bundle.document());
    assert_eq!(bundle.evidence()["network"]["destinations"], Value::from(&listed[..]));
}

#[test]
fn a_command_line_reaches_what_its_request_lists() {
    let listed = [format!("127.0.0.1:{}", server())];
    let site = Site::with_config(&format!(
        "[inbox]\nsettle_ms = 50\n[approval]\nmode = \"declared\"\n[network]\ndestinations = {listed:?}\n"
    ));
    let now = chrono::Utc::now();
    let id = Request::created(now, "era", "none").id;
    let created = now.format("%Y-%m-%dT%H:%M:%SZ");
    let program = format!("import urllib.request as r; print(r.urlopen('http://{}/era').read().decode())", listed[0]);
    let document = format!(
        "---\nrequest_type: tool_request\nschema_version: 1\nrequest_id: {id}\ncreated_utc: \"{created}\"\nrequested_by: human\n\
         approved_by: alice\napproved_utc: \"{created}\"\npurpose: \"A test\"\nlanguage: python\nnetwork: allowlist\n\
         network_allowlist: {listed:?}\ncpu_limit: \"1\"\nmemory_limit_mb: 256\ntime_limit_sec: 30\n---\n\n## Command\n\n\
         python3 -c \"{program}\"\n\n## Input Files\n\nNone.\n\n## Output Expectations\n\nOne line.\n\n## Risk Assessment\n\n\
         Risk level: low\nJustification: a test\nData sensitivity: public\nNetwork rationale: the test's own server\n"
    );
    fs::write(site.path("inbox").join(format!("{id}.md")), document).unwrap();
    site.up();
    let bundle = site.result(&id);
    assert_eq!(lines(&bundle)[..1], ["reached /era"], "{}", bundle.document());
    assert_eq!(bundle.evidence()["network"]["destinations"], Value::from(&listed[..]));
}

#[test]
fn a_run_that_was_interrupted_does_not_say_that_it_reached_nothing() {
    let listed = [format!("127.0.0.1:{}", server())];
    let site = site(&listed);
    site.tool("fetch", NETWORK, "#!/bin/sh\necho begun >&2\nsleep 60\n");
    let request = asking("interrupted", &listed);
    site.rename_in(&request);
    let bundle = site.interrupted(&request.id, "stderr");
    assert_eq!(text(&bundle.evidence()["network"]["used"]), "allowlist");
    assert!(bundle.document().contains("are unknown"), "{}", bundle.document());
}

#[test]
fn the_command_line_asks_for_a_network_too() {
    let listed = format!("127.0.0.1:{}", server());
    let site = site(std::slice::from_ref(&listed));
    site.tool("fetch", NETWORK, &format!("#!/bin/sh\nexec curl -sS http://{listed}/line\n"));
    let ran = site.gatepost(&["tools", "run", "fetch", "--network", &listed, "--output", "json"]).succeeds();
    assert_eq!(ran["data"]["evidence"]["network"]["destinations"][0], Value::from(listed.as_str()), "{ran}");
    site.gatepost(&["submit", "--tool", "fetch", "--network", &listed]).succeeds();
    site.gatepost(&["submit", "--tool", "fetch", "--network", "example.org:443"]).ends(2);
    site.gatepost(&["submit", "--tool", "fetch", "--network", "127.1:80"]).ends(2);
}

#[test]
fn a_secret_that_a_tool_puts_into_a_name_is_not_written_down() {
    let site = site(&["*".to_owned()]);
    let secret = "s3cr3t-Value";
    let manifest = "[tool]\nname = \"fetch\"\nversion = \"1\"\ndescription = \"Uses a secret\"\nbinary = \"sh\"\n[sandbox]\nnetwork = true\n[command]\n\
         exec = [\"sh\", \"in/use\", \"{_secret:token}\"]\n[output]\nformat = \"text\"\nparser = \"builtin:text\"\n\
         [output.schema]\ntype = \"object\"\n";
    site.manifest("fetch", manifest);
    let script = "curl -s http://$1.example.org/ https://$1_.example.org/ https://other.example.org/\ntrue\n";
    let request = asking("secret", &["api.example.org:443".to_owned()]).input("use", script.as_bytes());
    site.rename_in(&request);
    let site = site.with_variable("TOOLCLAD_SECRET_TOKEN", secret);
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    assert_eq!(bundle.evidence()["network"]["refused"], Value::from(vec!["other.example.org:443"]));
    let told = bundle.document().to_lowercase() + &bundle.read("evidence.json").to_lowercase();
    assert!(!told.contains(&secret.to_lowercase()), "{told}");
    assert!(told.contains("further refusals, not named: 1."));
    assert!(told.contains("not a host and port: 1."));
}

#[test]
fn a_hostile_tool_reaches_nothing_else_and_its_attempts_are_told() {
    let port = server();
    let listed = [format!("localhost:{port}"), "127.0.0.1:9".to_owned()];
    let site = site(&["*".to_owned(), "127.0.0.1:9".to_owned()]);
    site.script("hostile.py", include_str!("network/hostile.py"));
    let script = format!("#!/bin/sh\nexec python3 -I /tools/scripts/hostile.py {port}\n");
    let bundle = answered(&site, &script, &asking("hostile", &listed));
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    let (forbidden, denied) = ("HTTP/1.1 403 Forbidden", "Permission denied");
    let mut expected: Vec<(String, &str)> = [
        ("direct", denied),
        ("direct six", denied),
        ("direct public", denied),
        ("udp public", "Network is unreachable"),
        ("bind", denied),
    ]
    .map(|(name, outcome)| (name.to_owned(), outcome))
    .into();
    let hosts =
        ["localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "127.1", "0x7f.1", "2130706433", "other.invalid"];
    for host in hosts {
        expected.extend([(host.to_owned(), forbidden), (format!("{host} by socks"), "SOCKS 2")]);
    }
    let rest = [
        ("own port", forbidden),
        ("another port", forbidden),
        ("newline", "HTTP/1.1 400 Bad Request"),
        ("control", "SOCKS 2"),
        ("smuggled", "HTTP/1.1 400 Bad Request"),
        ("rubbish", "0"),
        ("long", "HTTP/1.1 431 Request Header Fields Too Large"),
        ("held", "1000"),
    ];
    expected.extend(rest.map(|(name, outcome)| (name.to_owned(), outcome)));
    let expected: Vec<String> = expected.into_iter().map(|(name, outcome)| format!("{name}: {outcome}")).collect();
    assert_eq!(lines(&bundle), expected);
    let evidence = bundle.evidence();
    assert_eq!(evidence["network"]["destinations"], Value::Array(vec![]));
    let refused: Vec<String> = evidence["network"]["refused"].as_array().unwrap().iter().map(text).collect();
    let mut asked: Vec<String> = ["0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "localhost", "other.invalid"]
        .map(|host| format!("{host}:{port}"))
        .into();
    asked.extend(["127.0.0.1:3128".to_owned(), "127.0.0.1:22".to_owned()]);
    asked.sort();
    assert_eq!(refused, asked);
    let document = bundle.document();
    assert!(document.contains("Listed names resolve to no public address"), "{document}");
    assert_eq!(document.matches("\n## Summary\n").count(), 1);
}

#[test]
fn a_name_in_scope_that_leads_out_of_scope_is_refused() {
    let port = server();
    let listed = [format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")];
    let manifest = "[tool]\nname = \"fetch\"\nversion = \"1\"\ndescription = \"Fetches\"\nbinary = \"curl\"\n[sandbox]\nnetwork = true\n\
                    [args.url]\ntype = \"url\"\nscope_check = true\nrequired = true\n[command]\nexec = [\"curl\", \"-sS\", \"--\", \"{url}\"]\n\
                    [output]\nformat = \"text\"\nparser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n";
    for (scope, expected) in [
        ("domains = ['localhost']\ntargets = ['127.0.0.0/8', '::1']", "reached /aim\n"),
        ("domains = ['localhost']", "This name resolves to no address that is in scope.\n"),
        (
            "domains = ['localhost']\ntargets = ['127.0.0.0/8']\nexclude = ['127.0.0.1', '::1']",
            "This name resolves to no address that is in scope.\n",
        ),
    ] {
        let site = site(&listed);
        site.manifest("fetch", manifest);
        fs::write(site.path("scope/scope.toml"), format!("[scope]\n{scope}\n")).unwrap();
        let request = asking("aimed", &listed).arg("url", &format!("http://localhost:{port}/aim"));
        site.rename_in(&request);
        site.up();
        let bundle = site.result(&request.id);
        assert_eq!(bundle.read("artifacts/stdout.txt"), expected, "{}", bundle.document());
        let is_refused = bundle.evidence()["network"]["refused"] == Value::from(vec![listed[0].as_str()]);
        let is_told = bundle.document().contains("Names in scope resolve out of scope");
        assert_eq!((is_refused, is_told), (expected != "reached /aim\n", is_refused), "{}", bundle.document());
    }
}

#[test]
fn a_request_that_asks_for_no_network_gets_none_whatever_its_tool_says() {
    let site = site(&["*".to_owned()]);
    let script = "#!/bin/sh\nenv | grep -i proxy\ncurl -sS -x http://127.0.0.1:3128 http://example.org/ 2>/dev/null || echo $?\n";
    let bundle = answered(&site, script, &Request::call("none", "fetch"));
    assert_eq!(lines(&bundle), ["7"], "curl cannot connect");
    assert_eq!(bundle.evidence()["network"]["used"], "none");
}

#[test]
fn a_network_that_cannot_be_granted_is_refused_before_anything_runs() {
    let asked = ["api.example.org:443".to_owned()];
    let silent = "timeout_seconds = 60\n";
    let full = "";
    let none = "[sandbox]\nminimum = \"none\"\nmaximum = \"none\"\n";
    for (destinations, more, level, reasons) in [
        (&[][..], NETWORK, full, &["network_unavailable"][..]),
        (&["api.example.org:80", "127.0.0.1:443"], NETWORK, full, &["network_unavailable"]),
        (&["*"], silent, full, &["network_unavailable"]),
        (&["*"], NETWORK, none, &["sandbox_unavailable"]),
        (&[], silent, none, &["network_unavailable", "network_unavailable", "sandbox_unavailable"]),
    ] {
        let site =
            Site::with_config(&format!("[inbox]\nsettle_ms = 50\n{level}[network]\ndestinations = {destinations:?}\n"));
        site.tool("fetch", more, "#!/bin/sh\necho ran\n");
        let request = asking("refused", &asked);
        site.rename_in(&request);
        site.up();
        assert_eq!(site.result(&request.id).reasons(), reasons, "{destinations:?} {level}");
    }
}
