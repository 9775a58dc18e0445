//! Conditions on aggregates of related rows: `T_aggregate_bool_exp`.

use api::binding::{FilterRole, InputBinding, Meaning, RowsRole, ValueBinding};
use catalog::Catalog;
use ir::AggregateFunction;

use super::condition_member::member;
use super::{Build, comparisons};
use crate::columns::Column;
use crate::draft::{DraftInput, DraftValue};
use crate::plan::Planned;
use crate::values::{Operators, Values};

/// A function of conditions beside the number of rows.
#[derive(Debug)]
pub(crate) struct Function {
    name: &'static str,
    pub(crate) function: AggregateFunction,
    values: Aggregated,
}

/// The columns that a function accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregated {
    /// A column of booleans.
    Boolean,
    /// A column of floats.
    Float,
    /// The same, in sources with statistics.
    Statistic,
    /// Two columns of floats, in sources with statistics.
    Pair,
}

const FUNCTIONS: [Function; 10] = {
    use AggregateFunction::{
        All, Any, Average, Correlation, CovarianceSample, Maximum, Minimum,
        StandardDeviationSample, Sum, VarianceSample,
    };
    const fn new(name: &'static str, function: AggregateFunction, values: Aggregated) -> Function {
        Function { name, function, values }
    }
    [
        new("avg", Average, Aggregated::Float),
        new("bool_and", All, Aggregated::Boolean),
        new("bool_or", Any, Aggregated::Boolean),
        new("corr", Correlation, Aggregated::Pair),
        new("covar_samp", CovarianceSample, Aggregated::Pair),
        new("max", Maximum, Aggregated::Float),
        new("min", Minimum, Aggregated::Float),
        new("stddev_samp", StandardDeviationSample, Aggregated::Statistic),
        new("sum", Sum, Aggregated::Float),
        new("var_samp", VarianceSample, Aggregated::Statistic),
    ]
};

/// The function of a name, if the source has it.
pub(crate) fn find_function(catalog: &Catalog, name: &str) -> Option<&'static Function> {
    let function = FUNCTIONS.iter().find(|function| function.name == name)?;
    function.scalar(catalog).map(|_| function)
}

impl Function {
    /// The scalar of the columns; `None` if the source has no such function.
    pub(crate) fn scalar(&self, catalog: &Catalog) -> Option<&'static str> {
        let has_statistics = catalog.capabilities().statistics;
        match self.values {
            Aggregated::Boolean => Some(BOOLEAN),
            Aggregated::Float => Some(FLOAT),
            Aggregated::Statistic | Aggregated::Pair => has_statistics.then_some(FLOAT),
        }
    }

    pub(crate) fn is_of_pairs(&self) -> bool {
        self.values == Aggregated::Pair
    }
}

/// True if a function of columns of a scalar accepts these values.
pub(crate) fn accepts(scalar: &str, values: &Values) -> bool {
    values.lists == 0 && &*values.scalar == scalar && values.operators == Operators::Ordered
}

/// The scalars of the columns, whose operators compare the aggregates.
const BOOLEAN: &str = "Boolean";
const FLOAT: &str = "float8";

/// Adds the conditions on aggregates of an entity's rows.
pub(super) fn add(build: &mut Build<'_>, planned: &Planned<'_>) {
    let mut members = vec![count(build, planned)];
    for function in &FUNCTIONS {
        members.extend(condition(build, planned, function));
    }
    build.draft.input(&planned.r#type("aggregate_bool_exp"), None, members);
}

/// The condition on the number of rows, or of values.
fn count(build: &mut Build<'_>, planned: &Planned<'_>) -> DraftInput {
    let int = comparisons::find_int(build);
    let columns = format!("[{}!]", planned.r#type("select_column"));
    let binding = InputBinding::lenient(FilterRole::AggregatedColumns);
    let arguments = DraftInput::new("arguments", columns, binding);
    add_condition(build, planned, ("count", AggregateFunction::Count), arguments, &int)
}

/// The condition on another aggregate, if there are columns for it.
fn condition(
    build: &mut Build<'_>,
    planned: &Planned<'_>,
    function: &Function,
) -> Option<DraftInput> {
    let scalar = function.scalar(build.catalog)?;
    let accepted = |column: &&Column<'_>| accepts(scalar, &column.values);
    let columns: Vec<_> = planned.read().filter(accepted).collect();
    if columns.is_empty() {
        return None;
    }
    let name = function.name;
    let value = |column: &&Column<'_>| {
        DraftValue::new(column.name(), "column name", ValueBinding::Column(column.field.id))
            .verbatim()
    };
    let values = columns.iter().map(value).collect();
    // Hasura says the table twice: the enum is a part of the columns, for one argument.
    let own = planned.r#type(&format!("aggregate_bool_exp_{name}_arguments"));
    let r#enum = planned.r#type(&format!("select_column_{own}_columns"));
    let about = format!("select \"{own}_columns\" columns of table \"{}\"", planned.described);
    build.draft.values(&r#enum, Some(&about), values);
    let column = |name: &str| {
        let binding = InputBinding::lenient(FilterRole::AggregatedColumns);
        DraftInput::new(name, format!("{enum}!"), binding)
    };
    let arguments = match function.values {
        Aggregated::Boolean | Aggregated::Float | Aggregated::Statistic => column("arguments"),
        Aggregated::Pair => {
            build.draft.input(&own, None, vec![column("X"), column("Y")]);
            let binding = InputBinding::lenient(FilterRole::AggregatedPair);
            DraftInput::new("arguments", format!("{own}!"), binding)
        }
    };
    let operators = comparisons::find_named(build, scalar, Operators::Ordered);
    Some(add_condition(build, planned, (name, function.function), arguments, &operators))
}

/// Adds the object of a condition, and returns the member for it.
fn add_condition(
    build: &mut Build<'_>,
    planned: &Planned<'_>,
    (name, function): (&str, AggregateFunction),
    arguments: DraftInput,
    operators: &str,
) -> DraftInput {
    let filter = InputBinding {
        role: FilterRole::GroupFilter.into(),
        null: Meaning::Ignore,
        empty: Meaning::True,
    };
    let distinct = InputBinding::lenient(FilterRole::AggregatesDistinct);
    let predicate = format!("{operators}!");
    let members = vec![
        arguments,
        DraftInput::new("distinct", "Boolean", distinct),
        DraftInput::new("filter", planned.r#type("bool_exp"), filter),
        member("predicate", predicate, FilterRole::AggregateIs, Meaning::True),
    ];
    let r#type = planned.r#type(&format!("aggregate_bool_exp_{name}"));
    build.draft.input(&r#type, None, members);
    let role = FilterRole::Rows(RowsRole::Aggregate(function));
    member(name, r#type, role, Meaning::True)
}
