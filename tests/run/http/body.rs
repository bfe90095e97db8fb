//! Bodies of responses: that of an error is told, and none is no failure.

use serde_json::json;

use super::server::{Server, response};
use super::{TOKEN, answer_of};
use crate::site::text;

#[test]
fn the_beginning_of_a_long_body_is_in_the_evidence_without_secrets_and_the_gate_takes_it() {
    let body = format!("{{\"token\": \"{TOKEN}\", \"pad\": \"{}\"}}", "é".repeat(20_000));
    let server = Server::new(move |_, to| to.write_all(response("404 Not Found", "", &body).as_bytes()));
    let http = "headers = { Authorization = \"Bearer {_secret:slack_token}\" }\nerror_status = [404]";
    let (site, bundle) = answer_of(&server, "", http, "json");
    assert!(bundle.0.starts_with(site.path("core/inbound")), "{:?}", site.reasons(&bundle.name()));
    let told = text(&bundle.evidence()["http_body"]);
    assert!(told.starts_with("{\"token\": \"[redacted:slack_token]\", \"pad\": \"éé") && !told.contains('\u{fffd}'));
    assert!((16_000..=16_384).contains(&told.len()), "{}", told.len());
}

#[test]
fn an_answer_without_a_body_is_a_success_where_its_status_is_one() {
    for (status, head) in [("204 No Content", ""), ("200 OK", "Content-Length: 0\r\n"), ("205 Reset Content", "")] {
        let server = Server::new(move |_, to| {
            to.write_all(format!("HTTP/1.1 {status}\r\n{head}Connection: close\r\n\r\n").as_bytes())
        });
        let (_site, bundle) = answer_of(&server, "", "success_status = [200, 204, 205]", "json");
        let evidence = bundle.evidence();
        assert_eq!((bundle.code(), &evidence["results"]), (String::new(), &json!({})), "{status}: {evidence:#}");
        assert!(evidence.get("http_body").is_none());
    }
}
