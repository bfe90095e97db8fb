//! The labelled samples of a folder: those of its JSON Lines, and one for each file below a folder that is called as a class is.
//!
//! Judges nothing; `sample.rs` interprets a line of JSON Lines.

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_content::Place;

use crate::sample::{CLASSES, Sample, samples_of};

/// The samples of a folder: every `*.jsonl` in it, and every file below a folder that is called as a class is; in the order of
/// their names. An error names the file, and the line if there is one.
pub(crate) fn samples_in(folder: &Path) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    for path in sorted(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && CLASSES.contains(&name.as_str()) {
            for file in files_below(&path)? {
                let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                let (id, form) = (file.display().to_string(), "-".to_owned());
                samples.push(Sample { id, class: name.clone(), form, place: Place::Artifact, bytes });
            }
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            samples.extend(samples_of(&path)?);
        }
    }
    Ok(samples)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let shown = |error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(shown)?.collect::<Result<Vec<_>, _>>().map_err(shown)?;
    let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in sorted(folder)? {
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
