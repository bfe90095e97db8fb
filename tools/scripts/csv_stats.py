#!/usr/bin/python3
"""Statistics of one CSV column, as JSON. Arguments come in the environment, the file lies in in/."""

import csv
import json
import math
import os
import sys


def number(text):
    """The finite number that a cell holds, or None."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def main():
    path = os.path.join("in", os.environ["TOOLCLAD_ARG_FILE"])
    column = os.environ["TOOLCLAD_ARG_COLUMN"]
    rows = numbers = 0
    low, high, mean = None, None, 0.0
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if column not in (reader.fieldnames or []):
            sys.exit(f"there is no column {column!r}; columns: {reader.fieldnames}")
        for row in reader:
            rows += 1
            value = number(row[column])
            if value is None:
                continue
            numbers += 1
            low = value if low is None else min(low, value)
            high = value if high is None else max(high, value)
            # A running mean does not overflow where a sum would.
            mean += value / numbers - mean / numbers
    result = {"column": column, "rows": rows, "numbers": numbers, "min": low, "max": high}
    print(json.dumps(result | {"mean": mean if numbers else None}))


try:
    main()
except (OSError, UnicodeDecodeError, csv.Error) as error:
    sys.exit(f"the file cannot be read as CSV: {error}")
