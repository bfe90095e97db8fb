//! Starts the browser.

use std::io;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::devtools::Connection;

/// A shell that passes its stdin and stdout as descriptors 3 and 4 to a program: Chromium's pipes.
const MOVE_PIPES: &str = "exec \"$@\" 3<&0 4>&1 0</dev/null 1>&2";

/// The switches for every page. The proxy would refuse background requests of the browser, and
/// the record would list them as requests of the page.
const SWITCHES: [&str; 23] = [
    // Chromium's own sandbox cannot be created inside gatepost's, which is stricter.
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--disable-features=AutofillServerCommunication,MediaRouter,OptimizationHints,Translate,CertificateTransparencyComponentUpdater",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--mute-audio",
    "--password-store=basic",
    "--log-level=3",
    "--window-size=1280,800",
];

/// Starts `program` with a profile in the folder `profile`. Without a proxy, it gets the address of one that does not answer.
#[allow(clippy::disallowed_methods, reason = "within the sandbox, in a worker of its own")]
pub(crate) fn start(
    program: &Path,
    profile: &Path,
    proxy: Option<&str>,
) -> io::Result<(Child, Connection<ChildStdin>)> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", MOVE_PIPES, "sh"])
        .arg(program)
        .args(SWITCHES)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--proxy-server={}", proxy.unwrap_or("socks5://127.0.0.1:9")))
        // Use the proxy for loopback addresses too.
        .arg("--proxy-bypass-list=<-loopback>")
        .arg("about:blank")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (to, from) = child.stdin.take().zip(child.stdout.take()).ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((child, Connection::new(to, from)))
}
