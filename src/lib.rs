//! gatepost: a filesystem mailbox with a gate. This crate is the command line, which starts the other programs.

pub mod cli;
