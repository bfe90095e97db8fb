//! The trusted keys: a file in OpenSSH's `allowed_signers` format.
//!
//! ```text
//! alice namespaces="gatepost-approval",valid-before="20270101Z" ssh-ed25519 AAAA… laptop
//! alice,alice@example.org ecdsa-sha2-nistp256 AAAA…
//! ```
//!
//! Stricter than ssh-keygen, because the name becomes evidence. A line begins with the names of one person, without
//! wildcards; the first name is used. Each key is listed once, times end with `Z`, and certificates are rejected.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};
use ssh_key::PublicKey;
use ssh_key::public::KeyData;

use crate::{Namespace, Signature};

/// The largest RSA key with which the `rsa` crate verifies (`RsaPublicKey::MAX_SIZE`).
const RSA_BITS_MAX: u32 = 4096;

/// An invalid line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LineError {
    /// Its number, from 1.
    pub line: u32,
    /// The fault, as a whole sentence.
    pub message: String,
}

/// Why a signature proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// It has another namespace.
    #[error("its namespace is {}, but this needs {}", .found.as_str(), .expected.as_str())]
    Namespace {
        /// The namespace of the signature.
        found: Namespace,
        /// The requested namespace.
        expected: Namespace,
    },
    /// The key is not listed.
    #[error("its key {0} is not listed")]
    UnknownKey(String),
    /// The key may not sign for this.
    #[error("the key of {0} is listed for other namespaces only")]
    NotForThis(String),
    /// The key is not valid yet.
    #[error("the key of {} is not valid before {}", .0, time(.1))]
    NotYetValid(String, DateTime<Utc>),
    /// The key is no longer valid.
    #[error("the key of {} was valid only until {}", .0, time(.1))]
    NoLongerValid(String, DateTime<Utc>),
    /// Nobody touched the hardware key.
    #[error("nobody touched the hardware key of {0} to make it")]
    Untouched(String),
    /// The signature is wrong, or over other bytes.
    #[error("it is by {0} and over other bytes; the request was changed, or the signature was made for another one")]
    OtherBytes(String),
}

fn time(time: &DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

impl Unproven {
    /// Whether only the time makes it invalid.
    pub fn is_about_time(&self) -> bool {
        matches!(self, Self::NotYetValid(..) | Self::NoLongerValid(..))
    }

    /// Whether an unlisted key made it.
    pub fn is_unknown_key(&self) -> bool {
        matches!(self, Self::UnknownKey(_))
    }
}

/// One key with its restrictions.
#[derive(Debug, Clone)]
struct Signer {
    name: String,
    key: KeyData,
    /// `None` allows every namespace.
    namespaces: Option<Vec<String>>,
    valid_after: Option<DateTime<Utc>>,
    valid_before: Option<DateTime<Utc>>,
}

/// The trusted keys.
#[derive(Debug, Clone, Default)]
pub struct Signers {
    signers: Vec<Signer>,
}

impl Signers {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, LineError> {
        let mut signers: Vec<Signer> = Vec::new();
        // Each name with its person.
        let mut names: Vec<(String, String)> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (signer, aliases) = parse_line(text).map_err(|message| LineError { line, message })?;
            if signers.iter().any(|other| other.key == signer.key) {
                let message = "The key is already in an earlier line; list each key once.".to_owned();
                return Err(LineError { line, message });
            }
            for alias in aliases {
                match names.iter().find(|(name, _)| *name == alias) {
                    Some((_, person)) if *person != signer.name => {
                        let message = format!(
                            "{alias:?} is {person:?} in an earlier line: begin this line with that person's name."
                        );
                        return Err(LineError { line, message });
                    }
                    Some(_) => {}
                    None => names.push((alias, signer.name.clone())),
                }
            }
            signers.push(signer);
        }
        Ok(Self { signers })
    }

    /// The people who may sign in a namespace at a time.
    pub fn names(&self, namespace: Namespace, at: DateTime<Utc>) -> BTreeSet<&str> {
        let able = self.signers.iter().filter(|signer| signer.fault(namespace, at).is_none());
        able.map(|signer| signer.name.as_str()).collect()
    }

    /// The owner of a public key (a line of a `.pub` file), or why its signatures are not valid at a time; `None` if it is not
    /// listed.
    pub fn holder(&self, public_key: &str, namespace: Namespace, at: DateTime<Utc>) -> Option<Result<&str, Unproven>> {
        let key: PublicKey = public_key.trim().parse().ok()?;
        let signer = self.signers.iter().find(|signer| signer.key == *key.key_data())?;
        Some(signer.fault(namespace, at).map_or(Ok(&signer.name), Err))
    }

    /// The person who made a signature over exactly these bytes in the namespace. `at` is the time of the check.
    pub fn verify(
        &self,
        signature: &Signature,
        namespace: Namespace,
        bytes: &[u8],
        at: DateTime<Utc>,
    ) -> Result<&str, Unproven> {
        if signature.namespace() != namespace {
            return Err(Unproven::Namespace { found: signature.namespace(), expected: namespace });
        }
        let signer = self.signers.iter().find(|signer| signer.key == *signature.key());
        let signer = signer.ok_or_else(|| Unproven::UnknownKey(signature.fingerprint()))?;
        match signer.fault(namespace, at) {
            Some(fault) => Err(fault),
            None if !signature.holds(bytes) => Err(Unproven::OtherBytes(signer.name.clone())),
            None if !signature.is_touched() => Err(Unproven::Untouched(signer.name.clone())),
            None => Ok(&signer.name),
        }
    }
}

