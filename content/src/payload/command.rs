//! Commands of a Unix shell that fetch and run, decode and run, or run code from their own command line.
//!
//! Absent: commands that only fetch, or only run what is already there. *Standards*: POSIX.1-2024, XCU 2 "Shell Command
//! Language"; the manuals of the tools named; MITRE ATT&CK T1059 and T1105.

use super::argument;
use super::kind::Kind;
use super::pattern::{Pattern, Weight};
use super::then_run;

/// What fetches: the words that a neighbourhood is found by.
pub(super) const FETCHING: &[&str] = &[
    "curl",
    "wget",
    "aria2c",
    "axel ",
    "lwp-",
    "lynx",
    "w3m",
    "elinks",
    "links ",
    "fetch ",
    "ftp ",
    "ftpget",
    "http ",
    "https ",
    "xh ",
    "scp ",
    "rsync",
    "socat",
    "ncat",
    "netcat",
    "nc ",
    "dig ",
    "nslookup",
    "gsutil",
    "aws s3",
    "rclone",
    "ipfs",
    "s_client",
    "telnet",
    "finger ",
    "git archive",
    "ssh ",
    "gcloud",
    "azcopy",
    "iwr ",
    "irm ",
    "invoke-web",
    "invoke-rest",
    "get http",
    "smbclient",
    "bitsadmin",
    "certutil",
];

/// An interpreter that reads the end of a pipeline.
const PIPED: &[&str] = &[
    "|sh",
    "| sh",
    "|bash",
    "| bash",
    "|sudo",
    "| sudo",
    "|python",
    "| python",
    "|perl",
    "| perl",
    "|ruby",
    "| ruby",
    "|node",
    "| node",
    "|php",
    "| php",
    "|zsh",
    "| zsh",
    "|dash",
    "| dash",
    "|ksh",
    "| ksh",
    "|ash",
    "| ash",
    "|fish",
    "| fish",
    "|/",
    "| /",
    "|env ",
    "| env ",
    "| source",
    "|source",
    "|busybox",
    "| busybox",
    "| pwsh",
    "|pwsh",
    "| powershell",
    "|powershell",
    "| tclsh",
    "| lua",
    "|lua",
    "| osascript",
    "| deno",
    "|deno",
    "| bun ",
    "|bun ",
    "| xargs",
    "|xargs",
    "| doas",
    "|doas",
    "| rscript",
    "| groovy",
    "| julia",
    "| cmd",
    "|cmd",
    "| exec",
    "|exec",
    "| su ",
    "| ssh",
    "| at ",
    "| nohup",
    "|nohup",
    "| command",
    "| mksh",
    "| tcsh",
    "| csh",
    "| ipython",
    "| pypy",
    "| elixir",
    "| guile",
    "| iex",
    "|iex",
    "| setsid",
    "| timeout",
    "| crontab",
    "|&",
    "| .",
    "| docker",
    "| parallel",
    "| while",
    "| \"$",
    "| $",
    "|$",
    "| guix",
    "| raku",
    "| scheme",
    "| jshell",
    "| swift",
    "| kubectl",
    "| eval",
];

const DECODING: &[&str] = &[
    "base64",
    "base32",
    "basenc",
    "xxd",
    "openssl",
    "uudecode",
    "gunzip",
    "zcat",
    "b64decode",
    "printf",
    "rev",
    "$'\\",
];

macro_rules! fetch {
    () => {
        concat!(
            r"(?:curl|wget2?|aria2c|axel|lwp-(?:request|download|dump|mirror|rget)|lynx|elinks|w3m|t?ftp(?:get)?|lftp|(?:https?|fetch|get|links2?)[ \t]+(?:-\S+|get|post)|xhs?|",
            r"curlie|s?cp|sftp|rsync|socat|ncat|netcat|nc|dig|drill|nslookup|gsutil|aws|rclone|ipfs|s3cmd|telnet|gcloud|",
            r"azcopy|git[ \t]+archive|openssl[ \t]+s_client|smbclient|snarf|websocat|grpcurl|hurl|gopher|iwr|irm|",
            r"invoke-webrequest|invoke-restmethod|ssh)(?:\.exe)?"
        )
    };
}

/// Words before an interpreter that hand their arguments on to it.
macro_rules! before {
    () => {
        concat!(
            r"(?:\w+=\S*[ \t]+)*(?:(?:sudo|doas|env|nohup|exec|command|builtin|setsid|time|nice|ionice|busybox|unbuffer|stdbuf|timeout|",
            r"chroot|xargs|ssh|docker|podman|su|parallel|torsocks|torify|proxychains4?|unshare|nsenter|systemd-run|wsl|chronic|",
            r"kubectl|lxc|eatmydata|linux32|setarch|fakeroot|runuser|while[ \t]+read)\b[^\n|&]*?[ \t'])?"
        )
    };
}

