//! Columns of SQLite that hold something else than they are declared for: whatever is written is read
//! again as the same value, found by conditions, and stands in its place in orders and pages, or the
//! declaration is refused.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::program::{Folder, Server, outcome, run};

/// Declared types, each of another affinity: <https://www.sqlite.org/datatype3.html#type_affinity>.
const DECLARED: [&str; 5] = ["INTEGER", "TEXT", "REAL", "DATETIME", "BLOB"];

/// A type that columns are said to hold, with values of it in ascending order.
struct Stored {
    word: &'static str,
    values: Vec<Value>,
    /// The affinities that keep no such values.
    refused: &'static [&'static str],
}

fn all() -> Vec<Stored> {
    let stored = |word, values: Value, refused| {
        let Value::Array(values) = values else { panic!("{values}") };
        Stored { word, values, refused }
    };
    let moments = json!([
        "1969-12-31T00:00:00+00:00",
        "1970-01-01T00:00:09+00:00",
        "1970-01-01T00:00:10+00:00",
        "2000-01-01T18:00:00.5+00:00",
        "2024-02-29T10:11:12+00:00",
    ]);
    let days = json!(["1969-12-31T00:00:00+00:00", "2000-01-01T18:00:00+00:00"]);
    vec![
        stored(
            "bigint",
            json!(["-1", "9", "10", "1700000000001", "9007199254740993"]),
            &["TEXT", "REAL"],
        ),
        stored("integer", json!([-1, 9, 10, 2_147_483_647]), &["TEXT"]),
        stored("boolean", json!([false, true]), &["REAL"]),
        stored("numeric", json!(["-2.25", "9", "10", "123456.789"]), &["TEXT"]),
        stored("float", json!([-2.25, 9.5, 10.5]), &["TEXT"]),
        stored("text", json!(["a", "b", "c 1"]), &["REAL"]),
        stored(
            "uuid",
            json!(["00000000-0000-4000-8000-0000000000ff", "6b04d6e2-0000-4000-8000-000000000001"]),
            &[],
        ),
        stored("date", json!(["1969-12-31", "2000-01-01"]), &[]),
        stored("time", json!(["09:00:00", "10:11:12", "23:59:59.5"]), &[]),
        stored("timestamp", json!(["1969-12-31T00:00:00", "2000-01-01T00:00:00.5"]), &[]),
        stored(
            "timestamptz",
            json!(["1969-12-31T00:00:00+00:00", "2000-01-01T00:00:00.5+00:00"]),
            &[],
        ),
        stored("unixepoch", moments.clone(), &["TEXT"]),
        stored("unixepoch_ms", moments.clone(), &["TEXT"]),
        stored("unixepoch_us", moments, &["TEXT"]),
        stored("julianday", days, &["TEXT"]),
    ]
}

/// A file with a table for each type and each declared type, called as in `uuid_TEXT`.
fn file(folder: &Folder) -> PathBuf {
    let path = folder.file("stored.db");
    let connection = Connection::open(&path).unwrap();
    for Stored { word, .. } in all() {
        let word = word.replace('_', "");
        for declared in DECLARED {
            let table = [&word, "_", declared].concat().to_ascii_lowercase();
            let create = ["CREATE TABLE ", &table, " (id INTEGER PRIMARY KEY, v ", declared, ")"];
            connection.execute_batch(&create.concat()).unwrap();
        }
    }
    path
}

fn table(word: &str, declared: &str) -> String {
    [&word.replace('_', ""), "_", declared].concat().to_ascii_lowercase()
}

/// `uuid_text` as types are called.
fn type_name(table: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(1);
        [&first.to_ascii_uppercase(), rest].concat()
    };
    table.split('_').map(capital).collect()
}

fn ask(server: &Server, query: &str, variables: &Value) -> Value {
    let body = json!({ "query": query, "variables": variables }).to_string();
    serde_json::from_str(&server.post("", &body).body).unwrap()
}

/// The data of an answer without errors.
fn data(server: &Server, query: &str, variables: &Value) -> Value {
    let answer = ask(server, query, variables);
    assert!(answer["errors"].is_null(), "{query} {variables}: {answer}");
    answer["data"].clone()
}

/// What the rows of a list have in a field.
fn fields(rows: &Value, field: &str) -> Vec<Value> {
    rows.as_array().unwrap().iter().map(|row| row[field].clone()).collect()
}

/// The server over all tables whose declared types can keep the values, and their names.
fn serve(file: &str, options: &[&str]) -> (Server, Vec<(String, Vec<Value>)>) {
    let mut served = Vec::new();
    let mut words = Vec::new();
    for Stored { word, values, refused } in all() {
        for declared in DECLARED.iter().filter(|declared| !refused.contains(declared)) {
            let table = table(word, declared);
            words.push(format!("{table}.v={word}"));
            served.push((table, values.clone()));
        }
    }
    let words = words.join(",");
    let usual = ["serve", file, "--listen", "127.0.0.1:0", "--stored-as", &words];
    (Server::start(&[&usual, options].concat()), served)
}

