//! x
pub mod process;
pub mod sandbox;
