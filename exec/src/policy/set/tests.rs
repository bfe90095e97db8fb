//! The decisions of a set, and all faults of policy files.

use std::collections::BTreeMap;

use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::manifest::{Arguments, CustomTypes, InputFiles, PathFault};
use gatepost_contract::scope::Scope;
use gatepost_documents::evidence::EnforcedLevel;
use gatepost_sandbox::network::{Destination, Host};

use super::*;
use crate::policy::Subject;

const START: &str = include_str!("../../../../policies/site.cedar");

struct NoFiles;

impl InputFiles for NoFiles {
    fn input_file(&self, _: &str) -> Result<(), PathFault> {
        Err(PathFault::Missing)
    }
}

fn manifest(name: &str, risk: &str, more: &str) -> Manifest {
    let text = format!(
        "[tool]\nname = '{name}'\nversion = '2'\ndescription = 'd'\nbinary = 'x'\nrisk_tier = '{risk}'\n{more}\n\
         [args.count]\ntype = 'integer'\nrequired = true\n[args.quick]\ntype = 'boolean'\ndefault = false\n\
         [args.wait]\ntype = 'duration'\n[args.net]\ntype = 'cidr'\n[args.pin]\ntype = 'string'\nsensitive = true\n\
         [command]\nexec = ['x', '{{count}}', '{{quick}}', '{{wait}}', '{{net}}', '{{pin}}']\n[output]\nschema = {{}}"
    );
    Manifest::parse(&text, "x.clad.toml", &CustomTypes::default()).unwrap()
}

fn bound(manifest: &Manifest, values: &[(&str, &str)]) -> Arguments {
    let values: BTreeMap<_, _> =
        values.iter().map(|(name, value)| ((*name).to_owned(), ArgumentValue::Text((*value).to_owned()))).collect();
    manifest.bind(&values, &Scope::default(), &NoFiles).unwrap()
}

fn read(text: &str, tools: &[&Manifest]) -> Result<PolicySet, Vec<Reason>> {
    PolicySet::read(&[("policies/site.cedar".to_owned(), text.as_bytes().to_vec())], tools, &["python3"])
}

