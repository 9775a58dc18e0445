//! Aggregates of values, and rows in groups: an extension.

use api::binding::{ArgumentRole, ConnectionField, FieldBinding, GroupBy};
use api::draft::{DraftField, DraftInput, DraftValue};
use api::{AggregateField, AggregateValue, InputBinding, ValueBinding};
use ir::{AggregateFunction, Form};
use response::Leaf;

use super::builder::{Builder, described_field, required_if, upper_first};
use super::values;
use crate::model::{Field, ScalarType, TypeIndex};

/// A function of the values of fields, with its name.
struct Function {
    name: &'static str,
    function: AggregateFunction,
    about: &'static str,
}

const FUNCTIONS: [Function; 4] = [
    Function { name: "sum", function: AggregateFunction::Sum, about: "Sums of values." },
    Function { name: "avg", function: AggregateFunction::Average, about: "Averages of values." },
    Function { name: "min", function: AggregateFunction::Minimum, about: "The least values." },
    Function { name: "max", function: AggregateFunction::Maximum, about: "The greatest values." },
];

const GROUPS: &str = "The rows that pass `where` in groups: one for each combination of the values of \
     these fields. The other arguments of the connection have no effect on groups.";

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
    let keys = InputBinding::lenient(ArgumentRole::GroupBy);
    let by = DraftInput::new("by", &format!("[{by}!]!"), keys);
    let field = DraftField::new("groups", &format!("[{group}!]!"), binding).with(vec![by]);
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
