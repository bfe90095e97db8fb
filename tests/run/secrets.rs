//! Secrets: where they come from, what gets them, and that nothing that is written down holds one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::site::{Bundle, Request, Site, names, text, until};

const SECRET: &str = "s3cr3t/Value+with \"signs\" é";

/// Prints and leaves the secret in every form that is looked for.
const ECHO: &str = r#"
import base64, json, os, sys, urllib.parse
secret = os.environ["API_KEY"]
raw = secret.encode()
assert all(secret not in argument for argument in sys.argv)
forms = [
    secret, raw.hex(), raw.hex().upper(), urllib.parse.quote(secret, safe=""), urllib.parse.quote_plus(secret),
    urllib.parse.quote(secret), json.dumps(secret), json.dumps(secret, ensure_ascii=False), json.dumps(secret).replace("/", "\\/"),
]
for before in (b"", b"u", b"us"):
    forms += [base64.b64encode(before + raw + b":x").decode(), base64.urlsafe_b64encode(before + raw + b":x").decode()]
text = "\n".join(forms)
print(text, file=sys.stderr)
os.chdir(os.environ["TOOLCLAD_OUTPUT_DIR"])
open("forms.txt", "w").write(text)
for name in (secret, raw.hex(), base64.urlsafe_b64encode(raw).decode()):
    os.makedirs(os.path.dirname("d/" + name), exist_ok=True)
    open("d/" + name, "w").write("x")
    open("d/" + name + ".txt", "w").write("y")
os.symlink("/nowhere", raw.hex())
hidden = "".join("\\u%04x" % ord(character) for character in secret)
sys.stdout.write('{"%s": ["a %s b"]}' % (hidden, hidden))
"#;

/// Every file below a folder that holds one of these texts, or has it in its path.
fn leaks(folder: &Path, forms: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned();
        let content = if entry.file_type().is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        let holds =
            |form: &&String| path.contains(form.as_str()) || memchr::memmem::find(&content, form.as_bytes()).is_some();
        found.extend(forms.iter().find(holds).map(|form| format!("{form} in {path}")));
    }
    found
}

/// The forms of the secret that a person could read back, each long enough to stand nowhere by chance.
fn forms() -> Vec<String> {
    let hexadecimal = SECRET.bytes().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let mut forms = vec![hexadecimal.to_uppercase(), hexadecimal];
    forms.extend(
        ["s3cr3t/", "s3cr3t%2F", "s3cr3t\\/", "Value+with", "Value%2Bwith", "\\u0073\\u0033\\u0063"].map(str::to_owned),
    );
    // The Base64 of "s3cr3t" at each place of a group, without what the neighbours decide.
    forms.extend(["czNjcjN0", "MzY3IzdC", "zM2NyM3Q", "N6cjN0L"].map(str::to_owned));
    forms
}

fn with_tool(command: &str, format: &str) -> Site {
    let site = Site::new();
    let manifest = format!(
        "[tool]\nname = \"login\"\nversion = \"1\"\ndescription = \"Uses a secret\"\nbinary = \"python3\"\n\
         [command]\n{command}\n[output]\nformat = \"{format}\"\nparser = \"builtin:{format}\"\n[output.schema]\ntype = \"object\"\n"
    );
    site.manifest("login", &manifest);
    site
}

fn answered(site: &Site, script: &str) -> Bundle {
    let request = Request::call("login", "login").input("use", script.as_bytes());
    site.rename_in(&request);
    site.up();
    site.result(&request.id)
}

const IN_ENVIRONMENT: &str = "exec = [\"python3\", \"in/use\"]\nenv = { API_KEY = \"{_secret:token}\" }";
const IN_ARGUMENT: &str = "exec = [\"python3\", \"in/use\", \"{_secret:token}\"]";

#[test]
fn a_tool_that_prints_its_secret_in_every_form_leaves_none_of_them_below_the_site() {
    let site = with_tool(IN_ENVIRONMENT, "json").with_variable("TOOLCLAD_SECRET_TOKEN", SECRET);
    let bundle = answered(&site, ECHO);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    let results = bundle.evidence()["results"].clone();
    assert_eq!(results, serde_json::json!({"[redacted:token]": ["a [redacted:token] b"]}));
    assert_eq!(leaks(&site.root, &forms()), [""; 0]);
    assert!(bundle.read("artifacts/out/forms.txt").starts_with("[redacted:token]\n[redacted:token]\n"));
    let files = names(&bundle.0.join("artifacts/out/d"));
    let expected = [
        "redacted-token",
        "redacted-token-2",
        "redacted-token-3",
        "redacted-token.txt",
        "redacted-token.txt-2",
        "redacted-token.txt-3",
    ];
    assert_eq!(files, expected);
    let document = bundle.document();
    for expected in [
        "times in the tool's streams and files; they were redacted.",
        "Secrets were found once in the sentences about the run",
    ] {
        assert!(document.contains(expected), "{expected}: {document}");
    }
}

