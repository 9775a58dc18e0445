//! Valid operations over a schema, in two forms that mean the same.

use std::fmt::Write;

use graphql::schema::{FieldId, InputId, Schema, TypeId, TypeKind};

use crate::choices::Choices;
use crate::value::{self, Value, value};

/// Fields within fields: roots, their relationships, and connections between.
const DEPTH: usize = 6;

/// Of a whole operation: answers grow with each level.
const MOST_FIELDS: usize = 30;

/// Rows of these are in no order that is the same everywhere.
const UNORDERED: [&str; 4] = ["Draft", "Headline", "LogEntry", "Sent"];

/// One operation, once with literals and once with variables.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) literals: String,
    pub(crate) variables: String,
    /// The values of the second form.
    pub(crate) values: String,
}

struct Maker<'s> {
    schema: &'s Schema,
    literals: String,
    variables: String,
    definitions: Vec<String>,
    values: Vec<String>,
    fields: usize,
}

/// A query made of choices.
pub(crate) fn query(schema: &Schema, choices: &mut Choices<'_>) -> Operation {
    operation(schema, "query", schema.query, choices)
}

/// A mutation made of choices.
pub(crate) fn mutation(schema: &Schema, choices: &mut Choices<'_>) -> Operation {
    operation(schema, "mutation", schema.mutation, choices)
}

fn operation(
    schema: &Schema,
    keyword: &str,
    root: Option<TypeId>,
    choices: &mut Choices<'_>,
) -> Operation {
    let mut maker = Maker {
        schema,
        literals: String::new(),
        variables: String::new(),
        definitions: Vec::new(),
        values: Vec::new(),
        fields: 0,
    };
    if let Some(root) = root {
        maker.selection_set(root, choices, 0);
    }
    let Maker { literals, variables, definitions, values, .. } = maker;
    let definitions = match definitions.is_empty() {
        true => String::new(),
        false => ["(", &definitions.join(", "), ") "].concat(),
    };
    let literals = [keyword, " ", &literals].concat();
    let variables = [keyword, " ", &definitions, &variables].concat();
    Operation { literals, variables, values: ["{", &values.join(", "), "}"].concat() }
}

impl<'s> Maker<'s> {
    fn selection_set(&mut self, object: TypeId, choices: &mut Choices<'_>, depth: usize) {
        self.push("{ __typename ");
        let fields = self.fields(object, depth);
        if !fields.is_empty() {
            for _ in 0..=choices.below(4) {
                self.field(choices.pick(&fields), choices, depth);
            }
        }
        self.push("} ");
    }

    fn field(&mut self, id: FieldId, choices: &mut Choices<'_>, depth: usize) {
        if self.fields >= MOST_FIELDS {
            return;
        }
        let schema = self.schema;
        // A name of its own, so that a field may be there twice with different arguments.
        let alias = format!("f{}: ", self.fields);
        self.fields += 1;
        self.push(&alias);
        self.push(&schema[id].name);
        let arguments = schema[id]
            .arguments
            .iter()
            .filter(|id| value::is_needed(&schema[**id]) || choices.percent(35));
        let arguments: Vec<_> = arguments.copied().collect();
        for (index, argument) in arguments.iter().enumerate() {
            self.push(if index == 0 { "(" } else { ", " });
            let value = value(schema, *argument, choices);
            self.argument(*argument, &value);
        }
        self.push(if arguments.is_empty() { " " } else { ") " });
        if is_object(schema, schema[id].r#type.base) {
            self.selection_set(schema[id].r#type.base, choices, depth + 1);
        }
    }

    fn argument(&mut self, id: InputId, value: &Value) {
        let definition = &self.schema[id];
        let number = self.values.len();
        // Writing to a string cannot fail.
        let _ = write!(self.literals, "{}: {}", definition.name, value.literal());
        let _ = write!(self.variables, "{}: $v{number}", definition.name);
        let r#type = graphql::print_type(self.schema, definition.r#type);
        self.definitions.push(format!("$v{number}: {type}"));
        self.values.push(format!("\"v{number}\": {}", value.json()));
    }

    fn push(&mut self, text: &str) {
        self.literals.push_str(text);
        self.variables.push_str(text);
    }

    /// What may be selected: no objects at the deepest level.
    fn fields(&self, object: TypeId, depth: usize) -> Vec<FieldId> {
        let (TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. }) =
            &self.schema[object].kind
        else {
            return Vec::new();
        };
        let may = |id: &FieldId| {
            !is_unordered(self.schema, *id)
                && (depth < DEPTH || !is_object(self.schema, self.schema[*id].r#type.base))
        };
        fields.iter().copied().filter(may).collect()
    }
}

/// Whether it gives rows that are in no order that is the same everywhere.
pub(crate) fn is_unordered(schema: &Schema, field: FieldId) -> bool {
    let name = &*schema[schema[field].r#type.base].name;
    UNORDERED.iter().any(|entity| name == *entity || name == connection(entity))
}

fn connection(entity: &str) -> String {
    let plural = match entity.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{entity}s"),
    };
    format!("{plural}Connection")
}

fn is_object(schema: &Schema, id: TypeId) -> bool {
    matches!(schema[id].kind, TypeKind::Object { .. } | TypeKind::Interface { .. })
}
