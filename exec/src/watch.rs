//! Serves a site as TOOL-EXEC: the checks before the first claim, and the watcher until its end.
//!
//! *Security*: the lock is taken before anything is claimed; a core dump, which would hold secrets, is forbidden first.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gatepost_contract::config::Config;
use gatepost_contract::scope::Scope;
use gatepost_documents::exit;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::lock::{Lock, LockError};
use gatepost_mailbox::site::{CONFIG_FILE, Site};
use gatepost_mailbox::stops::Stops;

use crate::authorize::proofs::Signatories;
use crate::context::{Context, read_scope};
use crate::coordinator::{self, Ended, Mode, Tally};
use crate::layout;
use crate::policies::Policies;
use crate::policy::PolicySet;
use crate::stage::Stage;
use crate::toolbox::Toolbox;
use gatepost_mailbox::log::{Event, Level, Log};

/// The pause before the next trial of the sandbox: the first, the longest, and the longest for a run that ends by itself.
const SANDBOX_PAUSE: Duration = Duration::from_millis(100);
const SANDBOX_PAUSE_MAX: Duration = Duration::from_mins(1);
const SANDBOX_PAUSE_ONCE: Duration = Duration::from_millis(1_600);

/// The settings of a watcher.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The name of the lock's holder.
    pub name: &'static str,
    /// Whether it ends once all present items are processed.
    pub mode: Mode,
    /// Whether it stops when the process that started it ends.
    pub with_parent: bool,
    /// The log of its events.
    pub log: Log,
}

/// Why it does not start, or aborts.
#[derive(Debug)]
pub enum WatchError {
    /// A file of the operator is invalid: its name, or that of its folder, and all faults.
    Invalid(String, Vec<Reason>),
    /// Another process holds the lock.
    Lock(LockError),
    /// A fault of the machine.
    Fault(Fault),
}

impl WatchError {
    /// The exit status of a watcher that could not start.
    pub fn exit(&self) -> u8 {
        match self {
            Self::Invalid(..) => exit::PRECONDITION,
            Self::Lock(LockError::Held { .. }) => exit::UNAVAILABLE,
            Self::Lock(LockError::Fault(_)) | Self::Fault(_) => exit::GENERAL,
        }
    }
}

impl fmt::Display for WatchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(file, reasons) => {
                write!(out, "{file} is not valid")?;
                reasons.iter().try_for_each(|reason| write!(out, "; {reason}"))
            }
            Self::Lock(error) => error.fmt(out),
            Self::Fault(fault) => write!(out, "failed to {fault}"),
        }
    }
}

impl From<Fault> for WatchError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<LockError> for WatchError {
    fn from(error: LockError) -> Self {
        Self::Lock(error)
    }
}

/// The configuration of a site.
pub fn configuration(site: &Site) -> Result<Config, WatchError> {
    let invalid = |reasons| WatchError::Invalid(CONFIG_FILE.to_owned(), reasons);
    let text = std::fs::read_to_string(site.config_file()).map_err(|error| {
        let message = format!("{CONFIG_FILE} cannot be read: {error}.");
        invalid(vec![Reason::new(Code::ValueInvalid, message, "Make it a readable UTF-8 file.")])
    })?;
    Config::parse(&text, CONFIG_FILE).map_err(invalid)
}

/// The policies of a site.
pub fn policies(site: &Site, config: &Config) -> Result<Arc<PolicySet>, WatchError> {
    let reading = Policies::at(site).read(&Toolbox::at(site), &config.era.interpreters.all())?;
    reading.map_err(|reasons| {
        let file = reasons.first().and_then(|reason| reason.file.clone()).unwrap_or_default();
        let is_of_one = reasons.iter().all(|reason| reason.file.as_ref() == Some(&file));
        let target = if is_of_one { file } else { "policies/".to_owned() };
        WatchError::Invalid(target, reasons.to_vec())
    })
}

