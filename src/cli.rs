//! The command line: arguments, dispatch, and how an outcome is shown.
//!
//! Every command is a function from its arguments to one `Outcome`; nothing else writes to stdout. Text is for terminals;
//! JSON is for everything else. *Standards*: CLI Agent Spec, chapter 2.

#![allow(clippy::disallowed_methods, reason = "the command line asks the clock and starts programs; the rest is told")]

mod age;
mod approve;
mod audit;
mod bar;
mod cat;
mod check;
mod claw;
mod config;
mod context;
mod counted;
mod decide;
mod demo;
mod detail;
mod doctor;
mod exit;
mod export;
mod gate_program;
mod help;
mod import;
mod init;
mod list;
mod order;
mod outcome;
mod page;
mod pending;
mod policy;
mod progress;
mod quarantine;
mod report;
mod request_folder;
mod row;
pub mod schema;
mod serve;
mod sessions;
mod show;
mod site;
mod site_layout;
mod site_users;
mod stage;
mod status;
mod streams;
mod style;
mod submit;
mod table;
mod timeline;
mod tools;
mod up;
mod verify;
mod version;
mod wait;
mod watch;
mod watched;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use chrono::Utc;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use outcome::{Failure, Meta, Outcome};

/// A filesystem mailbox with a gate: drop a tool request as a file, get a judged and hashed markdown result.
#[derive(Debug, Parser)]
#[command(name = "gatepost", version, subcommand_required = true)]
struct Cli {
    /// The site; without it GATEPOST_SITE, or the nearest folder above that holds a gatepost.toml.
    #[arg(long, global = true, value_name = "DIR", env = "GATEPOST_SITE")]
    site: Option<PathBuf>,
    /// How to show the outcome: text on a terminal, else json.
    #[arg(long, global = true, value_enum, env = "GATEPOST_OUTPUT")]
    output: Option<Output>,
    /// When to colour text.
    #[arg(long, global = true, value_enum, default_value_t = style::Color::Auto, value_name = "WHEN")]
    color: style::Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    #[value(alias = "plain", alias = "table")]
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a site, or complete one: folders, commented gatepost.toml and gate.toml, sample tools.
    Init(init::Arguments),
    /// Watch the site: TOOL-EXEC and the gate, each a process of its own.
    Up(watch::Arguments),
    /// Watch the inbox: claim requests, run tools, publish results to the outbox.
    Exec(watch::Arguments),
    /// Watch the outbox: judge results, accept them into core/inbound or quarantine them.
    Gate(watch::GateArguments),
    /// Run a demonstration on a site of its own, with good, bad, hostile and tampered items.
    Demo(demo::Arguments),
    /// Put a request into the inbox.
    Submit(Box<submit::Arguments>),
    /// Wait for the verdict on a request.
    Wait(wait::Arguments),
    /// List requests and their results, the newest first.
    List(list::Arguments),
    /// Show one request or result.
    Show(show::Arguments),
    /// Print one artifact of an accepted result: as it is into a pipe, escaped on a terminal.
    Cat(cat::Arguments),
    /// Write the facts of every request into a file: a row each as CSV or JSON, or a page for people.
    Report(report::Arguments),
    /// Show the requests of the site on pages in a browser, live and read only, on a loopback address.
    Serve(serve::Arguments),
    /// Make a folder of results with their proofs, or of requests, to be carried to the other side of a gap.
    Export(export::Arguments),
    /// Take the requests of such a folder into the inbox, all or none.
    Import(import::Arguments),
    /// Approve requests that wait: sign their exact bytes with your SSH key.
    Approve(approve::Arguments),
    /// Deny requests that wait; they are refused.
    Deny(decide::DenyArguments),
    /// Cancel requests that wait; they are refused.
    Cancel(decide::CancelArguments),
    /// Show what the site is doing and what this machine can enforce.
    Status,
    /// Show what gatepost.toml and gate.toml come to: each value and where it is from, or all that is wrong with them.
    Config(config::Arguments),
    /// Try what this machine can enforce, and look at the site: what is missing, why, and what to do.
    Doctor(doctor::Arguments),
    /// Check any file: requests, manifests and results as what they are, all else by the content rules.
    Check(check::Arguments),
    /// Re-check everything in result bundles, offline.
    Verify(verify::Arguments),
    /// What the gate decided: check its log, and the site against it.
    #[command(subcommand)]
    Audit(audit::Command),
    /// Who may have what run: check the policies, explain what they say of a request.
    #[command(subcommand)]
    Policy(policy::Command),
    /// The open sessions: list them, show them, close them.
    #[command(subcommand)]
    Sessions(sessions::Command),
    /// What was refused: list it, show why, release it, tell the requester.
    #[command(subcommand)]
    Quarantine(quarantine::Command),
    /// The tools of the site.
    #[command(subcommand)]
    Tools(tools::Command),
    #[command(flatten)]
    Claw(claw::Surface),
    /// Print the version.
    Version,
}

