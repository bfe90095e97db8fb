//! What gatepost's own programs inside the sandbox have in common: how each is asked for, and how it says what went wrong.
//!
//! They are commands that no people are told of, each with one argument or with what it is to do on stdin.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write as _};

/// Whether a process's arguments, the name first, ask for the worker `command` and nothing else.
pub fn is_asked(arguments: &[OsString], command: &str) -> bool {
    matches!(arguments, [_, asked] if asked == command)
}

/// Says what went wrong, on stderr. Without one the exit status still says it.
pub fn say(text: &dyn Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_command_asks_for_a_worker() {
        let asked = |arguments: &[&str]| is_asked(&arguments.iter().map(OsString::from).collect::<Vec<_>>(), "worker");
        assert!(asked(&["gatepost", "worker"]));
        assert!(!asked(&["gatepost"]) && !asked(&["worker"]) && !asked(&["gatepost", "worker", "x"]));
    }
}
