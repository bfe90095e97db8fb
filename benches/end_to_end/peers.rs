//! The alternatives, if installed. None of them calls fsync or judges results. Only bubblewrap isolates the program, only toolclad reads
//! a manifest, and only the loop with bubblewrap hashes what comes out.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::mailbox::manifest;

/// One way to run a program for each request.
pub(crate) struct Peer {
    /// Its name in the table.
    pub name: &'static str,
    /// The programs, by name or path, and the folders that it needs.
    needs: &'static [&'static str],
    /// How to install them.
    pub install: &'static str,
    /// A script for sh: `$1` is its own empty folder, `$2` the number of requests.
    script: &'static str,
    /// Whether requests arrive as files once the script's file `watching` says that its watch is established.
    watches: bool,
}

/// A shell loop over the files that are renamed into `in/`; the body finds the name of each in `$name`.
macro_rules! for_each_drop {
    ($body:literal) => {
        concat!(
            r#"cd "$1"; mkdir new
            inotifywait -m -e moved_to --format %f in 2>watching | {
                done=0
                while [ "$done" -lt "$2" ] && read -r name; do"#,
            $body,
            r#"
                    done=$((done+1))
                done
                : > finished
            }"#
        )
    };
}

/// All of them.
pub(crate) const PEERS: [Peer; 5] = [
    Peer {
        name: "bubblewrap and sha256sum in an inotifywait loop",
        needs: &["bwrap", "inotifywait"],
        install: "apt-get install inotify-tools bubblewrap",
        script: for_each_drop!(
            r#"
            mkdir "$name.tmp"
            bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev /bin/true > "$name.tmp/stdout"
            (cd "$name.tmp" && sha256sum stdout > SHA256SUMS) && mv "$name.tmp" "new/$name" && rm "in/$name""#
        ),
        watches: true,
    },
    Peer {
        name: "systemd-run",
        needs: &["systemd-run", "/run/systemd/system"],
        install: "boot with systemd",
        script: r#"i=0; while [ $i -lt "$2" ]; do systemd-run --quiet --wait --collect /bin/true; i=$((i+1)); done"#,
        watches: false,
    },
    Peer {
        name: "toolclad run in an inotifywait loop",
        needs: &["toolclad", "inotifywait"],
        install: "apt-get install inotify-tools; cargo install toolclad",
        script: for_each_drop!(
            r#"
            toolclad run nothing.clad.toml > "$name.json" && rm "in/$name""#
        ),
        watches: true,
    },
    Peer {
        name: "nq",
        needs: &["nq"],
        install: "apt-get install nq",
        script: r#"export NQDIR="$1/queue"; i=0; while [ $i -lt "$2" ]; do nq -q /bin/true; i=$((i+1)); done; nq -w"#,
        watches: false,
    },
    Peer {
        name: "task-spooler",
        needs: &["tsp"],
        install: "apt-get install task-spooler",
        script: r#"export TS_SOCKET="$1/socket" TMPDIR="$1"
            i=0; while [ $i -lt "$2" ]; do tsp /bin/true >/dev/null; i=$((i+1)); done; tsp -w; tsp -K"#,
        watches: false,
    },
];

impl Peer {
    /// The first missing program.
    pub(crate) fn missing(&self) -> Option<&'static str> {
        self.needs.iter().copied().find(|program| find(program).is_none())
    }

    /// Runs this many requests in `folder` and returns the time from the first request on.
    pub(crate) fn run(&self, folder: &Path, count: usize) -> io::Result<Duration> {
        fs::create_dir_all(folder.join("in"))?;
        fs::write(folder.join("nothing.clad.toml"), manifest("nothing", r#""/bin/true""#))?;
        let mut started = Instant::now();
        let mut shell = Command::new("sh")
            .args(["-c", self.script, "sh"])
            .arg(folder)
            .arg(count.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        if self.watches {
            await_text(&folder.join("watching"), "established");
            started = Instant::now();
            for number in 0..count {
                let name = format!("{number:06}");
                fs::write(folder.join(&name), "")?;
                fs::rename(folder.join(&name), folder.join("in").join(&name))?;
            }
            await_text(&folder.join("finished"), "");
            let time = started.elapsed();
            // One more event makes inotifywait notice that its reader is gone.
            fs::write(folder.join("last"), "")?;
            fs::rename(folder.join("last"), folder.join("in/last"))?;
            shell.wait()?;
            return Ok(time);
        }
        shell.wait()?;
        Ok(started.elapsed())
    }
}

/// Waits for a file that contains `text`.
fn await_text(path: &Path, text: &str) {
    let deadline = Instant::now() + Duration::from_mins(2);
    while !fs::read_to_string(path).is_ok_and(|found| found.contains(text)) {
        assert!(Instant::now() < deadline, "{} within two minutes", path.display());
        thread::sleep(Duration::from_millis(1));
    }
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.exists())
}
