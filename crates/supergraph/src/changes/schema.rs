//! A schema as written, with its extensions merged: both sides of a comparison.

use std::sync::Arc;

use graphql::definitions::{
    Directive, DirectiveDefinition, InputDefinition, Named, TypeBody, TypeDefinition,
};
use graphql::operation::OperationKind;
use graphql::parse_definitions;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::api_definitions::api_definitions;
use crate::composed::Problem;
use crate::extensions::merge_extensions;

/// Directives of the specification, which schemas do not have to define.
const SPECIFIED_DIRECTIVES: [&str; 5] = ["skip", "include", "deprecated", "specifiedBy", "oneOf"];

/// The schema of a document, or the API schema of a supergraph.
///
/// It is not validated: the schema of a subgraph may use directives that it does not define.
#[derive(Debug, Default)]
pub struct WrittenSchema {
    pub(super) types: Vec<TypeDefinition>,
    types_by_name: FxHashMap<Arc<str>, usize>,
    pub(super) directives: Vec<DirectiveDefinition>,
    directives_by_name: FxHashMap<Arc<str>, usize>,
    /// Root types of queries, mutations and subscriptions.
    roots: [Option<Named>; 3],
    /// Directives of the schema itself.
    pub(super) applied: Vec<Directive>,
}

impl WrittenSchema {
    /// Reads a document of type definitions, or returns all errors in it.
    pub fn read(text: &str) -> Result<Self, Vec<Problem>> {
        let definitions = parse_definitions(text).map_err(|errors| {
            let problems = errors.into_iter().map(|error| Problem {
                line: error.locations.first().map(|at| at.line as usize),
                message: error.message,
            });
            problems.collect::<Vec<_>>()
        })?;
        let definitions = api_definitions(definitions);
        let mut schema = Self::default();
        let mut problems = Vec::new();
        for definition in merge_extensions(definitions.types, &mut problems) {
            schema.types_by_name.insert(Arc::clone(&definition.name), schema.types.len());
            schema.types.push(definition);
        }
        for directive in definitions.directives {
            if !SPECIFIED_DIRECTIVES.contains(&&*directive.name) {
                schema.add_directive(directive, &mut problems);
            }
        }
        for written in definitions.schemas {
            schema.applied.extend(written.directives);
            for (kind, named) in written.operations {
                let root = match kind {
                    "query" => &mut schema.roots[0],
                    "mutation" => &mut schema.roots[1],
                    _ => &mut schema.roots[2],
                };
                *root = Some(named);
            }
        }
        if schema.roots.iter().all(Option::is_none) {
            schema.roots = ["Query", "Mutation", "Subscription"].map(|name| {
                let TypeDefinition { name, line, column, .. } = schema.find_type(name)?;
                Some(Named { name: Arc::clone(name), line: *line, column: *column })
            });
        }
        for definition in &schema.types {
            find_repeated_members(definition, &mut problems);
        }
        problems.sort_by_key(|problem| problem.line);
        if problems.is_empty() { Ok(schema) } else { Err(problems) }
    }

    /// Returns a type by name; built-in scalars and introspection types are not part of it.
    pub(crate) fn find_type(&self, name: &str) -> Option<&TypeDefinition> {
        self.types_by_name.get(name).map(|index| &self.types[*index])
    }

    pub(super) fn find_directive(&self, name: &str) -> Option<&DirectiveDefinition> {
        self.directives_by_name.get(name).map(|index| &self.directives[*index])
    }

    pub(super) fn root(&self, kind: OperationKind) -> Option<&Named> {
        let index = match kind {
            OperationKind::Query => 0,
            OperationKind::Mutation => 1,
            OperationKind::Subscription => 2,
        };
        self.roots[index].as_ref()
    }

    fn add_directive(&mut self, directive: DirectiveDefinition, problems: &mut Vec<Problem>) {
        let name = Arc::clone(&directive.name);
        if self.directives_by_name.contains_key(&name) {
            return problems
                .push(Problem::new(directive.line, format!("`@{name}` is defined twice")));
        }
        self.directives_by_name.insert(name, self.directives.len());
        self.directives.push(directive);
    }
}

/// Adds a problem for each second member of the same name.
fn find_repeated_members(definition: &TypeDefinition, problems: &mut Vec<Problem>) {
    let mut known = FxHashSet::default();
    let mut check = |name: &Arc<str>, line: usize, problems: &mut Vec<Problem>| {
        if !known.insert(Arc::clone(name)) {
            let message = format!("`{}.{name}` is defined twice", definition.name);
            problems.push(Problem::new(line, message));
        }
    };
    match &definition.body {
        TypeBody::Object(composite) | TypeBody::Interface(composite) => {
            for field in &composite.fields {
                check(&field.name, field.line, problems);
            }
        }
        TypeBody::InputObject(inputs) => {
            for InputDefinition { name, line, .. } in inputs {
                check(name, *line, problems);
            }
        }
        TypeBody::Enum(values) => {
            for value in values {
                check(&value.name, value.line, problems);
            }
        }
        TypeBody::Scalar | TypeBody::Union(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_merged_and_what_is_defined_twice_is_an_error() {
        let schema = WrittenSchema::read(
            "extend type Query { b: Int } type Query { a: Int } extend type T @key(fields: \"a\") \
             { a: ID } extend schema @link(url: \"u\")",
        )
        .unwrap();
        let TypeBody::Object(query) = &schema.find_type("Query").unwrap().body else { panic!() };
        let names: Vec<_> = query.fields.iter().map(|field| &*field.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(schema.root(OperationKind::Query).map(|root| &*root.name), Some("Query"));
        assert_eq!((schema.types.len(), schema.applied.len()), (2, 1));
        let problems = WrittenSchema::read(
            "type A { a: Int a: Int }\ntype A { b: Int }\nenum E { A }\nextend type E { a: Int }",
        )
        .unwrap_err();
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "line 1: `A.a` is defined twice",
                "line 2: `A` is defined twice",
                "line 4: the extension of `E` is of another kind than the type",
            ]
        );
    }
}
