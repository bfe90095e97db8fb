//! What a package takes from the program beside itself: completions and manual pages, made from its own definitions.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::site::{GATEPOST, names, program};

fn gatepost(arguments: &[&str]) -> Output {
    Command::new(GATEPOST).args(arguments).current_dir("/").env_remove("GATEPOST_SITE").output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The commands of the program as words, and those that others follow, as it lists them for programs.
pub(crate) fn commands() -> Vec<Vec<String>> {
    let tree: serde_json::Value = serde_json::from_slice(&gatepost(&["manifest"]).stdout).unwrap();
    let paths = tree["data"]["commands"].as_object().unwrap().keys().filter(|path| !path.is_empty() && *path != "help");
    let found: Vec<Vec<String>> = paths.map(|path| path.split('.').map(str::to_owned).collect()).collect();
    assert!(found.len() > 40, "{found:?}");
    found
}

/// What a program prints about a script on its stdin, and whether it took it.
fn fed(program: &str, arguments: &[&str], script: &[u8]) -> (bool, String) {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(script).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn every_command_has_a_manual_page_that_formats_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    let written = gatepost(&["man", "--out", out.to_str().unwrap()]);
    assert!(written.status.success(), "{}", text(&written));
    let expected: BTreeSet<String> = commands()
        .into_iter()
        .map(|words| format!("gatepost-{}.1", words.join("-")))
        .chain(["gatepost.1".to_owned()])
        .collect();
    assert_eq!(names(&out).into_iter().collect::<BTreeSet<_>>(), expected);
    for page in expected {
        let bytes = fs::read(out.join(&page)).unwrap();
        let name = format!("\n{} - ", page.trim_end_matches(".1"));
        let plain = String::from_utf8_lossy(&bytes).replace('\\', "");
        assert!(plain.contains(&name), "{page} names itself otherwise");
        let (formats, shown) = fed("groff", &["-K", "utf8", "-man", "-T", "utf8", "-ww", "-z"], &bytes);
        assert!(formats && shown.is_empty(), "{page}: {shown}");
    }
    let again = gatepost(&["man", "--out", out.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(6), "{}", text(&again));
}

#[test]
fn bash_reads_the_completions_and_offers_commands_and_flags() {
    let script = gatepost(&["completions", "bash"]);
    let asked = "\ncomplete -p gatepost >&2\nCOMP_WORDS=(gatepost quar); COMP_CWORD=1; _gatepost gatepost quar gatepost\n\
                 printf '%s\\n' \"${COMPREPLY[@]}\"\n\
                 COMP_WORDS=(gatepost tools plan --in); COMP_CWORD=3; _gatepost gatepost --in plan\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    let (took, shown) = fed("bash", &["--norc", "-u"], &[script.stdout, asked.as_bytes().to_vec()].concat());
    assert!(took, "{shown}");
    for offered in ["quarantine", "--input"] {
        assert!(shown.lines().any(|line| line == offered), "{offered}: {shown}");
    }
}

#[test]
fn the_completions_of_each_shell_name_every_command_and_no_output_setting_changes_them() {
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&gatepost(&["completions", shell]));
        for words in commands() {
            let name = words.last().unwrap();
            assert!(script.contains(name.as_str()), "{shell}: {name}");
        }
        assert_eq!(text(&gatepost(&["--output", "text", "completions", shell])), script);
    }
    let document: serde_json::Value =
        serde_json::from_slice(&gatepost(&["completions", "bash", "--output", "json"]).stdout).unwrap();
    assert_eq!(document["data"]["script"].as_str(), Some(text(&gatepost(&["completions", "bash"])).as_str()));
    assert_eq!(gatepost(&["completions", "elvish"]).status.code(), Some(2));
}

#[test]
fn the_page_of_the_gates_program_names_every_option_of_its_help() {
    let help = Command::new(program("gatepost-gate")).arg("--help").output().unwrap();
    let page = include_str!("../../dist/gatepost-gate.8").replace('\\', "");
    let help = text(&help);
    let options =
        help.split_whitespace().map(|word| word.trim_matches(['[', ']', ','])).filter(|word| word.starts_with("--"));
    let mut seen = 0;
    for option in options {
        assert!(page.contains(option), "{option}");
        seen += 1;
    }
    assert!(seen >= 7, "{seen}");
}

#[test]
fn the_licences_are_those_of_every_program_of_the_package() {
    let made = Command::new("dist/third_party.py").current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let licences = text(&made);
    for name in ["clap", "cedar-policy", "pulldown-cmark", "axum", "rmcp", "monty"] {
        let is_listed = licences.lines().any(|line| line.starts_with(&format!("{name} ")));
        assert!(is_listed, "{name}: {}", String::from_utf8_lossy(&made.stderr));
    }
}

#[test]
fn the_units_name_the_site_where_an_operator_changes_it_and_nowhere_else() {
    for unit in ["gatepost-exec", "gatepost-gate", "gatepost-mcp", "gatepost-fleet@"] {
        let path = format!("{}/dist/systemd/{unit}.service", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(path).unwrap();
        let naming: Vec<&str> =
            text.lines().filter(|line| !line.starts_with('#') && line.contains("/var/lib/gatepost")).collect();
        assert_eq!(
            naming,
            ["Environment=GATEPOST_SITE=/var/lib/gatepost", "ReadWritePaths=/var/lib/gatepost"],
            "{unit}"
        );
        assert!(text.contains("\nExecCondition=/usr/bin/test -e ${GATEPOST_SITE}/gatepost.toml\n"), "{unit}");
    }
}
