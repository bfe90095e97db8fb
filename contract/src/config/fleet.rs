//! `[fleet]`: tools that run on other machines, and the NATS servers that carry requests there and bundles back.

use std::path::PathBuf;

use serde::de::{Error as _, IntoDeserializer as _};
use serde::{Deserialize, Deserializer, Serialize};

/// `[fleet]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fleet {
    /// The NATS servers of the fleet, `tls://HOST:PORT`, or `nats://HOST:PORT` on loopback. Empty: no fleet.
    #[serde(deserialize_with = "servers")]
    #[schemars(inner(regex(pattern = "^(tls://|nats://(127\\.0\\.0\\.1|localhost|\\[::1\\]):)")))]
    pub servers: Vec<String>,
    /// The name of the fleet, the same at home and on its nodes: `a-z`, `0-9` and `-`.
    #[serde(deserialize_with = "word")]
    #[schemars(regex(pattern = "^[a-z0-9-]{1,32}$"))]
    pub name: String,
    /// The absolute path of a PEM file with the authorities of the servers' certificates. Empty: the system's.
    #[schemars(regex(pattern = "^(/.*)?$"))]
    pub ca_file: PathBuf,
    /// The absolute path of a PEM file with this machine's certificate for the servers. Empty: none.
    #[schemars(regex(pattern = "^(/.*)?$"))]
    pub certificate: PathBuf,
    /// The absolute path of a PEM file with its private key.
    #[schemars(regex(pattern = "^(/.*)?$"))]
    pub private_key: PathBuf,
    /// At home: the tools that run on nodes, by the names of their manifests.
    pub tools: Vec<String>,
    /// At home: on how many servers each message is stored; 1, 3 or 5.
    #[schemars(extend("enum" = [1, 3, 5]))]
    pub replicas: u32,
    /// On a node: its name in the home's `keys/nodes`: `a-z`, `0-9` and `-`. Empty: this site is no node.
    #[serde(deserialize_with = "word_or_nothing")]
    #[schemars(regex(pattern = "^[a-z0-9-]{0,32}$"))]
    pub node: String,
    /// On a node: how many requests it has at a time.
    #[schemars(range(min = 1, max = 4096))]
    pub slots: u32,
    /// A node that the home hears nothing of for this long is lost, seconds; at least 2.
    #[schemars(range(min = 2, max = 86_400))]
    pub lease_seconds: u64,
    /// The most that a request brings along, and that a node may send back, megabytes.
    #[schemars(range(min = 1, max = 65_536))]
    pub parcel_mb: u64,
}

impl Default for Fleet {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            name: "gatepost".to_owned(),
            ca_file: PathBuf::new(),
            certificate: PathBuf::new(),
            private_key: PathBuf::new(),
            tools: Vec::new(),
            replicas: 3,
            node: String::new(),
            slots: 4,
            lease_seconds: 60,
            parcel_mb: 1024,
        }
    }
}

impl Fleet {
    /// The paths, each with its key.
    pub(crate) fn paths(&self) -> [(&PathBuf, &'static str); 3] {
        let Self { ca_file, certificate, private_key, .. } = self;
        [(ca_file, "fleet.ca_file"), (certificate, "fleet.certificate"), (private_key, "fleet.private_key")]
    }

    /// Whether this site is a node: it runs what a home orders.
    pub fn is_node(&self) -> bool {
        !self.servers.is_empty() && !self.node.is_empty()
    }

    /// Whether a tool runs on nodes.
    pub fn runs(&self, tool: &str) -> bool {
        !self.servers.is_empty() && self.tools.iter().any(|name| name == tool)
    }
}

fn servers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let is_server = |text: &&String| {
        let near = ["127.0.0.1:", "localhost:", "[::1]:"];
        let plain = text.strip_prefix("nats://").is_some_and(|rest| near.iter().any(|host| rest.starts_with(host)));
        text.starts_with("tls://") || plain
    };
    match texts.iter().find(|text| !is_server(text)) {
        Some(text) => {
            let text = gatepost_documents::text::quoted(text);
            Err(D::Error::custom(format!("{text} is not tls://HOST:PORT, or nats://HOST:PORT on loopback")))
        }
        None => Ok(texts),
    }
}

fn word_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() { Ok(text) } else { word(text.into_deserializer()) }
}

fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if is_plain && (1..=32).contains(&text.len()) {
        return Ok(text);
    }
    Err(D::Error::custom("it is not 1 to 32 characters of a-z, 0-9 and -"))
}
