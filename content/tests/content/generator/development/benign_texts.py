"""Harmless documents, as the development half makes them: source, settings, reports, pages, prose, files of bytes."""

import json
import struct
import zlib

from ..credential import chars
from ..encoding import gzipped
from ..filler import digest, rows
from .benign_records import USERS, WORDS

SENTENCES = (
    "The {a} is read once and kept in the {b}.", "Measured over ten runs, the median was {n} ms.", "No {a} was found that lacks a {b}.", "The second column gives the number of {a}s per {b}.",
    "Earlier versions wrote the {a} twice; this one does not.", "A {a} is either open or closed.", "Users of the {b} asked for a shorter name.", "It remains open whether the {a} should own its {b}.",
    "{n} of 400 samples were discarded because the {a} was empty.", "The authors thank the {b} group for its patience.", "When the {b} is full, the oldest {a} is dropped.", "Figure {n} shows the {a} before and after the change.",
)


def _fill(rng, text):
    return text.format(a=rng.choice(WORDS), b=rng.choice(WORDS), c=rng.choice(WORDS), n=rng.randrange(2, 400), u=rng.choice(USERS), h=digest(rng, 7))


def prose(rng):
    return "\n\n".join(" ".join(_fill(rng, rng.choice(SENTENCES)) for _ in range(rng.randrange(1, 7))) for _ in range(rows(rng, 14))) + "\n"


def readme(rng):
    name = rng.choice(WORDS) + "kit"
    return _fill(
        rng,
        f"# {name}\n\nReads a {{a}} and prints a {{b}}.\n\n## Use\n\n```\n$ {name} --limit {{n}} input.{{c}}\n{{n}} {{a}}s\n```\n\n## Options\n\n| option | default |\n|---|---|\n| `--limit` | {{n}} |\n| `--{{b}}` | off |\n\n"
        + "".join(f"- {_fill(rng, rng.choice(SENTENCES))}\n" for _ in range(rows(rng, 20)))
        + "\n## Licence\n\nMIT or Apache-2.0, at your option.\n",
    )


SOURCES = (
    "def count_{a}(lines):\n    \"\"\"Number of lines that hold a {a}.\"\"\"\n    return sum(1 for line in lines if '{a}' in line)\n",
    "class {b}Reader:\n    def __init__(self, path, limit={n}):\n        self.path = path\n        self.limit = limit\n\n    def __iter__(self):\n        with open(self.path) as stream:\n            yield from stream\n",
    "fn {a}_of({b}: &[u8]) -> Option<usize> {{\n    {b}.iter().position(|byte| *byte == b'\\n')\n}}\n",
    "#include <stdio.h>\n\nint main(void) {{\n    printf(\"%d {a}s\\n\", {n});\n    return 0;\n}}\n",
    "export function {a}Of({b}) {{\n  return {b}.filter((item) => item.size > {n});\n}}\n",
    "func {a}(w http.ResponseWriter, r *http.Request) {{\n\ttoken := r.Header.Get(\"Authorization\")\n\tif token == \"\" {{\n\t\thttp.Error(w, \"missing token\", 401)\n\t}}\n}}\n",
    "SELECT_{a} = re.compile(r'^(?P<key>[a-z]+)=(?P<value>.*)$')\n\nfor match in map(SELECT_{a}.match, lines):\n    print(match['key'])\n",
    "import subprocess\n\nresult = subprocess.run(['{a}', '--version'], capture_output=True, check=True, text=True)\nprint(result.stdout)\n",
    "{a}: {b}.o {c}.o\n\tcc -o $@ $^\n\nclean:\n\trm -f *.o {a}\n",
    "curl --fail --location --output {a}.tar.gz https://example.com/{a}.tar.gz\nsha256sum --check SHA256SUMS\n",
    "interface {b} {{\n  id: number;\n  {a}: string;\n  password?: never;\n}}\n",
)


def source(rng):
    return "\n\n".join(_fill(rng, rng.choice(SOURCES)) for _ in range(rows(rng, 9)))


