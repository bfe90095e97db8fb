"""The published forms of credentials that both halves hold: prefix, alphabet, length, checksum.

Every value is random from a seed; none was ever issued. A form is a fact that both halves must share; where a value stands,
and how it is disguised, each half words for itself. Forms of one half only are in that half's folder.
"""

import zlib

from .encoding import base64_text, base64_url

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()
DIGITS = "0123456789"
ALNUM = DIGITS + UPPER + LOWER
HEX = "0123456789abcdef"
BASE32 = UPPER + "234567"
BASE64 = ALNUM + "+/"
URL = ALNUM + "-_"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


def chars(rng, count, alphabet=ALNUM):
    return "".join(rng.choice(alphabet) for _ in range(count))


def uuid(rng):
    text = chars(rng, 32, HEX)
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def checksummed(prefix):
    """Thirty random characters and the CRC-32 of them in base 62, as GitHub and npm publish it."""

    def make(rng):
        body = chars(rng, 30)
        rest, digits = zlib.crc32(body.encode()), ""
        for _ in range(6):
            rest, digit = divmod(rest, 62)
            digits = ALNUM[digit] + digits
        return prefix + body + digits

    return make


def token(prefix, count, alphabet=ALNUM, suffix=""):
    return lambda rng: prefix + chars(rng, count, alphabet) + suffix


def jwt(rng, claims='{"sub":"1042","role":"service","exp":1893456000}', header='{"alg":"HS256","typ":"JWT"}'):
    return ".".join((base64_url(header), base64_url(claims), chars(rng, 43, URL)))


def pem(rng, kind, head, body_lines, headers=""):
    rows = [head + chars(rng, 64 - len(head), BASE64)] + [chars(rng, 64, BASE64) for _ in range(body_lines)]
    rows.append(chars(rng, 42, BASE64) + "==")
    return "\n".join([f"-----BEGIN {kind}-----{headers}", *rows, f"-----END {kind}-----"]) + "\n"


def rsa_key(rng):
    return pem(rng, "RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA", 9)


def ec_key(rng):
    return pem(rng, "EC PRIVATE KEY", "MHcCAQEEI", 1)


def pkcs8_key(rng):
    return pem(rng, "PRIVATE KEY", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 9)


def openssh_key(rng):
    return pem(rng, "OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAA", 5)


def encrypted_key(rng):
    return pem(rng, "ENCRYPTED PRIVATE KEY", "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHA", 9)


def legacy_encrypted_key(rng):
    headers = f"\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{chars(rng, 32, '0123456789ABCDEF')}\n"
    return pem(rng, "RSA PRIVATE KEY", "", 9, headers)


def pgp_key(rng):
    return pem(rng, "PGP PRIVATE KEY BLOCK", "lQVYBG", 8, "\n")


def azure_connection(rng):
    return f"DefaultEndpointsProtocol=https;AccountName=st{chars(rng, 8, LOWER)};AccountKey={chars(rng, 86, BASE64)}==;EndpointSuffix=core.windows.net"


def teams_webhook(rng):
    return f"https://fabrikam.webhook.office.com/webhookb2/{uuid(rng)}@{uuid(rng)}/IncomingWebhook/{chars(rng, 32, HEX)}/{uuid(rng)}"


