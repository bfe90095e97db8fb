//! gatepost: a filesystem mailbox with a gate. The command line, which starts the other programs.

pub mod cli;
