//! The vectors: `vectors/<code>/<name>/vector.toml`, each an accepted or refused bundle with its expectation.
//!
//! ```toml
//! base = "success"                 # a bundle in vectors/base/
//! reseal = true                    # after the edits every digest is made right again
//! expect = ["symlink"]             # the codes of the verdict, in their order; [] for ACCEPT
//! edits = [{ do = "symlink", path = "artifacts/out/link", to = "/etc/passwd" }]
//! [knowledge]                      # what differs from a site that knows the request, the manifest and no earlier result
//! request = "other"
//! policy.sandbox.minimum = "none"  # as in gate.toml
//! pins.tool.csv_stats = {…}        # as in keys/pins.toml
//! [limits]                         # what differs from the default limits
//! entries = 20
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gatepost_content::RuleSet;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::ApprovalMode;
use gatepost_documents::id::ResultId;
use gatepost_documents::pins::Pins;
use gatepost_documents::reason::{Code, Stage};
use gatepost_gate::bundle::Role;
use gatepost_gate::facts::SiteFacts;
use gatepost_gate::limits::Limits;
use gatepost_gate::policy::{Policy, SitePolicy};
use gatepost_gate::submission::Submission;
use gatepost_signatures::Signers;
use serde::Deserialize;

use crate::bundle_folder::{BundleFolder, codes, judged, vectors};
use crate::edit::{Edit, digests, reseal};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    base: String,
    #[serde(default)]
    edits: Vec<Edit>,
    #[serde(default)]
    reseal: bool,
    expect: Vec<String>,
    #[serde(default)]
    knowledge: Site,
    #[serde(default)]
    limits: BTreeMap<String, u64>,
}

#[derive(Deserialize, Default, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Known {
    #[default]
    Same,
    Other,
    Nothing,
}

/// The facts of a site, as far as they differ from the bundle's.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Site {
    request: Known,
    manifest: Known,
    earlier: Option<ResultId>,
    /// The text of `keys/approvers`; with it, and only then, approvals must be signed.
    approvers: Option<String>,
    /// The text of `keys/requesters`.
    requesters: String,
    pins: Pins,
    policy: Policy,
}

impl Site {
    /// What it knows about a submission.
    pub(crate) fn facts(&self, submission: &Submission) -> SiteFacts {
        let digest = |role| match submission {
            Submission::Bundle(bundle) => bundle.bytes.get(&role).map(|bytes| Digest::of(bytes)),
            Submission::BareDocument(_) => None,
        };
        let claimed_request = match self.request {
            Known::Same => digest(Role::Request),
            Known::Other => Some(Digest::of(b"another request")),
            Known::Nothing => None,
        };
        let manifest = digest(Role::Manifest).filter(|_| self.manifest == Known::Same);
        let is_of_request = |earlier: &ResultId| submission.id().is_some_and(|id| id.request() == earlier.request());
        let mut policy = self.policy.clone();
        if self.approvers.is_none() {
            policy.approval.mode = ApprovalMode::Declared;
        }
        SiteFacts {
            approvers: Signers::parse(self.approvers.as_deref().unwrap_or_default()).unwrap(),
            requesters: Signers::parse(&self.requesters).unwrap(),
            claimed_request,
            earlier_result: self.earlier.clone().filter(is_of_request),
            manifests: manifest.into_iter().collect(),
            pins: self.pins.clone(),
            policy: SitePolicy { policy, sha256: Digest::of(b""), rules: RuleSet::built_in().clone() },
        }
    }
}

impl Vector {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path.join("vector.toml")).unwrap();
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        for (name, value) in &self.limits {
            match name.as_str() {
                "entries" => limits.entries = usize::try_from(*value).unwrap(),
                "depth" => limits.depth = usize::try_from(*value).unwrap(),
                "bundle_bytes" => limits.bundle_bytes = *value,
                "file_bytes" => limits.file_bytes = *value,
                other => panic!("no limit {other}"),
            }
        }
        limits
    }

    fn judge(&self) -> Vec<&'static str> {
        let mut folder = BundleFolder::of(&self.base);
        let before = digests(&folder);
        self.edits.iter().for_each(|edit| edit.apply(&mut folder));
        if self.reseal {
            reseal(&folder, &before);
        }
        let submission = folder.take_in(&self.limits());
        codes(&judged(&submission, Some(self.knowledge.facts(&submission))))
    }
}

/// Every vector, by the code that names its folder.
fn all() -> Vec<(String, PathBuf)> {
    let folders = |path: &Path| {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let codes = folders(&vectors()).into_iter().filter(|path| name(path) != "base");
    codes.flat_map(|code| folders(&code).into_iter().map(move |vector| (name(&code), vector))).collect()
}

fn is_content(code: &str) -> bool {
    Code::ALL.iter().any(|known| known.as_str() == code && known.stage() == Stage::Content)
}

/// The codes, of vectors by their folder's code, that some vector refuses, and those that some vector accepts.
pub(crate) fn refused_and_accepted(
    vectors: impl Iterator<Item = (String, Vec<String>, PathBuf)>,
) -> [BTreeSet<String>; 2] {
    let (refused, accepted): (Vec<_>, Vec<_>) = vectors.partition(|(_, expected, _)| !expected.is_empty());
    for (code, expected, path) in &refused {
        assert!(expected.contains(code), "{} refuses for another code than its folder's", path.display());
    }
    [refused, accepted].map(|vectors| vectors.into_iter().map(|(code, ..)| code).collect())
}

#[test]
fn every_vector_is_judged_as_it_states() {
    let mut wrong = Vec::new();
    for (code, path) in all() {
        let vector = Vector::read(&path);
        let expected = vector.expect.clone();
        let mut found = vector.judge();
        // Some bases hold hostile output, which is what the vectors of other stages are about.
        if !is_content(&code) {
            found.retain(|found| !is_content(found));
        }
        if found != expected {
            wrong.push(format!("{}: expected {expected:?}, found {found:?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_vector_that_it_refuses_and_one_that_it_accepts() {
    // What only an adversary with the right timing shows is not a file with edits: `copy.rs` plays that part.
    let timed = Code::ChangedWhileReading;
    let judged = Code::ALL.iter().filter(|code| code.stage() <= Stage::Content && **code != timed);
    let demanded: BTreeSet<_> = judged.map(|code| code.as_str().to_owned()).collect();
    let vectors = all().into_iter().map(|(code, path)| (code, Vector::read(&path).expect, path));
    let [refused, accepted] = refused_and_accepted(vectors);
    assert_eq!(refused, demanded);
    assert_eq!(accepted, demanded);
}
