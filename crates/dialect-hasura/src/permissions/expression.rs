//! Boolean expressions of permissions as filters.
//!
//! A comparison means what the operator of the same name means in a request. A relationship passes if
//! one of the related rows does. Each level of relationships and of `_exists` is one more row around
//! the compared one, which `["$", "column"]` looks through up to the row of the permission.

use catalog::{Argument, Catalog, EntityId, Field, FunctionResult, Scalar, Type};
use hasura_metadata::types::expression::{
    BooleanExpression, ColumnReference, Condition, FieldCondition, FieldTest, Operand,
};
use hasura_metadata::{Location, Problem};
use ir::{Call, Filter, Quantifier, ValueRef};

use super::comparison::Compared;
use super::tables::{Tables, meant, problem};

/// The suffix of an array relationship's aggregates.
const AGGREGATE: &str = "_aggregate";

/// The compiler of expressions; it collects all problems of one.
#[derive(Debug)]
pub(super) struct Expressions<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) tables: &'a Tables<'a>,
    pub(super) problems: Vec<Problem>,
}

/// The rows that an expression is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) entity: EntityId,
    /// The table of the permission.
    root: EntityId,
    /// The rows around these, up to the one of the permission.
    levels: u16,
}

impl Rows {
    fn below(self, entity: EntityId) -> Self {
        Self { entity, levels: self.levels.saturating_add(1), ..self }
    }
}

