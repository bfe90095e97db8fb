//! Keeps the catalog in step with the manifests: `core/catalog.json` and `core/catalog.md`.
//!
//! Each file is replaced whole, and only if its content changes. A manifest that is invalid, or that shares its name with another, is
//! left out and logged. *Security*: in `core/` TOOL-EXEC writes only these two names; `core/inbound/` is the gate's. The present files
//! are read as hostile input: bounded, without following links.

use std::path::Path;
use std::sync::Arc;

use gatepost_contract::manifest::Manifest;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::regular_file;

use crate::catalog::Catalog;
use crate::context::Context;
use crate::toolbox::{Read, by_name};
use gatepost_mailbox::log::{Event, Level, Log};

/// The most bytes of a catalog.
const CATALOG_BYTES_MAX: u64 = 64 << 20;

/// Writes the catalog.
#[derive(Debug, Default)]
pub(super) struct Publisher {
    /// The manifests of the last catalog.
    seen: Vec<Read>,
    was_written: bool,
}

impl Publisher {
    /// Writes it if the manifests have changed since the last time.
    pub(super) fn publish(&mut self, context: &Context, log: Log) -> Result<(), Fault> {
        let all = context.toolbox.all()?;
        if self.was_written && self.seen.len() == all.len() && self.seen.iter().zip(&all).all(is_same) {
            return Ok(());
        }
        let manifests = self.valid(&all, log);
        let catalog = Catalog::of(&context.config, manifests);
        let site = &context.site;
        let is_changed =
            [write(&site.catalog_data(), &catalog.to_json())?, write(&site.catalog_page(), &catalog.to_markdown())?];
        if is_changed.contains(&true) {
            let message = format!("{} lists {} tools", site.catalog_page().display(), catalog.tools.len());
            log.event(&Event::new("catalog", "", message));
        }
        (self.seen, self.was_written) = (all, true);
        Ok(())
    }

    /// The manifests of the callable tools; logs new ones among the others.
    fn valid<'a>(&self, all: &'a [Read], log: Log) -> Vec<&'a Manifest> {
        for one in all {
            if let Err(reasons) = &one.1 {
                self.leave_out(one, &reasons.first().map(ToString::to_string).unwrap_or_default(), log);
            }
        }
        let mut valid = Vec::new();
        for (name, tools) in by_name(all) {
            match tools.as_slice() {
                [(_, tool)] => valid.push(&tool.manifest),
                several => {
                    for (one, _) in several {
                        self.leave_out(one, &format!("Another manifest has the same name, {name}."), log);
                    }
                }
            }
        }
        valid
    }

    fn leave_out(&self, one: &Read, why: &str, log: Log) {
        if self.seen.iter().any(|seen| is_same((seen, one))) {
            return;
        }
        let message = format!("{} is left out of the catalog: {why}", one.0.display());
        log.event(&Event::new("catalog", "", message).at(Level::Warn));
    }
}

/// Whether a file is unchanged since the last read.
fn is_same(((one, reading), (other, again)): (&Read, &Read)) -> bool {
    let is_same_reading = match (reading, again) {
        (Ok(one), Ok(other)) => Arc::ptr_eq(one, other),
        (Err(one), Err(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    one == other && is_same_reading
}

/// Replaces a file whose content differs; returns whether it did.
fn write(path: &Path, text: &str) -> Result<bool, Fault> {
    if regular_file::read(path, CATALOG_BYTES_MAX).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(false);
    }
    durable::replace(path, text.as_bytes()).map(|()| true)
}
