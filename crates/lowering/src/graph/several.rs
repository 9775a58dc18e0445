//! Nested writes along relationships with several entities at an end.
//!
//! They are executed for each entity by itself, one after the other, with its own fields in place
//! of the common ones.

use catalog::FieldId;
use graphql::operation::Location;
use graphql::schema::{InputId, TypeId, TypeKind};

use super::super::filter::FilterContext;
use super::super::input::{Input, Presence};
use super::super::selection::misplaced;
use super::super::{Context, LowerError};
use super::WriteInput;
use super::among::{expect_none, only_one};
use api::binding::{
    InputRole, MultiEntityRole, NestedWriteVerb, RelationshipVariant, RelationshipVariantsId,
    VariantRole, WriteRole,
};

/// The one of several entities that inputs apply to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    pub(super) relationships: RelationshipVariantsId,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl<'a> Context<'a> {
    pub(super) fn relationship_variant(&self, own: Own) -> Option<&'a RelationshipVariant> {
        self.api.relationship_variants(own.relationships).get(own.from)?.get(own.to)
    }

    /// The context of conditions on the nodes.
    pub(super) fn around(&self, said: &WriteInput) -> FilterContext<'a> {
        match said.own {
            Some(own) => self.around_own(own),
            None => said.along.map(FilterContext::along).unwrap_or_default(),
        }
    }

    /// The nodes' own field for a common one of several entities.
    fn common(&self, place: u16, said: &WriteInput) -> Result<FieldId, LowerError> {
        let variant = said.own.and_then(|own| self.relationship_variant(own));
        let field = variant.and_then(|variant| variant.common.get(usize::from(place)));
        field.copied().ok_or_else(|| misplaced("a field of several entities"))
    }

    /// Adds one input for nodes of several entities.
    pub(super) fn read_several(
        &self,
        role: MultiEntityRole,
        (id, input): (InputId, &Input<'_>),
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        match role {
            MultiEntityRole::NestedWrite { relationships, verb, .. } => {
                self.read_nested_write_of_several(relationships, verb, (id, input), location, said)
            }
            MultiEntityRole::Among { relationships } => {
                self.read_among(relationships, (id, input), location, said)
            }
            MultiEntityRole::One => {
                let r#type = self.api.schema[id].r#type;
                if let [_, _, ..] = self.members_given(input, r#type.base, location)?.as_slice() {
                    let name = &self.api.schema[id].name;
                    let text = format!("{name} leads to one node: name one type only.");
                    return Err(LowerError::refused(&text, location));
                }
                self.read_members(input, r#type, location, said)
            }
            MultiEntityRole::Edge(edge) => {
                match said.own.and_then(|own| self.relationship_variant(own)) {
                    Some(variant) if variant.edge == Some(edge) => {
                        self.read_members(input, self.api.schema[id].r#type, location, said)
                    }
                    // It applies to the relationships of other nodes.
                    _ => Ok(()),
                }
            }
            MultiEntityRole::Assign { place, verb } => {
                let field = self.common(place, said)?;
                self.assign(field, verb, (id, input), location, said)
            }
            MultiEntityRole::Assigns { place, is_required } => {
                let field = self.common(place, said)?;
                self.assign_by(field, is_required, (id, input), location, said)
            }
        }
    }

    /// Adds the values of new nodes of an entity, if the nodes are of this one.
    pub(super) fn read_variant(
        &self,
        number: u16,
        (id, input): (InputId, &Input<'_>),
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        match said.own.and_then(|own| self.relationship_variant(own)) {
            Some(variant) if variant.number == number => {
                self.read_members(input, self.api.schema[id].r#type, location, said)
            }
            Some(_) => Ok(()),
            None => Err(misplaced("nodes of one of several entities")),
        }
    }

    fn read_nested_write_of_several(
        &self,
        relationships: RelationshipVariantsId,
        verb: NestedWriteVerb,
        (id, input): (InputId, &Input<'_>),
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        let (from, targets) = self.relationships_on(relationships, said)?;
        let r#type = self.api.schema[id].r#type;
        for input in self.each(input, r#type)? {
            if self.is_by_variant(r#type.base) {
                let input = (&input, r#type.base);
                self.read_nested_write_of_each((relationships, from), verb, input, location, said)?;
                continue;
            }
            if let NestedWriteVerb::Create | NestedWriteVerb::ConnectOnce = verb {
                expect_none(targets, said);
            }
            let places = match verb {
                NestedWriteVerb::Create => self.named(targets, &input, r#type.base, location)?,
                NestedWriteVerb::Connect
                | NestedWriteVerb::ConnectOnce
                | NestedWriteVerb::ConnectOrCreate
                | NestedWriteVerb::Disconnect
                | NestedWriteVerb::Update
                | NestedWriteVerb::Delete => (0..targets.len()).collect(),
            };
            for to in places {
                let Some(target) = targets.get(to) else { continue };
                let own = Some(Own { relationships, from, to });
                let input = (&input, r#type.base);
                let child = self.nested_write(target.nested(verb), verb, own, input, location)?;
                said.children.push(child);
            }
        }
        Ok(())
    }

    /// The relationships from the nodes, and their index among those from all entities.
    pub(super) fn relationships_on(
        &self,
        relationships: RelationshipVariantsId,
        said: &WriteInput,
    ) -> Result<(usize, &'a [RelationshipVariant]), LowerError> {
        let all = self.api.relationship_variants(relationships);
        // If several entities are at this end, the nodes are of one of them.
        let from = match (all, said.own.and_then(|own| self.relationship_variant(own))) {
            ([_], _) | (_, None) => 0,
            (_, Some(variant)) => usize::from(variant.number),
        };
        let targets = all.get(from).ok_or_else(|| misplaced("a relationship to nodes"))?;
        Ok((from, targets))
    }

    /// The entities of new nodes, in the order of the object; all if it names none, as there is
    /// only one.
    pub(super) fn named(
        &self,
        targets: &[RelationshipVariant],
        input: &Input<'_>,
        object: TypeId,
        location: Location,
    ) -> Result<Vec<usize>, LowerError> {
        for (id, input) in self.members_given(input, object, location)? {
            let base = self.api.schema[id].r#type.base;
            if self.api.input(id).role != InputRole::Write(WriteRole::NestedNode)
                || !self.is_by_variant(base)
            {
                continue;
            }
            let mut places = Vec::new();
            for (id, input) in self.members_given(&input, base, location)? {
                let InputRole::Variant(VariantRole::Of(number)) = self.api.input(id).role else {
                    return Err(misplaced("a node of one of several entities"));
                };
                if self.presence(&input) != Presence::Present {
                    continue;
                }
                let place = targets.iter().position(|target| target.number == number);
                places.push(place.ok_or_else(|| {
                    let name = &self.api.schema[id].name;
                    let text = ["This relationship leads to no ", name, "."].concat();
                    LowerError::refused(&text, location)
                })?);
            }
            only_one(targets, places.len(), location)?;
            return Ok(places);
        }
        Ok((0..targets.len()).collect())
    }

    /// True if an object has separate inputs for each entity.
    pub(super) fn is_by_variant(&self, object: TypeId) -> bool {
        match &self.api.schema[object].kind {
            TypeKind::InputObject { fields } => fields.iter().any(|id| {
                matches!(self.api.input(*id).role, InputRole::Variant(VariantRole::Of(_)))
            }),
            _ => false,
        }
    }
}
