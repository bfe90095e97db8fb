//! `[era] launcher`: the operator's program that confines a command, for example in a virtual machine.
//!
//! ```toml
//! launcher = ["/usr/local/bin/microvm", "--in={in}", "--out={out}", "--cpus={cpus}", "--memory={memory_mb}M"]
//! ```
//!
//! `--` and the command follow it. `docs/sandbox.md` has its duties. Pure.

use std::ffi::OsString;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The names that may be in braces.
const PLACEHOLDERS: [&str; 6] = ["in", "out", "cpus", "memory_mb", "time_seconds", "network"];

/// The argument vector of a launcher; its program is an absolute path. Empty without a launcher.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<String>")]
pub struct Launcher(Vec<String>);

/// The values of the placeholders.
#[derive(Debug)]
pub struct Values<'a> {
    /// `{in}`: the folder of the inputs.
    pub input: &'a Path,
    /// `{out}`: the folder of the outputs.
    pub output: &'a Path,
    /// `{cpus}`: processors, at least 1.
    pub cpus: u64,
    /// `{memory_mb}`: memory, MiB.
    pub memory_mb: u64,
    /// `{time_seconds}`: wall-clock time.
    pub time_seconds: u64,
    /// `{network}`: `none`.
    pub network: &'static str,
}

impl Launcher {
    /// Its program, if there is one.
    pub fn program(&self) -> Option<&Path> {
        self.0.first().map(Path::new)
    }

    /// The argument vector that has `command` run.
    pub fn argv(&self, values: &Values<'_>, command: &[String]) -> Vec<OsString> {
        let value = |name: &str| -> OsString {
            match name {
                "in" => values.input.into(),
                "out" => values.output.into(),
                "cpus" => values.cpus.to_string().into(),
                "memory_mb" => values.memory_mb.to_string().into(),
                "time_seconds" => values.time_seconds.to_string().into(),
                _ => values.network.into(),
            }
        };
        let own = self.0.iter().map(|word| {
            parts(word).fold(OsString::new(), |mut filled, part| {
                match part {
                    Part::Text(text) => filled.push(text),
                    Part::Placeholder(name) => filled.push(value(name)),
                }
                filled
            })
        });
        own.chain(["--".into()]).chain(command.iter().map(OsString::from)).collect()
    }
}

impl TryFrom<Vec<String>> for Launcher {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Self, String> {
        if let Some(program) = words.first().filter(|program| !program.starts_with('/')) {
            return Err(format!(
                "the launcher {program:?} is not an absolute path; expected, for example, /usr/local/bin/microvm"
            ));
        }
        for part in words.iter().flat_map(|word| parts(word)) {
            if let Part::Placeholder(name) = part
                && !PLACEHOLDERS.contains(&name)
            {
                let known = PLACEHOLDERS.join("}, {");
                return Err(format!("the launcher has the placeholder {{{name}}}; expected one of {{{known}}}"));
            }
        }
        Ok(Self(words))
    }
}

enum Part<'a> {
    Text(&'a str),
    /// The name between the braces; with its brace, so that it is no known name, where that is not closed.
    Placeholder(&'a str),
}

fn parts(word: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, left) = if let Some(inner) = rest.strip_prefix('{') {
            let (name, left) = inner.split_once('}').unwrap_or((rest, ""));
            (Part::Placeholder(name), left)
        } else {
            let (text, left) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
            (Part::Text(text), left)
        };
        rest = left;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launcher(words: &[&str]) -> Result<Launcher, String> {
        Launcher::try_from(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn placeholders_are_filled_once_and_the_command_follows() {
        let launcher = launcher(&["/bin/vm", "-v{in}:/in", "{out}", "{cpus}/{memory_mb}/{time_seconds}", "{network}"]);
        let values = Values {
            input: Path::new("/work/{out}"),
            output: Path::new("/o"),
            cpus: 2,
            memory_mb: 512,
            time_seconds: 60,
            network: "none",
        };
        let argv = launcher.unwrap().argv(&values, &["python3".to_owned(), "{in}".to_owned()]);
        assert_eq!(argv, ["/bin/vm", "-v/work/{out}:/in", "/o", "2/512/60", "none", "--", "python3", "{in}"]);
    }

    #[test]
    fn a_launcher_is_an_absolute_path_with_known_placeholders() {
        assert_eq!(launcher(&[]).unwrap().program(), None);
        for (words, fault) in [
            (["microvm", ""], "not an absolute path"),
            (["/bin/vm", "{input}"], "{input}"),
            (["/bin/vm", "{in"], "{in"),
            (["/bin/vm", "{}"], "{}"),
        ] {
            let error = launcher(&words).unwrap_err();
            assert!(error.contains(fault), "{error}");
        }
    }
}
