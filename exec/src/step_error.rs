//! Why a step of the pipeline did not complete: a refusal of the request, or a fault.

use gatepost_documents::reason::Reason;
use gatepost_mailbox::fault::Fault;

/// A refusal is answered; a fault leaves the request in its state, to be retried.
#[derive(Debug)]
pub enum StepError {
    /// The request's own fault: every reason.
    Refused(Vec<Reason>),
    /// A fault of the machine.
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

/// The value of a step. Adds its reasons to `reasons`, so that one refusal can list all of them.
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
