//! A server that is a program: started, connected by lines on its stdin and stdout, and ended.
//!
//! Its stderr is this process's. *Security*: it runs in the confinement of this process; processes that it leaves running end with the
//! sandbox. *Standards*: Model Context Protocol, "stdio" and "Shutdown".

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use gatepost_workers::mcp::{MESSAGE_BYTES_MAX, Texts};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Take};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

use super::conversation::Conversation;
use super::{BYTES_MAX, Failure, TOO_MUCH};

/// How long a server may take to end after its input has ended.
pub(super) const TIMEOUT: Duration = Duration::from_secs(2);

/// A running server; killed when it is dropped.
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

    /// Takes its transport.
    pub(super) fn lines(&mut self, conversation: Arc<Conversation>) -> Option<Lines> {
        let (output, input) = (self.0.stdout.take()?, self.0.stdin.take()?);
        let output = BufReader::new(output.take(BYTES_MAX));
        Some(Lines { input: Arc::new(Mutex::new(Some(input))), output, line: Vec::new(), conversation })
    }

    /// Waits for its end after its stdin was closed, and returns its status. Kills it if it does not end in time.
    pub(super) async fn end(mut self) -> Option<ExitStatus> {
        let Ok(ended) = tokio::time::timeout(TIMEOUT, self.0.wait()).await else {
            let _ = self.0.kill().await;
            return None;
        };
        ended.ok()
    }
}

/// Messages as lines. Ends at the first breach of the protocol.
pub(super) struct Lines {
    input: Arc<Mutex<Option<ChildStdin>>>,
    output: BufReader<Take<ChildStdout>>,
    /// The current, incomplete line.
    line: Vec<u8>,
    conversation: Arc<Conversation>,
}

impl Transport<RoleClient> for Lines {
    type Error = io::Error;

    fn send(&mut self, message: ClientJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.conversation.ask(&message);
        let input = self.input.clone();
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            match &mut *input.lock().await {
                Some(input) => input.write_all(&line).await,
                None => Err(io::ErrorKind::NotConnected.into()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            // The future may be dropped at any await: a partial line is kept for the next call.
            let left = (MESSAGE_BYTES_MAX + 2).saturating_sub(self.line.len());
            (&mut self.output).take(left as u64).read_until(b'\n', &mut self.line).await.ok()?;
            let is_whole = self.line.pop_if(|last| *last == b'\n').is_some();
            if !is_whole && self.line.len() <= MESSAGE_BYTES_MAX {
                if self.output.get_ref().limit() == 0 {
                    self.conversation.end(TOO_MUCH);
                }
                return None;
            }
            let message = self.conversation.receive(&std::mem::take(&mut self.line));
            if message.is_some() || self.conversation.breach().is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.input.lock().await.take();
        Ok(())
    }
}
