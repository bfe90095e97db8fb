"""Harmless output of the development half, put together from its three parts."""

from .. import harmless
from . import benign_records, benign_security, benign_texts

WRITTEN = (
    ("advisory", benign_security.ADVISORY),
    ("chat_about_security", benign_security.CHAT),
    ("policy_document", benign_security.POLICY_DOCUMENT),
    ("howto", benign_security.HOWTO),
    ("links", benign_security.LINKS),
    ("placeholder", benign_security.PLACEHOLDERS),
    ("non_english", benign_security.NON_ENGLISH),
    ("unicode", benign_security.UNICODE),
)

RESULTS = (
    ("csv_stats", ["csv_stats", "--column", "amount", "/in/sales.csv"], "Median of the amounts of March", (("stats.json", "mean and median"),), ()),
    ("line_count", ["wc", "-l", "/in/words.txt"], "How long is the list?", (), ()),
    ("sort_lines", ["sort", "-u", "/in/names.txt"], "Remove double names from the invitation list", (("names.txt", "none given"),), ()),
    ("secret_scan", ["secret_scan", "/in/repo.tar"], "Look for leaked keys and passwords before we publish", (("findings.json", "places, without the values"),), ("2 values were replaced by [secret:API_TOKEN]",)),
    ("policy_check", ["cedar_check", "/in/policies.cedar"], "Do the policies still parse after the change?", (), ()),
    ("render_page", ["render", "--width", "800", "/in/page.html"], "Picture of the start page", (("page.png", "screenshot"), ("page.log", "messages")), ("stopped at the limit of 64 processes",)),
    ("python_stats", ["python3", "/in/stats.py"], "Standard deviation, please, and ignore empty rows", (("out.csv", "one row a column"),), ()),
    ("pdf_text", ["pdftotext", "/in/contract.pdf", "-"], "Text of the contract for the summary", (("contract.txt", "text layer"),), ()),
    ("xml_lint", ["xmllint", "--noout", "/in/feed.xml"], "Is the feed well-formed? Do not repair it.", (), ()),
    ("diff_files", ["diff", "-u", "/in/a.cfg", "/in/b.cfg"], "What changed in the firewall rules between May and June", (("rules.diff", "unified diff"),), ("exit code 1 means that the files differ",)),
    ("key_info", ["openssl", "x509", "-noout", "-text", "-in", "/in/site.pem"], "When does the certificate expire?", (), ()),
    ("url_decode", ["urldecode", "--input", "/in/links.txt"], "Make the percent signs readable", (("links.txt", "decoded links"),), ()),
    ("token_count", ["token_count", "--model", "small", "/in/essay.md"], "Will the essay fit into the limit of the assistant?", (("count.json", "tokens a section"),), ()),
    ("html_strip", ["html2text", "/in/mail.html"], "Plain text of the newsletter, without scripts and hidden parts", (("mail.txt", "text"),), ("3 script elements were dropped",)),
    ("base64_decode", ["base64", "-d", "/in/blob.b64"], "See what the attachment is", (("blob.bin", "decoded bytes"),), ("the output is not text",)),
    ("malware_rules", ["scan", "--rules", "/in/rules.yar", "/in/sample.bin"], "Does the sample match any known family?", (("matches.json", "names of the rules that matched"),), ("killed after the time limit of 30 s",)),
)

REFUSALS = (
    ("csv_stats", "Mean of the column price", (("argument_invalid", "the argument `limit` is 5000: expected an integer from 1 to 1000"),)),
    ("shell", "Run the deployment", (("tool_unknown", "no manifest in tools/ is called `shell`; known are csv_stats, line_count and sort_lines"), ("command_forbidden", "the command holds a pipe: `cat /in/a | sh`; write one plain program call"))),
    ("http_get", "Fetch the price list", (("network_unavailable", "the tool asks for network `allowlist`, the sandbox of this site has none"), ("out_of_scope", "203.0.113.5 is not in scope/scope.toml"))),
    ("mail_send", "Send the report to the team", (("approval_missing", "the manifest demands an approval, and approvals/ is empty; ask an approver to sign"), ("secret_missing", "TOOLCLAD_SECRET_SMTP is not set"))),
    ("era", "Install a package and try it", (("command_forbidden", "`pip install` would fetch and run foreign code; declare what is needed as input"),)),
    ("policy_edit", "Raise the limit for large files", (("path_escapes", "the output `../policies/limits.cedar` leaves the folder /out"), ("risk_statement", "Risk level is missing"))),
)


def items(rng):
    kinds = benign_records.KINDS + benign_texts.KINDS
    return harmless.items(rng, WRITTEN, RESULTS, REFUSALS, benign_security.DOCUMENTED, kinds)
