//! `gatepost submit`: where a request may come from, what is refused before anything is dropped, and what a repetition gets.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::site::{Ran, Request, Site, text, until};

/// Runs it in a folder of its own below the site, with something on standard input.
fn submit(site: &Site, arguments: &[&str], stdin: &[u8]) -> Ran {
    let folder = site.path("outside");
    fs::create_dir_all(&folder).unwrap();
    let mut command = site.command(&[], &[&["submit"], arguments].concat());
    let mut child = command.current_dir(folder).stdin(Stdio::piped()).spawn().unwrap();
    // Whoever refuses without reading closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    Ran(child.wait_with_output().unwrap())
}

fn code(outcome: &Value) -> String {
    text(&outcome["error"]["code"])
}

/// Writes a request outside of the inbox.
fn outside(site: &Site, request: &Request) -> PathBuf {
    let folder = site.path("outside");
    fs::create_dir_all(&folder).unwrap();
    folder.join(request.write(&folder))
}

#[test]
fn a_request_folder_is_submitted_whole_and_runs() {
    let site = Site::new();
    let request = Request::folder("whole");
    let path = outside(&site, &request);
    let path = path.to_str().unwrap();
    let foreseen = submit(&site, &[path, "--dry-run"], b"").succeeds();
    assert_eq!(foreseen["data"]["effect"], "would_create");
    assert_eq!(site.names("inbox"), [""; 0]);
    let dropped = submit(&site, &[path], b"").succeeds();
    assert_eq!(
        (&dropped["data"]["effect"], &dropped["data"]["path"]),
        (&"created".into(), &site.path("inbox").join(&request.id).to_str().unwrap().into())
    );
    site.up();
    assert_eq!(site.result(&request.id).code(), "");
    site.is_at_rest();
}

#[test]
fn a_request_folder_with_what_does_not_belong_there_is_refused_before_it_is_dropped() {
    let site = Site::new();
    let request = Request::folder("spoilt");
    let path = outside(&site, &request);
    fs::write(path.join("Thumbs.db"), "x").unwrap();
    let refused = submit(&site, &[path.to_str().unwrap()], b"").ends(2);
    assert_eq!(refused["error"]["errors"][0]["code"], "file_unlisted", "{refused}");
    assert_eq!((site.names("inbox"), site.names("inbox/.tmp")), (vec![], vec![]));
}

#[test]
fn a_request_comes_from_standard_input_from_a_file_of_any_name_and_as_json() {
    let site = Site::new();
    let markdown = Request::file("piped");
    submit(&site, &["-"], markdown.markdown().as_bytes()).succeeds();
    let named = Request::file("named");
    fs::write(site.path("outside/any-name"), named.markdown()).unwrap();
    submit(&site, &["--input-file", "any-name"], b"").succeeds();
    let json = Request::file("json");
    let payload = format!(
        "{{\"request_type\": \"tool_request\", \"schema_version\": 2, \"request_id\": \"{}\", \"created_utc\": \"2026-02-09T16:05:01Z\", \
         \"requested_by\": \"human\", \"purpose\": \"A test\", \"backend\": \"clad\", \"tool\": \"fail_with\", \"args\": {{\"status\": 0}}}}",
        json.id
    );
    submit(&site, &["--raw-payload", &payload], b"").succeeds();
    site.up();
    for request in [&markdown, &named, &json] {
        assert_eq!(site.result(&request.id).code(), "", "{}", request.id);
    }
}

