//! The destinations that a site lets requests ask for: `[network] destinations` of `gatepost.toml`.
//!
//! ```toml
//! destinations = ["api.example.org:443", "10.0.0.7:5432"]   # exactly these
//! destinations = ["*", "10.0.0.7:5432"]                     # any name, any public address, and this private one
//! ```
//!
//! An empty list, the default, permits no destination.

use serde::{Deserialize, Serialize};

use super::address::is_public;
use gatepost_documents::destination::{Destination, Host};
use gatepost_documents::text::quoted;

/// The entry for any destination.
const ANY: &str = "*";

/// The permitted destinations; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[schemars(with = "Vec<String>")]
pub struct Allowlist {
    any: bool,
    listed: Vec<Destination>,
}

impl Allowlist {
    /// Whether a request may list the destination. `*` leaves out the addresses that are not public: a site's own
    /// services are for its operator to name.
    pub fn permits(&self, destination: &Destination) -> bool {
        let is_covered = || match destination.host {
            Host::Name(_) => true,
            Host::Address(address) => is_public(address),
        };
        self.listed.contains(destination) || (self.any && is_covered())
    }
}

impl TryFrom<Vec<String>> for Allowlist {
    type Error = String;

    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        let read = |text: &String| {
            Destination::parse(text).ok_or_else(|| format!("{} is neither host:port nor \"*\"", quoted(text)))
        };
        let any = texts.iter().any(|text| text == ANY);
        let listed = texts.iter().filter(|text| *text != ANY).map(read).collect::<Result<_, _>>()?;
        Ok(Self { any, listed })
    }
}

impl From<Allowlist> for Vec<String> {
    fn from(allowlist: Allowlist) -> Self {
        let any = allowlist.any.then(|| ANY.to_owned());
        any.into_iter().chain(allowlist.listed.iter().map(ToString::to_string)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowlist(texts: &[&str]) -> Result<Allowlist, String> {
        texts.iter().map(ToString::to_string).collect::<Vec<_>>().try_into()
    }

    #[test]
    fn exactly_the_listed_pairs_are_permitted_and_a_star_permits_what_is_public() {
        let [name, private, public] =
            ["api.example.org:443", "10.0.0.7:80", "8.8.8.8:53"].map(|text| Destination::parse(text).unwrap());
        for (texts, expected) in [
            (&[][..], [false, false, false]),
            (&["API.example.org:443"], [true, false, false]),
            (&["api.example.org:80", "www.api.example.org:443"], [false, false, false]),
            (&["10.0.0.7:80", "8.8.8.8:53"], [false, true, true]),
            (&["10.0.0.7:8080"], [false, false, false]),
            (&["*"], [true, false, true]),
            (&["*", "10.0.0.7:80"], [true, true, true]),
        ] {
            let allowlist = allowlist(texts).unwrap();
            assert_eq!([&name, &private, &public].map(|asked| allowlist.permits(asked)), expected, "{texts:?}");
        }
    }

    #[test]
    fn a_list_with_a_fault_is_no_list() {
        for text in ["example.org", "*:443", "*.example.org:443", "10.0.0.0/8:80", "127.1:80", ""] {
            assert!(allowlist(&[text]).unwrap_err().contains("neither"), "{text}");
        }
    }
}
