//! `[session]`: an interactive program that stays open, and its commands.
//!
//! Each of its commands is bound, judged and approved like a tool: it becomes a manifest of its own, `<tool>.<command>`. *Standards*:
//! ToolClad, "Session Mode".

use std::collections::BTreeMap;

use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use regex::Regex;

use super::bind::Arguments;
use super::constraint;
use super::custom_type::CustomTypes;
use super::filling::{Filling, Places, SecretValues};
use super::interaction::{self, Commands, Interaction, InteractionBounds};
use super::placeholder::fault;
use super::template::split;
use crate::toml_source::Section;

/// The longest line that a terminal takes, its newline included. *Source*: Linux, `N_TTY_BUF_SIZE`.
pub const LINE_BYTES_MAX: usize = 4095;

/// A parsed `[session]`.
#[derive(Debug, Clone)]
pub struct Session {
    /// The program and its arguments; no placeholders.
    pub startup: Vec<String>,
    /// The prompt of the program; searched.
    pub ready_pattern: Option<Regex>,
    /// The text of a failed answer; searched.
    pub error_pattern: Option<Regex>,
    /// Timeouts and the number of interactions.
    pub bounds: InteractionBounds,
    /// Output of one interaction, bytes, at most.
    pub output_bytes_max: u32,
    /// How long output may pause before it counts as complete.
    pub output_wait_ms: u32,
    /// The allowed interactions.
    pub commands: BTreeMap<String, Interaction>,
}

/// Bytes of one answer, at most: they are in memory.
const OUTPUT_BYTES_MAX: u32 = 16 << 20;

const DEFAULTS: InteractionBounds = InteractionBounds {
    startup_timeout_seconds: 30,
    idle_timeout_seconds: 300,
    session_timeout_seconds: 1800,
    interactions_max: 100,
};

/// Reads `[session]`.
pub(super) fn read(section: Section<'_>, types: &CustomTypes) -> Session {
    let startup = section.required_text("startup_command").and_then(|text| {
        if text.value.chars().any(char::is_control) {
            let message = format!("{} has a control character.", section.path("startup_command"));
            section.fault(text.at, message, "Write it on one line.");
        }
        split(text.value).inspect_err(|error| fault(&section, "startup_command", text.at, error)).ok()
    });
    let (mut sanitized, mut output_bytes_max, mut output_wait_ms) = (true, 1 << 20, 2000);
    if let Some(interaction) = section.section("interaction") {
        if let Some(words) = interaction.texts("input_sanitize") {
            sanitized = !words.is_empty();
            for word in words.iter().filter(|word| word.value != "injection") {
                let message = format!("{} names an unknown sanitizer.", interaction.path("input_sanitize"));
                interaction.fault(word.at, message, "Write [\"injection\"] or [].");
            }
        }
        output_bytes_max = interaction.count("output_max_bytes", OUTPUT_BYTES_MAX).unwrap_or(output_bytes_max);
        output_wait_ms = interaction.count("output_wait_ms", 600_000).unwrap_or(output_wait_ms);
        interaction.close();
    }
    let commands = interaction::read_commands(&section, types, Commands::Lines { sanitized });
    if commands.is_empty() {
        let message = "[session] has no commands, so nothing can be said in it.".to_owned();
        section.warn(section.at, message, "Add [session.commands.NAME].");
    }
    let session = Session {
        startup: startup.unwrap_or_default(),
        ready_pattern: constraint::pattern(&section, "ready_pattern"),
        error_pattern: constraint::pattern(&section, "error_pattern"),
        bounds: interaction::read_bounds(&section, DEFAULTS),
        output_bytes_max,
        output_wait_ms,
        commands,
    };
    section.close();
    session
}

impl Interaction {
    /// The line for these arguments, without the line end. Code: `argument_invalid`.
    pub fn line(&self, name: &str, arguments: &Arguments) -> Result<String, Reason> {
        let places = Places { scan_id: "", output_file: "", output_dir: "", evidence_dir: "" };
        let secrets = SecretValues::new();
        let line = Filling::new(arguments, &places, &secrets).text(&self.text, &str::to_owned).shown;
        let fault = |what: String, hint: &str| {
            let message = format!("The text of the command {name} is {}, which {what}.", quoted(&line));
            Err(Reason::new(Code::ArgumentInvalid, message, hint))
        };
        match &self.pattern {
            _ if line.chars().any(char::is_control) => {
                fault("has a control character".into(), "Give one line of text.")
            }
            _ if line.len() >= LINE_BYTES_MAX => {
                fault(format!("has more than {} bytes", LINE_BYTES_MAX - 1), "A terminal takes no longer line.")
            }
            Some(pattern) if !pattern.is_match(&line) => {
                fault(format!("does not match {}", quoted(pattern.as_str())), "Use the form that its manifest demands.")
            }
            _ => Ok(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Backend;
    use super::super::fixture::{Inputs, manifest, values};
    use crate::scope::Scope;

    #[test]
    fn what_may_be_said_in_a_session_is_bound_like_the_call_of_a_tool() {
        let manifest = manifest(
            "[session]\nstartup_command = 'x'\n[session.commands.select]\npattern='^SELECT '\n\
             [session.commands.aim]\ntemplate='set {{t}} {target}'\nrisk_tier='high'\npattern='^set'\n\
             [session.commands.aim.args.target]\ntype='scope_target'\nrequired=true",
        )
        .unwrap();
        assert_eq!(manifest.timeout_seconds(), 1800);
        let scope = Scope::parse("[scope]\ntargets=['10.0.0.0/8']", "scope.toml").unwrap();
        let line_of = |command: &str, given: &[(&str, &str)]| {
            let command = &manifest.commands()[command];
            let arguments = command.bind(&values(given), &scope, &Inputs).map_err(|reasons| {
                reasons.into_iter().map(|reason| reason.code.as_str()).collect::<Vec<_>>().join(" ")
            })?;
            let Backend::Interaction(interaction) = command.backend() else { panic!() };
            interaction.line(command.name(), &arguments).map_err(|reason| reason.message)
        };
        assert_eq!(line_of("select", &[("command", "SELECT 1")]), Ok("SELECT 1".to_owned()));
        assert_eq!(line_of("aim", &[("target", "10.1.2.3")]), Ok("set {t} 10.1.2.3".to_owned()));
        for (command, given, fault) in [
            ("select", ("command", "DROP t"), "which does not match"),
            ("select", ("command", "SELECT 1; DROP t"), "argument_invalid"),
            ("select", ("command", "SELECT 1\nDROP t"), "argument_invalid"),
            ("select", ("text", "SELECT 1"), "argument_missing argument_unknown"),
            ("aim", ("target", "192.0.2.1"), "out_of_scope"),
            ("aim", ("command", "set t 192.0.2.1"), "argument_unknown argument_missing"),
        ] {
            let found = line_of(command, &[given]).unwrap_err();
            assert!(found.contains(fault), "{given:?}: {found}");
        }
        let long = format!("SELECT {}", "1".repeat(4_089));
        assert!(line_of("select", &[("command", &long)]).unwrap_err().contains("more than 4094 bytes"));
        let names: Vec<_> = manifest.with_commands().map(|one| (one.name(), one.approvers())).collect();
        assert_eq!(names, [("t", 0), ("t.aim", 1), ("t.select", 0)]);
    }
}
