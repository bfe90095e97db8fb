//! The values of the secrets that manifests name.
//!
//! ```text
//! TOOLCLAD_SECRET_<NAME>  ▶  $CREDENTIALS_DIRECTORY/<name>  ▶  [secrets] folder/<name>      the first existing one counts
//! ```
//!
//! TOOL-EXEC reads a value for each call, so a new value counts at once, and keeps it no longer than a run. A value that exists but
//! is unusable is refused; the next source is not tried. The newline that ends a file is not part of the value.
//!
//! *Security*: a file that other users may read is refused; systemd guards its credentials itself. A value that is too short or too
//! long to be found in a tool's output is refused, so every secret in use can be redacted.
//! *Standards*: systemd, System and Service Credentials.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use gatepost_contract::config;
use gatepost_contract::manifest::SecretValues;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::{Fault, OnPath, is_passing};
use rustix::fs::OFlags;
use zeroize::Zeroizing;

use crate::redaction::{VALUE_BYTES_MAX, VALUE_BYTES_MIN};
use crate::shell;
use crate::step_error::{StepError, gather};

/// The mode bits that a secret's file must not have: all but the owner's.
const OTHERS: u32 = 0o077;

/// The sources of secrets, besides the environment.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    credentials: Option<PathBuf>,
    folder: Option<PathBuf>,
}

impl Secrets {
    /// The sources of a site, with systemd's credentials of this process.
    pub fn of(config: &config::Secrets) -> Self {
        let credentials = env::var_os("CREDENTIALS_DIRECTORY").filter(|path| !path.is_empty()).map(PathBuf::from);
        let folder = Some(config.folder.clone()).filter(|folder| !folder.as_os_str().is_empty());
        Self { credentials, folder }
    }

    /// The folders with secrets.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.credentials.iter().chain(&self.folder).map(PathBuf::as_path)
    }

    /// Whether a secret exists and is usable.
    pub fn is_set(&self, name: &str) -> Result<bool, Fault> {
        match self.value(name) {
            Ok(_) => Ok(true),
            Err(StepError::Refused(_)) => Ok(false),
            Err(StepError::Fault(fault)) => Err(fault),
        }
    }

    /// The values of these secrets. Codes: `secret_missing` and `secret_unusable`, for each such secret.
    pub fn values(&self, names: &BTreeSet<String>) -> Result<SecretValues, StepError> {
        let (mut values, mut reasons) = (SecretValues::new(), Vec::new());
        for name in names {
            if let Some(value) = gather(self.value(name), &mut reasons)? {
                values.insert(name.clone(), value);
            }
        }
        if reasons.is_empty() { Ok(values) } else { Err(reasons.into()) }
    }

    fn value(&self, name: &str) -> Result<Zeroizing<String>, StepError> {
        let variable = format!("TOOLCLAD_SECRET_{}", name.to_ascii_uppercase());
        if let Some(value) = env::var_os(&variable) {
            return text(name, &variable, &Zeroizing::new(OsString::into_vec(value)));
        }
        let files = [(&self.credentials, false), (&self.folder, true)];
        let files = files.into_iter().filter_map(|(folder, private)| Some((folder.as_ref()?.join(name), private)));
        for (path, private) in files {
            let place = path.display().to_string();
            match read(&path, private) {
                Ok(mut value) => {
                    if value.last() == Some(&b'\n') {
                        value.pop();
                    }
                    return text(name, &place, &value);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if is_passing(&error) => Err(error).on("read", &path)?,
                // A refusal of the kernel has an error number.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() => {
                    let hint = format!("Ask the operator to run `{}`.", shell::line(["chmod", "600", &place]));
                    let reason = unusable(name, &place, &format!("is not private: {error}"));
                    return Err(Reason { hint, ..reason }.into());
                }
                Err(error) => return Err(unusable(name, &place, &format!("cannot be read: {error}")).into()),
            }
        }
        Err(self.missing(name, &variable).into())
    }

    fn missing(&self, name: &str, variable: &str) -> Reason {
        let folder = match &self.folder {
            Some(folder) => format!("put its value into {}, readable by its owner alone", folder.join(name).display()),
            None => "name a folder of secrets in gatepost.toml ([secrets] folder)".to_owned(),
        };
        let hint = format!(
            "Ask the operator to set {variable} for TOOL-EXEC, pass the systemd credential {name}, or {folder}."
        );
        Reason::new(Code::SecretMissing, format!("The secret {name} is not set."), hint)
    }
}

