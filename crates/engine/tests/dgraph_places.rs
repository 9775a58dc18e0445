//! Conditions on places by Dgraph's filters, on SQLite and PostgreSQL, with indexes and without,
//! compared with the exact condition on each place. Many places are near poles and the antimeridian.
//! The places are the same in each run.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ir::GeoOperator;
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use serde_json::{Value, json};
use source::geo::{GeoCondition, Geometry};
use testkit::random::Random;

use crate::changed_tables::{Database, Definitions, drop_virtual_indexes, numbers_of};
use crate::shop::block_on;

/// `Plain` has no indexes on SQLite.
const TYPES: &str = "
    interface Place { id: ID!  at: Point @search  shape: Polygon @search  shapes: MultiPolygon @search }
    type Marked implements Place { note: String }
    type Plain { code: String! @id  at: Point @search  shape: Polygon @search  shapes: MultiPolygon @search }
";

const FIELDS: [&str; 3] = ["at", "shape", "shapes"];

const ROWS: usize = 200;

fn between(random: &mut Random, least: f64, most: f64) -> f64 {
    let thousandth = u32::try_from(random.below(100_001)).unwrap();
    least + (most - least) * f64::from(thousandth) / 100_000.0
}

fn point(random: &mut Random) -> [f64; 2] {
    let edges = [-180.0, 180.0, -179.999_999_9, 179.999_999_9, 0.0, -90.0];
    let longitude = match random.below(3) {
        0 => edges[random.below(edges.len())],
        1 => [-1.0, 1.0][random.below(2)] * between(random, 175.0, 180.0),
        _ => between(random, -180.0, 180.0),
    };
    let latitude = match random.below(4) {
        0 => [-90.0, 90.0, 89.999_999_9, -89.999_999_9][random.below(4)],
        1 => [-1.0, 1.0][random.below(2)] * between(random, 80.0, 90.0),
        _ => between(random, -90.0, 90.0),
    };
    [longitude, latitude]
}

/// A ring around a point.
fn ring(random: &mut Random) -> Vec<[f64; 2]> {
    let [longitude, latitude] = point(random).map(f64::to_radians);
    let size = [0.01, 0.5, 5.0, 30.0, 80.0][random.below(5)];
    let count = 3 + random.below(4);
    let mut ring: Vec<[f64; 2]> = (0..count)
        .map(|number| {
            let part = f64::from(u32::try_from(number).unwrap())
                / f64::from(u32::try_from(count).unwrap());
            let bearing = std::f64::consts::TAU * part;
            let far = between(random, size / 2.0, size).to_radians();
            let sine = latitude.sin() * far.cos() + latitude.cos() * far.sin() * bearing.cos();
            let east = (bearing.sin() * far.sin() * latitude.cos())
                .atan2(far.cos() - latitude.sin() * sine);
            let x = (longitude + east).to_degrees();
            let x = (x + 540.0).rem_euclid(360.0) - 180.0;
            [x.clamp(-180.0, 180.0), sine.clamp(-1.0, 1.0).asin().to_degrees()]
        })
        .collect();
    ring.push(ring[0]);
    ring
}

/// A place of each field, in GeoJSON.
fn random_places(random: &mut Random) -> [Option<Value>; 3] {
    let none = random.below(20) == 0;
    let shapes: Vec<_> = (0..=random.below(2)).map(|_| [ring(random)]).collect();
    [
        json!({ "type": "Point", "coordinates": point(random) }),
        json!({ "type": "Polygon", "coordinates": [ring(random)] }),
        json!({ "type": "MultiPolygon", "coordinates": shapes }),
    ]
    .map(|place| (!none).then_some(place))
}

