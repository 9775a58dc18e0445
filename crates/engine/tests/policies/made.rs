//! Policies that are made up, and the SQL that leaves of the league what they let.

use std::fmt::Write;

use serde_json_bytes::{Value as Json, json};

use crate::choices::Choices;

/// A table of the league: the fields that tell its rows, and those that may be hidden.
struct Table {
    name: &'static str,
    key: &'static [&'static str],
    columns: &'static [&'static str],
    hidden: &'static [&'static str],
    /// Conditions as a policy says them, and as SQL does.
    conditions: &'static [(&'static str, &'static str)],
}

const TABLES: [Table; 8] = [
    Table {
        name: "team",
        key: &["id"],
        columns: &["id", "name", "city"],
        hidden: &["city"],
        conditions: &[
            ("city = { eq = \"Ulm\" }", "city = 'Ulm'"),
            ("id = { eq = { claim = \"number\" } }", "id = 2"),
            (
                "some = { player = { rating = { gt = 2 } } }",
                "EXISTS (SELECT 1 FROM player p WHERE p.team_id = team.id AND p.rating > 2)",
            ),
            (
                "none = { player = { rating = { lt = 3 } } }",
                "NOT EXISTS (SELECT 1 FROM player p WHERE p.team_id = team.id AND p.rating < 3)",
            ),
            (
                "every = { player = { born = { is_null = false } } }",
                "NOT EXISTS (SELECT 1 FROM player p WHERE p.team_id = team.id AND p.born IS NULL)",
            ),
        ],
    },
    Table {
        name: "player",
        key: &["id"],
        columns: &["id", "team_id", "name", "born", "rating"],
        hidden: &["born", "rating"],
        conditions: &[
            ("rating = { ge = 0 }", "rating >= 0"),
            ("not = { rating = { ge = 0 } }", "NOT rating >= 0"),
            ("name = { starts_with = \"D\" }", "name LIKE 'D%'"),
            ("team_id = { in = { claim = \"list\" } }", "team_id IN (1, 3)"),
            (
                "any = [{ team_id = { is_null = true } }, { team_id = { eq = 1 } }]",
                "team_id IS NULL OR team_id = 1",
            ),
            (
                "some = { team = { city = { eq = \"Ulm\" } } }",
                "EXISTS (SELECT 1 FROM team t WHERE t.id = player.team_id AND t.city = 'Ulm')",
            ),
            ("id = { eq = { claim = \"missing\" } }", "FALSE"),
            ("any = [{ id = { eq = { claim = \"missing\" } } }, { id = { le = 4 } }]", "id <= 4"),
            ("not = { id = { eq = { claim = \"missing\" } } }", "FALSE"),
        ],
    },
    Table {
        name: "game",
        key: &["id"],
        columns: &["id", "played_at"],
        hidden: &[],
        conditions: &[
            ("id = { ne = { claim = \"number\" } }", "id <> 2"),
            ("id = { in = [1, 3] }", "id IN (1, 3)"),
        ],
    },
    Table {
        name: "score",
        key: &["id"],
        columns: &[
            "id",
            "player_id",
            "game_id",
            "points",
            "distance",
            "fee",
            "pace",
            "won",
            "note",
            "moment",
        ],
        hidden: &["points", "distance", "fee", "pace", "won", "note", "moment"],
        conditions: &[
            ("won = { eq = true }", "won"),
            ("points = { gt = 0 }", "points > 0"),
            ("note = { eq = \"a\" }", "note = 'a'"),
            (
                "some = { player = { rating = { eq = 7 } } }",
                "EXISTS (SELECT 1 FROM player p WHERE p.id = score.player_id AND p.rating = 7)",
            ),
        ],
    },
    Table {
        name: "skill",
        key: &["id"],
        columns: &["id", "name"],
        hidden: &[],
        conditions: &[("name = { contains = \"n\" }", "name LIKE '%n%'")],
    },
    Table {
        name: "player_skill",
        key: &["player_id", "skill_id"],
        columns: &["player_id", "skill_id", "level"],
        hidden: &["level"],
        conditions: &[
            ("level = { ge = 3 }", "level >= 3"),
            ("player_id = { lt = 5 }", "player_id < 5"),
        ],
    },
    Table {
        name: "award",
        key: &["id"],
        columns: &["id", "player_id", "game_id", "title"],
        hidden: &[],
        conditions: &[("title = { ends_with = \"st\" }", "title LIKE '%st'")],
    },
    Table {
        name: "player_follow",
        key: &["follower_id", "followed_id"],
        columns: &["follower_id", "followed_id", "since"],
        hidden: &["since"],
        conditions: &[("since = { is_null = false }", "since IS NOT NULL")],
    },
];

