//! What a terminal gets and nobody else: colour, tables that fit, times as people say them.
//!
//! Decided once, from what the streams are and what the environment says. *Standards*: no-color.org, and any `NO_COLOR` counts, the
//! empty one too; ECMA-48, SGR.

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

/// What something means to whoever looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Waiting,
    Bad,
}

/// In what colour it is shown how a request came out.
impl From<Class> for Tone {
    fn from(class: Class) -> Self {
        match class {
            Class::Succeeded => Self::Good,
            Class::Open => Self::Waiting,
            Class::Failed | Class::Refused | Class::Unknown => Self::Bad,
        }
    }
}

/// What the two streams are.
#[derive(Debug, Clone, Copy, Default)]
struct Surface {
    colors_stdout: bool,
    colors_stderr: bool,
    /// The columns of the terminal that stdout is.
    columns: Option<usize>,
}

static SURFACE: OnceLock<Surface> = OnceLock::new();

/// A terminal narrower than this gets lines that it has to break itself.
const COLUMNS_MIN: usize = 40;

/// Decides, once for the whole invocation.
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

/// Whether the environment lets a terminal be coloured.
fn allows_color(variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let is_automation = ["CI", "GITHUB_ACTIONS", "JENKINS_URL"]
        .iter()
        .any(|name| variable(name).is_some_and(|value| !value.is_empty()));
    variable("NO_COLOR").is_none() && variable("TERM").is_none_or(|term| term != "dumb") && !is_automation
}

fn surface() -> Surface {
    SURFACE.get().copied().unwrap_or_default()
}

/// The columns that lines on stdout have to fit in; none where nobody looks at them directly.
pub(super) fn columns() -> Option<usize> {
    surface().columns
}

/// A word on stdout in the colour of its tone.
pub(super) fn paint(tone: Tone, word: &str) -> String {
    if surface().colors_stdout { colored(tone, word) } else { word.to_owned() }
}

/// The same on stderr.
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

/// A moment: how long ago on a terminal, else when.
pub(super) fn moment(time: DateTime<Utc>) -> String {
    match columns() {
        Some(_) => ago(time, Utc::now()),
        None => time.to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}

/// The columns that a text takes up, without its colours.
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
            allows_color(&move |asked: &str| (asked == name).then(|| value.into()))
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
