"""Harmless documents, as the held-out half makes them: source, settings, reports, pages, prose, files of bytes."""

import io
import json
import struct
import zipfile

from ..credential import chars
from ..filler import digest, rows, times
from .benign_records import MODULES, NOUNS, PEOPLE
from .encoding import deflated

REMARKS = (
    "Every {x} has been inspected, and {k} were replaced.", "{p} prefers the brass {x} for its sound.", "Between the {x} and the {y} there is a gap of {k} micrometres.", "On cold mornings the {x} sticks.",
    "Nobody remembers who drew the first {y}.", "Torque falls as the {x} wears, which the graph makes plain.", "The museum lent us a {y} from 1911.", "Costs came to {k} euros, shipping included.",
    "{p} and {q} disagree about the {y}, amicably.", "A spare {x} hangs on the wall beside the door.", "Noise was recorded at {k} Hz throughout.", "Oil it sparingly.",
    "The {y} was painted green in spring; opinions differ.", "Had the {x} failed, the {y} would have held.",
)


def _put(rng, text):
    return text.format(x=rng.choice(NOUNS), y=rng.choice(NOUNS), p=rng.choice(PEOPLE), q=rng.choice(PEOPLE), k=rng.randrange(3, 900), m=rng.choice(MODULES), d=digest(rng, 8))


def essay(rng):
    return "\n\n".join(" ".join(_put(rng, rng.choice(REMARKS)) for _ in range(rng.randrange(2, 6))) for _ in range(rows(rng, 16))) + "\n"


def changelog(rng):
    return "# Changelog\n" + "".join(f"\n## {rng.randrange(5)}.{rng.randrange(30)}.0 - 2026-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}\n\n" + "".join("* " + _put(rng, rng.choice(("{m}: no longer drops the last {x}", "{m}: accepts a {x} without a {y}", "{m}: faster by {k} %", "{m}: tokens are cut at white space", "{m}: the role column is sortable", "{m}: limits are printed in bytes"))) + "\n" for _ in range(rng.randrange(1, 6))) for _ in range(rows(rng, 15)))


PROGRAMS = (
    "module Workshop\n  class {x}\n    attr_reader :size\n\n    def initialize(size) = @size = size\n    def to_s = \"{x} of #{{size}}\"\n  end\nend\n",
    "public record {x}(string Name, int Count)\n{{\n    public bool Any => Count > {k};\n}}\n",
    "enum class {m}State {{ Open, Shut }}\n\nfun next(state: {m}State) = if (state == {m}State.Open) {m}State.Shut else {m}State.Open\n",
    "my %{x} = map {{ $_ => length }} qw({x} {y});\nprintf \"%s %d\\n\", $_, ${x}{{$_}} for sort keys %{x};\n",
    "local function {x}(n)\n  if n < 2 then return 1 end\n  return n * {x}(n - 1)\nend\nprint({x}({k}))\n",
    "template <class T>\nT widest_{x}(const std::vector<T>& all) {{\n  return *std::max_element(all.begin(), all.end());\n}}\n",
    "{x} <- read.csv(\"{y}.csv\")\nsummary({x}$torque)\nplot({x}$time, {x}$torque)\n",
    "impl Iterator for {m}Steps {{\n    type Item = u32;\n\n    fn next(&mut self) -> Option<u32> {{\n        self.left.checked_sub(1)\n    }}\n}}\n",
    "async def read_{x}(session):\n    async with session.get('/{y}', headers={{'X-Token': session.token}}) as answer:\n        return await answer.json()\n",
    "for file in *.{x}; do\n    printf '%s\\n' \"${{file%.{x}}}\"\ndone\n",
    "<template>\n  <li v-for=\"part in {x}s\" :key=\"part.id\">{{{{ part.name }}}}</li>\n</template>\n",
    "wget --timestamping https://mirror.example.org/{x}.iso\ngpg --verify {x}.iso.asc {x}.iso\n",
)


def program(rng):
    return "\n".join(_put(rng, rng.choice(PROGRAMS)) for _ in range(rows(rng, 8)))


