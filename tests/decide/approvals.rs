//! Approvals and signed requests, as people make them with OpenSSH: what waits, what lets it run, and what proves nothing.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::office::{Office, TOOL};
use crate::site::{Request, Site, text, until};

fn codes(reasons: &Value) -> Vec<String> {
    reasons.as_array().unwrap().iter().map(|reason| text(&reason["code"])).collect()
}

#[test]
fn a_signature_made_by_hand_releases_a_request_that_waits_and_the_result_says_whose_it_was() {
    let office = Office::new("");
    let request = Office::risky("by-hand");
    let _up = office.up();
    office.pending(&request);
    let shown = office.site.shown(&request.id);
    assert_eq!(codes(&shown["pending"]["missing"]), ["approval_missing"]);
    assert!(text(&shown["pending"]["document"]).contains("tool: risky"));
    let signature = office.signature("alice", "gatepost-approval", request.markdown().as_bytes());
    office.drop_signature(&format!("{}.md.sig", request.id), &signature);
    office.accepted(&request);
    let bundle = office.site.result(&request.id);
    let evidence = bundle.evidence();
    assert_eq!(text(&evidence["approvals"][0]["approved_by"]), "alice");
    assert_eq!(text(&evidence["approvals"][0]["mode"]), "signature");
    let path = text(&evidence["approvals"][0]["proof"]["signature"]);
    assert_eq!(bundle.read(&path).into_bytes(), signature);
    assert!(bundle.document().contains("- Approval: `alice` at `"), "{}", bundle.document());
    assert!(bundle.document().contains("approved_by: \"alice\""));
    assert_eq!(evidence["dropped"]["uid"], rustix::process::getuid().as_raw());
    office.site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
}

#[test]
fn what_gatepost_approve_signs_with_an_agent_ssh_keygen_verifies() {
    let office = Office::new("");
    let request = Office::risky("agent");
    let _up = office.up();
    office.pending(&request);
    let socket = office.key("agent");
    let agent = Command::new("ssh-agent").args(["-D", "-a"]).arg(&socket).stdout(Stdio::null()).spawn().unwrap();
    let _agent = Stopped(agent);
    // Its socket is there before it listens.
    let mut add = Command::new("ssh-add");
    add.arg("-q").arg(office.key("bob")).env("SSH_AUTH_SOCK", &socket).stderr(Stdio::null());
    let add = std::cell::RefCell::new(add);
    until("the agent", || add.borrow_mut().status().unwrap().success());
    // The agent alone has the key.
    fs::remove_file(office.key("bob")).unwrap();
    let mut approve = office.site.command(&[], &["--output", "json", "approve", &request.id]);
    let run = approve.env("SSH_AUTH_SOCK", &socket).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    office.accepted(&request);
    let bundle = office.site.result(&request.id);
    let path = bundle.0.join(text(&bundle.evidence()["approvals"][0]["proof"]["signature"]));
    let mut verify = Command::new("ssh-keygen")
        .args(["-Y", "verify", "-I", "bob", "-n", "gatepost-approval", "-f"])
        .arg(office.site.path("keys/approvers"))
        .arg("-s")
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    verify.stdin.take().unwrap().write_all(bundle.read("request.md").as_bytes()).unwrap();
    assert!(verify.wait().unwrap().success());
}

