//! Random permissions, each as metadata and as a condition of SQL, and random operations.

use serde_json::{Value as Json, json};
use testkit::random::Random;

use super::notes::NotePermissions;
use super::upserts::PlayerInsert;
use super::world::{Dump, World};

/// A table of the test, whose columns are integers or texts.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// Each with whether it is a number.
    pub(super) columns: &'static [(&'static str, bool)],
    /// The relationships: name, target, own column, other column, whether there is one row.
    pub(super) relationships: &'static [(&'static str, usize, &'static str, &'static str, bool)],
}

pub(super) const TABLES: [Table; 3] = [
    Table {
        name: "team",
        columns: &[("id", true), ("name", false), ("size", true), ("owner", false)],
        relationships: &[("players", 1, "id", "team_id", false)],
    },
    Table {
        name: "player",
        columns: &[
            ("id", true),
            ("team_id", true),
            ("name", false),
            ("level", true),
            ("rank", true),
            ("owner", false),
        ],
        relationships: &[
            ("team", 0, "team_id", "id", true),
            ("notes", 2, "id", "player_id", false),
        ],
    },
    Table {
        name: "note",
        columns: &[("id", true), ("player_id", true), ("words", false), ("stars", true)],
        relationships: &[("player", 1, "player_id", "id", true)],
    },
];

/// The text that session variables have, and their values in SQL.
pub(super) const SESSION: [(&str, &str, &str); 3] = [
    ("X-Hasura-Owner", "ann", "'ann'"),
    ("X-Hasura-Level", "4", "4"),
    ("X-Hasura-Ids", "{1,3,5}", "(1,3,5)"),
];

/// Words of the rows.
pub(super) const WORDS: [&str; 4] = ["ann", "bob", "cas", "dee"];

/// A condition, as an expression of metadata and as SQL about the table `t0`.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) json: Json,
    pub(super) sql: String,
}

/// The permission of a role on a table.
#[derive(Clone, Debug)]
pub(super) struct Permission {
    pub(super) columns: Vec<&'static str>,
    pub(super) filter: Condition,
    pub(super) allows_aggregates: bool,
    pub(super) limit: Option<usize>,
}

/// The permission to update players: columns, rows, check, preset of the owner.
#[derive(Clone, Debug)]
struct Update {
    filter: Condition,
    check: Condition,
    sets_owner: bool,
}

/// A role.
#[derive(Debug)]
pub(super) struct Role {
    name: String,
    pub(super) select: [Option<Permission>; 3],
    update: Option<Update>,
    /// The permissions to insert and delete notes.
    pub(super) notes: NotePermissions,
    /// The permission to insert players.
    pub(super) player_insert: Option<PlayerInsert>,
}

/// The roles of a test.
#[derive(Debug)]
pub(super) struct RandomRoles {
    pub(super) roles: Vec<Role>,
}

/// The name of a role that inherits from two others.
pub(super) fn inherited(number: usize) -> String {
    format!("both{number}")
}

/// A query, and the SQL that finds the same rows: their cells joined by a line.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) request: String,
    pub(super) sql: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Cells of columns, and of a relationship to one row.
    Flat {
        columns: Vec<&'static str>,
        one: Option<(&'static str, Vec<&'static str>)>,
    },
    /// A row for each related row.
    Nested {
        columns: Vec<&'static str>,
        many: &'static str,
        below: Vec<&'static str>,
    },
    Count,
}

/// A mutation of players.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) request: String,
    /// The condition on the changed rows.
    rows: String,
    check: String,
    level: i64,
    owner: Option<&'static str>,
}

impl Role {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Of the permission to update players: the filter, the check, and the preset owner.
    pub(super) fn update_of_players(&self) -> Option<(&str, &str, Option<&'static str>)> {
        let update = self.update.as_ref()?;
        let owner = update.sets_owner.then_some("ann");
        Some((&update.filter.sql, &update.check.sql, owner))
    }
}

impl RandomRoles {
    pub(super) fn new(random: &mut Random, count: usize) -> Self {
        // The roles read and update the same as without them.
        let (mut of_notes, mut of_inserts) = (Random::new(13), Random::new(31));
        let roles = (0..count).map(|number| Role {
            name: format!("role{number}"),
            select: std::array::from_fn(|table| {
                (random.below(5) > 0).then(|| permission(random, table))
            }),
            update: (random.below(3) > 0).then(|| Update {
                filter: condition(random, 1, 0, 2),
                check: condition(random, 1, 0, 1),
                sets_owner: random.below(3) == 0,
            }),
            notes: NotePermissions::new(&mut of_notes),
            player_insert: PlayerInsert::new(&mut of_inserts),
        });
        Self { roles: roles.collect() }
    }

