//! `[browser]`: the browser that a tool drives, and its commands.
//!
//! Each of its commands is bound, judged and approved like a tool, as those of a session are. The name of a command fixes its effect;
//! the manifest lists commands and may narrow the types of their arguments. *Standards*: ToolClad, "Browser Mode".

use std::collections::BTreeMap;

use gatepost_documents::visits::Visits;
use gatepost_workers::browser::Form;

use super::argument::Argument;
use super::argument_type::{ArgumentType, Kind, Rule};
use super::custom_type::CustomTypes;
use super::interaction::{self, Commands, Interaction, InteractionBounds};
use crate::nearest::nearest;
use crate::scope::Target;
use crate::toml_source::Section;
use gatepost_documents::text::quoted;

/// A parsed `[browser]`.
#[derive(Debug, Clone)]
pub struct Browser {
    /// `cdp` or `playwright`.
    pub engine: &'static str,
    /// `launch` or `live`.
    pub connect: &'static str,
    /// The form in which a page is read if the command states none.
    pub extract_mode: Form,
    /// Timeouts and the number of interactions.
    pub bounds: InteractionBounds,
    /// The hosts that may be visited.
    pub visits: Visits,
    /// The allowed interactions.
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
const EXTRACT_MODES: [(&str, Form); 3] =
    [("accessibility_tree", Form::AccessibilityTree), ("html", Form::Html), ("text", Form::Text)];

/// The facts of a page that are reported after each interaction, for every manifest.
const STATE: [&str; 7] = ["url", "title", "domain", "has_forms", "page_loaded", "tab_count", "refused"];

/// Every command, with the arguments that it needs and those that it takes besides.
pub(super) const COMMANDS: [(&str, &[&str], &[&str]); 13] = [
    ("navigate", &["url"], &[]),
    ("go_back", &[], &[]),
    ("snapshot", &[], &["selector"]),
    ("extract", &[], &["selector", "mode"]),
    ("extract_html", &[], &["selector"]),
    ("click", &["selector"], &[]),
    ("type_text", &["text"], &["selector"]),
    ("submit_form", &["selector"], &[]),
    ("screenshot", &[], &[]),
    ("execute_js", &["expression"], &[]),
    ("wait_for", &["selector"], &["timeout_ms"]),
    ("list_tabs", &[], &[]),
    ("network_timing", &[], &[]),
];

/// Reads `[browser]`.
pub(super) fn read(section: Section<'_>, types: &CustomTypes) -> Browser {
    let word = |key, choices: &[(&'static str, &'static str)], default| section.one_of(key, choices).unwrap_or(default);
    let extract_mode = read_extract_mode(&section);
    if section.boolean("headless") == Some(false) {
        let message = format!("{} is false, but there is no screen to show a window on.", section.path("headless"));
        section.warn(section.place("headless"), message, "Remove the key.");
    }
    let mut browser = Browser {
        engine: word("engine", &ENGINES, "cdp"),
        connect: word("connect", &[("launch", "launch"), ("live", "live")], "launch"),
        extract_mode,
        bounds: interaction::read_bounds(&section, DEFAULTS),
        visits: Visits::default(),
        commands: interaction::read_commands(&section, types, Commands::Browser),
    };
    if let Some(scope) = section.section("scope") {
        let [allowed, blocked] = ["allowed_domains", "blocked_domains"].map(|key| domains(&scope, key));
        browser.visits = Visits::new(allowed, blocked, scope.boolean("allow_external").unwrap_or(false));
        scope.close();
    }
    if let Some(state) = section.section("state") {
        for field in state.texts("fields").unwrap_or_default().iter().filter(|field| !STATE.contains(&field.value)) {
            let message = format!("{} contains {}, which is not reported.", state.path("fields"), quoted(field.value));
            state.warn(field.at, message, format!("The fields are: {}.", STATE.join(", ")));
        }
        state.close();
    }
    section.close();
    browser
}

/// `extract_mode`, in `[browser]` or in `[browser.defaults]`.
fn read_extract_mode(section: &Section<'_>) -> Form {
    let own = section.one_of("extract_mode", &EXTRACT_MODES);
    let Some(defaults) = section.section("defaults") else { return own.unwrap_or(Form::AccessibilityTree) };
    let default = defaults.one_of("extract_mode", &EXTRACT_MODES);
    if own.is_some() && default.is_some() {
        let message = format!("{} is given in [browser] too.", defaults.path("extract_mode"));
        defaults.fault(defaults.place("extract_mode"), message, "Keep one.");
    }
    defaults.close();
    own.or(default).unwrap_or(Form::AccessibilityTree)
}

/// Checks the arguments of a command, and adds those that it needs and the manifest does not type.
pub(super) fn complete(section: &Section<'_>, (name, at): (&str, usize), arguments: &mut Vec<Argument>) {
    let Some((_, needed, besides)) = COMMANDS.iter().find(|(known, ..)| *known == name) else {
        let names = || COMMANDS.iter().map(|(name, ..)| *name);
        let hint = nearest(name, names()).map_or_else(
            || format!("The commands of a browser are: {}.", names().collect::<Vec<_>>().join(", ")),
            |nearest| format!("Did you mean `{nearest}`?"),
        );
        section.fault(at, format!("[{}] is no command of a browser.", section.name), hint);
        return;
    };
    for argument in &*arguments {
        let is_needed = needed.contains(&argument.name.as_str());
        if !is_needed && !besides.contains(&argument.name.as_str()) {
            let message = format!("The command {name} of a browser has no argument {}.", argument.name);
            let hint = match [*needed, *besides].concat().join(", ") {
                names if names.is_empty() => "Remove it.".to_owned(),
                names => format!("Its arguments are: {names}."),
            };
            section.fault(argument.at, message, hint);
        }
        if is_needed && !argument.required && argument.default.is_none() {
            let message = format!("The command {name} of a browser needs its argument {}.", argument.name);
            section.fault(argument.at, message, "Write required = true, or give it a default.");
        }
        if argument.name == "timeout_ms" && argument.kind.kind() != Kind::Integer {
            let message = "The argument timeout_ms of a browser's command counts milliseconds.".to_owned();
            section.fault(argument.at, message, "Write type = \"integer\", with min and max.");
        }
        if argument.sensitive {
            let message = format!("The argument {} of a browser's command is sensitive.", argument.name);
            section.fault(
                argument.at,
                message,
                "Remove `sensitive`: the transcript shows every interaction with a browser.",
            );
        }
    }
    for name in *needed {
        if !arguments.iter().any(|argument| argument.name == *name) {
            arguments.push(typed(name));
        }
    }
}

/// An argument as it is where the manifest does not type it.
fn typed(name: &str) -> Argument {
    let kind = match name {
        "url" => {
            let schemes = ["http", "https"].map(str::to_owned).into();
            ArgumentType { kind: Kind::Url, rule: Rule::Url { schemes, scope_check: true }, ..ArgumentType::text() }
        }
        // Selectors and scripts consist of shell metacharacters.
        _ => ArgumentType { unsanitized: true, ..ArgumentType::text() },
    };
    Argument {
        name: name.to_owned(),
        kind,
        required: true,
        default: None,
        description: String::new(),
        allow_leading_dash: true,
        sensitive: false,
        position: 0,
        at: 0,
    }
}

fn domains<'s>(scope: &Section<'s>, key: &'static str) -> Vec<&'s str> {
    let domains = scope.texts(key).unwrap_or_default();
    for domain in &domains {
        if let Err(fault) = Target::parse_host(domain.value.strip_prefix("*.").unwrap_or(domain.value)) {
            let message = format!("{} contains {}, which {fault}.", scope.path(key), quoted(domain.value));
            scope.fault(domain.at, message, "Write host names such as example.com or *.example.com.");
        }
    }
    domains.iter().map(|domain| domain.value).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{faults, manifest};
    use super::super::{Backend, Manifest};
    use super::*;
    use gatepost_documents::destination::Host;

    fn browser(manifest: &Manifest) -> &Browser {
        let Backend::Browser(browser) = manifest.backend() else { panic!() };
        browser
    }

    #[test]
    fn hosts_are_visited_that_the_scope_names_and_blocked_ones_never() {
        let scope = "[browser]\n[browser.scope]\nallowed_domains=['a.org', '*.B.org', '10.0.0.7']\nblocked_domains=['x.b.org', '*.bad.org']\n";
        let (strict, open) = (manifest(scope), manifest(&format!("{scope}allow_external=true")));
        let (strict, open) = (strict.unwrap(), open.unwrap());
        for (host, listed, external) in [
            ("a.org", true, true),
            ("www.a.org", false, true),
            ("c.b.org", true, true),
            ("d.c.b.org", true, true),
            ("b.org", false, true),
            ("evilb.org", false, true),
            ("x.b.org", false, false),
            ("y.x.b.org", true, true),
            ("very.bad.org", false, false),
            ("bad.org", false, true),
        ] {
            let host = Host::Name(host.to_owned());
            assert_eq!(
                (browser(&strict).visits.permit(&host), browser(&open).visits.permit(&host)),
                (listed, external),
                "{host:?}"
            );
        }
        let address = |text: &str| Host::Address(text.parse().unwrap());
        assert!(
            browser(&strict).visits.permit(&address("10.0.0.7"))
                && !browser(&strict).visits.permit(&address("10.0.0.8"))
        );
        assert!(!browser(&manifest("[browser]").unwrap()).visits.permit(&Host::Name("a.org".to_owned())));
    }

    #[test]
    fn a_command_is_known_by_its_name_and_has_the_arguments_that_it_needs() {
        let commands = "[browser]\n[browser.commands.navigate]\n[browser.commands.click.args.selector]\ntype='enum'\nallowed=['#a']\nrequired=true";
        let manifest = manifest(commands).unwrap();
        let kinds = |name: &str| -> Vec<(String, &str, bool)> {
            let arguments = manifest.commands()[name].arguments().iter();
            arguments.map(|one| (one.name.clone(), one.kind.kind().as_str(), one.required)).collect()
        };
        assert_eq!(kinds("navigate"), [("url".to_owned(), "url", true)]);
        assert_eq!(kinds("click"), [("selector".to_owned(), "enum", true)]);
        for (command, fault) in [
            ("clik = {}", "Did you mean `click`?"),
            ("scroll = {}", "The commands of a browser are: navigate"),
            ("click = {args = {x = {type = 'integer'}}}", "Its arguments are: selector."),
            ("go_back = {args = {x = {type = 'integer'}}}", "Remove it."),
        ] {
            let found = faults(&format!("[browser]\ncommands.{command}"));
            assert!(found.contains(fault), "{command}: {found}");
        }
    }

    #[test]
    fn what_is_asked_for_and_not_reported_is_a_warning() {
        let manifest = manifest("[browser]\nheadless=false\nstate={fields=['url', 'is_authenticated']}").unwrap();
        let found: Vec<&str> = manifest.warnings().iter().map(|warning| warning.message.as_str()).collect();
        assert!(found.iter().any(|text| text.contains("headless is false")), "{found:?}");
        assert!(found.iter().any(|text| text.contains("\"is_authenticated\", which is not reported")), "{found:?}");
        assert!(!found.iter().any(|text| text.contains("\"url\"")), "{found:?}");
    }
}
