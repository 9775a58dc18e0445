//! Imports into tables that have rows.

use std::fs;

use expect_test::expect;
use testkit::postgres::{required_installations, shared};

use super::{Scene, shown};

const TYPES: &str = "
    interface Vehicle { id: ID! plate: String! @id(interface: true) }
    type Car implements Vehicle { doors: Int }
    type Truck implements Vehicle { load: Float }
    type Person { code: Int! @id name: String! @id friends: [Person] vehicles: [Vehicle] }
";

fn type_of(number: u32) -> &'static str {
    if number.is_multiple_of(2) { "Car" } else { "Truck" }
}

/// Persons and vehicles with numbers, as triples.
fn objects(from: u32, to: u32) -> String {
    let mut text = String::new();
    for number in from..to {
        let r#type = type_of(number);
        text.push_str(&format!("_:p{number} <dgraph.type> \"Person\" .\n"));
        text.push_str(&format!("_:p{number} <Person.code> \"{number}\" .\n"));
        text.push_str(&format!("_:p{number} <Person.name> \"person {number}\" .\n"));
        text.push_str(&format!("_:v{number} <dgraph.type> \"{type}\" .\n"));
        text.push_str(&format!("_:v{number} <Vehicle.plate> \"V{number}\" .\n"));
    }
    text
}

/// Persons who refer to others by their codes and names, and to vehicles by their plates.
fn references(from: u32, to: u32) -> String {
    let mut text = String::new();
    for number in from..to {
        let (friend, plate) = (number - from, number - from + 100);
        let r#type = type_of(plate);
        text.push_str(&format!(
            "{{\"type\":\"Person\",\"code\":{number},\"name\":\"new {number}\",\
             \"friends\":[{{\"code\":{friend}}},{{\"name\":\"person {plate}\"}}],\
             \"vehicles\":[{{\"type\":\"{type}\",\"plate\":\"V{plate}\"}}]}}\n"
        ));
    }
    text
}

#[test]
fn keys_are_looked_up_in_batches() {
    let scene = Scene::new(TYPES);
    let first = scene.write("first.rdf", objects(0, 2_600));
    let second = scene.write("second.jsonl", references(2_550, 4_750));
    let file = scene.file("filled.db");
    scene.import_all(&[&first], &file, &[]);
    let (code, output, _) = scene.import(&[&second], &file, &[]);
    assert_eq!(code, Some(3));
    let (output, _) = output.split_once("rejected: see").unwrap();
    expect![[r#"
        Car: 0
        Truck: 0
        Person: 2150
        26400 values: 26100 stored, 300 rejected, 0 skipped
    "#]]
    .assert_eq(output);
    let rejected = fs::read_to_string(scene.file("second.jsonl.rejected.jsonl")).unwrap();
    let rejected = shown(&rejected);
    let expect = scene.export(&file, "rdf");
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database("transfers_filled").unwrap();
        let data = server.url("transfers_filled");
        scene.import_all(&[&first], &data, &[]);
        let logging = "alter database transfers_filled set log_statement to 'all'";
        server.execute("postgres", logging).unwrap();
        assert_eq!(scene.import(&[&second], &data, &[]).0, Some(3));
        let found = fs::read_to_string(scene.file("second.jsonl.rejected.jsonl")).unwrap();
        assert_eq!(shown(&found), rejected);
        assert_eq!(scene.export(&data, "rdf"), expect);
        let log = fs::read_to_string(server.socket_folder().join("log")).unwrap();
        let lookups = log.lines().filter(|line| line.contains("= ANY ($1)")).count();
        // Of 11,000 keys of three kinds, and of 4,600 objects of three tables that they name.
        assert!((20..=120).contains(&lookups), "{lookups} statements");
    }
}
