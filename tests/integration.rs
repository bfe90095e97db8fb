//! x
mod process;
