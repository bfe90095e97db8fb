//! Forgotten input files: a call names a local file that no argument attaches.

use std::path::{Path, PathBuf};

use gatepost_contract::manifest::Kind;
use gatepost_contract::request::{Input, Request};
use gatepost_exec::context::Context;
use gatepost_exec::shell;

use super::Arguments;
use crate::cli::prelude::*;

/// An argument of a call whose value is the path of a local file.
struct Forgotten<'a> {
    name: &'a str,
    value: &'a str,
    /// The name of the file in `in/`.
    file: String,
}

/// The failure for a call whose arguments name local files without `--input`, with the corrected command.
pub(super) fn in_call(
    context: &Context,
    arguments: &Arguments,
    args: &[String],
    inputs: &[Input],
) -> Result<(), Failure> {
    let tool = arguments.tool.as_deref().unwrap_or_default();
    // The check of the request reports faults of the tool.
    let Ok(tool) = context.toolbox.find(tool) else { return Ok(()) };
    let is_file = |name: &str| {
        let kind = tool.manifest.argument(name).map(|argument| argument.kind.kind());
        matches!(kind, Some(Kind::Path | Kind::CredentialFile))
    };
    let forgotten: Vec<Forgotten<'_>> = args.iter().filter_map(|pair| forgotten(pair, inputs)).collect();
    let forgotten: Vec<&Forgotten<'_>> = forgotten.iter().filter(|one| is_file(one.name)).collect();
    let Some(first) = forgotten.first() else { return Ok(()) };
    let message =
        format!("The argument {} names the local file {}, but no --input passes it.", first.name, quoted(first.value));
    let hint = format!(
        "Run `{}`. If the tool itself makes a file of that name, run the command from another folder.",
        command(&forgotten)
    );
    Err(Failure::new(ErrorCode::InputForgotten, FailureKind::Usage, message, hint).during("submit", first.name))
}

fn forgotten<'a>(pair: &'a str, inputs: &[Input]) -> Option<Forgotten<'a>> {
    let (name, value) = pair.split_once('=')?;
    let file = Path::new(value).file_name()?.to_str()?.to_owned();
    let comes_along = inputs.iter().any(|input| input.name == value || input.name == file);
    (!comes_along && Path::new(value).is_file()).then_some(Forgotten { name, value, file })
}

/// The original command, with the files attached.
fn command(forgotten: &[&Forgotten<'_>]) -> String {
    let renamed = |word: String| {
        let found = forgotten.iter().find(|one| {
            let pair = format!("{}={}", one.name, one.value);
            // Alone, after `--arg=`, or among the words of a prompt.
            word.strip_prefix("--arg=").unwrap_or(&word).split_whitespace().any(|part| part == pair)
        });
        found.map_or(word.clone(), |one| {
            word.replace(&format!("{}={}", one.name, one.value), &format!("{}={}", one.name, one.file))
        })
    };
    let mut words: Vec<String> = own_words().into_iter().map(renamed).collect();
    for one in forgotten {
        words.extend(["--input".to_owned(), one.value.to_owned()]);
    }
    shell::line(words.iter().map(String::as_str))
}

/// How to pass missing declared inputs: the whole command if they are beside the request, otherwise a flag.
pub(super) fn hint(request: &Request, file: Option<&Path>, given: &[Input]) -> String {
    let beside = file.and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    let find = |input: &Input| {
        [beside.join(&input.name), beside.join("in").join(&input.name), PathBuf::from(&input.name)]
            .into_iter()
            .find(|path| path.is_file())
    };
    let missing = request.inputs.iter().filter(|input| !given.iter().any(|given| given.name == input.name));
    let found: Option<Vec<PathBuf>> = missing.map(find).collect();
    let Some(found) = found.filter(|found| !found.is_empty()) else { return "Give it with --input FILE.".to_owned() };
    let mut words = own_words();
    for path in found {
        words.extend(["--input".to_owned(), path.display().to_string()]);
    }
    format!("Run `{}`.", shell::line(words.iter().map(String::as_str)))
}

fn own_words() -> Vec<String> {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    std::iter::once("gatepost".to_owned()).chain(words).collect()
}
