//! Entities: connectors that resolve them by their keys.
//! <https://www.apollographql.com/docs/graphos/connectors/entities>

use super::Reader;
use super::arguments::Directive;
use super::connect::Position;
use crate::code::Code;
use crate::connector::{Connector, Resolves};
use crate::definitions::{InputDefinition, Kind, TypeDefinition};
use crate::mapping::{Mapping, Shape};
use crate::variables::Variable;
use crate::version::Version;

impl Reader<'_> {
    /// Checks `entity: true`.
    pub(super) fn check_entity_position(&self, position: Position<'_>, directive: &mut Directive) {
        let is_query = self.definitions.query.as_deref() == Some(&*position.parent.name);
        let Some(field) = position.field.filter(|_| is_query) else {
            let message = "`entity: true` stands on fields of the query type only";
            return directive.error(Code::EntityNotOnRootQuery, message);
        };
        let definition = self.definitions.find(field.r#type.name());
        let definition = definition.filter(|definition| {
            let is_object = matches!(definition.kind, Kind::Object { .. });
            is_object && !field.r#type.is_list() && !field.r#type.is_non_null()
        });
        let Some(definition) = definition else {
            let message = "`entity: true` needs a field of an object type, which is neither a list nor \
                           non-null";
            return directive.error(Code::EntityTypeInvalid, message);
        };
        if field.arguments.is_empty() {
            let message = format!(
                "`{}` has no arguments, by which a `{}` could be found",
                field.name, definition.name
            );
            return directive.error(Code::EntityResolverArgumentMismatch, message);
        }
        self.check_entity_arguments(&field.arguments, definition, directive);
    }

    /// Checks that arguments are fields of the entity.
    fn check_entity_arguments(
        &self,
        arguments: &[InputDefinition],
        definition: &TypeDefinition,
        directive: &mut Directive,
    ) {
        for argument in arguments {
            let Some(field) = definition.field(&argument.name) else {
                let message = format!(
                    "the argument `{}` is no field of `{}`, and the arguments are the key of the entity",
                    argument.name, definition.name
                );
                directive.error(Code::EntityResolverArgumentMismatch, message);
                continue;
            };
            let find = |name: &str| self.definitions.find(name);
            let input = find(argument.r#type.name()).and_then(|input| match &input.kind {
                Kind::InputObject(inputs) => Some(inputs),
                _ => None,
            });
            let object = find(field.r#type.name())
                .filter(|object| matches!(object.kind, Kind::Object { .. }));
            match (input, object) {
                (Some(inputs), Some(object)) => {
                    self.check_entity_arguments(inputs, object, directive);
                }
                (None, None)
                    if argument.r#type.is_list() == field.r#type.is_list()
                        && argument.r#type.name() == field.r#type.name() => {}
                _ => {
                    let message = format!(
                        "the argument `{}` and the field `{}.{}` are of different types",
                        argument.name, definition.name, field.name
                    );
                    directive.error(Code::EntityResolverArgumentMismatch, message);
                }
            }
        }
    }

    /// Checks that every key that can be resolved has a connector.
    pub(super) fn check_entities(&mut self) {
        if self.has_errors() {
            // What is missing may be a connector with an error.
            return;
        }
        let definitions = self.definitions;
        let is_object =
            |definition: &&TypeDefinition| matches!(definition.kind, Kind::Object { .. });
        for definition in definitions.types.iter().filter(is_object) {
            for key in definition.keys.iter().filter(|key| key.is_resolvable) {
                let Some(fields) = key_paths(&key.fields) else { continue };
                let is_resolved = self.reading.connectors.iter().any(|connector| {
                    let needed = self.key_of(connector, definition);
                    needed.is_some_and(|needed| {
                        !needed.is_empty() && needed.iter().all(|path| fields.contains(path))
                    })
                });
                if !is_resolved {
                    let message = format!(
                        "`{}` has the key `{}`, and no connector resolves it: add `{}` with these fields \
                         of `$this` to the type, or say `resolvable: false`",
                        definition.name, key.fields, definitions.connect_name
                    );
                    self.error(Code::MissingEntityConnector, key.place, message);
                }
            }
        }
    }

    /// The fields by which a connector finds objects of a type; `None` if it finds none.
    fn key_of(&self, connector: &Connector, definition: &TypeDefinition) -> Option<Vec<String>> {
        let is_on_type = connector.coordinate.type_name == definition.name;
        match connector.resolves {
            Resolves::Type | Resolves::Field if is_on_type => {
                let inputs = connector.request_inputs();
                let members = inputs.of(Variable::This).or_else(|| inputs.of(Variable::Batch))?;
                // External fields come from other subgraphs, after the object is found.
                let is_own = |path: &&Vec<&str>| {
                    let field = path.first().and_then(|name| definition.field(name));
                    !field.is_some_and(|field| field.is_external)
                };
                Some(members.paths().iter().filter(is_own).map(|path| path.join(".")).collect())
            }
            Resolves::FieldAndEntity => {
                let parent = self.definitions.find(&connector.coordinate.type_name)?;
                let field = parent.field(connector.coordinate.field.as_deref()?)?;
                if field.r#type.name() != &*definition.name {
                    return None;
                }
                let mut paths = Vec::new();
                self.add_argument_paths(&field.arguments, "", &mut paths);
                Some(paths)
            }
            Resolves::Type | Resolves::Field => None,
        }
    }

    fn add_argument_paths(
        &self,
        arguments: &[InputDefinition],
        before: &str,
        paths: &mut Vec<String>,
    ) {
        for argument in arguments {
            let path = format!("{before}{}", argument.name);
            match self.definitions.find(argument.r#type.name()).map(|definition| &definition.kind) {
                // Input types may contain themselves; a key is not that deep.
                Some(Kind::InputObject(inputs)) if path.matches('.').count() < 16 => {
                    self.add_argument_paths(inputs, &format!("{path}."), paths);
                }
                _ => paths.push(path),
            }
        }
    }
}

/// The paths of a key's fields; `None` if it is no field set, which is a finding of composition.
pub(super) fn key_paths(fields: &str) -> Option<Vec<String>> {
    // Field sets of names are selections, too.
    let mapping = Mapping::parse(fields, Version::V0_1).ok()?;
    let mut paths = Vec::new();
    add_paths(&mapping.shape(), "", &mut paths);
    Some(paths)
}

fn add_paths(shape: &Shape, before: &str, paths: &mut Vec<String>) {
    let Shape::Object(members) = shape else { return };
    for member in members {
        let path = format!("{before}{}", member.name);
        match &member.shape {
            Shape::Object(_) => add_paths(&member.shape, &format!("{path}."), paths),
            _ => paths.push(path),
        }
    }
}
