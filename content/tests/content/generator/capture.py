"""Output of real tools: commands of each half, run in a folder of its own with a small environment.

The repository's own path and the machine's name are replaced; nothing reaches the network. What a tool printed is kept as it
is, cut after LINES_MAX lines and TEXT_MAX characters.
"""

import importlib
import platform
import re
import subprocess
import tempfile
from pathlib import Path

from .item import Item

REPOSITORY = Path(__file__).resolve().parents[4]
ENVIRONMENT = {
    "PATH": f"{Path.home()}/.cargo/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "CARGO_HOME": f"{Path.home()}/.cargo", "RUSTUP_HOME": f"{Path.home()}/.rustup",
    "LC_ALL": "C.UTF-8", "HOME": "/tmp", "TERM": "dumb", "TZ": "UTC", "GIT_PAGER": "cat", "REPO": str(REPOSITORY),
}
LINES_MAX = 250
TEXT_MAX = 12_000
SECONDS_MAX = 60


def _commands(split):
    return importlib.import_module(f"generator.{split.replace('-', '_')}.captured")


def _shown(octets, scratch):
    text = octets.decode("utf-8", "replace")
    for found, put in ((scratch, "/home/user/project"), (str(REPOSITORY), "/home/user/gatepost"), (platform.node(), "localhost"), (str(Path.home()), "/home/user")):
        text = re.sub(rf"(?<!\w){re.escape(found)}(?!\w)", put, text)
    return "".join(text.splitlines(keepends=True)[:LINES_MAX])[:TEXT_MAX]


def items(split):
    """A sample for every command that printed something; `$REPO` is the repository."""
    half = _commands(split)
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in half.FILES.items():
            Path(scratch, name).write_text(content)
        for form, command in half.COMMANDS:
            ran = subprocess.run(
                ["bash", "-c", command], cwd=scratch, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_MAX, check=False,
            )
            text = _shown(ran.stdout, scratch)
            if text.strip():
                yield Item(f"captured_{form}", form, text)
            else:
                print(f"nothing from: {command}")