/// An operator that a field has, with its operand as an input and in GeoJSON.
fn condition(random: &mut Random, field: &str) -> (GeoOperator, Value, Value) {
    let input = |ring: &[[f64; 2]]| {
        let points = ring.iter().map(|[x, y]| json!({ "longitude": x, "latitude": y }));
        json!({ "coordinates": [{ "points": points.collect::<Vec<_>>() }] })
    };
    let polygon = |ring: &[[f64; 2]]| json!({ "type": "Polygon", "coordinates": [ring] });
    let [longitude, latitude] = point(random);
    let point = json!({ "longitude": longitude, "latitude": latitude });
    let coordinates = [longitude, latitude];
    let ring = ring(random);
    let count = if field == "at" { 2 } else { 5 };
    match random.below(count) {
        0 => {
            let distance = [1.0, 50_000.0, 2_000_000.0, 15_000_000.0][random.below(4)];
            let json = json!({ "type": "Point", "coordinates": coordinates, "distance": distance });
            let near = json!({ "near": { "distance": distance, "coordinate": point } });
            (GeoOperator::Near, near, json)
        }
        1 => {
            let within = json!({ "within": { "polygon": input(&ring) } });
            (GeoOperator::Within, within, polygon(&ring))
        }
        2 => {
            let json = json!({ "type": "Point", "coordinates": coordinates });
            (GeoOperator::Contains, json!({ "contains": { "point": point } }), json)
        }
        3 => {
            let contains = json!({ "contains": { "polygon": input(&ring) } });
            (GeoOperator::Contains, contains, polygon(&ring))
        }
        _ => {
            let intersects = json!({ "intersects": { "polygon": input(&ring) } });
            (GeoOperator::Intersects, intersects, polygon(&ring))
        }
    }
}

/// The indexes of places of `Plain` are dropped on SQLite.
const DEFINITIONS: Definitions = Definitions {
    name: "places",
    types: TYPES,
    change: |database| {
        if let Some(file) = &database.file {
            drop_virtual_indexes(file, "Plain");
        }
    },
};

impl Database {
    /// The rows of a query that pass a condition, by their numbers.
    async fn passing(&self, query: &str, id: &str, filter: &Value) -> Vec<usize> {
        let r#type = query.trim_start_matches("query");
        let text = format!(
            "query ($filter: {type}Filter) {{ rows: {query}(filter: $filter) {{ id: {id} }} }}"
        );
        let answer = self.answer(&text, json!({ "filter": filter })).await;
        let rows = answer["data"]["rows"].as_array();
        numbers_of(rows.unwrap_or_else(|| panic!("{} {filter}: {answer}", self.name)))
    }

    /// Compares random conditions with the exact ones on places by their numbers.
    async fn compare(&self, random: &mut Random, places: &[(usize, [Option<Value>; 3])]) -> usize {
        let mut count = 0;
        for _ in 0..80 {
            let place = random.below(FIELDS.len());
            let field = FIELDS[place];
            let (operator, input, json) = condition(random, field);
            let Ok(wanted) = GeoCondition::read(operator, &json.to_string()) else { continue };
            let passes = |own: &[Option<Value>; 3]| {
                let own = own[place].as_ref().and_then(|own| Geometry::read(&own.to_string()));
                own.is_some_and(|own| own.passes(&wanted))
            };
            let expect: Vec<usize> =
                places.iter().filter(|(_, own)| passes(own)).map(|(number, _)| *number).collect();
            let filter = json!({ field: input });
            for (query, id) in [("queryMarked", "id"), ("queryPlace", "id"), ("queryPlain", "code")]
            {
                let found = self.passing(query, id, &filter).await;
                assert_eq!(found, expect, "{} {query} {filter}", self.name);
            }
            count += expect.len();
        }
        count
    }
}

/// The values of a row, as SQL.
fn literals(places: &[Option<Value>; 3]) -> [String; 3] {
    places
        .each_ref()
        .map(|place| place.as_ref().map_or("NULL".to_owned(), |place| format!("'{place}'")))
}

fn insert(sql: &mut String, number: usize, places: &[Option<Value>; 3]) {
    let values = literals(places).join(", ");
    write!(
        sql,
        "INSERT INTO \"Marked\" (id, at, shape, shapes) VALUES ({number}, {values});
         INSERT INTO \"Plain\" (id, code, at, shape, shapes)
         VALUES (1000 + {number}, '{number}', {values});"
    )
    .unwrap();
}

