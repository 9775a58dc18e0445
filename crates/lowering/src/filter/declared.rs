//! Conditions along relationships that several entities have, each its own.

use catalog::EntityId;
use graphql::operation::Location;
use ir::Filter;

use super::{FilterContext, PresentInput};
use crate::{Context, LowerError};
use api::binding::{DeclaredRole, VariantLink};

impl Context<'_> {
    pub(super) fn declared(
        &self,
        role: &DeclaredRole,
        given: PresentInput<'_, '_>,
    ) -> Result<Option<Filter>, LowerError> {
        let PresentInput { around, location, .. } = given;
        let link = |place: u16| {
            let link = around.variant.and_then(|own| own.link(place));
            link.ok_or_else(|| not_declared(location))
        };
        match role {
            DeclaredRole::Many(place) => {
                self.object(given, FilterContext::of_rows(link(*place)?.into()))
            }
            DeclaredRole::By { place, role } => self.of_rows(given, role, link(*place)?.into()),
            DeclaredRole::Each { place, role } => match link(*place)? {
                VariantLink::Several(variants) => self.related_each(given, variants, role),
                VariantLink::One(_) | VariantLink::Through { .. } => Err(not_declared(location)),
            },
            DeclaredRole::Edge(entity) => match around.along {
                Some(_) if self.leads_by(around, *entity) => self.object(given, around),
                // Rows without conditions must exist all the same.
                Some(_) => Ok(Some(Filter::all())),
                None => Err(not_declared(location)),
            },
        }
    }

    /// True if a relationship with properties of an entity led to the rows.
    pub(crate) fn leads_by(&self, around: FilterContext<'_>, edge: EntityId) -> bool {
        around.along.is_some_and(|hop| self.api.find_edge(hop.relationship) == Some(edge))
    }
}

/// The error of a condition where the entity of the rows is not known.
pub(super) fn not_declared(location: Location) -> LowerError {
    LowerError::refused("Conditions on nodes of several types are not served here yet.", location)
}
