use expect_test::{Expect, expect};

use super::{LARGE, check_of};

/// Likes and works of people, one of which each thing is: a favourite, and a work on the desk.
const DESK: &str = r#"
    interface Work { title: String!  pages: Int  makers: [Maker!]! @relationship(type: "MADE", direction: IN) }
    type Book implements Work { title: String!  pages: Int  isbn: ID @unique  makers: [Maker!]! }
    type Play implements Work { title: String!  pages: Int  acts: Int  makers: [Maker!]! }
    union Thing = Book | Play
    type Maker {
        name: String!
        works: [Work!]! @relationship(type: "MADE", direction: OUT)
        desk: Work @relationship(type: "HAS", direction: OUT)
        favourite: Thing @relationship(type: "LOVES", direction: OUT)
    }
"#;

fn check(document: &str, expect: &Expect) {
    check_of(DESK, document, expect);
}

#[test]
fn nodes_of_an_interface_are_made_and_connected_with_a_new_node() {
    check_of(
        LARGE,
        r#"mutation { createThespians(input: [{ name: "A", productions: {
            connect: [{ where: { node: { title: "B", _on: { Film: { runtime: 1 } } } }, edge: { role: "R" } }]
            create: [{ node: { Series: { title: "C" }, Film: { title: "D", runtime: 2 } }, edge: { role: "S" } }]
        } }]) { info { bookmark } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: insert Actor [name]
                row "A"
                along ->Film[:ACTED_IN] of rows 0: insert Film [title, runtime, createdAt, flag]
                  row "D", 2, now, true
                  edge role = "S"
                along ->Film[:ACTED_IN] of rows 0: link once Film, filter title = "B" and runtime = 1
                  edge role = "R"
                along ->Series[:ACTED_IN] of rows 0: insert Series [title]
                  row "C"
                  edge role = "S"
                along ->Series[:ACTED_IN] of rows 0: link once Series, filter title = "B"
                  edge role = "R"
              step 1 of root 0: read rows 1: once, single
                #0 bookmark of step 0
        "#]],
    );
}

#[test]
fn nodes_of_an_interface_are_changed_by_what_all_have_and_by_what_some_have() {
    check_of(
        LARGE,
        r#"mutation { updateThespians(
            update: { productions: [{
                where: { node: { title: "A" }, edge: { role: "R" } }
                update: {
                    edge: { role: "S" }
                    node: { title: "B", actors: [{ disconnect: [{}] }], _on: { Series: { title: "C", episodes_INCREMENT: 1 } } }
                }
                delete: [{ where: { node: { _on: { Film: { title: "D" } } } }, delete: { actors: [{}], _on: { Series: [{ actors: [] }] } } }]
            }] }
            connect: { productions: [{ where: { node: { title: "E" } }, connect: { actors: [{}] } }] }
            disconnect: { productions: [{ where: { edge: { role: "T" } } }] }
            create: { productions: [{ node: { Film: { title: "F", runtime: 3 } } }] }
        ) { info { nodesCreated } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Actor
                along ->Film[:ACTED_IN]: unlink Film, filter edge role = "T"
                along ->Series[:ACTED_IN]: unlink Series, filter edge role = "T"
                along ->Film[:ACTED_IN]: delete Film, filter title = "D"
                  along <-Actor[:ACTED_IN]: delete Actor
                along ->Film[:ACTED_IN]: update Film, filter title = "A" and edge role = "R"
                  title = "B"
                  along <-Actor[:ACTED_IN]: unlink Actor
                  edge role = "S"
                along ->Series[:ACTED_IN]: delete Series, filter none
                along ->Series[:ACTED_IN]: update Series, filter title = "A" and edge role = "R"
                  title = "C"
                  episodes += 1
                  along <-Actor[:ACTED_IN]: unlink Actor
                  edge role = "S"
                along ->Film[:ACTED_IN]: link once Film, filter title = "E"
                  along <-Actor[:ACTED_IN]: link once Actor
                along ->Series[:ACTED_IN]: link once Series, filter title = "E"
                  along <-Actor[:ACTED_IN]: link once Actor
                along ->Film[:ACTED_IN]: insert Film [title, runtime, createdAt, flag]
                  row "F", 3, now, true
              step 1 of root 0: read rows 1: once, single
                #0 rows inserted of step 0
        "#]],
    );
}

#[test]
fn nodes_of_a_union_are_said_type_by_type() {
    check_of(
        LARGE,
        r#"mutation { updateThespians(
            update: { things: { Film: [{
                where: { node: { title: "A" } }
                update: { node: { title: "B" } }
                connect: [{ where: { node: { title: "C" } } }]
            }] } }
            connect: { things: { Series: [{ where: { node: { title: "D" } } }] } }
            delete: { things: { Film: [{ where: { node: { title: "E" } } }] } }
            create: { things: { Series: [{ node: { title: "F" } }] } }
        ) { info { nodesCreated } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Actor
                along ->Film[:LIKES]: delete Film, filter title = "E"
                along ->Film[:LIKES]: update Film, filter title = "A"
                  title = "B"
                along ->Film[:LIKES]: link once Film, filter title = "C"
                along ->Series[:LIKES]: link once Series, filter title = "D"
                along ->Series[:LIKES]: insert Series [title]
                  row "F"
              step 1 of root 0: read rows 1: once, single
                #0 rows inserted of step 0
        "#]],
    );
}

