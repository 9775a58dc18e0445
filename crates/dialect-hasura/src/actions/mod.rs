//! Actions: root fields that other servers resolve, with the types of their arguments and results.
//! <https://hasura.io/docs/2.0/actions/overview/>
//!
//! * `types`: the custom types
//! * `relationships`: from their objects to tables
//! * `webhook`: the request of an action
//! * `asynchronous`: actions whose calls are recorded first
//!
//! The fields are in the schema of every role that may use the action; [`ActionRoles`] lists these.

mod asynchronous;
pub(crate) mod relationships;
mod types;
pub(crate) mod webhook;

use std::time::Duration;

use api::ApiBuilder;
use api::binding::{FieldBinding, InputBinding, InputRole, ResolverId};
use hasura_metadata::types::action::{Action, ActionArgument, ActionKind, ActionType};
use hasura_metadata::{Location, Metadata, Problem, ProblemKind};
use http::Method;
use http_resolvers::headers::Headers;
use http_resolvers::url::UrlTemplate;
use http_resolvers::{
    ActionWebhook, AnswerRules, HttpResolver, InputSource, RequestBody, WrittenRequest,
};

use crate::draft::{Draft, DraftField, DraftInput};
use crate::environment::Environment;
use crate::schema::Build;
use crate::{Options, SchemaKind};
use asynchronous::Asynchronous;
use relationships::Relationship;
use types::Position;

/// The type of queries.
pub(crate) const QUERY: &str = "query_root";

/// The type of mutations.
const MUTATION: &str = "mutation_root";

/// The text at members of inputs that only the server of an action reads.
const TAKEN: &str = "The server of an action takes this.";

/// The text at fields that the server of an action gives.
const GIVEN: &str = "The server of an action gives this.";

/// The actions of an API.
#[derive(Debug, Default)]
pub(crate) struct Actions {
    /// The names of the object types.
    remote_types: Vec<String>,
    related: Vec<Relationship>,
    asynchronous: Vec<Asynchronous>,
}

/// The roles that may use an action; the role `admin` may use all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRoles {
    /// The root type of its field.
    pub parent: &'static str,
    pub field: Box<str>,
    pub roles: Vec<Box<str>>,
}

