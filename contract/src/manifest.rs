//! The tool manifest, `*.clad.toml`: a contract that states a tool's arguments, how it runs, and its results.
//!
//! ```text
//! text ──parse──▶ Manifest ──bind(values, scope)──▶ Arguments ──command(places, secrets)──▶ Call
//! ```
//!
//! Pure: no files, clock, environment or processes; external facts come in as traits and functions. A `Manifest`
//! satisfies every rule of the format, so nothing is checked again later.
//!
//! Security: a manifest is the operator's, the values are a requester's. Standards: ToolClad; where its documents are
//! silent or contradict each other, the stricter reading applies. Exactly one backend; a key that is unknown or without
//! effect is a fault.

mod argument;
mod argument_type;
mod argv;
mod backend;
mod bind;
mod browser;
mod command;
mod condition;
mod conditional;
mod constraint;
mod custom_type;
mod dangling;
mod duration;
mod exposure;
mod filling;
#[cfg(test)]
mod fixture;
mod http;
mod http_body;
mod interaction;
mod mapping;
mod mcp;
mod mcp_schema;
mod output;
mod placeholder;
mod schema;
mod script_path;
mod secret_text;
mod session;
mod starter;
mod template;
mod tool;
mod url_host;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use gatepost_documents::reason::{Code, Reason};
use serde_json::Value;

pub use argument::Argument;
pub use argument_type::{ArgumentType, ArgumentValue, Kind};
pub use argv::Call;
pub use backend::Backend;
pub use bind::{Arguments, InputFiles, PathFault};
pub use browser::Browser;
pub use command::{Command, Runs};
pub use custom_type::CustomTypes;
pub use filling::{Places, Secret, SecretValues};
pub use http::{Http, HttpCall, is_own_header};
pub use interaction::{Interaction, InteractionBounds};
pub use mcp::{Mcp, McpCall, is_mcp_name};
pub use output::{Output, Parser, SchemaViolation};
pub use schema::schema;
pub use script_path::ScriptPath;
pub use secret_text::SecretText;
pub use session::{LINE_BYTES_MAX, Session};
pub use starter::starter;
pub use tool::{Cedar, Limits, RiskTier, Sandbox, TOOL_NAME, is_cedar_type, is_tool_name};

use crate::network::NetworkMode;
use crate::parser::Builtin;
use crate::toml_source::{Section, Source};
use filling::Filling;
use tool::{Demands, Dispatch, Tool};

/// A manifest that passed its check.
#[derive(Debug, Clone)]
pub struct Manifest {
    tool: Tool,
    arguments: Vec<Argument>,
    backend: Backend,
    output: Option<Output>,
    limits: Limits,
    sandbox: Sandbox,
    /// Those of the commands of a session or browser, by their own names.
    commands: BTreeMap<String, Self>,
    warnings: Vec<Reason>,
}

impl Manifest {
    /// Reads and checks a manifest; `file` is its name in messages. Every fault with its line and column, in the order of
    /// the file; the code of all is `manifest_invalid`.
    pub fn parse(text: &str, file: &str, types: &CustomTypes) -> Result<Self, Vec<Reason>> {
        let source = Source::new(text, file, Code::ManifestInvalid);
        let table = source.table();
        let manifest = table.as_ref().and_then(|table| read(Section::document(&source, table), types));
        let warnings = source.warnings();
        source.finish(manifest.map(|manifest| Self { warnings, ..manifest }))
    }

    /// `[tool] name`.
    pub fn name(&self) -> &str {
        &self.tool.name
    }

    /// Accepted but probably unintended entries: each with its line and column, in the order of the file; all have the
    /// code `manifest_warning`.
    pub fn warnings(&self) -> &[Reason] {
        &self.warnings
    }

    /// `[tool] version`.
    pub fn version(&self) -> &str {
        &self.tool.version
    }

    /// `[tool] description`.
    pub fn description(&self) -> &str {
        &self.tool.description
    }

    /// Wall-clock seconds that a run may take; of a session or browser, all of it.
    pub fn timeout_seconds(&self) -> u32 {
        self.backend.bounds().map_or(self.tool.timeout_seconds, |bounds| bounds.session_timeout_seconds)
    }

    /// Wall-clock seconds that one interaction of a session or browser may take.
    pub fn interaction_seconds(&self) -> u32 {
        self.tool.timeout_seconds
    }

