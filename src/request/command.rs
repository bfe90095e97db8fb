//! The section `Command`: one plain program call, split into words and never given to a shell.
//!
//! The deny rules look at whole words. They stop accidents and lazy attacks and tell an approver what a line does; they
//! do not bound a program: an interpreter may still do anything inside the sandbox, which is what holds.
//!
//! Security: hostile text; linear. A word that may be a secret is never quoted.

use gatepost_gate::reason::{Code, Reason};
use gatepost_gate::text::quoted;

use super::field::Faults;
use super::section::Section;
use super::word::{self, Word};

/// Programs that are shells, or run one on demand.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "ash",
    "zsh",
    "ksh",
    "mksh",
    "csh",
    "tcsh",
    "fish",
    "pwsh",
    "powershell",
    "cmd",
    "su",
    "sudo",
    "doas",
];
/// Programs that run the program named by a later word.
const WRAPPERS: &[&str] = &[
    "env", "busybox", "xargs", "nohup", "nice", "ionice", "timeout", "time", "setsid", "stdbuf", "exec", "command",
    "find", "parallel", "script", "strace", "chroot", "unshare", "watch",
];
const INSTALLERS: &[&str] = &[
    "pip", "pip3", "pipx", "uv", "conda", "npm", "pnpm", "yarn", "bun", "apt", "apt-get", "aptitude", "apk", "dnf",
    "yum", "brew", "cargo", "go", "gem",
];
const INSTALL_VERBS: &[&str] = &["install", "add", "get", "i", "ci", "upgrade"];
const OPEN_FOLDERS: &[&str] = &["/in", "/out"];

/// Reads the argument vector; `None` when it was refused.
pub(super) fn read(section: &Section<'_>, faults: &mut Faults) -> Option<Vec<String>> {
    let mut lines = section.lines.iter().filter(|line| !line.text.trim().is_empty());
    let mut refuse = |place, message: String, hint: &str| {
        faults.add(place, Reason::new(Code::CommandForbidden, message, hint));
        None
    };
    let Some(line) = lines.next() else {
        return refuse(
            (section.line, 1),
            "The section Command is empty.".into(),
            "Write one program call on one line.",
        );
    };
    if line.fenced {
        let message = "The command stands in a fence.".into();
        return refuse((line.number, 1), message, "Write the command as one plain line, without a fence.");
    }
    if let Some(second) = lines.next() {
        let message = "The section Command holds more than one line.".into();
        return refuse(
            (second.number, 1),
            message,
            "Write one program call on one line; use several requests for several.",
        );
    }
    if holds_secret(line.text) {
        let message = "The command holds what looks like a secret.".into();
        return refuse((line.number, 1), message, "Remove it, and revoke it: the request has been stored.");
    }
    match word::split(line.text) {
        Err(features) => {
            for (feature, column) in features {
                let hint = "Nothing here is run by a shell; put the character in single quotes if it is meant as text.";
                refuse((line.number, column), format!("The command {feature}."), hint);
            }
            None
        }
        Ok(words) => {
            let found = forbidden(&words);
            for (word, what, hint) in &found {
                refuse((line.number, word.column), format!("The word {} {what}.", quoted(&word.text)), hint);
            }
            found.is_empty().then(|| words.into_iter().map(|word| word.text).collect())
        }
    }
}

type Finding<'a> = (&'a Word, &'static str, &'static str);

fn forbidden(words: &[Word]) -> Vec<Finding<'_>> {
    let assignment = words.first().filter(|word| word.text.contains('=') || word.text.is_empty());
    // `env -S "sh -c …"` hides the shell in a word of several parts.
    let shell = programs(words).find(|word| word.text.split_whitespace().any(|part| SHELLS.contains(&base_name(part))));
    let path = words.iter().find(|word| reaches_host(&word.text));
    [
        assignment.map(|word| (word, "is no program's name", "Begin with the program; variables cannot be set.")),
        shell.map(|word| (word, "is a shell, or runs one", "Name the program itself.")),
        installation(words).map(|word| (word, "installs packages", "Use what the sandbox has.")),
        path.map(|word| {
            (word, "reaches outside /in and /out", "Name inputs under /in, outputs under /out, programs by name.")
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The words that name a program to be run: the first, what a wrapper may run, and modules run with `-m`.
fn programs(words: &[Word]) -> impl Iterator<Item = &Word> {
    let wrapped = words.first().is_some_and(|first| WRAPPERS.contains(&base_name(&first.text)));
    let is_program = move |index: usize| {
        index == 0
            || wrapped
            || index.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| word.text == "-m")
    };
    words.iter().enumerate().filter(move |(index, _)| is_program(*index)).map(|(_, word)| word)
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or_default()
}

fn installation(words: &[Word]) -> Option<&Word> {
    let installer = programs(words).find(|word| INSTALLERS.contains(&base_name(&word.text)))?;
    let mut later = words.iter().filter(|word| word.column > installer.column);
    later.any(|word| INSTALL_VERBS.contains(&word.text.as_str())).then_some(installer)
}

/// An absolute path outside the open folders, or a climbing one: as the whole word, after `=`, `@` or `file://`, or
/// attached to a short option.
fn reaches_host(word: &str) -> bool {
    let attached = word.strip_prefix('-').and_then(|option| option.get(1..));
    let parts = [Some(word), word.split_once('=').map(|(_, value)| value), word.strip_prefix('@'), attached];
    parts.into_iter().flatten().any(|part| {
        let path = part.strip_prefix("file://").unwrap_or(part);
        let climbs = path.split('/').any(|component| component == "..");
        let is_open = OPEN_FOLDERS.iter().any(|folder| match path.strip_prefix(folder) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        });
        climbs || (path.starts_with('/') && !is_open)
    })
}

/// A few shapes that are secrets beyond doubt: private key blocks, AWS access keys, GitHub tokens.
fn holds_secret(text: &str) -> bool {
    let followed_by = |prefix: &str, count: usize| {
        text.match_indices(prefix).any(|(index, _)| {
            text[index + prefix.len()..].bytes().take(count).filter(u8::is_ascii_alphanumeric).count() == count
        })
    };
    text.contains("PRIVATE KEY-----") || followed_by("AKIA", 16) || followed_by("ghp_", 36)
}