#[test]
fn a_secret_that_only_a_parser_decodes_does_not_reach_the_results() {
    let site = with_tool(IN_ENVIRONMENT, "json").with_variable("TOOLCLAD_SECRET_TOKEN", "hunter2-hunter2");
    let print = r#"import os; k = os.environ["API_KEY"]; h = "\\u%04x" % ord(k[0]) + k[1:]; print('{"%s": ["a %s b"]}' % (h, h))"#;
    let bundle = answered(&site, print);
    assert_eq!(bundle.evidence()["results"], serde_json::json!({"[redacted:token]": ["a [redacted:token] b"]}));
    assert!(bundle.document().contains("Secrets were found 2 times in the parsed results; they were redacted."));
    assert_eq!(leaks(&site.root, &["hunter2-hunter2".to_owned()]), [""; 0]);
}

#[test]
fn a_secret_is_taken_from_a_private_file_and_each_of_its_lines_is_replaced() {
    let site = with_tool(IN_ENVIRONMENT, "text");
    let folder = site.root.with_file_name("secrets");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("token");
    fs::write(&file, "-----BEGIN KEY-----\nMIGkAgEBBDDqs\nYvhWFyKQ==\n-----END KEY-----\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    site.configure(&format!("[inbox]\nsettle_ms = 50\n[secrets]\nfolder = {folder:?}\n"));
    let bundle = answered(
        &site,
        "import os\nprint(os.environ['API_KEY'].replace('\\n', '\\r\\n  '))\nprint(len(os.environ['API_KEY']))",
    );
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    let line = "[redacted:token]\r\n  ";
    assert_eq!(bundle.read("artifacts/stdout.txt"), format!("{}[redacted:token]\n62\n", line.repeat(3)));
    assert_eq!(leaks(&site.root, &["MIGkAgEBBDDqs".to_owned(), "YvhWFyKQ".to_owned()]), [""; 0]);
}

#[test]
fn a_secret_that_cannot_be_had_is_refused_by_its_name_before_anything_runs() {
    for (variable, code, said) in [
        (None, "secret_missing", "The secret token is not set."),
        (Some("x"), "secret_unusable", "TOOLCLAD_SECRET_TOKEN has fewer than 4 bytes"),
    ] {
        let mut site = with_tool(IN_ARGUMENT, "text");
        if let Some(value) = variable {
            site = site.with_variable("TOOLCLAD_SECRET_TOKEN", value);
        }
        for command in [&["tools", "plan", "login"][..], &["submit", "--dry-run", "--tool", "login"]] {
            let outcome = site.gatepost(command).ends(2);
            assert!(outcome["error"]["errors"][0]["code"] == code, "{outcome}");
            assert!(outcome["error"]["message"].as_str().unwrap().contains(said), "{outcome}");
        }
        // Whoever submits need not have what TOOL-EXEC has.
        site.gatepost(&["submit", "--tool", "login"]).succeeds();
        let bundle = answered(&site, "");
        assert_eq!(bundle.reasons(), [code]);
        assert!(bundle.document().contains(said), "{}", bundle.document());
    }
}

#[test]
fn a_tool_that_would_be_shown_the_folder_of_secrets_is_refused_before_anything_runs() {
    let site = with_tool("exec = [\"python3\", \"in/use\"]\n[sandbox]\nread_only_paths = [\"/srv/keeper\"]", "text");
    site.configure("[inbox]\nsettle_ms = 50\n[secrets]\nfolder = \"/srv/keeper/secrets\"\n");
    let said = "[sandbox] read_only_paths contains \"/srv/keeper\", where secrets are stored.";
    let checked = site.gatepost(&["tools", "check", "login"]).ends(79);
    assert_eq!(checked["data"]["tools"][0]["errors"][0]["message"], said);
    let bundle = answered(&site, "");
    assert_eq!(bundle.reasons(), ["manifest_invalid"]);
    assert!(bundle.document().contains("where secrets are stored"), "{}", bundle.document());
}

#[test]
fn the_check_of_a_manifest_warns_of_a_secret_in_an_argument() {
    for (command, expected) in [(IN_ARGUMENT, 1), (IN_ENVIRONMENT, 0)] {
        let checked = with_tool(command, "text").gatepost(&["tools", "check", "login"]).succeeds();
        let warnings = checked["data"]["tools"][0]["warnings"].as_array().unwrap().clone();
        assert_eq!(warnings.len(), expected, "{warnings:?}");
        assert!(
            warnings.iter().all(|warning| text(&warning["message"]).contains("The secret token is in an argument"))
        );
    }
}

#[test]
fn while_a_tool_with_a_secret_runs_what_it_printed_is_its_owners_alone() {
    let site = with_tool(IN_ARGUMENT, "text").with_variable("TOOLCLAD_SECRET_TOKEN", SECRET);
    let request = Request::call("login", "login")
        .input("use", b"import sys, time\nprint(sys.argv[1], flush=True)\ntime.sleep(60)");
    site.rename_in(&request);
    let watcher = site.watch("exec");
    let staging = site.path(&format!("outbox/.tmp/{}", request.id));
    let stdout = staging.join("artifacts/stdout.txt");
    until("the output", || fs::read_to_string(&stdout).is_ok_and(|text| text.contains(SECRET)));
    for folder in [staging, site.path(&format!("var/exec/running/{}/work", request.id))] {
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700, "{folder:?}");
    }
    drop(watcher);
}

