//! Conditions of permissions on aggregates of related rows.

use catalog::{FieldId, Scalar};
use hasura_metadata::types::expression::{
    Comparison, Condition, FieldCondition, FieldTest, Operand,
};
use hasura_metadata::{Json, Location, Problem};
use ir::{AggregateFunction, Filter, Hop, ValueRef};

use super::comparison::Compared;
use super::expression::{Expressions, Rows};
use super::tables::{Tables, problem};
use crate::schema::aggregate_conditions::{accepts, find_function};
use crate::values::values;

/// The parts of a condition on one aggregate.
#[derive(Debug)]
struct Parts<'m> {
    columns: Vec<FieldId>,
    distinct: bool,
    filter: Filter,
    predicate: Option<&'m [Comparison]>,
}

impl Expressions<'_> {
    /// `{count: {arguments: […], distinct: …, predicate: …, filter: …}}` on the rows of an array
    /// relationship, and the like of other functions.
    pub(super) fn aggregate(&mut self, hop: Hop, rows: Rows, condition: &FieldCondition) -> Filter {
        let FieldTest::Related(aggregates) = &condition.test else {
            return self
                .fail(&condition.place, "An object with the name of an aggregate is wanted.");
        };
        let mut all = Vec::new();
        for aggregate in &aggregates.conditions {
            let Condition::Field(aggregate) = aggregate else {
                return self.fail(&aggregates.place, "The name of an aggregate is wanted.");
            };
            let FieldCondition { place, name, test } = aggregate;
            let FieldTest::Related(parts) = test else {
                return self.fail(place, "An object with the key `predicate` is wanted.");
            };
            let Some(parts) = self.parts(rows, &parts.conditions, place) else {
                return Filter::none();
            };
            let Some(predicate) = parts.predicate else {
                return self.fail(place, format!("`{name}` needs the key `predicate`."));
            };
            let value = self.aggregated(name, &parts, place);
            let Some(value) = self.keep(value) else { return Filter::none() };
            let having = predicate.iter().map(|comparison| {
                let filter = value.comparison(comparison);
                self.keep(filter).unwrap_or_else(Filter::none)
            });
            let having = Box::new(Filter::and(having.collect()));
            let filter = Box::new(parts.filter);
            all.push(Filter::RelatedGroup { hop, filter, having, once: false });
        }
        Filter::and(all)
    }

    fn parts<'m>(
        &mut self,
        rows: Rows,
        conditions: &'m [Condition],
        place: &Location,
    ) -> Option<Parts<'m>> {
        let (columns, filter) = (Vec::new(), Filter::all());
        let mut parts = Parts { columns, distinct: false, filter, predicate: None };
        for condition in conditions {
            let Condition::Field(FieldCondition { place, name, test }) = condition else {
                self.fail(place, "The keys are `arguments`, `distinct`, `filter` and `predicate`.");
                return None;
            };
            match (&**name, test) {
                ("filter", FieldTest::Related(own)) => parts.filter = self.all(rows, own),
                ("filter" | "predicate", FieldTest::Empty) => {}
                ("predicate", FieldTest::Comparisons(comparisons)) => {
                    parts.predicate = Some(comparisons);
                }
                ("distinct", FieldTest::Equals(Operand::Literal(Json::Bool(distinct)))) => {
                    parts.distinct = *distinct;
                }
                ("arguments", test) => {
                    let columns = self.columns(rows, test, place);
                    parts.columns = self.keep(columns)?;
                }
                _ => {
                    let message = format!(
                        "`{name}` is not what is wanted here: the keys are `arguments`, `distinct`, \
                         `filter` and `predicate`."
                    );
                    self.fail(place, message);
                    return None;
                }
            }
        }
        Some(parts)
    }

    /// The columns of a list, one by its name, or two as `X` and `Y`.
    fn columns(
        &self,
        rows: Rows,
        test: &FieldTest,
        place: &Location,
    ) -> Result<Vec<FieldId>, Problem> {
        let wrong = || problem(place, "The name of a column is wanted, or a list of such.");
        let text = |json: &Json| match json {
            Json::String(text) => Ok(text.clone()),
            _ => Err(wrong()),
        };
        let names = match test {
            FieldTest::Equals(Operand::Literal(Json::Array(items))) => {
                items.iter().map(text).collect::<Result<Vec<_>, _>>()?
            }
            FieldTest::Equals(Operand::Literal(json)) => vec![text(json)?],
            // Sorted by their keys.
            FieldTest::Related(pair) => {
                let name = |condition: &Condition| match condition {
                    Condition::Field(FieldCondition { name, test, .. }) => match test {
                        FieldTest::Equals(Operand::Literal(json))
                            if matches!(&**name, "X" | "Y") =>
                        {
                            text(json)
                        }
                        _ => Err(wrong()),
                    },
                    _ => Err(wrong()),
                };
                pair.conditions.iter().map(name).collect::<Result<Vec<_>, _>>()?
            }
            FieldTest::Empty | FieldTest::Equals(_) | FieldTest::Comparisons(_) => {
                return Err(wrong());
            }
        };
        let columns = names.iter().map(|name| {
            let field = Tables::require_column(self.catalog, rows.entity, name, place)?;
            Ok(field.id)
        });
        columns.collect()
    }

    /// The aggregate that is compared.
    fn aggregated<'m>(
        &self,
        name: &'m str,
        parts: &Parts<'_>,
        place: &Location,
    ) -> Result<Compared<'m>, Problem>
    where
        Self: 'm,
    {
        let Parts { columns, distinct, .. } = parts;
        let aggregated =
            |function, place| ValueRef::Aggregated { function, place: Box::new(place) };
        if name == "count" {
            let value = match (&columns[..], distinct) {
                ([column], false) => aggregated(AggregateFunction::Count, ValueRef::field(*column)),
                ([column], true) => {
                    aggregated(AggregateFunction::DistinctCount, ValueRef::field(*column))
                }
                // The row of several columns is never null.
                ([], _) | (_, false) => ValueRef::Counted { distinct: false },
                (several, true) => {
                    let together = ValueRef::Together(several.to_vec());
                    aggregated(AggregateFunction::DistinctCount, together)
                }
            };
            return Ok(Compared::of(self.catalog, name, value, Scalar::Int64));
        }
        let Some(function) = find_function(self.catalog, name) else {
            return Err(problem(
                place,
                format!("There is no aggregate `{name}` in this database."),
            ));
        };
        let scalar = function.scalar(self.catalog).unwrap_or_default();
        for column in columns {
            let field = &self.catalog[*column];
            if !accepts(scalar, &values(self.catalog, &field.r#type)) {
                let message = format!("`{name}` takes columns of the type `{scalar}` only.");
                return Err(problem(place, message));
            }
        }
        let of = match (&columns[..], function.is_of_pairs()) {
            ([column], false) => ValueRef::field(*column),
            ([_, _], true) => ValueRef::Together(columns.clone()),
            (_, is_of_pairs) => {
                let wanted = if is_of_pairs { "two columns, `X` and `Y`" } else { "one column" };
                return Err(problem(place, format!("`{name}` needs `arguments`: {wanted}.")));
            }
        };
        let of = if *distinct { ValueRef::Distinct(Box::new(of)) } else { of };
        let value = aggregated(function.function, of);
        let compared = match scalar {
            "Boolean" => Scalar::Boolean,
            _ => Scalar::Float64,
        };
        Ok(Compared::of(self.catalog, name, value, compared))
    }
}
