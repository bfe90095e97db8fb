//! A request of ThreeGate's own form, put together piece by piece.

use std::fs;
use std::path::Path;

use chrono::{SecondsFormat, Utc};
use gatepost_documents::digest::Digest;

/// A version 1 request of the backend ERA with declared approval, in the older of its two layouts until it is changed.
#[derive(Clone)]
pub(crate) struct ThreeGate {
    pub id: String,
    pub command: String,
    version: u32,
    backend: &'static str,
    language: &'static str,
    approved_by: &'static str,
    lines: String,
    inputs: Vec<(String, Vec<u8>)>,
    outputs: Vec<String>,
}

impl ThreeGate {
    pub(crate) fn command(slug: &str, command: &str) -> Self {
        Self {
            id: format!("TR-{}-{slug}", Utc::now().format("%Y%m%d-%H%M%SZ")),
            command: command.to_owned(),
            version: 1,
            backend: "",
            language: "python",
            approved_by: "alice",
            lines: "network: none\n".to_owned(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// In the newer layout, which names the backend.
    pub(crate) fn newer(mut self) -> Self {
        self.backend = "backend: ERA\n";
        self
    }

    /// As version 2, which demands the backend and little else.
    pub(crate) fn version_2(self) -> Self {
        Self { version: 2, ..self.newer() }
    }

    pub(crate) fn unapproved(mut self) -> Self {
        self.approved_by = "";
        self
    }

    pub(crate) fn language(mut self, language: &'static str) -> Self {
        self.language = language;
        self
    }

    pub(crate) fn input(mut self, name: &str, bytes: &[u8]) -> Self {
        self.inputs.push((name.to_owned(), bytes.to_vec()));
        self
    }

    pub(crate) fn expects(mut self, path: &str) -> Self {
        self.outputs.push(path.to_owned());
        self
    }

    /// In place of `network: none`, lines of its front matter.
    pub(crate) fn network(mut self, lines: &str) -> Self {
        lines.clone_into(&mut self.lines);
        self
    }

    pub(crate) fn markdown(&self) -> String {
        let Self { id, command, version, backend, language, approved_by, lines, .. } = self;
        let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
        let approved = if approved_by.is_empty() { "" } else { &now };
        let mut text = format!(
            "---\nrequest_type: tool_request\nschema_version: {version}\nrequest_id: {id}\ncreated_utc: \"{now}\"\n\
             requested_by: human\napproved_by: \"{approved_by}\"\napproved_utc: \"{approved}\"\npurpose: \"A test\"\n\
             {backend}{lines}cpu_limit: \"1\"\nmemory_limit_mb: 512\ntime_limit_sec: 20\n"
        );
        if !language.is_empty() {
            text += &format!("language: {language}\n");
        }
        if !self.inputs.is_empty() {
            text += "inputs:\n";
            let input = |(name, bytes): &(String, Vec<u8>)| {
                format!("  - name: \"{name}\"\n    sha256: \"{}\"\n", Digest::of(bytes))
            };
            text.extend(self.inputs.iter().map(input));
        }
        if !self.outputs.is_empty() {
            text += "outputs_expected:\n";
            let output = |(number, path): (usize, &String)| {
                format!("  - path: \"{path}\"\n    description: \"As asked for, {number}\"\n")
            };
            text.extend(self.outputs.iter().enumerate().map(output));
        }
        text + &format!(
            "---\n\n## Command\n\n{command}\n\n## Input Files\n\nAs listed.\n\n## Output Expectations\n\nAs listed.\n\n\
             ## Risk Assessment\n\nRisk level: low\nJustification: a test\nData sensitivity: public\n\
             Network rationale: as listed\n"
        )
    }

    /// Writes it as a folder below another, and returns its name there.
    pub(crate) fn write(&self, folder: &Path) -> String {
        let path = folder.join(&self.id);
        fs::create_dir_all(path.join("in")).unwrap();
        fs::write(path.join(format!("{}.md", self.id)), self.markdown()).unwrap();
        for (name, bytes) in &self.inputs {
            fs::write(path.join("in").join(name), bytes).unwrap();
        }
        self.id.clone()
    }
}
