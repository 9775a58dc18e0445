//! The schemas that version 7 makes of type definitions, as `@neo4j/graphql` 7.6.3
//! prints them of the same.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use api::Api;
use api::check::misbound;
use catalog::{Builder, Capabilities, Catalog, RelationshipKind};
use dialect_neo4j::model::ApiVersion;
use dialect_neo4j::v7::{self, Options};
use dialect_neo4j::{catalog as graph, definitions};
use expect_test::{Expect, expect};
use graphql::variables::Steering;
use graphql::{
    DocumentLimits, Request, Validator, coerce_variable_values, print_schema, validate_schema,
};
use lowering::{Introspection, LowerError, Lowered, lower};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/v7")
}

/// The API of definitions, and the catalog that they become.
fn made(definitions: &str, options: Options) -> (Api, Catalog) {
    let model = definitions::read(definitions, ApiVersion::V7).unwrap();
    let mut catalog = Builder::new(Capabilities::default()).finish();
    let placed = graph::declare(&mut catalog, &model);
    (v7::api(&model, &placed, options), catalog)
}

fn definitions_of(name: &str) -> String {
    fs::read_to_string(folder().join(format!("{name}.types.graphql"))).unwrap()
}

/// Compares with what the library prints; `UPDATE_EXPECT` is of no use here, for the expectation is
/// the library's.
fn check(name: &str, options: Options) {
    let ending = if options.exclude_deprecated { ".clean" } else { "" };
    let expected = folder().join(format!("{name}.schema{ending}.graphql"));
    let (api, _) = made(&definitions_of(name), options);
    validate_schema(&api.schema).unwrap();
    assert!(api.notes.is_empty(), "{name}: {:?}", api.notes);
    assert_eq!(misbound(&api), [], "{name}");
    let printed = print_schema(&api.schema);
    assert_same(name, &printed, &fs::read_to_string(expected).unwrap());
}

/// Tells the first line that differs: the texts have thousands.
fn assert_same(name: &str, printed: &str, expected: &str) {
    let lines = printed.lines().zip(expected.lines()).enumerate();
    for (place, (printed, expected)) in lines {
        assert_eq!(printed, expected, "{name}, line {}", place + 1);
    }
    assert_eq!(printed.lines().count(), expected.lines().count(), "{name}: number of lines");
}

const ALL: Options = Options {
    exclude_deprecated: false,
    filters: Vec::new(),
    limit_required: false,
    mutations: true,
};

#[test]
fn statements_of_the_author_print_as_the_library_prints_them() {
    check("statements", ALL);
}

#[test]
fn statements_of_the_roots_are_an_api_by_themselves() {
    check("roots", ALL);
}

#[test]
fn nodes_and_relationships_are_as_the_library_shows_them() {
    check("library", ALL);
}

#[test]
fn what_the_server_makes_is_as_the_library_shows_it() {
    check("defaults", ALL);
}

#[test]
fn what_is_offered_of_each_type_and_field_is_as_the_library_shows_it() {
    check("offers", ALL);
}

#[test]
fn interfaces_and_unions_are_as_the_library_shows_them() {
    check("abstract", ALL);
}

#[test]
fn subscriptions_are_as_the_library_shows_them() {
    check("subscriptions", ALL);
    check("subscriptions", Options { exclude_deprecated: true, ..ALL });
}

#[test]
fn global_ids_are_as_the_library_shows_them() {
    check("global", ALL);
}

#[test]
fn ways_to_one_node_are_as_the_library_shows_them() {
    check("one", ALL);
}