#[test]
fn values_of_columns_that_hold_something_else_are_written_read_found_and_ordered() {
    let folder = Folder::new();
    let path = file(&folder);
    let options = ["--connection-filter", "--simple-collections", "both", "--no-node-ids"];
    let (server, served) = serve(path.to_str().unwrap(), &options);
    for (table, values) in served {
        let name = type_name(&table);
        let one = [&name[..1].to_ascii_lowercase(), &name[1..]].concat();
        let schema = data(
            &server,
            "query ($t: String!) { __type(name: $t) { fields { name type { name } } } }",
            &json!({ "t": name }),
        );
        let own = fields(&schema["__type"]["fields"], "name").iter().position(|field| field == "v");
        let scalar =
            schema["__type"]["fields"][own.unwrap()]["type"]["name"].as_str().unwrap().to_owned();
        // The greatest first, so that the order of rows is not that of the values.
        let create = format!(
            "mutation ($v: {scalar}) {{ create{name}(input: {{{one}: {{v: $v}}}}) {{ {one} {{ v }} }} }}"
        );
        for value in values.iter().rev() {
            let written = data(&server, &create, &json!({ "v": value }));
            assert_eq!(written[["create", &name].concat()][&one]["v"], *value, "{table}");
        }
        let list = format!("all{name}sList");
        let ordered = format!("{{ {list}(orderBy: V_ASC) {{ v }} }}");
        assert_eq!(fields(&data(&server, &ordered, &Value::Null)[&list], "v"), values, "{table}");
        let filtered = |operator: &str, value: &Value| {
            let query = format!(
                "query ($v: {scalar}) {{ {list}(filter: {{v: {{{operator}: $v}}}}, orderBy: V_ASC) {{ v }} }}"
            );
            fields(&data(&server, &query, &json!({ "v": value }))[&list], "v")
        };
        let is_compared = scalar != "Boolean";
        for (place, value) in values.iter().enumerate() {
            assert_eq!(filtered("equalTo", value), std::slice::from_ref(value), "{table}");
            if is_compared {
                assert_eq!(filtered("lessThan", value), values[..place], "{table} < {value}");
                assert_eq!(filtered("greaterThanOrEqualTo", value), values[place..], "{table}");
            }
        }
        let page = format!(
            "query ($after: Cursor) {{ all{name}s(orderBy: V_DESC, first: 1, after: $after) {{ edges {{ cursor node {{ v }} }} }} }}"
        );
        let (mut after, mut walked) = (Value::Null, Vec::new());
        loop {
            let found = data(&server, &page, &json!({ "after": after }));
            let Some(edge) = found[format!("all{name}s")]["edges"].get(0).cloned() else { break };
            walked.push(edge["node"]["v"].clone());
            after = edge["cursor"].clone();
        }
        walked.reverse();
        assert_eq!(walked, values, "{table}");
        // The first row has the last value, which becomes the first.
        let update = format!(
            "mutation ($v: {scalar}) {{ update{name}ById(input: {{id: 1, {one}Patch: {{v: $v}}}}) {{ {one} {{ v }} }} }}"
        );
        let updated = data(&server, &update, &json!({ "v": values[0] }));
        assert_eq!(updated[format!("update{name}ById")][&one]["v"], values[0], "{table}");
        assert_eq!(filtered("equalTo", &values[0]).len(), 2, "{table}");
    }
}

