//! `@connect`.

use std::num::NonZeroUsize;
use std::sync::Arc;

use http::Method;

use super::arguments::{Arguments, Directive};
use super::{Reader, headers, urls};
use crate::code::Code;
use crate::connector::{Batch, Connector, Coordinate, Http, Resolves, Source};
use crate::definitions::{Applied, FieldDefinition, Kind, TypeDefinition};
use crate::mapping::{Mapping, Shape};
use crate::url::UrlTemplate;
use crate::variables::Variable;
use crate::version::Version;

const ARGUMENTS: &[(&str, Version)] = &[
    ("source", Version::V0_1),
    ("http", Version::V0_1),
    ("selection", Version::V0_1),
    ("entity", Version::V0_1),
    ("id", Version::V0_2),
    ("batch", Version::V0_2),
    ("errors", Version::V0_2),
    ("isSuccess", Version::V0_2),
];

const HTTP: &[(&str, Version)] = &[
    ("GET", Version::V0_1),
    ("POST", Version::V0_1),
    ("PUT", Version::V0_1),
    ("PATCH", Version::V0_1),
    ("DELETE", Version::V0_1),
    ("body", Version::V0_1),
    ("headers", Version::V0_1),
    ("path", Version::V0_2),
    ("queryParams", Version::V0_2),
];

const METHODS: [(&str, Method); 5] = [
    ("GET", Method::GET),
    ("POST", Method::POST),
    ("PUT", Method::PUT),
    ("PATCH", Method::PATCH),
    ("DELETE", Method::DELETE),
];

/// Where a `@connect` stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position<'d> {
    pub(super) parent: &'d TypeDefinition,
    /// `None` on a type.
    pub(super) field: Option<&'d FieldDefinition>,
}

impl<'d> Reader<'d> {
    pub(super) fn connectors(&mut self) {
        let definitions = self.definitions;
        for parent in &definitions.types {
            self.connectors_of(Position { parent, field: None }, &parent.connects);
            for field in parent.fields() {
                self.connectors_of(Position { parent, field: Some(field) }, &field.connects);
            }
        }
    }

    fn connectors_of(&mut self, position: Position<'d>, connects: &'d [Applied]) {
        for (index, applied) in connects.iter().enumerate() {
            let Position { parent, field } = position;
            let label = match field {
                Some(field) => {
                    format!(
                        "`{}` on `{}.{}`",
                        self.definitions.connect_name, parent.name, field.name
                    )
                }
                None => format!("`{}` on `{}`", self.definitions.connect_name, parent.name),
            };
            let (version, place) = (self.definitions.version, applied.place);
            let mut directive = Directive { version, label, place, findings: Vec::new() };
            let coordinate = Coordinate {
                type_name: parent.name.clone(),
                field: field.map(|field| field.name.clone()),
                index,
            };
            let connector = self.connector(position, applied, coordinate, &mut directive);
            let mut resolved = Vec::new();
            if let Some(connector) = &connector {
                self.check_variables(connector, position, &mut directive);
                resolved = self.check_selection(connector, position, &mut directive);
                self.check_batch(connector, position, &mut directive);
            }
            let has_errors = directive.has_errors();
            self.reading.findings.extend(directive.findings);
            if let Some(connector) = connector
                && !has_errors
            {
                self.reading.connectors.push(connector);
                self.reading.resolved.push(resolved);
            }
        }
    }

    fn connector(
        &self,
        position: Position<'_>,
        applied: &Applied,
        coordinate: Coordinate,
        directive: &mut Directive,
    ) -> Option<Connector> {
        self.check_position(position, directive);
        let arguments = directive.object(&applied.arguments, "", ARGUMENTS)?;
        let source = self.source(arguments, directive);
        let selection = selection(arguments, directive);
        let entity = directive.boolean(arguments, "entity");
        let is_entity = entity == Some(true);
        match (position.field, entity) {
            (None, Some(false)) => {
                let message = "a connector on a type resolves entities: leave out `entity: false`";
                directive.error(Code::GraphqlError, message);
            }
            (Some(_), Some(true)) => self.check_entity_position(position, directive),
            (_, Some(_) | None) => {}
        }
        let resolves = match position.field {
            None => Resolves::Type,
            Some(_) if is_entity => Resolves::FieldAndEntity,
            Some(_) => Resolves::Field,
        };
        let id = self.id(arguments, directive);
        let is_success = directive.mapping(arguments, "isSuccess", Code::InvalidSelection);
        let errors = urls::errors(directive, arguments);
        let max_size = batch_size(arguments, directive);
        let Some(value) = arguments.get("http") else {
            directive.error(Code::MissingHttpMethod, "the argument `http` is missing");
            return None;
        };
        let http = directive.object(value, "http", HTTP)?;
        let method = method(http, directive);
        let url = method.as_ref().and_then(|method| urls::url(directive, http, method.as_str()));
        if let Some(url) = &url {
            let has_source = arguments.get("source").is_some();
            check_url(url, has_source, directive);
        }
        let body = directive.mapping(http, "body", Code::InvalidBody);
        let path = directive.mapping(http, "path", Code::InvalidUrl);
        let query_params = directive.mapping(http, "queryParams", Code::InvalidUrl);
        let headers = headers::read(directive, http);
        if directive.has_errors() {
            return None;
        }
        let mut connector = Connector {
            version: directive.version,
            coordinate,
            id,
            source,
            method: method?,
            http: Http { url: url?, path, query_params, headers },
            body,
            selection: selection?,
            resolves,
            batch: None,
            errors,
            is_success,
        };
        let is_batch = connector.request_inputs().of(Variable::Batch).is_some();
        if is_batch {
            connector.batch = Some(Batch { max_size });
        } else if arguments.get("batch").is_some() {
            let message = "`batch` is set, but nothing of the request uses `$batch`";
            directive.error(Code::GraphqlError, message);
        }
        Some(connector)
    }

