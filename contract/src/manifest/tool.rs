//! `[tool]`, `[limits]` and `[sandbox]`: the tool's identity, its risk, and its permissions.

use crate::network::NetworkMode;
use crate::scope::Narrowing;
use crate::toml_source::{Located, Section};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_documents::text::quoted;
use toml::de::DeValue;

/// How much harm a tool could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum RiskTier {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

/// Every tier and its name.
pub(super) const RISK_TIERS: [(&str, RiskTier); 5] = [
    ("info", RiskTier::Info),
    ("low", RiskTier::Low),
    ("medium", RiskTier::Medium),
    ("high", RiskTier::High),
    ("critical", RiskTier::Critical),
];

impl RiskTier {
    /// The name in a manifest.
    pub fn as_str(self) -> &'static str {
        RISK_TIERS.iter().find(|(_, tier)| *tier == self).map_or("", |(name, _)| name)
    }
}

/// How a tool lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Oneshot,
    Session,
    Browser,
}

/// Who carries a call out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dispatch {
    Exec,
    Callback,
}

/// The Cedar names of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cedar {
    /// The type of the resource: `Comms::SlackChannel`.
    pub resource: String,
    /// The action's id, in the namespace of the resource: `post_message`.
    pub action: String,
}

/// The maximum number of approvals that a manifest may demand.
const APPROVERS_MAX: u32 = 16;
impl Cedar {
    /// The namespace of tools without one, and of tools without a resource.
    pub const NAMESPACE: &'static str = "Gatepost";
}

/// `[tool]`.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) description: String,
    pub(super) timeout_seconds: u32,
    pub(super) risk_tier: RiskTier,
    pub(super) approvers: u32,
    pub(super) idempotent: bool,
    pub(super) dispatch: Dispatch,
    pub(super) cedar: Option<Cedar>,
    pub(super) scope: Narrowing,
    pub(super) screenshots: bool,
}

/// The settings of `[tool]` that affect the rest of the manifest.
pub(super) struct Demands<'s> {
    pub(super) binary: Option<Located<&'s str>>,
    pub(super) mode: Option<Located<Mode>>,
    pub(super) dispatch: Dispatch,
}

/// Upper bounds; the site's own apply where they are lower. Absent: the site's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Processor time, seconds.
    pub cpu_seconds: Option<u32>,
    /// Resident memory of the whole process tree, MiB.
    pub memory_mb: Option<u32>,
    /// Stdout, and likewise stderr, bytes.
    pub stdout_bytes: Option<u32>,
    /// Open files.
    pub files: Option<u32>,
}

/// The allowances of the sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// The weakest level at which the tool may be run, if the site's own is not enough. Absent: the site's.
    pub minimum: Option<SandboxLevel>,
    /// How the tool reaches destinations that the request lists, if it may have a network.
    pub network: Option<NetworkMode>,
    /// Whether a run to which the network refused anything is a failure. Not stated: on a route it is.
    pub fails_when_refused: bool,
    /// Absolute paths that the tool may read beyond the usual ones.
    pub read_only_paths: Vec<String>,
}

