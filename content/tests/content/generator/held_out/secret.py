"""Credentials, as the held-out half places and disguises them."""

from .. import credential
from ..credential import ALNUM, DIGITS, HEX, LOWER, UPPER, URL, chars, checksummed, token, uuid
from ..item import Item, marked, unmarked
from . import disguise, encoding

ONLY_HERE = {
    "github_oauth": ("OAUTH_TOKEN", checksummed("gho_")),
    "gitlab_deploy": ("CI_DEPLOY_PASSWORD", token("gldt-", 20, URL)),
    "gitlab_trigger": ("TRIGGER_TOKEN", token("glptt-", 40, HEX)),
    "slack_app": ("SLACK_APP_TOKEN", lambda rng: f"xapp-1-A{chars(rng, 10, DIGITS + UPPER)}-{chars(rng, 13, DIGITS)}-{chars(rng, 64, HEX)}"),
    "google_refresh": ("REFRESH_TOKEN", token("1//0", 100, URL)),
    "digitalocean_refresh": ("DO_REFRESH", token("dor_v1_", 64, HEX)),
    "yandex": ("YC_API_KEY", token("AQVN", 36, URL)),
    "tencent": ("TENCENTCLOUD_SECRET_ID", token("AKID", 32)),
    "fly_io": ("FLY_API_TOKEN", token("FlyV1 fm2_", 120, credential.BASE64)),
    "netlify": ("NETLIFY_AUTH_TOKEN", token("nfp_", 36)),
    "square_secret": ("SQUARE_APPLICATION_SECRET", token("sq0csp-", 43, URL)),
    "brevo": ("BREVO_API_KEY", lambda rng: f"xkeysib-{chars(rng, 64, HEX)}-{chars(rng, 16)}"),
    "clojars": ("CLOJARS_PASSWORD", token("CLOJARS_", 60, HEX)),
    "openrouter": ("OPENROUTER_API_KEY", token("sk-or-v1-", 64, HEX)),
    "xai": ("XAI_API_KEY", token("xai-", 80)),
    "anthropic_admin": ("ANTHROPIC_ADMIN_KEY", token("sk-ant-admin01-", 93, URL, "AA")),
    "shopify_shared": ("SHOPIFY_SHARED_SECRET", token("shpss_", 32, HEX)),
    "cloudflare_origin": ("ORIGIN_CA_KEY", lambda rng: f"v1.0-{chars(rng, 24, HEX)}-{chars(rng, 146, HEX)}"),
    "datadog_app": ("DD_APP_KEY", token("", 40, HEX)),
    "new_relic_insert": ("NEW_RELIC_INSERT_KEY", token("NRII-", 32, URL)),
    "grafana_cloud": ("GRAFANA_CLOUD_TOKEN", lambda rng: "glc_" + encoding.base64_text('{"o":"7719","n":"read","k":"' + chars(rng, 24) + '","m":{"r":"eu"}}')),
    "vault_batch": ("VAULT_BATCH_TOKEN", token("hvb.AAAAAQ", 150, URL)),
    "vault_legacy": ("VAULT_TOKEN", token("s.", 24)),
    "dynatrace": ("DT_API_TOKEN", lambda rng: f"dt0c01.{chars(rng, 24, UPPER + '234567')}.{chars(rng, 64, UPPER + '234567')}"),
    "doppler": ("DOPPLER_TOKEN", token("dp.pt.", 43)),
    "planetscale": ("PLANETSCALE_TOKEN", token("pscale_tkn_", 43, URL)),
    "supabase": ("SUPABASE_ACCESS_TOKEN", token("sbp_", 40, HEX)),
    "contentful": ("CONTENTFUL_MANAGEMENT_TOKEN", token("CFPAT-", 43, URL)),
    "one_password": ("OP_SERVICE_ACCOUNT_TOKEN", lambda rng: "ops_eyJ" + chars(rng, 260, ALNUM)),
    "artifactory": ("ARTIFACTORY_API_KEY", token("AKCp", 69)),
    "buildkite": ("BUILDKITE_API_TOKEN", token("bkua_", 40, HEX)),
    "sentry_organisation": ("SENTRY_AUTH_TOKEN", lambda rng: "sntrys_eyJpYXQiOjE3" + chars(rng, 120) + "_" + chars(rng, 43, credential.BASE64)),
    "postmark": ("POSTMARK_SERVER_TOKEN", uuid),
    "facebook": ("FACEBOOK_ACCESS_TOKEN", token("EAAM", 150)),
    "typeform": ("TYPEFORM_TOKEN", lambda rng: f"tfp_{chars(rng, 44, URL)}_{chars(rng, 14)}"),
    "azure_registry": ("ACR_PASSWORD", lambda rng: chars(rng, 42, credential.BASE64) + "+ACR" + chars(rng, 6)),
}

