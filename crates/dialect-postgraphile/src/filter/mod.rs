//! Filters, as in the connection-filter plugin: an input type for each entity, with operators for
//! each column.
//!
//! * [`composites`]: filters by the attributes of composites
//! * [`functions`]: filters by computed columns, and of functions' sets
//! * [`operators`]: the operators of each type
//! * [`relations`]: filters by related rows

mod composites;
pub(super) mod functions;
pub(super) mod operators;
mod relations;

use std::sync::Arc;

use catalog::{FieldId, Scalar, Type};
use graphql::schema::{InputDefinition, TypeId, TypeKind, TypeRef};
use ir::{Case, ValueRef};

use super::build::{Build, input};
use super::claims::{Claimant, Claims};
use super::entity::Served;
use super::tags::omit::Action;
use super::{descriptions, enum_table_types};
use api::binding::{CompositePlace, FilterRole, InputBinding, InputRole, Meaning, Subject};

/// Options of the filters, by the names of the plugin's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterOptions {
    /// Filters by related rows.
    pub relations: bool,
    /// True if null counts as an absent input; otherwise it is an error.
    pub allow_null_input: bool,
    /// The same for objects without fields.
    pub allow_empty_object_input: bool,
    /// `and`, `or`, `not`.
    pub logical_operators: bool,
    /// True if columns of lists have filters.
    pub arrays: bool,
    /// True if computed columns have filters.
    pub computed_columns: bool,
    /// True if functions' sets have filters.
    pub setof_functions: bool,
    /// The permitted operators, if not all.
    pub allowed_operators: Option<Vec<String>>,
    /// The types whose values have filters, if not all.
    pub allowed_field_types: Option<Vec<String>>,
    /// Other names for operators: each with the plugin's name first.
    pub operator_names: Vec<(String, String)>,
    /// True if filters by related rows have the names of lists; otherwise they have those of
    /// connections, if there are connections.
    pub use_list_inflectors: Option<bool>,
}

impl Default for FilterOptions {
    fn default() -> Self {
        Self {
            relations: false,
            allow_null_input: false,
            allow_empty_object_input: false,
            logical_operators: true,
            arrays: true,
            computed_columns: true,
            setof_functions: true,
            allowed_operators: None,
            allowed_field_types: None,
            operator_names: Vec::new(),
            use_list_inflectors: None,
        }
    }
}

impl FilterOptions {
    fn allows_type(&self, name: &str) -> bool {
        self.allowed_field_types.as_ref().is_none_or(|types| types.iter().any(|one| one == name))
    }

    fn null(&self) -> Meaning {
        match self.allow_null_input {
            true => Meaning::Ignore,
            false => Meaning::refuse(descriptions::NO_NULL_FILTER),
        }
    }

    fn empty(&self) -> Meaning {
        match self.allow_empty_object_input {
            true => Meaning::Ignore,
            false => Meaning::refuse(descriptions::NO_EMPTY_FILTER),
        }
    }

    /// The binding of an input whose value may be an object.
    pub(super) fn object(&self, role: impl Into<InputRole>) -> InputBinding {
        InputBinding { role: role.into(), null: self.null(), empty: self.empty() }
    }

    /// The binding of an input whose value is no object.
    fn value(&self, role: impl Into<InputRole>) -> InputBinding {
        InputBinding { role: role.into(), null: self.null(), empty: Meaning::Ignore }
    }
}

/// The filter type of an entity under construction.
#[derive(Debug)]
struct Filters<'f> {
    options: &'f FilterOptions,
    r#type: TypeId,
    /// The names of its fields.
    names: Claims,
}

/// Adds the filter type of an entity, without fields; `None` if it would have none.
pub(super) fn add(build: &mut Build<'_>, one: &Served<'_>) -> Option<TypeId> {
    let options = build.options.connection_filter.as_ref()?;
    if !build.offers_entity(one.entity.id, Action::Filter) {
        return None;
    }
    let related =
        options.relations && (!one.entity.outgoing.is_empty() || !one.entity.incoming.is_empty());
    if !related
        && one.columns.iter().all(|column| filter_of(build, column.field).is_none())
        && functions::computed(build, one.entity.id).is_empty()
    {
        return None;
    }
    let subject = build.entity_name(one.entity.id);
    add_type(build, &one.name, &subject)
}

/// Adds the type of filters by values of an object type, without fields.
fn add_type(build: &mut Build<'_>, of: &str, subject: &str) -> Option<TypeId> {
    let name = build.inflection.filter_type(of);
    if let Err(note) = build.types.claim(&name, Claimant { subject, what: "filter type" }) {
        build.note(note);
        return None;
    }
    let kind = TypeKind::InputObject { fields: Vec::new() };
    build.add_type(&name, Some(descriptions::filter_type(of).into()), kind)
}

