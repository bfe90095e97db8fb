//! How any command is made to fail that declares a code, whatever else it does: one valid invocation of each, and what is wrong with its
//! surroundings.

use std::collections::BTreeMap;
use std::fs;

use rustix::process::Signal;

use super::declared::Command;
use super::provocation::{Provocation, Stdin, Stdout, View};
use super::stage::Stage;
use crate::site::Site;

/// A valid invocation of every command; `@` is an id, in whose place `-` may stand.
const INVOCATIONS: [(&str, &str); 65] = [
    ("approve", "approve @ --dry-run"),
    ("audit.checkpoint", "audit checkpoint"),
    ("audit.timeline", "audit timeline @"),
    ("audit.verify", "audit verify"),
    ("batch", "batch"),
    ("bootstrap", "bootstrap 'sort lines'"),
    ("bootstrap-graph", "bootstrap-graph"),
    ("cancel", "cancel @ --dry-run"),
    ("cat", "cat @"),
    ("check", "check /etc/passwd"),
    ("check-permissions", "check-permissions submit"),
    ("command-graph", "command-graph"),
    ("completions", "completions bash"),
    ("config", "config"),
    ("delete-session", "delete-session @ --dry-run"),
    ("demo", "demo"),
    ("deny", "deny @ --reason 'Use the reporting tool' --dry-run"),
    ("doctor", "doctor"),
    ("exec", "exec --once --quiet"),
    ("exec-command", "exec-command version"),
    ("exec-tool", "exec-tool fail_with status=0"),
    ("export", "export @ --out /nowhere/results --dry-run"),
    ("flush-transcript", "flush-transcript @"),
    ("gate", "gate --once --quiet"),
    ("import", "import /nowhere --dry-run"),
    ("init", "init --print-config"),
    ("list", "list"),
    ("list-sessions", "list-sessions"),
    ("load-session", "load-session @"),
    ("man", "man --out /nowhere/man"),
    ("manifest", "manifest"),
    ("mcp", "mcp"),
    ("policy.check", "policy check"),
    ("policy.explain", "policy explain @"),
    ("policy.learn", "policy learn"),
    ("quarantine.list", "quarantine list"),
    ("quarantine.purge", "quarantine purge --dry-run"),
    ("quarantine.reject-note", "quarantine reject-note LEAK"),
    ("quarantine.release", "quarantine release LEAK --reason 'It is a sample' --dry-run"),
    ("quarantine.show", "quarantine show LEAK"),
    ("report", "report --json /nowhere/report.json"),
    ("route", "route count"),
    ("serve", "serve --listen 127.0.0.1:0 --quiet"),
    ("sessions.close", "sessions close @ --dry-run"),
    ("sessions.list", "sessions list"),
    ("sessions.show", "sessions show @"),
    ("show", "show @"),
    ("show-command", "show-command list"),
    ("show-tool", "show-tool fail_with"),
    ("status", "status"),
    ("submit", "submit --tool fail_with --arg status=0 --dry-run"),
    ("tool-pool", "tool-pool"),
    ("tools.check", "tools check fail_with"),
    ("tools.init", "tools init new_tool"),
    ("tools.list", "tools list"),
    ("tools.pin", "tools pin --dry-run"),
    ("tools.plan", "tools plan fail_with --arg status=0"),
    ("tools.run", "tools run fail_with --arg status=0"),
    ("tools.schema", "tools schema line_count"),
    ("tools.show", "tools show line_count"),
    ("up", "up --once --quiet"),
    ("verify", "verify /nowhere"),
    ("errors", "errors"),
    ("version", "version"),
    ("wait", "wait @"),
];

/// So much is read of standard input.
const STDIN_BYTES_MAX: usize = 64 * 1024;

/// The site in which every file of the operator's is wrong.
pub(super) fn misconfigured(stage: &Stage) -> Site {
    stage.changed(|site| {
        for file in ["gatepost.toml", "gate.toml", "keys/pins.toml"] {
            fs::write(site.path(file), "nonsense = 1\n").unwrap();
        }
    })
}

