//! A few shapes that are certainly secrets: private key blocks, the tokens of well-known services, a password in a URL.

/// How a token begins, and how many more characters it has at least.
const TOKENS: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 35),
    ("ghp_", 36),
    ("gho_", 36),
    ("ghu_", 36),
    ("ghs_", 36),
    ("ghr_", 36),
    ("github_pat_", 22),
    ("glpat-", 20),
    ("hf_", 34),
    ("npm_", 36),
    ("sk-ant-", 20),
    ("sk-proj-", 20),
    ("sk_live_", 24),
    ("xoxb-", 20),
    ("xoxp-", 20),
];

/// Whether a line contains one.
pub(super) fn is_in(line: &str) -> bool {
    line.contains("PRIVATE KEY-----")
        || TOKENS.iter().any(|(prefix, count)| holds_token(line, prefix, *count))
        || line.split("://").skip(1).any(has_password)
}

fn holds_token(line: &str, prefix: &str, count: usize) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    line.match_indices(prefix)
        .any(|(index, _)| line.bytes().skip(index + prefix.len()).take(count).take_while(is_token).count() == count)
}

/// Whether the text after `://` begins with a user and a password.
fn has_password(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#', ' ', '\'', '"']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':'));
    user.is_some_and(|(_, password)| !password.is_empty())
}
