//! Aggregates of roles, at the root and of related rows, and pages whose order is known: as SQL gives
//! them with the filters and limits of the permissions.

use serde_json::Value as Json;
use testkit::random::Random;

use super::made::{RandomRoles, Role, TABLES, cell, cells, requested};
use super::world::World;
use super::{ROLES, operations};
use crate::policies::places::{Place, places};

/// A query, and the SQL that finds the same rows.
#[derive(Debug)]
struct Question {
    request: String,
    sql: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Functions, each with its column and whether its value is rounded.
    Aggregate(Vec<(&'static str, &'static str, bool)>),
    /// Cells of rows, each with the aggregates of a relationship.
    Nested { columns: Vec<&'static str>, field: String, numbers: Vec<&'static str> },
    /// Cells of the rows of a page, and of a page of related rows.
    Page { columns: Vec<&'static str>, below: Option<(&'static str, Vec<&'static str>)> },
}

fn numbers_of(table: usize, columns: &[&'static str]) -> Vec<&'static str> {
    let is_number = |name: &str| TABLES[table].columns.iter().any(|(own, is)| *own == name && *is);
    columns.iter().copied().filter(|name| is_number(name)).collect()
}

/// Cells of a row in SQL.
fn sql_cells(alias: &str, columns: &[&str]) -> String {
    let cell = |column: &&str| format!("coalesce(CAST({alias}.{column} AS TEXT), 'null')");
    columns.iter().map(cell).collect::<Vec<_>>().join(" || '|' || ")
}

/// Aggregates of a table, or `None` if the role may not have them.
fn aggregate(random: &mut Random, role: &Role, table: usize, place: &Place) -> Option<Question> {
    let own = role.select[table].as_ref().filter(|own| own.allows_aggregates)?;
    let (filter, wanted) = requested(random, role, table, "t0", 2);
    let numbers = numbers_of(table, &own.columns);
    let mut functions: Vec<(&str, &str, bool)> = own
        .columns
        .iter()
        .flat_map(|column| [("min", *column, false), ("max", *column, false)])
        .collect();
    for number in numbers {
        functions.extend([("sum", number, false), ("avg", number, true)]);
        if !matches!(place, Place::Sqlite) {
            let names = ["stddev", "stddev_pop", "stddev_samp", "var_pop", "var_samp", "variance"];
            functions.extend(names.map(|name| (name, number, true)));
        }
    }
    let fields: String = functions
        .iter()
        .map(|(name, column, _)| format!("{name}_{column}: {name} {{ {column} }} "))
        .collect();
    let table = TABLES[table].name;
    let request =
        format!("{{ {table}_aggregate(where: {filter}) {{ aggregate {{ count {fields} }} }} }}");
    let mut sql = "SELECT CAST(count(*) AS TEXT)".to_owned();
    for (name, column, is_rounded) in &functions {
        let value = match is_rounded {
            true => format!("CAST(round({name}(t0.{column}) * 1000) AS INTEGER)"),
            false => format!("{name}(t0.{column})"),
        };
        sql += &format!(" || '|' || coalesce(CAST({value} AS TEXT), 'null')");
    }
    sql += &format!(" FROM {table} t0 WHERE ({}) AND ({wanted})", own.filter.sql);
    Some(Question { request, sql, kind: Kind::Aggregate(functions) })
}

/// Rows with the aggregates of a relationship.
fn nested(random: &mut Random, role: &Role, table: usize) -> Option<Question> {
    let own = role.select[table].as_ref().filter(|own| own.limit.is_none())?;
    let (relation, target, column, other, _) =
        *TABLES[table].relationships.iter().find(|(.., is_one)| !is_one)?;
    let below = role.select[target].as_ref().filter(|below| below.allows_aggregates)?;
    let (filter, wanted) = requested(random, role, table, "t0", 1);
    let (below_filter, below_wanted) = requested(random, role, target, "t9", 1);
    let numbers = numbers_of(target, &below.columns);
    let fields: String = numbers
        .iter()
        .map(|name| format!("max_{name}: max {{ {name} }} sum_{name}: sum {{ {name} }} "))
        .collect();
    let (columns, field) = (own.columns.clone(), format!("{relation}_aggregate"));
    let request = format!(
        "{{ {}(where: {filter}) {{ {} {field}(where: {below_filter}) {{ aggregate {{ count {fields} }} }} }} }}",
        TABLES[table].name,
        columns.join(" ")
    );
    let mut inner = "SELECT CAST(count(*) AS TEXT)".to_owned();
    for name in &numbers {
        for function in ["max", "sum"] {
            inner += &format!(" || '|' || coalesce(CAST({function}(t9.{name}) AS TEXT), 'null')");
        }
    }
    let visible = below.filter.sql.replace("t0.", "t9.");
    let sql = format!(
        "SELECT {} || '>' || ({inner} FROM {} t9 WHERE t9.{other} = t0.{column} AND ({visible}) AND \
         ({below_wanted})) FROM {} t0 WHERE ({}) AND ({wanted})",
        sql_cells("t0", &columns),
        TABLES[target].name,
        TABLES[table].name,
        own.filter.sql
    );
    Some(Question { request, sql, kind: Kind::Nested { columns, field, numbers } })
}

/// A page in a known order, perhaps with pages of related rows: the least of the request's limit and
/// the permission's counts.
fn page(random: &mut Random, role: &Role, table: usize) -> Option<Question> {
    let own = role.select[table].as_ref().filter(|own| own.columns.contains(&"id"))?;
    let (filter, wanted) = requested(random, role, table, "t0", 1);
    let by = *random.one_of(&own.columns);
    let (limit, offset) = (1 + random.below(5), random.below(3));
    let most = |own: Option<usize>, limit: usize| own.map_or(limit, |own| own.min(limit));
    let columns = own.columns.clone();
    let related = TABLES[table].relationships.iter().find(|(.., is_one)| !is_one);
    let related = related.and_then(|(relation, target, column, other, _)| {
        let below = role.select[*target].as_ref().filter(|below| below.columns.contains(&"id"))?;
        Some((*relation, *target, *column, *other, below))
    });
    let related = related.filter(|_| random.below(2) == 0);
    let below_limit = 1 + random.below(3);
    let below = related.map_or(String::new(), |(relation, .., below)| {
        format!(
            "{relation}(order_by: {{id: desc}}, limit: {below_limit}) {{ {} }}",
            below.columns.join(" ")
        )
    });
    let name = TABLES[table].name;
    let request = format!(
        "{{ {name}(where: {filter}, order_by: [{{{by}: desc_nulls_last}}, {{id: asc}}], limit: {limit}, \
         offset: {offset}) {{ {} {below} }} }}",
        columns.join(" ")
    );
    let rows = format!(
        "(SELECT * FROM {name} t0 WHERE ({}) AND ({wanted}) ORDER BY t0.{by} DESC NULLS LAST, t0.id \
         LIMIT {} OFFSET {offset}) p",
        own.filter.sql,
        most(own.limit, limit)
    );
    let cells = sql_cells("p", &columns);
    let sql = match related {
        None => format!("SELECT {cells} FROM {rows}"),
        Some((_, target, column, other, below)) => {
            let of = |alias: &str| below.filter.sql.replace("t0.", &format!("{alias}."));
            let target = TABLES[target].name;
            format!(
                "SELECT {cells} || '>' || {} FROM {rows} JOIN {target} t9 ON t9.{other} = p.{column} AND \
                 ({}) WHERE (SELECT count(*) FROM {target} t8 WHERE t8.{other} = p.{column} AND ({}) AND \
                 t8.id > t9.id) < {}",
                sql_cells("t9", &below.columns),
                of("t9"),
                of("t8"),
                most(below.limit, below_limit)
            )
        }
    };
    let below = related.map(|(relation, .., below)| (relation, below.columns.clone()));
    Some(Question { request, sql, kind: Kind::Page { columns, below } })
}

impl Question {
    /// The rows of an answer, in the form of the rows of the SQL.
    fn rows(&self, answer: &Json) -> Vec<String> {
        let data = answer["data"].as_object().unwrap_or_else(|| panic!("{self:#?} {answer}"));
        let found = data.values().next().unwrap();
        let list = || found.as_array().unwrap().iter();
        let mut rows: Vec<String> = match &self.kind {
            Kind::Aggregate(functions) => {
                let aggregate = &found["aggregate"];
                let mut row = vec![cell(&aggregate["count"])];
                row.extend(functions.iter().map(|(name, column, is_rounded)| {
                    let value = &aggregate[format!("{name}_{column}")][column];
                    match value.as_f64() {
                        Some(number) if *is_rounded => {
                            ((number * 1000.0).round() as i64).to_string()
                        }
                        _ => cell(value),
                    }
                }));
                vec![row.join("|")]
            }
            Kind::Nested { columns, field, numbers } => {
                list()
                    .map(|row| {
                        let aggregate = &row[field]["aggregate"];
                        let mut below = vec![cell(&aggregate["count"])];
                        for name in numbers {
                            below.extend(["max", "sum"].map(|function| {
                                cell(&aggregate[format!("{function}_{name}")][name])
                            }));
                        }
                        format!("{}>{}", cells(row, columns), below.join("|"))
                    })
                    .collect()
            }
            Kind::Page { columns, below: None } => list().map(|row| cells(row, columns)).collect(),
            Kind::Page { columns, below: Some((relation, below)) } => list()
                .flat_map(|row| {
                    let own = cells(row, columns);
                    let related = row[relation].as_array().unwrap().iter();
                    related.map(move |inner| format!("{own}>{}", cells(inner, below)))
                })
                .collect(),
        };
        rows.sort();
        rows
    }
}

#[tokio::test]
async fn a_role_aggregates_and_pages_what_sql_with_its_filters_gives() {
    for place in places() {
        let mut random = Random::new(29);
        let made = RandomRoles::new(&mut random, ROLES);
        let world = World::new(&place, &made).await;
        let (mut compared, mut found) = ([0; 3], [0; 3]);
        for role in &made.roles {
            for turn in 0..operations() {
                for table in 0..TABLES.len() {
                    let kind = turn % 3;
                    let question = match kind {
                        0 => aggregate(&mut random, role, table, &place),
                        1 => nested(&mut random, role, table),
                        _ => page(&mut random, role, table),
                    };
                    let Some(question) = question else { continue };
                    let answer = world.answer(role.name(), &question.request).await;
                    let expected = world.rows(&question.sql);
                    assert_eq!(question.rows(&answer), expected, "{place} {question:#?} {answer}");
                    compared[kind] += 1;
                    found[kind] += expected.len();
                }
            }
        }
        let is_enough = compared.iter().all(|count| *count > 20) && found[1].min(found[2]) > 60;
        assert!(is_enough, "{place}: {compared:?} {found:?}");
    }
}
