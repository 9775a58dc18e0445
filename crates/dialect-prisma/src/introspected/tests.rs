use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, EnumLabel, FieldDefault, FieldId, Key,
    KeyKind, Scalar, Sequence, Type,
};
use expect_test::{Expect, expect};

use super::{introspected, written};
use crate::definitions::read;
use crate::model::{Default, FieldKind, Model};

/// A catalog by lines: `table name` with its columns, `name type` and marks: `!` is required, `@id`
/// the primary key or a part of it, `@unique`, `@default`, `@default=` with a literal, `@sequence=` with
/// a name, `-> table.column` a foreign key.
fn catalog(text: &str) -> Catalog {
    let mut builder = Builder::new(Capabilities::default());
    let mut references = Vec::new();
    let mut table: Option<(EntityId, Vec<FieldId>)> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match *words.as_slice() {
            ["table", name] => {
                finish(&mut builder, table.take());
                let kind = EntityKind::Table;
                let entity = builder.entity(Some("public".into()), name.into(), kind, None);
                table = Some((entity, Vec::new()));
            }
            ["enum", name, ref labels @ ..] => {
                let label = |label: &&str| EnumLabel { label: (*label).into(), description: None };
                let labels = labels.iter().map(label).collect();
                builder.r#enum(None, name.into(), labels, None);
            }
            [name, r#type, ref marks @ ..] => {
                let (entity, key) = table.as_mut().unwrap();
                let field = builder.field(
                    *entity,
                    NewField {
                        name: name.into(),
                        r#type: type_of(&builder, r#type),
                        nullable: !marks.contains(&"!"),
                        has_default: marks.iter().any(|mark| is_default(mark)),
                        generated: None,
                        description: None,
                    },
                );
                for mark in marks {
                    if let Some(known) = known_default(mark) {
                        builder.set_default(field, known);
                    }
                }
                if marks.contains(&"@id") {
                    key.push(field);
                }
                if marks.contains(&"@unique") {
                    builder.key(*entity, unique(vec![field], KeyKind::Unique));
                }
                if let Some(arrow) = marks.iter().position(|mark| *mark == "->") {
                    references.push((*entity, field, marks[arrow + 1]));
                }
            }
            _ => panic!("{line}"),
        }
    }
    finish(&mut builder, table);
    for (from, field, to) in references {
        let (table, column) = to.split_once('.').unwrap();
        let target = builder.catalog().find_entity(Some("public"), table).unwrap().id;
        let to_field = builder.catalog().find_field(target, column).unwrap().id;
        builder.relationship(NewRelationship {
            name: format!("{table}_fkey").into(),
            from,
            from_fields: vec![field],
            to: target,
            to_fields: vec![to_field],
            description: None,
        });
    }
    builder.finish()
}

fn is_default(mark: &str) -> bool {
    mark.starts_with("@default") || mark.starts_with("@sequence=")
}

fn known_default(mark: &str) -> Option<FieldDefault> {
    if let Some(name) = mark.strip_prefix("@sequence=") {
        return Some(FieldDefault::Sequence(Sequence { name: name.into(), start: 7 }));
    }
    let literal = mark.strip_prefix("@default=")?;
    Some(match literal {
        "true" => FieldDefault::Boolean(true),
        text if text.starts_with(|first: char| first.is_ascii_digit()) => {
            FieldDefault::Number(text.into())
        }
        text => FieldDefault::Text(text.into()),
    })
}

fn finish(builder: &mut Builder, table: Option<(EntityId, Vec<FieldId>)>) {
    if let Some((entity, key)) = table.filter(|(_, key)| !key.is_empty()) {
        builder.key(entity, unique(key, KeyKind::Primary));
    }
}

fn unique(fields: Vec<FieldId>, kind: KeyKind) -> Key {
    Key { name: "".into(), kind, fields, enforced: true, deferrable: false, description: None }
}

