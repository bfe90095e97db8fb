//! Commands that destroy, that stay, that break out, and text that makes a careless program run it.
//!
//! *Standards*: MITRE ATT&CK T1485, T1561, T1053, T1098, T1543, T1546, T1547 and T1611; CWE-78, CWE-94 and CWE-917.

use std::ops::Range;

use super::kind::Kind;
use super::pattern::{Pattern, Weight};

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        kind: Kind::Destructive,
        weight: Weight::ByContext,
        anchors: &["rm -", "no-preserve-root", "rmtree", "shred ", "wipefs", "srm "],
        lines: 0,
        expression: concat!(
            r#"\brm[ \t]+(?:-[-\w]+[ \t]+)*-(?:\w*r\w*|-recursive)[ \t]+(?:-[-\w]+[ \t]+)*["']?(?:/|/\*|~/?|~/\*|\$home/?|\$\{home\}/?|/(?:bin|boot|etc|home|lib|usr|var|root|opt|sys|dev)/?\*?|\*|\./\*|\.)["']?(?:[ \t]*$|[ \t]*[;&|)`"'>]|[ \t]+(?:--no-preserve-root|/|2>|\*))|\brm\b[^\n;&|]*?--no-preserve-root|"#,
            r#"shutil\.rmtree\(["'](?:/|~|c:)|\bshred[ \t][^\n]*?/dev/(?:sd|nvme|hd|vd|mmcblk)|\bwipefs[ \t]+(?:-a|--all)[^\n]*?/dev/\w+"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Destructive,
        weight: Weight::ByContext,
        anchors: &[":()", "(){", "() {", "%0|%0", "fork while", "os.fork"],
        lines: 0,
        expression: concat!(
            r"(?:^|[\s;&|'`])([\w:.]+)[ \t]*\(\)[ \t]*\{[ \t]*[\w:.$]+[ \t]*\|[ \t]*[\w:.$]+[ \t]*&[ \t]*\}?|%0\|%0|\bfork[ \t]+while[ \t]+(?:fork|1|true)|",
            r"while[ \t(]+(?:true|1)\)?[^\n]{0,20}?os\.fork\(\)"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Destructive,
        weight: Weight::ByContext,
        anchors: &[
            "dd if",
            "dd of",
            "/dev/sd",
            "/dev/nvme",
            "/dev/hd",
            "/dev/vd",
            "sysrq-trigger",
            "/dev/mem",
            "/dev/null",
            "chmod -r",
            "chown -r",
        ],
        lines: 0,
        expression: concat!(
            r"\bdd[ \t][^\n;|&]*?\bif=/dev/(?:zero|u?random|null)[^\n;|&]*?\bof=/dev/(?:sd|nvme|hd|vd|xvd|mmcblk|disk|mapper|mem)|\bdd[ \t][^\n;|&]*?\bof=/dev/(?:sd|nvme|hd|vd|xvd|mmcblk|disk)\w*[^\n;|&]*?\bif=/dev/(?:zero|u?random)|",
            r"(?:cat|echo|yes|printf|head)\b[^\n;]*?>[ \t]*/dev/(?:sd[a-z]|nvme\d|hd[a-z]|vd[a-z]|mem\b|mmcblk)|(?:^|[;&|])[ \t]*>[ \t]*/dev/sd[a-z]|",
            r"echo[ \t]+\w+[ \t]*>[ \t]*/proc/sysrq-trigger|\bmv[ \t]+(?:/|~|/\*|/home\S*)[ \t]+/dev/null|\bch(?:mod|own)[ \t]+-r[ \t]+\S+[ \t]+/(?:[ \t]|$|\*)"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Destructive,
        weight: Weight::Faint,
        anchors: &["mkfs", "mkswap"],
        lines: 0,
        expression: r"\bmkfs(?:\.\w+)?[ \t]+(?:-\S+[ \t]+)*/dev/\w+",
        verify: None,
    },
    Pattern {
        kind: Kind::Destructive,
        weight: Weight::ByContext,
        anchors: &[
            "del ",
            "rd /s",
            "rmdir /s",
            "format ",
            "vssadmin",
            "shadowcopy",
            "remove-item",
            "wbadmin",
            "bcdedit",
            "wevtutil",
            "cipher /w",
            "clear-disk",
            "diskpart",
            "erase ",
        ],
        lines: 0,
        expression: concat!(
            r#"\b(?:del|erase)(?:[ \t]+/[fsqa]\S*)*[ \t]+["']?(?:[a-z]:\\(?:\*|windows|users)?|%systemroot%|%systemdrive%|%userprofile%)|\b(?:rd|rmdir)[ \t]+(?:/[sq][ \t]+)+["']?(?:[a-z]:\\?["']?(?:\s|$)|[a-z]:\\(?:windows|users)|%systemroot%|%systemdrive%|%userprofile%)|"#,
            r"\bformat[ \t]+[a-z]:[ \t]+/|\bvssadmin(?:\.exe)?[ \t]+(?:delete|resize)[ \t]+shadow|\bshadowcopy[ \t]+delete|\bwin32_shadowcopy\b[^\n]*?delete|\bwbadmin[ \t]+delete[ \t]+(?:catalog|systemstate|backup)|\bbcdedit[ \t][^\n]*?(?:recoveryenabled[ \t]+no|ignoreallfailures)|",
            r"\bwevtutil(?:\.exe)?[ \t]+cl[ \t]+\w+|\bcipher[ \t]+/w:|\bclear-disk\b[^\n]*?-removedata|\bremove-item\b[^\n]*?(?:-recurse|-r)\b[^\n]*?(?:[a-z]:\\\*?(?:[ \t\x22']|$)|\$env:(?:userprofile|systemroot|systemdrive)|[a-z]:\\(?:windows|users))|\bremove-item[ \t]+[a-z]:\\[^\n]*?-recurse[^\n]*?-force"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Persistence,
        weight: Weight::ByContext,
        anchors: &["crontab", "/etc/cron", "/var/spool/cron", "@reboot", "* * * *"],
        lines: 1,
        expression: concat!(
            r"\|[ \t]*(?:sudo[ \t]+)?crontab[ \t]+(?:-u[ \t]+\S+[ \t]+)?-(?:[\s;)\x22']|$)|crontab[ \t]+<\(|(?:>>?|\btee\b[^\n]*?)[ \t]*/(?:etc/cron[^\s<]*|var/spool/cron[^\s<]*)|",
            r"(?:@(?:reboot|hourly|daily|weekly)|(?:[*\d/,-]+[ \t]+){4}[*\d/,\w-]+)[ \t]+[^\n]*?(?:\bcurl[ \t]|\bwget[ \t]|/dev/tcp|\bnc[ \t]+-|/tmp/|/dev/shm/|/var/tmp/|\bbase64[ \t]+-d|\bsh[ \t]+-i|python\d?[ \t]+-c)"
        ),
        verify: Some(is_command),
    },
    Pattern {
        kind: Kind::Persistence,
        weight: Weight::ByContext,
        anchors: &[
            "authorized_keys",
            "ld.so.preload",
            "/etc/passwd",
            "/etc/shadow",
            "/etc/sudoers",
            ".bashrc",
            ".profile",
            ".bash_profile",
            ".zshrc",
            "rc.local",
            "/etc/rc.",
            "/etc/profile",
            ".git/hooks",
            "/etc/systemd",
            "launchagents",
            "launchdaemons",
            "autostart",
            ".zprofile",
            "/etc/init.d",
            "/etc/udev",
            "update-motd",
            "/etc/pam.d",
            "/etc/hosts",
        ],
        lines: 0,
        expression: concat!(
            r#"(?:>>?|\btee\b(?:[ \t]+-\w+)*)[ \t]*["']?[\w~/.${}-]*(?:authorized_keys\d?|/etc/(?:ld\.so\.preload|passwd|shadow|sudoers[^\s<]*|rc\.\w+|init\.d/[^\s<]+|udev/[^\s<]+|update-motd[^\s<]*|pam\.d/[^\s<]+|systemd/[^\s<]+|profile\.d/[^\s<]+|cron[^\s<]*)|\.git/hooks/[^\s<]+|/autostart/[^\s<]+|launch(?:agents|daemons)/[^\s<]+)|"#,
            r"(?:curl|wget|\bnc[ \t]|/dev/tcp|base64[ \t]+-d|alias[ \t]+sudo|ld_preload|/tmp/)[^\n]*?>>[ \t]*\S*(?:\.bashrc|\.profile|\.bash_profile|\.zshrc|\.zprofile|/etc/profile)|",
            r"\b(?:cp|mv|install|ln[ \t]+-s\w*)[ \t][^\n;&|]*?(?:/etc/(?:cron\S*|init\.d/|systemd/system/|rc\.local|ld\.so\.preload|profile\.d/)|launch(?:agents|daemons)/|\.config/autostart|\.git/hooks)"
        ),
        verify: Some(is_command),
    },
    Pattern {
        kind: Kind::Persistence,
        weight: Weight::ByContext,
        anchors: &[
            "useradd",
            "usermod",
            "adduser",
            "chpasswd",
            "net user",
            "net localgroup",
            "systemctl enable",
            "execstart",
            "run+=",
            "nopasswd",
            "setenforce",
            "prompt_command",
            "ld_preload=",
            "launchctl",
            "visudo",
            "dscl",
            "new-localuser",
        ],
        lines: 1,
        expression: concat!(
            r"\buser(?:add|mod)[ \t][^\n]*?(?:-o[ \t]+-u[ \t]*0|-u[ \t]*0[ \t]+-o|-ou[ \t]*0|-a?G[ \t]+(?:sudo|wheel|root|docker)\b[^\n]*?(?:;|&&|\|)|-p[ \t]+\S+)|echo[^\n|]*?:[^\n|]*?\|[ \t]*(?:sudo[ \t]+)?chpasswd|\bnet[ \t]+(?:user[ \t]+\S+[ \t]+\S+[ \t]+/add|localgroup[ \t]+\S+[ \t]+\S+[ \t]+/add)|\bnew-localuser\b|",
            r"execstart[ \t]*=[^\n]*?(?:curl|wget|/dev/tcp|/tmp/|/dev/shm/|\bnc[ \t]|base64|bash[ \t]+-i)|\brun\+=[ \t]*\W(?:[^\n]*?(?:sh\b|curl|wget|/tmp/|python))|echo[^\n]*?nopasswd[^\n]*?>>?|",
            r"\bprompt_command=[^\n]*?(?:curl|wget|\bnc\b|/dev/tcp|base64)|\bld_preload=(?:/tmp/|/dev/shm/|/var/tmp/|\./)\S+|\bsetenforce[ \t]+0\b"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Escape,
        weight: Weight::ByContext,
        anchors: &[
            "docker",
            "podman",
            "nsenter",
            "chroot",
            "release_agent",
            "core_pattern",
            "insmod",
            "modprobe",
            "chmod",
            "setcap",
            "unshare",
            "kubectl",
            "ctr ",
            "docker.sock",
            "hostpid",
            "capsh",
            "sudo ",
            "pkexec",
            "lxc ",
            "runc ",
        ],
        lines: 1,
        expression: concat!(
            r"\b(?:docker|podman|nerdctl|ctr)\b[^\n]*?(?:(?:-v|--volume|--mount)[ \t=]+\S*?(?:source=)?/:/|--pid[= ]host[^\n]*?nsenter|--privileged[^\n]*?(?:chroot|nsenter|mount))|\bnsenter\b[^\n]*?(?:-t[ \t]*1|--target[ =]1)\b|\bchroot[ \t]+/(?:host|mnt|hostfs|rootfs)\b|",
            r"echo[^\n]*?>[ \t]*\S*(?:release_agent|/proc/sys/kernel/(?:core_pattern|modprobe)|/sys/kernel/uevent_helper)|\binsmod[ \t]+(?:/tmp/|/dev/shm/|\./)\S+\.ko|",
            r"\bchmod[ \t]+(?:[ugo]*\+\w*s\w*|[2467]7\d\d|4\d{3}|06\d{3}|04\d{3})[ \t]+\S*(?:/bin/|/tmp/|/usr/|/dev/shm)\S*sh\b|\bsetcap[ \t]+\S*cap_set[ug]id\S*[ \t]+\S+|curl[^\n]*?--unix-socket[ \t]+\S*docker\.sock[^\n]*?(?:create|exec)|",
            r"\bsudo[ \t]+(?:vim?|less|awk|find|nmap|perl|python\d?|env|man|tar|zip|git|ftp|ed|gdb|lua|nano)\b[^\n]*?(?:!/?\w*/?\w*sh\b|-exec[ \t]+/bin/|system\(|os\.system|pty\.spawn|checkpoint-action)|\bkubectl[ \t]+run\b[^\n]*?hostpid|\bfind[ \t][^\n]*?-exec[ \t]+/bin/\w*sh[ \t]+-p"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Injection,
        weight: Weight::ByContext,
        anchors: &[
            "jndi",
            "${lower:",
            "${upper:",
            "${::-",
            "() {",
            "__class__",
            "__globals__",
            "__subclasses__",
            "freemarker",
            "getruntime",
            "t(java",
            "xp_cmdshell",
            "from program",
            "to program",
            "sys_exec",
            "into outfile",
            "into dumpfile",
            "processbuilder",
            "@ognl",
            "#_memberaccess",
            "load_extension",
            "#cmd",
            "expect://",
            "php://input",
            "dbms_scheduler",
            "sp_oacreate",
            "constructor.constructor",
            "lipsum",
            "cycler",
        ],
        lines: 2,
        expression: concat!(
            r"\$\{\$\{(?:lower|upper|::-|env|sys|date)[^\n]*?\}[^\s]*?://|\$\{(?:jndi|[^\s{}]*\$\{[^\s{}]*\}[^\s]*):[^\s]*?(?:ldaps?|rmi|dns|iiop|nis|nds|corba|http):?/?|\$\{jndi:|\(\)[ \t]*\{[ \t]*:?;?[ \t]*\}[ \t]*;[ \t]*\S|",
            r"(?:\{\{|\{%|\$\{|<%[=\s]|#\{)[^\n]*?(?:__(?:class|globals|subclasses|mro|builtins|import)__|getruntime|freemarker\.template|processbuilder|t\(java|lipsum|cycler|constructor\.constructor|system\()|constructor\.constructor\([^\n]*?process|",
            r"\bexec(?:ute)?[ \t]+(?:\w+\.\.)?xp_cmdshell\b|xp_cmdshell[ \t]+n?'|\bcopy\b[^\n;]*?\b(?:from|to)[ \t]+program\b|\bselect[ \t]+(?:sys_exec|sys_eval)\(|into[ \t]+(?:out|dump)file[ \t]+\W[^\n]*?(?:\.php|\.jsp|\.aspx?|\.so|\.dll|/cron)|<\?php[^\n]*?into[ \t]+outfile|",
            r#"java\.lang\.(?:runtime|processbuilder)[^\n]{0,120}?(?:exec|start)\(|getruntime\(\)[ \t]*\.[ \t]*exec\([^\n]*?(?:sh\b|\bcmd(?:\.exe|[ \t]*/|["'])|curl|wget|calc|/bin/|request|\$|nc[ \t]|powershell)|#_memberaccess|@ognl\.|expect://\w+|sp_oacreate|load_extension\(|dbms_scheduler\.create_job"#
        ),
        verify: None,
    },
];

/// Elements of pages that hold the name of a file.
const ELEMENTS: &[&[u8]] = &[b"tt", b"code", b"b", b"i", b"em", b"strong", b"td", b"li", b"p", b"samp", b"kbd", b"var"];

/// A command, and neither a path that is all of an element (`<tt>/etc/passwd</tt>`) nor a sentence of a changelog ("install the
/// snippets into …").
fn is_command(text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
    let (before, behind) = (text.get(..found.start)?, text.get(found.end..)?);
    let matched = text.get(found.clone())?;
    let is_element = || {
        let name = before.rsplit(|byte| *byte == b'<').next().unwrap_or_default().to_ascii_lowercase();
        let closed = behind.strip_prefix(b"</").and_then(|rest| rest.get(..name.len() + 1));
        ELEMENTS.contains(&name.as_slice())
            && name.len() < before.len()
            && closed.is_some_and(|closed| closed.eq_ignore_ascii_case(&[&name, &b">"[..]].concat()))
    };
    let is_sentence = || {
        let words: Vec<&[u8]> = matched.split(u8::is_ascii_whitespace).collect();
        matches!(words.as_slice(), [b"install", b"the" | b"our", .., b"into", _])
            && !matched.iter().any(|byte| matches!(byte, b';' | b'|' | b'&'))
    };
    let is_none = if matched.starts_with(b">") { is_element() } else { is_sentence() };
    (!is_none).then_some(found)
}
