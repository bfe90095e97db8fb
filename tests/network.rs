//! Tools with a network, through the whole pipeline: what they reach, what they do not, and what the result says. The only
//! server is the test's own, on loopback.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::Value;

use crate::site::{Bundle, Request, Site, text};

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
    assert!(document.contains("Listed names lead to no public address"), "{document}");
    assert_eq!(document.matches("\n## Summary\n").count(), 1);
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
