//! The example query of GraphiQL, from the fields of the API.

use graphql::schema::{FieldDefinition, FieldId, InputId, Schema, TypeId, TypeKind};

/// Number of rows, and of fields per row.
const ROWS: usize = 10;
const FIELDS: usize = 5;

/// A root field that lists rows, with the path to them.
struct Listed<'s> {
    field: &'s FieldDefinition,
    /// The argument with the page size.
    limit: Option<&'s str>,
    /// Whether the rows are the `nodes` of a connection.
    nodes: bool,
    leaves: Vec<&'s str>,
}

/// A query for the first rows of the first list of the API; `None` without a list.
pub(super) fn default_query(schema: &Schema) -> Option<String> {
    let fields = fields(schema, schema.query?);
    let Listed { field, limit, nodes, leaves } =
        fields.iter().find_map(|field| listed(schema, &schema[*field]))?;
    let mut text = ["{\n  ", &field.name].concat();
    if let Some(limit) = limit {
        text.push_str(&format!("({limit}: {ROWS})"));
    }
    text.push_str(" {\n");
    let indent = if nodes { "      " } else { "    " };
    if nodes {
        text.push_str("    nodes {\n");
    }
    for leaf in leaves {
        text.extend([indent, leaf, "\n"]);
    }
    if nodes {
        text.push_str("    }\n");
    }
    text.push_str("  }\n}\n");
    Some(text)
}

fn listed<'s>(schema: &'s Schema, field: &'s FieldDefinition) -> Option<Listed<'s>> {
    if field.deprecated.is_some() || needs_arguments(schema, field) {
        return None;
    }
    let (rows, nodes) = match field.r#type.is_list() {
        true => (field.r#type.base, false),
        false => {
            let below = fields(schema, field.r#type.base).iter().map(|field| &schema[*field]);
            let mut lists = below.filter(|field| &*field.name == "nodes" && field.r#type.is_list());
            (lists.next()?.r#type.base, true)
        }
    };
    let leaves: Vec<&str> = fields(schema, rows)
        .iter()
        .map(|field| &schema[*field])
        .filter(|field| is_leaf(schema, field))
        .map(|field| &*field.name)
        .take(FIELDS)
        .collect();
    let limit = field.arguments.iter().map(|argument| &*schema[*argument].name);
    let limit = limit.into_iter().find(|name| matches!(*name, "first" | "limit"));
    (!leaves.is_empty()).then_some(Listed { field, limit, nodes, leaves })
}

/// A single value that says something to people, which global ids do not.
fn is_leaf(schema: &Schema, field: &FieldDefinition) -> bool {
    let base = &schema[field.r#type.base];
    matches!(base.kind, TypeKind::Scalar | TypeKind::Enum { .. })
        && &*base.name != "ID"
        && !field.r#type.is_list()
        && field.deprecated.is_none()
        && !needs_arguments(schema, field)
}

fn needs_arguments(schema: &Schema, field: &FieldDefinition) -> bool {
    let is_required = |argument: &InputId| {
        let argument = &schema[*argument];
        argument.r#type.is_non_null() && argument.default.is_none()
    };
    field.arguments.iter().any(is_required)
}

fn fields(schema: &Schema, id: TypeId) -> &[FieldId] {
    match &schema[id].kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => fields,
        TypeKind::Scalar
        | TypeKind::Union { .. }
        | TypeKind::Enum { .. }
        | TypeKind::InputObject { .. } => &[],
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use graphql::schema::{InputDefinition, TypeDefinition, TypeRef};

    use super::*;

    fn add_type(schema: &mut Schema, name: &str, kind: TypeKind) -> TypeId {
        schema.add_type(TypeDefinition { name: name.into(), description: None, kind }).unwrap()
    }

    fn object() -> TypeKind {
        TypeKind::Object { fields: Vec::new(), interfaces: Default::default() }
    }

    /// A schema whose only field lists albums.
    fn check(nodes: bool, limit: &str, r#type: fn(TypeId) -> TypeRef, expected: &Expect) {
        let mut schema = Schema::default();
        let int = add_type(&mut schema, "Int", TypeKind::Scalar);
        let id = add_type(&mut schema, "ID", TypeKind::Scalar);
        let album = add_type(&mut schema, "Album", object());
        let fields = [("nodeId", id), ("id", int), ("year", int), ("artist", album)];
        for (name, base) in fields {
            schema.add_field(album, FieldDefinition::new(name, TypeRef::named(base)));
        }
        let query = add_type(&mut schema, "Query", object());
        schema.query = Some(query);
        let one = FieldDefinition::new("album", TypeRef::named(album));
        let one = schema.add_field(query, one);
        let key = InputDefinition::new("id", TypeRef::named(int).non_null());
        schema.add_argument(one, key);
        let listed = match nodes {
            true => {
                let connection = add_type(&mut schema, "Albums", object());
                let rows = FieldDefinition::new("nodes", TypeRef::named(album).list());
                schema.add_field(connection, rows);
                connection
            }
            false => album,
        };
        let all = schema.add_field(query, FieldDefinition::new("albums", r#type(listed)));
        schema.add_argument(all, InputDefinition::new(limit, TypeRef::named(int)));
        expected.assert_eq(&default_query(&schema).unwrap_or("nothing".into()));
    }

    #[test]
    fn the_first_list_is_asked_for() {
        check(
            false,
            "limit",
            |album| TypeRef::named(album).list(),
            &expect![[r#"
                {
                  albums(limit: 10) {
                    id
                    year
                  }
                }
            "#]],
        );
    }

    #[test]
    fn the_nodes_of_a_connection_are_a_list() {
        check(
            true,
            "first",
            TypeRef::named,
            &expect![[r#"
                {
                  albums(first: 10) {
                    nodes {
                      id
                      year
                    }
                  }
                }
            "#]],
        );
    }

    #[test]
    fn where_nothing_is_listed_nothing_is_asked() {
        check(false, "first", TypeRef::named, &expect!["nothing"]);
    }
}
