//! The command line: arguments, dispatch, and output.
//!
//! Every command is a function from its arguments to one `Outcome`; nothing else writes to stdout. Text is for terminals;
//! JSON is for everything else. *Standards*: CLI Agent Spec, chapter 2.

#![allow(clippy::disallowed_methods, reason = "the command line reads the clock and starts programs")]

mod abbreviation;
mod access;
mod age;
mod approve;
mod arguments;
mod audit;
mod bar;
mod batch;
mod bounds;
mod cat;
mod check;
mod check_permissions;
mod claw;
mod command_tree;
mod completions;
mod config;
mod context;
mod counted;
mod decide;
mod declaration;
mod declarations;
mod demo;
mod doctor;
mod effect;
mod envelope;
mod error_code;
mod errors;
mod exit;
mod export;
mod failure;
mod failure_kind;
mod help;
mod identifier;
mod import;
mod init;
mod interactions;
mod interruption;
mod list;
mod man;
mod mcp;
mod new_file;
mod new_folder;
mod order;
mod outcome;
mod pages;
mod pagination;
mod pending;
mod policy;
mod prelude;
mod presentation;
mod printer;
mod quarantine;
mod records;
mod report;
mod request_folder;
pub mod schema;
mod scratch_folder;
mod serve;
mod sessions;
mod show;
mod sibling;
mod side_effect;
mod site;
mod site_layout;
mod status;
mod stdin;
mod streams;
mod style;
mod submit;
mod summary;
mod table;
mod tools;
mod up;
mod verify;
mod version;
mod wait;
mod watch;
mod watched;
mod words;

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::Utc;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};
use gatepost_gate::failure::hide_words_of_panics;
use schemars::JsonSchema;
use serde::Serialize;

use bounds::Bounds;
use declaration::{Danger, Declaration};
use envelope::Configuration;
use error_code::ErrorCode;
use failure::Failure;
use interruption::Deadline;
use outcome::{Outcome, View};
use presentation::Presentation;
use printer::Printer;
use words::Words;

/// The extra time for a command that keeps its own deadline to report its progress.
const REPORT_GRACE: Duration = Duration::from_secs(3);
/// The help heading of the global flags.
const GLOBAL: &str = "Of every command";

/// A filesystem mailbox with a gate: drop a tool request as a file, get a judged and hashed markdown result.
#[derive(Debug, Parser)]
#[command(name = "gatepost", version, subcommand_required = true)]
struct Cli {
    /// The site. Default: GATEPOST_SITE, else the nearest folder above with a gatepost.toml.
    #[arg(long, global = true, value_name = "DIR", env = gatepost_mailbox::site::SITE_VARIABLE, hide_env_values = true, help_heading = GLOBAL)]
    site: Option<PathBuf>,
    /// Give up after this time: 500ms, 30s, 5m, 2h; 0 is never. Default: that of the command, else never.
    #[arg(long, global = true, value_name = "TIME", value_parser = bounds::duration, help_heading = GLOBAL)]
    timeout: Option<Duration>,
    /// Report every TIME that the command is still running: on stderr, and with -o jsonl as lines of JSON. Watchers, commands that
    /// confine themselves, and the claw contract (one document) send no reports.
    #[arg(
        long, global = true, value_name = "TIME", value_parser = bounds::interval, conflicts_with = "quiet", help_heading = GLOBAL
    )]
    heartbeat_interval: Option<Duration>,
    /// Check the arguments, and do nothing.
    #[arg(long, global = true, help_heading = GLOBAL)]
    validate_only: bool,
    /// When to colour text: auto (on a terminal, unless the environment forbids it), always or never.
    #[arg(
        long, global = true, value_enum, default_value_t = style::Color::Auto, value_name = "WHEN", hide_possible_values = true,
        help_heading = GLOBAL
    )]
    color: style::Color,
    #[command(flatten)]
    presented: presentation::Arguments,
    #[command(subcommand)]
    command: Command,
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
    /// Run a demonstration with good, bad, hostile and tampered items, best in a site of its own.
    Demo(demo::Arguments),
    /// Put a request into the inbox.
    Submit(Box<submit::Arguments>),
    /// Wait for the verdict on a request.
    Wait(wait::Arguments),
    /// List requests and their results, the newest first.
    List(list::Arguments),
    /// Show requests and their results.
    Show(show::Arguments),
    /// Print one artifact of an accepted result: raw into a pipe, escaped on a terminal.
    Cat(cat::Arguments),
    /// Write a report on all requests into a file: CSV or JSON with a row for each, or an HTML page.
    Report(report::Arguments),
    /// Show the requests of the site on pages in a browser, live and read only, on a loopback address.
    Serve(serve::Arguments),
    /// Serve the site to an MCP client: on stdin and stdout, or over HTTP on a loopback address.
    Mcp(mcp::Arguments),
    /// Make a folder of results with their proofs, or of requests, to carry across an air gap.
    Export(export::Arguments),
    /// Import the requests or results of such a folder, all or none.
    Import(import::Arguments),
    /// Approve requests that wait: sign their exact bytes with your SSH key.
    Approve(approve::Arguments),
    /// Deny requests that wait; TOOL-EXEC refuses them.
    Deny(decide::DenyArguments),
    /// Cancel requests; TOOL-EXEC refuses them, or stops their tools.
    Cancel(decide::CancelArguments),
    /// Show what the site is doing and what this machine can enforce.
    Status,
    /// Show which commands you may run in the site.
    CheckPermissions(check_permissions::Arguments),
    /// Show the effective gatepost.toml and gate.toml: each value and its source, or every error.
    Config(config::Arguments),
    /// Test what this machine can enforce, and check the site: problems, their causes and what to do.
    Doctor(doctor::Arguments),
    /// Check any file: requests, manifests and results by their own rules, other files by the content rules.
    Check(check::Arguments),
    /// Re-check everything in result bundles, offline.
    Verify(verify::Arguments),
    /// Check the logs of the gate and TOOL-EXEC, and the site against them.
    #[command(subcommand)]
    Audit(audit::Command),
    /// Check the policies, and explain what they decide about a request.
    #[command(subcommand)]
    Policy(policy::Command),
    /// List, show and close the open sessions.
    #[command(subcommand)]
    Sessions(sessions::Command),
    /// List what was refused, show why, release it, write a note for the requester.
    #[command(subcommand)]
    Quarantine(quarantine::Command),
    /// List, show, check, pin, plan and run the tools of the site.
    #[command(subcommand)]
    Tools(tools::Command),
    #[command(flatten)]
    Claw(claw::Surface),
    /// Run several commands, one for each line of standard input; answer each with a line of JSON.
    Batch(batch::Arguments),
    /// Print every command with its flags, exit statuses and data, for programs.
    Manifest(command_tree::Arguments),
    /// Print the completions of a shell: bash, zsh or fish.
    Completions(completions::Arguments),
    /// Write the manual pages, one for each command.
    Man(man::Arguments),
    /// List every failure code: what it means and what to do.
    Errors,
    /// Print the version.
    Version,
}

