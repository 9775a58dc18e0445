//! Versions of datamodels, which differ in their directives and in the tables that they mean.

use graphql::definitions::{Definitions, TypeBody};

use super::directives::is_second;

/// Versions of datamodels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// 1.0: the names `id`, `createdAt` and `updatedAt` have meanings, and relations are tables.
    First,
    /// 1.1: directives say everything.
    Second,
}

impl Version {
    /// A datamodel is one of version 1.1 if something in it has a directive or an argument that only
    /// that version has.
    pub(super) fn of(definitions: &Definitions) -> Self {
        let is_version_second = definitions.types.iter().any(|definition| {
            let fields = match &definition.body {
                TypeBody::Object(composite) => composite.fields.as_slice(),
                TypeBody::Scalar
                | TypeBody::Interface(_)
                | TypeBody::Union(_)
                | TypeBody::Enum(_)
                | TypeBody::InputObject(_) => &[],
            };
            let of_fields = fields.iter().flat_map(|field| &field.directives);
            definition.directives.iter().chain(of_fields).any(is_second)
        });
        match is_version_second {
            true => Self::Second,
            false => Self::First,
        }
    }
}
