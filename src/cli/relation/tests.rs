//! What is declared of arguments against what the parser refuses.

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::*;
use crate::cli::Cli;
use crate::cli::declaration::Declaration;
use crate::cli::declarations;
use crate::cli::value_form::ValueForm;

/// The parser's own definition of a command, in which no argument is that of another.
fn definition(declaration: &Declaration) -> Command {
    let mut root = Cli::command();
    root.build();
    let mut command = &root;
    for word in declaration.path.split('.') {
        command = command.find_subcommand(word).unwrap();
    }
    command.clone()
}

/// The words that give an argument a value that it takes.
fn given(argument: &Arg) -> Vec<String> {
    let flag = argument.get_long().map(|long| format!("--{long}"));
    let listed = argument.get_possible_values().first().map(|value| value.get_name().to_owned());
    let example = ValueForm::of(argument).map(|form| form.example.to_owned());
    let value = listed.or(example).filter(|_| argument.get_action().takes_values());
    match (flag, value) {
        (Some(flag), Some(value)) => vec![format!("{flag}={value}")],
        (flag, value) => flag.into_iter().chain(value).collect(),
    }
}

fn is_own(argument: &Arg) -> bool {
    let of_every_command = argument.is_global_set() || ["help", "version"].contains(&argument.get_id().as_str());
    !of_every_command && !argument.is_hide_set()
}

/// What the parser says of these arguments alone.
fn parsed<'a>(command: &Command, arguments: impl IntoIterator<Item = &'a Arg>) -> Result<(), ErrorKind> {
    let words = arguments.into_iter().flat_map(given);
    let words = std::iter::once(command.get_name().to_owned()).chain(words);
    command.clone().try_get_matches_from(words).map(drop).map_err(|error| error.kind())
}

/// What must be given in any case, and one of each set of which one has to be: of those without `called`, and not one of `out`.
fn least<'a>(command: &'a Command, declaration: &Declaration, called: &str, out: &[String]) -> Vec<&'a Arg> {
    let mut least: Vec<&Arg> = command.get_arguments().filter(|one| one.is_required_set() && is_own(one)).collect();
    for all in sets(command, declaration.needs).iter().filter(|all| !all.iter().any(|one| one == called)) {
        let chosen = all.iter().rev().find(|one| !out.contains(one));
        least.extend(command.get_arguments().filter(|argument| chosen == Some(&name(argument))));
    }
    least
}

#[test]
fn every_argument_stands_alone_unless_it_is_declared_to_need_another() {
    let mut wrong = Vec::new();
    for declaration in declarations::all() {
        let command = definition(declaration);
        for argument in command.get_arguments().filter(|one| is_own(one)) {
            let called = name(argument);
            let needed = declaration.needs.iter().find_map(|needs| match needs {
                Needs::With(one, other) if *one == called => Some(*other),
                _ => None,
            });
            let pairs = command.get_arguments().flat_map(|one| conflicts(&command, one));
            let excluded: Vec<String> = pairs.filter(|pair| pair.contains(&called)).flatten().collect();
            let mut with = least(&command, declaration, &called, &excluded);
            with.retain(|one| name(one) != called);
            with.push(argument);
            let alone = parsed(&command, with.iter().copied());
            // `submit` itself refuses what needs `--tool`: another test asks it.
            let parser_knows = needed.is_some_and(|other| other != "tool");
            if alone.is_err() != parser_knows {
                wrong.push(format!("{} {called}, needing {needed:?}: {alone:?}", declaration.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn where_one_of_several_is_declared_to_be_needed_none_is_refused_and_each_is_enough() {
    for declaration in declarations::all() {
        let command = definition(declaration);
        for all in sets(&command, declaration.needs) {
            let others = least(&command, declaration, &all[0], &all);
            let none = parsed(&command, others.iter().copied());
            assert_eq!(none, Err(ErrorKind::MissingRequiredArgument), "{}", declaration.path);
            for one in &all {
                let argument = command.get_arguments().find(|argument| name(argument) == *one).unwrap();
                let with = others.iter().copied().chain([argument]);
                assert_eq!(parsed(&command, with), Ok(()), "{} {one}", declaration.path);
            }
        }
    }
}

#[test]
fn what_is_told_to_exclude_each_other_is_refused_together() {
    let mut told = 0;
    for declaration in declarations::all() {
        let command = definition(declaration);
        for relation in relations(&command, declaration.needs) {
            let Relation::Conflict { arguments } = relation else { continue };
            let both = command.get_arguments().filter(|one| arguments.contains(&name(one)));
            assert_eq!(parsed(&command, both), Err(ErrorKind::ArgumentConflict), "{} {arguments:?}", declaration.path);
            told += 1;
        }
    }
    assert!(told > 10, "{told}");
}
