use std::fs;
use std::path::Path;

use gatepost_documents::digest::Digest;
use gatepost_documents::verdict::{Checks, Decision, VERDICT_FILE, Verdict, reasons_markdown};
use gatepost_gate::audit;
use gatepost_gate::ledger::Entry;
use gatepost_gate::submission::Submission;
use gatepost_ledger::SigningKey;
use gatepost_mailbox::tile_log::{self, Place, TileLog};

use super::super::flaw::Kind;
use super::*;

const RESULT: &str = "TS-20260209-161031Z-TR-20260209-160501Z-";

/// A site with decisions, and their inputs.
struct Decided {
    site: Site,
    _folder: tempfile::TempDir,
}

impl Decided {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path().canonicalize().unwrap());
        for name in Site::FOLDERS {
            fs::create_dir_all(site.root().join(name)).unwrap();
        }
        tile_log::begin(&Place::of_gate(&site), &[]).unwrap();
        Self { site, _folder: folder }
    }

    /// One accepted, one rejected, and one that was rejected and released.
    fn small() -> Self {
        let decided = Self::new();
        decided.accept("a");
        decided.reject("b");
        decided.reject("c");
        decided.accept("c");
        decided.exec_did();
        decided
    }

    /// Logs TOOL-EXEC's steps for the first.
    fn exec_did(&self) {
        let step = |event: &str| {
            format!(r#"{{"request_id":"TR-20260209-160501Z-a","utc":"2026-02-09T16:10:31.000Z",{event}}}"#).into_bytes()
        };
        let digest = Digest::of(b"a");
        let leaves = [
            step(&format!(r#""event":"claimed","request_sha256":"{digest}","uid":1000"#)),
            step(r#""event":"started","tool":"line_count""#),
            step(&format!(
                r#""event":"ended","result_id":"{RESULT}a","sha256sums_sha256":"{digest}","outcome":"success""#
            )),
        ];
        let place = Place::of_exec(&self.site);
        tile_log::begin(&place, &leaves).unwrap();
        TileLog::open(&place, |_| Ok(())).unwrap();
    }

    fn add(&self, leaves: &[Vec<u8>]) {
        let log = TileLog::open(&Place::of_gate(&self.site), |_| Ok(())).unwrap();
        for leaf in leaves {
            log.add(leaf).unwrap();
        }
    }

    fn accept(&self, name: &str) {
        let name = format!("{RESULT}{name}");
        let folder = self.site.core_inbound();
        let verdict = bundle(&folder, &name, Decision::Accept);
        let json = serde_json::to_vec(&verdict).unwrap();
        fs::write(folder.join(&name).join(VERDICT_FILE), &json).unwrap();
        self.decide(&verdict, &json);
    }

    fn reject(&self, name: &str) {
        let name = format!("{RESULT}{name}");
        let item = self.site.quarantine().join(&name);
        let verdict = bundle(&item.join("untouched"), &name, Decision::Reject);
        let json = serde_json::to_vec(&verdict).unwrap();
        fs::write(item.join("reasons.json"), &json).unwrap();
        fs::write(item.join("REASONS.md"), reasons_markdown(&verdict)).unwrap();
        self.decide(&verdict, &json);
    }

    fn decide(&self, verdict: &Verdict, json: &[u8]) {
        let submission = Submission::Bundle(gatepost_gate::bundle::Bundle::default());
        let key = gatepost_signatures::SigningKey::from_seed(&[7; 32], "").unwrap();
        // As logged before attestations, which need a whole bundle.
        let entry = Entry::new(verdict, &submission, Digest::of(json), key.public());
        let entry = Entry { attestation_key: None, is_partial: false, ..entry };
        self.add(&[serde_json::to_vec(&entry).unwrap()]);
    }

    fn flaws(&self, kept: Option<&str>) -> Vec<Flaw> {
        let gate = kept.into_iter().map(str::to_owned).collect();
        look(&self.site, &Kept { gate, exec: Vec::new() }).unwrap().flaws
    }

    fn checkpoint(&self) -> String {
        fs::read_to_string(self.path("var/gate/log/checkpoint")).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.site.root().join(name)
    }

    /// The files that the record covers, and the record.
    fn files(&self) -> Vec<PathBuf> {
        let logs = ["var/gate/log", "var/gate/audit", "var/exec/log", "var/exec/events.jsonl"];
        let roots = logs.into_iter().chain(["core/inbound", "quarantine"]).map(|name| self.path(name));
        let entries = roots.flat_map(|root| walkdir::WalkDir::new(root).sort_by_file_name());
        entries.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file()).collect()
    }

    /// The flaws after a change of a file's bytes.
    fn with(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Vec<Flaw> {
        let bytes = fs::read(path).unwrap();
        let mut changed = bytes.clone();
        change(&mut changed);
        fs::write(path, changed).unwrap();
        let flaws = self.flaws(None);
        fs::write(path, bytes).unwrap();
        flaws
    }
}

/// Writes a bundle and judges it.
fn bundle(folder: &Path, name: &str, decision: Decision) -> Verdict {
    fs::create_dir_all(folder.join(name).join("artifacts")).unwrap();
    fs::write(folder.join(name).join("request.md"), "request").unwrap();
    fs::write(folder.join(name).join("artifacts/stdout.txt"), "out").unwrap();
    Verdict {
        verdict: decision,
        result_id: name.to_owned(),
        request_id: name.get(20..).unwrap().to_owned(),
        bundle_sha256: audit::digest(folder, name.as_ref(), false).unwrap(),
        rules_version: "1".to_owned(),
        gate_toml_sha256: None,
        site_rules_sha256: None,
        judged_utc: "2026-02-09T16:10:31Z".to_owned(),
        gate_version: env!("CARGO_PKG_VERSION").to_owned(),
        reasons: Vec::new(),
        checks: Checks::default(),
        is_bare_document: false,
        not_checked: Vec::new(),
        released: None,
        imported: None,
        program: None,
        confinement: None,
    }
}

#[test]
fn every_byte_of_a_small_sites_record_and_items_that_is_another_is_found() {
    let decided = Decided::small();
    assert_eq!(decided.flaws(Some(&decided.checkpoint())), []);
    let files = decided.files();
    assert!(files.len() >= 20, "{files:?}");
    for path in files {
        for index in 0..fs::metadata(&path).unwrap().len() {
            let flaws = decided.with(&path, |bytes| bytes[usize::try_from(index).unwrap()] ^= 1);
            assert!(!flaws.is_empty(), "{} {index}", path.display());
        }
    }
}

#[test]
fn a_file_that_is_gone_cut_short_or_longer_is_found() {
    let decided = Decided::small();
    let changes: [fn(&mut Vec<u8>); 3] =
        [|bytes| bytes.truncate(bytes.len() - 1), |bytes| bytes.push(b'x'), Vec::clear];
    for path in decided.files() {
        for change in changes {
            assert!(!decided.with(&path, change).is_empty(), "{}", path.display());
        }
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!decided.flaws(None).is_empty(), "{}", path.display());
        fs::write(&path, bytes).unwrap();
    }
    assert_eq!(decided.flaws(None), []);
}

/// The flaws after a change of a small site.
fn found(act: &dyn Fn(&Decided)) -> Vec<(Kind, String)> {
    let decided = Decided::small();
    act(&decided);
    decided.flaws(None).into_iter().map(|flaw| (flaw.kind, flaw.place.replace(RESULT, ""))).collect()
}

fn of(decided: &Decided, name: &str) -> PathBuf {
    decided.path(&name.replace('$', RESULT))
}

fn is(kind: Kind, place: &str) -> Vec<(Kind, String)> {
    vec![(kind, place.to_owned())]
}

fn moved(from: &'static str, to: &'static str) -> impl Fn(&Decided) {
    move |decided| fs::rename(of(decided, from), of(decided, to)).unwrap()
}

#[test]
fn an_item_without_a_leaf_and_a_leaf_without_an_item_are_each_named() {
    assert_eq!(
        found(&moved("core/inbound/$a", "core/inbound/$x")),
        [is(Kind::Added, "core/inbound/x"), is(Kind::Missing, "core/inbound/a")].concat()
    );
    assert_eq!(found(&moved("core/inbound/$a", "var/$a")), is(Kind::Missing, "core/inbound/a"));
    assert_eq!(found(&moved("quarantine/$b", "var/$b")), is(Kind::Missing, "quarantine/b"));
    assert_eq!(found(&moved("quarantine/$b", "var/gate/judging/$b")), []);
    let more = |name: &'static str| move |decided: &Decided| fs::create_dir_all(of(decided, name)).unwrap();
    assert_eq!(found(&more("core/inbound/$a/more")), is(Kind::Altered, "core/inbound/a"));
    assert_eq!(found(&more("core/inbound/more")), is(Kind::Added, "core/inbound/more"));
    assert_eq!(found(&more("quarantine/$b/more")), is(Kind::Added, "quarantine/b/more"));
    assert_eq!(found(&more("quarantine/$b/untouched/$b/more")), is(Kind::Altered, "quarantine/b/untouched"));
    assert_eq!(found(&more("quarantine/$b/release")), is(Kind::Altered, "quarantine/b/release"));
    // If two bundles swap verdicts, both are altered.
    let swapped = found(&|decided| {
        let [a, c] = ["core/inbound/$a", "core/inbound/$c"].map(|name| of(decided, name).join(VERDICT_FILE));
        fs::rename(&a, decided.path("kept")).unwrap();
        fs::rename(&c, &a).unwrap();
        fs::rename(decided.path("kept"), &c).unwrap();
    });
    let places = ["core/inbound/a/verdict.json", "core/inbound/c/verdict.json"];
    assert!(
        swapped.len() == 2 && places.iter().all(|place| swapped.contains(&is(Kind::Altered, place)[0])),
        "{swapped:?}"
    );
}

#[test]
fn an_item_under_another_name_and_a_copy_are_named_once() {
    // A page that the gate did not write does not excuse other bytes.
    assert_eq!(
        found(&|decided| {
            fs::write(of(decided, "quarantine/$b").join("KEPT.md"), "").unwrap();
            fs::write(of(decided, "quarantine/$b/untouched/$b/request.md"), "other").unwrap();
        }),
        [is(Kind::Added, "quarantine/b/KEPT.md"), is(Kind::Altered, "quarantine/b/untouched")].concat()
    );
    assert_eq!(found(&moved("quarantine/$b", "quarantine/TR-x")), is(Kind::Altered, "quarantine/TR-x"));
    let untouched = is(Kind::Altered, "quarantine/b/untouched");
    assert_eq!(found(&moved("quarantine/$b/untouched/$b", "quarantine/$b/untouched/other")), untouched);
    let linked = found(&|decided| {
        let [here, there] = ["quarantine/$b/untouched", "var/kept"].map(|name| of(decided, name));
        fs::rename(&here, &there).unwrap();
        std::os::unix::fs::symlink(&there, &here).unwrap();
    });
    assert_eq!(linked, untouched);
    assert_eq!(found(&moved("quarantine/$b", "quarantine/$b.2")), []);
    let copied = |to: &'static str| {
        move |decided: &Decided| {
            let (from, to) = (of(decided, "quarantine/$b"), of(decided, to));
            assert!(std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
        }
    };
    for copy in ["quarantine/$b.2", "quarantine/0", "quarantine/TR-x"] {
        assert_eq!(found(&copied(copy)), is(Kind::Added, &copy.replace('$', "")));
    }
    // The records of two items in each other's place.
    let swapped = found(&|decided| {
        let [b, c] = ["quarantine/$b", "quarantine/$c"].map(|name| of(decided, name));
        fs::rename(&b, decided.path("kept")).unwrap();
        fs::rename(&c, &b).unwrap();
        fs::rename(decided.path("kept"), &c).unwrap();
    });
    assert_eq!(swapped, [is(Kind::Altered, "quarantine/b"), is(Kind::Altered, "quarantine/c")].concat());
    let overwritten = found(&|decided| {
        let [b, c] = ["quarantine/$b/reasons.json", "quarantine/$c/reasons.json"].map(|name| of(decided, name));
        fs::copy(&b, &c).unwrap();
    });
    assert_eq!(overwritten, is(Kind::Altered, "quarantine/c/reasons.json"));
}

/// A site whose log alone is checked.
fn long(count: u64, first: &str) -> Decided {
    let decided = Decided::new();
    fs::remove_dir_all(decided.site.gate_log()).unwrap();
    let decide = |number: u64| {
        let result_id = if number == 0 { first.to_owned() } else { format!("result {number}") };
        let digest = "0".repeat(64);
        format!(
            r#"{{"result_id":"{result_id}","request_id":"","verdict":"REJECT","bundle_sha256":"{digest}","judged_utc":"","codes":[]}}"#
        )
    };
    tile_log::begin(
        &Place::of_gate(&decided.site),
        &(0..count).map(|number| decide(number).into_bytes()).collect::<Vec<_>>(),
    )
    .unwrap();
    decided.add(&[]);
    decided
}

fn of_log(decided: &Decided, kept: Option<&str>) -> Vec<(Kind, String, String)> {
    let kept: Vec<_> = kept.into_iter().map(str::to_owned).collect();
    let flaws = record::check(&decided.site, Keeper::Gate, &kept).flaws.into_iter();
    flaws.map(|flaw| (flaw.kind, flaw.place.replace("var/gate/log/", ""), flaw.message)).collect()
}

#[test]
fn a_flipped_bit_is_named_by_the_tile_that_it_is_in() {
    let decided = long(600, "first");
    assert_eq!(of_log(&decided, None), []);
    for (name, at, part) in [
        ("tile/entries/000", 20, "Leaf 0 differs"),
        ("tile/entries/001", 40_000, "differs from the signed one"),
        ("tile/entries/002.p/88", 20, "Leaf 512 differs"),
        ("tile/entries/000", 0, "does not hold 256 entries"),
        ("tile/0/000", 0, "Hash 0, of leaf 0, differs"),
        ("tile/0/001", 8_191, "Hash 255, of leaf 511, differs"),
        ("tile/0/002.p/88", 32, "Hash 1, of leaf 513, differs"),
        ("tile/1/000.p/2", 63, "differ from those of the tiles below it"),
        ("journal", 99, "lacks the last leaves"),
        ("journal", 7, "cannot be read"),
        ("checkpoint", 30, "does not verify with key.pub"),
    ] {
        let path = decided.path("var/gate/log").join(name);
        let bytes = fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&path, changed).unwrap();
        let found = of_log(&decided, None);
        let is_it = |(kind, place, message): &(Kind, String, String)| {
            *kind == Kind::Altered && place.split(".p").next() == name.split(".p").next() && message.contains(part)
        };
        assert!(found.iter().any(is_it), "{name} {at}: {found:?}");
        let others = found.iter().filter(|(_, place, _)| place.starts_with("tile") && !place.starts_with(&name[..10]));
        assert_eq!(others.count(), 0, "{name} {at}: {found:?}");
        fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_kept_checkpoint_shows_a_log_that_was_cut_put_back_forked_or_made_anew() {
    let (earlier, decided, forked) = (long(300, "first"), long(400, "first"), long(400, "other"));
    let key = fs::read(decided.site.gate_log_key()).unwrap();
    let verifier = fs::read(decided.path("var/gate/log/key.pub")).unwrap();
    let signing = SigningKey::parse(&String::from_utf8(key).unwrap()).unwrap();
    // The three logs have one key.
    let sign = |of: &Decided| {
        let checkpoint = record::check(&of.site, Keeper::Gate, &[]).checkpoint.unwrap();
        let note = checkpoint.sign(&signing);
        fs::write(of.path("var/gate/log/checkpoint"), &note).unwrap();
        fs::write(of.path("var/gate/log/key.pub"), &verifier).unwrap();
        note
    };
    let (at_300, at_400, other_400) = (sign(&earlier), sign(&decided), sign(&forked));
    let expect = |of: &Decided, kept: &str, part: &str| {
        let found = of_log(of, Some(kept));
        assert!(found.iter().any(|(_, _, message)| message.contains(part)), "{part}: {found:?}");
    };
    assert_eq!(of_log(&decided, Some(&at_300)), []);
    assert_eq!(of_log(&decided, Some(&at_400)), []);
    expect(&earlier, &at_400, "replaced by an old one");
    expect(&decided, &other_400, "the log was forked");
    expect(&forked, &at_300, "the log was rewritten");
    expect(&decided, &long(1, "first").checkpoint(), "does not verify with the key of this log");
    expect(&decided, "no note", "does not verify with the key of this log");
    // With an old checkpoint in place of the newest, the tiles differ.
    fs::write(decided.path("var/gate/log/checkpoint"), at_300).unwrap();
    assert!(!of_log(&decided, None).is_empty());
}

#[test]
fn a_line_that_is_ahead_of_the_checkpoint_is_that_of_a_leaf_in_the_journal_or_is_named() {
    let decided = Decided::small();
    let (published, at) = (decided.checkpoint(), decided.path("var/gate/log/checkpoint"));
    let tiles = decided.path("var/gate/log/tile");
    let kept = decided.path("kept");
    assert!(std::process::Command::new("cp").arg("-a").args([&tiles, &kept]).status().unwrap().success());
    decided.accept("d");
    // A watcher that was stopped between the line and the checkpoint.
    fs::write(&at, published).unwrap();
    fs::remove_dir_all(&tiles).unwrap();
    fs::rename(&kept, &tiles).unwrap();
    let of_lines = || {
        let flaws = record::check(&decided.site, Keeper::Gate, &[]).flaws.into_iter();
        flaws.map(|flaw| (flaw.kind, flaw.place)).collect::<Vec<_>>()
    };
    assert_eq!(of_lines(), []);
    let lines = decided.path("var/gate/audit/verdicts.jsonl");
    let whole = fs::read_to_string(&lines).unwrap();
    for changed in [whole.replace(&format!("{RESULT}d"), &format!("{RESULT}e")), format!("{whole}{{}}\n")] {
        fs::write(&lines, changed).unwrap();
        assert_eq!(of_lines(), [(Kind::Added, "var/gate/audit/verdicts.jsonl".to_owned())]);
    }
}
