use cedar_policy::PolicySet as Cedar;
use gatepost_contract::manifest::{CustomTypes, Manifest};
use gatepost_documents::id::RequestId;

use super::super::PolicySet;
use super::{Observed, draft, is_plain};

const MANIFEST: &str = "[tool]\nname='t'\nversion='1'\ndescription='d'\nbinary='x'\n[args.text]\ntype='string'\nsanitize=[]\n\
    [args.count]\ntype='integer'\n[args.host]\ntype='ip_address'\n[args.in]\ntype='boolean'\n[args.wait]\ntype='duration'\n\
    [args.secret]\ntype='string'\nsensitive=true\n[command]\nexec=['x']\n[output]\nschema={}";

/// Text that tries to escape from a literal, a comment, a pattern or the policy.
const HOSTILE: [&str; 14] = [
    "\"",
    "\\",
    "\\\"",
    "\" || true || \"",
    "x\" };\npermit (principal, action, resource);\n//",
    "// comment",
    "*/ permit (principal, action, resource); /*",
    "line\nline\r\n\u{2028}\u{85}",
    "*",
    "\\*",
    "?principal",
    "\\u{22}",
    "\u{202e}\u{0}\u{7f}é\u{1f512}",
    "@id(\"x\")",
];

fn manifest() -> Manifest {
    Manifest::parse(MANIFEST, "t.clad.toml", &CustomTypes::default()).unwrap()
}

fn observed(number: usize, requester: &str, arguments: &[(&str, &str)]) -> Observed {
    Observed {
        request_id: RequestId::parse(&format!("TR-20260209-160501Z-n{number}")).unwrap(),
        requester: requester.to_owned(),
        requester_proved: false,
        tool: "t".to_owned(),
        command: None,
        arguments: arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        approvals: 0,
        is_offline: true,
    }
}

/// The draft, checked by the site's own check, and the number of undraftable calls.
fn drafted(observed: &[Observed]) -> (String, usize) {
    let manifest = manifest();
    let (policies, left_out) = draft(observed, &[&manifest], &["python3"]);
    let text: String = policies.iter().map(|policy| policy.text.clone() + "\n").collect();
    let files = [("policies/learned.cedar".to_owned(), text.clone().into_bytes())];
    let set =
        PolicySet::read(&files, &[&manifest], &["python3"]).unwrap_or_else(|reasons| panic!("{text}\n{reasons:?}"));
    assert_eq!(set.policies().len(), policies.len(), "{text}");
    assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{text}");
    (text, left_out.len())
}

