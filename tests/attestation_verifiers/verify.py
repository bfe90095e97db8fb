"""Verifies an accepted result with other people's libraries: verify.py FOLDER KEY.pub

Ends with an error unless the attestation in the folder is signed by the key and about exactly the files that it names; prints the
statement as in_toto_attestation understands it.
"""

import base64
import hashlib
import json
import pathlib
import sys

from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

folder, public = map(pathlib.Path, sys.argv[1:])
blob = base64.b64decode(public.read_text().split()[1])
keyid = "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
# An Ed25519 key in OpenSSH's form ends with its 32 bytes.
key = SSlibKey(keyid, "ed25519", "ed25519", {"public": blob[-32:].hex()})

envelope = Envelope.from_dict(json.loads((folder / "attestation.intoto.jsonl").read_text()))
envelope.verify([key], threshold=1)
assert envelope.payload_type == "application/vnd.in-toto+json", envelope.payload_type

statement = Statement.copy_from_pb(json_format.Parse(envelope.payload, statement_pb2.Statement()))
statement.validate()
assert statement.pb.predicate_type == "urn:gatepost:attestation:v1", statement.pb.predicate_type
for subject in statement.pb.subject:
    digest = hashlib.sha256((folder / subject.name).read_bytes()).hexdigest()
    assert subject.digest["sha256"] == digest, subject.name
verdict = hashlib.sha256((folder / "verdict.json").read_bytes()).hexdigest()
assert statement.pb.predicate["verdict"]["verdict_sha256"] == verdict
print(json_format.MessageToJson(statement.pb))
