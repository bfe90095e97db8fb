//! `gatepost doctor` says what is true: on this machine as it is, and under wrappers that take something away.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use crate::site::{GATEPOST, Site, is_root, text};

/// What a report says of one check.
fn finding<'a>(outcome: &'a Value, check: &str) -> &'a Value {
    let findings = outcome["data"]["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["check"] == check).unwrap_or_else(|| panic!("no {check} in {outcome}"))
}

fn status<'a>(outcome: &'a Value, check: &str) -> &'a str {
    finding(outcome, check)["status"].as_str().unwrap()
}

/// Runs the doctor at the end of a shell script that stands in namespaces of its own, as their root.
fn examined_after(site: &Site, script: &str) -> std::process::Output {
    let script = format!("{script}\nexec \"$@\"");
    let wrapper = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc", &script, "sh"];
    site.command(&wrapper, &["doctor"]).output().unwrap()
}

fn refused(output: &std::process::Output) -> Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!(output.status.code(), Some(4), "{outcome}");
    assert_eq!(outcome["error"]["code"], "SANDBOX_UNAVAILABLE");
    assert!(outcome["data"]["level"].is_null(), "{outcome}");
    outcome
}

/// Everything of level full works here; the rest of the suite shows it, and the doctor must find the same.
fn finds_all_of_level_full(site: &Site) {
    let outcome = site.gatepost(&["doctor"]).succeeds();
    assert_eq!(outcome["data"]["level"], "full");
    for group in ["namespace.", "sandbox.", "level."] {
        let findings = outcome["data"]["findings"].as_array().unwrap();
        let of_group: Vec<_> = findings.iter().filter(|f| f["check"].as_str().unwrap().starts_with(group)).collect();
        assert!(!of_group.is_empty(), "{group}");
        for finding in of_group {
            // Only a route takes further software.
            let may_lack = finding["check"] == "sandbox.routed_network" && finding["status"] == "unavailable";
            assert!(finding["status"] == "ok" || may_lack, "{finding}");
        }
    }
    assert_eq!(outcome["data"]["layers"], site.gatepost(&["status"]).succeeds()["data"]["sandbox_layers"]);
}

#[test]
fn what_tools_get_here_is_what_the_doctor_finds_for_root_and_for_nobody() {
    let site = Site::new();
    finds_all_of_level_full(&site);
    if is_root() {
        finds_all_of_level_full(&site.of_nobody());
    }
}

#[test]
fn namespaces_that_a_sysctl_forbids_are_told_with_the_sysctl() {
    let site = Site::new();
    let outcome = refused(&examined_after(&site, "echo 0 > /proc/sys/user/max_user_namespaces"));
    for check in ["namespace.user", "namespace.all", "sandbox.private_root", "level.full", "level.none"] {
        assert_eq!(status(&outcome, check), "failure", "{check}");
        let fix = finding(&outcome, check)["fix_command"].as_str().unwrap();
        assert_eq!(fix, "sudo sysctl -w user.max_user_namespaces=15000");
    }
    for check in ["sandbox.landlock", "sandbox.seccomp", "sandbox.no_new_privs", "level.landlock"] {
        assert_eq!(status(&outcome, check), "ok", "{check} needs no namespace");
    }
    assert!(text(&outcome["error"]["message"]).contains("It can at level landlock"), "{outcome}");
    site.configure("[sandbox]\nminimum = \"landlock\"\n");
    fs::write(site.path("gate.toml"), "[sandbox]\nminimum = \"landlock\"\n").unwrap();
    let output = examined_after(&site, "echo 0 > /proc/sys/user/max_user_namespaces");
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), text(&outcome["data"]["level"])), (Some(0), "landlock".to_owned()));
    for check in ["namespace.user", "level.full", "era.sandbox"] {
        assert_eq!(status(&outcome, check), "warning", "{check}");
    }
}

#[test]
fn one_forbidden_kind_of_namespace_is_found_among_those_that_work() {
    let site = Site::new();
    let outcome = refused(&examined_after(&site, "echo 0 > /proc/sys/user/max_net_namespaces"));
    let wrong = ["namespace.network", "namespace.all", "level.full", "level.none"];
    for finding in outcome["data"]["findings"].as_array().unwrap() {
        let check = finding["check"].as_str().unwrap();
        let is_tried = ["namespace", "sandbox", "level"].iter().any(|group| check.starts_with(group));
        assert!(!is_tried || (finding["status"] == "failure") == wrong.contains(&check), "{finding}");
    }
}