NAMELESS = ("aws_secret_key", "twilio_auth", "cloudflare", "datadog", "azure_client_secret", "datadog_app", "postmark")

PLAIN_ALONE = ("{v}\n", "here it is: {v}", "(was {v}, rotated on Friday)")
PLAIN_NAMED = ("{n} -> {v}", "the current {l} value reads {v}", "{n}: {v}")

AROUND = (
    "class Gateway\n  {n} = '{v}'.freeze\n\n  def call(env)\n    @app.call(env.merge('auth' => {n}))\n  end\nend\n",
    'public static class Defaults\n{{\n    public const string {n} = "{v}";\n}}\n',
    'pub const {n}: &str = "{v}";\n\npub fn client() -> Client {{\n    Client::with_token({n})\n}}\n',
    "<plist version=\"1.0\">\n<dict>\n\t<key>{n}</key>\n\t<string>{v}</string>\n</dict>\n</plist>\n",
    "org.gradle.jvmargs=-Xmx2g\nsystemProp.{l}={v}\nandroid.useAndroidX=true\n",
    "PS C:\\build> $env:{n} = \"{v}\"\nPS C:\\build> .\\publish.ps1 -Channel stable\n",
    "C:\\agent>set {n}\n{n}={v}\n",
    "- hosts: edge\n  vars:\n    {l}: '{v}'\n  roles:\n    - proxy\n",
    "location /api/ {{\n    proxy_pass https://upstream.example.org;\n    proxy_set_header X-Api-Key {v};\n}}\n",
    "| setting | value | owner |\n|---|---|---|\n| {l} | `{v}` | platform |\n| retries | 5 | platform |\n",
    "Traceback (most recent call last):\n  File \"sync.py\", line 88, in push\n    session.post(url, auth=('{l}', '{v}'))\nConnectionResetError: [Errno 104] Connection reset by peer\n",
    "settings = {{'region': 'ams', '{l}': '{v}', 'debug': False}}\n",
    "execve(\"/usr/bin/publish\", [\"publish\", \"--all\"], [\"USER=ci\", \"{n}={v}\", \"TERM=dumb\"]) = 0\n",
    '{{"log":{{"entries":[{{"request":{{"method":"POST","postData":{{"text":"{{\\"{l}\\":\\"{v}\\"}}"}}}}}}]}}}}\n',
    "//registry.example.org/:_authToken={v}\nalways-auth=true\n",
    "deploy:\n\t@{n}={v} ./bin/ship --env live\n\n.PHONY: deploy\n",
    "[Service]\nEnvironment=\"{n}={v}\"\nExecStart=/opt/agent/run\nRestart=on-failure\n",
    "17 3 * * * {n}={v} /usr/local/bin/nightly >/dev/null 2>&1\n",
    "maria: which one does the staging box use?\nteun: {v}\nmaria: thanks, works\n",
    '{{"ts":1771234567,"level":"debug","msg":"outgoing","headers":{{"x-{l}":"{v}"}}}}\n{{"ts":1771234568,"level":"info","msg":"200"}}\n',
    "id;owner;kind;material\n7;svc-mail;api;{v}\n8;svc-chat;api;\n",
    "GET https://api.example.org/v2/report?month=11&access_token={v}&format=csv HTTP/2\n",
    "[remote \"origin\"]\n\turl = https://oauth2:{v}@code.example.org/team/app.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
    "   0x7ffd1 stack  {n}={v}\n   0x7ffd9 stack  LC_CTYPE=POSIX\n",
)

