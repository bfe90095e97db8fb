//! The keywords of all detectors, found in one pass: whatever has none of them costs no more than this pass.
//!
//! *Security*: linear in the bytes whatever they are; a detector must stay linear in the number of marks.

use std::sync::LazyLock;

use super::words::{Place, Words};
use super::{hidden, layer, link, payload, prose, secret};

/// Who asks for keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detector {
    Secret,
    Payload,
    Prose(prose::Looking),
    Link,
    Hidden,
    Layer,
}

/// How many there are.
const DETECTORS: usize = 8;

impl Detector {
    const ALL: [Self; DETECTORS] = [
        Self::Secret,
        Self::Payload,
        Self::Link,
        Self::Hidden,
        Self::Layer,
        Self::Prose(prose::Looking::Template),
        Self::Prose(prose::Looking::LookAlike),
        Self::Prose(prose::Looking::Setting),
    ];

    fn keywords(self) -> Vec<&'static str> {
        match self {
            Self::Secret => secret::keywords(),
            Self::Payload => payload::keywords(),
            Self::Prose(looking) => prose::keywords(looking),
            Self::Link => link::keywords(),
            Self::Hidden => hidden::keywords(),
            Self::Layer => layer::keywords(),
        }
    }

    /// Its place among all.
    const fn index(self) -> usize {
        match self {
            Self::Secret => 0,
            Self::Payload => 1,
            Self::Link => 2,
            Self::Hidden => 3,
            Self::Layer => 4,
            Self::Prose(looking) => 5 + looking as usize,
        }
    }
}

/// One keyword, found in any mixture of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Its first byte in the view.
    pub(crate) start: usize,
    /// The byte behind it.
    pub(crate) end: usize,
    /// Its index in what the detector's `keywords()` returns.
    pub(crate) keyword: usize,
}

/// Every keyword in a view.
#[derive(Debug, Default)]
pub(crate) struct Marks([Vec<Mark>; DETECTORS]);

struct Keywords {
    words: Words,
    /// For each word its detector's index, and its own among that detector's keywords.
    owners: Vec<(usize, usize)>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let owned = |detector: Detector| {
        detector.keywords().into_iter().enumerate().map(move |(at, word)| (detector.index(), at, word))
    };
    let all: Vec<_> = Detector::ALL.into_iter().flat_map(owned).collect();
    Keywords {
        words: Words::new(all.iter().map(|(.., word)| word)),
        owners: all.into_iter().map(|(detector, at, _)| (detector, at)).collect(),
    }
});

impl Marks {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut marks = Self::default();
        let keywords = &*KEYWORDS;
        keywords.words.each(bytes, |Place { start, end, word }| {
            let Some(&(detector, keyword)) = keywords.owners.get(word) else { return };
            if let Some(list) = marks.0.get_mut(detector) {
                list.push(Mark { start, end, keyword });
            }
        });
        for list in &mut marks.0 {
            list.sort_by_key(|mark| (mark.end, mark.start));
        }
        marks
    }

    /// In the order of their ends, the longest first.
    pub(crate) fn of_detector(&self, detector: Detector) -> &[Mark] {
        self.0.get(detector.index()).map_or(&[], Vec::as_slice)
    }
}
