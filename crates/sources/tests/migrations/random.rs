//! Random models one after the other: both databases find the same losses, and keep the same rows.

use std::fmt::Write as _;

use sources::migrate::Finding;
use storage::model::{
    End, EndOf, EntityIndex, EnumIndex, Field, FieldType, Group, GroupIndex, Index, Model,
    OnDelete, Relation,
};
use storage::tables::{Column, ColumnType, Reference, Stored, StoredValue, Table};
use storage::{Plan, Tables};

use super::database::{TestDatabase, databases, run};
use super::model::{entity, labels};

/// A generator of numbers, the same ones in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % most
    }

    fn one_in(&mut self, most: usize) -> bool {
        self.below(most) == 0
    }
}

const LABELS: [&str; 4] = ["A", "B", "C", "it's"];

const TYPES: [FieldType; 7] = [
    FieldType::Int32,
    FieldType::Int64,
    FieldType::Text,
    FieldType::Text,
    FieldType::Boolean,
    FieldType::DateTime,
    FieldType::Enum(EnumIndex(0)),
];

/// A model of few names, so that the next one has many of them, too.
fn model(numbers: &mut Numbers) -> Model {
    let mut model = Model::default();
    let known: Vec<&str> = LABELS.into_iter().filter(|_| !numbers.one_in(4)).collect();
    model.enums.push(labels("E", if known.is_empty() { &LABELS[..1] } else { &known }));
    for name in ["One", "Two", "Three"] {
        if !numbers.one_in(5) {
            let fields =
                (0..4).filter_map(|number| field(numbers, &format!("f{number}"))).collect();
            model.entities.push(entity(name, fields));
        }
    }
    let entities = model.entities.len();
    if entities == 0 {
        return model;
    }
    for name in ["All", "Some"] {
        let members: Vec<EntityIndex> =
            (0..entities).filter(|_| !numbers.one_in(3)).map(EntityIndex).collect();
        if !members.is_empty() {
            model.groups.push(Group { name: name.into(), members, unique: Vec::new() });
        }
    }
    for number in 0..3 {
        if !numbers.one_in(4) {
            let relation = relation(numbers, &model, number);
            model.relations.push(relation);
        }
    }
    model
}

fn field(numbers: &mut Numbers, name: &str) -> Option<Field> {
    if numbers.one_in(4) {
        return None;
    }
    let r#type = TYPES[numbers.below(TYPES.len())];
    let is_list = numbers.one_in(4);
    let all = [Index::Equality, Index::Order, Index::Terms, Index::FullText, Index::Trigram];
    Some(Field {
        name: name.into(),
        r#type,
        is_list,
        is_required: numbers.one_in(8),
        is_unique: !is_list && r#type == FieldType::Text && numbers.one_in(6),
        indexes: all.into_iter().filter(|_| numbers.one_in(4)).collect(),
        default: None,
    })
}

fn relation(numbers: &mut Numbers, model: &Model, number: usize) -> Relation {
    let of = |numbers: &mut Numbers, with_groups: bool| match model.groups.len() {
        0 => EndOf::Entity(EntityIndex(numbers.below(model.entities.len()))),
        groups if with_groups && numbers.one_in(3) => {
            EndOf::Group(GroupIndex(numbers.below(groups)))
        }
        _ => EndOf::Entity(EntityIndex(numbers.below(model.entities.len()))),
    };
    let end = |of, field: Option<String>, is_list| End {
        of,
        field: field.map(Into::into),
        is_list,
        is_required: false,
        on_delete: OnDelete::SetNull,
    };
    // The fields of an end have names of their own, whichever entity has them.
    let near = end(of(numbers, false), Some(format!("near{number}")), numbers.one_in(2));
    let far = match numbers.one_in(2) {
        true => end(of(numbers, false), Some(format!("far{number}")), numbers.one_in(2)),
        false => end(of(numbers, true), None, true),
    };
    Relation { near, far }
}

