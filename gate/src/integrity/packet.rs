//! A research packet: its document repeats evidence and artifacts to the byte, and its sources are those of the request.
//!
//! The gate compares the list of sources with everything that it can see: the request, the digests of the texts, the destinations
//! that were reached. TOOL-EXEC alone vouches for what a server sent. *Standards*: `schemas/research_packet.schema.md`.

use super::{HINT, MANIFEST_FILE};
use crate::bundle::{Bundle, Entry};
use crate::consistency;
use crate::request::{Lane, Request};
use crate::section::packet::expected;
use crate::shape::Whole;
use gatepost_documents::destination::Destination;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{Backend, Evidence, NetworkUse, Status};
use gatepost_documents::id::ResultKind;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sources::{
    HOPS_MAX, Hop, Outcome, RESPONSES_FILE, SOURCES_FILE, Source, Sources, TITLE_CHARS_MAX, URL_BYTES_MAX,
};
use gatepost_documents::text::quoted;

/// The most characters of the sentence about a source, and of a server's description of its page.
const WORDS_CHARS_MAX: usize = 500;

/// The longest media type or name of an encoding.
const TOKEN_BYTES_MAX: usize = 128;

/// The media types of pages.
const TYPES: [&str; 5] = ["text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/x-markdown"];

/// The files of a packet below `artifacts/`.
const ARTIFACTS: [&str; 4] = ["stdout.txt", "stderr.txt", SOURCES_FILE, RESPONSES_FILE];

/// The statuses of a redirect that is followed (RFC 9110, section 15.4).
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

/// The TLS versions that authenticate a server.
const VERSIONS: [&str; 2] = ["TLS 1.2", "TLS 1.3"];

/// The document of a packet, with its name.
#[derive(Clone, Copy)]
pub(crate) struct Packet<'a> {
    pub(crate) file: &'a str,
    pub(crate) source: &'a str,
}

/// The pages in the evidence; `None` if it has no list of them.
pub(crate) fn sources(evidence: &Evidence) -> Option<Vec<Source>> {
    let is_there = evidence.backend == Backend::Fetch && !evidence.results.is_null();
    let read = is_there.then(|| serde_json::from_value::<Sources>(evidence.results.clone()));
    read?.ok().map(|Sources { sources }| sources)
}

/// Every fault in a result's statements about pages; on other lanes, that it is a packet.
pub(super) fn faults(whole: Whole<'_>, evidence: &Evidence, request: &Request) -> Vec<Reason> {
    let fault = |message: &str| Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE);
    let is_fetch = evidence.backend == Backend::Fetch;
    let is_packet = whole.id.kind() == ResultKind::Packet;
    if is_packet != (is_fetch && evidence.status == Status::Success) {
        return vec![fault("A result is a research packet exactly if a request for pages succeeded.")];
    }
    if !is_fetch || consistency::is_refusal(evidence) || evidence.results.is_null() && !is_packet {
        return Vec::new();
    }
    let Some(sources) = sources(evidence) else {
        return vec![fault("The results are not a list of sources.")];
    };
    let asked: &[String] = match &request.lane {
        Some(Lane::Fetch(urls)) => urls,
        _ => &[],
    };
    let got: Vec<&Source> = sources.iter().filter(|source| source.is_retrieved()).collect();
    let reached: Vec<&str> = evidence.network.destinations.iter().map(String::as_str).collect();
    let rules = [
        (sources.iter().map(|source| &source.url).eq(asked), "The sources are not the URLs of the request."),
        (got.is_empty() != is_packet, "A page was retrieved although the request failed, or the reverse."),
        (sources.iter().all(is_consistent), "A source contradicts itself, or is longer than allowed."),
        (are_noted(evidence, &sources), "A page was not retrieved, and the anomalies do not say so."),
        (
            evidence.network.used == NetworkUse::Allowlist
                && sources.iter().all(|source| has_reached(source, &reached)),
            "A server answered that the run did not reach.",
        ),
        (are_there(whole.bundle, &sources), "Stdout is not the texts of the sources with their headings."),
        (is_list(whole.bundle, evidence, &sources), "The file with the list of sources says something else."),
        (!is_packet || has_files(whole.bundle), "The artifacts are not those of a research packet."),
        (
            !is_packet || whole.bundle.digest_of(MANIFEST_FILE).is_none(),
            "The bundle of a research packet has a manifest.",
        ),
        (
            !is_packet || whole.bundle.digest_of(whole.request_path) == Some(evidence.request_sha256),
            "The request differs from the one that the evidence names.",
        ),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, message)| fault(message)).collect()
}

