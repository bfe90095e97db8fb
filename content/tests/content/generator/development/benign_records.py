"""Harmless output in rows, as the development half makes it: logs, tables, listings, data files."""

import json

from ..credential import ALNUM, BASE64, chars, uuid
from ..encoding import base64_wrapped, xxd
from ..filler import address, digest, rows, table, times

HOSTS = ("web-1", "web-2", "db-main", "cache01", "build7", "mail", "edge-ams")
UNITS = ("nginx.service", "cron.service", "sshd.service", "postgresql@16.service", "backup.timer", "ntp.service")
USERS = ("ada", "grace", "linus", "margaret", "dennis", "barbara", "edsger")
WORDS = "parser cache index worker queue batch report export import table record window filter socket thread buffer cursor branch layer token key secret rule policy".split()
PATHS = ("/", "/index.html", "/api/v1/items", "/static/app.css", "/login", "/reports/2026?page=2", "/search?q=blue+chairs", "/favicon.ico")
PACKAGES = ("libfoo", "parse-args", "tinytable", "quickhash", "colorful", "netkit", "slugger", "datelib", "graphy", "textwrap2", "pathlist", "ringbuf")
LEVELS = ("DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR")


def syslog(rng):
    messages = (
        "Started Daily cleanup of temporary files.", "session opened for user {u} by (uid=0)", "Failed password for invalid user test from {a} port 51123 ssh2",
        "Accepted publickey for {u} from {a} port 40112 ssh2: ED25519 SHA256:{k}", "(root) CMD (/usr/lib/sysstat/sa1 1 1)", "link up, 1000 Mb/s, full duplex",
        "pam_unix(sudo:auth): authentication failure; logname={u} uid=1000", "Reloading configuration", "rotated 4 files, policy: daily, keep 14",
    )
    return "".join(
        f"{at:%b %d %H:%M:%S} {rng.choice(HOSTS)} {rng.choice(UNITS).split('.')[0]}[{rng.randrange(200, 9000)}]: "
        + rng.choice(messages).format(u=rng.choice(USERS), a=address(rng), k=chars(rng, 43, ALNUM)) + "\n"
        for at in times(rng, rows(rng))
    )


def access_log(rng):
    agents = ("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0", "curl/8.5.0", "Wget/1.21.4", "python-requests/2.32")
    return "".join(
        f'{address(rng)} - - [{at:%d/%b/%Y:%H:%M:%S} +0000] "GET {rng.choice(PATHS)} HTTP/1.1" {rng.choice((200, 200, 200, 304, 404, 301))} {rng.randrange(90, 90000)} "-" "{rng.choice(agents)}"\n'
        for at in times(rng, rows(rng, 150))
    )


def application_log(rng):
    messages = (
        "loaded {n} records in {m} ms", "retrying in {n} s", "cache miss for key user:{n}", "token refreshed, expires in 3600 s", "connection pool: {n} idle, {m} busy",
        "approval {n} granted by {u}", "rule set reloaded ({n} rules)", "password changed for {u}", "request {i} finished", "limit of {n} items reached, paging",
        "Authorization: Bearer [REDACTED]", "api_key=**** region=eu", "secret mounted at /run/secrets/db", "user {u} granted role viewer",
    )
    return "".join(
        f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} {rng.choice(LEVELS):<5} [{rng.choice(WORDS)}-{rng.randrange(9)}] "
        + rng.choice(messages).format(n=rng.randrange(1, 900), m=rng.randrange(1, 99), u=rng.choice(USERS), i=uuid(rng)) + "\n"
        for at in times(rng, rows(rng))
    )


def json_lines(rng):
    return "".join(
        json.dumps({"ts": at.timestamp(), "level": rng.choice(LEVELS).lower(), "msg": f"{rng.choice(WORDS)} {rng.choice(WORDS)} done", "trace": digest(rng, 32), "ms": rng.randrange(400)}) + "\n"
        for at in times(rng, rows(rng, 120))
    )


