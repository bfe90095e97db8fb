//! `[mcp]`: the MCP servers whose tools manifests may call, by their names in manifests.
//!
//! ```toml
//! [mcp.servers.github-mcp]
//! command = "node"
//! args = ["/srv/mcp/github/index.js"]
//! env = { GITHUB_TOKEN = "{_secret:github_token}" }
//! network = ["api.github.com:443"]
//! read_only_paths = ["/srv/mcp/github"]
//!
//! [mcp.servers.postgres-mcp]
//! url = "https://mcp.example.org/mcp"
//! headers = { Authorization = "Bearer {_secret:postgres_mcp}" }
//! ```
//!
//! Pure. *Standards*: Model Context Protocol, transports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use gatepost_documents::destination::Destination;
use gatepost_documents::text::quoted;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::environment;
use crate::manifest::{SecretText, is_mcp_name, is_own_header};
use crate::sandbox_root;

/// `[mcp]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mcp {
    /// The servers, by name.
    #[serde(deserialize_with = "named")]
    pub servers: BTreeMap<String, Server>,
}

/// Under names that manifests can write.
fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Server>, D::Error> {
    let servers = BTreeMap::<String, Server>::deserialize(deserializer)?;
    match servers.keys().find(|name| !is_mcp_name(name)) {
        Some(name) => Err(D::Error::custom(format!(
            "an MCP server has the name {}, expected 1 to 128 of A to Z, a to z, 0 to 9, underscore, hyphen and dot",
            quoted(name)
        ))),
        None => Ok(servers),
    }
}

/// `[mcp.servers.NAME]`: a program or an address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Table", into = "Table")]
pub struct Server {
    /// How it is reached.
    pub way: Way,
    /// What it is let reach; of an address, that address.
    pub destinations: Vec<Destination>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum Way {
    /// A program in the sandbox that speaks on stdin and stdout.
    Stdio {
        /// Its argument vector.
        argv: Vec<String>,
        /// Variables beside those that every tool has.
        environment: BTreeMap<String, SecretText>,
        /// Absolute paths that it may read besides the system's folders.
        read_only_paths: Vec<PathBuf>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, SecretText>,
    },
}

/// The keys of a server as they are written.
#[derive(Debug, Clone, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Table {
    /// The program, found like that of a tool; or `url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// Its arguments.
    args: Vec<String>,
    /// Its environment variables, with secrets as `{_secret:name}`.
    env: BTreeMap<String, String>,
    /// Absolute paths that it may read besides the system's folders.
    read_only_paths: Vec<PathBuf>,
    /// The destinations that it reaches, as `host:port`. Every request for one of its tools must list them.
    network: Vec<String>,
    /// The address of a server that speaks streamable HTTP; or `command`.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Headers of every request, with secrets as `{_secret:name}`.
    headers: BTreeMap<String, String>,
}

impl Server {
    /// The secrets that it names.
    pub fn secrets(&self) -> BTreeSet<String> {
        self.texts().values().flat_map(SecretText::secrets).collect()
    }

    /// The paths that it may read beyond the usual ones.
    pub fn read_only_paths(&self) -> &[PathBuf] {
        match &self.way {
            Way::Stdio { read_only_paths, .. } => read_only_paths,
            Way::Http { .. } => &[],
        }
    }

    /// Its variables or headers.
    pub fn texts(&self) -> &BTreeMap<String, SecretText> {
        match &self.way {
            Way::Stdio { environment, .. } => environment,
            Way::Http { headers, .. } => headers,
        }
    }
}

impl TryFrom<Table> for Server {
    type Error = String;

    fn try_from(table: Table) -> Result<Self, String> {
        match (&table.command, &table.url) {
            (Some(_), None) => program(table),
            (None, Some(_)) => address(table),
            (Some(_), Some(_)) => Err("an MCP server has either a command or a url, and this one has both".to_owned()),
            (None, None) => Err("an MCP server needs a command or a url, and this one has neither".to_owned()),
        }
    }
}

