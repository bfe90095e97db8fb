//! A hash table of numbers that are already hashes, with open addressing, and a bit for each that rules out most absent keys.
//!
//! Does not keep whole keys: two keys in a chain that share their upper half are one. Input from strangers is never inserted.

/// A table of values by keys of 64 bits, a third of it or more empty.
#[derive(Debug)]
pub(super) struct Table<V> {
    slots: Box<[(u32, V)]>,
    /// A bit by the highest bits of a key, four times as many as there are slots.
    known: Box<[u64]>,
}

impl<V: Copy + Default> Table<V> {
    /// An empty one that takes so many keys.
    pub(super) fn with_room(keys: usize) -> Self {
        let slots = (keys + keys / 2).next_power_of_two().max(16);
        Self { slots: vec![(0, V::default()); slots].into(), known: vec![0; slots / 16].into() }
    }

    /// The value of a key, which is put in if it is not there.
    pub(super) fn entry(&mut self, key: u64) -> &mut V {
        let (number, bit) = self.place(key);
        self.known[number] |= bit;
        let slot = self.seek(key);
        let (sign, value) = &mut self.slots[slot];
        *sign = self::sign(key);
        value
    }

    /// The slot and the value of a key that is mostly there.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<(usize, V)> {
        let slot = self.seek(key);
        self.slots.get(slot).filter(|(sign, _)| *sign != 0).map(|(_, value)| (slot, *value))
    }

    /// The same of one that mostly is not.
    #[inline]
    pub(super) fn find_rare(&self, key: u64) -> Option<(usize, V)> {
        let (number, bit) = self.place(key);
        let is_known = self.known.get(number).is_some_and(|bits| bits & bit != 0);
        if is_known { self.find(key) } else { None }
    }

    /// The value in a slot.
    #[inline]
    pub(super) fn value(&self, slot: usize) -> V {
        self.slots.get(slot).map_or_else(V::default, |(_, value)| *value)
    }

    /// The slot of a key, or the empty one that it belongs into.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "only the lowest bits are asked for")]
    fn seek(&self, key: u64) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = key as usize & last;
        while !matches!(self.slots.get(slot), Some((sign, _)) if *sign == 0 || *sign == self::sign(key)) {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// The position of a key's bit.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "only some bits are asked for")]
    fn place(&self, key: u64) -> (usize, u64) {
        let bit = (key >> 32) as usize;
        ((bit >> 6) & (self.known.len() - 1), 1 << (bit & 63))
    }
}

/// Distinguishes a key from others in its chain; never 0, which marks an empty slot.
#[inline]
const fn sign(key: u64) -> u32 {
    (key >> 32) as u32 | 1
}
