//! Storage of relations, as changes need it: the columns that hold keys.

use catalog::{Catalog, EntityId, FieldId};
use ir::{Hop, HopDirection};

use super::{Located, LocatedField, RelationPath};
use api::binding::ObjectLink;

/// The storage of a relation of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedLink {
    pub link: ObjectLink,
    /// The table with the keys of all types to which the relation leads, if it leads to several.
    pub keys: Option<(EntityId, FieldId)>,
    /// The storage for each of several types, in the order of the paths.
    pub each: Box<[ObjectLink]>,
}

impl Located {
    /// Derives the storage of all relations from their paths.
    pub fn derive_links(&mut self, catalog: &Catalog) {
        for r#type in &mut self.types {
            let links = r#type.fields.iter().map(|field| match field {
                LocatedField::Rows(way) => {
                    let each = Box::default();
                    Some(LocatedLink { link: link(catalog, way)?, keys: None, each })
                }
                LocatedField::Several(ways) => {
                    let (_, way) = ways.first()?;
                    let link = link(catalog, way)?;
                    let each = ways.iter().map(|(_, way)| self::link(catalog, way));
                    let each = each.collect::<Option<_>>()?;
                    Some(LocatedLink { link, keys: keys_of_several(catalog, link), each })
                }
                LocatedField::Missing | LocatedField::Column(_) | LocatedField::Coalesce(_) => None,
            });
            r#type.links = links.collect();
        }
    }
}

fn link(catalog: &Catalog, way: &RelationPath) -> Option<ObjectLink> {
    match way {
        RelationPath::Hop(hop) => {
            let relationship = &catalog[hop.relationship];
            let field = *relationship.from_fields.first()?;
            let is_unique = relationship.one_to_one;
            Some(match hop.direction {
                HopDirection::Forward => ObjectLink::Near { field, is_unique },
                HopDirection::Backward => ObjectLink::Far { field, is_unique },
            })
        }
        RelationPath::Through { near, far } => Some(ObjectLink::Joined {
            joining: catalog[near.relationship].from,
            near: first_field(catalog, near)?,
            far: first_field(catalog, far)?,
        }),
    }
}

/// The field of the join table that a hop uses.
fn first_field(catalog: &Catalog, hop: &Hop) -> Option<FieldId> {
    catalog[hop.relationship].from_fields.first().copied()
}

/// The table of a group to which a column refers, with its key.
fn keys_of_several(catalog: &Catalog, link: ObjectLink) -> Option<(EntityId, FieldId)> {
    let field = match link {
        ObjectLink::Near { field, .. } => field,
        ObjectLink::Joined { far, .. } => far,
        ObjectLink::Far { .. } => return None,
    };
    let mut relationships = catalog.relationships();
    let of_group = relationships
        .find(|relationship| relationship.enforced && relationship.from_fields == [field])?;
    Some((of_group.to, *of_group.to_fields.first()?))
}
