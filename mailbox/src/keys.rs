//! The operator's lists of keys: approvers, requesters, and the gates of other sites.
//!
//! ```text
//! keys/approvers     whose signatures approve a request       OpenSSH's allowed_signers format
//! keys/requesters    whose signatures prove who asks
//! keys/gates         the gates of other sites whose decisions count here      a verifier key of a log a line (C2SP signed-note)
//! keys/nodes         at home, the nodes of the fleet                          NAME KEY-TYPE KEY a line
//! keys/home          on a node, the home of its fleet                         KEY-TYPE KEY
//! ```
//!
//! Read anew for each request or import, so an edit counts at once. A missing list names nobody. *Security*: others could add names to
//! a list that they may write to, so such a list is not used; nor is another such file of `keys/`, see [`check_rights`].

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use gatepost_documents::reason::{Code, Reason};
use gatepost_ledger::VerifierKey;
use gatepost_signatures::{LineError, Namespace, PublicKey, Signers};

use crate::fault::{Fault, OnPath};
use crate::regular_file::{self, DOCUMENT_MAX_BYTES};
use crate::site::Site;

/// The name of the list of other sites' gates.
const GATES: &str = "gates";
/// The name of the list of a fleet's nodes.
const NODES: &str = "nodes";
/// The name of the key of a fleet's home.
const HOME: &str = "home";

/// Write permission of the group and of others.
const OTHERS_MAY_WRITE: u32 = 0o022;

/// The path of a list.
pub fn path(site: &Site, namespace: Namespace) -> PathBuf {
    site.keys().join(name(namespace))
}

fn name(namespace: Namespace) -> &'static str {
    match namespace {
        Namespace::Approval => "approvers",
        Namespace::Request => "requesters",
    }
}

/// Reads a list. An invalid line is a fault, because the key's owner would be left out.
pub fn read(site: &Site, namespace: Namespace) -> Result<Signers, Fault> {
    let Some(text) = text(site, name(namespace))? else { return Ok(Signers::default()) };
    Signers::parse(&text).map_err(|LineError { line, message }| {
        unusable(site, name(namespace), Some(line), &message, "Correct that line; until then requests wait.")
    })
}

/// The keys of the logs of other sites' gates that this site trusts. Empty lines, and those that begin with `#`, name none.
pub fn gates(site: &Site) -> Result<Vec<VerifierKey>, Fault> {
    let text = text(site, GATES)?.unwrap_or_default();
    let key = |(line, text)| {
        let message = "It is not a log's verifier key as `gatepost audit checkpoint` prints it.";
        let hint = "Correct that line; until then nothing is imported.";
        VerifierKey::parse(text).map_err(|_| unusable(site, GATES, Some(line), message, hint))
    };
    lines(&text).map(key).collect()
}

/// The nodes of the fleet whose home this site is, by name.
pub fn nodes(site: &Site) -> Result<BTreeMap<String, PublicKey>, Fault> {
    let text = text(site, NODES)?.unwrap_or_default();
    let node = |(line, text): (u32, &str)| {
        let read = text.split_once(' ').and_then(|(name, key)| Some((name.to_owned(), PublicKey::parse(key).ok()?)));
        let message = "It is not a name and an Ed25519 public key.";
        let hint = "Correct that line, NAME ssh-ed25519 KEY; until then no node counts.";
        read.ok_or_else(|| unusable(site, NODES, Some(line), message, hint))
    };
    lines(&text).map(node).collect()
}

/// The key of the home of the fleet whose node this site is.
pub fn home(site: &Site) -> Result<PublicKey, Fault> {
    let text = text(site, HOME)?.unwrap_or_default();
    let key = lines(&text).next().and_then(|(_, line)| PublicKey::parse(line).ok());
    let hint = "Write the line there that `gatepost-fleet key` prints at home.";
    key.ok_or_else(|| unusable(site, HOME, None, "It holds no Ed25519 public key.", hint))
}

/// The lines with content, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The text of a list, which only its owner may change; none if it is not there.
fn text(site: &Site, name: &str) -> Result<Option<String>, Fault> {
    let path = site.keys().join(name);
    let bytes = match regular_file::read(&path, DOCUMENT_MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.on("read", &path)?,
    };
    check_rights(&path)?;
    let broken = |_| unusable(site, name, None, "It is not UTF-8 text.", "Correct it; until then it is not used.");
    String::from_utf8(bytes).map(Some).map_err(broken)
}

fn unusable(site: &Site, name: &str, line: Option<u32>, message: &str, hint: &str) -> Fault {
    let reason = Reason::new(Code::ValueInvalid, message, hint).in_file(format!("keys/{name}"));
    Fault::unusable(site.keys(), Reason { line, ..reason })
}

/// Refuses a file of `keys/` that others may write to, or put another in the place of.
pub fn check_rights(path: &Path) -> Result<(), Fault> {
    let folder = path.parent().unwrap_or(path);
    let list = format!("keys/{}", path.file_name().unwrap_or_default().to_string_lossy());
    for (place, shown) in [(folder, "keys"), (path, &list)] {
        let mode = place.metadata().on("look at", place)?.mode();
        if mode & OTHERS_MAY_WRITE != 0 {
            let message = format!("Other users can write to it (mode {:04o}).", mode & 0o7777);
            let hint = format!("Run `chmod go-w {shown}`; until then it is not used.");
            let reason = Reason::new(Code::ValueInvalid, message, hint).in_file(shown);
            return Err(Fault::unusable(folder.to_owned(), reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_list_that_others_may_write_to_or_that_is_broken_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        let list = path(&site, Namespace::Approval);
        let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let fault = || read(&site, Namespace::Approval).err().map(|fault| fault.to_string()).unwrap_or_default();
        assert_eq!(fault(), "");
        fs::create_dir(site.keys()).unwrap();
        fs::write(&list, "# nobody yet\n").unwrap();
        for (folder_mode, list_mode, part) in
            [(0o755, 0o644, ""), (0o755, 0o664, "mode 0664"), (0o755, 0o646, "mode 0646"), (0o777, 0o644, "mode 0777")]
        {
            mode(&site.keys(), folder_mode);
            mode(&list, list_mode);
            assert!(fault().contains(part) && fault().is_empty() == part.is_empty(), "{}", fault());
        }
        mode(&site.keys(), 0o755);
        fs::write(&list, "# people\nalice ssh-ed25519 nothing\n").unwrap();
        let broken = read(&site, Namespace::Approval).unwrap_err();
        assert_eq!(broken.as_unusable().unwrap().line, Some(2));
        assert!(
            broken.to_string().ends_with(
                "keys/approvers, line 2: Cannot read a public key in this line; a line is NAME [OPTIONS] KEY-TYPE KEY"
            ),
            "{broken}"
        );
        fs::remove_file(&list).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &list).unwrap();
        assert!(!fault().is_empty());
    }
}
