//! The interactions of a session or browser, for a person who inspects a request.
//!
//! *Security*: answers are tool output: each line is marked, cut and escaped.

use std::fmt::Write as _;

use gatepost_documents::escape::visible;
use gatepost_documents::evidence::{INTERACTIONS_SHOWN_MAX, Interaction, TRANSCRIPT_FILE};

/// The most characters of a line.
const LINE_CHARS_MAX: usize = 400;

/// The interactions as text; empty if there are none.
pub(super) fn text(interactions: &[Interaction]) -> String {
    let mut text = String::new();
    for (number, interaction) in (1..).zip(interactions.iter().take(INTERACTIONS_SHOWN_MAX)) {
        let _ = writeln!(text, "\nInteraction {number}: {} ({})", shown(&interaction.command), interaction.status);
        let _ = writeln!(text, "  > {}", shown(&interaction.input));
        if let Some(id) = &interaction.request_id {
            let _ = writeln!(text, "  its results: gatepost show {id}");
        }
        let (lines, is_cut) = interaction.answer();
        for line in lines {
            let _ = writeln!(text, "  | {}", shown(&line));
        }
        if is_cut {
            let _ = writeln!(text, "  all of it: {TRANSCRIPT_FILE}");
        }
    }
    if interactions.len() > INTERACTIONS_SHOWN_MAX {
        let _ =
            writeln!(text, "\n{} more interactions: {TRANSCRIPT_FILE}", interactions.len() - INTERACTIONS_SHOWN_MAX);
    }
    text
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

    fn sample(output: &str) -> Interaction {
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
            text(&[sample("42\n\u{1b}[2J")]),
            "\nInteraction 1: query (success)\n  > select 6 * 7;\n  | 42\n  | \\u{1b}[2J\n"
        );
        let table = Interaction { results: json!({"rows": [{"n": 42}]}), ..sample("") };
        assert!(text(&[table]).ends_with("\n  | {\"rows\":[{\"n\":42}]}\n"));
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn what_is_long_is_cut_and_its_place_named() {
        let long = text(&[sample(&"x\n".repeat(11))]);
        assert!(long.ends_with("  | x\n  all of it: artifacts/transcript.txt\n"), "{long}");
        let many = text(&vec![sample("x"); INTERACTIONS_SHOWN_MAX + 2]);
        assert!(many.ends_with("\n2 more interactions: artifacts/transcript.txt\n"), "{many}");
    }
}
