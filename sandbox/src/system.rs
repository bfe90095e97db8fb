//! The parts of the machine that every tool may read: its programs, and the settings in `/etc` that they link to or cannot run without.
//!
//! ```text
//! /usr /bin /sbin /lib*        whole
//! /etc/⟨a few⟩                 whole: accounts, names of services, certificates, the linker's
//! /etc/⟨of interpreters⟩       fonts, R, perl, Debian's JDK and Python: only what everybody may read
//! ```
//!
//! *Security*: private keys (`/etc/ssl/private`), passwords (`/etc/shadow`) and settings that contain them (`/etc/environment`,
//! `/etc/npmrc`, `/etc/maven`) are not among them. An administrator may keep a password beside an interpreter's settings
//! (`management/jmxremote.password`), so a file there that not everybody may read is not shown, even by root.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::SandboxError;

const WHOLE: [&str; 29] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/alternatives",
    "/etc/ca-certificates.conf",
    "/etc/default/locale",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/magic",
    "/etc/magic.mime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
];

/// Folders with only world-readable entries shown; also those with a version in their names.
const PUBLIC: [&str; 6] = ["/etc/R", "/etc/ca-certificates", "/etc/fonts", "/etc/java", "/etc/perl", "/etc/python3"];

/// How deep such a folder is looked at.
const DEPTH_MAX: usize = 16;

/// `java-17-openjdk`, `python3.11`
fn has_version(name: &OsStr) -> bool {
    let name = name.to_str().unwrap_or_default();
    let version = name.strip_prefix("java-").and_then(|rest| rest.strip_suffix("-openjdk"));
    let version = version.or(name.strip_prefix("python3."));
    version.is_some_and(|version| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether every tool may read a path of the machine.
pub fn shows(path: &Path) -> bool {
    let is_versioned = || {
        let below = path.strip_prefix("/etc").ok().and_then(|below| below.components().next());
        below.is_some_and(|first| has_version(first.as_os_str()))
    };
    WHOLE.iter().chain(&PUBLIC).any(|shown| path.starts_with(shown)) || is_versioned()
}

/// The existing paths that are shown whole.
pub(super) fn whole() -> Result<Vec<PathBuf>, SandboxError> {
    let mut paths = Vec::new();
    for path in WHOLE.map(Path::new) {
        match fs::symlink_metadata(path) {
            Ok(_) => paths.push(path.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(SandboxError::Unshowable { path: path.to_owned(), source }),
        }
    }
    Ok(paths)
}

/// The paths that are shown because everybody may read them. The target of a link is decided by itself.
pub(super) fn public() -> Result<Vec<PathBuf>, SandboxError> {
    let etc = Path::new("/etc");
    let unshowable = |source| SandboxError::Unshowable { path: etc.to_owned(), source };
    let mut versions = Vec::new();
    for entry in fs::read_dir(etc).map_err(unshowable)? {
        let name = entry.map_err(unshowable)?.file_name();
        versions.extend(has_version(&name).then(|| etc.join(name)));
    }
    versions.sort();
    let mut paths = Vec::new();
    for folder in PUBLIC.map(PathBuf::from).into_iter().chain(versions) {
        add_public(folder, &mut paths, 0);
    }
    Ok(paths)
}

/// Adds a folder or file, or the entries of the folder that everybody may read.
fn add_public(path: PathBuf, paths: &mut Vec<PathBuf>, depth: usize) {
    if is_public(&path, depth) {
        paths.push(path);
    } else if is_readable(&path) && depth < DEPTH_MAX {
        let mut entries: Vec<_> = path.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            add_public(entry, paths, depth + 1);
        }
    }
}

/// Whether everybody may read all of it. The target of a link is decided by itself.
fn is_public(path: &Path, depth: usize) -> bool {
    if !is_readable(path) || depth > DEPTH_MAX {
        return false;
    }
    match path.read_dir() {
        Ok(mut entries) if !path.is_symlink() => {
            entries.all(|entry| entry.is_ok_and(|entry| is_public(&entry.path(), depth + 1)))
        }
        _ => true,
    }
}

fn is_readable(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| {
        let kind = metadata.file_type();
        let needed = if kind.is_dir() { 0o005 } else { 0o004 };
        kind.is_symlink() || (kind.is_dir() || kind.is_file()) && metadata.mode() & needed == needed
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn only_what_everybody_may_read_is_shown_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["security", "management", "closed"] {
            fs::create_dir(path(name)).unwrap();
            fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in ["security/java.security", "management/access", "closed/x", "net.properties"] {
            fs::write(path(name), "x").unwrap();
            fs::set_permissions(path(name), fs::Permissions::from_mode(0o644)).unwrap();
        }
        symlink("/etc/shadow", path("link")).unwrap();
        let shown = || {
            let mut paths = Vec::new();
            add_public(folder.path().to_owned(), &mut paths, 0);
            paths.iter().map(|it| it.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned()).collect()
        };
        let all: Vec<String> = shown();
        assert_eq!(all, [""]);
        fs::write(path("management/password"), "x").unwrap();
        fs::set_permissions(path("management/password"), fs::Permissions::from_mode(0o600)).unwrap();
        fs::set_permissions(path("closed"), fs::Permissions::from_mode(0o700)).unwrap();
        let some: Vec<String> = shown();
        assert_eq!(some, ["link", "management/access", "net.properties", "security"]);
    }

    #[test]
    fn keys_passwords_and_folders_that_are_only_called_alike_are_not_shown() {
        for path in ["/usr/bin/java", "/etc/java-17-openjdk/security", "/etc/python3.11", "/etc/fonts/conf.d/x.conf"] {
            assert!(shows(Path::new(path)), "{path}");
        }
        for path in [
            "/etc/shadow",
            "/etc/ssl/private/a.key",
            "/etc/ssl",
            "/etc/environment",
            "/etc/npmrc",
            "/etc/java-secrets",
            "/etc/java-17-openjdk-secrets",
            "/etc/javascript",
            "/etc/python3.x",
            "/root",
        ] {
            assert!(!shows(Path::new(path)), "{path}");
        }
    }
}
