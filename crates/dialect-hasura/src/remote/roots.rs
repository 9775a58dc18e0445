//! The root fields of a remote schema: fields of the root types of the API, or of an object in each of
//! them, the namespace.

use api::binding::{FieldBinding, ResolverId};
use graphql::operation::OperationKind;
use hasura_metadata::{Problem, ProblemKind};
use http_resolvers::remote_path::{RemotePath, RemoteStep};
use http_resolvers::remote_schema::RemoteField;
use http_resolvers::{HttpResolver, InputSource};

use super::types::input;
use super::{ServedSchema, paths, wrong};
use crate::draft::{Draft, DraftField};
use crate::key_queries;

/// A root type of the API with that of the server.
struct Root<'s> {
    name: &'static str,
    kind: OperationKind,
    own: &'s str,
}

fn roots<'s>(served: &'s ServedSchema<'_>) -> impl Iterator<Item = Root<'s>> {
    let mutation = served.schema.mutation.as_deref();
    let subscription = served.schema.subscription.as_deref();
    let roots = [
        ("query_root", OperationKind::Query, Some(&*served.schema.query)),
        ("mutation_root", OperationKind::Mutation, mutation),
        ("subscription_root", OperationKind::Subscription, subscription),
    ];
    let named = |(name, kind, own): (&'static str, _, Option<&'s str>)| {
        Some(Root { name, kind, own: own? })
    };
    roots.into_iter().filter_map(named)
}

/// True for a root field that the API has.
fn is_visible(served: &ServedSchema<'_>, field: &RemoteField) -> bool {
    served.source.is_none() || !key_queries::is_hidden(&field.name)
}

/// Checks that the names of the fields are free.
pub(super) fn check(draft: &Draft, served: &ServedSchema<'_>) -> Result<(), Vec<Problem>> {
    let ServedSchema { definition, schema, names, .. } = served;
    let mut problems = Vec::new();
    let mut report = |name: &str, field: &str, remedy: &str| {
        let message =
            format!("The {}: {name} has another field {field}; {remedy}.", served.subject());
        problems.push(wrong(definition, ProblemKind::Duplicate, message));
    };
    for Root { name, own, .. } in roots(served) {
        if let Some(namespace) = names.namespace() {
            if draft.has_field(name, namespace) {
                report(name, namespace, "choose another customization.root_fields_namespace");
            }
            continue;
        }
        let remedy = match served.source {
            Some(_) => {
                "rename it by customization.root_fields of the source, such as `prefix: other_`"
            }
            None => {
                "rename it by customization.field_names, or all of them by \
                     customization.root_fields_namespace"
            }
        };
        let fields = schema.fields(own).iter();
        for field in fields.filter(|field| is_visible(served, field)) {
            let field = names.field(own, &field.name);
            if draft.has_field(name, &field) {
                report(name, &field, remedy);
            }
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// Adds the fields.
pub(super) fn add(draft: &mut Draft, served: &ServedSchema<'_>, resolvers: &mut Vec<HttpResolver>) {
    let ServedSchema { schema, names, .. } = served;
    for Root { name, kind, own } in roots(served) {
        let holder = names.r#type(own);
        if let Some(namespace) = names.namespace() {
            let about = schema.types.get(own).and_then(|known| known.description.as_deref());
            draft.object(&holder, about, Vec::new());
            let field = DraftField::new(namespace, holder.as_str(), FieldBinding::Constants);
            draft.add_field(name, field.verbatim());
        }
        // The roots of the API are other objects than those of the server.
        let fields = schema.fields(own).iter();
        let fields = fields.filter(|field| !names.is_root(&field.r#type.name));
        for field in fields.filter(|field| is_visible(served, field)) {
            // As many as fields of schemas that were read.
            let id = ResolverId(u32::try_from(resolvers.len()).unwrap_or(u32::MAX));
            let known = names.field(own, &field.name);
            add_root(draft, &holder, &known, field, served, id);
            let step = RemoteStep {
                place: (holder.as_str().into(), known.as_str().into()),
                r#type: own.into(),
                field: field.name.clone(),
                given: paths::nothing(),
            };
            let schema = (*schema).clone();
            let path = RemotePath { kind, schema, steps: vec![step], server: served.server() };
            let place = (holder.as_str(), known.as_str());
            resolvers.push(served.resolver(place, path, InputSource::Arguments));
        }
    }
}

fn add_root(
    draft: &mut Draft,
    parent: &str,
    name: &str,
    field: &RemoteField,
    served: &ServedSchema<'_>,
    id: ResolverId,
) {
    let names = served.names;
    let of = format!("{parent}.{name}");
    let arguments = field.arguments.iter().map(|one| input(one, names, &of));
    let r#type = field.r#type.named(&names.r#type(&field.r#type.name));
    let made = DraftField::new(name, r#type, FieldBinding::Resolved(id)).verbatim();
    let made = made.described_by(field.description.as_deref()).with(arguments.collect());
    draft.add_field(parent, made.deprecated_for(field.deprecated.as_deref()));
}
