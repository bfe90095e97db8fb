//! What is made of the answers of servers that are right in what matters.

use serde_json::json;

use super::meeting;

#[test]
fn no_answer_is_lost_for_what_is_no_part_of_it() {
    for (manner, anomaly) in [
        ("hints", Some("1 of the result's 2 items of content are not text")),
        ("nulls", None),
        ("neighbours", None),
        ("unfit", Some("does not fit the output schema that the server itself lists")),
    ] {
        let (bundle, _site) = meeting(manner);
        let evidence = bundle.evidence();
        assert_eq!(
            (&evidence["status"], &evidence["exit_code"]),
            (&json!("success"), &json!(0)),
            "{manner}: {evidence:#}"
        );
        assert_eq!(evidence["results"]["number"], 7, "{manner}");
        let anomalies = evidence["anomalies"].as_array().unwrap();
        assert_eq!(anomalies.len(), usize::from(anomaly.is_some()), "{manner}: {anomalies:?}");
        assert!(anomaly.is_none_or(|said| anomalies[0].as_str().unwrap().contains(said)), "{manner}: {anomalies:?}");
    }
}

#[test]
fn the_raw_output_is_the_servers_bytes() {
    let (bundle, _site) = meeting("digits");
    assert_eq!(bundle.evidence()["results"]["number"].to_string(), "123456789012345678901234567890");
    let raw = bundle.read("artifacts/stdout.txt");
    assert!(
        raw.starts_with("{\"content\": [") && raw.contains("\"number\":  123456789012345678901234567890,"),
        "{raw}"
    );
}
