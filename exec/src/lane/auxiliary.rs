//! Runs a program beside the tool of a request, confined like the tool, for its output: a parser, or a query for a version.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use gatepost_documents::evidence::Limits;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_sandbox::cancel::Cancel;
use gatepost_sandbox::process::{self, Cause, Ended, Exit, Job, ProcessError};

use crate::context::Context;
use crate::lane::ending;
use crate::lane::retry::with_retries;
use crate::lane::workplace::Workplace;

/// The output of a program, or a sentence that says why there is none.
pub(super) type Output = Result<Vec<u8>, String>;

/// The outcome of a program. If it started, its stderr is the file `stderr` in the folder of its workplace.
pub(super) struct Report {
    /// Its stdout, if it succeeded; bounded by its limits.
    pub(super) output: Output,
    /// How long it ran.
    pub(super) took: Duration,
    /// Whether its time limit ended it.
    pub(super) is_timeout: bool,
}

/// Runs the program `argv`. `name` begins the sentence that says why there is no output, as in "The parser".
pub(super) fn execute(
    (context, cancel): (&Context, &Cancel),
    workplace: &Workplace,
    name: &str,
    argv: &[OsString],
    environment: &[(OsString, OsString)],
    limits: &Limits,
) -> Result<Report, Fault> {
    let (stdout, stderr) = (workplace.folder().join("stdout"), workplace.folder().join("stderr"));
    let job = Job {
        argv,
        environment,
        input: None,
        console: None,
        work_dir: workplace.folder(),
        confinement: workplace.confinement(),
        limits,
        grace: Duration::from_millis(context.config.exec.grace_ms),
        stdout: &stdout,
        stderr: &stderr,
        cancel: Some(cancel),
        started: &Cell::new(false),
    };
    let ended = match with_retries(|| run(&job))? {
        Ok(ended) => ended,
        Err(error) => {
            let output = Err(format!("{name} did not start: {error}."));
            return Ok(Report { output, took: Duration::ZERO, is_timeout: false });
        }
    };
    let output = match (ended.cause, ended.exit) {
        (Cause::Own, Exit::Code(0)) => read_bounded(&stdout, limits.stdout_bytes)?,
        (Cause::Own, Exit::Code(code)) => Err(format!("{name} ended with exit code {code}.")),
        (Cause::Own, Exit::Signal(signal)) => Err(format!("{name} was killed by signal {signal}.")),
        (cause, _) => Err(ending::stopped(cause, &ended.limits, name).1),
    };
    Ok(Report { output, took: ended.duration, is_timeout: ended.cause == Cause::TimeLimit })
}

fn run(job: &Job<'_>) -> Result<Result<Ended, ProcessError>, Fault> {
    // Files of an earlier attempt; a run creates them itself.
    for stream in [job.stdout, job.stderr] {
        let _ = fs::remove_file(stream);
    }
    match process::run(job).map_err(|error| error.into_fault(job)) {
        Ok(ended) => Ok(Ok(ended)),
        Err(Ok(fault)) => Err(fault),
        Err(Err(error)) => Ok(Err(error)),
    }
}

/// The content of a file that a tool may have made; follows no link.
pub(super) fn read_bounded(path: &Path, bytes_max: u64) -> Result<Output, Fault> {
    let too_many = || format!("The output has more than {bytes_max} bytes, too many to be parsed.");
    let (bytes, is_whole) = read_beginning(path, bytes_max)?;
    Ok(Some(bytes).filter(|_| is_whole).ok_or_else(too_many))
}

/// The same, up to a number of bytes, and whether the file is complete.
pub(super) fn read_beginning(path: &Path, bytes_max: u64) -> Result<(Vec<u8>, bool), Fault> {
    let read = || {
        let mut bytes = Vec::new();
        let file = File::options().read(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
        file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map(|_| bytes)
    };
    let mut bytes = with_retries(|| read().on("read", path))?;
    let is_whole = bytes.len() as u64 <= bytes_max;
    bytes.truncate(usize::try_from(bytes_max).unwrap_or(usize::MAX));
    Ok((bytes, is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_not_read_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        std::fs::write(&file, "secret").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_bounded(&file, 6).unwrap().unwrap(), b"secret");
        assert!(read_bounded(&file, 5).unwrap().is_err());
        assert!(read_bounded(&link, 6).is_err());
    }
}
