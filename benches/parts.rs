//! The parts that process a request, each alone, and without the disk if possible.
//!
//! ```text
//! cargo bench --bench parts
//! cargo bench --bench parts -- judge
//! ```

#![allow(clippy::disallowed_methods, reason = "a benchmark is its own world")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use gatepost_content::RuleSet;
use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::manifest::{CustomTypes, Manifest, Places, SecretValues};
use gatepost_contract::request::{self, Form};
use gatepost_contract::scope::{Scope, Target};
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::EnforcedLevel;
use gatepost_documents::front_matter;
use gatepost_documents::pins::Pins;
use gatepost_exec::authorize::proofs::Signatories;
use gatepost_exec::excerpt;
use gatepost_exec::inputs::Inputs;
use gatepost_exec::pins::{self, PinFile, State};
use gatepost_exec::policies::Policies;
use gatepost_exec::policy::{PolicySet, Question, Subject};
use gatepost_exec::redaction::{self, Redactor};
use gatepost_exec::signature;
use gatepost_exec::toolbox::Toolbox;
use gatepost_gate::excerpt::Renderer;
use gatepost_gate::facts::Facts;
use gatepost_gate::intake::take_in;
use gatepost_gate::judge::judge;
use gatepost_gate::limits::Limits;
use gatepost_gate::submission::Kind;
use gatepost_mailbox::site::Site;
use schemapin::crypto::{generate_key_pair, sign_data};

const REQUEST: &str = r#"---
request_type: tool_request
schema_version: 2
request_id: "TR-20260209-160501Z-lines"
created_utc: "2026-02-09T16:05:01Z"
requested_by: "benchmark"
purpose: "Measure"
backend: "clad"
tool: "line_count"
args:
  "file": "data.csv"
---
"#;
const REQUEST_ID: &str = "TR-20260209-160501Z-lines";
const MANIFEST: &str = include_str!("../tools/line_count.clad.toml");
const BUNDLE: &str = "TS-20260209-161030Z-TR-20260209-160501Z-line-count";

/// The parts to time: all, or those whose name contains a word.
struct Parts {
    wanted: Option<String>,
}

impl Parts {
    /// Prints the best and the median time of one call, over some hundred samples of at least a millisecond each.
    fn time<T>(&self, name: &str, work: impl FnMut() -> T) {
        self.time_bytes(0, name, work);
    }

    /// Also prints the throughput at the median, unless `bytes` is 0.
    fn time_bytes<T>(&self, bytes: usize, name: &str, mut work: impl FnMut() -> T) {
        if self.wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            return;
        }
        let mut sample = |calls: u32| {
            let start = Instant::now();
            (0..calls).for_each(|_| drop(black_box(work())));
            start.elapsed() / calls
        };
        let once = sample(1).max(Duration::from_nanos(1));
        let calls = u32::try_from(1_000_000 / once.as_nanos() + 1).unwrap_or(u32::MAX);
        let end = Instant::now() + Duration::from_secs(2);
        let mut times = Vec::new();
        while times.len() < 10 || (Instant::now() < end && times.len() < 400) {
            times.push(sample(calls));
        }
        times.sort_unstable();
        let (best, median) = (times[0], times[times.len() / 2]);
        let speed = (bytes as u128 * 1_000).checked_div(median.as_nanos()).filter(|speed| *speed > 0);
        let speed = speed.map_or_else(String::new, |speed| format!("  {speed:>8} MB/s"));
        println!("{name:<46} best {best:>10.1?}  median {median:>10.1?}{speed}");
    }
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_770_653_400, 0).expect("the time exists")
}

fn documents(parts: &Parts) {
    parts.time("front matter of a request", || {
        front_matter::read(black_box(REQUEST), "request.md", front_matter::Kind::Request).expect("it is valid")
    });
    parts.time("request, read and checked", || {
        let bytes = black_box(REQUEST.as_bytes());
        request::read(bytes, Form::Markdown, REQUEST_ID, now()).expect("it is valid")
    });
    parts.time("manifest, read and checked", || manifest(black_box(MANIFEST)));
}

fn manifest(text: &str) -> Manifest {
    Manifest::parse(text, "line_count.clad.toml", &CustomTypes::default()).expect("it is valid")
}

