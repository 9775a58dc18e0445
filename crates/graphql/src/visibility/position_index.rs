//! What visibility needs of each position of a schema, side by side: views of many roles are made of
//! one schema, and each looks at all of its positions several times.

use super::{Bits, Visibility};
use crate::schema::{EnumValueId, FieldId, InputId, Schema, TypeId, TypeKind};
use crate::visibility::Position;

/// The types of positions, and the required inputs.
#[derive(Debug)]
pub struct PositionIndex<'s> {
    pub(super) schema: &'s Schema,
    /// By field and by input, its type without wrappers.
    pub(super) field_types: Vec<TypeId>,
    pub(super) input_types: Vec<TypeId>,
    /// Inputs that a client must give.
    pub(super) required: Bits,
    /// Fields with arguments.
    pub(super) with_arguments: Bits,
    /// Fields with required arguments.
    pub(super) with_required: Bits,
    /// Input object types with their required fields.
    pub(super) demanding_types: Vec<(TypeId, Vec<InputId>)>,
    /// Interfaces, each with a type that implements it, sorted.
    pub(super) implementers: Vec<(TypeId, TypeId)>,
}

impl<'s> PositionIndex<'s> {
    #[must_use]
    pub fn new(schema: &'s Schema) -> Self {
        let (fields, inputs, _) = schema.sizes();
        let mut index = Self {
            schema,
            field_types: Vec::with_capacity(fields),
            input_types: Vec::with_capacity(inputs),
            required: Bits::new(inputs),
            with_arguments: Bits::new(fields),
            with_required: Bits::new(fields),
            demanding_types: Vec::new(),
            implementers: Vec::new(),
        };
        for id in (0..inputs).map(InputId::new) {
            let input = &schema[id];
            index.input_types.push(input.r#type.base);
            if input.r#type.is_non_null() && input.default.is_none() {
                index.required.insert(id.index());
            }
        }
        for id in (0..fields).map(FieldId::new) {
            let field = &schema[id];
            index.field_types.push(field.r#type.base);
            if !field.arguments.is_empty() {
                index.with_arguments.insert(id.index());
            }
            if field.arguments.iter().any(|id| index.required.has(id.index())) {
                index.with_required.insert(id.index());
            }
        }
        for (id, definition) in schema.types() {
            match &definition.kind {
                TypeKind::Object { interfaces, .. } | TypeKind::Interface { interfaces, .. } => {
                    let implements = interfaces.iter().map(|interface| (*interface, id));
                    index.implementers.extend(implements);
                }
                TypeKind::InputObject { fields } => {
                    let is_required = |id: &&InputId| index.required.has(id.index());
                    let required: Vec<InputId> =
                        fields.iter().filter(is_required).copied().collect();
                    if !required.is_empty() {
                        index.demanding_types.push((id, required));
                    }
                }
                TypeKind::Scalar | TypeKind::Union { .. } | TypeKind::Enum { .. } => {}
            }
        }
        index.implementers.sort_unstable();
        index
    }

    /// The positions that are allowed and can be used: [`Visibility::new`].
    #[must_use]
    pub fn visibility(
        &self,
        is_allowed: impl Fn(Position) -> bool,
        is_nullable: impl Fn(FieldId) -> bool,
        is_given: impl Fn(InputId) -> bool,
    ) -> Visibility {
        let (fields, inputs, values) = self.schema.sizes();
        let types = self.schema.types().count();
        let all = |size: usize, is_in: &dyn Fn(usize) -> bool| {
            let mut bits = Bits::new(size);
            (0..size).filter(|index| is_in(*index)).for_each(|index| bits.insert(index));
            bits
        };
        let field = |index| is_allowed(Position::Field(FieldId::new(index)));
        let input = |index| is_allowed(Position::Input(InputId::new(index)));
        let value = |index| is_allowed(Position::EnumValue(EnumValueId::new(index)));
        let mut visibility = Visibility {
            types: all(types, &|_| true),
            fields: all(fields, &field),
            inputs: all(inputs, &input),
            values: all(values, &value),
            nullable: all(fields, &|index| is_nullable(FieldId::new(index))),
        };
        visibility.hide_unusable(self, &is_given);
        visibility.hide_unreachable(self);
        visibility
    }
}
