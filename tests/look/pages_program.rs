//! The program `gatepost-pages` beside the others: what it is built from, and what becomes of a command without it.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::judge::gate_program::{crates, holds};
use crate::site::{BESIDE, GATEPOST, Request, Site, install, program, until};

const PROGRAM: &str = "gatepost-pages";

/// What runs tools, what judges, and the command line; each with a crate that it alone brings.
const OTHERS: [&str; 7] = [
    "gatepost",
    "gatepost-exec",
    "gatepost-gate",
    "gatepost-contract",
    "gatepost-sandbox",
    "cedar-policy-core",
    "pulldown-cmark",
];
/// What only the pages need.
const OWN: [&str; 3] = ["axum", "hyper", "maud"];

#[test]
fn it_links_neither_the_command_line_nor_what_executes_or_judges_and_none_of_them_links_it() {
    let built_from = crates(PROGRAM);
    let strange: Vec<_> = OTHERS.iter().filter(|name| built_from.contains(**name)).collect();
    assert!(strange.is_empty(), "{strange:?}");
    let linked = fs::read(program(PROGRAM)).unwrap();
    let found: Vec<_> = OTHERS.iter().filter(|name| **name != "gatepost" && holds(&linked, name)).collect();
    assert!(found.is_empty(), "{found:?}");
    assert!(holds(&linked, "axum") && holds(&linked, "gatepost-mailbox"));
    for other in ["gatepost", "gatepost-exec", "gatepost-gate"] {
        let built_from: BTreeSet<String> = crates(other);
        let own: Vec<_> = OWN.iter().chain([&PROGRAM]).filter(|name| built_from.contains(**name)).collect();
        assert!(own.is_empty(), "{other}: {own:?}");
    }
    assert!(!holds(&fs::read(GATEPOST).unwrap(), "axum"));
}

#[test]
fn no_page_is_made_where_the_program_is_missing_or_of_another_version() {
    for is_there in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let beside: Vec<&str> = BESIDE.into_iter().filter(|name| *name != PROGRAM).collect();
        let gatepost = install(folder.path(), &beside);
        let pages = folder.path().join(PROGRAM);
        if is_there {
            fs::write(&pages, "#!/bin/sh\necho gatepost-pages 9.9.9\n").unwrap();
            fs::set_permissions(&pages, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let site = Site::steady();
        let (csv, html) = (folder.path().join("a.csv"), folder.path().join("a.html"));
        let (csv, html) = (csv.to_str().unwrap(), html.to_str().unwrap());
        for words in [
            &["report", "--csv", csv, "--html", html][..],
            &["report", "--html", html, "--dry-run"],
            &["serve", "--listen", "127.0.0.1:0"],
        ] {
            let mut command = Command::new(&gatepost);
            command.arg("--site").arg(&site.root).args(words).arg("--output=json");
            let output = command.output().unwrap();
            let error = serde_json::from_slice::<Value>(&output.stdout).unwrap()["error"].clone();
            assert_eq!((output.status.code(), &error["code"]), (Some(4), &"PROGRAM_MISSING".into()), "{error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(pages.to_str().unwrap()) && message.contains("9.9.9") == is_there, "{message}");
            assert!(fs::metadata(csv).is_err() && fs::metadata(html).is_err());
        }
        let mut rows = Command::new(&gatepost);
        rows.arg("--site").arg(&site.root).args(["report", "--csv", csv]);
        assert!(rows.output().unwrap().status.success(), "rows for programs need no pages");
    }
}

/// `gatepost serve`, where it serves, and the process id of the program that it started.
fn serving(site: &Site) -> (Child, String, Pid) {
    let mut command = site.command(&[], &["serve", "--listen", "127.0.0.1:0", "--output=json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let event: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
    let address = event["message"].as_str().unwrap().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let id = child.id();
    let children = fs::read_dir(format!("/proc/{id}/task")).unwrap().map(|thread| {
        let path = thread.unwrap().path().join("children");
        fs::read_to_string(path).unwrap_or_default()
    });
    let children: String = children.collect();
    let pages = children.split_whitespace().next().and_then(|id| Pid::from_raw(id.parse().ok()?));
    (child, address, pages.unwrap_or_else(|| panic!("{children:?}")))
}

#[test]
fn serve_ends_with_its_program_and_the_program_with_serve() {
    let site = Site::new();
    let (child, address, pages) = serving(&site);
    assert!(TcpStream::connect(&address).is_ok());
    kill_process(pages, Signal::KILL).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = serde_json::from_slice::<Value>(&output.stdout).unwrap()["error"].clone();
    assert_eq!((output.status.code(), &error["code"]), (Some(1), &"IO_ERROR".into()), "{error}");
    assert!(error["message"].as_str().unwrap().contains("gatepost-pages ended without an answer"), "{error}");
    let (mut child, address, _) = serving(&site);
    child.kill().unwrap();
    child.wait().unwrap();
    until("the end of the program", || TcpStream::connect(&address).is_err());
}

#[test]
fn serve_says_which_signal_ended_it_and_where_it_served() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2)] {
        let site = Site::new();
        let (child, address, _) = serving(&site);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        let data = serde_json::from_slice::<Value>(&output.stdout).unwrap()["data"].clone();
        assert_eq!((output.status.code(), &data["signal"]), (Some(0), &number.into()), "{data}");
        assert_eq!(data["address"], format!("http://{address}/"));
    }
}

#[test]
fn a_fault_of_the_program_is_told_as_one_of_the_command() {
    let site = Site::steady();
    site.copy_in(&Request::file("one"));
    fs::remove_dir_all(site.path("outbox")).unwrap();
    let page = site.path("a.html");
    let error = site.gatepost(&["report", "--html", page.to_str().unwrap()]).ends(1)["error"].clone();
    assert_eq!((&error["code"], &error["operation"]), (&"IO_ERROR".into(), &"list".into()), "{error}");
    let same = site.gatepost(&["report", "--csv", page.to_str().unwrap()]).ends(1)["error"].clone();
    assert_eq!(error, same);
    assert!(!page.exists());
}

#[test]
fn a_server_that_is_stopped_while_it_starts_has_not_failed() {
    let folder = tempfile::tempdir().unwrap();
    let beside: Vec<&str> = BESIDE.into_iter().filter(|name| *name != PROGRAM).collect();
    let gatepost = install(folder.path(), &beside);
    let (pages, asked) = (folder.path().join(PROGRAM), folder.path().join("asked"));
    // It never answers: the signal ends it before it could.
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo gatepost-pages {} && exit\ntouch {}\nexec sleep 60\n",
        env!("CARGO_PKG_VERSION"),
        asked.display()
    );
    fs::write(&pages, script).unwrap();
    fs::set_permissions(&pages, fs::Permissions::from_mode(0o755)).unwrap();
    let site = Site::steady();
    let mut command = Command::new(gatepost);
    command.arg("--site").arg(&site.root).args(["serve", "--listen", "127.0.0.1:0", "--output=json"]);
    let server = command.stdout(Stdio::piped()).spawn().unwrap();
    until("it starts", || asked.exists());
    kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
    let output = server.wait_with_output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &outcome["data"]["signal"]), (Some(0), &15.into()), "{outcome}");
}
