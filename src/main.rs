//! The program `gatepost`.

use std::ffi::OsString;
use std::process::ExitCode;

use gatepost::browser;
use gatepost::http;
use gatepost::mcp;
use gatepost::monty::worker::WorkerCommand;
use gatepost::worker::is_asked;

/// The system's allocator, counted; only the worker of the lane `monty` sets it a limit.
#[global_allocator]
static ALLOCATOR: monty_alloc::LimitedAllocator = monty_alloc::LimitedAllocator;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match WorkerCommand::read(&arguments) {
        Some(command) => command.carry_out(),
        None if is_asked(&arguments, browser::worker::COMMAND) => browser::worker::main(),
        None if is_asked(&arguments, http::worker::COMMAND) => http::worker::main(),
        None if is_asked(&arguments, mcp::worker::COMMAND) => mcp::worker::main(),
        None => gatepost::cli::main(arguments),
    }
}
