//! Stage 7, content: selects the text of a bundle to scan, and its place. The crate `gatepost-content` judges the text.
//!
//! Intake scans artifacts while it reads them. Everything else is scanned after all other stages pass: excerpts, the
//! strings of the evidence, file names. The rest of a bundle's document repeats the evidence to the byte, as an earlier
//! stage showed; so does the transcript of a session. The request and the manifest are not scanned: the site knows
//! their bytes, which are the requester's and the operator's own words. The same holds for what the evidence repeats of
//! the request, and for strings of a harmless form.
//!
//! *Standards*: ThreeGate, tool result, "Forbidden Content (Validation Failures)".

use std::collections::BTreeSet;
use std::ops::Range;

use gatepost_content::weighing::{Content, Decision};
use gatepost_content::{Finding, Place, RuleSet, Scan, Source, weigh};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Code, Reason, Severity};

use crate::bundle::Bundle;
use crate::integrity::packet::{self, Packet};
use crate::integrity::{Confirmed, Page};
use crate::policy::Policy;
use crate::section::packet::CONTENT;
use crate::structure::{Section, Sections, Title};

mod evidence;

/// The flags of a bundle without forbidden content, or every reason against it.
pub(crate) fn check(
    bundle: &Bundle,
    page: Page<'_>,
    confirmed: &Confirmed,
    policy: &Policy,
    rules: &RuleSet,
) -> Result<Vec<Reason>, Vec<Reason>> {
    let mut scan = Scan::new(rules);
    excerpts(page, &mut scan);
    check_bundle(bundle, scan, confirmed, policy)
}

/// The same of a research packet.
pub(crate) fn check_packet(
    bundle: &Bundle,
    packet: Packet<'_>,
    confirmed: &Confirmed,
    policy: &Policy,
    rules: &RuleSet,
) -> Result<Vec<Reason>, Vec<Reason>> {
    let mut scan = Scan::new(rules);
    let before = packet.source.split('\n').take_while(|line| *line != CONTENT).count();
    let shown = bundle.stdout.section("stdout.txt");
    // After the title and an empty line.
    let line = u32::try_from(before + 3).unwrap_or(u32::MAX);
    scan.look_at(Source::new(Place::Rendered, packet.file).from_line(line), shown.join("\n").as_bytes());
    check_bundle(bundle, scan, confirmed, policy)
}

/// The findings in the document from `scan`, and in everything else of a bundle.
fn check_bundle(
    bundle: &Bundle,
    mut scan: Scan,
    confirmed: &Confirmed,
    policy: &Policy,
) -> Result<Vec<Reason>, Vec<Reason>> {
    evidence::look_at(&confirmed.evidence, &mut scan);
    if let Some(results) = &confirmed.results {
        evidence::look_at_results(results, &mut scan);
    }
    for path in bundle.entries.keys() {
        scan.look_at(Source::new(Place::Prose, path), path.as_bytes());
    }
    let own = own_values(bundle, confirmed);
    let is_unknown = |finding: &Finding| finding.rule.class != Code::Secret || !own.contains(&finding.excerpt_sha256);
    // The site knows the name of a manifest; a program of the other lanes may have any name.
    let tool = confirmed.manifest.as_ref().map(|_| &*confirmed.evidence.tool);
    let severity = |finding: &Finding| policy.content.decide(finding, tool).filter(|_| !is_fixed(finding));
    decide(weigh(&[&scan.into_findings(), &bundle.findings], severity, is_unknown))
}

/// The same, for a document without the rest of its bundle.
pub(crate) fn check_alone(page: Page<'_>, policy: &Policy, rules: &RuleSet) -> Result<Vec<Reason>, Vec<Reason>> {
    let mut scan = Scan::new(rules);
    document(page, &mut scan);
    let severity = |finding: &Finding| policy.content.decide(finding, None).filter(|_| !is_fixed(finding));
    decide(weigh(&[&scan.into_findings()], severity, |_| true))
}

