//! The writer and the gate's reader, which never call each other, mean one document.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gatepost_content::RuleSet;
use gatepost_contract::request::ExpectedOutput;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{
    Completeness, EnforcedLevel, Evidence, Launcher, Network, NetworkUse, Policy, PolicyDecision, Proof,
};
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::{Code, Reason, Stage};
use gatepost_documents::verdict::Verdict;
use gatepost_exec::bundle::{Materials, Staging};
use gatepost_gate::facts::Facts;
use gatepost_gate::intake::take_in;
use gatepost_gate::judge::judge;
use gatepost_gate::limits::Limits;
use gatepost_gate::submission::Kind;
use gatepost_mailbox::site::Site as Layout;
use tempfile::TempDir;

use crate::site::{Request, Site, text};

/// A committed bundle that the gate accepts.
struct Committed {
    folder: PathBuf,
    id: ResultId,
    evidence: Evidence,
}

impl Committed {
    fn of(base: &str) -> Self {
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("gate/tests/vectors/base").join(base);
        let folder = base.read_dir().unwrap().next().unwrap().unwrap().path();
        let id = ResultId::parse(folder.file_name().unwrap().to_str().unwrap()).unwrap();
        let evidence = serde_json::from_slice(&fs::read(folder.join("evidence.json")).unwrap()).unwrap();
        Self { folder, id, evidence }
    }

