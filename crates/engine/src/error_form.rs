//! The form of a dialect's errors, applied to responses: the one place for requests over HTTP, in
//! batches and over sockets.
//!
//! A response without data keeps its errors until it is finished, since their form may need the
//! request: the path of a problem by names of fields, not of aliases, and into variables.

use dialects::{ErrorForm, Transactions};
use graphql::problem::{Located, Step, locate};
use graphql::{ErrorCode, GraphQLError, PathSegment, Request};
use source::Session;

use crate::engine::Engine;
use crate::respond::{Response, write_errors};

impl Engine {
    /// Whether a response with errors has no data. Data of changes that are committed one by one stays:
    /// some of them may be done.
    pub(crate) fn drops_data(&self) -> bool {
        match self.error_form {
            ErrorForm::GraphQL | ErrorForm::Prisma => false,
            ErrorForm::Hasura => self.api.transactions == Transactions::Request,
        }
    }

    /// The response of a request, with its errors in the form of the dialect.
    pub(crate) fn formed(
        &self,
        response: Response,
        request: &Request,
        session: &Session,
    ) -> Response {
        let Some(error) = self.error_form.only(&response.errors) else {
            return self.formed_each(response);
        };
        let located = self.locate(error, request, session);
        let formed = self.error_form.form(error, &located);
        Response { body: body(&[formed]).into(), errors: Vec::new(), ..response }
    }

    /// The response with each of its errors in the form of the dialect.
    fn formed_each(&self, response: Response) -> Response {
        match self.form_beside_data(&response.errors) {
            Some(formed) if !formed.is_empty() => {
                Response { body: body(&formed).into(), errors: Vec::new(), ..response }
            }
            _ => response,
        }
    }

    /// The response of a subscription that ends without its request.
    pub(crate) fn formed_alone(&self, response: Response) -> Response {
        let Some(error) = self.error_form.only(&response.errors) else {
            return self.formed_each(response);
        };
        let formed = self.error_form.form(error, &nearest(error));
        Response { body: body(&[formed]).into(), errors: Vec::new(), ..response }
    }

    /// Errors in the form of the dialect, beside data; `None` if the form is that of GraphQL.
    pub(crate) fn form_beside_data(&self, errors: &[GraphQLError]) -> Option<Vec<GraphQLError>> {
        match self.error_form {
            ErrorForm::GraphQL => None,
            form @ ErrorForm::Prisma => {
                let formed =
                    |error: &GraphQLError| with_request_id(form.form(error, &nearest(error)));
                Some(errors.iter().map(formed).collect())
            }
            form @ ErrorForm::Hasura => {
                Some(errors.iter().map(|error| form.form(error, &nearest(error))).collect())
            }
        }
    }

    /// An error of a request in the form of the dialect.
    #[must_use]
    pub fn form_error(
        &self,
        error: GraphQLError,
        request: &Request,
        session: &Session,
    ) -> GraphQLError {
        match self.error_form {
            ErrorForm::GraphQL => error,
            form @ ErrorForm::Prisma => with_request_id(form.form(&error, &nearest(&error))),
            form @ ErrorForm::Hasura => form.form(&error, &self.locate(&error, request, session)),
        }
    }

    fn locate(&self, error: &GraphQLError, request: &Request, session: &Session) -> Located {
        let rules = self.error_form.input_rules();
        let (Some(rules), Ok(view)) = (rules, self.view(session)) else { return nearest(error) };
        if is_of_server(error.code) {
            return nearest(error);
        }
        let location = error.locations.first().copied();
        let limits = &self.limits.document;
        let located = locate(view.schema, request, limits, rules, location);
        match located.nearest.is_empty() {
            true => Located { nearest: nearest(error).nearest, ..located },
            false => located,
        }
    }
}

/// The response path, which has the names of aliases.
fn nearest(error: &GraphQLError) -> Located {
    let names = error.path.iter().filter_map(|segment| match segment {
        PathSegment::Field(name) => Some([Step::SelectionSet, Step::Key(name.clone())]),
        PathSegment::Index(_) => None,
    });
    Located { problem: None, nearest: names.flatten().collect() }
}

/// Errors that say nothing about a place of the request.
fn is_of_server(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::ParseFailed
            | ErrorCode::Timeout
            | ErrorCode::Unavailable
            | ErrorCode::Overloaded
            | ErrorCode::ResponseMemoryExhausted
            | ErrorCode::MethodNotAllowed
            | ErrorCode::Unauthenticated
            | ErrorCode::MissingSessionVariable
    )
}

/// The error with an identifier, which Prisma's clients report.
#[must_use]
pub fn with_request_id(error: GraphQLError) -> GraphQLError {
    let mut members = Vec::from(error.members);
    members.push(("requestId".into(), format!("\"local:{}\"", source::new_cuid()).into()));
    GraphQLError { members: members.into(), ..error }
}

fn body(errors: &[GraphQLError]) -> Vec<u8> {
    let mut body = Vec::from(*b"{\"errors\":");
    write_errors(errors, &mut body);
    body.push(b'}');
    body
}
