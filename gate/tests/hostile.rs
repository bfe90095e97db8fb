//! For any bytes in a bundle, the gate reaches a verdict.

use gatepost_documents::text;
use gatepost_documents::verdict::{Decision, reasons_markdown};
use proptest::prelude::*;

use crate::bundle_folder::Files;

/// Pieces that are more likely to reach deep than random bytes are.
const PIECES: &[&str] = &[
    "---\n",
    "\n",
    "## Summary\n",
    "\n## Stdout\n\n",
    "```text\n",
    "```\n",
    "- `x`: ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\u0000",
    "\u{202e}",
    "\u{feff}",
    "&a",
    "*a",
    "<!--",
    "  ",
    "e3b0c442",
    "artifacts/../x",
    "1e999",
    "null",
    "\r",
];

fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_as_any_file_are_refused(
        base in prop::sample::select(&["success", "refusal", "timeout"][..]),
        file: prop::sample::Index,
        bytes in hostile_bytes(),
        sealed: bool,
    ) {
        let mut files = Files::of(base);
        let path = files.bytes.keys().nth(file.index(files.bytes.len())).unwrap().clone();
        let is_list = path == "SHA256SUMS";
        prop_assume!(files.bytes[&path] != bytes);
        files.put(&path, bytes);
        if sealed && !is_list {
            files.seal();
        }
        prop_assert_eq!(files.judge().verdict, Decision::Reject);
    }

    #[test]
    fn any_bytes_in_the_midst_of_any_file_are_refused(
        base in prop::sample::select(&["success", "refusal", "timeout"][..]),
        file: prop::sample::Index,
        place: prop::sample::Index,
        cut in 0_usize..40,
        bytes in hostile_bytes(),
        sealed: bool,
    ) {
        let mut files = Files::of(base);
        let path = files.bytes.keys().nth(file.index(files.bytes.len())).unwrap().clone();
        let whole = files.bytes[&path].clone();
        let start = place.index(whole.len() + 1);
        let end = (start + cut).min(whole.len());
        let mutant = [&whole[..start], &bytes, &whole[end..]].concat();
        let changed = mutant != whole;
        files.put(&path, mutant);
        // What is sealed again may be true again: then only the verdict's being there is asked for.
        if sealed {
            files.seal();
        }
        let verdict = files.judge();
        prop_assert!(sealed || !changed || verdict.verdict == Decision::Reject);
        let page = reasons_markdown(&verdict);
        prop_assert!(page.split('\n').all(|line| text::check(line.as_bytes(), "").is_ok()), "{}", page);
    }
}
