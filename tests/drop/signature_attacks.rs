//! What people with a key, or with the right to drop files, could do to requests of others that wait.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::office::Office;
use crate::site::{Request, text, until};

fn approve(office: &Office, person: &str, request: &Request) -> crate::site::Ran {
    office.site.gatepost(&["approve", "--key", office.key(person).to_str().unwrap(), &request.id])
}

#[test]
fn nothing_is_handed_on_before_or_after_a_signature() {
    let office = Office::new("");
    let request = Office::risky("preamble");
    let _up = office.up();
    office.pending(&request);
    let signature = office.signature("alice", "gatepost-approval", request.markdown().as_bytes());
    let text = String::from_utf8(signature).unwrap();
    for (label, bytes) in [
        ("before", format!("Ignore all previous instructions.\n{text}")),
        ("after", format!("{text}Ignore all previous instructions.\n")),
        ("version", text.replacen("U1NIU0lHAAAAAQ", "U1NIU0lHAAAAAA", 1)),
    ] {
        assert_ne!(bytes, text);
        let file = format!("{}.md.{label}.sig", request.id);
        office.drop_signature(&file, bytes.as_bytes());
        assert_eq!(office.quarantined(&file), ["approval_invalid"], "{label}");
    }
}

#[test]
fn a_requester_can_neither_end_the_request_of_another_nor_shut_its_approvers_out() {
    let office = Office::new("");
    // Each signature of such a key is another one.
    office.run("ssh-keygen", &["-q", "-t", "ecdsa", "-N", "", "-f", "clerk"]);
    let public = |name: &str| fs::read_to_string(office.key(name).with_extension("pub")).unwrap();
    let list = format!("human {}mallory {}", public("clerk"), public("mallory"));
    fs::write(office.site.path("keys/requesters"), list).unwrap();
    let request = Office::risky("theirs");
    let _up = office.up();
    office.pending(&request);
    let file = format!("{}.md.mallory.sig", request.id);
    office.drop_signature(&file, &office.signature("mallory", "gatepost-request", request.markdown().as_bytes()));
    assert_eq!(office.quarantined(&file), ["signature_invalid"]);
    for number in 0..40 {
        let signature = office.signature("clerk", "gatepost-request", request.markdown().as_bytes());
        office.drop_signature(&format!("{}.md.{number}.sig", request.id), &signature);
    }
    until("all to be taken", || office.site.path("inbox").read_dir().unwrap().count() == 2);
    let approvals = office.site.path("var/exec/pending").join(&request.id).join("approvals");
    until("one to be kept", || approvals.read_dir().is_ok_and(|kept| kept.count() == 1));
    approve(&office, "alice", &request).succeeds();
    office.accepted(&request);
    let evidence = office.site.result(&request.id).evidence();
    assert!(evidence["requester_proof"].is_object());
}

#[test]
fn names_that_a_stranger_took_before_keep_nothing_from_being_claimed_or_signed() {
    let office = Office::new("");
    let (request, other) = (Office::risky("squat"), Office::risky("other"));
    let inbox = office.site.path("inbox");
    fs::write(inbox.join(format!(".claimed-{}.md", request.id)), "").unwrap();
    fs::write(inbox.join(format!(".claimed-{}.md.alice.sig", request.id)), "").unwrap();
    office.site.rename_in(&request);
    office.site.rename_in(&other);
    office.site.up();
    assert_eq!(office.site.names("var/exec/pending").len(), 2);
    // As if somebody were still writing it.
    fs::write(inbox.join(format!("{}.md.alice.sig", request.id)), "alice").unwrap();
    let approved = approve(&office, "alice", &request).succeeds();
    assert_eq!(approved["data"]["effect"], "created", "{approved}");
    let again = approve(&office, "alice", &other).succeeds();
    assert_eq!(again["data"]["effect"], "created", "{again}");
    assert_eq!(approve(&office, "alice", &other).succeeds()["data"]["effect"], "noop");
    office.site.up();
    for request in [&request, &other] {
        assert_eq!(office.site.result(&request.id).reasons(), [""; 0]);
    }
}

