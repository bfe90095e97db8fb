#!/usr/bin/env python3
"""Prints an in-toto statement about the files of a folder: the commit, the lock file and the compiler that they were made of.

`provenance.py FOLDER`. Standards: in-toto Statement 1, SLSA Provenance 1. It has no time of its own: the same commit gives the same bytes.
"""

import hashlib
import json
import pathlib
import subprocess
import sys


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    folder = pathlib.Path(sys.argv[1])
    commit = said("git", "rev-parse", "HEAD").strip()
    compiler = dict(line.split(": ", 1) for line in said("rustc", "-vV").splitlines() if ": " in line)
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": digest(path)}} for path in sorted(folder.iterdir())],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:gatepost:dist-release:1",
                "externalParameters": {"command": "dist/release", "host": compiler["host"]},
                "resolvedDependencies": [
                    {"name": "gatepost", "digest": {"gitCommit": commit}},
                    {"name": "Cargo.lock", "digest": {"sha256": digest(pathlib.Path("Cargo.lock"))}},
                    {"name": "rustc", "digest": {"gitCommit": compiler["commit-hash"]}, "annotations": {"release": compiler["release"]}},
                ],
            },
            "runDetails": {"builder": {"id": "urn:gatepost:signer-of-SHA256SUMS"}},
        },
    }
    json.dump(statement, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
