//! Turns the rules that are data into what the compiler takes.

use std::path::PathBuf;
use std::{env, fs};

mod secrets;
mod weights;

fn main() {
    for path in ["build", secrets::RULES, weights::WEIGHTS, weights::FEATURES] {
        println!("cargo::rerun-if-changed={path}");
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("the build folder is writable");
    let constants = secrets::written(&secrets::read()).expect("a string takes what is written to it");
    write("secret_rules.rs", constants.as_bytes());
    let tables = weights::read();
    write("weights.rs", tables.constants.as_bytes());
    write("weights.bin", &tables.weights);
    write("glances.bin", &tables.glances);
}