impl Expressions<'_> {
    /// The filter of an expression on rows of a table. After a problem its part is false.
    pub(super) fn filter(&mut self, entity: EntityId, expression: &BooleanExpression) -> Filter {
        self.all(Rows { entity, root: entity, levels: 0 }, expression)
    }

    pub(super) fn all(&mut self, rows: Rows, expression: &BooleanExpression) -> Filter {
        let conditions = expression.conditions.iter();
        Filter::and(conditions.map(|condition| self.condition(rows, condition)).collect())
    }

    fn condition(&mut self, rows: Rows, condition: &Condition) -> Filter {
        match condition {
            Condition::And(all) => Filter::and(all.iter().map(|one| self.all(rows, one)).collect()),
            Condition::Or(any) => {
                access::condition::any(any.iter().map(|one| self.all(rows, one)).collect())
            }
            Condition::Not(one) => Filter::Not(Box::new(self.all(rows, one))),
            Condition::Exists(exists) => {
                let entity = Tables::require_entity(self.catalog, &exists.table);
                let Some(entity) = self.keep(entity) else { return Filter::none() };
                let filter = Box::new(self.all(rows.below(entity), &exists.r#where));
                Filter::Exists { entity, filter }
            }
            Condition::Field(field) => self.field(rows, field),
        }
    }

    fn field(&mut self, rows: Rows, condition: &FieldCondition) -> Filter {
        let FieldCondition { place, name, test } = condition;
        if let Some(field) = self.catalog.find_field(rows.entity, name) {
            return self.column(rows, field, condition);
        }
        if let Some(relationship) = self.tables.find_relationship(rows.entity, name) {
            let below = rows.below(relationship.target);
            let filter = match test {
                FieldTest::Empty => Filter::all(),
                FieldTest::Related(expression) => self.all(below, expression),
                FieldTest::Equals(_) | FieldTest::Comparisons(_) => {
                    let message = format!("`{name}` is a relationship: it has no value.");
                    return self.fail(place, message);
                }
            };
            let (hop, quantifier) = (relationship.hop, Quantifier::Some);
            return Filter::Relation { hop, quantifier, filter: Box::new(filter) };
        }
        let aggregated = name.strip_suffix(AGGREGATE);
        let aggregated = aggregated.and_then(|of| self.tables.find_relationship(rows.entity, of));
        if let Some(relationship) = aggregated {
            let below = rows.below(relationship.target);
            return self.aggregate(relationship.hop, below, condition);
        }
        let table = self.tables.find(rows.entity);
        if table
            .is_some_and(|table| table.table.computed_fields.iter().any(|own| *own.name == **name))
        {
            return self.computed(rows, condition);
        }
        let columns = self.catalog.fields_of(rows.entity).map(|field| &*field.name);
        let relationships = table.map(|table| &*table.relationships).unwrap_or_default();
        let known = columns.chain(relationships.iter().map(|relationship| relationship.name));
        let message = format!(
            "{} has no column or relationship `{name}`{}.",
            self.catalog.qualified_name(rows.entity),
            meant(name, known)
        );
        self.fail(place, message)
    }

    /// The condition on a computed field.
    fn computed(&mut self, rows: Rows, condition: &FieldCondition) -> Filter {
        let FieldCondition { place, name, test } = condition;
        let function = self.tables.require_computed(self.catalog, rows.entity, name, place);
        let Some(function) = self.keep(function) else { return Filter::none() };
        let table = self.tables.find(rows.entity).map(|table| &*table.table.computed_fields);
        let own = table.unwrap_or_default().iter().find(|own| *own.name == **name);
        let session = own.and_then(|own| own.definition.session_argument.as_deref());
        let is_session =
            |argument: &Argument| session.is_some() && argument.name.as_deref() == session;
        let all = &self.catalog[function].arguments;
        let session = all.iter().position(is_session).and_then(|place| u16::try_from(place).ok());
        if all.len() > 1 + usize::from(session.is_some()) {
            let message = format!(
                "`{name}` is a computed field with arguments: conditions on these are not served \
                 in permissions."
            );
            return self.fail(place, message);
        }
        let arguments = session.map(|place| (place, ir::Operand::Claims)).into_iter().collect();
        let call = Call { function, of_row: Some(Vec::new()), arguments };
        let field = match self.catalog[function].result {
            FunctionResult::Value(field) => &self.catalog[field],
            FunctionResult::Rows(entity) => {
                let filter = match test {
                    FieldTest::Empty => Filter::all(),
                    FieldTest::Related(expression) => self.all(rows.below(entity), expression),
                    FieldTest::Equals(_) | FieldTest::Comparisons(_) => {
                        let message = format!("`{name}` returns rows: it has no value.");
                        return self.fail(place, message);
                    }
                };
                return Filter::FunctionRows { call, filter: Box::new(filter) };
            }
            FunctionResult::Nothing
            | FunctionResult::Values(_)
            | FunctionResult::Row(_)
            | FunctionResult::RowArray(_) => {
                let message = format!("`{name}` returns neither a value nor a set of rows.");
                return self.fail(place, message);
            }
        };
        let value = Compared::new(self.catalog, name, ValueRef::Computed(call), field);
        self.value(&value, condition)
    }

    fn column(&mut self, rows: Rows, field: &Field, condition: &FieldCondition) -> Filter {
        let value = Compared::new(self.catalog, &condition.name, ValueRef::field(field.id), field);
        if let FieldTest::Comparisons(comparisons) = &condition.test {
            let all = comparisons.iter().map(|comparison| {
                let Operand::Column(reference) = &comparison.operand else {
                    return value.comparison(comparison);
                };
                let of_columns = value.columns(comparison)?;
                let right = self.reference(rows, field, reference)?;
                let left = ValueRef::field(field.id);
                Ok(Filter::CompareValues { left, comparison: of_columns, right })
            });
            let all = all.collect::<Vec<_>>();
            let all = all.into_iter().map(|one| self.keep(one).unwrap_or_else(Filter::none));
            return Filter::and(all.collect());
        }
        self.value(&value, condition)
    }

    /// The condition on a value that is no column.
    fn value(&mut self, value: &Compared<'_>, condition: &FieldCondition) -> Filter {
        let FieldCondition { place, name, test } = condition;
        match test {
            FieldTest::Empty => Filter::all(),
            FieldTest::Equals(operand) => {
                let filter = value.equals(operand, place);
                self.keep(filter).unwrap_or_else(Filter::none)
            }
            FieldTest::Comparisons(comparisons) => {
                let all = comparisons.iter().map(|comparison| {
                    let filter = value.comparison(comparison);
                    self.keep(filter).unwrap_or_else(Filter::none)
                });
                Filter::and(all.collect())
            }
            FieldTest::Related(_) => {
                self.fail(place, format!("`{name}` is a value: it leads to no rows."))
            }
        }
    }

    /// The column that another one is compared with.
    fn reference(
        &self,
        rows: Rows,
        field: &Field,
        reference: &ColumnReference,
    ) -> Result<ValueRef, Problem> {
        let ColumnReference { place, is_root, path, .. } = reference;
        let [name] = &path[..] else {
            return Err(problem(
                place,
                "Columns of related rows cannot be compared with: compare within the relationship, \
                 as in `{relationship: {column: {_ceq: [\"$\", \"column\"]}}}`.",
            ));
        };
        let entity = if *is_root { rows.root } else { rows.entity };
        let other = Tables::require_column(self.catalog, entity, name, place)?;
        let types = [&field.r#type, &other.r#type].map(|r#type| self.catalog.base_type(r#type));
        if class(types[0]) != class(types[1]) {
            let message = format!(
                "`{}` and `{name}` have different types, whose values are not compared.",
                field.name
            );
            return Err(problem(place, message));
        }
        Ok(match *is_root && rows.levels > 0 {
            true => ValueRef::Outer { levels: rows.levels, field: other.id },
            false => ValueRef::field(other.id),
        })
    }

    pub(super) fn keep<T>(&mut self, found: Result<T, Problem>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    pub(super) fn fail(&mut self, place: &Location, message: impl Into<String>) -> Filter {
        self.problems.push(problem(place, message));
        Filter::none()
    }
}

/// Types whose values are compared with each other.
fn class(r#type: &Type) -> (u8, Option<&Type>) {
    match r#type {
        Type::Scalar(
            Scalar::Int16
            | Scalar::Int32
            | Scalar::Int64
            | Scalar::Float32
            | Scalar::Float64
            | Scalar::Decimal { .. },
        ) => (0, None),
        Type::Scalar(Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText) => {
            (1, None)
        }
        other => (2, Some(other)),
    }
}
