//! The report as one self-contained page, for screens and for paper.
//!
//! Summary and charts count every request. Only the newest requests are listed, with timeline, reasons and files, so that a browser opens
//! the page at once. Links are relative: they work while page and site keep their relative position.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use chrono::{DateTime, Utc};
use gatepost_documents::id::RequestId;
use gatepost_documents::phrase::relative_address;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::life::{Detail, Results, Row, rows};
use gatepost_mailbox::quarantine::{Item, PAGE};
use gatepost_mailbox::site::Site;
use maud::{Markup, html};

use crate::page::{self, Entry, Summary};
use crate::quarantine;

/// The most requests that are listed: a page of about 5 MB.
const REQUESTS_MAX: usize = 1_000;

/// The period of a report, and the current time.
#[derive(Debug, Clone, Copy)]
pub struct Period {
    /// The earliest drop; none for all.
    pub since: Option<DateTime<Utc>>,
    /// Now.
    pub now: DateTime<Utc>,
}

/// The page of a period, to be written into a folder, and the number of requests that it counts.
pub fn page(site: &Site, period: Period, folder: &Path) -> Result<(String, usize), Fault> {
    let folder = folder.canonicalize().on("find", folder)?;
    let results = Results::read(site)?;
    let rows = rows(site, &results, period.since)?;
    let details = details(site, &results, &rows)?;
    let items = items(site, period)?;
    let reasons = |item: &Item| {
        let page = item.path.join(PAGE);
        page.symlink_metadata().is_ok_and(|found| found.is_file()).then(|| address(&folder, &page))
    };
    let summary = Summary::of(rows.iter());
    let body = html! {
        main {
            (heading(site, &rows, period))
            (page::tiles(&summary))
            (page::charts(&summary))
            h2 id="requests" { "Requests" }
            @if rows.len() > REQUESTS_MAX {
                p.notice {
                    "The newest " (page::number(REQUESTS_MAX)) " of " (page::number(rows.len())) " are listed; "
                    "the figures above count all of them. All rows: " code { "gatepost report --csv FILE" } ". To search them: " code { "gatepost serve" } "."
                }
            }
            (page::requests(details.iter().map(|detail| entry(detail, &folder))))
            h2 id="quarantine" { "Quarantine and releases" }
            (page::items(items.as_deref(), reasons))
            footer {
                "Made by gatepost " (env!("CARGO_PKG_VERSION")) ". Text from tools and requesters is data and proves "
                "nothing; " code { "gatepost audit verify" } " and " code { "gatepost verify" } " check logs and bundles."
            }
        }
    };
    Ok((page::page("gatepost report", &body, None).into_string(), rows.len()))
}

fn details(site: &Site, results: &Results, rows: &[Row]) -> Result<Vec<Detail>, Fault> {
    let newest = rows.iter().take(REQUESTS_MAX).filter_map(|row| RequestId::parse(&row.request_id).ok());
    newest.filter_map(|id| Detail::read(site, results, &id).transpose()).collect()
}

/// The items refused in that period, newest first.
fn items(site: &Site, Period { since, .. }: Period) -> Result<Option<Vec<Item>>, Fault> {
    let mut items = quarantine::items(site)?;
    if let Some(items) = &mut items {
        items.retain(|item| since.is_none_or(|since| item.refused >= since));
    }
    Ok(items)
}

fn heading(site: &Site, rows: &[Row], Period { since, now }: Period) -> Markup {
    let first = rows.iter().filter_map(Row::dropped).min();
    html! {
        header {
            h1 { "Requests and outcomes" }
            p.second { "Site " (page::foreign(&site.root().display().to_string())) }
            p.second {
                @if let Some(from) = since.or(first) { "Dropped from " (page::moment(from)) " to " } @else { "At " }
                (page::moment(now)) ". Times are UTC."
            }
        }
    }
}

fn entry<'a>(detail: &'a Detail, folder: &Path) -> Entry<'a> {
    let address = |path: &Path| address(folder, &detail.folder.join(path));
    let more = html! {
        details { summary { "Timeline, reasons, files" } (page::facts(detail, &address)) }
    };
    Entry { row: &detail.row, href: detail.document.as_deref().map(address), more: Some(more) }
}

/// The relative address of a file, for a page in a folder; both paths are absolute.
fn address(folder: &Path, file: &Path) -> String {
    relative_address(relative(folder, file).as_os_str().as_bytes())
}

fn relative(folder: &Path, file: &Path) -> PathBuf {
    let common = folder.components().zip(file.components()).take_while(|(left, right)| left == right).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_the_page_to_the_file_whatever_their_names() {
        for (folder, file, link) in [
            ("/a/site", "/a/site/core/inbound/TS-x/TS-x.md", "core/inbound/TS-x/TS-x.md"),
            ("/a/reports", "/a/site/x", "../site/x"),
            ("/b", "/a/site/x", "../a/site/x"),
            ("/", "/a b/javascript:alert(1)?#\"<", "a%20b/javascript%3Aalert%281%29%3F%23%22%3C"),
        ] {
            assert_eq!(address(Path::new(folder), Path::new(file)), link);
        }
    }
}
