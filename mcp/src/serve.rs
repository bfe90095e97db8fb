//! Serves the site to MCP clients: on stdin and stdout, or over HTTP on loopback.
//!
//! Only this module is asynchronous, as the library requires; file access runs on blocking threads.

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
/// The time that running file access gets at shutdown.
const END_TIME: Duration = Duration::from_secs(2);

/// Serves one client on stdin and stdout until it closes stdin or a signal comes. Returns the signal.
pub fn stdio(context: Arc<Context>, principal: Principal, stops: Stops) -> io::Result<Option<i32>> {
    let (runtime, board) = (runtime()?, Board::watch(&context.site, stops)?);
    let bytes_max = context.limits.message_bytes_max;
    let in_flight = Arc::new(InFlight::of(context.limits.calls_max));
    let handler = Handler::new(context, Arc::new(principal), Arc::clone(&board), in_flight);
    runtime.block_on(stdio::serve(handler, bytes_max, &board));
    // Notes and drops in progress are completed; a thread that waits for stdin never ends.
    runtime.shutdown_timeout(END_TIME);
    Ok(board.signal())
}

/// The settings of the HTTP server.
#[derive(Debug)]
pub struct Listen {
    /// The loopback address.
    pub address: SocketAddr,
    /// The file of tokens.
    pub tokens: PathBuf,
    /// Names of this server besides loopback's, as a proxy forwards them in `Host`.
    pub hosts: Vec<String>,
    /// Origins of web pages besides loopback's.
    pub origins: Vec<String>,
}

/// Serves clients over HTTP until a signal, and returns it.
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
