//! Tables that the metadata makes entities of Apollo Federation.
//! <https://hasura.io/docs/2.0/data-federation/apollo-federation/>

use api::federation::EntityTypes;
use catalog::{Catalog, Note, NoteKind};
use hasura_metadata::Location;

use crate::Options;
use crate::permissions::find_entity;

/// The types that are entities, with the places in the metadata that say so. Without metadata all
/// types with keys are.
pub(crate) fn entities<'o>(
    options: &'o Options,
    catalog: &Catalog,
) -> (EntityTypes, impl Iterator<Item = &'o Location>) {
    let served = options.metadata.served();
    let tables = served.into_iter().flat_map(|served| &served.source().tables);
    let federated = tables.filter(|table| table.apollo_federation_config.is_some());
    let types = match served {
        None => EntityTypes::All,
        // A table that the database does not have is told elsewhere.
        Some(_) => {
            let found = federated.clone().filter_map(|table| find_entity(catalog, &table.table));
            EntityTypes::Tables(found.collect())
        }
    };
    (types, federated.map(|table| &table.table.place))
}

/// The note on an entity of an API that is no subgraph.
pub(crate) fn without_effect(place: &Location) -> Note {
    Note {
        kind: NoteKind::Unserved,
        subject: format!("Table.apollo_federation_config ({place})").into(),
        message: "it has no effect: the API is no subgraph.".into(),
        remedy: "serve it with `--federation`.".into(),
    }
}
