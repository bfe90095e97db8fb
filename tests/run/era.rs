//! The lane ERA: which command lines run, what they find, and what becomes of what they leave.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use gatepost_documents::digest::Digest;

use crate::site::{BY_FORM, Bundle, Site, ThreeGate, is_root, text};

const CSV: &[u8] = b"station,temperature\nnorth,4.5\nsouth,9\nwest,6.5\n";
/// Statistics over a column, as a program that a requester brings along.
const PROGRAM: &[u8] = b"import csv, json, statistics, sys
rows = [float(row['temperature']) for row in csv.DictReader(open(sys.argv[1]))]
stats = {'count': len(rows), 'mean': round(statistics.mean(rows), 3)}
json.dump(stats, open(sys.argv[2], 'w'))
print('mean', stats['mean'])
";
const DECLARED: &str = "[inbox]\nsettle_ms = 50\n[approval]\nmode = \"declared\"\n";

/// A site that believes declared approvals.
fn site() -> Site {
    Site::with_config(DECLARED)
}

fn statistics(slug: &str) -> ThreeGate {
    let request = ThreeGate::command(slug, "python3 /in/stats.py /in/data.csv /out/stats.json");
    request.input("stats.py", PROGRAM).input("data.csv", CSV).expects("stats.json")
}

fn answered(site: &Site, request: &ThreeGate) -> Bundle {
    drop_in(site, request);
    site.up();
    site.result(&request.id)
}

fn drop_in(site: &Site, request: &ThreeGate) {
    let outside = site.path("outside");
    fs::create_dir_all(&outside).unwrap();
    let name = request.write(&outside);
    fs::rename(outside.join(&name), site.path("inbox").join(&name)).unwrap();
}

#[test]
fn an_id_of_threegates_own_forms_is_answered_in_version_1_alone() {
    let site = site();
    for (slug, form) in [("runner", "TR-%Y%m%dT%H%M%SZ"), ("day", "TR-%Y%m%d")] {
        let mut request = statistics(slug);
        request.id = format!("{}-{slug}", chrono::Utc::now().format(form));
        is_answered_with_statistics(&answered(&site, &request));
        request.id += "-2";
        assert_eq!(answered(&site, &request.version_2()).reasons(), ["name_invalid"]);
    }
}

/// What a good run of the statistics leaves.
fn is_answered_with_statistics(bundle: &Bundle) {
    let evidence = bundle.evidence();
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    assert_eq!(bundle.read("artifacts/stdout.txt"), "mean 6.667\n");
    assert_eq!(bundle.read("artifacts/out/stats.json"), "{\"count\": 3, \"mean\": 6.667}");
    assert_eq!(text(&evidence["backend"]), "ERA");
    assert_eq!(text(&evidence["tool"]), "python3");
    assert!(text(&evidence["tool_version"]).starts_with("Python 3"), "{evidence}");
    assert_eq!(text(&evidence["command"]), "python3 /in/stats.py /in/data.csv /out/stats.json");
    assert_eq!(text(&evidence["approvals"][0]["approved_by"]), "alice");
    assert_eq!(text(&evidence["sandbox"]["level"]), "full");
    assert_eq!(evidence["limits"]["time_ms"], 20_000);
    assert!(evidence["results"].is_null() && evidence["manifest_sha256"].is_null());
    let document = bundle.document();
    assert!(document.contains("Description: `As asked for, 0`"), "{document}");
    assert!(document.contains("Unexpected behavior: None observed."), "{document}");
}

#[test]
fn statistics_over_a_csv_are_computed_and_accepted_in_every_layout_of_the_request() {
    let site = site();
    let requests = [statistics("older"), statistics("newer").newer(), statistics("version-2").version_2()];
    for request in &requests {
        drop_in(&site, request);
    }
    site.up();
    for request in requests {
        let bundle = site.result(&request.id);
        is_answered_with_statistics(&bundle);
        site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
    }
}

#[test]
fn an_unprivileged_user_runs_the_same() {
    if is_root() {
        let site = site().of_nobody();
        let request = statistics("nobody");
        drop_in(&site, &request);
        let owned = std::process::Command::new("chown").args(["-R", "65534:65534"]).arg(&site.root).status().unwrap();
        assert!(owned.success());
        site.up();
        is_answered_with_statistics(&site.result(&request.id));
    }
}

#[test]
fn a_program_text_on_the_command_line_finds_its_inputs_and_nothing_of_the_site() {
    let site = site();
    let look = "import os; print(open('in/data.csv').readline().strip(), sorted(os.listdir('/in')), \
                os.path.exists('/tools'), os.getcwd())";
    let request = ThreeGate::command("look", &format!("python -c \"{look}\"")).input("data.csv", CSV);
    let bundle = answered(&site, &request);
    assert_eq!(bundle.read("artifacts/stdout.txt"), "station,temperature ['data.csv'] False /work\n");
    // The program that ran is the one that is there.
    assert_eq!(text(&bundle.evidence()["argv"][0]), "python3");
}

