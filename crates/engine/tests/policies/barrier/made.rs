//! Policies that are made up, and databases that agree in what they let be seen.

use std::fmt::Write;

use super::watched;
use crate::choices::Choices;
use crate::policies::places::Place;

/// What hidden rows hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Quiet,
    /// Values on which functions and casts fail, and more hidden rows.
    Loud,
}

/// Which rows of each table may be seen: as a policy says it, and as SQL does.
pub(super) struct Policy {
    author: Rows,
    post: Rows,
    tag: Rows,
    tagged: Rows,
    /// Posts of which everything but the body is seen, beside the others.
    masked: bool,
    /// How PostgreSQL may not join.
    planning: &'static str,
}

type Rows = (&'static str, &'static str);

const ALL: Rows = ("{}", "true");

const AUTHORS: [Rows; 5] = [
    ("{ team = { eq = { claim = \"team\" } } }", "author.team = 1"),
    (
        "{ some = { post = { shown = { eq = 1 } } } }",
        "EXISTS (SELECT 1 FROM post p WHERE p.author_id = author.id AND p.shown = 1)",
    ),
    (
        "{ any = [{ team = { eq = { claim = \"team\" } } }, { some = { post = { shown = { eq = 2 } } } }] }",
        "author.team = 1 OR EXISTS (SELECT 1 FROM post p WHERE p.author_id = author.id AND p.shown = 2)",
    ),
    (
        "{ none = { post = { shown = { eq = 0 } } } }",
        "NOT EXISTS (SELECT 1 FROM post p WHERE p.author_id = author.id AND p.shown = 0)",
    ),
    ALL,
];

const POSTS: [Rows; 4] = [
    ("{ shown = { eq = 1 } }", "post.shown = 1"),
    (
        "{ some = { author = { team = { eq = { claim = \"team\" } } } } }",
        "EXISTS (SELECT 1 FROM author a WHERE a.id = post.author_id AND a.team = 1)",
    ),
    (
        "{ shown = { ne = 0 }, none = { tagged = { shown = { eq = 0 } } } }",
        "post.shown <> 0 AND NOT EXISTS (SELECT 1 FROM tagged t WHERE t.post_id = post.id AND t.shown = 0)",
    ),
    ("{ shown = { in = [1, 2] } }", "post.shown IN (1, 2)"),
];

const TAGS: [Rows; 2] = [("{ open = { eq = 1 } }", "tag.open = 1"), ALL];

const TAGGED: [Rows; 3] = [
    ("{ shown = { eq = 1 } }", "tagged.shown = 1"),
    (
        "{ some = { post = { shown = { eq = 1 } } } }",
        "EXISTS (SELECT 1 FROM post p WHERE p.id = tagged.post_id AND p.shown = 1)",
    ),
    ALL,
];

const PLANNING: [&str; 4] = ["", "enable_hashjoin", "enable_nestloop", "enable_seqscan"];

impl Policy {
    pub(super) fn made(number: usize, choices: &mut Choices<'_>) -> Self {
        Self {
            // Each comes at least once.
            author: AUTHORS[number % AUTHORS.len()],
            post: POSTS[number % POSTS.len()],
            tag: choices.pick(&TAGS),
            tagged: choices.pick(&TAGGED),
            masked: choices.percent(40),
            planning: choices.pick(&PLANNING),
        }
    }

    pub(super) fn plain() -> Self {
        let [(author, post), tag] = [(AUTHORS[0], POSTS[0]), (TAGS[0], ALL)];
        Self { author, post, tag: tag.0, tagged: TAGGED[0], masked: false, planning: "" }
    }