/// Why the gate would reject a result in which TOOL-EXEC says this, by the built-in rules.
pub fn of_own_words(text: &str) -> Vec<Reason> {
    let mut scan = Scan::new(RuleSet::built_in());
    scan.look_at(Source::new(Place::Prose, ""), text.as_bytes());
    let severity = |finding: &Finding| Content::default().decide(finding, None).filter(|_| !is_fixed(finding));
    decide(weigh(&[&scan.into_findings()], severity, |_| true)).err().unwrap_or_default()
}

/// Whether an unsure rule matched TOOL-EXEC's own words: they are fixed sentences, and their hints say what to do.
fn is_fixed(finding: &Finding) -> bool {
    let is_faint = finding.rule.in_prose == Severity::Flag || finding.rule.class == Code::Instruction;
    finding.place == Place::Prose && finding.severity == Severity::Flag && is_faint
}

/// The same for a document that others wrote. All of it is prose, and no part was compared with anything; TOOL-EXEC's
/// own prose is fixed, this is not. In the excerpts of the streams, orders and claims have the severity of their rules.
/// All other findings reject there too, and no site changes their weight.
pub(crate) fn check_bare_document(
    source: &str,
    file: &str,
    sections: &Sections<'_>,
    rules: &RuleSet,
) -> Result<Vec<Reason>, Vec<Reason>> {
    let mut scan = Scan::new(rules);
    let sections =
        [Title::Stdout, Title::Stderr].map(|title| lines(sections.get(title).line, &sections.get(title).lines));
    let mut streams = Vec::new();
    for Piece { line, text, is_shown } in pieces(source) {
        if is_shown && sections.iter().any(|section| section.contains(&line)) {
            streams.push(lines(line, &text.lines().collect::<Vec<_>>()));
        }
        scan.look_at(Source::new(Place::Prose, file).from_line(line), text.as_bytes());
    }
    scan.look_at(Source::new(Place::Prose, file), file.as_bytes());
    let decision = |finding: &Finding| {
        let is_sentence = matches!(finding.rule.class, Code::Instruction | Code::PolicyClaim);
        let is_in_stream = streams.iter().any(|stream| stream.contains(&finding.line));
        let severity = if is_sentence && is_in_stream { finding.severity } else { finding.rule.in_prose };
        Some(Decision { severity, lowered_because: None })
    };
    decide(weigh(&[&scan.into_findings()], decision, |_| true))
}

/// The numbers of some lines; the first is known.
fn lines<T>(first: u32, lines: &[T]) -> Range<u32> {
    first..first.saturating_add(u32::try_from(lines.len()).unwrap_or(u32::MAX))
}

/// A part of a document, with the line that it begins on.
#[derive(Debug, PartialEq, Eq)]
struct Piece<'a> {
    line: u32,
    text: &'a str,
    /// Whether it is inside a fence.
    is_shown: bool,
}

/// A text whose fences are closed, split at each fence; each piece with its first line. Fenced text is not part of a
/// sentence around it. The fence lines themselves belong to the text around.
fn pieces(source: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut fence): (_, Option<&str>) = (Vec::new(), None);
    let (mut start, mut first, mut at) = (0, 1, 0);
    for (line, number) in source.split_inclusive('\n').zip(1_u32..) {
        let end = at + line.len();
        let ticks = line.get(..line.len() - line.trim_start_matches('`').len());
        let cut = match fence {
            None if line.starts_with("```") => {
                fence = ticks;
                Some((end, number + 1))
            }
            Some(opened) if line.strip_suffix('\n') == Some(opened) => {
                fence = None;
                Some((at, number))
            }
            _ => None,
        };
        if let Some((end, next)) = cut {
            let text = source.get(start..end).unwrap_or_default();
            pieces.push(Piece { line: first, text, is_shown: fence.is_none() });
            (start, first) = (end, next);
        }
        at = end;
    }
    pieces.push(Piece { line: first, text: source.get(start..).unwrap_or_default(), is_shown: false });
    pieces
}

fn decide(reasons: Vec<Reason>) -> Result<Vec<Reason>, Vec<Reason>> {
    if reasons.iter().any(|reason| reason.severity == Severity::Reject) { Err(reasons) } else { Ok(reasons) }
}

