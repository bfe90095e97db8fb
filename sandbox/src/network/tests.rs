//! The proxy from the tool's side, on loopback only.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::time::Instant;

use super::*;

/// Resolves only `name.test`, to this machine.
#[derive(Debug)]
struct OneName;

impl Resolve for OneName {
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        if name == "name.test" { Ok(vec![Ipv4Addr::LOCALHOST.into()]) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// A server that answers each connection with its input, after "got: ".
struct Server {
    address: SocketAddr,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    let mut buffer = [0; 4096];
                    let read = stream.read(&mut buffer).unwrap_or(0);
                    let _ = stream.write_all(b"got: ").and_then(|()| stream.write_all(&buffer[..read]));
                });
            }
        });
        Self { address }
    }

    fn port(&self) -> u16 {
        self.address.port()
    }
}

/// A proxy and its address.
struct Bench {
    proxy: Proxy,
    address: SocketAddr,
}

impl Bench {
    fn new(allowed: &[String], bounds: Bounds) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let allowed = allowed.iter().map(|text| Destination::parse(text).unwrap()).collect();
        let access = Access { bounds, resolver: Arc::new(OneName), ..Access::to(allowed) };
        let proxy = Proxy::start(&access).unwrap();
        proxy.serve(listener).unwrap();
        Self { proxy, address }
    }

    fn client(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    /// The whole answer to a message.
    fn exchange(&self, message: &[u8]) -> Vec<u8> {
        let mut client = self.client();
        client.write_all(message).unwrap();
        let mut answer = Vec::new();
        // The proxy may reset a connection after garbage.
        let _ = client.read_to_end(&mut answer);
        answer
    }

    fn http(&self, message: &str) -> String {
        String::from_utf8(self.exchange(message.as_bytes())).unwrap()
    }
}

fn connect(destination: &str) -> String {
    format!("CONNECT {destination} HTTP/1.1\r\nHost: {destination}\r\n\r\n")
}

fn socks(name: &str, port: u16) -> Vec<u8> {
    let length = u8::try_from(name.len()).unwrap();
    [&[5, 1, 0, 5, 1, 0, 3, length], name.as_bytes(), &port.to_be_bytes()].concat()
}

#[test]
fn a_listed_destination_is_reached_by_every_protocol_and_told_once() {
    let server = Server::start();
    let listed = format!("127.0.0.1:{}", server.port());
    let bench = Bench::new(std::slice::from_ref(&listed), Bounds::default());
    // Bytes sent before the answer are forwarded too.
    let tunnel = bench.http(&(connect(&listed) + "hello"));
    assert_eq!(tunnel, "HTTP/1.1 200 Connection established\r\n\r\ngot: hello");
    let plain =
        bench.http(&format!("POST http://{listed}/x HTTP/1.1\r\nHost: {listed}\r\nContent-Length: 2\r\n\r\nhiGET"));
    assert!(plain.starts_with("got: POST /x HTTP/1.1\r\n") && plain.ends_with("\r\n\r\nhi"), "{plain}");
    for name in ["127.0.0.1", "127.0.0.1"] {
        let answer = bench.exchange(&[socks(name, server.port()), b"hello".to_vec()].concat());
        assert_eq!(answer, [&[5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], b"got: hello"].concat());
    }
    let record = bench.proxy.stop();
    assert_eq!((record.destinations(), record.refused(), record.anomalies()), (vec![listed], vec![], vec![]));
    assert_eq!(record.reached()[0].1, server.address.ip());
}

#[test]
fn whatever_is_not_listed_is_refused_with_a_sentence() {
    let server = Server::start();
    let port = server.port();
    let allowed = [format!("name.test:{port}"), format!("127.0.0.1:{}", u16::MAX)];
    let bench = Bench::new(&allowed, Bounds::default());
    let hosts = [
        "127.0.0.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "other.test",
        "127.1",
        "0x7f.1",
        "name.test",
    ];
    for host in hosts {
        let destination = format!("{host}:{port}");
        for message in [connect(&destination), format!("GET http://{destination}/ HTTP/1.1\r\n\r\n")] {
            let answer = bench.http(&message);
            assert!(
                answer.starts_with("HTTP/1.1 403 Forbidden\r\n") && answer.ends_with(".\n"),
                "{destination}: {answer}"
            );
        }
        let reply = bench.exchange(&socks(host.trim_matches(['[', ']']), port));
        assert_eq!(&reply[..4], [5, 0, 5, 2], "{host}");
    }
    let record = bench.proxy.stop();
    assert_eq!(record.destinations(), [""; 0]);
    let plain: Vec<String> =
        ["0.0.0.0", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "name.test", "other.test"]
            .map(|host| format!("{host}:{port}"))
            .into();
    assert_eq!(record.refused(), plain);
    let anomalies = record.anomalies().concat();
    assert!(
        anomalies.contains("\"127.1:")
            && anomalies.contains(&format!("public address and were refused: name.test:{port}"))
    );
}

