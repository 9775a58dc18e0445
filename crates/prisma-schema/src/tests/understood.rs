//! What is read.

use super::schema;
use crate::model::{
    Arity, ColumnType, Constant, DefaultValue, FieldIndex, ModelKind, Provider, Relation,
    RelationMode,
};
use crate::{File, read};

/// A schema with each attribute and each function.
const EVERYTHING: &str = r#"
// A comment.
datasource store {
  provider          = "postgresql" // where
  url               = env("DATABASE_URL")
  directUrl         = env("DIRECT_URL")
  shadowDatabaseUrl = env("SHADOW")
  relationMode      = "prisma"
  schemas           = ["public", "auth"]
  extensions        = [pgcrypto(map: "pg_crypto", version: "1"), uuid_ossp]
}

generator client {
  provider        = "prisma-client-js"
  previewFeatures = ["multiSchema", "views"]
  binaryTargets   = ["native"]
}

/* A comment
   of two lines. */

/// People
/// who write.
model User {
  id    String   @id(map: "user_pk", sort: Asc, length: 10, clustered: true) @default(dbgenerated("gen_random_uuid()")) @store.Uuid
  /// The address.
  email String   @unique(map: "email_key", sort: Desc) @map("e_mail") @store.VarChar(200) /// Only one.
  age   Int?     @default(18, map: "age_default")
  big   BigInt   @default(autoincrement())
  ratio Float    @default(-1.5)
  price Decimal  @store.Decimal(10, 2)
  ok    Boolean  @default(true)
  tags  String[] @default(["a", "b"])
  at    DateTime @default(now()) @store.Timestamptz(6)
  seen  DateTime @updatedAt
  data  Json?
  blob  Bytes?
  area  Unsupported("circle")?
  role  Role     @default(ADMIN)
  key   String   @default(nanoid(10))
  plan  String   @default(cuid(2)) @ignore
  first String
  last  String
  posts Post[]   @relation("Authors")
  likes Post[]   @relation(name: "Likes")
  boss  User?    @relation("Boss", fields: [bossId], references: [id], map: "boss_fk", onDelete: Cascade, onUpdate: NoAction)
  bossId String?
  staff User[]   @relation("Boss")

  @@unique(fields: [first, last], name: "full", map: "full_key")
  @@unique([first(sort: Desc), last(length: 10)])
  @@index(
    [age, big(sort: Desc)], // two
    name: "one",
    type: BTree,
  )
  @@index([first(ops: raw("text_ops"))], type: Gin, map: "gin")
  @@fulltext([first])
  @@map("users")
  @@schema("auth")
}

model Post {
  author   String
  number   Int
  writer   User   @relation("Authors", fields: author, references: [id])
  likedBy  User[] @relation("Likes")
  id       Int    @unique

  @@id([author, number], name: "authorNumber", map: "post_pk")
}

model Like {
  id Int @id
  @@ignore
}

view Active {
  id Int @unique
}

enum Role {
  USER  @map("user") // A reader.
  ADMIN
  @@map("user_role")
  @@schema("auth")
}
"#;

