//! Streamable HTTP on loopback, one bearer token per principal.
//!
//! ```text
//! POST /mcp    Host, Origin ▶ token ▶ length ▶ the library, without sessions ▶ JSON
//! ```
//!
//! *Security*: every local user can reach a loopback address, so each request needs a token before its body is read.
//! Web pages can send requests too, so only loopback names and the operator's names are answered. Bodies are bounded in
//! length and time, connections in number. A proxy does TLS. *Standards*: RFC 9110, RFC 6750; MCP, streamable HTTP.

use std::convert::Infallible;
use std::io;
use std::net;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gatepost_mailbox::log::{Event, Level, Log};
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Listen;
use super::board::Board;
use super::handler::Handler;
use super::waiting::InFlight;
use crate::context::Context;
use crate::dialect;
use crate::principal::{Principal, Tokens};

/// The one path.
const PATH: &str = "/mcp";
/// Concurrent connections; more wait to be accepted.
const CONNECTIONS_MAX: usize = 512;
/// Timeout of a client that sends the head of the first or the next request.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Timeout of a client that sends the body of a request.
const BODY_TIME: Duration = Duration::from_mins(1);
/// Timeout of a client that does not read, milliseconds.
const STALL_MS: u32 = 30_000;
/// The most bytes of a head.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// The time that open responses get at shutdown.
const END_TIME: Duration = Duration::from_secs(2);
/// Pause after a failed accept, for example without free descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The shared state of all requests.
pub(super) struct Server {
    context: Arc<Context>,
    listen: Listen,
    board: Arc<Board>,
    in_flight: Arc<InFlight>,
    config: StreamableHttpServerConfig,
    log: Log,
}

impl Server {
    pub(super) fn new(context: Arc<Context>, listen: Listen, board: Arc<Board>, log: Log) -> Arc<Self> {
        let loopback = ["localhost", "127.0.0.1", "::1"];
        let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        let hosts = loopback.map(str::to_owned).into_iter().chain(listen.hosts.clone());
        let origins = origins.map(str::to_owned).into_iter().chain(listen.origins.clone());
        let bytes_max = usize::try_from(context.limits.message_bytes_max).unwrap_or(usize::MAX);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(bytes_max);
        let in_flight = Arc::new(InFlight::of(context.limits.calls_max));
        Arc::new(Self { context, listen, board, in_flight, config, log })
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        if request.uri().path() != PATH {
            return plain(StatusCode::NOT_FOUND, "the server answers at /mcp alone");
        }
        let principal = match self.principal(request.headers()) {
            Ok(principal) => principal,
            Err(answer) => return answer,
        };
        let bytes_max = self.config.max_request_body_bytes;
        let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > bytes_max as u64) {
            return too_large(bytes_max);
        }
        let (parts, body) = request.into_parts();
        let body = match timeout(BODY_TIME, Limited::new(body, bytes_max).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => return too_large(bytes_max),
            Ok(Err(_)) => return plain(StatusCode::BAD_REQUEST, "the body could not be read"),
            Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
        };
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let is_shown_otherwise =
            ["initialize", "tools/list"].iter().any(|method| message.get("method").is_some_and(|it| it == method));
        let body = dialect::incoming(message).map_or(body, |message| Bytes::from(message.to_string()));
        let answer = self.service(principal).handle(Request::from_parts(parts, Full::new(body))).await;
        if is_shown_otherwise { shown_otherwise(answer).await } else { answer }
    }

    fn service(&self, principal: Principal) -> StreamableHttpService<Handler, NeverSessionManager> {
        let parts =
            (Arc::clone(&self.context), Arc::new(principal), Arc::clone(&self.board), Arc::clone(&self.in_flight));
        let new = move || {
            let (context, principal, board, in_flight) = parts.clone();
            Ok(Handler::new(context, principal, board, in_flight))
        };
        StreamableHttpService::new(new, Arc::default(), self.config.clone())
    }

    /// The principal of a request, from its token.
    fn principal(&self, headers: &HeaderMap) -> Result<Principal, Answer> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let token = match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok().and_then(bearer),
            _ => None,
        };
        let Some(token) = token else { return Err(unauthorized("send Authorization: Bearer TOKEN")) };
        let tokens = Tokens::read(&self.listen.tokens).map_err(|error| {
            self.log.event(&Event::new("fault", "", error.to_string()).at(Level::Error));
            plain(StatusCode::SERVICE_UNAVAILABLE, "the server cannot read its tokens; its log says why")
        })?;
        tokens.principal(token).cloned().ok_or_else(|| unauthorized("the token is unknown"))
    }
}

/// The token of a value of `Authorization`.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Converts the response to the revision of its client.
async fn shown_otherwise(answer: Answer) -> Answer {
    let is_json =
        answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_json {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    // A complete body cannot fail.
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes);
    let shown = serde_json::from_slice(&body).ok().and_then(dialect::outgoing);
    let body = shown.map_or(body, |shown| Bytes::from(shown.to_string()));
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Full::new(body).boxed())
}

fn plain(status: StatusCode, text: &str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(format!("{text}\n"))).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

fn unauthorized(text: &str) -> Answer {
    let mut answer = plain(StatusCode::UNAUTHORIZED, text);
    answer.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
    answer
}

fn too_large(bytes_max: usize) -> Answer {
    plain(StatusCode::PAYLOAD_TOO_LARGE, &format!("a message has at most {bytes_max} bytes"))
}

/// Serves until the signal to stop.
pub(super) async fn serve(listener: net::TcpListener, server: Arc<Server>) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let address = format!("http://{}{PATH}", listener.local_addr()?);
    server.log.event(&Event::new("listening", "", address));
    let (places, graceful) = (Arc::new(Semaphore::new(CONNECTIONS_MAX)), GracefulShutdown::new());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD_BYTES_MAX);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = server.board.stopped() => break,
            next = next => next,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // Without these the connection is slower and ends later, but works.
        let _ = (stream.set_nodelay(true), rustix::net::sockopt::set_tcp_user_timeout(&stream, STALL_MS));
        let answering = Arc::clone(&server);
        let service = service_fn(move |request| {
            let server = Arc::clone(&answering);
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // A failure of a connection concerns only its client.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    server.config.cancellation_token.cancel();
    let _ = timeout(END_TIME, graceful.shutdown()).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_what_follows_bearer() {
        for (value, token) in [
            ("Bearer abc", Some("abc")),
            ("bearer  abc ", Some("abc")),
            ("Bearer", None),
            ("Bearer ", None),
            ("Basic abc", None),
            ("abc", None),
            ("", None),
        ] {
            assert_eq!(bearer(value), token, "{value:?}");
        }
    }
}
