#!/usr/bin/env python3
"""Prints the licences of every crate that the programs link, as their authors published them; the Debian package carries them.

Crates are named by `cargo tree`, for this machine's target; nothing is fetched. A crate whose package holds no licence file is listed with the
expression that it declares.
"""

import json
import pathlib
import subprocess


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments, "--locked", "--offline"], check=True, capture_output=True, text=True).stdout


def linked():
    """The crates, as name and version."""
    lines = cargo("tree", "--workspace", "--edges", "normal", "--prefix", "none", "--format", "{p}").splitlines()
    return {tuple(line.split()[:2]) for line in lines if line.strip()}


def main():
    wanted = linked()
    # Without it, cargo asks for the crates of other machines too.
    version = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = next(line.removeprefix("host: ") for line in version.splitlines() if line.startswith("host: "))
    packages = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", host))["packages"]
    texts = {}
    print("What the programs of gatepost link, and under which licences.\n")
    for package in sorted(packages, key=lambda package: (package["name"], package["version"])):
        if not package["source"] or (package["name"], "v" + package["version"]) not in wanted:
            continue
        print(f"{package['name']} {package['version']}: {package['license'] or 'see below'}")
        folder = pathlib.Path(package["manifest_path"]).parent
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")):
                text = path.read_text(errors="replace").strip()
                texts.setdefault(text, []).append(f"{package['name']} {package['version']}, {path.name}")
    for text, files in texts.items():
        print("\n" + "-" * 78 + "\n" + "\n".join(files) + "\n\n" + text)


main()
