//! Processes that end with the benchmark, however it ends.
//!
//! They are of one group, and so is what they start themselves, as Node's workers and a compiler's
//! children. A shell leads the group (`watcher.sh`) and ends it when its standard input does, which
//! the kernel sees to when the benchmark is killed. An interrupt at the terminal, and the
//! terminal's end, are for the benchmark alone, and reach the group in the same way.
//!
//! A signal on the parent's death (`prctl`) would be no replacement: it is sent when the thread
//! ends that has started a process, and the children of that process do not have it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

const WATCHER: &str = include_str!("process_group/watcher.sh");

/// The watcher runs as long as this process lives.
static LEADER: Mutex<Option<Child>> = Mutex::new(None);

/// Lets the processes that the command starts end when this one does.
pub(crate) fn bind(command: &mut Command) -> io::Result<&mut Command> {
    let mut leader = LEADER.lock().unwrap_or_else(PoisonError::into_inner);
    let group = match &*leader {
        Some(leader) => leader.id(),
        None => leader.insert(watcher()?).id(),
    };
    Ok(command.process_group(group.cast_signed()))
}

fn watcher() -> io::Result<Child> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(WATCHER).arg("watcher");
    // It holds none of the benchmark's output open: who reads that waits for its end.
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.process_group(0).spawn()
}
