//! The one page of a browser: the actions on it, and its events meanwhile.

use std::time::{Duration, Instant};

use gatepost_documents::text::quoted;
use serde_json::{Value, json};

use super::devtools::{Connection, Message, Trouble};

/// How long a page must be idle to count as settled.
const QUIET: Duration = Duration::from_millis(250);

/// How long a loaded page may continue to fetch.
const FETCHING_MAX: Duration = Duration::from_secs(2);

/// How long after its deadline the browser terminates a script.
const TERMINATED_AFTER: Duration = Duration::from_millis(500);

/// The number of a node of the DOM, until the document changes.
pub(crate) type Node = u64;

/// A page, with its own events.
pub(crate) struct Page<W> {
    connection: Connection<W>,
    /// Its session id in the protocol.
    session: String,
    /// The id of the page and its main frame in the protocol.
    target: String,
    is_loading: bool,
    /// Whether the network is idle.
    is_idle: bool,
    has_crashed: bool,
    /// The address of a failed navigation; the page shows the error.
    missed: Option<String>,
    /// The number of refused windows, dialogs and downloads.
    pub refused: u64,
}

impl<W: std::io::Write> Page<W> {
    /// The initial page of a browser.
    pub(crate) fn attach(connection: Connection<W>, deadline: Instant) -> Result<Self, Trouble> {
        let mut page = Self {
            connection,
            session: String::new(),
            target: String::new(),
            is_loading: false,
            is_idle: true,
            has_crashed: false,
            missed: None,
            refused: 0,
        };
        let target = loop {
            let found = page.call("Target.getTargets", &json!({"filter": [{"type": "page"}]}), deadline)?;
            if let Some(target) = found["targetInfos"][0]["targetId"].as_str() {
                break target.to_owned();
            }
            page.wait(Duration::from_millis(50), deadline)?;
        };
        let attached = page.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}), deadline)?;
        page.call("Browser.setDownloadBehavior", &json!({"behavior": "deny", "eventsEnabled": true}), deadline)?;
        // The target is set first: any other page is a window that this one opened.
        page.target = target;
        page.call("Target.setDiscoverTargets", &json!({"discover": true}), deadline)?;
        attached["sessionId"].as_str().unwrap_or_default().clone_into(&mut page.session);
        for domain in ["Page", "DOM", "Accessibility", "Inspector"] {
            page.call(&format!("{domain}.enable"), &json!({}), deadline)?;
        }
        page.call("Page.setLifecycleEventsEnabled", &json!({"enabled": true}), deadline)?;
        Ok(page)
    }

    /// Calls a method and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, params: &Value, deadline: Instant) -> Result<Value, Trouble> {
        let is_of_browser = ["Target.", "Browser."].iter().any(|domain| method.starts_with(domain));
        let session = if is_of_browser { String::new() } else { self.session.clone() };
        let id = self.connection.send(&session, method, params)?;
        // A page that is never idle does not extend the wait.
        while Instant::now() < deadline {
            let message = self.connection.next(deadline)?.ok_or(Trouble::Timeout)?;
            match message.answer(id) {
                Ok(answer) => return answer,
                Err(event) => self.note(&event)?,
            }
            if self.has_crashed {
                return Err(Trouble::Gone("lost the page, which crashed"));
            }
        }
        Err(Trouble::Timeout)
    }

    /// Processes events for this time.
    pub(crate) fn wait(&mut self, duration: Duration, deadline: Instant) -> Result<(), Trouble> {
        let until = deadline.min(Instant::now() + duration);
        while Instant::now() < until
            && let Some(event) = self.connection.next(until)?
        {
            self.note(&event)?;
        }
        if Instant::now() < deadline { Ok(()) } else { Err(Trouble::Timeout) }
    }

    /// Waits until the page is loaded and idle.
    pub(crate) fn settle(&mut self, deadline: Instant) -> Result<(), Trouble> {
        self.wait(QUIET, deadline)?;
        while self.is_loading {
            self.wait(QUIET, deadline)?;
        }
        let fetching = Instant::now() + FETCHING_MAX;
        while !self.is_idle && Instant::now() < fetching {
            self.wait(QUIET, deadline)?;
        }
        if self.has_crashed { Err(Trouble::Gone("lost the page, which crashed")) } else { Ok(()) }
    }

    fn note(&mut self, event: &Message) -> Result<(), Trouble> {
        let Message { method, params, session, .. } = event;
        let is_own = *session == self.session && params["frameId"] == *self.target;
        match method.as_str() {
            "Page.frameStartedLoading" | "Page.frameStartedNavigating" if is_own => {
                self.is_loading = true;
                self.is_idle = false;
            }
            "Page.frameStoppedLoading" if is_own => self.is_loading = false,
            "Page.frameNavigated" if *session == self.session && params["frame"]["id"] == *self.target => {
                self.missed = params["frame"]["unreachableUrl"].as_str().map(str::to_owned);
            }
            "Page.lifecycleEvent" if is_own && params["name"] == "networkIdle" => self.is_idle = true,
            "Inspector.targetCrashed" => self.has_crashed = true,
            "Page.javascriptDialogOpening" => {
                self.refused += 1;
                // A page may open a dialog when it is left.
                let is_leaving = params["type"] == "beforeunload";
                let params = json!({"accept": is_leaving});
                self.connection.send(&self.session, "Page.handleJavaScriptDialog", &params)?;
            }
            "Browser.downloadWillBegin" => self.refused += 1,
            "Target.targetCreated" => self.close_window(&params["targetInfo"])?,
            _ => {}
        }
        Ok(())
    }

    fn close_window(&mut self, target: &Value) -> Result<(), Trouble> {
        let is_other = target["type"] == "page" && target["targetId"] != *self.target;
        if is_other && !self.target.is_empty() {
            self.refused += 1;
            self.connection.send("", "Target.closeTarget", &json!({"targetId": target["targetId"]}))?;
        }
        Ok(())
    }

    /// The browser's id of the load of the present document. Each navigation to a new document changes it.
    pub(crate) fn load(&mut self, deadline: Instant) -> Result<Value, Trouble> {
        let tree = self.call("Page.getFrameTree", &json!({}), deadline)?;
        Ok(tree["frameTree"]["frame"]["loaderId"].clone())
    }

    /// The browser's information on the page, if it exists.
    pub(crate) fn info(&mut self, deadline: Instant) -> Result<Value, Trouble> {
        if let Some(missed) = &self.missed {
            return Err(Trouble::Refused(format!("led to {}, which could not be loaded", quoted(missed))));
        }
        let found = self.call("Target.getTargetInfo", &json!({"targetId": self.target}), deadline)?;
        Ok(found["targetInfo"].clone())
    }

    /// The document.
    pub(crate) fn document(&mut self, deadline: Instant) -> Result<Node, Trouble> {
        let document = self.call("DOM.getDocument", &json!({"depth": 0}), deadline)?;
        document["root"]["nodeId"].as_u64().ok_or(Trouble::Gone("lost the page, which has no document"))
    }

    /// The first element that matches a selector, if there is one.
    pub(crate) fn find(&mut self, selector: &str, deadline: Instant) -> Result<Option<Node>, Trouble> {
        let document = self.document(deadline)?;
        let found = self.call("DOM.querySelector", &json!({"nodeId": document, "selector": selector}), deadline)?;
        Ok(found["nodeId"].as_u64().filter(|&node| node != 0))
    }

    /// The first element that matches a selector.
    pub(crate) fn element(&mut self, selector: &str, deadline: Instant) -> Result<Node, Trouble> {
        let missing = || Trouble::Refused(format!("found no element that matches {}", Value::from(selector)));
        self.find(selector, deadline)?.ok_or_else(missing)
    }

    /// The result of our function on an element, in an isolated world that the page's scripts cannot reach.
    pub(crate) fn ask(&mut self, node: Node, function: &str, deadline: Instant) -> Result<Value, Trouble> {
        let world = json!({"frameId": self.target, "worldName": "gatepost"});
        let world = self.call("Page.createIsolatedWorld", &world, deadline)?;
        let context = &world["executionContextId"];
        let object = self.call("DOM.resolveNode", &json!({"nodeId": node, "executionContextId": context}), deadline)?;
        let call = json!({
            "functionDeclaration": function,
            "objectId": object["object"]["objectId"],
            "returnByValue": true,
            "userGesture": true,
        });
        let answer = self.call("Runtime.callFunctionOn", &call, deadline)?;
        value(&answer)
    }

    /// The value of an expression, evaluated in the page's own world.
    pub(crate) fn evaluate(&mut self, expression: &str, deadline: Instant) -> Result<Value, Trouble> {
        // The browser reports a terminated script like other errors. The deadline identifies it as a timeout.
        let left = (deadline.saturating_duration_since(Instant::now()) + TERMINATED_AFTER).as_millis();
        let call = json!({
            "expression": expression,
            "returnByValue": true,
            "awaitPromise": true,
            "timeout": u64::try_from(left).unwrap_or(u64::MAX),
        });
        let answer = self.call("Runtime.evaluate", &call, deadline)?;
        value(&answer)
    }

    /// Ends the browser.
    pub(crate) fn close(mut self, deadline: Instant) {
        // Its answer does not matter: no call follows.
        let _ = self.call("Browser.close", &json!({}), deadline);
    }
}

/// The value in the answer to an evaluation, or the exception.
fn value(answer: &Value) -> Result<Value, Trouble> {
    let Some(thrown) = answer.get("exceptionDetails") else { return Ok(answer["result"]["value"].clone()) };
    let text =
        thrown["exception"]["description"].as_str().or_else(|| thrown["text"].as_str()).unwrap_or("an exception");
    Err(Trouble::Refused(format!("threw {}", text.lines().next().unwrap_or_default())))
}
