//! The shown part of a list, and the cursor of the next.
//!
//! A cursor is the key of the last record of a page, as URL-safe Base64. It stays valid while records are added before
//! it, and needs no state. *Standards*: CLI Agent Spec, REQ-F-018, REQ-F-019 and REQ-O-003.

use crate::cli::prelude::*;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The requested part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// The most records.
    pub limit: usize,
    /// The cursor of the previous page.
    pub after: Option<String>,
}

/// The shown part of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Pagination {
    /// How many records there are.
    pub total: usize,
    /// How many of them this page has.
    pub returned: usize,
    /// Whether more records follow.
    pub has_more: bool,
    /// The cursor of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// How many records follow.
    #[serde(skip)]
    left: usize,
}

impl Pagination {
    /// The note for a person under a part of the list; empty at its end.
    pub(super) fn hint(&self) -> String {
        match self.left {
            0 => String::new(),
            left => format!("\n{left} more; --limit 0 shows all.\n"),
        }
    }
}

impl Window {
    /// The default number of shown records.
    pub(super) const LIMIT: usize = 20;

    /// The whole list.
    pub(super) const ALL: Self = Self { limit: usize::MAX, after: None };

    /// The records of this window; `name` is their unique key.
    pub(super) fn of<T>(&self, records: Vec<T>, name: impl Fn(&T) -> &str) -> Result<(Vec<T>, Pagination), Failure> {
        self.among(records.len(), records, name)
    }

    /// The window of `total` records that are expensive to read: records after the window are not read.
    pub(super) fn among<T>(
        &self,
        total: usize,
        records: impl IntoIterator<Item = T>,
        name: impl Fn(&T) -> &str,
    ) -> Result<(Vec<T>, Pagination), Failure> {
        let mut records = records.into_iter();
        let start = match &self.after {
            None => 0,
            Some(cursor) => {
                let after = decode(cursor).ok_or_else(|| invalid(cursor))?;
                let last = records.position(|record| name(&record) == after);
                1 + last.ok_or_else(|| invalid(cursor))?
            }
        };
        let records: Vec<T> = records.take(self.limit).collect();
        let (returned, end) = (records.len(), start + records.len());
        let has_more = end < total;
        let next_cursor = records.last().filter(|_| has_more).map(|last| URL_SAFE_NO_PAD.encode(name(last)));
        Ok((records, Pagination { total, returned, has_more, next_cursor, left: total - end }))
    }
}

fn decode(cursor: &str) -> Option<String> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}

fn invalid(cursor: &str) -> Failure {
    let message = format!("{} is not a cursor of this list.", quoted(cursor));
    Failure::usage(message, "Take it from meta.pagination.next_cursor of the previous page, or start again without it.")
        .during("parse_arguments", "--cursor")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(limit: usize, after: Option<String>) -> Window {
        Window { limit, after }
    }

    #[test]
    fn the_pages_of_a_list_are_all_of_it_also_while_it_grows_in_front() {
        let mut list: Vec<String> = (0..7).map(|number| format!("é{number}")).collect();
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let (page, pagination) = window(3, after).of(list.clone(), String::as_str).unwrap();
            assert_eq!((pagination.total, pagination.returned), (list.len(), page.len()));
            assert_eq!(pagination.has_more, pagination.next_cursor.is_some());
            seen.extend(page);
            list.insert(0, format!("new {}", list.len()));
            after = pagination.next_cursor;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, ["é0", "é1", "é2", "é3", "é4", "é5", "é6"]);
    }

    #[test]
    fn a_cursor_of_nothing_is_refused() {
        for cursor in ["%%", "", "bm9uZQ", "_w"] {
            let failure = window(1, Some(cursor.to_owned())).of(vec!["a".to_owned()], String::as_str).unwrap_err();
            assert_eq!((failure.exit, failure.target.as_str()), (2, "--cursor"), "{cursor}");
        }
    }
}
