//! Bounds the texts of the evidence that nothing confirms, so that they carry a fact and not a tool's output.

use gatepost_documents::evidence::{Evidence, Failure};

/// The most characters of a failure's text, or of a reason's.
const SENTENCE_CHARS_MAX: usize = 1_000;

/// The most characters of a version or a name.
const NAME_CHARS_MAX: usize = 128;

/// The most layers of a sandbox.
const LAYERS_MAX: usize = 32;

/// Every text that is too long, as sentences. The front matter bounds the tool's version.
pub(super) fn faults(evidence: &Evidence) -> Vec<&'static str> {
    let Evidence { error, sandbox, .. } = evidence;
    let launcher = sandbox.launcher.as_ref().map_or("", |launcher| &launcher.version);
    let rules = [
        (error.as_ref().is_none_or(is_brief), "A text of the error has more than 1000 characters."),
        (is_name(&sandbox.kernel), "The kernel release has more than 128 characters."),
        (is_name(launcher), "The launcher version has more than 128 characters."),
        (sandbox.layers.len() <= LAYERS_MAX, "The sandbox has more than 32 layers."),
        (sandbox.layers.iter().all(|layer| is_name(layer)), "A layer of the sandbox has more than 128 characters."),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
}

fn is_brief(error: &Failure) -> bool {
    let of_reasons = error.reasons.iter().flat_map(|reason| [&reason.message, &reason.hint]);
    let mut texts = [&error.operation, &error.target, &error.message, &error.hint].into_iter().chain(of_reasons);
    texts.all(|text| is_within(text, SENTENCE_CHARS_MAX))
}

fn is_name(text: &str) -> bool {
    is_within(text, NAME_CHARS_MAX)
}

fn is_within(text: &str, characters_max: usize) -> bool {
    text.chars().nth(characters_max).is_none()
}
