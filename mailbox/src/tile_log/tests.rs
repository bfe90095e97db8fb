use super::*;
use gatepost_ledger::Tree;

fn site() -> (tempfile::TempDir, Site) {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::at(folder.path());
    fs::create_dir_all(site.gate_audit()).unwrap();
    (folder, site)
}

fn view(site: &Site) -> PathBuf {
    site.gate_decisions()
}

fn open(site: &Site) -> Result<(TileLog, Vec<Vec<u8>>), Fault> {
    let mut leaves = Vec::new();
    let log = TileLog::open(&Place::of_gate(site), |leaf| {
        leaves.push(leaf.to_vec());
        Ok(())
    })?;
    Ok((log, leaves))
}

fn leaf(number: u64) -> Vec<u8> {
    format!("leaf {number}").into_bytes()
}

/// Asserts that the files for auditors contain exactly these leaves.
fn is_published(site: &Site, count: u64) {
    let reading = LogFolder::at(&site.gate_log());
    let mut tree = Tree::default();
    let mut is_there = |row: gatepost_ledger::Row| assert_eq!(reading.row(row.tile).unwrap(), row.hashes);
    (0..count).for_each(|number| tree.add(gatepost_ledger::leaf_hash(&leaf(number)), &mut is_there));
    tree.edge().for_each(is_there);
    let key = reading.verifier().unwrap();
    assert_eq!(Checkpoint::open(&reading.checkpoint().unwrap(), &key).unwrap(), Checkpoint::from(&tree));
    let mut leaves = Vec::new();
    for index in 0..count.div_ceil(256) {
        let tile = gatepost_ledger::Tile::of(Some(0), index, count).unwrap();
        let keep = |leaf: &[u8]| {
            leaves.push(leaf.to_vec());
            Ok(())
        };
        reading.entries(tile, keep).unwrap();
    }
    assert!(leaves.iter().cloned().eq((0..count).map(leaf)));
    let lines: Vec<u8> = leaves.iter().flat_map(|leaf| [leaf, &b"\n"[..]].concat()).collect();
    assert_eq!(fs::read(view(site)).unwrap(), lines);
    let partials = |level: &str| {
        let entries = site.gate_log().join("tile").join(level).read_dir().into_iter().flatten();
        entries.filter(|entry| entry.as_ref().unwrap().path().extension().is_some()).count()
    };
    assert!(partials("0") <= 1 && partials("entries") <= 1);
}

#[test]
fn leaves_are_there_again_for_who_adds_and_for_who_reads_at_every_size() {
    let (_folder, site) = site();
    begin(&Place::of_gate(&site), &[]).unwrap();
    begin(&Place::of_gate(&site), &[leaf(7)]).unwrap();
    let mut count = 0;
    for more in [1, 0, 2, 252, 1, 1, 300] {
        let (log, leaves) = open(&site).unwrap();
        assert!(leaves.iter().cloned().eq((0..count).map(leaf)));
        is_published(&site, count);
        for _ in 0..more {
            log.add(&leaf(count)).unwrap();
            count += 1;
        }
        is_published(&site, count);
    }
    let journal = fs::read(site.gate_log().join(JOURNAL_FILE)).unwrap();
    assert_eq!(Journal::parse(&journal).unwrap().start, 512);
}

