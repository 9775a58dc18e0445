//! Fields that types have from their interfaces.
//!
//! Those of the interface named last come first, as Dgraph prints them. A field that the type
//! declares again stays in its place and is the interface's.

use std::sync::Arc;

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{Composite, FieldDefinition, TypeBody, TypeDefinition};
use rustc_hash::FxHashMap;

use super::types::{Meaning, Types, is_interface};
use crate::model::TypeIndex;

/// A field of a type, its own or inherited.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpandedField<'d> {
    pub(super) definition: &'d FieldDefinition,
    pub(super) description: Option<&'d Arc<str>>,
    /// The interface that declares it.
    pub(super) inherited: Option<TypeIndex>,
}

/// The fields of each type and interface, and the interfaces that it implements.
pub(super) fn expand<'d>(
    types: &Types<'d>,
    problems: &mut Problems,
) -> Vec<(Vec<TypeIndex>, Vec<ExpandedField<'d>>)> {
    let expanded = types.composites.iter().map(|definition| {
        let at = At::r#type(definition);
        let interfaces = interfaces(types, definition, problems);
        let own = own_fields(at, composite(definition), problems);
        if is_interface(definition) {
            return (interfaces, own);
        }
        let fields = with_inherited(types, at, own, &interfaces, problems);
        if fields.is_empty() {
            problems.refuse(at, "it has no fields: declare one");
        }
        (interfaces, fields)
    });
    expanded.collect()
}

/// Fields of a type that nothing inherits.
pub(super) fn own_fields<'d>(
    at: At<'d>,
    composite: &'d Composite,
    problems: &mut Problems,
) -> Vec<ExpandedField<'d>> {
    let mut fields: Vec<ExpandedField<'d>> = Vec::new();
    for definition in &composite.fields {
        let known = fields.iter().find(|field| field.definition.name == definition.name);
        match known {
            Some(known) => {
                let at = at.member((definition.line, definition.column), &definition.name);
                let line = known.definition.line;
                problems.refuse(at, format!("it is declared on line {line} already: remove one"));
            }
            None => fields.push(ExpandedField {
                definition,
                description: definition.description.as_ref(),
                inherited: None,
            }),
        }
    }
    fields
}

pub(super) fn composite(definition: &TypeDefinition) -> &Composite {
    static NOTHING: Composite = Composite { interfaces: Vec::new(), fields: Vec::new() };
    match &definition.body {
        TypeBody::Object(composite) | TypeBody::Interface(composite) => composite,
        TypeBody::Scalar | TypeBody::Union(_) | TypeBody::Enum(_) | TypeBody::InputObject(_) => {
            &NOTHING
        }
    }
}

fn interfaces(
    types: &Types<'_>,
    definition: &TypeDefinition,
    problems: &mut Problems,
) -> Vec<TypeIndex> {
    let mut interfaces: Vec<TypeIndex> = Vec::new();
    for named in &composite(definition).interfaces {
        let at = At::r#type(definition).named(named);
        let name = &named.name;
        match types.meaning(name) {
            _ if is_interface(definition) => {
                let message = format!(
                    "an interface implements no other one: remove `{name}` here, and implement \
                     both in the types"
                );
                problems.refuse(at, message);
            }
            Some(Meaning::Type(index)) if types.is_interface(index) => {
                if interfaces.contains(&index) {
                    problems.refuse(at, format!("`{name}` is implemented twice: remove one"));
                } else {
                    interfaces.push(index);
                }
            }
            Some(Meaning::Refused) => {}
            Some(_) => {
                let message = format!("`{name}` is no interface: define it with `interface`");
                problems.refuse(at, message);
            }
            None => {
                let message =
                    format!("the interface `{name}` is not defined: define it, or remove it here");
                problems.refuse(at, message);
            }
        }
    }
    interfaces
}

