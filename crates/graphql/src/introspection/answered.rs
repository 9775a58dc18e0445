//! The schema of another server, from its response to introspection, as type definitions:
//! <https://spec.graphql.org/draft/#sec-Schema-Introspection>.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::built_in_scalars::BUILT_IN_SCALARS;
use crate::schema::is_name;
use crate::sdl::{DEFAULT_DEPRECATION_REASON, print_deprecated, print_description};

/// The introspection query of the specification, with all that type definitions say. It asks only for
/// what servers of the specification's edition of 2018 have.
pub const INTROSPECTION_QUERY: &str = "query IntrospectionQuery { __schema { \
     queryType { name } mutationType { name } subscriptionType { name } \
     types { kind name description \
     fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } \
     isDeprecated deprecationReason } \
     inputFields { ...InputValue } interfaces { ...TypeRef } \
     enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } \
     possibleTypes { ...TypeRef } } \
     directives { name description locations args { ...InputValue } } } } \
     fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue } \
     fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name \
     ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }";

/// Nested lists and non-nulls of a type reference: as many as the query asks for.
const MOST_WRAPPERS: usize = 8;

/// Directives that every server has.
const BUILT_IN_DIRECTIVES: [&str; 5] = ["skip", "include", "deprecated", "specifiedBy", "oneOf"];

/// The reason why a response has no schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntrospectionError {
    #[error("the response to introspection is not the JSON that is expected: {0}")]
    Unreadable(String),
    #[error("the response to introspection has the error \"{}\"", .0.escape_debug())]
    Errors(String),
    #[error("{0:?} is no name of GraphQL")]
    Name(String),
    #[error("the type reference of `{0}` is not complete")]
    Reference(String),
}

#[derive(Deserialize)]
struct Response {
    data: Option<Data>,
    #[serde(default)]
    errors: Option<Vec<ResponseError>>,
}