    /// The metadata.
    pub(super) fn metadata(&self) -> Json {
        let tables = TABLES.iter().enumerate().map(|(place, table)| {
            let select = self.roles.iter().filter_map(|role| {
                let Permission { columns, filter, allows_aggregates, limit } =
                    role.select[place].as_ref()?;
                let mut permission = json!({
                    "columns": columns,
                    "filter": filter.json,
                    "allow_aggregations": allows_aggregates,
                });
                if let Some(limit) = limit {
                    permission["limit"] = json!(limit);
                }
                Some(json!({ "role": role.name, "permission": permission }))
            });
            let update = self.roles.iter().filter_map(|role| {
                let Update { filter, check, sets_owner } =
                    role.update.as_ref().filter(|_| place == 1)?;
                let mut permission = json!({
                    "columns": ["level", "rank"],
                    "filter": filter.json,
                    "check": check.json,
                });
                if *sets_owner {
                    permission["set"] = json!({ "owner": "X-Hasura-Owner" });
                }
                Some(json!({ "role": role.name, "permission": permission }))
            });
            let notes = self.roles.iter().filter(|_| place == 2);
            let insert = notes.clone().filter_map(|role| role.notes.insert(&role.name));
            let players = self.roles.iter().filter(|_| place == 1);
            let insert_players = players.filter_map(|role| {
                role.player_insert.as_ref().map(|own| own.permission(&role.name))
            });
            let delete = notes.filter_map(|role| role.notes.delete(&role.name));
            let relationships = |single: bool| -> Vec<Json> {
                let own = table.relationships.iter().filter(|one| one.4 == single);
                own.map(|(name, target, column, other, _)| {
                    let using = match single {
                        true => json!({ "foreign_key_constraint_on": column }),
                        false => json!({ "foreign_key_constraint_on": {
                            "table": TABLES[*target].name, "column": other,
                        } }),
                    };
                    json!({ "name": name, "using": using })
                })
                .collect()
            };
            json!({
                "table": table.name,
                "object_relationships": relationships(true),
                "array_relationships": relationships(false),
                "select_permissions": select.collect::<Vec<_>>(),
                "update_permissions": update.collect::<Vec<_>>(),
                "insert_permissions": insert.chain(insert_players).collect::<Vec<_>>(),
                "delete_permissions": delete.collect::<Vec<_>>(),
            })
        });
        let source = json!({
            "name": "default",
            "kind": "postgres",
            "configuration": { "connection_info": { "database_url": { "from_env": "X" } } },
            "tables": tables.collect::<Vec<_>>(),
        });
        let inherited = self.roles.chunks_exact(2).enumerate().map(|(number, parents)| {
            let parents: Vec<&str> = parents.iter().map(Role::name).collect();
            json!({ "role_name": inherited(number), "role_set": parents })
        });
        let inherited: Vec<Json> = inherited.collect();
        json!({ "version": 3, "sources": [source], "inherited_roles": inherited })
    }

