//! Aggregates of values, and rows in groups: an extension.

use std::sync::Arc;

use api::binding::{ArgumentRole, ConnectionField, FieldBinding, FilterRole, GroupBy, Subject};
use api::draft::{DraftField, DraftInput, DraftValue};
use api::{AggregateField, AggregateValue, InputBinding, ValueBinding};
use ir::{AggregateFunction, Form, ValueRef};
use response::Leaf;

use super::builder::{Builder, described, described_field, required_if, upper_first};
use super::{filters, values};
use crate::model::{Field, ScalarType, TypeIndex};

/// A function of the values of fields, with its name.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) function: AggregateFunction,
    about: &'static str,
}

pub(super) const FUNCTIONS: [Function; 4] = [
    Function { name: "sum", function: AggregateFunction::Sum, about: "Sums of values." },
    Function { name: "avg", function: AggregateFunction::Average, about: "Averages of values." },
    Function { name: "min", function: AggregateFunction::Minimum, about: "The least values." },
    Function { name: "max", function: AggregateFunction::Maximum, about: "The greatest values." },
];

const GROUPS: &str = "The rows that pass `where` in groups: one for each combination of the values of \
     these fields. The other arguments of the connection have no effect on groups.";

const UNKEYED: &str =
    "`having` is a condition on groups: give at least one field in `by`, or use `where`.";

const HAVING: &str = "The groups that pass all of these conditions.";

