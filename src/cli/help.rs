//! The help: examples first, the commands in groups, exit statuses and environment, within 80 columns.
//!
//! Every command has an example; tests parse all of them.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Command, Id};

use super::declarations;
use crate::cli::prelude::*;

/// What `--help` shows.
#[derive(Serialize, JsonSchema)]
pub(super) struct Help {
    pub help: String,
}

impl View for Help {
    fn text(&self) -> String {
        self.help.clone()
    }
}

/// The width of help on any terminal.
const COLUMNS: usize = 80;

/// The page of the program itself; clap fills in the braces.
const TEMPLATE: &str = "\
{about}

Examples:
  gatepost init mailbox && cd mailbox      make a site
  gatepost up                              watch it: TOOL-EXEC and the gate
  gatepost submit --tool line_count --arg file=gatepost.toml \\
      --input gatepost.toml --wait         request a run, and wait
  gatepost list --since 1d                 the requests of today

{usage-heading} {usage}

Make a site:
  init         make a site, or complete one
  up           watch it: TOOL-EXEC and the gate, each a process of its own
  exec         watch the inbox: claim requests, run tools, publish results
  gate         watch the outbox: judge results, accept or quarantine them
  demo         run a demonstration, best in a site of its own
  config       show the effective gatepost.toml and gate.toml
  doctor       check this machine and site, and say what to do

Ask:
  submit       put a request into the inbox
  wait         wait for the verdict on a request
  cancel       cancel requests that wait
  sessions     list, show and close open sessions

Decide:
  approve      sign requests that wait
  deny         refuse requests that wait
  policy       check the policies, explain their decisions
  quarantine   list, show and release what was refused

Look:
  status       show what the site is doing
  check-permissions
               show which commands you may run here
  list         list requests and their results
  show         show requests and their results
  cat          print an artifact of an accepted result
  report       write a report on all requests into a file
  serve        show them on pages in a browser
  mcp          serve the site to an MCP client

Audit:
  check        check any file against the rules
  verify       check result bundles, offline
  audit        check the logs, and the site against them
  export       make a folder of results or requests to carry over a gap
  import       import such a folder

Tools:
  tools        list, show, check, pin, plan and run tools

For agents (the claw JSON contract):
  tool-pool  show-tool  exec-tool  route  list-sessions  load-session
  flush-transcript  delete-session  show-command  exec-command
  command-graph  bootstrap  bootstrap-graph

  batch        run several commands, one for each line
  manifest     print every command, for programs
  completions  print the completions of bash, zsh or fish
  man          write the manual pages
  errors       list failure codes, and what to do
  version      print the version
  help         print this, or the help of a command

Options:
{options}

{statuses}

Environment:
  GATEPOST_SITE           the site
  GATEPOST_OUTPUT         the form of the outcome, as --output names it
  GATEPOST_LOG            error, warn, info or debug: what watchers log
  TOOLCLAD_SECRET_<NAME>  a secret for exec
  NO_COLOR, TERM=dumb, CI turn colours off
";