/// The bytes of a secret's file, up to one byte over the limit.
fn read(path: &Path, private: bool) -> io::Result<Zeroizing<Vec<u8>>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file: File = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if private && found.mode() & OTHERS != 0 {
        let mode = found.mode() & 0o7777;
        let message = format!("other users can read it (mode {mode:04o})");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    // Allocate once, so that no growth leaves an unwiped copy.
    let mut bytes = Zeroizing::new(Vec::with_capacity(VALUE_BYTES_MAX + 3));
    file.take(VALUE_BYTES_MAX as u64 + 2).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A value for a tool. `place` is its source.
fn text(name: &str, place: &str, bytes: &[u8]) -> Result<Zeroizing<String>, StepError> {
    let length = bytes.len();
    let fault = match std::str::from_utf8(bytes) {
        _ if length > VALUE_BYTES_MAX => format!("has more than {VALUE_BYTES_MAX} bytes"),
        _ if length < VALUE_BYTES_MIN => format!("has fewer than {VALUE_BYTES_MIN} bytes"),
        Err(_) => "is not valid UTF-8".to_owned(),
        Ok(text) if text.contains('\0') => "contains a NUL".to_owned(),
        Ok(text) => return Ok(Zeroizing::new(text.to_owned())),
    };
    Err(unusable(name, place, &fault).into())
}

fn unusable(name: &str, place: &str, fault: &str) -> Reason {
    let message = format!("The secret {name} cannot be used: {place} {fault}.");
    Reason::new(
        Code::SecretUnusable,
        message,
        "Ask the operator to correct it; docs/secrets.md has the rules for values.",
    )
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn stored(value: &[u8], mode: u32) -> (tempfile::TempDir, Secrets) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("api_key");
        fs::write(&path, value).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let secrets = Secrets { credentials: None, folder: Some(folder.path().to_owned()) };
        (folder, secrets)
    }

    fn refused(secrets: &Secrets, name: &str) -> Reason {
        match secrets.values(&BTreeSet::from([name.to_owned()])) {
            Err(StepError::Refused(mut reasons)) if reasons.len() == 1 => reasons.remove(0),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_holds_a_value_without_the_newline_that_ends_it() {
        for (content, expected) in
            [("hunter2", "hunter2"), ("hunter2\n", "hunter2"), ("two\nlines\n\n", "two\nlines\n"), ("four", "four")]
        {
            let (_folder, secrets) = stored(content.as_bytes(), 0o600);
            let values = secrets.values(&BTreeSet::from(["api_key".to_owned()])).unwrap();
            assert_eq!(**values["api_key"], *expected);
        }
    }

    #[test]
    fn what_others_may_read_or_nobody_could_find_again_is_refused_by_name() {
        for (content, mode, expected) in [
            (&b"hunter2"[..], 0o640, "other users can read it (mode 0640)"),
            (b"hunter2", 0o604, "other users can read it (mode 0604)"),
            (b"x", 0o600, "fewer than 4 bytes"),
            (b"", 0o600, "fewer than 4 bytes"),
            (b"abc\n", 0o600, "fewer than 4 bytes"),
            (b"hunter\xff2", 0o600, "UTF-8"),
            (b"hunter\x002", 0o600, "NUL"),
            (&[b'x'; 5_000], 0o600, "more than 4096 bytes"),
        ] {
            let (folder, secrets) = stored(content, mode);
            let reason = refused(&secrets, "api_key");
            assert_eq!(reason.code, Code::SecretUnusable);
            let place = folder.path().join("api_key");
            assert!(reason.message.contains(expected) && reason.message.contains(place.to_str().unwrap()), "{reason}");
            assert!(!format!("{reason:?}").contains("hunter"), "{reason}");
        }
    }

    #[test]
    fn no_link_and_no_folder_is_a_secret() {
        let (folder, secrets) = stored(b"hunter2", 0o600);
        std::os::unix::fs::symlink("api_key", folder.path().join("link")).unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["link", "sub"] {
            assert_eq!(refused(&secrets, name).code, Code::SecretUnusable, "{name}");
        }
    }

    #[test]
    fn a_missing_secret_is_named_with_every_place_where_it_could_stand() {
        let (folder, secrets) = stored(b"hunter2", 0o600);
        let reason = refused(&secrets, "token");
        assert_eq!((reason.code, reason.message.as_str()), (Code::SecretMissing, "The secret token is not set."));
        let place = folder.path().join("token").display().to_string();
        assert!(reason.hint.contains("TOOLCLAD_SECRET_TOKEN") && reason.hint.contains(&place), "{}", reason.hint);
        assert!(refused(&Secrets::default(), "token").hint.contains("[secrets] folder"));
    }

    #[test]
    fn a_credential_comes_before_the_folder_and_its_mode_is_systemds() {
        let ((_one, credentials), (_other, folder)) =
            (stored(b"from systemd", 0o440), stored(b"from the folder", 0o600));
        let secrets = Secrets { credentials: credentials.folder, folder: folder.folder };
        let values = secrets.values(&BTreeSet::from(["api_key".to_owned()])).unwrap();
        assert_eq!(**values["api_key"], *"from systemd");
    }
}