#[test]
fn a_command_that_fails_or_takes_too_long_is_told_like_every_tool() {
    let site = site();
    let fails = ThreeGate::command("fails", "python3 -c \"import sys; sys.exit('no such column')\"");
    let bundle = answered(&site, &fails);
    assert_eq!((bundle.code().as_str(), bundle.evidence()["exit_code"].as_i64()), ("TOOL_FAILED", Some(1)));
    assert_eq!(bundle.read("artifacts/stderr.txt"), "no such column\n");
    site.configure(&format!("{DECLARED}[limits]\ntime_seconds = 1\n"));
    let sleeps = ThreeGate::command("sleeps", "python3 -c \"import time; time.sleep(60)\"");
    assert_eq!(answered(&site, &sleeps).code(), "TIMEOUT");
}

#[test]
fn what_is_no_single_call_of_an_allowed_interpreter_is_refused_and_nothing_runs() {
    for (command, language, reasons) in [
        ("echo safe && rm -rf /", "python", &["command_forbidden"][..]),
        ("bash -c 'echo hello'", "python", &["command_forbidden"]),
        ("python3 -m pip install requests", "python", &["command_forbidden"]),
        ("python3 /etc/passwd", "python", &["command_forbidden"]),
        ("python3 -m runpy pip install requests", "python", &["command_forbidden"]),
        ("python3 x.py '--config={/etc/passwd}'", "python", &["command_forbidden"]),
        ("rm -rf x", "python", &["interpreter_unavailable"]),
        ("/in/python3 x.py", "", &["interpreter_unavailable"]),
        ("node x.js", "python", &["interpreter_unavailable"]),
        ("python3 x.py", "ruby", &["interpreter_unavailable"]),
        ("ruby x.rb", "ruby", &["interpreter_unavailable"]),
    ] {
        let site = Site::with_config(&format!("{DECLARED}[era.interpreters]\nruby = []\n"));
        let request = ThreeGate::command("refused", command).language(language);
        let request = if language.is_empty() { request.version_2() } else { request };
        let bundle = answered(&site, &request);
        assert_eq!(bundle.reasons(), reasons, "{command}");
        assert_eq!(bundle.evidence()["argv"].as_array().unwrap().len(), 0, "{command}");
        assert!(bundle.document().contains(" was refused and did not run."), "{command}");
    }
}

#[test]
fn all_that_is_wrong_with_a_good_document_is_said_at_once() {
    let site = site();
    let network = "network: allowlist\nnetwork_allowlist: [\"example.org:443\"]\nsession_id: S-1\n";
    let request = ThreeGate::command("wrong", "perl x.pl").version_2().network(network).unapproved();
    let reasons = answered(&site, &request).reasons();
    assert_eq!(reasons, ["key_unknown", "interpreter_unavailable", "network_unavailable", "approval_missing"]);
}

#[test]
fn what_was_expected_is_compared_with_what_was_left() {
    let site = site();
    let writes = "for name in ['a', 'b', 'c (x)']: open('/out/' + name, 'w').write(name)";
    let request = ThreeGate::command("expects", &format!("python3 -c \"{writes}\""));
    let request = request.expects("a").expects("out/b").expects("/out/b").expects("table.csv");
    let bundle = answered(&site, &request);
    assert_eq!(bundle.code(), "");
    let evidence = bundle.evidence();
    let anomalies: Vec<String> = evidence["anomalies"].as_array().unwrap().iter().map(text).collect();
    assert_eq!(
        anomalies,
        ["The expected output \"/out/table.csv\" is missing.", "The output \"/out/c%20%28x%29\" was not expected."]
    );
    assert!(bundle.document().contains("Unexpected behavior: 2 noted."), "{}", bundle.document());
    // Two descriptions of one file are not two files, and the last one holds, for the gate as well.
    assert!(bundle.document().contains("Description: `As asked for, 2`"), "{}", bundle.document());
}

#[test]
fn a_command_needs_an_approval_that_the_site_believes() {
    for (mode, request) in [("declared", statistics("undeclared").unapproved()), ("signature", statistics("unsigned"))]
    {
        let site = Site::with_config(&DECLARED.replace("declared", mode));
        assert_eq!(answered(&site, &request).reasons(), ["approval_missing"], "{mode}");
    }
}

#[test]
fn a_command_runs_in_the_full_sandbox_or_not_at_all() {
    let site = site().without_walls();
    assert_eq!(answered(&site, &statistics("unheld")).reasons(), ["sandbox_unavailable"]);
}

/// Holds nothing, but is told everything as a launcher is, and runs the command.
const LAUNCHER: &str = "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'pretend 1.2'; echo more; exit; }\n\
    for word; do printf '%s\\n' \"$word\"; done > \"${0%/*}/told\"\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n";

