//! The folders of one run, and the names under which the program in it finds them.
//!
//! ```text
//! level full:      /in /out /tmp, and further shown paths
//! landlock, none:  ⟨folder⟩/{in,out,tmp}, and shown paths at their own place; at `none` the machine's files too
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_sandbox::cancel::Cancel;
use gatepost_sandbox::network::{Access, Connectivity};
use gatepost_sandbox::{Confinement, View};

/// A folder with `in/`, `out/` and `tmp/` in it, in which one program runs at a time.
#[derive(Debug)]
pub struct Workplace {
    folder: PathBuf,
    input: PathBuf,
    output: PathBuf,
    tmp: PathBuf,
    level: SandboxLevel,
    read_only: Vec<(PathBuf, PathBuf)>,
    network: Connectivity,
}

impl Workplace {
    /// Makes the missing folders.
    pub fn make(folder: &Path, level: SandboxLevel) -> Result<Self, Fault> {
        for name in ["in", "out", "tmp"] {
            let folder = folder.join(name);
            fs::create_dir_all(&folder).on("create", &folder)?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            input: folder.join("in"),
            output: folder.join("out"),
            tmp: folder.join("tmp"),
            level,
            read_only: Vec::new(),
            network: Connectivity::None,
        })
    }

    /// Lets the program read `path`, under the name `at` if it sees no other; returns its name for the program.
    pub fn show(&mut self, path: &Path, at: &Path) -> PathBuf {
        self.read_only.push((path.to_owned(), at.to_owned()));
        match self.level {
            SandboxLevel::None | SandboxLevel::Landlock => path.to_owned(),
            SandboxLevel::Full => at.to_owned(),
        }
    }

    /// Connects the program to its granted network; a route's names are in its hosts file.
    pub fn connect(&mut self, access: Option<&Access>, stop: &Cancel) -> Result<(), Fault> {
        self.network = Connectivity::to(access, stop);
        if let Connectivity::Route(route) = &self.network {
            let hosts = self.folder.join("hosts");
            fs::write(&hosts, route.hosts()).on("write", &hosts)?;
            self.show(&hosts, Path::new("/etc/hosts"));
        }
        Ok(())
    }

    /// Whether there is a proxy for it.
    pub fn has_proxy(&self) -> bool {
        matches!(self.network, Connectivity::Proxy(_))
    }

    /// The folder of the workplace.
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

    /// The confinement of the program.
    pub fn confinement(&self) -> Confinement<'_> {
        let view = View { input: &self.input, output: &self.output, read_only: &self.read_only };
        let confinement = match self.level {
            SandboxLevel::None => Confinement::none(),
            SandboxLevel::Landlock => Confinement::landlock(view, &self.tmp),
            SandboxLevel::Full => Confinement::full(view),
        };
        confinement.with_network(&self.network)
    }
}
