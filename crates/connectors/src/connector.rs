//! Connectors and their sources, as plain data.
//! <https://www.apollographql.com/docs/graphos/connectors/reference/directives>

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use http::Method;
use http::header::HeaderName;

use crate::mapping::{Inputs, Mapping};
use crate::template::Template;
use crate::url::UrlTemplate;
use crate::version::Version;

/// `@source`: what connectors share.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub name: Box<str>,
    /// Its URL is absolute and has no expressions.
    pub http: Http,
    pub errors: Errors,
    pub is_success: Option<Mapping>,
}

/// `@connect`: how a field, or the fields of a type, are had from a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Connector {
    pub version: Version,
    pub coordinate: Coordinate,
    /// A name for messages, instead of the coordinate.
    pub id: Option<Box<str>>,
    pub source: Option<Arc<Source>>,
    pub method: Method,
    /// Its URL is relative to that of the source, if there is one, and absolute else.
    pub http: Http,
    pub body: Option<Mapping>,
    pub selection: Mapping,
    pub resolves: Resolves,
    pub batch: Option<Batch>,
    pub errors: Errors,
    pub is_success: Option<Mapping>,
}

/// The position that a connector resolves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolves {
    /// The field that it stands on.
    Field,
    /// The field that it stands on, and entities of its type by the field's arguments: `entity: true`.
    FieldAndEntity,
    /// Objects of the type that it stands on, by `$this` or `$batch`.
    Type,
}

/// Where a `@connect` stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinate {
    pub type_name: Box<str>,
    /// `None` if it stands on the type.
    pub field: Option<Box<str>>,
    /// Its place among those of the same field or type.
    pub index: usize,
}

/// URL and headers of requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Http {
    pub url: UrlTemplate,
    /// A list of further segments.
    pub path: Option<Mapping>,
    /// An object of further parameters.
    pub query_params: Option<Mapping>,
    pub headers: Vec<Header>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    pub name: HeaderName,
    pub value: HeaderValueSource,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HeaderValueSource {
    /// The values of a header of the client.
    From(HeaderName),
    Value(Template),
}

/// `errors`: mappings of responses without success.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errors {
    pub message: Option<Mapping>,
    pub extensions: Option<Mapping>,
}

/// Requests for many objects: the connector uses `$batch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// How many objects a request may ask for; all, if it is not limited.
    pub max_size: Option<NonZeroUsize>,
}

impl Connector {
    /// Inputs of the request, with those of the source.
    #[must_use]
    pub fn request_inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        if let Some(source) = &self.source {
            source.http.add_inputs(&mut inputs);
        }
        self.http.add_inputs(&mut inputs);
        if let Some(body) = &self.body {
            inputs.add(&body.inputs());
        }
        inputs
    }

    /// What the mappings of the response need, with those of the source.
    #[must_use]
    pub fn response_inputs(&self) -> Inputs {
        let mut inputs = self.selection.inputs();
        let of_source = self.source.iter().flat_map(|source| {
            [&source.errors.message, &source.errors.extensions, &source.is_success]
        });
        let own = [&self.errors.message, &self.errors.extensions, &self.is_success];
        for mapping in of_source.chain(own).flatten() {
            inputs.add(&mapping.inputs());
        }
        inputs
    }

    /// What the connector needs of variables: of `$this` these are fields of the object, of `$batch`
    /// fields of each.
    #[must_use]
    pub fn inputs(&self) -> Inputs {
        let mut inputs = self.request_inputs();
        inputs.add(&self.response_inputs());
        inputs
    }
}

impl Http {
    fn add_inputs(&self, inputs: &mut Inputs) {
        inputs.add(&self.url.inputs());
        for mapping in [&self.path, &self.query_params].into_iter().flatten() {
            inputs.add(&mapping.inputs());
        }
        for header in &self.headers {
            if let HeaderValueSource::Value(template) = &header.value {
                inputs.add(&template.inputs());
            }
        }
    }
}

impl fmt::Display for Coordinate {
    /// As in messages of other implementations: `Query.users@connect[0]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.type_name)?;
        if let Some(field) = &self.field {
            write!(f, ".{field}")?;
        }
        write!(f, "@connect[{}]", self.index)
    }
}
