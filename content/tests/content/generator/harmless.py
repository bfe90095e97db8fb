"""Harmless output, from the parts that a half brings along."""

import random

from . import document
from .item import Item, line_or_text


def items(rng, written, results, refusals, documented, kinds):
    seed = rng.random()
    for form, texts in written:
        for text in texts:
            yield Item(form, form, line_or_text(text))
    for values in results:
        yield Item("result_document", "result_document", document.prose(rng, *values), "prose")
    for values in refusals:
        yield Item("refusal", "result_document", document.refusal(rng, *values), "prose")
    for topic, text in documented:
        yield Item(topic, "documented_example", text)
    for form, make, count in kinds:
        # A kind of its own seed: more of one changes no other.
        own = random.Random(f"{seed}/{make.__name__}")
        for _ in range(count):
            yield Item(make.__name__, form, make(own))
