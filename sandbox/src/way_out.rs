//! The only peer that a tool with a network can reach: a socket on the loopback interface of its own network namespace, on which
//! gatepost accepts from outside.
//!
//! Nothing else is in that namespace, so there is no route for UDP or for any other address. *Standards*: Linux
//! `netdevice(7)`, `network_namespaces(7)`.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen as start_listening, socket_with};

/// The port that the tool finds in its proxy variables.
pub const PORT: u16 = 3128;

/// The backlog of the listening socket.
const BACKLOG: i32 = 128;

/// Listens. Runs between clone and exec, in a new network namespace, before capabilities are given up.
pub(super) fn listen() -> Result<OwnedFd, Errno> {
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    super::system_call::bring_loopback_up(socket.as_fd())?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, PORT))?;
    start_listening(&socket, BACKLOG)?;
    Ok(socket)
}
