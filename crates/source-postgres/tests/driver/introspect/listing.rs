//! A catalog as compact text: one line a field, key, index, relationship, type and note.

use std::fmt::Write;

use catalog::{
    Argument, ArgumentType, Catalog, Entity, EntityId, EntityKind, Field, FieldId, Function,
    FunctionResult, Generated, IndexCoverage, IndexUse, KeyKind, Relationship, Scalar, Type,
};
use source_postgres::introspect::{Introspected, PhysicalTypes};

/// A field whose text is its identity is marked with `=`.
pub(crate) fn listing(introspected: &Introspected) -> String {
    let catalog = &introspected.catalog;
    let mut lines = Vec::new();
    for entity in catalog.entities() {
        entity_lines(&mut lines, catalog, &introspected.types, entity);
    }
    lines.extend(catalog.functions().map(|function| function_text(catalog, function)));
    type_lines(&mut lines, catalog);
    lines.extend(catalog.notes().iter().map(ToString::to_string));
    lines.push(String::new());
    lines.join("\n")
}

fn entity_lines(
    lines: &mut Vec<String>,
    catalog: &Catalog,
    types: &PhysicalTypes,
    entity: &Entity,
) {
    let name = catalog.qualified_name(entity.id);
    lines.push(format!("{:?} {name}{}", entity.kind, quoted(entity.description.as_deref())));
    for field in catalog.fields_of(entity.id) {
        let identity = if types.of(field.id).identity_is_text { "=" } else { " " };
        lines.push(format!("  {identity} {}", field_text(catalog, field)));
    }
    for key in &entity.keys {
        let kind = match key.kind {
            KeyKind::Primary => "primary key",
            KeyKind::Unique => "unique",
        };
        let deferrable = if key.deferrable { " deferrable" } else { "" };
        let fields = names(catalog, &key.fields);
        lines.push(format!("  {kind} {} ({fields}){deferrable}", key.name));
    }
    for index in &entity.indexes {
        let partial = match &index.covers {
            IndexCoverage::All => "",
            IndexCoverage::NotNull(_) => " not null",
            IndexCoverage::Some => " partial",
        };
        let unique = if index.unique { " unique" } else { "" };
        let other = if index.finds == IndexUse::Other { " not for equals" } else { "" };
        let fields = names(catalog, &index.fields);
        lines.push(format!("  index {} ({fields}){unique}{partial}{other}", index.name));
    }
    for relationship in &entity.outgoing {
        lines.push(relationship_text(catalog, &catalog[*relationship]));
    }
    for relationship in &entity.incoming {
        let relationship = &catalog[*relationship];
        let from = catalog.qualified_name(relationship.from);
        lines.push(format!("  <- {} from {from}", relationship.name));
    }
}

