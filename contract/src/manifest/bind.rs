//! A request's values, bound to the arguments of a manifest: every one checked, all errors at once.
//!
//! Security: a requester's values enter here. The output stays valid for the rest of the run.

use std::collections::{BTreeMap, BTreeSet};

use gatepost_documents::reason::{Code, Reason};

use super::Manifest;
use super::argument::Argument;
use super::argument_type::{ArgumentValue, Kind};
use crate::nearest::nearest;
use crate::network::{Host, NetworkMode, TargetScope};
use crate::scope::{Scope, Target};
use gatepost_documents::text::quoted;

/// The most addresses of a network to which a tool is given a route.
const ADDRESSES_MAX: u32 = 256;

/// Why a path cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// No such input.
    #[error("names no input file")]
    Missing,
    /// A symbolic link on the way leads out of the inputs.
    #[error("leads out of the inputs through a symbolic link")]
    Escapes,
    /// It is there but no regular file.
    #[error("is not a file")]
    NotAFile,
    /// It is a file that cannot be read.
    #[error("cannot be read")]
    Unreadable,
}

/// The external facts that a manifest needs.
pub trait InputFiles {
    /// Resolves a relative path without `..` beneath the request's inputs, following no symbolic link out. `Ok` when it is a
    /// readable regular file.
    fn input_file(&self, relative: &str) -> Result<(), PathFault>;
}

/// Values that satisfy their manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments(BTreeMap<String, Bound>);

#[derive(Debug, Clone, PartialEq)]
struct Bound {
    /// Absent when not given.
    value: Option<ArgumentValue>,
    sensitive: bool,
    /// Whether it is the path of an entry of the request's inputs.
    is_input: bool,
}

impl Arguments {
    /// The value, unless it is not given.
    pub fn get(&self, name: &str) -> Option<&ArgumentValue> {
        self.0.get(name)?.value.as_ref()
    }

    /// Every given value, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ArgumentValue)> {
        self.0.iter().filter_map(|(name, bound)| Some((name.as_str(), bound.value.as_ref()?)))
    }

    /// The value as text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(ArgumentValue::to_string)
    }

    /// Whether the value is the path of an entry of the request's inputs.
    pub(super) fn is_input(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|bound| bound.is_input)
    }

    /// Whether the value must not be shown.
    pub fn is_sensitive(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|bound| bound.sensitive)
    }
}

impl Manifest {
    /// Binds a request's values. Codes: `argument_missing`, `argument_unknown`, `argument_invalid`, `out_of_scope`; all at once,
    /// sorted by the arguments' names.
    pub fn bind(
        &self,
        given: &BTreeMap<String, ArgumentValue>,
        scope: &Scope,
        files: &dyn InputFiles,
    ) -> Result<Arguments, Vec<Reason>> {
        let unknown = given.keys().filter(|name| self.argument(name).is_none());
        let mut faults: Vec<(&str, Reason)> = unknown.map(|name| (name.as_str(), self.unknown(name))).collect();
        let mut bound = BTreeMap::new();
        for argument in &self.arguments {
            let name = argument.name.as_str();
            match self.bind_one(argument, given.get(name), scope, files) {
                Ok((value, is_input)) => {
                    bound.insert(name.to_owned(), Bound { value, sensitive: argument.sensitive, is_input });
                }
                Err(fault) => faults.push((name, *fault)),
            }
        }
        if faults.is_empty() {
            return Ok(Arguments(bound));
        }
        faults.sort_by_key(|(name, _)| *name);
        Err(faults.into_iter().map(|(_, fault)| fault).collect())
    }

