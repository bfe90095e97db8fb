//! `gatepost cat`: one file of an accepted result, raw into a pipe or file, escaped on a terminal.
//!
//! If JSON is requested explicitly, the bytes are embedded in one document. Nothing is printed of a result that the
//! gate did not accept, or that changed since. *Security*: the bytes are hostile input. On a terminal, control
//! characters are escaped; a pipe gets the bytes that were hashed.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_exec::bundle::STDOUT;
use gatepost_exec::excerpt::push_visible;
use gatepost_gate::audit::{Accepted, accepted};
use gatepost_mailbox::life::{Detail, RequestState, Results};
use gatepost_mailbox::regular_file;

use super::show::unknown;
use crate::cli::prelude::*;

const ARTIFACTS: &str = "artifacts";

/// `gatepost cat`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("cat", either::<Content, Artifacts>).about("request_id").takes_ids().prints_data(&[]).fails(&[
        ErrorCode::RequestNotFound,
        ErrorCode::ResultNotFound,
        ErrorCode::ArtifactNotFound,
        ErrorCode::ResultRejected,
    ]);

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  gatepost cat TR-20260209-160501Z-stats                  what the tool printed\n  \
    gatepost cat TR-20260209-160501Z-stats out/plot.png > plot.png"
)]
pub(super) struct Arguments {
    /// A request (TR-…) or a result (TS-…).
    #[arg(value_name = "ID", value_parser = identifier::id)]
    id: String,
    /// The artifact: its path below artifacts/, or below the result's folder.
    #[arg(value_name = "ARTIFACT", value_parser = identifier::artifact, default_value = STDOUT)]
    name: String,
}

/// An artifact within JSON. *Standards*: CLI Agent Spec, REQ-F-017.
#[derive(Serialize, JsonSchema)]
struct Content {
    /// The value is the output of a tool.
    _trusted: bool,
    request_id: String,
    path: PathBuf,
    /// `text` or `binary`.
    r#type: &'static str,
    /// `utf-8` or `base64`.
    encoding: &'static str,
    value: String,
    /// The size of the whole artifact.
    size_bytes: u64,
    /// Whether the value is only its beginning.
    is_beginning: bool,
}

impl View for Content {
    fn text(&self) -> String {
        String::new()
    }
}

