"""Reads every accepted front matter in vectors/front_matter with PyYAML and compares it with the JSON beside it.

Needs PyYAML (`pip install pyyaml`). Run from anywhere: `python3 gate/tests/pyyaml_differential.py`.
Exit status 0 when all agree, 1 otherwise.
"""

import json
import pathlib
import sys

import yaml


def front_matter(document: str) -> str:
    """What stands between the first two fence lines."""
    return document.removeprefix("---\n").partition("\n---\n")[0]


def typed(value: object) -> object:
    """A value in which 1, 1.0 and True are three different things."""
    if isinstance(value, dict):
        return {key: typed(member) for key, member in value.items()}
    if isinstance(value, list):
        return [typed(member) for member in value]
    return type(value).__name__, value


def main() -> int:
    folder = pathlib.Path(__file__).parent / "vectors" / "front_matter"
    documents = sorted(folder.glob("*.md"))
    differing = 0
    for path in documents:
        expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        found = yaml.safe_load(front_matter(path.read_text(encoding="utf-8"))) or {}
        if typed(found) != typed(expected):
            differing += 1
            print(f"{path.name}: PyYAML reads {found!r}, expected {expected!r}", file=sys.stderr)
    print(f"{len(documents)} documents, {differing} differ")
    return 1 if differing or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