#[test]
fn a_proc_of_which_a_container_hides_parts_is_told_as_that_at_every_level() {
    let site = Site::new();
    let outcome = refused(&examined_after(&site, "mount -t tmpfs tmpfs /proc/bus"));
    for check in ["sandbox.proc", "level.full", "level.none"] {
        assert_eq!(status(&outcome, check), "failure", "{check}");
        let why = finding(&outcome, check)["why"].as_str().unwrap();
        assert!(why.contains("/proc/bus"), "{check}: {why}");
    }
    assert_eq!(status(&outcome, "sandbox.private_root"), "ok");
}

#[test]
fn a_chroot_is_told_as_the_reason_why_there_are_no_namespaces() {
    let site = Site::new();
    let script = format!(
        "mkdir {root}/jail && cd {root}/jail && mkdir proc dev site
         for folder in usr bin lib lib64; do
             if [ -L /$folder ]; then cp -P /$folder .; elif [ -d /$folder ]; then mkdir $folder; mount --rbind /$folder $folder; fi
         done
         mount --rbind /proc proc; mount --rbind /dev dev; mount --rbind {root} site; cp {GATEPOST} gatepost
         exec chroot . /gatepost --site /site doctor",
        root = site.root.display()
    );
    let outcome = refused(&examined_after(&site, &script));
    assert!(finding(&outcome, "namespace.user")["why"].as_str().unwrap().contains("chroot"), "{outcome}");
    assert!(finding(&outcome, "machine.process")["found"].as_str().unwrap().contains("in a chroot"), "{outcome}");
}

#[test]
fn limits_and_restrictions_from_outside_are_told_and_do_not_fail() {
    let site = Site::new();
    let wrapper = ["prlimit", "--nofile=64", "setpriv", "--no-new-privs"];
    let outcome = site.gatepost_under(&wrapper, &["doctor"]).succeeds();
    assert_eq!(status(&outcome, "limit.files"), "warning");
    assert_eq!(finding(&outcome, "limit.files")["found"], "64");
    assert!(finding(&outcome, "machine.process")["found"].as_str().unwrap().contains("no_new_privs from outside"));
    assert_eq!(outcome["data"]["level"], "full");
}

#[test]
fn outside_of_a_site_the_machine_is_examined_for_a_site_with_default_values() {
    let site = Site::new();
    fs::remove_file(site.path("gatepost.toml")).unwrap();
    let output = Command::new(GATEPOST).args(["--output", "text", "doctor"]).current_dir("/").output();
    let output = output.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("Tools run here at level full.\n"), "{text}");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(site.gatepost(&["doctor"]).ends(4)["error"]["code"], "INIT_REQUIRED");
}

#[test]
fn the_profile_for_apparmor_names_the_program_itself() {
    let site = Site::new();
    let outcome = site.gatepost(&["doctor", "--apparmor-profile"]).succeeds();
    let real = fs::canonicalize(GATEPOST).unwrap();
    let expected = format!("profile gatepost \"{}\" flags=(unconfined)", real.display());
    assert!(outcome["data"]["profile"].as_str().unwrap().contains(&expected), "{outcome}");
}

#[test]
fn a_fresh_site_is_sound_and_its_sample_tools_could_run() {
    let site = Site::new();
    let outcome = site.gatepost(&["doctor"]).succeeds();
    let checks = ["site.configuration", "rights.all", "rights.inbox", "disk.moves", "tool.line_count"];
    for check in checks {
        assert_eq!(status(&outcome, check), "ok", "{check}");
    }
    assert!(finding(&outcome, "tool.csv_stats")["found"].as_str().unwrap().ends_with("/python3"), "{outcome}");
    assert_eq!(status(&outcome, "rights.users"), "warning", "one user serves both halves");
    let again = site.gatepost(&["doctor"]).succeeds();
    let found = |outcome: &Value, check: &str| finding(outcome, check).clone();
    for check in checks {
        assert_eq!(found(&outcome, check), found(&again, check));
    }
}

