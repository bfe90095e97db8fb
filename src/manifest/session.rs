//! `[session]`: an interactive program that is kept open. Read and checked in full; run elsewhere.

use std::collections::BTreeMap;

use regex::Regex;

use super::constraint;
use super::custom_type::CustomTypes;
use super::interaction::{self, Interaction, InteractionBounds};
use super::placeholder::fault;
use super::template::split;
use crate::toml_source::Section;

/// A parsed `[session]`.
#[derive(Debug, Clone)]
pub struct Session {
    /// The program and its arguments; no placeholders.
    pub startup: Vec<String>,
    /// What the program prints when it waits for input; searched.
    pub ready_pattern: Option<Regex>,
    /// Timeouts and the number of interactions.
    pub bounds: InteractionBounds,
    /// Whether input is refused when it holds shell metacharacters.
    pub sanitize_input: bool,
    /// Output of one interaction, bytes, at most.
    pub output_bytes_max: u32,
    /// How long output may pause before it counts as complete.
    pub output_wait_ms: u32,
    /// What may be done.
    pub commands: BTreeMap<String, Interaction>,
}

const DEFAULTS: InteractionBounds = InteractionBounds {
    startup_timeout_seconds: 30,
    idle_timeout_seconds: 300,
    session_timeout_seconds: 1800,
    interactions_max: 100,
};

/// Reads `[session]`.
pub(super) fn read(section: Section<'_>, types: &CustomTypes) -> Session {
    let startup = section.required_text("startup_command").and_then(|text| {
        split(text.value).inspect_err(|error| fault(&section, "startup_command", text.at, error)).ok()
    });
    let (mut sanitize_input, mut output_bytes_max, mut output_wait_ms) = (true, 1 << 20, 2000);
    if let Some(interaction) = section.section("interaction") {
        if let Some(words) = interaction.texts("input_sanitize") {
            sanitize_input = !words.is_empty();
            for word in words.iter().filter(|word| word.value != "injection") {
                let message = format!("{} names an unknown sanitizer.", interaction.path("input_sanitize"));
                interaction.fault(word.at, message, "Write [\"injection\"] or [].");
            }
        }
        output_bytes_max = interaction.count("output_max_bytes", 1 << 30).unwrap_or(output_bytes_max);
        output_wait_ms = interaction.count("output_wait_ms", 600_000).unwrap_or(output_wait_ms);
        interaction.close();
    }
    let session = Session {
        startup: startup.unwrap_or_default(),
        ready_pattern: constraint::pattern(&section, "ready_pattern"),
        bounds: interaction::read_bounds(&section, DEFAULTS),
        sanitize_input,
        output_bytes_max,
        output_wait_ms,
        commands: interaction::read_commands(&section, types),
    };
    section.close();
    session
}
