//! A requester whose arguments look like what gatepost's own worker says of the call.

use serde_json::Value;

use super::server::Server;
use super::{answered, get, site};
use crate::site::text;

#[test]
fn a_value_of_the_requester_changes_nothing_of_what_the_worker_says() {
    let server = Server::new(|request, to| {
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        let sent = text(&serde_json::from_str::<Value>(body).unwrap()["a"]);
        let echo = format!("Content-Length: 249\r\nX-Echo: {}\r\n", sent.replace('\n', " "));
        to.write_all(format!("HTTP/1.1 403 Forbidden\r\n{echo}\r\n{sent:249}").as_bytes())
    });
    let site = site(&server);
    let http = "headers = { Content-Type = \"application/json\" }\nbody_template = '{\"a\": \"{a}\"}'";
    let argument = "[args.a]\ntype = \"string\"\nrequired = true\nsensitive = true\nsanitize = []\n";
    get(&site, &server, argument, &http.replace("headers", "success_status = [200, 249]\nheaders"), "text");
    for value in ["HTTP/1.1", "response-head", "403 Forbidden", "1 403 Forbidden\ncontent-length:"] {
        let bundle = answered(&site, "get", &[&format!("a={value}")]);
        assert_eq!(bundle.code(), "HTTP_UNEXPECTED_STATUS", "{value:?}: {}", bundle.document());
        assert_eq!(bundle.evidence()["http_status"], 403, "{value:?}");
        let head = bundle.read("artifacts/out/response-head.txt");
        let headers = head.strip_prefix("HTTP/1.1 403 Forbidden\n").unwrap();
        assert!(headers.contains("[redacted:a]") && !headers.contains(value), "{value:?}: {head}");
        let body = bundle.read("artifacts/stdout.txt");
        assert!(body.contains("[redacted:a]") && !body.contains(value), "{value:?}: {body}");
    }
}
