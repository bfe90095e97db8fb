//! Why a request or result was refused: one stable code, a sentence, a place and a hint.
//!
//! A code is never renamed and never reused; the table below lists all codes, each with its rule. TOOL-EXEC uses the
//! same words for the faults of a request that the gate uses for the faults of a result.

use std::fmt;

use crate::digest::Digest;
use crate::text::quoted;

/// The most reasons that a verdict lists.
pub const REASONS_MAX: usize = 1_000;

/// Each code once, in the order in which they came.
pub fn each_once(codes: impl IntoIterator<Item = Code>) -> Vec<Code> {
    let mut once = Vec::new();
    for code in codes {
        if !once.contains(&code) {
            once.push(code);
        }
    }
    once
}

/// The stage of a code, in the order in which the gate enters the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Names, kinds and sizes of the files.
    Shape,
    /// The bytes of a document.
    Bytes,
    /// The front matter of a document.
    FrontMatter,
    /// The sections of a document.
    Structure,
    /// Digests and repeated facts.
    Integrity,
    /// What the site knows: requests, earlier results, manifests.
    Authority,
    /// The text of the document, of the artifacts and of decoded layers in them.
    Content,
    /// A failure of the gate itself.
    Judgement,
    /// Rules for requests only.
    Request,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shape => "shape",
            Self::Bytes => "bytes",
            Self::FrontMatter => "front matter",
            Self::Structure => "structure",
            Self::Integrity => "integrity",
            Self::Authority => "authority",
            Self::Content => "content",
            Self::Judgement => "judgement",
            Self::Request => "request",
        })
    }
}

/// Whether a reason rejects, or only draws attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It rejects.
    Reject,
    /// It is reported and rejects nothing.
    Flag,
}

macro_rules! codes {
    ($($stage:ident { $($variant:ident $name:literal $rule:literal;)+ })+) => {
        /// A stable reason code; its text form is `snake_case`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum Code { $($(#[doc = $rule] $variant,)+)+ }

        impl Code {
            /// Every code, in the order of the stages.
            pub const ALL: &[Self] = &[$($(Self::$variant,)+)+];

            /// The text form.
            pub const fn as_str(self) -> &'static str {
                match self { $($(Self::$variant => $name,)+)+ }
            }

            /// The stage that raises it.
            pub const fn stage(self) -> Stage {
                match self { $($(Self::$variant => Stage::$stage,)+)+ }
            }

            /// The rule that was broken, as one sentence.
            pub const fn rule(self) -> &'static str {
                match self { $($(Self::$variant => $rule,)+)+ }
            }
        }
    };
}