    /// The arguments outside a site's scope, by name, with the reason that [`Manifest::bind`] would give. Arguments
    /// outside a manifest's own scope were refused when they were bound.
    pub fn out_of_scope<'a>(&'a self, arguments: &'a Arguments, scope: &Scope) -> Vec<(&'a str, Reason)> {
        let reason = |argument: &'a Argument| {
            let value = arguments.get(&argument.name)?;
            let target = argument.kind.target(value).filter(|target| !scope.permits(target));
            target.map(|_| (argument.name.as_str(), *out_of_scope(argument, value, SITE_SCOPE)))
        };
        self.arguments.iter().filter_map(reason).collect()
    }

    /// Where the names may lead that a call targets, in a site's scope.
    pub fn target_scope(&self, arguments: &Arguments, scope: &Scope) -> TargetScope {
        let target = |argument: &Argument| argument.kind.target(arguments.get(&argument.name)?);
        let name = |target| if let Target::Host(name) = target { Some(name) } else { None };
        let names = self.arguments.iter().filter_map(target).filter_map(name).collect();
        TargetScope { names, scope: scope.clone(), narrowing: self.tool.scope.clone() }
    }

    /// Whether calls can target hosts.
    pub fn can_target(&self) -> bool {
        self.arguments.iter().any(|argument| argument.kind.is_target())
    }

    /// Whether calls can target hosts to which the tool then gets a route.
    pub fn targets_by_route(&self) -> bool {
        let is_target = |argument: &Argument| argument.kind.is_target() && !argument.sensitive;
        self.sandbox.network == Some(NetworkMode::Routed) && self.arguments.iter().any(is_target)
    }

    /// The hosts that a call targets, the addresses of a network one by one; sensitive arguments name none, for results name them.
    /// Code: `argument_invalid`, all at once.
    pub fn targets(&self, arguments: &Arguments) -> Result<Vec<Host>, Vec<Reason>> {
        let (mut targets, mut faults) = (BTreeSet::new(), Vec::new());
        for argument in self.arguments.iter().filter(|argument| !argument.sensitive) {
            let Some(value) = arguments.get(&argument.name) else { continue };
            let Some(target) = argument.kind.target(value) else { continue };
            match hosts(&target, value) {
                Ok(hosts) => targets.extend(hosts),
                Err((fault, hint)) => faults.push(*invalid(argument, value, fault, hint.to_owned())),
            }
        }
        if faults.is_empty() { Ok(targets.into_iter().collect()) } else { Err(faults) }
    }

    fn bind_one(
        &self,
        argument: &Argument,
        given: Option<&ArgumentValue>,
        scope: &Scope,
        files: &dyn InputFiles,
    ) -> Result<(Option<ArgumentValue>, bool), Box<Reason>> {
        let Some(value) = given.or(argument.default.as_ref()) else {
            return if argument.required { Err(missing(argument)) } else { Ok((None, false)) };
        };
        if argument.required && *value == ArgumentValue::Text(String::new()) {
            return Err(invalid(argument, value, "is empty", expectation(argument)));
        }
        let value =
            argument.kind.accept(value).map_err(|fault| invalid(argument, value, &fault, expectation(argument)))?;
        self.check_dash(argument, &value)?;
        let is_input = check_path(argument, &value, files)?;
        match argument.kind.target(&value) {
            Some(target) if target.is_unspecified() => Err(unspecified(argument, &value)),
            Some(target) if !scope.permits(&target) => Err(out_of_scope(argument, &value, SITE_SCOPE)),
            Some(target) if !self.tool.scope.permits(&target) => Err(out_of_scope(argument, &value, TOOL_SCOPE)),
            _ => Ok((Some(value), is_input)),
        }
    }

    fn check_dash(&self, argument: &Argument, value: &ArgumentValue) -> Result<(), Box<Reason>> {
        let is_operators = matches!(argument.kind.kind(), Kind::Enum | Kind::Boolean) || argument.allow_leading_dash;
        if is_operators || !self.backend.exposes(&argument.name) || !value.to_string().starts_with('-') {
            return Ok(());
        }
        let hint =
            "Use a value that does not begin with '-'; the manifest can allow it with allow_leading_dash or a `--`.";
        Err(invalid(argument, value, "begins with '-', so the tool would read it as an option", hint.into()))
    }

    fn unknown(&self, name: &str) -> Reason {
        let names = self.arguments.iter().map(|argument| argument.name.as_str());
        let hint = match nearest(name, names.clone()) {
            Some(nearest) => format!("Did you mean `{nearest}`?"),
            None if self.arguments.is_empty() => "This tool takes no arguments.".into(),
            None => format!("The arguments are: {}.", names.collect::<Vec<_>>().join(", ")),
        };
        Reason::new(Code::ArgumentUnknown, format!("The tool {} has no argument {}.", self.name(), quoted(name)), hint)
    }
}

/// The hosts of a target, as a route names them; or the error, and its hint.
fn hosts(target: &Target, value: &ArgumentValue) -> Result<Vec<Host>, (&'static str, &'static str)> {
    match target {
        Target::Address(address) => Ok(vec![Host::Address(*address)]),
        Target::Network(network) => {
            let addresses = network
                .addresses(ADDRESSES_MAX)
                .ok_or(("has more than 256 addresses, the limit of a route", "Split it into several requests."))?;
            Ok(addresses.into_iter().map(Host::Address).collect())
        }
        // The name in the results must be the one in the request.
        Target::Host(name) => {
            let host = Host::parse(name).filter(|_| value.to_string().is_ascii());
            host.map(|host| vec![host]).ok_or((
                "is no host name in plain ASCII letters, digits and hyphens",
                "Write the name as the DNS has it (xn--…), or its address.",
            ))
        }
    }
}

