//! Subscriptions, by option: live queries, and the events of the plugin pg-pubsub.

use std::sync::Arc;

use catalog::{Note, NoteKind};
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeRef};
use graphql::value::Const;

use super::Options;
use super::build::{Build, field, input, object};
use super::descriptions::subscriptions as descriptions;
use super::{event_fields, scalars};
use api::binding::{ArgumentRole, FieldBinding, InputBinding, ListenBinding};
use api::{add_live_fields, add_subscription_type};

const LISTEN: &str = "listen";

/// The beginning of the names of channels.
const CHANNEL: &str = "postgraphile:";
/// The member of a notification that is the node id of a row.
const NODE: &str = "__node__";

/// Adds the subscription type, if an option asks for one of its fields.
pub(super) fn add(build: &mut Build<'_>) {
    let Options { live, simple_subscriptions, .. } = *build.options;
    let has_fields = !build.options.subscriptions_file.is_empty();
    if !live && !simple_subscriptions && !has_fields {
        return;
    }
    let description = if live { descriptions::LIVE } else { descriptions::EVENTS };
    let Some(root) = add_subscription_type(&mut build.api, Some(description)) else { return };
    if live {
        add_live_fields(&mut build.api, root, descriptions::LIVE_END);
    }
    if simple_subscriptions {
        add_listen(build, root);
    }
    if has_fields {
        event_fields::add(build, root);
    }
}

fn add_listen(build: &mut Build<'_>, root: TypeId) {
    if build.api.schema().find_field(root, LISTEN).is_some() {
        build.note(Note {
            kind: NoteKind::Collision,
            subject: "listen".into(),
            message: "a live query has the name of this subscription; events are left out.".into(),
            remedy: "rename the function or the table of the query by the tag @name.".into(),
        });
        return;
    }
    let Some(payload) = add_payload(build) else { return };
    let names = [build.scalar("String"), build.scalar("Boolean")];
    let [Some(text), Some(boolean)] = names else { return };
    let definition = FieldDefinition::new(LISTEN, TypeRef::named(payload).non_null());
    let binding = ListenBinding {
        channel: CHANNEL.into(),
        node: NODE.into(),
        topic: None,
        members: Arc::default(),
    };
    let listen = build.api.add_field(root, definition, FieldBinding::Listen(Box::new(binding)));
    let topic = InputDefinition::new("topic", text.non_null());
    build.api.add_argument(listen, topic, InputBinding::lenient(ArgumentRole::Topic));
    let begins = InputDefinition {
        default: Some(Box::new(Const::Boolean(false))),
        ..input("initialEvent", descriptions::INITIAL_EVENT, boolean.non_null())
    };
    build.api.add_argument(listen, begins, InputBinding::lenient(ArgumentRole::Begins));
}

fn add_payload(build: &mut Build<'_>) -> Option<TypeId> {
    let query = build.api.schema().query?;
    let payload = build.add_type(scalars::LISTEN_PAYLOAD, None, object(Vec::new()))?;
    let definition = field("query", descriptions::PAYLOAD_QUERY, TypeRef::named(query));
    build.api.add_field(payload, definition, FieldBinding::Constants);
    if let Some(node) = build.api.schema().find_type(scalars::NODE)
        && build.options.node_ids
    {
        let definition = FieldDefinition::new("relatedNode", TypeRef::named(node));
        build.api.add_field(payload, definition, FieldBinding::RelatedNode);
        let id = build.scalar("ID")?;
        let definition = FieldDefinition::new("relatedNodeId", id);
        build.api.add_field(payload, definition, FieldBinding::RelatedNodeId);
    }
    Some(payload)
}
