//! At which level a tool is run, and what becomes of a request when the machine offers less.

use std::os::unix::fs::symlink;

use crate::site::{BY_FORM, Bundle, Request, Site, WITHOUT_CALL, text};

/// A machine without user namespaces: the limit is set for one namespace, around all that follows.
const WITHOUT_NAMESPACES: [&str; 6] = [
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"",
];

/// A machine whose kernel has no Landlock.
const WITHOUT_LANDLOCK: [&str; 4] = ["python3", "-c", WITHOUT_CALL, "444"];

fn site(minimum: &str, maximum: &str) -> Site {
    let sandbox = format!("[sandbox]\nminimum = \"{minimum}\"\nmaximum = \"{maximum}\"\n");
    let site = Site::with_config(&format!("[inbox]\nsettle_ms = 50\n{sandbox}"));
    // Some of these machines cannot hold a gate either.
    let gate = format!("[sandbox]\nminimum = \"{minimum}\"\n[gate]\nconfinement = \"best_effort\"\n{BY_FORM}");
    std::fs::write(site.path("gate.toml"), gate).unwrap();
    site.tool("touch", "", "#!/bin/sh\necho 1 > out/made && cat in/data && echo x > tmp/x\n");
    site
}

fn answered(site: &Site, slug: &str, tool: &str) -> Bundle {
    let request = Request::call(slug, tool).input("data", b"data");
    site.rename_in(&request);
    site.up();
    site.result(&request.id)
}

#[test]
fn the_strongest_level_that_the_machine_offers_is_used_and_none_below_the_sites_minimum() {
    let (here, namespaces, landlock) = (&[][..], &WITHOUT_NAMESPACES[..], &WITHOUT_LANDLOCK[..]);
    for (machine, minimum, maximum, level) in [
        (here, "none", "full", Some("full")),
        (here, "none", "landlock", Some("landlock")),
        (here, "none", "none", Some("none")),
        (namespaces, "none", "full", Some("landlock")),
        (namespaces, "landlock", "full", Some("landlock")),
        (namespaces, "full", "full", None),
        (landlock, "none", "full", Some("none")),
        (landlock, "landlock", "full", None),
    ] {
        let site = site(minimum, maximum);
        let site = if machine.is_empty() { site } else { site.behind(machine) };
        let bundle = answered(&site, "level", "touch");
        let evidence = bundle.evidence();
        let Some(level) = level else {
            assert_eq!(bundle.reasons(), ["sandbox_unavailable"], "{machine:?} {minimum}");
            assert!(!bundle.0.join("artifacts/out").exists());
            continue;
        };
        assert_eq!((bundle.code().as_str(), text(&evidence["sandbox"]["level"]).as_str()), ("", level));
        assert_eq!(
            (bundle.read("artifacts/out/made"), bundle.read("artifacts/stdout.txt")),
            ("1\n".into(), "data".into())
        );
    }
}

#[test]
fn a_manifest_raises_the_level_for_its_own_requests_only() {
    let site = site("none", "landlock");
    for minimum in ["landlock", "full"] {
        let manifest = format!(
            "[tool]\nname = \"{minimum}\"\nversion = \"1\"\ndescription = \"d\"\nbinary = \"cat\"\n[command]\n\
             exec = [\"cat\", \"in/data\"]\n[output]\nformat = \"text\"\nparser = \"builtin:text\"\n\
             [output.schema]\ntype = \"object\"\n[sandbox]\nminimum = \"{minimum}\"\n"
        );
        site.manifest(minimum, &manifest);
    }
    assert_eq!(answered(&site, "raised", "full").reasons(), ["sandbox_unavailable"]);
    for tool in ["landlock", "touch"] {
        let bundle = answered(&site, tool, tool);
        assert_eq!((bundle.code().as_str(), text(&bundle.evidence()["sandbox"]["level"]).as_str()), ("", "landlock"));
    }
}

#[test]
fn at_level_landlock_a_tool_reads_what_its_manifest_lists_and_nothing_else_of_the_site() {
    let site = site("landlock", "landlock");
    // Neither in the site nor below what the sandbox keeps for itself.
    let beside = tempfile::tempdir_in("/var/tmp").unwrap();
    let (listed, other) = (beside.path().join("listed"), site.path("other"));
    std::fs::write(&listed, "listed\n").unwrap();
    std::fs::write(&other, "other\n").unwrap();
    symlink(&other, site.path("tools/link")).unwrap();
    let more = format!("[sandbox]\nread_only_paths = [{listed:?}]\n");
    let script = format!(
        "#!/bin/sh\ncat {0} \"$0\" | head -n 2\ncat {1} ../start.json ../../../../../gatepost.toml; ls ..; cat \"${{0%/*}}/../link\"\n\
         touch made-here; echo x > \"out/$(printf 'new\nline')\"; d=out; i=0; while [ $i -lt 1000 ]; do i=$((i+1)); d=d; mkdir $d && cd $d; \
         done 2>/dev/null\nexit 0\n",
        listed.display(),
        other.display()
    );
    site.tool("look", "", &script);
    let manifest = std::fs::read_to_string(site.path("tools/look.clad.toml")).unwrap();
    site.manifest("look", &format!("{manifest}{more}"));
    let bundle = answered(&site, "look", "look");
    assert_eq!((bundle.code().as_str(), bundle.read("artifacts/stdout.txt").as_str()), ("", "listed\n#!/bin/sh\n"));
    assert_eq!(bundle.read("artifacts/out/new%0Aline"), "x\n");
    let complaints = bundle.read("artifacts/stderr.txt");
    assert_eq!(complaints.matches("Permission denied").count(), 6, "{complaints}");
}
