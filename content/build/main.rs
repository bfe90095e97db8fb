//! Turns the rules that are data into what the compiler takes.

use std::path::PathBuf;
use std::{env, fs};

mod classes;
#[allow(dead_code, reason = "the gate uses the rest")]
#[path = "../src/prose/feature.rs"]
mod feature;
mod secrets;
mod weights;

const FEATURES: &str = "src/prose/feature.rs";

fn main() {
    for path in ["build", secrets::RULES, weights::WEIGHTS, classes::CLASSES, FEATURES] {
        println!("cargo::rerun-if-changed={path}");
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("the build folder is writable");
    let constants = secrets::written(&secrets::read()).expect("a string takes what is written to it");
    write("secret_rules.rs", constants.as_bytes());
    let tables = weights::read(&classes::read());
    write("weights.rs", tables.constants.as_bytes());
    write("weights.bin", &tables.weights);
    write("known.bin", &tables.known);
    write("glances.bin", &tables.glances);
    write("classes.bin", &tables.classes);
}
