//! `gatepost list --follow`: each request once more whenever its state changes, until the command is stopped.
//!
//! It prints a line each: columns, or JSON where that is asked for. *Security*: requesters and tools are named in the words of requests.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_events::Events;
use gatepost_mailbox::life::{Results, Row};
use gatepost_mailbox::wake::{Changes, Wake};

use super::{Arguments, Listed, cells};
use crate::cli::prelude::*;

/// How many requests are shown at first.
const SHOWN_FIRST: usize = 10;
/// Events wake it up at once; this is for file systems without any.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The least time between two looks: each lists the folders of the site.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// What was printed of each request: its state and its outcome.
#[derive(Default)]
struct Seen(HashMap<RequestId, (String, bool)>);

impl Seen {
    /// The rows that say something new, the oldest request first.
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
            let said = format!("{} {}", row.state.as_str(), row.outcome);
            let before = self.0.insert(id.clone(), (said.clone(), is_final));
            if before.is_none_or(|(before, _)| before != said) && arguments.selects(&row) {
                news.push(row);
            }
        }
        news.reverse();
        Ok(news)
    }
}

/// Prints what changes. It ends when nobody reads on, or by a signal.
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

/// Prints a row, and says whether anybody reads on.
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
