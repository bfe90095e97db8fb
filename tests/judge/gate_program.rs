//! The program `gatepost-gate`: its lines, its exit status, what it is made of, and how it serves a site.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use gatepost_documents::digest::Digest;
use gatepost_documents::verdict::{Decision, Verdict};

use crate::bundle_folder::BundleFolder;
use crate::site::{Request, Site, install, program, until};

const PROGRAM: &str = "gatepost-gate";

fn run(arguments: &[&str]) -> Output {
    Command::new(program(PROGRAM)).args(arguments).output().unwrap()
}

fn verdicts(output: &Output) -> Vec<Decision> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str::<Verdict>(line).unwrap().verdict).collect()
}

#[test]
fn each_bundle_has_its_line_and_the_worst_is_the_exit_status() {
    let (sound, broken) = (BundleFolder::of("success"), BundleFolder::of("refusal"));
    std::fs::remove_file(broken.path().join("SHA256SUMS")).unwrap();
    let (sound, broken) = (sound.path(), broken.path());
    let (sound, broken) = (sound.to_str().unwrap(), broken.to_str().unwrap());
    for (bundles, expected, status) in [
        (vec![sound], vec![Decision::Accept], 0),
        (vec![broken, sound], vec![Decision::Reject, Decision::Accept], 79),
        (vec![broken, "/nowhere/TS-x", sound], vec![Decision::Reject, Decision::Accept], 1),
    ] {
        let output = run(&[&["judge"], bundles.as_slice()].concat());
        assert_eq!((verdicts(&output), output.status.code()), (expected, Some(status)), "{bundles:?}");
    }
}

#[test]
fn a_judge_without_a_site_confines_itself_to_the_bundles_it_was_given_and_says_so() {
    let folder = BundleFolder::of("success");
    let output = run(&["judge", folder.path().to_str().unwrap()]);
    let verdict: Verdict = serde_json::from_slice(&output.stdout).unwrap();
    let held = verdict.confinement.unwrap();
    assert!(held.landlock_abi.is_some() && held.seccomp && held.no_new_privs && held.limits.is_some(), "{held:?}");
}

#[test]
fn a_bundle_is_found_from_within_itself() {
    let folder = BundleFolder::of("success");
    let mut command = Command::new(program(PROGRAM));
    let output = command.args(["judge", "."]).current_dir(folder.path()).output().unwrap();
    assert_eq!(verdicts(&output), [Decision::Accept]);
}

#[test]
fn arguments_that_make_no_sense_are_refused_before_anything_is_read() {
    for arguments in [&[][..], &["judge"], &["jugde", "x"], &["watch", "--onec"]] {
        let output = run(arguments);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("usage: "), "{arguments:?}");
    }
    for (arguments, part) in [(["--help"], "gatepost-gate check"), (["--version"], "(rules ")] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(String::from_utf8(output.stdout).unwrap().contains(part), "{arguments:?}");
    }
}

#[test]
fn any_file_is_held_against_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).to_str().unwrap().to_owned()
    };
    let (plain, order) = (at("plain.txt", "one line\n"), at("TS-x.md", "no front matter\n"));
    let output = run(&["check", &plain, &order]);
    let lines: Vec<serde_json::Value> =
        std::str::from_utf8(&output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(output.status.code(), Some(79), "{lines:?}");
    assert_eq!((&lines[0]["ok"], &lines[0]["kind"]), (&true.into(), &"text".into()));
    assert_eq!((&lines[1]["ok"], &lines[1]["reasons"][0]["code"]), (&false.into(), &"front_matter_missing".into()));
}

