//! Prisma's normalized data format (NDF): nodes, lists and relations as JSON, in requests of `/export`
//! and `/import`.
//!
//! * [`export`]: pages of the format, by queries of the API
//! * [`import`]: changes of tables that a request makes
//!
//! <https://github.com/prisma/prisma1>, `import_export` of the API server.

pub mod export;
pub mod import;

use crate::model::{Field, FieldKind, Key, Model, ScalarField, Type, TypeIndex};

/// The member with the name of a type.
const TYPE_NAME: &str = "_typeName";
const ID: &str = "id";
const FIELD_NAME: &str = "fieldName";

/// The parts of a service's data, in which both exports and imports are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Nodes,
    Lists,
    Relations,
}

impl Part {
    fn find(name: &str) -> Option<Self> {
        Some(match name {
            "nodes" => Self::Nodes,
            "lists" => Self::Lists,
            "relations" => Self::Relations,
            _ => return None,
        })
    }
}

/// A request that cannot be read. Prisma answers such a request with an error of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

fn malformed<T>(message: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(message.into()))
}

/// The field of the key of a type.
fn key_field(own: &Type) -> Option<(&Field, &ScalarField)> {
    let Key::Field(idx) = own.key else { return None };
    let field = own.fields.get(idx)?;
    match &field.kind {
        FieldKind::Scalar(scalar) => Some((field, scalar)),
        FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => None,
    }
}

/// The lists of scalars of all types: the type, and the index of the field.
fn lists(model: &Model) -> Vec<(TypeIndex, usize)> {
    let types = model.types.iter().enumerate();
    let lists = types.flat_map(|(index, own)| {
        let fields = own.fields.iter().enumerate();
        let lists = fields.filter(|(_, field)| matches!(field.kind, FieldKind::ScalarList { .. }));
        lists.map(move |(field, _)| (TypeIndex(index), field))
    });
    lists.collect()
}