#[test]
fn a_secret_that_a_tool_printed_before_it_was_interrupted_is_not_published() {
    let site = Site::new().without_walls();
    let manifest = "[tool]\nname = \"login\"\nversion = \"1\"\ndescription = \"Uses a secret\"\nbinary = \"sh\"\n\
        [command]\nexec = [\"sh\", \"in/use\", \"{_secret:token}\"]\n[output]\nformat = \"text\"\n\
        parser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n";
    site.manifest("login", manifest);
    let script = "echo \"$1\"\necho \"$1\" >&2\nsleep 60\n";
    let request = Request::call("login", "login").input("use", script.as_bytes());
    site.rename_in(&request);
    let site = site.with_variable("TOOLCLAD_SECRET_TOKEN", SECRET);
    let bundle = site.interrupted(&request.id, "stderr");
    assert!(bundle.document().contains("were left out"), "{}", bundle.document());
    assert_eq!(leaks(&site.root, &[SECRET.to_owned()]), [""; 0]);
}

#[test]
fn a_tool_whose_names_become_the_same_by_redaction_is_answered_with_all_that_was_measured() {
    let site = with_tool(IN_ENVIRONMENT, "json").with_variable("TOOLCLAD_SECRET_TOKEN", "AbCd-eFgH-1234");
    let bundle = answered(
        &site,
        "import os, sys\nt = os.environ['API_KEY']\nos.makedirs('out/' + t)\nopen('out/' + t + '/x', 'w').write('x')\n\
         open('out/' + t.encode().hex(), 'w').write('y')\nprint('{}')\nprint(t, file=sys.stderr)\n",
    );
    let evidence = bundle.evidence();
    assert_eq!((&evidence["status"], &evidence["exit_code"]), (&"success".into(), &0.into()), "{evidence}");
    assert_eq!(bundle.read("artifacts/out/redacted-token"), "y");
    assert_eq!(bundle.read("artifacts/out/redacted-token-2/x"), "x");
    assert!(leaks(&site.root, &["AbCd-eFgH-1234".to_owned(), "416243642d".to_owned()]).is_empty());
}

#[test]
fn a_fault_after_the_run_loses_nothing_that_was_measured_and_leaves_no_secret() {
    let site = with_tool(IN_ENVIRONMENT, "json").with_variable("TOOLCLAD_SECRET_TOKEN", SECRET);
    let script = b"import os, time\nprint(os.environ['API_KEY'])\nopen('out/x', 'w')\ntime.sleep(2)\n";
    let request = Request::call("leaves", "login").input("use", script);
    let watcher = site.watch("exec");
    site.rename_in(&request);
    let artifacts = site.path("outbox/.tmp").join(&request.id).join("artifacts");
    until("the tool to run", || artifacts.is_dir());
    // What takes the place of a folder of the site is a fault of the world, and it comes after the run.
    fs::write(artifacts.join("out"), "in the way").unwrap();
    until("a published answer", || !names(&site.path("outbox")).is_empty());
    drop(watcher);
    site.gatepost(&["gate", "--once"]).succeeds();
    let evidence = site.result(&request.id).evidence();
    assert_eq!((&evidence["error"]["code"], &evidence["exit_code"]), (&"INTERRUPTED".into(), &(-1).into()));
    assert!(evidence["duration_ms"].as_u64().unwrap() >= 2_000, "{evidence}");
    assert_eq!(evidence["stop_reason"], "completed", "{evidence}");
    assert!(evidence["anomalies"].to_string().contains("The tool ended, but its result could not be sealed"));
    assert!(leaks(&site.root, &["s3cr3t/".to_owned()]).is_empty());
}
