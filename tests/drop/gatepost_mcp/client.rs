//! A client of the MCP server: raw JSON-RPC on its stdin and stdout, or over HTTP.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio as Pipe};
use std::time::Duration;

use gatepost_documents::digest::Digest;
use serde_json::{Value, json};

use crate::site::{Site, program, text};

/// A revision of the protocol, as a client speaks it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revision {
    /// 2025-11-25
    Handshake,
    /// 2026-07-28
    Stateless,
    /// The same, of a client that declares tasks.
    Tasks,
}

/// Completes the parameters of a request as the revision has them.
fn params(revision: Revision, mut params: Value) -> Value {
    if revision == Revision::Handshake {
        return params;
    }
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        if revision == Revision::Tasks { tasks } else { json!({}) };
    params
}

/// What a client can do on either transport.
pub(crate) trait Client {
    fn ask(&mut self, method: &str, params: Value) -> Value;

    fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }
}

/// All text of a result.
pub(crate) fn said(result: &Value) -> String {
    result["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect()
}

/// The request of a result.
pub(crate) fn request_id(result: &Value) -> String {
    text(&result["structuredContent"]["request_id"])
}

/// A server on stdin and stdout.
pub(crate) struct Stdio {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    revision: Revision,
    id: u64,
}

impl Stdio {
    pub(crate) fn of(site: &Site, arguments: &[&str], revision: Revision) -> Self {
        let mut command = site.command(&[], &[&["mcp"], arguments].concat());
        Self::started(&mut command, revision)
    }

    pub(crate) fn started(command: &mut Command, revision: Revision) -> Self {
        let mut child = command.stdin(Pipe::piped()).stdout(Pipe::piped()).stderr(Pipe::inherit()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Self { child, stdin, stdout, revision, id: 0 };
        if revision == Revision::Handshake {
            let client = json!({"name": "test", "version": "1"});
            let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
            let shaken = server.result("initialize", params);
            assert_eq!(shaken["protocolVersion"], "2025-11-25");
            assert!(shaken["capabilities"]["tasks"]["cancel"].is_object(), "{shaken}");
            server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        server
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Asks without waiting for the answer.
    pub(crate) fn begin(&mut self, method: &str, given: Value) -> u64 {
        self.id += 1;
        let params = params(self.revision, given);
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}));
        self.id
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the server ended");
        serde_json::from_str(&line).unwrap()
    }

    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The process of the server.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The client goes away without a word.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
    }

    /// The client closes its side; how the server ends.
    pub(crate) fn ends(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

impl Client for Stdio {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server over HTTP.
pub(crate) struct Http {
    child: Child,
    /// Host and port.
    pub(crate) address: String,
    folder: tempfile::TempDir,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// Reads to the end of a connection.
    pub(crate) fn read(stream: &mut TcpStream) -> Self {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{} {}", self.status, self.body))
    }
}

/// A client with a token.
pub(crate) struct HttpClient<'a> {
    pub(crate) server: &'a Http,
    pub(crate) token: &'a str,
    pub(crate) revision: Revision,
}

impl Http {
    /// A server whose principals' tokens are `NAME-token`, each with what follows its name in the file of tokens.
    pub(crate) fn of(site: &Site, principals: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let line = |(name, tools): &(&str, &str)| {
            format!("{name} sha256:{} {tools}\n", Digest::of(format!("{name}-token").as_bytes()))
        };
        let tokens: PathBuf = folder.path().join("tokens");
        fs::write(&tokens, principals.iter().map(line).collect::<String>()).unwrap();
        fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600)).unwrap();
        let mut command = Command::new(program("gatepost-mcp"));
        command.arg("--site").arg(&site.root).args(["--http", "127.0.0.1:0", "--host", "mcp.example.org", "--tokens"]);
        let mut child = command.arg(&tokens).stderr(Pipe::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "the server ended");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split('/').next().unwrap().to_owned();
            }
        };
        // It is read to its end, so that the server is never held up.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Self { child, address, folder }
    }

    /// Changes the file of tokens.
    pub(crate) fn revoke_all(&self) {
        fs::write(self.folder.path().join("tokens"), "").unwrap();
    }

    /// The process of the server.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A connection.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(90))).unwrap();
        stream
    }

    /// Sends a request with these lines in its head.
    pub(crate) fn send(&self, head: &[&str], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that refuses by the head alone does not read on.
        let _ = stream.write_all(&message(head, body));
        Answer::read(&mut stream)
    }

    pub(crate) fn client<'a>(&'a self, token: &'a str, revision: Revision) -> HttpClient<'a> {
        HttpClient { server: self, token, revision }
    }
}

/// A request with these lines in its head.
fn message(head: &[&str], body: &[u8]) -> Vec<u8> {
    let host = if head.iter().any(|line| line.starts_with("Host:")) { "" } else { "Host: localhost\r\n" };
    let lines: String = head.iter().flat_map(|line| [line, "\r\n"]).collect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\n{host}{lines}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

impl HttpClient<'_> {
    pub(crate) fn post(&self, method: &str, given: Value) -> Answer {
        let mut stream = self.server.connect();
        let _ = stream.write_all(&self.message(method, given));
        Answer::read(&mut stream)
    }

    /// A request as it is sent.
    pub(crate) fn message(&self, method: &str, given: Value) -> Vec<u8> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params(self.revision, given)});
        let authorization = format!("Authorization: Bearer {}", self.token);
        let version = match self.revision {
            Revision::Handshake => "2025-11-25",
            Revision::Stateless | Revision::Tasks => "2026-07-28",
        };
        let mut head = vec![authorization, format!("MCP-Protocol-Version: {version}"), format!("Mcp-Method: {method}")];
        head.extend(body["params"]["name"].as_str().map(|name| format!("Mcp-Name: {name}")));
        head.extend(body["params"]["uri"].as_str().map(|uri| format!("Mcp-Name: {uri}")));
        head.extend(body["params"]["taskId"].as_str().map(|id| format!("Mcp-Name: {id}")));
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        message(&head, body.to_string().as_bytes())
    }
}

impl Client for HttpClient<'_> {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.post(method, params).json()
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