def settings(rng):
    keys = [f"{rng.choice(MODULES)}.{rng.choice(NOUNS)}" for _ in range(rows(rng, 40))]
    style = rng.randrange(5)
    if style == 0:
        return "".join(f"{key}={rng.randrange(900)}\n" for key in keys)
    if style == 1:
        return "server {\n" + "".join(f"    {key.replace('.', '_')} {rng.randrange(64)}k;\n" for key in keys) + "}\n"
    if style == 2:
        return "[Unit]\nDescription=" + rng.choice(NOUNS) + " monitor\n\n[Service]\n" + "".join(f"Environment={key.replace('.', '_').upper()}={rng.randrange(9)}\n" for key in keys) + "User=nobody\n"
    if style == 3:
        return "resource \"rack_slot\" \"" + rng.choice(NOUNS) + "\" {\n" + "".join(f"  {key.split('.')[1]}_count = {rng.randrange(20)}\n" for key in keys) + "}\n"
    return "- " + "\n- ".join(f"{{ part: {key}, torque: {rng.randrange(90)} }}" for key in keys) + "\n"


def unified(rng):
    at, parts = 1, []
    for _ in range(rows(rng, 10)):
        at += rng.randrange(5, 60)
        parts.append(_put(rng, f"@@ -{at},3 +{at},3 @@\n the {{x}} is {{k}} mm wide\n-the {{y}} is loose\n+the {{y}} has been fastened by {{p}}\n end of list\n"))
    return "--- parts.txt\t2026-03-01 10:00:00\n+++ parts.txt\t2026-03-02 09:12:44\n" + "".join(parts)


def panic(rng):
    return f"thread 'main' panicked at src/{rng.choice(MODULES)}.rs:{rng.randrange(400)}:{rng.randrange(80)}:\nindex out of bounds: the len is {rng.randrange(9)} but the index is {rng.randrange(9, 99)}\nstack backtrace:\n" + "".join(f"  {n:>2}: {rng.choice(MODULES)}::{rng.choice(NOUNS)}::{rng.choice(('open', 'next', 'drop', 'poll'))}\n             at ./src/{rng.choice(NOUNS)}.rs:{rng.randrange(900)}\n" for n in range(rows(rng, 30)))


def script_error(rng):
    return rng.choice(("TypeError: Cannot read properties of undefined (reading 'token')\n", "RangeError: Maximum call stack size exceeded\n", "Error: ENOENT: no such file or directory, open './rules.json'\n")) + "".join(f"    at {rng.choice(NOUNS)} (file:///srv/{rng.choice(MODULES)}/{rng.choice(NOUNS)}.mjs:{rng.randrange(300)}:{rng.randrange(60)})\n" for _ in range(rows(rng, 25)))


def tap(rng):
    count = rows(rng, 120)
    return f"TAP version 14\n1..{count}\n" + "".join(f"ok {n} - {rng.choice(NOUNS)} {rng.choice(('turns', 'stays shut', 'reports its limit', 'rejects a bad key', 'approves nothing by itself'))}\n" for n in range(1, count + 1))


def spec_report(rng):
    return "".join(f"{rng.choice(MODULES)}\n" + "".join(f"  {rng.choice(('✓', '✓', '✓', '✗'))} {_put(rng, 'keeps the {x} next to the {y}')} ({rng.randrange(40)} ms)\n" for _ in range(rng.randrange(1, 7))) for _ in range(rows(rng, 15)))


def synopsis(rng):
    return f"{rng.choice(NOUNS)} 2.{rng.randrange(30)} - measure things\n\nSYNTAX:\n    {rng.choice(NOUNS)} <action> [flags]\n\nACTIONS:\n" + "".join(f"    {rng.choice(NOUNS):<12} {_put(rng, rng.choice(('show one {x}', 'drop all {y}s of a {x}', 'ask {p} for a {y}', 'forget the stored password', 'run once and exit')))}\n" for _ in range(rows(rng, 25)))


def roff(rng):
    return f".TH {rng.choice(NOUNS).upper()} 8 2026-05-01\n.SH NAME\n{rng.choice(NOUNS)} \\- keep {rng.choice(NOUNS)}s aligned\n.SH DESCRIPTION\n" + "".join(f".PP\n{_put(rng, rng.choice(REMARKS))}\n" for _ in range(rows(rng, 20)))


