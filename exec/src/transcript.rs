//! The transcript of a session for people, `artifacts/transcript.txt`: the input and the answers.
//!
//! ```text
//! Session TR-20260209-161030Z-primes of sqlite
//!
//! 1. query, 2026-02-09T16:10:30.120Z, success after 31 ms
//! scan 1770653430-0123456789abcdef, permitted by reading
//! > select 6 * 7;
//! | 42
//! ```
//!
//! A pure function of the evidence. *Security*: output of a program cannot look like an interaction, because each of its lines begins
//! with a mark and no character in it moves the cursor or is hidden. *Standards*: `schemas/evidence.schema.md`, Interactions.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use gatepost_documents::escape::escape;
use gatepost_documents::evidence::{Evidence, Interaction, TRANSCRIPT_FILE};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use serde_json::Value;

use crate::excerpt;

/// Writes it into the staging folder `folder`, if there are interactions. Removes the file of an earlier attempt.
pub(crate) fn write(evidence: &Evidence, folder: &Path) -> Result<(), Fault> {
    let path = folder.join(TRANSCRIPT_FILE);
    durable::remove_tree(&path)?;
    if evidence.interactions.is_empty() {
        return Ok(());
    }
    durable::create_new(&path)?.write_all(text(evidence).as_bytes()).on("write", &path)
}

fn text(evidence: &Evidence) -> String {
    let session = evidence.parent_session_id.as_deref().unwrap_or_default();
    let mut text = format!("Session {session} of {}\n", evidence.tool);
    for (number, interaction) in (1..).zip(&evidence.interactions) {
        let Interaction {
            request_id, scan_id, command, timestamp, status, duration_ms, input, results, policy, ..
        } = interaction;
        let asked_by = request_id.as_ref().map(|id| format!(" for {id}")).unwrap_or_default();
        let _ = writeln!(text, "\n{number}. {command}{asked_by}, {timestamp}, {status} after {duration_ms} ms");
        let policies = visible(&policy.policies.join(", "));
        let _ = writeln!(text, "scan {scan_id}, {} by {policies}", policy.decision);
        let _ = writeln!(text, "> {}", visible(input));
        for line in
            results.get("output").or(results.get("content")).and_then(Value::as_str).into_iter().flat_map(str::lines)
        {
            let _ = writeln!(text, "| {}", visible(line));
        }
    }
    text
}

fn visible(line: &str) -> String {
    escape(line, |character| excerpt::is_hidden(character) || character.is_control() && character != '\t')
}
