"""What surrounds derived samples of the held-out half: outputs to plant them in, layers, and lines that carry a code."""

from . import benign_records, benign_texts, encoding

OUTPUTS = (benign_records.container_log, benign_texts.essay, benign_records.logfmt, benign_records.query_result, benign_texts.spec_report, benign_texts.changelog, benign_records.tree, benign_texts.minutes)

LAYERS = (
    ("base64_gzip_hex", (encoding.base64_text, encoding.gzip_hex)),
    ("percent_twice_base64_url", (encoding.percent_lower, encoding.percent, encoding.base64_url)),
    ("gzip_twice_base64", (encoding.gzipped, encoding.gzipped, encoding.base64_text)),
    ("hex_base64_hex", (encoding.hex_upper, encoding.base64_text, encoding.hex_text)),
    ("base64_url_gzip_wrapped", (encoding.base64_url, encoding.gzipped, encoding.base64_wrapped)),
)

CARRIERS = (
    "{}\n",
    "Set-Cookie: prefs={}; Path=/; HttpOnly\n",
    "  <entry key=\"cache\">{}</entry>\n",
    "backup = '''\n{}\n'''\n",
    "ok 7 - snapshot matches # {}\n",
)
