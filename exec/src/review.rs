//! The text of a request for its approvers, made only from the signed bytes and the plan.
//!
//! `gatepost show` and `gatepost approve` print it, the pages have it, and the evidence of the run has its digest: an approver who kept the digest
//! of the shown text can check whether the same was carried out. *Security*: all text is hostile. A character that is invisible, or that
//! changes the order of others, is escaped, and long lines are wrapped so that no end is overlooked.

use gatepost_contract::request::Request;
use gatepost_documents::digest::Digest;
use gatepost_documents::escape::visible;
use gatepost_documents::evidence::Limits;
use gatepost_mailbox::life::shown_name;

use crate::lane::Planned;
use crate::policy::Subject;
use crate::shell;

/// The name of the text in the folder of a waiting request.
pub use gatepost_mailbox::record::REVIEW_FILE;

/// The placeholder for the id of the run, which is unknown before.
pub const SCAN_ID: &str = "SCAN-ID";
/// The most columns of a line; the rest follows on lines that begin with a mark.
const COLUMNS: usize = 76;
const MARGIN: &str = "    ";
const CONTINUED: &str = "  > ";

/// The text; `planned` is none if nothing can run. `scan_id` is the id in the plan.
pub fn text(request: &Request, bytes: &[u8], planned: Option<&dyn Planned>, scan_id: &str) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| push_folded(&mut text, &format!("{:<10} {value}", format!("{name}:")), "");
    let shown = |text: &str| -> String { text.replace(scan_id, SCAN_ID).chars().flat_map(visible).collect() };
    line("Request", request.id.as_str());
    line("Asks", &shown_name(&request.requested_by));
    line("Purpose", &shown(&request.purpose));
    let mut network: Vec<String> = request.network.destinations().iter().map(ToString::to_string).collect();
    if let Some(planned) = planned {
        let invocation = planned.invocation();
        line("Tool", shown(&format!("{} {}", invocation.tool, invocation.tool_version)).trim_end());
        if let Some(manifest) = invocation.manifest_sha256 {
            line("Manifest", &manifest.to_string());
        }
        for program in &invocation.programs {
            line("Program", &shown(&program.path));
            line("SHA-256", &program.sha256.to_string());
        }
        for (name, value) in &invocation.arguments {
            line("Argument", &shown(&format!("{name} = {value}")));
        }
        line("Would run", &shown(&shell::line(invocation.argv.iter().map(String::as_str))));
        for (number, text) in (1..).zip(planned.lines()) {
            line(&format!("Interaction {number}"), &shown(&text));
        }
        line("Limits", &limits(&invocation.limits));
        network.extend(planned.subjects().iter().take(1).flat_map(Subject::targets).map(ToString::to_string));
    }
    line("Network", &if network.is_empty() { "none".to_owned() } else { network.join(", ") });
    for input in &request.inputs {
        line("Input", &shown(&input.name));
        line("SHA-256", &input.sha256.to_string());
    }
    let document = String::from_utf8_lossy(bytes);
    line("Signed", &format!("{} lines, {} bytes", document.lines().count(), bytes.len()));
    line("SHA-256", &Digest::of(bytes).to_string());
    text.push('\n');
    for each in document.lines() {
        push_folded(&mut text, &each.chars().flat_map(visible).collect::<String>(), MARGIN);
    }
    text
}

/// The digest of a text.
pub fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// A line after a margin. No part of it begins where a line of ours begins, on a terminal of 80 columns.
fn push_folded(text: &mut String, line: &str, margin: &str) {
    let mut columns = 0;
    text.push_str(margin);
    for character in line.chars() {
        // The width of other characters depends on the terminal.
        let width = if character.is_ascii() { 1 } else { 2 };
        if columns + width > COLUMNS {
            text.push('\n');
            text.push_str(CONTINUED);
            columns = 0;
        }
        columns += width;
        text.push(character);
    }
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

fn limits(limits: &Limits) -> String {
    let memory = limits.memory_bytes.map(|bytes| format!(", {} MiB memory", bytes >> 20)).unwrap_or_default();
    let processors = match limits.cpus {
        None => String::new(),
        Some(1) => ", 1 processor".to_owned(),
        Some(count) => format!(", {count} processors"),
    };
    format!("{} s{memory}{processors}, {} processes", limits.time_ms / 1_000, limits.processes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_folded_with_a_mark_whatever_fills_it() {
        let folded = |line: &str, margin: &str| {
            let mut text = String::new();
            push_folded(&mut text, line, margin);
            text
        };
        assert_eq!(folded(&("x".repeat(COLUMNS) + "tail"), MARGIN), format!("    {}\n  > tail\n", "x".repeat(COLUMNS)));
        assert_eq!(folded("", MARGIN), "\n");
        for filler in [" ", "\u{3000}", "\u{a0}"] {
            let forged = format!("See{}Would run: true", filler.repeat(200));
            let text = folded(&forged, "");
            assert!(text.lines().skip(1).all(|line| line.starts_with(CONTINUED) || line == "  >"), "{text}");
        }
    }
}
