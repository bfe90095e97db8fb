//! The lanes: how a request is executed.
//!
//! `clad` calls a manifest. `ERA` (one command line in the heavy sandbox) and `monty` (a Python subset) are read and checked
//! in full, and refused: this version does not run them.

pub mod clad;
pub mod workplace;

use gatepost_gate::reason::{Code, Reason};

use crate::request::{CladCall, Lane};

/// The call of a lane that this version runs.
pub fn available(lane: &Lane) -> Result<&CladCall, Reason> {
    let name = match lane {
        Lane::Clad(call) => return Ok(call),
        Lane::Era(_) => "ERA",
        Lane::Monty(_) => "monty",
    };
    let message = format!("The request is valid, but this version does not run the lane {name}.");
    let hint = "Ask for a tool with a manifest (backend: clad); `gatepost tools list` shows every one.";
    Err(Reason::new(Code::LaneUnavailable, message, hint))
}
