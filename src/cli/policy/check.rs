//! `gatepost policy check`

use gatepost_exec::policy::Listed;

use super::valid;
use crate::cli::prelude::*;

#[derive(Serialize, JsonSchema)]
pub(super) struct Checked {
    directory: String,
    policies_count: usize,
    policies: Vec<Listed>,
    sha256: Digest,
}

impl View for Checked {
    fn text(&self) -> String {
        if self.policies.is_empty() {
            return "policies/ has no policy, so every request is denied. `gatepost init` adds the starting ones.\n"
                .to_owned();
        }
        let row = |policy: &Listed| {
            vec![policy.id.clone(), policy.effect.to_owned(), policy.file.clone(), policy.line.to_string()]
        };
        let rows: Vec<_> = self.policies.iter().map(row).collect();
        format!("{}\nThe policies are in order.\n", table(&["policy", "effect", "file", "line"], &rows))
    }
}

pub(super) fn run(open: &Open) -> Result<Outcome, Failure> {
    let set = valid(open)?;
    let policies: Vec<Listed> = set.policies().into_iter().cloned().collect();
    Ok(Outcome::done(&Checked {
        directory: open.site.policies().display().to_string(),
        policies_count: policies.len(),
        policies,
        sha256: set.sha256(),
    }))
}
