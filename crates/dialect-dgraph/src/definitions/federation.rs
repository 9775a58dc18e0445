//! Directives of Apollo Federation.

use graphql::definitions::Literal;
use graphql::definitions::problem::{At, Problems};

use super::declared::{DeclaredField, DeclaredType};
use super::directives::{Applied, Known, find_argument, require_text};
use super::types::Types;
use crate::model::{Federation, FieldFederation};

/// The directives of a type.
pub(super) fn of_type(is_extension: bool, applied: &Applied<'_>) -> Federation {
    Federation {
        key: fields(applied, Known::Key).map(Into::into),
        is_extended: is_extension || applied.has(Known::Extends),
    }
}

/// The directives of a field.
pub(super) fn of_field(applied: &Applied<'_>) -> FieldFederation {
    FieldFederation {
        is_external: applied.has(Known::External),
        requires: fields(applied, Known::Requires).map(Into::into),
        provides: fields(applied, Known::Provides).map(Into::into),
    }
}

pub(super) fn check(types: &Types<'_>, read: &[DeclaredType<'_>], problems: &mut Problems) {
    for r#type in read {
        let at = At::r#type(r#type.definition);
        check_type(r#type, problems);
        for field in &r#type.fields {
            let at = field.at(at);
            check_external(r#type, field, at, problems);
            check_requires(r#type, field, at, problems);
            check_provides(types, read, field, at, problems);
        }
    }
}

fn fields<'d>(applied: &Applied<'d>, known: Known) -> Option<&'d str> {
    match &find_argument(applied.find(known)?, "fields")?.value {
        Literal::String(text) => Some(text),
        _ => None,
    }
}

fn is_extended(r#type: &DeclaredType<'_>) -> bool {
    r#type.definition.is_extension || r#type.applied.has(Known::Extends)
}

fn check_type(r#type: &DeclaredType<'_>, problems: &mut Problems) {
    let at = At::r#type(r#type.definition);
    let is_remote = r#type.applied.has(Known::Remote);
    if is_extended(r#type) {
        if !r#type.applied.has(Known::Key) {
            let message = "a type of another subgraph needs a key: add `@key(fields: \"id\")`";
            problems.refuse(at, message);
        }
        if is_remote {
            problems.refuse(at, "`@remote` does not apply to an extended type: remove it");
        }
    }
    let Some(directive) = r#type.applied.find(Known::Key) else { return };
    let example = "@key(fields: \"id\")";
    let Some(key) = require_text(at, directive, "fields", example, problems) else { return };
    let at_directive = at.directive(directive);
    match r#type.fields.iter().find(|field| field.name() == key) {
        None => {
            let message = format!("`@key` names `{key}`, which is no field: name one field");
            problems.refuse(at_directive, message);
        }
        Some(field) if field.base() != "ID" && !field.applied.has(Known::Id) => {
            let message = format!("`@key` names `{key}`, which has no unique values: add `@id`");
            problems.refuse(at_directive, message);
        }
        Some(_) => {}
    }
    if is_remote {
        problems.refuse(at_directive, "`@key` does not apply with `@remote`: remove one of both");
    }
}

/// Refuses directives of extended types on others.
fn check_extended(
    r#type: &DeclaredType<'_>,
    at: At<'_>,
    name: &str,
    problems: &mut Problems,
) -> bool {
    if !is_extended(r#type) {
        let message = format!(
            "`@{name}` applies to fields of types of other subgraphs: remove it, or write `extend \
             type {}`",
            r#type.definition.name
        );
        problems.refuse(at, message);
    }
    is_extended(r#type)
}

fn check_external(
    r#type: &DeclaredType<'_>,
    field: &DeclaredField<'_>,
    at: At<'_>,
    problems: &mut Problems,
) {
    let Some(directive) = field.applied.find(Known::External) else { return };
    let at = at.directive(directive);
    if !check_extended(r#type, at, "external", problems) {
        return;
    }
    if field.applied.has(Known::Custom) || field.applied.has(Known::Lambda) {
        problems.refuse(at, "`@external` does not apply with `@custom`: remove one of both");
    }
    if fields(&r#type.applied, Known::Key) == Some(field.name()) {
        return;
    }
    for (known, name) in [
        (Known::HasInverse, "hasInverse"),
        (Known::Search, "search"),
        (Known::Dgraph, "dgraph"),
        (Known::Id, "id"),
    ] {
        if let Some(directive) = field.applied.find(known) {
            let message =
                format!("`@{name}` does not apply to an external field that is no key: remove it");
            problems.refuse(at.directive(directive), message);
        }
    }
}

fn check_requires(
    r#type: &DeclaredType<'_>,
    field: &DeclaredField<'_>,
    at: At<'_>,
    problems: &mut Problems,
) {
    let Some(directive) = field.applied.find(Known::Requires) else { return };
    let at_directive = at.directive(directive);
    if !check_extended(r#type, at_directive, "requires", problems) {
        return;
    }
    let example = "@requires(fields: \"price weight\")";
    let names = require_text(at, directive, "fields", example, problems).unwrap_or_default();
    for name in names.split_whitespace() {
        match r#type.fields.iter().find(|field| field.name() == name) {
            None => {
                let message = format!("`@requires` names `{name}`, which is no field: declare it");
                problems.refuse(at_directive, message);
            }
            Some(field) if !field.applied.has(Known::External) => {
                let message = format!("`@requires` names `{name}`: add `@external` to it");
                problems.refuse(at_directive, message);
            }
            Some(_) => {}
        }
    }
}

