//! `[command]`: the program and its arguments, read and checked.
//!
//! `exec` is an array of elements, `template` one text that is split before anything is put in, `executor` a script.
//! The argument vector is made in `argv`.
//!
//! Standards: ToolClad, command construction.

use std::collections::{BTreeMap, BTreeSet};

use super::argument::{self, Argument, is_name};
use super::argument_type::Kind;
use super::conditional::{self, Conditional};
use super::dangling;
use super::exposure;
use super::mapping::{self, Mappings};
use super::placeholder::{Names, Part, Parts, fault};
use super::script_path::ScriptPath;
use super::template::split;
use super::variables::Variables;
use crate::toml_source::{Located, Node, Section, integer};
use gatepost_documents::text::quoted;
use toml::de::DeValue;

/// A parsed `[command]`.
#[derive(Debug, Clone)]
pub struct Command {
    /// The command.
    pub runs: Runs,
    /// The exit codes that are no failure; never empty.
    pub success_exit_codes: Vec<i32>,
    pub(super) variables: Variables,
    /// The secrets that are named anywhere in it.
    pub(super) secrets: BTreeSet<String>,
}

/// The form of a command.
#[derive(Debug, Clone)]
pub enum Runs {
    /// A program and its arguments.
    Program(Argv),
    /// A script that gets everything through its environment.
    Executor(ScriptPath),
}

/// The elements of a command.
#[derive(Debug, Clone)]
pub struct Argv {
    pub(super) words: Vec<Parts>,
    pub(super) mappings: Mappings,
    pub(super) conditionals: Vec<Conditional>,
    /// `[command.defaults]` that are no arguments.
    pub(super) constants: BTreeMap<String, String>,
    /// Arguments whose value could be read as an option.
    pub(super) exposed: BTreeSet<String>,
}

impl Argv {
    /// The program: a plain name or an absolute path.
    pub fn program(&self) -> Option<&str> {
        match self.words.first()?.as_slice() {
            [Part::Literal(program)] => Some(program),
            _ => None,
        }
    }

    /// The secrets in an argument, where every process of the machine can read them.
    pub(super) fn secrets(&self) -> BTreeSet<&str> {
        let mapped = self.mappings.values().flat_map(|mapping| mapping.values());
        let expanded = mapped.chain(self.conditionals.iter().map(|conditional| &conditional.words));
        let parts = self.words.iter().chain(expanded.flatten()).flatten();
        parts.filter_map(|part| if let Part::Secret(name) = part { Some(name.as_str()) } else { None }).collect()
    }
}

/// Reads `[command]`. Defaults of arguments in `[command.defaults]` go into `arguments`.
pub(super) fn read(section: Section<'_>, binary: Option<Located<&str>>, arguments: &mut [Argument]) -> Option<Command> {
    let [exec, template, executor] = ["exec", "template", "executor"].map(|form| section.has(form));
    let is_one = if executor { !exec && !template } else { exec || template };
    if !is_one {
        let message = "[command] needs exactly one of `exec`, `template` and `executor`.".to_owned();
        section.fault(section.at, message, "Write exec = [\"program\", \"argument\", …].");
    } else if exec && template {
        let message = "[command] template has no effect beside `exec`.".to_owned();
        section.warn(section.place("template"), message, "Remove it.");
    }
    let constants = read_defaults(&section, arguments);
    let mut names = Names { constants, has_places: true, ..Names::new(arguments) };
    let runs = if let Some(executor) = section.text("executor") {
        read_executor(&section, executor, &names)
    } else {
        read_program(&section, binary, &mut names).map(Runs::Program)
    };
    let variables = Variables::read(&section, &names);
    let success_exit_codes = read_success_exit_codes(&section);
    report_unused(&section, &names);
    section.close();
    let secrets = names.secrets();
    is_one.then_some(runs).flatten().map(|runs| Command { runs, success_exit_codes, variables, secrets })
}

