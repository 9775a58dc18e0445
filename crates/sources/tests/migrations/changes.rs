//! Changes of a model, one after the other, on a database with rows.

use storage::migration::{Finding, Loss, Obstacle};
use storage::model::{DefaultValue, EnumIndex, Field, FieldType, Index, Model};

use super::database::{TestDatabase, databases, run};
use super::model::{
    EndWords, FieldWords, bare, blog, entity, field, group, many, of, of_group, one, relation,
};

fn fields<'m>(model: &'m mut Model, entity: &str) -> &'m mut Vec<Field> {
    &mut model.entities.iter_mut().find(|own| &*own.name == entity).unwrap().fields
}

fn field_of<'m>(model: &'m mut Model, entity: &str, name: &str) -> &'m mut Field {
    fields(model, entity).iter_mut().find(|own| &*own.name == name).unwrap()
}

/// Applies a change, and compares what its checks find.
fn change(database: &TestDatabase, model: &Model, expected: &[(Finding, u64)]) {
    let planned = run(database.try_migrate(model)).unwrap();
    assert_eq!(planned.drift, []);
    let found: Vec<(Finding, u64)> =
        planned.found.into_iter().map(|found| (found.finding, found.rows)).collect();
    assert_eq!(found, expected);
    let again = run(database.plan(model));
    assert_eq!((again.drift, again.migration.steps), (Vec::new(), Vec::new()));
}

/// What prevents a change, which is not applied.
fn obstacles(database: &TestDatabase, model: &Model) -> Vec<(Obstacle, u64)> {
    let planned = run(database.plan(model));
    let found = planned.found.into_iter().filter_map(|found| match found.finding {
        Finding::Obstacle(obstacle) => Some((obstacle, found.rows)),
        Finding::Loss(_) => None,
    });
    found.collect()
}

fn at<T>(make: impl Fn(Box<str>, Box<str>) -> T, table: &str, column: &str) -> T {
    make(table.into(), column.into())
}

fn related(table: &str, column: &str) -> Finding {
    at(|table, column| Finding::Loss(Loss::Related { table, column }), table, column)
}

fn values(table: &str, column: &str) -> Finding {
    at(|table, column| Finding::Loss(Loss::Values { table, column }), table, column)
}

fn column(table: &str, column: &str) -> Finding {
    at(|table, column| Finding::Loss(Loss::Column { table, column }), table, column)
}

fn references(table: &str, column: &str) -> Finding {
    at(|table, column| Finding::Loss(Loss::References { table, column }), table, column)
}

/// Authors, posts and tags.
fn fill(database: &TestDatabase) {
    let links = match database {
        TestDatabase::Sqlite { .. } => ["'[\"a\",\"b\"]'", "'[\"c\"]'"],
        TestDatabase::Postgres { .. } => ["'{a,b}'", "'{c}'"],
    };
    let [first, second] = links;
    database.execute(&format!(
        "INSERT INTO \"Author\" (id, name) VALUES (1, 'Ann'), (2, 'Bob');
         INSERT INTO \"Post\" (id, title, body, score, state, links, author) VALUES
           (3, 'One', 'Rivers run', 3, 'DRAFT', {first}, 1),
           (4, 'Two', 'A river', 40000, 'PUBLISHED', {second}, 1),
           (5, 'Three', NULL, NULL, 'PUBLISHED', NULL, 2);
         INSERT INTO \"Tag\" (id, name) VALUES (6, 'water'), (7, 'land');
         INSERT INTO \"Post_tags\" (post, tags) VALUES (3, 6), (3, 7), (4, 6);"
    ));
}

/// A list as JSON.
fn list(database: &TestDatabase, column: &str) -> String {
    match database {
        TestDatabase::Sqlite { .. } => column.to_owned(),
        TestDatabase::Postgres { .. } => format!("to_json({column})"),
    }
}

/// Posts whose titles have a word, by the index of words.
fn words(database: &TestDatabase, word: &str) -> Vec<String> {
    match database {
        TestDatabase::Sqlite { .. } => {
            let words = "\"thalweg_Post_title_words\"";
            database.execute(&format!(
                "INSERT INTO {words} ({words}, rank) VALUES ('integrity-check', 1)"
            ));
            let word = word.replace('|', "OR");
            database.query(&format!("SELECT rowid FROM {words} WHERE {words} MATCH '{word}'"))
        }
        TestDatabase::Postgres { .. } => database.query(&format!(
            "SELECT id FROM \"Post\" WHERE thalweg.terms(title) && ARRAY['{}']",
            word.replace(" | ", "','")
        )),
    }
}

