//! The schema and the bindings that the PostGraphile dialect makes of a catalog.

#[path = "postgraphile/shop.rs"]
mod shop;
#[path = "postgraphile/tables.rs"]
mod tables;

use catalog::{Catalog, Scalar, Type};
use dialects::postgraphile::{Options, SimpleCollections, api};
use dialects::{Api, EntityBinding, FieldBinding, OrderBy, ValueBinding};
use expect_test::{expect, expect_file};
use graphql::print_schema;

use tables::Tables;

fn make(catalog: &Catalog, simple_collections: SimpleCollections) -> Api {
    api(catalog, &Options { simple_collections })
}

/// One line for each note.
fn notes(api: &Api) -> String {
    api.notes.iter().map(|note| format!("{note}\n")).collect()
}

/// The names of a type's fields or values, as far as there are any.
fn members(api: &Api, name: &str) -> Vec<String> {
    use graphql::schema::TypeKind;
    let schema = &api.schema;
    let Some(id) = schema.find_type(name) else { return Vec::new() };
    match &schema[id].kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
            fields.iter().map(|field| schema[*field].name.to_string()).collect()
        }
        TypeKind::Enum { values } => {
            values.iter().map(|value| schema[*value].name.to_string()).collect()
        }
        TypeKind::InputObject { fields } => {
            fields.iter().map(|field| schema[*field].name.to_string()).collect()
        }
        TypeKind::Scalar | TypeKind::Union { .. } => Vec::new(),
    }
}

#[test]
fn schema_with_connections() {
    let api = make(&shop::catalog(), SimpleCollections::Omit);
    assert_eq!(notes(&api), "");
    expect_file!["postgraphile/shop.omit.graphql"].assert_eq(&print_schema(&api.schema));
}

#[test]
fn schema_with_connections_and_lists() {
    let api = make(&shop::catalog(), SimpleCollections::Both);
    assert_eq!(notes(&api), "");
    expect_file!["postgraphile/shop.both.graphql"].assert_eq(&print_schema(&api.schema));
}

#[test]
fn without_connections_nothing_of_them_is_in_the_schema() {
    let api = make(&shop::catalog(), SimpleCollections::Only);
    for name in ["PeopleConnection", "PeopleEdge", "PageInfo", "Cursor"] {
        assert_eq!(api.schema.find_type(name), None, "{name}");
    }
    // A row that refers by a unique column is reached in the singular only.
    assert_eq!(
        members(&api, "Person"),
        [
            "nodeId",
            "id",
            "fullName",
            "mail",
            "mood",
            "home",
            "postsByAuthorIdList",
            "postsByEditorIdList",
            "personSecretByPersonId"
        ]
    );
}

#[test]
fn every_type_of_the_catalog() {
    let api = make(&shop::all_types(), SimpleCollections::Omit);
    assert_eq!(notes(&api), "");
    expect_file!["postgraphile/all_types.graphql"].assert_eq(&print_schema(&api.schema));
}

#[test]
fn orders_cursors_and_node_ids() {
    let catalog = shop::catalog();
    let api = make(&catalog, SimpleCollections::Omit);
    let entity = |name: &str| catalog.find_entity(Some("app"), name).unwrap();
    let field = |table: &str, name: &str| catalog.find_field(entity(table).id, name).unwrap().id;

    // `mail` is unique, but several people may have none.
    let id = field("person", "id");
    assert_eq!(
        api.find_entity(entity("person").id),
        Some(&EntityBinding {
            tie_break: vec![id],
            unique: vec![id],
            natural_cursor: "primary_key_asc".into(),
        })
    );
    assert_eq!(
        api.find_entity(entity("no_pk").id),
        Some(&EntityBinding {
            tie_break: Vec::new(),
            unique: Vec::new(),
            natural_cursor: "natural".into(),
        })
    );

    let key = vec![field("post_tag", "post_id"), field("post_tag", "tag_id")];
    let order = api.schema.find_type("PostTagsOrderBy").unwrap();
    let value = |name: &str| api.value(api.schema.find_enum_value(order, name).unwrap()).clone();
    assert_eq!(value("NATURAL"), ValueBinding::Order(OrderBy::Natural));
    assert_eq!(
        value("PRIMARY_KEY_DESC"),
        ValueBinding::Order(OrderBy::Fields {
            fields: key.clone(),
            direction: ir::Direction::Descending,
            cursor_name: "primary_key_desc".into(),
        })
    );
    let post_tag = api.schema.find_type("PostTag").unwrap();
    let node_id = api.schema.find_field(post_tag, "nodeId").unwrap();
    assert_eq!(*api.field(node_id), FieldBinding::NodeId { prefix: "post_tags".into(), key });
}

