//! `gatepost policy learn`: Cedar policies that would permit what no policy permits, drafted from the evidence of results.
//!
//! It never writes into policies/. *Security*: every byte of the evidence is hostile. A draft contains foreign text
//! only as printable ASCII literals; the rest is request ids, names of the site's own manifests, and numbers.

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_contract::manifest::Manifest;
use gatepost_documents::escape::ascii_json;
use gatepost_exec::policy::draft::{Drafted, draft, listed};
use gatepost_exec::policy::suggestion::{Suggestion, suggest};
use gatepost_exec::toolbox::Toolbox;
use gatepost_mailbox::durable;

use crate::cli::new_folder::NewFolder;
use crate::cli::prelude::*;
use findings::{Findings, Reported};
use sources::Sources;

mod findings;
mod sources;

const POLICIES: &str = "learned.cedar";
const ARGUMENTS: &str = "arguments.toml";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write the drafts into this folder, which must not exist, instead of only printing them.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Learned {
    effect: Effect,
    /// Names and values come from requesters.
    _trusted: bool,
    directory: String,
    /// How many results were read.
    results_count: usize,
    /// The drafted policies.
    policies: Vec<Policy>,
    /// Suggested types of string arguments.
    arguments: Vec<Argument>,
    /// What was refused and is not drafted away.
    reported: Vec<Reported>,
    /// The codes with which the gate rejected results.
    gate: Vec<Rejected>,
    /// The requests for which there is no draft.
    left_out: Vec<LeftOut>,
    /// The files that were written.
    files: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Policy {
    id: String,
    principal: String,
    action: String,
    resource: String,
    requests: Vec<String>,
    /// The policy with its comments, as Cedar reads it.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Argument {
    tool: String,
    argument: String,
    requests: Vec<String>,
    /// The suggestion for the tool's manifest, as TOML.
    text: String,
}

/// A code of the gate, and the requests whose results it rejected for that.
#[derive(Serialize, JsonSchema)]
struct Rejected {
    code: Code,
    requests: Vec<String>,
}

/// A request without a draft, or a result that was not read.
#[derive(Serialize, JsonSchema)]
struct LeftOut {
    request_id: String,
    why: &'static str,
}

impl View for Learned {
    /// A complete file of policies.
    fn text(&self) -> String {
        let mut text =
            format!("// Drafted from {}. Read every line before you use it.\n", counted(self.results_count, "result"));
        for policy in &self.policies {
            text += &format!("\n{}", policy.text);
        }
        for argument in &self.arguments {
            text += &format!("\n// For the manifest of {}:\n", ascii_json(&argument.tool));
            text.extend(argument.text.lines().map(|line| format!("//   {line}\n")));
        }
        let mut section = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                text += &format!("\n// {title}\n");
                text.extend(lines.iter().map(|line| format!("//   {line}\n")));
            }
        };
        section("Not drafted away:", self.reported.iter().map(Reported::line).collect());
        let line = |one: &Rejected| format!("{}: {}", one.code, listed(one.requests.iter().map(String::as_str)));
        section("Rejected by the gate:", self.gate.iter().map(line).collect());
        let line = |one: &LeftOut| format!("{}: {}", one.request_id, one.why);
        section("Left out:", self.left_out.iter().map(line).collect());
        let verb = if self.effect == Effect::WouldCreate { "Would write" } else { "Wrote" };
        section(&format!("{verb}:"), self.files.iter().map(ascii_json).collect());
        text
    }
}

pub(super) fn run(open: &Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let folder = arguments.out.as_deref().map(|out| NewFolder::begin(&open.site, out)).transpose()?;
    let sources = Sources::read(&open.site)?;
    let findings = Findings::of(&sources.evidence);
    let toolbox = Toolbox::at(&open.site).all()?;
    let tools: Vec<_> = toolbox.into_iter().filter_map(|(_, reading)| reading.ok()).collect();
    let manifests: Vec<&Manifest> = tools.iter().map(|tool| &tool.manifest).collect();
    let (drafted, left_out) = draft(&findings.unpermitted, &manifests, &open.config.era.interpreters.all());
    let suggested = suggest(&findings.calls, &manifests);
    let left_out = left_out.into_iter().map(|(id, why)| LeftOut { request_id: id.to_string(), why });
    let unread = sources.unread.into_iter().map(|(request_id, why)| LeftOut { request_id, why });
    let mut learned = Learned {
        effect: Effect::Noop,
        _trusted: false,
        directory: open.site.root().display().to_string(),
        results_count: sources.evidence.len(),
        policies: drafted.into_iter().map(policy).collect(),
        arguments: suggested.into_iter().map(argument).collect(),
        reported: findings.reported,
        gate: sources
            .rejected
            .into_iter()
            .map(|(code, requests)| Rejected { code, requests: requests.into_iter().collect() })
            .collect(),
        left_out: left_out.chain(unread).collect(),
        files: Vec::new(),
    };
    if let (Some(folder), Some(out)) = (folder, &arguments.out) {
        learned.effect = Effect::Created.or_would(arguments.dry_run);
        learned.files = write(&learned, folder, out, arguments.dry_run)?;
    }
    Ok(Outcome::done(&learned))
}

fn policy(Drafted { id, entities: [principal, action, resource], requests, text }: Drafted) -> Policy {
    Policy { id, principal, action, resource, requests: requests.iter().map(ToString::to_string).collect(), text }
}

fn argument(Suggestion { tool, argument, requests, text }: Suggestion) -> Argument {
    Argument { tool, argument, requests: requests.iter().map(ToString::to_string).collect(), text }
}

/// Writes the drafts, each kind into its own file. Returns their paths.
fn write(learned: &Learned, folder: NewFolder, out: &Path, is_dry_run: bool) -> Result<Vec<String>, Failure> {
    let policies: Vec<&str> = learned.policies.iter().map(|policy| policy.text.as_str()).collect();
    let arguments: Vec<&str> = learned.arguments.iter().map(|argument| argument.text.as_str()).collect();
    let files = [(POLICIES, policies), (ARGUMENTS, arguments)];
    let paths = files.iter().map(|(name, _)| out.join(name).display().to_string()).collect();
    if is_dry_run {
        return Ok(paths);
    }
    fs::create_dir(&folder.staged).on("create", &folder.staged)?;
    for (name, parts) in files {
        durable::write_new(&folder.staged.join(name), parts.join("\n").as_bytes())?;
    }
    folder.publish()?;
    Ok(paths)
}
