//! Permissions of metadata that cannot be compiled: each is an error with its place.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

#[path = "schemas/made.rs"]
#[allow(dead_code, reason = "schemas need more of it")]
mod made;

use catalog::{Builder, Capabilities, Catalog};
use dialect_hasura::metadata::{MetadataSetting, ServedSource, read_text};
use dialect_hasura::{ApiError, Inconsistencies, Options, declare};
use expect_test::{Expect, expect};
use made::{Tables, int, text};

/// Metadata of two tables: permissions of the first one, and further keys of the root.
fn metadata(permissions: &str, root: &str) -> ServedSource {
    let text = format!(
        "version: 3
sources:
  - name: default
    kind: postgres
    configuration: {{connection_info: {{database_url: postgres://}}}}
    tables:
      - table: post
        object_relationships:
          - {{name: author, using: {{foreign_key_constraint_on: author_id}}}}
{permissions}
      - table: person
        array_relationships:
          - name: posts
            using: {{foreign_key_constraint_on: {{table: post, column: author_id}}}}
{root}"
    );
    ServedSource::choose(read_text("m.yaml", &text), None).unwrap()
}

fn catalog() -> Catalog {
    let capabilities = Capabilities { namespaces: true, ..Capabilities::default() };
    let mut tables = Tables { builder: Builder::new(capabilities) };
    let person = tables.table("person", 1, &[("id", int()), ("name", text())]);
    let post = tables.table(
        "post",
        1,
        &[("id", int()), ("author_id", int()), ("title", text()), ("views", int())],
    );
    tables.foreign_key((post, &["author_id"]), (person, &["id"]));
    tables.finish()
}

fn options(served: ServedSource) -> Options {
    Options { metadata: MetadataSetting::Read(served), ..Options::default() }
}

/// The problems of select permissions with these filters of a role.
fn check(permissions: &str, root: &str, expect: &Expect) {
    let (mut catalog, options) = (catalog(), options(metadata(permissions, root)));
    let error = declare(&mut catalog, &options).api(&catalog).unwrap_err();
    let ApiError::Metadata(error) = error else { panic!("{error}") };
    let lines: Vec<String> = error.0.iter().map(ToString::to_string).collect();
    expect.assert_eq(&lines.join("\n"));
}

fn filters(filters: &[&str]) -> String {
    let mut text = "        select_permissions:\n".to_owned();
    for (number, filter) in filters.iter().enumerate() {
        text += &format!(
            "          - {{role: r{number}, permission: {{columns: [id], filter: {filter}}}}}\n"
        );
    }
    text
}

#[test]
fn what_a_filter_names_must_exist_and_fit() {
    let permissions = filters(&[
        "{titel: {_eq: a}}",
        "{author: {nam: {_eq: a}}}",
        "{author: {_eq: 1}}",
        "{title: {name: {_eq: 1}}}",
        "{views: {_eq: many}}",
        "{views: {_eq: null}}",
        "{views: {_in: [1, null]}}",
        "{views: {_like: a}}",
        "{views: {_regex: a}}",
        "{views: {_st_within: {type: Point, coordinates: [1, 2]}}}",
        "{title: {_cast: {String: {_eq: a}}}}",
        "{views: {_ceq: title}}",
        "{views: {_ceq: [\"$\", nothing]}}",
        "{views: {_ceq: [author, id]}}",
        "{_exists: {_table: nowhere, _where: {}}}",
        "{author: {posts_aggregate: {max: {arguments: views, predicate: {_gt: 1}}}}}",
        "{author: {posts_aggregate: {max: {predicate: {_gt: 1}}}}}",
        "{author: {posts_aggregate: {median: {predicate: {_gt: 1}}}}}",
        "{author: {posts_aggregate: {count: {arguments: [nothing], predicate: {_gt: 1}}}}}",
        "{author: {posts_aggregate: {count: {of: 1, predicate: {_gt: 1}}}}}",
        "{author: {posts_aggregate: {count: {filter: {}}}}}",
    ]);
    check(
        &permissions,
        "",
        &expect![[r#"
            m.yaml:11:61 (sources[0].tables[0].select_permissions[0].permission.filter.titel): public.post has no column or relationship `titel` (did you mean `title`?).
            m.yaml:12:70 (sources[0].tables[0].select_permissions[1].permission.filter.author.nam): public.person has no column or relationship `nam` (did you mean `name`?).
            m.yaml:13:61 (sources[0].tables[0].select_permissions[2].permission.filter.author): `author` is a relationship: it has no value.
            m.yaml:14:61 (sources[0].tables[0].select_permissions[3].permission.filter.title): `title` is a value: it leads to no rows.
            m.yaml:15:69 (sources[0].tables[0].select_permissions[4].permission.filter.views): "many" is no value of the column: an integer, or a session variable, is wanted.
            m.yaml:16:69 (sources[0].tables[0].select_permissions[5].permission.filter.views): A value is compared with null, which is never true: write `_is_null`.
            m.yaml:17:69 (sources[0].tables[0].select_permissions[6].permission.filter.views): A list of compared values has a null.
            m.yaml:18:69 (sources[0].tables[0].select_permissions[7].permission.filter.views): The type of `views` has no operator `_like` in this database.
            m.yaml:19:69 (sources[0].tables[0].select_permissions[8].permission.filter.views): The type of `views` has no operator `_regex` in this database.
            m.yaml:20:69 (sources[0].tables[0].select_permissions[9].permission.filter.views): The type of `views` has no operator `_st_within` in this database.
            m.yaml:21:70 (sources[0].tables[0].select_permissions[10].permission.filter.title): The type of `title` has no operator `_cast` in this database.
            m.yaml:22:76 (sources[0].tables[0].select_permissions[11].permission.filter.views._ceq): `views` and `title` have different types, whose values are not compared.
            m.yaml:23:76 (sources[0].tables[0].select_permissions[12].permission.filter.views._ceq): public.post has no column `nothing`.
            m.yaml:24:76 (sources[0].tables[0].select_permissions[13].permission.filter.views._ceq): Columns of related rows cannot be compared with: compare within the relationship, as in `{relationship: {column: {_ceq: ["$", "column"]}}}`.
            m.yaml:25:80 (sources[0].tables[0].select_permissions[14].permission.filter._exists._table): The database has no table or view `public.nowhere`.
            m.yaml:26:89 (sources[0].tables[0].select_permissions[15].permission.filter.author.posts_aggregate.max): `max` takes columns of the type `float8` only.
            m.yaml:27:89 (sources[0].tables[0].select_permissions[16].permission.filter.author.posts_aggregate.max): `max` needs `arguments`: one column.
            m.yaml:28:89 (sources[0].tables[0].select_permissions[17].permission.filter.author.posts_aggregate.median): There is no aggregate `median` in this database.
            m.yaml:29:97 (sources[0].tables[0].select_permissions[18].permission.filter.author.posts_aggregate.count.arguments): public.post has no column `nothing`.
            m.yaml:30:97 (sources[0].tables[0].select_permissions[19].permission.filter.author.posts_aggregate.count.of): `of` is not what is wanted here: the keys are `arguments`, `distinct`, `filter` and `predicate`.
            m.yaml:31:89 (sources[0].tables[0].select_permissions[20].permission.filter.author.posts_aggregate.count): `count` needs the key `predicate`."#]],
    );
}

#[test]
fn columns_presets_and_roles_must_fit() {
    let permissions = "        select_permissions:
          - {role: a, permission: {columns: [id, name], filter: {}}}
          - {role: admin, permission: {columns: [id], filter: {}}}
        insert_permissions:
          - {role: a, permission: {check: {}, columns: [id], set: {views: many, author: 1}}}
          - role: b
            permission:
              check: {}
              validate_input: {definition: {url: 'http://localhost'}}
";
    let root = "inherited_roles:
  - {role_name: c, role_set: [d, a]}
  - {role_name: d, role_set: [c]}
  - {role_name: e, role_set: [nobody]}
";
    check(
        permissions,
        root,
        &expect![[r#"
            m.yaml:11:50 (sources[0].tables[0].select_permissions[0].permission.columns[1]): public.post has no column `name`.
            m.yaml:12:20 (sources[0].tables[0].select_permissions[1].role): The role `admin` has every permission: remove this one.
            m.yaml:14:35 (sources[0].tables[0].insert_permissions[0].permission): public.post has no column `author` (did you mean `author_id`?).
            m.yaml:14:35 (sources[0].tables[0].insert_permissions[0].permission): "many" is no value of the column: an integer, or a session variable, is wanted.
            m.yaml:25:17 (inherited_roles[0].role_name): The role `c` inherits from itself: c → d → c.
            m.yaml:27:31 (inherited_roles[2].role_set[0]): There is no role `nobody` with permissions to inherit from."#]],
    );
}

#[test]
fn a_permission_with_a_problem_grants_nothing_where_it_is_left_out() {
    let permissions = filters(&["{titel: {_eq: a}}", "{}"]);
    let mut catalog = catalog();
    let options = Options {
        inconsistencies: Inconsistencies::LeftOut,
        ..options(metadata(&permissions, ""))
    };
    let (api, roles) = declare(&mut catalog, &options).api(&catalog).unwrap();
    let print = |role: &str| {
        let view = api.role_views.find(role).and_then(|id| api.role_views.get(id));
        graphql::print_schema(graphql::View::new(&api.schema, view))
    };
    assert!(!print("r0").contains("type post"));
    let own = print("r1");
    assert!(own.contains("type post"), "{own} {:?}", api.notes);
    let claims = ir::Claims::new(serde_json_bytes::json!({ "x-hasura-role": "r0" }));
    assert!(roles.unwrap().role(Some(&claims)).unwrap().grants.is_empty());
}