#[test]
fn standard_input_that_holds_no_request_is_refused_by_what_it_is() {
    let site = Site::new();
    assert_eq!(code(&submit(&site, &["-"], b"").ends(2)), "EMPTY_STDIN");
    let large = submit(&site, &["--input-file", "-"], &vec![b'x'; 64 * 1024 + 1]).ends(2);
    assert_eq!(code(&large), "STDIN_TOO_LARGE");
    assert!(text(&large["error"]["hint"]).contains("--input-file"), "{large}");
    assert_eq!(code(&submit(&site, &["-"], b"---\npurpose: x\n---\n").ends(2)), "SCHEMA_VIOLATION");
    // A terminal has nothing to say.
    let program = site.command(&[], &["submit", "-"]);
    let words: Vec<String> = std::iter::once(program.get_program())
        .chain(program.get_args())
        .map(|word| word.to_str().unwrap().to_owned())
        .collect();
    let ran = std::process::Command::new("script")
        .args(["-qec", &words.join(" "), "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(ran.status.code(), Some(4), "{said}");
    assert!(said.contains("it is a terminal"), "{said}");
}

#[test]
fn json_is_read_to_the_letter_and_the_place_of_a_mistake_is_named() {
    let site = Site::new();
    let refused = submit(&site, &["--raw-payload", "{'request_id': 'TR-x'}"], b"").ends(2);
    assert_eq!(code(&refused), "INVALID_JSON");
    assert!(text(&refused["error"]["message"]).contains("line 1, column 2"), "{refused}");
    let piped = submit(&site, &["-"], b"{\"request_id\": \"TR-x\",}").ends(2);
    assert_eq!(code(&piped), "INVALID_JSON");
    assert!(text(&piped["error"]["message"]).contains("line 1, column 23"), "{piped}");
}

#[test]
fn a_flag_that_would_do_nothing_is_refused_by_its_name() {
    let site = Site::new();
    let request = Request::file("complete");
    let path = outside(&site, &request);
    let path = path.to_str().unwrap();
    for flags in [
        &["--purpose", "x"][..],
        &["--requested-by", "x"],
        &["--priority", "normal"],
        &["--arg", "status=1"],
        &["--expires-in", "5"],
        &["--network", "example.org:443"],
        &["--idempotency-key", "x"],
        &["--keep-open"],
    ] {
        let refused = submit(&site, &[&[path], flags].concat(), b"").ends(2);
        assert!(text(&refused["error"]["errors"][0]["param"]).starts_with(flags[0]), "{refused}");
    }
    let folder = outside(&site, &Request::folder("folder"));
    let refused = submit(&site, &[folder.to_str().unwrap(), "--input", path], b"").ends(2);
    assert!(text(&refused["error"]["message"]).starts_with("--input"), "{refused}");
    assert_eq!(site.names("inbox"), [""; 0]);
}

#[test]
fn what_has_no_end_or_is_too_much_is_no_input() {
    let site = Site::with_config("[inbox]\ninputs_bytes_max = 1000\n");
    let large = site.path("outside/large");
    fs::create_dir_all(site.path("outside")).unwrap();
    fs::write(&large, [b'x'; 1001]).unwrap();
    let large = format!("f={}", large.display());
    for (input, expected) in [("f=/dev/zero", "is not a regular file"), (&large, "have more than the 1000 bytes")] {
        let words = ["--tool", "line_count", "--arg", "file=f", "--input", input, "--dry-run"];
        let refused = submit(&site, &words, b"").ends(2);
        assert!(text(&refused["error"]["message"]).contains(expected), "{refused}");
    }
}

#[test]
fn a_forgotten_input_is_noticed_with_the_command_that_sends_it_along() {
    let site = Site::new();
    fs::create_dir_all(site.path("outside/logs")).unwrap();
    fs::write(site.path("outside/logs/app.log"), "one\ntwo\n").unwrap();
    let refused = submit(&site, &["--tool", "line_count", "--arg", "file=logs/app.log"], b"").ends(2);
    assert_eq!(code(&refused), "INPUT_FORGOTTEN");
    let hint = text(&refused["error"]["hint"]);
    assert!(hint.contains(" submit --tool line_count --arg 'file=app.log' --input logs/app.log`"), "{hint}");
    assert_eq!(site.names("inbox"), [""; 0]);
    let corrected = ["--tool", "line_count", "--arg", "file=app.log", "--input", "logs/app.log"];
    submit(&site, &corrected, b"").succeeds();
    // One that a complete request declares is found beside it.
    let request = Request::folder("beside");
    let path = outside(&site, &request).join(format!("{}.md", request.id));
    let refused = submit(&site, &[path.to_str().unwrap()], b"").ends(2);
    let hint = text(&refused["error"]["hint"]);
    assert!(hint.contains("in/lines.txt`"), "{hint}");
}

#[test]
fn nobody_waits_on_a_site_that_nobody_watches() {
    let site = Site::new();
    let call = ["--tool", "fail_with", "--arg", "status=0", "--wait"];
    let refused = submit(&site, &call, b"").ends(4);
    assert_eq!((code(&refused).as_str(), &refused["error"]["retryable"]), ("NOT_WATCHED", &true.into()));
    assert!(text(&refused["error"]["hint"]).contains("`gatepost up`"), "{refused}");
    assert_eq!(site.names("inbox"), [""; 0]);
    let _exec = site.watch("exec");
    until("the lock", || site.gatepost(&["status"]).succeeds()["data"]["exec"].is_string());
    let refused = submit(&site, &call, b"").ends(4);
    assert!(text(&refused["error"]["message"]).contains("`gatepost gate` is not running"), "{refused}");
}

#[test]
fn the_same_bytes_again_change_nothing_before_and_after_the_run() {
    let site = Site::new();
    for request in [Request::file("file"), Request::folder("folder")] {
        let path = outside(&site, &request);
        let submit = || submit(&site, &[path.to_str().unwrap()], b"").succeeds()["data"].clone();
        let first = submit();
        assert_eq!(first["effect"], "created");
        let waiting = submit();
        assert_eq!((&waiting["effect"], &waiting["path"]), (&"noop".into(), &first["path"]));
        site.up();
        let answered = submit();
        assert_eq!((&answered["effect"], &answered["request_sha256"]), (&"noop".into(), &first["request_sha256"]));
        // The answer is there: nobody has to watch.
        let waited = self::submit(&site, &[path.to_str().unwrap(), "--wait"], b"").succeeds();
        assert_eq!(waited["data"]["state"], "accepted");
        assert_eq!((site.names("inbox"), site.results(&request.id).len()), (vec![], 1));
    }
    let other = Request::file("other");
    let path = site.path("outside").join(other.name());
    fs::write(&path, other.line("priority: high").markdown()).unwrap();
    submit(&site, &[path.to_str().unwrap()], b"").succeeds();
    let again = fs::read_to_string(&path).unwrap().replace("high", "low");
    fs::write(&path, again).unwrap();
    assert_eq!(code(&submit(&site, &[path.to_str().unwrap()], b"").ends(6)), "ALREADY_EXISTS");
}

#[test]
fn a_key_of_ones_own_makes_one_request_of_several_calls() {
    let site = Site::new();
    let call = |key: &str, status: &str| {
        submit(&site, &["--tool", "fail_with", "--arg", &format!("status={status}"), "--idempotency-key", key], b"")
    };
    let first = call("nightly", "0").succeeds()["data"].clone();
    let again = call("nightly", "0").succeeds()["data"].clone();
    assert_eq!((&first["effect"], &again["effect"]), (&"created".into(), &"noop".into()));
    site.up();
    let answered = call("nightly", "0").succeeds()["data"].clone();
    for data in [&again, &answered] {
        assert_eq!((&data["request_id"], &data["request_sha256"]), (&first["request_id"], &first["request_sha256"]));
    }
    assert_eq!(code(&call("nightly", "1").ends(6)), "ALREADY_EXISTS");
    assert_eq!(call("other", "0").succeeds()["data"]["effect"], "created");
    site.up();
    assert_eq!(site.names("core/inbound").len(), 2);
}

#[test]
fn a_name_that_was_mistyped_is_answered_with_the_one_that_was_meant() {
    let site = Site::new();
    let unknown = submit(&site, &["--tool", "line_cuont", "--arg", "file=x"], b"").ends(5);
    assert!(text(&unknown["error"]["hint"]).starts_with("Did you mean line_count?"), "{unknown}");
    let unknown = submit(&site, &["--tool", "fail_with", "--arg", "statsu=0"], b"").ends(2);
    assert!(unknown["error"]["errors"].to_string().contains("Did you mean `status`?"), "{unknown}");
    let request = Request::file("mistyped").line("priorty: high");
    let path = outside(&site, &request);
    let unknown = submit(&site, &[path.to_str().unwrap()], b"").ends(2);
    assert!(unknown["error"]["errors"].to_string().contains("`priority`"), "{unknown}");
    let known = Request::file("known-one");
    site.copy_in(&known);
    for command in ["show", "wait"] {
        let unknown = site.gatepost(&[command, &known.id.replace("known-one", "known-onne")]).ends(5);
        assert!(text(&unknown["error"]["hint"]).starts_with(&format!("Did you mean {}?", known.id)), "{unknown}");
    }
}

#[test]
fn words_of_every_script_and_emoji_travel_to_an_accepted_result() {
    let site = Site::new();
    let manifest = "[tool]\nname = \"say\"\nversion = \"1.0.0\"\ndescription = \"Prints a text\"\nbinary = \"printf\"\n\
                    risk_tier = \"info\"\n[args.text]\ntype = \"literal_text\"\nrequired = true\n[command]\n\
                    exec = [\"printf\", \"%s\", \"{text}\"]\n[output]\nformat = \"text\"\nparser = \"builtin:text\"\n";
    site.manifest("say", manifest);
    let said = "I \u{2764}\u{fe0f} می\u{200c}خواهم क्\u{200d}ष \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    let call = ["--tool", "say", "--arg", &format!("text={said}"), "--purpose", said, "--requested-by", said];
    let id = text(&submit(&site, &call, b"").succeeds()["data"]["request_id"]);
    let json = Request::call("json", "say").arg("text", said);
    site.copy_in(&json);
    site.up();
    let bundle = site.result(&id);
    assert_eq!((bundle.read("artifacts/stdout.txt"), &bundle.evidence()["purpose"]), (said.to_owned(), &said.into()));
    assert_eq!(site.result(&json.id).code(), "");
    // What nobody sees stays refused.
    for hidden in ["a\u{200d}b", "a\u{fe0f}", "\u{1f3f4}\u{e0069}\u{e0067}\u{e006e}\u{e007f}"] {
        for flag in ["--arg=text=", "--purpose="] {
            let call = ["--tool", "say", "--arg=text=a", &format!("{flag}{hidden}")];
            let call = if flag.starts_with("--arg") { &[call[0], call[1], call[3]][..] } else { &call[..] };
            submit(&site, &[call, &["--dry-run"]].concat(), b"").ends(2);
        }
    }
}

#[test]
fn a_file_of_any_name_is_sent_and_an_argument_may_be_the_file() {
    let site = Site::new();
    fs::create_dir_all(site.path("outside")).unwrap();
    for name in ["My Report (final).csv", "Größe.csv", "it's.csv", "a=b.csv"] {
        fs::write(site.path("outside").join(name), "one\ntwo\n").unwrap();
        for call in [
            &["--arg", &format!("file={name}"), "--input", name][..],
            &["--arg", "file=data.csv", "--input", &format!("data.csv={name}")],
            &["--arg", &format!("file=@{name}")],
        ] {
            let dropped = submit(&site, &[&["--tool", "line_count"], call].concat(), b"").succeeds();
            site.up();
            let bundle = site.result(&text(&dropped["data"]["request_id"]));
            assert!(bundle.read("artifacts/stdout.txt").starts_with("2 in/"), "{call:?}: {}", bundle.document());
            let ran = site
                .command(&[], &[&["tools", "run", "line_count"], call].concat())
                .current_dir(site.path("outside"))
                .output();
            Ran(ran.unwrap()).succeeds();
        }
    }
    fs::write(site.path("outside/@odd.csv"), "one\n").unwrap();
    submit(&site, &["--tool", "line_count", "--arg", "file=@odd.csv"], b"").ends(5);
    submit(&site, &["--tool", "line_count", "--arg", "file=@@odd.csv", "--input", "@odd.csv"], b"").succeeds();
    let written = Request::call("written", "line_count").arg("file", "a.csv").input("my report.csv", b"one\n");
    let refused = submit(&site, &[outside(&site, &written).to_str().unwrap()], b"").ends(2);
    let told = text(&refused["error"]["errors"][0]["message"]) + &text(&refused["error"]["errors"][0]["hint"]);
    assert!(told.contains("A-Z a-z 0-9 . _ - + = @ ,") && told.contains("%20"), "{refused}");
}

#[test]
fn an_argument_that_names_no_input_is_told_by_plan_and_submit_before_anything_runs() {
    let site = Site::new();
    let call = ["line_count", "--arg", "file=nosuch.txt"];
    let planned = site.gatepost(&[&["tools", "plan"][..], &call].concat()).succeeds();
    let told = "The argument file is \"nosuch.txt\", and no input has that name.";
    assert_eq!(planned["data"]["missing"][0], told);
    let submitted = site.gatepost(&[&["submit", "--dry-run", "--tool"][..], &call].concat()).succeeds();
    let missing = &submitted["data"]["missing"][0];
    assert_eq!((&missing["message"], &missing["code"]), (&told.into(), &"input_missing".into()));
    assert_eq!(submitted["data"]["needs_approval"], false);
}
