//! Operations of remote schemas. They are made for each request, with values as literals, since they
//! have only the arguments that a client, a relationship or a preset gives.

use graphql::operation::OperationKind;
use graphql::schema::is_name;
use serde_json::{Map, Value};

use crate::exact_number;
use crate::inputs::Inputs;
use crate::projection::Projection;
use crate::remote_path::{KEYS, KEYS_IN, RemotePath};
use crate::remote_schema::{RemoteInput, RemoteKind, RemoteTypeText};
use crate::selection_text;

impl RemotePath {
    /// The operation as text, with the values of its variables. Each object has the arguments of each
    /// step by its number; several objects have aliases.
    pub(crate) fn operation(
        &self,
        objects: &[Inputs],
        is_batch: bool,
        projection: &Projection,
    ) -> (String, Map<String, Value>) {
        let mut operation =
            Operation { has_literals: self.source().is_none(), ..Operation::default() };
        let keyed = match (is_batch, self.source()) {
            // The last step leads from the keys to the rows.
            (true, Some(_)) => with_all_keys(objects, self.steps.len().saturating_sub(2)),
            (true, None) | (false, _) => None,
        };
        if let Some(inputs) = keyed {
            operation.text.push_str(&format!(" {KEYED}: "));
            self.write(&inputs, projection, &mut operation);
            return self.finish(operation);
        }
        for (number, inputs) in objects.iter().enumerate() {
            operation.text.push(' ');
            if is_batch {
                operation.text.push_str(&format!("{}: ", batch_alias(number)));
            }
            self.write(inputs, projection, &mut operation);
        }
        self.finish(operation)
    }

    fn finish(&self, operation: Operation) -> (String, Map<String, Value>) {
        let Operation { text, mut declared, variables, has_literals: _ } = operation;
        declared.push_str(if variables.is_empty() { "" } else { ")" });
        let kind = match self.kind {
            OperationKind::Mutation => "mutation",
            OperationKind::Query | OperationKind::Subscription => "query",
        };
        (format!("{kind}{declared} {{{text} }}"), variables)
    }

