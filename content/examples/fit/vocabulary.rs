//! The features that hostile samples have in common, by index and name.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{self, Write as _};

use gatepost_content::fit;

use super::model::Model;

/// So many hostile samples have a feature that is one.
const SAMPLES_MIN: u32 = 3;
/// Weights are written in sixteenths.
pub(crate) const UNIT: f32 = 16.0;

/// A sentence by the indices of its features, each once, and of its stems.
pub(crate) struct Sentence {
    pub features: Vec<u32>,
    pub stems: Vec<u32>,
    pub is_mention: bool,
}

pub(crate) type Sample = Vec<Sentence>;

#[derive(Default)]
pub(crate) struct Vocabulary {
    pub names: Vec<String>,
    features: HashMap<u64, u32>,
    pub stems: HashMap<u64, u32>,
    counts: HashMap<u64, u32>,
}

impl Vocabulary {
    /// Takes the features that occur in some of these samples.
    pub(crate) fn learn(&mut self, texts: &[String]) {
        let mut names = HashMap::new();
        for text in texts {
            let sentences = fit::sentences(text, |key, name| {
                names.entry(key).or_insert_with(name);
            });
            let features: HashSet<u64> = sentences.iter().flat_map(|sentence| &sentence.features).copied().collect();
            for feature in features {
                *self.counts.entry(feature).or_default() += 1;
            }
            for stem in sentences.iter().flat_map(|sentence| &sentence.stems) {
                let index = index(self.stems.len());
                self.stems.entry(*stem).or_insert(index);
            }
        }
        let sorted: BTreeMap<&String, u64> = names.iter().map(|(key, name)| (name, *key)).collect();
        for (name, key) in sorted {
            if self.counts[&key] >= SAMPLES_MIN && !self.features.contains_key(&key) {
                self.features.insert(key, index(self.names.len()));
                self.names.push(name.clone());
            }
        }
    }

    pub(crate) fn sample(&self, text: &str) -> Sample {
        let sentences = fit::sentences(text, |_, _| ());
        let sentences = sentences.into_iter().map(|sentence| {
            let mut features: Vec<u32> =
                sentence.features.iter().filter_map(|key| self.features.get(key).copied()).collect();
            features.sort_unstable();
            features.dedup();
            let stems = sentence.stems.iter().filter_map(|key| self.stems.get(key).copied()).collect();
            Sentence { features, stems, is_mention: sentence.is_mention }
        });
        sentences.collect()
    }

    /// The table of weights: a line for each first word, in the order of their names.
    pub(crate) fn written(&self, models: &[Model; 2], glance: &Model) -> Result<String, fmt::Error> {
        let rounded = |weight: f32| (weight * UNIT).round() as i32;
        let small = |weight: f32| rounded(weight).clamp(i8::MIN.into(), i8::MAX.into());
        let [order, claim] = models.each_ref().map(|model| rounded(model.bias));
        let mut lines = BTreeMap::from([("(sentence)", format!(" ={order},{claim},{}", rounded(glance.bias)))]);
        for (name, at) in self.names.iter().zip(0..) {
            let (first, place) = name.split_once(' ').unwrap_or((name, ""));
            let stem = self.stems.get(&fit::symbol(first)).filter(|_| place.is_empty());
            let mut values = models.each_ref().map(|model| small(model.weight(at))).to_vec();
            values.push(stem.map_or(0, |stem| small(glance.weight(*stem))));
            let count = values.iter().rposition(|value| *value != 0).map_or(0, |last| last + 1);
            let texts =
                values.iter().take(count).map(|value| if *value == 0 { String::new() } else { value.to_string() });
            if count > 0 {
                write!(lines.entry(first).or_default(), " {place}={}", texts.collect::<Vec<_>>().join(","))?;
            }
        }
        let mut text = String::new();
        for (first, items) in &lines {
            writeln!(text, "{first}{items}")?;
        }
        Ok(text)
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
