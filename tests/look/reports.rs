//! The pages of `report --html` and `serve`: what they show, to whom, and that nothing on them runs.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use chrono::Utc;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::site::{Request, Site, until};

const CHROMIUM: &str = "/usr/lib/chromium/chromium-headless-shell";

/// What a page would be called if anything of it ran.
const HOSTILE: &str = "<script>document.title='ran'</script><img src=x onerror=document.title='ran'>";

/// A site with an accepted result whose purpose is hostile, a refused request, a rejected result and a drop that is no request.
struct Office {
    site: Site,
    hostile: Request,
    item: String,
}

impl Office {
    fn new() -> Self {
        let site = Site::new();
        let hostile = Request::created(Utc::now(), "hostile", "fail_with").arg("status", "0");
        let document =
            hostile.markdown().replace("purpose: \"A test\"", &format!("purpose: \"{HOSTILE} \u{5e9}\u{5dc}\""));
        fs::write(site.path("inbox").join(format!("{}.md", hostile.id)), document).unwrap();
        site.copy_in(&Request::call("refused", "no_such_tool"));
        fs::write(site.path("inbox").join("a\u{202e}b<i>.md"), "no request").unwrap();
        site.up();
        let item = site.print_a_secret("quarantine").into_iter().find(|item| item.starts_with("TS-")).unwrap();
        Self { site, hostile, item }
    }

    fn report(&self, at: &Path) -> String {
        self.site.gatepost(&["report", "--html", at.to_str().unwrap()]).succeeds();
        fs::read_to_string(at).unwrap()
    }
}

