//! The program `gatepost-gate`. Declared by the package at the root, so that one installation brings both programs.

use std::process::ExitCode;

fn main() -> ExitCode {
    gatepost_gate::cli::main(std::env::args_os())
}
