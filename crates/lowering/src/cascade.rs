//! Rows without a value of a selected field are left out, where a directive of the operation says so.
//!
//! The directive on a field of rows requires a value of all fields that its rows select, and the same
//! below them, or of the fields that its argument lists. It becomes a condition of the rows, so that
//! pages and orders see only the rows that are left.

use graphql::CollectedField;
use graphql::operation::{AppliedDirective, FieldRef, Location, SelectionSetId};
use graphql::schema::{FieldId, TypeId};
use ir::{Filter, Hop, Quantifier, ValueRef};
use serde_json_bytes::Value as Json;

use super::filter::FilterContext;
use super::input::Input;
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{FieldBinding, RowsBinding, RowsForm, RowsFrom};
use graphql::value::Value;

/// The fields of rows that must have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Required {
    /// All that are selected, and those below them.
    Selected,
    /// Those with these names.
    Named(Vec<Box<str>>),
}

/// The error of rows of several entities.
pub(super) const OF_SEVERAL: &str =
    "Rows of interfaces and unions below this directive are not supported yet.";

impl<'a> Context<'a> {
    /// The fields that a field's own directive requires.
    pub(super) fn required_by(
        &self,
        field: &CollectedField<'_>,
    ) -> Result<Option<Required>, LowerError> {
        let Some(name) = &self.api.cascade else { return Ok(None) };
        let Some(directive) = field.directives.iter().find(|own| own.name == *name) else {
            return Ok(None);
        };
        let mut names = Vec::new();
        for (_, value) in &directive.arguments {
            for item in self.items(&Input::new(value))? {
                names.extend(self.text(&item));
            }
        }
        Ok(Some(match names.is_empty() {
            true => Required::Selected,
            false => Required::Named(names),
        }))
    }

    /// Refuses the directive on a field that has no rows.
    pub(super) fn check_directives(
        &self,
        field: FieldId,
        directives: &[&AppliedDirective],
        location: Location,
    ) -> Result<(), LowerError> {
        let Some(name) = &self.api.cascade else { return Ok(()) };
        let is_applied = directives.iter().any(|own| own.name == *name);
        match self.api.field(field) {
            FieldBinding::Rows(rows) if rows.form != RowsForm::Aggregate => Ok(()),
            _ if is_applied => {
                let message = format!("`@{name}` stands on fields of objects only");
                Err(LowerError::refused(&message, location))
            }
            _ => Ok(()),
        }
    }

    /// Observes a text. It steers.
    fn text(&self, input: &Input<'_>) -> Option<Box<str>> {
        match input {
            Input::Literal(Value::String(text)) => Some(text.clone()),
            Input::Literal(_) => None,
            Input::Variable(slot, path) => match self.steering.value(*slot, path)? {
                Json::String(text) => Some(text.as_str().into()),
                _ => None,
            },
        }
    }

    /// The conditions that fields of an object's rows have values.
    pub(super) fn required_filters(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        required: &Required,
        field: &CollectedField<'a>,
    ) -> Result<Vec<Filter>, LowerError> {
        let api = self.api;
        let selected = self.collect(object, sets)?;
        let mut filters = Vec::new();
        if let Required::Named(names) = required {
            for name in names {
                let Some(known) = api.schema.find_field(object, name) else {
                    let message = format!(
                        "Field `{name}` is not present in type `{}`. You can only use fields of \
                         the type in the argument of a directive",
                        api.schema[object].name
                    );
                    return Err(LowerError::refused(&message, field.location));
                };
                let own = selected.iter().find(|own| own.field == FieldRef::Field(known));
                filters.extend(match own {
                    Some(own) => self.required_filter(own, false)?,
                    None => present(api.field(known)),
                });
            }
            return Ok(filters);
        }
        for own in &selected {
            filters.extend(self.required_filter(own, true)?);
        }
        Ok(filters)
    }

    /// The condition that one field has a value; with `is_deep` those of its rows have values, too.
    fn required_filter(
        &mut self,
        field: &CollectedField<'a>,
        is_deep: bool,
    ) -> Result<Option<Filter>, LowerError> {
        let FieldRef::Field(id) = field.field else { return Ok(None) };
        let api = self.api;
        let FieldBinding::Rows(binding) = api.field(id) else { return Ok(present(api.field(id))) };
        match binding.form {
            RowsForm::List | RowsForm::Single | RowsForm::First | RowsForm::Keyed => {}
            // Aggregates have values without rows.
            RowsForm::Aggregate | RowsForm::Connection => return Ok(None),
        }
        if let RowsFrom::Variants { .. } = binding.from {
            return Err(LowerError::refused(OF_SEVERAL, field.location));
        }
        let mut filters = self.arguments_of(field, FilterContext::default())?.filters;
        let required = match self.required_by(field)? {
            None if is_deep => Some(Required::Selected),
            own => own,
        };
        if let Some(required) = required {
            let object = api.schema[id].r#type.base;
            let sets = field.selection_sets.clone();
            filters.extend(self.required_filters(object, &sets, &required, field)?);
        }
        match related(binding, Filter::and(filters)) {
            Some(filter) => Ok(Some(filter)),
            None => Err(misplaced("rows below a directive")),
        }
    }
}

/// The condition that a field of a row has a value; `None` if it always has one.
fn present(binding: &FieldBinding) -> Option<Filter> {
    match binding {
        FieldBinding::Column(field) => {
            Some(Filter::Not(Box::new(Filter::IsNull(ValueRef::field(*field)))))
        }
        FieldBinding::Rows(binding) if binding.form != RowsForm::Aggregate => {
            related(binding, Filter::all())
        }
        _ => None,
    }
}

/// The condition that there is a related row that passes; `None` if the rows are not related ones.
fn related(binding: &RowsBinding, filter: Filter) -> Option<Filter> {
    let along = |hop: Hop, filter: Filter| Filter::Relation {
        hop,
        quantifier: Quantifier::Some,
        filter: Box::new(filter),
    };
    match binding.from {
        RowsFrom::Relation(hop) | RowsFrom::Nodes(hop) => Some(along(hop, filter)),
        RowsFrom::Through { near, far } => Some(along(near, along(far, filter))),
        _ => None,
    }
}
