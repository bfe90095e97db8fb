//! The local files that a call attaches: `--input [NAME=]FILE`, and `--arg NAME=@FILE`.
//!
//! ```text
//! --input "My Report.csv"              in/My%20Report.csv      a name that a request cannot have is percent-encoded
//! --input report.csv="My Report.csv"   in/report.csv
//! --arg file=@app.log                  in/app.log, and file=app.log
//! --arg text=@@alice                   text=@alice
//! ```
//!
//! If a file's whole name is `NAME=FILE`, that file is used.

use std::fs::File;
use std::path::{Path, PathBuf};

use gatepost_contract::manifest::Kind;
use gatepost_contract::request::{INPUT_NAME_FORM, Input, input_name};
use gatepost_documents::artifact_name;
use gatepost_documents::digest::Hasher;
use gatepost_exec::context::Context;

use super::parse_pair;
use crate::cli::prelude::*;

/// The prefix of an argument's value that is a file.
const FILE_MARK: char = '@';

/// An attached file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalInput {
    /// Its name in `in/`.
    pub name: String,
    /// Its local path.
    pub path: PathBuf,
}

impl LocalInput {
    /// A file under its own name, encoded if a request cannot have that name.
    fn own(path: PathBuf) -> Result<Self, Failure> {
        Failure::unless_there(&path)?;
        let name = encoded(&own_name(&path));
        Self::called(name, path)
    }

    fn called(name: String, path: PathBuf) -> Result<Self, Failure> {
        if input_name(&name).is_none() {
            let message = format!("{} cannot be the name of an input: expected {INPUT_NAME_FORM}.", quoted(&name));
            let hint = "Give it another name in in/: --input NAME=FILE.";
            return Err(Failure::usage(message, hint).during("parse_arguments", "--input"));
        }
        Ok(Self { name, path })
    }

    /// Parses the value of `--input`.
    fn given(text: &Path) -> Result<Self, Failure> {
        let pair = text.to_str().filter(|_| !text.exists()).and_then(|text| text.split_once('='));
        match pair.filter(|(name, _)| !name.contains('/')) {
            None => Self::own(text.to_owned()),
            Some((name, path)) => {
                Failure::unless_there(Path::new(path))?;
                Self::called(name.to_owned(), path.into())
            }
        }
    }
}

/// A call's arguments without marks, and its attached files.
#[derive(Debug, Default)]
pub(crate) struct LocalInputs {
    /// `NAME=VALUE` each.
    pub args: Vec<String>,
    /// Each name once in a valid call; the reader of requests refuses duplicates.
    pub files: Vec<LocalInput>,
}

impl LocalInputs {
    /// From the flags `--arg` and `--input`.
    pub(crate) fn read(args: &[String], inputs: &[PathBuf]) -> Result<Self, Failure> {
        let mut call = Self::default();
        for input in inputs {
            call.add(LocalInput::given(input)?);
        }
        for pair in args {
            let (name, value) = parse_pair(pair)?;
            let arg = match value.strip_prefix(FILE_MARK) {
                None => pair.clone(),
                Some(text) if text.starts_with(FILE_MARK) => format!("{name}={text}"),
                Some(path) => format!("{name}={}", call.add(of_argument(name, path)?)),
            };
            call.args.push(arg);
        }
        Ok(call)
    }

    /// Adds a file unless it is attached already; returns its name in `in/`.
    fn add(&mut self, file: LocalInput) -> String {
        let name = file.name.clone();
        if !self.files.contains(&file) {
            self.files.push(file);
        }
        name
    }

    /// The files with their digests. Refuses irregular files, which might never end, and files above this total size.
    pub(crate) fn hashed(&self, bytes_max: u64) -> Result<Vec<(Input, PathBuf)>, Failure> {
        let mut left = bytes_max;
        let mut read = |LocalInput { name, path }: &LocalInput| {
            let found = path.metadata().on("look at", path)?;
            if !found.is_file() {
                let message = format!("The input {} is not a regular file.", path.display());
                return Err(Failure::usage(message, "Send a file; write the output of a pipe into one first."));
            }
            let Some(rest) = left.checked_sub(found.len()) else {
                let message = format!("The inputs have more than the {bytes_max} bytes that this site takes.");
                let hint = "Send less, or ask the operator to raise [inbox] inputs_bytes_max.";
                return Err(Failure::usage(message, hint));
            };
            left = rest;
            let (sha256, _) = File::open(path).and_then(Hasher::read).on("read", path)?;
            Ok((Input { name: name.clone(), sha256 }, path.clone()))
        };
        self.files.iter().map(&mut read).collect()
    }

