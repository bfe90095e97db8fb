"""Harmless output in rows, as the held-out half makes it: logs, tables, listings, data files."""

import json

from ..credential import BASE64, HEX, UPPER, URL, chars, uuid
from ..filler import address, digest, rows, times
from .encoding import base64_text, base64_url, base64_wrapped, hex_spaced

NODES = ("atlas", "borealis", "cygnus", "draco", "eridanus", "fornax")
PEOPLE = ("Amina", "Bjorn", "Chidi", "Dalia", "Emeka", "Freya", "Goro", "Hana")
NOUNS = "valve pump sensor rotor gasket flange bearing pulley lever piston crank spindle shutter beacon antenna relay breaker fuse gauge meter".split()
MODULES = ("ingest", "render", "billing", "catalog", "geo", "mailer", "auth", "policy", "scheduler")
CRATES = ("lumen", "oxbow", "tern", "quill", "basalt", "finch", "marl", "osprey", "pollen", "sedge")


def logfmt(rng):
    events = ("cache_warm", "token_renewed", "role_assigned role=reader", "policy_loaded version={n}", "approval_requested approvers=2", "upload bytes={n}", "limit_checked limit={n} used=3", "instructions_shown page={n}", "secret_rotated name=smtp")
    return "".join(f"time={at:%Y-%m-%dT%H:%M:%SZ} module={rng.choice(MODULES)} node={rng.choice(NODES)} event={rng.choice(events).format(n=rng.randrange(5000))} dur={rng.randrange(900)}ms\n" for at in times(rng, rows(rng)))


def database_log(rng):
    lines = (
        "LOG:  checkpoint complete: wrote {n} buffers (0.3%)", "ERROR:  duplicate key value violates unique constraint \"users_pkey\"", "DETAIL:  Key (id)=({n}) already exists.", "LOG:  automatic vacuum of table \"app.public.tokens\": index scans: 1",
        "FATAL:  password authentication failed for user \"guest\"", "STATEMENT:  SELECT secret_name FROM secrets WHERE owner = $1", "HINT:  See server log for query details.", "LOG:  connection authorized: user=app database=app",
    )
    return "".join(f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} UTC [{rng.randrange(100, 9999)}] {rng.choice(lines).format(n=rng.randrange(9999))}\n" for at in times(rng, rows(rng, 200)))


def mail_log(rng):
    return "".join(
        f"{at:%Y-%m-%dT%H:%M:%S}+01:00 mx postfix/{rng.choice(('smtpd', 'qmgr', 'smtp', 'cleanup'))}[{rng.randrange(999, 9999)}]: {chars(rng, 10, HEX.upper())}: "
        + rng.choice((f"from=<{rng.choice(PEOPLE).lower()}@example.org>, size={rng.randrange(400, 90000)}, nrcpt=1 (queue active)", f"to=<info@example.com>, relay=mx.example.com[{address(rng)}]:25, dsn=2.0.0, status=sent (250 ok)", "removed", "message-id=<" + uuid(rng) + "@example.org>")) + "\n"
        for at in times(rng, rows(rng, 150))
    )


def container_log(rng):
    texts = ("GET /healthz 200", "listening on :8080", "applied migration {n}_add_roles", "WARN deprecated option `tls-key` ignored", "worker {n} idle", "graceful shutdown requested", "DATABASE_URL is set", "using token from file", "sandbox ready")
    return "".join(f"{rng.choice(('api', 'web', 'jobs', 'redis')):<6}| {rng.choice(texts).format(n=rng.randrange(60))}\n" for _ in range(rows(rng)))


def android_log(rng):
    return "".join(f"{at:%m-%d %H:%M:%S}.{rng.randrange(1000):03d} {rng.randrange(900, 3000):>5} {rng.randrange(900, 3000):>5} {rng.choice('VDIWE')} {rng.choice(('ActivityManager', 'Zygote', 'KeyStore', 'PermissionPolicy', 'WifiHAL'))}: {rng.choice(NOUNS)} {rng.choice(('started', 'granted', 'bound', 'released'))} uid={rng.randrange(10000, 10400)}\n" for at in times(rng, rows(rng, 150)))


