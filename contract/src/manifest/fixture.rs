//! Small manifests for tests.

use std::collections::BTreeMap;

use gatepost_documents::reason::Reason;

use super::{Argument, ArgumentValue, CustomTypes, InputFiles, Manifest, PathFault};

/// A manifest named `t` with the program `x` and a schema that takes everything.
pub(super) fn manifest(body: &str) -> Result<Manifest, Vec<Reason>> {
    let text =
        format!("tool = {{name = 't', version = '1', description = 'd', binary = 'x'}}\noutput.schema = {{}}\n{body}");
    Manifest::parse(&text, "t.clad.toml", &CustomTypes::default())
}

/// All faults of such a manifest, as one text with their hints.
pub(super) fn faults(body: &str) -> String {
    let faults = manifest(body).err().unwrap_or_default();
    faults.iter().map(|fault| format!("{fault} {}", fault.hint)).collect::<Vec<_>>().join("\n")
}

/// The argument `a` with this declaration.
pub(super) fn one_argument(declaration: &str) -> Argument {
    let body = format!("[args.a]\n{declaration}\n[command]\nexecutor = 'x.sh'");
    manifest(&body).unwrap_or_else(|faults| panic!("{declaration}: {faults:#?}")).arguments()[0].clone()
}

/// Whether such an argument takes a value.
pub(super) fn accepts(declaration: &str, value: &ArgumentValue) -> bool {
    one_argument(declaration).kind.accept(value).is_ok()
}

/// Values of a request, all texts.
pub(super) fn values(given: &[(&str, &str)]) -> BTreeMap<String, ArgumentValue> {
    given.iter().map(|(name, value)| ((*name).to_owned(), ArgumentValue::Text((*value).to_owned()))).collect()
}

/// Inputs whose names state their type.
pub(super) struct Inputs;

impl InputFiles for Inputs {
    fn input_file(&self, relative: &str) -> Result<(), PathFault> {
        match relative {
            "there.txt" => Ok(()),
            "symlink_out" => Err(PathFault::Escapes),
            "folder" => Err(PathFault::NotAFile),
            _ => Err(PathFault::Missing),
        }
    }
}
