//! Connects the network namespace of a run to the machine's network, within the rules of its route.
//!
//! ```text
//! rules in force (nft) ▶ packets carried (pasta) ▶ the tool runs and ends ▶ rules read (nft)
//! ```
//!
//! No packet leaves before the rules are in force. `nft` has the one capability that it needs, in the namespaces of the run; `pasta`
//! runs as gatepost's user, outside the sandbox, and forwards the permitted packets by sockets of its own. Both die with gatepost.
//!
//! Security: `pasta` reads the packets of a hostile tool; it confines itself before it reads any, gains no privilege and writes to no
//! file. Known weakness: the rules bound the tool and not `pasta`, so an attacker who takes over `pasta` reaches everything that its
//! user reaches. *Standards*: `pasta(1)`, `nft(8)`.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::NetworkNamespace;
use crate::network::{OWN_V4, OWN_V6, Record, Route};

const PASTA: &str = "/usr/bin/pasta";
const NFT: &str = "/usr/sbin/nft";
const TUN: &str = "/dev/net/tun";

/// How long `pasta` may take until it carries packets.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The most quoted bytes of their messages.
const MESSAGE_BYTES: usize = 500;

/// A network namespace with an uplink.
#[derive(Debug)]
pub(super) struct Uplink {
    namespace: NetworkNamespace,
    pasta: Child,
}

/// What this machine lacks for such networks, as a clause; none if it lacks nothing.
pub fn uplink_fault() -> Option<String> {
    let missing = |(path, package)| {
        (!Path::new(path).exists()).then(|| format!("{path} is not installed; it comes with the package {package}"))
    };
    [(PASTA, "passt"), (NFT, "nftables")].into_iter().find_map(missing).or_else(|| {
        let error = OpenOptions::new().read(true).write(true).open(TUN).err()?;
        Some(format!("{TUN} cannot be opened ({error}); it must exist, and be writable for gatepost's user"))
    })
}

impl Uplink {
    /// Installs the rules of the route in the namespace of a process, and connects it.
    pub(super) fn open(pid: u32, route: &Route) -> io::Result<Self> {
        let namespace = NetworkNamespace::of(pid)?;
        let mut nft = command(NFT, &["-f", "-"]);
        namespace.enter_by(&mut nft);
        let mut nft = nft.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let fed = nft.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(route.rules().as_bytes()));
        let output = nft.wait_with_output()?;
        if !output.status.success() {
            return Err(refusal("nft", output.status, &output.stderr));
        }
        fed?;
        let mut uplink = Self { pasta: pasta(pid)?, namespace };
        uplink.wait_until_ready()?;
        Ok(uplink)
    }

    /// Waits until `pasta` forwards packets. Its later output is discarded, and must not block it.
    fn wait_until_ready(&mut self) -> io::Result<()> {
        let is_ready = is_ready(&mut self.pasta)?;
        let Some(mut stderr) = self.pasta.stderr.take() else { return Ok(()) };
        if is_ready {
            let drain = move || drop(io::copy(&mut stderr, &mut io::sink()));
            return thread::Builder::new().name("pasta".to_owned()).spawn(drain).map(drop);
        }
        let _ = self.pasta.kill();
        let status = self.pasta.wait()?;
        let mut message = Vec::new();
        stderr.take(MESSAGE_BYTES as u64).read_to_end(&mut message)?;
        Err(refusal("pasta", status, &message))
    }

    /// Ends it, and returns the record of its traffic.
    pub(super) fn close(mut self, route: &Route) -> Record {
        let is_whole = matches!(self.pasta.try_wait(), Ok(None));
        let mut nft = command(NFT, &["-j", "list", "ruleset"]);
        self.namespace.enter_by(&mut nft);
        let output = nft.stdin(Stdio::null()).stdout(Stdio::piped()).output().ok();
        let listing =
            output.filter(|output| output.status.success()).and_then(|output| String::from_utf8(output.stdout).ok());
        route.record(listing.as_deref(), is_whole)
    }
}

impl Drop for Uplink {
    fn drop(&mut self) {
        let _ = (self.pasta.kill(), self.pasta.wait());
    }
}

/// Starts `pasta`, which writes its process id once it forwards packets. No port is forwarded to the tool or from its loopback to the
/// machine's, and the gateway's address is the gateway. The tool's own addresses belong to no machine: `pasta` would give it those of this
/// machine, so the tool would reach itself instead of the machine.
fn pasta(pid: u32) -> io::Result<Child> {
    let [network, user] = ["net", "user"].map(|name| format!("/proc/{pid}/ns/{name}"));
    let fixed =
        "--foreground --quiet --config-net --no-map-gw --no-dhcp --no-dhcpv6 --no-ra -t none -u none -T none -U none";
    let addresses = format!("--address {OWN_V4} --netmask 29 --gateway 192.0.0.1 --address {OWN_V6} --gateway fe80::1");
    let mut pasta = command(PASTA, &fixed.split(' ').chain(addresses.split(' ')).collect::<Vec<_>>());
    pasta.args(["--pid", "/dev/stdout", "--netns", &network, "--userns", &user]);
    if rustix::process::geteuid().is_root() {
        let ids = format!("{}:{}", rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        pasta.args(["--runas", &ids]);
    }
    crate::hold_helper(&mut pasta);
    pasta.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
}

/// Whether `pasta` reports that in time.
fn is_ready(pasta: &mut Child) -> io::Result<bool> {
    let Some(stdout) = pasta.stdout.as_mut() else { return Ok(false) };
    let timeout = Timespec::try_from(TIMEOUT).ok();
    let mut entries = [PollFd::new(stdout, PollFlags::IN)];
    Ok(poll(&mut entries, timeout.as_ref())? > 0 && stdout.read(&mut [0; 16])? > 0)
}

#[expect(clippy::disallowed_methods, reason = "these two programs are none of a tool's")]
fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().stderr(Stdio::piped());
    command
}

fn refusal(program: &str, status: ExitStatus, message: &[u8]) -> io::Error {
    let message = String::from_utf8_lossy(message.get(..MESSAGE_BYTES).unwrap_or(message)).trim().replace('\n', "; ");
    let colon = if message.is_empty() { "" } else { ": " };
    io::Error::other(format!("{program} ended with {status}{colon}{message}"))
}
