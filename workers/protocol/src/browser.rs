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

/// What the worker is to do.
#[derive(Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// The browser.
    pub program: PathBuf,
    /// The address of the proxy, its only way out; without one it has none. Spoken to by SOCKS, so that what the proxy refuses is no page.
    pub proxy: Option<String>,
    /// Until it is ready, milliseconds.
    pub startup_ms: u64,
    /// For one action, milliseconds.
    pub action_ms: u64,
    /// Whether the page is captured after each action.
    pub screenshots: bool,
    /// What is to be done, in this order, until one does not succeed.
    pub actions: Vec<Action>,
}

impl Assignment {
    /// As JSON.
    pub fn to_json(&self) -> String {
        // Texts, numbers and lists of them are JSON always.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// One thing that is done to a page.
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
        /// In which form.
        form: Form,
        /// The first element that matches this CSS selector.
        selector: Option<String>,
    },
    /// Presses the mouse button on an element.
    Click {
        /// The first element that matches this CSS selector.
        selector: String,
    },
    /// Enters text as typing does, into an element or into the one that has the focus.
    TypeText {
        /// What is entered.
        text: String,
        /// The first element that matches this CSS selector.
        selector: Option<String>,
    },
    /// Submits a form, with its validation.
    SubmitForm {
        /// The form, or an element in it.
        selector: String,
    },
    /// Captures what is in view.
    Screenshot,
    /// Evaluates an expression among the scripts of the page.
    ExecuteJs {
        /// JavaScript; a promise is waited for.
        expression: String,
    },
    /// Waits until an element is there.
    WaitFor {
        /// A CSS selector.
        selector: String,
        /// At most so long, milliseconds.
        timeout_ms: u64,
    },
    /// Lists the open pages.
    ListTabs,
    /// Says how long each resource of the page took.
    NetworkTiming,
}

impl Action {
    /// Whether it leaves the page as it is.
    pub fn only_reads(&self) -> bool {
        matches!(self, Self::Extract { .. } | Self::Screenshot | Self::ListTabs | Self::NetworkTiming)
    }
}

/// In which form a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// What it means, as assistive technology is told: one line for each element, indented.
    AccessibilityTree,
    /// Its source, as it stands now.
    Html,
    /// The text that is in view.
    Text,
}

/// What became of an action: one line of the worker's output.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// When it began, milliseconds after the worker.
    pub began_ms: u64,
    /// How long it took, milliseconds.
    pub took_ms: u64,
    /// What went wrong; nothing more was done then.
    pub error: Option<Error>,
    /// What is to be seen afterwards; null where it is not known.
    pub results: Value,
}

/// Why an action did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    /// Whether it is that its time ran out.
    pub is_timeout: bool,
    /// A clause that follows the name of the action.
    pub message: String,
}
