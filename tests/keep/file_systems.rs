//! Sites on file systems of other kinds: several, read-only, full, and owned by nobody in particular.
//!
//! Mounts are made in a mount namespace of the one command that needs them; nobody needs to be root for that.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::site::{Bundle, Request, Site, is_root, names, text};

/// Runs a script in a mount namespace of its own; `$GATEPOST` is the program and `$SITE` the site.
fn mounted(site: &Site, script: &str) -> String {
    let mut unshare = vec!["unshare", "--mount", "--propagation=private"];
    if !is_root() {
        unshare.extend(["--user", "--map-root-user"]);
    }
    unshare.extend(["sh", "-euc", script, "sh"]);
    let output = site.command(&unshare, &[]).env("SITE", &site.root).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    stdout.into_owned()
}

/// The one accepted bundle that a script copied out of its namespace.
fn kept(site: &Site) -> Vec<Bundle> {
    names(&site.path("kept")).into_iter().map(|name| Bundle(site.path("kept").join(name))).collect()
}

#[test]
fn the_inbox_may_lie_on_another_file_system() {
    let site = Site::new();
    let good = Request::folder("good");
    good.write(&site.root);
    let script = format!(
        "mount -t tmpfs tmpfs $SITE/inbox && mkdir $SITE/inbox/.tmp
             cp -r $SITE/{good} $SITE/inbox/
         echo nonsense > $SITE/inbox/nonsense
         mkdir $SITE/inbox/folder && ln -s /etc/passwd $SITE/inbox/folder/link
         mkfifo $SITE/inbox/TR-20260209-160501Z-fifo.md
         $1 --site $SITE up --once >&2
         ls -A $SITE/inbox
         cp -r $SITE/core/inbound $SITE/kept",
        good = good.id,
    );
    let listed = mounted(&site, &script);
    assert_eq!(listed, ".about.md\n.tmp\n");
    for (item, path) in [
        ("nonsense", "nonsense"),
        ("folder", "folder/link"),
        ("TR-20260209-160501Z-fifo", "TR-20260209-160501Z-fifo.md"),
    ] {
        let kept = site.path("quarantine").join(item).join("untouched").join(path);
        assert!(kept.symlink_metadata().is_ok(), "{} is missing", kept.display());
        assert_eq!(site.reasons(item).len(), 1);
    }
    assert_eq!(kept(&site).iter().map(Bundle::code).collect::<Vec<_>>(), [""]);
}

#[test]
fn a_read_only_inbox_is_a_fault_that_touches_nothing() {
    let site = Site::new();
    let request = Request::folder("kept");
    site.copy_in(&request);
    let script = "mount --bind $SITE/inbox $SITE/inbox && mount -o remount,ro,bind $SITE/inbox
                  $1 --site $SITE exec --once && exit 1; test $? = 1";
    let told = mounted(&site, script);
    assert!(told.contains("IO_ERROR"), "{told}");
    assert_eq!(site.names("inbox"), [request.id.as_str()]);
    assert_eq!((site.names("var/exec/claimed").len(), site.names("outbox").len()), (0, 0));
    site.up();
    assert_eq!(site.result(&request.id).code(), "");
}

#[test]
fn a_full_disk_loses_nothing_and_a_rerun_with_space_completes() {
    for folder in ["var/exec", "outbox"] {
        let site = Site::new();
        let request =
            Request::call("large", "line_count").arg("file", "a").input("a", "x\n".repeat(200_000).as_bytes());
        let id = request.write(&site.root);
        // The file system is full but for 64 KiB, then it is not.
        let script = format!(
            "cp -a $SITE/{folder} $SITE/was
             mount -t tmpfs -o size=4m tmpfs $SITE/{folder} && cp -a $SITE/was/. $SITE/{folder}/
             cp -r $SITE/{id} $SITE/inbox/
             dd if=/dev/zero of=$SITE/{folder}/.ballast bs=4096 2> /dev/null || true
             for watcher in exec gate; do
                 $1 --site $SITE $watcher --once && echo through $watcher || echo failed $watcher $?
             done
             rm $SITE/{folder}/.ballast
             $1 --site $SITE up --once >&2
             test -z \"$(ls $SITE/inbox $SITE/outbox $SITE/var/exec/claimed $SITE/var/exec/running | grep TR-)\"
             cp -r $SITE/core/inbound $SITE/kept"
        );
        let told = mounted(&site, &script);
        assert!(told.contains("failed ") && told.contains("IO_ERROR"), "{folder}: {told}");
        let bundles = kept(&site);
        assert_eq!(bundles.iter().map(Bundle::code).collect::<Vec<_>>(), [""], "{folder}: {told}");
        assert_eq!(site.ledger().len(), 1, "{folder}");
    }
}

#[test]
fn nobody_can_serve_a_site_without_any_right() {
    if !is_root() {
        // The whole suite runs as somebody without rights then.
        return;
    }
    let site = Site::new();
    let (good, bad) = (Request::folder("good"), Request::call("bad", "no_such_tool"));
    site.copy_in(&good);
    site.copy_in(&bad);
    let site = site.of_nobody();
    site.up();
    assert_eq!(site.result(&good.id).code(), "");
    assert_eq!(site.result(&bad.id).code(), "REQUEST_REFUSED");
    site.is_at_rest();
    site.gatepost(&["status"]).succeeds();
}

#[test]
fn a_drop_that_the_watcher_may_not_read_is_told_and_its_neighbours_go_on() {
    let site = Site::new();
    let (locked, neighbour) = (Request::file("locked"), Request::file("neighbour"));
    site.copy_in(&locked);
    site.copy_in(&neighbour);
    let path = site.path("inbox").join(locked.name());
    let site = if is_root() { site.of_nobody() } else { site };
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let outcome = site.gatepost(&["exec", "--once"]).ends(1);
    assert_eq!(text(&outcome["error"]["code"]), "IO_ERROR");
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(site.result(&neighbour.id).code(), "");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    site.up();
    assert_eq!(site.result(&locked.id).code(), "");
}
