//! The call of an MCP server's tool, or the HTTP request, is the one that the manifest describes; its answer was
//! handled as the manifest says; and a call handed back to the caller is a callback.

use super::HINT;
use crate::bundle::{Bundle, Role};
use crate::consistency;
use crate::manifest::{Http, Manifest, Mcp};
use gatepost_documents::evidence::{Backend, Evidence, FailureCode, Status};
use gatepost_documents::reason::{Code, Reason};
use serde_json::Value;

/// Every difference between the call in the evidence and the manifest's.
pub(super) fn faults(bundle: &Bundle, evidence: &Evidence, manifest: Option<&Manifest>) -> Vec<Reason> {
    let manifest = manifest.filter(|_| !consistency::is_without_call(evidence));
    let is_callback = manifest.is_some_and(|manifest| manifest.is_callback);
    let expected = manifest.and_then(|manifest| manifest.mcp.as_ref());
    let http = manifest.and_then(|manifest| manifest.http.as_ref());
    let rules = [
        (
            evidence.status != Status::Delegated || is_callback,
            "The call was delegated, but its manifest is not a callback.",
        ),
        (
            !is_callback || evidence.status == Status::Delegated || consistency::is_untouched(evidence),
            "The tool ran, but its manifest is a callback.",
        ),
        (
            evidence.mcp_server.as_ref() == expected.map(|mcp| &mcp.server),
            "The MCP server differs from the one in the manifest.",
        ),
        (
            evidence.mcp_tool.as_ref() == expected.map(|mcp| &mcp.tool),
            "The MCP tool differs from the one in the manifest.",
        ),
        (
            evidence.worker.as_ref().map(|worker| worker.name.as_str()) == worker(evidence, manifest),
            "The worker is not the one that the manifest or the lane requires.",
        ),
        (has_arguments(evidence, expected), "The arguments of the MCP tool differ from those of the request."),
        (has_argv(evidence, expected), "The argument vector is not the call of the manifest's MCP tool."),
        (
            http.is_none_or(|http| has_reached(evidence, http)),
            "The tool reached another destination than the manifest's URL.",
        ),
        (
            http.is_none_or(|http| has_url(evidence, http)),
            "The argument vector does not match the manifest's method and URL.",
        ),
        (
            http.is_none() || evidence.http_status.is_none() || evidence.http_status == answered(bundle),
            "The HTTP status differs from the one in response-head.txt.",
        ),
        (http.is_none_or(|http| has_cause(evidence, http)), "The HTTP status does not match the error."),
    ];
    let reason = |message: &str| Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE);
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, message)| reason(message)).collect()
}

/// The gatepost program that runs in place of a tool's. TOOL-EXEC alone says which file that was.
fn worker(evidence: &Evidence, manifest: Option<&Manifest>) -> Option<&'static str> {
    match manifest {
        _ if consistency::is_refusal(evidence) || manifest.is_some_and(|manifest| manifest.is_callback) => None,
        None if evidence.backend == Backend::Monty => Some("gatepost-worker-monty"),
        None if evidence.backend == Backend::Fetch => Some("gatepost-worker-http"),
        Some(Manifest { http: Some(_), .. }) => Some("gatepost-worker-http"),
        Some(Manifest { mcp: Some(_), .. }) => Some("gatepost-worker-mcp"),
        Some(Manifest { visits: Some(_), .. }) => Some("gatepost-worker-browser"),
        _ => None,
    }
}

/// Whether the argument vector is the call as shown; without a call it is empty.
fn has_argv(evidence: &Evidence, expected: Option<&Mcp>) -> bool {
    let is_call = |mcp: &Mcp| evidence.argv == ["tools/call", &mcp.server, &mcp.tool];
    expected.is_none_or(is_call) || (evidence.argv.is_empty() && evidence.status != Status::Success)
}

/// Whether only the host and port of the URL were reached.
fn has_reached(evidence: &Evidence, http: &Http) -> bool {
    let destination = http.destination().map(|destination| destination.to_string());
    evidence.network.destinations.iter().all(|reached| Some(reached) == destination.as_ref())
}

