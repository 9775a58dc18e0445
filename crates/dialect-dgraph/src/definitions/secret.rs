//! `@secret`: the password of a type.

use graphql::definitions::problem::{At, Problems};

use super::declared::DeclaredType;
use super::directives::{Known, find_argument, require_text};
use crate::model::{Secret, TypeIndex};

/// The secret of each type, its own or of an interface.
pub(super) fn read(read: &[DeclaredType<'_>], problems: &mut Problems) -> Vec<Option<Secret>> {
    let own: Vec<Option<Secret>> = read.iter().map(|r#type| of_type(r#type, problems)).collect();
    let mut secrets = own.clone();
    for (idx, r#type) in read.iter().enumerate() {
        let at = At::r#type(r#type.definition);
        for index in &r#type.implements {
            let Some(Some(inherited)) = own.get(index.0) else { continue };
            match &secrets[idx] {
                Some(secret) => {
                    let message = format!(
                        "it has the secret `{}` already, and inherits `{}` of `{}`: keep one",
                        secret.field, inherited.field, read[index.0].definition.name
                    );
                    problems.refuse(at, message);
                }
                None => secrets[idx] = Some(inherit(inherited, *index)),
            }
        }
        let secret = secrets[idx].as_ref();
        let same = r#type
            .fields
            .iter()
            .find(|field| secret.is_some_and(|secret| *secret.field == *field.name()));
        if let Some(field) = same {
            let message = "the secret of the type has the same name: rename one of both";
            problems.refuse(field.at(at), message);
        }
    }
    secrets
}

fn of_type(r#type: &DeclaredType<'_>, problems: &mut Problems) -> Option<Secret> {
    let directive = r#type.applied.find(Known::Secret)?;
    let at = At::r#type(r#type.definition);
    let example = "@secret(field: \"password\")";
    let field: Box<str> = require_text(at, directive, "field", example, problems)?.into();
    let stored_name = match find_argument(directive, "pred") {
        Some(_) => {
            let example = "@secret(field: \"password\", pred: \"Type.password\")";
            require_text(at, directive, "pred", example, problems)?.into()
        }
        None => field.clone(),
    };
    Some(Secret { field, stored_name, inherited: None })
}

fn inherit(secret: &Secret, interface: TypeIndex) -> Secret {
    Secret { inherited: Some(interface), ..secret.clone() }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    #[test]
    fn types_inherit_secrets() {
        let text = "interface I @secret(field: \"p\", pred: \"I.q\") { a: Int }\n\
                    type T implements I { b: Int }\ntype U @secret(field: \"p\") { c: Int }";
        let secrets = |model: &crate::model::Model| {
            model.types.iter().map(|one| one.secret.clone()).collect::<Vec<_>>()
        };
        check(
            text,
            secrets,
            &expect![[r#"
            [
                Some(
                    Secret {
                        field: "p",
                        stored_name: "I.q",
                        inherited: None,
                    },
                ),
                Some(
                    Secret {
                        field: "p",
                        stored_name: "I.q",
                        inherited: Some(
                            TypeIndex(
                                0,
                            ),
                        ),
                    },
                ),
                Some(
                    Secret {
                        field: "p",
                        stored_name: "p",
                        inherited: None,
                    },
                ),
            ]
        "#]],
        );
    }

    #[test]
    fn a_type_has_one_secret_with_a_name_of_its_own() {
        let text = "interface I @secret(field: \"p\") { a: Int }\n\
                    type T implements I @secret(field: \"q\") { b: Int }\n\
                    type U @secret(field: \"\") { c: Int }\ntype V @secret(field: \"d\") { d: Int }\n\
                    type W @secret(field: \"e\") @secret(field: \"f\") { g: Int }\n\
                    type X implements I { p: Int }\ntype Y @secret { h: Int }";
        refused(
            text,
            &expect![[r#"
            line 2, column 6: T: it has the secret `q` already, and inherits `p` of `I`: keep one
            line 3, column 9: U: the argument `field` of `@secret` is empty: write `@secret(field: "password")`
            line 4, column 30: V.d: the secret of the type has the same name: rename one of both
            line 5, column 29: W: `@secret` is applied twice: keep one of both
            line 6, column 23: X.p: the secret of the type has the same name: rename one of both
            line 7, column 9: Y: `@secret` has no argument `field`: write `@secret(field: "password")`
        "#]],
        );
    }
}
