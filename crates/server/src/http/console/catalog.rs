//! The tables that a caller sees as JSON, or the subgraphs of a gateway.

use dialects::Description;
use engine::gateway::description::SupergraphDescription;
use engine::{ApiWorker, Caller};
use serde_json::{Value, json};

use super::NoData;
use crate::http::service::Service;

pub(super) fn catalog(service: &Service, caller: &Caller) -> Result<Value, NoData> {
    match &service.worker {
        ApiWorker::Source(worker) => {
            let mut shown = as_json(&worker.describe(&caller.session)?);
            shown["dialect"] = worker.engine().dialect().name().into();
            Ok(shown)
        }
        ApiWorker::Gateway(worker) => Ok(supergraph(&worker.gateway().describe())),
    }
}

/// Tables and relationships.
pub(super) fn as_json(description: &Description) -> Value {
    let tables = description.tables.iter().map(|table| {
        let columns = table.columns.iter().map(|column| {
            json!({
                "name": column.name,
                "field": column.field,
                "type": column.field_type,
                "description": column.description,
                "nullable": column.nullable,
                "hasDefault": column.has_default,
                "generated": column.is_generated,
            })
        });
        let keys = table
            .keys
            .iter()
            .map(|key| json!({ "primary": key.is_primary, "columns": key.columns }));
        let operations = table
            .operations
            .iter()
            .map(|operation| json!({ "kind": operation.kind.name(), "field": operation.field }));
        json!({
            "schema": table.namespace,
            "name": table.name,
            "kind": table.kind,
            "description": table.description,
            "type": table.object_type,
            "columns": columns.collect::<Vec<_>>(),
            "keys": keys.collect::<Vec<_>>(),
            "operations": operations.collect::<Vec<_>>(),
        })
    });
    let relationships = description.relationships.iter().map(|one| {
        json!({
            "name": one.name,
            "from": one.from,
            "to": one.to,
            "fromColumns": one.from_columns,
            "toColumns": one.to_columns,
            "oneToOne": one.is_one_to_one,
            "enforced": one.is_enforced,
            "forward": one.forward,
            "backward": one.backward,
        })
    });
    json!({
        "tables": tables.collect::<Vec<_>>(),
        "relationships": relationships.collect::<Vec<_>>(),
    })
}

fn supergraph(description: &SupergraphDescription) -> Value {
    let subgraphs = description.subgraphs.iter().map(|subgraph| {
        json!({
            "name": &*subgraph.name,
            "url": redact::address(&subgraph.url),
            "local": subgraph.is_local,
            "connectors": subgraph.has_connectors,
        })
    });
    let types = description.types.iter().map(|one| {
        let fields = one.fields.iter().map(|field| {
            json!({
                "name": &*field.name,
                "type": field.field_type,
                "subgraphs": field.subgraphs,
            })
        });
        json!({
            "name": &*one.name,
            "entityIn": one.entity_in,
            "fields": fields.collect::<Vec<_>>(),
        })
    });
    json!({
        "subgraphs": subgraphs.collect::<Vec<_>>(),
        "types": types.collect::<Vec<_>>(),
    })
}
