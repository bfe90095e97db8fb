//! `gatepost doctor`: what a machine can enforce and whether a site is sound, as findings for the operator.
//!
//! ```text
//! Facts::read     ─┐                            site, configuration ─┐
//! trials (sandbox) ─┴▶ machine::examine ──▶ findings ◀─ site::examine ┘
//! ```
//!
//! Mechanisms are tested for real. Pure functions derive causes from facts, so each cause can be tested on any machine.
//! It repairs nothing.

mod apparmor;
mod approval;
mod attestation_key;
mod cause;
mod crash;
mod disk;
mod era;
mod facts;
mod finding;
mod links;
mod log_key;
mod machine;
mod moves;
mod pins;
mod policy_mode;
mod programs;
mod rights;
mod site;
pub(super) mod tools;

use std::path::Path;

use gatepost_contract::config::Config;
use gatepost_gate::policy::Policy;

use super::style::{self, Tone};
use crate::cli::prelude::*;
pub(super) use disk::SPACE_MIN_BYTES;
use facts::Facts;
pub(super) use finding::{Finding, Status};
pub(super) use machine::required_checks;

/// The width of a finding's text, in bytes without the indent.
const TEXT_WIDTH: usize = 96;

/// `gatepost doctor`
pub(super) const DECLARATION: Declaration = Declaration::safe("doctor", either::<Report, Profile>)
    .writes(&[Write::DOCTOR, Write::CONTROL_GROUPS, Write::PRIVATE_ROOT])
    .anywhere()
    .fails(&[ErrorCode::InitRequired, ErrorCode::SandboxUnavailable, ErrorCode::SiteUnsound]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Only print the AppArmor profile that allows this program alone to make its sandbox.
    #[arg(long)]
    apparmor_profile: bool,
    /// Show only what needs attention.
    #[arg(long)]
    problems: bool,
}

#[derive(Serialize, JsonSchema)]
struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    directory: Option<String>,
    /// The level at which tools run; null when they do not.
    level: Option<&'static str>,
    layers: Vec<String>,
    minimum: &'static str,
    failures_count: usize,
    warnings_count: usize,
    /// Checks that are not possible for this user or on this machine.
    unavailable_count: usize,
    findings: Vec<Finding>,
    #[serde(skip)]
    verdict: String,
}

impl View for Report {
    fn text(&self) -> String {
        let width = self.findings.iter().map(|finding| name(finding).len()).max().unwrap_or_default();
        let (mut text, mut last, mut printed) = (String::new(), "", Vec::new());
        for finding in &self.findings {
            if group(finding) != last {
                last = group(finding);
                let gap = if text.is_empty() { "" } else { "\n" };
                text += &format!("{gap}{}\n", last.to_uppercase());
            }
            let remedy = (&finding.why, &finding.fix);
            text += &lines(finding, width, !printed.contains(&remedy));
            printed.push(remedy);
        }
        let gap = if text.is_empty() { "" } else { "\n" };
        let counts = match (self.failures_count, self.warnings_count) {
            (0, 0) => "Nothing needs attention.".to_owned(),
            (failures, warnings) => format!("Failures: {failures}, warnings: {warnings}."),
        };
        let untried = match self.unavailable_count {
            0 => String::new(),
            count => format!(" {} not possible for this user or on this machine.", counted(count, "check")),
        };
        text + &format!("{gap}{counts}{untried}\n{}\n", self.verdict)
    }
}

fn group(finding: &Finding) -> &str {
    finding.check.split_once('.').map_or("", |(group, _)| group)
}

fn name(finding: &Finding) -> &str {
    finding.check.split_once('.').map_or(&finding.check, |(_, name)| name)
}