/// Examples of each command with an effect, by its words.
const EXAMPLES: [(&str, &str); 65] = [
    ("init", "gatepost init mailbox"),
    ("up", "gatepost up --log-level debug"),
    ("exec", "gatepost exec --once"),
    ("gate", "gatepost gate --once"),
    ("demo", "gatepost demo"),
    ("submit", "gatepost submit --tool line_count --arg file=a.txt --input a.txt --wait"),
    ("wait", "gatepost wait TR-20260209-160501Z-stats --timeout 60"),
    ("list", "gatepost list --tool line_count --since 12h --state rejected"),
    ("show", "gatepost show TR-20260209-160501Z-stats"),
    ("cat", "gatepost cat TR-20260209-160501Z-stats out/plot.png > plot.png"),
    ("report", "gatepost report --since 7d --html week.html"),
    ("serve", "gatepost serve --listen 127.0.0.1:8170"),
    ("mcp", "gatepost mcp --http 127.0.0.1:8171 --tokens /etc/gatepost/mcp.tokens"),
    ("export", "gatepost export --since 7d --out week"),
    ("import", "gatepost import week"),
    ("approve", "gatepost approve TR-20260209-160501Z-stats"),
    ("deny", "gatepost deny TR-20260209-160501Z-stats --reason 'Not on this host.'"),
    ("cancel", "gatepost cancel TR-20260209-160501Z-stats"),
    ("status", "gatepost status"),
    ("check-permissions", "gatepost check-permissions submit approve"),
    ("config", "gatepost config --changed"),
    ("doctor", "gatepost doctor --problems"),
    ("check", "gatepost check inbox/TR-20260209-160501Z-stats.md"),
    ("verify", "gatepost verify core/inbound/TS-20260209-161030Z-TR-20260209-160501Z-a"),
    ("audit verify", "gatepost audit verify"),
    ("audit checkpoint", "gatepost audit checkpoint -o plain > mailbox.checkpoint"),
    ("audit timeline", "gatepost audit timeline TR-20260209-160501Z-stats"),
    ("policy check", "gatepost policy check"),
    ("policy explain", "gatepost policy explain TR-20260209-160501Z-stats.md"),
    ("policy learn", "gatepost policy learn --out ../draft"),
    ("sessions list", "gatepost sessions list"),
    ("sessions show", "gatepost sessions show TR-20260209-160501Z-shell"),
    ("sessions close", "gatepost sessions close TR-20260209-160501Z-shell"),
    ("quarantine list", "gatepost quarantine list --code secret --newer-than 7d"),
    ("quarantine show", "gatepost quarantine show TR-20260209-160501Z-stats"),
    (
        "quarantine release",
        "gatepost quarantine release --override secret TR-20260209-160501Z-a \\\n      --reason 'A sample key.'",
    ),
    ("quarantine purge", "gatepost quarantine purge --dry-run"),
    ("quarantine reject-note", "gatepost quarantine reject-note TR-20260209-160501Z-stats"),
    ("tools list", "gatepost tools list"),
    ("tools show", "gatepost tools show line_count"),
    ("tools check", "gatepost tools check line_count"),
    ("tools pin", "gatepost tools pin line_count"),
    ("tools plan", "gatepost tools plan line_count --arg file=a.txt --input a.txt"),
    ("tools schema", "gatepost tools schema line_count"),
    ("tools run", "gatepost tools run line_count --arg file=a.txt --input a.txt"),
    ("tools init", "gatepost tools init my_tool"),
    ("batch", "gatepost batch < calls.jsonl"),
    ("manifest", "gatepost manifest"),
    ("completions", "gatepost completions bash"),
    ("man", "gatepost man --out man1"),
    ("errors", "gatepost errors"),
    ("version", "gatepost version"),
    ("tool-pool", "gatepost tool-pool"),
    ("show-tool", "gatepost show-tool line_count"),
    ("exec-tool", "gatepost exec-tool fail_with '{\"status\": \"0\"}'"),
    ("route", "gatepost route 'count the lines of a file'"),
    ("list-sessions", "gatepost list-sessions"),
    ("load-session", "gatepost load-session TR-20260209-160501Z-shell"),
    ("flush-transcript", "gatepost flush-transcript TR-20260209-160501Z-shell"),
    ("delete-session", "gatepost delete-session TR-20260209-160501Z-shell"),
    ("show-command", "gatepost show-command list"),
    ("exec-command", "gatepost exec-command list ''"),
    ("command-graph", "gatepost command-graph"),
    ("bootstrap", "gatepost bootstrap 'count the lines of a file'"),
    ("bootstrap-graph", "gatepost bootstrap-graph"),
];

/// The page of the program itself for `-h`.
const SHORT_TEMPLATE: &str = "\
{about}

{usage-heading} {usage}

  init, up                         make a site, watch it
  submit, wait, cancel             request a run of a tool
  list, show, cat, status          look at requests and results
  approve, deny, quarantine        decide
  check, verify, audit             prove
  tools, policy, config, doctor    set up

Example:
  gatepost submit --tool line_count --arg file=a.txt --input a.txt --wait

`gatepost --help` lists every command, `gatepost COMMAND -h` its options.
";

/// The last line of a command's `-h`.
const SEE_LONG: &str = "`--help` says more: the options of every command, exit status, all examples.";

/// Whether `-h` is requested.
pub(super) fn is_short(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "-h")
}

/// The commands with help of one screen: usage, the command's own options and one example.
pub(super) fn with_short_help(command: Command) -> Command {
    let mut command = with_help(command).help_template(SHORT_TEMPLATE);
    for name in names(&command) {
        command = command.mut_subcommand(&name, |command| shortened(command, &name));
    }
    let globals: Vec<Id> =
        command.get_arguments().filter(|one| one.is_global_set()).map(|one| one.get_id().clone()).collect();
    globals.into_iter().fold(command, |command, id| command.mut_arg(id, |one| one.hide(true)))
}

