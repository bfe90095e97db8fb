//! Cancels a request, as `gatepost cancel` does: with an order to TOOL-EXEC.
//!
//! *Security*: TOOL-EXEC obeys an order in `var/exec/cancels` only from the user that dropped the request; this server is that user.

use gatepost_documents::id::RequestId;
use gatepost_mailbox::decision::{self, Decision, Kind};
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life::RequestState;
use gatepost_mailbox::order::reason_fault;

use crate::context::Context;
use crate::principal::Principal;
use crate::task::{self, Task};

/// The outcome of a cancellation.
#[derive(Debug)]
pub enum Cancelled {
    /// Ordered: TOOL-EXEC refuses the request, or stops its tool.
    Ordered,
    /// The request was answered before.
    Over(Box<Task>),
    /// Its tool has ended, and the gate judges the result.
    TooLate,
    /// The fault of the reason, fitting the sentence "it {fault}".
    Reason(&'static str),
}

/// Orders the cancellation of a request; none if the principal never made it.
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
    if task.progress.is_some_and(|progress| progress.state == RequestState::Judging) {
        return Ok(Some(Cancelled::TooLate));
    }
    decision::order(&context.site, id, &Decision::new(Kind::Cancel, reason, id))?;
    Ok(Some(Cancelled::Ordered))
}