/// The excerpts of the streams in the document.
fn excerpts(page: Page<'_>, scan: &mut Scan) {
    for title in [Title::Stdout, Title::Stderr] {
        let section = page.sections.get(title);
        let source = Source::new(Place::Rendered, page.file).from_line(section.line);
        scan.look_at(source, section.lines.join("\n").as_bytes());
    }
}

/// The document without its evidence: its own words, and separately the excerpts that it shows.
fn document(page: Page<'_>, scan: &mut Scan) {
    excerpts(page, scan);
    let mut own: Vec<Option<&str>> = page.source.split('\n').map(Some).collect();
    for title in [Title::Stdout, Title::Stderr] {
        lines_of(&mut own, page.sections.get(title)).for_each(|line| *line = None);
    }
    let head = take_fence(&mut own, page.sections.get(Title::Summary));
    if let Some((line, lines)) = head {
        scan.look_at(Source::new(Place::Rendered, page.file).from_line(line), lines.join("\n").as_bytes());
    }
    // The evidence also has the parsed results; they are scanned there.
    take_fence(&mut own, page.sections.get(Title::Outputs));
    for line in &mut own {
        *line = line.filter(|line| !REQUESTED.iter().any(|begins| line.starts_with(begins)));
    }
    let mut first = 0;
    for words in own.split(Option::is_none) {
        let line = u32::try_from(first + 1).unwrap_or(u32::MAX);
        first += words.len() + 1;
        let words: Vec<&str> = words.iter().flatten().copied().collect();
        scan.look_at(Source::new(Place::Prose, page.file).from_line(line), words.join("\n").as_bytes());
    }
}

/// The beginnings of the lines that repeat the request. Earlier stages compared them with it: they are the requester's words.
const REQUESTED: [&str; 4] = ["- Command: ", "- Arguments: ", "Purpose, in the requester's words: ", "  Description: "];

/// The lines of a section among all lines of its document.
fn lines_of<'a, 'b>(
    all: &'a mut [Option<&'b str>],
    section: &Section<'_>,
) -> impl Iterator<Item = &'a mut Option<&'b str>> {
    let first = usize::try_from(section.line).unwrap_or(usize::MAX).saturating_sub(1);
    all.iter_mut().skip(first).take(section.lines.len())
}

/// Removes the only fence of a section from the lines of its document; returns its first line's number, and its lines.
fn take_fence<'a>(own: &mut [Option<&str>], section: &Section<'a>) -> Option<(u32, Vec<&'a str>)> {
    let start = section.lines.iter().position(|line| line.starts_with("```"))?;
    let fence = section.lines.get(start)?.trim_end_matches(|character| character != '`');
    let inside: Vec<&str> = section.lines.iter().skip(start + 1).copied().take_while(|line| *line != fence).collect();
    lines_of(own, section).skip(start).take(inside.len() + 2).for_each(|line| *line = None);
    Some((section.line.saturating_add(u32::try_from(start + 1).unwrap_or(u32::MAX)), inside))
}

/// Digests that the gate knows not to be secrets: the digests and ids of this bundle.
fn own_values(bundle: &Bundle, confirmed: &Confirmed) -> BTreeSet<Digest> {
    let files = bundle.files().map(|(_, _, digest)| digest.to_string());
    let evidence = &confirmed.evidence;
    let others = [evidence.request_sha256.to_string(), bundle.name.clone()];
    let sources = packet::sources(evidence).into_iter().flatten();
    let stated = sources.flat_map(|source| [source.body_sha256, source.text_sha256]).flatten();
    files
        .chain(others)
        .chain(stated.map(|digest| digest.to_string()))
        .map(|value| Digest::of(value.as_bytes()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fenced_text_is_cut_out_of_the_text_around_it() {
        let source = "a\n````text\nb\n```\n````\nc\n```\n```\n";
        let expected = [(1, "a\n````text\n"), (3, "b\n```\n"), (5, "````\nc\n```\n"), (8, ""), (8, "```\n")];
        let found: Vec<_> = pieces(source).into_iter().map(|piece| (piece.line, piece.text)).collect();
        assert_eq!(found, expected);
        assert!(pieces(source).iter().map(|piece| piece.is_shown).eq([false, true, false, true, false]));
    }
}
