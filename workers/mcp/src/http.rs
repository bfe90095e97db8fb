//! A server at an address: streamable HTTP by the SDK, over gatepost's own HTTP client.
//!
//! Redirects are not followed, and nothing is sent twice: a session that the server has forgotten is not renewed, and a broken stream
//! is not resumed. Headers that a server wants made from arguments (`x-mcp-header`) are not sent: an argument may be a secret, and
//! intermediaries log headers. *Standards*: Model Context Protocol, "Streamable HTTP"; WHATWG HTML, "Server-sent events".

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use gatepost_documents::json;
use gatepost_worker_http::{HttpError, agent};
use gatepost_workers::mcp::Texts;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::{BoxedSseResponse, NeverRetry};
use rmcp::transport::streamable_http_client::{
    HttpStatusError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use serde_json::Value;
use sse_stream::{Sse, SseStream};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use ureq::http::{HeaderName, HeaderValue, Response, StatusCode};
use ureq::{Agent, Body};
use url::Url;

use super::conversation::Conversation;
use super::{BYTES_MAX, Failure, TOO_MUCH};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";

/// The prefix of the headers that the SDK makes from arguments if the schema of a server asks for it.
const OF_ARGUMENT: &str = "mcp-param-";

const NO_ANSWER: &str = "it accepted the request but did not answer it";

/// How much of a stream is read at a time.
const CHUNK_BYTES: usize = 16 << 10;

type Error = StreamableHttpError<ureq::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// The transport to a server.
pub(super) fn transport(
    url: &str,
    headers: &Texts<'_>,
    ca_file: Option<&Path>,
    proxy: Option<&str>,
    conversation: Arc<Conversation>,
) -> Result<StreamableHttpClientTransport<Http>, Failure> {
    let agent = Url::parse(url).map_err(HttpError::from).and_then(|url| agent(&url, ca_file, proxy));
    let agent = agent.map_err(|error| Failure::Start(error.to_string()))?;
    let header =
        |(name, value): (&Cow<'_, str>, &Cow<'_, str>)| Some((name.parse().ok()?, HeaderValue::from_str(value).ok()?));
    let headers: Option<Headers> = headers.iter().map(header).collect();
    let headers = headers.ok_or_else(|| Failure::Start("a header has a value that HTTP cannot carry".to_owned()))?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.to_owned());
    config = config.custom_headers(headers).reinit_on_expired_session(false);
    config.retry_config = Arc::new(NeverRetry::default());
    Ok(StreamableHttpClientTransport::with_client(Http { agent, conversation }, config))
}

/// The HTTP client for the SDK.
#[derive(Clone)]
pub(super) struct Http {
    agent: Agent,
    conversation: Arc<Conversation>,
}