/// Values that both databases print alike.
fn shown(column: &Column, database: &TestDatabase) -> String {
    let name = format!("\"{}\"", column.name);
    match (&column.r#type, column.is_list, database) {
        (ColumnType::DateTime, ..) => {
            format!("CASE WHEN {name} IS NULL THEN 'none' ELSE 'some' END")
        }
        (_, true, TestDatabase::Postgres { .. }) => {
            format!("replace(replace(to_json({name})::text, ', ', ','), ': ', ':')")
        }
        (ColumnType::Boolean, false, _) => {
            format!("CASE WHEN {name} THEN 'true' WHEN NOT {name} THEN 'false' END")
        }
        (_, _, _) => name,
    }
}

fn rows(database: &TestDatabase, table: &Table) -> Vec<String> {
    let columns: Vec<String> = table.columns.iter().map(|column| shown(column, database)).collect();
    let mut rows =
        database.query(&format!("SELECT {} FROM \"{}\"", columns.join(", "), table.name));
    rows.sort();
    rows
}

/// A value of a column, as both databases write it.
fn value(numbers: &mut Numbers, column: &Column, database: &TestDatabase, next: usize) -> String {
    let mut one = |quote: char| match &column.r#type {
        ColumnType::Int32 | ColumnType::Int64 => {
            let number = numbers.below(1_000) as i64;
            let big = column.r#type == ColumnType::Int64 && number % 3 == 0;
            (if big { number << 32 } else { number }).to_string()
        }
        ColumnType::Boolean => (if numbers.one_in(2) { "true" } else { "false" }).to_owned(),
        ColumnType::DateTime => format!("{quote}2020-02-29 12:00:00+00:00{quote}"),
        ColumnType::Enum(labels) => {
            let label = &labels[numbers.below(labels.len())];
            format!("{quote}{}{quote}", label.replace('\'', "''"))
        }
        _ => format!("{quote}word {next} {}{quote}", LABELS[numbers.below(3)]),
    };
    match (column.is_list, database) {
        (false, _) => one('\''),
        (true, TestDatabase::Sqlite { .. }) => format!("'[{},{}]'", one('"'), one('"')),
        (true, TestDatabase::Postgres { .. }) => format!("'{{{},{}}}'", one('"'), one('"')),
    }
}

