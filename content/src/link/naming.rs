//! Words by which a gap or a parameter says that it is for something that should not leave.
//!
//! It knows names, not addresses. Three lists: what no honest address asks for, what some do (a key of one's own, a message), and
//! what is personal only as the value of a parameter. *Security*: hostile bytes; every list is looked for once.

use memchr::memmem;

/// Words for what a reader knows, found anywhere in the name of a gap or parameter.
const CONFIDENTIAL: [&str; 69] = [
    "scratchpad",
    "listing",
    "conv_",
    "address",
    "phone",
    "stdin",
    "question",
    "_text",
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
const PRIVATE: [&str; 125] = [
    "heslo",
    "anahtar",
    "kunci",
    "kulcs",
    "jelsz",
    "riservat",
    "schluessel",
    "unterhaltung",
    "gespräch",
    "conversación",
    "conversa",
    "диалог",
    "переписк",
    "розмов",
    "对话",
    "聊天",
    "会話",
    "要約",
    "履歴",
    "대화",
    "konverzac",
    "rozmow",
    "samtal",
    "keskustelu",
    "salasana",
    "passord",
    "adgangskode",
    "gesprek",
    "sohbet",
    "konuşma",
    "المحادثة",
    "שיחה",
    "बातचीत",
    "κωδικ",
    "συνομιλ",
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
    "schlüssel",
    "gesamt",
    "zusammenfassung",
    "contraseña",
    "contrasena",
    "clave",
    "secreto",
    "mot de passe",
    "mot_de_passe",
    "motdepasse",
    "clé",
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
    "lösenord",
    "hasło",
    "şifre",
    "арол",
    "люч",
    "екрет",
    "密码",
    "密碼",
    "密钥",
    "密鑰",
    "口令",
    "令牌",
    "パスワード",
    "秘密",
    "鍵",
    "비밀",
    "암호",
    "السر",
    "المرور",
    "مفتاح",
    "पासवर्ड",
    "कुंजी",
    "סיסמה",
    "mật khẩu",
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
        for name in
            ["db_password", "chat", "mot de passe", "密钥", "api anahtarı", "会話", "otp", "the whole conversation"]
        {
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
