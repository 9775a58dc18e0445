//! Queries and mutations.

use api::InputBinding;
use api::binding::{
    Change, FieldBinding, FilterRole, MutationBinding, MutationForm, RelatedChange,
    RelatedChangeKind, RelatedRole, RowsBinding, RowsForm, RowsFrom, WriteRole,
};
use api::draft::{DraftField, DraftInput};

use super::builder::{Builder, lower_first};
use super::type_order::type_order;
use super::{arguments, inputs, nodes, rows, statements};
use crate::model::TypeIndex;
use crate::plural::plural;

const MISSING: &str = "The database does not have it.";

/// Adds the root types. Fields of one kind are together, in the order of the types.
pub(super) fn add(build: &mut Builder<'_>) {
    let types = type_order(build.model);
    let mut queries = Vec::new();
    for index in &types {
        let (list, _) = names(build, *index);
        let r#type = format!("[{}]!", build.r#type(*index).name);
        let field = DraftField::new(&list, &r#type, read(build, *index, RowsForm::List));
        queries.push(field.with(arguments::of_list(build, *index)));
    }
    for index in types.iter().filter(|index| build.has_unique_field(**index)) {
        let name = &*build.r#type(*index).name;
        let binding = read(build, *index, RowsForm::Keyed);
        let key = DraftInput::new(
            "where",
            &format!("{name}WhereUniqueInput!"),
            InputBinding::lenient(FilterRole::OneOf(rows::selector(name))),
        );
        queries.push(DraftField::new(&lower_first(name), name, binding).with(vec![key]));
    }
    for index in &types {
        let (list, _) = names(build, *index);
        let r#type = format!("{}Connection!", build.r#type(*index).name);
        let binding = read(build, *index, RowsForm::Connection);
        let field = DraftField::new(&format!("{list}Connection"), &r#type, binding);
        queries.push(field.with(arguments::of_list(build, *index)));
    }
    queries.push(nodes::field(build));
    build.object("Query", queries);
    let mut mutations = mutations(build, &types);
    if build.offered.raw_access {
        mutations.push(statements::field(build));
    }
    build.object("Mutation", mutations);
}

/// The names of the list of a type's rows, and its plural.
fn names(build: &Builder<'_>, index: TypeIndex) -> (String, String) {
    let plural = plural(&build.r#type(index).name);
    (lower_first(&plural), plural)
}

fn read(build: &Builder<'_>, index: TypeIndex, form: RowsForm) -> FieldBinding {
    match build.located.r#type(index) {
        Some(rows) => FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Entity,
            entity: rows.entity,
            form,
            default_limit: None,
        }),
        None => FieldBinding::Refused(MISSING.into()),
    }
}

fn mutations(build: &mut Builder<'_>, types: &[TypeIndex]) -> Vec<DraftField> {
    let mut fields: [Vec<DraftField>; 7] = Default::default();
    for index in types {
        let name = build.r#type(*index).name.clone();
        let (_, plural) = names(build, *index);
        let unique = build.has_unique_field(*index).then(|| format!("{name}WhereUniqueInput"));
        let created = inputs::create(build, *index, None);
        let updated = inputs::update(build, *index);
        let updated_many = inputs::update_many(build, *index, "UpdateManyMutationInput");
        let created_many = inputs::create_many(build, *index);
        let [creates, updates, deletes, upserts, many_updates, many_deletes, many_creates] =
            &mut fields;
        let change = |kind, verb: &str, r#type: &str, arguments: Vec<DraftInput>| {
            let binding = changed(build, *index, kind);
            DraftField::new(&format!("{verb}{name}"), r#type, binding).with(arguments)
        };
        let required = format!("{name}!");
        let data = created.as_ref().map(|input| part("data", input, RelatedRole::Data));
        creates.push(change(
            RelatedChangeKind::Create,
            "create",
            &required,
            data.into_iter().collect(),
        ));
        let key = unique.as_ref().map(|input| part("where", input, RelatedRole::Where));
        if let (Some(key), Some(updated)) = (&key, &updated) {
            let data = part("data", updated, RelatedRole::Data);
            let arguments = vec![data, key.clone()];
            updates.push(change(RelatedChangeKind::Update, "update", &name, arguments));
        }
        if let Some(key) = &key {
            let arguments = vec![key.clone()];
            deletes.push(change(RelatedChangeKind::Delete, "delete", &name, arguments));
        }
        if let (Some(key), Some(created), Some(updated)) = (&key, &created, &updated) {
            let arguments = vec![
                key.clone(),
                part("create", created, RelatedRole::Create),
                part("update", updated, RelatedRole::Update),
            ];
            upserts.push(change(RelatedChangeKind::Upsert, "upsert", &required, arguments));
        }
        let many = |kind, verb: &str, arguments: Vec<DraftInput>| {
            let binding = changed(build, *index, kind);
            let name = format!("{verb}Many{plural}");
            DraftField::new(&name, "BatchPayload!", binding).with(arguments)
        };
        if let Some(updated) = &updated_many {
            let data = part("data", updated, RelatedRole::Data);
            let arguments = vec![data, arguments::condition(&name)];
            many_updates.push(many(RelatedChangeKind::UpdateMany, "update", arguments));
        }
        let arguments = vec![arguments::condition(&name)];
        many_deletes.push(many(RelatedChangeKind::DeleteMany, "delete", arguments));
        if let Some(created) = &created_many {
            let data = part("data", &format!("[{created}!]"), RelatedRole::Data);
            many_creates.push(many(RelatedChangeKind::CreateMany, "create", vec![data]));
        }
    }
    fields.into_iter().flatten().collect()
}

fn part(name: &str, r#type: &str, role: RelatedRole) -> DraftInput {
    let binding = InputBinding::lenient(WriteRole::Related(role));
    DraftInput::new(name, &format!("{type}!"), binding)
}

fn changed(build: &Builder<'_>, index: TypeIndex, kind: RelatedChangeKind) -> FieldBinding {
    let Some(located) = build.located.r#type(index) else {
        return FieldBinding::Refused(MISSING.into());
    };
    let form = match kind {
        RelatedChangeKind::CreateMany
        | RelatedChangeKind::UpdateMany
        | RelatedChangeKind::DeleteMany => MutationForm::Payload,
        RelatedChangeKind::Create
        | RelatedChangeKind::Update
        | RelatedChangeKind::Upsert
        | RelatedChangeKind::Delete => MutationForm::Row,
    };
    FieldBinding::Mutation(Box::new(MutationBinding {
        change: Change::Related(RelatedChange { rows: rows::id(index), kind }),
        returned: (form == MutationForm::Row).then_some(located.entity),
        form,
        missing: None,
        unchanged: None,
    }))
}