/// Reads `[tool]`.
pub(super) fn read(section: Section<'_>, is_browser: bool) -> (Option<Tool>, Demands<'_>) {
    let modes = [("oneshot", Mode::Oneshot), ("session", Mode::Session), ("browser", Mode::Browser)];
    let mode = section.one_of("mode", &modes).map(|value| Located { value, at: section.place("mode") });
    let dispatches = [("exec", Dispatch::Exec), ("callback", Dispatch::Callback)];
    let dispatch = section.one_of("dispatch", &dispatches).unwrap_or(Dispatch::Exec);
    let binary = section.text("binary").filter(|text| !text.value.is_empty());
    let screenshots = read_evidence(&section, is_browser);
    let name = section.required_text("name").filter(|name| has_tool_name(&section, *name));
    let text = |key| section.required_text(key).map(|text| text.value.to_owned());
    let version = read_version(&section);
    let description = text("description");
    let timeout_seconds = section.count("timeout_seconds", 86_400).unwrap_or(60);
    let risk_tier = section.one_of("risk_tier", &RISK_TIERS).unwrap_or(RiskTier::Low);
    let is_approved = section.boolean("human_approval").unwrap_or(false) || risk_tier >= RiskTier::Medium;
    let approvers = section.count("approvers", APPROVERS_MAX).unwrap_or(0).max(is_approved.into());
    let idempotent = section.boolean("idempotent").unwrap_or(false);
    let cedar = section.section("cedar").and_then(read_cedar);
    let scope = section.section("scope").map(Narrowing::read).unwrap_or_default();
    section.close();
    let tool = name.zip(version).zip(description).map(|((name, version), description)| Tool {
        name: name.value.to_owned(),
        version,
        description,
        timeout_seconds,
        risk_tier,
        approvers,
        idempotent,
        dispatch,
        cedar,
        scope,
        screenshots,
    });
    (tool, Demands { binary, mode, dispatch })
}

/// The form of a tool's name as a regular expression.
pub const TOOL_NAME: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/// Whether a text can be the name of a tool.
pub fn is_tool_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

fn has_tool_name(section: &Section<'_>, name: Located<&str>) -> bool {
    let is_name = is_tool_name(name.value);
    if !is_name {
        let message = format!("[tool] name is {}, which is not a tool name.", quoted(name.value));
        section.fault(
            name.at,
            message,
            "Use up to 64 of a to z, 0 to 9, underscore, hyphen and dot; begin with a letter or digit.",
        );
    }
    is_name
}

/// The version of a manifest that states none.
pub(super) const VERSION_UNSTATED: &str = "0.0.0";

fn read_version(section: &Section<'_>) -> Option<String> {
    if section.has("version") {
        let version = section.required_text("version").filter(|version| is_version(section, *version))?;
        return Some(version.value.to_owned());
    }
    let message = format!("[tool] version is missing: results will state {VERSION_UNSTATED}.");
    section.warn(section.at, message, "Add `version`, and raise it with every change.");
    Some(VERSION_UNSTATED.to_owned())
}

/// Results carry it in their front matter, which bounds it.
fn is_version(section: &Section<'_>, version: Located<&str>) -> bool {
    let is_version = version.value.chars().count() <= 128 && !version.value.contains(char::is_control);
    if !is_version {
        let message = format!("[tool] version is {}, which is too long or not on one line.", quoted(version.value));
        section.fault(version.at, message, "Use up to 128 characters on one line.");
    }
    is_version
}

fn read_cedar(section: Section<'_>) -> Option<Cedar> {
    let resource = section.required_text("resource").filter(|name| is_resource_type(&section, *name));
    let action = section.required_text("action");
    section.close();
    resource
        .zip(action)
        .map(|(resource, action)| Cedar { resource: resource.value.to_owned(), action: action.value.to_owned() })
}

/// *Standards*: Cedar 4, entity types.
/// Cedar's reserved words. *Source*: Cedar, Grammar, `RESERVED`.
const CEDAR_WORDS: [&str; 10] = ["true", "false", "if", "then", "else", "in", "is", "like", "has", "__cedar"];

/// Whether a text names an entity type of Cedar: identifiers with `::` between them. *Source*: Cedar, Grammar, `Path`.
pub fn is_cedar_type(text: &str) -> bool {
    let is_identifier = |part: &str| {
        let starts = part.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic());
        starts
            && part.chars().all(|other| other == '_' || other.is_ascii_alphanumeric())
            && !CEDAR_WORDS.contains(&part)
    };
    text.split("::").all(is_identifier)
}

