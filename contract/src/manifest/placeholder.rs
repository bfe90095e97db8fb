//! The meanings of placeholders.
//!
//! Names are resolved once, by the check of the manifest; an unknown one is a fault there and cannot occur later. `filling` fills in
//! the texts.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::argument::{Argument, is_name};
use super::template::{Piece, TemplateError, scan};
use crate::nearest::nearest;
use crate::toml_source::Section;
use gatepost_documents::text::quoted;

/// A resolved piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Literal(String),
    Argument(String),
    Secret(String),
    OutputFile,
    ScanId,
    EvidenceDir,
    /// The words that a mapping has for its argument's value.
    Mapping(String),
    /// The words of one conditional, by its position.
    Conditional(usize),
    /// The words of every conditional, in the order of the file.
    Conditionals,
}

/// A text whose placeholders are resolved.
pub(super) type Parts = Vec<Part>;

/// The names that a text may use.
pub(super) struct Names<'n> {
    pub(super) arguments: &'n [Argument],
    /// `[command] defaults` that are no arguments.
    pub(super) constants: BTreeMap<String, String>,
    /// `_port_flags` and the like.
    pub(super) expansions: BTreeMap<String, Part>,
    /// Whether the tool runs as a process here, so that there are an output file and an evidence folder.
    pub(super) has_places: bool,
    /// Every name that was used.
    pub(super) used: RefCell<BTreeSet<String>>,
}

impl<'n> Names<'n> {
    /// Names of arguments and secrets alone.
    pub(super) fn new(arguments: &'n [Argument]) -> Self {
        let (constants, expansions, used) = Default::default();
        Self { arguments, constants, expansions, has_places: false, used }
    }

    /// The argument of that name.
    pub(super) fn argument(&self, name: &str) -> Option<&'n Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// Scans and resolves a text at the offset `at`; `what` names it in messages.
    pub(super) fn parts(&self, section: &Section<'_>, what: &str, at: usize, text: &str) -> Parts {
        match scan(text) {
            Ok(pieces) => self.resolve(section, what, at, &pieces),
            Err(error) => {
                fault(section, what, at, &error);
                Vec::new()
            }
        }
    }

    /// Resolves the pieces of a text.
    pub(super) fn resolve(&self, section: &Section<'_>, what: &str, at: usize, pieces: &[Piece<'_>]) -> Parts {
        let part = |piece: &Piece<'_>| match piece {
            Piece::Literal(text) => Some(Part::Literal((*text).to_owned())),
            Piece::Placeholder(name) => self.part(name).or_else(|| {
                let message =
                    format!("{} has the placeholder {}, which is not defined.", section.path(what), quoted(name));
                section.fault(at, message, self.suggestion(name));
                None
            }),
        };
        pieces.iter().filter_map(part).collect()
    }

    fn part(&self, name: &str) -> Option<Part> {
        let places = [("_output_file", Part::OutputFile), ("_evidence_dir", Part::EvidenceDir)];
        let place = places.into_iter().find(|(known, _)| self.has_places && *known == name).map(|(_, part)| part);
        let secret = name.strip_prefix("_secret:").filter(|name| is_name(name));
        let part = if let Some(secret) = secret {
            Part::Secret(secret.to_owned())
        } else if name == "_scan_id" {
            Part::ScanId
        } else if let Some(part) = place.or_else(|| self.expansions.get(name).cloned()) {
            part
        } else if let Some(constant) = self.constants.get(name) {
            Part::Literal(constant.clone())
        } else {
            Part::Argument(self.argument(name)?.name.clone())
        };
        self.mark(name);
        if let Part::Mapping(argument) = &part {
            self.mark(argument);
        }
        Some(part)
    }

    /// Notes that a name is used.
    pub(super) fn mark(&self, name: &str) {
        self.used.borrow_mut().insert(name.to_owned());
    }

    /// The secrets that were used.
    pub(super) fn secrets(&self) -> BTreeSet<String> {
        let used = self.used.borrow();
        used.iter().filter_map(|name| name.strip_prefix("_secret:")).map(str::to_owned).collect()
    }

    fn suggestion(&self, name: &str) -> String {
        let known = self.arguments.iter().map(|argument| argument.name.as_str());
        let own = self.constants.keys().chain(self.expansions.keys()).map(String::as_str);
        match nearest(name, known.chain(own).chain(["_output_file", "_evidence_dir", "_scan_id"])) {
            Some(nearest) => format!("Did you mean {{{nearest}}}?"),
            None => "Declare it as an argument, or write {{ and }} for literal braces.".into(),
        }
    }
}

/// Notes that a text is no template.
pub(super) fn fault(section: &Section<'_>, what: &str, at: usize, error: &TemplateError) {
    let hint = match error {
        TemplateError::Unclosed | TemplateError::Unopened => "Write {{ and }} for literal braces.",
        TemplateError::UnclosedQuote(_) => "Close the quotation.",
        TemplateError::Operator(_) => {
            "Quote it to pass it to the tool unchanged; use an `executor` script for the work of a shell."
        }
    };
    section.fault(at, format!("{} {error}.", section.path(what)), hint);
}
