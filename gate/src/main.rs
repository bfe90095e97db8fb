//! The program `gatepost-gate`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gatepost_gate::cli::main(std::env::args_os())
}
