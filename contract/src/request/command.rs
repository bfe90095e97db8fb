//! The section `Command`: one plain program call, split into words and never given to a shell.
//!
//! The deny rules look at whole words. They stop accidents and lazy attacks and show an approver the effect of a line. They do not restrict
//! a program: an interpreter may still do anything inside the sandbox. The site lists the programs that may be called at all.
//!
//! Security: hostile text; linear. A word that may be a secret is never quoted.

mod path;
mod program;
mod secret;
mod word;

use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

use super::field::Faults;
use super::section::Section;
use word::Word;

/// Reads the argument vector; `None` when it was refused.
pub(super) fn read(section: &Section<'_>, faults: &mut Faults) -> Option<Vec<String>> {
    let mut lines = section.lines.iter().filter(|line| !line.text.trim().is_empty());
    let mut refuse = |place, message: String, hint: &str| {
        faults.add(place, Reason::new(Code::CommandForbidden, message, hint));
        None
    };
    let Some(line) = lines.next() else {
        return refuse(
            (section.line, 1),
            "The section Command is empty.".into(),
            "Write one program call on one line.",
        );
    };
    if line.fenced {
        let message = "The command is inside a fence.".into();
        return refuse((line.number, 1), message, "Write the command as one plain line, without a fence.");
    }
    if let Some(second) = lines.next() {
        let message = "The section Command has more than one line.".into();
        return refuse(
            (second.number, 1),
            message,
            "Write one program call on one line; use several requests for several.",
        );
    }
    if secret::is_in(line.text) {
        let message = "The command contains what looks like a secret.".into();
        return refuse((line.number, 1), message, "Remove it, and revoke it: the request has been stored.");
    }
    match word::split(line.text) {
        Err(features) => {
            for (feature, column) in features {
                let hint =
                    "Commands are not run by a shell; put the character in single quotes if it is meant as text.";
                refuse((line.number, column), format!("The command {feature}."), hint);
            }
            None
        }
        Ok(words) => {
            let found = forbidden(&words);
            for (word, what, hint) in &found {
                refuse((line.number, word.column), format!("The word {} {what}.", quoted(&word.text)), hint);
            }
            found.is_empty().then(|| words.into_iter().map(|word| word.text).collect())
        }
    }
}

type Finding<'a> = (&'a Word, &'static str, &'static str);

