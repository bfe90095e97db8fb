//! The manifest's schema and its reader agree: on what is right, and on every key that is unknown or of a wrong type.

use std::collections::BTreeSet;
use std::fs;

use gatepost_contract::manifest::{CustomTypes, Manifest, schema, starter};
use jsonschema::Validator;
use serde_json::{Value, json};

use super::{faults, files, root, toml_as_json, validator};

const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const TOOL: &str = "[tool]\nname = 't'\nversion = '1'\ndescription = 'd'\n";
const OUTPUT: &str =
    "[output]\nformat = 'json'\nparser = 'scripts/p.py'\nenvelope = true\nschema = {type = 'object'}\n";

/// Manifests that together use every key.
fn complete() -> Vec<String> {
    let command = format!(
        "{TOOL}binary = 'x'\nmode = 'oneshot'\ndispatch = 'exec'\ntimeout_seconds = 5\nrisk_tier = 'high'\n\
         human_approval = true\napprovers = 2\nidempotent = true\ncedar = {{resource = 'Pen::Target', action = 'a'}}\n\
         evidence = {{output_dir = 'd', capture = true, hash = 'sha256', screenshots = false}}\n\
         scope = {{targets = ['10.0.0.0/8'], domains = ['*.example.com'], exclude = ['10.0.0.1']}}\nschemapin = {{anything = 1}}\n\
         [args.text]\ntype = 'string'\nposition = 1\nrequired = true\ndescription = 'd'\nallow_leading_dash = true\n\
         sensitive = true\npattern = '^a'\nmax_length = 9\nsanitize = ['injection']\nfeeds_decision = true\n\
         [args.kind]\ntype = 'enum'\nallowed = ['a', 'b']\ndefault = 'a'\n\
         [args.count]\ntype = 'integer'\nmin = 1\nmax = 5\nclamp = true\ndefault = 2\n\
         [args.ratio]\ntype = 'number'\nmin_float = 0.5\nmax_float = 1.5\n\
         [args.link]\ntype = 'url'\nschemes = ['https']\nscope_check = true\n\
         [command]\nexec = ['x', '{{_kind}}', '{{_many}}', '--', 'a{{text}}', 'n{{count}}', 'r{{ratio}}', 'l{{link}}', 'c{{level}}']\n\
         defaults = {{level = 3}}\nenv = {{KEY = '{{_secret:key}}'}}\nmappings.kind = {{a = '-a', b = '-b'}}\n\
         conditionals.many = {{when = 'count != 1', template = '--many'}}\nsuccess_exit_codes = [0, 1]\n\
         [limits]\ncpu = 5\nmemory_mb = 64\nstdout_bytes = 1000\nfiles = 16\n\
         [sandbox]\nminimum = 'landlock'\nnetwork = false\nrefused_network = 'error'\nread_only_paths = ['/usr/share/dict']\n{OUTPUT}"
    );
    let commands = "commands.look = {pattern = '^a', description = 'd', risk_tier = 'low', human_approval = true, extract_target = false, args = {n = {type = 'port'}}}\n";
    let said = commands.replace("description = 'd', ", "description = 'd', template = 'a {n}', ");
    let driven =
        commands.replace("look", "navigate").replace("n = {type = 'port'}", "url = {type = 'url', required = true}");
    let bounds =
        "startup_timeout_seconds = 1\nidle_timeout_seconds = 1\nsession_timeout_seconds = 1\nmax_interactions = 1\n";
    vec![
        command,
        format!("{TOOL}binary = 'x'\n[command]\ntemplate = 'x y'\n{OUTPUT}"),
        format!("{TOOL}[args.a]\ntype = 'path'\n[command]\nexecutor = 'scripts/x.sh'\n{OUTPUT}"),
        format!("{TOOL}[command]\nexecutor = '/opt/x/y.sh'\n[sandbox]\nread_only_paths = ['/opt/x']\n{OUTPUT}"),
        format!("{TOOL}[args.a]\ntype = 'literal_text'\n[browser]\nextract_mode = 'text'\n"),
        format!(
            "{TOOL}[args.a]\ntype = 'string'\n[http]\nmethod = 'POST'\nurl = 'https://a.org/'\nheaders = {{Accept = 'text/plain'}}\n\
             body_template = '{{\"a\": \"{{a}}\"}}'\nsuccess_status = [200]\nerror_status = [404]\n{OUTPUT}"
        ),
        format!(
            "{TOOL}[args.a]\ntype = 'string'\n[mcp]\nserver = 's'\ntool = 't'\nfield_map = {{a = 'b'}}\nschema_sha256 = '{DIGEST}'\n{OUTPUT}"
        ),
        format!(
            "{TOOL}mode = 'session'\n[session]\nstartup_command = 'x y'\nready_pattern = '>'\nerror_pattern = 'E'\n{bounds}{said}\
             interaction = {{input_sanitize = ['injection'], output_max_bytes = 1, output_wait_ms = 1}}\n{OUTPUT}"
        ),
        format!(
            "{TOOL}mode = 'browser'\n[browser]\nengine = 'cdp'\nheadless = true\nconnect = 'live'\ndefaults = {{extract_mode = 'html'}}\n{bounds}{driven}\
             scope = {{allowed_domains = ['a.org'], blocked_domains = ['b.a.org'], allow_external = true}}\n\
             state = {{fields = ['url']}}\n{OUTPUT}"
        ),
        "tool = {name = 't', version = '1', description = 'd', dispatch = 'callback'}\nargs.a.type = 'string'\n"
            .to_owned(),
    ]
}

