//! Terminal output: colour, tables that fit, relative times.
//!
//! Decided once, from the streams and the environment. *Standards*: no-color.org (any `NO_COLOR` counts, also an empty
//! one); ECMA-48, SGR.

use std::ffi::OsString;
use std::io::{IsTerminal as _, stderr, stdout};
use std::sync::OnceLock;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_mailbox::life::Class;

use super::list::ago;

/// When text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless the environment forbids it.
    Auto,
    Always,
    Never,
}

/// The meaning of a word for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Waiting,
    Bad,
}

/// The colour of an outcome.
impl From<Class> for Tone {
    fn from(class: Class) -> Self {
        match class {
            Class::Succeeded => Self::Good,
            Class::Open => Self::Waiting,
            Class::Failed | Class::Refused | Class::Unknown => Self::Bad,
        }
    }
}

/// The properties of the two streams.
#[derive(Debug, Clone, Copy, Default)]
struct Surface {
    colors_stdout: bool,
    colors_stderr: bool,
    /// The width of the terminal on stdout.
    columns: Option<usize>,
}

static SURFACE: OnceLock<Surface> = OnceLock::new();

/// A narrower terminal breaks lines itself.
const COLUMNS_MIN: usize = 40;

/// Detects the streams, once per invocation.
pub(super) fn begin(color: Color) {
    let allowed = allows_color(&|name| std::env::var_os(name));
    let colors = |is_terminal: bool| match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && allowed,
    };
    let columns = stdout().is_terminal().then(|| rustix::termios::tcgetwinsize(stdout()).ok()).flatten();
    let columns = columns.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    let surface = Surface {
        colors_stdout: colors(stdout().is_terminal()),
        colors_stderr: colors(stderr().is_terminal()),
        columns: columns.map(|columns| columns.max(COLUMNS_MIN)),
    };
    let _ = SURFACE.set(surface);
}

/// Whether the environment permits colour on a terminal.
fn allows_color(variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let is_automation = ["CI", "GITHUB_ACTIONS", "JENKINS_URL"]
        .iter()
        .any(|name| variable(name).is_some_and(|value| !value.is_empty()));
    variable("NO_COLOR").is_none() && variable("TERM").is_none_or(|term| term != "dumb") && !is_automation
}

fn surface() -> Surface {
    SURFACE.get().copied().unwrap_or_default()
}

/// The width for lines on stdout; none if stdout is not a terminal.
pub(super) fn columns() -> Option<usize> {
    surface().columns
}

/// A word on stdout in the colour of its tone.
pub(super) fn paint(tone: Tone, word: &str) -> String {
    if surface().colors_stdout { colored(tone, word) } else { word.to_owned() }
}

/// A word on stderr in the colour of its tone.
pub(super) fn paint_message(tone: Tone, word: &str) -> String {
    if surface().colors_stderr { colored(tone, word) } else { word.to_owned() }
}

fn colored(tone: Tone, word: &str) -> String {
    let code = match tone {
        Tone::Good => 32,
        Tone::Waiting => 33,
        Tone::Bad => 31,
    };
    format!("\x1b[{code}m{word}\x1b[0m")
}

/// A time: relative on a terminal, otherwise absolute.
pub(super) fn moment(time: DateTime<Utc>) -> String {
    match columns() {
        Some(_) => ago(time, Utc::now()),
        None => time.to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}

/// The width of a text without its colours.
pub(super) fn width(text: &str) -> usize {
    let (mut width, mut is_sequence) = (0, false);
    for character in text.chars() {
        match character {
            '\x1b' => is_sequence = true,
            'm' if is_sequence => is_sequence = false,
            _ => width += usize::from(!is_sequence),
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_no_color_a_dumb_terminal_and_automation_keep_colours_away() {
        let allowed = |name: &'static str, value: &'static str| {
            allows_color(&move |variable: &str| (variable == name).then(|| value.into()))
        };
        assert!(allowed("TERM", "xterm") && allowed("CI", ""));
        for (name, value) in
            [("NO_COLOR", ""), ("NO_COLOR", "1"), ("TERM", "dumb"), ("CI", "true"), ("JENKINS_URL", "x")]
        {
            assert!(!allowed(name, value), "{name}={value}");
        }
    }

    #[test]
    fn colours_take_up_no_columns() {
        assert_eq!((width("abé"), width(&colored(Tone::Bad, "abé"))), (3, 3));
    }
}
