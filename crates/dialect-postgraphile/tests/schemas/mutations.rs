//! Mutations: their part of the schema, and what they are lowered to.

use api::{Api, Transactions};
use catalog::builder::{NewField, NewFunction};
use catalog::{
    Argument, ArgumentType, Catalog, EntityKind, FunctionResult, Scalar, Type, Volatility,
    WriteAccess,
};
use dialect_postgraphile::{Options, SimpleCollections, SimplifiedNames, TagsFile, api};
use expect_test::{Expect, expect, expect_file};
use graphql::variables::Steering;
use graphql::{DocumentLimits, Request, Validator, coerce_variable_values, print_schema};
use lowering::{Introspection, LowerError, Lowered, lower};

use crate::tables::Tables;
use crate::{members, notes, shop};

fn lowered(api: &Api, document: &str, variables: &str) -> Result<Lowered, LowerError> {
    let request = format!("{{\"query\": {document:?}, \"variables\": {variables}}}");
    let request = Request::from_json(request.as_bytes()).expect("a request");
    let validator = Validator::new(&api.schema);
    let limits = DocumentLimits::default();
    let operation = validator.operation(&api.schema, document, None, &limits).expect("valid");
    let values = coerce_variable_values(&api.schema, &operation, &request.variables);
    let values = values.expect("variables that fit");
    lower(api, &operation, Steering::new(&values), &Introspection::new(), 1_000)
}

/// The request of an operation, what it gives back of itself, and what is refused of it.
pub(crate) fn check(
    catalog: &Catalog,
    options: &Options,
    document: &str,
    variables: &str,
    expect: &Expect,
) {
    let api = api(catalog, options);
    let Lowered { request, shape, echoes, .. } =
        lowered(&api, document, variables).expect("a request");
    let mut text = ir::print(&request, catalog);
    for echo in echoes {
        text.push_str(&format!("echo {echo:?}\n"));
    }
    for node in &shape.nodes {
        if let response::Node::Refused(message) = node {
            text.push_str(&format!("refused {message}\n"));
        }
    }
    expect.assert_eq(&text);
}

fn check_shop(document: &str, variables: &str, expect: &Expect) {
    check(&shop::catalog(), &Options::default(), document, variables, expect);
}

/// Everything from the first type on that only mutations have.
fn mutations(api: &Api) -> String {
    assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
    let text = print_schema(&api.schema);
    let start = text.find("\"\"\"The output of our").expect("a payload");
    text[start..].into()
}

#[test]
fn rows_are_made_changed_and_taken_away() {
    let api = api(&shop::catalog(), &Options::default());
    assert_eq!(notes(&api), "");
    expect_file!["mutations.graphql"].assert_eq(&mutations(&api));
}

#[test]
fn names_follow_the_options() {
    let simplified =
        Options { simplified_names: Some(SimplifiedNames::default()), ..Options::default() };
    let simplified = api(&shop::catalog(), &simplified);
    assert_eq!(members(&simplified, "UpdatePersonInput"), ["clientMutationId", "patch", "id"]);
    assert_eq!(
        members(&simplified, "UpdatePersonByNodeIdInput"),
        ["clientMutationId", "nodeId", "patch"]
    );
    assert_eq!(
        members(&simplified, "DeletePostPayload"),
        ["clientMutationId", "post", "deletedPostNodeId", "query", "author", "editor", "postEdge"]
    );
    let classic = Options { classic_ids: true, ..Options::default() };
    let classic = api(&shop::catalog(), &classic);
    assert_eq!(
        members(&classic, "UpdatePersonByRowIdInput"),
        ["clientMutationId", "personPatch", "rowId"]
    );
    assert_eq!(members(&classic, "UpdatePersonInput"), ["clientMutationId", "id", "personPatch"]);
    let only = Options { simple_collections: SimpleCollections::Only, ..Options::default() };
    let only = api(&shop::catalog(), &only);
    assert_eq!(
        members(&only, "CreateTagPayload"),
        ["clientMutationId", "tag", "query", "tagByParentId"]
    );
}

#[test]
fn without_default_mutations_and_functions_there_is_no_mutation_type() {
    let options = Options { disable_default_mutations: true, ..Options::default() };
    let api = api(&shop::catalog(), &options);
    assert_eq!(api.schema.mutation, None);
    assert!(api.schema.find_type("PersonPatch").is_none());
}

