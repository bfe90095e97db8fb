//! The filter of the list: parses the form, and matches rows. Pure.

use chrono::NaiveDate;
use gatepost_mailbox::life::{Class, RequestState};
use serde::Deserialize;
use url::form_urlencoded::Serializer;

use super::index::Entry;

/// The fields of the form, unparsed; each may be empty.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Query {
    /// Words that must all occur in the searched text.
    pub q: String,
    /// A state, or a class.
    pub state: String,
    /// A tool, exactly.
    pub tool: String,
    /// The requester, exactly.
    pub requester: String,
    /// The first day.
    pub from: String,
    /// The last day.
    pub to: String,
    /// The page, from 1.
    pub page: String,
}

/// The parsed filter.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Filter {
    words: Vec<String>,
    state: String,
    tool: String,
    requester: String,
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    /// The page, from 1.
    pub page: usize,
}

impl Filter {
    /// Reads the form; the error is a sentence.
    pub(super) fn read(query: &Query) -> Result<Self, String> {
        let day = |text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| format!("{text:?} is not a day such as 2026-02-09.")),
        };
        let page = if query.page.is_empty() { Ok(1) } else { query.page.parse() };
        Ok(Self {
            words: query.q.split_whitespace().map(str::to_lowercase).collect(),
            state: query.state.clone(),
            tool: query.tool.clone(),
            requester: query.requester.clone(),
            from: day(&query.from)?,
            to: day(&query.to)?,
            page: page.ok().filter(|page| *page > 0).ok_or_else(|| format!("{:?} is not a page.", query.page))?,
        })
    }

    /// Whether a request is shown.
    pub(super) fn matches(&self, entry: &Entry) -> bool {
        let row = &entry.row;
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        let day = || row.dropped().map(|time| time.date_naive());
        (is(&self.state, row.state.as_str()) || self.state == row.class.as_str())
            && is(&self.tool, &row.tool)
            && is(&self.requester, &row.requested_by)
            && self.from.is_none_or(|from| day().is_some_and(|day| day >= from))
            && self.to.is_none_or(|to| day().is_some_and(|day| day <= to))
            && self.words.iter().all(|word| entry.words.contains(word))
    }
}

impl Query {
    /// The address of another page of the same.
    pub(super) fn address(&self, page: usize) -> String {
        let Self { q, state, tool, requester, from, to, .. } = self;
        let members =
            [("q", q), ("state", state), ("tool", tool), ("requester", requester), ("from", from), ("to", to)];
        let mut form = Serializer::for_suffix(String::from("/?"), 2);
        form.append_pair("page", &page.to_string());
        form.extend_pairs(members.into_iter().filter(|(_, value)| !value.is_empty()));
        form.finish()
    }
}

/// The accepted values of `state`: the classes, and the states that they contain.
pub(super) fn states() -> impl Iterator<Item = &'static str> {
    let classes = Class::ALL.into_iter().map(Class::as_str);
    classes.chain(RequestState::ALL.into_iter().map(RequestState::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_mailbox::life::Row;

    fn entry() -> Entry {
        Entry::new(Row {
            request_id: "TR-20260209-160501Z-a".to_owned(),
            state: RequestState::Accepted,
            class: Class::Failed,
            tool: "Line_Count".to_owned(),
            requested_by: "human".to_owned(),
            outcome: "TOOL_FAILED".to_owned(),
            dropped_utc: Some("2026-02-09T23:59:59Z".to_owned()),
            findings: vec!["secret"],
            ..Row::default()
        })
    }

    #[test]
    fn each_member_narrows_and_an_empty_one_does_not() {
        let query = |set: fn(&mut Query)| {
            let mut query = Query::default();
            set(&mut query);
            Filter::read(&query).unwrap().matches(&entry())
        };
        assert!(query(|_| ()));
        assert!(query(|query| query.q = "LINE 160501 tool_failed secret".to_owned()));
        assert!(!query(|query| query.q = "line absent".to_owned()));
        assert!(query(|query| query.state = "accepted".to_owned()) && query(|query| query.state = "failed".to_owned()));
        assert!(!query(|query| query.state = "rejected".to_owned()));
        assert!(!query(|query| query.tool = "Line".to_owned()));
        assert!(!query(|query| query.requester = "huma".to_owned()));
        assert!(query(|query| (query.from, query.to) = ("2026-02-09".to_owned(), "2026-02-09".to_owned())));
        assert!(!query(|query| query.from = "2026-02-10".to_owned()));
        assert!(!query(|query| query.to = "2026-02-08".to_owned()));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (page, from) in [("0", ""), ("-1", ""), ("x", ""), ("", "yesterday"), ("", "2026-02-30")] {
            let query = Query { page: page.to_owned(), from: from.to_owned(), ..Query::default() };
            assert!(Filter::read(&query).is_err(), "{page} {from}");
        }
    }

    #[test]
    fn the_address_of_a_page_keeps_what_was_asked_for() {
        let query = Query { q: "a&b=c+d é".to_owned(), tool: "t".to_owned(), ..Query::default() };
        assert_eq!(query.address(2), "/?page=2&q=a%26b%3Dc%2Bd+%C3%A9&tool=t");
    }
}
