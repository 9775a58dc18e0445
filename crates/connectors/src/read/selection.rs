//! Whether selections fit the types of fields, and which fields they resolve.
//! <https://www.apollographql.com/docs/graphos/connectors/responses/fields>

use serde_json::Value;

use super::arguments::Directive;
use super::connect::Position;
use super::{FieldCoordinate, Reader};
use crate::code::Code;
use crate::connector::Connector;
use crate::definitions::{Definitions, Kind, TypeDefinition};
use crate::location::Location;
use crate::mapping::Shape;
use crate::mapping::shape::Member;
use crate::variables::Variable;
use crate::version::Version;

impl Reader<'_> {
    /// Checks the selection of a connector, and returns the fields that it resolves.
    pub(super) fn check_selection(
        &self,
        connector: &Connector,
        position: Position<'_>,
        directive: &mut Directive,
    ) -> Vec<FieldCoordinate> {
        let mut resolved = Vec::new();
        let type_name = match position.field {
            Some(field) => {
                let type_name = position.parent.name.clone();
                resolved.push(FieldCoordinate { type_name, field: field.name.clone() });
                field.r#type.name()
            }
            None => &position.parent.name,
        };
        let definitions = self.definitions;
        let mut walk = Walk { definitions, directive, types: Vec::new(), resolved };
        let shape = connector.selection.shape();
        walk.check(&shape, type_name, Location { line: 1, column: 1 });
        walk.resolved
    }

    /// Checks that each object of a batch can be found in the response.
    pub(super) fn check_batch(
        &self,
        connector: &Connector,
        position: Position<'_>,
        directive: &mut Directive,
    ) {
        let inputs = connector.request_inputs();
        let (this, batch) = (inputs.of(Variable::This), inputs.of(Variable::Batch));
        if position.field.is_some() {
            return;
        }
        let message = match (this, batch) {
            (None, None) => {
                "nothing of the request says which object it is for: use `$this` or `$batch`"
            }
            (Some(_), Some(_)) => {
                "a request is for one object, by `$this`, or for many, by `$batch`"
            }
            (Some(_), None) | (None, Some(_)) => "",
        };
        if !message.is_empty() {
            directive.error(Code::GraphqlError, message);
        }
        let Some(batch) = batch else { return };
        let shape = connector.selection.shape();
        for path in batch.paths() {
            if !has_path(&shape, &path) {
                let path = path.join(".");
                let message = format!(
                    "`selection` has no `{path}`, by which objects of a `$batch` are found in the \
                     response: select the fields of `$batch` as members of each item"
                );
                directive.error(Code::InvalidSelection, message);
            }
        }
    }
}

/// Whether every object of the shape has the path.
fn has_path(shape: &Shape, path: &[&str]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    let mut has_all = true;
    shape.alternatives(&mut |shape| match shape {
        Shape::Object(members) => {
            let member = members.iter().find(|member| *member.name == **first);
            has_all &= member.is_some_and(|member| has_path(&member.shape, rest));
        }
        Shape::Any | Shape::Literal(_) | Shape::Scalar(_) | Shape::List(_) | Shape::OneOf(_) => {
            has_all = false;
        }
    });
    has_all
}

struct Walk<'w> {
    definitions: &'w Definitions,
    directive: &'w mut Directive,
    /// The object types around, from the outermost one.
    types: Vec<&'w str>,
    resolved: Vec<FieldCoordinate>,
}

impl<'w> Walk<'w> {
    fn error(&mut self, code: Code, place: Location, message: &str) {
        self.directive.error(code, format_args!("`selection`, {place}: {message}"));
    }

    fn check(&mut self, shape: &Shape, type_name: &str, place: Location) {
        let definition = self.definitions.find(type_name);
        let mut alternatives = Vec::new();
        shape.alternatives(&mut |shape| alternatives.push(shape));
        match definition.map(|definition| (definition, &definition.kind)) {
            Some((definition, Kind::Object { .. })) => {
                for shape in alternatives {
                    self.check_object(shape, definition, place);
                }
            }
            Some((definition, Kind::Interface { .. } | Kind::Union(_))) => {
                self.check_abstract(&alternatives, definition, place);
            }
            // Whatever the response has.
            Some((_, Kind::Scalar)) => {}
            // Built-in scalars have no definition.
            Some((_, Kind::Enum | Kind::InputObject(_))) | None => {
                let is_object = |shape: &&Shape| matches!(shape, Shape::Object(_));
                if alternatives.iter().any(is_object) {
                    let message = format!(
                        "members are selected, but `{type_name}` has none: write `$.name` for the value \
                         of a member"
                    );
                    self.error(Code::GroupSelectionIsNotObject, place, &message);
                }
            }
        }
    }