/// `serde_json` passes its numbers on in a form of its own.
fn as_toml(value: &Value) -> toml::Value {
    match value {
        Value::Null => panic!("TOML has no null"),
        Value::Bool(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => number.as_i64().map_or_else(|| number.as_f64().unwrap().into(), toml::Value::from),
        Value::Array(items) => toml::Value::Array(items.iter().map(as_toml).collect()),
        Value::Object(members) => {
            toml::Value::Table(members.iter().map(|(name, value)| (name.clone(), as_toml(value))).collect())
        }
    }
}

fn reads(manifest: &Value) -> Result<(), String> {
    let text = toml::to_string(&as_toml(manifest)).unwrap();
    let read = Manifest::parse(&text, "t.clad.toml", &CustomTypes::default());
    read.map(drop).map_err(|reasons| reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// The places of all values below one, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    if let Value::Object(members) = value {
        for (key, member) in members {
            let at = format!("{at}/{key}");
            found.push(at.clone());
            places(member, &at, found);
        }
    }
}

/// Whether a table may have any key.
fn is_free(place: &str) -> bool {
    let free =
        ["args", "defaults", "env", "mappings", "kind", "conditionals", "headers", "field_map", "commands", "schema"];
    place.rsplit('/').next().is_some_and(|name| free.contains(&name) && place != "/args/kind")
        || place == "/tool/schemapin"
}

fn assert_both_refuse(validator: &Validator, manifest: &Value, what: &str) {
    assert!(!validator.is_valid(manifest), "the schema takes {what}");
    assert!(reads(manifest).is_err(), "the reader takes {what}");
}

#[test]
fn every_sample_and_the_starter_satisfy_the_schema() {
    let validator = validator("manifest");
    let samples = files(&root().join("tools"), ".clad.toml");
    assert!(samples.len() >= 4);
    let samples = samples.iter().map(|path| fs::read_to_string(path).unwrap());
    for text in samples.chain([starter("my_tool")]).chain(complete()) {
        let manifest = toml_as_json(&text);
        assert_eq!(reads(&manifest), Ok(()), "{text}");
        assert_eq!(faults(&validator, &manifest), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_schema_knows_no_key_that_the_reader_does_not() {
    fn properties(schema: &Value, found: &mut BTreeSet<String>) {
        match schema {
            Value::Object(members) => {
                if let Some(Value::Object(keys)) = members.get("properties") {
                    found.extend(keys.keys().cloned());
                }
                members.values().for_each(|member| properties(member, found));
            }
            Value::Array(members) => members.iter().for_each(|member| properties(member, found)),
            _ => {}
        }
    }
    let mut known = BTreeSet::new();
    properties(&schema(), &mut known);
    let mut used = Vec::new();
    for text in complete() {
        places(&toml_as_json(&text), "", &mut used);
    }
    let used: BTreeSet<&str> = used.iter().filter_map(|place| place.rsplit('/').next()).collect();
    let unused: Vec<_> = known.iter().filter(|key| !used.contains(key.as_str())).collect();
    assert!(unused.is_empty(), "no accepted manifest of this test uses {unused:?}");
}

#[test]
fn both_refuse_a_key_that_is_unknown() {
    let validator = validator("manifest");
    for text in complete() {
        let manifest = toml_as_json(&text);
        let mut all = vec![String::new()];
        places(&manifest, "", &mut all);
        for place in all.iter().filter(|place| !is_free(place)) {
            let mut mutated = manifest.clone();
            let Some(table) = mutated.pointer_mut(place).and_then(Value::as_object_mut) else { continue };
            table.insert("unknown".to_owned(), "x".into());
            assert_both_refuse(&validator, &mutated, &format!("{place}/unknown in\n{text}"));
        }
    }
}

#[test]
fn both_refuse_a_value_of_a_wrong_type() {
    let validator = validator("manifest");
    for text in complete() {
        let manifest = toml_as_json(&text);
        let mut all = Vec::new();
        places(&manifest, "", &mut all);
        // What stands in a schema or in another implementation's table is nobody's to check here.
        for place in all.iter().filter(|place| !["/schema/", "/schemapin/any"].iter().any(|free| place.contains(free)))
        {
            let mut mutated = manifest.clone();
            let value = mutated.pointer_mut(place).unwrap();
            *value = if value.is_array() { json!("x") } else { json!([1]) };
            assert_both_refuse(
                &validator,
                &mutated,
                &format!("{place} = {value} in\n{text}", value = mutated.pointer(place).unwrap()),
            );
        }
    }
}

#[test]
fn whatever_breaks_the_schema_is_refused_by_the_reader() {
    let validator = validator("manifest");
    for text in complete() {
        let manifest = toml_as_json(&text);
        let mut all = Vec::new();
        places(&manifest, "", &mut all);
        for place in &all {
            let (parent, key) = place.rsplit_once('/').unwrap();
            let mut removed = manifest.clone();
            removed.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
            let others =
                [json!("other"), json!(""), json!(0), json!(-1), json!(1u64 << 40), json!(true), json!([]), json!({})];
            let replaced = others.map(|other| {
                let mut replaced = manifest.clone();
                *replaced.pointer_mut(place).unwrap() = other;
                replaced
            });
            for mutated in replaced.into_iter().chain([removed]) {
                let found = faults(&validator, &mutated);
                assert!(found.is_empty() || reads(&mutated).is_err(), "{place}: {found:?}\n{mutated:#}");
            }
        }
    }
}
