//! The tool ran what the request asks for: its lane, its tool, and on the lane ERA its exact command.

use super::HINT;
use crate::consistency;
use crate::request::{Lane, Request, split};
use gatepost_documents::evidence::{Backend, Evidence};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// Every difference between the requested call and the reported one.
pub(super) fn faults(evidence: &Evidence, request: &Request) -> Vec<Reason> {
    let is_refusal = consistency::is_refusal(evidence);
    let messages = match &request.lane {
        // A request may be refused because its command was unreadable.
        _ if is_refusal && evidence.backend == Backend::None => Vec::new(),
        None => vec!["The request names no known lane.".to_owned()],
        Some(lane) => [backend(evidence, lane), tool(evidence, lane, is_refusal), argv(evidence, lane, is_refusal)]
            .into_iter()
            .flatten()
            .collect(),
    };
    let line = line(evidence).into_iter();
    let reason = |message| Reason::new(Code::RequestMismatch, message, HINT).in_file(consistency::FILE);
    messages.into_iter().chain(line).map(reason).collect()
}

fn backend(evidence: &Evidence, lane: &Lane) -> Option<String> {
    let expected = lane.as_str();
    (evidence.backend.as_str() != expected)
        .then(|| format!("The backend is {}, but the request says {expected}.", quoted(evidence.backend.as_str())))
}

/// A refused command has a tool only if its program has a plain name.
fn tool(evidence: &Evidence, lane: &Lane, is_refusal: bool) -> Option<String> {
    let tool = evidence.tool.as_str();
    let expected = match lane {
        Lane::Clad { tool, .. } => tool.as_str(),
        Lane::Era(command) => command.first().map_or("", |program| program.rsplit('/').next().unwrap_or_default()),
        Lane::Monty => "monty",
        Lane::Fetch(_) => "fetch",
    };
    let is_era = matches!(lane, Lane::Era(_));
    let holds = tool == expected || (is_era && (is_python(expected, tool) || (is_refusal && tool.is_empty())));
    (!holds).then(|| format!("The tool is {}, but the request says {}.", quoted(tool), quoted(expected)))
}

/// The argument vector of ERA equals the request's. Those of other lanes come from a manifest or from gatepost.
fn argv(evidence: &Evidence, lane: &Lane, is_refusal: bool) -> Option<String> {
    if is_refusal {
        let message = "TOOL-EXEC refused the request, but the evidence has an argument vector.";
        return (!evidence.argv.is_empty()).then(|| message.to_owned());
    }
    let Lane::Era(expected) = lane else { return None };
    let holds = match (evidence.argv.as_slice(), expected.as_slice()) {
        ([program, rest @ ..], [asked, others @ ..]) => {
            (program == asked || is_python(asked, program)) && rest == others && *program == evidence.tool
        }
        _ => false,
    };
    (!holds).then(|| "The argument vector differs from the request's Command.".to_owned())
}

/// For `python`, `python3` may run.
fn is_python(asked: &str, found: &str) -> bool {
    asked == "python" && found == "python3"
}

/// The command line is the argument vector, quoted.
fn line(evidence: &Evidence) -> Option<String> {
    let is_same = split(&evidence.command).as_ref() == Some(&evidence.argv);
    (!is_same).then(|| "The command does not split into the argument vector.".to_owned())
}
