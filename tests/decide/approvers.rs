//! How approvers hear of requests that wait, and how they review them.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

use crate::office::Office;
use crate::site::{text, until};

/// Answers the questions of `gatepost approve` on a terminal; what it printed there, and what it printed on standard output. Before each
/// answer something is typed that comes too early.
fn review(office: &Office, answers: &[&str]) -> (String, Value) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut master = File::from(master);
    master.write_all(b"y\ny\ny\n").unwrap();
    let key = office.key("alice");
    let mut command = office.site.command(&[], &["--output", "json", "approve", "--key", key.to_str().unwrap()]);
    command.stdin(terminal.try_clone().unwrap()).stderr(terminal);
    let running = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(command);
    let (mut shown, mut answers, mut bytes) = (String::new(), answers.iter(), [0; 4096]);
    // Reading ends with an error when the terminal is closed.
    while let Ok(count) = master.read(&mut bytes) {
        shown += &String::from_utf8_lossy(&bytes[..count]);
        if shown.ends_with("]uit: ") || shown.ends_with("reads it): ") {
            let answer = answers.next().copied().unwrap_or("q");
            master.write_all(format!("{answer}\n").as_bytes()).unwrap();
        }
    }
    let run = running.wait_with_output().unwrap();
    (shown, serde_json::from_slice(&run.stdout).unwrap())
}

#[test]
fn a_review_shows_each_request_that_waits_and_does_what_is_typed() {
    let office = Office::new("");
    let [first, second, third] = ["first", "second", "third"].map(Office::risky);
    let up = office.up();
    for request in [&first, &second, &third] {
        office.site.rename_in(request);
    }
    until("all to wait", || office.site.names("var/exec/pending").len() == 3);
    let (shown, outcome) = review(&office, &["what", "y", "n", "", "Too much", "s"]);
    assert!(outcome["ok"] == true, "{outcome}");
    let ids = |member: &str| outcome["data"][member].clone();
    assert_eq!(ids("results")[0]["request_id"], first.id.as_str());
    assert_eq!(ids("results").as_array().unwrap().len(), 1);
    assert_eq!(ids("denied"), serde_json::json!([second.id]));
    for (number, request) in [(1, &first), (2, &second), (3, &third)] {
        assert!(shown.contains(&format!("Request {number} of 3")) && shown.contains(&request.id), "{shown}");
    }
    assert_eq!(shown.matches("[y]es, [n]o (deny)").count(), 4, "what was typed too early answered: {shown}");
    office.accepted(&first);
    office.accepted(&second);
    let shown_first = ids("results")[0]["review_sha256"].clone();
    assert_eq!(office.site.result(&first.id).evidence()["review_sha256"], shown_first);
    assert!(office.site.result(&second.id).evidence()["review_sha256"].is_null(), "it was not approved");
    assert_eq!(office.site.result(&first.id).reasons(), [""; 0]);
    assert_eq!(office.site.result(&second.id).reasons(), ["request_denied"]);
    assert_eq!(office.site.names("var/exec/pending"), [third.id.as_str()]);
    drop(up);
}

#[test]
fn without_a_terminal_nothing_is_reviewed_and_an_abbreviation_approves_nothing() {
    let office = Office::new("");
    let request = Office::risky("unseen");
    let _up = office.up();
    office.pending(&request);
    let key = office.key("alice");
    let approve = |arguments: &[&str]| {
        let refused =
            office.site.gatepost(&[&["-o", "json", "approve", "--key", key.to_str().unwrap()], arguments].concat());
        text(&refused.ends(2)["error"]["message"])
    };
    assert!(approve(&[]).contains("not a terminal"));
    for abbreviation in ["last", "unseen", &request.id[..20]] {
        assert!(approve(&[abbreviation]).contains("is not a request or result id"), "{abbreviation}");
    }
}

/// A program that keeps what it reads, and looks at a file of the site.
const PROGRAM: &str = "#!/bin/sh\ncat >> \"$1/heard\"\nenv > \"$1/environment\"\ncat \"$2\" > /dev/null 2>&1 && : > \"$1/sees\"\n\
                       test ! -e \"$1/fails\" || { echo 'no route' >&2; exit 3; }\n";