/// 0 alone where a manifest lists none.
fn read_success_exit_codes(section: &Section<'_>) -> Vec<i32> {
    let Some(node) = section.node("success_exit_codes") else { return vec![0] };
    let code = |item: &Node<'_>| integer(item.get_ref()).and_then(|code| u8::try_from(code).ok()).map(i32::from);
    let codes: Option<Vec<i32>> = match node.get_ref() {
        DeValue::Array(items) => items.iter().map(code).collect(),
        _ => None,
    };
    let codes = codes.filter(|codes| !codes.is_empty());
    if codes.is_none() {
        let message = "[command] success_exit_codes is not a list of exit codes.".to_owned();
        section.fault(node.span().start, message, "Write numbers from 0 to 255, such as [0, 1].");
    }
    codes.unwrap_or_else(|| vec![0])
}

fn read_executor(section: &Section<'_>, executor: Located<&str>, names: &Names<'_>) -> Option<Runs> {
    for key in ["mappings", "conditionals"].into_iter().filter(|key| section.has(key)) {
        let message = format!("{} has no effect on an executor.", section.path(key));
        section.fault(section.place(key), message, "Remove it: the script gets the arguments in its environment.");
    }
    names.arguments.iter().for_each(|argument| names.mark(&argument.name));
    ScriptPath::read_executor(section, executor).map(Runs::Executor)
}

fn read_program(section: &Section<'_>, binary: Option<Located<&str>>, names: &mut Names<'_>) -> Option<Argv> {
    let mappings = mapping::read(section, names);
    let (definitions, conditionals) = conditional::read(section, names);
    for (name, part, at) in definitions {
        define(section, names, &name, part, at);
    }
    let words = read_words(section, names)?;
    check_program(section, binary, &words);
    exposure::check_interpreter(section, &words);
    dangling::check(section, names, &words);
    let constants = names.constants.clone();
    let mut argv = Argv { words, mappings, conditionals, constants, exposed: BTreeSet::new() };
    argv.exposed = exposure::exposed(&argv);
    Some(argv)
}

fn read_words(section: &Section<'_>, names: &Names<'_>) -> Option<Vec<Parts>> {
    if section.has("exec") {
        let elements = section.texts("exec")?;
        return Some(elements.iter().map(|element| names.parts(section, "exec", element.at, element.value)).collect());
    }
    let template = section.text("template")?;
    Some(template_words(section, names, "template", template))
}

/// Splits a template, then resolves each word.
pub(super) fn template_words(section: &Section<'_>, names: &Names<'_>, what: &str, text: Located<&str>) -> Vec<Parts> {
    let words = split(text.value).unwrap_or_else(|error| {
        fault(section, what, text.at, &error);
        Vec::new()
    });
    let words: Vec<Parts> = words.iter().map(|word| names.parts(section, what, text.at, word)).collect();
    for part in words.iter().flatten() {
        let Part::Argument(name) = part else { continue };
        if names.argument(name).is_some_and(|argument| argument.kind.takes_metacharacters()) {
            let message = format!(
                "{} uses {name}, whose `sanitize = []` or type literal_text allows shell metacharacters.",
                section.path(what)
            );
            section.fault(text.at, message, "Put the argument into an `exec` array, or use a plain `string`.");
        }
    }
    words
}

fn check_program(section: &Section<'_>, binary: Option<Located<&str>>, words: &[Parts]) {
    let Some(binary) = binary else {
        let message = "[tool] binary is missing, and a command needs it.".to_owned();
        section.fault(section.at, message, "Add `binary`, the name of the program that the command runs.");
        return;
    };
    let is_program = !binary.value.contains('/') || binary.value.starts_with('/');
    if !is_program || binary.value.starts_with('-') || binary.value.contains(char::is_control) {
        let message = format!("[tool] binary is {}, which is not a program name.", quoted(binary.value));
        section.fault(
            binary.at,
            message,
            "Write a plain name or an absolute path: a relative one could be a requester's file.",
        );
    }
    if !matches!(words.first().map(Vec::as_slice), Some([Part::Literal(program)]) if program == binary.value) {
        let message = format!("The command does not begin with [tool] binary, which is {}.", quoted(binary.value));
        let at = if section.has("exec") { section.place("exec") } else { section.place("template") };
        section.fault(at, message, "Begin the command with exactly that program; it cannot be a placeholder.");
    }
}

