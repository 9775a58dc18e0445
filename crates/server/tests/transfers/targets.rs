//! Imports into several databases that use one folder for their files, one after the other.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use expect_test::expect;
use testkit::postgres::{required_installations, shared};

use super::{BLOG, Scene, databases};
use crate::program::{PATIENCE, outcome, run, thalweg};

const OBJECTS: &str =
    "{\"type\":\"Author\",\"name\":\"Ann\"}\n{\"type\":\"Tag\",\"name\":\"sql\"}\n";

/// Imports with an output that cannot be written, so that everything is loaded, and the files of the
/// import stay.
fn load_without_an_end(words: &[&str], work: &str) {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = thalweg(words);
    let ended = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
    let (_, _, error) = outcome(&ended);
    assert!(error.contains("No space left on device"), "{error}");
    assert!(Path::new(work).join("loaded").exists());
}

#[test]
fn a_loaded_import_is_loaded_in_its_own_database_only() {
    let scene = Scene::new(BLOG);
    let file = scene.write("objects.jsonl", OBJECTS);
    let work = scene.file("work");
    let others = databases(&scene, "loaded_other");
    for (data, other) in databases(&scene, "loaded").iter().zip(&others) {
        let words =
            |data| ["import", &file, "--types", &scene.types, "--data", data, "--work", &work];
        let first = scene.write("first.jsonl", "{\"type\":\"Tag\",\"name\":\"first\"}\n");
        for data in [data, other] {
            scene.import_all(&[&first], data, &[]);
        }
        load_without_an_end(&words(data), &work);
        let expect = scene.export(data, "jsonl");
        assert!(expect.contains("Ann") && expect.contains("first"), "{expect}");
        let (code, output, error) = outcome(&run(&words(other)));
        assert_eq!((code, &*error), (Some(0), ""), "{output}");
        assert_eq!(scene.export(other, "jsonl"), expect);
        // The same command only removes the files.
        let again = scene.write("again.jsonl", "{\"type\":\"Tag\",\"name\":\"again\"}\n");
        let words = ["import", &again, "--types", &scene.types, "--data", data, "--work", &work];
        load_without_an_end(&words, &work);
        let expect = scene.export(data, "jsonl");
        let (code, output, error) = outcome(&run(&words));
        assert_eq!((code, &*error), (Some(0), ""), "{output}");
        assert!(output.contains("Tag: 1\n"), "{output}");
        assert_eq!(scene.export(data, "jsonl"), expect);
        assert!(!Path::new(&work).exists());
    }
}

#[test]
fn an_import_into_a_new_file_in_the_place_of_a_loaded_one_begins_anew() {
    let scene = Scene::new(BLOG);
    let file = scene.write("objects.jsonl", OBJECTS);
    let (data, work) = (scene.file("replaced.db"), scene.file("work"));
    let words = ["import", &file, "--types", &scene.types, "--data", &data, "--work", &work];
    load_without_an_end(&words, &work);
    let expect = scene.export(&data, "jsonl");
    remove_rows(&work);
    fs::remove_file(&data).unwrap();
    let (code, output, error) = outcome(&run(&words));
    assert_eq!((code, &*error), (Some(0), ""), "{output}");
    assert_eq!(scene.export(&data, "jsonl"), expect);
}

#[test]
fn an_import_of_which_everything_is_rejected_ends_once() {
    let scene = Scene::new(BLOG);
    let file = scene.write("broken.rdf", "one\ntwo\n");
    let (data, work) = (scene.file("rejected.db"), scene.file("work"));
    let words = ["import", &file, "--types", &scene.types, "--data", &data, "--work", &work];
    load_without_an_end(&words, &work);
    remove_rows(&work);
    // Nothing reads the files again.
    let rejected = scene.file("broken.rdf.rejected.jsonl");
    fs::remove_file(&rejected).unwrap();
    let (code, output, error) = outcome(&run(&words));
    assert_eq!((code, &*error), (Some(3), ""), "{output}");
    assert!(output.contains("2 values: 0 stored, 2 rejected, 0 skipped\n"), "{output}");
    assert!(!Path::new(&rejected).exists() && !Path::new(&work).exists());
}

/// Removes the files that an import removes first at its end.
fn remove_rows(work: &str) {
    for entry in fs::read_dir(work).unwrap() {
        let path = entry.unwrap().path();
        if !["thalweg-import", "manifest.json", "loaded"].iter().any(|name| path.ends_with(name)) {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn rows_for_a_schema_with_objects_are_not_loaded_into_an_empty_one() {
    let scene = Scene::new(BLOG);
    let objects = scene.write("objects.jsonl", OBJECTS);
    let posts = scene.write(
        "posts.jsonl",
        "{\"type\":\"Post\",\"title\":\"SQL\",\"author\":{\"name\":\"Ann\"},\
         \"tags\":[{\"name\":\"sql\"}]}\n",
    );
    let work = scene.file("work");
    let manifest = Path::new(&work).join("manifest.json");
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        const DATABASE: &str = "transfers_targets";
        server.create_database(DATABASE).unwrap();
        let url = server.url(DATABASE);
        scene.import_all(&[&objects], &url, &["--schema", "filled"]);
        let wait_for = |what: &str, is_there: &dyn Fn() -> bool| {
            let started = Instant::now();
            while !is_there() {
                assert!(started.elapsed() < PATIENCE, "{what}");
                thread::sleep(Duration::from_millis(5));
            }
        };
        let is = |condition: &str| {
            let found = server.query(DATABASE, condition).unwrap();
            found[0][0].as_deref() == Some("t")
        };
        // Reads go on, but nothing is inserted.
        let hold = "BEGIN; LOCK TABLE filled.\"Post\" IN SHARE MODE; SELECT pg_sleep(3600)";
        let held = "SELECT EXISTS (SELECT FROM pg_locks WHERE mode = 'ShareLock' AND granted \
                    AND relation = 'filled.\"Post\"'::regclass)";
        thread::spawn(move || drop(server.execute(DATABASE, hold)));
        wait_for("the lock", &|| is(held));
        let own = ["--types", &scene.types, "--data", &url, "--work", &work];
        let words = |schema| [&["import", &posts], &own[..], &["--schema", schema]].concat();
        let mut command = thalweg(&words("filled"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut program = command.spawn().unwrap();
        wait_for("the rows", &|| manifest.exists());
        program.kill().unwrap();
        program.wait().unwrap();
        let end = "SELECT count(pg_terminate_backend(pid)) > 0 FROM pg_stat_activity \
                   WHERE query LIKE 'BEGIN; LOCK TABLE%'";
        assert!(is(end));
        let (code, output, error) = outcome(&run(&words("empty")));
        assert_eq!((code, &*error), (Some(0), ""), "{output}");
        let exported = ["export", "--types", &scene.types, "--data", &url, "--schema", "empty"];
        let (_, exported, error) = outcome(&run(&exported));
        assert_eq!(error, "");
        expect![[r#"
            {"uid":"0x2","dgraph.type":["Author"],"Author.name":"Ann","Author.posts":[{"uid":"0x1"}]}
            {"uid":"0x1","dgraph.type":["Post"],"Post.title":"SQL","Post.author":{"uid":"0x2"},"Post.tags":[{"uid":"0x3"}]}
            {"uid":"0x3","dgraph.type":["Tag"],"Tag.name":"sql"}
        "#]]
        .assert_eq(&exported);
    }
}
