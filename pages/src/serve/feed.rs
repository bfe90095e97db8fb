//! The requests that wait for people, as a feed.
//!
//! *Security*: titles and texts are hostile input, sent as plain text. *Standards*: JSON Feed 1.1.

use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use gatepost_mailbox::life::{RequestState, Row, shown_name};
use serde_json::{Value, json};

use super::index::Known;

/// The feed. Its addresses use the host of the request.
pub(super) struct Feed(Value);

impl Feed {
    pub(super) fn of(known: &Known, headers: &HeaderMap) -> Self {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
        let rows = known.entries.iter().map(|entry| &entry.row);
        let waiting = rows.filter(|row| row.state == RequestState::Pending);
        Self(json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": "Requests that wait for approval",
            "home_page_url": format!("http://{host}/?state=pending"),
            "items": waiting.map(|row| item(row, host)).collect::<Vec<_>>(),
        }))
    }
}

fn item(row: &Row, host: &str) -> Value {
    let until = row.pending_until.as_deref().unwrap_or_default();
    let lines = [format!("Purpose: {}", row.purpose), row.waits_for.join("\n"), format!("Waits until {until}.")];
    let mut item = json!({
        "id": row.request_id,
        "url": format!("http://{host}/requests/{}", row.request_id),
        "title": format!("{} asks for {}", shown_name(&row.requested_by), shown_name(&row.tool)),
        "content_text": lines.join("\n"),
    });
    if let Some(dropped) = &row.dropped_utc {
        item["date_published"] = dropped.as_str().into();
    }
    item
}

impl IntoResponse for Feed {
    fn into_response(self) -> Response {
        let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/feed+json"))];
        (kind, self.0.to_string()).into_response()
    }
}