def kernel_log(rng):
    lines = (
        "usb 1-1: new high-speed USB device number {n} using xhci_hcd", "EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none.", "audit: type=1400 apparmor=\"STATUS\" operation=\"profile_load\" name=\"man_filter\"",
        "e1000e 0000:00:1f.6 eth0: NIC Link is Up", "Out of memory: Killed process {n} (worker) total-vm:2097152kB", "random: crng init done", "tcp: possible SYN flooding on port 443",
    )
    return "".join(f"[{number * 1.37 + rng.random():12.6f}] {rng.choice(lines).format(n=rng.randrange(2, 30000))}\n" for number in range(rows(rng, 120)))


def csv(rng):
    kind = rng.randrange(3)
    if kind == 0:
        body = (f"{n},{rng.choice(USERS)}@example.com,{rng.choice(('open', 'closed'))},{rng.uniform(1, 900):.2f}" for n in range(rows(rng)))
        return "id,email,state,amount\n" + "\n".join(body) + "\n"
    if kind == 1:
        body = (f"{at:%Y-%m-%dT%H:%M:%SZ};{rng.uniform(17, 24):.1f};{rng.randrange(30, 70)}" for at in times(rng, rows(rng), 900))
        return "time;celsius;humidity\n" + "\n".join(body) + "\n"
    body = (f'"{rng.choice(WORDS)} {rng.choice(WORDS)}",{rng.randrange(99)},"{rng.choice(("yes", "no", "=SUM(B2:B9)"))}"' for _ in range(rows(rng, 80)))
    return "name,count,checked\n" + "\n".join(body) + "\n"


def listing(rng):
    body = []
    for at in times(rng, rows(rng, 120), 90000):
        folder = rng.random() < 0.2
        body.append(f"{'drwxr-xr-x' if folder else '-rw-r--r--'} {rng.randrange(1, 9)} {rng.choice(USERS)} users {rng.randrange(20, 999999):>8} {at:%b %d %H:%M} {rng.choice(WORDS)}{'' if folder else rng.choice(('.rs', '.txt', '.key.pub', '.md', '.sh', '.exe.sha256'))}")
    return f"total {len(body) * 4}\n" + "\n".join(body) + "\n"


def processes(rng):
    commands = ("/usr/sbin/sshd -D", "nginx: worker process", "postgres: checkpointer", "bash", "python3 manage.py runserver", "/usr/bin/curl -sS -o out.html https://example.com/", "sh -c ./nightly", "vim notes.md", "[kworker/0:1-events]")
    body = [(rng.choice(USERS), rng.randrange(2, 32000), f"{rng.uniform(0, 40):.1f}", f"{rng.uniform(0, 9):.1f}", rng.choice(commands)) for _ in range(rows(rng, 60))]
    return table(("USER", "PID", "%CPU", "%MEM", "COMMAND"), body)


def disk_usage(rng):
    body = [(f"/dev/sd{rng.choice('abc')}{n}", f"{rng.randrange(10, 900)}G", f"{rng.randrange(1, 9)}G", f"{rng.randrange(100)}%", rng.choice(("/", "/home", "/var", "/srv/data", "/boot"))) for n in range(1, rows(rng, 12) + 1)]
    return table(("Filesystem", "Size", "Used", "Use%", "Mounted on"), body)


def markdown_table(rng):
    body = "".join(f"| {rng.choice(WORDS)} | {rng.randrange(1000)} | {rng.uniform(0, 1):.3f} |\n" for _ in range(rows(rng, 60)))
    return "| part | calls | share |\n|---|---:|---:|\n" + body


