use std::fmt::Write as _;

use expect_test::{Expect, expect};
use storage::model as target;

use super::{FieldStorage, Side, Stored, stored};
use crate::definitions::read;
use crate::model::Model;

/// Compares the storage of definitions, and the places of fields.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    let model = read(text).unwrap_or_else(|problems| panic!("{problems:?}"));
    let stored = stored(&model);
    let mut printed = print_model(&stored.model);
    printed.push_str(&print_places(&model, &stored));
    expected.assert_eq(&printed);
}

fn print_model(model: &target::Model) -> String {
    let mut printed = String::new();
    for entity in &model.entities {
        let _ = writeln!(printed, "entity {} {:?}", entity.name, entity.key);
        for field in &entity.fields {
            let list = if field.is_list { " list" } else { "" };
            let required = if field.is_required { " required" } else { "" };
            let unique = if field.is_unique { " unique" } else { "" };
            let (name, r#type) = (&field.name, field.r#type);
            let _ = write!(printed, "  {name} {type:?}{list}{required}{unique}");
            let _ = writeln!(printed, " {:?}", field.indexes);
        }
    }
    for group in &model.groups {
        let members = group.members.iter().map(|index| &*model.entities[index.0].name);
        let members = members.collect::<Vec<_>>().join(" ");
        let _ = writeln!(printed, "group {}: {members}, unique {:?}", group.name, group.unique);
    }
    for relation in &model.relations {
        let (near, far) = (&relation.near, &relation.far);
        let _ = writeln!(printed, "{} -- {}", print_end(model, near), print_end(model, far));
    }
    for r#enum in &model.enums {
        let _ = writeln!(printed, "enum {}: {}", r#enum.name, r#enum.labels.join(" "));
    }
    printed
}

fn print_end(model: &target::Model, end: &target::End) -> String {
    let of = match end.of {
        target::EndOf::Entity(index) => &model.entities[index.0].name,
        target::EndOf::Group(index) => &model.groups[index.0].name,
    };
    let list = if end.is_list { " list" } else { "" };
    let required = if end.is_required { " required" } else { "" };
    let field = end.field.as_deref().unwrap_or("()");
    format!("{of}.{field}{list}{required}")
}

fn print_places(model: &Model, stored: &Stored) -> String {
    let mut printed = String::new();
    for (r#type, places) in model.types.iter().zip(&stored.types) {
        let Some(places) = places else { continue };
        let fields = r#type.fields.iter().zip(&places.fields).map(|(field, place)| {
            let place = match place {
                None => "none".to_owned(),
                Some(FieldStorage::Key) => "key".to_owned(),
                Some(FieldStorage::Field(index)) => format!("field {index}"),
                Some(FieldStorage::Relation { relation, side: Side::Near }) => {
                    format!("{relation} near")
                }
                Some(FieldStorage::Relation { relation, side: Side::Far }) => {
                    format!("{relation} far")
                }
                Some(FieldStorage::Members) => "members".to_owned(),
                Some(FieldStorage::Coalesce(indexes)) => format!("first of {indexes:?}"),
            };
            format!("{}: {place}", field.name)
        });
        let secret = places.secret.map(|index| format!(", secret: field {index}"));
        let fields = fields.collect::<Vec<_>>().join(", ");
        let _ = writeln!(printed, "{} {fields}{}", r#type.name, secret.unwrap_or_default());
    }
    printed
}

