"""Writes the labelled content sets, or checks that they are what this generator makes.

    python3 generate.py             write every set; captured lines stay as they are
    python3 generate.py --check     change nothing; status 1 and a sentence for every set that differs
    python3 generate.py --capture   run this machine's tools anew for the captured lines, then write
    python3 generate.py --counts    print how many samples each class has by form, in both halves

Captured lines are the output of real tools on one machine on one day; another run would print something else, so they are
kept in the benign sets (their ids say `captured`) and everything else is made from the wordings and a seed.
"""

import argparse
import importlib
import json
import random
import sys
from collections import Counter
from pathlib import Path

from generator import capture, derived
from generator.item import lines

HERE = Path(__file__).resolve().parent
SPLITS = {"development": "development", "held-out": "held_out"}
CLASSES = ("benign", "secret", "executable_payload", "policy_claim", "instruction", "exfil_link", "hidden_text")


def made(split, name):
    """The lines of a set that come from its wordings."""
    wordings = importlib.import_module(f"generator.{SPLITS[split]}.{name}")
    items = list(wordings.items(random.Random(f"gatepost/{split}/{name}")))
    if name != "benign":
        setting = importlib.import_module(f"generator.{SPLITS[split]}.setting")
        planted = derived.buried(random.Random(f"gatepost/{split}/{name}/buried"), items, setting.OUTPUTS)
        items += [*planted, *derived.layered(items, setting.LAYERS, setting.CARRIERS)]
    return list(lines(split, name, items))


def captured(path):
    """The captured lines that a set already has."""
    if not path.exists():
        return []
    return [line for line in path.read_text("ascii").splitlines() if "-captured_" in json.loads(line)["id"]]


def print_counts():
    """Class, form, and the number of samples in each half."""
    counts = Counter()
    for split in SPLITS:
        for name in CLASSES:
            for line in (HERE / split / f"{name}.jsonl").read_text("ascii").splitlines():
                form = json.loads(line)["form"]
                counts[name, form, split] += 1
                counts[name, "all", split] += 1
    for name, form in sorted({key[:2] for key in counts}, key=lambda key: (CLASSES.index(key[0]), key[1] != "all", key[1])):
        print(f"{name:<20} {form:<22}" + "".join(f"{counts[name, form, split]:>6}" for split in SPLITS))


def main():
    arguments = argparse.ArgumentParser(description="Write or check the labelled content sets.")
    arguments.add_argument("--check", action="store_true", help="change nothing, report what differs")
    arguments.add_argument("--capture", action="store_true", help="run tools anew for the captured lines")
    arguments.add_argument("--counts", action="store_true", help="print the numbers of samples and do nothing else")
    chosen = arguments.parse_args()
    if chosen.counts:
        print_counts()
        return 0
    stale = []
    for split in SPLITS:
        for name in CLASSES:
            path = HERE / split / f"{name}.jsonl"
            kept = captured(path)
            if chosen.capture and name == "benign":
                kept = list(lines(split, name, capture.items(split)))
            text = "".join(line + "\n" for line in made(split, name) + kept)
            if chosen.check:
                if not path.exists() or path.read_text("ascii") != text:
                    stale.append(path)
                continue
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "ascii")
    for path in stale:
        print(f"{path.relative_to(HERE)} is not what the generator makes; run generate.py and look at the change.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
