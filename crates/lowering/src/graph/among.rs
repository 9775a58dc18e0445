//! Nested writes along relationships to nodes of several entities, as in version 3 of a graph's
//! API: in one object with the condition on the nodes, with inputs for some entities beside those
//! for all.

use std::sync::Arc;

use graphql::operation::Location;
use graphql::schema::{InputId, TypeId};
use ir::{ChildWrite, ExpectedLinks, Filter, Otherwise, OtherwiseKind, Write, WriteKind};

use super::super::filter::FilterContext;
use super::super::input::{Input, Presence};
use super::super::selection::misplaced;
use super::super::variants::OfVariant;
use super::super::{Context, LowerError};
use super::WriteInput;
use super::nested_write::Towards;
use super::several::Own;
use api::binding::{
    InputRole, NestedWriteVerb, RelationshipVariant, RelationshipVariantsId, VariantRole,
};

impl<'a> Context<'a> {
    /// The context of conditions on the nodes of one of several entities.
    pub(super) fn around_own(&self, own: Own) -> FilterContext<'a> {
        self.relationship_variant(own)
            .map(|variant| FilterContext::of_variant(OfVariant::of_relationship(variant)))
            .unwrap_or_default()
    }

    /// Adds all nested writes along a relationship of an object, or of a list of such.
    pub(super) fn read_among(
        &self,
        relationships: RelationshipVariantsId,
        (id, input): (InputId, &Input<'_>),
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        let (from, targets) = self.relationships_on(relationships, said)?;
        let r#type = self.api.schema[id].r#type;
        let own = |to| Towards::OneOf(Own { relationships, from, to });
        for input in self.each(input, r#type)? {
            if !self.is_by_variant(r#type.base) {
                let members = self.members_given(&input, r#type.base, location)?;
                for to in 0..targets.len() {
                    self.read_nested_writes(own(to), &members, location, said)?;
                }
                continue;
            }
            let named = self.by_variant_named(targets, &input, r#type.base, location)?;
            if said.is_new {
                only_one(targets, named.len(), location)?;
            }
            for (to, id, input) in named {
                let r#type = self.api.schema[id].r#type;
                for input in self.each(&input, r#type)? {
                    let members = self.members_given(&input, r#type.base, location)?;
                    self.read_nested_writes(own(to), &members, location, said)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a nested write along a relationship, given for each of several entities.
    pub(super) fn read_nested_write_of_each(
        &self,
        (relationships, from): (RelationshipVariantsId, usize),
        verb: NestedWriteVerb,
        (input, object): (&Input<'_>, TypeId),
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        let targets =
            self.api.relationship_variants(relationships).get(from).map_or(&[][..], Vec::as_slice);
        let named = self.by_variant_named(targets, input, object, location)?;
        let is_create = verb == NestedWriteVerb::Create;
        if is_create {
            only_one(targets, named.len(), location)?;
        }
        for (to, id, input) in named {
            if is_create {
                expect_none(targets, said);
            }
            let to = Towards::OneOf(Own { relationships, from, to });
            self.read_nested_write(to, verb, (id, &input), location, said)?;
        }
        Ok(())
    }

    /// The nested write of one object towards the nodes of one of several entities; none where it
    /// creates a node of another.
    pub(super) fn nested_write_of_own(
        &self,
        own: Own,
        verb: NestedWriteVerb,
        (input, object): (&Input<'_>, TypeId),
        location: Location,
    ) -> Result<Option<ChildWrite>, LowerError> {
        let Some(variant) = self.relationship_variant(own) else {
            return Err(misplaced("a relationship to nodes"));
        };
        if verb == NestedWriteVerb::Create {
            let targets = self
                .api
                .relationship_variants(own.relationships)
                .get(own.from)
                .map_or(&[][..], Vec::as_slice);
            let named = self.named(targets, input, object, location)?;
            if !named.contains(&own.to) {
                return Ok(None);
            }
        }
        let relationship = variant.nested(verb);
        self.nested_write(relationship, verb, Some(own), (input, object), location).map(Some)
    }

    /// Drops inputs for all entities where the nodes' own entity has the same.
    pub(super) fn leave_overridden(
        &self,
        members: &mut Vec<(InputId, Input<'_>)>,
        location: Location,
        said: &WriteInput,
    ) -> Result<(), LowerError> {
        let role = |id: InputId| &self.api.input(id).role;
        let on = members.iter().find(|(id, _)| *role(*id) == InputRole::Variant(VariantRole::On));
        let (Some((id, input)), Some(own)) =
            (on, said.own.and_then(|own| self.relationship_variant(own)))
        else {
            return Ok(());
        };
        let mut names: Vec<Arc<str>> = Vec::new();
        for (id, input) in self.members_given(input, self.api.schema[*id].r#type.base, location)? {
            if *role(id) != InputRole::Variant(VariantRole::Of(own.number)) {
                continue;
            }
            let r#type = self.api.schema[id].r#type;
            for input in self.each(&input, r#type)? {
                let own = self.members_given(&input, r#type.base, location)?;
                names.extend(own.iter().map(|(id, _)| Arc::clone(&self.api.schema[*id].name)));
            }
        }
        members.retain(|(id, _)| !names.contains(&self.api.schema[*id].name));
        Ok(())
    }

    /// The inputs of each entity that an object names.
    fn by_variant_named<'o>(
        &self,
        targets: &[RelationshipVariant],
        input: &Input<'o>,
        object: TypeId,
        location: Location,
    ) -> Result<Vec<(usize, InputId, Input<'o>)>, LowerError> {
        let mut named = Vec::new();
        for (id, input) in self.members_given(input, object, location)? {
            let InputRole::Variant(VariantRole::Of(number)) = self.api.input(id).role else {
                continue;
            };
            let place = targets.iter().position(|target| target.number == number);
            match place {
                Some(place) if self.presence(&input) == Presence::Present => {
                    named.push((place, id, input));
                }
                _ => {}
            }
        }
        Ok(named)
    }
}

/// Rejects several new nodes along a to-one relationship.
pub(super) fn only_one(
    targets: &[RelationshipVariant],
    number: usize,
    location: Location,
) -> Result<(), LowerError> {
    match targets.iter().find_map(|target| target.single.as_ref()) {
        Some(text) if number > 1 => Err(LowerError::refused(text, location)),
        _ => Ok(()),
    }
}

/// Requires that the nodes of a root field are not connected already, along a to-one relationship.
pub(super) fn expect_none(targets: &[RelationshipVariant], said: &mut WriteInput) {
    if !said.is_outermost {
        return;
    }
    let expected = targets.iter().filter_map(|target| {
        let otherwise = Otherwise::new(OtherwiseKind::Invalid, target.single.clone()?);
        let kind = WriteKind::Expect { links: ExpectedLinks::None, otherwise };
        let entity = target.entity;
        let write = Write { entity, kind, children: Vec::new(), check: Filter::all() };
        Some(ChildWrite { hop: target.written, parents: Vec::new(), write, edge: Vec::new() })
    });
    said.children.extend(expected);
}