fn shortened(command: Command, words: &str) -> Command {
    let mut command = command;
    for name in names(&command) {
        command = command.mut_subcommand(&name, |inner| shortened(inner, &format!("{words} {name}")));
    }
    let is_within = |of: &str| of == words || of.starts_with(&format!("{words} "));
    match EXAMPLES.iter().find(|(of, _)| is_within(of)) {
        Some((_, example)) => command.after_help(format!("Example:\n  {example}\n\n{SEE_LONG}")),
        None => command.after_help(SEE_LONG),
    }
}

/// The commands with their full help.
pub(super) fn with_help(command: Command) -> Command {
    let template = TEMPLATE.replace("{statuses}", &statuses(exit::MEANINGS.iter().map(|(status, _)| *status)));
    let mut command = command.help_template(template).term_width(COLUMNS);
    for name in names(&command) {
        command = command.mut_subcommand(&name, |command| described(command, &name));
    }
    command
}

fn names(command: &Command) -> Vec<String> {
    command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// Exit statuses with their meanings, packed into lines.
fn statuses(all: impl IntoIterator<Item = u8>) -> String {
    let mut text = "Exit status:".to_owned();
    let mut column = COLUMNS;
    for status in all {
        let entry = format!("  {status} {}", exit::meaning(status));
        if column + entry.len() > COLUMNS {
            text.push('\n');
            column = 0;
        }
        column += entry.len();
        text += &entry;
    }
    text
}

/// Adds the examples, the command's own text and the exit statuses, and does the same for its subcommands.
fn described(command: Command, words: &str) -> Command {
    let mut command = command.term_width(COLUMNS);
    for name in names(&command) {
        command = command.mut_subcommand(&name, |inner| described(inner, &format!("{words} {name}")));
    }
    let examples: Vec<&str> = EXAMPLES
        .iter()
        .filter(|(of, _)| *of == words || of.starts_with(&format!("{words} ")))
        .map(|(_, line)| *line)
        .collect();
    let text = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    // Examples come first.
    let (text, own) = match text.split_once("Example") {
        Some((before, own)) => (before.trim_end().to_owned(), Some(format!("Example{own}"))),
        None => (text, None),
    };
    let title = if examples.len() == 1 { "Example" } else { "Examples" };
    let examples = own.unwrap_or_else(|| format!("{title}:\n  {}", examples.join("\n  ")));
    let declared = declarations::find(&words.replace(' ', "."));
    let statuses = declared.map(|declaration| statuses(declaration.statuses()));
    let parts = [Some(examples), Some(text).filter(|text| !text.is_empty()), statuses];
    command.after_help(parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    fn leaves(command: &Command, words: &[String], found: &mut Vec<(Vec<String>, Command)>) {
        let mut below = command.get_subcommands().filter(|command| command.get_name() != "help").peekable();
        if below.peek().is_none() {
            found.push((words.to_vec(), command.clone()));
        }
        for command in below {
            leaves(command, &[words, &[command.get_name().to_owned()]].concat(), found);
        }
    }

    #[test]
    fn every_command_has_an_example_that_can_be_parsed_and_help_that_fits() {
        let command = with_help(Cli::command());
        let mut found = Vec::new();
        leaves(&command, &[], &mut found);
        for (words, command) in found {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Example"), "{words:?}: {help}");
            let declaration = declarations::find(&words.join(".")).unwrap();
            let status = |status: u8| format!("{status} {}", exit::meaning(status));
            assert!(declaration.statuses().into_iter().all(|one| help.contains(&status(one))), "{words:?}: {help}");
            for line in help.lines() {
                assert!(line.chars().count() <= COLUMNS, "{words:?}: {line}");
            }
        }
        let page = command.clone().render_help().to_string();
        for line in page.lines() {
            assert!(line.chars().count() <= COLUMNS, "{line}");
        }
        for name in command.get_subcommands().map(Command::get_name) {
            assert!(page.split_whitespace().any(|word| word == name), "{name} is in no group");
        }
        let mut found = Vec::new();
        leaves(&with_short_help(Cli::command()), &[], &mut found);
        for (words, mut command) in found {
            let short = command.render_help().to_string();
            assert!(
                short.contains("Example:\n  gatepost ") && short.contains("`--help` says more"),
                "{words:?}: {short}"
            );
            assert!(
                !short.contains(crate::cli::GLOBAL) && short.lines().all(|line| line.chars().count() <= COLUMNS),
                "{short}"
            );
        }
        for (words, line) in EXAMPLES {
            let line = line.split(['<', '>']).next().unwrap_or_default().replace("\\\n", "");
            let words_of_line = shlex::split(&line).unwrap();
            let parsed = command.clone().try_get_matches_from(words_of_line);
            assert!(parsed.is_ok(), "{words}: {}", parsed.unwrap_err());
        }
    }
}
