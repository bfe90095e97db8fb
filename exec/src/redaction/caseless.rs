//! Searches for secrets in short texts that may have lost their letter case, such as host names.

use aho_corasick::AhoCorasick;

use super::{RedactionError, Secret, forms};

/// A search for a set of secrets.
pub struct CaselessSearch(AhoCorasick);

impl CaselessSearch {
    /// Prepares the search for all forms of these secrets.
    pub fn new(secrets: &[Secret<'_>]) -> Result<Self, RedactionError> {
        let forms = secrets.iter().flat_map(|secret| forms(secret.value));
        let forms = forms.flat_map(|forms| forms.exact.into_iter().chain(forms.folded));
        Ok(Self(AhoCorasick::builder().ascii_case_insensitive(true).build(forms)?))
    }

    /// Whether a text contains one of them.
    pub fn finds(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_whatever_became_of_its_case() {
        let search = CaselessSearch::new(&[Secret { name: "token", value: b"s3cr3t-Value" }]).unwrap();
        for text in
            ["s3cr3t-value.example.org:443", "S3CR3T-VALUE", "cznjcjn0lvzhbhvl.org", "7333637233742d56616c7565.org"]
        {
            assert!(search.finds(text), "{text}");
        }
        assert!(!search.finds("example.org:443"));
        assert!(!CaselessSearch::new(&[]).unwrap().finds("example.org"));
    }
}