codes! {
    Shape {
        NotABundle "not_a_bundle" "A bundle is a folder that holds its result document, evidence.json, the request, artifacts/ and SHA256SUMS.";
        NameInvalid "name_invalid" "A name has the form that its kind requires.";
        Symlink "symlink" "A bundle or drop contains no symbolic link; TOOL-EXEC and the gate never follow one.";
        Hardlink "hardlink" "A file has one name: through a hard link, its bytes could change later or belong to somebody else.";
        SpecialFile "special_file" "A bundle or drop contains only regular files and folders: no FIFO, socket or device.";
        SetuidOrDevice "setuid_or_device" "No file carries setuid, setgid or sticky bits.";
        PathEscapes "path_escapes" "A path stays inside its bundle.";
        NameHostile "name_hostile" "A file name has only plain characters: no control or bidi character, newline or reserved name.";
        ModeInvalid "mode_invalid" "Files have mode 0644, folders 0755.";
        TooManyFiles "too_many_files" "The number of files stays under its limit.";
        TooLarge "too_large" "Sizes stay under their limits.";
        FileUnlisted "file_unlisted" "The layout of a bundle or its SHA256SUMS names every file in it.";
        FileMissing "file_missing" "A bundle contains every required file.";
        ChangedWhileReading "changed_while_reading" "A file or folder stays unchanged during the read.";
    }
    Bytes {
        NotUtf8 "not_utf8" "A document is UTF-8.";
        Bom "bom" "A document does not begin with a byte order mark.";
        Crlf "crlf" "Lines end in LF alone.";
        ControlCharacter "control_character" "No control character but tab and newline.";
        BidiControl "bidi_control" "No bidirectional control character: it reorders text.";
        InvisibleCharacter "invisible_character" "No invisible character.";
        UnicodeTag "unicode_tag" "No Unicode tag character: it carries invisible text.";
        LineSeparator "line_separator" "No line end but LF: U+0085, U+2028 and U+2029 are refused.";
    }
    FrontMatter {
        FrontMatterMissing "front_matter_missing" "A document begins with a line of three dashes at its first byte.";
        FrontMatterUnclosed "front_matter_unclosed" "The front matter ends in a line of exactly three dashes.";
        FrontMatterTooLarge "front_matter_too_large" "Front matter has at most 8 levels, and at most 16 KiB in a request or 512 KiB in a result.";
        YamlForbiddenFeature "yaml_forbidden_feature" "Only YAML that all parsers read the same way: no anchors, aliases, tags, merge keys, complex keys, block scalars or second document.";
        YamlDuplicateKey "yaml_duplicate_key" "A map has each key once.";
        YamlInvalid "yaml_invalid" "The front matter is valid YAML.";
        KeyMissing "key_missing" "Every required key is present.";
        KeyUnknown "key_unknown" "Every key belongs to this version of the document.";
        ValueInvalid "value_invalid" "A value has the type, range and form that its key requires.";
    }
    Structure {
        SectionMissing "section_missing" "Every required section is present.";
        SectionOrder "section_order" "The sections are in the required order.";
        SectionDuplicate "section_duplicate" "Each section appears once.";
        SectionUnknown "section_unknown" "Every heading is the title of a section.";
        HeadingStyle "heading_style" "A heading is a line that begins with two hashes, a space and its title, outside every list, quote and fence.";
        HtmlForbidden "html_forbidden" "No HTML.";
        MarkupForbidden "markup_forbidden" "Prose is paragraphs, lists and code spans: no quote, rule, link or image.";
        FenceBroken "fence_broken" "A fenced block is closed, and no line inside can close it early.";
        ParsersDisagree "parsers_disagree" "A plain line scan and a CommonMark reader see the same sections.";
        StatementMissing "statement_missing" "Each required statement is in a paragraph of its own section.";
    }
    Integrity {
        HashMismatch "hash_mismatch" "Each digest in the document matches the bytes.";
        ArtifactMissing "artifact_missing" "The bundle contains every artifact that the document names.";
        ArtifactUnlisted "artifact_unlisted" "The document names every artifact in the bundle.";
        SumsMismatch "sums_mismatch" "SHA256SUMS names every other file once, with its digest.";
        EvidenceInvalid "evidence_invalid" "evidence.json is one JSON object of the published form, without duplicate keys or contradictions.";
        EvidenceMismatch "evidence_mismatch" "The document agrees with evidence.json.";
        ExcerptMismatch "excerpt_mismatch" "The excerpt of a stream matches the rendering of its artifact.";
        RequestMismatch "request_mismatch" "The result answers the request in the bundle, with its lane, tool, command and arguments.";
        IdMismatch "id_mismatch" "Names agree: folder, document, front matter, evidence and request.";
        LimitExceeded "limit_exceeded" "The limits in force stay within those of the request and its manifest, and a success within its time limit.";
        OutputUnexpected "output_unexpected" "The evidence notes every difference between the expected and the actual output files.";
        TimeOrder "time_order" "Times are in this order: request and approval, run, result.";
    }
    Authority {
        RequestUnknown "request_unknown" "A result answers a request that TOOL-EXEC claimed at this site, with the same bytes.";
        DuplicateResult "duplicate_result" "One request, one result.";
        ManifestUnknown "manifest_unknown" "The manifest is one of the site's manifests.";
        ToolChanged "tool_changed" "A pinned tool matches its pin: manifest, scripts and program.";
        ToolUnpinned "tool_unpinned" "If the site requires pins, the tool is pinned.";
        OutputSchemaViolation "output_schema_violation" "Parsed results satisfy the output schema of the manifest.";
        ApprovalMissing "approval_missing" "If a request needs approvals, enough people gave theirs in the required form.";
        ApprovalInvalid "approval_invalid" "An approval is a signature over exactly the request's bytes.";
        ApprovalExpired "approval_expired" "An approval is valid for a limited time, and its key for the listed time.";
        ApproverUnknown "approver_unknown" "`keys/approvers` lists each approver.";
        SignatureMissing "signature_missing" "If the site requires it, the requester signs the request.";
        SignatureInvalid "signature_invalid" "A request's signature is over exactly its bytes, by the listed key of its requester.";
        LearnMode "learn_mode" "TOOL-EXEC enforced policies and scope, unless gate.toml accepts results of learn mode.";
        SandboxBelowMinimum "sandbox_below_minimum" "A tool's sandbox is at least as strict as gate, manifest and lane require.";
        NetworkNotAllowed "network_not_allowed" "A tool reached only what its request lists, in a sandbox that enforces the list.";
    }
    Content {
        Secret "secret" "A result contains no key, token, password or private key.";
        ExecutablePayload "executable_payload" "A result contains nothing that is made to be run.";
        PolicyClaim "policy_claim" "A result does not claim that rules, approvals, roles or limits have changed or should.";
        Instruction "instruction" "A result asks nothing of its reader: it is data.";
        ExfilLink "exfil_link" "No link or image carries data out, and none leads to code or local files.";
        HiddenText "hidden_text" "A person sees everything that a program reads.";
        BudgetExceeded "budget_exceeded" "Everything in a result can be looked through within the gate's budget.";
    }
    Judgement {
        JudgeFailed "judge_failed" "The gate reads and judges a bundle to the end, in time and without a crash.";
    }
    Request {
        NotARequest "not_a_request" "A drop is TR-….md, TR-….json or a folder TR-…/ that contains TR-….md.";
        RequestUnfinished "request_unfinished" "A request is complete when it is renamed into the inbox, or soon afterwards.";
        JsonInvalid "json_invalid" "A JSON document is one valid JSON object.";
        RequestIdReused "request_id_reused" "An id names one request permanently: other bytes need another id.";
        RequestDenied "request_denied" "TOOL-EXEC does not run a denied request.";
        RequestCancelled "request_cancelled" "TOOL-EXEC does not run a cancelled request.";
        RequestExpired "request_expired" "TOOL-EXEC does not run a request after its `expires_utc`.";
        CreatedInFuture "created_in_future" "`created_utc` and the time in `request_id` are at most the allowed clock skew in the future.";
        ToolUnknown "tool_unknown" "The tool has a manifest in tools/.";
        ManifestInvalid "manifest_invalid" "The tool's manifest passes `gatepost tools check`.";
        ManifestWarning "manifest_warning" "A manifest is explicit: nothing in it is implied, unused or dangling.";
        ManifestSignatureInvalid "manifest_signature_invalid" "If keys/schemapin/ has the key of its vendor, that key signed the manifest.";
        ArgumentMissing "argument_missing" "The request has every required argument.";
        ArgumentUnknown "argument_unknown" "The manifest declares every argument of the request.";
        ArgumentInvalid "argument_invalid" "An argument is a value of its type, within its bounds.";
        InputMissing "input_missing" "Every declared input is in the folder in/.";
        InputMismatch "input_mismatch" "Every input has the digest that the request declares.";
        InputUnlisted "input_unlisted" "The request declares every file in in/.";
        CommandForbidden "command_forbidden" "A command is one plain program call: no shell, chaining, redirection, installation, host path or device.";
        InterpreterUnavailable "interpreter_unavailable" "An ERA command begins with an installed interpreter that the site lists for its language.";
        RiskStatement "risk_statement" "Risk Assessment states level, justification, data sensitivity and, with a network, its rationale.";
        SessionUnknown "session_unknown" "The session that a request continues is open and belongs to the requester.";
        BackendUnavailable "backend_unavailable" "This version supports the backend of the manifest.";
        SandboxUnavailable "sandbox_unavailable" "The machine can enforce the sandbox that the site requires.";
        OutOfScope "out_of_scope" "A target lies within the site's scope.";
        PolicyDenied "policy_denied" "A policy permits the request, and none forbids it.";
        PolicyInvalid "policy_invalid" "Every policy is valid Cedar and names only what the site has.";
        SecretMissing "secret_missing" "TOOL-EXEC has every secret that the manifest names.";
        SecretUnusable "secret_unusable" "A secret has 4 to 4096 bytes of UTF-8, and only the owner may read its file.";
        NetworkNotRequested "network_not_requested" "A request for a tool that needs a network asks for one.";
        NetworkUnavailable "network_unavailable" "A tool gets a network only in a lane and sandbox that can restrict it.";
    }
}