/// A site whose commands are held by the launcher `pretend` in its folder, which the gate trusts.
fn site_with_launcher(script: &str, limits: &str) -> Site {
    let site = site();
    let path = site.path("pretend");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let words = "\"--in={in}\", \"{out}\", \"{cpus} {memory_mb} {time_seconds} {network}\"";
    site.configure(&format!("{DECLARED}{limits}[era]\nlauncher = [\"{}\", {words}]\n", path.display()));
    let launchers = format!("[sandbox]\nlaunchers = [\"{}\"]\n{BY_FORM}", Digest::of(script.as_bytes()));
    fs::write(site.path("gate.toml"), format!("{launchers}[approval]\nmode = \"declared\"\n")).unwrap();
    site
}

fn relative_statistics(slug: &str) -> ThreeGate {
    let mut request = statistics(slug);
    "python3 in/stats.py in/data.csv out/stats.json".clone_into(&mut request.command);
    request
}

#[test]
fn a_launcher_holds_the_command_in_the_place_of_the_sandbox_and_is_named() {
    let site = site_with_launcher(LAUNCHER, "");
    let request = relative_statistics("launched");
    let bundle = answered(&site, &request);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    assert_eq!(bundle.read("artifacts/out/stats.json"), "{\"count\": 3, \"mean\": 6.667}");
    let evidence = bundle.evidence();
    assert_eq!(text(&evidence["command"]), "python3 in/stats.py in/data.csv out/stats.json");
    assert!(text(&evidence["tool_version"]).starts_with("Python 3"), "{evidence}");
    assert_eq!(evidence["limits"]["memory_bytes"], 512 << 20);
    let sandbox = &evidence["sandbox"];
    assert_eq!(text(&sandbox["level"]), "external");
    assert_eq!(text(&sandbox["launcher"]["version"]), "pretend 1.2");
    assert_eq!(text(&sandbox["launcher"]["sha256"]), Digest::of(LAUNCHER.as_bytes()).to_string());
    let told = fs::read_to_string(site.path("told")).unwrap();
    let told: Vec<&str> = told.lines().collect();
    let work = site.path("var/exec/running").join(&request.id).join("work");
    assert_eq!(told[0], format!("--in={}", work.join("in").display()));
    assert_eq!(told[1], work.join("out").display().to_string());
    assert_eq!(told[2..], ["1 512 20 none", "--", "python3", "in/stats.py", "in/data.csv", "out/stats.json"]);
}

#[test]
fn the_end_of_a_launched_command_is_that_of_the_command() {
    let site = site_with_launcher(LAUNCHER, "[limits]\ntime_seconds = 2\n");
    let fails = ThreeGate::command("fails", "python3 -c \"import sys; sys.exit(7)\"");
    let bundle = answered(&site, &fails);
    assert_eq!((bundle.code().as_str(), bundle.evidence()["exit_code"].as_i64()), ("TOOL_FAILED", Some(7)));
    // Whatever a launcher leaves running is killed with it.
    let lingers = "import subprocess, time; subprocess.Popen(['sleep', '60'], start_new_session=True); time.sleep(60)";
    let bundle = answered(&site, &ThreeGate::command("lingers", &format!("python3 -c \"{lingers}\"")));
    assert_eq!(bundle.code(), "TIMEOUT");
    assert_eq!(text(&bundle.evidence()["sandbox"]["level"]), "external");
}

#[test]
fn what_a_launcher_cannot_give_is_refused_or_told() {
    let site = site_with_launcher(LAUNCHER, "");
    let network = "network: allowlist\nnetwork_allowlist: [\"example.org:443\"]\n";
    let bundle = answered(&site, &statistics("network").network(network));
    assert_eq!(bundle.reasons(), ["network_unavailable", "sandbox_unavailable"]);
    // What is in the launcher is not known out here, but only what the site lists is tried.
    let bundle = answered(&site, &ThreeGate::command("unlisted", "perl x.pl"));
    assert_eq!(bundle.reasons(), ["interpreter_unavailable"]);
    fs::remove_file(site.path("pretend")).unwrap();
    assert_eq!(answered(&site, &statistics("gone")).reasons(), ["sandbox_unavailable"]);
}

#[test]
fn the_answer_of_an_interrupted_command_names_the_launcher_that_held_it() {
    let site = site_with_launcher(LAUNCHER, "");
    let request =
        ThreeGate::command("killed", "python3 -c \"import time; print('begun', flush=True); time.sleep(60)\"");
    drop_in(&site, &request);
    let bundle = site.interrupted(&request.id, "stdout");
    let launcher = &bundle.evidence()["sandbox"]["launcher"];
    assert_eq!(text(&launcher["sha256"]), Digest::of(LAUNCHER.as_bytes()).to_string());
}