def packages(rng):
    if rng.random() < 0.5:
        body = [("ii", name + ":amd64", f"{rng.randrange(9)}.{rng.randrange(30)}-{rng.randrange(1, 5)}", "library of " + rng.choice(WORDS) + " functions") for name in rng.sample(PACKAGES, rng.randrange(1, 12))]
        return table(("||/", "Name", "Version", "Description"), body)
    entries = {name: {"version": f"{rng.randrange(9)}.{rng.randrange(30)}.{rng.randrange(9)}", "integrity": "sha512-" + chars(rng, 86, BASE64) + "=="} for name in rng.sample(PACKAGES, rng.randrange(1, 12))}
    return json.dumps({"lockfileVersion": 3, "packages": entries}, indent=2) + "\n"


def hashes(rng):
    length = rng.choice((32, 40, 64, 128))
    return "".join(f"{digest(rng, length)}  {rng.choice(WORDS)}-{n}.{rng.choice(('tar.gz', 'iso', 'deb', 'txt'))}\n" for n in range(rows(rng, 80)))


def identifiers(rng):
    kinds = (lambda: uuid(rng), lambda: "sha256:" + digest(rng), lambda: "commit " + digest(rng, 40), lambda: "req_" + chars(rng, 14), lambda: "arn:aws:iam::123456789012:role/reader", lambda: "i-0" + digest(rng, 16))
    return "".join(f"{rng.choice(WORDS)}: {rng.choice(kinds)()}\n" for _ in range(rows(rng, 60)))


def random_base64(rng):
    return base64_wrapped(rng.randbytes(rng.randrange(20, 3000)), rng.choice((64, 76))) + "\n"


def certificate(rng):
    body = "MIID" + base64_wrapped(rng.randbytes(720), 64)[4:]
    return f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"


def public_keys(rng):
    kinds = (
        lambda: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{chars(rng, 43, BASE64)} {rng.choice(USERS)}@{rng.choice(HOSTS)}\n",
        lambda: "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A" + chars(rng, 32, BASE64) + "\n-----END PUBLIC KEY-----\n",
        lambda: f"age1{chars(rng, 58, 'qpzry9x8gf2tvdw0s3jn54khce6mua7l')}\n",
        lambda: f"256 SHA256:{chars(rng, 43, BASE64)} {rng.choice(HOSTS)} (ED25519)\n",
    )
    return "".join(rng.choice(kinds)() for _ in range(rng.randrange(1, 5)))


def image_data(rng):
    return '{"type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAA' + chars(rng, rng.randrange(100, 1200), BASE64) + '"}\n'


def hex_dump(rng):
    return xxd(" ".join(rng.choice(WORDS) for _ in range(rng.randrange(4, 90))))


def nested_json(rng):
    entry = lambda: {"id": rng.randrange(9999), "name": rng.choice(WORDS), "tags": rng.sample(WORDS, rng.randrange(4)), "owner": rng.choice(USERS), "ratio": round(rng.random(), 4), "key": None, "token_count": rng.randrange(4096)}
    return json.dumps({"items": [entry() for _ in range(rows(rng, 40))], "next": None, "password_set": True}, indent=rng.choice((None, 2))) + "\n"


def vocabulary(rng):
    """Words of the rule's own domain in lists: keywords without anything behind them."""
    return "".join(f"{rng.choice(('key', 'secret', 'token', 'password', 'policy', 'approval', 'role', 'limit'))}: {rng.choice(('none', 'unset', 'see vault', 'required', 'n/a', 'rotated', '(hidden)', '********', '<redacted>'))}\n" for _ in range(rows(rng, 30)))


KINDS = (
    ("log", syslog, 14), ("log", access_log, 14), ("log", application_log, 18), ("log", json_lines, 8), ("log", kernel_log, 8),
    ("csv", csv, 24), ("listing", listing, 12), ("process_list", processes, 10), ("table", disk_usage, 8), ("table", markdown_table, 12),
    ("packages", packages, 18), ("hashes", hashes, 16), ("hashes", identifiers, 12), ("base64_data", random_base64, 14), ("base64_data", certificate, 5),
    ("base64_data", image_data, 7), ("public_keys", public_keys, 12), ("hex_dump", hex_dump, 8), ("json", nested_json, 20), ("keywords", vocabulary, 10),
)
