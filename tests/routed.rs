//! Tools that speak TCP and UDP themselves, with a route to what their request lists and to nothing else. The networks are the
//! test's own: one namespace in which gatepost runs, and one with the hosts.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::site::{Request, Site, is_root, text};

const ROUTED: &str = "timeout_seconds = 60\n[limits]\nfiles = 2000\n[sandbox]\nnetwork = 'routed'\n";
const LENIENT: &str =
    "timeout_seconds = 60\n[limits]\nfiles = 2000\n[sandbox]\nnetwork = 'routed'\nrefused_network = 'anomaly'\n";

/// Two namespaces with a wire between them.
struct Net {
    name: String,
    hosts: Child,
}

impl Net {
    fn new(name: &str) -> Self {
        let name = format!("gp{}{name}", std::process::id());
        let far = format!("{name}h");
        let script = format!(
            "set -e\nip netns add {name}\nip netns add {far}\n\
             ip -n {name} link add near type veth peer name far netns {far}\n\
             for ns in {name} {far}; do ip -n $ns link set lo up; done\n\
             ip -n {name} addr add 198.51.100.2/24 dev near\nip -n {name} addr add 2001:db8:1::2/64 dev near nodad\nip -n {name} link set near up\n\
             for host in 1 11 12 13; do ip -n {far} addr add 198.51.100.$host/24 dev far; ip -n {far} addr add 2001:db8:1::$host/64 dev far nodad; done\n\
             ip -n {far} link set far up\nip -n {name} route add default via 198.51.100.1\nip -n {name} -6 route add default via 2001:db8:1::1\n"
        );
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
        let mut hosts = Command::new("ip")
            .args(["netns", "exec", &far, "python3", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/routed/hosts.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0; 6];
        hosts.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
        assert_eq!(&line, b"ready\n");
        Self { name, hosts }
    }

    /// The evidence of a tool that was run in it.
    fn run(&self, site: &Site, listed: &[&str]) -> Value {
        let mut arguments = vec!["tools", "run", "scan", "--output", "json"];
        arguments.extend(listed.iter().flat_map(|destination| ["--network", destination]));
        let ran = site.gatepost_under(&["ip", "netns", "exec", &self.name], &arguments).succeeds();
        ran["data"]["evidence"].clone()
    }

    /// What was sent to hosts that nobody may reach.
    fn forbidden(mut self) -> String {
        drop(self.hosts.stdin.take());
        let mut line = String::new();
        BufReader::new(self.hosts.stdout.take().unwrap()).read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        let _ = (self.hosts.kill(), self.hosts.wait());
        for name in [self.name.clone(), format!("{}h", self.name)] {
            let _ = Command::new("ip").args(["netns", "delete", &name]).status();
        }
    }
}

fn site() -> Site {
    let every = (1..=13).flat_map(|host| [2222, 8080, 2223].map(|port| format!("\"198.51.100.{host}:{port}\"")));
    let every: Vec<String> = every.chain(["\"[2001:db8:1::11]:2222\"".to_owned()]).collect();
    Site::with_config(&format!(
        "[inbox]\nsettle_ms = 50\n[limits]\nfiles = 2000\n[network]\ndestinations = [{}]\n",
        every.join(", ")
    ))
}

#[test]
fn a_port_scan_tells_open_from_closed_and_sends_nothing_to_other_hosts() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("scan"), site());
    let script = "#!/bin/sh\nexec nmap --unprivileged -n -Pn -sT -sV -p 2222,2223 -oX - 198.51.100.11 198.51.100.13\n";
    site.tool("scan", LENIENT, script);
    let evidence = net.run(&site, &["198.51.100.11:2222", "198.51.100.11:2223"]);
    let output = evidence["results"]["raw_output"].as_str().unwrap_or_default().to_owned();
    let state = |port: &str| {
        output.split(&format!("portid=\"{port}\"><state state=\"")).nth(1).and_then(|rest| rest.split('"').next())
    };
    assert_eq!((state("2222"), state("2223")), (Some("open"), Some("closed")), "{evidence:#}");
    assert!(output.contains("name=\"ssh\""), "{output}");
    let network = &evidence["network"];
    assert_eq!(text(&network["used"]), "allowlist");
    assert_eq!(network["destinations"], Value::from(vec!["198.51.100.11:2222", "198.51.100.11:2223"]));
    assert_eq!(network["refused"], Value::from(vec!["198.51.100.13:2222", "198.51.100.13:2223"]));
    assert_eq!(net.forbidden(), "[]\n");
}

#[test]
fn a_run_that_the_network_refused_something_is_an_error_which_the_gate_accepts() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("gate"), site());
    site.tool("scan", ROUTED, "#!/bin/sh\nexec nmap --unprivileged -n -Pn -sT -p 2222 198.51.100.11 198.51.100.13\n");
    let request = Request::call("gate", "scan").line("network: allowlist");
    let request = request.line("network_allowlist: [\"198.51.100.11:2222\"]");
    site.rename_in(&request);
    site.gatepost_under(&["ip", "netns", "exec", &net.name], &["exec", "--once"]).succeeds();
    site.gatepost(&["gate", "--once"]).succeeds();
    let bundle = site.result(&request.id);
    let network = &bundle.evidence()["network"];
    assert_eq!(network["destinations"], Value::from(vec!["198.51.100.11:2222"]), "{}", bundle.document());
    assert_eq!(bundle.code(), "NETWORK_REFUSED");
    let said = "\nRefused by the network: `[\"198.51.100.13:2222\"]`.\n";
    assert!(bundle.document().contains(said), "{}", bundle.document());
    assert_eq!(net.forbidden(), "[]\n");
}

#[test]
fn a_hostile_tool_gets_no_packet_to_anybody_else() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("hostile"), site());
    site.script("hostile.py", include_str!("routed/hostile.py"));
    site.tool("scan", LENIENT, "#!/bin/sh\nexec python3 -I /tools/scripts/hostile.py\n");
    let evidence = net.run(&site, &["198.51.100.11:2222", "[2001:db8:1::11]:2222"]);
    let output = evidence["results"]["raw_output"].as_str().unwrap_or_default().to_owned();
    let (host, denied) = ("No route to host", "Operation not permitted");
    let expected = [
        ("listed", "SSH-2.0-test_1.0"),
        ("listed by udp", "1 bytes"),
        ("fragments", "20000 bytes"),
        ("listed by name", "Connection refused"),
        ("another port", host),
        ("another host", host),
        ("another host by udp", denied),
        ("another host by six", "Permission denied"),
        ("gateway", host),
        ("resolver", denied),
        ("raw", denied),
        ("packet", denied),
        ("netfilter", denied),
        ("routes", "made"),
        ("namespace", denied),
    ];
    let expected: Vec<String> = expected.iter().map(|(name, outcome)| format!("{name}: {outcome}")).collect();
    assert_eq!(output.lines().collect::<Vec<_>>(), expected, "{evidence:#}");
    assert_eq!(evidence["network"]["destinations"], Value::from(vec!["198.51.100.11:2222"]));
    assert_eq!(net.forbidden(), "[]\n");
}
