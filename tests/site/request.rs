//! A request for the lane clad, put together piece by piece.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::digest::Digest;
use serde_json::Value;

/// A request for the lane clad, to be written as markdown.
#[derive(Clone)]
pub(crate) struct Request {
    pub id: String,
    created: DateTime<Utc>,
    tool: String,
    args: BTreeMap<String, String>,
    inputs: Vec<(String, Vec<u8>)>,
    undeclared: Vec<(String, Vec<u8>)>,
    lines: String,
    /// It asks for this page, and for no tool.
    page: Option<String>,
}

impl Request {
    pub(crate) fn call(slug: &str, tool: &str) -> Self {
        Self::created(Utc::now(), slug, tool)
    }

    pub(crate) fn created(created: DateTime<Utc>, slug: &str, tool: &str) -> Self {
        Self {
            id: format!("TR-{}-{slug}", created.format("%Y%m%d-%H%M%SZ")),
            created,
            tool: tool.to_owned(),
            args: BTreeMap::new(),
            inputs: Vec::new(),
            undeclared: Vec::new(),
            lines: String::new(),
            page: None,
        }
    }

    /// A request for a page of the web.
    #[allow(dead_code, reason = "not every program of tests that shares this asks")]
    pub(crate) fn page(slug: &str, url: &str) -> Self {
        Self { page: Some(url.to_owned()), ..Self::call(slug, "") }
    }

    /// A good request that comes as one file.
    pub(crate) fn file(slug: &str) -> Self {
        Self::call(slug, "fail_with").arg("status", "0")
    }

    /// A good request that comes as a folder with an input.
    pub(crate) fn folder(slug: &str) -> Self {
        Self::call(slug, "line_count").arg("file", "lines.txt").input("lines.txt", b"one\ntwo\n")
    }

    pub(crate) fn arg(mut self, name: &str, value: &str) -> Self {
        self.args.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn input(mut self, name: &str, bytes: &[u8]) -> Self {
        self.inputs.push((name.to_owned(), bytes.to_vec()));
        self
    }

    /// A file in `in/` that the request does not speak of.
    pub(crate) fn undeclared(mut self, name: &str, bytes: &[u8]) -> Self {
        self.undeclared.push((name.to_owned(), bytes.to_vec()));
        self
    }

    /// One more line of the front matter.
    pub(crate) fn line(mut self, line: &str) -> Self {
        self.lines += &format!("{line}\n");
        self
    }

    /// What is to be done in a session or with a browser: each a command and its arguments, a map.
    #[allow(dead_code, reason = "not every program of tests that shares this asks")]
    pub(crate) fn interactions(self, interactions: &[(&str, Value)]) -> Self {
        let mut lines = String::from("interactions:");
        for (command, args) in interactions {
            write!(lines, "\n  - command: {command}").unwrap();
            let args = args.as_object().unwrap();
            if !args.is_empty() {
                lines.push_str("\n    args:");
            }
            for (name, value) in args {
                write!(lines, "\n      {name}: {value}").unwrap();
            }
        }
        self.line(&lines)
    }

    pub(crate) fn markdown(&self) -> String {
        let (id, tool, lines) = (&self.id, &self.tool, &self.lines);
        let created = self.created.to_rfc3339_opts(SecondsFormat::Secs, true);
        let lane = match &self.page {
            Some(url) => format!("backend: fetch\nurls: [{url:?}]\n"),
            None => format!("backend: clad\ntool: {tool}\n"),
        };
        let mut text = format!(
            "---\nrequest_type: tool_request\nschema_version: 2\nrequest_id: {id}\ncreated_utc: \"{created}\"\n\
             requested_by: human\npurpose: \"A test\"\n{lane}{lines}"
        );
        if !self.args.is_empty() {
            text += "args:\n";
            text.extend(self.args.iter().map(|(name, value)| format!("  {name}: \"{value}\"\n")));
        }
        if !self.inputs.is_empty() {
            text += "inputs:\n";
            let input = |(name, bytes): &(String, Vec<u8>)| {
                format!("  - name: \"{name}\"\n    sha256: \"{}\"\n", Digest::of(bytes))
            };
            text.extend(self.inputs.iter().map(input));
        }
        text + "---\n"
    }

    /// The same under another id.
    #[allow(dead_code, reason = "not every program of tests that shares this asks")]
    pub(crate) fn markdown_as(&self, id: &str) -> String {
        self.markdown().replace(&self.id, id)
    }

    pub(crate) fn is_folder(&self) -> bool {
        !(self.inputs.is_empty() && self.undeclared.is_empty())
    }

    /// Its input files.
    #[allow(dead_code, reason = "not every program of tests that shares this asks")]
    pub(crate) fn inputs(&self) -> &[(String, Vec<u8>)] {
        &self.inputs
    }

    /// The name that it has in the inbox.
    pub(crate) fn name(&self) -> String {
        if self.is_folder() { self.id.clone() } else { format!("{}.md", self.id) }
    }

    /// Writes it below a folder and returns its name there.
    pub(crate) fn write(&self, folder: &Path) -> String {
        let path = folder.join(self.name());
        if self.is_folder() {
            fs::create_dir_all(path.join("in")).unwrap();
            fs::write(path.join(format!("{}.md", self.id)), self.markdown()).unwrap();
            for (name, bytes) in self.inputs.iter().chain(&self.undeclared) {
                fs::write(path.join("in").join(name), bytes).unwrap();
            }
        } else {
            fs::write(&path, self.markdown()).unwrap();
        }
        self.name()
    }
}
