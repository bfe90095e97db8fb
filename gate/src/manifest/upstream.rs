//! `[http]` and `[mcp]`: the target of a call, and the handling of its answer.
//!
//! *Standards*: ToolClad, HTTP and MCP backends.

use std::collections::BTreeMap;

use gatepost_documents::destination::Destination;
use serde::Deserialize;

/// `[http]`
#[derive(Deserialize)]
pub(crate) struct Http {
    pub(crate) method: String,
    url: String,
    /// Empty if every status from 200 to 299 is a success.
    #[serde(default)]
    success_status: Vec<u16>,
    /// The statuses of an answer that helps the caller to correct its call.
    #[serde(default)]
    pub(crate) error_status: Vec<u16>,
}

impl Http {
    /// Whether a status is a success.
    pub(crate) fn is_success(&self, status: u16) -> bool {
        match self.success_status.as_slice() {
            [] => (200..300).contains(&status),
            listed => listed.contains(&status),
        }
    }

    /// Whether an address is the URL with any values for its placeholders.
    pub(crate) fn can_be(&self, address: &str) -> bool {
        let mut literals = self.url.split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, after)| after));
        let Some(mut rest) = address.strip_prefix(literals.next().unwrap_or_default()) else { return false };
        let mut has_placeholder = false;
        for literal in literals {
            has_placeholder = true;
            let Some(at) = rest.find(literal) else { return false };
            rest = rest.get(at + literal.len()..).unwrap_or_default();
        }
        rest.is_empty() || has_placeholder
    }

    /// The only destination that a call reaches.
    pub(crate) fn destination(&self) -> Option<Destination> {
        Destination::of_url(&self.url)
    }
}

/// `[mcp]`: the server and tool that is called, and the names of its arguments there.
#[derive(Deserialize)]
pub(crate) struct Mcp {
    pub(crate) server: String,
    pub(crate) tool: String,
    #[serde(default)]
    pub(crate) field_map: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_literal_parts_of_the_url_in_their_order() {
        for (url, address, expected) in [
            ("https://a.org/x", "https://a.org/x", true),
            ("https://a.org/x", "https://a.org/x/y", false),
            ("https://a.org/x", "https://b.org/x", false),
            ("https://a.org/v/{p}", "https://a.org/v/1", true),
            ("https://a.org/v/{p}", "https://a.org/admin", false),
            ("https://a.org/{p}/k?q={_secret:q}&r", "https://a.org/1/k?q=[secret:q]&r", true),
            ("https://a.org/{p}/k?q={q}", "https://a.org/1/l?q=2", false),
            ("https://a.org/{p}/k?q={q}", "https://a.org/1?q=2", false),
        ] {
            let http =
                Http { method: "GET".to_owned(), url: url.to_owned(), success_status: vec![], error_status: vec![] };
            assert_eq!(http.can_be(address), expected, "{url} {address}");
        }
    }
}
