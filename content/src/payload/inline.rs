//! Interpreters with code on their command line, and code that evaluates what it decoded or fetched.
//!
//! *Standards*: MITRE ATT&CK T1059.004 to T1059.007 and T1027; CWE-95.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::argument;
use super::kind::Kind;
use super::pattern::{Pattern, Weight};

/// What hands words to a shell or makes code out of a string.
macro_rules! running {
    () => {
        concat!(
            r"(?:\b(?:exec[lv]?[pe]?e?|eval(?:uate|_?string)?|system|popen\w*|spawn\w*|subprocess|child_process|shell_exec|passthru|proc_open|pcntl_exec|assert|",
            r"loadstring|load|dofile|compile|__import__|runscript|instance_eval|class_eval|require|include|source|execute|execsync|execfile|",
            r"invoke-expression|iex|getattr|fork|do[ \t]+shell[ \t]+script|new[ \t]+function|function|start-process|processbuilder|runtime)\b|`|%x)"
        )
    };
}

/// What fetches or decodes within a program.
macro_rules! loading {
    () => {
        concat!(
            r"(?:\bhttps?\b|://|\burllib|\burlopen\b|\brequests\b|\bsockets?\b|base64|b64decode|fromhex|unhexlify|\bmarshal\b|\bzlib\b|\batob\b|\bunpack\b|",
            r"\bpack\b|\blwp\b|open-uri|file_get_contents|net::http|\bfetch\b|\bcurl\b|\bwget\b|tcpsocket|fsockopen|/dev/tcp|/inet/|buffer\.from|",
            r"\bchr\(|fromcharcode|gzinflate|decode64|codecs|rot13|\bscp\b|\bftp\b|io::socket|net\.connect|net\.socket|/bin/(?:ba|da|z)?sh|\bpty\b|cmd\.exe|powershell)"
        )
    };
}

macro_rules! commanded {
    () => {
        concat!(
            r"(?:^|[^\w.])(?:i?python[\d.]*w?|pypy[\d.]*|perl[\d.]*|raku|ruby[\d.]*|jruby|node(?:js)?|deno|bun|php[\d.]*(?:-cgi|-cli)?|lua(?:jit)?[\d.]*|",
            r"rscript|r|osascript|tclsh|groovy|julia|elixir|erl|guile|racket|sbcl|scala|swift|octave|expect|gawk|awk|mawk|nawk|busybox[ \t]+awk|jrunscript|jjs|",
            r"java|kotlin|vim?|ex|emacs|gdb|sqlite3|psql|make|tar|find|ssh|ghc|runghc|clojure|nim|crystal|zsh|pwsh|powershell|mono|csi)(?:\.exe)?\b[^\n]*?",
        )
    };
}