/// For every command a provocation of each code that it declares and that has nothing to do with what the command is for.
pub(super) fn provocations(
    stage: &Stage,
    misconfigured: &Site,
    commands: &BTreeMap<String, Command>,
) -> Vec<Provocation> {
    let mut all = Vec::new();
    for (command, words) in INVOCATIONS {
        let Some(declared) = commands.get(command) else { panic!("there is no command {command}") };
        let of_command = Generic { stage, misconfigured, words: words.replace("LEAK", &stage.leak) };
        // Of a batch there are only documents of one contract.
        let is_refused = |code: &String| code == "STREAMING_NOT_SUPPORTED" || code == "ARG_ERROR";
        for code in declared.errors.keys() {
            let of_code = of_command.all(code).into_iter();
            let in_one = command == "batch" && !is_refused(code);
            all.extend(of_code.map(|one| if in_one { one.only_in(View::Spec) } else { one }));
        }
    }
    all
}

struct Generic<'a> {
    stage: &'a Stage,
    misconfigured: &'a Site,
    words: String,
}

impl Generic<'_> {
    /// The ways to provoke a code.
    fn all(&self, code: &str) -> Vec<Provocation> {
        let office = self.stage.site();
        let provocation = |words: &str| Provocation::new(code, office, words);
        let valid = self.words.replace('@', &self.stage.good);
        let takes_id = self.words.contains('@');
        let on_stdin = if valid == "batch" {
            valid.clone()
        } else if takes_id {
            self.words.replace('@', "-")
        } else {
            "submit -".to_owned()
        };
        let takes_stdin = takes_id || valid.starts_with("submit") || valid == "batch";
        let one = match code {
            "ARG_ERROR" => provocation(&format!("{valid} --no-such-flag")),
            "IO_ERROR" => provocation(&format!("{valid} --validate-only")).writing(Stdout::Full),
            // In the other view a watcher is refused before anything is looked at.
            "INIT_REQUIRED" if valid.starts_with("serve") || valid == "mcp" => {
                Provocation::new(code, &self.stage.nowhere, &valid).only_in(View::Spec)
            }
            "INIT_REQUIRED" | "CONFIG_INVALID" if valid.starts_with("exec-command") => return Vec::new(),
            "INIT_REQUIRED" => Provocation::new(code, &self.stage.nowhere, &valid),
            "CONFIG_INVALID" => Provocation::new(code, &self.misconfigured.root, &valid),
            "INVALID_AGENT_INPUT" if takes_id => provocation(&self.words.replace('@', "../x")),
            "EMPTY_STDIN" if takes_stdin => provocation(&on_stdin).reading(Stdin::Bytes(Vec::new())),
            "STDIN_TOO_LARGE" if takes_stdin => {
                provocation(&on_stdin).reading(Stdin::Bytes(vec![b'a'; STDIN_BYTES_MAX + 1]))
            }
            "STDIN_REQUIRED" if takes_stdin => provocation(&on_stdin).reading(Stdin::Terminal),
            "TIMEOUT" if takes_stdin => provocation(&format!("{on_stdin} --timeout 20ms")).reading(Stdin::Silence),
            "CANCELLED" if takes_stdin => {
                let stopped = |signal| provocation(&on_stdin).reading(Stdin::Silence).stopped_by(signal);
                return vec![stopped(Signal::TERM), stopped(Signal::INT)];
            }
            "TIMEOUT" if !valid.starts_with("exec-") => {
                provocation(&format!("{valid} --timeout 20ms")).writing(Stdout::Unread)
            }
            "CANCELLED" if !valid.starts_with("exec") && !valid.starts_with("up") => {
                provocation(&valid).writing(Stdout::Unread).stopped_by(Signal::TERM)
            }
            // What goes on is refused where one answer is asked for.
            "STREAMING_NOT_SUPPORTED" if valid.starts_with("exec-command") => provocation("exec-command list --follow"),
            "STREAMING_NOT_SUPPORTED" if valid == "list" => provocation("list --follow").only_in(View::Claw),
            "STREAMING_NOT_SUPPORTED" => provocation(&valid.replace("--once", "")).only_in(View::Claw),
            _ => return Vec::new(),
        };
        vec![one]
    }
}
