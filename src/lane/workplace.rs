//! The folders of one run, and the names under which the program in it finds them.
//!
//! ```text
//! level full:      /in /out /tmp /tools, and whatever the manifest lists
//! landlock, none:  ⟨folder⟩/{in,out,tmp}, the site's tools/, and whatever the manifest lists, each where it lies
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_gate::fault::{Fault, OnPath};

use crate::config::SandboxLevel;
use crate::sandbox::{Confinement, View};

const TOOLS: &str = "/tools";

/// A folder with `in/`, `out/` and `tmp/` in it, in which one program runs at a time.
#[derive(Debug)]
pub struct Workplace {
    folder: PathBuf,
    input: PathBuf,
    output: PathBuf,
    tmp: PathBuf,
    tools: PathBuf,
    level: SandboxLevel,
    read_only: Vec<(PathBuf, PathBuf)>,
}

impl Workplace {
    /// Makes what is missing of the folders. `tools` is the site's folder of manifests and scripts.
    pub fn make(folder: &Path, tools: &Path, level: SandboxLevel) -> Result<Self, Fault> {
        for name in ["in", "out", "tmp"] {
            let folder = folder.join(name);
            fs::create_dir_all(&folder).on("create", &folder)?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            input: folder.join("in"),
            output: folder.join("out"),
            tmp: folder.join("tmp"),
            tools: tools.to_owned(),
            level,
            read_only: vec![(tools.to_owned(), TOOLS.into())],
        })
    }

    /// Lets the program read what lies at `path`, under the name `at` if it sees no other; returns the name that holds.
    pub fn show(&mut self, path: &Path, at: &Path) -> PathBuf {
        self.read_only.push((path.to_owned(), at.to_owned()));
        match self.level {
            SandboxLevel::None | SandboxLevel::Landlock => path.to_owned(),
            SandboxLevel::Full => at.to_owned(),
        }
    }

    /// The folder that was given.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder in which the program finds `in/`, `out/` and `tmp/`.
    pub fn inside(&self) -> &Path {
        match self.level {
            SandboxLevel::None | SandboxLevel::Landlock => &self.folder,
            SandboxLevel::Full => Path::new("/"),
        }
    }

    /// Where the program finds the site's tools.
    pub fn tools(&self) -> &Path {
        match self.level {
            SandboxLevel::None | SandboxLevel::Landlock => &self.tools,
            SandboxLevel::Full => Path::new(TOOLS),
        }
    }

    /// How the program is held.
    pub fn confinement(&self) -> Confinement<'_> {
        let view = View { input: &self.input, output: &self.output, read_only: &self.read_only };
        match self.level {
            SandboxLevel::None => Confinement::none(),
            SandboxLevel::Landlock => Confinement::landlock(view, &self.tmp),
            SandboxLevel::Full => Confinement::full(view),
        }
    }
}
