//! A run of the benchmark from its files to its report, over SQLite: with what is missing on many
//! machines, and, where `wrk` is installed, with a tiny closed loop.

mod built;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use built::{thalweg, workspace};
use serde_json::Value;

/// Cannot be installed where there is no npm.
const ABSENT: &str = "title = 'Absent'\nsources = ['sqlite']\ndialects = ['postgraphile']\n\
                      [server]\nnpm = 'packages'\ncommand = ['{node}']\n\
                      version = { package = 'absent' }\n\
                      [server.features]\nsimple-collections-both = []\n";
/// Ends at once.
const SHORT: &str = "title = 'Short'\nsources = ['sqlite']\ndialects = ['postgraphile']\n\
                     [server]\ncommand = ['/bin/sh', '-c', 'echo I cannot; exit 1']\n\
                     version = { command = ['/bin/sh', '-c', 'echo 1'] }\n\
                     [server.features]\nsimple-collections-both = []\n";

/// A workspace that has nothing but the benchmark's files, those of the shop over SQLite alone.
struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (own, new) = (workspace().join("bench"), folder.path().join("bench"));
        let shop = "suites/shop";
        for part in ["queries", "floors"] {
            copy(&own.join(shop).join(part), &new.join(shop).join(part));
        }
        let suite = fs::read_to_string(own.join(shop).join("suite.toml")).expect("the suite");
        let changed = suite.replace("[\"postgres\", \"sqlite\"]", "[\"sqlite\"]");
        assert_ne!(suite, changed, "the suite's sources are written otherwise");
        fs::write(new.join(shop).join("suite.toml"), changed).expect("a suite");
        let contestants = new.join("contestants");
        fs::create_dir_all(contestants.join("packages")).expect("a folder");
        fs::write(contestants.join("packages/package.json"), "{}").expect("a package");
        for name in ["thalweg.toml", "sqlite-loop.toml"] {
            fs::copy(own.join("contestants").join(name), contestants.join(name)).expect("a copy");
        }
        fs::write(contestants.join("absent.toml"), ABSENT).expect("a contestant");
        fs::write(contestants.join("short.toml"), SHORT).expect("a contestant");
        Self(folder)
    }

    fn run(&self, path: Option<&str>, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command.arg("run").args(words).arg("--program").arg(thalweg());
        command.env("CARGO_MANIFEST_DIR", self.0.path().join("bench"));
        if let Some(path) = path {
            command.env("PATH", path);
        }
        command.output().expect("the benchmark")
    }

    fn read(&self, run: &str, file: &str) -> String {
        let path = self.0.path().join("target/bench").join(run).join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn json(&self, run: &str, file: &str) -> Value {
        serde_json::from_str(&self.read(run, file)).expect("JSON")
    }

    fn lines(&self, run: &str, file: &str) -> Vec<Value> {
        let text = self.read(run, file);
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

#[test]
fn what_is_missing_is_reported_and_the_rest_is_measured() {
    let workspace = Workspace::new();
    let words = ["--quick", "--only", "artistById", "--name", "one"];
    let output = workspace.run(Some("/nowhere"), &words);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));

    let run = workspace.json("one", "run.json");
    assert!(run["ended"].is_string(), "{run}");
    let version = run["versions"]["wrk"].as_str().unwrap_or_default();
    assert!(version.starts_with("missing: `wrk` is not installed"), "{version}");
    assert!(told.contains("missing: `wrk` is not installed"), "{told}");
    let contestants = run["contestants"].as_array().cloned().unwrap_or_default();
    let missing = |id: &str| {
        let one = contestants.iter().find(|one| one["id"] == id);
        one.unwrap_or_else(|| panic!("{id} is left out silently"))["missing"].clone()
    };
    assert_eq!(missing("thalweg"), Value::Null);
    for (id, reason) in [("absent", "`npm` could not be run"), ("short", "I cannot")] {
        let written = missing(id);
        assert!(written.as_str().is_some_and(|text| text.contains(reason)), "{id}: {written}");
        let left_out = &run["suites"][0]["queries"][0]["left_out"][id];
        assert!(left_out.as_str().is_some_and(|text| text.contains(reason)), "{id}: {left_out}");
        assert!(told.contains(reason), "{told}");
    }
    let equal = &run["suites"][0]["queries"][0]["equal"];
    assert_eq!(*equal, serde_json::json!(["thalweg", "sqlite-loop"]));
    assert!(run["suites"][0]["queries"][0]["answer_bytes"].as_u64() > Some(10), "{run}");
    // The floor in SQLite needs no program but this one.
    let measured = workspace.lines("one", "measurements.jsonl");
    assert_eq!(measured.len(), 1, "{measured:?}");
    assert_eq!(measured[0]["subject"]["contestant"], "sqlite-loop");
    assert!(measured[0]["outcome"]["requests"].as_u64() > Some(0));
    assert!(workspace.read("one", "report.html").contains("artistById"));

    // Nothing is left over that could be resumed, and the name is taken.
    for words in [["--resume"].as_slice(), &words] {
        let output = workspace.run(Some("/nowhere"), words);
        assert!(!output.status.success(), "{words:?}");
    }
}

#[test]
fn a_tiny_closed_loop_is_measured_and_a_stopped_run_goes_on() {
    if !installed("wrk") {
        println!("not run: wrk is not installed");
        return;
    }
    let workspace = Workspace::new();
    let words = ["--quick", "--only", "artistById", "--contestant", "thalweg", "--name", "one"];
    // Only this folder of the path: nothing is installed for a test.
    let output = workspace.run(Some("/usr/bin"), &words);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    let measured = workspace.lines("one", "measurements.jsonl");
    let closed =
        measured.iter().find(|one| one["load"]["kind"] == "closed").expect("a closed loop");
    assert_eq!(closed["load"]["connections"], 16);
    assert_eq!(closed["outcome"]["failures"], 0, "{closed}");
    assert!(closed["outcome"]["requests"].as_u64() > Some(100), "{closed}");
    assert!(closed["outcome"]["compared"].as_u64() > Some(0), "{closed}");
    assert!(closed["outcome"]["cpu"]["server"].as_f64() > Some(0.0), "{closed}");
    assert!(closed["outcome"]["peak_memory"].as_u64() > Some(1 << 20), "{closed}");

    // As if the machine had stopped before the last line of the plan was done.
    let folder = workspace.0.path().join("target/bench/one");
    fs::write(folder.join("done.jsonl"), "").expect("a file");
    let run = workspace.read("one", "run.json");
    let ended = workspace.json("one", "run.json")["ended"].to_string();
    fs::write(folder.join("run.json"), run.replace(&ended, "null")).expect("a file");
    let output = workspace.run(Some("/usr/bin"), &["--resume"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let again = workspace.lines("one", "measurements.jsonl");
    assert_eq!(again.len(), measured.len());
    assert_ne!(again, measured, "it is measured again");
    assert!(workspace.json("one", "run.json")["ended"].is_string());
}

/// In the folder that these tests have as their path.
fn installed(program: &str) -> bool {
    Path::new("/usr/bin").join(program).is_file()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("a file").path();
        fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
    }
}