fn argv(parts: &Parts) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("data.csv"), "a,b\n").expect("it can be written");
    let (manifest, inputs, scope) = (manifest(MANIFEST), Inputs::at(folder.path().to_owned()), Scope::default());
    let given = BTreeMap::from([("file".to_owned(), ArgumentValue::Text("data.csv".to_owned()))]);
    let places = Places { scan_id: "1-a", output_dir: "out", evidence_dir: "out", output_file: "out/output.txt" };
    parts.time("arguments bound and argv made", || {
        let arguments = manifest.bind(black_box(&given), &scope, &inputs).expect("they are valid");
        manifest.command(&arguments, &places, &SecretValues::new()).expect("nothing is missing")
    });
}

/// The cost of policy and scope per request: with a new site's policies, and with 100 more and as many tools.
fn policy(parts: &Parts) {
    let own = manifest(MANIFEST);
    let others: Vec<Manifest> =
        (0..100).map(|at| manifest(&MANIFEST.replace("line_count", &format!("tool_{at}")))).collect();
    let forbid = |at: u32| {
        let tool = format!("resource == Gatepost::Tool::\"tool_{at}\"");
        format!("forbid (principal, action, {tool}) when {{ context.network.contains(\"a:1\") }};\n")
    };
    let more: Vec<String> = (0..100).map(forbid).collect();
    let start = ("policies/site.cedar".to_owned(), include_bytes!("../policies/site.cedar").to_vec());
    let few = PolicySet::read(std::slice::from_ref(&start), &[&own], &["python3"]).expect("they are valid");
    let tools: Vec<&Manifest> = others.iter().chain([&own]).collect();
    let files = [("policies/more.cedar".to_owned(), more.concat().into_bytes()), start];
    let many = || PolicySet::read(black_box(&files), &tools, &["python3"]).expect("they are valid");
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("data.csv"), "a,b\n").expect("it can be written");
    let given = BTreeMap::from([("file".to_owned(), ArgumentValue::Text("data.csv".to_owned()))]);
    let inputs = Inputs::at(folder.path().to_owned());
    let arguments = own.bind(&given, &Scope::default(), &inputs).expect("they are valid");
    let question = |subject| Question {
        requester: "benchmark",
        requester_proved: false,
        subject,
        network: &[],
        sandbox: EnforcedLevel::Full,
        time: now(),
        approvals: &[],
    };
    let permitted = question(Subject::Call { manifest: &own, arguments: &arguments, targets: &[] });
    let program = question(Subject::Program);
    let names: Vec<String> = (0..5).map(|at| format!("approver {at}")).collect();
    let set = many();
    parts.time("policy, permitted by 2", || few.decide(black_box(&permitted), &names));
    parts.time("policy, permitted among 102", || set.decide(black_box(&permitted), &names));
    parts.time("policy, held by 2", || few.decide(black_box(&program), &names));
    parts.time("policies, 102 for 101 tools read", many);
    parts.time("scope, read and asked", || {
        let scope =
            Scope::parse(black_box(include_str!("../scope/scope.toml")), "scope/scope.toml").expect("it is valid");
        scope.permits(&Target::parse("127.0.0.1").expect("it is an address"))
    });
}

/// The same, including the check of the disk for changed files.
fn policies_of_a_site(parts: &Parts) {
    let site = Site::at(env!("CARGO_MANIFEST_DIR"));
    let (policies, toolbox) = (Policies::at(&site), Toolbox::at(&site));
    parts.time("policies of this checkout, unchanged", || {
        policies.read(&toolbox, &["python3"]).expect("they can be read").expect("they are valid")
    });
}

