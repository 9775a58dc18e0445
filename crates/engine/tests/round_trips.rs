//! Values of every type: written by SQL, read through the API, compared with what PostgreSQL
//! itself prints, given back as a condition, as an argument of a function, in a new row and in a
//! patch, in a variable and in the document.
//!
//! Each type has a table of its own, another one that is written by the API, and a function that
//! gives what it is given. The session's
//! zone is none that is UTC: it has summer time, and a fraction of an hour in older days.

mod kind;
mod literal;
mod values;

use std::error::Error;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use dialects::{Dialect, postgraphile};
use engine::{Allowed, Engine, OpenOptions, Options, SourceAddress, Worker};
use graphql::Request;
use kind::{Kind, kinds};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value as Json, json};
use testkit::postgres::{Installation, Server, required_installations, shared};

const DATABASE: &str = "round_trips";

/// What all types need. Statements within are not prepared, so the name of the database is said.
const SETUP: &str = r#"
ALTER DATABASE round_trips SET timezone TO 'Europe/Berlin';
CREATE TYPE mood AS ENUM ('happy', 'not so', '', '"quoted, {label}"', 'ünï');
CREATE DOMAIN percentage AS INTEGER CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN numbers AS INTEGER[];
CREATE TYPE address AS (street TEXT, zip INTEGER, mood mood, tags TEXT[]);
CREATE TYPE house AS (address address, others address[], years INT4RANGE, built TIMESTAMPTZ);
CREATE DOMAIN main_address AS address;
CREATE TYPE text_range AS RANGE (SUBTYPE = TEXT);
CREATE TYPE mood_range AS RANGE (SUBTYPE = mood);
"#;

type Opened = Arc<OnceLock<Result<Arc<Engine>, String>>>;

/// A test for each type and PostgreSQL.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn Error>> {
    let mut trials = Vec::new();
    for installation in required_installations()? {
        let engine = Opened::default();
        for kind in kinds() {
            let name =
                format!("round_trips::{} on PostgreSQL {}", kind.name, installation.version.major);
            let (installation, engine) = (installation.clone(), Arc::clone(&engine));
            trials.push(Trial::test(name, move || check(&installation, &engine, &kind)));
        }
    }
    Ok(trials)
}

/// The engine of the database with all types, made once for a server.
fn open(server: &Server) -> Result<Arc<Engine>, String> {
    let text = |error: testkit::postgres::ClientError| error.to_string();
    server.create_database(DATABASE).map_err(text)?;
    server.execute(DATABASE, SETUP).map_err(text)?;
    let mut sql = String::new();
    for Kind { name, r#type, extension, .. } in kinds() {
        if let Some(extension) = extension {
            if !has_extension(server, extension).map_err(text)? {
                continue;
            }
            let _ = write!(sql, "CREATE EXTENSION {extension};");
        }
        // Writing to a string cannot fail.
        let _ = write!(
            sql,
            "CREATE TABLE {name}_row (id INTEGER PRIMARY KEY, value {type});
             CREATE TABLE {name}_copy (id SERIAL PRIMARY KEY, value {type});
             CREATE FUNCTION same_{name}(value {type}) RETURNS {type} LANGUAGE sql STABLE
             AS 'SELECT value';",
            r#type = r#type
        );
    }
    server.execute(DATABASE, &sql).map_err(text)?;
    let dialect = Dialect::PostGraphile(postgraphile::Options {
        dynamic_json: true,
        geometric_types: true,
        network_scalars: true,
        simple_collections: postgraphile::SimpleCollections::Only,
        ..postgraphile::Options::default()
    });
    let options = Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        ..Options::new(dialect, engine::PoolLimits::unshared(2))
    };
    let address = SourceAddress::Postgres(server.url(DATABASE));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let opened = runtime.block_on(Engine::open(&address, &options));
    opened.map_err(|error| error.to_string())
}

fn has_extension(server: &Server, name: &str) -> Result<bool, testkit::postgres::ClientError> {
    let sql = format!("SELECT name FROM pg_available_extensions WHERE name = '{name}'");
    Ok(!server.query(DATABASE, &sql)?.is_empty())
}

fn check(installation: &Installation, engine: &Opened, kind: &Kind) -> Result<(), Failed> {
    let server = shared(installation)?;
    let engine = engine.get_or_init(|| open(server)).clone()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let worker = Worker::new(engine);
    let name = kind.name;
    if let Some(extension) = kind.extension
        && !has_extension(server, extension)?
    {
        // The distribution of this server comes without it.
        return Ok(());
    }
    let mut sql = format!("INSERT INTO {name}_row VALUES (0, NULL)");
    for (place, value) in kind.values.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(sql, ",({}, ({value})::{})", place + 1, kind.r#type);
    }
    server.execute(DATABASE, &sql)?;
    let (json, exact) = (kind.json("value"), &kind.exact);
    let sql = format!("SELECT id, {json}, coalesce({exact}, true) FROM {name}_row ORDER BY id",);
    let expected = server.query(DATABASE, &sql)?;
    assert!(expected.len() > kind.values.len(), "the rows of {name} are missing");

    let list = format!("all{}RowsList", kind.title());
    let selection = &kind.selection;
    let document = format!("{{ {list}(orderBy: ID_ASC) {{ id value {selection} }} }}");
    let answer = runtime.block_on(ask(&worker, &document, &json!({})))?;
    for (row, expected) in rows(&answer, &list)?.iter().zip(&expected) {
        let [id, json, exact] = expected.as_slice() else { return Err("three columns".into()) };
        let json = json.as_deref().map_or(Ok(Json::Null), serde_json::from_str::<Json>)?;
        let given = &row["value"];
        let what = format!("{name} {id:?}");
        assert!(is_same(given, &json), "{what} read\n{given}\n{json}");
        if exact.as_deref() == Some("t") {
            runtime.block_on(give_back(&worker, server, kind, id.as_deref(), given, &what))?;
        }
    }
    Ok(())
}

