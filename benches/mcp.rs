//! The cost of an MCP tool call above the bare SDK. The same call to the tests' stand-in server is made by the SDK in
//! this process, by the worker in its sandbox, and by `gatepost tools run`. They alternate; it prints medians and
//! ratios.
//!
//! ```text
//! cargo bench --bench mcp
//! ```

#![allow(clippy::disallowed_methods, reason = "a benchmark is its own world")]
#![allow(clippy::print_stdout, reason = "it prints its figures")]

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Limits;
use gatepost_sandbox::process::{Job, run};
use gatepost_sandbox::{Confinement, View};
use gatepost_worker_mcp::{Answer, Listener};
use gatepost_workers::mcp::{Call, Server, WORKER};

const ROUNDS: usize = 60;
const GATEPOST: &str = env!("CARGO_BIN_EXE_gatepost");

/// The stand-in server.
const SERVER: &str = include_str!("../tests/run/mcp/server.py");

fn call() -> Call<'static> {
    let arguments = serde_json::json!({"query": "SELECT 1", "db_name": "staging"});
    Call {
        server: Server::Stdio {
            argv: Cow::Owned(["/usr/bin/python3", "-c", SERVER, "plain"].map(str::to_owned).to_vec()),
            environment: BTreeMap::new(),
        },
        tool: Cow::Borrowed("query"),
        arguments: Cow::Owned(arguments.as_object().expect("it is an object").clone()),
        schema_sha256: None,
    }
}

/// Discards all output.
struct Silent;

impl Listener for Silent {
    fn listed(&mut self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn answered(&mut self, _: &Answer, _: Option<&str>) {}
}

fn by_the_sdk() {
    gatepost_worker_mcp::call(&call(), &mut Silent).expect("the stand-in answers");
}

fn by_the_worker(folder: &Path) {
    let [input, output, stdout, stderr] = ["in", "out", "stdout", "stderr"].map(|name| folder.join(name));
    let limits = Limits {
        time_ms: 60_000,
        cpu_seconds: 60,
        cpus: None,
        memory_bytes: Some(1 << 30),
        address_space_bytes: 64 << 30,
        files: 256,
        processes: 64,
        file_bytes: 1 << 30,
        out_bytes: Some(1 << 20),
        out_files: Some(100),
        stdout_bytes: 1 << 20,
    };
    let shown = [(Path::new(GATEPOST).with_file_name(WORKER), PathBuf::from("/worker"))];
    let message = call().to_json();
    let job = Job {
        argv: &["/worker".into()],
        environment: &[],
        input: Some(&message),
        console: None,
        work_dir: folder,
        confinement: Confinement::full(View { input: &input, output: &output, read_only: &shown }),
        limits: &limits,
        grace: Duration::from_secs(2),
        stdout: &stdout,
        stderr: &stderr,
        cancel: None,
        started: &Cell::new(false),
    };
    let ended = run(&job).expect("the sandbox works here");
    let errors = fs::read_to_string(&stderr).unwrap_or_default();
    assert!(ended.exit == gatepost_sandbox::process::Exit::Code(0), "{errors}");
    fs::remove_file(stdout).and_then(|()| fs::remove_file(stderr)).expect("the files are there");
}

fn make_site(site: &Path) {
    let status = Command::new(GATEPOST).args(["--site"]).arg(site).args(["--output", "json", "init"]).output();
    assert!(status.expect("gatepost runs").status.success());
    let config = format!("[mcp.servers.s]\ncommand = \"python3\"\nargs = [\"-c\", '''{SERVER}''', \"plain\"]\n");
    fs::write(site.join("gatepost.toml"), config).expect("the site is ours");
    let manifest = "[tool]\nname = \"query\"\nversion = \"1\"\ndescription = \"A query\"\n[mcp]\nserver = \"s\"\ntool = \"query\"\n\
         [args.query]\ntype = \"string\"\n[args.db_name]\ntype = \"string\"\n\
         [output]\nformat = \"json\"\nparser = \"builtin:json\"\n[output.schema]\ntype = \"object\"\n";
    fs::write(site.join("tools/query.clad.toml"), manifest).expect("the site is ours");
}

fn by_gatepost(site: &Path) {
    let mut command = Command::new(GATEPOST);
    command.arg("--site").arg(site).args(["--output", "json", "tools", "run", "query"]);
    let output = command.args(["--arg", "query=SELECT 1", "--arg", "db_name=staging"]).output().expect("gatepost runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let (work, site) = (folder.path().join("work"), folder.path().join("site"));
    for name in ["in", "out", "tmp"] {
        fs::create_dir_all(work.join(name)).expect("the folder is ours");
    }
    make_site(&site);
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        times[0].push(timed(by_the_sdk));
        times[1].push(timed(|| by_the_worker(&work)));
        times[2].push(timed(|| by_gatepost(&site)));
    }
    let [sdk, worker, gatepost] = times.map(median);
    println!("one call of a tool, medians of {ROUNDS} rounds that alternate; a server in Python is started for each");
    for (what, time) in [("the bare SDK", sdk), ("the worker in its sandbox", worker), ("gatepost tools run", gatepost)]
    {
        println!("{what:28} {:8.1} ms   {:.2} x", time.as_secs_f64() * 1e3, time.as_secs_f64() / sdk.as_secs_f64());
    }
}
