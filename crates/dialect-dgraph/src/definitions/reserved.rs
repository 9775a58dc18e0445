//! Names that definitions may not use: those of Dgraph, and those that its API generates.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{Definitions, TypeBody, TypeDefinition};
use rustc_hash::FxHashMap;

use super::directives::is_predefined;
use super::inherited::composite;
use super::types::Types;

/// Types that the API always has.
const PREDEFINED: &[&str] = &[
    "AuthRule",
    "ContainsFilter",
    "CustomHTTP",
    "DateTime",
    "DateTimeFilter",
    "DateTimeRange",
    "DgraphDefault",
    "DgraphIndex",
    "FloatFilter",
    "FloatRange",
    "GenerateMutationParams",
    "GenerateQueryParams",
    "HTTPMethod",
    "Int64",
    "Int64Filter",
    "Int64Range",
    "IntFilter",
    "IntRange",
    "IntersectsFilter",
    "Mode",
    "MultiPolygonRef",
    "NearFilter",
    "PointGeoFilter",
    "PointList",
    "PointListRef",
    "PointRef",
    "PolygonGeoFilter",
    "PolygonRef",
    "StringExactFilter",
    "StringFullTextFilter",
    "StringHashFilter",
    "StringNgramFilter",
    "StringRange",
    "StringRegExpFilter",
    "StringTermFilter",
    "WithinFilter",
];

/// Types of the API if a type has `@key`.
const FEDERATION: &[&str] = &["_Any", "_Entity", "_FieldSet", "_Service"];

/// True for keywords, which no type, field or predicate may be named.
pub(super) fn is_keyword(name: &str) -> bool {
    name.eq_ignore_ascii_case("as")
        || matches!(
            name,
            "Boolean"
                | "DateTime"
                | "Float"
                | "ID"
                | "Int"
                | "Int64"
                | "MultiPolygon"
                | "Mutation"
                | "Password"
                | "Point"
                | "Polygon"
                | "Query"
                | "String"
                | "Subscription"
                | "uid"
        )
}

/// Reports reserved names of types, directives and root fields.
pub(super) fn check(definitions: &Definitions, types: &Types<'_>, problems: &mut Problems) {
    for directive in &definitions.directives {
        if is_predefined(&directive.name) {
            let at = At::definitions(directive.line, directive.column);
            let message = format!("`@{}` is predefined: remove its definition", directive.name);
            problems.refuse(at, message);
        }
    }
    let generated = generated_types(definitions);
    for definition in &definitions.types {
        let name = &*definition.name;
        let at = At::r#type(definition);
        let is_root =
            matches!(definition.body, TypeBody::Object(_)) && matches!(name, "Query" | "Mutation");
        // A scalar's definition has a mistake of its own.
        if is_root || matches!(definition.body, TypeBody::Scalar) {
            continue;
        }
        if is_keyword(name) || PREDEFINED.contains(&name) || FEDERATION.contains(&name) {
            problems.refuse(at, "the name is reserved: rename it");
        } else if name.starts_with("__") {
            problems.refuse(at, "names with `__` belong to introspection: rename it");
        } else if let Some(of) = generated.get(name) {
            let message = format!("the API generates a type of this name for `{of}`: rename it");
            problems.refuse(at, message);
        }
    }
    check_roots(types, problems);
}

fn generated_types(definitions: &Definitions) -> FxHashMap<String, &str> {
    let mut generated = FxHashMap::default();
    for definition in definitions.types.iter().filter(|definition| !is_remote(definition)) {
        let name = &*definition.name;
        let names: &[&str] = match definition.body {
            TypeBody::Union(_) => &["{}Ref", "{}Filter", "{}Type"],
            TypeBody::Object(_) | TypeBody::Interface(_) => &[
                "{}Ref",
                "{}Patch",
                "{}Filter",
                "{}HasFilter",
                "{}Order",
                "{}Orderable",
                "{}AggregateResult",
                "Update{}Input",
                "Update{}Payload",
                "Delete{}Input",
                "Delete{}Payload",
            ],
            TypeBody::Scalar | TypeBody::Enum(_) | TypeBody::InputObject(_) => &[],
        };
        let added: &[&str] = match definition.body {
            TypeBody::Object(_) => &["Add{}Input", "Add{}Payload"],
            _ => &[],
        };
        for form in names.iter().chain(added) {
            generated.insert(form.replace("{}", name), name);
        }
    }
    generated
}