macro_rules! interpreter {
    () => {
        concat!(
            r#"["']?(?:[\w.~*?/-]*/|\$\{?)?(?:(?:[bdzkacy]|mk|tc|pdk|ba|da|ka|fi|rba|ya|o|nu|hu|elvi|xon)?sh|elvish|pwsh|powershell|cmd|"#,
            r"i?python[\d.]*w?|pypy[\d.]*|micropython|perl[\d.]*|raku|ruby[\d.]*|irb|jruby|node(?:js)?|deno|bun|qjs|php[\d.]*|",
            r"lua(?:jit)?[\d.]*|rscript|osascript|tclsh[\d.]*|wish|expect|groovy|jshell|julia|guile|racket|sbcl|clisp|runghc|ghci|",
            r"scala|swift|elixir|erl|escript|octave|iex|source|eval|crontab|at|batch|kubectl[ \t]+(?:apply|create)|docker[ \t]+load)(?:\.exe)?"
        )
    };
}

/// The end of an interpreter's name.
macro_rules! ended {
    () => {
        r"(?:$|[^\w.\-/:=,(]|\.(?:\s|$)|,\s)"
    };
}

/// Something that is fetched: an address, a name of a host, a variable.
macro_rules! target {
    () => {
        r"(?:://|\$[\w{(]|\d\.\d+\.\d+\.\d|[a-z0-9-]\.[a-z]{2,}\b|\[?::|\blocalhost\b|\bqm\w{4}|\bbafy\w)"
    };
}

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        kind: Kind::FetchPiped,
        weight: Weight::ByContext,
        anchors: FETCHING,
        lines: 2,
        expression: concat!(
            r"(?:^|[^\w.-])",
            fetch!(),
            r#"["']?[ \t][^\n]*?"#,
            target!(),
            r#"(?:[^\n]*?[^|\s])??\s*\|&?\s*"#,
            before!(),
            interpreter!(),
            ended!()
        ),
        verify: Some(argument::is_run),
    },
    Pattern {
        kind: Kind::FetchPiped,
        weight: Weight::ByContext,
        anchors: PIPED,
        lines: 1,
        expression: concat!(
            r"[\w./-]+[ \t][^\n|]*?(?:https?|s?ftps?|s3|gs|tftp|ldaps?|gopher|ipfs|file|smb|dict|wss?)://[^\n]*?\|&?\s*",
            before!(),
            interpreter!(),
            r#"(?:$|[;&)"'`]|[ \t]+(?:-|$|[;&)<>/]|\d?>))"#
        ),
        verify: Some(argument::is_run),
    },
    Pattern {
        kind: Kind::FetchPiped,
        weight: Weight::ByContext,
        anchors: &["/dev/tcp/", "/dev/udp/"],
        lines: 0,
        expression: concat!(r"/dev/(?:tcp|udp)/[^\n]*?(?:\||\bdo\b)[^\n]*?\b", interpreter!(), ended!()),
        verify: None,
    },
    Pattern {
        kind: Kind::FetchSubstituted,
        weight: Weight::ByContext,
        anchors: FETCHING,
        lines: 1,
        expression: concat!(
            r#"(?:(?:^|[\s;&|("'`=\[>])(?:"#,
            interpreter!(),
            r#"(?:[ \t]+[-/\w.]+){0,4}|eval|exec|(?:source|\.)(?:[ \t]+/dev/\w+)?|&|xargs[ \t]+-a|builtin|system|popen|iex|invoke-expression|["']-l?[ce]["'],?)[ \t(]*["']?[ \t(]*|"#,
            r#"^[ \t>$#-]*(?:run:?[ \t]+)?["']?)(?:\$\(|`|<\(|<<<?[ \t]*["']?(?:\$\(|`|<\()|=\()\s*"#,
            before!(),
            fetch!(),
            r"\b[^\n]*?",
            target!(),
            r#"[^\n]*?(?:[)`]["']?|$)"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::FetchSubstituted,
        weight: Weight::ByContext,
        anchors: FETCHING,
        lines: 4,
        expression: concat!(
            r#"\w=["']?(?:\$\(|`)[ \t]*"#,
            before!(),
            fetch!(),
            r"\b[^\n]*?",
            target!(),
            r#"(?s:.{0,600}?)\b(?:eval|exec|source|iex|(?:ba|da|z|k)?sh[ \t]+-\w*c|python[\d.]*[ \t]+-c|perl[ \t]+-e|(?:ba|da|z|k)?sh[ \t]*<<<)[ \t]*["']?\$\{?\w+"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::FetchThenRun,
        weight: Weight::ByInstall,
        anchors: FETCHING,
        lines: 6,
        expression: concat!(r"(?:^|[^\w.-])", fetch!(), r#"["']?[ \t][^\n]*?"#, target!()),
        verify: Some(then_run::runs_later),
    },
    Pattern {
        kind: Kind::FetchThenRun,
        weight: Weight::ByInstall,
        anchors: &[
            "downloadfile",
            "-outfile",
            "start-bitstransfer",
            "urlretrieve",
            "/transfer",
            "urlcache",
            "urldownloadtofile",
            "savetofile",
            "getstore",
        ],
        lines: 6,
        expression: r"(?:downloadfile(?:task)?(?:async)?\b|-outfile|start-bitstransfer|urlretrieve|/transfer|urlcache|urldownloadtofile|savetofile|getstore)",
        verify: Some(then_run::runs_later),
    },
    Pattern {
        kind: Kind::FetchThenRun,
        weight: Weight::ByInstall,
        anchors: &["git clone", "hg clone", "svn co", "svn checkout"],
        lines: 1,
        expression: concat!(
            r"(?:git|hg|svn)[ \t]+(?:clone|co|checkout)\b[^\n]*?",
            target!(),
            r#"[^\n]*?(?:&&|;)[^\n]*?(?:&&|;)?[ \t]*(?:sudo[ \t]+)?(?:\./[\w./-]+|(?:ba|z|da)?sh[ \t]+[\w./-]+|python[\d.]*[ \t]+[\w./-]+\.py|make[ \t]+install)"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::RunFromNet,
        weight: Weight::ByInstall,
        anchors: &["://"],
        lines: 0,
        expression: concat!(
            r"(?:^|[^\w./-])(?:deno[ \t]+(?:run|install|eval)|bun[ \t]+(?:run|x|add)|bunx|npx|pnpx|(?:pnpm|yarn)[ \t]+(?:dlx|add)|pipx[ \t]+\w+|",
            r"uvx|uv[ \t]+(?:run|tool|pip)|go[ \t]+run|dotnet-script|jbang|javaws|java[ \t]+-jar|rpm[ \t]+-\w*[iu]\w*|(?:dnf|yum|zypper|apk|",
            r"flatpak|snap|brew|pkg|opkg|pacman|port|emerge)[ \t]+(?:-\S+[ \t]+)*(?:install|localinstall|in|add|-u|upgrade)|pacman[ \t]+-u|dpkg[ \t]+-i|",
            r"(?:python[\d.]*[ \t]+-m[ \t]+)?pip[\d.]*[ \t]+install|npm[ \t]+(?:i|install|exec)|gem[ \t]+install|cpanm?|easy_install|luarocks[ \t]+install|",
            r"cargo[ \t]+install|ansible-pull|nix(?:-shell|-env|[ \t]+run|[ \t]+shell)|installer|open|php|lua|groovy|jshell|rscript|node|python[\d.]*|ruby|perl|",
            r"(?:ba|z|da|k)?sh|source|installutil|add-appx\w*|install-module|import-module|winget|choco)[ \t]+(?:-\S+[ \t]+)*(?:[^\s;&|'<>]+[ \t]+){0,3}?(?:-\S+[ \t]+)*",
            r#"["']?(?:git\+|hg\+)?(?:https?|ftp|ssh|git|file|s3|gs)://\S+"#
        ),
        verify: Some(then_run::is_run_from_net),
    },
    Pattern {
        kind: Kind::RunFromNet,
        weight: Weight::ByInstall,
        anchors: &["kubectl", "helm ", "source(", "include(", "docker run", "ext::", "go run"],
        lines: 0,
        expression: concat!(
            r"\bkubectl[ \t]+(?:apply|create|replace)\b[^\n]*?-f[ \t=]*\S*?://\S+|\bhelm[ \t]+(?:install|upgrade)\b[^\n]*?://\S+|",
            r#"\b(?:rscript|R|julia|lua)\b[^\n]*?\b(?:source|include|dofile)\([^\n]*?://|\bext::\S*sh\b[^\n]*|\bgo[ \t]+run[ \t]+[\w.-]+\.[a-z]{2,}/\S+@\S+|\bdocker[ \t]+(?:build|stack)[^\n]*?://\S+"#
        ),
        verify: None,
    },
    // Go's own way to install a program: by module and version, which everybody's proxy and sum database vouch for.
    Pattern {
        kind: Kind::RunFromNet,
        weight: Weight::Faint,
        anchors: &["go install"],
        lines: 0,
        expression: r"\bgo[ \t]+install[ \t]+(?:-\S+[ \t]+)*[\w.-]+\.[a-z]{2,}/\S+@\S+",
        verify: None,
    },
    Pattern {
        kind: Kind::DecodedRun,
        weight: Weight::ByContext,
        anchors: PIPED,
        lines: 1,
        expression: concat!(
            r"\b(?:base(?:16|32|58|64|nc)|xxd|openssl[ \t]+(?:enc|base64|aes\S*|des\S*|smime|cms|zlib)|uudecode|b64decode|gunzip|z(?:std)?cat|unxz|",
            r"xz(?:cat)?|bunzip2|bz(?:ip2|cat)|zstd|gzip|unlzma|lzma|lz4|brotli|rev|tr|printf|od|hexdump|gpg|unzip|7z|iconv|funzip|ascii2uni|",
            r"mimencode|qprint|sed|awk|cut|perl|python[\d.]*|dd|tail|tac|rot13|caesar|fold|jq)\b[^\n]*?\|&?\s*",
            before!(),
            r"(?:[\w./-]*/)?(?:(?:[bdzka]|mk|tc|pdk|ba|da|fi|ya)?sh|python[\d.]*|perl|ruby|node|php|pwsh|powershell|iex|source|eval|at|cmd|lua\w*|tclsh|osascript)",
            ended!()
        ),
        verify: Some(then_run::is_decoded),
    },
    Pattern {
        kind: Kind::DecodedRun,
        weight: Weight::ByContext,
        anchors: DECODING,
        lines: 1,
        expression: concat!(
            r#"(?:^|[\s;&|("'`=])(?:"#,
            interpreter!(),
            r#"(?:[ \t]+-[\w-]*)*|eval|exec|source|\.|system|popen)[ \t(]*["']?[ \t]*(?:\$\(|`|<\(|<<<?[ \t]*["']?(?:\$\(|`|<\()|=\()[^\n]*?\b(?:base(?:32|64|nc)|xxd|openssl|uudecode|"#,
            r"gunzip|zcat|b64decode|rev|tr|printf)\b|",
            r"\b(?:base64|base32|xxd)[ \t]+-\w*[dr]\w*[^\n]*?\|[ \t]*\{?(?:ba|da|z|k)?sh\b|",
            r#"(?:^|[\s;&|("'`=])(?:(?:ba|da|z|k)?sh[ \t]+-\w*c|eval)[ \t]+\$'(?:[^\n']*?\\(?:x[0-9a-f]{2}|[0-7]{3})){4}|"#,
            r#"\b(?:base64|xxd)\b[^\n]*?>[ \t]*(\S+)[^\n]*?(?:&&|;|\n)[^\n]*?(?:chmod[ \t]+\S*[x75]|(?:ba|da|z|k)?sh[ \t]|\./)"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Obfuscated,
        weight: Weight::Itself,
        anchors: &[
            "/???",
            "/?in/",
            "/b?n/",
            "/bi?/",
            "/*in/",
            "?at /",
            ":0:1}",
            ":1:1}",
            ":2:1}",
            ":3:1}",
            ":4:1}",
            "\\x63\\x75",
            "\\143\\165",
        ],
        lines: 0,
        expression: concat!(
            r"(?:^|[\s;&|(`])/(?:\?{2,}|[\w?*]*[?*][\w?*]*)/[\w?*/]*[?*][\w?*]*[ \t]|(?:\$\{[\w@#]+:\d+:\d+\}[^\s$]{0,3}){3}|",
            r#"(?:printf|echo[ \t]+-\w*e\w*|\$')[^\n]*?(?:\\x63\\x75\\x72\\x6c|\\x77\\x67\\x65\\x74|\\143\\165\\162\\154|\\167\\147\\145\\164)"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Obfuscated,
        weight: Weight::ByContext,
        anchors: &["://"],
        lines: 0,
        expression: concat!(
            r"(?:^|[;&|(`][ \t]*)(?:\$\{?\w{1,12}\}?){2,}[ \t][^\n]*?://[^\n]*?\|[ \t]*(?:\$\{?\w|(?:ba|da|z|k)?sh\b)|",
            r"(?:^|[;&][ \t]*)(?:\w+=\w{1,4}[ \t]*;?[ \t]*){2,}[^\n]*?(?:\$\{?\w{1,12}\}?){2,}[ \t][^\n]*?://|",
            r"(?:%\w+%){2,}[^\n]*?://"
        ),
        verify: None,
    },
];