#[test]
fn of_a_relationship_to_one_node_there_is_none_before() {
    check(
        r#"mutation { updateMakers(
            connect: { desk: { where: { node: { title: "A" } } } }
            create: { favourite: { Book: { node: { title: "B" } } } }
        ) { info { nodesCreated } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Maker
                along ->Book[:HAS]: expect no Book, otherwise invalid "Relationship field \"Maker.desk\" cannot have more than one node linked"
                along ->Play[:HAS]: expect no Play, otherwise invalid "Relationship field \"Maker.desk\" cannot have more than one node linked"
                along ->Book[:HAS]: link once Book, filter title = "A"
                along ->Play[:HAS]: link once Play, filter title = "A"
                along ->Book[:LOVES]: expect no Book, otherwise invalid "Relationship field \"Maker.favourite\" cannot have more than one node linked"
                along ->Play[:LOVES]: expect no Play, otherwise invalid "Relationship field \"Maker.favourite\" cannot have more than one node linked"
                along ->Book[:LOVES]: insert Book [title]
                  row "B"
              step 1 of root 0: read rows 1: once, single
                #0 rows inserted of step 0
        "#]],
    );
    check(
        r#"mutation { createMakers(input: [{ name: "A", desk: { create: { node: {
            Book: { title: "B" }, Play: { title: "C" } } } } }]) { info { nodesCreated } } }"#,
        &expect![[r#"
            refused Relationship field "Maker.desk" cannot have more than one node linked
        "#]],
    );
    check(
        r#"mutation { createMakers(input: [{ name: "A", favourite: {
            Book: { create: { node: { title: "B" } } }, Play: { create: { node: { title: "C" } } }
        } }]) { info { nodesCreated } } }"#,
        &expect![[r#"
            refused Relationship field "Maker.favourite" cannot have more than one node linked
        "#]],
    );
}

#[test]
fn a_member_of_a_union_is_connected_or_created() {
    check(
        r#"mutation { updateMakers(connectOrCreate: { favourite: { Book: {
            where: { node: { isbn: "1" } }, onCreate: { node: { title: "A" } } } } })
            { info { nodesCreated } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Maker
                along ->Book[:LOVES]: link or insert Book [isbn, title], same if equal in [isbn]
                  row "1", "A"
                  the same row stays as it is
              step 1 of root 0: read rows 1: once, single
                #0 rows inserted of step 0
        "#]],
    );
}

#[test]
fn two_changes_of_one_value_are_refused_with_the_name_of_the_type() {
    check(
        r#"mutation { updateMakers(update: { works: [{ update: { node: {
            pages_INCREMENT: 1, pages_DECREMENT: 1 } } }] }) { info { nodesCreated } } }"#,
        &expect![[r#"
            refused Conflicting modification of [[pages_INCREMENT]], [[pages_DECREMENT]] on type Book
        "#]],
    );
    check(
        r#"mutation { updateBooks(update: { pages: 2, pages_INCREMENT: 1 }) { info { nodesCreated } } }"#,
        &expect![[r#"
            refused Cannot mutate the same field multiple times in one Mutation: pages
        "#]],
    );
}

#[test]
fn nodes_of_several_types_are_found_by_what_all_of_them_lead_to() {
    check(
        r#"{ makers(where: { worksConnection_SOME: { node: {
            makers_ALL: { name: "A" }, makersAggregate: { count_GT: 2 }, makersConnection_NONE: { node: { name: "B" } } } } })
            { desk { title } favourite { ... on Book { isbn } } } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Maker, filter some ->Book[:MADE] ((some <-Maker[:MADE] (name = "A") and every <-Maker[:MADE] (name = "A")) and all <-Maker[:MADE] (all) together (count > 2) and no <-Maker[:MADE] (name = "B")) or some ->Play[:MADE] ((some <-Maker[:MADE] (name = "A") and every <-Maker[:MADE] (name = "A")) and all <-Maker[:MADE] (all) together (count > 2) and no <-Maker[:MADE] (name = "B"))
                #3 related rows 1: variants, page limit 1
                  variant ->Book[:HAS], common [title, pages]
                    #1 field title
                  variant ->Play[:HAS], common [title, pages]
                    #2 field title
                  #0 variant
                #6 related rows 2: variants, page limit 1
                  variant ->Book[:LOVES]
                    #5 field isbn
                  variant ->Play[:LOVES]
                  #4 variant
        "#]],
    );
}
