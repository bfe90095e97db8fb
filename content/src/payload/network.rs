//! Shells that are connected to an address, in the words of whatever can open a socket.
//!
//! *Standards*: MITRE ATT&CK T1059 and T1071; the manuals of bash ("Redirections"), netcat, socat and gawk ("TCP/IP Networking").

use super::kind::Kind;
use super::pattern::{Pattern, Weight};

macro_rules! shell {
    () => {
        r#"["']?(?:[\w./\\:-]*[/\\])?(?:(?:ba|da|z|k|c|tc|a|fi|mk)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh|busybox)\b"#
    };
}

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::ByContext,
        anchors: &["/dev/tcp/", "/dev/udp/"],
        lines: 3,
        expression: r#"(?:(?:sh|exec|cat|while)\b[^\n]*?|\d+)[<>]{1,2}&?\s*["']?/dev/(?:tcp|udp)/[\w.${}:\[\]-]+/[\w${}]+[^\n]*?(?:(?s:.*?)[<>]&\s*\d|<>|\||;|$)"#,
        verify: Some(acts),
    },
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::Faint,
        anchors: &["/dev/tcp/", "/dev/udp/"],
        lines: 0,
        expression: r"/dev/(?:tcp|udp)/[\w.${}-]+/[\d$]\w*",
        verify: None,
    },
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::ByContext,
        anchors: &["nc ", "nc.", "ncat", "netcat", "rcat", "pwncat", "cryptcat", "sbd ", "powercat", "nc64", "rustcat"],
        lines: 0,
        expression: concat!(
            r"\b(?:rustcat|rcat)[ \t]+c\w*[ \t]+(?:-\w+[ \t]+)*-s\b|\b(?:nc(?:64)?|ncat|netcat|rcat|rustcat|cryptcat|sbd|powercat|pwncat\w*)(?:\.exe|\.traditional|\.openbsd)?\b[^\n|;]*?[ \t](?:-\w*[ec]|--(?:exec|sh-exec|lua-exec))(?:[ \t=]+|\b)",
            shell!(),
            r"|\|[ \t]*(?:nc|ncat|netcat|telnet)(?:\.exe)?[ \t][^\n|]*?\d+[ \t]*\|[ \t]*",
            shell!(),
            "|",
            shell!(),
            r#"[^\n|;]*?\|&?[ \t]*(?:nc|ncat|netcat|telnet|openssl)(?:\.exe)?[ \t][^\n]*?[ \t:]\d{2,5}\b|"#,
            r"\b(?:nc|ncat|netcat|telnet)(?:\.exe)?[ \t][^\n|;]*?[ \t]\d{2,5}[^\n|;]*?\|&?[ \t]*",
            shell!()
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::ByContext,
        anchors: &["mkfifo", "mknod"],
        lines: 3,
        expression: r"\bmk(?:fifo|nod)\b(?s:.*?)(?:\bnc(?:at|\.\w+)?\b|netcat|telnet|socat|s_client|/dev/tcp|\bsh[ \t]+-i)",
        verify: None,
    },
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::ByContext,
        anchors: &["socat"],
        lines: 1,
        expression: r"\bsocat\b[^\n]*?(?:\b(?:exec|system|shell):[^\n]*?\b(?:tcp|udp|openssl|ssl|sctp|vsock|socks\w*|unix)\w*[:-]|\b(?:tcp|udp|openssl|ssl|sctp|vsock)[\w-]*:[^\n]*?\b(?:exec|system|shell):)[^\s]*",
        verify: None,
    },
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::ByContext,
        anchors: &[
            "s_client",
            "telnet",
            "xterm -display",
            "ztcp",
            "/inet/tcp/",
            "/inet/udp/",
            "zsh/net/tcp",
            "rlogin",
            "tclsh",
            "wish",
        ],
        lines: 2,
        expression: concat!(
            r"\bopenssl[ \t]+s_client\b[^\n]*?\|[ \t]*(?:/bin/)?\w*sh\b|\b\w*sh\b[^\n]*?\|[ \t]*openssl[ \t]+s_client\b|\bsh[ \t]+-i\b[^\n]*?openssl[ \t]+s_client|",
            r"\btelnet[ \t]+\S+[ \t]+\d+[^\n]*?\|[ \t]*(?:/bin/)?\w*sh\b|\bxterm[ \t]+-display[ \t]+\S*:\d|\bztcp[ \t]+\S+[ \t]+\d+|",
            r#"/inet/(?:tcp|udp)/\d*/[^\n]*?(?:getline|\|&|cmd|system)|(?:tclsh|wish)(?s:.{0,200}?)\bsocket\b(?s:.{0,300}?)\bexec\b"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::ByContext,
        anchors: &[
            "socket(",
            "socket.",
            "import socket",
            "socket,",
            "use socket",
            "io::socket",
            "tcpsocket",
            "rsocket",
            "net.socket",
            "'socket'",
            "\"socket\"",
            "sockets.",
            "tcpclient",
            "fsockopen",
            "net.dial",
            "pfsockopen",
            "stream_socket_client",
            "net.connect",
            "tcpstream",
            "gen_tcp",
        ],
        lines: 16,
        expression: concat!(
            r"(?:\bsocket\b|io::socket|tcpsocket|net\.socket|(?:p?fsockopen|stream_socket_client|net\.(?:dial|connect)|sockets\.tcpclient|new[ \t]+tcpclient|tcpstream::connect|gen_tcp:connect)\b)(?s:.*?)",
            r#"(?:\bdup2\b|pty\.spawn|\b(?:exec|system|popen|spawn|proc_open|shell_exec|execl?|execve|io\.popen|os\.execute|process\.start|run|command|new|cmd)\b[ \t(:]*["'`\[({]*(?:[\w./\\]*[/\\])?(?:(?:ba|da|z)?sh\b|cmd\.exe|cmd["']|powershell)|"#,
            r"child_process(?s:.*?)(?:\.pipe\(|sh\b)|\biex\b|invoke-expression|scriptblock\]::create|exec[ \t]*sprintf|for[^\n]*?os\.dup)"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::ByContext,
        anchors: &["processbuilder", "child_process", "exec.command", "process.start", "os.execute", "getruntime"],
        lines: 12,
        expression: r"(?:processbuilder|child_process|exec\.command|process\.start|os\.execute|getruntime)(?s:.*?)(?:\bsh\b|cmd)(?s:.*?)(?:net\.(?:connect|socket|dial)|new[ \t]+(?:net\.)?socket\(|tcpclient|/dev/tcp|\bsocket\.)",
        verify: None,
    },
];

/// A redirection that a shell talks through, and not only one that asks whether a port is open.
fn acts(text: &[u8], found: std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
    let matched = text.get(found.clone())?;
    let has = |part: &[u8]| matched.windows(part.len()).any(|window| window == part);
    let acts = has(b">&") || has(b"<>") || has(b"<&") || has(b"-i") || has(b"| sh") || has(b"|sh") || has(b"&>");
    acts.then_some(found)
}
