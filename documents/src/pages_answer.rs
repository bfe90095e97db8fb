//! The answer of `gatepost-pages`: one line of JSON on stdout, for the command line that started it.
//!
//! ```text
//! {"page":{"requests_count":3,"html":"<!DOCTYPE html>…"}}
//! {"served":{"address":"http://127.0.0.1:8170/","signal":15}}
//! {"unavailable":"Address already in use (os error 98)"}
//! {"fault":{"operation":"list","path":"/…/outbox","errno":5,"message":"Input/output error (os error 5)"}}
//! ```

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::exit;

/// How it ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A page of all requests.
    Page {
        /// How many requests it counts.
        requests_count: usize,
        /// The whole page.
        html: String,
    },
    /// Pages were served until a signal came.
    Served {
        /// Where, as a URL.
        address: String,
        /// The signal.
        signal: i32,
    },
    /// The address cannot be listened on.
    Unavailable(String),
    /// The site could not be read.
    Fault {
        /// What was being done.
        operation: String,
        /// What it was done to.
        path: PathBuf,
        /// What the system said, as its number.
        errno: Option<i32>,
        /// The same in words.
        message: String,
    },
}

impl Answer {
    /// The exit status that goes with it.
    pub fn exit(&self) -> u8 {
        match self {
            Self::Page { .. } | Self::Served { .. } => exit::SUCCESS,
            Self::Unavailable(_) => exit::UNAVAILABLE,
            Self::Fault { .. } => exit::GENERAL,
        }
    }
}
