"""Verifies what `gatepost export` made: python verify_export.py FOLDER 'VERIFIER KEY'; needs bagit and cryptography from PyPI."""
import base64, hashlib, json, pathlib, sys, bagit
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey as Key
folder, key = pathlib.Path(sys.argv[1]), sys.argv[2].strip()
sha, decode = lambda data: hashlib.sha256(data).digest(), base64.b64decode
read = lambda *path: folder.joinpath("data", *path).read_bytes()
bagit.Bag(str(folder)).validate()
results = sorted(folder.glob("data/results/*")) or sys.exit("There are no results in this bag: nothing was verified.")
name, key_hash, public = key.split("+", 2)  # The checkpoint: a note that the log's key signed.
origin, size, root, _, *lines = read("log", "checkpoint").decode().splitlines()
signatures = (decode(line.split(" ")[2]) for line in lines if line.split(" ")[1] == name)
signature = next((each[4:] for each in signatures if each[:4].hex() == key_hash), b"")
Key.from_public_bytes(decode(public)[1:]).verify(signature, f"{origin}\n{size}\n{root}\n".encode())
origin == name or sys.exit(f"The checkpoint is of the log {origin!r}, and not of {name}.")
def root_of(index, size, value, beside):  # RFC 9162, section 2.1.3: the hash beside the path that is nearest to the root is the last.
    if size == 1: return value
    half, other = 1 << (size - 1).bit_length() - 1, beside.pop()
    below = root_of(index % half, half if index < half else size - half, value, beside)
    return sha(b"\1" + (below + other if index < half else other + below))
for result in (top.name for top in results):
    entry = lambda path: ("folder", "") if path.is_dir() else ("file", sha(path.read_bytes()).hex())
    top, proof = folder / "data/results" / result, json.loads(read("proofs", f"{result}.json"))
    entries, leaf = {str(path.relative_to(top)): entry(path) for path in top.rglob("*")}, json.loads(proof["leaf"])
    sums = "SHA256SUMS" if "SHA256SUMS" in entries else f"{result}.md"  # A bare document has none.
    verdict, envelope, _ = [entries.pop(of)[1] for of in ("verdict.json", "attestation.intoto.jsonl", f"{sums}.sig")]
    bundle = sha("".join("\0".join((path, *entries[path])) + "\0" for path in sorted(entries)).encode()).hex()
    logged = [leaf[of] for of in ("verdict", "result_id", "bundle_sha256", "verdict_sha256")]
    logged == ["ACCEPT", result, bundle, verdict] or sys.exit(f"{result} is not what its leaf says.")
    armored = decode("".join(read("results", result, f"{sums}.sig").decode().splitlines()[1:-1]))  # An SSH signature, with its key.
    signer, signed = Key.from_public_bytes(armored[33:65]), hashlib.sha512(read("results", result, sums)).digest()
    leaf["attestation_key"] == "SHA256:" + base64.b64encode(sha(armored[14:65])).decode().rstrip("=") or sys.exit(f"{result} has another key.")
    signer.verify(armored[-64:], b"SSHSIG\0\0\0\x14gatepost-attestation\0\0\0\0\0\0\0\x06sha512\0\0\0\x40" + signed)
    envelope = json.loads(read("results", result, "attestation.intoto.jsonl"))
    payload, attested = decode(envelope["payload"]), decode(envelope["signatures"][0]["sig"])
    signer.verify(attested, b"DSSEv1 28 application/vnd.in-toto+json %d %s" % (len(payload), payload))
    subject = {(each["name"], ("file", each["digest"]["sha256"])) for each in json.loads(payload)["subject"]}
    subject == {each for each in entries.items() if each[1][0] == "file"} or sys.exit(f"{result} is attested with other files.")
    index, value, beside = proof["index"], sha(b"\0" + proof["leaf"].encode()), [decode(each) for each in proof["hashes"]]
    index in range(int(size)) and root_of(index, int(size), value, beside) == decode(root) or sys.exit(f"The log does not hold {result}.")
    print(f"{result} is sound, and decision {index} of the log.")
