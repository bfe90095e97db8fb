//! Logistic regression by FTRL-proximal steps (`McMahan` and others, "Ad click prediction", 2013): most weights are exactly 0.
//!
//! Does not know what a feature means.

use super::vocabulary::{Sample, Sentence};

/// Fits whose mean is taken, each with the examples in another order; rounds over the examples.
const FITS: usize = 3;
const ROUNDS: usize = 7;
/// Harmless sentences that weigh less than this are learned from one time in so many, all of them in no round.
const SURE: f32 = -5.5;
const SURE_TIMES: u64 = 25;
/// How much a hostile sentence counts, and a harmless one that comes near.
const HOSTILE: f32 = 5.0;
const NEAR: f32 = 2.0;
/// How fast it learns; what it costs that a weight is not 0, and that it is large; what a sentence weighs at first.
const RATE: f32 = 0.15;
const LASSO: f32 = 0.3;
const RIDGE: f32 = 5.0;
const BIAS: f32 = -4.0;
/// The share of its features that an example is learned without, others each time: a word and its class, which mostly stand
/// together, each have to speak for themselves. Later a sentence has all of them, and each counts for less.
const DROPPED: f32 = 0.3;

/// The features of sentences: hostile ones by their sample, harmless ones, and such that come near.
pub(crate) struct Examples<'a> {
    hostile: Vec<Vec<&'a [u32]>>,
    harmless: Vec<&'a [u32]>,
    near: Vec<&'a [u32]>,
}

impl<'a> Examples<'a> {
    pub(crate) fn new(
        hostile: &'a [Sample],
        harmless: &'a Sample,
        near: &'a Sample,
        of: fn(&'a Sentence) -> &'a Vec<u32>,
    ) -> Self {
        let all = |sample: &'a Sample| sample.iter().map(|sentence| of(sentence).as_slice()).collect::<Vec<_>>();
        Self { hostile: hostile.iter().map(all).collect(), harmless: all(harmless), near: all(near) }
    }
}

/// The weights of the features.
pub(crate) struct Model {
    weights: Vec<f32>,
    pub bias: f32,
}

impl Model {
    pub(crate) fn fitted(features: usize, examples: &Examples<'_>) -> Self {
        let mut weights = vec![0.0; features];
        let mut random = 0x9E37_79B9_7F4A_7C15;
        for _ in 0..FITS {
            let fit = Fit::new(features, examples, &mut random);
            for (weight, at) in weights.iter_mut().zip(0..) {
                *weight += fit.weight(at) * (1.0 - DROPPED) / FITS as f32;
            }
        }
        Self { weights, bias: BIAS }
    }

    pub(crate) fn weight(&self, feature: u32) -> f32 {
        self.weights[feature as usize]
    }

    pub(crate) fn weigh(&self, features: &[u32]) -> f32 {
        self.bias + features.iter().map(|feature| self.weight(*feature)).sum::<f32>()
    }

    /// Leaves out all but the features that weigh most.
    pub(crate) fn prune(&mut self, most: usize) {
        let mut weights: Vec<(f32, usize)> = self.weights.iter().map(|weight| weight.abs()).zip(0..).collect();
        weights.sort_by(|left, right| right.0.total_cmp(&left.0));
        for (_, feature) in weights.into_iter().skip(most) {
            self.weights[feature] = 0.0;
        }
    }

    /// Sets the bias so that this share of the samples weighs nothing, and the others more.
    pub(crate) fn lose(&mut self, examples: &Examples<'_>, share: f32) {
        let most = |sample: &Vec<&[u32]>| sample.iter().map(|features| self.weigh(features)).fold(f32::MIN, f32::max);
        let mut weights: Vec<f32> = examples.hostile.iter().map(most).collect();
        weights.sort_by(f32::total_cmp);
        self.bias -= weights[(weights.len() as f32 * share) as usize];
    }
}

/// A fit that is being made.
struct Fit {
    sums: Vec<f32>,
    squares: Vec<f32>,
}

impl Fit {
    fn new(features: usize, examples: &Examples<'_>, random: &mut u64) -> Self {
        let mut model = Self { sums: vec![0.0; features], squares: vec![0.0; features] };
        for round in 0..ROUNDS {
            let mut batch = model.batch(examples, round, random);
            for at in (1..batch.len()).rev() {
                let other = next(random) as usize % (at + 1);
                batch.swap(at, other);
            }
            let mut kept = Vec::new();
            for (features, hostile, times) in batch {
                kept.clear();
                kept.extend(features.iter().copied().filter(|_| share(random) >= DROPPED));
                model.learn(&kept, hostile, times);
            }
        }
        model
    }

    /// What a round learns from: all hostile and near sentences, and the harmless ones that are not yet told from them. Of a sample of
    /// several sentences the one that weighs most is hostile, and what is sure already.
    fn batch<'a>(&self, examples: &Examples<'a>, round: usize, random: &mut u64) -> Vec<(&'a [u32], f32, f32)> {
        let mut batch: Vec<_> = examples.near.iter().map(|features| (*features, 0.0, NEAR)).collect();
        for sample in &examples.hostile {
            let most = sample.iter().map(|features| self.weigh(features)).fold(f32::MIN, f32::max);
            for features in sample {
                let is_short = round == 0 && sample.len() <= 2;
                if is_short || round > 0 && (self.weigh(features) >= most.min(1.0)) {
                    batch.push((*features, 1.0, HOSTILE));
                }
            }
        }
        for features in &examples.harmless {
            let is_sure = round == 0 || self.weigh(features) < SURE;
            if !is_sure || next(random).is_multiple_of(if round == 0 { 8 } else { SURE_TIMES }) {
                batch.push((*features, 0.0, 1.0));
            }
        }
        batch
    }

    fn weight(&self, feature: u32) -> f32 {
        let sum = self.sums[feature as usize];
        if sum.abs() <= LASSO {
            return 0.0;
        }
        -(sum - sum.signum() * LASSO) / ((1.0 + self.squares[feature as usize].sqrt()) / RATE + RIDGE)
    }

    fn weigh(&self, features: &[u32]) -> f32 {
        BIAS + features.iter().map(|feature| self.weight(*feature)).sum::<f32>()
    }

    fn learn(&mut self, features: &[u32], hostile: f32, times: f32) {
        let slope = (1.0 / (1.0 + (-self.weigh(features)).exp()) - hostile) * times;
        for feature in features {
            let weight = self.weight(*feature);
            let square = &mut self.squares[*feature as usize];
            let step = ((*square + slope * slope).sqrt() - square.sqrt()) / RATE;
            *square += slope * slope;
            self.sums[*feature as usize] += slope - step * weight;
        }
    }
}

/// A share that looks random, from 0 to below 1.
fn share(state: &mut u64) -> f32 {
    (next(state) >> 40) as f32 / (1 << 24) as f32
}

/// A number that looks random, from the one before it.
const fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
