//! Servers that are not there, or not who they should be.

use std::net::TcpListener;

use super::server::{Identity, Server, response};
use super::{answer_of, answered};
use crate::site::Site;

#[test]
fn a_server_that_is_not_there_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let site = Site::with_config(&format!(
        "[inbox]\nsettle_ms = 50\n[approval]\nmode = \"declared\"\n[network]\ndestinations = [\"127.0.0.1:{port}\"]\n"
    ));
    let manifest = format!(
        "[tool]\nname = \"get\"\nversion = \"1\"\ndescription = \"Gets\"\n[http]\nmethod = \"GET\"\n\
         url = \"http://127.0.0.1:{port}/\"\n[output]\nformat = \"text\"\nparser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n"
    );
    site.manifest("get", &manifest);
    let bundle = answered(&site, "get", &[]);
    let said = format!("failed to get a response: 127.0.0.1:{port} cannot be reached");
    assert!(bundle.read("artifacts/stderr.txt").contains(&said), "{}", bundle.document());
}

#[test]
fn a_server_that_cannot_prove_its_name_is_told_nothing() {
    for (identity, said) in [
        (Identity::OfAnotherName, "certificate is for other.example.org, not 127.0.0.1"),
        (Identity::Expired, "the server's certificate has expired"),
        (Identity::Unknown, "the server's certificate cannot be verified: "),
    ] {
        let server = Server::known_as(identity, |_, to| to.write_all(response("200 OK", "", "{}").as_bytes()));
        let (_site, bundle) = answer_of(&server, "", "", "text");
        assert_eq!(bundle.code(), "HTTP_FAILED");
        let stderr = bundle.read("artifacts/stderr.txt");
        assert!(stderr.contains(said), "{said}: {stderr}");
        assert_eq!(server.requests(), [""; 0]);
    }
}
