//! Serves the site to MCP clients: on stdin and stdout, or over HTTP on loopback.
//!
//! Asynchronous code lies here alone, because the library needs it; what reads and writes the site runs on threads for blocking calls.

mod board;
mod handler;
mod http;
mod legacy;
mod stdio;
mod waiting;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gatepost_mailbox::log::Log;
use gatepost_mailbox::stops::Stops;
use tokio::runtime::{Builder, Runtime};

use crate::context::Context;
use crate::principal::Principal;
use board::Board;
use handler::Handler;
use waiting::InFlight;

/// Threads that read and write the site.
const READERS_MAX: usize = 64;
/// How long what reads and writes the site may take to end once it stops.
const END_TIME: Duration = Duration::from_secs(2);

/// Serves one client on stdin and stdout until it closes stdin or a signal comes, which is returned.
pub fn stdio(context: Arc<Context>, principal: Principal, stops: Stops) -> io::Result<Option<i32>> {
    let (runtime, board) = (runtime()?, Board::watch(&context.site, stops)?);
    let bytes_max = context.limits.message_bytes_max;
    let in_flight = Arc::new(InFlight::of(context.limits.calls_max));
    let handler = Handler::new(context, Arc::new(principal), Arc::clone(&board), in_flight);
    runtime.block_on(stdio::serve(handler, bytes_max, &board));
    // What is being noted and dropped is brought to its end; a thread that waits for stdin has none.
    runtime.shutdown_timeout(END_TIME);
    Ok(board.signal())
}

/// Where and for whom it listens.
#[derive(Debug)]
pub struct Listen {
    /// The loopback address.
    pub address: SocketAddr,
    /// The file of tokens.
    pub tokens: PathBuf,
    /// Names of this server beside those of the loopback, as a proxy passes them on in `Host`.
    pub hosts: Vec<String>,
    /// Origins of web pages beside those of the loopback.
    pub origins: Vec<String>,
}

/// Serves clients over HTTP until a signal comes, which is returned.
pub fn http(context: Arc<Context>, listen: Listen, stops: Stops, log: Log) -> io::Result<Option<i32>> {
    let listener = std::net::TcpListener::bind(listen.address)?;
    listener.set_nonblocking(true)?;
    let (runtime, board) = (runtime()?, Board::watch(&context.site, stops)?);
    let server = http::Server::new(context, listen, Arc::clone(&board), log);
    runtime.block_on(http::serve(listener, server))?;
    runtime.shutdown_timeout(END_TIME);
    Ok(board.signal())
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(2).max_blocking_threads(READERS_MAX).enable_all().build()
}
