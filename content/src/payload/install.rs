//! Installations as manuals print them: a package manager is given a package by its address.
//!
//! ```text
//! sudo dnf install https://example.net/release.rpm        pip install git+https://github.com/example/tool
//! curl -LO https://example.net/tool.deb ⏎ sudo dpkg -i tool.deb
//! wget https://example.net/tool-1.0.tgz ⏎ tar xf tool-1.0.tgz ⏎ … ⏎ make install
//! ```
//!
//! Such lines are worth a flag and no refusal: nearly every project's own guide has one, what is installed has a name, a version
//! and mostly a signature, and whoever runs it sees what it asks for. What goes from an address into an interpreter, is made
//! runnable or comes from a bare number or over an open connection is not among them.
//!
//! Known weakness: whether a host deserves trust is not asked, other than for sources that build as they are installed.
//! *Security*: hostile text of one match, in a few passes over it.

use super::super::rule::Strength;

/// What comes before a program of its own.
const BEFORE: &[&str] = &["sudo", "doas", "$", "#", ">", "run", "run:", "env", "-"];

/// Managers of packages that are signed, or that hold what a person built.
const SIGNED: &[&str] = &["dnf", "yum", "zypper", "apt", "apt-get", "dpkg", "rpm"];

/// Managers that build from a source, or install what a project describes: only from a host of code, of which the address names
/// the project. An interpreter is one where it is given the manager as a module.
const BUILDING: &[&str] =
    &["pip", "pip3", "pipx", "uv", "npm", "yarn", "pnpm", "cargo", "gem", "python", "python3", "kubectl", "helm"];

/// What makes such a manager run what it fetched.
const RUNNING: &[&str] = &["run", "exec", "x", "dlx"];

/// What builds and installs a source that lies there.
const MAKING: &[&str] = &["make", "setup.py", "configure"];

const HOSTS: &[&str] =
    &["github.com", "gitlab.com", "codeberg.org", "bitbucket.org", "git.sr.ht", "gitlab.freedesktop.org"];

/// What describes containers to a cluster, and where the files of a project lie by themselves.
const DESCRIBED: &[&str] = &["kubectl", "helm"];
const FILES: &str = "raw.githubusercontent.com";

/// Indexes of packages that a manager asks anyway, and that nobody can put a package of another into.
const INDEXES: &[&str] = &[
    "pypi.org",
    "test.pypi.org",
    "files.pythonhosted.org",
    "download.pytorch.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "rubygems.org",
    "static.crates.io",
    "proxy.golang.org",
];

/// The strength of a match that fetches and installs.
pub(super) fn strength(matched: &[u8]) -> Strength {
    if is_ordinary(matched) { Strength::Mentioned } else { Strength::Addressed }
}

/// Whether every address in a match is of an index that the managers ask anyway.
pub(super) fn is_index(matched: &[u8]) -> bool {
    let mut hosts = hosts(matched).peekable();
    hosts.peek().is_some() && hosts.all(|host| host.is_some_and(|host| is_any(host, INDEXES)))
}

/// Whether a program installs packages that are signed or were built already.
pub(super) fn is_installer(program: &[u8]) -> bool {
    is_any(program, SIGNED)
}

fn is_ordinary(matched: &[u8]) -> bool {
    let last = matched.rsplit(|byte| matches!(byte, b'\n' | b';' | b'|' | b'&')).next().unwrap_or_default();
    let mut words = last.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'('));
    let Some(program) = words.find(|word| !word.is_empty() && !is_any(word, BEFORE)) else { return false };
    let program = program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let first = words.next().unwrap_or_default();
    let is_interpreter = is_any(program, &["python", "python3"]) && !(first == b"-m" || first.ends_with(b"setup.py"));
    if is_interpreter || is_any(first, RUNNING) {
        return false;
    }
    let is_cloned = memchr::memmem::find(matched, b"clone").is_some();
    let is_host = |host: &[u8]| {
        is_any(program, SIGNED)
            || is_any(program, MAKING) && (!is_cloned || is_any(host, HOSTS))
            || is_any(program, BUILDING) && is_any(host, HOSTS)
            || is_any(program, DESCRIBED) && is_any(host, &[FILES])
    };
    let mut hosts = hosts(matched).peekable();
    hosts.peek().is_some() && hosts.all(|host| host.is_some_and(is_host))
}

/// The hosts of the addresses; none for one that is no name, or that is not reached over a closed connection.
fn hosts(text: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    memchr::memmem::find_iter(text, b"://").map(|at| {
        let is_closed = text.get(..at)?.ends_with(b"https") || text.get(..at)?.ends_with(b"ssh");
        let rest = text.get(at + 3..)?;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#:\"'`)>,;".contains(byte);
        let host = rest.get(..rest.iter().position(ends).unwrap_or(rest.len()))?;
        let host = host.strip_prefix(b"git@").unwrap_or(host);
        let last = host.rsplit(|byte| *byte == b'.').next()?;
        let is_name = host.contains(&b'.') && last.len() >= 2 && last.iter().all(u8::is_ascii_alphabetic);
        let is_plain = host.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
        (is_closed && is_name && is_plain).then_some(host)
    })
}

fn is_any(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_managers_ask_anyway_is_told_from_one_beside_it() {
        assert!(is_index(b"uv run --default-index https://pypi.org/simple"));
        for other in
            ["https://pypi.org.example.net/simple", "https://user@pypi.org/x", "http://pypi.org/x", "no address"]
        {
            assert!(!is_index(format!("pip install -i {other}").as_bytes()), "{other}");
        }
        assert!(!is_index(b"pip install -i https://pypi.org/simple https://example.net/x.whl"));
    }
}
