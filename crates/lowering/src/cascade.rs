//! Rows that have all selected fields: those that lack one are left out, and then the rows above
//! that have no others below.

use graphql::CollectedField;
use graphql::operation::{AppliedDirective, FieldRef, Location, SelectionSetId};
use graphql::schema::{FieldId, TypeId};
use ir::{Filter, Hop, Quantifier, ValueRef};

use super::filter::FilterContext;
use super::input::Input;
use super::required_fields::RequiredFields;
use super::variants::{OfVariant, related};
use super::{Context, LowerError};
use api::binding::{FieldBinding, RowsBinding, RowsForm, RowsFrom};

impl<'a> Context<'a> {
    /// True if rows of a field must have selected fields.
    pub(super) fn has_cascade(&self, field: &CollectedField<'_>) -> bool {
        let name = self.api.cascade();
        let mut names = field.directives.iter().map(|directive| &*directive.name);
        self.is_cascading || name.is_some_and(|name| names.any(|own| own == name))
    }

    /// The fields that rows of a field must have, by its own directive or by one around it.
    pub(super) fn cascade(
        &self,
        field: &CollectedField<'_>,
    ) -> Result<Option<RequiredFields>, LowerError> {
        if !self.has_cascade(field) {
            return Ok(None);
        }
        let name = self.api.cascade();
        let own = field.directives.iter().find(|directive| Some(&*directive.name) == name);
        let Some((_, names)) = own.and_then(|directive| directive.arguments.first()) else {
            return Ok(Some(RequiredFields::All));
        };
        let mut fields = Vec::new();
        for item in self.items(&Input::new(names))? {
            let Some(name) = self.steering_text(&item) else { continue };
            self.require_field(field, &name)?;
            fields.push(name);
        }
        Ok(Some(if fields.is_empty() { RequiredFields::All } else { RequiredFields::Of(fields) }))
    }

    /// The condition that rows of a type have the required fields.
    pub(super) fn has_fields(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        cascade: &RequiredFields,
    ) -> Result<Filter, LowerError> {
        let mut filters = Vec::new();
        for field in &self.collect(object, sets)? {
            let FieldRef::Field(id) = field.field else { continue };
            let name = &self.api.schema[id].name;
            let is_required = match cascade {
                RequiredFields::All => true,
                RequiredFields::Of(names) => names.iter().any(|known| **known == **name),
            };
            if is_required {
                filters.extend(self.has_value(id, field, cascade)?);
            }
        }
        Ok(Filter::and(filters))
    }

    /// The condition that a row has a field; `None` if every row has it.
    fn has_value(
        &mut self,
        id: FieldId,
        field: &CollectedField<'a>,
        cascade: &RequiredFields,
    ) -> Result<Option<Filter>, LowerError> {
        match self.api.field(id) {
            FieldBinding::Column(column) => {
                let is_null = Filter::IsNull(ValueRef::field(*column));
                Ok(Some(Filter::Not(Box::new(is_null))))
            }
            FieldBinding::Coalesce(fields) => {
                let is_null = |own: &catalog::FieldId| Filter::IsNull(ValueRef::field(*own));
                let each = fields.iter().map(|own| Filter::Not(Box::new(is_null(own))));
                Ok(Some(Filter::Or(each.collect())))
            }
            FieldBinding::Rows(RowsBinding { form: RowsForm::Aggregate, .. }) => Ok(None),
            FieldBinding::Rows(binding) => {
                let reaches_below = RequiredFields::reach_below(Some(cascade));
                let around = std::mem::replace(&mut self.is_cascading, reaches_below);
                let found = self.has_rows(binding.from, id, field);
                self.is_cascading = around;
                found
            }
            _ => Ok(None),
        }
    }

    /// The condition that a row has related rows, which have their required fields.
    fn has_rows(
        &mut self,
        from: RowsFrom,
        id: FieldId,
        field: &CollectedField<'a>,
    ) -> Result<Option<Filter>, LowerError> {
        let below = self.cascade(field)?.unwrap_or(RequiredFields::Of(Vec::new()));
        let object = self.api.schema[id].r#type.base;
        let sets = &field.selection_sets;
        let some = |hop: Hop, filter| related(hop, Quantifier::Some, filter);
        let with = |mut filters: Vec<Filter>, own: Filter| {
            filters.push(own);
            Filter::and(filters)
        };
        Ok(match from {
            RowsFrom::Relation(hop) => {
                let filters = self.arguments_of(field, FilterContext::along(hop))?.filters;
                Some(some(hop, with(filters, self.has_fields(object, sets, &below)?)))
            }
            RowsFrom::Through { near, far } => {
                let filters = self.arguments(field)?.filters;
                let filter = with(filters, self.has_fields(object, sets, &below)?);
                Some(some(near, some(far, filter)))
            }
            RowsFrom::Variants { variants, .. } => {
                let mut ways = Vec::new();
                for variant in self.api.variants(variants) {
                    let around = FilterContext::of_variant(OfVariant::new(variant));
                    let filters = self.arguments_of(field, around)?.filters;
                    let filter = with(filters, self.has_fields(variant.r#type, sets, &below)?);
                    let Some(hop) = variant.hop else { continue };
                    let filter = some(hop, filter);
                    ways.push(match variant.through {
                        Some(near) => some(near, filter),
                        None => filter,
                    });
                }
                Some(Filter::Or(ways))
            }
            _ => None,
        })
    }

    /// Refuses the directive on a field that has no rows.
    pub(super) fn check_cascade(
        &self,
        field: FieldId,
        directives: &[AppliedDirective],
        location: Location,
    ) -> Result<(), LowerError> {
        let Some(name) = self.api.cascade() else { return Ok(()) };
        let is_applied = directives.iter().any(|own| *own.name == *name);
        match self.api.field(field) {
            FieldBinding::Rows(_) | FieldBinding::Mutation(_) => Ok(()),
            _ if is_applied => {
                let message = format!("`@{name}` stands on fields of objects only");
                Err(LowerError::refused(&message, location))
            }
            _ => Ok(()),
        }
    }

    /// Refuses the name of a field that rows of a field do not have.
    fn require_field(&self, field: &CollectedField<'_>, name: &str) -> Result<(), LowerError> {
        let FieldRef::Field(id) = field.field else { return Ok(()) };
        let object = self.api.schema[id].r#type.base;
        if self.api.schema.find_field(object, name).is_some() {
            return Ok(());
        }
        let r#type = &self.api.schema[object].name;
        let message = format!(
            "Field `{name}` is not present in type `{type}`. You can only use fields in cascade \
             which are in type `{type}`"
        );
        Err(LowerError::refused(&message, field.location))
    }
}
