//! Values of arguments, many of which are in the databases.

use graphql::schema::{InputDefinition, InputId, Schema, TypeKind, TypeRef};

use crate::choices::Choices;

/// How deep input objects are nested: clauses in clauses, and operators in these.
const DEPTH: usize = 4;

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    /// A number or a boolean, as it is written.
    Plain(&'static str),
    Text(&'static str),
    /// A value of an enum, which is text in variables.
    Enum(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// Columns of which SQLite makes up what is not said.
const KEYS: [&str; 4] = ["id", "personId", "rowId", "select"];

const BOOLEANS: [&str; 2] = ["true", "false"];
const INTEGERS: [&str; 11] =
    ["1", "2", "3", "0", "7", "127", "-5", "20", "-32768", "2147483647", "-2147483648"];
/// Of keys and what refers to them: some rows have them, and some have not.
const NUMBERS: [&str; 6] = ["1", "2", "3", "7", "20", "99"];
const BOUNDS: [&str; 8] = ["2", "1", "3", "0", "5", "25", "100", "-1"];
const FLOATS: [&str; 8] = ["1.5", "0.1", "-2.5", "7.1", "0.99", "1", "1e300", "123456789.125"];
const BIG_INTEGERS: [&str; 6] =
    ["1", "7", "0", "9007199254740993", "9223372036854775807", "-9223372036854775808"];
const DECIMALS: [&str; 9] =
    ["1.5", "7.10", "0.99", "13.86", "0", "0.3", "-0.001", "99999999.99", "123456789012345"];
const TEXTS: [&str; 16] = [
    "a",
    "one",
    "",
    "A",
    "Ann",
    "root",
    "first",
    "Z",
    "é",
    "日本",
    "P-1",
    "USA",
    "Japan",
    "Rock",
    "it's",
    "%\\_\" ?1 $1 --",
];
const PATTERNS: [&str; 8] = ["%a%", "_nn", "%", "A%", "%é", "__", "\\%", "%the%"];
const DATES: [&str; 4] = ["2024-02-29", "2000-01-01", "0001-01-01", "1969-12-31"];
const MOMENTS: [&str; 6] = [
    "2024-02-29T12:34:56",
    "2000-01-01 00:00:00.5",
    "2021-01-07T00:00:00",
    "1969-12-31",
    "9999-12-31T23:59:59.999999",
    "2021-01-07T00:00:00Z",
];
const TOKENS: [&str; 4] = [
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A12",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
];

/// A value for an argument or an input field.
pub(crate) fn value(schema: &Schema, input: InputId, choices: &mut Choices<'_>) -> Value {
    let definition = &schema[input];
    // SQLite takes null for a new key.
    let r#type = match is_needed(definition) {
        true => definition.r#type.non_null(),
        false => definition.r#type,
    };
    typed(schema, r#type, &definition.name, choices, 0)
}

/// What has to be there; and keys of new rows, which the sources make up differently once a row
/// was refused.
pub(crate) fn is_needed(definition: &InputDefinition) -> bool {
    definition.r#type.is_non_null() || KEYS.contains(&&*definition.name)
}

/// `name` is that of the column or argument, which says what texts are sensible.
fn typed(
    schema: &Schema,
    r#type: TypeRef,
    name: &str,
    choices: &mut Choices<'_>,
    depth: usize,
) -> Value {
    if !r#type.is_non_null() && choices.percent(4) {
        return Value::Null;
    }
    if let Some(item) = r#type.item() {
        let count = choices.below(4);
        // One value stands for a list of it.
        if count == 0 && choices.percent(50) {
            return typed(schema, item.non_null(), name, choices, depth);
        }
        let items = (0..count).map(|_| typed(schema, item, name, choices, depth));
        return Value::List(items.collect());
    }
    let definition = &schema[r#type.base];
    match &definition.kind {
        TypeKind::Enum { values } => Value::Enum(schema[choices.pick(values)].name.to_string()),
        TypeKind::InputObject { fields } => {
            let row = definition.name.ends_with("Input");
            let must = |id: &InputId| {
                let field = &schema[*id];
                field.r#type.is_non_null() || row && is_needed(field)
            };
            let mut entries: Vec<(String, Value)> = Vec::new();
            for field in fields.iter().filter(|id| must(id)).map(|id| &schema[*id]) {
                let value = typed(schema, field.r#type.non_null(), &field.name, choices, depth + 1);
                entries.push((field.name.to_string(), value));
            }
            for _ in 0..choices.below(3) + usize::from(depth > 0) {
                let field = &schema[choices.pick(fields)];
                let known = entries.iter().any(|(known, _)| *known == *field.name);
                if !known && depth < DEPTH {
                    // Operators are about the column whose object they are in.
                    let operator = fields.iter().any(|id| &*schema[*id].name == "eq");
                    let about = match &*field.name {
                        "like" => "like",
                        _ if operator => name,
                        column => column,
                    };
                    let value = typed(schema, field.r#type, about, choices, depth + 1);
                    entries.push((field.name.to_string(), value));
                }
            }
            Value::Object(entries)
        }
        _ => scalar(&definition.name, name, choices),
    }
}

fn scalar(scalar: &str, name: &str, choices: &mut Choices<'_>) -> Value {
    match scalar {
        "Boolean" => Value::Plain(choices.pick(&BOOLEANS)),
        "Int" => match name {
            "atMost" | "first" | "offset" | "limit" => Value::Plain(choices.pick(&BOUNDS)),
            name if KEYS.contains(&name) || name.ends_with("Id") => {
                Value::Plain(choices.pick(&NUMBERS))
            }
            _ => Value::Plain(choices.pick(&INTEGERS)),
        },
        "Float" => Value::Plain(choices.pick(&FLOATS)),
        "BigInt" => Value::Text(choices.pick(&BIG_INTEGERS)),
        "BigFloat" => Value::Text(choices.pick(&DECIMALS)),
        "Date" => Value::Text(choices.pick(&DATES)),
        "Datetime" => Value::Text(choices.pick(&MOMENTS)),
        "UUID" => Value::Text(choices.pick(&TOKENS)),
        _ => match name {
            "like" => Value::Text(choices.pick(&PATTERNS)),
            "day" => Value::Text(choices.pick(&DATES)),
            "token" => Value::Text(choices.pick(&TOKENS)),
            "moment" | "start_at" | "birth_date" | "hire_date" | "invoice_date" => {
                Value::Text(choices.pick(&MOMENTS))
            }
            _ => Value::Text(choices.pick(&TEXTS)),
        },
    }
}

impl Value {
    /// As a literal of a document.
    pub(crate) fn literal(&self) -> String {
        self.print(|name| name.to_owned())
    }

    /// As JSON.
    pub(crate) fn json(&self) -> String {
        self.print(|name| serde_json::Value::from(name).to_string())
    }

    /// Names, of fields and of enum values, are printed by `name`.
    fn print(&self, name: impl Fn(&str) -> String + Copy) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Plain(text) => (*text).to_owned(),
            // The escapes of JSON are those of GraphQL.
            Self::Text(text) => serde_json::Value::from(*text).to_string(),
            Self::Enum(label) => name(label),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(|item| item.print(name)).collect();
                ["[", &items.join(", "), "]"].concat()
            }
            Self::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| [&name(key), ": ", &value.print(name)].concat());
                ["{", &entries.collect::<Vec<_>>().join(", "), "}"].concat()
            }
        }
    }
}
