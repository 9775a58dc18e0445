//! Arguments of `@source` and `@connect` as connectors.
//! <https://www.apollographql.com/docs/graphos/connectors/reference/directives>

use std::num::NonZeroUsize;
use std::sync::Arc;

use connectors::connector::HeaderValueSource;
use connectors::{
    Batch, Connector, Coordinate, Errors, Header, Http, Mapping, Resolves, Source, Template,
    UrlTemplate, Variable, Version,
};
use graphql::definitions::Literal;
use http::Method;

type Arguments = [(Arc<str>, Literal)];

/// Reads the arguments of a `@source`.
pub(crate) fn source(arguments: &Arguments, version: Version) -> Result<Source, Vec<String>> {
    let mut reader = Reader { version, problems: Vec::new() };
    let name = text(arguments, "name").map(Into::into);
    if name.is_none() {
        reader.problem("it has no `name`");
    }
    let http = object(arguments, "http");
    let url = text(http, "baseURL").and_then(|url| reader.url("baseURL", url));
    let http = reader.http(http, url);
    let errors = reader.errors(object(arguments, "errors"));
    let is_success = reader.mapping(arguments, "isSuccess");
    match (name, http) {
        (Some(name), Some(http)) if reader.problems.is_empty() => {
            Ok(Source { name, http, errors, is_success })
        }
        _ => Err(reader.problems),
    }
}