#[test]
fn many_changes_in_a_row_keep_the_rows() {
    for database in databases("changes") {
        let database = &database;
        let mut model = blog();
        change(database, &model, &[]);
        fill(database);
        // 1: a field, an index, a type with a reference.
        fields(&mut model, "Author").push(field("email", FieldType::Text));
        field_of(&mut model, "Author", "name").indexes = vec![Index::Terms];
        model.entities.push(entity("Comment", vec![field("text", FieldType::Text)]));
        model.relations.push(relation(one(of(3), "post"), bare(of(1))));
        change(database, &model, &[]);
        database.execute("INSERT INTO \"Comment\" (id, text, post) VALUES (8, 'Good', 4)");
        assert_eq!(words(database, "rivers | one"), ["3"]);
        // 2: a field becomes unique and required, once each row has a value of its own.
        field_of(&mut model, "Author", "email").is_required = true;
        let null = at(|table, column| Obstacle::Null { table, column }, "Author", "email");
        assert_eq!(obstacles(database, &model), [(null, 2)]);
        database.execute("UPDATE \"Author\" SET email = 'same'");
        field_of(&mut model, "Author", "email").is_unique = true;
        let duplicate =
            at(|table, column| Obstacle::Duplicate { table, column }, "Author", "email");
        assert_eq!(obstacles(database, &model), [(duplicate, 1)]);
        database.execute("UPDATE \"Author\" SET email = name");
        change(database, &model, &[]);
        assert!(database.fails("INSERT INTO \"Author\" (id, name, email) VALUES (9, 'C', 'Ann')"));
        // 3: a new required field has no values.
        fields(&mut model, "Tag").push(field("color", FieldType::Text).required());
        let none = at(|table, column| Obstacle::NoValue { table, column }, "Tag", "color");
        assert_eq!(obstacles(database, &model), [(none, 2)]);
        field_of(&mut model, "Tag", "color").default = Some(DefaultValue::Text("it's".into()));
        fields(&mut model, "Tag").push(field("seen", FieldType::DateTime).required());
        field_of(&mut model, "Tag", "seen").default = Some(DefaultValue::Now);
        field_of(&mut model, "Post", "body").is_required = true;
        field_of(&mut model, "Post", "body").default = Some(DefaultValue::Text("none".into()));
        change(database, &model, &[]);
        assert_eq!(
            database.query("SELECT color, count(seen) FROM \"Tag\" GROUP BY color"),
            ["it's|2"]
        );
        assert_eq!(database.query("SELECT body FROM \"Post\" WHERE id = 5"), ["none"]);
        database.execute("UPDATE \"Post\" SET body = 'A ' || id WHERE id = 5");
        // 4: types become wider.
        field_of(&mut model, "Post", "score").r#type = FieldType::Int64;
        change(database, &model, &[]);
        field_of(&mut model, "Post", "score").r#type = FieldType::Text;
        change(database, &model, &[]);
        assert_eq!(
            database.query("SELECT score FROM \"Post\" ORDER BY id"),
            ["3", "40000", "null"]
        );
        // 5: a value becomes a list, and a list a value.
        *field_of(&mut model, "Post", "body") = field("body", FieldType::Text).list();
        field_of(&mut model, "Post", "links").is_list = false;
        let elements = Loss::Elements { table: "Post".into(), column: "links".into() };
        change(database, &model, &[(Finding::Loss(elements), 1)]);
        let body = list(database, "body");
        assert_eq!(
            database.query(&format!("SELECT {body}, links FROM \"Post\" ORDER BY id")),
            ["[\"Rivers run\"]|a", "[\"A river\"]|c", "[\"A 5\"]|null"]
        );
        // 6: labels come and go.
        model.enums[0].labels.push("ARCHIVED".into());
        change(database, &model, &[]);
        database.execute("UPDATE \"Post\" SET state = 'ARCHIVED' WHERE id = 5");
        field_of(&mut model, "Post", "state").is_required = false;
        model.enums[0].labels.remove(0);
        change(database, &model, &[(values("Post", "state"), 1)]);
        assert_eq!(
            database.query("SELECT state FROM \"Post\" ORDER BY id"),
            ["null", "PUBLISHED", "ARCHIVED"]
        );
        // 7: tags become those of one post, and then those of many again.
        let tags = model.relations[1].clone();
        model.relations[1] = relation(many(of(1), "tags"), one(of(2), "posts"));
        change(database, &model, &[(related("Tag", "posts"), 1)]);
        assert_eq!(database.query("SELECT posts FROM \"Tag\" ORDER BY id"), ["3", "3"]);
        model.relations[1] = tags;
        change(database, &model, &[]);
        assert_eq!(
            database.query("SELECT post, tags FROM \"Post_tags\" ORDER BY tags"),
            ["3|6", "3|7"]
        );
        // 8: the list of an author's posts goes, and comes back.
        let posts = model.relations[0].clone();
        model.relations[0] = relation(one(of(1), "author").needed(), bare(of(0)));
        change(database, &model, &[]);
        model.relations[0] = posts;
        change(database, &model, &[]);
        assert_eq!(database.query("SELECT author FROM \"Post\" ORDER BY id"), ["1", "1", "2"]);
        // Tags of another type: the pairs go.
        let before = model.clone();
        model.relations[1] = relation(many(of(1), "tags"), bare(of(0)));
        let planned = run(database.plan(&model));
        let found: Vec<(Finding, u64)> =
            planned.found.into_iter().map(|found| (found.finding, found.rows)).collect();
        assert_eq!(found, [(references("Post_tags", "tags"), 2)]);
        model = before;
        // 9: posts and comments become an interface's, to which comments refer.
        model.groups.push(group("Content", &[1, 3], &[]));
        model.relations[2] = relation(one(of(3), "post"), bare(of_group(0)));
        change(database, &model, &[]);
        assert_eq!(
            database.query("SELECT id, type FROM \"Content\" ORDER BY id"),
            ["3|Post", "4|Post", "5|Post", "8|Comment"]
        );
        database.execute("INSERT INTO \"Comment\" (id, text, post) VALUES (10, 'Yes', 8)");
        // 10: comments leave it.
        model.groups[0].members.remove(1);
        change(database, &model, &[(references("Comment", "post"), 1)]);
        assert_eq!(database.query("SELECT post FROM \"Comment\" ORDER BY id"), ["4", "null"]);
        // 11: comments refer to posts again.
        model.groups.clear();
        model.relations[2] = relation(one(of(3), "post"), bare(of(1)));
        change(database, &model, &[]);
        assert_eq!(database.query("SELECT post FROM \"Comment\" ORDER BY id"), ["4", "null"]);
        // 12: a field and a type go.
        fields(&mut model, "Post").retain(|own| &*own.name != "score");
        model.entities.pop();
        model.relations.pop();
        let table = Finding::Loss(Loss::Table("Comment".into()));
        change(database, &model, &[(column("Post", "score"), 2), (table, 2)]);
        // 13: a text becomes a label.
        field_of(&mut model, "Tag", "name").r#type = FieldType::Enum(EnumIndex(0));
        change(database, &model, &[(values("Tag", "name"), 2)]);
        assert_eq!(database.query("SELECT count(*), count(name) FROM \"Tag\""), ["2|0"]);
        assert_eq!(words(database, "three"), ["5"]);
        database.execute("UPDATE \"Post\" SET title = 'Four' WHERE id = 5");
        assert_eq!(words(database, "four"), ["5"]);
        // References still lead from row to row.
        database.execute("DELETE FROM \"Post\" WHERE id = 3");
        assert_eq!(database.query("SELECT count(*) FROM \"Post_tags\""), ["0"]);
    }
}

