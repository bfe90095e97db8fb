//! Words by which a gap or a parameter says that it is for something that should not leave.
//!
//! It knows names, not addresses. Three lists: what no honest address asks for, what some do (a key of one's own, a message), and
//! what is personal only as the value of a parameter. *Security*: hostile bytes; every list is looked for once.

use memchr::memmem;

/// Words for what a reader knows, found anywhere in the name of a gap or parameter.
const CONFIDENTIAL: [&str; 66] = [
    "address",
    "phone",
    "stdin",
    "question",
    "query_text",
    "thread",
    "dialog",
    "discussion",
    "user_",
    "username",
    "whoami",
    "hostname",
    "computername",
    "userprofile",
    "file_",
    "source_code",
    "knowledge",
    "what ",
    "whole",
    "all_",
    "all ",
    "above",
    "summary",
    "summar",
    "api_key",
    "apikey",
    "api key",
    "api-key",
    "token",
    "session",
    "context",
    "message",
    "answer",
    "response",
    "reply",
    "instruction",
    "your",
    "user_data",
    "userdata",
    "user data",
    "user's",
    "user info",
    "email",
    "contents",
    "content",
    "data",
    "payload",
    "encode",
    "base64",
    "b64",
    "insert",
    "replace",
    "fill",
    "append",
    "paste",
    "findings",
    "notes",
    "document",
    "internal",
    "passkey",
    "_key",
    "contact",
    "customer",
    "employee",
    "invoice",
    "personal",
];

/// Words that no template for the daily web has, in several languages; found anywhere.
const PRIVATE: [&str; 90] = [
    "answer",
    "contacts",
    "balance",
    "messages[",
    "b64enc",
    "last_answer",
    "last-answer",
    "bash_history",
    "github_token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "private",
    "cookie",
    "conversation",
    "prompt",
    "memory",
    "history",
    "chat",
    "transcript",
    "clipboard",
    "keychain",
    "inbox",
    "salary",
    "patient",
    "diagnos",
    "medical",
    "leak",
    "exfil",
    "stolen",
    "loot",
    "dump",
    "environ",
    "everything",
    "confidential",
    "sensitive",
    "seed phrase",
    "seed_phrase",
    "mnemonic",
    "stdout",
    "passwort",
    "kennwort",
    "geheim",
    "schl\u{fc}ssel",
    "gesamt",
    "zusammenfassung",
    "contrase\u{f1}a",
    "contrasena",
    "clave",
    "secreto",
    "mot de passe",
    "mot_de_passe",
    "motdepasse",
    "cl\u{e9}",
    "votre_cle",
    "jeton",
    "senha",
    "chave",
    "segredo",
    "parola",
    "chiave",
    "segreto",
    "wachtwoord",
    "sleutel",
    "l\u{f6}senord",
    "has\u{142}o",
    "\u{15f}ifre",
    "\u{430}\u{440}\u{43e}\u{43b}",
    "\u{43b}\u{44e}\u{447}",
    "\u{435}\u{43a}\u{440}\u{435}\u{442}",
    "\u{5bc6}\u{7801}",
    "\u{5bc6}\u{78bc}",
    "\u{5bc6}\u{94a5}",
    "\u{5bc6}\u{9470}",
    "\u{53e3}\u{4ee4}",
    "\u{4ee4}\u{724c}",
    "\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9}",
    "\u{79d8}\u{5bc6}",
    "\u{9375}",
    "\u{be44}\u{bc00}",
    "\u{c554}\u{d638}",
    "\u{627}\u{644}\u{633}\u{631}",
    "\u{627}\u{644}\u{645}\u{631}\u{648}\u{631}",
    "\u{645}\u{641}\u{62a}\u{627}\u{62d}",
    "\u{92a}\u{93e}\u{938}\u{935}\u{930}\u{94d}\u{921}",
    "\u{915}\u{941}\u{902}\u{91c}\u{940}",
    "\u{5e1}\u{5d9}\u{5e1}\u{5de}\u{5d4}",
    "m\u{1ead}t kh\u{1ea9}u",
];

/// Short names of what is asked of people by those who steal it; whole words.
const CODES: [&str; 21] = [
    "otp", "pin", "iban", "cvv", "cvc", "ssn", "mfa", "2fa", "totp", "passport", "id_rsa", "etc", "ssh", "creds",
    "cred", "seed", "card", "env", "vault", "pii", "pw",
];

/// What is a person's or a site's own, and now and then belongs into an address; whole words, in a value alone.
const OWN: [&str; 30] = [
    "home", "cwd", "hostname", "ssn", "files", "log", "key", "keys", "pwd", "pass", "login", "jwt", "auth", "mail",
    "user", "usr", "sid", "phone", "dob", "nif", "dni", "sms", "machine", "buyer", "customer", "tenant", "upn",
    "bearer", "zip", "student",
];

/// Whether a name speaks of what should not leave.
pub(super) fn is_confidential(name: &[u8]) -> bool {
    is_private(name) || has(name, &CONFIDENTIAL)
}

/// Whether a name speaks of what no honest address asks for.
pub(super) fn is_private(name: &[u8]) -> bool {
    has(name, &PRIVATE) || has_part(name, &CODES)
}

/// Whether a name speaks of what is somebody's own.
pub(super) fn is_own(name: &[u8]) -> bool {
    has_part(name, &OWN)
}

fn has(name: &[u8], list: &[&str]) -> bool {
    list.iter().any(|word| memmem::find(name, word.as_bytes()).is_some())
}

fn has_part(name: &[u8], list: &[&str]) -> bool {
    name.split(|byte| !byte.is_ascii_alphanumeric()).any(|part| list.iter().any(|word| word.as_bytes() == part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_private_is_told_from_what_is_asked_for_now_and_then() {
        for name in ["db_password", "chat", "mot de passe", "\u{5bc6}\u{94a5}", "otp", "the whole conversation"] {
            assert!(is_private(name.as_bytes()), "{name}");
        }
        for name in ["token", "message", "api_key", "email", "address"] {
            assert!(is_confidential(name.as_bytes()) && !is_private(name.as_bytes()), "{name}");
        }
        for name in ["version", "id", "page", "owner", "repository", "spinner"] {
            assert!(!is_confidential(name.as_bytes()), "{name}");
        }
        assert!(is_own(b"signing_key") && !is_own(b"keyboard"));
    }
}
