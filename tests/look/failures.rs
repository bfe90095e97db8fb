//! Every command × each failure that it declares × both views: the status, the one document on stdout, stderr, and what is said.
//!
//! Each command has a golden file in `tests/look/failures/`, which holds what it says of each failure, by its code, with what differs from run to
//! run masked. `GATEPOST_TESTS_WRITE=1` has them written anew, to be read before they are kept. *Standards*: CLI Agent Spec, REQ-F-001,
//! REQ-C-001, REQ-C-013 and REQ-C-014.

mod declared;
mod gap;
mod generic;
mod judged;
mod machine;
mod provocation;
mod requests;
mod stage;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::golden;
use crate::site::Site;
use declared::Command;
use provocation::{Provocation, View};
use stage::Stage;

/// How many commands run at a time: most of them wait.
const WORKERS: usize = 8;

/// What no input provokes, and why; `*` is every command.
const UNPROVOKED: &[(&str, &str, &str)] = &[
    ("*", "INTERNAL", "the program would have to panic"),
    ("*", "WARNINGS_AS_ERRORS", "it takes a flag: `tests/look/declarations.rs` gives it"),
    ("*", "PROGRAM_MISSING", "it takes a gatepost without its gate: `tests/judge/gate_program.rs` runs one"),
    ("bootstrap", "NOT_WATCHED", "the watchers would have to end just after they were seen"),
    ("bootstrap", "TOOL_NOT_FOUND", "the tool would have to go just after it was found"),
    ("bootstrap", "RESULT_NOT_FOUND", "the result would have to go just after it was judged"),
    ("exec-tool", "RESULT_NOT_FOUND", "the result would have to go just after it was judged"),
    ("export", "GATE_BUSY", "the gate would have to decide something at each of ten looks"),
    ("gate", "EXCHANGE_MISSING", "the folder would have to go just after the gate made it"),
    ("verify", "CONFINEMENT_UNAVAILABLE", "the program would have to run a second thread"),
    ("exec-command", "CONFINEMENT_UNAVAILABLE", "the program would have to run a second thread"),
];

/// What was seen: what is wrong, or of which command and code which document.
type Answer = Result<(String, String, Value), String>;

/// Carries all of them out, and returns the answers in their order.
fn answers(provocations: &[Provocation], commands: &BTreeMap<String, Command>) -> Vec<Answer> {
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some((number, provocation)) = Some(next.fetch_add(1, Ordering::Relaxed))
            .and_then(|number| provocations.get(number).map(|provocation| (number, provocation)))
        {
            let answer = answer(provocation, &commands[&provocation.command]);
            answers.lock().unwrap().insert(number, answer);
        }
    };
    thread::scope(|scope| (0..WORKERS).for_each(|_| drop(scope.spawn(work))));
    answers.into_inner().unwrap().into_values().collect()
}

fn answer(provocation: &Provocation, command: &Command) -> Answer {
    let mut document = Value::Null;
    for view in provocation.views() {
        let judged = judged::judge(provocation, *view, &provocation.seen(*view), command)?;
        if *view == View::Spec || document.is_null() {
            document = judged;
        }
    }
    Ok((provocation.command.clone(), provocation.code.clone(), judged::kept(document)))
}

/// The first provocation of each code that a command carrying out another one can fail with, as that carries it out.
fn by_another(provocations: &[Provocation], commands: &BTreeMap<String, Command>) -> Vec<Provocation> {
    let declared = &commands["exec-command"].errors;
    let own = provocations.iter().filter(|one| one.command == "exec-command").map(|one| one.code.clone());
    let mut found: BTreeSet<String> = own.collect();
    let is_safe = |one: &&Provocation| commands[&one.command].is_safe && declared.contains_key(&one.code);
    let others = provocations.iter().filter(is_safe).filter_map(Provocation::by_another);
    others.filter(|one| found.insert(one.code.clone())).collect()
}

#[test]
fn every_command_fails_as_it_declares_and_in_no_other_way() {
    let (stage, commands) = (Stage::new(), declared::commands());
    let misconfigured = generic::misconfigured(&stage);
    let (requests, gap, machine) =
        (requests::Spoilt::new(&stage), gap::Spoilt::new(&stage), machine::Spoilt::new(&stage));
    let mut provocations = requests.provocations(&stage);
    provocations.extend(gap.provocations(&stage));
    provocations.extend(machine.provocations(&stage));
    provocations.extend(generic::provocations(&stage, &misconfigured, &commands));
    provocations.extend(by_another(&provocations, &commands));
    let sites: Vec<&Site> =
        requests.sites().into_iter().chain(gap.sites()).chain(machine.sites()).chain([&misconfigured]).collect();
    let (mut wrong, mut goldens) = (Vec::new(), BTreeMap::<String, BTreeMap<String, Value>>::new());
    for answer in answers(&provocations, &commands) {
        match answer {
            Ok((command, code, document)) => {
                // What is said on stdout says more.
                let kept = goldens.entry(command).or_default().entry(code).or_insert_with(|| document.clone());
                if kept.get("stderr").is_some() {
                    *kept = document;
                }
            }
            Err(what) => wrong.push(what),
        }
    }
    let provoked: BTreeSet<(&str, &str)> = goldens
        .iter()
        .flat_map(|(command, codes)| codes.keys().map(|code| (command.as_str(), code.as_str())))
        .collect();
    let excused: BTreeSet<(&str, &str)> = UNPROVOKED.iter().map(|(command, code, _)| (*command, *code)).collect();
    let is_excused = |command: &str, code: &str| excused.contains(&(command, code)) || excused.contains(&("*", code));
    for (command, declared) in &commands {
        let missing = |code: &&String| !provoked.contains(&(command, code)) && !is_excused(command, code);
        let missing: Vec<_> = declared.errors.keys().filter(missing).collect();
        if !missing.is_empty() {
            wrong.push(format!("{command} declares what nothing provokes: {missing:?}"));
        }
    }
    wrong.extend(excused.intersection(&provoked).map(|pair| format!("{pair:?} is provoked after all")));
    let masks = stage.masks(&sites);
    for (command, codes) in &goldens {
        let document = golden::masked(&masks, serde_json::to_value(codes).unwrap());
        wrong.extend(golden::differs(&golden::folder("failures").join(format!("{command}.json")), &document));
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}
