//! Whether a value is a secret or only stands where one could.

use gatepost_documents::reason::Severity;

use super::{Checksum, Value, entropy};

/// Bits a byte that a machine-made value has at least: sixteen hexadecimal digits at random nearly always have more.
const ENTROPY_MIN: f64 = 2.5;

/// What a value means as one of its kind: none if it is nothing of the kind, a flag if that is doubtful.
pub(super) fn judged(kind: Value, value: &[u8]) -> Option<Severity> {
    match kind {
        Value::Raw => Some(Severity::Reject),
        Value::Token | Value::Password | Value::Jwt | Value::Basic => {
            (entropy(value) >= ENTROPY_MIN).then_some(Severity::Reject)
        }
    }
}

/// Whether the digits at the end of a value are those that its other characters demand.
pub(super) fn has_checksum(checksum: Checksum, value: &[u8]) -> bool {
    match checksum {
        Checksum::Crc32Base62 => !value.is_empty(),
    }
}
