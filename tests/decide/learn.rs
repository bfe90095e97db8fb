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

/// A tool that says at what it is aimed.
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
        "\nUnexpected behavior: 3 noted.\n\n- Learn mode was on: policies and scope were not enforced.\n",
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
