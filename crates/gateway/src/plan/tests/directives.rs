//! Plans with custom directives.

use graphql::{DocumentLimits, Validator};

use super::*;
use supergraph::{Supergraph, read};

const SUPERGRAPH: &str = r#"
schema @link(url: "https://specs.apollo.dev/link/v1.0")
    @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query mutation: Mutation }
directive @join__field(graph: join__Graph) repeatable on FIELD_DEFINITION
"Written down."
directive @traced(label: String, as: Level = LOW) repeatable on QUERY | MUTATION | FIELD | INLINE_FRAGMENT | FRAGMENT_SPREAD | FRAGMENT_DEFINITION | VARIABLE_DEFINITION
directive @upper on FIELD
directive @safe on MUTATION
directive @spread on FRAGMENT_SPREAD
directive @defer(if: Boolean) on INLINE_FRAGMENT | FRAGMENT_SPREAD
directive @told(secret: String @inaccessible, open: Float) on FIELD | OBJECT
directive @inaccessible on ARGUMENT_DEFINITION
enum join__Graph { A @join__graph(name: "a", url: "http://a") B @join__graph(name: "b", url: "http://b") }
enum Level @join__type(graph: A) @join__type(graph: B) { LOW HIGH }
type Query @join__type(graph: A) @join__type(graph: B) { pets: [Pet] @join__field(graph: A) toy: Toy @join__field(graph: A) }
type Mutation @join__type(graph: A) @join__type(graph: B) { play(times: Int): Toy @join__field(graph: A) }
interface Pet @join__type(graph: A) { id: ID name: String toy: Toy }
type Cat implements Pet @join__implements(graph: A, interface: "Pet") @join__type(graph: A) { id: ID name: String toy: Toy }
type Dog implements Pet @join__implements(graph: A, interface: "Pet") @join__type(graph: A) { id: ID name: String toy: Toy }
type Toy @join__type(graph: A, key: "id") @join__type(graph: B, key: "id") {
    id: ID name: String @join__field(graph: A) price: Int @join__field(graph: B)
}
"#;

fn supergraph() -> Supergraph {
    let text = SUPERGRAPH.replace(
        "{ query: Query mutation",
        r#"@link(url: "https://specs.apollo.dev/inaccessible/v0.2", for: SECURITY) { query: Query mutation"#,
    );
    read(&text).unwrap()
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let planned = planned_over(supergraph(), text, "{}", &Labels::default()).unwrap();
    expected.assert_eq(&print(&planned.supergraph, &planned.plan));
}