/// The roles of each action.
#[must_use]
pub fn roles(metadata: &Metadata) -> Vec<ActionRoles> {
    let of_action = |action: &Action| {
        let parents = match action.definition.kind {
            ActionKind::Synchronous => vec![parent(action.definition.r#type)],
            ActionKind::Asynchronous => vec![MUTATION, QUERY],
        };
        let roles = action.permissions.iter().map(|one| one.role.text.as_str().into());
        let (field, roles) = (Box::<str>::from(&*action.name), roles.collect::<Vec<Box<str>>>());
        let of_parent =
            move |parent| ActionRoles { parent, field: field.clone(), roles: roles.clone() };
        parents.into_iter().map(of_parent)
    };
    metadata.actions.iter().flat_map(of_action).collect()
}

/// Adds the actions of metadata to the types of an API. What does not fit is left out, and told.
pub(crate) fn add(
    build: &mut Build<'_>,
    options: &Options,
    resolvers: &mut Vec<HttpResolver>,
    problems: &mut Vec<Problem>,
) -> Actions {
    let mut actions = Actions::default();
    let Some(served) = options.metadata.served() else { return actions };
    let metadata = served.metadata();
    // Types without an action are no part of the schema.
    if metadata.actions.is_empty() {
        return actions;
    }
    let draft = &mut build.draft;
    let custom_types = &metadata.custom_types;
    let types = types::CustomTypeNames::new(draft, custom_types, problems);
    actions.remote_types = types::add(draft, &types, custom_types, problems);
    let source = &served.source().name.text;
    actions.related =
        relationships::add(build, source, &actions.remote_types, custom_types, problems);
    let draft = &mut build.draft;
    for action in metadata.actions.iter() {
        match action.definition.kind {
            ActionKind::Synchronous => {}
            ActionKind::Asynchronous => {
                let environment = &options.environment;
                match asynchronous::add(draft, &types, action, environment, resolvers) {
                    Ok(added) => {
                        actions.remote_types.push(added.object.clone());
                        actions.asynchronous.push(added);
                    }
                    Err(problem) => problems.push(problem),
                }
                continue;
            }
        }
        if options.schema == SchemaKind::Relay && action.definition.r#type == ActionType::Query {
            continue;
        }
        let number = resolvers.len();
        match add_action(draft, &types, action, &options.environment, number) {
            Ok(resolver) => resolvers.push(resolver),
            Err(problem) => problems.push(problem),
        }
    }
    actions
}

impl Actions {
    /// The names of the object types in the API.
    pub(crate) fn types(&self) -> &[String] {
        &self.remote_types
    }

    /// Binds the fields of the actions, which are in the API now.
    pub(crate) fn bind(self, builder: &mut ApiBuilder) {
        for name in &self.remote_types {
            if let Some(id) = builder.schema().find_type(name) {
                builder.mark_remote(id);
            }
        }
        for Relationship { object, field, related } in self.related {
            let schema = builder.schema();
            let field = schema.find_type(&object).and_then(|id| schema.find_field(id, &field));
            if let Some(field) = field {
                builder.bind_related(field, related);
            }
        }
        self.asynchronous.into_iter().for_each(|action| action.bind(builder));
    }
}

fn add_action(
    draft: &mut Draft,
    types: &types::CustomTypeNames<'_>,
    action: &Action,
    environment: &Environment,
    number: usize,
) -> Result<HttpResolver, Problem> {
    let (name, definition) = (&*action.name, &action.definition);
    let parent = parent(definition.r#type);
    if draft.has_field(parent, name) {
        let message = format!("The action {name} has the name of another field of {parent}.");
        return Err(problem(ProblemKind::Duplicate, &action.name.0.place, message));
    }
    let output = types.check(draft, &definition.output_type, Position::Output)?;
    let arguments = definition.arguments.iter();
    let arguments = arguments.map(|argument| argument_of(draft, types, argument));
    let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
    let resolver = resolver(parent, action, environment)?;
    // Resolvers are as many as actions in a file.
    let id = ResolverId(u32::try_from(number).unwrap_or(u32::MAX));
    let field = DraftField::new(name, output, FieldBinding::Resolved(id));
    let field = field.verbatim().described_by(action.comment.as_deref()).with(arguments);
    draft.add_field(parent, field);
    Ok(resolver)
}

/// The root type of an action.
fn parent(r#type: ActionType) -> &'static str {
    match r#type {
        ActionType::Query => QUERY,
        ActionType::Mutation => MUTATION,
    }
}

fn argument_of(
    draft: &mut Draft,
    types: &types::CustomTypeNames<'_>,
    argument: &ActionArgument,
) -> Result<DraftInput, Problem> {
    let r#type = types.check(draft, &argument.r#type, Position::Input)?;
    // Arguments of resolvers are read as JSON.
    let binding = InputBinding::lenient(InputRole::Ignored);
    let input = DraftInput::new(&argument.name, r#type, binding);
    Ok(input.verbatim().described_by(argument.description.as_deref()))
}

fn resolver(
    parent: &'static str,
    action: &Action,
    environment: &Environment,
) -> Result<HttpResolver, Problem> {
    let definition = &action.definition;
    let place = &definition.place;
    let base_url = environment.fill(&definition.handler, place)?;
    let url = UrlTemplate::fixed(&base_url).map_err(|error| {
        let message = format!("The handler of the action {}: {error}.", &*action.name);
        problem(ProblemKind::WrongValue, place, message)
    })?;
    let webhook = webhook::webhook(definition, base_url, environment)?;
    let written = WrittenRequest {
        handler: definition.handler.as_str().into(),
        headers: definition.headers.iter().map(webhook::written_header).collect(),
    };
    let action = ActionWebhook { action: (&*action.name).into(), webhook, written };
    Ok(HttpResolver {
        parent: parent.into(),
        field: action.action.clone(),
        url,
        method: Method::POST,
        body: RequestBody::Webhook(Box::new(action)),
        is_batch: false,
        headers: Headers::default(),
        inputs: InputSource::Arguments,
        answers: AnswerRules::Action,
        timeout: Some(Duration::from_secs(definition.timeout)),
    })
}

/// The binding of a member of an input that only the server of an action reads.
fn taken() -> InputBinding {
    InputBinding::lenient(InputRole::Refused(TAKEN.into()))
}

fn problem(kind: ProblemKind, place: &Location, message: String) -> Problem {
    Problem { kind, place: place.clone(), message }
}
