//! From bound arguments to the argument vector.
//!
//! One pass in the command's own order. An element that is one placeholder becomes as many arguments as its mapping or conditional has,
//! or none if its argument is absent. Every other element is one argument, for any values.
//!
//! Security: the redacted text is made beside the real one, so nobody has to search for a secret later.

use super::argument_type::ArgumentValue;
use super::bind::Arguments;
use super::command::{Argv, Command, Runs};
use super::filling::{Filled, Filling, Secret};
use super::placeholder::{Part, Parts};
use super::script_path::ScriptPath;
use zeroize::Zeroize;

/// Where a tool finds the request's inputs, from its working directory.
const INPUTS: &str = "in/";

/// The command of a call. Wiped when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Call {
    /// Set when `argv[0]` is a script below `tools/` and not a program.
    pub script: Option<ScriptPath>,
    /// The argument vector; never empty. Holds secrets: never show it.
    pub argv: Vec<String>,
    /// The same with every secret as `[secret:name]` and every sensitive argument as `[sensitive:name]`.
    pub shown: Vec<String>,
    /// Environment variables beyond the small environment that every tool gets. Holds secrets: never show it.
    pub environment: Vec<(String, String)>,
    /// The values that must never be shown.
    pub secrets: Vec<Secret>,
    /// Whether `Places::output_file` is the raw output instead of stdout.
    pub uses_output_file: bool,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.argv.zeroize();
        self.environment.zeroize();
    }
}

