//! The network, sockets of the machine's other programs, their queues, and memory that nobody measures.

use super::{Case, attempt, refused_call};
use crate::run::sandbox::outside::Outside;

pub(super) fn all(outside: &Outside) -> Vec<Case> {
    [network(outside), unix(outside), ipc(outside)].into_iter().flatten().collect()
}

fn network(outside: &Outside) -> Vec<Case> {
    let (tcp, udp) = (outside.tcp_port(), outside.udp_port());
    let made = |name, arguments: &str| attempt(name, &format!("socket.socket({arguments})"), &["EPERM"]);
    vec![
        made("packet_socket", "17, socket.SOCK_RAW"),
        made("raw_socket", "socket.AF_INET, socket.SOCK_RAW, 1"),
        made("raw_socket_6", "socket.AF_INET6, socket.SOCK_RAW, 58"),
        made("vsock_socket", "40, socket.SOCK_STREAM"),
        made("crypto_socket", "38, socket.SOCK_SEQPACKET"),
        made("netlink_of_sockets", "16, socket.SOCK_DGRAM, 4"),
        made("netlink_of_audit", "16, socket.SOCK_RAW, 9"),
        made("netlink_of_the_firewall", "16, socket.SOCK_RAW, 12"),
        made("netlink_of_devices", "16, socket.SOCK_RAW, 15"),
        made("generic_netlink", "16, socket.SOCK_RAW, 16"),
        attempt("its_links_addresses_and_routes_are_told", "[route(kind, 0x301) for kind in (18, 22, 26)]", &["done"])
            .at_landlock(&["EPERM"]),
        attempt("only_its_own_loopback_is_there", "assert_empty(socket.if_nameindex()[1:])", &["done"])
            .at_landlock(&["EPERM"]),
        attempt("a_link_stays_as_it_is", "route(16, 5, struct.pack('BxHiII', 0, 0, 1, 1, 1))", &["EPERM"]),
        attempt("no_address_is_added", "route(20, 0x605, struct.pack('BBBBi', 2, 8, 0, 0, 1))", &["EPERM"]),
        attempt(
            "no_route_is_added",
            "route(24, 0x605, struct.pack('BBBBBBBBI', 2, 0, 0, 0, 254, 3, 0, 1, 0))",
            &["EPERM"],
        ),
        attempt("tcp", &format!("socket.create_connection(('127.0.0.1', {tcp}))"), &["EACCES"]).at_landlock(&["EPERM"]),
        attempt(
            "tcp_6",
            &format!("socket.create_connection(('::ffff:127.0.0.1', {tcp}))"),
            &["EACCES", "EADDRNOTAVAIL", "ENETUNREACH"],
        )
        .at_landlock(&["EPERM"]),
        attempt("tcp_bind", "socket.socket().bind(('0.0.0.0', 0))", &["EACCES"]).at_landlock(&["EPERM"]),
        attempt(
            "udp",
            &format!("socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp}))"),
            &["ENETUNREACH"],
        )
        .at_landlock(&["EPERM"]),
        attempt("udp_bind", "socket.socket(type=socket.SOCK_DGRAM).bind(('0.0.0.0', 0))", &["done"])
            .at_landlock(&["EPERM"]),
    ]
}

fn unix(outside: &Outside) -> Vec<Case> {
    let (stream, datagram) = (outside.stream_path.display(), outside.datagram_path.display());
    let name = &outside.abstract_name;
    vec![
        attempt("unix_socket", &format!("socket.socket(socket.AF_UNIX).connect('{stream}')"), &["ENOENT"])
            .at_landlock(&["EPERM"]),
        attempt("unix_datagram_of_a_pair", &format!("tell('{datagram}')"), &["ENOENT"]).at_landlock(&["EPERM"]),
        attempt(
            "abstract_unix_socket",
            &format!("socket.socket(socket.AF_UNIX).connect('\\0{name}')"),
            &["ECONNREFUSED", "EPERM"],
        )
        .at_landlock(&["EPERM"]),
        attempt(
            "abstract_unix_datagram_of_a_pair",
            &format!("tell('\\0{name}')"),
            &["ECONNREFUSED", "EPERM", "EPROTOTYPE"],
        )
        .at_landlock(&["EPERM"]),
        attempt("a_pair_of_its_own", "(lambda pair: pair[0].send(b'x'))(socket.socketpair())", &["done"]),
    ]
}

fn ipc(outside: &Outside) -> Vec<Case> {
    let queue = outside.queue.to_str().unwrap().trim_start_matches('/');
    vec![
        refused_call("shared_memory", libc::SYS_shmget, "0, 4096, 0o600", &["EPERM"]),
        refused_call("semaphores", libc::SYS_semget, "0, 1, 0o600", &["EPERM"]),
        refused_call("message_queues", libc::SYS_msgget, "0, 0o600", &["EPERM"]),
        refused_call("message_queues_of_others", libc::SYS_mq_open, &format!("b'{queue}', 0, 0, 0"), &["ENOENT"])
            .at_landlock(&["EPERM"]),
    ]
}
