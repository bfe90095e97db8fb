//! Learn mode: what policies and scope would refuse runs, and its result says so; everything else stays enforced.

use std::fs;

use serde_json::{Value, json};

use crate::site::{Request, Site, text};

const LEARN: &str = "[policy]\nmode = \"learn\"\n";
const FAST: &str = "[inbox]\nsettle_ms = 50\n";
const FORBID: &str = "@id(\"no-high-status\")\nforbid (principal, action, resource)\n\
                      when { context.arguments has fail_with.status && context.arguments.fail_with.status > 2 };\n";

/// A site in learn mode whose gate accepts that, or does not.
fn learning(more: &str, accepts: bool) -> Site {
    let site = Site::with_config(&format!("{FAST}{LEARN}{more}")).without_walls();
    if accepts {
        accept(&site);
    }
    site
}

fn accept(site: &Site) {
    let demands = fs::read_to_string(site.path("gate.toml")).unwrap();
    fs::write(site.path("gate.toml"), format!("{demands}[accept]\nlearn_mode = true\n")).unwrap();
}

/// A tool that prints its target.
fn aim(site: &Site, tool: &str) {
    let manifest = format!(
        "[tool]\nname = \"aim\"\nversion = \"1\"\ndescription = \"Aims\"\nbinary = \"echo\"\n{tool}\n[args.target]\n\
         type = \"scope_target\"\nrequired = true\n[command]\nexec = [\"echo\", \"{{target}}\"]\n[output]\n\
         format = \"text\"\n[output.schema]\ntype = \"object\"\n"
    );
    site.manifest("aim", &manifest);
}

#[test]
fn what_policies_and_scope_refuse_runs_and_the_result_names_every_refusal() {
    let site = learning("", true);
    fs::write(site.path("policies/own.cedar"), FORBID).unwrap();
    aim(&site, "risk_tier = \"low\"");
    fs::remove_file(site.path("policies/site.cedar")).unwrap();
    let (denied, outside) = (
        Request::call("denied", "fail_with").arg("status", "3"),
        Request::call("outside", "aim").arg("target", "192.0.2.1"),
    );
    for request in [&denied, &outside] {
        site.rename_in(request);
    }
    site.up();
    let forbids = "The policy no-high-status (policies/own.cedar, line 1) forbids this.";
    let nobody = "This is denied, because no policy permits it.";
    let (forbidden, stray) = (site.result(&denied.id).evidence(), site.result(&outside.id).evidence());
    assert_eq!(forbidden["exit_code"], 3);
    assert_eq!(forbidden["policy"]["decision"], "denied");
    assert_eq!(forbidden["policy"]["policies"], json!(["no-high-status"]));
    assert_eq!(forbidden["learn"], json!({"not_enforced": [{"code": "policy_denied", "message": forbids}]}));
    assert_eq!((&stray["status"], &stray["learn"]["not_enforced"][0]["message"]), (&json!("success"), &json!(nobody)));
    let of_scope = &stray["learn"]["not_enforced"][1];
    assert_eq!((&of_scope["code"], &of_scope["argument"]), (&json!("out_of_scope"), &json!("target")));
    assert_eq!(of_scope["message"], "The argument target is \"192.0.2.1\", which is not in scope.");
    let document = site.result(&outside.id).document();
    for line in [
        "; learn mode, 2 refusals not enforced\n",
        "\nUnexpected behavior: 3 noted.\n\n- A result of learn mode: the item Policy counts the refusals.\n",
        &format!("\n- Not enforced: `policy_denied`: `{nobody}`\n"),
        "\n- Not enforced: `out_of_scope`, argument `target`: `",
    ] {
        assert!(document.contains(line), "{line} is not in\n{document}");
    }
}

