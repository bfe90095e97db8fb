//! `PowerShell` and the tools of Windows that fetch or start what is not theirs.
//!
//! *Standards*: the reference of `PowerShell` (`about_PowerShell_exe`: parameters may be shortened); MITRE ATT&CK T1059.001,
//! T1105, T1197, T1218, T1547.001 and T1562.

use super::kind::Kind;
use super::pattern::{Pattern, Weight};

/// What brings code from elsewhere in `PowerShell`.
macro_rules! download {
    () => {
        concat!(
            r"(?:downloadstring|downloaddata|downloadfile|openread|\bnet\.webclient|\bhttpclient|webrequest|\biwr\b|\birm\b|invoke-restmethod|start-bitstransfer|",
            r"\b(?:curl|wget)(?:\.exe)?[ \t]|frombase64string|msxml2\.\w*xmlhttp|gzipstream|deflatestream|getstringasync|resolve-dnsname|://)"
        )
    };
}

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        kind: Kind::EncodedPowerShell,
        weight: Weight::ByContext,
        anchors: &["powershell", "pwsh"],
        lines: 1,
        expression: r#"\b(?:powershell(?:_ise)?|pwsh)(?:\.exe)?\b[^\n]*?[ \t"',][-/\x96](?:e(?:c|n(?:c(?:o(?:d(?:e(?:d(?:c\w*|a\w*)?)?)?)?)?)?)?)["']?[ \t:,]+["']?[a-z0-9+/]{16,}={0,2}"#,
        verify: None,
    },
    Pattern {
        kind: Kind::EncodedPowerShell,
        weight: Weight::ByContext,
        anchors: &["-enc", "-ec ", "-e ", "/enc"],
        lines: 0,
        // Base64 of UTF-16: every other byte of an ASCII letter is nought.
        expression: r#"[ \t][-/](?:e|ec|en|enc\w*)[ \t]+["']?(?:[a-z0-9+/]{2,3}[awq][a-z0-9+/]?){0,2}(?:[a-z0-9+/]{2}[a-z0-9+/]A){6,}[a-z0-9+/]*={0,2}"#,
        verify: Some(is_wide),
    },
    Pattern {
        kind: Kind::PowerShellDownload,
        weight: Weight::ByContext,
        anchors: &[
            "iex",
            "invoke-expression",
            "scriptblock]::create",
            "reflection.assembly",
            "invokecommand",
            "assembly]::load",
            "[char]",
            "-join",
        ],
        lines: 3,
        expression: concat!(
            r"(?:\biex\b|invoke-expression|scriptblock\]::create|invokecommand|assembly\]::load|\.invoke\()(?s:.*?)",
            download!(),
            "|",
            download!(),
            r"(?s:.*?)(?:\biex\b|invoke-expression|scriptblock\]::create|invokecommand|assembly\]::load)",
            r"|\[reflection\.assembly\]::load(?:file|from|withpartialname)?\(|(?:\[char\][ \t]*(?:0x)?\d+[ \t]*\+?[ \t]*){4}|\[char\[\]\][ \t]*\((?:\d+,){4}"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::PowerShellDownload,
        weight: Weight::ByContext,
        anchors: &["powershell", "pwsh"],
        lines: 1,
        expression: concat!(
            r"\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*?(?:\biex\b|invoke-expression|downloadstring|downloadfile|downloaddata|frombase64string|start-bitstransfer|invoke-webrequest|\biwr\b|\birm\b|invoke-restmethod|net\.webclient)[^\n]*?(?:://|\$|\()|",
            r#"\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*?[ \t]-f(?:ile)?[ \t]+["']?(?:\\\\[\w.]+\\|https?:)\S+|\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*?-c\w*[ \t][^\n]*?(?:start-process|add-type|invoke-item|set-mppreference|new-object[ \t]+-com)"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::PowerShellHidden,
        weight: Weight::ByContext,
        anchors: &[
            "-w hidden",
            "-windowstyle",
            "-w 1 ",
            "-win hid",
            "amsiutils",
            "amsiinitfailed",
            "amsiscanbuffer",
            "set-mppreference",
            "add-mppreference",
            "virtualalloc",
            "-nop ",
            "createthread",
        ],
        lines: 4,
        expression: concat!(
            r#"\b(?:powershell|pwsh|start-process)(?:\.exe)?\b[^\n]*?-w\w*[ \t]+["']?(?:h\w*|1)\b|amsi(?:utils|initfailed|scanbuffer)|(?:set|add)-mppreference[^\n]*?-(?:disable\w+|exclusion\w+)|"#,
            r"\[dllimport\((?s:.*?)(?:virtualalloc|createthread|writeprocessmemory|loadlibrary)|virtualalloc(?:ex)?\b(?s:.{0,600}?)createthread|\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*?-nop\w*\b[^\n]*?-(?:c|command|ep|exec\w*)\b"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::WindowsTool,
        weight: Weight::ByContext,
        anchors: &[
            "certutil",
            "bitsadmin",
            "mshta",
            "regsvr32",
            "rundll32",
            "msiexec",
            "desktopimgdownldr",
            "certreq",
            "certoc",
            "hh.exe",
            "hh http",
            "ieexec",
            "presentationhost",
            "esentutl",
            "mpcmdrun",
            "installutil",
            "cmstp",
            "odbcconf",
            "msbuild",
            "finger ",
        ],
        lines: 0,
        expression: concat!(
            r"\bcertutil(?:\.exe)?\b[^\n]*?(?:[-/](?:urlcache|verifyctl|url)\b[^\n]*?://|[-/]decode(?:hex)?[ \t]+\S+[ \t]+\S+\.(?:exe|dll|bat|ps1|vbs|js|hta|cmd))|\bbitsadmin(?:\.exe)?\b[^\n]*?/(?:transfer|addfile|setnotifycmdline)\b[^\n]*|",
            r#"\bmshta(?:\.exe)?["']?[ \t]+["']?(?:https?:|javascript:|vbscript:|about:|ftp:|\\\\|[^\n]*?\.hta\b)\S*|\bregsvr32(?:\.exe)?\b[^\n]*?/i:\S+|\bregsvr32(?:\.exe)?\b[^\n]*?(?:https?:|\\\\|%temp%|scrobj|appdata|programdata|users\\public)\S*|"#,
            r#"\brundll32(?:\.exe)?["']?[ \t]+(?:javascript:|vbscript:|\\\\|https?:|[^\n]*?(?:shellexec_rundll|control_rundll|launchinfsection|registerocx|openurl|fileprotocolhandler|runhtmlapplication|minidump|installhinfsection|routetheCall|setupapi|davclnt))\S*|\brundll32(?:\.exe)?["']?[ \t]+["']?\S*(?:temp|appdata|programdata|public|downloads)\S*|"#,
            r#"\bmsiexec(?:\.exe)?\b[^\n]*?(?:/|-)(?:i|package|j|a|y|z)\w*[ \t]*["']?(?:https?:|\\\\)\S*|\bmsiexec(?:\.exe)?\b[^\n]*?https?:\S+|"#,
            r"\b(?:desktopimgdownldr|certreq|certoc|hh|ieexec|presentationhost|mpcmdrun|installutil|msbuild)(?:\.exe)?[ \t]+(?:[-/]\S+[ \t]+)*[\x22\x27]?(?:[^\s(\[]*[=:])?https?:\S+|\b(?:msbuild|installutil)(?:\.exe)?\b[^\n]*?(?:\\\\[\w.]+\\|%temp%|\\temp\\|appdata|public)\S*|\besentutl(?:\.exe)?\b[^\n]*?/y[ \t]+\\\\\S+|",
            r"\bcmstp(?:\.exe)?[ \t][^\n]*?/(?:s|ns|au)\b[^\n]*?(?:\.inf|https?:)|\bodbcconf(?:\.exe)?[ \t][^\n]*?(?:regsvr|/a[ \t]*\{|-f[ \t])|\bfinger(?:\.exe)?[ \t]+\S+@\S+[^\n]*?\|[ \t]*(?:more[ \t]+\S+[ \t]*\|[ \t]*)?cmd"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::WindowsTool,
        weight: Weight::ByContext,
        anchors: &[
            "wmic",
            "forfiles",
            "pcalua",
            "scriptrunner",
            "cscript",
            "wscript",
            "curl.exe",
            "ftp -s",
            "winrm",
            "msxsl",
            "mavinject",
            "control.exe",
            "davwwwroot",
            "@ssl\\",
            "schtasks",
            "psexec",
            "sc create",
            "sc.exe",
            "at.exe",
            "invoke-wmimethod",
            "invoke-cimmethod",
            "win32_process",
            "new-service",
            "register-scheduledtask",
            "procdump",
            "start \\\\",
            "cmd /c",
            "cmd.exe /c",
            "net use",
            "pushd \\\\",
            "explorer",
            "expand \\\\",
            "extrac32",
            "syncappv",
            "conhost",
            "search-ms",
        ],
        lines: 0,
        expression: concat!(
            r#"\bwmic(?:\.exe)?\b[^\n]*?(?:/format:[ \t]*["']?(?:https?:|\\\\|\S+\.xsl)|process[ \t]+call[ \t]+["']?create|/node:[^\n]*?call[ \t]+["']?create)\S*|\bforfiles(?:\.exe)?\b[^\n]*?/c[ \t]+["'][^\n]*?(?:cmd|powershell|calc|\.exe)|\b(?:pcalua|scriptrunner|syncappvpublishingserver)(?:\.exe)?\b[^\n]*?(?:[ \t]-a(?:ppvscript)?[ \t]|n;)\S*|"#,
            r#"\b[cw]script(?:\.exe)?[ \t][^\n]*?(?://e:\w+|https?:|\\\\[\w.]+\\|%temp%|\\temp\\|appdata|script:)\S*|\bftp(?:\.exe)?[ \t]+[^\n]*?-s:\S+|\b(?:msxsl|mavinject)(?:\.exe)?[ \t][^\n]*?(?:https?:|/injectrunning)|\\\\[\w.-]+@(?:ssl|\d+)\S*\\\S+|\bdavwwwroot\\\S+\.(?:exe|dll|bat|ps1|vbs|js|hta|lnk)|"#,
            r#"\bschtasks(?:\.exe)?[ \t][^\n]*?/create\b[^\n]*?/tr\b[^\n]*|\bregister-scheduledtask\b|\bpsexec(?:64)?(?:\.exe)?[ \t]+\\\\\S+|\bsc(?:\.exe)?[ \t]+(?:\\\\\S+[ \t]+)?(?:create|config)\b[^\n]*?binpath[^\n]*|\bnew-service\b[^\n]*?-binary\w*|\binvoke-(?:wmi|cim)method\b[^\n]*?win32_process|win32_process["')\]]*[^\n]{0,20}?\.?create\b|"#,
            r#"\bprocdump(?:64)?(?:\.exe)?[^\n]*?lsass|\b(?:start|pushd|cmd(?:\.exe)?[ \t]+/c)[ \t]+["']?\\\\[\w.-]+\\\S+|\bcmd(?:\.exe)?[ \t]+/(?:c|k)\b[^\n]*?(?:https?:|powershell|mshta|certutil|\bcurl\b|for[ \t]+/f[^\n]*?do)|\bconhost(?:\.exe)?[^\n]*?(?:--headless|cmd|powershell)|search-ms:\S+|\b(?:explorer|expand|extrac32)(?:\.exe)?[ \t][^\n]*?\\\\[\w.-]+\\[^\n]*?\.(?:exe|dll|cab|hta|js|vbs|bat|lnk)|\bwinrm\b[^\n]*?invoke[ \t]+create"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Registry,
        weight: Weight::ByContext,
        anchors: &[
            "currentversion\\run",
            "currentversion\\\\run",
            "reg add",
            "reg.exe",
            "image file execution",
            "winlogon",
            "set-itemproperty",
            "new-itemproperty",
            "hkcu",
            "appinit_dlls",
            "start menu\\programs\\startup",
            "shell:startup",
        ],
        lines: 4,
        expression: concat!(
            r#"\[(?:hkey_|hk)[^\n\]]*\\(?:run(?:once|services)?(?:ex)?|winlogon|image file execution options\\[^\]]+|command)\](?s:.{0,300}?)=|\breg(?:\.exe)?[ \t]+add\b[^\n]*?(?:\\run(?:once)?\b|winlogon|image file execution|appinit_dlls|disableantispyware|\\shell\\open\\command|ms-settings)[^\n]*|"#,
            r"(?:set|new)-itemproperty\b[^\n]*?(?:\\run(?:once)?\b|winlogon|disableantispyware)[^\n]*|(?:copy|xcopy|move|copy-item|>)[^\n]*?(?:start menu\\programs\\startup|shell:startup)"
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::Batch,
        weight: Weight::Itself,
        anchors: &["@echo off"],
        lines: 12,
        expression: r"(?:^|\A|[>\x22])[ \t]*@echo[ \t]+off\b\s*?(?s:.*?)\b(?:powershell|start|del|erase|rd|copy|xcopy|move|reg|net|sc|schtasks|taskkill|call|for|if|set|setlocal|cd|pushd|cmd|curl|certutil|bitsadmin|mshta|wscript|cscript|rundll32|regsvr32|msiexec|ping|timeout|shutdown|format|echo|goto|attrib|mkdir|md|type|exit|rem|title|whoami|ipconfig|wmic|bcdedit|vssadmin|rmdir|robocopy|python|node|java)\b",
        verify: None,
    },
    Pattern {
        kind: Kind::Obfuscated,
        weight: Weight::ByContext,
        anchors: &[
            "%comspec",
            ":~",
            "$env:comspec",
            "$pshome",
            "$verbosepreference",
            "-f'",
            "-f '",
            "\"-f",
            "delayedexpansion",
        ],
        lines: 1,
        expression: concat!(
            r"(?:%\w+:~-?\d+(?:,-?\d+)?%[^\n%]{0,3}){2}|\$(?:env:comspec|pshome|env:public|shellid)\[[^\]]+\][^\n]*?(?:\+|-join)|\$verbosepreference\.tostring\(\)|",
            r#"\(?["'](?:\{\d+\}){2,}["'][ \t]*-f[ \t]*["'][^\n]*?["'],|%comspec%[ \t]+/(?:c|k|b)[^\n]*?(?:://|powershell|start)"#
        ),
        verify: None,
    },
    Pattern {
        kind: Kind::WindowsScript,
        weight: Weight::ByContext,
        anchors: &[
            "activexobject",
            "createobject",
            "wscript.",
            "getobject(",
            "shell.application",
            "new -com",
            "scriptlet",
            "-comobject",
        ],
        lines: 6,
        expression: concat!(
            r#"(?:new[ \t]+activexobject|createobject|getobject|-comobject)[ \t]*\(?[ \t]*["']?(?:wscript|shell\.|scripting\.|adodb|msxml|microsoft\.xmlhttp|winhttp|internetexplorer|schedule\.service|script(?:let)?:|winmgmts|new:|excel\.|word\.|outlook\.|wbemscripting|system\.|mmc20|htmlfile|powerpoint\.|https?:)|"#,
            r"\bwscript\.(?:shell|createobject|network|arguments|scriptfullname|sleep|quit|echo|run)|\bshell\.application\b[^\n]*?shellexecute|<scriptlet\b|<registration\b[^>]*progid"
        ),
        verify: None,
    },
];

/// Whether a run of base64 stands for text of two bytes a letter.
fn is_wide(text: &[u8], found: std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
    let run = text.get(found.clone())?.rsplit(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'\'')).next()?;
    // Three of every eight characters of such base64 hold an empty byte: an `A` in the second or the last place of a group.
    let empties = memchr::memchr_iter(b'A', run).count();
    (run.len() >= 24 && empties * 4 >= run.len()).then_some(found)
}
