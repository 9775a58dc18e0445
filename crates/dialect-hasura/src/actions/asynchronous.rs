//! Asynchronous actions: a mutation that records a call and returns its id, and a field of queries and
//! subscriptions that reads what became of it.
//! <https://hasura.io/docs/2.0/actions/async-actions/>

use std::sync::Arc;

use api::binding::{FieldBinding, InputBinding, InputRole, ResolverId};
use api::{ApiBuilder, AsyncAction};
use hasura_metadata::types::action::{Action, ActionType};
use hasura_metadata::{Problem, ProblemKind};
use http::Method;
use http_resolvers::{HttpResolver, LogAccess, LoggedAction, RequestBody};

use super::types::{CustomTypeNames, Position};
use super::{GIVEN, MUTATION, QUERY, argument_of, problem, resolver};
use crate::draft::{Draft, DraftField, DraftInput};
use crate::environment::Environment;

/// The type of subscriptions.
const SUBSCRIPTION: &str = "subscription_root";

/// The text at the id of a call.
const ID: &str = "the unique id of an action";

/// The field that has the value of the handler.
const OUTPUT: &str = "output";

/// An action whose types are in the draft.
#[derive(Debug)]
pub(super) struct Asynchronous {
    /// The type of its calls.
    pub(super) object: String,
    delivery: HttpResolver,
}

/// Adds the fields and the type of an asynchronous action.
pub(super) fn add(
    draft: &mut Draft,
    types: &CustomTypeNames<'_>,
    action: &Action,
    environment: &Environment,
    resolvers: &mut Vec<HttpResolver>,
) -> Result<Asynchronous, Problem> {
    let (name, definition) = (&*action.name, &action.definition);
    let wrong = |kind, message: String| problem(kind, &action.name.0.place, message);
    match definition.r#type {
        ActionType::Mutation => {}
        ActionType::Query => {
            let message = format!("The action {name} is asynchronous: its type is mutation.");
            return Err(wrong(ProblemKind::WrongValue, message));
        }
    }
    for parent in [QUERY, MUTATION, SUBSCRIPTION] {
        if draft.has_field(parent, name) {
            let message = format!("The action {name} has the name of another field of {parent}.");
            return Err(wrong(ProblemKind::Duplicate, message));
        }
    }
    if draft.has(name) || types.is_known(name) {
        let message = format!("The action {name} has the name of a type: its calls have a type.");
        return Err(wrong(ProblemKind::Duplicate, message));
    }
    let output = types.check(draft, &definition.output_type, Position::Output)?;
    let arguments = definition.arguments.iter();
    let arguments = arguments.map(|argument| argument_of(draft, types, argument));
    let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
    let delivery = resolver(MUTATION, action, environment)?;
    for scalar in ["uuid", "timestamptz", "json"] {
        if !draft.has(scalar) && !draft.has_leaf(scalar) {
            draft.scalar(scalar);
        }
    }
    let given = |name: &str, r#type: &str, about: &str| {
        let binding = FieldBinding::Refused(GIVEN.into());
        DraftField::new(name, r#type, binding).verbatim().described(about)
    };
    let fields = vec![
        given("created_at", "timestamptz!", "the time at which this action was created"),
        given("errors", "json", "errors related to the invocation"),
        given("id", "uuid!", ID),
        given(OUTPUT, output.trim_end_matches('!'), "the output fields of this action"),
    ];
    draft.object(name, Some(&format!("fields of action: \"{name}\"")), fields);
    let about = action.comment.as_deref();
    let record = bound(LogAccess::Record, &delivery, resolvers);
    let field = DraftField::new(name, "uuid!", record).verbatim().described_by(about);
    draft.add_field(MUTATION, field.with(arguments));
    let read = bound(LogAccess::Read, &delivery, resolvers);
    for parent in [QUERY, SUBSCRIPTION] {
        let binding = InputBinding::lenient(InputRole::Ignored);
        let id = DraftInput::new("id", "uuid!", binding).verbatim().described(ID);
        let field = DraftField::new(name, name, read.clone()).verbatim().described_by(about);
        draft.add_field(parent, field.with(vec![id]));
    }
    Ok(Asynchronous { object: name.to_owned(), delivery })
}

/// Adds the resolver of a field, and returns its binding.
fn bound(
    access: LogAccess,
    delivery: &HttpResolver,
    resolvers: &mut Vec<HttpResolver>,
) -> FieldBinding {
    // Resolvers are as many as actions in a file.
    let id = ResolverId(u32::try_from(resolvers.len()).unwrap_or(u32::MAX));
    let parent = match access {
        LogAccess::Record => MUTATION,
        LogAccess::Read => QUERY,
    };
    let action = delivery.field.clone();
    resolvers.push(HttpResolver {
        parent: parent.into(),
        body: RequestBody::Log(LoggedAction { action, access }),
        method: Method::GET,
        timeout: None,
        ..delivery.clone()
    });
    FieldBinding::Resolved(id)
}

impl Asynchronous {
    /// Makes the delivery known, now that the fields are in the API.
    pub(super) fn bind(self, builder: &mut ApiBuilder) {
        let Self { object, delivery } = self;
        let schema = builder.schema();
        let output = schema.find_type(&object).and_then(|id| schema.find_field(id, OUTPUT));
        if let Some(output) = output {
            builder.add_async_action(AsyncAction { delivery: Arc::new(delivery), output });
        }
    }
}
