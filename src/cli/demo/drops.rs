//! The drops of the demo: a careful requester's, a careless one's, and an attacker's.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::prelude::*;
use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::request::{Draft, Input};
use gatepost_gate::bundle::Role;
use gatepost_mailbox::durable;
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::STAGING;
use serde_json::Value;

const CSV: &[u8] = b"station,temperature\nnorth,4.5\nsouth,9\neast,\nwest,6.5\n";
const TEXT: &[u8] = b"one\ntwo\nthree\n";

/// Drops requests into a site; all ids of one demo have the same time.
pub(super) struct Drops<'a> {
    pub site: &'a Site,
    now: DateTime<Utc>,
}

impl<'a> Drops<'a> {
    pub(super) fn new(site: &'a Site, now: DateTime<Utc>) -> Self {
        Self { site, now }
    }

    /// A call without inputs, renamed in.
    pub(super) fn call(&self, slug: &str, tool: &str, args: &[(&str, &str)]) -> Result<RequestId, Failure> {
        let draft = self.draft(slug, tool, args, &[])?;
        let name = format!("{}.md", draft.id);
        let staging = self.site.inbox().join(STAGING).join(&name);
        durable::write_new(&staging, draft.to_markdown().as_bytes())?;
        durable::move_new(&staging, &self.site.inbox().join(name))?;
        Ok(draft.id)
    }

    /// A folder with an input file, renamed in. `slug` may also be an id that was used before.
    pub(super) fn line_count(&self, slug: &str) -> Result<RequestId, Failure> {
        let draft = self.draft(slug, "line_count", &[("file", "lines.txt")], &[("lines.txt", TEXT)])?;
        self.rename_in(&draft)?;
        Ok(draft.id)
    }

    fn rename_in(&self, draft: &Draft) -> Result<(), Fault> {
        let staging = self.site.inbox().join(STAGING).join(draft.id.as_str());
        write_folder(&staging, draft, &[("lines.txt", TEXT)])?;
        durable::move_new(&staging, &self.site.inbox().join(draft.id.as_str()))
    }

    /// A folder that grows in the inbox while the watcher runs.
    pub(super) fn csv_stats_copied(&self, slug: &str) -> Result<RequestId, Failure> {
        let args = [("file", "weather.csv"), ("column", "temperature")];
        let draft = self.draft(slug, "csv_stats", &args, &[("weather.csv", CSV)])?;
        write_folder(&self.site.inbox().join(draft.id.as_str()), &draft, &[("weather.csv", CSV)])?;
        Ok(draft.id)
    }

    /// A ThreeGate command line with an input file, renamed in; the caller decides on its approval.
    pub(super) fn command(&self, slug: &str, command: &str, approved_by: &str) -> Result<RequestId, Failure> {
        let id = self.id(slug)?;
        let staging = self.site.inbox().join(STAGING).join(id.as_str());
        let inner = staging.join("in");
        fs::create_dir_all(&inner).on("create", &inner)?;
        let document = command_request(&id, self.now, command, approved_by);
        durable::write_new(&staging.join(format!("{id}.md")), document.as_bytes())?;
        durable::write_new(&inner.join("weather.csv"), CSV)?;
        durable::move_new(&staging, &self.site.inbox().join(id.as_str()))?;
        Ok(id)
    }

    /// A link in place of a request.
    pub(super) fn symlink(&self, slug: &str) -> Result<RequestId, Failure> {
        let id = self.id(slug)?;
        let path = self.site.inbox().join(format!("{id}.md"));
        std::os::unix::fs::symlink("/etc/passwd", &path).on("create", &path)?;
        Ok(id)
    }

    /// Another request under an id that was used before.
    pub(super) fn reuse(&self, id: &RequestId) -> Result<(), Failure> {
        let mut draft = self.draft(id.as_str(), "line_count", &[("file", "lines.txt")], &[("lines.txt", TEXT)])?;
        "Something else entirely".clone_into(&mut draft.purpose);
        Ok(self.rename_in(&draft)?)
    }

