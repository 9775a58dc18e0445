//! Statements that define tables.

use expect_test::{Expect, expect};

use crate::flavor::Flavor;
use crate::print::{print_definition, print_table_rows};
use crate::tree::definition::{
    Action, ColumnDefinition, Condition, Constraint, CreateTable, DataType, Definition,
    DeleteAction, IndexDefinition, IndexMethod, InsertedRows, NumberKey, TableRows, Term, Tokens,
    Trigger, TriggerBody, TriggerEvent, WordForm, WordTable,
};
use crate::tree::{Identifier, TableName, VectorOperator};

fn name(name: &str) -> Identifier {
    Identifier(name.into())
}

fn table(schema: Option<&str>, own: &str) -> TableName {
    TableName { schema: schema.map(name), name: name(own) }
}

fn column(own: &str, data_type: DataType) -> ColumnDefinition {
    ColumnDefinition { name: name(own), data_type, is_required: false, key: None }
}

fn check(definition: &Definition, postgres: &Expect, sqlite: &Expect) {
    postgres.assert_eq(&print_definition(definition, &Flavor::POSTGRES));
    sqlite.assert_eq(&print_definition(definition, &Flavor::SQLITE));
}

#[test]
fn a_table_has_a_line_for_each_column_and_labels_are_escaped() {
    let key =
        ColumnDefinition { key: Some(NumberKey::Sequence), ..column("id", DataType::BigInteger) };
    let state = ColumnDefinition { is_required: true, ..column("st\"ate", DataType::Text) };
    let of_state = || Term::Column(name("st\"ate"));
    let definition = Definition::CreateTable(CreateTable {
        name: table(None, "post"),
        columns: vec![
            key,
            state,
            column("tags", DataType::Array(Box::new(DataType::Text))),
            column("place", DataType::Json),
            column("author", DataType::BigInteger),
        ],
        constraints: vec![
            Constraint::Unique { name: name("k"), columns: vec![name("author"), name("tags")] },
            Constraint::Check {
                name: name("c"),
                condition: Condition::OneOf(of_state(), vec!["it's".into(), "b".into()]),
            },
            Constraint::Reference {
                name: name("f"),
                columns: vec![name("author")],
                to: table(None, "author"),
                target_columns: vec![name("id")],
                on_delete: DeleteAction::SetNull,
                is_deferred: true,
            },
        ],
        is_clustered: false,
    });
    check(
        &definition,
        &expect![[r#"
        CREATE TABLE "post" (
          "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
          "st""ate" TEXT NOT NULL,
          "tags" TEXT[],
          "place" JSONB,
          "author" BIGINT,
          CONSTRAINT "k" UNIQUE ("author", "tags"),
          CONSTRAINT "c" CHECK ("st""ate" IN ('it''s', 'b')),
          CONSTRAINT "f" FOREIGN KEY ("author") REFERENCES "author" ("id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
        )"#]],
        &expect![[r#"
        CREATE TABLE "post" (
          "id" INTEGER PRIMARY KEY,
          "st""ate" TEXT NOT NULL,
          "tags" JSON,
          "place" JSON,
          "author" BIGINT,
          CONSTRAINT "k" UNIQUE ("author", "tags"),
          CONSTRAINT "c" CHECK ("st""ate" IN ('it''s', 'b')),
          CONSTRAINT "f" FOREIGN KEY ("author") REFERENCES "author" ("id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
        )"#]],
    );
    let pairs = Definition::CreateTable(CreateTable {
        name: table(None, "pairs"),
        columns: vec![column("a", DataType::BigInteger)],
        constraints: vec![Constraint::PrimaryKey(vec![name("a")])],
        is_clustered: true,
    });
    check(
        &pairs,
        &expect![[r#"
        CREATE TABLE "pairs" (
          "a" BIGINT,
          PRIMARY KEY ("a")
        )"#]],
        &expect![[r#"
        CREATE TABLE "pairs" (
          "a" BIGINT,
          PRIMARY KEY ("a")
        ) WITHOUT ROWID"#]],
    );
}

#[test]
fn indexes_are_those_of_each_database() {
    let on = |schema, method| {
        Definition::CreateIndex(IndexDefinition {
            name: name("i"),
            on: table(schema, "post"),
            columns: vec![name("title")],
            method,
        })
    };
    check(
        &on(None, IndexMethod::Tree),
        &expect![[r#"CREATE INDEX "i" ON "post" ("title")"#]],
        &expect![[r#"CREATE INDEX "i" ON "post" ("title")"#]],
    );
    check(
        &on(None, IndexMethod::Hash),
        &expect![[r#"CREATE INDEX "i" ON "post" USING hash ("title")"#]],
        &expect![[r#"CREATE INDEX "i" ON "post" ("title")"#]],
    );
    let only_postgres = [
        IndexMethod::Words(WordForm::Plain),
        IndexMethod::Words(WordForm::Stemmed),
        IndexMethod::Trigrams,
        IndexMethod::Elements,
        IndexMethod::Vectors {
            dimensions: 3,
            operator: VectorOperator::Cosine,
            construction: Some(200),
        },
    ];
    let printed = only_postgres
        .map(|method| print_definition(&on(Some("public"), method), &Flavor::POSTGRES));
    expect![[r#"
        CREATE INDEX "i" ON "public"."post" USING gin (thalweg.terms("title"))
        CREATE INDEX "i" ON "public"."post" USING gin (thalweg.stems("title"))
        CREATE INDEX "i" ON "public"."post" USING gin ("title" gin_trgm_ops)
        CREATE INDEX "i" ON "public"."post" USING gin ("title")
        CREATE INDEX "i" ON "public"."post" USING hnsw (("title"::vector(3)) vector_cosine_ops) WITH (ef_construction = 200) WHERE cardinality("title") = 3"#]]
    .assert_eq(&printed.join("\n"));
    let words = |tokens| {
        Definition::CreateWordTable(WordTable {
            name: table(None, "w"),
            content: name("it's"),
            key: name("id"),
            column: name("title"),
            tokens,
        })
    };
    let printed = [
        words(Tokens::Words(WordForm::Plain)),
        words(Tokens::Words(WordForm::Stemmed)),
        words(Tokens::Trigrams),
        Definition::FillWordTable(table(None, "w")),
    ];
    let printed = printed.map(|own| print_definition(&own, &Flavor::SQLITE));
    expect![[r#"
        CREATE VIRTUAL TABLE "w" USING fts5("title", content='it''s', content_rowid='id', tokenize='unicode61')
        CREATE VIRTUAL TABLE "w" USING fts5("title", content='it''s', content_rowid='id', tokenize='porter unicode61')
        CREATE VIRTUAL TABLE "w" USING fts5("title", content='it''s', content_rowid='id', tokenize='trigram')
        INSERT INTO "w"("w") VALUES ('rebuild')"#]].assert_eq(&printed.join("\n"));
}

#[test]
fn triggers_have_statements_or_a_function() {
    let insert = Action::Insert {
        into: table(None, "log"),
        columns: vec![name("id"), name("text")],
        rows: InsertedRows::One(vec![Term::New(name("id")), Term::Text("$thalweg$".into())]),
    };
    let delete = Action::Delete {
        from: table(None, "log"),
        filter: Some(Condition::Equal(Term::Column(name("id")), Term::Old(name("id")))),
    };
    let function = table(Some("thalweg"), "f");
    let definition =
        Definition::CreateFunction { name: function.clone(), body: vec![insert.clone(), delete] };
    expect![[r#"
        CREATE FUNCTION "thalweg"."f"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $_thalweg$
        BEGIN
          INSERT INTO "log" ("id", "text") VALUES (NEW."id", '$thalweg$');
          DELETE FROM "log" WHERE "id" = OLD."id";
          RETURN NULL;
        END
        $_thalweg$"#]].assert_eq(&print_definition(&definition, &Flavor::POSTGRES));
    let trigger = |event, body| {
        Definition::CreateTrigger(Trigger { name: name("t"), on: table(None, "post"), event, body })
    };
    let updated = || TriggerEvent::Update(vec![name("id"), name("title")]);
    let calls = trigger(updated(), TriggerBody::Function(function));
    expect![[r#"CREATE TRIGGER "t" AFTER UPDATE OF "id", "title" ON "post" FOR EACH ROW EXECUTE FUNCTION "thalweg"."f"()"#]].assert_eq(&print_definition(&calls, &Flavor::POSTGRES));
    let refuse = Action::Refuse {
        message: "it's no".into(),
        when: Condition::AtMost(Term::New(name("id")), Term::Number(0)),
    };
    let own = trigger(TriggerEvent::BeforeInsert, TriggerBody::Actions(vec![refuse, insert]));
    expect![[r#"
        CREATE TRIGGER "t" BEFORE INSERT ON "post" BEGIN
          SELECT RAISE(ABORT, 'it''s no') WHERE NEW."id" <= 0;
          INSERT INTO "log" ("id", "text") VALUES (NEW."id", '$thalweg$');
        END"#]]
    .assert_eq(&print_definition(&own, &Flavor::SQLITE));
    check(
        &Definition::DropTrigger { name: name("t"), on: table(None, "post") },
        &expect![[r#"DROP TRIGGER "t" ON "post""#]],
        &expect![[r#"DROP TRIGGER "t""#]],
    );
}

#[test]
fn values_take_new_forms() {
    let own = || Box::new(Term::Column(name("a")));
    let terms = vec![
        Term::Null(DataType::Json),
        Term::ListOf(own(), DataType::Text),
        Term::ListOf(own(), DataType::Boolean),
        Term::FirstElement(own()),
        Term::ListLength(own()),
        Term::When(Box::new(Condition::Within(Term::Column(name("a")), -1, 1)), own()),
        Term::Cast(own(), DataType::Double),
        Term::Surplus(name("a")),
        Term::OrElse(own(), Box::new(Term::Literal("1".into(), DataType::Integer))),
        Term::Literal("true".into(), DataType::Boolean),
        Term::Literal("2020-02-29T00:00:00Z".into(), DataType::TimestampWithZone),
        Term::Now,
    ];
    let rows = TableRows {
        distinct: false,
        terms,
        from: table(None, "t"),
        filter: Some(Condition::All(vec![
            Condition::IsNotNull(Term::Column(name("a"))),
            Condition::NotAmong(
                Term::Column(name("a")),
                Box::new(TableRows::of(Term::Column(name("b")), table(None, "u"), None)),
            ),
        ])),
    };
    expect![[r#"SELECT CAST(NULL AS JSONB), CASE WHEN "a" IS NOT NULL THEN ARRAY["a"] END, CASE WHEN "a" IS NOT NULL THEN ARRAY["a"] END, ("a")[1], cardinality("a"), CASE WHEN "a" BETWEEN -1 AND 1 THEN "a" END, CAST("a" AS DOUBLE PRECISION), count("a") - count(DISTINCT "a"), coalesce("a", CAST('1' AS INTEGER)), TRUE, CAST('2020-02-29T00:00:00Z' AS TIMESTAMPTZ), now() FROM "t" WHERE "a" IS NOT NULL AND "a" NOT IN (SELECT "b" FROM "u")"#]].assert_eq(&print_table_rows(&rows, &Flavor::POSTGRES));
    expect![[r#"SELECT CAST(NULL AS JSON), CASE WHEN "a" IS NOT NULL THEN json_array("a") END, CASE WHEN "a" THEN '[true]' WHEN NOT "a" THEN '[false]' END, json_extract("a", '$[0]'), json_array_length("a"), CASE WHEN "a" BETWEEN -1 AND 1 THEN "a" END, CAST("a" AS DOUBLE PRECISION), count("a") - count(DISTINCT "a"), coalesce("a", CAST('1' AS INTEGER)), TRUE, '2020-02-29T00:00:00Z', strftime('%Y-%m-%d %H:%M:%f', 'now') || '+00:00' FROM "t" WHERE "a" IS NOT NULL AND "a" NOT IN (SELECT "b" FROM "u")"#]].assert_eq(&print_table_rows(&rows, &Flavor::SQLITE));
}