fn program(table: Table) -> Result<Server, String> {
    let Table { command, args, env, read_only_paths, network, headers, .. } = table;
    if !headers.is_empty() {
        return Err("headers are for an MCP server with a url; give a command its secrets in env".to_owned());
    }
    if let Some(path) = read_only_paths.iter().find(|path| !path.is_absolute()) {
        return Err(format!("read_only_paths has {}, which is not an absolute path", quoted(&path.to_string_lossy())));
    }
    if let Some(path) = read_only_paths.iter().find(|path| sandbox_root::keeps(path)) {
        return Err(format!("read_only_paths has {}, which the sandbox reserves", quoted(&path.to_string_lossy())));
    }
    for name in env.keys() {
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            return Err(format!("env has {}, which is not the name of a variable", quoted(name)));
        }
        if environment::is_own(name) {
            return Err(format!("env has {name}, which gatepost sets itself"));
        }
    }
    let argv: Vec<String> = command.into_iter().chain(args).collect();
    if let Some(word) = argv.iter().find(|word| word.contains("{_secret:")) {
        return Err(format!("{} holds a secret, which every process could read; pass it in env", quoted(word)));
    }
    let destination = |text: &String| {
        Destination::parse(text).ok_or_else(|| format!("network has {}, which is not host:port", quoted(text)))
    };
    let destinations = network.iter().map(destination).collect::<Result<_, _>>()?;
    let environment = secret_texts("env", env)?;
    Ok(Server { way: Way::Stdio { argv, environment, read_only_paths }, destinations })
}

fn address(table: Table) -> Result<Server, String> {
    let Table { args, env, read_only_paths, network, url, headers, .. } = table;
    if !(args.is_empty() && env.is_empty() && read_only_paths.is_empty() && network.is_empty()) {
        return Err("args, env, read_only_paths and network are for an MCP server with a command".to_owned());
    }
    let url = url.unwrap_or_default();
    let destination = destination(&url)
        .ok_or_else(|| format!("url is {}, expected, for example, https://mcp.example.org/mcp", quoted(&url)))?;
    let is_token = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    if let Some(name) = headers.keys().find(|name| !is_token(name)) {
        return Err(format!("headers has {}, which is not the name of a header", quoted(name)));
    }
    if let Some(name) = headers.keys().find(|name| is_own_header(name) || is_of_protocol(name)) {
        return Err(format!("headers has {}, which gatepost writes itself", quoted(name)));
    }
    let headers = secret_texts("headers", headers)?;
    Ok(Server { way: Way::Http { url, headers }, destinations: vec![destination] })
}

/// Whether the protocol gives a header its value.
fn is_of_protocol(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("mcp-") || matches!(name.as_str(), "accept" | "content-type" | "last-event-id")
}

