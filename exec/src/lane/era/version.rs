//! Asks programs for their versions, each in the place and confinement of its later run.

use std::ffi::OsString;
use std::path::Path;

use gatepost_documents::evidence::Limits;

use super::Plan;
use crate::context::Context;
use crate::environment;
use crate::lane::auxiliary;
use crate::lane::workplace::Workplace;

const ANSWER_BYTES_MAX: u64 = 4 * 1024;
const ANSWER_TIME_MS_MAX: u64 = 30_000;

/// The version of a plan's own program.
pub(super) fn of_program(plan: &Plan, context: &Context, folder: &Path, scan_id: &str) -> String {
    let name = plan.interpreter.as_str();
    let question = if name == "go" { "version" } else { "--version" };
    context.versions.known_or_ask(name, || {
        let workplace = plan.workplace(context, folder).map_err(|fault| fault.to_string())?;
        let argv = plan.argv(&workplace, &[name.to_owned(), question.to_owned()]);
        let environment = environment::for_tool(workplace.inside(), name, scan_id, Vec::new());
        ask(plan, context, &workplace, &argv, &environment)
    })
}

/// The version of the launcher; empty without one.
pub(super) fn of_launcher(plan: &Plan, context: &Context, folder: &Path, scan_id: &str) -> String {
    let (Some(path), Some(identity)) = (plan.launcher.program(), &plan.identity) else { return String::new() };
    // Keyed by digest, because a replaced launcher is another program.
    context.versions.known_or_ask(&identity.sha256.to_string(), || {
        let workplace = plan.workplace(context, folder).map_err(|fault| fault.to_string())?;
        let environment = environment::for_tool(workplace.inside(), plan.interpreter.as_str(), scan_id, Vec::new());
        let argv = [path.into(), "--version".into()];
        ask(plan, context, &workplace, &argv, &environment)
    })
}

/// What a query prints, or why it printed nothing.
fn ask(
    plan: &Plan,
    context: &Context,
    workplace: &Workplace,
    argv: &[OsString],
    environment: &[(OsString, OsString)],
) -> Result<Vec<u8>, String> {
    let run = (context, context.runs.all());
    auxiliary::execute(run, workplace, "The version query", argv, environment, &limits(plan))
        .map_or_else(|fault| Err(fault.to_string()), |report| report.output)
}

fn limits(plan: &Plan) -> Limits {
    let own = plan.limits_around();
    Limits { time_ms: own.time_ms.min(ANSWER_TIME_MS_MAX), stdout_bytes: ANSWER_BYTES_MAX, ..own }
}
