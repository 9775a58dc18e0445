use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, EnumLabel, FieldId, Key, KeyKind, Scalar,
    Type,
};
use expect_test::{Expect, expect};

use super::{introspected, written};
use crate::definitions::read;

/// A catalog by lines: `table name` with its columns, `name type` and marks: `!` is required, `@id`
/// the primary key or a part of it, `@unique`, `@default`, `-> table.column` a foreign key.
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
                        has_default: marks.contains(&"@default"),
                        generated: None,
                        description: None,
                    },
                );
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
        Ok(model) => assert_eq!(model, introspected.model),
        Err(problems) => panic!("{text}\n{problems:?}"),
    }
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
        &expect![[r##"
            # public.users.picture: a datamodel has no type for the column; leave it to other programs, or give it a type of its own.
            # public.users.words: a datamodel has no type for the column; leave it to other programs, or give it a type of its own.
            # public.users.lower: a datamodel has no type for the column; leave it to other programs, or give it a type of its own.

            type User @db(name: "users") {
              id: ID! @id
              email: String! @unique
              firstName: String @db(name: "first_name")
              age: Int @db(name: "AGE")
              score: Float
              isAdmin: Boolean! @db(name: "is_admin")
              born: DateTime
              data: Json
              token: UUID
              mood: Mood
              createdAt: DateTime! @createdAt
              updatedAt: DateTime @updatedAt
            }

            type ORDERS {
              number: Int! @id
              total: Int
            }

            type Key @db(name: "keys") {
              id: UUID! @id
            }

            type Given @db(name: "given") {
              id: Int! @id(strategy: NONE)
            }

            enum Mood {
              HAPPY
              SAD
            }
        "##]],
    );
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
           parent_id int -> categories.id",
        &expect![[r#"
            type User @db(name: "users") {
              id: ID! @id
              posts: [Post!]!
              profiles: Profile
            }

            type Post @db(name: "posts") {
              id: ID! @id
              author: User! @db(name: "author_id")
              title: String
            }

            type Profile @db(name: "profiles") {
              id: ID! @id
              user: User @relation(link: INLINE) @db(name: "user_id")
            }

            type Category @db(name: "categories") {
              id: Int! @id
              parent: Category @relation(name: "CategoryParentToCategoryCategories") @db(name: "parent_id")
              categories: [Category!]! @relation(name: "CategoryParentToCategoryCategories")
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
            type User @db(name: "users") {
              id: ID! @id
              posts: [Post!]! @relation(name: "PostAuthorToUserPosts")
              posts2: [Post!]! @relation(name: "PostEditorToUserPosts2")
              post: [Post!]! @relation(name: "Liked")
            }

            type Post @db(name: "posts") {
              id: ID! @id
              author: User @relation(name: "PostAuthorToUserPosts") @db(name: "author_id")
              editor: User @relation(name: "PostEditorToUserPosts2")
              user: [User!]! @relation(name: "Liked")
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
         table rated
           post text ! @id -> Post.id
           tag int ! @id -> Tag.id
           stars int",
        &expect![[r##"
            # public.rated: the table has no key of one column with a text, a UUID or an integer; add one, as in `ALTER TABLE … ADD COLUMN id …`.

            type User {
              id: ID! @id
              post: [Post!]!
              user: [User!]! @relation(name: "Friends")
              userOf: [User!]! @relation(name: "Friends")
              tag: [Tag!]! @relation(name: "Lower")
            }

            type Post {
              id: ID! @id
              user: [User!]!
              tag: [Tag!]! @relation(name: "PostTag")
            }

            type Tag {
              id: Int! @id
              post: [Post!]! @relation(name: "PostTag")
              user: [User!]! @relation(name: "Lower")
            }

            type Friends @relationTable @db(name: "_Friends") {
              id: ID! @id @db(name: "id")
              a: User! @db(name: "A")
              b: User! @db(name: "B")
            }

            type Lower @relationTable @db(name: "_lower") {
              a: Tag! @db(name: "A")
              b: User! @db(name: "B")
            }

            type PostTag @relationTable @db(name: "post_tags") {
              a: Post! @db(name: "post_id")
              b: Tag! @db(name: "tag_id")
            }
        "##]],
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
            # public.User_other: the table has no key of one column with a text, a UUID or an integer; add one, as in `ALTER TABLE … ADD COLUMN id …`.

            type User {
              id: ID! @id
              tags: [String!]! @scalarList(strategy: RELATION)
            }
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
         table late
           at timestamp ! @id
         table no_key_pairs
           one int ! -> both.a
           other text ! -> named.id",
        &expect![[r##"
            # public.no_key: the table has no key of one column with a text, a UUID or an integer; add one, as in `ALTER TABLE … ADD COLUMN id …`.
            # public.both: the table has no key of one column with a text, a UUID or an integer; add one, as in `ALTER TABLE … ADD COLUMN id …`.
            # public.shared: named_fkey: the foreign key is no relation: it has several columns, or leads from the id, or to another column than the id; read its columns as values.
            # public.shared: named_fkey: the foreign key is no relation: it has several columns, or leads from the id, or to another column than the id; read its columns as values.
            # public.late: the table has no key of one column with a text, a UUID or an integer; add one, as in `ALTER TABLE … ADD COLUMN id …`.
            # public.no_key_pairs: the table has no key of one column with a text, a UUID or an integer; add one, as in `ALTER TABLE … ADD COLUMN id …`.

            type Named @db(name: "named") {
              id: ID! @id
              name: String! @unique
            }

            type Only @db(name: "only") {
              name: ID! @id
            }

            type Shared @db(name: "shared") {
              id: ID! @id
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
              firstName: String @db(name: "first_name")
              firstName2: String @db(name: "firstName")
            }

            type User @db(name: "user") {
              id: ID! @id
              post: String
              post2: [Post!]!
            }

            type Post @db(name: "post") {
              id: ID! @id
              user: User @db(name: "user_id")
              user2: String @db(name: "user")
            }
        "#]],
    );
}
