//! Stage 4, structure: the body of a result has its six sections, and nothing else that a reader could take for one.
//!
//! Two parsers that share no code read it: a strict line scan, which knows only what the format allows, and a
//! CommonMark parser, which knows all of Markdown. They must find the same headings and the same fences on the same
//! lines. Only the required statements of a section are checked here. Security: reads hostile text. Standards:
//! CommonMark 0.31; `schemas/result.schema.md`, Sections.

use gatepost_documents::front_matter::Document;
use gatepost_documents::reason::{Code, Reason};

mod markdown;
mod scan;

pub(crate) use scan::Scan;

/// The sections, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Title {
    Summary,
    Provenance,
    Outputs,
    Stdout,
    Stderr,
    SafetyNotes,
}

impl Title {
    pub(crate) const ALL: [Self; 6] =
        [Self::Summary, Self::Provenance, Self::Outputs, Self::Stdout, Self::Stderr, Self::SafetyNotes];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "Summary",
            Self::Provenance => "Provenance",
            Self::Outputs => "Outputs",
            Self::Stdout => "Stdout",
            Self::Stderr => "Stderr",
            Self::SafetyNotes => "Safety Notes",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|title| title.as_str() == text)
    }
}

/// How free the layout of a body may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As TOOL-EXEC writes it: one empty line around a heading, fences of `text` or `json`, flat lists of dashes.
    Sealed,
    /// As others write `ThreeGate`'s sections: with or without those empty lines, fences of any one word or none, any list.
    Free,
}

/// The content under one heading, without the empty lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// The first line's number in the document.
    pub(crate) line: u32,
    pub(crate) lines: Vec<&'a str>,
}

/// The six sections of a body.
#[derive(Debug)]
pub(crate) struct Sections<'a>([Section<'a>; 6]);

impl<'a> Sections<'a> {
    pub(crate) fn get(&self, title: Title) -> &Section<'a> {
        let [summary, provenance, outputs, stdout, stderr, safety_notes] = &self.0;
        match title {
            Title::Summary => summary,
            Title::Provenance => provenance,
            Title::Outputs => outputs,
            Title::Stdout => stdout,
            Title::Stderr => stderr,
            Title::SafetyNotes => safety_notes,
        }
    }
}

/// The beginnings of the required lines in Provenance, in order.
const PROVENANCE_ITEMS: [&str; 15] = [
    "- Command: ",
    "- Arguments: ",
    "- Tool: ",
    "- Requester: ",
    "- Approval: ",
    "- Network: ",
    "- Started: ",
    "- Usage: ",
    "- Limits: ",
    "- Sandbox: ",
    "- Backend: ",
    "- Drop: ",
    "- Manifest SHA-256: ",
    "- Request SHA-256: ",
    "- Evidence SHA-256: ",
];

/// The beginnings of the required paragraphs in Safety Notes, in order.
const STATEMENTS: [&str; 3] = ["Untrusted Output Statement: ", "Unexpected behavior: ", "Network confirmation: "];

/// Every fault of the structure, or the six sections.
pub(crate) fn check<'a>(document: &Document<'a>, file: &str) -> Result<Sections<'a>, Vec<Reason>> {
    check_with(document, file, Layout::Sealed, missing_statements)
}

/// The same for a body in a layout; `missing` looks for its statements.
pub(crate) fn check_with<'a>(
    document: &Document<'a>,
    file: &str,
    layout: Layout,
    missing: impl FnOnce(&Sections<'a>) -> Vec<Reason>,
) -> Result<Sections<'a>, Vec<Reason>> {
    let scan = Scan::read(document.body, document.body_line, layout);
    let mut reasons = scan.faults();
    reasons.extend(markdown::faults(document.body, document.body_line, &scan));
    let sections = scan.sections();
    if let Some(sections) = &sections {
        reasons.extend(missing(sections));
    }
    match sections {
        Some(sections) if reasons.is_empty() => Ok(sections),
        _ => Err(reasons.into_iter().map(|reason| reason.in_file(file)).collect()),
    }
}

