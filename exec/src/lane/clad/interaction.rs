//! The interactions of a request with a session or a browser, each checked against its own command of the manifest.
//!
//! A command is bound like a call, so the scope, the policies and the demand for approvals apply to each one by itself.

use gatepost_contract::manifest::{Arguments, Backend, InputFiles, Manifest};
use gatepost_contract::nearest::nearest;
use gatepost_contract::request::InteractionCall;
use gatepost_contract::scope::Scope;
use gatepost_documents::destination::Host;
use gatepost_documents::reason::{Code, Reason};
use gatepost_workers::browser::Action;
use serde_json::{Map, Value};

use super::{Part, browser};
use crate::policy::Subject;

/// One interaction that its manifest allows.
#[derive(Debug)]
pub struct Interaction {
    /// The name of its command, which the manifest has.
    pub command: String,
    /// The checked arguments.
    pub arguments: Arguments,
    /// The line for a session, without its end; for a browser, the arguments as JSON.
    pub line: String,
    /// The action of a browser.
    pub action: Option<Action>,
}

impl Interaction {
    /// The subject for policies.
    pub(super) fn subject<'a>(&'a self, manifest: &'a Manifest, targets: &'a [Host]) -> Subject<'a> {
        Subject::Call { manifest: self.manifest(manifest), arguments: &self.arguments, targets }
    }

    /// Its own manifest.
    pub(super) fn manifest<'a>(&self, manifest: &'a Manifest) -> &'a Manifest {
        &manifest.commands()[&self.command]
    }

    /// The text for approvers. For a browser it includes the command, because the arguments do not name it.
    pub(super) fn preview(&self) -> String {
        if self.action.is_none() { self.line.clone() } else { format!("{} {}", self.command, self.line) }
    }

    /// The arguments as evidence names them; none of a session or browser is sensitive.
    pub(super) fn shown(&self) -> Map<String, Value> {
        self.arguments.iter().map(|(name, value)| (name.to_owned(), value.to_string().into())).collect()
    }
}

/// Checks the interactions of a request, or returns all faults. Codes: `key_missing`, `key_unknown`, `limit_exceeded`, and those
/// of [`Manifest::bind`].
pub(super) fn plan(
    manifest: &Manifest,
    part: &Part,
    calls: &[InteractionCall],
    scope: &Scope,
    inputs: &dyn InputFiles,
) -> Result<Vec<Interaction>, Vec<Reason>> {
    let name = manifest.name();
    let bounds = match (manifest.backend().bounds(), calls) {
        (Some(_), []) if !manifest.is_callback() && !part.may_be_empty() => {
            let what = manifest.backend().as_str();
            let message = format!("The tool {name} is a {what}, but the request has no interactions.");
            let hint = "List the interactions, such as `interactions: [{\"command\": \"NAME\", \"args\": {}}]`.";
            return Err(vec![Reason::new(Code::KeyMissing, message, hint)]);
        }
        (_, []) => return Ok(Vec::new()),
        (Some(bounds), _) => bounds,
        _ => {
            let message =
                format!("The tool {name} is neither a session nor a browser, but the request has interactions.");
            return Err(vec![Reason::new(Code::KeyUnknown, message, "Remove interactions, and give args.")]);
        }
    };
    let mut reasons = Vec::new();
    if calls.len() > bounds.interactions_max as usize {
        let message =
            format!("The request has {} interactions, and {name} allows {}.", calls.len(), bounds.interactions_max);
        reasons.push(Reason::new(Code::LimitExceeded, message, "Spread them over several requests."));
    }
    let mut planned = Vec::new();
    for (number, call) in (1..).zip(calls) {
        match one(manifest, call, scope, inputs) {
            Ok(interaction) => planned.push(interaction),
            Err(faults) => reasons.extend(faults.into_iter().map(|fault| Reason {
                message: format!("Interaction {number} ({}): {}", call.command, fault.message),
                ..fault
            })),
        }
    }
    if reasons.is_empty() { Ok(planned) } else { Err(reasons) }
}

fn one(
    manifest: &Manifest,
    call: &InteractionCall,
    scope: &Scope,
    inputs: &dyn InputFiles,
) -> Result<Interaction, Vec<Reason>> {
    let Some((own, Backend::Interaction(interaction))) =
        manifest.commands().get(&call.command).map(|own| (own, own.backend()))
    else {
        return Err(vec![unknown(manifest, &call.command)]);
    };
    let arguments = own.bind(&call.args, scope, inputs)?;
    let command = call.command.clone();
    let mut planned = Interaction { command, arguments, line: String::new(), action: None };
    if let Backend::Browser(browser) = manifest.backend() {
        let action = browser::action(browser, &planned.command, &planned.arguments).map_err(|reason| vec![reason])?;
        planned.action = Some(action);
        planned.line = Value::Object(planned.shown()).to_string();
    } else {
        planned.line = interaction.line(&planned.command, &planned.arguments).map_err(|reason| vec![reason])?;
    }
    Ok(planned)
}

fn unknown(manifest: &Manifest, command: &str) -> Reason {
    let names = manifest.commands().keys().map(String::as_str);
    let hint = match nearest(command, names.clone()) {
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None => format!("Its commands are: {}.", names.collect::<Vec<_>>().join(", ")),
    };
    Reason::new(Code::ArgumentUnknown, format!("The tool {} has no such command.", manifest.name()), hint)
}