/// Reads the arguments of a `@connect`.
pub(crate) fn connector(
    arguments: &Arguments,
    version: Version,
    coordinate: Coordinate,
    find: impl FnOnce(&str) -> Option<Arc<Source>>,
) -> Result<Connector, Vec<String>> {
    let mut reader = Reader { version, problems: Vec::new() };
    let source = text(arguments, "source").and_then(|name| {
        let found = find(name);
        if found.is_none() {
            reader.problem(format!("there is no source `{name}`"));
        }
        found
    });
    let http = object(arguments, "http");
    const METHODS: [Method; 5] =
        [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let mut methods = METHODS.into_iter().filter_map(|method| {
        let url = text(http, method.as_str())?;
        Some((method, url))
    });
    let (method, url) = match (methods.next(), methods.next()) {
        (Some((method, url)), None) => (Some(method.clone()), reader.url(method.as_str(), url)),
        (None, _) => {
            reader.problem("it has no method");
            (None, None)
        }
        (Some(_), Some(_)) => {
            reader.problem("it has several methods");
            (None, None)
        }
    };
    let body = reader.mapping(http, "body");
    let http = reader.http(http, url);
    let selection = reader.mapping(arguments, "selection");
    if selection.is_none() {
        reader.problem("it has no `selection`");
    }
    let is_entity = find_argument(arguments, "entity") == Some(&Literal::Boolean(true));
    let resolves = match (&coordinate.field, is_entity) {
        (None, _) => Resolves::Type,
        (Some(_), true) => Resolves::FieldAndEntity,
        (Some(_), false) => Resolves::Field,
    };
    let max_size = match find_argument(object(arguments, "batch"), "maxSize") {
        Some(Literal::Int(digits)) => digits.parse::<NonZeroUsize>().ok(),
        _ => None,
    };
    let errors = reader.errors(object(arguments, "errors"));
    let is_success = reader.mapping(arguments, "isSuccess");
    let (Some(method), Some(http), Some(selection)) = (method, http, selection) else {
        return Err(reader.problems);
    };
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    let mut connector = Connector {
        version,
        coordinate,
        source,
        method,
        http,
        body,
        selection,
        resolves,
        batch: None,
        errors,
        is_success,
    };
    if inputs(&connector).of(Variable::Batch).is_some() {
        connector.batch = Some(Batch { max_size });
    }
    Ok(connector)
}

/// Returns what a connector needs of variables.
#[must_use]
pub fn inputs(connector: &Connector) -> connectors::Inputs {
    let mut inputs = connector.http.url.inputs();
    let Http { path, query_params, headers, url: _ } = &connector.http;
    let mappings = [
        path.as_ref(),
        query_params.as_ref(),
        connector.body.as_ref(),
        Some(&connector.selection),
        connector.is_success.as_ref(),
        connector.errors.message.as_ref(),
        connector.errors.extensions.as_ref(),
    ];
    for mapping in mappings.into_iter().flatten() {
        inputs.add(&mapping.inputs());
    }
    let source = connector.source.as_ref();
    if let Some(source) = source {
        add_source(source, &mut inputs);
    }
    for header in headers {
        if let HeaderValueSource::Value(template) = &header.value {
            inputs.add(&template.inputs());
        }
    }
    inputs
}

fn add_source(source: &Source, inputs: &mut connectors::Inputs) {
    let Source { http, errors, is_success, .. } = source;
    inputs.add(&http.url.inputs());
    let mappings = [&http.path, &http.query_params, is_success, &errors.message, &errors.extensions];
    for mapping in mappings.into_iter().flatten() {
        inputs.add(&mapping.inputs());
    }
    for header in &http.headers {
        if let HeaderValueSource::Value(template) = &header.value {
            inputs.add(&template.inputs());
        }
    }
}

/// Returns the name in the document of an element, if an import of a link imports it.
pub(crate) fn imported(item: &Literal, element: &str) -> Option<Arc<str>> {
    let name = match item {
        Literal::String(name) => Some(name.clone()).filter(|name| **name == *element),
        Literal::Object(members) => {
            let name = text(members, "name").filter(|name| *name == element)?;
            Some(text(members, "as").unwrap_or(name).into())
        }
        _ => None,
    };
    name.map(|name| name.trim_start_matches('@').into())
}

struct Reader {
    version: Version,
    problems: Vec<String>,
}

impl Reader {
    fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    fn url(&mut self, name: &str, url: &str) -> Option<UrlTemplate> {
        match UrlTemplate::parse(url, self.version) {
            Ok(url) => Some(url),
            Err(error) => {
                self.problem(format!("`{name}`: {error}"));
                None
            }
        }
    }

    fn mapping(&mut self, arguments: &Arguments, name: &str) -> Option<Mapping> {
        match Mapping::parse(text(arguments, name)?, self.version) {
            Ok(mapping) => Some(mapping),
            Err(errors) => {
                let errors = errors.into_iter().map(|error| format!("`{name}`: {error}"));
                self.problems.extend(errors);
                None
            }
        }
    }

    fn http(&mut self, arguments: &Arguments, url: Option<UrlTemplate>) -> Option<Http> {
        let path = self.mapping(arguments, "path");
        let query_params = self.mapping(arguments, "queryParams");
        let headers = match find_argument(arguments, "headers") {
            Some(Literal::List(items)) => items.as_slice(),
            Some(single @ Literal::Object(_)) => std::slice::from_ref(single),
            _ => &[],
        };
        let headers = headers.iter().filter_map(|header| match header {
            Literal::Object(members) => self.header(members),
            _ => None,
        });
        let headers = headers.collect();
        Some(Http { url: url?, path, query_params, headers })
    }

    fn header(&mut self, members: &Arguments) -> Option<Header> {
        let Some(name) = text(members, "name").and_then(|name| name.parse().ok()) else {
            self.problem("a header has no name");
            return None;
        };
        let value = match (text(members, "from"), text(members, "value")) {
            (Some(from), None) => from.parse().ok().map(HeaderValueSource::From),
            (None, Some(value)) => {
                Template::parse(value, self.version).ok().map(HeaderValueSource::Value)
            }
            _ => None,
        };
        if value.is_none() {
            self.problem(format!("the header `{name}` has no value"));
        }
        Some(Header { name, value: value? })
    }

    fn errors(&mut self, arguments: &Arguments) -> Errors {
        Errors {
            message: self.mapping(arguments, "message"),
            extensions: self.mapping(arguments, "extensions"),
        }
    }
}

fn find_argument<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a Literal> {
    arguments.iter().find(|(known, _)| **known == *name).map(|(_, value)| value)
}

fn text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    match find_argument(arguments, name)? {
        Literal::String(text) => Some(text),
        _ => None,
    }
}

fn object<'a>(arguments: &'a Arguments, name: &str) -> &'a Arguments {
    match find_argument(arguments, name) {
        Some(Literal::Object(members)) => members,
        _ => &[],
    }
}