impl Command {
    fn name(&self) -> &'static str {
        match self {
            Self::Init(_) => "init",
            Self::Up(_) => "up",
            Self::Exec(_) => "exec",
            Self::Gate(_) => "gate",
            Self::Demo(_) => "demo",
            Self::Submit(_) => "submit",
            Self::Wait(_) => "wait",
            Self::List(_) => "list",
            Self::Show(_) => "show",
            Self::Cat(_) => "cat",
            Self::Report(_) => "report",
            Self::Serve(_) => "serve",
            Self::Export(_) => "export",
            Self::Import(_) => "import",
            Self::Approve(_) => "approve",
            Self::Deny(_) => "deny",
            Self::Cancel(_) => "cancel",
            Self::Status => "status",
            Self::Config(_) => "config",
            Self::Doctor(_) => "doctor",
            Self::Check(_) => "check",
            Self::Verify(_) => "verify",
            Self::Audit(command) => command.name(),
            Self::Policy(command) => command.name(),
            Self::Sessions(command) => command.name(),
            Self::Quarantine(command) => command.name(),
            Self::Tools(command) => command.name(),
            Self::Claw(surface) => surface.name(),
            Self::Version => "version",
        }
    }
}

/// Runs one invocation: parses, dispatches, shows the outcome, and returns its exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let started = Utc::now();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let (name, output, site, outcome) = match parse(&arguments) {
        Ok(cli) => {
            style::begin(cli.color);
            let (name, output, site) = (cli.command.name(), cli.output, cli.site.clone());
            (name, output, site, dispatch(cli))
        }
        Err(error) if is_help(&error) => {
            let shown = write(&mut std::io::stdout(), &asked_help(&error));
            return ExitCode::from(if shown { exit::SUCCESS } else { exit::GENERAL });
        }
        Err(error) => ("", wanted_output(&arguments), None, refuse_arguments(&error)),
    };
    let site = site::find(site.as_deref()).ok().map(|site| site.root().display().to_string());
    let meta = Meta { command: name, started, completed: Utc::now(), site };
    let shown = match output.unwrap_or_else(default_output) {
        Output::Text => {
            let (text, messages) = outcome.as_text();
            let shown = write(&mut std::io::stdout(), &text);
            shown & write(&mut std::io::stderr(), &messages)
        }
        Output::Json => {
            // A demo is for whoever watches it, also through a pipe.
            let watched = name != "demo" || write(&mut std::io::stderr(), &outcome.as_text().0);
            watched & write(&mut std::io::stdout(), &outcome.as_json(&meta))
        }
    };
    ExitCode::from(if shown { outcome.exit() } else { exit::GENERAL })
}

