//! How a text uses an address: fetched by a viewer of the text, fetched by the surrounding command, followed, or merely present.
//!
//! The words and characters before it that decide this are data (`words/address-standing.txt`). *Security*: looks back over a bounded
//! number of hostile bytes. *Standards*: CommonMark 0.31, sections 4.7, 6.3, 6.4 and 6.5; HTML, section 4; CSS Values 4, section 4.5.

use std::sync::LazyLock;

use memchr::{memchr, memmem, memrchr};
use regex_automata::meta::Regex;

use crate::fact::word_list::{of_kind, regex};

/// How far back the context of an address is read, and that of an image before the definition of its address, bytes.
const BACK_BYTES_MAX: usize = 256;
const LABEL_BACK_BYTES_MAX: usize = 2048;

/// How a reader meets an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Fetched,
    Run,
    Followed,
    Bare,
}

impl Standing {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Fetched => "fetched",
            Self::Run => "run",
            Self::Followed => "followed",
            Self::Bare => "bare",
        }
    }

    /// Its contribution to the weight of an address's content.
    pub(super) const fn weight(self) -> i32 {
        match self {
            Self::Fetched => 3,
            Self::Run | Self::Followed => 1,
            Self::Bare => 0,
        }
    }
}

static BEFORE: LazyLock<[(Standing, Regex); 3]> = LazyLock::new(|| {
    let list = |kind| {
        let patterns = of_kind(include_str!("../../../words/address-standing.txt"), kind);
        regex(&format!(r"(?i)(?:{})\z", patterns.join("|")))
    };
    [(Standing::Fetched, list("fetched")), (Standing::Run, list("run")), (Standing::Followed, list("followed"))]
});

/// How the text uses the address that begins at `start`.
pub(super) fn standing(bytes: &[u8], start: usize) -> Standing {
    let before = &bytes[start.saturating_sub(BACK_BYTES_MAX)..start];
    if let Some(label) = defined(before)
        && is_image(&bytes[start.saturating_sub(LABEL_BACK_BYTES_MAX)..start], label)
    {
        return Standing::Fetched;
    }
    BEFORE.iter().find(|(_, pattern)| pattern.is_match(before)).map_or(Standing::Bare, |(standing, _)| *standing)
}

/// The label of the definition that ends before an address: `[label]: `.
fn defined(before: &[u8]) -> Option<&[u8]> {
    let before = before.trim_ascii_end();
    let head = before.strip_suffix(b"<").unwrap_or(before).trim_ascii_end().strip_suffix(b"]:")?;
    memrchr(b'[', head).map(|open| &head[open + 1..])
}

/// Whether an image uses a label: `![…][label]` or `![label]`.
fn is_image(before: &[u8], label: &[u8]) -> bool {
    let full = memmem::find(before, &[b"][", label, b"]"].concat()).is_some_and(|at| {
        let open = memrchr(b'[', &before[..at]);
        open.and_then(|open| open.checked_sub(1)).is_some_and(|at| before[at] == b'!')
    });
    full || memchr(b'!', before).is_some() && memmem::find(before, &[b"![", label, b"]"].concat()).is_some()
}
