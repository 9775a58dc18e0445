//! The plan as types, fields and inputs with their bindings.
//!
//! * `base`: types of every API: scalars, directions
//! * `comparisons`: operators on values
//! * `rows`: objects, and fields of rows
//! * `conditions`: conditions on rows
//! * `orders`: orders of rows
//! * `streams`: streams of rows, of the subscription type
//! * `aggregates`: aggregates of rows, and orders by them; `aggregate_conditions`: conditions on them
//! * `functions`: functions and computed fields
//! * `native_queries`: native queries, with the objects of their models
//! * `texts`: inputs that take numbers and booleans as texts
//! * `namespace`: the object with the fields of the source in each root type
//! * `relay`: connections and global ids of the Relay API
//! * `mutations`: changes of rows, with `assignments` for the operators of updates

pub(super) mod aggregate_conditions;
mod aggregates;
mod assignments;
mod base;
mod comparisons;
mod condition_member;
mod conditions;
mod functions;
mod mutations;
mod namespace;
mod native_queries;
mod orders;
mod relay;
pub(super) mod rows;
mod streams;
mod texts;

use api::binding::{Cursors, EntityBinding};
use api::{Api, ApiBuilder};
use catalog::Catalog;
use graphql::Leniency;

use super::SchemaKind;
use super::collision::left_out;
use super::draft::Draft;
use super::plan::{Plan, is_unread};

/// The plan, and the API so far.
pub(super) struct Build<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) plan: &'a Plan<'a>,
    pub(super) draft: Draft,
}

impl Build<'_> {
    /// The name of a type that all tables share.
    fn shared_type(&self, name: &str) -> String {
        self.plan.naming.shared_type(name)
    }
}

/// Makes the API of a plan. `add` adds further types and fields, and returns how they are bound.
pub(super) fn build<B: FnOnce(&mut ApiBuilder)>(
    catalog: &Catalog,
    mut plan: Plan<'_>,
    add: impl FnOnce(&mut Build<'_>) -> B,
) -> Api {
    let notes = std::mem::take(&mut plan.notes);
    let draft = Draft::new(plan.naming.convention);
    let mut build = Build { catalog, plan: &plan, draft };
    base::add(&mut build);
    for planned in &plan.entities {
        rows::add_object(&mut build, planned);
        conditions::add(&mut build, planned);
        orders::add(&mut build, planned);
        aggregates::add(&mut build, planned);
    }
    if plan.schema == SchemaKind::Relay {
        relay::add_shared(&mut build);
        plan.entities.iter().for_each(|planned| relay::add(&mut build, planned));
    }
    if plan.schema == SchemaKind::Lists {
        native_queries::add(&mut build);
    }
    rows::add_roots(&mut build);
    mutations::add(&mut build);
    let mut calls: Vec<_> = functions::calls(&build).collect();
    calls.append(&mut native_queries::calls(&plan));
    let bind = add(&mut build);
    let mut builder = build.draft.finish();
    calls.into_iter().for_each(|(function, call)| builder.bind_call(function, call));
    builder.schema_mut().sorts_values = true;
    builder.schema_mut().leniency =
        Leniency { unused: true, nullable_items: true, ..Leniency::default() };
    builder.read_texts(texts::reads_texts);
    native_queries::bind(&plan, &mut builder);
    bind(&mut builder);
    base::add_directives(&mut builder);
    base::bind_enums(&plan, &mut builder);
    base::bind_forms(&mut builder);
    for planned in &plan.entities {
        for column in &planned.columns {
            builder.bind_column(column.field.id, column.values.binding.clone());
        }
        if plan.schema != SchemaKind::Relay {
            continue;
        }
        let mut binding = EntityBinding::default();
        if let Some(key) = planned.key() {
            binding.tie_break = key.iter().map(|column| column.field.id).collect();
            binding.cursors = Cursors::Members;
            binding.cursor_members = key.iter().map(|column| column.name().into()).collect();
        }
        builder.bind_entity(planned.entity.id, binding);
        relay::bind(planned, &mut builder);
    }
    if plan.entities.is_empty() {
        let is_unread = catalog.entities().any(|entity| is_unread(catalog, entity));
        let (message, remedy) = match is_unread {
            false => ("it has no table and no view.", "create one, or choose another namespace."),
            true => (
                "it has no table and no view of which a column may be read by the user of the \
                 connection, or by a role that this can become.",
                "grant SELECT to one of them, or choose another namespace.",
            ),
        };
        builder.note(left_out("the source", message, remedy));
    }
    for note in notes {
        builder.note(note);
    }
    builder.finish()
}
