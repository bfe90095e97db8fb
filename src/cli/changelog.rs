//! `gatepost changelog`: what changed, by version, as the project's own CHANGELOG.md tells it.
//!
//! The text is a part of the program, so that it is that of this very version. *Standards*: CLI Agent Spec, REQ-O-029; Keep a Changelog.

use schemars::JsonSchema;
use serde::Serialize;

use super::declaration::{Declaration, data};
use super::outcome::{Outcome, View};

/// `gatepost changelog`
pub const DECLARATION: Declaration =
    Declaration::safe("changelog", data::<Changelog>).anywhere().lists("versions", "version");

const TEXT: &str = include_str!("../../CHANGELOG.md");

/// The form of a version as a regular expression.
pub const VERSION: &str = r"^[0-9]+\.[0-9]+\.[0-9]+$";

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status: 0 printed; 2 VERSION is none.\nExample:\n  gatepost changelog --since 0.1.0")]
pub struct Arguments {
    /// Only what is newer than this version, such as 0.1.0.
    #[arg(long, value_name = "VERSION", value_parser = version)]
    since: Option<Version>,
}

/// Three numbers, the weightiest first.
type Version = [u64; 3];

/// Reads a version.
pub fn version(text: &str) -> Result<Version, String> {
    let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
    let numbers: Option<Vec<u64>> = text.split('.').map(number).collect();
    numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| "expected a version such as 0.1.0".to_owned())
}

#[derive(Serialize, JsonSchema)]
struct Changelog {
    /// The newest first.
    versions: Vec<Release>,
}

/// What changed in a version.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Release {
    /// Three numbers, or `unreleased`.
    version: String,
    /// `YYYY-MM-DD`; null for what is not released.
    date: Option<String>,
    changes: Vec<Change>,
}

/// One thing that changed: before, now and why.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Change {
    /// `added`, `changed`, `deprecated`, `removed`, `fixed` or `security`.
    kind: String,
    /// Markdown.
    text: String,
}

impl View for Changelog {
    fn text(&self) -> String {
        let mut text = String::new();
        for release in &self.versions {
            let date = release.date.as_ref().map_or_else(String::new, |date| format!(", {date}"));
            text += &format!("{}{date}\n\n", release.version);
            text.extend(release.changes.iter().map(|change| format!("  {}: {}\n", change.kind, change.text)));
            text.push('\n');
        }
        text
    }
}

pub fn run(arguments: &Arguments) -> Outcome {
    let is_newer = |release: &Release| match (arguments.since, version(&release.version)) {
        (Some(since), Ok(version)) => version > since,
        _ => true,
    };
    let versions = read(TEXT).into_iter().filter(is_newer).collect();
    Outcome::done(&Changelog { versions })
}

/// The versions of a changelog: `## [0.1.0] - 2026-02-09`, `### Added`, `- …` with the lines that go on.
fn read(text: &str) -> Vec<Release> {
    let (mut releases, mut kind): (Vec<Release>, String) = (Vec::new(), String::new());
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## [") {
            let (version, date) = title.split_once(']').unwrap_or((title, ""));
            let date = date.strip_prefix(" - ").map(str::to_owned);
            releases.push(Release { version: version.to_lowercase(), date, changes: Vec::new() });
        } else if let Some(title) = line.strip_prefix("### ") {
            kind = title.to_lowercase();
        } else if let Some(changes) = releases.last_mut().map(|release| &mut release.changes) {
            if let Some(text) = line.strip_prefix("- ") {
                changes.push(Change { kind: kind.clone(), text: text.to_owned() });
            } else if let Some(last) = changes.last_mut().filter(|_| line.starts_with("  ")) {
                last.text = format!("{} {}", last.text, line.trim());
            }
        }
    }
    releases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changelog_is_versions_with_what_changed_in_each() {
        let text = "# Changelog\n\nA word.\n\n## [Unreleased]\n\n### Fixed\n\n- One\n  goes on.\n- Two.\n\n## [1.2.0] - 2026-02-09\n\n### Added\n\n- Three.\n";
        let release = |version: &str, date: Option<&str>, changes: &[(&str, &str)]| Release {
            version: version.to_owned(),
            date: date.map(str::to_owned),
            changes: changes.iter().map(|(kind, text)| Change { kind: (*kind).into(), text: (*text).into() }).collect(),
        };
        let expected = [
            release("unreleased", None, &[("fixed", "One goes on."), ("fixed", "Two.")]),
            release("1.2.0", Some("2026-02-09"), &[("added", "Three.")]),
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn every_entry_of_the_projects_changelog_is_told() {
        let releases = read(TEXT);
        let told: usize = releases.iter().map(|release| release.changes.len()).sum();
        assert_eq!(told, TEXT.lines().filter(|line| line.starts_with("- ")).count());
        assert!(told > 0 && releases.iter().all(|release| !release.changes.is_empty()));
    }
}