/// A table, a view that takes new rows only, and one that takes nothing; a table tagged so.
#[test]
fn only_what_the_source_takes_and_no_tag_omits_is_offered() {
    let mut tables = Tables::default();
    let columns = [("id", Type::Scalar(Scalar::Int32), false)];
    let table = |tables: &mut Tables, name: &str, kind, tag: Option<&str>, offered| {
        let description = tag.map(Into::into);
        let entity = tables.builder.entity(Tables::namespace(), name.into(), kind, description);
        for (name, r#type, nullable) in columns.clone() {
            let field = NewField {
                name: name.into(),
                r#type,
                nullable,
                has_default: false,
                generated: None,
                description: None,
            };
            tables.builder.field(entity, field);
        }
        if kind == EntityKind::Table {
            tables.primary(entity, &["id"]);
        }
        if let Some(offered) = offered {
            tables.builder.set_write_access(entity, offered);
        }
    };
    let inserted = WriteAccess { insert: true, ..WriteAccess::NONE };
    table(&mut tables, "a", EntityKind::View, None, Some(inserted));
    table(&mut tables, "b", EntityKind::View, None, None);
    table(&mut tables, "c", EntityKind::Table, Some("@omit create,delete"), None);
    table(&mut tables, "d", EntityKind::MaterializedView, None, None);
    let api = api(&tables.finish(), &Options::default());
    assert_eq!(members(&api, "Mutation"), ["createA", "updateC", "updateCById"]);
}

#[test]
fn a_row_is_made_and_read() {
    check_shop(
        "mutation ($id: String, $headline: String!) {
          createPost(input: {
            clientMutationId: $id, post: { headline: $headline, authorId: 1, id: 7, editorId: null }
          }) {
            clientMutationId
            post { nodeId headline personByEditorId { fullName } }
            again: post { postTagsByPostId { nodes { tagId } } }
            personByAuthorId { fullName }
            postEdge(orderBy: [HEADLINE_ASC]) { cursor node { id } }
            query { allPeople(first: 1) { nodes { id } } }
          }
        }",
        r#"{"headline": "x"}"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: insert app.post [id, author_id, editor_id, headline]
                row 7, 1, null, $1
              step 1 of root 0: read rows 0: rows of step 0 after it, single
                #0 field id
                #1 field headline
                #2 present ->app.person[editor_id]
                #3 field ->app.person[editor_id].full_name
                #5 related rows 1: relation <-app.post_tag[post_id], order post_id asc nulls last, tag_id asc nulls last
                  #4 field tag_id
                #6 present ->app.person[author_id]
                #7 field ->app.person[author_id].full_name
              step 2 of root 0: read rows 2: entity app.person, order id asc nulls last, page limit 1
                #8 field id
            echo Json(Variable { slot: Slot(0), path: [] })
        "#]],
    );
}

