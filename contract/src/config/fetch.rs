//! `[fetch]`: the pages that requests of the lane `fetch` may get.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::network::Destination;

/// The most destinations.
const DESTINATIONS_MAX: usize = 256;

/// `[fetch]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fetch {
    /// The destinations, `host:port`, that URLs and redirects may lead to, at most 256. Empty: the lane is off.
    #[serde(deserialize_with = "destinations")]
    pub destinations: Vec<String>,
    /// Whether `http://` is permitted besides `https://`.
    pub plain_http: bool,
    /// Whether the robots.txt of a host is obeyed.
    pub robots: bool,
    /// The size of one page, kilobytes of 1000 bytes; 1 to 10000.
    #[schemars(range(min = 1, max = 10_000))]
    pub page_kb: u64,
    /// The time for one page with its redirects, seconds; at least 1.
    #[schemars(range(min = 1))]
    pub page_seconds: u64,
    /// The pages that the requests of one user may ask for in an hour, counted from the start of TOOL-EXEC; 0: no limit.
    pub pages_per_hour: u64,
}

impl Default for Fetch {
    fn default() -> Self {
        Self {
            destinations: Vec::new(),
            plain_http: false,
            robots: true,
            page_kb: 250,
            page_seconds: 20,
            pages_per_hour: 0,
        }
    }
}

impl Fetch {
    /// The destinations as values.
    pub fn allowed(&self) -> Vec<Destination> {
        self.destinations.iter().filter_map(|text| Destination::parse(text)).collect()
    }
}

fn destinations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    if texts.len() > DESTINATIONS_MAX {
        return Err(D::Error::custom(format!("there are more than {DESTINATIONS_MAX} destinations")));
    }
    match texts.iter().find(|text| Destination::parse(text).is_none()) {
        Some(text) => Err(D::Error::custom(format!("{} is not host:port", gatepost_documents::text::quoted(text)))),
        None => Ok(texts),
    }
}