#[test]
fn what_everybody_may_change_is_a_failure_with_the_command_that_mends_it() {
    let site = Site::new();
    let spoilt = ["var", "outbox", "tools", "tools/scripts/fail_with.sh", "gatepost.toml", "var/gate/audit"];
    for name in spoilt {
        let path = site.path(name);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode | 0o002)).unwrap();
        let outcome = site.gatepost(&["doctor", "--problems"]).ends(4);
        assert_eq!(outcome["error"]["code"], "SITE_UNSOUND", "{name}");
        for one in outcome["data"]["findings"].as_array().unwrap() {
            assert!(["warning", "failure"].contains(&one["status"].as_str().unwrap()), "{one}");
        }
        assert_eq!(status(&outcome, &format!("rights.{name}")), "failure");
        let command = text(&finding(&outcome, &format!("rights.{name}"))["fix_command"]);
        assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success(), "{command}");
        site.gatepost(&["doctor"]).succeeds();
    }
}

#[test]
fn a_site_below_a_folder_in_which_everybody_can_rename_is_a_failure() {
    let site = Site::new();
    let above = site.root.parent().unwrap().to_owned();
    fs::set_permissions(&above, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(status(&site.gatepost(&["doctor"]).ends(4), "rights.above"), "failure");
    fs::set_permissions(&above, fs::Permissions::from_mode(0o1777)).unwrap();
    site.gatepost(&["doctor"]).succeeds();
}

#[test]
fn an_inbox_for_everybody_is_right_when_nobody_can_touch_the_drops_of_others() {
    let site = Site::new();
    for (mode, expected) in [(0o1733, "ok"), (0o1777, "ok"), (0o777, "warning"), (0o755, "ok")] {
        fs::set_permissions(site.path("inbox"), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(status(&site.gatepost(&["doctor"]).succeeds(), "rights.inbox"), expected, "{mode:o}");
    }
}

#[test]
fn a_folder_on_another_mount_is_told_even_when_it_shows_the_same_disk() {
    let site = Site::new();
    let script = format!("mount --bind {0}/outbox {0}/outbox", site.root.display());
    let output = examined_after(&site, &script);
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), status(&outcome, "disk.moves")), (Some(4), "failure"));
    assert!(text(&finding(&outcome, "disk.moves")["found"]).ends_with(": outbox"), "{outcome}");
    let output = examined_after(&site, &format!("mount -t tmpfs tmpfs {}/inbox", site.root.display()));
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), status(&outcome, "disk.moves")), (Some(0), "ok"), "the inbox may");
    assert_eq!(text(&finding(&outcome, "disk.inbox_kind")["found"]), "tmpfs");
}

#[test]
fn a_configuration_that_is_refused_is_told_and_the_rest_is_examined_all_the_same() {
    let site = Site::new();
    site.configure("[inbox]\nsettle = 1\n");
    let outcome = site.gatepost(&["doctor"]).ends(4);
    assert!(text(&finding(&outcome, "site.configuration")["why"]).contains("settle"), "{outcome}");
    assert_eq!(outcome["data"]["level"], "full");
}

#[test]
fn a_gate_that_demands_more_than_tools_get_is_told_before_it_rejects_every_result() {
    let site = Site::new().without_walls();
    fs::write(site.path("gate.toml"), "[sandbox]\nminimum = \"full\"\n").unwrap();
    assert_eq!(status(&site.gatepost(&["doctor"]).ends(4), "site.gate_configuration"), "failure");
    fs::write(site.path("gate.toml"), "[sandbox]\nminimum = \"none\"\n").unwrap();
    assert_eq!(status(&site.gatepost(&["doctor"]).succeeds(), "site.gate_configuration"), "ok");
    fs::write(site.path("gate.toml"), "[sandbox]\nminimun = \"none\"\n").unwrap();
    let outcome = site.gatepost(&["doctor"]).ends(4);
    assert!(text(&finding(&outcome, "site.gate_configuration")["why"]).contains("minimun"), "{outcome}");
}