fn question<'a>(subject: Subject<'a>, approvals: &'a [String]) -> Question<'a> {
    Question {
        requester: "core_draft",
        requester_proved: false,
        subject,
        network: &[],
        sandbox: EnforcedLevel::Full,
        time: "2026-02-09T16:05:01Z".parse().unwrap(),
        approvals,
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// `permitted by a` · `needs alice+bob by a` · `denied by a` · `denied`
fn summary(decision: &Decision) -> String {
    let ids: Vec<&str> = decision.policies().iter().map(|policy| policy.id.as_str()).collect();
    let by = if ids.is_empty() { String::new() } else { format!(" by {}", ids.join("+")) };
    match decision {
        Decision::Permitted { .. } => format!("permitted{by}"),
        Decision::NeedsApproval { missing, .. } => format!("needs {}{by}", missing.join("+")),
        Decision::Denied { errors, .. } => format!("denied{by}{}", if errors.is_empty() { "" } else { " by an error" }),
    }
}

/// The decision of a policy text on a call of one tool with `count = 5`.
fn decided(text: &str, risk: &str, at_hand: &[&str], could: &[&str]) -> String {
    let tool = manifest("t", risk, "");
    let arguments = bound(&tool, &[("count", "5"), ("wait", "90"), ("net", "::ffff:10.1.0.0/112"), ("pin", "1234")]);
    let set = read(text, &[&tool]).unwrap();
    let subject = Subject::Call { manifest: &tool, arguments: &arguments, targets: &[] };
    summary(&set.decide(&question(subject, &names(at_hand)), &names(could)))
}

#[test]
fn the_starting_set_permits_low_risk_holds_what_is_higher_and_denies_the_rest() {
    for (risk, expected) in [
        ("info", "permitted by low-risk"),
        ("low", "permitted by low-risk"),
        ("medium", "needs alice by approved-risk"),
        ("high", "needs alice by approved-risk"),
        ("critical", "denied"),
    ] {
        assert_eq!(decided(START, risk, &[], &["alice", "bob"]), expected, "{risk}");
    }
    assert_eq!(decided(START, "high", &["bob"], &[]), "permitted by approved-risk");
    assert_eq!(decided(START, "high", &[], &[]), "denied");
    let set = read(START, &[]).unwrap();
    for subject in [Subject::Command { interpreter: "python3" }, Subject::Program] {
        assert_eq!(summary(&set.decide(&question(subject, &[]), &names(&["alice"]))), "needs alice by approved-risk");
    }
}

#[test]
fn without_policies_everything_is_denied() {
    let set = PolicySet::read(&[], &[], &[]).unwrap();
    let decision = set.decide(&question(Subject::Program, &names(&["alice"])), &names(&["bob"]));
    assert_eq!(summary(&decision), "denied");
    assert_eq!(decision.reason().unwrap().message, "This is denied, because no policy permits it.");
}

#[test]
fn of_two_policies_that_conflict_the_one_that_forbids_wins_and_is_named() {
    let text = "@id(\"all\") permit (principal, action, resource);\n\n@id(\"never-t\")\n\
                forbid (principal, action, resource == Gatepost::Tool::\"t\");";
    assert_eq!(decided(text, "low", &[], &["alice"]), "denied by never-t");
    let tool = manifest("t", "low", "");
    let arguments = bound(&tool, &[("count", "1")]);
    let decision = read(text, &[&tool])
        .unwrap()
        .decide(&question(Subject::Call { manifest: &tool, arguments: &arguments, targets: &[] }, &[]), &[]);
    let Decision::Denied { overruled, .. } = &decision else { panic!("{decision:?}") };
    assert_eq!(overruled[0].to_string(), "all (policies/site.cedar, line 1)");
    let reason = decision.reason().unwrap();
    assert_eq!(reason.code.as_str(), "policy_denied");
    assert_eq!(reason.message, "The policy never-t (policies/site.cedar, line 3) forbids this.");
}

#[test]
fn policies_see_the_ipv4_address_to_which_another_leads() {
    let tool = manifest("t", "low", "");
    let rule = |condition: &str| {
        format!(
            "permit (principal, action, resource); @id(\"p\") forbid (principal, action, resource) when {{ {condition} }};"
        )
    };
    for net in [
        "::10.1.0.0/112",
        "64:ff9b::a01:0/112",
        "2002:a01::/32",
        "64:ff9b:1::10.1.2.3/128",
        "2001:0:808:808::f5fe:fdfc/128",
    ] {
        let arguments = bound(&tool, &[("count", "5"), ("net", net)]);
        let subject = Subject::Call { manifest: &tool, arguments: &arguments, targets: &[] };
        let set = read(
            &rule("context.arguments has t.net && context.arguments.t.net.isInRange(ip(\"10.1.0.0/16\"))"),
            &[&tool],
        )
        .unwrap();
        assert_eq!(summary(&set.decide(&question(subject, &[]), &[])), "denied by p", "{net}");
    }
    let arguments = bound(&tool, &[("count", "5")]);
    for host in ["::10.1.2.3", "64:ff9b::10.1.2.3", "2002:a01:203::", "10.1.2.3"] {
        let set = read(
            &rule("context.network.contains(\"10.1.2.3:80\") || context.network.contains(\"10.1.2.3\")"),
            &[&tool],
        )
        .unwrap();
        let host = Host::parse(host).unwrap();
        let network = [Destination { host: host.clone(), port: 80 }];
        for (network, targets) in [(&network[..], &[][..]), (&[], &[host])] {
            let subject = Subject::Call { manifest: &tool, arguments: &arguments, targets };
            let asked = Question { network, ..question(subject, &[]) };
            assert_eq!(summary(&set.decide(&asked, &[])), "denied by p", "{network:?} {targets:?}");
        }
    }
}

#[test]
fn policies_see_typed_arguments_and_every_other_fact() {
    for condition in [
        "context.arguments has t && context.arguments.t.count == 5",
        "context.arguments has t && !context.arguments.t.quick",
        "context.arguments has t.wait && context.arguments.t.wait == duration(\"1m30s\")",
        "context.arguments has t.net && context.arguments.t.net.isInRange(ip(\"10.0.0.0/8\"))",
        "context.arguments has t.pin && context.arguments.t.pin == \"1234\"",
        "context.lane == \"clad\" && context.tool == \"t\" && context.version == \"2\" && context.risk_tier == \"low\"",
        "context.network.isEmpty() && context.sandbox == \"full\" && !context.requester_proved",
        "context.time == datetime(\"2026-02-09T16:05:01Z\") && context.time.toTime() > duration(\"16h\")",
        "context.approvals.names.contains(\"alice\") && context.approvals.count == 1",
        "context.requester == \"core_draft\" && !context.approvals.names.contains(context.requester)",
        "principal == Gatepost::Requester::\"core_draft\" && resource == Gatepost::Tool::\"t\"",
    ] {
        let text = format!("@id(\"p\") permit (principal, action, resource) when {{ {condition} }};");
        assert_eq!(decided(&text, "low", &["alice"], &[]), "permitted by p", "{condition}");
        let text = format!("@id(\"p\") permit (principal, action, resource) unless {{ {condition} }};");
        assert_eq!(decided(&text, "low", &["alice"], &[]), "denied", "{condition}");
    }
}

#[test]
fn the_fewest_approvals_that_would_do_are_found() {
    let p = |condition: &str| format!("@id(\"p\") permit (principal, action, resource) when {{ {condition} }};");
    let five = ["ann", "bob", "cat", "dan", "eve"];
    for (condition, expected) in [
        ("context.approvals.count >= 1", "needs ann by p"),
        ("context.approvals.count >= 2", "needs ann+bob by p"),
        ("context.approvals.count >= 4", "needs ann+bob+cat+dan by p"),
        ("context.approvals.count >= 6", "denied"),
        ("context.approvals.names.contains(\"dan\")", "needs dan by p"),
        ("context.approvals.names.containsAll([\"bob\", \"eve\"])", "needs bob+eve by p"),
        ("context.approvals.names.containsAll([\"bob\", \"dan\", \"eve\"])", "needs bob+dan+eve by p"),
        ("context.approvals.count >= 2 || context.approvals.names.contains(\"eve\")", "needs eve by p"),
        ("context.approvals.count >= 2 && !context.approvals.names.contains(\"ann\")", "needs bob+cat by p"),
        ("context.approvals.names.contains(\"zoe\")", "denied"),
    ] {
        assert_eq!(decided(&p(condition), "low", &[], &five), expected, "{condition}");
    }
    // A person who approved is not asked again, and counts once after two approvals.
    assert_eq!(decided(&p("context.approvals.count >= 2"), "low", &["ann", "ann"], &five), "needs bob by p");
    assert_eq!(decided(&p("context.approvals.count >= 2"), "low", &["ann"], &five), "needs bob by p");
}

#[test]
fn a_policy_that_cannot_be_evaluated_denies_whatever_the_others_say() {
    let text = "@id(\"all\") permit (principal, action, resource);\n\
                @id(\"overflow\") forbid (principal, action, resource)\n\
                when { context.arguments has t && context.arguments.t.count * 9223372036854775807 > 1 };";
    assert_eq!(decided(text, "low", &[], &["alice"]), "denied by an error");
    let tool = manifest("t", "low", "");
    let arguments = bound(&tool, &[("count", "5")]);
    let subject = Subject::Call { manifest: &tool, arguments: &arguments, targets: &[] };
    let reason = read(text, &[&tool]).unwrap().decide(&question(subject, &[]), &[]).reason().unwrap();
    let message = "This is denied, because the policy overflow (policies/site.cedar, line 2) could not be evaluated.";
    assert_eq!(reason.message, message);
}

#[test]
fn what_a_call_aims_at_is_in_its_network() {
    let text = "@id(\"all\") permit (principal, action, resource);\n\
                @id(\"far\") forbid (principal, action, resource) when { context.network.contains(\"192.0.2.7\") };";
    let tool = manifest("t", "low", "");
    let (set, arguments) = (read(text, &[&tool]).unwrap(), bound(&tool, &[("count", "5")]));
    let target = [Host::parse("192.0.2.7").unwrap()];
    for (targets, expected) in [(&[][..], "permitted by all"), (&target, "denied by far")] {
        let subject = Subject::Call { manifest: &tool, arguments: &arguments, targets };
        assert_eq!(summary(&set.decide(&question(subject, &[]), &[])), expected);
    }
}

#[test]
fn what_a_manifest_names_is_what_policies_name() {
    let scanner = manifest("nmap", "low", "cedar = {resource = 'PenTest::ScanTarget', action = 'execute_tool'}");
    let other = manifest("dig", "low", "cedar = {resource = 'PenTest::Name', action = 'execute_tool'}");
    let plain = manifest("post", "low", "cedar = {resource = 'Channel', action = 'post message'}");
    let text = "@id(\"scan\") permit (principal, action == PenTest::Action::\"execute_tool\", resource is PenTest::ScanTarget);\n\
                @id(\"post\") permit (principal, action == Gatepost::Action::\"post message\", resource == Gatepost::Channel::\"post\");";
    let set = read(text, &[&scanner, &other, &plain]).unwrap();
    for (tool, expected) in [(&scanner, "permitted by scan"), (&other, "denied"), (&plain, "permitted by post")] {
        let arguments = bound(tool, &[("count", "1")]);
        let decision =
            set.decide(&question(Subject::Call { manifest: tool, arguments: &arguments, targets: &[] }, &[]), &[]);
        assert_eq!(summary(&decision), expected, "{}", tool.name());
    }
    assert!(read(text, &[&scanner, &other]).is_err());
}

#[test]
fn every_name_that_a_manifest_may_give_makes_a_schema() {
    let cedar = |resource: &str| format!("cedar = {{resource = '{resource}', action = 'é \\ \" x'}}");
    let names = [
        "R",
        "Tool",
        "Interpreter",
        "Facts",
        "Bool",
        "String",
        "Set",
        "Record",
        "Entity",
        "ipaddr",
        "X::Tool",
        "a::b::C",
    ];
    let tools: Vec<_> = (0..).zip(names).map(|(at, name)| manifest(&format!("t{at}"), "low", &cedar(name))).collect();
    let tools: Vec<&Manifest> = tools.iter().collect();
    for tools in tools.chunks(1).chain([tools.as_slice()]) {
        if let Err(reasons) = read("permit (principal, action, resource);", tools) {
            panic!("{:?}: {reasons:#?}", tools.iter().map(|tool| tool.cedar()).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_file_that_is_wrong_says_where() {
    let tool = manifest("t", "low", "");
    for (text, line, message) in [
        ("// fine\n\npermit (principal, action, resource) when { context.tool = \"t\" };", 3, "="),
        ("permit (principal, action, resource);\npermit (principal", 2, ""),
        (
            "\npermit (principal, action, resource == Gatepost::Tool::\"tt\");",
            2,
            "The policy names an unknown tool: \"tt\".",
        ),
        ("\npermit (principal, action, resource == Gatepost::Tol::\"t\");", 2, "Tol"),
        ("\npermit (principal, action == Gatepost::Action::\"run\", resource);", 2, "run"),
        ("permit (principal, action, resource)\nwhen { context.risk == \"low\" };", 2, "risk"),
        ("permit (principal, action, resource)\nwhen { context.arguments has u.count };", 1, "impossible"),
        ("permit (principal, action, resource)\nwhen { context.risk_tier < 3 };", 2, ""),
        ("permit (principal, action, resource)\nwhen { context.arguments.t.count > 3 };", 2, ""),
        ("permit (principal, action, resource == Gatepost::Interpreter::\"perl\");", 1, "perl"),
        ("permit (principal, action, resource) when { ip(\"10.0.0.0/33\").isIpv4() };", 1, ""),
        ("// a template\npermit (principal == ?principal, action, resource);", 2, "template"),
        (
            "@id(\"a\") permit (principal, action, resource);\n@id(\"a\") forbid (principal, action, resource);",
            2,
            "id a",
        ),
        ("\n@id(\"you may do as you like\")\npermit (principal, action, resource);", 2, "@id"),
        ("permit (principal, action, resource);\r\n", 1, "carriage return"),
    ] {
        let Err(reasons) = read(text, &[&tool]) else { panic!("{text} is valid") };
        let found = &reasons[0];
        assert_eq!((found.file.as_deref(), found.line), (Some("policies/site.cedar"), Some(line)), "{text}: {found:?}");
        assert!(found.message.contains(message) || found.hint.contains(message), "{text}: {found:?}");
        assert!(found.message.ends_with('.') && !found.hint.is_empty(), "{found:?}");
    }
}

#[test]
fn every_file_is_read_and_every_fault_of_all_of_them_is_told() {
    let files = [("policies/a.cedar", "permit ("), ("policies/b.cedar", "forbid (principal, action, resource is X);")];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let reasons = PolicySet::read(&files, &[], &[]).unwrap_err();
    let places: Vec<_> = reasons.iter().map(|reason| reason.file.as_deref().unwrap()).collect();
    assert_eq!(places, ["policies/a.cedar", "policies/b.cedar"], "{reasons:#?}");
}

#[test]
fn a_file_of_comments_alone_is_read_whatever_its_length() {
    let text = "//\n".repeat(300_000) + "permit (principal, action, resource);";
    assert_eq!(read(&text, &[]).unwrap().policies()[0].line, 300_001);
}

#[test]
fn policies_are_listed_with_their_places_in_order() {
    let text = "// é\n// permit (principal, action, resource);\npermit (principal, action, resource);\n\n\
                @id(\"b\")\n@note(\"x\")\nforbid (principal, action, resource) when { context.sandbox == \"none\" };\n\
                permit (principal, action, resource);";
    let set = read(text, &[]).unwrap();
    let listed: Vec<_> = set.policies().iter().map(|policy| format!("{} {policy}", policy.effect)).collect();
    assert_eq!(
        listed,
        ["permit policies/site.cedar:3", "forbid b (policies/site.cedar, line 5)", "permit policies/site.cedar:8",]
    );
}

#[test]
fn the_digest_is_that_of_what_sha256sum_prints() {
    let files = [("policies/a.cedar".to_owned(), b"".to_vec()), ("policies/b.cedar".to_owned(), b"// b\n".to_vec())];
    let set = PolicySet::read(&files, &[], &[]).unwrap();
    let printed = format!("{}  policies/a.cedar\n{}  policies/b.cedar\n", Digest::of(b""), Digest::of(b"// b\n"));
    assert_eq!(set.sha256(), Digest::of(printed.as_bytes()));
}

#[test]
fn a_sensitive_value_is_shown_to_policies_and_to_nobody_else() {
    let tool = manifest("t", "low", "");
    let arguments = bound(&tool, &[("count", "5"), ("pin", "1234")]);
    let network = [Destination::parse("api.example.org:443").unwrap()];
    let subject = Subject::Call { manifest: &tool, arguments: &arguments, targets: &[] };
    let shown = Question { network: &network, ..question(subject, &[]) }.shown();
    assert_eq!(shown["arguments"]["t"]["pin"], "[sensitive:pin]");
    assert_eq!(shown["arguments"]["t"]["count"], 5);
    assert_eq!(shown["network"][0], "api.example.org:443");
}