fn read_defaults(section: &Section<'_>, arguments: &mut [Argument]) -> BTreeMap<String, String> {
    let mut constants = BTreeMap::new();
    let Some(defaults) = section.section("defaults") else { return constants };
    for (name, node) in defaults.entries() {
        let what = quoted(name.value);
        if let Some(argument) = arguments.iter_mut().find(|argument| argument.name == name.value) {
            if argument.default.is_some() || argument.required {
                let message = format!("{} is required, or has a default of its own.", defaults.path(&what));
                defaults.fault(name.at, message, "Give the default in one place, for an optional argument.");
            }
            argument.set_default(&defaults, name.value, node);
        } else if !is_name(name.value.strip_prefix('_').unwrap_or(name.value)) || OWN.contains(&name.value) {
            defaults.fault(
                name.at,
                format!("{} is not a plain word, or is a placeholder that every command has.", defaults.path(&what)),
                "Use a to z, 0 to 9 and underscore, in a name of its own.",
            );
        } else {
            match argument::value(node.get_ref()) {
                Some(value) => drop(constants.insert(name.value.to_owned(), value.to_string())),
                None => {
                    defaults.mistyped::<()>(name.value, node, "a text, a number or true or false", node.get_ref());
                }
            }
        }
    }
    constants
}

/// The placeholders that every command has.
const OWN: [&str; 3] = ["_output_file", "_evidence_dir", "_scan_id"];

/// Gives an expansion its name; two of one name are a fault.
pub(super) fn define(section: &Section<'_>, names: &mut Names<'_>, name: &str, part: Part, at: usize) {
    let is_ours = OWN.contains(&name) || names.constants.contains_key(name);
    if is_ours || names.expansions.insert(name.to_owned(), part).is_some() {
        section.fault(
            at,
            format!("[command] defines {{{name}}} more than once."),
            "Rename the conditional or the argument.",
        );
    }
}

fn report_unused(section: &Section<'_>, names: &Names<'_>) {
    let used = names.used.borrow();
    for name in names.constants.keys().filter(|name| !used.contains(*name)) {
        let message = format!("[command.defaults] {name} is never used.");
        section.fault(section.place("defaults"), message, "Remove it, or use its placeholder.");
    }
    let is_used = |part: &Part| {
        names.expansions.iter().any(|(name, other)| other == part && used.contains(name))
            || matches!(part, Part::Conditional(_)) && used.contains("_conditional_flags")
    };
    let mut reported = Vec::new();
    for (name, part) in &names.expansions {
        if *part != Part::Conditionals && !is_used(part) && !reported.contains(&part) {
            reported.push(part);
            let key = if matches!(part, Part::Mapping(_)) { "mappings" } else { "conditionals" };
            let message = format!("[command.{key}] defines {{{name}}}, which is never used.");
            section.fault(section.place(key), message, "Put its placeholder into the command, or remove it.");
        }
    }
    for argument in names.arguments.iter().filter(|argument| !used.contains(&argument.name)) {
        report_unused_argument(section, argument);
    }
}

