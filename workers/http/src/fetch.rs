//! Gets pages: each URL with its redirects, and the text that a reader of the page would see.
//!
//! ```text
//! each URL: listed? ▶ robots.txt ▶ GET ▶ redirect? again, from the beginning ▶ text? small enough? whole? ▶ decoded ▶ text
//! ```
//!
//! The WARC file has every response, and the list of sources the outcome of each URL. A rejected page has an
//! outcome and no text. *Security*: servers are hostile. Each hop is checked anew; the run's proxy enforces the same destinations
//! and refuses addresses that are not public. Body, time and redirects are bounded. *Standards*: RFC 9110, RFC 9309, WARC 1.1.

mod charset;
mod page;
mod robots;
mod warc;

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use gatepost_documents::destination::Destination;
use gatepost_documents::digest::Digest;
use gatepost_documents::sources::{
    HOPS_MAX, Hop, Outcome, RESPONSES_FILE, SOURCES_FILE, Source, Sources, URL_BYTES_MAX,
};
use gatepost_workers::fetch::Assignment;
use ureq::http::{HeaderMap, Response, header};
use ureq::{Agent, Body};
use url::Url;

use crate::tls::NewestPeer;
use crate::{HttpError, failure, head};
use robots::Robots;
use warc::Warc;

/// The media types that are text, and whether they are HTML.
const TYPES: [(&str, bool); 5] = [
    ("text/html", true),
    ("application/xhtml+xml", true),
    ("text/plain", false),
    ("text/markdown", false),
    ("text/x-markdown", false),
];

/// The most bytes of a robots.txt that are read (RFC 9309, section 2.5).
const ROBOTS_BYTES_MAX: u64 = 500 << 10;

/// The most characters of the sentence about a page: a certificate may have any number of names.
const DETAIL_CHARS_MAX: usize = 500;

/// How many times longer than its body the text of a page may be, and how much longer besides, bytes.
const GROWTH_MAX: usize = 2;
const GROWTH_BYTES_MAX: usize = 64 << 10;

/// Why a page is rejected.
struct Stop {
    outcome: Outcome,
    detail: String,
}

fn stop<T>(outcome: Outcome, detail: impl Into<String>) -> Result<T, Stop> {
    let mut detail: String = detail.into();
    if let Some((end, _)) = detail.char_indices().nth(DETAIL_CHARS_MAX) {
        detail.truncate(end);
    }
    Err(Stop { outcome, detail })
}

/// Gets every page of an assignment: writes both files, and the texts into `stdout`.
pub fn fetch(assignment: &Assignment, stdout: &mut dyn Write) -> Result<(), HttpError> {
    let warc = File::create_new(RESPONSES_FILE).map(Warc::new).map_err(HttpError::Store)?;
    let destinations = assignment.destinations.iter().filter_map(|text| Destination::parse(text)).collect();
    let mut fetcher = Fetcher {
        assignment,
        destinations,
        agents: HashMap::new(),
        newest: NewestPeer::default(),
        robots: HashMap::new(),
        warc,
    };
    let (mut sources, mut at) = (Vec::new(), 0_u64);
    for (number, url) in (1..).zip(&assignment.urls) {
        let mut source = Source::begin(url);
        if let Some(text) = fetcher.retrieve(&mut source)? {
            let url = source.hops.last().map_or("", |hop| hop.url.as_str());
            let title = format!("Source {number}: {url}\n\n");
            source.text_offset = at + title.len() as u64;
            source.text_bytes = text.len() as u64;
            source.text_sha256 = Some(Digest::of(text.as_bytes()));
            let written = [title.as_str(), &text, "\n"].concat();
            stdout.write_all(written.as_bytes()).map_err(HttpError::Store)?;
            at += written.len() as u64;
        }
        sources.push(source);
    }
    // A failed result contains no words of a server.
    if !sources.iter().any(Source::is_retrieved) {
        std::fs::remove_file(RESPONSES_FILE).map_err(HttpError::Store)?;
    }
    let json = serde_json::to_vec_pretty(&Sources { sources }).map_err(io::Error::from);
    json.and_then(|json| File::create_new(SOURCES_FILE)?.write_all(&json)).map_err(HttpError::Store)
}

struct Fetcher<'a> {
    assignment: &'a Assignment,
    destinations: BTreeSet<Destination>,
    /// By scheme.
    agents: HashMap<String, Agent>,
    /// The server of the last request.
    newest: NewestPeer,
    /// By origin.
    robots: HashMap<String, Robots>,
    warc: Warc,
}