    /// Checks a shape of an object type.
    fn check_object(&mut self, shape: &Shape, definition: &'w TypeDefinition, place: Location) {
        let members = match shape {
            Shape::Object(members) => members,
            Shape::Literal(Value::Null) => return,
            Shape::Any
            | Shape::Literal(_)
            | Shape::Scalar(_)
            | Shape::List(_)
            | Shape::OneOf(_) => {
                let message = format!(
                    "`{}` is an object type: select its fields in `{{ }}`",
                    definition.name
                );
                return self.error(Code::GroupSelectionRequiredForObject, place, &message);
            }
        };
        if self.types.contains(&&*definition.name) {
            let message = format!(
                "`{}` is selected within `{}`: leave it out, and add a connector to the field that leads \
                 to it",
                definition.name, definition.name
            );
            return self.error(Code::CircularReference, place, &message);
        }
        self.types.push(&definition.name);
        for member in members {
            self.check_member(member, definition);
        }
        self.types.pop();
    }

    fn check_member(&mut self, member: &Member, parent: &'w TypeDefinition) {
        if &*member.name == "__typename" {
            if let Shape::Literal(Value::String(name)) = &member.shape
                && **name != *parent.name
            {
                let message =
                    format!("`__typename` is `{name}`, and the type is `{}`", parent.name);
                self.error(Code::InvalidSelection, member.place, &message);
            }
            return;
        }
        let Some(field) = parent.field(&member.name) else {
            let names: Vec<_> =
                parent.fields().iter().map(|field| format!("`{}`", field.name)).collect();
            let message = format!(
                "there is no field `{}` in `{}`: there are {}",
                member.name,
                parent.name,
                names.join(", ")
            );
            return self.error(Code::SelectedFieldNotFound, member.place, &message);
        };
        if !field.arguments.is_empty() {
            let message = format!(
                "`{}.{}` has arguments, which a selection cannot use: resolve it by a connector of its own",
                parent.name, field.name
            );
            self.error(Code::ConnectorsFieldWithArguments, member.place, &message);
        }
        let coordinate =
            FieldCoordinate { type_name: parent.name.clone(), field: field.name.clone() };
        if !self.resolved.contains(&coordinate) {
            self.resolved.push(coordinate);
        }
        self.check(&member.shape, field.r#type.name(), member.place);
    }

    /// Checks shapes of an interface or union: each says its type.
    fn check_abstract(
        &mut self,
        shapes: &[&Shape],
        definition: &'w TypeDefinition,
        place: Location,
    ) {
        if self.directive.version < Version::V0_4 {
            let message = format!(
                "`{}` is an interface or a union, which needs connect/{}",
                definition.name,
                Version::V0_4
            );
            return self.error(Code::ConnectorsUnsupportedAbstractType, place, &message);
        }
        let objects = self.definitions.objects_of(definition);
        for shape in shapes {
            let members = match shape {
                Shape::Object(members) => members,
                Shape::Literal(Value::Null) => continue,
                _ => {
                    let message = format!(
                        "`{}` is an interface or a union: select fields in `{{ }}`",
                        definition.name
                    );
                    self.error(Code::GroupSelectionRequiredForObject, place, &message);
                    continue;
                }
            };
            let type_name = members.iter().find(|member| &*member.name == "__typename");
            let Some(Shape::Literal(Value::String(name))) = type_name.map(|member| &member.shape)
            else {
                let message = format!(
                    "`{}` is an interface or a union: every case needs a literal `__typename`, such as \
                     `... kind->match([\"book\", {{ __typename: \"Book\", id }}])`",
                    definition.name
                );
                self.error(Code::InvalidSelection, place, &message);
                continue;
            };
            match objects.iter().find(|object| *object.name == **name) {
                Some(object) => self.check_object(shape, object, place),
                None => {
                    let message = format!("`{name}` is no object type of `{}`", definition.name);
                    self.error(Code::InvalidSelection, place, &message);
                }
            }
        }
    }
}