fn dispatch(cli: Cli) -> Outcome {
    let at = cli.site.as_deref();
    let result = match cli.command {
        Command::Init(arguments) => init::run(at, &arguments),
        Command::Up(arguments) => site::find(at).and_then(|site| up::up(&site, &arguments)),
        Command::Exec(arguments) => site::open(at).and_then(|open| watch::exec(open, &arguments)),
        Command::Gate(arguments) => site::open(at).and_then(|open| watch::gate(&open, &arguments)),
        Command::Demo(arguments) => demo::run(at, &arguments),
        Command::Submit(arguments) => site::open(at).and_then(|open| submit::run(open, &arguments)),
        Command::Wait(arguments) => site::find(at).and_then(|site| wait::run(&site, &arguments)),
        Command::List(arguments) => site::find(at).and_then(|site| list::run(&site, &arguments)),
        Command::Report(arguments) => site::find(at).and_then(|site| report::run(&site, &arguments)),
        Command::Serve(arguments) => site::find(at).and_then(|site| serve::run(&site, &arguments)),
        Command::Show(arguments) => site::open(at).and_then(|open| show::run(open, &arguments)),
        Command::Cat(arguments) => site::find(at).and_then(|site| cat::run(&site, &arguments)),
        Command::Export(arguments) => site::find(at).and_then(|site| export::run(&site, &arguments)),
        Command::Import(arguments) => site::open(at).and_then(|open| import::run(&open, &arguments)),
        Command::Approve(arguments) => site::open(at).and_then(|open| approve::run(open, &arguments)),
        Command::Deny(arguments) => site::find(at).and_then(|site| decide::deny(&site, &arguments)),
        Command::Cancel(arguments) => site::find(at).and_then(|site| decide::cancel(&site, &arguments)),
        Command::Status => site::open(at).and_then(|open| status::run(&open)),
        Command::Config(arguments) => site::find(at).and_then(|site| config::run(&site, &arguments)),
        Command::Doctor(arguments) => doctor::run(at, &arguments),
        Command::Check(arguments) => check::run(at, &arguments),
        Command::Verify(arguments) => verify::run(at, &arguments),
        Command::Audit(command) => audit::run(at, &command),
        Command::Policy(command) => policy::run(at, &command),
        Command::Sessions(command) => site::find(at).and_then(|site| sessions::run(&site, &command)),
        Command::Quarantine(command) => quarantine::run(at, &command),
        Command::Tools(command) => tools::run(at, command),
        Command::Claw(surface) => claw::run(at, &surface),
        Command::Version => Ok(version::run()),
    };
    result.unwrap_or_else(Outcome::from)
}

fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = help::with_help(Cli::command());
    let matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Asking for help, or giving nothing at all, is no mistake.
fn is_help(error: &clap::Error) -> bool {
    !error.use_stderr()
        || matches!(error.kind(), ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
}

fn asked_help(error: &clap::Error) -> String {
    if error.kind() != ErrorKind::MissingSubcommand {
        return error.to_string();
    }
    let mut command = help::with_help(Cli::command());
    command.build();
    // The error names the words up to where the next one is missing.
    let words = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string).unwrap_or_default();
    let found = words.split(' ').skip(1).try_fold(&mut command, |at, word| at.find_subcommand_mut(word));
    found.map_or_else(|| error.to_string(), |command| command.render_help().to_string())
}

/// How the outcome of arguments that could not be read shall be shown: what can be made out of them, else the environment.
fn wanted_output(arguments: &[OsString]) -> Option<Output> {
    let texts: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let inline = texts.iter().find_map(|text| text.strip_prefix("--output="));
    let next = texts.windows(2).find(|pair| pair[0] == "--output").map(|pair| pair[1]);
    let environment = std::env::var("GATEPOST_OUTPUT").ok();
    inline.or(next).or(environment.as_deref()).and_then(|text| Output::from_str(text, true).ok())
}

fn refuse_arguments(error: &clap::Error) -> Outcome {
    let text = error.render().to_string();
    // Each paragraph is a sentence, or several lines that make one.
    let mut paragraphs = text.split("\n\n").map(|lines| lines.split_whitespace().collect::<Vec<_>>().join(" "));
    let message = paragraphs.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let rest: Vec<String> = paragraphs.filter(|paragraph| !paragraph.is_empty()).collect();
    let code = if error.kind() == ErrorKind::InvalidSubcommand { "UNKNOWN_COMMAND" } else { "ARG_ERROR" };
    let named = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg].into_iter().find_map(|kind| error.get(kind));
    let target = named.map(ToString::to_string).unwrap_or_default();
    Failure { code, target, ..Failure::usage(format!("{message}."), rest.join(". ")) }.into()
}

fn default_output() -> Output {
    let for_people = std::io::stdout().is_terminal() && std::env::var_os("CI").is_none_or(|value| value.is_empty());
    if for_people { Output::Text } else { Output::Json }
}

/// Writes and says whether the command may report success: a reader that has gone has seen what it wanted.
fn write(to: &mut dyn Write, text: &str) -> bool {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) => error.kind() == std::io::ErrorKind::BrokenPipe,
        Ok(()) => true,
    }
}
