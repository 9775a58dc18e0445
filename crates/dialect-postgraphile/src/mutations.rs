//! Mutations: changes of rows of tables and views, and volatile functions.
//!
//! * [`rows`](self::rows): insert, update and delete of single rows
//! * [`inputs`]: the input types of rows
//! * [`payload`]: results of mutations
//! * [`functions`]: volatile functions
//! * [`bulk`], [`upsert`]: by option several rows at once, and upserts
//! * [`nested`]: by option nested mutations of connected rows

mod bulk;
mod functions;
pub(super) mod inputs;
mod nested;
mod payload;
mod rows;
mod upsert;

use catalog::{EntityId, EntityKind, FieldId, FunctionResult, Note, NoteKind};
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeKind, TypeRef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{Build, input, object};
use super::claims::{Claimant, Claims};
use super::descriptions;
use super::entity::Served;
use super::naming::Verb;
use super::tags::omit::Action;
use api::binding::{FieldBinding, InputBinding, InputRole, MutationBinding, WriteRole};

/// The mutation type, made with its first field.
#[derive(Debug, Default)]
struct Mutations {
    r#type: Option<TypeId>,
    names: Claims,
    /// The results of the fields that insert or update one row.
    payloads: FxHashMap<(EntityId, Verb), TypeId>,
}

/// A field of the mutation type, without its types.
struct Field {
    definition: FieldDefinition,
    binding: MutationBinding,
}

/// Adds the mutation type, if it has a field.
pub(super) fn add(build: &mut Build<'_>, served: &[Served<'_>]) {
    let mut mutations = Mutations::default();
    if !build.options.disable_default_mutations {
        for one in served {
            rows::add_create(build, served, one, &mut mutations);
        }
        for verb in [Verb::Update, Verb::Delete] {
            for one in served {
                rows::add_changes(build, served, one, verb, &mut mutations);
            }
        }
    }
    functions::add(build, served, &mut mutations);
    // Last, so that names without the options do not change.
    if build.options.upsert_mutations {
        upsert::add(build, served, &mut mutations);
    }
    if let Some(most) = build.options.bulk_mutations {
        bulk::add(build, served, most, &mut mutations);
    }
    if let Some(most) = build.options.nested_mutations {
        nested::add(build, served, most, &mut mutations);
    }
}

impl Mutations {
    /// The mutation type itself.
    fn root(&mut self, build: &mut Build<'_>) -> Option<TypeId> {
        if self.r#type.is_none() {
            let description = Some(descriptions::mutations::MUTATION.into());
            let made = build.add_type("Mutation", description, object(Vec::new()))?;
            build.api.schema_mut().mutation = Some(made);
            self.r#type = Some(made);
        }
        self.r#type
    }

    /// Adds a field that takes one input object.
    fn add_field(&mut self, build: &mut Build<'_>, field: Field, input_type: TypeId) {
        let Some(root) = self.root(build) else { return };
        let binding = FieldBinding::Mutation(Box::new(field.binding));
        let id = build.api.add_field(root, field.definition, binding);
        let r#type = TypeRef::named(input_type).non_null();
        let definition = input("input", descriptions::mutations::INPUT, r#type);
        build.api.add_argument(id, definition, InputBinding::lenient(WriteRole::Inputs));
    }
}

/// Adds an input type whose name was claimed, with the fields of every such type.
fn add_input_type(build: &mut Build<'_>, name: &str, description: String) -> Option<TypeId> {
    let text = build.scalar("String")?;
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let made = build.add_type(name, Some(description.into()), kind)?;
    let definition = input("clientMutationId", descriptions::mutations::CLIENT_ID_INPUT, text);
    add_member(build, made, definition, WriteRole::ClientMutationId);
    Some(made)
}

/// True if the input of a field can have these members besides the one that every input has. A note
/// reports two of one name; members of columns have theirs.
fn has_distinct_members<'n>(
    build: &mut Build<'_>,
    one: &Served<'_>,
    field: &str,
    members: impl IntoIterator<Item = (&'n str, Option<FieldId>)>,
) -> bool {
    let mut known = FxHashSet::from_iter(["clientMutationId"]);
    for (name, column) in members {
        if known.insert(name) {
            continue;
        }
        let entity = one.entity.id;
        let note = Note {
            kind: NoteKind::Collision,
            subject: build.entity_name(entity).into(),
            message: format!(
                "the input of its mutation {field} would have two fields called {name}; the \
                 mutation is left out."
            )
            .into(),
            remedy: "".into(),
        };
        build.note_with(note, |build| match column {
            Some(column) => build.rename_field(column),
            None => build.rename_entity(entity),
        });
        return false;
    }
    true
}

fn add_member(
    build: &mut Build<'_>,
    r#type: TypeId,
    definition: InputDefinition,
    role: impl Into<InputRole>,
) {
    build.api.add_input_field(r#type, definition, InputBinding::lenient(role));
}

/// Takes the name of a type; `false` if it is taken.
fn claim_type(build: &mut Build<'_>, one: &Served<'_>, name: &str, what: &str) -> bool {
    let subject = build.entity_name(one.entity.id);
    match build.types.claim(name, Claimant { subject: &subject, what }) {
        Ok(()) => true,
        Err(note) => {
            build.note_with(note, |build| build.rename_entity(one.entity.id));
            false
        }
    }
}

/// True if rows of the entity have mutations with this verb.
fn is_offered(build: &Build<'_>, one: &Served<'_>, verb: Verb) -> bool {
    let offered = one.entity.access;
    let (takes, action) = match verb {
        Verb::Create => (offered.insert, Action::Create),
        Verb::Update => (offered.update, Action::Update),
        Verb::Delete => (offered.delete, Action::Delete),
    };
    let may = !build.options.disable_default_mutations;
    may && takes && one.entity.kind.is_stored() && build.offers_entity(one.entity.id, action)
}

/// True if a mutation returns a row of the entity with its cursor.
pub(super) fn has_edge(build: &Build<'_>, one: &Served<'_>) -> bool {
    let id = one.entity.id;
    let shown = build.offers_entity(id, Action::All) || build.offers_entity(id, Action::Many);
    let changed = [Verb::Create, Verb::Update, Verb::Delete];
    shown
        && build.collections(id).has_connections()
        && (changed.into_iter().any(|verb| is_offered(build, one, verb)) || is_given(build, id))
}

/// True if a volatile function returns a row of the entity.
fn is_given(build: &Build<'_>, id: EntityId) -> bool {
    build.catalog[id].kind != EntityKind::Record
        && build.catalog.functions().any(|function| {
            !function.only_reads()
                && function.result == FunctionResult::Row(id)
                && build.offers_function(function.id)
        })
}
