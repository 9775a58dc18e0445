//! The input types of rows: of new ones, of what a row is to become, and of those that functions
//! take.

use catalog::Generated;
use graphql::schema::{InputDefinition, TypeId, TypeKind};
use ir::{Member, ValueForm};

use super::{add_member, claim_type, is_shown};
use crate::binding::InputRole;
use crate::postgraphile::build::Build;
use crate::postgraphile::descriptions::{self, mutations};
use crate::postgraphile::entity::{Column, Served};
use crate::postgraphile::tags::omit::Action;

/// Which input type of an entity's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::postgraphile) enum RowInput {
    /// A new row.
    Create,
    /// What a row is to become.
    Patch,
    /// All columns, none of which must be given.
    Base,
}

impl RowInput {
    fn action(self) -> Action {
        match self {
            Self::Create => Action::Create,
            Self::Patch => Action::Update,
            Self::Base => Action::Base,
        }
    }
}

/// The columns that can be given.
pub(super) fn columns<'b>(
    build: &'b Build<'_>,
    one: &'b Served<'_>,
    row: RowInput,
) -> impl Iterator<Item = &'b Column> {
    one.offered(build, row.action()).filter(move |column| {
        let is_taken = match build.catalog[column.field].generated {
            None | Some(Generated::IdentityByDefault) => true,
            Some(Generated::Stored | Generated::IdentityAlways) => false,
        };
        is_taken && column.value.input.is_some() && is_shown(build, &[column.field])
    })
}

/// The input type of an entity's rows, made when it is first needed; `None` where no column can be
/// given.
pub(in crate::postgraphile) fn of_rows(
    build: &mut Build<'_>,
    one: &Served<'_>,
    row: RowInput,
) -> Option<TypeId> {
    let key = (one.entity.id, row);
    if let Some(known) = build.row_inputs.get(&key) {
        return *known;
    }
    let made = make(build, one, row);
    build.row_inputs.insert(key, made);
    made
}

fn make(build: &mut Build<'_>, one: &Served<'_>, row: RowInput) -> Option<TypeId> {
    let given: Vec<Column> = columns(build, one, row).cloned().collect();
    if given.is_empty() {
        return None;
    }
    let inflection = build.inflection;
    let (name, description) = match row {
        RowInput::Create => (inflection.input_type(&one.name), descriptions::input_type(&one.name)),
        RowInput::Patch => (inflection.patch_type(&one.name), mutations::patch_type(&one.name)),
        RowInput::Base => {
            (inflection.base_input_type(&one.name), mutations::base_input_type(&one.name))
        }
    };
    if !claim_type(build, one, &name, "input type") {
        return None;
    }
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let r#type = build.add_type(&name, Some(description.into()), kind)?;
    let fields = &one.entity.fields;
    let mut members = vec![None; fields.len()];
    for column in given {
        let Some(input) = column.value.input else { continue };
        let is_required = row == RowInput::Create && must_be_given(build, &column);
        let description = build.annotations.field(column.field).description.as_deref();
        let definition = InputDefinition {
            description: description.map(Into::into),
            ..InputDefinition::new(&column.name, input.non_null_if(is_required))
        };
        add_member(build, r#type, definition, InputRole::Stored(column.field));
        let place = fields.iter().position(|field| *field == column.field);
        if let Some(member) = place.and_then(|place| members.get_mut(place)) {
            let form = build.api.form(input);
            *member = Some(Member { name: column.name.as_str().into(), form });
        }
    }
    // For functions that take a row.
    build.api.bind_form(r#type, ValueForm::Composite(members));
    Some(r#type)
}

/// Whether a new row has no value for the column unless one is given.
fn must_be_given(build: &Build<'_>, column: &Column) -> bool {
    let field = &build.catalog[column.field];
    let has_default = field.has_default || field.generated.is_some();
    column.not_null && !has_default && !build.field_tags(column.field).has("hasDefault")
}
