//! Aggregates of rows, and conditions on and orders by aggregates of related rows.

use api::binding::{
    AggregateField, AggregateValue, ArgumentRole, ConnectionField, FieldBinding, InputBinding,
    OrderRole,
};
use catalog::FieldId;
use ir::AggregateFunction;
use response::Leaf;

use super::base::ORDER_BY;
use super::orders;
use super::{Build, aggregate_conditions};
use crate::columns::Column;
use crate::draft::{DraftField, DraftInput};
use crate::naming;
use crate::plan::Planned;

/// A function, and what it is of values.
struct Function {
    name: &'static str,
    function: AggregateFunction,
    result: FunctionResult,
}

/// The values that a function accepts, and the type of what it makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FunctionResult {
    /// Of numbers, in their own type.
    Sum,
    /// Of numbers, a float.
    Float,
    /// Of numbers, a float, in sources with statistics.
    Statistic,
    /// Of values with an order, one of them.
    Extreme,
}

/// The functions by their names, which [`naming::FUNCTIONS`] has in the same order.
const FUNCTIONS: [Function; 10] = {
    use AggregateFunction::{
        Average, Maximum, Minimum, StandardDeviationPopulation, StandardDeviationSample, Sum,
        VariancePopulation, VarianceSample,
    };
    const fn new(place: usize, function: AggregateFunction, result: FunctionResult) -> Function {
        Function { name: naming::FUNCTIONS[place], function, result }
    }
    [
        new(0, Average, FunctionResult::Float),
        new(1, Maximum, FunctionResult::Extreme),
        new(2, Minimum, FunctionResult::Extreme),
        new(3, StandardDeviationSample, FunctionResult::Statistic),
        new(4, StandardDeviationPopulation, FunctionResult::Statistic),
        new(5, StandardDeviationSample, FunctionResult::Statistic),
        new(6, Sum, FunctionResult::Sum),
        new(7, VariancePopulation, FunctionResult::Statistic),
        new(8, VarianceSample, FunctionResult::Statistic),
        new(9, VarianceSample, FunctionResult::Statistic),
    ]
};

pub(super) fn add(build: &mut Build<'_>, planned: &Planned<'_>) {
    add_objects(build, planned);
    if planned.is_array_target || planned.is_computed {
        add_orders(build, planned);
    }
    if planned.is_array_target {
        aggregate_conditions::add(build, planned);
    }
}