    /// A random query of a role; `None` if it may not read the table.
    pub(super) fn question(
        &self,
        random: &mut Random,
        role: &Role,
        table: usize,
    ) -> Option<Question> {
        let own = role.select[table].as_ref()?;
        let Names { name, relationships } = Names::of(table);
        let (filter, wanted) = requested(random, role, table, "t0", 2);
        let rows = format!("({}) AND ({wanted})", own.filter.sql);
        let columns = own.columns.clone();
        let cells = |alias: &str, columns: &[&str]| -> String {
            let cells = columns
                .iter()
                .map(|column| format!("coalesce(CAST({alias}.{column} AS TEXT), 'null')"));
            cells.collect::<Vec<_>>().join(" || '|' || ")
        };
        if own.allows_aggregates && random.below(4) == 0 {
            let request =
                format!("{{ {name}_aggregate(where: {filter}) {{ aggregate {{ count }} }} }}");
            let sql = format!("SELECT CAST(count(*) AS TEXT) FROM {name} t0 WHERE {rows}");
            return Some(Question { request, sql, kind: Kind::Count });
        }
        // A page of a limited list has no order here that is known.
        if own.limit.is_some() {
            return None;
        }
        let related = *random.one_of(relationships);
        let (relation, target, column, other, is_one) = related;
        let below = role.select[target]
            .as_ref()
            .filter(|below| random.below(2) == 0 && below.limit.is_none());
        let Some(below) = below else {
            let list = columns.join(" ");
            let request = format!("{{ {name}(where: {filter}) {{ {list} }} }}");
            let sql = format!("SELECT {} FROM {name} t0 WHERE {rows}", cells("t0", &columns));
            return Some(Question { request, sql, kind: Kind::Flat { columns, one: None } });
        };
        let below_columns = below.columns.clone();
        let (list, below_list) = (columns.join(" "), below_columns.join(" "));
        let request =
            format!("{{ {name}(where: {filter}) {{ {list} {relation} {{ {below_list} }} }} }}");
        let visible = below.filter.sql.replace("t0.", "t9.");
        let target = TABLES[target].name;
        let join = format!("{target} t9 ON t9.{other} = t0.{column} AND ({visible})");
        let (own_cells, below_cells) = (cells("t0", &columns), cells("t9", &below_columns));
        let (sql, kind) = match is_one {
            true => (
                format!(
                    "SELECT {own_cells} || '>' || CASE WHEN t9.id IS NULL THEN 'none' ELSE \
                     {below_cells} END FROM {name} t0 LEFT JOIN {join} WHERE {rows}"
                ),
                Kind::Flat { columns, one: Some((relation, below_columns)) },
            ),
            false => (
                format!(
                    "SELECT {own_cells} || '>' || {below_cells} FROM {name} t0 JOIN {join} WHERE {rows}"
                ),
                Kind::Nested { columns, many: relation, below: below_columns },
            ),
        };
        Some(Question { request, sql, kind })
    }

    /// A random update of players by a role; `None` if it may not update any.
    pub(super) fn change(&self, random: &mut Random, role: &Role) -> Option<Change> {
        let update = role.update.as_ref()?;
        let (filter, wanted) = requested(random, role, 1, "t0", 1);
        let level = i64::try_from(random.below(8)).unwrap();
        let request = format!(
            "mutation {{ update_player(where: {filter}, _set: {{level: {level}}}) {{ affected_rows }} }}"
        );
        let rows = format!("({}) AND ({wanted})", update.filter.sql);
        let owner = update.sets_owner.then_some("ann");
        Some(Change { request, rows, check: update.check.sql.clone(), level, owner })
    }
}

impl Change {
    /// The players after the change; `None` if a row would not pass the check.
    pub(super) fn expected(&self, world: &World) -> Option<Dump> {
        let ids =
            world.rows(&format!("SELECT CAST(t0.id AS TEXT) FROM player t0 WHERE {}", self.rows));
        let list = if ids.is_empty() { "NULL".to_owned() } else { ids.join(",") };
        let owner = self.owner.map_or("owner".to_owned(), |owner| format!("'{owner}' AS owner"));
        let after = format!(
            "(SELECT id, team_id, name, {} AS level, rank, {owner} FROM player WHERE id IN ({list}))",
            self.level
        );
        let passing =
            world.rows(&format!("SELECT CAST(t0.id AS TEXT) FROM {after} t0 WHERE {}", self.check));
        if passing.len() != ids.len() {
            return None;
        }
        let mut dump = world.dump();
        for (id, cells) in &mut dump {
            if ids.contains(id) {
                cells[0] = self.level.to_string();
                if let Some(owner) = self.owner {
                    cells[1] = owner.to_owned();
                }
            }
        }
        Some(dump)
    }
}

impl Question {
    /// The rows of an answer, in the form of the rows of the SQL.
    pub(super) fn rows(&self, answer: &Json) -> Vec<String> {
        let data = answer["data"].as_object().unwrap_or_else(|| panic!("{self:#?} {answer}"));
        let list = data.values().next().unwrap();
        let mut rows = Vec::new();
        match &self.kind {
            Kind::Count => rows.push(cell(&list["aggregate"]["count"])),
            Kind::Flat { columns, one } => {
                for row in list.as_array().unwrap() {
                    let own = cells(row, columns);
                    rows.push(match one {
                        None => own,
                        Some((name, _)) if row[name].is_null() => format!("{own}>none"),
                        Some((name, below)) => format!("{own}>{}", cells(&row[name], below)),
                    });
                }
            }
            Kind::Nested { columns, many, below } => {
                for row in list.as_array().unwrap() {
                    let own = cells(row, columns);
                    for inner in row[many].as_array().unwrap() {
                        rows.push(format!("{own}>{}", cells(inner, below)));
                    }
                }
            }
        }
        rows.sort();
        rows
    }
}

