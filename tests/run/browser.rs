//! Browsers: what a request lists is done on pages, one after the other, and what is to be seen then is judged. The only servers
//! are the test's own, on loopback.

mod pages;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::office::Office;
use crate::site::{Bundle, Request, Site, passes_as_nobody, text, worker};
use pages::Server;

/// The manifest of a browser with every command.
fn manifest(name: &str, tool: &str, browser: &str) -> String {
    let commands = [
        "navigate",
        "go_back",
        "snapshot",
        "extract",
        "extract_html",
        "click",
        "type_text",
        "submit_form",
        "screenshot",
        "execute_js",
        "wait_for",
        "list_tabs",
        "network_timing",
    ];
    let commands: String = commands.iter().fold(String::new(), |text, command| {
        let more = match *command {
            "extract" => "args.mode = { type = \"string\" }",
            "type_text" => "args.selector = { type = \"string\", sanitize = [] }",
            "extract_html" => "args.selector = { type = \"literal_text\" }",
            _ => "",
        };
        text + &format!("[browser.commands.{command}]\n{more}\n")
    });
    // On a busy machine with cold caches a browser takes long to start.
    let browser = if browser.is_empty() { "startup_timeout_seconds = 60" } else { browser };
    format!(
        "[tool]\nname = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"A browser of the tests\"\nmode = \"browser\"\n{tool}\n\
         [browser]\n{browser}\n[browser.scope]\nallowed_domains = [\"127.0.0.1\"]\n{commands}"
    )
}

/// A site whose browser, `desk`, may visit these servers.
fn site(servers: &[&Server], tool: &str) -> Site {
    let site = site_with(servers, "");
    site.manifest("desk", &manifest("desk", tool, ""));
    site
}

fn site_with(servers: &[&Server], more: &str) -> Site {
    let listed: Vec<String> = servers.iter().map(|server| server.destination()).collect();
    Site::with_config(&format!("[inbox]\nsettle_ms = 50\n[network]\ndestinations = {listed:?}\n{more}"))
}

/// A request with these interactions, each a command and its arguments, that may reach these servers.
fn request(slug: &str, servers: &[&Server], interactions: &[(&str, Value)]) -> Request {
    let request = Request::call(slug, "desk").interactions(interactions);
    if servers.is_empty() {
        return request;
    }
    let listed: Vec<String> = servers.iter().map(|server| server.destination()).collect();
    request.line("network: allowlist").line(&format!("network_allowlist: {listed:?}"))
}

/// What becomes of these interactions.
fn done(site: &Site, slug: &str, servers: &[&Server], interactions: &[(&str, Value)]) -> Bundle {
    let request = request(slug, servers, interactions);
    site.copy_in(&request);
    site.up();
    site.result(&request.id)
}

fn navigate(server: &Server, path: &str) -> (&'static str, Value) {
    ("navigate", json!({ "url": server.url(path) }))
}

fn told(bundle: &Bundle) -> Vec<Value> {
    bundle.evidence()["interactions"].as_array().cloned().unwrap_or_default()
}

/// How each interaction ended.
fn statuses(bundle: &Bundle) -> Vec<String> {
    told(bundle).iter().map(|one| text(&one["status"])).collect()
}

/// The code of a failure, with all that the worker and the browser say of it.
fn failure(bundle: &Bundle) -> (String, String) {
    (bundle.code(), bundle.read("artifacts/stdout.txt") + &bundle.read("artifacts/stderr.txt"))
}

fn anomalies(bundle: &Bundle) -> String {
    bundle.evidence()["anomalies"].to_string()
}

