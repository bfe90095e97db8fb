//! SHA-256 digests, as values that cannot be malformed.
//!
//! Callers hash the bytes that they read, never a re-serialization.
//!
//! Standards: FIPS 180-4 (SHA-256); the text form is 64 lower-case hexadecimal digits.

use std::fmt;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest. Its text form is `3f0a…` (64 lower-case hexadecimal digits), in documents and in JSON alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

/// The text is not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 digest: expected 64 lower-case hexadecimal digits")]
pub struct DigestError;

impl Digest {
    /// The digest of a whole byte string.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 lower-case hexadecimal digits; upper case is refused, so one digest has one spelling.
    pub fn parse(text: &str) -> Result<Self, DigestError> {
        let nibble = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(DigestError),
        };
        let source = text.as_bytes();
        if source.len() != 64 {
            return Err(DigestError);
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = nibble(source[2 * index])? << 4 | nibble(source[2 * index + 1])?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Digest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sha256".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "SHA-256, 64 lower-case hexadecimal digits"
        })
    }
}

/// Hashes a stream as it passes by.
#[derive(Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }

    /// Hashes a reader to its end in memory that does not grow; returns the digest and the number of bytes.
    pub fn read(mut reader: impl Read) -> io::Result<(Digest, u64)> {
        let mut hasher = Self::default();
        let mut buffer = vec![0; 128 * 1024];
        let mut total = 0;
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((hasher.finish(), total)),
                Ok(count) => {
                    hasher.update(&buffer[..count]);
                    total += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_one_spelling() {
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), text);
        assert_eq!(Digest::parse(text), Ok(Digest::of(b"")));
        assert_eq!(Digest::parse(&text.to_uppercase()), Err(DigestError));
        assert_eq!(Digest::parse(&text[1..]), Err(DigestError));
        assert_eq!(Digest::parse(&format!("{text}0")), Err(DigestError));
    }

    #[test]
    fn a_stream_and_its_bytes_have_the_same_hash() {
        let bytes = vec![7; 300_000];
        let (digest, total) = Hasher::read(&bytes[..]).unwrap();
        assert_eq!((digest, total), (Digest::of(&bytes), 300_000));
    }
}
