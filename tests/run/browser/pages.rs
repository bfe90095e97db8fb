//! Servers of pages, on loopback; their threads end with the program.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// One that remembers the paths that it was asked for.
pub(super) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// One that answers the path of each request with a whole response.
    pub(super) fn new(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&asked), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                // A browser connects before it knows what to ask for.
                thread::spawn(move || serve(stream, &log, &*answer));
            }
        });
        Self { port, asked }
    }

    /// One with the same page at every path.
    pub(super) fn of(body: &str) -> Self {
        let response = page("Page", body);
        Self::new(move |_| response.clone())
    }

    /// A shop of five pages.
    pub(super) fn shop() -> Self {
        Self::new(|path| match path.split('?').next() {
            Some("/") => page("Shop", "<h1>Orders</h1><p><a id=new href=/new>New order</a>"),
            Some("/new") => page(
                "New",
                "<form action=/placed><label>Item <input id=item name=item required></label><button>Order</button></form>",
            ),
            Some("/placed") => page(
                "Placed",
                "<p id=it></p><script>it.textContent = 'Placed: ' + new URLSearchParams(location.search).get('item')</script>",
            ),
            Some("/late") => {
                page("Late", "<script>setTimeout(() => document.body.innerHTML = '<p id=late>Here', 1500)</script>")
            }
            Some("/orders") => page("Open", "<table><tr><th>Item<tr><td>oil</table>"),
            _ => response("404 Not Found", "", "nothing"),
        })
    }

    /// `host:port`
    pub(super) fn destination(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.destination())
    }

    /// How often a path was asked for.
    pub(super) fn count(&self, path: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| *asked == path).count()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<String>>, answer: &dyn Fn(&str) -> String) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    log.lock().unwrap().push(path.to_owned());
    // What a client does not read to its end is the client's affair.
    let _ = stream.write_all(answer(path).as_bytes());
}

/// A page of HTML.
pub(super) fn page(title: &str, body: &str) -> String {
    let body = format!("<!doctype html><title>{title}</title><body>{body}");
    response("200 OK", "Content-Type: text/html; charset=utf-8\r\n", &body)
}

/// A whole response with a length.
pub(super) fn response(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}", body.len())
}