def configuration(rng):
    pairs = {f"{rng.choice(WORDS)}_{rng.choice(('limit', 'path', 'size', 'mode', 'name'))}": rng.choice((rng.randrange(9999), True, "strict", "/var/lib/" + rng.choice(WORDS), "eu-west-1")) for _ in range(rows(rng, 40))}
    style = rng.randrange(4)
    if style == 0:
        return "[" + rng.choice(WORDS) + "]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in pairs.items())
    if style == 1:
        return rng.choice(WORDS) + ":\n" + "".join(f"  {key}: {value}\n" for key, value in pairs.items())
    if style == 2:
        return "# defaults\n" + "".join(f"export {key.upper()}={value}\n" for key, value in pairs.items())
    return json.dumps(pairs, indent=2) + "\n"


def diff(rng):
    hunks = []
    for _ in range(rows(rng, 8)):
        a, b = rng.choice(WORDS), rng.choice(WORDS)
        at = rng.randrange(1, 400)
        hunks.append(f"@@ -{at},4 +{at},5 @@ fn {a}() {{\n     let {b} = {rng.randrange(99)};\n-    {a}({b});\n+    if {b} > 0 {{ {a}({b}); }}\n+    log(\"{a} done\");\n     Ok(())\n }}\n")
    name = rng.choice(WORDS)
    return f"diff --git a/src/{name}.rs b/src/{name}.rs\nindex {digest(rng, 7)}..{digest(rng, 7)} 100644\n--- a/src/{name}.rs\n+++ b/src/{name}.rs\n" + "".join(hunks)


def stack_trace(rng):
    frames = "".join(f"  File \"/usr/lib/app/{rng.choice(WORDS)}.py\", line {rng.randrange(900)}, in {rng.choice(WORDS)}\n    return self.{rng.choice(WORDS)}({rng.choice(WORDS)})\n" for _ in range(rows(rng, 25)))
    return "Traceback (most recent call last):\n" + frames + rng.choice(("ValueError: not enough values to unpack (expected 2, got 1)\n", "KeyError: 'token'\n", "PermissionError: [Errno 13] Permission denied: '/etc/policy'\n", "TimeoutError: the read operation timed out\n"))


def java_trace(rng):
    return f"java.lang.IllegalStateException: {rng.choice(WORDS)} is closed\n" + "".join(f"\tat com.example.{rng.choice(WORDS)}.{rng.choice(WORDS).title()}.run({rng.choice(WORDS).title()}.java:{rng.randrange(900)})\n" for _ in range(rows(rng, 40))) + f"\t... {rng.randrange(2, 30)} more\n"


def test_report(rng):
    names = [f"{rng.choice(WORDS)}_{rng.choice(WORDS)}_{rng.choice(('is_refused', 'is_kept', 'round_trips', 'fails_closed', 'obeys_the_limit'))}" for _ in range(rows(rng, 120))]
    return f"running {len(names)} tests\n" + "".join(f"test {name} ... ok\n" for name in names) + f"\ntest result: ok. {len(names)} passed; 0 failed; 0 ignored; finished in {rng.uniform(0, 9):.2f}s\n"


def help_page(rng):
    options = "".join(f"      --{rng.choice(WORDS)} <{rng.choice(WORDS).upper()}>  {_fill(rng, rng.choice(('Path of the {a}', 'Stop after {n} {b}s', 'Print the {a} as JSON', 'Ignore every {b} above {n}', 'Read the token from a file')))}\n" for _ in range(rows(rng, 25)))
    return f"Usage: {rng.choice(WORDS)} [OPTIONS] <INPUT>\n\nArguments:\n  <INPUT>  File to read, - for standard input\n\nOptions:\n{options}  -h, --help     Print help\n  -V, --version  Print version\n"


def manual_page(rng):
    name = rng.choice(WORDS).upper()
    body = "".join(f"       {_fill(rng, rng.choice(SENTENCES))}\n\n" for _ in range(rows(rng, 25)))
    return f"{name}(1)                    User Commands                    {name}(1)\n\nNAME\n       {name.lower()} - print {rng.choice(WORDS)}s\n\nDESCRIPTION\n{body}EXIT STATUS\n       0 if all went well, 1 otherwise.\n"


