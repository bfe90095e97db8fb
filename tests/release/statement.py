#!/usr/bin/env python3
"""Reads the provenance statement of a release with the libraries of in-toto: `statement.py FOLDER`.

Run it with the Python of tests/attestation_verifiers/install.
"""

import hashlib
import pathlib
import sys

from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

folder = pathlib.Path(sys.argv[1])
(path,) = folder.glob("*.intoto.json")
statement = Statement.copy_from_pb(json_format.Parse(path.read_text(), statement_pb2.Statement()))
statement.validate()
assert statement.pb.predicate_type == "https://slsa.dev/provenance/v1", statement.pb.predicate_type
for subject in statement.pb.subject:
    digest = hashlib.sha256((folder / subject.name).read_bytes()).hexdigest()
    assert subject.digest["sha256"] == digest, subject.name
others = {path.name, "SHA256SUMS", "SHA256SUMS.sig"}
assert {subject.name for subject in statement.pb.subject} == {file.name for file in folder.iterdir()} - others
