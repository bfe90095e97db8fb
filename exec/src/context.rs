//! The context of all requests: site, configuration and machine.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_contract::config::Config;
use gatepost_contract::scope::Scope;
use gatepost_documents::evidence::{EnforcedLevel, Sandbox};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::site::Site;

use crate::mailbox::exec_log::{ExecLog, Step};
use crate::pins::PinFile;
use crate::policies::Policies;
use crate::policy::PolicySet;
use crate::program_version::Versions;
use crate::quota::Quota;
use crate::runs::Runs;
use crate::scan_id::ScanId;
use crate::secrets::Secrets;
use crate::sessions::Sessions;
use crate::toolbox::Toolbox;

/// A site, its configuration and its machine.
#[derive(Debug)]
pub struct Context {
    /// The site.
    pub site: Site,
    /// Its configuration.
    pub config: Config,
    /// The pins of its tools.
    pub pins: PinFile,
    /// The secrets of its tools.
    pub secrets: Secrets,
    /// Its manifests.
    pub toolbox: Toolbox,
    /// Its policies.
    pub policies: Policies,
    /// The open sessions.
    pub sessions: Sessions,
    /// The runs in progress.
    pub runs: Runs,
    /// The pages that users got.
    pub quota: Quota,
    /// The level of the tools' sandbox: the strongest that the machine offers, at least the configured minimum.
    pub sandbox_level: SandboxLevel,
    /// The layers that the trial of that level enforced.
    pub enforced: Sandbox,
    /// Why no tool can run here at that level, if so.
    pub sandbox_fault: Option<String>,
    /// The versions that the interpreters of command lines report.
    pub versions: Versions,
    /// The kernel's release.
    pub kernel: String,
    /// The wall clock.
    pub clock: fn() -> DateTime<Utc>,
    /// TOOL-EXEC's log. None if no request goes through the mailbox.
    pub exec_log: Option<ExecLog>,
}

impl Context {
    /// The context of a call, without a trial of the sandbox.
    #[allow(clippy::disallowed_methods, reason = "here the clock is chosen that is passed on")]
    pub fn new(site: Site, config: Config) -> Result<Self, Fault> {
        let kernel = gatepost_sandbox::kernel();
        let runs = Runs::new().on("make a cancel handle for", site.root())?;
        Ok(Self {
            pins: PinFile::of(&site),
            secrets: Secrets::of(&config.secrets),
            sessions: Sessions::new(config.exec.sessions_max),
            toolbox: Toolbox::at(&site),
            policies: Policies::at(&site),
            // Assumed until the trial.
            sandbox_level: config.sandbox.maximum,
            enforced: Sandbox {
                level: EnforcedLevel::None,
                layers: Vec::new(),
                kernel: kernel.clone(),
                launcher: None,
            },
            sandbox_fault: None,
            versions: Versions::default(),
            kernel,
            site,
            config,
            runs,
            quota: Quota::default(),
            clock: Utc::now,
            exec_log: None,
        })
    }

    /// Sets the strongest level that the machine offers, or the reason why the site allows none of them. The error is a
    /// temporary shortage of the machine, which prevents the trial.
    pub fn try_sandbox(&mut self) -> Result<(), Fault> {
        let allowed = &self.config.sandbox;
        match gatepost_sandbox::strongest(allowed.minimum, allowed.maximum) {
            Ok((level, enforced)) => (self.sandbox_level, self.enforced) = (level, enforced),
            Err(error) if error.is_shortage() => {
                let source = io::Error::other(error);
                return Err(Fault { operation: "try the sandbox in", path: self.site.root().to_owned(), source });
            }
            Err(error) => self.sandbox_fault = Some(error.to_string()),
        }
        Ok(())
    }

    /// The site's scope, read each time, so an operator's edit counts at once. While it is invalid, requests wait.
    pub fn scope(&self) -> Result<Scope, Fault> {
        let hint = "Correct scope/scope.toml; until then requests wait.";
        read_scope(&self.site)?.map_err(|reasons| unusable(self.site.scope(), &reasons, hint))
    }

    /// The site's present policies. While they are invalid, no decision is possible, and requests wait.
    pub fn policies(&self) -> Result<Arc<PolicySet>, Fault> {
        let reading = self.policies.read(&self.toolbox, &self.config.era.interpreters.all())?;
        let hint = "Run `gatepost policy check`, and correct every fault that it shows; until then requests wait.";
        reading.map_err(|reasons| unusable(self.site.policies(), &reasons, hint))
    }

    /// Why tools get no network here, if so, as a clause.
    pub fn network_fault(&self) -> Option<String> {
        if self.sandbox_level != SandboxLevel::Full {
            let level = self.sandbox_level.as_str();
            return Some(format!("tools run at level {level}, and only level full can restrict a network"));
        }
        gatepost_sandbox::bounds_network().err().map(str::to_owned)
    }

    /// Logs a step of a request, and fsyncs the log.
    pub fn note(&self, id: &RequestId, step: Step) -> Result<(), Fault> {
        self.exec_log.as_ref().map_or(Ok(()), |log| log.note(id, step, (self.clock)()))
    }

    /// The id for an execution that begins now.
    pub fn scan_id(&self) -> ScanId {
        let mut bytes = [0; 8];
        // The seeded kernel generator cannot fail for so few bytes.
        let _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
        ScanId { started: (self.clock)(), random: u64::from_ne_bytes(bytes) }
    }
}

/// The scope of a site, or all its faults. Without a file nothing is in scope.
pub fn read_scope(site: &Site) -> Result<Result<Scope, Vec<Reason>>, Fault> {
    let path = site.scope().join("scope.toml");
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Scope::parse(&text, "scope/scope.toml")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Ok(Scope::default())),
        Err(error) => Err(error).on("read", &path),
    }
}

/// The first fault in an operator's file.
fn unusable(path: PathBuf, reasons: &[Reason], hint: &str) -> Fault {
    let first = reasons.first().cloned();
    let reason = first.unwrap_or_else(|| Reason::new(Code::ValueInvalid, "It cannot be used.", ""));
    Fault::unusable(path, Reason { hint: hint.to_owned(), ..reason })
}
