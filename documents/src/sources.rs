//! The outcome of the lane `fetch` for each URL: the results in its evidence, and the file [`SOURCES_FILE`].
//!
//! ```text
//! {"sources": [{"url": "https://example.org/a", "outcome": "retrieved", "detail": "", "hops": [{"url": …, "status": 200, "utc": …}], …}]}
//! ```
//!
//! The worker writes it, TOOL-EXEC repeats it, the gate compares it with request and artifacts. *Security*: titles and
//! URLs of hops are a stranger's text. *Standards*: `schemas/research_packet.schema.md`.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// The path below `artifacts/` of the list of sources.
pub const SOURCES_FILE: &str = "out/sources.json";

/// The path below `artifacts/` of the responses, WARC 1.1.
pub const RESPONSES_FILE: &str = "out/responses.warc";

/// The most URLs of one request.
pub const URLS_MAX: usize = 8;

/// The most characters of a URL.
pub const URL_BYTES_MAX: usize = 2_048;

/// The most responses of one source: five redirects are followed.
pub const HOPS_MAX: usize = 6;

/// The most characters of a title.
pub const TITLE_CHARS_MAX: usize = 200;

/// The results of the lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    /// One for each URL of the request, in its order.
    pub sources: Vec<Source>,
}

/// One URL, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The URL as the request has it.
    pub url: String,
    /// Its outcome.
    pub outcome: Outcome,
    /// A sentence; empty if the page was retrieved.
    pub detail: String,
    /// Every URL of the way, in order, at most [`HOPS_MAX`].
    pub hops: Vec<Hop>,
    /// The media type from the server, without parameters; empty if there is none.
    pub media_type: String,
    /// The encoding that the text was read in; empty if none was read.
    pub charset: String,
    /// Bytes of the body as received.
    pub body_bytes: u64,
    /// Digest of the body as received; of a page that was retrieved.
    pub body_sha256: Option<Digest>,
    /// The page's title, at most [`TITLE_CHARS_MAX`] characters on one line; empty without one.
    pub title: String,
    /// Where its text begins in `artifacts/stdout.txt`.
    pub text_offset: u64,
    /// Bytes of its text.
    pub text_bytes: u64,
    /// Digest of its text; of a page that was retrieved.
    pub text_sha256: Option<Digest>,
    /// The parts that were left out of the text.
    pub left_out: LeftOut,
}

/// One URL of the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// The requested URL; for the first hop, as in the request.
    pub url: String,
    /// The status of the answer; 0 if the server was not asked, or did not answer. Only the last hop has 0.
    pub status: u16,
    /// When the head of the answer arrived, or when the worker gave up, RFC 3339, UTC, whole seconds.
    pub utc: String,
    /// The proof of the server's identity; `None` if it was not asked, did not get so far, or has no TLS.
    pub tls: Option<Peer>,
}

/// The server of a connection with TLS, verified against the roots of the machine or of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// `TLS 1.2` or `TLS 1.3`.
    pub version: String,
    /// Digest of its certificate, DER.
    pub certificate_sha256: Digest,
}

/// How much of a page is not in its text, because a reader of the page would not see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Elements that run or load something: scripts, frames, objects, templates.
    pub scripts: u64,
    /// Style sheets.
    pub styles: u64,
    /// Comments.
    pub comments: u64,
    /// Elements that an attribute or a style hides.
    pub hidden: u64,
    /// Images, sounds and drawings.
    pub media: u64,
    /// Fields of forms.
    pub fields: u64,
    /// Invisible characters.
    pub characters: u64,
    /// 1 if everything after some place was left out, because it could not be known what a reader would see.
    #[serde(default, skip_serializing_if = "crate::evidence::is_zero")]
    pub rest: u64,
}

impl LeftOut {
    /// Each count with the noun for one.
    pub const fn counts(self) -> [(u64, &'static str); 8] {
        [
            (self.scripts, "active element"),
            (self.styles, "style sheet"),
            (self.comments, "comment"),
            (self.hidden, "hidden element"),
            (self.media, "image or sound"),
            (self.fields, "form field"),
            (self.characters, "invisible character"),
            (self.rest, "unreadable rest of the page"),
        ]
    }
}

macro_rules! outcomes {
    ($($(#[$meaning:meta])+ $member:ident $text:literal,)+) => {
        /// The outcome of a URL.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Outcome {
            $($(#[$meaning])+ #[serde(rename = $text)] $member,)+
        }

        impl Outcome {
            /// The text form.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$member => $text,)+
                }
            }
        }
    };
}

outcomes! {
    /// Its text is here.
    Retrieved "retrieved",
    /// A host, at the URL or behind a redirect, is not on the site's list.
    HostNotAllowed "host_not_allowed",
    /// A redirect leads to another scheme than the site permits.
    SchemeNotAllowed "scheme_not_allowed",
    /// A redirect leads nowhere that can be read.
    RedirectInvalid "redirect_invalid",
    /// A redirect leads back to where it came from.
    RedirectLoop "redirect_loop",
    /// There are more redirects than are followed.
    RedirectsTooMany "redirects_too_many",
    /// The host's robots.txt forbids it.
    RobotsDisallowed "robots_disallowed",
    /// The host's robots.txt cannot be read, which forbids everything.
    RobotsUnavailable "robots_unavailable",
    /// The host leads to an address that the run may not reach.
    AddressRefused "address_refused",
    /// No usable answer came: no connection, no TLS, no HTTP.
    NoAnswer "no_answer",
    /// The answer was not complete in time.
    TimedOut "timed_out",
    /// The status is not 200.
    StatusNotOk "status_not_ok",
    /// It is no text.
    TypeNotText "type_not_text",
    /// The answer is compressed, although the request accepts no compression.
    Compressed "compressed",
    /// It is larger than allowed.
    TooLarge "too_large",
    /// Its end is missing, or cannot be determined.
    Incomplete "incomplete",
    /// Its encoding is not known.
    CharsetUnknown "charset_unknown",
    /// Its bytes are not of the encoding that it names.
    CharsetMismatch "charset_mismatch",
}

impl Outcome {
    /// The text about the last hop when it has no status: whether its server was asked at all.
    pub const fn without_status(self) -> &'static str {
        match self {
            Self::HostNotAllowed | Self::SchemeNotAllowed | Self::RobotsDisallowed | Self::RobotsUnavailable => {
                "not asked"
            }
            _ => "no answer",
        }
    }
}

impl Source {
    /// A URL without any facts yet.
    pub fn begin(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            outcome: Outcome::NoAnswer,
            detail: String::new(),
            hops: Vec::new(),
            media_type: String::new(),
            charset: String::new(),
            body_bytes: 0,
            body_sha256: None,
            title: String::new(),
            text_offset: 0,
            text_bytes: 0,
            text_sha256: None,
            left_out: LeftOut::default(),
        }
    }

    /// Whether its text is here.
    pub fn is_retrieved(&self) -> bool {
        self.outcome == Outcome::Retrieved
    }
}