#[test]
fn the_operators_program_hears_once_of_each_request_that_waits_and_sees_nothing_of_the_site() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("tell");
    let mut file = File::create(&program).unwrap();
    file.write_all(PROGRAM.as_bytes()).unwrap();
    file.set_permissions(fs::Permissions::from_mode(0o755)).unwrap();
    drop(file);
    let office = Office::new("");
    let config = office.site.path("gatepost.toml");
    let secret = office.site.path("keys/approvers");
    let notify = format!("[approval]\nnotify = [{program:?}, {:?}, {secret:?}]\n", place.path());
    fs::write(&config, fs::read_to_string(&config).unwrap() + &notify).unwrap();
    let request = Office::risky("heard");
    let first = office.up();
    office.pending(&request);
    let heard = || fs::read_to_string(place.path().join("heard")).unwrap_or_default();
    until("the notice", || heard().ends_with('\n') && place.path().join("environment").exists());
    let notice: Value = serde_json::from_str(&heard()).unwrap();
    assert_eq!((text(&notice["event"]).as_str(), text(&notice["request_id"])), ("waiting", request.id.clone()));
    assert_eq!(text(&notice["tool"]), "risky");
    assert!(text(&notice["summary"]).starts_with(&format!("{} waits for approval until ", request.id)), "{notice}");
    assert!(text(&notice["waits_for"][0]).contains("may approve"), "{notice}");
    let environment = fs::read_to_string(place.path().join("environment")).unwrap();
    assert!(!environment.contains("HOME=") && !environment.contains("GATEPOST"), "{environment}");
    assert!(!place.path().join("sees").exists(), "it read the site");
    // It hears nothing again, not from the next process either.
    first.signal(rustix::process::Signal::TERM);
    first.ended();
    fs::write(place.path().join("fails"), "").unwrap();
    let second = office.up();
    let other = Office::risky("other");
    office.site.rename_in(&other);
    until("the second notice", || heard().lines().count() == 2);
    second.signal(rustix::process::Signal::TERM);
    let log = second.ended().stderr();
    assert!(heard().lines().nth(1).unwrap().contains(&other.id), "{}", heard());
    assert!(log.contains("no route") && log.contains("exit status: 3"), "{log}");
}

#[test]
fn a_program_that_hangs_holds_nobody_up() {
    let office = Office::new("");
    let config = office.site.path("gatepost.toml");
    let place = tempfile::tempdir().unwrap();
    let pid = place.path().join("pid");
    let script = format!("echo $$ > {}; exec sleep 3600", pid.display());
    let notify = format!("[approval]\nnotify = [\"/bin/sh\", \"-c\", {script:?}]\n");
    fs::write(&config, fs::read_to_string(&config).unwrap() + &notify).unwrap();
    let request = Office::risky("held-up");
    let up = office.up();
    office.pending(&request);
    let signature = office.signature("alice", "gatepost-approval", request.markdown().as_bytes());
    office.drop_signature(&format!("{}.md.sig", request.id), &signature);
    office.accepted(&request);
    let pid = fs::read_to_string(pid).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    let is_alive = || fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(is_alive(), "{pid}");
    up.signal(rustix::process::Signal::TERM);
    up.ended();
    // It does not outlive TOOL-EXEC.
    until("its end", || !is_alive());
}

#[test]
fn what_is_reviewed_hides_nothing_and_lies_with_the_request() {
    let office = Office::new("");
    let request = Office::risky("shown");
    let purpose = format!("purpose: \"{}end\"", "a".repeat(300));
    let document = request.markdown().replace("purpose: \"A test\"", &purpose);
    fs::write(office.site.path("inbox").join(request.name()), &document).unwrap();
    office.site.gatepost(&["exec", "--once"]).succeeds();
    let pending = office.site.shown(&request.id)["pending"].clone();
    let review = text(&pending["review"]);
    assert!(review.lines().all(|line| line.chars().count() <= 80), "{review}");
    assert_eq!(review.matches("aaaend").count(), 2, "as the purpose, and in the document: {review}");
    let file = office.site.path("var/exec/pending").join(&request.id).join("review.txt");
    assert_eq!(fs::read_to_string(file).unwrap(), review);
}
