//! One action on a page.

use std::fs::File;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use gatepost_workers::browser::{Action, Form};

use super::devtools::Trouble;
use super::outline::{self, Node as Element};
use super::page::{Node, Page};

/// The most text of an action in its results, bytes. A longer text is in a file, whole.
const TEXT_BYTES_MAX: usize = 32 * 1024;

/// The most text in the results of all actions together, bytes.
pub(crate) const ALL_TEXT_BYTES_MAX: usize = 1 << 20;

/// The most of an address, and of a title, bytes.
const URL_BYTES_MAX: usize = 2048;
const TITLE_BYTES_MAX: usize = 256;

/// The interval at which an awaited element is searched.
const LOOK: Duration = Duration::from_millis(100);

/// The result of an action.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The text, and the ending of the name of a file with it.
    pub content: Option<(String, &'static str)>,
    /// Whether to take a screenshot.
    pub screenshot: bool,
}

impl Found {
    fn text(text: String, ending: &'static str) -> Self {
        Self { content: Some((text, ending)), screenshot: false }
    }
}

/// Performs it, and waits until the page has settled.
pub(crate) fn perform<W: io::Write>(page: &mut Page<W>, action: &Action, deadline: Instant) -> Result<Found, Trouble> {
    match action {
        Action::Navigate { url } => navigate(page, url, deadline)?,
        Action::GoBack => go_back(page, deadline)?,
        Action::Extract { form, selector } => return extract(page, *form, selector.as_deref(), deadline),
        Action::Click { selector } => click(page, selector, deadline)?,
        Action::TypeText { text, selector } => {
            if let Some(selector) = selector {
                let node = page.element(selector, deadline)?;
                page.call("DOM.focus", &json!({"nodeId": node}), deadline)?;
            }
            page.call("Input.insertText", &json!({"text": text}), deadline)?;
        }
        Action::SubmitForm { selector } => submit(page, selector, deadline)?,
        Action::Screenshot => return Ok(Found { screenshot: true, ..Found::default() }),
        Action::ExecuteJs { expression } => {
            let value = page.evaluate(expression, deadline)?;
            page.settle(deadline)?;
            return Ok(Found::text(value.to_string(), "json"));
        }
        Action::WaitFor { selector, timeout_ms } => {
            let until = Instant::now() + Duration::from_millis(*timeout_ms);
            while page.find(selector, deadline)?.is_none() {
                page.wait(LOOK, until.min(deadline))?;
            }
        }
        Action::ListTabs => {
            let info = page.info(deadline)?;
            let (title, url) = (beginning(&info["title"], TITLE_BYTES_MAX), beginning(&info["url"], URL_BYTES_MAX));
            let tabs = json!([{"title": title, "url": url}]);
            return Ok(Found::text(tabs.to_string(), "json"));
        }
        Action::NetworkTiming => {
            let timing = "function(){return performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))\
                          .map(e=>({name:e.name,type:e.initiatorType,start_ms:e.startTime,duration_ms:e.duration,bytes:e.transferSize}))}";
            let document = page.document(deadline)?;
            return Ok(Found::text(page.ask(document, timing, deadline)?.to_string(), "json"));
        }
    }
    page.settle(deadline)?;
    Ok(Found::default())
}

fn navigate<W: io::Write>(page: &mut Page<W>, url: &str, deadline: Instant) -> Result<(), Trouble> {
    let answer = page.call("Page.navigate", &json!({"url": url}), deadline)?;
    match answer["errorText"].as_str() {
        Some(why) => Err(Trouble::Refused(format!("could not load {}: {}", Value::from(url), explained(why)))),
        None => Ok(()),
    }
}

/// The meaning of a browser error.
fn explained(error: &str) -> String {
    let meaning = match error {
        "net::ERR_SOCKS_CONNECTION_FAILED" => "the proxy of the run refused it, or an address that it led to",
        "net::ERR_PROXY_CONNECTION_FAILED" => "the run has no network",
        "net::ERR_CERT_AUTHORITY_INVALID" => "the browser does not trust the authority of its certificate",
        "net::ERR_ABORTED" => "it is a download, or the page was left at once",
        _ => return error.to_owned(),
    };
    format!("{meaning} ({error})")
}

fn go_back<W: io::Write>(page: &mut Page<W>, deadline: Instant) -> Result<(), Trouble> {
    let history = page.call("Page.getNavigationHistory", &json!({}), deadline)?;
    let earlier = history["currentIndex"].as_u64().and_then(|current| current.checked_sub(1));
    let entry = earlier.and_then(|earlier| history["entries"].get(usize::try_from(earlier).ok()?));
    // The browser's initial empty page is not part of the history.
    let entry = entry.filter(|entry| entry["url"] != "about:blank");
    let entry = entry.ok_or_else(|| Trouble::Refused("found no page to go back to".to_owned()))?;
    page.call("Page.navigateToHistoryEntry", &json!({"entryId": entry["id"]}), deadline).map(drop)
}

fn click<W: io::Write>(page: &mut Page<W>, selector: &str, deadline: Instant) -> Result<(), Trouble> {
    let node = page.element(selector, deadline)?;
    page.call("DOM.scrollIntoViewIfNeeded", &json!({"nodeId": node}), deadline)?;
    let quads = page.call("DOM.getContentQuads", &json!({"nodeId": node}), deadline)?;
    let (x, y) = middle(&quads["quads"][0]).ok_or_else(|| {
        Trouble::Refused(format!("found no place to click on {}, which is not in view", Value::from(selector)))
    })?;
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        let (button, count) = if kind == "mouseMoved" { ("none", 0) } else { ("left", 1) };
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": count});
        page.call("Input.dispatchMouseEvent", &event, deadline)?;
    }
    Ok(())
}

