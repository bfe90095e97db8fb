//! Foreign MCP servers: `server-everything` from npm, over stdio and at an address, and `mcp-server-time` from `PyPI`; and foreign clients
//! of the site's own MCP server, from npm and `PyPI`.
//!
//! ```text
//! tests/mcp_servers/install            installs them below /var/tmp/gatepost-mcp-servers-UID
//! cargo test --test mcp_servers
//! ```
//!
//! Not among the tests that `cargo test` runs by itself: it needs npm, `PyPI` and node, which `.ci/proof` installs.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use site::{Request, Site, until};

#[path = "drop/gatepost_mcp/client.rs"]
#[allow(dead_code, reason = "shared with `integration.rs`, which uses more of it")]
mod client;
#[path = "mcp_servers/conformance.rs"]
mod conformance;
#[allow(dead_code, unused_imports, reason = "other tests use the rest of it")]
mod site;

fn installed(path: &str) -> String {
    let folder = PathBuf::from(format!("/var/tmp/gatepost-mcp-servers-{}", rustix::process::getuid().as_raw()));
    let path = folder.join(path);
    assert!(path.exists(), "{} is missing: run tests/mcp_servers/install first", path.display());
    path.display().to_string()
}

/// A tool of a server, with arguments given as type and name.
fn manifest(server: &str, tool: &str, arguments: &[(&str, &str)], parser: &str) -> String {
    let argument = |(kind, name): &(&str, &str)| format!("[args.{name}]\ntype = \"{kind}\"\nrequired = true\n");
    let arguments: String = arguments.iter().map(argument).collect();
    let name = tool.replace('-', "_");
    format!(
        "[tool]\nname = \"{name}\"\nversion = \"1\"\ndescription = \"A foreign tool\"\n\
         [mcp]\nserver = \"{server}\"\ntool = \"{tool}\"\n{arguments}\
         [output]\nformat = \"{parser}\"\nparser = \"builtin:{parser}\"\n[output.schema]\ntype = \"object\"\n"
    )
}

fn call(site: &Site, tool: &str, arguments: &[(&str, &str)]) -> Value {
    let name = tool.replace('-', "_");
    let slug = tool.replace('_', "-");
    let request = Request::call(&slug, &name);
    let request = arguments.iter().fold(request, |request, (name, value)| request.arg(name, value));
    accepted(site, &request)
}

fn accepted(site: &Site, request: &Request) -> Value {
    site.rename_in(request);
    site.up();
    let bundle = site.result(&request.id);
    let streams = ["stdout", "stderr"].map(|stream| bundle.read(&format!("artifacts/{stream}.txt"))).concat();
    assert!(bundle.0.starts_with(site.path("core/inbound")), "{streams} {:?}", site.reasons(&bundle.name()));
    let evidence = bundle.evidence();
    assert_eq!(evidence["status"], "success", "{evidence:#} {streams}");
    evidence
}

fn everything() -> String {
    installed("node_modules/@modelcontextprotocol/server-everything/dist/index.js")
}

#[test]
fn a_server_from_npm_is_called_on_its_stdio() {
    let script = everything();
    let site = Site::with_config(&format!(
        "[mcp.servers.everything]\ncommand = \"node\"\nargs = [\"{script}\", \"stdio\"]\nread_only_paths = [\"{}\"]\n",
        installed("node_modules")
    ));
    site.manifest("get_sum", &manifest("everything", "get-sum", &[("number", "a"), ("number", "b")], "text"));
    let weather = manifest("everything", "get-structured-content", &[("string", "location")], "json");
    site.manifest("get_structured_content", &weather);
    site.manifest("get_tiny_image", &manifest("everything", "get-tiny-image", &[], "text"));

    let sum = call(&site, "get-sum", &[("a", "2"), ("b", "3.5")]);
    assert!(sum["results"]["raw_output"].as_str().unwrap().contains("5.5"), "{}", sum["results"]);
    assert_eq!(sum["anomalies"], json!([]));
    let weather = call(&site, "get-structured-content", &[("location", "Chicago")]);
    assert!(weather["results"]["temperature"].is_number(), "{}", weather["results"]);
    let image = call(&site, "get-tiny-image", &[]);
    assert!(image["anomalies"][0].as_str().unwrap().contains("are not text"), "{}", image["anomalies"]);
}

#[test]
fn a_server_from_pypi_is_called_on_its_stdio() {
    let program = installed("venv/bin/mcp-server-time");
    let site = Site::with_config(&format!(
        "[mcp.servers.time]\ncommand = \"{program}\"\nargs = [\"--local-timezone\", \"UTC\"]\nread_only_paths = [\"{}\"]\n",
        installed("venv")
    ));
    let arguments = [("string", "source_timezone"), ("string", "time"), ("string", "target_timezone")];
    site.manifest("convert_time", &manifest("time", "convert_time", &arguments, "json"));
    let given = [("source_timezone", "UTC"), ("time", "12:00"), ("target_timezone", "Asia/Tokyo")];
    let converted = call(&site, "convert_time", &given);
    assert_eq!(converted["results"]["time_difference"], "+9.0h", "{}", converted["results"]);
}

/// A server that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_from_npm_is_called_at_an_address() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new("node");
    server.args([everything().as_str(), "streamableHttp"]).env("PORT", port.to_string());
    let _server = Running(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    until("the server", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let site = Site::with_config(&format!(
        "[network]\ndestinations = [\"127.0.0.1:{port}\"]\n[mcp.servers.everything]\nurl = \"http://127.0.0.1:{port}/mcp\"\n"
    ));
    site.manifest("echo", &manifest("everything", "echo", &[("string", "message")], "text"));
    let request = Request::call("echo", "echo").arg("message", "hello").line("network: allowlist");
    let evidence = accepted(&site, &request.line(&format!("network_allowlist: [\"127.0.0.1:{port}\"]")));
    assert!(evidence["results"]["raw_output"].as_str().unwrap().contains("hello"), "{}", evidence["results"]);
    assert_eq!(evidence["network"]["destinations"], json!([format!("127.0.0.1:{port}")]));
}

#[test]
fn clients_from_npm_and_pypi_call_a_tool_of_the_site() {
    let site = Site::new();
    let _watcher = site.watch("up");
    site.is_watched();
    until("the catalog", || site.path("core/catalog.json").exists());
    let script = |name: &str| format!("{}/tests/mcp_servers/{name}", env!("CARGO_MANIFEST_DIR"));
    let node_modules = installed("node_modules");
    let folder = node_modules.strip_suffix("/node_modules").unwrap();
    let http = client::Http::of(&site, &[("npm", ""), ("pypi", "")]);
    let (program, root) = (site::program("gatepost-mcp"), &site.root);
    let url = format!("http://{}/mcp", http.address);
    let client = |name: &str| {
        let mut client = Command::new(if name == "npm" { "node".to_owned() } else { installed("client/bin/python") });
        match name {
            "npm" => client.args([&script("client.mjs"), folder]),
            _ => client.arg(script("client.py")),
        };
        client
    };
    for name in ["npm", "pypi"] {
        let token = format!("{name}-token");
        let stdio = client(name).arg(&program).arg(root).output().unwrap();
        let http = client(name).args([&url, &token]).output().unwrap();
        for called in [stdio, http] {
            assert_eq!(String::from_utf8_lossy(&called.stdout), "2 in/a.txt\n", "{name}: {called:?}");
        }
    }
}
