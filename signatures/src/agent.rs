//! Messages to an ssh-agent and its answers: the list of its Ed25519 keys, and a signature by one of them.
//!
//! ```text
//! uint32 length, byte kind, …          11 ▶ ◀ 12: which keys          13 ▶ ◀ 14: a signature          5: it refuses
//! ```
//!
//! Pure: the caller reads and writes. *Security*: an answer is hostile input with bounded size. *Standards*:
//! draft-ietf-sshm-ssh-agent, sections 3.5 and 3.6; RFC 4251 (`string`).

use crate::public_key::PublicKey;

/// The most bytes of an answer, the limit of OpenSSH's agent.
pub const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// The request for the list of keys.
pub fn ask_for_keys() -> Vec<u8> {
    message(11, &[])
}

/// The Ed25519 keys in the answer; none if it is another message.
pub fn read_keys(answer: &[u8]) -> Option<Vec<PublicKey>> {
    let (count, mut rest) = answer.strip_prefix(&[12])?.split_first_chunk()?;
    let mut keys = Vec::new();
    for _ in 0..u32::from_be_bytes(*count) {
        let (blob, after) = string(rest)?;
        let (_comment, after) = string(after)?;
        keys.extend(PublicKey::from_blob(blob));
        rest = after;
    }
    Some(keys)
}

/// The request for a signature over a message.
pub fn ask_for_signature(key: &PublicKey, message_to_sign: &[u8]) -> Vec<u8> {
    let flags = [0; 4];
    message(13, &[&in_string(&key.to_blob()), &in_string(message_to_sign), &flags])
}

/// The raw signature in the answer; none if it is another message.
pub fn read_signature(answer: &[u8]) -> Option<[u8; 64]> {
    let (signature, _) = string(answer.strip_prefix(&[14])?)?;
    let (algorithm, rest) = string(signature)?;
    let (bytes, _) = string(rest)?;
    if algorithm == b"ssh-ed25519" { bytes.try_into().ok() } else { None }
}

fn message(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    in_string(&[&[kind], parts.concat().as_slice()].concat())
}

fn in_string(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), bytes].concat()
}

fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SigningKey;

    #[test]
    fn answers_are_read_whole_or_not_at_all() {
        let key = SigningKey::from_seed(&[7; 32], "").unwrap();
        let listed =
            [in_string(&key.public().to_blob()), in_string(b"laptop"), in_string(b"other key"), in_string(b"")];
        let keys = [&[12, 0, 0, 0, 2], listed.concat().as_slice()].concat();
        assert_eq!(read_keys(&keys).unwrap(), [key.public().clone()]);
        let signature = [in_string(b"ssh-ed25519"), in_string(&[1; 64])].concat();
        let signed = [&[14], in_string(&signature).as_slice()].concat();
        assert_eq!(read_signature(&signed), Some([1; 64]));
        for end in 0..keys.len() {
            assert_eq!(read_keys(&keys[..end]), None);
        }
        for end in 0..signed.len() {
            assert_eq!(read_signature(&signed[..end]), None);
        }
        assert_eq!((read_signature(&[5]), read_keys(&[5])), (None, None));
        assert_eq!(ask_for_keys(), [0, 0, 0, 1, 11]);
    }
}
