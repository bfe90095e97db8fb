//! Programs on a terminal, at each level.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::{Cell, RefCell};
use std::fs;
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Limits;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_exec::dialogue::{Dialogue, Settings, SharedDialogue};
use gatepost_sandbox::process::{Cause, Console, Ended, Exit, Job, Turn, run};
use gatepost_sandbox::{Confinement, View};
use regex::Regex;

/// Says each line when the last thing printed ends with `> `, and then closes.
#[derive(Debug, Default)]
struct Script {
    lines: RefCell<Vec<&'static str>>,
    received: RefCell<String>,
}

impl Console for Script {
    fn receive(&self, bytes: &[u8], _: Instant) {
        self.received.borrow_mut().push_str(&String::from_utf8_lossy(bytes));
    }

    fn turn(&self, _: Instant) -> Turn {
        let mut received = self.received.borrow_mut();
        if !received.ends_with("> ") {
            return Turn::Wait(None);
        }
        received.clear();
        match self.lines.borrow_mut().pop() {
            Some(line) => Turn::Send(format!("{line}\n").into_bytes()),
            None => Turn::Close,
        }
    }
}

/// Runs a shell script on a terminal, to which these lines are said.
fn converse(level: SandboxLevel, script: &str, lines: &[&'static str], grace: Duration) -> (Ended, String) {
    let console = Script { lines: lines.iter().rev().copied().collect::<Vec<_>>().into(), ..Script::default() };
    on_terminal(level, &["sh", "-c", script], &console, grace)
}

/// Runs a program on a terminal with that console.
fn on_terminal(level: SandboxLevel, argv: &[&str], console: &dyn Console, grace: Duration) -> (Ended, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["in", "out", "tmp"] {
        fs::create_dir(path(name)).unwrap();
    }
    let (input, output, tmp) = (path("in"), path("out"), path("tmp"));
    let view = View { input: &input, output: &output, read_only: &[] };
    let ended = run(&Job {
        argv: &argv.iter().map(Into::into).collect::<Vec<_>>(),
        environment: &[("PATH".into(), "/usr/bin:/bin".into()), ("TERM".into(), "dumb".into())],
        input: None,
        console: Some(console),
        work_dir: folder.path(),
        confinement: match level {
            SandboxLevel::None => Confinement::none(),
            SandboxLevel::Landlock => Confinement::landlock(view, &tmp),
            SandboxLevel::Full => Confinement::full(view),
        },
        limits: &Limits {
            time_ms: 20_000,
            cpu_seconds: 20,
            cpus: None,
            memory_bytes: None,
            address_space_bytes: 4 << 30,
            files: 64,
            processes: 64,
            file_bytes: 1 << 20,
            out_bytes: Some(1 << 20),
            out_files: Some(100),
            stdout_bytes: 1 << 16,
        },
        grace,
        stdout: &path("stdout"),
        stderr: &path("stderr"),
        cancel: None,
        started: &Cell::new(false),
    });
    (ended.unwrap(), fs::read_to_string(path("stdout")).unwrap())
}

const PATIENT: Duration = Duration::from_secs(20);
const LEVELS: [SandboxLevel; 3] = [SandboxLevel::None, SandboxLevel::Landlock, SandboxLevel::Full];

#[test]
fn a_program_on_a_terminal_is_spoken_to_and_ends_with_its_input() {
    let script = "test -t 0 && test -t 1 && test -t 2 && printf '%s> ' ready; while read line; do printf 'got %s\n> ' \"$line\"; done; exit 3";
    for level in LEVELS {
        let (ended, stdout) = converse(level, script, &["one", "two words"], PATIENT);
        assert_eq!(stdout, "ready> got one\n> got two words\n> ", "{level:?}");
        assert_eq!((ended.exit, ended.cause), (Exit::Code(3), Cause::Own), "{level:?}");
    }
}

#[test]
fn the_terminal_is_the_controlling_one_and_of_a_fixed_size() {
    let (_, stdout) = converse(SandboxLevel::None, "ps -o tty= -p $$; stty size; printf '> '", &[], PATIENT);
    assert!(stdout.starts_with("pts/") && stdout.ends_with("\n1000 1000\n> "), "{stdout}");
}

#[test]
fn a_program_that_ignores_the_end_of_its_input_is_ended() {
    let script = "trap '' TERM HUP; printf '> '; while :; do sleep 0.05; done";
    let (ended, _) = converse(SandboxLevel::Landlock, script, &[], Duration::from_millis(200));
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(libc::SIGKILL), Cause::Closed));
}

