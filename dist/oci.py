#!/usr/bin/env python3
"""Writes a container image of a tree of programs: `oci.py TREE VERSION ARCHITECTURE EPOCH FILE`.

An archive of an OCI image layout with one layer, the tree below /usr, which `podman load`, `skopeo` and containerd read without a
registry. Its times are EPOCH: the same tree gives the same bytes. Standards: OCI Image Format 1.1.
"""

import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile
import time

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def archive(entries, epoch):
    """A tar of (name, mode, bytes or None for a folder), the owner root."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, mode, data in entries:
            entry = tarfile.TarInfo(name)
            entry.mode, entry.mtime = mode, epoch
            entry.type, entry.size = (tarfile.DIRTYPE, 0) if data is None else (tarfile.REGTYPE, len(data))
            tar.addfile(entry, io.BytesIO(data or b""))
    return made.getvalue()


def files(tree):
    yield "usr", 0o755, None
    for path in sorted(tree.rglob("*")):
        name = f"usr/{path.relative_to(tree)}"
        if path.is_dir():
            yield name, 0o755, None
        else:
            yield name, 0o755 if path.stat().st_mode & 0o100 else 0o644, path.read_bytes()
    yield "site", 0o755, None
    yield "tmp", 0o1777, None


def main():
    tree, version, architecture, epoch, target = sys.argv[1:]
    blobs = {}

    def blob(kind, data, **more):
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data), **more}

    def document(kind, value):
        return blob(kind, json.dumps(value, indent=1).encode())

    layer = archive(files(pathlib.Path(tree)), int(epoch))
    config = document("config.v1+json", {
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch))),
        "architecture": ARCHITECTURES.get(architecture, architecture),
        "os": "linux",
        "config": {"Entrypoint": ["/usr/bin/gatepost"], "Env": ["PATH=/usr/bin:/bin"], "WorkingDir": "/site"},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
    })
    manifest = document("manifest.v1+json", {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config,
        "layers": [blob("layer.v1.tar+gzip", gzip.compress(layer, mtime=0))],
    })
    name = {"org.opencontainers.image.ref.name": version}
    index = {"schemaVersion": 2, "manifests": [{**manifest, "annotations": name}]}
    entries = [
        ("oci-layout", 0o644, b'{"imageLayoutVersion": "1.0.0"}'),
        ("index.json", 0o644, json.dumps(index, indent=1).encode()),
        *[(name, 0o755, None) for name in ("blobs", "blobs/sha256")],
        *[(f"blobs/sha256/{digest}", 0o644, data) for digest, data in sorted(blobs.items())],
    ]
    pathlib.Path(target).write_bytes(archive(entries, int(epoch)))


if __name__ == "__main__":
    main()