    /// If an argument takes a file and its value is the file's own name, the value becomes the name in `in/`.
    pub(crate) fn rename(&mut self, context: &Context, tool: &str) {
        // The check of the request reports an unknown tool.
        let Ok(tool) = context.toolbox.find(tool) else { return };
        for pair in &mut self.args {
            let Some((name, value)) = pair.split_once('=') else { continue };
            let kind = tool.manifest.argument(name).map(|argument| argument.kind.kind());
            let is_own = |file: &&LocalInput| own_name(&file.path) == value;
            if matches!(kind, Some(Kind::Path | Kind::CredentialFile))
                && !self.files.iter().any(|file| file.name == value)
                && let Some(file) = self.files.iter().find(is_own)
            {
                *pair = format!("{name}={}", file.name);
            }
        }
    }
}

/// A pair whose value is literal, with any prefix.
pub(super) fn literal(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) if value.starts_with(FILE_MARK) => format!("{name}={FILE_MARK}{value}"),
        _ => pair.to_owned(),
    }
}

fn of_argument(name: &str, path: &str) -> Result<LocalInput, Failure> {
    LocalInput::own(path.into()).map_err(|failure| {
        let hint = format!("{} To pass the text itself, write --arg {name}=@@….", failure.hint);
        Failure { hint: hint.trim_start().to_owned(), ..failure }
    })
}

fn own_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Keeps a name that a request can have.
fn encoded(name: &str) -> String {
    if input_name(name).is_some() { name.to_owned() } else { artifact_name::encoded(name) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(folder: &Path, args: &[&str], inputs: &[&str]) -> Result<(Vec<String>, Vec<String>), Failure> {
        let shown = folder.to_str().unwrap();
        let args: Vec<String> = args.iter().map(|arg| arg.replace("=@./", &format!("=@{shown}/"))).collect();
        let inputs: Vec<PathBuf> =
            inputs.iter().map(|input| input.replace("./", &format!("{shown}/")).into()).collect();
        let read = LocalInputs::read(&args, &inputs)?;
        Ok((read.args, read.files.into_iter().map(|file| file.name).collect()))
    }

    #[test]
    fn a_file_comes_along_under_a_name_that_a_request_can_have() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["My Report (final).csv", "Größe.csv", "it's.csv", "100%.csv", "a=b.csv", ".env"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        for (given, name) in [
            ("./My Report (final).csv", "My%20Report%20%28final%29.csv"),
            ("./Größe.csv", "Gr%C3%B6%C3%9Fe.csv"),
            ("./it's.csv", "it%27s.csv"),
            ("./100%.csv", "100%25.csv"),
            ("./.env", "%2Eenv"),
            ("./a=b.csv", "a=b.csv"),
            ("report.csv=./My Report (final).csv", "report.csv"),
            ("report.csv=./a=b.csv", "report.csv"),
        ] {
            assert_eq!(read(folder.path(), &[], &[given]).unwrap().1, [name], "{given}");
        }
        let refused = read(folder.path(), &[], &["my report=./it's.csv"]).unwrap_err();
        assert!(refused.message.contains("A-Z a-z 0-9 . _ - + = @ ,"), "{refused:?}");
        assert_eq!(read(folder.path(), &[], &["report.csv=./missing.csv"]).unwrap_err().code, ErrorCode::FileNotFound);
    }

    #[test]
    fn an_argument_may_be_a_file_and_a_doubled_mark_is_the_mark() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("Größe.csv"), "x").unwrap();
        let (args, files) =
            read(folder.path(), &["file=@./Größe.csv", "again=@./Größe.csv", "to=@@alice", "at=a@b"], &[]).unwrap();
        assert_eq!(args, ["file=Gr%C3%B6%C3%9Fe.csv", "again=Gr%C3%B6%C3%9Fe.csv", "to=@alice", "at=a@b"]);
        assert_eq!(files, ["Gr%C3%B6%C3%9Fe.csv"]);
        let refused = read(folder.path(), &["to=@alice"], &[]).unwrap_err();
        assert!(refused.code == ErrorCode::FileNotFound && refused.hint.contains("--arg to=@@"), "{refused:?}");
        for pair in ["to=@alice", "to=@@alice", "a=b"] {
            assert_eq!(LocalInputs::read(&[literal(pair)], &[]).unwrap().args, [pair]);
        }
    }
}
