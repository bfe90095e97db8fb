//! The surfaces of the claw JSON contract, mapped to manifests, sessions and our own commands.
//!
//! Each command returns a typed outcome; `view.rs` derives the contract's view from it, so `data` has no member named like one of that
//! view's own. *Security*: words of a tool or requester appear only in members of data marked `_trusted: false`, never in a message, hint
//! or name. *Standards*: claw JSON envelope contract 1.0; `docs/agents-claw.md` lists the source of each member.

mod bootstrap;
mod bootstrap_graph;
mod exec_command;
mod exec_tool;
mod execution;
mod graph;
mod payload;
mod record;
pub(super) mod registry;
mod route;
mod score;
mod sessions;
mod tools;
mod view;

pub(super) use graph::unknown as unknown_command;
pub(super) use view::{exit_status, view};

use crate::cli::prelude::*;
use crate::cli::submit::CALLING;
use std::path::Path;

/// Writes of the commands that it may run: those that probe the machine.
const PROBING: &[Write] = &[Write::DOCTOR, Write::CONTROL_GROUPS, Write::PRIVATE_ROOT, Write::temporary("gatepost-")];

/// The commands of the claw contract.
pub(super) const DECLARATIONS: [Declaration; 13] = [
    Declaration::safe("tool-pool", data::<tools::Pool>).lists("tools", "name"),
    Declaration::safe("show-tool", data::<tools::Shown>).about("name").fails(&[ErrorCode::ToolNotFound]),
    Declaration::mutating("exec-tool", data::<exec_tool::Executed<'static>>)
        .writes(&[Write::DROP])
        .about("request_id")
        .waits(300)
        .fails_like(CALLING)
        .fails(&[ErrorCode::InvalidJson]),
    Declaration::safe("route", data::<route::Routed<'static>>)
        .lists("matches", "name")
        .provisional()
        .anywhere()
        .fails(&[ErrorCode::InitRequired]),
    Declaration::safe("list-sessions", data::<sessions::List>).lists("sessions", "session_id"),
    Declaration::safe("load-session", data::<sessions::Loaded>)
        .about("session_id")
        .takes_ids()
        .fails(&[ErrorCode::SessionNotFound]),
    Declaration::safe("flush-transcript", data::<sessions::Flushed>)
        .about("session_id")
        .takes_ids()
        .fails(&[ErrorCode::SessionNotFound]),
    Declaration::destructive("delete-session", data::<sessions::Deleted<'static>>)
        .writes(&[Write::ORDER])
        .about("session_id")
        .takes_ids()
        .fails(&[ErrorCode::PolicyDenied, ErrorCode::SessionNotFound]),
    Declaration::safe("show-command", data::<graph::Shown>)
        .anywhere()
        .about("name")
        .fails(&[ErrorCode::CommandNotFound]),
    Declaration::safe("exec-command", data::<exec_command::Executed<'static>>)
        .writes(PROBING)
        .anywhere()
        .about("name")
        .confines()
        .carries_out_others()
        .fails(&[ErrorCode::CommandNotFound, ErrorCode::PolicyDenied]),
    Declaration::safe("command-graph", data::<graph::Graph>).anywhere().fails(&[ErrorCode::InitRequired]),
    Declaration::mutating("bootstrap", data::<bootstrap::Bootstrapped<'static>>)
        .writes(&[Write::DROP])
        .starts(&[Subprocess::PYTHON])
        .provisional()
        .about("request_id")
        .waits(300)
        .fails_like(CALLING),
    Declaration::safe("bootstrap-graph", data::<bootstrap_graph::Graph>).anywhere(),
];

#[derive(Debug, clap::Subcommand)]
pub(super) enum Surface {
    /// For agents: list the tools that can be called.
    ToolPool(tools::PoolArguments),
    /// For agents: show one tool and the form of its arguments.
    ShowTool(tools::ShowArguments),
    /// For agents: run one call of a tool through the mailbox, and wait for the verdict.
    ExecTool(exec_tool::Arguments),
    /// For agents: rank tools and commands for a prompt.
    Route(route::Arguments),
    /// For agents: list the sessions with tools, open and ended.
    ListSessions,
    /// For agents: read the transcript of a session.
    LoadSession(sessions::Id),
    /// For agents: flush the transcript of a session to disk, and count its messages.
    FlushTranscript(sessions::Id),
    /// For agents: close an open session.
    DeleteSession(sessions::DeleteArguments),
    /// For agents: show one command of this program.
    ShowCommand(graph::ShowArguments),
    /// For agents: run a command of this program that changes nothing.
    ExecCommand(exec_command::Arguments),
    /// For agents: list the commands of this program, and the tools that the site adds.
    CommandGraph,
    /// For agents: describe this machine, rank tools for a prompt, and run the best one if the prompt is a complete call.
    Bootstrap(bootstrap::Arguments),
    /// For agents: list the stages in which `up` starts.
    BootstrapGraph,
}

pub(super) fn run(at: Option<&Path>, surface: &Surface, bounds: &Bounds) -> Result<Outcome, Failure> {
    match surface {
        Surface::ToolPool(arguments) => tools::pool(&site::find(at)?, arguments, bounds),
        Surface::ShowTool(arguments) => tools::show(&site::find(at)?, arguments),
        Surface::ExecTool(arguments) => Ok(exec_tool::run(site::open(at)?, arguments, bounds)),
        Surface::Route(arguments) => route::run(site::find_if_any(at)?.as_ref(), arguments, bounds),
        Surface::ListSessions => sessions::list(&site::find(at)?, bounds),
        Surface::LoadSession(id) => sessions::load(&site::find(at)?, id),
        Surface::FlushTranscript(id) => sessions::flush(&site::find(at)?, id),
        Surface::DeleteSession(arguments) => sessions::delete(&site::find(at)?, arguments),
        Surface::ShowCommand(arguments) => graph::show(arguments),
        Surface::ExecCommand(arguments) => Ok(exec_command::run(at, arguments, bounds)),
        Surface::CommandGraph => graph::list(site::find_if_any(at)?.as_ref()),
        Surface::Bootstrap(arguments) => bootstrap::run(site::open(at)?, arguments, bounds),
        Surface::BootstrapGraph => Ok(bootstrap_graph::run()),
    }
}
