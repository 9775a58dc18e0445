//! Definitions of texts.

use graphql::definitions::{
    Composite, Directive, InputDefinition as Input, Literal, TypeBody, TypeExpression,
    parse_definitions,
};
use serde_json::{Map, Value};

use crate::definitions::{
    Applied, Definitions, FieldDefinition, InputDefinition, Key, Kind, Type, TypeDefinition,
};
use crate::location::Location;
use crate::version::Version;

pub(super) fn definitions(version: &str, schema: &str) -> Definitions {
    let parsed = parse_definitions(schema).expect("the schema is valid");
    let has = |name: &str| parsed.types.iter().any(|definition| &*definition.name == name);
    let root = |name: &str| has(name).then(|| name.into());
    let schemas = parsed.schemas.iter().flat_map(|schema| &schema.directives);
    Definitions {
        version: Version::parse(version).expect("the version is known"),
        connect_name: "@connect".into(),
        source_name: "@source".into(),
        sources: applied(schemas, "source"),
        types: parsed.types.iter().map(type_definition).collect(),
        query: root("Query"),
        mutation: root("Mutation"),
        subscription: root("Subscription"),
        unsupported: Vec::new(),
    }
}

fn type_definition(definition: &graphql::definitions::TypeDefinition) -> TypeDefinition {
    let fields = |composite: &Composite| composite.fields.iter().map(field).collect();
    let names = |names: &[graphql::definitions::Named]| {
        names.iter().map(|named| (&*named.name).into()).collect()
    };
    let kind = match &definition.body {
        TypeBody::Scalar => Kind::Scalar,
        TypeBody::Object(composite) => {
            Kind::Object { fields: fields(composite), interfaces: names(&composite.interfaces) }
        }
        TypeBody::Interface(composite) => Kind::Interface { fields: fields(composite) },
        TypeBody::Union(members) => Kind::Union(names(members)),
        TypeBody::Enum(_) => Kind::Enum,
        TypeBody::InputObject(inputs) => Kind::InputObject(inputs.iter().map(input).collect()),
    };
    let keys = applied(&definition.directives, "key").into_iter().map(|key| Key {
        fields: key.arguments["fields"].as_str().unwrap_or_default().into(),
        is_resolvable: key.arguments["resolvable"] != false,
        place: key.place,
    });
    TypeDefinition {
        name: (&*definition.name).into(),
        place: place(definition.line, definition.column),
        kind,
        connects: applied(&definition.directives, "connect"),
        keys: keys.collect(),
    }
}

fn field(field: &graphql::definitions::FieldDefinition) -> FieldDefinition {
    FieldDefinition {
        name: (&*field.name).into(),
        place: place(field.line, field.column),
        arguments: field.arguments.iter().map(input).collect(),
        r#type: type_of(&field.r#type),
        connects: applied(&field.directives, "connect"),
        is_external: field.directives.iter().any(|directive| &*directive.name == "external"),
    }
}

fn input(input: &Input) -> InputDefinition {
    InputDefinition { name: (&*input.name).into(), r#type: type_of(&input.r#type) }
}

fn type_of(expression: &TypeExpression) -> Type {
    let inner = match expression {
        TypeExpression::Named { name, .. } => Type::Named((&**name).into()),
        TypeExpression::List { of, .. } => Type::List(Box::new(type_of(of))),
    };
    if expression.is_required() { Type::NonNull(Box::new(inner)) } else { inner }
}

fn applied<'d>(directives: impl IntoIterator<Item = &'d Directive>, name: &str) -> Vec<Applied> {
    let directives = directives.into_iter().filter(|directive| &*directive.name == name);
    let applied = directives.map(|directive| {
        let arguments = directive.arguments.iter();
        let arguments: Map<_, _> =
            arguments.map(|argument| (argument.name.to_string(), value(&argument.value))).collect();
        let place = place(directive.line, directive.column);
        Applied { arguments: Value::Object(arguments), place }
    });
    applied.collect()
}

fn value(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => Value::Bool(*value),
        Literal::Int(digits) | Literal::Float(digits) => {
            serde_json::from_str(digits).unwrap_or_default()
        }
        Literal::String(text) | Literal::Enum(text) => Value::String(text.to_string()),
        Literal::List(items) => items.iter().map(value).collect(),
        Literal::Object(members) => {
            let members = members.iter();
            members.map(|(name, literal)| (name.to_string(), value(literal))).collect()
        }
    }
}

fn place(line: usize, column: usize) -> Location {
    let number = |number| u32::try_from(number).unwrap_or(u32::MAX);
    Location { line: number(line), column: number(column) }
}
