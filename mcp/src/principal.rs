//! The caller: the principal that owns every request, task and result.
//!
//! ```text
//! alice sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b
//! bot   sha256:d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35 line_count,csv_stats
//! ```
//!
//! On stdio it is the user of the process, or the name in a forced command. Over HTTP a bearer token identifies it: each line of the token
//! file has a name, the token's digest and optionally the permitted tools. The file is read for each request, so a removed line takes
//! effect at once. *Security*: the file holds no token, and only its owner may read it. A name is part of a path: its alphabet has no
//! separator, and it does not begin with a dot. *Standards*: RFC 6750.

use std::fmt;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use gatepost_documents::digest::Digest;
use gatepost_documents::text::quoted;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::{regular_file, user};

/// The most characters of a name.
const NAME_CHARACTERS_MAX: usize = 64;
/// The most bytes of a token file.
const TOKENS_BYTES_MAX: u64 = 1 << 20;

/// The name of a principal: 1 to 64 of `A-Z a-z 0-9 . _ - @`, the first a letter or digit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name(String);

impl Name {
    /// Parses a name; the error is a sentence for the operator.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
        let is_name = text.len() <= NAME_CHARACTERS_MAX
            && text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.bytes().all(is_part);
        if is_name {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "{} is not the name of a principal: expected 1 to {NAME_CHARACTERS_MAX} of A-Z a-z 0-9 . _ - @, the first a letter or digit",
            quoted(text)
        ))
    }

    /// The name of the user of this process.
    pub fn of_user() -> Self {
        let uid = rustix::process::getuid().as_raw();
        user::name(uid).and_then(|name| Self::parse(&name).ok()).unwrap_or_else(|| Self(format!("uid-{uid}")))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The caller and its permitted tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Its name.
    pub name: Name,
    /// The permitted tools; none if all are permitted.
    pub tools: Option<Vec<String>>,
}

impl Principal {
    /// Whether it may use a tool. The policies of the site decide too.
    pub fn may_ask_for(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|listed| listed == tool))
    }
}

/// Why the tokens are unavailable.
#[derive(Debug)]
pub enum TokensError {
    /// The file cannot be read.
    Fault(Fault),
    /// The fault of the file, as a sentence.
    Invalid(String),
}

impl fmt::Display for TokensError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(out, "failed to {fault}"),
            Self::Invalid(why) => out.write_str(why),
        }
    }
}

/// The principals of a token file, each with the digest of its token.
#[derive(Debug)]
pub struct Tokens(Vec<(Digest, Principal)>);

impl Tokens {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, TokensError> {
        let opened = || -> io::Result<_> {
            let file = regular_file::open(path)?;
            let found = file.metadata()?;
            Ok((found.uid(), found.permissions().mode()))
        };
        let (owner, mode) = opened().on("open", path).map_err(TokensError::Fault)?;
        let shown = path.display();
        if mode & 0o077 != 0 {
            let mode = mode & 0o7777;
            return Err(TokensError::Invalid(format!(
                "{shown} has mode {mode:04o}: other users could read or change it. Run chmod 600 {shown}"
            )));
        }
        if owner != 0 && owner != rustix::process::geteuid().as_raw() {
            return Err(TokensError::Invalid(format!(
                "{shown} belongs to user {owner}, who is neither root nor the user of this server"
            )));
        }
        let bytes = regular_file::read(path, TOKENS_BYTES_MAX).on("read", path).map_err(TokensError::Fault)?;
        let text = str::from_utf8(&bytes).map_err(|_| TokensError::Invalid(format!("{shown} is not UTF-8")))?;
        Self::parse(text).map_err(|(line, why)| TokensError::Invalid(format!("{shown}, line {line}: {why}")))
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut tokens = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let mut words = line.split_whitespace();
            let Some(name) = words.next().filter(|word| !word.starts_with('#')) else { continue };
            let name = Name::parse(name).map_err(|why| (number, why))?;
            let digest = words.next().and_then(|word| Digest::parse(word.strip_prefix("sha256:")?).ok());
            let (Some(digest), tools, None) = (digest, words.next(), words.next()) else {
                return Err((number, "expected NAME sha256:DIGEST [TOOL,TOOL]".to_owned()));
            };
            if tokens.iter().any(|(known, _)| *known == digest) {
                return Err((number, "another line has the same token".to_owned()));
            }
            let tools = tools.map(|tools| tools.split(',').map(str::to_owned).collect());
            tokens.push((digest, Principal { name, tools }));
        }
        Ok(Self(tokens))
    }

    /// The principal of a token. Digests are compared, so the timing reveals nothing about a token.
    pub fn principal(&self, token: &str) -> Option<&Principal> {
        let digest = Digest::of(token.as_bytes());
        self.0.iter().find(|(known, _)| *known == digest).map(|(_, principal)| principal)
    }

    /// The number of principals.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_name_is_one_plain_component_of_a_path() {
        for name in ["a", "alice", "bot-7", "A.b_c@host"] {
            assert_eq!(Name::parse(name).unwrap().as_str(), name);
        }
        for name in ["", ".", "..", ".a", "a/b", "../a", "-a", "a b", "a\n", "ä", "a\0", &"a".repeat(65)] {
            assert!(Name::parse(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_token_says_who_calls_and_which_tools_it_may_ask_for() {
        let text = format!("# people\n\nalice sha256:{}\nbot\tsha256:{} a,b\n", Digest::of(b"one"), Digest::of(b"two"));
        let tokens = Tokens::parse(&text).unwrap();
        assert_eq!(tokens.count(), 2);
        assert!(tokens.principal("one").unwrap().may_ask_for("anything"));
        let bot = tokens.principal("two").unwrap();
        assert!(bot.name.as_str() == "bot" && bot.may_ask_for("b") && !bot.may_ask_for("c"));
        for token in ["", "One", "one ", "three"] {
            assert!(tokens.principal(token).is_none(), "{token}");
        }
    }

    #[test]
    fn a_file_of_tokens_that_is_wrong_is_refused_with_its_line() {
        let digest = Digest::of(b"x");
        for (text, line) in [
            ("alice".to_owned(), 1),
            ("\nalice x".to_owned(), 2),
            (format!("al/ice sha256:{digest}"), 1),
            (format!("alice sha256:{digest} a b"), 1),
            (format!("alice sha256:{digest}\nbob sha256:{digest}"), 2),
        ] {
            assert_eq!(Tokens::parse(&text).unwrap_err().0, line, "{text}");
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
    fn a_file_of_tokens_that_others_may_read_is_refused() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("tokens");
        fs::write(&path, "").unwrap();
        for (mode, is_good) in [(0o644, false), (0o640, false), (0o602, false), (0o600, true), (0o400, true)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(Tokens::read(&path).is_ok(), is_good, "{mode:o}");
        }
        assert!(Tokens::read(&at.path().join("missing")).is_err());
    }
}
