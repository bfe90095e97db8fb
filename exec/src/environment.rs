//! The environment of a tool: small, made by TOOL-EXEC, nothing inherited.
//!
//! No terminal, colour, pager or editor; one locale unless the manifest sets another; the variables that CLI tools read in scripts.
//! *Standards*: CLI Agent Spec (children of a command), NO_COLOR.

use std::ffi::OsString;
use std::path::Path;

use gatepost_contract::environment::{FIXED, PROXIES};
use gatepost_sandbox::PROXY_PORT;

use crate::zeroizing::Zeroizing;

/// The variables of a program.
pub(crate) type Environment = Zeroizing<(OsString, OsString)>;

/// The locale, unless the manifest chooses one: English messages, and names and texts in UTF-8, which the locale `C` loses in Java and
/// others.
const LOCALE: [(&str, &str); 2] = [("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8")];

/// The whole environment of the tool `name` with its folders in `work`; `own` are the variables of its manifest.
pub(crate) fn for_tool(work: &Path, name: &str, scan_id: &str, own: Vec<(String, String)>) -> Environment {
    let mut variables: Environment = FIXED.iter().map(|(name, value)| (name.into(), value.into())).collect();
    if !own.iter().any(|(name, _)| name == "LANG" || name.starts_with("LC_")) {
        variables.extend(LOCALE.iter().map(|(name, value)| (name.into(), value.into())));
    }
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

/// The proxy variables, in both spellings, because programs differ in which one they read.
pub(crate) fn proxy() -> Vec<(OsString, OsString)> {
    let both =
        PROXIES.into_iter().flat_map(|(name, scheme)| [(name.to_owned(), scheme), (name.to_lowercase(), scheme)]);
    both.map(|(name, scheme)| (name.into(), format!("{scheme}://127.0.0.1:{PROXY_PORT}").into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_of_the_manifest_takes_the_place_of_ours() {
        let locale = |own: &[(&str, &str)]| {
            let own = own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let variables = for_tool(Path::new("/"), "tool", "1-a", own);
            let of_locale = |name: &str| name == "LANG" || name.starts_with("LC_");
            let texts = variables.iter().map(|(name, value)| (name.to_string_lossy(), value.to_string_lossy()));
            texts.filter(|(name, _)| of_locale(name)).map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
        };
        assert_eq!(locale(&[]), ["LANG=C.UTF-8", "LC_ALL=C.UTF-8"]);
        assert_eq!(locale(&[("LANG", "de_DE.UTF-8")]), ["LANG=de_DE.UTF-8"]);
        assert_eq!(locale(&[("LC_ALL", "C"), ("OTHER", "x")]), ["LC_ALL=C"]);
    }
}
