"""Hostile samples made from a half's own: planted amid its harmless output, and wrapped in three layers of its encodings."""

from .item import Item, marked, unmarked

BURIED = 14
LAYERED = 12
TEXT_MAX = 600
OUTPUT_MAX = 9_000


def _short(items, form):
    return [item for item in items if item.form == form and isinstance(item.content, str) and len(item.content) <= TEXT_MAX]


def _evenly(items, count):
    step = max(1, len(items) // count)
    return items[::step][:count]


def buried(rng, items, outputs):
    """Plain samples, each on lines of its own somewhere in an output of many rows."""
    for number, item in enumerate(_evenly(_short(items, "plain"), BURIED)):
        make = outputs[number % len(outputs)]
        rows = make(rng)[:OUTPUT_MAX].splitlines()
        while len(rows) < 12:
            rows += make(rng)[:OUTPUT_MAX].splitlines()
        at = rng.randrange(2, len(rows) - 1)
        yield Item(f"{item.topic}_buried", "plain", "\n".join([*rows[:at], item.content.rstrip("\n"), *rows[at:]]) + "\n")


def layered(items, layers, carriers):
    """Plain samples in three layers, the outermost last, each carried by a line that a tool could print."""
    for number, item in enumerate(_evenly(_short(items, "plain")[1:], LAYERED)):
        name, encodings = layers[number % len(layers)]
        content = unmarked(item.content)
        for encode in encodings:
            content = encode(content)
        carrier = carriers[number % len(carriers)]
        yield Item(f"{item.topic}_{name}", "encoded", carrier.format(marked(content) if item.content != unmarked(item.content) else content))
