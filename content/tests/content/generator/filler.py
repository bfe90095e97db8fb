"""What harmless records are filled with: counts, times, names of hosts of the documentation ranges. Text comes from each half."""

import math
from datetime import datetime, timedelta

from .credential import HEX, chars

START = datetime(2026, 1, 5, 6, 0, 0)


def rows(rng, most=300):
    """A number of lines from 1 to `most`: mostly few (as likely in proportion), every eighth time more than half of `most`."""
    if rng.random() < 1 / 8:
        return rng.randrange(most // 2, most) + 1
    return max(1, int(math.exp(rng.uniform(0, math.log(most)))))


def times(rng, count, gap_s=20):
    """Rising times from a random day of 2026 on."""
    now = START + timedelta(minutes=rng.randrange(300 * 24 * 60))
    for _ in range(count):
        now += timedelta(seconds=rng.randrange(1, gap_s), milliseconds=rng.randrange(1000))
        yield now


def address(rng):
    return rng.choice(("192.0.2.", "198.51.100.", "10.20.30.")) + str(rng.randrange(1, 255))


def digest(rng, count=64):
    return chars(rng, count, HEX)


def table(header, body, separator="  "):
    """Columns padded to their widest cell."""
    cells = [header, *body]
    widths = [max(len(str(row[column])) for row in cells) for column in range(len(header))]
    return "".join(separator.join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in cells)
