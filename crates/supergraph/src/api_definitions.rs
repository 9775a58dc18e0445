//! Definitions of the API of a supergraph: without its machinery and without hidden elements.

use std::sync::Arc;

use graphql::definitions::{
    Definitions, Directive, FieldDefinition, InputDefinition, TypeBody, TypeDefinition,
};
use rustc_hash::FxHashSet;

use crate::composed::links::{Links, Meaning};

/// Whether the definitions are those of a supergraph.
pub(crate) fn is_supergraph(definitions: &Definitions, links: &Links) -> bool {
    definitions.types.iter().any(|definition| *definition.name == *links.graphs)
}

/// Returns the definitions that clients of a supergraph see, with their locations in its document. The
/// definitions of any other schema are returned as they are.
pub(crate) fn api_definitions(mut definitions: Definitions) -> Definitions {
    // Problems of links concern the gateway.
    let links = Links::read(&definitions, &mut Vec::new());
    if !is_supergraph(&definitions, &links) {
        return definitions;
    }
    let hidden = definitions.types.iter().filter(|one| is_hidden(&links, &one.directives));
    let hidden: FxHashSet<Arc<str>> = hidden.map(|one| Arc::clone(&one.name)).collect();
    let api = Api { links: &links, hidden };
    definitions.types.retain_mut(|definition| api.retain_type(definition));
    definitions.directives.retain_mut(|directive| {
        directive.arguments.retain_mut(|argument| api.retain_input(argument));
        !links.is_of_specification(&directive.name)
    });
    for schema in &mut definitions.schemas {
        api.retain_directives(&mut schema.directives);
        schema.operations.retain(|(_, named)| !api.hidden.contains(&named.name));
    }
    definitions
}

/// Whether an element is `@inaccessible`.
pub(crate) fn is_hidden(links: &Links, directives: &[Directive]) -> bool {
    directives.iter().any(|one| links.meaning(one) == Meaning::Inaccessible)
}

struct Api<'l> {
    links: &'l Links,
    /// Names of hidden types.
    hidden: FxHashSet<Arc<str>>,
}

impl Api<'_> {
    fn retain_type(&self, definition: &mut TypeDefinition) -> bool {
        if self.links.is_specification_type(&definition.name)
            || self.hidden.contains(&definition.name)
        {
            return false;
        }
        self.retain_directives(&mut definition.directives);
        match &mut definition.body {
            TypeBody::Scalar => {}
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                composite.interfaces.retain(|named| !self.hidden.contains(&named.name));
                composite.fields.retain_mut(|field| self.retain_field(field));
            }
            TypeBody::Union(members) => {
                members.retain(|named| !self.hidden.contains(&named.name));
            }
            TypeBody::Enum(values) => values.retain_mut(|value| {
                let is_hidden = is_hidden(self.links, &value.directives);
                self.retain_directives(&mut value.directives);
                !is_hidden
            }),
            TypeBody::InputObject(inputs) => inputs.retain_mut(|input| self.retain_input(input)),
        }
        true
    }

    fn retain_field(&self, field: &mut FieldDefinition) -> bool {
        let is_hidden =
            is_hidden(self.links, &field.directives) || self.hidden.contains(field.r#type.base());
        self.retain_directives(&mut field.directives);
        field.arguments.retain_mut(|argument| self.retain_input(argument));
        !is_hidden
    }

    fn retain_input(&self, input: &mut InputDefinition) -> bool {
        let is_hidden =
            is_hidden(self.links, &input.directives) || self.hidden.contains(input.r#type.base());
        self.retain_directives(&mut input.directives);
        !is_hidden
    }

    fn retain_directives(&self, directives: &mut Vec<Directive>) {
        directives.retain(|directive| !self.links.is_of_specification(&directive.name));
    }
}