/// Whether the parts of a source agree.
fn is_consistent(source: &Source) -> bool {
    let is_short = |text: &str| text.chars().count() <= WORDS_CHARS_MAX;
    let is_token = |text: &str| {
        text.len() <= TOKEN_BYTES_MAX
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/+-._:".contains(&byte))
    };
    let fits = source.title.chars().count() <= TITLE_CHARS_MAX
        && is_short(&source.detail)
        && is_token(&source.media_type)
        && is_token(&source.charset);
    let is_whole = source.detail.is_empty()
        && TYPES.contains(&source.media_type.as_str())
        && source.text_bytes > 0
        && source.body_sha256.is_some()
        && source.text_sha256.is_some();
    let is_nothing = !source.detail.is_empty()
        && source.body_sha256.is_none()
        && source.text_sha256.is_none()
        && (source.text_bytes, source.text_offset) == (0, 0);
    fits && is_way(source) && is_its_end(source) && if source.is_retrieved() { is_whole } else { is_nothing }
}

/// Whether the last hop was answered as the outcome says.
fn is_its_end(source: &Source) -> bool {
    let status = source.hops.last().map_or(0, |hop| hop.status);
    let is_redirect = REDIRECTS.contains(&status);
    match source.outcome {
        Outcome::Retrieved
        | Outcome::TypeNotText
        | Outcome::Compressed
        | Outcome::TooLarge
        | Outcome::Incomplete
        | Outcome::CharsetUnknown
        | Outcome::CharsetMismatch => status == 200,
        Outcome::HostNotAllowed
        | Outcome::SchemeNotAllowed
        | Outcome::RobotsDisallowed
        | Outcome::RobotsUnavailable
        | Outcome::AddressRefused
        | Outcome::NoAnswer => status == 0,
        Outcome::RedirectInvalid => status == 0 || is_redirect,
        Outcome::RedirectLoop => is_redirect,
        Outcome::RedirectsTooMany => is_redirect && source.hops.len() == HOPS_MAX,
        Outcome::TimedOut => status == 0 || status == 200,
        Outcome::StatusNotOk => status != 0 && status != 200,
    }
}

/// Whether the anomalies name each page that was not retrieved, as TOOL-EXEC words it.
fn are_noted(evidence: &Evidence, sources: &[Source]) -> bool {
    (1..).zip(sources).filter(|(_, source)| !source.is_retrieved()).all(|(number, Source { outcome, detail, .. })| {
        let sentence = format!("Source {number} was not retrieved ({}). {detail}", outcome.as_str());
        evidence.anomalies.contains(&sentence)
    })
}

/// Whether the hops form a chain: it starts at the request's URL, every hop but the last redirects, and time does not go back.
fn is_way(source: &Source) -> bool {
    let Some((last, before)) = source.hops.split_last() else { return false };
    let is_whole_second = |hop: &Hop| hop.utc.len() == 20 && consistency::time(&hop.utc).is_some();
    let is_plain = |hop: &Hop| hop.url.len() <= URL_BYTES_MAX && hop.url.bytes().all(|byte| byte.is_ascii_graphic());
    // A request sends neither the user nor the fragment of a URL.
    let is_asked = |hop: &Hop| {
        let authority = hop.url.split(['/', '?']).nth(2).unwrap_or_default();
        Destination::of_url(&hop.url).is_some() && !hop.url.contains('#') && !authority.contains('@')
    };
    source.hops.len() <= HOPS_MAX
        && source.hops.first().is_some_and(|first| first.url == source.url)
        && source.hops.iter().all(|hop| is_plain(hop) && is_whole_second(hop))
        && source.hops.iter().all(is_proved)
        && source.hops.is_sorted_by(|one, next| one.utc <= next.utc)
        && before.iter().all(|hop| REDIRECTS.contains(&hop.status) && is_asked(hop))
        && (last.status == 0 || is_asked(last))
}

