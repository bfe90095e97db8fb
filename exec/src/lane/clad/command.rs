//! The backend `command`: a program or a script in the sandbox.

use std::ffi::OsString;
use std::path::Path;

use gatepost_contract::manifest::{Call, Parser, Places, SecretValues};
use gatepost_contract::parser::Builtin;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::fault::Fault;

use super::{Execution, Plan};
use crate::environment;
use crate::lane::run::{self, Program};
use crate::lane::run_outcome::{Invocation, RunOutcome};
use crate::zeroizing::Zeroizing;

/// The path of the site's tools for a tool in a private root.
pub const TOOLS: &str = "/tools";

/// The call of a plan.
pub(super) fn call(plan: &Plan, scan_id: &str, secrets: &SecretValues) -> Result<Call, Vec<Reason>> {
    let places = Places { scan_id, output_dir: "out", evidence_dir: "out", output_file: output_file(plan) };
    plan.tool.manifest.command(&plan.arguments, &places, secrets)
}

/// The tool's output file if its command names `{_output_file}`, relative to its work folder.
fn output_file(plan: &Plan) -> &'static str {
    match plan.tool.manifest.parser() {
        Parser::Builtin(Builtin::Json) => "out/output.json",
        Parser::Builtin(Builtin::Xml) => "out/output.xml",
        Parser::Builtin(Builtin::Csv) => "out/output.csv",
        Parser::Builtin(Builtin::Jsonl) => "out/output.jsonl",
        Parser::Builtin(Builtin::Text) | Parser::Script(_) => "out/output.txt",
    }
}

/// Runs it.
pub(super) fn run(execution: &Execution<'_>, mut call: Call, invocation: Invocation) -> Result<RunOutcome, Fault> {
    let Execution { context, plan, place, scan_id, secrets } = *execution;
    let manifest = &plan.tool.manifest;
    let mut workplace = execution.workplace()?;
    let tools = workplace.show(context.toolbox.folder(), Path::new(TOOLS));
    workplace.connect(plan.network.as_ref(), place.cancel)?;
    let variables = std::mem::take(&mut call.environment);
    let program = Program {
        name: manifest.name(),
        argv: &argv(&tools, &mut call),
        environment: &environment::for_tool(workplace.inside(), manifest.name(), scan_id, variables),
        input: None,
        console: None,
        success_exit_codes: manifest.success_exit_codes(),
        limits: &plan.limits,
        secrets,
    };
    let mut outcome = run::run(context, &workplace, &program, invocation, place)?;
    let own_output = Some(output_file(plan)).filter(|_| call.uses_output_file);
    outcome.output_file = own_output.filter(|file| place.staging.file(file).is_some());
    Ok(outcome)
}

/// A script's path is relative to tools/; any other word is unchanged.
fn argv(tools: &Path, call: &mut Call) -> Zeroizing<OsString> {
    let mut argv: Zeroizing<OsString> = call.argv.drain(..).map(OsString::from).collect();
    if let (Some(script), Some(first)) = (&call.script, argv.first_mut()) {
        *first = tools.join(script.as_str()).into();
    }
    argv
}