#[test]
fn what_is_given_steers_and_its_values_do_not() {
    let api = api(&shop::catalog(), &Options::default());
    let document = "mutation ($patch: PersonPatch!) {
      updatePersonById(input: { id: 1, personPatch: $patch }) { clientMutationId }
    }";
    let structure = |variables: &str| lowered(&api, document, variables).unwrap().structure;
    let first = structure(r#"{"patch": {"fullName": "x", "mail": null}}"#);
    assert_eq!(first, structure(r#"{"patch": {"mail": "y", "fullName": null}}"#));
    assert_ne!(first, structure(r#"{"patch": {"fullName": "x"}}"#));
    assert_ne!(first, structure(r#"{"patch": {}}"#));
}

#[test]
fn rows_are_changed_in_the_order_of_their_columns() {
    check_shop(
        "mutation ($patch: PersonPatch!, $mood: Mood) {
          a: updatePersonByMail(input: { mail: \"a@x\", personPatch: $patch }) {
            person { id }
          }
          b: updatePerson(input: {
            clientMutationId: \"b\"
            nodeId: \"WyJwZW9wbGUiLDFd\", personPatch: { mood: $mood, fullName: null, id: 2 }
          }) { clientMutationId }
        }",
        r#"{"patch": {"mail": null, "fullName": "x"}}"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update app.person, filter mail = "a@x"
                full_name = $0.fullName
                mail = $0.mail
              step 1 of root 0: require a row, otherwise missing "No values were updated in collection 'people' because no values you can update were found matching these criteria."
                rows 0: rows of step 0 after it, single
              step 2 of root 0: read rows 1: rows of step 0 after it, single
                #0 field id
            transaction, read committed
              step 3 of root 1: update app.person, filter id = part 1 of array "WyJwZW9wbGUiLDFd"
                id = 2
                full_name = null
              step 4 of root 1: require a row, otherwise missing "No values were updated in collection 'people' because no values you can update were found matching these criteria."
                rows 2: rows of step 3 after it, single
        "#]],
    );
}

#[test]
fn rows_are_taken_away_and_shown() {
    check_shop(
        "mutation {
          deletePersonById(input: { id: 1 }) {
            deletedPersonId
            person { fullName postsByAuthorId { totalCount } }
          }
        }",
        "{}",
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: delete app.person, filter id = 1
              step 1 of root 0: require a row, otherwise missing "No values were deleted in collection 'people' because no values you can delete were found matching these criteria."
                rows 0: rows of step 0 after it, single
              step 2 of root 0: read rows 1: rows of step 0 after it, single
                #0 field id
                #1 field full_name
                #3 related rows 2: relation <-app.post[author_id], not shown, order id asc nulls last
                  #2 count
        "#]],
    );
}

/// Neither an id of something else nor a patch that sets nothing is an error, as in PostGraphile;
/// an id whose key is null could have been a row's.
#[test]
fn what_says_nothing_is_not_done() {
    check_shop(
        "mutation ($absent: Email) {
          a: updatePersonById(input: { id: 1, personPatch: {} }) { clientMutationId }
          b: updatePersonById(input: { id: 1, personPatch: { mail: $absent } }) { query { nodeId } }
          c: deletePerson(input: { nodeId: \"nonsense\" }) { clientMutationId }
          d: deletePerson(input: { nodeId: \"WyJwb3N0cyIsMV0=\" }) { clientMutationId }
          e: deletePerson(input: { nodeId: \"WyJwZW9wbGUiLG51bGxd\" }) { clientMutationId }
        }",
        "{}",
        &expect![[r#"
            transaction, read committed
              step 0 of root 4: delete app.person, filter none
              step 1 of root 4: require a row, otherwise missing "No values were deleted in collection 'people' because no values you can delete were found matching these criteria."
                rows 0: rows of step 0 after it, single
        "#]],
    );
}

/// The others go on, and nothing of the one that is refused is done.
#[test]
fn a_refused_field_has_no_steps() {
    let document = "mutation ($headline: String = \"x\") {
      a: deletePostById(input: { id: 1 }) { clientMutationId }
      b: createPost(input: { post: { authorId: 1, id: 2, headline: $headline } }) {
        query { allPeople(first: 1) { nodes { id } } }
      }
      c: deletePostById(input: { id: 2 }) {
        post { postTagsByPostId(after: \"nonsense\") { nodes { tagId } } }
      }
      d: deletePostById(input: { id: 3 }) { clientMutationId }
    }";
    check_shop(
        document,
        r#"{"headline": null}"#,
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: delete app.post, filter id = 1
          step 1 of root 0: require a row, otherwise missing "No values were deleted in collection 'posts' because no values you can delete were found matching these criteria."
            rows 0: rows of step 0 after it, single
        transaction, read committed
          step 2 of root 3: delete app.post, filter id = 3
          step 3 of root 3: require a row, otherwise missing "No values were deleted in collection 'posts' because no values you can delete were found matching these criteria."
            rows 5: rows of step 2 after it, single
        refused headline must not be null.
        refused Invalid cursor, please enter a cursor from a previous request, or null.
    "#]],
    );
    let together = Options { mutation_transactions: Transactions::Request, ..Options::default() };
    let api = api(&shop::catalog(), &together);
    let refused = lowered(&api, document, r#"{"headline": null}"#).unwrap_err();
    assert_eq!(refused.to_string(), "headline must not be null.");
}

#[test]
fn a_request_is_one_transaction_where_it_is_to_be() {
    let together = Options { mutation_transactions: Transactions::Request, ..Options::default() };
    check(
        &shop::catalog(),
        &together,
        "mutation {
          a: deletePostById(input: { id: 1 }) { clientMutationId }
          b: createTag(input: { tag: { id: 1 } }) { clientMutationId }
        }",
        "{}",
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: delete app.post, filter id = 1
              step 1 of root 0: require a row, otherwise missing "No values were deleted in collection 'posts' because no values you can delete were found matching these criteria."
                rows 0: rows of step 0 after it, single
              step 2 of root 1: insert app.tag [id]
                row 1
        "#]],
    );
}

/// People, and functions that may change something.
fn functions() -> Catalog {
    let mut tables = Tables::default();
    let text = || Type::Scalar(Scalar::Text);
    let person = tables.table(
        "person",
        &[("id", Type::Scalar(Scalar::Int32), false), ("full_name", text(), false)],
    );
    tables.primary(person, &["id"]);
    let argument =
        |name: &str, r#type, has_default| Argument { name: Some(name.into()), r#type, has_default };
    let own = |tables: &mut Tables, name: &str, r#type| {
        let entity =
            tables.builder.entity(Tables::namespace(), name.into(), EntityKind::ValueSet, None);
        let field = NewField {
            name: name.into(),
            r#type,
            nullable: true,
            has_default: false,
            generated: None,
            description: None,
        };
        tables.builder.field(entity, field)
    };
    let number = own(&mut tables, "bump", Type::Scalar(Scalar::Int32));
    let total = own(&mut tables, "total", Type::Scalar(Scalar::Int64));
    let value = |r#type| ArgumentType::Value(r#type);
    let mut function = |name: &str, strict, arguments, result, output: Option<&str>| {
        tables.builder.function(NewFunction {
            namespace: Tables::namespace(),
            name: name.into(),
            volatility: Volatility::Volatile,
            strict,
            arguments,
            result,
            output_name: output.map(Into::into),
            description: None,
        });
    };
    let step = argument("step", value(Type::Scalar(Scalar::Int32)), true);
    function("bump", true, vec![step], FunctionResult::Values(number), None);
    function("total", false, vec![], FunctionResult::Value(total), Some("grand_total"));
    function("do_nothing", false, vec![], FunctionResult::Nothing, None);
    let row = |name: &str| argument(name, ArgumentType::Row(person), false);
    let result = FunctionResult::Row(person);
    function("rename", true, vec![row("who"), argument("new", value(text()), false)], result, None);
    function("merge", false, vec![row("person_patch")], FunctionResult::Rows(person), None);
    tables.finish()
}

#[test]
fn functions_that_may_change_something_are_mutations() {
    let options = Options { disable_default_mutations: true, ..Options::default() };
    let api = api(&functions(), &options);
    assert_eq!(notes(&api), "");
    expect_file!["function_mutations.graphql"].assert_eq(&mutations(&api));
}

#[test]
fn functions_are_called_once_and_what_they_give_is_read() {
    check(
        &functions(),
        &Options::default(),
        "mutation ($who: PersonInput!, $step: Int) {
          bump(input: { step: $step }) { integers }
          total(input: {}) { grandTotal query { allPeople { totalCount } } }
          doNothing(input: { clientMutationId: \"x\" }) { clientMutationId }
          rename(input: { who: $who, new: \"y\" }) { person { fullName } personEdge { cursor } }
          merge(input: { personPatch: { fullName: \"z\" } }) { people { id } }
        }",
        r#"{"who": {"id": 1, "fullName": "x"}, "step": null}"#,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: call bump()
              step 1 of root 0: read rows 0: rows of step 0 after it
                #0 field bump
            transaction, read committed
              step 2 of root 1: call total()
              step 3 of root 1: read rows 1: rows of step 2 after it, single
                #1 field total
              step 4 of root 1: read rows 2: entity app.person, not shown, order id asc nulls last
                #2 count
            transaction, read committed
              step 5 of root 2: call do_nothing()
            transaction, read committed
              step 6 of root 3: call rename(who: $0 as composite (id, fullName), new: "y")
              step 7 of root 3: read rows 4: rows of step 6 after it, single
                #3 present row
                #4 field full_name
                #5 field id
            transaction, read committed
              step 8 of root 4: call merge(person_patch: {fullName: "z"} as composite (id, fullName))
              step 9 of root 4: read rows 5: rows of step 8 after it
                #6 present row
                #7 field id
        "#]],
    );
}

/// The lines of each definition below its name, descriptions left aside.
fn definitions(text: &str) -> Vec<(String, Vec<String>)> {
    let mut definitions: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_description = false;
    for line in text.lines() {
        let quotes = line.matches("\"\"\"").count();
        if quotes > 0 || is_description {
            is_description ^= quotes == 1;
        } else if line.ends_with('{') && !line.starts_with(' ') {
            definitions.push((line.into(), Vec::new()));
        } else if !line.starts_with(' ') {
            // What has one line has no fields; the end of another comes before it.
        } else if let Some((_, lines)) = definitions.last_mut() {
            lines.push(line.into());
        }
    }
    definitions
}

#[test]
fn what_goes_beyond_adds_definitions_and_changes_none() {
    let with = |bulk_mutations: Option<u32>| {
        let upsert_mutations = bulk_mutations.is_some();
        let base = Options { aggregates: true, many_to_many: true, ..Options::default() };
        let nested_mutations = bulk_mutations;
        let options = Options { bulk_mutations, nested_mutations, upsert_mutations, ..base };
        let api = api(&shop::catalog(), &options);
        assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
        assert_eq!(notes(&api), "");
        definitions(&print_schema(&api.schema))
    };
    let (without, with) = (with(None), with(Some(10)));
    let mut added = with.len();
    for (name, lines) in &without {
        let (_, more) = with.iter().find(|(other, _)| other == name).expect("the definition");
        added -= 1;
        // In their order, and others only at places that were none.
        let mut rest = more.iter();
        let missing = lines.iter().find(|line| !rest.any(|other| other == *line));
        assert_eq!(missing, None, "{name}");
        assert!(lines.len() == more.len() || name == "type Mutation {", "{name}");
    }
    assert!(added > 0, "nothing was added");
}

#[test]
fn several_rows_are_changed_within_a_bound() {
    let options = Options { bulk_mutations: Some(10), ..Options::default() };
    let document = r#"mutation ($condition: PersonCondition, $patch: PersonPatch!, $most: Int!) {
        a: updatePeople(input: { condition: $condition, personPatch: $patch, atMost: $most }) { affectedCount }
        b: deletePeople(input: { condition: { fullName: null }, atMost: 3 }) { people { id } }
        c: deletePeople(input: { condition: {}, atMost: 3 }) { affectedCount }
    }"#;
    let variables = r#"{ "condition": { "id": 7 }, "patch": { "fullName": "x" }, "most": 2.0 }"#;
    check(
        &shop::catalog(),
        &options,
        document,
        variables,
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: update app.person, filter id = $0.id, at most 2
            full_name = $1.fullName
          step 1 of root 0: read rows 0: rows of step 0 after it
        transaction, read committed
          step 2 of root 1: delete app.person, filter full_name is null, at most 3
          step 3 of root 1: read rows 1: rows of step 2 after it
            #0 field id
        refused A change of all rows is refused: say by a condition which are meant.
    "#]],
    );
}

#[test]
fn upserts_leave_what_no_update_may_set() {
    let tags = r#"{ version: 1, config: { class: {
        "app.person": { attribute: { full_name: { tags: { omit: "update" } } } } } } }"#;
    let tags_file = TagsFile::parse(tags).expect("tags");
    let document = r#"mutation { upsertPersonById(input: { person: { id: 1, fullName: "x" } }) { person { id } } }"#;
    for tags_file in [TagsFile::default(), tags_file] {
        let is_kept = tags_file != TagsFile::default();
        let options = Options { upsert_mutations: true, tags_file, ..Options::default() };
        let catalog = shop::catalog();
        let lowered = lowered(&api(&catalog, &options), document, "{}").expect("a request");
        let text = ir::print(&lowered.request, &catalog);
        assert!(text.contains("same if equal in [id]"), "{text}");
        assert_eq!(text.contains("full_name = inserted"), !is_kept, "{text}");
        assert_eq!(text.contains("id = inserted"), is_kept, "{text}");
    }
}
