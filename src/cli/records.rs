//! Data as lines for other programs: JSON Lines, tab-separated columns, or names only.
//!
//! A list has a line per record; other data has a line per member. *Standards*: CLI Agent Spec, REQ-O-001, REQ-O-002, REQ-O-004 and
//! REQ-O-005; JSON Lines; the media type `text/tab-separated-values` has no escapes, so tabs and line feeds become `\t` and `\n`.

use serde_json::{Map, Value, json};

use super::declaration::List;

/// Members that a selection of fields always keeps, because they qualify all others.
const ALWAYS: [&str; 1] = ["_trusted"];

/// Keeps only the requested members of each record, or of the data if it is no list; all if none is requested.
pub(super) fn select(data: &mut Value, list: Option<List>, fields: &[String]) {
    let keep = |record: &mut Value| {
        if let Value::Object(members) = record {
            members.retain(|name, _| ALWAYS.contains(&name.as_str()) || fields.iter().any(|field| field == name));
        }
    };
    if fields.is_empty() {
        return;
    }
    match list.and_then(|list| data.get_mut(list.member)).and_then(Value::as_array_mut) {
        Some(records) => records.iter_mut().for_each(keep),
        None => keep(data),
    }
}

/// A line for each record, then the document without them, whose `meta` has `_summary`.
pub(super) fn json_lines(envelope: &Value, list: Option<List>) -> String {
    let mut envelope = envelope.clone();
    let records = list.and_then(|list| envelope["data"].as_object_mut()?.shift_remove(list.member));
    let mut lines = String::new();
    lines.extend(records.iter().flat_map(records_of).map(|record| format!("{record}\n")));
    envelope["meta"]["_summary"] = json!(true);
    lines += &format!("{envelope}\n");
    lines
}

/// A line of names and a line for each record; other data has a line for each member.
pub(super) fn columns(data: &Value, list: Option<List>) -> String {
    let Some(records) = list.and_then(|list| data.get(list.member)).map(records_of) else {
        let members = data.as_object().into_iter().flatten();
        return members.map(|(name, value)| [name, "\t", &cell(value), "\n"].concat()).collect();
    };
    let names = names(records);
    let header = names.join("\t") + "\n";
    let line = |record: &Value| {
        let cells: Vec<String> = names.iter().map(|name| cell(record.get(*name).unwrap_or(&Value::Null))).collect();
        cells.join("\t") + "\n"
    };
    if names.is_empty() { String::new() } else { header + &records.iter().map(line).collect::<String>() }
}

/// The names of the records of a list, or of the data's subject.
pub(super) fn ids(data: &Value, list: Option<List>, name: Option<&str>) -> String {
    let records = list.and_then(|list| Some((data.get(list.member)?, list.name)));
    let names: Vec<&str> = match (records, name) {
        (Some((records, name)), _) => {
            // A missing item has no name for further commands.
            let there = records_of(records).iter().filter(|record| record["ok"] != false);
            there.filter_map(|record| record[name].as_str()).collect()
        }
        (None, Some(name)) => data[name].as_str().into_iter().collect(),
        (None, None) => Vec::new(),
    };
    names.iter().map(|name| cell(&Value::from(*name)) + "\n").collect()
}

fn records_of(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

/// The names of the members of all records, in order of first occurrence.
fn names(records: &[Value]) -> Vec<&str> {
    let mut names: Map<String, Value> = Map::new();
    let mut ordered = Vec::new();
    for name in records.iter().filter_map(Value::as_object).flat_map(Map::keys) {
        if names.insert(name.clone(), Value::Null).is_none() {
            ordered.push(name.as_str());
        }
    }
    ordered
}

/// A value on one line, without a tab.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let escape = |character: char| match character {
        '\\' => "\\\\".to_owned(),
        '\t' => "\\t".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        other => gatepost_documents::escape::visible(other).collect(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: Option<List> = Some(List { member: "requests", name: "request_id", is_paged: true });

    fn data() -> Value {
        json!({"_trusted": false, "requests": [
            {"request_id": "a", "tool": "x\ty\n\u{1b}[31m"},
            {"request_id": "b", "reasons": [1, 2], "tool": null},
        ]})
    }

    #[test]
    fn a_list_is_a_line_for_each_record_whatever_it_says() {
        assert_eq!(columns(&data(), LIST), "request_id\ttool\treasons\na\tx\\ty\\n\\u{1b}[31m\t\nb\t\t[1,2]\n");
        assert_eq!(ids(&data(), LIST, None), "a\nb\n");
        let lines = json_lines(&json!({"ok": true, "data": data(), "meta": {}}), LIST);
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), &lines[1]["request_id"]), (3, &json!("b")));
        assert_eq!(lines[2], json!({"ok": true, "data": {"_trusted": false}, "meta": {"_summary": true}}));
    }

    #[test]
    fn what_is_no_list_is_told_member_by_member() {
        assert_eq!(columns(&json!({"effect": "noop", "count": 3}), None), "effect\tnoop\ncount\t3\n");
        for list in [None, LIST] {
            assert_eq!(ids(&json!({"request_id": "a"}), list, Some("request_id")), "a\n");
        }
        assert_eq!(columns(&json!({"requests": []}), LIST), "");
    }

    #[test]
    fn members_that_were_not_asked_for_are_left_out_but_whom_to_trust() {
        let mut data = data();
        select(&mut data, LIST, &["tool".to_owned(), "nothing".to_owned()]);
        assert_eq!(data["requests"][1], json!({"tool": null}));
        let mut shown = json!({"_trusted": false, "state": "accepted", "path": "/"});
        select(&mut shown, None, &["state".to_owned()]);
        assert_eq!(shown, json!({"_trusted": false, "state": "accepted"}));
    }
}