#[test]
fn conditions_find_the_same_places_with_and_without_indexes() {
    block_on(async {
        for database in Database::all(DEFINITIONS, "random").await {
            let mut random = Random::new(41);
            let mut places: Vec<_> =
                (1..=ROWS).map(|number| (number, random_places(&mut random))).collect();
            let mut sql = String::new();
            for (number, own) in &places {
                insert(&mut sql, *number, own);
            }
            database.execute(&sql);
            let found = database.compare(&mut random, &places).await;
            assert!(found > ROWS, "{}: {found}", database.name);

            // Changes by another program.
            let mut sql = String::new();
            for (number, own) in places.iter_mut().filter(|(number, _)| number % 3 == 0) {
                *own = random_places(&mut random);
                let [at, shape, shapes] = literals(own);
                write!(
                    sql,
                    "UPDATE \"Marked\" SET at = {at}, shape = {shape}, shapes = {shapes}
                     WHERE id = {number};
                     UPDATE \"Plain\" SET at = {at}, shape = {shape}, shapes = {shapes}
                     WHERE code = '{number}';"
                )
                .unwrap();
            }
            for (number, _) in places.iter().filter(|(number, _)| number % 7 == 0) {
                write!(
                    sql,
                    "DELETE FROM \"Marked\" WHERE id = {number};
                     DELETE FROM \"Plain\" WHERE code = '{number}';"
                )
                .unwrap();
            }
            database.execute(&sql);
            places.retain(|(number, _)| number % 7 != 0);
            database.compare(&mut random, &places).await;
        }
    });
}

#[test]
fn values_of_other_programs_are_no_errors() {
    block_on(async {
        let database = Database::sqlite(DEFINITIONS, "values").await;
        for (number, value) in [
            "'no json'",
            "'{}'",
            "'5'",
            "'{\"type\":\"Point\",\"coordinates\":[1]}'",
            "'{\"type\":\"Point\",\"coordinates\":[\"a\",null]}'",
            "'{\"type\":\"Point\",\"coordinates\":[190,10]}'",
            "'{\"type\":\"Point\",\"coordinates\":[10,95]}'",
            "X'00'",
        ]
        .iter()
        .enumerate()
        {
            let id = number + 1;
            database.execute(&format!("INSERT INTO \"Marked\" (id, at) VALUES ({id}, {value});"));
        }
        let near = |longitude: f64, latitude: f64| {
            json!({ "at": { "near": {
                "distance": 1000, "coordinate": { "longitude": longitude, "latitude": latitude }
            } } })
        };
        assert_eq!(database.passing("queryMarked", "id", &near(-170.0, 10.0)).await, [6]);
        assert_eq!(database.passing("queryMarked", "id", &near(-170.0, 85.0)).await, [7]);
    });
}

#[test]
fn the_index_of_sqlite_finds_candidates() {
    block_on(async {
        let database = Database::sqlite(DEFINITIONS, "plans").await;
        let mut sql = String::new();
        for number in 1..=2_000_usize {
            let (x, y) = (number % 50, number / 50);
            let place = json!({ "type": "Point", "coordinates": [x * 3, y * 2] });
            write!(sql, "INSERT INTO \"Marked\" (id, at) VALUES ({number}, '{place}');").unwrap();
        }
        database.execute(&sql);
        let connection = Connection::open(database.file.as_ref().unwrap()).unwrap();
        // The statement of `geo/index.case`.
        let statement = "SELECT t0.\"id\" FROM \"Marked\" AS t0 WHERE t0.\"id\" IN (SELECT id FROM \
             \"thalweg_Marked_at_places\" WHERE west <= ?1 ->> 2 AND east >= ?1 ->> 0 AND south <= \
             ?1 ->> 3 AND north >= ?1 ->> 1) AND \"thalweg_geo_near\"(t0.\"at\", ?2)";
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        connection
            .create_scalar_function("thalweg_geo_near", 2, FunctionFlags::SQLITE_UTF8, move |_| {
                counted.fetch_add(1, Ordering::Relaxed);
                Ok(true)
            })
            .unwrap();
        let read = |sql: &str, column: usize| -> Vec<String> {
            let mut prepared = connection.prepare(sql).unwrap();
            let rows = prepared.query_map(["[29.5,19.5,30.5,20.5]", ""], |row| {
                row.get::<_, rusqlite::types::Value>(column).map(|value| format!("{value:?}"))
            });
            rows.unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(read(statement, 0), ["Integer(510)"]);
        assert_eq!(calls.load(Ordering::Relaxed), 1);
        let plan = read(&format!("EXPLAIN QUERY PLAN {statement}"), 3).join("\n");
        assert!(plan.contains("SEARCH t0 USING INTEGER PRIMARY KEY"), "{plan}");
        assert!(plan.contains("thalweg_Marked_at_places VIRTUAL TABLE INDEX 2:"), "{plan}");
    });
}