/// Root fields of the definitions may not have the names of generated ones.
fn check_roots(types: &Types<'_>, problems: &mut Problems) {
    let mut queries: FxHashMap<String, &str> = FxHashMap::default();
    let mut mutations: FxHashMap<String, &str> = FxHashMap::default();
    for definition in types.composites.iter().filter(|definition| !is_remote(definition)) {
        let name = &*definition.name;
        for query in ["get", "query", "aggregate"] {
            queries.insert(format!("{query}{name}"), name);
        }
        queries.insert(format!("check{name}Password"), name);
        for mutation in ["update", "delete"] {
            mutations.insert(format!("{mutation}{name}"), name);
        }
        if matches!(definition.body, TypeBody::Object(_)) {
            mutations.insert(format!("add{name}"), name);
        }
    }
    for (root, generated) in [(types.query, queries), (types.mutation, mutations)] {
        let Some(root) = root else { continue };
        for field in &composite(root).fields {
            if let Some(of) = generated.get(&*field.name) {
                let at = At::r#type(root).member((field.line, field.column), &field.name);
                let message =
                    format!("the API generates a field of this name for `{of}`: rename it");
                problems.refuse(at, message);
            }
        }
    }
}

/// Types of other servers have no generated API.
pub(super) fn is_remote(definition: &TypeDefinition) -> bool {
    definition.directives.iter().any(|directive| &*directive.name == "remote")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{accepted, refused};

    #[test]
    fn names_of_the_api_are_reserved() {
        let text = "type Post { title: String }\ninput PostFilter { a: Int }\nenum uid { B }\n\
                    type As { b: String }\ntype IntFilter { c: Int }\nunion U = Post\n\
                    input AddPostInput { d: Int }\nenum UType { E }\ninterface Query { f: Int }\n\
                    type __G { h: Int }\nscalar I";
        refused(
            text,
            &expect![[r#"
            line 2, column 7: PostFilter: the API generates a type of this name for `Post`: rename it
            line 3, column 6: uid: the name is reserved: rename it
            line 4, column 6: As: the name is reserved: rename it
            line 5, column 6: IntFilter: the name is reserved: rename it
            line 7, column 7: AddPostInput: the API generates a type of this name for `Post`: rename it
            line 8, column 6: UType: the API generates a type of this name for `U`: rename it
            line 9, column 11: Query: the name is reserved: rename it
            line 10, column 6: __G: names with `__` belong to introspection: rename it
            line 11, column 8: I: scalars cannot be defined: use String, Int, Int64, Float, Boolean, DateTime, or an enum
        "#]],
        );
    }

    #[test]
    fn root_fields_have_names_of_their_own() {
        let http = "@custom(http: {url: \"http://a.example\", method: GET})";
        let text = format!(
            "type Post {{ title: String }}\ntype Query {{ getPost: Post {http} b: Post {http} }}\n\
             type Mutation {{ addPost: Post {http} getPost: Post {http} }}"
        );
        refused(
            &text,
            &expect![[r#"
            line 2, column 14: Query.getPost: the API generates a field of this name for `Post`: rename it
            line 3, column 17: Mutation.addPost: the API generates a field of this name for `Post`: rename it
        "#]],
        );
    }

    #[test]
    fn remote_types_reserve_no_names() {
        let http = "@custom(http: {url: \"http://a.example\", method: GET})";
        accepted(&format!(
            "type Post @remote {{ title: String }}\ninput PostFilter {{ a: Int }}\n\
             type Query {{ getPost: Post {http} }}"
        ));
    }
}
