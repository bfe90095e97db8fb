//! Writes `schemas/*.schema.json` from the types: `cargo run --example schemas`.
//!
//! `tests/contract/schemas.rs` fails while a committed file is not what this writes.

use std::path::Path;

use gatepost::cli::schema;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for (name, schema) in schema::published() {
        std::fs::write(folder.join(name), schema::file_text(&schema))?;
        println!("schemas/{name}");
    }
    Ok(())
}
