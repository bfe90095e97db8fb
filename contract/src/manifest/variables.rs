//! `[command.env]`: variables that a tool gets beside those of gatepost. The place for a secret.
//!
//! ```text
//! env = { API_KEY = "{_secret:api_key}", API_MODE = "quiet" }
//! ```
//!
//! A variable never contains a value of a request: variables choose the code that loaders and interpreters run.
//!
//! *Standards*: POSIX.1-2024, environment variable definition.

use super::filling::Filling;
use super::placeholder::{Names, Part, Parts};
use crate::environment;
use crate::toml_source::Section;
use gatepost_documents::text::quoted;

/// The variables, in the order of the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables(Vec<(String, Parts)>);

impl Variables {
    /// Reads them from `[command]`.
    pub(super) fn read(command: &Section<'_>, names: &Names<'_>) -> Self {
        let Some(table) = command.section("env") else { return Self::default() };
        let mut variables = Vec::new();
        for (name, node) in table.entries() {
            check_name(&table, name.value, name.at);
            let Some(text) = node.get_ref().as_str() else {
                table.mistyped::<()>(name.value, node, "a text", node.get_ref());
                continue;
            };
            let parts = names.parts(&table, name.value, node.span().start, text);
            if parts.iter().any(|part| !matches!(part, Part::Literal(_) | Part::Secret(_))) {
                let message = format!("{} holds more than secrets and fixed text.", table.path(name.value));
                let hint =
                    "Pass arguments on the command line, or use an `executor`, which finds them in its environment.";
                table.fault(node.span().start, message, hint);
            }
            variables.push((name.value.to_owned(), parts));
        }
        Self(variables)
    }

    /// Names and values for a call.
    pub(super) fn fill(&self, filling: &mut Filling<'_>) -> Vec<(String, String)> {
        let fill = |(name, parts): &(String, Parts)| {
            let mut value = filling.text(parts, &str::to_owned);
            (name.clone(), std::mem::take(&mut *value.real))
        };
        self.0.iter().map(fill).collect()
    }
}

fn check_name(table: &Section<'_>, name: &str, at: usize) {
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        let message = format!("[command.env] has {}, which is not the name of a variable.", quoted(name));
        table.fault(at, message, "Use letters, digits and underscore; begin with no digit.");
    } else if environment::is_own(name) {
        let message = format!("[command.env] has {name}, which gatepost sets itself.");
        table.fault(at, message, "Use another name.");
    }
}