#[test]
fn the_gate_rejects_results_of_learn_mode_unless_its_own_file_accepts_them() {
    let site = learning("", false);
    let request = Request::call("permitted", "line_count").input("notes.txt", b"a\n").arg("file", "notes.txt");
    site.rename_in(&request);
    site.up();
    let [item] = site.names("quarantine").try_into().unwrap();
    assert_eq!(site.reasons(&item), ["learn_mode"]);
    site.gatepost(&["quarantine", "release", &item, "--reason", "We want it."]).ends(79);
    let again = Request::call("again", "line_count").input("notes.txt", b"a\n").arg("file", "notes.txt");
    accept(&site);
    site.rename_in(&again);
    site.up();
    let evidence = site.result(&again.id).evidence();
    assert_eq!(
        (&evidence["policy"]["decision"], &evidence["learn"]),
        (&json!("permitted"), &json!({"not_enforced": []}))
    );
    site.configure(&format!("{FAST}[sandbox]\nminimum = \"none\"\nmaximum = \"none\"\n"));
    let enforced = Request::call("enforced", "line_count").input("notes.txt", b"a\n").arg("file", "notes.txt");
    site.rename_in(&enforced);
    site.up();
    assert_eq!(site.result(&enforced.id).evidence().get("learn"), None);
}

#[test]
fn what_people_and_manifests_demand_stays_enforced() {
    let site = learning("[approval]\nmode = \"declared\"\n", true);
    aim(&site, "[tool.scope]\ntargets = [\"127.1.0.0/16\"]");
    site.tool("risky", "risk_tier = \"high\"", "#!/bin/sh\ntrue\n");
    site.tool("asked", "human_approval = true", "#!/bin/sh\ntrue\n");
    let cases = [
        (Request::call("narrowed", "aim").arg("target", "127.0.0.1"), "out_of_scope"),
        (Request::call("unspecified", "aim").arg("target", "0.0.0.0"), "out_of_scope"),
        (Request::call("untyped", "fail_with").arg("status", "three"), "argument_invalid"),
        (Request::call("unapproved", "risky"), "approval_missing"),
        (Request::call("unasked", "asked"), "approval_missing"),
        (Request::call("unknown", "nothing"), "tool_unknown"),
    ];
    for (request, _) in &cases {
        site.rename_in(request);
    }
    site.up();
    for (request, code) in &cases {
        let result = site.result(&request.id);
        assert_eq!(result.reasons(), [*code], "{}", request.id);
        assert!(result.evidence()["learn"].is_object(), "{}", request.id);
    }
}

#[test]
fn an_approval_that_only_a_policy_demands_is_recorded_and_not_waited_for() {
    let site = learning("", true);
    let policy = "@id(\"two\") permit (principal, action, resource) when { context.approvals.count >= 2 };\n";
    fs::write(site.path("policies/site.cedar"), policy).unwrap();
    let request = Request::call("waits", "fail_with").arg("status", "0");
    site.rename_in(&request);
    site.up();
    let evidence = site.result(&request.id).evidence();
    assert_eq!((&evidence["policy"]["decision"], &evidence["exit_code"]), (&json!("needs_approval"), &json!(0)));
    assert_eq!(evidence["learn"]["not_enforced"][0]["code"], "approval_missing");
}

#[test]
fn a_forecast_flags_what_learn_mode_does_not_enforce() {
    let site = learning("", true);
    fs::write(site.path("policies/own.cedar"), FORBID).unwrap();
    let planned = site.gatepost(&["submit", "--tool", "fail_with", "--arg", "status=3", "--dry-run"]).succeeds();
    assert!(planned.to_string().contains("learn mode"), "{planned}");
    let explained = Request::call("explained", "fail_with").arg("status", "3");
    let file = site.path(&format!("outside/{}.md", explained.id));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, explained.markdown()).unwrap();
    let told = site.gatepost(&["policy", "explain", file.to_str().unwrap()]).succeeds();
    assert_eq!(told["data"]["decision"], "denied");
}

