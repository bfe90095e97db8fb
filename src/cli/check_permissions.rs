//! `gatepost check-permissions`: which commands the caller may carry out in a site, by what each declares that it lists and writes.
//!
//! There are no scopes and no roles: who may do what is said by the owners and modes of the folders. It asks the kernel, and tries nothing;
//! whether the watchers' users may do what they must is for `doctor`. *Standards*: CLI Agent Spec, REQ-O-047 and REQ-C-029.

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
    fn told(&self) -> String {
        format!("{} {}", self.right.as_str(), self.path.display())
    }
}

impl View for Checked {
    fn text(&self) -> String {
        let lacks = |one: &Checkup| one.lacks.iter().map(Lack::told).collect::<Vec<_>>().join(", ");
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
    let asked: Vec<&Declaration> = if arguments.commands.is_empty() {
        declarations::all().collect()
    } else {
        arguments.commands.iter().map(|words| find(words)).collect::<Result<_, _>>()?
    };
    let mut commands: Vec<Checkup> = asked.into_iter().map(|declaration| checkup(site, declaration)).collect();
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
    let told: Vec<String> = one.lacks.iter().map(Lack::told).collect();
    let message = format!("User {user} may not {}, which `{}` needs.", told.join(", nor "), one.name);
    let target = one.lacks.first().map(|lack| lack.path.display().to_string()).unwrap_or_default();
    Failure::new(ErrorCode::PermissionDenied, FailureKind::Auth, message, access::DESCRIBED)
        .during("check_permissions", target)
}

fn checkup(site: &Site, declaration: &Declaration) -> Checkup {
    // What is only tried may fail.
    let needed = |write: &&Write| write.within == Within::Site && **write != Write::DOCTOR;
    let in_site = declaration.writes.iter().filter(needed);
    // A place is a folder, or what names in a folder begin with.
    let folder = |path: &str| site.root().join(path.rsplit_once('/').map_or("", |(folder, _)| folder));
    let drops = in_site.clone().any(|write| *write == Write::DROP);
    // A drop is written elsewhere before it is moved into its place.
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