impl Code {
    /// Whether a person may release a bundle that was rejected for it: only the content classes, which judge the
    /// meaning of a text. Text that could not be scanned is not such a class.
    pub fn is_overridable(self) -> bool {
        matches!(
            self,
            Self::Secret
                | Self::ExecutablePayload
                | Self::PolicyClaim
                | Self::Instruction
                | Self::ExfilLink
                | Self::HiddenText
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One more place that has the text of a reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// The file, relative to the bundle or drop, escaped.
    pub file: String,
    /// Line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in characters, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// JSON Pointer (RFC 6901) within the file, in double quotes, escaped and shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

impl Spot {
    /// The place in words; `shown` converts a file's name or a pointer to its displayed form.
    fn describe(&self, shown: impl Fn(&str) -> String) -> String {
        let file = shown(&self.file);
        match (&self.pointer, self.line, self.column) {
            (Some(pointer), ..) => format!("{file} at {}", shown(pointer)),
            (None, Some(line), Some(column)) => format!("{file}, line {line}, column {column}"),
            (None, Some(line), None) => format!("{file}, line {line}"),
            _ => file,
        }
    }
}

/// One reason. Its `excerpt` never contains a secret; for a secret it has only the place and the digest.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The stable code.
    pub code: Code,
    /// Whether it rejects.
    pub severity: Severity,
    /// The fault in one sentence. Foreign text in it is escaped.
    pub message: String,
    /// The file, relative to the bundle or drop, escaped; absent if the reason is about the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// JSON Pointer (RFC 6901) within the file, in double quotes, escaped and shortened; used in place of a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The first few other places of the same text, rule and severity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Spot>,
    /// The number of further such places.
    #[serde(default, skip_serializing_if = "crate::evidence::is_zero")]
    pub also_unlisted: u64,
    /// The name of the content rule that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why the site only flags a finding that would reject, in the words of `gate.toml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowered_because: Option<String>,
    /// SHA-256 of the whole offending text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt_sha256: Option<Digest>,
    /// The offending text in double quotes, escaped, shortened and redacted; it contains no backtick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// What to do next.
    pub hint: String,
}

impl Reason {
    /// A rejecting reason without a place. `message` is a whole sentence; `hint` says what to do next.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Reject,
            message: message.into(),
            file: None,
            line: None,
            column: None,
            pointer: None,
            also: Vec::new(),
            also_unlisted: 0,
            rule: None,
            lowered_because: None,
            excerpt_sha256: None,
            excerpt: None,
            hint: hint.into(),
        }
    }

