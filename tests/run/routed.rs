//! Tools that speak TCP, UDP and ICMP themselves, with a route to what their call aims at, to what its request lists, and to nothing
//! else. The networks are the test's own ([`Net`]); without root there are none, and the tests hold nothing.

mod net;

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::site::{Bundle, Request, Site, is_root, text, until};
use net::Net;

const ROUTED: &str = "timeout_seconds = 60\n[limits]\nfiles = 2000\n[sandbox]\nnetwork = 'routed'\n";
const LENIENT: &str =
    "timeout_seconds = 60\n[limits]\nfiles = 2000\n[sandbox]\nnetwork = 'routed'\nrefused_network = 'anomaly'\n";

/// A site whose scope is two of the hosts, and which lets tools reach some ports of every one.
fn site() -> Site {
    let every = (1..=13).flat_map(|host| [2222, 8080, 2223].map(|port| format!("\"198.51.100.{host}:{port}\"")));
    let every: Vec<String> = every.chain(["\"[2001:db8:1::11]:2222\"".to_owned()]).collect();
    let site = Site::with_config(&format!(
        "[inbox]\nsettle_ms = 50\n[limits]\nfiles = 2000\n[network]\ndestinations = [{}]\n",
        every.join(", ")
    ));
    let scope = "[scope]\ntargets = ['198.51.100.11', '198.51.100.12', '2001:db8:1::11']\n";
    fs::write(site.path("scope/scope.toml"), scope).unwrap();
    site
}

/// A manifest of one command with text as its output, whose arguments are targets or plain texts.
fn command(name: &str, argv: &[&str], targets: &[&str], texts: &[&str]) -> String {
    let of = |kind: &str, names: &[&str]| {
        let one = |name: &&str| format!("[args.{name}]\ntype = '{kind}'\nrequired = true\n");
        names.iter().map(one).collect::<Vec<_>>().concat()
    };
    format!(
        "[tool]\nname = '{name}'\nversion = '1'\ndescription = 'A tool of the tests'\nbinary = '{}'\n{}{}[limits]\nfiles = 2000\n\
         [sandbox]\nnetwork = 'routed'\n[command]\nexec = {argv:?}\n",
        argv[0],
        of("scope_target", targets),
        of("string", texts)
    )
}

/// A request for a network to what its call aims at.
fn aiming(slug: &str, tool: &str) -> Request {
    Request::call(slug, tool).line("network: allowlist").line("network_allowlist: []")
}

/// The accepted answer to a request that is carried out in a network.
fn answered(net: &Net, site: &Site, request: &Request) -> Bundle {
    site.rename_in(request);
    site.gatepost_under(&net.inside(), &["exec", "--once"]).succeeds();
    site.gatepost(&["gate", "--once"]).succeeds();
    site.result(&request.id)
}

/// The evidence of the tool `scan`, called from the command line.
fn called(net: &Net, site: &Site, listed: &[&str]) -> Value {
    let mut arguments = vec!["tools", "run", "scan", "--output", "json"];
    arguments.extend(listed.iter().flat_map(|destination| ["--network", destination]));
    let ran = site.gatepost_under(&net.inside(), &arguments).succeeds();
    ran["data"]["evidence"].clone()
}

fn destinations(bundle: &Bundle) -> Value {
    bundle.evidence()["network"]["destinations"].clone()
}

/// What nmap says of a port of a host.
fn state(xml: &str, host: &str, port: &str) -> Option<String> {
    let of_host = xml.split("<host ").find(|part| part.contains(&format!("addr=\"{host}\"")))?;
    let of_port = of_host.split(&format!("portid=\"{port}\"><state state=\"")).nth(1)?;
    of_port.split('"').next().map(str::to_owned)
}

#[test]
fn a_port_scan_of_two_hosts_tells_open_from_closed() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("scan"), site());
    let argv =
        ["nmap", "--unprivileged", "-n", "-Pn", "-sT", "-sV", "-p", "2222,2223,8080", "-oX", "-", "{one}", "{two}"];
    site.manifest("scan", &command("scan", &argv, &["one", "two"], &[]));
    let request = aiming("scan", "scan").arg("one", "198.51.100.11").arg("two", "198.51.100.12");
    let bundle = answered(&net, &site, &request);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    let xml = bundle.read("artifacts/stdout.txt");
    for (host, open) in [("198.51.100.11", "2222"), ("198.51.100.12", "8080")] {
        for port in ["2222", "2223", "8080"] {
            let expected = if port == open { "open" } else { "closed" };
            assert_eq!(state(&xml, host, port).as_deref(), Some(expected), "{host} {port}\n{xml}");
        }
    }
    assert_eq!(xml.matches("name=\"ssh\"").count(), 2, "{xml}");
    assert_eq!(destinations(&bundle), Value::from(vec!["198.51.100.11", "198.51.100.12"]));
    assert!(bundle.document().contains("Unexpected behavior: None observed"), "{}", bundle.document());
    assert_eq!(net.forbidden(), "[]\n");
}

