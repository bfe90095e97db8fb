//! TLS over a connection of the client that keeps the certificate of the server.
//!
//! The client's own layer hands that certificate to nobody. *Standards*: RFC 8446, RFC 5246.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use gatepost_documents::digest::Digest;
use gatepost_documents::sources::Peer;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, ProtocolVersion, RootCertStore, StreamOwned};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};

use crate::HttpError;

/// The server of the newest connection; none before the first one, or without TLS.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewestPeer(Arc<Mutex<Option<Peer>>>);

impl NewestPeer {
    fn set(&self, peer: Option<Peer>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = peer;
    }

    /// Takes it.
    pub(crate) fn take(&self) -> Option<Peer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Begins TLS on connections to URLs of https, and leaves others as they are.
#[derive(Debug)]
pub(crate) struct TlsConnector {
    config: Arc<ClientConfig>,
    newest: NewestPeer,
}

impl TlsConnector {
    /// One that verifies servers against these roots.
    pub(crate) fn new(roots: RootCertStore, newest: NewestPeer) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let config = builder.with_root_certificates(roots).with_no_client_auth();
        Ok(Self { config: Arc::new(config), newest })
    }
}

impl<In: Transport> Connector<In> for TlsConnector {
    type Out = Either<In, TlsTransport>;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, ureq::Error> {
        let Some(transport) = chained else { return Ok(None) };
        if !details.needs_tls() || transport.is_tls() {
            return Ok(Some(Either::A(transport)));
        }
        let host = details.uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let mut connection = ClientConnection::new(self.config.clone(), name).map_err(io::Error::other)?;
        let mut socket = TransportAdapter::new(transport.boxed(), details.current_time.clone());
        socket.set_timeout(details.timeout);
        connection.complete_io(&mut socket)?;
        self.newest.set(peer(&connection));
        let buffers = LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(TlsTransport { buffers, stream: StreamOwned::new(connection, socket) })))
    }
}

fn peer(connection: &ClientConnection) -> Option<Peer> {
    let certificate = connection.peer_certificates()?.first()?;
    let version = match connection.protocol_version()? {
        ProtocolVersion::TLSv1_3 => "TLS 1.3",
        _ => "TLS 1.2",
    };
    Some(Peer { version: version.to_owned(), certificate_sha256: Digest::of(certificate) })
}

/// A connection within TLS.
pub(crate) struct TlsTransport {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl std::fmt::Debug for TlsTransport {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("TlsTransport").finish_non_exhaustive()
    }
}

impl Transport for TlsTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let output = self.buffers.output().get(..amount).unwrap_or_default();
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let count = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(count);
        Ok(count > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

/// The roots for verifying servers: at least one. `ca_file` as for [`crate::agent`].
pub(crate) fn roots(ca_file: Option<&Path>) -> Result<RootCertStore, HttpError> {
    let found = match ca_file {
        Some(file) => rustls_native_certs::load_certs_from_paths(Some(file), None),
        None => rustls_native_certs::load_native_certs(),
    };
    if found.certs.is_empty() {
        let none = ca_file.map_or("there are none", |_| "[http] ca_file of gatepost.toml holds none");
        let why = found.errors.first().map_or_else(|| none.to_owned(), ToString::to_string);
        return Err(HttpError::Roots(why));
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    Ok(roots)
}
