//! Compares the front matter reader with others: if it accepts a document, other YAML readers accept it with the same value.
//!
//! `vectors/front_matter/` holds accepted documents, each beside its value as JSON; `pyyaml_differential.py` walks the
//! same folder with PyYAML.

use std::fs;
use std::path::Path;

use gatepost_documents::front_matter::{self, Kind};
use proptest::prelude::*;

use crate::yaml_value::{map_json, ours, theirs};

#[test]
fn every_accepted_vector_has_its_value_here_and_for_serde_yaml() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/front_matter");
    let mut walked = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path).unwrap();
            let expected: serde_json::Value =
                serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
            let document = front_matter::read(&text, "x.md", Kind::Request)
                .unwrap_or_else(|reasons| panic!("{path:?}: {reasons:?}"));
            assert_eq!(map_json(&document.entries), expected, "{path:?}");
            let front_matter = text[4..].split("\n---\n").next().unwrap();
            assert_eq!(theirs(front_matter).unwrap(), expected, "{path:?}");
            walked += 1;
        }
    }
    assert!(walked >= 5, "{walked} vectors in {}", folder.display());
}

/// The places and codes of the reasons for which a front matter is refused.
fn refused(front_matter: &str) -> String {
    let found: Vec<String> = ours(front_matter)
        .expect_err(front_matter)
        .iter()
        .map(|reason| format!("{}:{} {}", reason.line.unwrap(), reason.column.unwrap(), reason.code))
        .collect();
    found.join(", ")
}

#[test]
fn a_value_of_several_lines_that_readers_differ_on_or_people_misread_is_refused() {
    for (front_matter, expected) in [
        ("a: |+-\n  text\n", "2:4 yaml_invalid"),
        ("a: >22\n  text\n", "2:4 yaml_invalid"),
        ("a: |4\n  text\n", "3:3 yaml_invalid"),
        ("a: |x\n  text\n", "2:5 yaml_invalid"),
        ("a: >\n  text\n    deeper\n", "4:5 yaml_invalid"),
        ("a: |\n    text\n  less\n", "4:3 yaml_invalid"),
        ("a: |\n  text\n     \n  more\n", "5:3 yaml_invalid"),
        ("a: |\n  text\n   \n", "2:4 yaml_invalid"),
        ("a: |\n  \ttext\n", "3:3 yaml_invalid"),
        ("a: [|, b]\n", "2:5 yaml_forbidden_feature"),
        ("a: one\n  two: three\n", "2:4 yaml_invalid"),
        ("a:\n  one\n  two: three\n", "3:3 yaml_invalid"),
        ("a:\n  &one\n", "3:3 yaml_forbidden_feature"),
        ("a:\n  no\n", "3:3 yaml_invalid"),
        ("a: one\n  - two\n", "3:3 yaml_invalid"),
        ("a: one # note\n  two\n", "3:3 yaml_forbidden_feature"),
        ("a: one\n\n  two\n", "4:3 yaml_forbidden_feature"),
        ("a: 2026-02-09\n  16:10\n", "2:4 yaml_invalid"),
        ("a: \"one\ntwo\"\n", "2:4 yaml_invalid, 3:1 yaml_invalid"),
        ("a: \"one \n  two\"\n", "2:8 yaml_invalid"),
        ("a: \"one\\ \n  two\"\n", "2:8 yaml_invalid"),
        ("a: \"one\\\n\n  two\"\n", "2:8 yaml_invalid"),
        ("\"a\n  b\": 1\n", "2:1 yaml_invalid"),
        ("a: 'one\n  two' three\n", "3:8 yaml_invalid"),
    ] {
        assert_eq!(refused(front_matter), expected, "{front_matter:?}");
    }
}

