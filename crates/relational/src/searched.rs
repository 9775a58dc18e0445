//! Conditions that search texts: see [`search`](super::search).

use catalog::{FieldId, Scalar, Type};
use ir::{Operand, TextMatch};
use source::CompileError;
use sql::flavor::{
    ALL_STEMS, ALL_TERMS, ANY_STEM, ANY_STEM_SEQUENCE, ANY_TERM, RE2, STEM_SEQUENCES, STEMS, TERMS,
};
use sql::{
    Alias, Call, CallArgument, Column, Expression, FromItem, Identifier, InTextIndex, Select,
    SqlType, TableName, WordIndexes,
};

use super::compile::Compiler;
use super::filter::{cast, function};
use super::level::ParameterSource;
use super::row_set::Scope;
use super::search::candidates;
use super::statement::Statement;
use super::value::ParameterKind;

/// The column of the elements of a list.
const ELEMENT: &str = "value";

impl Compiler<'_> {
    /// Whether the text of a field, or any text of a list, passes a search.
    pub(super) fn searched(
        &self,
        (field, value): (FieldId, Expression),
        r#match: TextMatch,
        operand: &Operand,
        scope: &Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let source = ParameterSource::Operand(operand.clone());
        let calls = self.flavor.definitions.words == WordIndexes::VirtualTables;
        let search = (r#match, source);
        let r#type = self.catalog.base_type(&self.catalog[field].r#type);
        let is_list = match r#type {
            Type::List(_) => true,
            Type::Scalar(Scalar::Json | Scalar::Jsonb) => !self.flavor.definitions.arrays,
            _ => false,
        };
        if is_list {
            let alias = statement.alias();
            let (name, column) = match calls {
                true => ("json_each", None),
                false => ("unnest", Some(Identifier(ELEMENT.into()))),
            };
            let function = TableName { schema: None, name: Identifier(name.into()) };
            let call = call(function, value);
            let mut select =
                Select::from(FromItem::Function { call, unnest: false, alias, column });
            let element = Expression::named(alias, ELEMENT);
            select.and_where(match calls {
                true => passes_call(search, element, statement)?,
                false => self.passes_arrays(field, search, element, statement)?,
            });
            return Ok(Expression::Exists(Box::new(select)));
        }
        if !calls {
            // Texts without regard to case have operators of their own.
            let text = match r#type {
                Type::Scalar(Scalar::Text) => value,
                _ => cast(value, SqlType::Text),
            };
            return self.passes_arrays(field, search, text, statement);
        }
        let alias = match &value {
            Expression::Column { alias, column: Column::Named(_) } if !scope.guards.made => {
                Some(*alias)
            }
            _ => None,
        };
        let candidate =
            alias.and_then(|alias| self.candidate((alias, field), search.clone(), statement));
        let passes = passes_call(search, value, statement)?;
        Ok(Expression::all(candidate.into_iter().chain([passes]).collect()))
    }

    /// Whether a row is among those that an index returns for a search.
    fn candidate(
        &self,
        (alias, field): (Alias, FieldId),
        (r#match, source): (TextMatch, ParameterSource),
        statement: &mut Statement,
    ) -> Option<Expression> {
        let entity = &self.catalog[self.catalog[field].entity];
        let mut serving = entity
            .text_indexes()
            .iter()
            .filter(|index| index.field == field && candidates::serves(index.kind, r#match));
        let (index, number) = serving.find_map(|index| Some((index, index.row_number?)))?;
        let kind = ParameterKind::Candidates { r#match, index: index.kind };
        let name = Identifier(index.name.clone());
        Some(Expression::InTextIndex(Box::new(InTextIndex {
            number: self.field(alias, number),
            index: TableName { schema: None, name },
            query: statement.parameter(source, kind),
            content: self.table_name(entity.id),
            key: Identifier(self.catalog[number].name.clone()),
        })))
    }

    /// A comparison with the arrays that functions of the database return, or with an expression; indexes
    /// serve both.
    fn passes_arrays(
        &self,
        field: FieldId,
        (r#match, source): (TextMatch, ParameterSource),
        text: Expression,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let mut compared = |left, comparison, kind| Expression::Compare {
            left: Box::new(left),
            comparison,
            right: Box::new(Expression::Parameter(statement.parameter(source.clone(), kind))),
        };
        let words = |name, text| Expression::Call(call(self.own_object(field, name), text));
        let search = ParameterKind::Search(r#match);
        let (contains, overlaps) = (sql::Comparison::Contains, sql::Comparison::Overlaps);
        Ok(match r#match {
            TextMatch::AllTerms => compared(words(TERMS, text), contains, search),
            TextMatch::AnyTerm => compared(words(TERMS, text), overlaps, search),
            TextMatch::AllStems => compared(words(STEMS, text), contains, search),
            TextMatch::AnyStem => compared(words(STEMS, text), overlaps, search),
            TextMatch::AnyStemSequence => {
                let index = catalog::TextIndexKind::Stems;
                let first = ParameterKind::Candidates { r#match, index };
                Expression::all(vec![
                    compared(words(STEMS, text.clone()), overlaps, first),
                    compared(words(STEM_SEQUENCES, text), overlaps, search),
                ])
            }
            TextMatch::Re2 => compared(text, sql::Comparison::MatchesRegex, search),
            _ => return Err(CompileError::not_built("this text filter")),
        })
    }
}

/// A call of a function of the source, which has the parsed operand for all rows.
fn passes_call(
    (r#match, source): (TextMatch, ParameterSource),
    text: Expression,
    statement: &mut Statement,
) -> Result<Expression, CompileError> {
    let name = match r#match {
        TextMatch::AllTerms => ALL_TERMS,
        TextMatch::AnyTerm => ANY_TERM,
        TextMatch::AllStems => ALL_STEMS,
        TextMatch::AnyStem => ANY_STEM,
        TextMatch::AnyStemSequence => ANY_STEM_SEQUENCE,
        TextMatch::Re2 => RE2,
        _ => return Err(CompileError::not_built("this text filter")),
    };
    let operand = statement.parameter(source, ParameterKind::Search(r#match));
    Ok(function(name, [text, Expression::Parameter(operand)]))
}

fn call(function: TableName, value: Expression) -> Call {
    Call { function, arguments: vec![CallArgument { name: None, value }] }
}

#[cfg(test)]
mod tests {
    use catalog::builder::NewField;
    use catalog::{
        Builder, Capabilities, Catalog, EntityKind, Scalar, TextIndex, TextIndexKind, Type,
    };
    use expect_test::{Expect, expect};
    use ir::{Case, TextMatch, ValueRef};
    use sql::Flavor;

    use crate::{Strategy, compile};

    /// Notes with a text that has all indexes, and with lists of texts.
    fn catalog(list: Type) -> Catalog {
        let mut builder = Builder::new(Capabilities::default());
        let note = builder.entity(None, "note".into(), EntityKind::Table, None);
        let mut field = |name: &str, r#type| {
            builder.field(
                note,
                NewField {
                    name: name.into(),
                    r#type,
                    nullable: true,
                    has_default: false,
                    generated: None,
                    description: None,
                },
            )
        };
        let id = field("id", Type::Scalar(Scalar::Int64));
        let body = field("body", Type::Scalar(Scalar::Text));
        field("tags", list);
        for (name, kind) in [
            ("words", TextIndexKind::Terms),
            ("stems", TextIndexKind::Stems),
            ("trigrams", TextIndexKind::Trigrams),
        ] {
            let row_number = Some(id);
            builder
                .text_index(note, TextIndex { name: name.into(), field: body, kind, row_number });
        }
        builder.finish()
    }

    fn check(field: &str, r#match: TextMatch, postgres: &Expect, sqlite: &Expect) {
        let text = Type::Scalar(Scalar::Text);
        let lists = [Type::List(Box::new(text)), Type::Scalar(Scalar::Json)];
        let flavors = [(Flavor::POSTGRES, postgres), (Flavor::SQLITE, sqlite)];
        for (list, (flavor, expect)) in lists.into_iter().zip(flavors) {
            let catalog = catalog(list);
            let entity = catalog.find_entity(None, "note").unwrap().id;
            let place = ValueRef::field(catalog.find_field(entity, field).unwrap().id);
            let operand = ir::Operand::Variable { slot: ir::Slot(0), path: Vec::new() };
            let rows = ir::Rows::unordered(
                ir::RowsId(0),
                ir::From::Entity(entity),
                ir::Filter::Text { place, r#match, case: Case::AsTyped, operand },
                Vec::new(),
            );
            let read = ir::Step::new(ir::StepId(0), 0, ir::StepKind::Read(rows));
            let isolation = ir::Isolation::Snapshot;
            let transactions = vec![ir::Transaction { isolation, steps: vec![read] }];
            let request = ir::Request { transactions, rows: 1, ..ir::Request::default() };
            let program = compile(&catalog, &request, flavor, Strategy::Nested).unwrap();
            let text = program.levels[0].text.to_string();
            expect.assert_eq(text.split_once(" WHERE ").unwrap().1);
        }
    }

    #[test]
    fn a_text_is_searched_by_its_indexes() {
        check(
            "body",
            TextMatch::AllTerms,
            &expect![[r#""thalweg"."terms"(t0."body") @> $1"#]],
            &expect![[
                r#"t0."id" IN (SELECT rowid FROM "words" WHERE "words" MATCH coalesce(?1, '""') UNION ALL SELECT "id" FROM "note" WHERE ?1 IS NULL) AND "thalweg_all_terms"(t0."body", ?2)"#
            ]],
        );
        check(
            "body",
            TextMatch::AnyStem,
            &expect![[r#""thalweg"."stems"(t0."body") && $1"#]],
            &expect![[
                r#"t0."id" IN (SELECT rowid FROM "stems" WHERE "stems" MATCH coalesce(?1, '""') UNION ALL SELECT "id" FROM "note" WHERE ?1 IS NULL) AND "thalweg_any_stem"(t0."body", ?2)"#
            ]],
        );
        check(
            "body",
            TextMatch::AnyStemSequence,
            &expect![[
                r#""thalweg"."stems"(t0."body") && $1 AND "thalweg"."stem_sequences"(t0."body") && $2"#
            ]],
            &expect![[
                r#"t0."id" IN (SELECT rowid FROM "stems" WHERE "stems" MATCH coalesce(?1, '""') UNION ALL SELECT "id" FROM "note" WHERE ?1 IS NULL) AND "thalweg_any_stem_sequence"(t0."body", ?2)"#
            ]],
        );
        check(
            "body",
            TextMatch::Re2,
            &expect![[r#"t0."body" ~ $1"#]],
            &expect![[
                r#"t0."id" IN (SELECT rowid FROM "trigrams" WHERE "trigrams" MATCH coalesce(?1, '""') UNION ALL SELECT "id" FROM "note" WHERE ?1 IS NULL) AND "thalweg_re2"(t0."body", ?2)"#
            ]],
        );
    }

    #[test]
    fn any_element_of_a_list_matches() {
        check(
            "tags",
            TextMatch::AnyTerm,
            &expect![[
                r#"EXISTS (SELECT 1 FROM "unnest"(t0."tags") AS t1("value") WHERE "thalweg"."terms"(t1."value") && $1)"#
            ]],
            &expect![[
                r#"EXISTS (SELECT 1 FROM "json_each"(t0."tags") AS t1 WHERE "thalweg_any_term"(t1."value", ?1))"#
            ]],
        );
        check(
            "tags",
            TextMatch::Re2,
            &expect![[
                r#"EXISTS (SELECT 1 FROM "unnest"(t0."tags") AS t1("value") WHERE t1."value" ~ $1)"#
            ]],
            &expect![[
                r#"EXISTS (SELECT 1 FROM "json_each"(t0."tags") AS t1 WHERE "thalweg_re2"(t1."value", ?1))"#
            ]],
        );
    }
}
