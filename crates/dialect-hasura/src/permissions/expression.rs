//! Boolean expressions of permissions as filters.
//!
//! A comparison means what the operator of the same name means in a request. A relationship passes if
//! one of the related rows does. Each level of relationships and of `_exists` is one more row around
//! the compared one, which `["$", "column"]` looks through up to the row of the permission.

use catalog::{Catalog, EntityId, Field, Scalar, Type};
use hasura_metadata::types::expression::{
    self, BooleanExpression, ColumnReference, Condition, FieldCondition, FieldTest, Operand,
};
use hasura_metadata::types::operator::Operator;
use hasura_metadata::{Json, Location, Problem};
use ir::{Case, Comparison, Filter, Hop, Quantifier, TextMatch, ValueRef};

use super::operand::ValueType;
use super::tables::{Tables, meant, problem};
use crate::values::{Operators, values};

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
struct Rows {
    entity: EntityId,
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

    fn all(&mut self, rows: Rows, expression: &BooleanExpression) -> Filter {
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
            let message = format!(
                "`{name}` is a computed field: conditions on these are not served. Compare the \
                 columns that it is computed of."
            );
            return self.fail(place, message);
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

    /// `{count: {predicate: …, filter: …}}` on the rows of an array relationship.
    fn aggregate(&mut self, hop: Hop, rows: Rows, condition: &FieldCondition) -> Filter {
        let FieldCondition { place, test, .. } = condition;
        let FieldTest::Related(aggregates) = test else {
            return self.fail(place, "An object with the key `count` is wanted.");
        };
        let mut all = Vec::new();
        for aggregate in &aggregates.conditions {
            let count = match aggregate {
                Condition::Field(FieldCondition { name, test, .. }) if **name == *"count" => test,
                Condition::Field(_)
                | Condition::And(_)
                | Condition::Or(_)
                | Condition::Not(_)
                | Condition::Exists(_) => {
                    let message = "Of aggregates, permissions can have `count` only.";
                    return self.fail(place, message);
                }
            };
            let FieldTest::Related(count) = count else {
                return self.fail(place, "An object with the key `predicate` is wanted.");
            };
            let (mut filter, mut having) = (Filter::all(), None);
            for part in &count.conditions {
                match part {
                    Condition::Field(FieldCondition { name, test, .. }) => match (&**name, test) {
                        ("filter", FieldTest::Related(own)) => filter = self.all(rows, own),
                        ("filter", FieldTest::Empty) => {}
                        ("predicate", FieldTest::Comparisons(comparisons)) => {
                            having = Some(self.counted(comparisons));
                        }
                        _ => {
                            let message = format!(
                                "`{name}` of `count` is not served in permissions: `predicate` and \
                                 `filter` are."
                            );
                            return self.fail(place, message);
                        }
                    },
                    Condition::And(_)
                    | Condition::Or(_)
                    | Condition::Not(_)
                    | Condition::Exists(_) => {
                        return self.fail(place, "`count` has the keys `predicate` and `filter`.");
                    }
                }
            }
            let Some(having) = having else {
                return self.fail(place, "`count` needs the key `predicate`.");
            };
            let (filter, having) = (Box::new(filter), Box::new(having));
            all.push(Filter::RelatedGroup { hop, filter, having, once: false });
        }
        Filter::and(all)
    }

    fn counted(&mut self, comparisons: &[expression::Comparison]) -> Filter {
        let integer = Type::Scalar(Scalar::Int64);
        let place = ValueRef::Counted { distinct: false };
        let all = comparisons.iter().map(|comparison| {
            let found = ValueType::new(self.catalog, &integer);
            let found = compared(found, &place, comparison).unwrap_or_else(|| {
                Err(problem(&comparison.place, "A number of rows cannot be compared so."))
            });
            self.keep(found).unwrap_or_else(Filter::none)
        });
        Filter::and(all.collect())
    }

    fn column(&mut self, rows: Rows, field: &Field, condition: &FieldCondition) -> Filter {
        let FieldCondition { place, name, test } = condition;
        let value = ValueRef::field(field.id);
        match test {
            FieldTest::Empty => Filter::all(),
            FieldTest::Equals(operand) => {
                let of = ValueType::new(self.catalog, &field.r#type);
                let filter = self.require_operator(field, Operator::Equal, place).and_then(|()| {
                    let (comparison, operand) = (Comparison::Equal, of.value(operand, place)?);
                    Ok(Filter::Compare { place: value, comparison, operand })
                });
                self.keep(filter).unwrap_or_else(Filter::none)
            }
            FieldTest::Comparisons(comparisons) => {
                let all = comparisons.iter().map(|comparison| {
                    let filter = self.comparison(rows, field, comparison);
                    self.keep(filter).unwrap_or_else(Filter::none)
                });
                Filter::and(all.collect())
            }
            FieldTest::Related(_) => {
                self.fail(place, format!("`{name}` is a column: it leads to no rows."))
            }
        }
    }

    fn comparison(
        &self,
        rows: Rows,
        field: &Field,
        comparison: &expression::Comparison,
    ) -> Result<Filter, Problem> {
        let expression::Comparison { place, operator, operand, .. } = comparison;
        self.require_operator(field, *operator, place)?;
        let value = ValueRef::field(field.id);
        if let Operand::Column(reference) = operand {
            let comparison = match operator {
                Operator::ColumnEqual => Comparison::Equal,
                Operator::ColumnNotEqual => Comparison::NotEqual,
                Operator::ColumnGreater => Comparison::Greater,
                Operator::ColumnLess => Comparison::Less,
                Operator::ColumnGreaterOrEqual => Comparison::GreaterOrEqual,
                Operator::ColumnLessOrEqual => Comparison::LessOrEqual,
                other => return Err(unserved(*other, place)),
            };
            let right = self.reference(rows, field, reference)?;
            return Ok(Filter::CompareValues { left: value, comparison, right });
        }
        let of = ValueType::new(self.catalog, &field.r#type);
        compared(of, &value, comparison).unwrap_or_else(|| Err(unserved(*operator, place)))
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

    /// The type of a column must have the operator.
    fn require_operator(
        &self,
        field: &Field,
        operator: Operator,
        place: &Location,
    ) -> Result<(), Problem> {
        let class = values(self.catalog, &field.r#type).operators;
        let has = match kind(operator).ok_or_else(|| unserved(operator, place))? {
            Kind::Null => true,
            Kind::Order => match class {
                Operators::Ordered
                | Operators::Text
                | Operators::Json
                | Operators::List
                | Operators::Tree
                | Operators::Enum => true,
                Operators::Null | Operators::JsonContent => false,
            },
            Kind::Pattern => class == Operators::Text,
            Kind::Content => {
                matches!(class, Operators::Json | Operators::JsonContent | Operators::List)
            }
            Kind::Key => matches!(class, Operators::Json | Operators::JsonContent),
        };
        match has {
            true => Ok(()),
            false => {
                let message = format!(
                    "The type of `{}` has no operator `{}` in this database.",
                    field.name,
                    operator.as_str()
                );
                Err(problem(place, message))
            }
        }
    }

    fn keep<T>(&mut self, found: Result<T, Problem>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    fn fail(&mut self, place: &Location, message: impl Into<String>) -> Filter {
        self.problems.push(problem(place, message));
        Filter::none()
    }
}

/// The kind of an operator, by the types that have it.
enum Kind {
    Null,
    Order,
    Pattern,
    Content,
    Key,
}

/// The kind of an operator that is served in permissions.
fn kind(operator: Operator) -> Option<Kind> {
    Some(match operator {
        Operator::IsNull => Kind::Null,
        Operator::Equal
        | Operator::NotEqual
        | Operator::Greater
        | Operator::Less
        | Operator::GreaterOrEqual
        | Operator::LessOrEqual
        | Operator::In
        | Operator::NotIn
        | Operator::ColumnEqual
        | Operator::ColumnNotEqual
        | Operator::ColumnGreater
        | Operator::ColumnLess
        | Operator::ColumnGreaterOrEqual
        | Operator::ColumnLessOrEqual => Kind::Order,
        Operator::Like | Operator::NotLike | Operator::ILike | Operator::NotILike => Kind::Pattern,
        Operator::Contains | Operator::ContainedIn => Kind::Content,
        Operator::HasKey | Operator::HasKeysAny | Operator::HasKeysAll => Kind::Key,
        Operator::Similar
        | Operator::NotSimilar
        | Operator::Regex
        | Operator::IRegex
        | Operator::NotRegex
        | Operator::NotIRegex
        | Operator::JsonPathExists
        | Operator::JsonPathMatch
        | Operator::Cast
        | Operator::StContains
        | Operator::StCrosses
        | Operator::StEquals
        | Operator::StIntersects
        | Operator::St3dIntersects
        | Operator::StOverlaps
        | Operator::StTouches
        | Operator::StWithin
        | Operator::StDistanceWithin
        | Operator::St3dDistanceWithin
        | Operator::StIntersectsRaster
        | Operator::StIntersectsBandGeometry
        | Operator::StIntersectsGeometryBand
        | Operator::Ancestor
        | Operator::AncestorAny
        | Operator::Descendant
        | Operator::DescendantAny
        | Operator::Matches
        | Operator::MatchesAny
        | Operator::MatchesFulltext => return None,
    })
}

/// A comparison of a value with an operand; `None` if the operator takes no operand of values.
fn compared(
    of: ValueType<'_>,
    value: &ValueRef,
    comparison: &expression::Comparison,
) -> Option<Result<Filter, Problem>> {
    let expression::Comparison { place, operator, operand, .. } = comparison;
    let value = value.clone();
    let compare = |comparison, operand: Result<ir::Operand, Problem>| {
        Some(operand.map(|operand| Filter::Compare { place: value.clone(), comparison, operand }))
    };
    let texts = || {
        let text = of.text_type();
        match operator {
            Operator::HasKey => text.value(operand, place),
            _ => text.values(operand, place),
        }
    };
    match operator {
        Operator::Equal => compare(Comparison::Equal, of.value(operand, place)),
        Operator::NotEqual => compare(Comparison::NotEqual, of.value(operand, place)),
        Operator::Greater => compare(Comparison::Greater, of.value(operand, place)),
        Operator::Less => compare(Comparison::Less, of.value(operand, place)),
        Operator::GreaterOrEqual => compare(Comparison::GreaterOrEqual, of.value(operand, place)),
        Operator::LessOrEqual => compare(Comparison::LessOrEqual, of.value(operand, place)),
        Operator::In => compare(Comparison::In, of.values(operand, place)),
        Operator::NotIn => compare(Comparison::NotIn, of.values(operand, place)),
        Operator::Contains => compare(Comparison::Contains, of.value(operand, place)),
        Operator::ContainedIn => compare(Comparison::ContainedBy, of.value(operand, place)),
        Operator::HasKey => compare(Comparison::HasKey, texts()),
        Operator::HasKeysAny => compare(Comparison::HasAnyKey, texts()),
        Operator::HasKeysAll => compare(Comparison::HasAllKeys, texts()),
        Operator::IsNull => Some(match operand {
            Operand::Literal(Json::Bool(true)) => Ok(Filter::IsNull(value)),
            Operand::Literal(Json::Bool(false)) => Ok(Filter::Not(Box::new(Filter::IsNull(value)))),
            _ => Err(problem(place, "`_is_null` is true or false.")),
        }),
        Operator::Like | Operator::NotLike | Operator::ILike | Operator::NotILike => {
            let case = match operator {
                Operator::Like | Operator::NotLike => Case::AsTyped,
                _ => Case::Ignored,
            };
            Some(of.value(operand, place).map(|operand| {
                let filter = Filter::Text { place: value, r#match: TextMatch::Like, case, operand };
                match operator {
                    Operator::NotLike | Operator::NotILike => Filter::Not(Box::new(filter)),
                    _ => filter,
                }
            }))
        }
        _ => None,
    }
}

fn unserved(operator: Operator, place: &Location) -> Problem {
    problem(place, format!("The operator `{}` is not served in permissions.", operator.as_str()))
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