/// Every string that Cedar reads in the policies.
fn strings(text: &str) -> Vec<String> {
    fn collect(value: &serde_json::Value, into: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => into.push(text.clone()),
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
            serde_json::Value::Object(members) => members.values().for_each(|member| collect(member, into)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    let set: Cedar = text.parse().unwrap();
    set.policies().for_each(|policy| collect(&policy.to_json().unwrap(), &mut found));
    found
}

#[test]
fn whatever_a_requester_wrote_stays_within_its_literal() {
    let plain: Vec<&str> = HOSTILE.into_iter().filter(|text| is_plain(text)).collect();
    for hostile in &plain {
        let (text, left_out) = drafted(&[observed(1, hostile, &[("count", "1")])]);
        assert_eq!(left_out, 0, "{hostile:?}");
        assert!(strings(&text).iter().any(|own| own == hostile), "{hostile:?} in\n{text}");
        assert_eq!(text.parse::<Cedar>().unwrap().policies().count(), 1, "{text}");
    }
    let calls: Vec<Observed> =
        HOSTILE.iter().enumerate().map(|(number, hostile)| observed(number, "r", &[("text", hostile)])).collect();
    let (text, left_out) = drafted(&calls);
    let found = strings(&text);
    for hostile in &plain {
        assert!(found.iter().any(|own| own == hostile), "{hostile:?} in\n{text}");
    }
    assert_eq!(left_out, HOSTILE.len() - plain.len());
}

#[test]
fn what_cedars_validator_warns_of_is_left_out() {
    for strange in ["\n", "\u{202e}", "\u{0}", "é", "a\u{430}"] {
        assert_eq!(drafted(&[observed(1, strange, &[])]).1, 1, "{strange:?}");
        assert_eq!(drafted(&[observed(1, "r", &[("text", strange)])]).1, 1, "{strange:?}");
    }
}

#[test]
fn a_pattern_holds_what_texts_have_in_common_literally() {
    let calls: Vec<Observed> =
        (0..60).map(|n| observed(n, "r", &[("text", format!("\"*{n}\\\" || true").as_str())])).collect();
    let (text, left_out) = drafted(&calls);
    assert_eq!((left_out, text.parse::<Cedar>().unwrap().policies().count()), (0, 1), "{text}");
    assert!(text.contains(r#"like "\u{22}\**\u{5c}\u{22} || true""#), "{text}");
}

#[test]
fn a_tool_or_an_argument_that_the_site_does_not_have_is_left_out() {
    for (tool, name, value) in
        [("t\", action", "count", "1"), ("t", "count\" || true", "1"), ("t", "count", "1 || true"), ("t", "host", "x")]
    {
        let call = Observed { tool: tool.to_owned(), ..observed(1, "r", &[(name, value)]) };
        assert_eq!(drafted(&[call]), (String::new(), 1), "{tool} {name} {value}");
    }
}

#[test]
fn a_few_calls_are_permitted_as_they_were_and_not_crossed() {
    let calls = [
        observed(
            1,
            "r",
            &[("count", "1"), ("host", "10.0.0.1"), ("in", "true"), ("wait", "1.5"), ("secret", "[sensitive:secret]")],
        ),
        observed(2, "r", &[("count", "2")]),
        observed(3, "r", &[("count", "2")]),
    ];
    let (text, _) = drafted(&calls);
    for line in [
        "// From 3 requests: TR-20260209-160501Z-n1, TR-20260209-160501Z-n2, TR-20260209-160501Z-n3.\n",
        "    principal == Gatepost::Requester::\"r\",\n",
        "    context.network.isEmpty() &&\n",
        "        // From 2 requests: TR-20260209-160501Z-n2, TR-20260209-160501Z-n3.\n",
        "context.arguments.t.host == ip(\"10.0.0.1\")",
        "context.arguments.t[\"in\"] == true",
        "context.arguments.t.wait == duration(\"1500ms\")",
        "!(context.arguments.t has host)",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn many_calls_are_bounded_argument_by_argument() {
    let calls: Vec<Observed> = (0..60)
        .map(|number| {
            let (count, name) = (number.to_string(), format!("run*{number}.txt"));
            observed(number, "r", &[("count", count.as_str()), ("text", name.as_str()), ("in", "true")])
        })
        .collect();
    let (text, left_out) = drafted(&calls);
    assert_eq!(left_out, 0);
    for line in [
        "context.arguments.t.count >= 0 && context.arguments.t.count <= 59",
        "context.arguments.t.text like \"run\\**.txt\"",
        "[true].contains(context.arguments.t[\"in\"])",
        "and 40 more.",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    // Nothing in common: the first and the last letter are digits of the number, once as it is and once reversed.
    let unlike: Vec<Observed> = (0..100)
        .map(|number| observed(number, "r", &[("text", format!("{}-{}", number % 10, number / 10).as_str())]))
        .collect();
    assert_eq!(drafted(&unlike), (String::new(), 100));
}

#[test]
fn a_command_line_keeps_its_approvals() {
    let call = Observed { tool: "python3".to_owned(), approvals: 1, is_offline: false, ..observed(1, "r", &[]) };
    let (text, _) = drafted(&[call]);
    assert!(text.contains("context.approvals.count >= 1") && text.contains("Interpreter::\"python3\""), "{text}");
    assert!(text.contains("// The network that was asked for is not bounded.\n"), "{text}");
}
