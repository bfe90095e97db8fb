//! Retries after a run while the machine lacks a resource: the answer waits for the retry.

use std::thread;
use std::time::Duration;

use gatepost_mailbox::fault::{Fault, is_passing};

const PAUSES: [Duration; 5] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];

/// Retries a transient fault after growing pauses; less than 4 s in all.
pub(super) fn with_retries<T>(mut attempt: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    for pause in PAUSES {
        match attempt() {
            Err(fault) if is_passing(&fault.source) => thread::sleep(pause),
            ended => return ended,
        }
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use gatepost_mailbox::fault::OnPath;

    use super::*;

    #[test]
    fn what_may_pass_is_tried_again_and_nothing_else() {
        let tried = |errno: i32| {
            let mut attempts = 0;
            let outcome = with_retries(|| {
                attempts += 1;
                let failed = attempts == 1;
                let result = if failed { Err(io::Error::from_raw_os_error(errno)) } else { Ok(()) };
                result.on("open", Path::new("/out"))
            });
            (outcome.is_ok(), attempts)
        };
        assert_eq!(tried(libc::EMFILE), (true, 2));
        assert_eq!(tried(libc::EACCES), (false, 1));
    }
}