#[test]
fn what_readers_could_disagree_on_is_refused_by_its_code_and_place() {
    for (front_matter, expected) in [
        ("a: &x 1\n", "2:4 yaml_forbidden_feature"),
        ("a: *x\n", "2:4 yaml_forbidden_feature"),
        ("a: !!str 1\n", "2:4 yaml_forbidden_feature"),
        ("a: !!python/object:os.system x\n", "2:4 yaml_forbidden_feature"),
        ("<<: {a: 1}\n", "2:1 yaml_forbidden_feature"),
        ("? a\n: b\n", "2:1 yaml_forbidden_feature, 3:1 yaml_invalid"),
        ("[a]: b\n", "2:1 yaml_forbidden_feature"),
        ("--- \n", "2:1 yaml_forbidden_feature"),
        ("...\n", "2:1 yaml_forbidden_feature"),
        ("%YAML 1.1\n", "2:1 yaml_forbidden_feature"),
        ("a:\n\tb: 1\n", "3:1 yaml_invalid"),
        ("a:\tb\n", "2:1 yaml_invalid"),
        ("a: b\tc\n", "2:4 yaml_invalid"),
        ("a: 1\na: 2\n", "3:1 yaml_duplicate_key"),
        ("m:\n  a: 1\n  \"a\": 2\n", "4:3 yaml_duplicate_key"),
        ("m: {a: 1, a: 2}\n", "2:11 yaml_duplicate_key"),
        ("l:\n  - a: 1\n    a: 2\n", "4:5 yaml_duplicate_key"),
        ("gr\u{f6}\u{df}e: 1\n", "2:1 yaml_invalid"),
        ("yes: 1\n", "2:1 yaml_invalid"),
        ("1: a\n", "2:1 yaml_invalid"),
        ("a: no\n", "2:4 yaml_invalid"),
        ("created_utc: 2026-02-09T16:10:30Z\n", "2:14 yaml_invalid"),
        ("a: b: c\n", "2:4 yaml_invalid"),
        ("a: @b\n", "2:4 yaml_invalid"),
        ("a: \"b\" c\n", "2:8 yaml_invalid"),
        ("a: [1, 2\n  , 3]\n", "2:4 yaml_invalid"),
        ("a: [what?]\n", "2:5 yaml_invalid"),
        ("a: [x,]\n", "2:7 yaml_invalid"),
        ("a: {b:1}\n", "2:7 yaml_invalid"),
        ("a:b\n", "2:1 yaml_invalid"),
        ("- a\n", "2:1 yaml_invalid"),
        ("  a: 1\n", "2:3 yaml_invalid"),
        ("a:\n    b: 1\n  c: 2\n", "4:3 yaml_invalid"),
        ("a: \"x\\0y\"\n", "2:6 control_character"),
        ("a: \"x\\u202ey\"\n", "2:6 bidi_control"),
        ("a: \"\\L\"\n", "2:5 line_separator"),
        ("a: \"\\ud83d\\ude00\"\n", "2:5 yaml_invalid"),
        ("a: \"\\d\"\n", "2:5 yaml_invalid"),
        ("a: [[[[[[[[1]]]]]]]]\n", "2:11 front_matter_too_large"),
        ("a:\n - - - - - - - - 1\n", "3:16 front_matter_too_large"),
    ] {
        assert_eq!(refused(front_matter), expected, "{front_matter:?}");
    }
}

#[test]
fn the_fences_are_exact() {
    for (text, code) in [
        ("", "front_matter_missing"),
        ("\n---\na: 1\n---\n", "front_matter_missing"),
        ("--- \na: 1\n---\n", "front_matter_missing"),
        ("----\na: 1\n---\n", "front_matter_missing"),
        ("---\na: 1\n", "front_matter_unclosed"),
        ("---\na: 1\n----\n", "front_matter_unclosed"),
        ("---\na: 1\n---x", "front_matter_unclosed"),
    ] {
        let reasons = front_matter::read(text, "x.md", Kind::Request).unwrap_err();
        assert_eq!(reasons[0].code.as_str(), code, "{text:?}");
    }
    let document = front_matter::read("---\na: 1\n---\nx\n---\n", "x.md", Kind::Request).unwrap();
    assert_eq!((document.body, document.body_line), ("x\n---\n", 4));
    assert_eq!(front_matter::read("---\n---", "x.md", Kind::Request).unwrap().entries, []);
}

#[test]
fn a_value_of_several_lines_is_what_its_writer_meant_in_a_request_and_refused_in_a_result() {
    for (front_matter, value) in [
        ("a: one\n  two\n   three # note\nb: 1\n", "one two three"),
        ("a: 'one\n  it''s\n\n  two'  # note\n", "one it's\ntwo"),
        ("a: \"one\n  two\\\n  \\ three\\n\"\n", "one two three\n"),
        ("a: \"\\\n  one\"\n", "one"),
        ("a: |-\n  # one\n    two: 'x'\n\n  three\n\n\nb: 1\n", "# one\n  two: 'x'\n\nthree"),
        ("a: | # note\n  one\n  two\n", "one\ntwo\n"),
        ("a: >-\n  one\n  two\n\n  three\n# note\nb: 1\n", "one two\nthree"),
        ("a: >\n one\n", "one\n"),
        ("a: |\nb: 1\n", ""),
        ("a:\n  one\n  two\nb: 1\n", "one two"),
        ("a: # note\n\n  \"one\n  two: three\"\n", "one two: three"),
        ("a:\n  'one'\n", "one"),
        ("a: one\n  % &two\n  \"three\" [\n", "one % &two \"three\" ["),
        ("a:\n  'it''s\n  one'\n", "it's one"),
        ("a:\n  >-\n  one\n", "one"),
        ("a: |2-\n\n    one\n  two\n", "\n  one\ntwo"),
        ("a: |+\n  one\n\n\nb: 1\n", "one\n\n\n"),
        ("a: >+2\n  one\n\n", "one\n\n"),
        ("a: |+\n\nb: 1\n", "\n"),
    ] {
        let read = ours(front_matter).unwrap_or_else(|reasons| panic!("{front_matter:?}: {reasons:?}"));
        assert_eq!(read["a"], value, "{front_matter:?}");
        assert_eq!(theirs(front_matter).unwrap(), read, "{front_matter:?}");
        let text = format!("---\n{front_matter}---\n");
        assert!(front_matter::read(&text, "x.md", Kind::Result).is_err(), "{front_matter:?}");
    }
    let nested = "l:\n- one\n  two\n- \"one\n  two\"\n- k: >-\n    one\n    two\n  m: 'one\n\n    two'\n- |-\n  one\n";
    assert_eq!(
        ours(nested).unwrap(),
        serde_json::json!({"l": ["one two", "one two", {"k": "one two", "m": "one\ntwo"}, "one"]})
    );
    assert_eq!(ours("l:\n- 'it''s\n  b'\n").unwrap(), serde_json::json!({"l": ["it's b"]}));
    assert_eq!(theirs(nested).unwrap(), ours(nested).unwrap());
}

