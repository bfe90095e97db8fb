//! `gatepost quarantine list`

use chrono::{DateTime, Utc};
use gatepost_contract::nearest::nearest;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::quarantine;

use super::facts::Facts;
use crate::cli::age::{Age, age};
use crate::cli::prelude::*;
use crate::cli::style::{self, Tone};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only items with this reason.
    #[arg(long, value_name = "CODE", value_parser = code)]
    code: Option<Code>,
    /// Only items refused longer ago than this: 30m, 12h, 7d, or a time such as 2026-02-09T16:05:01Z.
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Option<Age>,
    /// Only items refused since this time, in the same form.
    #[arg(long, value_name = "AGE", value_parser = age)]
    newer_than: Option<Age>,
    /// Only items about this tool.
    #[arg(long, value_name = "TOOL", value_parser = identifier::tool)]
    tool: Option<String>,
}

pub(crate) fn code(text: &str) -> Result<Code, String> {
    let names = Code::ALL.iter().map(|code| code.as_str());
    Code::ALL.iter().copied().find(|code| code.as_str() == text).ok_or_else(|| match nearest(text, names) {
        Some(near) => format!("unknown reason code; did you mean {near}?"),
        None => "unknown reason code; schemas/verdict.schema.json lists them all".to_owned(),
    })
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct List {
    directory: String,
    items_count: usize,
    items: Vec<Facts>,
    /// How many are past their retention; `purge` may remove them.
    past_retention_count: usize,
    #[serde(skip)]
    more: String,
    #[serde(skip)]
    is_filtered: bool,
}

impl View for List {
    fn text(&self) -> String {
        let past = reminder(self.past_retention_count);
        if self.items.is_empty() {
            let none = if self.is_filtered { "No refused item matches." } else { "Nothing was refused." };
            return format!("{none}\n{past}");
        }
        let row = |facts: &Facts| {
            vec![
                facts.item.clone(),
                style::moment(facts.refused),
                style::paint(Tone::Bad, facts.state),
                facts.refused_for.clone(),
                facts.tool.clone().or_else(|| facts.lane.clone()).unwrap_or_default(),
            ]
        };
        let rows: Vec<Vec<String>> = self.items.iter().map(row).collect();
        let mut text = table(&["item", "refused", "state", "refused for", "tool"], &rows);
        text += &self.more;
        text + &past
    }
}

/// The note for a person on items past their retention.
pub(crate) fn reminder(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 item is past its retention: gatepost quarantine purge --dry-run\n".to_owned(),
        _ => format!("{count} items are past their retention: gatepost quarantine purge --dry-run\n"),
    }
}

/// The number of items past their retention; none if `gate.toml` cannot be read, which other checks report.
pub(crate) fn past_retention_count(site: &Site, now: DateTime<Utc>) -> Result<usize, Failure> {
    let settings = Policy::read(site).map(|policy| policy.quarantine).unwrap_or_default();
    Ok(quarantine::surplus(site, settings, now)?.items.len())
}

pub(crate) fn run(site: &Site, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    let now = Utc::now();
    let before = arguments.older_than.map(|age| age.moment(now));
    let after = arguments.newer_than.map(|age| age.moment(now));
    let mut items = Vec::new();
    for item in quarantine::items(site)? {
        let in_time = before.is_none_or(|time| item.refused < time) && after.is_none_or(|time| item.refused >= time);
        let has_code = arguments.code.is_none_or(|code| item.reasons().iter().any(|reason| reason.code == code));
        let about_tool = || arguments.tool.is_none() || Facts::read(&item).tool == arguments.tool;
        if in_time && has_code && about_tool() {
            items.push(item);
        }
    }
    let (items, pagination) = bounds.window.of(items, |item| &item.name)?;
    let items: Vec<Facts> = items.iter().map(Facts::read).collect();
    let past_retention_count = past_retention_count(site, now)?;
    let (directory, items_count) = (site.quarantine().display().to_string(), pagination.total);
    let is_filtered = before.is_some() || after.is_some() || arguments.code.is_some() || arguments.tool.is_some();
    let more = pagination.hint();
    let list = List { directory, items_count, items, past_retention_count, more, is_filtered };
    Ok(Outcome::done(&list).on_page(pagination))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_code_is_answered_with_the_one_that_was_meant() {
        assert_eq!(code("symlink"), Ok(Code::Symlink));
        assert_eq!(code("symlnk").unwrap_err(), "unknown reason code; did you mean symlink?");
    }
}