/// Whether the value is the path of an input. A `path` may name a file that does not exist yet.
fn check_path(argument: &Argument, value: &ArgumentValue, files: &dyn InputFiles) -> Result<bool, Box<Reason>> {
    let kind = argument.kind.kind();
    if !matches!(kind, Kind::Path | Kind::CredentialFile) {
        return Ok(false);
    }
    match files.input_file(&value.to_string()) {
        Ok(()) => Ok(true),
        Err(PathFault::Missing) if kind == Kind::Path => Ok(false),
        Err(PathFault::NotAFile) if kind == Kind::Path => Ok(true),
        Err(fault) => {
            let hint = "Send the file in the request's folder in/, as a regular file.";
            Err(invalid(argument, value, &fault.to_string(), hint.into()))
        }
    }
}

fn missing(argument: &Argument) -> Box<Reason> {
    let message = format!("The required argument {} is missing.", argument.name);
    Box::new(Reason::new(Code::ArgumentMissing, message, expectation(argument)))
}

/// The scope that a target is not in, and its place.
const SITE_SCOPE: [&str; 2] = ["scope", "scope/scope.toml"];
const TOOL_SCOPE: [&str; 2] = ["the scope of the tool", "[tool.scope] of its manifest"];

fn out_of_scope(argument: &Argument, value: &ArgumentValue, [scope, place]: [&str; 2]) -> Box<Reason> {
    let message = format!("The argument {} is {}, which is not in {scope}.", argument.name, shown(argument, value));
    let hint = format!("Choose a target in scope, or ask the operator to add it to {place}.");
    Box::new(Reason::new(Code::OutOfScope, message, hint))
}

fn unspecified(argument: &Argument, value: &ArgumentValue) -> Box<Reason> {
    let shown = shown(argument, value);
    let message = format!("The argument {} is {shown}, which is never in scope.", argument.name);
    Box::new(Reason::new(Code::OutOfScope, message, "Name the host: programs take this address for their own machine."))
}

fn invalid(argument: &Argument, value: &ArgumentValue, fault: &str, hint: String) -> Box<Reason> {
    let message = format!("The argument {} is {}, which {fault}.", argument.name, shown(argument, value));
    Box::new(Reason::new(Code::ArgumentInvalid, message, hint))
}

fn shown(argument: &Argument, value: &ArgumentValue) -> String {
    if argument.sensitive { "a sensitive value".into() } else { quoted(&value.to_string()) }
}