#[test]
fn a_name_belongs_to_the_first_and_the_others_are_reported() {
    let mut tables = Tables::default();
    let int = Type::Scalar(Scalar::Int32);
    for name in ["cursor", "date", "people", "person", "query"] {
        let table = tables.table(name, &[("id", int.clone(), false)]);
        tables.primary(table, &["id"]);
    }
    let columns = ["id", "node_id", "a-b", "a_b", "primary_key", "__private"];
    let columns = columns.map(|name| (name, int.clone(), false));
    let order = tables.table("post", &columns);
    tables.primary(order, &["id"]);
    tables.table("posts_connection", &[("id", int.clone(), false)]);
    tables.table("empty", &[]);
    let api = make(&tables.finish(), SimpleCollections::Omit);
    expect![[r#"
        collision: app.cursor: its type would be called Cursor, which is already a type of every API; it is left out. Remedy: rename app.cursor, or the other.
        collision: app.date: its type would be called Date, which is already a type of every API; it is left out. Remedy: rename app.date, or the other.
        collision: app.person: its type would be called Person, which is already the type of app.people; it is left out. Remedy: rename app.person, or the other.
        collision: app.query: its type would be called Query, which is already a type of every API; it is left out. Remedy: rename app.query, or the other.
        collision: app.post.node_id: its field would be called nodeId, which is already the node id of the row; it is left out. Remedy: rename app.post.node_id, or the other.
        collision: app.post.a_b: its field would be called aB, which is already the field of app.post.a-b; it is left out. Remedy: rename app.post.a_b, or the other.
        left out: app.post.__private: its name begins with two underscores, which marks it as private. Remedy: rename app.post.__private.
        left out: app.empty: it has no column that can be shown. Remedy: add a column.
        collision: app.post: its connection type would be called PostsConnection, which is already the type of app.posts_connection; it is left out. Remedy: rename app.post, or the other.
    "#]].assert_eq(&notes(&api));
    expect![[r#"
        """An object with a globally unique `ID`."""
        interface Node {
          """
          A globally unique identifier. Can be used in various places throughout the system to identify this single value.
          """
          nodeId: ID!
        }

        """The root query type which gives access points into the data universe."""
        type Query implements Node {
          """
          Exposes the root query type nested one level down. This is helpful for Relay 1 which can only query top level fields if they are in a particular form.
          """
          query: Query!

          """
          The root query type must be a `Node` to work well with Relay 1 mutations. This just resolves to `query`.
          """
          nodeId: ID!

          """Reads and enables pagination through a set of `Person`."""
          allPeople(
            """Only read the first `n` values of the set."""
            first: Int

            """
            Skip the first `n` values from our `after` cursor, an alternative to cursor based pagination. May not be used with `last`.
            """
            offset: Int

            """The method to use when ordering `Person`."""
            orderBy: [PeopleOrderBy!] = [PRIMARY_KEY_ASC]

            """
            A condition to be used in determining which values should be returned by the collection.
            """
            condition: PersonCondition
          ): PeopleConnection

          """Reads and enables pagination through a set of `PostsConnection`."""
          allPostsConnections(
            """Only read the first `n` values of the set."""
            first: Int

            """
            Skip the first `n` values from our `after` cursor, an alternative to cursor based pagination. May not be used with `last`.
            """
            offset: Int

            """The method to use when ordering `PostsConnection`."""
            orderBy: [PostsConnectionsOrderBy!] = [NATURAL]

            """
            A condition to be used in determining which values should be returned by the collection.
            """
            condition: PostsConnectionCondition
          ): PostsConnectionsConnection
          personById(id: Int!): Person
          postById(id: Int!): Post
        }

        type Person implements Node {
          """
          A globally unique identifier. Can be used in various places throughout the system to identify this single value.
          """
          nodeId: ID!
          id: Int!
        }

        """A location in a connection that can be used for resuming pagination."""
        scalar Cursor

        """Information about pagination in a connection."""
        type PageInfo {
          """When paginating forwards, are there more items?"""
          hasNextPage: Boolean!

          """When paginating backwards, are there more items?"""
          hasPreviousPage: Boolean!

          """When paginating backwards, the cursor to continue."""
          startCursor: Cursor

          """When paginating forwards, the cursor to continue."""
          endCursor: Cursor
        }

        """A connection to a list of `Person` values."""
        type PeopleConnection {
          """A list of `Person` objects."""
          nodes: [Person]!

          """
          A list of edges which contains the `Person` and cursor to aid in pagination.
          """
          edges: [PeopleEdge!]!

          """Information to aid in pagination."""
          pageInfo: PageInfo!

          """The count of *all* `Person` you could get from the connection."""
          totalCount: Int!
        }

        """A `Person` edge in the connection."""
        type PeopleEdge {
          """A cursor for use in pagination."""
          cursor: Cursor

          """The `Person` at the end of the edge."""
          node: Person
        }

        """Methods to use when ordering `Person`."""
        enum PeopleOrderBy {
          NATURAL
          ID_ASC
          ID_DESC
          PRIMARY_KEY_ASC
          PRIMARY_KEY_DESC
        }

        """
        A condition to be used against `Person` object types. All fields are tested for equality and combined with a logical ‘and.’
        """
        input PersonCondition {
          """Checks for equality with the object’s `id` field."""
          id: Int
        }

        type Post implements Node {
          """
          A globally unique identifier. Can be used in various places throughout the system to identify this single value.
          """
          nodeId: ID!
          id: Int!
          aB: Int!
          primaryKey: Int!
        }

        type PostsConnection {
          id: Int!
        }

        """A connection to a list of `PostsConnection` values."""
        type PostsConnectionsConnection {
          """A list of `PostsConnection` objects."""
          nodes: [PostsConnection]!

          """
          A list of edges which contains the `PostsConnection` and cursor to aid in pagination.
          """
          edges: [PostsConnectionsEdge!]!

          """Information to aid in pagination."""
          pageInfo: PageInfo!

          """
          The count of *all* `PostsConnection` you could get from the connection.
          """
          totalCount: Int!
        }

        """A `PostsConnection` edge in the connection."""
        type PostsConnectionsEdge {
          """A cursor for use in pagination."""
          cursor: Cursor

          """The `PostsConnection` at the end of the edge."""
          node: PostsConnection
        }

        """Methods to use when ordering `PostsConnection`."""
        enum PostsConnectionsOrderBy {
          NATURAL
          ID_ASC
          ID_DESC
        }

        """
        A condition to be used against `PostsConnection` object types. All fields are tested for equality and combined with a logical ‘and.’
        """
        input PostsConnectionCondition {
          """Checks for equality with the object’s `id` field."""
          id: Int
        }
    "#]].assert_eq(&print_schema(&api.schema));
}

#[test]
fn odd_names_become_names_of_graphql() {
    let mut tables = Tables::default();
    let int = Type::Scalar(Scalar::Int32);
    let columns = ["1st", "With Space", "quo\"te", "größe", "имя", "%", "it's", "_x"];
    let columns = columns.map(|name| (name, int.clone(), true));
    tables.table("2 Odd\"Things", &columns);
    tables.table("foo_input", &[("id", int.clone(), false)]);
    tables.table("☂", &[("id", int.clone(), false)]);
    let api = make(&tables.finish(), SimpleCollections::Both);
    assert_eq!(notes(&api), "");
    expect![[r#"
        query
        nodeId
        all2OddThings
        all2OddThingsList
        allFooInputRecords
        allFooInputRecordsList
        allU2602S
        allU2602SList"#]].assert_eq(&members(&api, "Query").join("\n"));
    expect![[r#"
        _1st
        withSpace
        quoTe
        grosse
        u0438U043Cu044F
        u0025
        its
        _x"#]].assert_eq(&members(&api, "_2OddThing").join("\n"));
    expect![[r#"
        NATURAL
        _1ST_ASC
        _1ST_DESC
        WITH_SPACE_ASC
        WITH_SPACE_DESC
        QUO_TE_ASC
        QUO_TE_DESC
        GR_E_ASC
        GR_E_DESC
        U0438U043CU044F_ASC
        U0438U043CU044F_DESC
        U0025_ASC
        U0025_DESC
        IT_S_ASC
        IT_S_DESC
        _X_ASC
        _X_DESC"#]].assert_eq(&members(&api, "_2OddThingsOrderBy").join("\n"));
}
