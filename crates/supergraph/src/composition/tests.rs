//! Supergraphs of small subgraphs: the schema and the types of the data.

use expect_test::{Expect, expect};

use super::{Composer, Composition, SubgraphSchema, compose};

const LINK: &str = r#"extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [
    "@key", "@external", "@requires", "@provides", "@shareable", "@override", "@inaccessible", "@tag",
    "@interfaceObject", "@context", "@fromContext", "@composeDirective", "@requiresScopes", "@cost"])
"#;

fn schemas(subgraphs: &[(&str, &str)]) -> Vec<SubgraphSchema> {
    let schemas = subgraphs.iter().map(|(name, sdl)| SubgraphSchema {
        name: (*name).to_owned(),
        url: ["http://", *name].concat(),
        sdl: (*sdl).to_owned(),
    });
    schemas.collect()
}

/// Returns the types of a supergraph without those of specifications, or the findings.
fn print(composition: &Composition) -> String {
    let Some(supergraph) = &composition.supergraph else {
        let errors: Vec<_> = composition.errors.iter().map(ToString::to_string).collect();
        return errors.join("\n");
    };
    let is_data = |part: &&str| {
        let head = part.lines().next().unwrap_or_default();
        !["directive @", "schema", "scalar link__", "enum link__", "enum join__", "scalar join__"]
            .iter()
            .chain(&["input join__", "scalar context__", "scalar requiresScopes__"])
            .any(|start| head.starts_with(start))
    };
    let mut parts: Vec<String> = Vec::new();
    // Descriptions within a type have an empty line above them.
    for part in supergraph.split("\n\n") {
        match parts.last_mut() {
            Some(last) if part.starts_with(' ') => *last += &["\n\n", part].concat(),
            _ => parts.push(part.to_owned()),
        }
    }
    let types: Vec<_> = parts.iter().map(String::as_str).filter(is_data).collect();
    types.join("\n\n")
}

#[track_caller]
fn check(subgraphs: &[(&str, &str)], expected: &Expect) {
    let linked: Vec<_> =
        subgraphs.iter().map(|(name, sdl)| (*name, [LINK, sdl].concat())).collect();
    let linked: Vec<_> = linked.iter().map(|(name, sdl)| (*name, sdl.as_str())).collect();
    check_as_written(&linked, expected);
}

#[track_caller]
fn check_as_written(subgraphs: &[(&str, &str)], expected: &Expect) {
    expected.assert_eq(&print(&compose(&schemas(subgraphs))));
}

