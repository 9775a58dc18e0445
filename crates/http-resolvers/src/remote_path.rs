//! Fields of a remote schema, with their arguments of a row and of a client.

use std::sync::Arc;

use graphql::operation::OperationKind;
use serde_json::{Map, Value};

use crate::body::BodyTemplate;
use crate::inputs::Inputs;
use crate::remote_schema::RemoteSchema;

/// A field at the end of a path of fields that begins at a root type.
#[derive(Clone, Debug, PartialEq)]
pub struct RemotePath {
    pub kind: OperationKind,
    pub schema: Arc<RemoteSchema>,
    pub steps: Vec<RemoteStep>,
    pub server: PathServer,
}

/// The server that answers requests for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathServer {
    /// A GraphQL server, over HTTP.
    Http,
    /// A further source of this process, by its name.
    Source(Box<str>),
}

/// A field of a source whose argument is a list of objects with keys, and whose values are the rows
/// that belong to each of them, in their order.
pub const KEYS: &str = "keys";

/// The argument of such a field that has the list.
pub const KEYS_IN: &str = "args";

/// A field of the path.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteStep {
    /// The type of the field in the API, and the name of the field there.
    pub place: (Box<str>, Box<str>),
    /// The type and the name of the field at the server.
    pub r#type: Box<str>,
    pub field: Box<str>,
    /// Values of arguments from fields of a row: an object.
    pub given: BodyTemplate,
}

impl RemotePath {
    /// The name of the source in this process that answers.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        match &self.server {
            PathServer::Http => None,
            PathServer::Source(name) => Some(name),
        }
    }

    /// The arguments of each step for a row, beside those of the client, which the last step has.
    #[must_use]
    pub fn arguments(&self, row: &Inputs, client: &Inputs) -> Vec<Map<String, Value>> {
        let last = self.steps.len().saturating_sub(1);
        let steps = self.steps.iter().enumerate();
        let of_step = |(number, step): (usize, &RemoteStep)| {
            let mut arguments = match step.given.fill(row) {
                Value::Object(members) => members,
                _ => Map::new(),
            };
            if number == last
                && let Value::Object(of_client) = client.to_json()
            {
                for (name, value) in of_client {
                    merge(&mut arguments, name, value);
                }
            }
            arguments
        };
        steps.map(of_step).collect()
    }
}

/// Adds a value: objects are merged, and lists are joined.
fn merge(members: &mut Map<String, Value>, name: String, value: Value) {
    match (members.get_mut(&name), value) {
        (Some(Value::Object(known)), Value::Object(given)) => {
            for (name, value) in given {
                merge(known, name, value);
            }
        }
        (Some(Value::Array(known)), Value::Array(mut given)) => known.append(&mut given),
        // What a relationship gives, a client cannot.
        (Some(_), _) => {}
        (None, value) => {
            members.insert(name, value);
        }
    }
}
