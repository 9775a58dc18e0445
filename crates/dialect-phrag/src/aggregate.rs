//! Aggregates: `<list>_aggregate`, with `count` and the values of `sum`, `avg`, `max`, `min`.
//!
//! All four functions share the type `<Obj>Fields`, as in Phrag. A column is in it if one of them
//! accepts its values; selecting it under another one is an error, where Phrag returns an error of
//! the database. Numbers are Float in it: an average has a fraction, and a sum may exceed 32 bits.

use catalog::{Catalog, Scalar, Type};
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeRef};
use ir::{AggregateFunction, Form};
use response::Leaf;

use super::BigIntegers;
use super::columns::Column;
use super::operators::{Scalars, add_type, object};
use super::plan::Planned;
use super::values::ApiScalar;
use api::ApiBuilder;
use api::binding::{
    AggregateField, AggregateValue, FieldBinding, FilterRole, InputBinding, RowsBinding, ValueShape,
};
use api::has_extremes;

/// The functions, in Phrag's order.
const FUNCTIONS: [(&str, AggregateFunction); 4] = [
    ("sum", AggregateFunction::Sum),
    ("avg", AggregateFunction::Average),
    ("max", AggregateFunction::Maximum),
    ("min", AggregateFunction::Minimum),
];

/// The output of a column's values in aggregates; functions that do not accept them have no leaf.
struct Aggregated {
    scalar: ApiScalar,
    form: Form,
    sum: Option<Leaf>,
    average: Option<Leaf>,
    /// Of the largest and the smallest value.
    extreme: Option<Leaf>,
}

/// Adds the types of an entity's aggregates.
pub(super) fn add_types(
    builder: &mut ApiBuilder,
    catalog: &Catalog,
    planned: &Planned<'_>,
    scalars: &Scalars,
    big_integers: BigIntegers,
) -> TypeId {
    let aggregate = add_type(builder, &planned.names.aggregate, None, object());
    let count = FieldDefinition::new("count", TypeRef::named(scalars.int));
    let value = AggregateValue {
        function: AggregateFunction::Count,
        field: None,
        leaf: Leaf::Int,
        form: Form::Stored,
        absent: Some(b"0".as_slice().into()),
    };
    builder.add_field(aggregate, count, values(vec![value]));
    let columns = planned.columns.iter().map(|column| {
        let aggregated = aggregated(catalog, column, big_integers);
        (column, aggregated)
    });
    let columns: Vec<_> = columns.filter(|(_, aggregated)| aggregated.is_some_value()).collect();
    if columns.is_empty() {
        return aggregate;
    }
    let fields = add_type(builder, &planned.names.fields, None, object());
    for (name, function) in FUNCTIONS {
        let definition = FieldDefinition::new(name, TypeRef::named(fields));
        let binding = FieldBinding::Aggregate(AggregateField::Function(function));
        builder.add_field(aggregate, definition, binding);
    }
    for (column, aggregated) in columns {
        let r#type = TypeRef::named(scalars.get(aggregated.scalar));
        let definition = FieldDefinition::new(column.name, r#type);
        let value = |(_, function)| {
            let leaf = aggregated.leaf(function)?.clone();
            let (field, form) = (Some(column.field.id), aggregated.form);
            Some(AggregateValue { function, field, leaf, form, absent: None })
        };
        let values = values(FUNCTIONS.into_iter().filter_map(value).collect());
        builder.add_field(fields, definition, values);
    }
    aggregate
}

/// Adds a field of aggregates of rows.
pub(super) fn add_field(
    builder: &mut ApiBuilder,
    parent: TypeId,
    name: &str,
    (aggregate, clauses): (TypeId, TypeId),
    binding: RowsBinding,
) {
    let definition = FieldDefinition::new(name, TypeRef::named(aggregate));
    let field = builder.add_field(parent, definition, FieldBinding::Rows(binding));
    let definition = InputDefinition::new("where", TypeRef::named(clauses));
    builder.add_argument(field, definition, InputBinding::lenient(FilterRole::Conditions));
}

fn values(values: Vec<AggregateValue>) -> FieldBinding {
    FieldBinding::Aggregate(AggregateField::Value(values.into()))
}

impl Aggregated {
    fn is_some_value(&self) -> bool {
        self.sum.is_some() || self.average.is_some() || self.extreme.is_some()
    }

    fn leaf(&self, function: AggregateFunction) -> Option<&Leaf> {
        match function {
            AggregateFunction::Sum => self.sum.as_ref(),
            AggregateFunction::Average => self.average.as_ref(),
            AggregateFunction::Maximum | AggregateFunction::Minimum => self.extreme.as_ref(),
            _ => None,
        }
    }
}

fn aggregated(catalog: &Catalog, column: &Column<'_>, big_integers: BigIntegers) -> Aggregated {
    let number = |sum: Leaf, average: Option<Leaf>, extreme: Leaf| Aggregated {
        scalar: ApiScalar::Float,
        form: column.values.binding.form,
        sum: Some(sum),
        average,
        extreme: Some(extreme),
    };
    let none = Aggregated {
        scalar: column.values.scalar,
        form: Form::Stored,
        sum: None,
        average: None,
        extreme: None,
    };
    let exact = |scale| Leaf::Number { scale };
    match catalog.base_type(&column.field.r#type) {
        Type::Scalar(Scalar::Int64) if big_integers == BigIntegers::String => Aggregated {
            scalar: ApiScalar::String,
            ..number(
                Leaf::Decimal { scale: None },
                Some(Leaf::Decimal { scale: None }),
                Leaf::BigInt,
            )
        },
        Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64) => {
            number(exact(None), Some(Leaf::Float), exact(None))
        }
        Type::Scalar(Scalar::Decimal { scale, .. }) => {
            number(exact(*scale), Some(Leaf::Float), exact(*scale))
        }
        Type::Scalar(Scalar::Float32 | Scalar::Float64) => {
            number(Leaf::Float, Some(Leaf::Float), Leaf::Float)
        }
        // Databases have no average of money.
        Type::Scalar(Scalar::Money) => number(exact(None), None, exact(None)),
        base if has_extremes(base) => match &column.values.binding.value {
            ValueShape::Leaf(leaf) => Aggregated { extreme: Some(leaf.clone()), ..none },
            _ => none,
        },
        // Other types have no largest value in every database.
        _ => none,
    }
}
