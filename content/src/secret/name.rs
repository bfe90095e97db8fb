//! What a name says about the value that it is given: a password, a token, perhaps a key, or nothing.
//!
//! A name is taken apart at `_`, `-`, `.` and humps: `DB_PASSWORD`, `app.apiKey`, `clientSecret`. What follows the telling word
//! may undo it (`password_length`), and so may what stands before it (`public_key`, `next_page_token`).
//! *Security*: linear in a name of bounded length.

/// What kind of value belongs to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Perhaps made by a person.
    Password,
    /// Made by a machine, mostly.
    Token,
    /// A key of some kind; only a value that is random through and through counts, and only as mentioned.
    Key,
}

const PASSWORD: &str = "\
    password passwd pwd passphrase passcode pass pw psk passwort kennwort motdepasse senha parola parol wachtwoord \
    contrasena contraseña requirepass userpass dbpass rootpw";
const PASSWORD_END: &str = "password passwd passphrase kennwort passwort pwd";
const TOKEN: &str = "token secret apikey credential credentials creds auth pat authorization";
const TOKEN_END: &str = "token secret apikey secretkey accesskey privatekey authkey signingkey";

/// What makes a key one that is kept secret.
const KEY_OF: &str = "\
    api access secret private priv signing sign encryption encrypt decryption master auth account storage shared \
    preshared service client app application admin deploy hmac crypto cipher aes webhook jwt license licence \
    subscription server write ingest integration sas session cookie token sdk ssh wireguard vault root db database \
    user activation";

/// What may not follow: these are about a secret.
const ABOUT: &str = "\
    id ids name names path file filename dir directory folder url uri endpoint host header field column label hint \
    prompt policy hash digest sha sha1 sha256 sha512 md5 checksum fingerprint thumbprint ttl expiry expires \
    expiration expired age rotation rotated version format prefix suffix placeholder enabled disabled required \
    algorithm alg arn index length len size count min max limit usage used type kind ref reference manager \
    provider store location at by in from issuer audience scope scopes status state error message description \
    title created updated date time timeout attempts strength reset schema class rule rules check valid changed \
    set map list pair usages bits mode helper helpers";

/// What may not come before: these are public, or only mark a place in a list.
const PUBLIC: &str = "\
    public pub publishable max min num total next page continuation sync cursor cancellation cancel foreign \
    primary partition sort cache idempotency row resume shard unique composite csrf xsrf host hot any no is has \
    use stop eos bos pad unk cls mask by distribution etag trace span object map dict hash lookup index group \
    routing message";

/// The kind of value that belongs to a name, if it is one to be kept.
pub(super) fn kind(name: &[u8]) -> Option<Kind> {
    let text = String::from_utf8_lossy(name);
    let words = words(&text);
    let telling = |(at, word): (usize, &String)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
        word_kind(word, before).map(|kind| (at, kind))
    };
    let (at, kind) = words.iter().enumerate().rev().find_map(telling)?;
    let is_public = words.get(..at)?.iter().any(|word| holds(PUBLIC, word));
    let mut behind = words.get(at + 1..)?.iter().map(String::as_str);
    let is_role =
        words.get(at).is_some_and(|word| word == "secret") && words.get(at + 1).is_some_and(|word| word == "id");
    let is_about = behind.any(|word| holds(ABOUT, word)) && !is_role;
    // `auth` and `pat` say something only at the end: `auth.mode`, `pat_matcher`.
    let is_loose = matches!(words.get(at)?.as_str(), "auth" | "pat" | "pass" | "pw") && at + 1 < words.len();
    (!is_public && !is_about && !is_loose).then_some(kind)
}

fn word_kind(word: &str, before: &str) -> Option<Kind> {
    let ends = |ends: &str| ends.split(' ').any(|end| word.ends_with(end));
    if holds(PASSWORD, word) || ends(PASSWORD_END) {
        Some(Kind::Password)
    } else if holds(TOKEN, word) || ends(TOKEN_END) || word == "key" && holds(KEY_OF, before) {
        Some(Kind::Token)
    } else {
        matches!(word, "key" | "salt" | "pepper").then_some(Kind::Key)
    }
}

/// Whether a word is one of these, which spaces part.
fn holds(list: &str, word: &str) -> bool {
    let is_space = |at: Option<usize>| at.and_then(|at| list.as_bytes().get(at)).is_none_or(|byte| *byte == b' ');
    let is_whole = |at: usize| is_space(at.checked_sub(1)) && is_space(Some(at + word.len()));
    memchr::memmem::find_iter(list.as_bytes(), word).any(is_whole)
}

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || character.is_uppercase() && was_small {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        was_small = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_passwords_tokens_and_keys_are_told_from_names_about_them() {
        let of = |name: &str| kind(name.as_bytes());
        for name in ["DB_PASSWORD", "spring.datasource.password", "keystorePassword", "mysql-pwd", "rootpassword"] {
            assert_eq!(of(name), Some(Kind::Password), "{name}");
        }
        for name in
            ["apiKey", "API_KEY", "clientSecret", "X-Auth-Token", "aws_secret_access_key", "TF_TOKEN_app_terraform_io"]
        {
            assert_eq!(of(name), Some(Kind::Token), "{name}");
        }
        for name in
            ["password_min_length", "publicKey", "next_page_token", "secretName", "token_count", "passed", "keyboard"]
        {
            assert_eq!(of(name), None, "{name}");
        }
        assert_eq!(of("stripe_key"), Some(Kind::Key));
    }
}
