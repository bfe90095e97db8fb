//! The controllers of control groups that bound a run, and the values of their limit files.
//!
//! Pure; other code finds out which controllers gatepost may use.
//!
//! Standards: Linux, Documentation/admin-guide/cgroup-v2.rst.

use gatepost_documents::evidence::Limits;

/// The period of `cpu.max`, microseconds: the kernel's default.
const CPU_PERIOD_US: u64 = 100_000;

/// A controller that bounds a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Controller {
    Memory,
    Pids,
    Cpu,
}

impl Controller {
    pub(super) const ALL: [Self; 3] = [Self::Memory, Self::Pids, Self::Cpu];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Pids => "pids",
            Self::Cpu => "cpu",
        }
    }

    pub(super) const fn layer(self) -> &'static str {
        match self {
            Self::Memory => "cgroup_memory",
            Self::Pids => "cgroup_pids",
            Self::Cpu => "cgroup_cpu",
        }
    }

    /// The files to write for these limits; none if there is no limit.
    pub(super) fn settings(self, limits: &Limits) -> Vec<(&'static str, String)> {
        match (self, limits.memory_bytes, limits.cpus) {
            (Self::Memory, Some(resident), _) => {
                // Files in /out and /tmp are memory charged to this group, and have limits of their own.
                let files = limits.out_bytes.unwrap_or(0).saturating_mul(2);
                vec![("memory.swap.max", "0".to_owned()), ("memory.max", resident.saturating_add(files).to_string())]
            }
            // The first process counts.
            (Self::Pids, ..) => vec![("pids.max", limits.processes.saturating_add(1).to_string())],
            (Self::Cpu, _, Some(cpus)) => {
                vec![("cpu.max", format!("{} {CPU_PERIOD_US}", cpus.saturating_mul(CPU_PERIOD_US)))]
            }
            _ => Vec::new(),
        }
    }

    /// Whether a list of controllers contains it, as the kernel writes one.
    pub(super) fn is_in(self, controllers: &str) -> bool {
        controllers.split_whitespace().any(|name| name == self.as_str())
    }
}
