//! The id of an execution. Pure: time and randomness are passed in. *Standards*: ToolClad, "Envelope Fields".

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::digest::Digest;

/// The id of one execution: `<unix seconds>-<16 hexadecimal digits>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanId {
    /// When it began.
    pub started: DateTime<Utc>,
    /// 64 random bits.
    pub random: u64,
}

impl ScanId {
    /// When it began, in the form of evidence.
    pub fn timestamp(self) -> String {
        self.started.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// The id of one interaction of the execution, by its number from 1.
    pub fn of_interaction(self, number: usize) -> String {
        let digest = Digest::of(format!("{self} {number}").as_bytes()).to_string();
        format!("{}-{}", self.started.timestamp(), &digest[..16])
    }
}

impl std::fmt::Display for ScanId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{:016x}", self.started.timestamp(), self.random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interaction_has_an_id_of_its_own_and_the_same_one_always() {
        let scan_id = |random| ScanId { started: DateTime::from_timestamp(1_795_730_726, 0).unwrap(), random };
        let ids = [scan_id(1).of_interaction(1), scan_id(1).of_interaction(2), scan_id(2).of_interaction(1)];
        assert!(ids.iter().all(|id| id.starts_with("1795730726-") && id.len() == 27));
        assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids[0] == scan_id(1).of_interaction(1));
    }
}
