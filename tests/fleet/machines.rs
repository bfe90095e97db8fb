//! The machines of a fleet, all on this one: sites, their processes, and NATS servers on loopback.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::certificates;
use super::link::{Link, Way};
use super::site::{Request, Site, program, until};

/// A tool that leaves a trace each time it starts, and may not be run again.
pub(crate) const ONCE: &str = "once";
/// The same, that may be.
pub(crate) const AGAIN: &str = "again";

/// Seconds after which a node is lost.
pub(crate) const LEASE: u64 = 3;

/// What docs/fleet.md lets a node do.
const PERMISSIONS: &str = r#"authorization { users: [
    { user: "CN=home" }
    { user: "CN=node", permissions: {
        subscribe: ["gatepost.gatepost.news", "gatepost.gatepost.cancel", "_INBOX.>"]
        publish: ["gatepost.gatepost.ask", "gatepost.gatepost.return", "gatepost.gatepost.beat", "$O.gatepost-gatepost.>"
            "$JS.API.*.*.gatepost-gatepost-offers", "$JS.API.*.*.gatepost-gatepost-offers.>", "$JS.API.CONSUMER.MSG.NEXT.gatepost-gatepost-offers.>", "$JS.ACK.gatepost-gatepost-offers.>"
            "$JS.API.*.*.OBJ_gatepost-gatepost", "$JS.API.*.*.OBJ_gatepost-gatepost.>", "$JS.API.STREAM.MSG.GET.OBJ_gatepost-gatepost", "$JS.FC.>"]
    } }
] }
"#;

/// A process that is killed and started again; a group of its own.
pub(crate) struct Process {
    words: Vec<String>,
    log: PathBuf,
    child: Option<Child>,
}

impl Process {
    fn new(words: &[&str], log: PathBuf) -> Self {
        let mut process = Self { words: words.iter().map(|word| (*word).to_owned()).collect(), log, child: None };
        process.start();
        process
    }

    pub(crate) fn start(&mut self) {
        use std::os::unix::process::CommandExt as _;
        let log = File::options().create(true).append(true).open(&self.log).unwrap();
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.child = Some(command.process_group(0).spawn().unwrap());
    }

    fn signal(&self, signal: Signal) {
        if let Some(child) = &self.child {
            let _ = kill_process_group(Pid::from_child(child), signal);
        }
    }

    /// Seconds of a processor that it has used (proc(5), `stat`, utime and stime).
    #[allow(dead_code, reason = "the bench asks")]
    pub(crate) fn processor(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.as_ref().unwrap().id())).unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let ticks = fields.split(' ').skip(11).take(2).map(|field| field.parse::<f64>().unwrap()).sum::<f64>();
        // The kernel counts in hundredths for every program.
        ticks / 100.0
    }

    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        if let Some(mut child) = self.child.take() {
            child.wait().unwrap();
        }
    }

    pub(crate) fn pause(&self) {
        self.signal(Signal::STOP);
    }

    pub(crate) fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.take().unwrap().wait().unwrap().code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.go_on();
        self.kill();
    }
}

/// A NATS server.
pub(crate) struct Server {
    process: Process,
    store: PathBuf,
}

impl Server {
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    pub(crate) fn start(&mut self) {
        self.process.start();
    }

    /// Removes all that it has stored.
    pub(crate) fn wipe(&self) {
        let _ = fs::remove_dir_all(&self.store);
    }
}

/// A node.
pub(crate) struct Machine {
    pub(crate) site: Site,
    pub(crate) exec: Process,
    pub(crate) carrier: Process,
    links: Vec<Link>,
}

impl Machine {
    /// What becomes of its messages, from now on.
    pub(crate) fn set_way(&self, way: Way) {
        self.links.iter().for_each(|link| link.set(way));
    }
}

/// How machines reach the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    /// Directly, with TLS.
    Direct,
    /// With TLS, on ways that can be cut.
    Links,
    /// Without TLS, on ways on which single messages can be lost.
    PlainLinks,
}

/// A home, its nodes and its servers.
pub(crate) struct Fleet {
    pub(crate) servers: Vec<Server>,
    pub(crate) home: Site,
    pub(crate) exec: Process,
    pub(crate) gate: Process,
    pub(crate) carrier: Process,
    pub(crate) nodes: Vec<Machine>,
    links: Vec<Link>,
    network: Network,
    ports: Vec<u16>,
    folder: tempfile::TempDir,
}

