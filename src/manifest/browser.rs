//! `[browser]`: a browser that is driven. Read and checked in full; run elsewhere.

use std::collections::BTreeMap;

use super::custom_type::CustomTypes;
use super::interaction::{self, Commands, Interaction, InteractionBounds};
use crate::scope::Target;
use crate::toml_source::Section;
use gatepost_documents::text::quoted;

/// A parsed `[browser]`.
#[derive(Debug, Clone)]
pub struct Browser {
    /// `cdp` or `playwright`.
    pub engine: &'static str,
    /// Whether it runs without a window.
    pub headless: bool,
    /// `launch` or `live`.
    pub connect: &'static str,
    /// `accessibility_tree`, `html` or `text`.
    pub extract_mode: &'static str,
    /// Timeouts and the number of interactions.
    pub bounds: InteractionBounds,
    /// Hosts that may be visited; `*.` stands for one label or more. Empty: none is named.
    pub allowed_domains: Vec<String>,
    /// Hosts that may not; they win.
    pub blocked_domains: Vec<String>,
    /// Whether hosts that no list names may be visited.
    pub allow_external: bool,
    /// What is reported after each interaction.
    pub state_fields: Vec<String>,
    /// What may be done.
    pub commands: BTreeMap<String, Interaction>,
}

const DEFAULTS: InteractionBounds = InteractionBounds {
    startup_timeout_seconds: 10,
    idle_timeout_seconds: 120,
    session_timeout_seconds: 600,
    interactions_max: 200,
};

/// Every engine, and the one that it is.
const ENGINES: [(&str, &str); 3] = [("cdp", "cdp"), ("cdp-direct", "cdp"), ("playwright", "playwright")];
const EXTRACT_MODES: [(&str, &str); 3] =
    [("accessibility_tree", "accessibility_tree"), ("html", "html"), ("text", "text")];

/// Reads `[browser]`.
pub(super) fn read(section: Section<'_>, types: &CustomTypes) -> Browser {
    let word = |key, choices: &[(&'static str, &'static str)], default| section.one_of(key, choices).unwrap_or(default);
    let extract_mode = read_extract_mode(&section);
    let mut browser = Browser {
        engine: word("engine", &ENGINES, "cdp"),
        headless: section.boolean("headless").unwrap_or(true),
        connect: word("connect", &[("launch", "launch"), ("live", "live")], "launch"),
        extract_mode,
        bounds: interaction::read_bounds(&section, DEFAULTS),
        allowed_domains: Vec::new(),
        blocked_domains: Vec::new(),
        allow_external: false,
        state_fields: Vec::new(),
        commands: interaction::read_commands(&section, types, Commands::Browser),
    };
    if let Some(scope) = section.section("scope") {
        browser.allowed_domains = domains(&scope, "allowed_domains");
        browser.blocked_domains = domains(&scope, "blocked_domains");
        browser.allow_external = scope.boolean("allow_external").unwrap_or(false);
        scope.close();
    }
    if let Some(state) = section.section("state") {
        let fields = state.texts("fields").unwrap_or_default();
        browser.state_fields = fields.iter().map(|field| field.value.to_owned()).collect();
        state.close();
    }
    section.close();
    browser
}

/// `extract_mode`, in `[browser]` or in `[browser.defaults]`.
fn read_extract_mode(section: &Section<'_>) -> &'static str {
    let own = section.one_of("extract_mode", &EXTRACT_MODES);
    let Some(defaults) = section.section("defaults") else { return own.unwrap_or("accessibility_tree") };
    let default = defaults.one_of("extract_mode", &EXTRACT_MODES);
    if own.is_some() && default.is_some() {
        let message = format!("{} is given in [browser] too.", defaults.path("extract_mode"));
        defaults.fault(defaults.place("extract_mode"), message, "Keep one.");
    }
    defaults.close();
    own.or(default).unwrap_or("accessibility_tree")
}

fn domains(scope: &Section<'_>, key: &'static str) -> Vec<String> {
    let domains = scope.texts(key).unwrap_or_default();
    for domain in &domains {
        if let Err(fault) = Target::parse_host(domain.value.strip_prefix("*.").unwrap_or(domain.value)) {
            let message = format!("{} contains {}, which {fault}.", scope.path(key), quoted(domain.value));
            scope.fault(domain.at, message, "Write host names such as example.com or *.example.com.");
        }
    }
    domains.iter().map(|domain| domain.value.to_owned()).collect()
}
