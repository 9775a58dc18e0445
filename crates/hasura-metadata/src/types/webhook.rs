//! Requests to other servers: headers, retries, and templates that change requests and responses.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::location::Location;
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};

/// A header of requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    pub place: Location,
    pub name: String,
    pub value: HeaderValue,
}

/// The value of a header.
#[derive(Clone, Debug, PartialEq)]
pub enum HeaderValue {
    Text(String),
    /// The name of an environment variable.
    FromEnv(String),
}

impl Header {
    const KEYS: &'static [&'static str] = &["name", "value", "value_from_env"];
}

impl Read for Header {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let object = reader.object(node, "Header", Self::KEYS)?;
        let name = reader.required(object, "name");
        let text = reader.optional::<String>(object, "value");
        let variable = reader.optional::<String>(object, "value_from_env");
        let value = match (text?, variable?) {
            (Some(text), None) => HeaderValue::Text(text),
            (None, Some(variable)) => HeaderValue::FromEnv(variable),
            _ => {
                let message = "One of the keys value and value_from_env is wanted.";
                return reader.wrong(node, message.into());
            }
        };
        Some(Self { place: reader.place(&node.mark), name: name?, value })
    }

    fn describe(description: &mut Description) {
        description.add("Header", Self::KEYS);
    }
}

impl Write for Header {
    fn write(&self) -> Json {
        let (key, value) = match &self.value {
            HeaderValue::Text(text) => ("value", text),
            HeaderValue::FromEnv(variable) => ("value_from_env", variable),
        };
        Json::Object(vec![("name".to_owned(), self.name.write()), (key.to_owned(), value.write())])
    }
}

object! {
    /// Templates that change a request before it is sent.
    RequestTransform {
        optional body: BodyTransform = "body",
        /// The media type of the body, in the first version of the form.
        optional content_type: String = "content_type",
        optional method: String = "method",
        optional query_params: QueryParameters = "query_params",
        optional request_headers: HeaderChanges = "request_headers",
        always template_engine: TemplateEngine = "template_engine" (TemplateEngine::Kriti),
        optional url: String = "url",
        always version: TransformVersion = "version" (TransformVersion::V1),
    }
}

object! {
    /// Templates that change a response before it is used.
    ResponseTransform {
        optional body: BodyTransform = "body",
        always template_engine: TemplateEngine = "template_engine" (TemplateEngine::Kriti),
        always version: TransformVersion = "version" (TransformVersion::V1),
    }
}

choice! {
    /// The language of templates.
    TemplateEngine { Kriti = "Kriti" }
}

/// The version of the form of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformVersion {
    V1,
    V2,
}

impl Read for TransformVersion {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let number = match &node.value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        match number {
            Some(1) => Some(Self::V1),
            Some(2) => Some(Self::V2),
            _ => reader.expected(node, "1 or 2"),
        }
    }
}

impl Write for TransformVersion {
    fn write(&self) -> Json {
        Json::Number(match self {
            Self::V1 => 1.into(),
            Self::V2 => 2.into(),
        })
    }
}

/// The body of a transformed request or response.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyTransform {
    /// A template, in the first version of the form.
    Template(String),
    Action(Box<BodyAction>),
}

impl Read for BodyTransform {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::String(template) => Some(Self::Template(template.clone())),
            _ => Box::read(node, reader).map(Self::Action),
        }
    }

    fn describe(description: &mut Description) {
        BodyAction::describe(description);
    }
}

impl Write for BodyTransform {
    fn write(&self) -> Json {
        match self {
            Self::Template(template) => template.write(),
            Self::Action(action) => action.write(),
        }
    }
}

object! {
    /// The body in the second version of the form.
    BodyAction, then check_body {
        required action: BodyActionKind = "action",
        optional form_template: BTreeMap<String, String> = "form_template",
        optional template: String = "template",
    }
}

choice! {
    /// What becomes of a body.
    BodyActionKind {
        Remove = "remove",
        Transform = "transform",
        FormUrlEncoded = "x_www_form_urlencoded",
    }
}

fn check_body(body: &mut BodyAction, reader: &mut Reader) -> Option<()> {
    let missing = match body.action {
        BodyActionKind::Transform if body.template.is_none() => "template",
        BodyActionKind::FormUrlEncoded if body.form_template.is_none() => "form_template",
        BodyActionKind::Remove | BodyActionKind::Transform | BodyActionKind::FormUrlEncoded => {
            return Some(());
        }
    };
    let message = format!("The action {} needs the key {missing}.", body.action.as_str());
    reader.report(crate::problem::ProblemKind::MissingKey, &body.place.mark, message);
    None
}

/// The parameters in the address of a transformed request.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryParameters {
    /// Templates by the name of the parameter; `None` for a parameter without a value.
    Named(BTreeMap<String, Option<String>>),
    /// A template of all parameters.
    Template(String),
}

impl Read for QueryParameters {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::String(template) => Some(Self::Template(template.clone())),
            Value::Object(entries) => {
                let mut named = BTreeMap::new();
                for entry in entries {
                    let value = match &entry.node.value {
                        Value::Null => None,
                        _ => Some(String::read(&entry.node, reader)?),
                    };
                    named.insert(entry.key.clone(), value);
                }
                Some(Self::Named(named))
            }
            _ => reader.expected(node, "an object, or a template,"),
        }
    }
}

impl Write for QueryParameters {
    fn write(&self) -> Json {
        match self {
            Self::Template(template) => template.write(),
            Self::Named(named) => {
                let members = named.iter();
                let members = members.map(|(name, value)| {
                    (name.clone(), value.as_ref().map_or(Json::Null, Write::write))
                });
                Json::Object(members.collect())
            }
        }
    }
}

object! {
    /// Changes of the headers of a request.
    HeaderChanges {
        always add_headers: BTreeMap<String, String> = "add_headers" (BTreeMap::new()),
        always remove_headers: Vec<String> = "remove_headers" (Vec::new()),
    }
}