/// The page as a browser has it once it would have run everything.
fn in_browser(address: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let data = format!("--user-data-dir={}", home.path().display());
    let arguments =
        ["--no-sandbox", "--headless", "--disable-gpu", &data, "--virtual-time-budget=2000", "--dump-dom", address];
    let output = Command::new(CHROMIUM).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn title(page: &str) -> &str {
    page.split("<title>").nth(1).unwrap().split("</title>").next().unwrap()
}

/// Where the links of a page lead, as the browser of a reader resolves them.
fn targets(page: &str, folder: &Path) -> Vec<PathBuf> {
    let links = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    links.map(|link| folder.join(String::from_utf8(decoded(link)).unwrap())).collect()
}

fn decoded(link: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = link;
    while let Some(first) = rest.chars().next() {
        let (byte, length) = match first {
            '%' => (u8::from_str_radix(&rest[1..3], 16).unwrap(), 3),
            _ => (first as u8, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    bytes
}

#[test]
fn a_report_shows_everything_as_text_and_nothing_of_it_runs() {
    let office = Office::new();
    let page = office.report(&office.site.path("report.html"));
    let shown = in_browser(&format!("file://{}", office.site.path("report.html").display()));
    for page in [&page, &shown] {
        assert_eq!(title(page), "gatepost report");
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<i>"), "{page}");
        assert!(page.contains("&lt;script&gt;document.title="), "{page}");
        assert!(page.contains("content=\"default-src 'none'; style-src 'sha256-"), "{page}");
        for said in [&office.hostile.id, "tool_unknown", "secret", "rejected", "not_a_request", "accepted"] {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert!(!page.contains('\u{202e}'));
    }
    assert!(!page.contains("PRIVATE") && !page.contains("untouched/"), "what was rejected is not shown");
}

#[test]
fn the_quarantine_shows_what_an_item_was_rejected_for_and_not_its_flags() {
    let office = Office::new();
    let body = "MC4CAQAwBQYDK2VwBCIEINsample0".repeat(2);
    let script = format!("for word in BEGIN END; do echo \"-----$word PRIVATE KEY-----\"; echo {body}; done");
    office.site.tool("both", "", &format!("#!/bin/sh\nprintf '#!/bin/sh\\n'\n{script}\n"));
    office.site.copy_in(&Request::call("both", "both"));
    office.site.up();
    let page = office.report(&office.site.path("report.html"));
    let (_, quarantine) = page.split_once("<h2 id=\"quarantine\">").unwrap();
    let (_, row) = quarantine.split_once("-both").unwrap();
    let (row, _) = row.split_once("</tr>").unwrap();
    assert!(row.contains(">secret<") && !row.contains("executable_payload"), "{row}");
}

#[test]
fn the_links_of_a_report_lead_to_the_files_from_wherever_it_lies() {
    let office = Office::new();
    let elsewhere = office.site.path("../other folder");
    fs::create_dir(&elsewhere).unwrap();
    for path in [office.site.path("report.html"), office.site.path("var/report.html"), elsewhere.join("report.html")] {
        let page = office.report(&path);
        let targets = targets(&page, path.parent().unwrap());
        assert!(targets.len() > 10, "{page}");
        for target in targets {
            assert!(target.is_file(), "{}", target.display());
        }
    }
}

#[test]
fn of_many_requests_the_newest_are_listed_and_all_are_counted() {
    const REQUESTS: usize = 1_200;
    let site = Site::new();
    let request = Request::file("one");
    site.copy_in(&request);
    site.up();
    let bundle = site.result(&request.id).0;
    for number in 1..REQUESTS {
        let copy = site.path("core/inbound").join(format!("TS-20260209-160503Z-TR-20260209-160501Z-copy-{number}"));
        fs::create_dir(&copy).unwrap();
        for file in ["evidence.json", "verdict.json"] {
            fs::hard_link(bundle.join(file), copy.join(file)).unwrap();
        }
    }
    let path = site.path("report.html");
    let written = site.gatepost(&["report", "--html", path.to_str().unwrap()]).succeeds();
    assert_eq!(written["data"]["requests_count"], REQUESTS);
    let page = fs::read_to_string(&path).unwrap();
    assert_eq!(page.matches("<details>").count(), 1_000);
    let notice = format!("The newest 1\u{202f}000 of 1\u{202f}{} are listed", REQUESTS % 1_000);
    assert!(
        page.contains(&notice) && page.contains(&format!("<strong>1\u{202f}{}</strong> requests", REQUESTS % 1_000))
    );
    assert!(page.contains(&request.id), "the newest is among them");
    assert!(page.len() < 8 << 20, "{}", page.len());
}

/// A server, stopped when the test is over.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn of(site: &Site) -> Self {
        let mut child = site.command(&[], &["serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let event: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        let address = event["message"].as_str().unwrap();
        Self { child, address: address.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned() }
    }

    /// The whole answer to these lines.
    fn answer(&self, lines: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(format!("{lines}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.answer(&format!("GET {path} HTTP/1.1\r\nHost: {}", self.address))
    }

    #[track_caller]
    fn shows(&self, path: &str) -> String {
        let answer = self.get(path);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
        answer
    }

    #[track_caller]
    fn refuses(&self, path: &str, status: u16) {
        let answer = self.get(path);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {answer}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_is_served_is_found_by_words_state_tool_requester_and_day() {
    let office = Office::new();
    let server = Server::of(&office.site);
    let count = |query: &str| {
        let page = server.shows(&format!("/?{query}"));
        page.split("<strong>").nth(1).unwrap().split("</strong>").next().unwrap().to_owned()
    };
    let today = Utc::now().date_naive();
    for (query, requests) in [
        ("", "3"),
        ("q=HOSTILE", "1"),
        ("q=hostile+fail_with", "1"),
        ("q=hostile+leak", "0"),
        ("state=rejected", "1"),
        ("state=succeeded", "1"),
        ("state=refused", "2"),
        ("tool=no_such_tool", "1"),
        ("requester=human&state=accepted", "2"),
        ("from=2099-01-01", "0"),
        (&format!("from=2026-01-01&to={}", today.succ_opt().unwrap()), "3"),
    ] {
        assert_eq!(count(query), requests, "{query}");
    }
    for query in ["page=0", "page=x", "from=today", "nonsense=1", "q=1&q=2"] {
        server.refuses(&format!("/?{query}"), 400);
    }
    // What comes later is there without a new start.
    office.site.copy_in(&Request::file("later"));
    until("the later request", || count("q=later") == "1");
    fs::remove_dir_all(office.site.result(&office.hostile.id).0).unwrap();
    until("the loss of a result", || count("state=missing") == "1" && count("state=succeeded") == "0");
}

#[test]
fn a_served_request_has_its_timeline_document_and_files_and_nothing_runs() {
    let office = Office::new();
    let server = Server::of(&office.site);
    let id = &office.hostile.id;
    for path in ["/".to_owned(), format!("/requests/{id}"), "/quarantine".to_owned()] {
        let shown = in_browser(&format!("http://{}{path}", server.address));
        assert!(title(&shown).ends_with(" · gatepost"), "{shown}");
        assert!(!shown.contains("<script") && !shown.contains("<img"), "{shown}");
    }
    let page = server.shows(&format!("/requests/{id}"));
    for said in ["Timeline", "<b>dropped</b>", "<b>started</b>", "<b>accepted</b>", "## Summary", "evidence.json"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let file = server.shows(&format!("/requests/{id}/evidence.json"));
    let head = file.split("\r\n\r\n").next().unwrap().to_lowercase();
    for line in [
        "content-type: text/plain; charset=utf-8",
        "x-content-type-options: nosniff",
        "content-security-policy: sandbox; default-src 'none'; frame-ancestors 'none'",
        "cross-origin-resource-policy: same-origin",
        "cache-control: no-store",
    ] {
        assert!(head.contains(line), "{line}: {head}");
    }
    let bytes = fs::read_to_string(office.site.result(id).0.join("evidence.json")).unwrap();
    assert!(file.ends_with(&bytes));
    let head = server.answer(&format!("HEAD /requests/{id}/evidence.json HTTP/1.1\r\nHost: localhost"));
    assert!(head.starts_with("HTTP/1.1 200 ") && head.contains(&format!("content-length: {}", bytes.len())), "{head}");
    assert!(head.ends_with("\r\n\r\n"), "{head}");
}

#[test]
fn only_files_of_known_requests_are_served_and_no_path_or_link_leads_elsewhere() {
    let office = Office::new();
    let bundle = office.site.result(&office.hostile.id).0;
    let secret = office.site.path("secret.txt");
    fs::write(&secret, "keep out").unwrap();
    std::os::unix::fs::symlink(&secret, bundle.join("link.txt")).unwrap();
    std::os::unix::fs::symlink(office.site.path("keys"), bundle.join("keys")).unwrap();
    fs::write(bundle.join("page.html"), "<script>1</script>").unwrap();
    let server = Server::of(&office.site);
    let id = &office.hostile.id;
    for path in [
        "link.txt",
        "keys/approvers",
        "../secret.txt",
        "..%2F..%2F..%2Fsecret.txt",
        "%2e%2e/%2e%2e/%2e%2e/secret.txt",
        "artifacts/../../../../secret.txt",
        "artifacts",
        "/etc/passwd",
        "%2Fetc%2Fpasswd",
        "evidence.json%00",
        "%ff",
    ] {
        server.refuses(&format!("/requests/{id}/{path}"), 404);
    }
    for path in
        ["/requests/..", "/requests/TR-20260209-160501Z-unknown", "/requests/x/y", "/keys/approvers", "/secret.txt"]
    {
        server.refuses(path, 404);
    }
    let page = server.shows(&format!("/requests/{id}/page.html"));
    assert!(
        page.contains("content-type: application/octet-stream\r\n")
            && page.contains("content-disposition: attachment;")
    );
    // Of what the gate rejected, its own words alone.
    let rejected = office.item.split_once("TR-").map(|(_, id)| format!("TR-{id}")).unwrap();
    assert!(server.shows(&format!("/requests/{rejected}/REASONS.md")).contains("Rejected"));
    let document = format!("untouched/{item}/{item}.md", item = office.item);
    server.refuses(&format!("/requests/{rejected}/{document}"), 404);
    server.refuses(&format!("/requests/{rejected}/{item}.md", item = office.item), 404);
}

#[test]
fn only_this_machine_is_answered_and_nothing_can_be_changed() {
    let site = Site::new();
    let server = Server::of(&site);
    for (lines, status) in [
        ("GET / HTTP/1.1\r\nHost: localhost:1", 200),
        ("GET / HTTP/1.1\r\nHost: [::1]", 200),
        ("GET / HTTP/1.1\r\nHost: rebound.example.org", 421),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: rebound.example.org", 421),
        ("GET http://rebound.example.org/ HTTP/1.1\r\nHost: localhost", 421),
        ("GET / HTTP/1.0", 421),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0", 405),
        ("DELETE /quarantine HTTP/1.1\r\nHost: localhost", 405),
        ("OPTIONS * HTTP/1.1\r\nHost: localhost", 405),
        ("nonsense", 400),
    ] {
        let answer = server.answer(lines);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")) || answer.starts_with(&format!("HTTP/1.0 {status} ")),
            "{lines}: {answer}"
        );
    }
    let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(1 << 20));
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let _ = stream.write_all(long.as_bytes());
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    for address in ["0.0.0.0:0", "192.0.2.1:80", "[::]:0"] {
        let refused = site.gatepost(&["serve", "--listen", address]).ends(2);
        assert!(refused["error"]["message"].as_str().unwrap().contains("not a loopback address"), "{refused}");
    }
    let taken = site.gatepost(&["serve", "--listen", &server.address]).ends(12);
    assert_eq!(taken["error"]["code"], "ADDRESS_UNAVAILABLE");
}

#[test]
fn a_signal_ends_the_server_though_somebody_keeps_a_connection_open() {
    for signal in [Signal::TERM, Signal::INT] {
        let site = Site::new();
        let mut server = Server::of(&site);
        let mut open = TcpStream::connect(&server.address).unwrap();
        open.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
        server.shows("/");
        kill_process(Pid::from_child(&server.child), signal).unwrap();
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_request_that_waits_has_its_purpose_its_dropper_and_what_it_waits_for_on_every_page() {
    let office = crate::office::Office::new("");
    let waiting = crate::office::Office::risky("waits");
    let _watcher = office.up();
    office.pending(&waiting);
    let (csv, html) = (office.site.path("report.csv"), office.site.path("report.html"));
    office.site.gatepost(&["report", "--csv", csv.to_str().unwrap(), "--html", html.to_str().unwrap()]).succeeds();
    let server = Server::of(&office.site);
    let (list, page) = (server.shows("/"), server.shows(&format!("/requests/{}", waiting.id)));
    for shown in [fs::read_to_string(csv).unwrap(), fs::read_to_string(html).unwrap(), list.clone(), page.clone()] {
        for said in ["A test", "root", "may approve it", "202"] {
            assert!(shown.contains(said) || !crate::site::is_root() && said == "root", "{said}: {shown}");
        }
    }
    for shown in [&list, &page] {
        assert!(shown.contains("http-equiv=\"refresh\"") && shown.contains("until "), "{shown}");
    }
    // What is over is not loaded anew, and its timeline has the milliseconds that are known.
    let over = Office::new();
    let server = Server::of(&over.site);
    let page = server.shows(&format!("/requests/{}", over.hostile.id));
    assert!(!page.contains("http-equiv=\"refresh\""), "{page}");
    let started = over.site.result(&over.hostile.id).evidence()["timestamp"].as_str().unwrap()[11..].to_owned();
    assert!(page.contains(started.trim_end_matches('Z')) || !started.contains('.'), "{started}: {page}");
}

#[test]
fn what_waits_for_approval_is_a_feed() {
    let office = crate::office::Office::new("");
    let request = crate::office::Office::risky("fed");
    let _up = office.up();
    office.pending(&request);
    let server = Server::of(&office.site);
    let answer = server.shows("/pending.json");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.to_lowercase().contains("content-type: application/feed+json"), "{head}");
    let feed: Value = serde_json::from_str(body).unwrap();
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    let item = &feed["items"][0];
    assert_eq!((item["id"].as_str(), feed["items"].as_array().unwrap().len()), (Some(request.id.as_str()), 1));
    assert_eq!(item["title"], "human asks for risky");
    assert!(item["content_text"].as_str().unwrap().contains("may approve it"), "{item}");
    let url = item["url"].as_str().unwrap();
    server.shows(url.strip_prefix(&format!("http://{}", server.address)).unwrap());
}