ADDRESSES = (
    ("in_context", "postgres_url", "sqlalchemy.url = postgresql+psycopg://alembic:{p}@primary.internal/warehouse\n"),
    ("plain", "postgres_keywords", "host=primary.internal port=5433 dbname=warehouse user=loader password={p} sslmode=require"),
    ("in_context", "mysql_url", "Can't connect using mysql+pymysql://grafana:{p}@maria-0.maria:3306/grafana?charset=utf8mb4, giving up\n"),
    ("in_context", "mongodb_url", "const uri = 'mongodb://indexer:{p}@mongo-a:27017,mongo-b:27017/search?replicaSet=rs0';\n"),
    ("plain", "redis_url", "rediss://default:{p}@keyval.example.org:25061/2"),
    ("in_context", "amqp_url", "CELERY_BROKER_URL: amqp://celery:{p}@rabbit//\nCELERY_TASK_ACKS_LATE: true\n"),
    ("plain", "smtp_url", "smtps://newsletter%40example.org:{p}@relay.example.org:465"),
    ("in_context", "jdbc", "spring.datasource.url=jdbc:sqlserver://mssql.internal:1433;databaseName=hr;user=hrapp;password={p};\n"),
    ("in_context", "oracle_jdbc", "url: jdbc:oracle:thin:fin/{p}@//ora.internal:1521/FINPDB\n"),
    ("in_context", "odbc", "[warehouse]\nDriver=/opt/vertica/lib/libodbc.so\nServername=vert.internal\nUID=dbadmin\nPWD={p}\n"),
    ("plain", "dotnet", "Data Source=10.9.1.20;Initial Catalog=Stock;Persist Security Info=True;User ID=stock_rw;Password={p}"),
    ("in_context", "service_bus", "EventHub: Endpoint=sb://tele.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey={k}=\n"),
    ("plain", "azure_sas", "https://backups.blob.core.windows.net/nightly?sv=2024-11-04&ss=b&srt=sco&sp=rwdl&se=2027-01-01T00:00:00Z&sig={k}%3D"),
    ("in_context", "basic_auth_url", "Looking in indexes: https://reader:{p}@pypi.example.org/simple\nCollecting internal-lib\n"),
    ("in_context", "basic_auth_header", "curl -H 'Authorization: Basic {b}' https://reports.example.org/daily\n"),
    ("in_context", "netrc", "machine api.example.org login svc-reports password {p}\nmachine ftp.example.org login anonymous password guest@example.org\n"),
    ("plain", "pgpass", "primary.internal:*:warehouse:loader:{p}"),
    ("in_context", "ldap", "ldapsearch -x -D 'uid=sync,ou=apps,dc=example,dc=org' -w '{p}' -b 'dc=example,dc=org'\n"),
    ("plain", "password_prose", "The administrator password for the appliance is {p} and it has not been changed."),
    ("in_context", "password_assignment", "    passwd => '{p}',\n    login  => 'sysop',\n"),
    ("in_context", "wifi", "network={{\n    ssid=\"office\"\n    psk=\"{p}\"\n}}\n"),
    ("in_context", "sshpass", "sshpass -p '{p}' scp build.tar.gz deploy@edge1:/srv/\n"),
    ("in_context", "maven_settings", "<server>\n  <id>releases</id>\n  <username>ci</username>\n  <password>{p}</password>\n</server>\n"),
    ("in_context", "rails_secret", "production:\n  secret_key_base: {x}\n"),
)


def passphrase(rng):
    return chars(rng, 1, UPPER) + chars(rng, 6, LOWER) + rng.choice("%?+=~") + chars(rng, rng.randint(5, 12)) + rng.choice(DIGITS)