/// Runs one invocation: parses, dispatches, prints the outcome, and returns its exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = arguments::with_flag_for_help(arguments.into_iter().collect());
    let mut root = if help::is_short(&arguments) { help::with_short_help(Cli::command()) } else { root() };
    let words = Words::of(&root, &arguments);
    let mut printer = Printer {
        id: envelope::invocation_id(),
        arguments: presentation::Arguments::guess(&arguments),
        declaration: declarations::find(&words.path),
        is_data_on_stdout: false,
        first_word: words.first,
        started: Utc::now(),
        timeout: None,
        is_dry_run: false,
        site: None,
        configuration: Configuration::read(None),
        printing: Mutex::new(()),
    };
    printer.is_data_on_stdout =
        printer.declaration.is_some_and(|declaration| declaration.is_data_on_stdout(&arguments));
    if let Some(outcome) = requested_schema(&arguments, printer.declaration) {
        return ExitCode::from(printer.print(outcome));
    }
    match parse(&mut root, &arguments) {
        Ok((cli, is_dry_run)) => {
            style::begin(cli.color);
            printer.is_dry_run = is_dry_run;
            printer.arguments = cli.presented.clone();
            printer.site = site::find(cli.site.as_deref()).ok().map(|site| site.root().to_owned());
            printer.configuration = Configuration::read(printer.site.as_deref());
            run(cli, printer)
        }
        Err(error) if is_help(&error) => ExitCode::from(show_help(&error, &printer)),
        Err(error) => {
            style::begin(style::Color::Auto);
            ExitCode::from(printer.print(arguments::refuse(&root, &arguments, error).into()))
        }
    }
}

/// The definitions of all commands, with their help.
fn root() -> clap::Command {
    help::with_help(Cli::command())
}

/// The parsed arguments, and whether it is a dry run.
fn parse(root: &mut clap::Command, arguments: &[OsString]) -> Result<(Cli, bool), clap::Error> {
    if presentation::Arguments::contradict(arguments) {
        let message = "the argument '--output-format' cannot be used with '--output'";
        return Err(root.error(ErrorKind::ArgumentConflict, message));
    }
    let matches = root.try_get_matches_from_mut(arguments)?;
    let is_dry_run = words::innermost(&matches).try_get_one("dry_run").ok().flatten() == Some(&true);
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(root))?;
    let is_dry_run = is_dry_run || cli.validate_only;
    Ok((cli, is_dry_run))
}

