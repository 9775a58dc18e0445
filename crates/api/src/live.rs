//! Live queries: a subscription type with the fields of the query type.

use std::sync::Arc;

use graphql::schema::{FieldDefinition, TypeDefinition, TypeId, TypeKind};

use crate::api::Api;
use crate::builder::ApiBuilder;

/// Name of the subscription type, and of the one beside a type of this name.
const NAME: &str = "Subscription";
const OTHER_NAME: &str = "LiveSubscription";

/// Descriptions of the subscription type.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveDescriptions {
    pub r#type: Option<&'static str>,
    /// The end of each field's description.
    pub field_end: &'static str,
}

/// Adds a subscription type that has each field of the query type, with the same arguments, types and
/// bindings. The API has no subscription type before, and keeps its other types.
#[must_use]
pub fn add_live_queries(api: Api, descriptions: LiveDescriptions) -> Api {
    let queries = api.schema.query.map(|query| &api.schema[query].kind);
    let Some(TypeKind::Object { fields, .. }) = queries else { return api };
    let queries = fields.clone();
    let mut builder = ApiBuilder::reopen(api);
    let Some(subscription) = add_type(&mut builder, descriptions.r#type) else {
        return builder.finish();
    };
    for query in queries {
        let definition = builder.schema()[query].clone();
        let description = live_description(definition.description, descriptions.field_end);
        let binding = builder.field(query).clone();
        builder.add_field(subscription, FieldDefinition { description, ..definition }, binding);
    }
    builder.schema_mut().subscription = Some(subscription);
    builder.finish()
}

/// Adds the subscription type under the first name that no other type has.
fn add_type(builder: &mut ApiBuilder, description: Option<&str>) -> Option<TypeId> {
    let mut name = NAME.to_owned();
    while builder.schema().find_type(&name).is_some() {
        name = if name == NAME { OTHER_NAME.into() } else { name + "_" };
    }
    builder.add_type(TypeDefinition {
        name: name.into(),
        description: description.map(Into::into),
        kind: TypeKind::Object { fields: Vec::new(), interfaces: Vec::new() },
    })
}

fn live_description(description: Option<Arc<str>>, end: &str) -> Option<Arc<str>> {
    if end.is_empty() {
        return description;
    }
    Some(format!("{}{end}", description.as_deref().unwrap_or_default()).into())
}