const COMMANDED: &[&str] = &[
    "python",
    "pypy",
    "perl",
    "ruby",
    "node",
    "deno",
    "php",
    "lua",
    "rscript",
    "osascript",
    "tclsh",
    "groovy",
    "julia",
    "elixir",
    "awk",
    "guile",
    "jrunscript",
    "jjs",
    "scala",
    "swift",
    "erl ",
    "raku",
    "bun ",
    "racket",
    "octave",
    "expect",
];

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        kind: Kind::InlineCode,
        weight: Weight::ByContext,
        anchors: COMMANDED,
        lines: 4,
        expression: concat!(
            commanded!(),
            r#"(?:[ \t]-{1,2}(?:\w*[cer]|eval|execute|exec|print|M\S+|command)[ \t=]*["'$]|[ \t]eval[ \t]+["']|[ \t]["'](?:BEGIN|\{)|-e["'])(?s:.*?)(?:"#,
            running!(),
            r"(?s:.*?)",
            loading!(),
            "|",
            loading!(),
            r"(?s:.*?)",
            running!(),
            ")"
        ),
        verify: Some(acts),
    },
    Pattern {
        kind: Kind::InlineCode,
        weight: Weight::ByContext,
        anchors: COMMANDED,
        lines: 0,
        expression: concat!(
            commanded!(),
            r#"(?:[ \t]-{1,2}(?:\w*[cer]|eval|execute)[ \t=]*["'$]|[ \t]eval[ \t]+["']|[ \t]["'](?:BEGIN[ \t]*\{|\{)|-e["'])(?:[^\n]*?"#,
            r#"(?:\bos\.(?:system|popen|exec\w+|spawn\w+)|\bos\.execute|io\.popen|\bsubprocess\b|pty\.spawn|child_process|shell_exec|passthru|proc_open|popen\(|"#,
            r#"do shell script|\bexec[ \t(]*["'(\[$q]|\bkernel\.exec|runtime\.getruntime|processbuilder|\beval[ \t(]*["'(\[$]|deno\.(?:run|command)|bun\.spawn|"#,
            r#"system\.cmd|os:cmd|\brun\(`)|(?:[^\n]*?[^\w\n-])??system[ \t(]*["'(\[$])"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::InlineCode,
        weight: Weight::ByContext,
        anchors: &[
            "checkpoint-action",
            "proxycommand",
            "--eval",
            "!sh",
            ":!",
            "--to-command",
            "--use-compress-program",
            "core.sshcommand",
            "core.fsmonitor",
            "core.pager",
        ],
        lines: 0,
        expression: concat!(
            r"--checkpoint-action=exec\S*|proxycommand[= ][^\n]*?(?:\bsh\b|curl|wget|\bnc(?:at)?[ \t][^\n]*?-\w*[ec]\b|\||;|`|\$\()|\bvim?[ \t][^\n]*?-c[ \t]*\W?:!?[^\n]*?(?:sh\b|!)|",
            r"--(?:to-command|use-compress-program)[= ]\W?(?:sh|bash|/)|core\.(?:sshcommand|fsmonitor|pager|editor)[= ][^\n]*?(?:curl|wget|\bsh[ \t]+-c|\bnc[ \t]|;|\||\$\()"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Evaluated,
        weight: Weight::ByContext,
        anchors: &[
            "base64",
            "b64decode",
            "fromhex",
            "unhexlify",
            "marshal.loads",
            "atob(",
            "unescape(",
            "fromcharcode",
            "gzinflate",
            "gzuncompress",
            "str_rot13",
            "decode64",
            "pack(",
            "decompress(",
            "buffer.from",
            "codecs.decode",
            "hex2bin",
            "chr(",
            "decodeuricomponent",
            "unpack",
        ],
        lines: 1,
        expression: concat!(
            r"(?:\b(?:eval|exec|assert|execscript|instance_eval|class_eval|loadstring|create_function|setimmediate|settimeout|setinterval|(?-i:Function)|",
            r"document\.write(?:ln)?|os\.system|popen|system|shell_exec|passthru|call_user_func|marshal\.loads|pickle\.loads|preg_replace|importlib\S*|execsync|",
            r"defineclass|assembly\.load|\[reflection\.assembly\]::load|iex|invoke-expression)[ \t]*[( ][^\n=]{0,120}?",
            r"(?:b(?:16|32|64|85)decode|base64_decode|base64\.(?:decode\w*|b64decode|urlsafe_b64decode)|fromhex|unhexlify|marshal\.loads|\batob\(|unescape\(|fromcharcode|gzinflate|",
            r#"gzuncompress|str_rot13|decode64|\bunpack[ (]|\bpack[ (]["'][hm]|decompress\(|buffer\.from\([^\n]{0,4000}?['"](?:base64|hex)|codecs\.decode|hex2bin|(?:chr\(\d+\)[^\n]{0,3}){4}|frombase64string|base64[ \t]+-d|__import__\(['"]base64))"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Evaluated,
        weight: Weight::ByContext,
        anchors: &[
            "urlopen",
            "requests.get",
            "requests.post",
            "urllib",
            "file_get_contents",
            "open-uri",
            "uri.open",
            "net::http",
            "fetch(",
            "curl_exec",
            "lwp::simple",
            "get(\"http",
            "get('http",
            "xmlhttp",
            "httpx.",
            "http.get",
            "https.get",
            "axios",
            "uri(",
            "url.read",
            "urlconnection",
            "urlclassloader",
            "from \"http",
            "import(\"http",
            "import('http",
            "include 'http",
            "include \"http",
            "include('http",
            "include(\"http",
            "require 'http",
            "require('http",
            "require(\"http",
            "importscripts",
            "require_once",
            "include_once",
            "source(\"http",
            "dofile",
            "read_html",
            "httpclient",
            "net/http",
        ],
        lines: 2,
        expression: concat!(
            r"(?:\b(?:eval|exec|os\.system|popen|system|shell_exec|passthru|instance_eval|class_eval|loadstring|(?:pickle|marshal|yaml|dill|torch|joblib|np)\.(?:unsafe_)?load|(?-i:Function)|vm\.run\w*|subprocess\.\w+)|(?:^|[^.\w])(?:load|compile))[ \t]*[( ]+[^\n]{0,100}?",
            r"(?:urlopen|requests\.(?:get|post)(?:[ \t]*[(),]|\.\w)|urllib\d?(?:\.[\w.]*\(|[\x22\x27])|file_get_contents\([^\n)]{0,6}?[a-z]{3,5}://|\buri\.open|\bopen\([^\n)]{0,4}?https?:|net::http|await[ \t]+fetch|curl_exec|\bget[ (]+.https?://|httpx\.|responsetext|http\.request)|",
            r"(?:urlopen|requests\.get|\bfetch|https?\.get|axios\.get|axios)\([^\n]{0,300}?(?:\beval\(|\bexec\(|new function\(|\beval\b[ \t]*\)|vm\.run|execsync)|",
            r"\b(?:include|require)(?:_once)?[ \t(]+.(?:https?|ftp|data|php|expect)://|\bimportscripts\([^\n]{0,8}?//|\bimport\([ \t]*.https?://|urlclassloader\([^\n]{0,100}?://|\bsource\(.https?://"
        ),
        verify: None,
    },
];

/// Where code begins, up to its quotation mark.
static OPENING: LazyLock<Regex> = LazyLock::new(|| {
    argument::compiled(
        r#"(?:[ \t]-{1,2}(?:\w*[cer]|eval|execute|exec|print|M\S+|command)[ \t=]*|[ \t]eval[ \t]+|awk\b[^\n|;]*?[ \t]|-e)["'$]"#,
    )
});

/// Code that runs something, and fetches or decodes.
static ACTING: LazyLock<Regex> = LazyLock::new(|| {
    argument::compiled(concat!(running!(), r"(?s:.*?)", loading!(), "|", loading!(), r"(?s:.*?)", running!()))
});

/// How far the arguments behind code are read, bytes.
const ARGUMENTS_BYTES_MAX: usize = 256;

/// Code that does both itself, or with its own arguments: what stands around it, a link in the next paragraph or the end of a
/// block, is none of its own.
fn acts(text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
    let mut from = found.start;
    while let Some(opening) = OPENING.find(text.get(from..found.end.max(from))?) {
        let code = argument::code(text, from + opening.end() - 1);
        let behind = text.get(code.end..)?.iter().take(ARGUMENTS_BYTES_MAX);
        let end = code.end + behind.take_while(|byte| !matches!(byte, b';' | b'|' | b'&' | b'\n')).count();
        if ACTING.is_match(text.get(code.start..end)?) {
            return Some(found.start..code.end);
        }
        from = code.end.max(from + opening.end());
    }
    None
}