/// Adds the objects of aggregates.
fn add_objects(build: &mut Build<'_>, planned: &Planned<'_>) {
    let name = &planned.name;
    let fields_type = planned.r#type("aggregate_fields");
    let connection = |field| FieldBinding::Connection(field);
    let fields = vec![
        DraftField::new(
            "aggregate",
            fields_type.as_str(),
            connection(ConnectionField::PageAggregates),
        ),
        DraftField::new("nodes", format!("[{name}!]!"), connection(ConnectionField::Nodes)),
    ];
    let about = format!("aggregated selection of \"{}\"", planned.described);
    build.draft.object(&planned.r#type("aggregate"), Some(&about), fields);
    let columns = format!("[{}!]", planned.r#type("select_column"));
    let lenient = InputBinding::lenient;
    let count = DraftField::new("count", "Int!", FieldBinding::Aggregate(AggregateField::Counted));
    let count = count.with(vec![
        DraftInput::new("columns", columns, lenient(ArgumentRole::CountedColumns)),
        DraftInput::new("distinct", "Boolean", lenient(ArgumentRole::CountsDistinct)),
    ]);
    let mut fields = vec![count];
    let shared = SharedValues::new(build, planned);
    for function in &FUNCTIONS {
        let values = accepted(build, planned, function.result);
        let values: Vec<_> =
            values.map(|(column, r#type, _)| shared.field(column, r#type)).collect();
        if values.is_empty() {
            continue;
        }
        let r#type = planned.r#type(&format!("{}_fields", function.name));
        let about = format!("aggregate {} on columns", function.name);
        build.draft.object(&r#type, Some(&about), values);
        let binding = FieldBinding::Aggregate(AggregateField::Function(function.function));
        fields.push(DraftField::new(function.name, r#type, binding));
    }
    let about = format!("aggregate fields of \"{}\"", planned.described);
    build.draft.object(&fields_type, Some(&about), fields);
}

/// The columns that a function accepts, with the type and the output of what it makes of them.
fn accepted<'p>(
    build: &Build<'_>,
    planned: &'p Planned<'_>,
    result: FunctionResult,
) -> impl Iterator<Item = (&'p Column<'p>, String, Leaf)> {
    let has_statistics = build.catalog.capabilities().statistics;
    planned.read().filter_map(move |column| {
        let values = &column.values;
        let number = values.number.as_ref();
        match result {
            FunctionResult::Sum => Some((column, values.text(), number?.sum.clone())),
            FunctionResult::Statistic if !has_statistics => None,
            FunctionResult::Float | FunctionResult::Statistic => {
                number.map(|number| (column, "Float".to_owned(), number.mean()))
            }
            FunctionResult::Extreme => Some((column, values.text(), values.extreme.clone()?)),
        }
    })
}

/// The values of all functions of a table's columns. Functions of one column whose values have one
/// type share a field, whose value is that of the enclosing object's function: a table of ten columns
/// would have a hundred fields otherwise.
struct SharedValues(Vec<(FieldId, String, Vec<AggregateValue>)>);

impl SharedValues {
    fn new(build: &Build<'_>, planned: &Planned<'_>) -> Self {
        let mut shared: Vec<(FieldId, String, Vec<AggregateValue>)> = Vec::new();
        for Function { function, result, .. } in &FUNCTIONS {
            for (column, r#type, leaf) in accepted(build, planned, *result) {
                let (id, form) = (column.field.id, column.values.binding.form);
                let value =
                    AggregateValue { function: *function, field: None, leaf, form, absent: None };
                let known = shared.iter_mut().find(|(of, known, _)| *of == id && *known == r#type);
                match known {
                    // Two names of one function have one value.
                    Some((.., values)) if values.contains(&value) => {}
                    Some((.., values)) => values.push(value),
                    None => shared.push((id, r#type, vec![value])),
                }
            }
        }
        Self(shared)
    }

    /// The field of aggregates of a column that have this type.
    fn field(&self, column: &Column<'_>, r#type: String) -> DraftField {
        let mut shared = self.0.iter();
        let values = shared.find(|(of, known, _)| *of == column.field.id && *known == r#type);
        let values = values.map(|(.., values)| values.as_slice()).unwrap_or_default();
        let aggregate =
            AggregateField::FieldValue { field: column.field.id, values: values.into() };
        let binding = FieldBinding::Aggregate(aggregate);
        let field = DraftField::new(column.name(), r#type, binding).verbatim();
        field.described_by(column.description())
    }
}

/// Adds the orders by aggregates of related rows.
fn add_orders(build: &mut Build<'_>, planned: &Planned<'_>) {
    let order_by = build.shared_type(ORDER_BY);
    let mut members = vec![orders::member("count", &order_by, OrderRole::RelatedCount)];
    for function in &FUNCTIONS {
        let columns = accepted(build, planned, function.result).map(|(column, ..)| {
            orders::member(column.name(), &order_by, OrderRole::Field(column.field.id))
                .verbatim()
                .described_by(column.description())
        });
        let columns: Vec<_> = columns.collect();
        if columns.is_empty() {
            continue;
        }
        let r#type = planned.r#type(&format!("{}_order_by", function.name));
        let (name, table) = (function.name, &planned.described);
        let about = format!("order by {name}() on columns of table \"{table}\"");
        build.draft.input(&r#type, Some(&about), columns);
        let role = OrderRole::Aggregates(function.function);
        members.push(orders::member(function.name, &r#type, role));
    }
    let about = format!("order by aggregate values of table \"{}\"", planned.described);
    build.draft.input(&planned.r#type("aggregate_order_by"), Some(&about), members);
}
