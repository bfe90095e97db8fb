//! What fuzz targets have in common: the memory that judging one input may take, and a second opinion on Markdown.
//!
//! Counts the heap of Rust alone, so that libFuzzer's own corpus is no part of it.

use std::alloc::System;

use cap::Cap;

mod markdown;

pub use markdown::{Body, titles};

/// The most bytes that one run may have allocated beyond what was there before it: 64 MiB.
const RUN_BYTES_MAX: usize = 64 << 20;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Does `run` with a heap that ends at its limit: what needs more aborts, which libFuzzer takes for a finding.
pub fn bounded(run: impl FnOnce()) {
    HEAP.set_limit(HEAP.allocated() + RUN_BYTES_MAX).expect("a limit above what is allocated");
    run();
    HEAP.set_limit(usize::MAX).expect("no limit is above what is allocated");
}
