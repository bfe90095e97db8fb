//! Whether a value is a secret or only stands where one could: placeholders, names, words, references.
//!
//! Does not know what the value is called; `assignment.rs` does. *Security*: linear in a value of bounded length.

use memchr::memmem;

use super::super::rule::Strength;
use super::name;
use super::word::word_bytes;

/// What people write where a secret belongs; anywhere within it, in any case.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "redacted",
    "xxxx",
    "****",
    "....",
    "your-",
    "your_",
    "yoursecret",
    "yourpass",
    "yourtoken",
    "yourapi",
    "replace",
    "insert",
    "dummy",
    "sample",
    "notreal",
    "not-real",
    "undefined",
    "hidden",
    "masked",
    "removed",
    "fixme",
    "<",
    "{{",
    "${",
    "$(",
    "%(",
    "#{",
    "\u{2022}",
    "\u{2026}",
];

/// Bits a byte that a machine-made value has at least: sixteen hexadecimal digits at random nearly always have more.
const ENTROPY_MIN: f64 = 2.5;

/// Whether it is random enough to come from a machine: no filler, no placeholder and no words.
pub(super) fn is_made_by_machine(secret: &[u8]) -> bool {
    // A prefix or a host name may well be words: the end is what has to be random.
    let end = secret.get(secret.len() / 2..).unwrap_or_default();
    !is_filler(secret) && !is_placeholder(secret) && word_bytes(end) * 10 < end.len() * 6
}

/// Whether a part of it is noise that a machine made, which nothing around it excuses: letters of both cases and digits, or
/// many of them, and hardly a word.
pub(super) fn is_noise(secret: &[u8]) -> bool {
    let is_noise = |run: &[u8]| {
        let letters = run.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        (run.len() >= 16 || run.len() >= 7 && is_mixed(run)) && word_bytes(run) * 2 < letters
    };
    secret.split(|byte| !byte.is_ascii_alphanumeric()).any(is_noise)
}

/// The strength of what stands where a password belongs, if it can be one: words and what breaks off are only mentioned.
pub(super) fn password(secret: &[u8]) -> Option<Strength> {
    let is_doubtful = is_spelt_out(secret) || is_broken_off(secret);
    let strength = password_of(secret)?;
    Some(if is_doubtful { Strength::Mentioned } else { strength })
}

fn password_of(secret: &[u8]) -> Option<Strength> {
    let count = |class: fn(&u8) -> bool| secret.iter().filter(|byte| class(byte)).count();
    let (lower, upper) = (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let (digits, letters) = (count(u8::is_ascii_digit), lower + upper);
    let joints = secret.iter().filter(|byte| b"_-./:\\".contains(byte)).count();
    // Letters of other languages are no signs in words: `Contraseña` is what a password is called.
    let foreign = if digits > 0 || has_hump(secret) { 0 } else { count(|byte| !byte.is_ascii()) };
    let special = secret.len().saturating_sub(letters + digits + joints + foreign);
    let is_number = special == 0 && letters * 5 < secret.len() || secret.starts_with(b"0x") && secret.len() <= 18;
    let is_spaced = secret.iter().any(u8::is_ascii_whitespace);
    if secret.len() < 6 || letters == 0 || is_number || is_spaced {
        return None;
    }
    if is_placeholder(secret) || is_reference(secret) || is_repeated(secret) {
        return None;
    }
    let only_words = word_bytes(secret) * 10 >= letters * 7;
    let classes = [lower, upper, digits, special].iter().filter(|count| **count > 0).count();
    if special == 0 && (digits == 0 || joints > 0 && only_words) {
        // Letters and joints: noise, or names.
        let is_noise = !only_words
            && (upper > 0 && lower > 0 && secret.len() >= 8 || word_bytes(secret) == 0 && secret.len() >= 10);
        return is_noise.then_some(Strength::Addressed);
    }
    let is_strong =
        classes >= 3 && secret.len() >= 7 || special > 0 && secret.len() >= 7 || secret.len() >= 9 && !only_words;
    let weak = (secret.len() >= 8).then_some(Strength::Mentioned);
    if is_strong { Some(Strength::Addressed) } else { weak }
}

/// The strength of what stands where a token belongs, if it can be one.
pub(super) fn token(secret: &[u8]) -> Option<Strength> {
    let has_digit = secret.iter().any(u8::is_ascii_digit);
    let is_plausible = !is_reference(secret)
        && !is_spelt_out(secret)
        && !secret.iter().any(u8::is_ascii_whitespace)
        && !is_digest(secret)
        && !is_id(secret);
    if secret.len() >= 16 && is_plausible && is_made_by_machine(secret) && word_bytes(secret) * 10 < secret.len() * 5 {
        let is_number = secret.iter().filter(|byte| byte.is_ascii_alphabetic()).count() * 6 < secret.len();
        let has_noise = has_digit || is_mixed(secret) || secret.len() >= 24;
        let strength = if is_broken_off(secret) { Strength::Mentioned } else { Strength::Addressed };
        return (has_noise && !is_number).then_some(strength);
    }
    let is_strong = secret.len() >= 8 && is_plausible && password_of(secret) == Some(Strength::Addressed);
    let is_special = !is_broken_off(secret) && secret.iter().any(|byte| b"!#$%^&*@?".contains(byte));
    is_strong.then_some(if is_special { Strength::Addressed } else { Strength::Mentioned })
}

/// Whether it has small letters, capitals and digits.
pub(super) fn is_mixed(secret: &[u8]) -> bool {
    [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit].iter().all(|class| secret.iter().any(class))
}

/// Whether it has the form of a UUID (RFC 9562, section 4); without dashes only one that is made of a time is told from a key.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    let is_timed = || value.get(12..14) == Some(b"11") && matches!(value.get(16), Some(b'8' | b'9' | b'a' | b'b'));
    if value.len() == 32 {
        return value.iter().all(u8::is_ascii_hexdigit) && is_timed();
    }
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| if is_dash(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() })
}

