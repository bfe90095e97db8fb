//! Finds a site, and opens it with its configuration.

use std::io;
use std::path::Path;

use gatepost_contract::config::Config;
use gatepost_exec::shell;
use gatepost_exec::watch;
use gatepost_mailbox::fault::OnPath as _;
use gatepost_mailbox::site::{CONFIG_FILE, Site};

use super::error_code::ErrorCode;
use super::failure::Failure;
use crate::cli::failure_kind::FailureKind;

/// A site with its configuration.
#[derive(Debug, Clone)]
pub(super) struct Open {
    /// The folders.
    pub site: Site,
    /// `gatepost.toml`.
    pub config: Config,
}

/// The site at `at`, or the nearest one above the working directory; its format has to be known to this version.
pub(super) fn find(at: Option<&Path>) -> Result<Site, Failure> {
    let site = configured(at)?;
    check_format(&site, ErrorCode::InitRequired)?;
    Ok(site)
}

/// Checks that this version knows the format of the site; otherwise fails with this code.
pub(super) fn check_format(site: &Site, code: ErrorCode) -> Result<(), Failure> {
    site.check_format().map_err(|why| {
        let hint = "Use the version of gatepost that serves the site; nothing of it was changed.";
        let message = format!("The form of the site is unknown: {why}.");
        Failure::new(code, FailureKind::Usage, message, hint).during("find_site", site.root().display().to_string())
    })
}

/// The folder that contains a site's configuration.
fn configured(at: Option<&Path>) -> Result<Site, Failure> {
    let missing = |message: String| Failure {
        fix_command: Some(match at {
            Some(at) => shell::line(["gatepost", "--site", &at.to_string_lossy(), "init"]),
            None => "gatepost init".to_owned(),
        }),
        ..Failure::new(ErrorCode::InitRequired, FailureKind::Usage, message, "A site is a folder with a gatepost.toml.")
            .during("find_site", at.unwrap_or(Path::new(".")).display().to_string())
    };
    let here = std::env::current_dir()
        .map_err(|error| missing(format!("The working directory no longer exists: {error}.")))?;
    match at {
        Some(at) => {
            let root = here.join(at);
            let config = root.join(CONFIG_FILE);
            let is_site = match config.metadata() {
                // This user may not know whether it is a site.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error).on("look at", &config)?,
                found => found.is_ok_and(|found| found.is_file()),
            };
            let site = root.canonicalize().ok().filter(|_| is_site).map(Site::at);
            site.ok_or_else(|| missing(format!("{} is not a gatepost site: it has no {CONFIG_FILE}.", at.display())))
        }
        None => Site::find(&here).ok_or_else(|| missing(format!("No {CONFIG_FILE} here or in any folder above."))),
    }
}

/// The site, if one is named or found.
pub(super) fn find_if_any(at: Option<&Path>) -> Result<Option<Site>, Failure> {
    match configured(at) {
        Ok(site) => check_format(&site, ErrorCode::InitRequired).map(|()| Some(site)),
        Err(failure) => at.map_or(Ok(None), |_| Err(failure)),
    }
}

/// The site with its configuration read.
pub(super) fn open(at: Option<&Path>) -> Result<Open, Failure> {
    let site = find(at)?;
    let config = watch::configuration(&site)?;
    Ok(Open { site, config })
}