fn streams(parts: &Parts) {
    let stream = b"a line of the usual length, as tools print them\n".repeat(1 << 18);
    parts.time_bytes(stream.len(), "12 MiB of stdout, hashed", || Digest::of(black_box(&stream)));
    parts.time_bytes(stream.len(), "12 MiB of stdout, rendered", || {
        excerpt::show(black_box(&stream[..]), "stdout.txt").expect("memory can be read")
    });
    parts.time_bytes(stream.len(), "12 MiB of stdout, rendered by the gate", || {
        let mut renderer = Renderer::default();
        renderer.feed(black_box(&stream));
        renderer.finish()
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("stdout.txt");
    std::fs::write(&path, &stream).expect("it can be written");
    let secret = redaction::Secret { name: "token", value: b"ghp_0123456789abcdefghijABCDEFGHIJ0123456789" };
    let redactor = Redactor::new(&[secret]).expect("it can be looked for");
    parts.time_bytes(stream.len(), "12 MiB of stdout, searched for a secret", || {
        redactor.redact(black_box(&path), 0).expect("it can be read")
    });
}

fn bundle(parts: &Parts) {
    let outbox = Path::new(env!("CARGO_MANIFEST_DIR")).join("gate/tests/vectors/base/success");
    let limits = Limits::default();
    let take = || {
        take_in(Kind::Bundle, &outbox, BUNDLE.as_ref(), None, &limits, RuleSet::built_in())
            .expect("the vector is there")
    };
    parts.time("bundle, taken in", take);
    let taken = take();
    parts.time("bundle, judged", || judge(&taken, &Facts::without_site(now())));
}

/// The cost of an approval per request: both lists are read, and one signature is verified.
fn approval(parts: &Parts) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let site = Site::at(folder.path());
    std::fs::create_dir(site.keys()).expect("it can be made");
    std::fs::write(folder.path().join("request.md"), REQUEST).expect("it can be written");
    let ssh_keygen = |arguments: &[&str]| {
        let status = std::process::Command::new("ssh-keygen").args(arguments).current_dir(folder.path()).status();
        assert!(status.expect("ssh-keygen is installed").success());
    };
    ssh_keygen(&["-q", "-t", "ed25519", "-N", "", "-f", "key"]);
    ssh_keygen(&["-q", "-Y", "sign", "-n", "gatepost-approval", "-f", "key", "request.md"]);
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("it is there");
    let list = [&b"alice "[..], &read("key.pub")].concat();
    std::fs::write(site.keys().join("approvers"), list).expect("it can be written");
    let signature = read("request.md.sig");
    parts.time("approval, keys read and a signature verified", || {
        let signatories = Signatories::read(&site).expect("they are right");
        signatories.check(black_box(&signature), REQUEST.as_bytes(), now()).expect("it is right");
    });
}

/// The cost of pins and signatures per request after the first call of its tool: 100 tools are pinned.
fn pinned(parts: &Parts) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let site = Site::at(folder.path());
    for folder in [site.tools(), site.keys().join("schemapin")] {
        std::fs::create_dir_all(folder).expect("it can be made");
    }
    std::fs::write(site.tools().join("line_count.clad.toml"), MANIFEST).expect("it can be written");
    let toolbox = Toolbox::at(&site);
    let tool = toolbox.find("line_count").expect("it is there");
    let files = toolbox.files(&tool.manifest).expect("they can be read");
    let names = (0..99).map(|number| format!("tool_{number}")).chain(["line_count".to_owned()]);
    let pins = Pins { tool: names.map(|name| (name, pins::pin(&tool, &files.listed))).collect() };
    let file = PinFile::of(&site);
    file.write(&pins).expect("it can be written");
    parts.time("pin compared, nothing changed", || {
        let files = toolbox.files(&tool.manifest).expect("they can be read");
        assert_eq!(pins::state(&file.read().expect("it is right"), &tool, &files.listed), State::Pinned);
    });
    let vendor = generate_key_pair().expect("there is randomness");
    let signature = sign_data(&vendor.private_key_pem, tool.sha256.as_bytes()).expect("the key is right");
    std::fs::write(site.keys().join("schemapin/line_count.pem"), vendor.public_key_pem).expect("it can be written");
    std::fs::write(site.tools().join("line_count.clad.toml.schemapin.sig"), signature).expect("it can be written");
    parts.time("signature of a manifest verified", || {
        assert_eq!(signature::refusal(&site, &tool).expect("they can be read"), None);
    });
}

fn main() {
    let parts = Parts { wanted: std::env::args().skip(1).find(|word| !word.starts_with('-')) };
    for part in [documents, argv, policy, policies_of_a_site, streams, bundle, approval, pinned] {
        part(&parts);
    }
}