#[test]
fn every_command_does_what_it_says() {
    let server = Server::shop();
    let site = site(&[&server], "");
    let none = || json!({});
    let interactions = [
        navigate(&server, "/"),
        ("snapshot", none()),
        ("extract", json!({ "mode": "text" })),
        ("extract_html", json!({ "selector": "h1" })),
        ("click", json!({ "selector": "#new" })),
        ("type_text", json!({ "selector": "#item", "text": "oil; 2 cans" })),
        ("submit_form", json!({ "selector": "#item" })),
        ("extract", json!({ "mode": "text" })),
        ("screenshot", none()),
        ("go_back", none()),
        navigate(&server, "/late"),
        ("wait_for", json!({ "selector": "#late" })),
        ("execute_js", json!({ "expression": "Promise.resolve([document.title, 6 * 7])" })),
        ("list_tabs", none()),
        ("network_timing", none()),
    ];
    let bundle = done(&site, "all", &[&server], &interactions);
    let told = told(&bundle);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    assert_eq!(statuses(&bundle), ["success"; 15]);
    let results = |number: usize| &told[number - 1]["results"];
    let content = |number: usize| text(&results(number)["content"]);
    assert_eq!(
        content(2),
        "RootWebArea \"Shop\"\n  heading \"Orders\" level=1\n    StaticText \"Orders\"\n  paragraph\n    link \"New order\"\n      StaticText \"New order\"\n"
    );
    assert_eq!(content(3), "Orders\n\nNew order");
    assert_eq!(content(4), "<h1>Orders</h1>");
    assert_eq!((text(&results(5)["url"]), &results(5)["page_state"]["has_forms"]), (server.url("/new"), &json!(true)));
    assert_eq!(text(&results(7)["url"]), server.url("/placed?item=oil%3B+2+cans"));
    assert_eq!(content(8), "Placed: oil; 2 cans");
    assert_eq!(text(&results(10)["url"]), server.url("/new"));
    assert_eq!(content(13), "[\"Late\",42]");
    assert_eq!(content(14), json!([{ "title": "Late", "url": server.url("/late") }]).to_string());
    assert!(content(15).contains(&server.url("/late")), "{}", content(15));
    let state = json!({ "has_forms": false, "page_loaded": true, "tab_count": 1, "refused": 0 });
    assert_eq!((&results(1)["page_state"], &results(1)["interaction_count"]), (&state, &json!(1)));
    assert_eq!((text(&results(1)["title"]), text(&results(1)["domain"])), ("Shop".to_owned(), "127.0.0.1".to_owned()));
    assert_eq!(text(&results(9)["screenshot_path"]), "out/screenshot-9.png");
    let image = fs::read(bundle.0.join("artifacts/out/screenshot-9.png")).unwrap();
    assert!(image.starts_with(b"\x89PNG\r\n") && image.len() > 1_000);
    assert!(bundle.read("SHA256SUMS").contains("artifacts/out/screenshot-9.png"));
    assert_eq!(bundle.evidence()["network"]["destinations"], json!([server.destination()]));
    assert_eq!(bundle.evidence()["worker"], worker("gatepost-worker-browser"));
    assert_eq!(bundle.evidence()["network"]["refused"], json!([]));
    assert_eq!(anomalies(&bundle), "[]");
}

/// A site that believes declared approvals, with the browser of the guide; and the request of the guide.
fn site_of_guide(server: &Server) -> (Site, Request) {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tool-author.md")).unwrap();
    let blocks = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let guide = blocks.into_iter().find(|block| block.contains("name = \"desk\"\n")).unwrap();
    let site = site_with(&[server], "[approval]\nmode = \"declared\"\n");
    site.manifest("desk", &guide.replace("shop.example.org", "127.0.0.1"));
    let interactions = [
        navigate(server, "/new"),
        ("type_text", json!({ "selector": "#item", "text": "oil" })),
        ("submit_form", json!({ "selector": "#item" })),
        ("snapshot", json!({})),
        ("screenshot", json!({})),
    ];
    (site, request("guide", &[server], &interactions))
}

const APPROVED: &str = "approved_by: alice\napproved_utc: \"2026-02-09T16:07:00Z\"";

