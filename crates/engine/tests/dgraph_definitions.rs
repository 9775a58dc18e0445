//! Fuzzing of type definitions of Dgraph: each text is refused with a place in it, or SQLite gets
//! its tables and an API is generated.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dialects::dgraph;
use engine::schema_first::{ApplyMigrations, SchemaFirst};
use engine::{Engine, OpenError, SourceAddress};
use testkit::fuzz::{Choices, Target, mutate};
use tokio::runtime::Runtime;

use crate::dgraph::options;

/// Parts of definitions that change their meaning.
const PIECES: [&[u8]; 48] = [
    b"{",
    b"}",
    b"(",
    b")",
    b"[",
    b"]",
    b"!",
    b"@",
    b"\"",
    b"\"\"\"",
    b"#",
    b"\n",
    b" & ",
    b" | ",
    b"\\u0000",
    b"\xff",
    b" implements Being ",
    b"type Query { a: String }\n",
    b"type T { id: ID! a: String }\n",
    b"interface I { id: ID! a: [I] }\n",
    b"union U = T\n",
    b"enum E { A B }\n",
    b"input In { a: In }\n",
    b"extend type T { b: Int }\n",
    b"a: ID!\n",
    b"a: [String!]! ",
    b"a: Int64 ",
    b"a: DateTime ",
    b"a: Point ",
    b"a: [T] @hasInverse(field: b)\n",
    b"b: T @hasInverse(field: a)\n",
    b"@id ",
    b"@id(interface: true) ",
    b"@search ",
    b"@search(by: [term, exact]) ",
    b"@search(by: [trigram, regexp, fulltext]) ",
    b"@default(add: {value: \"$now\"}) ",
    b"@dgraph(pred: \"T.a\") ",
    b"@dgraph(pred: \"~T.a\") ",
    b"@remote ",
    b"@secret(field: \"a\") ",
    b"@cascade ",
    b"@generate(query: {get: false}) ",
    b"@auth(query: {rule: \"{ $A: { eq: \\\"a\\\" } }\"}) ",
    b"@auth(query: {rule: \"query { queryT { id } }\"}) ",
    b"@custom(http: {url: \"http://a/$id\", method: GET}) ",
    b"@embedding ",
    b"@key(fields: \"id\") ",
];

/// Characters that end a line for the parser.
const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

#[test]
fn mutated_definitions_are_refused_or_served() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let seeds = definitions(&fixtures);
    let make = |choices: &mut Choices<'_>, _: &[Vec<u8>]| {
        let mut text = choices.pick(&seeds).cloned().unwrap_or_default();
        mutate::mutate(&mut text, &PIECES, choices);
        text
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let file = std::env::temp_dir().join(format!("thalweg-definitions-{}.db", std::process::id()));
    let check = |text: &[u8]| check(text, &runtime, &file);
    let target = Target { name: "definitions", cases: 200, make: &make, check: &check };
    let found = target.run(&fixtures);
    remove(&file);
    found.unwrap();
}

/// The type definitions of the fixtures, sorted by name.
fn definitions(fixtures: &Path) -> Vec<Vec<u8>> {
    let folders = fs::read_dir(fixtures.join("databases")).unwrap();
    let mut files: Vec<PathBuf> =
        folders.map(|folder| folder.unwrap().path().join("schema.graphql")).collect();
    files.retain(|file| file.exists());
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn check(text: &[u8], runtime: &Runtime, file: &Path) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(text) else { return Ok(()) };
    let model = match dgraph::definitions::read(text) {
        Ok(model) => model,
        Err(problems) => {
            let lines = text.split(LINE_ENDS).count();
            let wrong = problems
                .iter()
                .find(|problem| problem.message.is_empty() || !(1..=lines).contains(&problem.line));
            return match (problems.is_empty(), wrong) {
                (true, _) => Err("it is refused without a reason".into()),
                (false, Some(problem)) => Err(format!("{problem} of {lines} lines")),
                (false, None) => Ok(()),
            };
        }
    };
    remove(file);
    let dialect = dgraph::Options { model: Arc::new(model), ..dgraph::Options::default() };
    let mut options = options(dialect, false);
    let first = SchemaFirst { definitions: text.into(), apply: ApplyMigrations::First };
    options.schema_first = Some(first);
    let address = SourceAddress::Sqlite(file.into());
    for start in ["the first start", "the second start"] {
        match runtime.block_on(Engine::open(&address, &options)) {
            // Rules are compiled, and hosts compared with the options, when the API is generated.
            Ok(_) | Err(OpenError::Dialect(_) | OpenError::Resolvers(_) | OpenError::Empty(_)) => {}
            Err(error) => return Err(format!("{start}: {error}")),
        }
    }
    Ok(())
}

fn remove(file: &Path) {
    for ending in ["", "-wal", "-shm"] {
        // It may not be there.
        drop(fs::remove_file(format!("{}{ending}", file.display())));
    }
}
