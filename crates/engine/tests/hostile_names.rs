//! Databases whose names are chosen to clash, with each other and with the API's own, in odd letters
//! and cases: the API that is printed is valid, and each field that changes a row does what it says,
//! or is refused and changes nothing.
//!
//! The databases are made up, the same in each run; `THALWEG_CASES=200` makes so many.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use dialects::Dialect;
use dialects::postgraphile::{self, FilterOptions, SimpleCollections, SimplifiedNames};
use engine::{Allowed, CostLimits, Engine, Options, PoolLimits, SourceAddress, Worker};
use graphql::Request;
use graphql::schema::{FieldId, InputId, Schema, TypeId, TypeKind};
use rusqlite::Connection;
use rusqlite::types::Value as Stored;
use serde_json::{Map, Value, json};
use testkit::random::Random;

/// How many databases are made.
const DATABASES: u64 = 8;

const NAMES: [&str; 60] = [
    "id",
    "ID",
    "node_id",
    "nodeId",
    "node",
    "nodes",
    "query",
    "queries",
    "mutation",
    "patch",
    "patches",
    "client_mutation_id",
    "clientMutationId",
    "input",
    "inputs",
    "x_input",
    "x_patch",
    "subscriptions",
    "big_ints",
    "key_value_hashes",
    "page_infos",
    "cursors",
    "dates",
    "points",
    "a_b_tests",
    "v_i_p",
    "x_y",
    "user_iD",
    "USERS",
    "users",
    "user",
    "from_",
    "_from",
    "__hidden",
    "_",
    "order",
    "select",
    "\"",
    "a\"b",
    "'",
    "a b",
    "a-b",
    "a.b",
    "1st",
    "2",
    "é",
    "größe",
    "имя",
    "☂",
    "%",
    "s",
    "Ss",
    "x1",
    "x1s",
    "x_connection",
    "x_edge",
    "x_condition",
    "and",
    "first",
    "rowid_",
];

/// Different names, which SQLite tells apart without regard to case.
fn different_names(random: &mut Random, most: usize) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::new();
    for _ in 0..=random.below(most) {
        let mut name = (*random.one_of(&NAMES)).to_owned();
        if random.below(6) == 0 {
            name = format!("{name}_{}", random.one_of(&NAMES));
        }
        if taken.insert(name.to_lowercase()) {
            names.push(name);
        }
    }
    names
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Tables with a number as their key, texts of which some are unique, and references.
fn tables(random: &mut Random) -> String {
    let mut text = String::new();
    let mut keys: Vec<(String, String)> = Vec::new();
    for name in different_names(random, 7) {
        let columns = different_names(random, 6);
        let mut parts = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            let column = quoted(column);
            parts.push(match (place, random.below(5), keys.len()) {
                (0, ..) => format!("{column} INTEGER PRIMARY KEY"),
                (_, 0, 1..) => {
                    let (table, key) = random.one_of(&keys);
                    format!("{column} BIGINT REFERENCES {table} ({key})")
                }
                (_, 1 | 2, _) => format!("{column} TEXT NOT NULL UNIQUE"),
                (_, 3, _) => format!("{column} TEXT NOT NULL"),
                _ => format!("{column} TEXT"),
            });
        }
        let table = quoted(&name);
        text += &format!("CREATE TABLE {table} ({});\n", parts.join(", "));
        keys.push((table, quoted(&columns[0])));
    }
    text
}

fn option_sets() -> Vec<postgraphile::Options> {
    let usual = postgraphile::Options::default();
    let filter = FilterOptions { relations: true, ..FilterOptions::default() };
    vec![
        usual.clone(),
        postgraphile::Options {
            simplified_names: Some(SimplifiedNames::default()),
            simple_collections: SimpleCollections::Both,
            ..usual.clone()
        },
        postgraphile::Options {
            upsert_mutations: true,
            nested_mutations: Some(9),
            aggregates: true,
            connection_filter: Some(filter),
            many_to_many: true,
            classic_ids: true,
            ..usual
        },
    ]
}

/// All rows of all tables.
type State = BTreeMap<String, Vec<Vec<String>>>;

fn state(connection: &Connection) -> State {
    let mut names = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap();
    let names: Vec<String> =
        names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let rows = |name: &String| {
        let mut rows = connection.prepare(&["SELECT * FROM ", &quoted(name)].concat()).unwrap();
        let width = rows.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            (0..width).map(|place| Ok(format!("{:?}", row.get::<_, Stored>(place)?))).collect()
        };
        let mut rows: Vec<Vec<String>> =
            rows.query_map([], row).unwrap().map(Result::unwrap).collect();
        rows.sort();
        rows
    };
    names.iter().map(|name| (name.clone(), rows(name))).collect()
}

