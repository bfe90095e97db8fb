//! Digests are never treated as encoded text or secrets: a checksum list of a million of them yields no finding.

use std::fmt::Write as _;

use gatepost_content::{Place, Scan, Source};

/// How many digests, and how many are written before they are looked at.
const DIGESTS: u64 = 1_000_000;
const PIECE: u64 = 10_000;

#[test]
fn a_million_random_digests_give_no_finding() {
    let (mut scan, mut source) = (Scan::default(), Source::new(Place::Artifact, "SHA256SUMS"));
    let mut state = 0;
    for _ in 0..DIGESTS / PIECE {
        let mut text = String::new();
        for _ in 0..PIECE {
            let words = [(); 4].map(|()| next(&mut state));
            writeln!(text, "{:016x}{:016x}{:016x}{:016x}", words[0], words[1], words[2], words[3]).unwrap();
        }
        source.feed(text.as_bytes(), &mut scan);
    }
    source.finish(&mut scan);
    let findings = scan.into_findings();
    assert_eq!(findings.total(), 0, "{:?}", findings.list());
}

/// The next number of `SplitMix64`.
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}