fn with_inherited<'d>(
    types: &Types<'d>,
    at: At<'d>,
    mut fields: Vec<ExpandedField<'d>>,
    interfaces: &[TypeIndex],
    problems: &mut Problems,
) -> Vec<ExpandedField<'d>> {
    let own: Vec<&'d FieldDefinition> = fields.iter().map(|field| field.definition).collect();
    let mut seen: FxHashMap<&str, (&FieldDefinition, &str)> = FxHashMap::default();
    for index in interfaces {
        let interface = types.composites[index.0];
        let mut first: Vec<ExpandedField<'d>> = Vec::new();
        for definition in &composite(interface).fields {
            let name = &*definition.name;
            if first.iter().any(|field| *field.definition.name == *name) {
                continue;
            }
            let is_id = matches!(&**definition.r#type.base(), "ID");
            if let Some((known, of)) = seen.get(name) {
                if !is_id {
                    let message = format!(
                        "both `{of}` and `{}` declare the field `{name}`: rename one of them",
                        interface.name
                    );
                    problems.refuse(at, message);
                } else if known.r#type != definition.r#type {
                    let message = format!(
                        "the field `{name}` is {} in `{of}` and {} in `{}`: give both one type",
                        known.r#type, definition.r#type, interface.name
                    );
                    problems.refuse(at, message);
                }
                continue;
            }
            seen.insert(name, (definition, &interface.name));
            let inherited = Some(*index);
            let Some(again) = own.iter().find(|field| *field.name == *name) else {
                first.push(ExpandedField { definition, description: None, inherited });
                continue;
            };
            if again.r#type != definition.r#type {
                let message = format!(
                    "it is {}, but {} in the interface `{}`: give it the type of the interface",
                    again.r#type, definition.r#type, interface.name
                );
                problems.refuse(at.member((again.line, again.column), &again.name), message);
            }
            let declared = fields.iter_mut().find(|field| *field.definition.name == *name);
            if let Some(field) = declared {
                let description = definition.description.as_ref();
                *field = ExpandedField { definition, description, inherited };
            }
        }
        first.append(&mut fields);
        fields = first;
    }
    fields
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};
    use crate::model::Model;

    fn fields(model: &Model) -> Vec<String> {
        let types = model.types.iter().map(|r#type| {
            let fields = r#type.fields.iter().map(|field| match field.inherited {
                Some(interface) => format!("{}({})", field.name, model.types[interface.0].name),
                None => field.name.to_string(),
            });
            format!("{}: {}", r#type.name, fields.collect::<Vec<_>>().join(" "))
        });
        types.collect()
    }

    #[test]
    fn fields_of_the_last_interface_come_first() {
        let text = "interface I { id: ID! a: Int! b: Int }\ninterface J { id: ID! c: Int }\n\
                    type T implements I & J { d: Int }\ntype U implements I { d: Int b: Int }";
        check(
            text,
            fields,
            &expect![[r#"
            [
                "I: id a b",
                "J: id c",
                "T: c(J) id(I) a(I) b(I) d",
                "U: id(I) a(I) d b(I)",
            ]
        "#]],
        );
    }

    #[test]
    fn descriptions_are_the_interface_s_where_the_field_is_declared_again() {
        let text = "interface I { \"of I\" a: Int }\ntype T implements I { b: Int }\n\
                    type U implements I { \"of U\" a: Int b: Int }";
        let describe = |model: &Model| {
            let fields = model.types.iter().flat_map(|r#type| &r#type.fields);
            fields.map(|field| field.description.clone()).collect::<Vec<_>>()
        };
        check(
            text,
            describe,
            &expect![[r#"
            [
                Some(
                    "of I",
                ),
                None,
                None,
                Some(
                    "of I",
                ),
                None,
            ]
        "#]],
        );
    }

    #[test]
    fn interfaces_and_types_agree() {
        let text = "interface I { id: ID! a: Int! }\ninterface J implements I { id: ID a: Int! }\n\
                    type T implements I & J & K & I { b: Int b: Int }\n\
                    type U implements I & T { a: Int }\ntype V";
        refused(
            text,
            &expect![[r#"
            line 2, column 24: J: an interface implements no other one: remove `I` here, and implement both in the types
            line 3, column 6: T: the field `id` is ID! in `I` and ID in `J`: give both one type
            line 3, column 6: T: both `I` and `J` declare the field `a`: rename one of them
            line 3, column 27: T: the interface `K` is not defined: define it, or remove it here
            line 3, column 31: T: `I` is implemented twice: remove one
            line 3, column 42: T.b: it is declared on line 3 already: remove one
            line 4, column 23: U: `T` is no interface: define it with `interface`
            line 4, column 27: U.a: it is Int, but Int! in the interface `I`: give it the type of the interface
            line 5, column 6: V: it has no fields: declare one
        "#]],
        );
    }
}
