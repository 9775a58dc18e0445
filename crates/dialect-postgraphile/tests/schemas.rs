//! The schema and the bindings that the PostGraphile dialect makes of a catalog.

#[path = "schemas/hostile.rs"]
mod hostile;
#[path = "schemas/mutations.rs"]
mod mutations;
#[path = "schemas/nested.rs"]
mod nested;
#[path = "schemas/shop.rs"]
mod shop;
#[path = "schemas/tables.rs"]
mod tables;

use api::{Api, EntityBinding, FieldBinding, NodeIdBinding, OrderBy, ValueBinding};
use catalog::builder::NewField;
use catalog::{Catalog, EntityId, EntityKind, Join, NoteKind, RelationshipNames, Scalar, Type};
use dialect_postgraphile::{Options, SimpleCollections, TagsFile, api};
use expect_test::{expect, expect_file};
use graphql::print_schema;

use tables::Tables;

/// What is read: mutations have tests of their own.
fn make(catalog: &Catalog, simple_collections: SimpleCollections) -> Api {
    let disable_default_mutations = true;
    api(catalog, &Options { simple_collections, disable_default_mutations, ..Options::default() })
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

/// Introspection and `@include` need them.
#[test]
fn string_and_boolean_are_there_whatever_the_columns_are() {
    let mut tables = Tables::default();
    let table = tables.table("number", &[("id", Type::Scalar(Scalar::Int32), false)]);
    tables.primary(table, &["id"]);
    let catalog = tables.builder.finish();
    for collections in [SimpleCollections::Omit, SimpleCollections::Only] {
        let api = make(&catalog, collections);
        assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
        assert!(api.schema.find_type("String").is_some());
        assert!(api.schema.find_type("Boolean").is_some());
    }
}

#[test]
fn schema_with_connections() {
    let api = make(&shop::catalog(), SimpleCollections::Omit);
    assert_eq!(notes(&api), "");
    expect_file!["schemas/shop.omit.graphql"].assert_eq(&print_schema(&api.schema));
}

#[test]
fn schema_with_connections_and_lists() {
    let api = make(&shop::catalog(), SimpleCollections::Both);
    assert_eq!(notes(&api), "");
    expect_file!["schemas/shop.both.graphql"].assert_eq(&print_schema(&api.schema));
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
    expect_file!["schemas/all_types.graphql"].assert_eq(&print_schema(&api.schema));
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
            unique: vec![vec![id]],
            natural_cursor: "primary_key_asc".into(),
            value: None,
            node_id: Some(NodeIdBinding {
                form: api::binding::IdForm::Tagged,
                codec: ir::Codec::Base64JsonArray,
                enforced: true,
                found: true,
                prefix: "people".into(),
                key: vec![id],
                r#type: api.schema.find_type("Person").unwrap(),
            }),
            ..EntityBinding::default()
        })
    );
    assert_eq!(
        api.find_entity(entity("no_pk").id),
        Some(&EntityBinding {
            tie_break: Vec::new(),
            unique: Vec::new(),
            natural_cursor: "natural".into(),
            value: None,
            node_id: None,
            ..EntityBinding::default()
        })
    );

    let key = vec![field("post_tag", "post_id"), field("post_tag", "tag_id")];
    let order = api.schema.find_type("PostTagsOrderBy").unwrap();
    let value = |name: &str| api.value(api.schema.find_enum_value(order, name).unwrap()).clone();
    assert_eq!(value("NATURAL"), ValueBinding::Order(OrderBy::Natural));
    assert_eq!(
        value("PRIMARY_KEY_DESC"),
        ValueBinding::Order(OrderBy::Fields {
            fields: key.clone().into(),
            direction: ir::Direction::Descending,
            cursor_name: "primary_key_desc".into(),
        })
    );
    let post_tag = api.schema.find_type("PostTag").unwrap();
    let node_id = api.schema.find_field(post_tag, "nodeId").unwrap();
    assert_eq!(
        *api.field(node_id),
        FieldBinding::NodeId {
            prefix: "post_tags".into(),
            key,
            form: api::binding::IdForm::Tagged
        }
    );
}

