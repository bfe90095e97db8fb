//! The operator's own content rules, `rules/*.toml` of the site: read once, before any hostile byte.
//!
//! They add to the program's rules and change none. *Security*: the operator's files; anything except a regular file of
//! at most 1 MiB is an error, because silently skipping a rule would drop a demand.

use std::ffi::OsString;
use std::io;

use gatepost_content::RuleSet;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::Site;

/// The maximum number of rule files.
const FILES_MAX: usize = 100;

/// The program's rules and the site's. If a rule file is invalid, the reason names its place.
pub(super) fn read(site: &Site) -> Result<RuleSet, Reason> {
    let names = names(site).map_err(|error| unreadable("rules", &error.to_string()))?;
    if names.len() > FILES_MAX {
        return Err(unreadable(
            "rules",
            &format!("there are {} files of rules; the limit is {FILES_MAX}", names.len()),
        ));
    }
    let mut files = Vec::new();
    for name in names {
        let file = format!("rules/{}", name.to_string_lossy());
        let bytes = regular_file::read(&site.rules().join(&name), DOCUMENT_MAX_BYTES);
        let bytes = bytes.map_err(|error| unreadable(&file, &error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| unreadable(&file, "it is not valid UTF-8"))?;
        files.push((file, text));
    }
    RuleSet::with_site(&files).map_err(|fault| {
        let line = u32::try_from(fault.line).unwrap_or(u32::MAX);
        Reason::new(Code::ValueInvalid, fault.what, fault.hint).in_file(fault.file).at(line, 1)
    })
}

/// The names of the rule files, sorted.
fn names(site: &Site) -> io::Result<Vec<OsString>> {
    let entries = match site.rules().read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let text = name.to_string_lossy();
        if text.ends_with(".toml") && !text.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn unreadable(file: &str, what: &str) -> Reason {
    let hint = "Make it a regular UTF-8 file of at most 1 MiB that the gate's user may read.";
    Reason::new(Code::ValueInvalid, format!("Cannot read the rules: {what}."), hint).in_file(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const RULE: &str = "[[rule]]\nid = \"site/project\"\nclass = \"secret\"\nseverity = \"refuse\"\nkeywords = [\"bluebird\"]\n\
                        pattern = 'bluebird-\\d{4}'\nmessage = \"It names the project.\"\nhint = \"Leave it out.\"\n\
                        positive = [[\"blue\", \"bird-2026\"]]\nnegative = [[\"bluebird\"]]\n";

    fn site() -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("rules")).unwrap();
        let site = Site::at(folder.path());
        (folder, site)
    }

    #[test]
    fn rules_of_a_site_add_to_those_of_the_program_and_have_a_digest() {
        let (_folder, site) = site();
        let built_in = read(&site).unwrap();
        assert_eq!(built_in.sha256(), None);
        fs::write(site.rules().join("a.toml"), RULE).unwrap();
        fs::write(site.rules().join("notes.txt"), "no rule").unwrap();
        let both = read(&site).unwrap();
        assert_eq!(both.rules().count(), built_in.rules().count() + 1);
        assert!(both.sha256().is_some());
    }

    #[test]
    fn a_rule_that_cannot_be_used_is_an_error_with_its_file_and_line() {
        let (_folder, site) = site();
        for (text, part) in [
            ("[[rule]]\nid = \n".to_owned(), ""),
            (RULE.replace("\\d{4}", "(\\d{4}"), "pattern"),
            (RULE.replace("bird-2026", "bird-x"), "positive"),
            (RULE.replace("[[\"bluebird\"]]", "[[\"bluebird-1000\"]]"), "negative"),
        ] {
            fs::write(site.rules().join("a.toml"), text).unwrap();
            let reason = read(&site).unwrap_err();
            assert_eq!(reason.file.as_deref(), Some("rules/a.toml"), "{reason}");
            assert!(reason.line.is_some() && reason.message.contains(part), "{reason}");
        }
    }

    #[test]
    fn what_is_no_regular_file_is_an_error() {
        let (_folder, site) = site();
        fs::create_dir(site.rules().join("a.toml")).unwrap();
        assert_eq!(read(&site).unwrap_err().file.as_deref(), Some("rules/a.toml"));
    }
}