def pipeline_log(rng):
    steps = ("Checkout", "Set up toolchain", "Restore cache", "Lint", "Unit tests", "Package", "Upload artifact", "Approve release", "Post job cleanup")
    lines = []
    for number, at in enumerate(times(rng, rows(rng, 120))):
        lines.append(f"{at:%Y-%m-%dT%H:%M:%S.%fZ} " + rng.choice((f"##[group]{rng.choice(steps)}", "##[endgroup]", f"Downloaded {rng.randrange(90)} MB", "env: API_TOKEN: ***", f"cache key: linux-{digest(rng, 20)}", f"step {number} took {rng.randrange(90)} s")))
    return "\n".join(lines) + "\n"


def tab_separated(rng):
    body = (f"{rng.choice(NOUNS)}\t{chars(rng, 3, UPPER)}-{rng.randrange(1000, 9999)}\t{rng.randrange(1, 60)}\t{rng.uniform(0.5, 99):.2f} EUR" for _ in range(rows(rng)))
    return "part\tarticle\tstock\tprice\n" + "\n".join(body) + "\n"


def quoted_csv(rng):
    body = (f'"{rng.choice(PEOPLE)}","{rng.choice(("Needs a key for the shed", "Asked about the new rules", "Wants approval by Monday", "Said: ""fine"" twice", "+49 30 555 0100", "-"))}",{rng.randrange(1, 6)}' for _ in range(rows(rng, 150)))
    return "\ufeff" * (rng.random() < 0.3) + '"who","remark","stars"\r\n' + "\r\n".join(body) + "\r\n"


def tree(rng):
    lines = ["."]
    for _ in range(rows(rng, 100)):
        lines.append("│   " * rng.randrange(3) + "├── " + rng.choice(NOUNS) + rng.choice(("", ".toml", ".pem.pub", ".c", ".h", ".ps1", ".html")))
    return "\n".join(lines) + f"\n\n{rng.randrange(9)} directories, {len(lines)} files\n"


def pods(rng):
    body = (f"{rng.choice(MODULES)}-{digest(rng, 10)}-{chars(rng, 5, 'bcdfghjklmnpqrstvwxz2456789'):<8} 1/1   {rng.choice(('Running', 'Running', 'Completed', 'CrashLoopBackOff')):<16} {rng.randrange(9)}   {rng.randrange(40)}d" for _ in range(rows(rng, 60)))
    return "NAME                            READY STATUS           RESTARTS AGE\n" + "\n".join(body) + "\n"


def query_result(rng):
    body = [f" {n:>4} | {rng.choice(NOUNS):<10} | {rng.randrange(2) and 't' or 'f'}" for n in range(rows(rng, 80))]
    return "   id | name       | approved\n------+------------+----------\n" + "\n".join(body) + f"\n({len(body)} rows)\n"


def box_table(rng):
    line = "+" + "-" * 12 + "+" + "-" * 8 + "+\n"
    return line + "| part       | torque |\n" + line + "".join(f"| {rng.choice(NOUNS):<10} | {rng.uniform(1, 90):>6.2f} |\n" for _ in range(rows(rng, 40))) + line


def lock_file(rng):
    return "# This file is generated; edits are lost.\nversion = 4\n" + "".join(f'\n[[package]]\nname = "{name}"\nversion = "{rng.randrange(3)}.{rng.randrange(20)}.{rng.randrange(9)}"\nsource = "registry+https://crates.example.org/index"\nchecksum = "{digest(rng)}"\n' for name in rng.sample(CRATES, rng.randrange(1, 10)))


def requirements(rng):
    return "".join(f"{name}=={rng.randrange(9)}.{rng.randrange(40)} \\\n    --hash=sha256:{digest(rng)}\n" for name in rng.sample(CRATES, rng.randrange(1, 10)))


def tagged_digests(rng):
    return "".join(rng.choice((f"SHA256 ({rng.choice(NOUNS)}.img) = {digest(rng)}\n", f"registry.example.org/{rng.choice(MODULES)}@sha256:{digest(rng)}\n", f"W/\"{digest(rng, 24)}\"\n", f"{digest(rng, 7)} {rng.choice(NOUNS)}: tidy up\n", f"blake3:{base64_url(rng.randbytes(32))}\n", f"{rng.randrange(16**8):08x} crc32\n")) for _ in range(rows(rng, 60)))


