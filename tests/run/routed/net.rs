//! Two network namespaces with a wire between them: one in which gatepost runs, and one with the hosts.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

pub(super) struct Net {
    name: String,
    hosts: Child,
}

impl Net {
    pub(super) fn new(name: &str) -> Self {
        let name = format!("gp{}{name}", std::process::id());
        let far = format!("{name}h");
        let script = format!(
            "set -e\nip netns add {name}\nip netns add {far}\n\
             ip -n {name} link add near type veth peer name far netns {far}\n\
             for ns in {name} {far}; do ip -n $ns link set lo up; done\n\
             ip -n {name} addr add 198.51.100.2/24 dev near\nip -n {name} addr add 2001:db8:1::2/64 dev near nodad\nip -n {name} link set near up\n\
             for host in 1 11 12 13; do ip -n {far} addr add 198.51.100.$host/24 dev far; ip -n {far} addr add 2001:db8:1::$host/64 dev far nodad; done\n\
             ip -n {far} link set far up\nip -n {name} route add default via 198.51.100.1\nip -n {name} -6 route add default via 2001:db8:1::1\n\
             ip netns exec {name} sh -c 'echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range'\n"
        );
        assert!(Command::new("sh").args(["-c", &script]).status().unwrap().success());
        let mut hosts = Command::new("ip")
            .args(["netns", "exec", &far, "python3", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/routed/hosts.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0; 6];
        hosts.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
        assert_eq!(&line, b"ready\n");
        Self { name, hosts }
    }

    /// What has a program run in it.
    pub(super) fn inside(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.name]
    }

    /// A program that listens in it, where gatepost runs, and answers `here`.
    pub(super) fn listen_here(&self, address: &str, port: u16) -> Listener {
        let script = format!(
            "import socket\nfamily = socket.AF_INET6 if ':' in '{address}' else socket.AF_INET\n\
             listener = socket.create_server(('{address}', {port}), family=family)\nprint('ready', flush=True)\n\
             while True:\n    peer, _ = listener.accept()\n    peer.recv(9)\n    peer.sendall(b'here')\n    peer.close()\n"
        );
        let inside = self.inside();
        let mut listener = Command::new(inside[0]);
        listener.args(&inside[1..]).args(["python3", "-c", &script]).stdout(Stdio::piped());
        let mut listener = listener.spawn().unwrap();
        listener.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
        Listener(listener)
    }

    /// Leaves it with IPv4 alone.
    pub(super) fn forget_ipv6(&self) {
        let flush = ["-n", &self.name, "-6", "addr", "flush", "dev", "near"];
        assert!(Command::new("ip").args(flush).status().unwrap().success());
    }

    /// The processes in it that carry packets.
    pub(super) fn carriers(&self) -> Vec<u32> {
        let output = Command::new("ip").args(["netns", "pids", &self.name]).output().unwrap();
        let pids = String::from_utf8(output.stdout).unwrap();
        let name = |pid: u32| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let pids = pids.lines().map(|pid| pid.parse().unwrap());
        // It is `passt` by another name, and executes itself anew as what the processor can do.
        pids.filter(|pid| name(*pid).starts_with("pass")).collect()
    }

    /// What was sent to hosts that nobody may reach, as packets that the hosts captured.
    pub(super) fn forbidden(mut self) -> String {
        drop(self.hosts.stdin.take());
        let mut line = String::new();
        BufReader::new(self.hosts.stdout.take().unwrap()).read_line(&mut line).unwrap();
        line
    }
}

/// Ends with this.
pub(super) struct Listener(Child);

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = (self.0.kill(), self.0.wait());
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
