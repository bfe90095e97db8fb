//! The requests themselves: the tools that they ask for, and a drop that is on the disk when it is done.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::Kind;
use crate::site::{Request, Site};

/// Gives a site the two tools that append their request's number to the log.
pub(super) fn tools(site: &Site, log: &Path) {
    for (name, idempotent) in [("effect", false), ("again", true)] {
        let manifest = format!(
            "[tool]\nname = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"Leaves a line in a log\"\n\
             idempotent = {idempotent}\n[args.number]\ntype = \"integer\"\nrequired = true\nmin = 0\nmax = 1000000\n\
             description = \"What the line says\"\n[command]\nexecutor = \"scripts/{name}\"\n[output]\nformat = \"text\"\n\
             parser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n"
        );
        site.manifest(name, &manifest);
        // One write, so that two tools cannot mix their lines.
        let script = format!("#!/bin/sh\necho \"$TOOLCLAD_ARG_NUMBER\" >> '{}' || exit 1\necho done\n", log.display());
        site.script(name, &script);
    }
}

/// The request of a kind with a number; pages are at this port.
pub(super) fn request(kind: Kind, number: usize, port: u16) -> Request {
    let slug = format!("n{number}");
    let shown = number.to_string();
    match kind {
        Kind::Effect => Request::call(&slug, "effect").arg("number", &shown).input("data", b"x"),
        Kind::Repeatable => Request::call(&slug, "again").arg("number", &shown),
        Kind::Walled => Request::folder(&slug),
        Kind::Page => Request::page(&slug, &format!("http://127.0.0.1:{port}/{number}")),
        Kind::Refused => Request::call(&slug, "no_such_tool").input("data", b"x"),
        Kind::Stray => unreachable!("it is no request"),
    }
}

/// Writes a request under this very path.
pub(super) fn write(request: &Request, path: &Path) -> io::Result<()> {
    if !request.is_folder() {
        return fs::write(path, request.markdown());
    }
    fs::create_dir_all(path.join("in"))?;
    fs::write(path.join(format!("{}.md", request.id)), request.markdown())?;
    request.inputs().iter().try_for_each(|(name, bytes)| fs::write(path.join("in").join(name), bytes))
}

/// Has something written beside the inbox, flushes it, renames it in and flushes that.
pub(super) fn rename_in(site: &Site, name: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let (inbox, staging) = (site.path("inbox"), site.path("inbox/.tmp"));
    let written = staging.join(name);
    write(&written)?;
    flush_tree(&written)?;
    fs::rename(&written, inbox.join(name))?;
    [&staging, &inbox].into_iter().try_for_each(|folder| File::open(folder)?.sync_all())
}

/// Flushes a file, or a folder with all in it.
pub(crate) fn flush_tree(path: &Path) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(path).contents_first(true) {
        File::open(entry?.path())?.sync_all()?;
    }
    Ok(())
}
