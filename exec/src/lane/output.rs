//! From the output of a lane's program to results: bounded in bytes, levels and values.
//!
//! *Security*: reads all that the program wrote. *Standards*: ToolClad, "Output & Evidence".

use gatepost_contract::parser::{Builtin, RAW_BYTES_MAX};
use gatepost_documents::evidence::{Failure, FailureCode, RESULTS_BYTES_MAX};
use serde_json::Value;

use crate::lane::auxiliary::Output;
use crate::lane::ending::failure;

/// The most bytes of output that are read.
pub(super) const OUTPUT_BYTES_MAX: u64 = RAW_BYTES_MAX as u64;

/// The results in the output of the tool `name`.
pub(super) fn parsed(output: Output, parser: Builtin, schema: &Value, name: &str) -> Result<Value, Failure> {
    let unreadable = |message| broken(FailureCode::OutputParseFailed, name, message);
    let bytes = output.map_err(unreadable)?;
    parser.parse(&bytes, schema).map_err(|error| unreadable(format!("The output has no results: {error}.")))
}

/// The results, if they are not too large.
pub(super) fn reported(results: Value, name: &str) -> Result<Value, Failure> {
    let size = serde_json::to_vec(&results).map_or(usize::MAX, |bytes| bytes.len());
    if size > RESULTS_BYTES_MAX {
        let message =
            format!("The parsed results have {size} bytes as JSON; at most {RESULTS_BYTES_MAX} are reported.");
        return Err(broken(FailureCode::OutputLimit, name, message));
    }
    Ok(results)
}

/// The failure of output that breaks its contract.
pub(super) fn broken(code: FailureCode, name: &str, message: String) -> Failure {
    failure(code, "parse", name, message, "The raw output is kept as an artifact.")
}
