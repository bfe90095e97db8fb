//! Lays the weights of sentences, `src/prose/weights.tsv`, and the classes of words out as hash tables, and fails where a
//! line is wrong.
//!
//! ```text
//! feature <tab> as an order <tab> as a claim [<tab> at a glance]
//! ```
//!
//! Weights are in sixteenths. What a feature is stands in `src/prose/feature.rs`, how a table is laid out in
//! `src/prose/weight/table.rs`. The first line is what every sentence weighs.

use std::collections::BTreeMap;
use std::fs;

pub const WEIGHTS: &str = "src/prose/weights.tsv";

use crate::classes::Classes;
use crate::feature::{self, Kind};

/// What the first line is about.
const EVERY: &str = "(sentence)";

pub struct Tables {
    pub constants: String,
    pub weights: Vec<u8>,
    pub known: Vec<u8>,
    pub glances: Vec<u8>,
    pub classes: Vec<u8>,
}

pub fn read(classes: &Classes) -> Tables {
    let text = fs::read_to_string(WEIGHTS).expect("the weights");
    let mut lines = text.lines().map(|line| parse(line).unwrap_or_else(|fault| panic!("{WEIGHTS}: {line}: {fault}")));
    let (every, [order, claim, glance]) = lines.next().expect("a first line");
    assert_eq!(every, EVERY, "{WEIGHTS}: the first line");
    let symbol = |name: &str| feature::symbol(name.as_bytes());
    let symbols: Vec<_> = classes.names.iter().map(|name| symbol(name)).collect();
    let constants = format!(
        "pub(super) const BIAS: [i32; 2] = [{order}, {claim}];\n\
         pub(in super::super) const GLANCE_BIAS: i32 = {glance};\n\
         pub(in super::super) const CLASSES: &[&str] = &{:?};\n",
        classes.names
    );
    let mut weights = BTreeMap::<u64, [i8; 2]>::new();
    let mut glances = BTreeMap::new();
    for (name, values) in lines {
        let [order, claim, glance] = values.map(|value| i8::try_from(value).expect("a weight is below eight"));
        let (kind, first, second) = place(name);
        for name in [Some(first), second].into_iter().flatten() {
            weights.entry(feature::key(Kind::Single, symbol(name), 0)).or_default();
        }
        let key = feature::key(kind, symbol(first), second.map_or(0, symbol));
        assert!(weights.insert(key, [order, claim]).unwrap_or_default() == [0, 0], "{WEIGHTS}: {name} stands twice");
        if glance != 0 {
            assert_eq!(kind, Kind::Single, "{WEIGHTS}: {name}: only words have a weight at a glance");
            glances.insert(symbol(first), glance);
        }
    }
    let mut known = vec![0; feature::KNOWN_BITS / 8];
    for key in weights.keys() {
        let bit = feature::known_bit(*key);
        known[bit / 8] |= 1 << (bit % 8);
    }
    for (stem, class) in &classes.members {
        let of_class = glances.get(&symbols[usize::from(*class)]).copied().unwrap_or_default();
        let glance = glances.entry(*stem).or_insert(0);
        *glance = glance.saturating_add(of_class);
    }
    let short = |stem, value| {
        let [a, b, c, _] = feature::short_sign(stem).to_le_bytes();
        [a, b, c, value]
    };
    Tables {
        constants,
        known,
        weights: laid_out(weights.into_iter(), |key, [order, claim]| {
            let [a, b, c, d] = feature::sign(key).to_le_bytes();
            [a, b, c, d, order.cast_unsigned(), claim.cast_unsigned(), 0, 0]
        }),
        glances: laid_out(glances.into_iter(), |stem, weight| short(stem, weight.cast_unsigned())),
        classes: laid_out(classes.members.iter().map(|(stem, class)| (*stem, *class)), short),
    }
}

/// A line: its feature, and what that weighs.
fn parse(line: &str) -> Result<(&str, [i32; 3]), String> {
    let mut fields = line.split('\t');
    let name = fields.next().filter(|name| !name.is_empty()).ok_or("no feature")?;
    let mut values = [0; 3];
    let mut count = 0;
    for (value, field) in values.iter_mut().zip(fields) {
        *value = field.parse().map_err(|_| format!("{field} is no whole number"))?;
        count += 1;
    }
    if count < 2 { Err("two or three weights are missing".to_owned()) } else { Ok((name, values)) }
}

/// How the words of a feature stand, and which they are.
fn place(name: &str) -> (Kind, &str, Option<&str>) {
    let (opening, rest) = name.strip_prefix('^').map_or((false, name), |rest| (true, rest));
    if let Some((first, second)) = rest.split_once(" .. ") {
        return (Kind::Near, first, Some(second));
    }
    match (rest.split_once(' '), opening) {
        (Some((first, second)), false) => (Kind::Adjacent, first, Some(second)),
        (Some((first, second)), true) => (Kind::OpeningAdjacent, first, Some(second)),
        (None, false) => (Kind::Single, rest, None),
        (None, true) => (Kind::Opening, rest, None),
    }
}

/// A table of slots, half of them or more empty, with linear probing.
fn laid_out<T, const N: usize>(
    entries: impl ExactSizeIterator<Item = (u64, T)>,
    slot: impl Fn(u64, T) -> [u8; N],
) -> Vec<u8> {
    let count = (entries.len() * 2).next_power_of_two();
    let mut slots = vec![[0; N]; count];
    for (key, value) in entries {
        let mut place = feature::slot(key, count);
        while slots[place] != [0; N] {
            place = (place + 1) & (count - 1);
        }
        slots[place] = slot(key, value);
    }
    slots.concat()
}
