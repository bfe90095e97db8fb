//! The pages of `serve`. They read the files that they show; `page.rs` has the markup shared with the report.

use std::io::Read as _;
use std::path::Path;

use gatepost_documents::phrase::relative_address;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life::{Class, Detail};
use gatepost_mailbox::quarantine::Item;
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use maud::{Markup, html};

use super::filter::{Filter, Query, states};
use super::index::{Entry, Known};
use crate::page::{self, Summary, foreign};
use crate::quarantine;

/// Seconds between reloads.
const REFRESH_SECONDS: u32 = 5;
/// Requests on one page.
const PAGE_ROWS: usize = 50;
/// The most bytes of a document on the page of its request.
const DOCUMENT_BYTES_MAX: u64 = 64 * 1024;

/// The frame of a page. While something on it is unfinished, the browser reloads it.
fn frame(title: &str, body: &Markup, is_open: bool) -> Markup {
    let body = html! {
        main {
            nav { a href="/" { "Requests" } a href="/quarantine" { "Quarantine" } }
            (body)
            footer {
                "gatepost " (env!("CARGO_PKG_VERSION")) ", read only. Times are UTC. "
                "Text from tools and requesters is data and proves nothing."
            }
        }
    };
    page::page(&format!("{title} · gatepost"), &body, is_open.then_some(REFRESH_SECONDS))
}

/// A page with a single message.
pub(super) fn message(message: &str) -> Markup {
    frame("Error", &html! { h1 { "Error" } p { (foreign(message)) } }, false)
}

/// The requests that match a filter.
pub(super) fn requests(known: &Known, site: &Site, query: &Query, filter: &Filter) -> Markup {
    let shown: Vec<&Entry> = known.entries.iter().filter(|entry| filter.matches(entry)).collect();
    let summary = Summary::of(shown.iter().map(|entry| &entry.row));
    let pages = shown.len().div_ceil(PAGE_ROWS).max(1);
    let rows = shown.iter().skip((filter.page - 1).saturating_mul(PAGE_ROWS)).take(PAGE_ROWS);
    let rows = rows.map(|Entry { row, .. }| page::Entry { row, href: Some(address(&row.request_id)), more: None });
    frame(
        "Requests",
        &html! {
            h1 { "Requests" }
            p.second { "Site " (foreign(&site.root().display().to_string())) }
            (form(known, query))
            (page::tiles(&summary))
            @if shown.is_empty() { p.notice { "No matching requests." } } @else { (page::requests(rows)) }
            (turning(query, filter.page, pages))
            h2 { "Charts" }
            (page::charts(&summary))
        },
        summary.classes.contains_key(&Class::Open),
    )
}

fn form(known: &Known, query: &Query) -> Markup {
    html! {
        form method="get" action="/" role="search" {
            label.search { "Search" input type="search" name="q" value=(query.q) placeholder="id, purpose, person, reason"; }
            (choice("State", "state", &query.state, states()))
            (choice("Tool", "tool", &query.tool, known.tools.iter().map(String::as_str)))
            (choice("Requester", "requester", &query.requester, known.requesters.iter().map(String::as_str)))
            label { "From" input type="date" name="from" value=(query.from); }
            label { "To" input type="date" name="to" value=(query.to); }
            button type="submit" { "Show" }
        }
    }
}

fn choice<'a>(label: &str, name: &str, chosen: &str, offered: impl Iterator<Item = &'a str>) -> Markup {
    html! {
        label {
            (label)
            select name=(name) {
                option value="" { "any" }
                @for value in offered { option value=(value) selected[value == chosen] { (foreign(value)) } }
            }
        }
    }
}

fn turning(query: &Query, page: usize, pages: usize) -> Markup {
    html! {
        div.pages {
            span { @if page > 1 { a href=(query.address(page - 1)) rel="prev" { "Newer" } } }
            span.second { "Page " (page::number(page)) " of " (page::number(pages)) }
            span { @if page < pages { a href=(query.address(page + 1)) rel="next" { "Older" } } }
        }
    }
}

/// The address of the page of a request.
fn address(request_id: &str) -> String {
    format!("/requests/{}", relative_address(request_id.as_bytes()))
}

/// One request, with its document as text.
pub(super) fn request(detail: &Detail) -> Markup {
    let here = address(&detail.row.request_id);
    let of_file = |path: &Path| format!("{here}/{}", relative_address(path.as_os_str().as_encoded_bytes()));
    frame(
        &detail.row.request_id,
        &html! {
            h1 { (foreign(&detail.row.request_id)) }
            (page::whole(detail, &of_file))
            @if let Some((path, text, is_cut)) = document(detail) {
                h4 { a href=(of_file(path)) { (foreign(&path.display().to_string())) } }
                (page::foreign_lines(&text))
                @if is_cut { p.notice { "This is the beginning; download the file for the rest." } }
            }
        },
        detail.row.class == Class::Open,
    )
}

/// The main document: its path, the beginning of its text, and whether it is cut.
fn document(detail: &Detail) -> Option<(&Path, String, bool)> {
    let path = detail.document.as_deref()?;
    let file = regular_file::open_beneath(&detail.folder, path).ok()?;
    let mut bytes = Vec::new();
    file.take(DOCUMENT_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    let is_cut = bytes.len() as u64 > DOCUMENT_BYTES_MAX;
    bytes.truncate(usize::try_from(DOCUMENT_BYTES_MAX).unwrap_or(usize::MAX));
    Some((path, String::from_utf8_lossy(&bytes).into_owned(), is_cut))
}

/// The quarantined items, newest first.
pub(super) fn quarantine(site: &Site) -> Result<Markup, Fault> {
    let items = quarantine::items(site)?;
    let href = |item: &Item| item.request_id().map(|id| address(&id));
    Ok(frame("Quarantine", &html! { h1 { "Quarantine and releases" } (page::items(items.as_deref(), href)) }, false))
}
