//! Messages on stdin and stdout, one line of JSON each.
//!
//! *Security*: lines are bounded; a longer one is skipped and answered with an error. While many requests are open, no
//! further line is read, so a flooding client only delays itself. *Standards*: JSON-RPC 2.0; MCP, stdio transport.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::serve_server;
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Stdin, Stdout};
use tokio::sync::Notify;

use super::board::Board;
use super::handler::Handler;
use crate::dialect;

/// The most open requests.
const OPEN_MAX: usize = 512;

/// Serves until stdin ends or the signal to stop.
pub(super) async fn serve(handler: Handler, line_bytes_max: u64, board: &Board) {
    let served = async {
        if let Ok(service) = serve_server(handler, Lines::new(line_bytes_max)).await {
            let _ = service.waiting().await;
        }
    };
    tokio::select! {
        () = served => {}
        () = board.stopped() => {}
    }
}

/// The unanswered requests.
#[derive(Debug, Default)]
struct Open {
    ids: Mutex<HashSet<String>>,
    closed: Notify,
}

impl Open {
    fn with<T>(&self, act: impl FnOnce(&mut HashSet<String>) -> T) -> T {
        act(&mut self.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn has_place(&self) {
        while self.with(|ids| ids.len() >= OPEN_MAX) {
            self.closed.notified().await;
        }
    }

    fn close(&self, id: &Value) {
        if self.with(|ids| ids.remove(&id.to_string())) {
            self.closed.notify_one();
        }
    }
}

/// The two streams.
#[derive(Debug)]
struct Lines {
    stdin: BufReader<Stdin>,
    /// The part of a line read so far; empty for one that is too long.
    line: Vec<u8>,
    is_too_long: bool,
    bytes_max: usize,
    stdout: Arc<tokio::sync::Mutex<Stdout>>,
    open: Arc<Open>,
    /// Whether a request arrived: earlier notifications mean nothing.
    has_begun: bool,
}

impl Lines {
    fn new(line_bytes_max: u64) -> Self {
        Self {
            stdin: BufReader::new(tokio::io::stdin()),
            line: Vec::new(),
            is_too_long: false,
            bytes_max: usize::try_from(line_bytes_max).unwrap_or(usize::MAX),
            stdout: Arc::new(tokio::sync::Mutex::new(tokio::io::stdout())),
            open: Arc::default(),
            has_begun: false,
        }
    }

    /// The next line, or that it was too long; none at the end. A dropped future loses no bytes.
    async fn next(&mut self) -> Option<Result<Vec<u8>, ()>> {
        loop {
            let read = self.stdin.fill_buf().await.ok()?;
            if read.is_empty() {
                return None;
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = end.map_or(read, |end| &read[..end]);
            if self.line.len() + part.len() > self.bytes_max {
                (self.is_too_long, self.line) = (true, Vec::new());
            } else if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            let length = end.map_or(read.len(), |end| end + 1);
            self.stdin.consume(length);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                let is_too_long = std::mem::take(&mut self.is_too_long);
                return Some(if is_too_long { Err(()) } else { Ok(line) });
            }
        }
    }

    /// A message, or the error for an invalid one; neither if no answer is needed.
    fn read(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let value: Value =
            serde_json::from_slice(line).map_err(|_| failure(&Value::Null, -32_700, "this is no JSON"))?;
        let (id, has_method) = (value.get("id").cloned(), value.get("method").is_some());
        let rewritten = dialect::incoming(value).map(|value| value.to_string());
        let text = rewritten.as_deref().map_or(line, str::as_bytes);
        let message = match serde_json::from_slice::<ClientJsonRpcMessage>(text) {
            Ok(message) => message,
            // A notification gets no answer, not even an error.
            Err(_) if id.is_none() && has_method => return Ok(None),
            Err(error) => {
                let text = format!("this is no request of the protocol: {error}");
                return Err(failure(&id.unwrap_or_default(), -32_600, &text));
            }
        };
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                self.has_begun = true;
                let id = serde_json::to_string(&request.id).unwrap_or_default();
                self.open.with(|ids| ids.insert(id));
            }
            ClientJsonRpcMessage::Notification(_) if !self.has_begun => return Ok(None),
            ClientJsonRpcMessage::Notification(_) => {
                if let Some(id) = cancelled(text) {
                    self.open.close(&id);
                }
            }
            // The server asks its client nothing, so it expects no answer.
            _ => return Ok(None),
        }
        Ok(Some(message))
    }
}

/// The request that a notification cancels; it gets no answer.
fn cancelled(text: &[u8]) -> Option<Value> {
    let value: Value = serde_json::from_slice(text).ok()?;
    let is_cancelled = value.get("method")? == "notifications/cancelled";
    value.pointer("/params/requestId").filter(|_| is_cancelled).cloned()
}

fn failure(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

async fn write(stdout: &tokio::sync::Mutex<Stdout>, value: &Value) -> io::Result<()> {
    let line = format!("{value}\n");
    let mut stdout = stdout.lock().await;
    stdout.write_all(line.as_bytes()).await?;
    stdout.flush().await
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (stdout, open) = (Arc::clone(&self.stdout), Arc::clone(&self.open));
        async move {
            let value = serde_json::to_value(&item).map_err(io::Error::from)?;
            let id = value.get("id").filter(|_| value.get("method").is_none()).cloned();
            let written = match dialect::outgoing(value.clone()) {
                Some(value) => write(&stdout, &value).await,
                None => write(&stdout, &value).await,
            };
            if let Some(id) = id {
                open.close(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let open = Arc::clone(&self.open);
            open.has_place().await;
            let read = if let Ok(line) = self.next().await? {
                self.read(&line)
            } else {
                let text = format!("the message has more than {} bytes, the most allowed", self.bytes_max);
                Err(failure(&Value::Null, -32_600, &text))
            };
            match read {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(failure) => {
                    let stdout = Arc::clone(&self.stdout);
                    // In its own task, because dropping this future while it writes must not lose input.
                    tokio::spawn(async move { write(&stdout, &failure).await });
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.stdout.lock().await.flush().await
    }
}
