//! Adds the subscription fields of a file to the API.

use std::sync::Arc;

use catalog::{Note, NoteKind};
use graphql::definitions::FieldDefinition as Written;
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeKind, TypeRef};

use super::{EventField, Payload};
use crate::build::{Build, object};
use crate::scalars;
use api::binding::{
    ArgumentRole, EventMember, FieldBinding, InputBinding, ListenBinding, MemberKind,
};

/// The member of a notification that is the node id of a row.
const NODE: &str = "__node__";

/// Adds the fields to the subscription type. What does not fit the API is left out, with a note.
pub(crate) fn add(build: &mut Build<'_>, root: TypeId) {
    let options = build.options;
    let file = &options.subscriptions_file.0;
    let payloads: Vec<_> =
        file.payloads.iter().map(|payload| (payload, add_payload(build, payload))).collect();
    for field in &file.fields {
        let named =
            payloads.iter().find(|(payload, _)| payload.name == *field.definition.r#type.base());
        if let Some((_, Some((payload, members)))) = named {
            add_field(build, (root, field), *payload, members);
        }
    }
}

fn add_field(
    build: &mut Build<'_>,
    (root, field): (TypeId, &EventField),
    payload: TypeId,
    members: &Arc<[EventMember]>,
) {
    let EventField { definition: written, topic } = field;
    let arguments: Option<Vec<_>> = written
        .arguments
        .iter()
        .map(|argument| Some((argument, build.scalar(argument.r#type.base())?)))
        .collect();
    if build.api.schema().find_field(root, &written.name).is_some() {
        return leave_out(build, &written.name, "another subscription has its name");
    }
    let Some(arguments) = arguments else {
        return leave_out(build, &written.name, "a type of the database has the name of a scalar");
    };
    let r#type = TypeRef::named(payload);
    let definition = FieldDefinition {
        description: written.description.clone(),
        ..FieldDefinition::new(&written.name, required(r#type, written.r#type.is_required()))
    };
    let binding = ListenBinding {
        channel: Box::default(),
        node: NODE.into(),
        topic: Some(Arc::clone(topic)),
        members: Arc::clone(members),
    };
    let added = build.api.add_field(root, definition, FieldBinding::Listen(Box::new(binding)));
    for (argument, r#type) in arguments {
        let definition = InputDefinition {
            description: argument.description.clone(),
            ..InputDefinition::new(&argument.name, required(r#type, argument.r#type.is_required()))
        };
        let binding = InputBinding::lenient(ArgumentRole::Topic);
        build.api.add_argument(added, definition, binding);
    }
}

fn required(r#type: TypeRef, is_required: bool) -> TypeRef {
    if is_required { r#type.non_null() } else { r#type }
}

/// Adds a type of events, and returns it with the members of a notification that it shows.
fn add_payload(build: &mut Build<'_>, payload: &Payload) -> Option<(TypeId, Arc<[EventMember]>)> {
    if build.api.schema().find_type(&payload.name).is_some() {
        leave_out(build, &payload.name, "another type has its name");
        return None;
    }
    let (mut fields, mut members) = (Vec::new(), Vec::new());
    for field in &payload.fields {
        let Some((r#type, binding)) = member_of(build, field) else {
            let subject = format!("{}.{}", payload.name, field.name);
            leave_out(
                build,
                &subject,
                "its type is neither a scalar nor that of rows with node ids",
            );
            continue;
        };
        if let (FieldBinding::EventMember(name), Some(kind)) = (&binding, kind_of(field)) {
            members.push(EventMember { name: name.clone(), kind });
        }
        let definition = FieldDefinition {
            description: field.description.clone(),
            ..FieldDefinition::new(&field.name, r#type)
        };
        fields.push((definition, binding));
    }
    if fields.is_empty() {
        leave_out(build, &payload.name, "it has no fields");
        return None;
    }
    let description = payload.description.as_deref().map(Box::from);
    let id = build.add_type(&payload.name, description, object(Vec::new()))?;
    for (definition, binding) in fields {
        build.api.add_field(id, definition, binding);
    }
    Some((id, members.into()))
}

/// The type of a member of events, with its binding.
fn member_of(build: &mut Build<'_>, field: &Written) -> Option<(TypeRef, FieldBinding)> {
    let name = &**field.r#type.base();
    if kind_of(field).is_some() {
        let binding = FieldBinding::EventMember((&*field.name).into());
        return Some((build.scalar(name)?, binding));
    }
    let schema = build.api.schema();
    let found = schema.find_type(name)?;
    if schema.query == Some(found) {
        return Some((TypeRef::named(found), FieldBinding::Constants));
    }
    let has_ids = build.options.node_ids
        && match &schema[found].kind {
            TypeKind::Interface { .. } => name == scalars::NODE,
            TypeKind::Object { interfaces, .. } => {
                interfaces.iter().any(|one| &*schema[*one].name == scalars::NODE)
            }
            _ => false,
        };
    has_ids.then(|| (TypeRef::named(found), FieldBinding::RelatedNode))
}

fn kind_of(field: &Written) -> Option<MemberKind> {
    match &**field.r#type.base() {
        "String" | "ID" => Some(MemberKind::Text),
        "Int" => Some(MemberKind::Int),
        "Float" => Some(MemberKind::Float),
        "Boolean" => Some(MemberKind::Boolean),
        _ => None,
    }
}

fn leave_out(build: &mut Build<'_>, subject: &str, reason: &str) {
    build.note(Note {
        kind: NoteKind::Declaration,
        subject: subject.into(),
        message: format!("{reason}; it is left out of the subscriptions.").into(),
        remedy: "rename it, or correct its type, in the file of --subscriptions-file.".into(),
    });
}