    /// Writes it again, with this evidence; returns where it is now.
    fn sealed(&self, evidence: Evidence) -> (TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let site = Layout::at(root.path());
        fs::create_dir(site.outbox()).unwrap();
        let staging = Staging::at(root.path().join("staging")).unwrap();
        copy(&self.folder.join("artifacts"), &root.path().join("staging/artifacts"));
        let name = ["request.md", "request.json"].into_iter().find(|name| self.folder.join(name).exists()).unwrap();
        let outputs_expected = [ExpectedOutput {
            path: "report.csv".to_owned(),
            description: "One row for each file: `name`, lines".to_owned(),
        }];
        let request = fs::read(self.folder.join(name)).unwrap();
        let manifest = fs::read_to_string(self.folder.join("manifest.clad.toml")).ok();
        let materials = Materials {
            signatures: &[],
            evidence,
            request: (&request, name),
            manifest: manifest.as_deref(),
            outputs_expected: &outputs_expected,
            output_file: self.folder.join("artifacts/out/output.json").exists().then_some("out/output.json"),
        };
        let (id, _) = staging.seal(materials, self.id.created()).unwrap().publish(&site).unwrap();
        let place = site.outbox().join(id.as_str());
        set_modes(&place);
        (root, place)
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in from.read_dir().unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// Whatever the umask of the tests is.
fn set_modes(path: &Path) {
    let mode = if path.is_dir() { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for entry in path.read_dir().into_iter().flatten() {
        set_modes(&entry.unwrap().path());
    }
}

fn judged(bundle: &Path) -> Verdict {
    let (outbox, name) = (bundle.parent().unwrap(), bundle.file_name().unwrap());
    let submission = take_in(Kind::Bundle, outbox, name, None, &Limits::default(), RuleSet::built_in()).unwrap();
    judge(&submission, &Facts::without_site(chrono::DateTime::default()))
}

#[test]
fn what_the_gate_accepts_is_written_byte_for_byte() {
    for base in
        ["success", "refusal", "timeout", "not_started", "era", "monty", "session", "open_session", "continued_session"]
    {
        let committed = Committed::of(base);
        let (_root, written) = committed.sealed(committed.evidence.clone());
        for file in ["evidence.json", "SHA256SUMS", &format!("{}.md", committed.id)] {
            let [expected, found] = [&committed.folder, &written].map(|at| fs::read_to_string(at.join(file)).unwrap());
            assert_eq!(found, expected, "{base}: {file}");
        }
    }
}

#[test]
fn whatever_held_and_limited_a_tool_is_written_as_the_gate_reads_it() {
    let committed = Committed::of("timeout");
    let vary = |change: fn(&mut Evidence)| {
        let mut evidence = committed.evidence.clone();
        change(&mut evidence);
        evidence
    };
    let variants = [
        vary(|evidence| {
            evidence.sandbox.level = EnforcedLevel::External;
            evidence.sandbox.layers.clear();
            evidence.sandbox.launcher = Some(Launcher {
                program: "/opt/a vm`".to_owned(),
                sha256: Digest::of(b"vm"),
                version: "vm \u{e9} 1.0".to_owned(),
            });
        }),
        vary(|evidence| {
            let limits = &mut evidence.limits;
            (limits.cpus, limits.memory_bytes, limits.out_bytes, limits.out_files) = (None, None, None, None);
        }),
        vary(|evidence| {
            let network = Network {
                used: NetworkUse::Allowlist,
                destinations: Vec::new(),
                refused: vec!["a:1".to_owned()],
                refused_unnamed: 2,
            };
            evidence.network = network;
        }),
        vary(|evidence| {
            evidence.network =
                Network { used: NetworkUse::None, destinations: Vec::new(), refused: Vec::new(), refused_unnamed: 0 };
        }),
    ];
    for evidence in variants {
        let shown = format!("{:?} {:?} {:?}", evidence.sandbox, evidence.limits, evidence.network);
        let (_root, written) = committed.sealed(evidence);
        // The artifacts hold hostile bytes; what they carry is not the writer's to answer for.
        let mut reasons = judged(&written).reasons;
        reasons.retain(|reason| reason.code.stage() != Stage::Content);
        assert_eq!(reasons, [], "{shown}");
    }
}

#[test]
fn whatever_the_policies_said_is_written_as_the_gate_reads_it() {
    for (base, decision) in [
        ("success", PolicyDecision::Permitted),
        ("refusal", PolicyDecision::Denied),
        ("refusal", PolicyDecision::NeedsApproval),
    ] {
        let committed = Committed::of(base);
        let policies = vec!["low-risk".to_owned(), "policies/a.cedar:3".to_owned()];
        let policy = Some(Policy { decision, policies, sha256: Digest::of(b"policies") });
        let (_root, written) = committed.sealed(Evidence { policy, ..committed.evidence.clone() });
        let mut reasons = judged(&written).reasons;
        reasons.retain(|reason| reason.code.stage() != Stage::Content);
        assert_eq!(reasons, [], "{base} {decision}");
    }
}

/// A committed bundle, and what is changed in its evidence.
type Change = (&'static str, fn(&mut Evidence));

/// What the gate says of the sections of a document whose evidence is its own, be that true or not.
fn of_sections(base: &str, change: fn(&mut Evidence)) -> Vec<String> {
    let committed = Committed::of(base);
    let mut evidence = committed.evidence.clone();
    change(&mut evidence);
    let (_root, written) = committed.sealed(evidence);
    let document = format!("{}.md", committed.id);
    let verdict = judged(&written);
    let is_of_sections = |reason: &&Reason| match reason.code.stage() {
        Stage::Integrity => reason.code == Code::EvidenceMismatch && reason.file.as_deref() == Some(&document),
        stage => stage < Stage::Integrity,
    };
    verdict.reasons.iter().filter(is_of_sections).map(|reason| reason.message.clone()).collect()
}

#[test]
fn whatever_strangers_chose_is_said_as_the_gate_reads_it() {
    const HOSTILE: &str = " a`b\n## Summary\n[x](http://e.example)\u{202e}<b>\u{1f600} ";
    let changes: [Change; 7] = [
        ("refusal", |evidence| {
            let reason = &mut evidence.error.as_mut().unwrap().reasons[0];
            (reason.message, reason.hint) = (HOSTILE.to_owned(), String::new());
            (reason.file, reason.pointer) = (Some(HOSTILE.to_owned()), Some("\"/args/x\"".to_owned()));
        }),
        ("refusal", |evidence| {
            let reason = &mut evidence.error.as_mut().unwrap().reasons[0];
            (reason.file, reason.line, reason.column) = (None, None, None);
        }),
        ("timeout", |evidence| {
            let failure = evidence.error.as_mut().unwrap();
            (failure.message, failure.hint, failure.retryable) = (HOSTILE.to_owned(), HOSTILE.to_owned(), false);
            evidence.anomalies = vec![HOSTILE.to_owned(), String::new(), "\"quoted\"".to_owned()];
            (evidence.tool_version, evidence.command) = (" v`1".to_owned(), String::new());
        }),
        ("timeout", |evidence| {
            (evidence.usage.cpu_ms, evidence.usage.memory_bytes_peak, evidence.duration_ms) = (u64::MAX, u64::MAX, 1);
            let limits = &mut evidence.limits;
            (limits.cpus, limits.processes, limits.files, limits.out_files) = (Some(1), 1, 1, Some(1));
            (limits.cpu_seconds, limits.stdout_bytes, limits.file_bytes) = (u64::MAX, 0, 1023);
            evidence.completeness = Completeness::Inferred;
        }),
        ("success", |evidence| {
            let proof = Proof { key: "SHA256:`".to_owned(), signature: "approvals/0123456789abcdef.sig".to_owned() };
            (evidence.requester_proof, evidence.approvals[0].proof) = (Some(proof.clone()), Some(proof));
            evidence.approvals.push(evidence.approvals[0].clone());
            evidence.network.refused_unnamed = 1;
            (evidence.network.used, evidence.network.refused) = (NetworkUse::Allowlist, Vec::new());
            (evidence.http_method, evidence.http_status) = (Some("GET`".to_owned()), None);
            (evidence.dropped.user, evidence.purpose) = (None, String::new());
        }),
        ("session", |evidence| {
            let interaction = &mut evidence.interactions[0];
            (interaction.command, interaction.input) = (HOSTILE.to_owned(), HOSTILE.to_owned());
            evidence.parent_session_id = Some(HOSTILE.to_owned());
        }),
        ("session", |evidence| {
            (evidence.mcp_server, evidence.mcp_tool) = (Some(HOSTILE.to_owned()), Some(String::new()));
            evidence.mcp_args = Some([(HOSTILE.to_owned(), HOSTILE.into())].into_iter().collect());
            evidence.sandbox.layers.push(HOSTILE.to_owned());
        }),
    ];
    for (number, (base, change)) in changes.into_iter().enumerate() {
        assert_eq!(of_sections(base, change), [""; 0], "change {number} of {base}");
    }
}

#[test]
fn of_a_tool_that_did_not_start_nothing_is_expected_and_little_is_said() {
    let site = Site::new();
    let path = format!("/{}", "missing/".repeat(400));
    let manifest = format!(
        "[tool]\nname = \"absent\"\nversion = \"1\"\ndescription = \"Is not there\"\nbinary = \"{path}x\"\n\
         [command]\nexec = [\"{path}x\"]\n[output]\nformat = \"text\"\n[output.schema]\ntype = \"object\"\n"
    );
    site.manifest("absent", &manifest);
    let request =
        Request::call("absent", "absent").line("outputs_expected: [{path: report.csv, description: A table}]");
    site.rename_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!(bundle.code(), "SPAWN_FAILED", "{}", bundle.document());
    let evidence = bundle.evidence();
    assert_eq!(evidence["anomalies"], serde_json::json!([]));
    assert_eq!(text(&evidence["error"]["message"]).chars().count(), 1_000);
    site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
}