fn check_provides(
    types: &Types<'_>,
    read: &[DeclaredType<'_>],
    field: &DeclaredField<'_>,
    at: At<'_>,
    problems: &mut Problems,
) {
    let Some(directive) = field.applied.find(Known::Provides) else { return };
    let of = types.find_type(field.base()).map(|index| &read[index.0]);
    let Some(of) = of.filter(|of| of.applied.has(Known::Key)) else {
        let message = format!(
            "`@provides` needs a type with a key: add `@key(fields: …)` to `{}`",
            field.base()
        );
        problems.refuse(at.directive(directive), message);
        return;
    };
    let example = "@provides(fields: \"name\")";
    let names = require_text(at, directive, "fields", example, problems).unwrap_or_default();
    for name in names.split_whitespace() {
        if !of.fields.iter().any(|field| field.name() == name) {
            let message = format!(
                "`@provides` names `{name}`, which is no field of `{}`: declare it there",
                of.definition.name
            );
            problems.refuse(at.directive(directive), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    #[test]
    fn extensions_and_keys_are_read() {
        let text = "extend type User @key(fields: \"id\") { id: ID! @external name: String @external\n\
                    posts: [Post] @requires(fields: \"name\") }\n\
                    type Post @key(fields: \"slug\") { slug: String! @id by: User @provides(fields: \"name\") }";
        let federation = |model: &crate::model::Model| {
            let types = model.types.iter().map(|one| {
                let fields = one.fields.iter().map(|field| field.federation.clone());
                (one.name.clone(), one.federation.clone(), fields.collect::<Vec<_>>())
            });
            types.collect::<Vec<_>>()
        };
        check(
            text,
            federation,
            &expect![[r#"
            [
                (
                    "Post",
                    Federation {
                        key: Some(
                            "slug",
                        ),
                        is_extended: false,
                    },
                    [
                        FieldFederation {
                            is_external: false,
                            requires: None,
                            provides: None,
                        },
                        FieldFederation {
                            is_external: false,
                            requires: None,
                            provides: Some(
                                "name",
                            ),
                        },
                    ],
                ),
                (
                    "User",
                    Federation {
                        key: Some(
                            "id",
                        ),
                        is_extended: true,
                    },
                    [
                        FieldFederation {
                            is_external: true,
                            requires: None,
                            provides: None,
                        },
                        FieldFederation {
                            is_external: true,
                            requires: None,
                            provides: None,
                        },
                        FieldFederation {
                            is_external: false,
                            requires: Some(
                                "name",
                            ),
                            provides: None,
                        },
                    ],
                ),
            ]
        "#]],
        );
    }

    #[test]
    fn subgraphs_agree() {
        let text = "type A @key(fields: \"b\") {\n id: ID! @external\n b: Int @requires(fields: \"id\")\n}\n\
                    extend type C { id: ID!\n d: Int @search @external\n e: A @requires(fields: \"id f\")\n}\n\
                    type G @key(fields: \"h\") @key(fields: \"i\") { j: G @provides(fields: \"k\")\n\
                    l: M @provides(fields: \"n\") }\ntype M @remote @extends @key(fields: \"\") { n: Int }";
        refused(
            text,
            &expect![[r#"
            line 1, column 9: A: `@key` names `b`, which has no unique values: add `@id`
            line 2, column 11: A.id: `@external` applies to fields of types of other subgraphs: remove it, or write `extend type A`
            line 3, column 10: A.b: `@requires` applies to fields of types of other subgraphs: remove it, or write `extend type A`
            line 5, column 13: C: a type of another subgraph needs a key: add `@key(fields: "id")`
            line 6, column 10: C.d: `@search` does not apply to an external field that is no key: remove it
            line 7, column 8: C.e: `@requires` names `id`: add `@external` to it
            line 7, column 8: C.e: `@requires` names `f`, which is no field: declare it
            line 9, column 9: G: `@key` names `h`, which is no field: name one field
            line 9, column 27: G: `@key` is applied twice: keep one of both
            line 9, column 52: G.j: `@provides` names `k`, which is no field of `G`: declare it there
            line 10, column 1: G.l: `M` is a type of another server: add `@custom` to the field
            line 11, column 6: M: `@remote` does not apply to an extended type: remove it
            line 11, column 26: M: the argument `fields` of `@key` is empty: write `@key(fields: "id")`
        "#]],
        );
    }
}
