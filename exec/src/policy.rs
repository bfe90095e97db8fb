//! The rules of a site: policies, approvals, limits, the network. Pure.

mod decision;
pub mod draft;
mod literal;
mod network;
mod question;
mod schema;
mod set;
mod source;
pub mod suggestion;

use chrono::SecondsFormat;
use gatepost_contract::config;
use gatepost_contract::manifest::{Backend, Manifest};
use gatepost_contract::request::{Request, RequestedLimits};
use gatepost_documents::evidence::{Approval, ApprovalMode, Limits};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;

use crate::artifact::Allowance;

pub use decision::{Decision, NONE_PERMITS};
pub use network::{Reach, network};
pub use question::{Question, Subject};
pub use schema::FETCH;
pub use set::PolicySet;
pub use source::Listed;

/// The approval that a request declares, if the site accepts declarations.
pub fn declared_approval(mode: ApprovalMode, request: &Request) -> Option<Approval> {
    let declared = request.declared_approval.as_ref().filter(|_| mode == ApprovalMode::Declared)?;
    Some(Approval {
        mode: ApprovalMode::Declared,
        approved_by: declared.by.clone(),
        approved_utc: declared.utc.to_rfc3339_opts(SecondsFormat::Secs, true),
        proof: None,
    })
}

/// Whether this machine's sandbox (at `level`, or unavailable because of `fault`) meets a run's demand.
pub fn sandbox(level: SandboxLevel, fault: Option<&str>, minimum: SandboxLevel) -> Result<(), Reason> {
    let refused = |message, hint| Err(Reason::new(Code::SandboxUnavailable, message, hint));
    if let Some(fault) = fault {
        let message = format!("Tools cannot be run at the sandbox level that the site requires: {fault}.");
        return refused(message, "Ask the operator to provide what is missing; `gatepost doctor` shows it.");
    }
    if level < minimum {
        let message = format!(
            "This needs sandbox level {}, but only level {} is available here.",
            minimum.as_str(),
            level.as_str()
        );
        return refused(message, "Ask the operator for `[sandbox] maximum = \"full\"` and a machine that supports it.");
    }
    Ok(())
}

/// The address space of Chromium, which reserves far more than it uses; the meter bounds its real usage.
const BROWSER_ADDRESS_SPACE: u64 = 64 << 40;

/// The limits of one run: the site's, tightened by the manifest if there is one, tightened by the request.
pub fn limits(site: &config::Limits, manifest: Option<&Manifest>, request: &RequestedLimits) -> Limits {
    let own = manifest.map(Manifest::limits).unwrap_or_default();
    let is_browser = manifest.is_some_and(|manifest| matches!(manifest.backend(), Backend::Browser(_)));
    let timeout_seconds = manifest.map(|manifest| u64::from(manifest.timeout_seconds()));
    let tighten = |site: u64, others: [Option<u64>; 2]| others.into_iter().flatten().fold(site, u64::min);
    let mebibytes = |count: u64| count.saturating_mul(1 << 20);
    let time_seconds = tighten(site.time_seconds, [timeout_seconds, request.time_limit_sec]);
    let cpu_seconds = request.cpu_cores.map(|cores| whole(cores * seconds(time_seconds)));
    Limits {
        time_ms: time_seconds.saturating_mul(1_000),
        cpu_seconds: tighten(site.cpu_seconds, [own.cpu_seconds.map(u64::from), cpu_seconds]),
        cpus: [Some(site.cpus).filter(|cpus| *cpus > 0), request.cpu_cores.map(whole)].into_iter().flatten().min(),
        memory_bytes: Some(mebibytes(tighten(site.memory_mb, [own.memory_mb.map(u64::from), request.memory_mb]))),
        address_space_bytes: if is_browser { BROWSER_ADDRESS_SPACE } else { mebibytes(site.address_space_mb) },
        files: tighten(site.files, [own.files.map(u64::from), None]),
        processes: site.processes,
        file_bytes: mebibytes(site.file_mb),
        out_bytes: Some(mebibytes(site.out_mb)),
        out_files: Some(site.out_files),
        stdout_bytes: tighten(site.stdout_bytes, [own.stdout_bytes.map(u64::from), None]),
    }
}

/// The limits of the tool's files in its result.
pub fn allowance(site: &config::Limits) -> Allowance {
    Allowance { files: site.artifacts, bytes: site.out_mb.saturating_mul(1 << 20), names: site.out_files }
}

/// The next whole number, at least 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from a float saturates")]
fn whole(number: f64) -> u64 {
    number.ceil().max(1.0) as u64
}

#[expect(clippy::cast_precision_loss, reason = "a time that long is no longer exact to the second")]
fn seconds(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_contract::manifest::CustomTypes;

    const MANIFEST: &str = "[tool]\nname = \"t\"\nversion = \"1\"\ndescription = \"A tool\"\nbinary = \"true\"\ntimeout_seconds = 60\n\
        [command]\nexec = [\"true\"]\n[output]\nformat = \"text\"\nparser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n\
        [limits]\nmemory_mb = 512\n";

    fn limited(site: &config::Limits, cpu_cores: Option<f64>, memory_mb: Option<u64>, time: Option<u64>) -> Limits {
        let manifest = Manifest::parse(MANIFEST, "t.clad.toml", &CustomTypes::default()).unwrap();
        limits(site, Some(&manifest), &RequestedLimits { cpu_cores, memory_mb, time_limit_sec: time })
    }

    #[test]
    fn a_request_and_a_manifest_tighten_the_sites_limits_and_never_loosen_them() {
        let site = config::Limits::default;
        let own = limited(&site(), None, None, None);
        assert_eq!((own.time_ms, own.cpu_seconds, own.cpus), (60_000, 3_600, None));
        assert_eq!((own.memory_bytes, own.address_space_bytes), (Some(512 << 20), 64 << 30));
        assert_eq!((own.out_bytes, own.out_files), (Some(1 << 30), Some(65_536)));
        let lower = limited(&site(), Some(0.5), Some(64), Some(9));
        assert_eq!((lower.time_ms, lower.cpu_seconds, lower.cpus), (9_000, 5, Some(1)));
        assert_eq!(lower.memory_bytes, Some(64 << 20));
        let higher = limited(&config::Limits { cpus: 2, ..site() }, Some(1e300), Some(u64::MAX), Some(u64::MAX));
        assert_eq!((higher.time_ms, higher.cpu_seconds, higher.cpus), (60_000, 3_600, Some(2)));
        assert_eq!(higher.memory_bytes, own.memory_bytes);
    }
}
