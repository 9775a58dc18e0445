//! A benchmark that is killed leaves no process behind: no server, and nothing that one has started.

mod built;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use built::thalweg;
use procfs::process::{Stat, all_processes};

/// Never answers, so that the benchmark waits for it; it has a child, as a server with workers, and
/// neither of them listens to a polite signal.
const SILENT: &str = "title = 'Silent'\nsources = ['sqlite']\ndialects = ['postgraphile']\n\
                      [server]\n\
                      command = ['/bin/sh', '-c', 'trap \"\" TERM HUP INT; sleep 600 & sleep 600']\n\
                      version = { command = ['/bin/sh', '-c', 'echo 1'] }\n\
                      [server.features]\nsimple-collections-both = []\n";
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);

#[test]
fn whatever_a_killed_benchmark_has_started_ends() {
    for signal in ["KILL", "INT", "HUP"] {
        let folder = workspace();
        let mut bench = start(folder.path());
        let there = wait_until_started(&mut bench);
        let mut kill = Command::new("kill");
        kill.arg(format!("-{signal}")).arg(bench.id().to_string());
        assert!(kill.status().is_ok_and(|status| status.success()), "{signal} cannot be sent");
        bench.wait().expect("the benchmark");
        let started = Instant::now();
        while let Some(left) = there.iter().find(|process| is_alive(process)) {
            assert!(started.elapsed() < PATIENCE, "{signal} has left {} there", left.comm);
            thread::sleep(POLL);
        }
    }
}

/// A workspace with the shop's data alone, for Thalweg and for the other one.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (own, new) = (built::workspace().join("bench"), folder.path().join("bench"));
    for part in ["suites/shop", "suites/shop/queries", "contestants"] {
        fs::create_dir_all(new.join(part)).expect("a folder");
        let files = fs::read_dir(own.join(part)).expect("a folder");
        let files = files.map(|entry| entry.expect("a file").path());
        for path in files.filter(|path| path.is_file() && !path.ends_with("suite.toml")) {
            let name = path.file_name().expect("a name");
            if part != "contestants" || name == "thalweg.toml" {
                fs::copy(&path, new.join(part).join(name)).expect("a copy");
            }
        }
    }
    let suite = fs::read_to_string(own.join("suites/shop/suite.toml")).expect("the suite");
    let changed = suite.replace("[\"postgres\", \"sqlite\"]", "[\"sqlite\"]");
    assert_ne!(suite, changed, "the suite's sources are written otherwise");
    fs::write(new.join("suites/shop/suite.toml"), changed).expect("a suite");
    fs::write(new.join("contestants/silent.toml"), SILENT).expect("a contestant");
    folder
}

fn start(workspace: &Path) -> Child {
    // Whoever runs the tests by `nohup` or in the background lets them ignore signals, and so all
    // that they start.
    let mut command = Command::new("/usr/bin/env");
    command.arg("--default-signal=HUP,INT").arg(env!("CARGO_BIN_EXE_bench"));
    command.args(["run", "--quick", "--only", "artistById", "--program"]).arg(thalweg());
    command.env("CARGO_MANIFEST_DIR", workspace.join("bench"));
    // Nothing is installed for a test: of the programs only those of every system are found.
    command.env("PATH", "/bin").stdin(Stdio::null()).stdout(Stdio::null());
    command.spawn().expect("the benchmark")
}

/// Waits for both servers, and gives all that the benchmark has started.
fn wait_until_started(bench: &mut Child) -> Vec<Stat> {
    let started = Instant::now();
    loop {
        let there = descendants(bench.id());
        let count = |name: &str| there.iter().filter(|process| process.comm == name).count();
        if count("thalweg") == 1 && count("sleep") == 2 {
            return there;
        }
        let ended = bench.try_wait().expect("the benchmark");
        assert!(ended.is_none() && started.elapsed() < PATIENCE, "{ended:?}: {there:?}");
        thread::sleep(POLL);
    }
}

fn descendants(process: u32) -> Vec<Stat> {
    let all: Vec<Stat> = all_processes()
        .expect("the processes")
        .filter_map(|process| process.ok()?.stat().ok())
        .collect();
    let mut parents = vec![process.cast_signed()];
    let mut found = Vec::new();
    while let Some(parent) = parents.pop() {
        for child in all.iter().filter(|child| child.ppid == parent) {
            parents.push(child.pid);
            found.push(child.clone());
        }
    }
    found
}

/// The same one, not a later one with its number, and not one that nobody has waited for yet.
fn is_alive(process: &Stat) -> bool {
    let now = procfs::process::Process::new(process.pid).and_then(|process| process.stat());
    now.is_ok_and(|now| now.starttime == process.starttime && now.state != 'Z')
}