/// A finding; `explained` includes the remedy, which is printed once for all findings with the same cause.
fn lines(finding: &Finding, width: usize, explained: bool) -> String {
    let status = match finding.status {
        Status::Ok => "ok",
        Status::Unavailable => "n/a",
        Status::Warning => "warning",
        Status::Failure => "FAILURE",
    };
    let indent = " ".repeat(width + 13);
    let found = wrapped(&finding.found, &indent);
    let tone = match finding.status {
        Status::Ok => Tone::Good,
        Status::Unavailable | Status::Warning => Tone::Waiting,
        Status::Failure => Tone::Bad,
    };
    let status = style::paint(tone, &format!("{status:<7}"));
    let mut text = format!("  {status}  {:<width$}  {}\n", name(finding), found.trim_start().trim_end());
    if !explained {
        return text;
    }
    for part in [&finding.why, &finding.fix].into_iter().flatten() {
        text += &wrapped(part, &indent);
    }
    if let Some(command) = &finding.fix_command {
        // In one piece, for copying.
        text += &format!("{indent}$ {command}\n");
    }
    text
}

/// The text in lines of a fixed width, each indented.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().filter(|line| line.is_empty() || line.len() + word.len() < TEXT_WIDTH);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines.iter().fold(String::new(), |text, line| text + &format!("{indent}{line}\n"))
}

#[derive(Serialize, JsonSchema)]
struct Profile {
    profile: String,
}

impl View for Profile {
    fn text(&self) -> String {
        self.profile.clone()
    }
}

pub(super) fn run(at: Option<&Path>, arguments: &Arguments) -> Result<Outcome, Failure> {
    let facts = Facts::read();
    if arguments.apparmor_profile {
        return Ok(Outcome::done(&Profile { profile: apparmor::profile(&facts.program) }));
    }
    let site = crate::cli::site::find_if_any(at)?;
    let config = match &site {
        Some(site) => super::site::open(Some(site.root())).map(|open| open.config),
        None => Ok(Config::default()),
    };
    let defaults = Config::default();
    let known = config.as_ref().unwrap_or(&defaults);
    // An invalid gate.toml is reported below; without one the strictest defaults apply.
    let policy = site.as_ref().and_then(|site| Policy::read(site).ok()).unwrap_or_default();
    let machine = machine::examine(&facts, &known.sandbox, &known.limits, policy.gate.confinement);
    let mut findings = machine.findings;
    findings.extend(programs::examine(&facts.program));
    if let Some(site) = &site {
        let level = machine.level.as_ref().map_or(known.sandbox.maximum, |(level, _)| *level);
        let config = config.as_ref().map_err(|failure| (failure.message.clone(), failure.hint.clone()));
        findings.extend(site::examine(site, config, level));
    }
    let count = |status| findings.iter().filter(|finding| finding.status == status).count();
    let (failures_count, warnings_count) = (count(Status::Failure), count(Status::Warning));
    let unavailable_count = count(Status::Unavailable);
    if arguments.problems {
        findings.retain(|finding| finding.status >= Status::Warning);
    }
    let minimum = known.sandbox.minimum.as_str();
    let verdict = match (&machine.level, &machine.below) {
        (Some((level, _)), _) => format!("Tools run here at level {}.", level.as_str()),
        (None, below) => {
            let refused = "Requests that run tools will be refused";
            let lower = below.map(|level| {
                format!(" It can at level {0}, which [sandbox] minimum = \"{0}\" allows.", level.as_str())
            });
            format!("{refused}: this machine cannot confine them at level {minimum}.{}", lower.unwrap_or_default())
        }
    };
    let report = Report {
        directory: site.map(|site| site.root().display().to_string()),
        level: machine.level.as_ref().map(|(level, _)| level.as_str()),
        layers: machine.level.map(|(_, sandbox)| sandbox.layers).unwrap_or_default(),
        minimum,
        failures_count,
        warnings_count,
        unavailable_count,
        findings,
        verdict,
    };
    Ok(Outcome::ended(&report, failure(&report)))
}

fn failure(report: &Report) -> Option<Failure> {
    let (code, message) = if report.level.is_none() {
        (ErrorCode::SandboxUnavailable, report.verdict.clone())
    } else if report.failures_count > 0 {
        (
            ErrorCode::SiteUnsound,
            match report.failures_count {
                1 => "One check of the site failed.".to_owned(),
                count => format!("{count} checks of the site failed."),
            },
        )
    } else {
        return None;
    };
    let hint = "Each failure says what to do; `gatepost doctor --problems` shows only failures and warnings.";
    let target = report.directory.clone().unwrap_or_default();
    Some(Failure::new(code, FailureKind::Runtime, message, hint).during("examine", target))
}
