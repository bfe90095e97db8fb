//! How commands fail that are about requests: what is there to look at, to wait for, to decide and to submit.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::provocation::{Provocation, Stdin, View};
use super::stage::Stage;
use crate::site::{Request, Site, is_root};

/// An id that no request has.
const NONE: &str = "TR-20260209-160501Z-none";

/// Sites in which something is wrong with requests and results.
pub(super) struct Spoilt {
    /// The result that was judged is gone.
    lost: Site,
    /// What waits is no request any more.
    altered: Site,
    /// Nobody may drop anything.
    closed: Site,
}

impl Spoilt {
    pub(super) fn new(stage: &Stage) -> Self {
        let lost = stage.changed(|site| fs::remove_dir_all(&site.result(&stage.good).0).unwrap());
        let altered = stage.changed(|site| {
            let document = site.path(&format!("var/exec/pending/{}/request.md", stage.pending));
            fs::write(document, "---\nnonsense: 1\n---\n").unwrap();
            let stdout = site.result(&stage.good).0.join("artifacts/stdout.txt");
            fs::remove_file(&stdout).and_then(|()| fs::write(stdout, "changed")).unwrap();
        });
        let read_only = fs::Permissions::from_mode(0o555);
        let closed = stage.changed(|site| fs::set_permissions(site.path("inbox/.tmp"), read_only).unwrap());
        Self { lost, altered, closed }
    }

    pub(super) fn sites(&self) -> [&Site; 3] {
        [&self.lost, &self.altered, &self.closed]
    }

    pub(super) fn provocations(&self, stage: &Stage) -> Vec<Provocation> {
        let mut all = self.looked_at(stage);
        all.extend(decided(stage, &self.altered, &self.closed));
        all.extend(self.submitted(stage));
        all.extend(called(stage));
        all
    }

    fn looked_at(&self, stage: &Stage) -> Vec<Provocation> {
        let Stage { good, bad, odd, leak, pending, .. } = stage;
        let office = |code, words: &str| Provocation::new(code, stage.site(), words);
        let mut all = vec![
            office("RESULT_NOT_FOUND", &format!("cat {pending}")),
            office("ARTIFACT_NOT_FOUND", &format!("cat {good} nothing")),
            office("RESULT_REJECTED", &format!("cat {leak}")),
            office("RESULT_REJECTED", &format!("wait {leak}")),
            office("REQUEST_REFUSED", &format!("wait {odd}")),
            office("TOOL_FAILED", &format!("wait {bad}")),
            office("TIMEOUT", &format!("wait {pending} --timeout 20ms")),
            office("TIMEOUT", &format!("exec-command wait '{pending} --timeout 20ms'")),
            Provocation::new("RESULT_NOT_FOUND", &self.lost.root, &format!("wait {good}")),
            Provocation::new("DOCUMENT_REJECTED", &self.altered.root, &format!("show {pending}")),
            Provocation::new("RESULT_REJECTED", &self.altered.root, &format!("show {good}")),
            office("OUT_OF_SCOPE", &format!("policy explain {}", outside_of_scope(stage))),
            office("SCHEMA_VIOLATION", &format!("policy explain {odd}")),
            office("PARTIAL_FAILURE", &format!("show {good} {NONE}")),
            batch(stage, "INVALID_JSON", "nonsense\n"),
            office("COMMAND_NOT_FOUND", "check-permissions submitt"),
            office("COMMAND_NOT_FOUND", "manifest submitt"),
            Provocation::new("PERMISSION_DENIED", &self.closed.root, "check-permissions approve")
                .under(without_privilege()),
            batch(stage, "PARTIAL_FAILURE", &format!("{{\"argv\": [\"show\", \"{NONE}\"]}}\n")),
        ];
        for command in ["audit timeline", "cat", "policy explain", "show", "wait"] {
            all.push(office("REQUEST_NOT_FOUND", &format!("{command} {NONE}")));
        }
        for command in ["sessions show", "sessions close", "load-session", "flush-transcript", "delete-session"] {
            all.push(office("SESSION_NOT_FOUND", &format!("{command} {NONE}")));
        }
        all.push(office("POLICY_DENIED", &format!("delete-session {}", stage.session)));
        all
    }

    fn submitted(&self, stage: &Stage) -> Vec<Provocation> {
        let office = |code, words: &str| Provocation::new(code, stage.site(), &format!("submit {words}"));
        let call = "--tool fail_with --arg status=0";
        let other = stage.place(&format!("{}.md", stage.good));
        fs::write(&other, Request::call("good", "fail_with").arg("status", "7").markdown_as(&stage.good)).unwrap();
        let same = stage.still.path(&format!("var/exec/done/{}/request.md", stage.good));
        let lost = stage.place("lost.md");
        fs::copy(same, &lost).unwrap();
        let still = |code, words: &str| Provocation::new(code, &stage.still.root, &format!("submit {words}"));
        vec![
            office("ALREADY_EXISTS", other.to_str().unwrap()),
            office("FILE_NOT_FOUND", "/nowhere/TR-20260209-160501Z-none.md"),
            office("INPUT_FORGOTTEN", "--tool line_count --arg file=/etc/passwd"),
            office("INVALID_JSON", "--raw-payload '{\"request_type\": tool_request,}'"),
            still("NOT_WATCHED", &format!("{call} --wait")),
            office("OUT_OF_SCOPE", "--tool aim --arg target=192.0.2.1"),
            office("POLICY_DENIED", "--tool forbidden"),
            office("SCHEMA_VIOLATION", "--tool fail_with --arg status=many"),
            office("TOOL_NOT_FOUND", "--tool fail_wth"),
            office("TOOL_FAILED", "--tool fail_with --arg status=3 --wait"),
            office("REQUEST_REFUSED", "--tool login --wait"),
            office("RESULT_REJECTED", "--tool hostile_output --wait"),
            office("TIMEOUT", "--tool sleep_for --arg duration=900ms --wait --timeout 20ms"),
            Provocation::new(
                "RESULT_NOT_FOUND",
                &self.lost.root,
                &format!("submit --input-file {} --wait", lost.display()),
            ),
        ]
    }
}

