//! `gatepost version`

use crate::cli::prelude::*;

/// `gatepost version`
pub(super) const DECLARATION: Declaration = Declaration::safe("version", data::<Version>).anywhere();

#[derive(Serialize, JsonSchema)]
struct Version {
    name: &'static str,
    version: &'static str,
    rules_version: &'static str,
}

impl View for Version {
    fn text(&self) -> String {
        format!("{} {}\n", self.name, self.version)
    }
}

pub(super) fn run() -> Outcome {
    let rules_version = gatepost_gate::judge::RULES_VERSION;
    Outcome::done(&Version { name: "gatepost", version: env!("CARGO_PKG_VERSION"), rules_version })
}
