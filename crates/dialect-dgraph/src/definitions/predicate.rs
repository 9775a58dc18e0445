//! `@dgraph(pred:)`: the stored name of a field, and language tags.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{FieldDefinition, Literal};

use super::directives::{Applied, Known, find_argument, require_text};
use super::reserved::is_keyword;
use crate::language_tags;
use crate::model::{Base, FieldType, Scalar};

/// The stored name of a field; without `@dgraph` it is its own.
pub(super) fn read(
    at: At<'_>,
    r#type: FieldType,
    definition: &FieldDefinition,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Box<str> {
    let own: Box<str> = (&*definition.name).into();
    let Some(directive) = applied.find(Known::Dgraph) else { return own };
    if r#type.base == Base::Scalar(Scalar::Id) {
        let message = "`@dgraph` does not apply to ID: remove it";
        problems.refuse(at.directive(directive), message);
        return own;
    }
    let example = "@dgraph(pred: \"name\")";
    let Some(written) = require_text(at, directive, "pred", example, problems) else { return own };
    let at = at.directive(directive);
    if is_keyword(written) {
        problems.refuse(at, format!("the predicate `{written}` is reserved: choose another one"));
        return own;
    }
    let name = unquoted(written);
    if let Some((_, tags)) = language_tags::split(name) {
        check_tags(at, r#type, tags, applied, problems);
    }
    name.into()
}

/// The written predicate of a field, without angle brackets.
pub(super) fn written<'d>(applied: &Applied<'d>) -> Option<&'d str> {
    let argument = find_argument(applied.find(Known::Dgraph)?, "pred")?;
    match &argument.value {
        Literal::String(text) if !text.is_empty() => Some(unquoted(text)),
        _ => None,
    }
}

/// A predicate without the angle brackets in which DQL quotes names.
fn unquoted(predicate: &str) -> &str {
    let inner = predicate.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    inner.unwrap_or(predicate)
}

fn check_tags(
    at: At<'_>,
    r#type: FieldType,
    tags: &str,
    applied: &Applied<'_>,
    problems: &mut Problems,
) {
    if r#type.base != Base::Scalar(Scalar::String) {
        problems.refuse(at, "a language tag applies to String: give it this type");
    } else if applied.has(Known::Id) {
        problems.refuse(at, "`@id` does not apply with a language tag: remove one of both");
    } else if applied.has(Known::Search) && tags.contains(':') {
        problems.refuse(at, "`@search` applies to one language: remove it, or the other languages");
    }
    if tags == "*" || tags.is_empty() || tags.contains('@') {
        problems.refuse(at, "the language tag is malformed: write it as in \"Person.name@en\"");
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    #[test]
    fn stored_names_are_predicates() {
        let text = "type A { a: String b: String @dgraph(pred: \"A.c\") d: String @dgraph(pred: \"<é>\")\n\
                    e: String @dgraph(pred: \"A.a@en\") }";
        let names = |model: &crate::model::Model| {
            let fields = model.types[0].fields.iter();
            fields.map(|field| field.stored_name.clone()).collect::<Vec<_>>()
        };
        check(
            text,
            names,
            &expect![[r#"
            [
                "a",
                "A.c",
                "é",
                "A.a@en",
            ]
        "#]],
        );
    }

    #[test]
    fn malformed_predicates_are_refused() {
        let text = "type A {\n id: ID @dgraph(pred: \"b\")\n c: Int @dgraph\n d: Int @dgraph(pred: 2)\n\
                    e: Int @dgraph(pred: \"\")\n f: Int @dgraph(pred: \"as\")\n\
                    g: Int @dgraph(pred: \"A.a@en\")\n h: String! @id @dgraph(pred: \"A.b@en\")\n\
                    i: String @search @dgraph(pred: \"A.c@en:fr\")\n j: String @dgraph(pred: \"A.d@*\")\n\
                    k: String @dgraph(pred: \"A.e@\")\n l: String @dgraph(pred: \"A.f@en@fr\")\n}";
        refused(
            text,
            &expect![[r#"
            line 2, column 10: A.id: `@dgraph` does not apply to ID: remove it
            line 3, column 10: A.c: `@dgraph` has no argument `pred`: write `@dgraph(pred: "name")`
            line 4, column 10: A.d: the argument `pred` of `@dgraph` is no text: write `@dgraph(pred: "name")`
            line 5, column 9: A.e: the argument `pred` of `@dgraph` is empty: write `@dgraph(pred: "name")`
            line 6, column 10: A.f: the predicate `as` is reserved: choose another one
            line 7, column 9: A.g: a language tag applies to String: give it this type
            line 8, column 18: A.h: `@id` does not apply with a language tag: remove one of both
            line 9, column 20: A.i: `@search` applies to one language: remove it, or the other languages
            line 10, column 13: A.j: the language tag is malformed: write it as in "Person.name@en"
            line 11, column 12: A.k: the language tag is malformed: write it as in "Person.name@en"
            line 12, column 13: A.l: the language tag is malformed: write it as in "Person.name@en"
        "#]],
        );
    }
}
