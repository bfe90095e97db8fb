//! The environment that a tool gets: small, made by us, nothing inherited.
//!
//! No terminal, no colour, no pager, no editor, one locale; what CLI tools read to behave in scripts. *Standards*: CLI Agent
//! Spec (children of a command), NO_COLOR.

use std::ffi::OsString;
use std::path::Path;

use crate::sandbox::PROXY_PORT;
use crate::wiped::Wiped;

/// The variables of a program.
pub type Environment = Wiped<(OsString, OsString)>;

const FIXED: &[(&str, &str)] = &[
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C"),
    ("LC_ALL", "C"),
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

/// What leads to the network, with the protocol that is spoken to it.
const PROXIES: [(&str, &str); 3] = [("HTTP_PROXY", "http"), ("HTTPS_PROXY", "http"), ("ALL_PROXY", "socks5h")];

/// Whether a variable is one that gatepost makes, so that nobody else may.
pub fn is_own(name: &str) -> bool {
    let is_proxy = PROXIES.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let is_fixed = FIXED.iter().any(|(own, _)| *own == name);
    is_fixed || is_proxy || ["HOME", "TMPDIR"].contains(&name) || name.starts_with("TOOLCLAD_")
}

/// The whole environment of the tool `name` that finds its folders in `work`; `own` are the variables that its manifest makes.
pub fn for_tool(work: &Path, name: &str, scan_id: &str, own: Vec<(String, String)>) -> Environment {
    let mut variables: Environment = FIXED.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let mut add = |name: &str, value: OsString| variables.push((name.into(), value));
    add("HOME", work.join("tmp").into());
    add("TMPDIR", work.join("tmp").into());
    add("TOOLCLAD_TOOL_NAME", name.into());
    add("TOOLCLAD_SCAN_ID", scan_id.into());
    add("TOOLCLAD_INPUT_DIR", work.join("in").into());
    add("TOOLCLAD_OUTPUT_DIR", work.join("out").into());
    add("TOOLCLAD_EVIDENCE_DIR", work.join("out").into());
    variables.extend(own.into_iter().map(|(name, value)| (name.into(), value.into())));
    variables
}

/// The variables by which a tool finds its network, in both spellings: programs differ in which one they read.
pub fn proxy() -> Vec<(OsString, OsString)> {
    let both =
        PROXIES.into_iter().flat_map(|(name, scheme)| [(name.to_owned(), scheme), (name.to_lowercase(), scheme)]);
    both.map(|(name, scheme)| (name.into(), format!("{scheme}://127.0.0.1:{PROXY_PORT}").into())).collect()
}
