//! The protocol's own suite, `@modelcontextprotocol/conformance`, against a site with the tools that it asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::client::Http;
use crate::installed;
use crate::site::{Site, Watcher, until};

/// Scenario, check, and why the check does not hold here.
const TABLE: &str = include_str!("conformance.tsv");
/// The scenarios of tasks belong to no revision, and are asked for by name.
const TASKS: [&str; 8] = [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
];

/// A site with the tools of the suite, served.
fn served() -> (Site, Watcher) {
    // The suite starts tools that sleep for a minute; each keeps a worker busy.
    let site = Site::with_config(
        "[inbox]\nsettle_ms = 0\nscan_interval_ms = 50\n[exec]\nworkers = 12\n[gate]\nscan_interval_ms = 50\n\
         [mcp_server]\ngrace_seconds = 1\n",
    );
    let argument = |name: &str, kind: &str| format!("[args.{name}]\ntype = \"{kind}\"\nrequired = true\n");
    site.tool("test_simple_text", "", "#!/bin/sh\necho This is a simple text response for testing.\n");
    site.tool(
        "test_error_handling",
        "",
        "#!/bin/sh\necho This tool intentionally returns an error for testing >&2\nexit 3\n",
    );
    site.tool("greet", &argument("name", "string"), "#!/bin/sh\nprintf %s \"Hello, $TOOLCLAD_ARG_NAME!\"");
    let slow = argument("seconds", "integer") + &argument("label", "string");
    site.tool("slow_compute", &slow, "#!/bin/sh\nsleep \"$TOOLCLAD_ARG_SECONDS\"\necho done\n");
    site.tool("failing_job", "", "#!/bin/sh\nsleep 2\nexit 3\n");
    let watcher = site.watch("up");
    site.is_watched();
    until("the catalog", || site.path("core/catalog.json").exists());
    (site, watcher)
}

/// Runs the suite's client with these arguments; its checks go below a folder.
fn suite(url: &str, arguments: &[&str], out: &Path) {
    let mut client = Command::new(installed("node_modules/node/bin/node"));
    client.arg(installed("node_modules/@modelcontextprotocol/conformance/dist/index.js"));
    client.args(["server", "--url", url]).args(arguments).arg("-o").arg(out);
    // It exits with 1 where a check failed.
    client.stdout(Stdio::null()).status().unwrap();
}

/// The checks by their status, each as scenario and name.
fn checks(out: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for entry in std::fs::read_dir(out).unwrap() {
        let folder = entry.unwrap();
        let name = folder.file_name().into_string().unwrap();
        // `server-SCENARIO-TIME`
        let scenario = &name["server-".len()..name.len() - "-2026-11-28T14-43-45-626Z".len()];
        let checks: Value =
            serde_json::from_slice(&std::fs::read(folder.path().join("checks.json")).expect(&name)).unwrap();
        for check in checks.as_array().unwrap() {
            let status = check["status"].as_str().unwrap().to_owned();
            found.entry(status).or_default().insert(format!("{scenario}\t{}", check["id"].as_str().unwrap()));
        }
    }
    found
}

/// A proxy that adds the token, which the suite's client cannot send.
struct Proxy {
    child: Child,
    url: String,
}

impl Proxy {
    fn to(address: &str) -> Self {
        let script = format!("{}/tests/mcp_servers/proxy.mjs", env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new("node");
        let mut child = command.args([&script, address, "suite-token"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, url: format!("http://127.0.0.1:{}/mcp", port.trim()) }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_suite_fails_only_where_the_table_says_why() {
    let (site, _watcher) = served();
    let http = Http::of(&site, &[("suite", "")]);
    let proxy = Proxy::to(&http.address);

    let found = ["2025-11-25", "2026-07-28"].map(|revision| {
        let out = tempfile::tempdir().unwrap();
        suite(&proxy.url, &["--suite", "all", "--spec-version", revision], out.path());
        if revision == "2026-07-28" {
            for scenario in TASKS {
                suite(&proxy.url, &["--scenario", scenario], out.path());
            }
        }
        (revision, checks(out.path()))
    });
    for (revision, found) in found {
        let expected = TABLE.lines().filter(|line| line.starts_with(revision));
        let expected: BTreeSet<String> =
            expected.map(|line| line.split('\t').skip(1).take(2).collect::<Vec<_>>().join("\t")).collect();
        let [passed, failed] = ["SUCCESS", "FAILURE"].map(|status| found.get(status).cloned().unwrap_or_default());
        println!("{revision}: {} checks passed, {} do not apply", passed.len(), expected.len());
        let differ: Vec<_> = failed.symmetric_difference(&expected).collect();
        assert_eq!(differ, Vec::<&String>::new(), "{revision}: failed and not in the table, or the other way round");
    }
}
