//! Cancels a request that waits for people, as `gatepost cancel` does: by an order that TOOL-EXEC takes.
//!
//! *Security*: TOOL-EXEC heeds an order in `var/exec/cancels` only if the user that dropped the request wrote it; this server is that user.

use gatepost_documents::id::RequestId;
use gatepost_mailbox::decision::{self, Decision, Kind};
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life::RequestState;
use gatepost_mailbox::order::reason_fault;

use crate::context::Context;
use crate::principal::Principal;
use crate::task::{self, Task};

/// What became of a cancellation.
#[derive(Debug)]
pub enum Cancelled {
    /// It is ordered: TOOL-EXEC answers the request with a refusal.
    Ordered,
    /// The request was answered before.
    Over(Box<Task>),
    /// TOOL-EXEC has not claimed it, so there is nothing to cancel yet.
    TooEarly,
    /// Its tool may run, and what it does cannot be taken back.
    Running,
    /// What is wrong with the reason, fitting the sentence "it {fault}".
    Reason(&'static str),
}

/// Orders that a request is cancelled; none if the principal never made it.
pub fn order(
    context: &Context,
    principal: &Principal,
    id: &RequestId,
    reason: &str,
) -> Result<Option<Cancelled>, Fault> {
    if !reason.is_empty()
        && let Some(fault) = reason_fault(reason)
    {
        return Ok(Some(Cancelled::Reason(fault)));
    }
    let Some(task) = task::of(context, principal, id, None)? else { return Ok(None) };
    if task.is_over() {
        return Ok(Some(Cancelled::Over(Box::new(task))));
    }
    Ok(Some(match task.progress.map(|progress| progress.state) {
        None | Some(RequestState::Dropped) => Cancelled::TooEarly,
        Some(RequestState::Running | RequestState::Judging) => Cancelled::Running,
        // One that is claimed may be set aside the next moment: TOOL-EXEC keeps the order until it knows.
        _ => {
            let decision = Decision { decision: Kind::Cancel, reason: reason.to_owned() };
            decision::order(&context.site, id, &decision)?;
            Cancelled::Ordered
        }
    }))
}