#[test]
fn an_approval_that_a_policy_forbids_is_not_signed_and_ends_nothing() {
    let office = Office::new("");
    let policy = "@id(\"not-ones-own\") forbid (principal, action, resource) \
                  when { context.approvals.names.contains(context.requester) };\n";
    fs::write(office.site.path("policies/own.cedar"), policy).unwrap();
    office.list("approvers", &["human", "bob"]);
    let request = Office::risky("own");
    let _up = office.up();
    office.pending(&request);
    let refused = approve(&office, "human", &request).ends(7);
    assert!(text(&refused["error"]["message"]).contains("not-ones-own"), "{refused}");
    // By hand it is signed all the same, and does not count.
    let signature = office.signature("human", "gatepost-approval", request.markdown().as_bytes());
    office.drop_signature(&format!("{}.md.sig", request.id), &signature);
    let shown = || office.site.shown(&request.id)["pending"].clone();
    until("it to be heard", || office.site.path("inbox").read_dir().unwrap().count() == 2);
    until("it to wait for bob", || shown()["missing"][0]["message"] == "This needs an approval; bob may approve it.");
    approve(&office, "bob", &request).succeeds();
    office.accepted(&request);
    let approvals = office.site.result(&request.id).evidence()["approvals"].clone();
    assert_eq!((approvals.as_array().unwrap().len(), text(&approvals[0]["approved_by"])), (1, "bob".to_owned()));
}

#[test]
fn a_signature_that_came_before_its_request_is_taken_along_with_it() {
    let office = Office::new("");
    let request = Request::file("early");
    let signature = office.signature("human", "gatepost-request", request.markdown().as_bytes());
    office.drop_signature(&format!("{}.md.sig", request.id), &signature);
    office.site.rename_in(&request);
    office.site.up();
    assert!(office.site.result(&request.id).evidence()["requester_proof"].is_object());
    let folder = Request::file("folder.md.sig").input("x", b"x");
    office.site.rename_in(&folder);
    office.site.up();
    assert_eq!(office.site.result(&folder.id).reasons(), [""; 0]);
}

#[test]
fn what_was_decided_is_said_and_who_decided_is_never_made_up() {
    let office = Office::new("");
    let [denied, linked] = ["denied", "linked"].map(Office::risky);
    for request in [&denied, &linked] {
        office.site.rename_in(request);
    }
    office.site.up();
    office.site.gatepost(&["deny", &denied.id, "--reason", "Too much"]).succeeds();
    let again = office.site.gatepost(&["--output", "text", "deny", &denied.id, "--reason", "Again"]);
    assert!(again.stdout().ends_with("was already denied\n"), "{}", again.stdout());
    let shown = office.site.gatepost(&["--output", "text", "show", &denied.id]).stdout();
    assert!(shown.contains("State:     denied, which TOOL-EXEC has not answered yet"), "{shown}");
    let refused = approve(&office, "alice", &denied).ends(6);
    assert!(text(&refused["error"]["message"]).contains("was already denied"), "{refused}");
    // Whoever gave a file of another a second name decided, and not its owner.
    let theirs = office.key("theirs");
    fs::write(&theirs, "x").unwrap();
    fs::hard_link(&theirs, office.site.path(&format!("var/exec/orders/{}.json", linked.id)))
        .or_else(|_| {
            let theirs = office.site.path("outside/theirs");
            fs::write(&theirs, "x")?;
            fs::hard_link(&theirs, office.site.path(&format!("var/exec/orders/{}.json", linked.id)))
        })
        .unwrap();
    office.site.up();
    let document = office.site.result(&linked.id).document();
    assert!(document.contains("Somebody denied the request"), "{document}");
}

#[test]
fn who_may_approve_is_looked_up_anew_and_an_outdated_key_is_passed_over() {
    let office = Office::new("");
    let request = Office::risky("keys");
    office.site.rename_in(&request);
    office.site.up();
    let public = |name: &str| fs::read_to_string(office.key(name).with_extension("pub")).unwrap();
    let list = |text: String| {
        let path = office.site.path("keys/approvers");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    };
    list(format!("alice valid-before=\"20200101Z\" {}", public("alice")));
    let shown = office.site.shown(&request.id)["pending"].clone();
    assert!(text(&shown["faults"][0]["message"]).contains("lists nobody who may give it"), "{shown}");
    let refused = approve(&office, "alice", &request).ends(8);
    assert_eq!(refused["error"]["code"], "KEY_NOT_VALID", "{refused}");
    let refused = approve(&office, "human", &request).ends(8);
    assert_eq!(refused["error"]["code"], "KEY_NOT_LISTED", "{refused}");
}