fn missing_statements(sections: &Sections<'_>) -> Vec<Reason> {
    let provenance = sections.get(Title::Provenance);
    let safety_notes = sections.get(Title::SafetyNotes);
    let mut missing = missing_in(provenance, Title::Provenance, &PROVENANCE_ITEMS, |_| true);
    let is_paragraph =
        |index: usize| index == 0 || safety_notes.lines.get(index - 1).is_some_and(|line| line.is_empty());
    missing.extend(missing_in(safety_notes, Title::SafetyNotes, &STATEMENTS, is_paragraph));
    missing
}

/// The beginnings that no line has, searched in order.
fn missing_in(
    section: &Section<'_>,
    title: Title,
    beginnings: &[&str],
    may_begin: impl Fn(usize) -> bool,
) -> Vec<Reason> {
    let mut next = 0;
    let mut reasons = Vec::new();
    for beginning in beginnings {
        let rest = section.lines.iter().enumerate().skip(next);
        let found = rest.into_iter().find(|(index, line)| line.starts_with(beginning) && may_begin(*index));
        if let Some((index, _)) = found {
            next = index + 1;
        } else {
            let statement = beginning.trim_start_matches("- ").trim_end_matches(": ");
            let message = format!("The section {} does not state \"{statement}\" in its place.", title.as_str());
            let hint = "Write every statement of the section, in the order of the result format.";
            reasons.push(Reason::new(Code::StatementMissing, message, hint).at(section.line, 1));
        }
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_documents::reason::Code::{
        FenceBroken, HeadingStyle, HtmlForbidden, MarkupForbidden, ParsersDisagree, SectionDuplicate, SectionMissing,
        SectionOrder, SectionUnknown, StatementMissing,
    };

    fn body(summary: &str, stdout: &str) -> String {
        let provenance = PROVENANCE_ITEMS.map(|item| format!("{item}`x`")).join("\n");
        let safety_notes = STATEMENTS.map(|statement| format!("{statement}x.")).join("\n\n");
        format!(
            "\n## Summary\n\n{summary}\n\n## Provenance\n\n{provenance}\n\n## Outputs\n\nnone\n\n## Stdout\n\n{stdout}\n\n\
             ## Stderr\n\n(empty)\n\n## Safety Notes\n\n{safety_notes}\n"
        )
    }

    fn codes(body: &str) -> Vec<Code> {
        let document = Document { entries: Vec::new(), body, body_line: 1 };
        let Err(reasons) = check(&document, "TS.md") else { return Vec::new() };
        let mut codes: Vec<_> = reasons.iter().map(|reason| reason.code).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    #[test]
    fn plain_bodies_are_accepted() {
        assert_eq!(codes(&body("It ran.", "(empty)")), []);
        assert_eq!(codes(&body("It ran `<b>`.\n\n- `code`: `\"# no\"`", "```text\n## Summary\n<b>\n```\n\nNote.")), []);
        assert_eq!(codes(&body("It ran.", "````text\n```\n## Outputs\n\n---\n````\n\nNote.")), []);
    }

    #[test]
    fn what_a_reader_could_take_for_structure_is_refused() {
        for (summary, expected) in [
            ("## Summary", &[SectionDuplicate][..]),
            ("x\n\n## Extra\n\ny", &[SectionUnknown]),
            ("x\n\n### Summary\n\ny", &[SectionUnknown]),
            ("x\n\n ## Outputs\n\ny", &[HeadingStyle]),
            ("x\n\n> ## Outputs\n\ny", &[HeadingStyle]),
            ("x\n\n- ## Outputs\n\ny", &[HeadingStyle]),
            ("x\n\n1. # Outputs\n\ny", &[HeadingStyle]),
            ("x\n\n## Outputs ##\n\ny", &[HeadingStyle]),
            ("x\n## Outputs\ny", &[HeadingStyle]),
            ("Outputs\n---", &[HeadingStyle]),
            ("Outputs\n=", &[HeadingStyle]),
            ("<!-- x", &[HtmlForbidden]),
            ("x <b>y</b>", &[HtmlForbidden]),
            ("<script>\nx", &[HtmlForbidden]),
            ("~~~\nx\n~~~", &[FenceBroken]),
            ("```text\nx", &[FenceBroken]),
            ("- ```text\n  x\n  ```", &[FenceBroken]),
            ("> x", &[MarkupForbidden]),
            ("[x](http://example.com)", &[MarkupForbidden]),
            ("![x](http://example.com)", &[MarkupForbidden]),
            ("<http://example.com>", &[MarkupForbidden]),
            ("[x]: http://example.com", &[MarkupForbidden]),
            ("* x", &[MarkupForbidden]),
            ("1. x", &[MarkupForbidden]),
            ("- x\n  - y", &[MarkupForbidden]),
            ("    code", &[MarkupForbidden]),
        ] {
            let found = codes(&body(summary, "(empty)"));
            assert!(expected.iter().all(|code| found.contains(code)), "{summary:?}: {found:?}");
        }
    }

    #[test]
    fn code_spans_that_readers_pair_differently_are_refused() {
        // Found by the target `structure`: some readers see HTML where others see code.
        for summary in ["a ``b:`c `d`<b>;`", "a `b", "a `b\nc` d", "``a``"] {
            let found = codes(&body(summary, "(empty)"));
            assert!(found.contains(&MarkupForbidden), "{summary:?}: {found:?}");
        }
    }

    #[test]
    fn a_body_that_would_cost_the_parser_much_is_refused_without_it() {
        let deep = [">".repeat(400_000), "\na".repeat(200_000)].concat();
        for summary in [deep, "[a".repeat(260_000), "\n".repeat(260_000), "- ".repeat(130_000)] {
            let found = codes(&body(&summary, "(empty)"));
            assert!(found.contains(&MarkupForbidden), "{found:?}");
        }
        let streams = "*_`>-\\[]<!".repeat(6_553);
        assert_eq!(codes(&body("It ran.", &format!("```text\n{streams}\n{streams}\n```"))), []);
    }

    #[test]
    fn output_cannot_leave_its_fence() {
        for stdout in
            ["```text\nx\n````\n```", "```text\nx\n ```\n```", "```text\nx\n``` \n```", "```text\nx\n\t```\n```"]
        {
            let found = codes(&body("It ran.", stdout));
            assert!(found.contains(&FenceBroken), "{stdout:?}: {found:?}");
        }
    }

    #[test]
    fn sections_occur_once_and_in_order() {
        let whole = body("It ran.", "(empty)");
        let without = whole.replace("## Outputs\n\nnone\n\n", "");
        assert_eq!(codes(&without), [SectionMissing]);
        let swapped = whole.replace("## Stdout", "## X").replace("## Stderr", "## Stdout").replace("## X", "## Stderr");
        assert_eq!(codes(&swapped), [SectionOrder]);
        assert_eq!(codes(&whole.replace("## Stderr", "## Stdout")), [SectionMissing, SectionDuplicate]);
    }

    #[test]
    fn statements_count_only_in_their_own_section() {
        let whole = body("It ran.", "```text\nNetwork confirmation: none used.\n```\n\nNote.");
        assert_eq!(codes(&whole.replace("\n\nNetwork confirmation: x.", "")), [StatementMissing]);
        assert_eq!(codes(&whole.replace("- Limits: `x`\n", "")), [StatementMissing]);
        assert_eq!(codes(&whole.replace("x.\n\nNetwork", "x.\nNetwork")), [StatementMissing]);
    }

    #[test]
    fn a_heading_that_only_one_parser_sees_is_named() {
        // In CommonMark, seven hashes, or hashes without a space, are no heading; the line scan rejects them all the
        // same.
        assert!(codes(&body("####### x", "(empty)")).contains(&HeadingStyle));
        assert!(codes(&body("##x", "(empty)")).contains(&HeadingStyle));
        let found = codes(&body("a\n\n    ## Outputs", "(empty)"));
        assert!(found.contains(&HeadingStyle) && found.contains(&MarkupForbidden), "{found:?}");
        assert!(codes(&body("- x\n\n  ```text\n  y\n  ```", "(empty)")).contains(&ParsersDisagree));
    }

    proptest::proptest! {
        #[test]
        fn an_accepted_body_has_six_headings_for_commonmark(
            lines in proptest::collection::vec("(## Stdout|# x|```|````text|~~~|<!--|-->|> |- |    | x|---|\\[a\\]: b|`|)", 0..8),
        ) {
            let body = body(&lines.join("\n"), "(empty)");
            if codes(&body).is_empty() {
                let headings = pulldown_cmark::Parser::new(&body)
                    .filter(|event| matches!(event, pulldown_cmark::Event::Start(pulldown_cmark::Tag::Heading { .. })));
                proptest::prop_assert_eq!(headings.count(), 6);
            }
        }
    }
}