struct Names {
    name: &'static str,
    relationships: &'static [(&'static str, usize, &'static str, &'static str, bool)],
}

impl Names {
    fn of(table: usize) -> Self {
        Self { name: TABLES[table].name, relationships: TABLES[table].relationships }
    }
}

pub(super) fn cells(row: &Json, columns: &[&str]) -> String {
    columns.iter().map(|column| cell(&row[column])).collect::<Vec<_>>().join("|")
}

pub(super) fn cell(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn permission(random: &mut Random, table: usize) -> Permission {
    let mut columns: Vec<&str> = TABLES[table].columns.iter().map(|(name, _)| *name).collect();
    columns.retain(|_| random.below(3) > 0);
    if columns.is_empty() {
        columns.push("id");
    }
    let filter = condition(random, table, 0, 3);
    let limit = (random.below(6) == 0).then(|| 2 + random.below(3));
    Permission { columns, filter, allows_aggregates: random.below(2) == 0, limit }
}

/// A condition of a permission on the rows `t<level>` of a table.
pub(super) fn condition(
    random: &mut Random,
    table: usize,
    level: usize,
    depth: usize,
) -> Condition {
    let alias = format!("t{level}");
    let Table { columns, relationships, .. } = &TABLES[table];
    let shape = if depth == 0 { random.below(4) } else { random.below(10) };
    let all = |random: &mut Random| -> Vec<Condition> {
        (0..random.below(3)).map(|_| condition(random, table, level, depth - 1)).collect()
    };
    let join = |all: &[Condition], word: &str, none: &str| match all {
        [] => none.to_owned(),
        all => all.iter().map(|one| format!("({})", one.sql)).collect::<Vec<_>>().join(word),
    };
    match shape {
        4 => {
            let all = all(random);
            let json: Vec<&Json> = all.iter().map(|one| &one.json).collect();
            Condition { json: json!({ "_and": json }), sql: join(&all, " AND ", "1=1") }
        }
        5 => {
            let all = all(random);
            let json: Vec<&Json> = all.iter().map(|one| &one.json).collect();
            Condition { json: json!({ "_or": json }), sql: join(&all, " OR ", "1=0") }
        }
        6 => {
            let one = condition(random, table, level, depth - 1);
            Condition { json: json!({ "_not": one.json }), sql: format!("NOT ({})", one.sql) }
        }
        7 | 8 => {
            let (name, target, column, other, _) = *random.one_of(relationships);
            let below = condition(random, target, level + 1, depth - 1);
            let (target, inner) = (TABLES[target].name, format!("t{}", level + 1));
            let sql = format!(
                "EXISTS (SELECT 1 FROM {target} {inner} WHERE {inner}.{other} = {alias}.{column} \
                 AND ({}))",
                below.sql
            );
            Condition { json: json!({ name: below.json }), sql }
        }
        9 => {
            // A row of another table that has a number of the row of the permission.
            let target = random.below(3);
            let number = numbers(random, target);
            let root = numbers(random, table);
            let inner = format!("t{}", level + 1);
            let target = TABLES[target].name;
            let (json_root, sql_root) = match level {
                0 => (json!(["$", root]), format!("t0.{root}")),
                // The row of the permission is of another table.
                _ => (json!([number]), format!("{inner}.{number}")),
            };
            let json = json!({ "_exists": {
                "_table": target,
                "_where": { number: { "_ceq": json_root } },
            } });
            let sql = format!(
                "EXISTS (SELECT 1 FROM {target} {inner} WHERE {inner}.{number} = {sql_root})"
            );
            Condition { json, sql }
        }
        0 => {
            let one = numbers(random, table);
            let other = numbers(random, table);
            let (operator, sql) = *random.one_of(&[("_ceq", "="), ("_cgt", ">"), ("_clte", "<=")]);
            let json = json!({ one: { operator: other } });
            Condition { json, sql: format!("{alias}.{one} {sql} {alias}.{other}") }
        }
        _ => {
            let (column, is_number) = *random.one_of(columns);
            let place = format!("{alias}.{column}");
            let (json, sql) = comparison(random, is_number, &place);
            Condition { json: json!({ column: json }), sql }
        }
    }
}

fn numbers(random: &mut Random, table: usize) -> &'static str {
    let numbers: Vec<&str> =
        TABLES[table].columns.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    numbers[random.below(numbers.len())]
}

