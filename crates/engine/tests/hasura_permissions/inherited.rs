//! Inherited roles: a row that one of the parents reads, with the cells that one of them reads in it.

use testkit::random::Random;

use super::made::{Permission, RandomRoles, TABLES, cells, inherited};
use super::world::World;
use super::{ROLES, operations};
use crate::policies::places::places;

/// The condition on the rows in which one of the permissions has a column.
fn visible(permissions: &[&Permission], column: &str) -> String {
    let having = permissions.iter().filter(|one| one.columns.contains(&column));
    let filters: Vec<String> = having.map(|one| format!("({})", one.filter.sql)).collect();
    filters.join(" OR ")
}

#[tokio::test]
async fn an_inherited_role_reads_the_cells_that_a_parent_reads() {
    for place in places() {
        let mut random = Random::new(31);
        let made = RandomRoles::new(&mut random, ROLES);
        let world = World::new(&place, &made).await;
        let (mut compared, mut hidden) = (0, 0);
        for (number, parents) in made.roles.chunks_exact(2).enumerate() {
            let role = inherited(number);
            for (index, table) in TABLES.iter().enumerate() {
                let permissions: Vec<&Permission> =
                    parents.iter().filter_map(|parent| parent.select[index].as_ref()).collect();
                // A page of a limited list has no order here that is known.
                let is_limited = permissions.iter().all(|one| one.limit.is_some());
                if is_limited {
                    continue;
                }
                let columns: Vec<&'static str> = table
                    .columns
                    .iter()
                    .map(|(name, _)| *name)
                    .filter(|name| permissions.iter().any(|one| one.columns.contains(name)))
                    .collect();
                let name = table.name;
                let filters = permissions.iter().map(|one| format!("({})", one.filter.sql));
                let rows = filters.collect::<Vec<_>>().join(" OR ");
                let cell = |column: &str| {
                    format!("CASE WHEN {} THEN t0.{column} END", visible(&permissions, column))
                };
                let shown: Vec<String> = columns
                    .iter()
                    .map(|column| format!("coalesce(CAST({} AS TEXT), 'null')", cell(column)))
                    .collect();
                let shown = shown.join(" || '|' || ");
                for _ in 0..operations() / 2 {
                    // A condition sees what the answer shows.
                    let column = *random.one_of(&columns);
                    let is_null = random.below(2) == 0;
                    let negation = if is_null { "" } else { "NOT " };
                    let wanted = format!("({}) IS {negation}NULL", cell(column));
                    let request = format!(
                        "{{ {name}(where: {{{column}: {{_is_null: {is_null}}}}}) {{ {} }} }}",
                        columns.join(" ")
                    );
                    let answer = world.answer(&role, &request).await;
                    let context = format!("{place} {role} {request} {answer}");
                    let list = answer["data"][name].as_array();
                    let list = list.unwrap_or_else(|| panic!("{context}"));
                    let mut found: Vec<String> =
                        list.iter().map(|row| cells(row, &columns)).collect();
                    found.sort();
                    let sql = format!("SELECT {shown} FROM {name} t0 WHERE ({rows}) AND {wanted}");
                    assert_eq!(found, world.rows(&sql), "{context}\n{sql}");
                    compared += 1;
                    hidden += found.iter().filter(|row| row.contains("null")).count();
                }
                let aggregates = permissions.iter().any(|one| one.allows_aggregates);
                let request = format!("{{ {name}_aggregate {{ aggregate {{ count }} }} }}");
                let answer = world.answer(&role, &request).await;
                let count =
                    answer["data"][format!("{name}_aggregate")]["aggregate"]["count"].as_u64();
                let sql = format!("SELECT CAST(count(*) AS TEXT) FROM {name} t0 WHERE {rows}");
                let expected = aggregates.then(|| world.rows(&sql)[0].parse().unwrap());
                assert_eq!(count, expected, "{place} {role} {request} {answer}");
            }
        }
        assert!(compared > 80 && hidden > 50, "{place}: {compared} {hidden}");
    }
}