#[test]
fn a_declared_way_to_one_node_is_not_connected() {
    // The library prints inputs without fields here.
    let definitions =
        "type Movie @node { places: [Place!]! @relationship(type: \"AT\", direction: OUT) }
         interface Place { mayor: Person @declareRelationship }
         type City implements Place @node {
           mayor: Person @relationship(type: \"MAYOR\", direction: IN) }
         type Person @node { name: String }";
    let (api, _) = made(definitions, ALL);
    validate_schema(&api.schema).unwrap();
    assert_eq!(api.schema.find_type("PlaceConnectInput"), None);
    assert!(api.schema.find_type("PlaceDeleteInput").is_some());
}

#[test]
fn searches_are_as_the_library_shows_them() {
    check("searches", ALL);
}

#[test]
fn what_the_library_deprecates_can_be_left_out() {
    check("library", Options { exclude_deprecated: true, ..ALL });
}

/// As the library prints it with `filters` and `limitRequired` among its features.
#[test]
fn operators_on_texts_that_are_asked_for_are_as_the_library_shows_them() {
    let filters = [
        "String.LT",
        "String.MATCHES",
        "String.GTE",
        "String.CASE_INSENSITIVE",
        "ID.MATCHES",
        "ID.GT",
    ];
    let filters = filters.iter().map(|filter| filter.parse().unwrap()).collect();
    check("filters", Options { filters, limit_required: true, ..ALL });
}

#[test]
fn groups_are_as_the_library_shows_them() {
    check("groups", ALL);
}

#[test]
fn an_api_without_changes_has_no_mutation_type() {
    let definitions = "type Movie @node { title: String! }";
    let (api, _) = made(definitions, Options::default());
    assert_eq!(api.schema.mutation, None);
    assert_eq!(api.schema.find_type("MovieCreateInput"), None);
}

#[test]
fn a_connection_may_be_of_a_relationship_and_of_all_nodes() {
    let definitions = "type User @node { name: String
           facts: [UserFacts!]! @relationship(type: \"HAS\", direction: OUT) }
         type UserFacts @node { value: Int }";
    let (api, _) = made(definitions, ALL);
    validate_schema(&api.schema).unwrap();
    let printed = print_schema(&api.schema);
    assert!(printed.contains("type UserFactsConnection {\n  edges: [UserFactsRelationship!]!"));
    assert!(printed.contains("\n  userFactsConnection(") && !printed.contains("UserFactsEdge"));
}

#[test]
fn hundreds_of_types_take_milliseconds() {
    let mut definitions = String::new();
    for number in 0..400 {
        definitions.push_str(&format!(
            "type Part{number} @node {{ id: ID! @id name: String! weight: Float made: DateTime \
             next: [Part{}!]! @relationship(type: \"NEXT\", direction: OUT, properties: \"Step\") \
             last: [Part{}!]! @relationship(type: \"LAST\", direction: IN) }}\n",
            (number + 1) % 400,
            (number + 399) % 400,
        ));
    }
    definitions.push_str("type Step @relationshipProperties { length: Int! }");
    let begun = Instant::now();
    let (api, _) = made(&definitions, ALL);
    // Without optimization and beside other tests it is many times what a server takes.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(api.schema.find_type("Part399LastConnectionAggregateInput").is_some());
}

fn lowered(api: &Api, document: &str, variables: &str) -> Result<Lowered, LowerError> {
    let request = format!("{{\"query\": {document:?}, \"variables\": {variables}}}");
    let request = Request::from_json(request.as_bytes()).unwrap();
    let validator = Validator::new(&api.schema);
    let limits = DocumentLimits::default();
    let operation = validator.operation(&api.schema, document, None, &limits).unwrap();
    let values = coerce_variable_values(&api.schema, &operation, &request.variables).unwrap();
    lower(api, &operation, Steering::new(&values), &Introspection::new(), 10_000)
}

/// What is said where an operation is not taken.
fn check_refused(name: &str, document: &str, expected: &str) {
    let (api, _) = made(&definitions_of(name), ALL);
    let shape = lowered(&api, document, "{}").unwrap().shape;
    let refused = shape.nodes.iter().find_map(|node| match node {
        response::Node::Refused(text) => Some(&**text),
        _ => None,
    });
    assert_eq!(refused, Some(expected), "{document}");
}

/// The request that an operation on a file of definitions becomes.
fn check_request(name: &str, document: &str, expect: &Expect) {
    check_request_of(name, ALL, document, expect);
}

fn check_request_of(name: &str, options: Options, document: &str, expect: &Expect) {
    let (api, catalog) = made(&definitions_of(name), options);
    let lowered = lowered(&api, document, "{}").unwrap();
    expect.assert_eq(&ir::print(&lowered.request, &catalog));
}

#[test]
fn a_list_of_related_nodes_has_each_once_and_a_connection_each_relationship() {
    check_request(
        "library",
        "{ authors(where: {name: {eq: \"Ada\"}}, sort: [{born: DESC}], limit: 2, offset: 1) {
             name books { title }
             booksConnection(first: 2, after: \"x\", where: {edge: {year: {gt: 1990}}},
                 sort: [{edge: {role: ASC}}, {node: {title: ASC}}]) {
               totalCount edges { cursor properties { role } node { title } }
               aggregate { count { nodes edges } node { pages { sum } } edge { share { max } } } } } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Author, filter name = "Ada", order born desc nulls first, page limit 2 offset 1
                #0 field name
                #2 related rows 1: relation ->Book[:WROTE], each once
                  #1 field title
                #11 related rows 2: relation ->Book[:WROTE], filter edge year > 1990, order edge role asc nulls last, title asc nulls last, page limit 2 offset part 0 of arrayconnection "x"
                  #3 count
                  #4 edge role
                  #5 field title
                  #10 aggregate of all
                    #6 distinct count
                    #7 count
                    #8 total pages, each once
                    #9 maximum edge share
        "#]],
    );
}

#[test]
fn a_list_is_never_longer_than_its_type_lets_it() {
    let definitions = "interface Any @limit(max: 4) { name: String } \
        type Few implements Any @node @limit(default: 2, max: 3) { name: String \
          more: [Few!]! @relationship(type: \"MORE\", direction: OUT) \
          anys: [Any!]! @relationship(type: \"ANY\", direction: OUT) } \
        type Most @node @limit(max: 5) { name: String }";
    let (api, catalog) = made(definitions, ALL);
    let document = "query ($limit: Int) { fews { more(limit: 9) { name } \
        moreConnection { edges { node { name } } } anys(limit: 1) { name } } \
        mosts { name } one: mosts(limit: $limit) { name } \
        mostsConnection(first: 7) { edges { node { name } } } }";
    let request =
        |variables| ir::print(&lowered(&api, document, variables).unwrap().request, &catalog);
    let given = request("{\"limit\": 8}");
    expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: entity Few, page limit 2
            #1 related rows 1: relation ->Few[:MORE], each once, page limit the rows before 4, limit 9
              #0 field name
            #3 related rows 2: relation ->Few[:MORE], page limit 2
              #2 field name
            #6 related rows 3: variants, each once, page limit the rows before 5, limit 1
              variant ->Few[:ANY], common [name]
                #5 field name
              #4 variant
          step 1 of root 1: read rows 4: entity Most, page limit 5
            #7 field name
          step 2 of root 2: read rows 5: entity Most, page limit the rows before 6, limit $0
            #8 field name
          step 3 of root 3: read rows 6: entity Most, page limit the rows before 6, limit 7
            #9 field name
    "#]].assert_eq(&given);
    // What is not given, or null, is as the type has it.
    let absent = request("{}");
    assert_eq!(absent, request("{\"limit\": null}"));
    assert_eq!(absent, request("{\"limit\": 0}"));
    assert_ne!(absent, given);
}

#[test]
fn conditions_are_said_by_objects_and_by_endings_of_names() {
    check_request(
        "library",
        "{ books(where: {OR: [{title_STARTS_WITH: \"A\"}, {tags: {includes: \"b\"}}, {isbn: {eq: null}}],
             NOT: {pages_LT: 3}, authors: {some: {name: {in: [\"x\"]}}, all: {born: {gte: 1}}},
             editors_NONE: {alive: {eq: true}},
             authorsConnection: {single: {edge: {role: {eq: \"r\"}}},
               aggregate: {count: {edges: {gt: 1}}, node: {name: {averageLength: {lt: 9}}}}},
             editorsAggregate: {count_GTE: 2, node: {born_MIN_EQUAL: 1}}}) { title } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Book, filter (title starts with "A" or any of tags = "b" or isbn is null) and not (pages < 3) and (some <-Author[:WROTE] (name in ["x"]) and (some <-Author[:WROTE] (born >= 1) and every <-Author[:WROTE] (born >= 1))) and no <-Author[:EDITED] (alive = true) and (one <-Author[:WROTE] (edge role = "r") and all <-Author[:WROTE] (all, each once) together (count > 1 and average length name < 9)) and all <-Author[:EDITED] (all) together (count >= 2 and minimum born = 1)
                #0 field title
        "#]],
    );
}

#[test]
fn operators_on_texts_that_are_asked_for_are_conditions() {
    let filters = ["String.MATCHES", "String.CASE_INSENSITIVE", "String.GT", "ID.LTE"];
    let filters = filters.iter().map(|filter| filter.parse().unwrap()).collect();
    check_request_of(
        "filters",
        Options { filters, ..ALL },
        "{ movies(where: {name: {matches: \"A.*\", gt: \"B\"}, old_MATCHES: \"x\", code_LTE: 3,
               score_GT: \"s\"}) { name }
           people(where: {name: {caseInsensitive: {eq: \"a\", in: [\"b\"], startsWith: \"c\",
               matches: \"d\", gt: null}}}) { name }
           none: people(where: {name: {caseInsensitive: {}}}) { name } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, filter (name matches "A.*" and name > "B") and old matches "x" and code <= "3" and Movie.score(row) > "s"
                #0 field name
              step 1 of root 1: read rows 1: entity Person, filter (name else "nobody") = ignoring case "a" and (name else "nobody") in ignoring case ["b"] and (name else "nobody") starts with ignoring case "c" and (name else "nobody") matches ignoring case "d" and name is null
                #1 field name
              step 2 of root 2: read rows 2: entity Person
                #2 field name
        "#]],
    );
}

#[test]
fn nodes_are_put_in_groups_by_what_is_said_to_be_true() {
    check_request(
        "groups",
        "{ moviesConnection(where: {rating: {gt: 1}}, first: 3) {
             totalCount
             groupBy(fields: {year: true, name: false, code: true, score: true}) {
               __typename edges { node { name actors { age } } } more: edges { node { rating } } } }
           all: peopleConnection { groupBy(fields: {}) { edges { node { age } } } } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Movie, not shown, filter rating > 1, page limit 3
                #0 count
                #5 groups by year, ident, Movie.score(row) of rows 1
                  #1 field name
                  #3 related rows 2: relation <-Person[:ACTED_IN], each once
                    #2 field age
                  #4 field rating
              step 1 of root 1: read rows 3: entity Person, not shown
                #7 groups by nothing of rows 4
                  #6 field age
        "#]],
    );
}

#[test]
fn properties_of_a_relationship_are_sorted_by_where_they_are_of_its_kind() {
    let definitions = "interface Named { makers: [Maker!]! @declareRelationship }
        type Film implements Named @node { title: String
          makers: [Maker!]! @relationship(type: \"MADE\", direction: IN, properties: \"Made\") }
        type Place implements Named @node { name: String
          makers: [Maker!]! @relationship(type: \"BUILT\", direction: IN, properties: \"Built\") }
        type Maker @node { name: String }
        type Made @relationshipProperties { fee: Int }
        type Built @relationshipProperties { year: Int }";
    let (api, catalog) = made(definitions, ALL);
    let document =
        "{ nameds { makersConnection(sort: [{edge: {Built: {year: DESC}, Made: {fee: ASC}}},
          {node: {name: ASC}}]) { totalCount } } }";
    let request = lowered(&api, document, "{}").unwrap().request;
    expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: variants, each once
            variant Film
              #2 related rows 1: variants, not shown, order edge fee asc nulls last, name asc nulls last
                variant <-Maker[:MADE]
                #1 count
            variant Place
              #4 related rows 2: variants, not shown, order edge year desc nulls first, name asc nulls last
                variant <-Maker[:BUILT]
                #3 count
            #0 variant
    "#]].assert_eq(&ir::print(&request, &catalog));
}

#[test]
fn nodes_are_changed_together_with_what_is_along_their_relationships() {
    check_request(
        "library",
        "mutation { updateBooks(where: {title: {eq: \"t\"}}, update: {pages: {add: 1}, price_SET: 2,
             authors: [{connect: [{where: {node: {name: {eq: \"a\"}}}, edge: {role: \"r\"}}]},
               {update: {where: {edge: {year: {lt: 3}}}, node: {born: {set: 4}}, edge: {share: {multiply: 2}}}},
               {disconnect: [{where: {node: {name_EQ: \"b\"}}}]}]}) {
             info { relationshipsCreated relationshipsDeleted } books { title } } }",
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Book, filter title = "t"
                pages += 1
                price = 2
                along <-Author[:WROTE]: link Author, filter name = "a"
                  edge role = "r"
                along <-Author[:WROTE]: update Author, filter edge year < 3
                  born = 4
                  edge share *= 2
                along <-Author[:WROTE]: unlink Author, filter name = "b"
              step 1 of root 0: read rows 0: rows of step 0 after it
                #2 field title
              step 2 of root 0: read rows 1: once, single
                #0 links created of step 0
                #1 links deleted of step 0
        "#]],
    );
}

#[test]
fn zero_is_no_limit_and_the_type_says_the_order_of_what_is_ordered_by() {
    check_request(
        "library",
        "{ books(limit: 0, offset: 1, sort: [{pages: DESC, title: ASC}, {price: ASC}]) { title }
           authorsConnection(first: 0, after: \"no cursor\") { totalCount } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity Book, order title asc nulls last, pages desc nulls first, price asc nulls last, page offset 1
                #0 field title
              step 1 of root 1: read rows 1: entity Author, not shown, page offset part 0 of arrayconnection "no cursor"
                #1 count
        "#]],
    );
}

#[test]
fn what_is_there_is_found_either_way_and_what_is_new_is_directed() {
    let (api, catalog) = made(&definitions_of("library"), ALL);
    let document = "mutation { updateAuthors(update: {knows: [{create: [{node: {name: \"a\"}}]},
        {connect: [{}]}, {disconnect: [{}]}, {update: {}}, {delete: [{}]}]}) {
        info { nodesCreated } } }";
    let request = lowered(&api, document, "{}").unwrap().request;
    let steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
    let write = steps.clone().find_map(|step| match &step.kind {
        ir::StepKind::Write(write) => Some(write),
        _ => None,
    });
    let is_undirected = |child: &ir::ChildWrite| {
        catalog[child.hop.relationship].kind == RelationshipKind::Graph { undirected: true }
    };
    let found: Vec<bool> = write.unwrap().children.iter().map(is_undirected).collect();
    assert_eq!(found, [false, false, true, true, true]);
}

#[test]
fn one_value_is_changed_in_one_way() {
    check_refused(
        "library",
        "mutation { updateBooks(update: {pages: {set: 1, add: 2}}) { info { nodesCreated } } }",
        "Conflicting modification of field pages: [[set]], [[add]] on type Book",
    );
    check_refused(
        "library",
        "mutation { updateBooks(update: {pages: {set: 1}, pages_SET: 2}) { info { nodesCreated } } }",
        "Conflicting modification of [[pages]], [[pages_SET]] on type Book",
    );
}

#[test]
fn a_declared_relationship_is_followed_by_each_type_in_its_own_way() {
    check_request(
        "abstract",
        "{ works(where: {creators: {some: {name: {eq: \"x\"}}}}) { title }
           deprecated: works(where: {creators_NONE: {name: {eq: \"x\"}}}) { title }
           edge: works(where: {creatorsConnection: {single: {edge: {Made: {fee: {gt: 1}}}}}}) { title }
           many: works(where: {creatorsConnection: {aggregate: {count: {nodes: {gt: 1}}}}}) { title }
           null: works(where: {creators: {some: null}}) { title } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: variants, each once
                variant Film, filter some <-Creator[:MADE] (name = "x"), common [title, year]
                  #1 field title
                variant Song, filter some <-Creator[:MADE] (name = "x"), common [title, year]
                  #2 field title
                #0 variant
              step 1 of root 1: read rows 1: variants, each once
                variant Film, filter no <-Creator[:MADE] (name = "x"), common [title, year]
                  #4 field title
                variant Song, filter no <-Creator[:MADE] (name = "x"), common [title, year]
                  #5 field title
                #3 variant
              step 2 of root 2: read rows 2: variants, each once
                variant Film, filter one <-Creator[:MADE] (edge fee > 1), common [title, year]
                  #7 field title
                variant Song, filter one <-Creator[:MADE] (edge fee > 1), common [title, year]
                  #8 field title
                #6 variant
              step 3 of root 3: read rows 3: variants, each once
                variant Film, filter all <-Creator[:MADE] (all, each once) together (distinct count > 1), common [title, year]
                  #10 field title
                variant Song, filter all <-Creator[:MADE] (all, each once) together (distinct count > 1), common [title, year]
                  #11 field title
                #9 variant
              step 4 of root 4: read rows 4: variants, each once
                variant Film, filter some <-Creator[:MADE] (all), common [title, year]
                  #13 field title
                variant Song, filter some <-Creator[:MADE] (all), common [title, year]
                  #14 field title
                #12 variant
        "#]],
    );
}

#[test]
fn all_nodes_of_several_types_are_asked_about_that_a_declared_relationship_leads_to() {
    let definitions = "interface Named { fans: [Fan!]! @declareRelationship }
        type Film implements Named @node {
          fans: [Fan!]! @relationship(type: \"LIKES\", direction: IN, properties: \"Likes\") }
        interface Fan { name: String! }
        type Person implements Fan @node { name: String! }
        type Robot implements Fan @node { name: String! @alias(property: \"model\") }
        type Likes @relationshipProperties { since: Int }";
    let (api, catalog) = made(definitions, ALL);
    let document = "{ nameds(where: {
            fansConnection: {aggregate: {count: {nodes: {gt: 1}}, node: {name: {averageLength: {lt: 9}}},
              edge: {Likes: {since: {max: {gt: 3}}}}}},
            fansAggregate: {count_LT: 5, node: {name_SHORTEST_LENGTH_EQUAL: 2}}
          }) { __typename } }";
    let request = lowered(&api, document, "{}").unwrap().request;
    expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 0: variants, each once
            variant Film, filter all of (<-Person[:LIKES] (all) common [name], <-Robot[:LIKES] (all) common [model], each once) together (distinct count > 1 and average length common 0 < 9 and maximum edge since > 3) and all of (<-Person[:LIKES] (all) common [name], <-Robot[:LIKES] (all) common [model]) together (count < 5 and shortest length common 0 = 2)
            #0 variant
    "#]].assert_eq(&ir::print(&request, &catalog));
}

#[test]
fn changes_along_relationships_to_several_types_are_done_for_each_type() {
    check_request(
        "abstract",
        "mutation { createCreators(input: [{name: \"x\", works: {
             create: [{node: {Song: {title: \"s\"}, Film: {title: \"f\"}}, edge: {fee: 1}}],
             connect: [{where: {node: {year: {eq: 1}}}, edge: {part: \"p\"}, connect: {
                 creators: [{where: {node: {born: {eq: 2}}}, edge: {Made: {part: \"q\"}}}]}}]}}]) {
             info { nodesCreated } } }",
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: insert Creator [name]
                row "x"
                along ->Song[:MADE] of rows 0: insert Song [title]
                  row "s"
                  edge fee = 1
                along ->Film[:MADE] of rows 0: insert Film [title]
                  row "f"
                  edge fee = 1
                along ->Film[:MADE] of rows 0: link Film, filter year = 1
                  along <-Creator[:MADE]: link Creator, filter born = 2
                    edge part = "q"
                  edge part = "p"
                along ->Song[:MADE] of rows 0: link Song, filter year = 1
                  along <-Creator[:MADE]: link Creator, filter born = 2
                    edge part = "q"
                  edge part = "p"
              step 1 of root 0: read rows 1: once, single
                #0 rows inserted of step 0
        "#]],
    );
    check_request(
        "abstract",
        "mutation { updateCreators(update: {works: [{
             disconnect: [{where: {node: {typename: [Film]}}}],
             update: {where: {edge: {fee: {gt: 1}}}, node: {year: {add: 1}, title_SET: \"t\"},
                 edge: {fee: {set: 2}}}}],
             likes: {Place: [{delete: [{where: {node: {name: {eq: \"a\"}}}}]}],
                 Song: [{disconnect: [{}], create: [{node: {title: \"s\"}}]}]}}) {
             info { nodesCreated } } }",
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update Creator
                along ->Film[:MADE]: update Film, filter edge fee > 1
                  year += 1
                  title = "t"
                  edge fee = 2
                along ->Song[:MADE]: update Song, filter edge fee > 1
                  year += 1
                  title = "t"
                  edge fee = 2
                along ->Film[:MADE]: unlink Film
                along ->Song[:MADE]: unlink Song, filter none
                along ->Place[:LIKES]: delete Place, filter name = "a"
                along ->Song[:LIKES]: insert Song [title]
                  row "s"
                along ->Song[:LIKES]: unlink Song
              step 1 of root 0: read rows 1: once, single
                #0 rows inserted of step 0
        "#]],
    );
}

#[test]
fn one_node_is_of_one_type() {
    let definitions = "type A @node { name: String } type B @node { name: String } union U = A | B
        type Owner @node { one: U @relationship(type: \"ONE\", direction: OUT) }";
    let (api, _) = made(definitions, ALL);
    let refused = |input: &str| {
        let document = format!(
            "mutation {{ createOwners(input: [{{one: {{{input}}}}}]) {{ info {{ nodesCreated }} }} }}"
        );
        let shape = lowered(&api, &document, "{}").unwrap().shape;
        shape.nodes.iter().find_map(|node| match node {
            response::Node::Refused(text) => Some(text.to_string()),
            _ => None,
        })
    };
    assert_eq!(refused("A: {create: {node: {name: \"a\"}}}"), None);
    assert_eq!(
        refused("A: {create: {node: {}}}, B: {create: {node: {}}}").as_deref(),
        Some("one leads to one node: name one type only.")
    );
}

#[test]
fn nodes_of_several_types_are_asked_for_each_by_itself() {
    check_request(
        "abstract",
        "{ works(where: {title: {eq: \"t\"}, typename: [Film]}, sort: [{year: ASC}]) { title ... on Song { seconds } }
           creators { likesConnection(where: {Place: {node: {name: {eq: \"p\"}}}}) { edges { properties { since } node { ... on Place { name } } } } } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: variants, each once, order common 1 asc nulls last
                variant Film, filter title = "t", common [title, year]
                  #1 field title
                variant Song, filter title = "t" and none, common [title, year]
                  #2 field title
                  #3 field seconds
                #0 variant
              step 1 of root 1: read rows 1: entity Creator
                #9 related rows 2: variants
                  variant ->Film[:LIKES], filter none
                    #5 edge since
                  variant ->Song[:LIKES], filter none
                    #6 edge since
                  variant ->Place[:LIKES], filter name = "p"
                    #7 edge since
                    #8 field name
                  #4 variant
        "#]],
    );
}

#[test]
fn nodes_are_searched_for_by_words_and_by_vectors() {
    check_request(
        "searches",
        "{ booksByWords(phrase: \"a b\", where: {score: {min: 0.5, max: 2}, node: {pages: {gt: 3}}},
             sort: [{score: DESC, node: {title: ASC}}, {node: {pages: DESC}}], after: \"x\") {
             totalCount pageInfo { hasNextPage } edges { cursor score node { title authors { name } } } }
           similarAuthors(vector: [1, 0.5], first: 2) { edges { found: score node { name } } } }",
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: search of Book by "book words" for "a b", filter (edge score >= 0.5 and edge score <= 2) and pages > 3, order title asc nulls last, edge score desc nulls first, pages desc nulls first, page limit 3 offset part 0 of arrayconnection "x" + look-ahead
                #0 count
                #1 edge score
                #2 field title
                #4 related rows 1: relation <-Author[:WROTE], each once
                  #3 field name
              step 1 of root 1: read rows 2: search of Author by "faces" for [1, 0.5], page limit 2
                #5 edge score
                #6 field name
        "#]],
    );
}

#[test]
fn nothing_is_not_searched_for() {
    let expected = "There is nothing to search for.";
    check_refused("searches", "{ similarAuthors { totalCount } }", expected);
    check_refused("searches", "{ similarAuthors(vector: null) { totalCount } }", expected);
}
