//! The keys that vendors publish in their manuals, by the SHA-256 of the exact value: known to everybody, they open nothing.
//!
//! Nothing else is ever passed over: no comment, no name of a file, no word nearby.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gatepost_documents::digest::Digest;

/// SHA-256 of each value, and where it is published.
const DOCUMENTED: &[&str] = &[
    "1a5d44a2dca19669d72edf4c4f1c27c4c1ca4b4408fbb17f6ce4ad452d78ddb3", // AWS, IAM User Guide
    "cb20d34a7adda2f5d2043836051e242fd4c2b233e02c80c91fe9d5af9b100574", // AWS, temporary credentials
    "c6ea27c534f993d31f0aef882e3d200e7b87470c379ae79c8f9b19d3bd363dc9", // AWS, IAM User Guide
    "e1de2469408636f0ce20ad2b1b33e1be3f903261377ea0189615b936fe397df6", // AWS, AssumeRole
    "78314b11be2e581549ac1c4f616563fad3fdf0c3b71678f6e2299182080e0598", // AWS, secret access key
    "647f7143af14706273d54740603644de5cb9abb42a76b7a0d32a48c9261860c5", // AWS, secret access key of AssumeRole
    "e21b597ba6b9cafa59d9ebc4d65c0385f5eb3fa56abab2607fa76589ad849a33", // AWS, second secret access key
    "7f75367e7881255134e1375e723d1dea8ad5f6a4fdb79d938df1f1754a830606", // jwt.io, first sample
    "da816f9f2c16e6c5390e7636cadc40c43551bf0bbcf8f36c65539e6633a9c5e8", // jwt.io, older sample
    "c794fa6d20c64efb9adf980ae93af472a1679775862d421ffe55d4a57fad5b3e", // jwt.io, present sample
    "8d4ef6536dc8895f256c1e0d95dcd19763036732d64a095e44a90ed444267ad3", // RFC 7515, appendix A.1
    "2cafc0970149a84f3b9e62eaf169f36f59907a3b3e31f7b82e68c69cd27f7326", // Stripe, API reference
    "f2d6ca16515033e5dce14eba840b979d27b5cbae24bb3e5bf484339667f86397", // Stripe, older API reference
    "7e8de44ea9ecf6d53415c90f5b249a8591f7abafbf7d65a2c0d855afeca3ec09", // Stripe, guides
    "c4341ce2cfcb5209124439c61efbae3ceb5d10b48997f67face25578db0918a2", // Stripe, guides
    "cf4d418ed3de92d71f767db5391d5a2dacd40e1ce49e75d1137e2ecf4982d844", // RFC 7617
    "73f71af093fdf1541b2c376f03436d71d1209d8a181f87d36e53a44b87ac4c4f", // RFC 2617
    "bdfeaef44475711c3abaf41d3ddd35322152714fb6709850571bad470033c478", // Basic credentials of user and password
    "b8e148545b13c78bc74da2f1a7275dd71e56ddece129d7d2f7b3ecc06f7994da", // RFC 6750
    "0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059", // Azure storage emulator
    "aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615", // Azure Cosmos DB emulator
];

static KNOWN: LazyLock<BTreeSet<Digest>> =
    LazyLock::new(|| DOCUMENTED.iter().filter_map(|text| Digest::parse(text).ok()).collect());

pub(super) fn is_documented(secret: &[u8]) -> bool {
    KNOWN.contains(&Digest::of(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_value_is_a_digest() {
        assert_eq!(KNOWN.len(), DOCUMENTED.len());
    }

    #[test]
    fn the_example_of_a_manual_is_known_and_one_character_more_is_not() {
        let example = ["AKIA", "IOSFODNN7", "EXAMPLE"].concat();
        assert!(is_documented(example.as_bytes()));
        assert!(!is_documented(format!("{example}A").as_bytes()));
    }
}