impl Command {
    /// Makes the call.
    pub(super) fn call(&self, tool: &str, filling: &mut Filling<'_>) -> Call {
        let (script, words, mut environment) = match &self.runs {
            Runs::Program(argv) => (None, argv.fill(filling), Vec::new()),
            Runs::Executor(path) => {
                (Some(path.clone()), vec![Filled::open(path.as_str())], executor_environment(tool, filling))
            }
        };
        environment.extend(self.variables.fill(filling));
        let (argv, shown) = words.into_iter().map(|mut word| (std::mem::take(&mut *word.real), word.shown)).unzip();
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
            filling.remember(name, value.to_string().into());
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
            [part] => argument(part, "", filling).into_iter().collect(),
            parts => vec![self.joined(parts, filling)],
        }
    }

    fn joined(&self, parts: &[Part], filling: &mut Filling<'_>) -> Filled {
        let mut whole = Filled::default();
        for part in parts {
            match argument(part, &whole.shown, filling) {
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

/// One part, after the preceding text of its element. If the path of an input begins there, it gets the prefix of the
/// inputs, unless the author wrote `in/`.
fn argument(part: &Part, before: &str, filling: &mut Filling<'_>) -> Option<Filled> {
    let filled = filling.part(part, &str::to_owned)?;
    let is_input = matches!(part, Part::Argument(name) if filling.arguments.is_input(name));
    if !is_input || before.ends_with('/') {
        return Some(filled);
    }
    let mut path = Filled::open(INPUTS);
    path.append(&filled);
    Some(path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::filling::Places;
    use super::super::fixture::{Inputs, manifest, values};
    use super::super::{ArgumentValue, Manifest};
    use super::*;
    use crate::scope::Scope;

    const PLACES: Places<'_> =
        Places { scan_id: "1700000000-abc", output_file: "out/raw.xml", output_dir: "out", evidence_dir: "evidence" };

    fn call(manifest: &Manifest, given: &BTreeMap<String, ArgumentValue>) -> Call {
        let arguments = manifest.bind(given, &Scope::default(), &Inputs).unwrap();
        let value = |name: &String| (name.clone(), format!("<{name}'s value>").into());
        manifest.command(&arguments, &PLACES, &manifest.secrets().iter().map(value).collect()).unwrap()
    }

    fn argv(body: &str, given: &[(&str, &str)]) -> Vec<String> {
        call(&manifest(body).unwrap(), &values(given)).argv.clone()
    }

    #[test]
    fn the_path_of_an_input_leads_there_unless_the_author_says_where() {
        let body = "[args.f]\ntype='path'\n[args.d]\ntype='path'\n[command]\nexec=['x','{f}','--file={f}','in/{f}','/in/{f}','{d}/{f}','{d}']";
        let given = argv(body, &[("f", "there.txt"), ("d", "folder")]);
        let expected = [
            "in/there.txt",
            "--file=in/there.txt",
            "in/there.txt",
            "/in/there.txt",
            "in/folder/there.txt",
            "in/folder",
        ];
        assert_eq!(given[1..], expected);
        // A missing output is for the tool to create.
        assert_eq!(argv(body, &[("f", "out/new.txt"), ("d", "d")])[1..3], ["out/new.txt", "--file=out/new.txt"]);
    }

    #[test]
    fn elements_become_arguments_in_their_own_order() {
        let body = "[args.b]\ntype='string'\nsanitize=[]\n[args.a]\ntype='string'\n[args.c]\ntype='duration'\n\
                    [command]\nexec=['x','{b}','--a={a}','{a}','{rate}','{{{a}}}','{c}','{_scan_id}:{_evidence_dir}']\ndefaults.rate=1000";
        for (given, expected) in [
            (
                vec![("a", "1"), ("b", "2 {a} {_secret:k}"), ("c", "5m")],
                vec!["2 {a} {_secret:k}", "--a=1", "1", "1000", "{1}", "300"],
            ),
            (vec![("b", "")], vec!["", "--a=", "1000", "{}"]),
            (vec![], vec!["--a=", "1000", "{}"]),
        ] {
            let argv = argv(body, &given);
            assert_eq!(argv[0], "x");
            assert_eq!(argv[1..argv.len() - 1], expected, "{given:?}");
            assert_eq!(argv.last().unwrap(), "1700000000-abc:evidence");
        }
    }

    #[test]
    fn mappings_and_conditionals_become_words() {
        let body = "[args.kind]\ntype='enum'\nallowed=['ping','service','none']\n[args.port]\ntype='port'\ndefault=0\n[args.user]\ntype='string'\ndefault=''\n\
                    [command]\ntemplate=\"x {_scan_flags} a{_kind}b {_conditional_flags} {_user_flag}\"\n\
                    mappings.kind={ping=\"-sn -PE\", service=\"-sV --script 'a b'\"}\n\
                    conditionals.zport={when='port != 0', template='-p {port}'}\n\
                    conditionals.user_flag={when=\"user != '' and kind == 'ping'\", template='-l {user}'}";
        for (given, expected) in [
            (vec![("kind", "ping")], "x|-sn|-PE|a-sn -PEb"),
            (vec![("kind", "service")], "x|-sV|--script|a b|a-sV --script a bb"),
            (vec![("kind", "none")], "x|ab"),
            (vec![("port", "443")], "x|ab|-p|443"),
            (vec![("port", "443"), ("user", "a b"), ("kind", "ping")], "x|-sn|-PE|a-sn -PEb|-p|443|-l|a b|-l|a b"),
        ] {
            assert_eq!(argv(body, &given).join("|"), expected, "{given:?}");
        }
    }

    #[test]
    fn a_secret_is_run_and_never_shown() {
        let body =
            "[args.pin]\ntype='integer'\nsensitive=true\n[command]\nexec=['x','--key={_secret:api_key}','--pin={pin}']";
        let call = call(&manifest(body).unwrap(), &values(&[("pin", "1234")]));
        assert_eq!(call.argv, ["x", "--key=<api_key's value>", "--pin=1234"]);
        assert_eq!(call.shown, ["x", "--key=[secret:api_key]", "--pin=[sensitive:pin]"]);
        let names: Vec<_> = call.secrets.iter().map(|secret| secret.name.as_str()).collect();
        assert_eq!(names, ["api_key", "pin"]);
        assert!(!format!("{call:?} {:?}", call.secrets).contains("1234"));
    }

    #[test]
    fn a_manifest_lists_its_secrets_and_those_that_everybody_can_read() {
        let body = "[args.a]\ntype='string'\n[command]\nexec=['x','-k{_secret:b}','{_c}']\nenv={KEY='{_secret:a}'}\n\
                    conditionals.c={when=\"a != ''\", template='{_secret:c}'}";
        let manifest = manifest(body).unwrap();
        assert_eq!(manifest.secrets().iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(manifest.secrets_in_argv().into_iter().collect::<Vec<_>>(), ["b", "c"]);
    }

    #[test]
    fn a_secret_in_the_environment_is_in_no_argument() {
        let body = "[command]\nexec=['x']\nenv={API_KEY='Bearer {_secret:key}', MODE='quiet'}";
        let call = call(&manifest(body).unwrap(), &BTreeMap::new());
        assert_eq!(call.argv, ["x"]);
        let variables = [("API_KEY", "Bearer <key's value>"), ("MODE", "quiet")];
        assert_eq!(call.environment, variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(call.secrets.len(), 1);
    }

    #[test]
    fn an_executor_gets_its_arguments_in_its_environment() {
        let body = "[args.b]\ntype='string'\nsanitize=[]\n[args.a]\ntype='boolean'\ndefault=true\n[args.c]\ntype='port'\n[command]\nexecutor='scripts/run.sh'";
        let call = call(&manifest(body).unwrap(), &values(&[("b", "-x $(id)\n")]));
        assert_eq!(
            (call.argv.as_slice(), call.script.as_ref().unwrap().as_str()),
            (&["scripts/run.sh".to_owned()][..], "scripts/run.sh")
        );
        let environment: Vec<_> =
            call.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            environment,
            [
                ("TOOLCLAD_TOOL_NAME", "t"),
                ("TOOLCLAD_SCAN_ID", "1700000000-abc"),
                ("TOOLCLAD_OUTPUT_DIR", "out"),
                ("TOOLCLAD_EVIDENCE_DIR", "evidence"),
                ("TOOLCLAD_ARG_A", "true"),
                ("TOOLCLAD_ARG_B", "-x $(id)\n"),
            ]
        );
    }

    #[test]
    fn only_a_command_that_names_the_output_file_uses_it() {
        for (element, expected) in [("'-oX','{_output_file}'", true), ("'--out={_output_file}'", true), ("'-v'", false)]
        {
            let call = call(&manifest(&format!("[command]\nexec=['x',{element}]")).unwrap(), &BTreeMap::new());
            assert_eq!(call.uses_output_file, expected, "{element}");
        }
    }

    proptest! {
        #[test]
        fn no_value_changes_the_number_of_arguments(a in "[ -~]{0,40}", b in "[ -~]{1,40}") {
            let body = "[args.a]\ntype='string'\nsanitize=[]\nallow_leading_dash=true\n[args.b]\ntype='string'\nsanitize=[]\nallow_leading_dash=true\n\
                        [command]\nexec=['x','{a}','{b}','{a}{b}','-{b}','{_c}']\nconditionals.c={when=\"'a' == 'a'\", template='c'}";
            let argv = argv(body, &[("a", &a), ("b", &b)]);
            prop_assert_eq!(argv, ["x", &a, &b, &format!("{a}{b}"), &format!("-{b}"), "c"]);
        }

        #[test]
        fn a_template_is_split_before_anything_is_put_in(a in "[a-zA-Z0-9 '\"\\\\*?~#=,.%@:/-]{1,40}") {
            let body = "[args.a]\ntype='string'\nallow_leading_dash=true\n[command]\ntemplate=\"x '{a}' {a} -f{a} \\\"{a} {a}\\\"\"";
            let argv = argv(body, &[("a", &a)]);
            prop_assert_eq!(argv, ["x", &a, &a, &format!("-f{a}"), &format!("{a} {a}")]);
        }
    }
}
