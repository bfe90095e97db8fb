//! The backend `browser`: the interactions of a request with a browser, one after the other.
//!
//! ```text
//! assignment ▶ gatepost-worker-browser ▶ artifacts/stdout.txt: a report for each interaction   artifacts/out/: screenshots, long texts
//! ```
//!
//! The first interaction that fails is the last. *Security*: the proxy decides where pages may lead, and a request may list only hosts
//! that the manifest's `[browser.scope]` permits. *Standards*: ToolClad, "Browser Mode".

use std::path::Path;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use gatepost_contract::config::Config;
use gatepost_contract::manifest::{Arguments, Backend, Browser, Manifest};
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{self, FailureCode, Status, StopReason};
use gatepost_documents::json::{self, DEPTH_MAX, VALUES_MAX};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_mailbox::fault::Fault;
use gatepost_sandbox::PROXY_PORT;
use gatepost_sandbox::network::Destination;
use gatepost_workers::browser::{Action, Assignment, Form, NOT_READY, Report, WORKER};
use serde_json::Value;

use super::{Execution, Interaction, results};
use crate::authorize::Record;
use crate::lane::auxiliary;
use crate::lane::ending::failure;
use crate::lane::output::OUTPUT_BYTES_MAX;
use crate::lane::run_outcome::{Invocation, RunOutcome};

/// The fonts of a browser.
const FONTS: &str = "/etc/fonts";

/// The default time limit for awaited elements, milliseconds.
const WAIT_MS: u64 = 5_000;

/// Why no call of a tool runs with this version, on any machine. Code: `backend_unavailable`.
pub fn backend_fault(manifest: &Manifest) -> Option<Reason> {
    let Backend::Browser(browser) = manifest.backend() else { return None };
    let name = manifest.name();
    let (message, hint) = match (browser.engine, browser.connect) {
        _ if manifest.is_callback() => return None,
        ("cdp", "launch") => return None,
        ("cdp", _) => (
            format!("The tool {name} connects to a running browser, outside of the sandbox."),
            "Write connect = \"launch\": TOOL-EXEC then starts a browser for each request.",
        ),
        (engine, _) => (
            format!("The tool {name} uses the engine {engine}, which this version does not support."),
            "Write engine = \"cdp\".",
        ),
    };
    Some(Reason::new(Code::BackendUnavailable, message, hint))
}

/// Why a tool with a browser does not run here: no browser is installed. Code: `backend_unavailable`.
pub fn browser_fault(config: &Config, manifest: &Manifest) -> Option<Reason> {
    let program = &config.browser.program;
    if !matches!(manifest.backend(), Backend::Browser(_)) || manifest.is_callback() || program.is_file() {
        return None;
    }
    let message =
        format!("The tool {} needs a browser, but none is installed at {}.", manifest.name(), program.display());
    let hint = "Ask the operator to install the package chromium-headless-shell, or to name it in [browser] program of gatepost.toml.";
    Some(Reason::new(Code::BackendUnavailable, message, hint))
}

/// The destinations of a request that the manifest's own scope does not permit. Code: `network_unavailable`.
pub(super) fn out_of_scope(manifest: &Manifest, asked: &[Destination]) -> Vec<Reason> {
    let Backend::Browser(browser) = manifest.backend() else { return Vec::new() };
    let strange = asked.iter().filter(|asked| !browser.visits.permit(&asked.host));
    let reason = |asked: &Destination| {
        let message = format!("The browser of the tool {} may not visit {asked}.", manifest.name());
        let hint =
            "Leave it out of network_allowlist, or ask the author to add its host to [browser.scope] allowed_domains.";
        Reason::new(Code::NetworkUnavailable, message, hint)
    };
    strange.map(reason).collect()
}

/// The action of a command with these arguments. Code: `argument_invalid`.
pub(super) fn action(browser: &Browser, command: &str, arguments: &Arguments) -> Result<Action, Reason> {
    let text = |name| arguments.get(name).map(ToString::to_string);
    let needed = |name| text(name).unwrap_or_default();
    let extract = |form| Action::Extract { form, selector: text("selector") };
    Ok(match command {
        "navigate" => Action::Navigate { url: web(needed("url"))? },
        "go_back" => Action::GoBack,
        "snapshot" => extract(browser.extract_mode),
        "extract" => extract(form(browser, text("mode"))?),
        "extract_html" => extract(Form::Html),
        "click" => Action::Click { selector: needed("selector") },
        "type_text" => Action::TypeText { text: needed("text"), selector: text("selector") },
        "submit_form" => Action::SubmitForm { selector: needed("selector") },
        "execute_js" => Action::ExecuteJs { expression: needed("expression") },
        "wait_for" => Action::WaitFor {
            selector: needed("selector"),
            timeout_ms: text("timeout_ms").map_or(Ok(WAIT_MS), |text| milliseconds(&text))?,
        },
        "list_tabs" => Action::ListTabs,
        "network_timing" => Action::NetworkTiming,
        // The manifest has no other command.
        _ => Action::Screenshot,
    })
}

