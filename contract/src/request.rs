//! A request, read from a `TR-…` document as a value that cannot be invalid.
//!
//! ```text
//! ---
//! request_type: tool_request
//! schema_version: 2
//! request_id: "TR-20260209-160501Z-count"
//! created_utc: "2026-02-09T16:05:01Z"
//! requested_by: "human"
//! purpose: "Count lines"
//! backend: clad
//! tool: line_count
//! args:
//!   "path": "data.csv"
//! ---
//! ```
//!
//! Does not look at the site: later steps decide from this value whether the tool exists, who approved, and which limits apply.
//!
//! Security: reads hostile bytes; linear, bounded, all faults at once. Standards: `ThreeGate` tool request, schema version 1
//! in both of its layouts; version 2 is gatepost's own.

mod command;
mod draft;
mod ending;
mod field;
mod json;
mod key;
mod lane;
pub mod pages;
mod risk;
mod section;
pub mod value;

use std::fmt;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::front_matter::{self, Entry};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::{self, quoted};

use crate::network::Destination;

pub use draft::{Draft, PagesDraft};
pub use ending::is_unfinished;
use field::{Faults, Fields};
pub use gatepost_documents::request_form::{Form, REQUEST_BYTES_MAX};
pub use key::schema;
pub use lane::{CladCall, EraCommand, InteractionCall, Lane, Language, MontyProgram, Pages, is_program_name};
pub use value::{ExpectedOutput, INPUT_NAME_FORM, Input, Priority, input_name};

/// The most network destinations of one request.
pub const DESTINATIONS_MAX: usize = 256;

/// The version whose rules a document follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// ThreeGate's own.
    V1,
    /// With the lane clad.
    V2,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1 => "1",
            Self::V2 => "2",
        })
    }
}

/// The approval that a request declares for itself; the site decides whether it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredApproval {
    /// The approver.
    pub by: String,
    /// When.
    pub utc: DateTime<Utc>,
}

/// The network that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// None.
    None,
    /// These destinations; for a tool with a route also the targets of its arguments.
    Allowlist(Vec<Destination>),
}

impl Network {
    /// To these destinations; an empty list means no network.
    pub fn to(destinations: Vec<Destination>) -> Self {
        if destinations.is_empty() { Self::None } else { Self::Allowlist(destinations) }
    }

    /// The destinations that it names.
    pub fn destinations(&self) -> &[Destination] {
        match self {
            Self::None => &[],
            Self::Allowlist(destinations) => destinations,
        }
    }
}

/// The limits that a request asks for; absent ones are the site's or the manifest's.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RequestedLimits {
    /// Cores, above 0.
    pub cpu_cores: Option<f64>,
    /// Memory, MiB, above 0.
    pub memory_mb: Option<u64>,
    /// Wall-clock time, seconds, above 0.
    pub time_limit_sec: Option<u64>,
}

/// A valid request. Only [`read`] makes one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// Its name, equal to its file's stem.
    pub id: RequestId,
    /// The version of its document.
    pub version: Version,
    /// When it was written.
    pub created: DateTime<Utc>,
    /// The requester: 1 to 128 printable characters.
    pub requested_by: String,
    /// The approval that it declares.
    pub declared_approval: Option<DeclaredApproval>,
    /// Why: one line.
    pub purpose: String,
    /// The network that it asks for.
    pub network: Network,
    /// The limits that it asks for.
    pub limits: RequestedLimits,
    /// Its input files, each name once.
    pub inputs: Vec<Input>,
    /// The files that the tool will leave.
    pub outputs_expected: Vec<ExpectedOutput>,
    /// Sentences without effect.
    pub constraints: Vec<String>,
    /// The request is refused after this time.
    pub expires: Option<DateTime<Utc>>,
    /// Its priority among waiting requests.
    pub priority: Priority,
    /// Links repeats of the same request.
    pub idempotency_key: Option<String>,
    /// The open session to continue.
    pub session_id: Option<String>,
    /// Whether the session stays open after it; by default, a session that it opens closes, and one that it continues stays open.
    pub keep_open: Option<bool>,
    /// The call.
    pub lane: Lane,
}

impl Request {
    /// Whether two requests differ only in their names and times.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        let unnamed = |request: &Self| Self {
            id: self.id.clone(),
            created: self.created,
            expires: None,
            declared_approval: None,
            ..request.clone()
        };
        unnamed(self) == unnamed(other)
    }

    /// The reason to refuse it at `now` if its time has run out.
    pub fn expired(&self, now: DateTime<Utc>) -> Option<Reason> {
        let expires = self.expires.filter(|expires| *expires < now)?;
        let message = format!("The request expired at {}.", expires.to_rfc3339_opts(SecondsFormat::Secs, true));
        Some(Reason::new(Code::RequestExpired, message, "Write a new request with a later expires_utc."))
    }
}