    /// The interactions of its session or browser, each as a manifest, by its own name.
    pub fn commands(&self) -> &BTreeMap<String, Self> {
        &self.commands
    }

    /// The manifest, and those of its session's interactions.
    pub fn with_commands(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.commands.values())
    }

    /// `[tool] risk_tier`.
    pub fn risk_tier(&self) -> RiskTier {
        self.tool.risk_tier
    }

    /// How many people must approve each request: `approvers`, and at least one with `human_approval` or a risk of medium or above.
    pub fn approvers(&self) -> u32 {
        self.tool.approvers
    }

    /// Whether an interrupted run may be repeated.
    pub fn is_idempotent(&self) -> bool {
        self.tool.idempotent
    }

    /// Whether the caller carries its calls out: they are checked here and handed back.
    pub fn is_callback(&self) -> bool {
        self.tool.dispatch == Dispatch::Callback
    }

    /// `[tool.cedar]`.
    pub fn cedar(&self) -> Option<&Cedar> {
        self.tool.cedar.as_ref()
    }

    /// The arguments, in the order in which people should see them.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// The argument of that name.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// The program that it starts, by its name or path; none where that is a script, or ours.
    pub fn program(&self) -> Option<&str> {
        match &self.backend {
            Backend::Command(Command { runs: Runs::Program(argv), .. }) => argv.program(),
            Backend::Session(session) => session.startup.first().map(String::as_str),
            _ => None,
        }
    }

    /// Its backend.
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// `[output]`; absent only for a callback.
    pub fn output(&self) -> Option<&Output> {
        self.output.as_ref()
    }

    /// `[limits]`.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// `[sandbox]`.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// How its runs get to a network, if they may: `[sandbox] network`, and always by the proxy where it is a browser.
    pub fn network_mode(&self) -> Option<NetworkMode> {
        if matches!(self.backend, Backend::Browser(_)) { Some(NetworkMode::Proxy) } else { self.sandbox.network }
    }

    /// `[tool.evidence] screenshots`: whether the page of its browser is captured after each interaction.
    pub fn captures_pages(&self) -> bool {
        self.tool.screenshots
    }

    /// The parser of raw output; plain text if the manifest has no `[output]`.
    pub fn parser(&self) -> &Parser {
        self.output().map_or(&Parser::Builtin(Builtin::Text), |output| &output.parser)
    }

    /// Checks parsed results against `[output.schema]`.
    pub fn check_results(&self, results: &Value) -> Result<(), Vec<SchemaViolation>> {
        self.output.as_ref().map_or(Ok(()), |output| output.check(results))
    }

    /// The exit codes with which its program did not fail.
    pub fn success_exit_codes(&self) -> &[i32] {
        match &self.backend {
            Backend::Command(command) => &command.success_exit_codes,
            _ => &[0],
        }
    }

    /// The secrets that it names anywhere: a call gets the values of all of them.
    pub fn secrets(&self) -> &BTreeSet<String> {
        const NONE: &BTreeSet<String> = &BTreeSet::new();
        match &self.backend {
            Backend::Command(command) => &command.secrets,
            Backend::Http(http) => &http.secrets,
            _ => NONE,
        }
    }

    /// Those of them that are in an argument of its command.
    pub fn secrets_in_argv(&self) -> BTreeSet<&str> {
        match &self.backend {
            Backend::Command(Command { runs: Runs::Program(argv), .. }) => argv.secrets(),
            _ => BTreeSet::new(),
        }
    }

    /// The call of a `[command]`. Code: `backend_unavailable` when the manifest drives something else.
    pub fn command(
        &self,
        arguments: &Arguments,
        places: &Places<'_>,
        secrets: &SecretValues,
    ) -> Result<Call, Vec<Reason>> {
        let Backend::Command(command) = &self.backend else { return Err(vec![self.other_backend("command")]) };
        Ok(command.call(self.name(), &mut Filling::new(arguments, places, secrets)))
    }

    /// The request of an `[http]`; errors as for `command`, and `argument_invalid` or `secret_unusable` when a value
    /// would change the shape of the path or cannot be in a header.
    pub fn http_call(
        &self,
        arguments: &Arguments,
        places: &Places<'_>,
        secrets: &SecretValues,
    ) -> Result<HttpCall, Vec<Reason>> {
        let Backend::Http(http) = &self.backend else { return Err(vec![self.other_backend("http")]) };
        http.call(&mut Filling::new(arguments, places, secrets)).map_err(|reason| vec![reason])
    }

    fn other_backend(&self, expected: &str) -> Reason {
        let message = format!("The tool {} uses the backend {}, not {expected}.", self.name(), self.backend.as_str());
        Reason::new(Code::BackendUnavailable, message, "Use a tool with the other backend.")
    }
}

