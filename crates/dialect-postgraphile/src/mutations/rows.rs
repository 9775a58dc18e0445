//! Mutations of single rows: insert, update and delete.

use catalog::FieldId;
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeRef};

use super::inputs::{self};
use super::{
    Field, Mutations, add_input_type, add_member, claim_type, has_distinct_members, is_offered,
    payload,
};
use crate::api_types::RowInput;
use crate::build::{Build, field, input};
use crate::claims::Claimant;
use crate::descriptions::{beyond, mutations as descriptions};
use crate::entity::{Column, Served};
use crate::naming::Verb;
use crate::root;
use crate::tags::deprecation;
use crate::tags::omit::Action;
use api::binding::{
    ArgumentRole, Change, FilterRole, MutationBinding, MutationForm, NestedChange, WriteRole,
};

/// Adds the field that inserts a row.
pub(super) fn add_create(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    mutations: &mut Mutations,
) {
    let table = build.table_name(one.entity.id);
    let name = build.inflection.create(table);
    let member = build.inflection.table_field(table);
    if !is_offered(build, one, Verb::Create)
        || !has_distinct_members(build, one, &name, [(&*member, None)])
        || !claim_field(build, one, mutations, &name)
    {
        return;
    }
    let Some(payload) = payload::of_rows(build, served, one, Verb::Create) else { return };
    mutations.payloads.insert((one.entity.id, Verb::Create), payload);
    let input_name = build.inflection.create_input(table);
    if !claim_type(build, one, &input_name, "input type") {
        return;
    }
    let description = descriptions::create_input(&one.name);
    let Some(input_type) = add_input_type(build, &input_name, description) else { return };
    // Without a writable column, new rows consist of defaults.
    if let Some(row) = inputs::of_rows(build, served, one, RowInput::Create) {
        let description = descriptions::to_be_created(&one.name);
        let r#type = TypeRef::named(row).non_null();
        let definition = input(&member, &description, r#type);
        add_member(build, input_type, definition, WriteRole::Inputs);
    }
    let definition = field(&name, &descriptions::creates(&one.name), TypeRef::named(payload));
    let binding = binding(build, one, Verb::Create);
    add_field(build, one, mutations, (definition, binding), input_type);
}

/// Adds the fields that update or delete the row of a global id, or of a key.
pub(super) fn add_changes(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    verb: Verb,
    mutations: &mut Mutations,
) {
    if !is_offered(build, one, verb) {
        return;
    }
    let keys = keys_of(build, one, verb);
    if !build.has_node_ids(one.entity.id) && keys.is_empty() {
        return;
    }
    let patch = match verb {
        Verb::Create | Verb::Delete => None,
        Verb::Update => match inputs::of_rows(build, served, one, RowInput::Patch) {
            // No column of its rows can be changed.
            None => return,
            patch => patch,
        },
    };
    let Some(payload) = payload::of_rows(build, served, one, verb) else { return };
    mutations.payloads.insert((one.entity.id, verb), payload);
    Changes { one, verb, payload, patch, nested: None }.add(build, mutations, &keys);
}

/// Adds the fields that update the row of a global id, or of a key, with nested inputs.
pub(super) fn add_nested_changes(
    build: &mut Build<'_>,
    one: &Served<'_>,
    (patch, payload): (TypeId, TypeId),
    change: NestedChange,
    mutations: &mut Mutations,
) {
    let keys = keys_of(build, one, Verb::Update);
    let (patch, nested) = (Some(patch), Some(change));
    Changes { one, verb: Verb::Update, payload, patch, nested }.add(build, mutations, &keys);
}

/// The keys of mutations, by index.
fn keys_of(build: &Build<'_>, one: &Served<'_>, verb: Verb) -> Vec<(usize, Vec<Column>)> {
    let columns = |place| Some((place, columns_of_key(build, one, place, verb)?));
    root::keys(one).into_iter().filter_map(columns).collect()
}

/// The columns of a key of mutations.
pub(super) fn columns_of_key(
    build: &Build<'_>,
    one: &Served<'_>,
    place: usize,
    verb: Verb,
) -> Option<Vec<Column>> {
    let key = one.entity.keys.get(place)?;
    let action = match verb {
        Verb::Create => return None,
        Verb::Update => Action::Update,
        Verb::Delete => Action::Delete,
    };
    if !build.offers_key(one.entity.id, place, action) {
        return None;
    }
    let column = |field: &FieldId| {
        let column = one.column(*field).filter(|column| column.value.input.is_some());
        column.filter(|_| build.offers_field(*field, Action::Read)).cloned()
    };
    key.fields.iter().map(column).collect()
}

/// The mutations of one entity's rows with one verb.
struct Changes<'s> {
    one: &'s Served<'s>,
    verb: Verb,
    payload: TypeId,
    /// The input type of a patch, for updates.
    patch: Option<TypeId>,
    /// The nested change, for nested mutations.
    nested: Option<NestedChange>,
}

