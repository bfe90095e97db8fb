//! Connections, bounded in number and time, until the stop signal.

use std::io;
use std::net;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// Concurrent connections; more wait to be accepted.
const CONNECTIONS_MAX: usize = 64;
/// Threads that read the site.
const READERS_MAX: usize = 8;
/// Timeout of a client that sends the head of the first or the next request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Timeout of a client that does not read, milliseconds.
const STALL_MS: u32 = 10_000;
/// The most bytes of a head; hyper takes no smaller buffer than 8 KiB.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// How long a connection may last, a slow download included.
const CONNECTION_TIME: Duration = Duration::from_mins(10);
/// The time that open responses get at shutdown.
const END_TIME: Duration = Duration::from_secs(2);
/// Pause after a failed accept, for example without free descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until a signal and returns it.
pub(super) fn serve(listener: net::TcpListener, routes: Router, stopped: oneshot::Receiver<i32>) -> io::Result<i32> {
    listener.set_nonblocking(true)?;
    let runtime = Builder::new_current_thread().max_blocking_threads(READERS_MAX).enable_all().build()?;
    let signal = runtime.block_on(accept(listener, routes, stopped));
    // A reader that hangs on a slow disk must not delay the shutdown.
    runtime.shutdown_background();
    signal
}

async fn accept(listener: net::TcpListener, routes: Router, mut stopped: oneshot::Receiver<i32>) -> io::Result<i32> {
    let listener = TcpListener::from_std(listener)?;
    let (places, graceful) = (Arc::new(Semaphore::new(CONNECTIONS_MAX)), GracefulShutdown::new());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD_BYTES_MAX);
    let signal = loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            signal = &mut stopped => break signal.map_err(io::Error::other)?,
            next = next => next,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // Without it the connection still ends, only later.
        let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, STALL_MS);
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes.clone()));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A failure of a connection concerns only its client.
            let _ = timeout(CONNECTION_TIME, connection).await;
            drop(place);
        });
    };
    drop(listener);
    let _ = timeout(END_TIME, graceful.shutdown()).await;
    Ok(signal)
}