fn function_text(catalog: &Catalog, function: &Function) -> String {
    let argument = |argument: &Argument| {
        let r#type = match &argument.r#type {
            ArgumentType::Value(r#type) => type_text(catalog, r#type),
            ArgumentType::Row(entity) => format!("row of {}", catalog.qualified_name(*entity)),
        };
        let name = argument.name.as_deref().unwrap_or("_");
        format!("{name}: {type}{}", if argument.has_default { "?" } else { "" }, type = r#type)
    };
    let arguments: Vec<String> = function.arguments.iter().map(argument).collect();
    let field = |field: &FieldId| type_text(catalog, &catalog[*field].r#type);
    let rows = |entity: &EntityId| {
        let columns: Vec<String> =
            catalog.fields_of(*entity).map(|field| field_text(catalog, field)).collect();
        match catalog[*entity].kind {
            EntityKind::Record => format!("({})", columns.join(", ")),
            _ => catalog.qualified_name(*entity),
        }
    };
    let result = match &function.result {
        FunctionResult::Nothing => "nothing".into(),
        FunctionResult::Value(value) => field(value),
        FunctionResult::Values(value) => format!("set of {}", field(value)),
        FunctionResult::Row(entity) => format!("row of {}", rows(entity)),
        FunctionResult::Rows(entity) => format!("set of rows of {}", rows(entity)),
        FunctionResult::RowArray(entity) => format!("array of rows of {}", rows(entity)),
    };
    format!(
        "{:?} {}({}) gives {result}{}{}",
        function.volatility,
        catalog.function_name(function.id),
        arguments.join(", "),
        if function.strict { ", strict" } else { "" },
        quoted(function.description.as_deref())
    )
}

fn field_text(catalog: &Catalog, field: &Field) -> String {
    let mut text = format!("{}: {}", field.name, type_text(catalog, &field.r#type));
    text += if field.nullable { "" } else { "!" };
    text += if field.has_default { " default" } else { "" };
    text += match field.generated {
        Some(Generated::Stored) => " generated",
        Some(Generated::IdentityAlways) => " identity always",
        Some(Generated::IdentityByDefault) => " identity",
        None => "",
    };
    text + &quoted(field.description.as_deref())
}

fn relationship_text(catalog: &Catalog, relationship: &Relationship) -> String {
    let mut text = format!(
        "  -> {} ({}) = {} ({})",
        relationship.name,
        names(catalog, &relationship.from_fields),
        catalog.qualified_name(relationship.to),
        names(catalog, &relationship.to_fields),
    );
    text += if relationship.one_to_one { " one to one" } else { "" };
    text += if relationship.indexed { " indexed" } else { "" };
    text += if relationship.always_found { "" } else { " not always found" };
    text + &quoted(relationship.description.as_deref())
}

fn type_lines(lines: &mut Vec<String>, catalog: &Catalog) {
    for r#enum in catalog.enums() {
        let labels: Vec<&str> = r#enum.labels.iter().map(|label| &*label.label).collect();
        let name = qualified(r#enum.namespace.as_deref(), &r#enum.name);
        lines.push(format!("Enum {name} {labels:?}{}", quoted(r#enum.description.as_deref())));
    }
    for domain in catalog.domains() {
        let name = qualified(domain.namespace.as_deref(), &domain.name);
        let base = type_text(catalog, &domain.base);
        let not_null = if domain.not_null { "!" } else { "" };
        let description = quoted(domain.description.as_deref());
        lines.push(format!("Domain {name} = {base}{not_null}{description}"));
    }
    for composite in catalog.composites() {
        let mut line =
            format!("Composite {} (", qualified(composite.namespace.as_deref(), &composite.name));
        for (index, attribute) in composite.attributes.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let r#type = type_text(catalog, &attribute.r#type);
            write!(line, "{comma}{}: {type}", attribute.name).expect("text grows");
        }
        lines.push(line + ")" + &quoted(composite.description.as_deref()));
    }
    for range in catalog.ranges() {
        let name = qualified(range.namespace.as_deref(), &range.name);
        lines.push(format!("Range {name} of {}", type_text(catalog, &range.subtype)));
    }
}

fn type_text(catalog: &Catalog, r#type: &Type) -> String {
    match r#type {
        Type::Scalar(Scalar::Decimal { precision: Some(precision), scale: Some(scale) }) => {
            format!("Decimal({precision}, {scale})")
        }
        Type::Scalar(Scalar::Decimal { .. }) => "Decimal".to_owned(),
        Type::Scalar(Scalar::Character { length }) => format!("Character({length})"),
        Type::Scalar(Scalar::Other(name)) => format!("Other({name})"),
        Type::Scalar(scalar) => format!("{scalar:?}"),
        Type::Enum(id) => format!("enum {}", catalog[*id].name),
        Type::Domain(id) => format!("domain {}", catalog[*id].name),
        Type::Composite(id) => format!("composite {}", catalog[*id].name),
        Type::Range(id) => format!("range {}", catalog[*id].name),
        Type::Row(id) => format!("row of {}", catalog[*id].name),
        Type::List(element) => format!("[{}]", type_text(catalog, element)),
    }
}

fn names(catalog: &Catalog, fields: &[FieldId]) -> String {
    fields.iter().map(|field| &*catalog[*field].name).collect::<Vec<_>>().join(", ")
}

fn qualified(namespace: Option<&str>, name: &str) -> String {
    namespace.map_or_else(|| name.to_owned(), |namespace| format!("{namespace}.{name}"))
}

fn quoted(description: Option<&str>) -> String {
    description.map_or_else(String::new, |text| format!(" {text:?}"))
}
