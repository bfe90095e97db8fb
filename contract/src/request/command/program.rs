//! The programs that the words of a command call, and whether one is a shell or an installer.

use super::word::Word;

/// Programs that are shells, or run one on demand.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "rbash",
    "dash",
    "ash",
    "yash",
    "zsh",
    "ksh",
    "mksh",
    "lksh",
    "csh",
    "tcsh",
    "fish",
    "nu",
    "pwsh",
    "powershell",
    "cmd",
    "su",
    "sudo",
    "doas",
];
/// Programs that run the program named by a later word.
const WRAPPERS: &[&str] = &[
    "env", "busybox", "xargs", "nohup", "nice", "ionice", "chrt", "taskset", "timeout", "time", "setsid", "stdbuf",
    "unbuffer", "exec", "command", "find", "parallel", "script", "strace", "ltrace", "chroot", "unshare", "nsenter",
    "setpriv", "runuser", "flock", "watch", "ssh",
];
/// Python's modules that run the module or the program named by a later word.
const MODULE_WRAPPERS: &[&str] = &["runpy", "cProfile", "profile", "trace", "pdb", "coverage"];
/// Programs that install packages if a later word says so.
const INSTALLERS: &[&str] = &[
    "pip", "pipx", "uv", "conda", "npm", "pnpm", "bun", "apt", "apt-get", "aptitude", "apk", "dnf", "yum", "brew",
    "gem", "bundle",
];
const INSTALL_VERBS: &[&str] = &["install", "add", "get", "i", "ci", "download", "update", "upgrade", "wheel", "exec"];
/// Programs that do more than install; their second word decides.
const TOOLCHAINS: &[(&str, &[&str])] = &[
    ("go", &["get", "install", "mod"]),
    ("deno", &["add", "install", "cache"]),
    ("cargo", &["add", "fetch", "install", "update"]),
];
/// Programs that only fetch and install.
const FETCHERS: &[&str] = &["npx", "pnpx", "bunx", "uvx", "yarn", "ensurepip", "easy_install"];
/// Interpreters, the last letters of short options after which a program's text follows, and other words before one.
const INTERPRETERS: &[(&str, &str, &[&str])] = &[
    ("python", "c", &[]),
    ("node", "ep", &["--eval", "--print"]),
    ("tsx", "ep", &["--eval", "--print"]),
    ("ts-node", "ep", &["--eval", "--print"]),
    ("bun", "ep", &["--eval", "--print"]),
    ("deno", "", &["eval"]),
    ("ruby", "e", &[]),
    ("perl", "eE", &[]),
];

/// The word that is a shell, or has one run.
pub(super) fn shell(words: &[Word]) -> Option<&Word> {
    // `env -S "sh -c …"` hides the shell in a word of several parts.
    let is_shell = |text: &str| text.split_whitespace().any(|part| SHELLS.contains(&base_name(part)));
    programs(words).find(|(_, program)| is_shell(program)).map(|(index, _)| &words[index])
}

/// The word that is a program with an order to install something.
pub(super) fn installer(words: &[Word]) -> Option<&Word> {
    let last = |is_asked: &dyn Fn(&str) -> bool| words.iter().rposition(|word| is_asked(&word.text));
    let last_verb = last(&|word| INSTALL_VERBS.contains(&word));
    // `go run example.org/x@latest` fetches first.
    let last_module = last(&|word| word.contains('@'));
    let installs = |(index, program): &(usize, &str)| {
        let name = unversioned(base_name(program));
        let verb = words.get(index + 1).map_or("", |word| &word.text);
        match TOOLCHAINS.iter().find(|(toolchain, _)| *toolchain == name) {
            Some((_, verbs)) => verbs.contains(&verb) || (verb == "run" && last_module > Some(*index)),
            None => FETCHERS.contains(&name) || (INSTALLERS.contains(&name) && last_verb > Some(*index)),
        }
    };
    programs(words).find(installs).map(|(index, _)| &words[index])
}

/// For each word whether it is the text of a program, in which a path is no path of the command.
pub(super) fn texts(words: &[Word]) -> impl Iterator<Item = bool> {
    let program = words.first().map_or("", |word| base_name(&word.text));
    let interpreter = INTERPRETERS.iter().find(|(name, _, _)| *name == unversioned(program));
    let announces = move |word: &Word| {
        interpreter.is_some_and(|(_, letters, others)| {
            let is_last = |options: &str| options.ends_with(|last| letters.contains(last));
            others.contains(&word.text.as_str()) || short_options(&word.text).is_some_and(is_last)
        })
    };
    std::iter::once(false).chain(words.iter().map(announces))
}

/// The indices of the words that name a program to run: the first, the one after `-S`, modules run with `-m`, which may
/// be attached to it, and every word after a wrapper among these.
fn programs(words: &[Word]) -> impl Iterator<Item = (usize, &str)> {
    let mut is_wrapped = false;
    words.iter().enumerate().filter_map(move |(index, word)| {
        let before =
            index.checked_sub(1).and_then(|before| words.get(before)).and_then(|word| short_options(&word.text));
        let follows_module = before.is_some_and(|options| options.ends_with(['m', 'S']));
        let attached = short_options(&word.text).and_then(|options| options.split_once('m'));
        let attached = attached.map(|(_, module)| module).filter(|module| !module.is_empty());
        let is_named = index == 0 || is_wrapped || follows_module;
        let program = attached.or(is_named.then_some(word.text.as_str()))?;
        is_wrapped |= if index == 0 { WRAPPERS } else { MODULE_WRAPPERS }.contains(&base_name(program));
        Some((index, module_root(program)))
    })
}

/// The letters of a word of short options.
fn short_options(word: &str) -> Option<&str> {
    word.strip_prefix('-').filter(|options| !options.starts_with('-') && !options.is_empty())
}

/// `pip._internal` is `pip`.
fn module_root(text: &str) -> &str {
    text.split_once("._").map_or(text, |(root, _)| root)
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or_default()
}

/// `python3.11` is `python`, `pip3` is `pip`.
fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.')
}
