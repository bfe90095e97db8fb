//! Takes the bundles that nodes return.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Node;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::fleet::{self, END_FILE, End};
use gatepost_mailbox::record;
use gatepost_mailbox::regular_file;

use super::Home;
use crate::engine::Error;
use crate::message::{self, Receipt, Refused, Return};
use crate::parcel::{EVIDENCE, Names, Parcel, SUMS, is_sent};
use crate::records;

const SUMS_BYTES_MAX: u64 = 16 << 20;

/// A request whose bundle is being fetched, until this is dropped.
struct Fetching<'a>(&'a Home, RequestId);

impl<'a> Fetching<'a> {
    /// None if it is being fetched already.
    fn begin(home: &'a Home, id: &RequestId) -> Option<Self> {
        home.state().fetching.insert(id.clone()).then(|| Self(home, id.clone()))
    }
}

impl Drop for Fetching<'_> {
    fn drop(&mut self) {
        self.0.state().fetching.remove(&self.1);
    }
}

impl Home {
    /// Takes a bundle from a node that was ordered to run its request. Sends a receipt once the bundle is on disk.
    pub(super) async fn take(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let Some(back) = self.open(bytes, |back: &Return| &back.node) else { return Ok(None) };
        let (site, id) = (&self.context.site, &back.request_id);
        let is_wanted = fleet::offer(site, id).exists() && !fleet::end(site, id).exists();
        if !is_wanted {
            // A lost receipt makes the node return the same bundle again.
            let is_taken = self.end_of(id).is_some_and(|end| is_of(&end, &back));
            return self.receipt(&back, is_taken).map(Some);
        }
        let assigned = records::assigned(site, id)?;
        let is_ordered = assigned.attempts.iter().any(|attempt| {
            (&attempt.node, attempt.attempt, attempt.order_sha256) == (&back.node, back.attempt, back.order_sha256)
        });
        if !is_ordered {
            return self.receipt(&back, false).map(Some);
        }
        // If it arrives twice at once, the node asks again for the second receipt. The node is not given up meanwhile.
        let Some(_fetching) = Fetching::begin(self, id) else { return Ok(None) };
        let folder = match self.fetch(&back).await.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(folder) => folder,
            Err(why) => {
                self.context.note("refused", id.as_str(), format!("The bundle of the node {}: {why}.", back.node));
                let Return { node, request_id, .. } = back;
                let refused = Refused { node, request_id, is_over: false, why };
                return Ok(Some(message::seal(&refused, &self.context.key)?));
            }
        };
        let sums = Digest::of(&regular_file::read(&folder.join(SUMS), SUMS_BYTES_MAX)?);
        let Return { node: name, attempt, order_sha256, .. } = back.clone();
        let node = Node { name, attempt, order_sha256, sha256sums_sha256: Some(sums) };
        let is_taken = self.end(id, Some(&node), Some(&folder))?;
        self.receipt(&back, is_taken).map(Some)
    }

    fn end_of(&self, id: &RequestId) -> Option<End> {
        record::read(&fleet::end(&self.context.site, id).join(END_FILE)).ok()
    }

    fn receipt(&self, back: &Return, is_taken: bool) -> Result<Vec<u8>, Error> {
        let Return { node, request_id, attempt, .. } = back.clone();
        Ok(message::seal(&Receipt { node, request_id, attempt, is_taken }, &self.context.key)?)
    }

    /// Fetches a bundle and compares it with its list. Returns the folder, or the difference.
    async fn fetch(&self, back: &Return) -> Result<Result<PathBuf, String>, Error> {
        let _turn = self.transfers.acquire().await?;
        let site = &self.context.site;
        let fault = back.parcel.fault(self.context.fleet.parcel_mb * 1_000_000, Names::Bundle);
        if let Some(fault) = fault.or_else(|| foreign(&back.parcel)) {
            return Ok(Err(fault));
        }
        let name = format!("{}.{}.result", back.request_id, back.attempt);
        let (object, folder) = (records::tmp(site, &name), records::tmp(site, &format!("{name}.files")));
        for old in [&object, &folder] {
            durable::remove_tree(old)?;
        }
        let is_whole =
            self.engine.get(&name, back.parcel.bytes(), &object).await? && back.parcel.unpack(&object, &folder)?;
        durable::remove_tree(&object)?;
        if !is_whole {
            return Ok(Err("its object is not what its list says".to_owned()));
        }
        let is_sealed = sums_agree(&back.parcel, &regular_file::read(&folder.join(SUMS), SUMS_BYTES_MAX)?);
        Ok(is_sealed.then_some(folder).ok_or_else(|| "its files are not those that its SHA256SUMS lists".to_owned()))
    }

    /// Records an end with its bundle, unless one is recorded. Returns whether this one counts.
    #[allow(clippy::disallowed_methods, reason = "synced as a whole before its rename")]
    pub(super) fn end(&self, id: &RequestId, node: Option<&Node>, folder: Option<&Path>) -> Result<bool, Fault> {
        let site = &self.context.site;
        let made = records::tmp(site, &format!("{id}.end"));
        let folder = if let Some(folder) = folder {
            folder
        } else {
            durable::remove_tree(&made)?;
            fs::create_dir(&made).on("create", &made)?;
            &made
        };
        record::write(&End { node: node.cloned() }, &folder.join(END_FILE))?;
        durable::sync_tree(folder)?;
        match durable::move_new(folder, &fleet::end(site, id)) {
            Err(fault) if fault.source.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            moved => moved.map(|()| {
                let from = node.map(|node| format!("From the node {}, attempt {}.", node.name, node.attempt));
                let message = from.unwrap_or_else(|| "It was cancelled before a node had it.".to_owned());
                self.context.note("returned", id.as_str(), message);
                true
            }),
        }
    }

    /// Forgets the attempts of requests that TOOL-EXEC no longer offers.
    pub(super) fn forget_answered(self: &Arc<Self>, offers: &[RequestId]) -> Result<(), Fault> {
        let site = &self.context.site;
        for id in records::all_assigned(site)? {
            if offers.binary_search(&id).is_ok() {
                continue;
            }
            let results = records::assigned(site, &id)?.attempts;
            let results = results.into_iter().map(|attempt| format!("{id}.{}.result", attempt.attempt));
            let objects: Vec<String> = results.chain([format!("{id}.request")]).collect();
            {
                let mut state = self.state();
                state.offered.remove(&id);
                state.given.remove(&id);
            }
            records::forget_assigned(site, &id)?;
            let home = Arc::clone(self);
            // If this fails, the servers delete them when they expire.
            tokio::spawn(async move {
                let Ok(_turn) = home.transfers.acquire().await else { return };
                for object in objects {
                    home.engine.remove(&object).await;
                }
            });
        }
        Ok(())
    }
}