    /// The policy file.
    pub(super) fn text(&self, place: &Place) -> String {
        let mut text = String::new();
        let mut rule = |name: &str, entity: &str, rows: &str, columns: &str, writes: bool| {
            let _ = writeln!(text, "[rules.{name}]\nentity = \"{entity}\"");
            let _ = writeln!(text, "read = {{ rows = {rows}, columns = {columns} }}");
            if writes {
                let _ = writeln!(
                    text,
                    "update = {{ rows = {rows}, columns = [\"digits\"], check = {{}} }}"
                );
                let _ = writeln!(text, "delete = {{ rows = {rows} }}");
            }
        };
        rule("authors", "author", self.author.0, "\"*\"", false);
        rule("posts", "post", self.post.0, "\"*\"", true);
        rule("tags", "tag", self.tag.0, "\"*\"", false);
        rule("tagging", "tagged", self.tagged.0, "\"*\"", false);
        let mut rules = "\"authors\", \"posts\", \"tags\", \"tagging\"".to_owned();
        if let Place::Postgres(_) = place {
            // Nothing of it is seen, and each of its titles is computed.
            rule("shouts", "shout", "{ shown = { gt = 5 } }", "\"*\"", false);
            rules.push_str(", \"shouts\"");
        }
        if self.masked {
            let columns =
                "[\"id\", \"author_id\", \"shown\", \"title\", \"data\", \"rating\", \"digits\"]";
            rule("masked", "post", "{ shown = { eq = 2 } }", columns, false);
            rules.push_str(", \"masked\"");
        }
        let _ = writeln!(text, "[roles.member]\nrules = [{rules}]\nfunctions = \"*\"");
        text
    }

    /// A database whose hidden rows are those of a variant.
    pub(super) fn sql(&self, place: &Place, variant: Variant) -> String {
        let mut sql = tables(place);
        for id in 1..=12 {
            let _ = writeln!(
                sql,
                "INSERT INTO author (id, team, {name}, {note}) VALUES ({id}, {}, 'name{id}', 'note{}');",
                id % 3,
                id % 4,
                name = raw(place, "name"),
                note = raw(place, "note"),
            );
        }
        for id in 1..=36 {
            let _ = writeln!(
                sql,
                "INSERT INTO post (id, author_id, shown, {title}, {body}, data, rating, digits) VALUES \
                 ({id}, {}, {}, 'title{}', 'body{id}', '{{\"key\": {id}}}', {}, '{id}');",
                id % 12 + 1,
                id % 3,
                id % 5,
                id % 7 + 1,
                title = raw(place, "title"),
                body = raw(place, "body"),
            );
        }
        for id in 1..=6 {
            let word = raw(place, "word");
            let open = id % 2;
            let _ = writeln!(
                sql,
                "INSERT INTO tag (id, open, {word}) VALUES ({id}, {open}, 'word{id}');"
            );
        }
        for id in 1..=40 {
            let (post, tag) = (id * 7 % 36 + 1, id % 6 + 1);
            let shown = usize::from(id % 5 != 0);
            let _ = writeln!(
                sql,
                "INSERT INTO tagged (post_id, tag_id, shown) VALUES ({post}, {tag}, {shown}) ON CONFLICT DO NOTHING;",
            );
        }
        self.hide(place, variant, &mut sql);
        if let (Place::Postgres(_), false) = (place, self.planning.is_empty()) {
            let set = "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET ";
            let _ = writeln!(sql, "{set}{} = off'; END $$;", self.planning);
        }
        sql
    }

