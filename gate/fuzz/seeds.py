"""Writes the fuzz targets' seeds and dictionary, out of the vectors and the labelled samples of the gate's tests.

Usage: seeds.py FOLDER. Makes FOLDER/<target>/… for every target and FOLDER/words.dict; what is there is left there.
A seed is named by its digest, so that the same vectors give the same files. Needs Python 3.11.
"""

import base64
import hashlib
import json
import pathlib
import sys
import tomllib

VECTORS = pathlib.Path(__file__).parent.parent / "tests/vectors"
DOCUMENTS = VECTORS.parent / "bare_document/documents"
SAMPLES = pathlib.Path(__file__).parent.parent.parent / "content/tests/content/development"
BASES = sorted(path.name for path in (VECTORS / "base").iterdir())
RESEAL = 1
"""The option of the target `judge`."""


class Bundle:
    """A committed bundle: its files by their paths, in the order of the paths."""

    def __init__(self, base: str) -> None:
        (folder,) = (VECTORS / "base" / base).iterdir()
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        self.document = f"{folder.name}.md"
        self.files = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
        self.order = sorted(self.files)

    def edited(self, edits: list[dict]) -> bytes | None:
        """Makes the edits, and says them in the language of the target `judge`; None where it has no words for one."""
        words = b""
        for edit in edits:
            do, path = edit["do"], edit.get("path", "").replace("DOCUMENT", self.document)
            paths = [self.document, "evidence.json"] if do == "replace_both" else [path]
            for path in paths:
                content = self.files.get(path)
                if do in ("replace", "replace_both") and content is not None:
                    find, put = edit["find"].encode(), edit["with"].encode()
                    start = content.find(find)
                elif do == "prepend" and content is not None:
                    start, find, put = 0, b"", edit["text"].encode()
                elif do == "append" and content is not None:
                    start, find = len(content), b""
                    put = edit.get("text", "").encode() + bytes.fromhex(edit.get("hex", ""))
                else:
                    return None
                if start < 0 or len(find) > 255 or len(put) > 255:
                    return None
                self.files[path] = content[:start] + put + content[start + len(find) :]
                words += bytes([self.order.index(path)]) + start.to_bytes(2, "big") + bytes([len(find), len(put)]) + put
        return words


def parts(document: bytes) -> tuple[bytes, bytes]:
    """What stands between the fences of a document, and what follows them."""
    front_matter, _, body = document.removeprefix(b"---\n").partition(b"\n---\n")
    return front_matter, body


def sample(line: str) -> bytes:
    """The text of a labelled sample."""
    fields = json.loads(line)
    if "bytes_base64" in fields:
        return base64.b64decode(fields["bytes_base64"])
    return fields.get("text", "".join(fields.get("parts", []))).encode()


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    dictionary = set()

    def seed(target: str, content: bytes) -> None:
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)

    def seeds_of(bundle: Bundle, base: str, words: bytes) -> None:
        document = bundle.files[bundle.document]
        front_matter, body = parts(document)
        seed("document", document)
        seed("front_matter", front_matter)
        seed("structure", body)
        for options in (0, RESEAL):
            seed("judge", bytes([BASES.index(base), options]) + words)
        for stream in ("stdout", "stderr"):
            seed("excerpt", b"\x07" + bundle.files[f"artifacts/{stream}.txt"])

    for base in BASES:
        seeds_of(Bundle(base), base, b"")
    for path in VECTORS.glob("*/*/vector.toml"):
        vector = tomllib.loads(path.read_text())
        edits = vector.get("edits", [])
        for edit in edits:
            text = edit.get("with", edit.get("text", "")).encode()
            if 0 < len(text) <= 32:
                dictionary.add(text)
        bundle = Bundle(vector["base"])
        words = bundle.edited(edits)
        if words is not None:
            seeds_of(bundle, vector["base"], words)
    for path in VECTORS.glob("front_matter/*.md"):
        seed("front_matter", parts(path.read_bytes())[0])
    for path in DOCUMENTS.glob("*/*.md"):
        seed("bare_document", b"\x01" + path.read_bytes())
        seed("bare_document", b"\x00" + parts(path.read_bytes())[1])
    for path in SAMPLES.glob("*.jsonl"):
        for number, line in enumerate(path.read_text().splitlines()):
            seed("content", bytes([number % 256, 31 * number % 256]) + sample(line))
    # Every pair of encoders, and one more around it.
    for number in range(256):
        seed("decoders", bytes([number % 16, number // 16, 5 * number % 16, 8]) + b"seed " * 8)

    entries = ("".join(f"\\x{byte:02x}" for byte in word) for word in sorted(dictionary))
    (folder / "words.dict").write_text("".join(f'"{entry}"\n' for entry in entries))


main()
