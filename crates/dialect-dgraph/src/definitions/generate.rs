//! `@generate`: the operations of a type that the API has.

use graphql::definitions::Literal;
use graphql::definitions::problem::{At, Problems};

use super::directives::{Applied, Known, boolean, find_argument};
use crate::model::Generate;

const QUERIES: &[&str] = &["get", "query", "password", "aggregate"];
const MUTATIONS: &[&str] = &["add", "update", "delete"];

/// The operations of a type, and whether it has subscriptions. Without the directive it has all
/// operations.
pub(super) fn read(at: At<'_>, applied: &Applied<'_>, problems: &mut Problems) -> (Generate, bool) {
    let mut generate = Generate {
        get: true,
        query: true,
        password: true,
        aggregate: true,
        add: true,
        update: true,
        delete: true,
    };
    let Some(directive) = applied.find(Known::Generate) else { return (generate, false) };
    for (name, members) in [("query", QUERIES), ("mutation", MUTATIONS)] {
        let Some(argument) = find_argument(directive, name) else { continue };
        let at = at.argument(argument);
        let written = match &argument.value {
            Literal::Null => continue,
            Literal::Object(written) => written,
            _ => {
                let message = format!(
                    "`{name}` of `@generate` is no object: write `{name}: {{{}: false}}`",
                    members[0]
                );
                problems.refuse(at, message);
                continue;
            }
        };
        for (member, value) in written {
            let place = match &**member {
                member if !members.contains(&member) => {
                    let message = format!(
                        "`{name}` of `@generate` has no member `{member}`: use {}",
                        graphql::definitions::problem::alternatives(members)
                    );
                    problems.refuse(at, message);
                    continue;
                }
                "get" => &mut generate.get,
                "query" => &mut generate.query,
                "password" => &mut generate.password,
                "aggregate" => &mut generate.aggregate,
                "add" => &mut generate.add,
                "update" => &mut generate.update,
                _ => &mut generate.delete,
            };
            match value {
                Literal::Boolean(value) => *place = *value,
                Literal::Null => {}
                _ => {
                    let message =
                        format!("`{member}` of `@generate` is no boolean: write true or false");
                    problems.refuse(at, message);
                }
            }
        }
    }
    let has_subscription = boolean(at, directive, "subscription", problems) == Some(true);
    (generate, has_subscription)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    #[test]
    fn operations_are_generated_unless_omitted() {
        let text = "type A { b: Int }\n\
                    type C @generate(query: {get: false, aggregate: false}, mutation: {add: false},\n\
                    subscription: true) { d: Int }\n\
                    type E @withSubscription { f: Int }";
        let generate = |model: &crate::model::Model| {
            let types = model.types.iter();
            types.map(|one| (one.generate, one.has_subscription)).collect::<Vec<_>>()
        };
        check(
            text,
            generate,
            &expect![[r#"
            [
                (
                    Generate {
                        get: true,
                        query: true,
                        password: true,
                        aggregate: true,
                        add: true,
                        update: true,
                        delete: true,
                    },
                    false,
                ),
                (
                    Generate {
                        get: false,
                        query: true,
                        password: true,
                        aggregate: false,
                        add: false,
                        update: true,
                        delete: true,
                    },
                    true,
                ),
                (
                    Generate {
                        get: true,
                        query: true,
                        password: true,
                        aggregate: true,
                        add: true,
                        update: true,
                        delete: true,
                    },
                    true,
                ),
            ]
        "#]],
        );
    }

    #[test]
    fn operations_are_omitted_by_booleans() {
        let text = "type A @generate(query: {get: 1, add: false}, mutation: [], subscription: yes) {\n\
                    b: Int }";
        refused(
            text,
            &expect![[r#"
            line 1, column 18: A: `get` of `@generate` is no boolean: write true or false
            line 1, column 18: A: `query` of `@generate` has no member `add`: use get, query, password or aggregate
            line 1, column 47: A: `mutation` of `@generate` is no object: write `mutation: {add: false}`
            line 1, column 61: A: `subscription` of `@generate` is no boolean: write true or false
        "#]],
        );
    }
}