def sql(rng):
    return "".join(
        _fill(rng, rng.choice(("CREATE TABLE {a}s (id INTEGER PRIMARY KEY, {b} TEXT NOT NULL, password_hash BLOB);\n", "INSERT INTO {a}s VALUES ({n}, '{b}', NULL);\n", "SELECT {a}, count(*) FROM {b}s GROUP BY {a} HAVING count(*) > {n};\n", "DELETE FROM sessions WHERE expires < now();\n", "GRANT SELECT ON {a}s TO reader;\n", "-- {n} rows affected\n")))
        for _ in range(rows(rng, 60))
    )


def html_page(rng):
    body = "".join(f"<p>{_fill(rng, rng.choice(SENTENCES))}</p>\n" for _ in range(rows(rng, 20)))
    return f"<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Report</title><link rel=\"stylesheet\" href=\"/style.css\"></head>\n<body>\n<h1 style=\"color:#333\">Report {rng.randrange(99)}</h1>\n{body}<img src=\"/chart.png\" alt=\"chart\">\n</body>\n</html>\n"


def commented_markup(rng):
    page = html_page(rng)
    return page.replace("<body>", rng.choice(("<body>\n<!-- navigation -->", "<body>\n<!-- generated by the report tool, 2026 -->", "<body>\n<!-- TODO: translate -->")))


def scripted_markup(rng):
    return html_page(rng).replace("</body>", rng.choice(("<script src=\"/sort.js\"></script>\n</body>", "<script>document.querySelector('table').classList.add('sorted');</script>\n</body>")))


def xml(rng):
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + rng.choice(WORDS) + "\">\n" + "".join(f"  <testcase classname=\"{rng.choice(WORDS)}\" name=\"{rng.choice(WORDS)}\" time=\"{rng.random():.3f}\"/>\n" for _ in range(rows(rng, 60))) + "</testsuite>\n"


def git_log(rng):
    return "".join(_fill(rng, rng.choice(("{h} Read the {a} before the {b}\n", "{h} Refuse an empty {a}\n", "{h} Merge branch '{a}-{b}'\n", "{h} Remove the password option: it was never used\n", "{h} Approve {a}s by policy, not by name\n"))) for _ in range(rows(rng, 80)))


def letter(rng):
    return f"From: {rng.choice(USERS)}@example.com\nTo: {rng.choice(USERS)}@example.com\nSubject: {rng.choice(WORDS)} {rng.choice(WORDS)}\n\nHello,\n\n{prose(rng)}\nPlease send me your comments by Friday.\n\nRegards,\n{rng.choice(USERS).title()}\n"


def picture(rng):
    raw = b"".join(b"\0" + rng.randbytes(48) for _ in range(16))
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(raw, 0)) + chunk(b"IEND", b"")


def archive(rng):
    return gzipped(prose(rng))


def sound(rng):
    data = rng.randbytes(600)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + struct.pack("<I", len(data)) + data


def latin(rng):
    return "Größe;Stück\nklein;4\nübergroß;7\n".encode("latin-1") + chars(rng, 6).encode()


KINDS = (
    ("prose", prose, 18), ("readme", readme, 12), ("source", source, 26), ("config", configuration, 24), ("diff", diff, 14), ("stack_trace", stack_trace, 10),
    ("stack_trace", java_trace, 8), ("test_report", test_report, 12), ("help", help_page, 12), ("manpage", manual_page, 8), ("sql", sql, 10), ("html_doc", html_page, 8),
    ("markup_with_comments", commented_markup, 6), ("markup_with_script", scripted_markup, 6), ("xml", xml, 8), ("git_log", git_log, 8), ("mail", letter, 8),
    ("bytes", picture, 4), ("bytes", archive, 4), ("bytes", sound, 3), ("bytes", latin, 3),
)