def mime_part(rng):
    return "Content-Type: application/pdf; name=\"plan.pdf\"\nContent-Transfer-Encoding: base64\n\nJVBERi0xLjcKJ" + base64_wrapped(rng.randbytes(rng.randrange(60, 2200)))[13:] + "\n"


def source_map(rng):
    return json.dumps({"version": 3, "sources": ["a.ts"], "names": [], "mappings": ";".join("".join(chars(rng, 4, UPPER) for _ in range(3)) for _ in range(rows(rng, 60)))}) + "\n//# sourceMappingURL=a.js.map\n"


def font_face(rng):
    return "data: base64 of a font follows\nd09GMgABAAAA" + base64_text(rng.randbytes(rng.randrange(90, 900))) + "\n"


def signed_records(rng):
    kinds = (
        lambda: f"ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB{chars(rng, 86, BASE64)}= {rng.choice(NODES)}\n",
        lambda: "-----BEGIN PGP SIGNATURE-----\n\niHUEABYKAB0WIQ" + chars(rng, 50, BASE64) + "\n" + chars(rng, 64, BASE64) + "\n=" + chars(rng, 4, BASE64) + "\n-----END PGP SIGNATURE-----\n",
        lambda: "-----BEGIN CERTIFICATE REQUEST-----\n" + "\n".join(chars(rng, 64, BASE64) for _ in range(6)) + "\n-----END CERTIFICATE REQUEST-----\n",
        lambda: f"minisign public key {chars(rng, 16, HEX.upper())}\nRW{chars(rng, 54, BASE64)}\n",
        lambda: "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" + chars(rng, 43, URL) + "\",\"y\":\"" + chars(rng, 43, URL) + "\"}\n",
    )
    return "".join(rng.choice(kinds)() for _ in range(rng.randrange(1, 4)))


def bytes_in_columns(rng):
    return "".join(f"{n * 16:08x}  {hex_spaced(rng.randbytes(16))}\n" for n in range(rows(rng, 60)))


def feature_collection(rng):
    return json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [round(rng.uniform(-180, 180), 5), round(rng.uniform(-90, 90), 5)]}, "properties": {"name": rng.choice(NOUNS), "keyId": rng.randrange(99)}} for _ in range(rows(rng, 40))]}, indent=rng.choice((None, 1))) + "\n"


def openapi(rng):
    paths = {f"/{module}": {"get": {"summary": f"List {rng.choice(NOUNS)}s", "security": [{"bearerAuth": []}], "responses": {"200": {"description": "OK"}, "401": {"description": "Missing token"}}}} for module in rng.sample(MODULES, rng.randrange(1, 8))}
    return json.dumps({"openapi": "3.1.0", "paths": paths, "components": {"securitySchemes": {"bearerAuth": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}}}, indent=2) + "\n"


def settings_dump(rng):
    return "".join(f"{rng.choice(('auth.token', 'ssh.private_key', 'db.password', 'gate.policy', 'quota.limit', 'acl.role'))} = {rng.choice(('(not set)', 'from environment', '[filtered]', 'xxxxxxxx', '•••••••', '$VAULT', 'null', 'inherit'))}\n" for _ in range(rows(rng, 30)))


KINDS = (
    ("log", logfmt, 14), ("log", database_log, 12), ("log", mail_log, 8), ("log", container_log, 12), ("log", android_log, 6), ("log", pipeline_log, 10),
    ("csv", tab_separated, 12), ("csv", quoted_csv, 14), ("listing", tree, 12), ("process_list", pods, 10), ("table", query_result, 10), ("table", box_table, 8),
    ("packages", lock_file, 10), ("packages", requirements, 8), ("hashes", tagged_digests, 24), ("base64_data", mime_part, 10), ("base64_data", source_map, 6),
    ("base64_data", font_face, 8), ("public_keys", signed_records, 14), ("hex_dump", bytes_in_columns, 8), ("json", feature_collection, 10), ("json", openapi, 10), ("keywords", settings_dump, 10),
)
