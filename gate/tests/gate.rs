//! The gate's tests across modules: documents in, answers out.

mod front_matter;