impl Signer {
    /// Why the key is not valid.
    fn fault(&self, namespace: Namespace, at: DateTime<Utc>) -> Option<Unproven> {
        let is_listed = |listed: &Vec<String>| is_in_pattern_list(namespace.as_str(), listed);
        if self.namespaces.as_ref().is_some_and(|listed| !is_listed(listed)) {
            return Some(Unproven::NotForThis(self.name.clone()));
        }
        match (self.valid_after, self.valid_before) {
            (Some(after), _) if at < after => Some(Unproven::NotYetValid(self.name.clone(), after)),
            (_, Some(before)) if at >= before => Some(Unproven::NoLongerValid(self.name.clone(), before)),
            _ => None,
        }
    }
}

/// The form of a line, as a clause.
const FORM: &str = "a line is NAME [OPTIONS] KEY-TYPE KEY";

/// A line with the names of its person.
fn parse_line(line: &str) -> Result<(Signer, Vec<String>), String> {
    let (principals, rest) = word(line);
    let aliases: Vec<String> = principals.split(',').map(str::to_owned).collect();
    for alias in &aliases {
        let is_plain = alias.chars().all(|character| character.is_alphanumeric() || "._-+@".contains(character));
        if alias.is_empty() || alias.len() > 128 || !is_plain {
            let rule = "only letters, digits and . _ - + @, without wildcards, because results contain them";
            return Err(format!("{alias:?} cannot name a person; use {rule}."));
        }
    }
    let (first, after_first) = word(rest);
    let is_key_type =
        |text: &str| text.parse::<ssh_key::Algorithm>().is_ok_and(|kind| !matches!(kind, ssh_key::Algorithm::Other(_)));
    let (options, key) = if is_key_type(first) { ("", rest) } else { (first, after_first.trim_start()) };
    // Any number of blanks separates the key type from the key. The rest is a comment.
    let (kind, rest_of_key) = word(key);
    let key: Result<PublicKey, _> = format!("{kind} {}", word(rest_of_key).0).parse();
    let key = key.map_err(|_| format!("Cannot read a public key in this line; {FORM}."))?;
    if let Some(bits) = rsa_bits(key.key_data()).filter(|bits| *bits > RSA_BITS_MAX) {
        return Err(format!(
            "The RSA key has {bits} bits, but the limit for verification is {RSA_BITS_MAX}; list a smaller key, or an Ed25519 key."
        ));
    }
    let mut signer = Signer {
        name: aliases.first().cloned().unwrap_or_default(),
        key: key.key_data().clone(),
        namespaces: None,
        valid_after: None,
        valid_before: None,
    };
    for option in split_options(options) {
        read_option(&mut signer, option)?;
    }
    Ok((signer, aliases))
}

/// Whether a text matches a pattern, and no negated pattern (`!`) (`ssh_config(5)` of OpenSSH, "Patterns").
fn is_in_pattern_list(text: &str, patterns: &[String]) -> bool {
    let is_denied = |pattern: &String| pattern.strip_prefix('!').is_some_and(|pattern| matches(pattern, text));
    !patterns.iter().any(is_denied)
        && patterns.iter().any(|pattern| !pattern.starts_with('!') && matches(pattern, text))
}

/// Whether a whole text matches a pattern; `*` matches any characters and `?` one. Time: the product of both lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let text = text.as_bytes();
    // The lengths of the prefixes of the text that match the pattern read so far.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for byte in pattern.bytes() {
        if byte == b'*' {
            let first = reached.iter().position(|is_reached| *is_reached).unwrap_or(reached.len());
            reached[first..].fill(true);
            continue;
        }
        for at in (0..text.len()).rev() {
            reached[at + 1] = reached[at] && (byte == b'?' || byte == text[at]);
        }
        reached[0] = false;
    }
    reached[text.len()]
}

