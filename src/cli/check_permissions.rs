//! `gatepost check-permissions`: which commands the caller may carry out in a site, by what each declares that it writes.
//!
//! There are no scopes and no roles: who may do what is said by the owners and modes of the folders. It asks the kernel, and tries nothing;
//! whether the watchers' users may do what they must is for `doctor`. *Standards*: CLI Agent Spec, REQ-O-047 and REQ-C-029.

use std::path::{Path, PathBuf};

use gatepost_mailbox::site::{STAGING, Site};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use schemars::JsonSchema;
use serde::Serialize;

use super::claw::{registry, unknown_command};
use super::declaration::{Declaration, data};
use super::declarations;
use super::exit;
use super::failure::Failure;
use super::outcome::{Outcome, View};
use super::side_effect::{Within, Write};
use super::table::table;
use crate::user;

/// `gatepost check-permissions`
pub const DECLARATION: Declaration = Declaration::safe("check-permissions", data::<Checked>)
    .lists("commands", "name")
    .fails(&["COMMAND_NOT_FOUND", "PERMISSION_DENIED"]);

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 shown, or all that are named are allowed; 5 there is no such command; 7 one that is named is not allowed.\n\
    Examples:\n  gatepost check-permissions\n  gatepost check-permissions submit 'quarantine release'"
)]
pub struct Arguments {
    /// Commands; all of them if none is named.
    #[arg(value_name = "COMMAND")]
    commands: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Checked {
    directory: String,
    user: String,
    uid: u32,
    /// What a caller must have been granted: nothing but access to folders.
    required_scopes: Vec<String>,
    commands_count: usize,
    commands: Vec<Checkup>,
}

#[derive(Serialize, JsonSchema)]
struct Checkup {
    name: String,
    allowed: bool,
    /// The folders that it may have to write to, and the caller may not.
    lacks: Vec<PathBuf>,
}

impl View for Checked {
    fn text(&self) -> String {
        let lacks =
            |one: &Checkup| one.lacks.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let row = |one: &Checkup| vec![one.name.clone(), if one.allowed { "yes" } else { "no" }.to_owned(), lacks(one)];
        let rows: Vec<Vec<String>> = self.commands.iter().map(row).collect();
        format!("{} in {}\n\n{}", self.user, self.directory, table(&["command", "allowed", "cannot write to"], &rows))
    }
}

pub fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
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
        user: user::name(uid).unwrap_or_else(|| uid.to_string()),
        uid,
        required_scopes: Vec::new(),
        commands_count: commands.len(),
        commands,
    };
    let denied = checked.commands.iter().find(|one| !one.allowed).filter(|_| !arguments.commands.is_empty());
    Ok(match denied {
        None => Outcome::done(&checked),
        Some(one) => {
            let failure = denied_to(&checked.user, one);
            Outcome::failed(&checked, failure)
        }
    })
}

fn find(words: &str) -> Result<&'static Declaration, Failure> {
    let own = registry::find(words);
    own.and_then(|own| declarations::find(&own.name.replace(' ', "."))).ok_or_else(|| unknown_command(words))
}

fn denied_to(user: &str, one: &Checkup) -> Failure {
    let lacks = one.lacks.first().map(|path| path.display().to_string()).unwrap_or_default();
    let message = format!("User {user} cannot write to {lacks}, which `{}` needs.", one.name);
    let hint = "Run it as a user who may, or ask the operator; `gatepost doctor` says who owns what.";
    Failure::new(exit::DENIED, "PERMISSION_DENIED", "auth", message, hint).during("check_permissions", lacks)
}

fn checkup(site: &Site, declaration: &Declaration) -> Checkup {
    let in_site = declaration.writes.iter().filter(|write| write.within == Within::Site);
    // A place is a folder, or what names in a folder begin with.
    let folder = |path: &str| site.root().join(path.rsplit_once('/').map_or("", |(folder, _)| folder));
    let drops = in_site.clone().any(|write| *write == Write::DROP);
    // A drop is written elsewhere before it is moved into its place.
    let staging = drops.then(|| site.inbox().join(STAGING));
    let places = staging.into_iter().chain(in_site.map(|write| folder(write.path)));
    let mut lacks: Vec<PathBuf> = places.filter(|path| !may_write(path)).collect();
    lacks.dedup();
    Checkup { name: declaration.path.replace('.', " "), allowed: lacks.is_empty(), lacks }
}

/// Whether the caller may make and remove entries of a folder, or of the nearest one above where it is not there yet.
fn may_write(folder: &Path) -> bool {
    let there = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(Path::new("/"));
    accessat(CWD, there, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}