fn type_of(builder: &Builder, name: &str) -> Type {
    Type::Scalar(match name {
        "text" => Scalar::Text,
        "int" => Scalar::Int32,
        "bigint" => Scalar::Int64,
        "decimal" => Scalar::Decimal { precision: None, scale: None },
        "bool" => Scalar::Boolean,
        "timestamp" => Scalar::Timestamp,
        "json" => Scalar::Jsonb,
        "uuid" => Scalar::Uuid,
        "bytes" => Scalar::Bytes,
        "texts" => return Type::List(Box::new(Type::Scalar(Scalar::Text))),
        name => {
            let own = builder.catalog().enums().find(|own| &*own.name == name);
            return Type::Enum(own.unwrap().id);
        }
    })
}

/// Compares the datamodel of tables, whose text means the same again.
#[track_caller]
fn check(tables: &str, expected: &Expect) {
    let introspected = introspected(&catalog(tables));
    let text = written(&introspected);
    expected.assert_eq(&text);
    match read(&text) {
        Ok(model) => assert_eq!(model, without_defaults_of_database(introspected.model)),
        Err(problems) => panic!("{text}\n{problems:?}"),
    }
}

/// The text has none.
fn without_defaults_of_database(mut model: Model) -> Model {
    for field in model.types.iter_mut().flat_map(|own| &mut own.fields) {
        if let FieldKind::Scalar(scalar) = &mut field.kind {
            scalar.default.take_if(|default| *default == Default::OfDatabase);
        }
    }
    model
}

#[test]
fn a_database_without_tables_is_refused() {
    let mut catalog = catalog("table a\n b text");
    let options = crate::Options { is_introspected: true, ..crate::Options::default() };
    let error = crate::declare(&mut catalog, &options).api().unwrap_err();
    assert!(error.to_string().starts_with("there is no table"), "{error}");
    assert_eq!(catalog.notes().len(), 1);
}