    fn check_position(&self, position: Position<'_>, directive: &mut Directive) {
        if !matches!(position.parent.kind, Kind::Object { .. }) {
            let message = "a connector stands on an object type, or on a field of one";
            directive.error(Code::GraphqlError, message);
        } else if position.field.is_none() && self.definitions.is_root(&position.parent.name) {
            let message = "a connector on a type finds objects by their fields, and the type is that of \
                           a root: write it on a field";
            directive.error(Code::GraphqlError, message);
        } else if position.field.is_none() && directive.version < Version::V0_2 {
            let message = format!(
                "a connector on a type needs connect/{}, and the schema links connect/{}",
                Version::V0_2,
                directive.version
            );
            directive.error(Code::GraphqlError, message);
        }
    }

    /// The name of a connector: a name of GraphQL that no other connector has.
    fn id(&self, arguments: Arguments<'_>, directive: &mut Directive) -> Option<Box<str>> {
        let id = directive.text(arguments, "id")?;
        let is_name = id.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            let message = "`id` begins with a letter or `_`, and has letters, digits and `_` only";
            directive.error(Code::GraphqlError, message);
        }
        let known = self.reading.connectors.iter();
        if let Some(other) = known.into_iter().find(|known| known.id.as_deref() == Some(id)) {
            let message = format!("the connector `{}` has the `id` `{id}`, too", other.coordinate);
            directive.error(Code::GraphqlError, message);
        }
        Some(id.into())
    }

    fn source(&self, arguments: Arguments<'_>, directive: &mut Directive) -> Option<Arc<Source>> {
        let name = directive.text(arguments, "source")?;
        if let Some(source) = self.sources.iter().find(|source| &*source.name == name) {
            return Some(Arc::clone(source));
        }
        // A source with errors has findings of its own.
        if !self.has_source(name) {
            let directive_name = &self.definitions.source_name;
            if self.definitions.sources.is_empty() {
                let message = format!(
                    "there is no source `{name}`: add `{directive_name}(name: \"{name}\", http: \
                     {{baseURL: …}})` to the schema"
                );
                directive.error(Code::NoSourcesDefined, message);
            } else {
                let names: Vec<_> =
                    self.sources.iter().map(|source| format!("`{}`", source.name)).collect();
                let names = names.join(", ");
                let message = format!("there is no source `{name}`: there are {names}");
                directive.error(Code::SourceNameMismatch, message);
            }
        }
        None
    }
}

fn selection(arguments: Arguments<'_>, directive: &mut Directive) -> Option<Mapping> {
    let selection = directive.mapping(arguments, "selection", Code::InvalidSelection);
    let is_missing = arguments.get("selection").is_none();
    let is_empty = selection.as_ref().is_some_and(
        |mapping| matches!(mapping.shape(), Shape::Object(members) if members.is_empty()),
    );
    if is_missing || is_empty {
        let message =
            "`selection` selects nothing: write the fields, or `$` for the whole response";
        directive.error(Code::InvalidSelection, message);
    }
    selection
}

/// The only HTTP method.
fn method(http: Arguments<'_>, directive: &mut Directive) -> Option<Method> {
    let mut methods = METHODS.into_iter().filter(|(name, _)| http.get(name).is_some());
    let first = methods.next();
    if methods.next().is_some() {
        let message = "`http` has several methods: a connector sends one request";
        directive.error(Code::MultipleHttpMethods, message);
        return None;
    }
    if first.is_none() {
        let message =
            "`http` has no method: write one of `GET`, `POST`, `PUT`, `PATCH` and `DELETE`";
        directive.error(Code::MissingHttpMethod, message);
    }
    first.map(|(_, method)| method)
}

fn check_url(url: &UrlTemplate, has_source: bool, directive: &mut Directive) {
    if has_source && url.is_absolute() {
        let message = "the URL has a scheme and a host, which are those of the `source`: write its path \
                       only, or leave out `source`";
        directive.error(Code::AbsoluteConnectUrlWithSource, message);
    } else if !has_source && !url.is_absolute() {
        let message = "the URL is relative, and there is no `source`: write it with a scheme and a host, \
                       or name a `source`";
        directive.error(Code::RelativeConnectUrlWithoutSource, message);
    }
}

/// `batch: {maxSize}`
fn batch_size(arguments: Arguments<'_>, directive: &mut Directive) -> Option<NonZeroUsize> {
    let value = arguments.get("batch")?;
    let batch = directive.object(value, "batch", &[("maxSize", Version::V0_2)])?;
    let value = batch.get("maxSize")?;
    let size =
        value.as_u64().and_then(|size| usize::try_from(size).ok()).and_then(NonZeroUsize::new);
    if size.is_none() {
        directive.error(Code::GraphqlError, "`batch.maxSize` is no whole number above 0");
    }
    size
}
