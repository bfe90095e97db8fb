"""Verifies what `gatepost export` made: python verify_export.py FOLDER 'VERIFIER KEY'; needs bagit and cryptography from PyPI."""
import base64, hashlib, json, pathlib, sys, bagit
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey as Key

folder, key = pathlib.Path(sys.argv[1]), sys.argv[2].strip()
sha, decode = lambda data: hashlib.sha256(data).digest(), base64.b64decode
read = lambda *path: folder.joinpath("data", *path).read_bytes()
bagit.Bag(str(folder)).validate()

name, key_hash, public = key.split("+", 2)  # The checkpoint: a note that the log's key signed.
text, signatures = read("log", "checkpoint").decode().split("\n\n")
signed = [line.split(" ")[2] for line in signatures.splitlines() if line.split(" ")[1] == name]
signature = next(each for each in map(decode, signed) if each[:4].hex() == key_hash)
Key.from_public_bytes(decode(public)[1:]).verify(signature[4:], text.encode() + b"\n")
origin, size, root = text.split("\n")
assert origin == name

for top in sorted(folder.joinpath("data", "results").iterdir()):
    entry = lambda path: ("folder", "") if path.is_dir() else ("file", sha(path.read_bytes()).hex())
    result, entries = top.name, {str(path.relative_to(top)): entry(path) for path in top.rglob("*")}
    proof = json.loads(read("proofs", f"{result}.json"))
    leaf, value, index, last = json.loads(proof["leaf"]), sha(b"\0" + proof["leaf"].encode()), proof["index"], int(size) - 1
    sums = "SHA256SUMS" if "SHA256SUMS" in entries else f"{result}.md"  # A bare document has none.
    verdict, *_ = [entries.pop(of)[1] for of in ("verdict.json", "attestation.intoto.jsonl", f"{sums}.sig")]
    bundle = sha("".join("\0".join((path, *entries[path])) + "\0" for path in sorted(entries)).encode()).hex()
    assert [leaf[of] for of in ("verdict", "result_id", "bundle_sha256", "verdict_sha256")] == ["ACCEPT", result, bundle, verdict], result
    signer = decode("".join(top.joinpath(f"{sums}.sig").read_text().splitlines()[1:-1]))[14:65]  # The key in an SSH signature.
    assert leaf["attestation_key"] == "SHA256:" + base64.b64encode(sha(signer)).decode().rstrip("="), result
    envelope = json.loads(top.joinpath("attestation.intoto.jsonl").read_bytes())
    payload, attested = decode(envelope["payload"]), decode(envelope["signatures"][0]["sig"])
    Key.from_public_bytes(signer[19:]).verify(attested, b"DSSEv1 28 application/vnd.in-toto+json %d %s" % (len(payload), payload))
    subject = {(each["name"], ("file", each["digest"]["sha256"])) for each in json.loads(payload)["subject"]}
    assert subject == {each for each in entries.items() if each[1][0] == "file"}, result
    for beside in map(decode, proof["hashes"]):  # RFC 9162, section 2.1.3.2
        is_right = index % 2 or index == last
        value = sha(b"\1" + (beside + value if is_right else value + beside))
        while is_right and index % 2 == 0 and index:
            index, last = index // 2, last // 2
        index, last = index // 2, last // 2
    assert last == 0 and base64.b64encode(value).decode() == root, f"the log does not hold {result}"
