"""Credentials, as the development half places and disguises them."""

from .. import credential, disguise, encoding
from ..credential import ALNUM, HEX, URL, chars, token
from ..item import Item, marked, unmarked

ONLY_HERE = {
    "twitch": ("TWITCH_CLIENT_SECRET", token("", 30, "abcdefghijklmnopqrstuvwxyz0123456789")),
    "okta": ("OKTA_API_TOKEN", token("00", 40, URL)),
    "dropbox": ("DROPBOX_ACCESS_TOKEN", token("sl.", 136, URL)),
    "pulumi": ("PULUMI_ACCESS_TOKEN", token("pul-", 40, HEX)),
    "figma": ("FIGMA_TOKEN", token("figd_", 40, URL)),
    "sonar": ("SONAR_TOKEN", token("sqp_", 40, HEX)),
    "mapbox": ("MAPBOX_SECRET_TOKEN", lambda rng: f"sk.eyJ1Ijoi{chars(rng, 50)}.{chars(rng, 22, URL)}"),
    "perplexity": ("PPLX_API_KEY", token("pplx-", 48)),
    "nuget": ("NUGET_API_KEY", token("oy2", 43, "abcdefghijklmnopqrstuvwxyz0123456789")),
    "azure_devops": ("AZURE_DEVOPS_EXT_PAT", token("", 52, "abcdefghijklmnopqrstuvwxyz234567")),
}

# Values without a prefix: only the name beside them says what they are.
NAMELESS = ("aws_secret_key", "twilio_auth", "cloudflare", "datadog", "azure_client_secret", "twitch", "azure_devops")

# {n} is the value's usual name, {l} the same in lower case, {v} the value.
PLAIN = ("{v}", "{n}={v}", "token: {v}", "{l} is {v}")

CONTEXTS = (
    "HOME=/home/runner\nLANG=C.UTF-8\n{n}={v}\nPATH=/usr/local/bin:/usr/bin\nSHLVL=1\n",
    '{{\n  "service": "billing",\n  "retries": 3,\n  "{l}": "{v}",\n  "region": "eu-north-1"\n}}\n',
    "database:\n  pool: 8\nintegrations:\n  {l}: {v}\n  enabled: true\n",
    '[server]\nport = 8443\n\n[upstream]\n{l} = "{v}"\n',
    "; deployed 2026-03-02\n[credentials]\n{l}={v}\ntimeout=30\n",
    'import requests\n\n{n} = "{v}"\n\n\ndef fetch(path):\n    return requests.get(BASE + path, headers={{"Authorization": f"Bearer {{{n}}}"}})\n',
    "const client = new Client({{\n  {l}: '{v}',\n  timeout: 5000,\n}});\n",
    'package main\n\nconst {l} = "{v}"\n\nfunc main() {{ serve({l}) }}\n',
    "app.name=orders\napp.{l}={v}\napp.cache.ttl=600\n",
    "+ docker run --rm -e {n}={v} registry.example.net/worker:1.4\nUnable to find image locally\n",
    "> GET /v1/items HTTP/1.1\n> Host: api.example.net\n> Authorization: Bearer {v}\n> Accept: */*\n< HTTP/1.1 200 OK\n",
    "@@ -4,3 +4,4 @@\n LOG_LEVEL=info\n-{n}=\n+{n}={v}\n PORT=8080\n",
    "[14:02:11] Restoring cache\n[14:02:13] export {n}={v}\n[14:02:13] ./deploy.sh production\n",
    "  498  cd ~/src/api\n  499  export {n}='{v}'\n  500  make release\n",
    'variable "{l}" {{\n  type    = string\n  default = "{v}"\n}}\n',
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: worker\nstringData:\n  {l}: {v}\n",
    "<configuration>\n  <appSettings>\n    <add key=\"{n}\" value=\"{v}\" />\n  </appSettings>\n</configuration>\n",
    "INSERT INTO settings (name, value, updated_at) VALUES ('{l}', '{v}', '2026-01-12 09:30:00');\n",
    "<?php\ndefine('{n}', '{v}');\nrequire 'bootstrap.php';\n",
    "WARN  2026-02-11T08:15:40Z http.client request failed, config was {{{l}={v}, attempts=3}}\n",
)

