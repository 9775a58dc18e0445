//! Transforms of Hasura's metadata: the templates of actions and of events as those of
//! [`http_resolvers::webhook`].

use hasura_metadata::types::webhook::{
    BodyActionKind, BodyTransform, QueryParameters, RequestTransform, ResponseTransform,
};
use hasura_metadata::{Location, Problem, ProblemKind};
use http_resolvers::webhook::{self, BodyTexts, QueryTexts, RequestTexts, TextError};

/// A transform of requests with its templates.
pub fn request_transform(
    transform: &RequestTransform,
) -> Result<webhook::RequestTransform, Problem> {
    let headers = transform.request_headers.as_ref();
    let added = headers.iter().flat_map(|headers| &headers.add_headers);
    let texts = RequestTexts {
        method: transform.method.as_deref(),
        url: transform.url.as_deref(),
        query: transform.query_params.as_ref().map(query),
        added_headers: added.map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        removed_headers: headers
            .iter()
            .flat_map(|headers| &headers.remove_headers)
            .map(String::as_str)
            .collect(),
        body: transform.body.as_ref().map(body),
    };
    webhook::RequestTransform::new(&texts)
        .map_err(|error| wrong("request_transform", &error, &transform.place))
}

/// A transform of answers with its template; `None` if it changes nothing.
pub fn response_transform(
    transform: &ResponseTransform,
) -> Option<Result<webhook::ResponseTransform, Problem>> {
    let texts = body(transform.body.as_ref()?);
    let made = webhook::ResponseTransform::new(&texts);
    Some(made.map_err(|error| wrong("response_transform", &error, &transform.place)))
}

fn query(parameters: &QueryParameters) -> QueryTexts<'_> {
    match parameters {
        QueryParameters::Template(template) => QueryTexts::Whole(template),
        QueryParameters::Named(named) => {
            let named = named.iter();
            QueryTexts::Pairs(
                named.map(|(name, value)| (name.as_str(), value.as_deref())).collect(),
            )
        }
    }
}

fn body(body: &BodyTransform) -> BodyTexts<'_> {
    let action = match body {
        BodyTransform::Template(template) => return BodyTexts::Json(template),
        BodyTransform::Action(action) => action,
    };
    match action.action {
        BodyActionKind::Remove => BodyTexts::Remove,
        // Metadata without the template of its action is refused when it is read.
        BodyActionKind::Transform => {
            BodyTexts::Json(action.template.as_deref().unwrap_or_default())
        }
        BodyActionKind::FormUrlEncoded => {
            let pairs = action.form_template.iter().flatten();
            BodyTexts::Form(pairs.map(|(name, value)| (name.as_str(), value.as_str())).collect())
        }
    }
}

fn wrong(key: &str, error: &TextError, place: &Location) -> Problem {
    let TextError { part, reason } = error;
    let message = format!("{key}.{part}: {reason}.");
    Problem { kind: ProblemKind::WrongValue, place: place.clone(), message }
}
