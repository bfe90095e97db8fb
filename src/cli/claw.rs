//! The surfaces that the claw JSON contract names, over what there is here: manifests, sessions, our own commands.
//!
//! Each is a typed outcome as every other command's; the view that the contract describes is made of it elsewhere, so no member of `data`
//! is called as one of that view's own. *Security*: what a tool or a requester said stands in members of data marked `_trusted: false`, and
//! in no message, hint or name. *Standards*: claw JSON envelope contract 1.0; `docs/agents-claw.md` says where each member comes from.

mod bootstrap;
mod bootstrap_graph;
mod exec_command;
mod exec_tool;
mod execution;
mod graph;
mod payload;
mod record;
mod registry;
mod route;
mod score;
mod sessions;
mod tools;

use std::path::Path;

use gatepost_mailbox::site::Site;
use serde::Serialize;

use super::outcome::{Failure, Outcome, View};
use super::site;

#[derive(Debug, clap::Subcommand)]
pub enum Surface {
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
    /// For agents: read what was said in a session.
    LoadSession(sessions::Id),
    /// For agents: have what was printed in a session on the disk, and count it.
    FlushTranscript(sessions::Id),
    /// For agents: close an open session.
    DeleteSession(sessions::DeleteArguments),
    /// For agents: show one command of this program.
    ShowCommand(graph::ShowArguments),
    /// For agents: carry out a command of this program that changes nothing.
    ExecCommand(exec_command::Arguments),
    /// For agents: list the commands of this program, and what the site adds to them.
    CommandGraph,
    /// For agents: say what this machine is, rank tools for a prompt, and run the best one if it can be called as it stands.
    Bootstrap(bootstrap::Arguments),
    /// For agents: list the stages in which `up` starts.
    BootstrapGraph,
}

impl Surface {
    /// The command as words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ToolPool(_) => "tool-pool",
            Self::ShowTool(_) => "show-tool",
            Self::ExecTool(_) => "exec-tool",
            Self::Route(_) => "route",
            Self::ListSessions => "list-sessions",
            Self::LoadSession(_) => "load-session",
            Self::FlushTranscript(_) => "flush-transcript",
            Self::DeleteSession(_) => "delete-session",
            Self::ShowCommand(_) => "show-command",
            Self::ExecCommand(_) => "exec-command",
            Self::CommandGraph => "command-graph",
            Self::Bootstrap(_) => "bootstrap",
            Self::BootstrapGraph => "bootstrap-graph",
        }
    }
}

pub fn run(at: Option<&Path>, surface: &Surface) -> Result<Outcome, Failure> {
    match surface {
        Surface::ToolPool(arguments) => tools::pool(&site::find(at)?, arguments),
        Surface::ShowTool(arguments) => tools::show(&site::find(at)?, arguments),
        Surface::ExecTool(arguments) => exec_tool::run(site::open(at)?, arguments),
        Surface::Route(arguments) => route::run(maybe(at)?.as_ref(), arguments),
        Surface::ListSessions => sessions::list(&site::find(at)?),
        Surface::LoadSession(id) => sessions::load(&site::find(at)?, id),
        Surface::FlushTranscript(id) => sessions::flush(&site::find(at)?, id),
        Surface::DeleteSession(arguments) => sessions::delete(&site::find(at)?, arguments),
        Surface::ShowCommand(arguments) => Ok(graph::show(arguments)),
        Surface::ExecCommand(arguments) => Ok(exec_command::run(at, arguments)),
        Surface::CommandGraph => graph::list(maybe(at)?.as_ref()),
        Surface::Bootstrap(arguments) => bootstrap::run(site::open(at)?, arguments),
        Surface::BootstrapGraph => Ok(bootstrap_graph::run()),
    }
}

/// The site, where one was named or is found. What is told of our own commands needs none.
fn maybe(at: Option<&Path>) -> Result<Option<Site>, Failure> {
    if at.is_some() { site::find(at).map(Some) } else { Ok(site::find(None).ok()) }
}

/// What was looked for and does not exist.
#[derive(Serialize)]
struct Missing<'a> {
    name: &'a str,
    found: bool,
}

impl View for Missing<'_> {
    fn text(&self) -> String {
        String::new()
    }
}

/// That what was named does not exist, as every surface says it.
fn missing(name: &str, failure: Failure) -> Outcome {
    Outcome::failed(&Missing { name, found: false }, failure)
}
