#!/usr/bin/python3
"""Turns one line of sha256sum into JSON. argv[1] is the raw output file."""

import json
import sys

with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as raw:
    line = raw.readline().rstrip("\n")

# A backslash before the digest says that the file name is escaped.
digest, _, path = line.lstrip("\\").partition(" *")
if len(digest) != 64 or not path:
    sys.exit("this is no line of sha256sum --binary")
path = path.encode("utf-8", "replace").decode("utf-8")
print(json.dumps({"sha256": digest, "path": path}))
