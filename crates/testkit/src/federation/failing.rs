//! Resolvers that fail. Which ones, is computed from the object and the field: a field fails wherever
//! it is resolved, in each subgraph and in the schema of all of them.

use serde_json::Map;
use supergraph::{FieldSetId, SetSelection, SubgraphId};

use super::arguments::{canonical, of_constant};
use super::world::{Identity, Value, World, mix};

/// Shares of failures, in hundredths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failing {
    /// Other seeds fail elsewhere.
    pub seed: u64,
    /// Fields that are null with an error.
    pub fields: u64,
    /// Elements of lists that are.
    pub elements: u64,
    /// Entities that a subgraph does not know.
    pub gone: u64,
    /// Values that are null without an error though the schema promises one.
    pub broken: u64,
    /// Whether non-null fields fail, too, so that the objects around them are null.
    pub non_null: bool,
}

impl Failing {
    fn hits(&self, most: u64, parts: &[&[u8]]) -> bool {
        let hash = parts.iter().fold(self.seed ^ 0x5eed, |hash, part| mix(hash, part));
        hash % 100 < most
    }
}

impl World<'_> {
    /// Whether a field of an object fails by itself, with an error.
    pub(super) fn fails(&self, of: Identity, name: &str) -> bool {
        let Some(failing) = &self.failing else { return false };
        let (r#type, number) = (self.name(of), [of.number]);
        failing.hits(failing.fields, &[b"field", r#type.as_bytes(), &number, name.as_bytes()])
            && !self.is_key(of.r#type, name)
            && (failing.non_null || self.is_nullable(of.r#type, name, false))
    }

    /// Whether a non-null field of an object is null.
    pub(super) fn is_broken(&self, of: Identity, name: &str) -> bool {
        let Some(failing) = &self.failing else { return false };
        let (r#type, number) = (self.name(of), [of.number]);
        failing.hits(failing.broken, &[b"broken", r#type.as_bytes(), &number, name.as_bytes()])
            && !self.is_key(of.r#type, name)
            && self.is_promised(of.r#type, name)
    }

    /// Whether an element of a list fails.
    pub(super) fn element_fails(&self, of: Identity, name: &str, place: usize) -> bool {
        let Some(failing) = &self.failing else { return false };
        let (r#type, number) = (self.name(of), [of.number]);
        let place = place.to_le_bytes();
        let parts = [b"element", r#type.as_bytes(), &number, name.as_bytes(), &place];
        failing.hits(failing.elements, &parts)
            && !self.is_key(of.r#type, name)
            && (failing.non_null || self.is_nullable(of.r#type, name, true))
    }

    /// Whether a subgraph does not find an entity by a representation.
    pub(super) fn is_gone(&self, of: Identity, subgraph: SubgraphId) -> bool {
        let Some(failing) = &self.failing else { return false };
        let (r#type, number) = (self.name(of), [of.number]);
        let subgraph = subgraph.0.to_le_bytes();
        failing.hits(failing.gone, &[b"gone", r#type.as_bytes(), &number, &subgraph])
    }

    /// Whether a required field of an object's field fails.
    pub(super) fn input_fails(&self, of: Identity, name: &str) -> bool {
        self.failing.is_some()
            && self.requires(of, name).into_iter().any(|set| {
                self.any_required(set, of, &|object, name, places| {
                    self.fails(object, name)
                        || self.is_broken(object, name)
                        || (0..places).any(|place| self.element_fails(object, name, place))
                })
            })
    }

    /// Whether a required field of an object's field is of an object that some subgraph does not
    /// find.
    pub(super) fn input_is_gone(&self, of: Identity, name: &str) -> bool {
        self.failing.is_some()
            && self.requires(of, name).into_iter().any(|set| {
                self.any_required(set, of, &|object, _, _| {
                    self.supergraph.subgraph_ids().any(|subgraph| self.is_gone(object, subgraph))
                })
            })
    }

    /// Whether a subgraph may resolve a field of an object, or one that it requires.
    pub(super) fn concerns(&self, of: Identity, name: &str, subgraph: SubgraphId) -> bool {
        let is_owned = |object: Identity, name: &str| {
            let owners = self.owners(object, name);
            owners.is_empty() || owners.contains(&subgraph)
        };
        is_owned(of, name)
            || self
                .requires(of, name)
                .into_iter()
                .any(|set| self.any_required(set, of, &|object, name, _| is_owned(object, name)))
    }

    /// Whether a condition holds for any value that a set names: for its object, its name, and the
    /// number of its elements. Recursion is bounded by the nesting of field sets, and by
    /// requirements of requirements.
    fn any_required(
        &self,
        set: FieldSetId,
        of: Identity,
        holds: &dyn Fn(Identity, &str, usize) -> bool,
    ) -> bool {
        let supergraph = self.supergraph;
        supergraph.field_set(set).selections.iter().any(|selection| match selection {
            SetSelection::Typename => false,
            SetSelection::On(set) => {
                let possible = supergraph.possible(supergraph.field_set(*set).parent);
                supergraph.contains(possible, of.r#type) && self.any_required(*set, of, holds)
            }
            SetSelection::Field { field, arguments, set } => {
                let name = &*supergraph.schema[*field].name;
                let own = self.field(of.r#type, name).unwrap_or(*field);
                let arguments: Map<_, _> = arguments
                    .iter()
                    .map(|(name, literal)| (name.to_string(), of_constant(&literal.constant())))
                    .collect();
                let text = canonical(&supergraph.schema, own, &arguments);
                let value = self.value(of, name, &text);
                let places = if let Value::List(items) = &value { items.len() } else { 0 };
                let below = |object| set.is_some_and(|set| self.any_required(set, object, holds));
                holds(of, name, places)
                    || objects(&value).into_iter().any(below)
                    || self
                        .requires(of, name)
                        .into_iter()
                        .any(|set| self.any_required(set, of, holds))
            }
        })
    }
}

fn objects(value: &Value) -> Vec<Identity> {
    match value {
        Value::Null | Value::Leaf(_) => Vec::new(),
        Value::Object(identity) => vec![*identity],
        Value::List(items) => items.iter().flat_map(objects).collect(),
    }
}