impl Fetcher<'_> {
    /// Gets one page. Returns its text if it is accepted; `source` gets the outcome.
    fn retrieve(&mut self, source: &mut Source) -> Result<Option<String>, HttpError> {
        let deadline = Instant::now() + Duration::from_millis(self.assignment.page_ms);
        let taken = self.follow(source, deadline)?;
        Ok(match taken {
            Ok(text) => {
                source.outcome = Outcome::Retrieved;
                Some(text)
            }
            Err(Stop { outcome, detail }) => {
                (source.outcome, source.detail) = (outcome, detail);
                None
            }
        })
    }

    /// Follows the redirects of a page to its end.
    fn follow(&mut self, source: &mut Source, deadline: Instant) -> Result<Result<String, Stop>, HttpError> {
        let mut url = Url::parse(&source.url)?;
        loop {
            url.set_fragment(None);
            let shown = if source.hops.is_empty() { source.url.clone() } else { url.to_string() };
            let response = match self.permitted(&url, deadline)?.and_then(|()| self.get(&url, deadline)) {
                Ok(response) => response,
                Err(stop) => {
                    source.hops.push(Hop { url: shown, status: 0, utc: warc::now(), tls: self.newest.take() });
                    return Ok(Err(stop));
                }
            };
            let status = response.status().as_u16();
            source.hops.push(Hop { url: shown, status, utc: warc::now(), tls: self.newest.take() });
            let location = response.headers().get(header::LOCATION).filter(|_| is_redirect(status));
            let Some(location) = location else { return self.page(response, &url, source, deadline) };
            let next = next(&url, &String::from_utf8_lossy(location.as_bytes()), source);
            self.warc.response(&url, &response, None).map_err(HttpError::Store)?;
            match next {
                Ok(next) => url = next,
                Err(stop) => return Ok(Err(stop)),
            }
        }
    }

    /// Whether a URL may be requested: checks its scheme, the site's list, and its host's robots.txt.
    fn permitted(&mut self, url: &Url, deadline: Instant) -> Result<Result<(), Stop>, HttpError> {
        if !self.is_scheme(url) {
            let scheme = if url.scheme() == "http" { "http" } else { "another scheme than https" };
            return Ok(stop(Outcome::SchemeNotAllowed, format!("The way leads to {scheme}, which is not permitted.")));
        }
        let Some(destination) = destination(url).filter(|destination| self.destinations.contains(destination)) else {
            let shown = destination(url).map_or_else(|| "a host".to_owned(), |destination| destination.to_string());
            let detail = format!("The way leads to {shown}, which is not on the site's list.");
            return Ok(stop(Outcome::HostNotAllowed, detail));
        };
        if !self.assignment.robots {
            return Ok(Ok(()));
        }
        let origin = url.origin().ascii_serialization();
        if !self.robots.contains_key(&origin) {
            let robots = self.robots_of(url, deadline)?;
            // The server of robots.txt is no hop of the page.
            drop(self.newest.take());
            match robots {
                // Not kept: another page has its own deadline.
                Robots::Unavailable(outcome, why) => return Ok(stop(outcome, unreadable(&destination, &why))),
                robots => _ = self.robots.insert(origin.clone(), robots),
            }
        }
        Ok(match self.robots.get(&origin) {
            Some(robots) if !robots.permits(url) => {
                stop(Outcome::RobotsDisallowed, format!("The robots.txt of {destination} forbids this page."))
            }
            _ => Ok(()),
        })
    }

    /// The rules of a host, after RFC 9309: redirects are followed within the site's list; a missing file permits everything;
    /// an unreadable one forbids everything.
    fn robots_of(&mut self, url: &Url, deadline: Instant) -> Result<Robots, HttpError> {
        let unavailable = |why| Robots::Unavailable(Outcome::RobotsUnavailable, why);
        let mut url = url.join("/robots.txt")?;
        for _ in 0..HOPS_MAX {
            let response = match self.get(&url, deadline) {
                Ok(response) => response,
                Err(stop) => return Ok(Robots::Unavailable(stop.outcome, stop.detail)),
            };
            let status = response.status().as_u16();
            if let Some(location) = response.headers().get(header::LOCATION).filter(|_| is_redirect(status)) {
                match url.join(&String::from_utf8_lossy(location.as_bytes())) {
                    Ok(next) if self.is_listed(&next) => url = next,
                    _ => return Ok(unavailable("It redirects to where this site gets no pages from.".to_owned())),
                }
                continue;
            }
            return Ok(match status {
                200..=299 if head::coding(response.headers()).is_none() => {
                    let mut bytes = Vec::new();
                    let body = response.into_body().into_reader();
                    match body.take(ROBOTS_BYTES_MAX).read_to_end(&mut bytes) {
                        Ok(_) => Robots::read(&bytes).unwrap_or_else(|| {
                            unavailable("It has too many rules, or one that is too long.".to_owned())
                        }),
                        Err(_) => unavailable("The answer was not complete.".to_owned()),
                    }
                }
                400..=499 => Robots::Absent,
                _ => unavailable(format!("The server answered with status {status}.")),
            });
        }
        Ok(unavailable("It redirects too often.".to_owned()))
    }

    /// Whether the site permits the scheme of a URL.
    fn is_scheme(&self, url: &Url) -> bool {
        url.scheme() == "https" || url.scheme() == "http" && self.assignment.plain_http
    }

    /// Whether the site's list has the destination of a URL, and the site permits its scheme.
    fn is_listed(&self, url: &Url) -> bool {
        let is_plain = url.username().is_empty() && url.password().is_none();
        is_plain
            && self.is_scheme(url)
            && destination(url).is_some_and(|destination| self.destinations.contains(&destination))
    }

    /// Requests a URL.
    fn get(&mut self, url: &Url, deadline: Instant) -> Result<Response<Body>, Stop> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return stop(Outcome::TimedOut, "There was no time left for this page.");
        }
        let agent = self
            .agent(url)
            .or_else(|error| stop(Outcome::NoAnswer, format!("The page was not asked for: {error}.")))?;
        let accept = "text/html, application/xhtml+xml, text/plain, text/markdown";
        let request = ureq::http::Request::get(url.as_str()).header(header::ACCEPT, accept).body(());
        let Ok(request) = request else { return stop(Outcome::RedirectInvalid, "The URL cannot be asked for.") };
        let request = agent.configure_request(request).timeout_global(Some(left)).build();
        agent.run(request).or_else(|error| stop_of(&error, url, Outcome::NoAnswer))
    }

    fn agent(&mut self, url: &Url) -> Result<Agent, HttpError> {
        if let Some(agent) = self.agents.get(url.scheme()) {
            return Ok(agent.clone());
        }
        let (ca_file, proxy) = (self.assignment.ca_file.as_deref(), self.assignment.proxy.as_deref());
        let agent = crate::agent_that_notes(self.newest.clone(), url, ca_file, proxy)?;
        self.agents.insert(url.scheme().to_owned(), agent.clone());
        Ok(agent)
    }

    /// Processes the page after the last redirect.
    fn page(
        &mut self,
        response: Response<Body>,
        url: &Url,
        source: &mut Source,
        deadline: Instant,
    ) -> Result<Result<String, Stop>, HttpError> {
        let is_html = match self.kind(&response, source) {
            Ok(is_html) => is_html,
            Err(stop) => {
                self.warc.response(url, &response, None).map_err(HttpError::Store)?;
                return Ok(Err(stop));
            }
        };
        let (parts, body) = response.into_parts();
        let response = Response::from_parts(parts, Body::builder().data(""));
        let body = match self.body(body, url, deadline) {
            Ok(body) => body,
            Err(stop) => {
                self.warc.response(url, &response, None).map_err(HttpError::Store)?;
                return Ok(Err(stop));
            }
        };
        source.body_bytes = body.len() as u64;
        let parameter = charset_parameter(response.headers());
        let text = text(&body, (is_html, deadline), parameter.as_deref(), url, source);
        let kept = text.is_ok().then_some(body.as_slice());
        self.warc.response(url, &response, kept).map_err(HttpError::Store)?;
        source.body_sha256 = kept.map(Digest::of);
        Ok(text)
    }

    /// Whether a page with this head is HTML; or why it is rejected.
    fn kind(&self, response: &Response<Body>, source: &mut Source) -> Result<bool, Stop> {
        let (status, headers) = (response.status().as_u16(), response.headers());
        if status != 200 {
            return stop(Outcome::StatusNotOk, format!("The server answered with status {status}."));
        }
        source.media_type = media_type(headers);
        let Some((_, is_html)) = TYPES.into_iter().find(|(name, _)| *name == source.media_type) else {
            let name = if source.media_type.is_empty() { "of no known type" } else { source.media_type.as_str() };
            let detail = format!("The page is {name}, which is neither HTML nor plain text nor Markdown.");
            return stop(Outcome::TypeNotText, detail);
        };
        if let Some(_coding) = head::coding(headers) {
            return stop(
                Outcome::Compressed,
                "The answer is compressed, although the request accepts nothing compressed.",
            );
        }
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|bytes| bytes > self.assignment.body_bytes_max) {
            return self.too_large();
        }
        // Readers disagree about where it ends (RFC 9112, section 6.3).
        if headers.contains_key(header::CONTENT_LENGTH) && headers.contains_key(header::TRANSFER_ENCODING) {
            return stop(Outcome::Incomplete, "The answer states its end in two ways.");
        }
        if !head::is_framed(response) {
            return stop(Outcome::Incomplete, "The answer does not say where it ends.");
        }
        Ok(is_html)
    }

    fn too_large<T>(&self) -> Result<T, Stop> {
        let detail = format!("The page has more than {} bytes.", self.assignment.body_bytes_max);
        stop(Outcome::TooLarge, detail)
    }

    fn body(&self, body: Body, url: &Url, deadline: Instant) -> Result<Vec<u8>, Stop> {
        let bytes_max = self.assignment.body_bytes_max;
        let mut bytes = Vec::new();
        let mut body = body.into_reader().take(bytes_max + 1);
        let mut buffer = vec![0; 16 << 10];
        loop {
            if Instant::now() >= deadline {
                return stop(Outcome::TimedOut, "The page was not complete in time.");
            }
            match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => bytes.extend_from_slice(buffer.get(..count).unwrap_or_default()),
                Err(error) => return stop_of(&error.into(), url, Outcome::Incomplete),
            }
        }
        if bytes.len() as u64 > bytes_max { self.too_large() } else { Ok(bytes) }
    }
}

