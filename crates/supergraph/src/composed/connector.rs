//! Connectors of a supergraph: fields that REST requests resolve.
//! <https://specs.apollo.dev/connect/v0.4/>

use std::sync::Arc;

use connectors::Resolves;
use connectors::mapping::{Members, Shape};
use connectors::variables::Variable;
use graphql::schema::{FieldId, TypeId};

use super::SubgraphId;
use super::expand::Tree;

/// Index of a connector in its supergraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectorId(u32);

impl ConnectorId {
    pub(super) fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A subgraph that is a part of another one: one entry of a connector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The subgraph whose schema has the connector.
    pub of: SubgraphId,
    pub connector: ConnectorId,
    pub entry: Entry,
}

/// What a connector resolves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A field of a root type.
    Root { root: TypeId, field: FieldId },
    /// A field of objects of another type.
    Field { parent: TypeId, field: FieldId },
    /// Fields of entities of a type.
    Entity(TypeId),
}

/// A connector.
#[derive(Clone, Debug)]
pub struct Connector {
    /// The subgraph whose schema has it.
    pub subgraph: SubgraphId,
    /// Such as `users:Query.user@connect[0]`.
    pub coordinate: Arc<str>,
    pub definition: Arc<connectors::Connector>,
    /// Method and address as the schema has them, such as `GET https://api.example/users/{$args.id}`.
    pub request: Arc<str>,
    /// The entries: one, and with `entity: true` two.
    pub(super) entries: Vec<Entry>,
    /// The fields of the object that a request uses.
    pub(super) used: Tree,
}

impl Connector {
    /// Returns the field or the type that it stands on, such as `Query.user`.
    #[must_use]
    pub fn place(&self) -> String {
        let coordinate = &self.definition.coordinate;
        match &coordinate.field {
            Some(field) => [&*coordinate.type_name, ".", field].concat(),
            None => coordinate.type_name.as_ref().to_owned(),
        }
    }

    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the fields of an object that a request uses: the key of its entities.
    #[must_use]
    pub fn used(&self) -> &Tree {
        &self.used
    }

    /// Whether the values of an entity are those of the field's arguments, and not of `$this`.
    #[must_use]
    pub fn uses_arguments(&self) -> bool {
        self.definition.resolves == Resolves::FieldAndEntity
    }

    /// Whether one request is for several objects.
    #[must_use]
    pub fn is_batch(&self) -> bool {
        self.definition.batch.is_some()
    }

    /// Returns the maximum number of objects of a request.
    #[must_use]
    pub fn batch_size(&self) -> usize {
        let most = self.definition.batch.and_then(|batch| batch.max_size);
        most.map_or(usize::MAX, usize::from)
    }
}

/// Returns the fields of an object that requests of a connector use.
pub(crate) fn used_fields(definition: &connectors::Connector) -> Tree {
    let variable = match (definition.resolves, definition.batch) {
        (Resolves::FieldAndEntity, _) => Variable::Args,
        (Resolves::Type, Some(_)) => Variable::Batch,
        (Resolves::Type | Resolves::Field, _) => Variable::This,
    };
    definition.inputs().of(variable).map(members).unwrap_or_default()
}

/// Recursion is bounded by the length of paths.
fn members(used: &Members) -> Tree {
    let fields = used.members.iter();
    let fields = fields.map(|(name, below)| ((&**name).into(), members(below)));
    Tree { fields: fields.collect(), on: Vec::new() }
}

/// Returns the fields that a mapping selects. What it does not say is left out.
pub(crate) fn mapped_fields(shape: &Shape) -> Tree {
    let mut tree = Tree::default();
    shape.alternatives(&mut |shape| {
        let Shape::Object(fields) = shape else { return };
        let typename = fields.iter().find(|field| &*field.name == "__typename");
        let typename = typename.and_then(|field| match &field.shape {
            Shape::Literal(value) => value.as_str(),
            _ => None,
        });
        let mut own = Tree::default();
        for field in fields {
            own.unite(&field.name, mapped_fields(&field.shape));
        }
        match typename {
            Some(typename) => tree.unite_on(typename, own),
            None => own.fields.into_iter().for_each(|(name, below)| tree.unite(&name, below)),
        }
    });
    tree
}