/// Prefixes of what only numbers a thing: a request, a job, a machine.
const IDS: &[&str] = &[
    "req_", "evt_", "usr_", "job_", "run_", "msg_", "txn_", "ord_", "cus_", "sub_", "acct_", "inv_", "trace-", "span-",
    "i-", "vpc-", "subnet-", "sg-", "ami-", "vol-", "ssh-", "ecdsa-", "arn:", "urn:", "TR-", "TS-",
];

/// Whether it says of itself that it is an id.
fn is_id(value: &[u8]) -> bool {
    IDS.iter().any(|prefix| value.starts_with(prefix.as_bytes()))
}

/// Whether it says of itself that it is a digest.
fn is_digest(value: &[u8]) -> bool {
    let lower = value.get(..value.len().min(8)).unwrap_or_default().to_ascii_lowercase();
    [b"sha1".as_slice(), b"sha256", b"sha384", b"sha512", b"md5:", b"blake"].iter().any(|name| lower.starts_with(name))
}

/// Whether something else is meant to stand there.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let holds = |word: &&str| memmem::find(&lower, word.as_bytes()).is_some();
    PLACEHOLDERS.iter().any(holds)
        || is_variable(&lower)
        || lower.first() == Some(&b'%') && lower.len() < 4
        || lower.first() == Some(&b'%') && lower.last() == Some(&b'%')
        || lower.ends_with(b"...") && (lower.len() < 11 || lower.starts_with(b"$") && lower.len() < 15)
        || is_own_name(&lower)
        || is_bracketed(value)
}

/// Whether it goes on, but not here: `eyJhbGciOi...`. Noise that is cut off is long enough still.
fn is_broken_off(value: &[u8]) -> bool {
    value.ends_with(b"...") && !is_noise(value)
}

/// Whether a capital follows a small letter, of any language.
fn has_hump(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    text.chars().zip(text.chars().skip(1)).any(|(first, second)| first.is_lowercase() && second.is_uppercase())
}

/// Whether it is a name in brackets, which a person or a program puts the value in place of: `{db_password}`, `[password]`.
fn is_bracketed(value: &[u8]) -> bool {
    let (b"{" | b"[" | b"(", [_, within @ .., b'}' | b']' | b')']) = (value.get(..1).unwrap_or_default(), value) else {
        return false;
    };
    let lower = within.to_ascii_lowercase();
    let is_numbered = lower.rsplit(|byte| matches!(byte, b'_' | b'.')).next().is_some_and(is_own_name);
    let name = if is_numbered { without_number(within) } else { within };
    is_name(Some(name)) && !name.iter().any(u8::is_ascii_digit) && (name.len() <= 4 || is_telling(name))
}