/// Gives a value that was read back, in a variable and in the document.
async fn give_back(
    worker: &Worker,
    server: &Server,
    kind: &Kind,
    id: Option<&str>,
    given: &Json,
    what: &str,
) -> Result<(), Failed> {
    let (title, input, selection) = (kind.title(), kind.input, &kind.selection);
    let literal = literal::print(given, kind.is_enum);
    let variables = json!({ "v": given });
    let forms = [("($v: TYPE)".replace("TYPE", input), "$v"), (String::new(), &*literal)];
    let printable = if literal::is_printable(given) { 2 } else { 1 };
    for (definition, value) in forms.into_iter().take(printable) {
        let same = format!("query {definition} {{ same{title}(value: {value}) {selection} }}");
        let answer = ask(worker, &same, &variables).await?;
        let got = &answer["data"][format!("same{title}")];
        // As in PostGraphile, a function that gives no array gives an empty one, and one that gives
        // a row of nulls gives none.
        let is_nothing =
            (*got == json!([]) && given.is_null()) || (got.is_null() && is_row_of_nulls(given));
        assert!(is_nothing || got == given, "{what} as an argument: {same}\n{answer}");
        let same = write(worker, kind, (definition.as_str(), value), &variables, what).await?;
        if kind.comparable {
            let (table, id) = (kind.name, id.unwrap_or_default());
            let sql = format!(
                "SELECT copy.value IS NOT DISTINCT FROM original.value
                 FROM {table}_copy AS copy, {table}_row AS original
                 WHERE copy.id = {same} AND original.id = {id}"
            );
            let stored = server.query(DATABASE, &sql)?;
            assert_eq!(stored, [[Some("t".to_owned())]], "{what} stored by {definition} {value}");
        }
        if !kind.comparable && !given.is_null() {
            continue;
        }
        let list = format!("all{title}RowsList");
        let document = format!(
            "query {definition} {{ {list}(condition: {{value: {value}}}, orderBy: ID_ASC) {{ id }} }}"
        );
        let answer = ask(worker, &document, &variables).await?;
        let found: Vec<String> =
            rows(&answer, &list)?.iter().map(|row| row["id"].to_string()).collect();
        let (table, id) = (kind.name, id.unwrap_or_default());
        let comparison = match given.is_null() {
            true => "value IS NULL".to_owned(),
            false => format!("value = (SELECT value FROM {table}_row WHERE id = {id})"),
        };
        let sql = format!("SELECT id FROM {table}_row WHERE {comparison} ORDER BY id");
        let equal = server.query(DATABASE, &sql)?;
        let equal: Vec<String> = equal.into_iter().flatten().flatten().collect();
        assert!(given.is_null() || equal.iter().any(|equal| equal == id), "{what} equals itself");
        assert_eq!(found, equal, "{what} in a condition: {document}\n{answer}");
    }
    Ok(())
}

/// Makes a row with a value, and lets another one become it. The id of the row that was changed.
async fn write(
    worker: &Worker,
    kind: &Kind,
    (definition, value): (&str, &str),
    variables: &Json,
    what: &str,
) -> Result<u64, Failed> {
    let (title, name, selection) = (kind.title(), kind.name, &kind.selection);
    let row = format!("row: {name}Copy {{ id value {selection} }}");
    let create = format!(
        "mutation {definition} {{
           made: create{title}Copy(input: {{{name}Copy: {{value: {value}}}}}) {{ {row} }}
           empty: create{title}Copy(input: {{{name}Copy: {{}}}}) {{ {row} }}
         }}"
    );
    let answer = ask(worker, &create, variables).await?;
    let made = &answer["data"]["made"]["row"];
    let empty = &answer["data"]["empty"]["row"];
    assert!(empty["value"].is_null() && empty["id"].is_u64(), "{what} left out: {answer}");
    let id = empty["id"].as_u64().unwrap_or_default();
    let update = format!(
        "mutation {definition} {{
           changed: update{title}CopyById(input: {{id: {id}, {name}CopyPatch: {{value: {value}}}}}) {{ {row} }}
         }}"
    );
    let answer = ask(worker, &update, variables).await?;
    let changed = &answer["data"]["changed"]["row"];
    let given = &variables["v"];
    assert!(is_same(&made["value"], given), "{what} in a new row: {create}\n{made}\n{given}");
    assert!(is_same(&changed["value"], given), "{what} in a patch: {update}\n{answer}\n{given}");
    Ok(id)
}

/// Whether two values are the same; numbers are, whatever they look like.
fn is_same(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => left.as_f64() == right.as_f64(),
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            let same = |(name, left): (&String, &Json)| {
                right.get(name).is_some_and(|right| is_same(left, right))
            };
            left.len() == right.len() && left.iter().all(same)
        }
        _ => left == right,
    }
}

fn is_row_of_nulls(value: &Json) -> bool {
    value.as_object().is_some_and(|members| members.values().all(Json::is_null))
}

fn rows<'a>(answer: &'a Json, list: &str) -> Result<&'a Vec<Json>, Failed> {
    match &answer["data"][list] {
        Json::Array(rows) if answer["errors"].is_null() => Ok(rows),
        _ => Err(format!("an answer without rows: {answer}").into()),
    }
}

async fn ask(worker: &Worker, document: &str, variables: &Json) -> Result<Json, Failed> {
    let body = json!({ "query": document, "variables": variables }).to_string();
    let request = Request::from_json(body.as_bytes()).map_err(|error| error.message)?;
    let response = worker.execute(&request, Allowed::All).await;
    Ok(serde_json::from_slice(&response.body)?)
}