/// The destination of a URL that all programs read in the same way.
fn destination(url: &str) -> Option<Destination> {
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\' && byte != b'{');
    Destination::of_url(url).filter(|_| is_plain)
}

fn secret_texts(key: &str, texts: BTreeMap<String, String>) -> Result<BTreeMap<String, SecretText>, String> {
    let read = |(name, text): (String, String)| match SecretText::read(&text) {
        Ok(text) => Ok((name, text)),
        Err(fault) => Err(format!("{key} {name} {fault}")),
    };
    texts.into_iter().map(read).collect()
}

impl From<Server> for Table {
    fn from(server: Server) -> Self {
        let written = |texts: BTreeMap<String, SecretText>| {
            texts.into_iter().map(|(name, text)| (name, text.to_string())).collect()
        };
        match server.way {
            Way::Stdio { argv, environment, read_only_paths } => {
                let mut words = argv.into_iter();
                let network = server.destinations.iter().map(ToString::to_string).collect();
                let (command, args) = (words.next(), words.collect());
                Self { command, args, env: written(environment), read_only_paths, network, ..Self::default() }
            }
            Way::Http { url, headers } => Self { url: Some(url), headers: written(headers), ..Self::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn read(server: &str) -> Result<Server, String> {
        let text = format!("[mcp.servers.s]\n{server}");
        Config::parse(&text, "gatepost.toml").map(|config| config.mcp.servers["s"].clone()).map_err(|mut reasons| {
            let reason = reasons.remove(0);
            assert!(reason.line.is_some(), "{reason}");
            format!("{} {}", reason.message, reason.hint)
        })
    }

    #[test]
    fn a_server_is_a_program_or_an_address() {
        let program =
            read("command = 'node'\nargs = ['x.js']\nenv = { T = 'a {_secret:t}' }\nnetwork = ['A.org:443']").unwrap();
        assert_eq!(program.secrets(), BTreeSet::from(["t".to_owned()]));
        assert_eq!(program.destinations, [Destination::parse("a.org:443").unwrap()]);
        for (url, destination) in [
            ("https://a.org/mcp", "a.org:443"),
            ("http://127.0.0.1:8080/mcp", "127.0.0.1:8080"),
            ("http://[::1]/", "[::1]:80"),
        ] {
            let server =
                read(&format!("url = '{url}'\nheaders = {{ Authorization = 'Bearer {{_secret:t}}' }}")).unwrap();
            assert_eq!(server.destinations, [Destination::parse(destination).unwrap()]);
        }
    }

    #[test]
    fn a_server_whose_name_no_manifest_can_write_is_an_error() {
        for name in ["a b", "", "a\u{202e}", &"a".repeat(129)] {
            let text = format!("[mcp.servers.{name:?}]\ncommand = 'x'").replace("\\u{202e}", "\\u202e");
            let reason = Config::parse(&text, "gatepost.toml").unwrap_err().remove(0);
            assert!(reason.line.is_some() && reason.message.contains("an MCP server has the name"), "{reason}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for server in [
            "command = 'x'\nargs = ['y']\nenv = { T = '{{{_secret:t}' }\nread_only_paths = ['/srv']",
            "url = 'https://a.org'",
        ] {
            let server = read(server).unwrap();
            let again = Server::try_from(Table::from(server.clone())).unwrap();
            assert_eq!(again, server);
        }
    }

    #[test]
    fn a_server_that_cannot_be_meant_is_an_error_that_says_why() {
        for (server, fault) in [
            ("command = 'x'\nurl = 'https://a.org'", "has both"),
            ("", "has neither"),
            ("comand = 'x'", "Did you mean `command`?"),
            ("command = 'x'\nheaders = { A = 'b' }", "headers are for"),
            ("command = 'x'\nargs = ['--key={_secret:k}']", "pass it in env"),
            ("command = 'x'\nenv = { 'A-B' = 'c' }", "not the name of a variable"),
            ("command = 'x'\nenv = { PATH = '/bin' }", "gatepost sets itself"),
            ("command = 'x'\nenv = { A = '{b}' }", "is not a secret"),
            ("command = 'x'\nnetwork = ['a.org']", "not host:port"),
            ("command = 'x'\nread_only_paths = ['srv']", "not an absolute path"),
            ("command = 'x'\nread_only_paths = ['/tmp/x']", "the sandbox reserves"),
            ("url = 'https://a.org'\nargs = ['x']", "with a command"),
            ("url = 'https://user@a.org'", "expected, for example"),
            ("url = 'ftp://a.org'", "expected, for example"),
            ("url = 'https://a.org'\nheaders = { 'A:b' = 'c' }", "not the name of a header"),
            (
                "url = 'https://a.org'\nheaders = { Content-Length = '3' }",
                "has \"Content-Length\", which gatepost writes itself",
            ),
            ("url = 'https://a.org'\nheaders = { host = 'x' }", "which gatepost writes itself"),
            ("url = 'https://a.org'\nheaders = { Mcp-Session-Id = 'x' }", "which gatepost writes itself"),
            ("url = 'https://a.org'\nheaders = { Accept = 'x' }", "which gatepost writes itself"),
        ] {
            let found = read(server).unwrap_err();
            assert!(found.contains(fault), "{server}: {found}");
        }
    }
}
