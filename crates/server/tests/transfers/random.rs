//! Random values of random definitions, from one database to the other and back.

use std::fs;

use expect_test::expect;
use testkit::random::Random;

use super::{Scene, databases, shown};

const KINDS: &[&str] = &[
    "String",
    "Int",
    "Int64",
    "Float",
    "DateTime",
    "Mood",
    "Boolean",
    "Point",
    "Polygon",
    "MultiPolygon",
];

/// The first kinds, of which there are lists.
const LISTED: usize = 6;

const TEXTS: &[&str] = &[
    "",
    " ",
    "null",
    "0x1",
    "_:a",
    "\\N",
    "\\.",
    "{a,b}",
    "[]",
    "\"",
    "\\",
    "\t\r\n",
    "é",
    "e\u{301}",
    "😀",
    "a\u{1}\u{1f}\u{7f}\u{80}",
    "\u{2028}\u{2029}",
    "\u{feff}",
    "\u{fffd}",
    "\u{10ffff}",
    "'; drop table x; --",
    "@en",
    "^^<xs:int> .",
    "$2a$10$",
    "true",
    "1e308",
];

const MOMENTS: &[&str] = &[
    "0001-01-01T00:00:00Z",
    "1582-10-15T12:00:00Z",
    "1900-02-28T00:00:00.5+14:00",
    "1969-12-31T23:59:59.999999Z",
    "1970",
    "2000-01-01T00:00:00.123456789Z",
    "2024-02-29",
    "2024-05",
    "9999-12-31T23:59:59.999999Z",
];

const FLOATS: &[&str] = &[
    "0",
    "-0.0",
    "0.1",
    "3",
    "-2.50",
    "1e308",
    "-1.7976931348623157e308",
    "5e-324",
    "123456789012345680",
    "1E2",
    "0.30000000000000004",
];

/// A field with values.
struct Scalar {
    name: String,
    kind: usize,
    is_list: bool,
    is_required: bool,
}

fn scalars(random: &mut Random, owner: &str, count: usize) -> Vec<Scalar> {
    let scalar = |number: usize| {
        let kind = random.below(KINDS.len());
        let is_list = kind < LISTED && random.below(2) == 0;
        Scalar {
            name: format!("{owner}{number}"),
            kind,
            is_list,
            is_required: random.below(4) == 0,
        }
    };
    (0..count).map(scalar).collect()
}

/// The definitions of the fields.
fn definitions(scalars: &[Scalar]) -> String {
    let mut text = String::new();
    for Scalar { name, kind, is_list, is_required } in scalars {
        let (kind, required) = (KINDS[*kind], if *is_required { "!" } else { "" });
        match is_list {
            true => text.push_str(&format!("  {name}: [{kind}]{required}\n")),
            false => text.push_str(&format!("  {name}: {kind}{required}\n")),
        }
    }
    text
}

