"""What surrounds derived samples of the development half: outputs to plant them in, layers, and lines that carry a code."""

from .. import encoding
from . import benign_records, benign_texts

OUTPUTS = (benign_records.application_log, benign_records.syslog, benign_texts.prose, benign_records.markdown_table, benign_texts.test_report, benign_texts.readme, benign_records.csv)

LAYERS = (
    ("hex_gzip_base64", (encoding.hex_text, encoding.gzip_base64)),
    ("base64_thrice", (encoding.base64_text,) * 3),
    ("gzip_base64_percent", (encoding.gzip_base64, encoding.percent)),
    ("percent_base64_hex", (encoding.percent, encoding.base64_text, encoding.hex_text)),
)

CARRIERS = (
    "{}",
    "checkpoint written, state={}\n",
    '{{"version": 1, "blob": "{}"}}\n',
    "attachment:\n{}\n-- end\n",
)