#[test]
fn people_are_warned_wherever_they_look_that_the_mode_is_on() {
    let site = learning("", false);
    let ran = site.gatepost(&["exec", "--once"]);
    assert!(ran.stderr().contains("learn mode is on"), "{}", ran.stderr());
    let status = site.gatepost(&["status"]).succeeds();
    assert_eq!(status["data"]["policy_mode"], "learn");
    assert!(site.gatepost(&["--output", "text", "status"]).stdout().contains("LEARN MODE"));
    let finding = |site: &Site| -> Value {
        let report: Value = serde_json::from_str(&site.gatepost(&["doctor"]).stdout()).unwrap();
        let findings = report["data"]["findings"].as_array().unwrap();
        findings.iter().find(|finding| finding["check"] == "site.policy_mode").cloned().unwrap_or_default()
    };
    assert_eq!(finding(&site)["status"], "failure", "the gate rejects the results");
    accept(&site);
    assert_eq!(finding(&site)["status"], "warning");
    site.configure(FAST);
    assert_eq!(finding(&site)["status"], "warning", "the gate would accept them, and nothing makes any");
}

/// What tries to get out of a literal or a comment of a draft.
const HOSTILE: [&str; 4] =
    ["\" || true || \"", "x\" }; permit (principal, action, resource); //", "// [args.evil]", "*\\"];

/// A site without policies that ran calls with hostile values in learn mode; and a rejected result that somebody changed.
fn learned() -> (Site, Vec<Request>, String) {
    let site = learning("", false);
    fs::remove_file(site.path("policies/site.cedar")).unwrap();
    let manifest = "[tool]\nname = \"say\"\nversion = \"1\"\ndescription = \"Says\"\nbinary = \"echo\"\n[args.words]\n\
                    type = \"string\"\nrequired = true\nsanitize = []\n[command]\nexec = [\"echo\", \"said\"]\n[output]\n\
                    format = \"text\"\n[output.schema]\ntype = \"object\"\n";
    site.manifest("say", manifest);
    let forged = Request::call("forged", "fail_with").arg("status", "0");
    site.rename_in(&forged);
    site.gatepost(&["exec", "--once"]).succeeds();
    let [result] = site.names("outbox").try_into().unwrap();
    fs::write(site.path("outbox").join(&result).join("artifacts/stdout.txt"), "changed").unwrap();
    site.gatepost(&["gate", "--once"]).succeeds();
    let mut requests = Vec::new();
    for (number, hostile) in HOSTILE.iter().enumerate() {
        let words = serde_json::to_string(hostile).unwrap();
        let request = Request::call(&format!("say-{number}"), "say").arg("words", &words[1..words.len() - 1]);
        site.rename_in(&request);
        requests.push(request);
    }
    // Some results are accepted, and some are in quarantine.
    site.gatepost(&["exec", "--once"]).succeeds();
    site.gatepost(&["gate", "--once"]).succeeds();
    accept(&site);
    let last = Request::call("counted", "line_count").input("notes.txt", b"a\n").arg("file", "notes.txt");
    site.rename_in(&last);
    site.up();
    site.result(&last.id);
    requests.push(last);
    (site, requests, forged.id)
}

