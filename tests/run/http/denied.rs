//! Calls that a policy denies.

use std::fs;

use serde_json::json;

use super::server::{Server, response};
use super::{SLACK, site};
use crate::site::Request;

#[test]
fn a_denied_call_reaches_nobody_and_its_evidence_has_the_arguments_unless_they_are_long() {
    let server = Server::new(|_, to| to.write_all(response("200 OK", "", "{}").as_bytes()));
    let site = site(&server);
    let manifest = SLACK.replacen("description = \"Message", "max_length = 30000\ndescription = \"Message", 1);
    site.manifest("slack_post_message", &manifest.replace("slack.com", &server.destination()));
    fs::write(site.path("policies/own.cedar"), "@id(\"none\")\nforbid (principal, action, resource);\n").unwrap();
    for (slug, message, has_arguments) in [("short", "é".to_owned(), true), ("long", "字".repeat(30_000), false)] {
        let Request { id, .. } = Request::call(slug, "slack_post_message");
        // Long arguments have room in the JSON form alone.
        let request = json!({
            "request_type": "tool_request", "schema_version": 2, "request_id": id, "created_utc": "2026-02-09T16:05:01Z",
            "requested_by": "human", "purpose": "See", "backend": "clad", "tool": "slack_post_message",
            "args": {"channel": "C01", "message": message},
            "network": "allowlist", "network_allowlist": [server.destination()],
        });
        fs::write(site.path("inbox").join(format!("{id}.json")), request.to_string()).unwrap();
        site.up();
        let bundle = site.result(&id);
        let evidence = bundle.evidence();
        assert_eq!(evidence["policy"]["decision"], "denied", "{evidence:#}");
        assert_eq!(evidence["arguments"]["channel"].is_string(), has_arguments);
        assert_eq!(evidence["http_method"].is_string(), has_arguments);
        assert_eq!(evidence["worker"], json!(null));
    }
    assert!(server.requests().is_empty());
}