/// Whether the argument vector is a method and a URL that the manifest's template can produce.
fn has_url(evidence: &Evidence, http: &Http) -> bool {
    match evidence.argv.as_slice() {
        [] => evidence.status != Status::Success,
        [method, url] => *method == http.method && http.can_be(url),
        _ => false,
    }
}

/// The status of the response whose head is in the bundle.
fn answered(bundle: &Bundle) -> Option<u16> {
    let line = std::str::from_utf8(bundle.bytes.get(&Role::ResponseHead)?).ok()?.lines().next()?;
    let line = ["HTTP/1.1 ", "HTTP/1.0 "].iter().find_map(|version| line.strip_prefix(version))?;
    line.split(' ').next()?.parse().ok()
}

/// Whether an error caused by a status has a status that the manifest treats as one.
fn has_cause(evidence: &Evidence, http: &Http) -> bool {
    let is_listed = |status| http.error_status.contains(&status);
    let is_failure = |status| !http.is_success(status) && !is_listed(status);
    match evidence.error.as_ref().map(|error| &error.code) {
        Some(FailureCode::HttpErrorStatus) => evidence.http_status.is_some_and(is_listed),
        Some(FailureCode::HttpUnexpectedStatus) => evidence.http_status.is_some_and(is_failure),
        _ => true,
    }
}

/// Whether exactly the arguments are present, each under its upstream name.
fn has_arguments(evidence: &Evidence, expected: Option<&Mcp>) -> bool {
    let (Some(found), Some(mcp)) = (&evidence.mcp_args, expected) else {
        return evidence.mcp_args.is_some() == expected.is_some();
    };
    let is_there = |(name, value): (&String, &Value)| {
        let field = mcp.field_map.get(name).unwrap_or(name);
        found.get(field).is_some_and(|found| found == value || is_typed(found, value.as_str().unwrap_or_default()))
    };
    found.len() == evidence.arguments.len() && evidence.arguments.iter().all(is_there)
}

