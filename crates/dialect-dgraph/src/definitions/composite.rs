//! Types and interfaces.

use graphql::definitions::TypeDefinition;
use graphql::definitions::problem::{At, Problems};

use super::declared::{DeclaredField, DeclaredType, Owner, OwnerKind};
use super::directives::{Applied, Known, Location, require_text};
use super::field;
use super::inherited::{self, ExpandedField};
use super::reserved::is_keyword;
use super::types::{Meaning, Types, is_interface};
use super::{auth, federation, generate, inverse, secret, shared_predicates};
use crate::model::{self, Field, Type, TypeIndex, TypeKind};

/// Reads types and interfaces with their fields, by their indexes.
pub(super) fn read<'d>(
    types: &Types<'d>,
    secrets: &[(Box<str>, Box<str>)],
    problems: &mut Problems,
) -> Vec<DeclaredType<'d>> {
    let expanded = inherited::expand(types, problems);
    let mut read: Vec<DeclaredType<'d>> = Vec::with_capacity(expanded.len());
    for (definition, (implements, fields)) in types.composites.iter().zip(&expanded) {
        let at = At::r#type(definition);
        let location = match is_interface(definition) {
            true => Location::Interface,
            false => Location::Object,
        };
        let applied = Applied::read(types, location, at, &definition.directives, problems);
        let kind = match location {
            _ if applied.has(Known::Remote) => OwnerKind::Remote,
            Location::Interface => OwnerKind::Interface,
            _ => OwnerKind::Object,
        };
        let owner = Owner { kind, fields, secrets };
        let own = fields.iter().filter(|field| field.inherited.is_none());
        let fields = own.map(|field| field::read(types, owner, at, *field, problems)).collect();
        read.push(DeclaredType { definition, applied, implements: implements.clone(), fields });
    }
    for (idx, (_, fields)) in expanded.iter().enumerate() {
        let fields = fields.iter().filter_map(|field| find(&read, idx, field)).collect();
        read[idx].fields = fields;
    }
    read
}

/// A field where it is declared, as a field of the type that has or inherits it.
fn find<'d>(
    read: &[DeclaredType<'d>],
    idx: usize,
    expanded: &ExpandedField<'d>,
) -> Option<DeclaredField<'d>> {
    let declaring = expanded.inherited.map_or(idx, |interface| interface.0);
    let mut fields = read.get(declaring)?.fields.iter();
    let found = fields.find(|field| field.name() == &*expanded.definition.name)?;
    let field = found.field.clone().map(|field| Field {
        description: expanded.description.map(|text| (&**text).into()),
        inherited: expanded.inherited,
        ..field
    });
    Some(DeclaredField { expanded: *expanded, applied: found.applied.clone(), field })
}