/// Reports an argument without effect. An advisory one is accepted; a target that the tool never gets is an error.
pub(super) fn report_unused_argument(section: &Section<'_>, argument: &Argument) {
    let message = format!("[args.{}] is never used.", argument.name);
    let hint = "Put its placeholder where the value belongs, or remove the argument.";
    if argument.kind.kind() == Kind::ScopeTarget {
        section.fault(argument.at, message, hint);
    } else {
        section.warn(argument.at, message, hint);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{faults, manifest};

    #[test]
    fn everything_that_cannot_be_meant_is_found_before_anything_runs() {
        let arguments = "[args.a]\ntype='string'\n[args.e]\ntype='enum'\nallowed=['one','two']\n[args.free]\ntype='string'\nsanitize=[]\n\
                         [args.p]\ntype='port'\n[command]\n";
        for (command, fault) in [
            ("exec=['x','{b}']", "placeholder \"b\", which is not defined"),
            ("exec=['x','{_secret:A b}']", "not defined"),
            ("exec=['x','{_outputfile}']", "Did you mean {_output_file}?"),
            ("exec=['x','{a']", "without its '}'"),
            ("exec=['x','a}']", "without its '{'"),
            ("exec=['y','{a}']", "does not begin with [tool] binary"),
            ("exec=['{a}']", "does not begin with [tool] binary"),
            ("exec=[]", "does not begin with [tool] binary"),
            ("exec=['x', 5]", "expected an array of texts"),
            ("executor='run.sh'\ntemplate='x'", "exactly one of"),
            ("exec=['x']\nsuccess_exit_codes=[]", "not a list of exit codes"),
            ("exec=['x']\nsuccess_exit_codes=[0, 256]", "not a list of exit codes"),
            ("exec=['x']\nsuccess_exit_codes=1", "not a list of exit codes"),
            ("exec=['x']\ndefaults._scan_id=5", "a placeholder that every command has"),
            ("exec=['x','{_c}']\nconditionals.c={when='a != 0', template='1'}\ndefaults._c=5", "more than once"),
            ("executor='/opt/run.sh'", "not inside tools/"),
            ("defaults.rate=5", "exactly one of"),
            ("template='x {a} | y'", "shell operator |"),
            ("template=\"x 'a\"", "not closed"),
            ("template='x {free}'", "sanitize = []"),
            ("exec=['x','{_c}']\nconditionals.c={when='a != 0', template='{free}'}", "sanitize = []"),
            ("executor='../run.sh'", "not a path inside tools/"),
            ("executor='run.sh'\nmappings.e={one='1'}", "no effect on an executor"),
            ("exec=['x']\ndefaults.rate=5", "rate is never used"),
            ("exec=['x','{a}']\ndefaults.p=70000", "above the maximum 65535"),
            ("exec=['x']\nmappings.f={one='1'}", "names \"f\", which is not an argument"),
            ("exec=['x','{_e_flags}']\nmappings.e={three='3'}", "not a value of e"),
            ("exec=['x']\nmappings.e={one='1'}", "which is never used"),
            ("exec=['x','{_e_flags}']\nmappings.e={one='{_e_flags}'}", "not defined"),
            ("exec=['x','{_p}']\nmappings.p={1='1'}\nconditionals.p={when='a != 0', template='1'}", "more than once"),
            ("exec=['x']\nenv={KEY='{_secret:k'}", "without its '}'"),
            ("exec=['x']\nenv={KEY='{k}'}", "not defined"),
            ("exec=['x','{a}']\nenv={KEY='{a}'}", "more than secrets and fixed text"),
            ("exec=['x']\nenv={KEY=5}", "expected a text"),
            ("exec=['x']\nenv={'A-B'='5'}", "not the name of a variable"),
            ("exec=['x']\nenv={PATH='/x'}", "gatepost sets itself"),
            ("exec=['x']\nenv={TOOLCLAD_ARG_A='x'}", "gatepost sets itself"),
            ("exec=['x','{_scan_id}']\nconditionals.scan_id={when='a != 0', template='1'}", "more than once"),
            ("exec=['x']\nconditionals.c={when='a != 0', template='1'}", "which is never used"),
            ("exec=['x','{_c}']\nconditionals.c={when='b != 0', template='1'}", "unknown variable"),
            ("exec=['x','{_c}']\nconditionals.c={when='a = 0', template='1'}", "neither a name"),
            ("exec=['x','{_c}']\nconditionals.c={when=\"e == 'tow'\", template='1'}", "which it can never equal"),
            ("exec=['x','{_c}']\nconditionals.c={when='a != 0', template='{q}'}", "not defined"),
            ("exec=['x','{_c}']\nconditionals.c={when='a != 0'}", "template is missing"),
            ("exec=['x','{_c}']\nconditionals.c={when='a != 0', template='1', els='2'}", "not a known key"),
            ("exec=['x','sh','-c','{a}']", "run text"),
            ("excc=['x']", "Did you mean `exec`?"),
        ] {
            let found = faults(&format!("{arguments}{command}"));
            assert!(found.contains(fault), "{command}: {found}");
        }
    }

    #[test]
    fn arguments_are_checked_with_their_defaults() {
        for (argument, fault) in [
            ("[args.a]\nrequired=true", "type is missing"),
            ("[args.a]\ntype='strin'", "Did you mean `string`?"),
            ("[args.a]\ntype='integer'\nmin=5\ndefault=3", "below the minimum 5"),
            ("[args.a]\ntype='integer'\ndefault='x'", "not an integer"),
            ("[args.a]\ntype='string'\ndefault='a;b'", "metacharacter"),
            ("[args.a]\ntype='string'\ndefault=5", "without quotes"),
            ("[args.a]\ntype='string'\ndefault=[]", "expected a text, a number"),
            ("[args.a]\ntype='enum'\nallowed=['b']\ndefault='c'", "not in allowed"),
            ("[args.a]\ntype='enum'\nallowed=[]", "is empty"),
            ("[args.a]\ntype='string'\nrequired=true\ndefault='b'", "has no effect"),
            ("[args.a]\ntype='string'\npattern='('", "does not compile"),
            ("[args.a]\ntype='string'\npattern='(a{1000}){1000}'", "does not compile"),
            ("[args.a]\ntype='string'\nsanitise=[]", "Did you mean `sanitize`?"),
            ("[args.a]\ntype='string'\nsanitize=['injektion']", "not a sanitizer"),
            ("[args.a]\ntype='path'\nsanitize=[]", "cannot be empty"),
            ("[args.a]\ntype='boolean'\nmax=1", "no meaning"),
            ("[args.a]\ntype='integer'\nclamp=true", "no bound"),
            ("[args.a]\ntype='number'\nmin=1\nmin_float=1.0", "twice"),
            ("[args.a]\ntype='url'\nschemes=['HTTPS:']", "not a URL scheme"),
            ("[args.A]\ntype='string'", "not a plain word"),
            ("[args.a]\ntype='string'\nmax_length=1000000", "not within"),
        ] {
            let found = faults(&format!("{argument}\n[command]\nexecutor='x.sh'"));
            assert!(found.contains(fault), "{argument}: {found}");
        }
        for argument in [
            "type='port'\ndefault=0",
            "type='port'\ndefault='0'",
            "type='scope_target'\ndefault=''",
            "type='duration'\ndefault=''",
        ] {
            let manifest = manifest(&format!("[args.a]\n{argument}\n[command]\nexecutor='x.sh'")).unwrap();
            assert_eq!(manifest.arguments()[0].default, None, "{argument}");
        }
    }

    #[test]
    fn a_wrong_type_is_one_fault_however_often_its_argument_is_used() {
        for argument in
            ["type='strin'\nmin=3\ndefault=5", "type='enum'\ndefault='a'", "type='regex_match'\npattern='('"]
        {
            let found = faults(&format!("[args.a]\n{argument}\n[command]\nexec=['x','{{a}}']"));
            assert_eq!(found.lines().count(), 1, "{found}");
        }
    }

    #[test]
    fn a_program_is_no_file_that_a_requester_could_have_sent() {
        for binary in ["in/evil", "./x", "../x", "-x"] {
            let text = format!(
                "tool = {{name='t', version='1', description='d', binary='{binary}'}}\ncommand.exec=['{binary}']\noutput.schema={{}}"
            );
            assert!(
                super::super::Manifest::parse(&text, "t", &super::super::CustomTypes::default()).is_err(),
                "{binary}"
            );
        }
    }

    proptest! {
        #[test]
        fn an_unknown_placeholder_is_always_found(before in "[a-z =-]{0,10}", name in "[a-zA-Z_][a-z0-9_:]{0,12}", after in "[a-z =-]{0,10}") {
            let known = ["_output_file", "_scan_id", "_evidence_dir"].contains(&name.as_str())
                || name.strip_prefix("_secret:").is_some_and(super::is_name);
            for form in ["exec=['x','%']", "template=\"x '%'\"", "exec=['x','{_c}']\nconditionals.c={when=\"'a' == 'a'\", template=\"'%'\"}"] {
                let command = form.replace('%', &format!("{before}{{{name}}}{after}"));
                prop_assert_eq!(manifest(&format!("[command]\n{command}")).is_ok(), known, "{}", command);
            }
        }
    }
}