/// A text of JSON: characters as they are, and as escapes.
fn json_text(random: &mut Random, text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        if character < ' ' || matches!(character, '"' | '\\') || random.below(3) == 0 {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out.push('"');
    out
}

fn point(random: &mut Random) -> String {
    let (longitude, latitude) = (random.below(3_600), random.below(1_800));
    let written = ["-0.0", "8.50", "1e1", "-180", "0.30000000000000004"];
    match random.below(4) {
        0 => format!("[{},{}]", random.one_of(&written), latitude % 90),
        _ => format!("[{}.{},{}]", longitude % 180, longitude, latitude % 90),
    }
}

fn ring(random: &mut Random) -> String {
    let points: Vec<String> = (0..3).map(|_| point(random)).collect();
    format!("[{},{}]", points.join(","), points[0])
}

fn value(random: &mut Random, kind: usize) -> String {
    match KINDS[kind] {
        "String" => {
            let mut text = random.one_of(TEXTS).to_string();
            for _ in 0..random.below(3) {
                text.push_str(random.one_of::<&str>(TEXTS));
            }
            json_text(random, &text)
        }
        "Int" => random.one_of(&["0", "-1", "2147483647", "-2147483648"]).to_string(),
        "Int64" => {
            let numbers = ["0", "9007199254740993", "9223372036854775807", "-9223372036854775808"];
            let number = random.one_of(&numbers).to_string();
            if random.below(2) == 0 { number } else { format!("\"{number}\"") }
        }
        "Float" => random.one_of(FLOATS).to_string(),
        "Boolean" => random.one_of(&["true", "false"]).to_string(),
        "DateTime" => format!("\"{}\"", random.one_of(MOMENTS)),
        "Mood" => random.one_of(&["\"HAPPY\"", "\"SAD\""]).to_string(),
        "Point" => format!("{{\"type\":\"Point\",\"coordinates\":{}}}", point(random)),
        "Polygon" => format!("{{\"type\":\"Polygon\",\"coordinates\":[{}]}}", ring(random)),
        _ => {
            let (one, other) = (ring(random), ring(random));
            format!("{{\"type\":\"MultiPolygon\",\"coordinates\":[[{one}],[{other}]]}}")
        }
    }
}

/// Adds the members of an object.
fn members(random: &mut Random, scalars: &[Scalar], out: &mut String) {
    for Scalar { name, kind, is_list, is_required } in scalars {
        if !is_required && random.below(3) == 0 {
            continue;
        }
        let text = match is_list {
            true => {
                let items = (0..random.below(4)).map(|_| value(random, *kind));
                format!("[{}]", items.collect::<Vec<_>>().join(","))
            }
            false => value(random, *kind),
        };
        out.push_str(&format!(",\"{name}\":{text}"));
    }
}

/// Definitions, and objects of them in JSON lines.
fn scene(random: &mut Random) -> (String, String) {
    let [shared, first, second, third] = ["s", "a", "b", "c"].map(|owner| {
        let count = 3 + random.below(5);
        scalars(random, owner, count)
    });
    let types = format!(
        "enum Mood {{ HAPPY SAD }}\n\
         interface Being {{\n  id: ID!\n  code: String! @id(interface: true)\n{}  near: Being\n  far: [Being]\n}}\n\
         type A implements Being @secret(field: \"pwd\") {{\n{}  parent: A @hasInverse(field: children)\n  children: [A]\n  any: Any\n}}\n\
         type B implements Being {{\n{}  vec: [Float!] @embedding @search(by: [\"hnsw(metric: euclidean, exponent: 4)\"])\n  all: [Any]\n}}\n\
         type C {{\n  name: String! @id\n{}  owner: Being!\n  twins: [C] @hasInverse(field: twins)\n}}\n\
         union Any = A | B | C\n",
        definitions(&shared),
        definitions(&first),
        definitions(&second),
        definitions(&third),
    );
    const COUNT: usize = 24;
    // Every third object is one of each type.
    let mut object = |of: usize| format!("{{\"uid\":\"_:o{}\"}}", random.below(COUNT / 3) * 3 + of);
    let mut references: Vec<String> = Vec::new();
    for number in 0..COUNT {
        let (near, far) = (object(number % 2), [object(0), object(1)]);
        let being = format!(",\"near\":{near},\"far\":[{},{}]", far[0], far[1]);
        references.push(match number % 3 {
            0 => format!("{being},\"parent\":{},\"any\":{}", object(0), object(number / 3 % 3)),
            1 => format!("{being},\"all\":[{},{},{}]", object(0), object(1), object(2)),
            _ => format!(",\"owner\":{},\"twins\":[{}]", object(number % 2), object(2)),
        });
    }
    let mut lines = String::new();
    for (number, references) in references.iter().enumerate() {
        let name = ["A", "B", "C"][number % 3];
        let mut line = format!("{{\"uid\":\"_:o{number}\",\"dgraph.type\":\"{name}\"{references}");
        // Unique, and of characters of all kinds.
        let key = format!("{}{number}", random.one_of(TEXTS));
        let key = json_text(random, &key);
        match number % 3 {
            2 => {
                line.push_str(&format!(",\"name\":{key}"));
                members(random, &third, &mut line);
            }
            of => {
                line.push_str(&format!(",\"code\":{key}"));
                members(random, &shared, &mut line);
                members(random, if of == 0 { &first } else { &second }, &mut line);
            }
        }
        match number % 3 {
            0 => line.push_str(
                ",\"pwd\":\"$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy\"",
            ),
            1 => {
                let numbers: Vec<&str> = (0..3).map(|_| *random.one_of(FLOATS)).collect();
                line.push_str(&format!(",\"vec\":[{}]", numbers.join(",")));
            }
            _ => {}
        }
        lines.push_str(&line);
        lines.push_str("}\n");
    }
    (types, lines)
}

#[test]
fn random_values_survive_exports_and_imports_into_the_other_database() {
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let (types, lines) = scene(&mut random);
        let scene = Scene::new(&types);
        let file = scene.write("objects.jsonl", lines);
        let all = databases(&scene, &format!("random_{seed}"));
        for data in &all {
            let (code, output, error) = scene.import(&[&file], data, &[]);
            let rejected = fs::read_to_string(scene.file("objects.jsonl.rejected.jsonl"));
            assert_eq!(code, Some(0), "{seed} {data}: {output} {error} {rejected:?}\n{types}");
        }
        for format in ["rdf", "jsonl", "json"] {
            let exports: Vec<String> = all.iter().map(|data| scene.export(data, format)).collect();
            for (data, export) in all.iter().zip(&exports) {
                assert_eq!(*export, exports[0], "{seed} {data}\n{types}");
            }
            // From the file into the server, and from the server into the file.
            let again = databases(&scene, &format!("random_{seed}_{format}"));
            for (data, export) in again.iter().rev().zip(&exports) {
                let file = scene.write(&format!("again.{format}"), export);
                let (code, output, error) = scene.import(&[&file], data, &[]);
                let rejected = fs::read_to_string(file + ".rejected.jsonl").unwrap_or_default();
                assert_eq!((code, &*error), (Some(0), ""), "{seed} {output} {rejected}\n{types}");
                assert_eq!(scene.export(data, format), *export, "{seed} {data}\n{types}");
                scene.check(data);
            }
        }
    }
}