fn forbidden(words: &[Word]) -> Vec<Finding<'_>> {
    let assignment = words.first().filter(|word| word.text.contains('=') || word.text.is_empty());
    let texts = program::texts(words);
    let path = words.iter().zip(texts).find(|(word, is_text)| !is_text && path::reaches_host(&word.text));
    [
        assignment.map(|word| (word, "is not a program name", "Begin with the program; variables cannot be set.")),
        program::shell(words).map(|word| (word, "is a shell, or runs one", "Name the program itself.")),
        program::installer(words).map(|word| (word, "installs packages", "Use what is installed in the sandbox.")),
        path.map(|(word, _)| {
            (word, "reaches outside /in and /out", "Name inputs under /in, outputs under /out, programs by name.")
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The refused words in a line that a shell would read in only one way.
    fn refused(line: &str) -> Vec<String> {
        let words = word::split(line).unwrap_or_else(|features| panic!("{line}: {features:?}"));
        forbidden(&words).into_iter().map(|(word, _, _)| word.text.clone()).collect()
    }

    #[test]
    fn plain_calls_of_interpreters_are_left_alone() {
        for line in [
            "python3 /in/stats.py /in/data.csv /out/stats.json",
            "python3 -c \"print(open('/in/data.csv').read()); x = 1 /2\"",
            "python3 -Ic 'import re; re.sub(r\"../\", \"/etc/passwd\", \"\")' in/data.csv",
            "python3 -m json.tool /in/a.json /out/b.json",
            "python3 -m unittest in.tests",
            "python3 -m cProfile -o /out/profile /in/stats.py install",
            // It creates folders, and installs only files that are already on the machine.
            "python3 -m venv /out/environment",
            "python3 x.py '{\"url\": \"https://example.org/a\", \"file\": \"/in/a\"}' '[/out/b]' --note='a / b'",
            "node -e 'const m=/ab/.exec(\"cab\"); console.log(m)'",
            "node --eval=1+1",
            "node /in/fetch.js 'https://example.org:8443/a/b?c=d'",
            "ruby -ne 'print if /x/' in/log.txt",
            "go run /in/main.go add 1 2",
            "deno eval 'console.log(1)'",
            "tsx in/main.ts --ratio=16:9 --at=12:30 --scale 1/2 a,b",
        ] {
            assert_eq!(refused(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn a_shell_is_refused_however_it_is_called() {
        for (line, word) in [
            ("sh -c ls", "sh"),
            ("bash script", "bash"),
            ("/in/bash script", "/in/bash"),
            ("\"ba\"'sh' script", "bash"),
            ("b\\ash script", "bash"),
            ("rbash", "rbash"),
            ("env sh -c ls", "sh"),
            ("env -i A=1 bash -c ls", "bash"),
            ("env -S 'sh -c ls'", "sh -c ls"),
            ("nice -n 5 timeout 3 dash x", "dash"),
            ("flock x zsh", "zsh"),
            ("busybox sh x", "sh"),
            ("find . -exec sh x", "sh"),
            ("sudo ls", "sudo"),
        ] {
            assert_eq!(refused(line), [word], "{line}");
        }
    }

    #[test]
    fn an_installation_is_refused_however_it_is_asked_for() {
        for (line, word) in [
            ("pip install x", "pip"),
            ("pip3.11 download x", "pip3.11"),
            ("python3 -m pip install x", "pip"),
            ("python3 -mpip install x", "-mpip"),
            ("python3 -Im pip --quiet install x", "pip"),
            ("python3 -Impip install x", "-Impip"),
            ("python3 -m pip._internal install x", "pip._internal"),
            ("python3 -m ensurepip", "ensurepip"),
            ("python3 -m easy_install x", "easy_install"),
            ("python3 -m runpy pip install x", "pip"),
            ("python3 -m runpy pip.__main__ install x", "pip.__main__"),
            ("python3 -Imrunpy ensurepip", "ensurepip"),
            ("python3 -m cProfile -m pip install x", "pip"),
            ("python3 -m trace --count --module pip install x", "pip"),
            ("python3 -m pdb -mpip install x", "-mpip"),
            ("env python3 -m runpy pip install x", "pip"),
            ("env python3 -mpip install x", "-mpip"),
            ("npx left-pad", "npx"),
            ("yarn", "yarn"),
            ("npm ci", "npm"),
            ("go get example.org/x", "go"),
            ("go install example.org/x@latest", "go"),
            ("go mod download", "go"),
            ("go run example.org/x@latest", "go"),
            ("deno add npm:left-pad", "deno"),
            ("gem install x", "gem"),
            ("ruby -S gem install x", "gem"),
            ("env pip install x", "pip"),
        ] {
            assert_eq!(refused(line), [word], "{line}");
        }
    }

    #[test]
    fn a_path_of_the_host_is_refused_anywhere_in_a_word() {
        for word in [
            "/etc/passwd",
            "//etc/passwd",
            "/input/x",
            "/in/../etc/passwd",
            "../x",
            "in/../../x",
            "--file=/etc/passwd",
            "--file=@/etc/passwd",
            "@/etc/passwd",
            "-d@/etc/passwd",
            "-I/usr/include",
            "--path=/in:/etc",
            "--volume=/in:/data:ro",
            "in/a,/etc/passwd",
            "file:///etc/passwd",
            "--url=file:///etc/passwd",
            "file:/etc/passwd",
            "host:/etc/passwd",
            "/dev/tcp/example.org/80",
            "/proc/self/environ",
        ] {
            assert_eq!(refused(&format!("python3 x.py {word}")), [word], "{word}");
        }
        for (line, word) in [
            ("' /etc/passwd'", " /etc/passwd"),
            ("'--config={/etc/passwd}'", "--config={/etc/passwd}"),
            ("--config={/etc/passwd}", "--config={/etc/passwd}"),
            ("\"'/etc/passwd'\"", "'/etc/passwd'"),
            ("'{\"a\": \"/etc/passwd\"}'", "{\"a\": \"/etc/passwd\"}"),
            ("'[\"../x\"]'", "[\"../x\"]"),
            ("'-I /usr/include'", "-I /usr/include"),
            ("'{file:///etc/passwd}'", "{file:///etc/passwd}"),
        ] {
            assert_eq!(refused(&format!("python3 x.py {line}")), [word], "{line}");
        }
        // For node this is no program text but a file.
        assert_eq!(refused("node -c /etc/passwd"), ["/etc/passwd"]);
    }

    #[test]
    fn a_secret_is_found_in_the_whole_line() {
        for line in [
            "python3 x.py AKIAABCDEFGHIJKLMNOP",
            "python3 x.py --token=github_pat_11ABCDEFG0abcdefghijkl_x",
            "python3 x.py glpat-abcdefghij0123456789",
            "python3 x.py xoxb-123456789012-abcdefghijkl",
            "python3 x.py xoxp-123456789012-abcdefghijkl",
            "python3 x.py sk-ant-api03-abcdefghij0123456789",
            "python3 x.py --key=sk-proj-abcdefghij0123456789",
            "python3 x.py hf_abcdefghijklmnopqrstuvwxyz01234567",
            "python3 x.py -H 'Authorization: Bearer ghs_abcdefghijklmnopqrstuvwxyz0123456789'",
            "python3 x.py postgres://user:hunter2@db.example.org/x",
            "python3 -c 'key = \"-----BEGIN PRIVATE KEY-----\"'",
        ] {
            assert!(secret::is_in(line), "{line}");
        }
        for line in ["python3 x.py https://user@example.org/a:b@c", "python3 x.py AKIA", "python3 x.py http://a:80/x@y"]
        {
            assert!(!secret::is_in(line), "{line}");
        }
    }
}