#[test]
fn hostile_sizes_are_refused_quickly_and_with_few_reasons() {
    let large = format!("---\n{}---\n", "a: 1\n".repeat(4_000));
    assert_eq!(
        front_matter::read(&large, "x.md", Kind::Request).unwrap_err()[0].code.as_str(),
        "front_matter_too_large"
    );
    for front_matter in ["[".repeat(16_000), "- ".repeat(8_000), "&\n".repeat(8_000), "a: \"\\".repeat(3_000)] {
        let reasons = ours(&format!("{front_matter}\n")).unwrap_err();
        assert!(reasons.len() <= front_matter::FAULTS_MAX, "{}", reasons.len());
    }
}

/// Lines that are close to front matter: fragments of YAML, put together without regard to its rules.
fn near_yaml() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "a", "b", "key", "a: ", "b: ", "- ", "-", ":", ": ", " ", "  ", "\n", "\n", "\n  ", "\n- ", "\na: ", "\nb:",
        "\n  - ", "\"", "'", "\\n", "\\x41", "[", "]", "{", "}", ", ", ",", "#", " #", "1", "0", ".", "true", "no",
        "~", "&a", "*a", "!", "|", ">", "?", "%", "@", "é", "\t", "1.5", "-3", "=", "e3", "_", "---", "...", "{a: ",
        "[]", "{}", "'x'", "\"y\"", "x:y", "12:30", "\u{a0}", "|\n  ", "|-\n  ", "|+\n ", "|2\n   ", ">+1\n ",
        ">-\n  ", ">\n    ", "\\\n  ", "\n\n  ", "\n   ", "'", "\n ",
    ];
    proptest::collection::vec(proptest::sample::select(PARTS), 0..14)
        .prop_map(|parts| format!("a: {}\n", parts.concat()))
        .prop_filter("a fence would end it", |text| !text.lines().any(|line| line == "---"))
}

/// Any value, written in one of the forms that the subset knows.
fn written() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        (any::<i32>(), 0_u32..1000).prop_map(|(whole, part)| format!("{whole}.{part:03}")),
        any::<bool>().prop_map(|boolean| boolean.to_string()),
        "[a-z][a-z/@.:=*!&-]{0,8}[a-z]",
        "[ -~é漢]{0,12}".prop_map(|text| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))),
        "[ -~é漢]{0,12}".prop_map(|text| format!("'{}'", text.replace('\'', "''"))),
    ];
    let flow = scalar.clone().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(", "))),
            proptest::collection::vec(inner, 0..3).prop_map(|items| {
                let entries: Vec<_> = items.iter().zip('k'..).map(|(item, key)| format!("{key}k: {item}")).collect();
                format!("{{{}}}", entries.join(", "))
            }),
        ]
    });
    let entry = prop_oneof![
        flow.clone().prop_map(|value| format!(" {value}\n")),
        proptest::collection::vec(flow.clone(), 1..3)
            .prop_map(|items| items.iter().fold("\n".to_owned(), |text, item| format!("{text}  - {item}\n"))),
        (flow.clone(), flow.clone()).prop_map(|(one, two)| format!("\n- m: {one}\n  n: # note\n  - {two}\n")),
        (scalar, flow).prop_map(|(one, two)| format!(" # note\n  m: {one}  # note\n\n  n:\n      {{o: {two}}}\n")),
    ];
    proptest::collection::vec(entry, 0..4).prop_map(|entries| {
        entries.iter().zip('a'..).map(|(entry, key)| format!("{key}{key}:{entry}")).collect::<Vec<_>>().concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn every_accepted_document_means_the_same_to_serde_yaml(front_matter in prop_oneof![near_yaml(), written()]) {
        if let Ok(value) = ours(&front_matter) {
            prop_assert_eq!(theirs(&front_matter).map_err(|error| error.to_string()), Ok(value), "{:?}", front_matter);
        }
    }
}
