//! Root fields of the mutations of nodes.

use std::sync::Arc;

use catalog::EntityId;

use super::builder::Builder;
use super::rows::filter;
use crate::model::Target;
use crate::shared::draft::{DraftField, DraftInput};
use api::binding::{Change, FieldBinding, MutationBinding, MutationForm, PayloadField, WriteRole};

/// Facts of a version about mutations.
#[derive(Clone, Debug)]
pub(crate) struct Mutations<'b> {
    /// Nested writes of updates: their arguments, with the ends of their types' names.
    pub(crate) nested: &'b [(&'b str, &'b str)],
    /// Role of nested writes.
    pub(crate) role: WriteRole,
    /// Reason for which the fields are deprecated.
    pub(crate) deprecated: Option<&'b Arc<str>>,
}

/// Adds `createMovies`, `deleteMovies` and `updateMovies`.
pub(crate) fn add_mutations(build: &mut Builder<'_>, place: usize, facts: &Mutations<'_>) {
    let Some(entity) = build.placed.nodes.get(place).map(|placed| placed.entity) else { return };
    let node = &build.model.nodes[place];
    let several = build.names(Target::Node(place)).pascal_plural();
    let field = |verb: &str, r#type: &str, change, returned| {
        DraftField::new(&format!("{verb}{several}"), r#type, binding(change, returned))
            .deprecated(facts.deprecated)
    };
    let r#where = filter(build, Target::Node(place));
    if node.offers.create {
        let r#type = format!("{}!", add_response(build, place, "Create"));
        let input = format!("[{}CreateInput!]!", node.name);
        let field = field("create", &r#type, Change::CreateNodes(entity), Some(entity))
            .argument(DraftInput::lenient("input", &input, WriteRole::Rows));
        build.draft.add_field("Mutation", field);
    }
    if node.offers.delete {
        let mut field = field("delete", "DeleteInfo!", Change::DeleteNodes(entity), None)
            .argument(r#where.clone());
        field.arguments.extend(nested(build, &node.name, ("delete", "DeleteInput"), facts));
        build.draft.add_field("Mutation", field);
    }
    if node.offers.update {
        let r#type = format!("{}!", add_response(build, place, "Update"));
        let input = format!("{}UpdateInput", node.name);
        let mut field = field("update", &r#type, Change::UpdateNodes(entity), Some(entity))
            .argument(r#where)
            .argument(DraftInput::lenient("update", &input, WriteRole::Inputs));
        for argument in facts.nested {
            field.arguments.extend(nested(build, &node.name, *argument, facts));
        }
        build.draft.add_field("Mutation", field);
    }
}

/// The argument of nested writes along all relationships of the nodes, if they have any.
fn nested(
    build: &Builder<'_>,
    node: &str,
    (name, suffix): (&str, &str),
    facts: &Mutations<'_>,
) -> Option<DraftInput> {
    let r#type = format!("{node}{suffix}");
    build.draft.has(&r#type).then(|| DraftInput::lenient(name, &r#type, facts.role.clone()))
}

fn binding(change: Change, returned: Option<EntityId>) -> FieldBinding {
    FieldBinding::Mutation(Box::new(MutationBinding {
        change,
        returned,
        form: MutationForm::Payload,
        missing: None,
        unchanged: None,
    }))
}

/// Adds the type that a mutation returns: `CreateMoviesMutationResponse`.
fn add_response(build: &mut Builder<'_>, node: usize, verb: &str) -> String {
    let target = Target::Node(node);
    let names = build.names(target);
    let (several, field) = (names.pascal_plural(), names.plural.clone());
    let name = format!("{verb}{several}MutationResponse");
    let counters = FieldBinding::Payload(PayloadField::Counters);
    build.show(&name, "info", &format!("{verb}Info!"), counters);
    let rows = format!("[{}!]!", build.name(target));
    build.show(&name, &field, &rows, FieldBinding::Payload(PayloadField::Rows));
    name
}