fn read(document: Section<'_>, types: &CustomTypes) -> Option<Manifest> {
    if !document.has("tool") {
        document.missing("tool");
    }
    let (tool, demands) = document.section("tool").map(|section| tool::read(section, document.has("browser"))).unzip();
    let mut arguments = document.section("args").map(|args| argument::read_all(&args, types)).unwrap_or_default();
    let demands = demands.unwrap_or(Demands { binary: None, mode: None, dispatch: Dispatch::Exec });
    let backend = backend::read(&document, &demands, &mut arguments, types);
    let is_silent = demands.dispatch == Dispatch::Callback && !document.has("output");
    let output = (!is_silent).then(|| output::read(&document, backend.as_ref()));
    let limits = document.section("limits").map(tool::read_limits).unwrap_or_default();
    let sandbox = document.section("sandbox").map(tool::read_sandbox).unwrap_or_default();
    if let Some(Backend::Command(Command { runs: Runs::Executor(script), .. })) = &backend {
        script.check_visible(&document, &sandbox.read_only_paths);
    }
    document.close();
    let (tool, backend) = (tool.flatten()?, backend?);
    let commands = match &backend {
        Backend::Session(session) => interaction::manifests(&tool, &session.commands, &sandbox),
        Backend::Browser(browser) => interaction::manifests(&tool, &browser.commands, &sandbox),
        _ => BTreeMap::new(),
    };
    Some(Manifest {
        tool,
        arguments,
        backend,
        commands,
        output: output.flatten(),
        limits,
        sandbox,
        warnings: Vec::new(),
    })
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use std::path::Path;

    use super::fixture::{faults, manifest};
    use super::*;
    use gatepost_documents::sandbox_level::SandboxLevel;

    #[test]
    fn every_sample_manifest_passes_its_check_and_its_scripts_exist() {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools");
        let mut checked = 0;
        for entry in std::fs::read_dir(&tools).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let Some(stem) = name.strip_suffix(".clad.toml") else { continue };
            let text = std::fs::read_to_string(&path).unwrap();
            let manifest =
                Manifest::parse(&text, name, &CustomTypes::default()).unwrap_or_else(|faults| panic!("{faults:#?}"));
            assert_eq!(manifest.name(), stem);
            if let Backend::Command(Command { runs: Runs::Executor(script), .. }) = manifest.backend() {
                assert!(tools.join(script.as_str()).is_file(), "{name}: {}", script.as_str());
            }
            if let Some(Output { parser: Parser::Script(script), .. }) = manifest.output() {
                assert!(tools.join(script.as_str()).is_file(), "{name}: {}", script.as_str());
            }
            checked += 1;
        }
        assert!(checked >= 4, "{checked}");
    }

    #[test]
    fn the_starter_passes_its_own_check() {
        Manifest::parse(&starter("my_tool"), "my_tool.clad.toml", &CustomTypes::default()).unwrap();
    }

    #[test]
    fn what_the_manifest_says_comes_out_typed() {
        let manifest = manifest(
            "[limits]\ncpu = 5\nmemory_mb = 64\nstdout_bytes = 1000\nfiles = 16\n\
             [sandbox]\nminimum = 'full'\nnetwork = true\nread_only_paths = ['/usr/share/dict']\n[command]\nexec = ['x']",
        )
        .unwrap();
        assert_eq!((manifest.name(), manifest.version(), manifest.timeout_seconds()), ("t", "1", 60));
        assert!(manifest.approvers() == 0 && !manifest.is_idempotent());
        let limits = Limits { cpu_seconds: Some(5), memory_mb: Some(64), stdout_bytes: Some(1000), files: Some(16) };
        assert_eq!(manifest.limits(), limits);
        assert_eq!(
            manifest.sandbox(),
            &Sandbox {
                minimum: Some(SandboxLevel::Full),
                network: Some(NetworkMode::Proxy),
                fails_when_refused: false,
                read_only_paths: vec!["/usr/share/dict".into()]
            }
        );
    }

    #[test]
    fn a_refusal_of_the_network_fails_a_routed_run_unless_the_manifest_says_otherwise() {
        for (sandbox, expected) in [
            ("network = 'routed'", true),
            ("network = 'routed'\nrefused_network = 'anomaly'", false),
            ("network = true", false),
            ("network = true\nrefused_network = 'error'", true),
        ] {
            let manifest = manifest(&format!("[sandbox]\n{sandbox}\n[command]\nexec = ['x']")).unwrap();
            assert_eq!(manifest.sandbox().fails_when_refused, expected, "{sandbox}");
        }
    }

    #[test]
    fn a_level_that_there_is_not_is_a_fault_that_names_the_nearest() {
        let found = faults("[sandbox]\nminimum = 'landlok'\n[command]\nexec = ['x']");
        assert!(found.contains("must be one of: none, landlock, full") && found.contains("`landlock`"), "{found}");
    }

    #[test]
    fn a_version_that_no_result_could_carry_is_a_fault() {
        let with = |version: &str| {
            let text = format!(
                "[tool]\nname='t'\nversion=\"{version}\"\ndescription='d'\nbinary='x'\n[command]\nexec=['x']\n[output]\nschema={{}}"
            );
            Manifest::parse(&text, "t", &CustomTypes::default())
        };
        assert!(with(&"9".repeat(128)).is_ok());
        for version in ["9".repeat(129), "1\\n2".to_owned()] {
            let faults = with(&version).unwrap_err();
            assert!(faults.len() == 1 && faults[0].message.contains("version"), "{faults:#?}");
        }
    }

    #[test]
    fn a_resource_that_policies_could_not_name_is_a_fault() {
        for resource in ["", "a b", "if", "X::", "Action", "X::Action", "Requester", "Gatepost::Tool", "__cedar::X"] {
            let text = format!(
                "[tool]\nname='t'\nversion='1'\ndescription='d'\nbinary='x'\ncedar={{resource='{resource}', action='a'}}\n[command]\nexec=['x']\n[output]\nschema={{}}"
            );
            let faults = Manifest::parse(&text, "t", &CustomTypes::default()).unwrap_err();
            assert!(
                faults.len() == 1 && faults[0].message.contains("[tool.cedar] resource"),
                "{resource}: {faults:#?}"
            );
        }
    }

    #[test]
    fn risk_from_medium_on_and_a_demand_need_an_approval() {
        for (keys, expected) in [
            ("risk_tier = 'info'", 0),
            ("risk_tier = 'low'", 0),
            ("risk_tier = 'medium'", 1),
            ("risk_tier = 'high'", 1),
            ("risk_tier = 'critical'", 1),
            ("risk_tier = 'low'\nhuman_approval = true", 1),
            ("risk_tier = 'high'\napprovers = 2", 2),
            ("approvers = 3", 3),
        ] {
            let text = format!(
                "[tool]\nname='t'\nversion='1'\ndescription='d'\nbinary='x'\n{keys}\n[command]\nexec=['x']\n[output]\nschema={{}}"
            );
            let manifest = Manifest::parse(&text, "t", &CustomTypes::default()).unwrap();
            assert_eq!(manifest.approvers(), expected, "{keys}");
        }
    }

    #[test]
    fn a_manifest_drives_exactly_one_backend() {
        for (body, fault) in [
            ("", "exactly one execution backend, but has 0"),
            (
                "[command]\nexec=['x']\n[http]\nmethod='GET'\nurl='https://a.org/'",
                "exactly one execution backend, but has 2",
            ),
            ("[session]\nstartup_command='x'\n[browser]", "exactly one execution backend, but has 2"),
        ] {
            assert!(faults(body).contains(fault), "{body}: {}", faults(body));
        }
        let callback =
            "tool = {name='t', version='1', description='d', dispatch='callback'}\n[args.note]\ntype='string'\n";
        let manifest = Manifest::parse(callback, "t", &CustomTypes::default()).unwrap();
        assert!(matches!(manifest.backend(), Backend::Callback) && manifest.output().is_none());
        let backed = format!("{callback}[mcp]\nserver='s'\ntool='u'");
        let manifest = Manifest::parse(&backed, "t", &CustomTypes::default()).unwrap();
        assert!(manifest.is_callback() && matches!(manifest.backend(), Backend::Mcp(_)));
        let both = format!("{backed}\n[http]\nmethod='GET'\nurl='https://a.org/{{note}}'");
        assert!(Manifest::parse(&both, "t", &CustomTypes::default()).is_err());
    }
}
