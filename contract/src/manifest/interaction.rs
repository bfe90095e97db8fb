//! The common parts of `[session]` and `[browser]`: timeouts, the number of interactions, and their commands.
//!
//! In ToolClad a session's command is one whole text, bounded by a pattern: it is the one argument `command` of a
//! command without `template`. `template` is gatepost's own, and makes the text from typed arguments.

use std::collections::BTreeMap;

use regex::Regex;

use super::argument::{self, Argument};
use super::argument_type::ArgumentType;
use super::browser;
use super::constraint;
use super::custom_type::CustomTypes;
use super::placeholder::{Names, Part, Parts};
use super::tool::{RISK_TIERS, RiskTier, Tool};
use super::{Backend, Limits, Manifest, Sandbox};
use crate::toml_source::Section;
use gatepost_documents::text::quoted;

/// Seconds of a timeout, at most: a day.
const SECONDS_MAX: u32 = 86_400;

/// How long, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InteractionBounds {
    /// Until it is ready.
    pub startup_timeout_seconds: u32,
    /// Without an interaction.
    pub idle_timeout_seconds: u32,
    /// Altogether.
    pub session_timeout_seconds: u32,
    /// Interactions, at most.
    pub interactions_max: u32,
}

/// One thing that may be done in a session.
#[derive(Debug, Clone)]
pub struct Interaction {
    /// The pattern for the text of the command; searched.
    pub pattern: Option<Regex>,
    /// For people and models.
    pub description: String,
    /// Its own risk.
    pub risk_tier: RiskTier,
    /// Whether a person must approve it.
    pub human_approval: bool,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// The line; empty for a browser, which gets none.
    pub(super) text: Parts,
}

/// The owner of the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Commands {
    /// A session, which gets lines; whether a whole line with metacharacters is refused.
    Lines { sanitized: bool },
    /// A browser.
    Browser,
}

/// Reads the bounds; `defaults` in the order of the fields.
pub(super) fn read_bounds(section: &Section<'_>, defaults: InteractionBounds) -> InteractionBounds {
    let seconds = |key, default| section.count(key, SECONDS_MAX).unwrap_or(default);
    InteractionBounds {
        startup_timeout_seconds: seconds("startup_timeout_seconds", defaults.startup_timeout_seconds),
        idle_timeout_seconds: seconds("idle_timeout_seconds", defaults.idle_timeout_seconds),
        session_timeout_seconds: seconds("session_timeout_seconds", defaults.session_timeout_seconds),
        interactions_max: section.count("max_interactions", 1_000_000).unwrap_or(defaults.interactions_max),
    }
}

/// Reads `commands.NAME`.
pub(super) fn read_commands(section: &Section<'_>, types: &CustomTypes, of: Commands) -> BTreeMap<String, Interaction> {
    let mut commands = BTreeMap::new();
    let Some(table) = section.section("commands") else { return commands };
    for (name, node) in table.entries() {
        if !argument::is_name(name.value) {
            let message = format!("[{}] has the name {}, which is not a plain word.", table.name, quoted(name.value));
            table.fault(name.at, message, "Use a to z, 0 to 9 and underscore.");
        }
        let Some(one) = table.subsection(name.value, node) else { continue };
        let mut arguments =
            one.section("args").map(|arguments| argument::read_all(&arguments, types)).unwrap_or_default();
        let text = match of {
            Commands::Lines { sanitized } => read_text(&one, &mut arguments, sanitized),
            Commands::Browser => {
                browser::complete(&one, (name.value, name.at), &mut arguments);
                Parts::new()
            }
        };
        let interaction = Interaction {
            pattern: constraint::pattern(&one, "pattern"),
            description: one.text("description").map(|text| text.value.to_owned()).unwrap_or_default(),
            risk_tier: one.one_of("risk_tier", &RISK_TIERS).unwrap_or(RiskTier::Low),
            human_approval: one.boolean("human_approval").unwrap_or(false),
            arguments,
            text,
        };
        if one.boolean("extract_target") == Some(true) {
            let message = format!("gatepost does not support {}.", one.path("extract_target"));
            let hint = "Give the command an argument of the type scope_target: it is checked against the scope.";
            one.fault(one.place("extract_target"), message, hint);
        }
        one.close();
        commands.insert(name.value.to_owned(), interaction);
    }
    commands
}