    /// Writes into what may not be seen.
    fn hide(&self, place: &Place, variant: Variant, sql: &mut String) {
        let seen_posts = match self.masked {
            true => format!("({} OR post.shown = 2)", self.post.1),
            false => format!("({})", self.post.1),
        };
        let word = if variant == Variant::Loud { "LOUD" } else { "QUIET" };
        // What is hidden is decided before anything of it is changed.
        let kept = [
            ("author", format!("({})", self.author.1)),
            ("post", seen_posts),
            ("tag", format!("({})", self.tag.1)),
        ];
        for (table, seen) in &kept {
            let _ = writeln!(
                sql,
                "CREATE TABLE hidden_{table} AS SELECT id FROM {table} WHERE NOT {seen};"
            );
        }
        let _ = writeln!(
            sql,
            "CREATE TABLE hidden_body AS SELECT id FROM post WHERE NOT ({});",
            self.post.1
        );
        let mut write = |table: &str, columns: &[&str]| {
            let sets: Vec<String> = columns
                .iter()
                .map(|column| format!("{} = '{word}' || id", raw(place, column)))
                .collect();
            let _ = writeln!(
                sql,
                "UPDATE {table} SET {} WHERE id IN (SELECT id FROM hidden_{table});",
                sets.join(", ")
            );
        };
        write("author", &["name", "note"]);
        write("tag", &["word"]);
        write("post", &["title"]);
        let body = raw(place, "body");
        let _ = writeln!(
            sql,
            "UPDATE post SET {body} = '{word}' || id WHERE id IN (SELECT id FROM hidden_body);"
        );
        if variant == Variant::Loud {
            let loud = "rating = 0, digits = 'none', data = '{\"key\": \"LOUD\"}'";
            let _ =
                writeln!(sql, "UPDATE post SET {loud} WHERE id IN (SELECT id FROM hidden_post);");
            // They refer to others, where nobody sees those by them.
            if !self.author.0.contains("post") && !self.post.0.contains("author") {
                let _ = writeln!(
                    sql,
                    "UPDATE post SET author_id = author_id % 12 + 1 WHERE id IN (SELECT id FROM hidden_post);"
                );
            }
            // More of them, as long as nobody sees them or anything else by them.
            let (name, note, title) = (raw(place, "name"), raw(place, "note"), raw(place, "title"));
            let _ = writeln!(
                sql,
                "INSERT INTO author (id, team, {name}, {note}) SELECT id + 100, team, {name}, {note} \
                 FROM author WHERE id IN (SELECT id FROM hidden_author);
                 DELETE FROM author WHERE id > 100 AND ({});
                 INSERT INTO post (id, author_id, shown, {title}, {body}, data, rating, digits) \
                 SELECT id + 100, author_id, shown, {title}, {body}, data, rating, digits \
                 FROM post WHERE id IN (SELECT id FROM hidden_post) AND shown <> 1 AND shown <> 2;
                 DELETE FROM post WHERE id > 100 AND {};",
                self.author.1, kept[1].1
            );
        }
        for table in ["author", "post", "tag", "body"] {
            let _ = writeln!(sql, "DROP TABLE hidden_{table};");
        }
    }
}

/// The column that is written, for one that SQLite computes of it.
fn raw(place: &Place, column: &str) -> String {
    match place {
        Place::Sqlite => format!("{column}_raw"),
        Place::Postgres(_) => column.to_owned(),
    }
}

fn tables(place: &Place) -> String {
    let column = |name: &str| match place {
        Place::Sqlite => format!(
            "{name}_raw text NOT NULL, {name} text NOT NULL GENERATED ALWAYS AS (watched({name}_raw)) VIRTUAL"
        ),
        Place::Postgres(_) => format!("{name} text NOT NULL"),
    };
    let (json, before) = match place {
        Place::Sqlite => ("json", ""),
        Place::Postgres(_) => (
            "jsonb",
            "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() \
             || ' SET search_path = public, pg_catalog'; END $$;",
        ),
    };
    let mut sql = format!(
        "{before}
         CREATE TABLE author (id int PRIMARY KEY, team int NOT NULL, {}, {});
         CREATE TABLE post (id int PRIMARY KEY, author_id int NOT NULL REFERENCES author,
            shown int NOT NULL, {}, {}, data {json} NOT NULL, rating int NOT NULL, digits text NOT NULL);
         CREATE TABLE tag (id int PRIMARY KEY, open int NOT NULL, {});
         CREATE TABLE tagged (post_id int NOT NULL REFERENCES post ON DELETE CASCADE,
            tag_id int NOT NULL REFERENCES tag, shown int NOT NULL, PRIMARY KEY (post_id, tag_id));
         CREATE INDEX post_author ON post (author_id);
         CREATE INDEX post_rating ON post (rating);
         CREATE INDEX tagged_tag ON tagged (tag_id);\n",
        column("name"),
        column("note"),
        column("title"),
        column("body"),
        column("word"),
    );
    if let Place::Postgres(_) = place {
        sql.push_str(watched::POSTGRES);
    }
    sql
}