# Family: the name that such a value usually has, and how one is made.
SINGLE = {
    "aws_access_key": ("AWS_ACCESS_KEY_ID", token("AKIA", 16, BASE32)),
    "aws_temporary_key": ("AWS_ACCESS_KEY_ID", token("ASIA", 16, BASE32)),
    "aws_secret_key": ("AWS_SECRET_ACCESS_KEY", token("", 40, BASE64)),
    "gcp_api_key": ("GOOGLE_API_KEY", token("AIza", 35, URL)),
    "google_oauth_secret": ("GOOGLE_CLIENT_SECRET", token("GOCSPX-", 28, URL)),
    "google_access_token": ("GOOGLE_OAUTH_ACCESS_TOKEN", token("ya29.a0", 120, URL)),
    "azure_client_secret": ("AZURE_CLIENT_SECRET", lambda rng: chars(rng, 3) + "8Q~" + chars(rng, 34, ALNUM + "_~.")),
    "azure_storage": ("AZURE_STORAGE_CONNECTION_STRING", azure_connection),
    "digitalocean": ("DIGITALOCEAN_ACCESS_TOKEN", token("dop_v1_", 64, HEX)),
    "alibaba_key_id": ("ALIBABA_CLOUD_ACCESS_KEY_ID", token("LTAI", 20)),
    "github_pat": ("GITHUB_TOKEN", checksummed("ghp_")),
    "github_server": ("GITHUB_TOKEN", checksummed("ghs_")),
    "github_fine_grained": ("GH_TOKEN", lambda rng: f"github_pat_{chars(rng, 22)}_{chars(rng, 59)}"),
    "gitlab_pat": ("GITLAB_TOKEN", token("glpat-", 20, URL)),
    "gitlab_runner": ("CI_RUNNER_TOKEN", token("glrt-", 20, URL)),
    "bitbucket": ("BITBUCKET_APP_PASSWORD", token("ATBB", 32)),
    "atlassian": ("JIRA_API_TOKEN", lambda rng: "ATATT3xFfGF0" + chars(rng, 171, URL) + "=" + chars(rng, 8, "0123456789ABCDEF")),
    "slack_bot": ("SLACK_BOT_TOKEN", lambda rng: f"xoxb-{chars(rng, 12, DIGITS)}-{chars(rng, 13, DIGITS)}-{chars(rng, 24)}"),
    "slack_user": ("SLACK_TOKEN", lambda rng: "xoxp-" + "-".join(chars(rng, 12, DIGITS) for _ in range(3)) + "-" + chars(rng, 32, HEX)),
    "slack_webhook": ("SLACK_WEBHOOK_URL", lambda rng: f"https://hooks.slack.com/services/T{chars(rng, 10, UPPER)}/B{chars(rng, 10, UPPER)}/{chars(rng, 24)}"),
    "discord_bot": ("DISCORD_TOKEN", lambda rng: f"MT{chars(rng, 24, ALNUM)}.{chars(rng, 6, URL)}.{chars(rng, 38, URL)}"),
    "discord_webhook": ("DISCORD_WEBHOOK", lambda rng: f"https://discord.com/api/webhooks/{chars(rng, 18, '123456789')}/{chars(rng, 68, URL)}"),
    "telegram_bot": ("TELEGRAM_BOT_TOKEN", lambda rng: f"{chars(rng, 10, '123456789')}:AA{chars(rng, 33, URL)}"),
    "teams_webhook": ("TEAMS_WEBHOOK_URL", teams_webhook),
    "stripe_live": ("STRIPE_SECRET_KEY", token("sk_live_", 99)),
    "stripe_restricted": ("STRIPE_RESTRICTED_KEY", token("rk_live_", 24)),
    "stripe_webhook": ("STRIPE_WEBHOOK_SECRET", token("whsec_", 32)),
    "square": ("SQUARE_ACCESS_TOKEN", token("EAAA", 60, URL)),
    "paypal_braintree": ("BRAINTREE_ACCESS_TOKEN", lambda rng: f"access_token$production${chars(rng, 16, HEX)}${chars(rng, 32, HEX)}"),
    "sendgrid": ("SENDGRID_API_KEY", lambda rng: f"SG.{chars(rng, 22, URL)}.{chars(rng, 43, URL)}"),
    "mailgun": ("MAILGUN_API_KEY", token("key-", 32, HEX)),
    "mailchimp": ("MAILCHIMP_API_KEY", lambda rng: f"{chars(rng, 32, HEX)}-us{rng.randint(1, 21)}"),
    "npm": ("NPM_TOKEN", checksummed("npm_")),
    "pypi": ("TWINE_PASSWORD", token("pypi-AgEIcHlwaS5vcmcC", 150, URL)),
    "crates_io": ("CARGO_REGISTRY_TOKEN", token("cio", 32)),
    "rubygems": ("GEM_HOST_API_KEY", token("rubygems_", 48, HEX)),
    "docker_hub": ("DOCKERHUB_TOKEN", token("dckr_pat_", 27, URL)),
    "openai_project": ("OPENAI_API_KEY", lambda rng: f"sk-proj-{chars(rng, 74, URL)}T3BlbkFJ{chars(rng, 74, URL)}"),
    "openai_legacy": ("OPENAI_API_KEY", lambda rng: f"sk-{chars(rng, 20)}T3BlbkFJ{chars(rng, 20)}"),
    "anthropic": ("ANTHROPIC_API_KEY", token("sk-ant-api03-", 93, URL, "AA")),
    "hugging_face": ("HF_TOKEN", token("hf_", 34, UPPER + LOWER)),
    "replicate": ("REPLICATE_API_TOKEN", token("r8_", 37)),
    "groq": ("GROQ_API_KEY", token("gsk_", 52)),
    "twilio_key": ("TWILIO_API_KEY", token("SK", 32, HEX)),
    "twilio_auth": ("TWILIO_AUTH_TOKEN", token("", 32, HEX)),
    "shopify": ("SHOPIFY_ACCESS_TOKEN", token("shpat_", 32, HEX)),
    "heroku": ("HEROKU_API_KEY", token("HRKU-AA", 58, URL)),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", token("", 40, URL)),
    "datadog": ("DD_API_KEY", token("", 32, HEX)),
    "new_relic": ("NEW_RELIC_API_KEY", token("NRAK-", 27, DIGITS + UPPER)),
    "grafana": ("GRAFANA_TOKEN", lambda rng: f"glsa_{chars(rng, 32)}_{chars(rng, 8, HEX)}"),
    "sentry_user": ("SENTRY_AUTH_TOKEN", token("sntryu_", 64, HEX)),
    "vault": ("VAULT_TOKEN", token("hvs.CAES", 88, URL)),
    "terraform": ("TF_TOKEN_app_terraform_io", lambda rng: f"{chars(rng, 14)}.atlasv1.{chars(rng, 67, URL)}"),
    "databricks": ("DATABRICKS_TOKEN", token("dapi", 32, HEX)),
    "age": ("SOPS_AGE_KEY", token("AGE-SECRET-KEY-1", 58, BECH32)),
    "jwt": ("AUTH_TOKEN", jwt),
    "notion": ("NOTION_TOKEN", token("ntn_", 46)),
    "linear": ("LINEAR_API_KEY", token("lin_api_", 40)),
    "postman": ("POSTMAN_API_KEY", lambda rng: f"PMAK-{chars(rng, 24, HEX)}-{chars(rng, 34, HEX)}"),
    "airtable": ("AIRTABLE_API_KEY", lambda rng: f"pat{chars(rng, 14)}.{chars(rng, 64, HEX)}"),
}

BLOCKS = {
    "pem_rsa": rsa_key,
    "pem_ec": ec_key,
    "pem_pkcs8": pkcs8_key,
    "pem_openssh": openssh_key,
    "pem_encrypted": encrypted_key,
    "pem_legacy_encrypted": legacy_encrypted_key,
    "pgp": pgp_key,
}


def basic_auth(user, password):
    return "Basic " + base64_text(f"{user}:{password}")