#[test]
fn tables_are_types() {
    check(
        "enum mood HAPPY SAD
         enum lower a b
         table users
           id text ! @id
           email text ! @unique
           first_name text
           AGE int
           score decimal
           is_admin bool !
           born timestamp
           data json
           token uuid
           mood mood
           createdAt timestamp !
           updatedAt timestamp
           picture bytes
           words texts
           lower lower
         table ORDERS
           number int ! @id @default
           total bigint
         table keys
           id uuid ! @id
         table given
           id int ! @id",
        &expect![[r#"
            type Given @db(name: "given") {
              id: Int! @id(strategy: NONE)
            }

            type Key @db(name: "keys") {
              id: UUID! @id
            }

            enum Mood {
              HAPPY
              SAD
            }

            type ORDERS {
              number: Int! @id
              total: Int
            }

            type User @db(name: "users") {
              id: ID! @id
              age: Int @db(name: "AGE")
              born: DateTime
              createdAt: DateTime! @createdAt
              data: Json
              email: String! @unique
              firstName: String @db(name: "first_name")
              isAdmin: Boolean! @db(name: "is_admin")
              # Type lower is not supported
              # lower: lower
              mood: Mood
              # Type bytea is not supported
              # picture: bytea
              score: Float
              token: UUID
              updatedAt: DateTime @updatedAt
              # Type _text is not supported
              # words: _text
            }
        "#]],
    );
}

#[test]
fn columns_have_defaults() {
    check(
        "table posts
           id int ! @id @sequence=posts_id_seq
           title text ! @default=draft
           level int @default=3
           rate decimal @default=0.5
           visible bool ! @default=true
           at timestamp ! @default
           data json @default={}
           number int ! @sequence=numbers
           updatedAt timestamp ! @default",
        &expect![[r#"
            type Post @db(name: "posts") {
              id: Int! @id(strategy: SEQUENCE) @sequence(name: "posts_id_seq", initialValue: 7, allocationSize: 1)
              at: DateTime!
              data: Json
              level: Int @default(value: 3)
              # Only id fields can have sequences
              # number: Int! @sequence(name: "numbers", initialValue: 7, allocationSize: 1)
              rate: Float @default(value: 0.5)
              title: String! @default(value: "draft")
              updatedAt: DateTime! @updatedAt
              visible: Boolean! @default(value: true)
            }
        "#]],
    );
}

#[test]
fn a_default_that_a_datamodel_cannot_say_stays_with_the_database() {
    let model = introspected(&catalog("table a\n id int ! @id @default\n at timestamp ! @default"));
    let field = model.model.types[0].fields.iter().find(|field| &*field.name == "at").unwrap();
    let FieldKind::Scalar(scalar) = &field.kind else { panic!("{field:?}") };
    assert_eq!(scalar.default, Some(Default::OfDatabase));
}

#[test]
fn foreign_keys_are_relations() {
    check(
        "table users
           id text ! @id
         table posts
           id text ! @id
           author_id text ! -> users.id
           title text
         table profiles
           id text ! @id
           user_id text @unique -> users.id
         table categories
           id int ! @id @default
           parent_id int -> categories.id
         table nodes
           id int ! @id @default
           left int -> nodes.id
           right int -> nodes.id",
        &expect![[r#"
            type Category @db(name: "categories") {
              id: Int! @id
              categories: [Category]
              parent: Category @db(name: "parent_id")
            }

            type NodeRow @db(name: "nodes") {
              id: Int! @id
              left: NodeRow @relation(name: "NodeRowLeftToNodeRowNodes")
              # Field name normalization failed because of a conflicting field name.
              # Could not auto-generate backwards relation field, field name would be ambiguous.
              # Please specify the name of this field and the name of the relation manually.
              # It references NodeRow.left.
              # nodes: [NodeRow] @relation(name: "NodeRowLeftToNodeRowNodes")
              # Field name normalization failed because of a conflicting field name.
              # Could not auto-generate backwards relation field, field name would be ambiguous.
              # Please specify the name of this field and the name of the relation manually.
              # It references NodeRow.right.
              # nodes: [NodeRow] @relation(name: "NodeRowNodesToNodeRowRight")
              right: NodeRow @relation(name: "NodeRowNodesToNodeRowRight")
            }

            type Post @db(name: "posts") {
              id: ID! @id
              author: User! @db(name: "author_id")
              title: String
            }

            type Profile @db(name: "profiles") {
              id: ID! @id
              user: User @db(name: "user_id") @relation(link: INLINE)
            }

            type User @db(name: "users") {
              id: ID! @id
              posts: [Post]
              profiles: Profile
            }
        "#]],
    );
}

#[test]
fn several_relations_have_names() {
    check(
        "table users
           id text ! @id
         table posts
           id text ! @id
           author_id text -> users.id
           editor text -> users.id
         table _Liked
           A text ! -> posts.id
           B text ! -> users.id",
        &expect![[r#"
            type Post @db(name: "posts") {
              id: ID! @id
              author: User @db(name: "author_id") @relation(name: "PostAuthorToUserPosts")
              editor: User @relation(name: "PostEditorToUserPosts")
              users: [User] @relation(name: "Liked")
            }

            type User @db(name: "users") {
              id: ID! @id
              posts: [Post] @relation(name: "Liked")
              # Field name normalization failed because of a conflicting field name.
              # Could not auto-generate backwards relation field, field name would be ambiguous.
              # Please specify the name of this field and the name of the relation manually.
              # It references Post.author.
              # posts: [Post] @relation(name: "PostAuthorToUserPosts")
              # Field name normalization failed because of a conflicting field name.
              # Could not auto-generate backwards relation field, field name would be ambiguous.
              # Please specify the name of this field and the name of the relation manually.
              # It references Post.editor.
              # posts: [Post] @relation(name: "PostEditorToUserPosts")
            }
        "#]],
    );
}

#[test]
fn tables_of_pairs_are_relations() {
    check(
        "table User
           id text ! @id
         table Post
           id text ! @id
         table Tag
           id int ! @id @default
         table _PostToUser
           A text ! -> Post.id
           B text ! -> User.id
         table post_tags
           post_id text ! @id -> Post.id
           tag_id int ! @id -> Tag.id
         table _Friends
           id text ! @id
           A text ! -> User.id
           B text ! -> User.id
         table _lower
           A int ! -> Tag.id
           B text ! -> User.id
         table followed
           follower_id text ! @id -> User.id
           followee_id text ! @id -> User.id
         table loose
           post_id text -> Post.id
           tag_id int -> Tag.id
         table rated
           post text ! @id -> Post.id
           tag int ! @id -> Tag.id
           stars int",
        &expect![[r#"
            type Followed @db(name: "followed") @relationTable {
              follower: User! @db(name: "follower_id")
              followee: User! @db(name: "followee_id")
            }

            type Friends @db(name: "_Friends") @relationTable {
              id: ID! @id
              a: User! @db(name: "A")
              b: User! @db(name: "B")
            }

            type Loose @db(name: "loose") @relationTable {
              post: Post! @db(name: "post_id")
              tag: Tag! @db(name: "tag_id")
            }

            type Lower @db(name: "_lower") @relationTable {
              a: Tag! @db(name: "A")
              b: User! @db(name: "B")
            }

            type Post {
              id: ID! @id
              tag: [Tag] @relation(name: "PostTag")
              tag2: [Tag] @relation(name: "Loose")
              user: [User]
            }

            type PostTag @db(name: "post_tags") @relationTable {
              post: Post! @db(name: "post_id")
              tag: Tag! @db(name: "tag_id")
            }

            # The table has no key of one column with a text, a UUID or an integer.
            # type Rated @db(name: "rated") {
            #   post: String!
            #   stars: Int
            #   tag: Int!
            # }

            type Tag {
              id: Int! @id
              post: [Post] @relation(name: "PostTag")
              post2: [Post] @relation(name: "Loose")
              user: [User] @relation(name: "Lower")
            }

            type User {
              id: ID! @id
              post: [Post]
              tag: [Tag] @relation(name: "Lower")
              user: [User] @relation(name: "Friends")
              user2: [User] @relation(name: "Followed")
              userOf: [User] @relation(name: "Friends")
              userOf2: [User] @relation(name: "Followed")
            }
        "#]],
    );
}

#[test]
fn lists_are_fields() {
    check(
        "table User
           id text ! @id
         table User_tags
           nodeId text ! @id -> User.id
           position int ! @id
           value text !
         table User_other
           nodeId text ! @id -> User.id
           position text ! @id
           value text !",
        &expect![[r#"
            type User {
              id: ID! @id
              tags: [String] @scalarList(strategy: RELATION)
            }

            # The table has no key of one column with a text, a UUID or an integer.
            # type UserOther @db(name: "User_other") {
            #   nodeId: String!
            #   position: String!
            #   value: String!
            # }
        "#]],
    );
}

#[test]
fn what_a_datamodel_cannot_say_is_left_out() {
    check(
        "table _Migration
           id int ! @id
         table no_key
           name text
         table named
           id text ! @unique
           name text ! @unique
         table only
           name text ! @unique
         table both
           a int ! @id
           b int ! @id
         table shared
           id text ! @id -> named.id
           name text -> named.name
         table numbered
           number int ! @unique @sequence=numbers
           name text ! @unique
         table counted
           number int ! @sequence=numbers
         table late
           at timestamp ! @id
         table no_key_pairs
           one int ! -> both.a
           other text ! -> named.id",
        &expect![[r##"
            # The table has no key of one column with a text, a UUID or an integer.
            # type Both @db(name: "both") {
            #   a: Int!
            #   b: Int!
            # }

            # The table has no key of one column with a text, a UUID or an integer.
            # type Counted @db(name: "counted") {
            #   number: Int!
            # }

            # The table has no key of one column with a text, a UUID or an integer.
            # type Late @db(name: "late") {
            #   at: DateTime!
            # }

            type Named @db(name: "named") {
              id: ID! @id
              name: String! @unique
            }

            # The table has no key of one column with a text, a UUID or an integer.
            # type NoKey @db(name: "no_key") {
            #   name: String
            # }

            # The table has no key of one column with a text, a UUID or an integer.
            # type NoKeyPair @db(name: "no_key_pairs") {
            #   one: Int!
            #   other: String!
            # }

            type Numbered @db(name: "numbered") {
              number: Int! @id(strategy: SEQUENCE) @sequence(name: "numbers", initialValue: 7, allocationSize: 1)
              name: String! @unique
            }

            type Only @db(name: "only") {
              name: ID! @id
            }

            type Shared @db(name: "shared") {
              # Relation shared.id -> named.id is not possible: an id is no relation
              id: ID! @id
              # Relation shared.name -> named.name does not target the id field of named
              name: String
            }
        "##]],
    );
}

#[test]
fn names_are_taken_once() {
    check(
        "table nodes
           id text ! @id
         table node
           id text ! @id
           first_name text
           firstName text
         table user
           id text ! @id
           post text
         table post
           id text ! @id
           user_id text -> user.id
           user text",
        &expect![[r#"
            type NodeRow @db(name: "nodes") {
              id: ID! @id
            }

            type NodeRow2 @db(name: "node") {
              id: ID! @id
              # Field name normalization failed because of a conflicting field name.
              first_name: String
              firstName: String
            }

            type Post @db(name: "post") {
              id: ID! @id
              user: String
              # Field name normalization failed because of a conflicting field name.
              user_id: User
            }

            type User @db(name: "user") {
              id: ID! @id
              post: String
              post2: [Post]
            }
        "#]],
    );
}

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// Tables whose names get in each other's way.
fn random_tables(seed: u64) -> String {
    const TABLES: &[&str] = &[
        "user",
        "users",
        "User",
        "post",
        "POST",
        "blog_posts",
        "node",
        "_PostToUser",
        "_x",
        "strings",
    ];
    const COLUMNS: &[&str] = &[
        "name",
        "Name",
        "user",
        "user_id",
        "post",
        "post_id",
        "users",
        "author_id",
        "A",
        "B",
        "nodeId",
        "position",
        "value",
        "createdAt",
        "created_at",
    ];
    let mut numbers = Numbers(seed);
    let mut tables: Vec<&str> = Vec::new();
    for _ in 0..2 + numbers.below(5) {
        let name = numbers.of(TABLES);
        if !tables.contains(&name) {
            tables.push(name);
        }
    }
    let mut text = String::new();
    for table in &tables {
        text.push_str(&format!("table {table}\n"));
        let key = numbers.of(&[
            "int ! @id @default",
            "int ! @id @sequence=s",
            "int ! @id",
            "int ! @unique",
        ]);
        text.push_str(&format!("id {key}\n"));
        let mut columns: Vec<&str> = Vec::new();
        for _ in 0..numbers.below(6) {
            let column = numbers.of(COLUMNS);
            if columns.contains(&column) {
                continue;
            }
            columns.push(column);
            let required = numbers.of(&["", " !"]);
            let rest = match numbers.below(3) {
                0 => format!(
                    "int{required} {} -> {}.id",
                    numbers.of(&["", "@unique"]),
                    numbers.of(&tables)
                ),
                _ => {
                    let kinds = [
                        "text",
                        "int @default=3",
                        "text @unique",
                        "bytes",
                        "timestamp @default",
                        "int @sequence=t",
                    ];
                    format!("{}{required}", numbers.of(&kinds))
                }
            };
            text.push_str(&format!("{column} {rest}\n"));
        }
    }
    text
}

#[test]
fn texts_of_random_tables_mean_the_same_again() {
    for seed in 0..2000 {
        let tables = random_tables(seed);
        let introspected = introspected(&catalog(&tables));
        if introspected.model.types.is_empty() {
            continue;
        }
        let text = written(&introspected);
        match read(&text) {
            Ok(model) => {
                let expected = without_defaults_of_database(introspected.model);
                assert_eq!(model, expected, "seed {seed}\n{tables}\n{text}");
            }
            Err(problems) => panic!("seed {seed}\n{tables}\n{text}\n{problems:?}"),
        }
    }
}
