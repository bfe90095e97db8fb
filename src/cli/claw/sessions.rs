//! `gatepost list-sessions`, `gatepost load-session`, `gatepost flush-transcript`, `gatepost delete-session`: the
//! sessions with tools, and their transcripts.
//!
//! There are no tokens here: `input_tokens` and `output_tokens` count the words of lines sent and of answers.
//! *Security*: messages are marked as untrusted; accepted results are never removed.

use std::fs::File;
use std::path::{Path, PathBuf};

use gatepost_contract::nearest::nearest;
use gatepost_documents::evidence::{Interaction, Status};
use gatepost_exec::mailbox::decision::{self, Decision, Kind};
use gatepost_mailbox::durable;
use gatepost_mailbox::life::is_plain_word;

use super::record::{self, Record, answer, written};
use crate::cli::prelude::*;
use crate::cli::stdin::STDIN;

#[derive(Debug, clap::Args)]
pub(crate) struct Id {
    /// The session, by the request that opened it (TR-…).
    #[arg(value_name = "SESSION_ID")]
    id: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DeleteArguments {
    #[command(flatten)]
    session: Id,
    /// Check everything, and close nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct List {
    directory: String,
    sessions_count: usize,
    sessions: Vec<Listed>,
    #[serde(skip)]
    more: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Listed {
    session_id: RequestId,
    created_at: String,
    last_modified: String,
    prompt_count: usize,
    stopped: bool,
    tool: String,
    path: PathBuf,
}

impl View for List {
    fn text(&self) -> String {
        if self.sessions.is_empty() {
            return "No sessions. `gatepost submit --tool NAME --keep-open` opens one.\n".to_owned();
        }
        let row = |one: &Listed| {
            let state = if one.stopped { "ended" } else { "open" };
            vec![
                one.session_id.to_string(),
                state.to_owned(),
                one.tool.clone(),
                one.prompt_count.to_string(),
                one.created_at.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = self.sessions.iter().map(row).collect();
        table(&["session", "state", "tool", "prompts", "opened"], &rows) + &self.more
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Loaded {
    /// Messages quote a tool or a requester.
    _trusted: bool,
    #[serde(flatten)]
    transcript: Transcript,
    loaded: bool,
    directory: String,
    tool: String,
    stopped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_id: Option<String>,
    messages: Vec<Message>,
}

/// A line that was sent, and the answer.
#[derive(Serialize, JsonSchema)]
pub(super) struct Message {
    name: String,
    prompt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    status: Status,
    said_at: String,
}

impl Message {
    fn of(interaction: Interaction) -> Self {
        Self {
            output: answer(&interaction).map(str::to_owned),
            name: interaction.command,
            prompt: interaction.input,
            status: interaction.status,
            said_at: interaction.timestamp,
        }
    }
}

impl View for Loaded {
    fn text(&self) -> String {
        let Transcript { session_id, path, .. } = &self.transcript;
        let mut text = format!("{session_id} of {}, in {}\n", self.tool, path.display());
        for Message { prompt, output, .. } in &self.messages {
            text += &format!("> {}\n", visible_text(prompt));
            text.extend(
                output.iter().flat_map(|output| output.lines()).map(|line| format!("| {}\n", visible_text(line))),
            );
        }
        text
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Flushed {
    #[serde(flatten)]
    transcript: Transcript,
    flushed: bool,
}

/// The counted messages of a session.
#[derive(Serialize, JsonSchema)]
struct Transcript {
    session_id: RequestId,
    path: PathBuf,
    messages_count: usize,
    input_tokens: usize,
    output_tokens: usize,
}

impl Transcript {
    fn of(record: &Record) -> Self {
        Self {
            session_id: record.session_id.clone(),
            path: record.path.clone(),
            messages_count: record.messages_count(),
            input_tokens: record.input_words(),
            output_tokens: record.output_words(),
        }
    }
}

impl View for Flushed {
    fn text(&self) -> String {
        let Transcript { path, messages_count, .. } = &self.transcript;
        format!("{} is on disk; {messages_count} messages.\n", path.display())
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Deleted<'a> {
    session_id: &'a str,
    deleted: bool,
    /// `open`, `closed` or `ended`.
    status: &'static str,
    effect: Effect,
    directory: String,
}

impl View for Deleted<'_> {
    fn text(&self) -> String {
        match (self.status, self.effect) {
            ("ended", _) => String::new(),
            (_, Effect::WouldDelete) => format!("{} would be closed.\n", self.session_id),
            (_, Effect::Noop) => format!("{} was already closing.\n", self.session_id),
            _ => format!("{} closes once its open requests are answered.\n", self.session_id),
        }
    }
}

pub(super) fn list(site: &Site, bounds: &Bounds) -> Result<Outcome, Failure> {
    let listed = |record: Record| Listed {
        prompt_count: record.interactions.len(),
        created_at: written(record.created_at),
        last_modified: written(record.last_modified),
        session_id: record.session_id,
        stopped: record.stopped,
        tool: record.tool,
        path: record.path,
    };
    let (records, pagination) = bounds.window.of(record::all(site)?, |record| record.session_id.as_str())?;
    let (sessions_count, more) = (pagination.total, pagination.hint());
    let sessions = records.into_iter().map(listed).collect();
    Ok(Outcome::done(&List { directory: directory(site), sessions_count, sessions, more }).on_page(pagination))
}

pub(super) fn load(site: &Site, Id { id }: &Id) -> Result<Outcome, Failure> {
    let record = find(site, id)?;
    Ok(Outcome::done(&Loaded {
        _trusted: false,
        loaded: true,
        directory: directory(site),
        transcript: Transcript::of(&record),
        tool: record.tool,
        stopped: record.stopped,
        result_id: record.result_id,
        messages: record.interactions.into_iter().map(Message::of).collect(),
    }))
}

pub(super) fn flush(site: &Site, Id { id }: &Id) -> Result<Outcome, Failure> {
    let record = find(site, id)?;
    let path = &record.path;
    durable::flush(&File::open(path).on("open", path)?, path)?;
    durable::sync_folder(path.parent().unwrap_or(Path::new("/")))?;
    Ok(Outcome::done(&Flushed { transcript: Transcript::of(&record), flushed: true }))
}

pub(super) fn delete(
    site: &Site,
    DeleteArguments { session: Id { id }, dry_run }: &DeleteArguments,
) -> Result<Outcome, Failure> {
    let deleted =
        |deleted, status, effect| Deleted { session_id: id, deleted, status, effect, directory: directory(site) };
    let record = find(site, id)?;
    if record.stopped {
        let result = record.result_id.as_deref().unwrap_or_default();
        let message = format!(
            "The session {} has ended, and its transcript is part of the accepted result {result}.",
            record.session_id
        );
        let hint = "Nothing is left to close. gatepost never removes an accepted result, because the gate's log would no longer verify.";
        let failure =
            Failure::new(ErrorCode::PolicyDenied, FailureKind::Policy, message, hint).during("delete_session", id);
        return Ok(Outcome::failed(&deleted(false, "ended", Effect::Noop), failure));
    }
    if *dry_run {
        return Ok(Outcome::done(&deleted(false, "open", Effect::WouldDelete)));
    }
    let order = Decision::new(Kind::Close, "", &record.session_id);
    let effect = if decision::order(site, &record.session_id, &order)? { Effect::Deleted } else { Effect::Noop };
    Ok(Outcome::done(&deleted(true, "closed", effect)))
}

fn directory(site: &Site) -> String {
    site.root().display().to_string()
}

/// The session of an id; none if the word is not a request id.
fn find(site: &Site, id: &str) -> Result<Record, Failure> {
    let id_of = match identifier::whole(id) {
        Err(failure) if failure.code != ErrorCode::InvalidAgentInput || !is_name(id) => return Err(failure),
        id => id.ok(),
    };
    let (mut found, others): (Vec<_>, Vec<_>) =
        record::all(site)?.into_iter().partition(|record| Some(&record.session_id) == id_of.as_ref());
    found.pop().ok_or_else(|| {
        let near = nearest(id, others.iter().map(|record| record.session_id.as_str()));
        let hint = Failure::did_you_mean(near, "`gatepost list-sessions` shows every session.");
        let message = format!("There is no session {} in this site.", quoted(id));
        Failure::not_found(ErrorCode::SessionNotFound, FailureKind::SessionNotFound, id, message, hint)
    })
}

fn is_name(word: &str) -> bool {
    word != STDIN && is_plain_word(word) && !word.starts_with('.')
}
