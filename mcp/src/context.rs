//! The shared context of all calls: the site, its catalog, the limits, the clock.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_contract::config::McpServer;
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life::{Progress, RequestState, Results};
use gatepost_mailbox::site::Site;

use crate::catalog::Reader;
use crate::note::Notes;
use crate::principal::Name;

/// The shared context of all calls.
#[derive(Debug)]
pub struct Context {
    /// The site.
    pub site: Site,
    /// The catalog of the site.
    pub catalog: Reader,
    /// The limits of a principal.
    pub limits: McpServer,
    /// The time now.
    pub clock: fn() -> DateTime<Utc>,
}

impl Context {
    /// The notes of a principal.
    pub fn notes(&self, name: &Name) -> Result<Notes, Fault> {
        Notes::of(&self.site, name)
    }

    /// How long a call waits before it becomes a task.
    pub fn grace(&self) -> Duration {
        Duration::from_secs(self.limits.grace_seconds)
    }

    /// The state of a request. With a hint of its result no folder is listed; without one they are listed only after
    /// the request has left TOOL-EXEC.
    pub fn progress(&self, id: &RequestId, hint: Option<&ResultId>) -> Result<Option<Progress>, Fault> {
        let is_placed = |progress: &Progress| match progress.state {
            RequestState::Dropped | RequestState::Claimed | RequestState::Pending | RequestState::Running => true,
            _ => progress.result_id.is_some() && progress.is_final(),
        };
        if let Some(hint) = hint
            && let Some(progress) = Results::named(&self.site, hint).progress(&self.site, id)?.filter(is_placed)
        {
            return Ok(Some(progress));
        }
        if let Some(progress) = Results::none().progress(&self.site, id)?.filter(is_placed)
            && !progress.is_final()
        {
            return Ok(Some(progress));
        }
        Results::of(&self.site, id)?.progress(&self.site, id)
    }
}
