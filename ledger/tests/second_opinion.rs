//! The tiles and notes that this crate makes, as Cloudflare's `tlog_tiles` and `signed_note` read them.

use std::collections::BTreeMap;
use std::convert::Infallible;

use gatepost_ledger::{Checkpoint, SigningKey, Tile, Tree, is_included, leaf_hash, parse_row, prove, row_bytes};
use signed_note::{Note, StandardSigner, StandardVerifier, VerifierList};
use tlog_tiles::{Hash, TileHashReader, TileReader};

/// Tiles by path, as in a folder.
struct Folder(BTreeMap<String, Vec<u8>>);

impl TileReader for Folder {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[tlog_tiles::Tile]) -> Result<Vec<Vec<u8>>, tlog_tiles::Error> {
        // Its paths name the height, as Go's checksum database does and tlog-tiles does not.
        Ok(tiles.iter().map(|tile| self.0[&tile.path().replacen("tile/8/", "tile/", 1)].clone()).collect())
    }

    fn save_tiles(&self, _: &[tlog_tiles::Tile], _: &[Vec<u8>]) {}
}

fn log(size: u64) -> (Folder, Tree) {
    let (mut tree, mut tiles) = (Tree::default(), BTreeMap::new());
    for number in 0..size {
        tree.add(leaf_hash(&number.to_be_bytes()), |row| drop(tiles.insert(row.tile.path(), row_bytes(&row.hashes))));
    }
    tiles.extend(tree.edge().map(|row| (row.tile.path(), row_bytes(&row.hashes))));
    (Folder(tiles), tree)
}

#[test]
fn every_proof_of_ours_is_theirs_and_holds_for_both() {
    for size in [1, 2, 5, 256, 257, 1_000, 66_001] {
        let (folder, tree) = log(size);
        let root = tree.root();
        let theirs = TileHashReader::new(size, Hash(root), &folder);
        for index in (0..size).filter(|index| size - index < 3 || index % 251 == 0) {
            let read = |tile: Tile| Ok::<_, Infallible>(parse_row(&folder.0[&tile.path()], tile.width).unwrap());
            let proof = prove(index, size, read).unwrap().unwrap();
            let leaf = index.to_be_bytes();
            let expected = tlog_tiles::prove_record(size, index, &theirs).unwrap();
            assert_eq!(expected, proof.iter().copied().map(Hash).collect::<Vec<_>>(), "{index} of {size}");
            tlog_tiles::check_record(&expected, size, Hash(root), index, tlog_tiles::record_hash(&leaf)).unwrap();
            assert!(is_included(&leaf_hash(&leaf), index, size, &proof, &root));
        }
    }
}

#[test]
fn a_log_that_grew_is_consistent_by_their_proof_with_what_it_was() {
    let (folder, tree) = log(70_000);
    let theirs = TileHashReader::new(tree.size(), Hash(tree.root()), &folder);
    for size in [1, 255, 256, 300, 65_536, 69_999] {
        let earlier = log(size).1;
        let proof = tlog_tiles::prove_tree(tree.size(), size, &theirs).unwrap();
        tlog_tiles::check_tree(&proof, tree.size(), Hash(tree.root()), size, Hash(earlier.root())).unwrap();
    }
}

#[test]
fn our_checkpoint_is_a_note_to_them_and_theirs_is_one_to_us() {
    let key = SigningKey::from_seed(&[7; 32]);
    let checkpoint = Checkpoint::from(&log(300).1);
    let verifier = StandardVerifier::new(&key.verifier().to_string()).unwrap();
    let note = Note::from_bytes(checkpoint.sign(&key).as_bytes()).unwrap();
    note.verify(&VerifierList::new(vec![Box::new(verifier)])).unwrap();
    let read = tlog_tiles::Checkpoint::from_bytes(note.text()).unwrap();
    assert_eq!((read.origin(), read.size(), read.hash().0), (key.verifier().name(), 300, checkpoint.root));
    let mut theirs = Note::new(&read.to_bytes(), &[]).unwrap();
    theirs.add_sigs(&[&StandardSigner::new(&key.to_text()).unwrap()]).unwrap();
    let theirs = String::from_utf8(theirs.to_bytes()).unwrap();
    assert_eq!(Checkpoint::open(&theirs, key.verifier()), Ok(checkpoint));
}
