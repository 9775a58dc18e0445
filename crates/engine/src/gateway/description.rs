//! Description of a supergraph for people: its subgraphs, and the types and fields of each.

use std::sync::Arc;

use graphql::print_type;
use graphql::schema::TypeKind;
use supergraph::composed::SubgraphId;

use super::Gateway;

/// A supergraph: its subgraphs, and the object types of its API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SupergraphDescription {
    pub subgraphs: Vec<DescribedSubgraph>,
    pub types: Vec<DescribedType>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedSubgraph {
    pub name: Arc<str>,
    /// The address to which requests go, which may have a password: that of the supergraph, unless options
    /// name another one.
    pub url: Arc<str>,
    /// A database or events in the gateway's own process.
    pub is_local: bool,
    pub has_connectors: bool,
}

/// An object or interface type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedType {
    pub name: Arc<str>,
    /// Indexes of the subgraphs that resolve its objects by a key.
    pub entity_in: Vec<usize>,
    pub fields: Vec<DescribedField>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedField {
    pub name: Arc<str>,
    pub field_type: String,
    /// Indexes of the subgraphs that resolve it.
    pub subgraphs: Vec<usize>,
}

impl Gateway {
    /// Describes the supergraph as far as its API shows it.
    #[must_use]
    pub fn describe(&self) -> SupergraphDescription {
        let (supergraph, schema) = (&self.supergraph, self.schema());
        let subgraphs = self.subgraphs().enumerate().map(|(index, (subgraph, transport))| {
            let id = SubgraphId(u16::try_from(index).unwrap_or(u16::MAX));
            let address = transport.remote().map_or(&subgraph.url, |remote| &remote.address);
            DescribedSubgraph {
                name: Arc::clone(&subgraph.name),
                url: Arc::clone(address),
                is_local: transport.local().is_some() || transport.events().is_some(),
                has_connectors: supergraph.has_connectors(id),
            }
        });
        let subgraphs: Vec<_> = subgraphs.collect();
        let service = |id: SubgraphId| {
            let name = &supergraph.service(id).name;
            subgraphs.iter().position(|subgraph| subgraph.name == *name)
        };
        let distinct = |ids: &mut dyn Iterator<Item = SubgraphId>| {
            let mut found: Vec<usize> = ids.filter_map(service).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        let mut types = Vec::new();
        for (id, definition) in supergraph.schema.types() {
            let is_shown =
                matches!(definition.kind, TypeKind::Object { .. } | TypeKind::Interface { .. });
            let Some(shown) = schema.find_type(&definition.name).filter(|_| is_shown) else {
                continue;
            };
            let owners = &supergraph.type_owners(id).subgraphs;
            let mut resolvable = owners
                .iter()
                .filter(|owner| owner.keys.iter().any(|key| key.is_resolvable))
                .map(|owner| owner.subgraph);
            let fields = supergraph.fields(id).iter().filter_map(|field| {
                let definition = &supergraph.schema[*field];
                let shown = schema.find_field(shown, &definition.name)?;
                let owners = &supergraph.field_owners(*field).subgraphs;
                let mut resolving =
                    owners.iter().filter(|owner| !owner.is_external).map(|owner| owner.subgraph);
                Some(DescribedField {
                    name: Arc::clone(&definition.name),
                    field_type: print_type(schema, schema[shown].r#type),
                    subgraphs: distinct(&mut resolving),
                })
            });
            types.push(DescribedType {
                name: Arc::clone(&definition.name),
                entity_in: distinct(&mut resolvable),
                fields: fields.collect(),
            });
        }
        SupergraphDescription { subgraphs, types }
    }
}