/// The manifests of the commands of a session or browser, by their own names.
pub(super) fn manifests(
    tool: &Tool,
    commands: &BTreeMap<String, Interaction>,
    sandbox: &Sandbox,
) -> BTreeMap<String, Manifest> {
    let of = |(name, interaction): (&String, &Interaction)| {
        let is_approved = interaction.human_approval || interaction.risk_tier >= RiskTier::Medium;
        let tool = Tool {
            name: format!("{}.{name}", tool.name),
            description: interaction.description.clone(),
            risk_tier: interaction.risk_tier,
            approvers: tool.approvers.max(is_approved.into()),
            ..tool.clone()
        };
        let manifest = Manifest {
            tool,
            arguments: interaction.arguments.clone(),
            backend: Backend::Interaction(interaction.clone()),
            output: None,
            limits: Limits::default(),
            sandbox: sandbox.clone(),
            commands: BTreeMap::new(),
            warnings: Vec::new(),
        };
        (name.clone(), manifest)
    };
    commands.iter().map(of).collect()
}

/// The text of a command: its `template`, or the value of its one argument.
fn read_text(section: &Section<'_>, arguments: &mut Vec<Argument>, sanitized: bool) -> Parts {
    for argument in arguments.iter().filter(|argument| argument.sensitive) {
        let message = format!("[{}] has the sensitive argument {}.", section.name, argument.name);
        section.fault(argument.at, message, "Remove the argument: the transcript shows every line of a session.");
    }
    let Some(template) = section.text("template") else {
        if let Some(argument) = arguments.first() {
            let message = format!("[{}] has arguments, but no template that uses them.", section.name);
            section.fault(argument.at, message, "Write, for example, template = \"print {name}\".");
        }
        arguments.push(whole_text(sanitized));
        return vec![Part::Argument(WHOLE.to_owned())];
    };
    let names = Names::new(arguments);
    let parts = names.parts(section, "template", template.at, template.value);
    if !names.secrets().is_empty() {
        let message = format!("{} names a secret.", section.path("template"));
        section.fault(template.at, message, "Remove it: the transcript shows every line of a session.");
    }
    if template.value.chars().any(char::is_control) {
        let message = format!("{} has a control character.", section.path("template"));
        section.fault(template.at, message, "Write one line; TOOL-EXEC adds the line end.");
    }
    for argument in arguments.iter().filter(|argument| !names.used.borrow().contains(&argument.name)) {
        super::command::report_unused_argument(section, argument);
    }
    for argument in arguments.iter().filter(|argument| argument.kind.is_any_text()) {
        let message = format!(
            "[{}] sends its argument {} unescaped: gatepost does not know the program's rules for characters such as quotes.",
            section.name, argument.name
        );
        section.warn(argument.at, message, "Restrict it with a pattern or an enum.");
    }
    parts
}

/// The argument of a command without a template.
const WHOLE: &str = "command";

