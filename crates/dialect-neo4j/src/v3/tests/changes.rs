use expect_test::expect;

use super::{check, check_of};

/// One film has one title, and may have a studio, which has a country.
const STUDIOS: &str = r#"
    type Film {
        isan: ID! @unique
        title: String!
        seen: Int
        changed: DateTime @timestamp(operations: [UPDATE])
        studio: Studio! @relationship(type: "MADE", direction: IN, properties: "Made")
        sequel: Film @relationship(type: "FOLLOWS", direction: IN)
    }
    type Studio {
        key: ID! @id
        name: String! @unique
        films: [Film!]! @relationship(type: "MADE", direction: OUT, properties: "Made")
    }
    interface Made @relationshipProperties {
        year: Int
        at: DateTime @timestamp(operations: [CREATE, UPDATE])
    }
"#;

#[test]
fn nodes_are_deleted_with_others() {
    check(
        r#"mutation { deleteMovies(
            where: {title: "A"}
            delete: {actors: [{where: {edge: {role: "R"}}, delete: {movies: [{}]}}], director: {}}
        ) { nodesDeleted relationshipsDeleted } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: delete Movie, filter title = "A"
                along <-Person[:ACTED_IN]: delete Person, filter edge role = "R"
                  along ->Movie[:ACTED_IN]: delete Movie
                along <-Person[:DIRECTED]: delete Person
              step 1 of root 0: read rows 1: once, single
                #0 rows deleted of step 0
                #1 links deleted of step 0
        "#]],
    );
}

#[test]
fn nodes_are_made_with_others() {
    check(
        r#"mutation { createMovies(input: [
            {title: "A", actors: {
                connect: [{where: {node: {name: "P"}}, edge: {role: "R"}, connect: [{movies: []}]}]
                create: [{node: {name: "Q"}, edge: {role: "S"}}]
            }}
            {title: "B", director: {create: {node: {name: "D"}}}}
        ]) { info { nodesCreated relationshipsCreated } movies { title } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: insert Movie [id, title]
                row new uuid, "A"
                row new uuid, "B"
                along <-Person[:ACTED_IN] of rows 0: insert Person [name]
                  row "Q"
                  edge role = "S"
                along <-Person[:ACTED_IN] of rows 0: link once Person, filter name = "P"
                  edge role = "R"
                along <-Person[:DIRECTED] of rows 1: insert Person [name]
                  row "D"
                along <-Person[:DIRECTED]: expect one or no Person, otherwise invalid "Movie.director must be less than or equal to one"
              step 1 of root 0: read rows 0: rows of step 0 after it
                #2 field title
              step 2 of root 0: read rows 1: once, single
                #0 rows inserted of step 0
                #1 links created of step 0
        "#]],
    );
}

#[test]
fn no_nodes_are_made() {
    check(
        "mutation { createMovies(input: []) { movies { title } } }",
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: insert Movie []
          step 1 of root 0: read rows 0: rows of step 0 after it
            #0 field title
    "#]],
    );
}

#[test]
fn arguments_of_an_update_are_done_in_one_order() {
    check(
        r#"mutation { updateMovies(
            create: {actors: [{node: {name: "C"}, edge: {role: "R"}}]}
            connect: {director: {where: {node: {name: "N"}}}}
            update: {released_INCREMENT: 1, tags_PUSH: ["t"], actors: [{
                create: [{node: {name: "D"}, edge: {role: "S"}}]
                connect: [{where: {node: {name: "E"}}, edge: {role: "T"}}]
                where: {node: {name: "F"}}
                update: {node: {active: true}, edge: {role: "U"}}
                disconnect: [{where: {node: {name: "G"}}}]
                delete: [{where: {node: {name: "H"}}}]
            }]}
            disconnect: {actors: [{where: {node: {name: "I"}}}]}
            where: {title: "A"}
            delete: {actors: [{where: {node: {name: "J"}}}]}
        ) { movies { title } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Movie, filter title = "A"
                released += 1
                tags push ["t"]
                along <-Person[:ACTED_IN]: delete Person, filter name = "J"
                along <-Person[:ACTED_IN]: unlink Person, filter name = "I"
                along <-Person[:ACTED_IN]: delete Person, filter name = "H"
                along <-Person[:ACTED_IN]: unlink Person, filter name = "G"
                along <-Person[:ACTED_IN]: update Person, filter name = "F"
                  active = true
                  edge role = "U"
                along <-Person[:ACTED_IN]: link once Person, filter name = "E"
                  edge role = "T"
                along <-Person[:ACTED_IN]: insert Person [name]
                  row "D"
                  edge role = "S"
                along <-Person[:DIRECTED]: link once Person, filter name = "N"
                along <-Person[:ACTED_IN]: insert Person [name]
                  row "C"
                  edge role = "R"
                along <-Person[:DIRECTED]: expect one or no Person, otherwise invalid "Movie.director must be less than or equal to one"
              step 1 of root 0: read rows 0: rows of step 0 after it
                #0 field title
        "#]],
    );
}

