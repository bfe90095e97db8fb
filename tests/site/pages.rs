//! Requests for pages.

use std::fs;

use super::Site;

impl Site {
    /// Drops a request for these URLs; `lines` are further keys. The id.
    pub(crate) fn ask_for_pages(&self, slug: &str, urls: &[String], lines: &str) -> String {
        self.drop_fetch(slug, &format!("urls: {urls:?}\n{lines}"))
    }

    /// Drops a request of the lane `fetch` with these keys of its own. The id.
    pub(crate) fn drop_fetch(&self, slug: &str, lines: &str) -> String {
        let now = chrono::Utc::now();
        let id = format!("TR-{}-{slug}", now.format("%Y%m%d-%H%M%SZ"));
        let document = format!(
            "---\nrequest_type: tool_request\nschema_version: 2\nrequest_id: \"{id}\"\ncreated_utc: \"{}\"\nrequested_by: core_draft\n\
             purpose: Read about gates\nbackend: fetch\n{lines}---\n",
            now.format("%Y-%m-%dT%H:%M:%SZ")
        );
        let hidden = self.path("inbox").join(format!(".{id}"));
        fs::write(&hidden, document).unwrap();
        fs::rename(hidden, self.path("inbox").join(format!("{id}.md"))).unwrap();
        id
    }
}
