//! Imports that are killed while they read files.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use super::{BLOG, Scene, databases, many};
use crate::program::{outcome, run, thalweg};

/// Files of all formats, each longer than a sorted part.
fn files(scene: &Scene) -> [String; 4] {
    let (mut table, mut lines) = ("name,born\r\n".to_owned(), String::new());
    for number in 0..1_500 {
        table.push_str(&format!("\"Writer\n{number}\",1990\r\n"));
        lines.push_str(&format!(
            "{{\"type\":\"Post\",\"title\":\"Line {number}\",\
             \"author\":{{\"name\":\"Writer\\n{number}\"}},\"tags\":[\"Tag 1\"]}}\n"
        ));
    }
    // Values that are rejected stay rejected.
    lines.push_str("{\"type\":\"Post\",\"title\":\"No author\"}\n{oops\n");
    let plain = scene.write("plain.rdf", many(1_200));
    let other = scene.file("other.db");
    scene.import_all(&[&scene.write("other.rdf", many(1_000))], &other, &[]);
    let compressed = scene.file("compressed.rdf.gz");
    let words = ["export", "--types", &scene.types, "--data", &other, "--output", &compressed];
    assert_eq!(outcome(&run(&words)), (Some(0), String::new(), String::new()));
    // Other authors and tags: their names are unique.
    let plain_text = fs::read_to_string(&plain).unwrap();
    fs::write(&plain, plain_text.replace("\"Author ", "\"Other ").replace("\"Tag ", "\"Word "))
        .unwrap();
    let (table, lines) = (scene.write("Author.csv", table), scene.write("lines.jsonl", lines));
    [plain, table, compressed, lines]
}

/// The checkpoint of a folder: the file, the record in it, and the number of sorted runs.
fn checkpoint(work: &str) -> Option<(u64, u64, usize)> {
    let text = fs::read_to_string(Path::new(work).join("reading.json")).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    let (file, record) = (json["file"].as_u64()?, json["position"][0].as_u64()?);
    Some((file, record, json["runs"].as_array()?.len()))
}

