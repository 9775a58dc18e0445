//! Unions, enums and input types.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{EnumValueDefinition, InputDefinition, Named, TypeBody, TypeDefinition};

use super::directives::{Applied, Known, Location};
use super::field::{check_name, deprecated, input_values};
use super::types::{Meaning, Types};
use crate::model::{Enum, EnumValue, Input, TypeIndex, Union};

pub(super) fn unions(types: &Types<'_>, problems: &mut Problems) -> Vec<Union> {
    let unions = types.unions.iter().map(|definition| {
        let at = At::r#type(definition);
        let is_remote = is_remote(types, Location::Union, definition, problems);
        let members: &[Named] = match &definition.body {
            TypeBody::Union(members) => members,
            _ => &[],
        };
        if members.is_empty() {
            problems.refuse(at, "it has no members: name a type");
        }
        Union {
            name: (&*definition.name).into(),
            description: description(definition),
            members: union_members(types, at, members, problems),
            is_remote,
            line: definition.line,
        }
    });
    unions.collect()
}

pub(super) fn enums(types: &Types<'_>, problems: &mut Problems) -> Vec<Enum> {
    let enums = types.enums.iter().map(|definition| {
        let at = At::r#type(definition);
        let is_remote = is_remote(types, Location::Enum, definition, problems);
        let values: &[EnumValueDefinition] = match &definition.body {
            TypeBody::Enum(values) => values,
            _ => &[],
        };
        if values.is_empty() {
            problems.refuse(at, "it has no values: declare one");
        }
        Enum {
            name: (&*definition.name).into(),
            description: description(definition),
            values: enum_values(types, at, values, problems),
            is_remote,
            line: definition.line,
        }
    });
    enums.collect()
}

pub(super) fn inputs(types: &Types<'_>, problems: &mut Problems) -> Vec<Input> {
    let inputs = types.inputs.iter().map(|definition| {
        let at = At::r#type(definition);
        let is_remote = is_remote(types, Location::Input, definition, problems);
        let members: &[InputDefinition] = match &definition.body {
            TypeBody::InputObject(members) => members,
            _ => &[],
        };
        if members.is_empty() {
            problems.refuse(at, "it has no members: declare one");
        }
        for member in members {
            check_name(at.input(member), &member.name, problems);
        }
        Input {
            name: (&*definition.name).into(),
            description: description(definition),
            members: input_values(types, at, members, problems),
            is_remote,
            line: definition.line,
        }
    });
    inputs.collect()
}

fn is_remote(
    types: &Types<'_>,
    location: Location,
    definition: &TypeDefinition,
    problems: &mut Problems,
) -> bool {
    let at = At::r#type(definition);
    let applied = Applied::read(types, location, at, &definition.directives, problems);
    applied.has(Known::Remote)
}

fn description(definition: &TypeDefinition) -> Option<Box<str>> {
    definition.description.as_ref().map(|text| (&**text).into())
}

fn union_members(
    types: &Types<'_>,
    at: At<'_>,
    names: &[Named],
    problems: &mut Problems,
) -> Vec<TypeIndex> {
    let mut members: Vec<TypeIndex> = Vec::new();
    for named in names {
        let name = &named.name;
        let at = at.named(named);
        match types.meaning(name) {
            Some(Meaning::Type(index)) if !types.is_interface(index) => {
                if members.contains(&index) {
                    problems.refuse(at, format!("`{name}` is a member twice: remove one"));
                } else {
                    members.push(index);
                }
            }
            Some(Meaning::Refused) => {}
            Some(_) => {
                problems.refuse(at, format!("`{name}` is no type with fields: name types only"));
            }
            None => {
                let message = format!("the type `{name}` is not defined: define it or remove it");
                problems.refuse(at, message);
            }
        }
    }
    members
}

fn enum_values(
    types: &Types<'_>,
    at: At<'_>,
    definitions: &[EnumValueDefinition],
    problems: &mut Problems,
) -> Vec<EnumValue> {
    let mut values: Vec<EnumValue> = Vec::new();
    for definition in definitions {
        let name = &*definition.name;
        let at = at.moved((definition.line, definition.column));
        let applied =
            Applied::read(types, Location::EnumValue, at, &definition.directives, problems);
        if values.iter().any(|value| *value.name == *name) {
            problems.refuse(at, format!("`{name}` is a value twice: remove one"));
        }
        values.push(EnumValue {
            name: name.into(),
            description: definition.description.as_ref().map(|text| (&**text).into()),
            deprecated: deprecated(&applied),
        });
    }
    values
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    #[test]
    fn unions_enums_and_inputs_are_read() {
        let text = "type A { b: Int }\n\"Of A.\"\nunion U = A\n\
                    enum E @remote { \"One.\" ONE TWO @deprecated(reason: \"2\") }\n\
                    input I { c: [E!]! = [ONE] d: I e: PointRef }";
        let parts = |model: &crate::model::Model| {
            (model.unions.clone(), model.enums.clone(), model.inputs.clone())
        };
        check(
            text,
            parts,
            &expect![[r#"
            (
                [
                    Union {
                        name: "U",
                        description: Some(
                            "Of A.",
                        ),
                        members: [
                            TypeIndex(
                                0,
                            ),
                        ],
                        is_remote: false,
                        line: 3,
                    },
                ],
                [
                    Enum {
                        name: "E",
                        description: None,
                        values: [
                            EnumValue {
                                name: "ONE",
                                description: Some(
                                    "One.",
                                ),
                                deprecated: None,
                            },
                            EnumValue {
                                name: "TWO",
                                description: None,
                                deprecated: Some(
                                    "2",
                                ),
                            },
                        ],
                        is_remote: true,
                        line: 4,
                    },
                ],
                [
                    Input {
                        name: "I",
                        description: None,
                        members: [
                            InputValue {
                                name: "c",
                                description: None,
                                type: FieldType {
                                    base: Enum(
                                        EnumIndex(
                                            0,
                                        ),
                                    ),
                                    is_required: true,
                                    list: Some(
                                        Elements {
                                            are_required: true,
                                        },
                                    ),
                                },
                                default: Some(
                                    "[ONE]",
                                ),
                            },
                            InputValue {
                                name: "d",
                                description: None,
                                type: FieldType {
                                    base: Input(
                                        InputIndex(
                                            0,
                                        ),
                                    ),
                                    is_required: false,
                                    list: None,
                                },
                                default: None,
                            },
                            InputValue {
                                name: "e",
                                description: None,
                                type: FieldType {
                                    base: Scalar(
                                        Point,
                                    ),
                                    is_required: false,
                                    list: None,
                                },
                                default: None,
                            },
                        ],
                        is_remote: false,
                        line: 5,
                    },
                ],
            )
        "#]],
        );
    }

    #[test]
    fn members_and_values_are_checked() {
        let text = "interface I { a: Int }\ntype T { b: Int }\nunion U = I | T | T | String | None | E\n\
                    enum E { A A }\ninput J { as: Int c: Int c: T }";
        refused(
            text,
            &expect![[r#"
                line 3, column 11: U: `I` is no type with fields: name types only
                line 3, column 19: U: `T` is a member twice: remove one
                line 3, column 23: U: `String` is no type with fields: name types only
                line 3, column 32: U: the type `None` is not defined: define it or remove it
                line 3, column 39: U: `E` is no type with fields: name types only
                line 4, column 12: E: `A` is a value twice: remove one
                line 5, column 11: J.as: the name is reserved: rename it
                line 5, column 26: J.c: `T` is no input type: define an `input` for it
                line 5, column 26: J.c: `c` is declared twice: remove one
            "#]],
        );
    }
}