/// Whether it is the name of a variable behind its mark: of a shell, of a makefile (`$$TOKEN`), of a macro (`#token`).
fn is_variable(lower: &[u8]) -> bool {
    let name = lower.strip_prefix(b"$$").or_else(|| lower.strip_prefix(b"$")).or_else(|| {
        let name = lower.strip_prefix(b"#")?;
        name.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_').then_some(name)
    });
    name.is_some_and(|name| is_name(Some(name)))
}

/// Whether it is what such a thing is called, with a number of up to two digits: `password2`.
fn is_own_name(lower: &[u8]) -> bool {
    matches!(
        without_number(lower),
        b"password" | b"passwd" | b"passphrase" | b"secret" | b"token" | b"pass" | b"user" | b"none" | b"null"
    )
}

/// A name without a number of up to two digits at its end.
fn without_number(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count().min(2);
    name.get(..name.len() - digits).unwrap_or_default()
}

/// Whether it names a place where the value is, rather than the value: a variable, a call, a path, a URL.
fn is_reference(value: &[u8]) -> bool {
    let starts = |prefix: &[u8]| value.starts_with(prefix);
    let holds = |part: &[u8]| memmem::find(value, part).is_some();
    starts(b"/")
        || starts(b"./")
        || starts(b"~/")
        || starts(b"--")
        || starts(b"&") && value.len() < 12
        || holds(b"://")
        || holds(b"()")
        || holds(b"->")
        || holds(b"::")
        || holds(b"](")
        || is_setting(value)
        || is_path(value)
        || is_expression(value)
        || is_method(value)
        || is_version(value)
        || is_member(value)
}

/// Whether it is a member of something: names of words before the dots, and a telling one behind them.
fn is_member(value: &[u8]) -> bool {
    let is_short = |part: &[u8]| part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count() < 4;
    let is_owner = |part: &[u8]| {
        let letters = part.len() - part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (name, number) = part.split_at(letters);
        let is_word = word_bytes(name) * 2 > name.len() && number.len() <= 2 || is_short(name);
        is_word && !name.iter().any(u8::is_ascii_digit)
    };
    let Some(dot) = value.iter().rposition(|byte| *byte == b'.') else { return false };
    let (owners, member) = value.split_at(dot);
    is_name(Some(value)) && is_telling(value) && !is_noise(member) && owners.split(|byte| *byte == b'.').all(is_owner)
}

/// Whether a member is called by words, or as a secret is: `account.Password`, `ed25519.Ed25519PrivateKey`.
fn is_telling(member: &[u8]) -> bool {
    word_bytes(member) * 2 > member.len() || name::kind(member).is_some()
}

/// What a part of a version that is not final begins with, or nothing.
const LABELS: &[&[u8]] = &[b"", b"rc", b"alpha", b"beta", b"pre", b"dev", b"build", b"post"];

/// Whether it is the version of a package, or which ones will do: `^4.0.0`, `>=1.2`, `2.0.0-rc.1`.
fn is_version(value: &[u8]) -> bool {
    let sign = value.iter().take_while(|byte| b"^~=<>!v".contains(byte)).count();
    let version = value.get(sign..).unwrap_or_default();
    let core = version.iter().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'*')).count();
    let (core, label) = version.split_at(core);
    let is_label = |part: &[u8]| {
        let letters = part.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let (word, number) = part.split_at(letters);
        LABELS.contains(&word) && number.iter().all(u8::is_ascii_digit)
    };
    sign <= 2
        && core.first().is_some_and(u8::is_ascii_digit)
        && core.contains(&b'.')
        && (label.is_empty() || matches!(label.first(), Some(b'-' | b'+')))
        && label.len() <= 16
        && label.split(|byte| matches!(byte, b'.' | b'-' | b'+')).all(is_label)
}

/// Whether its letters and digits are joined as those of a name or a path are.
pub(super) fn is_jointed(value: &[u8]) -> bool {
    let is_joint = |byte: &u8| b"_-./:+".contains(byte);
    value.iter().any(is_joint) && value.iter().all(|byte| byte.is_ascii_alphanumeric() || is_joint(byte))
}