#[test]
fn a_draft_permits_the_observed_calls_and_no_others_whatever_they_say() {
    let (site, requests, forged) = learned();
    let out = site.root.parent().unwrap().join("draft");
    let told = site.gatepost(&["policy", "learn", "--out", out.to_str().unwrap(), "--dry-run"]).succeeds();
    assert_eq!((&told["data"]["effect"], out.exists()), (&json!("would_create"), false));
    let told = site.gatepost(&["policy", "learn", "--out", out.to_str().unwrap()]).succeeds();
    let data = &told["data"];
    assert_eq!((&data["effect"], &data["results_count"]), (&json!("created"), &json!(requests.len())));
    assert_eq!(data["policies"].as_array().unwrap().len(), 2, "{data}");
    assert_eq!(data["left_out"], json!([{"request_id": forged, "why": "The gate did not confirm its evidence."}]));
    let gate: Vec<&Value> = data["gate"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!((gate.first(), gate.last()), (Some(&&json!("hash_mismatch")), Some(&&json!("learn_mode"))));
    let allowed: toml::Table = toml::from_str(&fs::read_to_string(out.join("arguments.toml")).unwrap()).unwrap();
    let allowed = allowed["say"]["args"]["words"]["allowed"].as_array().unwrap();
    assert!(allowed.len() == HOSTILE.len() && allowed.iter().all(|value| HOSTILE.contains(&value.as_str().unwrap())));
    site.gatepost(&["policy", "learn", "--out", out.to_str().unwrap()]).ends(6);
    site.gatepost(&["policy", "learn", "--out", site.path("policies/draft").to_str().unwrap()]).ends(2);
    assert_eq!(site.names("policies"), [""; 0], "drafts are never written there");
    // What is printed for people is a file of policies as well.
    let printed = site.gatepost(&["--output", "text", "policy", "learn"]).stdout();
    for text in [printed, fs::read_to_string(out.join("learned.cedar")).unwrap()] {
        fs::write(site.path("policies/learned.cedar"), &text).unwrap();
        let checked = site.gatepost(&["policy", "check"]).succeeds();
        assert_eq!(checked["data"]["policies_count"], 2, "{text}");
    }
    site.configure(&format!("{FAST}[sandbox]\nminimum = \"none\"\nmaximum = \"none\"\n"));
    for hostile in HOSTILE {
        let argument = format!("words={hostile}");
        site.gatepost(&["tools", "run", "say", "--arg", &argument]).succeeds();
        site.gatepost(&["tools", "run", "say", "--arg", &format!("{argument}.")]).ends(7);
    }
}

#[test]
fn forbids_demands_of_approvals_and_the_scope_are_reported_and_not_drafted_away() {
    let site = learning("", true);
    fs::write(site.path("policies/own.cedar"), FORBID).unwrap();
    let two = "@id(\"two\") permit (principal, action, resource == Gatepost::Tool::\"aim\") when { context.approvals.count >= 2 };\n";
    fs::write(site.path("policies/site.cedar"), two).unwrap();
    aim(&site, "risk_tier = \"low\"");
    let (denied, outside) = (
        Request::call("denied", "fail_with").arg("status", "3"),
        Request::call("outside", "aim").arg("target", "192.0.2.1"),
    );
    for request in [&denied, &outside] {
        site.rename_in(request);
    }
    site.up();
    let data = site.gatepost(&["policy", "learn"]).succeeds()["data"].clone();
    assert_eq!((&data["effect"], &data["policies"], &data["files"]), (&json!("noop"), &json!([]), &json!([])));
    let reported = json!([
        {"why": "forbidden", "tool": "fail_with", "policies": ["no-high-status"], "requests": [denied.id]},
        {"why": "needs_approval", "tool": "aim", "policies": ["two"], "requests": [outside.id]},
        {"why": "out_of_scope", "tool": "aim", "argument": "target", "value": "192.0.2.1", "requests": [outside.id]},
    ]);
    assert_eq!(data["reported"], reported);
    let shown = site.gatepost(&["--output", "text", "policy", "learn"]).stdout();
    assert!(shown.lines().all(|line| line.is_empty() || line.starts_with("//")), "{shown}");
    assert!(shown.contains("\"aim\": \"target\" = \"192.0.2.1\" is not in scope/scope.toml: "), "{shown}");
}

#[test]
fn a_refusal_of_mode_enforce_is_learned_from_too() {
    let site = Site::with_config(FAST).without_walls();
    fs::remove_file(site.path("policies/site.cedar")).unwrap();
    let request = Request::call("refused", "fail_with").arg("status", "0");
    site.rename_in(&request);
    site.up();
    assert_eq!(site.result(&request.id).reasons(), ["policy_denied"]);
    let data = site.gatepost(&["policy", "learn"]).succeeds()["data"].clone();
    assert_eq!(data["policies"][0]["requests"], json!([request.id]));
    assert!(text(&data["policies"][0]["text"]).contains("context.arguments.fail_with.status == 0"), "{data}");
}