/// The fields of the functions in the object of a type's aggregates.
pub(super) fn functions(build: &mut Builder<'_>, index: TypeIndex) -> Vec<DraftField> {
    if !build.offered.extensions.groups {
        return Vec::new();
    }
    let mut fields = Vec::new();
    for Function { name, function, about } in &FUNCTIONS {
        let values = build.scalars(index).filter_map(|(place, field, scalar)| {
            let column = build.located.column(index, place)?;
            let (r#type, leaf) = made(build, *function, scalar.r#type)?;
            let leaf = leaf.unwrap_or_else(|| values::leaf(build.model, scalar.r#type, column));
            let value = AggregateValue {
                function: *function,
                field: Some(column.field),
                leaf,
                form: Form::Stored,
                absent: None,
            };
            let binding = FieldBinding::Aggregate(AggregateField::Value(vec![value].into()));
            Some(DraftField::new(&field.name, r#type, binding))
        });
        let values: Vec<DraftField> = values.collect();
        if values.is_empty() {
            continue;
        }
        let r#type = format!("{}{}", aggregate(build, index), upper_first(name));
        build.object(&r#type, values);
        let field = DraftField::new(name, &required_if(true, &r#type), object());
        fields.push(described_field(field, about));
    }
    fields
}

/// The type of what a function makes of values, and its output if it is not theirs.
fn made<'m>(
    build: &Builder<'m>,
    function: AggregateFunction,
    r#type: ScalarType,
) -> Option<(&'m str, Option<Leaf>)> {
    let name = build.scalar_name(r#type);
    match (function, r#type) {
        (AggregateFunction::Sum, ScalarType::Int) => Some(("Long", Some(Leaf::LongNumber))),
        (AggregateFunction::Sum, ScalarType::Float) => Some((name, None)),
        (AggregateFunction::Average, ScalarType::Int | ScalarType::Float) => {
            Some(("Float", Some(Leaf::Float)))
        }
        (
            AggregateFunction::Minimum | AggregateFunction::Maximum,
            ScalarType::Id
            | ScalarType::String
            | ScalarType::Int
            | ScalarType::Float
            | ScalarType::DateTime,
        ) => Some((name, None)),
        _ => None,
    }
}

/// Whether a function makes anything of values of a type.
pub(super) fn is_made(function: AggregateFunction, r#type: ScalarType) -> bool {
    let is_number = matches!(r#type, ScalarType::Int | ScalarType::Float);
    match function {
        AggregateFunction::Sum | AggregateFunction::Average => is_number,
        AggregateFunction::Minimum | AggregateFunction::Maximum => {
            is_number
                || matches!(r#type, ScalarType::Id | ScalarType::String | ScalarType::DateTime)
        }
        _ => false,
    }
}

/// Adds the conditions on groups of the rows of a type, and returns the name of their type.
fn add_having(build: &mut Builder<'_>, index: TypeIndex) -> String {
    let owner = build.r#type(index).name.clone();
    let name = format!("{owner}HavingInput");
    let mut members = filters::logical(&name);
    let rows = Arc::new(Subject::new(ValueRef::Counted { distinct: false }));
    members.extend(filters::compared("count", "Int", &rows));
    for Function { name, function, .. } in &FUNCTIONS {
        let mut conditions = Vec::new();
        for (place, field, scalar) in build.scalars(index) {
            let Some(column) = build.located.column(index, place) else { continue };
            if !is_made(*function, scalar.r#type) {
                continue;
            }
            // Sums and averages are beyond the type of the values.
            let r#type = match (function, scalar.r#type) {
                (AggregateFunction::Sum, ScalarType::Int) => "Long",
                (AggregateFunction::Sum | AggregateFunction::Average, _) => "Float",
                _ => build.scalar_name(scalar.r#type),
            };
            let place = Box::new(ValueRef::field(column.field));
            let subject = Subject::new(ValueRef::Aggregated { function: *function, place });
            conditions.extend(filters::compared(&field.name, r#type, &Arc::new(subject)));
        }
        if !conditions.is_empty() {
            let r#type = format!("{owner}Having{}Input", upper_first(name));
            build.input(&r#type, conditions);
            let binding = InputBinding::lenient(FilterRole::Conditions);
            members.push(DraftInput::new(name, &r#type, binding));
        }
    }
    build.input(&name, members);
    name
}

/// The groups of a type's connection, if the extension is chosen.
pub(super) fn field(build: &mut Builder<'_>, index: TypeIndex) -> Option<DraftField> {
    if !build.offered.extensions.groups {
        return None;
    }
    let keys: Vec<Key<'_>> = build
        .scalars(index)
        .filter(|(_, _, scalar)| scalar.r#type != ScalarType::Json)
        .filter_map(|(place, field, scalar)| {
            let column = build.located.column(index, place)?;
            let leaf = values::leaf(build.model, scalar.r#type, column);
            Some(Key { field, r#type: scalar.r#type, stored: column.field, leaf })
        })
        .collect();
    if keys.is_empty() {
        return None;
    }
    let aggregate = aggregate(build, index);
    let (by, group) = (format!("{aggregate}Key"), format!("{aggregate}Group"));
    let chosen = keys.iter().map(Key::chosen).collect();
    let shown = keys.iter().map(|key| key.shown(build)).collect();
    build.values(&by, chosen);
    let of_keys = format!("{aggregate}Keys");
    build.object(&of_keys, shown);
    let fields = vec![
        DraftField::new("keys", &required_if(true, &of_keys), object()),
        DraftField::new("aggregate", &required_if(true, &aggregate), object()),
    ];
    build.object(&group, fields);
    let binding = FieldBinding::Connection(ConnectionField::Groups);
    let keys = InputBinding::lenient(ArgumentRole::GroupBy { unkeyed: UNKEYED.into() });
    let by = DraftInput::new("by", &format!("[{by}!]!"), keys);
    let having = add_having(build, index);
    let conditions = InputBinding::lenient(FilterRole::Conditions);
    let having = described(DraftInput::new("having", &having, conditions), HAVING);
    let field = DraftField::new("groups", &format!("[{group}!]!"), binding).with(vec![by, having]);
    Some(described_field(field, GROUPS))
}

/// A field by whose values rows are grouped.
struct Key<'m> {
    field: &'m Field,
    r#type: ScalarType,
    stored: catalog::FieldId,
    leaf: Leaf,
}

impl Key<'_> {
    fn chosen(&self) -> DraftValue {
        let group_by = GroupBy { field: self.stored, unit: None, leaf: self.leaf.clone() };
        DraftValue::new(&self.field.name, ValueBinding::GroupBy(group_by))
    }

    fn shown(&self, build: &Builder<'_>) -> DraftField {
        let value = AggregateValue {
            function: AggregateFunction::GroupKey,
            field: Some(self.stored),
            leaf: self.leaf.clone(),
            form: Form::Stored,
            absent: None,
        };
        let binding = FieldBinding::Aggregate(AggregateField::Value(vec![value].into()));
        DraftField::new(&self.field.name, build.scalar_name(self.r#type), binding)
    }
}

fn aggregate(build: &Builder<'_>, index: TypeIndex) -> String {
    format!("Aggregate{}", build.r#type(index).name)
}

fn object() -> FieldBinding {
    FieldBinding::Aggregate(AggregateField::Object)
}