#[test]
fn texts_and_numbers_become_numbers_where_they_fit() {
    for database in databases("numbers") {
        let database = &database;
        let mut model = blog();
        fields(&mut model, "Post").push(field("mark", FieldType::Text));
        change(database, &model, &[]);
        fill(database);
        let mark = |r#type: FieldType, model: &mut Model| {
            field_of(model, "Post", "mark").r#type = r#type;
        };
        let set = |values: [&str; 3]| {
            for (id, value) in (3..).zip(values) {
                database.execute(&format!("UPDATE \"Post\" SET mark = {value} WHERE id = {id}"));
            }
        };
        let marks =
            |term: &str| database.query(&format!("SELECT {term} FROM \"Post\" ORDER BY id"));
        let lost = |rows| [(values("Post", "mark"), rows)];
        set(["'7'", "'-0.50'", "'7b'"]);
        mark(FieldType::Float64, &mut model);
        change(database, &model, &lost(1));
        assert_eq!(marks("CAST(mark * 10 AS INTEGER)"), ["70", "-5", "null"]);
        mark(FieldType::Int32, &mut model);
        change(database, &model, &lost(1));
        assert_eq!(marks("mark"), ["7", "null", "null"]);
        mark(FieldType::Text, &mut model);
        change(database, &model, &[]);
        set(["'2147483648'", "'07'", "NULL"]);
        mark(FieldType::Int32, &mut model);
        let planned = run(database.plan(&model));
        assert_eq!(planned.found.iter().map(|found| found.rows).collect::<Vec<_>>(), [2]);
        mark(FieldType::Int64, &mut model);
        change(database, &model, &lost(1));
        assert_eq!(marks("mark"), ["2147483648", "null", "null"]);
        mark(FieldType::Text, &mut model);
        change(database, &model, &[]);
        set(["'-9223372036854775808'", "'9223372036854775808'", "'9223372036854775807'"]);
        mark(FieldType::Int64, &mut model);
        change(database, &model, &lost(1));
        assert_eq!(marks("mark"), ["-9223372036854775808", "null", "9223372036854775807"]);
        mark(FieldType::Text, &mut model);
        change(database, &model, &[]);
        // The last one is rounded.
        set(["'123456789012345'", "'0.30000000000000004'", "'12345678901234567890'"]);
        mark(FieldType::Float64, &mut model);
        change(database, &model, &lost(1));
        assert_eq!(marks("CAST(mark > 1 AS INTEGER)"), ["1", "0", "1"]);
    }
}