#[test]
fn every_attribute_and_function_is_read() {
    // A relation of two lists needs an id of one field, which Post has not.
    let text = EVERYTHING
        .replace("likes Post[]   @relation(name: \"Likes\")", "")
        .replace("likedBy  User[] @relation(\"Likes\")", "");
    let schema = schema(&text);
    let datasource = schema.datasource.as_ref().unwrap();
    assert_eq!(datasource.provider, Provider::Postgres);
    assert_eq!(datasource.relation_mode, RelationMode::Prisma);
    assert_eq!(datasource.schemas.as_slice(), ["public".into(), "auth".into()]);
    let user = &schema.models[0];
    assert_eq!((&*user.table, user.schema.as_deref()), ("users", Some("auth")));
    assert_eq!(user.documentation.as_deref(), Some("People\nwho write."));
    let columns: Vec<_> = user
        .fields
        .iter()
        .filter_map(|field| {
            let column = field.find_column()?;
            Some((&*field.name, &*column.name, column.r#type, field.arity, column.default.clone()))
        })
        .collect();
    use Arity::{List, Optional, Required};
    use DefaultValue::{Client, Database, None};
    let number = |digits: &str| DefaultValue::Constant(Constant::Number(digits.into()));
    let word = |word: &str| DefaultValue::Constant(Constant::Word(word.into()));
    assert_eq!(
        columns,
        [
            ("id", "id", ColumnType::String, Required, Database),
            ("email", "e_mail", ColumnType::String, Required, None),
            ("age", "age", ColumnType::Int, Optional, number("18")),
            ("big", "big", ColumnType::BigInt, Required, Database),
            ("ratio", "ratio", ColumnType::Float, Required, number("-1.5")),
            ("price", "price", ColumnType::Decimal, Required, None),
            ("ok", "ok", ColumnType::Boolean, Required, word("true")),
            ("tags", "tags", ColumnType::String, List, Database),
            ("at", "at", ColumnType::DateTime, Required, Database),
            ("seen", "seen", ColumnType::DateTime, Required, None),
            ("data", "data", ColumnType::Json, Optional, None),
            ("blob", "blob", ColumnType::Bytes, Optional, None),
            ("area", "area", ColumnType::Unsupported, Optional, None),
            ("role", "role", ColumnType::Enum(0), Required, word("ADMIN")),
            ("key", "key", ColumnType::String, Required, Client("nanoid")),
            ("plan", "plan", ColumnType::String, Required, Client("cuid")),
            ("first", "first", ColumnType::String, Required, None),
            ("last", "last", ColumnType::String, Required, None),
            ("bossId", "bossId", ColumnType::String, Optional, None),
        ]
    );
    assert_eq!(user.fields[1].documentation.as_deref(), Some("The address.\nOnly one."));
    assert!(user.fields[15].is_ignored);
    assert_eq!(
        user.keys.iter().map(|key| (key.is_primary, key.fields.clone())).collect::<Vec<_>>(),
        [(true, vec![0]), (false, vec![1]), (false, vec![16, 17]), (false, vec![16, 17])]
    );
    assert_eq!(schema.models[1].keys[1].fields, [0, 1]);
    assert!(schema.models[2].is_ignored);
    assert_eq!(schema.models[3].kind, ModelKind::View);
    let role = &schema.enums[0];
    assert_eq!((&*role.name, &*role.stored), ("Role", "user_role"));
    let values: Vec<_> = role.values.iter().map(|value| (&*value.name, &*value.stored)).collect();
    assert_eq!(values, [("USER", "user"), ("ADMIN", "ADMIN")]);
    assert_eq!(schema.relations.len(), 2);
}

#[test]
fn tables_of_pairs_have_the_names_of_models_or_of_the_relation() {
    let check = |text: &str, expected: (&str, &str, &str)| {
        let schema = schema(text);
        let [Relation::Pairs { a, b, table }] = schema.relations.as_slice() else {
            panic!("{:?}", schema.relations)
        };
        let name = |index: FieldIndex| schema.field_name(index);
        assert_eq!((&*name(*a), &*name(*b), &**table), expected);
    };
    // By the names of models, not of tables.
    check(
        "model Tag {\n id Int @id\n posts Post[]\n @@map(\"a\")\n}\n\
         model Post {\n id Int @id\n tags Tag[]\n @@map(\"z\")\n}",
        ("Post.tags", "Tag.posts", "_PostToTag"),
    );
    check(
        "model Tag {\n id Int @id\n posts Post[] @relation(\"x\")\n}\n\
         model Post {\n id Int @id\n tags Tag[] @relation(\"x\")\n}",
        ("Post.tags", "Tag.posts", "_x"),
    );
    // Of a model with itself by those of fields.
    check(
        "model User {\n id Int @id\n follows User[] @relation(\"f\")\n fans User[] @relation(\"f\")\n}",
        ("User.fans", "User.follows", "_f"),
    );
}

#[test]
fn the_field_with_columns_is_the_one_that_refers() {
    let schema = schema(
        "model A {\n id Int @id\n b B?\n}\n\
         model B {\n aId Int @unique\n a A @relation(fields: [aId], references: [id])\n}",
    );
    let [Relation::ForeignKey { from, to, fields, references }] = schema.relations.as_slice()
    else {
        panic!("{:?}", schema.relations)
    };
    assert_eq!((schema.field_name(*from), schema.field_name(*to)), ("B.a".into(), "A.b".into()));
    assert_eq!((fields.as_slice(), references.as_slice()), ([0].as_slice(), [0].as_slice()));
}

#[test]
fn a_schema_may_have_several_files() {
    let file = |name: &str, text: &str| File { name: name.into(), text: text.into() };
    let schema = read(vec![
        file("a.prisma", "model User {\n id Int @id\n role Role\n}"),
        file("b.prisma", "enum Role {\n A\n}"),
    ]);
    assert_eq!(schema.unwrap().enums.len(), 1);
    let mistakes = read(vec![file("a.prisma", ""), file("b.prisma", "\n model X {\n}")]);
    assert_eq!(
        mistakes.unwrap_err().to_string(),
        "b.prisma, line 2, column 8: X has no fields: write one at least."
    );
}

#[test]
fn an_empty_schema_is_none_of_mistakes() {
    assert!(schema("\u{feff}// nothing\r\n").models.is_empty());
}
