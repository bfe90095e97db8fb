//! A checkpoint: the size and the root of a log, signed by the log's key.
//!
//! ```text
//! gatepost/3f0a…                                     the origin, which is the name of the key
//! 17                                                 the size
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=       the root
//! ```
//!
//! A kept checkpoint shows later whether the log still begins with the same leaves. *Standards*: C2SP tlog-checkpoint.

use crate::key::{SigningKey, VerifierKey};
use crate::note::{self, NoteError};
use crate::tree::{Hash, Tree, hash_text, parse_hash};

/// The content of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// How many leaves the log has.
    pub size: u64,
    /// The root of its tree.
    pub root: Hash,
}

impl From<&Tree> for Checkpoint {
    fn from(tree: &Tree) -> Self {
        Self { size: tree.size(), root: tree.root() }
    }
}

impl Checkpoint {
    /// The signed note of this checkpoint.
    pub fn sign(&self, key: &SigningKey) -> String {
        note::sign(&self.text(key.verifier()), key)
    }

    /// Reads a note that the log's key signed. Rejects extension lines, because these logs write none.
    pub fn open(note: &str, key: &VerifierKey) -> Result<Self, NoteError> {
        let text = note::open(note, key)?;
        let mut lines = text.lines().skip(1);
        let size = lines.next().and_then(|line| line.parse().ok());
        let root = lines.next().and_then(parse_hash);
        let checkpoint = size.zip(root).map(|(size, root)| Self { size, root });
        checkpoint.filter(|checkpoint| checkpoint.text(key) == text).ok_or(NoteError::Form)
    }

    fn text(&self, key: &VerifierKey) -> String {
        format!("{}\n{}\n{}\n", key.name(), self.size, hash_text(&self.root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_as_it_was_signed_and_only_in_its_one_spelling() {
        let key = SigningKey::from_seed(&[7; 32]);
        let checkpoint = Checkpoint { size: 17, root: [3; 32] };
        assert_eq!(Checkpoint::open(&checkpoint.sign(&key), key.verifier()), Ok(checkpoint));
        let (origin, root) = (key.verifier().name(), hash_text(&[3; 32]));
        for text in [
            format!("{origin}\n017\n{root}\n"),
            format!("{origin}\n+17\n{root}\n"),
            format!("{origin}\n17\n{root}\nmore\n"),
            format!("other\n17\n{root}\n"),
            format!("{origin}\n17\n"),
        ] {
            assert_eq!(Checkpoint::open(&note::sign(&text, &key), key.verifier()), Err(NoteError::Form), "{text}");
        }
    }
}
