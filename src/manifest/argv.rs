//! From bound arguments to the argument vector.
//!
//! One pass in the command's own order. An element that is one placeholder becomes as many arguments as its mapping or
//! conditional has, or none when its argument is not given; every other element is one argument, whatever the values hold.
//!
//! Security: what may be shown is made beside what is run, so that a secret never has to be searched for later.

use super::argument_type::ArgumentValue;
use super::bind::Arguments;
use super::command::{Argv, Command};
use super::placeholder::{Filled, Filling, Part, Parts, Secret};
use super::script_path::ScriptPath;

/// What to run.
#[derive(Clone, PartialEq, Eq)]
pub struct Call {
    /// Set when argv[0] is a script below `tools/` and not a program.
    pub script: Option<ScriptPath>,
    /// The argument vector; never empty. Holds secrets: never show it.
    pub argv: Vec<String>,
    /// The same with every secret as `[secret:name]` and every sensitive argument as `[sensitive:name]`.
    pub shown: Vec<String>,
    /// Environment variables for an executor, beyond the small environment that every tool gets. May hold sensitive values.
    pub environment: Vec<(String, String)>,
    /// What must never be shown.
    pub secrets: Vec<Secret>,
    /// Whether `Places::output_file` is the raw output instead of stdout.
    pub uses_output_file: bool,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl Command {
    /// Makes the call; missing secrets are noted in `filling`.
    pub(super) fn call(&self, tool: &str, filling: &mut Filling<'_>) -> Call {
        let (script, words, environment) = match self {
            Self::Program(argv) => (None, argv.fill(filling), Vec::new()),
            Self::Executor(path) => {
                let word = Filled { real: path.as_str().to_owned(), shown: path.as_str().to_owned() };
                (Some(path.clone()), vec![word], executor_environment(tool, filling))
            }
        };
        let (argv, shown) = words.into_iter().map(|word| (word.real, word.shown)).unzip();
        let secrets = filling.secrets.clone();
        Call { script, argv, shown, environment, secrets, uses_output_file: filling.uses_output_file }
    }
}

fn executor_environment(tool: &str, filling: &mut Filling<'_>) -> Vec<(String, String)> {
    let (arguments, places) = (filling.arguments, filling.places);
    let mut environment = vec![
        ("TOOLCLAD_TOOL_NAME".to_owned(), tool.to_owned()),
        ("TOOLCLAD_SCAN_ID".to_owned(), places.scan_id.to_owned()),
        ("TOOLCLAD_OUTPUT_DIR".to_owned(), places.output_dir.to_owned()),
        ("TOOLCLAD_EVIDENCE_DIR".to_owned(), places.evidence_dir.to_owned()),
    ];
    for (name, value) in arguments.iter() {
        if arguments.is_sensitive(name) {
            filling.remember(name, value.to_string());
        }
        environment.push((format!("TOOLCLAD_ARG_{}", name.to_ascii_uppercase()), value.to_string()));
    }
    environment
}

impl Argv {
    fn fill(&self, filling: &mut Filling<'_>) -> Vec<Filled> {
        self.words.iter().flat_map(|word| self.element(word, filling)).collect()
    }

    fn element(&self, word: &Parts, filling: &mut Filling<'_>) -> Vec<Filled> {
        match word.as_slice() {
            [part @ (Part::Mapping(_) | Part::Conditional(_) | Part::Conditionals)] => self.expansion(part, filling),
            [part] => filling.part(part, &str::to_owned).into_iter().collect(),
            parts => vec![self.joined(parts, filling)],
        }
    }

    fn joined(&self, parts: &[Part], filling: &mut Filling<'_>) -> Filled {
        let mut whole = Filled::default();
        for part in parts {
            match filling.part(part, &str::to_owned) {
                Some(filled) => whole.append(&filled),
                None => {
                    for (index, word) in self.expansion(part, filling).iter().enumerate() {
                        whole.push(if index > 0 { " " } else { "" });
                        whole.append(word);
                    }
                }
            }
        }
        whole
    }

    /// The words of a mapping or conditional; none for every other part.
    fn expansion(&self, part: &Part, filling: &mut Filling<'_>) -> Vec<Filled> {
        let words: Vec<&Parts> = match part {
            Part::Mapping(argument) => {
                let value = filling.arguments.text(argument);
                let words = value.and_then(|value| self.mappings.get(argument)?.get(&value));
                words.into_iter().flatten().collect()
            }
            Part::Conditional(index) => self.conditional(*index, filling.arguments),
            Part::Conditionals => {
                (0..self.conditionals.len()).flat_map(|index| self.conditional(index, filling.arguments)).collect()
            }
            _ => Vec::new(),
        };
        words.into_iter().flat_map(|word| self.element(word, filling)).collect()
    }

    fn conditional(&self, index: usize, arguments: &Arguments) -> Vec<&Parts> {
        let Some(conditional) = self.conditionals.get(index) else { return Vec::new() };
        let value = |name: &str| {
            let constant = self.constants.get(name).cloned();
            constant.or_else(|| arguments.get(name).map(ArgumentValue::to_string))
        };
        if conditional.when.holds(&value) { conditional.words.iter().collect() } else { Vec::new() }
    }
}