/// The bit length of the modulus of an RSA key.
fn rsa_bits(key: &KeyData) -> Option<u32> {
    let modulus = key.rsa()?.n.as_positive_bytes()?;
    let bytes = u32::try_from(modulus.len()).unwrap_or(u32::MAX);
    Some(bytes.saturating_mul(8) - modulus.first().map_or(0, |byte| byte.leading_zeros()))
}

/// The text up to the first blank outside of quotation marks, and the rest.
fn word(text: &str) -> (&str, &str) {
    let mut is_quoted = false;
    let end = text.char_indices().find(|(_, character)| {
        is_quoted ^= *character == '"';
        !is_quoted && character.is_ascii_whitespace()
    });
    let (word, rest) = text.split_at(end.map_or(text.len(), |(at, _)| at));
    (word, rest.trim_start())
}

fn split_options(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |character| {
        is_quoted ^= character == '"';
        !is_quoted && character == ','
    })
    .filter(|option| !option.is_empty())
}

fn read_option(signer: &mut Signer, option: &str) -> Result<(), String> {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let value = || value.ok_or_else(|| format!("The option {name} has no value in quotation marks."));
    match name.to_ascii_lowercase().as_str() {
        "namespaces" => signer.namespaces = Some(value()?.split(',').map(|name| name.trim().to_owned()).collect()),
        "valid-after" => signer.valid_after = Some(parse_time(value()?)?),
        "valid-before" => signer.valid_before = Some(parse_time(value()?)?),
        "cert-authority" => return Err("Certificates are not supported. Put the key itself into the list.".to_owned()),
        _ => {
            let options = "the options are namespaces, valid-after and valid-before";
            return Err(format!("{name:?} is not an option; {FORM}, and {options}."));
        }
    }
    Ok(())
}

/// `YYYYMMDDZ` or `YYYYMMDDHHMM[SS]Z`.
fn parse_time(text: &str) -> Result<DateTime<Utc>, String> {
    let fault = || {
        format!(
            "{text:?} is not a time in UTC: write YYYYMMDDZ or YYYYMMDDHHMMSSZ. Without the Z, each machine would read its local time."
        )
    };
    let digits = text.strip_suffix('Z').ok_or_else(fault)?;
    let time = match digits.len() {
        8 => NaiveDate::parse_from_str(digits, "%Y%m%d").map(|date| date.and_time(NaiveTime::MIN)),
        12 => NaiveDateTime::parse_from_str(&format!("{digits}00"), "%Y%m%d%H%M%S"),
        _ => NaiveDateTime::parse_from_str(digits, "%Y%m%d%H%M%S"),
    };
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    time.ok().filter(|_| is_plain).map(|time| time.and_utc()).ok_or_else(fault)
}

#[cfg(test)]
mod tests {
    use ssh_key::Mpint;
    use ssh_key::public::RsaPublicKey;

    use super::*;

    #[test]
    fn a_namespace_is_listed_by_patterns() {
        for (patterns, expected) in [
            (&["gatepost-approval"][..], true),
            (&["gatepost-*"], true),
            (&["*"], true),
            (&["g*t*-approva?"], true),
            (&["file", "*approval"], true),
            (&["gatepost-*", "!gatepost-approval"], false),
            (&["!file"], false),
            (&["gatepost"], false),
            (&["?"], false),
            (&["gatepost-approval?"], false),
            (&[""], false),
        ] {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            assert_eq!(is_in_pattern_list("gatepost-approval", &patterns), expected, "{patterns:?}");
        }
    }

    #[test]
    fn a_key_too_large_to_verify_with_is_refused_with_its_line() {
        let line = |bits: usize| {
            let mut modulus = vec![0xff; bits.div_ceil(8)];
            modulus[0] >>= bits.div_ceil(8) * 8 - bits;
            let integer = |bytes: &[u8]| Mpint::from_positive_bytes(bytes).unwrap();
            let key = RsaPublicKey { e: integer(&[1, 0, 1]), n: integer(&modulus) };
            format!("# people\nalice {}\n", PublicKey::from(KeyData::Rsa(key)).to_openssh().unwrap())
        };
        for (bits, expected) in [(2048, None), (4096, None), (4097, Some(2)), (8192, Some(2)), (16384, Some(2))] {
            assert_eq!(Signers::parse(&line(bits)).err().map(|error| error.line), expected, "{bits}");
        }
        let message = Signers::parse(&line(8192)).unwrap_err().message;
        assert!(message.starts_with("The RSA key has 8192 bits"), "{message}");
    }
}