impl Fleet {
    /// A fleet with one or three servers and these nodes, at work.
    pub(crate) fn start(servers: usize, nodes: &[&str]) -> Self {
        Self::on(Network::Direct, servers, nodes)
    }

    /// The same, on such a network.
    pub(crate) fn on(network: Network, servers: usize, nodes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        certificates::write(folder.path());
        let ports: Vec<(u16, u16)> = (0..servers).map(|_| (free_port(), free_port())).collect();
        let is_plain = network == Network::PlainLinks;
        let servers =
            (1..).zip(&ports).map(|(number, own)| server(folder.path(), number, *own, &ports, is_plain)).collect();
        let ports: Vec<u16> = ports.into_iter().map(|(port, _)| port).collect();
        let (links, urls) = reach(network, &ports);
        let home = Site::at(folder.path().join("home"));
        configure(
            &home,
            &urls,
            &certificate(folder.path(), network, "home"),
            &format!(
                "replicas = {}\ntools = [\"once\", \"again\", \"slow\", \"endless\", \"wait\", \"far\", \"line_count\"]",
                ports.len()
            ),
        );
        tools(&home, &folder.path().join("effects"));
        let root = home.root.to_str().unwrap().to_owned();
        let start = |name: &str, more: &[&str], log: &str| {
            let program = program(name);
            let words = [&[program.to_str().unwrap()], more, &["--site", &root]].concat();
            Process::new(&words, folder.path().join(log))
        };
        let exec = start("gatepost-exec", &[], "exec.log");
        let gate = start("gatepost-gate", &["watch"], "gate.log");
        let carrier = start("gatepost-fleet", &["home"], "home.log");
        let mut fleet = Self { servers, home, exec, gate, carrier, nodes: Vec::new(), links, network, ports, folder };
        for name in nodes {
            fleet.add(name);
        }
        fleet
    }

    /// Adds a node.
    pub(crate) fn add(&mut self, name: &str) {
        let folder = self.folder.path();
        let site = Site::at(folder.join(name));
        let (links, urls) = reach(self.network, &self.ports);
        let certificate = certificate(folder, self.network, "node");
        configure(&site, &urls, &certificate, &format!("node = \"{name}\"\nslots = 8"));
        tools(&site, &folder.join("effects"));
        fs::write(site.path("keys/home"), key(&self.home)).unwrap();
        let nodes = self.home.path("keys/nodes");
        let listed = fs::read_to_string(&nodes).unwrap_or_default();
        fs::write(&nodes, format!("{listed}{name} {}", key(&site))).unwrap();
        let (root, log) = (site.root.to_str().unwrap(), |what: &str| folder.join(format!("{name}.{what}.log")));
        let (exec, fleet) = (program("gatepost-exec"), program("gatepost-fleet"));
        let exec = Process::new(&[exec.to_str().unwrap(), "--site", root], log("exec"));
        let carrier = Process::new(&[fleet.to_str().unwrap(), "node", "--site", root], log("carrier"));
        until("the tools of the node", || site.path("var/exec/fleet/tools.json").exists());
        self.nodes.push(Machine { site, exec, carrier, links });
    }

    /// What becomes of the home's messages, from now on.
    pub(crate) fn set_way(&self, way: Way) {
        self.links.iter().for_each(|link| link.set(way));
    }

    /// Drops a call of one of the tools, which leaves its id as its trace.
    pub(crate) fn request(&self, tool: &str, slug: &str) -> String {
        let request = Request::call(slug, tool);
        let id = request.id.clone();
        self.home.rename_in(&request.arg("word", &id));
        id
    }