/// Whether a hop has the proof of its server that its URL and its answer require: only with https, and then whenever it answered.
fn is_proved(hop: &Hop) -> bool {
    let is_https = hop.url.starts_with("https:");
    match &hop.tls {
        Some(peer) => is_https && VERSIONS.contains(&peer.version.as_str()),
        None => !is_https || hop.status == 0,
    }
}

/// Whether the run reached every server that answered.
fn has_reached(source: &Source, reached: &[&str]) -> bool {
    let answered = source.hops.iter().filter(|hop| hop.status != 0);
    answered.into_iter().all(|hop| {
        Destination::of_url(&hop.url).is_some_and(|destination| reached.contains(&destination.to_string().as_str()))
    })
}

/// Whether stdout has each text at the place that its source states, after its heading, and nothing else.
fn are_there(bundle: &Bundle, sources: &[Source]) -> bool {
    let got: Vec<(usize, &Source)> = (1..).zip(sources).filter(|(_, source)| source.is_retrieved()).collect();
    let mut stated = Vec::new();
    for (number, source) in &got {
        let url = source.hops.last().map_or("", |hop| hop.url.as_str());
        let before = if stated.is_empty() { "" } else { "\n" };
        stated.push(Some(Digest::of(format!("{before}Source {number}: {url}\n\n").as_bytes())));
        stated.push(source.text_sha256);
    }
    let mut end = 0;
    if let Some((_, last)) = got.last() {
        stated.push(Some(Digest::of(b"\n")));
        end = last.text_offset.saturating_add(last.text_bytes).saturating_add(1);
    }
    let whole = bundle.entries.get("artifacts/stdout.txt");
    let is_all = whole.is_some_and(|entry| matches!(entry, Entry::File { bytes, .. } if *bytes == end));
    is_all && bundle.ranges.iter().copied().map(Some).eq(stated)
}

/// Whether the file that the evidence names contains the printed list of sources.
fn is_list(bundle: &Bundle, evidence: &Evidence, sources: &[Source]) -> bool {
    let path = format!("artifacts/{SOURCES_FILE}");
    let printed = serde_json::to_vec_pretty(&Sources { sources: sources.to_vec() }).unwrap_or_default();
    evidence.output_file == path && bundle.digest_of(&path) == Some(Digest::of(&printed))
}

/// Whether the artifacts are exactly those of a packet.
fn has_files(bundle: &Bundle) -> bool {
    let below = |path: &str| path.strip_prefix("artifacts/").map(str::to_owned);
    let found: Vec<String> = bundle.files().filter_map(|(path, ..)| below(path)).collect();
    let [mut found, mut expected] = [found, ARTIFACTS.map(str::to_owned).to_vec()];
    found.sort();
    expected.sort();
    found == expected
}

/// The first line of a packet's document that differs from the expected one.
pub(super) fn difference(whole: Whole<'_>, packet: Packet<'_>, evidence: &Evidence) -> Option<Reason> {
    // Without sources there is no expected document; another check reported that.
    let expected = expected(whole, evidence, &sources(evidence)?);
    let found: Vec<&str> = packet.source.split('\n').collect();
    let count = found.len().max(expected.len());
    let at = (0..count).find(|at| found.get(*at).copied() != expected.get(*at).map(String::as_str))?;
    let message = match (found.get(at), expected.get(at)) {
        (Some(found), Some(expected)) => format!("The packet says {}, expected {}.", quoted(found), quoted(expected)),
        (Some(found), None) => format!("The packet continues with {} where it should end.", quoted(found)),
        (None, expected) => {
            format!("The packet ends where it should say {}.", quoted(expected.map_or("", String::as_str)))
        }
    };
    let line = u32::try_from(at + 1).unwrap_or(u32::MAX);
    Some(Reason::new(Code::EvidenceMismatch, message, HINT).in_file(packet.file).at(line, 1))
}