impl Content {
    /// Reads at most this many bytes of a file.
    fn read(request_id: String, path: PathBuf, file: &File, bytes_max: u64) -> io::Result<Self> {
        let (mut bytes, size_bytes) = (Vec::new(), file.metadata()?.len());
        file.take(bytes_max).read_to_end(&mut bytes)?;
        let is_beginning = size_bytes > bytes_max;
        // The limit may split a character.
        if let Err(error) = std::str::from_utf8(&bytes)
            && is_beginning
            && error.error_len().is_none()
        {
            bytes.truncate(error.valid_up_to());
        }
        let (r#type, encoding, value) = match String::from_utf8(bytes) {
            Ok(text) => ("text", "utf-8", text),
            Err(error) => ("binary", "base64", STANDARD.encode(error.as_bytes())),
        };
        Ok(Self { _trusted: false, request_id, path, r#type, encoding, value, size_bytes, is_beginning })
    }
}

/// The artifacts that exist, if the named one does not.
#[derive(Serialize, JsonSchema)]
struct Artifacts {
    /// A tool chose the names.
    _trusted: bool,
    request_id: String,
    artifacts: Vec<String>,
}

impl View for Artifacts {
    fn text(&self) -> String {
        let line = |name: &String| format!("  {}\n", visible_text(name));
        format!("Artifacts of {}:\n{}", self.request_id, self.artifacts.iter().map(line).collect::<String>())
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    let id = identifier::request(site, &arguments.id)?;
    let results = Results::of(site, &id)?;
    let Some(progress) = results.progress(site, &id)? else { return Err(unknown(site, &id)) };
    if !progress.is_in_core() {
        return Err(not_accepted(id.as_str(), progress.state));
    }
    let Some(detail) = Detail::read(site, &results, &id)? else { return Err(unknown(site, &id)) };
    let paths = [Path::new(ARTIFACTS).join(&arguments.name), PathBuf::from(&arguments.name)];
    let Some(path) = paths.iter().find(|path| detail.files.contains(path)) else {
        let found = detail.files.iter().filter_map(|path| path.strip_prefix(ARTIFACTS).ok());
        let artifacts = found.map(|path| path.to_string_lossy().into_owned()).collect();
        let request_id = id.to_string();
        return Ok(Outcome::failed(
            &Artifacts { _trusted: false, request_id, artifacts },
            no_artifact(&id.to_string(), &arguments.name),
        ));
    };
    expect_unaltered(id.as_str(), &detail.folder)?;
    let file = regular_file::open_beneath(&detail.folder, path).on("open", &detail.folder.join(path))?;
    if let Some(bytes_max) = bounds.embedded_bytes_max {
        // Base64 and escapes enlarge the text.
        let bytes_max = u64::try_from(bytes_max / 2).unwrap_or(u64::MAX);
        let content = Content::read(id.to_string(), detail.folder.join(path), &file, bytes_max);
        let content = content.on("read", &detail.folder.join(path))?;
        let mut outcome = Outcome::done(&content);
        if content.is_beginning {
            let whole = content.size_bytes;
            outcome.is_cut = true;
            outcome.warnings.push(format!(
                "FIELD_TRUNCATED: The value is the beginning of {whole} bytes; --max-output 0 prints all."
            ));
        }
        return Ok(outcome);
    }
    Ok(Outcome::file(file))
}

/// Prints a file on stdout: raw, or escaped on a terminal.
pub(super) fn print(mut from: &File) -> io::Result<()> {
    let mut stdout = io::stdout();
    if stdout.is_terminal() {
        return print_visible(from, stdout);
    }
    io::copy(&mut from, &mut stdout)?;
    stdout.flush()
}

/// Copies and escapes every control character; keeps line breaks.
fn print_visible(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    const CHUNK_BYTES: u64 = 64 * 1024;
    let (mut bytes, mut ends_line) = (Vec::new(), true);
    loop {
        let is_last = from.by_ref().take(CHUNK_BYTES).read_to_end(&mut bytes)? == 0;
        // A character may span two chunks.
        let whole = match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() && !is_last => error.valid_up_to(),
            Err(_) | Ok(_) => bytes.len(),
        };
        let mut text = String::new();
        for character in String::from_utf8_lossy(&bytes[..whole]).chars() {
            if character == '\n' { text.push('\n') } else { push_visible(&mut text, character) }
        }
        ends_line = text.chars().next_back().map_or(ends_line, |last| last == '\n');
        to.write_all(text.as_bytes())?;
        bytes.drain(..whole);
        if is_last {
            // Keeps the shell's prompt at the start of a line.
            to.write_all(if ends_line { b"" } else { b"\n" })?;
            return to.flush();
        }
    }
}

fn not_accepted(id: &str, state: RequestState) -> Failure {
    if state == RequestState::Rejected {
        let message = format!("The gate rejected the result of {id}, so gatepost prints nothing of it.");
        let hint = format!("`gatepost quarantine show {id}` says why.");
        return Failure::new(ErrorCode::ResultRejected, FailureKind::Policy, message, hint).during("print", id);
    }
    let message = format!("{id} has no accepted result: its state is {state}.");
    let hint = if state == RequestState::Missing {
        "Restore it from a backup; see `gatepost audit verify`.".to_owned()
    } else {
        format!("`gatepost show {id}` shows what is known about it; `gatepost wait {id}` waits for its result.")
    };
    Failure::not_found(ErrorCode::ResultNotFound, FailureKind::ResultNotFound, id, message, hint)
}

/// Checks that an accepted result is still what the gate accepted.
pub(super) fn expect_unaltered(id: &str, folder: &Path) -> Result<(), Failure> {
    altered(folder)?.map_or(Ok(()), |fault| Err(no_longer_accepted(id, folder, &fault)))
}

/// The first difference between an accepted result and its verdict.
fn altered(folder: &Path) -> Result<Option<String>, Fault> {
    let (Some(inbound), Some(name)) = (folder.parent(), folder.file_name()) else { return Ok(None) };
    let Accepted { verdict_sha256, faults, .. } = accepted(inbound, name).on("read", folder)?;
    let is_there = verdict_sha256.is_some();
    let first = faults.into_iter().next().map(|reason| reason.message);
    Ok(first.or_else(|| (!is_there).then(|| "It has no verdict.".to_owned())))
}

fn no_longer_accepted(id: &str, folder: &Path, fault: &str) -> Failure {
    let message =
        format!("The result of {id} was changed after the gate accepted it, so gatepost prints nothing of it. {fault}");
    let hint = format!("`gatepost verify {}` says what differs; restore it from a backup.", folder.display());
    Failure::new(ErrorCode::ResultRejected, FailureKind::Policy, message, hint).during("print", id)
}

fn no_artifact(id: &str, name: &str) -> Failure {
    let message = format!("The result of {id} has no artifact {}.", gatepost_documents::text::quoted(name));
    let hint = format!("Name one of the listed artifacts: gatepost cat {id} NAME");
    Failure::not_found(ErrorCode::ArtifactNotFound, FailureKind::ArtifactNotFound, name, message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_terminal_nothing_acts_wherever_the_reads_fall() {
        struct InParts<'a>(&'a [u8]);
        impl Read for InParts<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(3).min(buffer.len());
                buffer[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let hostile = ["a\x1b]0;x\x07\tb\r\n".as_bytes(), "\u{202e}é€".as_bytes(), b"\xff"].concat();
        let mut shown = Vec::new();
        print_visible(InParts(&hostile), &mut shown).unwrap();
        assert_eq!(String::from_utf8(shown).unwrap(), "a␛]0;x␇\tb␍\n\\u{202e}é€\u{fffd}\n");
        let long = "é".repeat(100_000) + "\n";
        let mut shown = Vec::new();
        print_visible(format!("x{long}").as_bytes(), &mut shown).unwrap();
        assert!(String::from_utf8(shown).unwrap() == format!("x{long}"), "a character between two chunks");
    }
}
