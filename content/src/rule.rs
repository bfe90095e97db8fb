//! What a content rule is, and what a detector says when one matches.

use std::ops::Range;

use gatepost_documents::reason::Code;

/// One rule: a named pattern of content that a result must not carry.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its stable name, `group/kebab-case`; `gate.toml` and verdicts name it.
    pub name: &'static str,
    /// The class that it belongs to.
    pub code: Code,
    /// What was recognised, as a whole sentence without any of the text.
    pub message: &'static str,
    /// What to do next, as a whole sentence.
    pub hint: &'static str,
    /// The line of a specification that it enforces.
    pub source: &'static str,
}

/// A detector's table of rules: `ALL` of them in their order, and each by a name of its own.
macro_rules! rules {
    ($($constant:ident $name:literal $code:ident $message:literal $hint:ident $source:expr;)+) => {
        /// Every rule of the detector.
        pub(super) static ALL: &[Rule] = &[$(Rule {
            name: $name, code: Code::$code, message: $message, hint: $hint, source: $source,
        },)+];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named as the rules are")]
        enum Position { $($constant,)+ }
        $(pub(super) static $constant: &Rule = &ALL[Position::$constant as usize];)+
    };
}

pub(crate) use rules;

/// How a match meets whoever reads the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// The thing itself: it would work on a reader, a program or a model as it stands. Rejects unless the site says otherwise.
    Addressed,
    /// The thing is mentioned, quoted or faintly like it. Is flagged outside prose.
    Mentioned,
}

/// One match of a rule in a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) rule: &'static Rule,
    /// The bytes of the view that it is about; for a secret exactly the secret.
    pub(crate) range: Range<usize>,
    pub(crate) strength: Strength,
}
