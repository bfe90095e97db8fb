//! What stands outside of the sandbox, to be aimed at, and whether it was hit.

use std::ffi::CString;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

pub(super) struct Outside {
    folder: PathBuf,
    pub secret: PathBuf,
    /// Open in this process, and not to be closed on exec.
    _secret: fs::File,
    tcp: TcpListener,
    udp: UdpSocket,
    pub stream_path: PathBuf,
    pub datagram_path: PathBuf,
    pub abstract_name: String,
    /// The name of a POSIX message queue.
    pub queue: CString,
    listeners: [UnixListener; 2],
    datagrams: UnixDatagram,
    witness: Child,
    state: String,
}

impl Outside {
    pub(super) fn new(folder: &Path) -> Self {
        let secret = folder.join("secret");
        fs::write(&secret, "secret").unwrap();
        fs::create_dir(folder.join("keys")).unwrap();
        fs::write(folder.join("keys/key"), "secret").unwrap();
        let open = fs::File::open(&secret).unwrap();
        // SAFETY: three integers.
        assert_eq!(unsafe { libc::fcntl(open.as_raw_fd(), libc::F_SETFD, 0) }, 0);
        let (stream_path, datagram_path) = (folder.join("stream"), folder.join("datagram"));
        let abstract_name = format!("gatepost-test-{}", folder.display());
        let abstract_address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let queue = CString::new(format!("/gatepost-test{}", folder.file_name().unwrap().display())).unwrap();
        let defaults = std::ptr::null_mut::<libc::mq_attr>();
        // SAFETY: the name ends in NUL, and the attributes are absent.
        let opened = unsafe { libc::mq_open(queue.as_ptr(), libc::O_CREAT | libc::O_EXCL, 0o600, defaults) };
        assert!(opened >= 0, "{}", std::io::Error::last_os_error());
        // SAFETY: it was opened here. The queue stays; an open descriptor would keep it beyond its name.
        unsafe { libc::mq_close(opened) };
        let listeners =
            [UnixListener::bind(&stream_path).unwrap(), UnixListener::bind_addr(&abstract_address).unwrap()];
        let mut outside = Self {
            folder: folder.to_owned(),
            secret,
            _secret: open,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            datagrams: UnixDatagram::bind(&datagram_path).unwrap(),
            stream_path,
            datagram_path,
            abstract_name,
            queue,
            listeners,
            witness: Command::new("sleep").arg("1000").spawn().unwrap(),
            state: String::new(),
        };
        outside.state = outside.look();
        outside
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A process that has nothing to do with it.
    pub(super) fn witness(&self) -> u32 {
        self.witness.id()
    }

    pub(super) fn tcp_port(&self) -> u16 {
        self.tcp.local_addr().unwrap().port()
    }

    pub(super) fn udp_port(&self) -> u16 {
        self.udp.local_addr().unwrap().port()
    }

    /// Everything that an attempt could have changed.
    fn look(&self) -> String {
        let files = [self.secret.clone(), self.folder.join("in/data"), self.folder.join("keys")].map(|path| {
            let metadata = fs::metadata(&path).unwrap();
            let flags = rustix::fs::ioctl_getflags(fs::File::open(&path).unwrap());
            (path, metadata.mode(), metadata.mtime(), metadata.len(), flags)
        });
        let mut names: Vec<_> = fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| name != "stdout" && name != "stderr");
        names.sort();
        let limits = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        let priority = rustix::process::getpriority_process(None);
        format!("{files:?} {names:?} {limits:?} {priority:?}")
    }

    /// Asserts that nothing outside was changed or told anything, and that the witness lives.
    pub(super) fn assert_unharmed(&mut self) {
        assert_eq!(self.look(), self.state);
        assert_eq!(fs::read(&self.secret).unwrap(), b"secret");
        assert_eq!(self.witness.try_wait().unwrap(), None);
        self.tcp.set_nonblocking(true).unwrap();
        assert!(self.tcp.accept().is_err());
        self.udp.set_nonblocking(true).unwrap();
        assert!(self.udp.recv(&mut [0]).is_err());
        self.datagrams.set_nonblocking(true).unwrap();
        assert!(self.datagrams.recv(&mut [0]).is_err());
        for listener in &self.listeners {
            listener.set_nonblocking(true).unwrap();
            assert!(listener.accept().is_err());
        }
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        // SAFETY: the name ends in NUL.
        unsafe { libc::mq_unlink(self.queue.as_ptr()) };
        let _ = self.witness.kill();
        let _ = self.witness.wait();
    }
}