/// The permitted targets of tools.
pub fn scope(site: &Site) -> Result<Scope, WatchError> {
    read_scope(site)?.map_err(|reasons| WatchError::Invalid("scope/scope.toml".to_owned(), reasons))
}

/// Sets the umask, because bundles must have exact modes, and makes missing folders of the site.
pub fn prepare(site: &Site) -> Result<(), Fault> {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    site.check_folders()?;
    layout::complete(site)
}

/// Serves the site until no work is left, or a signal requests the end. The tally's signal says which.
pub fn run(site: &Site, config: Config, options: Options) -> Result<Tally, WatchError> {
    let Options { name, mode, with_parent, log } = options;
    Stage::Keys.begin(log);
    // Reports an invalid list of keys at once, not when the first request needs it.
    Signatories::read(site)?;
    gatepost_sandbox::forbid_core_dumps()?;
    Stage::Folders.begin(log);
    prepare(site)?;
    Stage::Policies.begin(log);
    let has_policies = !policies(site, &config)?.policies().is_empty();
    Stage::Scope.begin(log);
    scope(site)?;
    // Before the lock: another process that sees the lock held may send a signal.
    let mut stops = Stops::catch(with_parent).on("listen for signals in", Path::new("/proc/self"))?;
    let lock = Lock::take(&site.exec_lock(), &format!("process {}, {name}", std::process::id()))?;
    Stage::Sandbox.begin(log);
    gatepost_sandbox::claim_cgroup();
    if !has_policies {
        let message =
            "Every request will be refused, because policies/ holds no policy; `gatepost init` adds the starting ones";
        log.event(&Event::new("policies", "", message.to_owned()).at(Level::Warn));
    }
    warn_of_learn_mode(&config, log);
    let (mut context, mut tally) = (Context::new(site.clone(), config)?, Tally::default());
    loop {
        if let Some(signal) = wait_for_sandbox(&mut context, mode, &mut stops, log)? {
            return Ok(Tally { signal: Some(signal), faults: 0, ..tally });
        }
        if let Some(fault) = &context.sandbox_fault {
            let message = format!(
                "Every request will be refused, because tools cannot be run at the level that the site demands: {fault}"
            );
            log.event(&Event::new("sandbox", "", message).at(Level::Warn));
        }
        Stage::Inbox.begin(log);
        match coordinator::run(&mut context, (mode, tally), &lock, stops, &log)? {
            Ended::Whole(tally) => return Ok(tally),
            Ended::Reload(so_far, config, caught) => {
                drop(context);
                warn_of_learn_mode(&config, log);
                (context, tally, stops) = (Context::new(site.clone(), *config)?, so_far, caught);
            }
        }
    }
}

/// Warns if policies and scope are not enforced.
fn warn_of_learn_mode(config: &Config, log: Log) {
    if config.policy.is_learning() {
        let message = "learn mode is on: requests run that policies or scope would refuse; set [policy] mode = \"enforce\" to end it";
        log.event(&Event::new("learn_mode", "", message.to_owned()).at(Level::Warn));
    }
}

/// Retries the sandbox during a temporary shortage of the machine, until a signal, which it returns. A run that ends by itself
/// retries a few times only.
fn wait_for_sandbox(context: &mut Context, mode: Mode, stops: &mut Stops, log: Log) -> Result<Option<i32>, Fault> {
    let mut pause = SANDBOX_PAUSE;
    while let Err(fault) = context.try_sandbox() {
        if pause == SANDBOX_PAUSE {
            log.event(&Event::new("fault", "", format!("failed to {fault}; it will be retried")).at(Level::Error));
        }
        if mode == Mode::Once && pause > SANDBOX_PAUSE_ONCE {
            return Err(fault);
        }
        if let Some(signal) = stops.wait(Some(pause)).first().copied() {
            return Ok(Some(signal));
        }
        pause = (pause * 2).min(SANDBOX_PAUSE_MAX);
    }
    Ok(None)
}