#[test]
fn the_machines_own_address_is_the_machine_and_not_the_sandbox() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("own"), site());
    let addresses = ["198.51.100.2", "2001:db8:1::2"];
    fs::write(site.path("scope/scope.toml"), format!("[scope]\ntargets = {addresses:?}\n")).unwrap();
    let _listeners = addresses.map(|address| net.listen_here(address, 2224));
    for (slug, address, family) in
        [("own4", addresses[0], "-n"), ("own6", addresses[1], "-6"), ("alone", addresses[0], "-n")]
    {
        if slug == "alone" {
            net.forget_ipv6();
        }
        let argv = ["nmap", "--unprivileged", "-n", "-Pn", family, "-sT", "-p", "2224", "-oX", "-", "{one}"];
        site.manifest("scan", &command("scan", &argv, &["one"], &[]));
        let bundle = answered(&net, &site, &aiming(slug, "scan").arg("one", address));
        assert_eq!(bundle.code(), "", "{}", bundle.document());
        let xml = bundle.read("artifacts/stdout.txt");
        assert_eq!(state(&xml, address, "2224").as_deref(), Some("open"), "{xml}");
        assert_eq!(destinations(&bundle), Value::from(vec![address]));
    }
}

#[test]
fn a_scan_that_goes_beyond_its_targets_is_an_error_that_names_what_was_refused() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("beyond"), site());
    let argv = ["nmap", "--unprivileged", "-n", "-Pn", "-sT", "-p", "2222,80", "{target}", "198.51.100.13"];
    site.manifest("scan", &command("scan", &argv, &["target"], &[]));
    let bundle = answered(&net, &site, &aiming("beyond", "scan").arg("target", "198.51.100.11"));
    assert_eq!(bundle.code(), "NETWORK_REFUSED");
    let said = "\nRefused by the network: `198.51.100.13:2222`, `198.51.100.13:80`.\n";
    assert!(bundle.document().contains(said), "{}", bundle.document());
    assert_eq!(destinations(&bundle), Value::from(vec!["198.51.100.11"]));
    assert!(bundle.read("artifacts/stdout.txt").contains("2222/tcp open"), "what it printed is kept");
    assert_eq!(net.forbidden(), "[]\n");
}

#[test]
fn dig_whois_and_ping_reach_the_hosts_at_which_they_aim() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("trio"), site());
    let (server, six) = ("198.51.100.12", "2001:db8:1::11");
    let calls: [(&str, &[&str], &str, &str, &str); 5] = [
        ("dig", &["dig", "+short", "+tries=1", "@{host}", "{text}"], server, "example.org", "192.0.2.53\n"),
        ("whois", &["whois", "-h", "{host}", "--", "{text}"], server, "example.org", "domain: example.org\n"),
        ("ping", &["ping", "-c", "{text}", "-W", "5", "{host}"], server, "1", "1 received"),
        ("ping-six", &["ping", "-c", "{text}", "-W", "5", "{host}"], six, "1", "1 received"),
        (
            "scan-six",
            &["nmap", "--unprivileged", "-6", "-n", "-Pn", "-p", "{text}", "{host}"],
            six,
            "2222",
            "2222/tcp open",
        ),
    ];
    for (tool, argv, host, given, expected) in calls {
        site.manifest(tool, &command(tool, argv, &["host"], &["text"]));
        let bundle = answered(&net, &site, &aiming(tool, tool).arg("host", host).arg("text", given));
        assert_eq!(bundle.code(), "", "{}", bundle.document());
        let output = bundle.read("artifacts/stdout.txt").replace('\r', "");
        assert!(output.contains(expected), "{tool}: {output}");
        assert_eq!(destinations(&bundle), Value::from(vec![host]), "{tool}");
    }
    assert_eq!(net.forbidden(), "[]\n");
}

#[test]
fn a_ping_that_was_refused_is_named_by_its_host() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("ping"), site());
    site.tool("scan", LENIENT, "#!/bin/sh\nping -c 1 198.51.100.13\nping -c 1 2001:db8:1::13\ntrue\n");
    let evidence = called(&net, &site, &["198.51.100.11:2222"]);
    assert_eq!(evidence["network"]["refused"], Value::from(vec!["198.51.100.13", "2001:db8:1::13"]), "{evidence:#}");
    assert_eq!(evidence["network"]["refused_unnamed"], Value::Null);
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
    let evidence = called(&net, &site, &["198.51.100.11:2222", "[2001:db8:1::11]:2222"]);
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
        ("another host by ping", denied),
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

