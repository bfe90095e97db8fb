//! `gatepost check`: requests, manifests and bundles against their rules; nothing is run and nothing is moved.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::Utc;
use gatepost_gate::fault::OnPath;
use gatepost_gate::quarantine::reasons_list;
use gatepost_gate::reason::Reason;
use serde::Serialize;

use super::exit;
use super::outcome::{Failure, Outcome, View};
use super::verify::judge_in_place;
use crate::manifest::{CustomTypes, Manifest};
use crate::request::{self, Form};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// TR-….md or TR-….json, *.clad.toml, TS-… folders or the document in one.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Checked {
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    path: PathBuf,
    kind: &'static str,
    ok: bool,
    reasons: Vec<Reason>,
}

impl View for Checked {
    fn text(&self) -> String {
        let line = |file: &File| {
            let word = if file.ok { "ok      " } else { "REFUSED " };
            format!("{word} {} ({})\n{}", file.path.display(), file.kind, reasons_list(&file.reasons))
        };
        self.files.iter().map(line).collect()
    }
}

pub fn run(at: Option<&Path>, arguments: &Arguments) -> Result<Outcome, Failure> {
    let files = arguments.files.iter().map(|path| check(at, path)).collect::<Result<Vec<_>, _>>()?;
    let refused = files.iter().filter(|file| !file.ok).count();
    let checked = Checked { files };
    if refused == 0 {
        return Ok(Outcome::done(&checked));
    }
    let message = format!("{refused} of {} files break their rules.", checked.files.len());
    let failure =
        Failure::new(exit::REJECTED, "DOCUMENT_REJECTED", "parse", message, "Each reason says what to do next.");
    Ok(Outcome::failed(&checked, failure))
}

fn check(at: Option<&Path>, path: &Path) -> Result<File, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    fs::metadata(path).on("find", path)?;
    let (kind, reasons) = if path.is_dir() {
        ("bundle", judge_in_place(path)?.reasons)
    } else if name.ends_with(".clad.toml") {
        let text = String::from_utf8_lossy(&fs::read(path).on("read", path)?).into_owned();
        ("manifest", Manifest::parse(&text, &name, &custom_types(path)?).err().unwrap_or_default())
    } else if name.starts_with("TS-") && name.ends_with(".md") {
        let folder = path.canonicalize().on("find", path)?;
        let folder = folder.parent().unwrap_or(&folder).to_owned();
        ("result", judge_in_place(&folder)?.reasons)
    } else if name.ends_with(".md") || name.ends_with(".json") {
        let form = if name.ends_with(".md") { Form::Markdown } else { Form::Json };
        let inbox = super::site::open(at).map(|open| open.config.inbox).unwrap_or_default();
        let bytes = fs::read(path).on("read", path)?;
        ("request", request::read(&bytes, form, &stem, Utc::now() + inbox.clock_skew()).err().unwrap_or_default())
    } else {
        let message = format!("{} is no document that gatepost knows.", path.display());
        return Err(Failure::usage(
            message,
            "Name requests (TR-….md, .json), manifests (*.clad.toml) or bundles (TS-…/).",
        ));
    };
    Ok(File { path: path.to_owned(), kind, ok: reasons.is_empty(), reasons })
}

/// The custom types beside a manifest, if there are any.
fn custom_types(manifest: &Path) -> Result<CustomTypes, Failure> {
    let path = manifest.with_file_name("toolclad.toml");
    match fs::read_to_string(&path) {
        Ok(text) => CustomTypes::parse(&text, "toolclad.toml")
            .map_err(|reasons| Failure::refused(exit::REJECTED, "DOCUMENT_REJECTED", "toolclad.toml", reasons)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(CustomTypes::default()),
        Err(error) => Err(error).on("read", &path).map_err(Failure::from),
    }
}
