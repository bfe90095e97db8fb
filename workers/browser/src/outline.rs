//! The accessibility tree of a page as text: one line for each element with content, indented below its parent.
//!
//! ```text
//! RootWebArea "Orders"
//!   heading "Open orders" level=1
//!   textbox "Search" value="new"
//! ```
//!
//! Pure. *Standards*: Chrome DevTools Protocol, domain Accessibility; WAI-ARIA 1.2 roles.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

/// The greatest depth of elements.
const DEPTH_MAX: usize = 200;

/// Roles of elements that only contain others, or repeat their text.
const SILENT: [&str; 4] = ["none", "generic", "InlineTextBox", "LineBreak"];

/// The shown properties of an element, besides its value.
const PROPERTIES: [&str; 8] =
    ["level", "checked", "selected", "expanded", "disabled", "required", "invalid", "pressed"];

/// An element of the tree.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node {
    node_id: String,
    #[serde(default)]
    ignored: bool,
    #[serde(default)]
    role: Text,
    #[serde(default)]
    name: Text,
    #[serde(default)]
    value: Text,
    #[serde(default)]
    properties: Vec<Property>,
    #[serde(default)]
    child_ids: Vec<String>,
    #[serde(rename = "backendDOMNodeId")]
    backend_node: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
struct Text {
    #[serde(default)]
    value: Value,
}

#[derive(Debug, Deserialize)]
struct Property {
    name: String,
    value: Text,
}

impl Text {
    fn shown(&self) -> Option<String> {
        match &self.value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }
}

/// The outline of the whole tree, or of the element that the DOM knows by a number. `None` if the tree has no such element.
pub(crate) fn outline(nodes: &[Node], backend_node: Option<u64>) -> Option<String> {
    let by_id: HashMap<&str, &Node> = nodes.iter().map(|node| (node.node_id.as_str(), node)).collect();
    let root = match backend_node {
        None => nodes.first()?,
        wanted => nodes.iter().find(|node| node.backend_node == wanted)?,
    };
    let mut text = String::new();
    // A stack of the elements still to write. The number of elements bounds a cyclic tree.
    let mut waiting = vec![(root, 0)];
    let mut left = nodes.len();
    while let Some((node, depth)) = waiting.pop() {
        if left == 0 {
            break;
        }
        left -= 1;
        let line = line(node);
        let below = depth + usize::from(line.is_some());
        if let Some(line) = line {
            let _ = writeln!(text, "{:indent$}{line}", "", indent = 2 * depth);
        }
        if below < DEPTH_MAX {
            let children = node.child_ids.iter().rev().filter_map(|id| by_id.get(id.as_str()));
            waiting.extend(children.map(|&child| (child, below)));
        }
    }
    Some(text)
}

/// The line of an element; none for an element without content.
fn line(node: &Node) -> Option<String> {
    let role = node.role.shown()?;
    let name = node.name.shown().filter(|name| !name.trim().is_empty());
    let is_silent = SILENT.contains(&role.as_str()) || (role == "StaticText" && name.is_none());
    if node.ignored || is_silent {
        return None;
    }
    let mut line = role;
    let value = node.value.shown().filter(|value| !value.is_empty()).map(|value| format!("value={}", quoted(value)));
    let known = node.properties.iter().filter(|property| PROPERTIES.contains(&property.name.as_str()));
    let properties = known.filter_map(|Property { name, value }| {
        let value = value.shown().filter(|value| value != "false")?;
        Some(if value == "true" { name.clone() } else { format!("{name}={value}") })
    });
    for word in name.map(quoted).into_iter().chain(value).chain(properties) {
        line.push(' ');
        line.push_str(&word);
    }
    Some(line)
}

/// A text as a JSON string, which is always one line.
fn quoted(text: String) -> String {
    Value::String(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nodes(tree: Value) -> Vec<Node> {
        serde_json::from_value(tree).unwrap()
    }

    #[test]
    fn elements_that_say_something_have_a_line() {
        let tree = nodes(json!([
            {"nodeId": "1", "role": {"value": "RootWebArea"}, "name": {"value": "Orders"}, "childIds": ["2", "5"], "backendDOMNodeId": 1},
            {"nodeId": "2", "role": {"value": "generic"}, "childIds": ["3", "4"]},
            {"nodeId": "3", "role": {"value": "heading"}, "name": {"value": "Open \"orders\""},
             "properties": [{"name": "level", "value": {"value": 1}}, {"name": "focusable", "value": {"value": true}}]},
            {"nodeId": "4", "role": {"value": "button"}, "name": {"value": "Send"}, "ignored": true},
            {"nodeId": "5", "role": {"value": "textbox"}, "name": {"value": ""}, "value": {"value": "new"}, "backendDOMNodeId": 9,
             "properties": [{"name": "disabled", "value": {"value": true}}, {"name": "checked", "value": {"value": "false"}}],
             "childIds": ["6"]},
            {"nodeId": "6", "role": {"value": "StaticText"}, "name": {"value": "new"}}
        ]));
        let expected = "RootWebArea \"Orders\"\n  heading \"Open \\\"orders\\\"\" level=1\n  textbox value=\"new\" disabled\n    StaticText \"new\"\n";
        assert_eq!(outline(&tree, None).unwrap(), expected);
        assert_eq!(outline(&tree, Some(9)).unwrap(), "textbox value=\"new\" disabled\n  StaticText \"new\"\n");
        assert_eq!(outline(&tree, Some(7)), None);
    }

    #[test]
    fn a_tree_that_is_none_ends() {
        let tree = nodes(json!([
            {"nodeId": "1", "role": {"value": "a"}, "childIds": ["1", "1", "2"]},
            {"nodeId": "2", "role": {"value": "b"}, "childIds": ["1"]}
        ]));
        assert!(outline(&tree, None).unwrap().lines().count() <= 2);
        assert_eq!(outline(&[], None), None);
    }
}
