//! Live queries: a subscription type with the fields of the query type.

use std::collections::HashSet;
use std::sync::Arc;

use catalog::{Note, NoteKind};
use graphql::schema::{
    DirectiveDefinition, DirectiveLocation, FieldDefinition, InputDefinition, TypeDefinition,
    TypeId, TypeKind, TypeRef,
};
use graphql::value::Const;

use crate::api::Api;
use crate::builder::ApiBuilder;

/// Name of the subscription type, and of the one beside a type of this name.
const NAME: &str = "Subscription";
const OTHER_NAME: &str = "LiveSubscription";

/// Adds a subscription type that has each field of the query type.
#[must_use]
pub fn add_live_queries(api: Api) -> Api {
    let mut builder = ApiBuilder::reopen(api);
    let existing = builder.schema().subscription;
    if let Some(subscription) = existing.or_else(|| add_subscription_type(&mut builder, None)) {
        add_live_fields(&mut builder, subscription, "");
    }
    builder.finish()
}

/// Adds the subscription type, without fields, under the first name that no other type has. All
/// types with other names are there already.
pub fn add_subscription_type(
    builder: &mut ApiBuilder,
    description: Option<&str>,
) -> Option<TypeId> {
    let mut name = NAME.to_owned();
    while builder.schema().find_type(&name).is_some() {
        name = if name == NAME { OTHER_NAME.into() } else { name + "_" };
    }
    let subscription = builder.add_type(TypeDefinition {
        name: name.into(),
        description: description.map(Into::into),
        kind: TypeKind::Object { fields: Vec::new(), interfaces: Default::default() },
    });
    builder.schema_mut().subscription = subscription;
    subscription
}

/// Name of the directive that makes a query a live query, and of its arguments:
/// <https://github.com/n1ru4l/graphql-live-query>
pub const LIVE_DIRECTIVE: &str = "live";
pub const LIVE_IF: &str = "if";
pub const LIVE_THROTTLE: &str = "throttle";

/// Adds the directive that makes a query a live query.
#[must_use]
pub fn add_live_directive(api: Api) -> Api {
    let mut builder = ApiBuilder::reopen(api);
    let types = [scalar(&mut builder, "Boolean"), scalar(&mut builder, "Int")];
    if let [Some(boolean), Some(int)] = types {
        let condition = InputDefinition {
            description: Some("Whether the query is live.".into()),
            default: Some(Box::new(Const::Boolean(true))),
            ..InputDefinition::new(LIVE_IF, TypeRef::named(boolean))
        };
        let throttle = InputDefinition {
            description: Some("The least milliseconds between two responses.".into()),
            ..InputDefinition::new(LIVE_THROTTLE, TypeRef::named(int))
        };
        let definition = DirectiveDefinition {
            name: LIVE_DIRECTIVE.into(),
            description: Some("Sends the response again when it has changed.".into()),
            arguments: Vec::new(),
            locations: vec![DirectiveLocation::Query],
            is_repeatable: false,
        };
        builder.add_directive(definition, vec![condition, throttle]);
    }
    builder.finish()
}

/// Adds the directive of cached queries, unless the dialect has it: that of Hasura.
#[must_use]
pub fn add_cached_directive(api: Api) -> Api {
    let mut builder = ApiBuilder::reopen(api);
    let is_known = builder.schema().find_directive("cached").is_some();
    let types = [scalar(&mut builder, "Int"), scalar(&mut builder, "Boolean")];
    if let [Some(int), Some(boolean)] = types
        && !is_known
    {
        let ttl = InputDefinition {
            description: Some("The seconds for which the answer is kept.".into()),
            default: Some(Box::new(Const::Int(60))),
            ..InputDefinition::new("ttl", TypeRef::named(int))
        };
        let refresh = InputDefinition {
            description: Some("Whether a new answer is made.".into()),
            default: Some(Box::new(Const::Boolean(false))),
            ..InputDefinition::new("refresh", TypeRef::named(boolean))
        };
        let definition = DirectiveDefinition {
            name: "cached".into(),
            description: Some("Answers the query from the cache.".into()),
            arguments: Vec::new(),
            locations: vec![DirectiveLocation::Query],
            is_repeatable: false,
        };
        builder.add_directive(definition, vec![ttl, refresh]);
    }
    builder.finish()
}

/// Adds the directive that allows a fragment to be sent later.
#[must_use]
pub fn add_defer_directive(api: Api) -> Api {
    let mut builder = ApiBuilder::reopen(api);
    scalar(&mut builder, "Boolean");
    scalar(&mut builder, "String");
    if let Some((definition, arguments)) = graphql::defer::definition(builder.schema()) {
        builder.add_directive(definition, arguments);
    }
    builder.finish()
}

/// A scalar of the specification.
fn scalar(builder: &mut ApiBuilder, name: &str) -> Option<TypeId> {
    let known = builder.schema().find_type(name);
    known.or_else(|| {
        let kind = TypeKind::Scalar;
        builder.add_type(TypeDefinition { name: name.into(), description: None, kind })
    })
}

/// Adds each field of the query type to the subscription type, with the same arguments, type and
/// binding. The end is added to its description.
pub fn add_live_fields(builder: &mut ApiBuilder, subscription: TypeId, end: &str) {
    let queries = builder.schema().query.map(|query| &builder.schema()[query].kind);
    let Some(TypeKind::Object { fields, .. }) = queries else { return };
    let queries = fields.clone();
    let existing = names(builder, subscription);
    for query in queries {
        let definition = builder.schema()[query].clone();
        if existing.contains(&definition.name) {
            builder.note(Note {
                kind: NoteKind::Collision,
                subject: (&*definition.name).into(),
                message: "another subscription has the name of this query, which is not live."
                    .into(),
                remedy: "rename the query or the type of the events.".into(),
            });
            continue;
        }
        let description = live_description(definition.description, end);
        let binding = builder.field(query).clone();
        builder.add_field(subscription, FieldDefinition { description, ..definition }, binding);
    }
}

fn names(builder: &ApiBuilder, object: TypeId) -> HashSet<Arc<str>> {
    let schema = builder.schema();
    match &schema[object].kind {
        TypeKind::Object { fields, .. } => {
            fields.iter().map(|field| Arc::clone(&schema[*field].name)).collect()
        }
        _ => HashSet::new(),
    }
}

fn live_description(description: Option<Arc<str>>, end: &str) -> Option<Arc<str>> {
    if end.is_empty() {
        return description;
    }
    Some(format!("{}{end}", description.as_deref().unwrap_or_default()).into())
}
