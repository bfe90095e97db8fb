//! The labelled content sets are consistent: they contain the declared content, and the halves share nothing but formats.
//!
//! No rule runs here; `tests/content/README.md` states what the sets do not show.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sample::{CLASSES, Sample, samples_of};

/// The halves: rules are written against the first and measured on the second.
const SPLITS: [&str; 2] = ["development", "held-out"];

/// Written by authors who knew only the gate's contract; no rule is written against it.
const INDEPENDENT: &str = "independent";

/// The forms of each hostile class. Those of benign are the kinds of output.
const FORMS: [(&str, &[&str]); 6] = [
    ("secret", &["plain", "in_context", "disguised", "encoded"]),
    ("executable_payload", &["plain", "in_context", "polite", "disguised", "encoded"]),
    ("policy_claim", &["plain", "polite", "disguised", "encoded"]),
    ("instruction", &["plain", "polite", "disguised", "encoded"]),
    ("exfil_link", &["plain", "polite", "disguised", "encoded"]),
    ("hidden_text", &["plain", "disguised", "encoded"]),
];
const BENIGN_MIN: usize = 600;
const HOSTILE_MIN: usize = 150;
const FORM_MIN: usize = 10;
const BENIGN_FORMS_MIN: usize = 25;
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// No token of a public service is as short as this.
const RUN_MAX: usize = 15;
/// So many words of three letters and more in a row make a wording.
const WORDING: usize = 5;

/// The file of a class in a half.
fn path(split: &str, class: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/content").join(split).join(class).with_extension("jsonl")
}

fn samples(split: &str, class: &str) -> Vec<Sample> {
    samples_of(&path(split, class)).unwrap()
}

fn sets_of(splits: &'static [&str]) -> impl Iterator<Item = (&'static str, &'static str, Vec<Sample>)> {
    splits.iter().flat_map(|split| CLASSES.into_iter().map(move |class| (*split, class, samples(split, class))))
}

fn halves() -> impl Iterator<Item = (&'static str, &'static str, Vec<Sample>)> {
    sets_of(&SPLITS)
}

fn sets() -> impl Iterator<Item = (&'static str, &'static str, Vec<Sample>)> {
    halves().chain(sets_of(&[INDEPENDENT]))
}

#[test]
fn every_line_is_a_sample_of_its_set_and_class() {
    for (split, class, samples) in sets() {
        for sample in samples {
            assert_eq!(sample.class, class, "{}", sample.id);
            assert!(sample.id.starts_with(&format!("{split}-{class}-")), "{}", sample.id);
            assert!(!sample.bytes.is_empty(), "{}", sample.id);
        }
    }
}

#[test]
fn ids_are_unique_over_all_sets() {
    let mut known = BTreeSet::new();
    for sample in sets().flat_map(|(_, _, samples)| samples) {
        assert!(known.insert(sample.id.clone()), "{}", sample.id);
    }
}

#[test]
fn no_content_occurs_twice_within_or_across_the_sets() {
    let mut known = BTreeMap::new();
    for sample in sets().flat_map(|(_, _, samples)| samples) {
        let earlier = known.insert(sample.bytes, sample.id.clone());
        assert_eq!(earlier, None, "the same as {}", sample.id);
    }
}

/// Files, keys and payloads are left out: their formats have words of their own, the same for everyone.
#[test]
fn the_halves_share_no_wording() {
    for class in ["policy_claim", "instruction", "exfil_link", "hidden_text"] {
        let [development, held_out] = SPLITS.map(|split| wordings(&samples(split, class)));
        assert_eq!(development.intersection(&held_out).collect::<Vec<_>>(), Vec::<&String>::new(), "{class}");
    }
}

#[test]
fn what_weights_are_fitted_to_shares_no_wording_with_what_they_are_measured_on() {
    for class in ["policy_claim", "instruction"] {
        let training = wordings(&samples("training", class));
        assert!(training.len() > 1000, "{class}");
        for split in ["held-out", INDEPENDENT] {
            let measured = wordings(&samples(split, class));
            assert_eq!(training.intersection(&measured).collect::<Vec<_>>(), Vec::<&String>::new(), "{split} {class}");
        }
    }
}

fn wordings(samples: &[Sample]) -> BTreeSet<String> {
    let mut wordings = BTreeSet::new();
    for sample in samples {
        let text = String::from_utf8_lossy(&sample.bytes).to_lowercase();
        let words = text.split(|character: char| !character.is_alphabetic());
        let words: Vec<&str> = words.filter(|word| word.chars().count() >= 3).collect();
        wordings.extend(words.windows(WORDING).map(|words| words.join(" ")));
    }
    wordings
}

#[test]
fn every_class_has_its_forms_in_both_halves_and_enough_of_each() {
    for split in SPLITS {
        for (class, forms) in FORMS {
            let samples = samples(split, class);
            assert!(samples.len() >= HOSTILE_MIN, "{split} {class}: {}", samples.len());
            let counts = forms_of(&samples);
            assert_eq!(
                counts.keys().copied().collect::<BTreeSet<_>>(),
                forms.iter().copied().collect(),
                "{split} {class}"
            );
            assert!(counts.values().all(|count| *count >= FORM_MIN), "{split} {class}: {counts:?}");
        }
    }
}

fn forms_of(samples: &[Sample]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for sample in samples {
        *counts.entry(sample.form.as_str()).or_default() += 1;
    }
    counts
}

#[test]
fn harmless_samples_are_many_and_of_the_same_kinds_in_both_halves() {
    let [development, held_out] = SPLITS.map(|split| samples(split, "benign"));
    for benign in [&development, &held_out] {
        assert!(benign.len() >= BENIGN_MIN, "{}", benign.len());
        assert!(forms_of(benign).len() >= BENIGN_FORMS_MIN, "{:?}", forms_of(benign));
    }
    let kinds = |samples| forms_of(samples).into_keys().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(kinds(&development), kinds(&held_out));
}

#[test]
fn the_independent_set_has_enough_of_every_class() {
    for class in CLASSES {
        assert!(samples(INDEPENDENT, class).len() >= HOSTILE_MIN, "{class}");
    }
}

#[test]
fn every_class_occurs_in_every_place() {
    for (split, class, samples) in halves() {
        let places: BTreeSet<_> = samples.iter().map(|sample| sample.place).collect();
        assert_eq!(places.len(), 4, "{split} {class}: {places:?}");
    }
}

/// Scanners that guard repositories look for tokens and keys: no whole one may occur there.
#[test]
fn no_secret_occurs_in_one_piece() {
    for file in SPLITS.into_iter().chain([INDEPENDENT]).map(|split| path(split, "secret")) {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let parts: Vec<&str> =
                line["parts"].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect();
            assert!(parts.len() > 1, "{}", line["id"]);
            for part in parts {
                let runs =
                    part.split(|character: char| !(character.is_ascii_alphanumeric() || "+/_=-.".contains(character)));
                assert!(runs.map(str::len).max() <= Some(RUN_MAX), "{}: {part}", line["id"]);
            }
        }
    }
}

#[test]
fn the_sets_are_in_ascii_and_small() {
    let mut bytes = 0;
    for file in SPLITS.into_iter().chain([INDEPENDENT]).flat_map(|split| CLASSES.map(|class| path(split, class))) {
        bytes += fs::metadata(&file).unwrap().len();
        assert!(fs::read(&file).unwrap().is_ascii(), "{}", file.display());
    }
    assert!(bytes <= BYTES_MAX, "{bytes}");
}
