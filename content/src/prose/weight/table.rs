//! The fitted weights and the classes of words, as the build laid them out: three hash tables with open addressing.
//!
//! ```text
//! weights   eight bytes a slot: 4 of the number of a feature, 1 what it weighs as an order, 1 as a claim, 2 unused
//! known     a bit for every number of a feature that there is: most numbers have none
//! glances   four bytes a slot: 3 of the number of a stem, 1 what it weighs at a glance
//! classes   four bytes a slot: 3 of the number of a stem, 1 the place of its class
//! ```
//!
//! A slot of zeros is empty. Does not know what a number stands for.

use crate::prose::feature::{self, slot as first_slot};

include!(concat!(env!("OUT_DIR"), "/weights.rs"));

static WEIGHTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/weights.bin"));
static KNOWN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/known.bin"));
static GLANCES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/glances.bin"));
static CLASSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"));

/// The slot of a feature.
#[inline]
pub(super) fn find(key: u64) -> Option<u32> {
    let bit = feature::known_bit(key);
    if KNOWN.get(bit / 8).is_none_or(|bits| bits >> (bit % 8) & 1 == 0) {
        return None;
    }
    let slots = WEIGHTS.as_chunks::<8>().0;
    let sign = feature::sign(key);
    let mut slot = first_slot(key, slots.len());
    loop {
        let [a, b, c, d, ..] = *slots.get(slot)?;
        match u32::from_le_bytes([a, b, c, d]) {
            0 => return None,
            here if here == sign => return u32::try_from(slot).ok(),
            _ => slot = (slot + 1) & (slots.len() - 1),
        }
    }
}

/// How many slots there are for features.
pub(super) const SLOTS: usize = WEIGHTS.len() / 8;

/// What the feature in a slot weighs, in sixteenths: as an order, as a claim.
#[inline]
pub(super) fn weight(slot: u32) -> [i32; 2] {
    let [.., order, claim, _, _] = WEIGHTS.as_chunks::<8>().0.get(slot as usize).copied().unwrap_or_default();
    [order, claim].map(|weight| i32::from(weight.cast_signed()))
}

/// What a stem weighs at a glance, in sixteenths; 0 where it is unknown.
#[inline]
pub(in super::super) fn glance(stem: u64) -> i32 {
    value(GLANCES, stem).map_or(0, |weight| i32::from(weight.cast_signed()))
}

/// The class that a stem belongs to, by its place among [`CLASSES`].
#[inline]
pub(super) fn class(stem: u64) -> Option<usize> {
    value(CLASSED, stem).map(usize::from)
}

/// The value of a stem in a table of short slots.
#[inline]
fn value(table: &[u8], stem: u64) -> Option<u8> {
    let slots = table.as_chunks::<4>().0;
    let sign = feature::short_sign(stem);
    let mut slot = first_slot(stem, slots.len());
    loop {
        let [a, b, c, value] = *slots.get(slot)?;
        match u32::from_le_bytes([a, b, c, 0]) {
            0 => return None,
            here if here == sign => return Some(value),
            _ => slot = (slot + 1) & (slots.len() - 1),
        }
    }
}