#[test]
fn rubbish_is_answered_or_cut_off_and_nobody_else_notices() {
    let server = Server::start();
    let listed = format!("127.0.0.1:{}", server.port());
    let bench =
        Bench::new(std::slice::from_ref(&listed), Bounds { head: Duration::from_millis(300), ..Bounds::default() });
    let long = "A".repeat(40_000);
    for (message, expected) in [
        (b"\0\0\0\0".to_vec(), &b""[..]),
        (b"get / http/1.1\r\n\r\n".to_vec(), b""),
        (vec![4, 1, 0, 80, 127, 0, 0, 1, 0], b""),
        (vec![5, 1, 2], &[5, 0xff]),
        (vec![5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80], &[5, 0, 5, 7]),
        (vec![5, 1, 0, 5, 3, 0, 1, 127, 0, 0, 1, 0, 80], &[5, 0, 5, 7]),
        (vec![5, 1, 0, 5, 1, 0, 9], &[5, 0, 5, 8]),
        (long.clone().into_bytes(), b"HTTP/1.1 431 "),
        (format!("GET / HTTP/1.1\r\nA: {long}\r\n\r\n").into_bytes(), b"HTTP/1.1 431 "),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), b"HTTP/1.1 400 "),
        (b"CONNECT a\nb:80 HTTP/1.1\r\n\r\n".to_vec(), b"HTTP/1.1 400 "),
    ] {
        let answer = bench.exchange(&message);
        assert!(
            answer.starts_with(expected),
            "{:?}: {:?}",
            String::from_utf8_lossy(&message[..message.len().min(30)]),
            answer
        );
        assert_eq!(answer.is_empty(), expected.is_empty());
    }
    assert_eq!(bench.http(&(connect(&listed) + "hi")).rsplit('\n').next(), Some("got: hi"));
}

#[test]
fn whoever_says_nothing_makes_room_for_others_in_time() {
    let server = Server::start();
    let listed = format!("127.0.0.1:{}", server.port());
    let bounds = Bounds {
        connections: 2,
        head: Duration::from_millis(100),
        idle: Duration::from_millis(100),
        ..Bounds::default()
    };
    let bench = Bench::new(std::slice::from_ref(&listed), bounds);
    // Silent, slow, and silent after its tunnel is open: more than there are places.
    let mut idle: Vec<TcpStream> = (0..6).map(|_| bench.client()).collect();
    for (client, message) in idle.iter_mut().zip(["", "G", "CONN", "\u{5}", "\u{5}\u{1}", &connect(&listed)]) {
        client.write_all(message.as_bytes()).unwrap();
    }
    assert_eq!(bench.http(&(connect(&listed) + "hi")).rsplit('\n').next(), Some("got: hi"));
}

#[test]
fn stopping_waits_for_nobody() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let listed = silent.local_addr().unwrap().to_string();
    let bench = Bench::new(std::slice::from_ref(&listed), Bounds { connections: 4, ..Bounds::default() });
    let mut clients: Vec<TcpStream> = (0..20).map(|_| bench.client()).collect();
    clients[0].write_all(connect(&listed).as_bytes()).unwrap();
    clients[0].read_exact(&mut [0; 12]).unwrap();
    let began = Instant::now();
    let record = bench.proxy.stop();
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(record.destinations(), [listed]);
    let mut rest = Vec::new();
    clients[0].shutdown(Shutdown::Write).unwrap();
    clients[0].read_to_end(&mut rest).unwrap();
    assert!(TcpStream::connect(bench.address).is_err(), "nobody listens any more");
}