/// Whether it is put together from words and small numbers as names are, and not from noise: `test-api-key-123`.
fn is_spelt_out(value: &[u8]) -> bool {
    let is_part = |part: &[u8]| {
        part.len() <= 4 && part.iter().all(u8::is_ascii_digit)
            || part.iter().all(u8::is_ascii_alphabetic) && (part.len() < 4 || word_bytes(part) == part.len())
    };
    let mut parts = value.split(|byte| matches!(byte, b'_' | b'-' | b'.'));
    word_bytes(value) > 0 && parts.clone().count() >= 2 && parts.all(is_part)
}

/// Whether it sets something else: `verbose=True`, `mode="fast"`, `OUT_DIR=/srv/out`.
fn is_setting(value: &[u8]) -> bool {
    let is_word = |side: &[u8]| is_name(Some(side)) && word_bytes(side) * 10 >= side.len() * 7;
    let Some(at) = value.iter().position(|byte| *byte == b'=') else { return false };
    let (name, given) = (value.get(..at).unwrap_or_default(), value.get(at + 1..).unwrap_or_default());
    let inner = given.iter().all(|byte| *byte != b'/').then(|| unquoted(given));
    inner.map_or_else(|| is_name(Some(name)) && is_path(given), |inner| is_word(name) && is_word(inner))
}

/// A text without the quotation marks around it.
fn unquoted(text: &[u8]) -> &[u8] {
    let is_mark = |byte: &u8| matches!(byte, b'"' | b'\'' | b'\\');
    let start = text.iter().take_while(|byte| is_mark(byte)).count();
    let end = text.iter().rev().take_while(|byte| is_mark(byte)).count();
    text.get(start..text.len() - end).unwrap_or_default()
}

/// Whether it is a path of words, relative or not, with an anchor perhaps: `guide/install/#from-source`.
fn is_path(value: &[u8]) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    memchr::memchr_iter(b'/', value).count() >= 2
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/_-.#:~@".contains(byte))
        && word_bytes(value) * 10 >= letters * 6
        && letters * 10 >= value.len() * 6
}

/// Whether it says what a value looks like: a regular expression with a class of characters that is repeated.
fn is_expression(value: &[u8]) -> bool {
    let holds = |part: &[u8]| memmem::find(value, part).is_some();
    let has_class = [b"a-z".as_slice(), b"A-Z", b"a-f", b"A-F", b"0-9", b"\\w", b"\\d"].into_iter().any(holds);
    has_class && holds(b"[") && [b"]{".as_slice(), b"]+", b"]*"].into_iter().any(holds)
}

/// Whether it names how a password is kept or sent: `scram-sha-256`, `argon2id`.
fn is_method(value: &[u8]) -> bool {
    const METHODS: &[&[u8]] =
        &[b"sha-1", b"sha-256", b"sha-512", b"sha256", b"sha512", b"md5", b"bcrypt", b"argon2", b"pbkdf2"];
    let lower = value.to_ascii_lowercase();
    let is_short =
        value.len() <= 20 && value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_short && METHODS.iter().any(|method| lower.starts_with(method) || lower.ends_with(method))
}

/// Letters, digits, `_` and `.`, in the form of an identifier.
fn is_name(value: Option<&[u8]>) -> bool {
    let Some((first, rest)) = value.and_then(<[u8]>::split_first) else { return false };
    (first.is_ascii_alphabetic() || *first == b'_')
        && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
}

/// The same in one part.
pub(super) fn is_identifier(value: &[u8]) -> bool {
    is_name(Some(value)) && !value.contains(&b'.')
}

fn is_repeated(value: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in value {
        if let Some(seen) = seen.get_mut(usize::from(*byte)) {
            *seen = true;
        }
    }
    seen.iter().filter(|seen| **seen).count() < 4
}

/// Whether it only fills the place: few different characters, or the alphabet in its order.
pub(super) fn is_filler(value: &[u8]) -> bool {
    let next = value.windows(2).filter(|pair| pair.first().map(|byte| byte.wrapping_add(1)) == pair.last().copied());
    // Zeroes in a row are the padding of a binary that was encoded; some tokens begin with them.
    let run =
        value.get(24..).unwrap_or_default().windows(6).any(|run| run.iter().all(|byte| Some(byte) == run.first()));
    (value.len() >= 12 && entropy(value) < ENTROPY_MIN) || next.count() * 2 > value.len() || run
}

/// Shannon's entropy, bits a byte.
#[allow(clippy::cast_precision_loss)] // A value has a few thousand bytes.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = value.len() as f64;
    let share = |count: &u32| f64::from(*count) / total;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}
