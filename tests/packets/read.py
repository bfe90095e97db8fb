"""Reads a research packet with PyPI's packages: read.py BUNDLE

warcio must read every record of responses.warc, with digests that hold. Of the runs of five words that trafilatura finds in each
HTML page, the packet's text must have at least 95 %. Prints a line for each page; ends with 1 and says why if something is missing.
"""

import json
import re
import sys
from pathlib import Path

import trafilatura
from warcio.archiveiterator import ArchiveIterator

RUN = 5
SHARE_MIN = 0.95


def runs(text):
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


bundle = Path(sys.argv[1])
sources = json.loads((bundle / "evidence.json").read_text())["results"]["sources"]
stdout = (bundle / "artifacts/stdout.txt").read_bytes()
pages = {}
with open(bundle / "artifacts/out/responses.warc", "rb") as warc:
    for record in ArchiveIterator(warc, check_digests="raise"):
        if record.rec_type == "warcinfo":
            continue
        assert record.rec_type == "response", record.rec_type
        pages[record.rec_headers.get_header("WARC-Target-URI")] = record.content_stream().read()

hops = {hop["url"] for source in sources for hop in source["hops"] if hop["status"]}
assert set(pages) == hops, f"the records {sorted(pages)} are not the hops {sorted(hops)}"
for source in sources:
    url = source["hops"][-1]["url"]
    text = stdout[source["text_offset"] :][: source["text_bytes"]].decode()
    found = trafilatura.extract(pages[url].decode(), include_tables=True) or ""
    # It leaves headings out, so that lines of it are neighbours that are none on the page.
    expected = set().union(*map(runs, found.splitlines()))
    share = len(expected & runs(text)) / max(len(expected), 1)
    print(f"{url} {len(expected)} runs of {RUN} words, {share:.3f} found")
    assert expected, f"trafilatura finds nothing at {url}"
    assert share >= SHARE_MIN, f"{url} lacks {sorted(expected - runs(text))[:5]}"
