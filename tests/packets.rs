//! A research packet, as `PyPI`'s packages read it: `warcio` its responses, `trafilatura` the pages in them.
//!
//! ```text
//! tests/packets/install                installs them below target/packets
//! cargo test --workspace --test packets
//! ```
//!
//! Not among the tests that `cargo test` runs by itself: it needs `PyPI`. `.ci/proof` installs and runs it.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use server::{Server, response};
use site::Site;

#[path = "run/http/server.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod server;
#[allow(dead_code, unused_imports, reason = "other tests use the rest of it")]
mod site;

const PAGES: [(&str, &str); 3] = [
    ("/essay", include_str!("packets/pages/essay.html")),
    ("/manual", include_str!("packets/pages/manual.html")),
    ("/hidden", include_str!("packets/pages/hidden.html")),
];

#[test]
fn the_responses_are_read_by_warcio_and_the_text_has_what_trafilatura_finds() {
    let server = Server::new(|request, out| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        let page = PAGES.iter().find(|(name, _)| *name == path);
        let answer = match page {
            Some((_, body)) => response("200 OK", "Content-Type: text/html; charset=utf-8\r\n", body),
            None => response("404 Not Found", "Content-Type: text/html\r\n", ""),
        };
        out.write_all(answer.as_bytes())
    });
    let host = server.destination();
    let site = Site::with_config(&format!(
        "[inbox]\nsettle_ms = 50\n[fetch]\ndestinations = [\"{host}\"]\n[http]\nca_file = \"{}\"\n",
        server.ca_file().display()
    ));
    let id = site.ask_for_pages("pages", &PAGES.map(|(path, _)| format!("https://{host}{path}")), "");
    site.up();
    let packet = site.result(&id);
    let text = packet.read("artifacts/stdout.txt");
    assert!(text.contains("The crust sings") && !text.contains("zebrafish"), "{text}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target/packets/bin/python");
    assert!(python.exists(), "{} is missing: run tests/packets/install first", python.display());
    let output = Command::new(python).arg(root.join("tests/packets/read.py")).arg(&packet.0).output().unwrap();
    let [said, faults] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    println!("{said}");
    assert!(output.status.success(), "{faults}");
}
