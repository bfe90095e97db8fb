//! `gatepost sessions`: lists and closes open sessions.
//!
//! A session is open while the request that opened it runs; that request describes it. *Security*: its program's output
//! is hostile; only its path is shown.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use gatepost_contract::request::{self, Lane};
use gatepost_exec::bundle::Staging;
use gatepost_exec::mailbox::decision::{self, Decision, Kind};
use gatepost_exec::mailbox::record::{self, START_FILE, Start};
use gatepost_exec::mailbox::recovery;
use gatepost_mailbox::life::shown_name;
use gatepost_mailbox::lock::Lock;

use super::style;
use crate::cli::prelude::*;

/// The commands of `gatepost sessions`.
pub(super) const DECLARATIONS: [Declaration; 3] = [
    Declaration::safe("sessions.list", data::<List>).lists("sessions", "session_id"),
    Declaration::safe("sessions.show", data::<Shown>)
        .answers_each("results", "session_id")
        .takes_ids()
        .fails(&[ErrorCode::SessionNotFound]),
    Declaration::mutating("sessions.close", data::<Closed>)
        .answers_each("results", "session_id")
        .writes(&[Write::ORDER])
        .takes_ids()
        .fails(&[ErrorCode::SessionNotFound]),
];

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List the open sessions, the oldest first.
    List,
    /// Show open sessions, by the requests that opened them.
    Show(identifier::Requests),
    /// Close sessions, by the requests that opened them, once their open requests are answered.
    Close(CloseArguments),
}

#[derive(Debug, clap::Args)]
pub(super) struct CloseArguments {
    #[command(flatten)]
    sessions: identifier::Requests,
    /// Check everything, and close nothing.
    #[arg(long)]
    dry_run: bool,
}

/// One open session.
#[derive(Serialize, JsonSchema)]
pub(super) struct Session {
    pub session_id: RequestId,
    pub tool: String,
    requested_by: String,
    purpose: String,
    /// The program and its arguments.
    argv: Vec<String>,
    #[schemars(with = "String")]
    pub opened_utc: DateTime<Utc>,
    /// When its program last printed something.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub printed_utc: Option<DateTime<Utc>>,
    printed_bytes: u64,
    /// The file with the output of its program so far.
    pub stdout: PathBuf,
}

#[derive(Serialize, JsonSchema)]
struct List {
    directory: String,
    sessions_count: usize,
    sessions: Vec<Session>,
}

impl View for List {
    fn text(&self) -> String {
        if self.sessions.is_empty() {
            return "No session is open. A request with `keep_open: true` opens one.\n".to_owned();
        }
        let row = |session: &Session| {
            vec![
                session.session_id.to_string(),
                session.tool.clone(),
                visible_text(&session.requested_by),
                style::moment(session.opened_utc),
                session.printed_utc.map_or_else(|| "-".to_owned(), style::moment),
            ]
        };
        let rows: Vec<Vec<String>> = self.sessions.iter().map(row).collect();
        table(&["session", "tool", "requester", "opened", "last output"], &rows)
    }
}

#[derive(Serialize, JsonSchema)]
struct Shown {
    #[serde(flatten)]
    each: Each<Session>,
}

impl View for Shown {
    fn text(&self) -> String {
        let one = |session: &Session| {
            let Session { session_id, tool, requested_by, purpose, argv, opened_utc, printed_bytes, stdout, .. } =
                session;
            format!(
                "{session_id}\nTool:     {tool}\nAsked:    by {}: {}\nCommand:  {}\nOpened:   {}\nPrinted:  {printed_bytes} bytes, in {}\n",
                shown_name(requested_by),
                visible_text(purpose),
                visible_text(&gatepost_exec::shell::line(argv.iter().map(String::as_str))),
                opened_utc.format("%Y-%m-%dT%H:%M:%SZ"),
                stdout.display(),
            )
        };
        self.each.results.iter().map(one).collect::<Vec<_>>().join("\n")
    }
}

#[derive(Serialize, JsonSchema)]
struct Closed {
    effect: Effect,
    #[serde(flatten)]
    each: Each<One>,
}

