"""One labelled sample, and its line in a set.

A credential made here has the form of a real one, so that a scanner of repositories would report it. It is therefore wrapped
in a pair of private-use marks while it is put together, and written in `parts` that are cut within the marks.
"""

import base64
import json
import random
from dataclasses import dataclass

OPEN, CLOSE = "\ue000", "\ue001"
PART_MAX = 11
RUN_MAX = 15
PLACES_OF_A_LINE = ("prose", "stream", "results", "artifact")
PLACES_OF_A_TEXT = ("stream", "results", "artifact")
TOKEN_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=-.")


@dataclass(frozen=True)
class Item:
    """A sample: `topic` becomes part of the id, `content` is text or bytes, `place` is chosen when it is None."""

    topic: str
    form: str
    content: str | bytes
    place: str | None = None


def marked(text):
    """The text, noted as one that must not stand literally in the repository."""
    return OPEN + unmarked(text) + CLOSE


def unmarked(text):
    return text.replace(OPEN, "").replace(CLOSE, "")


def line_or_text(text):
    """A single line stands without its line end, so that it may also stand where only a line can."""
    return text.removesuffix("\n") if text.count("\n") == 1 else text


def _pieces(region):
    count = max(2, -(-len(region) // PART_MAX))
    size = max(1, -(-len(region) // count))
    return [region[at : at + size] for at in range(0, len(region), size)]


def _runs_cut(part):
    """The part, cut wherever a run of token characters grows over RUN_MAX."""
    start, run = 0, 0
    for at, character in enumerate(part):
        run = run + 1 if character in TOKEN_CHARACTERS else 0
        if run > RUN_MAX:
            yield part[start:at]
            start, run = at, 1
    yield part[start:]


def parts(text, everywhere):
    """The text cut within its marks; `everywhere` also cuts long runs of token characters outside them."""
    cut = []
    for number, region in enumerate(text.replace(CLOSE, OPEN).split(OPEN)):
        inside = number % 2 == 1
        pieces = _pieces(region) if inside and region else [region]
        for piece in pieces:
            cut.extend(_runs_cut(piece) if everywhere else [piece])
    return [piece for piece in cut if piece]


def _place(item, identity):
    if item.place:
        return item.place
    if isinstance(item.content, bytes):
        return "artifact"
    places = PLACES_OF_A_TEXT if "\n" in item.content else PLACES_OF_A_LINE
    return random.Random(identity).choice(places)


def lines(split, name, items):
    """The set's lines, as JSON in ASCII: nothing hidden in a sample is hidden in the file."""
    numbers = {}
    for item in items:
        numbers[item.topic] = numbers.get(item.topic, 0) + 1
        identity = f"{split}-{name}-{item.topic}-{numbers[item.topic]}"
        line = {"id": identity, "class": name, "form": item.form, "place": _place(item, identity)}
        if isinstance(item.content, bytes):
            line["bytes_base64"] = base64.b64encode(item.content).decode()
        elif name == "secret" or OPEN in item.content:
            line["parts"] = parts(item.content, everywhere=name == "secret")
        else:
            line["text"] = item.content
        yield json.dumps(line, ensure_ascii=True)
