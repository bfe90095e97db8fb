//! Why a step of the pipeline did not complete: a refusal of the request, or a fault.

use gatepost_documents::reason::Reason;
use gatepost_mailbox::fault::Fault;

/// A refusal is answered; a fault leaves the request where it is, to be tried again.
#[derive(Debug)]
pub enum StepError {
    /// The request's own fault: every reason.
    Refused(Vec<Reason>),
    /// The world's.
    Fault(Fault),
}

impl From<Fault> for StepError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Reason> for StepError {
    fn from(reason: Reason) -> Self {
        Self::Refused(vec![reason])
    }
}

impl From<Vec<Reason>> for StepError {
    fn from(reasons: Vec<Reason>) -> Self {
        Self::Refused(reasons)
    }
}

/// What a step made. Its reasons are added to `reasons`, so that all that is wrong can be said at once.
pub fn gather<T>(step: Result<T, StepError>, reasons: &mut Vec<Reason>) -> Result<Option<T>, Fault> {
    match step {
        Ok(made) => Ok(Some(made)),
        Err(StepError::Refused(more)) => {
            reasons.extend(more);
            Ok(None)
        }
        Err(StepError::Fault(fault)) => Err(fault),
    }
}
