//! The vectors of bare documents: `bare_document/<code>/<name>.toml`, each an accepted or refused document with its expectation.
//!
//! ```toml
//! document = "whole"               # the only file of a folder in bare_document/documents/
//! expect = ["statement_missing"]   # the codes that refuse, in their order; [] for ACCEPT
//! not_held = ["stdout_sha256"]     # of an accepted one: the digests that were held against nothing
//! edits = [{ do = "replace", path = "DOCUMENT", find = "None observed", with = "" }]
//! [knowledge]                      # what differs from a site that knows nothing of the request
//! request = "other"
//! [limits]                         # what differs from the default limits
//! document_bytes = 100
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gatepost_documents::not_checked::NotChecked;
use gatepost_documents::reason::{Code, Stage};
use gatepost_documents::verdict::{Decision, Verdict, reasons_markdown};
use gatepost_gate::limits::Limits;
use serde::Deserialize;

use crate::bundle_folder::{BundleFolder, codes, judged};
use crate::edit::Edit;
use crate::vectors::{Site, refused_and_accepted};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    document: String,
    #[serde(default)]
    edits: Vec<Edit>,
    expect: Vec<String>,
    not_held: Option<Vec<String>>,
    #[serde(default)]
    knowledge: Site,
    #[serde(default)]
    limits: BTreeMap<String, u64>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bare_document")
}

pub(crate) fn document(name: &str) -> BundleFolder {
    BundleFolder::document(&root().join("documents").join(name))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// Every vector, by the code that names its folder.
fn all() -> Vec<(String, PathBuf, Vector)> {
    let read = |path: PathBuf| {
        let code = path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let vector = toml::from_str(&fs::read_to_string(&path).unwrap());
        (code, path.clone(), vector.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    let folders = entries(&root()).into_iter().filter(|folder| !folder.ends_with("documents"));
    folders.flat_map(|folder| entries(&folder)).map(read).collect()
}

impl Vector {
    fn judge(&self) -> Verdict {
        let mut folder = document(&self.document);
        self.edits.iter().for_each(|edit| edit.apply(&mut folder));
        let mut limits = Limits::default();
        for (name, value) in &self.limits {
            match name.as_str() {
                "document_bytes" => limits.document_bytes = *value,
                other => panic!("no limit {other}"),
            }
        }
        let submission = folder.take_in(&limits);
        judged(&submission, Some(self.knowledge.facts(&submission)))
    }
}

#[test]
fn every_bare_document_is_judged_as_its_vector_states() {
    let mut wrong = Vec::new();
    for (_, path, vector) in all() {
        let verdict = vector.judge();
        assert!(verdict.is_bare_document && !verdict.not_checked.is_empty(), "{}", path.display());
        if codes(&verdict) != vector.expect {
            let reasons: Vec<_> = verdict.reasons.iter().map(ToString::to_string).collect();
            wrong.push(format!("{}: expected {:?}, found {reasons:#?}", path.display(), vector.expect));
        }
        if let Some(expected) = &vector.not_held {
            let values: Vec<_> = verdict.not_checked.into_iter().flat_map(|left| left.values).collect();
            let found: Vec<_> = values.into_iter().filter(|key| key.starts_with("std")).collect();
            assert_eq!(&found, expected, "{}", path.display());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What no bare document can be refused for: it needs the rest of a bundle, or another kind of item.
const OF_BUNDLES: [Code; 29] = [
    Code::LearnMode,
    Code::NotABundle,
    Code::PathEscapes,
    Code::TooManyFiles,
    Code::FileUnlisted,
    Code::FileMissing,
    Code::ChangedWhileReading,
    Code::ArtifactMissing,
    Code::SumsMismatch,
    Code::EvidenceInvalid,
    Code::EvidenceMismatch,
    Code::ExcerptMismatch,
    Code::RequestMismatch,
    Code::LimitExceeded,
    Code::OutputUnexpected,
    Code::RequestUnknown,
    Code::ManifestUnknown,
    Code::ToolChanged,
    Code::ToolUnpinned,
    Code::OutputSchemaViolation,
    Code::ApprovalMissing,
    Code::ApprovalInvalid,
    Code::ApprovalExpired,
    Code::ApproverUnknown,
    Code::SignatureMissing,
    Code::SignatureInvalid,
    Code::SandboxBelowMinimum,
    Code::NetworkNotAllowed,
    Code::BudgetExceeded,
];

#[test]
fn every_code_that_a_bare_document_can_be_refused_for_has_a_vector_that_it_refuses() {
    let can = |code: &&Code| code.stage() <= Stage::Content && !OF_BUNDLES.contains(code);
    let demanded: BTreeSet<_> = Code::ALL.iter().filter(can).map(|code| code.as_str().to_owned()).collect();
    let vectors = all().into_iter().map(|(code, path, vector)| (code, vector.expect, path));
    let [refused, accepted] = refused_and_accepted(vectors);
    assert_eq!(refused, demanded);
    // A vector of each side shows where a rule of this form applies.
    let shown =
        ["artifact_unlisted", "duplicate_result", "hash_mismatch", "key_missing", "statement_missing", "time_order"];
    assert!(shown.iter().all(|code| accepted.contains(*code)), "{accepted:?}");
}

#[test]
fn a_byte_that_is_changed_changes_the_digest_that_the_verdict_names() {
    let (before, mut folder) = (document("whole"), document("whole"));
    let edit = Edit::Replace { path: "DOCUMENT".to_owned(), find: "five".to_owned(), with: "six".to_owned() };
    edit.apply(&mut folder);
    let [before, after] = [before, folder].map(|folder| judged(&folder.take_in(&Limits::default()), None));
    assert_eq!((before.verdict, after.verdict), (Decision::Accept, Decision::Accept));
    assert_ne!(before.bundle_sha256, after.bundle_sha256);
}

#[test]
fn a_verdict_and_its_page_list_the_skipped_checks() {
    let document = document("whole").take_in(&Limits::default());
    let of = |knowledge: Option<&Site>| judged(&document, knowledge.map(|site| site.facts(&document))).not_checked;
    let names = |left: &NotChecked| (left.stage, left.rules.iter().map(|code| code.as_str()).collect::<Vec<_>>());
    let (with, without) = (of(Some(&Site::default())), of(None));
    let (stage, rules) = names(&with[1]);
    assert_eq!(stage, Stage::Authority);
    assert!(rules.contains(&"sandbox_below_minimum") && !rules.contains(&"duplicate_result"), "{rules:?}");
    assert!(names(&without[1]).1.contains(&"duplicate_result"));
    assert_eq!(with[0].values, ["exit_code", "runtime_sec", "network_used", "artifacts"]);
    let page = reasons_markdown(&judged(&document, None));
    assert!(page.contains("- Not checked: integrity: artifact_missing, "), "{page}");
    let line = serde_json::to_value(&with[1]).unwrap();
    assert_eq!((&line["stage"], &line["rules"][0]), (&"authority".into(), &"request_unknown".into()));
}
