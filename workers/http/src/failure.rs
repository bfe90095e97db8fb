//! The causes of a failed exchange, in plain words: the client's and TLS's own errors name their internal types.
//!
//! Pure. *Standards*: RFC 8446 section 6 (alerts), RFC 5280 (certificates), RFC 9112.

use std::io::{self, ErrorKind};

use gatepost_documents::destination::Destination;
use gatepost_documents::text::quoted;
use rustls::{CertificateError, Error as TlsError};
use url::Url;

/// The proxy's answer if the run has not this destination. Every other error answer means that the destination was not reached.
pub(crate) const NOT_LET: &str = "proxy server responded 403";

const CUT_OFF: &str = "the server closed the connection before its answer was complete";

/// Why a URL gave no complete response, as a clause.
pub fn of_exchange(error: &ureq::Error, url: &Url) -> String {
    match error {
        ureq::Error::ConnectProxyFailed(answer) if answer.starts_with(NOT_LET) => {
            format!("this run may not reach {}", destination(url))
        }
        ureq::Error::ConnectProxyFailed(_) | ureq::Error::ConnectionFailed => {
            format!("{} cannot be reached", destination(url))
        }
        ureq::Error::HostNotFound => format!("{} cannot be reached: its name is not known", destination(url)),
        ureq::Error::Io(error) => of_connection(error, url),
        ureq::Error::LargeResponseHeader(_, bytes_max) => {
            format!("the server's answer has a head of more than {} KiB", bytes_max / 1024)
        }
        ureq::Error::BodyStalled => CUT_OFF.to_owned(),
        // The type of the error is private.
        ureq::Error::Protocol(error) if error.to_string().ends_with("too many headers") => {
            "the server's answer has too many headers".to_owned()
        }
        ureq::Error::Protocol(error) => format!("the server's answer is not valid HTTP/1.1: {error}"),
        other => other.to_string(),
    }
}

/// The destination of a URL. Only this part is shown, because the rest may contain secrets.
fn destination(url: &Url) -> String {
    Destination::of_url(url.as_str()).map_or_else(|| "the server".to_owned(), |destination| destination.to_string())
}

fn of_connection(error: &io::Error, url: &Url) -> String {
    if let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        return of_tls(error);
    }
    match error.kind() {
        ErrorKind::UnexpectedEof => CUT_OFF.to_owned(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            "the server reset or closed the connection".to_owned()
        }
        ErrorKind::ConnectionRefused => format!("{} cannot be reached", destination(url)),
        _ => error.to_string(),
    }
}

fn of_tls(error: &TlsError) -> String {
    match error {
        TlsError::InvalidCertificate(error) => of_certificate(error),
        TlsError::NoCertificatesPresented => "the server has no certificate".to_owned(),
        TlsError::InvalidMessage(_) => "the server does not speak TLS".to_owned(),
        TlsError::AlertReceived(alert) => format!("the server refused the TLS connection, with the alert {alert:?}"),
        TlsError::PeerIncompatible(_) => "the server and gatepost have no TLS version in common".to_owned(),
        other => format!("TLS failed: {other}"),
    }
}

fn of_certificate(error: &CertificateError) -> String {
    let clause = match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "is not valid yet",
        CertificateError::Revoked => "was revoked",
        CertificateError::NotValidForName => "is for another name",
        CertificateError::NotValidForNameContext { expected, presented } => {
            return format!("the server's certificate is for {}, not {}", names(presented), expected.to_str());
        }
        CertificateError::UnknownIssuer => "cannot be verified: its issuer is not a known authority",
        CertificateError::BadSignature => "cannot be verified: its signature is wrong",
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "cannot be verified: it is not a server certificate"
        }
        // The verifier's own error, whose type is private.
        CertificateError::Other(error) if error.to_string() == "CaUsedAsEndEntity" => {
            "cannot be verified: it is an authority's certificate, not a server's"
        }
        other => return format!("the server's certificate cannot be verified: {other}"),
    };
    format!("the server's certificate {clause}")
}

/// The most names of a certificate that are listed.
const NAMES_MAX: usize = 3;

/// The first names in a certificate, each as `DnsName("a.org")` or `IpAddress(10.0.0.1)`.
fn names(presented: &[String]) -> String {
    let name = |name: &String| {
        let inside = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
        let plain = inside.trim_matches('"');
        if plain.bytes().all(|byte| byte.is_ascii_graphic()) { plain.to_owned() } else { quoted(plain) }
    };
    match presented {
        [] => "no name".to_owned(),
        names => {
            let more =
                if names.len() > NAMES_MAX { format!(" and {} more", names.len() - NAMES_MAX) } else { String::new() };
            names.iter().take(NAMES_MAX).map(name).collect::<Vec<_>>().join(", ") + &more
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::{AlertDescription, OtherError};

    use super::*;

    fn certificate(error: CertificateError) -> ureq::Error {
        ureq::Error::Io(io::Error::new(ErrorKind::InvalidData, TlsError::InvalidCertificate(error)))
    }

    #[test]
    fn an_error_is_told_in_plain_words_and_names_no_type() {
        let name = CertificateError::NotValidForNameContext {
            expected: "127.0.0.1".try_into().unwrap(),
            presented: vec!["DnsName(\"wrong.example\")".to_owned(), "IpAddress(10.0.0.1)".to_owned()],
        };
        let authority = CertificateError::Other(OtherError(Arc::new(io::Error::other("CaUsedAsEndEntity"))));
        let alert = TlsError::AlertReceived(AlertDescription::HandshakeFailure);
        let answered =
            |status: u16| ureq::Error::ConnectProxyFailed(format!("proxy server responded {status}/{status}"));
        for (error, expected) in [
            (answered(502), "127.0.0.1:18917 cannot be reached"),
            (answered(403), "this run may not reach 127.0.0.1:18917"),
            (ureq::Error::HostNotFound, "127.0.0.1:18917 cannot be reached: its name is not known"),
            (certificate(CertificateError::Expired), "the server's certificate has expired"),
            (certificate(name), "the server's certificate is for wrong.example, 10.0.0.1, not 127.0.0.1"),
            (
                certificate(authority),
                "the server's certificate cannot be verified: it is an authority's certificate, not a server's",
            ),
            (
                certificate(CertificateError::UnknownIssuer),
                "the server's certificate cannot be verified: its issuer is not a known authority",
            ),
            (
                ureq::Error::Io(io::Error::other(alert)),
                "the server refused the TLS connection, with the alert HandshakeFailure",
            ),
            (ureq::Error::LargeResponseHeader(123_878, 65_536), "the server's answer has a head of more than 64 KiB"),
            (ureq::Error::BodyStalled, CUT_OFF),
            (ureq::Error::Io(io::Error::new(ErrorKind::UnexpectedEof, "Peer disconnected")), CUT_OFF),
            (ureq::Error::Io(ErrorKind::ConnectionReset.into()), "the server reset or closed the connection"),
        ] {
            let url = Url::parse("https://127.0.0.1:18917/x?token=hunter2").unwrap();
            assert_eq!(of_exchange(&error, &url), expected);
        }
    }
}