fn milliseconds(text: &str) -> Result<u64, Reason> {
    text.parse().map_err(|_| {
        let message = format!("The argument timeout_ms is {}.", quoted(text));
        Reason::new(Code::ArgumentInvalid, message, "Give a number of milliseconds, 0 or more.")
    })
}

fn web(url: String) -> Result<String, Reason> {
    if ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Ok(url);
    }
    let message = format!("The argument url is {}, but a browser visits only http and https.", quoted(&url));
    Err(Reason::new(Code::ArgumentInvalid, message, "Give an address that begins with https:// or http://."))
}

fn form(browser: &Browser, mode: Option<String>) -> Result<Form, Reason> {
    let Some(mode) = mode else { return Ok(browser.extract_mode) };
    serde_json::from_value(Value::from(mode.as_str())).map_err(|_| {
        let message = format!("The argument mode is {}.", quoted(&mode));
        Reason::new(Code::ArgumentInvalid, message, "Give accessibility_tree, html or text.")
    })
}

/// Runs the browser.
pub(super) fn run(
    execution: &Execution<'_>,
    browser: &Browser,
    records: Vec<Record>,
    invocation: Invocation,
) -> Result<RunOutcome, Fault> {
    let Execution { context, plan, place, .. } = *execution;
    let manifest = &plan.tool.manifest;
    let mut workplace = execution.workplace()?;
    if Path::new(FONTS).is_dir() {
        workplace.show(Path::new(FONTS), Path::new(FONTS));
    }
    let actions = plan.interactions.iter().filter_map(|interaction| interaction.action.clone());
    let assignment = Assignment {
        program: context.config.browser.program.clone(),
        proxy: plan.network.as_ref().map(|_| format!("socks5://127.0.0.1:{PROXY_PORT}")),
        startup_ms: u64::from(browser.bounds.startup_timeout_seconds) * 1_000,
        action_ms: u64::from(manifest.interaction_seconds().min(browser.bounds.idle_timeout_seconds)) * 1_000,
        screenshots: manifest.captures_pages(),
        actions: actions.collect(),
    };
    let began = (context.clock)();
    let input = assignment.to_json();
    // Reads the published output unredacted: it contains no secret, and evidence names each report by its bytes.
    let (mut run_outcome, _) = execution.run_worker(workplace, (WORKER, input.as_bytes()), invocation, |_| Ok(()))?;
    if run_outcome.ending.is_none() {
        return Ok(run_outcome);
    }
    let output = auxiliary::read_bounded(&place.staging.stdout(), OUTPUT_BYTES_MAX)?.unwrap_or_default();
    let reports = reports(&output);
    judge(manifest, &plan.interactions, &reports, &mut run_outcome);
    run_outcome.anomalies.extend(refused(&reports));
    let interactions = plan.interactions.iter().zip(records);
    let recorded = recorded((manifest, began), interactions, reports, &mut run_outcome.results);
    if let Some(session) = &mut run_outcome.invocation.session {
        session.interactions = recorded;
    }
    Ok(run_outcome)
}

/// A line of the worker's output: its offset, its bytes, and its report.
struct Line<'a> {
    at: u64,
    bytes: &'a [u8],
    report: Report,
}

/// Every report up to the first of a failure; later reports of the worker are ignored.
fn reports(output: &[u8]) -> Vec<Line<'_>> {
    let (mut at, mut is_over, mut values_left) = (0, false, VALUES_MAX);
    let mut read =
        |bytes| json::read_within(bytes, &mut values_left, DEPTH_MAX).and_then(|_| serde_json::from_slice(bytes)).ok();
    let lines = output.split_inclusive(|&byte| byte == b'\n').map_while(|bytes| {
        let line = Line { at, bytes, report: read(bytes).filter(|_: &Report| !is_over)? };
        at += bytes.len() as u64;
        is_over = line.report.error.is_some();
        Some(line)
    });
    lines.collect()
}

