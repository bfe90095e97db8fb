//! The variables of a tool's environment that gatepost sets, so manifests and configuration may not set them. *Standards*: CLI Agent
//! Spec (children of a command), NO_COLOR.

/// Variables with a fixed value: they make command line tools behave as in scripts.
pub const FIXED: &[(&str, &str)] = &[
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("CI", "1"),
    ("NO_UPDATE_NOTIFIER", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("LESS", "-F -X -R"),
    ("MORE", ""),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
];

/// Those that lead to the network, with the protocol that is spoken to it.
pub const PROXIES: [(&str, &str); 3] = [("HTTP_PROXY", "http"), ("HTTPS_PROXY", "http"), ("ALL_PROXY", "socks5h")];

/// Whether gatepost sets a variable.
pub fn is_own(name: &str) -> bool {
    let is_proxy = PROXIES.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let is_fixed = FIXED.iter().any(|(own, _)| *own == name);
    is_fixed || is_proxy || ["HOME", "TMPDIR"].contains(&name) || name.starts_with("TOOLCLAD_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_is_the_manifests_and_the_path_is_not() {
        assert!(!is_own("LANG") && !is_own("LC_ALL"));
        assert!(is_own("PATH") && is_own("https_proxy") && is_own("TOOLCLAD_SCAN_ID"));
    }
}
