//! One call of a tool of an MCP server, by the protocol's official SDK.
//!
//! ```text
//! connect ▶ initialize ▶ tools/list ▶ is it there, unchanged, and does it take the arguments? ▶ tools/call ▶ result, in its bytes ▶ end
//! ```
//!
//! The SDK is asynchronous; [`call`] blocks. It sets no time limit: the caller does. A call is sent once, and never repeated.
//!
//! *Security*: the server is hostile. Each message and the sum of all are bounded, its requests to us are refused, and its
//! notifications are dropped. A breach of the protocol ends the conversation. *Standards*: Model Context Protocol, in the versions that
//! the SDK negotiates.

mod answer;
mod client;
mod conversation;
mod failure;
mod http;
mod schema;
mod stdio;

use std::io;
use std::sync::Arc;

use gatepost_workers::mcp::{Call, Server};
use rmcp::model::{CallToolRequestParams, PaginatedRequestParams};
use rmcp::service::Peer;
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::Value;

pub use answer::Answer;
use client::Refusing;
use conversation::Conversation;
pub use failure::Failure;

/// The most that all messages of a server may have together, bytes.
const BYTES_MAX: u64 = 64 << 20;
const TOO_MUCH: &str = "it sent more than 64 MiB";

/// The most pages of its list of tools that are requested.
const PAGES_MAX: usize = 100;

/// The most tools that an error for a missing tool names.
const NAMES_MAX: usize = 50;

/// Events for the caller during the call.
pub trait Listener {
    /// The schema of the tool's arguments as the server lists it: JSON with sorted keys, in one spelling. If it cannot be stored, the
    /// tool is not called.
    fn listed(&mut self, schema: &str) -> io::Result<()>;

    /// The result, before the server is shut down, which may take long; and why it does not fit the server's output schema.
    fn answered(&mut self, result: &Answer, unfit: Option<&str>);
}

/// Calls the tool.
pub fn call(call: &Call<'_>, listener: &mut impl Listener) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Start(error.to_string()))?;
    let called = runtime.block_on(converse(call, listener));
    // A server that does not end its answer must not block this.
    runtime.shutdown_background();
    called
}

async fn converse(call: &Call<'_>, listener: &mut impl Listener) -> Result<(), Failure> {
    let conversation = Arc::new(Conversation::default());
    match &call.server {
        Server::Stdio { argv, environment } => {
            let mut program = stdio::Program::start(argv, environment)?;
            let lines = program.lines(conversation.clone());
            let lines = lines.ok_or_else(|| Failure::Start("it has no stdio".to_owned()))?;
            let called = ask(lines, &conversation, call, listener).await;
            let failed = program.end().await.filter(|status| !status.success());
            called.map_err(|failure| match failed {
                Some(status) => failure.of_ended(status),
                None => failure,
            })
        }
        Server::Http { url, headers, ca_file, proxy } => {
            let transport = http::transport(url, headers, ca_file.as_deref(), proxy.as_deref(), conversation.clone())?;
            ask(transport, &conversation, call, listener).await
        }
    }
}

async fn ask<T, E, A>(
    transport: T,
    conversation: &Conversation,
    call: &Call<'_>,
    listener: &mut impl Listener,
) -> Result<(), Failure>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let why = |message: String| conversation.breach().map_or(message, str::to_owned);
    let served = Refusing.serve(transport).await;
    let mut service = served.map_err(|error| Failure::Initialize(why(failure::of_start(&error))))?;
    let called = async {
        let tool = find(&service, conversation, &call.tool, &why).await?;
        let Value::Object(input) = &tool["inputSchema"] else {
            return Err(Failure::Schema("it is not an object".to_owned()));
        };
        let schema = schema::canonical(input);
        listener.listed(&schema).map_err(Failure::Store)?;
        schema::check(&schema, call.schema_sha256, &call.arguments)?;
        let request =
            CallToolRequestParams::new(call.tool.to_string()).with_arguments(call.arguments.clone().into_owned());
        let response = service.call_tool_once(request).await;
        response.map_err(|error| Failure::Call(why(failure::of_request(&error))))?;
        let answer = conversation.take_answer().ok_or_else(|| Failure::Call(failure::OTHER_KIND.to_owned()))?;
        if let Some(fault) = answer.fault() {
            return Err(Failure::Call(fault.to_owned()));
        }
        let unfit = schema::unfit(&tool["outputSchema"], &answer);
        listener.answered(&answer, unfit.as_deref());
        Ok(())
    };
    let called = called.await;
    let _ = service.close_with_timeout(stdio::TIMEOUT).await;
    called
}

/// The server's entry for this tool, searched page by page. Ignores all other tools.
async fn find(
    server: &Peer<RoleClient>,
    conversation: &Conversation,
    name: &str,
    why: &impl Fn(String) -> String,
) -> Result<Value, Failure> {
    let (mut listed, mut cursor) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = server.list_tools(Some(page)).await;
        page.map_err(|error| Failure::Listing(why(failure::of_request(&error))))?;
        let mut page = conversation.take_answer().map(|answer| answer.value).unwrap_or_default();
        let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
            return Err(Failure::Listing("its answer has no list of tools".to_owned()));
        };
        for tool in tools {
            match tool["name"].as_str() {
                Some(other) if other == name => return Ok(tool),
                other => listed.extend(other.map(str::to_owned)),
            }
        }
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            listed.truncate(NAMES_MAX);
            return Err(Failure::NoTool { tool: name.to_owned(), listed });
        }
    }
    Err(Failure::Listing(format!("it has more than {PAGES_MAX} pages of them")))
}
