//! `gatepost list --follow`: prints each request again when its state changes, until it is stopped.
//!
//! It prints one line each: columns, or JSON if requested. *Security*: names of requesters and tools come from requests.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_events::Events;
use gatepost_mailbox::life::{Results, Row};
use gatepost_mailbox::wake::{Changes, Wake};

use super::{Arguments, Listed, cells};
use crate::cli::prelude::*;

/// The number of requests shown at first.
const SHOWN_FIRST: usize = 10;
/// Poll interval for file systems without events.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The minimum interval of polls, because each lists the folders of the site.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// The printed state and outcome of each request.
#[derive(Default)]
struct Seen(HashMap<RequestId, (String, bool)>);

impl Seen {
    /// The rows that changed, oldest request first.
    fn news(&mut self, site: &Site, arguments: &Arguments) -> Result<Vec<Row>, Failure> {
        let results = Results::read(site)?;
        let mut news = Vec::new();
        for id in results.newest_first(site)?.since(None) {
            if self.0.get(id).is_some_and(|(_, is_final)| *is_final) {
                continue;
            }
            let Some(progress) = results.progress(site, id)? else { continue };
            let is_final = progress.is_final();
            let row = Row::of(site, id, progress);
            let label = format!("{} {}", row.state.as_str(), row.outcome);
            let before = self.0.insert(id.clone(), (label.clone(), is_final));
            if before.is_none_or(|(before, _)| before != label) && arguments.selects(&row) {
                news.push(row);
            }
        }
        news.reverse();
        Ok(news)
    }
}

/// Prints changes. Ends on a signal, or when the reader is gone.
pub(super) fn run(site: &Site, arguments: &Arguments, as_json: bool) -> Result<Outcome, Failure> {
    let folders = [site.inbox(), site.pending(), site.running(), site.core_inbound(), site.quarantine()];
    let mut wake = Wake::new([], None).on("watch the folders of", site.root())?;
    let mut events = Events::new(folders.map(|folder| (folder, Changes::Whole)), wake.bell());
    let mut seen = Seen::default();
    let first = seen.news(site, arguments)?;
    let mut news = first.into_iter().rev().take(SHOWN_FIRST).collect::<Vec<_>>();
    news.reverse();
    loop {
        let looked = Instant::now();
        for row in news {
            if !print(row, as_json)? {
                return Ok(Outcome::verbatim(String::new()));
            }
        }
        events.renew();
        wake.wait(LOOK_AGAIN);
        events.take();
        std::thread::sleep(BETWEEN_LOOKS.saturating_sub(looked.elapsed()));
        news = seen.news(site, arguments)?;
    }
}

/// Prints a row. Returns whether the reader still reads.
fn print(row: Row, as_json: bool) -> Result<bool, Failure> {
    let line = if as_json {
        serde_json::to_string(&Listed::from(row)).unwrap_or_default()
    } else {
        cells(&Listed::from(row)).join("  ")
    };
    let mut stdout = io::stdout();
    match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        printed => Ok(printed.map(|()| true).on("write", Path::new("/dev/stdout"))?),
    }
}
