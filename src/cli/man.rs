//! `gatepost man`: generates the manual pages, one per command, from the definitions of the arguments.
//!
//! They repeat `--help`. *Standards*: `man-pages(7)`, section 1.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::prelude::*;
use clap_mangen::Man;
use gatepost_mailbox::durable;

/// `gatepost man`
pub(super) const DECLARATION: Declaration = Declaration::mutating("man", data::<Written>)
    .writes(&[Write::argument("out")])
    .anywhere()
    .fails(&[ErrorCode::AlreadyExists]);

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gatepost man --out man1 && man man1/gatepost-submit.1\n\n\
    The Debian package installs them: `man gatepost`, `man gatepost-submit`.")]
pub(super) struct Arguments {
    /// The folder to make, with one page for each command; it must not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct Written {
    effect: Effect,
    directory: String,
    pages: Vec<String>,
}

impl View for Written {
    fn text(&self) -> String {
        let verb = if self.effect == Effect::WouldCreate { " would be" } else { "" };
        format!("{}{verb} in {}\n", counted(self.pages.len(), "page"), self.directory)
    }
}

/// Writes the pages of the program with these definitions.
pub(super) fn run(arguments: &Arguments, program: clap::Command) -> Result<Outcome, Failure> {
    let folder = &arguments.out;
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    render(&program, folder, &mut pages)?;
    if arguments.dry_run && folder.symlink_metadata().is_ok() {
        return Err(exists(folder));
    }
    if !arguments.dry_run {
        match fs::create_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(folder)),
            made => made.on("create", folder)?,
        }
        for (name, page) in &pages {
            durable::write_new(&folder.join(name), page)?;
        }
    }
    let mut names: Vec<String> = pages.into_iter().map(|(name, _)| name).collect();
    names.sort();
    Ok(Outcome::done(&Written {
        effect: Effect::Created.or_would(arguments.dry_run),
        directory: folder.display().to_string(),
        pages: names,
    }))
}

/// The pages of a command and its subcommands: the name and text of each.
fn render(command: &clap::Command, folder: &Path, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        render(below, folder, pages)?;
    }
    let page = Man::new(command.clone());
    let (name, mut text) = (page.get_filename(), Vec::new());
    let page = page.source(concat!("gatepost ", env!("CARGO_PKG_VERSION"))).manual("gatepost");
    page.render(&mut text).on("render", &folder.join(&name))?;
    pages.push((name, text));
    Ok(())
}

fn exists(folder: &Path) -> Failure {
    let hint = "Give the name of a folder that does not exist yet: gatepost overwrites nothing.";
    Failure::already_exists("create", folder, hint)
}