#[test]
fn fields_are_asked_with_their_directives_wherever_they_are_asked() {
    check(
        r#"query ($l: String, $unused: String = "a") { toy @traced(label: $l) { name @upper @traced(as: HIGH) price @traced(label: $unused) } }"#,
        &expect![[r#"
            1. a: query($l:String){toy@traced(label:$l){name@upper@traced(as:HIGH)id}}
            2. b after 1: query($representations0:[_Any!]!,$unused:String="a"){_entities(representations:$representations0){...on Toy{price@traced(label:$unused)}}}
               Toy { id } at toy
        "#]],
    );
}

#[test]
fn what_finds_something_else_is_asked_without_directives() {
    check(
        "{ toy { id @upper price } }",
        &expect![[r#"
        1. a: {toy{id@upper _1_id:id}}
        2. b after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Toy{price}}}
           Toy { id } at toy
    "#]],
    );
}

#[test]
fn operations_are_said_with_the_directives_that_may_stand_there() {
    check(
        "query Named @traced(label: \"q\") { toy { price } }",
        &expect![[r#"
            1. a: query Named__a__0@traced(label:"q"){toy{id}}
            2. b after 1: query Named__b__1($representations0:[_Any!]!)@traced(label:"q"){_entities(representations:$representations0){...on Toy{price}}}
               Toy { id } at toy
        "#]],
    );
    check(
        "mutation ($n: Int, $l: String) @safe @traced(label: $l) { play(times: $n) { price } }",
        &expect![[r#"
            1. a: mutation($l:String,$n:Int)@safe@traced(label:$l){play(times:$n){id}}
            2. b after 1: query($representations0:[_Any!]!,$l:String)@traced(label:$l){_entities(representations:$representations0){...on Toy{price}}}
               Toy { id } at play
        "#]],
    );
}

#[test]
fn what_stands_at_a_fragment_stands_around_its_fields() {
    check(
        r#"{ toy { ... @traced(label: "a") { id ... @traced(label: "b") { name } } } pets { ...P @traced } } fragment P on Pet { name ... on Dog { id } }"#,
        &expect![[r#"
            1. a: {toy{...@traced(label:"a"){id}...@traced(label:"a"){...@traced(label:"b"){name}}}pets{__typename...@traced{name}...on Dog{...@traced{id}}}}
        "#]],
    );
}

#[test]
fn each_occurrence_of_a_field_says_its_own() {
    check(
        "{ toy { name name @upper } }",
        &expect![[r#"
        1. a: {toy{name name@upper}}
    "#]],
    );
    check(
        "{ toy { name @upper n: name } }",
        &expect![[r#"
        1. a: {toy{name@upper _1_name:name}}
    "#]],
    );
    // Only for the types it applies to.
    check(
        "{ pets { name ... on Dog { name @upper } } }",
        &expect![[r#"
        1. a: {pets{__typename...on Cat{name}...on Dog{_1_name:name _1_name:name@upper}}}
    "#]],
    );
    check(
        "{ pets { toy { id } ... on Dog { toy @traced { name } } } }",
        &expect![[r#"
        1. a: {pets{__typename...on Cat{toy{id}}...on Dog{_1_toy:toy{id name}_1_toy:toy@traced{id name}}}}
    "#]],
    );
    check(
        "{ pets { __typename @upper id @skip(if: true) } }",
        &expect![[r#"
        1. a: {pets{__typename}}
    "#]],
    );
}

/// Returns the reason why an operation is refused.
fn refusal(text: &str) -> String {
    let supergraph = supergraph();
    let schema = &supergraph.api.schema;
    match Validator::new(schema).operation(schema, text, None, &DocumentLimits::default()) {
        Ok(_) => "served".into(),
        Err(errors) => errors.iter().map(|error| format!("{}\n", error.message)).collect(),
    }
}

#[test]
fn what_cannot_be_told_to_subgraphs_is_refused() {
    let texts = [
        "{ toy { ...T } } fragment T on Toy @traced { id }",
        "query ($a: Int @traced) { pets { id @skip(if: true) } toy { id } }",
        "{ toy { ...T @spread } } fragment T on Toy { id }",
        "{ toy { ... @stream { id } } }",
        r#"{ toy { id @told(secret: "a") } }"#,
        r#"{ toy { id @told(open: 1.5) } }"#,
    ];
    expect![[r#"
        Directive "@traced" may not be used on FRAGMENT_DEFINITION.
        Variable "$a" is never used.
        Directive "@traced" may not be used on VARIABLE_DEFINITION.
        Unknown directive "@spread".
        Unknown directive "@stream".
        Unknown argument "secret" on field "@told".
        served"#]]
    .assert_eq(&texts.map(refusal).concat());
}

#[test]
fn clients_see_the_directives_that_they_may_say() {
    let printed = graphql::print_schema(&supergraph().api.schema);
    let directives = printed.split("\nenum").next().unwrap_or_default();
    expect![[r#"
        """Written down."""
        directive @traced(label: String, as: Level = LOW) repeatable on QUERY | MUTATION | FIELD | INLINE_FRAGMENT | FRAGMENT_SPREAD

        directive @upper on FIELD

        directive @safe on MUTATION

        directive @told(open: Float) on FIELD

        """Allows a fragment to be sent after the rest of the response."""
        directive @defer(
          """Whether the fragment may be sent later."""
          if: Boolean! = true

          """A name for the fragment in the responses."""
          label: String
        ) on FRAGMENT_SPREAD | INLINE_FRAGMENT
    "#]].assert_eq(directives);
}
