//! Signed notes: a text, an empty line, and signatures.
//!
//! ```text
//! gatepost/3f0a…
//! 17
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
//!
//! — gatepost/3f0a… x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
//! ```
//!
//! *Standards*: C2SP signed-note. Signatures of others, such as witnesses, may follow the log's own and are ignored.

use base64ct::{Base64, Encoding as _};

use crate::key::{SigningKey, VerifierKey};

/// How a line with a signature begins.
const SIGNATURE: &str = "— ";

/// Why a note is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// Not in the form of a signed note.
    #[error("it is not a signed note")]
    Form,
    /// No signature by the requested key.
    #[error("it has no signature by the key {0:08x}")]
    OtherKey(u32),
    /// A signature under that key's name that does not verify.
    #[error("its signature is invalid")]
    Signature,
}

pub(crate) fn sign(text: &str, key: &SigningKey) -> String {
    let mut signature = key.verifier().hash().to_vec();
    signature.extend_from_slice(&key.sign(text.as_bytes()));
    format!("{text}\n{SIGNATURE}{} {}\n", key.verifier().name(), Base64::encode_string(&signature))
}

/// The text that the owner of a key signed.
pub(crate) fn open<'a>(note: &'a str, key: &VerifierKey) -> Result<&'a str, NoteError> {
    let is_plain = |character: char| character == '\n' || !character.is_control();
    let whole = note.strip_suffix('\n').filter(|note| note.chars().all(is_plain)).ok_or(NoteError::Form)?;
    let (_, signatures) = whole.rsplit_once("\n\n").ok_or(NoteError::Form)?;
    let text = note.get(..whole.len() - signatures.len() - 1).ok_or(NoteError::Form)?;
    let mut outcome = Err(NoteError::OtherKey(u32::from_be_bytes(key.hash())));
    for line in signatures.split('\n') {
        let (name, encoded) =
            line.strip_prefix(SIGNATURE).and_then(|line| line.split_once(' ')).ok_or(NoteError::Form)?;
        let bytes = Base64::decode_vec(encoded).map_err(|_| NoteError::Form)?;
        let (hash, signature) = bytes.split_first_chunk::<4>().ok_or(NoteError::Form)?;
        if name != key.name() || *hash != key.hash() {
            continue;
        }
        let signature: Result<&[u8; 64], _> = signature.try_into();
        let holds = signature.is_ok_and(|signature| key.has_signed(text.as_bytes(), signature));
        if !holds {
            return Err(NoteError::Signature);
        }
        outcome = Ok(text);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_by_its_key_alone_and_no_bit_of_it_can_be_another() {
        let (key, other) = (SigningKey::from_seed(&[7; 32]), SigningKey::from_seed(&[8; 32]));
        let note = sign("one\n\ntwo\n", &key);
        assert_eq!(open(&note, key.verifier()), Ok("one\n\ntwo\n"));
        assert!(matches!(open(&note, other.verifier()), Err(NoteError::OtherKey(_))));
        for index in 0..note.len() {
            for bit in 0..8 {
                let mut bytes = note.clone().into_bytes();
                bytes[index] ^= 1 << bit;
                let read = String::from_utf8(bytes);
                assert!(read.is_err() || open(&read.unwrap(), key.verifier()).is_err(), "{index} {bit}");
            }
        }
    }

    #[test]
    fn signatures_of_others_are_passed_over_and_a_false_one_of_its_own_is_none() {
        let (key, other) = (SigningKey::from_seed(&[7; 32]), SigningKey::from_seed(&[8; 32]));
        let (note, by_other) = (sign("text\n", &key), sign("text\n", &other));
        let line = by_other.lines().last().unwrap();
        assert_eq!(open(&format!("{note}{line}\n"), key.verifier()), Ok("text\n"));
        let false_one = sign("other\n", &key);
        let line = false_one.lines().last().unwrap();
        assert_eq!(open(&format!("{note}{line}\n"), key.verifier()), Err(NoteError::Signature));
        for text in ["", "\n", "text\n", "text\n\n", "text\n\n— name\n", "text\n\n— name AAAA\n\n"] {
            assert_eq!(open(text, key.verifier()), Err(NoteError::Form), "{text:?}");
        }
    }
}
