//! Whether command lines of the lane ERA could run: their sandbox, and the interpreters that the site lists.

use std::fs::File;
use std::path::Path;

use gatepost_contract::config::{Era, ProgramName};
use gatepost_contract::request::Language;
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::site::GATE_CONFIG_FILE;
use rustix::fs::{Access, access};

use super::Finding;
use super::tools::View;

/// Checks the lane. `level` is the level of tools; `policy` is the gate's, if it can be read.
pub(super) fn examine(era: &Era, policy: Option<&Policy>, level: SandboxLevel) -> Vec<Finding> {
    if let Some(program) = era.launcher.program() {
        return vec![launcher(program, policy)];
    }
    let holds = if level == SandboxLevel::Full {
        Finding::ok("era.sandbox", "the built-in sandbox at level full")
    } else {
        let why = "Command lines need level full or a launcher: requests on the lane ERA are refused here.";
        let fix = "Fix what prevents level full, or configure a launcher in [era].";
        Finding::warning("era.sandbox", format!("level {}", level.as_str()), why, fix)
    };
    let interpreters = Language::ALL.into_iter().map(|language| interpreter(era, language, level));
    [holds].into_iter().chain(interpreters).collect()
}

/// The first interpreter of a language that could run.
fn interpreter(era: &Era, language: Language, level: SandboxLevel) -> Finding {
    let check = format!("era.{}", language.as_str());
    let names: Vec<&str> = era.interpreters.for_language(language).iter().map(ProgramName::as_str).collect();
    if names.is_empty() {
        return Finding::ok(check, "not enabled on this site");
    }
    let view = View { folder: Path::new("/"), level, shown: &[] };
    let found: Vec<_> = names.iter().map(|name| view.program(name)).collect();
    if let Some(path) = found.iter().find_map(|found| found.as_ref().ok()) {
        return Finding::ok(check, path.display().to_string());
    }
    // A missing interpreter is no fault; an installed one that the tool cannot see is worth reporting.
    let is_installed = |name: &&str| gatepost_sandbox::process::find(&[(*name).into()]).is_ok();
    let hidden = names.iter().position(is_installed).and_then(|at| found.into_iter().nth(at)?.err());
    match hidden {
        Some((why, _)) => {
            let fix = "Install it under /usr, with everything that it needs.";
            Finding::warning(check, "installed, but not visible in the sandbox", why, fix)
        }
        None => Finding::ok(check, format!("not installed: {}", names.join(", "))),
    }
}

fn launcher(program: &Path, policy: Option<&Policy>) -> Finding {
    let check = "era.launcher";
    let read = access(program, Access::EXEC_OK).map_err(Into::into).and_then(|()| File::open(program));
    let digest = match read.and_then(Hasher::read) {
        Ok((digest, _)) => digest,
        Err(error) => {
            let why = format!("The launcher cannot be read or executed: {error}. Requests on the lane ERA fail.");
            return Finding::failure(
                check,
                program.display().to_string(),
                why,
                "Install it, or correct [era] launcher.",
            );
        }
    };
    let found = format!("{}, SHA-256 {digest}", program.display());
    match policy {
        Some(policy) if !is_accepted(policy, digest) => {
            let why = format!(
                "{GATE_CONFIG_FILE} does not list this launcher, so it counts as no sandbox, and the gate rejects every result that it produces."
            );
            let fix = format!(
                "Add the digest to [sandbox] launchers in {GATE_CONFIG_FILE}, if you trust it to confine commands."
            );
            Finding::failure(check, found, why, fix)
        }
        _ => Finding::ok(check, found),
    }
}

fn is_accepted(policy: &Policy, digest: Digest) -> bool {
    policy.sandbox.minimum == SandboxLevel::None || policy.sandbox.launchers.contains(&digest)
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    fn status(era: &str, policy: &Policy, level: SandboxLevel, check: &str) -> Status {
        let era: Era = toml::from_str(era).unwrap();
        let findings = examine(&era, Some(policy), level);
        findings.iter().find(|finding| finding.check == check).unwrap_or_else(|| panic!("{findings:?}")).status
    }

    #[test]
    fn a_command_line_needs_level_full_or_a_launcher_that_the_gate_knows() {
        let strict = Policy::default();
        assert_eq!(status("", &strict, SandboxLevel::Full, "era.sandbox"), Status::Ok);
        assert_eq!(status("", &strict, SandboxLevel::None, "era.sandbox"), Status::Warning);
        let sh = "launcher = ['/bin/sh']";
        assert_eq!(status(sh, &strict, SandboxLevel::None, "era.launcher"), Status::Failure);
        let (digest, _) = Hasher::read(File::open("/bin/sh").unwrap()).unwrap();
        let listing = Policy::parse(&format!("[sandbox]\nlaunchers = ['{digest}']\n")).unwrap();
        assert_eq!(status(sh, &listing, SandboxLevel::None, "era.launcher"), Status::Ok);
        let lenient = Policy::parse("[sandbox]\nminimum = 'none'\n").unwrap();
        assert_eq!(status(sh, &lenient, SandboxLevel::None, "era.launcher"), Status::Ok);
        assert_eq!(status("launcher = ['/no/such']", &lenient, SandboxLevel::None, "era.launcher"), Status::Failure);
    }

    #[test]
    fn an_interpreter_that_is_not_installed_is_told_and_is_no_problem() {
        let era: Era =
            toml::from_str("[interpreters]\npython = ['no_such', 'sh']\nruby = ['no_such']\ngo = []\n").unwrap();
        let found = |language| {
            let finding = interpreter(&era, language, SandboxLevel::Full);
            (finding.status, finding.found)
        };
        assert_eq!(found(Language::Ruby), (Status::Ok, "not installed: no_such".to_owned()));
        assert_eq!(found(Language::Go), (Status::Ok, "not enabled on this site".to_owned()));
        assert!(found(Language::Python).1.ends_with("/sh"));
    }
}