/// A comparison of a column with a value.
fn comparison(random: &mut Random, is_number: bool, place: &str) -> (Json, String) {
    let number = random.below(7);
    let word = *random.one_of(&WORDS);
    match (random.below(8), is_number) {
        (0, _) => (json!({ "_is_null": true }), format!("{place} IS NULL")),
        (1, _) => (json!({ "_is_null": false }), format!("{place} IS NOT NULL")),
        (2, true) => (json!({ "_in": "X-Hasura-Ids" }), format!("{place} IN {}", SESSION[2].2)),
        (3, true) => (json!({ "_lt": "X-Hasura-Level" }), format!("{place} < {}", SESSION[1].2)),
        (4, true) => {
            (json!({ "_nin": [number, "X-Hasura-Level"] }), format!("{place} NOT IN ({number}, 4)"))
        }
        (5, true) => (json!({ "_neq": number.to_string() }), format!("{place} <> {number}")),
        (_, true) => (json!({ "_gte": number }), format!("{place} >= {number}")),
        (2, false) => (json!("X-Hasura-Owner"), format!("{place} = {}", SESSION[0].2)),
        (3, false) => (json!({ "_nlike": "%n%" }), format!("{place} NOT LIKE '%n%'")),
        (4, false) => {
            (json!({ "_in": [word, "X-Hasura-Owner"] }), format!("{place} IN ('{word}', 'ann')"))
        }
        (5, false) => (json!({ "_ilike": "%E" }), format!("lower({place}) LIKE '%e'")),
        (_, false) => (json!({ "_gt": word }), format!("{place} > '{word}'")),
    }
}

/// A condition of a request by what a role may read, and the same as SQL: with the filters of related
/// rows.
pub(super) fn requested(
    random: &mut Random,
    role: &Role,
    table: usize,
    alias: &str,
    depth: usize,
) -> (String, String) {
    let Some(own) = role.select[table].as_ref() else {
        return ("{}".to_owned(), "1=1".to_owned());
    };
    let choice = if depth == 0 { 0 } else { random.below(5) };
    match choice {
        1 => {
            let (one, one_sql) = requested(random, role, table, alias, depth - 1);
            (format!("{{_not: {one}}}"), format!("NOT ({one_sql})"))
        }
        2 => {
            let (one, one_sql) = requested(random, role, table, alias, depth - 1);
            let (other, other_sql) = requested(random, role, table, alias, depth - 1);
            (format!("{{_or: [{one}, {other}]}}"), format!("({one_sql}) OR ({other_sql})"))
        }
        3 | 4 => {
            let (name, target, column, other, _) = *random.one_of(TABLES[table].relationships);
            let Some(below) = role.select[target].as_ref() else {
                return requested(random, role, table, alias, 0);
            };
            let inner = format!("r{depth}{alias}");
            let (wanted, wanted_sql) = requested(random, role, target, &inner, depth - 1);
            let visible = below.filter.sql.replace("t0.", &format!("{inner}."));
            let target = TABLES[target].name;
            let sql = format!(
                "EXISTS (SELECT 1 FROM {target} {inner} WHERE {inner}.{other} = {alias}.{column} \
                 AND ({visible}) AND ({wanted_sql}))"
            );
            (format!("{{{name}: {wanted}}}"), sql)
        }
        _ => {
            let column = *random.one_of(&own.columns);
            let is_number = TABLES[table].columns.iter().any(|(name, is)| *name == column && *is);
            let (number, word) = (random.below(7), *random.one_of(&WORDS));
            match is_number {
                true => (
                    format!("{{{column}: {{_gt: {number}}}}}"),
                    format!("{alias}.{column} > {number}"),
                ),
                false => (
                    format!("{{{column}: {{_lte: \"{word}\"}}}}"),
                    format!("{alias}.{column} <= '{word}'"),
                ),
            }
        }
    }
}