    /// Adds the fields for one object.
    fn write(&self, inputs: &Inputs, projection: &Projection, operation: &mut Operation) {
        let Operation { text, declared, variables, has_literals } = operation;
        for (number, step) in self.steps.iter().enumerate() {
            text.push_str(if number == 0 { "" } else { " { " });
            text.push_str(&step.field);
            let known = self.schema.fields(&step.r#type).iter();
            let known = known.filter(|field| field.name == step.field);
            let given = inputs.find(&number.to_string()).and_then(Value::as_object);
            let mut is_first = true;
            for input in known.flat_map(|field| &field.arguments) {
                let Some(value) = given.and_then(|given| given.get(&*input.name)) else { continue };
                text.push_str(if is_first { "(" } else { ", " });
                is_first = false;
                text.extend([&*input.name, ": "]);
                // A variable cannot have numbers that are larger than each double.
                if (*has_literals || exact_number::is_within(value)) && has_names(value) {
                    self.literal(value, &input.r#type, text);
                    continue;
                }
                let name = declare((declared, variables), &input.r#type.to_string(), value);
                text.push_str(&format!("${name}"));
            }
            if !is_first {
                text.push(')');
            }
        }
        selection_text::write(projection, text, &mut |argument| {
            declare((declared, variables), &argument.remote_type, &argument.value)
        });
        text.push_str(&" }".repeat(self.steps.len().saturating_sub(1)));
    }

    /// Appends a value as a literal, in which only the type tells names from texts. Recursion is
    /// bounded by the depth of values.
    fn literal(&self, value: &Value, r#type: &RemoteTypeText, text: &mut String) {
        if let Some(digits) = exact_number::digits(value) {
            text.push_str(digits);
            return;
        }
        let kind = self.schema.types.get(&r#type.name).map(|known| &known.kind);
        match value {
            // A text that is no name would become a part of the document.
            Value::String(name)
                if matches!(kind, Some(RemoteKind::Enum { .. })) && is_name(name) =>
            {
                text.push_str(name);
            }
            // Numbers of the source may be texts, and clients give either where Hasura does.
            Value::String(digits) if is_number(digits, &r#type.name) => text.push_str(digits),
            Value::Number(number) if &*r#type.name == "String" => {
                text.push_str(&Value::String(number.to_string()).to_string());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                text.push_str(&value.to_string());
            }
            Value::Array(items) => {
                let item = r#type.item();
                text.push('[');
                for (number, one) in items.iter().enumerate() {
                    text.push_str(if number == 0 { "" } else { ", " });
                    self.literal(one, item.as_ref().unwrap_or(r#type), text);
                }
                text.push(']');
            }
            Value::Object(members) => {
                let known: &[RemoteInput] = match kind {
                    Some(RemoteKind::Input { fields }) => fields,
                    Some(_) | None => &[],
                };
                text.push('{');
                for (number, (name, one)) in members.iter().enumerate() {
                    text.push_str(if number == 0 { "" } else { ", " });
                    text.extend([&**name, ": "]);
                    let input = known.iter().find(|input| *input.name == **name);
                    self.literal(one, input.map_or(r#type, |input| &input.r#type), text);
                }
                text.push('}');
            }
        }
    }
}

/// Declares a variable, and returns its name.
fn declare(
    (declared, variables): (&mut String, &mut Map<String, Value>),
    r#type: &str,
    value: &Value,
) -> String {
    let name = format!("v{}", variables.len());
    declared.push_str(if variables.is_empty() { " (" } else { ", " });
    declared.push_str(&format!("${name}: {type}", r#type = r#type));
    variables.insert(name.clone(), value.clone());
    name
}

/// True for the text of a number of this type.
fn is_number(text: &str, r#type: &str) -> bool {
    match r#type {
        "Int" => text.parse::<i64>().is_ok_and(|number| number.to_string() == text),
        "Float" => serde_json::from_str::<serde_json::Number>(text).is_ok(),
        _ => false,
    }
}

/// An operation so far.
#[derive(Default)]
struct Operation {
    text: String,
    /// Definitions of the variables.
    declared: String,
    variables: Map<String, Value>,
    /// True if values are literals where that is possible. A source keeps the plans of documents, so
    /// it gets variables.
    has_literals: bool,
}

/// The alias of the field with the rows of all objects.
pub(crate) const KEYED: &str = "keyed";

/// The arguments of a field that gives the rows of all objects: the keys of each in one list.
fn with_all_keys(objects: &[Inputs], step: usize) -> Option<Inputs> {
    let step = step.to_string();
    let keys_of = |inputs: &Inputs| Some(inputs.find(&step)?.get(KEYS_IN)?.get(KEYS)?.clone());
    let keys: Vec<Value> = objects.iter().map(keys_of).collect::<Option<_>>()?;
    let mut all = objects.first()?.clone().into_members();
    *all.get_mut(&step)?.get_mut(KEYS_IN)?.get_mut(KEYS)? = Value::Array(keys);
    Some(Inputs::of(Value::Object(all)))
}

/// The alias of the field for an object, as in Hasura.
pub(crate) fn batch_alias(number: usize) -> String {
    format!("f{number}")
}

/// True if the keys of all objects are names: others, which are values of a scalar, have no literal.
fn has_names(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        Value::Array(items) => items.iter().all(has_names),
        Value::Object(members) => {
            exact_number::digits(value).is_some()
                || members.iter().all(|(name, value)| is_name(name) && has_names(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use graphql::schema::{TypeId, TypeRef};

    use super::*;
    use crate::body::BodyTemplate;
    use crate::projection::{Member, ObjectProjection, ProjectedArgument, ProjectedField};
    use crate::remote_path::{PathServer, RemoteStep};
    use crate::remote_schema::{RemoteField, RemoteSchema, RemoteType};

    fn path() -> RemotePath {
        let r#type = |text: &str| RemoteTypeText {
            before: if text.starts_with('[') { "[" } else { "" }.into(),
            name: text.trim_matches(['[', ']', '!']).into(),
            behind: if text.ends_with(']') { "]" } else { "" }.into(),
        };
        let input = |name: &str, of: &str| RemoteInput {
            name: name.into(),
            description: None,
            r#type: r#type(of),
            default: None,
        };
        let field = |name: &str, of: &str, arguments: Vec<RemoteInput>| RemoteField {
            name: name.into(),
            description: None,
            arguments,
            r#type: r#type(of),
            deprecated: None,
        };
        let object = |fields| RemoteKind::Object { fields, interfaces: Vec::new() };
        let kinds = [
            ("Query", object(vec![field("user", "User", vec![input("id", "ID")])])),
            (
                "User",
                object(vec![field(
                    "posts",
                    "[String]",
                    vec![input("where", "[Where]"), input("first", "Int")],
                )]),
            ),
            (
                "Where",
                RemoteKind::Input { fields: vec![input("kind", "Kind"), input("text", "String")] },
            ),
            ("Kind", RemoteKind::Enum { values: Vec::new() }),
        ];
        let types = kinds
            .into_iter()
            .map(|(name, kind)| (Box::from(name), RemoteType { description: None, kind }));
        let schema = RemoteSchema {
            query: "Query".into(),
            mutation: None,
            subscription: None,
            types: types.collect(),
        };
        let step = |r#type: &str, field: &str, given: &str| RemoteStep {
            place: (r#type.into(), field.into()),
            r#type: r#type.into(),
            field: field.into(),
            given: BodyTemplate::new(&graphql::definitions::parse_template(given).unwrap()),
        };
        RemotePath {
            kind: OperationKind::Query,
            schema: Arc::new(schema),
            steps: vec![
                step("Query", "user", "{id: $id}"),
                step("User", "posts", "{where: [{kind: \"NEW\"}]}"),
            ],
            server: PathServer::Http,
        }
    }

    #[test]
    fn arguments_of_rows_and_clients_are_merged() {
        let path = path();
        let row = Inputs::of(json!({ "id": "a\"b" }));
        let client = Inputs::of(json!({ "where": [{ "text": "t" }], "first": 2 }));
        let arguments = path.arguments(&row, &client);
        let by_number = (0..)
            .zip(arguments)
            .map(|(number, arguments): (u32, _)| (number.to_string(), Value::Object(arguments)));
        let inputs = Inputs::of(Value::Object(by_number.collect()));
        let projection = Projection::Scalar("String".into());
        let (text, variables) = path.operation(std::slice::from_ref(&inputs), false, &projection);
        assert_eq!(
            text,
            r#"query { user(id: "a\"b") { posts(where: [{kind: NEW}, {text: "t"}], first: 2) } }"#
        );
        assert!(variables.is_empty());
        let (text, _) = path.operation(&[Inputs::default()], false, &projection);
        assert_eq!(text, "query { user { posts } }");
        let two = [Inputs::default(), Inputs::of(json!({ "0": { "id": 1 } }))];
        let (text, _) = path.operation(&two, true, &projection);
        assert_eq!(text, "query { f0: user { posts } f1: user(id: 1) { posts } }");
    }

    /// The members of custom scalars may have any key.
    #[test]
    fn values_without_a_literal_are_variables() {
        let value = json!({ "a b": 1 });
        let inputs = Inputs::of(json!({ "0": { "id": value }, "1": { "first": 1 } }));
        let (text, variables) =
            path().operation(&[inputs], false, &Projection::Scalar("String".into()));
        assert_eq!(text, "query ($v0: ID) { user(id: $v0) { posts(first: 1) } }");
        assert_eq!(Value::Object(variables), json!({ "v0": value }));
    }

    /// A key of an object, and a text where the server has an enum, never become a part of the document.
    #[test]
    fn no_value_becomes_a_part_of_the_document() {
        let injected = "x: 1}) { secret } b: c(y: {z";
        let argument = |literal: Option<&str>, value: Value| ProjectedArgument {
            name: "meta".into(),
            value,
            literal: literal.map(Into::into),
            r#type: "shop_JSON".into(),
            remote_type: "JSON".into(),
        };
        let field = |arguments| ProjectedField {
            response_name: "title".into(),
            member: Member::Field {
                name: "title".into(),
                remote: "title".into(),
                key: "title".into(),
            },
            r#type: TypeRef::named(TypeId::new(0)),
            type_text: "String".into(),
            projection: Projection::Scalar("String".into()),
            arguments,
        };
        let value = json!({ injected: 1 });
        let object = ObjectProjection {
            r#type: "Post".into(),
            remote_type: "Post".into(),
            fields: vec![field(vec![argument(None, value.clone())])],
        };
        let projection = Projection::Objects(vec![object]);
        let inputs = Inputs::of(
            json!({ "1": { "where": [{ "kind": "NEW}]) { secret } b: c(d: [{a: B" }] } }),
        );
        let (text, variables) = path().operation(&[inputs], false, &projection);
        assert_eq!(
            text,
            "query ($v0: JSON) { user { posts(where: [{kind: \"NEW}]) { secret } b: c(d: [{a: B\"}]){\ntitle(meta: $v0)\n} } }"
        );
        assert_eq!(Value::Object(variables), json!({ "v0": value }));
    }

    /// The text is the same for all keys and values, so a source plans it once.
    #[test]
    fn a_source_gets_the_keys_of_all_objects_in_one_variable() {
        let mut path = path();
        path.server = PathServer::Source("shop".into());
        let RemoteKind::Object { fields, .. } =
            &mut Arc::make_mut(&mut path.schema).types.get_mut("Query").unwrap().kind
        else {
            unreachable!()
        };
        let args = RemoteInput {
            name: KEYS_IN.into(),
            description: None,
            r#type: RemoteTypeText::of("Args!"),
            default: None,
        };
        fields[0].arguments = vec![args];
        let object = |id: u64| {
            let args = json!({ KEYS_IN: { KEYS: { "id": id } } });
            Inputs::of(json!({ "0": args, "1": { "first": 2 } }))
        };
        let projection = Projection::Scalar("String".into());
        let (text, variables) = path.operation(&[object(1), object(2)], true, &projection);
        let expected =
            "query ($v0: Args!, $v1: Int) { keyed: user(args: $v0) { posts(first: $v1) } }";
        assert_eq!(text, expected);
        let expected = json!({ "v0": { KEYS: [{ "id": 1 }, { "id": 2 }] }, "v1": 2 });
        assert_eq!(Value::Object(variables), expected);
    }

    #[test]
    fn a_client_does_not_change_what_a_relationship_gives() {
        let path = path();
        let row = Inputs::of(json!({ "id": 1 }));
        let client = Inputs::of(json!({ "where": 5 }));
        assert_eq!(path.arguments(&row, &client)[1]["where"], json!([{ "kind": "NEW" }]));
    }
}
