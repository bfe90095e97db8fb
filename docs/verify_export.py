"""Verifies what `gatepost export` made: python verify_export.py FOLDER 'VERIFIER KEY'; needs bagit and cryptography from PyPI."""
import base64, hashlib, json, os, sys
import bagit
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

folder, key = sys.argv[1], sys.argv[2].strip()
sha = lambda data: hashlib.sha256(data).digest()
read = lambda *path: open(os.path.join(folder, "data", *path), "rb").read()
bagit.Bag(folder).validate()

# The checkpoint: a note that the log's key signed.
name, key_hash, public = key.split("+", 2)
text, signatures = read("log", "checkpoint").decode().split("\n\n")
signed = [base64.b64decode(line.split(" ")[2]) for line in signatures.splitlines() if line.split(" ")[1] == name]
signature = next(each for each in signed if each[:4].hex() == key_hash)
Ed25519PublicKey.from_public_bytes(base64.b64decode(public)[1:]).verify(signature[4:], text.encode() + b"\n")
origin, size, root = text.split("\n")
assert origin == name and read("log", "key.pub").decode().strip() == key

for result in sorted(os.listdir(os.path.join(folder, "data", "results"))):
    top, entries = os.path.join(folder, "data", "results", result), {}
    for at, _, names in os.walk(top):
        below = os.path.relpath(at, top)
        entries.update({below: ("folder", "")} if below != "." else {})
        entries.update({os.path.normpath(f"{below}/{name}"): ("file", sha(open(f"{at}/{name}", "rb").read()).hex()) for name in names})
    sums = entries.get("SHA256SUMS") and [line.split("  ", 1) for line in read("results", result, "SHA256SUMS").decode().splitlines()]
    assert all(entries[path][1] == digest for digest, path in sums or []), result
    verdict, proof = entries.pop("verdict.json")[1], json.loads(read("proofs", f"{result}.json"))
    bundle = sha("".join("\0".join((path, *entries[path])) + "\0" for path in sorted(entries)).encode()).hex()
    leaf, index, last = json.loads(proof["leaf"]), proof["index"], int(size) - 1
    assert [leaf[of] for of in ("verdict", "result_id", "bundle_sha256", "verdict_sha256")] == ["ACCEPT", result, bundle, verdict], result
    value = sha(b"\0" + proof["leaf"].encode())
    for beside in map(base64.b64decode, proof["hashes"]):  # RFC 9162, section 2.1.3.2
        is_right = index % 2 or index == last
        value = sha(b"\1" + (beside + value if is_right else value + beside))
        while is_right and index % 2 == 0 and index:
            index, last = index // 2, last // 2
        index, last = index // 2, last // 2
    assert last == 0 and base64.b64encode(value).decode() == root, f"the log does not hold {result}"