#[test]
fn a_tool_that_could_not_run_is_told_with_the_reason_and_the_others_stay() {
    let site = Site::new();
    let manifest = |name: &str, command: &str| {
        format!(
            "[tool]\nname = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"d\"\n{command}\n[output]\nformat = \"text\"\n\
             parser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n"
        )
    };
    let program = |path: &str| format!("binary = \"{path}\"\n[command]\nexec = [\"{path}\"]");
    let hidden = site.path("hidden");
    fs::write(&hidden, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&hidden, fs::Permissions::from_mode(0o755)).unwrap();
    site.manifest("absent", &manifest("absent", &program("no_such_program")));
    site.manifest("hidden", &manifest("hidden", &program(hidden.to_str().unwrap())));
    site.manifest("broken", "[tool]\nname = 1\n");
    site.tool("strange", "", "#!/usr/bin/env no_such_interpreter\n");
    site.tool("inert", "", "#!/bin/sh\n");
    fs::set_permissions(site.path("tools/scripts/inert"), fs::Permissions::from_mode(0o644)).unwrap();
    let outcome = site.gatepost(&["doctor"]).succeeds();
    for (tool, why) in [
        ("absent", "no_such_program"),
        ("hidden", "not visible"),
        ("broken", "broken.clad.toml"),
        ("strange", "no_such_interpreter"),
        ("inert", "not executable"),
    ] {
        let finding = finding(&outcome, &format!("tool.{tool}"));
        assert_eq!(finding["status"], "warning", "{finding}");
        assert!(text(&finding["why"]).contains(why), "{finding}");
    }
    assert_eq!(status(&outcome, "tool.line_count"), "ok");
}

#[test]
fn what_a_program_links_to_and_a_tool_does_not_see_is_told() {
    let site = Site::new();
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["maven/bin", "settings"] {
        fs::create_dir_all(path(name)).unwrap();
    }
    fs::write(path("maven/bin/mvn"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(path("maven/bin/mvn"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(path("settings"), path("maven/conf")).unwrap();
    let manifest = |shown: &str| {
        format!(
            "[tool]\nname = \"mvn\"\nversion = \"1\"\ndescription = \"d\"\nbinary = \"{0}\"\n[command]\nexec = [\"{0}\"]\n\
             [output]\nformat = \"text\"\nparser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n\
             [sandbox]\nread_only_paths = [\"{shown}\"]\n",
            path("maven/bin/mvn").display()
        )
    };
    site.manifest("mvn", &manifest(path("maven").to_str().unwrap()));
    let doctor = site.gatepost(&["doctor"]).succeeds();
    let found = finding(&doctor, "tool.mvn");
    assert_eq!(found["status"], "warning", "{found}");
    assert!(text(&found["why"]).contains(path("settings").to_str().unwrap()), "{found}");
    site.manifest("mvn", &manifest(folder.path().to_str().unwrap()));
    assert_eq!(status(&site.gatepost(&["doctor"]).succeeds(), "tool.mvn"), "ok");
}

#[test]
fn a_tool_that_is_to_see_what_cannot_be_shown_or_shares_its_name_cannot_run() {
    let site = Site::new();
    let shows = |path: &str| format!("[sandbox]\nread_only_paths = [\"{path}\"]\n");
    site.tool("twin", "", "#!/bin/sh\n");
    fs::copy(site.path("tools/twin.clad.toml"), site.path("tools/other.clad.toml")).unwrap();
    for (name, path) in [("gone", "/srv/no/such/folder"), ("hidden", "/tmp/x")] {
        site.tool(name, "", "#!/bin/sh\n");
        let manifest = site.path(&format!("tools/{name}.clad.toml"));
        let text = fs::read_to_string(&manifest).unwrap().replace("[output]", &format!("{}[output]", shows(path)));
        fs::write(manifest, text).unwrap();
    }
    site.tool("empty", "", "#!/bin/sh\n");
    fs::remove_file(site.path("tools/scripts/empty")).unwrap();
    let doctor = site.gatepost(&["doctor"]).0.stdout;
    let doctor: Value = serde_json::from_slice(&doctor).unwrap();
    let checked = site.gatepost(&["tools", "check"]).ends(79);
    for (name, why) in [
        ("twin", "also has the name twin"),
        ("gone", "\"/srv/no/such/folder\", which does not exist"),
        ("hidden", "which the sandbox reserves"),
        ("empty", "tools/scripts/empty is missing"),
    ] {
        let found = finding(&doctor, &format!("tool.{name}"));
        assert_eq!((&found["status"], &found["found"]), (&"warning".into(), &"cannot run".into()), "{found}");
        assert!(text(&found["why"]).contains(why), "{found}");
        let tools = checked["data"]["tools"].as_array().unwrap();
        let check = tools.iter().find(|check| text(&check["path"]).ends_with(&format!("/{name}.clad.toml"))).unwrap();
        assert!(check["errors"].to_string().replace("\\\"", "\"").contains(why), "{check}");
    }
}