    /// The same reason, about a file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The same reason, with the text that it is about, which must be no secret.
    #[must_use]
    pub fn quoting(mut self, text: &str) -> Self {
        self.excerpt_sha256 = Some(Digest::of(text.as_bytes()));
        // It will be in a code span.
        self.excerpt = Some(quoted(text).replace('`', "\\u{60}"));
        self
    }

    /// The same reason, at the place of a byte in a text.
    #[must_use]
    pub fn at_byte(self, text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        self.at(u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The same reason, at a line and column (both from 1, columns in characters).
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }
}

impl Reason {
    /// Its place in words, if it has one; `shown` converts a file's name or a pointer to its displayed form.
    pub fn place(&self, shown: impl Fn(&str) -> String) -> Option<String> {
        let Self { file, line, column, pointer, .. } = self;
        let (file, pointer) = (file.clone()?, pointer.clone());
        Some(Spot { file, line: *line, column: *column, pointer }.describe(shown))
    }

    /// The other places in words, if there are any.
    pub fn other_places(&self, shown: impl Fn(&str) -> String) -> Option<String> {
        let mut places: Vec<String> = self.also.iter().map(|spot| spot.describe(&shown)).collect();
        places.extend(match self.also_unlisted {
            0 => None,
            1 => Some("1 more place".to_owned()),
            more => Some(format!("{more} more places")),
        });
        let last = places.pop()?;
        Some(if places.is_empty() { last } else { format!("{}; and {last}", places.join("; ")) })
    }

    /// How many findings it covers.
    pub fn findings(&self) -> u64 {
        self.also_unlisted.saturating_add(1).saturating_add(self.also.len() as u64)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            f.write_str(file)?;
            if let (Some(line), Some(column)) = (self.line, self.column) {
                write!(f, ":{line}:{column}")?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{}: {}", self.code, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_serialized_form_agree() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }

    #[test]
    fn an_excerpt_stays_in_its_code_span() {
        let reason = Reason::new(Code::ValueInvalid, "It is wrong.", "Mend it.").quoting("a` \u{202e}\n");
        assert_eq!(reason.excerpt.as_deref(), Some(r#""a\u{60} \u{202e}\n""#));
        assert_eq!(reason.excerpt_sha256, Some(Digest::of("a` \u{202e}\n".as_bytes())));
    }

    #[test]
    fn a_reason_reads_like_a_compiler_message() {
        let reason = Reason::new(Code::Bom, "The file begins with a byte order mark.", "Save it without one.");
        let reason = reason.in_file("TR-x.md").at(1, 1);
        assert_eq!(reason.to_string(), "TR-x.md:1:1: bom: The file begins with a byte order mark.");
    }
}
