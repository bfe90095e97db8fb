//! The program `gatepost-pages`, as `gatepost report` and `gatepost serve` start it.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test arranges the world")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-pages"));
    command.args(arguments).env_remove("GATEPOST_SITE").current_dir("/");
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A site without requests.
fn site() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gatepost.toml"), "").unwrap();
    for name in ["inbox", "outbox", "quarantine", "core/inbound"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn it_says_its_version_and_shows_nothing_of_what_is_no_site() {
    let version = run(&["--version"]);
    let expected = concat!("gatepost-pages ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(String::from_utf8(version.stdout).unwrap(), expected);
    let folder = tempfile::tempdir().unwrap();
    let nowhere = run(&["report", "--folder", "/", "--site", text(folder.path())]);
    assert_eq!((nowhere.status.code(), nowhere.stdout.len()), (Some(4), 0));
    assert!(String::from_utf8(nowhere.stderr).unwrap().contains("gatepost.toml"));
    for wrong in [&["report"][..], &["show"], &["serve"], &["serve", "--listen", "0.0.0.0:0"]] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_report_is_one_line_of_json_and_nothing_is_written() {
    let site = site();
    fs::write(site.path().join("inbox/TR-20260209-160501Z-a.md"), "no request").unwrap();
    let listed = || walk(site.path());
    let before = listed();
    let report = run(&["report", "--folder", text(site.path()), "--site", text(site.path())]);
    let page = answer(&report)["page"].clone();
    assert_eq!((report.status.code(), &page["requests_count"]), (Some(0), &1.into()), "{page}");
    assert!(page["html"].as_str().unwrap().starts_with("<!DOCTYPE html>"));
    assert_eq!((listed(), report.stdout.split(|byte| *byte == b'\n').count()), (before, 2));
    let since = ["report", "--since", "2999-01-01T00:00:00Z", "--folder", "/", "--site", text(site.path())];
    assert_eq!(answer(&run(&since))["page"]["requests_count"], 0);
}

fn walk(folder: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        paths.push(text(&path).to_owned());
        if path.is_dir() {
            paths.extend(walk(&path));
        }
    }
    paths.sort();
    paths
}

#[test]
fn a_fault_is_told_with_what_was_done_to_which_path() {
    let site = site();
    fs::remove_dir(site.path().join("outbox")).unwrap();
    let broken = run(&["report", "--folder", "/", "--site", text(site.path())]);
    let fault = answer(&broken)["fault"].clone();
    assert_eq!((broken.status.code(), &fault["operation"], &fault["errno"]), (Some(1), &"list".into(), &2.into()));
    assert!(fault["path"].as_str().unwrap().ends_with("/outbox"), "{fault}");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = run(&["serve", "--listen", &address, "--site", text(site.path())]);
    let why = answer(&refused)["unavailable"].as_str().unwrap().to_owned();
    assert!(refused.status.code() == Some(12) && why.contains("in use"), "{why}");
}

/// A server that has printed its address, and its standard error.
fn serving(site: &Path) -> (Child, String) {
    let mut command = program(&["serve", "--listen", "127.0.0.1:0", "--with-parent", "--site", text(site)]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let event: Value = serde_json::from_str(&line).unwrap();
    (child, event["message"].as_str().unwrap().to_owned())
}

#[test]
fn the_end_of_its_parent_ends_a_server_which_says_where_it_served() {
    let site = site();
    let (mut child, address) = serving(site.path());
    drop(child.stdin.take());
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    let served = serde_json::from_str::<Value>(&output).unwrap()["served"].clone();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!((&served["address"], &served["signal"]), (&address.into(), &15.into()));
}
