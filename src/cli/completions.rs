//! `gatepost completions`: the completion script of a shell, generated from the definitions of the arguments.
//!
//! The script is printed raw on any stdout, for shells and packagers. If JSON is requested explicitly, it is embedded
//! in the document.

use crate::cli::prelude::*;

/// `gatepost completions`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("completions", data::<Script>).anywhere().prints_data(&[]);

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  source <(gatepost completions bash)\n  \
    gatepost completions fish > ~/.config/fish/completions/gatepost.fish\n\n\
    The Debian package installs them for all three.")]
pub(super) struct Arguments {
    /// The shell that will read the script.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Serialize, JsonSchema)]
struct Script {
    shell: String,
    script: String,
}

impl View for Script {
    fn text(&self) -> String {
        self.script.clone()
    }
}

/// The script for a shell and the program of these definitions.
pub(super) fn run(arguments: &Arguments, mut program: clap::Command, bounds: &Bounds) -> Outcome {
    let shell = match arguments.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let (name, mut script) = (program.get_name().to_owned(), Vec::new());
    clap_complete::generate(shell, &mut program, name, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match bounds.embedded_bytes_max {
        Some(_) => Outcome::done(&Script { shell: shell.to_string(), script }),
        None => Outcome::verbatim(script),
    }
}
