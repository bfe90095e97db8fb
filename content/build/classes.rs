//! Reads the classes of words, `src/prose/classes.txt`, and fails where a stem has two.
//!
//! ```text
//! class: word word ...
//! ```

use std::collections::BTreeMap;
use std::fs;

use crate::feature;

pub const CLASSES: &str = "src/prose/classes.txt";

pub struct Classes {
    /// Their names, as features are named by them.
    pub names: Vec<String>,
    /// The place of its class by the number of each stem.
    pub members: BTreeMap<u64, u8>,
}

pub fn read() -> Classes {
    let text = fs::read_to_string(CLASSES).expect("the classes");
    let (mut names, mut members) = (Vec::new(), BTreeMap::new());
    for (line, class) in text.lines().zip(0..=u8::MAX) {
        let (name, words) = line.split_once(": ").unwrap_or_else(|| panic!("{CLASSES}: {line}: it has no name"));
        names.push(format!("#{name}"));
        for word in words.split(' ') {
            let other = members.insert(feature::symbol(feature::stem(word).as_bytes()), class);
            assert!(
                other.is_none_or(|other| other == class),
                "{CLASSES}: {word} stands in {name} and in another class"
            );
        }
    }
    assert_eq!(names.len(), text.lines().count(), "{CLASSES}: there are too many classes");
    Classes { names, members }
}
