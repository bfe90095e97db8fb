//! `gatepost check-permissions`: the commands that the caller can run in a site, from the folders that each declares to list and write.
//!
//! There are no scopes or roles: owners and modes of the folders decide. It asks the kernel and attempts nothing;
//! `doctor` checks the rights of the watchers' users. *Standards*: CLI Agent Spec, REQ-O-047 and REQ-C-029.

use std::path::PathBuf;

use gatepost_mailbox::site::STAGING;

use super::access::{self, Right, user_name};
use super::claw::{registry, unknown_command};
use super::declarations;
use super::side_effect::Within;
use crate::cli::prelude::*;

/// `gatepost check-permissions`
pub(super) const DECLARATION: Declaration = Declaration::safe("check-permissions", data::<Checked>)
    .lists("commands", "name")
    .fails(&[ErrorCode::CommandNotFound, ErrorCode::PermissionDenied]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Commands; all of them if none is named.
    #[arg(value_name = "COMMAND")]
    commands: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Checked {
    directory: String,
    user: String,
    uid: u32,
    /// What a caller needs: access to folders only.
    required_scopes: Vec<String>,
    commands_count: usize,
    commands: Vec<Checkup>,
}

#[derive(Serialize, JsonSchema)]
struct Checkup {
    name: String,
    allowed: bool,
    /// The permissions that it needs and the caller lacks.
    lacks: Vec<Lack>,
}

/// A permission that the caller lacks.
#[derive(PartialEq, Eq, Serialize, JsonSchema)]
struct Lack {
    path: PathBuf,
    right: Right,
}

impl Lack {
    fn label(&self) -> String {
        format!("{} {}", self.right.as_str(), self.path.display())
    }
}

impl View for Checked {
    fn text(&self) -> String {
        let lacks = |one: &Checkup| one.lacks.iter().map(Lack::label).collect::<Vec<_>>().join(", ");
        let row = |one: &Checkup| vec![one.name.clone(), if one.allowed { "yes" } else { "no" }.to_owned(), lacks(one)];
        let rows: Vec<Vec<String>> = self.commands.iter().map(row).collect();
        format!(
            "{} in {}\n\n{}",
            self.user,
            self.directory,
            table(&["command", "allowed", "missing permission"], &rows)
        )
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let named: Vec<&Declaration> = if arguments.commands.is_empty() {
        declarations::all().collect()
    } else {
        arguments.commands.iter().map(|words| find(words)).collect::<Result<_, _>>()?
    };
    let mut commands: Vec<Checkup> = named.into_iter().map(|declaration| checkup(site, declaration)).collect();
    commands.sort_by(|one, other| one.name.cmp(&other.name));
    let uid = rustix::process::geteuid().as_raw();
    let checked = Checked {
        directory: site.root().display().to_string(),
        user: user_name(uid),
        uid,
        required_scopes: Vec::new(),
        commands_count: commands.len(),
        commands,
    };
    let denied = checked.commands.iter().find(|one| !one.allowed).filter(|_| !arguments.commands.is_empty());
    Ok(Outcome::ended(&checked, denied.map(|one| denied_to(&checked.user, one))))
}

fn find(words: &str) -> Result<&'static Declaration, Failure> {
    let own = registry::find(words);
    own.and_then(|own| declarations::find(&own.name.replace(' ', "."))).ok_or_else(|| unknown_command(words))
}

fn denied_to(user: &str, one: &Checkup) -> Failure {
    let labels: Vec<String> = one.lacks.iter().map(Lack::label).collect();
    let message = format!("User {user} may not {}, which `{}` needs.", labels.join(", nor "), one.name);
    let target = one.lacks.first().map(|lack| lack.path.display().to_string()).unwrap_or_default();
    Failure::new(ErrorCode::PermissionDenied, FailureKind::Auth, message, access::DESCRIBED)
        .during("check_permissions", target)
}

fn checkup(site: &Site, declaration: &Declaration) -> Checkup {
    // An optional write may fail.
    let needed = |write: &&Write| write.within == Within::Site && **write != Write::DOCTOR;
    let in_site = declaration.writes.iter().filter(needed);
    // A place is a folder, or a prefix of names in a folder.
    let folder = |path: &str| site.root().join(path.rsplit_once('/').map_or("", |(folder, _)| folder));
    let drops = in_site.clone().any(|write| *write == Write::DROP);
    // A drop is staged elsewhere before its rename.
    let staging = drops.then(|| site.inbox().join(STAGING));
    let written = staging.into_iter().chain(in_site.map(|write| folder(write.path)));
    let listed = declaration.looks_into.iter().map(|path| site.root().join(path));
    let needs = written.flat_map(|path| [(path.clone(), Right::Write), (path, Right::Enter)]);
    let needs = needs.chain(listed.map(|path| (path, Right::Read)));
    let mut lacks: Vec<Lack> = Vec::new();
    for (path, right) in needs.filter_map(|(path, right)| access::lacking(&path, right)) {
        let lack = Lack { path, right };
        if !lacks.contains(&lack) {
            lacks.push(lack);
        }
    }
    Checkup { name: declaration.path.replace('.', " "), allowed: lacks.is_empty(), lacks }
}