/// Decides whether it failed, and at which interaction. The browser's own cause stays in stdout and stderr.
fn judge(manifest: &Manifest, interactions: &[Interaction], lines: &[Line<'_>], run_outcome: &mut RunOutcome) {
    // A limit or a signal has its own failure already.
    let is_own_end = run_outcome.results.as_ref().err().is_none_or(|failure| failure.code == FailureCode::ToolFailed);
    let Some(ending) = run_outcome.ending.as_mut().filter(|_| is_own_end) else { return };
    let failed = lines.iter().zip(interactions).zip(1..).find(|((line, _), _)| line.report.error.is_some());
    let is_unready = lines.is_empty() && ending.exit_code == i32::from(NOT_READY);
    let (is_timeout, message) = match failed {
        Some(((line, interaction), number)) => {
            let is_timeout = line.report.error.as_ref().is_some_and(|error| error.is_timeout);
            let what = if is_timeout { "exceeded its time limit" } else { "did not succeed" };
            (is_timeout, format!("Interaction {number} ({}) {what}.", interaction.command))
        }
        None if is_unready => (true, "The browser was not ready in time.".to_owned()),
        None if run_outcome.results.is_ok() && lines.len() < interactions.len() => {
            (false, format!("The browser ended after {} of {} interactions.", lines.len(), interactions.len()))
        }
        None => return,
    };
    let code = if is_timeout { FailureCode::Timeout } else { FailureCode::ToolFailed };
    if is_timeout {
        ending.exit_code = -1;
        ending.stop_reason = StopReason::Timeout;
        run_outcome.anomalies.push(message.clone());
    }
    let hint = "See the sections Stdout and Stderr for the cause; no later interaction ran.";
    run_outcome.results = Err(failure(code, "interact", manifest.name(), message, hint));
}

/// The note on the counted actions that are refused to every page.
fn refused(lines: &[Line<'_>]) -> Option<String> {
    let counts = lines.iter().filter_map(|line| line.report.results["page_state"]["refused"].as_u64());
    let count = counts.max().filter(|&count| count > 0)?;
    Some(format!("The browser refused windows, dialogs and downloads of pages: {count}."))
}

/// Each started interaction, as evidence. Results that break their schema fail the interaction and the run.
fn recorded<'a>(
    (manifest, began): (&Manifest, DateTime<Utc>),
    interactions: impl Iterator<Item = (&'a Interaction, Record)>,
    lines: Vec<Line<'_>>,
    outcome: &mut Result<Value, evidence::Failure>,
) -> Vec<evidence::Interaction> {
    let one = |(Line { at, bytes, report }, (interaction, record)): (Line<'_>, (&Interaction, Record))| {
        let checked = match &report.error {
            Some(error) if error.is_timeout => Err(Status::Timeout),
            Some(_) => Err(Status::Error),
            None => results::checked(manifest, report.results).map_err(|broken| {
                if outcome.is_ok() {
                    *outcome = Err(broken);
                }
                Status::Error
            }),
        };
        let (status, results) =
            checked.map_or_else(|status| (status, Value::Null), |results| (Status::Success, results));
        let since = TimeDelta::try_milliseconds(report.began_ms.try_into().unwrap_or(i64::MAX)).unwrap_or_default();
        evidence::Interaction {
            request_id: None,
            scan_id: record.scan_id,
            command: interaction.command.clone(),
            arguments: interaction.shown(),
            input: interaction.line.clone(),
            policy: record.policy,
            status,
            timestamp: (began + since).to_rfc3339_opts(SecondsFormat::Millis, true),
            duration_ms: report.took_ms,
            output_offset: at,
            output_bytes: bytes.len() as u64,
            output_hash: format!("sha256:{}", Digest::of(bytes)),
            results,
        }
    };
    lines.into_iter().zip(interactions).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = r#"{"began_ms":1,"took_ms":2,"error":null,"results":{"page_state":{"refused":3}}}"#;
    const FAILED: &str = r#"{"began_ms":1,"took_ms":2,"error":{"is_timeout":false,"message":"m"},"results":null}"#;

    #[test]
    fn reports_are_read_up_to_the_first_that_is_none_or_a_failure() {
        for (lines, expected) in [
            (vec![], 0),
            (vec![DONE, DONE], 2),
            (vec![DONE, FAILED, DONE], 2),
            (vec![FAILED, FAILED], 1),
            (vec![DONE, "rubbish", DONE], 1),
            (vec![DONE, "", DONE], 1),
            (vec![r#"{"began_ms":-1}"#], 0),
        ] {
            let output: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
            let reports = reports(output.as_bytes());
            assert_eq!(reports.len(), expected, "{output}");
            for Line { at, bytes, .. } in reports {
                assert_eq!(output.as_bytes()[usize::try_from(at).unwrap()..].get(..bytes.len()), Some(bytes));
            }
        }
    }

    #[test]
    fn what_pages_were_refused_is_told_once() {
        let output = format!("{DONE}\n{DONE}\n");
        assert!(refused(&reports(output.as_bytes())).unwrap().ends_with("of pages: 3."));
        assert_eq!(refused(&reports(DONE.replace('3', "0").as_bytes())), None);
        assert_eq!(refused(&[]), None);
    }
}