/// What is let of one table: its rows, and rows of which more is let.
struct Let {
    table: &'static Table,
    rows: Option<(&'static str, &'static str)>,
    /// The fields that only some rows show, and which rows.
    hidden: Option<(Vec<&'static str>, (&'static str, &'static str))>,
}

/// A policy that was made up.
pub(crate) struct Made(Vec<Let>);

impl Made {
    pub(crate) fn new(choices: &mut Choices<'_>) -> Self {
        let made = TABLES.iter().map(|table| {
            let rows = choices.percent(70).then(|| choices.pick(table.conditions));
            let hides = !table.hidden.is_empty() && choices.percent(60);
            let hidden = hides.then(|| {
                let mut fields: Vec<&str> =
                    table.hidden.iter().copied().filter(|_| choices.percent(50)).collect();
                if fields.is_empty() {
                    fields.push(table.hidden[0]);
                }
                (fields, choices.pick(table.conditions))
            });
            Let { table, rows, hidden }
        });
        Self(made.collect())
    }

    pub(crate) fn claims(&self) -> Json {
        json!({ "role": "made", "number": 2, "list": [1, 3] })
    }

    /// The text of the policy file. What shows more is a rule of its own, which another role has.
    pub(crate) fn policies(&self) -> String {
        let mut text = String::new();
        let (mut rules, mut more) = (Vec::new(), Vec::new());
        let quoted = |columns: &[&str]| format!("[\"{}\"]", columns.join("\", \""));
        for Let { table, rows, hidden } in &self.0 {
            let name = table.name;
            let hides = |column: &str| hidden.iter().any(|(fields, _)| fields.contains(&column));
            let columns: Vec<&str> =
                table.columns.iter().copied().filter(|column| !hides(column)).collect();
            let rows = rows.map_or("", |(condition, _)| condition);
            let _ = writeln!(text, "[rules.{name}]\nentity = \"{name}\"");
            let _ =
                writeln!(text, "read = {{ rows = {{ {rows} }}, columns = {} }}", quoted(&columns));
            rules.push(name.to_owned());
            if let Some((_, (condition, _))) = hidden {
                let _ = writeln!(text, "[rules.more_{name}]\nentity = \"{name}\"");
                let _ = writeln!(text, "read = {{ rows = {{ {condition} }}, columns = \"*\" }}");
                more.push(format!("more_{name}"));
            }
        }
        let names = |names: &[String]| format!("[\"{}\"]", names.join("\", \""));
        let _ = writeln!(text, "[roles.basic]\nrules = {}", names(&rules));
        let more = if more.is_empty() { "[]".to_owned() } else { names(&more) };
        let _ = writeln!(text, "[roles.made]\ninherits = [\"basic\"]\nrules = {more}");
        text
    }

    /// What leaves only what may be seen. Conditions look at everything, so all of them are
    /// evaluated before anything is changed.
    pub(crate) fn sql(&self) -> String {
        let (mut before, mut after) = (String::new(), String::new());
        for Let { table, rows, hidden } in &self.0 {
            let (name, key) = (table.name, table.key.join(", "));
            let own = rows.map_or("TRUE", |(_, condition)| condition);
            let more = hidden.as_ref().map_or("FALSE", |(_, (_, condition))| condition);
            let _ = writeln!(
                before,
                "CREATE TABLE kept_{name} AS SELECT {key} FROM {name} WHERE ({own}) OR ({more});"
            );
            let _ = writeln!(
                before,
                "CREATE TABLE more_{name} AS SELECT {key} FROM {name} WHERE {more};"
            );
            let same = |other: &str| {
                let same = table.key.iter().map(|key| format!("o.{key} = {name}.{key}"));
                format!(
                    "EXISTS (SELECT 1 FROM {other} o WHERE {})",
                    same.collect::<Vec<_>>().join(" AND ")
                )
            };
            let _ =
                writeln!(after, "DELETE FROM {name} WHERE NOT {};", same(&format!("kept_{name}")));
            if let Some((fields, _)) = hidden {
                let nulls: Vec<String> =
                    fields.iter().map(|field| format!("{field} = NULL")).collect();
                let shown = same(&format!("more_{name}"));
                let _ =
                    writeln!(after, "UPDATE {name} SET {} WHERE NOT {shown};", nulls.join(", "));
            }
            let _ = writeln!(after, "DROP TABLE kept_{name}; DROP TABLE more_{name};");
        }
        before + &after
    }
}
