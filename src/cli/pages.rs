//! Starts `gatepost-pages`, which reads and shows the site, and reads its single answer. This program never shows strangers' words.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use gatepost_documents::pages_answer::Answer;

use super::sibling;
use crate::cli::prelude::*;

/// A page of a thousand requests has about 5 MB, and may quote as much of each as evidence holds.
const ANSWER_BYTES_MAX: u64 = 1 << 30;

/// The running program.
pub(super) struct Pages {
    child: Child,
}

/// The failure for an unexpected answer.
pub(super) fn failure(answer: Answer) -> Failure {
    match answer {
        Answer::Fault { operation, path, errno, message } => {
            let source = errno.map_or_else(|| io::Error::other(message), io::Error::from_raw_os_error);
            // The process ends with it, so the leak is harmless.
            Fault { operation: operation.leak(), path, source }.into()
        }
        Answer::Page { .. } | Answer::Served { .. } | Answer::Unavailable(_) => ended("with another answer"),
    }
}

impl Pages {
    /// Starts it for a command.
    pub(super) fn start<'a>(
        site: &Site,
        command: &str,
        words: impl Iterator<Item = &'a OsStr>,
    ) -> Result<Self, Failure> {
        let program = sibling::program(sibling::PAGES)?;
        let mut started = Command::new(&program);
        started.arg(command).arg("--with-parent").arg("--site").arg(site.root()).args(words);
        // A key press in the terminal reaches only the parent, which forwards it. The child stops when its standard input closes.
        started.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        Ok(Self { child: started.spawn().on("start", &program)? })
    }

    /// Its process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its final answer.
    pub(super) fn answer(mut self) -> Result<Answer, Failure> {
        let program = Path::new(sibling::PAGES);
        // A closed standard input would stop the program early.
        let _stdin = self.child.stdin.take();
        let mut answer = Vec::new();
        if let Some(stdout) = self.child.stdout.take() {
            stdout.take(ANSWER_BYTES_MAX).read_to_end(&mut answer).on("read the answer of", program)?;
        }
        let status = self.child.wait().on("wait for", program)?;
        serde_json::from_slice(&answer).map_err(|_| ended(&status.to_string()))
    }
}

fn ended(how: &str) -> Failure {
    let message = format!("{} ended without an answer: {how}.", sibling::PAGES);
    let hint = "Run it alone to see its messages.";
    Failure::new(ErrorCode::IoError, FailureKind::Runtime, message, hint).during("read_answer", sibling::PAGES)
}