#[derive(Serialize, JsonSchema)]
struct One {
    session_id: RequestId,
    effect: Effect,
}

impl View for Closed {
    fn text(&self) -> String {
        let one = |One { session_id, effect }: &One| match *effect {
            Effect::Deleted => format!("{session_id}  closes once its open requests are answered\n"),
            Effect::Noop => format!("{session_id}  was already closing\n"),
            _ => format!("{session_id}  would be closed\n"),
        };
        self.each.results.iter().map(one).collect()
    }
}

pub(super) fn run(site: &Site, command: &Command) -> Result<Outcome, Failure> {
    match command {
        Command::List => {
            let sessions = open(site)?;
            let directory = site.root().display().to_string();
            Ok(Outcome::done(&List { directory, sessions_count: sessions.len(), sessions }))
        }
        Command::Show(requests) => Ok(Outcome::done(&Shown { each: Each::well(named(site, requests)?) })),
        Command::Close(CloseArguments { sessions, dry_run }) => {
            let mut results = Vec::new();
            for Session { session_id, .. } in named(site, sessions)? {
                let order = Decision::new(Kind::Close, "", &session_id);
                let effect = match dry_run {
                    true => Effect::WouldDelete,
                    false if decision::order(site, &session_id, &order)? => Effect::Deleted,
                    false => Effect::Noop,
                };
                results.push(One { session_id, effect });
            }
            let effect = Effect::of_all(results.iter().map(|one| one.effect));
            Ok(Outcome::done(&Closed { effect, each: Each::well(results) }))
        }
    }
}

/// The open sessions with these ids, or a failure for the first unknown id.
fn named(site: &Site, requests: &identifier::Requests) -> Result<Vec<Session>, Failure> {
    let ids = requests.read()?;
    let open = open(site)?;
    let unknown = |id: &RequestId| {
        let message = format!("No session {id} is open.");
        let hint = "`gatepost sessions list` shows the open ones; `gatepost show ID` shows how another ended.";
        Failure::not_found(ErrorCode::SessionNotFound, FailureKind::SessionNotFound, id.as_str(), message, hint)
    };
    match ids.iter().find(|id| !open.iter().any(|session| session.session_id == **id)) {
        Some(id) => Err(unknown(id)),
        None => Ok(open.into_iter().filter(|session| ids.contains(&session.session_id)).collect()),
    }
}

/// Every open session, oldest first; none if TOOL-EXEC does not run.
pub(super) fn open(site: &Site) -> Result<Vec<Session>, Failure> {
    if Lock::holder(&site.exec_lock()).is_none() {
        return Ok(Vec::new());
    }
    let mut sessions: Vec<Session> =
        recovery::ids(&site.running())?.iter().filter_map(|id| session(site, id)).collect();
    sessions.sort_by(|one, other| (one.opened_utc, &one.session_id).cmp(&(other.opened_utc, &other.session_id)));
    Ok(sessions)
}

/// The session that a running request holds open, if any; it may end at any moment.
fn session(site: &Site, id: &RequestId) -> Option<Session> {
    let claimed = recovery::running(site, id).ok()?;
    let request = request::read(&claimed.bytes, claimed.claim.form, id.as_str(), DateTime::<Utc>::MAX_UTC).ok()?;
    let Lane::Clad(call) = request.lane else { return None };
    if request.keep_open != Some(true) || request.session_id.is_some() {
        return None;
    }
    let Start { evidence, .. } = record::read(&claimed.folder.join(START_FILE)).ok()?;
    let stdout = Staging::existing(site, id).stdout();
    let printed = stdout.metadata().ok().filter(|stdout| stdout.len() > 0);
    Some(Session {
        session_id: id.clone(),
        tool: call.tool,
        requested_by: request.requested_by,
        purpose: request.purpose,
        argv: evidence.argv,
        opened_utc: evidence.timestamp.parse().ok()?,
        printed_utc: printed.as_ref().and_then(|printed| printed.modified().ok()).map(DateTime::from),
        printed_bytes: printed.map_or(0, |printed| printed.len()),
        stdout,
    })
}
