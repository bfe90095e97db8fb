//! `gatepost mcp`: replaces this process by `gatepost-mcp`, which serves the site to an MCP client.
//!
//! Stdout then belongs to the client: this program prints nothing there.

use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use super::sibling;
use crate::cli::prelude::*;

/// `gatepost mcp`
pub(super) const DECLARATION: Declaration = Declaration::mutating("mcp", data::<Served>)
    .starts(&[Subprocess::MCP])
    .writes(&[Write::DROP, Write::CANCEL, Write::kept_in("var/mcp/")])
    .watches()
    .fails(&[ErrorCode::StreamingNotSupported, ErrorCode::ProgramMissing]);

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  claude mcp add gatepost -- gatepost mcp --site /srv/mailbox\n  \
    gatepost mcp --http 127.0.0.1:8171 --tokens /etc/gatepost/mcp.tokens")]
pub(super) struct Arguments {
    /// On stdin and stdout: who calls; else the user of this process. For the forced command of an SSH key.
    #[arg(long, value_name = "NAME", conflicts_with = "http")]
    principal: Option<String>,
    /// On stdin and stdout: a tool that may be asked for; may be repeated. Else every tool.
    #[arg(long = "tool", value_name = "TOOL", value_parser = identifier::tool, conflicts_with = "http")]
    tools: Vec<String>,
    /// Serve HTTP at this loopback address and port; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS:PORT", requires = "tokens")]
    http: Option<SocketAddr>,
    /// With --http: the file of tokens, a line for each principal: NAME sha256:DIGEST [TOOL,TOOL].
    #[arg(long, value_name = "FILE", requires = "http")]
    tokens: Option<PathBuf>,
    /// With --http: a name of this server that a proxy passes on in Host; may be repeated.
    #[arg(long = "host", value_name = "HOST", requires = "http")]
    hosts: Vec<String>,
    /// With --http: an origin whose web pages may call, such as `https://agent.example.org:443`; may be repeated.
    #[arg(long = "origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
}

/// Nothing: this process is another program then.
#[derive(Serialize, JsonSchema)]
struct Served {}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    if let Some(address) = arguments.http.filter(|address| !address.ip().is_loopback()) {
        let message = format!("{} is not a loopback address.", address.ip());
        let hint = "Listen on 127.0.0.1 or [::1], and put a proxy with TLS in front: docs/mcp.md shows how.";
        return Err(Failure::usage(message, hint));
    }
    let program = sibling::program(sibling::MCP)?;
    let mut command = Command::new(&program);
    command.arg("--site").arg(site.root());
    if let Some(principal) = &arguments.principal {
        command.arg("--principal").arg(principal);
    }
    if let Some(address) = arguments.http {
        command.arg("--http").arg(address.to_string());
    }
    if let Some(tokens) = &arguments.tokens {
        command.arg("--tokens").arg(tokens);
    }
    for (flag, values) in [("--tool", &arguments.tools), ("--host", &arguments.hosts), ("--origin", &arguments.origins)]
    {
        for value in values {
            command.arg(flag).arg(value);
        }
    }
    let source = command.exec();
    Err(Fault { operation: "start", path: program, source }.into())
}