/// The middle of a quadrangle, given as the coordinates of its corners.
fn middle(quad: &Value) -> Option<(f64, f64)> {
    let corners: Vec<f64> = quad.as_array()?.iter().filter_map(Value::as_f64).collect();
    let [x1, y1, x2, y2, x3, y3, x4, y4] = corners.try_into().ok()?;
    let (x, y) = ((x1 + x2 + x3 + x4) / 4.0, (y1 + y2 + y3 + y4) / 4.0);
    ((x1 - x3).abs() >= 1.0 && (y1 - y3).abs() >= 1.0).then_some((x, y))
}

fn submit<W: io::Write>(page: &mut Page<W>, selector: &str, deadline: Instant) -> Result<(), Trouble> {
    let node = page.element(selector, deadline)?;
    let submit = "function(){const form=Element.prototype.closest.call(this,'form');if(!form)return 'none';\
                  if(!HTMLFormElement.prototype.checkValidity.call(form))return 'invalid';\
                  HTMLFormElement.prototype.requestSubmit.call(form);return 'done'}";
    match page.ask(node, submit, deadline)?.as_str() {
        Some("done") => Ok(()),
        Some("invalid") => Err(Trouble::Refused("found an invalid field in the form".to_owned())),
        _ => Err(Trouble::Refused(format!("found no form at {}", Value::from(selector)))),
    }
}

fn extract<W: io::Write>(
    page: &mut Page<W>,
    form: Form,
    selector: Option<&str>,
    deadline: Instant,
) -> Result<Found, Trouble> {
    let node = selector.map(|selector| page.element(selector, deadline)).transpose()?;
    match form {
        Form::AccessibilityTree => tree(page, node, deadline).map(|text| Found::text(text, "txt")),
        Form::Html => {
            let node = node.map_or_else(|| page.document(deadline), Ok)?;
            let html = page.call("DOM.getOuterHTML", &json!({"nodeId": node}), deadline)?;
            Ok(Found::text(html["outerHTML"].as_str().unwrap_or_default().to_owned(), "html"))
        }
        Form::Text => {
            let node = node.map_or_else(|| page.element("body", deadline), Ok)?;
            let text = page.ask(node, "function(){return this.innerText??this.textContent}", deadline)?;
            Ok(Found::text(text.as_str().unwrap_or_default().to_owned(), "txt"))
        }
    }
}

fn tree<W: io::Write>(page: &mut Page<W>, node: Option<Node>, deadline: Instant) -> Result<String, Trouble> {
    let wanted = match node {
        Some(node) => {
            page.call("DOM.describeNode", &json!({"nodeId": node}), deadline)?["node"]["backendNodeId"].as_u64()
        }
        None => None,
    };
    let mut tree = page.call("Accessibility.getFullAXTree", &json!({}), deadline)?;
    let nodes: Vec<Element> = serde_json::from_value(tree["nodes"].take())
        .map_err(|_| Trouble::Gone("lost the browser, which sent no accessibility tree"))?;
    outline::outline(&nodes, wanted)
        .ok_or_else(|| Trouble::Refused("found the element, but the accessibility tree does not contain it".to_owned()))
}

/// The state of a page after its `number`th action, with at most `room` bytes of text. Files are written below `out/`. *Source* of
/// the form: ToolClad, "Browser Mode".
pub(crate) fn results<W: io::Write>(
    page: &mut Page<W>,
    number: usize,
    found: Found,
    room: &mut usize,
    deadline: Instant,
) -> Result<Value, Trouble> {
    let info = page.info(deadline)?;
    let url = beginning(&info["url"], URL_BYTES_MAX);
    let domain = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let has_forms = page.find("form", deadline)?.is_some();
    let mut results = json!({
        "url": url,
        "title": beginning(&info["title"], TITLE_BYTES_MAX),
        "domain": domain,
        "page_state": { "has_forms": has_forms, "page_loaded": true, "tab_count": 1, "refused": page.refused },
        "interaction_count": number,
    });
    if let Some((text, ending)) = found.content {
        let (head, _) = text.split_at(text.floor_char_boundary(TEXT_BYTES_MAX.min(*room)));
        *room -= head.len();
        if head.len() < text.len() {
            let path = format!("out/content-{number}.{ending}");
            store(&path, text.as_bytes())?;
            results["content_path"] = path.into();
        }
        results["content"] = head.into();
    }
    if found.screenshot {
        let capture = page.call("Page.captureScreenshot", &json!({"format": "png"}), deadline)?;
        let image = STANDARD.decode(capture["data"].as_str().unwrap_or_default());
        let image = image.map_err(|_| Trouble::Gone("lost the browser, which sent no image"))?;
        let path = format!("out/screenshot-{number}.png");
        store(&path, &image)?;
        results["screenshot_path"] = path.into();
    }
    Ok(results)
}

/// The beginning of a page's text.
fn beginning(text: &Value, bytes_max: usize) -> &str {
    let text = text.as_str().unwrap_or_default();
    text.split_at(text.floor_char_boundary(bytes_max)).0
}

fn store(path: &str, bytes: &[u8]) -> Result<(), Trouble> {
    let stored = File::create_new(path).and_then(|mut file| file.write_all(bytes));
    stored.map_err(|error| Trouble::Refused(format!("could not write {path}: {error}")))
}