#[test]
fn entities_have_keys_and_what_subgraphs_need_of_others() {
    let products = r#"
        type Query { product(id: ID!): Product }
        "A product." type Product @key(fields: "id") @key(fields: "sku { code }", resolvable: false) {
            id: ID!
            sku: Sku!
            "Its weight." weight: Int
        }
        type Sku { code: String! }"#;
    let shipping = r#"
        extend type Product @key(fields: "id") {
            id: ID!
            weight: Int @external
            cost: Int @requires(fields: "weight")
            box: Box @provides(fields: "size")
        }
        type Box @key(fields: "id") { id: ID! size: Int @external }"#;
    let boxes = r#"type Box @key(fields: "id") { id: ID! size: Int @shareable }"#;
    check(
        &[("products", products), ("shipping", shipping), ("boxes", boxes)],
        &expect![[r#"
            type Box
              @join__type(graph: BOXES, key: "id")
              @join__type(graph: SHIPPING, key: "id")
            {
              id: ID!
              size: Int @join__field(graph: BOXES) @join__field(graph: SHIPPING, external: true)
            }

            """A product."""
            type Product
              @join__type(graph: PRODUCTS, key: "id")
              @join__type(graph: PRODUCTS, key: "sku { code }", resolvable: false)
              @join__type(graph: SHIPPING, key: "id", extension: true)
            {
              id: ID!
              sku: Sku! @join__field(graph: PRODUCTS)

              """Its weight."""
              weight: Int @join__field(graph: PRODUCTS) @join__field(graph: SHIPPING, external: true)
              cost: Int @join__field(graph: SHIPPING, requires: "weight")
              box: Box @join__field(graph: SHIPPING, provides: "size")
            }

            type Query
              @join__type(graph: BOXES)
              @join__type(graph: PRODUCTS)
              @join__type(graph: SHIPPING)
            {
              product(id: ID!): Product @join__field(graph: PRODUCTS)
            }

            type Sku
              @join__type(graph: PRODUCTS)
            {
              code: String!
            }
        "#]],
    );
}

#[test]
fn progressive_overrides_have_their_label_in_both_subgraphs() {
    let old = r#"
        type Query { bill: Bill }
        type Bill @key(fields: "id") { id: ID! amount: Int payer: String tax: Int @shareable }"#;
    let new = r#"
        type Bill @key(fields: "id") {
            id: ID!
            amount: Int @override(from: "old", label: "percent(5)")
            payer: String @override(from: "old")
        }"#;
    check(
        &[("old", old), ("new", new)],
        &expect![[r#"
        type Bill
          @join__type(graph: NEW, key: "id")
          @join__type(graph: OLD, key: "id")
        {
          id: ID!
          amount: Int @join__field(graph: NEW, override: "old", overrideLabel: "percent(5)") @join__field(graph: OLD, overrideLabel: "percent(5)")
          payer: String @join__field(graph: NEW, override: "old")
          tax: Int @join__field(graph: OLD)
        }

        type Query
          @join__type(graph: NEW)
          @join__type(graph: OLD)
        {
          bill: Bill @join__field(graph: OLD)
        }
    "#]],
    );
}

#[test]
fn fields_of_interface_objects_are_added_to_implementations() {
    let media = r#"
        type Query { media: [Media] }
        interface Media @key(fields: "id") { id: ID! title: String }
        type Book implements Media @key(fields: "id") { id: ID! title: String pages: Int }"#;
    let ratings = r#"
        type Media @interfaceObject @key(fields: "id") { id: ID! rating(of: Int = 5): Float @tag(name: "new") }"#;
    check(
        &[("media", media), ("ratings", ratings)],
        &expect![[r#"
        type Book implements Media
          @join__implements(graph: MEDIA, interface: "Media")
          @join__type(graph: MEDIA, key: "id")
        {
          id: ID!
          title: String
          pages: Int
          rating(of: Int = 5): Float @join__field @tag(name: "new")
        }

        interface Media
          @join__type(graph: MEDIA, key: "id")
          @join__type(graph: RATINGS, key: "id", isInterfaceObject: true)
        {
          id: ID!
          title: String @join__field(graph: MEDIA)
          rating(of: Int = 5): Float @join__field(graph: RATINGS) @tag(name: "new")
        }

        type Query
          @join__type(graph: MEDIA)
          @join__type(graph: RATINGS)
        {
          media: [Media] @join__field(graph: MEDIA)
        }
    "#]],
    );
}

#[test]
fn types_are_merged_by_their_positions() {
    let one = r#"
        type Query { find(filter: Filter, limit: Int = 3, after: ID): [Found!]! @shareable kind: Kind }
        type Found @shareable { id: ID! name: String! kind: Seen }
        input Filter { name: String kind: Kind only: Int }
        enum Kind { NEW USED }
        enum Seen { HERE }
        union Any = Found"#;
    let other = r#"
        type Query { find(filter: Filter!, limit: Int = 3): [Found]! @shareable }
        type Found @shareable { id: ID! name: String size: Int kind: Seen }
        input Filter { name: String! kind: Kind }
        enum Kind { NEW USED }
        enum Seen { THERE }
        union Any = Found | Other
        type Other { id: ID }"#;
    check(
        &[("one", one), ("other", other)],
        &expect![[r#"
            union Any
              @join__type(graph: ONE)
              @join__type(graph: OTHER)
              @join__unionMember(graph: ONE, member: "Found")
              @join__unionMember(graph: OTHER, member: "Found")
              @join__unionMember(graph: OTHER, member: "Other")
              = Found | Other

            input Filter
              @join__type(graph: ONE)
              @join__type(graph: OTHER)
            {
              name: String! @join__field(graph: ONE, type: "String") @join__field(graph: OTHER, type: "String!")
              kind: Kind
            }

            type Found
              @join__type(graph: ONE)
              @join__type(graph: OTHER)
            {
              id: ID!
              name: String @join__field(graph: ONE, type: "String!") @join__field(graph: OTHER, type: "String")
              kind: Seen
              size: Int @join__field(graph: OTHER)
            }

            enum Kind
              @join__type(graph: ONE)
              @join__type(graph: OTHER)
            {
              NEW @join__enumValue(graph: ONE) @join__enumValue(graph: OTHER)
              USED @join__enumValue(graph: ONE) @join__enumValue(graph: OTHER)
            }

            type Other
              @join__type(graph: OTHER)
            {
              id: ID
            }

            type Query
              @join__type(graph: ONE)
              @join__type(graph: OTHER)
            {
              find(filter: Filter!, limit: Int = 3): [Found]! @join__field(graph: ONE, type: "[Found!]!") @join__field(graph: OTHER, type: "[Found]!")
              kind: Kind @join__field(graph: ONE)
            }

            enum Seen
              @join__type(graph: ONE)
              @join__type(graph: OTHER)
            {
              HERE @join__enumValue(graph: ONE)
              THERE @join__enumValue(graph: OTHER)
            }
        "#]],
    );
}

#[test]
fn subgraphs_of_federation_1_are_upgraded() {
    let users = r#"
        type Query { me: User }
        type User @key(fields: "id") { id: ID! name: String mail: String }
        type Page { next: String }"#;
    let reviews = r#"
        extend type User @key(fields: "id") {
            id: ID! @external
            name: String @external
            mail: String @external
            reviews: [Review] @requires(fields: "name")
        }
        type Review { body: String page: Page }
        type Page { next: String }"#;
    check_as_written(
        &[("users", users), ("reviews", reviews)],
        &expect![[r#"
        type Page
          @join__type(graph: REVIEWS)
          @join__type(graph: USERS)
        {
          next: String
        }

        type Query
          @join__type(graph: REVIEWS)
          @join__type(graph: USERS)
        {
          me: User @join__field(graph: USERS)
        }

        type Review
          @join__type(graph: REVIEWS)
        {
          body: String
          page: Page
        }

        type User
          @join__type(graph: REVIEWS, key: "id")
          @join__type(graph: USERS, key: "id")
        {
          id: ID!
          name: String @join__field(graph: REVIEWS, external: true) @join__field(graph: USERS)
          reviews: [Review] @join__field(graph: REVIEWS, requires: "name")
          mail: String @join__field(graph: USERS)
        }
    "#]],
    );
}

#[test]
fn contexts_have_the_names_of_their_subgraphs() {
    let shop = r#"
        type Query { user: User }
        type User @key(fields: "id") @context(name: "user") { id: ID! currency: String! cart: Cart }
        type Cart @key(fields: "id") {
            id: ID!
            total(currency: String @fromContext(field: "$user { currency }"), tax: Boolean): Int
        }"#;
    check(
        &[("shop-1", shop)],
        &expect![[r#"
        type Cart
          @join__type(graph: SHOP_1_, key: "id")
        {
          id: ID!
          total(tax: Boolean): Int @join__field(graph: SHOP_1_, contextArguments: [{context: "shop-1__user", name: "currency", type: "String", selection: " { currency }"}])
        }

        type Query
          @join__type(graph: SHOP_1_)
        {
          user: User
        }

        type User
          @join__type(graph: SHOP_1_, key: "id")
          @context(name: "shop-1__user")
        {
          id: ID!
          currency: String!
          cart: Cart
        }
    "#]],
    );
}

#[test]
fn root_types_have_their_default_names() {
    let sdl = r#"
        schema { query: Root mutation: Change }
        type Root { self: Root any: Any }
        type Change { set(to: Int! @tag(name: "x")): Root }
        union Any = Root | Change"#;
    check(
        &[("a", sdl)],
        &expect![[r#"
            union Any
              @join__type(graph: A)
              @join__unionMember(graph: A, member: "Query")
              @join__unionMember(graph: A, member: "Mutation")
              = Query | Mutation

            type Mutation
              @join__type(graph: A)
            {
              set(to: Int! @tag(name: "x")): Query
            }

            type Query
              @join__type(graph: A)
            {
              self: Query
              any: Any
            }
        "#]],
    );
}

#[test]
fn definitions_and_links_of_directives_are_those_that_are_used() {
    let sdl = r#"
        extend schema
            @link(url: "https://example.com/mine/v1.2", import: ["@mine"])
            @composeDirective(name: "@mine")
        directive @mine(x: Int = 1) on FIELD_DEFINITION
        directive @ask(to: Int) on FIELD
        type Query { a: Int @mine(x: 2) @requiresScopes(scopes: ["x", "y"]) b: Int @cost(weight: 3) }"#;
    let composition = compose(&schemas(&[("a", &[LINK, sdl].concat())]));
    let supergraph = composition.supergraph.unwrap_or_default();
    let lines = supergraph.lines().filter(|line| {
        let is_join = line.contains("join__") && !line.contains("Query");
        !is_join
            && ["  @link", "directive", "  a:", "  b:"].iter().any(|start| line.starts_with(start))
    });
    expect![[r#"
          @link(url: "https://specs.apollo.dev/link/v1.0")
          @link(url: "https://specs.apollo.dev/join/v0.5", for: EXECUTION)
          @link(url: "https://specs.apollo.dev/requiresScopes/v0.1", for: SECURITY)
          @link(url: "https://specs.apollo.dev/cost/v0.1")
          @link(url: "https://example.com/mine/v1.2", import: ["@mine"])
        directive @ask(to: Int) on FIELD
        directive @cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
        directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
        directive @mine(x: Int = 1) on FIELD_DEFINITION
        directive @requiresScopes(scopes: [[requiresScopes__Scope!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
          a: Int @requiresScopes(scopes: ["x", "y"]) @mine(x: 2)
          b: Int @cost(weight: 3)"#]].assert_eq(&lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_composer_takes_changes_and_forgets_removed_subgraphs() {
    let query = "type Query { a: Int }";
    let mut composer = Composer::default();
    let mut names = |sdls: &[(&str, &str)]| {
        let composition = composer.compose(&schemas(sdls));
        assert_eq!(composition, compose(&schemas(sdls)));
        print(&composition)
    };
    let both = names(&[("a", query), ("b", "type Query { b: Int }")]);
    let changed = names(&[("a", query), ("b", "type Query { c: Int }")]);
    let broken = names(&[("a", query), ("b", "type Query { c: }")]);
    let one = names(&[("a", query)]);
    expect![[r#"
        type Query
          @join__type(graph: A)
          @join__type(graph: B)
        {
          a: Int @join__field(graph: A)
          b: Int @join__field(graph: B)
        }

        ---
        type Query
          @join__type(graph: A)
          @join__type(graph: B)
        {
          a: Int @join__field(graph: A)
          c: Int @join__field(graph: B)
        }

        ---
        INVALID_GRAPHQL: syntax error: expected a Type
          b:1:17
        ---
        type Query
          @join__type(graph: A)
        {
          a: Int
        }
    "#]]
    .assert_eq(&[both, changed, broken, one].join("\n---\n"));
}

#[test]
fn findings_name_places_and_remedies() {
    let one = "type Query { a: Int\n  b: Int }";
    let other = "type Query {\n  a: String @shareable c: Missing }";
    check(
        &[("one", one), ("other", other)],
        &expect![[r#"
        INVALID_GRAPHQL: Subgraph "other": `Query.c` has the type `Missing`, which the subgraph does not have.
          other:5:24
          Define `Missing`; a type of another subgraph needs at least its key here: `type Missing @key(fields: "id", resolvable: false) { id: ID! }`."#]],
    );
    let other = "type Query {\n  a: String @shareable }";
    check(
        &[("one", one), ("other", other)],
        &expect![[r#"
        INVALID_FIELD_SHARING: Several subgraphs resolve the field `Query.a` (subgraphs "one" and "other"), but it is not shareable in subgraph "one".
          one:4:14
          other:5:3
          Mark the field `@shareable` in all of them, or move it to one of them with `@override`.
        FIELD_TYPE_MISMATCH: The field `Query.a` has types that no type includes: `Int` in subgraph "one" and `String` in subgraph "other".
          one:4:14
          other:5:3
          Declare the same type in all subgraphs."#]],
    );
}

#[test]
fn connectors_are_applied_by_their_subgraphs() {
    let rest = r#"extend schema
        @link(url: "https://specs.apollo.dev/connect/v0.2", import: ["@source", { name: "@connect", as: "@rest" }])
        @source(name: "api", http: { baseURL: "https://api.example" })
        type Query { user(id: ID!): User @rest(source: "api", http: { GET: "/{$args.id}" }, selection: "id name", entity: true) }
        type User { id: ID! name: String }"#;
    let composition = compose(&schemas(&[("rest", rest)]));
    assert_eq!(composition.errors, []);
    let supergraph = composition.supergraph.unwrap_or_default();
    let lines = supergraph.lines().filter(|line| {
        line.contains("connect/v0.2")
            || line.contains("api.example")
            || line.contains("/{$args.id}")
    });
    let lines: Vec<_> = lines.map(str::trim).collect();
    expect![[r#"
        @link(url: "https://specs.apollo.dev/connect/v0.2", for: EXECUTION)
        @join__directive(graphs: [REST], name: "link", args: {url: "https://specs.apollo.dev/connect/v0.2", import: ["@source", "@connect"]})
        @join__directive(graphs: [REST], name: "source", args: {name: "api", http: {baseURL: "https://api.example"}})
        user(id: ID!): User @join__directive(graphs: [REST], name: "connect", args: {source: "api", http: {GET: "/{$args.id}"}, selection: "id name", entity: true})"#]].assert_eq(&lines.join("\n"));
    let read = crate::read(&supergraph).unwrap();
    let names: Vec<_> = read.subgraphs.iter().map(|subgraph| &*subgraph.name).collect();
    let parts = ["rest", "rest:Query.user@connect[0]", "rest:Query.user@connect[0] (entity)"];
    assert_eq!(names, parts);
    assert_eq!(&*read.connectors[0].request, "GET https://api.example/{$args.id}");
}

#[test]
fn a_source_that_is_not_imported_is_a_hint() {
    let rest = r#"extend schema
        @link(url: "https://specs.apollo.dev/federation/v2.12")
        @link(url: "https://specs.apollo.dev/connect/v0.2", import: ["@connect"])
        type Query { a: Int @connect(http: { GET: "https://example.com/a" }, selection: "$") }"#;
    let composition = compose(&schemas(&[("rest", rest)]));
    let codes: Vec<_> = composition.hints.iter().map(|hint| hint.code.as_str()).collect();
    assert_eq!(codes, ["NO_SOURCE_IMPORT"]);
    assert_eq!(composition.errors, []);
}

#[test]
fn cache_control_stays_with_the_server_of_its_subgraph() {
    let federation_1 = r#"
        enum CacheControlScope { PUBLIC PRIVATE }
        directive @cacheControl(maxAge: Int, scope: CacheControlScope, inheritMaxAge: Boolean)
            on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
        type Query { a: A }
        type A @cacheControl(maxAge: 60) { id: ID @cacheControl(scope: PRIVATE) }"#;
    let federation_2 = r#"
        extend schema
            @link(url: "https://specs.apollo.dev/federation/v2.1", import: ["@composeDirective"])
            @link(url: "https://example.com/cache/v1.0", import: ["@cacheControl"])
            @composeDirective(name: "@cacheControl")
        directive @cacheControl(maxAge: Int) on FIELD_DEFINITION
        type Query { b: Int @cacheControl(maxAge: 5) }"#;
    let composition = compose(&schemas(&[("one", federation_1), ("two", federation_2)]));
    assert_eq!(composition.errors, []);
    let told = composition.hints.iter().filter(|hint| hint.message.contains("@cacheControl"));
    let told: Vec<_> = told.map(|hint| (hint.code.as_str(), &*hint.message)).collect();
    let message = "The subgraph \"one\" has `@cacheControl`, which the supergraph does not have: the \
                   server of the subgraph makes the header `Cache-Control` of it, and the gateway \
                   reads the header.";
    assert_eq!(told, [("DIRECTIVE_COMPOSITION_INFO", message)]);
    // Where a subgraph composes the directive, the supergraph has its applications.
    let supergraph = composition.supergraph.unwrap();
    assert!(supergraph.contains("@cacheControl(maxAge: 5)"), "{supergraph}");
    assert!(!supergraph.contains("@cacheControl(maxAge: 60)"), "{supergraph}");
}

#[test]
fn federation_1_has_the_directives_that_it_defines() {
    let first = r#"
        directive @inaccessible on FIELD_DEFINITION
        directive @shareable on FIELD_DEFINITION
        directive @override(from: String!) on FIELD_DEFINITION
        directive @authenticated on FIELD_DEFINITION
        type Query { t: T }
        type T @key(fields: "id") {
            id: ID!
            hidden: Int @inaccessible
            moved: Int @override(from: "b")
            newer: Int @authenticated
            shared: Int @shareable
        }"#;
    let second = r#"
        extend schema @link(url: "https://specs.apollo.dev/federation/v2.3",
            import: ["@key", "@shareable"])
        type T @key(fields: "id") { id: ID! moved: Int shared: Int @shareable }"#;
    check_as_written(
        &[("a", first), ("b", second)],
        &expect![[r#"
        type Query
          @join__type(graph: A)
          @join__type(graph: B)
        {
          t: T @join__field(graph: A)
        }

        type T
          @join__type(graph: A, key: "id")
          @join__type(graph: B, key: "id")
        {
          id: ID!
          hidden: Int @join__field(graph: A) @inaccessible
          moved: Int @join__field(graph: A, override: "b")
          newer: Int @join__field(graph: A)
          shared: Int
        }
    "#]],
    );
}

#[test]
fn federation_1_leaves_own_fields_out_of_field_sets() {
    let first = r#"
        type Query { t: T @provides(fields: "id f g") s: S @provides(fields: "t { id f } x") }
        type S { t: T x: Int }
        type T @extends @key(fields: "id") {
            id: ID! @external
            e(n: Int): Int @external
            f: Int @external
            g: Int @requires(fields: "id e(n: 1)")
            h: Int @requires(fields: "id")
        }
        type U @extends { id: ID! @external v: Int @external }
        extend type Query { u: U }"#;
    let second = r#"
        type T @key(fields: "id") { id: ID! e(n: Int): Int f: Int }
        type U @key(fields: "id") { id: ID! v: Int }"#;
    check_as_written(
        &[("a", first), ("b", second)],
        &expect![[r#"
        type Query
          @join__type(graph: A)
          @join__type(graph: B)
        {
          t: T @join__field(graph: A, provides: "f")
          s: S @join__field(graph: A, provides: "t { f }")
          u: U @join__field(graph: A)
        }

        type S
          @join__type(graph: A)
        {
          t: T
          x: Int
        }

        type T
          @join__type(graph: A, key: "id", extension: true)
          @join__type(graph: B, key: "id")
        {
          id: ID!
          e(n: Int): Int @join__field(graph: A, external: true) @join__field(graph: B)
          f: Int @join__field(graph: A, external: true) @join__field(graph: B)
          g: Int @join__field(graph: A, requires: "e(n: 1)")
          h: Int @join__field(graph: A)
        }

        type U
          @join__type(graph: A)
          @join__type(graph: B, key: "id")
        {
          id: ID!
          v: Int @join__field(graph: B)
        }
    "#]],
    );
}

#[test]
fn fields_have_the_requirements_of_interface_objects() {
    let first = r#"
        type U @key(fields: "id") @interfaceObject {
            id: ID!
            name: String @requiresScopes(scopes: [["a"]]) @shareable
        }"#;
    let second = r#"
        type Query { u: U }
        interface U @key(fields: "id") { id: ID! }
        type T implements U @key(fields: "id") {
            id: ID!
            name: String @requiresScopes(scopes: [["c"]]) @shareable
        }"#;
    check(
        &[("a", first), ("b", second)],
        &expect![[r#"
        type Query
          @join__type(graph: A)
          @join__type(graph: B)
        {
          u: U @join__field(graph: B)
        }

        type T implements U
          @join__implements(graph: B, interface: "U")
          @join__type(graph: B, key: "id")
        {
          id: ID!
          name: String @requiresScopes(scopes: [["a", "c"]])
        }

        interface U
          @join__type(graph: A, key: "id", isInterfaceObject: true)
          @join__type(graph: B, key: "id")
        {
          id: ID!
          name: String @join__field(graph: A) @requiresScopes(scopes: [["a", "c"]])
        }
    "#]],
    );
}

#[test]
fn renamed_directives_are_imported_by_their_links() {
    let schema = r#"
        extend schema
            @link(url: "https://specs.apollo.dev/federation/v2.9", import: [
                "@composeDirective", { name: "@tag", as: "@label" }, { name: "@policy", as: "@may" }])
            @link(url: "https://custom.dev/tag/v1.0", import: ["@tag"])
            @composeDirective(name: "@tag")
        directive @tag(name: String!, more: Int) on FIELD_DEFINITION
        type Query { a: Int @tag(name: "a", more: 1) @label(name: "b") @may(policies: [["p"]]) }"#;
    let composed = compose(&schemas(&[("a", schema)]));
    let supergraph = composed.supergraph.unwrap_or_default();
    let links = supergraph.lines().filter(|line| line.contains("@link(url"));
    expect![[r#"
          @link(url: "https://specs.apollo.dev/link/v1.0")
          @link(url: "https://specs.apollo.dev/join/v0.5", for: EXECUTION)
          @link(url: "https://specs.apollo.dev/tag/v0.3", as: "_0tag", import: [{name: "@tag", as: "@label"}])
          @link(url: "https://specs.apollo.dev/policy/v0.1", import: [{name: "@policy", as: "@may"}], for: SECURITY)
          @link(url: "https://custom.dev/tag/v1.0", import: ["@tag"])
        directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA"#]].assert_eq(&links.collect::<Vec<_>>().join("\n"));
}
