use expect_test::{Expect, expect};
use graphql::print_schema;
use graphql::schema::TypeKind;

use super::*;

/// Reads a supergraph with the usual head.
fn read_text(rest: &str) -> Result<Supergraph, String> {
    let text = [include_str!("tests/head.graphql"), rest].concat();
    read(&text).map_err(|problems| {
        let head = include_str!("tests/head.graphql").lines().count();
        let problems = problems.into_iter().map(|mut problem| {
            // Lines are counted from the start of the test's own text.
            problem.line = problem.line.map(|line| line - head);
            format!("{problem}\n")
        });
        problems.collect()
    })
}

#[track_caller]
fn check(rest: &str, expected: &Expect) {
    let printed = match read_text(rest) {
        Ok(supergraph) => print(&supergraph),
        Err(problems) => problems,
    };
    expected.assert_eq(&printed);
}

fn print(supergraph: &Supergraph) -> String {
    let mut lines = Vec::new();
    let name = |graph: SubgraphId| supergraph.subgraph(graph).name.to_string();
    for (id, definition) in supergraph.schema.types() {
        let (TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. }) =
            &definition.kind
        else {
            continue;
        };
        let owners = supergraph.type_owners(id).subgraphs.iter().map(|owner| {
            let keys = owner.keys.iter().map(|key| {
                let set = print_set(supergraph, supergraph.field_set(key.fields));
                format!("({set}{})", if key.is_resolvable { "" } else { ", not resolvable" })
            });
            let form = if owner.is_interface_object { "*" } else { "" };
            format!("{}{form}{}", name(owner.subgraph), keys.collect::<String>())
        });
        lines.push(format!("{}: {}", definition.name, owners.collect::<Vec<_>>().join(" ")));
        for field in fields {
            let owners = supergraph.field_owners(*field).subgraphs.iter().map(|owner| {
                let set = |set: Option<FieldSetId>, word: &str| match set {
                    Some(set) => {
                        format!(" {word}({})", print_set(supergraph, supergraph.field_set(set)))
                    }
                    None => String::new(),
                };
                let external = if owner.is_external { " external" } else { "" };
                let when = match &owner.when {
                    OverrideCondition::Always => String::new(),
                    OverrideCondition::On(label) => format!(" on {label}"),
                    OverrideCondition::Off(label) => format!(" off {label}"),
                };
                let (requires, provides) =
                    (set(owner.requires, "requires"), set(owner.provides, "provides"));
                format!("{}{external}{when}{requires}{provides}", name(owner.subgraph))
            });
            let owners = owners.collect::<Vec<_>>().join(", ");
            lines.push(format!("  {}: {owners}", supergraph.schema[*field].name));
        }
    }
    lines.join("\n")
}

fn print_set(supergraph: &Supergraph, set: &FieldSet) -> String {
    let selections = set.selections.iter().map(|selection| match selection {
        SetSelection::Typename => "__typename".to_owned(),
        SetSelection::Field { field, arguments, set } => {
            let name = &supergraph.schema[*field].name;
            let arguments = if arguments.is_empty() { "" } else { "(..)" };
            let below =
                set.map(|set| format!("{{{}}}", print_set(supergraph, supergraph.field_set(set))));
            format!("{name}{arguments}{}", below.unwrap_or_default())
        }
        SetSelection::On(set) => {
            let set = supergraph.field_set(*set);
            format!("...{}{{{}}}", supergraph.schema[set.parent].name, print_set(supergraph, set))
        }
    });
    selections.collect::<Vec<_>>().join(" ")
}