#[test]
fn the_browser_of_the_guide_is_accepted_with_its_evidence() {
    let server = Server::shop();
    let (site, request) = site_of_guide(&server);
    let request = request.line(APPROVED);
    site.copy_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    let evidence = bundle.evidence();
    assert_eq!(evidence["status"], "success", "{evidence:#}");
    assert_eq!(text(&evidence["parent_session_id"]), request.id);
    assert_eq!(evidence["argv"], json!(["/usr/lib/chromium/chromium-headless-shell"]));
    assert!(evidence["results"].is_null());
    let told = told(&bundle);
    assert_eq!(told[1]["arguments"], json!({ "selector": "#item", "text": "oil" }));
    assert_eq!(told[1]["input"], r##"{"selector":"#item","text":"oil"}"##);
    assert!(text(&told[3]["results"]["content"]).contains("Placed: oil"), "{:#}", told[3]);
    let stdout = bundle.read("artifacts/stdout.txt");
    let [offset, bytes] =
        ["output_offset", "output_bytes"].map(|key| usize::try_from(told[3][key].as_u64().unwrap()).unwrap());
    let report: Value = serde_json::from_str(&stdout[offset..offset + bytes]).unwrap();
    assert_eq!(report["results"], told[3]["results"]);
    let transcript = bundle.read("artifacts/transcript.txt");
    assert!(transcript.contains(" ms\nscan "), "{transcript}");
    assert!(
        transcript.contains(", permitted by low-risk\n> {\"selector\":\"#item\",\"text\":\"oil\"}\n"),
        "{transcript}"
    );
    assert!(transcript.contains("\n| RootWebArea \"Placed\"\n"), "{transcript}");
    assert_eq!(server.count("/placed?item=oil"), 1);
}

#[test]
fn the_command_line_and_models_are_told_what_may_be_done() {
    let (site, _) = site_of_guide(&Server::shop());
    let shown = site.gatepost(&["tools", "show", "desk", "--output", "plain"]).stdout();
    for said in [
        "\nCommand submit_form (high, 1 approval)\n  Send the form\n  selector  string, required\n",
        "network     the destinations that a request lists and the site allows\n",
    ] {
        assert!(shown.contains(said), "{shown}");
    }
    site.gatepost(&["tools", "check", "desk"]).succeeds();
    let offered = site.gatepost(&["tools", "schema", "desk"]).succeeds();
    let interactions = &offered["data"]["tools"][0]["inputSchema"]["properties"]["interactions"];
    assert_eq!(interactions["maxItems"], 20);
    let commands = interactions["items"]["anyOf"].as_array().unwrap();
    let navigate = commands.iter().find(|one| one["properties"]["command"]["const"] == "navigate").unwrap();
    assert_eq!(navigate["properties"]["args"]["required"], json!(["url"]));
}

#[test]
fn the_risk_of_an_interaction_makes_its_request_wait_for_an_approval() {
    let server = Server::shop();
    let (site, request) = site_of_guide(&server);
    site.copy_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!((bundle.code().as_str(), bundle.reasons()), ("REQUEST_REFUSED", vec!["approval_missing".to_owned()]));
    assert_eq!(server.count("/new"), 0);
}

#[test]
fn who_approves_a_browser_sees_all_that_will_be_done() {
    let server = Server::shop();
    let (guide, request) = site_of_guide(&server);
    let site = Office::new(&format!("[network]\ndestinations = [{:?}]\n", server.destination())).site;
    fs::copy(guide.path("tools/desk.clad.toml"), site.path("tools/desk.clad.toml")).unwrap();
    site.copy_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    let shown = site.gatepost(&["show", &request.id, "--output", "plain"]).stdout();
    assert!(
        shown.contains("\nInteraction 3: submit_form {\"selector\":\"#item\"}\nInteraction 4: snapshot {}\n"),
        "{shown}"
    );
    assert_eq!(server.count("/new"), 0);
}

#[test]
fn browsers_are_held_for_an_unprivileged_user_too() {
    for name in ["every_command", "pages_that_open"] {
        passes_as_nobody(module_path!(), name);
    }
}

#[test]
fn each_interaction_is_held_against_its_own_command_and_the_scope() {
    let (server, other) = (Server::shop(), Server::shop());
    let site = site(&[&server, &other], "");
    fs::write(site.path("scope/scope.toml"), "[scope]\ntargets = [\"127.0.0.1\"]\n").unwrap();
    for (slug, interaction, code) in [
        ("outside", ("navigate", json!({ "url": "http://127.0.0.2/" })), "out_of_scope"),
        ("scheme", ("navigate", json!({ "url": "ftp://127.0.0.1/" })), "argument_invalid"),
        ("crash", ("navigate", json!({ "url": "chrome://crash" })), "argument_invalid"),
        ("unknown", ("scroll", json!({})), "argument_unknown"),
        ("missing", ("click", json!({})), "argument_missing"),
        ("mode", ("extract", json!({ "mode": "pdf" })), "argument_invalid"),
    ] {
        let bundle = done(&site, slug, &[&server], &[navigate(&server, "/"), interaction]);
        assert_eq!((bundle.code().as_str(), bundle.reasons()), ("REQUEST_REFUSED", vec![code.to_owned()]), "{slug}");
    }
    let many = vec![navigate(&server, "/"); 201];
    assert_eq!(done(&site, "many", &[&server], &many).reasons(), ["limit_exceeded"]);
    site.manifest("desk", &manifest("desk", "", "").replace("\"127.0.0.1\"", "\"*.example.org\""));
    assert_eq!(done(&site, "host", &[&server], &[navigate(&server, "/")]).reasons(), ["network_unavailable"]);
    assert_eq!((server.count("/"), other.count("/")), (0, 0));
}

#[test]
fn what_the_request_does_not_list_is_refused_and_named_wherever_a_page_leads() {
    let other = Server::of("<p>Other");
    let (away, link) = (other.url("/redirected"), other.url("/clicked"));
    let server = Server::new({
        let (away, image) = (away.clone(), other.url("/image"));
        move |path| match path {
            "/away" => pages::response("302 Found", &format!("Location: {away}\r\n"), ""),
            "/link" => pages::page("Link", &format!("<a id=link href={link}>Go</a>")),
            _ => pages::page("Parts", &format!("<p>Here<img src={image}><iframe src={image}></iframe>")),
        }
    });
    let site = site(&[&server, &other], "");
    for (slug, listed, interactions, expected) in [
        ("direct", vec![&server], vec![navigate(&other, "/direct")], "proxy of the run"),
        ("redirect", vec![&server], vec![navigate(&server, "/away")], "proxy of the run"),
        ("click", vec![&server], vec![navigate(&server, "/link"), ("click", json!({ "selector": "#link" }))], "led to"),
        ("none", vec![], vec![navigate(&server, "/none")], "the run has no network"),
    ] {
        let bundle = done(&site, slug, &listed, &interactions);
        let (code, said) = failure(&bundle);
        assert_eq!(code, "TOOL_FAILED", "{slug}: {said}");
        assert!(said.contains(expected), "{slug}: {said}");
        if !listed.is_empty() {
            assert!(anomalies(&bundle).contains(&other.destination()), "{slug}: {}", anomalies(&bundle));
        }
    }
    let bundle =
        done(&site, "parts", &[&server], &[navigate(&server, "/parts"), ("extract", json!({ "mode": "text" }))]);
    assert_eq!((bundle.code().as_str(), told(&bundle)[1]["results"]["content"].as_str()), ("", Some("Here")));
    assert!(anomalies(&bundle).contains(&other.destination()), "{}", anomalies(&bundle));
    for path in ["/direct", "/redirected", "/clicked", "/image"] {
        assert_eq!(other.count(path), 0, "{path}");
    }
}

#[test]
fn pages_that_open_windows_dialogs_and_downloads_are_refused_them() {
    let server = Server::new(|path| match path {
        "/file.bin" => pages::response("200 OK", "Content-Disposition: attachment\r\n", "content"),
        "/worker.js" => {
            pages::response("200 OK", "Content-Type: text/javascript\r\n", "self.addEventListener('fetch', () => {})")
        }
        _ => pages::page(
            "Busy",
            "<button id=go onclick='act()'>Go</button><a id=local href=file:///etc/passwd>Local</a><p id=out><script>\n\
             addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay' });\n\
             function act() { for (let i = 0; i < 9; i++) open('/window' + i); alert(1); confirm(2); prompt(3); location = '/file.bin' }\n\
             navigator.serviceWorker.register('/worker.js').catch(() => 0);\n\
             const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:9'}]}); peer.createDataChannel('x');\n\
             peer.onicecandidate = event => event.candidate && (out.textContent += event.candidate.candidate);\n\
             peer.createOffer().then(offer => peer.setLocalDescription(offer));\n\
             setInterval(() => open('/again'), 50)</script>",
        ),
    });
    let site = site(&[&server], "");
    let interactions = [
        navigate(&server, "/"),
        ("click", json!({ "selector": "#go" })),
        ("click", json!({ "selector": "#local" })),
        ("extract", json!({ "mode": "text" })),
        ("list_tabs", json!({})),
        navigate(&server, "/after"),
    ];
    let bundle = done(&site, "busy", &[&server], &interactions);
    assert_eq!(bundle.code(), "", "{:?}", failure(&bundle));
    let told = told(&bundle);
    let content = |number: usize| text(&told[number - 1]["results"]["content"]);
    assert_eq!(content(4), "GoLocal", "no address of the machine is told");
    assert_eq!(content(5), json!([{ "title": "Busy", "url": server.url("/") }]).to_string());
    assert_eq!(text(&told[5]["results"]["url"]), server.url("/after"));
    assert!(told[1]["results"]["page_state"]["refused"].as_u64().unwrap() >= 4, "{:#}", told[1]);
    assert!(anomalies(&bundle).contains("The browser refused windows, dialogs and downloads of pages: "));
    assert_eq!(bundle.evidence()["network"]["destinations"], json!([server.destination()]));
    assert!(!bundle.0.join("artifacts/out").exists(), "nothing is downloaded");
}

#[test]
fn a_page_that_never_stops_or_takes_all_memory_ends_its_interaction() {
    let server = Server::new(|path| match path {
        "/loop" => pages::page("Loop", "<script>for (;;);</script>"),
        "/grow" => pages::page(
            "Grow",
            "<script>const rows = []; for (;;) { const row = document.createElement('p'); row.textContent = 'x'.repeat(1 << 20) + rows.length;\n\
             document.body.append(row); rows.push(row) }</script>",
        ),
        _ => pages::page("Still", "<p>Here"),
    });
    for (path, tool, code) in [
        ("/loop", "timeout_seconds = 3", "TIMEOUT"),
        ("/grow", "timeout_seconds = 60\n[limits]\nmemory_mb = 700", "MEMORY_LIMIT"),
    ] {
        let site = site(&[&server], tool);
        let begun = Instant::now();
        let bundle = done(
            &site,
            "hostile",
            &[&server],
            &[navigate(&server, "/"), navigate(&server, path), navigate(&server, "/never")],
        );
        assert_eq!(bundle.code(), code, "{path}: {:?}", failure(&bundle));
        assert_eq!(statuses(&bundle)[0], "success", "{path}");
        assert!(begun.elapsed() < Duration::from_secs(50), "{path}: {:?}", begun.elapsed());
    }
    let site = site(&[&server], "timeout_seconds = 3");
    let expression = json!({ "expression": "for (;;);" });
    let bundle = done(&site, "script", &[&server], &[navigate(&server, "/"), ("execute_js", expression)]);
    assert_eq!(
        (bundle.code().as_str(), statuses(&bundle)),
        ("TIMEOUT", vec!["success".to_owned(), "timeout".to_owned()])
    );
    assert_eq!(server.count("/never"), 0);
}

#[test]
fn a_browser_that_is_missing_is_said_with_its_package() {
    let site = site_with(&[], "[browser]\nprogram = \"/usr/lib/no-such-browser\"\n");
    site.manifest("desk", &manifest("desk", "", ""));
    let bundle = done(&site, "missing", &[], &[("list_tabs", json!({}))]);
    assert_eq!(bundle.reasons(), ["backend_unavailable"]);
    let check = site.gatepost(&["tools", "check", "desk"]).ends(79).to_string();
    let doctor = site.gatepost(&["doctor"]).succeeds();
    let finding =
        doctor["data"]["findings"].as_array().unwrap().iter().find(|one| one["check"] == "tool.desk").unwrap();
    for said in [bundle.evidence().to_string(), check, finding.to_string()] {
        assert!(said.contains("install the package chromium-headless-shell"), "{said}");
    }
}

#[test]
fn a_browser_that_hangs_ends_or_talks_rubbish_is_no_success() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("browser");
    let site = site_with(&[], &format!("[browser]\nprogram = {program:?}\n"));
    let sandbox = format!("[sandbox]\nread_only_paths = [{:?}]", folder.path());
    site.manifest("desk", &manifest("desk", &sandbox, "startup_timeout_seconds = 1"));
    for (slug, script, code, expected) in [
        ("hangs", "exec sleep 100", "TIMEOUT", "exceeded its time limit"),
        ("ends", "exit 3", "TOOL_FAILED", "lost the browser"),
        ("rubbish", "printf '{]\\0' >&4; exec sleep 100", "TOOL_FAILED", "sent no JSON"),
        ("floods", "exec cat /dev/zero >&4", "TOOL_FAILED", "sent no JSON"),
        ("endless", "exec yes >&4", "TOOL_FAILED", "too long"),
        ("lies", "while :; do printf '{\"id\":1,\"result\":{}}\\0' >&4; done", "TIMEOUT", "exceeded its time limit"),
    ] {
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let begun = Instant::now();
        let bundle = done(&site, slug, &[], &[("list_tabs", json!({}))]);
        let (found, said) = failure(&bundle);
        assert_eq!(found, code, "{slug}: {said}");
        assert!(said.contains(expected) && statuses(&bundle).is_empty(), "{slug}: {said}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{slug}: {:?}", begun.elapsed());
    }
}

#[test]
fn a_browser_that_is_cut_off_is_interrupted_and_does_nothing_twice() {
    let server = Server::new(|path| {
        if path != "/effect" {
            std::thread::sleep(Duration::from_secs(20));
        }
        pages::page("Effect", "<p>Done")
    });
    let site = site(&[&server], "timeout_seconds = 60");
    let request = request("cut-off", &[&server], &[navigate(&server, "/effect"), navigate(&server, "/slow")]);
    site.copy_in(&request);
    let bundle = site.interrupted(&request.id, "stdout");
    let evidence = bundle.evidence();
    assert_eq!(text(&evidence["parent_session_id"]), request.id);
    assert_eq!((statuses(&bundle), server.count("/effect")), (Vec::new(), 1));
}

#[test]
fn screenshots_may_be_taken_after_each_interaction() {
    let server = Server::shop();
    let site = site(&[&server], "evidence.screenshots = true");
    let bundle = done(&site, "captured", &[&server], &[navigate(&server, "/"), ("list_tabs", json!({}))]);
    assert_eq!(bundle.code(), "");
    for number in [1, 2] {
        assert!(bundle.0.join(format!("artifacts/out/screenshot-{number}.png")).is_file());
    }
}
