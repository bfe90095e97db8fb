//! Checks that the sandbox facts in the evidence agree: a level requires all of its layers.
//!
//! A later stage checks whether the level is enough. Standards: Linux `user_namespaces(7)`, `landlock(7)`, `seccomp(2)`.

use gatepost_documents::evidence::{EnforcedLevel, Sandbox};
use gatepost_documents::sandbox_level::SandboxLevel;

/// The layers of both levels, except Landlock itself.
const OF_BOTH: [&str; 4] = ["rlimits", "no_capabilities", "no_new_privs", "seccomp"];

/// The further layers of `landlock`: without namespaces, they kill the whole process tree and keep it off the network.
const OF_LANDLOCK: [&str; 3] = ["subreaper", "signal_scope", "no_sockets"];

/// The further layers of `full`.
const OF_FULL: [&str; 5] = ["user_namespace", "pid_namespace", "mount_namespace", "network_namespace", "private_root"];

/// Landlock alone must also restrict signals and abstract sockets, which needs this ABI.
const LANDLOCK_ABI_MIN: u32 = 6;

/// Behind a private root it must restrict truncation, which needs this ABI.
const FULL_ABI_MIN: u32 = 3;

/// Every contradiction, as sentences.
pub(super) fn faults(sandbox: &Sandbox) -> Vec<String> {
    let is_external = sandbox.level == EnforcedLevel::External;
    let mut faults = Vec::new();
    if is_external != sandbox.launcher.is_some() {
        faults.push("The evidence names a launcher without an external sandbox, or none with one.".to_owned());
    }
    match sandbox.level.built_in() {
        None | Some(SandboxLevel::None) => {}
        Some(level) => faults.extend(missing_layers(sandbox, level)),
    }
    faults
}

fn missing_layers(sandbox: &Sandbox, level: SandboxLevel) -> impl Iterator<Item = String> {
    let (own, abi_min): (&[&str], u32) =
        if level == SandboxLevel::Full { (&OF_FULL, FULL_ABI_MIN) } else { (&OF_LANDLOCK, LANDLOCK_ABI_MIN) };
    let has = |name: &str| sandbox.layers.iter().any(|layer| layer == name);
    let absent = OF_BOTH.iter().chain(own).filter(move |name| !has(name)).map(|name| (*name).to_owned());
    let landlock = format!("landlock_abi_{abi_min} or later");
    let absent_landlock = (landlock_abi(sandbox) < Some(abi_min)).then_some(landlock);
    let name = level.as_str();
    let sentence =
        move |layer| format!("The sandbox level is {name}, but the evidence does not list its layer {layer}.");
    absent.chain(absent_landlock).map(sentence)
}

/// The ABI of Landlock that was in force.
fn landlock_abi(sandbox: &Sandbox) -> Option<u32> {
    let version = |layer: &String| {
        let text = layer.strip_prefix("landlock_abi_")?;
        text.parse().ok().filter(|version: &u32| version.to_string() == text)
    };
    sandbox.layers.iter().find_map(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sandbox(level: EnforcedLevel, layers: &[&str]) -> Sandbox {
        let layers = layers.iter().map(|layer| (*layer).to_owned()).collect();
        Sandbox { level, layers, kernel: String::new(), launcher: None }
    }

    #[test]
    fn a_level_is_all_of_its_layers() {
        let full: Vec<&str> = OF_BOTH.into_iter().chain(OF_FULL).chain(["landlock_abi_3"]).collect();
        let landlock: Vec<&str> = OF_BOTH.into_iter().chain(OF_LANDLOCK).chain(["landlock_abi_6"]).collect();
        for (level, layers) in [(EnforcedLevel::Full, full), (EnforcedLevel::Landlock, landlock)] {
            assert_eq!(faults(&sandbox(level, &layers)), [""; 0]);
            for left_out in &layers {
                let rest: Vec<&str> = layers.iter().copied().filter(|layer| layer != left_out).collect();
                assert_eq!(faults(&sandbox(level, &rest)).len(), 1, "{level} without {left_out}");
            }
        }
        assert_eq!(faults(&sandbox(EnforcedLevel::None, &[])), [""; 0]);
        assert_eq!(faults(&sandbox(EnforcedLevel::External, &[])).len(), 1);
    }

    #[test]
    fn an_older_landlock_does_not_do() {
        for (level, layer) in [
            (EnforcedLevel::Full, "landlock_abi_2"),
            (EnforcedLevel::Landlock, "landlock_abi_5"),
            (EnforcedLevel::Full, "landlock_abi_03"),
        ] {
            let layers: Vec<&str> = OF_BOTH.into_iter().chain(OF_LANDLOCK).chain(OF_FULL).chain([layer]).collect();
            assert_eq!(faults(&sandbox(level, &layers)).len(), 1, "{level} with {layer}");
        }
    }
}
