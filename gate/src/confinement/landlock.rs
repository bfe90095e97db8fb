//! Landlock: keeps a few paths; denies TCP, abstract sockets and signals to processes outside.
//!
//! Handles every right that the kernel knows. Below ABI 3 (Linux 6.2), without control of truncation, there is no
//! confinement: "read only" would not mean that. Rights of later ABIs are used where they exist; the seccomp filter
//! guards the same operations. *Standards*: Linux `landlock(7)`.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, make_bitflags,
};

use super::{Place, Right};

/// The minimum ABI, and the newest ABI whose every right is handled if the kernel has it.
const LEAST: ABI = ABI::V3;
const NEWEST: ABI = ABI::V6;

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir});

/// Enters a domain that keeps only `places`; returns the kernel's ABI.
pub(super) fn enter(places: &[Place]) -> io::Result<u32> {
    let mut ruleset = ruleset().map_err(|error| match error {
        RulesetError::HandleAccesses(_) => io::Error::new(io::ErrorKind::Unsupported, "the kernel does not support it"),
        other => io::Error::other(other),
    })?;
    // A missing path cannot be allowed; a file created there later is out of reach.
    for Place { path, right, .. } in places.iter().filter(|place| place.identity.is_some()) {
        let rule = PathBeneath::new(open(path)?, rights(*right, path.is_dir()));
        ruleset = ruleset.add_rule(rule).map_err(io::Error::other)?;
    }
    let status = ruleset.restrict_self().map_err(io::Error::other)?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } if status.ruleset != RulesetStatus::NotEnforced => {
            Ok(kernel_abi.and_then(|abi| u32::try_from(abi).ok()).unwrap_or(effective_abi as u32))
        }
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

fn ruleset() -> Result<landlock::RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()
}

fn open(path: &Path) -> io::Result<PathFd> {
    PathFd::new(path).map_err(|error| io::Error::other(format!("failed to open {}: {error}", path.display())))
}

fn rights(right: Right, of_folder: bool) -> BitFlags<AccessFs> {
    let rights = match right {
        Right::Read => READ,
        // Replacing an empty folder needs the right to remove one. That is how a name is claimed on file systems that
        // cannot rename without replacing.
        Right::Receive => READ | AccessFs::MakeDir | AccessFs::RemoveDir | AccessFs::Refer,
        Right::Work => AccessFs::from_all(LEAST) & !BitFlags::from(AccessFs::Execute),
    };
    if of_folder { rights } else { rights & AccessFs::from_file(LEAST) }
}