/// Reads a document whose file is named `<stem>.md` or `<stem>.json`, or returns all of its faults with their places.
/// Neither `created_utc` nor the time in its id may be after `latest`.
pub fn read(bytes: &[u8], form: Form, stem: &str, latest: DateTime<Utc>) -> Result<Request, Vec<Reason>> {
    let file = format!("{}.{}", quoted(stem).trim_matches('"'), form.extension());
    if bytes.len() > REQUEST_BYTES_MAX {
        let message = format!("The request has {} bytes; at most {REQUEST_BYTES_MAX} are allowed.", bytes.len());
        let reason = Reason::new(Code::TooLarge, message, "Send data as input files.");
        return Err(vec![reason.in_file(file)]);
    }
    let text = text::check(bytes, &file)?;
    let (entries, unread, body, body_line) = match form {
        Form::Markdown => match front_matter::read_in_part(text, &file, front_matter::Kind::Request) {
            (None, unread) => return Err(unread),
            (Some(document), unread) => (document.entries, unread, document.body, document.body_line),
        },
        Form::Json => {
            (json::read_entries(text).map_err(|reason| vec![reason.in_file(file.as_str())])?, Vec::new(), "", 0)
        }
    };
    let mut faults = Faults::default();
    let document = Parts { form, body, body_line };
    let request = interpret(&entries, document, stem, latest, &mut faults);
    let reasons = all(unread, faults.into_reasons(&file), &entries, body_line);
    request.filter(|_| reasons.is_empty()).ok_or(reasons)
}

/// The unreadable parts, and the faults of the rest, in the order of the document. An entry that could not be read
/// completely gets only that one fault.
fn all(unread: Vec<Reason>, of_rest: Vec<Reason>, entries: &[Entry], body_line: u32) -> Vec<Reason> {
    let entry_at = |reason: &Reason| {
        let line = reason.line.filter(|line| *line < body_line)?;
        Some(entries.partition_point(|entry| entry.line <= line))
    };
    let touched: Vec<_> = unread.iter().map(entry_at).collect();
    // A line that could not be read may be the one of a key that seems to be missing.
    let is_key_unread = unread.iter().any(|reason| reason.column == Some(1));
    let is_known = |reason: &Reason| match reason.code {
        Code::KeyMissing => !is_key_unread,
        _ => !touched.contains(&entry_at(reason)),
    };
    let mut reasons = unread;
    reasons.extend(of_rest.into_iter().filter(is_known));
    reasons.sort_by_key(|reason| (reason.line, reason.column));
    reasons
}

/// A document without its entries.
#[derive(Clone, Copy)]
struct Parts<'a> {
    form: Form,
    body: &'a str,
    body_line: u32,
}

fn interpret(
    entries: &[Entry],
    parts: Parts<'_>,
    stem: &str,
    latest: DateTime<Utc>,
    faults: &mut Faults,
) -> Option<Request> {
    let fields = Fields::new(entries);
    let id = identity(&fields, stem, faults);
    let version = version(&fields, parts.form, faults)?;
    fields.check_keys(version, faults);
    if let Some(id) = id.as_ref().filter(|id| version == Version::V2 && !id.has_own_form()) {
        fields.refuse("request_id", foreign_form(id), faults);
    }
    let created = fields.text("created_utc", faults, value::utc);
    for (key, time) in [("request_id", id.as_ref().map(RequestId::created)), ("created_utc", created)] {
        if time.is_some_and(|time| time > latest) {
            let message = format!("The time in {key} is in the future.");
            let reason = Reason::new(Code::CreatedInFuture, message, "Check the clock of the machine that wrote it.");
            fields.refuse(key, reason, faults);
        }
    }
    let requested_by = fields.text("requested_by", faults, value::printable);
    let declared_approval = declared_approval(&fields, faults);
    let purpose = fields.text("purpose", faults, value::purpose);
    let asked = network(&fields, faults);
    let limits = RequestedLimits {
        cpu_cores: fields.read("cpu_limit", faults, value::cores),
        memory_mb: fields.read("memory_limit_mb", faults, value::count),
        time_limit_sec: fields.read("time_limit_sec", faults, value::count),
    };
    let inputs = inputs(&fields, faults);
    let outputs_expected = fields.maps("outputs_expected", &value::EXPECTED_OUTPUT, faults);
    let outputs_expected = outputs_expected.into_iter();
    let outputs_expected = outputs_expected.map(|(path, description)| ExpectedOutput { path, description }).collect();
    let constraints = fields.list("constraints", faults, |node| value::purpose(field::text(node)?));
    let expires = fields.text("expires_utc", faults, value::utc);
    let priority = fields.text("priority", faults, value::priority).unwrap_or_default();
    let idempotency_key = fields.text("idempotency_key", faults, value::printable);
    let session_id = fields.text("session_id", faults, value::session_id);
    let keep_open = fields.read("keep_open", faults, value::boolean);
    let lane = lane::read(&fields, version, parts, asked != Network::None, faults);
    let network = match &lane {
        Some(Lane::Fetch(pages)) => pages::network(pages),
        _ => asked,
    };
    // A call may have targets, which its manifest knows.
    if network == Network::Allowlist(Vec::new())
        && fields.has("network_allowlist")
        && !matches!(lane, Some(Lane::Clad(_)))
    {
        fields.refuse("network_allowlist", no_destinations(), faults);
    }
    Some(Request {
        id: id?,
        version,
        created: created?,
        requested_by: requested_by?,
        declared_approval,
        purpose: purpose?,
        network,
        limits,
        inputs,
        outputs_expected,
        constraints,
        expires,
        priority,
        idempotency_key,
        session_id,
        keep_open,
        lane: lane?,
    })
}

