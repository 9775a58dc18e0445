//! Relations: pairs, names, ends and storage.

use expect_test::{Expect, expect};

use super::{accepted, refused};
use crate::model::{FieldKind, RelationEnd};

/// Compares the relations: a line for each.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    let model = accepted(text);
    let end = |end: &RelationEnd| {
        let own = &model.types[end.r#type.0];
        let field = end.field.map(|field| &*own.fields[field].name);
        format!("{}.{} {:?}", own.name, field.unwrap_or("-"), end.on_delete)
    };
    let lines = model.relations.iter().map(|relation| {
        let (a, b) = (end(&relation.a), end(&relation.b));
        format!("{}: {a}, {b}: {:?}\n", relation.name, relation.storage)
    });
    expected.assert_eq(&lines.collect::<String>());
    // The fields know their relations.
    for (index, own) in model.types.iter().enumerate() {
        for (idx, field) in own.fields.iter().enumerate() {
            if let FieldKind::Relation { relation, end, .. } = &field.kind {
                let end = model.relations[relation.0].end(*end);
                assert_eq!((end.r#type.0, end.field), (index, Some(idx)));
            }
        }
    }
}

#[test]
fn fields_make_pairs() {
    check(
        "type User { id: ID! @id posts: [Post!]! @relation(name: \"Written\", onDelete: CASCADE) liked: [Post] @relation(name: \"Liked\")\n\
         profile: Profile @relation(link: INLINE) @db(name: \"profile_id\") country: Country! }\n\
         type Post { id: ID! @id author: User! @relation(name: \"Written\") likedBy: [User!]! @relation(name: \"Liked\") }\n\
         type Profile { id: ID! @id user: User! @relation(onDelete: CASCADE) }\ntype Country { id: ID! @id }",
        &expect![[r#"
            Written: Post.author SetNull, User.posts Cascade: Inline { end: A, column: "author" }
            Liked: Post.likedBy SetNull, User.liked SetNull: Table { table: "_Liked", a_column: "A", b_column: "B", id_column: None }
            ProfileToUser: Profile.user Cascade, User.profile SetNull: Inline { end: B, column: "profile_id" }
            CountryToUser: Country.- SetNull, User.country SetNull: Inline { end: B, column: "country" }
        "#]],
    );
}

#[test]
fn the_storage_is_a_column_or_a_table() {
    check(
        "type A { id: ID! @id b: B @relation(link: TABLE) c: C cs: [D] e: E @relation(link: INLINE) f: [F] @relation(link: TABLE) }\n\
         type B { id: ID! @id a: A }\ntype C { id: ID! @id as: [A!]! }\ntype D { id: ID! @id }\ntype E { id: ID! @id }\ntype F { id: ID! @id a: A }",
        &expect![[r#"
            AToB: A.b SetNull, B.a SetNull: Table { table: "_AToB", a_column: "A", b_column: "B", id_column: None }
            AToC: A.c SetNull, C.as SetNull: Inline { end: A, column: "c" }
            AToD: A.cs SetNull, D.- SetNull: Table { table: "_AToD", a_column: "A", b_column: "B", id_column: None }
            AToE: A.e SetNull, E.- SetNull: Inline { end: A, column: "e" }
            AToF: A.f SetNull, F.a SetNull: Table { table: "_AToF", a_column: "A", b_column: "B", id_column: None }
        "#]],
    );
}

#[test]
fn types_have_relations_with_themselves() {
    check(
        "type A { id: ID! @id next: A @relation(name: \"Chain\", link: INLINE) previous: A @relation(name: \"Chain\") friends: [A!]! @relation(name: \"Friends\")\n\
         boss: A @relation(name: \"Work\") staff: [A!]! @relation(name: \"Work\") }\ntype B { id: ID! @id parent: B }\n\
         type C { id: ID! @id children: [C!]! @relation(name: \"Tree\") parent: C @relation(name: \"Tree\") }",
        &expect![[r#"
            Chain: A.next SetNull, A.previous SetNull: Inline { end: B, column: "next" }
            Friends: A.friends SetNull, A.- SetNull: Table { table: "_Friends", a_column: "A", b_column: "B", id_column: None }
            Work: A.boss SetNull, A.staff SetNull: Inline { end: A, column: "boss" }
            BToB: B.parent SetNull, B.- SetNull: Inline { end: A, column: "parent" }
            Tree: C.children SetNull, C.parent SetNull: Inline { end: B, column: "parent" }
        "#]],
    );
}

#[test]
fn link_types_are_tables() {
    check(
        "type User { id: ID! @id posts: [Post!]! @relation(name: \"Likes\") friends: [User!]! @relation(name: \"Friends\") }\n\
         type Post { id: ID! @id likedBy: [User!]! @relation(name: \"Likes\") }\n\
         type Likes @relationTable @db(name: \"likes\") { id: ID! @id user: User! @db(name: \"user_id\") post: Post! }\n\
         type Friends @relationTable { one: User! other: User! }",
        &expect![[r#"
            Likes: Post.likedBy SetNull, User.posts SetNull: Table { table: "likes", a_column: "post", b_column: "user_id", id_column: Some("id") }
            Friends: User.friends SetNull, User.- SetNull: Table { table: "Friends", a_column: "one", b_column: "other", id_column: None }
        "#]],
    );
    refused(
        "type User { id: ID! @id posts: [Post!]! @relation(name: \"Likes\") likes: [Likes!]! }\n\
         type Post { id: ID! @id likedBy: [User!]! @relation(name: \"Likes\") }\n\
         type Likes @relationTable { id: String! @id user: User! post: User at: DateTime x: [Post] y: Likes z: Nothing }\n\
         type Unused @relationTable { a: User! b: Post! @unique }\n\
         type Column @relationTable @rename(oldName: \"b\") { a: A! b: B! }\n\
         type A { id: ID! @id b: B @relation(name: \"Column\", link: INLINE) }\ntype B { id: ID! @id c: [C] @relation(name: \"Wrong\") }\n\
         type C { id: ID! @id }\ntype Wrong @relationTable { a: A! b: B! }",
        &expect![[r#"
            line 1, column 66: User.likes: `Likes` is the table of a relation and no type of the API: write the type at its other end, and `@relation(name: "Likes")`
            line 3, column 6: Likes: the table of a relation has two fields, one for each of its types: write them, as in `type LikedPosts @relationTable { user: User! post: Post! }`
            line 3, column 6: Likes: the relation is between `Post` and `User`: give the fields these types
            line 3, column 29: Likes.id: the id of a relation's table has the type `ID!`: write it
            line 3, column 68: Likes.at: the table of a relation has no further fields: remove it, or make the type one of the API with a relation to each end
            line 3, column 81: Likes.x: each row of a relation's table has one row of each end: write no list
            line 3, column 91: Likes.y: the table of a relation has no relations: write a type of the API
            line 3, column 100: Likes.z: there is no type or enum `Nothing`: did you mean String?
            line 4, column 6: Unused: no relation has this name: write `@relation(name: "Unused")` at a field of one of its types
            line 4, column 49: Unused.b: `@unique` has no meaning in the table of a relation: remove it
            line 5, column 6: Column: the relation is a column, not this table: remove the type, or write `link: TABLE` at the relation's field
            line 5, column 29: Column: `@rename` has no meaning for the table of a relation, which `@relation(oldName:)` renames: remove it
            line 9, column 6: Wrong: the relation is between `B` and `C`: give the fields these types
        "#]],
    );
}

#[test]
fn ambiguous_relations_have_names() {
    refused(
        "type A { id: ID! @id b: B c: B @relation(link: INLINE) }\ntype B { id: ID! @id }\n\
         type C { id: ID! @id d: D @relation(name: \"E\") }\ntype D { id: ID! @id c: C }\n\
         type F { id: ID! @id f: F g: F @relation(name: \"G\") }",
        &expect![[r#"
            line 1, column 22: A.b: several fields of the type have rows of this type: say to which relation each belongs, as in `@relation(name: "MyRelation")`
            line 1, column 27: A.c: several fields of the type have rows of this type: say to which relation each belongs, as in `@relation(name: "MyRelation")`
            line 3, column 22: C.d: `D.c` may be the other field of the relation `E`: add `@relation(name: "E")` to it
            line 5, column 22: F.f: several fields of the type have rows of this type: say to which relation each belongs, as in `@relation(name: "MyRelation")`
            line 5, column 27: F.g: `F.f` may be the other field of the relation `G`: add `@relation(name: "G")` to it
        "#]],
    );
}

#[test]
fn a_relation_has_two_ends() {
    refused(
        "type A {\n id: ID! @id\n b: [B] @relation(name: \"R\")\n c: [B] @relation(name: \"R\")\n d: [B] @relation(name: \"R\")\n}\n\
         type B {\n id: ID! @id\n e: [C] @relation(name: \"S\")\n}\ntype C {\n id: ID! @id\n f: [A] @relation(name: \"S\")\n g: A @relation(name: \"lower\")\n}\n\
         type D {\n id: ID! @id\n a: A @relation(name: \"Renamed\", oldName: \"X\")\n}\ntype E {\n id: ID! @id\n e: [E] @relation(name: \"R\", oldName: 1)\n}",
        &expect![[r#"
            line 3, column 2: A.b: 4 fields belong to the relation `R`, which has two ends: give further relations other names
            line 4, column 2: A.c: 4 fields belong to the relation `R`, which has two ends: give further relations other names
            line 5, column 2: A.d: 4 fields belong to the relation `R`, which has two ends: give further relations other names
            line 9, column 2: B.e: `C.f` belongs to the relation `S` too, but the types of both fields are not those of its ends: give them the types of each other, or the relations two names
            line 13, column 2: C.f: `B.e` belongs to the relation `S` too, but the types of both fields are not those of its ends: give them the types of each other, or the relations two names
            line 14, column 2: C.g: `lower` is no name of a relation: write one of at most 54 letters, digits and underscores that begins with a capital letter
            line 22, column 2: E.e: 4 fields belong to the relation `R`, which has two ends: give further relations other names
            line 22, column 30: E.e: `oldName` of `@relation` is no text: write it in quotes
        "#]],
    );
}

#[test]
fn relations_with_one_name_are_refused() {
    refused(
        "type A { id: ID! @id b: B }\ntype B { id: ID! @id }\ntype C { id: ID! @id a: A @relation(name: \"AToB\") }",
        &expect![[r#"
            line 3, column 22: C.a: the relation `AToB` is that of `A.b` already: give one of both a name of its own, as in `@relation(name: "…")`
        "#]],
    );
}

#[test]
fn the_link_is_said_once() {
    refused(
        "type A {\n id: ID! @id\n b: B\n c: C @relation(link: INLINE)\n d: [D] @relation(link: INLINE)\n e: [E] @relation(link: INLINE)\n\
         f: F @relation(link: SOME) @db(name: \"g\")\n g: [G] @db(name: \"x\")\n h: H @relation(link: TABLE, onDelete: NO) @db(name: \"y\")\n}\n\
         type B {\n id: ID! @id\n a: A\n}\ntype C {\n id: ID! @id\n a: A @relation(link: TABLE)\n}\ntype D {\n id: ID! @id\n a: A\n}\ntype E { id: ID! @id }\n\
         type F { id: ID! @id }\ntype G { id: ID! @id a: A }\ntype H { id: ID! @id }",
        &expect![[r#"
            line 3, column 2: A.b: the relation has one row at each end: say where its column is, by `@relation(link: INLINE)` at one of both fields, or write `link: TABLE`
            line 4, column 2: A.c: both fields of the relation say `link`: remove it from one of them
            line 5, column 2: A.d: a list has no column, so that its link is not INLINE: write it at `a`
            line 6, column 2: A.e: a list has no column, so that its link is not INLINE: write `link: TABLE`
            line 7, column 16: A.f: `link` of `@relation` has another value than it may: write INLINE or TABLE
            line 8, column 10: A.g: `@db` names a column, and the field has none: remove it
            line 9, column 30: A.h: `onDelete` of `@relation` has another value than it may: write SET_NULL or CASCADE
            line 9, column 45: A.h: `@db` names a column, and the field has none: remove it
            line 13, column 2: B.a: the relation has one row at each end: say where its column is, by `@relation(link: INLINE)` at one of both fields, or write `link: TABLE`
            line 17, column 2: C.a: both fields of the relation say `link`: remove it from one of them
        "#]],
    );
}

#[test]
fn relations_of_version_1_0_are_tables() {
    check(
        "type User { posts: [Post!]! groups: [Group!]! }\ntype Post { author: User! }\ntype Group { users: [User!]! }",
        &expect![[r#"
            PostToUser: Post.author SetNull, User.posts SetNull: Table { table: "_PostToUser", a_column: "A", b_column: "B", id_column: Some("id") }
            GroupToUser: Group.users SetNull, User.groups SetNull: Table { table: "_GroupToUser", a_column: "A", b_column: "B", id_column: Some("id") }
        "#]],
    );
    check(
        "type List @pgTable(name: \"list\") { id: ID! @unique todos: [Todo!]! @pgRelationTable(table: \"list_to_todo\", relationColumn: \"list_id\", targetColumn: \"todo_id\") }\n\
         type Todo { id: ID! @unique lists: [List!]! @pgRelationTable(table: \"list_to_todo\", relationColumn: \"todo_id\", targetColumn: \"list_id\") user: User @pgRelation(column: \"user_id\") }\n\
         type User { id: ID! @unique todos: [Todo!]! }",
        &expect![[r#"
            ListToTodo: List.todos SetNull, Todo.lists SetNull: Table { table: "list_to_todo", a_column: "list_id", b_column: "todo_id", id_column: None }
            TodoToUser: Todo.user SetNull, User.todos SetNull: Inline { end: A, column: "user_id" }
        "#]],
    );
    refused(
        "type A { id: ID! @unique bs: [B] @pgRelation(column: \"x\") c: C @pgRelation(column: \"y\") @pgRelationTable(table: \"t\", relationColumn: \"a\", targetColumn: \"b\") d: D @pgRelation(column: \"z\") e: [E] @pgRelationTable(table: \"t\") f: [F] @pgRelationTable(table: \"t\", relationColumn: \"a\", targetColumn: \"b\") }\n\
         type B { id: ID! @unique }\ntype C { id: ID! @unique }\ntype D { id: ID! @unique a: A @pgRelation(column: \"z\") }\ntype E { id: ID! @unique }\n\
         type F { id: ID! @unique a: [A] @pgRelationTable(table: \"t\", relationColumn: \"a\", targetColumn: \"b\") }",
        &expect![[r#"
            line 1, column 26: A.bs: a list has no column: write `@pgRelation` at the other field
            line 1, column 90: A.c: `@pgRelationTable` names a table, and `@pgRelation` a column: remove it
            line 1, column 196: A.e: `@pgRelationTable` has no argument `relationColumn`: write `@pgRelationTable(relationColumn: …)`
            line 1, column 196: A.e: `@pgRelationTable` has no argument `targetColumn`: write `@pgRelationTable(targetColumn: …)`
            line 4, column 26: D.a: both fields of the relation name its column: remove one of both
            line 6, column 26: F.a: the other field of the relation names another table, or other columns: remove `@pgRelationTable` from one of both
        "#]],
    );
}

/// Prisma's introspection writes a tree so.
#[test]
fn a_row_and_a_list_of_the_own_type_are_one_relation() {
    check(
        "type Part { id: Int! @id  parent: Part @db(name: \"parent_id\")  parts: [Part] }",
        &expect![[r#"
            PartToPart: Part.parent SetNull, Part.parts SetNull: Inline { end: A, column: "parent_id" }
        "#]],
    );
    refused(
        "type Part { id: Int! @id  parent: Part  parts: [Part]  others: [Part] }
         type Leaf { id: Int! @id  one: Leaf  other: Leaf @relation(link: INLINE) }",
        &expect![[r#"
            line 1, column 27: Part.parent: several fields of the type have rows of this type: say to which relation each belongs, as in `@relation(name: "MyRelation")`
            line 1, column 41: Part.parts: several fields of the type have rows of this type: say to which relation each belongs, as in `@relation(name: "MyRelation")`
            line 1, column 56: Part.others: several fields of the type have rows of this type: say to which relation each belongs, as in `@relation(name: "MyRelation")`
            line 2, column 36: Leaf.one: several fields of the type have rows of this type: say to which relation each belongs, as in `@relation(name: "MyRelation")`
            line 2, column 47: Leaf.other: several fields of the type have rows of this type: say to which relation each belongs, as in `@relation(name: "MyRelation")`
        "#]],
    );
}
