//! A server of one plain page, on loopback, and a site that may get it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

#[allow(dead_code, reason = "not every program of tests that shares this asks")]
const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 13\r\n\r\nA plain page\n";

/// Serves the page until the program ends; the port.
#[allow(dead_code, reason = "not every program of tests that shares this asks")]
pub(crate) fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut line, mut is_open) = (String::new(), true);
            while is_open && line != "\r\n" {
                line.clear();
                is_open = stream.read_line(&mut line).is_ok_and(|count| count > 0);
            }
            // The client may have been killed.
            let _ = stream.get_mut().write_all(ANSWER.as_bytes());
        }
    });
    port
}

/// What a site needs in its `gatepost.toml` to get it.
#[allow(dead_code, reason = "not every program of tests that shares this asks")]
pub(crate) fn config(port: u16) -> String {
    format!("[fetch]\ndestinations = [\"127.0.0.1:{port}\"]\nplain_http = true\nrobots = false\n")
}