impl StreamableHttpClient for Http {
    type Error = ureq::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        authorization: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, authorization, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Error> {
        self.conversation.ask(&message);
        let body = serde_json::to_vec(&message)?;
        let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
        let mut request = self.agent.post(&*uri).header("accept", format!("{JSON}, {EVENTS}")).content_type(JSON);
        for (name, value) in headers.into_iter().filter(|(name, _)| !name.as_str().starts_with(OF_ARGUMENT)) {
            request = request.header(name, value);
        }
        if let Some(session) = &session {
            request = request.header(SESSION, &**session);
        }
        let response = spawn_blocking(move || request.send(&body)).await?.map_err(Error::Client)?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(Error::SessionExpired);
        }
        if !status.is_success() {
            let body = spawn_blocking(move || read(response, limits.max_error_response_size)).await?;
            return Err(refusal(status, &body.unwrap_or_default()));
        }
        if !is_request {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Err(Error::UnexpectedServerResponse(NO_ANSWER.into()));
        }
        let header = |name| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
        let (session, media_type) = (header(SESSION), header("content-type"));
        let Some(media_type) = media_type else { return Err(Error::UnexpectedContentType(None)) };
        match &*media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase() {
            EVENTS => Ok(StreamableHttpPostResponse::Sse(events(response, self.conversation.clone()), session)),
            JSON => {
                let body = spawn_blocking(move || read(response, limits.max_json_response_size)).await??;
                let message = self.conversation.receive(&body);
                let why = || self.conversation.breach().unwrap_or("its answer is not a message").to_owned();
                let message = message.ok_or_else(|| Error::UnexpectedServerResponse(why().into()))?;
                if !is_answer(&message) {
                    return Err(Error::UnexpectedServerResponse(NO_ANSWER.into()));
                }
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ => Err(Error::UnexpectedContentType(Some(media_type))),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), Error> {
        let mut request = self.agent.delete(&*uri).header(SESSION, &*session);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        spawn_blocking(move || request.call()).await?.map_err(Error::Client)?;
        Ok(())
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: Headers,
    ) -> Result<BoxedSseResponse, Error> {
        // Other messages of the server are ignored.
        Err(Error::ServerDoesNotSupportSse)
    }
}

fn is_answer(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
}

/// An error status, with the message of a JSON-RPC error in the body.
fn refusal(status: StatusCode, body: &[u8]) -> Error {
    let body = json::read(body).unwrap_or_default();
    match body.pointer("/error/message").and_then(Value::as_str) {
        Some(message) => {
            let text = format!("it answered with the HTTP status {}: {message}", status.as_u16());
            Error::UnexpectedServerResponse(text.into())
        }
        None => HttpStatusError::new(status.as_u16(), None).into(),
    }
}

/// The body of an answer.
fn read(response: Response<Body>, bytes_max: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    response.into_body().into_reader().take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max {
        return Err(Error::ResponseBodyTooLarge { max_size: bytes_max });
    }
    Ok(bytes)
}

/// The events in the body of a response, up to the first breach of the protocol.
fn events(response: Response<Body>, conversation: Arc<Conversation>) -> BoxedSseResponse {
    let (chunks, received) = mpsc::channel::<io::Result<Vec<u8>>>(4);
    let for_copy = conversation.clone();
    spawn_blocking(move || copy(response, &chunks, &for_copy));
    let chunks = ReceiverStream::new(received).map(|chunk| chunk.map(io::Cursor::new));
    let events = SseStream::from_bytes_stream(chunks);
    let for_events = conversation.clone();
    let events = events.map(move |event| event.map(|event| receive(event, &for_events)));
    let events = events.take_while(move |_| conversation.breach().is_none());
    // Without the fields that make the SDK wait and resume the stream.
    Box::pin(events.map(|event| event.map(|event| Sse { id: None, retry: None, ..event })))
}

/// The event with its message in the form for the SDK. An event of another type must not contain a message.
fn receive(event: Sse, conversation: &Conversation) -> Sse {
    let message = event.data.as_ref().and_then(|data| conversation.receive(data.as_bytes()));
    if message.is_some() && !matches!(event.event.as_deref(), None | Some("" | "message")) {
        conversation.end("it sent a message as an event of another type than `message`");
    }
    let shown = message.and_then(|message| serde_json::to_string(&message).ok());
    Sse { data: shown.or(event.data), ..event }
}

/// Forwards the body of a response in chunks.
fn copy(response: Response<Body>, chunks: &mpsc::Sender<io::Result<Vec<u8>>>, conversation: &Conversation) {
    let mut reader = response.into_body().into_reader().take(BYTES_MAX);
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let read = match reader.read(&mut chunk) {
            Ok(0) => {
                if reader.limit() == 0 {
                    conversation.end(TOO_MUCH);
                }
                return;
            }
            read => read,
        };
        let is_end = read.is_err();
        let read = read.map(|length| {
            chunk.truncate(length);
            chunk
        });
        if chunks.blocking_send(read).is_err() || is_end {
            return;
        }
    }
}
