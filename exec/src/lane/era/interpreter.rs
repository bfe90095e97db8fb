//! The programs that may run a command: an interpreter that the site lists for the request's language, and that is installed.
//!
//! It is a name, never a path, so the listed program runs. `python` means `python3` if no program has that name.
//! Pure: the caller passes the installed programs. *Standards*: PEP 394.

use gatepost_contract::config::{Interpreters, ProgramName};
use gatepost_contract::request::EraCommand;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// The name of the program that runs a command.
pub(super) fn resolve(
    listed: &Interpreters,
    command: &EraCommand,
    is_installed: impl Fn(&str) -> bool,
) -> Result<String, Reason> {
    let program = command.argv.first().map_or("", String::as_str);
    let allowed: Vec<&str> = match command.language {
        Some(language) => listed.for_language(language).iter().map(ProgramName::as_str).collect(),
        None => listed.all(),
    };
    let is_allowed = allowed.contains(&program);
    let candidates: &[&str] = if program == "python" { &["python", "python3"] } else { &[program] };
    let usable = |name: &&&str| allowed.contains(name) && is_installed(name);
    if is_allowed && let Some(found) = candidates.iter().find(usable) {
        return Ok((*found).to_owned());
    }
    let of_language = command.language.map_or(String::new(), |language| format!(" of {}", language.as_str()));
    let message = if is_allowed {
        format!("The interpreter {program} is not installed here.")
    } else {
        format!("The program {} is not an interpreter{of_language} that this site runs.", quoted(program))
    };
    let usable: Vec<&str> = allowed.into_iter().filter(|name| is_installed(name)).collect();
    let hint = if usable.is_empty() {
        format!(
            "This site has no interpreter{of_language}: ask the operator to install one that [era.interpreters] lists."
        )
    } else {
        format!("Begin the command with one of: {}.", usable.join(", "))
    };
    Err(Reason::new(Code::InterpreterUnavailable, message, hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_contract::request::Language;

    fn resolved(program: &str, language: Option<Language>) -> Result<String, (String, String)> {
        let command = EraCommand { argv: vec![program.to_owned(), "x.py".to_owned()], language };
        let installed = |name: &str| ["python3", "node"].contains(&name);
        resolve(&Interpreters::default(), &command, installed).map_err(|reason| (reason.message, reason.hint))
    }

    #[test]
    fn an_interpreter_of_the_declared_language_is_run() {
        assert_eq!(resolved("python3", Some(Language::Python)).unwrap(), "python3");
        assert_eq!(resolved("python", Some(Language::Python)).unwrap(), "python3");
        assert_eq!(resolved("node", None).unwrap(), "node");
    }

    #[test]
    fn any_other_program_is_refused_with_what_is_allowed_here() {
        for (program, language, message, hint) in [
            ("node", Some(Language::Python), "\"node\" is not an interpreter of python", "one of: python3."),
            ("ls", None, "\"ls\" is not an interpreter that this site runs", "one of: python3, node."),
            ("/in/python3", None, "\"/in/python3\" is not an interpreter", "one of: python3, node."),
            ("in/python3", Some(Language::Python), "not an interpreter of python", "one of: python3."),
            ("ruby", Some(Language::Ruby), "ruby is not installed", "no interpreter of ruby"),
        ] {
            let (text, next) = resolved(program, language).unwrap_err();
            assert!(text.contains(message) && next.contains(hint), "{text} {next}");
        }
    }
}