/// A request in the site that aims at what is not in scope.
fn outside_of_scope(stage: &Stage) -> String {
    let request = Request::call("aim", "aim").arg("target", "192.0.2.1");
    let path = stage.place(&request.name());
    fs::write(&path, request.markdown()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Decisions about requests that do not wait, and by people who may not make them.
fn decided(stage: &Stage, altered: &Site, closed: &Site) -> Vec<Provocation> {
    let Stage { good, pending, office, .. } = stage;
    let key = |name: &str| office.key(name).display().to_string();
    let decision = |code, words: &str| Provocation::new(code, stage.site(), words);
    let [alice, bob, human, mallory] = ["alice", "bob", "human", "mallory"].map(key);
    let mut all = vec![
        decision("KEY_NOT_FOUND", &format!("approve {pending} --key /nowhere/key")),
        decision("KEY_NOT_LISTED", &format!("approve {pending} --key {human}")),
        decision("KEY_NOT_VALID", &format!("approve {pending} --key {mallory}")),
        decision("POLICY_DENIED", &format!("approve {pending} --key {bob}")),
        Provocation::new("PERMISSION_DENIED", &closed.root, &format!("approve {pending} --key {alice}"))
            .under(without_privilege()),
        decision("SIGNING_FAILED", &format!("approve {pending} --key {alice}")).with_variable("PATH", "/nowhere"),
        Provocation::new("DOCUMENT_REJECTED", &altered.root, &format!("approve {pending} --key {alice}")),
    ];
    for command in ["approve", "cancel", "deny --reason 'Use the reporting tool'"] {
        let key = if command == "approve" { format!(" --key {alice}") } else { String::new() };
        all.push(decision("REQUEST_NOT_FOUND", &format!("{command} {NONE}{key}")));
        all.push(decision("CONCURRENT_MODIFICATION", &format!("{command} {good}{key}")));
    }
    all
}

/// Calls by the two surfaces that put a request into the inbox and wait.
fn called(stage: &Stage) -> Vec<Provocation> {
    let office = |code, words: &str| Provocation::new(code, stage.site(), words);
    let mut all = vec![
        office("INVALID_JSON", "exec-tool fail_with '{\"status\": 0'"),
        office("TOOL_NOT_FOUND", "exec-tool fail_wth status=0"),
        office("TOOL_NOT_FOUND", "show-tool fail_wth"),
        Provocation::new("NOT_WATCHED", &stage.still.root, "exec-tool fail_with status=0"),
        office("SCHEMA_VIOLATION", "exec-tool fail_with status=many"),
        office("SCHEMA_VIOLATION", "bootstrap 'fail_with status=many'"),
        office("COMMAND_NOT_FOUND", "exec-command lst"),
        office("COMMAND_NOT_FOUND", "show-command lst"),
        office("POLICY_DENIED", "exec-command 'quarantine purge' --yes"),
    ];
    for (code, tool, args) in [
        ("TOOL_FAILED", "fail_with", "status=3"),
        ("INPUT_FORGOTTEN", "line_count", "file=/etc/passwd"),
        ("OUT_OF_SCOPE", "aim", "target=192.0.2.1"),
        ("POLICY_DENIED", "forbidden", ""),
        ("REQUEST_REFUSED", "login", ""),
        ("RESULT_REJECTED", "hostile_output", ""),
        ("TIMEOUT", "sleep_for", "duration=900ms"),
    ] {
        let more = if code == "TIMEOUT" { " --timeout 20ms" } else { "" };
        all.push(office(code, &format!("exec-tool {tool} '{args}'{more}")));
        all.push(office(code, &format!("bootstrap '{tool} {args}'{more}")));
    }
    for call in ["exec-tool fail_with status=0", "bootstrap 'fail_with status=0'"] {
        all.push(office("FILE_NOT_FOUND", &format!("{call} --input /nowhere")));
    }
    let slow = "exec-tool sleep_for duration=1500ms";
    all.push(office("CANCELLED", slow).stopped_by(rustix::process::Signal::TERM));
    all
}

/// What takes from root the right to write where nobody may.
fn without_privilege() -> &'static [&'static str] {
    if is_root() { &["setpriv", "--bounding-set=-dac_override"] } else { &[] }
}

/// Lines that make a batch fail.
fn batch(stage: &Stage, code: &str, lines: &str) -> Provocation {
    Provocation::new(code, stage.site(), "batch").reading(Stdin::Bytes(lines.as_bytes().to_vec())).only_in(View::Spec)
}
