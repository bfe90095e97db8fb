//! The tests of the whole package, in one program.

mod request;