fn run(mut cli: Cli, mut printer: Printer) -> ExitCode {
    let declaration = printer.declaration;
    let default = declaration.and_then(|declaration| declaration.waits).map(Duration::from_secs);
    let timeout = cli.timeout.or(default).filter(|timeout| !timeout.is_zero());
    printer.timeout = timeout;
    let embedded_bytes_max = cli.presented.asks_for_json().then(|| cli.presented.bytes_max());
    let bounds = Bounds { window: cli.presented.window(), timeout, embedded_bytes_max };
    let is_claw = cli.presented.presentation() == Presentation::Claw;
    cli.command.log(cli.presented.is_quiet() || is_claw, cli.presented.is_verbose());
    if cli.validate_only {
        return ExitCode::from(printer.print(Outcome::done(&Validated { valid: true })));
    }
    if is_claw && cli.command.has_many_documents() {
        return ExitCode::from(printer.print(streams().into()));
    }
    let printer = Arc::new(printer);
    if declaration.is_some_and(|declaration| !declaration.watches && !declaration.confines) {
        let deadline = declaration.and_then(|declaration| deadline(declaration, cli.timeout));
        interruption::watch(deadline, cli.heartbeat_interval, Arc::clone(&printer));
    }
    // The message of a panic may contain a stranger's words.
    hide_words_of_panics();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| dispatch(cli, &bounds)));
    ExitCode::from(printer.print(outcome.unwrap_or_else(|_| own_mistake().into())))
}

impl interruption::Listener for Arc<Printer> {
    fn beat(&self, elapsed: Duration) {
        Printer::beat(self, elapsed);
    }

    fn end(self, mut failure: Failure) -> u8 {
        let may_change = self.declaration.is_some_and(|declaration| declaration.danger != Danger::Safe);
        if failure.code == ErrorCode::Cancelled && may_change && failure.operation != "wait" {
            "The command may have done part of its work. Check `gatepost list` before you run it again."
                .clone_into(&mut failure.hint);
        }
        self.print_instead(failure.into())
    }
}

/// The arguments are valid.
#[derive(Serialize, JsonSchema)]
struct Validated {
    valid: bool,
}

impl View for Validated {
    fn text(&self) -> String {
        "The arguments are valid; nothing was done.\n".to_owned()
    }
}

/// When the command is aborted from outside. A command that keeps its own deadline gets extra time to report its progress.
fn deadline(declaration: &Declaration, timeout: Option<Duration>) -> Option<Deadline> {
    let timeout = timeout.filter(|timeout| !timeout.is_zero())?;
    let grace = if declaration.waits.is_some() { REPORT_GRACE } else { Duration::ZERO };
    Some(Deadline { timeout, grace, changes_nothing: declaration.danger == Danger::Safe })
}

/// A panic is a bug in gatepost.
fn own_mistake() -> Failure {
    let message = "gatepost stopped because of a bug.";
    let hint = "Report it with the source position on standard error.";
    Failure::new(ErrorCode::Internal, failure_kind::FailureKind::Unknown, message, hint)
}

/// The claw contract prints one document.
fn streams() -> Failure {
    let message = "The command has no single outcome: a watcher has many events, and a batch many commands.";
    let failure = Failure::usage(message, "Give a watcher --once, leave --follow out, or leave --output-format out.");
    Failure { code: ErrorCode::StreamingNotSupported, ..failure }
}

impl Command {
    /// Whether the command prints more than one document.
    fn has_many_documents(&self) -> bool {
        match self {
            Self::Up(arguments) | Self::Exec(arguments) => !arguments.once,
            Self::Gate(arguments) => !arguments.watch.once,
            Self::List(arguments) => arguments.follow,
            Self::Serve(_) | Self::Mcp(_) | Self::Batch(_) => true,
            _ => false,
        }
    }

    /// Watchers keep a log; these flags make it quiet or verbose.
    fn log(&mut self, quiet: bool, verbose: bool) {
        match self {
            Self::Up(arguments) | Self::Exec(arguments) => arguments.set_log(quiet, verbose),
            Self::Gate(arguments) => arguments.watch.set_log(quiet, verbose),
            Self::Serve(arguments) => arguments.quiet = quiet,
            _ => {}
        }
    }
}

