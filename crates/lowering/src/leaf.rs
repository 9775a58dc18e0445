//! Values with parts: their selections become part of their leaf.

use catalog::FieldId;
use graphql::CollectedField;
use graphql::operation::FieldRef;
use graphql::schema::TypeId;
use response::{Leaf, Member, Node, OutputId, Part, ShapeField};

use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{FieldBinding, ValueShape};

impl Context<'_> {
    /// The leaf of a value whose GraphQL type is `type`, with the selections of `field`.
    pub(super) fn leaf(
        &mut self,
        value: &ValueShape,
        r#type: TypeId,
        field: &CollectedField<'_>,
    ) -> Result<Leaf, LowerError> {
        self.leaf_within(value, r#type, field, None)
    }

    /// The node of a field's value, with the replacement of null.
    pub(super) fn or_absent(&self, field: FieldId, output: OutputId, leaf: Leaf) -> Node {
        match self.api.find_absent(field).and_then(|absent| absent.json.clone()) {
            Some(absent) => Node::LeafOr { output, leaf, absent },
            None => Node::Leaf { output, leaf },
        }
    }

    /// The same within a range, whose elements have the shape `element`.
    fn leaf_within(
        &mut self,
        value: &ValueShape,
        r#type: TypeId,
        field: &CollectedField<'_>,
        element: Option<&ValueShape>,
    ) -> Result<Leaf, LowerError> {
        Ok(match value {
            ValueShape::Leaf(leaf) => leaf.clone(),
            ValueShape::List(item) => Leaf::List(Box::new(self.leaf(item, r#type, field)?)),
            ValueShape::Composite => Leaf::Composite(self.members(r#type, field, None)?),
            ValueShape::Row => Leaf::Row(self.members(r#type, field, None)?),
            ValueShape::Range(element) => {
                Leaf::Range(self.members(r#type, field, Some(element))?)
            }
            ValueShape::Bound => Leaf::Bound(self.members(r#type, field, element)?),
            ValueShape::Interval => Leaf::Interval(self.members(r#type, field, None)?),
            ValueShape::Point => Leaf::Point(self.members(r#type, field, None)?),
            ValueShape::Geometry => Leaf::Geometry(self.members(r#type, field, None)?),
            ValueShape::Figure(figure) => Leaf::Figure(*figure, self.members(r#type, field, None)?),
        })
    }

    fn members(
        &mut self,
        r#type: TypeId,
        field: &CollectedField<'_>,
        element: Option<&ValueShape>,
    ) -> Result<Box<[Member]>, LowerError> {
        let mut members = Vec::new();
        for member in self.collect(r#type, &field.selection_sets)? {
            let key = ShapeField::new(member.response_name, response::NodeId(0), true);
            let key = key.key().into();
            match member.field {
                FieldRef::Typename => {
                    let leaf = Leaf::Literal(self.typename(r#type));
                    members.push(Member { key, part: Part::Typename, leaf, nullable: false });
                }
                FieldRef::Introspection => return Err(misplaced("introspection within a value")),
                FieldRef::Field(id) => {
                    let api = self.api;
                    let (part, value) = match api.field(id) {
                        FieldBinding::Part { part, value } => (part, value),
                        // A part of a value has no errors of its own.
                        FieldBinding::Refused(text) => {
                            return Err(LowerError::refused(text, member.location));
                        }
                        _ => return Err(misplaced("a field of a value")),
                    };
                    let base = api.schema[id].r#type.base;
                    let nullable = !api.schema[id].r#type.is_non_null();
                    let value = match (part, element) {
                        (Part::Value, Some(element)) => element,
                        _ => value,
                    };
                    let leaf = self.leaf_within(value, base, &member, element)?;
                    members.push(Member { key, part: *part, leaf, nullable });
                }
            }
        }
        Ok(members.into())
    }

    /// `"Name"`, as JSON.
    pub(super) fn typename(&self, r#type: TypeId) -> Box<[u8]> {
        let mut text = Vec::new();
        response::escape::write_string(&self.api.schema[r#type].name, &mut text);
        text.into()
    }
}
