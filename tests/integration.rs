//! x
//! The tests of the whole package, in one program.

mod process;
mod request;