    /// Returns an accepted result to the outbox with one byte of its stdout changed. Returns its name.
    pub(super) fn tamper(&self, id: &RequestId) -> Result<String, Failure> {
        let original = self.results(id)?.into_iter().next().unwrap_or_default();
        let name = original.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let staging = self.site.outbox().join(STAGING).join(format!("tampered-{name}"));
        for entry in walkdir::WalkDir::new(&original) {
            let entry = entry.on("list", &original)?;
            let relative = entry.path().strip_prefix(&original).unwrap_or(entry.path());
            let target = staging.join(relative);
            if entry.file_type().is_dir() {
                fs::create_dir(&target).on("create", &target)?;
            } else if !Role::at(&relative.to_string_lossy(), &name).is_some_and(Role::is_of_gate) {
                fs::copy(entry.path(), &target).on("copy to", &target)?;
            }
        }
        let stdout = staging.join("artifacts/stdout.txt");
        let mut bytes = regular_file::read(&stdout, DOCUMENT_MAX_BYTES).on("read", &stdout)?;
        if let Some(first) = bytes.first_mut() {
            *first ^= 1;
        }
        fs::write(&stdout, bytes).on("write", &stdout)?;
        durable::move_new(&staging, &self.site.outbox().join(&name))?;
        Ok(name)
    }

    pub(super) fn is_in_inbox(&self, id: &RequestId) -> bool {
        self.site.inbox().join(id.as_str()).exists()
    }

    /// The accepted results of a request.
    pub(super) fn results(&self, id: &RequestId) -> Result<Vec<PathBuf>, Fault> {
        let folder = self.site.core_inbound();
        let mut results = Vec::new();
        for entry in folder.read_dir().on("list", &folder)? {
            let path = entry.on("list", &folder)?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(id.as_str())) {
                results.push(path);
            }
        }
        Ok(results)
    }

    /// The first reason's code of a quarantined item, once it exists.
    pub(super) fn first_code(item: &Path) -> Option<String> {
        let record: Value =
            serde_json::from_slice(&regular_file::read(&item.join("reasons.json"), DOCUMENT_MAX_BYTES).ok()?).ok()?;
        Some(record["reasons"][0]["code"].as_str()?.to_owned())
    }

    fn id(&self, slug: &str) -> Result<RequestId, Failure> {
        RequestId::parse(slug)
            .or_else(|_| RequestId::new(self.now, slug))
            .map_err(|error| Failure::usage(format!("{slug}: {error}."), ""))
    }

    fn draft(&self, slug: &str, tool: &str, args: &[(&str, &str)], inputs: &[(&str, &[u8])]) -> Result<Draft, Failure> {
        let input = |(name, bytes): &(&str, &[u8])| Input { name: (*name).to_owned(), sha256: Digest::of(bytes) };
        let text = |(name, value): &(&str, &str)| ((*name).to_owned(), ArgumentValue::Text((*value).to_owned()));
        let purpose = format!("Show what becomes of a call of {tool}");
        Ok(Draft {
            args: args.iter().map(text).collect(),
            inputs: inputs.iter().map(input).collect(),
            ..Draft::call(self.id(slug)?, self.now, "demo", &purpose, tool)
        })
    }
}

/// A version 1 request of the backend ERA.
fn command_request(id: &RequestId, now: DateTime<Utc>, command: &str, approved_by: &str) -> String {
    let now = now.to_rfc3339_opts(SecondsFormat::Secs, true);
    let approved_utc = if approved_by.is_empty() { "" } else { &now };
    let digest = Digest::of(CSV);
    format!(
        "---\nrequest_type: tool_request\nschema_version: 1\nrequest_id: \"{id}\"\ncreated_utc: \"{now}\"\n\
         requested_by: \"demo\"\napproved_by: \"{approved_by}\"\napproved_utc: \"{approved_utc}\"\n\
         purpose: \"Show what becomes of a command line\"\nlanguage: python\nnetwork: none\ncpu_limit: \"1\"\n\
         memory_limit_mb: 256\ntime_limit_sec: 20\ninputs:\n  - name: weather.csv\n    sha256: \"{digest}\"\n---\n\n\
         ## Command\n\n{command}\n\n## Input Files\n\nweather.csv\n\n## Output Expectations\n\nOne number.\n\n\
         ## Risk Assessment\n\nRisk level: low\nJustification: A demonstration.\nData sensitivity: public\n"
    )
}

fn write_folder(folder: &Path, draft: &Draft, inputs: &[(&str, &[u8])]) -> Result<(), Fault> {
    let inner = folder.join("in");
    fs::create_dir_all(&inner).on("create", &inner)?;
    durable::write_new(&folder.join(format!("{}.md", draft.id)), draft.to_markdown().as_bytes())?;
    for (name, bytes) in inputs {
        durable::write_new(&inner.join(name), bytes)?;
    }
    Ok(())
}
