//! `[session]` of a manifest, so far as evidence repeats it.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{Argument, approvers, argument};
use crate::request::split;

/// The interactions of one request where the manifest does not say it.
const INTERACTIONS_MAX: u64 = 100;

/// An interactive program, and what may be said to it.
#[derive(Debug)]
pub(crate) struct Session {
    /// `startup_command`, as an argument vector.
    pub(crate) startup: Vec<String>,
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
    /// `template`
    template: String,
}

/// The argument of a command that has no template.
const WHOLE: &str = "command";

/// Reads it; `None` if it has no startup command.
pub(super) fn read(session: &Value) -> Option<Session> {
    let command = |(name, own): (&String, &Value)| Some((name.clone(), Command::read(own.as_table()?)));
    let commands = session.get("commands").and_then(Value::as_table).into_iter().flatten();
    let most = session.get("max_interactions").and_then(Value::as_integer).and_then(|most| most.try_into().ok());
    Some(Session {
        startup: split(session.get("startup_command")?.as_str()?)?,
        interactions_max: most.unwrap_or(INTERACTIONS_MAX),
        commands: commands.filter_map(command).collect(),
    })
}

impl Command {
    fn read(own: &Table) -> Self {
        let template = own.get("template").and_then(Value::as_str);
        let mut arguments = argument::read_all(own);
        if template.is_none() {
            let whole = Argument { is_sensitive: false, is_verbatim: true, default: None };
            arguments.insert(WHOLE.to_owned(), whole);
        }
        let approvers = approvers(&Value::Table(own.clone()));
        Self { approvers, arguments, template: template.unwrap_or("{command}").to_owned() }
    }

    /// What is said with these arguments.
    pub(crate) fn line(&self, arguments: &serde_json::Map<String, serde_json::Value>) -> String {
        let (mut line, mut rest) = (String::new(), self.template.as_str());
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
            let command = Command::read(&toml::from_str(own).unwrap());
            assert_eq!(command.line(arguments.as_object().unwrap()), expected, "{own}");
        }
    }

    #[test]
    fn a_command_demands_its_own_approvals() {
        let text = "startup_command = \"db --file 'a b'\"\nmax_interactions = 3\n[commands.read]\n[commands.write]\nrisk_tier = 'high'\n\
                    template = '{n}'\n[commands.write.args.n]\ntype = 'integer'\n[commands.drop]\nhuman_approval = true";
        let session = read(&toml::from_str::<Value>(text).unwrap()).unwrap();
        assert_eq!((session.startup.join("|").as_str(), session.interactions_max), ("db|--file|a b", 3));
        let approvers: Vec<_> = session.commands.iter().map(|(name, one)| (name.as_str(), one.approvers)).collect();
        assert_eq!(approvers, [("drop", 1), ("read", 0), ("write", 1)]);
        assert!(session.commands["read"].arguments.contains_key("command"));
        assert!(!session.commands["write"].arguments.contains_key("command"));
        assert!(read(&toml::from_str::<Value>("ready_pattern = '>'").unwrap()).is_none());
    }
}