/// A process that ends with the test.
struct Stopped(std::process::Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_signature_that_proves_nothing_goes_to_quarantine_and_the_request_goes_on_waiting() {
    let office = Office::new("");
    let (request, other) = (Office::risky("waits"), Office::risky("other"));
    let _up = office.up();
    office.pending(&request);
    let bytes = request.markdown().into_bytes();
    let changed = [bytes.as_slice(), b" "].concat();
    for (name, signature, code) in [
        ("changed", office.signature("alice", "gatepost-approval", &changed), "approval_invalid"),
        ("stranger", office.signature("mallory", "gatepost-approval", &bytes), "approver_unknown"),
        ("replayed", office.signature("alice", "gatepost-approval", other.markdown().as_bytes()), "approval_invalid"),
        ("elsewhere", office.signature("alice", "file", &bytes), "approval_invalid"),
        ("nothing", b"alice approves\n".to_vec(), "approval_invalid"),
    ] {
        let file = format!("{}.md.{name}.sig", request.id);
        office.drop_signature(&file, &signature);
        assert_eq!(office.quarantined(&file), [code], "{name}");
        let shown = office.site.gatepost(&["--output", "json", "quarantine", "show", &file]).succeeds();
        let item = &shown["data"]["results"][0];
        assert_eq!(item["request_id"], request.id.as_str());
        assert!(text(&item["next"]["advice"]).contains("signature") && item["next"]["command"].is_null(), "{item}");
    }
    assert_eq!(
        office.site.gatepost(&["list", "-o", "id"]).stdout(),
        format!("{}\n", request.id),
        "a signature is no request"
    );
    assert_eq!(office.site.names("var/exec/pending"), vec![request.id.clone()]);
    let line = format!("alice valid-before=\"20200101Z\" {}", fs::read_to_string(office.key("alice.pub")).unwrap());
    fs::write(office.site.path("keys/approvers"), line).unwrap();
    let file = format!("{}.md.late.sig", request.id);
    office.drop_signature(&file, &office.signature("alice", "gatepost-approval", &bytes));
    assert_eq!(office.quarantined(&file), ["approval_expired"]);
    office.list("approvers", &["alice"]);
    office.drop_signature(&format!("{}.md.sig", request.id), &office.signature("alice", "gatepost-approval", &bytes));
    office.accepted(&request);
}

#[test]
fn a_request_whose_own_signature_is_over_other_bytes_is_refused() {
    let office = Office::new("");
    for (slug, with, reasons) in [("whole", &b""[..], &[][..]), ("changed", b"\n", &["approval_invalid"])] {
        let request = Office::risky(slug).input("x", b"x");
        let folder = office.site.path("outside");
        fs::create_dir_all(&folder).unwrap();
        let name = request.write(&folder);
        fs::create_dir(folder.join(&name).join("approvals")).unwrap();
        let bytes = [request.markdown().as_bytes(), with].concat();
        let signature = office.signature("alice", "gatepost-approval", &bytes);
        fs::write(folder.join(&name).join("approvals/alice.sig"), signature).unwrap();
        fs::rename(folder.join(&name), office.site.path("inbox").join(&name)).unwrap();
        office.site.up();
        assert_eq!(office.site.result(&request.id).reasons(), reasons, "{slug}");
    }
}

#[test]
fn two_people_are_two_people_whatever_the_number_of_their_keys() {
    let office = Office::new("");
    office.site.tool("twice", "approvers = 2", TOOL);
    let of = |name: &str| fs::read_to_string(office.key(name).with_extension("pub")).unwrap();
    let list = format!("alice {}alice {}bob {}", of("alice"), of("mallory"), of("bob"));
    fs::write(office.site.path("keys/approvers"), list).unwrap();
    let request = Request::call("two", "twice");
    let _up = office.up();
    office.pending(&request);
    for key in ["alice", "mallory"] {
        let key = office.key(key);
        let _ = fs::remove_file(office.site.path("inbox").join(format!("{}.md.alice.sig", request.id)));
        office.site.gatepost(&["approve", "--key", key.to_str().unwrap(), &request.id]).succeeds();
        until("the signature to be taken", || {
            let folder = office.site.path("var/exec/pending").join(&request.id);
            office.site.path("inbox").read_dir().unwrap().count() == 2 && folder.join("approvals").is_dir()
        });
    }
    // Between two decisions it does not wait, for a moment.
    until("what it waits for", || {
        let shown = office.site.shown(&request.id);
        let missing = &shown["pending"]["missing"][0]["message"];
        missing == "This needs 2 approvals by different people, and alice approved it; bob may approve it."
    });
    office.site.gatepost(&["approve", "--key", office.key("bob").to_str().unwrap(), &request.id]).succeeds();
    office.accepted(&request);
    let approvals = office.site.result(&request.id).evidence()["approvals"].clone();
    let people: Vec<String> = approvals.as_array().unwrap().iter().map(|one| text(&one["approved_by"])).collect();
    assert_eq!(people, ["alice", "bob"]);
}

#[test]
fn a_request_that_is_denied_or_cancelled_or_not_approved_in_time_is_refused_and_runs_never() {
    let office = Office::new("");
    let soon = chrono::Utc::now() + chrono::TimeDelta::seconds(4);
    let expires = format!("expires_utc: \"{}\"", soon.format("%Y-%m-%dT%H:%M:%SZ"));
    let [denied, cancelled] = ["denied", "cancelled"].map(Office::risky);
    let late = Office::risky("late").line(&expires);
    let _up = office.up();
    for request in [&denied, &cancelled, &late] {
        office.site.rename_in(request);
    }
    until("all to wait", || office.site.names("var/exec/pending").len() == 3);
    office.site.gatepost(&["deny", &denied.id, "--reason", "Too much"]).succeeds();
    office.site.gatepost(&["cancel", &cancelled.id]).succeeds();
    for (request, codes, words) in [
        (&denied, &["request_denied"][..], "Too much"),
        (&cancelled, &["request_cancelled"], "cancelled the request"),
        (&late, &["request_expired"], "expire"),
    ] {
        office.accepted(request);
        let bundle = office.site.result(&request.id);
        assert_eq!(
            (bundle.code(), bundle.reasons().as_slice()),
            ("REQUEST_REFUSED".to_owned(), &codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>()[..])
        );
        assert!(bundle.document().contains(words), "{}", bundle.document());
        office.site.gatepost(&["approve", "--key", office.key("alice").to_str().unwrap(), &request.id]).ends(6);
    }
    for request in [&denied, &cancelled] {
        let again = office.site.gatepost(&["deny", &request.id, "--reason", "Too much"]).succeeds();
        assert_eq!(again["data"]["results"][0]["effect"], "noop", "{again}");
    }
    office.site.gatepost(&["deny", &late.id, "--reason", "x"]).ends(6);
    office.site.gatepost(&["deny", "TR-20200101-000000Z-never", "--reason", "x"]).ends(5);
}

#[test]
fn a_signed_request_proves_who_asks_and_where_that_is_demanded_nothing_else_counts() {
    let office = Office::new("signatures = \"required\"\n");
    fs::write(office.site.path("gate.toml"), "[inbox]\nsignatures = \"required\"\n").unwrap();
    let signed = Request::file("signed");
    let _up = office.up();
    office.drop_signature(
        &format!("{}.md.sig", signed.id),
        &office.signature("human", "gatepost-request", signed.markdown().as_bytes()),
    );
    office.site.rename_in(&signed);
    office.accepted(&signed);
    let evidence = office.site.result(&signed.id).evidence();
    assert_eq!(text(&evidence["requested_by"]), "human");
    assert!(text(&evidence["requester_proof"]["key"]).starts_with("SHA256:"));
    let unsigned = Request::file("unsigned");
    office.pending(&unsigned);
    let shown = office.site.shown(&unsigned.id);
    assert_eq!(codes(&shown["pending"]["missing"]), ["signature_missing"]);
    // Somebody else's signature proves that somebody else asks.
    office.list("requesters", &["human", "mallory"]);
    let forged = office.signature("mallory", "gatepost-request", unsigned.markdown().as_bytes());
    let file = format!("{}.md.mallory.sig", unsigned.id);
    office.drop_signature(&file, &forged);
    assert_eq!(office.quarantined(&file), ["signature_invalid"]);
    let own = office.signature("human", "gatepost-request", unsigned.markdown().as_bytes());
    office.drop_signature(&format!("{}.md.sig", unsigned.id), &own);
    office.accepted(&unsigned);
    assert_eq!(office.site.result(&unsigned.id).reasons(), [""; 0]);
}

#[test]
fn a_request_waits_across_restarts_and_a_list_that_others_may_write_to_approves_nothing() {
    let office = Office::new("");
    let request = Office::risky("restart");
    let first = office.up();
    office.pending(&request);
    first.signal(rustix::process::Signal::TERM);
    first.ended();
    let list = office.site.path("keys/approvers");
    let mode = |mode| fs::set_permissions(&list, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o666);
    let refused = office.site.gatepost(&["--output", "json", "exec", "--once"]).ends(4);
    let error = |member| text(&refused["error"][member]);
    assert_eq!(error("message"), "keys/approvers: Other users can write to it (mode 0666).");
    assert!(error("hint").contains("chmod go-w keys/approvers"), "{refused}");
    mode(0o644);
    let signature = office.signature("alice", "gatepost-approval", request.markdown().as_bytes());
    office.drop_signature(&format!("{}.md.sig", request.id), &signature);
    office.site.up();
    assert_eq!(office.site.result(&request.id).reasons(), [""; 0]);
    // The same bytes are never approved for a second run.
    office.site.rename_in(&request);
    office.site.up();
    assert_eq!(office.site.results(&request.id).len(), 1);
}

#[test]
fn the_doctor_says_who_may_approve() {
    let finding = |site: &Site| {
        let report = site.gatepost(&["--output", "json", "doctor"]).0.stdout;
        let report: Value = serde_json::from_slice(&report).unwrap();
        let findings = report["data"]["findings"].as_array().unwrap().clone();
        let one = findings.into_iter().find(|finding| finding["check"] == "site.approval").unwrap();
        (text(&one["status"]), text(&one["found"]))
    };
    let office = Office::new("");
    assert_eq!(finding(&office.site), ("ok".to_owned(), "signature; 2 approvers listed".to_owned()));
    fs::write(office.site.path("keys/approvers"), "").unwrap();
    assert_eq!(finding(&office.site).1, "signature; nobody listed");
    let declared = Site::with_config("[approval]\nmode = \"declared\"\n");
    assert_eq!(finding(&declared), ("warning".to_owned(), "declared; 0 approvers listed".to_owned()));
    fs::remove_file(declared.path("gate.toml")).unwrap();
    assert_eq!(finding(&declared).0, "failure");
}