fn identity(fields: &Fields<'_>, stem: &str, faults: &mut Faults) -> Option<RequestId> {
    if let Err(error) = RequestId::parse(stem) {
        let message = format!("The file name {} {error}.", quoted(stem));
        let hint = "Name it TR-YYYYMMDD-HHMMSSZ-<slug>, where the slug says what the request is about.";
        faults.add((0, 0), Reason::new(Code::NameInvalid, message, hint));
    }
    fields.text("request_type", faults, |text| (text == "tool_request").then_some(()));
    let id = fields.text("request_id", faults, |text| RequestId::parse(text).ok())?;
    if id.as_str() != stem {
        // An id needs no escapes, and none of it is left out.
        let name = RequestId::parse(stem).map_or_else(|_| quoted(stem), |other| format!("\"{other}\""));
        let message = format!("The request_id \"{id}\" does not match the file name {name}.");
        fields.refuse("request_id", Reason::new(Code::IdMismatch, message, "Give both the same name."), faults);
    }
    Some(id)
}

/// An id as only version 1 has it.
fn foreign_form(id: &RequestId) -> Reason {
    let message = format!("The time in {} does not have the form YYYYMMDD-HHMMSSZ.", quoted(id.as_str()));
    let hint = "Name the request and its file TR-YYYYMMDD-HHMMSSZ-<slug>; only version 1 has other forms.";
    Reason::new(Code::NameInvalid, message, hint)
}

/// The version; nothing else can be judged without one.
fn version(fields: &Fields<'_>, form: Form, faults: &mut Faults) -> Option<Version> {
    if !fields.has("schema_version") {
        fields.missing("schema_version", "a request", faults);
    }
    let version = fields.read("schema_version", faults, value::version)?;
    if form == Form::Json && version == Version::V1 {
        let message = "Version 1 requests have no JSON form.";
        let reason =
            Reason::new(Code::ValueInvalid, message, "Use schema_version 2, or write the request as markdown.");
        fields.refuse("schema_version", reason, faults);
        return None;
    }
    Some(version)
}

/// Both fields nonempty are an approval, both empty are none; only one is a fault.
fn declared_approval(fields: &Fields<'_>, faults: &mut Faults) -> Option<DeclaredApproval> {
    let by = fields.text_if_any("approved_by", faults, value::printable);
    let utc = fields.text_if_any("approved_utc", faults, value::utc);
    if by.is_some() != utc.is_some() {
        let message = "Only one of approved_by and approved_utc has a value.";
        let reason = Reason::new(Code::ValueInvalid, message, "Give both, or leave both empty.");
        fields.refuse(if by.is_some() { "approved_by" } else { "approved_utc" }, reason, faults);
    }
    Some(DeclaredApproval { by: by?, utc: utc? })
}

fn network(fields: &Fields<'_>, faults: &mut Faults) -> Network {
    let wanted = fields.text("network", faults, value::wants_network).unwrap_or(false);
    let destinations = fields.list("network_allowlist", faults, |node| Destination::parse(field::text(node)?));
    let has_list = fields.has("network_allowlist");
    if wanted && !has_list {
        fields.missing("network_allowlist", "a request with network allowlist", faults);
    }
    let fault = match (wanted, destinations.len()) {
        (true, count) if count > DESTINATIONS_MAX => {
            Some(("The request lists more than 256 destinations.", "List only those that the tool needs."))
        }
        (false, 1..) => Some((
            "The request lists destinations, but its network is none.",
            "Write `network: allowlist`, or remove the list.",
        )),
        _ => None,
    };
    if let Some((message, hint)) = fault {
        fields.refuse("network_allowlist", Reason::new(Code::ValueInvalid, message, hint), faults);
    }
    if wanted { Network::Allowlist(destinations) } else { Network::None }
}

/// The refusal of a network to nowhere.
pub fn no_destinations() -> Reason {
    let message = "The request asks for a network but lists no destinations.";
    Reason::new(Code::ValueInvalid, message, "List destinations, or write `network: none`.")
}

fn inputs(fields: &Fields<'_>, faults: &mut Faults) -> Vec<Input> {
    let inputs = fields.maps("inputs", &value::INPUT, faults);
    let inputs: Vec<_> = inputs.into_iter().map(|(name, sha256)| Input { name, sha256 }).collect();
    let mut names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.iter().zip(names.iter().skip(1)).find_map(|(one, two)| (one == two).then_some(one)) {
        let message = format!("The input {} is listed twice.", quoted(twice));
        fields.refuse("inputs", Reason::new(Code::ValueInvalid, message, "List each input once."), faults);
    }
    inputs
}