    /// What tools left, a line each time that one started.
    pub(crate) fn effects(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("effects")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until the gate accepted a result, for as long as results of other requests come.
    pub(crate) fn is_answered(&self, id: &str) {
        let inbound = self.home.path("core/inbound");
        let count = || inbound.read_dir().unwrap().count();
        let (mut last, mut answers) = (Instant::now(), count());
        while self.home.results(id).is_empty() {
            if last.elapsed() > Duration::from_mins(4) {
                let now = count();
                if now == answers {
                    let logs = ["exec.log", "gate.log", "home.log", "n1.carrier.log", "n1.exec.log", "n2.carrier.log"]
                        .map(|name| format!("--- {name}\n{}\n", tail(&self.folder.path().join(name))));
                    panic!("{id} has no answer, nor has any other had one for four minutes\n{}", logs.concat());
                }
                (last, answers) = (Instant::now(), now);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether nothing is under way: no item in a state between, and the logs verify.
    pub(crate) fn ends(&self) {
        self.home.gatepost(&["audit", "verify"]).succeeds();
    }
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(15)..].join("\n")
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The ways of one machine to the servers, and their addresses.
fn reach(network: Network, ports: &[u16]) -> (Vec<Link>, Vec<String>) {
    let is_plain = network == Network::PlainLinks;
    let url = |port: u16| format!("{}://127.0.0.1:{port}", if is_plain { "nats" } else { "tls" });
    if network == Network::Direct {
        return (Vec::new(), ports.iter().map(|port| url(*port)).collect());
    }
    let links: Vec<Link> = ports.iter().map(|port| Link::to(*port, is_plain)).collect();
    let urls = links.iter().map(|link| url(link.port)).collect();
    (links, urls)
}

/// The program of the servers.
pub(crate) fn nats_server() -> String {
    let binary = format!("/var/tmp/gatepost-nats-{}/nats-server", rustix::process::getuid().as_raw());
    assert!(Path::new(&binary).exists(), "{binary} is missing: run tests/fleet/install first");
    binary
}

fn server(folder: &Path, number: usize, (port, route): (u16, u16), all: &[(u16, u16)], is_plain: bool) -> Server {
    let binary = nats_server();
    let store = folder.join(format!("nats{number}"));
    let routes: Vec<String> = all.iter().map(|(_, route)| format!("\"nats://127.0.0.1:{route}\"")).collect();
    let cluster = if all.len() > 1 {
        format!(
            "cluster {{ name: c, host: 127.0.0.1, port: {route}, no_advertise: true, routes: [{}] }}\n",
            routes.join(", ")
        )
    } else {
        String::new()
    };
    let (config, at) = (folder.join(format!("nats{number}.conf")), folder.display());
    let tls = format!(
        "tls {{ cert_file: \"{at}/server.pem\", key_file: \"{at}/server.key\", ca_file: \"{at}/ca.pem\"\n\
         verify_and_map: true }}\n{PERMISSIONS}"
    );
    let common = format!(
        "host: 127.0.0.1\nport: {port}\nserver_name: s{number}\n\
         jetstream {{ store_dir: \"{}\", sync_interval: always }}\n{cluster}",
        store.display()
    );
    fs::write(&config, common + if is_plain { "" } else { &tls }).unwrap();
    let process = Process::new(&[&binary, "-c", config.to_str().unwrap()], folder.join(format!("nats{number}.log")));
    Server { process, store }
}

fn key(site: &Site) -> String {
    let output = Command::new(program("gatepost-fleet")).args(["key", "--site"]).arg(&site.root).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn certificate(folder: &Path, network: Network, name: &str) -> String {
    if network == Network::PlainLinks {
        return String::new();
    }
    let at = |name: String| format!("\"{}\"", folder.join(name).display());
    let (own, key) = (at(format!("{name}.pem")), at(format!("{name}.key")));
    format!("ca_file = {}\ncertificate = {own}\nprivate_key = {key}\n", at("ca.pem".to_owned()))
}

fn configure(site: &Site, urls: &[String], certificate: &str, more: &str) {
    site.configure(&format!(
        "[inbox]\nsettle_ms = 50\nunfinished_ms = 200\nscan_interval_ms = 200\n[gate]\nscan_interval_ms = 200\n\
         [metrics]\nfile = \"{}\"\ninterval_seconds = 1\n[exec]\nworkers = 8\n[sandbox]\nminimum = \"none\"\nmaximum = \"none\"\n\
         [fleet]\nservers = {urls:?}\nlease_seconds = {LEASE}\n{certificate}{more}\n",
        site.path("var/exec/gatepost.prom").display()
    ));
    fs::write(site.path("gate.toml"), "[sandbox]\nminimum = \"none\"\n").unwrap();
}

fn tools(site: &Site, effects: &Path) {
    let argument = "[args.word]\ntype = \"string\"\nrequired = true\npattern = \"^[A-Za-z0-9-]+$\"\n";
    let script = |pause: &str| {
        format!("#!/bin/sh\necho \"$TOOLCLAD_ARG_WORD\" >> '{}' || exit 1\n{pause}\necho done\n", effects.display())
    };
    site.tool(ONCE, argument, &script("sleep 0.03"));
    site.tool(AGAIN, &format!("idempotent = true\n{argument}"), &script("sleep 0.03"));
    site.tool("slow", argument, &script("sleep 2"));
    site.tool("endless", argument, &script("sleep 1000"));
    site.tool("wait", argument, &script("sleep 0.5"));
    for name in ["near", "far"] {
        site.tool(name, argument, &script(""));
    }
}
