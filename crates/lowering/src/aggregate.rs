//! Aggregates of all rows of a set: sums, averages and the like.

use graphql::CollectedField;
use graphql::operation::{FieldRef, SelectionSetId};
use graphql::schema::TypeId;
use ir::{Aggregate, AggregateFunction, AggregateTerm, Filter, Form, ValueRef};
use response::{Fields, Item, Leaf, Node};

use super::count::{Count, count_of};
use super::filter::FilterContext;
use super::input::{Input, Presence};
use super::selection::misplaced;
use super::{Context, LowerError, Outputs};
use api::binding::{
    AggregateField, AggregateValue, ArgumentRole, FieldBinding, GroupBy, InputRole, ValueBinding,
};

/// An aggregate with the object that shows it.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) aggregate: Aggregate,
    pub(super) fields: Fields,
}

/// Context of an aggregate's field.
#[derive(Clone, Copy, Default)]
struct Within<'k> {
    function: Option<AggregateFunction>,
    /// The aggregated value for fields without one of their own, and true to count each row once.
    place: Option<(&'k ValueRef, bool)>,
    /// The outputs of the keys of the group.
    keys: Option<&'k [(response::OutputId, Leaf)]>,
    /// The keys of the group.
    group_by: &'k [ValueRef],
}

/// Arguments of grouping.
#[derive(Default)]
struct GroupArguments {
    group_by: Vec<ValueRef>,
    /// The output of each key's text.
    keys: Vec<Leaf>,
    having: Option<Box<Filter>>,
}

impl GroupArguments {
    fn push(&mut self, group_by: &GroupBy) {
        let place = ValueRef::field(group_by.field);
        self.group_by.push(match group_by.unit {
            None => place,
            Some(unit) => ValueRef::Truncated { place: Box::new(place), unit },
        });
        self.keys.push(group_by.leaf.clone());
    }
}

/// The maximum number of group keys.
const KEYS: usize = 64;