#[test]
fn a_view_is_ordered_by_its_unique_column() {
    let check =
        |kind: EntityKind, comment: &str, option: Option<&str>, cursor: &str, note: &str| {
            let mut tables = Tables::default();
            let (namespace, text) = (Tables::namespace(), Some(comment.into()));
            let view = tables.builder.entity(namespace, "seen".into(), kind, text);
            for (name, scalar) in [("id", Scalar::Int32), ("doc", Scalar::Json)] {
                let field = NewField {
                    name: name.into(),
                    r#type: Type::Scalar(scalar),
                    nullable: true,
                    has_default: false,
                    generated: None,
                    description: None,
                };
                tables.builder.field(view, field);
            }
            let mut catalog = tables.builder.finish();
            let view_unique_key = option.map(Into::into);
            let options = Options { view_unique_key, ..Options::default() };
            dialect_postgraphile::declare(&mut catalog, &options);
            let api = api(&catalog, &options);
            let case = format!("{kind:?} {comment:?} {option:?}");
            let binding = api.find_entity(view).unwrap();
            assert_eq!(&*binding.natural_cursor, cursor, "{case}");
            assert_eq!(binding.tie_break.is_empty(), cursor == "natural", "{case}");
            assert_eq!(binding.node_id.is_some(), cursor == "primary_key_asc", "{case}");
            let messages: Vec<_> = api.notes.iter().map(|note| &*note.message).collect();
            assert_eq!(messages.join("\n"), note, "{case}");
        };
    let (unique, natural) = ("view_unique_key_asc", "natural");
    check(EntityKind::View, "", None, natural, "");
    check(EntityKind::View, "", Some("id"), unique, "");
    check(EntityKind::View, "@uniqueKey id", None, unique, "");
    check(EntityKind::View, "@uniqueKey id\n@omit order", None, unique, "");
    // The tag stands over the option, and a key over both.
    check(
        EntityKind::View,
        "@uniqueKey ID",
        Some("id"),
        natural,
        "@uniqueKey names the column ID, which is not there.",
    );
    check(EntityKind::View, "@primaryKey id\n@uniqueKey id", Some("id"), "primary_key_asc", "");
    for comment in ["@uniqueKey", "@uniqueKey id\n@uniqueKey id"] {
        let note = "@uniqueKey does not name one column.";
        check(EntityKind::View, comment, None, natural, note);
    }
    let unordered = "rows cannot be ordered by doc, which should tell them apart.";
    check(EntityKind::View, "@uniqueKey doc", None, natural, unordered);
    check(EntityKind::View, "", Some("doc"), natural, unordered);
    let missing = "no view has this column, which should tell rows of views apart.";
    check(EntityKind::View, "", Some("nothing"), natural, missing);
    for kind in [EntityKind::Table, EntityKind::MaterializedView, EntityKind::ForeignTable] {
        check(kind, "", Some("id"), natural, missing);
        let note = "@uniqueKey is for views, and this is none.";
        check(kind, "@uniqueKey id", None, natural, note);
    }
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
    let post = tables.table("post", &columns);
    tables.primary(post, &["id"]);
    tables.unique(post, &["a-b"]);
    tables.foreign(post, &["a-b"], post, &["id"]);
    tables.table("empty", &[]);
    let api = make(&tables.finish(), SimpleCollections::Omit);
    expect![[r#"
        collision: app.cursor: its type would be called Cursor, which is already a type of every API; it is left out. Remedy: comment on table app.cursor is E'@name new_name';
        collision: app.person: its type would be called Person, which is already the type of app.people; it is left out. Remedy: comment on table app.person is E'@name new_name';
        collision: app.query: its type would be called Query, which is already a type of every API; it is left out. Remedy: comment on table app.query is E'@name new_name';
        collision: app.post.node_id: its field would be called nodeId, which is already the node id of the row; it is left out. Remedy: comment on column app.post.node_id is E'@name new_name';
        collision: app.post.a_b: its field would be called aB, which is already the field of app.post.a-b; it is left out. Remedy: comment on column app.post.a_b is E'@name new_name';
        left out: app.post.__private: its name begins with two underscores, which marks it as private. Remedy: rename app.post.__private.
        left out: app.empty: it has no column that can be shown. Remedy: add a column.
        collision: app.post.primary_key: its order would be called PRIMARY_KEY_ASC, which is already the order by the primary key; it is left out. Remedy: comment on column app.post.primary_key is E'@name new_name';
        collision: app.post.primary_key: its order would be called PRIMARY_KEY_DESC, which is already the order by the primary key; it is left out. Remedy: comment on column app.post.primary_key is E'@name new_name';
        collision: the foreign key a-b_fkey of app.post (a-b): its relation back would be called postByAB, which is already the relation of the foreign key a-b_fkey of app.post (a-b); it is left out. Remedy: comment on constraint "a-b_fkey" on app.post is E'@foreignSingleFieldName new_name';
    "#]].assert_eq(&notes(&api));
    let shown = ["Query", "Post", "PostCondition", "PostsOrderBy"]
        .map(|name| format!("{name}: {}\n", members(&api, name).join(" ")));
    expect![[r#"
        Query: query nodeId node allDates allPeople allPosts dateById personById postById postByAB date person post
        Post: nodeId id aB primaryKey postByAB postsByAB
        PostCondition: id aB primaryKey
        PostsOrderBy: NATURAL ID_ASC ID_DESC A_B_ASC A_B_DESC PRIMARY_KEY_ASC PRIMARY_KEY_DESC
    "#]]
    .assert_eq(&shown.concat());
}

#[test]
fn a_table_keeps_its_type_and_another_table_loses_its_connection() {
    let mut tables = Tables::default();
    let int = Type::Scalar(Scalar::Int32);
    for name in ["post", "posts_connection"] {
        tables.table(name, &[("id", int.clone(), false)]);
    }
    let api = make(&tables.finish(), SimpleCollections::Omit);
    expect![[r#"
        collision: app.post: its connection type would be called PostsConnection, which is already the type of app.posts_connection; it is left out. Remedy: comment on table app.post is E'@name new_name';
    "#]].assert_eq(&notes(&api));
    assert_eq!(members(&api, "Query"), ["query", "nodeId", "node", "allPostsConnections"]);
    assert_eq!(members(&api, "PostsConnection"), ["id"]);
}

/// The names of a schema of Prisma ORM are changed there.
#[test]
fn remedies_name_the_part_of_which_a_name_is_made() {
    let made = |name: &dyn Fn(&mut Catalog, EntityId)| {
        let mut tables = Tables::default();
        let int = Type::Scalar(Scalar::Int32);
        let taken = ("tags_by_pair_a_and_b", int.clone(), false);
        let post = tables.table("post", &[("id", int.clone(), false), taken]);
        let tag = tables.table("tag", &[("id", int.clone(), false)]);
        let pair = tables.table("pair", &[("a", int.clone(), false), ("b", int.clone(), false)]);
        for table in [post, tag] {
            tables.primary(table, &["id"]);
        }
        tables.primary(pair, &["a", "b"]);
        tables.foreign(pair, &["a"], post, &["id"]);
        tables.foreign(pair, &["b"], tag, &["id"]);
        let view =
            tables.builder.entity(Tables::namespace(), "shown".into(), EntityKind::View, None);
        let id = NewField {
            name: "id".into(),
            r#type: int,
            nullable: false,
            has_default: false,
            generated: None,
            description: None,
        };
        tables.builder.field(view, id);
        let mut catalog = tables.finish();
        name(&mut catalog, pair);
        let options = Options { many_to_many: true, ..Options::default() };
        notes(&api(&catalog, &options))
    };
    expect![[r#"
        collision: what app.pair joins by b: its many-to-many relation would be called tagsByPairAAndB, which is already the field of app.post.tags_by_pair_a_and_b; it is left out. Remedy: comment on constraint b_fkey on app.pair is E'@manyToManyFieldName new_name';
    "#]].assert_eq(&made(&|catalog, pair| {
        let right = catalog[pair].outgoing[1];
        let names = RelationshipNames::Given { forward: "tag".into(), backward: "pairs".into() };
        catalog.name_relationship(right, names);
    }));
    expect![[r#"
        collision: what app.pair joins by b: its many-to-many relation would be called id, which is already the field of app.post.id; it is left out. Remedy: name the list field id otherwise in the schema of Prisma.
    "#]].assert_eq(&made(&|catalog, pair| {
        let [near, far] = [0, 1].map(|place| catalog[pair].outgoing[place]);
        catalog.name_join(Join { name: "id".into(), near, far });
    }));
    expect![[r#"
        collision: app.shown: its type would be called Post, which is already the type of app.post; it is left out. Remedy: name its view otherwise in the schema of Prisma: view new_name { … @@map("shown") }.
        collision: what app.pair joins by b: its many-to-many relation would be called tagsByPairAAndB, which is already the field of app.post.tags_by_pair_a_and_b; it is left out. Remedy: comment on constraint b_fkey on app.pair is E'@manyToManyFieldName new_name';
    "#]].assert_eq(&made(&|catalog, _| {
        let view = catalog.find_entity(Tables::namespace().as_deref(), "shown").unwrap().id;
        catalog.name_entity(view, "Post".into());
    }));
}

/// The names that node ids take are free without them.
#[test]
fn without_node_ids_tables_and_columns_may_be_called_like_them() {
    let mut tables = Tables::default();
    let int = Type::Scalar(Scalar::Int32);
    let node = tables.table("node", &[("id", int.clone(), false), ("node_id", int, false)]);
    tables.primary(node, &["id"]);
    let catalog = tables.finish();
    expect![[r#"
        collision: app.node: its type would be called Node, which is already a type of every API with node ids; it is left out. Remedy: comment on table app.node is E'@name new_name';
    "#]].assert_eq(&notes(&api(&catalog, &Options::default())));
    let api = api(&catalog, &Options { node_ids: false, ..Options::default() });
    assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
    assert_eq!(notes(&api), "");
    assert_eq!(members(&api, "Query"), ["query", "allNodes", "nodeById"]);
    assert_eq!(members(&api, "Node"), ["id", "nodeId"]);
    assert_eq!(members(&api, "Mutation"), ["createNode", "updateNodeById", "deleteNodeById"]);
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
        node
        all2OddThings
        all2OddThingsList
        allFooInputRecords
        allFooInputRecordsList
        allU2602S
        allU2602SList"#]]
    .assert_eq(&members(&api, "Query").join("\n"));
    expect![[r#"
        _1st
        withSpace
        quoTe
        grosse
        u0438U043Cu044F
        u0025
        its
        _x"#]]
    .assert_eq(&members(&api, "_2OddThing").join("\n"));
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
        _X_DESC"#]]
    .assert_eq(&members(&api, "_2OddThingsOrderBy").join("\n"));
}

#[test]
fn every_schema_is_valid_whatever_the_names() {
    let sets = hostile::option_sets();
    for seed in 0..160 {
        let catalog = hostile::catalog(seed);
        // Two sets of options for each catalog, in turn; the schema of one is parsed again, which
        // takes most of the time.
        for (step, parsed) in [(0, true), (3, false)] {
            let place = (usize::try_from(seed).unwrap_or_default() + step) % sets.len();
            let api = api(&catalog, &sets[place]);
            assert_eq!(hostile::faults(&api), [""; 0], "seed {seed}, options {place}");
            if parsed {
                let valid = graphql::validate_schema(&api.schema);
                assert_eq!(valid, Ok(()), "seed {seed}, options {place}");
            }
        }
    }
}

/// Each line of the fixture: a kind of thing, its name, whether values of every type are shown beside
/// it, and `served` or `refused`, as PostGraphile answered.
#[test]
fn names_of_built_in_types_are_free_as_in_postgraphile() {
    let fixture = include_str!("../../../fixtures/names/reserved.tsv");
    let mut looked_at = 0;
    for line in fixture.lines().skip(1) {
        let [kind, name, used, answer, type_name] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not five columns: {line}");
        };
        let catalog = hostile::with_reserved(kind, name, used == "used");
        let api = api(&catalog, &Options::default());
        assert_eq!(graphql::validate_schema(&api.schema), Ok(()), "{line}");
        let served = hostile::serves(&api, kind, type_name);
        let told = api.notes.iter().any(|note| note.subject.contains(name));
        // It refuses to start where a name clashes: then the thing is served under the name, if no
        // value needs it, or left out with a note.
        match answer {
            "served" => assert!(served && !told, "{line}: {}", notes(&api)),
            _ => assert!(served != told, "{line}: {}", notes(&api)),
        }
        looked_at += 1;
    }
    assert!(looked_at > 200, "{looked_at}");
}

#[test]
fn a_type_called_as_a_root_is_told_from_it() {
    let mut tables = Tables::default();
    let table = tables.table("subscriptions", &[("id", Type::Scalar(Scalar::Int32), false)]);
    tables.primary(table, &["id"]);
    let api = api(&tables.finish(), &Options::default());
    assert_eq!(notes(&api), "");
    assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
    let text = print_schema(&api.schema);
    assert!(text.starts_with("schema {\n  query: Query\n  mutation: Mutation\n}\n"), "{text}");
    assert!(members(&api, "Query").contains(&"allSubscriptions".to_owned()));
}

/// Tables of one name in two schemas, and the singular of another's plural.
#[test]
fn node_ids_tell_whose_row_is_meant() {
    let mut tables = Tables::default();
    let int = || Type::Scalar(Scalar::Int32);
    let names = [("a", "files"), ("b", "files"), ("b", "notes"), ("b", "note")];
    let entities = names.map(|(namespace, name)| {
        let table = tables.table_in(namespace, name, &[("id", int(), false)]);
        tables.primary(table, &["id"]);
        table
    });
    let tags = r#"{ version: 1, config: { class: {
        "b.files": { tags: { name: "papers" } }, "b.note": { tags: { name: "hints" } } } } }"#;
    let options =
        Options { tags_file: TagsFile::parse(tags).expect("a tags file"), ..Options::default() };
    let api = api(&tables.finish(), &options);
    let prefixes = entities.map(|entity| {
        let binding = api.find_entity(entity).and_then(|entity| entity.node_id.as_ref());
        binding.map(|binding| binding.prefix.to_string()).unwrap_or_default()
    });
    assert_eq!(prefixes, ["File", "Paper", "Note", "Hint"]);
    for (entity, prefix) in entities.iter().zip(&prefixes) {
        assert_eq!(api.find_entity_by_prefix(prefix), Some(*entity), "{prefix}");
    }
    assert_eq!(api.find_entity_by_prefix("files"), None);
    assert_eq!(api.notes.iter().filter(|note| note.kind == NoteKind::NodeId).count(), 4);
}

#[test]
fn an_input_with_two_fields_of_one_name_is_left_out_and_told() {
    let mut tables = Tables::default();
    let int = || Type::Scalar(Scalar::Int32);
    let columns = ["id", "client_mutation_id", "h_patch"];
    let table = tables.table("h", &columns.map(|name| (name, int(), false)));
    tables.primary(table, &["id"]);
    tables.unique(table, &["client_mutation_id"]);
    tables.unique(table, &["h_patch"]);
    let api = api(&tables.finish(), &Options::default());
    assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
    expect![[r#"
        collision: app.h: the input of its mutation updateHByClientMutationId would have two fields called clientMutationId; the mutation is left out. Remedy: comment on column app.h.client_mutation_id is E'@name new_name';
        collision: app.h: the input of its mutation updateHByHPatch would have two fields called hPatch; the mutation is left out. Remedy: comment on column app.h.h_patch is E'@name new_name';
        collision: app.h: the input of its mutation deleteHByClientMutationId would have two fields called clientMutationId; the mutation is left out. Remedy: comment on column app.h.client_mutation_id is E'@name new_name';
    "#]]
    .assert_eq(&notes(&api));
    assert_eq!(
        members(&api, "Mutation"),
        ["createH", "updateH", "updateHById", "deleteH", "deleteHById", "deleteHByHPatch"]
    );
}
