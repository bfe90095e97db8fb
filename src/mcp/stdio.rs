//! A server that is a program: started, spoken to by lines on its stdin and stdout, and ended.
//!
//! Its stderr is this process's. *Security*: it runs where this process runs, held as it is; what it leaves running ends with the
//! sandbox. *Standards*: Model Context Protocol, "stdio" and "Shutdown".

use std::process::Stdio;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncReadExt as _, Take};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::{BYTES_MAX, Failure, MESSAGE_BYTES_MAX, Texts};

/// How long a server may take to end once it is told.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// A server that runs; it is killed when it is dropped.
pub(super) struct Program(Child);

impl Program {
    /// Starts it.
    pub(super) fn start(argv: &[String], environment: &Texts<'_>) -> Result<Self, Failure> {
        let (program, arguments) = argv.split_first().ok_or_else(|| Failure::Start("it has no command".to_owned()))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(environment.iter().map(|(name, value)| (&**name, &**value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        command.spawn().map(Self).map_err(|error| Failure::Start(format!("{program}: {error}")))
    }

    /// The way to speak to it, once.
    pub(super) fn transport(&mut self) -> Option<AsyncRwTransport<RoleClient, Take<ChildStdout>, ChildStdin>> {
        let (output, input) = (self.0.stdout.take()?, self.0.stdin.take()?);
        let transport = AsyncRwTransport::new_client(output.take(BYTES_MAX), input);
        Some(transport.with_max_line_length(MESSAGE_BYTES_MAX))
    }

    /// Waits for its end, which begins when its stdin is closed, and makes one if it does not come.
    pub(super) async fn end(mut self) {
        if tokio::time::timeout(PATIENCE, self.0.wait()).await.is_err() {
            let _ = self.0.kill().await;
        }
    }
}