fn dispatch(cli: Cli, bounds: &Bounds) -> Outcome {
    let at = cli.site.as_deref();
    let result = match cli.command {
        Command::Init(arguments) => init::run(at, &arguments),
        Command::Up(arguments) => site::open(at).and_then(|open| up::up(&open.site, &arguments)),
        Command::Exec(arguments) => site::open(at).and_then(|open| watch::exec(open, &arguments)),
        Command::Gate(arguments) => site::open(at).and_then(|open| watch::gate(&open, &arguments)),
        Command::Demo(arguments) => demo::run(at, &arguments),
        Command::Submit(arguments) => site::open(at).and_then(|open| submit::run(open, &arguments, bounds)),
        Command::Wait(arguments) => site::find(at).and_then(|site| wait::run(&site, &arguments, bounds)),
        Command::List(arguments) => site::find(at).and_then(|site| list::run(&site, &arguments, bounds)),
        Command::Report(arguments) => site::find(at).and_then(|site| report::run(&site, &arguments)),
        Command::Serve(arguments) => site::find(at).and_then(|site| serve::run(&site, &arguments)),
        Command::Mcp(arguments) => site::find(at).and_then(|site| mcp::run(&site, &arguments)),
        Command::Show(arguments) => site::open(at).map(|open| show::run(&open, &arguments)),
        Command::Cat(arguments) => site::find(at).and_then(|site| cat::run(&site, &arguments, bounds)),
        Command::Export(arguments) => site::find(at).and_then(|site| export::run(&site, &arguments)),
        Command::Import(arguments) => site::open(at).and_then(|open| import::run(&open, &arguments, bounds)),
        Command::Approve(arguments) => site::open(at).and_then(|open| approve::run(open, &arguments)),
        Command::Deny(arguments) => site::find(at).and_then(|site| decide::deny(&site, &arguments)),
        Command::Cancel(arguments) => site::find(at).and_then(|site| decide::cancel(&site, &arguments)),
        Command::Status => site::open(at).and_then(|open| status::run(&open)),
        Command::CheckPermissions(arguments) => {
            site::find(at).and_then(|site| check_permissions::run(&site, &arguments))
        }
        Command::Config(arguments) => site::find(at).and_then(|site| config::run(&site, &arguments)),
        Command::Doctor(arguments) => doctor::run(at, &arguments),
        Command::Check(arguments) => check::run(at, &arguments),
        Command::Verify(arguments) => verify::run(at, &arguments),
        Command::Audit(command) => audit::run(at, &command),
        Command::Policy(command) => policy::run(at, &command),
        Command::Sessions(command) => site::find(at).and_then(|site| sessions::run(&site, &command)),
        Command::Quarantine(command) => quarantine::run(at, &command, bounds),
        Command::Tools(command) => tools::run(at, command),
        Command::Claw(surface) => claw::run(at, &surface, bounds),
        Command::Batch(arguments) => batch::run(at, &arguments),
        Command::Manifest(arguments) => command_tree::run(&root(), &arguments),
        Command::Completions(arguments) => Ok(completions::run(&arguments, Cli::command(), bounds)),
        Command::Man(arguments) => man::run(&arguments, Cli::command()),
        Command::Errors => Ok(errors::run()),
        Command::Version => Ok(version::run()),
    };
    result.unwrap_or_else(Outcome::from)
}

/// Asking for help, or passing no arguments, is not an error.
fn is_help(error: &clap::Error) -> bool {
    !error.use_stderr()
        || matches!(error.kind(), ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
}

/// Prints help as text, or as an outcome if JSON is requested explicitly.
fn show_help(error: &clap::Error, printer: &Printer) -> u8 {
    let text = help_text(error);
    if printer.arguments.asks_for_json() && error.kind() != ErrorKind::DisplayVersion {
        printer.print(Outcome::done(&help::Help { help: text }))
    } else {
        printer.print_text(&text, "")
    }
}

fn help_text(error: &clap::Error) -> String {
    if error.kind() != ErrorKind::MissingSubcommand {
        return error.to_string();
    }
    let mut command = help::with_help(Cli::command());
    command.build();
    // The error contains the words before the missing one.
    let words = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string).unwrap_or_default();
    let found = words.split(' ').skip(1).try_fold(&mut command, |at, word| at.find_subcommand_mut(word));
    found.map_or_else(|| error.to_string(), |command| command.render_help().to_string())
}

/// A request for a command's schema needs none of its arguments.
fn requested_schema(arguments: &[OsString], declaration: Option<&'static Declaration>) -> Option<Outcome> {
    let declaration = declaration?;
    let asks = |flags: &[&str]| arguments.iter().any(|argument| flags.iter().any(|flag| argument == flag));
    if asks(&["--output-schema"]) {
        return Some(command_tree::output_schema(declaration));
    }
    asks(&["--schema", "--print-schema"]).then(|| command_tree::schema(&root(), declaration))
}
