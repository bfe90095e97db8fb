//! One HTTP call: the request and the response.
//!
//! ```text
//! Assignment ▶ send ▶ the final response      a GET is redirected within its own origin, and nothing else is redirected
//! ```
//!
//! Keeps no cookies, repeats nothing, asks for no compression. *Security*: the server is hostile. The client bounds the head of a
//! response, the caller bounds the body and the time. TLS is always verified, against the roots of the machine or of the site.
//! *Standards*: RFC 9110, RFC 9112, RFC 8446.

pub mod failure;
pub mod fetch;
pub mod head;
mod redirect;
mod tls;

use std::io;
use std::path::Path;

use gatepost_workers::http::Assignment;
use rustls::RootCertStore;
use tls::{NewestPeer, TlsConnector};
use ureq::config::Config;
use ureq::http::{self, Response, Uri, header};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::time::Duration;
use ureq::unversioned::transport::{ConnectProxyConnector, Connector as _, NextTimeout, TcpConnector};
use ureq::{Agent, Body, Proxy};
use url::Url;

/// The most redirects of one request.
const REDIRECTS_MAX: u32 = 5;

/// The longest head of a response, bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The client's name for servers.
const USER_AGENT: &str = concat!("gatepost/", env!("CARGO_PKG_VERSION"));

/// Why there is no response, or no whole one.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The URL cannot be read.
    #[error("failed to read the URL: {0}")]
    Url(#[from] url::ParseError),
    /// There are no roots to verify the server with.
    #[error("failed to find trusted certificates: {0}")]
    Roots(String),
    /// There is no usable response.
    #[error("failed to get a response: {0}")]
    Exchange(String),
    /// The status is not one.
    #[error("the server answered with the invalid HTTP status {0}")]
    Status(u16),
    /// The server redirected to another origin.
    #[error("the server redirects to {0}, which is not the origin of the request; it was not followed")]
    Elsewhere(String),
    /// There were too many redirects.
    #[error("the server redirected more than {REDIRECTS_MAX} times")]
    Redirects,
    /// The server compressed the body without being asked.
    #[error("the response has the content coding {0:?}, although the request accepts none; it was not decoded")]
    Compressed(String),
    /// The body ended early, or breaks its own framing.
    #[error("failed to read the whole body: {0}")]
    Body(String),
    /// The response cannot be stored.
    #[error("failed to store the response: {0}")]
    Store(io::Error),
}

/// Sends a request, and follows redirects of a GET within its origin.
pub fn send(assignment: &Assignment<'_>) -> Result<Response<Body>, HttpError> {
    let mut url = Url::parse(&assignment.url)?;
    url.set_fragment(None);
    let agent = agent(&url, assignment.ca_file.as_deref(), assignment.proxy.as_deref())?;
    for _ in 0..=REDIRECTS_MAX {
        let sent = send_once(&agent, assignment, &url);
        let response = sent.map_err(|error| HttpError::Exchange(failure::of_exchange(&error, &url)))?;
        let status = response.status();
        let redirects = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let is_followed = assignment.method == "GET" && redirects && !assignment.answers.contains(&status.as_u16());
        let location = response.headers().get(header::LOCATION).filter(|_| is_followed);
        let Some(location) = location else { return Ok(response) };
        let location = String::from_utf8_lossy(location.as_bytes());
        url =
            redirect::target(&url, &location).ok_or_else(|| HttpError::Elsewhere(redirect::origin(&url, &location)))?;
    }
    Err(HttpError::Redirects)
}

/// A client for URLs of the scheme of this one. `ca_file` holds certificates, PEM, that replace the machine's roots.
pub fn agent(url: &Url, ca_file: Option<&Path>, proxy: Option<&str>) -> Result<Agent, HttpError> {
    agent_that_notes(NewestPeer::default(), url, ca_file, proxy)
}

/// The same; `newest` gets the certificate of each server.
fn agent_that_notes(
    newest: NewestPeer,
    url: &Url,
    ca_file: Option<&Path>,
    proxy: Option<&str>,
) -> Result<Agent, HttpError> {
    let roots = if url.scheme() == "https" { tls::roots(ca_file)? } else { RootCertStore::empty() };
    let tls = TlsConnector::new(roots, newest).map_err(|error| HttpError::Roots(error.to_string()))?;
    let proxy = proxy.map(Proxy::new).transpose();
    let proxy = proxy.map_err(|error| HttpError::Exchange(failure::of_exchange(&error, url)))?;
    let config = Agent::config_builder()
        .proxy(proxy)
        .http_status_as_error(false)
        // Each request has a new connection: a kept one may be closed by the server during the next request.
        .max_idle_connections(0)
        .max_idle_connections_per_host(0)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_response_header_size(HEAD_BYTES_MAX)
        .user_agent(USER_AGENT)
        // Without this header the server may use any coding.
        .accept_encoding("identity")
        .build();
    // The proxy connects by the same chain.
    let connector = ().chain(ConnectProxyConnector::default()).chain(TcpConnector::default()).chain(tls);
    Ok(Agent::with_parts(config, connector, ThreadlessResolver::default()))
}

/// Resolves in the calling thread. [`DefaultResolver`] starts a thread if there is a time limit, and panics if the machine has none.
/// The run's proxy has an address, which needs no lookup; another lookup ends with the run.
#[derive(Debug, Default)]
struct ThreadlessResolver(DefaultResolver);

impl Resolver for ThreadlessResolver {
    fn resolve(&self, uri: &Uri, config: &Config, limit: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        self.0.resolve(uri, config, NextTimeout { after: Duration::NotHappening, ..limit })
    }
}

fn send_once(agent: &Agent, assignment: &Assignment<'_>, url: &Url) -> Result<Response<Body>, ureq::Error> {
    let builder = http::Request::builder().method(&*assignment.method).uri(url.as_str());
    let builder =
        assignment.headers.iter().fold(builder, |builder, (name, value)| builder.header(&**name, value.as_bytes()));
    let has_none = matches!(&*assignment.method, "GET" | "DELETE");
    match &assignment.body {
        None if has_none => agent.run(builder.body(())?),
        body => {
            let body = body.as_ref().map_or(&[][..], |body| body.as_bytes());
            agent.run(builder.body(body)?)
        }
    }
}