impl Changes<'_> {
    fn add(&self, build: &mut Build<'_>, mutations: &mut Mutations, keys: &[(usize, Vec<Column>)]) {
        if build.has_node_ids(self.one.entity.id) {
            self.add_by_node_id(build, mutations);
        }
        for (place, columns) in keys {
            self.add_by_key(build, mutations, *place, columns);
        }
    }

    /// The names of a field and of its input type; the given ones without nested inputs.
    fn names(&self, build: &Build<'_>, field: String, input: String) -> (String, String) {
        match self.nested {
            Some(_) => {
                let field = build.inflection.nested(&field);
                let input = build.inflection.input_of(&field);
                (field, input)
            }
            None => (field, input),
        }
    }

    fn add_by_node_id(&self, build: &mut Build<'_>, mutations: &mut Mutations) {
        let Self { one, verb, .. } = *self;
        let table = build.table_name(one.entity.id);
        let name = build.inflection.change_by_node_id(verb, table);
        let input_name = build.inflection.change_input_by_node_id(verb, table);
        let (name, input_name) = self.names(build, name, input_name);
        let Some(id) = build.scalar("ID") else { return };
        if !self.has_distinct_members(build, &name, &[(build.inflection.node_id(), None)]) {
            return;
        }
        let Some(input_type) = self.add_input(build, mutations, &name, &input_name) else { return };
        let description = descriptions::node_id_input(verb, &one.name);
        let definition = input(build.inflection.node_id(), &description, id.non_null());
        add_member(build, input_type, definition, ArgumentRole::NodeId);
        self.add_patch(build, input_type);
        let description = descriptions::changes_by_node_id(verb, &one.name);
        self.add_field(build, mutations, field(&name, &description, self.row()), input_type);
    }

    fn add_by_key(
        &self,
        build: &mut Build<'_>,
        mutations: &mut Mutations,
        place: usize,
        columns: &[Column],
    ) {
        let Self { one, verb, .. } = *self;
        let (name, input_name) = self.names_by_key(build, place);
        let members: Vec<_> =
            columns.iter().map(|column| (&*column.name, Some(column.field))).collect();
        if !self.has_distinct_members(build, &name, &members) {
            return;
        }
        let Some(input_type) = self.add_input(build, mutations, &name, &input_name) else { return };
        self.add_patch(build, input_type);
        for column in columns {
            let Some(r#type) = column.value.input else { continue };
            let description = build.annotations.field(column.field).description.as_deref();
            let definition = InputDefinition {
                description: description.map(Into::into),
                ..InputDefinition::new(&column.name, r#type.non_null())
            };
            add_member(build, input_type, definition, FilterRole::Equal(column.field));
        }
        let description = descriptions::changes_by_key(verb, &one.name);
        self.add_field(build, mutations, field(&name, &description, self.row()), input_type);
    }

    fn names_by_key(&self, build: &Build<'_>, place: usize) -> (String, String) {
        let (id, verb, inflection) = (self.one.entity.id, self.verb, build.inflection);
        if let Some(name) = build.key_tags(id, place).text(verb.field_tag()) {
            return self.names(build, name.into(), inflection.input_of(name));
        }
        let table = build.table_name(id);
        let Some(key) = self.one.entity.keys.get(place) else { return Default::default() };
        let columns = build.column_names(&key.fields);
        let name = inflection.change_by(verb, table, key.kind, &columns);
        let input_name = inflection.change_input_by(verb, table, key.kind, &columns);
        self.names(build, name, input_name)
    }

    /// Takes the field's name, and adds its input type.
    fn add_input(
        &self,
        build: &mut Build<'_>,
        mutations: &mut Mutations,
        name: &str,
        input_name: &str,
    ) -> Option<TypeId> {
        if !claim_field(build, self.one, mutations, name) {
            return None;
        }
        if !claim_type(build, self.one, input_name, "input type") {
            return None;
        }
        add_input_type(build, input_name, descriptions::input_of(name))
    }

    /// True if the input can have these members and the patch.
    fn has_distinct_members(
        &self,
        build: &mut Build<'_>,
        field: &str,
        members: &[(&str, Option<FieldId>)],
    ) -> bool {
        let patch = self.patch.map(|_| self.patch_field(build));
        let patch = patch.as_deref().map(|name| (name, None));
        let members = patch.into_iter().chain(members.iter().copied());
        has_distinct_members(build, self.one, field, members)
    }

    fn patch_field(&self, build: &Build<'_>) -> String {
        build.inflection.patch_field(build.table_name(self.one.entity.id))
    }

    /// Adds the patch, for updates.
    fn add_patch(&self, build: &mut Build<'_>, input_type: TypeId) {
        let Some(patch) = self.patch else { return };
        let name = self.patch_field(build);
        let description = descriptions::patch_input(&self.one.name);
        let definition = input(&name, &description, TypeRef::named(patch).non_null());
        add_member(build, input_type, definition, WriteRole::Inputs);
    }

    fn row(&self) -> TypeRef {
        TypeRef::named(self.payload)
    }

    fn add_field(
        &self,
        build: &mut Build<'_>,
        mutations: &mut Mutations,
        definition: FieldDefinition,
        input_type: TypeId,
    ) {
        let plain = binding(build, self.one, self.verb);
        let (definition, binding) = match &self.nested {
            None => (definition, plain),
            Some(change) => (
                nested_definition(definition),
                MutationBinding { change: Change::Nested(change.clone()), ..plain },
            ),
        };
        add_field(build, self.one, mutations, (definition, binding), input_type);
    }
}

/// The nested variant of a mutation's field.
pub(super) fn nested_definition(plain: FieldDefinition) -> FieldDefinition {
    let description = plain.description.as_deref().unwrap_or_default();
    FieldDefinition { description: Some(beyond::nested(description).into()), ..plain }
}

/// Adds a field; fields of a deprecated table are deprecated, too.
pub(super) fn add_field(
    build: &mut Build<'_>,
    one: &Served<'_>,
    mutations: &mut Mutations,
    (definition, binding): (FieldDefinition, MutationBinding),
    input_type: TypeId,
) {
    let deprecated = deprecation(build.entity_tags(one.entity.id));
    let definition = FieldDefinition { deprecated, ..definition };
    mutations.add_field(build, Field { definition, binding }, input_type);
}

pub(super) fn claim_field(
    build: &mut Build<'_>,
    one: &Served<'_>,
    mutations: &mut Mutations,
    name: &str,
) -> bool {
    let subject = build.entity_name(one.entity.id);
    let claimed = mutations.names.claim(name, Claimant { subject: &subject, what: "mutation" });
    claimed
        .map_err(|note| build.note_with(note, |build| build.rename_entity(one.entity.id)))
        .is_ok()
}

pub(super) fn binding(build: &Build<'_>, one: &Served<'_>, verb: Verb) -> MutationBinding {
    let id = one.entity.id;
    let (change, guarded) = match verb {
        Verb::Create => (Change::Create(id), false),
        Verb::Update => (Change::Update(id), true),
        Verb::Delete => (Change::Delete(id), true),
    };
    let collection = build.inflection.collection(build.table_name(id));
    MutationBinding {
        change,
        returned: Some(id),
        form: MutationForm::Payload,
        missing: guarded.then(|| descriptions::missing(verb, &collection).into()),
        unchanged: None,
    }
}