/// Whether a number or a boolean equals the one that a text spells.
fn is_typed(found: &Value, text: &str) -> bool {
    match found {
        Value::Bool(found) => text.parse() == Ok(*found),
        Value::Number(found) => match (found.as_i64(), text.parse::<i64>()) {
            (Some(found), Ok(text)) => found == text,
            _ => found.as_f64().is_some() && found.as_f64() == text.parse().ok(),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_documents::evidence::{Failure, FailureKind, Worker};

    const HTTP: &str = "[tool]\nname = 'line-count'\nversion = '1'\n[output.schema]\n[http]\nmethod = 'GET'\nurl = 'https://a.org/x'\nerror_status = [404]";
    const MCP: &str = "[tool]\nname = 'line-count'\nversion = '1'\n[output.schema]\n[mcp]\nserver = 's'\ntool = 't'";

    fn evidence(worker: &str) -> Evidence {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/vectors/base/success/TS-20260209-161030Z-TR-20260209-160501Z-line-count/evidence.json"
        );
        let read: Evidence = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        Evidence { worker: Some(Worker { name: worker.to_owned(), sha256: read.request_sha256 }), ..read }
    }

    #[test]
    fn the_worker_is_the_one_of_the_manifest() {
        let message = "The worker is not the one that the manifest or the lane requires.".to_owned();
        let [http, mcp] = ["gatepost-worker-http", "gatepost-worker-mcp"].map(evidence);
        let none = Evidence { worker: None, ..http.clone() };
        for (evidence, manifest, holds) in
            [(&http, HTTP, true), (&mcp, HTTP, false), (&none, HTTP, false), (&mcp, MCP, true), (&http, MCP, false)]
        {
            assert_eq!(messages(evidence, manifest, "").contains(&message), !holds, "{manifest}");
        }
    }

    fn messages(evidence: &Evidence, manifest: &str, head: &str) -> Vec<String> {
        let manifest = Manifest::read(manifest.as_bytes()).unwrap();
        let bundle = Bundle { bytes: [(Role::ResponseHead, head.into())].into(), ..Bundle::default() };
        faults(&bundle, evidence, Some(&manifest)).into_iter().map(|reason| reason.message).collect()
    }

    #[test]
    fn a_request_of_http_reached_the_url_and_failed_for_its_status() {
        let answered = |code: Option<FailureCode>, status, reached: &str| {
            let mut evidence = evidence("gatepost-worker-http");
            evidence.network.destinations = vec![reached.to_owned()];
            evidence.http_status = Some(status);
            evidence.argv = vec!["GET".to_owned(), "https://a.org/x".to_owned()];
            let failure = |code| Failure {
                code,
                message: String::new(),
                hint: String::new(),
                kind: FailureKind::Runtime,
                operation: String::new(),
                reasons: Vec::new(),
                target: String::new(),
                retryable: false,
            };
            evidence.error = code.map(failure);
            messages(&evidence, HTTP, &format!("HTTP/1.1 {status} Whatever\nx: y\n"))
        };
        let (listed, unexpected) = (Some(FailureCode::HttpErrorStatus), Some(FailureCode::HttpUnexpectedStatus));
        for (code, status) in [(None, 200), (listed, 404), (unexpected, 500), (Some(FailureCode::Timeout), 500)] {
            assert!(answered(code, status, "a.org:443").is_empty(), "{status}");
        }
        for (code, status) in [(listed, 500), (listed, 200), (unexpected, 404), (unexpected, 200)] {
            let messages = answered(code, status, "a.org:443");
            assert_eq!(messages, ["The HTTP status does not match the error."], "{status}");
        }
        for reached in ["a.org:80", "b.org:443"] {
            assert_eq!(answered(None, 200, reached), ["The tool reached another destination than the manifest's URL."]);
        }
    }

    #[test]
    fn a_request_of_http_is_the_manifests_and_its_status_that_of_its_response() {
        let found = |argv: &[&str], head: &str| {
            let argv = argv.iter().map(|&word| word.to_owned()).collect();
            let mut evidence = Evidence { argv, http_status: Some(200), ..evidence("gatepost-worker-http") };
            evidence.network.destinations = vec!["a.org:443".to_owned()];
            messages(&evidence, HTTP, head)
        };
        let (good, head) = (["GET", "https://a.org/x"], "HTTP/1.1 200 OK\n");
        assert!(found(&good, head).is_empty());
        for argv in [["GET", "https://a.org/y"].as_slice(), &["POST", "https://a.org/x"], &["GET"], &[]] {
            let expected = ["The argument vector does not match the manifest's method and URL."];
            assert_eq!(found(argv, head), expected, "{argv:?}");
        }
        for head in ["HTTP/1.1 201 OK\n", "", "HTTP/1.[redacted:a] 200\n", "x: y\nHTTP/1.1 200 OK\n"] {
            assert_eq!(found(&good, head), ["The HTTP status differs from the one in response-head.txt."], "{head}");
        }
    }

    #[test]
    fn the_argument_vector_of_mcp_names_the_manifests_tool() {
        let called = |argv: &[&str]| {
            let arguments = serde_json::json!({});
            let mut evidence = Evidence {
                argv: argv.iter().map(|&word| word.to_owned()).collect(),
                mcp_server: Some("s".to_owned()),
                mcp_tool: Some("t".to_owned()),
                mcp_args: arguments.as_object().cloned(),
                ..evidence("gatepost-worker-mcp")
            };
            evidence.arguments.clear();
            messages(&evidence, MCP, "")
        };
        assert!(called(&["tools/call", "s", "t"]).is_empty());
        for argv in [["tools/call", "s", "u"].as_slice(), &["tools/call", "s"], &["x", "s", "t"]] {
            assert_eq!(called(argv), ["The argument vector is not the call of the manifest's MCP tool."]);
        }
    }
}
