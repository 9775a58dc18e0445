//! Reasons for which objects are rejected.

use std::fs;

use super::{Scene, databases, shown};

const TYPES: &str = "
    type Person { code: Int! @id name: String! @id email: String! @id }
";

/// The triples of a person.
fn person(blank: u32, code: u32, name: u32, email: u32) -> [String; 4] {
    [
        format!("_:p{blank} <dgraph.type> \"Person\" ."),
        format!("_:p{blank} <Person.code> \"{code}\" ."),
        format!("_:p{blank} <Person.name> \"n{name}\" ."),
        format!("_:p{blank} <Person.email> \"e{email}\" ."),
    ]
}

#[test]
fn an_object_with_several_taken_values_is_rejected_for_the_first_of_the_definitions() {
    const PERSONS: u32 = 40;
    let scene = Scene::new(TYPES);
    let mut lines: Vec<String> = Vec::new();
    for number in 0..PERSONS {
        lines.extend(person(number, number, number, number));
    }
    let mut expect = String::new();
    for number in 0..PERSONS {
        let (other, free) = ((number + 1) % PERSONS, PERSONS + number);
        let by_name =
            (person(100 + number, free, number, other), format!("the name \"n{number}\""));
        let by_code = (person(200 + number, number, free, other), format!("the code {number}"));
        for (triples, taken) in [by_name, by_code] {
            for triple in triples {
                lines.push(triple.clone());
                let line = lines.len();
                expect.push_str(&format!("{line}: another object has {taken}: {triple}\n"));
            }
        }
    }
    let file = scene.write("persons.rdf", lines.join("\n"));
    for data in databases(&scene, "taken") {
        let (code, _, error) = scene.import(&[&file], &data, &[]);
        assert_eq!((code, &*error), (Some(3), ""));
        let rejected = fs::read_to_string(scene.file("persons.rdf.rejected.jsonl")).unwrap();
        assert_eq!(shown(&rejected), expect);
    }
}

#[test]
fn references_to_one_object_by_several_values_are_rejected_in_the_order_of_the_definitions() {
    let scene = Scene::new(
        "type Person { code: Int! @id name: String! @id }
         type Room { number: Int! @id }
         type Visit { title: String! host: Room guest: Room }",
    );
    let (mut persons, mut visits) = (Vec::new(), Vec::new());
    for number in 0..20 {
        persons.push(format!("{{\"type\":\"Person\",\"code\":{number},\"name\":\"n{number}\"}}"));
        visits.push(format!(
            "{{\"type\":\"Visit\",\"title\":\"t\",\"host\":{{\"type\":\"Person\",\"code\":{number}}},\
             \"guest\":{{\"type\":\"Person\",\"name\":\"n{number}\"}}}}"
        ));
    }
    let file = scene.write("visits.jsonl", [&*persons, &*visits].concat().join("\n"));
    let expect = visits.iter().zip(21..).fold(String::new(), |shown, (text, line)| {
        let reason = "`host` refers to no object of Person";
        shown
            + &format!("{line}: {reason}: {text}\n")
            + &format!("{line}: its object is rejected: {reason}: {text}\n")
    });
    for data in databases(&scene, "parallel") {
        assert_eq!(scene.import(&[&file], &data, &[]).0, Some(3));
        let rejected = fs::read_to_string(scene.file("visits.jsonl.rejected.jsonl")).unwrap();
        assert_eq!(shown(&rejected), expect);
    }
}
