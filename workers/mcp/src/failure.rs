//! The causes of a missing result, in plain words: the SDK's own errors name its internal types.
//!
//! *Standards*: JSON-RPC 2.0 section 5.1 (error objects).

use std::error::Error;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use gatepost_documents::digest::Digest;
use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences are the documentation")]
pub enum Failure {
    #[error("the server did not start: {0}")]
    Start(String),
    #[error("the server did not initialize: {0}")]
    Initialize(String),
    #[error("the server did not list its tools: {0}")]
    Listing(String),
    #[error("the server has no tool {tool}; it lists: {}", listed.join(", "))]
    NoTool { tool: String, listed: Vec<String> },
    #[error("failed to store the schema of the tool's arguments: {0}; the tool was not called")]
    Store(io::Error),
    #[error("the schema of the tool's arguments has the digest {found}, expected {expected}")]
    Changed { found: Digest, expected: Digest },
    #[error("the schema that the server lists for the tool's arguments cannot be used: {0}; the tool was not called")]
    Schema(String),
    #[error("the arguments do not satisfy the server's schema: {0}")]
    Arguments(String),
    #[error("the server did not answer the call: {0}")]
    Call(String),
}

impl Failure {
    /// The same of a program that did not merely close its streams, but failed.
    pub(super) fn of_ended(mut self, status: ExitStatus) -> Self {
        if let Self::Initialize(why) | Self::Listing(why) | Self::Call(why) = &mut self
            && why == CLOSED
        {
            *why = match (status.code(), status.signal()) {
                (_, Some(signal)) => format!("it was ended by signal {signal}"),
                (code, None) => format!("it ended with exit status {}", code.unwrap_or_default()),
            };
        }
        self
    }
}

/// Why a server did not initialize.
pub(super) fn of_start(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(error) => refused(error),
        ClientInitializeError::TransportError { error, .. } => of_transport(error),
        ClientInitializeError::ConnectionClosed(_) => CLOSED.to_owned(),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it and gatepost have no protocol version in common".to_owned()
        }
        _ => OTHER_KIND.to_owned(),
    }
}

/// Why a request has no answer.
pub(super) fn of_request(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => refused(error),
        ServiceError::TransportSend(error) => of_transport(error),
        ServiceError::TransportClosed => CLOSED.to_owned(),
        ServiceError::Cancelled { .. } => "it cancelled the request".to_owned(),
        _ => OTHER_KIND.to_owned(),
    }
}

const CLOSED: &str = "it closed the connection";
pub(super) const OTHER_KIND: &str = "its answer has the wrong type";

/// The server's own text.
fn refused(error: &ErrorData) -> String {
    format!("{} (JSON-RPC error {})", error.message, error.code.0)
}

fn of_transport(error: &DynamicTransportError) -> String {
    let error: &(dyn Error + 'static) = error.error.as_ref();
    if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        return CLOSED.to_owned();
    }
    match error.downcast_ref::<StreamableHttpError<ureq::Error>>() {
        Some(StreamableHttpError::Client(ureq::Error::ConnectProxyFailed(_))) => "it cannot be reached".to_owned(),
        Some(StreamableHttpError::Client(error)) => error.to_string(),
        Some(StreamableHttpError::Io(_)) => "its answer was cut off".to_owned(),
        Some(StreamableHttpError::UnexpectedContentType(None)) => "its answer has no content type".to_owned(),
        Some(StreamableHttpError::HttpStatus(error)) => format!("it answered with the HTTP status {}", error.status),
        Some(StreamableHttpError::SessionExpired) => {
            "it answered with the HTTP status 404: its session is over".to_owned()
        }
        Some(StreamableHttpError::UnexpectedContentType(Some(kind))) => {
            format!("its answer has the content type {kind:?}")
        }
        Some(StreamableHttpError::UnexpectedServerResponse(what)) => what.to_string(),
        Some(StreamableHttpError::ResponseBodyTooLarge { .. }) => "its answer is too large".to_owned(),
        Some(StreamableHttpError::TransportChannelClosed) => CLOSED.to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use rmcp::transport::streamable_http_client::HttpStatusError;

    use super::*;

    fn sending(error: impl Error + Send + Sync + 'static) -> ServiceError {
        ServiceError::TransportSend(DynamicTransportError::from_parts(
            "Worker<Http>",
            TypeId::of::<()>(),
            Box::new(error),
        ))
    }

    #[test]
    fn an_error_is_told_in_plain_words_and_names_no_type() {
        type Http = StreamableHttpError<ureq::Error>;
        let refused = ErrorData::invalid_params("no such issue", None);
        for (error, expected) in [
            (ServiceError::McpError(refused), "no such issue (JSON-RPC error -32602)"),
            (ServiceError::TransportClosed, "it closed the connection"),
            (sending(Http::HttpStatus(HttpStatusError::new(503, None))), "it answered with the HTTP status 503"),
            (sending(Http::Client(ureq::Error::HostNotFound)), "host not found"),
            (sending(Http::UnexpectedContentType(Some("a/b".into()))), "its answer has the content type \"a/b\""),
            (sending(Http::Client(ureq::Error::ConnectProxyFailed("502".into()))), "it cannot be reached"),
            (sending(Http::UnexpectedContentType(None)), "its answer has no content type"),
            (sending(Http::Io(io::Error::other("Peer disconnected"))), "its answer was cut off"),
            (sending(io::Error::from(io::ErrorKind::BrokenPipe)), "it closed the connection"),
        ] {
            assert_eq!(of_request(&error), expected);
        }
        let closed = ClientInitializeError::ConnectionClosed("initialize response".into());
        assert_eq!(of_start(&closed), "it closed the connection");
        assert_eq!(of_start(&ClientInitializeError::ExpectedInitResponse(None)), OTHER_KIND);
        let ended = |status| Failure::Call(CLOSED.to_owned()).of_ended(ExitStatus::from_raw(status)).to_string();
        assert!(
            ended(3 << 8).ends_with("it ended with exit status 3") && ended(9).ends_with("it was ended by signal 9")
        );
    }
}
