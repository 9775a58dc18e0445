//! The composite type whose values are output as signed tokens.

use std::sync::Arc;

use catalog::{Composite, CompositeId};
use graphql::schema::{TypeKind, TypeRef};
use ir::Form;
use response::{Leaf, Member, NodeId, Part, Seal, Sealed, ShapeField};

use super::api_types::ValueType;
use super::build::Build;
use super::types::{Definition, value_type};
use api::binding::ValueShape;

/// PostGraphile's description of the type.
const DESCRIPTION: &str = "A JSON Web Token defined by [RFC 7519](https://tools.ietf.org/html/rfc7519) \
                           which securely represents claims between two parties.";

/// The composite type, and its signer.
#[derive(Clone, Debug)]
pub struct TokenType {
    pub namespace: Box<str>,
    pub name: Box<str>,
    /// `None` where no request is executed, as for printing the schema.
    pub seal: Option<Arc<dyn Seal>>,
}

impl TokenType {
    /// True for this composite type.
    pub(super) fn is(&self, composite: &Composite) -> bool {
        composite.name == self.name && composite.namespace.as_deref() == Some(&*self.namespace)
    }
}

impl PartialEq for TokenType {
    fn eq(&self, other: &Self) -> bool {
        let is_same_seal = match (&self.seal, &other.seal) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_same_seal && (&self.namespace, &self.name) == (&other.namespace, &other.name)
    }
}

impl Eq for TokenType {}

/// The scalar of the type. It is no input: only the owner of the secret can make tokens.
pub(super) fn value(
    build: &mut Build<'_>,
    id: CompositeId,
    definition: Definition,
    token: &TokenType,
) -> Option<ValueType> {
    let catalog = build.catalog;
    let composite = &catalog[id];
    let mut members = Vec::new();
    for (attribute, place) in composite.attributes.iter().zip(0..) {
        let value = value_type(build, &attribute.r#type).filter(ValueType::is_stored);
        let Some(leaf) = value.and_then(|value| whole(&value.value)) else { continue };
        let key = ShapeField::new(&attribute.name, NodeId(0), true).key().into();
        members.push(Member { key, part: Part::Attribute(place), leaf, nullable: true });
    }
    let sealed = Sealed { members: members.into(), seal: token.seal.clone() };
    let description = definition.description.or_else(|| Some(DESCRIPTION.into()));
    let made = build.add_type(&definition.name, description, TypeKind::Scalar)?;
    Some(ValueType {
        output: TypeRef::named(made),
        value: ValueShape::Leaf(Leaf::Sealed(Box::new(sealed))),
        json: Leaf::Any,
        form: Form::Stored,
        input: None,
        equal: false,
        ordered: false,
        database_name: [&*token.namespace, ".", &*token.name].concat().into(),
    })
}

/// The leaf of a value without selections.
fn whole(value: &ValueShape) -> Option<Leaf> {
    match value {
        ValueShape::Leaf(leaf) => Some(leaf.clone()),
        ValueShape::List(item) => Some(Leaf::List(Box::new(whole(item)?))),
        ValueShape::Composite
        | ValueShape::Row
        | ValueShape::Range(_)
        | ValueShape::Bound
        | ValueShape::Interval
        | ValueShape::Point
        | ValueShape::Geometry
        | ValueShape::Figure(_) => None,
    }
}