#[test]
fn a_program_that_floods_the_terminal_is_ended_at_its_limit() {
    let (ended, stdout) = converse(SandboxLevel::Full, "printf '> '; yes", &[], PATIENT);
    assert_eq!((ended.cause, stdout.len()), (Cause::StdoutLimit, 1 << 16));
}

#[test]
fn what_a_program_leaves_in_the_background_does_not_keep_the_terminal() {
    let script = "printf '> '; read line; (trap '' HUP; setsid sleep 100) & exit 0";
    let (ended, _) = converse(SandboxLevel::Full, script, &["go"], PATIENT);
    assert!(ended.duration < Duration::from_secs(10) && ended.exit == Exit::Code(0), "{ended:?}");
}

/// What a program answers to these lines at a level, each answer without its prompt.
fn answers(level: SandboxLevel, argv: &[&str], ready: Option<&str>, lines: &[&str]) -> Vec<String> {
    let settings = Settings {
        error: None,
        ready: ready.map(|pattern| Regex::new(pattern).unwrap()),
        silence: Duration::from_millis(500),
        startup: Duration::from_secs(10),
        answer: Duration::from_secs(10),
        answer_bytes_max: 1 << 16,
        text_bytes_max: 1 << 16,
        idle: None,
    };
    let dialogue = Dialogue::new(settings, lines.iter().map(|line| (*line).to_owned()).collect());
    let dialogue = SharedDialogue::new(dialogue).unwrap();
    let (ended, stdout) = on_terminal(level, argv, &dialogue, PATIENT);
    // What it exits with says nothing of the session: that of sqlite3 is 1 after a faulty line.
    assert!(matches!((ended.exit, ended.cause), (Exit::Code(_), Cause::Own)), "{argv:?} {level:?}: {ended:?}");
    let (exchanges, trouble) = dialogue.finish();
    assert_eq!(trouble, None, "{argv:?} {level:?}: {stdout}");
    exchanges.into_iter().map(|exchange| exchange.answer.unwrap().output).collect()
}

#[test]
fn sqlite_keeps_its_table_from_line_to_line() {
    let lines = ["create table t (n int);", "insert into t values (2), (40);", "select sum(n) from t;", "selec;"];
    for level in LEVELS {
        let found = answers(level, &["sqlite3", ":memory:"], Some("^sqlite> $"), &lines);
        assert_eq!(&found[..3], ["", "", "42\n"], "{level:?}");
        assert!(found[3].contains("syntax error"), "{level:?}: {found:?}");
    }
}

#[test]
fn python_keeps_its_names_from_line_to_line() {
    for level in LEVELS {
        let found = answers(level, &["/usr/bin/python3", "-i", "-q"], Some("^>>> $"), &["n = 6", "n * 7", "1 / 0"]);
        assert_eq!(&found[..2], ["", "42\n"], "{level:?}");
        assert!(found[2].contains("ZeroDivisionError"), "{level:?}: {found:?}");
    }
}

#[test]
fn bc_has_no_prompt_and_is_silent_at_the_end_of_an_answer() {
    for level in LEVELS {
        assert_eq!(answers(level, &["bc", "-q"], None, &["n = 6", "n * 7"]), ["", "42\n"], "{level:?}");
    }
}

#[test]
fn gdb_answers_and_may_trace_nothing() {
    for level in [SandboxLevel::Landlock, SandboxLevel::Full] {
        let lines = ["print 6 * 7", "file /bin/true", "run"];
        let found = answers(level, &["gdb", "-q", "-nx"], Some("^\\(gdb\\) $"), &lines);
        assert_eq!(found[0], "$1 = 42\n", "{level:?}");
        assert!(!found[2].contains("exited normally"), "{level:?}: {found:?}");
    }
}

/// How long this thread was on a processor.
fn on_processor() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

#[test]
fn whoever_talks_on_a_terminal_sleeps_while_nothing_is_said() {
    let before = on_processor();
    let (ended, _) = on_terminal(SandboxLevel::None, &["sleep", "2"], &Script::default(), Duration::from_secs(1));
    assert_eq!((ended.cause, ended.exit), (Cause::Own, Exit::Code(0)));
    let took = on_processor().saturating_sub(before);
    assert!(took < Duration::from_millis(500), "{took:?} for two seconds of silence");
}