/// A listed file that is not accepted, or a missing one.
fn foreign(parcel: &Parcel) -> Option<String> {
    if let Some(file) = parcel.files.iter().find(|file| !is_sent(&file.path)) {
        return Some(format!("{:?} is not taken", file.path));
    }
    let size = |name: &str| parcel.files.iter().find(|file| file.path == name).map(|file| file.bytes);
    let is_whole = size(SUMS).is_some_and(|bytes| bytes <= SUMS_BYTES_MAX) && size(EVIDENCE).is_some();
    (!is_whole).then(|| format!("it lacks {SUMS} or {EVIDENCE}, or {SUMS} is too long"))
}

/// Whether each file matches its digest in `SHA256SUMS`.
fn sums_agree(parcel: &Parcel, sums: &[u8]) -> bool {
    let text = String::from_utf8_lossy(sums);
    let listed: HashSet<&str> = text.lines().collect();
    let others = parcel.files.iter().filter(|file| file.path != SUMS);
    others.into_iter().all(|file| listed.contains(format!("{}  {}", file.sha256, file.path).as_str()))
}

fn is_of(end: &End, back: &Return) -> bool {
    end.node.as_ref().is_some_and(|node| {
        let order: (&str, u32, Digest) = (&node.name, node.attempt, node.order_sha256);
        node.sha256sums_sha256.is_some() && order == (&back.node, back.attempt, back.order_sha256)
    })
}
