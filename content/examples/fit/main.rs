//! `fit HARMLESS HOSTILE…`: fits the weights of sentences, and prints them as `words/weights.txt` has them.
//!
//! HARMLESS is a file in JSON Lines (`class`, `form` and `text`) with real documents in which nothing may be found: the more and the more
//! kinds, the better. A fifth of them is held back, to say at which weight how many documents would be remarked on. HOSTILE are folders of
//! such files; of them `instruction` and `policy_claim` are read, and `benign`, which are harmless sentences that come near. What is disguised or
//! encoded is not read, as the gate would first have to undo it, nor are harmless sentences that only tell or quote something: those
//! are never sure anyway.
//!
//! What is printed depends on the samples and their order alone. A log goes to the standard error.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a program for the desk: it reads files and the clock"
)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "shares and weights are estimates"
)]

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::io::BufRead as _;
use std::path::Path;
use std::{env, fs, io};

use serde_json::Value;

mod model;
mod vocabulary;

use model::{Examples, Model};
use vocabulary::{Sample, Sentence, Vocabulary};

/// The classes that sentences belong to, in the order of their columns.
const CLASSES: [&str; 2] = ["instruction", "policy_claim"];
/// How many features of each class are kept.
const FEATURES_MAX: usize = 50_000;
/// One document in so many is held back.
const HELD_BACK: usize = 5;
/// Samples that weigh less are not worth reading; the share of the others that a glance may leave unread.
const NOTICED: f32 = -1.0;
const GLANCE_LOSS: f32 = 0.01;
/// The shares of documents for which the weight is printed.
const SHARES: [f32; 6] = [0.001, 0.002, 0.005, 0.01, 0.05, 0.1];

type Texts = HashMap<String, Vec<String>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [harmless, hostile @ ..] = arguments.as_slice() else {
        return Err("usage: fit HARMLESS HOSTILE...".into());
    };
    let mut texts = Texts::new();
    for class in CLASSES.iter().chain(&["benign"]) {
        for folder in hostile {
            read(&Path::new(folder).join(class).with_extension("jsonl"), &mut texts)?;
        }
    }
    let of = |class: &str| texts.get(class).map_or(&[][..], Vec::as_slice);
    let mut vocabulary = Vocabulary::default();
    for class in CLASSES {
        vocabulary.learn(of(class));
    }
    let samples = CLASSES.map(|class| of(class).iter().map(|text| vocabulary.sample(text)).collect::<Vec<Sample>>());
    let near = of("benign").iter().flat_map(|text| vocabulary.sample(text)).filter(|sentence| !sentence.is_mention);
    let near: Sample = near.collect();
    let (sentences, held_back) = documents(Path::new(harmless), &vocabulary)?;
    eprintln!("{} features, {} sentences, {} near", vocabulary.names.len(), sentences.len(), near.len());

    let models = [0, 1].map(|side| {
        let examples = Examples::new(&samples[side], &sentences, &near, |sentence| &sentence.features);
        let mut model = Model::fitted(vocabulary.names.len(), &examples);
        model.prune(FEATURES_MAX);
        report(CLASSES[side], &model, &samples[side], &held_back);
        model
    });
    let is_noticed = |sample: &Sample| {
        let weigh = |sentence: &Sentence| models.each_ref().map(|model| model.weigh(&sentence.features));
        sample.iter().flat_map(weigh).any(|weight| weight > NOTICED)
    };
    let noticed: Vec<Sample> = samples.into_iter().flatten().filter(is_noticed).collect();
    let examples = Examples::new(&noticed, &sentences, &near, |sentence| &sentence.stems);
    let mut glance = Model::fitted(vocabulary.stems.len(), &examples);
    glance.lose(&examples, GLANCE_LOSS);
    let read = sentences.iter().filter(|sentence| glance.weigh(&sentence.stems) > 0.0).count();
    eprintln!("read after a glance: {read} of {} harmless sentences", sentences.len());
    print!("{}", vocabulary.written(&models, &glance)?);
    Ok(())
}

/// Adds the texts of a file to those of their class.
fn read(path: &Path, texts: &mut Texts) -> Result<(), Box<dyn Error>> {
    for line in io::BufReader::new(fs::File::open(path)?).lines() {
        let line: Value = serde_json::from_str(&line?)?;
        if !matches!(line["form"].as_str(), Some("disguised" | "encoded"))
            && let (Some(class), Some(text)) = (line["class"].as_str(), line["text"].as_str())
        {
            texts.entry(class.to_owned()).or_default().push(text.to_owned());
        }
    }
    Ok(())
}

/// The different sentences of all documents but those that are held back.
fn documents(path: &Path, vocabulary: &Vocabulary) -> Result<(Sample, Vec<Sample>), Box<dyn Error>> {
    let mut texts = Texts::new();
    read(path, &mut texts)?;
    let (mut sentences, mut held_back, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for (at, text) in texts.remove("benign").unwrap_or_default().iter().enumerate() {
        let sample = vocabulary.sample(text);
        if at % HELD_BACK == 0 {
            held_back.push(sample);
        } else {
            let direct = sample.into_iter().filter(|sentence| !sentence.is_mention);
            sentences.extend(direct.filter(|sentence| seen.insert(sentence.features.clone())));
        }
    }
    Ok((sentences, held_back))
}

/// Prints for each weight how many harmless documents and hostile samples it would report.
fn report(class: &str, model: &Model, samples: &[Sample], held_back: &[Sample]) {
    let most = |sample: &Sample| sample.iter().map(|sentence| model.weigh(&sentence.features)).fold(f32::MIN, f32::max);
    let mut weights: Vec<f32> = held_back.iter().map(most).collect();
    weights.sort_by(|left, right| right.total_cmp(left));
    for share in SHARES {
        let Some(weight) = weights.get((weights.len() as f32 * share) as usize) else { continue };
        let found = samples.iter().filter(|sample| most(sample) > *weight).count();
        eprintln!(
            "{class}: {:.1} % of documents at {:.0}, with {:.1} % of the samples fitted to",
            share * 100.0,
            weight * vocabulary::UNIT,
            found as f32 * 100.0 / samples.len() as f32
        );
    }
}