/// The types of the model.
pub(super) fn finish(
    types: &Types<'_>,
    read: &[DeclaredType<'_>],
    problems: &mut Problems,
) -> Vec<Type> {
    let mut inverses = inverse::read(types, read, problems);
    let ambiguous = shared_predicates::ambiguous(read);
    let rules = auth::read(read, problems);
    let secrets = secret::read(read, problems);
    let parts = read.iter().enumerate().zip(rules).zip(secrets);
    let finished = parts.map(|(((idx, r#type), auth), secret)| {
        let at = At::r#type(r#type.definition);
        check(types, read, r#type, problems);
        let (generate, has_subscription) = generate::read(at, &r#type.applied, problems);
        let fields = r#type.fields.iter().enumerate().filter_map(|(index, field)| {
            let read_field = field.field.clone()?;
            let declaring = read_field.inherited.unwrap_or(TypeIndex(idx));
            let stored_name = match ambiguous.contains(&(declaring, field.name())) {
                true => shared_predicates::own_predicate(read, r#type, field).into(),
                false => read_field.stored_name,
            };
            let inverse = inverses.remove(&(idx, index));
            Some(Field { inverse, stored_name, ..read_field })
        });
        Type {
            name: (&*r#type.definition.name).into(),
            description: r#type.definition.description.as_ref().map(|text| (&**text).into()),
            kind: match is_interface(r#type.definition) {
                true => TypeKind::Interface,
                false => TypeKind::Object,
            },
            implements: r#type.implements.clone(),
            fields: fields.collect(),
            secret,
            stored_name: r#type.stored_name().into(),
            auth,
            generate,
            has_subscription: has_subscription || r#type.applied.has(Known::WithSubscription),
            is_remote: r#type.is_remote(),
            federation: federation::of_type(r#type.definition.is_extension, &r#type.applied),
            line: r#type.definition.line,
        }
    });
    finished.collect()
}

/// Fields of a root type.
pub(super) fn roots<'d>(
    types: &Types<'d>,
    kind: OwnerKind,
    secrets: &[(Box<str>, Box<str>)],
    definition: Option<&'d TypeDefinition>,
    problems: &mut Problems,
) -> Vec<model::Field> {
    let Some(definition) = definition else { return Vec::new() };
    let at = At::r#type(definition);
    for directive in &definition.directives {
        let message = format!("`@{}` does not apply to a root type: remove it", directive.name);
        problems.refuse(at.directive(directive), message);
    }
    let composite = inherited::composite(definition);
    for named in &composite.interfaces {
        let message = "a root type implements no interface: remove it";
        problems.refuse(at.named(named), message);
    }
    let fields = inherited::own_fields(at, composite, problems);
    if fields.is_empty() {
        problems.refuse(at, "it has no fields: declare one with `@custom`, or remove the type");
    }
    let owner = Owner { kind, fields: &fields, secrets };
    let read = fields.iter().map(|field| field::read(types, owner, at, *field, problems));
    read.filter_map(|field| field.field).collect()
}

fn check(
    types: &Types<'_>,
    read: &[DeclaredType<'_>],
    r#type: &DeclaredType<'_>,
    problems: &mut Problems,
) {
    let at = At::r#type(r#type.definition);
    check_stored_name(r#type, at, problems);
    if let Some(directive) = r#type.applied.find(Known::LambdaOnMutate) {
        let message = "`@lambdaOnMutate` needs a server of JavaScript functions: remove it";
        problems.refuse(at.directive(directive), message);
    }
    let ids: Vec<&DeclaredField<'_>> =
        r#type.fields.iter().filter(|field| field.base() == "ID").collect();
    for field in ids.iter().skip(1) {
        let message = format!(
            "`{}` is of type ID already, and a type has one such field: use `String! @id`",
            ids[0].name()
        );
        problems.refuse(field.at(at), message);
    }
    check_remote(types, read, r#type, problems);
    let is_stored = |field: &DeclaredField<'_>| {
        field.base() != "ID"
            && !field.applied.has(Known::Custom)
            && !field.applied.has(Known::Lambda)
    };
    let needs_stored = !is_interface(r#type.definition) && !r#type.is_remote();
    if needs_stored && !r#type.fields.is_empty() && !r#type.fields.iter().any(is_stored) {
        let message = "it has no field to store, besides ID and custom fields: declare one";
        problems.refuse(at, message);
    }
}

fn check_stored_name(r#type: &DeclaredType<'_>, at: At<'_>, problems: &mut Problems) {
    let Some(directive) = r#type.applied.find(Known::Dgraph) else { return };
    let example = "@dgraph(type: \"Name\")";
    let Some(name) = require_text(at, directive, "type", example, problems) else { return };
    if is_keyword(name) {
        let message = format!("the stored name `{name}` is reserved: choose another one");
        problems.refuse(at.directive(directive), message);
    }
}

fn check_remote(
    types: &Types<'_>,
    read: &[DeclaredType<'_>],
    r#type: &DeclaredType<'_>,
    problems: &mut Problems,
) {
    let at = At::r#type(r#type.definition);
    for index in &r#type.implements {
        let interface = &read[index.0];
        if interface.is_remote() != r#type.is_remote() {
            let message = format!(
                "it and its interface `{}` are not both on another server: add `@remote` to both \
                 or none",
                interface.definition.name
            );
            problems.refuse(at, message);
        }
    }
    if r#type.is_remote() {
        for (known, name) in [(Known::Auth, "auth"), (Known::WithSubscription, "withSubscription")]
        {
            if let Some(directive) = r#type.applied.find(known) {
                let message =
                    format!("`@{name}` does not apply with `@remote`: remove one of both");
                problems.refuse(at.directive(directive), message);
            }
        }
        return;
    }
    for field in r#type.fields.iter().filter(|field| field.expanded.inherited.is_none()) {
        let is_answered = field.applied.has(Known::Custom) || field.applied.has(Known::Lambda);
        let is_remote = is_remote_type(types, field.base());
        if is_remote && !is_answered {
            let message = format!(
                "`{}` is a type of another server: add `@custom` to the field",
                field.base()
            );
            problems.refuse(field.at(at), message);
        }
    }
}

fn is_remote_type(types: &Types<'_>, name: &str) -> bool {
    let definition = match types.meaning(name) {
        Some(Meaning::Type(index)) => types.composites[index.0],
        Some(Meaning::Union(index)) => types.unions[index.0],
        Some(Meaning::Enum(index)) => types.enums[index.0],
        Some(Meaning::Scalar(_) | Meaning::Input(_) | Meaning::Refused) | None => return false,
    };
    super::reserved::is_remote(definition)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    #[test]
    fn types_are_in_the_order_of_the_text() {
        let text = "\"\"\"A thing.\"\"\"\ntype A implements I @dgraph(type: \"Thing\") { b: Int @deprecated }\n\
                    interface I { id: ID! \"A count.\" c(d: [Int!] = [1]): Int! @deprecated(reason: \"old\") }";
        check(
            text,
            |model| model.types.clone(),
            &expect![[r#"
            [
                Type {
                    name: "A",
                    description: Some(
                        "A thing.",
                    ),
                    kind: Object,
                    implements: [
                        TypeIndex(
                            1,
                        ),
                    ],
                    fields: [
                        Field {
                            name: "id",
                            description: None,
                            type: FieldType {
                                base: Scalar(
                                    Id,
                                ),
                                is_required: true,
                                list: None,
                            },
                            inherited: Some(
                                TypeIndex(
                                    1,
                                ),
                            ),
                            id: None,
                            search: [],
                            default_on_add: None,
                            default_on_update: None,
                            inverse: None,
                            stored_name: "id",
                            is_embedding: false,
                            custom: None,
                            arguments: [],
                            deprecated: None,
                            federation: FieldFederation {
                                is_external: false,
                                requires: None,
                                provides: None,
                            },
                            has_subscription: false,
                            remote_name: None,
                            line: 3,
                        },
                        Field {
                            name: "c",
                            description: None,
                            type: FieldType {
                                base: Scalar(
                                    Int,
                                ),
                                is_required: true,
                                list: None,
                            },
                            inherited: Some(
                                TypeIndex(
                                    1,
                                ),
                            ),
                            id: None,
                            search: [],
                            default_on_add: None,
                            default_on_update: None,
                            inverse: None,
                            stored_name: "c",
                            is_embedding: false,
                            custom: None,
                            arguments: [
                                InputValue {
                                    name: "d",
                                    description: None,
                                    type: FieldType {
                                        base: Scalar(
                                            Int,
                                        ),
                                        is_required: false,
                                        list: Some(
                                            Elements {
                                                are_required: true,
                                            },
                                        ),
                                    },
                                    default: Some(
                                        "[1]",
                                    ),
                                },
                            ],
                            deprecated: Some(
                                "old",
                            ),
                            federation: FieldFederation {
                                is_external: false,
                                requires: None,
                                provides: None,
                            },
                            has_subscription: false,
                            remote_name: None,
                            line: 3,
                        },
                        Field {
                            name: "b",
                            description: None,
                            type: FieldType {
                                base: Scalar(
                                    Int,
                                ),
                                is_required: false,
                                list: None,
                            },
                            inherited: None,
                            id: None,
                            search: [],
                            default_on_add: None,
                            default_on_update: None,
                            inverse: None,
                            stored_name: "b",
                            is_embedding: false,
                            custom: None,
                            arguments: [],
                            deprecated: Some(
                                "No longer supported",
                            ),
                            federation: FieldFederation {
                                is_external: false,
                                requires: None,
                                provides: None,
                            },
                            has_subscription: false,
                            remote_name: None,
                            line: 2,
                        },
                    ],
                    secret: None,
                    stored_name: "Thing",
                    auth: Auth {
                        query: None,
                        add: None,
                        update: None,
                        delete: None,
                        password: None,
                    },
                    generate: Generate {
                        get: true,
                        query: true,
                        password: true,
                        aggregate: true,
                        add: true,
                        update: true,
                        delete: true,
                    },
                    has_subscription: false,
                    is_remote: false,
                    federation: Federation {
                        key: None,
                        is_extended: false,
                    },
                    line: 2,
                },
                Type {
                    name: "I",
                    description: None,
                    kind: Interface,
                    implements: [],
                    fields: [
                        Field {
                            name: "id",
                            description: None,
                            type: FieldType {
                                base: Scalar(
                                    Id,
                                ),
                                is_required: true,
                                list: None,
                            },
                            inherited: None,
                            id: None,
                            search: [],
                            default_on_add: None,
                            default_on_update: None,
                            inverse: None,
                            stored_name: "id",
                            is_embedding: false,
                            custom: None,
                            arguments: [],
                            deprecated: None,
                            federation: FieldFederation {
                                is_external: false,
                                requires: None,
                                provides: None,
                            },
                            has_subscription: false,
                            remote_name: None,
                            line: 3,
                        },
                        Field {
                            name: "c",
                            description: Some(
                                "A count.",
                            ),
                            type: FieldType {
                                base: Scalar(
                                    Int,
                                ),
                                is_required: true,
                                list: None,
                            },
                            inherited: None,
                            id: None,
                            search: [],
                            default_on_add: None,
                            default_on_update: None,
                            inverse: None,
                            stored_name: "c",
                            is_embedding: false,
                            custom: None,
                            arguments: [
                                InputValue {
                                    name: "d",
                                    description: None,
                                    type: FieldType {
                                        base: Scalar(
                                            Int,
                                        ),
                                        is_required: false,
                                        list: Some(
                                            Elements {
                                                are_required: true,
                                            },
                                        ),
                                    },
                                    default: Some(
                                        "[1]",
                                    ),
                                },
                            ],
                            deprecated: Some(
                                "old",
                            ),
                            federation: FieldFederation {
                                is_external: false,
                                requires: None,
                                provides: None,
                            },
                            has_subscription: false,
                            remote_name: None,
                            line: 3,
                        },
                    ],
                    secret: None,
                    stored_name: "I",
                    auth: Auth {
                        query: None,
                        add: None,
                        update: None,
                        delete: None,
                        password: None,
                    },
                    generate: Generate {
                        get: true,
                        query: true,
                        password: true,
                        aggregate: true,
                        add: true,
                        update: true,
                        delete: true,
                    },
                    has_subscription: false,
                    is_remote: false,
                    federation: Federation {
                        key: None,
                        is_extended: false,
                    },
                    line: 3,
                },
            ]
        "#]],
        );
    }

    #[test]
    fn types_have_something_to_store() {
        let http = "@custom(http: {url: \"http://a.example\", method: GET})";
        let text = format!(
            "type A {{ id: ID! }}\ntype B {{ id: ID! c: Int {http} }}\ntype D {{ id: ID! e: ID f: Int }}\n\
             type G @dgraph(type: \"as\") {{ h: Int }}\ntype J @dgraph {{ k: [ID] }}\n\
             type L {{ m: [Boolean] n: [[Int]] o: Nothing uid: Int pAggregate: Int __q: In }}\n\
             input In {{ r: L s: Point t: PointRef }}"
        );
        refused(
            &text,
            &expect![[r#"
                line 1, column 6: A: it has no field to store, besides ID and custom fields: declare one
                line 2, column 6: B: it has no field to store, besides ID and custom fields: declare one
                line 3, column 18: D.e: `id` is of type ID already, and a type has one such field: use `String! @id`
                line 4, column 9: G: the stored name `as` is reserved: choose another one
                line 5, column 6: J: it has no field to store, besides ID and custom fields: declare one
                line 5, column 9: J: `@dgraph` has no argument `type`: write `@dgraph(type: "Name")`
                line 5, column 18: J.k: lists of ID do not exist: make it one ID
                line 6, column 10: L.m: lists of Boolean do not exist: make it one Boolean
                line 6, column 23: L.n: lists of lists do not exist: use one list, or a type between
                line 6, column 34: L.o: the type `Nothing` is not defined: did you mean String?
                line 6, column 45: L.uid: the name is reserved: rename it
                line 6, column 54: L.pAggregate: the API generates names with `Aggregate` at the end: rename it
                line 6, column 70: L.__q: names with `__` belong to introspection: rename it
                line 6, column 70: L.__q: `In` is an input type: give the field a type, interface, union, enum or scalar
                line 7, column 12: In.r: `L` is no input type: define an `input` for it
                line 7, column 17: In.s: `Point` is no input type: write `PointRef`
            "#]],
        );
    }

    #[test]
    fn types_of_other_servers_are_separate() {
        let text = "type A @remote @auth(query: {rule: \"{$A: {eq: 1}}\"}) { b: B }\n\
                    type B @withSubscription { a: A id: ID @remoteResponse(name: \"c\") }\n\
                    interface I @remote { d: Int }\ninterface J { e: Int @default(add: {value: \"1\"}) }\n\
                    type C implements I { f: Int }\n\
                    type D implements J @remote { g: String @remoteResponse h: Int @default(add: {value: \"1\"}) }";
        refused(
            text,
            &expect![[r#"
            line 1, column 17: A: `@auth` does not apply with `@remote`: remove one of both
            line 2, column 28: B.a: `A` is a type of another server: add `@custom` to the field
            line 2, column 41: B.id: `@remoteResponse` applies to fields of types with `@remote`: remove it
            line 5, column 6: C: it and its interface `I` are not both on another server: add `@remote` to both or none
            line 6, column 6: D: it and its interface `J` are not both on another server: add `@remote` to both or none
            line 6, column 42: D.g: `@remoteResponse` has no argument `name`: write `@remoteResponse(name: "screen_name")`
            line 6, column 57: D.h: `@default` does not apply to types of other servers: remove it
        "#]],
        );
    }

    #[test]
    fn root_types_have_custom_fields_only() {
        let text = "interface I { a: Int }\ntype Query implements I @auth { b(filter: Int): Int }\n\
                    type Mutation { c: Int @search }";
        refused(
            text,
            &expect![[r#"
            line 2, column 23: Query: a root type implements no interface: remove it
            line 2, column 26: Query: `@auth` does not apply to a root type: remove it
            line 2, column 33: Query.b: fields of `Query` and `Mutation` are generated: remove it, or add `@custom` to it
            line 3, column 17: Mutation.c: fields of `Query` and `Mutation` are generated: remove it, or add `@custom` to it
        "#]],
        );
    }
}
