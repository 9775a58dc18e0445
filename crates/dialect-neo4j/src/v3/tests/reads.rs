use expect_test::expect;

use super::{SEARCHES, check, check_of};

#[test]
fn a_list_has_conditions_an_order_and_a_page() {
    check(
        r#"{ movies(
            where: { title_STARTS_WITH: "T", released_GTE: 1990, tags_INCLUDES: "a", NOT: { rating: null } }
            options: { sort: [{ released: DESC }, { title: ASC }], limit: 10, offset: 20 }
        ) { id title } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, filter title starts with "T" and released >= 1990 and any of tags = "a" and not (rating is null), order released desc nulls first, title asc nulls last, page limit 10 offset 20
                #0 field id
                #1 field title
        "#]],
    );
}

#[test]
fn what_is_negated_does_not_hold_null_either() {
    check(
        r#"{ movies(where: { title_NOT: "a", released_NOT_IN: [1, 2], rating_NOT: null }) { title } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, filter not (title = "a") and not (released in [1, 2]) and not (rating is null)
                #0 field title
        "#]],
    );
}

#[test]
fn related_nodes_are_a_list_or_one() {
    check(
        r#"{ movies {
            actors(where: { name: "A" }, options: { limit: 2, sort: [{ name: ASC }] }) { name }
            director { name }
        } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie
                #1 related rows 1: relation <-Person[:ACTED_IN], filter name = "A", order name asc nulls last, page limit 2
                  #0 field name
                #3 related rows 2: relation <-Person[:DIRECTED], page limit 1
                  #2 field name
        "#]],
    );
}

#[test]
fn a_relationship_is_followed_whichever_way_if_the_request_says_so() {
    check(
        "{ movies { actors(directed: false) { name } actorsAggregate(directed: false) { count } } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie
                #1 related rows 1: relation --Person[:ACTED_IN]
                  #0 field name
                #4 related rows 2: relation --Person[:ACTED_IN], not shown
                  #3 aggregate of all
                    #2 count
        "#]],
    );
}

#[test]
fn edges_show_the_properties_of_the_relationship() {
    check(
        r#"{ movies { actorsConnection(
            where: { edge: { role_CONTAINS: "N" }, node: { name: "A" } }
            first: 2
            sort: [{ edge: { role: ASC } }, { node: { name: DESC } }]
        ) { totalCount pageInfo { hasNextPage endCursor } edges { cursor role node { name } } } } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie
                #3 related rows 1: relation <-Person[:ACTED_IN], filter edge role includes "N" and name = "A", order edge role asc nulls last, name desc nulls first, page limit 2 + look-ahead
                  #0 count
                  #1 edge role
                  #2 field name
        "#]],
    );
}

#[test]
fn a_connection_at_the_root_is_paged_by_numbers() {
    check(
        r#"{ moviesConnection(first: 2, after: "YXJyYXljb25uZWN0aW9uOjE=", sort: { title: ASC }) {
            totalCount edges { cursor node { title } } } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, order title asc nulls last, page limit 2 offset part 0 of arrayconnection "YXJyYXljb25uZWN0aW9uOjE="
                #0 count
                #1 field title
        "#]],
    );
}

#[test]
fn full_text_indexes_give_nodes_with_scores_or_alone() {
    check_of(
        SEARCHES,
        r#"{
            searchBooks(phrase: "sea", where: {score: {min: 0.5}, book: {pages_GT: 3}},
                sort: [{book: {title: ASC}}, {score: DESC}], limit: 9, offset: 1) {
                score book { title authors { name } } }
            old_authors: oldAuthorsFulltextNames(phrase: "x") { oldAuthor { name } }
            books(fulltext: {titles: {phrase: "a"}}, where: {pages: 1}, options: {limit: 1}) { title }
            booksConnection(fulltext: {bookWords: {phrase: "b"}}) { totalCount edges { node { title } } }
            booksAggregate(fulltext: {titles: {phrase: "c"}}) { count }
            all: books(fulltext: {}) { title }
            two: books(fulltext: {titles: {phrase: "d"}, bookWords: {phrase: "e"}}) { title }
            none: books(fulltext: {titles: null}) { title }
        }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: search of Book by "bookWords" for "sea", filter edge score >= 0.5 and pages > 3, order title asc nulls last, edge score desc nulls first, page limit the rows before 6, limit 9 offset 1
                #0 edge score
                #1 field title
                #3 related rows 1: relation <-old_author[:WROTE]
                  #2 field name
              step 1 of root 1: read rows 2: search of old_author by "names" for "x"
                #4 field name
              step 2 of root 2: read rows 3: search of Book by "titles" for "a", filter pages = 1, page limit the rows before 6, limit 1
                #5 field title
              step 3 of root 3: read rows 4: search of Book by "bookWords" for "b", page limit 2
                #6 count
                #7 field title
              step 4 of root 4: read rows 5: search of Book by "titles" for "c", not shown
                #9 aggregate of all
                  #8 count
              step 5 of root 5: read rows 6: entity Book, page limit 2
                #10 field title
            refused Can only call one search at any given time
            refused There is nothing to search for.
        "#]],
    );
}

