//! The one backend that a manifest drives.

use super::argument::Argument;
use super::browser::{self, Browser};
use super::command::{self, Command, Runs};
use super::custom_type::CustomTypes;
use super::http::{self, Http};
use super::interaction::{Interaction, InteractionBounds};
use super::mcp::{self, Mcp};
use super::session::{self, Session};
use super::tool::{Demands, Dispatch, Mode};
use crate::toml_source::Section;

/// The backend of a manifest.
#[derive(Debug, Clone)]
pub enum Backend {
    /// A program or script in the sandbox.
    Command(Command),
    /// One HTTP request.
    Http(Http),
    /// A tool of an upstream MCP server.
    Mcp(Mcp),
    /// An interactive program.
    Session(Session),
    /// One line for a session, or one action of a browser.
    Interaction(Interaction),
    /// A browser.
    Browser(Browser),
    /// The facts that only the caller knows.
    Callback,
}

impl Backend {
    /// The name: `command`, `http`, `mcp`, `session`, `browser` or `callback`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Http(_) => "http",
            Self::Mcp(_) => "mcp",
            Self::Session(_) | Self::Interaction(_) => "session",
            Self::Browser(_) => "browser",
            Self::Callback => "callback",
        }
    }

    /// The timeouts and the number of interactions of a session or browser; `None` without interactions.
    pub fn bounds(&self) -> Option<InteractionBounds> {
        match self {
            Self::Session(session) => Some(session.bounds),
            Self::Browser(browser) => Some(browser.bounds),
            _ => None,
        }
    }

    /// Whether a value of this argument could be read as an option.
    pub(super) fn exposes(&self, argument: &str) -> bool {
        matches!(self, Self::Command(Command { runs: Runs::Program(argv), .. }) if argv.exposed.contains(argument))
    }
}

/// Reads the backend's section.
pub(super) fn read(
    document: &Section<'_>,
    demands: &Demands<'_>,
    arguments: &mut [Argument],
    types: &CustomTypes,
) -> Option<Backend> {
    let sections = ["command", "http", "mcp", "session", "browser"];
    let found: Vec<&str> = sections.into_iter().filter(|name| document.has(name)).collect();
    let is_callback = demands.dispatch == Dispatch::Callback;
    if found.len() != 1 && !(is_callback && found.is_empty()) {
        let message = format!("The manifest needs exactly one execution backend, but has {}.", found.len());
        let at = found.last().map_or(document.at, |name| document.place(name));
        document.fault(at, message, "Keep one of [command], [http], [mcp], [session] and [browser].");
    }
    check_mode(document, demands, &found);
    let mut backends = found.iter().map(|name| match *name {
        "command" => document
            .section("command")
            .and_then(|section| command::read(section, demands.binary, arguments))
            .map(Backend::Command),
        "http" => document.section("http").and_then(|section| http::read(section, arguments)).map(Backend::Http),
        "mcp" => document.section("mcp").and_then(|section| mcp::read(section, arguments)).map(Backend::Mcp),
        "session" => document.section("session").map(|section| Backend::Session(session::read(section, types))),
        _ => document.section("browser").map(|section| Backend::Browser(browser::read(section, types))),
    });
    let first = backends.next();
    backends.for_each(drop);
    if is_callback && found.is_empty() { Some(Backend::Callback) } else { first.flatten() }
}

fn check_mode(document: &Section<'_>, demands: &Demands<'_>, found: &[&str]) {
    let Some(mode) = demands.mode else { return };
    let agrees = found.iter().all(|name| match mode.value {
        Mode::Oneshot => !["session", "browser"].contains(name),
        Mode::Session => *name == "session",
        Mode::Browser => *name == "browser",
    });
    if !agrees {
        document.fault(
            mode.at,
            "[tool] mode does not agree with the execution backend.".into(),
            "Remove `mode`: the backend implies it.",
        );
    }
}