fn start(words: &[&str]) -> Child {
    let mut command = thalweg(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Kills an import at the first checkpoint after the known one. Returns the output if the import
/// ends before.
fn kill_at_next_checkpoint(words: &[&str], work: &str) -> Option<(Option<i32>, String, String)> {
    let known = checkpoint(work);
    let mut program = start(words);
    while program.try_wait().unwrap().is_none() {
        let found = checkpoint(work);
        assert!(found.is_none() || found >= known, "{found:?} after {known:?}");
        if found > known {
            program.kill().unwrap();
            drop(program.wait_with_output());
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Some(outcome(&program.wait_with_output().unwrap()))
}

#[test]
fn a_killed_reading_goes_on_after_its_last_sorted_part() {
    let scene = Scene::new(BLOG);
    let files = files(&scene);
    let files = files.each_ref().map(String::as_str);
    let rejected = scene.file("plain.rdf.rejected.jsonl");
    let whole = scene.file("whole.db");
    let expect = scene.import(&files, &whole, &["--ids", "new"]);
    assert_eq!((expect.0, &*expect.2), (Some(3), ""), "{}", expect.1);
    let expect_rejected = fs::read_to_string(&rejected).unwrap();
    let whole = scene.export(&whole, "rdf");
    for data in databases(&scene, "reading") {
        let work = scene.file("work");
        let words = ["--types", &scene.types, "--data", &data, "--work", &work, "--ids", "new"];
        let words = [&["import"], &files[..], &words, &["--sort-memory", "100KiB"]].concat();
        fs::remove_file(&rejected).unwrap();
        let mut seen = Vec::new();
        let outcome = loop {
            if let Some(outcome) = kill_at_next_checkpoint(&words, &work) {
                break outcome;
            }
            seen.extend(checkpoint(&work));
        };
        assert_eq!(outcome, expect);
        assert_eq!(fs::read_to_string(&rejected).unwrap(), expect_rejected);
        assert!(seen.is_sorted() && seen.len() >= 8, "{seen:?}");
        // Within each file, and between files.
        for file in 0..4 {
            assert!(seen.iter().any(|(of, record, _)| *of == file && *record > 1), "{seen:?}");
        }
        assert_eq!(scene.export(&data, "rdf"), whole, "{data}");
        scene.check(&data);
        assert!(!Path::new(&work).exists());
    }
}

#[test]
fn a_changed_file_is_read_from_its_beginning() {
    let scene = Scene::new(BLOG);
    let file = scene.write("many.rdf", many(1_500));
    let (data, work) = (scene.file("changed.db"), scene.file("work"));
    let words = ["import", &file, "--types", &scene.types, "--data", &data, "--work", &work];
    let words = [&words[..], &["--sort-memory", "100KiB"]].concat();
    let killed = || {
        for _ in 0..2 {
            assert_eq!(kill_at_next_checkpoint(&words, &work), None);
        }
        assert!(checkpoint(&work).is_some_and(|(_, record, _)| record > 0));
    };
    killed();
    let more = "_:more <dgraph.type> \"Tag\" .\n_:more <Tag.name> \"more\" .\n";
    fs::write(&file, many(1_500) + more).unwrap();
    let reading = "all files are read from their beginning\n";
    let (code, output, error) = outcome(&start(&words).wait_with_output().unwrap());
    assert_eq!(code, Some(0), "{error}");
    let expect = format!("{file} was changed after the import was killed: {reading}");
    assert_eq!(error, expect);
    assert!(output.contains("Tag: 8\n"), "{output}");
    assert!(scene.export(&data, "rdf").contains("\"more\""));
    // A sorted part that is gone, and other options.
    let data = scene.file("missing.db");
    let words = ["import", &file, "--types", &scene.types, "--data", &data, "--work", &work];
    let words = [&words[..], &["--sort-memory", "100KiB"]].concat();
    let mut expect = vec!["files of the killed import are missing: ".to_owned() + reading];
    expect.push(format!(
        "the options or the type definitions are not those of the killed import: {reading}"
    ));
    for expect in expect {
        assert_eq!(kill_at_next_checkpoint(&words, &work), None);
        let is_missing = expect.starts_with("files");
        if is_missing {
            fs::remove_file(Path::new(&work).join("facts-0.run")).unwrap();
        }
        let more: &[&str] = if is_missing { &[] } else { &["--ids", "new"] };
        let words = [&words[..], more].concat();
        let (code, _, error) = outcome(&start(&words).wait_with_output().unwrap());
        assert_eq!((code, error), (Some(0), expect));
        fs::remove_file(&data).unwrap();
    }
}

/// Posts as JSON lines, which refer to their authors by names.
fn posts(number: u32) -> String {
    let line = |number| {
        format!(
            "{{\"type\":\"Post\",\"title\":\"Line {number}\",\
             \"author\":{{\"name\":\"Writer {number}\"}},\"tags\":[{{\"name\":\"Tag\"}}]}}\n"
        )
    };
    (0..number).map(line).collect()
}

/// An import of one file in small parts, and the folder of its files.
struct Killed<'s> {
    scene: &'s Scene,
    file: String,
    data: String,
    work: String,
}

impl<'s> Killed<'s> {
    /// Kills the import after its first part.
    fn new(scene: &'s Scene, file: &str, name: &str) -> Self {
        let data = scene.file(&format!("{name}.db"));
        let killed = Self { scene, file: file.into(), data, work: scene.file("work") };
        assert_eq!(kill_at_next_checkpoint(&killed.words(&[]), &killed.work), None);
        killed
    }

    fn words<'w>(&'w self, options: &[&'w str]) -> Vec<&'w str> {
        let Self { scene, file, data, work } = self;
        let words = ["import", file, "--types", &scene.types, "--data", data, "--work", work];
        [&words[..], &["--sort-memory", "64KiB"], options].concat()
    }

    /// Runs the command again.
    fn again(&self, options: &[&str]) -> (Option<i32>, String, String) {
        outcome(&run(&self.words(options)))
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        Path::new(&self.work).join(name)
    }
}

#[test]
fn a_killed_reading_whose_files_cannot_be_used_begins_anew() {
    let scene = Scene::new(BLOG);
    let file = scene.write("many.rdf", many(1_500));
    let whole = scene.file("whole.db");
    let expect = scene.import_all(&[&file], &whole, &[]);
    let whole = scene.export(&whole, "rdf");
    type Change = (&'static str, &'static str, fn(&Killed<'_>));
    let changes: [Change; 4] = [
        ("removed", "files of the killed import are missing", |killed| {
            fs::remove_file(killed.path("names.log")).unwrap();
        }),
        ("cut", "files of the killed import are missing", |killed| {
            let log = fs::File::options().write(true).open(killed.path("names.log")).unwrap();
            log.set_len(160).unwrap();
        }),
        (
            "hashers",
            "another build of this program has written the files of the killed import",
            |killed| {
                let path = killed.path("reading.json");
                let text = fs::read_to_string(&path).unwrap();
                let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
                json["names"][1] = 7.into();
                fs::write(path, json.to_string()).unwrap();
            },
        ),
        ("state", "the files of the killed import cannot be read", |killed| {
            let path = killed.path("reading.json");
            let text = fs::read_to_string(&path).unwrap();
            let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
            json["words"] = serde_json::Value::Null;
            fs::write(path, json.to_string()).unwrap();
        }),
    ];
    for (name, reason, change) in changes {
        let killed = Killed::new(&scene, &file, name);
        change(&killed);
        let note = format!("{reason}: all files are read from their beginning\n");
        assert_eq!(killed.again(&[]), (Some(0), expect.clone(), note), "{name}");
        assert_eq!(scene.export(&killed.data, "rdf"), whole, "{name}");
        assert!(!Path::new(&killed.work).exists());
    }
}

#[test]
fn a_lower_number_of_rejected_values_holds_for_those_of_the_killed_reading() {
    let scene = Scene::new(BLOG);
    let file = scene.write("many.rdf", "one\ntwo\nthree\n".to_owned() + &many(1_500));
    let killed = Killed::new(&scene, &file, "lower");
    let (code, output, error) = killed.again(&["--max-rejected", "2"]);
    assert_eq!(
        (code, &*output, &*error),
        (Some(1), "", "error: more than 2 values are rejected\n")
    );
    assert_eq!(killed.again(&["--max-rejected", "3"]).0, Some(3));
}

#[test]
fn an_import_goes_on_after_an_error_of_a_file() {
    let scene = Scene::new(BLOG);
    let file = scene.write("posts.jsonl", posts(1_500));
    let whole = scene.file("whole.db");
    let expect = scene.import_all(&[&file], &whole, &[]);
    let killed = Killed::new(&scene, &file, "failed");
    let known = checkpoint(&killed.work);
    // Sorted parts of references and of unique values have the size of the option, too.
    for name in ["nodes", "links-0.run", "keys-0.run"] {
        fs::create_dir(killed.path(name)).unwrap();
        let (code, output, error) = killed.again(&[]);
        assert_eq!((code, &*output), (Some(1), ""), "{name}: {error}");
        assert!(error.starts_with("error: cannot write a file of the import: "), "{error}");
        assert!(checkpoint(&killed.work) >= known, "{name}");
        fs::remove_dir(killed.path(name)).unwrap();
    }
    assert_eq!(killed.again(&[]), (Some(0), expect, String::new()));
    assert_eq!(scene.export(&killed.data, "rdf"), scene.export(&whole, "rdf"));
    assert!(!Path::new(&killed.work).exists());
}
