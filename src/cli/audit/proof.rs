//! Proves that an accepted result is in its gate's log: the leaf, and the hashes that lead from it to the signed checkpoint.

use std::ffi::OsStr;
use std::path::Path;

use gatepost_documents::attestation::LogPlace;
use gatepost_documents::log_proof::LogProof;
use gatepost_gate::audit::{Accepted, accepted};
use gatepost_gate::ledger::Entry;
use gatepost_ledger::{Checkpoint, TILE_WIDTH, Tile, hash_text, is_included, leaf_hash};
use gatepost_mailbox::tile_log::{LogFolder, while_published};

use super::attestation;
use crate::cli::prelude::*;

/// The proof of a result in the `core/inbound/` of a site with a log; none elsewhere. The inner error is a sentence
/// that says why an expected proof is missing.
///
/// A concurrent decision of the gate may replace the tile at the edge; then the search is repeated.
pub(crate) fn prove(bundle: &Path) -> Result<Option<Result<LogProof, String>>, Fault> {
    let whole = bundle.canonicalize().on("find", bundle)?;
    let (Some(folder), Some(name)) = (whole.parent(), whole.file_name()) else { return Ok(None) };
    let Some(site) = Site::find(folder).filter(|site| site.core_inbound() == folder && site.gate_log().is_dir()) else {
        return Ok(None);
    };
    let accepted = accepted(folder, name).on("read", &whole)?;
    let log = LogFolder::at(&site.gate_log());
    while_published(|| look(&log, name, &accepted)).map(Some)
}

/// The proof for the newest checkpoint of the log.
fn look(log: &LogFolder, name: &OsStr, accepted: &Accepted) -> Result<Result<LogProof, String>, Fault> {
    let (key, note) = (log.verifier()?, log.checkpoint()?);
    let checkpoint = match Checkpoint::open(&note, &key) {
        Ok(checkpoint) => checkpoint,
        Err(error) => return Ok(Err(format!("The checkpoint of the gate's log cannot be used: {error}."))),
    };
    let Accepted { bundle_sha256, verdict_sha256, attested, .. } = accepted;
    let is_it = |entry: &Entry| {
        entry.has_verdict(*verdict_sha256)
            && entry.bundle_sha256 == *bundle_sha256
            && Some(entry.result_id.as_str()) == name.to_str()
    };
    let named = attested.iter().flatten().filter(|attested| attested.log.origin == key.name());
    let named = named.map(|attested| attested.log.index / TILE_WIDTH as u64).next();
    let Some((index, leaf)) = find(log, checkpoint.size, named, &name.to_string_lossy(), is_it)? else {
        return Ok(Err("The gate's log has no decision that accepts exactly these bytes.".to_owned()));
    };
    let hashes = gatepost_ledger::prove(index, checkpoint.size, |tile| log.row(tile))?.unwrap_or_default();
    if !is_included(&leaf_hash(&leaf), index, checkpoint.size, &hashes, &checkpoint.root) {
        return Ok(Err(format!("The tiles of the gate's log do not prove decision {index} to its checkpoint.")));
    }
    let place = LogPlace { origin: key.name().to_owned(), index };
    let logged = serde_json::from_slice::<Entry>(&leaf).ok().and_then(|entry| entry.attestation_key);
    if let Some((_, file, message)) = attestation::fault(logged.as_deref(), &place, attested.as_ref()) {
        return Ok(Err(format!("{file}: {message}")));
    }
    Ok(Ok(LogProof {
        leaf: String::from_utf8_lossy(&leaf).into_owned(),
        index,
        size: checkpoint.size,
        hashes: hashes.iter().map(hash_text).collect(),
        checkpoint: note,
        verifier_key: key.to_string(),
    }))
}

/// The decision and its number. The tile that an attestation names is searched first, as a hint only; then the latest
/// decisions.
fn find(
    log: &LogFolder,
    size: u64,
    named: Option<u64>,
    name: &str,
    is_it: impl Fn(&Entry) -> bool,
) -> Result<Option<(u64, Vec<u8>)>, Fault> {
    let all = 0..size.div_ceil(TILE_WIDTH as u64);
    for index in named.filter(|named| all.contains(named)).into_iter().chain(all.clone().rev()) {
        let Some(tile) = Tile::of(None, index, size) else { continue };
        let (mut number, mut found) = (index * TILE_WIDTH as u64, None);
        log.entries(tile, |leaf| {
            let is_about = memchr::memmem::find(leaf, name.as_bytes()).is_some();
            if is_about && serde_json::from_slice::<Entry>(leaf).is_ok_and(|entry| is_it(&entry)) {
                found = Some((number, leaf.to_vec()));
            }
            number += 1;
            Ok(())
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