#[test]
fn so_are_those_of_phrag_with_every_form_of_big_integers() {
    for form in [None, Some("declared"), Some("string")] {
        let folder = Folder::new();
        let path = file(&folder);
        let bigint: Vec<&str> = form.iter().flat_map(|form| ["--bigint", form]).collect();
        let options = [&["--dialect", "phrag"], &bigint[..]].concat();
        let (server, served) = serve(path.to_str().unwrap(), &options);
        let names = data(&server, "{ __type(name: \"Query\") { fields { name } } }", &Value::Null);
        let roots: BTreeSet<String> = fields(&names["__type"]["fields"], "name")
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect();
        for (table, mut values) in served {
            let name = type_name(&table);
            let schema = data(
                &server,
                "query ($t: String!) { __type(name: $t) { fields { name type { name } } } }",
                &json!({ "t": name }),
            );
            let own =
                fields(&schema["__type"]["fields"], "name").iter().position(|field| field == "v");
            let scalar = schema["__type"]["fields"][own.unwrap()]["type"]["name"]
                .as_str()
                .unwrap()
                .to_owned();
            let is_big = table.starts_with("bigint")
                || (form == Some("string") && table.starts_with("integer"));
            match (is_big, form) {
                // Values beyond 32 bits have no place there.
                (true, None) => {
                    assert_eq!(scalar, "Int", "{table}");
                    values = vec![json!(-1), json!(9), json!(10)];
                }
                // What is not declared as a big integer is none.
                (true, Some("string")) if scalar == "Int" => {}
                (true, _) => {
                    assert_eq!(scalar, "BigInt", "{table}");
                    values = values
                        .iter()
                        .map(|value| match value {
                            Value::Number(number) => Value::from(number.to_string()),
                            value => value.clone(),
                        })
                        .collect();
                }
                (false, _) => assert_ne!(scalar, "BigInt", "{table}"),
            }
            if scalar == "Float" {
                let number = |value: &Value| {
                    value.as_str().map_or(value.clone(), |text| serde_json::from_str(text).unwrap())
                };
                values = values.iter().map(number).collect();
            }
            let root = roots
                .iter()
                .find(|root| [&table[..], &format!("{table}s")].contains(&&***root))
                .unwrap();
            let create = format!(
                "mutation ($id: {id}, $v: {scalar}) {{ create{name}(id: $id, v: $v) {{ id }} }}",
                id = id_type(form)
            );
            for (id, value) in values.iter().rev().enumerate() {
                let id = if form == Some("string") {
                    json!((id + 1).to_string())
                } else {
                    json!(id + 1)
                };
                data(&server, &create, &json!({ "id": id, "v": value }));
            }
            let ordered = format!("{{ {root}(sort: {{v: asc}}) {{ v }} }}");
            assert_eq!(
                fields(&data(&server, &ordered, &Value::Null)[root], "v"),
                values,
                "{table}"
            );
            for (place, value) in values.iter().enumerate() {
                let filtered = |operator: &str| {
                    let query = format!(
                        "query ($v: {scalar}) {{ {root}(where: {{v: {{{operator}: $v}}}}, sort: {{v: asc}}) {{ v }} }}"
                    );
                    fields(&data(&server, &query, &json!({ "v": value }))[root], "v")
                };
                assert_eq!(filtered("eq"), std::slice::from_ref(value), "{table}");
                if scalar != "Boolean" {
                    assert_eq!(filtered("lt"), values[..place], "{table} < {value}");
                }
            }
        }
    }
}

/// The type of keys.
fn id_type(form: Option<&str>) -> &'static str {
    if form == Some("string") { "BigInt" } else { "Int" }
}

#[test]
fn columns_that_cannot_hold_what_is_said_are_refused_with_the_reason() {
    let folder = Folder::new();
    let path = file(&folder);
    let path = path.to_str().unwrap();
    let mut tagged = serde_json::Map::new();
    let mut notes = Vec::new();
    for Stored { word, refused, .. } in all() {
        for declared in DECLARED {
            let table = table(word, declared);
            tagged.insert(format!("{table}.v"), json!({ "tags": { "storedAs": word } }));
            let note = format!("{table}: @storedAs {word} of v: its declared type makes");
            notes.push((note, refused.contains(&declared)));
            if !refused.contains(&declared) {
                continue;
            }
            let said = format!("{table}.v={word}");
            let (code, _, error) = outcome(&run(&["schema", path, "--stored-as", &said]));
            assert_eq!(code, Some(1), "{said}: {error}");
            let reason = format!(
                "error: `--stored-as` of the column {table}.v is another type than it can hold: its"
            );
            assert!(error.starts_with(&reason), "{said}: {error}");
        }
    }
    let tags = folder.file("tags.json5");
    let text = json!({ "version": 1, "config": { "attribute": tagged } }).to_string();
    std::fs::write(&tags, text).unwrap();
    let (_, found, _) = outcome(&run(&["check", path, "--tags-file", tags.to_str().unwrap()]));
    for (note, is_refused) in notes {
        assert_eq!(found.contains(&note), is_refused, "{note}: {found}");
    }
}

#[test]
fn a_text_that_a_column_would_change_is_refused() {
    let folder = Folder::new();
    let path = file(&folder);
    let said = ["--stored-as", "text_integer.v=text"];
    let serve = ["serve", path.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let server = Server::start(&[&serve[..], &said].concat());
    let create = "mutation ($v: String) { createTextInteger(input: {textInteger: {v: $v}}) { textInteger { v } } }";
    for kept in ["a", "7", "-1", "", "0x1F"] {
        let written = data(&server, create, &json!({ "v": kept }));
        assert_eq!(written["createTextInteger"]["textInteger"]["v"], kept);
    }
    for changed in ["007", "1e3", " 7", "+1", "1.0"] {
        let answer = ask(&server, create, &json!({ "v": changed }));
        let message = format!("the column would make another text of \"{changed}\"");
        assert_eq!(answer["errors"][0]["message"], message);
        assert_eq!(answer["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
    }
}