fn is_resource_type(section: &Section<'_>, name: Located<&str>) -> bool {
    let hint = "Write a Cedar type such as PenTest::ScanTarget.";
    let (first, last) = (name.value.split("::").next(), name.value.rsplit("::").next());
    let fault = if !is_cedar_type(name.value) {
        "which is not the name of a Cedar type"
    } else if last == Some("Action") || name.value == "Requester" {
        "which means something else in policies"
    } else if first == Some(Cedar::NAMESPACE) {
        "but that namespace is gatepost's own"
    } else {
        return true;
    };
    section.fault(name.at, format!("[tool.cedar] resource is {}, {fault}.", quoted(name.value)), hint);
    false
}

/// `[tool.evidence]` and `[tool.schemapin]` are other implementations' settings: accepted, with no effect here, for
/// evidence is always captured and hashed. Whether the page of a browser is captured after each interaction.
fn read_evidence(section: &Section<'_>, is_browser: bool) -> bool {
    if section.section("schemapin").is_some() {
        let message = "[tool.schemapin] has no effect.".to_owned();
        let hint = "The signature belongs beside the manifest, and the vendor's key into keys/schemapin/.";
        section.warn(section.place("schemapin"), message, hint);
    }
    let Some(evidence) = section.section("evidence") else { return false };
    let other_folder = evidence.text("output_dir").is_some();
    let uncaptured = evidence.boolean("capture") == Some(false);
    let screenshots = evidence.boolean("screenshots") == Some(true);
    for (key, _) in [("output_dir", other_folder), ("capture", uncaptured), ("screenshots", screenshots && !is_browser)]
        .iter()
        .filter(|(_, is_idle)| *is_idle)
    {
        let message = format!("{} has no effect.", evidence.path(key));
        evidence.warn(evidence.place(key), message, "Remove it: evidence is always captured, and lies in the bundle.");
    }
    evidence.one_of("hash", &[("sha256", ())]);
    evidence.close();
    screenshots
}

/// Reads `[limits]`.
pub(super) fn read_limits(section: Section<'_>) -> Limits {
    let limits = Limits {
        cpu_seconds: section.count("cpu", 86_400),
        memory_mb: section.count("memory_mb", 1 << 20),
        stdout_bytes: section.count("stdout_bytes", 1 << 30),
        files: section.count("files", 1 << 20),
    };
    section.close();
    limits
}

/// `"none"`, `"proxy"` or `"routed"`; `false` and `true` are the first two.
fn read_network(section: &Section<'_>) -> Option<NetworkMode> {
    if section.node("network").is_some_and(|node| matches!(node.get_ref(), DeValue::String(_))) {
        let modes = [("none", None), ("proxy", Some(NetworkMode::Proxy)), ("routed", Some(NetworkMode::Routed))];
        return section.one_of("network", &modes).flatten();
    }
    section.boolean("network").unwrap_or(false).then_some(NetworkMode::Proxy)
}

/// Reads `[sandbox]`.
pub(super) fn read_sandbox(section: Section<'_>) -> Sandbox {
    let paths = section.texts("read_only_paths").unwrap_or_default();
    for path in &paths {
        let is_plain = path.value.starts_with('/')
            && !path.value.contains(char::is_control)
            && !path.value.split('/').any(|component| component == ".." || component == ".");
        if !is_plain {
            let message = format!("{} contains {}.", section.path("read_only_paths"), quoted(path.value));
            section.fault(path.at, message, "Write absolute paths without `.` and `..`.");
        }
    }
    let network = read_network(&section);
    let refused = section.one_of("refused_network", &[("error", true), ("anomaly", false)]);
    let levels = SandboxLevel::ALL.map(|level| (level.as_str(), level));
    let sandbox = Sandbox {
        minimum: section.one_of("minimum", &levels),
        network,
        fails_when_refused: refused.unwrap_or(network == Some(NetworkMode::Routed)),
        read_only_paths: paths.iter().map(|path| path.value.to_owned()).collect(),
    };
    section.close();
    sandbox
}