def statements(rng):
    return "BEGIN;\n" + "".join(_put(rng, rng.choice(("UPDATE {x}s SET torque = {k} WHERE owner = '{p}';\n", "ALTER TABLE {y}s ADD COLUMN {x} numeric(8,2);\n", "CREATE INDEX ON {x}s ({y}_id);\n", "REVOKE ALL ON {x}s FROM public;\n", "SELECT p.name, t.token_count FROM people p JOIN totals t USING (id) LIMIT {k};\n"))) for _ in range(rows(rng, 50))) + "COMMIT;\n"


def web_page(rng):
    return "<html><body class='wide'>\n<h2>Parts</h2>\n<ul>\n" + "".join(f"<li><a href='/part/{rng.randrange(999)}'>{rng.choice(NOUNS)}</a> {rng.randrange(90)} pcs</li>\n" for _ in range(rows(rng, 40))) + "</ul>\n<footer style='font-size:small;color:gray'>printed by the stock list</footer>\n</body></html>\n"


def noted_page(rng):
    return rng.choice(("<!-- Copyright 2026 the stock list authors -->\n", "<!-- begin list -->\n", "<!-- vim: set ts=2: -->\n")) + web_page(rng)


def live_page(rng):
    return web_page(rng) + rng.choice(("<script async src='/metrics.js'></script>\n", "<script type='application/ld+json'>{\"@type\": \"ItemList\"}</script>\n", "<script>const list = document.forms[0];</script>\n"))


def pom(rng):
    return "<project>\n  <modelVersion>4.0.0</modelVersion>\n" + "".join(f"  <dependency><groupId>org.example</groupId><artifactId>{rng.choice(NOUNS)}</artifactId><version>{rng.randrange(9)}.{rng.randrange(9)}</version></dependency>\n" for _ in range(rows(rng, 40))) + "</project>\n"


def blame(rng):
    return "".join(f"{digest(rng, 8)} ({rng.choice(PEOPLE):<6} {at:%Y-%m-%d} {n:>3}) {_put(rng, rng.choice(REMARKS))}\n" for n, at in enumerate(times(rng, rows(rng, 40), 90000), 1))


def minutes(rng):
    return "Minutes\n\nPresent: " + ", ".join(rng.sample(PEOPLE, 4)) + "\n\n" + "".join(f"{n}. {_put(rng, rng.choice(REMARKS))} Decided: {rng.choice(('nothing', 'postponed', 'agreed', 'to buy two'))}.\n" for n in range(1, rows(rng, 14) + 1)) + "\nKindly report mistakes to the secretary.\n"


def notebook(rng):
    return json.dumps({"cells": [{"cell_type": "code", "source": [_put(rng, rng.choice(PROGRAMS))], "outputs": [{"text": [_put(rng, "{k} {x}s\n")]}]} for _ in range(rng.randrange(1, 6))], "nbformat": 4}, indent=1) + "\n"


def bitmap(rng):
    pixels = rng.randbytes(768)
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + len(pixels), 0, 0, 54, 40, 16, 16, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) + pixels


def folder_archive(rng):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as packed:
        for name in rng.sample(NOUNS, 3):
            packed.writestr(zipfile.ZipInfo(f"{name}.txt", (2026, 1, 5, 8, 0, 0)), essay(rng)[:300])
    return stream.getvalue()


def portable_document(rng):
    return b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Length 300 /Filter /FlateDecode >>\nstream\n" + deflated(essay(rng)) + b"\nendstream\nendobj\n%%EOF\n"


def wide_text(rng):
    return ("\ufeff" + essay(rng)[:400]).encode("utf-16-le") + chars(rng, 2).encode("utf-16-le")


KINDS = (
    ("prose", essay, 18), ("readme", changelog, 12), ("source", program, 26), ("config", settings, 24), ("diff", unified, 12), ("stack_trace", panic, 10),
    ("stack_trace", script_error, 8), ("test_report", tap, 8), ("test_report", spec_report, 6), ("help", synopsis, 12), ("manpage", roff, 8), ("sql", statements, 10),
    ("html_doc", web_page, 8), ("markup_with_comments", noted_page, 6), ("markup_with_script", live_page, 6), ("xml", pom, 8), ("git_log", blame, 8), ("mail", minutes, 8),
    ("json", notebook, 6), ("bytes", bitmap, 4), ("bytes", folder_archive, 3), ("bytes", portable_document, 4), ("bytes", wide_text, 3),
)