SENTENCES = (
    ("plain", "postgres_url", "postgres://reporting:{p}@db1.example.net:5432/ledger"),
    ("in_context", "postgres_url", "services:\n  web:\n    image: shop:2\n    environment:\n      DATABASE_URL: postgresql://shop:{p}@pg:5432/shop\n"),
    ("plain", "mysql_url", "mysql://root:{p}@10.4.0.7/inventory"),
    ("plain", "mongodb_url", "mongodb+srv://etl:{p}@cluster0.ab1cd.mongodb.net/events?retryWrites=true"),
    ("in_context", "redis_url", "2026-02-10 11:00:02 worker boot: broker redis://:{p}@cache.example.net:6379/0 concurrency 4\n"),
    ("plain", "amqp_url", "amqps://publisher:{p}@mq.example.net:5671/prod"),
    ("in_context", "smtp_url", "MAILER_DSN=smtp://no-reply:{p}@mail.example.net:587\nMAILER_FROM=no-reply@example.net\n"),
    ("plain", "jdbc", "jdbc:postgresql://db.example.net:5432/crm?user=crm&password={p}"),
    ("plain", "odbc", "Driver={{ODBC Driver 18 for SQL Server}};Server=tcp:sql.example.net,1433;Uid=app;Pwd={p};Encrypt=yes;"),
    ("in_context", "dotnet", '"ConnectionStrings": {{\n  "Default": "Server=sql01;Database=Orders;User Id=orders;Password={p};TrustServerCertificate=True"\n}}\n'),
    ("plain", "basic_auth_url", "https://deploy:{p}@git.example.net/platform/infra.git"),
    ("in_context", "netrc", "machine git.example.net\n  login builder\n  password {p}\n"),
    ("in_context", "pgpass", "# host:port:database:user:password\ndb1.example.net:5432:ledger:reporting:{p}\n"),
    ("in_context", "htpasswd", "admin:$apr1$Qz8.Kw2v${h}\n"),
    ("plain", "password_assignment", 'DB_PASSWORD = "{p}"'),
    ("in_context", "password_assignment", "spring:\n  datasource:\n    username: orders\n    password: {p}\n"),
    ("in_context", "password_option", "mysqldump -u backup -p{p} ledger > ledger.sql\n"),
    ("in_context", "password_log", "DEBUG auth: bind dn=cn=svc,dc=example,dc=net password={p} result=0\n"),
    ("in_context", "client_secret", 'grant_type=client_credentials&client_id=portal&client_secret={p}\n'),
    ("in_context", "password_source", 'private static final String KEYSTORE_PASSWORD = "{p}";\n'),
)


def password(rng):
    return chars(rng, 4) + rng.choice("!#*_-") + chars(rng, rng.randint(8, 14))


def _spread(value):
    half = len(value) // 2
    return f'key = "{value[:half]}" \\\n      "{value[half:]}"'