/// Inserts some rows: the same ones into both databases.
fn insert(seed: u64, database: &TestDatabase, tables: &Tables, next: &mut usize) {
    let mut numbers = Numbers(seed);
    let mut sql = String::new();
    for table in &tables.tables {
        if !matches!(table.stores, Stored::Entity(_)) {
            continue;
        }
        for _ in 0..3 {
            *next += 1;
            let mut names = Vec::new();
            let mut values = Vec::new();
            for column in &table.columns {
                let given = match column.stores {
                    StoredValue::Sequence => next.to_string(),
                    StoredValue::Reference(..) => continue,
                    _ if !column.is_required && numbers.one_in(4) => continue,
                    _ => value(&mut numbers, column, database, *next),
                };
                names.push(format!("\"{}\"", column.name));
                values.push(given);
            }
            let (names, values) = (names.join(", "), values.join(", "));
            let _ = writeln!(sql, "INSERT INTO \"{}\" ({names}) VALUES ({values});", table.name);
        }
    }
    database.execute(&sql);
    // References to rows that are there, each at most once.
    let mut sql = String::new();
    for table in &tables.tables {
        if let Stored::Relation(_) = table.stores {
            let [near, far] = &*table.references else { continue };
            let of = |reference: &Reference| {
                let (key, place) = (&reference.target_columns[0], place(seed, reference));
                let to = &reference.to;
                format!("(SELECT \"{key}\" FROM \"{to}\" ORDER BY 1 LIMIT 1 OFFSET {place})")
            };
            let _ = writeln!(
                sql,
                "INSERT INTO \"{}\" (\"{}\", \"{}\") SELECT a, b
                 FROM (SELECT {} AS a, {} AS b) AS pair
                 WHERE a IS NOT NULL AND b IS NOT NULL ON CONFLICT DO NOTHING;",
                table.name,
                near.columns[0],
                far.columns[0],
                of(near),
                of(far)
            );
            continue;
        }
        for reference in &table.references {
            let (column, key) = (&reference.columns[0], &reference.target_columns[0]);
            let place = place(seed, reference);
            let _ = writeln!(
                sql,
                "UPDATE \"{}\" SET \"{column}\" =
                   (SELECT \"{key}\" FROM \"{}\" ORDER BY 1 LIMIT 1 OFFSET {place})
                 WHERE id = (SELECT max(id) FROM \"{}\")
                   AND NOT EXISTS (SELECT 1 FROM \"{}\" WHERE \"{column}\" =
                     (SELECT \"{key}\" FROM \"{}\" ORDER BY 1 LIMIT 1 OFFSET {place}));",
                table.name, reference.to, table.name, table.name, reference.to
            );
        }
    }
    database.execute(&sql);
}

/// The place of the row to which a reference leads.
fn place(seed: u64, reference: &Reference) -> usize {
    let name = reference.name.bytes().map(u64::from).sum::<u64>();
    Numbers(seed.wrapping_add(name)).below(4)
}

fn check_file(database: &TestDatabase, plan: &Plan) {
    let TestDatabase::Sqlite { .. } = database else { return };
    assert_eq!(database.query("PRAGMA integrity_check"), ["ok"]);
    assert_eq!(database.query("PRAGMA foreign_key_check"), Vec::<String>::new());
    for table in &plan.tables.tables {
        for index in table.indexes.iter().filter(|index| index.name.starts_with("thalweg_")) {
            let name = &index.name;
            database.execute(&format!(
                "INSERT INTO \"{name}\" (\"{name}\", rank) VALUES ('integrity-check', 1)"
            ));
        }
    }
}

/// The seed of the run. Others passed, too; this one found a mistake once.
const SEED: u64 = 8;

#[test]
fn both_databases_migrate_alike() {
    let databases = databases("random");
    let [sqlite, postgres, ..] = &databases[..] else { return };
    let mut numbers = Numbers(SEED);
    let mut next = 0;
    let (mut applied, mut lost) = (0, 0);
    for round in 0..40 {
        let model = model(&mut numbers);
        let plans = [sqlite, postgres].map(|database| run(database.plan(&model)));
        let found = plans.each_ref().map(|planned| {
            let mut found: Vec<String> =
                planned.found.iter().map(|found| format!("{found:?}")).collect();
            found.sort();
            found
        });
        for planned in &plans {
            assert_eq!(planned.drift, [], "round {round}");
        }
        let is_possible = plans.iter().all(|planned| planned.is_possible(true));
        // Labels of lists are checked where lists are arrays.
        if !found[1].iter().any(|found| found.contains("Labels")) {
            assert_eq!(found[0], found[1], "round {round}");
        }
        if !is_possible {
            continue;
        }
        applied += 1;
        lost += plans[0].found.iter().filter(|own| matches!(own.finding, Finding::Loss(_))).count();
        let mut all = Vec::new();
        let begun = next;
        for database in [sqlite, postgres] {
            let planned = run(database.try_migrate(&model)).unwrap();
            assert!(run(database.plan(&model)).is_current(), "round {round}");
            check_file(database, &planned.plan);
            let tables = &planned.plan.tables;
            let of_tables = |database| -> Vec<(Box<str>, Vec<String>)> {
                let rows = |table: &Table| (table.name.clone(), rows(database, table));
                tables.tables.iter().map(rows).collect()
            };
            all.push(of_tables(database));
            next = begun;
            insert(round, database, tables, &mut next);
        }
        assert_eq!(all[0], all[1], "round {round}");
    }
    assert!(applied > 8 && lost > 20, "{applied} applied, {lost} losses");
}
