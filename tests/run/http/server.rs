//! A server of the tests' own, on loopback, over TLS: it remembers what it was asked, and answers as it is told.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use gatepost_documents::digest::Digest;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

/// What it is known as, and whether the tools of a site trust it.
#[derive(Clone, Copy)]
pub(crate) enum Identity {
    Good,
    OfAnotherName,
    Expired,
    Unknown,
}

/// A server; its threads end with the program.
pub(crate) struct Server {
    pub port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    folder: TempDir,
}

impl Server {
    /// One that answers each request, given as it was received, with what `answer` writes.
    pub(crate) fn new(answer: impl Fn(&str, &mut dyn Write) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self::known_as(Identity::Good, answer)
    }

    /// One that answers each request with the same bytes.
    pub(crate) fn saying(response: &'static str) -> Self {
        Self::new(move |_, to| to.write_all(response.as_bytes()))
    }

    pub(crate) fn known_as(
        identity: Identity,
        answer: impl Fn(&str, &mut dyn Write) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let name = if matches!(identity, Identity::OfAnotherName) { "other.example.org" } else { "127.0.0.1" };
        let mut parameters = CertificateParams::new(vec![name.to_owned()]).unwrap();
        if matches!(identity, Identity::Expired) {
            (parameters.not_before, parameters.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        }
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        let trusted = match identity {
            Identity::Unknown => parameters.self_signed(&KeyPair::generate().unwrap()).unwrap().pem(),
            _ => certificate.pem(),
        };
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ca.pem"), trusted).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
            .unwrap();
        let (config, answer) = (Arc::new(config), Arc::new(answer));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let log = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, answer, log) = (Arc::clone(&config), Arc::clone(&answer), Arc::clone(&log));
                // What a client does not read to its end is the client's affair.
                thread::spawn(move || drop(serve(stream, config, &*answer, &log)));
            }
        });
        Self { port, requests, folder }
    }

    /// What it was asked so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The certificates that a tool is to trust.
    /// Digest of its certificate, DER.
    pub(crate) fn certificate_sha256(&self) -> String {
        let pem = fs::read(self.ca_file()).unwrap();
        Digest::of(&CertificateDer::from_pem_slice(&pem).unwrap()).to_string()
    }

    pub(crate) fn ca_file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// `host:port`
    pub(crate) fn destination(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

fn serve(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    answer: &dyn Fn(&str, &mut dyn Write) -> io::Result<()>,
    log: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    let request = read_request(&mut stream)?;
    log.lock().unwrap().push(request.clone());
    answer(&request, &mut stream)?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// A request with its body, whose length its head says.
fn read_request(stream: &mut impl Read) -> io::Result<String> {
    let mut request = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer)?;
        request.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&request).to_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Ok(String::from_utf8_lossy(&request).into_owned());
            }
        }
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// A whole response with a length.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len())
}
