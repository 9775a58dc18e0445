//! The state of the API's construction.

use api::ApiBuilder;
use api::draft::{DraftField, DraftInput, DraftKind, DraftType, DraftValue};

use super::section::{Draft, Section};
use crate::Offered;
use crate::located::Located;
use crate::model::{
    End, Enum, Field, FieldKind, Key, Model, Relation, RelationIndex, ScalarField, ScalarType,
    Type, TypeIndex,
};
pub(super) use crate::plural::lower_first;

/// The datamodel, its places in the catalog, and the API so far.
#[derive(Debug)]
pub(super) struct Builder<'m> {
    pub(super) model: &'m Model,
    pub(super) located: &'m Located,
    pub(super) offered: Offered,
    pub(super) draft: Draft,
}

/// A field of a type that has the rows of the other end of a relation.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelationField<'m> {
    pub(super) relation: &'m Relation,
    pub(super) index: RelationIndex,
    /// The end that has the field.
    pub(super) end: End,
    /// The type that has it.
    pub(super) owner: TypeIndex,
    /// The type of the rows.
    pub(super) target: TypeIndex,
    pub(super) name: &'m str,
    pub(super) is_list: bool,
    pub(super) is_required: bool,
    /// The field of the other end, if it has one.
    pub(super) opposite: Option<&'m Field>,
}

impl<'m> Builder<'m> {
    pub(super) fn new(model: &'m Model, located: &'m Located, offered: Offered) -> Self {
        Self { model, located, offered, draft: Draft::default() }
    }

    pub(super) fn types(&self) -> impl Iterator<Item = (TypeIndex, &'m Type)> + use<'m> {
        let types = self.model.types.iter().enumerate();
        types.map(|(index, r#type)| (TypeIndex(index), r#type))
    }

    pub(super) fn r#type(&self, index: TypeIndex) -> &'m Type {
        &self.model.types[index.0]
    }

    /// The fields of a type with one value each.
    pub(super) fn scalars(
        &self,
        index: TypeIndex,
    ) -> impl Iterator<Item = (usize, &'m Field, &'m ScalarField)> + use<'m> {
        let fields = self.r#type(index).fields.iter().enumerate();
        fields.filter_map(|(place, field)| match &field.kind {
            FieldKind::Scalar(scalar) => Some((place, field, scalar)),
            FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => None,
        })
    }

    /// The fields of a type with lists of values.
    pub(super) fn scalar_lists(
        &self,
        index: TypeIndex,
    ) -> impl Iterator<Item = (usize, &'m Field, ScalarType)> + use<'m> {
        let fields = self.r#type(index).fields.iter().enumerate();
        fields.filter_map(|(place, field)| match &field.kind {
            FieldKind::ScalarList { r#type, .. } => Some((place, field, *r#type)),
            FieldKind::Scalar(_) | FieldKind::Relation { .. } => None,
        })
    }

    /// The fields of a type with rows.
    pub(super) fn relations(&self, index: TypeIndex) -> Vec<RelationField<'m>> {
        let fields = &self.r#type(index).fields;
        fields.iter().filter_map(|field| self.relation(index, field)).collect()
    }

    /// A field as that of a relation.
    pub(super) fn relation(&self, owner: TypeIndex, field: &'m Field) -> Option<RelationField<'m>> {
        let FieldKind::Relation { relation: index, end, is_list } = field.kind else { return None };
        let relation = &self.model.relations[index.0];
        let other = relation.end(end.other());
        let opposite = other.field.map(|place| &self.r#type(other.r#type).fields[place]);
        Some(RelationField {
            relation,
            index,
            end,
            owner,
            target: other.r#type,
            name: &field.name,
            is_list,
            is_required: field.is_required,
            opposite,
        })
    }

    /// The unique fields of a type, its key among them.
    pub(super) fn unique_fields(
        &self,
        index: TypeIndex,
    ) -> impl Iterator<Item = (usize, &'m Field, &'m ScalarField)> + use<'m> {
        self.scalars(index).filter(|(_, _, scalar)| scalar.is_unique)
    }

    /// True if a type has a field of this name, which no name of an extension replaces.
    pub(super) fn has_field(&self, index: TypeIndex, name: &str) -> bool {
        self.r#type(index).fields.iter().any(|field| &*field.name == name)
    }

    pub(super) fn has_unique_field(&self, index: TypeIndex) -> bool {
        self.unique_fields(index).next().is_some()
    }

    /// True if the rows of a type are nodes: they have a field `id` of type ID.
    pub(super) fn is_node(&self, index: TypeIndex) -> bool {
        let mut scalars = self.scalars(index);
        scalars.any(|(place, field, scalar)| {
            let is_key = self.r#type(index).key == Key::Field(place);
            is_key && scalar.r#type == ScalarType::Id && &*field.name == "id"
        })
    }

    /// The name of a scalar type or an enum.
    pub(super) fn scalar_name(&self, r#type: ScalarType) -> &'m str {
        match r#type {
            ScalarType::Enum(index) => &self.r#enum(index).name,
            plain => plain.built_in_name(),
        }
    }

    pub(super) fn r#enum(&self, index: crate::model::EnumIndex) -> &'m Enum {
        &self.model.enums[index.0]
    }

    pub(super) fn input(&mut self, name: &str, members: Vec<DraftInput>) {
        self.draft.add_plain(Section, name, DraftKind::input(members));
    }

    pub(super) fn object(&mut self, name: &str, fields: Vec<DraftField>) {
        self.draft.add_plain(Section, name, DraftKind::object(fields));
    }

    pub(super) fn values(&mut self, name: &str, values: Vec<DraftValue>) {
        self.draft.add_plain(Section, name, DraftKind::Enum { values });
    }

    pub(super) fn described(&mut self, name: &str, description: &str, kind: DraftKind) {
        let (name, description) = (name.into(), Some(description.into()));
        self.draft.add(DraftType { name, description, section: Section, kind });
    }

    /// Puts everything into an API.
    pub(super) fn finish(mut self, builder: &mut ApiBuilder) {
        std::mem::take(&mut self.draft).finish(builder);
        super::nodes::add(&self, builder);
        super::values::bind(builder, self.model, self.located);
    }
}

/// The name with its first letter in upper case.
pub(super) fn upper_first(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// The type, which refuses null if it is required.
pub(super) fn required_if(is_required: bool, r#type: &str) -> String {
    if is_required { format!("{type}!") } else { r#type.to_owned() }
}

/// An input with a description.
pub(super) fn described(input: DraftInput, description: &str) -> DraftInput {
    DraftInput { description: Some(description.into()), ..input }
}

/// A field with a description.
pub(super) fn described_field(field: DraftField, description: &str) -> DraftField {
    DraftField { description: Some(description.into()), ..field }
}