/// The crates that a package is built from.
pub(crate) fn crates(package: &str) -> BTreeSet<String> {
    let arguments =
        ["tree", "--offline", "--locked", "-p", package, "-e", "normal", "--prefix", "none", "--format", "{p}"];
    let output = Command::new(env!("CARGO")).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// Whether a program holds code of a crate: its name in a symbol, or the place in its source where it may panic.
pub(crate) fn holds(program: &[u8], name: &str) -> bool {
    let in_symbol = format!("{}{}", name.len(), name.replace('-', "_"));
    let in_path = format!("/{name}-");
    let symbol = |at: usize| {
        at > 0
            && !program[at - 1].is_ascii_digit()
            && (program[..at].ends_with(b"_ZN") || program[..at].ends_with(b"_"))
    };
    // A symbol's path begins with its crate, in the old way of writing one or in the new.
    let path = |at: usize| program.get(at + in_path.len()).is_some_and(u8::is_ascii_digit);
    memchr::memmem::find_iter(program, &in_symbol).any(symbol) || memchr::memmem::find_iter(program, &in_path).any(path)
}

#[test]
fn nothing_is_linked_but_the_gate_and_what_it_is_built_from() {
    let linked = fs::read(program(PROGRAM)).unwrap();
    assert!(holds(&linked, "jsonschema") && holds(&linked, "pulldown-cmark"));
    assert!(holds(&fs::read(crate::site::GATEPOST).unwrap(), "clap_builder"));
    let strange: Vec<_> = crates("gatepost").difference(&crates("gatepost-gate")).cloned().collect();
    assert!(strange.len() > 50, "{strange:?}");
    // What a build of the workspace leaves in of features that `gatepost` switches on; built alone, the gate does not link them.
    let unused = ["bstr", "dyn-clone", "iana-time-zone", "schemars"];
    let strange = strange.iter().filter(|name| !unused.contains(&name.as_str()));
    let found: Vec<_> = strange.filter(|name| holds(&linked, name)).collect();
    assert!(found.is_empty(), "{found:?}");
}

/// The gate of a site, as a process that is killed in the end.
pub(crate) struct Watching(Child);

impl Watching {
    pub(crate) fn start(site: &Site) -> Self {
        let mut command = Command::new(program(PROGRAM));
        command.args(["watch", "--scan-interval-ms", "50", "--site"]).arg(&site.root);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn verdict(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn each_verdict_names_the_program_that_judged_and_its_digest() {
    let site = Site::steady();
    let request = Request::folder("named");
    site.copy_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    let output = run(&["watch", "--once", "--site", site.root.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let judge = verdict(&site.result(&request.id).0.join("verdict.json"))["program"].clone();
    assert_eq!(judge["name"], PROGRAM);
    assert_eq!(judge["sha256"], Digest::of(&fs::read(program(PROGRAM)).unwrap()).to_string());
}

#[test]
fn a_small_bundle_does_not_wait_for_a_large_one() {
    let site = Site::new();
    let publish = |name: &str, bytes: u64| {
        let folder = BundleFolder::of("success");
        fs::File::create(folder.path().join("artifacts/out/more")).unwrap().set_len(bytes).unwrap();
        let staged = site.path("outbox/.tmp").join(name);
        let copied =
            Command::new("cp").args(["-a", "--sparse=always"]).args([&folder.path(), &staged]).status().unwrap();
        assert!(copied.success());
        fs::rename(staged, site.path("outbox").join(name)).unwrap();
    };
    let _gate = Watching::start(&site);
    let (large, small) =
        ("TS-20260209-161030Z-TR-20260209-160501Z-large", "TS-20260209-161030Z-TR-20260209-160501Z-small");
    publish(large, 3 << 30);
    until("the copy of the large one", || site.path("var/gate/judging").join(large).join("bundle/artifacts").exists());
    publish(small, 1);
    until("the verdict on the small one", || site.names("quarantine") == [small]);
    assert!(site.path("outbox").join(large).exists(), "the large one is still under way");
}

#[test]
fn a_gate_toml_that_is_edited_counts_for_the_next_bundle_and_the_verdict_names_it() {
    let site = Site::steady();
    let _gate = Watching::start(&site);
    let file = site.path("gate.toml");
    for slug in ["first", "second"] {
        let request = Request::folder(slug);
        site.copy_in(&request);
        site.gatepost(&["exec", "--once"]).succeeds();
        until("the verdict", || !site.results(&request.id).is_empty());
        let demands = fs::read(&file).unwrap();
        let judged = verdict(&site.result(&request.id).0.join("verdict.json"));
        assert_eq!(judged["gate_toml_sha256"], Digest::of(&demands).to_string());
        fs::write(&file, [&demands[..], b"# edited\n"].concat()).unwrap();
    }
}

#[test]
fn up_starts_the_gate_beside_it() {
    let site = Site::steady();
    let request = Request::folder("judged");
    site.copy_in(&request);
    site.gatepost(&["up", "--once"]).succeeds();
    assert_eq!(verdict(&site.result(&request.id).0.join("verdict.json"))["program"]["name"], PROGRAM);
}

#[test]
fn nothing_starts_where_the_gate_is_missing_or_of_another_version() {
    for is_there in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let gatepost = install(folder.path(), &["gatepost-exec"]);
        let gate = folder.path().join(PROGRAM);
        if is_there {
            fs::write(&gate, "#!/bin/sh\necho gatepost-gate 9.9.9 '(rules 1)'\n").unwrap();
            fs::set_permissions(&gate, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let site = Site::steady();
        let secret = site.reject_a_secret();
        site.copy_in(&Request::folder("waiting"));
        let release = ["quarantine", "release", "--override", "secret", "--reason", "a test", &secret];
        for words in [&["up", "--once"][..], &["demo"], &release] {
            let mut command = Command::new(&gatepost);
            command.arg("--site").arg(&site.root).args(words).arg("--output=json");
            let output = command.output().unwrap();
            let error = serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["error"].clone();
            assert_eq!((output.status.code(), &error["code"]), (Some(4), &"PROGRAM_MISSING".into()), "{error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(gate.to_str().unwrap()), "{message}");
            assert_eq!(message.contains("9.9.9"), is_there, "{message}");
        }
        assert_eq!((site.names("inbox").len(), site.names("quarantine").len()), (1, 1));
        assert_eq!(site.names("var/gate/orders"), [""; 0]);
    }
}

#[test]
fn a_gate_waits_for_the_word_of_tool_exec_instead_of_refusing_what_it_cannot_know() {
    let site = Site::steady();
    site.copy_in(&Request::folder("early"));
    site.gatepost(&["exec", "--once"]).succeeds();
    // As a site that was made before there was an exchange.
    fs::remove_dir_all(site.path("var/exchange")).unwrap();
    let watch_once = || run(&["watch", "--once", "--site", site.root.to_str().unwrap()]).status.code();
    assert_eq!((watch_once(), site.names("outbox").len()), (Some(82), 1));
    site.gatepost(&["exec", "--once"]).succeeds();
    assert_eq!((watch_once(), site.names("core/inbound").len()), (Some(0), 1));
}

#[test]
fn a_tool_exec_that_cannot_read_what_is_the_gates_own_recovers() {
    let site = Site::steady();
    let request = Request::folder("answered");
    site.copy_in(&request);
    site.up();
    // Cut after the result was published and judged, and taken by its requester.
    fs::rename(site.path("var/exec/done").join(&request.id), site.path("var/exec/running").join(&request.id)).unwrap();
    fs::remove_dir_all(site.result(&request.id).0).unwrap();
    fs::write(site.path("var/gate/audit/verdicts.jsonl"), "no ledger\n").unwrap();
    fs::write(site.path("var/gate/log/journal"), "no journal\n").unwrap();
    site.gatepost(&["exec", "--once"]).succeeds();
    assert_eq!((site.names("outbox"), site.names("var/exec/done")), (vec![], vec![request.id.clone()]));
}