fn unreadable(destination: &Destination, why: &str) -> String {
    format!("The robots.txt of {destination} cannot be read, which forbids every page. {why}")
}

/// Why an exchange failed.
fn stop_of<T>(error: &ureq::Error, url: &Url, other: Outcome) -> Result<T, Stop> {
    match error {
        ureq::Error::Timeout(_) => stop(Outcome::TimedOut, "The page was not complete in time."),
        ureq::Error::ConnectProxyFailed(answer) if answer.starts_with(failure::NOT_LET) => {
            let shown = destination(url).map_or_else(|| "the host".to_owned(), |destination| destination.to_string());
            stop(Outcome::AddressRefused, format!("The name {shown} leads to an address that this run may not reach."))
        }
        error => {
            let why = failure::of_exchange(error, url);
            let mut letters = why.chars();
            let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
            stop(other, format!("{first}{}.", letters.as_str()))
        }
    }
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

fn destination(url: &Url) -> Option<Destination> {
    Destination::of_url(url.as_str())
}

/// The target of a redirect, if it may be followed.
fn next(from: &Url, location: &str, source: &Source) -> Result<Url, Stop> {
    let Some(mut next) =
        from.join(location).ok().filter(|next| next.username().is_empty() && next.password().is_none())
    else {
        return stop(Outcome::RedirectInvalid, "The server redirects to a URL that cannot be followed.");
    };
    next.set_fragment(None);
    if !next.as_str().bytes().all(|byte| byte.is_ascii_graphic()) {
        return stop(Outcome::RedirectInvalid, "The server redirects to a URL that cannot be asked for.");
    }
    if next.as_str().len() > URL_BYTES_MAX {
        return stop(Outcome::RedirectInvalid, "The server redirects to a URL that is too long.");
    }
    if source.hops.iter().any(|hop| hop.url == next.as_str()) {
        return stop(Outcome::RedirectLoop, "The server redirects in a circle.");
    }
    if source.hops.len() == HOPS_MAX {
        return stop(Outcome::RedirectsTooMany, format!("The server redirects more than {} times.", HOPS_MAX - 1));
    }
    Ok(next)
}

/// The media type in lower case, without parameters; empty if it is invalid.
fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"/+-.".contains(&byte);
    if name.len() <= 128 && name.bytes().all(is_token) { name } else { String::new() }
}

