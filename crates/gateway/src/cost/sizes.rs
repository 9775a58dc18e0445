//! List sizes by `@listSize`.

use std::sync::Arc;

use graphql::heap_size;
use graphql::operation::FieldSelection;
use graphql::schema::{FieldId, InputId, Schema};
use graphql::value::{Const, Slot, Value};
use graphql::variables::{Path, Variables};
use serde_json_bytes::Value as Json;

use supergraph::{ListSize, Supergraph};

/// One `@listSize` directive of a field in an operation.
#[derive(Clone, Debug)]
pub(super) struct Size {
    slices: Vec<Slice>,
    assumed: Option<u64>,
    /// Names of the slicing arguments of which a request must set exactly one.
    one_of: Option<Box<str>>,
}

/// One slicing argument.
#[derive(Clone, Debug)]
struct Slice {
    given: Amount,
    /// Default value of the argument.
    default: Option<u64>,
}

#[derive(Clone, Debug)]
enum Amount {
    /// `None` if the argument is missing or has no size.
    Written(Option<u64>),
    Variable(Slot, Path),
}

heap_size!(struct Size { slices, assumed, one_of });
heap_size!(struct Slice { given, default });
heap_size!(
    enum Amount {
        Written(number),
        Variable(slot, path),
    }
);

impl Size {
    pub(super) fn new(
        supergraph: &Supergraph,
        field: FieldId,
        selection: Option<&FieldSelection>,
        directive: &ListSize,
    ) -> Self {
        let slices = directive.slicing.iter().filter_map(|path| {
            let (name, rest) = path.split_first()?;
            let argument = supergraph.schema.find_argument(field, name)?;
            let schema = &supergraph.api.schema;
            let mut given = selection.into_iter().flat_map(|selection| &selection.arguments);
            let given = given.find(|(input, _)| schema[*input].name == *name);
            let given = given.map(|(_, value)| of_value(schema, value, rest));
            let default = supergraph.schema[argument].default.as_deref();
            Some(Slice {
                given: given.unwrap_or(Amount::Written(None)),
                default: default.and_then(|value| of_const(value, rest)),
            })
        });
        let slices: Vec<Slice> = slices.collect();
        let names = || {
            let names = directive.slicing.iter().map(|path| format!("`{}`", path.join(".")));
            names.collect::<Vec<_>>().join(", ").into()
        };
        // A client cannot set arguments of fields that the plan adds.
        let is_required = directive.requires_one && !slices.is_empty() && selection.is_some();
        Self { slices, assumed: directive.assumed, one_of: is_required.then(names) }
    }

    /// Whether the size does not depend on variables.
    pub(super) fn is_fixed(&self) -> bool {
        self.slices.iter().all(|slice| matches!(slice.given, Amount::Written(_)))
    }

    /// Returns the list size, if it is known.
    pub(super) fn length(&self, variables: &Variables) -> Option<u64> {
        let sizes = self.slices.iter();
        let sizes = sizes.filter_map(|slice| slice.given.of(variables).or(slice.default));
        sizes.max().or(self.assumed)
    }

    /// Returns the names of the arguments if not exactly one of them is set. An argument with a
    /// default value may be omitted.
    pub(super) fn slicing_violation(&self, variables: &Variables) -> Option<&str> {
        let names = self.one_of.as_deref()?;
        let given = self.slices.iter().filter(|slice| slice.given.of(variables).is_some()).count();
        let has_default = self.slices.iter().any(|slice| slice.default.is_some());
        let is_set = given == 1 || (given == 0 && has_default);
        (!is_set).then_some(names)
    }
}

impl Amount {
    fn of(&self, variables: &Variables) -> Option<u64> {
        match self {
            Self::Written(amount) => *amount,
            Self::Variable(slot, path) => variables.get(*slot, path).and_then(of_json),
        }
    }
}

/// Returns the size at a path of a value. Recursion is bounded by the path.
fn of_value(schema: &Schema, value: &Value, path: &[Arc<str>]) -> Amount {
    match (value, path) {
        (Value::Variable(slot), path) => {
            let path = path.iter().fold(Path::default(), |path, name| path.key(name));
            Amount::Variable(*slot, path)
        }
        (Value::Int(number), []) => Amount::Written(Some(u64::try_from(*number).unwrap_or(0))),
        (Value::List(items), []) => Amount::Written(Some(items.len() as u64)),
        (Value::Object(members), [name, rest @ ..]) => {
            let is_named = |(input, _): &&(InputId, Value)| schema[*input].name == *name;
            let member = members.iter().find(is_named);
            member.map_or(Amount::Written(None), |(_, value)| of_value(schema, value, rest))
        }
        _ => Amount::Written(None),
    }
}

/// Returns the size at a path of a default value. Recursion is bounded by the path.
fn of_const(value: &Const, path: &[Arc<str>]) -> Option<u64> {
    match (value, path) {
        (Const::Int(number), []) => Some(u64::try_from(*number).unwrap_or(0)),
        (Const::List(items), []) => Some(items.len() as u64),
        (Const::Object(members), [name, rest @ ..]) => {
            let member = members.iter().find(|(known, _)| **known == **name);
            member.and_then(|(_, value)| of_const(value, rest))
        }
        _ => None,
    }
}

fn of_json(value: &Json) -> Option<u64> {
    match value {
        Json::Number(number) => number.as_u64().or_else(|| number.as_i64().map(|_| 0)),
        Json::Array(items) => Some(items.len() as u64),
        Json::Null | Json::Bool(_) | Json::String(_) | Json::Object(_) => None,
    }
}
