//! What a person sees of a request before approving it: made of the signed bytes and of the plan that would run, and of nothing else.
//!
//! `gatepost show` and `gatepost approve` print it, the pages have it, and the evidence of the run has its digest: whoever kept the digest
//! that was shown finds out whether the same was carried out. *Security*: all words are a stranger's. A character that cannot be seen, or that
//! changes the order of others, is written as an escape, and no line is so long that its end could be overlooked.

use std::fmt::Write as _;

use gatepost_contract::request::Request;
use gatepost_documents::digest::Digest;
use gatepost_documents::escape::visible;
use gatepost_documents::evidence::Limits;
use gatepost_documents::text::quoted;
use gatepost_mailbox::life::is_plain_word;

use crate::lane::Planned;
use crate::policy::Subject;
use crate::shell;

/// The name of the text in the folder of a request that waits.
pub use gatepost_mailbox::record::REVIEW_FILE;

/// What stands for the id of the run, which is not known before.
pub const SCAN_ID: &str = "SCAN-ID";
/// The most characters of a line of the document; the rest of it follows on lines of its own.
const COLUMNS: usize = 110;

/// The text; `planned` is none where nothing can run. `scan_id` is the id that the plan was made with.
pub fn text(request: &Request, bytes: &[u8], planned: Option<&dyn Planned>, scan_id: &str) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{:<10} {value}", format!("{name}:"));
    };
    let word = |text: &str| if is_plain_word(text) { text.to_owned() } else { quoted(text) };
    let shown = |text: &str| -> String { text.replace(scan_id, SCAN_ID).chars().flat_map(visible).collect() };
    line("Request", request.id.as_str());
    line("Asks", &word(&request.requested_by));
    line("Purpose", &shown(&request.purpose));
    let mut network: Vec<String> = request.network.destinations().iter().map(ToString::to_string).collect();
    if let Some(planned) = planned {
        let invocation = planned.invocation();
        line("Tool", shown(&format!("{} {}", invocation.tool, invocation.tool_version)).trim_end());
        line("Would run", &shown(&shell::line(invocation.argv.iter().map(String::as_str))));
        for (number, said) in (1..).zip(planned.lines()) {
            line(&format!("Interaction {number}"), &shown(&said));
        }
        line("Limits", &limits(&invocation.limits));
        network.extend(planned.subjects().iter().take(1).flat_map(Subject::targets).map(ToString::to_string));
    }
    line("Network", &if network.is_empty() { "none".to_owned() } else { network.join(", ") });
    for input in &request.inputs {
        line("Input", &format!("{}  sha256:{}", shown(&input.name), input.sha256));
    }
    let document = String::from_utf8_lossy(bytes);
    line("Signed", &format!("{} lines, {} bytes, sha256:{}", document.lines().count(), bytes.len(), Digest::of(bytes)));
    text.push('\n');
    for each in document.lines() {
        push_folded(&mut text, &each.chars().flat_map(visible).collect::<String>());
    }
    text
}

/// The digest of a text.
pub fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// A line of the document, indented, with marks where it goes on.
fn push_folded(text: &mut String, line: &str) {
    let mut rest = line;
    let mut margin = "    ";
    loop {
        let end = rest.char_indices().nth(COLUMNS).map_or(rest.len(), |(at, _)| at);
        let (head, tail) = rest.split_at(end);
        let _ = writeln!(text, "{}", format!("{margin}{head}").trim_end());
        if tail.is_empty() {
            return;
        }
        (rest, margin) = (tail, "  > ");
    }
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
    fn a_long_line_is_folded_with_a_mark_and_loses_nothing() {
        let mut text = String::new();
        let line = "x".repeat(COLUMNS) + "tail";
        push_folded(&mut text, &line);
        assert_eq!(text, format!("    {}\n  > tail\n", "x".repeat(COLUMNS)));
        text.clear();
        push_folded(&mut text, "");
        assert_eq!(text, "\n");
    }
}
