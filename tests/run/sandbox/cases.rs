//! What a hostile tool tries, and the refusal that each attempt must meet at each level.

mod files;
mod limits;
mod processes;
mod sockets;
mod system_calls;

use gatepost_documents::sandbox_level::SandboxLevel;

use super::outside::Outside;

/// What an attempt prints; alternatives stand beside each other where a user's rights or the kernel decide which layer
/// answers first.
pub(super) type Met = &'static [&'static str];

/// One attempt.
pub(super) struct Case {
    pub name: &'static str,
    /// Python, after the prelude. It starts where it finds `in/`, `out/` and `tmp/`.
    pub probe: String,
    full: Option<Met>,
    landlock: Option<Met>,
}

impl Case {
    /// What the attempt must meet at a level; none where there is nothing to attempt.
    pub(super) fn met(&self, level: SandboxLevel) -> Option<Met> {
        if level == SandboxLevel::Full { self.full } else { self.landlock }
    }

    /// The same, with another answer at level `landlock`.
    fn at_landlock(self, met: Met) -> Self {
        Self { landlock: Some(met), ..self }
    }

    fn only_at_full(self) -> Self {
        Self { landlock: None, ..self }
    }
}

/// Every attempt. What they aim at outside stands in `outside`.
pub(super) fn all(outside: &Outside) -> Vec<Case> {
    let groups =
        [files::all(outside), processes::all(outside), system_calls::all(), sockets::all(outside), limits::all()];
    groups.into_iter().flatten().collect()
}

fn case(name: &'static str, probe: impl Into<String>, met: Met) -> Case {
    Case { name, probe: probe.into(), full: Some(met), landlock: Some(met) }
}

fn attempt(name: &'static str, expression: &str, met: Met) -> Case {
    case(name, format!("attempt(lambda: {expression})"), met)
}

fn refused_call(name: &'static str, number: i64, arguments: &str, met: Met) -> Case {
    attempt(name, &format!("system_call({number}, {arguments})"), met)
}