fn expectation(argument: &Argument) -> String {
    let kind = argument.kind.kind().as_str();
    match argument.description.as_str() {
        "" => format!("Give it a value of the type {kind}."),
        description => format!("Give it a value of the type {kind}: {}.", description.trim_end_matches('.')),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Inputs, manifest, values};
    use super::*;

    fn codes(body: &str, given: &[(&str, &str)]) -> Vec<(&'static str, String)> {
        let manifest = manifest(body).unwrap();
        let scope = Scope::parse("[scope]\ntargets=['10.0.0.0/8']\ndomains=['*.example.com']", "scope.toml").unwrap();
        let reasons = manifest.bind(&values(given), &scope, &Inputs).err().unwrap_or_default();
        reasons.into_iter().map(|reason| (reason.code.as_str(), reason.message)).collect()
    }

    #[test]
    fn all_errors_are_reported_at_once_and_sorted_by_name() {
        let body = "[args.zeta]\ntype='integer'\nrequired=true\n[args.alpha]\ntype='port'\n[args.mid]\ntype='scope_target'\n\
                    [command]\nexec=['x','{zeta}','{alpha}','{mid}']";
        let found = codes(body, &[("alpha", "0"), ("alhpa", "1"), ("mid", "192.0.2.1")]);
        let codes: Vec<_> = found.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, ["argument_unknown", "argument_invalid", "out_of_scope", "argument_missing"], "{found:?}");
    }

    #[test]
    fn targets_are_always_checked_and_urls_when_asked() {
        let body = "[args.t]\ntype='scope_target'\n[args.u]\ntype='url'\nscope_check=true\n[args.free]\ntype='url'\n\
                    [args.ip]\ntype='ip_address'\nscope_check=true\n[command]\nexec=['x','{t}','{u}','{free}','{ip}']";
        for (name, value, expected) in [
            ("t", "10.1.2.3", 0),
            ("t", "11.1.2.3", 1),
            ("t", "a.example.com", 0),
            ("u", "https://a.example.com/x", 0),
            ("u", "https://10.0.0.1:8080/", 0),
            ("u", "https://a.example.com.evil.net/", 1),
            ("u", "https://[::ffff:10.0.0.1]/", 0),
            ("free", "https://anything.net/", 0),
            ("ip", "11.0.0.1", 1),
        ] {
            assert_eq!(codes(body, &[(name, value)]).len(), expected, "{name} {value}");
        }
        let closed =
            manifest(body).unwrap().bind(&values(&[("t", "10.1.2.3")]), &Scope::default(), &Inputs).unwrap_err();
        assert_eq!(closed[0].code, Code::OutOfScope);
    }

    #[test]
    fn an_empty_value_is_no_value_where_one_is_required() {
        let body = |required| format!("[args.a]\ntype='string'\nrequired={required}\n[command]\nexec=['x','{{a}}']");
        let found = codes(&body(true), &[("a", "")]);
        assert!(found.len() == 1 && found[0].0 == "argument_invalid" && found[0].1.contains("is empty"), "{found:?}");
        assert_eq!(codes(&body(false), &[("a", "")]), []);
    }

    #[test]
    fn a_manifest_narrows_the_scope_for_its_tool_and_never_widens_it() {
        let with = |scope: &str, target: &str| {
            let text = format!(
                "[tool]\nname='t'\nversion='1'\ndescription='d'\nbinary='x'\n[tool.scope]\n{scope}\n\
                 [args.t]\ntype='scope_target'\n[command]\nexec=['x','{{t}}']\n[output]\nschema={{}}"
            );
            let manifest = Manifest::parse(&text, "t", &super::super::CustomTypes::default()).unwrap();
            let site = "[scope]\ntargets=['10.0.0.0/8']\ndomains=['*.example.com']";
            let bound = manifest.bind(&values(&[("t", target)]), &Scope::parse(site, "s").unwrap(), &Inputs);
            bound.err().map(|reasons| reasons[0].message.clone()).unwrap_or_default()
        };
        for (scope, target, expected) in [
            ("targets=['10.1.0.0/16']", "10.1.2.3", ""),
            ("targets=['10.1.0.0/16']", "10.2.2.3", "not in the scope of the tool"),
            ("targets=['10.1.0.0/16']", "10.0.0.0/8", "not in the scope of the tool"),
            ("targets=['10.1.0.0/16']", "a.example.com", "not in the scope of the tool"),
            ("targets=['0.0.0.0/0']", "192.0.2.1", "not in scope"),
            ("targets=[]", "10.1.2.3", "not in the scope of the tool"),
            ("domains=['a.example.com']", "a.example.com", ""),
            ("domains=['a.example.com']", "10.1.2.3", "not in the scope of the tool"),
            ("exclude=['10.1.2.0/24']", "10.1.2.3", "not in the scope of the tool"),
            ("exclude=['10.1.2.0/24']", "10.1.3.3", ""),
            ("exclude=['b.example.com']", "a.example.com", ""),
        ] {
            let found = with(scope, target);
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{scope} {target}: {found}");
        }
    }

    #[test]
    fn the_targets_of_a_call_must_be_in_scope() {
        let body = "[args.t]\ntype='scope_target'\n[args.u]\ntype='url'\nscope_check=true\n[args.free]\ntype='url'\n\
                    [args.secret]\ntype='scope_target'\nsensitive=true\n[command]\nexec=['x','{t}','{u}','{free}','{secret}']";
        let targets_of = |given: &[(&str, &str)]| {
            let scope = "[scope]\ntargets=['10.0.0.0/8']\ndomains=['*.example.com', 'münchen.example']";
            let manifest = manifest(body).unwrap();
            let bound = manifest.bind(&values(given), &Scope::parse(scope, "s").unwrap(), &Inputs).unwrap();
            let targets = manifest.targets(&bound).map_err(|faults| faults[0].message.clone())?;
            Ok::<Vec<String>, String>(targets.iter().map(ToString::to_string).collect())
        };
        assert_eq!(targets_of(&[("t", "10.1.2.254/31")]).unwrap(), ["10.1.2.254", "10.1.2.255"]);
        assert_eq!(
            targets_of(&[("t", "A.example.com"), ("u", "http://10.0.0.1:8080/x")]).unwrap(),
            ["a.example.com", "10.0.0.1"]
        );
        assert_eq!(targets_of(&[("free", "http://9.9.9.9/"), ("secret", "10.0.0.1")]).unwrap(), [""; 0]);
        assert!(targets_of(&[("t", "10.0.0.0/23")]).unwrap_err().contains("more than 256 addresses"));
        assert!(targets_of(&[("t", "münchen.example")]).unwrap_err().contains("plain ASCII"));
    }

    #[test]
    fn a_default_is_a_value_like_any_other_and_stays_in_scope() {
        let body = "[args.t]\ntype='scope_target'\ndefault='192.0.2.1'\n[command]\nexec=['x','{t}']";
        assert_eq!(codes(body, &[])[0].0, "out_of_scope");
    }

    #[test]
    fn a_path_that_leaves_the_inputs_is_refused_and_a_credential_file_must_be_there() {
        let body = "[args.p]\ntype='path'\n[args.c]\ntype='credential_file'\n[command]\nexec=['x','in/{p}','in/{c}']";
        for (name, value, expected) in [
            ("p", "there.txt", 0),
            ("p", "absent.txt", 0),
            ("p", "symlink_out", 1),
            ("p", "../up", 1),
            ("c", "there.txt", 0),
            ("c", "absent.txt", 1),
            ("c", "folder", 1),
            ("c", "symlink_out", 1),
        ] {
            assert_eq!(codes(body, &[(name, value)]).len(), expected, "{name} {value}");
        }
    }

    #[test]
    fn a_value_that_would_be_read_as_an_option_is_refused() {
        let argument = "[args.a]\ntype='path'\n[args.b]\ntype='string'\n[args.n]\ntype='integer'\n";
        for (command, name, value, expected) in [
            ("exec=['x','{a}','{b}','{n}']", "a", "-oPWNED", 1),
            ("exec=['x','{a}','{b}','{n}']", "n", "-5", 1),
            ("exec=['x','--','{a}','{b}','{n}']", "a", "-oPWNED", 0),
            ("exec=['x','{a}','--','{b}','{n}']", "a", "-oPWNED", 1),
            ("exec=['x','in/{a}','--b={b}','{n}']", "a", "-oPWNED", 0),
            ("exec=['x','in/{a}','--b={b}','{n}']", "b", "-o", 0),
            ("exec=['x','{a}{b}','{n}']", "b", "-o", 1),
            ("template=\"x '{a}' {b} {n}\"", "b", "-o x", 1),
            ("exec=['x','{a}','{n}','{_c}']\nconditionals.c={when=\"b != ''\", template='-l {b}'}", "b", "-o", 1),
            ("exec=['x','{a}','{n}','--','{_c}']\nconditionals.c={when=\"b != ''\", template='-l {b}'}", "b", "-o", 0),
            ("exec=['x','{none}{a}','{b}','{n}']\ndefaults.none=''", "a", "-oPWNED", 1),
            ("executor='run.sh'", "a", "-oPWNED", 0),
        ] {
            let found = codes(&format!("{argument}[command]\n{command}"), &[(name, value)]);
            assert_eq!(found.len(), expected, "{command} {value}: {found:?}");
        }
        let allowed = "[args.a]\ntype='string'\nallow_leading_dash=true\n[command]\nexec=['x','{a}']";
        assert!(codes(allowed, &[("a", "-v")]).is_empty());
    }

    #[test]
    fn a_sensitive_value_is_in_no_message() {
        let body = "[args.pin]\ntype='integer'\nsensitive=true\nmax=5\n[command]\nexec=['x','{pin}']";
        let found = codes(body, &[("pin", "123456")]);
        assert!(found.len() == 1 && !found[0].1.contains("123456"), "{found:?}");
    }

    #[test]
    fn hostile_text_in_a_message_is_escaped_and_shortened() {
        let body = "[args.a]\ntype='port'\n[command]\nexec=['x','{a}']";
        let found = codes(body, &[("a", &format!("\u{1b}[31m\n{}", "A".repeat(9000))), ("b\u{202e}", "")]);
        assert!(
            found.iter().all(|(_, message)| message.len() < 300
                && message.chars().all(|c| c == ' ' || c.is_ascii_graphic() || c == '…')),
            "{found:?}"
        );
    }
}