fn charset_parameter(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let mut parameters = value.split(';').skip(1).filter_map(|one| one.split_once('='));
    let (_, charset) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(charset.trim().trim_matches('"').to_owned())
}

/// The text of a body, with the notes on it.
fn text(
    body: &[u8],
    (is_html, deadline): (bool, Instant),
    parameter: Option<&str>,
    url: &Url,
    source: &mut Source,
) -> Result<String, Stop> {
    let (charset, decoded) = charset::decode(body, is_html, parameter)?;
    charset.clone_into(&mut source.charset);
    let text = if is_html {
        let Some(page) = page::read(&decoded, url, deadline) else {
            return stop(Outcome::TimedOut, "The page could not be read in time; its HTML is too intricate.");
        };
        source.title = page.title;
        source.left_out = page.left_out;
        page.text
    } else {
        decoded.replace("\r\n", "\n").replace('\r', "\n")
    };
    if text.len() > GROWTH_MAX * body.len() + GROWTH_BYTES_MAX {
        return stop(Outcome::TooLarge, "The text of the page is much longer than the page.");
    }
    Ok(with_newline(without_headings_of_ours(text)))
}

/// Puts a blank before each line that begins like the heading of a source.
fn without_headings_of_ours(text: String) -> String {
    let is_heading = |line: &str| {
        line.strip_prefix("Source ").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    };
    if !text.lines().any(is_heading) {
        return text;
    }
    text.split_inclusive('\n').map(|line| if is_heading(line) { format!(" {line}") } else { line.to_owned() }).collect()
}

fn with_newline(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
