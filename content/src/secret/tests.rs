//! Every rule against its own examples, through the whole detector; and how much work hostile text can cause.

use super::super::place::Place;
use super::super::rule::Strength;
use super::super::view::View;
use super::pattern::{self, EXAMPLES, RULES};
use super::*;

fn found(text: &str) -> Vec<(&'static str, String)> {
    let view = View::whole(text.as_bytes(), Place::Artifact);
    let mut hits = Vec::new();
    find(&view, &mut hits);
    hits.iter().map(|hit| (hit.rule.name, text[hit.range.clone()].to_owned())).collect()
}

#[test]
fn every_rule_finds_its_positive_examples() {
    let mut missed = Vec::new();
    for (rule, (positive, _)) in RULES.iter().zip(EXAMPLES) {
        for parts in *positive {
            let text = format!("before\n{}\nafter\n", parts.concat());
            if !found(&text).iter().any(|(name, _)| *name == rule.name) {
                missed.push((rule.name, parts.concat(), found(&text)));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn no_rule_finds_its_negative_examples() {
    let mut wrong = Vec::new();
    for (rule, (_, negative)) in RULES.iter().zip(EXAMPLES) {
        for parts in *negative {
            let text = format!("before\n{}\nafter\n", parts.concat());
            if found(&text).iter().any(|(name, _)| *name == rule.name) {
                wrong.push((rule.name, parts.concat()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn repeated_keywords_cause_no_more_than_a_few_hundred_bytes_of_work_each() {
    for word in pattern::KEYWORDS.iter().map(|(word, _)| *word).chain(["AKIAeyJghp_", "-----BEGIN PRIVATE KEY-----"]) {
        let text = word.repeat(1_024 / word.len());
        let view = View::whole(text.as_bytes(), Place::Artifact);
        let marks = view.marks(Detector::Secret);
        let work = pattern::find(view.bytes, marks, &mut Vec::new());
        assert!(work <= 4 * 4096 * marks.len(), "{word}: {work} bytes for {} marks", marks.len());
    }
}

#[test]
fn a_token_in_pieces_or_in_disguise_is_found_where_it_stands() {
    let (head, tail) = ("glpat-", "kJ3Hd92mZpQw7XbT4vLs");
    let token = [head, tail].concat();
    let spread = |between: &str| token.chars().map(String::from).collect::<Vec<_>>().join(between);
    let wide: String = token.chars().map(|c| char::from_u32(u32::from(c) + 0xFEE0).unwrap()).collect();
    let written = [
        (format!("a = \"{head}\" + \"{tail}\""), format!("{head}\" + \"{tail}")),
        (
            format!("a = \"{head}kJ3Hd92m\" \\\n    \"ZpQw7XbT4vLs\""),
            format!("{head}kJ3Hd92m\" \\\n    \"ZpQw7XbT4vLs"),
        ),
        (format!("a: {head}kJ3Hd92m\n    ZpQw7XbT4vLs\n"), format!("{head}kJ3Hd92m\n    ZpQw7XbT4vLs")),
        (format!("a: {head}kJ3Hd92m=\nZpQw7XbT4vLs\n"), format!("{head}kJ3Hd92m=\nZpQw7XbT4vLs")),
        (
            format!("first half {head}kJ3Hd92m, second half ZpQw7XbT4vLs\n"),
            format!("{head}kJ3Hd92m, second half ZpQw7XbT4vLs"),
        ),
        (format!("a: {}\n", spread("\u{200B}")), spread("\u{200B}")),
        (format!("a: {}\n", spread(" ")), spread(" ")),
        (format!("a: {wide}\n"), wide),
    ];
    for (text, place) in written {
        assert_eq!(found(&text), [("secret/gitlab-token", place)], "{text}");
    }
}

#[test]
fn text_about_secrets_holds_none() {
    for text in [
        "password: ********",
        "password: see vault",
        "token refreshed, expires in 3600 s",
        "password = prompt(\"Password: \")",
        "secret = os.environ[\"SESSION_SECRET\"]",
        "let token = config.auth.token;",
        "max_tokens: 4096",
        "api_key: <your key here>",
        "export TOKEN=\"$(cat /run/secrets/token)\"",
        "postgres://user:password@localhost/db",
        "Enter password:\nmysql> ",
        "secretName: web-tls-certificate",
        "password_file = /run/secrets/db_password_v2",
        "self.password = password2",
        "postgres://{db_user}:{db_password}@{host}/app",
        "f\"https://{U}:{settings.PG_PASSWORD2}@{H}/\"",
        "https://[user]:[password]@host.example/",
        "pub eq_token: Token![=],",
        "let token = vec![0u8; 32];",
        "let password = format!(\"{}{}\", a, b1);",
        "def sign(private_key: ed25519.Ed25519PrivateKey, x):",
        "\"registry-auth-token\": \"^4.0.0\",\n  \"registry-url\": \"^5.0.0\"",
        "aws-secret: 1.2.3-rc.1+build5",
        "case \"${MVNW_PASSWORD:+has-password}\" in",
        ": \"${DB_PASSWORD:?must-be-set}\"",
        "\"password\": \"Contraseña\",",
        "hashed_password = \"$2b$12$kJ3...\"",
        "api_key=\"test_api_key_1234\"",
        "TokenStream::Xq7Fallback2 => {",
        "PASS: elf/x86-64-relocs1\nPASS: suite.base/foo_2b.exp: step\n",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn values_are_found_in_many_syntaxes() {
    let value = ["kJ3Hd92mZpQ", "w7XbT4vLs0Ry"].concat();
    for form in [
        "api_key = \"{}\"",
        "\"apiKey\": \"{}\"",
        "<apiKey>{}</apiKey>",
        "<add key=\"ApiKey\" value=\"{}\" />",
        "api-key: {}",
        "tool --api-key {} run",
        "tool --api-key={} run",
        "define('API_KEY', '{}');",
        "API_KEY => '{}',",
        "x-api-key: {}",
        "let api_key: &str = \"{}\";",
        "setApiKey(\"{}\")",
        "| api_key | {} |",
        "the api key is {}.",
        "\\\"api_key\\\": \\\"{}\\\"",
        "- name: API_KEY\n  value: {}\n",
        "variable \"api_key\" {\n  default = \"{}\"\n}",
        "?api_key={}&x=1",
        "api_key := []byte(\"{}\")",
        "{\"name\":\"API_KEY\",\"value\":\"{}\"}",
        "DECLARE @api_key varchar(64) = '{}'",
        "**API key:** `{}`",
        "ENV API_KEY {}\n",
    ] {
        let text = format!("\n{}\n", form.replace("{}", &value));
        assert_eq!(found(&text), [("secret/assigned-value", value.clone())], "{text}");
    }
}

#[test]
fn settings_paths_and_patterns_beside_a_telling_word_are_no_values() {
    for text in [
        "To build without it, pass `BUILD_ROOT=/srv/builds/release/out` to the script.",
        "Clients can now pass `protocol=\"streaming\"` to the constructor.",
        "bind=simple secret=$APP_ADMIN_PASSWORD base=\"dc=net4u\" scope=sub",
        "login ${APP_ADMIN_PASSWORD} realm='k8sA#Corp'",
        "  \"manual/access/#oauth-tokens\":\n    \"manual/access/oauth/#short-lived\",\n",
        "\"guide/login/#credential-helpers\",\n  \"guide/login/#basic-auth\"",
        "rule.Samples(NewSecret(`ab[12]_[a-zA-Z0-9]{64,}`))",
        "token_pattern = \"[A-F0-9]{12}-[a-f0-9]{30}\"",
        "token: docs/reference/tokens/overview",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn a_value_that_is_given_beside_a_path_or_a_variable_is_found_still() {
    let value = ["kJ3Hd92mZpQ", "w7XbT4vLs0Ry"].concat();
    for form in ["$api_key = '{}';", "token: \"{}=\"", "the pass is `{}`", "api_key: str = \"{}\"", "token=/{}/"] {
        let text = format!("\n{}\n", form.replace("{}", &value));
        assert_eq!(found(&text).len(), usize::from(!form.ends_with('/')), "{text}");
    }
}

#[test]
fn what_only_resembles_a_name_a_version_or_a_verdict_is_found_still() {
    let value = ["kJ3Hd92mZpQ", "w7XbT4vLs0Ry"].concat();
    for form in [
        "https://ada:{{}}@host.example/",
        "token = \"^{}\"",
        "token = \"4.0.0-{}\"",
        "echo ${API_KEY:-{}}",
        "PASS={}",
        "password: ñ{}",
        "PASS: {}",
        "    PASS: x/{}",
        "api_key = \"test_{}\"",
        "token = \"a.{}\"",
    ] {
        let text = format!("\n{}\n", form.replace("{}", &value));
        assert_eq!(found(&text).len(), 1, "{text}");
    }
}

#[test]
fn no_harmless_shape_hides_noise_or_a_strong_password() {
    let (refused, mentioned) = (Strength::Addressed, Strength::Mentioned);
    let (noise, strong) = (["kJ3Hd92mZpQ", "w7XbT4vLs0Ry"].concat(), ["Xq7!f", "P9z#Lm2"].concat());
    for (form, strength) in [
        ("$password = \"+{strong}\";", refused),
        ("$api_key = '+{noise}'", refused),
        ("$password=+{strong}", refused),
        ("${API_KEY:+{noise}}", mentioned),
        ("token::{noise}", refused),
        ("password::{strong}", refused),
        ("password=hunter!(2Lm9zq", refused),
        ("DB_PASSWORD=Summer![2024", refused),
        ("token=abc![{noise}]", refused),
        ("USER: root\nPASS: Xq7-fP9zLm2", refused),
        ("USER: admin\nPASS: Tr0ub4dor.3", refused),
        ("PASS: hunter2-sea9", refused),
        ("USER: root\nPASS: {strong}", refused),
        ("user: root\nPASS: a/Xq7-fP9zLm2", refused),
        ("postgres://app:[Welcome2024]@db/app", refused),
        ("https://ada:{hunter2Sea}@host.example/", refused),
        ("password: \"{PasswordSea99}\"", refused),
        ("api_key = \"[token_{noise}]\"", refused),
        ("api_key=\"{noise}...\"", refused),
        ("password = \"Summer2024!...\"", mentioned),
        ("token = \"Summer2024!...\"", mentioned),
        ("token = \"eyJhbGciOi...\"", mentioned),
        ("secret: 2.0-kJ3Hd92mZpQw7Xb", refused),
        ("PIN_PASSWORD=1.2-Qx9zLm7fP3kTa", refused),
        ("password: 0.0-LetMeIn99", refused),
        ("password: v1.0+hunter2x", refused),
        ("api_key = {noise}.Secret", refused),
        ("token = \"kJ3Hd92mZpQw7XbT4vLs.apikey\"", refused),
        ("password = kJ3Hd92m.Pwd", refused),
        ("password: test-api-key-123", mentioned),
        ("password: qzx-vkj-house-12", mentioned),
        ("password: \"sÜpergeheim\"", refused),
        ("password = \"Übermut7\"", refused),
        ("password=\"Xq7!\" + \"fP9z#Lm2\": x", refused),
    ] {
        let text = format!("\n{}\n", form.replace("{noise}", &noise).replace("{strong}", &strong));
        let view = View::whole(text.as_bytes(), Place::Artifact);
        let mut hits = Vec::new();
        find(&view, &mut hits);
        assert_eq!(hits.iter().map(|hit| hit.strength).collect::<Vec<_>>(), [strength], "{text}");
    }
}

#[test]
fn the_next_member_continues_no_value_however_its_name_is_written() {
    let value = ["kJ3Hd92mZpQ", "w7XbT4vLs0Ry"].concat();
    for next in ["\"b\":", "\"b\" :", "\"b\"\t:"] {
        let text = format!("{{\"api_key\": \"{value}\",\n {next} 1}}");
        assert_eq!(found(&text), [("secret/assigned-value", value.clone())], "{text}");
    }
    let text = format!("{{\\\"api_key\\\": \\\"{value}\\\", \\\"b\\\": 1}}");
    assert_eq!(found(&text), [("secret/assigned-value", value)], "{text}");
}

#[test]
fn letters_in_the_midst_of_encoded_data_begin_no_token() {
    let token = ["ATBB", "2EafxsjmsYtWgg3BJFbjQdDM"].concat();
    let image = "iVQx7RkPz3vLmT0yWcHgJ5dNbS8uEoAqF1iZtK2rXpB6jM4wYnU9eCsGfVhDlO+a7PkR";
    assert_eq!(found(&format!("src = \"{image}{token}\"")), []);
    let (line, rest) = image.split_at(44);
    assert_eq!(found(&format!("{line}\n{line}\n{rest}{token}\n")), []);
    assert_eq!(found(&format!("{line}\n{line}\n{token}\n")).len(), 1);
    for before in ["x", "", "aaaaaaaa", &format!("{image}/"), &format!("{image} "), &"Aa1".repeat(30)] {
        assert_eq!(found(&format!("src = \"{before}{token}\"")).len(), 1, "{before}");
    }
}
