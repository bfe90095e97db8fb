//! `[session]` or `[browser]` of a manifest, as far as evidence repeats it.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{Argument, approvers, argument};
use crate::request::split;

/// The arguments of a browser's commands that a manifest need not type.
const OF_BROWSER: [&str; 4] = ["expression", "selector", "text", "url"];

/// An interactive program and its allowed lines, or a browser and its allowed actions.
#[derive(Debug)]
pub(crate) struct Session {
    /// `startup_command`, as an argument vector; `None` for a browser, which the site names.
    pub(crate) startup: Option<Vec<String>>,
    /// `max_interactions`
    pub(crate) interactions_max: u64,
    /// By name.
    pub(crate) commands: BTreeMap<String, Command>,
}

/// One of its commands.
#[derive(Debug)]
pub(crate) struct Command {
    /// How many people must approve it.
    pub(crate) approvers: u32,
    /// Its arguments, by name; without a template, the one that is the whole line.
    pub(crate) arguments: BTreeMap<String, Argument>,
    /// `template`; `None` for a browser, which gets no lines.
    template: Option<String>,
}

/// The argument of a command that has no template.
const WHOLE: &str = "command";

/// The section of a manifest that has interactions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Session,
    Browser,
}

impl Kind {
    /// What a manifest has.
    pub(super) fn of(manifest: &Table) -> Option<Self> {
        let has = |name: &str| manifest.contains_key(name);
        has("session").then_some(Self::Session).or_else(|| has("browser").then_some(Self::Browser))
    }

    /// Its name.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Browser => "browser",
        }
    }

    /// The default number of interactions of one request, and of seconds for all of them.
    pub(super) fn defaults(self) -> (u64, u64) {
        match self {
            Self::Session => (100, 1_800),
            Self::Browser => (200, 600),
        }
    }
}

/// Parses it; `None` if a session has no startup command.
pub(super) fn read(session: &Value, kind: Kind) -> Option<Session> {
    let command = |(name, own): (&String, &Value)| Some((name.clone(), Command::read(own.as_table()?, kind)));
    let commands = session.get("commands").and_then(Value::as_table).into_iter().flatten();
    let most = session.get("max_interactions").and_then(Value::as_integer).and_then(|most| most.try_into().ok());
    let startup = match kind {
        Kind::Session => Some(split(session.get("startup_command")?.as_str()?)?),
        Kind::Browser => None,
    };
    Some(Session {
        startup,
        interactions_max: most.unwrap_or(kind.defaults().0),
        commands: commands.filter_map(command).collect(),
    })
}

impl Command {
    fn read(own: &Table, kind: Kind) -> Self {
        let template = own.get("template").and_then(Value::as_str);
        let mut arguments = argument::read_all(own);
        let untyped: &[&str] = match kind {
            Kind::Browser => &OF_BROWSER,
            Kind::Session if template.is_none() => &[WHOLE],
            Kind::Session => &[],
        };
        for name in untyped {
            let verbatim = Argument { is_sensitive: false, is_verbatim: true, is_target: false, default: None };
            arguments.entry((*name).to_owned()).or_insert(verbatim);
        }
        let approvers = approvers(&Value::Table(own.clone()));
        let template = (kind == Kind::Session).then(|| template.unwrap_or("{command}").to_owned());
        Self { approvers, arguments, template }
    }

    /// The line for these arguments; for a browser, the arguments themselves.
    pub(crate) fn line(&self, arguments: &serde_json::Map<String, serde_json::Value>) -> String {
        let Some(template) = &self.template else {
            // Independent of the order of the map.
            let sorted: BTreeMap<_, _> = arguments.iter().collect();
            return serde_json::json!(sorted).to_string();
        };
        let (mut line, mut rest) = (String::new(), template.as_str());
        while let Some((before, after)) = rest.find(['{', '}']).map(|at| rest.split_at(at)) {
            line.push_str(before);
            let (brace, after) = after.split_at(1);
            rest = after.strip_prefix(brace).unwrap_or(after);
            if rest.len() < after.len() {
                line.push_str(brace);
            } else if let Some((name, after)) = after.split_once('}') {
                line.push_str(arguments.get(name).and_then(serde_json::Value::as_str).unwrap_or_default());
                rest = after;
            }
        }
        line + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_template_with_the_arguments_in_it() {
        let arguments = serde_json::json!({"a": "{b}", "b": "2", "command": "say {a}"});
        for (own, expected) in [
            ("template = 'x {a} {{b}} {b}{none}'", "x {b} {b} 2"),
            ("template = '{{{b}}}'", "{2}"),
            ("template = 'plain'", "plain"),
            ("pattern = 'say'", "say {a}"),
        ] {
            let command = Command::read(&toml::from_str(own).unwrap(), Kind::Session);
            assert_eq!(command.line(arguments.as_object().unwrap()), expected, "{own}");
        }
    }

    #[test]
    fn a_command_demands_its_own_approvals() {
        let text = "startup_command = \"db --file 'a b'\"\nmax_interactions = 3\n[commands.read]\n[commands.write]\nrisk_tier = 'high'\n\
                    template = '{n}'\n[commands.write.args.n]\ntype = 'integer'\n[commands.drop]\nhuman_approval = true";
        let session = read(&toml::from_str::<Value>(text).unwrap(), Kind::Session).unwrap();
        assert_eq!((session.startup.unwrap().join("|").as_str(), session.interactions_max), ("db|--file|a b", 3));
        let approvers: Vec<_> = session.commands.iter().map(|(name, one)| (name.as_str(), one.approvers)).collect();
        assert_eq!(approvers, [("drop", 1), ("read", 0), ("write", 1)]);
        assert!(session.commands["read"].arguments.contains_key("command"));
        assert!(!session.commands["write"].arguments.contains_key("command"));
        assert!(read(&toml::from_str::<Value>("ready_pattern = '>'").unwrap(), Kind::Session).is_none());
        let browser = toml::from_str::<Value>("[commands.click.args.selector]\ntype = 'duration'").unwrap();
        let browser = read(&browser, Kind::Browser).unwrap();
        let click = &browser.commands["click"];
        assert_eq!((browser.startup, browser.interactions_max, click.arguments.len()), (None, 200, 4));
        assert!(click.arguments["url"].is_verbatim && !click.arguments["selector"].is_verbatim);
        assert_eq!(click.line(serde_json::json!({"b": "2", "a": "\""}).as_object().unwrap()), r#"{"a":"\"","b":"2"}"#);
    }
}