#[test]
fn a_log_begins_with_the_leaves_of_an_older_record_and_its_key_is_for_nobody_else() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_folder, site) = site();
    let leaves: Vec<_> = (0..600).map(leaf).collect();
    begin(&Place::of_gate(&site), &leaves).unwrap();
    let (log, found) = open(&site).unwrap();
    assert_eq!(found, leaves);
    is_published(&site, 600);
    log.add(&leaf(600)).unwrap();
    is_published(&site, 601);
    assert_eq!(site.gate_log_key().metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn many_at_once_are_each_logged_once() {
    let (_folder, site) = site();
    begin(&Place::of_gate(&site), &[]).unwrap();
    let (log, _) = open(&site).unwrap();
    let mut given: Vec<(u64, Vec<u8>)> = std::thread::scope(|scope| {
        let add = |number| (log.add(&leaf(number)).unwrap(), leaf(number));
        let threads: Vec<_> = (0..4)
            .map(|thread| scope.spawn(move || (0..100).map(|number| add(thread * 100 + number)).collect()))
            .collect();
        threads.into_iter().flat_map(|thread| -> Vec<_> { thread.join().unwrap() }).collect()
    });
    drop(log);
    let (_, mut leaves) = open(&site).unwrap();
    given.sort();
    assert!(given.into_iter().eq((0..).zip(leaves.clone())), "each knows its own index");
    leaves.sort();
    let mut expected: Vec<_> = (0..400).map(leaf).collect();
    expected.sort();
    assert_eq!(leaves, expected);
}

#[test]
fn a_reader_waits_for_a_watcher_that_is_held_up_while_it_publishes() {
    let (_folder, site) = site();
    begin(&Place::of_gate(&site), &[]).unwrap();
    let (log, _) = open(&site).unwrap();
    log.add_all(&[leaf(0), leaf(1)]).unwrap();
    let (tile, aside) = (site.gate_log().join("tile/entries/000.p/2"), site.gate_log().join("tile/entries/000.p/3"));
    fs::rename(&tile, &aside).unwrap();
    let given = std::thread::scope(|scope| {
        let read = scope.spawn(|| {
            let mut given = 0;
            LogFolder::at(&site.gate_log()).leaves(|_| {
                given += 1;
                Ok(())
            })?;
            Ok::<_, Fault>(given)
        });
        std::thread::sleep(std::time::Duration::from_millis(400));
        fs::rename(&aside, &tile).unwrap();
        read.join().unwrap()
    });
    assert_eq!(given.unwrap(), 2);
}

#[test]
fn a_tile_that_does_not_hold_what_its_name_says_is_no_tile_that_went() {
    let (_folder, site) = site();
    begin(&Place::of_gate(&site), &[]).unwrap();
    let (log, _) = open(&site).unwrap();
    log.add_all(&[leaf(0), leaf(1)]).unwrap();
    fs::write(site.gate_log().join("tile/entries/000.p/2"), "").unwrap();
    let fault = LogFolder::at(&site.gate_log()).leaves(|_| Ok(())).unwrap_err();
    assert_eq!(fault.source.kind(), io::ErrorKind::InvalidData);
}

#[test]
fn what_a_power_cut_takes_of_what_was_not_flushed_is_made_again() {
    let (_folder, site) = site();
    begin(&Place::of_gate(&site), &[]).unwrap();
    let (log, _) = open(&site).unwrap();
    (0..259).for_each(|number| assert_eq!(log.add(&leaf(number)).unwrap(), number));
    drop(log);
    let lost = ["checkpoint", "tile/entries/001.p/3", "tile/0/001.p/3", "tile/1/000.p/1"];
    let zeros = |path: &Path| {
        let length = fs::metadata(path).unwrap().len();
        fs::write(path, vec![0; usize::try_from(length).unwrap()]).unwrap();
    };
    let losses: [&dyn Fn(&Path); 3] =
        [&|path| fs::remove_file(path).unwrap(), &|path| fs::write(path, "").unwrap(), &zeros];
    for loss in losses {
        for name in lost {
            loss(&site.gate_log().join(name));
        }
        loss(&view(&site));
        fs::write(site.gate_log().join("tile/0/001.p/2"), "stale").unwrap();
        open(&site).unwrap();
        is_published(&site, 259);
    }
    // A group that was torn off was never acted upon.
    let path = site.gate_log().join(JOURNAL_FILE);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], &[0, 9, b'l', b'e']].concat()).unwrap();
    assert_eq!(open(&site).unwrap().1.len(), 259);
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn a_gate_begins_with_no_record_that_was_changed_and_signs_none() {
    let (_folder, site) = site();
    begin(&Place::of_gate(&site), &[]).unwrap();
    let (log, _) = open(&site).unwrap();
    (0..258).for_each(|number| assert_eq!(log.add(&leaf(number)).unwrap(), number));
    drop(log);
    let files = [JOURNAL_FILE, "tile/entries/000", VERIFIER_FILE, "../log.key"];
    for name in files {
        let path = site.gate_log().join(name);
        let bytes = fs::read(&path).unwrap();
        for index in (0..bytes.len()).step_by(if bytes.len() > 2_000 { 97 } else { 1 }) {
            let mut changed = bytes.clone();
            changed[index] ^= 4;
            fs::write(&path, &changed).unwrap();
            assert!(open(&site).is_err(), "{name} {index}");
        }
        fs::write(&path, &bytes).unwrap();
    }
    // A journal that lost its last group, whole: the published checkpoint covers more.
    let path = site.gate_log().join(JOURNAL_FILE);
    let bytes = fs::read(&path).unwrap();
    let journal = Journal::parse(&bytes).unwrap();
    let last = journal::group(&[&[0, 8][..], &leaf(257)].concat(), journal.groups.last().unwrap().1);
    fs::write(&path, bytes.strip_suffix(&last[..]).unwrap()).unwrap();
    let fault = open(&site).unwrap_err().to_string();
    assert!(fault.contains("covers leaves that are not in it"), "{fault}");
    fs::write(&path, &bytes).unwrap();
    open(&site).unwrap();
}
