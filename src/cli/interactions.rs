//! What was done in a session or browser, and what came back, for a person who looks at a request.
//!
//! *Security*: what came back is a tool's own words: each line of it is marked, cut and escaped.

use std::fmt::Write as _;

use gatepost_documents::evidence::{Interaction, TRANSCRIPT_FILE};
use serde_json::Value;

use super::show::visible;

/// The most interactions that are shown, lines of an answer, and characters of a line.
pub const SHOWN_MAX: usize = 20;
const LINES_MAX: usize = 10;
const LINE_CHARS_MAX: usize = 400;

/// The interactions as text; empty where there are none.
pub fn text(interactions: &[Interaction]) -> String {
    let mut text = String::new();
    for (number, told) in (1..).zip(interactions.iter().take(SHOWN_MAX)) {
        let _ = writeln!(text, "\nInteraction {number}: {} ({})", shown(&told.command), told.status);
        let _ = writeln!(text, "  > {}", shown(&told.input));
        if let Some(id) = &told.request_id {
            let _ = writeln!(text, "  its results: gatepost show {id}");
        }
        let (lines, is_cut) = answer(&told.results);
        for line in lines {
            let _ = writeln!(text, "  | {}", shown(&line));
        }
        if is_cut {
            let _ = writeln!(text, "  all of it: {TRANSCRIPT_FILE}");
        }
    }
    if interactions.len() > SHOWN_MAX {
        let _ = writeln!(text, "\n{} more interactions: {TRANSCRIPT_FILE}", interactions.len() - SHOWN_MAX);
    }
    text
}

/// The first lines of what an answer says, or else its results as JSON, and whether there are more.
pub fn answer(results: &Value) -> (Vec<String>, bool) {
    let said = match results.get("output").or(results.get("content")) {
        Some(Value::String(said)) => said.clone(),
        _ if results.is_null() => String::new(),
        _ => results.to_string(),
    };
    (said.lines().take(LINES_MAX).map(str::to_owned).collect(), said.lines().nth(LINES_MAX).is_some())
}

fn shown(line: &str) -> String {
    let cut = if line.chars().nth(LINE_CHARS_MAX).is_some() { " …" } else { "" };
    line.chars().take(LINE_CHARS_MAX).flat_map(visible).collect::<String>() + cut
}

#[cfg(test)]
mod tests {
    use gatepost_documents::digest::Digest;
    use gatepost_documents::evidence::{Policy, PolicyDecision, Status};
    use serde_json::{Map, json};

    use super::*;

    fn told(output: &str) -> Interaction {
        Interaction {
            request_id: None,
            scan_id: String::new(),
            command: "query".to_owned(),
            arguments: Map::new(),
            input: "select 6 * 7;".to_owned(),
            policy: Policy { decision: PolicyDecision::Permitted, policies: Vec::new(), sha256: Digest::of(b"") },
            status: Status::Success,
            timestamp: String::new(),
            duration_ms: 1,
            output_offset: 0,
            output_bytes: 0,
            output_hash: String::new(),
            results: json!({"output": output}),
        }
    }

    #[test]
    fn each_line_of_an_answer_is_marked_and_moves_nothing() {
        assert_eq!(
            text(&[told("42\n\u{1b}[2J")]),
            "\nInteraction 1: query (success)\n  > select 6 * 7;\n  | 42\n  | \\u{1b}[2J\n"
        );
        let table = Interaction { results: json!({"rows": [{"n": 42}]}), ..told("") };
        assert!(text(&[table]).ends_with("\n  | {\"rows\":[{\"n\":42}]}\n"));
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn what_is_long_is_cut_and_its_place_named() {
        let long = text(&[told(&"x\n".repeat(LINES_MAX + 1))]);
        assert!(long.ends_with("  | x\n  all of it: artifacts/transcript.txt\n"), "{long}");
        let many = text(&vec![told("x"); SHOWN_MAX + 2]);
        assert!(many.ends_with("\n2 more interactions: artifacts/transcript.txt\n"), "{many}");
    }
}