impl Context<'_> {
    /// The object of aggregates over all rows of a set.
    pub(super) fn whole(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<Whole, LowerError> {
        let mut terms = Vec::new();
        let within = Within::default();
        let fields = self.aggregate_fields(object, sets, within, &mut terms)?;
        let aggregate = Aggregate { paged: false, group_by: Vec::new(), having: None, terms };
        Ok(Whole { aggregate, fields })
    }

    /// The groups of the rows, by the field's arguments.
    pub(super) fn groups(
        &mut self,
        field: &CollectedField<'_>,
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let FieldRef::Field(id) = field.field else { return Err(misplaced("groups")) };
        let r#type = self.api.schema[id].r#type;
        let GroupArguments { group_by, keys, having } = self.group_arguments(field)?;
        let mut terms = Vec::new();
        let mut leaves = Vec::with_capacity(keys.len());
        for (place, leaf) in group_by.iter().zip(keys) {
            let (id, function) = (self.output_id(), AggregateFunction::GroupKey);
            let place = Some(place.clone());
            terms.push(AggregateTerm { id, function, place, form: Form::Text, once: false });
            leaves.push((response::OutputId(id.0), leaf));
        }
        let within = Within { keys: Some(&leaves), group_by: &group_by, ..Within::default() };
        let sets = &field.selection_sets;
        let fields = self.aggregate_fields(r#type.base, sets, within, &mut terms)?;
        let nullable = r#type.item().is_some_and(|item| !item.is_non_null());
        let is_whole = group_by.is_empty();
        let output = outputs.aggregate(self, Aggregate { paged: false, group_by, having, terms });
        // Without group keys, all rows are one group, even if there are none.
        Ok(if is_whole {
            let node = self.shape.add(Node::Aggregate { output, fields });
            Node::Only(Item { node, nullable })
        } else {
            let node = self.shape.add(Node::Object(fields));
            Node::Groups { output, item: Item { node, nullable } }
        })
    }

    /// The group keys, and the filter of groups.
    fn group_arguments(&self, field: &CollectedField<'_>) -> Result<GroupArguments, LowerError> {
        let mut arguments = GroupArguments::default();
        let mut having = Vec::new();
        let mut conditioned = false;
        let mut without_keys = None;
        for (id, value) in field.arguments {
            let input = Input::new(value);
            let InputRole::Argument(ArgumentRole::GroupBy { unkeyed }) = &self.api.input(*id).role
            else {
                conditioned |= self.presence(&input) == Presence::Present;
                let around = FilterContext::default();
                having.extend(self.condition(*id, &input, around, field.location)?);
                continue;
            };
            without_keys = Some(unkeyed);
            let r#type = self.api.schema[*id].r#type.base;
            for item in self.items(&input)? {
                match self.enum_value(&item, r#type, field.location)? {
                    Some(ValueBinding::GroupBy(group_by)) => arguments.push(group_by),
                    _ => return Err(misplaced("a value of groups")),
                }
            }
        }
        arguments.having = match having.is_empty() {
            true => None,
            false => Some(Box::new(Filter::and(having))),
        };
        let keys = arguments.keys.len();
        if keys > KEYS {
            let message = format!("Rows can be grouped by {KEYS} values at most.");
            return Err(LowerError::refused(&message, field.location));
        }
        match without_keys {
            Some(unkeyed) if conditioned && keys == 0 => {
                Err(LowerError::refused(unkeyed, field.location))
            }
            _ => Ok(arguments),
        }
    }

    /// The fields of an object over all rows of a set, or of one function's values.
    fn aggregate_fields(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        within: Within<'_>,
        terms: &mut Vec<AggregateTerm>,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        for field in &self.collect(object, sets)? {
            let api = self.api;
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => match api.field(id) {
                    FieldBinding::Refused(text) => Node::Refused(text.clone()),
                    FieldBinding::Aggregate(AggregateField::Function(function)) => {
                        let object = api.schema[id].r#type.base;
                        let sets = &field.selection_sets;
                        let function = Some(*function);
                        let within = Within { function, ..Within::default() };
                        let fields = self.aggregate_fields(object, sets, within, terms)?;
                        Node::Object(fields)
                    }
                    FieldBinding::Aggregate(AggregateField::Of { place, once }) => {
                        let object = api.schema[id].r#type.base;
                        let sets = &field.selection_sets;
                        let place = Some((&**place, *once));
                        let within = Within { place, ..Within::default() };
                        let fields = self.aggregate_fields(object, sets, within, terms)?;
                        Node::Object(fields)
                    }
                    FieldBinding::Aggregate(AggregateField::Object) => {
                        let object = api.schema[id].r#type.base;
                        let sets = &field.selection_sets;
                        Node::Object(self.aggregate_fields(object, sets, within, terms)?)
                    }
                    FieldBinding::Aggregate(AggregateField::Keys) => match within.keys {
                        Some(leaves) => Node::Leaves(leaves.to_vec()),
                        None => Node::Literal(b"null".as_slice().into()),
                    },
                    FieldBinding::Aggregate(AggregateField::Value(values)) => {
                        let value = self.value_within(values, within, field, id)?;
                        let place = match (value.field.map(ValueRef::field), within.place) {
                            (None, Some((place, once))) => (Some(place.clone()), once),
                            (place, _) => (place, false),
                        };
                        if value.function == AggregateFunction::GroupKey {
                            self.require_key(&place.0, within, field, id)?;
                        }
                        self.aggregate_value(value, place, terms)
                    }
                    FieldBinding::Aggregate(AggregateField::FieldValue { field: of, values }) => {
                        let value = self.value_within(values, within, field, id)?;
                        self.aggregate_value(value, (Some(ValueRef::field(*of)), false), terms)
                    }
                    FieldBinding::Aggregate(AggregateField::Computed { computed, value }) => {
                        let given = self.call_arguments(field)?;
                        let call = self.call(*computed, Some(Vec::new()), given, field.location)?;
                        self.aggregate_value(value, (Some(ValueRef::Computed(call)), false), terms)
                    }
                    FieldBinding::Aggregate(AggregateField::ValueOf { place, value }) => {
                        self.aggregate_value(value, (Some((**place).clone()), false), terms)
                    }
                    FieldBinding::Aggregate(AggregateField::Counted) => {
                        self.counted_values(field, terms)?
                    }
                    _ => return Err(misplaced("aggregate")),
                },
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    /// Refuses a value by which the rows are not grouped: a group has many of them.
    fn require_key(
        &self,
        place: &Option<ValueRef>,
        within: Within<'_>,
        field: &CollectedField<'_>,
        id: graphql::schema::FieldId,
    ) -> Result<(), LowerError> {
        if place.as_ref().is_some_and(|place| within.group_by.contains(place)) {
            return Ok(());
        }
        let name = &self.api.schema[id].name;
        let message = format!("The rows are not grouped by `{name}`: add it to `by`.");
        Err(LowerError::refused(&message, field.location))
    }

    /// Of several aggregates the one whose function is that of the enclosing object.
    fn value_within<'v>(
        &self,
        values: &'v [AggregateValue],
        within: Within<'_>,
        field: &CollectedField<'_>,
        id: graphql::schema::FieldId,
    ) -> Result<&'v AggregateValue, LowerError> {
        let is_wanted = |value: &&AggregateValue| match within.function {
            Some(function) => value.function == function,
            None => true,
        };
        values.iter().find(is_wanted).ok_or_else(|| {
            let message = format!(
                "`{}` has no such value: the function does not take values of its type.",
                self.api.schema[id].name
            );
            LowerError::refused(&message, field.location)
        })
    }

    /// The number of rows, or of the values of the columns that the field's arguments name.
    fn counted_values(
        &mut self,
        field: &CollectedField<'_>,
        terms: &mut Vec<AggregateTerm>,
    ) -> Result<Node, LowerError> {
        let (mut columns, mut distinct) = (Vec::new(), false);
        for (id, value) in field.arguments {
            let input = Input::new(value);
            match &self.api.input(*id).role {
                InputRole::Refused(text) if self.presence(&input) == Presence::Present => {
                    return Err(LowerError::refused(text, field.location));
                }
                InputRole::Argument(ArgumentRole::CountedColumns) => {
                    if self.presence(&input) == Presence::Present {
                        let r#type = self.api.schema[*id].r#type;
                        columns = self.columns(&input, r#type, field.location)?;
                    }
                }
                InputRole::Argument(ArgumentRole::CountsDistinct) => {
                    distinct = self.is_true(&input);
                }
                InputRole::Refused(_) => {}
                _ => return Err(misplaced("an argument of a number")),
            }
        }
        let Count { function, place } = count_of(&columns, distinct);
        let value = AggregateValue {
            function,
            field: None,
            leaf: Leaf::Int,
            form: Form::Stored,
            absent: Some(b"0".as_slice().into()),
        };
        Ok(self.aggregate_value(&value, (place, false), terms))
    }

    /// A value, which is computed once even if it is output several times.
    fn aggregate_value(
        &mut self,
        value: &AggregateValue,
        (place, once): (Option<ValueRef>, bool),
        terms: &mut Vec<AggregateTerm>,
    ) -> Node {
        let AggregateValue { function, leaf, form, absent, .. } = value;
        let known = terms.iter().find(|term| {
            term.function == *function
                && term.place == place
                && term.form == *form
                && term.once == once
        });
        let id = match known {
            Some(term) => term.id,
            None => {
                let id = self.output_id();
                terms.push(AggregateTerm { id, function: *function, place, form: *form, once });
                id
            }
        };
        let (output, leaf) = (response::OutputId(id.0), leaf.clone());
        match absent {
            Some(absent) => Node::LeafOr { output, leaf, absent: absent.clone() },
            None => Node::Leaf { output, leaf },
        }
    }
}
