//! `gatepost-worker-browser`: drives Chromium through a list of actions.
//!
//! ```text
//! stdin: Assignment   ▶   stdout: a Report a line   out/: screenshots, long texts   stderr: why it failed
//! ```

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The program.
pub const WORKER: &str = "gatepost-worker-browser";

/// Exit status: an action did not succeed.
pub const FAILED: u8 = 1;

/// Exit status: the browser was not ready in time.
pub const NOT_READY: u8 = 2;

/// The assignment of the worker.
#[derive(Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// The browser.
    pub program: PathBuf,
    /// The address of the SOCKS proxy, its only egress; none without one. With SOCKS, a refusal of the proxy is not shown as a page.
    pub proxy: Option<String>,
    /// The time limit for its start, milliseconds.
    pub startup_ms: u64,
    /// The time limit for one action, milliseconds.
    pub action_ms: u64,
    /// Whether to take a screenshot after each action.
    pub screenshots: bool,
    /// The actions, in this order; the worker stops at the first failure.
    pub actions: Vec<Action>,
}

impl Assignment {
    /// As JSON.
    pub fn to_json(&self) -> String {
        // Texts, numbers and lists of them always serialize.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// One action on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Goes to an address.
    Navigate {
        /// `http` or `https`.
        url: String,
    },
    /// Goes back to the page before.
    GoBack,
    /// Reads the page, or one element with all that is in it.
    Extract {
        /// The form of the text.
        form: Form,
        /// The first element that matches this CSS selector.
        selector: Option<String>,
    },
    /// Presses the mouse button on an element.
    Click {
        /// The first element that matches this CSS selector.
        selector: String,
    },
    /// Types text into an element, or into the one that has the focus.
    TypeText {
        /// The text.
        text: String,
        /// The first element that matches this CSS selector.
        selector: Option<String>,
    },
    /// Submits a form, with its validation.
    SubmitForm {
        /// The form, or an element in it.
        selector: String,
    },
    /// Captures the viewport.
    Screenshot,
    /// Evaluates an expression in the page's own world.
    ExecuteJs {
        /// JavaScript; a promise is awaited.
        expression: String,
    },
    /// Waits until an element exists.
    WaitFor {
        /// A CSS selector.
        selector: String,
        /// The time limit, milliseconds.
        timeout_ms: u64,
    },
    /// Lists the open pages.
    ListTabs,
    /// Reports the load time of each resource of the page.
    NetworkTiming,
}

impl Action {
    /// Whether it leaves the page as it is.
    pub fn only_reads(&self) -> bool {
        matches!(self, Self::Extract { .. } | Self::Screenshot | Self::ListTabs | Self::NetworkTiming)
    }
}

/// The form in which a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The accessibility tree: one line for each element, indented.
    AccessibilityTree,
    /// Its present source.
    Html,
    /// The visible text.
    Text,
}

/// The outcome of an action: one line of the worker's output.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// When it began, milliseconds after the worker.
    pub began_ms: u64,
    /// How long it took, milliseconds.
    pub took_ms: u64,
    /// The failure; no action follows it.
    pub error: Option<Error>,
    /// The state of the page afterwards; null if it is unknown.
    pub results: Value,
}

/// Why an action did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    /// Whether it reached its time limit.
    pub is_timeout: bool,
    /// A clause that follows the name of the action.
    pub message: String,
}