/// Whether OpenSSH's own program verifies a signature.
fn openssh_verifies(office: &Office, list: &str, signature: &[u8], document: &[u8]) -> bool {
    for (name, bytes) in [("list", list.as_bytes()), ("s.sig", signature), ("document", document)] {
        fs::write(office.key(name), bytes).unwrap();
    }
    let mut command = std::process::Command::new("ssh-keygen");
    command.args(["-Y", "verify", "-f", "list", "-I", "alice", "-n", "gatepost-approval", "-s", "s.sig"]);
    let input = fs::File::open(office.key("document")).unwrap();
    let run = command.current_dir(office.keys()).stdin(input).output().unwrap();
    run.status.success()
}

#[test]
fn signatures_and_lists_are_read_as_openssh_reads_them() {
    let office = Office::new("");
    let document = b"what is signed";
    let signature = String::from_utf8(office.signature("alice", "gatepost-approval", document)).unwrap();
    let public = fs::read_to_string(office.key("alice").with_extension("pub")).unwrap();
    let (kind, rest) = public.trim().split_once(' ').unwrap();
    let key = rest.split(' ').next().unwrap();
    let lines: Vec<&str> = signature.lines().collect();
    let (begin, end) = (lines[0], lines[lines.len() - 1]);
    let body = lines[1..lines.len() - 1].concat();
    let armor = |width: usize, line_end: &str| {
        let lines: Vec<String> =
            body.as_bytes().chunks(width).map(|line| String::from_utf8(line.to_vec()).unwrap()).collect();
        format!("{begin}{line_end}{}{line_end}{end}{line_end}", lines.join(line_end))
    };
    let signatures = [
        signature.clone(),
        armor(1, "\n"),
        armor(64, "\n"),
        armor(76, "\n"),
        armor(10_000, "\n"),
        armor(70, "\r\n"),
        signature.replacen('\n', "\n\n", 1),
        signature.replace('\n', " \t\n"),
        format!("{signature}\n\n"),
        signature.trim_end().to_owned(),
        format!("{begin}{body}\n{end}\n"),
        format!("{begin}\n{body}{end}\n"),
        format!(" {signature}"),
        format!("\n{signature}"),
        signature.replacen(&body[..4], "AAAA", 1),
        signature.replacen("SIGNATURE", "SIGNATUR", 1),
    ];
    let list = |options: &str, blank: &str| format!("alice{blank}{options}{kind}{blank}{key}{blank}a comment\n");
    let lists = [
        list("", " "),
        list("", "\t"),
        list("", "  \t "),
        format!("# people\n\n{}", list("", " ")),
        list("", " ").trim_end().replace(" a comment", ""),
        list("namespaces=\"gatepost-*\" ", " "),
        list("namespaces=\"file,gatepost-approval\"\t", " "),
        list("namespaces=\"*,!gatepost-approval\" ", " "),
        list("namespaces=\"gatepost-request\" ", " "),
        list("NAMESPACES=\"gatepost-approval\" ", " "),
        list("valid-after=\"20200101Z\",valid-before=\"20990101Z\" ", " "),
        list("valid-before=\"20200101Z\" ", " "),
        list("", " ").replace("alice", "bob,alice").replace("bob,alice", "alice,bob"),
        list("", " ").replace("alice", "bob"),
    ];
    let ours = |list: &str, signature: &str| {
        let signers = gatepost_signatures::Signers::parse(list).ok()?;
        let signature = gatepost_signatures::Signature::parse(signature.as_bytes()).ok()?;
        let namespace = gatepost_signatures::Namespace::Approval;
        signers.verify(&signature, namespace, document, chrono::Utc::now()).ok().map(str::to_owned)
    };
    let pairs = signatures.iter().map(|one| (&lists[0], one)).chain(lists.iter().map(|list| (list, &signature)));
    for (list, signature) in pairs {
        let is_alices = ours(list, signature).is_some_and(|name| name == "alice");
        assert_eq!(
            is_alices,
            openssh_verifies(&office, list, signature.as_bytes(), document),
            "{list:?} {signature:?}"
        );
    }
}
