//! The cost of an MCP call beside `gatepost submit --wait`, in one run on one site: `cargo bench --bench gatepost_mcp`.
//!
//! ```text
//! submit --wait    ms a call, the start of the program included
//! MCP on stdio     ms a call
//! MCP over HTTP    ms a call, and calls a second of 200 callers at once
//! ```
//!
//! The tool does nothing. Times are medians.

#![allow(clippy::disallowed_methods, reason = "a benchmark arranges the world, and starts what it measures")]
#![allow(clippy::unwrap_used, reason = "a benchmark ends by panicking")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gatepost_documents::digest::Digest;
use serde_json::{Value, json};

const CALLS: usize = 40;
const CALLERS: u32 = 200;
const CONFIG: &str = "[inbox]\nsettle_ms = 0\n[sandbox]\nminimum = \"none\"\nmaximum = \"none\"\n";

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // `up` stops its watchers on SIGTERM.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_gatepost")).with_file_name(name)
}

fn gatepost(site: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program("gatepost"));
    command.arg("--site").arg(site).args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn median_ms(mut call: impl FnMut(usize)) -> f64 {
    let mut times: Vec<Duration> = (0..CALLS)
        .map(|number| {
            let began = Instant::now();
            call(number);
            began.elapsed()
        })
        .collect();
    times.sort();
    times[CALLS / 2].as_secs_f64() * 1_000.0
}

fn message(key: &str) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let arguments = json!({"status": 0, "_idempotency_key": key});
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "fail_with", "arguments": arguments, "_meta": meta},
    })
}

fn over_http(address: &str, key: &str) {
    let (mut stream, body) = (TcpStream::connect(address).unwrap(), message(key).to_string());
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer bench\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: fail_with\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\"isError\":false"), "{answer}");
}

/// A server over HTTP, and its address.
fn http(site: &Path, folder: &Path) -> (Killed, String) {
    let tokens = folder.join("tokens");
    fs::write(&tokens, format!("bench sha256:{}\n", Digest::of(b"bench"))).unwrap();
    fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600)).unwrap();
    let mut command = Command::new(program("gatepost-mcp"));
    command.arg("--site").arg(site).args(["--http", "127.0.0.1:0", "--tokens"]).arg(&tokens).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.find_map(|line| Some(line.unwrap().split_once("http://")?.1.split('/').next()?.to_owned()));
    thread::spawn(move || lines.for_each(drop));
    (Killed(child), address.unwrap())
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    assert!(gatepost(&site, &["init", site.to_str().unwrap()]).status().unwrap().success());
    fs::write(site.join("gatepost.toml"), CONFIG).unwrap();
    fs::write(site.join("gate.toml"), "[sandbox]\nminimum = \"none\"\n").unwrap();
    let _up = Killed(gatepost(&site, &["up"]).spawn().unwrap());
    while !site.join("core/catalog.json").exists() {
        thread::sleep(Duration::from_millis(20));
    }
    let submit = median_ms(|_| {
        let words = ["submit", "--tool", "fail_with", "--arg", "status=0", "--wait"];
        assert!(gatepost(&site, &words).status().unwrap().success());
    });
    let mut server = gatepost(&site, &["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    let stdio = median_ms(|number| {
        writeln!(input, "{}", message(&format!("stdio-{number}"))).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.contains("\"isError\":false"), "{line}");
    });
    drop(input);
    server.wait().unwrap();
    let (_http, address) = http(&site, folder.path());
    let one = median_ms(|number| over_http(&address, &format!("http-{number}")));
    let began = Instant::now();
    thread::scope(|scope| {
        for number in 0..CALLERS {
            let address = &address;
            scope.spawn(move || over_http(address, &format!("at-once-{number}")));
        }
    });
    let a_second = f64::from(CALLERS) / began.elapsed().as_secs_f64();
    println!("submit --wait           {submit:8.1} ms a call");
    println!("MCP on stdio            {stdio:8.1} ms a call, {:+.1} ms", stdio - submit);
    println!("MCP over HTTP           {one:8.1} ms a call, {:+.1} ms", one - submit);
    println!("MCP, {CALLERS} callers at once {a_second:8.1} calls a second");
}