fn whole_text(sanitized: bool) -> Argument {
    Argument {
        name: WHOLE.to_owned(),
        kind: ArgumentType { unsanitized: !sanitized, ..ArgumentType::text() },
        required: true,
        default: None,
        description: "The line to send".to_owned(),
        allow_leading_dash: true,
        sensitive: false,
        position: 0,
        at: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::RiskTier;
    use super::super::fixture::{faults, manifest};
    use super::Backend;

    #[test]
    fn a_text_in_a_template_should_have_a_form() {
        let warned = |argument: &str| {
            let command = "[session]\nstartup_command='x'\n[session.commands.read]\ntemplate='read {a}'\n[session.commands.read.args.a]\nrequired=true\n";
            let manifest = manifest(&format!("{command}{argument}")).unwrap();
            manifest.warnings().iter().any(|warning| warning.message.contains("sends its argument a unescaped"))
        };
        assert!(warned("type='string'") && warned("type='literal_text'"));
        for argument in ["type='string'\npattern='^[a-z]+$'", "type='enum'\nallowed=['b']", "type='integer'"] {
            assert!(!warned(argument), "{argument}");
        }
    }

    #[test]
    fn sessions_and_browsers_are_checked_in_full() {
        let session = manifest("[session]\nstartup_command = \"psql -h 'a b'\"\n[session.commands.select]\npattern='^SELECT'\nrisk_tier='high'").unwrap();
        let Backend::Session(session) = session.backend() else { panic!() };
        assert_eq!(session.startup, ["psql", "-h", "a b"]);
        assert_eq!((session.bounds.startup_timeout_seconds, session.bounds.idle_timeout_seconds), (30, 300));
        assert_eq!((session.bounds.session_timeout_seconds, session.bounds.interactions_max), (1800, 100));
        assert_eq!(session.commands["select"].risk_tier, RiskTier::High);
        let browser = manifest("[browser]").unwrap();
        let Backend::Browser(browser) = browser.backend() else { panic!() };
        assert_eq!(
            (browser.engine, browser.connect, browser.extract_mode),
            ("cdp", "launch", gatepost_workers::browser::Form::AccessibilityTree)
        );
        assert_eq!((browser.bounds.startup_timeout_seconds, browser.bounds.idle_timeout_seconds), (10, 120));
        for (body, fault) in [
            ("[session]\nstartup_command='a | b'", "shell operator"),
            ("[session]", "startup_command is missing"),
            ("[session]\nstartup_command='a'\nready_pattern='('", "does not compile"),
            ("[session]\nstartup_command='a'\nerror_pattern='('", "does not compile"),
            ("[session]\nstartup_command='a'\nidle_timeout=5", "not a known key"),
            ("[session]\nstartup_command='a'\n[session.commands.x.args.y]\ntype='strin'", "unknown argument type"),
            ("[session]\nstartup_command='a'\n[session.commands.x.args.y]\ntype='string'", "no template"),
            ("[session]\nstartup_command='a'\n[session.commands.x]\ntemplate='{z}'", "not defined"),
            ("[session]\nstartup_command='a'\n[session.commands.x]\ntemplate='{_secret:z}'", "names a secret"),
            ("[session]\nstartup_command='a'\n[session.commands.x]\ntemplate=\"a\\nb\"", "control character"),
            (
                "[session]\nstartup_command='a'\n[session.commands.x]\ntemplate='{y}'\n[session.commands.x.args.y]\ntype='string'\nsensitive=true",
                "sensitive argument y",
            ),
            ("[browser.commands.navigate]\ntemplate='a'", "not a known key"),
            ("[browser.commands.clik]", "is no command of a browser"),
            ("[browser.commands.click.args.x]\ntype='string'", "has no argument x"),
            ("[browser.commands.click.args.selector]\ntype='string'", "needs its argument selector"),
            ("[browser.commands.wait_for.args.timeout_ms]\ntype='duration'", "counts milliseconds"),
            (
                "[browser.commands.type_text.args.text]\ntype='string'\nrequired=true\nsensitive=true",
                "of a browser's command is sensitive",
            ),
            ("[browser]\nengine='firefox'", "must be one of: cdp"),
            ("[browser.scope]\nallowed_domains=['https://a']", "allowed_domains contains"),
            ("[browser.scope]\nallow_extrenal=true", "not a known key"),
        ] {
            assert!(faults(body).contains(fault), "{body}: {}", faults(body));
        }
    }
}