VEILS = (
    ("thirds", lambda text: "\n".join(text[at : at + 1 + len(text) // 3] for at in range(0, len(text), 1 + len(text) // 3))),
    ("word_joiner", lambda text: disguise.between(text, "\u2060", 5)),
    ("soft_hyphen", lambda text: disguise.between(text, "\u00ad", 6)),
    ("byte_order_mark", lambda text: "\ufeff" + disguise.between(text, "\ufeff", 9)),
    ("mathematical", lambda text: disguise.mathematical(text, 0x1D670, 0x1D68A)),
    ("array_of_characters", lambda text: "key = ''.join([" + ", ".join(repr(character) for character in text) + "])"),
    ("quoted_printable", encoding.quoted_printable_whole),
    ("backwards", lambda text: text[::-1] + "  (read it from the right)"),
    ("backslash_lines", lambda text: "KEY=" + text[:9] + "\\\n" + text[9:21] + "\\\n" + text[21:]),
)

CODES = (
    ("base64_url", encoding.base64_url),
    ("base64_utf16", encoding.base64_utf16),
    ("hex_spaced", lambda text: encoding.hex_spaced(text)),
    ("hex_escapes", lambda text: 'b"' + encoding.hex_escapes(text) + '"'),
    ("percent_lower", lambda text: "https://example.org/cb?d=" + encoding.percent_lower(text)),
    ("gzip_hex", encoding.gzip_hex),
    ("base64_of_hex", lambda text: encoding.base64_text(encoding.hex_text(text))),
    ("gzip_base64_twice", lambda text: encoding.base64_text(encoding.gzip_base64(text))),
    ("html_entities", encoding.html_decimal),
    ("json_escapes", lambda text: '{"note": "' + encoding.unicode_escapes(text) + '"}'),
    ("base64_in_yaml", lambda text: "apiVersion: v1\nkind: Secret\ndata:\n  settings: " + encoding.base64_text(text) + "\n"),
)

KEY_CARRIERS = (
    ("in_context", "yaml_block", lambda key: "tls:\n  key: |\n" + "".join("    " + row + "\n" for row in key.splitlines()) + "  listen: 8443\n"),
    ("in_context", "diff", lambda key: "+++ b/certs/server.key\n@@ -0,0 +1,12 @@\n" + "".join("+" + row + "\n" for row in key.splitlines())),
    ("disguised", "python_lines", lambda key: "KEY = (\n" + "".join(f'    "{row}\\n"\n' for row in key.splitlines()) + ")\n"),
    ("disguised", "crlf_quoted", lambda key: "".join("> " + row + "\r\n" for row in key.splitlines())),
    ("plain", "alone", lambda key: key),
)

# Names that say what a value is, where its own form does not: {v} is random.
UNTYPED = (
    ("ruby", "Rails.application.config.secret_token = '{v}'\n", 64),
    ("csharp", 'services.AddApi(options => options.AuthKey = "{v}");\n', 36),
    ("rust", 'let hmac_key = "{v}";\n', 44),
    ("kotlin", 'val storeSecret = "{v}"\n', 30),
    ("php", "$cfg['blowfish_secret'] = '{v}';\n", 32),
    ("perl", "my $access_key = q({v});\n", 40),
    ("powershell", '$apiPassword = ConvertTo-SecureString "{v}" -AsPlainText -Force\n', 20),
    ("helm", "secrets:\n  jwtSigningSecret: \"{v}\"\n  pullPolicy: Always\n", 50),
    ("hcl", 'master_password = "{v}"\n', 24),
    ("sql", "ALTER ROLE loader WITH LOGIN PASSWORD '{v}';\n", 22),
    ("curl", "curl -s -H 'X-Api-Key: {v}' https://reports.example.org/v3/all\n", 40),
    ("log", "config dump: mode=prod auth_secret={v} workers=4\n", 40),
    ("prose", "For the sandbox account use the passphrase {v} until Tuesday.", 18),
    ("markdown", "* Admin token: `{v}`\n* Owner: infra\n", 44),
)


def _sts_answer(rng):
    return '{"Credentials": {"AccessKeyId": "' + marked("ASIA" + chars(rng, 16, credential.BASE32)) + '", "SecretAccessKey": "' + marked(chars(rng, 40, credential.BASE64)) + '", "SessionToken": "' + marked("IQoJb3JpZ2luX2Vj" + chars(rng, 300, credential.BASE64)) + '"}}'


def _cluster_access(rng):
    return '{"kind":"Config","users":[{"name":"root","user":{"client-certificate-data":"LS0tLS1CRUdJTiBDRVJU","client-key-data":"' + marked(encoding.base64_text(credential.ec_key(rng))) + '"}}]}\n'


def _podman(rng):
    return "$ cat ${XDG_RUNTIME_DIR}/containers/auth.json\n{\"auths\":{\"quay.example.org/team\":{\"auth\":\"" + marked(encoding.base64_text("team+puller:" + passphrase(rng))) + "\"}}}\n"


def _service_identity(rng):
    return "info = {\n    'type': 'service_account',\n    'client_id': '" + chars(rng, 21, DIGITS) + "',\n    'private_key': '" + marked(credential.pkcs8_key(rng).replace("\n", "\\n")) + "',\n}\n"


def _service_principal(rng):
    return 'az ad sp create-for-rbac -n batch\n{\n  "appId": "' + uuid(rng) + '",\n  "password": "' + marked(chars(rng, 3) + "8Q~" + chars(rng, 34)) + '",\n  "tenant": "' + uuid(rng) + '"\n}\n'


def _putty(rng):
    return "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: ops\nPublic-Lines: 2\nAAAAC3NzaC1lZDI1NTE5AAAAI" + chars(rng, 39, credential.BASE64) + "\n" + chars(rng, 4, credential.BASE64) + "\n" + marked("Private-Lines: 1\n" + chars(rng, 43, credential.BASE64) + "=\n")


def _rsa_key_value(rng):
    field = lambda name, count: f"<{name}>{chars(rng, count, credential.BASE64)}==</{name}>"
    return "<RSAKeyValue>" + field("Modulus", 342) + "<Exponent>AQAB</Exponent>" + marked(field("P", 170) + field("D", 342)) + "</RSAKeyValue>\n"


def _wireguard(rng):
    return "[Interface]\nAddress = 10.7.0.2/32\nPrivateKey = " + marked(chars(rng, 43, credential.BASE64) + "=") + "\n\n[Peer]\nPublicKey = " + chars(rng, 43, credential.BASE64) + "=\n"


def _state_file(rng):
    return '{"version": 4, "resources": [{"type": "aws_iam_access_key", "instances": [{"attributes": {"id": "' + marked("AKIA" + chars(rng, 16, credential.BASE32)) + '", "secret": "' + marked(chars(rng, 40, credential.BASE64)) + '"}}]}]}\n'


DOCUMENTS = {
    "sts_answer": _sts_answer, "cluster_access": _cluster_access, "podman": _podman, "service_identity": _service_identity, "service_principal": _service_principal,
    "putty": _putty, "rsa_key_value": _rsa_key_value, "wireguard": _wireguard, "state_file": _state_file,
}


def _singles(rng):
    families = {**credential.SINGLE, **ONLY_HERE}
    for number, (family, (name, make)) in enumerate(families.items()):
        fields = {"n": name, "l": name.lower()}
        plain = PLAIN_NAMED if family in NAMELESS else PLAIN_ALONE + PLAIN_NAMED
        if number % 3 != 0:
            yield Item(family, "plain", plain[number % len(plain)].format(v=marked(make(rng)), **fields))
        around = AROUND[number % len(AROUND)]
        if family in NAMELESS and "{n}" not in around and "{l}" not in around:
            around = AROUND[0]
        yield Item(family, "in_context", around.format(v=marked(make(rng)), **fields))
        if number % 2 == 0:
            kind, turned = VEILS[number // 2 % len(VEILS)]
            yield Item(f"{family}_{kind}", "disguised", fields["l"] + "\n" + marked(turned(make(rng))))
        else:
            kind, turned = CODES[number // 2 % len(CODES)]
            yield Item(f"{family}_{kind}", "encoded", marked(turned(f"{fields['l']}: {make(rng)}\n")))


def _keys(rng):
    for number, (family, make) in enumerate(credential.BLOCKS.items()):
        for form, topic, carried in KEY_CARRIERS:
            yield Item(f"{family}_{topic}", form, marked(carried(make(rng))))
        kind, turned = CODES[(number + 3) % len(CODES)]
        yield Item(f"{family}_{kind}", "encoded", marked(turned(make(rng))))


def items(rng):
    yield from _singles(rng)
    yield from _keys(rng)
    for language, assignment, length in UNTYPED:
        yield Item(f"untyped_{language}", "in_context", assignment.format(v=marked(chars(rng, length))))
    for number, (topic, make) in enumerate(DOCUMENTS.items()):
        yield Item(topic, "in_context", make(rng))
        kind, turned = CODES[number % len(CODES)]
        yield Item(f"{topic}_{kind}", "encoded", marked(turned(unmarked(make(rng)))))
    for number, (form, topic, sentence) in enumerate(ADDRESSES):
        def filled():
            word = passphrase(rng)
            return sentence.format(
                p=marked(word), k=marked(chars(rng, 43)), b=marked(encoding.base64_text("svc-reports:" + word)), x=marked(chars(rng, 128, HEX))
            )
        yield Item(topic, form, filled())
        if number % 3 == 1:
            kind, turned = CODES[number % len(CODES)]
            yield Item(f"{topic}_{kind}", "encoded", marked(turned(unmarked(filled()))))