#[derive(Deserialize)]
struct ResponseError {
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "__schema")]
    schema: Option<Schema>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Schema {
    query_type: Option<Named>,
    mutation_type: Option<Named>,
    subscription_type: Option<Named>,
    types: Vec<Type>,
    #[serde(default)]
    directives: Vec<Directive>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Kind {
    Scalar,
    Object,
    Interface,
    Union,
    Enum,
    InputObject,
    List,
    NonNull,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Type {
    kind: Kind,
    name: String,
    description: Option<String>,
    fields: Option<Vec<Field>>,
    input_fields: Option<Vec<Input>>,
    interfaces: Option<Vec<Reference>>,
    enum_values: Option<Vec<Value>>,
    possible_types: Option<Vec<Reference>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    name: String,
    description: Option<String>,
    #[serde(default)]
    args: Vec<Input>,
    r#type: Reference,
    #[serde(default)]
    is_deprecated: bool,
    deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    name: String,
    description: Option<String>,
    r#type: Reference,
    default_value: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Value {
    name: String,
    description: Option<String>,
    #[serde(default)]
    is_deprecated: bool,
    deprecation_reason: Option<String>,
}

#[derive(Deserialize)]
struct Directive {
    name: String,
    description: Option<String>,
    #[serde(default)]
    locations: Vec<String>,
    #[serde(default)]
    args: Vec<Input>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    kind: Kind,
    name: Option<String>,
    of_type: Option<Box<Reference>>,
}

/// Prints the schema of a response to [`INTROSPECTION_QUERY`], or of the `data` of one.
///
/// The output is parsed by whoever uses it: names are checked here, default values are as the server
/// prints them.
pub fn print_introspection(json: &[u8]) -> Result<String, IntrospectionError> {
    let unreadable = |error: serde_json::Error| IntrospectionError::Unreadable(error.to_string());
    let value: serde_json::Value = serde_json::from_slice(json).map_err(unreadable)?;
    let response: Response = match value.get("__schema") {
        Some(_) => Response {
            data: Some(serde_json::from_value(value).map_err(unreadable)?),
            errors: None,
        },
        None => serde_json::from_value(value).map_err(unreadable)?,
    };
    let Some(schema) = response.data.and_then(|data| data.schema) else {
        let first = response.errors.and_then(|errors| errors.into_iter().next());
        return Err(match first {
            Some(error) => IntrospectionError::Errors(error.message),
            None => IntrospectionError::Unreadable("it has no `__schema`".to_owned()),
        });
    };
    let mut output = String::new();
    print_roots(&schema, &mut output)?;
    for directive in &schema.directives {
        if !BUILT_IN_DIRECTIVES.contains(&&*directive.name) {
            print_directive(directive, &mut output)?;
        }
    }
    for r#type in &schema.types {
        // Types of introspection are those of every server.
        if !r#type.name.starts_with("__") && !BUILT_IN_SCALARS.contains(&&*r#type.name) {
            print_type(r#type, &mut output)?;
        }
    }
    Ok(output)
}

fn print_roots(schema: &Schema, output: &mut String) -> Result<(), IntrospectionError> {
    let roots = [
        ("query", &schema.query_type),
        ("mutation", &schema.mutation_type),
        ("subscription", &schema.subscription_type),
    ];
    output.push_str("schema {\n");
    for (operation, root) in roots {
        if let Some(root) = root {
            push(output, format_args!("  {operation}: {}\n", name(&root.name)?));
        }
    }
    output.push_str("}\n");
    Ok(())
}

fn print_directive(directive: &Directive, output: &mut String) -> Result<(), IntrospectionError> {
    output.push('\n');
    print_description(directive.description.as_deref(), "", true, output);
    push(output, format_args!("directive @{}", name(&directive.name)?));
    print_arguments(&directive.args, output)?;
    output.push_str(" on");
    for (index, location) in directive.locations.iter().enumerate() {
        output.push_str(if index == 0 { " " } else { " | " });
        output.push_str(name(location)?);
    }
    output.push('\n');
    Ok(())
}

fn print_type(r#type: &Type, output: &mut String) -> Result<(), IntrospectionError> {
    output.push('\n');
    print_description(r#type.description.as_deref(), "", true, output);
    let own = name(&r#type.name)?;
    match r#type.kind {
        Kind::Scalar => push(output, format_args!("scalar {own}\n")),
        Kind::Object | Kind::Interface => {
            let keyword = if r#type.kind == Kind::Object { "type" } else { "interface" };
            push(output, format_args!("{keyword} {own}"));
            let interfaces = r#type.interfaces.as_deref().unwrap_or_default();
            print_list(interfaces, " implements ", " & ", output)?;
            output.push_str(" {\n");
            for (index, field) in r#type.fields.iter().flatten().enumerate() {
                print_field(field, index == 0, output)?;
            }
            output.push_str("}\n");
        }
        Kind::Union => {
            push(output, format_args!("union {own}"));
            let members = r#type.possible_types.as_deref().unwrap_or_default();
            print_list(members, " = ", " | ", output)?;
            output.push('\n');
        }
        Kind::Enum => {
            push(output, format_args!("enum {own} {{\n"));
            for (index, value) in r#type.enum_values.iter().flatten().enumerate() {
                print_description(value.description.as_deref(), "  ", index == 0, output);
                push(output, format_args!("  {}", name(&value.name)?));
                let reason = deprecation(value.is_deprecated, value.deprecation_reason.as_deref());
                print_deprecated(reason, output);
                output.push('\n');
            }
            output.push_str("}\n");
        }
        Kind::InputObject => {
            push(output, format_args!("input {own} {{\n"));
            for (index, input) in r#type.input_fields.iter().flatten().enumerate() {
                print_description(input.description.as_deref(), "  ", index == 0, output);
                output.push_str("  ");
                print_input(input, output)?;
                output.push('\n');
            }
            output.push_str("}\n");
        }
        Kind::List | Kind::NonNull => {
            return Err(IntrospectionError::Reference(r#type.name.clone()));
        }
    }
    Ok(())
}

fn print_field(
    field: &Field,
    is_first: bool,
    output: &mut String,
) -> Result<(), IntrospectionError> {
    print_description(field.description.as_deref(), "  ", is_first, output);
    push(output, format_args!("  {}", name(&field.name)?));
    print_arguments(&field.args, output)?;
    output.push_str(": ");
    print_reference(&field.r#type, &field.name, output)?;
    print_deprecated(deprecation(field.is_deprecated, field.deprecation_reason.as_deref()), output);
    output.push('\n');
    Ok(())
}

fn print_arguments(arguments: &[Input], output: &mut String) -> Result<(), IntrospectionError> {
    if arguments.is_empty() {
        return Ok(());
    }
    output.push_str("(\n");
    for (index, argument) in arguments.iter().enumerate() {
        print_description(argument.description.as_deref(), "    ", index == 0, output);
        output.push_str("    ");
        print_input(argument, output)?;
        output.push('\n');
    }
    output.push_str("  )");
    Ok(())
}

fn print_input(input: &Input, output: &mut String) -> Result<(), IntrospectionError> {
    push(output, format_args!("{}: ", name(&input.name)?));
    print_reference(&input.r#type, &input.name, output)?;
    if let Some(default) = &input.default_value {
        push(output, format_args!(" = {default}"));
    }
    Ok(())
}

/// The reason of what is deprecated.
fn deprecation(is_deprecated: bool, reason: Option<&str>) -> Option<&str> {
    is_deprecated.then(|| reason.unwrap_or(DEFAULT_DEPRECATION_REASON))
}

fn print_list(
    types: &[Reference],
    before: &str,
    between: &str,
    output: &mut String,
) -> Result<(), IntrospectionError> {
    for (index, r#type) in types.iter().enumerate() {
        output.push_str(if index == 0 { before } else { between });
        output.push_str(name(r#type.name.as_deref().unwrap_or_default())?);
    }
    Ok(())
}

/// Prints a type with its lists and non-nulls.
fn print_reference(
    reference: &Reference,
    owner: &str,
    output: &mut String,
) -> Result<(), IntrospectionError> {
    let incomplete = || IntrospectionError::Reference(owner.to_owned());
    let (mut before, mut after) = (String::new(), String::new());
    let mut inner = reference;
    for _ in 0..=MOST_WRAPPERS {
        match inner.kind {
            Kind::List => {
                before.push('[');
                after.insert(0, ']');
            }
            Kind::NonNull => after.insert(0, '!'),
            Kind::Scalar
            | Kind::Object
            | Kind::Interface
            | Kind::Union
            | Kind::Enum
            | Kind::InputObject => {
                let named = name(inner.name.as_deref().ok_or_else(incomplete)?)?;
                push(output, format_args!("{before}{named}{after}"));
                return Ok(());
            }
        }
        inner = inner.of_type.as_deref().ok_or_else(incomplete)?;
    }
    Err(incomplete())
}

/// The name, if it is one: another text would change the definitions around it.
fn name(text: &str) -> Result<&str, IntrospectionError> {
    match is_name(text) {
        true => Ok(text),
        false => Err(IntrospectionError::Name(text.to_owned())),
    }
}

fn push(output: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let written = output.write_fmt(content);
    debug_assert!(written.is_ok(), "a text was not written");
}
