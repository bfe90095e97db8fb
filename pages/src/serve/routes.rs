//! The addresses and their pages, and the check of the host name.
//!
//! *Security*: in a DNS rebinding attack, a foreign page sends requests under a name that now resolves to loopback. A
//! request under any name but those of loopback is refused first.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::fault::Fault;
use maud::Markup;
use url::Host;

use super::feed::Feed;
use super::file::Sent;
use super::filter::{self, Filter};
use super::index::Index;
use super::views;

/// Why there is no page: the status and a sentence.
pub(super) struct Failure(StatusCode, String);

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, format!("gatepost failed to {fault}."))
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self(status, message) = self;
        (status, Html(views::message(&message).into_string())).into_response()
    }
}

type Shared = State<Arc<Index>>;

/// All pages of a site.
pub(super) fn routes(index: Arc<Index>) -> Router {
    Router::new()
        .route("/", get(requests))
        .route("/quarantine", get(quarantine))
        .route("/pending.json", get(pending))
        .route("/requests/{id}", get(request))
        .route("/requests/{id}/{*path}", get(file))
        .fallback(async || not_found("Page not found."))
        .layer(middleware::from_fn(guard))
        .with_state(index)
}

async fn requests(
    State(index): Shared,
    query: Result<Query<filter::Query>, QueryRejection>,
) -> Result<Html<String>, Failure> {
    let bad = |message: String| Failure(StatusCode::BAD_REQUEST, message);
    let Query(query) = query.map_err(|error| bad(format!("{}.", error.body_text())))?;
    let filter = Filter::read(&query).map_err(bad)?;
    read(move || Ok(views::requests(&*index.known()?, index.site(), &query, &filter))).await
}

async fn quarantine(State(index): Shared) -> Result<Html<String>, Failure> {
    read(move || Ok(views::quarantine(index.site())?)).await
}

async fn pending(State(index): Shared, headers: HeaderMap) -> Result<Feed, Failure> {
    blocking(move || Ok(Feed::of(&*index.known()?, &headers))).await
}

async fn request(State(index): Shared, id: Result<Path<String>, PathRejection>) -> Result<Html<String>, Failure> {
    let id = request_id(id.map(|Path(id)| id).ok())?;
    read(move || {
        let detail = index.detail(&id)?.ok_or_else(unknown)?;
        Ok(views::request(&detail))
    })
    .await
}

async fn file(State(index): Shared, path: Result<Path<(String, String)>, PathRejection>) -> Result<Response, Failure> {
    let (id, path) = path.map(|Path((id, path))| (Some(id), path)).unwrap_or_default();
    let id = request_id(id)?;
    let found = blocking(move || {
        let detail = index.detail(&id)?.ok_or_else(unknown)?;
        Sent::open(&detail, &path)?.ok_or_else(|| not_found("The request has no such file."))
    });
    Ok(found.await?.into_response())
}

fn request_id(id: Option<String>) -> Result<RequestId, Failure> {
    id.and_then(|id| RequestId::parse(&id).ok()).ok_or_else(unknown)
}

fn unknown() -> Failure {
    not_found("Request not found.")
}

fn not_found(message: &str) -> Failure {
    Failure(StatusCode::NOT_FOUND, message.to_owned())
}

/// Renders a page from files.
async fn read(page: impl FnOnce() -> Result<Markup, Failure> + Send + 'static) -> Result<Html<String>, Failure> {
    blocking(page).await.map(|page| Html(page.into_string()))
}

/// Runs file access on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    let failed = |_| Failure(StatusCode::INTERNAL_SERVER_ERROR, "Cannot make the page.".to_owned());
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

async fn guard(request: Request, next: Next) -> Response {
    let mut response = match refusal(&request) {
        Some(failure) => failure.into_response(),
        None => next.run(request).await,
    };
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    protect(response.headers_mut());
    response
}

/// Why a request is refused, if it is.
fn refusal(request: &Request) -> Option<Failure> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Some(Failure(StatusCode::METHOD_NOT_ALLOWED, "These pages are read-only: use GET or HEAD.".to_owned()));
    }
    let named = request.headers().get_all(HOST).iter().map(|host| host.to_str().ok());
    let mut hosts = named.chain(request.uri().authority().map(|authority| Some(authority.as_str()))).peekable();
    let is_here = hosts.peek().is_some() && hosts.all(|host| host.is_some_and(is_loopback));
    let message = "This server answers only for localhost and loopback addresses.";
    (!is_here).then(|| Failure(StatusCode::MISDIRECTED_REQUEST, message.to_owned()))
}

/// Whether a host, with or without a port, is this machine without asking DNS.
fn is_loopback(host: &str) -> bool {
    let port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name = host.rsplit_once(':').filter(|(_, end)| port(end)).map_or(host, |(name, _)| name);
    match Host::parse(name) {
        Ok(Host::Domain(name)) => name == "localhost",
        Ok(Host::Ipv4(address)) => address.is_loopback(),
        Ok(Host::Ipv6(address)) => address.is_loopback(),
        Err(_) => false,
    }
}

/// Sets the security headers of every response; keeps a stricter policy that is already set.
fn protect(headers: &mut HeaderMap) {
    let policy = format!("{}; frame-ancestors 'none'", crate::page::content_policy());
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.entry(CONTENT_SECURITY_POLICY).or_insert(policy);
    }
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered_to() {
        for host in ["localhost", "LOCALHOST:8170", "127.0.0.1", "127.0.0.1:1", "127.9.9.9", "[::1]", "[::1]:8170"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            ":80",
            "localhost.example.org",
            "127.0.0.1.example.org",
            "example.org:8170",
            "localhost@example.org",
            "[::2]",
            "10.0.0.1",
            "0.0.0.0",
            "localhost:8170:x",
            "::1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