#[test]
fn scalars_are_columns() {
    check(
        "type A @secret(field: \"pwd\") { key: ID! a: Boolean @search b: Int! @search c: Int64 @search\n\
         d: Float @search e: String @search(by: [hash, term, fulltext, trigram, ngram])\n\
         f: DateTime @search g: E! @search h: [E] @search(by: [exact]) i: [String!]! j: Point @search\n\
         k: MultiPolygon l: [Float!] @embedding @search(by: [\"hnsw(metric: cosine)\"])\n\
         m: String! @id @search(by: [regexp]) n: Int @id o: String @search(by: [exact]) }\n\
         enum E { ONE TWO }",
        &expect![[r#"
            entity A Sequence { column: "key" }
              a Boolean [Equality]
              b Int32 required [Order]
              c Int64 [Order]
              d Float64 [Order]
              e Text [FullText, Equality, WordSequences, Terms, Trigram]
              f DateTime [Order]
              g Enum(EnumIndex(0)) required [Equality]
              h Enum(EnumIndex(0)) list [Order]
              i Text list required []
              j Point [Geo]
              k MultiPolygon []
              l Vector [Vector { metric: Cosine, candidates: None }]
              m Text required unique [Trigram]
              n Int32 unique []
              o Text [Order]
              pwd Password []
            enum E: ONE TWO
            A key: key, a: field 0, b: field 1, c: field 2, d: field 3, e: field 4, f: field 5, g: field 6, h: field 7, i: field 8, j: field 9, k: field 10, l: field 11, m: field 12, n: field 13, o: field 14, secret: field 15
        "#]],
    );
}

#[test]
fn stored_names_are_names_of_tables_and_columns() {
    check(
        "type A @dgraph(type: \"Thing\") { a: String @dgraph(pred: \"Thing.b\")\n\
         c: String @dgraph(pred: \"Other.d\") e: String @dgraph(pred: \"f\") g: String @dgraph(pred: \"f\")\n\
         h: A @dgraph(pred: \"Thing.parent\") }",
        &expect![[r#"
            entity Thing Sequence { column: "id" }
              b Text []
              Other.d Text []
              f Text []
            Thing.parent -- Thing.() list
            A a: field 0, c: field 1, e: field 2, g: field 2, h: 0 near
        "#]],
    );
}

#[test]
fn predicates_that_differ_by_their_type_have_columns_of_their_own() {
    check(
        "interface I { id: ID! a: Int! @id(interface: true) }\n\
         type T implements I { b: Int @dgraph(pred: \"T.a\") c: Int @dgraph(pred: \"d\") d: Int e: T\n\
         f: T @dgraph(pred: \"e\") }\ntype U implements I { d: Int }",
        &expect![[r#"
            entity T Sequence { column: "id" }
              I.a Int32 required unique []
              T.a Int32 []
              d Int32 []
              T.d Int32 []
            entity U Sequence { column: "id" }
              I.a Int32 required unique []
              d Int32 []
            group I: T U, unique ["I.a"]
            T.T.e -- T.() list
            T.e -- T.() list
            I id: key, a: members
            T id: key, a: field 0, b: field 1, c: field 2, d: field 3, e: 0 near, f: 1 near
            U id: key, a: field 0, d: field 1
        "#]],
    );
}

#[test]
fn keys_have_free_names() {
    check(
        "type A { id: String! @id }\ntype B { id: A }\ntype C { key: ID d: Int }\ntype D { e: Int }",
        &expect![[r#"
            entity A Sequence { column: "uid" }
              id Text required unique []
            entity B Sequence { column: "uid" }
            entity C Sequence { column: "key" }
              d Int32 []
            entity D Sequence { column: "id" }
              e Int32 []
            B.id -- A.() list
            A id: field 0
            B id: 0 near
            C key: key, d: field 0
            D e: field 0
        "#]],
    );
}

#[test]
fn types_of_one_stored_name_are_one_entity() {
    check(
        "type A @dgraph(type: \"T\") { id: ID! a: Int! b: Int! c: B }\n\
         type B @dgraph(type: \"T\") { a: Int! d: String @search c: B }",
        &expect![[r#"
            entity T Sequence { column: "id" }
              a Int32 required []
              b Int32 []
              d Text [Terms]
            T.c -- T.() list
            A id: key, a: field 0, b: field 1, c: 0 near
            B a: field 0, d: field 2, c: 0 near
        "#]],
    );
}

#[test]
fn a_field_and_its_inverse_are_one_relation() {
    check(
        "type Author { id: ID! name: String! posts: [Post!]! @hasInverse(field: author) }\n\
         type Post { id: ID! author: Author! editors: [Author] related: [Post] next: Post tags: [Tag] }\n\
         type Tag { name: String! @id posts: [Post] @hasInverse(field: tags) }",
        &expect![[r#"
            entity Author Sequence { column: "id" }
              name Text required []
            entity Post Sequence { column: "id" }
            entity Tag Sequence { column: "id" }
              name Text required unique []
            Author.posts list -- Post.author required
            Post.editors list -- Author.() list
            Post.related list -- Post.() list
            Post.next -- Post.() list
            Post.tags list -- Tag.posts list
            Author id: key, name: field 0, posts: 0 near
            Post id: key, author: 0 far, editors: 1 near, related: 2 near, next: 3 near, tags: 4 near
            Tag name: field 0, posts: 4 far
        "#]],
    );
}

#[test]
fn relations_of_rows_with_each_other() {
    check(
        "type P { id: ID! friends: [P] @hasInverse(field: friends) spouse: P @hasInverse(field: spouse)\n\
         parent: P @hasInverse(field: children) children: [P] }",
        &expect![[r#"
            entity P Sequence { column: "id" }
            P.friends list -- P.friends list
            P.spouse -- P.spouse
            P.parent -- P.children list
            P id: key, friends: 0 near, spouse: 1 near, parent: 2 near, children: 2 far
        "#]],
    );
}

#[test]
fn reverse_predicates_are_ends() {
    check(
        "type Movie { directors: [Director] @dgraph(pred: \"~directed.movies\") name: String }\n\
         type Director { movies: [Movie] @dgraph(pred: \"directed.movies\") }",
        &expect![[r#"
            entity Movie Sequence { column: "id" }
              name Text []
            entity Director Sequence { column: "id" }
            Movie.directors list -- Director.directed.movies list
            Movie directors: 0 near, name: field 0
            Director movies: 0 far
        "#]],
    );
}

#[test]
fn lists_of_interfaces_are_relations_of_groups() {
    check(
        "interface Character { id: ID! name: String! @id(interface: true) friends: [Character]\n\
         home: Planet enemy: Resident }\n\
         type Human implements Character { ship: Ship }\ntype Droid implements Character { owner: Human }\n\
         type Ship { length: Float }\ntype Planet { residents: [Resident!] leader: Character }\n\
         union Resident = Human | Ship",
        &expect![[r#"
            entity Human Sequence { column: "id" }
              name Text required unique []
            entity Droid Sequence { column: "id" }
              name Text required unique []
            entity Ship Sequence { column: "id" }
              length Float64 []
            entity Planet Sequence { column: "id" }
            group Character: Human Droid, unique ["name"]
            group Resident: Human Ship, unique []
            Character.friends list -- Character.() list
            Human.home -- Planet.() list
            Human.enemy -- Resident.() list
            Human.ship -- Ship.() list
            Droid.home -- Planet.() list
            Droid.enemy -- Resident.() list
            Droid.owner -- Human.() list
            Planet.residents list -- Resident.() list
            Planet.leader -- Character.() list
            Character id: key, name: members, friends: 0 near, home: members, enemy: members
            Human id: key, name: field 0, friends: 0 near, home: 1 near, enemy: 2 near, ship: 3 near
            Droid id: key, name: field 0, friends: 0 near, home: 4 near, enemy: 5 near, owner: 6 near
            Ship length: field 0
            Planet residents: 7 near, leader: 8 near
        "#]],
    );
}

#[test]
fn an_inverse_of_an_interface_is_a_relation_of_its_group() {
    check(
        "type Author { id: ID! posts: [Post] @hasInverse(field: author) }\n\
         interface Post { id: ID! author: Author! }\n\
         type Question implements Post { a: Int }\ntype Answer implements Post { b: Int }",
        &expect![[r#"
            entity Author Sequence { column: "id" }
            entity Question Sequence { column: "id" }
              a Int32 []
            entity Answer Sequence { column: "id" }
              b Int32 []
            group Post: Question Answer, unique []
            Author.posts list -- Post.author required
            Author id: key, posts: 0 near
            Post id: key, author: 0 far
            Question id: key, author: 0 far, a: field 0
            Answer id: key, author: 0 far, b: field 0
        "#]],
    );
}

#[test]
fn inverses_of_types_are_relations_of_their_own() {
    check(
        "type Author { id: ID! questions: [Question] @hasInverse(field: author)\n\
         answers: [Answer] @hasInverse(field: author) }\n\
         interface Post { id: ID! author: Author! }\n\
         type Question implements Post { a: Int }\ntype Answer implements Post { b: Int }",
        &expect![[r#"
            entity Author Sequence { column: "id" }
            entity Question Sequence { column: "id" }
              a Int32 []
            entity Answer Sequence { column: "id" }
              b Int32 []
            group Post: Question Answer, unique []
            Author.questions list -- Question.author required
            Author.answers list -- Answer.author required
            Author id: key, questions: 0 near, answers: 1 near
            Post id: key, author: members
            Question id: key, author: 0 far, a: field 0
            Answer id: key, author: 1 far, b: field 0
        "#]],
    );
}

#[test]
fn a_reverse_predicate_of_one_type_has_the_rows_of_the_interface() {
    check(
        "type Thing { a: Int owner: Person @dgraph(pred: \"owner\") }\n\
         interface Person { name: String }\n\
         type Boss implements Person { things: [Thing] @dgraph(pred: \"~owner\") }\n\
         type Cat implements Person { b: Int }",
        &expect![[r#"
            entity Thing Sequence { column: "id" }
              a Int32 []
            entity Boss Sequence { column: "id" }
              name Text []
            entity Cat Sequence { column: "id" }
              name Text []
              b Int32 []
            group Person: Boss Cat, unique []
            Thing.owner -- Person.things list
            Thing a: field 0, owner: 0 near
            Person name: members
            Boss name: field 0, things: 0 far
            Cat name: field 0, b: field 1
        "#]],
    );
}

#[test]
fn languages_are_columns() {
    check(
        "type P { name: String @search nameEn: String @dgraph(pred: \"P.name@en\")\n\
         nameFr: String @dgraph(pred: \"P.name@fr\") any: String @dgraph(pred: \"P.name@.\")\n\
         first: String @dgraph(pred: \"P.name@fr:en\") last: String @dgraph(pred: \"P.name@fr:de:.\") }",
        &expect![[r#"
            entity P Sequence { column: "id" }
              name Text [Terms]
              name@en Text []
              name@fr Text []
              name@de Text []
            P name: field 0, nameEn: field 1, nameFr: field 2, any: first of [0, 1, 2, 3], first: first of [2, 1], last: first of [2, 3, 0, 1]
        "#]],
    );
}

#[test]
fn languages_without_fields_are_columns() {
    check(
        "type P { any: String @dgraph(pred: \"P.name@.\") @search(by: [hash])\n\
         nameEn: String @dgraph(pred: \"P.name@en\") first: String @dgraph(pred: \"P.name@it:en\")\n\
         other: String @dgraph(pred: \"label@fr:.\") }",
        &expect![[r#"
            entity P Sequence { column: "id" }
              name@en Text [Equality]
              name Text [Equality]
              name@it Text [Equality]
              label@fr Text []
              label Text []
            P any: first of [1, 0, 2], nameEn: field 0, first: first of [2, 0], other: first of [3, 4]
        "#]],
    );
}

#[test]
fn fields_of_other_servers_and_subgraphs_are_not_stored() {
    let http = "@custom(http: {url: \"http://a.example\", method: GET})";
    check(
        &format!(
            "type R @remote {{ a: Int }}\nunion U @remote = S\nenum E @remote {{ F }}\n\
             type S {{ id: ID! b: Int r: R {http} u: U {http} }}\n\
             extend type User @key(fields: \"id\") {{ id: ID! @external name: String @external\n\
             age: Int @external posts: [S] }}\ntype V {{ user: User @provides(fields: \"age\") }}"
        ),
        &expect![[r#"
            entity S Sequence { column: "id" }
              b Int32 []
            entity V Sequence { column: "id" }
            entity User Sequence { column: "uid" }
              id Text required unique []
              age Int32 []
            V.user -- User.() list
            User.posts list -- S.() list
            S id: key, b: field 0, r: none, u: none
            V user: 0 near
            User id: field 0, name: none, age: field 1, posts: 1 near
        "#]],
    );
}
