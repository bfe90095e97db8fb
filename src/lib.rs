//! x

pub mod argument_value;
pub mod request;