/// How many rows are in the second and not in the first, and the other way round.
fn difference(before: &State, after: &State) -> (usize, usize) {
    let missing = |left: &State, right: &State| {
        left.iter()
            .map(|(table, rows)| rows.iter().filter(|row| !right[table].contains(row)).count())
            .sum()
    };
    (missing(after, before), missing(before, after))
}

/// A field that changes a row, as the schema shows it.
struct Mutation {
    name: String,
    input: String,
    /// The input object with the values of a row, and its members with their types.
    values: Option<(String, Vec<(String, String)>)>,
    /// The other members, but for the client's own text.
    key: Vec<String>,
    /// The payload's field with the row, and the row's type.
    row: (String, TypeId),
}

fn input_fields(schema: &Schema, r#type: TypeId) -> Vec<InputId> {
    match &schema[r#type].kind {
        TypeKind::InputObject { fields } => fields.clone(),
        _ => Vec::new(),
    }
}

fn fields(schema: &Schema, r#type: TypeId) -> Vec<FieldId> {
    match &schema[r#type].kind {
        TypeKind::Object { fields, .. } => fields.clone(),
        _ => Vec::new(),
    }
}

/// The names of the leaves of a row's type.
fn leaves(schema: &Schema, r#type: TypeId) -> Vec<String> {
    let is_leaf = |id: &FieldId| {
        matches!(schema[schema[*id].r#type.base].kind, TypeKind::Scalar | TypeKind::Enum { .. })
            && schema[*id].arguments.is_empty()
    };
    fields(schema, r#type)
        .into_iter()
        .filter(is_leaf)
        .map(|id| schema[id].name.to_string())
        .collect()
}

impl Mutation {
    fn all(schema: &Schema) -> Vec<Self> {
        let Some(root) = schema.mutation else { return Vec::new() };
        fields(schema, root).into_iter().filter_map(|id| Self::new(schema, id)).collect()
    }

    fn new(schema: &Schema, id: FieldId) -> Option<Self> {
        let input = schema[schema[id].arguments[0]].r#type.base;
        let (mut values, mut key) = (None, Vec::new());
        for member in input_fields(schema, input) {
            let (name, r#type) = (schema[member].name.to_string(), schema[member].r#type);
            let inner = input_fields(schema, r#type.base);
            if name == "clientMutationId" {
                continue;
            }
            if inner.is_empty() {
                key.push(name);
                continue;
            }
            let members = inner.into_iter().filter(|id| !schema[*id].r#type.is_list());
            let members = members.map(|id| {
                let r#type = &schema[schema[id].r#type.base].name;
                (schema[id].name.to_string(), r#type.to_string())
            });
            values = Some((name, members.collect()));
        }
        // The row comes first, behind the client's own text, unless its name is taken.
        let row = fields(schema, schema[id].r#type.base).get(1).copied().filter(|id| {
            let r#type = schema[*id].r#type.base;
            matches!(schema[r#type].kind, TypeKind::Object { .. }) && Some(r#type) != schema.query
        })?;
        let row = (schema[row].name.to_string(), schema[row].r#type.base);
        let known = leaves(schema, row.1);
        let (name, input) = (schema[id].name.to_string(), schema[input].name.to_string());
        let mutation = Self { name, input, values, key, row };
        mutation.is_of(&known).then_some(mutation)
    }

    /// Whether the row has what the input says.
    fn is_of(&self, leaves: &[String]) -> bool {
        self.members().all(|(name, _)| leaves.contains(name))
            && self.key.iter().all(|name| leaves.contains(name))
    }

    /// The members of the row's values that are texts and numbers.
    fn members(&self) -> impl Iterator<Item = &(String, String)> {
        let all = self.values.iter().flat_map(|(_, members)| members);
        all.filter(|(_, r#type)| ["Int", "String", "BigInt"].contains(&r#type.as_str()))
    }

    /// Values that no row has so far; references are to nothing.
    fn made(&self, number: &mut i64) -> Map<String, Value> {
        let value = |r#type: &str| {
            *number += 1;
            match r#type {
                "Int" => json!(*number),
                "BigInt" => Value::Null,
                _ => json!(format!("v{number}")),
            }
        };
        let mut value = value;
        self.members().map(|(name, r#type)| (name.clone(), value(r#type))).collect()
    }
}

struct Api {
    worker: Worker,
    connection: Connection,
    /// What is said of a failure.
    tables: String,
}

impl Api {
    async fn open(path: &Path, options: postgraphile::Options, tables: String) -> Self {
        let options = Options {
            limits: engine::Limits {
                cost: CostLimits { most: u64::MAX, ..CostLimits::default() },
                ..engine::Limits::default()
            },
            ..Options::new(Dialect::PostGraphile(options), PoolLimits::unshared(1))
        };
        let engine = Engine::open(&SourceAddress::Sqlite(path.into()), &options).await.unwrap();
        Self { worker: Worker::new(engine), connection: Connection::open(path).unwrap(), tables }
    }

    /// The row that a mutation gives; `None` if it is refused, and then nothing has changed.
    async fn change(
        &self,
        schema: &Schema,
        mutation: &Mutation,
        values: &Map<String, Value>,
        row: &Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let leaves = leaves(schema, mutation.row.1).join(" ");
        let query = format!(
            "mutation ($input: {}!) {{ {}(input: $input) {{ {} {{ {leaves} }} }} }}",
            mutation.input, mutation.name, mutation.row.0
        );
        let mut input = Map::new();
        if let Some((name, _)) = &mutation.values {
            input.insert(name.clone(), Value::Object(values.clone()));
        }
        for name in &mutation.key {
            input.insert(name.clone(), row[name].clone());
        }
        let before = state(&self.connection);
        let variables = json!({ "input": input });
        let variables = serde_json::from_value(variables).unwrap();
        let request = Request { query: query.clone(), variables, ..Request::default() };
        let answered = self.worker.execute(&request, Allowed::All).await;
        let answer: Value = serde_json::from_slice(&answered.body).unwrap();
        let told = || format!("{}\n{query}\n{input:?}\n{answer}", self.tables);
        let found = difference(&before, &state(&self.connection));
        if answer["errors"] != Value::Null {
            assert_eq!(found, (0, 0), "{}", told());
            let code = &answer["errors"][0]["extensions"]["code"];
            assert!(code.is_string() && code != "INTERNAL_ERROR", "{}", told());
            return None;
        }
        let expected = match (&mutation.values, mutation.key.is_empty()) {
            (Some(_), true) => (1, 0),
            (Some(_), false) => (1, 1),
            (None, _) => (0, 1),
        };
        assert_eq!(found, expected, "{}", told());
        let given = &answer["data"][&mutation.name][&mutation.row.0];
        for (name, value) in values {
            assert_eq!(&given[name], value, "{}", told());
        }
        Some(given.as_object().unwrap_or_else(|| panic!("{}", told())).clone())
    }
}

#[test]
fn each_mutation_does_what_it_says_whatever_the_names() {
    let databases = match std::env::var("THALWEG_CASES") {
        Ok(cases) => cases.parse().unwrap(),
        Err(_) => DATABASES,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = std::env::temp_dir().join(format!("hostile-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut done, mut refused) = (0, 0);
    for seed in 0..databases {
        let text = tables(&mut Random::new(seed));
        for (place, options) in option_sets().into_iter().enumerate() {
            let path = folder.join(format!("{seed}-{place}.db"));
            Connection::open(&path).unwrap().execute_batch(&text).unwrap();
            let test = changes(&path, options, &text);
            let (some, others) = tokio::task::LocalSet::new().block_on(&runtime, test);
            done += some;
            refused += others;
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    // Otherwise little was tried.
    assert!(done > refused * 10 && done as u64 > databases * 50, "{done}, {refused}");
}

/// Makes, changes and takes away rows by every mutation: how many did what they say, and how many
/// were refused.
async fn changes(path: &Path, options: postgraphile::Options, tables: &str) -> (usize, usize) {
    let api = Api::open(path, options, tables.to_owned()).await;
    let schema = api.worker.engine().schema().clone();
    assert_eq!(graphql::validate_schema(&schema), Ok(()), "{tables}");
    let mutations = Mutation::all(&schema);
    let (mut number, mut done, mut refused) = (0, 0, 0);
    let none = Map::new();
    let creates = mutations.iter().filter(|one| one.values.is_some() && one.key.is_empty());
    for create in creates {
        let values = create.made(&mut number);
        let Some(mut row) = api.change(&schema, create, &values, &none).await else {
            refused += 1;
            continue;
        };
        done += 1;
        let changes =
            |mutation: &&Mutation| mutation.row.1 == create.row.1 && !mutation.key.is_empty();
        for change in mutations.iter().filter(changes) {
            let values = change.made(&mut number);
            match api.change(&schema, change, &values, &row).await {
                Some(changed) if change.values.is_some() => row = changed,
                // It is gone: the next one wants another.
                Some(_) => {
                    let values = create.made(&mut number);
                    row = api.change(&schema, create, &values, &none).await.unwrap();
                }
                None => {
                    refused += 1;
                    continue;
                }
            }
            done += 1;
        }
    }
    (done, refused)
}
