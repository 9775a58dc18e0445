//! Text of example operations: the shortest path to a field that cannot be resolved.

use graphql::operation::OperationKind;
use graphql::schema::{FieldId, InputId, TypeId, TypeKind, TypeRef};

use crate::Supergraph;

/// A field on a path from a root type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathStep {
    /// Type condition before the field.
    pub(super) on: Option<TypeId>,
    pub(super) field: FieldId,
}

/// A line of an operation, with the selections below.
#[derive(Debug, Default)]
struct Selection {
    line: String,
    below: Vec<Selection>,
}

/// Prints an operation that selects the fields at the end of all paths. It is valid: required
/// arguments have some value, and `__typename` is selected below composite fields.
pub(super) fn print<'p>(
    supergraph: &Supergraph,
    kind: OperationKind,
    paths: impl IntoIterator<Item = &'p [PathStep]>,
) -> String {
    let mut root = Selection::default();
    for path in paths {
        let mut selection = &mut root;
        for step in path {
            if let Some(on) = step.on {
                let condition = format!("... on {}", supergraph.schema[on].name);
                selection = selection.child(condition);
            }
            selection = selection.child(field(supergraph, step.field));
        }
        let last = path.last().map(|step| supergraph.schema[step.field].r#type.base);
        if last.is_some_and(|base| supergraph.is_composite(base)) {
            selection.child("__typename".into());
        }
    }
    root.line = match kind {
        OperationKind::Query => String::new(),
        OperationKind::Mutation => "mutation".into(),
        OperationKind::Subscription => "subscription".into(),
    };
    let mut text = String::new();
    root.print(0, &mut text);
    text
}

impl Selection {
    fn child(&mut self, line: String) -> &mut Self {
        let known = self.below.iter().position(|child| child.line == line);
        let place = known.unwrap_or_else(|| {
            self.below.push(Self { line, below: Vec::new() });
            self.below.len() - 1
        });
        &mut self.below[place]
    }

    fn print(&self, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        text.push_str(&indent);
        text.push_str(&self.line);
        if self.below.is_empty() {
            return;
        }
        text.push_str(if self.line.is_empty() { "{\n" } else { " {\n" });
        for child in &self.below {
            child.print(depth + 1, text);
            text.push('\n');
        }
        text.push_str(&indent);
        text.push('}');
    }
}

/// Prints a field with its required arguments.
fn field(supergraph: &Supergraph, field: FieldId) -> String {
    let definition = &supergraph.schema[field];
    let arguments = inputs(supergraph, &definition.arguments);
    match arguments.is_empty() {
        true => definition.name.to_string(),
        false => format!("{}({arguments})", definition.name),
    }
}

fn inputs(supergraph: &Supergraph, inputs: &[InputId]) -> String {
    let definitions = inputs.iter().map(|input| &supergraph.schema[*input]);
    let required =
        definitions.filter(|input| input.r#type.is_non_null() && input.default.is_none());
    let printed =
        required.map(|input| format!("{}: {}", input.name, value(supergraph, input.r#type)));
    printed.collect::<Vec<_>>().join(", ")
}

/// Prints some value of a type. Recursion ends, since no input object type requires itself.
fn value(supergraph: &Supergraph, r#type: TypeRef) -> String {
    if r#type.is_list() {
        return "[]".into();
    }
    let definition = &supergraph.schema[r#type.base];
    match &definition.kind {
        TypeKind::InputObject { fields } => format!("{{{}}}", inputs(supergraph, fields)),
        TypeKind::Enum { values } => {
            let names = values.iter().map(|value| &*supergraph.schema[*value].name);
            let known = |name: &&str| supergraph.api.has_value(&definition.name, name.as_bytes());
            names.into_iter().find(known).unwrap_or("null").into()
        }
        TypeKind::Scalar
        | TypeKind::Object { .. }
        | TypeKind::Interface { .. }
        | TypeKind::Union { .. } => match &*definition.name {
            "Int" | "Float" => "0".into(),
            "Boolean" => "true".into(),
            "ID" => "\"1\"".into(),
            _ => "\"text\"".into(),
        },
    }
}
