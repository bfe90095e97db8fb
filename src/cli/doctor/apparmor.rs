//! The AppArmor profile that lets one program create user namespaces on a distribution that forbids them.
//!
//! It confines nothing; gatepost's own layers do. *Standards*: `apparmor.d(5)`, AppArmor 4.

use std::path::Path;

use gatepost_exec::shell;

/// The path of the profile.
pub(super) const PROFILE_FILE: &str = "/etc/apparmor.d/gatepost";

/// Special characters in the path of a profile.
const SPECIAL: &[char] = &['"', '\\', '*', '?', '[', ']', '{', '}', '^', '@'];

/// The profile for the program at this path, which should be its real path.
pub(super) fn profile(program: &Path) -> String {
    let path: String = program
        .to_string_lossy()
        .chars()
        .flat_map(|character| SPECIAL.contains(&character).then_some('\\').into_iter().chain([character]))
        .collect();
    format!(
        "# Lets gatepost make the user namespaces that its tools run in; no other program gains anything.\n\
         abi <abi/4.0>,\ninclude <tunables/global>\n\n\
         profile gatepost \"{path}\" flags=(unconfined) {{\n  userns,\n\n  include if exists <local/gatepost>\n}}\n"
    )
}

/// The command that installs and loads it.
pub(super) fn install_command(program: &Path) -> String {
    let program = shell::word(&program.to_string_lossy());
    format!(
        "{program} --output text doctor --apparmor-profile | sudo tee {PROFILE_FILE} && sudo apparmor_parser -r {PROFILE_FILE}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_is_for_this_program_alone() {
        let text = profile(Path::new("/opt/gate post/{bin}/gatepost"));
        assert!(
            text.contains("\nprofile gatepost \"/opt/gate post/\\{bin\\}/gatepost\" flags=(unconfined) {\n"),
            "{text}"
        );
        assert!(text.contains("\n  userns,\n"));
    }
}