/// Adds the fields of an entity's filter type, once all entities have theirs.
pub(super) fn add_fields(build: &mut Build<'_>, served: &[Served<'_>], index: usize) {
    let Some(options) = build.options.connection_filter.as_ref() else { return };
    let Some(one) = served.get(index) else { return };
    let Some(r#type) = one.types.and_then(|types| types.filter) else { return };
    let mut filters = Filters { options, r#type, names: Claims::default() };
    // Composites come after types without parts, as in the plugin.
    for composites in [false, true] {
        for column in &one.columns {
            let catalog = build.catalog;
            let value = &catalog[column.field].r#type;
            if matches!(value, Type::Composite(_)) != composites {
                continue;
            }
            let Some(operators) = filter_of(build, column.field) else { continue };
            let subject = build.field_name(column.field);
            let role = match value {
                Type::Composite(_) => FilterRole::Composite(CompositePlace::Field(column.field)),
                _ => {
                    let (plain, ignoring) = cases(value);
                    let place = ValueRef::field(column.field);
                    FilterRole::Operators(Arc::new(Subject { place, plain, ignoring }))
                }
            };
            filters.add_field(build, &column.name, operators, role, &subject);
        }
        if !composites {
            functions::add_computed(build, one.entity.id, &mut filters);
        }
    }
    if options.relations {
        relations::add(build, served, one, &mut filters);
    }
    if options.logical_operators {
        filters.add_logic(build, &build.entity_name(one.entity.id));
    }
}

/// The input type of the filters by a column.
fn filter_of(build: &mut Build<'_>, field: FieldId) -> Option<TypeId> {
    if !build.offers_field(field, Action::Filter) {
        return None;
    }
    if let Some(value) = enum_table_types::column_type(build, field) {
        return operators::find_enum(build, &value);
    }
    let catalog = build.catalog;
    find(build, &catalog[field].r#type)
}

/// The input type of the filters by values of a type.
fn find(build: &mut Build<'_>, r#type: &Type) -> Option<TypeId> {
    match r#type {
        Type::Composite(id) => composites::find(build, *id),
        _ => operators::find(build, r#type),
    }
}

/// Case sensitivity of plain operators, and of case-insensitive ones. The former compare
/// PostgreSQL's `citext` case-sensitively; but not a domain over it.
fn cases(r#type: &Type) -> (Case, Case) {
    let element = match r#type {
        Type::List(element) => element,
        other => other,
    };
    match element {
        Type::Scalar(Scalar::CaseInsensitiveText) => (Case::Exact, Case::AsTyped),
        _ => (Case::AsTyped, Case::Ignored),
    }
}

impl Filters<'_> {
    /// Adds a filter by a field of the object.
    fn add_field(
        &mut self,
        build: &mut Build<'_>,
        name: &str,
        r#type: TypeId,
        role: FilterRole,
        subject: &str,
    ) {
        let definition = input(name, &descriptions::filter_field(name), TypeRef::named(r#type));
        self.add(build, definition, role, subject);
    }

    /// Adds a filter by the rows of a relation.
    fn add_relation(
        &mut self,
        build: &mut Build<'_>,
        name: &str,
        r#type: TypeId,
        role: FilterRole,
        subject: &str,
    ) {
        let description = descriptions::filter_relation(name);
        let definition = input(name, &description, TypeRef::named(r#type));
        self.add(build, definition, role, subject);
    }

    fn add(
        &mut self,
        build: &mut Build<'_>,
        definition: InputDefinition,
        role: FilterRole,
        subject: &str,
    ) {
        match self.names.claim(&definition.name, Claimant { subject, what: "filter" }) {
            Ok(()) => {
                build.api.add_input_field(self.r#type, definition, self.options.object(role));
            }
            Err(note) => build.note(note),
        }
    }

    /// Adds `and`, `or` and `not`, unless columns have these names.
    fn add_logic(&mut self, build: &mut Build<'_>, subject: &str) {
        let one = TypeRef::named(self.r#type);
        let list = one.non_null().list();
        let item = self.options.empty();
        let operators = [
            ("and", descriptions::FILTER_AND, list, FilterRole::And { item: item.clone() }),
            ("or", descriptions::FILTER_OR, list, FilterRole::Or { item }),
            (
                "not",
                descriptions::FILTER_NOT,
                one,
                FilterRole::Negated(FilterRole::Conditions.into()),
            ),
        ];
        for (name, description, r#type, role) in operators {
            if let Err(note) = self.names.claim(name, Claimant { subject, what: "filter" }) {
                build.note(note);
                continue;
            }
            let binding = match role {
                FilterRole::Negated(_) => self.options.object(role),
                _ => self.options.value(role),
            };
            build.api.add_input_field(self.r#type, input(name, description, r#type), binding);
        }
    }
}

/// The binding of the argument of a filter.
pub(super) fn argument(options: &FilterOptions) -> InputBinding {
    options.object(FilterRole::Conditions)
}
