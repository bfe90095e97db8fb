//! One tool that prints 2 GiB: the time of its result, the watchers' memory, and the cost to other requests.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::mailbox::{Mailbox, Watcher};
use super::{Table, median, timed, times_of};

/// The number of small requests, sent one after the other, first alone and then beside the large one.
const SMALL: usize = 100;

pub(crate) fn measure(folder: &Path, table: &mut Table) -> io::Result<()> {
    let stdout = alone(folder, table)?;
    hashing(&stdout, table)?;
    beside(folder, table)
}

/// The time from the drop to the verdict on an idle site; returns the artifact.
fn alone(folder: &Path, table: &mut Table) -> io::Result<PathBuf> {
    let mut mailbox = Mailbox::new(&folder.join("large"), 1)?;
    let (exec, gate) = (mailbox.start("exec")?, mailbox.start("gate")?);
    let time = timed(|| {
        mailbox.drop("flood")?;
        mailbox.await_results("core/inbound", 1).map(drop)
    })?;
    let peak = |watcher: &Watcher| watcher.memory_bytes_peak().map(|bytes| bytes >> 20);
    table.row("memory with a tool that prints 2 GiB", format!("exec {} MiB, gate {} MiB", peak(&exec)?, peak(&gate)?));
    let stdout = fs::read_dir(mailbox.root().join("core/inbound"))?
        .filter_map(Result::ok)
        .map(|entry| entry.path().join("artifacts/stdout.txt"))
        .find(|path| path.is_file())
        .ok_or_else(|| io::Error::other("the flood's stdout is there"))?;
    let floor = timed(|| sha256sum(&stdout))?;
    table.row("2 GiB of zeros, drop to verdict", format!("{time:.1?}, {} sha256sum", times_of(time, floor)));
    let audit = timed(|| mailbox.audit())?;
    table.row("`audit verify` of these 2 GiB", format!("{audit:.1?}, {} sha256sum", times_of(audit, floor)));
    Ok(stdout)
}

/// Hashing, as results are hashed, beside the machine's own program on the same file.
fn hashing(file: &Path, table: &mut Table) -> io::Result<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        ours.push(timed(|| gatepost_documents::digest::Hasher::read(File::open(file)?).map(drop))?);
        theirs.push(timed(|| sha256sum(file))?);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    table.row("hashing 2 GiB", format!("{ours:.2?}; sha256sum {theirs:.2?}, {} that", times_of(ours, theirs)));
    Ok(())
}

fn sha256sum(file: &Path) -> io::Result<()> {
    Command::new("sha256sum").arg(file).stdout(Stdio::null()).status().map(drop)
}

/// The time of small requests alone, and while the large one runs and is judged.
fn beside(folder: &Path, table: &mut Table) -> io::Result<()> {
    let mut mailbox = Mailbox::new(&folder.join("beside"), 2)?;
    let _watchers = mailbox.start("up")?;
    let small = |mailbox: &mut Mailbox, results: usize| {
        timed(|| {
            mailbox.drop("nothing")?;
            mailbox.await_result_of("nothing", results).map(drop)
        })
    };
    small(&mut mailbox, 1)?;
    let alone: Vec<Duration> = (0..SMALL).map(|number| small(&mut mailbox, number + 2)).collect::<io::Result<_>>()?;
    mailbox.drop("flood")?;
    let beside: Vec<Duration> =
        (0..SMALL).map(|number| small(&mut mailbox, number + SMALL + 2)).collect::<io::Result<_>>()?;
    let is_judged = mailbox.count_of("flood")? > 0;
    mailbox.await_result_of("flood", 1)?;
    let (alone, beside) = (median(alone), median(beside));
    let end = if is_judged { ", part of them behind it" } else { "" };
    let figure = format!("p50 {beside:.2?}, alone {alone:.2?}, {} that{end}", times_of(beside, alone));
    table.row(format!("{SMALL} small requests beside 2 GiB"), figure);
    Ok(())
}
