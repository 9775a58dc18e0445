//! A query for all rows of all tables, to look at what a mutation has left.

use graphql::schema::{FieldId, Schema, TypeKind};

/// Every list of the query type that needs no argument, with all columns.
pub(crate) fn all(schema: &Schema) -> String {
    let mut text = "{ ".to_owned();
    for id in schema.query.into_iter().flat_map(|query| fields(schema, query)) {
        let field = &schema[id];
        let asks = field.arguments.iter().any(|id| schema[*id].r#type.is_non_null());
        if asks || crate::operation::is_unordered(schema, id) {
            continue;
        }
        let nodes = fields(schema, field.r#type.base)
            .find(|id| &*schema[*id].name == "nodes" && schema[*id].r#type.item().is_some());
        let rows = match (field.r#type.item(), nodes) {
            (Some(_), _) => columns(schema, id),
            (None, Some(nodes)) => ["nodes { ", &columns(schema, nodes), "} "].concat(),
            (None, None) => continue,
        };
        text.extend([&*field.name, " { ", &rows, "} "]);
    }
    text.push('}');
    text
}

/// The fields of a row that need no selection.
fn columns(schema: &Schema, rows: FieldId) -> String {
    let mut text = String::new();
    for id in fields(schema, schema[rows].r#type.base) {
        if fields(schema, schema[id].r#type.base).next().is_none() {
            text.extend([&*schema[id].name, " "]);
        }
    }
    text
}

fn fields(schema: &Schema, id: graphql::schema::TypeId) -> impl Iterator<Item = FieldId> {
    let fields = match &schema[id].kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => &**fields,
        _ => &[],
    };
    fields.iter().copied()
}