#[test]
fn values_that_a_database_cannot_store_are_rejected() {
    let scene = Scene::new(
        "type All { id: ID! text: String small: Int big: Int64 real: Float at: DateTime spot: Point \
         texts: [String] vec: [Float!] @embedding @search(by: [\"hnsw(metric: euclidean, exponent: 4)\"]) }",
    );
    let values = [
        r#""text":"a\u0000b""#,
        r#""text":"\ud800""#,
        r#""text":"\udc00\ud800""#,
        r#""texts":["a","\u0000"]"#,
        r#""small":2147483648"#,
        r#""small":1.5"#,
        r#""big":9223372036854775808"#,
        r#""big":"-9223372036854775809""#,
        r#""real":1e309"#,
        r#""real":"NaN""#,
        r#""at":"0000-12-31T23:59:59Z""#,
        r#""at":"0001-01-01T00:00:00+00:01""#,
        r#""at":"9999-12-31T23:59:59.5-00:01""#,
        r#""at":"2023-02-29""#,
        r#""spot":{"type":"Point","coordinates":["1",2]}"#,
        r#""vec":[1,"x"]"#,
    ];
    let mut lines = String::new();
    for value in values {
        lines.push_str(&format!("{{\"type\":\"All\",{value}}}\n"));
    }
    let file = scene.write("wrong.jsonl", lines);
    for data in databases(&scene, "random_wrong") {
        let (code, output, error) = scene.import(&[&file], &data, &[]);
        assert_eq!((code, &*error), (Some(3), ""), "{output}");
        let rejected = fs::read_to_string(scene.file("wrong.jsonl.rejected.jsonl")).unwrap();
        let rejected = shown(&rejected);
        let reasons = rejected.lines().filter(|line| !line.contains("its object is rejected"));
        let reasons: Vec<&str> = reasons.map(|line| line.split(": {").next().unwrap()).collect();
        expect![[r#"
            1: text: a text has no character NUL in PostgreSQL
            2: this is not JSON: unexpected end of hex escape at line 1 column 29
            3: this is not JSON: lone leading surrogate in hex escape at line 1 column 28
            4: texts: a text has no character NUL in PostgreSQL
            5: small: a number within 32 bits is expected
            6: small: an integer is expected
            7: big: an integer of 64 bits is expected
            8: big: an integer of 64 bits is expected
            9: this is not JSON: number out of range at line 1 column 26
            10: real: a number is expected
            11: at: a date and time is expected
            12: at: a date and time is expected
            13: at: a date and time is expected
            14: at: a date and time is expected
            15: spot: a place as GeoJSON is expected
            16: vec: a list of numbers is expected
        "#]]
        .assert_eq(&(reasons.join("\n") + "\n"));
    }
}
