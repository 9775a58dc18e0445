//! Adds `@inaccessible` to hidden elements, and the link of its specification to the schema.

use std::sync::Arc;

use graphql::definitions::{
    Definitions, Directive, DirectiveArgument, DirectiveDefinition, Literal, SchemaDefinition,
    TypeBody,
};
use rustc_hash::FxHashSet;

use super::elements::Elements;
use crate::composed::links::{Links, Meaning, name_of, text};
use crate::coordinate::Coordinate;

/// The version that allows the directive on all elements.
const SPECIFICATION: &str = "https://specs.apollo.dev/inaccessible/v0.2";

const LOCATIONS: [&str; 10] = [
    "FIELD_DEFINITION",
    "OBJECT",
    "INTERFACE",
    "UNION",
    "ARGUMENT_DEFINITION",
    "SCALAR",
    "ENUM",
    "ENUM_VALUE",
    "INPUT_OBJECT",
    "INPUT_FIELD_DEFINITION",
];

/// Returns the definitions with the directives, and the elements that did not have it before.
pub(super) fn write(elements: Elements) -> (Definitions, Vec<Coordinate>) {
    let Elements { mut definitions, links, hidden, .. } = elements;
    let name = link(&mut definitions, &links);
    let mut marking = Marking { links: &links, hidden: &hidden, name, added: Vec::new() };
    for definition in &mut definitions.types {
        if links.is_specification_type(&definition.name) {
            continue;
        }
        let type_name = &definition.name;
        marking.mark(Coordinate::of_type(type_name), &mut definition.directives);
        // The members of a hidden type are hidden with it.
        if hidden.contains(&Coordinate::of_type(type_name)) {
            continue;
        }
        match &mut definition.body {
            TypeBody::Scalar | TypeBody::Union(_) => {}
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                for field in &mut composite.fields {
                    let coordinate = Coordinate::member(type_name, &field.name);
                    marking.mark(coordinate, &mut field.directives);
                    for argument in &mut field.arguments {
                        let coordinate =
                            Coordinate::argument(type_name, &field.name, &argument.name);
                        marking.mark(coordinate, &mut argument.directives);
                    }
                }
            }
            TypeBody::Enum(values) => {
                for value in values {
                    let coordinate = Coordinate::member(type_name, &value.name);
                    marking.mark(coordinate, &mut value.directives);
                }
            }
            TypeBody::InputObject(inputs) => {
                for input in inputs {
                    let coordinate = Coordinate::member(type_name, &input.name);
                    marking.mark(coordinate, &mut input.directives);
                }
            }
        }
    }
    (definitions, marking.added)
}

struct Marking<'e> {
    links: &'e Links,
    hidden: &'e FxHashSet<Coordinate>,
    /// Name of the directive in the document.
    name: Arc<str>,
    added: Vec<Coordinate>,
}

impl Marking<'_> {
    fn mark(&mut self, coordinate: Coordinate, directives: &mut Vec<Directive>) {
        let is_marked =
            directives.iter().any(|one| self.links.meaning(one) == Meaning::Inaccessible);
        if self.hidden.contains(&coordinate) && !is_marked {
            directives.push(directive(Arc::clone(&self.name), Vec::new()));
            self.added.push(coordinate);
        }
    }
}

/// Links the specification if the document does not, and returns the name of the directive.
fn link(definitions: &mut Definitions, links: &Links) -> Arc<str> {
    let known = links.names_of(Meaning::Inaccessible);
    let defined = |name: &&&Arc<str>| definitions.directives.iter().any(|one| one.name == ***name);
    let name = known.iter().find(defined).or_else(|| known.first());
    let name = name.map_or_else(|| "inaccessible".into(), |name| Arc::clone(name));
    let core = core_directive(definitions);
    let mut is_linked = false;
    for applied in definitions.schemas.iter_mut().flat_map(|schema| &mut schema.directives) {
        let argument = if &*applied.name == "core" { "feature" } else { "url" };
        let is_known = text(applied, argument).and_then(name_of) == Some("inaccessible");
        if is_known && matches!(&*applied.name, "link" | "core") {
            is_linked = true;
            // The first version allows the directive on fewer elements.
            for one in applied.arguments.iter_mut().filter(|one| &*one.name == argument) {
                one.value = Literal::String(SPECIFICATION.into());
            }
        }
    }
    if !is_linked {
        let applied = link_directive(definitions, core);
        match definitions.schemas.first_mut() {
            Some(schema) => schema.directives.push(applied),
            None => definitions.schemas.push(SchemaDefinition {
                line: 0,
                is_extension: true,
                description: None,
                directives: vec![applied],
                operations: Vec::new(),
            }),
        }
    }
    let existing = definitions.directives.iter_mut().find(|one| one.name == name);
    match existing {
        Some(existing) => existing.locations = LOCATIONS.to_vec(),
        None => definitions.directives.push(DirectiveDefinition {
            name: Arc::clone(&name),
            line: 0,
            column: 0,
            description: None,
            arguments: Vec::new(),
            locations: LOCATIONS.to_vec(),
            is_repeatable: false,
        }),
    }
    name
}

/// Returns the directive that links specifications: `@core` in supergraphs of Federation 1.
fn core_directive(definitions: &Definitions) -> &'static str {
    let mut applied = definitions.schemas.iter().flat_map(|schema| &schema.directives);
    if applied.any(|one| &*one.name == "core") { "core" } else { "link" }
}

fn link_directive(definitions: &Definitions, core: &'static str) -> Directive {
    let url = if core == "core" { "feature" } else { "url" };
    let mut arguments = vec![argument(url, Literal::String(SPECIFICATION.into()))];
    let definition = definitions.directives.iter().find(|one| &*one.name == core);
    let has_purpose =
        |one: &DirectiveDefinition| one.arguments.iter().any(|argument| &*argument.name == "for");
    if definition.is_some_and(has_purpose) {
        arguments.push(argument("for", Literal::Enum("SECURITY".into())));
    }
    directive(core.into(), arguments)
}

fn directive(name: Arc<str>, arguments: Vec<DirectiveArgument>) -> Directive {
    Directive { name, line: 0, column: 0, arguments }
}

fn argument(name: &str, value: Literal) -> DirectiveArgument {
    DirectiveArgument { name: name.into(), line: 0, column: 0, value, strings: Vec::new() }
}