#[test]
fn a_run_that_is_killed_in_the_middle_is_interrupted_and_its_way_out_ends_with_it() {
    if !is_root() {
        return;
    }
    let net = Net::new("killed");
    let site = site().behind(&net.inside());
    site.tool("scan", ROUTED, "#!/bin/sh\necho begun >&2\nsleep 60\n");
    let request = Request::call("killed", "scan").line("network: allowlist");
    let request = request.line("network_allowlist: [\"198.51.100.11:2222\"]");
    site.rename_in(&request);
    let bundle = site.interrupted(&request.id, "stderr");
    assert_eq!(text(&bundle.evidence()["network"]["used"]), "allowlist");
    until("the end of pasta", || net.carriers().is_empty());
}

#[test]
fn a_run_whose_way_out_ended_before_it_is_no_success() {
    if !is_root() {
        return;
    }
    let net = Net::new("broken");
    let site = site().behind(&net.inside());
    site.tool("scan", ROUTED, "#!/bin/sh\necho begun\nsleep 3\n");
    let request = Request::call("broken", "scan").line("network: allowlist");
    let request = request.line("network_allowlist: [\"198.51.100.11:2222\"]");
    let stdout = site.path("outbox/.tmp").join(&request.id).join("artifacts/stdout.txt");
    site.rename_in(&request);
    let watcher = site.watch("exec");
    // Pasta is there before the tool is; only what ends after the tool began is a route that was lost.
    until("the tool", || fs::metadata(&stdout).is_ok_and(|stdout| stdout.len() > 0));
    for pid in net.carriers() {
        kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
    }
    until("the result", || !site.names("outbox").is_empty());
    drop(watcher);
    site.gatepost(&["gate", "--once"]).succeeds();
    let bundle = site.result(&request.id);
    assert_eq!(bundle.code(), "NETWORK_REFUSED", "{}", bundle.evidence());
    assert!(bundle.document().contains("The route to the network ended before the tool did"));
}

#[test]
fn what_carries_the_packets_gains_no_privilege_and_writes_to_no_file() {
    if !is_root() {
        return;
    }
    let net = Net::new("held");
    let site = site().behind(&net.inside());
    site.tool("scan", ROUTED, "#!/bin/sh\nsleep 60\n");
    let request = Request::call("held", "scan").line("network: allowlist");
    site.rename_in(&request.line("network_allowlist: [\"198.51.100.11:2222\"]"));
    let watcher = site.watch("exec");
    until("pasta", || !net.carriers().is_empty());
    let pid = net.carriers()[0];
    let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap();
    assert!(read("status").contains("\nNoNewPrivs:\t1\n"), "{}", read("status"));
    let limit = read("limits").lines().find(|line| line.starts_with("Max file size")).unwrap().to_owned();
    assert_eq!(limit.split_whitespace().collect::<Vec<_>>()[3..], ["0", "0", "bytes"]);
    drop(watcher);
    until("the end of pasta", || net.carriers().is_empty());
}

#[test]
fn a_request_that_no_route_can_serve_is_refused_with_the_reason() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("refused"), site());
    site.manifest("scan", &command("scan", &["nmap", "{target}"], &["target"], &[]));
    site.tool("still", ROUTED, "#!/bin/sh\ntrue\n");
    for (slug, request, said) in [
        ("scope", aiming("scope", "scan").arg("target", "198.51.100.13"), "is not in scope"),
        ("wide", aiming("wide", "scan").arg("target", "198.51.100.0/23"), "is not in scope"),
        ("nowhere", aiming("nowhere", "still"), "lists no destinations"),
    ] {
        let bundle = answered(&net, &site, &request);
        assert_eq!(bundle.code(), "REQUEST_REFUSED", "{slug}");
        assert!(bundle.document().contains(said), "{slug}: {}", bundle.document());
    }
    fs::write(site.path("scope/scope.toml"), "[scope]\ntargets = ['198.51.0.0/16']\n").unwrap();
    let bundle = answered(&net, &site, &aiming("large", "scan").arg("target", "198.51.100.0/23"));
    assert!(bundle.document().contains("more than 256 addresses"), "{}", bundle.document());
    assert_eq!(net.forbidden(), "[]\n");
}