DISGUISES = (
    ("wrapped", lambda text: text[: len(text) // 2] + "\n    " + text[len(text) // 2 :]),
    ("quoted_printable", lambda text: text.replace("=", "=3D")[: len(text) // 2] + "=\n" + text.replace("=", "=3D")[len(text) // 2 :]),
    ("zero_width_space", lambda text: disguise.between(text, "\u200b", 4)),
    ("zero_width_joiner", lambda text: disguise.between(text, "\u200d", 7)),
    ("full_width", disguise.full_width),
    ("concatenated", _spread),
    ("spaced", lambda text: " ".join(text)),
)

ENCODINGS = (
    ("base64", lambda text: "data: " + encoding.base64_text(text)),
    ("base64_wrapped", lambda text: encoding.base64_wrapped(text + "\n", 64) + "\n"),
    ("hex", lambda text: encoding.hex_text(text)),
    ("percent", lambda text: "state=" + encoding.percent(text)),
    ("gzip_base64", lambda text: encoding.gzip_base64(text)),
    ("base64_twice", lambda text: encoding.base64_text(encoding.base64_text(text))),
    ("hex_dump", lambda text: encoding.xxd(text)),
    ("percent_in_base64", lambda text: encoding.base64_text(encoding.percent(text))),
)


def _kubeconfig(rng):
    return (
        "apiVersion: v1\nkind: Config\nusers:\n- name: ci\n  user:\n    client-key-data: "
        + marked(encoding.base64_text(credential.rsa_key(rng))[:900])
        + "\n    token: " + marked(credential.jwt(rng)) + "\n"
    )


def _service_account(rng):
    key = credential.pkcs8_key(rng).replace("\n", "\\n")
    return (
        '{\n  "type": "service_account",\n  "project_id": "metrics-prod",\n  "private_key_id": "'
        + marked(chars(rng, 40, HEX)) + '",\n  "private_key": "' + marked(key)
        + '",\n  "client_email": "loader@metrics-prod.iam.gserviceaccount.com"\n}\n'
    )


def _docker(rng):
    return '{\n  "auths": {\n    "registry.example.net": {\n      "auth": "' + marked(encoding.base64_text("robot:" + password(rng))) + '"\n    }\n  }\n}\n'


def _aws_profile(rng):
    return f"[default]\naws_access_key_id = {marked('AKIA' + chars(rng, 16, credential.BASE32))}\naws_secret_access_key = {marked(chars(rng, 40, credential.BASE64))}\n"


def _private_jwk(rng):
    return '{"keys": [{"kty": "EC", "crv": "P-256", "kid": "sig-1", "x": "' + chars(rng, 43, URL) + '", "y": "' + chars(rng, 43, URL) + '", "d": "' + marked(chars(rng, 43, URL)) + '"}]}\n'


# Names that say what a value is, where its own form does not: {v} is random.
GENERIC = (
    ("python", 'SECRET_KEY = "{v}"\nDEBUG = False\n', 50),
    ("javascript", "module.exports = {{ apiSecret: '{v}', port: 3000 }};\n", 40),
    ("shell", "export INTERNAL_API_TOKEN={v}\n", 32),
    ("yaml", "auth:\n  signing_key: {v}\n  issuer: portal\n", 44),
    ("json", '{{"clientId": "portal", "clientSecret": "{v}"}}', 36),
    ("toml", '[session]\nencryption_key = "{v}"\n', 64),
    ("ini", "[api]\naccess_token = {v}\n", 40),
    ("java", 'private final String apiKey = "{v}";\n', 32),
    ("go", 'var webhookSecret = []byte("{v}")\n', 40),
    ("properties", "payment.gateway.secret={v}\n", 48),
    ("xml", "<param name=\"api-key\">{v}</param>\n", 40),
    ("query", "https://api.example.net/v1/export?api_key={v}&format=csv", 40),
    ("header", "X-Auth-Token: {v}", 40),
    ("cookie", "Cookie: theme=dark; session_secret={v}", 48),
)


FILES = {"private_jwk": _private_jwk, "kubeconfig": _kubeconfig, "gcp_service_account": _service_account, "docker_config": _docker, "aws_profile": _aws_profile}


def _singles(rng):
    families = {**credential.SINGLE, **ONLY_HERE}
    for number, (family, (name, make)) in enumerate(families.items()):
        fields = {"n": name, "l": name.lower()}
        plain = PLAIN[1 + 2 * (number % 2)] if family in NAMELESS else PLAIN[number % 4]
        yield Item(family, "plain", plain.format(v=marked(make(rng)), **fields))
        yield Item(family, "in_context", CONTEXTS[number % len(CONTEXTS)].format(v=marked(make(rng)), **fields))
        if number % 2:
            kind, turned = DISGUISES[number // 2 % len(DISGUISES)]
            yield Item(f"{family}_{kind}", "disguised", f"{name}: " + marked(turned(make(rng))))
        else:
            kind, turned = ENCODINGS[number // 2 % len(ENCODINGS)]
            yield Item(f"{family}_{kind}", "encoded", marked(turned(f"{name}={make(rng)}")))


def _blocks(rng):
    for number, (family, make) in enumerate(credential.BLOCKS.items()):
        yield Item(family, "plain", marked(make(rng)))
        yield Item(family, "in_context", "cat: reading id_deploy\n" + "".join("    " + row + "\n" for row in marked(make(rng)).splitlines()) + "done\n")
        yield Item(f"{family}_json", "in_context", '{"name": "tls", "key": "' + marked(make(rng).replace("\n", "\\n")) + '"}')
        yield Item(f"{family}_single_line", "disguised", marked(make(rng).replace("\n", " ")))
        kind, turned = ENCODINGS[number % len(ENCODINGS)]
        yield Item(f"{family}_{kind}", "encoded", marked(turned(make(rng))))


def items(rng):
    yield from _singles(rng)
    yield from _blocks(rng)
    for number, (form, topic, sentence) in enumerate(SENTENCES):
        fields = {"p": marked(password(rng)), "h": marked(chars(rng, 22, ALNUM + "./"))}
        yield Item(topic, form, sentence.format(**fields))
        if number % 3 == 0:
            kind, turned = ENCODINGS[number % len(ENCODINGS)]
            yield Item(f"{topic}_{kind}", "encoded", marked(turned(unmarked(sentence.format(p=password(rng), h=chars(rng, 22))))))
    for language, assignment, length in GENERIC:
        yield Item(f"generic_{language}", "in_context", assignment.format(v=marked(chars(rng, length))))
    for topic, make in FILES.items():
        yield Item(topic, "in_context", make(rng))
        yield Item(f"{topic}_gzip", "encoded", marked(encoding.gzip_base64(unmarked(make(rng)))))
