//! The table of quarantined items.

use chrono::DateTime;
use gatepost_documents::release::rejecting;
use gatepost_mailbox::quarantine::Item;
use maud::{Markup, html};

use super::{foreign, moment, number};

/// The most items that are listed.
const ITEMS_MAX: usize = 500;

/// A row for each of the first items: what, when, why, and who released it. No items if the user may not list them.
/// `href` gives the link of an item's name, if any.
pub(crate) fn items(items: Option<&[Item]>, href: impl Fn(&Item) -> Option<String>) -> Markup {
    let Some(items) = items else {
        return html! { p.notice { "Cannot read quarantine/: the user who made this page has no permission." } };
    };
    let listed = items.get(..ITEMS_MAX).unwrap_or(items);
    html! {
        @if listed.len() < items.len() {
            p.notice {
                "The newest " (number(ITEMS_MAX)) " of " (number(items.len())) " are listed. All of them: "
                code { "gatepost quarantine list --limit 0" } "."
            }
        }
        @if items.is_empty() { p.second { "No items." } } @else { (table(listed, href)) }
    }
}

fn table(items: &[Item], href: impl Fn(&Item) -> Option<String>) -> Markup {
    html! {
        table.requests {
            thead { tr { @for column in ["Item", "Refused", "Reasons", "Released"] { th scope="col" { (column) } } } }
            @for item in items {
                tbody {
                    tr {
                        td.id data-label="Item" {
                            @if let Some(href) = href(item) { a href=(href) { (foreign(&item.name)) } }
                            @else { (foreign(&item.name)) }
                        }
                        td data-label="Refused" { (moment(item.refused)) }
                        td data-label="Reasons" { (codes(item)) }
                        td data-label="Released" { (released(item)) }
                    }
                }
            }
        }
    }
}

/// The codes for which it was rejected or refused; flags are left out.
fn codes(item: &Item) -> Markup {
    let codes = rejecting(item.reasons());
    html! {
        @for code in &codes { code.tag { (code.as_str()) } " " }
        @if codes.is_empty() { span.second { "unreadable record" } }
    }
}

fn released(item: &Item) -> Markup {
    html! {
        @if let Some(release) = &item.released {
            @if let Ok(time) = DateTime::parse_from_rfc3339(&release.released_utc) { (moment(time.to_utc())) }
            " by " (foreign(release.user.as_deref().unwrap_or(&release.uid.to_string())))
            div.second { (foreign(&release.reason)) }
        }
    }
}