#[test]
fn what_is_connected_or_created_is_told_by_a_unique_value() {
    check_of(
        STUDIOS,
        r#"mutation { updateFilms(
            connectOrCreate: {studio: {where: {node: {name: "S"}}, onCreate: {node: {name: "T"}, edge: {year: 1}}}}
            update: {sequel: {connectOrCreate: {where: {node: {isan: "1"}}, onCreate: {node: {isan: "1", title: "B"}}}}}
        ) { info { nodesCreated } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Film
                along <-Film[:FOLLOWS]: link or insert Film [isan, title], same if equal in [isan]
                  row "1", "B"
                  the same row stays as it is
                along <-Studio[:MADE]: link or insert Studio [name, name, key], same if equal in [name]
                  row "S", "T", new uuid
                  the same row stays as it is
                  edge year = 1
                  edge at = now
                along <-Studio[:MADE]: expect one Studio, otherwise invalid "Film.studio required exactly once"
                along <-Film[:FOLLOWS]: expect one or no Film, otherwise invalid "Film.sequel must be less than or equal to one"
              step 1 of root 0: read rows 1: once, single
                #0 rows inserted of step 0
        "#]],
    );
    check_of(
        STUDIOS,
        r#"mutation { updateFilms(connectOrCreate: {studio: {
            where: {node: {}}, onCreate: {node: {name: "T"}}
        }}) { info { nodesCreated } } }"#,
        &expect![[r#"
            refused What is connected or created is told by a unique value.
        "#]],
    );
    check_of(
        STUDIOS,
        r#"mutation { updateFilms(connectOrCreate: {studio: {
            where: {node: {name: null}}, onCreate: {node: {name: "T"}}
        }}) { info { nodesCreated } } }"#,
        &expect![[r#"
            refused name must not be null: it tells which node is meant.
        "#]],
    );
}

#[test]
fn new_relationships_may_have_to_be_the_only_ones() {
    check_of(
        STUDIOS,
        r#"mutation { updateStudios(connect: {films: [
            {where: {node: {title: "A"}}, overwrite: false, edge: {year: 2}}
            {where: {node: {title: "B"}}, overwrite: true, connect: [{sequel: {}}]}
        ]}) { info { relationshipsCreated } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Studio
                along ->Film[:MADE]: link new Film, filter title = "A"
                  linked already, otherwise invalid "Studio.films required exactly once for a specific Film"
                  along <-Studio[:MADE]: expect one Studio, otherwise invalid "Film.studio required exactly once"
                  along <-Film[:FOLLOWS]: expect one or no Film, otherwise invalid "Film.sequel must be less than or equal to one"
                  edge year = 2
                  edge at = now
                along ->Film[:MADE]: link once Film, filter title = "B"
                  along <-Film[:FOLLOWS]: link once Film
                    along <-Studio[:MADE]: expect one Studio, otherwise invalid "Film.studio required exactly once"
                    along <-Film[:FOLLOWS]: expect one or no Film, otherwise invalid "Film.sequel must be less than or equal to one"
                  along <-Studio[:MADE]: expect one Studio, otherwise invalid "Film.studio required exactly once"
                  along <-Film[:FOLLOWS]: expect one or no Film, otherwise invalid "Film.sequel must be less than or equal to one"
                  edge at = now
              step 1 of root 0: read rows 1: once, single
                #0 links created of step 0
        "#]],
    );
}

#[test]
fn times_are_made_where_values_are_said() {
    check_of(
        STUDIOS,
        r#"mutation { updateStudios(update: {films: [
            {update: {node: {seen: 1}}}
            {update: {edge: {year: 1}}}
        ]}) { info { relationshipsCreated } } }"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Studio
                along ->Film[:MADE]: update Film
                  seen = 1
                  changed = now
                  along <-Studio[:MADE]: expect one Studio, otherwise invalid "Film.studio required exactly once"
                  along <-Film[:FOLLOWS]: expect one or no Film, otherwise invalid "Film.sequel must be less than or equal to one"
                along ->Film[:MADE]: update Film
                  edge year = 1
                  edge at = now
              step 1 of root 0: read rows 1: once, single
                #0 links created of step 0
        "#]],
    );
}

#[test]
fn null_and_two_changes_of_one_value_are_refused() {
    for (update, told) in [
        ("title: null", "Cannot set non-nullable field Movie.title to null"),
        (
            "released: 1, released_INCREMENT: 2",
            "Cannot mutate the same field multiple times in one Mutation: released",
        ),
    ] {
        let document = format!(
            "mutation {{ updateMovies(update: {{{update}}}) {{ info {{ nodesCreated }} }} }}"
        );
        super::check_refused(&document, told);
    }
}