#[test]
fn types_and_fields_are_of_the_subgraphs_that_say_so() {
    check(
        r#"
        type Query @join__type(graph: A) @join__type(graph: B) {
          products(first: Int = 5): [Product] @join__field(graph: A)
        }
        type Product
          @join__type(graph: A, key: "id")
          @join__type(graph: A, key: "sku brand { id }")
          @join__type(graph: B, key: "id", resolvable: false) {
          id: ID!
          sku: String @join__field(graph: A)
          brand: Brand @join__field(graph: A)
          price: Int @join__field(graph: A) @join__field(graph: B, external: true)
          shipping(fast: Boolean): Int @join__field(graph: B, requires: "price")
          best: Product @join__field(graph: B, provides: "price ... on Product { id }")
        }
        type Brand @join__type(graph: A) { id: ID! }
        "#,
        &expect![[r#"
            Query: a b
              products: a
            Product: a(id)(sku brand{id}) b(id, not resolvable)
              id: a, b
              sku: a
              brand: a
              price: a, b external
              shipping: b requires(price)
              best: b provides(price ...Product{id})
            Brand: a
              id: a"#]],
    );
}

#[test]
fn a_field_that_was_taken_over_is_where_it_is_now() {
    check(
        r#"
        type Query @join__type(graph: A) @join__type(graph: B) {
          all: Int @join__field(graph: B, override: "a")
          used: Int @join__field(graph: A, usedOverridden: true) @join__field(graph: B, override: "a")
          some: Int @join__field(graph: A, overrideLabel: "half") @join__field(graph: B, override: "a", overrideLabel: "half")
          older: Int @join__field(graph: A) @join__field(graph: B, override: "a", overrideLabel: "percent(5)")
          gone: Int @join__field(graph: B, override: "c")
        }
        "#,
        &expect![[r#"
            Query: a b
              all: b
              used: a external, b
              some: a off half, b on half
              older: a off percent(5), b on percent(5)
              gone: b"#]],
    );
}

#[test]
fn interface_objects_give_fields_that_no_implementation_has() {
    let text = r#"
        type Query @join__type(graph: A) @join__type(graph: B) { nodes: [Node] @join__field(graph: A) }
        interface Node @join__type(graph: A, key: "id") @join__type(graph: B, key: "id", isInterfaceObject: true) {
          id: ID!
          name: String @join__field(graph: B)
        }
        type User implements Node @join__implements(graph: A, interface: "Node") @join__type(graph: A, key: "id") {
          id: ID!
          name: String @join__field
        }
    "#;
    check(
        text,
        &expect![[r#"
            Query: a b
              nodes: a
            Node: a(id) b*(id)
              id: a, b
              name: b
            User: a(id)
              id: a
              name: "#]],
    );
    let supergraph = read_text(text).unwrap();
    let [node, user] = ["Node", "User"].map(|name| supergraph.schema.find_type(name).unwrap());
    let names = |set| supergraph.members(set).collect::<Vec<_>>();
    assert_eq!(names(supergraph.possible(node)), [user]);
    assert_eq!(names(supergraph.possible_in(node, SubgraphId(0))), [user]);
    assert_eq!(names(supergraph.possible_in(node, SubgraphId(1))), []);
}

#[test]
fn clients_do_not_see_what_is_inaccessible() {
    let supergraph = read_text(
        r#"
        type Query @join__type(graph: A) {
          "All of them."
          all(secret: Int @inaccessible, kind: Kind = SEEN): [Thing] @deprecated(reason: "Too many.")
          hidden: Secret @inaccessible
        }
        union Thing @join__type(graph: A) @join__unionMember(graph: A, member: "Open") @join__unionMember(graph: A, member: "Secret") = Open | Secret
        type Open @join__type(graph: A) { id: ID! code: Int @inaccessible }
        type Secret @join__type(graph: A) @inaccessible { id: ID! }
        enum Kind @join__type(graph: A) { SEEN @join__enumValue(graph: A) UNSEEN @join__enumValue(graph: A) @inaccessible }
        input Which @join__type(graph: A) { id: ID code: Int @inaccessible }
        "#,
    )
    .unwrap();
    expect![[r#"
        """Allows a fragment to be sent after the rest of the response."""
        directive @defer(
          """Whether the fragment may be sent later."""
          if: Boolean! = true

          """A name for the fragment in the responses."""
          label: String
        ) on FRAGMENT_SPREAD | INLINE_FRAGMENT

        type Query {
          """All of them."""
          all(kind: Kind = SEEN): [Thing] @deprecated(reason: "Too many.")
        }

        union Thing = Open

        type Open {
          id: ID!
        }

        enum Kind {
          SEEN
        }

        input Which {
          id: ID
        }
    "#]]
    .assert_eq(&print_schema(&supergraph.api.schema));
    let api = &supergraph.api;
    // The hidden element uses `Int`, and nothing uses `Float`.
    let has = |name| api.schema.find_type(name).is_some();
    let scalars = ["Int", "Float", "ID", "String", "Boolean"];
    assert_eq!(scalars.map(has), [false, false, true, true, true]);
    let open = api.schema.find_type("Open").unwrap();
    assert_eq!(&*supergraph.schema[api.r#type(open)].name, "Open");
    let id = api.schema.find_field(open, "id").unwrap();
    assert_eq!(supergraph.schema.find_field(api.r#type(open), "id"), Some(api.field(id)));
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    check(
        r#"type Query @join__type(graph: A) @join__type(graph: C) {
          a: Missing
          b: Int @join__field(graph: A, requires: "nothing")
          c: Int @join__field(graph: A, provides: "a {")
          d: Query @join__field(graph: A, requires: "d")
        }
        type T @join__type(graph: A, key: "x: id") {
          id: ID!
          told: Int @join__field(graph: A, contextArguments: [
            { name: "a", type: "Int", context: "A__none", selection: "{ id }" }
            { name: "b" }
          ])
          rest: Int @join__directive(graphs: [A], name: "connect", args: { http: { GET: "/" } })
          empty: Int @join__field(graph: A, type: "")
          two: Int @join__field(graph: A, type: "Int Int")
        }
        "#,
        &expect![[r#"
            line 1: there is no subgraph `C`
            line 2: there is no type `Missing`
            line 3: the field set `nothing`: `Query` has no field `nothing`
            line 4: the field set `a {`: syntax error: expected at least one Selection in Selection Set
            line 5: the field set `d`: of `d` nothing is selected
            line 7: the field set `x: id`: a field set has no aliases and no directives
            line 9: no type gives the context `A__none`
            line 9: an argument of a context says its name, type, context and selection
            line 14: `` is no type
            line 15: `Int Int` is no type
        "#]],
    );
}

#[test]
fn a_guard_that_guards_nothing_is_a_problem() {
    check(
        r#"type Query @join__type(graph: A) {
          a(b: Int @authenticated): U
          c: E @requiresScopes(scopes: [["a", 1]])
          d: E @policy
        }
        union U @authenticated = Query
        enum E @join__type(graph: A) @requiresScopes(scopes: "a") { V @authenticated }
        input I @join__type(graph: A) { a: Int @authenticated }
        "#,
        &expect![[r#"
            line 2: `@authenticated` guards nothing here: only objects, interfaces, scalars, enums and fields can have it
            line 3: `@requiresScopes` does not say lists of texts
            line 4: `@policy` does not say lists of texts
            line 6: `@authenticated` guards nothing here: only objects, interfaces, scalars, enums and fields can have it
            line 7: `@authenticated` guards nothing here: only objects, interfaces, scalars, enums and fields can have it
            line 8: `@authenticated` guards nothing here: only objects, interfaces, scalars, enums and fields can have it
        "#]],
    );
}

#[test]
fn a_later_version_of_a_guard_is_not_understood() {
    let text = r#"schema @link(url: "https://specs.apollo.dev/authenticated/v0.2", for: SECURITY) {
          query: Query
        }
        enum join__Graph { A @join__graph(name: "a", url: "") }
        type Query @join__type(graph: A) { a: Int }"#;
    let problems = read(text).unwrap_err().into_iter().map(|problem| problem.to_string());
    expect!["line 1: the supergraph needs `https://specs.apollo.dev/authenticated/v0.2`, which is not known here"].assert_eq(&problems.collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_guards_and_costs_is_read_from_types_and_their_extensions() {
    let supergraph = read_text(
        r#"
        type Query @join__type(graph: A) @authenticated { a: E b: E @authenticated @policy(policies: ["p", ["q", "r"]]) }
        enum E @join__type(graph: A) @requiresScopes(scopes: "s") { V }
        extend enum E @authenticated { W }
        "#,
    )
    .unwrap();
    let find = |name: &str| supergraph.schema.find_type(name).unwrap();
    let requirements = &supergraph.requirements;
    let all: Vec<_> = requirements.iter().map(|(_, requirement)| requirement.clone()).collect();
    let names = |lists: &[&[&str]]| {
        lists.iter().map(|list| list.iter().map(|name| (*name).into()).collect()).collect()
    };
    let of = |ids: &[RequirementId]| ids.iter().map(|id| id.index()).collect::<Vec<_>>();
    assert_eq!(
        all,
        [
            Requirement::Authenticated,
            Requirement::Policies(names(&[&["p"], &["q", "r"]])),
            Requirement::Scopes(names(&[&["s"]])),
        ]
    );
    assert_eq!(of(requirements.of_type(find("Query"))), [0]);
    assert_eq!(of(requirements.of_type(find("E"))), [2, 0]);
    let field = |name| supergraph.schema.find_field(find("Query"), name).unwrap();
    assert_eq!(of(requirements.of_field(field("a"))), [] as [usize; 0]);
    assert_eq!(of(requirements.of_field(field("b"))), [0, 1]);
}

#[test]
fn what_is_no_supergraph_is_told_from_one() {
    let problems = |text| {
        let problems = read(text).unwrap_err().into_iter().map(|problem| problem.to_string());
        problems.collect::<Vec<_>>().join("\n")
    };
    expect!["it is no supergraph: there is no `enum join__Graph`; compose the subgraphs first"]
        .assert_eq(&problems("type Query { a: Int }"));
    expect!["line 1: An operation does not belong to type definitions."]
        .assert_eq(&problems("query { a }"));
    expect!["line 1: the supergraph needs `https://specs.example.com/lock/v1.0`, which is not known here"].assert_eq(&problems(
        r#"schema @link(url: "https://specs.example.com/lock/v1.0", for: SECURITY) { query: Query }
        enum join__Graph { A @join__graph(name: "a", url: "") }
        type Query @join__type(graph: A) { a: Int }"#,
    ));
    expect!["line 1: the supergraph needs `https://specs.example.com/turn/v1.0`, which is not known here"].assert_eq(&problems(
        r#"schema @link(url: "https://specs.example.com/turn/v1.0", for: EXECUTION) { query: Query }
        enum join__Graph { A @join__graph(name: "a", url: "") }
        type Query @join__type(graph: A) { a: Int }"#,
    ));
    // A specification without a purpose may be ignored.
    read(
        r#"schema @link(url: "https://specs.example.com/turn/v1.0") { query: Query }
        enum join__Graph { A @join__graph(name: "a", url: "") }
        type Query @join__type(graph: A) { a: Int }"#,
    )
    .unwrap();
}

#[test]
fn specifications_may_have_other_names() {
    let supergraph = read(
        r#"
        schema
          @link(url: "https://specs.apollo.dev/link/v1.0")
          @link(url: "https://specs.apollo.dev/join/v0.3", as: "j", for: EXECUTION)
          @link(url: "https://specs.apollo.dev/inaccessible/v0.2", import: [{ name: "@inaccessible", as: "@hidden" }], for: SECURITY)
        { query: Root }
        enum j__Graph { A @j__graph(name: "a", url: "http://a") }
        scalar j__FieldSet
        type Root @j__type(graph: A) { a: Int b: Int @hidden }
        "#,
    )
    .unwrap();
    expect![[r#"
        schema {
          query: Root
        }

        """Allows a fragment to be sent after the rest of the response."""
        directive @defer(
          """Whether the fragment may be sent later."""
          if: Boolean! = true

          """A name for the fragment in the responses."""
          label: String
        ) on FRAGMENT_SPREAD | INLINE_FRAGMENT

        type Root {
          a: Int
        }
    "#]]
    .assert_eq(&print_schema(&supergraph.api.schema));
}

#[test]
fn the_first_version_names_owners() {
    let supergraph = read(
        r#"
        schema @core(feature: "https://specs.apollo.dev/core/v0.1") @core(feature: "https://specs.apollo.dev/join/v0.1") { query: Query }
        enum join__Graph { A @join__graph(name: "a", url: "http://a") B @join__graph(name: "b", url: "http://b") }
        type Query { me: User @join__field(graph: A) }
        type User @join__owner(graph: A) @join__type(graph: A, key: "id") @join__type(graph: B, key: "id") {
          id: ID! @join__field(graph: A)
          name: String
          reviews: [Review] @join__field(graph: B)
        }
        type Review { text: String }
        "#,
    )
    .unwrap();
    expect![[r#"
        Query: a b
          me: a
        User: a(id) b(id)
          id: a, b
          name: a
          reviews: b
        Review: a b
          text: a, b"#]]
    .assert_eq(&print(&supergraph));
}

/// A supergraph whose subgraph calls the directives otherwise.
const CONNECTED: &str = r#"
schema
  @link(url: "https://specs.apollo.dev/link/v1.0")
  @link(url: "https://specs.apollo.dev/join/v0.5", for: EXECUTION)
  @link(url: "https://specs.apollo.dev/connect/v0.1", for: EXECUTION)
  @join__directive(graphs: [REST], name: "link", args: {url: "https://specs.apollo.dev/connect/v0.1", as: "http", import: [{name: "@connect", as: "@data"}]})
  @join__directive(graphs: [REST], name: "http__source", args: {name: "api", http: {baseURL: "https://api.example/"}})
{ query: Query }

enum join__Graph {
  OTHER @join__graph(name: "other", url: "http://other")
  REST @join__graph(name: "rest", url: "none")
}

type Query @join__type(graph: OTHER) @join__type(graph: REST) {
  users: [User] @join__field(graph: REST) @join__directive(graphs: [REST], name: "data", args: {source: "api", http: {GET: "/users"}, selection: "id"})
}

type User @join__type(graph: OTHER, key: "id") @join__type(graph: REST, key: "id", resolvable: false) {
  id: ID!
  name: String @join__field(graph: OTHER)
  posts: Int @join__field(graph: REST) @join__directive(graphs: [REST], name: "data", args: {source: "api", http: {GET: "/users/{$this.id}/posts"}, selection: "$.count"})
}
"#;

#[test]
fn connectors_of_other_composers_are_read() {
    let supergraph = read(CONNECTED).unwrap();
    let names: Vec<_> = supergraph.subgraphs.iter().map(|one| &*one.name).collect();
    let parts = ["other", "rest", "rest:Query.users@connect[0]", "rest:User.posts@connect[0]"];
    assert_eq!(names, parts);
    let services: Vec<_> = supergraph.services().map(|one| &*one.name).collect();
    assert_eq!(services, ["other", "rest"]);
    assert!(supergraph.has_connectors(SubgraphId(1)) && !supergraph.has_connectors(SubgraphId(0)));
    assert_eq!(&*supergraph.service(SubgraphId(3)).name, "rest");
    assert_eq!(supergraph.connectors[1].place(), "User.posts");
    let user = supergraph.schema.find_type("User").unwrap();
    let key = &supergraph.type_in(user, SubgraphId(3)).unwrap().keys[0];
    assert!(key.is_resolvable);
    let posts = supergraph.find_field(user, "posts").unwrap();
    let owner = supergraph.field_in(posts, SubgraphId(3)).unwrap();
    assert_eq!(owner.requires, Some(key.fields));
    // The subgraph itself resolves nothing.
    assert_eq!(supergraph.type_in(user, SubgraphId(1)), None);
    assert_eq!(supergraph.field_in(posts, SubgraphId(1)), None);
}

#[test]
fn connectors_that_are_wrong_or_unknown_are_errors() {
    let check = |from: &str, to: &str, expected: &str| {
        assert!(CONNECTED.contains(from), "{from}");
        let problems = read(&CONNECTED.replace(from, to)).unwrap_err();
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert!(problems.join("\n").contains(expected), "{problems:?}");
    };
    check("connect/v0.1\", for", "connect/v0.9\", for", "connect/v0.9`, which is not known here");
    check("$.count", "$.count ->", "line 22: INVALID_SELECTION");
    check("{$this.id}", "{$this.idd}", "UNDEFINED_FIELD");
    check("selection: \"id\"", "selection: \"id nick\"", "SELECTED_FIELD_NOT_FOUND");
}
