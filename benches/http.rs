//! The cost of an HTTP call above the bare client. The same TLS request is sent by the client in this process, and by
//! the worker in its sandbox through the run's proxy. A program that does nothing runs in the same sandbox. They
//! alternate in one process; it prints medians and ratios.
//!
//! ```text
//! cargo bench --bench http
//! ```

#![allow(clippy::disallowed_methods, reason = "a benchmark is its own world")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

#[path = "../tests/run/http/server.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod server;

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Limits;
use gatepost_sandbox::network::{Access, Connectivity, Destination};
use gatepost_sandbox::process::{Exit, Job, run};
use gatepost_sandbox::{Confinement, PROXY_PORT, View};
use gatepost_worker_http::send;
use gatepost_workers::http::{Assignment, WORKER};

use server::{Server, response};

const ROUNDS: usize = 200;

const LIMITS: Limits = Limits {
    time_ms: 60_000,
    cpu_seconds: 60,
    cpus: None,
    memory_bytes: Some(256 << 20),
    address_space_bytes: 4 << 30,
    files: 256,
    processes: 64,
    file_bytes: 1 << 20,
    out_bytes: Some(1 << 20),
    out_files: Some(100),
    stdout_bytes: 1 << 20,
};

/// The client alone, created anew as the worker creates it.
fn bare(assignment: &Assignment<'_>) -> usize {
    send(assignment).unwrap().body_mut().read_to_string().unwrap().len()
}

/// A program in the sandbox, with the network of a tool.
fn sandboxed(folder: &Path, argv: &[&str], input: &[u8], network: &Connectivity) -> usize {
    let shown = [
        (Path::new(env!("CARGO_BIN_EXE_gatepost")).with_file_name(WORKER), PathBuf::from("/worker")),
        (folder.join("ca.pem"), PathBuf::from("/ca.pem")),
    ];
    let view = View { input: &folder.join("in"), output: &folder.join("out"), read_only: &shown };
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.join(name));
    let job = Job {
        argv: &argv.iter().map(Into::into).collect::<Vec<_>>(),
        environment: &[],
        input: Some(input),
        console: None,
        work_dir: folder,
        confinement: Confinement::full(view).with_network(network),
        limits: &LIMITS,
        grace: Duration::from_secs(2),
        stdout: &stdout,
        stderr: &stderr,
        cancel: None,
        started: &Cell::new(false),
    };
    let ended = run(&job).unwrap();
    assert_eq!(ended.exit, Exit::Code(0), "{}", fs::read_to_string(&stderr).unwrap());
    let length = fs::read(&stdout).unwrap().len();
    fs::remove_file(stdout).and_then(|()| fs::remove_file(stderr)).unwrap();
    length
}

fn timed(expected: usize, work: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    assert_eq!(work(), expected);
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let body = "x".repeat(2_000);
    let server = Server::new(move |_, to| to.write_all(response("200 OK", "", &body).as_bytes()));
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["in", "out", "tmp"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fs::copy(server.ca_file(), folder.join("ca.pem")).unwrap();
    let assignment = |ca_file, proxy| Assignment {
        method: "GET".into(),
        url: format!("https://{}/", server.destination()).into(),
        headers: Vec::new(),
        body: None,
        answers: Vec::new().into(),
        ca_file: Some(ca_file),
        proxy,
    };
    let (outside, inside) = (
        assignment(folder.join("ca.pem"), None),
        assignment("/ca.pem".into(), Some(format!("http://127.0.0.1:{PROXY_PORT}"))).to_json(),
    );
    let network = Connectivity::Proxy(Access::to(vec![Destination::parse(&server.destination()).unwrap()]));
    let (mut client, mut worker, mut nothing) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        client.push(timed(2_000, || bare(&outside)));
        worker.push(timed(2_000, || sandboxed(folder, &["/worker"], &inside, &network)));
        nothing.push(timed(0, || sandboxed(folder, &["/bin/true"], &inside, &network)));
    }
    let client = median(client);
    println!("an HTTP call over TLS by the bare client: {client:?}");
    for (what, times) in
        [("by the worker in its sandbox, through the proxy", worker), ("/bin/true in that sandbox", nothing)]
    {
        let time = median(times);
        println!("    {what}: {time:?}, ratio {:.2}", time.as_secs_f64() / client.as_secs_f64());
    }
}