#[test]
fn aggregates_stand_beside_lists() {
    check(
        r#"{
            moviesAggregate(where: { released_GT: 2000 }) {
                count title { shortest } released { min max average sum }
            }
            movies { actorsAggregate { count node { name { longest } born { max } } edge { role { shortest } } } }
        }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, not shown, filter released > 2000
                #6 aggregate of all
                  #0 count
                  #1 shortest title
                  #2 minimum released
                  #3 maximum released
                  #4 average released
                  #5 total released
              step 1 of root 1: read rows 1: entity Movie
                #12 related rows 2: relation <-Person[:ACTED_IN], not shown
                  #11 aggregate of all
                    #7 count
                    #8 longest name
                    #9 maximum born
                    #10 shortest edge role
        "#]],
    );
}

#[test]
fn rows_are_found_by_what_they_are_related_to() {
    check(
        r#"{ movies(where: {
            actors_SOME: { name: "A" }
            actors_ALL: { name: "B" }
            actors_NONE: { name: "C" }
            actors_SINGLE: { name: "D" }
            actorsConnection_SOME: { edge: { role: "E" }, NOT: { node: { name: "F" } } }
            director: { name: "G" }
            director_NOT: null
        }) { title } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, filter some <-Person[:ACTED_IN] (name = "A") and (some <-Person[:ACTED_IN] (name = "B") and every <-Person[:ACTED_IN] (name = "B")) and no <-Person[:ACTED_IN] (name = "C") and one <-Person[:ACTED_IN] (name = "D") and some <-Person[:ACTED_IN] (edge role = "E" and not (name = "F")) and one <-Person[:DIRECTED] (name = "G") and some <-Person[:DIRECTED] (all)
                #0 field title
        "#]],
    );
}

#[test]
fn empty_conditions_state_nothing() {
    check(
        "{ movies(where: { actors_SOME: {}, OR: [{}], actorsAggregate: {} }) { title } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie
                #0 field title
        "#]],
    );
}

#[test]
fn rows_are_found_by_what_is_made_of_what_they_are_related_to() {
    check(
        r#"{ movies(where: { actorsAggregate: {
            count_GT: 2
            node: { name_AVERAGE_LENGTH_GTE: 3.5, OR: [{ born_MIN_LT: "2000-01-01T00:00:00Z" }] }
            edge: { role_SHORTEST_LENGTH_EQUAL: 1 }
        } }) { title } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, filter all <-Person[:ACTED_IN] (all) together (count > 2 and (average length name >= 3.5 and (minimum born < "2000-01-01T00:00:00Z" as moment)) and shortest length edge role = 1)
                #0 field title
        "#]],
    );
}

#[test]
fn any_of_several_values_passes_a_condition() {
    check(
        r#"{ movies(where: { actorsAggregate: {
            node: { name_EQUAL: "A", name_GT: 3, born_LT: "2000-01-01" } edge: { NOT: { role_EQUAL: "B" } }
        } }) { title } }"#,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, filter all <-Person[:ACTED_IN] (all) together ((any of values of name = "A" and any of lengths of name > 3 and any of values of born < "2000-01-01" as moment) and not (any of values of edge role = "B"))
                #0 field title
        "#]],
    );
}
