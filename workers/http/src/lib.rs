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

use std::io;
use std::path::Path;
use std::sync::Arc;

use gatepost_workers::http::Assignment;
use ureq::http::{self, Response, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};
use url::Url;

/// Redirects that are followed, one after the other.
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
    /// Nothing usable came back.
    #[error("failed to get a response: {0}")]
    Exchange(String),
    /// The status is not one.
    #[error("the server answered with the invalid HTTP status {0}")]
    Status(u16),
    /// The server sent the client elsewhere.
    #[error("the server redirects to {0}, which is not the origin of the request; it was not followed")]
    Elsewhere(String),
    /// The server sent the client round and round.
    #[error("the server redirected more than {REDIRECTS_MAX} times")]
    Redirects,
    /// The server compressed what was not to be.
    #[error("the response has the content coding {0:?}, although the request accepts none; it was not decoded")]
    Compressed(String),
    /// The body ended early, or breaks its own framing.
    #[error("failed to read the whole body: {0}")]
    Body(String),
    /// What came back cannot be stored.
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

/// A client for a URL. `ca_file` holds certificates, PEM, that are trusted in the place of the machine's.
pub fn agent(url: &Url, ca_file: Option<&Path>, proxy: Option<&str>) -> Result<Agent, HttpError> {
    let roots = if url.scheme() == "https" { roots(ca_file)? } else { Vec::new() };
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&roots))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let proxy = proxy.map(Proxy::new).transpose();
    let proxy = proxy.map_err(|error| HttpError::Exchange(failure::of_exchange(&error, url)))?;
    let config = Agent::config_builder()
        .tls_config(tls)
        .proxy(proxy)
        .http_status_as_error(false)
        // Each request has a connection of its own: one that the server is about to close may lose the next.
        .max_idle_connections(0)
        .max_idle_connections_per_host(0)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_response_header_size(HEAD_BYTES_MAX)
        .user_agent(USER_AGENT)
        // Without it any coding would be welcome.
        .accept_encoding("identity")
        .build();
    Ok(config.into())
}

/// The certificates that servers are verified against: at least one. `ca_file` as for [`agent`].
fn roots(ca_file: Option<&Path>) -> Result<Vec<Certificate<'static>>, HttpError> {
    let found = match ca_file {
        Some(file) => rustls_native_certs::load_certs_from_paths(Some(file), None),
        None => rustls_native_certs::load_native_certs(),
    };
    if found.certs.is_empty() {
        let none = ca_file.map_or("there are none", |_| "[http] ca_file of gatepost.toml holds none");
        let why = found.errors.first().map_or_else(|| none.to_owned(), ToString::to_string);
        return Err(HttpError::Roots(why));
    }
    Ok(found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect())
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