#[test]
fn what_the_machine_lacks_is_named_with_its_package() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("lacks"), site());
    site.tool("scan", ROUTED, "#!/bin/sh\ntrue\n");
    let hidden = tempfile::tempdir_in("/var/tmp").unwrap();
    for folder in ["upper", "work"] {
        fs::create_dir(hidden.path().join(folder)).unwrap();
    }
    let place = hidden.path().display();
    let over = |folder: &str| {
        format!("mount -t overlay o -o lowerdir={folder},upperdir={place}/upper,workdir={place}/work {folder}")
    };
    for (slug, hide, said) in [
        ("nft", over("/usr/sbin") + " && rm -f /usr/sbin/nft", "the package nftables"),
        ("pasta", over("/usr/bin") + " && rm -f /usr/bin/pasta", "the package passt"),
        ("tun", "mount -t tmpfs t /dev/net".to_owned(), "/dev/net/tun cannot be opened"),
    ] {
        let hide = format!("{hide} && exec \"$@\"");
        let without = ["unshare", "--mount", "sh", "-c", &hide, "sh"];
        let request = Request::call(slug, "scan").line("network: allowlist");
        let request = request.line("network_allowlist: [\"198.51.100.11:2222\"]");
        site.rename_in(&request);
        let inside: Vec<&str> = net.inside().into_iter().chain(without).collect();
        site.gatepost_under(&inside, &["exec", "--once"]).succeeds();
        site.gatepost(&["gate", "--once"]).succeeds();
        let bundle = site.result(&request.id);
        assert_eq!(bundle.code(), "REQUEST_REFUSED", "{slug}");
        assert!(bundle.document().contains("sandbox_unavailable"), "{}", bundle.document());
        assert!(bundle.document().contains(said), "{slug}: {}", bundle.document());
        let told = site.gatepost_under(&without, &["doctor", "--output", "json"]).stdout();
        let finding = told.split("sandbox.routed_network").nth(1).unwrap_or_default();
        assert!(finding.contains(said), "{slug}: {told}");
    }
}

#[test]
fn an_unprivileged_user_gets_the_same_where_the_tun_device_is_everybodys() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("nobody"), site());
    site.manifest(
        "scan",
        &command("scan", &["nmap", "--unprivileged", "-n", "-Pn", "-p", "2222", "{host}"], &["host"], &[]),
    );
    let requests = ["closed", "open"].map(|slug| aiming(slug, "scan").arg("host", "198.51.100.11"));
    site.rename_in(&requests[0]);
    let site = site.of_nobody();
    let devices = tempfile::tempdir_in("/var/tmp").unwrap();
    for (request, mode) in requests.iter().zip(["0600", "0666"]) {
        let tun = devices.path().join(mode);
        let made = "mknod -m $1 $2 c 10 200 && mount --bind $2 /dev/net/tun && shift 2 && exec \"$@\"";
        let device = ["unshare", "--mount", "sh", "-c", made, "sh", mode, tun.to_str().unwrap()];
        if mode == "0666" {
            site.rename_in(request);
            chown_to_nobody(&site.path("inbox"));
        }
        let before: Vec<&str> = net.inside().into_iter().chain(device).collect();
        site.gatepost_under(&before, &["exec", "--once"]).succeeds();
        site.gatepost(&["gate", "--once"]).succeeds();
        let bundle = site.result(&request.id);
        match mode {
            "0600" => assert!(bundle.document().contains("/dev/net/tun cannot be opened"), "{}", bundle.document()),
            _ => assert_eq!(destinations(&bundle), Value::from(vec!["198.51.100.11"]), "{}", bundle.document()),
        }
    }
    assert_eq!(net.forbidden(), "[]\n");
}

fn chown_to_nobody(folder: &Path) {
    let status = std::process::Command::new("chown").args(["-R", "65534:65534"]).arg(folder).status();
    assert!(status.unwrap().success());
}

#[test]
fn the_example_of_the_guide_scans_as_it_stands() {
    if !is_root() {
        return;
    }
    let (net, site) = (Net::new("guide"), site());
    let guide = include_str!("../../docs/tool-author.md");
    let blocks = guide.split("\n```toml\n").skip(1).map(|rest| rest.split("\n```\n").next().unwrap());
    let example = blocks.filter(|block| block.contains("name = \"port_scan\"")).collect::<Vec<_>>().concat();
    site.manifest("port_scan", &example);
    site.gatepost(&["tools", "check", "port_scan"]).succeeds();
    let call =
        ["tools", "run", "port_scan", "--arg", "target=198.51.100.11", "--arg", "ports=2222-2223", "--output", "json"];
    let ran = site.gatepost_under(&net.inside(), &call).succeeds();
    let evidence = &ran["data"]["evidence"];
    assert_eq!(evidence["network"]["destinations"], Value::from(vec!["198.51.100.11"]), "{evidence:#}");
    let ports = evidence["results"].to_string();
    assert!(ports.contains("\"open\"") && ports.contains("\"closed\""), "{ports}");
}
