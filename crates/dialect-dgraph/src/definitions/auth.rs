//! `@auth`: rules of a type for each operation.
//!
//! A type has its own rules and those of its interfaces: both must pass.

mod claim;

use std::slice::Iter;

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{Directive, Literal, parse_operations};
use graphql::operation::OperationKind;

use super::declared::DeclaredType;
use super::directives::{Known, find_argument};
use super::empty_arguments;
use crate::model::{Auth, Rule};

/// The rules of each type.
pub(super) fn read(read: &[DeclaredType<'_>], problems: &mut Problems) -> Vec<Auth> {
    let own: Vec<Auth> = read.iter().map(|r#type| of_type(r#type, problems)).collect();
    let merged = read.iter().zip(&own).map(|(r#type, auth)| {
        let interfaces = r#type.implements.iter().filter_map(|index| own.get(index.0));
        interfaces.fold(auth.clone(), merge)
    });
    merged.collect()
}

fn merge(auth: Auth, interface: &Auth) -> Auth {
    let both = |own: Option<Rule>, inherited: &Option<Rule>| match (own, inherited) {
        (Some(own), Some(inherited)) => Some(Rule::And(vec![own, inherited.clone()])),
        (own, inherited) => own.or_else(|| inherited.clone()),
    };
    Auth {
        query: both(auth.query, &interface.query),
        add: both(auth.add, &interface.add),
        update: both(auth.update, &interface.update),
        delete: both(auth.delete, &interface.delete),
        password: both(auth.password, &interface.password),
    }
}

fn of_type(r#type: &DeclaredType<'_>, problems: &mut Problems) -> Auth {
    let Some(directive) = r#type.applied.find(Known::Auth) else { return Auth::default() };
    let name = &*r#type.definition.name;
    let at = At::r#type(r#type.definition);
    let mut rule = |operation| rule_of(at, name, directive, operation, problems);
    Auth {
        password: rule("password"),
        query: rule("query"),
        add: rule("add"),
        update: rule("update"),
        delete: rule("delete"),
    }
}

fn rule_of(
    at: At<'_>,
    name: &str,
    directive: &Directive,
    operation: &str,
    problems: &mut Problems,
) -> Option<Rule> {
    let argument = find_argument(directive, operation)?;
    let mut reader =
        Reader { name, at: at.argument(argument), strings: argument.strings.iter(), problems };
    reader.rule(&argument.value)
}

/// Reader of the rule of one operation.
struct Reader<'a> {
    /// The name of the type.
    name: &'a str,
    at: At<'a>,
    /// Places of the texts that follow.
    strings: Iter<'a, (usize, usize)>,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    /// Recursion is bounded by the parser's limit.
    fn rule(&mut self, written: &Literal) -> Option<Rule> {
        let members = match written {
            Literal::Object(members) => members.as_slice(),
            _ => &[],
        };
        let [(member, value)] = members else {
            self.skip(written);
            self.refuse("a rule has one of `and`, `or`, `not` and `rule`: write exactly one");
            return None;
        };
        match (&**member, value) {
            ("and", value) => self.rules("and", value).map(Rule::And),
            ("or", value) => self.rules("or", value).map(Rule::Or),
            ("not", value) => self.rule(value).map(|rule| Rule::Not(Box::new(rule))),
            ("rule", Literal::String(text)) => self.text(text),
            ("rule", _) => {
                self.skip(value);
                self.refuse("`rule` is no text: write it in quotes");
                None
            }
            _ => {
                self.skip(value);
                let message = format!("a rule has no member `{member}`: use and, or, not or rule");
                self.refuse(&message);
                None
            }
        }
    }

    fn rules(&mut self, member: &str, value: &Literal) -> Option<Vec<Rule>> {
        let items = match value {
            Literal::List(items) => items.as_slice(),
            _ => &[],
        };
        if items.len() < 2 {
            self.refuse(&format!("`{member}` has less than two rules: write a list of rules"));
        }
        // All are read for their mistakes.
        let rules: Vec<Option<Rule>> = items.iter().map(|item| self.rule(item)).collect();
        rules.into_iter().collect()
    }

    fn text(&mut self, text: &str) -> Option<Rule> {
        let place = self.strings.next().copied();
        let at = place.map_or(self.at, |place| self.at.moved(place));
        // As in Dgraph, a query has its keyword.
        let found = match text.trim_start().starts_with('{') {
            true => claim::read(text).map(Rule::Claim),
            false => query(self.name, text, at.place()),
        };
        found.map_err(|message| self.problems.refuse(at, message)).ok()
    }

    /// Passes over the texts of a value that is refused.
    fn skip(&mut self, value: &Literal) {
        match value {
            Literal::String(_) => {
                self.strings.next();
            }
            Literal::List(items) => items.iter().for_each(|item| self.skip(item)),
            Literal::Object(members) => members.iter().for_each(|(_, value)| self.skip(value)),
            Literal::Null
            | Literal::Boolean(_)
            | Literal::Int(_)
            | Literal::Float(_)
            | Literal::Enum(_) => {}
        }
    }

    fn refuse(&mut self, message: &str) {
        self.problems.refuse(self.at, message);
    }
}

/// A rule that is a query of the type.
fn query(name: &str, text: &str, place: (usize, usize)) -> Result<Rule, String> {
    let text = empty_arguments::blank(text);
    let operations = parse_operations(&text).map_err(|error| {
        format!("the rule is malformed: {}: correct it", error.message.trim_end())
    })?;
    let example = format!("write `query {{ query{name} {{ __typename }} }}`");
    let [operation] = operations.as_slice() else {
        return Err(format!("the rule has {} operations: {example}", operations.len()));
    };
    if operation.kind != OperationKind::Query {
        return Err(format!("the rule is no query: {example}"));
    }
    match operation.fields.as_slice() {
        [Some(field)] if *field.name == *format!("query{name}") => {
            Ok(Rule::Query { document: text.into(), place })
        }
        _ => Err(format!("the rule has another field than `query{name}`: {example}")),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};
    use crate::model::Model;

    fn rules(model: &Model) -> Vec<String> {
        let types = model.types.iter();
        types.map(|one| format!("{} {:?} {:?}", one.name, one.auth.query, one.auth.add)).collect()
    }

    #[test]
    fn rules_are_trees_of_claims_and_queries() {
        let text = "type A @auth(\n query: { or: [{ rule: \"{$ROLE: {eq: \\\"ADMIN\\\"}}\" },\n\
                    { not: { rule: \"\"\"\nquery($U: String!) { queryA(filter: {b: {eq: $U}}) { b } }\n\"\"\" } }]},\n\
                    add: { rule: \"query { queryA { b } }\" }) { b: String @search(by: [hash]) }";
        check(
            text,
            rules,
            &expect![[r#"
                [
                    "A Some(Or([Claim(ClaimRule { claim: \"ROLE\", condition: Equal(Text(\"ADMIN\")) }), Not(Query { document: \"query($U: String!) { queryA(filter: {b: {eq: $U}}) { b } }\", place: (3, 16) })])) Some(Query { document: \"query { queryA { b } }\", place: (6, 14) })",
                ]
            "#]],
        );
    }

    #[test]
    fn types_have_the_rules_of_their_interfaces() {
        let text = "interface I @auth(query: {rule: \"{$A: {eq: 1}}\"}, add: {rule: \"{$B: {eq: true}}\"}) { a: Int }\n\
                    type T implements I @auth(query: {rule: \"{$C: {eq: 2.5}}\"}) { b: Int }";
        check(
            text,
            rules,
            &expect![[r#"
            [
                "I Some(Claim(ClaimRule { claim: \"A\", condition: Equal(Integer(1)) })) Some(Claim(ClaimRule { claim: \"B\", condition: Equal(Boolean(true)) }))",
                "T Some(And([Claim(ClaimRule { claim: \"C\", condition: Equal(Float(2.5)) }), Claim(ClaimRule { claim: \"A\", condition: Equal(Integer(1)) })])) Some(Claim(ClaimRule { claim: \"B\", condition: Equal(Boolean(true)) }))",
            ]
        "#]],
        );
    }

    #[test]
    fn malformed_rules_are_refused() {
        for (rule, expected) in [
            (
                "{}",
                &expect![[r#"
                line 2, column 2: A: a rule has one of `and`, `or`, `not` and `rule`: write exactly one
            "#]],
            ),
            (
                "{ xyz: \"\" }",
                &expect![[r#"
                line 2, column 2: A: a rule has no member `xyz`: use and, or, not or rule
            "#]],
            ),
            (
                "{ rule: \"\" }",
                &expect![[r#"
                line 2, column 17: A: the rule has 0 operations: write `query { queryA { __typename } }`
            "#]],
            ),
            (
                "{ rule: \"query { \" }",
                &expect![[r#"
                    line 2, column 17: A: the rule is malformed: syntax error: expected at least one Selection in Selection Set: correct it
                "#]],
            ),
            (
                "{ rule: \"mutation { queryA { b } }\" }",
                &expect![[r#"
                line 2, column 17: A: the rule is no query: write `query { queryA { __typename } }`
            "#]],
            ),
            (
                "{ rule: \"query { queryB { b } }\" }",
                &expect![[r#"
                line 2, column 17: A: the rule has another field than `queryA`: write `query { queryA { __typename } }`
            "#]],
            ),
            (
                "{ rule: \"{ queryA { b } }\" }",
                &expect![[r#"
                line 2, column 17: A: the rule is no condition on a claim: write it as `{$ROLE: {eq: "ADMIN"}}`
            "#]],
            ),
            (
                "{ rule: 1 }",
                &expect![[r#"
                line 2, column 2: A: `rule` is no text: write it in quotes
            "#]],
            ),
            (
                "{ or: [{ rule: \"{$A: {eq: 1}}\" }] }",
                &expect![[r#"
                line 2, column 2: A: `or` has less than two rules: write a list of rules
            "#]],
            ),
            (
                "{ and: [null, { rule: \"{$A: {is: 1}}\" }] }",
                &expect![[r#"
                line 2, column 2: A: a rule has one of `and`, `or`, `not` and `rule`: write exactly one
                line 2, column 31: A: a claim is not compared by `is`: use eq, in or regexp
            "#]],
            ),
            (
                "{ rule: \"{$A: {eq: 1}}\", not: { rule: \"{$A: {eq: 1}}\" } }",
                &expect![[r#"
                line 2, column 2: A: a rule has one of `and`, `or`, `not` and `rule`: write exactly one
            "#]],
            ),
        ] {
            refused(&format!("type A @auth(\n query: {rule}) {{ b: Int }}"), expected);
        }
    }
}
